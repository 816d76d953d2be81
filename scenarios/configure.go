package scenarios

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"headroom/facility/catalog"
	"headroom/facility/placement"
	"headroom/sim"
	"headroom/sim/workload"
)

// kindFigure is what a kind of work is taken for where the file says nothing.
type kindFigure struct {
	kind                  workload.Kind
	activity, memoryBound float64
}

// kindFigures are the defaults by kind. Memory-bound shares: training 0.15 and decode 0.75 (model constants
// fitted to cap and clock-lock measurements on H100 and H200), batch 0.3 (assumed, between them). Activity:
// training runs near the power limit, inference decode draws 137–300 W of 700 W on an H200, that is about
// half of the dynamic power with prefill between (published decode measurement); fine-tuning and batch lie
// between (assumed).
var kindFigures = map[string]kindFigure{
	"training":    {workload.Training, 1, 0.15},
	"fine-tuning": {workload.FineTuning, 0.9, 0.15},
	"inference":   {workload.Inference, 0.6, 0.75},
	"batch":       {workload.Batch, 0.8, 0.3},
}

// airClass is an ASHRAE air class at the site's altitude.
func airClass(name string, altitudeM float64) sim.AirClass {
	classes, err := catalog.ASHRAE()
	if err != nil {
		return sim.AirClass{} // a broken data file is an error of the catalogue's tests
	}
	c, _ := classes.AirNamed(name)
	return sim.AirClass{
		Name: name, RecommendedLow: c.Recommended[0], RecommendedHigh: min(c.Recommended[1], c.AllowableMaxC(altitudeM)),
		AllowableLow: c.Allowable[0], AllowableHigh: c.AllowableMaxC(altitudeM),
	}
}

// replicaGPUs is the size of a replica where the file says nothing: one 8-GPU server.
const replicaGPUs = 8

// z95 is the 95th percentile of the standard normal distribution.
const z95 = 1.6448536269514722

// restartS is what a restart costs a job besides the work since its checkpoint where only losses are
// scripted; the same 10 min stand in serverFail.
const restartS = 600

// length is the simulated time.
func (r *runPart) length() time.Duration { return time.Duration(math.Round(r.Length.V * 1e9)) }

// Configure makes the configuration of a run. The layout may be nil while no scripted event names a
// server. The error is a [Problems].
func (s *Scenario) Configure(l *placement.Layout) (sim.Config, error) {
	s.building.Lock()
	d := &decoder{}
	b := s.built
	b.d, b.warn = d, false
	if b.f.Power == nil {
		d.fail(s.file.at, "power", "", "a run needs a power section (placement alone does not)")
	}
	if len(b.f.Cooling.Rooms) == 0 {
		d.fail(s.file.at, "cooling.air", "", "a run needs air cooling (placement alone does not)")
	}
	c := s.config(d, b, l, false)
	s.building.Unlock()
	if err := d.problems.err(s.name); err != nil {
		return sim.Config{}, err
	}
	c.ID = s.ID()
	return c, nil
}

