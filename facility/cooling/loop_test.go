package cooling

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A CDU at its rated flows and capacity has its rated approach.
func TestLoopAtItsRating(t *testing.T) {
	for _, primary := range []float64{0, 1800, 1440} {
		l := liquid()
		l.PrimaryLPM, l.SupplyC = primary, 20
		for cdus := 1; cdus <= 2; cdus++ {
			n := float64(cdus)
			p := l.Solve(cdus, n*(l.CapacityW-l.PumpW), n*l.FlowLPM, 27)
			near(t, "approach", p.SupplyC-27, l.ApproachK, 1e-9)
			near(t, "duty", p.DutyW, n*l.CapacityW, 1e-6)
			near(t, "return", p.ReturnC, p.SupplyC+l.CapacityW/(l.FlowLPM*coolantWPerLPMK()["PG25"]), 1e-9)
			near(t, "pumps", p.PumpW, n*l.PumpW, 1e-9)
		}
	}
}

// The 2 MW class CDU of the catalogue: 26.8 °C facility water and 3 K give 29.8 °C, 15.3 K rise, 45 °C at
// the racks.
func TestLoopDeschutes(t *testing.T) {
	c, ok := plantData(t).CDU("deschutes-2mw")
	if !ok {
		t.Fatal("not in the catalogue")
	}
	l := Loop{CDUs: 1, CapacityW: c.CapacityW, FlowLPM: c.FlowLPM, PrimaryLPM: c.PrimaryLPM, ApproachK: c.ApproachK, Coolant: c.Coolant, PumpW: c.PumpW, SupplyC: 29.8001}
	if err := l.Validate(); err != nil {
		t.Fatal(err)
	}
	p := l.Solve(1, c.CapacityW-c.PumpW, c.FlowLPM, 26.8)
	near(t, "supply", p.SupplyC, 29.8, 1e-3)
	near(t, "rack outlet", p.ReturnC, 45, 1.2) // published at 100 % with another glycol
	if !p.Held {
		t.Error("not held")
	}
}

// 1 kW at 10 K takes 1.44 L/min of water and 1.51 of PG25; at 6 K 2.39 of water.
func TestCoolantFlow(t *testing.T) {
	near(t, "water", CoolantLPM("water", 1e3, 10), 1.44, 0.005)
	near(t, "water, 6 K", CoolantLPM("water", 1e3, 6), 2.39, 0.02)
	near(t, "PG25", CoolantLPM("PG25", 1e3, 10), 1.51, 0.005)
	if !math.IsNaN(CoolantLPM("beer", 1e3, 10)) {
		t.Error("beer flowed")
	}
	near(t, "water of this package", 1e3/(10*WaterWPerLPMK), CoolantLPM("water", 1e3, 10), 1e-12)
}

// Two racks of 120 kW at 85 % liquid on 250 kW CDUs: 204 kW, 81.6 % of one, so N+1 needs two.
func TestLoopTwoRacks(t *testing.T) {
	heatW := 2 * 120e3 * 0.85
	near(t, "heat", heatW, 204e3, 1e-6)
	near(t, "share of one", heatW/250e3, 0.816, 1e-12)
	l := Loop{CDUs: 2, Redundant: 1, CapacityW: 250e3, FlowLPM: CoolantLPM("PG25", 250e3, 10), ApproachK: 4, Coolant: "PG25", SupplyC: 32}
	p := l.Solve(1, heatW, CoolantLPM("PG25", heatW, 10), 28)
	if !p.Held || p.Phi != 1 {
		t.Errorf("one CDU does not hold: %+v", p)
	}
	if p := l.Solve(0, heatW, 300, 28); p.Held || p.Phi != 0 || p.PumpW != 0 {
		t.Errorf("none holds: %+v", p)
	}
}

// The pump law, and where the loop's resistance takes more head than there is.
func TestLoopFlow(t *testing.T) {
	l := liquid()
	near(t, "three quarters of the flow", l.Solve(2, 0, 2250, 28).PumpW, 18e3*0.75*0.75*0.75, 1e-6)
	near(t, "lowest", l.Solve(2, 0, 10, 28).FlowLPM, PumpMinShare*3000, 1e-9)
	p := l.Solve(1, 0, 2000, 28)
	near(t, "one CDU", p.FlowLPM, 1500, 0)
	near(t, "phi", p.Phi, 0.75, 1e-12)

	l.SystemKPa, l.SystemLPM = 250, 1500 // one CDU just meets its own rating
	near(t, "one against the loop", l.Solve(1, 0, 2000, 28).FlowLPM, 1500, 1e-9)
	two := l.Solve(2, 0, 4000, 28).FlowLPM
	// Where 250·(1.2 − 0.2·(Q/3000)²) = 250·(Q/1500)²: Q² = 1.2/(1/1500² + 0.2/3000²).
	near(t, "two against the loop", two, math.Sqrt(1.2/(1/(1500.*1500)+0.2/(3000.*3000))), 1e-6)
}

func TestLoopProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := liquid()
		l.PrimaryLPM = rapid.SampledFrom([]float64{0, 1200, 2500}).Draw(t, "primary")
		cdus := rapid.IntRange(0, 4).Draw(t, "cdus")
		heatW := rapid.OneOf(rapid.Float64Range(0, 3e6), rapid.Just(0.0), rapid.Just(1e10)).Draw(t, "heat")
		demand := rapid.Float64Range(0, 9000).Draw(t, "demand")
		waterC := rapid.Float64Range(-10, 70).Draw(t, "water")
		p := l.Solve(cdus, heatW, demand, waterC)
		finite(t, "loop", p)
		if p.PumpW < 0 || p.DutyW < 0 || p.WaterLPM < 0 || p.WPerK <= 0 || p.Phi < 0 || p.Phi > 1 {
			t.Fatalf("negative: %+v", p)
		}
		if cdus == 0 {
			return
		}
		if p.SupplyC < l.SupplyC {
			t.Fatalf("settled below its set-point: %+v", p)
		}
		carried := p.FlowLPM * coolantWPerLPMK()[l.Coolant] * (p.ReturnC - p.SupplyC)
		if math.Abs(carried-p.DutyW) > 1e-6*(1+p.DutyW) || math.Abs(p.DutyW-heatW-p.PumpW) > 1e-6*(1+heatW) {
			t.Fatalf("coolant carries %v, duty %v, heat %v + pumps %v", carried, p.DutyW, heatW, p.PumpW)
		}
		if p.DutyW > 0 && WaterReturnC(waterC, p.DutyW, p.WaterLPM) > p.ReturnC+1e-6 {
			t.Fatalf("facility water leaves warmer than the coolant comes: %+v", p)
		}
		// The coolest a loop gets is the set-point; colder water and more CDUs only help. More pumps at their
		// lowest flow do add heat, so compare at demand above it.
		if q := l.Solve(cdus, heatW, demand, waterC-1); q.SupplyC > p.SupplyC+1e-9 {
			t.Fatalf("colder water: %+v; before: %+v", q, p)
		}
		if q := l.Solve(cdus+1, heatW, demand, waterC); demand > PumpMinShare*float64(cdus+1)*l.FlowLPM && heatW > 1e4 && q.SupplyC > p.SupplyC+1e-9 {
			t.Fatalf("%d CDUs: %+v; one more: %+v", cdus, p, q)
		}
		for _, q := range []LoopPoint{
			l.Solve(cdus, heatW*(1+1e-9), demand, waterC), l.Solve(cdus, heatW, demand+1e-6, waterC), l.Solve(cdus, heatW, demand, waterC+1e-8),
		} {
			if math.Abs(q.SupplyC-p.SupplyC) > 1e-5*(1+math.Abs(p.SupplyC)) || math.Abs(q.PumpW-p.PumpW) > 1 ||
				math.Abs(q.WaterLPM-p.WaterLPM) > 1 || math.Abs(q.Phi-p.Phi) > 1e-4 {
				t.Fatalf("%+v then %+v", p, q)
			}
		}
	})
}

func TestLoopValidate(t *testing.T) {
	if err := liquid().Validate(); err != nil {
		t.Fatal(err)
	}
	l := liquid()
	l.Coolant, l.ApproachK, l.VolumeL = "beer", 0, -1
	err := l.Validate()
	for _, want := range []string{"beer", "PG25", "approach", "volume"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %q", err, want)
		}
	}
	l = liquid()
	l.PrimaryLPM = 900
	if err := l.Validate(); err == nil || !strings.Contains(err.Error(), "effectiveness") {
		t.Errorf("impossible rating: %v", err)
	}
}

func TestCondensation(t *testing.T) {
	near(t, "margin", CondensationMarginK(20, 15), 5, 0)
	near(t, "set-point kept", DrySupplyC(32, 15), 32, 0)
	near(t, "set-point raised", DrySupplyC(14, 15), 17, 0)
}
