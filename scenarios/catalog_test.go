package scenarios

import (
	"strings"
	"testing"

	"headroom/facility/cooling"
	"headroom/facility/power"
)

// Entries under catalog: are used by the file that holds them, and travel in its resolved form.
func TestOwnCatalogue(t *testing.T) {
	text := strings.NewReplacer("dgx-h100", "my-box", "climate: shanghai", "climate: Hilltop", "modules: 2,", "modules: 2, curve: my-ups,").Replace(hall) + `catalog:
  servers:
    my-box: {like: dgx-h100, nameplate: 9 kW}
  ups:
    my-ups: {title: mine, loss-fixed: 0.01, loss-linear: 0, loss-square: 0.02}
  climates:
    - {city: Hilltop, station: a mast, latitude: 31, longitude: 121, altitude_m: 1500, zone: 8, source: our own mast, grade: derived, like: Shanghai}
`
	s := load(t, text, Options{})
	f, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	if f.Models[0].PlanW != 9000 || f.AltitudeM != 1500 || f.Design.PressurePa > 90000 {
		t.Errorf("plan %d W, %g m, %g Pa", f.Models[0].PlanW, f.AltitudeM, f.Design.PressurePa)
	}
	if n := nodeOf(t, f, "ups[A]"); n.Loss.Name != "my-ups" || n.Loss.A != 0.01 || n.Loss.C != 0.02 {
		t.Errorf("loss %+v", n.Loss)
	}
	resolved, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load("r.yaml", resolved, Options{}); err != nil {
		t.Errorf("the resolved form lost its catalogue: %v", err)
	}
	// One handed in is used where the file has none.
	own := CatalogFile{"own.yaml", []byte("servers:\n  my-box: {like: dgx-h100, nameplate: 8 kW}\n")}
	f = build(t, strings.Replace(hall, "dgx-h100", "my-box", 1), Options{Catalogs: []CatalogFile{own}})
	if f.Models[0].PlanW != 8000 {
		t.Errorf("plan %d W from the catalogue handed in, want 8000", f.Models[0].PlanW)
	}
	_, err = Load("x.yaml", []byte(strings.Replace(text, "like: Shanghai", "like: Shangha", 1)), Options{})
	if err == nil || !strings.Contains(err.Error(), "catalog.climates: ") {
		t.Errorf("a climate like none: %v", err)
	}
}

func TestSchemes(t *testing.T) {
	f := build(t, hall, Options{Set: []string{"power.ups={modules: 3, rating: 1 MVA, scheme: 2(N+1)}", "plants.cw={type: water-cooled-chiller, count: 4, scheme: 2N}", "cooling.air.scheme=N+2"}})
	for _, id := range []string{"ups[A]", "ups[B]"} {
		if n := nodeOf(t, f, id); n.Units != 3 || n.Redundant != 1 || n.Kind != power.UPS {
			t.Errorf("%s: %+v", id, n)
		}
	}
	if s := f.Cooling.Plants[0].Spec(); s.Units != 4 || s.Redundant != 2 {
		t.Errorf("2N of four chillers: %+v", s)
	}
	if r := f.Cooling.Rooms[0]; r.Redundant != 2 {
		t.Errorf("N+2: %d redundant", r.Redundant)
	}
	for _, c := range []struct {
		scheme scheme
		n      int
		want   int
		ok     bool
	}{
		{scheme{Text: "N"}, 1, 0, true},
		{scheme{Text: "N+1", Spare: 1}, 2, 1, true},
		{scheme{Text: "N+1", Spare: 1}, 1, 1, false},
		{scheme{Text: "2N", Twice: true}, 4, 2, true},
		{scheme{Text: "2N", Twice: true}, 3, 0, false},
		{scheme{Text: "2(N+1)", Twice: true, Spare: 1}, 6, 4, true}, // two of three run on each side
		{scheme{Text: "2(N+1)", Twice: true, Spare: 1}, 2, 0, false},
	} {
		if got, ok := c.scheme.redundant(c.n); ok != c.ok || ok && got != c.want {
			t.Errorf("%s of %d: %d redundant, %v; want %d, %v", c.scheme.Text, c.n, got, ok, c.want, c.ok)
		}
	}
}

// Every type of plant is built, sized and judged on the design day.
func TestPlantTypes(t *testing.T) {
	for _, kind := range []string{"water-cooled-chiller", "air-cooled-chiller", "dx"} {
		f := build(t, hall, Options{Set: []string{"plants.cw.type=" + kind}})
		if s := f.Cooling.Plants[0].Spec(); s.Type != kind || s.CapacityW < 1.08e6 {
			t.Errorf("%s: %+v", kind, s)
		}
		if f.Cooling.Rooms[0].Direct != (kind == "dx") {
			t.Errorf("%s: room %+v", kind, f.Cooling.Rooms[0])
		}
	}
	for _, set := range []string{"plants.cw.economizer=free-cooling", "cooling.liquid={cdus: 1, capacity: 1 MW, plant: cw}"} {
		kind := "dx"
		if strings.Contains(set, "economizer") {
			kind = "water-cooled-chiller"
		}
		if _, err := Load("x.yaml", []byte(hall), Options{Set: []string{"plants.cw.type=" + kind, set}}); err == nil {
			t.Errorf("%s on a %s is accepted", set, kind)
		}
	}
}

// A dry cooler that cannot hold its set-point on the hot day is judged at what the servers allow, and its
// own answer stays as it is.
func TestFloatingCooler(t *testing.T) {
	f := build(t, block1, Options{Variant: "liquid-48"})
	p := f.Cooling.Plants[1]
	spec := p.Spec()
	if spec.WarmestC != 42 {
		t.Fatalf("plant %T, warmest supply %g °C; want 45 °C less the approach of 3 K", p, spec.WarmestC)
	}
	at := p.Solve(cooling.Load{HeatW: spec.CapacityW * 3, ReturnC: 37, Units: 3, SetC: 29, Out: f.Design})
	judged := cooling.CapacityAt(p, 3, f.Design)
	if at.Held || at.CapacityW != 0 || judged < 1e6 {
		t.Errorf("at %.1f °C: %.0f W at the set-point, judged at %.0f W; want nothing and 1 MW", f.Design.DryBulbC, at.CapacityW, judged)
	}
}
