package sim

import (
	"fmt"
	"math"
	"testing"
	"time"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim/workload"
	"headroom/validation"
)

// constant is a server that draws the same power whatever happens and heats its air by riseK.
func constant(wallW, riseK float64) facility.Model {
	m := h100()
	m.Name, m.VRM, m.HostPerW, m.FanW, m.LeakW = "constant", 1, 0, 0, 0
	m.FanMin, m.FanMax = 1, 1
	m.PSULoad, m.PSUEff = []float64{0.1, 1}, []float64{1, 1}
	m.IdleW = 10
	m.Resolve()
	m.BoardW = wallW - float64(m.GPUs)*m.FloorW
	m.AirflowM3s = wallW * cooling.AirRiseK(1, 1, 101325) / riseK
	return m
}

// lossless takes every electrical loss and every fan out of a hall.
func lossless(l *placement.Layout) {
	f := l.Facility
	nodes := append([]power.Node{}, f.Power.Nodes...)
	for i := range nodes {
		nodes[i].Loss = power.Loss{}
	}
	g, err := power.New(nodes)
	if err != nil {
		panic(err)
	}
	f.Power = g
	for i := range f.Cooling.Rooms {
		f.Cooling.Rooms[i].FanW = 0
	}
}

// One node of 500 kJ/K, no air beside it, no cooling, 20.4 kW: 25 to 40 °C in 367.6 s.
func TestOneNodeWarms(t *testing.T) {
	l := hall{racks: 2, perRack: 1}.layout(t)
	l.Facility.Models[0] = constant(10200, 16)
	lossless(l)
	room := &l.Facility.Cooling.Rooms[0]
	room.VolumeM3, room.StructureJPerK, room.WallWPerK = 1e-3, 500e3, 0
	room.SupplyC, room.AmbientC = 25, 25
	room.CapacityW, room.AirflowM3s = 30e3, 2
	c := config(time.Hour)
	const lostS = 600.0
	c.Failures.Events = []Loss{{Name: "air handlers", AtNS: int64(lostS * 1e9), Part: RoomUnit, Units: room.Units}}
	var temps []float64
	probedRun(t, l, c, []float64{lostS - 1, lostS + 183.8, lostS + 367.6}, func(_ int, e *engine, ns int64) {
		temps = append(temps, e.rooms[0].path.At(ns))
	})
	for i, want := range []float64{25, 32.5, 40} {
		validation.Within(fmt.Sprintf("ride-through/one-node-%d", i), fmt.Sprintf("one node of 500 kJ/K, 20.4 kW, no cooling, after %.1f s", []float64{0, 183.8, 367.6}[i]), "°C", want, 0.02, "C·dT/dt = P").
			Check(t, temps[i])
	}
}

// Little's law is exact where every job is done at the end: jobs waiting, integrated over time, are the waits;
// servers busy are the lengths.
func TestLittleIsExact(t *testing.T) {
	for _, servers := range []int{1, 3} {
		l := hall{racks: servers, perRack: 1}.layout(t)
		length := 40 * day
		c := config(length, train(8, 0, 1))
		jobs := exponentialJobs(3, 0.8*float64(servers)/600, 600, int64(length)*9/10)
		var work float64
		for _, j := range jobs {
			work += j.WorkS
		}
		c.Replays = [][]workload.Job{jobs}
		r := mustRun(t, l, c)
		if r.Jobs.Done != int64(len(jobs)) {
			t.Fatalf("%d of %d jobs done", r.Jobs.Done, len(jobs))
		}
		var queued float64
		for _, v := range columnOf(t, r, "queue_jobs") {
			queued += v * r.Series.StepS
		}
		waits := float64(r.Jobs.WaitS.Mean) * float64(len(jobs))
		if math.Abs(queued/waits-1) > 1e-9 {
			t.Errorf("%d servers: %.6f job-seconds in the queue, %.6f s of waits", servers, queued, waits)
		}
		// Lengths end on whole nanoseconds.
		if busy := float64(r.Compute.GPUHoursBusy) * 3600 / 8; math.Abs(busy/work-1) > 1e-9 {
			t.Errorf("%d servers: %.6f server-seconds busy, %.6f s of work", servers, busy, work)
		}
	}
}

