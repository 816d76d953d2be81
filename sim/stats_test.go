package sim

import (
	"math"
	"strings"
	"testing"

	"headroom/validation"
)

// Totals after a warm-up are what a run without one accumulates from there on.
func TestWarmupLeavesTheRest(t *testing.T) {
	l := hall{racks: 3, perRack: 4}.layout(t)
	c := config(20*day, train(8, 20, 6))
	c.Failures = Failures{ServerPerNodeDay: 0.01, RepairS: 3600, RestartS: 60}
	whole := mustRun(t, l, c)
	first := c
	first.LengthNS = int64(5 * day)
	head := mustRun(t, l, first)
	c.WarmupNS = int64(5 * day)
	rest := mustRun(t, l, c)
	for _, f := range []struct {
		name              string
		whole, head, rest Num
	}{
		{"facility", whole.Energy.FacilityKWh, head.Energy.FacilityKWh, rest.Energy.FacilityKWh},
		{"IT", whole.Energy.ITKWh, head.Energy.ITKWh, rest.Energy.ITKWh},
		{"busy", whole.Compute.GPUHoursBusy, head.Compute.GPUHoursBusy, rest.Compute.GPUHoursBusy},
		{"available", whole.Compute.GPUHoursAvailable, head.Compute.GPUHoursAvailable, rest.Compute.GPUHoursAvailable},
	} {
		if d := float64(f.whole - f.head - f.rest); math.Abs(d) > 1e-6*float64(f.whole) {
			t.Errorf("%s: whole %.3f, first five days %.3f, rest %.3f", f.name, float64(f.whole), float64(f.head), float64(f.rest))
		}
	}
	if whole.Jobs.JobCounts != rest.Jobs.JobCounts {
		t.Errorf("a warm-up changes the jobs: %+v against %+v", whole.Jobs.JobCounts, rest.Jobs.JobCounts)
	}
}

// The interval of one long run covers the mean of many seeds about as often as it says.
func TestIntervalsCover(t *testing.T) {
	const seeds = 40
	var values []float64
	var iv []Interval
	for seed := range uint64(seeds) {
		c := config(120*day, train(8, 24, 6))
		c.Check, c.Seed, c.WarmupNS = false, seed+1, int64(5*day)
		r := mustRun(t, hall{racks: 2, perRack: 4}.layout(t), c)
		values = append(values, float64(r.Compute.Utilization))
		for _, i := range r.Intervals {
			if i.Figure == "compute.utilization" {
				iv = append(iv, i)
			}
		}
	}
	mean := 0.0
	for _, v := range values {
		mean += v / seeds
	}
	covered := 0
	for _, i := range iv {
		if float64(i.Lo) <= mean && mean <= float64(i.Hi) {
			covered++
		}
	}
	if covered < seeds*8/10 {
		t.Errorf("utilization %.4f over %d seeds lies inside %d of %d intervals", mean, seeds, covered, len(iv))
	}
}

// Units fail at their rate, and the part of the time they are down is what renewal theory says.
func TestPartFailures(t *testing.T) {
	l := hall{racks: 2, perRack: 4, roomUnits: 6}.layout(t)
	c := config(2 * 365 * day)
	c.Check = false
	ups, _ := l.Facility.Power.Index("ups[A]")
	const mtbf, mttr = 30 * 86400.0, 12 * 3600.0
	c.Failures.Parts = []PartFailure{
		{Name: "cooling.air.units", Part: RoomUnit, Units: 6, RatePerS: 1 / mtbf, RepairS: mttr},
		{Name: "power.ups[A].modules", Part: PowerUnit, Index: ups, Units: 2, RatePerS: 1 / mtbf, RepairS: mttr, P95S: 3 * mttr},
	}
	r := mustRun(t, l, c)
	// The mean outage of each kind: exponential, and log-normal from its median and 95th percentile.
	sigma := math.Log(3) / z95
	kinds := []struct {
		prefix           string
		meanS, deviation float64 // standard deviation over the mean
		ended            int
		sumS             float64
	}{
		{prefix: "cooling.air", meanS: mttr, deviation: 1},
		{prefix: "power.ups", meanS: mttr * math.Exp(sigma*sigma/2), deviation: math.Sqrt(math.Expm1(sigma * sigma))},
	}
	lost := map[string]float64{}
	n := 0.0
	for _, e := range r.Events {
		switch e.Kind {
		case "lost":
			lost[e.Entity] = e.AtS
			n++
		case "restored":
			for i := range kinds {
				if k := &kinds[i]; strings.HasPrefix(e.Entity, k.prefix) {
					k.ended++
					k.sumS += e.AtS - lost[e.Entity]
				}
			}
		}
	}
	for _, k := range kinds {
		if k.ended < 20 {
			t.Errorf("%s: %d repairs ended, too few to judge", k.prefix, k.ended)
		}
		meanS := k.sumS / float64(k.ended)
		if tol := 4 * k.deviation * k.meanS / math.Sqrt(float64(k.ended)); !(math.Abs(meanS-k.meanS) <= tol) {
			t.Errorf("%s: down %.0f s on average over %d repairs, want %.0f ± %.0f", k.prefix, meanS, k.ended, k.meanS, tol)
		}
	}
	want := 8 * r.Run.LengthS / (mtbf + mttr)
	if math.Abs(n-want) > 4*math.Sqrt(want) {
		t.Errorf("%.0f failures, want %.0f", n, want)
	}
}

// 16,384 GPUs at the default rate give about one interruption in three hours.
func TestFailureRateOfALargeJob(t *testing.T) {
	const nodes, perNodeDay = 16384 / 8, 3.8e-3
	validation.Within("failures/llama-3-interruption", "16,384 GPUs at the default rate: hours between interruptions", "h", 3.09, 0.02, "The Llama 3 Herd of Models (arXiv 2407.21783): 419 unexpected interruptions in 54 days").
		Check(t, 24/(nodes*perNodeDay))
	l := hall{racks: 8, perRack: 4}.layout(t)
	c := config(400*day, train(8, 0, 1))
	c.Check = false
	c.Failures = Failures{ServerPerNodeDay: perNodeDay, RepairS: 3600, Spares: 2, SwapS: 600, Causes: []Cause{{"GPU", 0.587}, {"host", 0.413}}}
	r := mustRun(t, l, c)
	n := 0.0
	for _, e := range r.Events {
		if e.Kind == "server down" {
			n++
		}
	}
	if want := 32 * 400 * perNodeDay; math.Abs(n-want) > 4*math.Sqrt(want) {
		t.Errorf("%.0f failures, want %.1f", n, want)
	}
	// Swapped within ten minutes, not repaired in an hour.
	if lost := float64(r.Compute.LostGPUHours.Failure); lost > 0.25*n*8 {
		t.Errorf("%.1f GPU-hours lost over %.0f failures: the spares do nothing", lost, n)
	}
}
