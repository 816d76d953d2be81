package plots

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/plots/show"
	"headroom/sim"
)

// elevationMost is how many racks one page draws; of more, one of each kind.
const elevationMost = 24

// stack is one rack's front: what stands at which units, and the racks that look the same.
type stack struct {
	rack    int // index in Facility.Racks
	fit     int // index in Layout.Racks
	servers []slotted
	same    []string // IDs of the racks alike, this one first
	gapU    int      // tallest free gap between servers, reserve aside
}

// slotted is one server at its units.
type slotted struct{ model, u, heightU int }

func elevationFigure(r *sim.Result) *figure {
	l := r.Layout
	if l == nil || l.Facility == nil || len(l.Racks) == 0 {
		return figureWithout(r, "Rack elevations", "No racks: the result holds no placement.")
	}
	stacks, merged := elevations(r)
	if len(stacks) == 0 {
		return figureWithout(r, "Rack elevations", "No racks: the placement names none of the facility's.")
	}
	left := 0
	if len(stacks) > elevationMost {
		left = len(stacks) - elevationMost
		stacks = stacks[:elevationMost]
	}
	f := &figure{title: elevationTitle(r, stacks), subtitle: subtitle(r)}
	title := "Front of each rack, rack units from the floor; under it what stops the next server"
	if merged {
		title = "Front of one rack of each kind, rack units from the floor; under it what stops the next server"
	}
	f.panels = []*panel{{at: box{0, 0, 1, 1}, title: title, free: func(p *pen, rect vg.Rectangle) { drawElevations(p, rect, r, stacks) }}}
	if left > 0 {
		f.notes = append(f.notes, show.Of(left, "more kind")+" of rack are not drawn; the fullest are.")
	}
	if air, liquid := liquidAndAir(r); air && liquid {
		f.notes = append(f.notes, "Dark: air-cooled servers; light: liquid-cooled.")
	}
	f.notes = append(f.notes, "Hatched: units that the scenario keeps free, drawn at the top wherever they will be. Basis of power: "+l.Facility.Basis.String()+".")
	return f
}

// elevations returns the racks' fronts; of more racks than a page takes, one of each kind, the kinds with most servers
// first.
func elevations(r *sim.Result) (stacks []stack, merged bool) {
	l := r.Layout
	f := l.Facility
	in := make([][]slotted, len(f.Racks))
	for _, s := range l.Servers {
		if s.Rack < 0 || s.Rack >= len(in) || s.Model < 0 || s.Model >= len(f.Models) {
			continue
		}
		in[s.Rack] = append(in[s.Rack], slotted{s.Model, s.U, f.Models[s.Model].HeightU})
	}
	for i := range l.Racks {
		k := l.Racks[i].Rack
		if k < 0 || k >= len(f.Racks) {
			continue
		}
		s := stack{rack: k, fit: i, servers: in[k], same: []string{f.Racks[k].ID}}
		sort.Slice(s.servers, func(a, b int) bool { return s.servers[a].u < s.servers[b].u })
		s.gapU = s.tallestGap(f.Racks[k].HeightU - f.Racks[k].ReserveU)
		stacks = append(stacks, s)
	}
	if len(stacks) <= elevationMost {
		return stacks, false
	}
	at := map[string]int{}
	var kinds []stack
	for _, s := range stacks {
		rack := &f.Racks[s.rack]
		key := fmt.Sprint(rack.HeightU, rack.ReserveU, rack.PowerW, l.Racks[s.fit].Binding, s.servers)
		if k, ok := at[key]; ok {
			kinds[k].same = append(kinds[k].same, rack.ID)
			continue
		}
		at[key] = len(kinds)
		kinds = append(kinds, s)
	}
	sort.SliceStable(kinds, func(a, b int) bool { return len(kinds[a].servers) > len(kinds[b].servers) })
	return kinds, true
}

// tallestGap is the tallest run of free units among so many usable ones.
func (s *stack) tallestGap(usableU int) int {
	most, from := 0, 1
	for _, x := range s.servers {
		most = max(most, x.u-from)
		from = max(from, x.u+x.heightU)
	}
	return max(most, usableU+1-from, 0)
}

func elevationTitle(r *sim.Result, stacks []stack) string {
	f := r.Layout.Facility
	gap, id := 0, ""
	for i := range stacks {
		if stacks[i].gapU > gap {
			gap, id = stacks[i].gapU, f.Racks[stacks[i].rack].ID
		}
	}
	s := fmt.Sprintf("%s in %s", show.Of(r.Capacity.ServersPlaced, "server"), show.Of(r.Capacity.RacksUsed, "rack"))
	if gap == 0 {
		return s + "; no rack unit is free"
	}
	s += fmt.Sprintf("; the tallest gap is %dU, in %s", gap, clean(id))
	if len(f.Orders) > 0 && f.Orders[0].Model >= 0 && f.Orders[0].Model < len(f.Models) {
		if h := f.Models[f.Orders[0].Model].HeightU; h > 0 {
			if b := r.Capacity.Binding; gap >= h && len(b) > 0 && b[0].Limit != string(placement.Order) {
				names, verb := BindingNames(&b[0])
				s += fmt.Sprintf(": height for %s more, which %s %s", show.Count(gap/h), names, verb)
			} else if gap < h {
				s += fmt.Sprintf(", too low for a server of %dU", h)
			}
		}
	}
	return s
}

