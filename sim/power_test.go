package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim/workload"
)

// forever is one job on each server, of a kind.
func forever(servers int, kinds ...workload.Kind) (classes []workload.Class, jobs [][]workload.Job) {
	var all []workload.Job
	for k, kind := range kinds {
		classes = append(classes, workload.Class{Name: fmt.Sprint(kind), Kind: kind, GPUs: []workload.Size{{GPUs: 8, Weight: 1}}, Activity: 1, MemoryBound: 0.15, CheckpointS: math.Inf(1), Restart: true})
		for range servers / len(kinds) {
			all = append(all, workload.Job{Class: int32(k), GPUs: 8, WorkS: math.Inf(1), Activity: 1, MemoryBound: 0.15})
		}
	}
	return classes, [][]workload.Job{all}
}

// rewired builds the hall's graph again with its nodes changed.
func rewired(t *testing.T, l *placement.Layout, change func([]power.Node) []power.Node) {
	t.Helper()
	g, err := power.New(change(append([]power.Node{}, l.Facility.Power.Nodes...)))
	if err != nil {
		t.Fatal(err)
	}
	at := func(old int) int {
		n, ok := g.Index(l.Facility.Power.Nodes[old].ID)
		if !ok {
			t.Fatal("a node is gone")
		}
		return n
	}
	move := func(fed []int) []int {
		out := make([]int, len(fed))
		for i := range fed {
			out[i] = at(fed[i])
		}
		return out
	}
	f := l.Facility
	for i := range f.Racks {
		f.Racks[i].Feeds = move(f.Racks[i].Feeds)
	}
	for i := range f.Cooling.Rooms {
		f.Cooling.Rooms[i].Fed = move(f.Cooling.Rooms[i].Fed)
	}
	p := f.Cooling.Plants[0].(flatPlant)
	p.spec.Fed = move(p.spec.Fed)
	f.Cooling.Plants[0] = p
	f.Power = g
}

func find(r *Result, kind string) (at float64, ok bool) {
	for _, e := range r.Events {
		if e.Kind == kind {
			return e.AtS, true
		}
	}
	return 0, false
}

// When the utility is lost the UPS carry IT and the air handlers on their batteries; chillers on the
// utility stop, and without a generator everything is dark when the batteries are empty.
func TestUtilityLossOnBattery(t *testing.T) {
	l := hall{racks: 2, perRack: 4}.layout(t)
	rewired(t, l, func(n []power.Node) []power.Node {
		for i := range n {
			if n[i].Kind == power.UPS {
				n[i].BatteryS = 300
			}
		}
		return n
	})
	c := config(6 * time.Hour)
	c.Classes, c.Replays = forever(8, workload.Training)
	at, _ := l.Facility.Power.Index("utility")
	c.Failures.Events = []Loss{{Name: "utility", AtNS: int64(2 * time.Hour), ForNS: int64(2 * time.Hour), Part: PowerUnit, Index: at, Units: 1}}
	r := mustRun(t, l, c)
	on, ok := find(r, "on battery")
	if !ok || on != 7200 {
		t.Fatalf("on battery at %.0f s, want 7200 s; events %v", on, r.Events[:min(20, len(r.Events))])
	}
	empty, ok := find(r, "battery empty")
	if !ok {
		t.Fatal("the batteries never end")
	}
	// Each side holds 300 s at its full rating and carries its half of the load.
	it := columnOf(t, r, "it_w")
	rated := 0.0
	for _, n := range l.Facility.Power.Nodes {
		if n.Kind == power.UPS {
			rated += n.RatingVA * n.PF * float64(n.Units)
		}
	}
	least, most := 300*rated/(it[1]*1.10), 300*rated/it[1]
	if got := empty - 7200; got < least*0.97 || got > most*1.03 {
		t.Errorf("batteries last %.0f s, want %.0f to %.0f s", got, least, most)
	}
	if it[2] > 0.6*it[1] || it[3] != 0 || it[5] < 0.95*it[1] {
		t.Errorf("IT power by hour %.0f W", it)
	}
	if r.Jobs.Running != 8 {
		t.Errorf("after the power is back: %+v", r.Jobs.JobCounts)
	}
}

