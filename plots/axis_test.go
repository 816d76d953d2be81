package plots

import (
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func labels(ticks []plot.Tick) string {
	var out []string
	for _, t := range ticks {
		out = append(out, strings.ReplaceAll(t.Label, "\n", "/"))
	}
	return strings.Join(out, " ")
}

func TestNumberTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      numberTicks
		want   string
	}{
		{0, 1.3, numberTicks{want: 6}, "0.0 0.2 0.4 0.6 0.8 1.0 1.2"},
		{0, 51, numberTicks{want: 6}, "0 10 20 30 40 50"},
		{0, 1, numberTicks{want: 6, whole: true}, "0 1"},
		{-12, 33, numberTicks{want: 5}, "−10 0 10 20 30"},
		{0.7996, 0.8004, numberTicks{want: 4}, "0.7996 0.7998 0.8000 0.8002 0.8004"},
		{0, 5400, numberTicks{want: 6}, "0 1,000 2,000 3,000 4,000 5,000"},
		{0, 3.1e7, numberTicks{want: 3}, "0 1.0e+07 2.0e+07 3.0e+07"},
		{0, 5e-9, numberTicks{want: 3}, "0 2.0e-09 4.0e-09"},
		{math.NaN(), 1, numberTicks{}, ""},
		{1, 1, numberTicks{}, ""},
	} {
		if got := labels(c.n.Ticks(c.lo, c.hi)); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

// On any axis that the charts make: at least two ticks, none twice, all inside.
func TestNumberTicksOnAnyAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e99, 1e99).Draw(t, "lo")
		d := rapid.Float64Range(0, 1e99).Draw(t, "d")
		lo, hi := spread(lo, lo+d, 0.05)
		if !(hi > lo) {
			t.Fatalf("spread gives %v to %v", lo, hi)
		}
		ticks := numberTicks{want: rapid.IntRange(2, 8).Draw(t, "want")}.Ticks(lo, hi)
		seen := map[string]bool{}
		for _, k := range ticks {
			if seen[k.Label] {
				t.Fatalf("%v to %v: label %q twice in %q", lo, hi, k.Label, labels(ticks))
			}
			seen[k.Label] = true
			if k.Value < lo-(hi-lo)*1e-6 || k.Value > hi+(hi-lo)*1e-6 {
				t.Fatalf("tick %v outside %v to %v", k.Value, lo, hi)
			}
		}
		if len(ticks) < 1 || len(ticks) > 20 {
			t.Fatalf("%d ticks from %v to %v", len(ticks), lo, hi)
		}
	})
}

func TestTimeTicks(t *testing.T) {
	const day = 86400.0
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	noon := time.Date(2026, 2, 27, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		start time.Time
		hi    float64
		want  string
	}{
		{"a year", start, 365 * day, "Jan/2026 Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Jan/2027"},
		{"30 days", start, 30 * day, "5 Jan/2026 12 Jan 19 Jan 26 Jan"},
		{"a day", start, day, "00:00/1 Jan 2026 03:00 06:00 09:00 12:00 15:00 18:00 21:00 00:00/2 Jan 2026"},
		{"two days from noon, over a month's end", noon, 2 * day, "12:00/27 Feb 2026 18:00 00:00/28 Feb 2026 06:00 12:00 18:00 00:00/1 Mar 2026 06:00 12:00"},
		{"ten years", start, 3652 * day, "2026 2027 2028 2029 2030 2031 2032 2033 2034 2035 2036"},
		{"an hour", start, 3600, "00:00/1 Jan 2026 00:05 00:10 00:15 00:20 00:25 00:30 00:35 00:40 00:45 00:50 00:55 01:00"},
	} {
		if got := labels((timeTicks{start: c.start, width: 13.5 * labelRoom * sizeTick}).Ticks(0, c.hi)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTimeTicksAlwaysEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64().Draw(t, "lo")
		hi := rapid.Float64().Draw(t, "hi")
		w := vg.Length(rapid.Float64Range(0, 2000).Draw(t, "w"))
		ticks := timeTicks{start: time.Date(rapid.IntRange(1, 9999).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC), width: w}.Ticks(lo, hi)
		if len(ticks) > 200 {
			t.Fatalf("%d ticks", len(ticks))
		}
	})
}

