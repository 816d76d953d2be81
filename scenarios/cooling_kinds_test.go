package scenarios

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"headroom/sim"
)

// kinds is a small hall whose cooling each test replaces.
const kinds = `version: 1
name: kinds
site: {climate: CLIMATE, price: 0.65 CNY/kWh}
power:
  utility: {capacity: 1 MW}
  ups: {modules: 2, rating: 200 kVA, scheme: N+1, curve: double-conversion}
COOLING
racks:
  - {row: A, count: 3, height: 48U, power: 40 kW, air: 40 kW, liquid: 40 kW}
servers:
  - {model: MODEL, count: 6}
workload:
  - {name: serve, kind: inference, gpus: 48, load: constant}
run: {start: 2026-07-01, length: 3 d}
`

func kind(model, climate, cooling string) string {
	return strings.NewReplacer("MODEL", model, "CLIMATE", climate, "COOLING", cooling).Replace(kinds)
}

const airOn = `cooling:
  air: {units: 3, capacity: 60 kW, airflow: 4.5 m3/s, scheme: N+1, supply: 24 C, containment: cold-aisle, plant: p}
plants:
  p: `

// coolings are one hall of every kind that a scenario can ask for.
var coolings = []struct{ name, model, text string }{
	{"air-side", "dgx-h100", airOn + "{type: air-side, count: 3, scheme: N+1}\n"},
	{"air-side adiabatic trim", "dgx-h100", airOn + "{type: air-side, count: 3, scheme: N+1, adiabatic: true, trim: air-cooled-chiller, supply_min: 16 C, dry_lockout: true}\n"},
	{"air-side dx trim", "dgx-h100", airOn + "{type: air-side, count: 3, trim: dx}\n"},
	{"standby and reset", "dgx-h100", strings.Replace(airOn, "scheme: N+1,", "scheme: N+1, standby: true,", 1) + "{type: water-cooled-chiller, count: 2, scheme: N+1, supply: 14 C, reset: 18 C, standby: true, cop: 5.5, economizer: water-side}\n"},
	{"rear doors", "dgx-h100", "cooling:\n  air: {kind: rear-door, capacity: 40 kW, supply: 26 C, plant: p, rated: {return: 40 C, water: 18 C}}\nplants:\n  p: {type: air-cooled-chiller, count: 2, scheme: N+1, economizer: free-cooling}\n"},
	{"in-row", "dgx-h100", "cooling:\n  air: {kind: in-row, units: 3, capacity: 50 kW, scheme: N+1, supply: 24 C, containment: hot-aisle, plant: p}\nplants:\n  p: {type: dx, count: 3, scheme: N+1}\n"},
	{"sidecar", "hgx-h100-liquid", "cooling:\n  air: {units: 3, capacity: 80 kW, airflow: 6 m3/s, scheme: N+1, supply: 24 C, containment: hot-aisle, plant: p}\n  liquid: {cdus: 2, capacity: 60 kW, flow: 90 L/min, approach: 12 K, supply: 40 C, into: air}\nplants:\n  p: {type: water-cooled-chiller, count: 2, scheme: N+1}\n"},
	{"W32 tower", "hgx-h100-liquid", warm("{type: cooling-tower, count: 2, scheme: N+1, class: W32}", "supply: 36 C")},
	{"W32 trim chiller", "hgx-h100-liquid", warm("{type: water-cooled-chiller, count: 2, scheme: N+1, class: W32, economizer: water-side}", "supply: 36 C")},
	{"W40 dry", "hgx-h100-liquid", warm("{type: dry-cooler, count: 3, scheme: N+1, class: W40}", "class: S45")},
	{"W40 adiabatic", "hgx-h100-liquid", warm("{type: adiabatic-cooler, count: 3, scheme: N+1, class: W40}", "class: S45")},
	{"W45 dry", "hgx-b200-liquid", warm("{type: dry-cooler, count: 3, scheme: N+1, class: W45, standby: true}", "supply: 48 C")},
	{"immersion", "tank", warm("{type: dry-cooler, count: 3, scheme: N+1, class: W40}", "supply: 45 C, coolant: immersion-oil, flow: 500 L/min, pump: 1500 W") + "catalog:\n  servers:\n    tank: {like: hgx-h100-liquid, fan: 1 W, liquid-share: 98%, flow: 20 L/min, coolant-max: 55 C}\n"},
}

