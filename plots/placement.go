package plots

import (
	"fmt"
	"image/color"
	"math"
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility/placement"
	"headroom/plots/show"
	"headroom/sim"
)

// place is one rack on the floor map.
type place struct {
	id, row string
	x, y    float64 // m, centre
	servers int
	share   float64 // used and reserved power over the rack's limit, NaN without one
	inletC  float64 // hottest inlet of the run, NaN unknown
	more    int     // further servers of the first ordered model that it takes
}

// rackDepthM is the depth drawn for a rack whose scenario states none: 1.2 m, the deep cabinet of EIA-310-E
// users' catalogues.
const (
	rackDepthM = 1.2
	rackWidthM = 0.6
)

// floor is the floor map's geometry.
type floor struct {
	places                 []place
	width, depth           float64 // of a rack, m
	x0, y0, x1, y1         float64 // outline of all racks, m
	schematic              bool    // no coordinates: rows and places instead
	rows                   []floorRow
	limitKnown, inletKnown bool
}

type floorRow struct {
	name string
	y    float64
}

func newFloor(r *sim.Result) floor {
	l := r.Layout
	f := floor{width: rackWidthM, depth: rackDepthM}
	inlet := map[int]float64{}
	for _, rr := range r.Racks {
		inlet[rr.Rack] = rr.InletMaxC
	}
	seen := map[[2]float64]bool{}
	for _, fit := range l.Racks {
		if fit.Rack < 0 || fit.Rack >= len(l.Facility.Racks) {
			continue
		}
		rack := &l.Facility.Racks[fit.Rack]
		p := place{id: rack.ID, row: rack.Row, x: rack.XM, y: rack.YM, servers: fit.Servers, share: math.NaN(), inletC: math.NaN(), more: remaining(&fit)}
		if rack.PowerW > 0 {
			p.share = float64(fit.UsedW+max(0, rack.ReserveW)) / float64(rack.PowerW)
			f.limitKnown = true
		}
		if c, ok := inlet[fit.Rack]; ok && finite(c) {
			p.inletC = c
			f.inletKnown = true
		}
		if !finite(p.x) || !finite(p.y) || math.Abs(p.x) > 1e6 || math.Abs(p.y) > 1e6 || seen[[2]float64{p.x, p.y}] {
			f.schematic = true
		}
		seen[[2]float64{p.x, p.y}] = true
		f.places = append(f.places, p)
	}
	if f.schematic {
		f.layOut()
	}
	f.measure()
	return f
}

// layOut puts racks without usable coordinates row by row. A row longer than 40 racks goes on in the next line.
func (f *floor) layOut() {
	const perLine = 40
	line, col, row := -1, 0, ""
	for i := range f.places {
		p := &f.places[i]
		if line < 0 || p.row != row || col == perLine {
			line, col, row = line+1, 0, p.row
		}
		p.x, p.y = rackWidthM*float64(col), 2*rackDepthM*float64(line)
		col++
	}
}

// measure finds the racks' size from how close they stand, and the rows.
func (f *floor) measure() {
	byRow := map[string][]float64{}
	sumY := map[string]float64{}
	var names []string
	f.x0, f.y0, f.x1, f.y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range f.places {
		if _, ok := byRow[p.row]; !ok {
			names = append(names, p.row)
		}
		byRow[p.row] = append(byRow[p.row], p.x)
		sumY[p.row] += p.y
		f.x0, f.x1 = math.Min(f.x0, p.x), math.Max(f.x1, p.x)
		f.y0, f.y1 = math.Min(f.y0, p.y), math.Max(f.y1, p.y)
	}
	pitch, rowPitch := math.Inf(1), math.Inf(1)
	var ys []float64
	for _, n := range names {
		xs := byRow[n]
		sort.Float64s(xs)
		for i := 1; i < len(xs); i++ {
			if d := xs[i] - xs[i-1]; d > 0.05 {
				pitch = math.Min(pitch, d)
			}
		}
		y := sumY[n] / float64(len(xs))
		ys = append(ys, y)
		f.rows = append(f.rows, floorRow{n, y})
	}
	sort.Float64s(ys)
	for i := 1; i < len(ys); i++ {
		if d := ys[i] - ys[i-1]; d > 0.05 {
			rowPitch = math.Min(rowPitch, d)
		}
	}
	if !math.IsInf(pitch, 0) {
		f.width = math.Min(pitch, 2)
	}
	if !math.IsInf(rowPitch, 0) {
		f.depth = math.Min(f.depth, rowPitch*0.9)
	}
	f.x0, f.x1 = f.x0-f.width/2, f.x1+f.width/2
	f.y0, f.y1 = f.y0-f.depth/2, f.y1+f.depth/2
}

