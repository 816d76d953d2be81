package scenarios

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
	"headroom/sim"
	"headroom/sim/workload"
)

// hall is the smallest whole scenario; %s is more of it.
const hall = `version: 1
site: {climate: shanghai}
power:
  utility: {capacity: 4 MW}
  ups: {sides: [A, B], modules: 2, rating: 1 MVA}
  busways: {per: row, sides: [A, B], rating: 2000 A, voltage: 415 V L-L, derate: 80%}
cooling:
  air: {units: 10, capacity: 120 kW, airflow: 9 m3/s, scheme: N+1, plant: cw, fed: ups}
plants:
  cw: {type: water-cooled-chiller, count: 2, scheme: N+1}
racks:
  - {row: A, count: 12, height: 48U, power: 48 kW, feeds: {breaker: 100 A}}
servers:
  - {model: dgx-h100, count: max}
`

// block1 is the first block of the design's chapter on the scenario file, as it stands there.
const block1 = `version: 1
name: One hall, 48 kW racks, air
site: {climate: shanghai, price: 0.65 CNY/kWh, carbon: 0.55 kg/kWh}     # or weather: path/to/file.epw
power:                                    # short form: each level feeds the next
  utility: {capacity: 4 MW}
  transformers: {count: 2, rating: 2.5 MVA, scheme: N+1}
  ups: {sides: [A, B], modules: 2, rating: 1 MVA, curve: double-conversion, battery: 5 min}
  busways: {per: row, sides: [A, B], rating: 2000 A, voltage: 415 V L-L, derate: 80%}
cooling:
  air: {units: 10, capacity: 120 kW, airflow: 9 m3/s, rated: {return: 36 C, water: 18 C}, scheme: N+1,
        supply: 24 C, containment: cold-aisle, plant: chilled-water, fed: ups}
plants:
  chilled-water: {type: water-cooled-chiller, count: 2, scheme: N+1, supply: 18 C, economizer: water-side, fed: utility}
racks:
  - {row: A, count: 12, height: 48U, reserve: 2U, power: 48 kW, air: 48 kW, feeds: {sides: [A, B], breaker: 100 A}}
servers:
  - {model: dgx-h100, count: max}
workload:
  - {name: pretrain, kind: training, gpus: {64: 3, 128: 1}, arrivals: 2/day, length: {median: 20 h, p95: 5 d}}
  - {name: chat, kind: inference, gpus: 32, load: diurnal}
  # or replay:  - {name: philly, trace: jobs.csv}   (arrival_s, num_gpus, duration_s; SWF; see the workload docs)
failures:
  server: {rate: 3.8 per 1000 node-days, repair: 4 h}                   # GPUs, memory and links are shares of it, not added to it
  events: [{at: 2026-07-15 14:00, lose: "cooling.air.units[2]", for: 2 h}]
run: {start: 2026-01-01, length: 365 d, seed: 1}
variants:                                 # what-ifs: the same scenario with every element they depend on changed
  liquid-48:
    set:
      cooling.liquid: {cdus: 2, capacity: 1 MW, flow: 1500 L/min, coolant: PG25, scheme: N+1, supply: 32 C, plant: warm-water, fed: ups}
      plants.warm-water: {type: dry-cooler, count: 4, scheme: N+1, design: 38 C, fed: utility}
      "racks[A].liquid": 45 kW
      "racks[A].air": 16 kW
      "servers[0].model": hgx-h100-liquid
  liquid-78:
    from: liquid-48
    set: {"racks[A].power": 78 kW, "racks[A].liquid": 72 kW, "racks[A].air": 26 kW, "racks[A].feeds.breaker": 160 A}
`

