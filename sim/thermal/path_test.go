package thermal

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A path that follows a relaxing driver must agree with the differential equation it solves.
func TestFollowAgreesWithIntegration(t *testing.T) {
	for _, c := range []struct{ start, end, tau, offset, driverTau float64 }{
		{40, 80, 60, -10, 300},
		{85, 60, 10, 12, 45},
		{50, 50, 60, 20, 60}, // equal time constants
		{30, 90, 1000, 5, 3},
	} {
		p := Follow(0, c.start, c.end, c.tau, c.offset, c.driverTau)
		temp, dt := c.start, 1e-3
		for i := range 600_000 {
			now := float64(i) * dt
			mid := now + dt/2
			target := c.end + c.offset*math.Exp(-mid/c.driverTau)
			temp += (target - temp) * dt / c.tau
			if i%100_000 == 99_999 {
				if got := p.At(int64((now + dt) * Second)); math.Abs(got-temp) > 0.01 {
					t.Errorf("%+v at %.0f s: path %.4f °C, integrated %.4f °C", c, now+dt, got, temp)
				}
			}
		}
	}
}

func TestRelaxClosedForm(t *testing.T) {
	p := Relax(5*Second, 25, 75, 60)
	for _, s := range []float64{0, 1, 60, 300} {
		want := 75 - 50*math.Exp(-s/60)
		if got := p.At(int64((5 + s) * Second)); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %g s: %.9f, want %.9f", s, got, want)
		}
	}
	// 1 − e^(−t/τ) = 0.8 at t = τ·ln 5.
	at, ok := p.Reach(65, true, 5*Second, math.MaxInt64/4)
	if want := 5 + 60*math.Log(5); !ok || math.Abs(float64(at)/Second-want) > 1e-8 {
		t.Errorf("65 °C reached at %.9f s, want %.9f", float64(at)/Second, want)
	}
	if _, ok := p.Reach(75.001, true, 5*Second, math.MaxInt64/4); ok {
		t.Error("reaches a level above its end")
	}
	if mean, want := p.Mean(5*Second, 65*Second), 75-50*(1-math.Exp(-1)); math.Abs(mean-want) > 1e-9 {
		t.Errorf("mean over one time constant %.9f, want %.9f", mean, want)
	}
}

// Reach finds the first crossing: nothing before it is past the level, it itself is.
func TestReachIsFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func(lo, hi float64, name string) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		p := Follow(0, f(20, 90, "start"), f(20, 120, "end"), f(1, 500, "tau"), f(-40, 40, "offset"), f(1, 5000, "driverTau"))
		level, up := f(20, 110, "level"), rapid.Bool().Draw(t, "up")
		const until = int64(3600 * Second)
		past := func(ns int64) bool {
			if up {
				return p.At(ns) >= level
			}
			return p.At(ns) <= level
		}
		at, ok := p.Reach(level, up, 0, until)
		const grid = 2000
		first := int64(-1)
		for i := int64(0); i <= grid; i++ {
			if past(until / grid * i) {
				first = until / grid * i
				break
			}
		}
		switch {
		case ok && !past(at):
			t.Fatalf("at %d ns the path stands at %.6f, level %.6f", at, p.At(at), level)
		case ok && first >= 0 && at > first:
			t.Fatalf("reached at %d ns, but already past at %d ns", at, first)
		case !ok && first >= 0:
			t.Fatalf("not reached, but past at %d ns", first)
		}
	})
}

func BenchmarkReach(b *testing.B) {
	p := Follow(0, 60, 95, 60, -8, 300)
	for b.Loop() {
		p.Reach(87, true, 0, int64(3.15e16))
	}
}
