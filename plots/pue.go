package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

// EnergyPart is one part of facility energy with its series.
type EnergyPart struct {
	Name, Column string
	KWh          func(*sim.Energy) sim.Num
	color        color.RGBA
}

// EnergyParts returns the parts that add up to facility energy, IT first.
func EnergyParts() []EnergyPart { return energyParts }

// energyParts are the parts that add up to facility energy, IT first. Neighbours in the stack differ in lightness.
var energyParts = []EnergyPart{
	{"IT", "it_w", func(e *sim.Energy) sim.Num { return e.ITKWh }, navy},
	{"chillers", "chillers_w", func(e *sim.Energy) sim.Num { return e.ChillersKWh }, navy},
	{"room fans", "room_fans_w", func(e *sim.Energy) sim.Num { return e.RoomFansKWh }, sky},
	{"heat rejection", "heat_rejection_w", func(e *sim.Energy) sim.Num { return e.HeatRejectionKWh }, green},
	{"pumps", "pumps_w", func(e *sim.Energy) sim.Num { return e.PumpsKWh }, yellow},
	{"UPS loss", "ups_loss_w", func(e *sim.Energy) sim.Num { return e.UPSLossKWh }, orangeInk},
	{"transformer loss", "transformer_loss_w", func(e *sim.Energy) sim.Num { return e.TransformerLossKWh }, rgb(0xf3, 0xb8, 0x5a)},
	{"distribution loss", "distribution_loss_w", func(e *sim.Energy) sim.Num { return e.DistributionLossKWh }, purple},
	{"humidification", "humidification_w", func(e *sim.Energy) sim.Num { return e.HumidificationKWh }, rgb(0xe3, 0xc6, 0xda)},
	{"other", "other_w", func(e *sim.Energy) sim.Num { return e.OtherKWh }, grey},
}

func pueTitle(r *sim.Result) string {
	e := &r.Energy
	if !e.PUE.Known() {
		return "PUE is undefined: " + pueWhy(e)
	}
	s := "PUE " + show.Ratio(float64(e.PUE), 3)
	if e.PUECategory != "" {
		s += " (" + e.PUECategory + ")"
	}
	s += " over " + show.Seconds(r.Run.LengthS)
	name, most := "", 0.0
	for _, p := range energyParts[1:] {
		if v := float64(p.KWh(e)); finite(v) && v > most {
			name, most = p.Name, v
		}
	}
	if over := float64(e.FacilityKWh - e.ITKWh); most > 0 && over > 0 {
		verb := "takes"
		if strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "loss") { // chillers, fans, pumps
			verb = "take"
		}
		s += fmt.Sprintf("; %s %s %s of what is not IT", name, verb, show.Percent(most/over))
	}
	return s
}

// pueWhy says why there is no PUE.
func pueWhy(e *sim.Energy) string {
	if e.ITKWh.Known() && e.ITKWh == 0 {
		return "no IT energy in this run"
	}
	return "facility or IT energy is unknown"
}

func pueFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	f := &figure{title: pueTitle(r), subtitle: subtitle(r)}
	top := &panel{at: box{0, 0, 0.66, 0.44}, title: "PUE (facility power / IT power)"}
	stack := &panel{at: box{0, 0.47, 0.66, 1}, title: "Power that is not IT"}
	bars := &panel{at: box{0.70, 0, 1, 1}, title: "Where the energy goes"}
	f.panels = []*panel{top, stack, bars}

	top.why = t.lacking("it_w")
	if top.why == "" {
		top.why = t.lacking("facility_w")
	}
	if top.why == "" {
		b := t.ratioBins(t.col("facility_w"), t.col("it_w"))
		lo, hi := extent(b.mean)
		if lo > hi {
			top.why = "No PUE: IT power is zero at every step."
		} else {
			// A day's best hour is not its PUE: the band leaves out a twentieth of the time at either end.
			most := maxOf(b.hi)
			b.lo, b.hi = b.p5, b.p95
			drawPUE(r, f, top, &t, b, most)
		}
	}
	drawStack(f, stack, &t)
	quietAbove(top, stack)
	bars.free = func(p *pen, rect vg.Rectangle) { drawEnergy(p, rect, r) }
	if sec, name := t.binS(); sec > 0 {
		f.notes = append(f.notes, fmt.Sprintf("PUE: line of %s energy over energy, band from the 5th to the 95th percentile of its %s means. Parts: %s means.", name, stepName(t.stepS), name))
	}
	return f
}

