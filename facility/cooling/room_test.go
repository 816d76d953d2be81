package cooling

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility/weather"
)

// A unit at its rated airflow, return and water gives its rated duty: the room settles at the rated return.
func TestRoomAtItsRating(t *testing.T) {
	r := hall()
	r.WallWPerK, r.BypassShare, r.SupplyC = 0, 0, 15 // a set-point it cannot hold
	for units := 1; units <= r.Units; units++ {
		n := float64(units)
		p := r.Solve(units, n*(r.CapacityW-r.FanW), n*r.AirflowM3s, r.RatedWaterC, weather.SeaLevelPa)
		near(t, "duty", p.DutyW, n*r.CapacityW, 1e-6*n*r.CapacityW)
		near(t, "return", p.ReturnC, r.RatedReturnC, 1e-9)
		near(t, "fans", p.FanW, n*r.FanW, 1e-6)
		near(t, "water", p.WaterLPM, n*r.CapacityW/r.WaterRiseK/WaterWPerLPMK, 1e-6)
		if p.Held {
			t.Error("held a set-point below what the coils can")
		}
	}
}

// Worked example: 500 kW in ten units, supply held, rise by hand.
func TestRoomHeld(t *testing.T) {
	r := hall()
	r.WallWPerK = 0
	demand := AirflowM3s(500e3, 13.2, weather.SeaLevelPa) // 31.80 m³/s
	p := r.Solve(10, 500e3, demand, 18, weather.SeaLevelPa)
	near(t, "supply", p.SupplyC, 24, 0)
	near(t, "flow", p.FlowM3s, 1.05*demand, 1e-9)
	near(t, "phi", p.Phi, 1, 0)
	share := p.FlowM3s / 90
	near(t, "fans", p.FanW, 45e3*math.Pow(share, 2.7), 1e-6)
	near(t, "duty", p.DutyW, 500e3+p.FanW, 1e-6)
	near(t, "return", p.ReturnC, 24+p.DutyW/(AirHeatJPerM3K*p.FlowM3s), 1e-9)
	if !p.Held {
		t.Error("not held")
	}
}

// With half the units the others speed up; past their full speed the servers get less than they draw.
func TestRoomFansFollowDemand(t *testing.T) {
	r := hall()
	demand := 40.0
	full, half := r.Solve(10, 500e3, demand, 18, weather.SeaLevelPa), r.Solve(5, 500e3, demand, 18, weather.SeaLevelPa)
	near(t, "flow of ten", full.FlowM3s, 42, 1e-9)
	near(t, "flow of five", half.FlowM3s, 42, 1e-9)
	short := r.Solve(4, 500e3, demand, 18, weather.SeaLevelPa)
	near(t, "flow of four", short.FlowM3s, 36, 1e-9)
	near(t, "phi of four", short.Phi, 0.9, 1e-12)
	if half.FanW <= full.FanW {
		t.Errorf("five units at speed draw %v W, ten at half speed %v", half.FanW, full.FanW)
	}
	idle := r.Solve(10, 0, 0, 18, weather.SeaLevelPa)
	near(t, "lowest flow", idle.FlowM3s, 0.3*90, 1e-9)
}

// Without units the room warms at P/C: 20.4 kW into 500 kJ/K take 367.6 s for 15 K (a one-node unit test).
func TestRoomWithoutUnits(t *testing.T) {
	r := hall()
	r.WallWPerK, r.AmbientC, r.VolumeM3, r.StructureJPerK = 0, 20, 0, 500e3
	p := r.Solve(0, 20.4e3, 5, 18, weather.SeaLevelPa)
	finite(t, "room", p)
	seconds := -r.HeatJPerK(weather.SeaLevelPa) / p.WPerK * math.Log(1-15/(p.SupplyC-20))
	near(t, "seconds for 15 K", seconds, 367.6, 0.2)
	near(t, "phi", p.Phi, 0, 0)
	if p.Held || p.DutyW != 0 || p.FanW != 0 {
		t.Errorf("a room without units: %+v", p)
	}
}

