package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/sim/workload"
)

// hostile is a run that must end with sound figures and every job in one bucket.
type hostile struct {
	hall   hall
	change func(l *placement.Layout, c *Config)
	length time.Duration
	// throttles, downs: what must have happened, so that the case is what its name says.
	throttles, downs bool
}

// steady fills the hall with work that never ends.
func steady(l *placement.Layout, c *Config) {
	var jobs []workload.Job
	for range l.Servers {
		jobs = append(jobs, workload.Job{GPUs: 8, WorkS: math.Inf(1), Activity: 1, MemoryBound: 0.15})
	}
	c.Replays = [][]workload.Job{jobs}
}

func TestMoreHostileRunsEnd(t *testing.T) {
	const month = 30 * day
	cases := map[string]hostile{
		"ten thousand events at one instant": {hall: hall{racks: 4, perRack: 4}, length: day, downs: true, change: func(l *placement.Layout, c *Config) {
			// Arrivals, ends, losses and their returns, all in the same nanosecond.
			at := int64(6 * time.Hour)
			var jobs []workload.Job
			for range 5000 {
				jobs = append(jobs, workload.Job{GPUs: 1, WorkS: 0, Activity: 1, Arrival: at})
			}
			for range 2000 {
				jobs = append(jobs, workload.Job{GPUs: 8, WorkS: 1, Activity: 1, MemoryBound: 1, Arrival: at})
			}
			c.Replays = [][]workload.Job{jobs}
			for i := range 3000 {
				part := []Part{ServerPart, RackPart, RoomUnit, PlantUnit, PowerUnit}[i%5]
				index := map[Part]int{ServerPart: i % len(l.Servers), RackPart: i % 4, PowerUnit: i % 3}[part]
				c.Failures.Events = append(c.Failures.Events, Loss{Name: "all at once", AtNS: at, ForNS: int64(time.Hour), Part: part, Index: index, Units: 1 + i%3})
			}
		}},
		"losses on top of each other": {hall: hall{racks: 2, perRack: 2, liquid: true}, length: day, downs: true, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			for i := range 200 {
				part := []Part{LoopUnit, RoomUnit, PlantUnit, ServerPart}[i%4]
				c.Failures.Events = append(c.Failures.Events, Loss{
					Name: "overlapping", AtNS: int64(i) * int64(time.Minute), ForNS: int64(1+i%7) * int64(time.Hour), Part: part,
					Index: map[Part]int{ServerPart: i % 4}[part], Units: 1 + i%9,
				})
			}
		}},
		"arrivals a thousand times over capacity": {hall: hall{racks: 1, perRack: 2}, length: 10 * day, change: func(_ *placement.Layout, c *Config) {
			c.Classes = []workload.Class{train(8, 20000, 4)}
		}},
		"one nanosecond with all that can be": {hall: hall{racks: 2, perRack: 2, liquid: true}, length: 1, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			c.SeriesStepNS = 1
			c.Failures = Failures{ServerPerNodeDay: 1e6, RepairS: 1, Events: []Loss{{Name: "at once", Part: LoopUnit, Units: 2}}}
		}},
		"two nanoseconds": {hall: hall{racks: 2, perRack: 2}, length: 2, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			c.SeriesStepNS = 1
			c.Failures.Events = []Loss{{Name: "soon", AtNS: 1, ForNS: 1, Part: RoomUnit, Units: 9}}
		}},
		"thirty years of work and failures": {hall: hall{racks: 1, perRack: 2}, length: 30 * 365 * day, change: func(_ *placement.Layout, c *Config) {
			c.Classes = []workload.Class{train(8, 0.3, 20)}
			c.Failures.ServerPerNodeDay, c.Failures.RepairS = 0.004, 4*3600
			c.SeriesStepNS, c.Check = int64(30*day), false
		}},
		"air cooling lost for months": {hall: hall{racks: 2, perRack: 4}, length: 4 * month, throttles: true, downs: true, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			c.Failures.Events = []Loss{{Name: "air handlers", AtNS: int64(day), ForNS: int64(3 * month), Part: RoomUnit, Units: 9}}
		}},
		"CDUs lost for months": {hall: hall{racks: 2, perRack: 4, liquid: true}, length: 4 * month, throttles: true, downs: true, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			c.Failures.Events = []Loss{{Name: "CDUs", AtNS: int64(day), ForNS: int64(3 * month), Part: LoopUnit, Units: 9}}
		}},
		"chillers lost for months": {hall: hall{racks: 2, perRack: 4}, length: 4 * month, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			c.Failures.Events = []Loss{{Name: "chillers", AtNS: int64(day), ForNS: int64(3 * month), Part: PlantUnit, Units: 9}}
		}},
		"everything lost for months": {hall: hall{racks: 2, perRack: 4, liquid: true}, length: 4 * month, throttles: true, downs: true, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			for _, p := range []Part{RoomUnit, LoopUnit, PlantUnit} {
				c.Failures.Events = append(c.Failures.Events, Loss{Name: "cooling", AtNS: int64(day), ForNS: int64(3 * month), Part: p, Units: 9})
			}
		}},
		"utility lost": {hall: hall{racks: 2, perRack: 4, liquid: true}, length: 3 * day, downs: true, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			i, _ := l.Facility.Power.Index("utility")
			c.Failures.Events = []Loss{{Name: "utility", AtNS: int64(day), ForNS: int64(day), Part: PowerUnit, Index: i, Units: 1}}
		}},
		"utility lost from the start, to the end": {hall: hall{racks: 2, perRack: 4}, length: 3 * day, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			i, _ := l.Facility.Power.Index("utility")
			c.Failures.Events = []Loss{{Name: "utility", Part: PowerUnit, Index: i, Units: 1}}
		}},
		"failures faster than repairs": {hall: hall{racks: 2, perRack: 4}, length: 20 * day, downs: true, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			c.Failures.ServerPerNodeDay, c.Failures.RepairS = 50, 10*3600
		}},
		"a hall without air to speak of": {hall: hall{racks: 3, perRack: 4, containment: cooling.Open}, length: 2 * day, throttles: true, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			l.Facility.Cooling.Rooms[0].AirflowM3s = 0.05
		}},
		"zero activity": {hall: hall{racks: 1, perRack: 2}, length: day, change: func(l *placement.Layout, c *Config) {
			steady(l, c)
			for i := range c.Replays[0] {
				c.Replays[0][i].Activity = 0
			}
		}},
		"lengths from a nanosecond to centuries": {hall: hall{racks: 1, perRack: 2}, length: 10 * day, change: func(_ *placement.Layout, c *Config) {
			var jobs []workload.Job
			for i := range 40 {
				jobs = append(jobs, workload.Job{GPUs: 4, WorkS: math.Pow(10, float64(i-10)), Activity: 1, MemoryBound: float64(i%2) * 1, Arrival: int64(i)})
			}
			c.Replays = [][]workload.Job{jobs}
		}},
	}
	for _, c := range []float64{-30, 50} {
		for _, liquid := range []bool{false, true} {
			name := map[bool]string{false: "air", true: "dry coolers"}[liquid]
			cases[fmt.Sprintf("%+.0f °C outdoors, %s", c, name)] = hostile{hall: hall{racks: 2, perRack: 4, liquid: liquid}, length: 5 * day, change: func(l *placement.Layout, cfg *Config) {
				steady(l, cfg)
				cfg.Weather = still(c)
				if liquid {
					f := l.Facility
					cooler, err := cooling.NewDryCooler(cooling.DryCoolerParams{Spec: cooling.Spec{Name: "dry", Units: 2, SupplyC: 28, CapacityW: 40e3, HeatJPerK: 2e6, Fed: f.Cooling.Plants[0].Spec().Fed}, DesignC: 35, ApproachK: 6})
					if err != nil {
						panic(err)
					}
					f.Cooling.Plants = append(f.Cooling.Plants, cooler)
					f.Cooling.Loops[0].Plant = 1
				}
			}}
		}
	}
	for name, h := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := h.hall.layout(t)
			c := config(h.length, train(8, 0, 1))
			if h.change != nil {
				h.change(l, &c)
			}
			r, err := Run(context.Background(), l, c)
			if err != nil {
				t.Fatal(err)
			}
			sound(t, r, l)
			down := false
			for _, e := range r.Events {
				down = down || e.Kind == "server down" || e.Kind == "lost"
			}
			if h.downs && !down {
				t.Error("nothing went down")
			}
			if h.throttles && !(r.Thermal.ThrottledGPUHours > 0) {
				t.Error("nothing throttled")
			}
		})
	}
}

