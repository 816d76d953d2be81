package placement

import (
	"math"
	"slices"
	"testing"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/facility/cooling"
	"headroom/facility/power"
	"headroom/facility/weather"
	"headroom/validation"
)

// The table of worked examples states in words what a planner expects. answers holds for each of its rows what this
// program says, figure by figure in the order of the row's text, in the text's units. A figure that the text only
// names (a factor, the number of a standard) stands as text.
type text float64

// rackOf fills racks of one model and returns the layout.
func rackOf(t testing.TB, m facility.Model, heightU int, powerW int64) *Layout {
	return place(t, fillWith(m, racks(1, heightU, powerW)))
}

func answers(t testing.TB) map[string][]any {
	kVA := func(volts, amps float64) float64 { return power.ThreePhaseVA(volts, amps) / 1e3 }
	circuit := func(volts, amps float64, more ...any) []any {
		return append([]any{kVA(volts, amps), kVA(volts, amps) * power.NECContinuous, power.NECContinuous * 100}, more...)
	}
	fits := func(m facility.Model, heightU int, powerW int64) []any {
		l := rackOf(t, m, heightU, powerW)
		r := &l.Racks[0]
		return []any{
			float64(r.Servers), float64(r.UsedW) / 1e3, float64(l.Stranded.PowerW) / 1e3, float64(r.FreeU),
			float64(r.Max[Power]), float64(r.Max[Space]),
		}
	}
	capped := dgxH100()
	capped.SetPlan(7140)
	output := func(m facility.Model, feeds, lost int) (n, kW float64) {
		live := supplies(&m, feeds, func(j int) bool { return j != lost })
		return float64(live), float64(live) * m.PSURatingW / 1e3
	}
	hall := func(volts, amps, derate float64, sides ...string) (l *Layout) {
		f := fillWith(dgxH100(), racks(1, 42, facility.NoLimit))
		f.Orders[0] = facility.Order{Count: 4}
		feedsFor(t, f, power.ThreePhaseVA(volts, amps), derate, sides...)
		return place(t, f)
	}
	const rackKW = 4 * 10.2
	sides := func(n int) float64 { return rackKW / float64(n) }
	pass := func(l *Layout) bool { return len(l.Servers) == 4 }
	holds := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Errorf("%s does not hold", what)
		}
	}
	cfm := func(w float64) float64 {
		return cooling.AirflowM3s(w, 20.0*5/9, weather.SeaLevelPa) * cooling.CFMPerM3s
	}
	airRow := func(kW, fixed float64) []any { return []any{cfm(kW * 1e3), text(1.08), text(fixed), text(2)} }
	ups := func(kW, moduleKW, factor, share float64) (need, modules, installed, after float64) {
		need = kW * factor
		n, all := power.UPSModules(need, moduleKW, share, 1)
		return need, float64(n), float64(all), kW / (float64(all-1) * moduleKW) * 100
	}
	a := map[string][]any{
		"W001": circuit(415, 60), "W002": circuit(400, 63, power.IECContinuous*100), "W003": circuit(400, 32, power.IECContinuous*100),
		"W004": circuit(380, 63, power.IECContinuous*100), "W005": circuit(380, 32, power.IECContinuous*100),
		"W007": circuit(208, 30), "W008": circuit(480, 60), "W009": circuit(415, 30),
		"W011": {
			power.ThreePhaseVAFromLN(230, 32) * power.NECContinuous / 1e3, text(230), kVA(230, 32) * power.NECContinuous, text(400),
			kVA(400, 32) * power.NECContinuous,
		},
		"W012": {power.SinglePhaseVA(120, 15) * power.NECContinuous, 100 * 400 / (power.SinglePhaseVA(120, 15) * power.NECContinuous)},
		"W015": {500 / power.SinglePhaseVA(120, 1), 500 / power.SinglePhaseVA(208, 1), text(20), 20 * power.NECContinuous, text(30), 30 * power.NECContinuous},
		"W018": {power.NeutralA(16, 12, 8)}, "W019": {power.NeutralA(10, 10, 10)},
		"W034": fits(dgxH100(), 42, 48000), "W035": fits(dgxB200(), 42, 48000), "W036": fits(capped, 42, 48000),
		"W038": fits(dgxH100(), 42, 78000), "W039": fits(dgxB200(), 42, 78000), "W042": fits(dgxH100(), 48, 78000),
		"W053": {100 * 960.0 / 1200, text(1000)},
		"W072": airRow(1, 158), "W073": airRow(4, 632), "W075": airRow(40.8, 6445), "W076": airRow(48, 7583), "W078": airRow(120, 18956),
		"W084": {10e3 / cooling.WattsPerTon, 10.2e3 / cooling.WattsPerTon, 250e3 / cooling.WattsPerTon, text(12000)},
		"W085": {cooling.CoolantLPM("water", 1000, 10), cooling.CoolantLPM("water", 1000, 6)},
		"W061": {},
		"W106": {
			catalog.PUELines[0].PUE, catalog.PUELines[1].PUE, text(2021), catalog.PUELines[2].PUE, 100 * catalog.MinRackUpRate, float64(catalog.PUELines[2].Year),
			text(2024), catalog.PUELines[3].PUE, float64(catalog.PUELines[3].Year),
		},
		"W107": {float64(AirEasyW) / 1e3, float64(AirEasyW) / 1e3, float64(AirMarginalW) / 1e3, float64(AirMarginalW) / 1e3, float64(AirHardW) / 1e3, float64(AirHardW) / 1e3},
		"W108": {float64(catalog.GPURoomUPSMinutes), float64(catalog.GPURackKg), float64(catalog.GPURackLiquidKg)},
		"W099": {
			float64(catalog.GBInletMinC), float64(catalog.GBInletMaxC), catalog.GBDewPointMinC, float64(catalog.GBDewPointMaxC), 100 * catalog.GBMaxRH,
			float64(catalog.GBOffMinC), float64(catalog.GBOffMaxC), 100 * catalog.GBOffMinRH, 100 * catalog.GBOffMaxRH,
			float64(catalog.GBChangeTapeKPerH), float64(catalog.GBChangeDiskKPerH), float64(catalog.GBBatteryMinC), float64(catalog.GBBatteryMaxC),
		},
	}
	// W068: a quarter more than the load is a derate of 0.8.
	spare := node("ups", power.UPS, 8593.75, "u")
	spare.PF, spare.Derate = 0.8, 0.8
	g := graph(t, node("u", power.Utility, 1e6), spare)
	holds("W068: 5,500 W", g.CapacityW(1, 1) == 5500)
	a["W068"] = []any{float64(g.CapacityVA(1, 1)), float64(g.CapacityVA(1, 1)) / spare.Derate}
	b := power.BalanceOf(45, 38, 52)
	a["W016"] = []any{b.MeanA, 100 * b.Imbalance, kVA(415, b.MeanA), 100 * b.WorstA / 63}
	holds("W016: "+b.Verdict(), b.Verdict() == "correct soon")

	// W022: one supply on each of two circuits of one line each under one parent.
	loads := place(t, supplyOnTwoLines(t)).Loads
	for line := range 2 {
		for _, n := range []int{2, 3, 1} {
			a["W022"] = append(a["W022"], float64(loads[n].PhaseW[line]))
		}
	}
	even, uneven := power.CordLoad(3000, 6, 3)
	a["W024"] = []any{even, uneven, uneven - even}

	n, kW := output(dgxH100(), 3, 0)
	a["W026"] = []any{n, dgxH100().PSURatingW / 1e3, kW, float64(dgxH100().PlanW) / 1e3}
	n, kW = output(dgxH100(), 2, 0)
	const psuEfficiency = 0.95
	a["W027"] = []any{dgxH100().PSURatingW / 1e3, kW, kW, kW / psuEfficiency, text(psuEfficiency), float64(dgxH100().PlanW) / 1e3}
	h100, b200 := dgxH100(), dgxB200()
	holds("W027: degraded with three supplies", n == 3 && shortState(&h100, 3) == Degraded)
	holds("W026: full power with four", shortState(&h100, 4) == RedundancyLost)
	n, kW = output(dgxB200(), 6, 5)
	a["W028"] = []any{n, b200.PSURatingW / 1e3, kW, float64(b200.PlanW) / 1e3}
	holds("W028: full power with five", shortState(&b200, 5) == RedundancyLost)

	// W030–W032: what a circuit carries in normal service and after losses.
	nec, iec := kVA(415, 60)*power.NECContinuous, kVA(415, 60)
	a["W030"] = []any{nec, 80.0, sides(3), sides(2), sides(1)}
	holds("W030: one of three lost", pass(hall(415, 60, 0.8, "A", "B", "C")) && sides(2) <= nec && sides(1) > nec)
	three := hall(400, 32, 1, "A", "B", "C")
	a["W031"] = []any{
		80.0, kVA(400, 32) * power.NECContinuous, sides(3), sides(2), 100.0, kVA(400, 32), sides(2) / 0.98, text(0.98), 100 * three.Racks[0].FeedShare,
	}
	holds("W031: NEC fails with one lost, IEC holds", !pass(hall(400, 32, 0.8, "A", "B", "C")) && pass(three))
	both := hall(415, 60, 1, "A", "B")
	a["W032"] = []any{80.0, sides(1), nec, 100.0, sides(1) / 0.98, iec, 100 * both.Racks[0].FeedShare}
	holds("W032: NEC fails with one lost, IEC holds", !pass(hall(415, 60, 0.8, "A", "B")) && pass(both))

	block := watts(28600)
	a["W043"] = []any{
		float64(len(rackOf(t, dgxB200(), 52, 42900).Servers)), float64(len(rackOf(t, block, 100, 85800).Servers)), float64(len(rackOf(t, dgxH100(), 100, 81600).Servers)),
		text(42.9), text(14.3), text(2), text(14.3), text(14.3), text(14.3), text(42.900000000000006), text(42.9),
	}
	cold := racks(1, 42, 48000)
	cold[0].AirW = 30000
	l := place(t, fillWith(dgxH100(), cold))
	a["W044"] = []any{float64(len(l.Servers)), float64(l.Racks[0].UsedW) / 1e3, float64(len(l.Servers) + 1), float64(l.Racks[0].UsedW+10200) / 1e3, float64(cold[0].AirW) / 1e3}
	holds("W044: bound by air", l.Racks[0].Binding == Air)
	bulbs := rackOf(t, watts(60), 50, 4000)
	a["W047"] = []any{float64(bulbs.Racks[0].FreeW) / 1e3}

	f := fillWith(facility.Model{Name: "node", HeightU: 8, PlanW: 5600, PlanAirW: 5600, PF: 1}, racks(1, 42, facility.NoLimit))
	u := node("utility", power.Utility, 20000)
	u.PF = 0.95
	f.Power, f.Racks[0].Feeds, f.Orders[0] = graph(t, u), []int{0}, facility.Order{Count: 2}
	l = place(t, f)
	usable := float64(f.Power.CapacityW(0, 1))
	a["W049"] = []any{usable, float64(l.DemandW[0]), 100 * float64(l.DemandW[0]) / usable}
	parts := []float64{7650, 1530, 1020}
	med := dgxH100()
	med.SetPlan(int64(0.7 * (parts[0] + parts[1] + parts[2])))
	a["W050"] = []any{text(70), 0.7 * parts[0], 0.7 * parts[1], 0.7 * parts[2], float64(med.PlanW)}

	f = megawattSite(t)
	farm := place(t, f)
	b300 := f.Models[0]
	burst := fillWith(b300, slices.Clone(f.Racks))
	for i := range burst.Racks {
		burst.Racks[i].PowerW = facility.NoLimit
	}
	burst.Models[0].SetPlan(15370) // 6 % on compute
	burst.Orders[0], burst.Power, burst.OtherW, burst.OtherFed, burst.Mechanical = f.Orders[0], f.Power, f.OtherW, f.OtherFed, f.Mechanical
	a["W051"] = []any{float64(farm.DemandW[0])/1e3 - 29.6, float64(farm.DemandW[0]) / 1e3, float64(place(t, burst).DemandW[0]) / 1e3, text(1)}

	// W054–W058: pods.
	pod := func(m facility.Model, count, n, heightU int, powerW int64) (used, kW, totalKW, gpus float64) {
		f := fillWith(m, racks(n, heightU, powerW))
		f.Orders[0] = facility.Order{Count: count}
		for i := range f.Racks {
			f.Racks[i].Loop = 0
		}
		for _, r := range place(t, f).Racks {
			if r.Servers > 0 {
				used++
				kW = float64(r.UsedW) / 1e3
				totalKW += kW
				gpus += float64(r.Servers * m.GPUs)
			}
		}
		return used, kW, totalKW, gpus
	}
	used, rack, total, _ := pod(dgxH100(), 32, 10, 48, 48000)
	a["W054"] = []any{used, rack, total}
	used, rack, total, gpus := pod(dgxB200(), 32, 20, 48, 30000)
	_, _, _, all := pod(dgxB200(), 2048, 1100, 48, 30000)
	a["W055"] = []any{used, rack, total, text(2), 64.0, 2 * gpus, text(64), 2048.0, all}
	_, rack, _, gpus = pod(b300, 64, 20, 42, 58000)
	_, _, _, all = pod(b300, 1024, 256, 42, 58000)
	holds("W057: above 50 kW a rack", rack > 50)
	a["W057"] = []any{64.0, gpus, text(50), text(16), 1024.0, all}
	nvl := facility.Model{Name: "gb200-nvl72", GPUs: 72, HeightU: 42, PlanW: 150000, PlanAirW: 35000, PlanLiquidW: 115000, PF: 1, WeightKg: 1360}
	used, rack, total, gpus = pod(nvl, 128, 128, 48, 150000)
	a["W058"] = []any{rack, used, gpus, gpus / used, text(16), total / 1e3}

	for row, c := range map[string][2]float64{"W062": {326.4, 100}, "W064": {1008, 100}} {
		need, modules, installed, after := ups(c[0], c[1], power.UPSFactorComputers, 1)
		a[row] = []any{need, modules, 1.0, installed, after}
	}
	_, _, installed, after := ups(100, 40, 1, 0.8)
	a["W065"] = []any{installed, installed * 40, after}
	rated := func(pf float64) float64 {
		u := node("ups", power.UPS, 300e3)
		u.Kind, u.PF = power.Utility, pf
		return float64(graph(t, u).CapacityW(0, 1)) / 1e3
	}
	a["W070"] = []any{rated(1), rated(0.8)}
	a["W071"] = []any{rated(0.9) / 3, rated(0.8) / 3}

	rise := cooling.AirRiseK(10200, 1105/cooling.CFMPerM3s, weather.SeaLevelPa)
	a["W080"] = []any{rise * 9 / 5, rise, text(2)}
	const feetM = 0.3048
	thin := weather.StandardPressurePa(6000*feetM) / weather.SeaLevelPa
	a["W082"] = []any{text(6000), 154 / thin, text(40.8), cfmOf(40800, thin), cfmOf(40800, 1)}

	big := facility.Model{Name: "rack system", HeightU: 42, PlanW: 120000, PlanAirW: 18000, PlanLiquidW: 102000, PF: 1}
	f = fillWith(big, racks(3, 42, facility.NoLimit))
	for i := range f.Racks {
		f.Racks[i].Loop = 0
	}
	f.Cooling.Loops = []cooling.Loop{{Name: "loop", CDUs: 2, Redundant: 1, CapacityW: 250000, Plant: -1}}
	l = place(t, f)
	liquid := 0.0
	for i := range l.Racks {
		liquid += float64(l.Racks[i].LiquidW) / 1e3
	}
	a["W087"] = []any{liquid, 100 * l.Failover[len(l.Failover)-1].WorstLoadShare, float64(f.Cooling.Loops[0].CDUs)}

	f = fillWith(dgxH100(), racks(1, 42, 78000))
	f.Racks[0].FrameKg, f.Racks[0].LoadKg = 160, 681.8
	kg := place(t, f).Racks[0].WeightKg
	kPa := FloorKPa(kg, 0.6, 1.2)
	a["W095"] = []any{kg, kPa, text(600), text(1200), text(8), text(12)}
	holds("W095: 8 kN/m² fail, 12 do", kPa > 8 && kPa <= 12)
	p := PanelLoads(4500)
	a["W097"] = []any{p.Corner, text(1), text(3), p.OneThird, p.TwoRacks, p.Rolling}

	classes, err := catalog.ASHRAE()
	if err != nil {
		t.Fatal(err)
	}
	class := func(name string) catalog.AirClass {
		c, ok := classes.AirNamed(name)
		if !ok {
			t.Fatal(name)
		}
		return c
	}
	a["W098"] = []any{class("A1").Recommended[0], class("A1").Recommended[1]}
	for _, name := range []string{"A1", "A2", "A3", "A4"} {
		holds("W098: one recommended range", class(name).Recommended == class("A1").Recommended)
		a["W098"] = append(a["W098"], class(name).Allowable[0], class(name).Allowable[1])
	}
	a["W098"] = append(a["W098"], class("H1").Recommended[0], class("H1").Recommended[1], class("H1").Allowable[1])
	over := func(limit float64) float64 { // hours of two at 28 °C
		if 28 > limit {
			return 2
		}
		return 0
	}
	a["W100"] = []any{over(class("A2").Recommended[1]), over(class("A2").Allowable[1])}

	shelf := power.Node{
		ID: "shelf", Kind: power.RackFeed, Element: "power shelf", From: []string{"u"}, Units: 6, Redundant: 1, RatingVA: 3000, PF: 1, Derate: 1,
		Loss: power.LossThrough([3]float64{0.2, 15.0 / 18, 1}, [3]float64{0.96, 0.965, 0.965}),
	}
	g = graph(t, node("u", power.Utility, 1e6), shelf)
	flow := g.NewFlow([]power.Consumer{{Fed: []int{1}, IT: true}})
	flow.Set(0, 15000)
	a["W111"] = []any{
		float64(g.CapacityW(1, 5)) / 1e3, float64(g.CapacityW(1, 6)) / 1e3, 100 / (1 + shelf.Loss.At(1)), flow.InW(1) / 1e3, text(2),
	}
	frame, err := catalog.Default().Rack("orv3")
	if err != nil {
		t.Fatal(err)
	}
	const openUnitMM, unitMM = 48, 44.45 // OpenU and EIA-310 rack unit
	a["W112"] = []any{
		text(2286), frame.Width.Value * 1e3, frame.Depth.Value * 1e3, frame.StaticLoad.Value,
		math.Round(frame.Height.Value * unitMM / openUnitMM), frame.Height.Value,
	}
	return a
}

