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

// merged are the lines with those that lie on each other drawn as one, which says so.
func (c *StudyCurves) merged() []StudyLine {
	var out []StudyLine
	var alike []int // further lines on each
	for _, l := range c.Lines {
		same := func(o StudyLine) bool { return sameValues(o.X, l.X) && sameValues(o.Y, l.Y) }
		if i := slices.IndexFunc(out, same); i >= 0 {
			alike[i]++
			continue
		}
		out, alike = append(out, l), append(alike, 0)
	}
	for i, n := range alike {
		switch {
		case n == 0:
		case n+1 == len(c.Lines):
			out[i].Name = fmt.Sprintf("all %d lines, which lie on each other", n+1)
		default:
			out[i].Name += fmt.Sprintf(" (and %d more on it)", n)
		}
	}
	return out
}

// sameValues says whether two lists have the same numbers and the same gaps.
func sameValues(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// Bands says whether intervals are drawn: there are some, and few enough lines.
func (c *StudyCurves) Bands() bool {
	lines := c.merged()
	return len(lines) <= mostBands && slices.ContainsFunc(lines, StudyLine.banded)
}

func (l StudyLine) banded() bool {
	return slices.ContainsFunc(l.Up, func(x float64) bool { return !math.IsNaN(x) })
}

func (c *StudyCurves) panel() *panel {
	pn := &panel{title: c.Y.Name}
	lines, bands := c.merged(), c.Bands()
	var xs, ys [][]float64
	for _, l := range lines {
		xs, ys = append(xs, l.X), append(ys, l.Y)
		if bands {
			ys = append(ys, l.Low, l.Up)
		}
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
	shown := min(len(lines), len(studyLines))
	for i := range shown {
		l, st := &lines[i], studyLines[i]
		if bands && l.banded() {
			pn.marks = append(pn.marks, bandMark{l.Name, l.X, scaleBy(l.Low, factor), scaleBy(l.Up, factor), tint(styleColor(st))})
		}
	}
	for i := range shown {
		l, st := &lines[i], studyLines[i]
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
	if more := len(lines) - shown; more > 0 {
		pn.legend = append(pn.legend, legendEntry{fmt.Sprintf("%d more lines in the table", more), white, "box"})
	}
	return pn
}
