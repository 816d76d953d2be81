package sim

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/facility/weather"
	"headroom/sim/rng"
	"headroom/sim/workload"
)

// h100 is an 8×H100 air server with round figures, so that tests of the engine don't move with the catalogue.
func h100() facility.Model {
	m := facility.Model{
		Name: "test-h100", GPU: "h100", GPUs: 8, HeightU: 8, WeightKg: 130, NameplateW: 10200,
		BoardW: 1200, FanW: 800, FanExponent: 2.7, FanMin: 0.7, FanMax: 1.25, AirflowM3s: 0.5215, VRM: 1.01, PF: 0.98,
		PSUs: 6, PSUNeeded: 4, PSURatingW: 3300, PSULoad: []float64{0.1, 0.2, 0.5, 1}, PSUEff: []float64{0.9, 0.94, 0.96, 0.94},
		ShortRule: "degraded", ShortCap: 0.7, InletMinC: 5, InletMaxC: 30, CoolantMaxC: math.NaN(),
		TDPW: 700, IdleW: 68.5, IdleC: 29, LeakW: 63, LeakPerK: 0.015, Alpha: 2.1, ClockMin: 0.17, CapMinW: 200,
		LimitC: 87, SlowC: 89, ShutC: 95, R0: 0.020, RFlow: 0.040, RExponent: -0.8, WorstSlot: 0.067 / 0.060,
		GPUHeatJPerK: 1000, TargetC: 76, PeakTFLOPS: 989, MemoryGB: 80, MemLimitC: math.NaN(), AirTripC: 99,
		ServerCapW: math.Inf(1), GPUCapW: math.Inf(1), PlanW: 10200, PlanAirW: 10200,
	}
	m.Resolve()
	return m
}

// h100Liquid is the same with cold plates.
func h100Liquid() facility.Model {
	m := h100()
	m.Name, m.Liquid, m.HeightU = "test-h100-liquid", true, 4
	m.BoardW, m.FanW, m.FanMin, m.FanMax, m.AirflowM3s = 900, 150, 1, 1, 0.15
	m.R0, m.RFlow, m.RExponent, m.GPUHeatJPerK = 0.018, 0.014, -0.7, 300
	m.LiquidShare, m.FlowLPM, m.CoolantMaxC = 0.8, 12, 45
	m.PlanAirW, m.PlanLiquidW = 2040, 8160
	m.Resolve()
	return m
}

// flatPlant holds its set-point up to a capacity, by a law simple enough to work out by hand.
type flatPlant struct {
	spec cooling.Spec
	cop  float64
	perK float64 // W it takes more for each kelvin of warmer water; 0: 50 kW
}

func (p flatPlant) Spec() cooling.Spec { return p.spec }

func (p flatPlant) Solve(l cooling.Load) cooling.PlantPoint {
	capacity := float64(l.Units) * p.spec.CapacityW
	perK := p.perK
	if perK == 0 {
		perK = 50e3
	}
	pt := cooling.PlantPoint{SupplyC: l.SetC, WPerK: max(perK, p.spec.HeatJPerK/cooling.HeldS), CapacityW: capacity, Held: l.HeatW <= capacity}
	if !pt.Held {
		pt.WPerK = perK
		pt.SupplyC = l.SetC + (l.HeatW-capacity)/perK
	}
	pt.CompressorW = math.Min(l.HeatW, capacity) / p.cop
	return pt
}

// hall is a small hall with a chain utility → transformers → UPS A and B → busways → racks.
type hall struct {
	racks, perRack int
	liquid         bool
	roomUnits      int
	containment    cooling.Containment
}

