package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

func TestNumJSON(t *testing.T) {
	got, err := json.Marshal([]Num{1.5, 0, Unknown, Num(math.Inf(1)), Num(math.Inf(-1))})
	if err != nil || string(got) != "[1.5,0,null,null,null]" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestIntegrator(t *testing.T) {
	var g Integrator
	g.Set(2e9, 100)
	if got := g.Total(5e9); got != 300 {
		t.Errorf("100 W over 3 s: %v J", got)
	}
	g.Set(5e9, math.NaN())
	g.Set(7e9, 50)
	if got := g.Total(9e9); got != 400 || g.UnknownS() != 2 || g.Value() != 50 {
		t.Errorf("%v J, %v s unknown, now %v", got, g.UnknownS(), g.Value())
	}
	if g.Total(9e9) != 400 {
		t.Error("asking twice changes the total")
	}
	defer func() {
		if recover() == nil {
			t.Error("time runs back in silence")
		}
	}()
	g.Set(8e9, 1)
}

// TestIntegratorCompensates: small terms beside a large one that later cancels are not lost.
func TestIntegratorCompensates(t *testing.T) {
	var g Integrator
	const big, small = 1e16, 1.0
	g.Set(0, big)
	g.Set(1e9, small)
	for i := range int64(1000) {
		g.Set((2+i)*1e9, small)
	}
	g.Set(1002e9, -big)
	if got := g.Total(1003e9); got != 1001 {
		t.Errorf("%v, want 1001", got)
	}
	var acc sum
	for _, x := range []float64{1, 1e100, 1, -1e100} { // also when the small term was there first
		acc.add(x)
	}
	if acc.value() != 2 {
		t.Errorf("%v, want 2", acc.value())
	}
}

func TestHistogram(t *testing.T) {
	h := NewTemperatures()
	if h.Mean().Known() || h.Max().Known() || h.Min().Known() || h.Quantile(0.5).Known() || h.ShareAbove(20).Known() {
		t.Error("figures of nothing")
	}
	h.Add(20, 3)
	h.Add(27, 5)
	h.Add(27.3, 2)
	h.Add(99, 0)
	h.Add(99, -1)
	h.Add(99, math.NaN())
	h.Add(math.NaN(), 7)
	if h.Total() != 10 || h.UnknownWeight() != 7 || h.Clamped() != 0 {
		t.Errorf("total %v, unknown %v, clamped %v", h.Total(), h.UnknownWeight(), h.Clamped())
	}
	if got := float64(h.Mean()); !near(got, 24.96, 1e-15) {
		t.Errorf("mean %v", got)
	}
	if h.Min() != 20 || h.Max() != 27.3 {
		t.Errorf("%v … %v", h.Min(), h.Max())
	}
	for x, want := range map[float64]Num{19: 1, 20: 0.7, 26.9: 0.7, 27: 0.2, 27.2: 0.2, 27.3: 0, 28: 0, -100: 1, 1000: 0} {
		if got := h.ShareAbove(x); got != want {
			t.Errorf("share above %v: %v, want %v", x, got, want)
		}
	}
	for p, want := range map[float64]float64{0: 20, 0.1: 20, 0.3: 20, 0.5: 27, 0.8: 27, 0.95: 27.3, 1: 27.3} {
		if got := float64(h.Quantile(p)); math.Abs(got-want) > h.BinWidth() {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		if h.Quantile(p).Known() {
			t.Errorf("quantile %v is known", p)
		}
	}
}

// TestHistogramEdges: every tenth of a degree is on an edge, whatever its binary form, and is not above itself.
func TestHistogramEdges(t *testing.T) {
	for i := -599; i < 4000; i++ {
		x := float64(i) / 10
		h := NewTemperatures()
		h.Add(x, 1)
		h.Add(x+0.05, 1)
		h.Add(400, 1)
		if got := h.ShareAbove(x); math.Abs(float64(got)-2.0/3) > 1e-15 {
			t.Fatalf("share above %v: %v", x, got)
		}
	}
}

func TestHistogramClamps(t *testing.T) {
	h := NewTemperatures()
	h.Add(-100, 1)
	h.Add(500, 2)
	h.Add(-60, 1)
	h.Add(400, 1)
	if h.Clamped() != 3 || h.Min() != -100 || h.Max() != 500 || h.Quantile(1) != 500 || h.Mean() != Num(1240.0/5) {
		t.Errorf("clamped %v, %v … %v, mean %v", h.Clamped(), h.Min(), h.Max(), h.Mean())
	}
}

func TestHistogramAgainstSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-60, 400), 1, 200).Draw(t, "values")
		a, b := NewTemperatures(), NewTemperatures()
		var total, moment float64
		for i, v := range values {
			w := float64(rapid.IntRange(1, 4).Draw(t, "weight"))
			h := a
			if i%2 == 1 {
				h = b
			}
			h.Add(v, w)
			total += w
			moment += v * w
		}
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		if a.Total() != total || !near(float64(a.Mean()), moment/total, 1e-12) {
			t.Fatalf("total %v, mean %v; want %v, %v", a.Total(), a.Mean(), total, moment/total)
		}
		if float64(a.Min()) != slices.Min(values) || float64(a.Max()) != slices.Max(values) {
			t.Fatalf("%v … %v", a.Min(), a.Max())
		}
		last := a.Min()
		for _, p := range []float64{0, 0.05, 0.5, 0.95, 0.99, 1} {
			q := a.Quantile(p)
			if q < last {
				t.Fatalf("quantiles fall at %v", p)
			}
			last = q
			// Within a bin, at least 1-p of the weight is not below q and p not above.
			if above := float64(a.ShareAbove(float64(q) + a.BinWidth())); above > 1-p+1e-9 {
				t.Fatalf("share above quantile %v: %v", p, above)
			}
			if atMost := 1 - float64(a.ShareAbove(float64(q)-a.BinWidth())); p > 0 && atMost > p+1e-9 && float64(q)-a.BinWidth() > float64(a.Min()) {
				t.Fatalf("share up to quantile %v: %v", p, atMost)
			}
		}
	})
	if err := NewTemperatures().Merge(NewHistogram(0, 1, 0.1)); err == nil {
		t.Error("different bins merge")
	}
}

