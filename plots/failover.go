package plots

import (
	"fmt"
	"image/color"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility/placement"
	"headroom/plots/show"
	"headroom/sim"
)

// failoverMost is how many losses the chart shows; neighbours alike stand in one line.
const failoverMost = 22

// losses counts single losses.
func losses(n int) string {
	if n == 1 {
		return "1 single loss"
	}
	return show.Count(n) + " single losses"
}

// lossLine is one line of the chart: one loss, or neighbours that leave the same.
type lossLine struct {
	placement.Failover
	count int
	last  string
	fates [][]placement.RackFate // of each loss of the line
}

// stateFills are the colours of the states, lighter to darker with severity.
var stateFills = []struct {
	state string
	fill  color.RGBA
}{
	{placement.Normal, greenTint},
	{placement.RedundancyLost, sky},
	{placement.Degraded, orange},
	{placement.Lost, ink},
	{placement.Unknown, missGrey},
}

func failoverFigure(r *sim.Result) *figure {
	l := r.Layout
	const title = "After one loss"
	if l == nil || l.Facility == nil || len(l.Failover) == 0 {
		return figureWithout(r, title, "No losses were looked at: the scenario states neither a power graph nor cooling.")
	}
	lines, left := failoverLines(l)
	down := 0
	worst := -1
	for i, f := range l.Failover {
		if f.RacksLost > 0 || f.RacksDegraded > 0 || f.State == placement.Lost || f.State == placement.Degraded {
			down++
		}
		if worst < 0 || f.RacksLost > l.Failover[worst].RacksLost || (f.RacksLost == l.Failover[worst].RacksLost && f.RacksDegraded > l.Failover[worst].RacksDegraded) {
			worst = i
		}
	}
	f := &figure{subtitle: subtitle(r)}
	f.title = fmt.Sprintf("None of %s leaves a rack degraded or without power", losses(len(l.Failover)))
	if down > 0 {
		w := l.Failover[worst]
		f.title = fmt.Sprintf("%s of %d single losses leave something degraded or lost; the worst is the loss of %s", show.Count(down), len(l.Failover), w.Lost)
	}
	racks := len(l.Racks)
	states := &panel{at: box{0, 0, 0.66, 1}, title: fmt.Sprintf("Racks (of %d) by their state after the loss", racks), free: func(p *pen, rect vg.Rectangle) { drawLosses(p, rect, lines, racks) }}
	if m := newMatrix(l, lines); m != nil {
		states.title, states.free = m.title(), m.draw
		f.notes = append(f.notes, "Overloaded survivors have tripped. % is what degraded racks are left with of their plan; shed is the plan power that the racks lose, in the worst loss of the line.",
			"A line of several losses shows each rack after the loss that hits it; a column of several racks shows its worst.")
	}
	f.panels = []*panel{states, {at: box{0.68, 0, 1, 1}, title: "Highest load over limit among the survivors", free: func(p *pen, rect vg.Rectangle) { drawSurvivors(p, rect, lines) }}}
	if left > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%d more losses that leave less are not drawn.", left))
	}
	f.notes = append(f.notes, "Each line is one unit lost, or neighbours that leave the same. Basis of loads: "+l.Facility.Basis.String()+".")
	return f
}

// failoverLines joins neighbours alike and keeps those that leave most, in the order of the plan.
func failoverLines(l *placement.Layout) (lines []lossLine, left int) {
	for _, f := range l.Failover {
		if k := len(lines) - 1; k >= 0 {
			o := &lines[k]
			if o.State == f.State && o.RacksLost == f.RacksLost && o.RacksDegraded == f.RacksDegraded && o.Racks == f.Racks && show.Percent(o.WorstLoadShare) == show.Percent(f.WorstLoadShare) {
				o.count++
				o.last = f.Lost
				o.fates = append(o.fates, f.Fates)
				continue
			}
		}
		lines = append(lines, lossLine{Failover: f, count: 1, last: f.Lost, fates: [][]placement.RackFate{f.Fates}})
	}
	if len(lines) <= failoverMost {
		return lines, 0
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		x, y := lines[order[a]], lines[order[b]]
		if x.RacksLost != y.RacksLost {
			return x.RacksLost > y.RacksLost
		}
		if x.RacksDegraded != y.RacksDegraded {
			return x.RacksDegraded > y.RacksDegraded
		}
		return clampShare(x.WorstLoadShare) > clampShare(y.WorstLoadShare)
	})
	kept := append([]int(nil), order[:failoverMost]...)
	sort.Ints(kept)
	out := make([]lossLine, 0, failoverMost)
	for _, i := range kept {
		out = append(out, lines[i])
	}
	return out, len(lines) - failoverMost
}

func (x lossLine) name() string {
	if x.count == 1 {
		return x.Lost
	}
	return fmt.Sprintf("%s – %s (%d)", x.Lost, x.last, x.count)
}

