package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/sim/workload"
	"headroom/validation"
)

const day = 24 * time.Hour

func TestIdleHallEnergyIsExact(t *testing.T) {
	l := hall{racks: 2, perRack: 4}.layout(t)
	r := mustRun(t, l, config(10*day))
	// Nothing happens: every server idles at one power for the whole run.
	it := float64(r.Energy.ITKWh) * 1000 / 240
	if each := it / 8; each < 2000 || each > 2800 {
		t.Errorf("an idle server draws %.0f W", each)
	}
	if got, want := float64(r.Energy.PeakITW), it; math.Abs(got-want) > 1e-6*want {
		t.Errorf("peak IT %.3f W, mean %.3f W: an idle hall in still air has one power", got, want)
	}
	if r.Energy.PUE < 1 || r.Energy.PUE > 2 {
		t.Errorf("PUE %.3f", float64(r.Energy.PUE))
	}
	if r.Jobs.WaitS.Mean.Known() || r.Compute.ThroughputPFLOPS.Known() {
		t.Error("a run without jobs has neither waits nor throughput")
	}
}

func TestJobsAreConserved(t *testing.T) {
	l := hall{racks: 4, perRack: 4}.layout(t)
	c := config(60*day, train(8, 20, 8), train(64, 2, 12), train(100_000, 1, 1))
	for i := range c.Classes {
		c.Classes[i].Name = fmt.Sprintf("class %d", i)
	}
	c.Failures = Failures{ServerPerNodeDay: 0.02, RepairS: 4 * 3600, RestartS: 300}
	r := mustRun(t, l, c) // Check is on: every event is checked
	j := r.Jobs.JobCounts
	if j.Submitted == 0 || j.Done == 0 || j.Unplaceable == 0 {
		t.Fatalf("nothing to see: %+v", j)
	}
	if j.Submitted != j.Done+j.Running+j.Queued+j.Rejected+j.Unplaceable+j.Killed+j.Lost {
		t.Errorf("jobs don't add up: %+v", j)
	}
	if r.Compute.LostGPUHours.Failure <= 0 || r.Compute.LostGPUHours.Restart <= 0 {
		t.Errorf("failures cost nothing: %+v", r.Compute.LostGPUHours)
	}
	lost := r.Compute.LostGPUHours
	busy := float64(r.Compute.GPUHoursEffective + lost.Thermal + lost.PowerCap + lost.Restart)
	if math.Abs(busy-float64(r.Compute.GPUHoursBusy)) > 1e-6*busy {
		t.Errorf("busy %.6f GPU-hours, effective and lost %.6f", float64(r.Compute.GPUHoursBusy), busy)
	}
}

// The meter at the UPS output less the losses below it is the sum of the servers' own counters.
func TestMetersAgree(t *testing.T) {
	l := hall{racks: 4, perRack: 4}.layout(t)
	c := config(30*day, train(8, 30, 6))
	r := mustRun(t, l, c)
	var counters float64
	for _, k := range r.Racks {
		counters += k.MeanW * r.Run.LengthS / jPerKWh
	}
	if it := float64(r.Energy.ITKWh); math.Abs(counters-it) > 1e-9*it {
		t.Errorf("counters %.9f kWh, IT meter %.9f kWh", counters, it)
	}
	if !(r.Energy.PUE1 < r.Energy.PUE2 && r.Energy.PUE2 <= r.Energy.PUE3) {
		t.Errorf("PUE1 %.4f, PUE2 %.4f, PUE3 %.4f: the further down the meter, the higher", float64(r.Energy.PUE1), float64(r.Energy.PUE2), float64(r.Energy.PUE3))
	}
}

// queue runs single-server jobs of one class through n servers: M/M/n when lengths are exponential.
func queueWait(t *testing.T, n int, load float64, seed uint64) (mean, lo, hi, little float64) {
	t.Helper()
	l := hall{racks: n, perRack: 1}.layout(t)
	const meanS = 600.0
	length := 400 * day
	c := config(length, train(8, 0, 1))
	c.Check = false
	c.Classes[0].Activity = 0.1 // cool: clocks never move
	// Exponential lengths and gaps from a fixed stream, as a replayed trace.
	c.Replays = [][]workload.Job{exponentialJobs(seed, load*float64(n)/meanS, meanS, int64(length))}
	r := mustRun(t, l, c)
	w := r.Jobs.WaitS
	// Little: jobs in queue, integrated on its own path, against arrivals times wait.
	var queued float64
	for _, col := range r.Series.Columns {
		if col.Name == "queue_jobs" {
			for _, v := range col.Values {
				queued += v
			}
			queued /= float64(len(col.Values))
		}
	}
	rate := float64(r.Jobs.Submitted) / r.Run.LengthS
	return float64(w.Mean), float64(w.CI95[0]), float64(w.CI95[1]), queued / (rate * float64(w.Mean))
}