// At altitude the same volume of air carries less: it returns warmer, and fans move it for less power.
func TestRoomAtAltitude(t *testing.T) {
	r := hall()
	low := r.Solve(9, 1000e3, 66, 18, weather.SeaLevelPa)
	high := r.Solve(9, 1000e3, 66, 18, weather.StandardPressurePa(3000))
	if high.FanW >= low.FanW || high.ReturnC-high.SupplyC < 1.3*(low.ReturnC-low.SupplyC) {
		t.Errorf("sea level %+v, 3,000 m %+v", low, high)
	}
}

// A direct room takes the plant's air as it comes.
func TestDirectRoom(t *testing.T) {
	r := hall()
	r.Direct, r.WallWPerK = true, 0
	p := r.Solve(10, 800e3, 60, 20, weather.SeaLevelPa)
	near(t, "held supply", p.SupplyC, 24, 0)
	near(t, "duty", p.DutyW, 800e3+p.FanW, 1e-6)
	near(t, "warm supply", r.Solve(10, 800e3, 60, 31, weather.SeaLevelPa).SupplyC, 31, 0)
}

// The valve against the exchanger evaluated at a flow: the flow comes back.
func TestValveShare(t *testing.T) {
	for _, rated := range []struct{ air, water, ntu float64 }{{1, 2, 1.1}, {1, 1, 2}, {1, 0.7, 2.5}, {1, 4, 0.7}, {1, 1, 5}} {
		v := valve{ua: rated.ntu * min(rated.air, rated.water), otherFilm: 0.5, otherW: rated.air, waterW: rated.water}
		duty := func(flow float64) float64 {
			film := math.Pow(flow, -waterFilmExponent)
			return exchangeWPerK(v.ua/(0.5+0.5*film), rated.air, rated.water*flow)
		}
		v.fullWPerK = duty(1)
		for flow := 0.05; flow < 1; flow += 0.05 {
			near(t, "flow share", v.share(duty(flow)), flow, 0.012)
		}
		near(t, "shut", v.share(0), 0, 0)
		near(t, "open", v.share(v.fullWPerK), 1, 0)
	}
}

func TestEffectivenessInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.Float64Range(0, 1).Draw(t, "ratio")
		ntu := rapid.Float64Range(0.01, 6).Draw(t, "ntu")
		if rapid.Bool().Draw(t, "balanced") {
			ratio = 1 - math.Pow(10, rapid.Float64Range(-16, -6).Draw(t, "exponent"))
		}
		e := effectiveness(ntu, ratio)
		if !(e > 0 && e < 1) {
			t.Fatalf("effectiveness %v", e)
		}
		if back := unitsFromEffectiveness(e, ratio); math.Abs(back-ntu) > 1e-5*ntu {
			t.Fatalf("ntu %v came back as %v", ntu, back)
		}
	})
	near(t, "balanced, 3 units", effectiveness(3, 1), 0.75, 1e-12)
	near(t, "condenser, 1 unit", effectiveness(1, 0), 1-math.Exp(-1), 1e-12)
}

type roomCase struct {
	units                          int
	heatW, demandM3s, waterC, airP float64
}

func drawRoom(t *rapid.T) roomCase {
	c := roomCase{
		units:     rapid.IntRange(0, 12).Draw(t, "units"),
		heatW:     math.Pow(10, rapid.Float64Range(-3, 9).Draw(t, "log heat")),
		demandM3s: rapid.Float64Range(0, 200).Draw(t, "demand"),
		waterC:    rapid.Float64Range(4, 60).Draw(t, "water"),
		airP:      rapid.Float64Range(60e3, 103e3).Draw(t, "pressure"),
	}
	if rapid.Bool().Draw(t, "usual") {
		c.heatW = rapid.Float64Range(0, 1.5e6).Draw(t, "heat")
	}
	return c
}

