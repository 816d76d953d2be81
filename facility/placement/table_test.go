package placement

import (
	"math"
	"slices"
	"strings"
	"testing"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
	"headroom/validation"
)

func TestOneRack(t *testing.T) {
	capped := dgxH100()
	capped.PlanW, capped.PlanAirW = 7140, 7140
	block := dgxB200() // two nodes that go together
	block.PlanW, block.PlanAirW, block.HeightU = 28600, 28600, 20
	cold := racks(1, 42, 48000)
	cold[0].AirW = 30000
	for _, c := range []struct {
		name               string
		model              facility.Model
		racks              []facility.Rack
		servers            int
		usedW, strandedW   int64
		freeU              int
		binding            Limit
		byPower, bySpace   int
		refusedBy          []Limit
		short              float64
		strandedAirUnknown bool
	}{
		{"W034 48 kW, 42U, DGX H100", dgxH100(), racks(1, 42, 48000), 4, 40800, 7200, 10, Power, 4, 5, []Limit{Power}, 3000, true},
		{"W035 48 kW, 42U, DGX B200", dgxB200(), racks(1, 42, 48000), 3, 42900, 5100, 12, Power, 3, 4, []Limit{Power}, 9200, true},
		{"W036 48 kW, 42U, DGX H100 capped to 70 %", capped, racks(1, 42, 48000), 5, 35700, 12300, 2, Space, 6, 5, []Limit{Space}, 6, true},
		{"W038 78 kW, 42U, DGX H100", dgxH100(), racks(1, 42, 78000), 5, 51000, 27000, 2, Space, 7, 5, []Limit{Space}, 6, true},
		{"W039 78 kW, 42U, DGX B200", dgxB200(), racks(1, 42, 78000), 4, 57200, 20800, 2, Space, 5, 4, []Limit{Space}, 8, true},
		{"W042 78 kW, 48U, DGX H100", dgxH100(), racks(1, 48, 78000), 6, 61200, 16800, 0, Space, 7, 6, []Limit{Space}, 8, true},
		{"W043 exact fit of three", dgxB200(), racks(1, 52, 42900), 3, 42900, 0, 22, Power, 3, 5, []Limit{Power}, 14300, true},
		{"W043 exact fit of three blocks", block, racks(1, 100, 85800), 3, 85800, 0, 40, Power, 3, 5, []Limit{Power}, 28600, true},
		{"W043 exact fit of eight", dgxH100(), racks(1, 100, 81600), 8, 81600, 0, 36, Power, 8, 12, []Limit{Power}, 10200, true},
		{"W044 30 kW of air cooling", dgxH100(), cold, 2, 20400, 27600, 26, Air, 4, 5, []Limit{Air}, 600, false},
		{"W047 4 kW rack, bulbs of 60 W", watts(60), racks(1, 50, 4000), 50, 3000, 1000, 0, Space, 66, 50, []Limit{Space}, 1, true},
	} {
		l := place(t, fillWith(c.model, c.racks))
		fit := l.Racks[0]
		_, what, _ := strings.Cut(c.name, " ")
		id := "placement/" + strings.ToLower(strings.NewReplacer(" ", "-", ",", "", "%", "").Replace(what))
		const source = "worked examples of rack planning: floor of the least limit in whole watts and U"
		validation.Within(id, what+": servers", "", float64(c.servers), 0, source).Check(t, float64(fit.Servers))
		validation.Within(id+"-stranded", what+": stranded", "W", float64(c.strandedW), 0, source).Check(t, float64(l.Stranded.PowerW))
		if fit.Servers != c.servers || len(l.Servers) != c.servers || fit.UsedW != c.usedW || fit.FreeU != c.freeU || fit.Binding != c.binding {
			t.Errorf("%s: %d servers, %d W, %dU free, bound by %s; want %d, %d, %d, %s", c.name, fit.Servers, fit.UsedW, fit.FreeU, fit.Binding, c.servers, c.usedW, c.freeU, c.binding)
		}
		if l.Stranded.PowerW != c.strandedW || fit.FreeW != c.strandedW || l.Stranded.SpaceU != c.freeU {
			t.Errorf("%s: stranded %d W, %dU, want %d W, %dU", c.name, l.Stranded.PowerW, l.Stranded.SpaceU, c.strandedW, c.freeU)
		}
		if fit.Max[Power] != c.byPower || fit.Max[Space] != c.bySpace {
			t.Errorf("%s: by power %d, by space %d, want %d, %d", c.name, fit.Max[Power], fit.Max[Space], c.byPower, c.bySpace)
		}
		var refused []Limit
		for _, r := range fit.Next {
			refused = append(refused, r.Limit)
		}
		if !slices.Equal(refused, c.refusedBy) || fit.Next[0].Short != c.short {
			t.Errorf("%s: next refused by %+v, want %v short by %g", c.name, fit.Next, c.refusedBy, c.short)
		}
		if l.Bound != c.servers {
			t.Errorf("%s: bound %d", c.name, l.Bound)
		}
		if (l.Stranded.AirW == facility.NoLimit) != c.strandedAirUnknown {
			t.Errorf("%s: stranded air %d", c.name, l.Stranded.AirW)
		}
		if fit.PhaseW[0]+fit.PhaseW[1]+fit.PhaseW[2] != fit.UsedW {
			t.Errorf("%s: phases %v", c.name, fit.PhaseW)
		}
		if _, ok := fit.Max[Feed]; ok || !math.IsNaN(fit.FeedShare) {
			t.Errorf("%s: a feed limit that nobody stated", c.name)
		}
	}
}