// drawPUE fills the panel with PUE over time. Hours of hardly any IT load have a PUE of tens, which would press
// the rest flat: they reach beyond the axis, and a note says how far.
func drawPUE(r *sim.Result, f *figure, pn *panel, t *table, b binned, most float64) {
	lo, hi := extent(b.mean, b.lo, b.hi)
	mlo, mhi := extent(b.mean)
	if limit := mlo + 2.5*math.Max(0.05, percentile(b.mean, 0.98)-mlo); hi > limit {
		hi = math.Max(limit, math.Min(mhi, limit))
		f.notes = append(f.notes, fmt.Sprintf("PUE above %s, at hours of little IT load, reaches beyond the axis (highest %s mean: %s).",
			show.Ratio(hi, 2), stepName(t.stepS), show.Ratio(most, 2)))
	}
	if v := float64(r.Energy.PUE); finite(v) {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	lo, hi = spread(lo, hi, 0.08)
	if lo > 1 && lo < 1.15 {
		lo = 1 // the floor of what is possible
	}
	pn.x, pn.y = t.timeAxis(), axis{min: lo, max: hi}
	pn.addBinned(t, "", b, navy, navyTint)
	pn.labels = nil
	if v := float64(r.Energy.PUE); finite(v) {
		pn.marks = append(pn.marks, levelMark{"energy-weighted", v, referenceStyle(orangeInk)})
		pn.labels = append(pn.labels, sideLabel{v, show.Ratio(v, 3) + " energy over energy, whole run", orangeInk})
	}
	if gaps := countNaN(b.mean); gaps > 0 {
		pn.labels = append(pn.labels, sideLabel{lo, "gaps: no IT load", grey})
	}
}

func maxOf(v []float64) float64 { _, hi := extent(v); return hi }

func countNaN(v []float64) int {
	n := 0
	for _, x := range v {
		if math.IsNaN(x) {
			n++
		}
	}
	return n
}

// drawStack fills the panel with the parts that are not IT, one on the other, lowest first.
func drawStack(f *figure, pn *panel, t *table) {
	parts := energyParts[1:]
	cols := make([]string, len(parts))
	for i, p := range parts {
		cols[i] = p.Column
	}
	if pn.why = t.lacking(cols...); pn.why != "" {
		return
	}
	var xs, below []float64
	var lows, tops [][]float64
	var shown []EnergyPart
	negative := 0
	for _, p := range parts {
		v := t.col(p.Column)
		if v == nil || maxOf(v) <= 0 {
			continue
		}
		b := t.stackBins(v)
		if below == nil {
			xs, below = b.xs, make([]float64, len(b.xs))
		}
		top := make([]float64, len(below))
		for i, y := range b.mean {
			if y < 0 {
				negative++
				y = 0
			}
			if math.IsNaN(y) {
				y = 0
			}
			top[i] = below[i] + y
		}
		lows, tops, shown = append(lows, below), append(tops, top), append(shown, p)
		below = top
	}
	if len(shown) == 0 {
		pn.why = "Nothing to draw: every part that is not IT is zero in this run."
		return
	}
	hi := maxOf(below)
	k, unit := wattUnit(hi)
	_, yMax := fromZero(hi * k)
	pn.x, pn.y = t.timeAxis(), axis{min: 0, max: yMax, unit: unit}
	for i, p := range shown {
		pn.marks = append(pn.marks, bandMark{name: p.Name, xs: xs, lo: scaleBy(lows[i], k), hi: scaleBy(tops[i], k), color: p.color})
	}
	for i := len(shown) - 1; i >= 0; i-- { // in the stack's order, top first
		pn.legend = append(pn.legend, legendEntry{shown[i].Name, shown[i].color, "box"})
	}
	for i := range len(shown) - 1 { // a thin edge keeps neighbours apart in greyscale
		if len(xs) > 200 {
			break // at this density edges would cover the fills
		}
		pn.marks = append(pn.marks, lineMark{name: "", xs: xs, ys: scaleBy(tops[i], k), st: draw.LineStyle{Color: white, Width: 0.5}})
	}
	if negative > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s below zero drawn as zero.", show.Of(negative, "value")))
	}
	f.notes = append(f.notes, t.note(cols...)...)
}

// drawEnergy lists the parts of facility energy with their shares; they add up to the total above.
func drawEnergy(p *pen, r vg.Rectangle, res *sim.Result) {
	e := &res.Energy
	total := float64(e.FacilityKWh)
	y := r.Max.Y - 2
	p.text(r.Min.X, y, fit("Facility: "+show.KWh(total), sizeLabel, true, r.Max.X-r.Min.X), style{size: sizeLabel, bold: true, color: ink, ay: 1})
	y -= sizeLabel + 14
	largest := 0.0
	for _, part := range energyParts[1:] {
		if v := float64(part.KWh(e)); finite(v) {
			largest = math.Max(largest, v)
		}
	}
	rowH := min((y-r.Min.Y)/vg.Length(len(energyParts)+1), 38)
	w := r.Max.X - r.Min.X
	for i, part := range energyParts {
		v := float64(part.KWh(e))
		value := show.KWh(v)
		if finite(v) && finite(total) && total > 0 {
			value += " · " + show.Percent(v/total)
		}
		p.text(r.Min.X, y, part.Name, style{size: sizeLabel, color: ink, ay: 1})
		p.text(r.Max.X, y, value, style{size: sizeLabel, color: ink, ax: 1, ay: 1})
		// IT is drawn to its own full width: beside it the others would be slivers.
		share := 1.0
		if i > 0 {
			share = 0
			if largest > 0 && finite(v) {
				share = math.Max(0, v/largest)
			}
		}
		c := part.color
		bar := vg.Rectangle{Min: vg.Point{X: r.Min.X, Y: y - sizeLabel - 10}, Max: vg.Point{X: r.Min.X + w*vg.Length(share), Y: y - sizeLabel - 3}}
		if i == 0 {
			c = missGrey
		}
		if share > 0 {
			p.rect(bar, c)
			p.frame(bar, draw.LineStyle{Color: grey, Width: lineGrid})
		}
		y -= rowH
		if i == 0 {
			p.text(r.Min.X, y, "not IT; bars to a scale of their own:", style{size: sizeSmall, color: grey, ay: 1})
			y -= sizeSmall + 10
		}
	}
}

// percentile returns the value below which share q of the finite values lie, NaN without any.
func percentile(v []float64, q float64) float64 {
	s := make([]float64, 0, len(v))
	for _, x := range v {
		if finite(x) {
			s = append(s, x)
		}
	}
	if len(s) == 0 {
		return math.NaN()
	}
	slices.Sort(s)
	return s[min(len(s)-1, int(q*float64(len(s))))]
}
