package placement

import (
	"math"
	"slices"

	"headroom/facility/power"
)

// electrical rolls the loads up the graph in every case that the scenario claims to survive: normal
// service, each side lost, and each source lost that a transfer switch stands ready to replace. In
// all of them a node is held to what it may carry without its redundant units.
type electrical struct {
	g     *power.Graph
	pf    []float64 // power factor of the load behind a node, see judge
	capQ  []int64   // noLimit where the node is judged elsewhere (a rack's own circuit)
	curve []curve
	room  []int32 // room that a node's losses heat, noIndex none
	cases []lossCase
	dQ    []int64 // changes on their way up
	rises bool    // see risesOnly

	phased bool    // some load is not even over the lines: legs are followed
	dLeg   []legs6 // changes of the legs on their way up
}

// curve is a node's loss as a + b·out + c·out² in quanta, with all units and without the redundant
// ones; the greater counts.
type curve struct {
	all, fewer [3]float64
	standby    bool // fed by generators alone: no loss while it carries nothing
}

// lossCase is the graph after one loss.
type lossCase struct {
	name     string
	live     []bool
	first    []int32 // in sources
	count    []int32 // live sources that share the load
	sources  []int32
	out, in  []int64 // quanta
	leg      []legs6 // of out, where legs are followed
	legIn    []legs6
	roomLoss []int64 // by room, quanta
}

func newElectrical(s *site) *electrical {
	g := s.f.Power
	n := len(g.Nodes)
	e := &electrical{g: g, pf: make([]float64, n), capQ: make([]int64, n), curve: make([]curve, n), room: make([]int32, n), dQ: make([]int64, n), phased: s.phased}
	if e.phased {
		e.dLeg = make([]legs6, n)
	}
	e.judge(s)
	e.placeNodes(s)
	e.rises = true
	for n := range e.curve {
		if c := &e.curve[n]; e.room[n] != noIndex && (c.all[1] < 0 || c.fewer[1] < 0 || c.all[2] < 0 || c.fewer[2] < 0) {
			e.rises = false
		}
	}
	for _, lost := range claimedLosses(g) {
		e.cases = append(e.cases, e.newCase(lost.name, lost.nodes, len(s.rooms)))
	}
	e.findPaths(s)
	for _, m := range s.f.Mechanical {
		e.addLoad(m.Fed, m.W*quanta)
	}
	e.addLoad(s.f.OtherFed, ceilTo(s.f.OtherW, 1)*quanta)
	return e
}

// judge sets capacities and loss curves. The power factor of the load behind a node is the worse of
// what is stated and what the ordered servers have; above a UPS what is stated holds, for there the
// rectifier sets it.
func (e *electrical) judge(s *site) {
	serverPF := 1.0
	for _, o := range s.f.Orders {
		serverPF = min(serverPF, powerFactor(s.f.Models[o.Model].PF, 1))
	}
	own := make([]int, len(e.g.Nodes)) // racks whose own circuit this is
	for i := range s.f.Racks {
		for _, n := range s.f.Racks[i].Feeds {
			own[n]++
		}
	}
	aboveUPS := make([]bool, len(e.g.Nodes))
	for i := len(e.g.Nodes) - 1; i >= 0; i-- {
		node := &e.g.Nodes[i]
		for _, p := range e.g.Parents(i) {
			aboveUPS[p] = aboveUPS[p] || aboveUPS[i] || node.Kind == power.UPS
		}
		pf := node.PF
		if !aboveUPS[i] {
			pf = min(pf, serverPF)
		}
		e.pf[i] = pf
		units := node.Units - node.Redundant
		e.capQ[i] = e.capacityW(i) * quanta
		if node.Kind == power.RackFeed && own[i] == 1 {
			e.capQ[i] = noLimit
		}
		at := func(units int) [3]float64 {
			rated := node.RatingVA * node.PF * float64(units) * quanta
			return [3]float64{node.Loss.A * rated, node.Loss.B, node.Loss.C / rated}
		}
		e.curve[i].all, e.curve[i].fewer = at(node.Units), at(units)
	}
	for i := range e.g.Nodes {
		standby := e.g.Nodes[i].Kind == power.Generator
		if parents := e.g.Parents(i); len(parents) > 0 {
			standby = true
			for _, p := range parents {
				standby = standby && e.curve[p].standby
			}
		}
		e.curve[i].standby = standby
	}
}

