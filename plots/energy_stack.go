package plots

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/plot/vg"

	"headroom/plots/show"
	"headroom/sim"
)

// period is one bar of the energy stack: a month, a week, a day or an hour of the run, cut at its ends.
type period struct {
	fromS, toS float64
	name       string
}

// periods cuts the run at local months, or at the longest of weeks, days and hours that gives at least three bars.
func (t *table) periods() (out []period, what string) {
	span := t.span()
	at := func(s float64) time.Time { return t.start.Add(time.Duration(s * float64(time.Second))) }
	var step timeStep
	var layout string
	switch {
	case span > 5*366*86400:
		step, what, layout = timeStep{months: 12}, "year", "2006"
	case span > 75*86400:
		step, what, layout = timeStep{months: 1}, "month", "Jan"
	case span > 21*86400:
		step, what, layout = timeStep{sec: 7 * 86400}, "week", "2 Jan"
	case span > 3*86400:
		step, what, layout = timeStep{sec: 86400}, "day", "2 Jan"
	case span > 3*3600:
		step, what, layout = timeStep{sec: 3600}, "hour", "15:04"
	default:
		return []period{{t.startS[0], t.endS, "whole run"}}, "run"
	}
	v := step.floor(at(t.startS[0]))
	for range 1000 {
		next := step.next(v)
		from, to := v.Sub(t.start).Seconds(), next.Sub(t.start).Seconds()
		if from >= t.endS {
			break
		}
		name := v.Format(layout)
		out = append(out, period{math.Max(from, t.startS[0]), math.Min(to, t.endS), name})
		v = next
	}
	return out, what
}

// over integrates a column over each period, in its unit times hours; NaN where a period has no figure.
func (t *table) over(v []float64, ps []period) []float64 {
	out := make([]float64, len(ps))
	known := make([]float64, len(ps))
	k := 0
	for i, x := range t.startS {
		end := t.endS
		if i+1 < len(t.startS) {
			end = t.startS[i+1]
		}
		for k < len(ps)-1 && x >= ps[k].toS {
			k++
		}
		for j := k; j < len(ps) && ps[j].fromS < end; j++ { // a step may reach over the end of its period
			if dt := math.Min(end, ps[j].toS) - math.Max(x, ps[j].fromS); dt > 0 && !math.IsNaN(v[i]) {
				out[j] += v[i] * dt / 3600
				known[j] += dt
			}
		}
	}
	for j := range out {
		if known[j] == 0 {
			out[j] = math.NaN()
		}
	}
	return out
}

func energyTitle(r *sim.Result) string {
	e := &r.Energy
	if !e.FacilityKWh.Known() {
		return "Facility energy is unknown"
	}
	s := show.KWh(float64(e.FacilityKWh)) + " in " + show.Seconds(r.Run.LengthS)
	if e.ITKWh.Known() && e.FacilityKWh > 0 {
		s += ", " + show.Percent(float64(e.ITKWh/e.FacilityKWh)) + " of it IT"
	}
	if e.PUE.Known() {
		s += "; " + e.PUECategory + " " + show.Ratio(float64(e.PUE), 3) + ", energy over energy"
	}
	return s
}

// energyStackFigure stacks facility energy by period, IT first, and lists the totals.
func energyStackFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: energyTitle(r), subtitle: subtitle(r)}
	main := &panel{at: box{0, 0, 0.66, 1}}
	side := &panel{at: box{0.70, 0, 1, 1}, title: "Where the energy goes", free: func(p *pen, rect vg.Rectangle) { drawEnergy(p, rect, r) }}
	f.panels = []*panel{main, side}
	cols := make([]string, len(energyParts))
	for i, p := range energyParts {
		cols[i] = p.Column
	}
	f.notes = append(f.notes, t.note(cols...)...)
	main.title = "Energy by its use"
	e := &r.Energy
	if e.WUE.Known() && e.WaterL.Known() && e.WaterL > 0 {
		f.notes = append(f.notes, fmt.Sprintf("Water: %s, %s L per kWh of IT (WUE).", show.Litres(float64(e.WaterL)), show.Number(float64(e.WUE), 3)))
	}
	f.notes = append(f.notes, "Boundary: from the utility's meter and generators to the servers' cords; the parts add up to the facility's energy.")
	if main.why = t.lacking(cols...); main.why != "" {
		return f
	}
	ps, what := t.periods()
	main.title += ", by " + what
	var parts []barPart
	negative, total := 0, make([]float64, len(ps))
	for i, p := range energyParts {
		v := t.col(p.Column)
		if v == nil {
			continue
		}
		kWh := t.over(v, ps)
		for j := range kWh {
			if kWh[j] < 0 {
				kWh[j] = 0
				negative++
			}
			if finite(kWh[j]) {
				kWh[j] /= 1e3
				total[j] += kWh[j]
			}
		}
		if _, hi := extent(kWh); finite(hi) && hi > 0 {
			c := p.color
			if i == 0 {
				c = missGrey
			}
			parts = append(parts, barPart{name: p.Name, fill: c, v: kWh})
		}
	}
	if len(parts) == 0 {
		main.why = "Nothing to draw: no energy in this run."
		return f
	}
	hi := maxOf(total)
	k, unit := 1.0, "kWh"
	if hi >= 2e3 {
		k, unit = 1e-3, "MWh"
	}
	if hi >= 2e6 {
		k, unit = 1e-6, "GWh"
	}
	m := barsMark{name: "energy", width: 0.8, parts: parts}
	names := make([]string, len(ps))
	for j := range ps {
		names[j] = ps[j].name
		m.text = append(m.text, show.Number(total[j]*k, 3))
	}
	for i := range m.parts {
		m.parts[i].v = scaleBy(m.parts[i].v, k)
	}
	nm := newNameMark(names, 0.66*(pageW-2*marginX)-70)
	_, top := fromZero(m.top())
	main.x, main.y, main.foot = slotAxis(len(ps)), axis{min: 0, max: top, unit: unit}, nm.foot()
	main.marks = []mark{m, nm}
	for i := len(parts) - 1; i >= 0; i-- {
		main.legend = append(main.legend, legendEntry{parts[i].name, parts[i].fill, "box"})
	}
	if negative > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s below zero drawn as zero.", show.Of(negative, "value")))
	}
	return f
}
