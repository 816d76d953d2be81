package scenarios

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"headroom/sim"
	"headroom/sim/ledger"
)

// priced is a small hall for a week, from a Wednesday.
const priced = `version: 1
name: priced
site: {climate: shanghai, price: 0.65 CNY/kWh, carbon: 0.55 kg/kWh}
power:
  utility: {capacity: 1 MW}
  ups: {modules: 2, rating: 200 kVA, scheme: N+1, curve: double-conversion}
cooling:
  air: {units: 3, capacity: 60 kW, airflow: 4.5 m3/s, scheme: N+1, supply: 24 C, containment: cold-aisle, plant: cw}
plants:
  cw: {type: water-cooled-chiller, count: 2, scheme: N+1, supply: 18 C, economizer: water-side}
racks:
  - {row: A, count: 3, height: 48U, power: 40 kW, air: 40 kW}
servers:
  - {model: dgx-h100, count: 9}
workload:
  - {name: serve, kind: inference, gpus: 72, load: diurnal}
run: {start: 2026-07-01, length: 7 d}
`

// hourlyKWh is the facility's energy by hour of a run whose series has steps of an hour.
func hourlyKWh(t *testing.T, r *sim.Result) []float64 {
	t.Helper()
	for _, c := range r.Series.Columns {
		if c.Name == "facility_w" {
			out := make([]float64, len(c.Values))
			for i, w := range c.Values {
				out[i] = w / 1000
			}
			return out
		}
	}
	t.Fatal("no facility_w")
	return nil
}

// The engine's cost is the bill over its own hours, for a figure, a table and a file of hours; and so is carbon.
func TestCostOfARun(t *testing.T) {
	start := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	var hours, grid strings.Builder
	hours.WriteString("t,price\n")
	grid.WriteString("t,a,b\n")
	for i := range 200 {
		at := start.Add(time.Duration(i-8) * time.Hour).Format(time.RFC3339) // 8 h: Shanghai is at UTC+8
		fmt.Fprintf(&hours, "%s,%g\n", at, 100+50*math.Sin(float64(i)))
		fmt.Fprintf(&grid, "%s,9,%g\n", at, 400+10*float64(i%24))
	}
	files := fstest.MapFS{"p.csv": {Data: []byte(hours.String())}, "g.csv": {Data: []byte(grid.String())}}
	table := &ledger.Tariff{Flat: 0.65, Bands: []ledger.Band{
		{From: 23, To: 7, PerKWh: 0.35},
		{From: 10, To: 12, PerKWh: 1.1, Days: ledger.Weekdays},
		{From: 17, To: 21, PerKWh: 1.1},
	}}
	hourly := &ledger.Tariff{Hours: &ledger.Hourly{Start: start, PerKWh: nil}}
	carbon := &ledger.Tariff{Hours: &ledger.Hourly{Start: start}}
	for i := range 200 {
		hourly.Hours.PerKWh = append(hourly.Hours.PerKWh, (100+50*math.Sin(float64(i)))/1000)
		carbon.Hours.PerKWh = append(carbon.Hours.PerKWh, (400+10*float64(i%24))/1000)
	}
	flat, flatCarbon := ledger.Flat(0.65), ledger.Flat(0.55)
	for _, c := range []struct {
		name, money   string
		price, carbon *ledger.Tariff
	}{
		{"figure", "", &flat, &flatCarbon},
		{"table", "money:\n  bands:\n    - {from: 23, to: 7, price: 0.35 CNY/kWh}\n    - {from: 10, to: 12, days: weekdays, price: 1.1 CNY/kWh}\n    - {from: 17, to: 21, price: 1.1 CNY/kWh}\n", table, &flatCarbon},
		{"hours", "money:\n  prices: {file: p.csv, unit: CNY/MWh}\n  grid: {file: g.csv, column: b, unit: g/kWh}\n", hourly, carbon},
	} {
		r := run(t, priced+c.money, Options{FS: files})
		kWh := hourlyKWh(t, r)
		want := ledger.Bill(c.price, start, kWh)
		if got := float64(r.Money.Energy); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: energy costs %.6f, its hours %.6f", c.name, got, want)
		}
		wantKg := ledger.Bill(c.carbon, start, kWh)
		if got := float64(r.Energy.CarbonKg); math.Abs(got-wantKg) > 1e-9*wantKg {
			t.Errorf("%s: carbon %.6f kg, its hours %.6f", c.name, got, wantKg)
		}
		if len(r.Energy.Cost) != 1 || r.Energy.Cost[0].Currency != "CNY" || math.Abs(float64(r.Energy.Cost[0].Amount)-want) > 1e-9*want {
			t.Errorf("%s: cost %+v", c.name, r.Energy.Cost)
		}
		// Water by its parts, hours by kind, PUE by name.
		e := &r.Energy
		if d := float64(e.EvaporationL + e.BlowdownL + e.DriftL - e.WaterL); math.Abs(d) > 1e-9*float64(e.WaterL) {
			t.Errorf("%s: water %.3f L more than its parts", c.name, -d)
		}
		if h := float64(e.FreeCoolingH + e.PartialCoolingH + e.MechanicalCoolingH); math.Abs(h-168) > 1e-9 {
			t.Errorf("%s: %.3f hours of cooling", c.name, h)
		}
		if e.PUEName != "iPUE3" || math.Abs(float64(e.TUE-e.ITUE*e.PUE)) > 1e-12 {
			t.Errorf("%s: %s, TUE %v, ITUE %v, PUE %v", c.name, e.PUEName, e.TUE, e.ITUE, e.PUE)
		}
	}
}

