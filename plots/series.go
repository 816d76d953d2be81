package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"headroom/plots/show"
	"headroom/sim"
)

func minus(s string) string     { return show.Minus(s) }
func thousands(s string) string { return show.Thousands(s) }
func count(n int) string        { return show.Count(n) }

// table is the run's series made safe to draw: every column as long as the time axis, values that cannot be
// drawn taken out as gaps.
type table struct {
	start   time.Time
	startS  []float64
	stepS   float64
	endS    float64 // end of the run
	columns map[string][]float64
	dropped map[string]int // values that were not finite or too large to draw, by column
	why     string         // there is no table: why
}

func seriesOf(r *sim.Result) table {
	t := table{columns: map[string][]float64{}, dropped: map[string]int{}}
	s := r.Series
	switch {
	case s == nil || len(s.Columns) == 0:
		t.why = "No series: the run kept none."
		return t
	case len(s.StartS) == 0:
		t.why = "No series: the run has no steps."
		return t
	}
	for i, x := range s.StartS {
		if !finite(x) || i > 0 && x <= s.StartS[i-1] {
			t.why = fmt.Sprintf("No series: step %d does not start after the step before it.", i+1)
			return t
		}
	}
	if first, last := s.StartS[0], s.StartS[len(s.StartS)-1]; first < -longestAxisS || last > longestAxisS {
		t.why = "No series: the run's steps lie more than 285 years from its start."
		return t
	}
	start, err := time.Parse("2006-01-02T15:04:05", r.Run.Start)
	if err != nil {
		t.why = fmt.Sprintf("No series: the run's start, %q, is no date.", r.Run.Start)
		return t
	}
	t.start, t.startS, t.stepS = start, s.StartS, s.StepS
	n := len(s.StartS)
	if !(t.stepS > 0 && t.stepS <= longestAxisS) {
		t.stepS = 1
		if n > 1 {
			t.stepS = s.StartS[1] - s.StartS[0]
		}
	}
	t.endS = s.StartS[n-1] + t.stepS
	if l := r.Run.LengthS; finite(l) && l > s.StartS[n-1] && l < t.endS {
		t.endS = l
	}
	for _, c := range s.Columns {
		if len(c.Values) != n {
			continue
		}
		v := c.Values
		for i, y := range v {
			if finite(y) || math.IsNaN(y) {
				continue
			}
			if t.dropped[c.Name] == 0 {
				v = append([]float64(nil), v...)
			}
			v[i] = math.NaN()
			t.dropped[c.Name]++
		}
		t.columns[c.Name] = v
	}
	return t
}

// col returns a column, nil where the run has none of that name or it holds no figure at all.
func (t *table) col(name string) []float64 {
	v := t.columns[name]
	for _, y := range v {
		if !math.IsNaN(y) {
			return v
		}
	}
	return nil
}

// lacking says why a panel that needs one of the columns is empty, "" if any holds figures.
func (t *table) lacking(names ...string) string {
	if t.why != "" {
		return t.why
	}
	var absent, empty []string
	for _, n := range names {
		if t.col(n) != nil {
			return ""
		}
		if _, ok := t.columns[n]; ok {
			empty = append(empty, n)
		} else {
			absent = append(absent, n)
		}
	}
	if len(empty) > 0 {
		return "No data: " + strings.Join(empty, ", ") + " holds no figure in this run."
	}
	return "No data: the run has no series " + strings.Join(absent, ", ") + "."
}

// note says how many values of the columns were taken out.
func (t *table) note(names ...string) []string {
	var out []string
	for _, n := range names {
		if d := t.dropped[n]; d > 0 {
			out = append(out, fmt.Sprintf("%s of %s left out of the chart: not finite, or beyond 1e100.", show.Of(d, "value"), n))
		}
	}
	return out
}

// span is the length in seconds that the series cover.
func (t *table) span() float64 {
	if len(t.startS) == 0 {
		return 0
	}
	return t.endS - t.startS[0]
}

// Runs at least this long are drawn as a mean line with a band from the lowest to the highest step of each
// bin, for a year of hours drawn one by one is a solid block.
const (
	dayBinsFrom  = 45 * 86400.0
	weekBinsFrom = 4 * 366 * 86400.0
)

// binS returns the bin in seconds, 0 when steps are drawn as they are, and its name.
func (t *table) binS() (sec float64, name string) {
	switch {
	case t.span() >= weekBinsFrom && t.stepS < 7*86400/2:
		return 7 * 86400, "weekly"
	case t.span() >= dayBinsFrom && t.stepS < 86400/2:
		return 86400, "daily"
	}
	return 0, ""
}

// binned is a series by bins: centres, time-weighted means, lowest and highest step; NaN where a bin has no
// figure.
type binned struct {
	xs, mean, lo, hi []float64
	p5, p95          []float64 // of the steps' values over time, without bins the value itself
}

// bins returns a series by bins aligned to local midnight (weeks to Monday). Without bins every step is its own.
func (t *table) bins(v []float64) binned { return t.ratioBins(v, nil) }

// ratioBins is bins with mean = Σv/Σw where w is given, so that a ratio of two powers is energy over energy,
// not a mean of ratios. lo and hi are the extremes of the steps' own ratios.
func (t *table) ratioBins(v, w []float64) binned {
	sec, _ := t.binS()
	return t.binsOf(sec, v, w)
}

