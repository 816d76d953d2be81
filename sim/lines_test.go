package sim

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim/workload"
)

// oneLine is a hall of six racks of one server each whose two supplies hang to the neutral, each on its own side; with
// the racks at places 0, 3, 6 … all of them hang on L1, at 0, 1, 2 … they go round.
func oneLine(t *testing.T, pitch int, ratingVA float64) (*placement.Layout, Config) {
	l := hall{racks: 6, perRack: 1}.layout(t)
	rewired(t, l, func(n []power.Node) []power.Node {
		for i := range n {
			if n[i].Kind == power.Distribution {
				n[i].RatingVA = ratingVA
			}
		}
		return n
	})
	f := l.Facility
	f.Models[0].PSUs, f.Models[0].PSUNeeded = 2, 1
	for i := range f.Racks {
		f.Racks[i].Outlets, f.Racks[i].Place = facility.LineNeutral, i*pitch
	}
	c := config(3 * time.Hour)
	c.Classes, c.Replays = forever(6, workload.Training)
	return l, c
}

// A busway whose total is far inside its rating trips when one of its lines is not, by the thermal image of that
// line; the same servers dealt to all three lines run on.
func TestBreakerTripsByItsFullestLine(t *testing.T) {
	const rating = 60e3
	l, c := oneLine(t, 3, rating)
	at, _ := l.Facility.Power.Index("busway.A")
	c.Failures.Events = []Loss{{Name: "busway.A", AtNS: int64(time.Hour), Part: PowerUnit, Index: at, Units: 1}}
	r := mustRun(t, l, c)
	trip, ok := find(r, "tripped")
	if !ok {
		t.Fatalf("no trip: %v", r.Events)
	}
	it := columnOf(t, r, "it_w")[0]
	if it > 0.9*rating {
		t.Fatalf("%.0f W is no total inside %.0f VA: the test shows nothing", it, rating)
	}
	x0, x1 := 3*it/2/rating, 3*it/rating // each side carried half before
	if x0 > breakerHolds {
		t.Fatalf("%.2f of the line before the loss", x0)
	}
	want := breakerTauS * math.Log((x1*x1-x0*x0)/(x1*x1-breakerHolds*breakerHolds))
	if math.Abs(trip-3600-want) > 0.05*want {
		t.Errorf("trips %.1f s after the loss, the thermal image of L1 says %.1f s", trip-3600, want)
	}
	k := slices.IndexFunc(r.Events, func(e LogEntry) bool { return e.Kind == "tripped" })
	if want := "on L1"; !strings.Contains(r.Events[k].Detail, want) {
		t.Errorf("%q does not say %s", r.Events[k].Detail, want)
	}
	l, c = oneLine(t, 1, rating)
	c.Failures.Events = []Loss{{Name: "busway.A", AtNS: int64(time.Hour), Part: PowerUnit, Index: at, Units: 1}}
	if r := mustRun(t, l, c); r.Run.Approximations["breakers_tripped"] != 0 {
		t.Errorf("balanced servers trip %d breakers", r.Run.Approximations["breakers_tripped"])
	}
}

// Servers' lines are those that placement counts: over all servers of a rack the shares are the supplies dealt round.
func TestLinesOfServersAreThoseOfPlacement(t *testing.T) {
	l, _ := oneLine(t, 1, 1e6)
	f := l.Facility
	for _, psus := range []int{1, 2, 3, 4, 6, 7} {
		f.Models[0].PSUs = psus
		for rack := range f.Racks {
			for feed := range 2 {
				n := (psus + 1 - feed) / 2
				if n == 0 {
					continue
				}
				var on [3]float64 // supplies
				for nth := range 5 {
					shares := placement.ServerLines(f, rack, feed, 0, nth)
					for k := range on {
						on[k] += shares[k] * float64(n)
					}
				}
				var want [3]float64
				for k := range 5 * n {
					want[(rack+k)%3]++
				}
				for k := range on {
					if math.Abs(on[k]-want[k]) > 1e-9 {
						t.Errorf("%d supplies, rack %d, feed %d: %v on the lines, want %v", psus, rack, feed, on, want)
						break
					}
				}
			}
		}
	}
}
