package placement

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility"
	"headroom/facility/power"
)

// drawLines puts circuits of a hall on single lines or pairs, and deals supplies to the lines of others.
func drawLines(t *rapid.T, f *facility.Facility) {
	if f.Power == nil {
		return
	}
	nodes := slices.Clone(f.Power.Nodes)
	one := rapid.SampledFrom(power.Ways[:]).Draw(t, "one way")
	for i := range f.Racks {
		r := &f.Racks[i]
		r.Outlets = rapid.SampledFrom([]facility.Outlets{facility.EvenOutlets, facility.LineNeutral, facility.LineLine}).Draw(t, "outlets")
		for _, n := range r.Feeds {
			switch rapid.IntRange(0, 3).Draw(t, "single-phase") {
			case 0:
				nodes[n].Lines = rapid.SampledFrom(power.Ways[:]).Draw(t, "lines")
			case 1, 2:
				nodes[n].Lines = one
			}
		}
	}
	for m := range f.Models {
		f.Models[m].PSUs = rapid.SampledFrom([]int{1, 2, 2, 3, 4, 5, 6, 7}).Draw(t, "supplies")
	}
	g, err := power.New(nodes)
	if err != nil {
		t.Fatal(err)
	}
	f.Power = g
}

// lineVolts are the voltages of three lines to neutral.
var lineVolts = [3]complex128{1, cmplx.Rect(1, -2*math.Pi/3), cmplx.Rect(1, 2*math.Pi/3)}

// currents adds up what loads by the way they hang on three lines draw: the checker's own way, with phasors.
func currents(load [6]float64) (amps [3]float64, neutral float64) {
	var i [3]complex128
	back := complex(0, 0)
	for k := range 3 {
		a := cmplx.Conj(complex(load[k], 0) / lineVolts[k])
		i[k] += a
		back += a
		b := cmplx.Conj(complex(load[3+k], 0) / (lineVolts[k] - lineVolts[(k+1)%3]))
		i[k] += b
		i[(k+1)%3] -= b
	}
	for k := range amps {
		amps[k] = cmplx.Abs(i[k])
	}
	return amps, cmplx.Abs(back)
}

func (c *checker) wayOf(n int) int { return slices.Index(power.Ways[:], c.f.Power.Nodes[n].Lines) }

// plugged is what a rack puts on one of its circuits that carries all of it, supply by supply; each server takes
// of(model).
func (c *checker) plugged(rack, feed int, counts []int, reserve float64, of func(m int) float64) (load [6]float64) {
	r := &c.f.Racks[rack]
	put := func(way int, w float64) {
		if on := c.wayOf(r.Feeds[feed]); on >= 0 {
			load[on] += w
		} else if way >= 0 {
			load[way] += w
		} else {
			for k := range 3 {
				load[k] += w / 3
			}
		}
	}
	put(-1, reserve)
	for m, n := range counts {
		mine := 0
		for k := range c.f.Models[m].PSUs {
			if k%len(r.Feeds) == feed {
				mine++
			}
		}
		turn := r.Place + m
		for range n {
			if mine == 0 {
				put(-1, of(m))
			}
			for range mine {
				way := -1
				switch r.Outlets {
				case facility.LineNeutral:
					way = turn % 3
				case facility.LineLine:
					way = 3 + turn%3
				}
				put(way, of(m)/float64(mine))
				turn++
			}
		}
	}
	return load
}

