package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

func lineStyle(c color.RGBA) draw.LineStyle { return draw.LineStyle{Color: c, Width: lineData} }

// loadBins is the number of bins over the range of a chart's x.
const loadBins = 24

// pueLoadFigure draws PUE against IT load: what part load costs. Load is a share of the run's highest step.
func pueLoadFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: "PUE against IT load", subtitle: subtitle(r)}
	top := &panel{at: box{0, 0, 1, 0.56}, title: "PUE (facility energy / IT energy)"}
	parts := &panel{at: box{0, 0.6, 1, 1}, title: "What is not IT, W per W of IT"}
	f.panels = []*panel{top, parts}
	for _, c := range []string{"it_w", "facility_w"} {
		if top.why == "" {
			top.why = t.lacking(c)
		}
	}
	parts.why = top.why
	if top.why != "" {
		return f
	}
	it, facility := t.col("it_w"), t.col("facility_w")
	_, most := extent(it)
	if !(most >= smallest) {
		top.why = "No PUE: IT power is zero at every step."
		parts.why = top.why
		return f
	}
	load := scaleBy(it, 100/most)
	a := ratioAgainst(load, facility, it, loadBins)
	x := axis{min: 0, max: 102, label: "IT load, share of the run's highest step (" + show.Watts(most) + ")", unit: "%"}
	if lo, _ := extent(a.xs); lo > 60 {
		x.min = math.Floor(lo/10)*10 - 5
	}
	f.notes = puePanel(top, a, x, float64(r.Energy.PUE))
	f.title = loadTitle(a, float64(r.Energy.PUE))
	f.notes = append(f.notes, stackAgainst(parts, &t, load, it, x, loadBins)...)
	quietAbove(top, parts)
	f.notes = append(f.notes, fmt.Sprintf("%s; those without IT load have no PUE and are left out.", show.Of(len(a.xs), stepName(t.stepS)+" step")))
	f.notes = append(f.notes, t.note("it_w", "facility_w")...)
	return f
}

// loadTitle compares the lightest with the heaviest load.
func loadTitle(a against, whole float64) string {
	n := len(a.mid)
	if n < 2 || a.mid[n-1]-a.mid[0] < 5 {
		return "PUE " + show.Ratio(whole, 3) + "; the load hardly changes in this run"
	}
	return fmt.Sprintf("PUE is %s at %s of the highest IT load and %s at %s", show.Ratio(a.mean[0], 3), show.Percent(a.mid[0]/100),
		show.Ratio(a.mean[n-1], 3), show.Percent(a.mid[n-1]/100))
}

// stackAgainst draws the parts that are not IT, each as energy over IT energy by bin of x, one on the other.
// The notes say what the axis leaves out.
func stackAgainst(pn *panel, t *table, x, it []float64, xAxis axis, bins int) (notes []string) {
	var below []float64
	for _, p := range energyParts[1:] {
		v := t.col(p.Column)
		if v == nil || maxOf(v) <= 0 {
			continue
		}
		a := ratioAgainst(x, v, it, bins)
		if len(a.mid) == 0 {
			continue
		}
		if below == nil {
			below = make([]float64, len(a.mid))
		}
		if len(a.mid) != len(below) {
			continue // a column with gaps of its own; its steps are not those of the others
		}
		hi := make([]float64, len(below))
		for i := range hi {
			hi[i] = below[i] + math.Max(a.mean[i], 0)
		}
		pn.marks = append(pn.marks, barMark{name: p.Name, xs: a.mid, lo: below, hi: hi, width: a.width, color: p.color})
		pn.legend = append([]legendEntry{{p.Name, p.color, "box"}}, pn.legend...)
		below = hi
	}
	if below == nil {
		pn.why = "Nothing to draw: every part that is not IT is zero in this run."
		return nil
	}
	// The lightest loads may have a multiple of the rest.
	top := maxOf(below)
	if limit := 2.5 * percentile(below, 0.6); top > limit && limit > 0 {
		top = limit
	}
	_, yMax := fromZero(top)
	pn.x, pn.y = xAxis, axis{min: 0, max: yMax}
	above := 0
	for _, y := range below {
		if y > yMax {
			above++
		}
	}
	if above > 0 {
		notes = append(notes, fmt.Sprintf("Cut at the axis: %s, up to %s W per W.", show.Of(above, "bar"), show.Ratio(maxOf(below), 2)))
	}
	return notes
}
