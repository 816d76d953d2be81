package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/facility/power"
)

// building is a hall with a power section to be filled in.
const building = `version: 1
site: {climate: shanghai}
power:
%s
racks:
  - {row: A, count: 6, height: 42U, power: 48 kW, feeds: {breaker: 100 A%s}}
  - {row: B, count: 6, height: 42U, power: 48 kW, feeds: {breaker: 100 A}}
  - {row: C, count: 6, height: 42U, power: 48 kW, feeds: {breaker: 100 A}}
servers:
  - {model: dgx-h100, count: max}
`

func TestDistributedRedundant(t *testing.T) {
	text := fmt.Sprintf(building, `  utility: {capacity: 4 MW}
  ups: {scheme: 3N2, rating: 400 kVA}
  busways: {per: row, rating: 1000 A, voltage: 415 V L-L, derate: 100%}`, "")
	f := build(t, text, Options{})
	for i, want := range [][]string{{"A", "B"}, {"A", "C"}, {"B", "C"}} {
		var sides []string
		for _, n := range f.Racks[i].Feeds {
			sides = append(sides, f.Power.Nodes[n].Side)
		}
		if !slices.Equal(sides, want) {
			t.Errorf("rack %s hangs on %v, want %v", f.Racks[i].ID, sides, want)
		}
	}
	l := place(t, text, Options{})
	// Two thirds of 3 × 400 kVA × 0.98 hold the racks less the losses of busways: 784 kW, 76 servers of 10.2 kW.
	if n := len(l.Servers); n < 70 || n > 76 || l.Bound < n {
		t.Errorf("%d servers, bound %d", n, l.Bound)
	}
	for _, x := range l.Failover {
		if strings.HasPrefix(x.Lost, "ups[") && (x.RacksLost > 0 || x.WorstLoadShare > 1) {
			t.Errorf("%+v", x)
		}
	}
	// Resolved and loaded again it is the same.
	s, err := Load("a.yaml", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	if again := place(t, string(resolved), Options{}); len(again.Servers) != len(l.Servers) {
		t.Errorf("resolved: %d servers, then %d", len(l.Servers), len(again.Servers))
	}
}

func TestBlockRedundantShortForm(t *testing.T) {
	text := fmt.Sprintf(building, `  utility: {capacity: 4 MW}
  ups: {scheme: block, blocks: 3, modules: 2, rating: 150 kVA}
  busways: {per: row, rating: 1000 A, voltage: 415 V L-L, derate: 100%}`, "")
	f := build(t, text, Options{})
	for row, want := range map[string]string{"A": "sts[1]", "B": "sts[2]", "C": "sts[3]"} {
		n := nodeOf(t, f, "busways["+row+"]")
		if !slices.Equal(n.From, []string{want}) {
			t.Errorf("row %s: %v", row, n.From)
		}
	}
	sts := nodeOf(t, f, "sts[2]")
	if !slices.Equal(sts.From, []string{"ups[2]", "ups[reserve]"}) || !sts.Transfer || sts.Element != "static switch" || sts.Side != "" {
		t.Errorf("%+v", sts)
	}
	l := place(t, text, Options{})
	// 24 servers of 10.2 kW stand in a row: 244.8 of 294 kW. The reserve holds any one row.
	if len(l.Servers) != 72 {
		t.Errorf("%d servers, want 72", len(l.Servers))
	}
	k, _ := f.Power.Index("ups[reserve]")
	if l.DemandW[k] != 0 || math.Abs(l.Loads[k].WorstShare-244.8/294) > 0.01 {
		t.Errorf("reserve: %+v", l.Loads[k])
	}
}

func TestRackAndOrderKeys(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(building, `  utility: {capacity: 4 MW}
  ups: {sides: [A, B], rating: 1 MVA}
  busways: {per: row, sides: [A, B], rating: 1000 A, voltage: 415 V L-L, derate: 100%}`, ", cord: 63 A, scheme: 2N"),
		"count: max}", "count: 16, block: {servers: 8, racks: 2, reach: 30 m}, spread: {over: busways, most: 8}}", 1)
	text = strings.Replace(text, "racks:\n", "placement: {policy: fewest-racks}\nracks:\n", 1)
	text = strings.Replace(text, "row: C, count: 6", "row: C, takes: liquid, cost: 900, count: 6", 1)
	f := build(t, text, Options{})
	o := f.Orders[0]
	if o.Block != 8 || o.BlockRacks != 2 || o.ReachM != 30 || o.SpreadMost != 8 || len(o.Spread) != 6 || f.Policy != facility.FewestRacks {
		t.Errorf("%+v, %s", o, f.Policy)
	}
	if n := nodeOf(t, f, "A01.A"); n.AmpsRated != 63 || n.Element != "cord" {
		t.Errorf("%+v", n)
	}
	if r := f.Racks[12]; r.Takes != facility.LiquidOnly || r.Cost != 900 {
		t.Errorf("%+v", r)
	}
	l, err := placement.Place(f)
	if err != nil {
		t.Fatal(err)
	}
	byRow := map[string]int{}
	for _, s := range l.Servers {
		byRow[f.Racks[s.Rack].Row]++
	}
	if byRow["A"] != 8 || byRow["B"] != 8 || byRow["C"] != 0 {
		t.Errorf("%v", byRow)
	}
}