func TestServersStackFromTheBottom(t *testing.T) {
	f := fillWith(dgxH100(), racks(2, 42, 48000))
	f.Racks[0].ReserveU = 4
	f.Orders[0] = facility.Order{Count: 5}
	l := place(t, f)
	var ids []string
	for _, s := range l.Servers {
		ids = append(ids, s.ID)
	}
	if want := []string{"A01.u01", "A01.u09", "A01.u17", "A01.u25", "A02.u01"}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
	if l.Racks[0].Binding != Power || l.Racks[1].Binding != Order || l.Requested != 5 || l.RequestedMax {
		t.Errorf("bound by %s and %s, requested %d", l.Racks[0].Binding, l.Racks[1].Binding, l.Requested)
	}
	if l.Stranded.PowerW != 7200 { // A02 can still take servers
		t.Errorf("stranded %d", l.Stranded.PowerW)
	}
}

func TestPods(t *testing.T) {
	h100 := fillWith(dgxH100(), racks(10, 48, 48000))
	h100.Orders[0] = facility.Order{Count: 32}
	b200 := fillWith(dgxB200(), racks(20, 48, 30000))
	b200.Orders[0] = facility.Order{Count: 32}
	nvl := facility.Model{Name: "gb200-nvl72", GPUs: 72, HeightU: 42, PlanW: 132000, PlanAirW: 17000, PlanLiquidW: 115000, PF: 1, WeightKg: 1360}
	gb200 := fillWith(nvl, racks(128, 48, 150000))
	for i := range gb200.Racks {
		gb200.Racks[i].Loop = 0
	}
	b300 := facility.Model{Name: "dgx-b300", GPUs: 8, HeightU: 10, PlanW: 14500, PlanAirW: 14500, PF: 1}
	sixteen := fillWith(b300, racks(256, 42, 58000))
	sixteen.Orders[0] = facility.Order{Count: 16 * 64}
	for _, c := range []struct {
		name                 string
		f                    *facility.Facility
		racks, perRack, gpus int
		rackW, totalW        int64
	}{
		{"W054 unit of 32 DGX H100", h100, 8, 4, 256, 40800, 326400},
		{"W055 unit of 32 DGX B200", b200, 16, 2, 256, 28600, 457600},
		{"W057 16 units of 64 DGX B300, above 50 kW a rack", sixteen, 256, 4, 8192, 58000, 14848000},
		{"W058 16 units of 8 GB200 racks", gb200, 128, 1, 9216, 132000, 16896000},
	} {
		l := place(t, c.f)
		used, gpus, total := 0, 0, int64(0)
		for _, r := range l.Racks {
			if r.Servers == 0 {
				continue
			}
			used++
			gpus += r.Servers * c.f.Models[0].GPUs
			total += r.UsedW
			if r.Servers != c.perRack || r.UsedW != c.rackW {
				t.Errorf("%s: rack %d: %d servers, %d W", c.name, r.Rack, r.Servers, r.UsedW)
				break
			}
		}
		if used != c.racks || total != c.totalW || gpus != c.gpus {
			t.Errorf("%s: %d racks, %d W, %d GPUs, want %d, %d, %d", c.name, used, total, gpus, c.racks, c.totalW, c.gpus)
		}
	}
}

