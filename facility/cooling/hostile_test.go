package cooling

import (
	"fmt"
	"math"
	"testing"

	"headroom/facility/weather"
)

// TestHostileWeather puts every plant into weather and loads far from its rating: every figure stays finite, power and
// water are never below zero, a hall's PUE is never below 1, and a curve that was left is counted.
func TestHostileWeather(t *testing.T) {
	cases := annualCases(t)
	standby := *hall()
	standby.Standby = true
	cases = append(cases, annualCase{"standby", chilledWater(t, true), &standby, nil})
	for _, pa := range []float64{weather.SeaLevelPa, weather.StandardPressurePa(3000)} {
		for _, tC := range []float64{-60, -30, -5, 0, 20, 35, 50, 60} {
			for _, rh := range []float64{0, 0.01, 0.5, 1} {
				out := FromSample(weather.Sample{DryBulbC: tC, RH: rh, PressurePa: pa})
				for i := range cases {
					c := &cases[i]
					what := fmt.Sprintf("%s at %g °C, %g, %.0f Pa", c.name, tC, rh, pa)
					pue, water := c.hour(out)
					if !(pue >= 1) || math.IsInf(pue, 0) || !(water >= 0) || math.IsInf(water, 0) {
						t.Errorf("%s: PUE %v, water %v kg/s", what, pue, water)
					}
					spec := c.plant.Spec()
					for _, share := range []float64{0, 0.01, 1, 1.5, 20} {
						heatW := share * spec.CapacityW * float64(spec.Units)
						for _, units := range []int{0, 1, spec.Units} {
							pt := c.plant.Solve(Load{HeatW: heatW, ReturnC: spec.SupplyC + 8, Units: units, SetC: spec.SupplyC, Out: out})
							finite(t, what, pt)
							if pt.CompressorW < 0 || pt.RejectionW < 0 || pt.PumpW < 0 || pt.EvaporationKgS < 0 || pt.BlowdownKgS < 0 || pt.DriftKgS < 0 ||
								pt.FreeShare < 0 || pt.FreeShare > 1 || pt.WPerK <= 0 || pt.CapacityW < 0 {
								t.Errorf("%s, %g of %d units: %+v", what, share, units, pt)
							}
							if pt.Held && pt.SupplyC > spec.SupplyC+1e-9 {
								t.Errorf("%s: held at %.2f °C", what, pt.SupplyC)
							}
						}
					}
				}
			}
		}
	}
}