func (h hall) layout(t testing.TB) *placement.Layout {
	t.Helper()
	loss := power.Loss{A: 0.006, B: -0.0008, C: 0.032}
	size := 20e3 * float64(max(h.racks*h.perRack, 1))
	nodes := []power.Node{
		{ID: "utility", Kind: power.Utility, Units: 1, RatingVA: 20e6, PF: 1, Derate: 1},
		{ID: "tx", Kind: power.Transformer, From: []string{"utility"}, Units: 2, Redundant: 1, RatingVA: size, PF: 1, Derate: 1, Loss: power.Loss{A: 0.002, C: 0.008}},
	}
	for _, side := range []string{"A", "B"} {
		nodes = append(nodes,
			power.Node{ID: "ups[" + side + "]", Kind: power.UPS, Side: side, From: []string{"tx"}, Units: 2, RatingVA: size / 2, PF: 1, Derate: 1, Loss: loss},
			power.Node{ID: "busway." + side, Kind: power.Distribution, Side: side, From: []string{"ups[" + side + "]"}, Units: 1, RatingVA: size, PF: 1, Derate: 1, Loss: power.Loss{C: 0.004}})
	}
	f := &facility.Facility{Name: "test hall", Design: cooling.Outdoor{DryBulbC: 35, WetBulbC: 26, RH: 0.5, PressurePa: 101325}}
	for i := range h.racks {
		id := fmt.Sprintf("A%02d", i+1)
		for _, side := range []string{"A", "B"} {
			nodes = append(nodes, power.Node{ID: id + "." + side, Kind: power.RackFeed, Side: side, From: []string{"busway." + side}, Units: 1, RatingVA: 200e3, PF: 1, Derate: 1})
		}
	}
	g, err := power.New(nodes)
	if err != nil {
		t.Fatal(err)
	}
	f.Power = g
	at := func(id string) int {
		n, ok := g.Index(id)
		if !ok {
			t.Fatalf("no node %s", id)
		}
		return n
	}
	m := h100()
	loop := -1
	ups := []int{at("ups[A]"), at("ups[B]")}
	f.Cooling.Plants = []cooling.Plant{flatPlant{spec: cooling.Spec{Name: "flat", Units: 2, Redundant: 1, SupplyC: 18, CapacityW: 50e6, HeatJPerK: 20e6, Fed: []int{at("utility")}}, cop: 5}}
	if h.liquid {
		m, loop = h100Liquid(), 0
		f.Cooling.Loops = []cooling.Loop{{
			Name: "tcs", CDUs: 2, Redundant: 1, CapacityW: 10e6, FlowLPM: 20000, HeadKPa: 200, ApproachK: 4, Coolant: "PG25",
			VolumeL: 2000, SupplyC: 32, PumpW: 5000, Plant: 0, Fed: ups,
		}}
	}
	units := h.roomUnits
	if units == 0 {
		units = 4
	}
	f.Cooling.Rooms = []cooling.Room{{
		Name: "hall", Units: units, Redundant: 1, CapacityW: 5e3 * float64(max(h.racks*h.perRack, 1)), AirflowM3s: 0.4 * float64(max(h.racks*h.perRack, 1)), RatedReturnC: 36, RatedWaterC: 18, WaterRiseK: 8,
		SupplyC: 24, FanW: 200 * float64(max(h.racks*h.perRack, 1)), FanExponent: 2.7, FanMin: 0.4, Containment: h.containment, VolumeM3: 1500, StructureJPerK: 2e6, WallWPerK: 500, AmbientC: 25, Plant: 0, Fed: ups,
	}}
	f.Models = []facility.Model{m}
	f.Orders = []facility.Order{{Model: 0, Count: h.racks * h.perRack}}
	l := &placement.Layout{Facility: f, Requested: h.racks * h.perRack, Bound: h.racks * h.perRack}
	for i := range h.racks {
		id := fmt.Sprintf("A%02d", i+1)
		f.Racks = append(f.Racks, facility.Rack{
			ID: id, Row: "A", Place: i, XM: 0.3 + 0.6*float64(i), YM: 0.6, HeightU: 48, PowerW: 100e3, AirW: facility.NoLimit, LiquidW: facility.NoLimit,
			LoadKg: math.NaN(), Feeds: []int{at(id + ".A"), at(id + ".B")}, Loop: loop,
		})
		fit := placement.RackFit{Rack: i, Servers: h.perRack}
		for k := range h.perRack {
			l.Servers = append(l.Servers, placement.Server{ID: fmt.Sprintf("%s.u%02d", id, 1+k*m.HeightU), Rack: i, U: 1 + k*m.HeightU})
		}
		l.Racks = append(l.Racks, fit)
	}
	return l
}

// still is weather that doesn't move.
func still(c float64) *weather.Series {
	s := &weather.Series{Name: "still air", Coverage: 1, Samples: make([]weather.Sample, 8760)}
	for i := range s.Samples {
		s.Samples[i] = weather.Sample{DryBulbC: c, RH: 0.5, PressurePa: 101325, WindMS: math.NaN()}
	}
	return s
}

// config is a run without failures in still air.
func config(length time.Duration, classes ...workload.Class) Config {
	return Config{
		Scenario: "test", Seed: 1, Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), LengthNS: int64(length), Weather: still(15),
		Classes: classes, PricePerKWh: math.NaN(), CarbonKgPerKWh: math.NaN(), SeriesStepNS: int64(time.Hour), ToleranceK: 0.1,
		Air:         AirClass{Name: "A2", RecommendedLow: 18, RecommendedHigh: 27, AllowableLow: 10, AllowableHigh: 35},
		FanMaxShare: math.Inf(1), Check: true,
	}
}

func mustRun(t testing.TB, l *placement.Layout, c Config) *Result {
	t.Helper()
	r, err := Run(context.Background(), l, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// train is a class of training jobs at full activity.
func train(gpus int, perDay, hours float64) workload.Class {
	return workload.Class{
		Name: "train", Kind: workload.Training, GPUs: []workload.Size{{GPUs: gpus, Weight: 1}}, RatePerS: perDay / 86400,
		MedianS: hours * 3600, SigmaLn: 0.6, Activity: 1, MemoryBound: 0.15, CheckpointS: math.Inf(1), Restart: true,
	}
}

// exponentialJobs is a Poisson stream of whole-server jobs with exponential lengths.
func exponentialJobs(seed uint64, ratePerS, meanS float64, lengthNS int64) []workload.Job {
	r := rng.New(seed, 0, "test", "exponential")
	var jobs []workload.Job
	for at := r.ExpFloat64() / ratePerS * 1e9; at < float64(lengthNS); at += r.ExpFloat64() / ratePerS * 1e9 {
		jobs = append(jobs, workload.Job{GPUs: 8, Arrival: int64(at), WorkS: r.ExpFloat64() * meanS, Activity: 0.1, MemoryBound: 0.15})
	}
	return jobs
}