// megawattSite is the site of W051: 32 × 14.5 kW + 17.6 + 12 kW on a budget of 1 MW.
func megawattSite(t testing.TB) *facility.Facility {
	m := dgxB200()
	m.SetPlan(14500)
	f := fillWith(m, racks(8, 42, 60000))
	f.Orders[0] = facility.Order{Count: 32}
	f.Power = graph(t, node("utility", power.Utility, 1e6))
	f.OtherW, f.OtherFed = 12000, []int{0}
	f.Mechanical = []facility.MechanicalLoad{{Name: "cooling", Fed: []int{0}, W: 17600}}
	for i := range f.Racks {
		f.Racks[i].Feeds = []int{0}
	}
	return f
}

func TestSites(t *testing.T) {
	f := megawattSite(t)
	l := place(t, f)
	if l.DemandW[0] != 493600 {
		t.Errorf("W051: %d W, want 493600", l.DemandW[0])
	}
	// W049: a domain of 20 kVA at PF 0.95 with two servers of 5.6 kW.
	f = fillWith(facility.Model{Name: "node", HeightU: 8, PlanW: 5600, PlanAirW: 5600, PF: 1}, racks(1, 42, facility.NoLimit))
	u := node("utility", power.Utility, 20000)
	u.PF = 0.95
	f.Power = graph(t, u)
	f.Racks[0].Feeds = []int{0}
	f.Orders[0] = facility.Order{Count: 2}
	l = place(t, f)
	if share := float64(l.DemandW[0]) / float64(f.Power.CapacityW(0, 1)); math.Abs(share-0.589) > 0.0005 {
		t.Errorf("W049: %.4f, want 0.589", share)
	}
	// W087: a CDU of 250 kW with two racks of 120 kW, 85 % of it into liquid.
	big := facility.Model{Name: "rack system", HeightU: 42, PlanW: 120000, PlanAirW: 18000, PlanLiquidW: 102000, PF: 1}
	f = fillWith(big, racks(3, 42, facility.NoLimit))
	for i := range f.Racks {
		f.Racks[i].Loop = 0
	}
	f.Cooling.Loops = []cooling.Loop{{Name: "loop", CDUs: 1, CapacityW: 250000, Plant: -1}}
	l = place(t, f)
	if len(l.Servers) != 2 || l.Racks[2].Binding != Liquid || l.Racks[2].Next[0].Short != 56000 {
		t.Errorf("W087: %d racks, %+v", len(l.Servers), l.Racks[2])
	}
	f.Cooling.Loops[0].CDUs, f.Cooling.Loops[0].Redundant = 2, 1
	l = place(t, f)
	last := l.Failover[len(l.Failover)-1]
	validation.Within("failover/w087-cdu", "two racks of 120 kW, 85 % liquid, on two CDUs of 250 kW: load of the other after one is lost", "%", 81.6, 1e-6, "a maker's worked example of N+1 CDUs").Check(t, 100*last.WorstLoadShare)
	if len(l.Servers) != 2 || math.Abs(last.WorstLoadShare-0.816) > 1e-9 || last.State != RedundancyLost {
		t.Errorf("W087 with N+1: %d racks, %+v", len(l.Servers), last)
	}
	if c := l.Claims[len(l.Claims)-1]; !c.Holds || c.Claim != "N+1" {
		t.Errorf("W087 claim: %+v", c)
	}
}

