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
	number  int
	touched []int
	out     []int      // nodes to put back
	keep    bool       // the state after the loss is looked at: nothing is put back
	worst   []NodeLoad // filled while single losses run
	legs    *drillLegs // nil where every load is even over the lines

	rackStamp  []int
	rackNumber int
}

func newDrill(s *site, l *Layout) *drill {
	g := s.f.Power
	d := &drill{s: s, below: make([]int, len(g.Nodes)), racksAt: make([][]int32, len(g.Nodes)), stamp: make([]int, len(g.Nodes)), rackStamp: make([]int, len(s.racks))}
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
	d.legs = newDrillLegs(d)
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

// loadShare is load over what the units that are up may carry, or that of the fullest line where it is more; 0 for a
// node that is out.
func (d *drill) loadShare(n int) float64 {
	node := &d.s.f.Power.Nodes[n]
	if !d.flow.Live[n] {
		return 0
	}
	capacityW := node.RatingVA * node.Derate * float64(d.flow.Up[n]) * d.s.elec.pf[n]
	return max(d.flow.OutW[n]/capacityW, d.legShare(n, capacityW))
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
		d.rackStates(&after)
		var over []int
		for _, k := range d.touched {
			share := d.loadShare(k)
			if share > 1+overTolerance && share > d.share[k] {
				after.State, after.DegradedTo = worse(after.State, Degraded), min(after.DegradedTo, 1/share)
				over = append(over, k)
			}
			d.note(k, share, f.Lost)
		}
		f.After = after.State
		if len(over) > 0 {
			after.RacksDegraded = max(after.RacksDegraded, d.s.racksThrough(over)-after.RacksLost)
		}
		f.RacksLost, f.RacksDegraded, f.DegradedTo = after.RacksLost, after.RacksDegraded, after.DegradedTo
	}
	if !d.keep {
		for _, n := range d.out {
			d.flow.SetUp(n, g.Nodes[n].Units)
		}
		d.out = d.out[:0]
		if d.legs != nil {
			for _, n := range d.touched {
				d.legs.now[n] = d.legs.base[n]
			}
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
		d.worst[k].WorstShare, d.worst[k].WorstW, d.worst[k].WorstLost = share, ceilTo(d.flow.OutW[k], 1), lost
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
	below := 0
	if len(lost) == 1 {
		n := lost[0].node
		node := &g.Nodes[n]
		below = d.below[n]
		if d.below[n] == 0 && len(g.Children(n)) == 0 {
			f.State = Normal // feeds nothing
		}
		if node.Units > 1 {
			if load, _ := s.elec.worst(n); wattsUp(load) <= float64(g.CapacityW(n, node.Units-2)) {
				f.State = Normal
			}
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
		f.DegradedTo = min(f.DegradedTo, 1/f.WorstLoadShare)
	}
	switch {
	case f.State == Normal:
	case len(over) == 0:
		f.Racks = max(racks, below)
	default:
		nodes := over
		for _, u := range lost {
			nodes = append(nodes, u.node)
		}
		f.Racks = s.racksThrough(nodes)
		f.RacksDegraded = max(f.RacksDegraded, s.racksThrough(over)-f.RacksLost)
	}
	return f
}

// overTolerance forgives the rounding of loads to the step of power.Flow.
const overTolerance = 1e-9

// rackStates looks at the racks that have lost a feed, and returns how many there are.
func (d *drill) rackStates(f *Failover) int {
	n := 0
	f.DegradedTo = 1
	d.rackNumber++
	for _, k := range d.touched {
		if d.flow.Live[k] {
			continue
		}
		for _, i := range d.racksAt[k] {
			if d.rackStamp[i] == d.rackNumber {
				continue
			}
			d.rackStamp[i] = d.rackNumber
			n++
			state, share := d.rackState(int(i))
			f.State = worse(f.State, state)
			switch state {
			case Lost:
				f.RacksLost++
			case Degraded:
				f.RacksDegraded++
				f.DegradedTo = min(f.DegradedTo, share)
			}
		}
	}
	return n
}

// rackState says how a rack with dead feeds fares, and with what share of its plan basis.
func (d *drill) rackState(i int) (state string, share float64) {
	s := d.s
	r := &s.f.Racks[i]
	if !d.flow.Served(i) {
		return Lost, 0
	}
	state, share = RedundancyLost, 1
	for m, count := range s.racks[i].count {
		if count == 0 {
			continue
		}
		model := &s.f.Models[m]
		live := supplies(model, len(r.Feeds), func(j int) bool { return d.flow.Live[r.Feeds[j]] })
		state = worse(state, shortState(model, live))
		share = min(share, shortShare(model, live))
	}
	return state, share
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

// shortShare is the share of its plan basis that a server may draw with so many supplies: what its firmware
// allows, and no more than the supplies give (their rating is output).
func shortShare(m *facility.Model, live int) float64 {
	switch shortState(m, live) {
	case Lost:
		return 0
	case RedundancyLost:
		return 1
	}
	limitW := float64(live) * m.PSURatingW
	if len(m.PSULoad) > 0 && len(m.PSUEff) > 0 {
		limitW /= m.Efficiency(limitW, live)
	}
	if m.ShortCap > 0 {
		limitW = min(limitW, m.ShortCap*float64(m.NameplateW))
	}
	return min(1, limitW/float64(m.PlanW))
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
	f := Failover{Lost: lost, WorstLoadShare: math.NaN(), DegradedTo: 1}
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
	if f.State == Degraded {
		f.RacksDegraded, f.DegradedTo = f.Racks, 1/now
	}
	f.After = f.State
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