func (c roomCase) solve(r *Room) RoomPoint {
	return r.Solve(c.units, c.heatW, c.demandM3s, c.waterC, c.airP)
}

func TestRoomProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := hall()
		r.WallWPerK = rapid.SampledFrom([]float64{0, 500, 5000}).Draw(t, "walls")
		c := drawRoom(t)
		p := c.solve(r)
		finite(t, "room", p)
		if p.FanW < 0 || p.DutyW < 0 || p.WaterLPM < 0 || p.WPerK <= 0 || p.Phi < 0 || p.Phi > 1 {
			t.Fatalf("negative: %+v", p)
		}
		if c.units > 0 {
			if p.SupplyC < r.SupplyC-1e-9 {
				t.Fatalf("settled below its set-point: %+v", p)
			}
			air := AirHeatJPerM3K * c.airP / weather.SeaLevelPa * p.FlowM3s
			if math.Abs(air*(p.ReturnC-p.SupplyC)-p.DutyW) > 1e-6*(1+p.DutyW) {
				t.Fatalf("air takes %v, duty %v", air*(p.ReturnC-p.SupplyC), p.DutyW)
			}
			// Heat in is heat out: duty and what the walls carry.
			walls := r.WallWPerK * ((p.SupplyC+p.ReturnC)/2 - r.AmbientC)
			if p.DutyW > 0 && math.Abs(c.heatW+p.FanW-walls-p.DutyW) > 1e-6*(1+c.heatW) {
				t.Fatalf("in %v, out %v + walls %v", c.heatW+p.FanW, p.DutyW, walls)
			}
			if p.DutyW > 0 && WaterReturnC(c.waterC, p.DutyW, p.WaterLPM) > p.ReturnC+1e-6 {
				t.Fatalf("water leaves warmer than the air comes: %+v", p)
			}
		}
		// One more unit, or water a kelvin colder, is never warmer. Fans of one more unit do add
		// heat, so that holds where it is small beside the rest.
		if c.units > 0 {
			more, colder := c, c
			more.units++
			colder.waterC--
			if q := more.solve(r); p.DutyW > 10*q.FanW && q.SupplyC > p.SupplyC+1e-9 {
				t.Fatalf("%d units: %+v; one more: %+v", c.units, p, q)
			}
			if q := colder.solve(r); q.SupplyC > p.SupplyC+1e-9 {
				t.Fatalf("colder water: %+v; before: %+v", q, p)
			}
		}
		// Continuity in every input.
		for i := range 4 {
			d := c
			switch i {
			case 0:
				d.heatW *= 1 + 1e-9
			case 1:
				d.demandM3s += 1e-7
			case 2:
				d.waterC += 1e-8
			case 3:
				d.airP += 1e-5
			}
			q := d.solve(r)
			if c.demandM3s == 0 && i == 1 && c.units == 0 {
				continue // no demand counts as met
			}
			if math.Abs(q.SupplyC-p.SupplyC) > 1e-5*(1+math.Abs(p.SupplyC)) || math.Abs(q.FanW-p.FanW) > 1 ||
				math.Abs(q.WaterLPM-p.WaterLPM) > 1 || math.Abs(q.Phi-p.Phi) > 1e-4 {
				t.Fatalf("input %d: %+v then %+v", i, p, q)
			}
		}
	})
}

func TestRoomValidate(t *testing.T) {
	if err := hall().Validate(); err != nil {
		t.Fatal(err)
	}
	r := hall()
	r.AirflowM3s, r.WaterRiseK, r.FanMin = 0, math.NaN(), 2
	err := r.Validate()
	for _, want := range []string{"airflow", "water rise", "fan share"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %q", err, want)
		}
	}
	r = hall()
	r.AirflowM3s = 5 // 120 kW at 5 m³/s is a rise of 20 K between 36 and 18 °C
	if err := r.Validate(); err == nil || !strings.Contains(err.Error(), "effectiveness") {
		t.Errorf("impossible rating: %v", err)
	}
}