func TestSample(t *testing.T) {
	var s Sample
	if s.Mean().Known() || s.Quantile(0.5).Known() || s.Max().Known() {
		t.Error("figures of nothing")
	}
	for _, v := range []float64{4, 1, 3, 2} {
		s.Add(v)
	}
	for p, want := range map[float64]Num{0: 1, 0.25: 1.75, 0.5: 2.5, 1: 4} { // type 7, as numpy.quantile
		if got := s.Quantile(p); got != want {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
	s.Add(10)
	if s.Mean() != 4 || s.Max() != 10 || s.Len() != 5 || s.Quantile(-1).Known() {
		t.Errorf("mean %v, max %v", s.Mean(), s.Max())
	}
	if lo, hi := s.CI95(2); lo.Known() || hi.Known() {
		t.Error("an interval from five values")
	}
}

// TestCI95Value: batches of means 1, 2, 3 have mean 2, deviation 1 and t = 4.302653 at 2 degrees of freedom.
func TestCI95Value(t *testing.T) {
	var s Sample
	s.Add(1e9) // left over, before the first batch
	for batch := range 3 {
		for i := range MinPerBatch {
			s.Add(float64(batch) + 0.5 + float64(i%2))
		}
	}
	lo, hi := s.CI95(3)
	half := 4.302652729911275 / math.Sqrt(3)
	if !near(float64(lo), 2-half, 1e-9) || !near(float64(hi), 2+half, 1e-9) {
		t.Errorf("%v … %v, want 2 ± %v", lo, hi, half)
	}
	if lo, _ := s.CI95(1); lo.Known() {
		t.Error("an interval from one batch")
	}
}

// TestCI95Coverage: of 400 intervals from independent exponential values about 95 % hold the mean.
func TestCI95Coverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	hit := 0
	for range 400 {
		var s Sample
		for range 2000 {
			s.Add(r.ExpFloat64())
		}
		if lo, hi := s.CI95(20); lo <= 1 && 1 <= hi {
			hit++
		}
	}
	if hit < 363 || hit > 395 { // 380 ± 4 standard deviations, upwards to the end
		t.Errorf("%d of 400", hit)
	}
}

// TestCI95OfQueueWaits: waits of an M/M/1 queue at 70 % load depend on each other over hundreds of customers; the interval
// by batch means still holds the mean wait ρ/(μ-λ), and one that took them for independent would be far too narrow.
func TestCI95OfQueueWaits(t *testing.T) {
	const lambda, mu, runs = 0.7, 1.0, 40
	want := Num(lambda / mu / (mu - lambda))
	r := rand.New(rand.NewPCG(7, 8))
	hit, independent := 0, 0
	for range runs {
		var s Sample
		wait := 0.0
		for range 60_000 {
			s.Add(wait)
			wait = max(0, wait+r.ExpFloat64()/mu-r.ExpFloat64()/lambda)
		}
		if lo, hi := s.CI95(20); lo <= want && want <= hi {
			hit++
		}
		if lo, hi := s.CI95(6000); lo <= want && want <= hi {
			independent++
		}
	}
	if hit < 34 { // 38 of 40 expected; 33 or fewer has a chance of 1 %
		t.Errorf("%d of %d intervals hold the mean", hit, runs)
	}
	if independent >= hit {
		t.Errorf("batches of 10 customers hold it as often: %d of %d", independent, runs)
	}
}
