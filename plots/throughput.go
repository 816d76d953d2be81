package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

func throughputTitle(r *sim.Result) string {
	c := &r.Compute
	var s string
	switch {
	case c.ThroughputRatio.Known():
		s = fmt.Sprintf("%s of the work that GPUs without limits would have done", show.Percent(float64(c.ThroughputRatio)))
	case c.GPUHoursBusy.Known() && c.GPUHoursBusy > 0 && c.GPUHoursEffective.Known():
		s = fmt.Sprintf("Busy GPUs work at %s of full rate", show.Percent(float64(c.GPUHoursEffective/c.GPUHoursBusy)))
	default:
		return "Throughput is unknown"
	}
	if c.GPUHoursEffective.Known() {
		s += "; " + show.GPUHours(float64(c.GPUHoursEffective)) + " effective"
	}
	return s
}

func throughputFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: throughputTitle(r), subtitle: subtitle(r)}
	main := &panel{at: box{0, 0, 1, 0.53}, title: "GPUs"}
	lost := &panel{at: box{0, 0.55, 1, 0.72}, title: "Work lost while busy, share of busy"}
	clock := &panel{at: box{0, 0.74, 1, 1}, title: "Clock of GPUs, share of full"}
	f.panels = []*panel{main, lost, clock}
	cols := []string{"gpus_available", "gpus_busy", "gpus_effective"}
	if main.why = t.lacking("gpus_busy", "gpus_effective"); main.why == "" {
		_, hi := extent(t.col("gpus_available"), t.col("gpus_busy"), t.col("gpus_effective"))
		_, top := fromZero(hi)
		main.x, main.y = t.timeAxis(), axis{min: 0, max: top, unit: "number", ticker: numberTicks{want: 6, whole: true}}
		avail, busy, eff := t.col("gpus_available"), t.col("gpus_busy"), t.col("gpus_effective")
		if avail != nil {
			b := t.bins(avail)
			main.marks = append(main.marks, lineMark{"available", b.xs, b.mean, draw.LineStyle{Color: grey, Width: lineFine}})
			main.labels = append(main.labels, sideLabel{last(b.mean), "available", grey})
		}
		if busy != nil && eff != nil {
			bb, be := t.bins(busy), t.bins(eff)
			main.marks = append(main.marks, bandMark{name: "lost while busy", xs: bb.xs, lo: be.mean, hi: bb.mean, color: orangeTnt})
			main.legend = append(main.legend, legendEntry{"lost while busy: clocks held down, restarts", orangeTnt, "box"})
		}
		if busy != nil {
			b := t.bins(busy)
			main.marks = append(main.marks, lineMark{"busy: ideal", b.xs, b.mean, draw.LineStyle{Color: orangeInk, Width: lineData}})
			main.labels = append(main.labels, sideLabel{last(b.mean), "busy (ideal: all at full rate)", orangeInk})
		}
		if eff != nil {
			b := t.bins(eff)
			main.marks = append(main.marks, lineMark{"effective", b.xs, b.mean, draw.LineStyle{Color: navy, Width: lineData}})
			main.labels = append(main.labels, sideLabel{last(b.mean), "effective (busy × work rate)", navy})
		}
		for _, c := range cols {
			if t.col(c) == nil {
				f.notes = append(f.notes, t.lacking(c))
			}
		}
	}
	if clock.why = t.lacking("clock_mean", "clock_min"); clock.why == "" {
		lo, hi := extent(t.col("clock_mean"), t.col("clock_min"))
		lo, hi = spread(math.Min(lo, 0.99), math.Max(hi, 1), 0.06)
		clock.x, clock.y = t.timeAxis(), axis{min: math.Max(0, lo*100), max: hi * 100, unit: "%", ticker: numberTicks{want: 4}}
		if v := t.col("clock_min"); v != nil {
			clock.addSeries(&t, "slowest GPU", scaleBy(v, 100), orangeInk, orangeTnt)
		}
		if v := t.col("clock_mean"); v != nil {
			b := t.bins(scaleBy(v, 100))
			clock.marks = append(clock.marks, lineMark{"mean", b.xs, b.mean, draw.LineStyle{Color: navy, Width: lineData}})
			clock.labels = append(clock.labels, sideLabel{last(b.mean), "mean", navy})
		}
	}
	lostPanel(lost, &t)
	quietAbove(f.panels...)
	f.notes = append(f.notes, main.binNote(&t)...)
	l := &r.Compute.LostGPUHours
	f.notes = append(f.notes, fmt.Sprintf("GPU-hours lost: heat %s, power limits %s, failures %s, restarts %s.",
		show.Number(float64(l.Thermal), 3), show.Number(float64(l.PowerCap), 3), show.Number(float64(l.Failure), 3), show.Number(float64(l.Restart), 3)))
	f.notes = append(f.notes, t.note(cols...)...)
	return f
}

// lostPanel draws the share of busy time that did no work: 1 − effective/busy.
func lostPanel(pn *panel, t *table) {
	for _, c := range []string{"gpus_busy", "gpus_effective"} {
		if pn.why == "" {
			pn.why = t.lacking(c)
		}
	}
	if pn.why != "" {
		return
	}
	busy, eff := t.col("gpus_busy"), t.col("gpus_effective")
	lost := make([]float64, len(busy))
	for i := range lost {
		lost[i] = 100 * (busy[i] - eff[i])
	}
	b := t.ratioBins(lost, busy)
	_, hi := extent(b.hi)
	if !finite(hi) {
		pn.why = "No share: no GPU was busy at any step."
		return
	}
	pn.x, pn.y = t.timeAxis(), axis{min: 0, max: math.Max(1, hi*1.1), unit: "%", ticker: numberTicks{want: 4}}
	pn.addBinned(t, "lost", b, orangeInk, orangeTnt)
}
