package sim

import (
	"fmt"
	"slices"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/facility/power"
)

// actions lists what would admit more servers. Each change is made to a copy of the facility, which is
// then placed again: what a change admits is an answer of the placement, never an estimate.
func actions(l *placement.Layout) []Action {
	out := []Action{}
	if len(l.Facility.Models) == 0 || len(l.Facility.Orders) == 0 {
		return out
	}
	try := func(change string, f *facility.Facility) {
		for _, a := range out {
			if a.Change == change {
				return
			}
		}
		again, err := placement.Place(f)
		if err != nil || len(again.Servers) <= len(l.Servers) {
			return
		}
		gpus := 0
		for i := range again.Servers {
			gpus += f.Models[again.Servers[i].Model].GPUs
		}
		for i := range l.Servers {
			gpus -= l.Facility.Models[l.Servers[i].Model].GPUs
		}
		out = append(out, Action{Change: change, Admits: len(again.Servers) - len(l.Servers), Gain: Num(gpus), Unit: "GPUs"})
	}
	for _, limit := range []placement.Limit{placement.Power, placement.Air, placement.Liquid, placement.Space, placement.Weight, placement.Feed} {
		if f, change, ok := raiseRacks(l, limit); ok {
			try(change, f)
		}
	}
	for i := range l.Facility.Cooling.Rooms {
		f := copyOf(l.Facility)
		f.Cooling.Rooms = slices.Clone(f.Cooling.Rooms)
		r := &f.Cooling.Rooms[i]
		r.Units++
		try(fmt.Sprintf("one more air handler of %s in room %s", kW(r.CapacityW), r.Name), f)
	}
	for i := range l.Facility.Cooling.Loops {
		f := copyOf(l.Facility)
		f.Cooling.Loops = slices.Clone(f.Cooling.Loops)
		c := &f.Cooling.Loops[i]
		c.CDUs++
		try(fmt.Sprintf("one more CDU of %s in loop %s", kW(c.CapacityW), c.Name), f)
	}
	for _, b := range l.Binding {
		if b.Limit != placement.Upstream || l.Facility.Power == nil {
			continue
		}
		n, ok := l.Facility.Power.Index(b.Where)
		if !ok {
			continue
		}
		node := l.Facility.Power.Nodes[n]
		if f, ok := moreUnits(l.Facility, node.ID); ok {
			try(fmt.Sprintf("one more unit of %s at %s", kVA(node.RatingVA), node.ID), f)
		}
	}
	slices.SortStableFunc(out, func(a, b Action) int { return b.Admits - a.Admits })
	return out
}

func copyOf(f *facility.Facility) *facility.Facility { c := *f; return &c }

// raiseRacks lifts one limit of every rack that it stops, by what the next server lacks there.
func raiseRacks(l *placement.Layout, limit placement.Limit) (*facility.Facility, string, bool) {
	f := copyOf(l.Facility)
	f.Racks = slices.Clone(f.Racks)
	var nodes []power.Node
	if f.Power != nil {
		nodes = slices.Clone(f.Power.Nodes)
	}
	n, most, unit := 0, 0.0, ""
	for i := range l.Racks {
		for _, no := range l.Racks[i].Next {
			if no.Limit != limit || no.Short <= 0 {
				continue
			}
			r := &f.Racks[i]
			switch limit {
			case placement.Power:
				r.PowerW += int64(no.Short)
			case placement.Air:
				if r.AirW == facility.NoLimit {
					continue
				}
				r.AirW += int64(no.Short)
			case placement.Liquid:
				if r.LiquidW == facility.NoLimit {
					continue
				}
				r.LiquidW += int64(no.Short)
			case placement.Space:
				r.HeightU += int(no.Short)
			case placement.Weight:
				r.LoadKg += no.Short
			case placement.Feed:
				for _, k := range r.Feeds {
					nodes[k].RatingVA *= no.Need / no.Free
				}
			}
			n, most, unit = n+1, max(most, no.Short), no.Unit
			break
		}
	}
	if n == 0 {
		return nil, "", false
	}
	if limit == placement.Feed {
		g, err := power.New(nodes)
		if err != nil {
			return nil, "", false
		}
		f.Power = g
	}
	what := map[placement.Limit]string{
		placement.Power: "rack power limit", placement.Air: "rack air limit", placement.Liquid: "rack liquid limit",
		placement.Space: "rack height", placement.Weight: "rack load limit", placement.Feed: "rack circuits",
	}[limit]
	return f, fmt.Sprintf("%s of %d racks up by %s", what, n, amount(most, unit)), true
}

// moreUnits adds one unit in parallel to a node.
func moreUnits(f *facility.Facility, id string) (*facility.Facility, bool) {
	nodes := slices.Clone(f.Power.Nodes)
	for i := range nodes {
		if nodes[i].ID == id {
			nodes[i].Units++
		}
	}
	g, err := power.New(nodes)
	if err != nil {
		return nil, false
	}
	c := copyOf(f)
	c.Power = g
	return c, true
}

func kW(w float64) string   { return fmt.Sprintf("%.4g kW", w/1000) }
func kVA(va float64) string { return fmt.Sprintf("%.4g kVA", va/1000) }

func amount(x float64, unit string) string {
	switch unit {
	case "W":
		return kW(x)
	case "VA":
		return kVA(x)
	}
	return fmt.Sprintf("%.4g %s", x, unit)
}
