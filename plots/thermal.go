package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"headroom/facility"
	"headroom/plots/show"
	"headroom/sim"
)

// modelLimits are the narrowest limits among the models that were placed, NaN where none states one.
type modelLimits struct {
	inletLowC, inletHighC float64
	gpuC, slowC           float64
	coolantC              float64
}

func limitsOf(r *sim.Result) modelLimits {
	nan := math.NaN()
	l := modelLimits{nan, nan, nan, nan, nan}
	if r.Layout == nil || r.Layout.Facility == nil {
		return l
	}
	models := r.Layout.Facility.Models
	used := make([]bool, len(models))
	for _, s := range r.Layout.Servers {
		if s.Model >= 0 && s.Model < len(used) {
			used[s.Model] = true
		}
	}
	for i := range models {
		if used[i] {
			l.narrow(&models[i])
		}
	}
	return l
}

func (l *modelLimits) narrow(m *facility.Model) {
	lower := func(to *float64, v float64) {
		if finite(v) && v > 0 && !(*to <= v) {
			*to = v
		}
	}
	lower(&l.inletHighC, m.InletMaxC)
	lower(&l.gpuC, m.LimitC)
	lower(&l.slowC, m.SlowC)
	lower(&l.coolantC, m.CoolantMaxC)
	if finite(m.InletMinC) && m.InletMaxC > 0 && !(l.inletLowC >= m.InletMinC) {
		l.inletLowC = m.InletMinC
	}
}

func thermalTitle(r *sim.Result) string {
	h := &r.Thermal
	var s string
	switch {
	case !h.ThrottledGPUHours.Known():
		s = "Throttling is unknown"
	case h.ThrottledGPUHours == 0:
		s = "No GPU throttles"
	default:
		s = show.GPUHours(float64(h.ThrottledGPUHours)) + " throttled"
		if h.ThrottledShare.Known() {
			s += fmt.Sprintf(" (%s of busy time)", show.Percent(float64(h.ThrottledShare)))
		}
		if lost := r.Compute.LostGPUHours.Thermal; lost.Known() {
			s += ", costing " + show.GPUHours(float64(lost)) + " of work"
		}
	}
	lim := limitsOf(r)
	if c := float64(h.GPUC.Max); finite(c) {
		s += "; hottest GPU " + show.Celsius(c)
		if finite(lim.gpuC) {
			s += fmt.Sprintf(", limit %s", show.Celsius(lim.gpuC))
		}
	}
	return s
}

func thermalFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	lim := limitsOf(r)
	f := &figure{title: thermalTitle(r), subtitle: subtitle(r)}
	inlet := &panel{at: box{0, 0, 1, 0.32}, title: "Server inlet air"}
	gpu := &panel{at: box{0, 0.335, 1, 0.585}, title: "GPU temperature"}
	share := &panel{at: box{0, 0.60, 1, 0.745}, title: "Throttled GPUs, share of busy"}
	outdoor := &panel{at: box{0, 0.76, 1, 1}, title: "Outdoor air"}
	f.panels = []*panel{inlet, gpu, share, outdoor}
	inletPanel(f, inlet, &t, lim, &r.Air)
	gpuPanel(gpu, &t, lim)
	throttlePanel(share, &t)
	outdoorPanel(outdoor, &t, lim)
	quietAbove(f.panels...)
	f.notes = append(f.notes, inlet.binNote(&t)...)
	f.notes = append(f.notes, t.note("inlet_mean_c", "inlet_max_c", "dry_bulb_c", "wet_bulb_c", "coolant_c", "gpu_mean_c", "gpu_max_c", "gpus_throttled")...)
	return f
}

func inletPanel(f *figure, pn *panel, t *table, lim modelLimits, air *sim.AirClass) {
	if pn.why = t.lacking("inlet_mean_c", "inlet_max_c"); pn.why != "" {
		return
	}
	ilo, ihi := extent(t.col("inlet_mean_c"), t.col("inlet_max_c"))
	lo, hi := ilo, ihi
	if air.Name != "" {
		lo, hi = math.Min(lo, air.RecommendedLow), math.Max(hi, air.RecommendedHigh)
	}
	if finite(lim.inletHighC) && lim.inletHighC < ihi+15 {
		hi = math.Max(hi, lim.inletHighC)
	}
	lo, hi = spread(lo, hi, 0.05)
	pn.x, pn.y = t.timeAxis(), axis{min: lo, max: hi, unit: "°C"}
	if air.Name != "" {
		pn.marks = append(pn.marks, zoneMark{"recommended", air.RecommendedLow, air.RecommendedHigh, greenTint})
		pn.legend = append(pn.legend, legendEntry{fmt.Sprintf("recommended inlet, %g–%g °C (ASHRAE %s)", air.RecommendedLow, air.RecommendedHigh, air.Name), greenTint, "box"})
	}
	if v := t.col("inlet_max_c"); v != nil {
		pn.addSeries(t, "hottest inlet", v, orangeInk, orangeTnt)
	}
	if v := t.col("inlet_mean_c"); v != nil {
		b := t.bins(v)
		pn.marks = append(pn.marks, lineMark{"mean inlet", b.xs, b.mean, draw.LineStyle{Color: navy, Width: lineData}})
		pn.labels = append(pn.labels, sideLabel{last(b.mean), "mean inlet", navy})
	}
	switch {
	case !finite(lim.inletHighC):
		f.notes = append(f.notes, "The servers' own inlet limit is unknown and not drawn.")
	case lim.inletHighC <= hi:
		pn.addLimit(lim.inletHighC, "allowable: "+show.Celsius(lim.inletHighC)+" (server)")
	default:
		f.notes = append(f.notes, "Allowable inlet far above the chart: "+show.Celsius(lim.inletHighC)+" (server).")
	}
	if finite(lim.inletLowC) && ilo < lim.inletLowC+5 && lim.inletLowC >= lo {
		pn.addLimit(lim.inletLowC, "lowest: "+show.Celsius(lim.inletLowC)+" (server)")
	}
}

