package cooling

import (
	"math"
	"strings"
	"testing"

	"headroom/facility/weather"
)

// What a sample of changed operators showed that nothing looked at.

func TestEvaporationOfASmallTower(t *testing.T) {
	out := outdoor(30, 0.4)
	large := evaporation(out, 1e6, 40, 30)
	if small := evaporation(out, 1e4, 0.4, 30); !(small > 0) || math.Abs(small/large-0.01) > 1e-9 {
		t.Errorf("a hundredth of the tower evaporates %g of %g kg/s", small, large)
	}
	if none := evaporation(out, 1e6, 0, 30); none != 0 {
		t.Errorf("without air %g kg/s", none)
	}
}

// Wet air out of the tower carries the heat away: what evaporates and what the air gains in warmth are the heat.
func TestTowerBalance(t *testing.T) {
	for _, c := range []struct{ dryBulbC, rh float64 }{{5, 0.8}, {20, 0.5}, {35, 0.3}} {
		out := outdoor(c.dryBulbC, c.rh)
		const heatW, airKgS = 1e6, 40.0
		w := HumidityRatio(out.RH*weather.SaturationPa(out.DryBulbC), out.PressurePa)
		h := EnthalpyJPerKg(out.DryBulbC, w) + heatW/airKgS
		leaving := saturatedHumidity(h, 25, out.PressurePa)
		// The saturated temperature of that enthalpy, by bisection.
		lo, hi := -20.0, 80.0
		for range 60 {
			if mid := (lo + hi) / 2; EnthalpyJPerKg(mid, HumidityRatio(weather.SaturationPa(mid), out.PressurePa)) < h {
				lo = mid
			} else {
				hi = mid
			}
		}
		near(t, "leaving humidity", leaving, HumidityRatio(weather.SaturationPa(lo), out.PressurePa), 2e-5)
		near(t, "evaporation", evaporation(out, heatW, airKgS, 25), min(airKgS*(leaving-w), maxLatentShare*heatW/VaporizationJPerKg(25)), 1e-3)
	}
}

// Half-wet pads evaporate half of what wet ones would, and what evaporates is the sensible heat they take out.
func TestPartlyWetPads(t *testing.T) {
	d, err := NewDryCooler(DryCoolerParams{Spec: Spec{Name: "d", Units: 1, SupplyC: 32, CapacityW: 400e3}, DesignC: 24, Adiabatic: true})
	if err != nil {
		t.Fatal(err)
	}
	out := outdoor(30, 0.3)
	dry, wet := -1.0, -1.0
	last := 0.0
	for heatW := 50e3; heatW < 600e3; heatW += 5e3 {
		pt := d.Solve(Load{HeatW: heatW, Units: 1, SetC: 32, Out: out})
		if pt.EvaporationKgS < last-1e-12 {
			t.Fatalf("%g W evaporates %g kg/s, less than before", heatW, pt.EvaporationKgS)
		}
		if pt.EvaporationKgS == 0 {
			dry = heatW
		}
		if pt.Held {
			wet = pt.EvaporationKgS
		}
		last = pt.EvaporationKgS
	}
	full := d.Solve(Load{HeatW: 2e6, Units: 1, SetC: 32, Out: out}).EvaporationKgS
	if dry < 0 || !(wet > 0.5*full && wet <= full) {
		t.Errorf("dry up to %g W; at most %g kg/s while it holds, %g with wet pads", dry, wet, full)
	}
	// Just beyond what dry pads hold, hardly any water.
	if first := d.Solve(Load{HeatW: dry + 5e3, Units: 1, SetC: 32, Out: out}).EvaporationKgS; !(first > 0 && first < 0.1*full) {
		t.Errorf("the first 5 kW beyond dry pads take %g of %g kg/s", first, full)
	}
}

