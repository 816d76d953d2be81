package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

func utilizationTitle(r *sim.Result) string {
	s := "Utilization is unknown"
	if u := r.Compute.Utilization; u.Known() {
		s = "GPUs are busy " + show.Percent(float64(u)) + " of the time"
	}
	w := &r.Jobs.WaitS
	switch {
	case w.P50.Known() && w.P95.Known() && w.P95 == 0:
		s += "; 95 % of jobs start at once"
	case w.P50.Known() && w.P95.Known() && w.P50 == 0:
		s += "; half of the jobs start at once, 95 % within " + show.Seconds(float64(w.P95))
	case w.P50.Known() && w.P95.Known():
		s += "; half of the jobs wait under " + show.Seconds(float64(w.P50)) + ", 95 % under " + show.Seconds(float64(w.P95))
	default:
		s += "; waits are unknown"
	}
	return s
}

func utilizationFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: utilizationTitle(r), subtitle: subtitle(r)}
	use := &panel{at: box{0, 0, 1, 0.48}, title: "Use of the GPUs that are up"}
	jobs := &panel{at: box{0, 0.50, 1, 0.71}, title: "Waiting jobs"}
	gpus := &panel{at: box{0, 0.73, 1, 1}, title: "GPUs that waiting jobs ask for"}
	f.panels = []*panel{use, jobs, gpus}
	usePanel(f, use, &t)
	queuePanel(jobs, &t, "queue_jobs", navy, navyTint)
	queuePanel(gpus, &t, "queue_gpus", orangeInk, orangeTnt)
	if v, q := t.col("gpus_available"), t.col("queue_gpus"); gpus.why == "" && v != nil && q != nil {
		if hi := maxOf(v); hi <= maxOf(q)*limitInView && hi > 0 {
			gpus.y.max = max(gpus.y.max, hi*1.06)
			gpus.marks = append(gpus.marks, levelMark{"all GPUs", hi, referenceStyle(grey)})
			gpus.labels = append(gpus.labels, sideLabel{hi, "all that are up: " + show.Plain(hi), grey})
		}
	}
	quietAbove(use, jobs, gpus)
	f.notes = append(f.notes, use.binNote(&t)...)
	f.notes = append(f.notes, t.note("gpus_available", "gpus_allocated", "gpus_busy", "gpus_effective", "queue_jobs", "queue_gpus")...)
	return f
}

// usePanel draws allocated, busy and effective GPUs as shares of those that are up; hours without any are gaps.
func usePanel(f *figure, pn *panel, t *table) {
	if pn.why = t.lacking("gpus_available"); pn.why != "" {
		return
	}
	if pn.why = t.lacking("gpus_allocated", "gpus_busy", "gpus_effective"); pn.why != "" {
		return
	}
	avail := t.col("gpus_available")
	top := 100.0
	for _, s := range []struct {
		col, name string
		st        draw.LineStyle
		tint      color.RGBA
		band      bool
	}{
		{"gpus_allocated", "allocated", draw.LineStyle{Color: grey, Width: lineFine}, gridGrey, false},
		{"gpus_busy", "busy", draw.LineStyle{Color: orangeInk, Width: lineData}, orangeTnt, false},
		{"gpus_effective", "effective", draw.LineStyle{Color: navy, Width: lineData}, navyTint, true},
	} {
		v := t.col(s.col)
		if v == nil {
			f.notes = append(f.notes, t.lacking(s.col))
			continue
		}
		b := t.ratioBins(scaleBy(v, 100), avail)
		if sec, _ := t.binS(); sec > 0 && s.band {
			pn.marks = append(pn.marks, bandMark{name: s.name + " band", xs: b.xs, lo: b.lo, hi: b.hi, color: s.tint})
		}
		pn.marks = append(pn.marks, lineMark{s.name, b.xs, b.mean, s.st})
		pn.labels = append(pn.labels, sideLabel{last(b.mean), s.name, s.st.Color.(color.RGBA)})
		if hi := maxOf(b.mean); finite(hi) {
			top = max(top, hi)
		}
	}
	pn.x, pn.y = t.timeAxis(), axis{min: 0, max: top * 1.04, unit: "%"}
	pn.marks = append(pn.marks, levelMark{"all", 100, referenceStyle(ink)})
	pn.labels = append(pn.labels, sideLabel{100, "all GPUs that are up", ink})
}

func queuePanel(pn *panel, t *table, col string, line, tint color.RGBA) {
	if pn.why = t.lacking(col); pn.why != "" {
		return
	}
	v := t.col(col)
	_, hi := extent(v)
	_, top := fromZero(hi)
	pn.x, pn.y = t.timeAxis(), axis{min: 0, max: top, unit: "number", ticker: numberTicks{want: 4, whole: true}}
	pn.addSeries(t, "", v, line, tint)
	pn.labels = nil
	if hi == 0 {
		pn.labels = append(pn.labels, sideLabel{0, "none in this run", ink})
	} else {
		pn.labels = append(pn.labels, sideLabel{hi, "most: " + show.Plain(hi), line})
	}
}