// block2 is the second block, the general form, as it stands there.
const block2 = `power:
  nodes:
    - {id: mv, count: 2, rating: 4 MVA}
    - {id: tx, count: 2, from: mv, rating: 2.5 MVA}
    - {id: gen, count: 3, scheme: N+1, rating: 2 MW, start: 15 s}
    - {id: ups, count: 4, scheme: N+1, from: [tx, gen], rating: 1 MVA, battery: 5 min}
    - {id: busway, per: row, sides: [A, B], rating: 800 A, voltage: 415 V L-L, from: ups}
cooling:
  air: {walls: [{at: north, units: 8, airflow: 12 m3/s, capacity: 150 kW, fed: ups}], containment: hot-aisle, plant: chilled-water}
  liquid: {cdus: {per: row, count: 2, scheme: N+1, capacity: 800 kW, flow: 1200 L/min, head: 250 kPa, approach: 3 K, volume: 900 L, fed: ups}, plant: dry}
racks:
  - {rows: 10, count: 12, pitch: 600 mm, aisle: 1.2 m, height: 48U, power: 78 kW}
`

// rest is what the second block leaves out.
const rest = `version: 1
site: {climate: frankfurt}
plants: {chilled-water: {type: water-cooled-chiller, count: 3, scheme: N+1}, dry: {type: dry-cooler, count: 6, scheme: N+1}}
servers: [{model: hgx-h100-liquid, count: max}]
`

func load(t *testing.T, text string, o Options) *Scenario {
	t.Helper()
	s, err := Load("hall.yaml", []byte(text), o)
	if err != nil {
		t.Fatalf("load:\n%v", err)
	}
	return s
}

func build(t *testing.T, text string, o Options) *facility.Facility {
	t.Helper()
	f, err := load(t, text, o).Build()
	if err != nil {
		t.Fatalf("build:\n%v", err)
	}
	return f
}

func nodeOf(t *testing.T, f *facility.Facility, id string) power.Node {
	t.Helper()
	i, ok := f.Power.Index(id)
	if !ok {
		t.Fatalf("no node %q", id)
	}
	return f.Power.Nodes[i]
}

func TestShortFormExpands(t *testing.T) {
	f := build(t, block1, Options{})
	if len(f.Racks) != 12 || f.Racks[0].ID != "A01" || f.Racks[11].ID != "A12" {
		t.Fatalf("racks %d, first %s", len(f.Racks), f.Racks[0].ID)
	}
	r := f.Racks[0]
	if r.HeightU != 48 || r.ReserveU != 2 || r.PowerW != 48000 || r.AirW != 48000 || r.LiquidW != facility.NoLimit {
		t.Errorf("rack %+v", r)
	}
	if len(r.Feeds) != 2 || f.Power.Nodes[r.Feeds[0]].ID != "A01.A" || f.Power.Nodes[r.Feeds[1]].ID != "A01.B" {
		t.Errorf("feeds %v", r.Feeds)
	}
	u := nodeOf(t, f, "utility")
	if u.RatingVA != 4e6 || u.PF != 1 || u.Kind != power.Utility {
		t.Errorf("utility %+v", u)
	}
	tx := nodeOf(t, f, "transformers")
	if tx.Units != 2 || tx.Redundant != 1 || tx.RatingVA != 2.5e6 {
		t.Errorf("transformers %+v", tx)
	}
	// A and B of the UPS stand below one group of transformers: it is kept, not split.
	for _, side := range []string{"A", "B"} {
		n := nodeOf(t, f, "ups["+side+"]")
		if !slices.Equal(n.From, []string{"transformers"}) || n.Units != 2 || n.Redundant != 0 || n.BatteryS != 300 || n.Side != side {
			t.Errorf("ups %+v", n)
		}
		bw := nodeOf(t, f, "busways[A]."+side)
		if !slices.Equal(bw.From, []string{"ups[" + side + "]"}) || bw.AmpsRated != 2000 || bw.Derate != 0.8 || math.Abs(bw.RatingVA-math.Sqrt(3)*415*2000) > 1e-6 {
			t.Errorf("busway %+v", bw)
		}
		feed := nodeOf(t, f, "A07."+side)
		if feed.Kind != power.RackFeed || math.Abs(feed.RatingVA-math.Sqrt(3)*415*100) > 1e-6 || feed.Derate != 0.8 {
			t.Errorf("feed %+v", feed)
		}
	}
	room := f.Cooling.Rooms[0]
	if room.Units != 10 || room.Redundant != 1 || room.CapacityW != 120e3 || room.AirflowM3s != 9 || room.SupplyC != 24 || room.Containment != cooling.ColdAisle || len(room.Fed) != 2 {
		t.Errorf("room %+v", room)
	}
	if len(f.Orders) != 1 || !f.Orders[0].Max || f.Models[0].PlanW != 10200 {
		t.Errorf("orders %+v, plan %d W", f.Orders, f.Models[0].PlanW)
	}
	// Sized: one of two chillers carries nine air handlers.
	if spec := f.Cooling.Plants[0].Spec(); spec.CapacityW < 9*120e3 || spec.Units != 2 || spec.Redundant != 1 {
		t.Errorf("plant %+v", spec)
	}
	for _, m := range f.Mechanical {
		if m.W <= 0 || len(m.Fed) == 0 {
			t.Errorf("mechanical load %+v", m)
		}
	}
}

