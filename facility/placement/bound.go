package placement

import (
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// Bound returns a number of servers that no placement of the orders can exceed. It relaxes the problem
// cut by cut and shares no code with the placement beyond the list of losses that are claimed:
//
//   - a rack, room, loop, plant or power node holds no more servers than a fractional fill with the
//     smallest ones ordered;
//   - what stands below a node is bounded by the sum of the bounds below and by the node itself, in
//     every claimed loss. Below means dominated: all of the rack's load goes through the node, over
//     whichever feeds;
//   - conversion loss, convex in the load, is bounded from below by a tangent.
//
// For one model and capacities in a tree without losses it is the optimum itself.
func Bound(f *facility.Facility) int { return boundWithin(f, kindsOf(f), newBoundCases(f)) }

// boundCases are the cases of the power graph, wired: what is live and what feeds what is the same whatever is asked.
type boundCases struct {
	losses []claimedLoss
	wired  [][]dominator
}

func newBoundCases(f *facility.Facility) *boundCases {
	c := &boundCases{losses: []claimedLoss{{}}}
	if f.Power == nil || len(f.Power.Nodes) == 0 {
		return c
	}
	c.losses = claimedLosses(f.Power)
	b := bounder{f: f}
	for _, lost := range c.losses {
		ds := make([]dominator, len(f.Power.Nodes))
		b.wire(ds, lost.nodes)
		c.wired = append(c.wired, ds)
	}
	return c
}

// boundWithin is Bound with what is known of the facility; racks of one kind have one bound.
func boundWithin(f *facility.Facility, k *kinds, cases *boundCases) int {
	b := bounder{f: f}
	for m := range f.Models {
		count := 0.0
		for _, o := range f.Orders {
			if o.Model == m && o.Max {
				count = math.Inf(1)
			} else if o.Model == m {
				count += float64(o.Count)
			}
		}
		if count > 0 {
			b.items = append(b.items, item{model: &f.Models[m], count: count})
		}
	}
	b.racks = make([]float64, len(f.Racks))
	total := 0.0
	for _, racks := range k.racks {
		n := b.rack(&f.Racks[racks[0]])
		for _, i := range racks {
			b.racks[i] = n
		}
		total += n * float64(len(racks))
	}
	best := min(total, b.fill(math.Inf(1), func(*facility.Model) float64 { return 0 }))
	best = min(best, b.loops())
	if len(cases.wired) > 0 {
		b.capW, b.ds = b.nodeCapacities(), make([]dominator, len(f.Power.Nodes))
	}
	for n, lost := range cases.losses {
		h := lossHeat{perW: make([]float64, len(f.Racks)), fixed: make([]float64, len(f.Cooling.Rooms))}
		if lost.name != "" {
			var servers float64
			servers, h = b.cut(cases.wired[n])
			best = min(best, servers)
		}
		best = min(best, b.rooms(h), b.plants(h))
	}
	return int(best)
}

type bounder struct {
	f     *facility.Facility
	items []item
	racks []float64 // bound of each rack alone
	capW  []float64 // of nodeCapacities
	ds    []dominator
}

// lossHeat is the least heat that conversion losses add to rooms.
type lossHeat struct {
	perW  []float64 // by rack: W for one W of its servers
	fixed []float64 // by room: W whatever is placed; negative where it belongs to a tangent
}

type item struct {
	model *facility.Model
	count float64
}

// slack forgives the last bits of a float64 sum, in the direction that keeps a bound a bound.
const slack = 1e-9

// fill returns how many servers fit into a capacity, smallest first, the last one in part left out.
func (b *bounder) fill(capacity float64, need func(*facility.Model) float64) float64 {
	type part struct{ need, count float64 }
	parts := make([]part, 0, 8)
	n := 0.0
	for _, it := range b.items {
		if w := need(it.model); w > 0 {
			parts = append(parts, part{w, it.count})
		} else {
			n += it.count
		}
	}
	slices.SortFunc(parts, func(x, y part) int {
		if x.need < y.need {
			return -1
		}
		return 1
	})
	capacity = math.Max(0, capacity)
	for _, p := range parts {
		k := math.Min(p.count, capacity/p.need)
		n += k
		if capacity -= k * p.need; k < p.count {
			break
		}
	}
	return math.Floor(n*(1+slack) + slack)
}

func (b *bounder) rack(r *facility.Rack) float64 {
	n := b.fill(float64(r.HeightU-r.ReserveU), func(m *facility.Model) float64 { return float64(m.HeightU) })
	if r.PowerW != facility.NoLimit {
		n = min(n, b.fill(float64(r.PowerW-r.ReserveW), func(m *facility.Model) float64 { return float64(m.PlanW) }))
	}
	if r.AirW != facility.NoLimit {
		n = min(n, b.fill(float64(r.AirW-r.ReserveW), func(m *facility.Model) float64 { return float64(m.PlanAirW) }))
	}
	if r.Loop < 0 {
		n = min(n, b.fill(0, func(m *facility.Model) float64 { return float64(m.PlanLiquidW) }))
	} else if r.LiquidW != facility.NoLimit {
		n = min(n, b.fill(float64(r.LiquidW), func(m *facility.Model) float64 { return float64(m.PlanLiquidW) }))
	}
	if r.LoadKg >= 0 && r.FrameKg >= 0 {
		n = min(n, b.fill(r.LoadKg-r.FrameKg, func(m *facility.Model) float64 { return m.WeightKg })) // NaN is no need
	}
	if b.f.Power == nil {
		return n
	}
	for _, id := range r.Feeds {
		node := &b.f.Power.Nodes[id]
		if node.Kind != power.RackFeed {
			continue
		}
		carry := float64(b.f.Power.CapacityVA(id, node.Units-node.Redundant)) * b.survivors(r, id)
		n = min(n, b.fill(carry-float64(r.ReserveW)/node.PF, func(m *facility.Model) float64 {
			if m.PF > 0 && m.PF <= 1 {
				return math.Ceil(float64(m.PlanW) / m.PF * (1 - 1e-12))
			}
			return float64(m.PlanW)
		}))
	}
	return n
}

// survivors returns how many feeds share a rack's load after the worst loss of others.
func (b *bounder) survivors(r *facility.Rack, feed int) float64 {
	side := func(n int) string { return b.f.Power.Nodes[n].Side }
	least := len(r.Feeds)
	for _, lost := range r.Feeds {
		left, spared := 0, true
		for _, n := range r.Feeds {
			gone := n == lost || (side(lost) != "" && side(n) == side(lost))
			if !gone {
				left++
			} else if n == feed {
				spared = false
			}
		}
		if spared {
			least = min(least, left)
		}
	}
	return float64(least)
}

// rest sums the racks for which in is false.
func (b *bounder) rest(in func(*facility.Rack) bool) float64 {
	n := 0.0
	for i := range b.racks {
		if !in(&b.f.Racks[i]) {
			n += b.racks[i]
		}
	}
	return n
}

func stated(x float64) bool { return x > 0 && !math.IsInf(x, 0) }

func (b *bounder) rooms(h lossHeat) float64 {
	sys := &b.f.Cooling
	n := b.rest(func(r *facility.Rack) bool { return r.Room >= 0 && r.Room < len(sys.Rooms) })
	for i := range sys.Rooms {
		room := &sys.Rooms[i]
		units := float64(max(0, room.Units-room.Redundant))
		in, heat, perW := 0.0, h.fixed[i], math.Inf(1)
		for k := range b.racks {
			if b.f.Racks[k].Room == i {
				in += b.racks[k]
				heat += float64(b.f.Racks[k].ReserveW)
				if b.racks[k] > 0 {
					perW = min(perW, h.perW[k])
				}
			}
		}
		if stated(room.FanW) {
			heat += units * room.FanW
		}
		if stated(room.CapacityW) && in > 0 {
			in = min(in, b.fill(units*room.CapacityW-heat, func(m *facility.Model) float64 {
				return float64(m.PlanAirW) + perW*float64(m.PlanW)
			}))
		}
		if stated(room.AirflowM3s) {
			in = min(in, b.fill(units*room.AirflowM3s, func(m *facility.Model) float64 { return m.AirflowM3s }))
		}
		n += in
	}
	return n
}

func (b *bounder) loops() float64 {
	sys := &b.f.Cooling
	n := b.rest(func(r *facility.Rack) bool { return r.Loop >= 0 && r.Loop < len(sys.Loops) })
	for i := range sys.Loops {
		loop := &sys.Loops[i]
		units := float64(max(0, loop.CDUs-loop.Redundant))
		in, heat := 0.0, 0.0
		for k := range b.racks {
			if b.f.Racks[k].Loop == i {
				in += b.racks[k]
			}
		}
		if stated(loop.PumpW) {
			heat = units * loop.PumpW
		}
		if stated(loop.CapacityW) {
			in = min(in, b.fill(units*loop.CapacityW-heat, func(m *facility.Model) float64 { return float64(m.PlanLiquidW) }))
		}
		if stated(loop.FlowLPM) {
			in = min(in, b.fill(units*loop.FlowLPM, func(m *facility.Model) float64 { return m.FlowLPM }))
		}
		n += in
	}
	return n
}

// loopPlant is the plant that a loop's heat reaches, by way of a room from liquid-to-air CDUs; -1 none.
func loopPlant(sys *cooling.System, loop int) int {
	l := &sys.Loops[loop]
	if l.Air == nil {
		return l.Plant
	}
	if l.Air.Room < 0 || l.Air.Room >= len(sys.Rooms) {
		return -1
	}
	return sys.Rooms[l.Air.Room].Plant
}

// plants bounds each plant with the racks that send it any heat, and the others by themselves.
func (b *bounder) plants(h lossHeat) float64 {
	sys := &b.f.Cooling
	best := math.Inf(1)
	for i := range sys.Plants {
		if sys.Plants[i] == nil {
			continue
		}
		spec := sys.Plants[i].Spec()
		capW := plantCapacityW(b.f, i, spec.Units-spec.Redundant)
		if math.IsNaN(capW) {
			continue
		}
		air := func(r *facility.Rack) bool {
			return r.Room >= 0 && r.Room < len(sys.Rooms) && sys.Rooms[r.Room].Plant == i
		}
		liquid := func(r *facility.Rack) bool {
			return r.Loop >= 0 && r.Loop < len(sys.Loops) && loopPlant(sys, r.Loop) == i
		}
		for j := range sys.Rooms {
			room := &sys.Rooms[j]
			if room.Plant != i {
				continue
			}
			capW -= h.fixed[j]
			if stated(room.FanW) {
				capW -= float64(max(0, room.Units-room.Redundant)) * room.FanW
			}
		}
		for j := range sys.Loops {
			if loop := &sys.Loops[j]; loopPlant(sys, j) == i && stated(loop.PumpW) {
				capW -= float64(max(0, loop.CDUs-loop.Redundant)) * loop.PumpW
			}
		}
		in, perW := 0.0, math.Inf(1)
		var kinds [4]bool // what part of a server's heat some rack sends here: 1 air, 2 liquid
		for k := range b.racks {
			r, kind := &b.f.Racks[k], 0
			if air(r) {
				kind |= 1
				capW -= float64(r.ReserveW)
			}
			if liquid(r) {
				kind |= 2
			}
			kinds[kind] = kinds[kind] || b.racks[k] > 0
			if kind != 0 {
				in += b.racks[k]
			}
			switch {
			case b.racks[k] == 0 || kind == 0:
			case kind&1 == 0:
				perW = 0 // its losses may heat another plant's room
			default:
				perW = min(perW, h.perW[k])
			}
		}
		in = min(in, b.fill(capW, func(m *facility.Model) float64 {
			least := math.Inf(1)
			for kind := 1; kind < 4; kind++ {
				if kinds[kind] {
					least = min(least, float64(int64(kind&1)*m.PlanAirW+int64(kind>>1)*m.PlanLiquidW))
				}
			}
			if math.IsInf(least, 1) {
				return 0
			}
			return least + perW*float64(m.PlanW)
		}))
		best = min(best, in+b.rest(func(r *facility.Rack) bool { return air(r) || liquid(r) }))
	}
	return best
}