// config makes the configuration; checking leaves scripted events on servers for later, when their
// places are known.
func (s *Scenario) config(d *decoder, b *builder, l *placement.Layout, checking bool) sim.Config {
	f := &s.file
	c := sim.Config{
		Scenario: f.Name, Variant: s.variant, Seed: f.Run.Seed,
		Start: f.Run.Start.T, LengthNS: f.Run.length().Nanoseconds(),
		Weather:     s.series,
		PricePerKWh: math.NaN(), CarbonKgPerKWh: math.NaN(),
		SeriesStepNS: int64(math.Round(f.Run.Series.V * 1e9)), ToleranceK: f.Run.Tolerance.V,
		Air: airClass(f.Site.Class, f.Site.Altitude.or(0)), FanMaxShare: math.Inf(1),
		Replays: s.traces, Streams: s.streams,
	}
	if f.Site.Price.Currency != "" {
		c.PricePerKWh, c.Currency = f.Site.Price.PerKWh, f.Site.Price.Currency
	}
	if f.Site.Carbon.Given {
		c.CarbonKgPerKWh = f.Site.Carbon.V
	}
	if f.Cooling != nil && f.Cooling.ServerFans.Given {
		c.FanMaxShare = f.Cooling.ServerFans.V
	}
	for _, w := range s.warnings {
		c.Warnings = append(c.Warnings, w.line())
	}
	names := map[string]int{}
	unique := func(o *origin, name string) {
		if name == "" {
			return
		}
		if first, ok := names[name]; ok {
			d.fail(o.of("name"), joinKey(o.path, "name"), "", "the name %s stands twice (first at line %d)", quoteShort(name), first)
		}
		names[name] = o.of("name").line
	}
	for i := range f.Workload {
		unique(&f.Workload[i].origin, f.Workload[i].Name)
		c.Classes = append(c.Classes, f.Workload[i].class(d))
		s.shape(d, &f.Workload[i], &c.Classes[len(c.Classes)-1])
		steps, copies := s.throughput(d, b, &f.Workload[i], &c.Classes[len(c.Classes)-1])
		if v, ok := s.service(d, &f.Workload[i], i, &c.Classes[len(c.Classes)-1], steps, copies); ok {
			c.Services = append(c.Services, v)
		}
	}
	for i := range f.Replay {
		unique(&f.Replay[i].origin, f.Replay[i].Name)
		c.Classes = append(c.Classes, f.Replay[i].class())
		s.urgency(&c.Classes[len(c.Classes)-1], f.Replay[i].Tenant, f.Replay[i].Priority, f.Replay[i].Spot, f.Replay[i].Defer)
	}
	c.Failures.RestartS = restartS
	if sf := f.Failures.Server; sf != nil {
		c.Failures.ServerPerNodeDay, c.Failures.RepairS, c.Failures.RestartS = sf.Rate.V, sf.Repair.V, sf.Restart.V
	}
	s.limits(d, b, l, &c, checking)
	s.money(d, b, l, &c)
	s.scheduling(d, &c)
	c.WarmupNS, c.Twin = int64(math.Round(f.Run.Warmup.V*1e9)), f.Run.Twin
	c.GPUSpread = f.Run.Spread.V
	if f.Run.Warmup.V > 0 && f.Run.length() > 0 && f.Run.Warmup.V >= f.Run.length().Seconds() {
		d.fail(f.Run.of("warmup"), joinKey(f.Run.path, "warmup"), "", "the warm-up takes the whole run (got %s of %s)", quoteShort(f.Run.Warmup.text), quoteShort(f.Run.Length.text))
	}
	if n := f.Run.length().Seconds() / math.Max(f.Run.Series.V, 1e-9); n > sim.MaxBins {
		d.fail(f.Run.of("series"), joinKey(f.Run.path, "series"), "take a longer step", "a series of %.0f steps, at most %d", n, sim.MaxBins)
	}
	for i := range c.Classes {
		if n := c.Classes[i].RatePerS * f.Run.length().Seconds(); n > sim.MaxJobs && i < len(f.Workload) {
			l := &f.Workload[i]
			d.fail(l.of("arrivals"), joinKey(l.path, "arrivals"), "", "about %.3g jobs arrive in this run, at most %.3g", n, float64(sim.MaxJobs))
		}
	}
	if strings.ContainsFunc(f.Name, unicode.IsControl) {
		d.fail(f.of("name"), joinKey(f.path, "name"), "", "a control character in the name (got %s)", quoteShort(f.Name))
	}
	for i := range f.Failures.Events {
		if e, ok := s.loss(d, b, l, &f.Failures.Events[i], checking); ok {
			c.Failures.Events = append(c.Failures.Events, e)
		}
	}
	return c
}

// line is a warning as a report prints it.
func (p Problem) line() string {
	if p.Path == "" {
		return p.Msg
	}
	return p.Path + ": " + p.Msg
}

// class turns a line of the workload into a class of jobs.
func (l *classLine) class(d *decoder) workload.Class {
	k := kindFigures[l.Kind]
	l.Activity.fill(k.activity)
	l.MemoryBound.fill(k.memoryBound)
	if l.Restart == nil {
		yes := true
		l.Restart = &yes
	}
	c := workload.Class{Name: l.Name, Kind: k.kind, Activity: l.Activity.V, MemoryBound: l.MemoryBound.V, Restart: *l.Restart, Line: l.at.line}
	if l.Checkpoint == nil {
		l.Checkpoint = usualCheckpoint(k.kind)
	}
	c.CheckpointS, c.CheckpointCostS = l.Checkpoint.seconds()
	if l.Kind == "" {
		return c // told already
	}
	if k.kind == workload.Inference {
		l.service(d, &c)
		return c
	}
	for i, g := range l.GPUs.Sizes {
		c.GPUs = append(c.GPUs, workload.Size{GPUs: g, Weight: l.GPUs.Weights[i]})
	}
	for _, x := range [...]struct {
		key string
		has bool
	}{{"load", l.has("load")}, {"replica", l.has("replica")}} {
		if x.has {
			d.fail(l.of(x.key), joinKey(l.path, x.key), "", "%s is for inference, and %s is %s", x.key, quoteShort(l.Name), l.Kind)
		}
	}
	if !l.has("arrivals") {
		d.fail(l.at, joinKey(l.path, "arrivals"), "write, for example, arrivals: 2/day", "a required key is missing for %s", l.Kind)
	}
	if len(l.GPUs.Sizes) == 0 && !l.has("gpus") && l.Like == "" {
		d.fail(l.at, joinKey(l.path, "gpus"), "write, for example, gpus: {64: 3, 128: 1}", "a required key is missing")
	}
	if l.Length == nil && !l.has("length") && l.Like == "" {
		d.fail(l.at, joinKey(l.path, "length"), "write, for example, length: {median: 20 h, p95: 5 d}", "a required key is missing for %s", l.Kind)
	}
	c.RatePerS = l.Arrivals.V
	if n := l.Length; n != nil {
		c.MedianS = n.Median.V
		if !n.Median.Given && !n.has("median") && len(n.Quantiles) == 0 && !n.has("quantiles") {
			d.fail(n.at, joinKey(n.path, "median"), "write, for example, median: 20 h", "a required key is missing")
		}
		if !n.P95.Given && !n.has("p95") && n.Weibull == nil && len(n.Quantiles) == 0 {
			n.P95.fill(n.Median.V)
		}
		switch {
		case n.P95.Given && n.Median.Given && n.P95.V < n.Median.V:
			d.fail(n.of("p95"), joinKey(n.path, "p95"), "", "the 95th percentile lies below the median (got %s and %s)", quoteShort(n.P95.text), quoteShort(n.Median.text))
		case n.P95.Given && n.Median.Given:
			c.SigmaLn = math.Log(n.P95.V/n.Median.V) / z95
		}
	}
	return c
}