func erlangC(n int, load float64) float64 {
	a := load * float64(n)
	inv := 1.0 // Erlang B by recursion
	for k := 1; k <= n; k++ {
		inv = 1 + inv*float64(k)/a
	}
	b := 1 / inv
	return b / (1 - load*(1-b))
}

func TestWaitsAgreeWithQueueingTheory(t *testing.T) {
	for _, c := range []struct {
		n    int
		load float64
	}{{1, 0.5}, {1, 0.8}, {4, 0.7}, {10, 0.85}} {
		mean, lo, hi, little := queueWait(t, c.n, c.load, 7)
		want := erlangC(c.n, c.load) * 600 / (float64(c.n) * (1 - c.load))
		half := (hi - lo) / 2
		validation.Within(fmt.Sprintf("queueing/mm%d-%g", c.n, 100*c.load), fmt.Sprintf("M/M/%d at %g %% load: mean wait, within its own 95 %% interval", c.n, 100*c.load), "s", want, half, "Erlang C").Check(t, mean)
		if math.Abs(little-1) > 2e-3 { // jobs still queued at the end are the difference
			t.Errorf("M/M/%d: Little's law off by %.4f", c.n, little-1)
		}
	}
}

// A finer or coarser series changes nothing but the series.
func TestResultDoesNotDependOnSeriesStep(t *testing.T) {
	var first string
	for _, step := range []time.Duration{time.Minute, time.Hour, day} {
		l := hall{racks: 3, perRack: 4}.layout(t)
		c := config(20*day, train(8, 20, 6), train(16, 4, 10))
		c.Failures = Failures{ServerPerNodeDay: 0.01, RepairS: 3600}
		c.Classes[1].Name = "wide"
		c.SeriesStepNS = int64(step)
		r := mustRun(t, l, c)
		r.Run.Events = 0 // looking is an event of its own
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(b)
		} else if string(b) != first {
			t.Errorf("at a step of %s the result differs:\n%s\n%s", step, b, first)
		}
	}
}

// An idle rack or a class without arrivals shifts no draw.
func TestIdleThingsShiftNoDraw(t *testing.T) {
	base := mustRun(t, hall{racks: 3, perRack: 4}.layout(t), config(20*day, train(8, 20, 6)))
	unused := train(8, 0, 1)
	unused.Name = "unused"
	r := mustRun(t, hall{racks: 3, perRack: 4}.layout(t), config(20*day, train(8, 20, 6), unused))
	if base.Jobs.Submitted != r.Jobs.Submitted || base.Jobs.WaitS.Mean != r.Jobs.WaitS.Mean || base.Compute.GPUHoursBusy != r.Compute.GPUHoursBusy {
		t.Errorf("an unused class changes the run: %+v against %+v", base.Jobs.JobCounts, r.Jobs.JobCounts)
	}
	wide := mustRun(t, hall{racks: 4, perRack: 4}.layout(t), config(20*day, train(8, 20, 6)))
	if base.Jobs.Submitted != wide.Jobs.Submitted {
		t.Errorf("an idle rack changes the arrivals: %d against %d", base.Jobs.Submitted, wide.Jobs.Submitted)
	}
}

func TestSameInputsSameResult(t *testing.T) {
	run := func(seed uint64) string {
		c := config(20*day, train(8, 20, 6))
		c.Seed, c.Failures = seed, Failures{ServerPerNodeDay: 0.01, RepairS: 3600}
		b, _ := json.Marshal(mustRun(t, hall{racks: 3, perRack: 4}.layout(t), c))
		return string(b)
	}
	if a, b := run(1), run(1); a != b {
		t.Error("the same seed gives two results")
	}
	if run(1) == run(2) {
		t.Error("two seeds give one result")
	}
}

