package plots

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
)

// RunwayTable is a runway as a chart needs it. Servers are counted in one model; a figure that is not known
// is NaN, a date that there is not is zero.
type RunwayTable struct {
	Scenario, Variant, Basis, ID string
	Model                        string
	Verdict                      string // of the trend: "trend", "no trend", "stated rate" …
	First                        string // resource that runs out first, "" none
	Start, End                   time.Time
	History                      []RunwayPoint
	Days                         []RunwayDay      // ascending, one each day or fewer
	Resources                    []RunwayResource // all limits together first
	Notes                        []string
}

// RunwayPoint is what was in use on a day.
type RunwayPoint struct {
	Date    time.Time
	Servers float64
}

// RunwayDay is what is wanted on a day, P10, P50 and P90.
type RunwayDay struct {
	Date           time.Time
	Low, Mid, High float64
	Committed      int // what the dated plan lets stand
}

// RunwayResource is one kind of limit: what it admits over time, and the dates on which demand is more.
type RunwayResource struct {
	Name          string
	Admits        []RunwayStep
	P10, P50, P90 time.Time
	Why           string // why there is no P50
}

// RunwayStep is how many servers a resource admits from a day on; NaN where it is more than was asked.
type RunwayStep struct {
	From    time.Time
	Servers float64
}