// With a generator the batteries bridge its start, and nothing goes dark.
func TestGeneratorTakesOver(t *testing.T) {
	l := hall{racks: 2, perRack: 4}.layout(t)
	rewired(t, l, func(n []power.Node) []power.Node {
		for i := range n {
			switch n[i].Kind {
			case power.UPS:
				n[i].BatteryS = 300
			case power.Transformer:
				n[i].From, n[i].Transfer = []string{"utility", "gen"}, true
			}
		}
		gen := power.Node{ID: "gen", Kind: power.Generator, Units: 2, RatingVA: 5e6, PF: 1, Derate: 1, StartS: 15}
		return append([]power.Node{gen}, n...)
	})
	p := l.Facility.Cooling.Plants[0].(flatPlant)
	tx, _ := l.Facility.Power.Index("tx")
	p.spec.Fed = []int{tx}
	l.Facility.Cooling.Plants[0] = p
	c := config(6 * time.Hour)
	c.Classes, c.Replays = forever(8, workload.Training)
	at, _ := l.Facility.Power.Index("utility")
	c.Failures.Events = []Loss{{Name: "utility", AtNS: int64(2 * time.Hour), ForNS: int64(2 * time.Hour), Part: PowerUnit, Index: at, Units: 1}}
	r := mustRun(t, l, c)
	runs, ok := find(r, "generator runs")
	if !ok || runs != 7215 {
		t.Errorf("generator runs at %.1f s, want 7215 s", runs)
	}
	if _, ok := find(r, "battery empty"); ok {
		t.Error("a battery runs empty behind a generator")
	}
	it := columnOf(t, r, "it_w")
	for h, w := range it[1:] {
		if math.Abs(w-it[1]) > 0.02*it[1] {
			t.Errorf("hour %d: IT %.0f W, before %.0f W", h+1, w, it[1])
		}
	}
	if stop, ok := find(r, "generator stops"); !ok || stop != 4*3600 {
		t.Errorf("generator stops at %.0f s", stop)
	}
}

// A busway that carries both sides' load after a loss is overloaded, trips by its I²t image, and the other
// rack goes with it: a cascade that a plan without headroom for one loss runs into.
func TestOverloadTripsAndCascades(t *testing.T) {
	l := hall{racks: 2, perRack: 4}.layout(t)
	const rating = 50e3
	rewired(t, l, func(n []power.Node) []power.Node {
		for i := range n {
			if n[i].Kind == power.Distribution {
				n[i].RatingVA = rating
			}
		}
		return n
	})
	c := config(6 * time.Hour)
	c.Classes, c.Replays = forever(8, workload.Training)
	at, _ := l.Facility.Power.Index("busway.A")
	c.Failures.Events = []Loss{{Name: "busway.A", AtNS: int64(time.Hour), Part: PowerUnit, Index: at, Units: 1}}
	m := &l.Facility.Models[0]
	m.PSUNeeded = 3 // half of the supplies carry a server
	r := mustRun(t, l, c)
	trip, ok := find(r, "tripped")
	if !ok {
		t.Fatalf("no trip: %v", r.Events)
	}
	it := columnOf(t, r, "it_w")[0]
	x0, x1 := it/2/rating, it/rating
	want := breakerTauS * math.Log((x1*x1-x0*x0)/(x1*x1-breakerHolds*breakerHolds))
	if math.Abs(trip-3600-want) > 0.05*want {
		t.Errorf("trips %.1f s after the loss, the thermal image says %.1f s", trip-3600, want)
	}
	if w := columnOf(t, r, "it_w"); w[4] != 0 {
		t.Errorf("both sides are gone, servers draw %.0f W", w[4])
	}
	if r.Run.Approximations["breakers_tripped"] != 1 {
		t.Errorf("%d breakers tripped, want 1", r.Run.Approximations["breakers_tripped"])
	}
}