// service turns a line of inference into replicas.
func (l *classLine) service(d *decoder, c *workload.Class) {
	for _, key := range [...]string{"arrivals", "length"} {
		if l.has(key) {
			d.fail(l.of(key), joinKey(l.path, key), "use kind: batch for inference that comes as jobs", "a service runs to the end and has no %s", key)
		}
	}
	if len(l.GPUs.Sizes) != 1 {
		if !l.has("gpus") {
			d.fail(l.at, joinKey(l.path, "gpus"), "write, for example, gpus: 32", "a required key is missing")
		}
		if len(l.GPUs.Sizes) > 1 {
			d.fail(l.of("gpus"), joinKey(l.path, "gpus"), "", "want one number of GPUs for a service (got %d sizes)", len(l.GPUs.Sizes))
		}
		return
	}
	total := l.GPUs.Sizes[0]
	if l.Replica == nil {
		size := min(replicaGPUs, total)
		if l.Slice != "" {
			size = 1
		}
		l.Replica = &size
	}
	if total%*l.Replica != 0 {
		d.fail(l.of("gpus"), joinKey(l.path, "gpus"), "", "%d GPUs are no whole number of replicas of %d", total, *l.Replica)
		return
	}
	c.GPUs = []workload.Size{{GPUs: *l.Replica, Weight: 1}}
	c.Replicas = total / *l.Replica
	if !l.Load.Given {
		l.Load = profile{Name: "constant", Given: true}
	}
	c.Profile = l.Load.week()
}

func (l *traceLine) class() workload.Class {
	k := kindFigures[l.Kind]
	l.Activity.fill(k.activity)
	l.MemoryBound.fill(k.memoryBound)
	if l.Restart == nil {
		yes := true
		l.Restart = &yes
	}
	c := workload.Class{Name: l.Name, Kind: k.kind, Activity: l.Activity.V, MemoryBound: l.MemoryBound.V, Restart: *l.Restart, Trace: l.Trace, Line: l.at.line}
	if l.Checkpoint == nil {
		l.Checkpoint = usualCheckpoint(k.kind)
	}
	c.CheckpointS, c.CheckpointCostS = l.Checkpoint.seconds()
	return c
}

// usualCheckpoint is how a kind of work is checkpointed where the file says nothing: training at Young's
// interval, other kinds not at all.
func usualCheckpoint(k workload.Kind) *checkPart {
	if k != workload.Training && k != workload.FineTuning {
		return &checkPart{None: true}
	}
	c := &checkPart{}
	decodeShort(&decoder{}, c, &node{kind: mapNode}, "", "")
	return c
}

// seconds are the interval and cost of checkpoints as a class states them: interval 0 is Young's.
func (c *checkPart) seconds() (intervalS, costS float64) {
	if c.None {
		return math.Inf(1), 0
	}
	return c.Interval.or(0), c.Cost.V
}

// week is a profile as shares by hour of the week, nil for constant.
func (v *profile) week() []float64 {
	switch {
	case v.Name == "diurnal":
		return workload.Diurnal()
	case len(v.Shares) == 24:
		return slices.Repeat(v.Shares, 7)
	case len(v.Shares) == 168:
		return slices.Clone(v.Shares)
	}
	return nil
}