func TestVariantsOfDesign(t *testing.T) {
	s := load(t, block1, Options{})
	if got := s.Variants(); !slices.Equal(got, []string{"liquid-48", "liquid-78"}) {
		t.Fatalf("variants %v", got)
	}
	f := build(t, block1, Options{Variant: "liquid-48"})
	if r := f.Racks[3]; r.PowerW != 48000 || r.LiquidW != 45000 || r.AirW != 16000 || r.Loop != 0 {
		t.Errorf("liquid-48 rack %+v", r)
	}
	if l := f.Cooling.Loops[0]; l.CDUs != 2 || l.Redundant != 1 || l.CapacityW != 1e6 || l.FlowLPM != 1500 || l.Coolant != "PG25" || l.SupplyC != 32 {
		t.Errorf("loop %+v", l)
	}
	f = build(t, block1, Options{Variant: "liquid-78"})
	if r := f.Racks[0]; r.PowerW != 78000 || r.LiquidW != 72000 || r.AirW != 26000 {
		t.Errorf("liquid-78 rack %+v", r)
	}
	if n := nodeOf(t, f, "A01.A"); n.AmpsRated != 160 {
		t.Errorf("liquid-78 feed %+v", n)
	}
	if !f.Models[0].Liquid {
		t.Error("liquid-78 took the base's air server")
	}
}

func TestGeneralForm(t *testing.T) {
	f := build(t, rest+block2, Options{})
	if len(f.Racks) != 120 || f.Racks[0].ID != "A01" || f.Racks[119].ID != "J12" {
		t.Fatalf("%d racks", len(f.Racks))
	}
	for id, want := range map[string]power.Node{
		"mv":          {Kind: power.Utility, Units: 2},
		"tx":          {Kind: power.Transformer, Units: 2, From: []string{"mv"}},
		"gen":         {Kind: power.Generator, Units: 3, Redundant: 1, StartS: 15},
		"ups":         {Kind: power.UPS, Units: 4, Redundant: 1, From: []string{"tx", "gen"}, Transfer: true, BatteryS: 300},
		"busway[C].B": {Kind: power.Distribution, Units: 1, Side: "B", From: []string{"ups"}},
		"C07.A":       {Kind: power.RackFeed, Units: 1, Side: "A", From: []string{"busway[C].A"}},
	} {
		n := nodeOf(t, f, id)
		if n.Kind != want.Kind || n.Units != want.Units || n.Redundant != want.Redundant || !slices.Equal(n.From, want.From) ||
			n.Transfer != want.Transfer || n.Side != want.Side || n.BatteryS != want.BatteryS || n.StartS != want.StartS {
			t.Errorf("%s: %+v", id, n)
		}
	}
	if len(f.Cooling.Loops) != 10 || f.Racks[35].Loop != 2 || f.Cooling.Loops[2].Name != "cooling.liquid[C]" {
		t.Errorf("%d loops, rack C12 on %d", len(f.Cooling.Loops), f.Racks[35].Loop)
	}
	if r := f.Cooling.Rooms[0]; r.Units != 8 || r.CapacityW != 150e3 || r.Containment != cooling.HotAisle {
		t.Errorf("room %+v", r)
	}
	if a, b := f.Racks[12].YM-f.Racks[0].YM, f.Racks[1].XM-f.Racks[0].XM; math.Abs(a-2.4) > 1e-9 || math.Abs(b-0.6) > 1e-9 {
		t.Errorf("rows %.2f m and racks %.2f m apart", a, b)
	}
}