// DrawRunway writes the chart of a runway in a format of Formats: what was and will be wanted against what
// the hall admits, and the span of dates on which each resource runs out. Nothing is written unless the whole
// chart was drawn; the same table gives the same bytes.
func DrawRunway(t *RunwayTable, format string, w io.Writer) error {
	if t == nil {
		return errors.New("plots: no runway to draw")
	}
	var buf bytes.Buffer
	if err := runwayFigure(t).write(format, &buf); err != nil {
		return fmt.Errorf("plots: chart runway: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// runwayNotes is the most lines of small print; the table has them all.
const runwayNotes = 4

func runwayFigure(t *RunwayTable) *figure {
	f := &figure{title: t.title(), subtitle: t.subtitle(), notes: t.Notes}
	if len(f.notes) > runwayNotes {
		f.notes = append(f.notes[:runwayNotes-1:runwayNotes-1], fmt.Sprintf("and %s more, printed with the table.", show.Of(len(t.Notes)-runwayNotes+1, "note")))
	}
	split := 0.6 - 0.01*float64(min(len(t.Resources), 14))
	top := &panel{at: box{0, 0, 1, split}, title: clean(t.Model) + " wanted, and admitted by the hall"}
	low := &panel{at: box{0, split + 0.04, 1, 1}, title: "When each resource runs out: bar from P10 to P90, stroke at P50"}
	f.panels = []*panel{top, low}
	if top.why = t.lacking(); top.why != "" {
		low.why = top.why
		return f
	}
	x := t.axis()
	t.drawDemand(top, x)
	t.drawDates(low, x)
	quietAbove(top, low)
	return f
}

func (t *RunwayTable) lacking() string {
	switch {
	case !t.End.After(t.Start):
		return "No data: the plan ends before it begins."
	case t.sec(t.End)-t.sec(t.Start) > longestAxisS:
		return "No data: the plan is longer than 285 years."
	case len(t.Days) == 0 || len(t.Resources) == 0:
		return "No data: the runway has no days or no resources."
	}
	for i, d := range t.Days {
		if i > 0 && !d.Date.After(t.Days[i-1].Date) {
			return fmt.Sprintf("No data: day %d is not after the day before it.", i+1)
		}
	}
	return ""
}

// title states the answer: what runs out first, and when.
func (t *RunwayTable) title() string {
	if len(t.Resources) == 0 {
		return "The runway is unknown"
	}
	all := t.Resources[0]
	if all.P50.IsZero() {
		return fmt.Sprintf("No date on which the hall is full: %s until %s", all.Why, t.End.Format("2 Jan 2006"))
	}
	s := "Full on " + all.P50.Format("2 Jan 2006")
	switch {
	case !all.P10.IsZero() && !all.P90.IsZero() && !all.P10.Equal(all.P90):
		s += fmt.Sprintf(" (P10 %s, P90 %s)", all.P10.Format("2 Jan 2006"), all.P90.Format("2 Jan 2006"))
	case !all.P10.IsZero() && all.P90.IsZero():
		s += fmt.Sprintf(" (P10 %s, P90 beyond %s)", all.P10.Format("2 Jan 2006"), t.End.Format("Jan 2006"))
	}
	if t.First != "" {
		s += "; first out is " + t.First
	}
	return clean(s)
}

func (t *RunwayTable) subtitle() string {
	s := t.Scenario
	if s == "" {
		s = "unnamed scenario"
	}
	if t.Variant != "" {
		s += " · variant " + t.Variant
	}
	s += " · basis: " + t.Basis + " · demand: " + t.Verdict
	if len(t.ID) >= 8 {
		s += " · scenario " + t.ID[:8]
	}
	return clean(s)
}

// origin is the day from which the time axis counts.
func (t *RunwayTable) origin() time.Time {
	if len(t.History) > 0 && t.History[0].Date.Before(t.Start) {
		return t.History[0].Date
	}
	return t.Start
}

func (t *RunwayTable) sec(d time.Time) float64 { return float64(d.Unix() - t.origin().Unix()) }

func (t *RunwayTable) axis() axis {
	return axis{min: 0, max: t.sec(t.End), ticker: timeTicks{start: t.origin()}, label: "local date"}
}

// drawDemand draws history, forecast and the limits that come into it.
func (t *RunwayTable) drawDemand(pn *panel, x axis) {
	var xs, low, mid, high, plan []float64
	for _, d := range t.Days {
		xs = append(xs, t.sec(d.Date))
		low, mid, high, plan = append(low, d.Low), append(mid, d.Mid), append(high, d.High), append(plan, float64(d.Committed))
	}
	var hx, hy []float64
	for _, p := range t.History {
		hx, hy = append(hx, t.sec(p.Date)), append(hy, p.Servers)
	}
	_, most := extent(high, mid, plan, hy)
	if !finite(most) || most <= 0 {
		most = 1
	}
	admitted := func(r RunwayResource) (lx, ly []float64) {
		for i, s := range r.Admits {
			end := x.max
			if i+1 < len(r.Admits) {
				end = t.sec(r.Admits[i+1].From)
			}
			lx, ly = append(lx, t.sec(s.From), end), append(ly, s.Servers, s.Servers)
		}
		return lx, ly
	}
	// A limit far above the demand would press it flat: it is named below, in the dates.
	reach := most
	_, ly := admitted(t.Resources[0])
	if _, hi := extent(ly); finite(hi) && hi <= most*limitInView {
		reach = math.Max(reach, hi)
	}
	_, yMax := fromZero(reach)
	pn.x, pn.y = x, axis{min: 0, max: yMax, unit: "servers", ticker: numberTicks{want: 6, whole: true}}

	pn.marks = append(pn.marks,
		bandMark{name: "P10 to P90", xs: xs, lo: low, hi: high, color: navyTint},
		lineMark{name: "P50", xs: xs, ys: mid, st: draw.LineStyle{Color: navy, Width: lineData}})
	pn.legend = append(pn.legend, legendEntry{"wanted, P10 to P90", navyTint, "box"}, legendEntry{"wanted, P50", navy, "line"})
	if _, hi := extent(plan); hi > 0 {
		sx, sy := stairs(xs, plan)
		pn.marks = append(pn.marks, lineMark{name: "dated plan", xs: sx, ys: sy, st: referenceStyle(orangeInk)})
		pn.legend = append(pn.legend, legendEntry{"stands by the dated plan", orangeInk, "dash"})
	}
	if len(hx) > 0 {
		pn.marks = append(pn.marks, dotMark{name: "history", xs: hx, ys: hy, color: ink})
		pn.legend = append(pn.legend, legendEntry{"history", ink, "box"})
	}
	drawn := 0
	for i, r := range t.Resources {
		lx, ly := admitted(r)
		_, hi := extent(ly)
		if !finite(hi) || i > 0 && (hi > yMax || !finite(ly[len(ly)-1])) {
			continue
		}
		st, c := limitStyle(), limitRed
		if i > 0 {
			if drawn >= 3 { // more lines than can be told apart
				continue
			}
			drawn++
			st, c = draw.LineStyle{Color: grey, Width: lineFine, Dashes: dashLimit}, grey
			if sameSteps(r, t.Resources[0]) {
				continue // it lies under the line of all limits
			}
		}
		pn.marks = append(pn.marks, lineMark{name: r.Name, xs: lx, ys: ly, st: st})
		if y := last(ly); y <= yMax {
			pn.labels = append(pn.labels, sideLabel{y, fmt.Sprintf("%s: %s", clean(r.Name), show.Count(int(y))), c})
		}
	}
	if d := t.Resources[0].P50; !d.IsZero() {
		pn.marks = append(pn.marks, dayMark{name: "full", x: t.sec(d), text: d.Format("2 Jan 2006")})
	}
}

// sameSteps says whether two resources admit the same all along.
func sameSteps(a, b RunwayResource) bool {
	if len(a.Admits) != len(b.Admits) {
		return false
	}
	for i := range a.Admits {
		if a.Admits[i].Servers != b.Admits[i].Servers {
			return false
		}
	}
	return true
}

// stairs turns values that hold until the next into the corners of their steps.
func stairs(xs, ys []float64) (sx, sy []float64) {
	for i := range xs {
		if i > 0 {
			sx, sy = append(sx, xs[i]), append(sy, ys[i-1])
		}
		sx, sy = append(sx, xs[i]), append(sy, ys[i])
	}
	return sx, sy
}

// drawDates draws one line a resource: when it runs out.
func (t *RunwayTable) drawDates(pn *panel, x axis) {
	n := len(t.Resources)
	pn.x = x
	pn.y = axis{min: 0, max: float64(n)}
	var ticks fixedTicks
	for i, r := range t.Resources {
		y := float64(n-i) - 0.5
		ticks = append(ticks, plot.Tick{Value: y, Label: fit(clean(r.Name), sizeTick, false, 150)})
		c := navy
		if i == 0 {
			c = limitRed
		}
		span := spanMark{name: r.Name, y: y, start: t.sec(t.Start), from: math.NaN(), mid: math.NaN(), to: math.NaN(), end: x.max, color: c, text: r.Why}
		if !r.P10.IsZero() {
			span.from = t.sec(r.P10)
			span.text = "P50 " + r.Why
		}
		if !r.P90.IsZero() {
			span.to = t.sec(r.P90)
		}
		if !r.P50.IsZero() {
			span.mid = t.sec(r.P50)
			span.text = fmt.Sprintf("%s, in %s", r.P50.Format("2 Jan 2006"), show.Of(int(math.Round(r.P50.Sub(t.Start).Hours()/24)), "day"))
		}
		pn.marks = append(pn.marks, span)
	}
	pn.y.ticker = ticks
}

// dotMark is points without a line.
type dotMark struct {
	name   string
	xs, ys []float64
	color  color.RGBA
}

func (m dotMark) label() string { return m.name }
func (m dotMark) below() bool   { return false }

func (m dotMark) draw(p *pen, t trans) {
	const r = vg.Length(2.6)
	for i := range m.xs {
		if !finite(m.xs[i]) || !finite(m.ys[i]) {
			continue
		}
		if at := (vg.Point{X: t.x(m.xs[i]), Y: t.y(m.ys[i])}); at.Y >= t.r.Min.Y-r && at.Y <= t.r.Max.Y+r {
			p.rect(vg.Rectangle{Min: vg.Point{X: at.X - r, Y: at.Y - r}, Max: vg.Point{X: at.X + r, Y: at.Y + r}}, m.color)
		}
	}
}

// dayMark is a day as a stroke from top to bottom with its date beside it.
type dayMark struct {
	name string
	x    float64
	text string
}

func (m dayMark) label() string { return m.name }
func (m dayMark) below() bool   { return false }

func (m dayMark) draw(p *pen, t trans) {
	x := t.x(m.x)
	p.line(x, t.r.Min.Y, x, t.r.Max.Y, draw.LineStyle{Color: limitRed, Width: lineFine})
	side, gap := 0.0, vg.Length(5)
	if x+gap+textWidth(m.text, sizeLabel, true) > t.r.Max.X {
		side, gap = 1, -gap
	}
	p.text(x+gap, t.r.Min.Y+5, m.text, style{size: sizeLabel, bold: true, color: limitRed, ax: side})
}

// spanMark is a span of dates on one line: a bar from P10 to P90, to the end of the axis where there is no
// P90, and a stroke at P50.
type spanMark struct {
	name          string
	y             float64
	from, mid, to float64 // NaN: not within the axis
	start, end    float64 // of the plan
	color         color.RGBA
	text          string // beside the bar, or in its place
}

func (m spanMark) label() string { return m.name }
func (m spanMark) below() bool   { return false }

func (m spanMark) draw(p *pen, t trans) {
	half := min(vg.Length(9), (t.r.Max.Y-t.r.Min.Y)/vg.Length(t.dy)*0.36)
	y := t.y(m.y)
	for _, v := range [...]*float64{&m.from, &m.mid, &m.to} {
		*v = math.Min(math.Max(*v, t.x0), m.end) // NaN stays
	}
	bar := func(from, to vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: from, Y: y - half}, Max: vg.Point{X: max(to, from+1.5), Y: y + half}}
	}
	if finite(m.from) {
		to := m.to
		if !finite(to) {
			to = m.end
		}
		r := bar(t.x(m.from), t.x(to))
		p.rect(r, mix(m.color, white, 0.62))
		p.frame(r, draw.LineStyle{Color: m.color, Width: lineGrid})
	}
	if finite(m.mid) {
		x := t.x(m.mid)
		p.line(x, y-half-1, x, y+half+1, draw.LineStyle{Color: m.color, Width: 3})
	}
	// The text stands before the bar where there is room, else behind it.
	const gap = vg.Length(6)
	x, side, tint := t.x(m.start)+gap, 0.0, grey
	left, right := m.from, m.to
	if !finite(left) {
		left = m.mid
	}
	if !finite(right) {
		right = m.end
	}
	if finite(left) {
		tint = m.color
		if x, side = t.x(left)-gap, 1; x-textWidth(m.text, sizeSmall, false) < t.r.Min.X {
			x, side = t.x(right)+gap, 0
		}
	}
	p.text(x, y, m.text, style{size: sizeSmall, color: tint, ax: side, ay: 0.5})
}
