package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"headroom/plots/show"
	"headroom/sim"
)

// pueWetBulbFigure draws PUE against the outdoor wet bulb, and how many hours the run has at each, by what cools them.
func pueWetBulbFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: "PUE against wet bulb", subtitle: subtitle(r)}
	top := &panel{at: box{0, 0, 1, 0.56}, title: "PUE (facility energy / IT energy)"}
	hours := &panel{at: box{0, 0.6, 1, 1}, title: "Hours of the run"}
	f.panels = []*panel{top, hours}
	for _, c := range []string{"it_w", "facility_w", "wet_bulb_c"} {
		if top.why == "" {
			top.why = t.lacking(c)
		}
	}
	hours.why = top.why
	if top.why != "" {
		return f
	}
	wet := t.col("wet_bulb_c")
	lo, hi := extent(wet)
	bins := min(max(int(math.Ceil(hi-lo)), 1), 40) // a kelvin each, up to 40
	a := ratioAgainst(wet, t.col("facility_w"), t.col("it_w"), bins)
	if len(a.xs) == 0 {
		top.why = "No PUE: IT power is zero at every step."
	}
	lo, hi = spread(lo, hi, 0.03)
	x := axis{min: lo, max: hi, label: "outdoor wet bulb", unit: "°C"}
	if top.why == "" {
		f.notes = puePanel(top, a, x, float64(r.Energy.PUE))
		cold, warm := a.tail(tailShare)
		switch {
		case len(a.mid) == 1:
			f.title = "PUE " + show.Ratio(a.mean[0], 3) + " at " + show.Celsius(a.mid[0]) + " wet bulb"
		case !(cold.edge < warm.edge): // more than a tenth of the energy at one wet bulb
			f.title = "PUE " + show.Ratio(a.meanOf(0, len(a.xs)), 3) + " around " + show.Celsius(cold.edge) + " wet bulb"
		default:
			f.title = fmt.Sprintf("PUE is %s in the coldest tenth, below %s wet bulb, and %s in the warmest, above %s",
				show.Ratio(cold.mean, 3), show.Celsius(cold.edge), show.Ratio(warm.mean, 3), show.Celsius(warm.edge))
			f.notes = append(f.notes, "The tenths in the title hold a tenth of the IT energy each.")
		}
	}
	coolingHours(hours, &t, wet, x, bins)
	quietAbove(top, hours)
	if e := &r.Energy; e.FreeCoolingH.Known() {
		f.notes = append(f.notes, fmt.Sprintf("Hours without compressors %s, with both %s, with compressors alone %s.",
			show.Number(float64(e.FreeCoolingH), 4), show.Number(float64(e.PartialCoolingH), 4), show.Number(float64(e.MechanicalCoolingH), 4)))
	}
	f.notes = append(f.notes, t.note("it_w", "facility_w", "wet_bulb_c")...)
	return f
}

// tailShare is the share of the IT energy at either end of the wet bulb that the title tells of: the outermost bins hold few
// steps and stand for nothing but themselves.
const tailShare = 0.1

// tail is one end of the steps ordered by x.
type tail struct{ edge, mean float64 }

// tail gives the mean of the steps with the lowest and with the highest x that hold a share of the weight each, and the x at
// which they end, one step at least. The steps, of which there are some, are put in order of x.
func (a *against) tail(share float64) (low, high tail) {
	order := make([]int, len(a.xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.xs[i], a.xs[j]) })
	xs, ys, w := make([]float64, len(order)), make([]float64, len(order)), make([]float64, len(order))
	total := 0.0
	for k, i := range order {
		xs[k], ys[k], w[k] = a.xs[i], a.ys[i], a.w[i]
		total += w[k]
	}
	a.xs, a.ys, a.w = xs, ys, w
	lo, sum := 0, 0.0
	for lo < len(xs)-1 && sum < share*total {
		sum += w[lo]
		lo++
	}
	lo = max(lo, 1)
	hi := len(xs)
	for sum = 0; hi > 1 && sum < share*total; {
		hi--
		sum += w[hi]
	}
	hi = min(hi, len(xs)-1)
	return tail{xs[lo-1], a.meanOf(0, lo)}, tail{xs[hi], a.meanOf(hi, len(xs))}
}

// meanOf is the weighted mean of the steps from one up to another.
func (a *against) meanOf(from, to int) float64 {
	sum, weight := 0.0, 0.0
	for i := from; i < to; i++ {
		sum += a.ys[i] * a.w[i]
		weight += a.w[i]
	}
	return sum / weight
}

// coolingHours stacks the hours at each wet bulb by what takes the heat.
func coolingHours(pn *panel, t *table, wet []float64, x axis, bins int) {
	kinds := []struct {
		name, column string
		color        int
	}{{"free cooling", "free_cooling", 0}, {"in part", "partial_cooling", 1}, {"compressors", "mechanical_cooling", 2}}
	lo, hi := extent(wet)
	bins, width := binWidth(lo, hi, bins)
	mids, below := make([]float64, bins), make([]float64, bins)
	for k := range mids {
		mids[k] = lo + (float64(k)+0.5)*width
	}
	stepH := t.stepS / 3600
	drawn := false
	for _, kind := range kinds {
		v := t.col(kind.column)
		if v == nil {
			continue
		}
		top := append([]float64(nil), below...)
		for i := range wet {
			if i < len(v) && finite(wet[i]) && finite(v[i]) {
				top[binOf(wet[i], lo, width, bins)] += v[i] * stepH
			}
		}
		c := green
		switch kind.color {
		case 1:
			c = sky
		case 2:
			c = navy
		}
		pn.marks = append(pn.marks, barMark{name: kind.name, xs: mids, lo: below, hi: top, width: width, color: c})
		pn.legend = append(pn.legend, legendEntry{kind.name, c, "box"})
		below, drawn = top, true
	}
	if !drawn {
		pn.why = t.lacking("free_cooling", "partial_cooling", "mechanical_cooling")
		if pn.why == "" {
			pn.why = "No data."
		}
		return
	}
	_, yMax := fromZero(maxOf(below))
	pn.x, pn.y = x, axis{min: 0, max: yMax, unit: "h"}
}
