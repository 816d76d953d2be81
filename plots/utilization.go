package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

func utilizationTitle(r *sim.Result) string {
	c := &r.Compute
	s := "Utilization is unknown"
	if u := c.Utilization; u.Known() {
		s = "GPUs are busy " + show.Percent(float64(u)) + " of the time"
		if e := float64(c.GPUHoursEffective / c.GPUHoursAvailable); finite(e) {
			s += " and do the work of " + show.Percent(e)
		}
	}
	return s
}

func utilizationFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: utilizationTitle(r), subtitle: subtitle(r)}
	use := &panel{at: box{0, 0, 1, 0.66}, title: "Use of the GPUs that are up"}
	where := &panel{at: box{0, 0.70, 1, 1}, title: "Where the GPU-hours that were available went", free: func(p *pen, rect vg.Rectangle) { drawGPUHours(p, rect, &r.Compute) }}
	f.panels = []*panel{use, where}
	usePanel(f, use, &t)
	f.notes = append(f.notes, use.binNote(&t)...)
	f.notes = append(f.notes, t.note("gpus_available", "gpus_allocated", "gpus_busy", "gpus_effective")...)
	return f
}

// gpuHourParts splits the available GPU-hours so that the parts add up to them; a part that is not known makes the rest
// unknown too.
func gpuHourParts(c *sim.Compute) []barPart {
	n := func(x sim.Num) float64 { return float64(x) }
	lost := c.LostGPUHours
	other := n(c.GPUHoursBusy) - n(c.GPUHoursEffective) - n(lost.Thermal) - n(lost.PowerCap) - n(lost.Restart)
	return []barPart{
		{name: "effective", fill: navy, v: []float64{n(c.GPUHoursEffective)}},
		{name: "lost to heat", fill: limitRed, v: []float64{n(lost.Thermal)}},
		{name: "lost to power limits", fill: sky, v: []float64{n(lost.PowerCap)}},
		{name: "restarts and work done again", fill: ink, v: []float64{n(lost.Restart)}},
		{name: "other, while busy", fill: yellow, v: []float64{other}},
		{name: "allocated, not busy", fill: orange, v: []float64{n(c.GPUHoursAllocated) - n(c.GPUHoursBusy)}},
		{name: "not allocated", fill: gridGrey, v: []float64{n(c.GPUHoursAvailable) - n(c.GPUHoursAllocated)}},
	}
}

func drawGPUHours(p *pen, r vg.Rectangle, c *sim.Compute) {
	total := float64(c.GPUHoursAvailable)
	if !finite(total) || total <= 0 {
		p.nothing(r, "Unknown: the run gives no available GPU-hours.")
		return
	}
	const barH = vg.Length(34)
	width := r.Max.X - r.Min.X
	x := r.Min.X
	top := r.Max.Y - 4
	const cols = 4
	rowH := vg.Length(24)
	for i, part := range gpuHourParts(c) {
		v := part.v[0]
		if finite(v) && v > 0 {
			w := min(width*vg.Length(v/total), r.Max.X-x)
			if w > 0 {
				b := vg.Rectangle{Min: vg.Point{X: x, Y: top - barH}, Max: vg.Point{X: x + w, Y: top}}
				p.rect(b, part.fill)
				p.frame(b, draw.LineStyle{Color: white, Width: lineGrid})
				if s := show.Percent(v / total); textWidth(s, sizeLabel, true)+8 < w {
					p.text(x+w/2, top-barH/2, s, style{size: sizeLabel, bold: true, color: textOn(part.fill), ax: 0.5, ay: 0.5})
				}
				x += w
			}
		}
		// The key, in columns.
		kx := r.Min.X + width*vg.Length(i%cols)/cols
		ky := top - barH - 16 - rowH*vg.Length(i/cols)*2
		sw := vg.Rectangle{Min: vg.Point{X: kx, Y: ky - 12}, Max: vg.Point{X: kx + 18, Y: ky}}
		p.rect(sw, part.fill)
		p.frame(sw, draw.LineStyle{Color: grey, Width: lineGrid})
		p.text(kx+24, ky-6, fit(part.name, sizeLabel, false, width/cols-30), style{size: sizeLabel, color: ink, ay: 0.5})
		text := show.Unknown
		switch {
		case finite(v) && math.Abs(v) < 1e-9*total:
			text = "0"
		case finite(v):
			text = show.Number(v, 3) + " GPU-h, " + show.Percent(v/total)
		}
		p.text(kx+24, ky-6-rowH+4, fit(text, sizeSmall, false, width/cols-30), style{size: sizeSmall, color: grey, ay: 0.5})
	}
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