// breaksLines says which line carries too much.
func (c *checker) breaksLines(counts [][]int) string {
	f := c.f
	if f.Power == nil {
		return ""
	}
	pf := 1.0
	for _, o := range f.Orders {
		pf = math.Min(pf, f.Models[o.Model].PF)
	}
	used := make([]bool, len(f.Racks))
	for i, r := range f.Racks {
		for _, n := range counts[i] {
			used[i] = used[i] || n > 0
		}
		for k, n := range r.Feeds {
			node := &f.Power.Nodes[n]
			if !used[i] || c.wayOf(n) >= 0 || r.Outlets == facility.EvenOutlets {
				continue
			}
			amps, _ := currents(c.plugged(i, k, counts[i], math.Ceil(float64(r.ReserveW)/node.PF-1e-9), func(m int) float64 {
				return math.Ceil(float64(f.Models[m].PlanW)/f.Models[m].PF - 1e-9)
			}))
			for _, a := range amps {
				if a*c.mostOf(&f.Racks[i], n) > float64(f.Power.CapacityVA(n, node.Units-node.Redundant))/3*(1+1e-8)+1e-6 {
					return "line of circuit " + node.ID
				}
			}
		}
	}
	for _, fl := range c.cases {
		load := make([][6]float64, len(f.Power.Nodes))
		put := func(n int, l [6]float64, scale float64) {
			for way, w := range l {
				if on := c.wayOf(n); on >= 0 {
					way = on
				}
				load[n][way] += w * scale
			}
		}
		even := func(w float64) [6]float64 { return [6]float64{w / 3, w / 3, w / 3} }
		hang := func(fed []int, of func(k int) [6]float64) {
			live := 0
			for _, n := range fed {
				if fl.Live[n] {
					live++
				}
			}
			for k, n := range fed {
				if fl.Live[n] {
					put(n, of(k), 1/float64(live))
				}
			}
		}
		for i, r := range f.Racks {
			hang(r.Feeds, func(k int) [6]float64 {
				return c.plugged(i, k, counts[i], float64(r.ReserveW), func(m int) float64 { return float64(f.Models[m].PlanW) })
			})
		}
		hang(f.OtherFed, func(int) [6]float64 { return even(math.Ceil(f.OtherW)) })
		hang(f.Mechanical[0].Fed, func(int) [6]float64 { return even(float64(f.Mechanical[0].W)) })
		for n := len(load) - 1; n >= 0; n-- {
			node := &f.Power.Nodes[n]
			var sources []int
			for _, p := range f.Power.Parents(n) {
				if fl.Live[p] && (!node.Transfer || len(sources) == 0) {
					sources = append(sources, p)
				}
			}
			in := load[n]
			switch on := c.wayOf(n); {
			case node.Kind == power.UPS || node.Kind == power.Transformer:
				in = even(fl.InW(n))
			case on >= 0:
				in = [6]float64{}
				in[on] = fl.InW(n)
			case fl.OutW(n) == 0:
				in = even(fl.InW(n))
			default:
				for way := range in {
					in[way] *= fl.InW(n) / fl.OutW(n)
				}
			}
			for _, p := range sources {
				put(p, in, 1/float64(len(sources)))
			}
			if node.Kind == power.RackFeed || !c.feedsUsed(n, used) {
				continue
			}
			capW := node.RatingVA * float64(node.Units-node.Redundant) * node.Derate * node.PF
			if node.Kind == power.UPS || node.Kind == power.Distribution {
				capW = node.RatingVA * float64(node.Units-node.Redundant) * node.Derate * math.Min(node.PF, pf)
			}
			amps, _ := currents(load[n])
			for _, a := range amps {
				if a > math.Floor(capW*(1+1e-12))/3*(1+1e-8)+1e-3 {
					return "line of " + node.ID
				}
			}
		}
	}
	return ""
}

