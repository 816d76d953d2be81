package sim

import (
	"fmt"
	"math"
	"slices"

	"headroom/sim/event"
	"headroom/sim/thermal"
	"headroom/sim/workload"
)

// capDomain is a power cap over many servers: a rack, a node of the graph, the site.
type capDomain struct {
	PowerCap
	servers []int32
	active  bool // the cap acts; before, a delay lets power overshoot
	ev      event.ID
	evOn    bool
}

// capOrder is who gives way first: batch before fine-tuning before training before inference.
var capOrder = [...]workload.Kind{workload.Batch, workload.FineTuning, workload.Training, workload.Inference}

func (e *engine) initCaps() {
	for _, c := range e.cfg.Caps {
		d := capDomain{PowerCap: c}
		for i := range e.srv {
			if e.inDomain(&c, int32(i)) {
				d.servers = append(d.servers, int32(i))
			}
		}
		e.caps = append(e.caps, d)
	}
}

// inDomain says whether a server draws through what is capped.
func (e *engine) inDomain(c *PowerCap, i int32) bool {
	switch c.Over {
	case CapSite:
		return true
	case CapRack:
		return int(e.srv[i].rack) == c.Index
	}
	for _, f := range e.fac.Racks[e.srv[i].rack].Feeds {
		if f == c.Index || slices.Contains(e.graph.Ancestors(f), c.Index) {
			return true
		}
	}
	return false
}

// measured is the power at a cap's meter now.
func (e *engine) measured(d *capDomain) float64 {
	switch d.Over {
	case CapSite:
		return e.b.flow.FacilityW()
	case CapRack:
		return e.racks[d.Index].itW
	}
	return e.b.flow.OutW(d.Index)
}

// meetCaps lowers the cords' caps of servers, lowest priority first, until every meter stands at its cap,
// and lifts them again when there is room. It says whether a server has to be settled again.
func (e *engine) meetCaps() bool {
	moved := false
	for k := range e.caps {
		d := &e.caps[k]
		now := e.measured(d)
		held := false
		for _, i := range d.servers {
			held = held || e.srv[i].domainCap < math.Inf(1)
		}
		if now <= d.LimitW && !held {
			d.active = false
			e.dropCapEvent(d)
			continue
		}
		if !d.active {
			if d.DelayS > 0 {
				if !d.evOn {
					d.ev, d.evOn = e.push(e.now+int64(d.DelayS*thermal.Second), evCap, int32(k))
				}
				continue
			}
			d.active = true
		}
		moved = e.share(d, now) || moved
	}
	return moved
}

func (e *engine) dropCapEvent(d *capDomain) {
	if d.evOn {
		e.queue.Remove(d.ev)
		d.evOn = false
	}
}

// capEvent is a cap that begins to act.
func (e *engine) capEvent(k int32) {
	d := &e.caps[k]
	d.evOn, d.active = false, true
	e.note("cap acts", d.Name, fmt.Sprintf("%.1f kW of %.1f kW", e.measured(d)/1000, d.LimitW/1000))
	e.b.changed = true
}

// capTolerance is how near a meter is brought to its cap, as a share of it.
const capTolerance = 1e-4

// share gives every server of a domain its cap, so that IT gives way by what the meter is over.
func (e *engine) share(d *capDomain, now float64) bool {
	if now <= d.LimitW && now >= d.LimitW*(1-capTolerance) {
		return false
	}
	// What the servers of each kind could give, from what they would draw without this cap.
	want, itNow := 0.0, 0.0
	byKind := make(map[workload.Kind]float64, len(capOrder))
	for _, i := range d.servers {
		s := &e.srv[i]
		if !s.up() {
			continue
		}
		itNow += s.set.WallW
		free, least := e.rangeW(i, s)
		want += free
		if s.load.Busy > 0 {
			byKind[e.kindOn(s)] += free - least
		}
	}
	// A watt of IT is a watt or a little more at the meter: the passes of settle close the rest.
	over := want - (itNow - (now - d.LimitW))
	take := make(map[workload.Kind]float64, len(capOrder)) // share of what a kind can give
	for _, k := range capOrder {
		if over <= 0 {
			break
		}
		if can := byKind[k]; can > 0 {
			take[k] = math.Min(1, over/can)
			over -= take[k] * can
		}
	}
	moved := false
	for _, i := range d.servers {
		s := &e.srv[i]
		if !s.up() {
			continue
		}
		capW := math.Inf(1)
		if s.load.Busy > 0 {
			if t := take[e.kindOn(s)]; t > 0 {
				free, least := e.rangeW(i, s)
				capW = free - t*(free-least)
			}
		}
		if capW != s.domainCap && !(math.Abs(capW-s.domainCap) < 0.5) {
			s.domainCap = capW
			e.mark(i)
			moved = true
		}
	}
	return moved
}

// rangeW is what a server draws without this cap, and at its lowest clock.
func (e *engine) rangeW(i int32, s *server) (free, least float64) {
	env := e.env(s)
	env.WallCapW = math.Min(s.wallCap, s.feedCap)
	free = e.settleIn(i, s, &env, s.mode).WallW
	if s.load.Busy == 0 {
		return free, free
	}
	env.WallCapW = 0
	set := thermal.Settle(s.m, s.load, &env, s.mode)
	return free, math.Min(free, set.WallW)
}

// kindOn is the kind of work that a server is kept for: of several jobs the one that gives way last.
func (e *engine) kindOn(s *server) workload.Kind {
	best := -1
	for _, sh := range s.jobs {
		k := e.cfg.Classes[e.js.table[sh.job].Class].Kind
		best = max(best, slices.Index(capOrder[:], k))
	}
	return capOrder[max(best, 0)]
}
