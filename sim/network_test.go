package sim

import (
	"math"
	"testing"
	"time"

	"headroom/sim/workload"
)

// A lost leaf switch takes its servers' jobs down and keeps others off them until it is back; they go on drawing idle
// power. Servers of other groups notice nothing. Work before a planned window is saved.
func TestLeafSwitchLost(t *testing.T) {
	l := hall{racks: 4, perRack: 2}.layout(t)
	run := func(net Net, e Loss) (*Result, *engine) {
		c := config(10 * time.Hour)
		class := train(8, 0, 1)
		class.CheckpointS = math.Inf(1)
		c.Classes = []workload.Class{class}
		c.Failures.Net = net
		var jobs []workload.Job
		for range 8 {
			jobs = append(jobs, workload.Job{GPUs: 8, Activity: 1, MemoryBound: 0.15, WorkS: 8 * 3600})
		}
		c.Replays = [][]workload.Job{jobs}
		e.Name, e.Part, e.AtNS, e.ForNS = "network.leaves", NetLeaf, int64(2*time.Hour), int64(time.Hour)
		c.Failures.Events = []Loss{e}
		var last *engine
		r := probedRun(t, l, c, []float64{2.5 * 3600}, func(_ int, e *engine, _ int64) { last = e; lookCut(t, e) })
		return r, last
	}
	// Eight servers in groups of three: switch 1 has servers 3 to 5.
	r, _ := run(Net{Servers: 3, Switches: 1}, Loss{Index: 1, Units: 1})
	if n := r.Incidents.ServersCutOff; n != 3 {
		t.Errorf("%d servers cut off, want 3", n)
	}
	if n := r.Incidents.JobsInterrupted; n != 3 {
		t.Errorf("%d jobs interrupted, want 3", n)
	}
	if n := r.Jobs.Done; n != 5 { // the others begin again after three hours and take eight
		t.Errorf("%d jobs done, want 5", n)
	}
	if w := float64(r.Energy.PeakITW); !(w > 0) {
		t.Errorf("peak %v W", w)
	}
	// With rails a group of three times two ports hangs on two switches; each takes all six servers down.
	r, _ = run(Net{Servers: 6, Switches: 2}, Loss{Index: 1, Units: 1})
	if n := r.Incidents.ServersCutOff; n != 6 {
		t.Errorf("rail: %d servers cut off, want 6", n)
	}
	// Both of its rails at once are one outage.
	r, _ = run(Net{Servers: 6, Switches: 2}, Loss{Index: 0, Units: 2})
	if n := r.Incidents.ServersCutOff; n != 6 {
		t.Errorf("both rails: %d servers cut off, want 6", n)
	}
	// Planned: two hours of work are kept, so that seven of nine hours remain of which six are left after the window.
	r, _ = run(Net{Servers: 3, Switches: 1}, Loss{Index: 1, Units: 1, Planned: true})
	if n := r.Jobs.Done; n != 8 {
		t.Errorf("planned: %d jobs done, want 8", n)
	}
	if h := float64(r.Compute.LostGPUHours.Restart); h > 1 {
		t.Errorf("planned: %.2f GPU-hours done again", h)
	}
}

// lookCut holds what is cut off: alive, idle, and out of the scheduler's reach.
func lookCut(t *testing.T, e *engine) {
	t.Helper()
	cut := 0
	for i := range e.srv {
		s := &e.srv[i]
		if s.cut == 0 {
			continue
		}
		cut++
		if s.able() || len(s.jobs) > 0 || !(s.set.WallW > 1000) {
			t.Errorf("server %d is cut off: able %v, %d jobs, %.0f W", i, s.able(), len(s.jobs), s.set.WallW)
		}
	}
	if up := e.js.cluster.Up(); int(up) != (len(e.srv)-cut)*8 {
		t.Errorf("%d GPUs up with %d servers cut off", up, cut)
	}
}

// Switches fail at their rate, each taking its own servers down; with a spare in store an outage is the time to swap.
func TestLeafSwitchesFailAtTheirRate(t *testing.T) {
	l := hall{racks: 10, perRack: 2}.layout(t)
	mean := func(spares int) (per, hours float64) {
		c := config(365 * 24 * time.Hour)
		c.Check = false
		c.Failures.Net = Net{Servers: 4, Switches: 1}
		c.Failures.Parts = []PartFailure{{
			Name: "network.leaves", Part: NetLeaf, Units: 5, RatePerS: 1. / (500 * 3600), RepairS: 20 * 3600, Spares: spares, SwapS: 3600,
		}}
		r := mustRun(t, l, c)
		n := float64(r.Incidents.ServersCutOff) / 4
		down := 1 - float64(r.Compute.GPUHoursAvailable)/(20*8*8760)
		return n, down * 8760 * 5 / n
	}
	n, hours := mean(0)
	// Five switches for 8760 h at 520 h a round: 84 ± 9.
	if want := 5 * 8760. / 520; math.Abs(n-want) > 3*math.Sqrt(want) {
		t.Errorf("%.0f outages, want about %.0f", n, want)
	}
	if math.Abs(hours-20) > 3*20/math.Sqrt(n) {
		t.Errorf("mean outage %.1f h, want about 20", hours)
	}
	if _, hours := mean(5); math.Abs(hours-1) > 0.3 {
		t.Errorf("with spares: mean outage %.2f h, want about 1", hours)
	}
}