// A trim plant that falls short warms the supply by as much as its own water is too warm.
func TestTrimThatFallsShort(t *testing.T) {
	trim, err := NewAirCooledChiller(AirCooledChillerParams{Spec: Spec{Name: "a", Units: 1, SupplyC: 18, CapacityW: 100e3}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewAirSideEconomizer(AirSideParams{Spec: Spec{Name: "s", Units: 10, SupplyC: 24, CapacityW: 150e3}, Trim: trim})
	if err != nil {
		t.Fatal(err)
	}
	hot := outdoor(42, 0.2)
	load := Load{HeatW: 600e3, Units: 10, SetC: 24, ReturnC: 36, Out: hot}
	pt := p.Solve(load)
	alone := trim.Solve(Load{HeatW: 1e9, Units: 1, SetC: 18, ReturnC: 18 + DefaultRiseK, Out: hot})
	if pt.Held || alone.Held || !(pt.SupplyC > 24) {
		t.Fatalf("%+v", pt)
	}
	if over := pt.SupplyC - 24; !(over > 0 && over < 200) {
		t.Errorf("supply %g °C of a set-point of 24", pt.SupplyC)
	}
	load.SetC = 27
	if warmer := p.Solve(load); math.Abs((warmer.SupplyC-27)-(pt.SupplyC-24)) > 30 {
		t.Errorf("at 27 °C it is over by %g K, at 24 °C by %g", warmer.SupplyC-27, pt.SupplyC-24)
	}
}

// Walls let less heat out of a direct room the colder its supply, whatever the supply floats to.
func TestDirectRoomWithAFloatingSupply(t *testing.T) {
	r := hall()
	r.Direct, r.SupplyMinC, r.WallWPerK, r.AmbientC = true, 16, 5000, 25
	const heatW = 500e3
	for _, supplyC := range []float64{16, 20, 24} {
		pt := r.Solve(9, heatW, heatW/(AirHeatJPerM3K*13), supplyC, weather.SeaLevelPa)
		near(t, "supply", pt.SupplyC, supplyC, 1e-9)
		// Heat in is heat out: through the coils and through the walls at the room's mean temperature.
		near(t, "balance", pt.DutyW+r.WallWPerK*((pt.SupplyC+pt.ReturnC)/2-r.AmbientC), heatW+pt.FanW, 1)
	}
}

func TestSmallFiguresAreTaken(t *testing.T) {
	r := hall()
	r.FanW, r.FanExponent, r.VolumeM3, r.StructureJPerK, r.StructureWPerK, r.WallWPerK, r.BypassShare = 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
	l := liquid()
	l.VolumeL, l.PumpW, l.SystemKPa, l.SystemLPM = 0.5, 0.5, 0.5, 0.5
	if err := l.Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []AirSink{{AirflowM3s: 0, FanW: 1}, {AirflowM3s: math.Inf(1), FanW: 1}, {AirflowM3s: 1, FanW: -1}, {AirflowM3s: 1, FanW: math.Inf(1)}, {AirflowM3s: math.NaN(), FanW: 1}} {
		l := liquid()
		l.Air = &bad
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), "liquid-to-air") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// Pumps without a stated head push their rated flow through any loop.
func TestPumpsWithoutAHead(t *testing.T) {
	l := liquid()
	l.HeadKPa, l.SystemKPa, l.SystemLPM = 0, 300, 3000
	near(t, "flow", l.maxLPM(2), 3000, 1e-9)
	l.HeadKPa = 250
	if q := l.maxLPM(2); !(q > 0 && q < 3000) {
		t.Errorf("%g L/min against 300 kPa", q)
	}
}

// With its fans all but off a tower's air is the natural draught of its cells.
func TestTowerByNaturalDraught(t *testing.T) {
	p := chilledWater(t, false)
	cold := outdoor(-15, 0.7)
	const units = 3
	for _, heatW := range []float64{500e3, 600e3} {
		pt := p.Solve(Load{HeatW: heatW, Units: units, SetC: 18, ReturnC: 24, Out: cold})
		air := p.airKgS * airShare(cold.PressurePa, cold.DryBulbC, 25) * towerFreeShare * units
		near(t, "evaporation by draught", pt.EvaporationKgS, evaporation(cold, heatW+pt.CompressorW, air, 20), 0.1*pt.EvaporationKgS)
	}
}