func warm(plant, loop string) string {
	return `cooling:
  air: {units: 3, capacity: 40 kW, airflow: 3 m3/s, scheme: N+1, supply: 24 C, containment: hot-aisle, plant: c}
  liquid: {cdus: 2, capacity: 120 kW, scheme: N+1, plant: w, ` + loop + `}
plants:
  c: {type: air-cooled-chiller, count: 2, scheme: N+1}
  w: ` + plant + "\n"
}

func TestEveryKindOfCooling(t *testing.T) {
	for _, c := range coolings {
		text := kind(c.model, "shanghai", c.text)
		s, err := Load("k.yaml", []byte(text), Options{})
		if err != nil {
			t.Errorf("%s:\n%v", c.name, err)
			continue
		}
		resolved, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Load("r.yaml", resolved, Options{})
		if err != nil {
			t.Errorf("%s: what Resolved printed does not load:\n%v\n%s", c.name, err, resolved)
			continue
		}
		if a, b := s.ID(), again.ID(); a != b {
			t.Errorf("%s: id %s, and %s of the resolved form", c.name, a, b)
		}
		r := run(t, text, Options{})
		want := 6
		if c.name == "air-side" {
			want = 4 // the design day leaves outdoor air less to carry with
		}
		if r.Capacity.ServersPlaced != want {
			t.Errorf("%s: %d servers placed: %+v", c.name, r.Capacity.ServersPlaced, r.Capacity.Binding)
		}
		e := &r.Energy
		t.Logf("%-24s PUE %.3f TUE %.3f WUE %.2f free %3.0f partial %3.0f mechanical %3.0f h, supply %.1f, inlet %.1f, coolant %.1f °C, margin %.1f K",
			c.name, e.PUE, e.TUE, e.WUE, e.FreeCoolingH, e.PartialCoolingH, e.MechanicalCoolingH, r.Thermal.SupplyC.Mean, r.Thermal.InletC.Mean, r.Thermal.CoolantC.Mean, r.Thermal.DewPointMarginK)
		if p := float64(e.PUE); !(p > 1 && p < 1.7) {
			t.Errorf("%s: PUE %v", c.name, p)
		}
		var it, all float64
		for _, z := range e.Zones {
			it += float64(z.ITKWh)
			all += float64(z.ITKWh + z.CoolingKWh + z.OtherKWh)
			t.Logf("%24s %-14s pPUE %.3f, of its cooling %.3f", "", z.Zone, z.PPUE, z.CoolingPUE)
			if !(z.CoolingPUE >= 1 && z.PPUE >= z.CoolingPUE && z.PPUE < 4) {
				t.Errorf("%s: zone %+v", c.name, z)
			}
		}
		if math.Abs(it-float64(e.ITKWh)) > 1e-6*it || math.Abs(all-float64(e.FacilityKWh)) > 1e-6*all {
			t.Errorf("%s: zones hold %.3f kWh of IT and %.3f in all, the building %.3f and %.3f", c.name, it, all, e.ITKWh, e.FacilityKWh)
		}
		if liquid := strings.Contains(c.text, "liquid:"); liquid != r.Thermal.DewPointMarginK.Known() && c.name != "rear doors" {
			t.Errorf("%s: margin to the dew point %v", c.name, r.Thermal.DewPointMarginK)
		}
	}
}

