package perf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The wait that 1 % exceed, against requests simulated one by one (Lindley's recursion, Poisson arrivals, log-normal service).
func TestWaitOfSimulatedRequests(t *testing.T) {
	for _, r := range []struct{ busy, cv float64 }{{0.3, 0.5}, {0.5, 1}, {0.7, 0.5}, {0.7, 1}, {0.9, 0.8}} {
		rng := rand.New(rand.NewPCG(1, 2))
		sigma := math.Sqrt(math.Log(1 + r.cv*r.cv))
		const n = 400_000
		waits := make([]float64, n)
		wait := 0.0
		for i := range waits {
			waits[i] = wait
			service := math.Exp(sigma*rng.NormFloat64() - sigma*sigma/2)
			wait = math.Max(0, wait+service-rng.ExpFloat64()/r.busy)
		}
		slices.Sort(waits)
		got, want := waitS(r.busy, 1, r.cv), waits[n*99/100]
		t.Logf("busy %.1f, spread %.1f: p99 wait %.2f services simulated, %.2f here", r.busy, r.cv, want, got)
		if math.Abs(got/want-1) > 0.25 {
			t.Errorf("busy %.1f, spread %.1f: p99 wait %.2f services, simulated %.2f", r.busy, r.cv, got, want)
		}
	}
	if w := waitS(0.005, 1, 1); w != 0 {
		t.Errorf("at half a percent busy the p99 wait is %g", w)
	}
}

func TestScale(t *testing.T) {
	load := []float64{5, 10, 35, 35, 10, 0}
	still := Scale(Scaling{Least: 4, Most: 4}, load, 10, 3600)
	if still.ReplicaHours != 24 || still.Attainment != 1 {
		t.Errorf("four that always run: %+v", still)
	}
	s := Scale(Scaling{Least: 1, Most: 4}, load, 10, 3600)
	if !slices.Equal(s.Replicas, []int{1, 1, 4, 4, 1, 1}) || s.ReplicaHours != 12 || s.Attainment != 1 {
		t.Errorf("started at once: %+v", s)
	}
	// Ten minutes to start: in the third hour 10 of 35 are held for 600 s.
	s = Scale(Scaling{Least: 1, Most: 4, StartS: 600}, load, 10, 3600)
	if want := 1 - 25.0*600/(95*3600); math.Abs(s.Attainment-want) > 1e-12 {
		t.Errorf("ten minutes to start: attainment %g, want %g", s.Attainment, want)
	}
	s = Scale(Scaling{Least: 1, Most: 3, Spare: 0.2}, load, 10, 3600)
	if want := 1 - 2*5.0/95; s.Replicas[1] != 2 || s.Replicas[2] != 3 || math.Abs(s.Attainment-want) > 1e-12 {
		t.Errorf("a fifth to spare, three at most: %+v, want attainment %g", s, want)
	}
}
