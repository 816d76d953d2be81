package placement

import (
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// TestMain raises the number of random halls: the rare ones, where cuts cross, are what breaks.
func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := flag.Set("rapid.checks", "1000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Servers with the makers' nameplate figures (NVIDIA user guides); all heat into air but for the last.
func dgxH100() facility.Model {
	return facility.Model{
		Name: "dgx-h100", GPUs: 8, HeightU: 8, WeightKg: 130.45, NameplateW: 10200, PlanW: 10200, PlanAirW: 10200,
		PF: 0.98, PSUs: 6, PSUNeeded: 4, PSURatingW: 3300, ShortRule: "degraded", AirflowM3s: 0.5215,
	}
}

func dgxB200() facility.Model {
	m := dgxH100()
	m.Name, m.HeightU, m.WeightKg, m.NameplateW, m.PlanW, m.PlanAirW, m.PSUNeeded, m.AirflowM3s = "dgx-b200", 10, 142.4, 14300, 14300, 14300, 5, 0.7315
	return m
}

func liquidH100() facility.Model {
	m := dgxH100()
	m.Name, m.HeightU, m.Liquid, m.PlanLiquidW, m.PlanAirW, m.FlowLPM, m.AirflowM3s = "hgx-h100-liquid", 4, true, 8160, 2040, 12, 0.14
	return m
}

func watts(w int64) facility.Model {
	return facility.Model{Name: fmt.Sprintf("%d W", w), HeightU: 1, PlanW: w, PlanAirW: w, WeightKg: math.NaN(), PF: 1}
}

// bare is a rack with a height and no other limit.
func bare(i, heightU int) facility.Rack {
	return facility.Rack{
		ID: fmt.Sprintf("A%02d", i+1), Row: "A", Place: i, HeightU: heightU, PowerW: facility.NoLimit, AirW: facility.NoLimit,
		LiquidW: facility.NoLimit, LoadKg: math.NaN(), FrameKg: math.NaN(), Room: -1, Loop: -1,
	}
}

func racks(n, heightU int, powerW int64) []facility.Rack {
	list := make([]facility.Rack, n)
	for i := range list {
		list[i] = bare(i, heightU)
		list[i].PowerW = powerW
	}
	return list
}

func fillWith(m facility.Model, list []facility.Rack) *facility.Facility {
	return &facility.Facility{Racks: list, Models: []facility.Model{m}, Orders: []facility.Order{{Max: true}}}
}

func place(t testing.TB, f *facility.Facility) *Layout {
	t.Helper()
	l, err := Place(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Servers) > l.Bound {
		t.Fatalf("%d servers placed beyond the bound of %d", len(l.Servers), l.Bound)
	}
	for k, line := range l.Lines {
		if line.Placed > line.Asked || line.Placed > line.Bound {
			t.Fatalf("line %d: %+v", k, line)
		}
	}
	return l
}

func graph(t testing.TB, nodes ...power.Node) *power.Graph {
	t.Helper()
	g, err := power.New(nodes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func node(id string, kind power.Kind, ratingVA float64, from ...string) power.Node {
	return power.Node{ID: id, Kind: kind, From: from, Units: 1, RatingVA: ratingVA, PF: 1, Derate: 1}
}

// feedsFor gives every rack a circuit on each side, under one node of the side fed by the utility.
func feedsFor(t testing.TB, f *facility.Facility, circuitVA, derate float64, sides ...string) {
	t.Helper()
	nodes := []power.Node{node("utility", power.Utility, 1e9)}
	for _, side := range sides {
		n := node("ups["+side+"]", power.UPS, 1e9, "utility")
		n.Side = side
		nodes = append(nodes, n)
	}
	for i := range f.Racks {
		for _, side := range sides {
			n := node(f.Racks[i].ID+"."+side, power.RackFeed, circuitVA, "ups["+side+"]")
			n.Side, n.Derate = side, derate
			nodes = append(nodes, n)
		}
	}
	f.Power = graph(t, nodes...)
	for i := range f.Racks {
		for _, side := range sides {
			k, _ := f.Power.Index(f.Racks[i].ID + "." + side)
			f.Racks[i].Feeds = append(f.Racks[i].Feeds, k)
		}
	}
}

// rated is a plant that only has a rating.
type rated struct{ spec cooling.Spec }

func (p rated) Solve(cooling.Load) cooling.PlantPoint { return cooling.PlantPoint{} }
func (p rated) Spec() cooling.Spec                    { return p.spec }
