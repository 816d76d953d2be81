package sim

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"time"

	"headroom/sim/sched"
	"headroom/sim/workload"
	"headroom/validation"
)

// figures reads the published and computed statistics of the traces.
func figures(t *testing.T) func(trace, statistic string) float64 {
	t.Helper()
	rows, err := csv.NewReader(validation.DataFile(t, "check_values.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return func(trace, statistic string) float64 {
		for _, r := range rows {
			if r[0] == trace && r[1] == statistic {
				v, err := strconv.ParseFloat(r[2], 64)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
		t.Fatalf("no %s of %s", statistic, trace)
		return 0
	}
}

// A month of each tenant of Helios, driven by its series of busy GPUs on as many GPUs as it owned: the hall is allocated as
// much as the tenant's was.
func TestHeliosTenantsReplayed(t *testing.T) {
	value := figures(t)
	for _, vc := range []string{"vc3sl", "vc8Sj", "vcJkd", "vcMod", "vcTJs", "vcdI0", "vchbv", "vcpDC"} {
		name := "Helios Earth May 2020 " + vc
		jobs, err := workload.ReadOccupancy(validation.DataFile(t, "jobs/helios/earth_2020-05_"+vc+".csv.gz"), vc, workload.OccupancyOptions{Unit: workload.Dates, Activity: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		l := hall{racks: int(value(name, "GPUs owned")) / 8, perRack: 1}.layout(t)
		c := config(31*day, workload.Class{Name: vc, Kind: workload.Batch, Trace: vc})
		c.Check = false // every minute of a month
		c.Replays = [][]workload.Job{jobs}
		r := mustRun(t, l, c)
		got, want := float64(r.Compute.GPUHoursAllocated/r.Compute.GPUHoursAvailable), value(name, "mean GPU allocation")
		t.Logf("%s: %.4f allocated, computed %.4f; %d jobs", vc, got, want, r.Jobs.Submitted)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: %.4f of the GPUs allocated, want %.4f ± 2 %%", vc, got, want)
		}
	}
}

// The tenants of Philly replayed where there is room for all: GPU time over the span of arrivals is what they offered, and
// no job runs longer or shorter than recorded.
func TestPhillyTenantsReplayed(t *testing.T) {
	value := figures(t)
	for _, vc := range []string{"0e4a51", "103959", "11cb48", "2869ce", "7f04ca", "e13805", "ee9e8c"} {
		jobs, err := workload.ReadTrace(validation.DataFile(t, "jobs/philly_reconstructed/philly_vc_jobs_ge20min.csv.gz"), vc,
			workload.TraceOptions{Filter: map[string]string{"vc": vc}, Activity: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		want := value("Philly reconstructed vc "+vc, "offered load (GPU time / arrival span)")
		span := float64(jobs[len(jobs)-1].Arrival) / 1e9
		end := 0.0
		for i := range jobs {
			end = math.Max(end, float64(jobs[i].Arrival)/1e9+jobs[i].WorkS)
		}
		l := hall{racks: 1 + int(want)/4, perRack: 2}.layout(t)
		c := config(time.Duration(1.2*end*1e9), workload.Class{Name: vc, Kind: workload.Training, Trace: vc, CheckpointS: math.Inf(1)})
		c.Check, c.SeriesStepNS = false, int64(day)
		c.Replays = [][]workload.Job{jobs}
		r := mustRun(t, l, c)
		got := float64(r.Compute.GPUHoursAllocated) * 3600 / span
		t.Logf("%s: %.2f GPUs offered, computed %.1f; %d jobs, wait %.0f s", vc, got, want, r.Jobs.Done, float64(r.Jobs.WaitS.Mean))
		if math.Abs(got/want-1) > 0.02 || r.Jobs.Done != int64(len(jobs)) {
			t.Errorf("%s: %.2f GPUs offered, want %.1f; %d of %d jobs done", vc, got, want, r.Jobs.Done, len(jobs))
		}
	}
}

// mixed is a hall under every rule at once: shares of GPUs, preemption, quotas, backfill, deferral, failures.
func mixed(order sched.Order, fill sched.Backfill, place sched.Placement) Config {
	c := config(25*day,
		workload.Class{Name: "urgent", Kind: workload.Training, GPUs: []workload.Size{{GPUs: 16, Weight: 1}, {GPUs: 8, Weight: 3}}, RatePerS: 4.0 / 86400, MedianS: 20000, SigmaLn: 1, Activity: 1, MemoryBound: 0.15, Priority: 2, Restart: true, CheckpointS: 1800, CheckpointCostS: 10},
		workload.Class{Name: "saved", Kind: workload.Batch, GPUs: []workload.Size{{GPUs: 4, Weight: 1}}, RatePerS: 20.0 / 86400, MedianS: 20000, SigmaLn: 1, Activity: 0.8, MemoryBound: 0.3, Spot: workload.SpotCheckpoint, Tenant: 1, CheckpointS: math.Inf(1)},
		workload.Class{Name: "lost", Kind: workload.Batch, GPUs: []workload.Size{{GPUs: 2, Weight: 1}}, RatePerS: 20.0 / 86400, MedianS: 20000, SigmaLn: 1, Activity: 0.8, MemoryBound: 0.3, Spot: workload.SpotLose, CheckpointS: math.Inf(1), Restart: true},
		workload.Class{Name: "gone", Kind: workload.Batch, GPUs: []workload.Size{{GPUs: 8, Weight: 1}}, RatePerS: 2.0 / 86400, MedianS: 20000, SigmaLn: 1, Activity: 0.8, MemoryBound: 0.3, Spot: workload.SpotKill, CheckpointS: math.Inf(1), DeferS: 36000},
		workload.Class{Name: "part", Kind: workload.Batch, GPUs: []workload.Size{{GPUs: 1, Weight: 1}}, Milli: 300, RatePerS: 100.0 / 86400, MedianS: 5000, SigmaLn: 1, Activity: 0.9, MemoryBound: 0.3, Tenant: 2, CheckpointS: math.Inf(1), Restart: true},
		workload.Class{Name: "chat", Kind: workload.Inference, GPUs: []workload.Size{{GPUs: 8, Weight: 1}}, Replicas: 1, Activity: 0.6, MemoryBound: 0.75, Priority: 3, Profile: workload.Diurnal(), CheckpointS: math.Inf(1), Restart: true},
	)
	c.Failures = Failures{ServerPerNodeDay: 0.02, RepairS: 4 * 3600, RestartS: 300}
	c.Scheduling = Scheduling{
		Rules: sched.Rules{
			Order: order, Backfill: fill, Depth: 10, Preempt: true, GangTimeoutNS: int64(12 * time.Hour),
			Tenants: []sched.Tenant{{Name: ""}, {Name: "a", QuotaMilli: 12_000, Weight: 2}, {Name: "b"}},
		},
		Placement: place,
	}
	c.Scheduling.Shift = make([]float64, 25*24)
	for h := range c.Scheduling.Shift {
		c.Scheduling.Shift[h] = float64((h + 12) % 24)
	}
	return c
}

// Under every order, backfill and placement each job ends in one bucket, GPUs add up at every event, and a second run says
// the same.
func TestEveryPolicyInTheHall(t *testing.T) {
	l := hall{racks: 2, perRack: 2}.layout(t)
	run := func(name string, o sched.Order, f sched.Backfill, p sched.Placement) *Result {
		r := mustRun(t, l, mixed(o, f, p)) // Check is on
		j := r.Jobs.JobCounts
		if j.Submitted != j.Done+j.Running+j.Queued+j.Rejected+j.Unplaceable+j.Killed+j.Lost || j.Done == 0 {
			t.Errorf("%s: %+v", name, j)
		}
		return r
	}
	for _, o := range sched.AllOrders() {
		run(o.Name, o, sched.EASY, sched.Placements{}.BestFit())
	}
	for _, p := range sched.AllPlacements() {
		run(p.Name, sched.Orders{}.Priority(), sched.NoBackfill, p)
	}
	a := run("conservative", sched.Orders{}.Priority(), sched.Conservative, sched.Placements{}.FragmentationGradient())
	b := run("again", sched.Orders{}.Priority(), sched.Conservative, sched.Placements{}.FragmentationGradient())
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	if err1 != nil || err2 != nil || string(x) != string(y) {
		t.Errorf("two runs differ (%v, %v)", err1, err2)
	}
	if s := a.Jobs.Scheduling; s == nil || s.Preempted == 0 || s.Backfilled == 0 || s.Deferred == 0 || s.GangTimeouts == 0 {
		t.Errorf("rules that did nothing are not tested: %+v", s)
	}
	if a.Jobs.Killed == 0 {
		t.Error("no spot job was ever killed: preemption isn't tested")
	}
}

// Jobs that share GPUs draw what one job of their joint activity would, and count by their shares.
func TestSharesOfGPUs(t *testing.T) {
	l := hall{racks: 1, perRack: 1}.layout(t)
	job := func(milli int32, u float64) workload.Job {
		return workload.Job{GPUs: 1, Milli: milli, WorkS: math.Inf(1), Activity: u, MemoryBound: 0.15}
	}
	run := func(jobs ...workload.Job) *Result {
		c := config(2*day, workload.Class{Name: "x", Kind: workload.Batch, Trace: "x", CheckpointS: math.Inf(1)})
		c.Replays = [][]workload.Job{jobs}
		return mustRun(t, l, c)
	}
	three := run(job(500, 0.8), job(250, 0.4), job(250, 0.4))
	one := run(job(0, 0.6))
	if a, b := float64(three.Energy.ITKWh), float64(one.Energy.ITKWh); math.Abs(a/b-1) > 1e-9 {
		t.Errorf("three that share a GPU take %.6f kWh, one as busy %.6f kWh", a, b)
	}
	if a, b := float64(three.Compute.GPUHoursAllocated), 48.0; math.Abs(a-b) > 1e-6 {
		t.Errorf("%.6f GPU-hours allocated, want %g", a, b)
	}
	half := run(job(500, 0.8))
	if a := float64(half.Compute.GPUHoursAllocated); math.Abs(a-24) > 1e-6 {
		t.Errorf("%.6f GPU-hours allocated to half a GPU, want 24", a)
	}
}

// A deferrable job starts in the hour when its signal is least, and not later than it may.
func TestShift(t *testing.T) {
	l := hall{racks: 1, perRack: 1}.layout(t)
	c := config(2*day, workload.Class{Name: "x", Kind: workload.Batch, Trace: "x", DeferS: 6 * 3600, CheckpointS: math.Inf(1)})
	c.Scheduling.Shift = make([]float64, 48)
	for h := range c.Scheduling.Shift {
		c.Scheduling.Shift[h] = math.Abs(float64(h - 9))
	}
	for _, x := range []struct{ atH, workH, waitS float64 }{
		{0, 1, 6 * 3600}, // the 9th hour is too far: the last that may be
		{4, 1, 5 * 3600}, // the 9th
		{4, 3, 4 * 3600}, // 8 … 10 lie around the 9th
		{8.5, 1, 1800},   // the next hour
		{20, 1, 0},       // it only gets worse
	} {
		c.Replays = [][]workload.Job{{{Arrival: int64(x.atH * 3.6e12), GPUs: 8, WorkS: x.workH * 3600, Activity: 1}}}
		r := mustRun(t, l, c)
		if got := float64(r.Jobs.WaitS.Mean); got != x.waitS || r.Jobs.Done != 1 {
			t.Errorf("a job of %g h at hour %g waits %g s, want %g s", x.workH, x.atH, got, x.waitS)
		}
	}
}

// Cool-first puts the load where the air is coolest, power-headroom where racks draw least.
func TestPoliciesThatLookAtTheHall(t *testing.T) {
	l := hall{racks: 4, perRack: 2}.layout(t)
	for _, p := range []sched.Placement{sched.Placements{}.PowerHeadroom(), sched.Placements{}.Spread(), sched.Placements{}.CoolFirst()} {
		c := config(2*day, workload.Class{Name: "x", Kind: workload.Batch, Trace: "x", CheckpointS: math.Inf(1)})
		c.Scheduling.Placement = p
		var jobs []workload.Job
		for i := range 4 {
			jobs = append(jobs, workload.Job{Arrival: int64(i) * int64(time.Hour), GPUs: 8, WorkS: math.Inf(1), Activity: 1})
		}
		c.Replays = [][]workload.Job{jobs}
		r := mustRun(t, l, c)
		busy := 0
		for _, k := range r.Racks {
			if k.MeanW > 8000 {
				busy++
			}
		}
		if p.Name == "power-headroom" && busy != 4 {
			t.Errorf("%s: load in %d racks of 4: %+v", p.Name, busy, r.Racks)
		}
		if r.Jobs.Running != 4 {
			t.Errorf("%s: %d jobs run", p.Name, r.Jobs.Running)
		}
	}
}