// TestCurvesLeftAreCounted checks that a chiller plant evaluated outside its curves says so, and inside says nothing.
func TestCurvesLeftAreCounted(t *testing.T) {
	inside, err := NewChilledWater(ChilledWaterParams{Spec: Spec{Name: "c", Units: 2, SupplyC: 8, CapacityW: 1e6}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		setC, wetC float64
		left       bool
	}{{8, 20, false}, {8, 15, false}, {18, 20, true}, {8, 29, true}, {5, 20, true}} {
		out := FromWetBulb(c.wetC+5, c.wetC, weather.SeaLevelPa)
		pt := inside.Solve(Load{HeatW: 1e6, ReturnC: c.setC + 6, Units: 2, SetC: c.setC, Out: out})
		if (pt.Extrapolated > 0) != c.left {
			t.Errorf("%g °C water, wet bulb %g °C: %d counted", c.setC, c.wetC, pt.Extrapolated)
		}
	}
	if pt := inside.Solve(Load{HeatW: 0, Units: 2, SetC: 18, Out: outdoor(45, 1)}); pt.Extrapolated != 0 {
		t.Errorf("an idle plant counted %d", pt.Extrapolated)
	}
}

// TestStandbyTakesMore compares redundant air handlers and coolers that share the load with such that stand by.
func TestStandbyTakesMore(t *testing.T) {
	shared, standby := hall(), hall()
	standby.Standby = true
	demand := annualITW / (AirHeatJPerM3K * 13)
	a := shared.Solve(10, 1e6, demand, 18, weather.SeaLevelPa)
	b := standby.Solve(10, 1e6, demand, 18, weather.SeaLevelPa)
	// Ten fans at 9/10 of the speed of nine: power (9/10)^(2.7) · 10/9.
	near(t, "fan power", a.FanW/b.FanW, math.Pow(0.9, 2.7)/0.9, 0.01)
	near(t, "nine of ten", standby.Solve(9, 1e6, demand, 18, weather.SeaLevelPa).FanW, b.FanW, 1e-9)
	dry := func(standby bool) float64 {
		p, err := NewDryCooler(DryCoolerParams{Spec: Spec{Name: "d", Units: 5, Redundant: 1, SupplyC: 30, CapacityW: 250e3, Standby: standby}, DesignC: 22})
		if err != nil {
			t.Fatal(err)
		}
		return p.Solve(Load{HeatW: 1e6, ReturnC: 36, Units: 5, SetC: 30, Out: outdoor(15, 0.5)}).RejectionW
	}
	if a, b := dry(false), dry(true); !(a < b) {
		t.Errorf("five coolers %.0f W, four with one standing by %.0f W", a, b)
	}
}

// TestResetHoldsTheRoom resets the water to the warmest that a room says it can do with, and checks that it can.
func TestResetHoldsTheRoom(t *testing.T) {
	r, l := hall(), liquid()
	for _, heatW := range []float64{1e4, 2e5, 5e5, 9e5} {
		demand := heatW / (AirHeatJPerM3K * 13)
		warmestC := r.WarmestWaterC(9, heatW, demand, weather.SeaLevelPa)
		pt := r.Solve(9, heatW, demand, warmestC, weather.SeaLevelPa)
		if !pt.Held || pt.SupplyC != r.SupplyC {
			t.Errorf("%.0f W: not held with water of %.2f °C", heatW, warmestC)
		}
		if full := 9 * r.CapacityW / r.WaterRiseK / WaterWPerLPMK; pt.WaterLPM > 0.93*full || pt.WaterLPM < 0.87*full {
			t.Errorf("%.0f W: valves at %.2f, want about %.2f", heatW, pt.WaterLPM/full, resetOpening)
		}
		if pt := r.Solve(9, heatW, demand, warmestC+2, weather.SeaLevelPa); pt.Held {
			t.Errorf("%.0f W: held with 2 K warmer water as well", heatW)
		}
		loopC := l.WarmestWaterC(2, heatW, 1500)
		if lp := l.Solve(2, heatW, 1500, loopC); !lp.Held {
			t.Errorf("%.0f W: loop not held with water of %.2f °C", heatW, loopC)
		}
	}
	s := Spec{SupplyC: 18, ResetMaxC: 22}
	for _, c := range []struct{ warmest, want float64 }{{15, 18}, {20, 20}, {30, 22}} {
		near(t, "reset", s.ResetSetC(c.warmest), c.want, 0)
	}
	none := Spec{SupplyC: 18}
	near(t, "no reset", none.ResetSetC(30), 18, 0)
}

// TestRearDoors: every rack's exhaust is cooled in place, so what comes round is supply air.
func TestRearDoors(t *testing.T) {
	paths := NewAirPaths(RearDoors, []float64{0, 0.6, 1.2}, []float64{0, 0, 0}, []int{0, 0, 0}, []int{48, 48, 48})
	for _, phi := range []float64{1, 0.999} {
		for rack := range 3 {
			near(t, "inlet", paths.InletC(rack, 24, phi, 13, 1), 24, 0.02)
		}
	}
	// Doors of 30 kW on three racks, passive: they pass what the servers draw, however much.
	r := Room{
		Name: "doors", Units: 3, CapacityW: 30e3, AirflowM3s: 2.1, RatedReturnC: 38, RatedWaterC: 18, WaterRiseK: 6, SupplyC: 25,
		FanExponent: 2.7, FanMin: 0.4, Containment: RearDoors,
	}
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	pt := r.Solve(3, 75e3, 5.5, 18, weather.SeaLevelPa)
	near(t, "flow", pt.FlowM3s, 5.5, 1e-9)
	near(t, "share", pt.Phi, 1, 0)
	near(t, "fans", pt.FanW, 0, 0)
	if !pt.Held {
		t.Errorf("not held: %+v", pt)
	}
	near(t, "energy", AirHeatJPerM3K*pt.FlowM3s*(pt.ReturnC-pt.SupplyC), 75e3, 1)
}

// TestLiquidToAir: a sidecar's heat is what the liquid gives, its fans follow the air it needs.
func TestLiquidToAir(t *testing.T) {
	l := Loop{
		Name: "sidecar", CDUs: 1, CapacityW: 60e3, FlowLPM: 90, HeadKPa: 200, ApproachK: 12, Coolant: "PG25", VolumeL: 100,
		SupplyC: 40, PumpW: 900, Air: &AirSink{AirflowM3s: 4.2, FanW: 2400},
	}
	if err := l.Validate(); err != nil {
		t.Fatal(err)
	}
	full := l.Solve(1, 59e3, 90, 28)
	if !full.Held || full.AirM3s > 4.2 || full.AirM3s < 3.9 || full.WaterLPM != 0 {
		t.Errorf("rating point: %+v", full)
	}
	half := l.Solve(1, 30e3, 60, 25)
	if !half.Held || half.AirM3s > 2 || half.FanW > 2400*0.15 {
		t.Errorf("half load: %+v", half)
	}
	near(t, "air out", 25+half.DutyW/(AirHeatJPerM3K*half.AirM3s), half.ReturnC, 12)
	if air := 25 + half.DutyW/(AirHeatJPerM3K*half.AirM3s); air > half.ReturnC {
		t.Errorf("air leaves at %.1f °C, coolant comes at %.1f °C", air, half.ReturnC)
	}
	hot := l.Solve(1, 60e3, 90, 45)
	if hot.Held || hot.SupplyC <= 45 || hot.FanW != 2400 {
		t.Errorf("hot room: %+v", hot)
	}
}

// TestCoolingTower holds the tower plant to its rating: water at wet bulb, approach and exchanger.
func TestCoolingTower(t *testing.T) {
	p, err := NewCoolingTower(TowerParams{Spec: Spec{Name: "t", Units: 2, SupplyC: 32, CapacityW: 1e6}, StageAt: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := func(wetC, heatW float64) PlantPoint {
		return p.Solve(Load{HeatW: heatW, ReturnC: 38, Units: 2, SetC: 32, Out: FromWetBulb(wetC+8, wetC, weather.SeaLevelPa)})
	}
	rated := at(25.55, 2e6)
	if !rated.Held || rated.FreeShare != 1 || rated.CompressorW != 0 {
		t.Errorf("rating: %+v", rated)
	}
	hot := at(29, 2e6)
	// Beyond the correlation's wet bulb: counted, and as warm as wet bulb, approach and exchanger.
	approachK, clamped := TowerApproachK(&plantData(t).Towers[0], 29, 5.56, 1)
	near(t, "hot supply", hot.SupplyC, 29+approachK+2, 0.05)
	if hot.Held || clamped == 0 || hot.Extrapolated == 0 {
		t.Errorf("hot: %+v", hot)
	}
	// The capacity is where the supply is just held.
	c := at(27, 1e6)
	if under, over := at(27, 0.98*c.CapacityW), at(27, 1.02*c.CapacityW); !under.Held || over.Held {
		t.Errorf("capacity %.0f W: %+v, %+v", c.CapacityW, under, over)
	}
	// Water by the heat: 1.2 to 1.47 L for each kWh, and cold weather takes less fan power.
	perKWh := rated.EvaporationKgS * 3600 / 2000
	if perKWh < 1.0 || perKWh > 1.5 {
		t.Errorf("%.2f L evaporated a kWh", perKWh)
	}
	if cold := at(5, 2e6); cold.RejectionW > rated.RejectionW/3 {
		t.Errorf("fans: %.0f W at 5 °C, %.0f W at the rating", cold.RejectionW, rated.RejectionW)
	}
	for _, bad := range []TowerParams{{}, {Spec: Spec{Units: 1, SupplyC: 30, CapacityW: 1e6}, Tower: "none"}, {Spec: Spec{Units: 1, SupplyC: 30, CapacityW: 1e6}, StageAt: 2}, {Spec: Spec{Units: 1, SupplyC: 30, CapacityW: 1e6}, Cycles: 1}} {
		if _, err := NewCoolingTower(bad); err == nil {
			t.Errorf("%+v is made", bad)
		}
	}
}

// TestAirSideLimits: lockout, floating supply and limits by relative humidity.
func TestAirSideLimits(t *testing.T) {
	build := func(change func(*AirSideParams)) *AirSideEconomizer {
		p := AirSideParams{Spec: Spec{Name: "s", Units: 10, SupplyC: 27, CapacityW: 150e3}, Trim: chilledWater(t, false)}
		change(&p)
		a, err := NewAirSideEconomizer(p)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	at := func(a *AirSideEconomizer, tC, rh float64) PlantPoint {
		return a.Solve(Load{HeatW: 1e6, ReturnC: 40, Units: 10, SetC: 27, Out: outdoor(tC, rh)})
	}
	plain := build(func(*AirSideParams) {})
	if pt := at(plain, -20, 0.5); pt.FreeShare != 1 || pt.EvaporationKgS <= 0 {
		t.Errorf("cold and dry air is humidified: %+v", pt)
	}
	locked := build(func(p *AirSideParams) { p.DryLockout = true })
	if pt := at(locked, -20, 0.5); pt.FreeShare != 0 || pt.CompressorW <= 0 {
		t.Errorf("cold and dry air is kept out: %+v", pt)
	}
	floating := build(func(p *AirSideParams) { p.SupplyMinC = 16 })
	for _, c := range []struct{ outC, want float64 }{{5, 16}, {20, 20}, {26, 26}, {30, 27}} {
		near(t, "floating supply", at(floating, c.outC, 0.4).SupplyC, c.want, 1e-9)
	}
	// 85 % RH is beyond the limit of 80 where the air is let in as it is, and within it once warmed to 27 °C.
	if pt := at(floating, 18, 0.85); pt.FreeShare != 0 {
		t.Errorf("damp air at its own temperature is let in: %+v", pt)
	}
	if pt := at(plain, 18, 0.85); pt.FreeShare != 1 {
		t.Errorf("damp air warmed to the set-point is kept out: %+v", pt)
	}
	// What the dew point of the room is.
	room := hall()
	room.Direct, room.DewPointC = true, 15
	near(t, "dew point of outdoor air", RoomDewPointC(room, plain, outdoor(20, 0.5)), outdoor(20, 0.5).DewPointC, 1e-9)
	near(t, "of a closed room", RoomDewPointC(hall(), plain, outdoor(20, 0.5)), hall().DewPointC, 0)
	near(t, "above the limit", RoomDewPointC(room, plain, outdoor(30, 0.9)), 17, 1e-9)
	if _, err := NewAirSideEconomizer(AirSideParams{Spec: Spec{Name: "s", Units: 1, SupplyC: 24, CapacityW: 1e5}, SupplyMinC: 30}); err == nil {
		t.Error("a lowest supply above the set-point is made")
	}
}