func TestWeights(t *testing.T) {
	f := fillWith(dgxH100(), racks(1, 42, 78000))
	f.Racks[0].FrameKg, f.Racks[0].LoadKg = 160, 681.8 // W095: 130 kg of rack and 30 of PDUs and cables
	l := place(t, f)
	if l.Racks[0].Servers != 4 || l.Racks[0].Binding != Weight || math.Abs(l.Racks[0].WeightKg-681.8) > 1e-9 {
		t.Errorf("W095: %+v", l.Racks[0])
	}
	kPa := FloorKPa(681.8, 0.6, 1.2)
	if math.Abs(kPa-9.3) > 0.05 || kPa <= 8 || kPa > 12 {
		t.Errorf("W095: %.2f kN/m2, want 9.3", kPa)
	}
	w := PanelLoads(4500)
	if w.Corner != 1125 || w.TwoRacks != 3000 || w.OneThird != 1500 || w.Rolling != 2250 {
		t.Errorf("W097: %+v", w)
	}
}

func TestFeedsAfterALoss(t *testing.T) {
	for _, c := range []struct {
		name           string
		volts, amps    float64
		derate         float64
		sides          []string
		servers        int
		binding        Limit
		share          float64
		states         string // after the loss of one circuit
		needed, powerW int64
	}{
		{"W030 3 × 415 V 60 A, NEC", 415, 60, 0.8, []string{"A", "B", "C"}, 4, Power, 20.816 / 34.502, RedundancyLost, 4, 48000},
		{"W031 3 × 400 V 32 A, NEC", 400, 32, 0.8, []string{"A", "B", "C"}, 3, Feed, 15.612 / 17.736, RedundancyLost, 4, 48000},
		{"W031 3 × 400 V 32 A, IEC", 400, 32, 1, []string{"A", "B", "C"}, 4, Power, 20.816 / 22.170, RedundancyLost, 4, 48000},
		{"W032 2 × 415 V 60 A, NEC", 415, 60, 0.8, []string{"A", "B"}, 3, Feed, 31.225 / 34.502, Degraded, 4, 48000},
		{"W032 2 × 415 V 60 A, IEC", 415, 60, 1, []string{"A", "B"}, 4, Power, 41.633 / 43.128, Degraded, 4, 48000},
		{"W027 as W032 with servers that need three supplies", 415, 60, 1, []string{"A", "B"}, 4, Power, 41.633 / 43.128, RedundancyLost, 3, 48000},
		{"78 kW on 100 A", 415, 100, 0.8, []string{"A", "B"}, 5, Space, 52.041 / 57.503, Degraded, 4, 78000},
		{"one circuit", 415, 60, 1, []string{"A"}, 4, Power, 41.633 / 43.128, Lost, 4, 48000},
	} {
		m := dgxH100()
		m.PSUNeeded = int(c.needed)
		f := fillWith(m, racks(1, 42, c.powerW))
		feedsFor(t, f, power.ThreePhaseVA(c.volts, c.amps), c.derate, c.sides...)
		l := place(t, f)
		fit := l.Racks[0]
		if fit.Servers != c.servers || fit.Binding != c.binding || math.Abs(fit.FeedShare-c.share) > 2e-4 || l.Bound != c.servers {
			t.Errorf("%s: %d servers (bound %d) by %s at %.4f, want %d by %s at %.4f", c.name, fit.Servers, l.Bound, fit.Binding, fit.FeedShare, c.servers, c.binding, c.share)
		}
		if id, what, ok := strings.Cut(c.name, " "); ok && strings.HasPrefix(id, "W03") {
			const source = "worked examples of racks with 40.8 kW on two and three circuits: √3·V·I, 80 % continuous under NEC, power factor 0.98"
			id = "failover/" + strings.ToLower(id) + "-" + strings.ToLower(what[strings.LastIndexByte(what, ' ')+1:])
			validation.Within(id+"-servers", what+": servers that survive the loss of any circuit", "", float64(c.servers), 0, source).Check(t, float64(len(l.Servers)))
			validation.Within(id+"-share", what+": load of a circuit that is left", "%", 100*c.share, 0.05, source).Check(t, 100*fit.FeedShare)
		}
		for _, lost := range l.Failover {
			if lost.Lost == "A01.A" && (lost.State != c.states || lost.Racks != 1) {
				t.Errorf("%s: %+v, want %s", c.name, lost, c.states)
			}
		}
		if c.binding == Feed && (fit.Next[0].Unit != "VA" || fit.Next[0].Short <= 0) {
			t.Errorf("%s: %+v", c.name, fit.Next)
		}
	}
}