// Runs of a study share a layout, several at a time: each says what a run of a layout of its own says.
func TestRunsShareALayout(t *testing.T) {
	placed := func() *placement.Layout {
		f := hall{racks: 3, perRack: 4}.layout(t).Facility
		for i := range f.Racks {
			f.Racks[i].PowerW = 4 * f.Models[0].PlanW
		}
		f.Orders = []facility.Order{{Count: 20}}
		l, err := placement.Place(f)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	answer := func(l *placement.Layout, seed uint64) string {
		c := config(day, train(8, 20, 6))
		c.Seed = seed
		r, err := Run(context.Background(), l, c)
		if err != nil {
			t.Error(err)
			return ""
		}
		if len(r.Actions) == 0 {
			t.Error("nothing would admit more")
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	shared := placed()
	var got [4]string
	var runs sync.WaitGroup
	for i := range got {
		runs.Go(func() { got[i] = answer(shared, uint64(i)) })
	}
	runs.Wait()
	for i := range got {
		if got[i] != answer(placed(), uint64(i)) {
			t.Errorf("seed %d: another answer on a shared layout", i)
		}
	}
}

// Half clock makes work take 2.00, 1.85 and 1.25 times as long at memory-bound shares 0, 0.15 and 0.75.
func TestHalfClockStretchesWork(t *testing.T) {
	for _, c := range []struct{ memoryBound, want float64 }{{0, 2}, {0.15, 1.85}, {0.75, 1.25}} {
		if got := 1 / facility.WorkRate(c.memoryBound, 0.5); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("memory-bound share %.2f: %.4f times as long, want %.2f", c.memoryBound, got, c.want)
		}
		// And through the engine: a GPU cap that gives half the clock.
		l := hall{racks: 1, perRack: 1}.layout(t)
		m := &l.Facility.Models[0]
		m.GPUCapW = m.FloorW + m.LeakAt(45) + m.DynW*math.Pow(0.5, m.Alpha)
		cfg := config(2*day, train(8, 0, 1))
		cfg.Replays = [][]workload.Job{{{GPUs: 8, WorkS: 36000, Activity: 1, MemoryBound: c.memoryBound}}}
		r := mustRun(t, l, cfg)
		stretch := float64(r.Compute.GPUHoursBusy) / 8 / 10
		clock := 0.0
		for _, col := range r.Series.Columns {
			if col.Name == "clock_mean" {
				clock = col.Values[2]
			}
		}
		want := 1 / facility.WorkRate(c.memoryBound, clock)
		if math.Abs(clock-0.5) > 0.02 || math.Abs(stretch-want) > 1e-6 {
			t.Errorf("memory-bound share %.2f: clock %.4f, work takes %.4f times as long, want %.4f", c.memoryBound, clock, stretch, want)
		}
		if r.Compute.LostGPUHours.PowerCap <= 0 || r.Compute.LostGPUHours.Thermal != 0 {
			t.Errorf("a power cap is booked as %+v", r.Compute.LostGPUHours)
		}
	}
}

// After coolant stops a cold-plate GPU reaches its limit in (T_limit − T0)·C/P.
func TestPumpLoss(t *testing.T) {
	for _, coolant := range []float64{25, 32, 40} {
		l := hall{racks: 1, perRack: 1, liquid: true}.layout(t)
		l.Facility.Cooling.Loops[0].SupplyC = coolant
		c := config(4*time.Hour, train(8, 0, 1))
		c.Replays = [][]workload.Job{{{GPUs: 8, WorkS: math.Inf(1), Activity: 1, MemoryBound: 0.15}}}
		lossAt := int64(2 * time.Hour)
		c.Failures.Events = []Loss{{Name: "cdus", AtNS: lossAt, Part: LoopUnit, Index: 0, Units: 2}}
		r := mustRun(t, l, c)
		m := &l.Facility.Models[0]
		at := -1.0
		for _, e := range r.Events {
			if e.Kind == "throttle start" {
				at = e.AtS - 7200
				break
			}
		}
		t0 := coolant + m.Resistance(1)*m.WorstSlot*700
		want := (m.LimitC - t0) * m.GPUHeatJPerK / 700
		if math.Abs(at-want) > 0.1*want {
			t.Errorf("coolant %.0f °C: limit after %.2f s, want %.2f s ± 10 %%", coolant, at, want)
		}
	}
}

// A room that loses its air handlers warms, its GPUs throttle, work slows; when they come back it cools.
func TestCoolingLossThrottlesAndRecovers(t *testing.T) {
	l := hall{racks: 4, perRack: 4}.layout(t)
	c := config(6*time.Hour, train(8, 0, 1))
	var jobs []workload.Job
	for range 16 {
		jobs = append(jobs, workload.Job{GPUs: 8, WorkS: math.Inf(1), Activity: 1, MemoryBound: 0.15})
	}
	c.Replays = [][]workload.Job{jobs}
	c.Failures.Events = []Loss{{Name: "air handlers", AtNS: int64(time.Hour), ForNS: int64(9 * time.Minute), Part: RoomUnit, Units: 4}}
	r := mustRun(t, l, c)
	if r.Run.Approximations["throttle_cycles_averaged"] == 0 || !(r.Thermal.ThrottledGPUHours > 0) || !(r.Compute.LostGPUHours.Thermal > 0) {
		t.Errorf("no throttling: %+v, lost %+v", r.Thermal, r.Compute.LostGPUHours)
	}
	if r.Thermal.GPUC.Max > 96 {
		t.Errorf("a GPU at %.1f °C, past shutdown", float64(r.Thermal.GPUC.Max))
	}
	inlet := columnOf(t, r, "inlet_max_c")
	if last := inlet[len(inlet)-1]; last > 32 {
		t.Errorf("five hours later the warmest inlet is still %.1f °C", last)
	}
	twin := c
	twin.Unlimited = true
	u := mustRun(t, l, twin)
	if u.Compute.GPUHoursEffective < r.Compute.GPUHoursEffective || u.Compute.LostGPUHours.Thermal != 0 {
		t.Errorf("the unlimited twin does less: %.2f against %.2f", float64(u.Compute.GPUHoursEffective), float64(r.Compute.GPUHoursEffective))
	}
}

func columnOf(t *testing.T, r *Result, name string) []float64 {
	t.Helper()
	for _, c := range r.Series.Columns {
		if c.Name == name {
			return c.Values
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

func TestFeedLoss(t *testing.T) {
	l := hall{racks: 2, perRack: 4}.layout(t)
	c := config(10*time.Hour, train(8, 0, 1))
	var jobs []workload.Job
	for range 8 {
		jobs = append(jobs, workload.Job{GPUs: 8, WorkS: math.Inf(1), Activity: 1, MemoryBound: 0.15})
	}
	c.Replays = [][]workload.Job{jobs}
	at := func(id string) int { n, _ := l.Facility.Power.Index(id); return n }
	c.Failures.Events = []Loss{
		{Name: "busway.A", AtNS: int64(time.Hour), ForNS: int64(time.Hour), Part: PowerUnit, Index: at("busway.A"), Units: 1},
		{Name: "A02 both", AtNS: int64(5 * time.Hour), ForNS: int64(time.Hour), Part: RackPart, Index: 1, Units: 1},
	}
	r := mustRun(t, l, c)
	// Three of six supplies carry a server capped to 7,140 W: it runs, slower, by a power cap.
	if !(r.Compute.LostGPUHours.PowerCap > 0) {
		t.Errorf("degraded servers lose nothing: %+v", r.Compute.LostGPUHours)
	}
	it := columnOf(t, r, "it_w")
	if limit := 8 * 7140.0; it[1] > limit+1 {
		t.Errorf("with one feed the servers draw %.0f W, cap %.0f W", it[1], limit)
	}
	if it[5] >= it[4]*0.6 || it[7] < it[4]*0.9 {
		t.Errorf("rack lost and restored: %.0f, %.0f, %.0f W", it[4], it[5], it[7])
	}
	if r.Jobs.Running != 8 || r.Jobs.Lost != 0 {
		t.Errorf("restarting jobs: %+v", r.Jobs.JobCounts)
	}
}

func TestHostileRunsEnd(t *testing.T) {
	many := make([]workload.Job, 10_000)
	for i := range many {
		many[i] = workload.Job{GPUs: 1, WorkS: 0, Activity: 1, MemoryBound: 0.15, Arrival: int64(time.Hour)}
	}
	for name, run := range map[string]func() (*hall, Config){
		"no servers":   func() (*hall, Config) { return &hall{racks: 1}, config(day, train(8, 10, 1)) },
		"no jobs":      func() (*hall, Config) { return &hall{racks: 1, perRack: 1}, config(day) },
		"one ns":       func() (*hall, Config) { return &hall{racks: 1, perRack: 1}, config(1, train(8, 10, 1)) },
		"far too many": func() (*hall, Config) { return &hall{racks: 1, perRack: 1}, config(5*day, train(8, 5000, 10)) },
		"zero lengths": func() (*hall, Config) {
			c := config(day, train(8, 0, 1))
			c.Replays = [][]workload.Job{many}
			return &hall{racks: 1, perRack: 2}, c
		},
		"thirty years": func() (*hall, Config) {
			c := config(30*365*day, train(8, 0.1, 10))
			c.Check = false
			c.SeriesStepNS = int64(day)
			return &hall{racks: 1, perRack: 1}, c
		},
		"no containment": func() (*hall, Config) {
			return &hall{racks: 3, perRack: 4, containment: cooling.Open, roomUnits: 1}, config(3*day, train(8, 20, 6))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, c := run()
			r := mustRun(t, h.layout(t), c)
			j := r.Jobs.JobCounts
			if j.Submitted != j.Done+j.Running+j.Queued+j.Unplaceable+j.Killed+j.Lost+j.Rejected {
				t.Errorf("%+v", j)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
}
