package placement

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility"
	"headroom/facility/power"
	"headroom/validation"
)

// distributed is n systems with every rack on a pair of them, the pairs in turn (nN(n-1), 4N3 and 3N2).
func distributed(t interface{ Fatal(...any) }, systems, racksEach int, systemVA float64) *facility.Facility {
	var pairs [][2]int
	for a := range systems {
		for b := a + 1; b < systems; b++ {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	f := fillWith(watts(1000), racks(racksEach*len(pairs), 10, facility.NoLimit))
	nodes := []power.Node{node("utility", power.Utility, 1e9)}
	side := func(k int) string { return string(rune('A' + k)) }
	for k := range systems {
		ups := node("ups["+side(k)+"]", power.UPS, systemVA, "utility")
		ups.Side = side(k)
		nodes = append(nodes, ups)
	}
	for i := range f.Racks {
		for _, k := range pairs[i%len(pairs)] {
			n := node(f.Racks[i].ID+"."+side(k), power.RackFeed, 1e6, "ups["+side(k)+"]")
			n.Side = side(k)
			nodes = append(nodes, n)
		}
	}
	g, err := power.New(nodes)
	if err != nil {
		t.Fatal(err)
	}
	f.Power = g
	for i := range f.Racks {
		for _, k := range pairs[i%len(pairs)] {
			n, _ := f.Power.Index(f.Racks[i].ID + "." + side(k))
			f.Racks[i].Feeds = append(f.Racks[i].Feeds, n)
		}
	}
	return f
}

const schemeSource = "usual formulas of redundancy: (n−1)/n for N+1, 1/2 for 2N, (n−1)/n for distributed and n/(n+1) for block redundant systems"

// Usable over installed of the redundancy schemes.
func TestSchemes(t *testing.T) {
	// 3N2: three systems of 30 kW hold 60 servers of 1 kW, 20 on each pair; 4N3: four hold 90.
	for _, c := range []struct {
		systems, racksEach, servers int
		usable                      float64
	}{{2, 3, 30, 1.0 / 2}, {3, 2, 60, 2.0 / 3}, {4, 2, 90, 3.0 / 4}} {
		f := distributed(t, c.systems, c.racksEach, 30e3)
		l := place(t, f)
		if len(l.Servers) != c.servers || l.Bound != c.servers {
			t.Errorf("%dN%d: %d servers, bound %d, want %d", c.systems, c.systems-1, len(l.Servers), l.Bound, c.servers)
		}
		w := l.Waterfall
		usable := w.InstalledW
		for _, step := range w.Steps {
			if step.Name == StepDerate || step.Name == StepRedundancy {
				usable -= step.W
			}
		}
		validation.Within(fmt.Sprintf("failover/usable-%dn%d", c.systems, c.systems-1), fmt.Sprintf("%dN%dR distributed redundant: usable of what is installed", c.systems, c.systems-1), "%", 100*c.usable, 1e-6, schemeSource).
			Check(t, 100*float64(len(l.Servers))*1000/float64(w.InstalledW))
		if math.Abs(float64(usable)/float64(w.InstalledW)-c.usable) > 1e-9 {
			t.Errorf("%dN%d: usable %d of %d W", c.systems, c.systems-1, usable, w.InstalledW)
		}
		for _, x := range l.Failover {
			if strings.HasPrefix(x.Lost, "ups[") && (x.State == Degraded || x.WorstLoadShare > 1+1e-9) {
				t.Errorf("%dN%d: %+v", c.systems, c.systems-1, x)
			}
		}
	}
}

// On the loss of system i, system j takes the load of the pair (i, j) in full instead of half:
// ½ Σ_k L_jk + ½ L_ij, for any loads of the pairs.
func TestTransferRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		systems := rapid.IntRange(3, 4).Draw(t, "systems")
		f := distributed(t, systems, 1, 1e6)
		l, err := Place(f)
		if err != nil {
			t.Fatal(err)
		}
		l.Servers = nil
		pair := map[[2]int]int{}
		at := 0
		for a := range systems {
			for b := a + 1; b < systems; b++ {
				n := rapid.IntRange(0, 10).Draw(t, "servers")
				pair[[2]int{a, b}], pair[[2]int{b, a}] = n, n
				for u := range n {
					l.Servers = append(l.Servers, Server{Rack: at, U: u + 1})
				}
				at++
			}
		}
		s := siteOf(l)
		for lost := range systems {
			c := s.elec.cases[1+lost]
			for j := range systems {
				if j == lost {
					continue
				}
				want := float64(pair[[2]int{lost, j}]) / 2
				for k := range systems {
					want += float64(pair[[2]int{j, k}]) / 2
				}
				n, _ := f.Power.Index("ups[" + string(rune('A'+j)) + "]")
				if got := float64(c.out[n]) / quanta / 1000; math.Abs(got-want) > 1e-9 {
					t.Fatalf("lost %d: system %d carries %g kW, want %g", lost, j, got, want)
				}
			}
		}
	})
}

