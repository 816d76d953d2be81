package metrics

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const minute = int64(60e9)

func TestStepSeries(t *testing.T) {
	nan := math.NaN()
	s := NewStepSeries(10e9, 45e9) // five bins, the last of 5 s
	s.Set(2e9, 100)
	s.Set(5e9, 200)
	s.Set(15e9, nan)
	s.Set(32e9, 7)
	s.Set(41e9, 9)
	s.Finish(45e9)
	want := []float64{(300 + 1000) / 8.0, 200, nan, 7, (7 + 4*9) / 5.0}
	if got := s.Means(); !slices.EqualFunc(got, want, same) {
		t.Errorf("means %v, want %v", got, want)
	}
	if got := s.Integral(); got != 300+2000+9*7+4*9 {
		t.Errorf("integral %v", got)
	}
	if got := s.UnknownS(); got != 2+17 {
		t.Errorf("%v s unknown", got)
	}
}

func same(a, b float64) bool { return near(a, b, 1e-14) || (math.IsNaN(a) && math.IsNaN(b)) }

func TestStepSeriesEdges(t *testing.T) {
	one := NewStepSeries(minute, 1) // a horizon of one nanosecond
	one.Set(0, 5)
	one.Finish(1)
	if got := one.Means(); len(got) != 1 || got[0] != 5 || one.Integral() != 5e-9 {
		t.Errorf("%v, %v", got, one.Integral())
	}
	none := NewStepSeries(minute, 0)
	none.Set(0, 5)
	none.Finish(0)
	if got := none.Means(); len(got) != 0 {
		t.Errorf("%v", got)
	}
	untouched := NewStepSeries(minute, 3*minute).Means()
	if len(untouched) != 3 || !math.IsNaN(untouched[0]) || !math.IsNaN(untouched[2]) {
		t.Errorf("%v", untouched)
	}
	beyond := NewStepSeries(minute, 2*minute)
	beyond.Set(0, 1)
	beyond.Set(5*minute, 100)
	beyond.Finish(9 * minute)
	if got := beyond.Means(); !slices.Equal(got, []float64{1, 1}) || beyond.Integral() != 120 {
		t.Errorf("%v, %v", got, beyond.Integral())
	}
	const thirtyYears = 30 * 365 * 24 * 60 * minute
	long := NewStepSeries(1440*minute, thirtyYears)
	long.Set(0, 0.1)
	long.Finish(thirtyYears)
	means := long.Means()
	if len(means) != 30*365 || slices.Min(means) != 0.1 || slices.Max(means) != 0.1 {
		t.Errorf("%d bins, %v … %v", len(means), slices.Min(means), slices.Max(means))
	}
}

// history is a random course of a value: steps, relaxations and contributions.
type history struct{ events []move }

type move struct {
	at, until          int64
	kind               int
	from, to, tauNS    float64
	contributionLength int64
}

func drawHistory(t *rapid.T, lengthNS int64) history {
	var h history
	at := int64(0)
	for range rapid.IntRange(0, 25).Draw(t, "moves") {
		m := move{
			at:    at,
			kind:  rapid.IntRange(0, 4).Draw(t, "kind"),
			from:  rapid.Float64Range(-100, 1000).Draw(t, "from"),
			to:    rapid.Float64Range(-100, 1000).Draw(t, "to"),
			tauNS: rapid.SampledFrom([]float64{0, 1, 1e9, 300e9, 1e14, math.Inf(1)}).Draw(t, "tau"),
		}
		start := rapid.Int64Range(0, lengthNS).Draw(t, "start")
		m.contributionLength = start
		m.until = start + rapid.Int64Range(0, lengthNS).Draw(t, "length")
		h.events = append(h.events, m)
		at += rapid.Int64Range(0, lengthNS/10).Draw(t, "pause")
	}
	return h
}

func (h history) play(s *StepSeries, lengthNS int64) {
	s.Set(0, 1)
	for _, m := range h.events {
		switch m.kind {
		case 0:
			s.Set(m.at, m.to)
		case 1:
			s.Set(m.at, math.NaN())
		case 2:
			s.SetExp(m.at, m.from, m.to, m.tauNS)
		case 3:
			s.AddExp(m.contributionLength, m.until, m.from, m.to, m.tauNS)
		case 4:
			s.AddRamp(m.contributionLength, m.until, m.from, m.to)
		}
	}
	s.Finish(lengthNS)
}

