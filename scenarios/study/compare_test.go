package study

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"headroom/scenarios"
	"headroom/sim"
)

func TestPairedDifference(t *testing.T) {
	nan := math.NaN()
	energy, pue := Figure{Unit: "kWh", Better: -1}, Figure{Unit: "°C", Better: -1}
	for _, c := range []struct {
		name       string
		f          Figure
		base, side []float64
		want       Delta
	}{
		// Differences 1, 2, 3: mean 2, deviation 1, t(0.975, 2) = 4.302653, half = 4.302653/√3 = 2.484138.
		{"noisy sides, steady difference", energy, []float64{100, 200, 300}, []float64{101, 202, 303}, Delta{2, 0.01, 2 - 2.484138, 2 + 2.484138, 3, Unclear}},
		{"shown", energy, []float64{100, 200, 300}, []float64{110, 211, 312}, Delta{11, 11.0 / 200, 11 - 2.484138, 11 + 2.484138, 3, Differs}},
		{"0 to 12 has no ratio", energy, []float64{0}, []float64{12}, Delta{12, nan, nan, nan, 1, OneSeed}},
		{"below 0 the ratio is to the size", energy, []float64{-10}, []float64{-5}, Delta{5, 0.5, nan, nan, 1, OneSeed}},
		{"temperatures have no ratio", pue, []float64{20}, []float64{30}, Delta{10, nan, nan, nan, 1, OneSeed}},
		{"the same everywhere", energy, []float64{5, 6}, []float64{5, 6}, Delta{0, 0, 0, 0, 2, Same}},
		{"moved alike everywhere", energy, []float64{4, 6}, []float64{5, 7}, Delta{1, 0.2, 1, 1, 2, Differs}},
		{"unknown in one seed is unknown", energy, []float64{5, nan}, []float64{5, 6}, Delta{nan, nan, nan, nan, 2, NoDelta}},
		{"infinite is unknown", energy, []float64{5}, []float64{math.Inf(1)}, Delta{nan, nan, nan, nan, 1, NoDelta}},
		{"nothing", energy, nil, nil, Delta{nan, nan, nan, nan, 0, NoDelta}},
	} {
		got := c.f.Pair(c.base, c.side)
		near := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-5 }
		if !near(got.Mean, c.want.Mean) || !near(got.Relative, c.want.Relative) || !near(got.Lo, c.want.Lo) || !near(got.Hi, c.want.Hi) ||
			got.Pairs != c.want.Pairs || got.Verdict != c.want.Verdict {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// What both sides share falls out of a paired difference: it is the interval of the differences alone, and swapping
// the sides turns it around.
func TestPairedDifferenceKeepsOnlyTheDifference(t *testing.T) {
	f := Figure{Unit: "kWh"}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		base, side, diffs := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range base {
			shared := rapid.Float64Range(-1e6, 1e6).Draw(t, "shared")
			base[i] = shared
			side[i] = shared + rapid.Float64Range(-100, 100).Draw(t, "own")
			diffs[i] = side[i] - base[i]
		}
		d, back := f.Pair(base, side), f.Pair(side, base)
		m, s := stat.MeanStdDev(diffs, nil)
		if math.Abs(d.Mean-m) > 1e-9*(1+math.Abs(m)) || d.Lo > d.Mean || d.Hi < d.Mean || d.Hi-d.Lo < s/math.Sqrt(float64(n)) {
			t.Fatalf("%+v of %v", d, diffs)
		}
		if back.Mean != -d.Mean || back.Verdict != d.Verdict || math.Abs(back.Lo+d.Hi) > 1e-9*(1+math.Abs(d.Hi)) {
			t.Fatalf("%+v, the other way round %+v", d, back)
		}
	})
}

