package study

import (
	"maps"
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/facility/power"
)

// The resources that can run out. Each is what is left of a building's limits when all others are lifted.
const (
	rackPower = "rack power"
	space     = "space"
	weight    = "weight"
	air       = "air"
	liquid    = "liquid"
	feeds     = "feeds"
	plant     = "plant"
	allLimits = "all limits"
)

// kinds are the electrical resources by kind of node, from the rack up.
var kinds = []struct {
	kind power.Kind
	name string
}{
	{power.RackFeed, feeds},
	{power.Distribution, "distribution"},
	{power.UPS, "UPS"},
	{power.Switchboard, "switchboards"},
	{power.Transformer, "transformers"},
	{power.Generator, "generators"},
	{power.Utility, "utility"},
}

// stated lists the resources of a building of which a limit is stated for a model, in the order in which
// ties are named.
func stated(f *facility.Facility, m *facility.Model) []string {
	var list []string
	anyRack := func(has func(r *facility.Rack) bool) bool {
		for i := range f.Racks {
			if has(&f.Racks[i]) {
				return true
			}
		}
		return false
	}
	add := func(name string, has bool) {
		if has {
			list = append(list, name)
		}
	}
	add(rackPower, anyRack(func(r *facility.Rack) bool { return r.PowerW != facility.NoLimit }))
	add(space, true)
	add(weight, m.WeightKg >= 0 && anyRack(func(r *facility.Rack) bool { return r.LoadKg >= 0 && r.FrameKg >= 0 }))
	limited := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	add(air, m.PlanAirW > 0 && (anyRack(func(r *facility.Rack) bool { return r.AirW != facility.NoLimit }) ||
		slices.ContainsFunc(f.Cooling.Rooms, func(r cooling.Room) bool { return limited(r.CapacityW) || limited(r.AirflowM3s) })))
	add(liquid, m.PlanLiquidW > 0)
	for _, k := range kinds {
		add(k.name, f.Power != nil && slices.ContainsFunc(f.Power.Nodes, func(n power.Node) bool { return n.Kind == k.kind }))
	}
	add(plant, slices.ContainsFunc(f.Cooling.Plants, func(p cooling.Plant) bool { return p != nil && limited(p.Spec().CapacityW) }))
	return list
}

// keep returns the building with every limit lifted but those of one resource. Loads, losses and the heat
// they make stay what they are. Space cannot be lifted wholly: racks are given room for perRack servers of
// heightU each; servers is how many are wanted in all.
func keep(f *facility.Facility, resource string, perRack, servers, heightU int, planW int64) *facility.Facility {
	if resource == allLimits {
		return f
	}
	g := *f
	g.Racks = slices.Clone(f.Racks)
	g.Cooling.Rooms = slices.Clone(f.Cooling.Rooms)
	g.Cooling.Loops = slices.Clone(f.Cooling.Loops)
	g.Cooling.Plants = slices.Clone(f.Cooling.Plants)
	if resource != plant {
		clear(g.Cooling.Plants)
	}
	for i := range g.Cooling.Rooms {
		if resource != air {
			g.Cooling.Rooms[i].CapacityW, g.Cooling.Rooms[i].AirflowM3s = math.Inf(1), math.Inf(1)
		}
	}
	endless := -1 // a loop for racks that have none
	if resource != liquid {
		for i := range g.Cooling.Loops {
			g.Cooling.Loops[i].CapacityW, g.Cooling.Loops[i].FlowLPM = math.Inf(1), math.Inf(1)
		}
		endless = len(g.Cooling.Loops)
		g.Cooling.Loops = append(g.Cooling.Loops, cooling.Loop{Name: "none", CDUs: 1, CapacityW: math.Inf(1), FlowLPM: math.Inf(1), Plant: -1})
	}
	for i := range g.Racks {
		r := &g.Racks[i]
		if resource != rackPower {
			r.PowerW = facility.NoLimit
		}
		if resource != air {
			r.AirW = facility.NoLimit
		}
		if resource != liquid {
			r.LiquidW = facility.NoLimit
			if r.Loop < 0 {
				r.Loop = endless
			}
		}
		if resource != weight {
			r.LoadKg = math.NaN()
		}
		if resource != space {
			r.HeightU = r.ReserveU + perRack*heightU
		}
	}
	if f.Power != nil {
		graph := *f.Power
		graph.Nodes = slices.Clone(f.Power.Nodes)
		for i := range graph.Nodes {
			if n := &graph.Nodes[i]; nameOf(n.Kind) != resource {
				lift(n, float64(planW)*float64(servers))
			}
		}
		g.Power = &graph
	}
	return &g
}