// catcher is n blocks of 10 kW, each behind a static switch whose second source is one reserve.
func catcher(t testing.TB, blocks int, reserveVA float64) *facility.Facility {
	f := fillWith(watts(1000), racks(blocks, 20, facility.NoLimit))
	nodes := []power.Node{node("utility", power.Utility, 1e9), node("ups.reserve", power.UPS, reserveVA, "utility")}
	for b := range blocks {
		ups := node(fmt.Sprintf("ups%d", b), power.UPS, 10e3, "utility")
		sts := node(fmt.Sprintf("sts%d", b), power.Switchboard, 1e6, ups.ID, "ups.reserve")
		sts.Transfer, sts.Element = true, "static switch"
		nodes = append(nodes, ups, sts)
	}
	f.Power = graph(t, nodes...)
	for b := range blocks {
		n, _ := f.Power.Index(fmt.Sprintf("sts%d", b))
		f.Racks[b].Feeds = []int{n}
	}
	return f
}

// N+1 of four modules carries three of them.
func TestModulesRedundant(t *testing.T) {
	f := fillWith(watts(1000), racks(1, 50, facility.NoLimit))
	ups := node("ups", power.UPS, 10e3, "utility")
	ups.Units, ups.Redundant = 4, 1
	f.Power = graph(t, node("utility", power.Utility, 1e9), ups)
	f.Racks[0].Feeds = []int{1}
	l := place(t, f)
	validation.Within("failover/usable-3+1", "three modules and one more: usable of what is installed", "%", 75, 1e-6, schemeSource).Check(t, 100*float64(len(l.Servers))*1000/40e3)
}

func TestBlockRedundant(t *testing.T) {
	f := catcher(t, 3, 10e3)
	l := place(t, f)
	if len(l.Servers) != 30 || l.Bound != 30 {
		t.Errorf("%d servers, bound %d, want 30 on three blocks of four", len(l.Servers), l.Bound)
	}
	validation.Within("failover/usable-block", "three blocks and a reserve: usable of what is installed", "%", 75, 1e-6, schemeSource).Check(t, 100*float64(len(l.Servers))*1000/40e3)
	k, _ := f.Power.Index("ups.reserve")
	if l.DemandW[k] != 0 || l.Loads[k].WorstW != 10000 || l.Loads[k].WorstLost != "ups0" {
		t.Errorf("the reserve: %+v", l.Loads[k])
	}
	// A reserve too small for a block holds the blocks back.
	if l := place(t, catcher(t, 3, 7e3)); len(l.Servers) != 21 {
		t.Errorf("%d servers on a reserve of 7 kW, want 21", len(l.Servers))
	}
	// Two blocks at once: the reserve carries 20 kW on 10, trips, and both are lost.
	pairs, _ := Pairs(l)
	found := false
	for _, p := range pairs {
		if p.Lost == "ups0 and ups1" {
			found = true
			if p.State != Degraded || math.Abs(p.WorstLoadShare-2) > 1e-9 || !slices.Equal(p.Trips, []string{"ups.reserve"}) || p.After != Lost || p.RacksLost != 2 {
				t.Errorf("%+v", p)
			}
		}
	}
	if !found {
		t.Error("no such pair")
	}
	states, after, err := After(l, "ups0", "ups1")
	if err != nil || after.After != Lost || states[0].State != Lost || states[1].State != Lost || states[2].State != Normal || states[2].Share != 1 {
		t.Errorf("%v %+v %+v", err, states, after)
	}
	for _, sv := range Maintenance(l) {
		if want := sv.Out != "utility" && !strings.HasPrefix(sv.Out, "sts"); sv.Concurrent != want {
			t.Errorf("%+v", sv)
		}
		if sv.Out == "ups.reserve" && (sv.ThenState != Lost || sv.ThenLost == "") {
			t.Errorf("%+v", sv)
		}
	}
}

