package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/power"
)

// States after a loss.
const (
	Normal         = "normal"          // another loss would hold too
	RedundancyLost = "redundancy lost" // everything runs, and one more loss would not hold
	Degraded       = "degraded"        // something carries too much, or servers run with too few supplies
	Lost           = "lost"            // racks without power
	Unknown        = "unknown"         // a capacity is not stated
)

// contingencies loses every unit in turn and judges the claims.
func (s *site) contingencies(l *Layout) {
	if s.elec != nil {
		newDrill(s, l).run(l)
	} else if len(s.racks) > 0 {
		l.Warnings = append(l.Warnings, "not stated: the power graph; no failover is known")
	}
	s.loseCooling(l)
	s.claims(l)
}

// drill holds the plan-basis loads on the graph and loses one unit after the other.
type drill struct {
	s       *site
	flow    *power.Flow
	names   []string // of consumers: racks, then mechanical and other loads
	below   []int    // racks fed through each node
	racksAt [][]int32
	base    []int32 // nodes by their load share in normal service, highest first
	share   []float64
	stamp   []int // drill number in which a node was touched
}

func newDrill(s *site, l *Layout) *drill {
	g := s.f.Power
	d := &drill{s: s, below: make([]int, len(g.Nodes)), racksAt: make([][]int32, len(g.Nodes)), stamp: make([]int, len(g.Nodes))}
	var consumers []power.Consumer
	add := func(name string, fed []int, it bool) {
		d.names = append(d.names, name)
		consumers = append(consumers, power.Consumer{Name: name, Fed: fed, IT: it})
	}
	for i := range s.racks {
		add(s.f.Racks[i].ID, s.f.Racks[i].Feeds, true)
		for _, n := range s.racks[i].path {
			d.below[n]++
		}
		for _, n := range s.f.Racks[i].Feeds {
			d.racksAt[n] = append(d.racksAt[n], int32(i))
		}
	}
	for _, m := range s.f.Mechanical {
		add(m.Name, m.Fed, false)
	}
	add("other load", s.f.OtherFed, false)
	d.flow = g.NewFlow(consumers)
	for i := range s.racks {
		d.flow.Set(i, float64(s.racks[i].used.w+s.f.Racks[i].ReserveW))
	}
	for i, m := range s.f.Mechanical {
		d.flow.Set(len(s.racks)+i, float64(m.W))
	}
	d.flow.Set(len(d.names)-1, s.f.OtherW)
	l.DemandW = make([]int64, len(g.Nodes))
	d.share = make([]float64, len(g.Nodes))
	for n := range g.Nodes {
		l.DemandW[n] = ceilTo(d.flow.OutW[n], 1)
		d.share[n] = d.loadShare(n)
		d.base = append(d.base, int32(n))
	}
	slices.SortStableFunc(d.base, func(a, b int32) int { return cmp.Compare(d.share[b], d.share[a]) })
	return d
}

// loadShare is load over what the units that are up may carry, 0 for a node that is out.
func (d *drill) loadShare(n int) float64 {
	node := &d.s.f.Power.Nodes[n]
	if !d.flow.Live[n] {
		return 0
	}
	return d.flow.OutW[n] / (node.RatingVA * node.Derate * float64(d.flow.Up[n]) * d.s.elec.pf[n])
}

func (d *drill) run(l *Layout) {
	for n := range d.s.f.Power.Nodes {
		units := d.s.f.Power.Nodes[n].Units
		d.flow.SetUp(n, units-1)
		l.Failover = append(l.Failover, d.judge(n, n+1))
		d.flow.SetUp(n, units)
	}
}

// judge says what is left with one unit of node n lost.
func (d *drill) judge(n, number int) Failover {
	g, s := d.s.f.Power, d.s
	node := &g.Nodes[n]
	f := Failover{Lost: node.ID, WorstLoadShare: math.NaN(), State: RedundancyLost}
	if node.Units > 1 {
		f.Lost = fmt.Sprintf("%s, 1 of %d", node.ID, node.Units)
	}
	var over []int
	worst := func(k int, share float64) {
		if share > 0 && !(share <= f.WorstLoadShare) {
			f.WorstLoadShare, f.Worst = share, g.Nodes[k].ID
		}
	}
	for _, k := range d.flow.Changed {
		d.stamp[k] = number
		share := d.loadShare(k)
		worst(k, share)
		if share > 1+overTolerance && share > d.share[k] {
			over = append(over, k)
		}
	}
	for _, k := range d.base {
		if d.stamp[k] != number {
			worst(int(k), d.share[k])
			break
		}
	}
	if d.below[n] == 0 && len(g.Children(n)) == 0 {
		f.State = Normal // feeds nothing
	}
	if node.Units > 1 {
		if load, _ := s.elec.worst(n); wattsUp(load) <= float64(g.CapacityW(n, node.Units-2)) {
			f.State = Normal
		}
	}
	racks := d.rackStates(&f)
	for i := range s.f.Mechanical {
		if c := len(s.racks) + i; s.f.Mechanical[i].W > 0 && len(s.f.Mechanical[i].Fed) > 0 && !d.flow.Served(c) {
			f.State = worse(f.State, Degraded)
			f.Worst = d.names[c] + " without power"
		}
	}
	if len(over) > 0 {
		f.State = worse(f.State, Degraded)
	}
	switch {
	case f.State == Normal:
	case len(over) == 0:
		f.Racks = max(racks, d.below[n])
	default:
		f.Racks = s.racksThrough(append(over, n))
	}
	return f
}

// overTolerance forgives the rounding of loads to the step of power.Flow.
const overTolerance = 1e-9