// capacityW is what a node may carry without its redundant units, rounded down.
func (e *electrical) capacityW(n int) int64 {
	node := &e.g.Nodes[n]
	return floorTo(node.RatingVA*float64(node.Units-node.Redundant)*node.Derate*e.pf[n], 1)
}

// placeNodes finds the room that each node's losses heat: that of the first rack it feeds, for
// distribution and rack circuits. What stands further up has a room of its own.
func (e *electrical) placeNodes(s *site) {
	first := make([]int, len(e.room)) // rack
	for i := range first {
		first[i] = len(s.racks)
	}
	for i := range s.f.Racks {
		for _, n := range s.f.Racks[i].Feeds {
			first[n] = min(first[n], i)
		}
	}
	for i := len(e.room) - 1; i >= 0; i-- {
		for _, p := range e.g.Parents(i) {
			first[p] = min(first[p], first[i])
		}
		e.room[i] = noIndex
		if kind := e.g.Nodes[i].Kind; (kind == power.Distribution || kind == power.RackFeed) && first[i] < len(s.racks) {
			e.room[i] = int32(s.racks[first[i]].room)
		}
	}
}

// findPaths lists for every rack the nodes its load goes through.
func (e *electrical) findPaths(s *site) {
	above := make([][]int32, len(e.g.Nodes)) // of feeds that are shared or stand in the middle, kept
	ancestors := func(n int) []int32 {
		if above[n] == nil {
			for _, a := range e.g.Ancestors(n) {
				above[n] = append(above[n], int32(a))
			}
		}
		return above[n]
	}
	for i := range s.racks {
		r := &s.racks[i]
		for _, n := range s.f.Racks[i].Feeds {
			r.path = append(r.path, int32(n))
			for _, p := range e.g.Parents(n) {
				r.path = append(r.path, ancestors(p)...)
			}
		}
		slices.SortFunc(r.path, func(a, b int32) int { return int(b - a) })
		r.path = slices.Compact(r.path)
		for _, n := range r.path {
			if room := e.room[n]; room != noIndex && !slices.Contains(r.rooms, room) {
				r.rooms = append(r.rooms, room)
			}
		}
	}
}

// claimedLoss is a loss that the scenario claims to survive.
type claimedLoss struct {
	name  string
	nodes []int
}

// claimedLosses returns normal service first, then each side if there are several, then each first
// source of a transfer switch that belongs to no side.
func claimedLosses(g *power.Graph) []claimedLoss {
	losses := []claimedLoss{{name: "normal service"}}
	var sides []string
	for i := range g.Nodes {
		if side := g.Nodes[i].Side; side != "" && !slices.Contains(sides, side) {
			sides = append(sides, side)
		}
	}
	if len(sides) > 1 {
		for _, side := range sides {
			l := claimedLoss{name: "side " + side + " lost"}
			for i := range g.Nodes {
				if g.Nodes[i].Side == side {
					l.nodes = append(l.nodes, i)
				}
			}
			losses = append(losses, l)
		}
	}
	seen := map[int]bool{}
	for i := range g.Nodes {
		if parents := g.Parents(i); g.Nodes[i].Transfer && len(parents) > 1 {
			if first := parents[0]; !seen[first] && (g.Nodes[first].Side == "" || len(sides) < 2) {
				seen[first] = true
				losses = append(losses, claimedLoss{name: g.Nodes[first].ID + " lost", nodes: []int{first}})
			}
		}
	}
	return losses
}

func (e *electrical) newCase(name string, lost []int, rooms int) lossCase {
	n := len(e.g.Nodes)
	c := lossCase{
		name: name, live: make([]bool, n), first: make([]int32, n), count: make([]int32, n),
		out: make([]int64, n), in: make([]int64, n), roomLoss: make([]int64, rooms),
	}
	if e.phased {
		c.leg, c.legIn = make([]legs6, n), make([]legs6, n)
	}
	for i := range n {
		c.live[i] = true
	}
	for _, i := range lost {
		c.live[i] = false
	}
	for i := range n {
		c.first[i] = int32(len(c.sources))
		parents := e.g.Parents(i)
		if len(parents) == 0 {
			continue
		}
		for _, p := range parents {
			if c.live[i] && c.live[p] && !(e.g.Nodes[i].Transfer && c.count[i] == 1) {
				c.sources = append(c.sources, int32(p))
				c.count[i]++
			}
		}
		c.live[i] = c.count[i] > 0
	}
	for i := n - 1; i >= 0; i-- { // no-load losses
		e.refresh(&c, int32(i))
	}
	return c
}