// Two UPS in parallel at 60 % each: one lost, the other carries 120 % of its rating and trips, all is lost.
func TestCascade(t *testing.T) {
	f := fillWith(watts(1000), racks(1, 12, facility.NoLimit))
	f.Power = graph(t, node("u", power.Utility, 1e6), node("ups1", power.UPS, 10e3, "u"), node("ups2", power.UPS, 10e3, "u"), node("bus", power.Distribution, 1e6, "ups1", "ups2"))
	f.Racks[0].Feeds = []int{3}
	l := place(t, f)
	x := l.Failover[1]
	if x.Lost != "ups1" || x.State != Degraded || x.RacksDegraded != 0 && x.RacksLost != 1 || x.After != Lost || !slices.Equal(x.Trips, []string{"ups2"}) {
		t.Errorf("%+v", x)
	}
	// At 80 % of a derated rating nothing trips: the rating is not reached.
	nodes := slices.Clone(f.Power.Nodes)
	nodes[1].RatingVA, nodes[2].RatingVA, nodes[1].Derate, nodes[2].Derate = 12500, 12500, 0.8, 0.8
	f.Power = graph(t, nodes...)
	if x := place(t, f).Failover[1]; len(x.Trips) != 0 || x.State != Degraded || x.After != Degraded || math.Abs(x.DegradedTo-10.0/12) > 1e-9 {
		t.Errorf("%+v", x)
	}
}

func TestDegradedShares(t *testing.T) {
	// W027 with the supplies' output as the limit: 3 × 3.3 kW of 10.2 kW at the cord, at an efficiency of 95 %.
	m := dgxH100()
	m.PSULoad, m.PSUEff = []float64{0.5, 1}, []float64{0.95, 0.95}
	if got := shortShare(&m, 3); got != 1 {
		t.Errorf("9.9 kW of output are 10.42 kW at the cord, not over 10.2: %g", got)
	}
	m.ShortCap = 0.7
	if got := shortShare(&m, 3); math.Abs(got-0.7) > 1e-9 {
		t.Errorf("capped by firmware: %g", got)
	}
	if got := shortShare(&m, 2); math.Abs(got-6600/0.95/10200) > 1e-9 {
		t.Errorf("two supplies: %g", got)
	}
	if shortShare(&m, 0) != 0 || shortShare(&m, 4) != 1 {
		t.Error("none and enough")
	}
}