// sound holds a result against what must be true of every run: jobs in one bucket each, no figure infinite or
// negative, no GPU hotter than its shutdown, no more energy than the hall can draw, JSON that can be written.
func sound(t *testing.T, r *Result, l *placement.Layout) {
	t.Helper()
	j := r.Jobs.JobCounts
	if j.Submitted != j.Done+j.Running+j.Queued+j.Rejected+j.Unplaceable+j.Killed+j.Lost {
		t.Errorf("jobs don't add up: %+v", j)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) == 0 {
		t.Error("an empty result")
	}
	most := 0.0
	hottest := math.Inf(-1)
	for i := range l.Servers {
		m := &l.Facility.Models[l.Servers[i].Model]
		most += 2 * float64(m.NameplateW)
		hottest = math.Max(hottest, m.ShutC)
	}
	hours := r.Run.LengthS / 3600
	for name, x := range map[string]Num{
		"facility": r.Energy.FacilityKWh, "IT": r.Energy.ITKWh, "chillers": r.Energy.ChillersKWh, "pumps": r.Energy.PumpsKWh, "water": r.Energy.WaterL,
		"busy": r.Compute.GPUHoursBusy, "effective": r.Compute.GPUHoursEffective, "lost to heat": r.Compute.LostGPUHours.Thermal,
		"lost to failures": r.Compute.LostGPUHours.Failure, "lost to restarts": r.Compute.LostGPUHours.Restart, "throttled": r.Thermal.ThrottledGPUHours,
	} {
		if x.Known() && (math.IsInf(float64(x), 0) || float64(x) < -1e-9) {
			t.Errorf("%s is %g", name, float64(x))
		}
	}
	if it := float64(r.Energy.ITKWh); it > most/1000*hours*1.001+1e-9 {
		t.Errorf("IT energy of %g kWh in %g h, servers can draw %.0f W", it, hours, most)
	}
	if r.Thermal.GPUC.Max.Known() && float64(r.Thermal.GPUC.Max) > hottest+1 {
		t.Errorf("a GPU at %.1f °C, shutdown at %.0f °C", float64(r.Thermal.GPUC.Max), hottest)
	}
	if r.Energy.PUE.Known() && (r.Energy.PUE < 1 || math.IsInf(float64(r.Energy.PUE), 0)) {
		t.Errorf("PUE %g", float64(r.Energy.PUE))
	}
	if b, a := r.Compute.GPUHoursBusy, r.Compute.GPUHoursAvailable; b > a*(1+1e-9)+1e-9 {
		t.Errorf("%g GPU-hours busy of %g available", float64(b), float64(a))
	}
}

// A hall whose air does not nearly suffice says how many inlets its air paths held at their largest share of
// exhaust; one with enough air says nothing.
func TestCappedRecirculationIsCounted(t *testing.T) {
	for _, c := range []struct {
		flow float64 // of the room's units, m³/s
		want bool
	}{{0.05, true}, {20, false}} {
		l := hall{racks: 3, perRack: 4, containment: cooling.Open}.layout(t)
		l.Facility.Cooling.Rooms[0].AirflowM3s = c.flow
		cfg := config(day, train(8, 20, 6))
		said := slices.ContainsFunc(mustRun(t, l, cfg).Run.Extrapolations, func(x Extrapolation) bool {
			return x.Curve == "air path of hall" && x.Count > 0
		})
		if said != c.want {
			t.Errorf("%g m³/s: counted %v, want %v", c.flow, said, c.want)
		}
	}
}
