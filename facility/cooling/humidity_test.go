package cooling

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility/weather"
)

func steam() Humidity {
	return Humidity{FreshM3s: 1, DewMinC: -9, DewMaxC: 15, JPerKg: SteamJPerKg, DryCOP: 3, SupplyC: 24}
}

// By hand, at sea level. Air of 24 °C weighs 1.293 · 273.15/297.15 = 1.1886 kg/m³; a dew point of −9 °C holds 1.91 g/kg,
// −30 °C 0.31: 1.1886 · 1.60 g/s at 2,751 kJ/kg are 5.2 kW.
func TestHumidity(t *testing.T) {
	h := steam()
	cold := FromSample(weather.Sample{DryBulbC: -25, RH: weather.RHFromDewPoint(-25, -30), PressurePa: weather.SeaLevelPa})
	p := h.Solve(cold, weather.SeaLevelPa)
	if math.Abs(p.WaterKgS-1.90e-3) > 0.02e-3 || math.Abs(p.PowerW-p.WaterKgS*2750526) > 1 {
		t.Errorf("steam in the cold: %+v", p)
	}
	if want := 1.1886 * 1006 * -49.0; math.Abs(p.HeatW-want) > 30 {
		t.Errorf("fresh air brings %.0f W, want %.0f", p.HeatW, want)
	}
	mist := h
	mist.Adiabatic, mist.JPerKg = true, AdiabaticJPerKg
	m := mist.Solve(cold, weather.SeaLevelPa)
	if m.WaterKgS != p.WaterKgS || math.Abs(m.PowerW-m.WaterKgS*180e3) > 1e-6 {
		t.Errorf("mist: %+v", m)
	}
	if d := p.HeatW - m.HeatW - (m.WaterKgS*VaporizationJPerKg(24) - m.PowerW); math.Abs(d) > 1e-6 {
		t.Errorf("mist takes %.1f W too much out of the air", d)
	}
	// Singapore: dew point 25 °C, 20.3 g/kg, against 15 °C, 10.7 g/kg: 1.1886 · 9.6 g/s · 2,466 kJ/kg / 3 = 9.4 kW.
	wet := h.Solve(FromSample(weather.Sample{DryBulbC: 30, RH: weather.RHFromDewPoint(30, 25), PressurePa: weather.SeaLevelPa}), weather.SeaLevelPa)
	if wet.WaterKgS != 0 || math.Abs(wet.PowerW-9.4e3) > 0.2e3 {
		t.Errorf("drying: %+v", wet)
	}
	if fits := h.Solve(outdoor(20, 0.5), weather.SeaLevelPa); fits.PowerW != 0 || fits.WaterKgS != 0 {
		t.Errorf("air that fits: %+v", fits)
	}
}

// Whatever the weather: finite, never negative, at most MostW, continuous at both dew points, and only one of evaporating
// and drying.
func TestHumidityBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := steam()
		h.Adiabatic = rapid.Bool().Draw(t, "adiabatic")
		pa := rapid.Float64Range(60e3, 105e3).Draw(t, "pressure")
		x := weather.Sample{DryBulbC: rapid.Float64Range(-60, 60).Draw(t, "air"), RH: rapid.Float64Range(0, 1).Draw(t, "rh"), PressurePa: pa}
		out := FromSample(x)
		p := h.Solve(out, pa)
		for _, v := range []float64{p.PowerW, p.WaterKgS, p.HeatW} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%+v", p)
			}
		}
		if p.PowerW < 0 || p.WaterKgS < 0 || p.WaterKgS > 0 && out.DewPointC > h.DewMinC || p.PowerW > h.MostW(out, pa)+1e-9 {
			t.Fatalf("%+v at a dew point of %.1f °C", p, out.DewPointC)
		}
	})
	h := steam()
	for _, dewC := range []float64{h.DewMinC, h.DewMaxC} {
		at := func(d float64) HumidityPoint {
			out := outdoor(25, 0.5)
			out.DewPointC = dewC + d
			return h.Solve(out, weather.SeaLevelPa)
		}
		if d := at(1e-6).PowerW - at(-1e-6).PowerW; math.Abs(d) > 0.1 {
			t.Errorf("a step of %.2f W at a dew point of %g °C", d, dewC)
		}
	}
	bad := Humidity{FreshM3s: -1, DewMinC: 15, DewMaxC: 10, JPerKg: math.NaN()}
	if err := bad.Validate(); err == nil {
		t.Error("bad figures pass")
	}
}
