package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"headroom/facility/power"
)

// siteOf is the placed building again, for questions asked later.
func siteOf(l *Layout) *site {
	s := newSite(l.Facility)
	for i := range l.Servers {
		s.change(l.Servers[i].Rack, l.Servers[i].Model, 1)
	}
	return s
}

// maxPairs bounds the pairs that are drilled.
const maxPairs = 400_000

// Pairs loses every two units together, of the electrical graph and of the cooling, and returns what each
// pair leaves, the worst first. Circuits that end at one rack are left out: two of them lose no more than their
// rack. skipped is how many pairs were left out for their number.
func Pairs(l *Layout) (pairs []Failover, skipped int) {
	s := siteOf(l)
	var cooling Layout
	s.loseCooling(&cooling)
	if s.elec != nil {
		d := newDrill(s, &Layout{})
		units := d.shared()
		n := len(units)
		if n*n/2 > maxPairs {
			keep := int(math.Sqrt(2 * maxPairs))
			skipped = n*(n+1)/2 - keep*(keep+1)/2
			units = units[:keep]
		}
		for i, a := range units {
			if s.f.Power.Nodes[a.node].Units > 1 {
				b := a
				b.name = "another"
				pairs = append(pairs, d.lose(a, b))
			}
			for _, b := range units[i+1:] {
				pairs = append(pairs, d.lose(a, b))
			}
		}
		for _, a := range units {
			one := d.lose(a)
			for _, c := range cooling.Failover {
				pairs = append(pairs, both(one, c))
			}
		}
	}
	for i, a := range cooling.Failover {
		for _, b := range cooling.Failover[i+1:] {
			pairs = append(pairs, both(a, b))
		}
	}
	pairs = append(pairs, s.coolingTwice()...)
	slices.SortStableFunc(pairs, func(a, b Failover) int {
		return cmp.Or(
			cmp.Compare(slices.Index(severity, b.After), slices.Index(severity, a.After)),
			cmp.Compare(b.RacksLost, a.RacksLost), cmp.Compare(b.RacksDegraded, a.RacksDegraded),
		)
	})
	return pairs, skipped
}

// shared lists the units that more than one rack hangs on, from the sources down.
func (d *drill) shared() []unitLoss {
	var list []unitLoss
	for _, u := range d.units() {
		if d.s.f.Power.Nodes[u.node].Kind != power.RackFeed || d.below[u.node] > 1 {
			list = append(list, u)
		}
	}
	return list
}

// both joins two losses that do not act on each other.
func both(a, b Failover) Failover {
	f := a
	f.Lost += " and " + b.Lost
	f.State, f.After = worse(a.State, b.State), worse(a.After, b.After)
	if b.WorstLoadShare > f.WorstLoadShare || math.IsNaN(f.WorstLoadShare) {
		f.WorstLoadShare, f.Worst = b.WorstLoadShare, b.Worst
	}
	f.Racks = max(a.Racks, b.Racks)
	f.RacksDegraded, f.RacksLost = max(a.RacksDegraded, b.RacksDegraded), max(a.RacksLost, b.RacksLost)
	f.DegradedTo = min(a.DegradedTo, b.DegradedTo)
	return f
}

// coolingTwice loses two units of one room, loop or plant.
func (s *site) coolingTwice() []Failover {
	fewer := *s.f
	sys := &fewer.Cooling
	sys.Rooms, sys.Loops = slices.Clone(sys.Rooms), slices.Clone(sys.Loops)
	for i := range sys.Rooms {
		sys.Rooms[i].Units--
	}
	for i := range sys.Loops {
		sys.Loops[i].CDUs--
	}
	t := *s
	t.f = &fewer
	var l Layout
	t.loseCooling(&l)
	twice := l.Failover[:min(len(l.Failover), len(sys.Rooms)+len(sys.Loops))] // plants keep their units
	for i := range twice {
		twice[i].Lost = "two units: " + twice[i].Lost
	}
	return twice
}

// Service is what taking one component out for service leaves, and the worst that a loss meanwhile does.
type Service struct {
	Out        string
	State      string // while it is out: "normal" or "redundancy lost" if it can be serviced at work
	ThenLost   string // the worst further loss, "" where none is worse
	ThenState  string
	RacksDown  int // lost or degraded then
	Concurrent bool
}

// Maintenance takes every shared component out for service, all its units, and then loses another one.
func Maintenance(l *Layout) []Service {
	s := siteOf(l)
	if s.elec == nil {
		return nil
	}
	d := newDrill(s, &Layout{})
	units := d.shared()
	if len(units) > maxService {
		units = units[:maxService]
	}
	list := make([]Service, 0, len(units))
	for _, out := range units {
		f := d.lose(out)
		sv := Service{Out: out.name, State: f.After, ThenState: f.After, Concurrent: slices.Index(severity, f.After) <= slices.Index(severity, RedundancyLost)}
		sv.RacksDown = f.RacksLost + f.RacksDegraded
		for _, u := range units {
			if u.node == out.node && s.f.Power.Nodes[u.node].Units < 2 {
				continue
			}
			next := d.lose(out, u)
			down := next.RacksLost + next.RacksDegraded
			if worse(sv.ThenState, next.After) != sv.ThenState || (next.After == sv.ThenState && down > sv.RacksDown) {
				sv.ThenLost, sv.ThenState, sv.RacksDown = u.name, next.After, down
			}
		}
		list = append(list, sv)
	}
	return list
}

const maxService = 600

// RackState is how one rack fares after a loss.
type RackState struct {
	Rack  int
	State string
	Share float64 // of its plan basis
}

// After loses units by the IDs of their nodes and returns the state of every rack, once overloaded survivors
// have tripped.
func After(l *Layout, ids ...string) ([]RackState, Failover, error) {
	s := siteOf(l)
	states := make([]RackState, len(s.racks))
	for i := range states {
		states[i] = RackState{Rack: i, State: Normal, Share: 1}
	}
	if s.elec == nil {
		return nil, Failover{}, fmt.Errorf("no power graph is stated")
	}
	d := newDrill(s, &Layout{})
	var lost []unitLoss
	for _, id := range ids {
		n, ok := s.f.Power.Index(id)
		if !ok {
			return nil, Failover{}, fmt.Errorf("no power node is called %q", id)
		}
		lost = append(lost, unitLoss{n, unitName(&s.f.Power.Nodes[n])})
	}
	d.keep = true
	f := d.lose(lost...)
	for i := range states {
		dead := false
		for _, n := range s.f.Racks[i].Feeds {
			dead = dead || !d.flow.Live[n]
		}
		if dead {
			states[i].State, states[i].Share = d.rackState(i)
		}
	}
	for _, n := range d.touched { // what still carries too much is shed alike by all below it
		if share := d.loadShare(n); share > 1+overTolerance && share > d.share[n] {
			for i := range s.racks {
				if slices.Contains(s.racks[i].path, int32(n)) {
					states[i].State = worse(states[i].State, Degraded)
					states[i].Share = min(states[i].Share, 1/share)
				}
			}
		}
	}
	return states, f, nil
}
