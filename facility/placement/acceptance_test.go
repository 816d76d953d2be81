package placement

import (
	"math"
	"testing"

	"headroom/facility/catalog"
	"headroom/facility/cooling"
	"headroom/facility/power"
	"headroom/facility/units"
	"headroom/facility/weather"
	"headroom/validation"
)

// Rows of the table of worked examples that are arithmetic of this and lower packages; the others stand in the tests
// of what they are about.
func TestWorkedExamples(t *testing.T) {
	near := func(what string, got, want, tol float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol) {
			t.Errorf("%s = %.6g, want %.6g ± %.2g", what, got, want, tol)
		}
	}
	quantity := func(dim units.Dimension, text string) float64 {
		t.Helper()
		v, err := units.Parse(dim, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	// W050: a node policy is shares of one power; at 70 % each part and the sum are 70 %.
	parts := []float64{7650, 1530, 1020}
	sum, capped := 0.0, 0.0
	for i, p := range parts {
		sum += p
		capped += 0.7 * p
		near("W050 part", 0.7*p, []float64{5355, 1071, 714}[i], 1e-9)
	}
	m := dgxH100()
	m.SetPlan(units.CeilW(0.7 * sum))
	near("W050 Node-High", sum, 10200, 0)
	near("W050 Node-Med", float64(m.PlanW), 7140, 0)
	near("W050 sum of parts", capped, 7140, 1e-9)
	near("W053 provisioned of TDP", 960.0/1200, 0.8, 1e-12)

	// W072–W080: airflow by this package's ρ·cp; BTU-based constants differ by up to 2 %.
	for _, c := range []struct {
		row string
		w   float64
		cfm float64
	}{{"W072", 1e3, 157}, {"W073", 4e3, 629}, {"W075", 40.8e3, 6415}, {"W076", 48e3, 7548}, {"W078", 120e3, 18869}} {
		rise := 20.0 * 5 / 9
		near(c.row+" CFM", cooling.AirflowM3s(c.w, rise, weather.SeaLevelPa)*cooling.CFMPerM3s, c.cfm, 0.02*c.cfm)
	}
	flow := quantity(units.Airflow, "1105 cfm")
	near("W080 rise", cooling.AirRiseK(10200, flow, weather.SeaLevelPa), 16.1, 0.02*16.1+0.3)
	// W082: airflow grows by the pressure ratio: 0.80 at 6,000 ft.
	for _, c := range []struct{ ft, ratio float64 }{{2000, 0.93}, {4000, 0.86}, {6000, 0.80}, {8000, 0.74}, {10000, 0.69}} {
		p := weather.StandardPressurePa(c.ft * 0.3048)
		near("W082 pressure ratio", p/weather.SeaLevelPa, c.ratio, 0.006)
		near("W082 airflow", cooling.AirflowM3s(40800, 10, p)/cooling.AirflowM3s(40800, 10, weather.SeaLevelPa), weather.SeaLevelPa/p, 1e-9)
	}
	near("W082 at 6,000 ft", 6283/0.80, 7854, 1)
	for _, c := range []struct{ kw, tons float64 }{{10, 2.84}, {10.2, 2.90}, {250, 71.1}} {
		near("W084 tons", c.kw*1000/cooling.WattsPerTon, c.tons, 0.02)
	}
	// W085: L/min of water for 1 kW at 10 K and at 6 K.
	const waterJPerLK = 4184 * 0.997
	near("W085 at 10 K", 60e3/(waterJPerLK*10), 1.44, 0.005)
	near("W085 at 6 K", 60e3/(waterJPerLK*6), 2.39, 0.01)

	// W098, W100: ASHRAE classes by their catalogue entries.
	for _, c := range []struct {
		class      string
		rec, allow [2]float64
	}{
		{"A1", [2]float64{18, 27}, [2]float64{15, 32}},
		{"A2", [2]float64{18, 27}, [2]float64{10, 35}},
		{"A3", [2]float64{18, 27}, [2]float64{5, 40}},
		{"A4", [2]float64{18, 27}, [2]float64{5, 45}},
		{"H1", [2]float64{18, 22}, [2]float64{5, 25}},
	} {
		classes, err := catalog.ASHRAE()
		if err != nil {
			t.Fatal(err)
		}
		got, ok := classes.AirNamed(c.class)
		if !ok {
			t.Fatal(c.class)
		}
		if got.Recommended != c.rec || got.Allowable != c.allow {
			t.Errorf("W098 %s: %v, %v", c.class, got.Recommended, got.Allowable)
		}
		if c.class == "A2" && !(28 > got.Recommended[1] && 28 <= got.Allowable[1]) {
			t.Error("W100: 28 °C in A2 is outside what is recommended and inside what is allowable")
		}
	}
	// W107: bands of air and liquid.
	for _, c := range []struct {
		w    int64
		want string
	}{{7_900, "air"}, {8_000, "air with care"}, {14_900, "air with care"}, {15_000, "hardly air"}, {25_000, "hardly air"}, {25_001, "liquid"}, {40_800, "liquid"}} {
		if got := CoolingBand(c.w); got != c.want {
			t.Errorf("W107 %d W: %s, want %s", c.w, got, c.want)
		}
	}
	// W111: a power shelf of six rectifiers of 3 kW holds 15 kW at N+1, 18 kW without, and draws 15.54 kW for 15 at
	// 96.5 %; two of them stand for A and B.
	shelf := power.Node{
		ID: "shelf", Kind: power.RackFeed, Element: "power shelf", From: []string{"u"}, Units: 6, Redundant: 1, RatingVA: 3000, PF: 1, Derate: 1,
		Loss: power.LossThrough([3]float64{0.2, 15.0 / 18, 1}, [3]float64{0.96, 0.965, 0.965}),
	}
	g := graph(t, node("u", power.Utility, 1e6), shelf)
	const orv3 = "Open Compute Project, ORv3 power shelf of six rectifiers of 3 kW (2019)"
	validation.Within("failover/w111-n+1", "ORv3 shelf of six rectifiers of 3 kW, N+1: output", "kW", 15, 1e-9, orv3).Check(t, float64(g.CapacityW(1, shelf.Units-shelf.Redundant))/1e3)
	validation.Within("failover/w111-n", "ORv3 shelf of six rectifiers of 3 kW, all of them: output", "kW", 18, 1e-9, orv3).Check(t, float64(g.CapacityW(1, shelf.Units))/1e3)
	near("W111 N+1", float64(g.CapacityW(1, shelf.Units-shelf.Redundant)), 15000, 0)
	near("W111 N", float64(g.CapacityW(1, shelf.Units)), 18000, 0)
	f := g.NewFlow([]power.Consumer{{Fed: []int{1}, IT: true}})
	f.Set(0, 15000)
	near("W111 input", f.InW(1), 15540, 10)
	near("W111 full load", shelf.Loss.At(1), 1/0.965-1, 1e-9)
	// W112: what the frame may carry.
	hall := fillWith(dgxH100(), racks(1, 47, noLimit))
	hall.Racks[0].FrameKg, hall.Racks[0].LoadKg = 0, 1400
	if n := len(place(t, hall).Servers); n != 5 { // 47U hold five of 8U; 1,400 kg would hold ten
		t.Errorf("W112: %d", n)
	}
}

func TestGeneratorDerate(t *testing.T) {
	for _, c := range []struct{ m, tC, want float64 }{
		{0, 25, 1}, {1000, 40, 1}, {1300, 40, 0.96}, {1000, 45, 0.98}, {1600, 50, 1 - 0.08 - 0.04}, {90000, 40, 0},
	} {
		if got := power.TurboDiesel.Derate(c.m, c.tC); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %g m, %g °C: %g, want %g", c.m, c.tC, got, c.want)
		}
	}
}