func TestBases(t *testing.T) {
	one := strings.Replace(fmt.Sprintf(building, `  utility: {capacity: 4 MW}
  busways: {per: row, rating: 1000 A, voltage: 415 V L-L, derate: 100%}`, ""), "version: 1\n", "version: 1\nbasis: %s\n", 1)
	for _, c := range []struct {
		basis, order string
		planW        int64
		want         string // part of the error
	}{
		{"nameplate", "", 10200, ""},
		{"measured", ", measured: {power: 8.1 kW}", 8100, ""},
		{"measured", ", measured: {readings: [7 kW, 7.5 kW, 8 kW, 9 kW], percentile: 75%}", 8000, ""},
		{"measured", "", 0, "servers[0].measured: the basis is measured, and nothing is measured of dgx-h100"},
		{"measured", ", measured: {readings: [7]}", 0, "want a power such as"},
		{"capped", ", cap: 7.5 kW", 7500, ""},
		{"capped", "", 0, "servers[0].cap: the basis is capped, and dgx-h100 has no cap"},
	} {
		text := strings.Replace(fmt.Sprintf(strings.ReplaceAll(one, "100%", "100%%"), c.basis), "count: max", "count: max"+c.order, 1)
		s, err := Load("a.yaml", []byte(text), Options{})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s%s: %v", c.basis, c.order, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s%s: %v", c.basis, c.order, err)
			continue
		}
		f, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		if f.Models[0].PlanW != c.planW || f.Basis.String() != c.basis {
			t.Errorf("%s: %d W on basis %s", c.basis, f.Models[0].PlanW, f.Basis)
		}
	}
}

