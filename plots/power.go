package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"headroom/facility"
	"headroom/facility/power"
	"headroom/plots/show"
	"headroom/sim"
)

// PowerLimit is what one level of the electrical graph may carry once its redundant units, or its largest
// side, are lost.
type PowerLimit struct {
	Name string // "UPS, one side lost"
	Kind power.Kind
	W    float64
	// PlanW is the planned load of the level in normal service, mechanical loads included, NaN unknown.
	PlanW float64
	// Bypassed says that some of the site's load does not come through the level: chillers on the utility beside the
	// transformers. The site's peak is then not the level's.
	Bypassed bool
}

// bypassed says whether a load that is not IT hangs on the graph beside all nodes of a kind.
func bypassed(f *facility.Facility, kind power.Kind) bool {
	beside := func(fed []int, w float64) bool {
		return w > 0 && slices.ContainsFunc(fed, func(n int) bool {
			return f.Power.Nodes[n].Kind != kind && !slices.ContainsFunc(f.Power.Ancestors(n), func(a int) bool { return f.Power.Nodes[a].Kind == kind })
		})
	}
	return beside(f.OtherFed, f.OtherW) || slices.ContainsFunc(f.Mechanical, func(m facility.MechanicalLoad) bool { return beside(m.Fed, float64(m.W)) })
}

// PowerLimits returns the limits of the levels that the whole site hangs on, from the street down.
func PowerLimits(r *sim.Result) []PowerLimit {
	if r.Layout == nil || r.Layout.Facility == nil || r.Layout.Facility.Power == nil {
		return nil
	}
	g := r.Layout.Facility.Power
	demand := func(i int) float64 {
		if len(r.Layout.DemandW) != len(g.Nodes) {
			return math.NaN()
		}
		return float64(r.Layout.DemandW[i])
	}
	var out []PowerLimit
	for _, level := range []struct {
		kind power.Kind
		name string
	}{{power.Utility, "utility"}, {power.Transformer, "transformers"}, {power.UPS, "UPS"}} {
		var total, largest float64
		var sides []string
		bySide := map[string]float64{}
		spare, plan := 0, 0.0
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Kind != level.kind {
				continue
			}
			w := float64(g.CapacityW(i, max(0, n.Units-n.Redundant)))
			spare += n.Redundant
			if _, ok := bySide[n.Side]; !ok {
				sides = append(sides, n.Side)
			}
			bySide[n.Side] += w
			total += w
			plan += demand(i)
		}
		if total <= 0 {
			continue
		}
		name := level.name
		if len(sides) > 1 {
			for _, s := range sides {
				if s != "" {
					largest = math.Max(largest, bySide[s])
				}
			}
			total -= largest
			name += ", one side lost"
		} else if spare > 0 {
			name += ", " + show.Of(spare, "unit") + " lost"
		}
		out = append(out, PowerLimit{name, level.kind, total, plan, bypassed(r.Layout.Facility, level.kind)})
	}
	return out
}

// limitInView is how far above the data a limit may lie and still be drawn; beyond that it would press the
// data flat, so it is named in a note.
const limitInView = 2.2

func powerTitle(r *sim.Result, limits []PowerLimit) string {
	peak := float64(r.Energy.PeakFacilityW)
	if !finite(peak) {
		return "Peak facility power is unknown"
	}
	s := "The facility peaks at " + show.Watts(peak)
	for _, l := range limits {
		if l.Kind == power.Utility {
			s += fmt.Sprintf(", %s of the utility's %s", show.Percent(peak/l.W), show.Watts(l.W))
			break
		}
	}
	if it := float64(r.Energy.PeakITW); finite(it) {
		s += "; IT at " + show.Watts(it)
	}
	return s
}