// Resetting the water saves compressor work; what stands by costs fans.
func TestResetAndStandbyInARun(t *testing.T) {
	plant := func(reset, standby string) float64 {
		text := strings.Replace(airOn, "scheme: N+1,", "scheme: N+1, fan_min: 10%,"+standby, 1) + "{type: air-cooled-chiller, count: 2, scheme: N+1, supply: 10 C" + reset + "}\n"
		return float64(run(t, kind("dgx-h100", "shanghai", text), Options{}).Energy.PUE)
	}
	plain, reset, standby := plant("", ""), plant(", reset: 18 C", ""), plant("", " standby: true,")
	t.Logf("PUE %.4f, with reset %.4f, with a unit standing by %.4f", plain, reset, standby)
	if !(reset < plain-0.003) {
		t.Errorf("reset: PUE %.4f, without %.4f", reset, plain)
	}
	if !(standby > plain) {
		t.Errorf("standby: PUE %.4f, shared %.4f", standby, plain)
	}
}

// A chiller far too large for its hall starts and stops; short least times cost energy, long ones let its water swing, and
// the run says so.
func TestLeastTimesInARun(t *testing.T) {
	plant := func(times string) *sim.Result {
		return run(t, kind("dgx-h100", "shanghai", airOn+"{type: air-cooled-chiller, count: 1, capacity: 600 kW, supply: 18 C"+times+"}\n"), Options{})
	}
	none, usual, long := plant(", min_on: 0 s, start_loss: 0 s"), plant(""), plant(", min_on: 2 h")
	starts := func(r *sim.Result) int64 { return r.Run.Approximations["compressor_starts"] }
	told := func(r *sim.Result) bool {
		return strings.Contains(strings.Join(r.Run.Warnings, "\n"), "starts and stops")
	}
	t.Logf("chillers %.1f kWh without losses, %.1f with %d starts, %.1f with %d starts of 2 h", none.Energy.ChillersKWh, usual.Energy.ChillersKWh, starts(usual), long.Energy.ChillersKWh, starts(long))
	if !(usual.Energy.ChillersKWh > none.Energy.ChillersKWh) || !(long.Energy.ChillersKWh < usual.Energy.ChillersKWh) || starts(usual) == 0 || starts(long) >= starts(usual) {
		t.Error("least times and losses have no effect")
	}
	if told(usual) || !told(long) {
		t.Errorf("warnings %q, with 2 h %q", usual.Run.Warnings, long.Run.Warnings)
	}
	fits := run(t, kind("dgx-h100", "shanghai", airOn+"{type: air-cooled-chiller, count: 1, supply: 18 C}\n"), Options{})
	if starts(fits) != 0 {
		t.Errorf("a chiller of the right size starts %d times", starts(fits))
	}
	_, err := Load("k.yaml", []byte(kind("hgx-h100-liquid", "shanghai", warm("{type: dry-cooler, count: 3, class: W40, min_on: 20 min}", "class: S45"))), Options{})
	if err == nil || !strings.Contains(err.Error(), "plants.w.min_on: min_on is for plants with compressors, and this is dry-cooler") {
		t.Errorf("a dry cooler with a least time on: %v", err)
	}
}

