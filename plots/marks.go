package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chunk is how many points are stroked or filled at a time. The rasterizer's time grows with the square of
// the points of one path, so a year of hours in one stroke takes half a second and a month of minutes minutes.
const chunk = 48

// lineMark is a polyline; NaN breaks it. Points reach the page through m4, so that its cost depends on the
// page's width and not on the number of points, and no peak is lost.
type lineMark struct {
	name   string
	xs, ys []float64
	st     draw.LineStyle
}

func (m lineMark) label() string { return m.name }
func (m lineMark) below() bool   { return false }

func (m lineMark) draw(p *pen, t trans) {
	for _, seg := range segments(m.xs, m.ys) {
		pts := m4(seg, t)
		if len(pts) == 1 {
			r := m.st.Width
			p.c.SetColor(m.st.Color)
			p.c.Fill(vg.Rectangle{Min: vg.Point{X: pts[0].X - r, Y: pts[0].Y - r}, Max: vg.Point{X: pts[0].X + r, Y: pts[0].Y + r}}.Path())
			continue
		}
		for i := 0; i < len(pts)-1; i += chunk {
			p.c.StrokeLines(m.st, pts[i:min(i+chunk+1, len(pts))])
		}
	}
}

// xy is a run of points without a gap.
type xy struct{ xs, ys []float64 }

// segments splits a series at its gaps.
func segments(xs, ys []float64) []xy {
	var out []xy
	start := -1
	for i := range ys {
		ok := finite(ys[i]) && finite(xs[i])
		if ok && start < 0 {
			start = i
		}
		if !ok && start >= 0 {
			out = append(out, xy{xs[start:i], ys[start:i]})
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, xy{xs[start:], ys[start:]})
	}
	return out
}

// m4 reduces points to the first, lowest, highest and last of every pixel column, which draws the same
// picture (Jugel and others, "M4", VLDB 2014), and clips them to the data area.
func m4(s xy, t trans) []vg.Point {
	const column = 72.0 / dpi // one pixel in points
	clamp := func(y vg.Length) vg.Length { return min(max(y, t.r.Min.Y), t.r.Max.Y) }
	out := make([]vg.Point, 0, min(len(s.xs), 4096))
	for i := 0; i < len(s.xs); {
		col := math.Floor(float64(t.x(s.xs[i])) / column)
		lo, hi, j := i, i, i
		for ; j < len(s.xs) && math.Floor(float64(t.x(s.xs[j]))/column) == col; j++ {
			if s.ys[j] < s.ys[lo] {
				lo = j
			}
			if s.ys[j] > s.ys[hi] {
				hi = j
			}
		}
		prev := -1
		for _, k := range [4]int{i, min(lo, hi), max(lo, hi), j - 1} {
			if k > prev {
				out = append(out, vg.Point{X: t.x(s.xs[k]), Y: clamp(t.y(s.ys[k]))})
				prev = k
			}
		}
		i = j
	}
	return out
}

// bandMark fills between two series; a NaN in either breaks it.
type bandMark struct {
	name       string
	xs, lo, hi []float64
	color      color.RGBA
}

func (m bandMark) label() string { return m.name }
func (m bandMark) below() bool   { return true }

func (m bandMark) draw(p *pen, t trans) {
	clamp := func(y vg.Length) vg.Length { return min(max(y, t.r.Min.Y), t.r.Max.Y) }
	for _, seg := range bandSegments(m) {
		seg = seg.columns(t)
		n := len(seg.xs)
		for i := 0; i < n; i += chunk {
			// Chunks overlap by two points: where they only touch, smoothed edges would leave a pale seam. The
			// fill is opaque, so the overlap does not show.
			j := min(i+chunk+2, n)
			if j-i == 1 && i > 0 {
				break
			}
			pts := make([]vg.Point, 0, 2*(j-i)+2)
			if j-i == 1 { // a single point gets the width of a pixel
				x := t.x(seg.xs[i])
				pts = append(pts, vg.Point{X: x - 0.5, Y: clamp(t.y(seg.lo[i]))}, vg.Point{X: x + 0.5, Y: clamp(t.y(seg.lo[i]))},
					vg.Point{X: x + 0.5, Y: clamp(t.y(seg.hi[i]))}, vg.Point{X: x - 0.5, Y: clamp(t.y(seg.hi[i]))})
			} else {
				for k := i; k < j; k++ {
					pts = append(pts, vg.Point{X: t.x(seg.xs[k]), Y: clamp(t.y(seg.lo[k]))})
				}
				for k := j - 1; k >= i; k-- {
					pts = append(pts, vg.Point{X: t.x(seg.xs[k]), Y: clamp(t.y(seg.hi[k]))})
				}
			}
			p.c.FillPolygon(m.color, pts)
		}
	}
}

// columns reduces the band to its outline over every pixel column.
func (m bandMark) columns(t trans) bandMark {
	const column = 72.0 / dpi
	if len(m.xs) < 2*int((t.r.Max.X-t.r.Min.X)/column) {
		return m
	}
	out := bandMark{color: m.color}
	for i := 0; i < len(m.xs); {
		col := math.Floor(float64(t.x(m.xs[i])) / column)
		lo, hi, j := m.lo[i], m.hi[i], i
		for ; j < len(m.xs) && math.Floor(float64(t.x(m.xs[j]))/column) == col; j++ {
			lo, hi = math.Min(lo, m.lo[j]), math.Max(hi, m.hi[j])
		}
		out.xs, out.lo, out.hi = append(out.xs, (m.xs[i]+m.xs[j-1])/2), append(out.lo, lo), append(out.hi, hi)
		i = j
	}
	return out
}

func bandSegments(m bandMark) []bandMark {
	var out []bandMark
	start := -1
	for i := 0; i <= len(m.xs); i++ {
		ok := i < len(m.xs) && finite(m.xs[i]) && finite(m.lo[i]) && finite(m.hi[i])
		if ok && start < 0 {
			start = i
		}
		if !ok && start >= 0 {
			out = append(out, bandMark{xs: m.xs[start:i], lo: m.lo[start:i], hi: m.hi[start:i], color: m.color})
			start = -1
		}
	}
	return out
}

// levelMark is a line across the data area: a limit, or a reference.
type levelMark struct {
	name string
	y    float64
	st   draw.LineStyle
}

func (m levelMark) label() string { return m.name }
func (m levelMark) below() bool   { return false }

func (m levelMark) draw(p *pen, t trans) {
	if y := t.y(m.y); y >= t.r.Min.Y-0.01 && y <= t.r.Max.Y+0.01 {
		p.line(t.r.Min.X, y, t.r.Max.X, y, m.st)
	}
}

func limitStyle() draw.LineStyle {
	return draw.LineStyle{Color: limitRed, Width: lineData, Dashes: dashLimit}
}

func referenceStyle(c color.RGBA) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: lineFine, Dashes: dashFine}
}

// zoneMark shades a range of y across the data area.
type zoneMark struct {
	name   string
	lo, hi float64
	color  color.RGBA
}

func (m zoneMark) label() string { return m.name }
func (m zoneMark) below() bool   { return true }

func (m zoneMark) draw(p *pen, t trans) {
	lo, hi := max(t.y(m.lo), t.r.Min.Y), min(t.y(m.hi), t.r.Max.Y)
	if hi > lo {
		p.rect(vg.Rectangle{Min: vg.Point{X: t.r.Min.X, Y: lo}, Max: vg.Point{X: t.r.Max.X, Y: hi}}, m.color)
	}
}