// cfmOf is the air of a rack at 20 °F of rise by the rule of 154 CFM/kW at sea level, at a share of its pressure.
func cfmOf(w, pressure float64) float64 { return 154 * w / 1e3 / pressure }

// The forecast of W109 is compared in the study's own tests.
const answeredByStudies = "W109"

func TestWorkedExamplesByTheirValues(t *testing.T) {
	rows := 0
	table := validation.WorkedExamples(t)
	said := answers(t)
	for _, row := range table {
		if row.Group == "pue" || row.Group == "transient" || row.ID == answeredByStudies {
			continue
		}
		rows++
		want := row.Figures()
		got, ok := said[row.ID]
		delete(said, row.ID)
		if !ok || len(got) != len(want) {
			t.Errorf("%s: %d answers for the %d figures %v of %q", row.ID, len(got), len(want), want, row.Expected)
			continue
		}
		for k, figure := range want {
			x, tol := figure.Value, figure.Half
			v, answer := got[k].(float64)
			switch {
			case !answer:
				v, tol = float64(got[k].(text)), 1e-9
			case row.Group == "air" && row.ID != "W084": // as the rows say, for the air constant
				tol += 0.02 * x
			case row.ID == "W085": // a coolant is held at one temperature
				tol = 0.01 * x
			}
			if !(math.Abs(v-x) <= tol) {
				t.Errorf("%s, figure %d of %q: %.6g, the table says %g", row.ID, k+1, row.Expected, v, x)
			}
		}
	}
	if rows < 50 {
		t.Errorf("%d rows", rows)
	}
	for id := range said {
		t.Errorf("%s is answered and stands in no row", id)
	}
}
