package placement

import (
	"math"

	"headroom/facility"
	"headroom/facility/power"
)

// dominator is a node in one case of the power graph, for the bound: everything in W, with all of the
// load below it going through it.
type dominator struct {
	live     bool
	sources  []int
	up       int     // node that all of this node's load goes through next, -1 beyond the graph
	estimate float64 // W carried when everything is as full as this bound lets it
	slope    float64 // input is at least slope × output + fixed
	fixed    float64
	low      float64 // watts at the output of up for one at this input, over the best and the worst way
	high     float64
	below    float64 // bound of servers below by what stands there
	load     float64 // W at the output whatever is placed, at least
	coef     float64 // W at the output for one W of servers, at least
}

// cut returns the bound by one case of the power graph, and the heat of its losses.
func (b *bounder) cut(wired []dominator) (servers float64, heat lossHeat) {
	ds, capW := b.ds, b.capW
	copy(ds, wired)
	b.estimate(ds, capW)
	b.bend(ds)

	free := 0.0 // servers that no single node holds
	for i := range b.racks {
		r := &b.f.Racks[i]
		at, low, _ := entry(ds, r.Feeds)
		if at < 0 {
			free += b.racks[i]
			continue
		}
		ds[at].below += b.racks[i]
		ds[at].load += low * float64(r.ReserveW)
		if b.racks[i] > 0 {
			ds[at].coef = min(ds[at].coef, low)
		}
	}
	steady := func(fed []int, w float64) {
		if at, low, _ := entry(ds, fed); at >= 0 {
			ds[at].load += low * w
		}
	}
	for _, m := range b.f.Mechanical {
		steady(m.Fed, float64(m.W))
	}
	steady(b.f.OtherFed, b.f.OtherW)

	for n := len(ds) - 1; n >= 0; n-- {
		d := &ds[n]
		if !d.live {
			continue
		}
		held := d.below
		if !math.IsInf(capW[n], 1) && d.below > 0 {
			held = min(held, b.fill((capW[n]-d.load)/d.coef, func(m *facility.Model) float64 { return float64(m.PlanW) }))
		}
		if d.up < 0 {
			free += held
			continue
		}
		u := &ds[d.up]
		u.below += held
		u.coef = min(u.coef, d.low*d.slope*d.coef)
		if in := d.slope*d.load + d.fixed; in > 0 {
			u.load += d.low * in
		} else {
			u.load += d.high * in
		}
	}
	return free, b.heat(ds)
}

// heat returns the least that the losses of distribution and rack circuits add to the rooms. Only nodes
// whose racks all stand in one room are counted, and only along racks that hang on one live feed.
func (b *bounder) heat(ds []dominator) lossHeat {
	const none, several = -1, -2
	g := b.f.Power
	h := lossHeat{perW: make([]float64, len(b.racks)), fixed: make([]float64, len(b.f.Cooling.Rooms))}
	room := make([]int, len(ds))
	for n := range room {
		room[n] = none
	}
	join := func(n, r int) {
		switch {
		case room[n] == none:
			room[n] = r
		case room[n] != r:
			room[n] = several
		}
	}
	for i := range b.racks {
		r := b.f.Racks[i].Room
		if r < 0 || r >= len(h.fixed) {
			r = several
		}
		for _, n := range b.f.Racks[i].Feeds {
			join(n, r)
		}
	}
	for n := len(ds) - 1; n >= 0; n-- {
		if room[n] != none {
			for _, p := range g.Parents(n) {
				join(p, room[n])
			}
		}
		kind := g.Nodes[n].Kind
		if !ds[n].live || ds[n].slope < 1 || (kind != power.Distribution && kind != power.RackFeed) {
			room[n] = none
		}
		if room[n] >= 0 {
			h.fixed[room[n]] += ds[n].fixed
		}
	}
	for i := range b.racks {
		live := 0
		at := none
		for _, n := range b.f.Racks[i].Feeds {
			if ds[n].live {
				live++
				at = n
			}
		}
		if live != 1 {
			continue
		}
		w := 1.0
		for ; at >= 0; at = ds[at].up {
			if room[at] >= 0 {
				h.perW[i] += (ds[at].slope - 1) * w
			}
			w *= ds[at].slope * ds[at].low
		}
	}
	return h
}

// nodeCapacities returns what each node may carry in W, +Inf where a rack's own circuit is judged with
// its rack. The power factor is that of Place: the worse of the node's and the ordered servers', except
// above a UPS.
func (b *bounder) nodeCapacities() []float64 {
	g := b.f.Power
	capW := make([]float64, len(g.Nodes))
	racks := make([]int, len(g.Nodes))
	for i := range b.f.Racks {
		for _, n := range b.f.Racks[i].Feeds {
			racks[n]++
		}
	}
	pf := 1.0
	for _, o := range b.f.Orders {
		if p := b.f.Models[o.Model].PF; p > 0 && p <= 1 {
			pf = min(pf, p)
		}
	}
	above := make([]bool, len(g.Nodes)) // stands above a UPS
	for n := len(g.Nodes) - 1; n >= 0; n-- {
		node := &g.Nodes[n]
		for _, c := range g.Children(n) {
			above[n] = above[n] || above[c] || g.Nodes[c].Kind == power.UPS
		}
		here := min(node.PF, pf)
		if above[n] {
			here = node.PF
		}
		capW[n] = float64(node.Units-node.Redundant) * node.RatingVA * node.Derate * here * (1 + 1e-12)
		if node.Kind == power.RackFeed && racks[n] == 1 {
			capW[n] = math.Inf(1)
		}
	}
	return capW
}