// Random halls with single-phase circuits and dealt supplies: no placement overloads a line in any loss that it
// claims to survive, as phasors add up, and each line of orders is as good as trying everything.
func TestLinesHoldAndEqualBruteForce(t *testing.T) {
	looked, bite := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 5, rapid.IntRange(1, 3).Draw(t, "models"))
		without := len(mustPlace(t, f).Servers)
		drawLines(t, f)
		l := mustPlace(t, f)
		c := newChecker(f)
		c.lines = true
		if b := c.breaks(countsOf(l)); b != "" {
			t.Fatalf("placement breaks %s", b)
		}
		if len(l.Servers) < without {
			bite++
		}
		best, ok := c.first(20_000)
		if !ok {
			return
		}
		looked++
		for k, line := range l.Lines {
			if line.Placed != best[k] || line.Bound < best[k] {
				t.Fatalf("line %d: placed %d, bound %d by %s, the best is %v", k, line.Placed, line.Bound, line.Proof, best)
			}
			if line.Placed > best[k] {
				break
			}
		}
	})
	t.Logf("%d halls tried in full; lines cost servers in %d", looked, bite)
	if looked < 300 || bite < 5 {
		t.Errorf("too few: %d halls, lines cost servers in %d", looked, bite)
	}
}

// Sums of phases are totals at every node and rack, and re-placing changes nothing.
func TestPhaseSumsAreTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 5, rapid.IntRange(1, 3).Draw(t, "models"))
		drawLines(t, f)
		l := mustPlace(t, f)
		for i, r := range l.Racks {
			if r.PhaseW[0]+r.PhaseW[1]+r.PhaseW[2] != r.UsedW || slices.Min(r.PhaseW[:]) < 0 {
				t.Fatalf("rack %d: %v of %d W", i, r.PhaseW, r.UsedW)
			}
		}
		for n, x := range l.Loads {
			if x.PhaseW[0]+x.PhaseW[1]+x.PhaseW[2] != x.NormalW || slices.Min(x.PhaseW[:]) < 0 {
				t.Fatalf("%s: %v of %d W", f.Power.Nodes[n].ID, x.PhaseW, x.NormalW)
			}
		}
		Pairs(l)
		Maintenance(l)
		s := siteOf(l)
		if s.elec == nil {
			return
		}
		for _, c := range s.elec.cases { // in quanta, in every case
			for n := range c.leg {
				if c.live[n] && s.phased && (c.leg[n].total() != c.out[n] || c.legIn[n].total() != c.in[n]) {
					t.Fatalf("%s, %s: %v of %d", c.name, f.Power.Nodes[n].ID, c.leg[n], c.out[n])
				}
			}
		}
	})
}

// oneBus is racks with single-phase or dealt circuits under one busway of 3 × 100 A at 415 V.
func oneBus(t testing.TB, n int, circuit func(i int, feed *power.Node)) *facility.Facility {
	f := fillWith(dgxH100(), racks(n, 42, facility.NoLimit))
	f.Models[0].PF = 1
	bus := node("bus", power.Distribution, power.ThreePhaseVA(415, 100), "utility")
	bus.VoltageLL = 415
	nodes := []power.Node{node("utility", power.Utility, 1e9), bus}
	for i := range f.Racks {
		feed := node(f.Racks[i].ID+".A", power.RackFeed, power.ThreePhaseVA(415, 63), "bus")
		feed.VoltageLL = 415
		circuit(i, &feed)
		nodes = append(nodes, feed)
	}
	f.Power = graph(t, nodes...)
	for i := range f.Racks {
		k, _ := f.Power.Index(f.Racks[i].ID + ".A")
		f.Racks[i].Feeds = []int{k}
	}
	return f
}