func placementTitle(r *sim.Result) string {
	c := &r.Capacity
	total := len(r.Layout.Racks)
	head := fmt.Sprintf("%s in %s of %s", show.Of(c.ServersPlaced, "server"), show.Count(c.RacksUsed), show.Of(total, "rack"))
	n, ok := nextOf(r.Layout)
	switch {
	case ok && n.Fits > 0:
		head += fmt.Sprintf("; %s more would fit", show.Count(n.Fits))
		if n.LargestBlock > 0 && n.LargestBlock < n.Fits {
			head += fmt.Sprintf(", at most %s in one row (%s)", show.Count(n.LargestBlock), clean(n.Row))
		}
	case ok:
		head += "; no further one fits in any rack"
	}
	return head
}

// nextOf is what stops the next server of the first ordered model; not ok where the placement does not say.
func nextOf(l *placement.Layout) (placement.ModelNext, bool) {
	if len(l.Next) == 0 {
		return placement.ModelNext{}, false
	}
	return l.Next[0], true
}

// remaining is how many more servers of the first ordered model one rack takes, the others as they are.
func remaining(fit *placement.RackFit) int {
	if fit.Binding != placement.Order {
		return 0
	}
	least := -1
	for _, n := range fit.Max { // a minimum: the order of the map does not reach it
		if least < 0 || n < least {
			least = n
		}
	}
	return max(0, least-fit.Servers)
}

func placementFigure(r *sim.Result) *figure {
	l := r.Layout
	if l == nil || l.Facility == nil || len(l.Racks) == 0 {
		return figureWithout(r, "Floor map", "No racks: the result holds no placement.")
	}
	fl := newFloor(r)
	f := &figure{title: placementTitle(r), subtitle: subtitle(r)}
	most := 1
	for _, q := range fl.places {
		most = max(most, q.more)
	}
	name := firstModel(l)
	room := &panel{title: "Further " + name + " that each rack takes, the others as they are (+), and servers in it", free: func(p *pen, rect vg.Rectangle) {
		m := floorMap{
			f: fl, lo: 0, hi: float64(most), unit: "further servers", factor: 1, missing: "unknown", whole: true,
			value: func(q place) float64 { return float64(q.more) }, text: func(q place) string { return fmt.Sprintf("+%d", q.more) },
			sub: func(q place) string { return fmt.Sprintf("%d in", q.servers) }, reverse: true,
		}
		m.draw(p, rect)
	}}
	ranked := &panel{title: "Where the next " + name + " goes", free: func(p *pen, rect vg.Rectangle) { p.lines(rect, rankLines(l)) }}
	if fl.wide() {
		room.at, ranked.at = box{0, 0, 1, 0.46}, box{0, 0.50, 1, 1}
	} else {
		room.at, ranked.at = box{0, 0, 0.6, 1}, box{0.63, 0, 1, 1}
	}
	f.panels = []*panel{room, ranked}
	f.notes = append(f.notes, fl.note())
	return f
}

func firstModel(l *placement.Layout) string {
	if o := l.Facility.Orders; len(o) > 0 && o[0].Model >= 0 && o[0].Model < len(l.Facility.Models) {
		return fit(l.Facility.Models[o[0].Model].Name, sizePanel, true, 200)
	}
	return "servers"
}

