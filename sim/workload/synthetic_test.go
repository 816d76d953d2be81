package workload

import (
	"math"
	"testing"
)

func drain(t *testing.T, c Class, days float64) []Job {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	s := Generate([]Class{c}, 1, int64(days*86400*nsPerS))
	var jobs []Job
	for j, ok := s.Next(); ok; j, ok = s.Next() {
		jobs = append(jobs, j)
	}
	return jobs
}

// Weeks and bursts change when jobs arrive, not how many.
func TestArrivalsKeepTheirRate(t *testing.T) {
	week := make([]float64, HoursPerWeek)
	for h := range week {
		week[h] = 1
		if h%24 < 8 || h >= 120 {
			week[h] = 0
		}
	}
	c := Class{Name: "x", GPUs: []Size{{GPUs: 1, Weight: 1}}, RatePerS: 0.01, MedianS: 60, Activity: 1, Week: week, StartHour: 24.5}
	n := 0
	jobs := drain(t, c, 700)
	for i := range jobs {
		h := int(math.Mod(24.5+float64(jobs[i].Arrival)/3.6e12, 168))
		if week[h] == 0 {
			n++
		}
	}
	want := 0.01 * 700 * 86400
	if n > 0 || math.Abs(float64(len(jobs))-want) > 4*math.Sqrt(want) {
		t.Errorf("%d jobs, %d in empty hours, want %g", len(jobs), n, want)
	}
	// Counts by hour of a bursty class spread more than Poisson: variance over mean is
	// 1 + 2·λ·v·τ·(1 − (τ/T)(1 − e^(−T/τ))) with v the squared spread of the rate and 1/τ the sum of the rates of change.
	c.Week, c.Burst = nil, &Burst{Ratio: 9, Share: 0.1, MeanS: 1800}
	jobs = drain(t, c, 2000)
	count := make([]float64, 2000*24)
	for i := range jobs {
		count[jobs[i].Arrival/3.6e12]++
	}
	mean, square := 0.0, 0.0
	for _, k := range count {
		mean, square = mean+k, square+k*k
	}
	mean /= float64(len(count))
	ratio := (square/float64(len(count)) - mean*mean) / mean
	slow := 1 / (1 + 0.1*8)
	v := 0.1 * 0.9 * math.Pow(8*slow, 2) // of the rate over its mean
	tau := 1 / (1/1800.0 + 1/(1800.0*9))
	wantRatio := 1 + 2*0.01*v*tau*(1-tau/3600*(1-math.Exp(-3600/tau)))
	if math.Abs(mean-36) > 0.7 || math.Abs(ratio/wantRatio-1) > 0.05 {
		t.Errorf("%g jobs an hour with variance over mean %g, want 36 and %g", mean, ratio, wantRatio)
	}
}

func TestLengthLaws(t *testing.T) {
	c := Class{Name: "x", GPUs: []Size{{GPUs: 1, Weight: 1}, {GPUs: 8, Weight: 1, Stretch: 3}}, RatePerS: 1, Activity: 1, MedianS: 100, WeibullShape: 0.7}
	var one, eight []float64
	for _, j := range drain(t, c, 2) {
		if j.GPUs == 1 {
			one = append(one, j.WorkS)
		} else {
			eight = append(eight, j.WorkS)
		}
	}
	scale := 100 / math.Pow(math.Ln2, 1/0.7)
	for _, p := range []float64{0.1, 0.5, 0.9} {
		want := scale * math.Pow(-math.Log(1-p), 1/0.7)
		if a, b := quantile(one, p), quantile(eight, p); math.Abs(a/want-1) > 0.05 || math.Abs(b/want/3-1) > 0.05 {
			t.Errorf("quantile %g is %g and %g, want %g and three times that", p, a, b, want)
		}
	}
	c = Class{Name: "x", GPUs: []Size{{GPUs: 1, Weight: 1}}, RatePerS: 1, Activity: 1, Lengths: []Quantile{{0, 10}, {0.5, 20}, {1, 100}}}
	one = nil
	for _, j := range drain(t, c, 2) {
		one = append(one, j.WorkS)
	}
	for p, want := range map[float64]float64{0.25: 15, 0.5: 20, 0.75: 60} {
		if got := quantile(one, p); math.Abs(got/want-1) > 0.03 {
			t.Errorf("quantile %g is %g, want %g", p, got, want)
		}
	}
}

// The fits have the published statistics, by their laws and in what they draw.
func TestFits(t *testing.T) {
	for _, p := range Traces {
		c, matches := p.Fit()
		c.Activity = 1
		for _, m := range matches {
			t.Logf("%s %s: %.6g %s, published %.6g", p.Name, m.Statistic, m.Model, m.Unit, m.Published)
			if !(math.Abs(m.Model/m.Published-1) <= 0.001) {
				t.Errorf("%s: %s is %g, published %g", p.Name, m.Statistic, m.Model, m.Published)
			}
		}
		c.RatePerS = 1
		jobs := drain(t, c, 2)
		gpus := 0.0
		for i := range jobs {
			gpus += float64(jobs[i].GPUs)
		}
		if got := quantile(lengths(jobs), 0.5); math.Abs(got/p.MedianS-1) > 0.05 {
			t.Errorf("%s: drawn median %g s, published %g s", p.Name, got, p.MedianS)
		}
		if got := gpus / float64(len(jobs)); math.Abs(got/p.MeanGPUs-1) > 0.1 {
			t.Errorf("%s: drawn %g GPUs a job, published %g", p.Name, got, p.MeanGPUs)
		}
	}
}