// Rows without a name take the letters that are free, over Z to AA.
func TestRowNames(t *testing.T) {
	f := build(t, "version: 1\nsite: {climate: dublin}\nracks: [{rows: 2, count: 1}, {row: B, count: 100}, {rows: 25, count: 1}]\nservers: [{model: dgx-h100, count: 1}]\n", Options{})
	want := map[int]string{0: "A01", 1: "C01", 2: "B001", 101: "B100", 102: "D01", 124: "Z01", 125: "AA01", 126: "AB01"}
	for i, id := range want {
		if f.Racks[i].ID != id {
			t.Errorf("rack %d is %s, want %s", i, f.Racks[i].ID, id)
		}
	}
	if len(f.Racks) != 127 || f.Power != nil {
		t.Errorf("%d racks, power %v", len(f.Racks), f.Power)
	}
	if r := f.Racks[0]; r.Room != -1 || r.Loop != -1 || r.PowerW != facility.NoLimit || !math.IsNaN(r.LoadKg) {
		t.Errorf("what is not stated is a limit: %+v", r)
	}
	// Such a file is good for placement, and a run says what it lacks.
	s := load(t, "version: 1\nsite: {climate: dublin}\nracks: [{row: A}]\nservers: [{model: dgx-h100}]\n", Options{})
	_, err := s.Configure(nil)
	if err == nil || !strings.Contains(err.Error(), "a run needs a power section") || !strings.Contains(err.Error(), "a run needs air cooling") {
		t.Errorf("a run without power and cooling: %v", err)
	}
}

// A voltage to neutral carries √3 of its value between lines: 230 V and 32 A are 17.66 kW at 80 %.
func TestVoltageToNeutral(t *testing.T) {
	text := strings.ReplaceAll(hall, "breaker: 100 A", "breaker: 32 A, voltage: 230 V L-N, derate: 80%, pf: 100%")
	n := nodeOf(t, build(t, text, Options{}), "A01.A")
	if got := n.RatingVA * n.Derate * n.PF; math.Abs(got-17664) > 1 {
		t.Errorf("230 V L-N, 32 A, 80 %%: %.0f W, want 17664", got)
	}
}

func TestResolvedLoadsBack(t *testing.T) {
	texts := map[string]string{"block1": block1, "general": rest + block2, "hall": hall}
	for _, e := range Examples() {
		data, _ := ExampleFile(e.Name)
		texts[e.Name] = string(data)
	}
	for name, text := range texts {
		variants := append([]string{""}, load(t, text, Options{FS: exampleFS()}).Variants()...)
		for _, v := range variants {
			s := load(t, text, Options{Variant: v, FS: exampleFS()})
			first, err := s.Resolved()
			if err != nil {
				t.Fatal(err)
			}
			back, err := Load("resolved.yaml", first, Options{FS: exampleFS()})
			if err != nil {
				t.Fatalf("%s %s: what Resolved printed does not load:\n%v\n%s", name, v, err, first)
			}
			again, err := back.Resolved()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, again) {
				t.Errorf("%s %s: resolved twice differs:\n%s\n--- and\n%s", name, v, first, again)
			}
			if s.ID() != back.ID() {
				t.Errorf("%s %s: id %s becomes %s", name, v, s.ID(), back.ID())
			}
			a, _ := s.Build()
			b, _ := back.Build()
			if !sameFacility(a, b) {
				t.Errorf("%s %s: the facility of what Resolved printed differs", name, v)
			}
		}
	}
}

