package cooling

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility/weather"
	"headroom/validation"
)

func TestWetBulb(t *testing.T) {
	for _, c := range []struct{ dryBulbC, rh, want, tol float64 }{
		{35, 0.5, 26.14, 0.01}, // psychrometric tables
		{40, 0.2, 22.03, 0.02},
		{20, 1, 20, 1e-4},
		{-10, 1, -10, 1e-4},
	} {
		validation.Within(fmt.Sprintf("psychrometrics/wet-bulb-%g-%g", c.dryBulbC, 100*c.rh), fmt.Sprintf("wet bulb at %g °C and %g %%", c.dryBulbC, 100*c.rh), "°C", c.want, c.tol,
			"psychrometric tables").Check(t, WetBulbC(c.dryBulbC, c.rh, weather.SeaLevelPa))
	}
}

// The wet bulbs that go with the published golden values of Lei & Masanet.
func TestEnthalpyWetBulb(t *testing.T) {
	for _, c := range []struct{ dryBulbC, rh, want float64 }{
		{20, 0.4, 12.304},
		{-10, 0.6, -11.305},
		{10, 0.5, 5.525},
		{25, 0.6, 19.422},
		{30, 0.5, 21.931},
		{35, 0.5, 26.057},
		{40, 0.2, 21.867},
		{35, 0.8, 31.784},
	} {
		validation.Within(fmt.Sprintf("psychrometrics/enthalpy-wet-bulb-%g-%g", c.dryBulbC, 100*c.rh), fmt.Sprintf("wet bulb by enthalpy at %g °C and %g %%", c.dryBulbC, 100*c.rh), "°C", c.want, 6e-4,
			"Lei and Masanet's published model (Energy 2020, doi 10.1016/j.energy.2020.117556), run for these points").Check(t, EnthalpyWetBulbC(c.dryBulbC, c.rh, weather.SeaLevelPa))
	}
}

func TestWetBulbBetweenDewPointAndDryBulb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := weather.Sample{
			DryBulbC:   rapid.Float64Range(-60, 60).Draw(t, "dry bulb"),
			RH:         rapid.Float64Range(minRH, 1).Draw(t, "rh"),
			PressurePa: rapid.Float64Range(50e3, 105e3).Draw(t, "pressure"),
		}
		out := FromSample(s)
		finite(t, "outdoor", out)
		if out.WetBulbC > out.DryBulbC+1e-3 || (s.RH > 0.01 && out.WetBulbC < out.DewPointC-0.05) {
			t.Fatalf("dew point %v, wet bulb %v, dry bulb %v", out.DewPointC, out.WetBulbC, out.DryBulbC)
		}
		// The definition: adiabatic saturation conserves energy.
		w := HumidityRatio(s.RH*weather.SaturationPa(s.DryBulbC), s.PressurePa)
		ws := HumidityRatio(weather.SaturationPa(out.WetBulbC), s.PressurePa)
		left := 1.006*s.DryBulbC + w*(2501+1.86*s.DryBulbC) + (ws-w)*4.186*out.WetBulbC
		right := 1.006*out.WetBulbC + ws*(2501+1.86*out.WetBulbC)
		if math.Abs(left-right) > 0.02*(1+math.Abs(left))/100+5e-3 {
			t.Fatalf("energy in %v kJ/kg, out %v at %+v", left, right, out)
		}
	})
}

func TestFromWetBulb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := outdoor(rapid.Float64Range(-20, 45).Draw(t, "dry bulb"), rapid.Float64Range(0.05, 1).Draw(t, "rh"))
		got := FromWetBulb(want.DryBulbC, want.WetBulbC, want.PressurePa)
		near(t, "rh", got.RH, want.RH, 1e-4)
		near(t, "wet bulb", got.WetBulbC, want.WetBulbC, 1e-4)
	})
	near(t, "too wet", FromWetBulb(20, 30, 101325).RH, 1, 1e-9)
	near(t, "too dry", FromWetBulb(40, -20, 101325).RH, 0, 1e-9)
}

