package power

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var typicalUPS = Loss{A: 0.01325, B: -0.0096, C: 0.03795} // typical modern transformerless unit

func node(id string, kind Kind, from ...string) Node {
	return Node{ID: id, Kind: kind, From: from, Units: 1, RatingVA: 1e6, PF: 1, Derate: 1}
}

func mustNew(t testing.TB, nodes ...Node) *Graph {
	t.Helper()
	g, err := New(nodes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestNewOrdersParentsFirst(t *testing.T) {
	g := mustNew(t, node("feed", RackFeed, "bus"), node("u", Utility), node("bus", Distribution, "ups"), node("ups", UPS, "u"))
	var ids []string
	for i := range g.Nodes {
		ids = append(ids, g.Nodes[i].ID)
		for _, p := range g.Parents(i) {
			if p >= i {
				t.Errorf("%s stands before its parent", g.Nodes[i].ID)
			}
			if !slices.Contains(g.Children(p), i) {
				t.Errorf("%s is not a child of %s", g.Nodes[i].ID, g.Nodes[p].ID)
			}
		}
		if k, ok := g.Index(g.Nodes[i].ID); !ok || k != i {
			t.Errorf("Index(%q) = %d, %v", g.Nodes[i].ID, k, ok)
		}
	}
	if want := []string{"u", "ups", "bus", "feed"}; !slices.Equal(ids, want) {
		t.Errorf("order %v, want %v", ids, want)
	}
}

func TestNewNamesEveryProblem(t *testing.T) {
	bad := node("bad", Distribution, "u", "u", "nowhere")
	bad.Line, bad.Units, bad.Redundant, bad.RatingVA, bad.PF, bad.Derate = 7, 0, 1, 0, 1.2, math.NaN()
	free := node("free", UPS, "u")
	free.Loss = Loss{A: -0.01}
	_, err := New([]Node{
		node("u", Utility), node("u", Utility), bad, free,
		node("a", UPS, "c"), node("b", UPS, "a"), node("c", UPS, "b"),
		node("orphan", Distribution), node("gen", Generator, "u"), node("", Utility), node("self", UPS, "self"),
		node("near", UPS, "bad2"),
	})
	var all Errors
	if !errors.As(err, &all) {
		t.Fatalf("error is %T", err)
	}
	for _, want := range []string{
		`"u": is defined twice`,
		`line 7: power node "bad": has 0 units`,
		`claims 1 redundant of 0`,
		`rating of 0 VA`,
		`power factor of 1.2`,
		`derate of NaN`,
		`names "u" twice`,
		`fed from "nowhere", which does not exist`,
		`gives energy away`,
		`cycle of feeds`,
		`"orphan": is an orphan: nothing feeds this distribution`,
		`"gen": is a generator and cannot be fed from u`,
		`has no id`,
		`self → self`,
		`nearest is "bad"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in:\n%v", want, err)
		}
	}
	if !strings.Contains(err.Error(), "a → b → c → a") && !strings.Contains(err.Error(), "c → a → b → c") && !strings.Contains(err.Error(), "b → c → a → b") {
		t.Errorf("cycle is not named:\n%v", err)
	}
}

func TestCapacityRoundsDownButKeepsExactFits(t *testing.T) {
	n := node("u", Utility)
	n.RatingVA, n.Derate, n.Units = 53625, 0.8, 3
	g := mustNew(t, n)
	if got := g.CapacityVA(0, 1); got != 42900 {
		t.Errorf("0.8 × 53,625 VA = %d, want 42900", got)
	}
	if got := g.CapacityVA(0, 0); got != 0 {
		t.Errorf("no unit up: %d", got)
	}
	if got := mustNew(t, Node{ID: "u", Units: 1, RatingVA: 999.999, PF: 1, Derate: 1}).CapacityW(0, 1); got != 999 {
		t.Errorf("999.999 W = %d, want 999", got)
	}
}

// hall is utility and generator, two UPS sides with transfer, a busway each, and racks on both.
func hall(t testing.TB, racks int) (*Graph, []Consumer) {
	nodes := []Node{node("utility", Utility), node("gen", Generator), node("tx", Transformer, "utility")}
	nodes[0].RatingVA, nodes[1].RatingVA, nodes[2].RatingVA = 1e9, 1e9, 1e9
	nodes[2].Loss = Loss{A: 0.002, C: 0.008}
	for _, side := range []string{"A", "B"} {
		ups := node("ups["+side+"]", UPS, "tx", "gen")
		ups.Side, ups.Transfer, ups.Loss, ups.RatingVA = side, true, typicalUPS, 1e8
		bus := node("bus["+side+"]", Distribution, ups.ID)
		bus.Side, bus.Loss, bus.RatingVA = side, Loss{A: 0.0005, C: 0.004}, 1e8
		nodes = append(nodes, ups, bus)
	}
	for r := range racks {
		for _, side := range []string{"A", "B"} {
			feed := node(fmt.Sprintf("R%d.%s", r, side), RackFeed, "bus["+side+"]")
			feed.Side = side
			nodes = append(nodes, feed)
		}
	}
	g := mustNew(t, nodes...)
	var consumers []Consumer
	for r := range racks {
		a, _ := g.Index(fmt.Sprintf("R%d.A", r))
		b, _ := g.Index(fmt.Sprintf("R%d.B", r))
		consumers = append(consumers, Consumer{Name: fmt.Sprintf("R%d", r), Fed: []int{a, b}, IT: true})
	}
	tx, _ := g.Index("tx")
	consumers = append(consumers, Consumer{Name: "chillers", Fed: []int{tx}})
	return g, consumers
}

func TestWhatCarriesWhatAfterALoss(t *testing.T) {
	g, consumers := hall(t, 2)
	f := g.NewFlow(consumers)
	at := func(id string) int { i, _ := g.Index(id); return i }
	f.Set(0, 40e3)
	f.Set(1, 20e3)
	near(t, "A normal", f.OutW(at("R0.A")), 20e3, 1e-6)
	near(t, "busway A", f.OutW(at("bus[A]")), 30e3, 1e-6)
	if w := f.InW(at("gen")); w != 0 {
		t.Errorf("generator draws %g W while the utility lives", w)
	}
	if f.LiveFeeds(0) != 2 {
		t.Errorf("live feeds %d", f.LiveFeeds(0))
	}

	f.SetUp(at("ups[A]"), 0)
	near(t, "B carries all", f.OutW(at("bus[B]")), 60e3, 1e-6)
	near(t, "A carries nothing", f.OutW(at("bus[A]"))+f.LossW(at("bus[A]")), 0, 0)
	if f.LiveFeeds(0) != 1 || f.Live[at("R0.A")] || !f.Served(0) {
		t.Error("rack 0 should hang on one feed")
	}
	f.SetUp(at("ups[A]"), 9)
	if f.Up[at("ups[A]")] != 1 {
		t.Error("more units up than installed")
	}

	f.SetUp(at("utility"), 0)
	near(t, "generator takes over", f.InW(at("gen")), f.InW(at("ups[A]"))+f.InW(at("ups[B]")), 1e-6)
	if f.Served(2) { // the chillers hang on the transformer
		t.Error("chillers are served by a dead transformer")
	}
	near(t, "facility", f.FacilityW(), f.InW(at("gen")), 1e-6)

	f.SetUp(at("gen"), 0)
	if f.Served(0) || f.FacilityW() != 0 || f.ITW() != 0 {
		t.Error("nothing is live, but something is served")
	}
	f.SetBattery(at("ups[A]"), true)
	near(t, "battery", f.FacilityW(), f.InW(at("ups[A]")), 1e-6)
	near(t, "battery carries all", f.ITW(), 60e3, 1e-6)
	f.SetBattery(at("ups[A]"), false)
	f.SetUp(at("utility"), 1)
	near(t, "back to normal", f.OutW(at("bus[A]")), 30e3, 1e-6)
}

func TestStandbyGeneratorChainIsDark(t *testing.T) {
	step := node("step-up", Transformer, "gen")
	step.Loss = Loss{A: 0.002}
	ups := node("ups", UPS, "u", "step-up")
	ups.Transfer = true
	gen := node("gen", Generator)
	gen.Loss = Loss{A: 0.01}
	g := mustNew(t, node("u", Utility), gen, step, ups)
	f := g.NewFlow([]Consumer{{Fed: []int{3}, IT: true}})
	f.Set(0, 1000)
	near(t, "facility", f.FacilityW(), 1000, 1e-6)
	f.SetUp(0, 0)
	near(t, "on the generator with both no-load losses", f.FacilityW(), 1000+2000+10000, 1e-6)
}

func TestNoLoadLossAndCurve(t *testing.T) {
	ups := node("ups", UPS, "u")
	ups.Loss, ups.Units, ups.RatingVA, ups.PF, ups.Derate = typicalUPS, 4, 1e5, 0.9, 0.8
	g := mustNew(t, node("u", Utility), ups)
	f := g.NewFlow([]Consumer{{Fed: []int{1}, IT: true}})
	near(t, "no-load", f.LossW(1), 4*9e4*0.01325, 1e-6)
	f.Set(0, 180e3) // half of 360 kW, whatever the derate
	near(t, "half load", f.LossW(1), 360e3*typicalUPS.At(0.5), 1e-6)
	f.SetUp(1, 3)
	near(t, "three up", f.LossW(1), 270e3*typicalUPS.At(180.0/270), 1e-6)
	if f.Overloaded() != nil {
		t.Errorf("180 of 216 kW: %v", f.Overloaded())
	}
	f.SetUp(1, 2)
	if !slices.Equal(f.Overloaded(), []int{1}) {
		t.Errorf("180 of 144 kW: %v", f.Overloaded())
	}
}

func TestSetRefusesWhatIsNoLoad(t *testing.T) {
	g := mustNew(t, node("u", Utility))
	f := g.NewFlow([]Consumer{{Fed: []int{0, 7, -1}}, {Name: "no feed"}})
	f.Set(0, 100)
	for _, w := range []float64{math.NaN(), math.Inf(1), -1, 2e9} {
		f.Set(0, w)
	}
	f.Set(1, 50)
	if f.Refused != 4 || f.FacilityW() != 100 || f.Served(1) || f.LoadW(1) != 50 {
		t.Errorf("refused %d, facility %g", f.Refused, f.FacilityW())
	}
}

func TestSharedAncestors(t *testing.T) {
	g, _ := hall(t, 1)
	a, _ := g.Index("R0.A")
	b, _ := g.Index("R0.B")
	var ids []string
	for _, n := range g.SharedAncestors(a, b) {
		ids = append(ids, g.Nodes[n].ID)
	}
	if want := []string{"utility", "gen", "tx"}; !slices.Equal(ids, want) {
		t.Errorf("shared %v, want %v", ids, want)
	}
	if got := g.SharedAncestors(a, a); len(got) != len(g.Ancestors(a)) {
		t.Errorf("a node shares everything with itself: %v", got)
	}
}

// Nodes of one kind in a row are metered once, at the lowest.
func TestMeterWithPDUsAboveAndBesideRPPs(t *testing.T) {
	pdu, rpp := node("pdu", Distribution, "ups"), node("rpp", Distribution, "pdu")
	pdu.Loss, rpp.Loss = Loss{A: 0.01, C: 0.01}, Loss{A: 0.001, C: 0.01}
	g := mustNew(t, node("u", Utility), node("ups", UPS, "u"), pdu, rpp)
	f := g.NewFlow([]Consumer{{Fed: []int{3}, IT: true}, {Fed: []int{2}, IT: true}, {Fed: []int{3}}})
	f.Set(0, 1e5)
	f.Set(1, 5e4)
	f.Set(2, 3e4)
	near(t, "PDU meter", f.MeterITW(Distribution), 1.5e5, 1e-5)
	near(t, "server cords", f.ITW(), 1.5e5, 1e-6)
	m := f.ITMeter(UPS)
	near(t, "UPS meter", f.MeterITW(UPS), m.MeterW, 1e-5)
	if m.LossW <= 0 {
		t.Error("no loss below the UPS")
	}
}

// randomGraph draws a graph of up to 14 nodes with random losses, sharing and transfer.
func randomGraph(t *rapid.T) *Graph {
	n := rapid.IntRange(1, 14).Draw(t, "nodes")
	var nodes []Node
	for i := range n {
		nd := Node{
			ID: fmt.Sprintf("n%d", i), Kind: Kind(rapid.IntRange(0, 6).Draw(t, "kind")),
			Units: rapid.IntRange(1, 4).Draw(t, "units"), RatingVA: rapid.Float64Range(1e4, 1e7).Draw(t, "rating"),
			PF: rapid.Float64Range(0.5, 1).Draw(t, "pf"), Derate: 1, Transfer: rapid.Bool().Draw(t, "transfer"),
			Loss: Loss{
				A: noLoad.Draw(t, "a"), B: rapid.Float64Range(0, 0.05).Draw(t, "b"),
				C: rapid.Float64Range(0, 0.05).Draw(t, "c"),
			},
		}
		if i == 0 {
			nd.Kind = Utility
		}
		if nd.Kind > Generator {
			for _, p := range rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 1, min(i, 4), rapid.ID[int]).Draw(t, "from") {
				nd.From = append(nd.From, nodes[p].ID)
			}
		}
		nodes = append(nodes, nd)
	}
	g, err := New(nodes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// loads are those of racks and plants. Below about 1 W a share of a big no-load loss is no better known
// than the step of the loads.
var loads = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(100, 5e5))

// Half of the graphs have no standby losses and are re-routed step by step.
var noLoad = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 0.05))

func TestFlowProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		n := len(g.Nodes)
		var consumers []Consumer
		for range rapid.IntRange(0, 8).Draw(t, "consumers") {
			consumers = append(consumers, Consumer{
				Fed: rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, 3, rapid.ID[int]).Draw(t, "fed"),
				IT:  rapid.Bool().Draw(t, "it"),
			})
		}
		f := g.NewFlow(consumers)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch {
			case rapid.IntRange(0, 4).Draw(t, "what") == 0:
				i := rapid.IntRange(0, n-1).Draw(t, "node")
				f.SetUp(i, rapid.IntRange(0, g.Nodes[i].Units).Draw(t, "up"))
			case rapid.IntRange(0, 9).Draw(t, "what else") == 0:
				f.SetBattery(rapid.IntRange(0, n-1).Draw(t, "node"), rapid.Bool().Draw(t, "on"))
			case len(consumers) > 0:
				f.Set(rapid.IntRange(0, len(consumers)-1).Draw(t, "consumer"), loads.Draw(t, "w"))
			}
		}
		checkFlow(t, g, f, consumers)

		// Set has led to the same state as solving from scratch, to the bit.
		fresh := g.NewFlow(consumers)
		copy(fresh.Up, f.Up)
		copy(fresh.OnBattery, f.OnBattery)
		for i := range consumers {
			fresh.Set(i, f.LoadW(i))
		}
		fresh.Solve()
		for _, p := range [][2]any{
			{carried(f), carried(fresh)},
			{f.Live, fresh.Live},
			{f.FacilityW(), fresh.FacilityW()},
			{f.ITW(), fresh.ITW()},
			{f.lossByK, fresh.lossByK},
			{f.itByK, fresh.itByK},
		} {
			if d := cmp.Diff(p[0], p[1]); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// checkFlow recomputes the balance of every node in plain floating point.
func checkFlow(t *rapid.T, g *Graph, f *Flow, consumers []Consumer) {
	same := func(what string, i int, got, want float64) {
		if math.Abs(got-want) > 1e-9*math.Max(math.Abs(want), 1e3) {
			t.Fatalf("%s at node %d: %.12g, want %.12g", what, i, got, want)
		}
	}
	out := make([]float64, len(g.Nodes))
	var served float64
	for i, c := range consumers {
		var live []int
		for _, n := range c.Fed {
			if f.Live[n] {
				live = append(live, n)
			}
		}
		if len(live) != f.LiveFeeds(i) {
			t.Fatalf("consumer %d: %d live feeds, want %d", i, f.LiveFeeds(i), len(live))
		}
		for _, n := range live {
			out[n] += f.LoadW(i) / float64(len(live))
		}
		if len(live) > 0 {
			served += f.LoadW(i)
		}
	}
	var sources, losses float64
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		node := &g.Nodes[i]
		same("out", i, f.OutW(i), out[i])
		same("in = out + loss", i, f.InW(i), f.OutW(i)+f.LossW(i))
		if f.LossW(i) < 0 || f.ITOutW(i) > f.OutW(i) || f.ITOutW(i) < 0 {
			t.Fatalf("node %d: loss %g, IT %g of %g", i, f.LossW(i), f.ITOutW(i), f.OutW(i))
		}
		losses += f.LossW(i)
		var live []int
		for _, p := range g.Parents(i) {
			if f.Live[p] {
				live = append(live, p)
			}
		}
		if node.Transfer && len(live) > 1 {
			live = live[:1]
		}
		battery := f.OnBattery[i] && f.Up[i] > 0
		if battery {
			live = nil
			sources += f.InW(i)
		}
		if want := f.Up[i] > 0 && (len(g.Parents(i)) == 0 || len(live) > 0 || battery); f.Live[i] != want {
			t.Fatalf("node %d live %v, want %v", i, f.Live[i], want)
		}
		if !f.Live[i] {
			same("dead", i, f.InW(i), 0)
			continue
		}
		if f.OutW(i) > 0 {
			rated := node.RatingVA * node.PF * float64(f.Up[i])
			same("loss", i, f.LossW(i), rated*node.Loss.At(f.OutW(i)/rated))
		}
		for _, p := range live {
			out[p] += f.InW(i) / float64(len(live))
		}
		if len(g.Parents(i)) == 0 && !battery {
			sources += f.InW(i)
		}
	}
	same("facility", -1, f.FacilityW(), sources)
	same("facility = served + losses", -1, f.FacilityW(), served+losses)
	var byKind float64
	for k := Utility; k <= RackFeed; k++ {
		byKind += f.KindLossW(k)
		m := f.ITMeter(k)
		same("meter", int(k), f.MeterITW(k), m.MeterW)
		same("meter less losses below", int(k), m.MeterW-m.LossW, m.ConsumerW)
	}
	same("losses by kind", -1, byKind, losses)
	l := Legs(int64(f.FacilityW()))
	if l[0]+l[1]+l[2] != int64(f.FacilityW()) {
		t.Fatal("phases do not add up")
	}
}

func BenchmarkSet(b *testing.B) {
	g, consumers := hall(b, 1000)
	f := g.NewFlow(consumers)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f.Set(i%1000, float64(30000+i%1009))
	}
}

func BenchmarkLoseABusway(b *testing.B) {
	g, consumers := hall(b, 20)
	f := g.NewFlow(consumers)
	for i := range consumers {
		f.Set(i, 40e3)
	}
	bus, _ := g.Index("bus[A]")
	for i := 0; b.Loop(); i++ {
		f.SetUp(bus, i%2)
	}
}

func BenchmarkSolve10kRacks(b *testing.B) {
	g, consumers := hall(b, 10000)
	f := g.NewFlow(consumers)
	for b.Loop() {
		f.Solve()
	}
}

func TestSetDoesNotAllocate(t *testing.T) {
	g, consumers := hall(t, 3)
	f := g.NewFlow(consumers)
	w := 1000.0
	if n := testing.AllocsPerRun(100, func() { w += 7; f.Set(1, w) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// Loads set together and brought up once leave the state that setting them one by one does.
func TestSetLater(t *testing.T) {
	g, consumers := hall(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		one, all := g.NewFlow(consumers), g.NewFlow(consumers)
		for range rapid.IntRange(1, 4).Draw(t, "instants") {
			if rapid.Bool().Draw(t, "loses") {
				n, up := rapid.IntRange(0, len(g.Nodes)-1).Draw(t, "node"), rapid.IntRange(0, 1).Draw(t, "up")
				one.SetUp(n, up)
				all.SetUp(n, up)
			}
			for range rapid.IntRange(0, 10).Draw(t, "loads") {
				c, w := rapid.IntRange(0, len(consumers)-1).Draw(t, "consumer"), rapid.Float64Range(0, 1e5).Draw(t, "w")
				one.Set(c, w)
				all.SetLater(c, w)
			}
			if rapid.Bool().Draw(t, "applies") { // else the next loss does
				all.Apply()
			}
		}
		all.Apply()
		if d := cmp.Diff(carried(one), carried(all)); d != "" {
			t.Fatal(d)
		}
		if one.FacilityW() != all.FacilityW() || one.ITW() != all.ITW() {
			t.Fatalf("facility %v, %v W, IT %v, %v W", one.FacilityW(), all.FacilityW(), one.ITW(), all.ITW())
		}
	})
}

// carried is what every node draws, carries, loses and passes on to IT.
func carried(f *Flow) (w [][4]float64) {
	for n := range f.state {
		w = append(w, [4]float64{f.InW(n), f.OutW(n), f.LossW(n), f.ITOutW(n)})
	}
	return w
}