func TestRanks(t *testing.T) {
	more, less, none := Figure{Better: +1}, Figure{Better: -1}, Figure{}
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		f      Figure
		values [][]float64
		want   []int
	}{
		{"more is better", more, [][]float64{{1}, {3}, {2}}, []int{3, 1, 2}},
		{"less is better", less, [][]float64{{1}, {3}, {2}}, []int{1, 3, 2}},
		{"equals share, the next counts on", more, [][]float64{{3}, {3}, {2}}, []int{1, 1, 3}},
		{"no difference shown shares", more, [][]float64{{10, 20, 30}, {11, 19, 31}, {50, 61, 70}}, []int{2, 2, 1}},
		{"neither is better", none, [][]float64{{1}, {2}}, []int{0, 0}},
		{"unknown", more, [][]float64{{1}, {nan}}, []int{0, 0}},
	} {
		if got := c.f.Ranks(c.values); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCurrenciesStayApart(t *testing.T) {
	bill := func(currency string, amount float64) *sim.Result {
		return &sim.Result{Energy: sim.Energy{Cost: []sim.Money{{Currency: currency, Amount: sim.Num(amount)}}}}
	}
	a, b := bill("CNY", 700), bill("EUR", 90)
	list := Figures([]*sim.Result{a, b})
	va, vb := Values(a, list), Values(b, list)
	seen := 0
	for i, f := range list {
		if f.Key != "energy.cost.CNY" && f.Key != "energy.cost.EUR" {
			continue
		}
		seen++
		if d := f.Pair(va[i:i+1], vb[i:i+1]); d.Verdict != NoDelta {
			t.Errorf("%s: %v against %v gives %+v", f.Key, va[i], vb[i], d)
		}
	}
	if seen != 2 {
		t.Errorf("%d currencies, want 2", seen)
	}
}

// Known answer: 32 DGX H100 of 10.2 kW and 8U in racks of 42U. At 48 kW a rack holds 4 of them and 7.2 kW stay: 8 racks,
// 57.6 kW. At 78 kW space ends at 5: 7 racks, 7 × 78 − 32 × 10.2 = 219.6 kW.
func TestHigherRacksOfThirtyTwoServers(t *testing.T) {
	text := `version: 1
site: {climate: shanghai}
racks:
  - {row: A, count: 10, height: 42U, power: 48 kW}
servers:
  - {model: dgx-h100, count: 32}
`
	for _, c := range []struct {
		set         []string
		racks, free float64
	}{
		{nil, 8, 57600},
		{[]string{"racks[A].power=78 kW"}, 7, 219600},
	} {
		sc, err := scenarios.Load("t.yaml", []byte(text), scenarios.Options{Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Once(t.Context(), sc, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := Figures([]*sim.Result{r})
		values := Values(r, list)
		for key, want := range map[string]float64{"capacity.servers_placed": 32, "capacity.racks_used": c.racks, "capacity.used_racks_free_w": c.free} {
			if i := slices.IndexFunc(list, func(f Figure) bool { return f.Key == key }); values[i] != want {
				t.Errorf("%v: %s is %v, want %v", c.set, key, values[i], want)
			}
		}
		if i := slices.IndexFunc(list, func(f Figure) bool { return f.Key == "jobs.done" }); !math.IsNaN(values[i]) {
			t.Errorf("a placement knows of %v jobs", values[i])
		}
	}
}

func TestManyRunsAllAndStopsWhenAsked(t *testing.T) {
	var sum atomic.Int64
	errs := Many(t.Context(), 100, 7, func(_ context.Context, i int) error {
		sum.Add(int64(i))
		switch i {
		case 13:
			return errors.New("thirteen")
		case 14:
			panic("fourteen")
		}
		return nil
	})
	for i, err := range errs {
		if (err != nil) != (i == 13 || i == 14) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if sum.Load() != 4950 {
		t.Errorf("sum %d", sum.Load())
	}
	ctx, stop := context.WithCancel(t.Context())
	ran := 0
	errs = Many(ctx, 10, 1, func(context.Context, int) error {
		if ran++; ran == 3 {
			stop()
		}
		return nil
	})
	if ran != 3 || errs[2] != nil || !errors.Is(errs[3], context.Canceled) || !errors.Is(errs[9], context.Canceled) {
		t.Errorf("%d ran, %v", ran, errs)
	}
}