func outdoorPanel(pn *panel, t *table, lim modelLimits) {
	if pn.why = t.lacking("dry_bulb_c", "wet_bulb_c", "coolant_c"); pn.why != "" {
		return
	}
	lo, hi := extent(t.col("dry_bulb_c"), t.col("wet_bulb_c"), t.col("coolant_c"))
	if v := t.col("coolant_c"); v != nil {
		pn.title = "Outdoor air and coolant"
		if finite(lim.coolantC) {
			hi = math.Max(hi, lim.coolantC)
		}
	}
	lo, hi = spread(lo, hi, 0.05)
	pn.x, pn.y = t.timeAxis(), axis{min: lo, max: hi, unit: "°C", ticker: numberTicks{want: 4}}
	if v := t.col("dry_bulb_c"); v != nil {
		pn.addSeries(t, "dry bulb", v, grey, gridGrey)
	}
	if v := t.col("wet_bulb_c"); v != nil {
		b := t.bins(v)
		pn.marks = append(pn.marks, lineMark{"wet bulb", b.xs, b.mean, draw.LineStyle{Color: sky, Width: lineFine}})
		pn.labels = append(pn.labels, sideLabel{last(b.mean), "wet bulb", navy})
	}
	if v := t.col("coolant_c"); v != nil {
		pn.addSeries(t, "coolant", v, green, greenTint)
		if finite(lim.coolantC) {
			pn.addLimit(lim.coolantC, "coolant limit: "+show.Celsius(lim.coolantC)+" (server)")
		}
	}
}

func gpuPanel(pn *panel, t *table, lim modelLimits) {
	if pn.why = t.lacking("gpu_mean_c", "gpu_max_c"); pn.why != "" {
		return
	}
	lo, hi := extent(t.col("gpu_mean_c"), t.col("gpu_max_c"))
	for _, c := range []float64{lim.gpuC, lim.slowC} {
		if finite(c) {
			hi = math.Max(hi, c)
		}
	}
	lo, hi = spread(lo, hi, 0.06)
	pn.x, pn.y = t.timeAxis(), axis{min: lo, max: hi, unit: "°C"}
	if v := t.col("gpu_max_c"); v != nil {
		pn.addSeries(t, "hottest GPU", v, orangeInk, orangeTnt)
	}
	if v := t.col("gpu_mean_c"); v != nil {
		pn.addSeries(t, "mean GPU", v, navy, navyTint)
	}
	if finite(lim.gpuC) {
		pn.addLimit(lim.gpuC, "throttles at "+show.Celsius(lim.gpuC))
	}
	if finite(lim.slowC) && lim.slowC != lim.gpuC {
		pn.addLimit(lim.slowC, "halves clocks at "+show.Celsius(lim.slowC))
	}
}

func throttlePanel(pn *panel, t *table) {
	pn.why = t.lacking("gpus_throttled")
	if pn.why == "" {
		pn.why = t.lacking("gpus_busy")
	}
	if pn.why != "" {
		return
	}
	b := t.ratioBins(scaleBy(t.col("gpus_throttled"), 100), t.col("gpus_busy"))
	_, hi := extent(b.hi)
	if !finite(hi) {
		pn.why = "No share: no GPU was busy at any step."
		return
	}
	top := math.Max(hi*1.1, 1)
	pn.x, pn.y = t.timeAxis(), axis{min: 0, max: top, unit: "%", ticker: numberTicks{want: 3}}
	if hi == 0 {
		pn.labels = append(pn.labels, sideLabel{0, "none in this run", ink})
	}
	zero := make([]float64, len(b.xs))
	if sec, _ := t.binS(); sec > 0 {
		pn.marks = append(pn.marks, bandMark{name: "highest step", xs: b.xs, lo: zero, hi: b.hi, color: orangeTnt})
		if hi > 0 {
			pn.labels = append(pn.labels, sideLabel{hi, "highest " + stepName(t.stepS), orangeInk})
		}
	}
	pn.marks = append(pn.marks,
		bandMark{name: "throttled", xs: b.xs, lo: zero, hi: b.mean, color: limitRed},
		lineMark{"throttled", b.xs, b.mean, draw.LineStyle{Color: limitRed, Width: lineFine}})
	if hi > 0 {
		pn.labels = append(pn.labels, sideLabel{maxOf(b.mean), "mean", limitRed})
	}
}
