package cooling

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func cycling(onS, offS, bandK, startS float64) CyclingParams {
	return CyclingParams{MinOnS: onS, MinOffS: offS, BandK: bandK, StartS: startS}
}

// By hand. Half duty, 20 min each: a period of 40 min, a start loss of 2 of the 20 min on. A load of 100 kW on 60 MJ/K:
// 20 min off are 120 MJ, 2 K.
func TestCycle(t *testing.T) {
	for _, c := range []struct {
		name                   string
		p                      CyclingParams
		loadW, on, jPerK       float64
		periodS, swing, factor float64
	}{
		{"half duty", cycling(1200, 1200, 1, 120), 100e3, 0.5, 60e6, 2400, 2, 1.1},
		{"a quarter: the least time on decides", cycling(1200, 1200, 1, 120), 100e3, 0.25, 150e6, 4800, 2.4, 1.1},
		{"three quarters: the least time off", cycling(1200, 1200, 1, 120), 100e3, 0.75, 60e6, 4800, 2, 1 + 120./3600},
		{"much water: its band", cycling(1200, 1200, 2, 120), 100e3, 0.5, 120e6, 4800, 2, 1.05},
		{"no water in it", cycling(180, 180, 2, 60), 10e3, 0.5, 0, 360, 0, 1 + 60./180},
		{"a loss longer than it runs", cycling(60, 60, 2, 600), 10e3, 0.5, 0, 120, 0, 2},
	} {
		starts, swing, factor := c.p.cycle(c.loadW, c.on, c.jPerK)
		if math.Abs(starts*c.periodS-1) > 1e-9 || math.Abs(swing-c.swing) > 1e-9 || math.Abs(factor-c.factor) > 1e-9 {
			t.Errorf("%s: a period of %.1f s, %.3f K, factor %.4f; want %.1f, %.3f, %.4f", c.name, 1/starts, swing, factor, c.periodS, c.swing, c.factor)
		}
	}
	p := cycling(1200, 1200, 2, 120)
	// Next to no load never starts: nothing infinite comes of it.
	for _, loadW := range []float64{1e-12, 1e-100, 1e-301, 5e-324} {
		starts, swing, factor := p.cycle(loadW, loadW/1e5, 1e6)
		if math.IsNaN(starts+swing+factor) || math.IsInf(starts+swing+factor, 0) {
			t.Errorf("%g W: %v %v %v", loadW, starts, swing, factor)
		}
	}
	for _, on := range []float64{0, 1, math.NaN()} {
		if starts, swing, factor := p.cycle(100e3, on, 1e6); starts != 0 || swing != 0 || factor != 1 {
			t.Errorf("on %v: %v %v %v", on, starts, swing, factor)
		}
	}
}

// Longer least times mean fewer starts, less energy and wider swings; times on and off are never shorter than they say;
// above the least load of a unit nothing changes.
func TestLeastTimesOfChillers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Spec{Name: "c", Units: rapid.IntRange(1, 4).Draw(t, "units"), SupplyC: 18, CapacityW: 500e3, HeatJPerK: rapid.Float64Range(1e6, 100e6).Draw(t, "water")}
		out := outdoor(rapid.Float64Range(-20, 40).Draw(t, "air"), 0.5)
		load := Load{HeatW: rapid.Float64Range(1e3, 400e3).Draw(t, "heat"), ReturnC: 24, Units: spec.Units, SetC: 18, Out: out}
		wet := rapid.Bool().Draw(t, "water-cooled")
		solve := func(leastS, startS float64) PlantPoint {
			cycling := CyclingParams{MinOnS: leastS, MinOffS: leastS, StartS: startS}
			var p Plant
			var err error
			if wet {
				p, err = NewChilledWater(ChilledWaterParams{Spec: spec, Cycling: cycling})
			} else {
				p, err = NewAirCooledChiller(AirCooledChillerParams{Spec: spec, Cycling: cycling})
			}
			if err != nil {
				t.Fatal(err)
			}
			return p.Solve(load)
		}
		free, short, long := solve(600, -1), solve(600, 120), solve(3600, 120)
		if free.StartsPerS == 0 {
			if short != free || long != free {
				t.Fatalf("nothing cycles, and still %+v, %+v, %+v", free, short, long)
			}
			return
		}
		if !(short.CompressorW > free.CompressorW) || !(long.CompressorW <= short.CompressorW) || !(long.StartsPerS <= short.StartsPerS) || !(long.SwingK >= short.SwingK-1e-9) {
			t.Fatalf("without loss %+v, short times %+v, long ones %+v", free, short, long)
		}
		if short.CompressorW > free.CompressorW*1.25 || short.StartsPerS > 1./1200 || long.StartsPerS > 1./7200 {
			t.Fatalf("without loss %+v, short times %+v, long ones %+v", free, short, long)
		}
	})
}

// Room units cycle below a quarter of one unit.
func TestLeastTimesOfDX(t *testing.T) {
	p, err := NewDX(DXParams{Spec: Spec{Name: "x", Units: 3, SupplyC: 24, CapacityW: 100e3}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(heatW float64) PlantPoint {
		return p.Solve(Load{HeatW: heatW, ReturnC: 36, Units: 3, SetC: 24, Out: outdoor(30, 0.4)})
	}
	if pt := at(25e3); pt.StartsPerS != 0 || pt.SwingK != 0 {
		t.Errorf("at the least load: %+v", pt)
	}
	half, full := at(12.5e3), at(25e3)
	if math.Abs(half.StartsPerS*360-1) > 1e-9 {
		t.Errorf("at half of it it starts every %.0f s, want 360", 1/half.StartsPerS)
	}
	if r := half.CompressorW / full.CompressorW; math.Abs(r-0.5*(1+25./180)) > 1e-9 {
		t.Errorf("power %.4f of that at the least load, want %.4f", r, 0.5*(1+25./180))
	}
}
