package sim

import (
	"context"
	"fmt"
	"math"
	"time"

	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/facility/weather"
	"headroom/sim/metrics"
	"headroom/sim/workload"
)

// RideThrough is how long servers last when cooling is lost on the design day with every GPU busy: the time until
// the warmest inlet passes what is allowed, until clocks fall, until servers stop.
type RideThrough struct {
	LimitC    float64    `json:"limit_c"`    // allowable inlet: the narrower of class and servers
	DryBulbC  float64    `json:"dry_bulb_c"` // of the design day
	HorizonS  float64    `json:"horizon_s"`  // after the loss; what takes longer is unknown
	StepS     float64    `json:"step_s"`     // resolution of the times
	GPULimitC float64    `json:"gpu_limit_c"`
	Cases     []RideCase `json:"cases"`
}

// RideCase is one loss.
type RideCase struct {
	Name string `json:"name"`
	// Times after the loss, unknown where it does not happen within the horizon.
	ToLimitS    Num   `json:"to_limit_s"`
	ToThrottleS Num   `json:"to_throttle_s"`
	ToStopS     Num   `json:"to_stop_s"` // first server that loses its work: no power, hot air, a GPU at its shutdown
	MaxInletC   Num   `json:"max_inlet_c"`
	ServersLost int64 `json:"servers_lost"` // stopped within the horizon
	AtS         []Num `json:"-"`            // seconds after the loss, for charts
	InletC      []Num `json:"-"`            // warmest inlet in each step
	CoolantC    []Num `json:"-"`
	GPUC        []Num `json:"-"` // hottest GPU
}

// Names of the cases.
const (
	RideRejection = "heat rejection lost, fans and pumps run on"
	RideAll       = "heat rejection, fans and pumps lost"
	RideUtility   = "utility lost, as the building is wired"
)

const (
	rideSettleNS  = int64(10 * time.Minute) // before the loss, for rooms and loops to stand
	rideHorizonNS = int64(30 * time.Minute) // after it
	rideStepNS    = int64(5 * time.Second)  // of the series
)

// Ride runs the loss of cooling in its cases. It uses c's building settings and neither its work nor its weather nor
// its failures, so that the answer holds for the worst hour and not for an average one. Nil where nothing is placed or
// no cooling is stated.
func Ride(ctx context.Context, l *placement.Layout, c Config) (*RideThrough, error) {
	f := l.Facility
	if len(l.Servers) == 0 || len(f.Cooling.Rooms) == 0 {
		return nil, nil
	}
	ride := &RideThrough{
		LimitC: c.Air.AllowableHigh, DryBulbC: f.Design.DryBulbC, HorizonS: float64(rideHorizonNS) / 1e9, StepS: float64(rideStepNS) / 1e9, GPULimitC: math.NaN(),
	}
	for i := range l.Servers {
		m := &f.Models[l.Servers[i].Model]
		ride.LimitC = math.Min(ride.LimitC, m.InletMaxC)
		if !(ride.GPULimitC <= m.LimitC) {
			ride.GPULimitC = m.LimitC
		}
	}
	var rejection, moving, utility []Loss
	add := func(list *[]Loss, name string, part Part, index, units int) {
		*list = append(*list, Loss{Name: name, AtNS: rideSettleNS, Part: part, Index: index, Units: units})
	}
	for i, p := range f.Cooling.Plants {
		s := p.Spec()
		part := PlantUnit
		if s.HeatJPerK > 0 {
			part = PlantHeat
		}
		add(&rejection, s.Name, part, i, s.Units)
		add(&moving, s.Name, PlantUnit, i, s.Units)
	}
	for i := range f.Cooling.Rooms {
		add(&moving, f.Cooling.Rooms[i].Name, RoomUnit, i, f.Cooling.Rooms[i].Units)
	}
	for i := range f.Cooling.Loops {
		add(&moving, f.Cooling.Loops[i].Name, LoopUnit, i, f.Cooling.Loops[i].CDUs)
	}
	if f.Power != nil {
		for n := range f.Power.Nodes {
			if node := &f.Power.Nodes[n]; node.Kind == power.Utility {
				add(&utility, node.ID, PowerUnit, n, node.Units)
			}
		}
	}
	for _, k := range []struct {
		name   string
		losses []Loss
	}{{RideRejection, rejection}, {RideAll, moving}, {RideUtility, utility}} {
		if len(k.losses) == 0 {
			continue
		}
		rc := rideConfig(l, &c, k.losses)
		e, err := newEngine(ctx, l, &rc)
		if err == nil {
			err = e.run()
		}
		if err != nil {
			return nil, fmt.Errorf("ride-through, %s: %w", k.name, err)
		}
		ride.Cases = append(ride.Cases, e.rideCase(k.name, ride.LimitC))
	}
	return ride, nil
}

