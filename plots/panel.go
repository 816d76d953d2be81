package plots

import (
	"image/color"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sideLabel is a direct label at the right of the data area, at the height of what it names.
type sideLabel struct {
	y     float64
	text  string
	color color.RGBA
}

// legendEntry is one entry of the legend above the data area.
type legendEntry struct {
	name  string
	color color.RGBA
	// as: how the thing looks: "line", "dash", "dot", "box", "hatch"
	as string
}

// trans turns data into places on the page.
type trans struct {
	r      vg.Rectangle
	x0, dx float64
	y0, dy float64
}

func (t trans) x(v float64) vg.Length {
	return t.r.Min.X + vg.Length((v-t.x0)/t.dx)*(t.r.Max.X-t.r.Min.X)
}

func (t trans) y(v float64) vg.Length {
	return t.r.Min.Y + vg.Length((v-t.y0)/t.dy)*(t.r.Max.Y-t.r.Min.Y)
}

// mark is one thing drawn in the data area.
type mark interface {
	draw(p *pen, t trans)
	label() string // series name, "" for decoration
	// below says that the mark lies under the grid (fills) rather than over it (lines).
	below() bool
}

// maxSide is the widest that direct labels may make the right margin; longer ones wrap.
const (
	maxSide   = vg.Length(165)
	sideLines = 3
	leader    = vg.Length(12)
)

// need returns the room that a panel's tick labels take at the left and its direct labels at the right.
func (pn *panel) need() (left, right vg.Length) {
	if pn.free != nil || pn.why != "" {
		return 0, 0
	}
	if !pn.y.none {
		for h := vg.Length(0); h < 600; h += 2 * sizeTick { // the height is not known yet: the widest at any
			for _, t := range pn.yTicks(h) {
				left = max(left, textWidth(t.Label, sizeTick, false))
			}
		}
		left += tickLen + 5
	}
	for _, l := range pn.labels {
		for _, s := range wrap(l.text, sizeLabel, false, maxSide, sideLines) {
			right = max(right, textWidth(s, sizeLabel, false))
		}
	}
	if len(pn.labels) > 0 {
		right += leader + 6
	}
	return left, max(right, 14)
}

// yTicks are the ticks of an axis of height h, as many as fit, none closer to the next than its label is high.
func (pn *panel) yTicks(h vg.Length) []plot.Tick {
	ticker := pn.y.ticker
	if ticker == nil {
		ticker = numberTicks{want: 6}
	}
	n, ok := ticker.(numberTicks)
	if !ok {
		return ticker.Ticks(pn.y.min, pn.y.max)
	}
	for n.want = min(n.want, max(2, int(h/(2.2*sizeTick)))); ; n.want-- {
		ticks := n.Ticks(pn.y.min, pn.y.max)
		room := float64((sizeTick+2)/max(h, 1)) * (pn.y.max - pn.y.min)
		if n.want <= 1 || len(ticks) < 2 || ticks[1].Value-ticks[0].Value >= room {
			return ticks
		}
	}
}

// header is the line over the axes: what is drawn, in which unit.
func (pn *panel) header() string {
	if pn.y.unit == "" {
		return pn.title
	}
	return pn.title + ", " + pn.y.unit
}

// draw puts the panel into r with the left and right margins that align it with its neighbours.
func (pn *panel) draw(p *pen, r vg.Rectangle, left, right vg.Length) {
	top := r.Max.Y
	p.text(r.Min.X, top, fit(pn.header(), sizePanel, true, r.Max.X-r.Min.X), style{size: sizePanel, bold: true, color: ink, ay: 1})
	top -= sizePanel + 6
	if pn.free != nil {
		pn.free(p, vg.Rectangle{Min: r.Min, Max: vg.Point{X: r.Max.X, Y: top}})
		return
	}
	if pn.why != "" {
		p.nothing(vg.Rectangle{Min: r.Min, Max: vg.Point{X: r.Max.X, Y: top}}, pn.why)
		return
	}
	top -= pn.drawLegend(p, r, top)

	if pn.x.ticker == nil {
		pn.x.ticker = numberTicks{want: 8}
	}
	area := vg.Rectangle{Min: vg.Point{X: r.Min.X + left, Y: r.Min.Y}, Max: vg.Point{X: r.Max.X - right, Y: top - 4}}
	if tt, ok := pn.x.ticker.(timeTicks); ok {
		tt.width = area.Max.X - area.Min.X
		pn.x.ticker = tt
	}
	xTicks := pn.x.ticker.Ticks(pn.x.min, pn.x.max)
	area.Min.Y += pn.xRoom(xTicks) + pn.foot
	yTicks := pn.yTicks(area.Max.Y - area.Min.Y)
	t := trans{r: area, x0: pn.x.min, dx: pn.x.max - pn.x.min, y0: pn.y.min, dy: pn.y.max - pn.y.min}

	for _, m := range pn.marks {
		if m.below() {
			m.draw(p, t)
		}
	}
	grid := draw.LineStyle{Color: gridGrey, Width: lineGrid}
	if !pn.y.none {
		for _, tk := range yTicks {
			p.line(area.Min.X, t.y(tk.Value), area.Max.X, t.y(tk.Value), grid)
		}
	}
	for _, m := range pn.marks {
		if !m.below() {
			m.draw(p, t)
		}
	}
	pn.drawAxes(p, t, xTicks, yTicks)
	pn.drawSide(p, t)
}

// xRoom is the height under the data area.
func (pn *panel) xRoom(ticks []plot.Tick) vg.Length {
	if pn.x.none {
		return 0
	}
	if pn.x.quiet {
		return tickLen
	}
	rows := 1
	for _, tk := range ticks {
		rows = max(rows, 1+strings.Count(tk.Label, "\n"))
	}
	if pn.x.label != "" {
		rows = max(rows, 2)
	}
	return tickLen + 4 + vg.Length(rows)*(sizeTick+4)
}

func (pn *panel) drawAxes(p *pen, t trans, xTicks, yTicks []plot.Tick) {
	line := draw.LineStyle{Color: grey, Width: lineFine}
	area := t.r
	p.line(area.Min.X, area.Min.Y, area.Max.X, area.Min.Y, line)
	if !pn.y.none {
		for _, tk := range yTicks {
			p.text(area.Min.X-tickLen-3, t.y(tk.Value), tk.Label, style{size: sizeTick, color: ink, ax: 1, ay: 0.5})
		}
	}
	if pn.x.none {
		return
	}
	row1 := area.Min.Y - tickLen - 3
	row2 := row1 - sizeTick - 4
	lastEnd1, lastEnd2 := vg.Length(-1e9), vg.Length(-1e9)
	var taken []vg.Length // start and end of each label in the second row
	for _, tk := range xTicks {
		x := t.x(tk.Value)
		p.line(x, area.Min.Y, x, area.Min.Y-tickLen, line)
		if pn.x.quiet {
			continue
		}
		first, second, _ := strings.Cut(tk.Label, "\n")
		// A label that would touch the one before it, or leave the page, is left out; its tick stays.
		put := func(s string, y vg.Length, end *vg.Length) {
			w := textWidth(s, sizeTick, false)
			if s == "" || x-w/2 < *end || x+w/2 > pageW-4 || x-w/2 < 4 {
				return
			}
			p.text(x, y, s, style{size: sizeTick, color: ink, ax: 0.5, ay: 1})
			*end = x + w/2 + labelGap
			if y == row2 {
				taken = append(taken, x-w/2-labelGap, x+w/2+labelGap)
			}
		}
		put(first, row1, &lastEnd1)
		put(second, row2, &lastEnd2)
	}
	if pn.x.label != "" && !pn.x.quiet {
		label := pn.x.label
		if pn.x.unit != "" {
			label += ", " + pn.x.unit
		}
		w := textWidth(label, sizeTick, false)
		for _, x := range []vg.Length{area.Max.X, (area.Min.X + area.Max.X + w) / 2, area.Min.X + (area.Max.X-area.Min.X)/4 + w, area.Max.X - 60} {
			free := true
			for i := 0; i < len(taken); i += 2 {
				free = free && (x < taken[i] || x-w > taken[i+1])
			}
			if free {
				p.text(x, row2, label, style{size: sizeTick, color: grey, ax: 1, ay: 1})
				break
			}
		}
	}
}

// drawSide writes the direct labels, pushed apart so that none covers another, each with a leader to the
// height it belongs to.
func (pn *panel) drawSide(p *pen, t trans) {
	type placed struct {
		lines []string
		at, y vg.Length // where it belongs, where it is
		h     vg.Length
		c     color.RGBA
	}
	const lineH = sizeLabel + 2
	ls := make([]placed, 0, len(pn.labels))
	for _, l := range pn.labels {
		if !finite(l.y) {
			continue
		}
		y := min(max(t.y(l.y), t.r.Min.Y), t.r.Max.Y)
		lines := wrap(l.text, sizeLabel, false, maxSide, sideLines)
		ls = append(ls, placed{lines: lines, at: y, y: y, h: vg.Length(len(lines))*lineH + 3, c: l.color})
	}
	sort.SliceStable(ls, func(i, j int) bool { return ls[i].at > ls[j].at })
	top := t.r.Max.Y + lineH*0.7
	for i := range ls { // push down
		ls[i].y = min(ls[i].y, top-ls[i].h/2)
		top = ls[i].y - ls[i].h/2
	}
	bottom := t.r.Min.Y - 3             // clear of the time axis's labels
	for i := len(ls) - 1; i >= 0; i-- { // and back up off the floor
		ls[i].y = max(ls[i].y, bottom+ls[i].h/2)
		bottom = ls[i].y + ls[i].h/2
	}
	for _, l := range ls {
		p.line(t.r.Max.X+2, l.at, t.r.Max.X+leader, l.y, draw.LineStyle{Color: l.c, Width: lineGrid})
		y := l.y + vg.Length(len(l.lines)-1)*lineH/2
		for _, s := range l.lines {
			p.text(t.r.Max.X+leader+3, y, s, style{size: sizeLabel, color: l.c, ay: 0.5})
			y -= lineH
		}
	}
}

// maxLegend is the most entries a legend shows; what is left is counted.
const maxLegend = 14

// drawLegend writes the legend under the panel's title, as many lines as it takes, and returns its height.
func (pn *panel) drawLegend(p *pen, r vg.Rectangle, top vg.Length) vg.Length {
	if len(pn.legend) == 0 {
		return 0
	}
	const rowH, swatch = sizeLabel + 5, vg.Length(18)
	entries := pn.legend
	if len(entries) > maxLegend {
		entries = append(entries[:maxLegend-1:maxLegend-1], legendEntry{name: "and " + count(len(pn.legend)-maxLegend+1) + " more", as: "none"})
	}
	x, y := r.Min.X, top
	for _, e := range entries {
		name := fit(e.name, sizeLabel, false, r.Max.X-r.Min.X-swatch-8)
		w := swatch + 5 + textWidth(name, sizeLabel, false) + 18
		if x > r.Min.X && x+w-18 > r.Max.X {
			x, y = r.Min.X, y-rowH
		}
		mid := y - sizeLabel/2 + 1
		sw := vg.Rectangle{Min: vg.Point{X: x, Y: mid - 5}, Max: vg.Point{X: x + swatch, Y: mid + 5}}
		switch e.as {
		case "box":
			p.rect(sw, e.color)
			p.frame(sw, draw.LineStyle{Color: grey, Width: lineGrid})
		case "hatch":
			p.hatch(sw, e.color)
		case "dash":
			p.line(x, mid, x+swatch, mid, draw.LineStyle{Color: e.color, Width: lineData, Dashes: []vg.Length{5, 3}})
		case "dot":
			p.line(x, mid, x+swatch, mid, referenceStyle(e.color))
		case "line":
			p.line(x, mid, x+swatch, mid, draw.LineStyle{Color: e.color, Width: lineData})
		}
		p.text(x+swatch+5, mid, name, style{size: sizeLabel, color: ink, ay: 0.5})
		x += w
	}
	return top - y + rowH
}

// nothing draws an empty panel that says why it is empty.
func (p *pen) nothing(r vg.Rectangle, why string) {
	p.rect(r, paleGrey)
	lines := wrap(why, sizePanel, false, (r.Max.X-r.Min.X)*0.8, 4)
	y := (r.Min.Y+r.Max.Y)/2 + vg.Length(len(lines)-1)*(sizePanel+4)/2
	for _, s := range lines {
		p.text((r.Min.X+r.Max.X)/2, y, s, style{size: sizePanel, color: grey, ax: 0.5, ay: 0.5})
		y -= sizePanel + 4
	}
}

// hatch fills a rectangle with diagonal lines over white, which reads as "cannot be used" without colour.
func (p *pen) hatch(r vg.Rectangle, c color.RGBA) {
	p.rect(r, white)
	const gap = vg.Length(6)
	st := draw.LineStyle{Color: c, Width: 1.1}
	w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	for d := -h + gap/2; d < w; d += gap { // the line from (d, 0) to (d+h, h), cut to the rectangle
		x0, y0, x1, y1 := d, vg.Length(0), d+h, h
		if x0 < 0 {
			x0, y0 = 0, -d
		}
		if x1 > w {
			x1, y1 = w, w-d
		}
		if x1 > x0 {
			p.line(r.Min.X+x0, r.Min.Y+y0, r.Min.X+x1, r.Min.Y+y1, st)
		}
	}
	p.frame(r, draw.LineStyle{Color: c, Width: lineGrid})
}