// rankLines list the racks that take more, most first, with what that does to their feeds, and the racks that take none
// by the reason.
func rankLines(l *placement.Layout) []textLine {
	racks := l.Facility.Racks
	type free struct{ i, more int }
	var open []free
	type closed struct {
		why string
		ids []string
	}
	var shut []closed
	at := map[string]int{}
	for i := range l.Racks {
		fit := &l.Racks[i]
		if fit.Rack < 0 || fit.Rack >= len(racks) {
			continue
		}
		if n := remaining(fit); n > 0 {
			open = append(open, free{i, n})
			continue
		}
		why := "nothing more was asked for, and no limit is stated"
		if fit.Binding != placement.Order {
			why = refusalText(fit)
		}
		k, ok := at[why]
		if !ok {
			k = len(shut)
			at[why] = k
			shut = append(shut, closed{why: why})
		}
		shut[k].ids = append(shut[k].ids, racks[fit.Rack].ID)
	}
	sort.SliceStable(open, func(a, b int) bool { return open[a].more > open[b].more })
	var out []textLine
	if n, ok := nextOf(l); ok {
		if n.Fits > 0 {
			s := fmt.Sprintf("All together %s more fit; the largest block is %s in row %s.", show.Of(n.Fits, "server"), show.Count(n.LargestBlock), clean(n.Row))
			out = append(out, textLine{s: s, bold: true})
		} else {
			out = append(out, textLine{s: "None fits in any rack.", bold: true, color: limitRed})
		}
	}
	const mostOpen = 12
	for k, o := range open {
		if k == mostOpen {
			out = append(out, textLine{s: fmt.Sprintf("and %s with room", show.Of(len(open)-k, "more rack")), color: grey})
			break
		}
		fit := &l.Racks[o.i]
		s := fmt.Sprintf("%d. %s: +%d", k+1, clean(racks[fit.Rack].ID), o.more)
		if finite(fit.FeedShare) && fit.Servers > 0 {
			s += fmt.Sprintf("; feed after the worst loss %s, with one more %s", show.Percent(fit.FeedShare), show.Percent(fit.FeedShare*float64(fit.Servers+1)/float64(fit.Servers)))
		}
		out = append(out, textLine{s: s})
	}
	if len(shut) > 0 {
		out = append(out, textLine{s: "Racks that take none, and why", bold: true, gap: 8})
	}
	for _, c := range shut {
		out = append(out, textLine{s: fmt.Sprintf("%s (%s): %s", show.Of(len(c.ids), "rack"), spanOf(c.ids), c.why), color: orangeInk})
	}
	return out
}