// Extremes of the weather, a broken pressure among them, give finite air.
func TestFromSampleExtremes(t *testing.T) {
	for _, s := range []weather.Sample{
		{DryBulbC: -30, RH: 0, PressurePa: 101325},
		{DryBulbC: 50, RH: 1, PressurePa: 101325},
		{DryBulbC: -200, RH: 2, PressurePa: 70e3},
		{DryBulbC: 400, RH: -1, PressurePa: 70e3},
		{DryBulbC: 30, RH: 0.5, PressurePa: 1},
	} {
		finite(t, "outdoor", FromSample(s))
	}
}

// Airflow rows of the planner's worked examples; their constants, 1.08 and 1.085, are within 2 % of ours.
func TestAirflow(t *testing.T) {
	const rise20F = 20 / 1.8
	for _, c := range []struct{ heatW, riseK, wantCFM float64 }{
		{1e3, rise20F, 157},
		{4e3, rise20F, 629},
		{40.8e3, rise20F, 6415},
		{48e3, rise20F, 7548},
		{120e3, rise20F, 18869},
		{8e3, 16, 890},
		{48e3, 16, 5340},
		{78e3, 16, 8670},
	} {
		got := AirflowM3s(c.heatW, c.riseK, weather.SeaLevelPa) * CFMPerM3s
		validation.Share(fmt.Sprintf("psychrometrics/airflow-%g-kw-%.0f-k", c.heatW/1e3, c.riseK), fmt.Sprintf("air for %g kW at a rise of %.1f K", c.heatW/1e3, c.riseK), "CFM", c.wantCFM, 0.02,
			"planners' rule of 1.08 to 1.085 BTU/h a CFM and °F").Check(t, got)
	}
	validation.Share("psychrometrics/dgx-h100-rise", "DGX H100, 10.2 kW into 1,105 CFM: rise of its air", "K", 16.4, 0.02, "NVIDIA DGX H100 user guide: airflow and power").
		Check(t, AirRiseK(10.2e3, 1105/CFMPerM3s, weather.SeaLevelPa))
}

func TestAirflowAtAltitude(t *testing.T) {
	const foot = 0.3048
	sea := AirflowM3s(1e3, 11.4, weather.SeaLevelPa)
	for _, c := range []struct{ feet, ratio float64 }{
		{2000, 0.93}, {4000, 0.86}, {6000, 0.80}, {8000, 0.74}, {10000, 0.69},
	} {
		p := weather.StandardPressurePa(c.feet * foot)
		validation.Within(fmt.Sprintf("psychrometrics/density-%g-ft", c.feet), fmt.Sprintf("density of air at %g ft over that at sea level", c.feet), "", c.ratio, 0.005, "a vendor's altitude table").
			Check(t, sea/AirflowM3s(1e3, 11.4, p))
	}
	p := weather.StandardPressurePa(6000 * foot)
	near(t, "CFM per kW at 6,000 ft", 154*weather.SeaLevelPa/p, 192.5, 0.8)
	near(t, "H100 rack at 6,000 ft", 6283*weather.SeaLevelPa/p, 7854, 30)
}

func TestTons(t *testing.T) {
	for _, c := range []struct{ heatW, tons, tol float64 }{{10e3, 2.84, 0.005}, {10.2e3, 2.90, 0.005}, {250e3, 71.1, 0.05}} {
		near(t, "tons", c.heatW/WattsPerTon, c.tons, c.tol)
	}
}

func FuzzFromSample(f *testing.F) {
	f.Add(35.0, 0.5, 101325.0)
	f.Add(-40.0, 0.0, 60e3)
	f.Fuzz(func(t *testing.T, dryBulbC, rh, pressurePa float64) {
		if math.IsNaN(dryBulbC) || math.IsNaN(rh) || !(pressurePa > 1e3 && pressurePa < 2e5) {
			t.Skip()
		}
		finite(t, "outdoor", FromSample(weather.Sample{DryBulbC: dryBulbC, RH: rh, PressurePa: pressurePa}))
	})
}