// sameFacility compares what placement reads, lines in the file aside.
func sameFacility(a, b *facility.Facility) bool {
	if len(a.Racks) != len(b.Racks) || len(a.Models) != len(b.Models) || (a.Power == nil) != (b.Power == nil) {
		return false
	}
	for i := range a.Racks {
		x, y := a.Racks[i], b.Racks[i]
		if x.ID != y.ID || x.PowerW != y.PowerW || x.AirW != y.AirW || x.LiquidW != y.LiquidW || !slices.Equal(x.Feeds, y.Feeds) || x.XM != y.XM || x.YM != y.YM {
			return false
		}
	}
	if a.Power != nil {
		if len(a.Power.Nodes) != len(b.Power.Nodes) {
			return false
		}
		for i := range a.Power.Nodes {
			x, y := a.Power.Nodes[i], b.Power.Nodes[i]
			if x.ID != y.ID || x.RatingVA != y.RatingVA || x.PF != y.PF || x.Derate != y.Derate || x.Units != y.Units || x.Redundant != y.Redundant || x.Loss.A != y.Loss.A {
				return false
			}
		}
	}
	for i := range a.Mechanical {
		if a.Mechanical[i].W != b.Mechanical[i].W {
			return false
		}
	}
	return true
}

func exampleFS() fstest.MapFS {
	return fstest.MapFS{"jobs.csv": {Data: []byte("arrival_s,num_gpus,duration_s\n0,8,3600\n60,16,7200\n")}}
}

func TestIDFollowsInputs(t *testing.T) {
	text := hall + "replay: [{name: old, trace: jobs.csv}]\n"
	seed := uint64(2)
	other := fstest.MapFS{"jobs.csv": {Data: []byte("arrival_s,num_gpus,duration_s\n0,8,3601\n")}}
	ids := map[string]string{}
	for name, o := range map[string]Options{
		"base": {FS: exampleFS()}, "seed": {FS: exampleFS(), Seed: &seed}, "trace": {FS: other},
		"set": {FS: exampleFS(), Set: []string{"racks[A].power=49 kW"}},
	} {
		id := load(t, text, o).ID()
		for n, x := range ids {
			if x == id {
				t.Errorf("%s and %s have one id", n, name)
			}
		}
		ids[name] = id
	}
	if id := load(t, text, Options{FS: exampleFS()}).ID(); id != ids["base"] || id[14] != '5' {
		t.Errorf("id %s, then %s; want the same, and of version 5", ids["base"], id)
	}
}