func TestLineOfABusBinds(t *testing.T) {
	// Six racks on L1 alone, 63 A to neutral each: 15.1 kVA hold one server of 10.2 kW, 42.6 A. The bus's L1
	// holds two of them, whatever L2 and L3 could take.
	on := func(lines ...power.Lines) *facility.Facility {
		return oneBus(t, 6, func(i int, feed *power.Node) {
			feed.Lines = lines[i%len(lines)]
			feed.RatingVA = feed.Lines.RatingVA(415, 63)
		})
	}
	l := place(t, on(power.L1))
	if len(l.Servers) != 2 || l.Bound != 2 || l.Racks[5].Binding != Phase {
		t.Fatalf("%d servers, bound %d, by %s", len(l.Servers), l.Bound, l.Racks[5].Binding)
	}
	r := l.Racks[5].Next[0]
	if r.Where != "L1 of bus" || r.Unit != "A" || math.Abs(r.Short-(3*10200/(415/math.Sqrt(3))-100)) > 1e-3 {
		t.Errorf("%+v", r)
	}
	bus := l.Loads[1]
	if bus.PhaseW != [3]int64{20400, 0, 0} || math.Abs(bus.NeutralA-20400/(415/math.Sqrt(3))) > 1e-6 || bus.Leg != 0 {
		t.Errorf("%+v", bus)
	}
	// Dealt to the three lines two stand on each: all six, and nothing in the neutral.
	l = place(t, on(power.L1, power.L2, power.L3))
	if len(l.Servers) != 6 || l.Loads[1].PhaseW != [3]int64{20400, 20400, 20400} || l.Loads[1].NeutralA > 1e-9 {
		t.Errorf("%d servers, %+v", len(l.Servers), l.Loads[1])
	}
	// Between lines 63 A at 415 V are 26.1 kVA: two servers a rack. The pairs L1-L2, L2-L3 and L3-L1 together load
	// a line by a third of their sum.
	l = place(t, on(power.L1|power.L2, power.L2|power.L3, power.L3|power.L1))
	if len(l.Servers) != 6 || l.Bound < 6 || l.Loads[1].NeutralA != 0 {
		t.Errorf("%d servers between lines, %+v", len(l.Servers), l.Loads[1])
	}
	// One pair alone: each server puts 24.6 A on both of its lines; four make 98 A.
	if l = place(t, on(power.L1|power.L2)); len(l.Servers) != 4 || l.Racks[5].Binding != Phase {
		t.Errorf("%d servers on one pair, by %s", len(l.Servers), l.Racks[5].Binding)
	}
}

// What a line leaves behind is a step of its own between installed and used.
func TestWaterfallByPhase(t *testing.T) {
	f := oneBus(t, 6, func(_ int, feed *power.Node) {
		feed.Lines = power.L1
		feed.RatingVA = feed.Lines.RatingVA(415, 63)
	})
	for i := range f.Racks {
		f.Racks[i].PowerW = 11000
	}
	l := place(t, f)
	sum, phase := int64(0), int64(0)
	for _, s := range l.Waterfall.Steps {
		sum += s.W
		if s.Name == StepStranded+"phase" {
			phase = s.W
		}
	}
	if phase != 4*11000 || sum != l.Waterfall.InstalledW {
		t.Errorf("%d W stranded by phase, steps of %d W: %+v", phase, sum, l.Waterfall)
	}
}

func TestPolicyBalancesLines(t *testing.T) {
	f := oneBus(t, 6, func(i int, feed *power.Node) {
		feed.Lines = power.Ways[i/2]
		feed.RatingVA = feed.Lines.RatingVA(415, 63)
	})
	f.Orders[0] = facility.Order{Count: 3}
	f.Policy = facility.Balanced
	if l := place(t, f); l.Loads[1].PhaseW != [3]int64{10200, 10200, 10200} {
		t.Errorf("balanced: %v", l.Loads[1].PhaseW)
	}
	f.Policy = facility.Densest
	if l := place(t, f); l.Loads[1].PhaseW == [3]int64{10200, 10200, 10200} {
		t.Errorf("densest: %v", l.Loads[1].PhaseW)
	}
}