// Wrong graphs are refused with the element's name.
func TestWrongGraphs(t *testing.T) {
	for _, c := range []struct{ name, power, feeds, want string }{
		{"cycle", "  nodes:\n    - {id: u, rating: 1 MVA}\n    - {id: a, kind: switchboard, rating: 1 MVA, from: b}\n    - {id: b, kind: switchboard, rating: 1 MVA, from: a}", "", "b → a → b"},
		{"orphan", "  nodes:\n    - {id: u, rating: 1 MVA}\n    - {id: a, kind: pdu, rating: 400 A, voltage: 415 V L-L}", "", "a is an orphan: nothing feeds this distribution"},
		{"one feed claims 2N", "  utility: {capacity: 1 MVA}\n  busways: {per: row, rating: 1000 A, voltage: 415 V L-L, derate: 100%}", ", scheme: 2N", "row A claims 2N on 1 feeds of a rack"},
		{"kW without power factor", "  utility: {capacity: 1 MVA}\n  ups: {rating: 500 kW}", "", "a rating in kW of an element that carries kVA needs its power factor"},
		{"two sides of a system of three", "  utility: {capacity: 1 MVA}\n  ups: {rating: 500 kVA, sides: [A, B], scheme: 3N2}", "", "3N2 needs 3 sides (got 2)"},
		{"block without blocks", "  utility: {capacity: 1 MVA}\n  transformers: {rating: 1 MVA, scheme: block}", "", "a transformer cannot be block redundant"},
	} {
		_, err := Load("a.yaml", []byte(fmt.Sprintf(building, c.power, c.feeds)), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Single-phase circuits dealt to lines, and supplies dealt to the lines of three-phase circuits.
func TestLegsAndOutlets(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(building, `  utility: {capacity: 4 MW}
  busways: {per: row, rating: 300 A, voltage: 208 V L-L, derate: 100%}`, ", legs: [L1-L2, L2-L3, L3-L1]"), "breaker: 100 A}", "breaker: 100 A, outlets: L-L}", 1)
	text = strings.Replace(text, "legs: [L1-L2, L2-L3, L3-L1]}", "legs: [L1-L2, L2-L3, L3-L1]}", 1)
	f := build(t, text, Options{})
	for i, want := range []string{"L1-L2", "L2-L3", "L3-L1", "L1-L2"} {
		n := nodeOf(t, f, f.Racks[i].ID+".A")
		if n.Lines.String() != want || n.RatingVA != 20800 {
			t.Errorf("%s: %s, %g VA; want %s, 20,800 VA", n.ID, n.Lines, n.RatingVA, want)
		}
	}
	if f.Racks[6].Outlets != facility.LineLine || f.Racks[12].Outlets != facility.EvenOutlets {
		t.Errorf("outlets %d and %d", f.Racks[6].Outlets, f.Racks[12].Outlets)
	}
	one := strings.ReplaceAll(text, "208 V L-L", "120 V L-N")
	one = strings.Replace(one, "[L1-L2, L2-L3, L3-L1]", "L2", 1)
	if n := nodeOf(t, build(t, one, Options{}), "A02.A"); math.Abs(n.RatingVA-12000) > 1e-6 || n.Lines.String() != "L2" {
		t.Errorf("%s: %g VA, want 12,000 at 120 V to neutral and 100 A", n.Lines, n.RatingVA)
	}
	for _, c := range []struct{ feeds, want string }{
		{", legs: [L1, L4]", `racks[A].feeds.legs[1]: no such line or pair of lines (got "L4"`},
		{", legs: L1, outlets: L-N", "racks[A].feeds.outlets: outlets are dealt"},
	} {
		_, err := Load("a.yaml", []byte(fmt.Sprintf(building, "  utility: {capacity: 1 MVA}\n  busways: {per: row, rating: 300 A, voltage: 208 V L-L}", c.feeds)), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.feeds, err)
		}
	}
	// A line that its source does not have is refused with both names.
	_, err := Load("a.yaml", []byte(fmt.Sprintf(building, "  nodes:\n    - {id: u, rating: 1 MVA}\n    - {id: rpp, from: u, rating: 100 A, voltage: 208 V L-L, legs: L1}", ", from: rpp, legs: L2")), Options{})
	if err == nil || !strings.Contains(err.Error(), "A01.A lies on L2, and rpp, which feeds it, on L1 only") {
		t.Errorf("%v", err)
	}
}

// The measured basis from a series: a percentile of the time, per server or per rack, with what is unknown left out.
func TestMeasuredSeries(t *testing.T) {
	base := "version: 1\nbasis: measured\nsite: {climate: shanghai}\nracks:\n  - {row: A, count: 1, height: 42U, power: 48 kW}\nservers:\n  - {model: dgx-h100, count: max, measured: {series: draw.csv%s}}\n"
	const even = "time,a,b\n0,7000,7100\n60,7200,\n120,7400,9000\n180,7300,7500\n"
	for _, c := range []struct {
		name, csv, more string
		planW           int64
		want            string // part of the error
	}{
		{"highest", even, ", percentile: 100%", 9000, ""},
		{"six of seven readings", even, ", percentile: 85%", 7500, ""},
		{"one column", even, ", columns: a, percentile: 100%", 7400, ""},
		{"by time, not by rows", "time_s,w\n0,7000\n3600,9000\n3610,7500\n7200,7500\n", ", percentile: 99%", 7500, ""},
		{"dates", "at,w\n2026-01-01 00:00,7000\n2026-01-01 01:00,8000\n", ", percentile: 100%", 8000, ""},
		{"per rack", "t,A01\n0,28000\n60,30000\n", ", per: rack, servers: 4, percentile: 100%", 7500, ""},
		{"per rack without servers", even, ", per: rack", 0, "servers[0].measured.servers: draw of a rack needs the number of servers in it"},
		{"text", "t,w\n0,x\n60,1\n", "", 0, `draw.csv:2:3: want a draw in W, or nothing where it is unknown (got "x"`},
		{"back in time", "t,w\n60,1\n0,1\n", "", 0, "draw.csv:3:1: times must ascend"},
		{"no such column", even, ", columns: c", 0, `no such column (got "c", want one of a, b)`},
		{"torn", "t,w\n0,1\n60\n", "", 0, "draw.csv:3:1: wrong number of fields"},
		{"one row", "t,w\n0,1\n", "", 0, "want at least two times"},
		{"twice", even, ", power: 8 kW", 0, "want one of power, readings and series"},
	} {
		s, err := Load("a.yaml", []byte(fmt.Sprintf(base, c.more)), Options{FS: fstest.MapFS{"draw.csv": {Data: []byte(c.csv)}}})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		if m := f.Models[0]; m.PlanW != c.planW || !strings.Contains(m.PlanFrom, "of draw.csv") || f.Basis.String() != "measured" {
			t.Errorf("%s: %d W, %s; want %d W", c.name, m.PlanW, m.PlanFrom, c.planW)
		}
	}
}

func FuzzReadDraw(f *testing.F) {
	f.Add([]byte("time,a,b\n0,7000,7100\n60,7200,\n"))
	f.Add([]byte("t,w\n2026-01-01 00:00,1\n\"x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, problems := readDraw(data, "f.csv", nil)
		if (m == nil) == (len(problems) == 0) {
			t.Fatalf("%v, %v", m, problems)
		}
		if m != nil {
			if lo, hi := m.percentile(0.01), m.percentile(1); !(lo >= 0 && lo <= hi && m.coverage > 0 && m.coverage <= 1) {
				t.Fatalf("%g to %g, coverage %g", lo, hi, m.coverage)
			}
		}
	})
}

// Every kind of element in one graph, with what it does: the general form, two generators with a derate for the
// height, transformers, a flywheel in eco mode, static switches, PDU, RPP, busway with tap-offs, and a busbar.
func TestEveryKindOfElement(t *testing.T) {
	text := `version: 1
site: {climate: shanghai, altitude: 1600 m}
power:
  nodes:
    - {id: mv, kind: utility, rating: 4 MVA}
    - {id: gen, count: 2, scheme: N+1, rating: 2 MVA}
    - {id: tx, count: 2, scheme: N+1, from: [mv, gen], rating: 2 MVA}
    - {id: ups, kind: flywheel, count: 3, scheme: N+1, from: tx, rating: 500 kVA, curve: eco, battery: 20 s}
    - {id: by, kind: switchboard, from: tx, rating: 1 MVA}
    - {id: sts, kind: static-switch, from: [ups, by], rating: 1 MVA}
    - {id: pdu, from: sts, rating: 800 kVA, derate: 100%, curve: pdu-transformer}
    - {id: rpp, from: pdu, rating: 600 A, voltage: 415 V L-L, derate: 80%}
    - {id: busway, per: row, from: pdu, rating: 400 A, voltage: 415 V L-L, derate: 80%}
    - {id: bar, kind: busbar, per: row, from: sts, rating: 200 kVA, curve: busbar-54v}
racks:
  - {row: A, count: 2, height: 42U, power: 48 kW, feeds: {from: rpp, breaker: 100 A}}
  - {row: B, count: 2, height: 42U, power: 48 kW, feeds: {from: busway, breaker: 100 A, tap: 63 A}}
  - {row: C, count: 2, height: 42U, power: 48 kW, feeds: {from: bar}}
servers:
  - {model: dgx-h100, count: max}
`
	f := build(t, text, Options{})
	for _, c := range []struct {
		id, element string
		kind        power.Kind
		from        []string
		derate      float64
		curve       string
	}{
		{"gen", "", power.Generator, nil, power.TurboDiesel.Derate(1600, f.Design.DryBulbC), ""},
		{"tx", "", power.Transformer, []string{"mv", "gen"}, 1, "dry"},
		{"ups", "flywheel UPS", power.UPS, []string{"tx"}, 1, "eco"},
		{"sts", "static switch", power.Switchboard, []string{"ups", "by"}, 1, ""},
		{"pdu", "PDU", power.Distribution, []string{"sts"}, 1, "pdu-transformer"},
		{"rpp", "RPP", power.Distribution, []string{"pdu"}, 0.8, "busway"},
		{"busway[B]", "busway", power.Distribution, []string{"pdu"}, 0.8, "busway"},
		{"bar[C]", "54 V busbar", power.Distribution, []string{"sts"}, 1, "busbar-54v"},
		{"B01.A", "tap-off", power.RackFeed, []string{"busway[B]"}, 0.8, ""},
	} {
		n := nodeOf(t, f, c.id)
		if n.Kind != c.kind || (c.element != "" && n.Element != "" && n.Element != c.element) || !slices.Equal(n.From, c.from) || math.Abs(n.Derate-c.derate) > 1e-12 || n.Loss.Name != c.curve {
			t.Errorf("%+v, want %+v", n, c)
		}
	}
	if n := nodeOf(t, f, "B01.A"); n.AmpsRated != 63 || n.Element != "tap-off" {
		t.Errorf("tap-off: %+v", n)
	}
	if n := nodeOf(t, f, "gen"); !(n.Derate < 0.93) {
		t.Errorf("600 m above the free height take 8%% of the generators: %g", n.Derate)
	}
	if n := nodeOf(t, f, "ups"); n.BatteryS != 20 {
		t.Errorf("flywheel: %+v", n)
	}
	if n := nodeOf(t, f, "sts"); !n.Transfer {
		t.Errorf("static switch: %+v", n)
	}
	l := place(t, text, Options{})
	// 63 A at 415 V and 80 % are 36.2 kVA: three servers of 10.4 kVA where 100 A hold four.
	for i, want := range []int{4, 4, 3, 3} {
		if l.Racks[i].Servers != want {
			t.Errorf("rack %s: %d servers, want %d", f.Racks[i].ID, l.Racks[i].Servers, want)
		}
	}
	k, _ := f.Power.Index("by")
	if l.DemandW[k] != 0 || l.Loads[k].LegLost != "ups lost" || !(l.Loads[k].LegShare > 0.2) {
		t.Errorf("the bypass carries %d W in service and at worst %+v", l.DemandW[k], l.Loads[k])
	}
	for n := range f.Power.Nodes { // parent = children + loss, in whole watts rounded up
		var in float64
		for _, c := range f.Power.Children(n) {
			if len(f.Power.Parents(c)) == 1 {
				in += float64(l.DemandW[c])
			}
		}
		if float64(l.DemandW[n]) < in {
			t.Errorf("%s carries %d W of %g W below it", f.Power.Nodes[n].ID, l.DemandW[n], in)
		}
	}
}
