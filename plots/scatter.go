package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"headroom/plots/show"
)

// against is one column of the series against another: the steps' points, and what they say over bins of x.
type against struct {
	xs, ys []float64 // every step with IT energy
	w      []float64 // IT energy of the step, the weight of a mean of ratios
	mid    []float64 // middles of the bins that hold a step
	mean   []float64 // energy over energy in the bin
	lo, hi []float64 // 5th and 95th percentile of the steps
	n      []int     // steps
	edge   float64   // lower edge of the first bin
	width  float64
}

// leastSteps is how many steps a bin must hold for a percentile to mean something.
const leastSteps = 5

// ratioAgainst gathers num/den against x in bins of equal width; steps without den are left out.
func ratioAgainst(x, num, den []float64, bins int) against {
	var a against
	for i := range x {
		if i < len(num) && i < len(den) && finite(x[i]) && finite(num[i]) && finite(den[i]) && den[i] > 0 {
			a.xs, a.ys, a.w = append(a.xs, x[i]), append(a.ys, num[i]/den[i]), append(a.w, den[i])
		}
	}
	lo, hi := extent(a.xs)
	if len(a.xs) == 0 {
		return a
	}
	bins, a.width = binWidth(lo, hi, bins)
	a.edge = lo
	in := make([][]int, bins)
	for i, v := range a.xs {
		k := binOf(v, lo, a.width, bins)
		in[k] = append(in[k], i)
	}
	for k, steps := range in {
		if len(steps) == 0 {
			continue
		}
		var sum, weight float64
		ys := make([]float64, 0, len(steps))
		for _, i := range steps {
			sum += a.ys[i] * a.w[i]
			weight += a.w[i]
			ys = append(ys, a.ys[i])
		}
		slices.Sort(ys)
		p5, p95 := math.NaN(), math.NaN()
		if len(ys) >= leastSteps {
			p5, p95 = ys[int(0.05*float64(len(ys)-1))], ys[int(math.Ceil(0.95*float64(len(ys)-1)))]
		}
		a.mid, a.mean = append(a.mid, lo+(float64(k)+0.5)*a.width), append(a.mean, sum/weight)
		a.lo, a.hi, a.n = append(a.lo, p5), append(a.hi, p95), append(a.n, len(steps))
	}
	return a
}

// binWidth is the number and width of bins over a range; one of no width where all values are the same.
func binWidth(lo, hi float64, bins int) (n int, width float64) {
	if hi-lo < 1e-6*math.Max(math.Abs(lo), math.Abs(hi)) || hi-lo < smallest {
		return 1, 0
	}
	return bins, (hi - lo) / float64(bins)
}

func binOf(v, lo, width float64, bins int) int {
	if width <= 0 {
		return 0
	}
	return max(0, min(int((v-lo)/width), bins-1))
}

// cloudMark is a cloud of points, thinned to what can be told apart.
type cloudMark struct {
	xs, ys []float64
	color  color.RGBA
}

// mostDots is how many points of a cloud are drawn; one per cell of three pixels in any case.
const mostDots = 4000

func (m cloudMark) label() string { return "" }
func (m cloudMark) below() bool   { return false }

func (m cloudMark) draw(p *pen, t trans) {
	type cell struct{ x, y int }
	const pixels = 3 * 72.0 / dpi
	seen := map[cell]bool{}
	p.c.SetColor(m.color)
	for i := range m.xs {
		x, y := t.x(m.xs[i]), t.y(m.ys[i])
		if y < t.r.Min.Y || y > t.r.Max.Y || x < t.r.Min.X || x > t.r.Max.X {
			continue
		}
		c := cell{int(float64(x) / pixels), int(float64(y) / pixels)}
		if seen[c] || len(seen) >= mostDots {
			continue
		}
		seen[c] = true
		const r = vg.Length(0.9)
		p.rect(vg.Rectangle{Min: vg.Point{X: x - r, Y: y - r}, Max: vg.Point{X: x + r, Y: y + r}}, m.color)
	}
}

// barMark is bars from a baseline, stacked by whoever makes them.
type barMark struct {
	name   string
	xs     []float64 // middles
	lo, hi []float64
	width  float64 // in units of x
	color  color.RGBA
}

func (m barMark) label() string { return m.name }
func (m barMark) below() bool   { return true }

func (m barMark) draw(p *pen, t trans) {
	for i := range m.xs {
		if !finite(m.hi[i]) || m.hi[i] <= m.lo[i] {
			continue
		}
		x0, x1 := t.x(m.xs[i]-m.width/2)+0.4, t.x(m.xs[i]+m.width/2)-0.4
		if x1-x0 < 1 { // a single value, or very many
			x0, x1 = (x0+x1)/2-1, (x0+x1)/2+1
		}
		p.rect(vg.Rectangle{
			Min: vg.Point{X: max(x0, t.r.Min.X), Y: max(t.y(m.lo[i]), t.r.Min.Y)},
			Max: vg.Point{X: min(x1, t.r.Max.X), Y: min(t.y(m.hi[i]), t.r.Max.Y)},
		}, m.color)
	}
}

// puePanel draws PUE against something: the steps as dots, their 5th to 95th percentile by bin, and energy over
// energy by bin. The notes say what the axis leaves out.
func puePanel(pn *panel, a against, x axis, whole float64) (notes []string) {
	lo, hi := extent(a.mean, a.ys)
	// Steps of hardly any load have a PUE of tens, which would press the rest flat.
	if limit := lo + 2.5*math.Max(0.05, percentile(a.ys, 0.95)-lo); hi > limit {
		hi = limit
	}
	if finite(whole) {
		lo, hi = math.Min(lo, whole), math.Max(hi, whole)
	}
	lo, hi = spread(lo, hi, 0.1)
	if lo > 1 && lo < 1.15 {
		lo = 1
	}
	pn.x, pn.y = x, axis{min: lo, max: hi}
	pn.marks = append(pn.marks,
		bandMark{name: "band", xs: a.mid, lo: a.lo, hi: a.hi, color: navyTint},
		cloudMark{a.xs, a.ys, rgb(0x7d, 0x96, 0xb4)},
		lineMark{"mean", a.mid, a.mean, lineStyle(navy)})
	pn.legend = append(pn.legend,
		legendEntry{"energy over energy by bin", navy, "line"},
		legendEntry{"5th to 95th percentile of the steps", navyTint, "box"})
	if finite(whole) {
		pn.marks = append(pn.marks, levelMark{"run", whole, referenceStyle(orangeInk)})
		pn.labels = append(pn.labels, sideLabel{whole, "whole run", orangeInk})
	}
	above := 0
	for _, y := range a.ys {
		if y > hi {
			above++
		}
	}
	if above > 0 {
		notes = append(notes, fmt.Sprintf("Above the axis: %s, up to a PUE of %s.", show.Of(above, "step"), show.Ratio(maxOf(a.ys), 2)))
	}
	return notes
}