// rackStates looks at the racks that have lost a feed, and returns how many there are.
func (d *drill) rackStates(f *Failover) int {
	s := d.s
	n := 0
	for _, k := range d.flow.Changed {
		if d.flow.Live[k] {
			continue
		}
		for _, i := range d.racksAt[k] {
			n++
			r := &s.f.Racks[i]
			if !d.flow.Served(int(i)) {
				f.State = worse(f.State, Lost)
				continue
			}
			for m, count := range s.racks[i].count {
				if count == 0 {
					continue
				}
				live := supplies(&s.f.Models[m], len(r.Feeds), func(j int) bool { return d.flow.Live[r.Feeds[j]] })
				f.State = worse(f.State, shortState(&s.f.Models[m], live))
			}
		}
	}
	return n
}

// supplies returns how many of a server's supplies have power: they are spread over its feeds, the
// first feeds taking the remainder.
func supplies(m *facility.Model, feeds int, live func(feed int) bool) int {
	n := int64(0)
	for j := range feeds {
		if live(j) {
			n += shareOf(int64(m.PSUs), int64(feeds), int64(j))
		}
	}
	return int(n)
}

// shortState is what a server does with so many supplies.
func shortState(m *facility.Model, live int) string {
	switch {
	case live >= m.PSUNeeded:
		return RedundancyLost
	case live == 0 || m.ShortRule == "off":
		return Lost
	}
	return Degraded
}

var severity = []string{Normal, Unknown, RedundancyLost, Degraded, Lost}

func worse(a, b string) string {
	if slices.Index(severity, b) > slices.Index(severity, a) {
		return b
	}
	return a
}

// racksThrough counts the racks that any of the nodes feeds.
func (s *site) racksThrough(nodes []int) int {
	n := 0
	for i := range s.racks {
		if slices.ContainsFunc(s.racks[i].path, func(p int32) bool { return slices.Contains(nodes, int(p)) }) {
			n++
		}
	}
	return n
}

// loseCooling loses one unit of every room, loop and plant.
func (s *site) loseCooling(l *Layout) {
	sys := &s.f.Cooling
	for i := range sys.Rooms {
		r := &sys.Rooms[i]
		l.Failover = append(l.Failover, s.losePool(&s.rooms[i], "air handler of "+r.Name, r.Units, func(units int) (float64, float64) {
			fans := float64(units) * positive(r.FanW)
			heat := wattsUp(s.rooms[i].usedQ+s.roomLoss(i)) + fans
			return share(heat, float64(units)*known(r.CapacityW)), share(float64(s.rooms[i].flowUsed), float64(units)*known(r.AirflowM3s)*1e6)
		}, func(k *rack) bool { return k.room == i }))
	}
	for i := range sys.Loops {
		p := &sys.Loops[i]
		l.Failover = append(l.Failover, s.losePool(&s.loops[i], "CDU of "+p.Name, p.CDUs, func(units int) (float64, float64) {
			heat := wattsUp(s.loops[i].usedQ) + float64(units)*positive(p.PumpW)
			return share(heat, float64(units)*known(p.CapacityW)), share(float64(s.loops[i].flowUsed), float64(units)*known(p.FlowLPM)*1000)
		}, func(k *rack) bool { return k.loop == i && k.used.liquidW > 0 }))
	}
	for i := range sys.Plants {
		if sys.Plants[i] == nil {
			continue
		}
		spec := sys.Plants[i].Spec()
		l.Failover = append(l.Failover, s.losePool(&s.plants[i], "unit of "+spec.Name, spec.Units, func(units int) (float64, float64) {
			heat := wattsUp(s.plants[i].usedQ + s.plants[i].fixedQ + s.plantLoss(i))
			return share(heat, plantCapacityW(s.f, i, units)), math.NaN()
		}, func(k *rack) bool {
			return (k.room != noIndex && s.rooms[k.room].plant == i) || (k.loop != noIndex && k.used.liquidW > 0 && s.loops[k.loop].plant == i)
		}))
	}
}

// losePool judges the loss of one of so many units; load tells heat and flow as shares of what a
// number of units can take, NaN where that is not stated.
func (s *site) losePool(p *pool, lost string, units int, load func(units int) (heat, flow float64), uses func(*rack) bool) Failover {
	f := Failover{Lost: lost, WorstLoadShare: math.NaN()}
	highest := func(units int) float64 {
		heat, flow := load(max(units, 0))
		if math.IsNaN(heat) || flow > heat {
			return flow
		}
		return heat
	}
	now := highest(units - 1)
	switch next := highest(units - 2); {
	case math.IsNaN(now):
		f.State = Unknown
	case now > 1+overTolerance:
		f.State = Degraded
	case next <= 1+overTolerance:
		f.State = Normal
	default:
		f.State = RedundancyLost
	}
	if !math.IsInf(now, 0) && !math.IsNaN(now) {
		f.WorstLoadShare, f.Worst = now, p.name
	}
	if f.State != Normal {
		for i := range s.racks {
			if uses(&s.racks[i]) {
				f.Racks++
			}
		}
	}
	return f
}

// share is load over capacity: NaN where the capacity is not stated, 0 where nothing is asked.
func share(load, capacity float64) float64 {
	switch {
	case math.IsNaN(capacity):
		return capacity
	case load <= 0:
		return 0
	case capacity <= 0:
		return math.Inf(1)
	}
	return load / capacity
}

// known returns a capacity, NaN where it is not stated.
func known(x float64) float64 {
	if x > 0 && !math.IsInf(x, 0) {
		return x
	}
	return math.NaN()
}

func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return 0
}