// refusalText is every limit that refuses the next server of a rack, nearest first.
func refusalText(fit *placement.RackFit) string {
	if len(fit.Next) == 0 {
		return limitName(fit.Binding)
	}
	var parts []string
	for i, n := range fit.Next {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d more", len(fit.Next)-i))
			break
		}
		s := limitName(n.Limit)
		if finite(n.Short) && n.Short > 0 {
			s += " short by " + show.Quantity(n.Short, n.Unit)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// spanOf names a list of racks by its first and last.
func spanOf(ids []string) string {
	short := func(s string) string { return fit(s, sizeLabel, false, 110) }
	switch len(ids) {
	case 0:
		return ""
	case 1:
		return short(ids[0])
	case 2:
		return short(ids[0]) + ", " + short(ids[1])
	}
	return short(ids[0]) + " … " + short(ids[len(ids)-1])
}

// wide says that maps stand over each other and not side by side.
func (f *floor) wide() bool { return (f.x1-f.x0)/(f.y1-f.y0) > 2.2 }

func (f *floor) note() string {
	if f.schematic {
		return "Schematic: the scenario gives the racks no distinct places, so rows are drawn one under the other."
	}
	return fmt.Sprintf("To scale: %.1f m × %.1f m from the first rack to the last.", f.x1-f.x0, f.y1-f.y0)
}

// inletsFigure maps how full the racks are and how warm their air was.
func inletsFigure(r *sim.Result) *figure {
	l := r.Layout
	if l == nil || l.Facility == nil || len(l.Racks) == 0 {
		return figureWithout(r, "Warmth on the floor", "No racks: the result holds no placement.")
	}
	fl := newFloor(r)
	f := &figure{title: inletsTitle(r, &fl), subtitle: subtitle(r)}
	fits := &panel{title: "Servers in each rack, coloured by the share of its power limit in use", free: func(p *pen, rect vg.Rectangle) {
		m := floorMap{
			f: fl, lo: 0, hi: 1, unit: "% of the rack's limit", factor: 100, missing: "no limit stated",
			value: func(q place) float64 { return q.share }, text: func(q place) string { return show.Count(q.servers) },
		}
		m.draw(p, rect)
	}}
	warm := &panel{title: "Hottest inlet of each rack over the run, °C"}
	switch {
	case len(r.Racks) == 0:
		warm.why = "No inlet temperatures: the run holds no result per rack (placement only)."
	case !fl.inletKnown:
		warm.why = "No inlet temperatures: unknown for every rack."
	default:
		lo, hi := inletRange(fl)
		warm.free = func(p *pen, rect vg.Rectangle) {
			m := floorMap{
				f: fl, lo: lo, hi: hi, unit: "°C", factor: 1, missing: "unknown",
				value: func(q place) float64 { return q.inletC }, text: func(q place) string {
					if !finite(q.inletC) {
						return "?"
					}
					return fmt.Sprintf("%.1f", q.inletC)
				},
			}
			m.draw(p, rect)
		}
	}
	// Wide halls stand over each other, square and deep ones side by side.
	if fl.wide() {
		fits.at, warm.at = box{0, 0, 1, 0.48}, box{0, 0.52, 1, 1}
	} else {
		fits.at, warm.at = box{0, 0, 0.485, 1}, box{0.515, 0, 1, 1}
	}
	f.panels = []*panel{fits, warm}
	f.notes = append(f.notes, fl.note())
	return f
}

func inletsTitle(r *sim.Result, fl *floor) string {
	hot, where := math.Inf(-1), ""
	for _, q := range fl.places {
		if finite(q.inletC) && q.inletC > hot {
			hot, where = q.inletC, q.id
		}
	}
	if where == "" {
		return "Inlet temperatures are unknown"
	}
	s := "The warmest inlet was " + show.Celsius(hot) + ", at " + clean(where)
	if lim := limitsOf(r); finite(lim.inletHighC) {
		s += "; its servers allow " + show.Celsius(lim.inletHighC)
	}
	return s
}

// inletRange is the colour range of inlets: round degrees around what occurred, at least 5 K wide so that a
// spread of tenths of a kelvin does not look like a hot spot.
func inletRange(f floor) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range f.places {
		if finite(p.inletC) {
			lo, hi = math.Min(lo, p.inletC), math.Max(hi, p.inletC)
		}
	}
	lo, hi = math.Floor(lo), math.Ceil(hi)
	for hi-lo < 5 {
		lo, hi = lo-0.5, hi+0.5
	}
	return math.Floor(lo), math.Ceil(hi)
}

// floorMap draws the racks coloured by a value.
type floorMap struct {
	f       floor
	lo, hi  float64
	factor  float64 // of values in the key
	unit    string
	missing string // what a rack without a value is called
	value   func(place) float64
	text    func(place) string
	sub     func(place) string // a second, smaller line; nil: none
	reverse bool               // low values are dark
	whole   bool               // the key has whole numbers
}

func (m floorMap) draw(p *pen, r vg.Rectangle) {
	f := m.f
	nameW := vg.Length(0)
	for _, row := range f.rows {
		nameW = max(nameW, textWidth(fit(row.name, sizeLabel, true, 90), sizeLabel, true))
	}
	const keyH = vg.Length(42)
	area := vg.Rectangle{Min: vg.Point{X: r.Min.X + nameW + 10, Y: r.Min.Y + keyH}, Max: vg.Point{X: r.Max.X - 4, Y: r.Max.Y - 4}}
	w, h := float64(area.Max.X-area.Min.X), float64(area.Max.Y-area.Min.Y)
	scale := math.Min(w/(f.x1-f.x0), h/(f.y1-f.y0))
	scale = math.Min(scale, 120/rackWidthM) // a lone rack does not fill the page
	ox := float64(area.Min.X) + (w-scale*(f.x1-f.x0))/2
	if w-scale*(f.x1-f.x0) > 4*float64(nameW) { // names stay beside their rows
		ox = math.Max(float64(area.Min.X), ox)
	}
	top := float64(area.Max.Y) - math.Min(12, (h-scale*(f.y1-f.y0))/2)
	rw, rd := vg.Length(f.width*scale), vg.Length(f.depth*scale)
	inset := min(rw*0.04, 1.5)
	at := func(q place) (x, y vg.Length) { // the plan's y grows down the page
		return vg.Length(ox + (q.x-f.x0)*scale), vg.Length(top - (q.y-f.y0)*scale)
	}
	for _, row := range f.rows {
		_, y := at(place{x: f.x0, y: row.y})
		if rd >= sizeSmall {
			p.text(vg.Length(ox)-8, y, fit(row.name, sizeLabel, true, 90), style{size: sizeLabel, bold: true, color: ink, ax: 1, ay: 0.5})
		}
	}
	m.aisles(p, ox, top, scale)
	missing := false
	for _, q := range f.places {
		x, y := at(q)
		cell := vg.Rectangle{Min: vg.Point{X: x - rw/2 + inset, Y: y - rd/2 + inset}, Max: vg.Point{X: x + rw/2 - inset, Y: y + rd/2 - inset}}
		v := m.value(q)
		fill := missGrey
		if finite(v) {
			fill = ramp(m.tone(clampShare((v - m.lo) / (m.hi - m.lo))))
		} else {
			missing = true
		}
		p.rect(cell, fill)
		if rw > 6 {
			p.frame(cell, draw.LineStyle{Color: grey, Width: lineGrid})
		}
		m.inRack(p, q, cell, textOn(fill))
	}
	m.key(p, vg.Rectangle{Min: r.Min, Max: vg.Point{X: r.Max.X, Y: r.Min.Y + keyH}}, missing)
}

// inRack writes the value, and the rack's name where there is room.
func (m floorMap) inRack(p *pen, q place, cell vg.Rectangle, c color.RGBA) {
	w, h := cell.Max.X-cell.Min.X, cell.Max.Y-cell.Min.Y
	x, y := (cell.Min.X+cell.Max.X)/2, (cell.Min.Y+cell.Max.Y)/2
	s := m.text(q)
	for _, size := range [...]vg.Length{18, sizeLabel, sizeSmall, 9} {
		named := h > size*2.6 && textWidth(q.id, sizeSmall, false) < w-3
		if textWidth(s, size, true) < w-3 && size < h-2 {
			if named {
				p.text(x, cell.Max.Y-4, q.id, style{size: sizeSmall, color: c, ax: 0.5, ay: 1})
				y -= 5
			}
			p.text(x, y, s, style{size: size, bold: true, color: c, ax: 0.5, ay: 0.5})
			if m.sub != nil && named && h > size*2.6+2*sizeSmall && textWidth(m.sub(q), sizeSmall, false) < w-3 {
				p.text(x, cell.Min.Y+5, m.sub(q), style{size: sizeSmall, color: c, ax: 0.5})
			}
			return
		}
	}
}

// aisles names the gaps between rows that are wide enough to be one.
func (m floorMap) aisles(p *pen, ox, top, scale float64) {
	f := m.f
	rows := append([]floorRow(nil), f.rows...)
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].y < rows[j].y })
	for i := 1; i < len(rows); i++ {
		gap := rows[i].y - rows[i-1].y - f.depth
		if f.schematic || gap < 0.5 || gap*scale < float64(sizeSmall)+3 {
			continue
		}
		y := top - ((rows[i].y+rows[i-1].y)/2-f.y0)*scale
		x := ox + (f.x1-f.x0)*scale/2
		p.text(vg.Length(x), vg.Length(y), fmt.Sprintf("aisle %.1f m", gap), style{size: sizeSmall, color: grey, ax: 0.5, ay: 0.5})
	}
}

