package plots

import (
	"fmt"
	"math"
	"slices"
)

// StudyCurves is one figure over one input, a line for each value of the others.
type StudyCurves struct {
	X, Y  StudyAxis
	Lines []StudyLine
}

// StudyLine is one line with the 95 % interval around it; NaN where there is none.
type StudyLine struct {
	Name          string
	X, Y, Low, Up []float64
}

// mostBands is how many lines have their bands drawn; more cover each other.
const mostBands = 3

func (c *StudyCurves) panel() *panel {
	pn := &panel{title: c.Y.Name}
	var xs, ys [][]float64
	for _, l := range c.Lines {
		xs, ys = append(xs, l.X), append(ys, l.Y, l.Low, l.Up)
	}
	lo, hi := extent(ys...)
	left, right := extent(xs...)
	if lo > hi || left > right {
		pn.why = "no run knows this figure"
		return pn
	}
	factor, unit := studyScale(c.Y.Unit, largestOf(ys...))
	lo, hi = spread(lo*factor, hi*factor, 0.08)
	pn.x = axis{label: c.X.Name, unit: c.X.Unit}
	pn.x.min, pn.x.max = spread(left, right, 0.02)
	pn.y = axis{min: lo, max: hi, unit: unit}
	shown := min(len(c.Lines), len(studyLines))
	for i := range shown {
		l, st := &c.Lines[i], studyLines[i]
		if shown <= mostBands && slices.ContainsFunc(l.Up, func(x float64) bool { return !math.IsNaN(x) }) {
			pn.marks = append(pn.marks, bandMark{l.Name, l.X, scaleBy(l.Low, factor), scaleBy(l.Up, factor), tint(styleColor(st))})
		}
	}
	for i := range shown {
		l, st := &c.Lines[i], studyLines[i]
		y := scaleBy(l.Y, factor)
		pn.marks = append(pn.marks, lineMark{l.Name, l.X, y, st})
		if l.Name != "" {
			as := "line"
			if st.Dashes != nil {
				as = "dash"
			}
			pn.legend = append(pn.legend, legendEntry{l.Name, styleColor(st), as})
		}
	}
	if more := len(c.Lines) - shown; more > 0 {
		pn.legend = append(pn.legend, legendEntry{fmt.Sprintf("%d more lines in the table", more), white, "box"})
	}
	return pn
}