func TestWaterfall(t *testing.T) {
	step := func(l *Layout, name string) int64 {
		for _, s := range l.Waterfall.Steps {
			if s.Name == name {
				return s.W
			}
		}
		return 0
	}
	l := place(t, fillWith(dgxH100(), racks(1, 42, 48000)))
	if l.Waterfall.InstalledW != 48000 || step(l, StepStranded+"fragmentation (power)") != 7200 || step(l, StepUsed) != 40800 {
		t.Errorf("48 kW: %+v", l.Waterfall)
	}
	l = place(t, fillWith(dgxH100(), racks(1, 42, 78000)))
	if step(l, StepStranded+"space") != 27000 || step(l, StepUsed) != 51000 {
		t.Errorf("78 kW: %+v", l.Waterfall)
	}
	// Two sides of 100 kVA at 0.8 for two racks of 48 kW: 200 = 40 + 80 + 81.6 used - … no more than 80 usable.
	f := fillWith(dgxH100(), racks(2, 42, 48000))
	feedsFor(t, f, 1e6, 1, "A", "B")
	nodes := slices.Clone(f.Power.Nodes)
	for i := range nodes {
		if nodes[i].Kind == power.UPS {
			nodes[i].RatingVA, nodes[i].Derate = 100e3, 0.8
		}
	}
	f.Power = graph(t, nodes...)
	l = place(t, f)
	installed := int64(2 * 98000) // at the servers' power factor of 0.98
	if l.Waterfall.InstalledW != installed || step(l, StepDerate) != installed/5 || step(l, StepRedundancy) != installed*4/10 || step(l, StepUsed) != 71400 {
		t.Errorf("2N: %+v", l.Waterfall)
	}
}

func TestUpgrades(t *testing.T) {
	f := fillWith(dgxH100(), racks(4, 42, 48000))
	f.Orders[0] = facility.Order{Count: 30}
	l := place(t, f)
	list := Upgrades(l, 1)
	if len(list) == 0 || !strings.Contains(list[0].Change, "rack power limit of 4 racks up by 3 kW") || list[0].Admits != 4 {
		t.Fatalf("%+v", list)
	}
	if got := l.Upgrades(); fmt.Sprint(got) != fmt.Sprint(list) || &got[0] != &l.Upgrades()[0] {
		t.Errorf("of the layout %+v, searched for %+v", got, list)
	}
	// Eight more take both more power and more height.
	list = Upgrades(l, 8)
	if !slices.ContainsFunc(list[:2], func(u Upgrade) bool { return u.Admits >= 8 && len(u.Steps) > 1 }) || list[0].Admits < 8 {
		t.Errorf("%+v", list)
	}
	// Whole-rack systems: more racks, no taller ones.
	nvl := facility.Model{Name: "nvl", GPUs: 72, HeightU: 42, PlanW: 132000, PlanAirW: 132000, PF: 1, RackSystem: true}
	w := fillWith(nvl, racks(2, 42, 140000))
	feedsFor(t, w, 200e3, 1, "A", "B")
	list = Upgrades(place(t, w), 3)
	if len(list) == 0 || list[0].Change != "3 more racks like A02 with their circuits" || list[0].Admits != 3 {
		t.Errorf("%+v", list)
	}
	for _, u := range list {
		if strings.Contains(u.Change, "height") || strings.Contains(u.Change, " up by ") {
			t.Errorf("silly: %+v", u)
		}
	}
	f.Orders[0].Count = 16
	if list := Upgrades(place(t, f), 1); len(list) != 0 {
		t.Errorf("all stands, yet %+v", list)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 3, 2)
		drawLines(t, f)
		l := mustPlace(t, f)
		for _, u := range Upgrades(l, 2) {
			if u.Admits < 1 || u.Change == "" || math.IsInf(u.AddedKW, 0) || math.IsNaN(u.AddedKW) {
				t.Fatalf("%+v", u)
			}
		}
	})
}