func TestSupplies(t *testing.T) {
	h100, b200 := dgxH100(), dgxB200()
	for _, c := range []struct {
		name   string
		model  *facility.Model
		feeds  int
		lost   int
		live   int
		state  string
		leftKW float64
	}{
		{"W026 DGX H100 on three PDUs, one lost", &h100, 3, 0, 4, RedundancyLost, 13.2},
		{"W027 DGX H100 on two PDUs, one lost", &h100, 2, 0, 3, Degraded, 9.9},
		{"W028 DGX B200 with one supply lost", &b200, 6, 5, 5, RedundancyLost, 16.5},
		{"six supplies on four feeds, a first one lost", &h100, 4, 0, 4, RedundancyLost, 13.2},
	} {
		live := supplies(c.model, c.feeds, func(j int) bool { return j != c.lost })
		if id, what, ok := strings.Cut(c.name, " "); ok && strings.HasPrefix(id, "W") {
			validation.Within("failover/"+strings.ToLower(id)+"-output", what+": output of the supplies that are left", "kW", c.leftKW, 1e-9, "NVIDIA DGX H100 and B200 user guides: six supplies of 3.3 kW, 4+2 and 5+1").
				Check(t, float64(live)*c.model.PSURatingW/1e3)
		}
		if live != c.live || shortState(c.model, live) != c.state {
			t.Errorf("%s: %d supplies, %s; want %d, %s", c.name, live, shortState(c.model, live), c.live, c.state)
		}
	}
	h100.ShortRule = "off"
	if shortState(&h100, 3) != Lost {
		t.Error("a server that turns off is not lost")
	}
}

// Two sides of UPS under one transformer, N+1, with a generator behind a transfer switch.
func site2N(t *testing.T, upsVA, genVA float64) *facility.Facility {
	f := fillWith(dgxH100(), racks(6, 42, 48000))
	var nodes []power.Node
	tx := node("tx", power.Transformer, 500e3, "utility")
	tx.Units, tx.Redundant, tx.Loss = 2, 1, power.Loss{A: 0.002, C: 0.008}
	nodes = append(nodes, node("utility", power.Utility, 4e6), node("gen", power.Generator, genVA), tx)
	for _, side := range []string{"A", "B"} {
		ups := node("ups["+side+"]", power.UPS, upsVA, "tx", "gen")
		ups.Side, ups.Transfer, ups.Loss = side, true, power.Loss{A: 0.01325, B: -0.0096, C: 0.03795}
		bus := node("bus["+side+"]", power.Distribution, 1e6, ups.ID)
		bus.Side, bus.Loss = side, power.Loss{C: 0.005}
		nodes = append(nodes, ups, bus)
	}
	for i := range f.Racks {
		for _, side := range []string{"A", "B"} {
			n := node(f.Racks[i].ID+"."+side, power.RackFeed, power.ThreePhaseVA(415, 60), "bus["+side+"]")
			n.Side = side
			nodes = append(nodes, n)
		}
	}
	f.Power = graph(t, nodes...)
	for i := range f.Racks {
		for _, side := range []string{"A", "B"} {
			k, _ := f.Power.Index(f.Racks[i].ID + "." + side)
			f.Racks[i].Feeds = append(f.Racks[i].Feeds, k)
		}
	}
	return f
}

