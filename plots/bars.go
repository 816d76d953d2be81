package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barPart is one part of stacked bars, a value for each bar; what is not positive is not drawn.
type barPart struct {
	name    string
	fill    color.RGBA
	hatched bool
	v       []float64
}

// barsMark is a bar for every slot of an axis from slotAxis: parts one on the other, a limit across.
type barsMark struct {
	name          string
	offset, width float64 // of the bar in its slot, in slots
	parts         []barPart
	limit         []float64 // NaN none
	text          []string  // over the bar where there is room
}

func (m barsMark) label() string { return m.name }
func (m barsMark) below() bool   { return false }

// slotAxis is the x axis of n bars beside each other, drawn by nameMark.
func slotAxis(n int) axis {
	return axis{min: -0.5, max: float64(n) - 0.5, none: true, ticker: fixedTicks{}}
}

func (m barsMark) bars() int { return len(m.parts[0].v) }

// top is the highest that bars or limits reach.
func (m barsMark) top() float64 {
	hi := 0.0
	for i := range m.bars() {
		y := 0.0
		for _, p := range m.parts {
			if finite(p.v[i]) && p.v[i] > 0 {
				y += p.v[i]
			}
		}
		hi = math.Max(hi, y)
	}
	for _, l := range m.limit {
		if finite(l) {
			hi = math.Max(hi, l)
		}
	}
	return hi
}

func (m barsMark) draw(p *pen, t trans) {
	slot := (t.r.Max.X - t.r.Min.X) / vg.Length(t.dx)
	w := slot * vg.Length(m.width)
	for i := range m.bars() {
		x0 := t.x(float64(i)+m.offset) - w/2
		y := 0.0
		for _, part := range m.parts {
			v := part.v[i]
			if !finite(v) || v <= 0 {
				continue
			}
			bar := vg.Rectangle{Min: vg.Point{X: x0, Y: t.y(y)}, Max: vg.Point{X: x0 + w, Y: t.y(y + v)}}
			if part.hatched {
				p.hatch(bar, part.fill)
			} else {
				p.rect(bar, part.fill)
				if w > 5 {
					p.frame(bar, draw.LineStyle{Color: grey, Width: lineGrid})
				}
			}
			y += v
		}
		if i < len(m.limit) && finite(m.limit[i]) && m.limit[i] <= t.y0+t.dy {
			ly := t.y(m.limit[i])
			p.line(x0-min(3, w*0.1), ly, x0+w+min(3, w*0.1), ly, draw.LineStyle{Color: limitRed, Width: lineData, Dashes: []vg.Length{5, 3}})
		}
		if i < len(m.text) && m.text[i] != "" && textWidth(m.text[i], sizeSmall, false) < w+4 {
			top, st := t.y(y), style{size: sizeSmall, color: ink, ax: 0.5}
			at := top + 3
			// Where the limit would run through the figure, it stands inside the bar.
			if i < len(m.limit) && finite(m.limit[i]) && t.y(m.limit[i]) > top-1 && t.y(m.limit[i]) < top+sizeSmall+6 && top-t.r.Min.Y > 2*sizeSmall && len(m.parts) == 1 {
				at, st.color = top-sizeSmall-2, textOn(m.parts[0].fill)
			}
			p.text(x0+w/2, at, m.text[i], st)
		}
	}
}

// nameMark writes the names of bars under their slots, turned upright where they are too wide.
type nameMark struct {
	names []string
	width vg.Length // of the longest, once upright
	turn  bool
}

// newNameMark settles how names fit under slots that share a width.
func newNameMark(names []string, width vg.Length) nameMark {
	m := nameMark{names: names}
	slot := width / vg.Length(max(1, len(names)))
	for _, n := range names {
		w := textWidth(clean(n), sizeTick, false)
		m.turn = m.turn || w > slot-4
		m.width = min(footNames, max(m.width, w+12))
	}
	return m
}

func (m nameMark) label() string { return "" }
func (m nameMark) below() bool   { return false }

// foot is the room that the names take.
func (m nameMark) foot() vg.Length {
	if m.turn {
		return m.width + 4
	}
	return sizeTick + 12
}

func (m nameMark) draw(p *pen, t trans) {
	slot := (t.r.Max.X - t.r.Min.X) / vg.Length(t.dx)
	y := t.r.Min.Y - 7
	for i, n := range m.names {
		x := t.x(float64(i))
		if m.turn {
			if slot < sizeTick { // closer than a line of type: every one would cover the next
				if k := int(math.Ceil(float64(sizeTick / slot))); i%k != 0 {
					continue
				}
			}
			p.text(x, y, fit(n, sizeTick, false, m.width-8), style{size: sizeTick, color: ink, ax: 1, ay: 0.5, turn: math.Pi / 2})
			continue
		}
		p.text(x, y, fit(n, sizeTick, false, slot-2), style{size: sizeTick, color: ink, ax: 0.5, ay: 1})
	}
}

// textLine is one line of a list in a panel; it wraps where it is wider than the panel.
type textLine struct {
	s     string
	bold  bool
	color color.RGBA
	gap   vg.Length // above it
}

// lines writes a list from the top of a rectangle down, as many lines as it has room for; what is left is counted.
func (p *pen) lines(r vg.Rectangle, lines []textLine) {
	y := r.Max.Y
	const step, indent, most = sizeLabel + 4, vg.Length(14), 3
	for i, l := range lines {
		y -= l.gap
		rows := wrap(l.s, sizeLabel, l.bold, r.Max.X-r.Min.X-indent, most)
		if y-step*vg.Length(len(rows)) < r.Min.Y+step && i < len(lines)-1 || y-step*vg.Length(len(rows)) < r.Min.Y {
			p.text(r.Min.X, y, "and "+count(len(lines)-i)+" more lines", style{size: sizeLabel, color: grey, ay: 1})
			return
		}
		c := l.color
		if c.A == 0 {
			c = ink
		}
		x := r.Min.X
		for _, s := range rows {
			p.text(x, y, s, style{size: sizeLabel, bold: l.bold, color: c, ay: 1})
			y, x = y-step, r.Min.X+indent
		}
	}
}