func TestNextOfEachModel(t *testing.T) {
	f := fillWith(dgxH100(), racks(2, 42, 48000))
	f.Models = append(f.Models, dgxB200())
	f.Orders = []facility.Order{{Model: 0, Count: 5}, {Model: 1, Count: 0}}
	l := place(t, f)
	if n := l.Next[0]; n.Fits != 3 || n.LargestBlock != 3 || n.Row != "A" || n.Rack != -1 {
		t.Errorf("DGX H100: %+v", n)
	}
	if n := l.Next[1]; n.Fits != 2 || n.LargestBlock != 2 { // 37.8 kW are left in the second rack
		t.Errorf("DGX B200: %+v", n)
	}
	f.Orders[0].Count = 8
	if n := place(t, f).Next[1]; n.Fits != 0 || n.Best.Limit != Power || n.Best.Short != 7100 || len(n.By) != 1 || n.By[0].Racks != 2 {
		t.Errorf("full: %+v", n)
	}
}

func TestPolicies(t *testing.T) {
	build := func(p facility.Policy, count int) *Layout {
		f := fillWith(dgxH100(), racks(4, 42, 48000))
		f.Racks[2].PowerW, f.Racks[3].PowerW = 30000, 11000
		f.Racks[0].Cost, f.Racks[1].Cost, f.Racks[2].Cost, f.Racks[3].Cost = 9000, math.NaN(), 2000, 2000
		f.Policy = p
		f.Orders[0] = facility.Order{Count: count}
		for i := range f.Racks {
			f.Racks[i].AirW = 48000
		}
		f.Racks[0].AirW = 24000
		return place(t, f)
	}
	for _, c := range []struct {
		policy facility.Policy
		count  int
		want   []int
	}{
		{facility.Densest, 5, []int{2, 3, 0, 0}},
		{facility.FewestRacks, 5, []int{0, 4, 0, 1}},
		{facility.FewestRacks, 6, []int{2, 4, 0, 0}},
		{facility.Coolest, 4, []int{1, 1, 1, 1}},
		{facility.Balanced, 4, []int{1, 2, 1, 0}},
		{facility.Cheapest, 4, []int{2, 0, 2, 0}},
	} {
		l := build(c.policy, c.count)
		var got []int
		for _, r := range l.Racks {
			got = append(got, r.Servers)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %d servers: %v, want %v", c.policy, c.count, got, c.want)
		}
		if len(l.Servers) != c.count {
			t.Errorf("%s places %d of %d", c.policy, len(l.Servers), c.count)
		}
	}
}

func TestBlocksStayTogether(t *testing.T) {
	f := fillWith(dgxH100(), racks(6, 42, 48000)) // 4 a rack
	for i := range f.Racks {
		f.Racks[i].XM = 0.6 * float64(i)
		if i > 2 {
			f.Racks[i].Row, f.Racks[i].YM = "B", 3
		}
	}
	at := func(l *Layout) (n []int) {
		for _, r := range l.Racks {
			n = append(n, r.Servers)
		}
		return n
	}
	f.Orders[0] = facility.Order{Max: true, Block: 8, BlockRacks: 2}
	if l := place(t, f); !slices.Equal(at(l), []int{4, 4, 0, 4, 4, 0}) || l.Lines[0].Bound != 24 {
		t.Errorf("blocks of 8 in two racks: %v, %+v", at(l), l.Lines)
	}
	f.Orders[0] = facility.Order{Max: true, Block: 12}
	if l := place(t, f); !slices.Equal(at(l), []int{4, 4, 4, 4, 4, 4}) {
		t.Errorf("blocks of a row: %v", at(l))
	}
	f.Orders[0] = facility.Order{Max: true, Block: 12, ReachM: 1}
	if l := place(t, f); len(l.Servers) != 0 {
		t.Errorf("1.2 m are out of reach: %v", at(l))
	}
	f.Orders[0] = facility.Order{Count: 20, Block: 8, BlockRacks: 2}
	if l := place(t, f); len(l.Servers) != 16 {
		t.Errorf("whole blocks only: %v", at(l))
	}
}