func TestUpstream(t *testing.T) {
	f := site2N(t, 250e3, 1e6)
	l := place(t, f)
	// 6 racks × 4 = 24 servers want 244.8 kW of one side; the UPS gives 250 kVA × 0.98 less the busway's loss.
	if len(l.Servers) != 23 || l.Bound != 23 || l.Requested != 24 {
		t.Errorf("%d placed of %d, bound %d; want 23 of 24", len(l.Servers), l.Requested, l.Bound)
	}
	last := l.Racks[5]
	if last.Binding != Upstream || !strings.HasPrefix(last.Next[0].Where, "ups[") || !strings.Contains(last.Next[0].Where, "lost") || last.Max[Upstream] != 3 {
		t.Errorf("%+v", last)
	}
	if l.Binding[0].Limit != Power || l.Binding[0].Racks != 5 || l.Binding[0].Where != "racks" || l.Binding[1].Limit != Upstream {
		t.Errorf("%+v", l.Binding)
	}
	// The generator is judged although it carries nothing in normal service.
	l = place(t, site2N(t, 1e6, 200e3))
	if k, _ := l.Facility.Power.Index("gen"); l.DemandW[k] != 0 {
		t.Errorf("generator carries %d W in normal service", l.DemandW[k])
	}
	if len(l.Servers) >= 20 || l.Bound < len(l.Servers) {
		t.Errorf("%d servers on a generator of 200 kW", len(l.Servers))
	}

	l = place(t, site2N(t, 1e6, 1e6))
	states := map[string]Failover{}
	for _, x := range l.Failover {
		states[x.Lost] = x
	}
	for _, c := range []struct {
		lost, state string
		racks       int
	}{
		{"utility", RedundancyLost, 6},
		{"gen", RedundancyLost, 6},
		{"tx, 1 of 2", RedundancyLost, 6},
		{"ups[A]", Degraded, 6},
		{"bus[B]", Degraded, 6},
		{"A03.A", Degraded, 1},
	} {
		if got := states[c.lost]; got.State != c.state || got.Racks != c.racks || !(got.WorstLoadShare > 0.4 && got.WorstLoadShare < 1) {
			t.Errorf("lost %s: %+v, want %s with %d racks", c.lost, got, c.state, c.racks)
		}
	}
	claims := map[string]Claim{}
	for _, c := range l.Claims {
		claims[c.Where] = c
	}
	if c := claims["tx"]; !c.Holds || c.Claim != "N+1" {
		t.Errorf("%+v", c)
	}
	c := claims["6 racks, A01 to A06"]
	if c.Claim != "2N to the tx" || !c.Holds || !strings.Contains(c.Why, "share tx, utility, gen") || !strings.Contains(c.Why, "dgx-h100 is degraded: 3 of the 4") {
		t.Errorf("%+v", l.Claims)
	}
	// In W: parent = children + loss, and both sides add up.
	for _, ids := range [][3]string{{"bus[A]", "ups[A]", ""}} {
		bus, _ := f.Power.Index(ids[0])
		ups, _ := l.Facility.Power.Index(ids[1])
		if l.DemandW[ups] < l.DemandW[bus] {
			t.Errorf("UPS carries %d W, its busway %d", l.DemandW[ups], l.DemandW[bus])
		}
	}
}

// Rack 1 shares a busway with rack 2 and a room with rack 3. Filled first, it would block both.
func TestFillingInOrderIsNotAlwaysBest(t *testing.T) {
	f := fillWith(watts(5000), racks(3, 1, facility.NoLimit))
	f.Power = graph(t, node("u", power.Utility, 1e6), node("x", power.Distribution, 5000, "u"), node("y", power.Distribution, 5000, "u"))
	f.Cooling.Rooms = []cooling.Room{{Name: "1", Units: 1, CapacityW: 5000, Plant: -1}, {Name: "2", Units: 1, CapacityW: 5000, Plant: -1}}
	f.Racks[0].Feeds, f.Racks[0].Room = []int{1}, 0
	f.Racks[1].Feeds, f.Racks[1].Room = []int{1}, 1
	f.Racks[2].Feeds, f.Racks[2].Room = []int{2}, 0
	if l := place(t, f); len(l.Servers) != 2 || l.Racks[0].Servers != 0 {
		t.Errorf("%d servers: %v", len(l.Servers), l.Servers)
	}
}

// Two UPSs without a claim share a busway: what one cannot carry alone is seen, not prevented.
func TestOverloadAfterAnUnclaimedLoss(t *testing.T) {
	f := fillWith(watts(1000), racks(2, 10, facility.NoLimit))
	f.Power = graph(t, node("u", power.Utility, 1e6), node("ups1", power.UPS, 12e3, "u"), node("ups2", power.UPS, 12e3, "u"), node("bus", power.Distribution, 1e6, "ups1", "ups2"))
	f.Racks[0].Feeds, f.Racks[1].Feeds = []int{3}, []int{3}
	l := place(t, f)
	if len(l.Servers) != 20 {
		t.Fatalf("%d servers", len(l.Servers))
	}
	if x := l.Failover[1]; x.Lost != "ups1" || x.State != Degraded || x.Worst != "ups2" || x.Racks != 2 || math.Abs(x.WorstLoadShare-20.0/12) > 1e-9 {
		t.Errorf("%+v", x)
	}
	if x := l.Failover[3]; x.Lost != "bus" || x.State != Lost || x.Racks != 2 {
		t.Errorf("%+v", x)
	}
}

