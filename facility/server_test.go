package facility

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestWorkRateAtHalfClock(t *testing.T) {
	for _, tt := range []struct{ memoryBound, longer float64 }{{0, 2}, {0.15, 1.85}, {0.10, 1.90}, {0.75, 1.25}, {1, 1}} {
		if got := 1 / WorkRate(tt.memoryBound, 0.5); math.Abs(got-tt.longer) > 1e-12 {
			t.Errorf("memory-bound share %g: work takes %g times as long, want %g", tt.memoryBound, got, tt.longer)
		}
	}
	if WorkRate(0.75, 1) != 1 || WorkRate(0.75, 0) != 0 || WorkRate(0, -1) != 0 {
		t.Error("work rate at full, stopped or negative clock")
	}
}

func TestEfficiencyOfTitanium(t *testing.T) {
	m := newModel(t, "dgx-h100") // 6 × 3.3 kW
	for _, tt := range []struct{ load, want float64 }{{0.1, 0.90}, {0.2, 0.94}, {0.35, 0.95}, {0.5, 0.96}, {0.75, 0.935}, {1, 0.91}, {1.4, 0.91}, {0.05, 0.05 / (0.05 + 0.1/0.9 - 0.1)}} {
		if got := m.Efficiency(tt.load*6*3300, 6); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("efficiency at %g load %g, want %g", tt.load, got, tt.want)
		}
	}
	// Half the supplies carry twice the load each.
	if a, b := m.Efficiency(5000, 3), m.Efficiency(10000, 6); a != b {
		t.Errorf("3 supplies at 5 kW %g, 6 at 10 kW %g", a, b)
	}
}

func TestPowerRises(t *testing.T) {
	all := models(t)
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(all).Draw(t, "model")
		p := rapid.Float64Range(0, m.TDPW).Draw(t, "gpu W")
		q := rapid.Float64Range(p, m.TDPW).Draw(t, "more")
		c := rapid.Float64Range(10, 60).Draw(t, "inlet")
		n := float64(m.GPUs)
		if m.FanShare(q, c) < m.FanShare(p, c)-1e-12 {
			t.Fatalf("%s: airflow falls from %g to %g W", m.Name, p, q)
		}
		if a, b := m.WallW(n*p, m.FanShare(p, c)), m.WallW(n*q, m.FanShare(q, c)); b < a-1e-9 || a < n*p {
			t.Fatalf("%s: wall %g W at %g W a GPU, %g W at %g W", m.Name, a, p, b, q)
		}
		if s := rapid.Float64Range(0.1, 1.25).Draw(t, "share"); m.Resistance(s) < m.Resistance(1.25)-1e-12 {
			t.Fatalf("%s: resistance at %g below that at 1.25", m.Name, s)
		}
	})
}

func TestClockForInvertsPower(t *testing.T) {
	m := newModel(t, "dgx-h100")
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(m.ClockMin, 1).Draw(t, "clock")
		u := rapid.Float64Range(0.1, 1).Draw(t, "activity")
		full := u * m.DynW
		if got := m.ClockFor(m.GPUW(u, f, 60)-m.FloorW-m.LeakAt(60), full); math.Abs(got-f) > 1e-9 {
			t.Fatalf("clock %g gives back %g", f, got)
		}
	})
}

func BenchmarkWallW(b *testing.B) {
	m := newModel(b, "dgx-h100")
	for b.Loop() {
		m.WallW(4000, m.FanShare(500, 25))
	}
}
