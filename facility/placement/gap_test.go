package placement

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// sharedHall is 500 racks, none like another: heights, limits, reserves and circuits of their own, each on a
// PDU of side A and any other of side B in its room, PDUs under two UPS with losses, rooms with air limits. The PDUs
// are sized so that they bind in many places.
func sharedHall(t testing.TB, seed uint64, n, models int) *facility.Facility {
	rng := rand.New(rand.NewPCG(seed, 7))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	all := []facility.Model{dgxB200(), liquidH100(), dgxH100(), dgxH100(), dgxB200(), dgxH100()}
	for i := range all {
		m := &all[i]
		if i > 2 {
			m.Name = fmt.Sprintf("model-%d", i)
			m.PlanW = int64(between(3000, 14000))
			m.PlanAirW, m.HeightU = m.PlanW, 3+rng.IntN(7)
			m.WeightKg = between(40, 150)
		}
	}
	rng.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	f := &facility.Facility{Models: all[:models]}
	for m := range f.Models {
		f.Orders = append(f.Orders, facility.Order{Model: m, Count: n/8 + rng.IntN(n/4)})
	}
	f.Orders[models-1].Max = true
	const pdus = 16
	perPDU := float64(n) / pdus
	nodes := []power.Node{node("utility", power.Utility, 1e9)}
	for _, side := range []string{"A", "B"} {
		ups := node("ups."+side, power.UPS, float64(n)*between(34e3, 44e3)/4, "utility")
		ups.Units, ups.Redundant, ups.Side, ups.Loss = 5, 1, side, power.Loss{A: 0.006, B: -0.00077, C: 0.03202}
		nodes = append(nodes, ups)
		for p := range pdus {
			pdu := node(fmt.Sprintf("pdu%d.%s", p, side), power.Distribution, perPDU*between(25e3, 55e3), ups.ID)
			pdu.Side, pdu.Derate, pdu.Loss = side, 0.8+0.2*float64(rng.IntN(2)), power.Loss{A: 0.005, C: 0.015}
			nodes = append(nodes, pdu)
		}
	}
	for i := range n {
		r := bare(i, 36+rng.IntN(17))
		r.ID = fmt.Sprintf("R%03d", i)
		r.PowerW, r.AirW, r.LiquidW = int64(between(25e3, 80e3)), int64(between(20e3, 60e3)), int64(between(10e3, 50e3))
		r.ReserveW, r.ReserveU = int64(between(0, 2000)), rng.IntN(4)
		r.FrameKg, r.LoadKg = 150, between(500, 1400)
		r.Room, r.Loop = i*4/n, rng.IntN(2)-1
		f.Racks = append(f.Racks, r)
		for _, side := range []string{"A", "B"} {
			feed := node(fmt.Sprintf("%s.%s", r.ID, side), power.RackFeed, between(35e3, 90e3), fmt.Sprintf("pdu%d.%s", r.Room*pdus/4+rng.IntN((r.Room+1)*pdus/4-r.Room*pdus/4), side))
			feed.Side = side
			nodes = append(nodes, feed)
		}
	}
	for i := range 4 {
		f.Cooling.Rooms = append(f.Cooling.Rooms, cooling.Room{Name: fmt.Sprint("room ", i), Units: 10, Redundant: 1, CapacityW: float64(n) / 4 * between(30e3, 50e3) / 9, AirflowM3s: 400, Plant: -1})
	}
	f.Cooling.Loops = []cooling.Loop{{Name: "loop", CDUs: 6, Redundant: 1, CapacityW: float64(n) * between(8e3, 20e3) / 5, Plant: -1}}
	f.Power = graph(t, nodes...)
	for i := range f.Racks {
		for _, side := range []string{"A", "B"} {
			k, ok := f.Power.Index(f.Racks[i].ID + "." + side)
			if !ok {
				t.Fatal("no feed")
			}
			f.Racks[i].Feeds = append(f.Racks[i].Feeds, k)
		}
	}
	return f
}

// The gap between what is placed and what is proven stays within 1 % over 100 seeded halls of one to six models; 20
// of them here, all with CI or HEADROOM_LONG set.
func TestGapOfSharedHalls(t *testing.T) {
	worst, sum, halls := 0.0, 0.0, 20
	if os.Getenv("CI") == "true" || os.Getenv("HEADROOM_LONG") != "" {
		halls = 100
	}
	for seed := range uint64(halls) {
		f := sharedHall(t, seed, 500, 1+int(seed%6))
		l := place(t, f)
		gap := l.Gap()
		worst, sum = max(worst, gap), sum+gap
		if gap > 0.01 {
			t.Errorf("hall %d: %d servers, bound %d, gap %.2f %%: %+v", seed, len(l.Servers), l.Bound, 100*gap, l.Lines)
		}
	}
	t.Logf("%d halls: mean gap %.3f %%, worst %.3f %%", halls, 100*sum/float64(halls), 100*worst)
}
