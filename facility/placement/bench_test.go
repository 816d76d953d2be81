package placement

import (
	"fmt"
	"testing"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// campus is rows of 20 racks with a busway on each side of a row, halls of 50 rows with their own UPS,
// rooms and loops, and limits that bind now and then.
func campus(b testing.TB, n int, models ...facility.Model) *facility.Facility {
	f := fillWith(dgxH100(), racks(n, 48, 48000))
	f.Models, f.Orders = models, nil
	for m := range models {
		f.Orders = append(f.Orders, facility.Order{Model: m, Count: n / 2})
	}
	f.Orders[len(models)-1].Max = true
	nodes := []power.Node{node("utility", power.Utility, 1e9)}
	for i := range f.Racks {
		row, hall := i/20, i/1000
		for _, side := range []string{"A", "B"} {
			if i%1000 == 0 {
				ups := node(fmt.Sprintf("ups%d.%s", hall, side), power.UPS, 14e6, "utility")
				ups.Units, ups.Redundant, ups.Side, ups.Loss = 4, 1, side, power.Loss{A: 0.013, B: -0.0096, C: 0.038}
				nodes = append(nodes, ups)
			}
			if i%20 == 0 {
				bus := node(fmt.Sprintf("bus%d.%s", row, side), power.Distribution, 800e3, fmt.Sprintf("ups%d.%s", hall, side))
				bus.Side, bus.Loss = side, power.Loss{C: 0.005}
				nodes = append(nodes, bus)
			}
			feed := node(f.Racks[i].ID+"."+side, power.RackFeed, power.ThreePhaseVA(415, 100), fmt.Sprintf("bus%d.%s", row, side))
			feed.Side = side
			nodes = append(nodes, feed)
		}
		f.Racks[i].Room, f.Racks[i].Loop = hall, hall
		if i%1000 == 0 {
			f.Cooling.Rooms = append(f.Cooling.Rooms, cooling.Room{Name: fmt.Sprint("hall ", hall), Units: 300, Redundant: 10, CapacityW: 130e3, AirflowM3s: 10, Plant: -1})
			f.Cooling.Loops = append(f.Cooling.Loops, cooling.Loop{Name: fmt.Sprint("loop ", hall), CDUs: 20, Redundant: 2, CapacityW: 1e6, FlowLPM: 1500, Plant: -1})
		}
	}
	g, err := power.New(nodes)
	if err != nil {
		b.Fatal(err)
	}
	f.Power = g
	for i := range f.Racks {
		for _, side := range []string{"A", "B"} {
			k, _ := g.Index(f.Racks[i].ID + "." + side)
			f.Racks[i].Feeds = append(f.Racks[i].Feeds, k)
		}
	}
	return f
}

func BenchmarkPlace10kRacks(b *testing.B) {
	f := campus(b, 10000, dgxH100())
	for b.Loop() {
		l := place(b, f)
		b.ReportMetric(float64(len(l.Servers)), "servers")
		b.ReportMetric(float64(l.Bound), "bound")
	}
}

func BenchmarkPlace10kRacks3Models(b *testing.B) {
	f := campus(b, 10000, dgxB200(), liquidH100(), dgxH100())
	for b.Loop() {
		l := place(b, f)
		b.ReportMetric(float64(len(l.Servers)), "servers")
		b.ReportMetric(float64(l.Bound), "bound")
	}
}

func BenchmarkPlaceFirstHall(b *testing.B) {
	f := campus(b, 20, dgxH100())
	for b.Loop() {
		place(b, f)
	}
}

func BenchmarkPlace10kRacks6Models(b *testing.B) {
	models := []facility.Model{dgxB200(), liquidH100(), dgxH100(), dgxB200(), dgxH100(), dgxH100()}
	for i := 3; i < len(models); i++ {
		m := &models[i]
		m.PlanW -= int64(700 * i)
		m.PlanAirW = m.PlanW
	}
	f := campus(b, 10000, models...)
	for i := range f.Orders {
		f.Orders[i].Count = 4000
	}
	for b.Loop() {
		l := place(b, f)
		b.ReportMetric(float64(len(l.Servers)), "servers")
		b.ReportMetric(float64(l.Bound), "bound")
	}
}