// Facility water is lost and the CDU pumps turn on: 1.5 L of PG25 a kilowatt warm by 15 K in about 90 s
// (1.5 L · 3.9 kJ/K = 5.85 kJ/K a kilowatt).
//
// A named miss while the water of a plant and the loop behind it are not coupled: the plant is given all the servers'
// heat, though the warming loop takes it up, so that water of little mass runs away to thousands of degrees and
// takes the loop along. The miss is held to what it is, so that either stands.
func TestFacilityWaterLost(t *testing.T) {
	l := hall{racks: 2, perRack: 4, liquid: true}.layout(t)
	f := l.Facility
	var jobs []workload.Job
	for range 8 {
		jobs = append(jobs, workload.Job{GPUs: 8, WorkS: math.Inf(1), Activity: 1, MemoryBound: 0.15})
	}
	c := config(450*time.Second, train(8, 0, 1))
	c.Replays = [][]workload.Job{jobs}
	// A plant of its own for the loop, without water to speak of: what is lost is the flow.
	f.Cooling.Plants = append(f.Cooling.Plants, flatPlant{cop: 5, perK: cooling.StillWPerK, spec: cooling.Spec{
		Name: "facility water", Units: 2, Redundant: 1, SupplyC: 27, CapacityW: 1e6, HeatJPerK: 1, Fed: f.Cooling.Plants[0].Spec().Fed,
	}})
	loop := &f.Cooling.Loops[0]
	loop.Plant, loop.PumpW, loop.FlowLPM, loop.CapacityW = 1, 0, 120, 80e3
	heatW := 0.0
	probedRun(t, l, c, []float64{300}, func(_ int, e *engine, _ int64) { heatW = e.b.liquidW[0] })
	loop.VolumeL = 1.5 * heatW / 1000
	const lostS = 300.0
	c.Failures.Events = []Loss{{Name: "facility water", AtNS: int64(lostS * 1e9), Part: PlantUnit, Index: 1, Units: 2}}
	at := math.NaN()
	var probes []float64
	for s := lostS; s < lostS+150; s += 0.5 {
		probes = append(probes, s)
	}
	probedRun(t, l, c, probes, func(k int, e *engine, ns int64) {
		if math.IsNaN(at) && e.loops[0].path.At(ns) >= loop.SupplyC+15 {
			at = probes[k] - lostS
		}
	})
	t.Logf("%.0f kW into %.0f L: +15 K after %.1f s", heatW/1000, loop.VolumeL, at)
	validation.Share("ride-through/facility-water", "facility water lost, CDU pumps turning, 1.5 L of PG25 a kilowatt: +15 K after", "s", 90, 0.1, "heat capacity of the coolant, 3.9 kJ/K a litre").Check(t, at)
}

// A room without cooling is two nodes, its air and the racks and structure behind it: the time at which the air has
// warmed by 5, 10 and 20 K is that of the closed form, here with 10 kJ/K of air, 150 kJ/K of structure and 300 W/K
// between them for every rack.
func TestTwoNodesWarm(t *testing.T) {
	const racks, airJPerK, structureJPerK, hAWPerK = 8, 10e3, 150e3, 300
	for _, rackW := range []float64{5000, 10000} {
		l := hall{racks: racks, perRack: 1, containment: cooling.ColdAisle}.layout(t)
		l.Facility.Models[0] = constant(rackW, 16)
		lossless(l)
		room := &l.Facility.Cooling.Rooms[0]
		room.StructureJPerK, room.StructureWPerK, room.WallWPerK = racks*structureJPerK, racks*hAWPerK, 0
		room.VolumeM3 = 1
		room.VolumeM3 = racks * airJPerK / room.AirJPerK(101325)
		room.SupplyC, room.AmbientC = 24, 24
		room.CapacityW, room.AirflowM3s = racks*rackW/2, racks*l.Facility.Models[0].AirflowM3s/2
		c := config(time.Hour)
		const lostS = 600.0
		c.Failures.Events = []Loss{{Name: "air handlers", AtNS: int64(lostS * 1e9), Part: RoomUnit, Units: room.Units}}
		rises := []float64{5, 10, 20}
		var probes []float64
		for _, k := range rises {
			probes = append(probes, lostS+twoNodesS(rackW, airJPerK, structureJPerK, hAWPerK, k))
		}
		probedRun(t, l, c, probes, func(k int, e *engine, ns int64) {
			got := e.rooms[0].path.At(ns) - 24
			t.Logf("%.0f W a rack after %.1f s: +%.3f K, closed form +%.0f K", rackW, probes[k]-lostS, got, rises[k])
			// Walls keep 1 W/K.
			validation.Share(fmt.Sprintf("ride-through/two-nodes-%.0f-%.0f", rackW, rises[k]), fmt.Sprintf("air of a room without cooling, %.0f W a rack, after %.1f s", rackW, probes[k]-lostS), "K", rises[k], 0.02,
				"Khankari, ASHRAE LV-11-C026: two nodes in closed form").Check(t, got)
		})
	}
}

// twoNodesS is the time in which the air of a rack warms by riseK when heatW goes into it and air and rack exchange
// hA: dT/dt = r_min + (r_max − r_min)·e^(−t/τ), r_max = P/C_air, r_min = P/(C_air+C_rack),
// τ = C_air·C_rack/((C_air+C_rack)·hA) (Khankari, ASHRAE LV-11-C026).
func twoNodesS(heatW, airJPerK, rackJPerK, hAWPerK, riseK float64) float64 {
	most, least := heatW/airJPerK, heatW/(airJPerK+rackJPerK)
	tau := airJPerK * rackJPerK / ((airJPerK + rackJPerK) * hAWPerK)
	lo, hi := 0.0, riseK/least
	for range 60 {
		t := (lo + hi) / 2
		if least*t+(most-least)*tau*(1-math.Exp(-t/tau)) < riseK {
			lo = t
		} else {
			hi = t
		}
	}
	return hi
}
