package plots

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

// uprightMark is a line up the data area at one x, with its name beside its top; names of several do not cover each
// other, for each has its own step.
type uprightMark struct {
	name, text string
	x          float64
	step       int
	st         draw.LineStyle
	color      color.RGBA
}

func (m uprightMark) label() string { return m.name }
func (m uprightMark) below() bool   { return false }

func (m uprightMark) draw(p *pen, t trans) {
	x := t.x(m.x)
	if !finite(m.x) || x < t.r.Min.X-0.01 || x > t.r.Max.X+0.01 {
		return
	}
	p.line(x, t.r.Min.Y, x, t.r.Max.Y, m.st)
	side, gap := 0.0, vg.Length(5)
	room := t.r.Max.X - x - 8
	if textWidth(m.text, sizeLabel, true) > room {
		side, gap, room = 1, -gap, x-t.r.Min.X-8
	}
	y := t.r.Min.Y + (t.r.Max.Y-t.r.Min.Y)*0.34 - vg.Length(m.step)*(sizeLabel+6)
	s := fit(m.text, sizeLabel, true, room)
	p.text(x+gap, y, s, style{size: sizeLabel, bold: true, color: m.color, ax: side, ay: 0.5, halo: true})
}

func spreadNamed(r *sim.Result, name string) *sim.PowerSpread {
	for i := range r.Power {
		if r.Power[i].Name == name {
			return &r.Power[i]
		}
	}
	return nil
}

func oversubTitle(r *sim.Result) string {
	it := spreadNamed(r, "IT")
	if it == nil || !it.MaxW.Known() {
		return "Power over time is unknown"
	}
	s := "IT peaks at " + show.Watts(float64(it.MaxW))
	if p := float64(it.ProvisionedW); finite(p) && p > 0 {
		s += fmt.Sprintf(", %s of the %s provisioned", show.Percent(float64(it.MaxW)/p), show.Watts(p))
	}
	switch {
	case !it.OverH.Known():
		s += "; no limit of the racks is stated"
	case it.OverH > 0:
		s += fmt.Sprintf("; above the racks' %s for %s h", show.Watts(float64(it.LimitW)), show.Number(float64(it.OverH), 3))
	default:
		s += "; never above the racks' " + show.Watts(float64(it.LimitW))
	}
	return s
}

func oversubFigure(r *sim.Result) *figure {
	f := &figure{title: oversubTitle(r), subtitle: subtitle(r)}
	cdf := &panel{at: box{0, 0, 0.31, 0.56}, title: "Time at or under a power, %"}
	tail := &panel{at: box{0.34, 0, 0.64, 0.56}, title: "Time above it, log scale, %"}
	rows := &panel{at: box{0, 0.61, 0.64, 1}, title: "Rows: half the time (stroke) to 95 % (bar) and the peak (dot), share of the racks' limits"}
	text := &panel{at: box{0.68, 0, 1, 1}, title: "May this be oversubscribed?", free: func(p *pen, rect vg.Rectangle) { p.lines(rect, oversubLines(r)) }}
	f.panels = []*panel{cdf, tail, rows, text}
	f.notes = append(f.notes, "Provisioned: what the plan counts for what is placed. Limit: the racks' limits less what is reserved. Exact over the run, not sampled; swings within a training step come on top.")
	it := spreadNamed(r, "IT")
	if it == nil || len(it.AtW) == 0 || len(it.AtW) != len(it.Shares) {
		cdf.why = "No distribution: nothing was simulated (placement only)."
		rows.why, tail.why = cdf.why, cdf.why
		return f
	}
	cdfPanel(cdf, it)
	tailPanel(tail, it, cdf.x)
	for _, pn := range []*panel{cdf, tail} {
		if pn.why == "" {
			powersOf(pn, it, cdf.x.unit)
		}
	}
	rowsPanel(rows, r)
	return f
}