// key draws the colour scale with round values under it.
func (m floorMap) key(p *pen, r vg.Rectangle, missing bool) {
	const steps, barH = 60, vg.Length(10)
	w := min((r.Max.X-r.Min.X)*0.45, 300)
	x0, y1 := r.Min.X, r.Max.Y-10
	for i := range steps {
		a, b := vg.Length(i)/steps, vg.Length(i+1)/steps
		p.rect(vg.Rectangle{Min: vg.Point{X: x0 + a*w, Y: y1 - barH}, Max: vg.Point{X: x0 + b*w + 0.4, Y: y1}}, ramp(m.tone((float64(i)+0.5)/steps)))
	}
	bar := vg.Rectangle{Min: vg.Point{X: x0, Y: y1 - barH}, Max: vg.Point{X: x0 + w, Y: y1}}
	p.frame(bar, draw.LineStyle{Color: grey, Width: lineGrid})
	for _, tk := range (numberTicks{want: 5, whole: m.whole}).Ticks(m.lo*m.factor, m.hi*m.factor) {
		x := x0 + w*vg.Length((tk.Value/m.factor-m.lo)/(m.hi-m.lo))
		ax := 0.5
		if x-x0 < 8 {
			ax = 0
		}
		p.text(x, y1-barH-3, tk.Label, style{size: sizeSmall, color: ink, ax: ax, ay: 1})
	}
	x := x0 + w + 14
	p.text(x, y1-barH/2, m.unit, style{size: sizeSmall, color: ink, ay: 0.5})
	if missing {
		x += textWidth(m.unit, sizeSmall, false) + 24
		sw := vg.Rectangle{Min: vg.Point{X: x, Y: y1 - barH}, Max: vg.Point{X: x + 16, Y: y1}}
		p.rect(sw, missGrey)
		p.frame(sw, draw.LineStyle{Color: grey, Width: lineGrid})
		p.text(x+21, y1-barH/2, m.missing, style{size: sizeSmall, color: ink, ay: 0.5})
	}
}

// tone turns a place on the key into one on the ramp.
func (m floorMap) tone(t float64) float64 {
	if m.reverse {
		return 1 - t
	}
	return t
}

func clampShare(t float64) float64 { return math.Min(1, math.Max(0, t)) }