// stackBins is bins for stacked areas, where only means have a meaning: runs whose steps are drawn as they are
// get as many bins as can be told apart on the page.
func (t *table) stackBins(v []float64) binned {
	sec, _ := t.binS()
	const most = 480
	if sec == 0 && len(v) > most {
		sec = t.stepS * math.Ceil(float64(len(v))/most)
	}
	return t.binsOf(sec, v, nil)
}

func (t *table) binsOf(sec float64, v, w []float64) binned {
	if sec == 0 {
		return t.steps(v, w)
	}
	n := min(len(v), int(t.span()/sec)+2)
	var b binned
	for _, s := range []*[]float64{&b.xs, &b.mean, &b.lo, &b.hi, &b.p5, &b.p95} {
		*s = make([]float64, 0, n)
	}
	var sum, weight, lo, hi float64
	var steps []weighted
	reset := func() { sum, weight, lo, hi, steps = 0, 0, math.Inf(1), math.Inf(-1), steps[:0] }
	flush := func(x0, x1 float64) {
		b.xs = append(b.xs, (x0+x1)/2)
		if weight > 0 && lo <= hi {
			b.mean, b.lo, b.hi = append(b.mean, sum/weight), append(b.lo, lo), append(b.hi, hi)
			p5, p95 := quantiles(steps)
			b.p5, b.p95 = append(b.p5, p5), append(b.p95, p95)
		} else {
			nan := math.NaN()
			b.mean, b.lo, b.hi = append(b.mean, nan), append(b.lo, nan), append(b.hi, nan)
			b.p5, b.p95 = append(b.p5, nan), append(b.p95, nan)
		}
		reset()
	}
	reset()
	offset := 0.0 // bins begin at local midnight, or with the run where they are shorter than a day
	if sec >= 86400 {
		offset = t.start.Sub(timeStep{sec: sec}.floor(t.start)).Seconds()
	}
	key := func(x float64) float64 { return math.Floor((x + offset) / sec) }
	x0 := t.startS[0]
	for i, x := range t.startS {
		if i > 0 && key(x) != key(x0) {
			flush(x0, x)
			x0 = x
		}
		dt := t.endS - x
		if i+1 < len(t.startS) {
			dt = t.startS[i+1] - x
		}
		if math.IsNaN(v[i]) {
			continue
		}
		if w == nil {
			sum, weight = sum+v[i]*dt, weight+dt
			lo, hi = math.Min(lo, v[i]), math.Max(hi, v[i])
			steps = append(steps, weighted{v[i], dt})
			continue
		}
		if w[i] > 0 {
			sum, weight = sum+v[i]*dt, weight+w[i]*dt
			lo, hi = math.Min(lo, v[i]/w[i]), math.Max(hi, v[i]/w[i])
			steps = append(steps, weighted{v[i] / w[i], dt})
		}
	}
	flush(x0, t.endS)
	return b
}

// steps is the series step by step: mean, lowest and highest are the same.
func (t *table) steps(v, w []float64) binned {
	xs := make([]float64, len(v))
	for i, x := range t.startS {
		end := t.endS
		if i+1 < len(t.startS) {
			end = t.startS[i+1]
		}
		xs[i] = (x + end) / 2
	}
	if w != nil {
		ratio := make([]float64, len(v))
		for i := range v {
			ratio[i] = math.NaN()
			if w[i] > 0 {
				ratio[i] = v[i] / w[i]
			}
		}
		v = ratio
	}
	return binned{xs, v, v, v, v, v}
}

// weighted is a value that stood for a time.
type weighted struct{ v, dt float64 }

// quantiles are the 5th and 95th percentile of values over the time they stood: the least value that so much of the
// time does not exceed. It sorts what it is given.
func quantiles(s []weighted) (p5, p95 float64) {
	slices.SortFunc(s, func(a, b weighted) int { return cmp.Compare(a.v, b.v) })
	total := 0.0
	for _, x := range s {
		total += x.dt
	}
	at := func(q float64) float64 {
		seen := 0.0
		for _, x := range s {
			if seen += x.dt; seen >= q*total*(1-1e-12) {
				return x.v
			}
		}
		return s[len(s)-1].v
	}
	return at(0.05), at(0.95)
}

// extent returns the lowest and highest finite value of several series; lo > hi when there is none.
func extent(series ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for _, v := range s {
			if finite(v) {
				lo, hi = math.Min(lo, v), math.Max(hi, v)
			}
		}
	}
	return lo, hi
}

// last returns the last finite value, NaN without one: where a line ends, for its label.
func last(v []float64) float64 {
	for i := len(v) - 1; i >= 0; i-- {
		if finite(v[i]) {
			return v[i]
		}
	}
	return math.NaN()
}

// scaleBy returns v × k.
func scaleBy(v []float64, k float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] * k
	}
	return out
}

// timeAxis is the time axis of a table.
func (t *table) timeAxis() axis {
	lo, hi := t.startS[0], t.endS
	if !(hi > lo) {
		hi = lo + 1
	}
	return axis{min: lo, max: hi, ticker: timeTicks{start: t.start}, label: "local time"}
}

// quietAbove leaves the labels of a shared time axis to the lowest panel that has axes.
func quietAbove(panels ...*panel) {
	low := true
	for i := len(panels) - 1; i >= 0; i-- {
		if panels[i].why != "" {
			continue
		}
		panels[i].x.quiet = !low
		low = false
	}
}

// wattUnit picks the unit of a power axis from its largest value.
func wattUnit(maxW float64) (factor float64, unit string) {
	switch {
	case maxW >= 1e6:
		return 1e-6, "MW"
	case maxW >= 1e3:
		return 1e-3, "kW"
	}
	return 1, "W"
}