func TestSpreadAndKind(t *testing.T) {
	f := fillWith(dgxH100(), racks(4, 42, 48000))
	f.Power = graph(t, node("u", power.Utility, 1e6), node("pdu1", power.Distribution, 1e6, "u"), node("pdu2", power.Distribution, 1e6, "u"))
	for i := range f.Racks {
		f.Racks[i].Feeds = []int{1 + i/2}
	}
	f.Orders[0] = facility.Order{Count: 8, Spread: []int{1, 2}}
	l := place(t, f)
	if n := l.Racks[0].Servers + l.Racks[1].Servers; n != 4 || len(l.Servers) != 8 {
		t.Errorf("%d of %d on one PDU", n, len(l.Servers))
	}
	f.Orders[0] = facility.Order{Max: true, Spread: []int{1, 2}, SpreadMost: 3}
	if l := place(t, f); len(l.Servers) != 6 {
		t.Errorf("%d servers, three on each PDU", len(l.Servers))
	}
	f.Orders[0] = facility.Order{Max: true}
	f.Racks[0].Takes = facility.LiquidOnly
	l = place(t, f)
	if len(l.Servers) != 12 || l.Racks[0].Servers != 0 || l.Racks[0].Binding != Kind {
		t.Errorf("a rack for liquid only: %d servers, %+v", len(l.Servers), l.Racks[0])
	}
}

// The table of racks by losses: every rack in every loss, against the lists it is made of.
func TestFateTable(t *testing.T) {
	l := place(t, site2N(t, 1e6, 1e6))
	table := l.FateTable()
	if len(table.Groups) != 1 || len(table.Groups[0]) != 6 {
		t.Fatalf("%v", table.Groups)
	}
	lines := map[string]RackFate{}
	for _, x := range table.Losses {
		lines[x.Lost] = x.Fate[0]
	}
	for lost, want := range map[string]string{
		"utility": RedundancyLost, "tx, 1 of 2": RedundancyLost, "ups[A]": Degraded, "bus[B]": Degraded, "own circuit A": Degraded, "own circuit B": Degraded,
	} {
		if lines[lost].State != want {
			t.Errorf("lost %s: %+v, want %s", lost, lines[lost], want)
		}
	}
	f := catcher(t, 3, 10e3)
	table = place(t, f).FateTable()
	if len(table.Groups) != 3 {
		t.Errorf("%v", table.Groups)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 6, 2)
		drawLines(t, f)
		l := mustPlace(t, f)
		table := l.FateTable()
		seen := 0
		for c, racks := range table.Groups {
			seen += len(racks)
			for _, line := range table.Losses {
				if line.Loss < 0 {
					continue
				}
				for _, i := range racks {
					got := RackFate{Rack: i, State: Normal, Share: 1}
					for _, r := range l.Failover[line.Loss].Fates {
						if r.Rack == i {
							got = r
						}
					}
					if want := line.Fate[c]; got.State != want.State || math.Abs(got.Share-want.Share) > 0.01+1e-9 {
						t.Fatalf("rack %d, lost %s: %+v, its column says %+v", i, line.Lost, got, want)
					}
				}
			}
		}
		if seen != len(f.Racks) {
			t.Fatalf("%d racks in the columns of %d", seen, len(f.Racks))
		}
		for _, x := range l.Failover { // counts are those of the list
			lost, degraded := 0, 0
			for _, r := range x.Fates {
				if (r.Share < 1 && r.State != Degraded && r.State != Lost) || (r.State == Lost) != (r.Share == 0) {
					t.Fatalf("lost %s: %+v", x.Lost, r)
				}
				switch r.State {
				case Lost:
					lost++
				case Degraded:
					degraded++
				}
			}
			if lost != x.RacksLost || degraded != x.RacksDegraded || len(x.Fates) != x.Racks {
				t.Fatalf("lost %s: %d lost and %d degraded of %d, counted %+v", x.Lost, lost, degraded, len(x.Fates), x)
			}
		}
	})
}
