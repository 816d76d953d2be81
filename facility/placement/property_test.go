package placement

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// drawHall makes a small hall with limits that often bind. Racks may hang on any busway of each side,
// so that the cuts cross. Nodes with redundant units lose by the square of the load alone: then their
// loss is greatest without the redundant units, which is how the checker takes it.
func drawHall(t *rapid.T, maxRacks, models int) *facility.Facility {
	f := &facility.Facility{}
	for m := range models {
		w := rapid.Int64Range(1000, 20000).Draw(t, "w")
		model := facility.Model{
			Name: fmt.Sprintf("m%d", m), HeightU: rapid.IntRange(1, 3).Draw(t, "u"), PlanW: w, PlanAirW: w,
			PF: rapid.SampledFrom([]float64{1, 0.98, 0.95}).Draw(t, "pf"), WeightKg: rapid.Float64Range(10, 100).Draw(t, "kg"),
			AirflowM3s: rapid.Float64Range(0.1, 1).Draw(t, "airflow"), PSUs: 4, PSUNeeded: 2, PSURatingW: 5000,
		}
		if rapid.Bool().Draw(t, "liquid") {
			model.PlanLiquidW = w * rapid.Int64Range(0, 9).Draw(t, "liquid share") / 10
			model.PlanAirW = w - model.PlanLiquidW
			model.FlowLPM = rapid.Float64Range(1, 20).Draw(t, "flow")
		}
		f.Models = append(f.Models, model)
		f.Orders = append(f.Orders, facility.Order{Model: m, Max: true})
		if m < models-1 || rapid.Bool().Draw(t, "counted") {
			f.Orders[m] = facility.Order{Model: m, Count: rapid.IntRange(0, 8).Draw(t, "count")}
		}
	}
	n := rapid.IntRange(1, maxRacks).Draw(t, "racks")
	limit := func(name string, lo, hi int64) int64 {
		if rapid.Bool().Draw(t, name+" stated") {
			return rapid.Int64Range(lo, hi).Draw(t, name)
		}
		return facility.NoLimit
	}
	rooms, loops := rapid.IntRange(0, 2).Draw(t, "rooms"), rapid.IntRange(0, 2).Draw(t, "loops")
	for i := range n {
		r := bare(i, rapid.IntRange(1, 4).Draw(t, "height"))
		r.PowerW, r.AirW, r.LiquidW = limit("power", 0, 70000), limit("air", 0, 70000), limit("liquid", 0, 50000)
		r.Room, r.Loop = rapid.IntRange(-1, rooms-1).Draw(t, "room"), rapid.IntRange(-1, loops-1).Draw(t, "loop")
		if rapid.IntRange(0, 3).Draw(t, "weigh") == 0 {
			r.FrameKg, r.LoadKg = 150, rapid.Float64Range(150, 400).Draw(t, "load")
		}
		if rapid.IntRange(0, 3).Draw(t, "reserve") == 0 {
			r.ReserveW, r.ReserveU = rapid.Int64Range(0, 3000).Draw(t, "reserve W"), rapid.IntRange(0, 1).Draw(t, "reserve U")
		}
		f.Racks = append(f.Racks, r)
	}
	some := func(name string, lo, hi float64) float64 {
		if rapid.Bool().Draw(t, name+" stated") {
			return rapid.Float64Range(lo, hi).Draw(t, name)
		}
		return 0
	}
	plants := rapid.IntRange(0, 1).Draw(t, "plants")
	for range plants {
		f.Cooling.Plants = append(f.Cooling.Plants, rated{cooling.Spec{Name: "plant", Units: 3, Redundant: 1, CapacityW: rapid.Float64Range(1e4, 1e5).Draw(t, "plant")}})
	}
	for range rooms {
		f.Cooling.Rooms = append(f.Cooling.Rooms, cooling.Room{
			Name: "room", Units: 3, Redundant: 1, CapacityW: some("room", 5e3, 5e4),
			AirflowM3s: some("airflow", 0.1, 3), FanW: some("fan", 0, 1000), Plant: plants - 1,
		})
	}
	for range loops {
		f.Cooling.Loops = append(f.Cooling.Loops, cooling.Loop{
			Name: "loop", CDUs: 2, Redundant: 1, CapacityW: some("cdu", 5e3, 5e4), FlowLPM: some("flow", 1, 100), Plant: plants - 1,
		})
		if l := &f.Cooling.Loops[len(f.Cooling.Loops)-1]; rooms > 0 && rapid.IntRange(0, 2).Draw(t, "into air") == 0 {
			l.Air = &cooling.AirSink{Room: rapid.IntRange(0, rooms-1).Draw(t, "sink"), AirflowM3s: rapid.Float64Range(0.1, 3).Draw(t, "sink air"), FanW: some("sink fan", 0, 500)}
			l.PumpW = some("pump", 0, 500)
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "no power") > 0 {
		drawPower(t, f)
	}
	return f
}

func drawLoss(t *rapid.T, redundant bool) power.Loss {
	l := power.Loss{C: rapid.SampledFrom([]float64{0, 0.01, 0.05}).Draw(t, "c")}
	if !redundant {
		l.A = rapid.SampledFrom([]float64{0, 0.003, 0.02}).Draw(t, "a")
		l.B = rapid.SampledFrom([]float64{0, 0.01}).Draw(t, "b")
	}
	return l
}

func drawPower(t *rapid.T, f *facility.Facility) {
	var nodes []power.Node
	add := func(id string, kind power.Kind, side string, hi float64, from ...string) {
		n := node(id, kind, rapid.Float64Range(hi/4, hi).Draw(t, "rating"), from...)
		n.Side, n.PF = side, rapid.SampledFrom([]float64{1, 0.9}).Draw(t, "node pf")
		n.Derate = rapid.SampledFrom([]float64{1, 0.8}).Draw(t, "derate")
		if rapid.IntRange(0, 2).Draw(t, "group") == 0 {
			n.Units, n.Redundant = rapid.IntRange(2, 3).Draw(t, "units"), 1
		}
		n.Loss = drawLoss(t, n.Redundant > 0)
		n.Transfer = len(from) > 1 && rapid.Bool().Draw(t, "transfer")
		nodes = append(nodes, n)
	}
	sides := rapid.SampledFrom([][]string{{"A", "B"}, {"A", "B"}, {"A"}, {"A", "B", "C"}, {"", ""}}).Draw(t, "sides")
	add("utility", power.Utility, "", 4e5)
	top := []string{"utility"}
	if rapid.Bool().Draw(t, "generator") {
		add("gen", power.Generator, "", 4e5)
		top = append(top, "gen")
	}
	if rapid.Bool().Draw(t, "two transformers") {
		add("tx0", power.Transformer, "", 3e5, "utility")
		add("tx1", power.Transformer, "", 3e5, top...)
		top = []string{"tx0", "tx1"}
	}
	buses := rapid.IntRange(1, 2).Draw(t, "busways")
	for k, side := range sides {
		ups := fmt.Sprintf("ups%d", k)
		add(ups, power.UPS, side, 2e5, top...)
		for b := range buses {
			add(fmt.Sprintf("bus%d.%d", k, b), power.Distribution, side, 1e5, ups)
		}
	}
	for i := range f.Racks {
		for k, side := range sides {
			add(fmt.Sprintf("feed%d.%d", i, k), power.RackFeed, side, 1e5, fmt.Sprintf("bus%d.%d", k, rapid.IntRange(0, buses-1).Draw(t, "bus")))
		}
	}
	g, err := power.New(nodes)
	if err != nil {
		t.Fatal(err)
	}
	f.Power = g
	for i := range f.Racks {
		for k := range sides {
			n, _ := g.Index(fmt.Sprintf("feed%d.%d", i, k))
			f.Racks[i].Feeds = append(f.Racks[i].Feeds, n)
		}
	}
	u, _ := g.Index("utility")
	f.OtherW, f.OtherFed = rapid.Float64Range(0, 5000).Draw(t, "other"), []int{u}
	k, _ := g.Index("ups0")
	f.Mechanical = []facility.MechanicalLoad{{Name: "fans", W: rapid.Int64Range(0, 9000).Draw(t, "fans"), Fed: []int{k}}}
}

func countsOf(l *Layout) [][]int {
	counts := make([][]int, len(l.Facility.Racks))
	for i := range counts {
		counts[i] = make([]int, len(l.Facility.Models))
	}
	for _, s := range l.Servers {
		counts[s.Rack][s.Model]++
	}
	return counts
}

func mustPlace(t *rapid.T, f *facility.Facility) *Layout {
	l, err := Place(f)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestOneModelIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 4, 1)
		l := mustPlace(t, f)
		c := newChecker(f)
		if b := c.breaks(countsOf(l)); b != "" {
			t.Fatalf("placement breaks %s", b)
		}
		best := c.most()
		if bound := Bound(f); bound < best {
			t.Fatalf("bound %d below the optimum %d", bound, best)
		}
		if len(l.Servers) != best {
			t.Fatalf("placed %d, optimum %d, bound %d", len(l.Servers), best, l.Bound)
		}
	})
}

func TestSeveralModelsStayWithinLimitsAndBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 2, rapid.IntRange(2, 3).Draw(t, "models"))
		l := mustPlace(t, f)
		c := newChecker(f)
		if b := c.breaks(countsOf(l)); b != "" {
			t.Fatalf("placement breaks %s", b)
		}
		if best, bound := c.most(), Bound(f); bound < best || len(l.Servers) > best {
			t.Fatalf("placed %d, optimum %d, bound %d", len(l.Servers), best, bound)
		}
	})
}

func TestRollUpsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 6, 2)
		l := mustPlace(t, f)
		servers, usedW := 0, int64(0)
		for i, r := range l.Racks {
			w, air, liquid, u := int64(0), int64(0), int64(0), 0
			for _, s := range l.Servers {
				if s.Rack == i {
					m := &f.Models[s.Model]
					if s.U != u+1 {
						t.Fatalf("server %s does not stand on the one below", s.ID)
					}
					w, air, liquid, u = w+m.PlanW, air+m.PlanAirW, liquid+m.PlanLiquidW, u+m.HeightU
				}
			}
			if w != r.UsedW || air != r.AirW || liquid != r.LiquidW || u != r.UsedU || r.PhaseW[0]+r.PhaseW[1]+r.PhaseW[2] != w {
				t.Fatalf("rack %d: %+v", i, r)
			}
			if f.Racks[i].PowerW != facility.NoLimit && r.Servers > 0 && r.UsedW+f.Racks[i].ReserveW+r.FreeW != f.Racks[i].PowerW {
				t.Fatalf("rack %d: used, reserved and free do not make the limit: %+v", i, r)
			}
			if (r.Binding == Order) != (len(r.Next) == 0) {
				t.Fatalf("rack %d: bound by %s, refused by %v", i, r.Binding, r.Next)
			}
			for _, x := range r.Next {
				if !(x.Short > 0) || x.Where == "" {
					t.Fatalf("rack %d: refusal %+v", i, x)
				}
			}
			servers += r.Servers
			usedW += w
		}
		if servers != len(l.Servers) {
			t.Fatal("servers do not add up")
		}
		if w := l.Waterfall; w.Level != "" {
			sum := int64(0)
			for _, step := range w.Steps {
				sum += step.W
				if step.W < 0 && step.Name != StepOver {
					t.Fatalf("step below zero: %+v", w)
				}
			}
			if sum != w.InstalledW {
				t.Fatalf("the steps make %d W of %d: %+v", sum, w.InstalledW, w)
			}
		}
		byRacks, space, strandedW := 0, 0, int64(0)
		for _, b := range l.Binding {
			byRacks += b.Racks
		}
		for _, b := range l.StrandedBy {
			space += b.SpaceU
			strandedW += max(0, b.PowerW)
		}
		if byRacks != len(f.Racks) || space != l.Stranded.SpaceU || strandedW != max(0, l.Stranded.PowerW) {
			t.Fatalf("binding %+v, stranded %+v by %+v", l.Binding, l.Stranded, l.StrandedBy)
		}
		if f.Power == nil {
			return
		}
		sources, reserves := int64(0), int64(0)
		for n := range f.Power.Nodes {
			if len(f.Power.Parents(n)) == 0 {
				sources += l.DemandW[n]
			}
		}
		for _, r := range f.Racks {
			reserves += r.ReserveW
		}
		if float64(sources)+1e-6 < float64(usedW+reserves)+f.OtherW+float64(f.Mechanical[0].W) {
			t.Fatalf("the sources carry %d W of %d W placed", sources, usedW)
		}
	})
}

func TestRePlacingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 5, rapid.IntRange(1, 3).Draw(t, "models"))
		if rapid.Bool().Draw(t, "with lines") {
			drawLines(t, f)
		}
		l := mustPlace(t, f)
		again := *f
		again.Orders = nil
		for m := range f.Models {
			n := 0
			for _, s := range l.Servers {
				if s.Model == m {
					n++
				}
			}
			again.Orders = append(again.Orders, facility.Order{Model: m, Count: n})
		}
		l2 := mustPlace(t, &again)
		if d := cmp.Diff(l.Servers, l2.Servers); d != "" {
			t.Fatal(d)
		}
	})
}

func TestRaisingALimitNeverPlacesFewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 5, 1)
		if rapid.Bool().Draw(t, "with lines") {
			drawLines(t, f)
		}
		before := mustPlace(t, f)
		i := rapid.IntRange(0, len(f.Racks)-1).Draw(t, "rack")
		r := &f.Racks[i]
		sys := &f.Cooling
		by := rapid.Float64Range(1, 3).Draw(t, "by")
		up := func(w *int64) {
			if *w != facility.NoLimit {
				*w = int64(float64(*w) * by)
			}
		}
		switch what := rapid.IntRange(0, 7).Draw(t, "what"); {
		case what == 0:
			up(&r.PowerW)
		case what == 1:
			up(&r.AirW)
		case what == 2:
			up(&r.LiquidW)
		case what == 3:
			r.HeightU++
		case what == 4 && len(sys.Rooms) > 0:
			sys.Rooms[0].CapacityW *= by
			sys.Rooms[0].AirflowM3s *= by
		case what == 5 && len(sys.Loops) > 0:
			sys.Loops[0].CapacityW *= by
			sys.Loops[0].FlowLPM *= by
		case what == 6 && f.Power != nil:
			n := rapid.IntRange(0, len(f.Power.Nodes)-1).Draw(t, "node")
			f.Power.Nodes[n].Derate = 1 // the losses stay
		default:
			r.PowerW, r.AirW = facility.NoLimit, facility.NoLimit
		}
		if after := mustPlace(t, f); len(after.Servers) < len(before.Servers) {
			t.Fatalf("%d servers, then %d", len(before.Servers), len(after.Servers))
		}
	})
}
