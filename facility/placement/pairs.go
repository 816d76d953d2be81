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
	cooling := s.loseCooling(1)
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
			one := d.loseListed(a)
			for _, c := range cooling {
				pairs = append(pairs, s.both(one, c))
			}
		}
	}
	for i, a := range cooling {
		for _, b := range cooling[i+1:] {
			pairs = append(pairs, s.both(a, b))
		}
	}
	for _, twice := range s.loseCooling(2) {
		twice.Fates = nil
		pairs = append(pairs, twice)
	}
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
		if d.s.f.Power.Nodes[u.node].Kind != power.RackFeed || len(d.racksBelow[u.node]) > 1 {
			list = append(list, u)
		}
	}
	return list
}

// both joins two losses that do not act on each other.
func (s *site) both(a, b Failover) Failover {
	f := a
	f.Lost += " and " + b.Lost
	if b.WorstLoadShare > f.WorstLoadShare || math.IsNaN(f.WorstLoadShare) {
		f.WorstLoadShare, f.Worst = b.WorstLoadShare, b.Worst
	}
	var x fates
	x.init(len(s.racks))
	x.begin()
	for _, list := range [][]RackFate{a.Fates, b.Fates} {
		for _, r := range list {
			x.mark(r.Rack, r.State, r.Share)
		}
	}
	x.count(&f)
	f.State, f.After = worse(a.State, b.State), worse(a.After, b.After)
	f.Fates = nil
	return f
}

// loseListed is lose with the racks that are not normal.
func (d *drill) loseListed(lost ...unitLoss) Failover {
	f := d.lose(lost...)
	f.Fates = d.fates.list()
	return f
}

// Service is what taking one unit of a component out for service leaves, and the worst that a loss meanwhile does.
type Service struct {
	Out        string
	State      string // while it is out: "normal" or "redundancy lost" if it can be serviced at work
	ThenLost   string // the worst further loss, "" where none is worse
	ThenState  string
	RacksDown  int // lost or degraded then
	Concurrent bool
}

func newService(f Failover) Service {
	return Service{
		Out: f.Lost, State: f.After, ThenState: f.After, RacksDown: f.RacksLost + f.RacksDegraded,
		Concurrent: slices.Index(severity, f.After) <= slices.Index(severity, RedundancyLost) && f.After != Unknown,
	}
}

// meanwhile takes note of a further loss.
func (sv *Service) meanwhile(lost string, f Failover) {
	down := f.RacksLost + f.RacksDegraded
	if worse(sv.ThenState, f.After) != sv.ThenState || (f.After == sv.ThenState && down > sv.RacksDown) {
		sv.ThenLost, sv.ThenState, sv.RacksDown = lost, f.After, down
	}
}

// Maintenance takes one unit of every shared component of the electrical graph and of the cooling out for service,
// and then loses another one of either.
func Maintenance(l *Layout) []Service {
	s := siteOf(l)
	var list []Service
	cooling, twice := s.loseCooling(1), s.loseCooling(2)
	var ones []Failover // of the electrical units
	if s.elec != nil {
		d := newDrill(s, &Layout{})
		units := d.shared()
		if len(units) > maxService {
			units = units[:maxService]
		}
		for _, out := range units {
			f := d.loseListed(out)
			ones = append(ones, f)
			sv := newService(f)
			for _, u := range units {
				if u.node == out.node && s.f.Power.Nodes[u.node].Units < 2 {
					continue
				}
				sv.meanwhile(u.name, d.lose(out, u))
			}
			for _, c := range cooling {
				sv.meanwhile(c.Lost, s.both(f, c))
			}
			list = append(list, sv)
		}
	}
	for i, out := range cooling {
		sv := newService(out)
		for k, c := range cooling {
			if k == i {
				sv.meanwhile("another", twice[i])
			} else {
				sv.meanwhile(c.Lost, s.both(out, c))
			}
		}
		for _, one := range ones {
			sv.meanwhile(one.Lost, s.both(out, one))
		}
		list = append(list, sv)
	}
	return list
}

const maxService = 600

// After loses units by the IDs of their nodes and returns how every rack fares, once overloaded survivors have
// tripped.
func After(l *Layout, ids ...string) ([]RackFate, Failover, error) {
	s := siteOf(l)
	all := make([]RackFate, len(s.racks))
	for i := range all {
		all[i] = RackFate{Rack: i, State: Normal, Share: 1}
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
	f := d.loseListed(lost...)
	for _, r := range f.Fates {
		all[r.Rack] = r
	}
	return all, f, nil
}
