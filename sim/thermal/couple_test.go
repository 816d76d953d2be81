package thermal

import (
	"math"
	"testing"
)

func TestPairAgreesWithIntegration(t *testing.T) {
	for _, c := range []struct {
		Pair
		air, structure, end, pull float64
	}{
		{Pair{10.5e3, 300e3, 440}, 24, 24, 5000, 1},  // all cooling lost: a ramp towards a far end
		{Pair{126e3, 3.6e6, 5280}, 45, 40, 24, 8000}, // cooling is back
		{Pair{10.5e3, 300e3, 440}, 30, 24, 30, 0.5},  // the structure takes the air's heat
		{Pair{500e3, 500e3, 200}, 25, 25, 60, 1000},
	} {
		air, structure := c.Relax(0, c.air, c.structure, c.end, c.pull)
		a, s, dt := c.air, c.structure, 0.01
		for i := range 60_000 {
			da := (c.pull*(c.end-a) + c.WPerK*(s-a)) / c.AirJPerK
			ds := c.WPerK * (a - s) / c.StructureJPerK
			a, s = a+da*dt, s+ds*dt
			if i%10_000 == 9_999 {
				at := int64(float64(i+1) * dt * Second)
				if ga, gs := air.At(at), structure.At(at); math.Abs(ga-a) > 0.02 || math.Abs(gs-s) > 0.02 {
					t.Errorf("%+v at %.0f s: air %.3f, structure %.3f; integrated %.3f, %.3f", c, float64(i+1)*dt, ga, gs, a, s)
				}
			}
		}
	}
}

// A rack of 5 kW without any cooling: fast at first, then along with the structure, never faster than the air
// alone nor slower than both.
func TestPairLiesBetweenItsLimits(t *testing.T) {
	c := Pair{10.5e3, 300e3, 440}
	const w, pull, ambient = 5000.0, 1.0, 25.0
	air, _ := c.Relax(0, 24, 24, ambient+w/pull, pull)
	was, wasRate := 24.0, w/c.AirJPerK*1.001
	for s := 10; s <= 900; s += 10 {
		now := air.At(int64(s) * Second)
		rate := (now - was) / 10
		if rate > wasRate+1e-9 || rate < w/(c.AirJPerK+c.StructureJPerK)*0.97 {
			t.Fatalf("at %d s the air warms by %.4f K/s, before %.4f", s, rate, wasRate)
		}
		was, wasRate = now, rate
	}
}