func powerFigure(r *sim.Result) *figure {
	t := seriesOf(r)
	limits := PowerLimits(r)
	f := &figure{title: powerTitle(r, limits), subtitle: subtitle(r)}
	pn := &panel{at: box{0, 0, 1, 1}, title: "Power"}
	over := &panel{at: box{0, 0, 1, 0.24}, title: "Limits far above the load"}
	f.panels = []*panel{pn}
	for _, l := range limits {
		if l.Bypassed && l.Kind != power.UPS {
			level, _, _ := strings.Cut(l.Name, ",") // without what is lost of it
			f.notes = append(f.notes, fmt.Sprintf("Not all of the facility's power comes through the %s.", level))
		}
	}
	if pn.why = t.lacking("facility_w", "it_w"); pn.why != "" {
		return f
	}
	_, hi := extent(t.col("facility_w"), t.col("it_w"))
	dataTop := hi
	if peak := float64(r.Energy.PeakFacilityW); finite(peak) {
		dataTop = math.Max(dataTop, peak)
	}
	top := dataTop
	for _, l := range limits {
		if l.W <= dataTop*limitInView {
			top = math.Max(top, l.W)
		}
	}
	k, unit := wattUnit(top)
	_, yMax := fromZero(top * k)
	pn.x, pn.y = t.timeAxis(), axis{min: 0, max: yMax, unit: unit}
	for _, s := range []struct {
		col, name  string
		line, tint color.RGBA
	}{{"facility_w", "facility", orangeInk, orangeTnt}, {"it_w", "IT", navy, navyTint}} {
		v := t.col(s.col)
		if v == nil {
			f.notes = append(f.notes, t.lacking(s.col))
			continue
		}
		pn.addSeries(&t, s.name, scaleBy(v, k), s.line, s.tint)
	}
	if peak := float64(r.Energy.PeakFacilityW); finite(peak) && peak > 0 {
		pn.marks = append(pn.marks, levelMark{"peak", peak * k, referenceStyle(orangeInk)})
		pn.labels = append(pn.labels, sideLabel{peak * k, "peak " + show.Watts(peak), orangeInk})
	}
	var above []PowerLimit
	for _, l := range limits {
		if l.W <= dataTop*limitInView {
			pn.addLimit(l.W*k, fmt.Sprintf("%s: %s", l.Name, show.Watts(l.W)))
		} else {
			above = append(above, l)
		}
	}
	if len(above) > 0 {
		// On one axis they would press the load flat, so they get a strip of their own over it.
		over.fillLimits(&t, above)
		pn.at.y0 = over.at.y1 + 0.01
		f.panels = []*panel{over, pn}
		quietAbove(over, pn)
	}
	if len(limits) == 0 {
		f.notes = append(f.notes, "No limit is drawn: the scenario states no rating of utility, transformers or UPS.")
	}
	f.notes = append(f.notes, pn.binNote(&t)...)
	f.notes = append(f.notes, t.note("facility_w", "it_w")...)
	return f
}

// fillLimits draws limits alone, to a scale of their own.
func (pn *panel) fillLimits(t *table, limits []PowerLimit) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, l := range limits {
		lo, hi = math.Min(lo, l.W), math.Max(hi, l.W)
	}
	k, unit := wattUnit(hi)
	lo, hi = spread(lo*k, hi*k, 0.15)
	pn.x, pn.y = t.timeAxis(), axis{min: math.Max(0, lo), max: hi, unit: unit, ticker: numberTicks{want: 3}}
	for _, l := range limits {
		pn.addLimit(l.W*k, fmt.Sprintf("%s: %s", l.Name, show.Watts(l.W)))
	}
}

// addSeries adds a series as a mean line, with a band between the lowest and the highest step where the run is
// so long that steps are drawn in bins, and a direct label at its end.
func (pn *panel) addSeries(t *table, name string, v []float64, line, tint color.RGBA) {
	b := t.bins(v)
	pn.addBinned(t, name, b, line, tint)
}

func (pn *panel) addBinned(t *table, name string, b binned, line, tint color.RGBA) {
	if sec, _ := t.binS(); sec > 0 {
		pn.marks = append(pn.marks, bandMark{name: name + " band", xs: b.xs, lo: b.lo, hi: b.hi, color: tint})
	}
	pn.marks = append(pn.marks, lineMark{name: name, xs: b.xs, ys: b.mean, st: draw.LineStyle{Color: line, Width: lineData}})
	pn.labels = append(pn.labels, sideLabel{last(b.mean), name, line})
}

// addLimit adds a limit as a dashed line with its name beside it.
func (pn *panel) addLimit(y float64, name string) {
	pn.marks = append(pn.marks, levelMark{name, y, limitStyle()})
	pn.labels = append(pn.labels, sideLabel{y, name, limitRed})
}

// binNote says what lines and bands are where steps are drawn in bins.
func (pn *panel) binNote(t *table) []string {
	sec, name := t.binS()
	if sec == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Lines are %s means; bands span the lowest to the highest %s mean.", name, stepName(t.stepS))}
}

// stepName says how long a step is, as an adjective.
func stepName(s float64) string {
	switch s {
	case 3600:
		return "hourly"
	case 86400:
		return "daily"
	}
	return show.Seconds(s)
}