// M4 keeps the first, last, lowest and highest of every pixel column, and no more than four points of it.
func TestM4KeepsExtremes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(rt, "n")
		seed := rapid.Uint32().Draw(rt, "seed")
		xs, ys := make([]float64, n), make([]float64, n)
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range xs {
			seed = seed*1664525 + 1013904223
			xs[i], ys[i] = float64(i), float64(seed>>8)
			lo, hi = math.Min(lo, ys[i]), math.Max(hi, ys[i])
		}
		r := vg.Rectangle{Max: vg.Point{X: 300, Y: 100}}
		tr := trans{r: r, x0: 0, dx: math.Max(1, float64(n-1)), y0: 0, dy: 1 << 24}
		pts := m4(xy{xs, ys}, tr)
		if len(pts) > 4*(300*dpi/72+2) {
			rt.Fatalf("%d points", len(pts))
		}
		plo, phi := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
		for i, q := range pts {
			plo, phi = min(plo, q.Y), max(phi, q.Y)
			if i > 0 && q.X < pts[i-1].X {
				rt.Fatal("points go back")
			}
		}
		if math.Abs(float64(plo-tr.y(lo))) > 1e-9 || math.Abs(float64(phi-tr.y(hi))) > 1e-9 {
			rt.Fatalf("extremes %v to %v became %v to %v", tr.y(lo), tr.y(hi), plo, phi)
		}
		if pts[0].X != tr.x(xs[0]) || pts[len(pts)-1].X != tr.x(xs[n-1]) {
			rt.Fatal("an end is lost")
		}
	})
}

// Steps that an axis leaves out are counted in a note; where all lie within it there is none.
func TestPUEAboveTheAxisIsSaid(t *testing.T) {
	a := against{xs: make([]float64, 100), ys: make([]float64, 100), mid: []float64{0}, mean: []float64{1.3}, lo: []float64{1.2}, hi: []float64{1.4}}
	for i := range a.ys {
		a.xs[i], a.ys[i] = float64(i), 1.2+0.002*float64(i)
	}
	pn := &panel{}
	if notes := puePanel(pn, a, axis{max: 100}, 1.3); len(notes) > 0 || pn.y.max < 1.398 {
		t.Errorf("all within: axis to %.3f, notes %q", pn.y.max, notes)
	}
	a.ys[3], a.ys[50] = 14, 9
	if notes := puePanel(&panel{}, a, axis{max: 100}, 1.3); len(notes) != 1 || notes[0] != "Above the axis: 2 steps, up to a PUE of 14.00." {
		t.Errorf("two beyond: notes %q", notes)
	}
}

// One frosty hour doesn't speak for the cold: the ends of a chart's title hold a tenth of the energy each.
func TestTailsByEnergy(t *testing.T) {
	a := against{xs: []float64{5, -20, 1, 2, 3, 4}, ys: []float64{1.5, 9, 1.1, 1.2, 1.3, 1.4}, w: []float64{10, 0.01, 10, 10, 10, 10}}
	cold, warm := a.tail(0.15)
	if cold.edge != 1 || math.Abs(cold.mean-(9*0.01+1.1*10)/10.01) > 1e-12 || warm.edge != 5 || warm.mean != 1.5 {
		t.Errorf("cold %+v, warm %+v", cold, warm)
	}
	one := against{xs: []float64{3}, ys: []float64{1.2}, w: []float64{1}}
	if cold, warm := one.tail(0.1); cold != warm || cold.mean != 1.2 {
		t.Errorf("one step: %+v %+v", cold, warm)
	}
}