func drawElevations(p *pen, r vg.Rectangle, res *sim.Result, stacks []stack) {
	f := res.Layout.Facility
	tallest := 1
	for _, s := range stacks {
		tallest = max(tallest, f.Racks[s.rack].HeightU)
	}
	const footH, headH, axisW = vg.Length(64 + sizeSmall + 3), vg.Length(20), vg.Length(30)
	base, top := r.Min.Y+footH, r.Max.Y-headH
	unit := (top - base) / vg.Length(tallest)
	slot := (r.Max.X - r.Min.X - axisW) / vg.Length(len(stacks))
	w := min(slot*0.8, 150)
	for u := 0; u <= tallest; u += 6 {
		y := base + unit*vg.Length(u)
		p.line(r.Min.X+axisW-4, y, r.Max.X, y, draw.LineStyle{Color: gridGrey, Width: lineGrid})
		p.text(r.Min.X+axisW-7, y, fmt.Sprintf("%dU", u), style{size: sizeSmall, color: grey, ax: 1, ay: 0.5})
	}
	for i, s := range stacks {
		rack, here := &f.Racks[s.rack], &res.Layout.Racks[s.fit]
		x := r.Min.X + axisW + slot*(vg.Length(i)+0.5)
		height := max(1, rack.HeightU)
		box := func(u0, u1 float64) vg.Rectangle {
			clip := func(u float64) vg.Length { return base + unit*vg.Length(math.Min(math.Max(u, 0), float64(height))) }
			return vg.Rectangle{Min: vg.Point{X: x - w/2, Y: clip(u0)}, Max: vg.Point{X: x + w/2, Y: clip(u1)}}
		}
		whole := box(0, float64(height))
		p.rect(whole, paleGrey)
		if n := min(rack.ReserveU, height); n > 0 {
			p.hatch(box(float64(height-n), float64(height)), grey)
		}
		for _, v := range s.servers {
			b := box(float64(v.u-1), float64(v.u-1+v.heightU))
			fill := navy
			if f.Models[v.model].Liquid {
				fill = sky
			}
			p.rect(b, fill)
			p.frame(b, draw.LineStyle{Color: white, Width: lineFine})
			if h := b.Max.Y - b.Min.Y; h > sizeSmall+2 {
				name := f.Models[v.model].Name
				if textWidth(clean(name), sizeSmall, false) > w-6 {
					name = fmt.Sprintf("%dU", v.heightU)
				}
				p.text(x, (b.Min.Y+b.Max.Y)/2, fit(name, sizeSmall, false, w-6), style{size: sizeSmall, color: textOn(fill), ax: 0.5, ay: 0.5})
			}
		}
		p.frame(whole, draw.LineStyle{Color: ink, Width: lineFine})
		id := clean(rack.ID)
		if n := len(s.same); n > 1 {
			id = fmt.Sprintf("%s and %d alike", id, n-1)
		}
		p.text(x, whole.Max.Y+4, fit(id, sizeLabel, true, slot-4), style{size: sizeLabel, bold: true, color: ink, ax: 0.5})
		foot := []string{show.Of(here.Servers, "server"), show.Watts(float64(here.UsedW))}
		if rack.PowerW != facility.NoLimit {
			foot[1] += " of " + show.Watts(float64(rack.PowerW))
		}
		if textWidth(foot[1], sizeSmall, false) > slot-4 {
			foot[1] = show.Watts(float64(here.UsedW))
		}
		y := base - 5
		for _, line := range foot {
			p.text(x, y, fit(line, sizeSmall, false, slot-4), style{size: sizeSmall, color: ink, ax: 0.5, ay: 1})
			y -= sizeSmall + 3
		}
		for _, line := range wrap(tiedNames(here.Binding, here.Ties), sizeSmall, true, slot-4, 3) {
			p.text(x, y, line, style{size: sizeSmall, bold: true, color: limitColor(here.Binding), ax: 0.5, ay: 1})
			y -= sizeSmall + 3
		}
	}
}

// liquidAndAir says whether servers of both kinds stand here.
func liquidAndAir(r *sim.Result) (air, liquid bool) {
	for _, s := range r.Layout.Servers {
		if s.Model >= 0 && s.Model < len(r.Layout.Facility.Models) {
			if r.Layout.Facility.Models[s.Model].Liquid {
				liquid = true
			} else {
				air = true
			}
		}
	}
	return air, liquid
}