// Servers of two supplies on one circuit of three lines: the first takes L1 and L2, the second L3 and L1 …
func TestDealtSupplies(t *testing.T) {
	f := oneBus(t, 1, func(_ int, feed *power.Node) { feed.RatingVA = 3 * 10e3 })
	f.Racks[0].Outlets = facility.LineNeutral
	m := &f.Models[0]
	m.PSUs, m.PlanW, m.PlanAirW, m.HeightU = 2, 6000, 6000, 1
	// Supplies of 3 kW: three to a line of 10 kVA, so nine supplies, four servers of two; evenly it would be five.
	l := place(t, f)
	if len(l.Servers) != 4 || l.Racks[0].Binding != Phase || l.Racks[0].PhaseW != [3]int64{9000, 9000, 6000} || l.Racks[0].Max[Phase] != 4 {
		t.Errorf("%d servers, %+v", len(l.Servers), l.Racks[0])
	}
	if l.Lines[0].Bound != 4 {
		t.Errorf("%+v", l.Lines[0])
	}
	f.Racks[0].Outlets = facility.EvenOutlets
	if l := place(t, f); len(l.Servers) != 5 {
		t.Errorf("%d servers evenly", len(l.Servers))
	}
}

func TestLinesAfterAnUnclaimedLoss(t *testing.T) {
	// Two busways feed a board on which all hangs on L1: one of them lost, the other carries 41 kW on L1 alone.
	f := fillWith(watts(1000), racks(1, 41, facility.NoLimit))
	feed := node("A01.A", power.RackFeed, 1e6, "board")
	feed.Lines = power.L1
	f.Power = graph(t, node("u", power.Utility, 1e6), node("bus1", power.Distribution, 100e3, "u"), node("bus2", power.Distribution, 100e3, "u"), node("board", power.Switchboard, 1e6, "bus1", "bus2"), feed)
	f.Racks[0].Feeds = []int{4}
	l := place(t, f)
	if x := l.Failover[1]; x.Lost != "bus1" || x.Worst != "bus2" || math.Abs(x.WorstLoadShare-41.0/(100.0/3)) > 1e-9 || x.State != Degraded {
		t.Errorf("%d servers, %+v", len(l.Servers), x)
	}
}

// supplyOnTwoLines is the hall of W022.
func supplyOnTwoLines(t testing.TB) *facility.Facility {
	m := watts(1000)
	m.PSUs = 2
	f := fillWith(m, racks(1, 1, facility.NoLimit))
	one, two := node("pdu1", power.RackFeed, 1e4, "parent"), node("pdu2", power.RackFeed, 1e4, "parent")
	one.Lines, two.Lines = power.L1, power.L2
	f.Power = graph(t, node("u", power.Utility, 1e6), node("parent", power.Distribution, 1e5, "u"), one, two)
	f.Racks[0].Feeds = []int{2, 3}
	return f
}

// W022: a server of 1 kW on two PDUs, one on L1 and the other on L2 of one parent: 500, 0 and 500 W on L1, 0, 500 and
// 500 W on L2.
func TestSupplyOnTwoLines(t *testing.T) {
	f := supplyOnTwoLines(t)
	l := place(t, f)
	for n, want := range [][3]int64{2: {500, 0, 0}, 3: {0, 500, 0}, 1: {500, 500, 0}} {
		if n > 0 && l.Loads[n].PhaseW != want {
			t.Errorf("%s: %v, want %v", f.Power.Nodes[n].ID, l.Loads[n].PhaseW, want)
		}
	}
	if l.Racks[0].PhaseW != [3]int64{500, 500, 0} {
		t.Errorf("rack: %v", l.Racks[0].PhaseW)
	}
}

func TestPhasorsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var load power.LegLoad
		for k := range load {
			load[k] = rapid.Float64Range(0, 1e4).Draw(t, fmt.Sprint(power.Ways[k]))
		}
		want, neutral := currents(load)
		for k, got := range load.Lines() {
			if math.Abs(got-want[k]) > 1e-6 {
				t.Fatalf("L%d: %g, phasors say %g", k+1, got, want[k])
			}
		}
		if math.Abs(load.Neutral()-neutral) > 1e-6 {
			t.Fatalf("neutral %g, phasors say %g", load.Neutral(), neutral)
		}
	})
}