// A site cap takes from batch first, then training, and never from inference while others can give.
func TestCapsByPriority(t *testing.T) {
	l := hall{racks: 3, perRack: 4}.layout(t)
	kinds := []workload.Kind{workload.Batch, workload.Training, workload.Inference}
	clocks := func(limitW, delayS float64) (*Result, map[workload.Kind]float64) {
		c := config(4 * time.Hour)
		c.Classes, c.Replays = forever(12, kinds...)
		for i := range c.Classes {
			if c.Classes[i].Kind == workload.Inference {
				c.Classes[i].Replicas = 0
			}
		}
		if limitW > 0 {
			c.Caps = []PowerCap{{Name: "site", Over: CapSite, LimitW: limitW, DelayS: delayS}}
		}
		e, err := newEngine(t.Context(), l, &c)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.run(); err != nil {
			t.Fatal(err)
		}
		out := map[workload.Kind]float64{}
		for i := range e.srv {
			out[e.kindOn(&e.srv[i])] = e.srv[i].set.Clock
		}
		return e.result(), out
	}
	r, free := clocks(0, 0)
	peak := columnOf(t, r, "facility_w")[2]
	for _, share := range []float64{0.97, 0.85, 0.65} {
		limit := share * peak
		r, got := clocks(limit, 0)
		if w := columnOf(t, r, "facility_w")[2]; w > limit*(1+2*capTolerance) || w < limit*0.995 {
			t.Errorf("cap at %.0f %%: facility %.0f W, limit %.0f W", 100*share, w, limit)
		}
		if got[workload.Batch] > got[workload.Training]+1e-9 || got[workload.Training] > got[workload.Inference]+1e-9 {
			t.Errorf("cap at %.0f %%: clocks batch %.3f, training %.3f, inference %.3f", 100*share, got[workload.Batch], got[workload.Training], got[workload.Inference])
		}
		if share > 0.9 && got[workload.Inference] != free[workload.Inference] {
			t.Errorf("inference gives way at %.0f %% while batch could", 100*share)
		}
		if !(r.Compute.LostGPUHours.PowerCap > 0) {
			t.Errorf("cap at %.0f %% costs nothing", 100*share)
		}
	}
	// With a delay power overshoots until the cap acts.
	r, _ = clocks(0.85*peak, 2)
	if r.Energy.PeakFacilityW < 0.99*Num(peak) {
		t.Errorf("no overshoot: peak %.0f W, uncapped %.0f W", float64(r.Energy.PeakFacilityW), peak)
	}
	if w := columnOf(t, r, "facility_w")[2]; w > 0.85*peak*(1+2*capTolerance) {
		t.Errorf("the delayed cap doesn't act: %.0f W", w)
	}
	if !strings.Contains(fmt.Sprint(r.Events), "cap acts") {
		t.Error("the cap isn't logged")
	}
}

// Two batteries that run empty within nanoseconds of each other stay empty until there is a source again.
func TestEmptyBatteriesStayEmpty(t *testing.T) {
	l := hall{racks: 2, perRack: 4}.layout(t)
	rewired(t, l, func(n []power.Node) []power.Node {
		for i := range n {
			if n[i].Kind == power.UPS {
				n[i].BatteryS = 60
			}
		}
		return n
	})
	c := config(10 * time.Hour)
	c.Classes, c.Replays = forever(8, workload.Training)
	at, _ := l.Facility.Power.Index("utility")
	for _, h := range []time.Duration{1, 5} { // the second time they have had 3 hours to charge
		c.Failures.Events = append(c.Failures.Events, Loss{Name: "utility", AtNS: int64(h * time.Hour), ForNS: int64(time.Hour), Part: PowerUnit, Index: at, Units: 1})
	}
	r := mustRun(t, l, c)
	empty := 0
	for _, e := range r.Events {
		if e.Kind == "battery empty" {
			empty++
		}
	}
	if empty != 4 || r.Run.Events > 1000 {
		t.Errorf("%d batteries empty in %d events, want 4 in a few", empty, r.Run.Events)
	}
}