func cdfPanel(pn *panel, it *sim.PowerSpread) {
	lo, hi := extent(it.AtW)
	if !finite(lo) || !finite(hi) {
		pn.why = "No distribution: the power holds no figure."
		return
	}
	dataHi := hi
	for _, x := range []sim.Num{it.ProvisionedW, it.LimitW} {
		if v := float64(x); finite(v) && v <= dataHi*limitInView && v > 0 {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	k, unit := wattUnit(hi)
	lo, hi = spread(lo*k, hi*k, 0.05)
	pn.x = axis{min: math.Max(0, lo), max: hi, label: "IT power", unit: unit}
	if !(pn.x.max > pn.x.min) {
		pn.x.min = lo
	}
	pn.y = axis{min: 0, max: 100, ticker: numberTicks{want: 5}}
	xs, ys := stairs(scaleBy(it.AtW, k), scaleBy(it.Shares, 100))
	pn.marks = append(pn.marks, lineMark{"IT", xs, ys, draw.LineStyle{Color: navy, Width: lineData}})
}

// perWatt is what a watt is in a unit of power.
func perWatt(unit string) float64 {
	switch unit {
	case "kW":
		return 1e-3
	case "MW":
		return 1e-6
	}
	return 1
}

// powersOf draws the powers that a distribution is held against. Their names stand in the legend, for wherever the
// lines lie close no name fits between them. What is out of view stands in the text beside the chart alone.
func powersOf(pn *panel, it *sim.PowerSpread, unit string) {
	k := perWatt(unit)
	for _, l := range []struct {
		name, text string
		w          sim.Num
		st         draw.LineStyle
		color      color.RGBA
		as         string
	}{
		{"limit", "limit: ", it.LimitW, limitStyle(), limitRed, "dash"},
		{"provisioned", "provisioned: ", it.ProvisionedW, referenceStyle(orangeInk), orangeInk, "dot"},
		{"p99", "99 %: ", it.P99W, referenceStyle(navy), navy, "dot"},
	} {
		if v := float64(l.w); finite(v) && v*k >= pn.x.min && v*k <= pn.x.max {
			pn.marks = append(pn.marks, uprightMark{l.name, "", v * k, 0, l.st, l.color})
			pn.legend = append(pn.legend, legendEntry{l.text + show.Watts(v), l.color, l.as})
		}
	}
}

// leastShare is the lowest share of time that the tail shows, in %: a minute in ten years.
const leastShare = 1e-5

// tailPanel draws how much of the time IT draws more than a power: the rare hours that a mean does not show.
func tailPanel(pn *panel, it *sim.PowerSpread, x axis) {
	if !(x.max > x.min) {
		pn.why = "No distribution: the power holds no figure."
		return
	}
	k := perWatt(x.unit)
	least := 100.0
	var xs, above []float64
	for i, s := range it.Shares {
		if a := 100 * (1 - s); a > leastShare {
			xs, above = append(xs, it.AtW[i]*k), append(above, a)
			least = math.Min(least, a)
		}
	}
	if len(xs) == 0 {
		pn.why = "IT draws one power all the time."
		return
	}
	low := math.Floor(math.Log10(least) - 1e-9)
	ys := make([]float64, len(above))
	for i := range ys {
		ys[i] = logOf(above[i], leastShare)
	}
	sx, sy := stairs(xs, ys)
	sx, sy = append(sx, last(scaleBy(it.AtW, k))), append(sy, last(sy))
	pn.x, pn.y = x, axis{min: low, max: 2.05, ticker: logTicks{}}
	pn.marks = append(pn.marks,
		lineMark{"above", sx, sy, draw.LineStyle{Color: navy, Width: lineData}},
		lineMark{"peak", []float64{last(sx), last(sx)}, []float64{last(sy), low}, draw.LineStyle{Color: navy, Width: lineData}})
}

// rowsMost is how many rows the chart names; those nearest to their limits.
const rowsMost = 12

func rowsPanel(pn *panel, r *sim.Result) {
	var rows []*sim.PowerSpread
	for i := range r.Power {
		if p := &r.Power[i]; p.Name != "IT" && p.Name != "facility" && p.MaxW.Known() && p.LimitW.Known() && p.LimitW > 0 {
			rows = append(rows, p)
		}
	}
	if len(rows) == 0 {
		pn.why = "No row states the limits of all of its racks."
		return
	}
	share := func(p *sim.PowerSpread, w sim.Num) float64 { return 100 * float64(w/p.LimitW) }
	if n := len(rows); n > rowsMost {
		sort.SliceStable(rows, func(a, b int) bool { return share(rows[a], rows[a].MaxW) > share(rows[b], rows[b].MaxW) })
		rows = rows[:rowsMost]
		pn.title += fmt.Sprintf(" (%d of %d, fullest)", rowsMost, n)
	}
	hi := 105.0
	var ticks fixedTicks
	m := rowMark{}
	for i, p := range rows {
		hi = math.Max(hi, math.Min(share(p, p.MaxW), 1e6)*1.03)
		ticks = append(ticks, tick(float64(len(rows)-i)-0.5, fit(clean(p.Name), sizeTick, false, 140)))
		m.rows = append(m.rows, [4]float64{share(p, p.P50W), share(p, p.P95W), share(p, p.MaxW), share(p, p.ProvisionedW)})
	}
	pn.x = axis{min: 0, max: hi, label: "of the racks' limits", unit: "%"}
	pn.y = axis{min: 0, max: float64(len(rows)), ticker: ticks}
	pn.marks = append(pn.marks, m, uprightMark{"limit", "", 100, 0, limitStyle(), limitRed})
	pn.legend = []legendEntry{{"provisioned", orangeInk, "line"}, {"limit", limitRed, "dash"}}
}

// rowMark draws p50, p95, peak and provision of each row.
type rowMark struct{ rows [][4]float64 }

func (m rowMark) label() string { return "rows" }
func (m rowMark) below() bool   { return false }

func (m rowMark) draw(p *pen, t trans) {
	h := min((t.r.Max.Y-t.r.Min.Y)/vg.Length(len(m.rows))*0.3, 11)
	for i, v := range m.rows {
		y := t.y(float64(len(m.rows)-i) - 0.5)
		at := func(k int) (vg.Length, bool) {
			return min(max(t.x(v[k]), t.r.Min.X), t.r.Max.X), finite(v[k])
		}
		a, okA := at(0)
		b, okB := at(1)
		if okA && okB {
			p.rect(vg.Rectangle{Min: vg.Point{X: a, Y: y - h}, Max: vg.Point{X: max(b, a+1.5), Y: y + h}}, navyTint)
		}
		if okA {
			p.line(a, y-h-1, a, y+h+1, draw.LineStyle{Color: navy, Width: 3})
		}
		if c, ok := at(2); ok {
			p.rect(vg.Rectangle{Min: vg.Point{X: c - 4, Y: y - 4}, Max: vg.Point{X: c + 4, Y: y + 4}}, navy)
		}
		if c, ok := at(3); ok {
			p.line(c, y-h-2, c, y+h+2, draw.LineStyle{Color: orangeInk, Width: lineData})
		}
	}
}

// oversubLines say in figures what the curves show.
func oversubLines(r *sim.Result) []textLine {
	var out []textLine
	for _, name := range []string{"IT", "facility"} {
		p := spreadNamed(r, name)
		if p == nil {
			continue
		}
		out = append(out, textLine{s: name, bold: true, gap: 6},
			textLine{s: "mean " + show.Watts(float64(p.MeanW)) + ", half the time under " + show.Watts(float64(p.P50W))},
			textLine{s: "95 % under " + show.Watts(float64(p.P95W)) + ", 99 % under " + show.Watts(float64(p.P99W))},
			textLine{s: "peak " + show.Watts(float64(p.MaxW))},
			textLine{s: "provisioned " + show.Watts(float64(p.ProvisionedW)) + ", limit " + show.Watts(float64(p.LimitW))})
		switch {
		case !p.OverH.Known():
			out = append(out, textLine{s: "over the limit: unknown, none is stated", color: grey})
		case p.OverTimes == 0:
			out = append(out, textLine{s: "over the limit: never", color: green})
		default:
			out = append(out, textLine{s: fmt.Sprintf("over the limit: %s h in %s, longest %s", show.Number(float64(p.OverH), 3), show.Of(p.OverTimes, "time"), show.Seconds(float64(p.OverLongestS))), color: limitRed})
		}
		if d := float64(p.LimitW - p.MaxW); finite(d) && d > 0 {
			out = append(out, textLine{s: "from the peak to the limit: " + show.Watts(d)})
		}
	}
	if w := r.Energy.PeakITSwingW; w.Known() {
		out = append(out, textLine{s: "IT peak with the swings of training steps: " + show.Watts(float64(w)), gap: 10})
	}
	k := &r.Compute
	out = append(out, textLine{s: "What power limits cost in this run", bold: true, gap: 12}, textLine{s: "work lost to caps and the GPUs' own limit: " + gpuH(k.LostGPUHours.PowerCap)})
	for _, m := range r.Energy.Cost {
		out = append(out, textLine{s: "energy bill: " + clean(m.Currency) + " " + show.Number(float64(m.Amount), 3)})
	}
	if c := r.Energy.CarbonKg; c.Known() {
		out = append(out, textLine{s: "carbon: " + show.Number(float64(c)/1e3, 3) + " t CO₂"})
	}
	if len(out) == 0 {
		out = append(out, textLine{s: "unknown", color: grey})
	}
	return out
}

// CapPoint is one run of a series that differs in a power cap alone.
type CapPoint struct {
	CapW      float64 // of a server at its cord, or of what the table names; +Inf: no cap
	Effective float64 // effective GPU-hours, or any other measure of work
	EnergyKWh float64 // of the facility
	Cost      float64 // NaN unknown
	CarbonKg  float64 // NaN unknown
	Servers   int     // that are placed; a cap may admit more
}

// CapTable is the answer to "what does a cap cost?", the points in any order.
type CapTable struct {
	Scenario, Basis string
	What            string // what is capped: "server"
	Currency        string
	Points          []CapPoint
}

// DrawCaps writes work and work for each kilowatt-hour against the cap in a format of Formats.
func DrawCaps(t *CapTable, format string, w io.Writer) error {
	if t == nil {
		return errors.New("plots: no caps to draw")
	}
	var buf bytes.Buffer
	if err := capsFigure(t).write(format, &buf); err != nil {
		return fmt.Errorf("plots: chart caps: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func capsFigure(t *CapTable) *figure {
	name := clean(t.Scenario)
	if name == "" {
		name = "unnamed scenario"
	}
	f := &figure{title: "Work against a power cap", subtitle: fit(name, sizeSub, false, 700) + " · basis: " + clean(t.Basis)}
	work := &panel{at: box{0, 0, 0.68, 0.48}, title: "Work, share of that without a cap"}
	per := &panel{at: box{0, 0.52, 0.68, 1}, title: "Work for each kWh of the facility, against no cap"}
	list := &panel{at: box{0.72, 0, 1, 1}, title: "Each cap against none"}
	f.panels = []*panel{work, per, list}
	var pts []CapPoint
	var base *CapPoint
	for i := range t.Points {
		p := t.Points[i]
		switch {
		case math.IsInf(p.CapW, 1) && finite(p.Effective) && p.Effective > 0 && p.EnergyKWh > 0:
			base = &t.Points[i]
		case finite(p.CapW) && p.CapW > 0 && finite(p.Effective) && finite(p.EnergyKWh) && p.EnergyKWh > 0:
			pts = append(pts, p)
		}
	}
	sort.SliceStable(pts, func(a, b int) bool { return pts[a].CapW < pts[b].CapW })
	if base == nil || len(pts) == 0 {
		why := "No curve: it needs one run without a cap and at least one with one."
		work.why, per.why, list.why = why, why, why
		return f
	}
	var xs, ys, zs []float64
	best := 0
	for i, p := range pts {
		xs = append(xs, p.CapW)
		ys = append(ys, 100*p.Effective/base.Effective)
		zs = append(zs, 100*(p.Effective/p.EnergyKWh)/(base.Effective/base.EnergyKWh))
		if zs[i] > zs[best] {
			best = i
		}
	}
	lo, hi := extent(xs)
	k, unit := wattUnit(hi)
	xlo, xhi := spread(lo*k, hi*k, 0.06)
	for _, c := range []struct {
		pn   *panel
		v    []float64
		name string
	}{{work, ys, "work"}, {per, zs, "work per kWh"}} {
		vlo, vhi := extent(c.v)
		vlo, vhi = spread(math.Min(vlo, 100), math.Max(vhi, 100), 0.1)
		c.pn.x, c.pn.y = axis{min: xlo, max: xhi, label: "cap on " + clean(t.What), unit: unit}, axis{min: vlo, max: vhi, unit: "%"}
		c.pn.marks = append(c.pn.marks, levelMark{"no cap", 100, referenceStyle(grey)},
			lineMark{c.name, scaleBy(xs, k), c.v, draw.LineStyle{Color: navy, Width: lineData}},
			dotMark{name: "runs", xs: scaleBy(xs, k), ys: c.v, color: navy})
		c.pn.labels = append(c.pn.labels, sideLabel{100, "no cap", grey})
	}
	f.title = fmt.Sprintf("A cap of %s keeps %s of the work", show.Watts(pts[0].CapW), show.Percent(ys[0]/100))
	if zs[best] > 100 {
		f.title = fmt.Sprintf("Most work for each kWh at a cap of %s: %s more, for %s of the work", show.Watts(pts[best].CapW), show.Percent(zs[best]/100-1), show.Percent(ys[best]/100))
		per.marks = append(per.marks, uprightMark{"optimum", "most for each kWh", pts[best].CapW * k, 0, referenceStyle(orangeInk), orangeInk})
	}
	if base.Servers > 0 {
		f.notes = append(f.notes, fmt.Sprintf("Without a cap %s stand. Where servers are counted at their cap more of them fit, and their work shares the same arrivals.", show.Of(base.Servers, "server")))
	}
	list.free = func(p *pen, rect vg.Rectangle) {
		var out []textLine
		for i, x := range pts {
			head := show.Watts(x.CapW)
			if x.Servers > 0 {
				head += ", " + show.Of(x.Servers, "server")
			}
			out = append(out, textLine{s: head, bold: true, gap: 6}, textLine{s: fmt.Sprintf("work %s, energy %s", show.Percent(ys[i]/100), show.Percent(x.EnergyKWh/base.EnergyKWh))})
			if d := x.Cost - base.Cost; finite(d) {
				out = append(out, textLine{s: "bill " + clean(t.Currency) + " " + show.Number(d, 3)})
			}
			if d := x.CarbonKg - base.CarbonKg; finite(d) {
				out = append(out, textLine{s: show.Number(d/1e3, 3) + " t CO₂"})
			}
		}
		p.lines(rect, out)
	}
	return f
}