func nameOf(k power.Kind) string {
	for _, x := range kinds {
		if x.kind == k {
			return x.name
		}
	}
	return ""
}

// lift makes a node carry far more than it will be asked to, with the watts it loses at a load unchanged:
// of loss/rating = a + b·x + c·x² with x = load/rating, a shrinks and c grows with the rating.
func lift(n *power.Node, demandW float64) {
	const plenty = 1024.0 // a power of two keeps every bit of the curve
	k := plenty
	for n.RatingVA*k < 4*demandW {
		k *= 2
	}
	n.RatingVA *= k
	n.Loss.A /= k
	n.Loss.C *= k
}

// same says whether a resource admits the same in two states: they differ in nothing but how many of the
// model stand.
func (st *state) same(o *state) bool {
	others := func(s *state) []int {
		list := slices.Clone(s.stands)
		list[s.demand] = 0
		return list
	}
	return slices.Equal(others(st), others(o)) && slices.Equal(st.held, o.held) && maps.Equal(st.heldW, o.heldW) && maps.Equal(st.gone, o.gone)
}

// admits returns how many servers of the state's model one resource admits, up to want, with what else
// stands and is held in place. Places held for the model itself come first and do not count.
func (st *state) admits(base *facility.Facility, resource string, want int) (int, error) {
	m := &st.models[st.demand]
	other := *st
	other.stands = slices.Clone(st.stands)
	other.stands[st.demand] = 0
	f := other.facility(base)
	all, tallest := want, m.HeightU
	for _, o := range f.Orders {
		all += o.Count
		tallest = max(tallest, st.models[o.Model].HeightU)
	}
	order := facility.Order{Model: st.demand, Count: want}
	if resource != allLimits {
		// Placement reports for the first model how many more each limit admits in each rack. That is not asked
		// here and takes long in racks with much room: a first model that is too tall for any has no answer.
		giant := *m
		giant.HeightU = tooTallU
		f.Models = append(slices.Clone(f.Models), giant)
		f.Orders = append([]facility.Order{{Model: len(f.Models) - 1}}, f.Orders...)
	}
	if resource != allLimits && f.Power != nil && len(f.Power.Nodes) > 0 {
		// Under one kind of limit, filling rack by rack is as good as any other way. A spread that holds nothing
		// back keeps placement from trying all the others.
		order.Spread, order.SpreadMost = []int{0}, all
	}
	f.Orders = append(f.Orders, order)
	place := func(perRack int) (n int, bySpace bool, err error) {
		l, err := placement.Place(keep(f, resource, perRack, all, tallest, m.PlanW))
		if err != nil {
			return 0, false, err
		}
		for i := range l.Servers {
			if l.Servers[i].Model == st.demand {
				n++
			}
		}
		bySpace = slices.ContainsFunc(l.Racks, func(r placement.RackFit) bool { return r.FreeU < tallest })
		return max(0, n-st.held[st.demand]), bySpace, nil
	}
	// Racks get room for an even share of what is wanted, and more while space is what stops the next: racks
	// that the limit shuts leave their share to the rest.
	racks := max(1, len(f.Racks))
	perRack := all/racks + 1
	best, bySpace, err := place(perRack)
	if err != nil || resource == allLimits || resource == space {
		return best, err
	}
	for best < want && bySpace && perRack < all {
		n := 0
		perRack *= 2
		if n, bySpace, err = place(perRack); err != nil {
			return 0, err
		}
		best = max(best, n)
	}
	// Losses grow with the square of a load: a hall of roomy racks, filled from one end, loses more than the same
	// servers do where they stand in fact. Racks with room for an even share of what was found hold more, until
	// they do not. The best of all counts, for each is a placement that the limit allows.
	for best < want {
		n, _, err := place((best+all-want)/racks + 1)
		if err != nil {
			return 0, err
		}
		if n <= best {
			break
		}
		best = n
	}
	return best, nil
}

// tooTallU is higher than any rack, room for all servers included.
const tooTallU = 1 << 30
