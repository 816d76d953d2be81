package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StudyHeat is one figure over two inputs.
type StudyHeat struct {
	Name   string
	X, Y   StudyAxis
	Xs, Ys []string    // values of the inputs, as they are written
	Values [][]float64 // by Ys, by Xs; NaN is unknown
	Texts  [][]string  // the figure in words
}

// heatText is the least width of a cell that its figure is written in.
const heatText = vg.Length(38)

func (h *StudyHeat) panel() *panel {
	pn := &panel{title: h.Name + " by " + h.X.Name + " and " + h.Y.Name}
	lo, hi := extent(h.Values...)
	if lo > hi || len(h.Xs) == 0 || len(h.Ys) == 0 {
		pn.why = "no run knows this figure"
		return pn
	}
	if lo == hi { // colours would show a difference that is not there
		pn.why = h.everywhere()
		return pn
	}
	pn.free = func(p *pen, r vg.Rectangle) {
		left := vg.Length(0)
		for _, y := range h.Ys {
			left = max(left, textWidth(y, sizeTick, false))
		}
		area := vg.Rectangle{
			Min: vg.Point{X: r.Min.X + left + 8, Y: r.Min.Y + 2*sizeTick + 12},
			Max: vg.Point{X: r.Max.X, Y: r.Max.Y - sizeTick - 6},
		}
		p.text(r.Min.X, r.Max.Y, h.Y.Name, style{size: sizeTick, color: grey, ay: 1})
		w := (area.Max.X - area.Min.X) / vg.Length(len(h.Xs))
		high := (area.Max.Y - area.Min.Y) / vg.Length(len(h.Ys))
		everyX := 1 + int(widest(h.Xs)/max(w, 1))
		everyY := 1 + int((sizeTick+3)/max(high, 1))
		for j, y := range h.Ys {
			bottom := area.Min.Y + vg.Length(j)*high
			if j%everyY == 0 {
				p.text(area.Min.X-6, bottom+high/2, y, style{size: sizeTick, color: ink, ax: 1, ay: 0.5})
			}
			for i := range h.Xs {
				cell := vg.Rectangle{Min: vg.Point{X: area.Min.X + vg.Length(i)*w, Y: bottom}, Max: vg.Point{X: area.Min.X + vg.Length(i+1)*w, Y: bottom + high}}
				v := h.Values[j][i]
				fill := missGrey
				if finite(v) {
					fill = ramp((v - lo) / (hi - lo))
				}
				p.rect(cell, fill)
				p.frame(cell, draw.LineStyle{Color: white, Width: lineGrid})
				if text := h.Texts[j][i]; high > sizeSmall+2 && w >= min(heatText, textWidth(text, sizeSmall, false)+4) && textWidth(text, sizeSmall, false) < w {
					p.text(cell.Min.X+w/2, cell.Min.Y+high/2, text, style{size: sizeSmall, color: textOn(fill), ax: 0.5, ay: 0.5})
				}
			}
		}
		for i, x := range h.Xs {
			if i%everyX == 0 {
				p.text(area.Min.X+(vg.Length(i)+0.5)*w, area.Min.Y-5, x, style{size: sizeTick, color: ink, ax: 0.5, ay: 1})
			}
		}
		p.text(area.Max.X, area.Min.Y-sizeTick-9, h.X.Name, style{size: sizeTick, color: grey, ax: 1, ay: 1})
	}
	return pn
}

// everywhere says the one value that all known cells have.
func (h *StudyHeat) everywhere() string {
	text, where := "", "everywhere"
	for j, row := range h.Values {
		for i, v := range row {
			if finite(v) {
				text = h.Texts[j][i]
			} else {
				where = "wherever it is known"
			}
		}
	}
	return text + " " + where
}

// widest is the width of the widest of texts with a gap.
func widest(texts []string) vg.Length {
	w := vg.Length(0)
	for _, t := range texts {
		w = max(w, textWidth(t, sizeTick, false)+8)
	}
	return w
}
