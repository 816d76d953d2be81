package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"

	"headroom/plots/show"
	"headroom/sim"
)

// slowDrawn are the causes that are drawn: what a board's own power limit takes is normal service, and is listed.
const slowDrawn = int(sim.SlowTDP)

// slowFills are the causes' colours, neighbours apart in lightness.
var slowFills = [slowDrawn]color.RGBA{limitRed, rgb(0xf3, 0xb8, 0x5a), ink, sky, navy}

func slowTitle(total [sim.SlowCauses]float64, r *sim.Result) string {
	sum, most, cause := 0.0, 0.0, 0
	for c, h := range total[:slowDrawn] {
		sum += h
		if h > most {
			most, cause = h, c
		}
	}
	if sum == 0 {
		return "No busy GPU was held down by heat, a cap or a lost feed"
	}
	s := show.GPUHours(sum) + " held below full clock"
	if busy := float64(r.Compute.GPUHoursBusy); finite(busy) && busy > 0 {
		s += fmt.Sprintf(" (%s of busy)", show.Percent(sum/busy))
	}
	return s + fmt.Sprintf("; %s of them: %s", show.Percent(most/sum), sim.SlowNames[cause])
}

func throttleHistFigure(r *sim.Result) *figure {
	l := r.Layout
	const title = "Hours below full clock, by rack and cause"
	switch {
	case l == nil || l.Facility == nil || len(l.Racks) == 0:
		return figureWithout(r, title, "No racks: the result holds no placement.")
	case len(r.Racks) == 0:
		return figureWithout(r, title, "No clocks: the run holds no result per rack (placement only).")
	}
	byRack := map[int]*sim.RackResult{}
	var total [sim.SlowCauses]float64
	bad := 0
	for i := range r.Racks {
		byRack[r.Racks[i].Rack] = &r.Racks[i]
		for c, h := range r.Racks[i].SlowedGPUHours {
			if !finite(h) || h < 0 {
				bad++
				continue
			}
			total[c] += h
		}
	}
	f := &figure{title: slowTitle(total, r), subtitle: subtitle(r)}
	groups, what := rackGroups(l)
	main := &panel{at: box{0, 0, 0.7, 1}, title: "Busy GPU-hours below full clock " + what + ", by cause"}
	side := &panel{at: box{0.73, 0, 1, 1}, title: "All racks", free: func(p *pen, rect vg.Rectangle) { p.lines(rect, slowLines(total, r)) }}
	f.panels = []*panel{main, side}
	names := make([]string, len(groups))
	var parts []barPart
	for c := range slowDrawn {
		part := barPart{name: sim.SlowNames[c], fill: slowFills[c], v: make([]float64, len(groups))}
		for k, g := range groups {
			names[k] = g.name
			for _, i := range g.racks {
				if x := byRack[l.Racks[i].Rack]; x != nil && finite(x.SlowedGPUHours[c]) {
					part.v[k] += math.Max(0, x.SlowedGPUHours[c])
				}
			}
		}
		if total[c] > 0 {
			parts = append(parts, part)
			main.legend = append(main.legend, legendEntry{part.name, part.fill, "box"})
		}
	}
	if bad > 0 {
		f.notes = append(f.notes, show.Of(bad, "value")+" left out of the chart: not finite, or below zero.")
	}
	f.notes = append(f.notes, "A GPU at a temperature limit counts as that, whatever cap holds as well. The board's own power limit (TDP) is normal service: its hours are listed and not drawn.")
	if len(parts) == 0 || len(groups) == 0 {
		main.why = "No busy GPU was held below full clock by heat, a power cap or a lost feed in this run."
		return f
	}
	m := barsMark{name: "below full clock", width: 0.72, parts: parts}
	nm := newNameMark(names, 0.7*(pageW-2*marginX)-70)
	_, top := fromZero(m.top())
	main.x, main.y, main.foot = slotAxis(len(groups)), axis{min: 0, max: top, unit: "GPU-hours"}, nm.foot()
	main.marks = []mark{m, nm}
	return f
}

// slowLines are the totals by cause and the work lost.
func slowLines(total [sim.SlowCauses]float64, r *sim.Result) []textLine {
	var out []textLine
	for c, h := range total {
		l := textLine{s: sim.SlowNames[c] + ": " + show.Number(h, 3) + " GPU-h"}
		if c >= slowDrawn {
			l.color, l.s = grey, l.s+", not drawn"
		}
		out = append(out, l)
	}
	k := &r.Compute
	out = append(out, textLine{s: "Work lost", bold: true, gap: 12},
		textLine{s: "to heat: " + gpuH(k.LostGPUHours.Thermal)}, textLine{s: "to power limits and caps: " + gpuH(k.LostGPUHours.PowerCap)},
		textLine{s: "Against GPUs without limits", bold: true, gap: 12})
	if k.ThroughputRatio.Known() {
		return append(out, textLine{s: "work done: " + show.Percent(float64(k.ThroughputRatio))})
	}
	return append(out, textLine{s: "unknown: the unlimited twin was not run", color: grey})
}

func gpuH(n sim.Num) string {
	if !n.Known() {
		return show.Unknown
	}
	return show.Number(float64(n), 3) + " GPU-h"
}
