package placement

import (
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// rowBuilder makes the rows of a relaxation.
type rowBuilder struct {
	x     *relaxed
	cases *boundCases
	caps  []float64
	most  []float64 // the most that the racks could put on the row
}

func (b *rowBuilder) row(capacity float64) int32 {
	b.caps = append(b.caps, math.Max(0, capacity))
	b.most = append(b.most, 0)
	return int32(len(b.caps) - 1)
}

func (b *rowBuilder) add(class int, row int32, figure int32, factor float64) {
	if factor > 0 {
		c := &b.x.classes[class]
		c.entries = append(c.entries, rowEntry{row, figure, factor})
	}
}

func (b *rowBuilder) build() {
	x, f := b.x, b.x.f
	sys := &f.Cooling
	for n, lost := range b.cases.losses {
		h := caseHeat{perW: make([]map[int]float64, len(x.classes)), fixed: make([]float64, len(sys.Rooms))}
		if lost.name != "" {
			b.electrical(b.cases.wired[n], &h)
		}
		b.cooling(&h, n == 0)
	}
	b.prune()
}

// caseHeat is the least heat that losses add to rooms in one case.
type caseHeat struct {
	perW  []map[int]float64 // by class: room to W for one W of its servers
	fixed []float64         // by room
}

// electrical makes a row of every node in one case, and finds the heat of its losses.
func (b *rowBuilder) electrical(wired []dominator, h *caseHeat) {
	x, f := b.x, b.x.f
	g := f.Power
	old := bounder{f: f, racks: make([]float64, len(f.Racks))}
	for _, m := range x.models {
		old.items = append(old.items, item{model: &f.Models[m], count: math.Inf(1)})
	}
	for i := range f.Racks {
		old.racks[i] = float64(f.Racks[i].HeightU) // how full, at most, for the place of the tangent
	}
	ds := slices.Clone(wired)
	capW := old.nodeCapacities()
	old.estimate(ds, capW)
	old.bend(ds)
	load := b.steady(ds)
	rooms := b.roomsOf(ds)
	row := make([]int32, len(ds))
	for n := range ds {
		row[n] = -1
		if ds[n].live && !math.IsInf(capW[n], 1) {
			row[n] = b.row(capW[n] - load[n])
		}
		if ds[n].live && rooms[n] >= 0 {
			h.fixed[rooms[n]] += (ds[n].slope-1)*load[n] + ds[n].fixed
		}
	}
	if slices.ContainsFunc(g.Nodes, func(n power.Node) bool { return n.Lines != power.ThreePhase }) {
		b.legRows(ds, capW)
	}
	coef := make([]float64, len(ds))
	for ci := range x.classes {
		c := &x.classes[ci]
		path := pathUp(ds, f.Racks[c.racks[0]].Feeds, coef)
		for _, n := range path {
			w := coef[n]
			coef[n] = 0
			d := &ds[n]
			if row[n] >= 0 {
				b.add(ci, row[n], ofW, w/math.Max(b.caps[row[n]], tiny))
			}
			if rooms[n] >= 0 && d.slope > 1 {
				if h.perW[ci] == nil {
					h.perW[ci] = map[int]float64{}
				}
				h.perW[ci][rooms[n]] += w * (d.slope - 1)
			}
			for _, p := range d.sources {
				coef[p] += w * d.slope / float64(len(d.sources))
			}
		}
	}
}

// tiny stands for the capacity of a row that has none left: what loads it at all is kept out.
const tiny = 1e-9

// pathUp lists the live nodes a load goes through, children first, with the feeds' shares in coef.
func pathUp(ds []dominator, feeds []int, coef []float64) []int {
	var path []int
	live := 0
	for _, n := range feeds {
		if ds[n].live {
			live++
			path = append(path, n)
		}
	}
	for _, n := range path {
		coef[n] += 1 / float64(live)
	}
	for k := 0; k < len(path); k++ {
		for _, p := range ds[path[k]].sources {
			if !slices.Contains(path, p) {
				path = append(path, p)
			}
		}
	}
	slices.SortFunc(path, func(a, b int) int { return b - a })
	return path
}

// steady returns what every node carries whatever is placed, at least.
func (b *rowBuilder) steady(ds []dominator) []float64 {
	f := b.x.f
	load := make([]float64, len(ds))
	put := func(fed []int, w float64) {
		live := 0
		for _, n := range fed {
			if ds[n].live {
				live++
			}
		}
		for _, n := range fed {
			if ds[n].live {
				load[n] += w / float64(live)
			}
		}
	}
	for i := range f.Racks {
		if w := f.Racks[i].ReserveW; w > 0 {
			put(f.Racks[i].Feeds, float64(w))
		}
	}
	for _, m := range f.Mechanical {
		put(m.Fed, float64(m.W))
	}
	put(f.OtherFed, f.OtherW)
	for n := len(ds) - 1; n >= 0; n-- {
		d := &ds[n]
		if !d.live {
			continue
		}
		in := d.slope*load[n] + d.fixed
		for _, p := range d.sources {
			load[p] += in / float64(len(d.sources))
		}
	}
	return load
}

// roomsOf finds the room that a node's loss heats, that of the first rack it feeds; -1 where it stands
// elsewhere or its loss is not bounded from below by its load.
func (b *rowBuilder) roomsOf(ds []dominator) []int {
	f := b.x.f
	first := make([]int, len(ds)) // rack
	for n := range first {
		first[n] = len(f.Racks)
	}
	for i := range f.Racks {
		for _, n := range f.Racks[i].Feeds {
			first[n] = min(first[n], i)
		}
	}
	room := make([]int, len(ds))
	for n := len(ds) - 1; n >= 0; n-- {
		for _, p := range f.Power.Parents(n) {
			first[p] = min(first[p], first[n])
		}
		room[n] = -1
		kind := f.Power.Nodes[n].Kind
		if !ds[n].live || ds[n].slope < 1 || (kind != power.Distribution && kind != power.RackFeed) || first[n] == len(f.Racks) {
			continue
		}
		if r := f.Racks[first[n]].Room; r < len(f.Cooling.Rooms) {
			room[n] = r
		}
	}
	return room
}

// cooling makes the rows of rooms, loops and plants in one case; what does not depend on the case is made
// once.
func (b *rowBuilder) cooling(h *caseHeat, once bool) {
	x, f := b.x, b.x.f
	sys := &f.Cooling
	reserve := make([]float64, len(sys.Rooms))
	for i := range f.Racks {
		if r := f.Racks[i].Room; r >= 0 && r < len(reserve) {
			reserve[r] += float64(f.Racks[i].ReserveW)
		}
	}
	each := func(capacity float64, add func(ci int, r *facility.Rack, row int32, scale float64)) {
		row := b.row(capacity)
		for ci := range x.classes {
			add(ci, &f.Racks[x.classes[ci].racks[0]], row, 1/math.Max(b.caps[row], tiny))
		}
	}
	lossOf := func(ci, room int) float64 {
		if h.perW[ci] == nil {
			return 0
		}
		return h.perW[ci][room]
	}
	fans := func(i int) float64 {
		if r := &sys.Rooms[i]; stated(r.FanW) {
			return float64(max(0, r.Units-r.Redundant)) * r.FanW
		}
		return 0
	}
	pumps := func(i int) float64 {
		if l := &sys.Loops[i]; stated(l.PumpW) {
			return float64(max(0, l.CDUs-l.Redundant)) * l.PumpW
		}
		return 0
	}
	// sinks is what pumps and fans of liquid-to-air CDUs give to a room, sunk the loop of a rack that does.
	sinks := func(i int) (w float64) {
		for j := range sys.Loops {
			if l := &sys.Loops[j]; l.Air != nil && l.Air.Room == i {
				w += pumps(j)
				if stated(l.Air.FanW) {
					w += float64(max(0, l.CDUs-l.Redundant)) * l.Air.FanW
				}
			}
		}
		return w
	}
	sunk := func(r *facility.Rack, i int) *cooling.Loop {
		if r.Loop >= 0 && r.Loop < len(sys.Loops) {
			if l := &sys.Loops[r.Loop]; l.Air != nil && l.Air.Room == i {
				return l
			}
		}
		return nil
	}
	for i := range sys.Rooms {
		room := &sys.Rooms[i]
		units := float64(max(0, room.Units-room.Redundant))
		if stated(room.CapacityW) {
			each(units*room.CapacityW-fans(i)-reserve[i]-h.fixed[i]-sinks(i), func(ci int, r *facility.Rack, row int32, scale float64) {
				if r.Room == i {
					b.add(ci, row, ofAir, scale)
				}
				if sunk(r, i) != nil {
					b.add(ci, row, ofLiquid, scale)
				}
				b.add(ci, row, ofW, scale*lossOf(ci, i))
			})
		}
		if once && stated(room.AirflowM3s) {
			each(units*room.AirflowM3s, func(ci int, r *facility.Rack, row int32, scale float64) {
				if r.Room == i {
					b.add(ci, row, ofAirflow, scale)
				}
				if l := sunk(r, i); l != nil && l.CapacityW > 0 {
					b.add(ci, row, ofLiquid, scale*l.Air.AirflowM3s/l.CapacityW)
				}
			})
		}
	}
	for i := range sys.Loops {
		loop := &sys.Loops[i]
		units := float64(max(0, loop.CDUs-loop.Redundant))
		if once && stated(loop.CapacityW) {
			each(units*loop.CapacityW-pumps(i), func(ci int, r *facility.Rack, row int32, scale float64) {
				if r.Loop == i {
					b.add(ci, row, ofLiquid, scale)
				}
			})
		}
		if once && stated(loop.FlowLPM) {
			each(units*loop.FlowLPM, func(ci int, r *facility.Rack, row int32, scale float64) {
				if r.Loop == i {
					b.add(ci, row, ofFlow, scale)
				}
			})
		}
	}
	for i := range sys.Plants {
		if sys.Plants[i] == nil {
			continue
		}
		spec := sys.Plants[i].Spec()
		capW := plantCapacityW(f, i, spec.Units-spec.Redundant)
		if math.IsNaN(capW) {
			continue
		}
		for j := range sys.Rooms {
			if sys.Rooms[j].Plant == i {
				capW -= fans(j) + reserve[j] + h.fixed[j]
			}
		}
		for j := range sys.Loops {
			if loopPlant(sys, j) == i {
				capW -= pumps(j)
			}
		}
		each(capW, func(ci int, r *facility.Rack, row int32, scale float64) {
			if r.Room >= 0 && r.Room < len(sys.Rooms) && sys.Rooms[r.Room].Plant == i {
				b.add(ci, row, ofAir, scale)
			}
			if r.Loop >= 0 && r.Loop < len(sys.Loops) && loopPlant(sys, r.Loop) == i {
				b.add(ci, row, ofLiquid, scale)
			}
			w := 0.0
			for j := range sys.Rooms {
				if sys.Rooms[j].Plant == i {
					w += lossOf(ci, j)
				}
			}
			b.add(ci, row, ofW, scale*w)
		})
	}
}

// prune keeps models out of racks that load a row without capacity, leaves out rows that can never fill
// and numbers the others anew.
func (b *rowBuilder) prune() {
	x := b.x
	for ci := range x.classes {
		c := &x.classes[ci]
		again := false
		for _, e := range c.entries {
			for j, w := range x.figure[e.figure] {
				if (e.factor*w > 1+slack || (b.caps[e.row] <= 0 && w > 0)) && !c.blocked[j] { // not even one
					c.blocked[j], again = true, true
				}
			}
		}
		if again {
			c.list(len(x.models))
		}
		var most [figures]float64
		for k := range most {
			v, _ := c.best(x.figure[k])
			most[k] = v * float64(len(c.racks))
		}
		for _, e := range c.entries {
			b.most[e.row] += e.factor * most[e.figure]
		}
	}
	number := make([]int32, len(b.caps))
	for i := range number {
		number[i] = -1
		if b.caps[i] > 0 && b.most[i] > 1-slack {
			number[i] = int32(x.rows)
			x.rows++
		}
	}
	x.holds = make([]float64, x.rows)
	for ci := range x.classes {
		c := &x.classes[ci]
		kept := c.entries[:0]
		for _, e := range c.entries {
			if number[e.row] >= 0 {
				e.row = number[e.row]
				kept = append(kept, e)
				for _, w := range x.figure[e.figure] {
					x.holds[e.row] = max(x.holds[e.row], e.factor*w)
				}
			}
		}
		c.entries = slices.Clip(kept)
	}
	for r, w := range x.holds {
		x.holds[r] = 1 / w
	}
}