func TestCooling(t *testing.T) {
	build := func() *facility.Facility {
		f := fillWith(liquidH100(), racks(4, 42, facility.NoLimit))
		for i := range f.Racks {
			f.Racks[i].Room, f.Racks[i].Loop = 0, 0
		}
		f.Cooling.Plants = []cooling.Plant{rated{cooling.Spec{Name: "plant", Units: 3, Redundant: 1, CapacityW: 1e9}}}
		f.Cooling.Rooms = []cooling.Room{{Name: "hall", Units: 3, Redundant: 1, CapacityW: 1e9, AirflowM3s: 1e3}}
		f.Cooling.Loops = []cooling.Loop{{Name: "tcs", CDUs: 3, Redundant: 1, CapacityW: 1e9, FlowLPM: 1e6}}
		return f
	}
	if n := len(place(t, build()).Servers); n != 40 {
		t.Fatalf("%d servers without limits near, want 40", n)
	}
	for _, c := range []struct {
		name    string
		change  func(*facility.Facility)
		servers int
		binding Limit
	}{
		{"room heat, exact fit", func(f *facility.Facility) { f.Cooling.Rooms[0].CapacityW = 20400 / 2 }, 10, Air},
		{"room heat with fans", func(f *facility.Facility) { f.Cooling.Rooms[0].CapacityW, f.Cooling.Rooms[0].FanW = 20400/2, 1 }, 9, Air},
		{"room airflow", func(f *facility.Facility) { f.Cooling.Rooms[0].AirflowM3s = 0.14 * 11 / 2 }, 11, Airflow},
		{"loop heat", func(f *facility.Facility) { f.Cooling.Loops[0].CapacityW = 8160 * 7 / 2 }, 7, Liquid},
		{"loop flow", func(f *facility.Facility) { f.Cooling.Loops[0].FlowLPM = 12 * 13 / 2 }, 13, Flow},
		{"plant", func(f *facility.Facility) {
			f.Cooling.Plants[0] = rated{cooling.Spec{Name: "plant", Units: 3, Redundant: 1, CapacityW: 10200 * 8 / 2}}
		}, 8, Plant},
		{"plant with fans and pumps", func(f *facility.Facility) {
			f.Cooling.Rooms[0].FanW, f.Cooling.Loops[0].PumpW = 1, 1
			f.Cooling.Plants[0] = rated{cooling.Spec{Name: "plant", Units: 3, Redundant: 1, CapacityW: 10200 * 8 / 2}}
		}, 7, Plant},
		{"racks without a loop", func(f *facility.Facility) {
			for i := range f.Racks {
				f.Racks[i].Loop = -1
			}
		}, 0, Liquid},
		{"rack liquid", func(f *facility.Facility) {
			for i := range f.Racks {
				f.Racks[i].LiquidW = 2 * 8160
			}
		}, 8, Liquid},
		{"reserve heats the air", func(f *facility.Facility) {
			f.Racks[3].ReserveW = 2040
			f.Cooling.Rooms[0].CapacityW = 20400 / 2
		}, 9, Air},
	} {
		f := build()
		c.change(f)
		l := place(t, f)
		if len(l.Servers) != c.servers || l.Bound != c.servers || l.Racks[3].Binding != c.binding {
			t.Errorf("%s: %d servers, bound %d, by %s; want %d by %s", c.name, len(l.Servers), l.Bound, l.Racks[3].Binding, c.servers, c.binding)
		}
	}
}

