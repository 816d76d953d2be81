package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StudyTornado is what moving one input at a time does to one figure, the largest effect first.
type StudyTornado struct {
	Figure StudyAxis
	Base   string // the figure as the scenario has it, in words
	Bars   []StudySwing
}

// StudySwing is one input at its two values. Changes are against the scenario as it is; halves are half the widths of
// their 95 % intervals, NaN where there are none.
type StudySwing struct {
	Name                  string
	Low, High             string // the values
	ChangeLow, ChangeHigh float64
	HalfLow, HalfHigh     float64
	TextLow, TextHigh     string // the changes in words
}

// mostSwings is how many bars one panel holds.
const mostSwings = 14

func (s *StudyTornado) panel() *panel {
	pn := &panel{title: "Change of " + s.Figure.Name + " from " + s.Base}
	top := 0.0
	for _, b := range s.Bars {
		top = math.Max(top, largestOf([]float64{b.ChangeLow, b.ChangeHigh}))
	}
	if top == 0 {
		pn.why = "no input moves this figure, or no run knows it"
		return pn
	}
	pn.free = func(p *pen, r vg.Rectangle) {
		bars := s.Bars[:min(len(s.Bars), mostSwings)]
		names, words := vg.Length(0), vg.Length(0)
		for _, b := range bars {
			names = max(names, textWidth(b.Name, sizeTick, false))
			for _, t := range []string{b.Low + ": " + b.TextLow, b.High + ": " + b.TextHigh} {
				words = max(words, textWidth(t, sizeSmall, false))
			}
			if b.ChangeLow*b.ChangeHigh >= 0 { // both on one side
				words = max(words, textWidth(b.Low+": "+b.TextLow+"; "+b.High+": "+b.TextHigh, sizeSmall, false))
			}
		}
		names = min(names, (r.Max.X-r.Min.X)/4)
		left, right := r.Min.X+names+14+words, r.Max.X-words-6
		mid, half := (left+right)/2, (right-left)/2
		row := min((r.Max.Y-r.Min.Y)/vg.Length(len(bars)), 84)
		for i, b := range bars {
			y := r.Max.Y - (vg.Length(i)+0.5)*row
			p.text(r.Min.X, y, fit(b.Name, sizeTick, false, names), style{size: sizeTick, color: ink, ay: 0.5})
			side := func(change, wide float64, hatched bool) {
				if !finite(change) || change == 0 {
					return
				}
				x := mid + vg.Length(change/top)*half
				bar := vg.Rectangle{Min: vg.Point{X: min(mid, x), Y: y - row*0.3}, Max: vg.Point{X: max(mid, x), Y: y + row*0.3}}
				if hatched {
					p.hatch(bar, orangeInk)
				} else {
					p.rect(bar, navy)
				}
				if finite(wide) && wide > 0 {
					a, z := mid+vg.Length((change-wide)/top)*half, mid+vg.Length((change+wide)/top)*half
					p.line(max(a, left), y, min(z, right), y, draw.LineStyle{Color: ink, Width: lineFine})
				}
			}
			// The longer bar first, so that the shorter shows where both go one way.
			low := func() { side(b.ChangeLow, b.HalfLow, false) }
			high := func() { side(b.ChangeHigh, b.HalfHigh, true) }
			if math.Abs(b.ChangeLow) > math.Abs(b.ChangeHigh) {
				low()
				high()
			} else {
				high()
				low()
			}
			b.words(p, func(change float64) vg.Length { return mid + vg.Length(change/top)*half }, y)
		}
		p.line(mid, r.Max.Y, mid, r.Max.Y-row*vg.Length(len(bars)), draw.LineStyle{Color: grey, Width: lineFine})
	}
	return pn
}

// words writes the changes at the ends of the bars; those of one side in one line, beyond the longer bar.
func (b *StudySwing) words(p *pen, at func(change float64) vg.Length, y vg.Length) {
	var left, right string
	lo, hi := at(0), at(0)
	for _, e := range []struct {
		change float64
		text   string
	}{{b.ChangeLow, b.Low + ": " + b.TextLow}, {b.ChangeHigh, b.High + ": " + b.TextHigh}} {
		join := func(s string) string {
			if s == "" {
				return e.text
			}
			return s + "; " + e.text
		}
		switch {
		case finite(e.change) && e.change < 0:
			left, lo = join(left), min(lo, at(e.change))
		case finite(e.change):
			right, hi = join(right), max(hi, at(e.change))
		default:
			right = join(right)
		}
	}
	p.text(lo-4, y, left, style{size: sizeSmall, color: ink, ax: 1, ay: 0.5, halo: true})
	p.text(hi+4, y, right, style{size: sizeSmall, color: ink, ay: 0.5, halo: true})
}