func TestConfigure(t *testing.T) {
	s := load(t, block1, Options{})
	c, err := s.Configure(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Seed != 1 || c.LengthNS != 365*86400*1e9 || c.PricePerKWh != 0.65 || c.Currency != "CNY" || c.CarbonKgPerKWh != 0.55 || c.Air.Name != "A2" || !math.IsInf(c.FanMaxShare, 1) {
		t.Errorf("config %+v", c)
	}
	p := c.Classes[0]
	sigma := math.Log(6) / 1.6448536269514722
	if p.MedianS != 72000 || math.Abs(p.SigmaLn-sigma) > 1e-12 || math.Abs(p.RatePerS-2.0/86400) > 1e-15 || p.MemoryBound != 0.15 || p.CheckpointS != 0 || p.CheckpointCostS != 30 || !p.Restart {
		t.Errorf("training %+v", p)
	}
	if !slices.Equal(p.GPUs, []workload.Size{{GPUs: 64, Weight: 3}, {GPUs: 128, Weight: 1}}) {
		t.Errorf("sizes %+v", p.GPUs)
	}
	chat := c.Classes[1]
	if chat.Replicas != 4 || chat.GPUs[0].GPUs != 8 || len(chat.Profile) != 168 || chat.MemoryBound != 0.75 || !math.IsInf(chat.CheckpointS, 1) {
		t.Errorf("inference %+v", chat)
	}
	if lo, hi := slices.Min(chat.Profile), slices.Max(chat.Profile); hi != 1 || lo <= 0 {
		t.Errorf("profile from %g to %g", lo, hi)
	}
	if math.Abs(c.Failures.ServerPerNodeDay-0.0038) > 1e-15 || c.Failures.RepairS != 4*3600 || c.Failures.RestartS != 600 {
		t.Errorf("failures %+v", c.Failures)
	}
	e := c.Failures.Events[0]
	if e.Part != sim.RoomUnit || e.Index != 0 || e.Units != 1 || e.ForNS != 2*3600*1e9 || e.AtNS != (195*24+14)*3600*1e9 {
		t.Errorf("event %+v", e)
	}
}

func TestLosePaths(t *testing.T) {
	base := strings.ReplaceAll(block1, `lose: "cooling.air.units[2]"`, `lose: "@@"`)
	f := build(t, block1, Options{Variant: "liquid-48"})
	index := func(id string) int { i, _ := f.Power.Index(id); return i }
	for path, want := range map[string]sim.Loss{
		"cooling.air":                   {Part: sim.RoomUnit, Units: 10},
		"cooling.air.units[9]":          {Part: sim.RoomUnit, Units: 1},
		"cooling.liquid.cdus[0]":        {Part: sim.LoopUnit, Units: 1},
		"plants.chilled-water.units[1]": {Part: sim.PlantUnit, Units: 1},
		"plants[warm-water]":            {Part: sim.PlantUnit, Index: 1, Units: 4},
		"power.utility":                 {Part: sim.PowerUnit, Index: index("utility"), Units: 1},
		"power.transformers[0]":         {Part: sim.PowerUnit, Index: index("transformers"), Units: 1},
		"power.transformers":            {Part: sim.PowerUnit, Index: index("transformers"), Units: 2},
		"power.ups[A]":                  {Part: sim.PowerUnit, Index: index("ups[A]"), Units: 2},
		"power.ups[B].modules[0]":       {Part: sim.PowerUnit, Index: index("ups[B]"), Units: 1},
		"power.busways[A].A":            {Part: sim.PowerUnit, Index: index("busways[A].A"), Units: 1},
		"power.feeds[A03].B":            {Part: sim.PowerUnit, Index: index("A03.B"), Units: 1},
		"racks[A02]":                    {Part: sim.RackPart, Index: 1, Units: 1},
	} {
		c, err := load(t, strings.ReplaceAll(base, "@@", path), Options{Variant: "liquid-48"}).Configure(nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if e := c.Failures.Events[0]; e.Part != want.Part || e.Index != want.Index || e.Units != want.Units || e.Name != path {
			t.Errorf("%s: %+v", path, e)
		}
	}
	for path, want := range map[string]string{
		"cooling.air.units[10]":            "want a place from 0 to 9",
		"cooling.air.fans[1]":              "want cooling.air.units[place]",
		"plants.chiled-water":              `did you mean "chilled-water"?`,
		"power.ups":                        "want power.ups[A], power.ups[B]",
		"power.usp[A]":                     `did you mean "ups"?`,
		"racks[A13]":                       "no such rack",
		"servers[A01]":                     "servers[A01.u03]",
		"lights":                           "want a path that begins with",
		"power.ups[A].modules[0].cells[1]": "ups",
	} {
		_, err := Load("x.yaml", []byte(strings.ReplaceAll(base, "@@", path)), Options{Variant: "liquid-48"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	// A server is known once it is placed.
	s := load(t, strings.ReplaceAll(base, "@@", "servers[A01.u01]"), Options{Variant: "liquid-48"})
	var ps Problems
	if _, err := s.Configure(nil); !errors.As(err, &ps) {
		t.Errorf("a server was found without a layout: %v", err)
	}
}