// lossKey is the room over and under the lines of losses: for the key, and for the names of racks.
const lossKey = vg.Length(38)

func lossRow(r vg.Rectangle, n, i int) (y, h vg.Length) {
	h = min((r.Max.Y-r.Min.Y-2*lossKey)/vg.Length(n), 72)
	return r.Max.Y - lossKey - h*(vg.Length(i)+0.5), h
}

func drawLosses(p *pen, r vg.Rectangle, lines []lossLine, racks int) {
	names := vg.Length(0)
	for _, x := range lines {
		names = max(names, textWidth(x.name(), sizeLabel, false))
	}
	names = min(names+10, (r.Max.X-r.Min.X)*0.45)
	x := r.Min.X + names
	for _, s := range stateFills[:4] {
		p.rect(vg.Rectangle{Min: vg.Point{X: x, Y: r.Max.Y - 17}, Max: vg.Point{X: x + 18, Y: r.Max.Y - 5}}, s.fill)
		p.frame(vg.Rectangle{Min: vg.Point{X: x, Y: r.Max.Y - 17}, Max: vg.Point{X: x + 18, Y: r.Max.Y - 5}}, draw.LineStyle{Color: grey, Width: lineGrid})
		p.text(x+23, r.Max.Y-11, s.state, style{size: sizeLabel, color: ink, ay: 0.5})
		x += 36 + textWidth(s.state, sizeLabel, false)
	}
	width := r.Max.X - r.Min.X - names - 4
	for i, line := range lines {
		y, h := lossRow(r, len(lines), i)
		p.text(r.Min.X+names-8, y, fit(line.name(), sizeLabel, false, names-10), style{size: sizeLabel, color: ink, ax: 1, ay: 0.5})
		counts := []int{racks - line.Racks, line.Racks - line.RacksDegraded - line.RacksLost, line.RacksDegraded, line.RacksLost}
		at := r.Min.X + names
		for k, n := range counts {
			if n <= 0 || racks == 0 {
				continue
			}
			w := width * vg.Length(n) / vg.Length(racks)
			cell := vg.Rectangle{Min: vg.Point{X: at, Y: y - h*0.36}, Max: vg.Point{X: at + w, Y: y + h*0.36}}
			p.rect(cell, stateFills[k].fill)
			p.frame(cell, draw.LineStyle{Color: white, Width: lineGrid})
			text := show.Count(n)
			if k == 2 && line.DegradedTo < 1 {
				text += " to " + show.Percent(line.DegradedTo)
			}
			if textWidth(text, sizeSmall, true)+6 < w {
				p.text(at+w/2, y, text, style{size: sizeSmall, bold: true, color: textOn(stateFills[k].fill), ax: 0.5, ay: 0.5})
			}
			at += w
		}
	}
}

func drawSurvivors(p *pen, r vg.Rectangle, lines []lossLine) {
	hi := 1.25
	for _, x := range lines {
		if finite(x.WorstLoadShare) {
			hi = max(hi, min(x.WorstLoadShare*1.1, 3))
		}
	}
	at := func(share float64) vg.Length {
		return r.Min.X + vg.Length(min(share, hi)/hi)*(r.Max.X-r.Min.X)
	}
	low, lowH := lossRow(r, len(lines), len(lines)-1)
	p.line(at(1), low-lowH/2, at(1), r.Max.Y-lossKey+2, draw.LineStyle{Color: limitRed, Width: lineData, Dashes: dashLimit})
	for i, x := range lines {
		y, h := lossRow(r, len(lines), i)
		if !finite(x.WorstLoadShare) {
			p.text(r.Min.X+4, y, "unknown", style{size: sizeSmall, color: grey, ay: 0.5})
			continue
		}
		fill := navy
		if x.WorstLoadShare > 1 {
			fill = limitRed
		}
		p.rect(vg.Rectangle{Min: vg.Point{X: r.Min.X, Y: y - h*0.36}, Max: vg.Point{X: at(x.WorstLoadShare), Y: y + h*0.36}}, fill)
		text := show.Percent(x.WorstLoadShare) + " " + x.Worst
		end := at(x.WorstLoadShare)
		if room := r.Max.X - end - 8; textWidth(text, sizeSmall, false) < room {
			p.text(end+5, y, text, style{size: sizeSmall, color: ink, ay: 0.5, halo: true})
		} else {
			p.text(end-5, y, fit(text, sizeSmall, false, end-r.Min.X-8), style{size: sizeSmall, color: textOn(fill), ax: 1, ay: 0.5})
		}
	}
	p.text(at(1), r.Max.Y-lossKey+5, "limit 100%", style{size: sizeSmall, bold: true, color: limitRed, ax: 0.5})
}
