package sim

import (
	"fmt"
	"math"

	"headroom/facility/power"
	"headroom/sim/event"
	"headroom/sim/thermal"
)

// supply is what keeps a node alive when its sources are lost: the battery of a UPS, the start of a
// generator.
type supply struct {
	node int
	kind power.Kind

	// Battery.
	fullJ   float64 // usable
	chargeJ float64
	drawW   float64 // drawn since lastNS, 0 while charging
	fillW   float64 // recharge, while there is a source
	lastNS  int64
	on      bool
	charges bool // has had a source since lastNS

	// Generator.
	running, starting bool

	ev   event.ID
	evOn bool
}

// rechargeTimes is how many times longer a battery takes to charge than to discharge (Eaton 9395XR data
// sheet: 10). What charging draws is left out of facility power, as what discharging gives is counted
// when it is used: over a cycle the two are one.
const rechargeTimes = 10

// initSupplies finds batteries and generators. Generators stand still while a utility lives.
func (e *engine) initSupplies() {
	utility := false
	for i := range e.graph.Nodes {
		utility = utility || e.graph.Nodes[i].Kind == power.Utility
	}
	for i := range e.graph.Nodes {
		n := &e.graph.Nodes[i]
		switch {
		case n.Kind == power.UPS && n.BatteryS > 0:
			j := n.BatteryS * n.RatingVA * n.PF * float64(n.Units)
			e.supplies = append(e.supplies, supply{node: i, kind: n.Kind, fullJ: j, chargeJ: j, fillW: j / (rechargeTimes * n.BatteryS)})
		case n.Kind == power.Generator && utility:
			e.supplies = append(e.supplies, supply{node: i, kind: n.Kind})
			e.b.flow.SetUp(i, 0)
		}
	}
}

// rewire puts the units of a node that are up into the flow and lets batteries and generators answer.
func (e *engine) rewire(node int) {
	e.b.flow.SetUp(node, e.unitsUp(node))
	e.answer()
}

// unitsUp is how many units of a node run: what losses and trips have left, none of a generator that
// stands still.
func (e *engine) unitsUp(node int) int {
	n := &e.graph.Nodes[node]
	up := min(max(e.powerUp[node], 0), n.Units)
	if e.tripped[node] {
		return 0
	}
	for i := range e.supplies {
		if s := &e.supplies[i]; s.node == node && s.kind == power.Generator && !s.running {
			return 0
		}
	}
	return up
}

// fed says whether a node has a live source.
func (e *engine) fed(node int) bool {
	for _, p := range e.graph.Parents(node) {
		if e.b.flow.Live[p] {
			return true
		}
	}
	return false
}

// utilityLives says whether any utility is up.
func (e *engine) utilityLives() bool {
	for i := range e.graph.Nodes {
		if e.graph.Nodes[i].Kind == power.Utility && e.b.flow.Live[i] {
			return true
		}
	}
	return false
}

// answer starts and stops batteries and generators after something in the graph has changed, then darkens
// or lights racks and cooling.
func (e *engine) answer() {
	f := e.b.flow
	for i := range e.supplies {
		s := &e.supplies[i]
		if s.kind != power.Generator {
			continue
		}
		lives := e.utilityLives()
		switch {
		case !lives && !s.running && !s.starting && e.powerUp[s.node] > 0:
			s.starting = true
			startNS := int64(e.graph.Nodes[s.node].StartS * thermal.Second)
			s.ev, s.evOn = e.push(e.now+startNS, evSupply, int32(i))
			e.note("generator starts", e.graph.Nodes[s.node].ID, "")
		case lives && (s.running || s.starting):
			s.running, s.starting = false, false
			e.dropSupplyEvent(s)
			f.SetUp(s.node, 0)
			e.note("generator stops", e.graph.Nodes[s.node].ID, "")
		}
	}
	// Batteries from the street down: one that holds its node alive is a source for what stands below.
	for i := range e.supplies {
		s := &e.supplies[i]
		if s.kind != power.UPS {
			continue
		}
		e.drain(s)
		fed := e.fed(s.node)
		s.charges = fed
		switch {
		case !fed && !s.on && s.chargeJ > 0 && f.Up[s.node] > 0:
			s.on = true
			f.SetBattery(s.node, true)
			e.note("on battery", e.graph.Nodes[s.node].ID, "")
		case s.on && (fed || f.Up[s.node] == 0):
			s.on, s.drawW = false, 0
			f.SetBattery(s.node, false)
			e.dropSupplyEvent(s)
			e.note("off battery", e.graph.Nodes[s.node].ID, fmt.Sprintf("%.0f %% left", 100*s.chargeJ/s.fullJ))
		}
	}
	for r := range e.racks {
		e.setDark(r)
	}
	e.b.changed = true
}

func (e *engine) dropSupplyEvent(s *supply) {
	if s.evOn {
		e.queue.Remove(s.ev)
		s.evOn = false
	}
}

// drain takes what a battery has given, or got back, since it was last looked at.
func (e *engine) drain(s *supply) {
	dt := float64(e.now-s.lastNS) / thermal.Second
	s.lastNS = e.now
	switch {
	case s.on:
		s.chargeJ = math.Max(0, s.chargeJ-s.drawW*dt)
	case s.charges:
		s.chargeJ = math.Min(s.fullJ, s.chargeJ+s.fillW*dt)
	}
}

// watchBatteries moves the end of every battery in use when its load has changed.
func (e *engine) watchBatteries() {
	for i := range e.supplies {
		s := &e.supplies[i]
		if !s.on {
			continue
		}
		draw := e.b.flow.InW(s.node)
		if draw == s.drawW && s.evOn {
			continue
		}
		e.drain(s)
		s.drawW = draw
		e.dropSupplyEvent(s)
		if draw > 0 {
			if left := s.chargeJ / draw * thermal.Second; left < math.MaxInt64/4 {
				s.ev, s.evOn = e.push(e.now+int64(math.Ceil(left)), evSupply, int32(i))
			}
		}
	}
}

// supplyEvent is a battery that is empty, or a generator that takes load.
func (e *engine) supplyEvent(i int32) {
	s := &e.supplies[i]
	s.evOn = false
	if s.kind == power.Generator {
		if s.starting {
			s.starting, s.running = false, true
			e.note("generator runs", e.graph.Nodes[s.node].ID, "")
			e.rewire(s.node)
		}
		return
	}
	e.drain(s)
	s.chargeJ, s.on, s.drawW, s.charges = 0, false, 0, false
	e.b.flow.SetBattery(s.node, false)
	e.note("battery empty", e.graph.Nodes[s.node].ID, "")
	e.answer()
}