// A whole account by hand: demand, water, capital, unit costs, the cloud, in two currencies with a rate.
func TestAccount(t *testing.T) {
	text := priced + `money:
  rates: {USD: 7.1}
  demand: 40 CNY/kW
  water: 5 CNY/m3
  carbon: 80 CNY/t
  interest: 8%
  capex:
    - {what: servers, amount: 280000 USD, per: server, life: 5 y}
    - {what: chillers, amount: 3000 CNY, per: plant-kw, life: 20 y, maintenance: 3%}
    - {what: UPS, amount: 2000 CNY, per: ups-kw, life: 12 y, maintenance: 2%}
    - {what: building, amount: 2M CNY, life: 30 y}
  cloud: {price: 2.5 USD/GPU-h, interruptions: 4/day, lost: 30 min}
`
	r := run(t, text, Options{})
	m := r.Money
	kWh := hourlyKWh(t, r)
	peak := 0.0
	for _, x := range kWh {
		peak = math.Max(peak, x)
	}
	check := func(what string, got sim.Num, want float64) {
		t.Helper()
		if !(math.Abs(float64(got)-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	const year = 8760.0 / 168
	check("demand", m.Demand, peak*40*7/31)
	check("water", m.Water, float64(r.Energy.WaterL)/1000*5)
	check("carbon", m.Carbon, float64(r.Energy.CarbonKg)*0.08)
	servers := 9 * 280000 * 7.1
	check("servers", m.Components[0].Amount, servers)
	check("servers a year", m.Components[0].YearCost, servers*ledger.CRF(0.08, 5))
	capital, upkeep := 0.0, 0.0
	for i, c := range []struct{ life, maintenance float64 }{{5, 0}, {20, 0.03}, {12, 0.02}, {30, 0}} {
		capital += float64(m.Components[i].Amount) * ledger.CRF(0.08, c.life)
		upkeep += float64(m.Components[i].Amount) * c.maintenance
	}
	check("capital", m.YearCapital, capital)
	check("maintenance", m.YearUpkeep, upkeep)
	operating := float64(m.Energy+m.Demand+m.Water+m.Carbon) * year
	check("operating", m.YearOperating, operating)
	check("TCO", m.YearTotal, capital+upkeep+operating)
	check("a GPU-hour", m.PerGPUHour, (capital+upkeep+operating)/(float64(r.Compute.GPUHoursEffective)*year))
	if len(m.Cloud) != 3 {
		t.Fatalf("cloud %+v", m.Cloud)
	}
	useful := float64(r.Compute.GPUHoursEffective) * year
	check("on demand", m.Cloud[0].Year, useful*2.5*7.1)
	check("reserved", m.Cloud[1].Year, 72*8760*2.5*7.1*0.6)
	check("spot", m.Cloud[2].Year, useful/(1-1./12)*2.5*7.1*0.3)
	// No price, no account; a figure that is not stated is unknown.
	r = run(t, strings.Replace(priced, "price: 0.65 CNY/kWh, ", "", 1), Options{})
	if r.Money != nil || len(r.Energy.Cost) != 0 {
		t.Errorf("an account without prices: %+v", r.Money)
	}
	r = run(t, priced, Options{})
	if r.Money.Demand.Known() || r.Money.Water.Known() || r.Money.YearTotal.Known() || r.Money.PerGPUHour.Known() || !r.Money.Energy.Known() {
		t.Errorf("unstated figures: %+v", r.Money)
	}
}

func TestMoneyRefused(t *testing.T) {
	files := fstest.MapFS{"p.csv": {Data: []byte("t,price\n2026-07-01T00:00:00Z,1\n")}}
	for money, want := range map[string]string{
		"capex: [{what: servers, amount: 280000 USD, per: server, life: 5 y}]": "money.capex[0].amount: an amount in USD beside CNY, and no rate between them",
		"demand: 40 CNY":     "want an amount per kW",
		"water: 5 EUR/m3":    "an amount in EUR beside CNY",
		"water: five":        "want an amount with its currency",
		"currency: yuan":     "three capital letters",
		"rates: {USD: 0}":    "want a rate above 0",
		"rates: {dollar: 7}": "three capital letters",
		"bands: [{from: 3, to: 3, price: 1 CNY/kWh}]":     "ends at another hour",
		"bands: [{from: 3, to: 5, price: 1 USD/kWh}]":     "one tariff has one currency",
		"prices: {file: p.csv, unit: CNY/MWh}":            "does not cover the run",
		"prices: {file: p.csv, unit: CNY/day}":            "per kWh or MWh",
		"prices: {file: q.csv, unit: CNY/MWh}":            "there is no such file",
		"grid: {file: p.csv, column: x, unit: g/kWh}":     "no column \"x\"",
		"capex: [{what: a, amount: 1 CNY, life: 5}]":      "want a life",
		"capex: [{what: a, amount: 1 CNY/kW, life: 5 y}]": "want an amount alone",
		"cloud: {price: 2 CNY}":                           "want a price per GPU-h",
	} {
		_, err := Load("m.yaml", []byte(priced+"money:\n  "+money+"\n"), Options{FS: files})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %q", money, err, want)
		}
	}
}