// loss returns a node's loss at an output, rounded up, in quanta.
func (e *electrical) loss(n int32, out int64) int64 {
	cv := &e.curve[n]
	if out == 0 && cv.standby {
		return 0
	}
	x := float64(out)
	return int64(math.Ceil(max(cv.all[0]+x*(cv.all[1]+x*cv.all[2]), cv.fewer[0]+x*(cv.fewer[1]+x*cv.fewer[2]))))
}

// shareOf returns the part that the j-th of k takes; the remainder goes to the first.
func shareOf(total, k, j int64) int64 {
	q := total / k
	if j < total-q*k {
		q++
	}
	return q
}

// refresh brings a node up to date with its pending change and passes it on.
func (e *electrical) refresh(c *lossCase, n int32) {
	c.out[n] += e.dQ[n]
	e.dQ[n] = 0
	if !c.live[n] {
		if e.phased {
			e.refreshLegs(c, n, 0)
		}
		return
	}
	loss := e.loss(n, c.out[n])
	oldIn := c.in[n]
	c.in[n] = c.out[n] + loss
	if room := e.room[n]; room != noIndex {
		c.roomLoss[room] += loss
	}
	k := int64(c.count[n])
	for j := range k {
		e.dQ[c.sources[int64(c.first[n])+j]] += shareOf(c.in[n], k, j) - shareOf(oldIn, k, j)
	}
	if e.phased {
		e.refreshLegs(c, n, oldIn)
	}
}

// addLoad adds a steady load in every case.
func (e *electrical) addLoad(fed []int, q int64) {
	for ci := range e.cases {
		c := &e.cases[ci]
		if e.push(c, fed, 0, q, nil, nil) {
			for n := len(e.g.Nodes) - 1; n >= 0; n-- {
				e.update(c, int32(n))
			}
		}
	}
}

// push puts the change of a load on its live feeds and says whether there are any. Legs are what it would put on
// each feed alone, nil for a load that is even.
func (e *electrical) push(c *lossCase, fed []int, oldQ, newQ int64, oldLegs, newLegs []legs6) bool {
	k := int64(0)
	for _, n := range fed {
		if c.live[n] {
			k++
		}
	}
	j := int64(0)
	for i, n := range fed {
		if c.live[n] {
			was, now := shareOf(oldQ, k, j), shareOf(newQ, k, j)
			e.dQ[n] += now - was
			switch {
			case !e.phased:
			case newLegs == nil:
				e.pushLegs(n, evenLegs(was), evenLegs(now))
			default:
				e.pushLegs(n, oldLegs[i].scaled(was), newLegs[i].scaled(now))
			}
			j++
		}
	}
	return k > 0
}

// update is refresh for a node that is up to date but for its pending change.
func (e *electrical) update(c *lossCase, n int32) {
	if e.dQ[n] == 0 {
		return
	}
	if room := e.room[n]; room != noIndex {
		c.roomLoss[room] -= c.in[n] - c.out[n]
	}
	e.refresh(c, n)
}

// addRack changes a rack's load in every case.
func (e *electrical) addRack(r *rack, fed []int, oldQ, newQ int64, oldLegs, newLegs []legs6) {
	for ci := range e.cases {
		c := &e.cases[ci]
		if e.push(c, fed, oldQ, newQ, oldLegs, newLegs) {
			for _, n := range r.path {
				e.update(c, n)
			}
		}
	}
}

// worst returns the highest load of a node over all cases, in quanta, and the case.
func (e *electrical) worst(n int) (int64, *lossCase) {
	w := &e.cases[0]
	for ci := range e.cases {
		if c := &e.cases[ci]; c.out[n] > w.out[n] {
			w = c
		}
	}
	return w.out[n], w
}