// usualFeeds is how many feeds of a load need no memory of their own.
const usualFeeds = 8

// wire finds what is live, what feeds what, and the dominators.
func (b *bounder) wire(ds []dominator, lost []int) {
	g := b.f.Power
	edges := 0
	for n := range ds {
		edges += len(g.Parents(n))
	}
	all := make([]int, 0, edges)
	for n := range ds {
		ds[n] = dominator{live: true, up: -1, coef: math.Inf(1)}
	}
	for _, n := range lost {
		ds[n].live = false
	}
	for n := range ds {
		d := &ds[n]
		if len(g.Parents(n)) == 0 {
			continue
		}
		first := len(all)
		for _, p := range g.Parents(n) {
			if d.live && ds[p].live {
				all = append(all, p)
				if g.Nodes[n].Transfer {
					break
				}
			}
		}
		d.sources = all[first:len(all):len(all)]
		if d.live = len(d.sources) > 0; d.live {
			d.up = meet(ds, d.sources)
		}
	}
}

// meet returns the lowest node that everything drawn from some nodes goes through, -1 if there is none.
func meet(ds []dominator, nodes []int) int {
	at := nodes[0]
	for _, n := range nodes[1:] {
		for at != n {
			if at < 0 || n < 0 {
				return -1
			}
			if at > n { // parents have the lower index
				at = ds[at].up
			} else {
				n = ds[n].up
			}
		}
	}
	return at
}

// estimate guesses what each node carries when full: where the tangent to its loss is taken.
func (b *bounder) estimate(ds []dominator, capW []float64) {
	put := func(nodes []int, w float64) {
		for _, n := range nodes {
			ds[n].estimate += w / float64(len(nodes))
		}
	}
	largest := 0.0
	for _, it := range b.items {
		largest = max(largest, float64(it.model.PlanW))
	}
	feed := func(fed []int, w float64) {
		var few [usualFeeds]int
		live := few[:0]
		for _, n := range fed {
			if ds[n].live {
				live = append(live, n)
			}
		}
		put(live, w)
	}
	for i := range b.racks {
		w := b.racks[i] * largest
		if p := b.f.Racks[i].PowerW; p != facility.NoLimit {
			w = min(w, float64(p))
		}
		feed(b.f.Racks[i].Feeds, w)
	}
	for _, m := range b.f.Mechanical {
		feed(m.Fed, float64(m.W))
	}
	for n := len(ds) - 1; n >= 0; n-- {
		ds[n].estimate = min(ds[n].estimate, capW[n])
		put(ds[n].sources, ds[n].estimate)
	}
}

// bend sets the tangents to the losses and what a watt becomes on its way to the dominator.
func (b *bounder) bend(ds []dominator) {
	g := b.f.Power
	standby := make([]bool, len(ds))
	for n := range ds {
		d, node := &ds[n], &g.Nodes[n]
		standby[n] = node.Kind == power.Generator
		for k, p := range g.Parents(n) {
			standby[n] = (standby[n] || k == 0) && standby[p]
		}
		best := math.Inf(-1)
		for _, units := range []int{node.Units, node.Units - node.Redundant} {
			rated := node.RatingVA * node.PF * float64(units)
			x := d.estimate / rated
			if loss := rated * node.Loss.At(x); loss > best {
				best = loss
				d.slope = 1 + node.Loss.B + 2*node.Loss.C*x
				d.fixed = rated * (node.Loss.A - node.Loss.C*x*x)
			}
		}
		if standby[n] {
			d.fixed = min(d.fixed, 0) // carries no load, has no loss
		}
		d.low, d.high = 1, 1
		if len(d.sources) > 0 {
			d.low, d.high = ways(ds, d.sources, d.up)
		}
	}
}

// ways returns what a watt drawn from some nodes becomes at the output of one they all go through,
// over the best and the worst way.
func ways(ds []dominator, from []int, to int) (low, high float64) {
	low, high = math.Inf(1), 0
	for _, n := range from {
		l, h := 1.0, 1.0
		for ; n != to && n >= 0; n = ds[n].up {
			l *= ds[n].slope * ds[n].low
			h *= ds[n].slope * ds[n].high
		}
		low, high = min(low, l), max(high, h)
	}
	return low, high
}

// entry returns the node that all of a load goes through, -1 if there is none, and what a watt of it is
// there.
func entry(ds []dominator, fed []int) (at int, low, high float64) {
	var few [usualFeeds]int
	live := few[:0]
	for _, n := range fed {
		if ds[n].live {
			live = append(live, n)
		}
	}
	if len(live) == 0 {
		return -1, 0, 0
	}
	at = meet(ds, live)
	low, high = ways(ds, live, at)
	return at, low, high
}