// TestGridChangesNothing: the integral is the same to the last bit for bins of a second, a minute, an hour and a day, and
// the bins of every grid add up to it.
func TestGridChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengthNS := rapid.Int64Range(1, 5*3600e9).Draw(t, "length")
		h := drawHistory(t, lengthNS)
		var first *StepSeries
		for _, step := range []int64{7e9, minute, 60 * minute, 1440 * minute} {
			s := NewStepSeries(step, lengthNS)
			h.play(s, lengthNS)
			if first == nil {
				first = s
			}
			if math.Float64bits(s.Integral()) != math.Float64bits(first.Integral()) || s.UnknownS() != first.UnknownS() {
				t.Fatalf("bins of %d ns: %v, first %v", step, s.Integral(), first.Integral())
			}
			if s.UnknownS() > 0 {
				continue
			}
			var sum, scale float64
			for i, m := range s.Means() {
				width := seconds(min(step, lengthNS-int64(i)*step))
				sum += m * width
				scale += 2e4 * width
			}
			if math.Abs(sum-s.Integral()) > 1e-12*scale {
				t.Fatalf("bins of %d ns add up to %v, integral %v", step, sum, s.Integral())
			}
		}
	})
}

// TestExpAgainstQuadrature: the bins of a relaxation are its means, by a fine midpoint rule.
func TestExpAgainstQuadrature(t *testing.T) {
	const length, step = 1000e9, 100e9
	from, to, tau := 25.0, 80.0, 150e9
	value := func(x float64) float64 { return to + (from-to)*math.Exp(-(x-50e9)/tau) }
	want := make([]float64, 10)
	const n = 20_000
	for i := range want {
		for k := range n {
			x := float64(i)*step + (float64(k)+0.5)*step/n
			if x > 50e9 {
				want[i] += value(x) / n
			}
		}
	}
	added := NewStepSeries(step, length)
	added.Set(0, 0)
	added.AddExp(50e9, length, from, to, tau)
	added.Finish(length)
	set := NewStepSeries(step, length)
	set.Set(0, 0)
	set.SetExp(50e9, from, to, tau)
	set.Finish(length)
	for i := range want {
		if a, b := added.Means()[i], set.Means()[i]; !near(a, want[i], 1e-6) || !near(a, b, 1e-12) {
			t.Errorf("bin %d: added %v, set %v, want %v", i, a, b, want[i])
		}
	}
	closed := to*950 + (from-to)*150*(1-math.Exp(-950.0/150))
	if !near(added.Integral(), closed, 1e-14) || !near(set.Integral(), closed, 1e-14) {
		t.Errorf("integrals %v, %v; want %v", added.Integral(), set.Integral(), closed)
	}
}

// TestExpExtremes: time constants far above and below the interval lose no digits.
func TestExpExtremes(t *testing.T) {
	for _, c := range []struct{ tau, want float64 }{
		{0, 200},
		{1e-3, 200 - 100e-12},
		{math.Inf(1), 100},
		{1e30, 100},
		{1e18, 100 + 100*0.5e-9}, // 1 s of a constant of 31 years: half way up its chord
	} {
		s := NewStepSeries(1e9, 1e9)
		s.AddExp(0, 1e9, 100, 200, c.tau)
		if got := s.Integral(); !near(got, c.want, 1e-13) {
			t.Errorf("tau %v: %v, want %v", c.tau, got, c.want)
		}
	}
}

func TestAddRamp(t *testing.T) {
	s := NewStepSeries(10e9, 30e9)
	s.Set(0, 1)
	s.AddRamp(5e9, 25e9, 0, 40)
	s.AddRamp(7e9, 7e9, 0, 40)
	s.AddRamp(40e9, 50e9, 1, 1)
	s.Finish(30e9)
	want := []float64{1 + 25.0/10, 1 + 200.0/10, 1 + 175.0/10}
	if got := s.Means(); !slices.EqualFunc(got, want, same) || s.Integral() != 430 {
		t.Errorf("%v, %v; want %v, 430", got, s.Integral(), want)
	}
}

func TestSeriesRefusesTheImpossible(t *testing.T) {
	for name, f := range map[string]func(){
		"back":     func() { s := NewStepSeries(1, 10); s.Set(5, 1); s.Set(4, 1) },
		"step 0":   func() { NewStepSeries(0, 10) },
		"length":   func() { NewStepSeries(1, -1) },
		"tau":      func() { NewStepSeries(1, 10).SetExp(0, 1, 2, -1) },
		"interval": func() { NewStepSeries(1, 10).AddExp(5, 4, 1, 2, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkStepSeriesSet(b *testing.B) {
	s := NewStepSeries(60*minute, math.MaxInt64)
	s.means = make([]float64, 0, 1<<20)
	t := int64(0)
	for b.Loop() {
		t += 1e9
		s.Set(t, float64(t&1023))
	}
}

func BenchmarkHistogramAdd(b *testing.B) {
	h := NewTemperatures()
	i := 0
	for b.Loop() {
		h.Add(20+float64(i&63)*0.37, 1.5)
		i++
	}
}

func BenchmarkIntegratorSet(b *testing.B) {
	var g Integrator
	t := int64(0)
	for b.Loop() {
		t += 1e9
		g.Set(t, float64(t&1023))
	}
}

func BenchmarkAddExp(b *testing.B) {
	s := NewStepSeries(60*minute, 365*24*60*minute)
	t := int64(0)
	for b.Loop() {
		t = (t + 17e9) % (364 * 24 * 60 * minute)
		s.AddExp(t, t+600e9, 25, 80, 100e9)
	}
}