// rideConfig is the design day with every GPU busy from the start.
func rideConfig(l *placement.Layout, c *Config, losses []Loss) Config {
	d := l.Facility.Design
	day := &weather.Series{Name: "design day", Start: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), Coverage: 1, Samples: make([]weather.Sample, weather.HoursPerYear)}
	for i := range day.Samples {
		day.Samples[i] = weather.Sample{DryBulbC: d.DryBulbC, RH: d.RH, PressurePa: d.PressurePa, WindMS: math.NaN()}
	}
	jobs := make([]workload.Job, 0, len(l.Servers))
	for i := range l.Servers {
		jobs = append(jobs, workload.Job{ID: int32(i), GPUs: int32(l.Facility.Models[l.Servers[i].Model].GPUs), WorkS: math.Inf(1), Activity: 1})
	}
	return Config{
		Seed: c.Seed, Start: c.Start.Truncate(time.Hour), LengthNS: rideSettleNS + rideHorizonNS, Weather: day,
		Classes: []workload.Class{{Name: "full load", Kind: workload.Training, GPUs: []workload.Size{{GPUs: 8, Weight: 1}}, Activity: 1, CheckpointS: math.Inf(1)}},
		Replays: [][]workload.Job{jobs}, Caps: c.Caps, Failures: Failures{Events: losses},
		PricePerKWh: math.NaN(), CarbonKgPerKWh: math.NaN(), SeriesStepNS: rideStepNS, ToleranceK: c.ToleranceK, Air: c.Air,
		GPUSpread: c.GPUSpread, FanMaxShare: c.FanMaxShare, Check: c.Check,
	}
}

// rideCase reads what happened after the loss.
func (e *engine) rideCase(name string, limitC float64) RideCase {
	r := e.result()
	u := metrics.Unknown
	k := RideCase{Name: name, ToLimitS: u, ToThrottleS: u, ToStopS: u, MaxInletC: u}
	column := func(name string) []float64 {
		for _, c := range r.Series.Columns {
			if c.Name == name {
				return c.Values
			}
		}
		return make([]float64, len(r.Series.StartS))
	}
	inlet, coolant, gpu := column("inlet_max_c"), column("coolant_c"), column("gpu_max_c")
	lossS := float64(rideSettleNS) / 1e9
	const beforeS = 300 // of the steady state, to see where it comes from
	for i, t := range r.Series.StartS {
		end := t + r.Series.StepS - lossS
		if end < -beforeS {
			continue
		}
		k.AtS, k.InletC, k.CoolantC, k.GPUC = append(k.AtS, Num(end)), append(k.InletC, Num(inlet[i])), append(k.CoolantC, Num(coolant[i])), append(k.GPUC, Num(gpu[i]))
		if end <= 0 {
			continue
		}
		if inlet[i] > limitC && !k.ToLimitS.Known() {
			k.ToLimitS = Num(end)
		}
		if !math.IsNaN(inlet[i]) && !(k.MaxInletC >= Num(inlet[i])) {
			k.MaxInletC = Num(inlet[i])
		}
	}
	for _, x := range r.Events {
		if x.AtS >= lossS && (x.Kind == "throttle start" || x.Kind == "hw slowdown") {
			k.ToThrottleS = Num(x.AtS - lossS)
			break
		}
	}
	for _, x := range e.incidents {
		if x.atNS < rideSettleNS || x.kind != wentDark && x.kind != airTripped && x.kind != shutDown {
			continue
		}
		if k.ServersLost == 0 {
			k.ToStopS = Num(float64(x.atNS-rideSettleNS) / 1e9)
		}
		k.ServersLost++
	}
	return k
}

// stallK is how far above its water a stalled plant's water is on its way, so that it warms by all of its heat.
const stallK = 100

// stall is a plant whose water nothing cools: it warms by the heat that comes back.
func stall(p *cooling.PlantPoint, waterC, heatW float64) {
	p.CompressorW, p.RejectionW, p.FreeShare = 0, 0, 0
	p.EvaporationKgS, p.BlowdownKgS, p.DriftKgS = 0, 0, 0
	p.CapacityW, p.Held = 0, false
	p.WPerK = math.Max(heatW/stallK, 1)
	p.SupplyC = waterC + heatW/p.WPerK
}