// Liquid-to-air CDUs warm the room: its coils must carry the heat, with that of pumps and fans, and its fans the air.
func TestLiquidToAirWarmsTheRoom(t *testing.T) {
	build := func() *facility.Facility {
		f := fillWith(liquidH100(), racks(2, 42, facility.NoLimit))
		for i := range f.Racks {
			f.Racks[i].Room, f.Racks[i].Loop = 0, 0
		}
		f.Cooling.Plants = []cooling.Plant{rated{cooling.Spec{Name: "plant", Units: 1, CapacityW: 1e9}}}
		f.Cooling.Rooms = []cooling.Room{{Name: "hall", Units: 1, CapacityW: 1e9, AirflowM3s: 1e3}}
		f.Cooling.Loops = []cooling.Loop{{Name: "sidecars", CDUs: 2, Redundant: 1, CapacityW: 1e6, FlowLPM: 1e6, Air: &cooling.AirSink{AirflowM3s: 50}, Plant: -1}}
		return f
	}
	for _, c := range []struct {
		name    string
		change  func(*facility.Facility)
		servers int
		binding Limit
	}{
		{"no limit near", func(*facility.Facility) {}, 20, Space},
		{"room heat, air and liquid", func(f *facility.Facility) { f.Cooling.Rooms[0].CapacityW = 7 * 10200 }, 7, Air},
		{"with a pump and a fan", func(f *facility.Facility) {
			f.Cooling.Rooms[0].CapacityW = 7*10200 + 399
			f.Cooling.Loops[0].PumpW, f.Cooling.Loops[0].Air.FanW = 300, 100
		}, 6, Air},
		{"plant of the room", func(f *facility.Facility) {
			f.Cooling.Plants[0] = rated{cooling.Spec{Name: "plant", Units: 1, CapacityW: 7 * 10200}}
		}, 7, Plant},
		{"air of the room", func(f *facility.Facility) { f.Cooling.Rooms[0].AirflowM3s = 5 * (0.14 + 8160e-6*50) }, 5, Airflow},
	} {
		f := build()
		c.change(f)
		l := place(t, f)
		if len(l.Servers) != c.servers || l.Bound != c.servers || l.Racks[1].Binding != c.binding {
			t.Errorf("%s: %d servers, bound %d, by %s; want %d by %s", c.name, len(l.Servers), l.Bound, l.Racks[1].Binding, c.servers, c.binding)
		}
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	f := fillWith(dgxH100(), racks(2, 42, facility.NoLimit))
	f.Models[0].WeightKg = math.NaN()
	f.Cooling.Rooms = []cooling.Room{{Name: "hall", Units: 2, Redundant: 1}}
	for i := range f.Racks {
		f.Racks[i].Room = 0
	}
	l := place(t, f)
	if len(l.Servers) != 10 || l.Racks[0].FreeW != facility.NoLimit || l.Stranded.PowerW != facility.NoLimit || len(l.Racks[0].Max) != 1 {
		t.Errorf("%d servers, %+v, %+v", len(l.Servers), l.Racks[0], l.Stranded)
	}
	if l.Failover[0].State != Unknown || !math.IsNaN(l.Failover[0].WorstLoadShare) {
		t.Errorf("%+v", l.Failover[0])
	}
	if l.Claims[0].Holds || !strings.Contains(l.Claims[0].Why, "unknown") {
		t.Errorf("%+v", l.Claims[0])
	}
	text := strings.Join(l.Warnings, "\n")
	for _, want := range []string{"rack power limit", "rack air limit", "rack load limit", "rack feeds", "weight of dgx-h100", "room air capacity", "room airflow", "power graph"} {
		if !strings.Contains(text, "not stated: "+want) && !strings.Contains(text, want) {
			t.Errorf("no warning about %s in:\n%s", want, text)
		}
	}
}

func TestPlaceRefusesNonsense(t *testing.T) {
	f := fillWith(dgxH100(), racks(1, 0, -5))
	f.Models[0].PlanW = 0
	f.Orders = append(f.Orders, facility.Order{Model: 3, Count: -1})
	f.Racks[0].Feeds = []int{4}
	f.OtherW = math.NaN()
	_, err := Place(f)
	if err == nil {
		t.Fatal("placed")
	}
	for _, want := range []string{"server dgx-h100", "model 3 of 1", "-1 servers", "rack A01 (line 0): 0U", "a limit of -5 W", "power node 4 of 0", "other load"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	l := place(t, &facility.Facility{})
	if len(l.Servers) != 0 || l.Bound != 0 {
		t.Errorf("%+v", l)
	}
}
