package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
	l.Failover = append(l.Failover, s.loseCooling(1)...)
	s.claims(l)
}

// drill holds the plan-basis loads on the graph and loses one unit after the other.
type drill struct {
	s       *site
	flow    *power.Flow
	names   []string // of consumers: racks, then mechanical and other loads
	racksAt [][]int32
	base    []int32 // nodes by their load share in normal service, highest first
	share   []float64
	stamp   []int // drill number in which a node was touched
	number  int
	touched []int
	out     []int      // nodes to put back
	worst   []NodeLoad // filled while single losses run
	legs    *drillLegs // nil where every load is even over the lines

	racksBelow [][]int32
	fates      fates
}

func newDrill(s *site, l *Layout) *drill {
	g := s.f.Power
	d := &drill{s: s, racksAt: make([][]int32, len(g.Nodes)), stamp: make([]int, len(g.Nodes)), racksBelow: make([][]int32, len(g.Nodes))}
	d.fates.init(len(s.racks))
	var consumers []power.Consumer
	add := func(name string, fed []int, it bool) {
		d.names = append(d.names, name)
		consumers = append(consumers, power.Consumer{Name: name, Fed: fed, IT: it})
	}
	for i := range s.racks {
		add(s.f.Racks[i].ID, s.f.Racks[i].Feeds, true)
		for _, n := range s.racks[i].path {
			d.racksBelow[n] = append(d.racksBelow[n], int32(i))
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
	d.legs = newDrillLegs(d)
	l.DemandW = make([]int64, len(g.Nodes))
	d.share = make([]float64, len(g.Nodes))
	for n := range g.Nodes {
		l.DemandW[n] = ceilTo(d.flow.OutW(n), 1)
		d.share[n] = d.loadShare(n)
		d.base = append(d.base, int32(n))
	}
	slices.SortStableFunc(d.base, func(a, b int32) int { return cmp.Compare(d.share[b], d.share[a]) })
	return d
}

// loadShare is load over what the units that are up may carry, or that of the fullest line where it is more; 0 for a
// node that is out.
func (d *drill) loadShare(n int) float64 {
	node := &d.s.f.Power.Nodes[n]
	if !d.flow.Live[n] {
		return 0
	}
	capacityW := node.RatingVA * node.Derate * float64(d.flow.Up[n]) * d.s.elec.pf[n]
	return max(d.flow.OutW(n)/capacityW, d.legShare(n, capacityW))
}

// unitLoss is one unit of a node.
type unitLoss struct {
	node int
	name string
}

// units lists everything of the graph that can be lost by itself, unit by unit where units are alike once.
func (d *drill) units() []unitLoss {
	g := d.s.f.Power
	list := make([]unitLoss, len(g.Nodes))
	for n := range g.Nodes {
		list[n] = unitLoss{n, unitName(&g.Nodes[n])}
	}
	return list
}

func unitName(node *power.Node) string {
	if node.Units > 1 {
		return fmt.Sprintf("%s, 1 of %d", node.ID, node.Units)
	}
	return node.ID
}

func (d *drill) run(l *Layout) {
	l.Loads = make([]NodeLoad, len(d.share))
	for n := range l.Loads {
		node := &d.s.f.Power.Nodes[n]
		full := node.RatingVA * node.Derate * float64(node.Units) * d.s.elec.pf[n]
		l.Loads[n] = NodeLoad{
			NormalW: l.DemandW[n], WorstW: l.DemandW[n], CapacityW: floorTo(full, 1),
			NormalShare: d.share[n], WorstShare: d.share[n],
		}
		d.s.nodeLegs(n, &l.Loads[n])
	}
	d.worst = l.Loads
	for _, u := range d.units() {
		l.Failover = append(l.Failover, d.lose(u))
	}
	d.worst = nil
}

// lose takes units out, judges what is left, lets overloaded survivors trip, and puts all back.
func (d *drill) lose(lost ...unitLoss) Failover {
	g := d.s.f.Power
	d.number++
	d.touched = d.touched[:0]
	for _, u := range lost {
		d.setUp(u.node, d.flow.Up[u.node]-1)
	}
	d.followLegs()
	f := d.judge(lost)
	f.After = f.State
	for range g.Nodes {
		n := d.overRating()
		if n == noIndex {
			break
		}
		f.Trips = append(f.Trips, g.Nodes[n].ID)
		d.setUp(n, 0)
		d.followLegs()
	}
	if len(f.Trips) > 0 {
		after := Failover{State: RedundancyLost}
		d.fates.begin()
		d.deadRacks()
		for _, k := range d.touched {
			share := d.loadShare(k)
			if share > 1+overTolerance && share > d.share[k] {
				after.State = worse(after.State, Degraded)
				d.fates.markAll(d.racksBelow[k], Degraded, 1/share)
			}
			d.note(k, share, f.Lost)
		}
		d.darkCooling(nil)
		for _, u := range lost {
			d.fates.markAll(d.racksBelow[u.node], RedundancyLost, 1)
		}
		d.fates.count(&after)
		f.After = after.State
		f.Racks, f.RacksLost, f.RacksDegraded, f.DegradedTo = after.Racks, after.RacksLost, after.RacksDegraded, after.DegradedTo
	}
	if d.worst != nil {
		f.Fates = d.fates.list()
	}
	for _, n := range d.out {
		d.flow.SetUp(n, g.Nodes[n].Units)
	}
	d.out = d.out[:0]
	if d.legs != nil {
		for _, n := range d.touched {
			d.legs.now[n] = d.legs.base[n]
		}
	}
	return f
}

func (d *drill) setUp(n, units int) {
	d.flow.SetUp(n, units)
	d.out = append(d.out, n)
	for _, k := range d.flow.Changed {
		if d.stamp[k] != d.number {
			d.stamp[k] = d.number
			d.touched = append(d.touched, k)
		}
	}
}

// note keeps the worst that a node carries after a single loss.
func (d *drill) note(k int, share float64, lost string) {
	if d.worst != nil && share > d.worst[k].WorstShare {
		d.worst[k].WorstShare, d.worst[k].WorstW, d.worst[k].WorstLost = share, ceilTo(d.flow.OutW(k), 1), lost
	}
}

// overRating returns the survivor that carries most above its rating, derating aside, noIndex if none
// does that did not before.
func (d *drill) overRating() int {
	at, most := noIndex, 1+overTolerance
	for _, n := range d.touched {
		if !d.flow.Live[n] {
			continue
		}
		if share := d.loadShare(n) * d.s.f.Power.Nodes[n].Derate; share > most && d.loadShare(n) > d.share[n] {
			at, most = n, share
		}
	}
	return at
}

// judge says what is left with the units lost.
func (d *drill) judge(lost []unitLoss) Failover {
	g, s := d.s.f.Power, d.s
	f := Failover{Lost: lost[0].name, WorstLoadShare: math.NaN(), State: RedundancyLost, DegradedTo: 1}
	for _, u := range lost[1:] {
		f.Lost += " and " + u.name
	}
	var over []int
	worst := func(k int, share float64) {
		if share > 0 && !(share <= f.WorstLoadShare) {
			f.WorstLoadShare, f.Worst = share, g.Nodes[k].ID
		}
	}
	for _, k := range d.touched {
		share := d.loadShare(k)
		worst(k, share)
		if share > 1+overTolerance && share > d.share[k] {
			over = append(over, k)
		}
		d.note(k, share, f.Lost)
	}
	for _, k := range d.base {
		if d.stamp[k] != d.number {
			worst(int(k), d.share[k])
			break
		}
	}
	if len(lost) == 1 {
		n := lost[0].node
		node := &g.Nodes[n]
		if len(d.racksBelow[n]) == 0 && len(g.Children(n)) == 0 {
			f.State = Normal // feeds nothing
		}
		if node.Units > 1 {
			if load, _ := s.elec.worst(n); wattsUp(load) <= float64(g.CapacityW(n, node.Units-2)) {
				f.State = Normal
			}
		}
	}
	d.fates.begin()
	if f.State != Normal {
		for _, u := range lost {
			d.fates.markAll(d.racksBelow[u.node], RedundancyLost, 1)
		}
	}
	d.deadRacks()
	d.darkCooling(&f)
	for _, k := range over {
		f.State = worse(f.State, Degraded)
		d.fates.markAll(d.racksBelow[k], Degraded, 1/d.loadShare(k))
	}
	d.fates.count(&f)
	return f
}

// darkCooling marks the racks whose cooling has no power: without it their servers stop within minutes.
func (d *drill) darkCooling(f *Failover) {
	s := d.s
	for i, m := range s.f.Mechanical {
		if c := len(s.racks) + i; m.W > 0 && len(m.Fed) > 0 && !d.flow.Served(c) {
			if f != nil {
				f.State = worse(f.State, Degraded)
				f.Worst = d.names[c] + " without power"
			}
			if p := s.poolNamed(m.Name); p != nil {
				d.fates.markAll(s.cooledBy(p), Lost, 0)
			}
		}
	}
}

// overTolerance forgives the rounding of loads to the step of power.Flow.
const overTolerance = 1e-9