// Ulanqab in January: fresh air of −15 °C is humidified, by steam at 0.76 kWh a kilogram or by mist that also cools; in
// July in Singapore it is dried. Without the section the energy is unknown, and with it the building's parts still add up.
func TestHumidityInARun(t *testing.T) {
	hall := func(climate, start, humidity string) *sim.Result {
		text := kind("dgx-h100", climate, strings.Replace(airOn, "supply: 24 C,", "supply: 24 C,"+humidity, 1)+"{type: air-cooled-chiller, count: 2, scheme: N+1, supply: 16 C}\n")
		return run(t, strings.Replace(text, "start: 2026-07-01", "start: "+start, 1), Options{})
	}
	none := hall("ulanqab", "2026-01-10", "")
	if none.Energy.HumidificationKWh.Known() || none.Energy.WaterL != 0 {
		t.Errorf("not modelled, and %v kWh, %v L", none.Energy.HumidificationKWh, none.Energy.WaterL)
	}
	const fresh = " humidity: {kind: KIND, fresh: 0.2 m3/s},"
	steam := hall("ulanqab", "2026-01-10", strings.Replace(fresh, "KIND", "steam", 1))
	mist := hall("ulanqab", "2026-01-10", strings.Replace(fresh, "KIND", "adiabatic", 1))
	wet := hall("singapore", "2026-07-01", strings.Replace(fresh, "KIND", "steam", 1))
	for _, c := range []struct {
		name string
		r    *sim.Result
	}{{"steam", steam}, {"mist", mist}, {"drying", wet}} {
		e := &c.r.Energy
		t.Logf("%s: %.1f kWh, %.1f L, PUE %.4f, chillers %.1f kWh", c.name, e.HumidificationKWh, e.WaterL, e.PUE, e.ChillersKWh)
		parts := e.ITKWh + e.UPSLossKWh + e.TransformerLossKWh + e.DistributionLossKWh + e.RoomFansKWh + e.PumpsKWh + e.ChillersKWh + e.HeatRejectionKWh + e.HumidificationKWh + e.OtherKWh
		if math.Abs(float64(parts-e.FacilityKWh)) > 1e-6*float64(e.FacilityKWh) || !(e.HumidificationKWh > 0) {
			t.Errorf("%s: parts of %.3f kWh, the building %.3f", c.name, parts, e.FacilityKWh)
		}
	}
	perL := float64(steam.Energy.HumidificationKWh / steam.Energy.WaterL)
	if math.Abs(perL-0.764) > 0.002 || steam.Energy.WaterL != steam.Energy.EvaporationL || math.Abs(float64(mist.Energy.WaterL-steam.Energy.WaterL)) > 1e-6 {
		t.Errorf("steam takes %.4f kWh a litre; %v and %v L", perL, steam.Energy.WaterL, mist.Energy.WaterL)
	}
	if !(mist.Energy.ChillersKWh < steam.Energy.ChillersKWh) || !(mist.Energy.PUE < steam.Energy.PUE) || wet.Energy.WaterL != 0 {
		t.Errorf("chillers take %v kWh beside mist, %v beside steam; drying evaporates %v L", mist.Energy.ChillersKWh, steam.Energy.ChillersKWh, wet.Energy.WaterL)
	}
	for text, want := range map[string]string{
		" humidity: {dew_min: 16 C},": "want a dew point below cooling.air.dew_point, 15 C (got 16 C)",
		" humidity: {kind: wick},":    "steam",
	} {
		bad := kind("dgx-h100", "shanghai", strings.Replace(airOn, "supply: 24 C,", "supply: 24 C,"+text, 1)+"{type: air-cooled-chiller, count: 2}\n")
		if _, err := Load("h.yaml", []byte(bad), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	side := kind("dgx-h100", "shanghai", strings.Replace(airOn, "supply: 24 C,", "supply: 24 C, humidity: {kind: steam},", 1)+"{type: air-side, count: 3}\n")
	if _, err := Load("h.yaml", []byte(side), Options{}); err == nil || !strings.Contains(err.Error(), "humidify the outdoor air") {
		t.Errorf("on outdoor air: %v", err)
	}
}

func TestCondensation(t *testing.T) {
	cold := warm("{type: water-cooled-chiller, count: 2, scheme: N+1}", "supply: 16 C")
	_, err := Load("c.yaml", []byte(kind("hgx-h100-liquid", "shanghai", cold)), Options{})
	if err == nil || !strings.Contains(err.Error(), "coolant hoses get wet: want at least 17 C, 2 K above the room's dew point of 15 C") {
		t.Errorf("cold coolant: %v", err)
	}
	r := run(t, kind("hgx-h100-liquid", "shanghai", strings.Replace(cold, "supply: 16 C", "supply: 16 C, dry_reset: true", 1)), Options{})
	if m := float64(r.Thermal.DewPointMarginK); math.Abs(m-2) > 0.05 || r.Run.Approximations["dew_point_resets"] == 0 {
		t.Errorf("with a reset the margin is %v, %d resets", m, r.Run.Approximations["dew_point_resets"])
	}
	drier := strings.Replace(cold, "containment: hot-aisle", "containment: hot-aisle, dew_point: 12 C", 1)
	r = run(t, kind("hgx-h100-liquid", "shanghai", drier), Options{})
	if m := float64(r.Thermal.DewPointMarginK); math.Abs(m-4) > 0.05 {
		t.Errorf("in a drier room the margin is %v", m)
	}
	// A room on outdoor air follows the weather.
	outdoor := strings.Replace(warm("{type: cooling-tower, count: 2, scheme: N+1}", "supply: 24 C, dry_reset: true"), "c: {type: air-cooled-chiller, count: 2, scheme: N+1}", "c: {type: air-side, count: 3, scheme: N+1}", 1)
	r = run(t, kind("hgx-h100-liquid", "singapore", outdoor), Options{})
	if m := float64(r.Thermal.DewPointMarginK); m < 1.95 || r.Run.Approximations["dew_point_resets"] == 0 {
		t.Errorf("on the air of Singapore the margin is %v, %d resets", m, r.Run.Approximations["dew_point_resets"])
	}
	for text, want := range map[string]string{
		strings.Replace(coolings[4].text, "water: 18 C", "water: 14 C", 1):                   "water drips from rear doors",
		strings.Replace(coolings[4].text, "capacity: 40 kW", "capacity: 40 kW, units: 2", 1): "every rack needs a rear door",
		strings.Replace(coolings[6].text, "into: air", "into: air, plant: p", 1):             "liquid-to-air CDUs give their heat to the room",
		strings.Replace(coolings[9].text, "class: S45", "class: S40, supply: 42 C", 1):       "coolant of class S40 is at most 40",
		strings.Replace(coolings[9].text, "class: W40", "class: W40, supply: 42 C", 1):       "water of class W40 is at most 40",
		strings.Replace(coolings[9].text, "class: W40", "trim: dx", 1):                       "trim is for air-side",
		strings.Replace(coolings[9].text, "class: W40", "supply: 35 C, reset: 30 C", 1):      "raised, not lowered",
		strings.Replace(coolings[0].text, "count: 3", "count: 3, dry_lockout: true", 1):      "without trim",
		strings.Replace(coolings[0].text, "count: 3", "count: 3, supply_min: 26 C", 1):       "at most the set-point",
		strings.Replace(coolings[7].text, "plant: w, ", "", 1):                               "a required key is missing",
	} {
		model := "hgx-h100-liquid"
		if !strings.Contains(text, "liquid:") {
			model = "dgx-h100"
		}
		_, err := Load("b.yaml", []byte(kind(model, "shanghai", text)), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v\n%s", want, err, text)
		}
	}
}

// TestHostileRuns drives every kind of cooling through weather and loads far from what it was built for: energy is
// finite, PUE 1 or more or undefined, and what leaves its range is named in the warnings.
func TestHostileRuns(t *testing.T) {
	for _, w := range []struct {
		name     string
		tC, rh   float64
		altitude string
	}{{"cold", -30, 0.5, "10 m"}, {"hot", 50, 0.1, "10 m"}, {"dry", 30, 0, "10 m"}, {"wet", 30, 1, "10 m"}, {"high", 20, 0.5, "3000 m"}} {
		var csv strings.Builder
		csv.WriteString("time_local,dry_bulb_c,rh_pct\n")
		for h := range 72 {
			fmt.Fprintf(&csv, "2026-07-%02dT%02d:00:00,%g,%g\n", 1+h/24, h%24, w.tC, 100*w.rh)
		}
		files := fstest.MapFS{"w.csv": {Data: []byte(csv.String())}}
		for _, c := range coolings {
			for _, load := range []struct{ name, work string }{
				{"idle", ""},
				{"one GPU", "workload:\n  - {name: one, kind: inference, gpus: 1, replica: 1, load: constant}\n"},
				{"full", "workload:\n  - {name: all, kind: training, gpus: 8, arrivals: 100/day, length: 4 d}\n"},
			} {
				text := kind(c.model, "shanghai", c.text)
				text = strings.Replace(text, "climate: shanghai", "weather: w.csv, altitude: "+w.altitude, 1)
				text = strings.Replace(text, "workload:\n  - {name: serve, kind: inference, gpus: 48, load: constant}\n", load.work, 1)
				what := w.name + ", " + c.name + ", " + load.name
				s, err := Load("h.yaml", []byte(text), Options{FS: files})
				if err != nil {
					// Refused is an answer, where the reason is the weather's.
					if !strings.Contains(err.Error(), "capacity") && !strings.Contains(err.Error(), "approach") {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				_ = s
				r := run(t, text, Options{FS: files})
				e := &r.Energy
				for name, v := range map[string]sim.Num{"facility": e.FacilityKWh, "IT": e.ITKWh, "chillers": e.ChillersKWh, "pumps": e.PumpsKWh, "rejection": e.HeatRejectionKWh, "fans": e.RoomFansKWh, "water": e.WaterL} {
					if !(float64(v) >= 0) || math.IsInf(float64(v), 0) {
						t.Errorf("%s: %s %v", what, name, v)
					}
				}
				if e.PUE.Known() && !(float64(e.PUE) >= 1) || !e.PUE.Known() && float64(e.ITKWh) != 0 {
					t.Errorf("%s: PUE %v at %v kWh of IT", what, e.PUE, e.ITKWh)
				}
				for _, x := range r.Run.Extrapolations {
					if !strings.HasPrefix(x.Curve, "plants.") {
						continue
					}
					if !strings.Contains(strings.Join(r.Run.Warnings, "\n"), x.Curve) {
						t.Errorf("%s: %s left its range %d times and no warning names it", what, x.Curve, x.Count)
					}
				}
			}
		}
	}
}

// Every rack's hours outside its ASHRAE class, by class, inlet and altitude: the narrower of class and server counts.
func TestRacksAgainstAirClasses(t *testing.T) {
	for _, c := range []struct {
		class, supply, site string
		rec, allow          float64
	}{
		{"A2", "24 C", "", 0, 0},
		{"H1", "24 C", "", 72, 0},                    // recommended to 22 °C, allowable to 25
		{"H1", "27 C", "", 72, 72},                   //
		{"A4", "35 C", "", 72, 72},                   // the class would bear it: the servers' own 30 °C is narrower
		{"A1", "27 C", ", altitude: 3000 m", 72, 72}, // 32 − 2100/300 = 25 °C
		{"A3", "16 C", "", 72, 0},                    // colder than recommended
	} {
		text := kind("dgx-h100", "shanghai", strings.Replace(airOn, "supply: 24 C", "supply: "+c.supply, 1)+"{type: dx, count: 3, scheme: N+1}\n")
		text = strings.Replace(text, "climate: shanghai", "climate: shanghai, class: "+c.class+c.site, 1)
		r := run(t, text, Options{})
		if len(r.Racks) != 3 || r.Air.Name != c.class {
			t.Fatalf("%d racks against %s", len(r.Racks), r.Air.Name)
		}
		for _, k := range r.Racks {
			if k.Rack == 2 { // empty
				if !math.IsNaN(k.HoursOverRecommended) || !math.IsNaN(k.HoursOverAllowable) {
					t.Errorf("an empty rack has %v h over recommended", k.HoursOverRecommended)
				}
				continue
			}
			if math.Abs(k.HoursOverRecommended-c.rec) > 1e-6 || math.Abs(k.HoursOverAllowable-c.allow) > 1e-6 {
				t.Errorf("%s, %s%s: rack %d, inlet %.1f °C: %.1f h over recommended, %.1f h over allowable, want %g and %g",
					c.class, c.supply, c.site, k.Rack, k.InletMeanC, k.HoursOverRecommended, k.HoursOverAllowable, c.rec, c.allow)
			}
		}
		if math.Abs(float64(r.Thermal.HoursOverRecommended)-c.rec) > 1e-6 || math.Abs(float64(r.Thermal.HoursOverAllowable)-c.allow) > 1e-6 {
			t.Errorf("%s, %s: %v and %v h of the hall", c.class, c.supply, r.Thermal.HoursOverRecommended, r.Thermal.HoursOverAllowable)
		}
	}
}
