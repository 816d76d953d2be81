package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/facility/units"
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

// airClasses are the thermal guidelines of ASHRAE TC 9.9, fifth edition (2021), °C.
var airClasses = map[string]sim.AirClass{
	"A1": {Name: "A1", RecommendedLow: 18, RecommendedHigh: 27, AllowableLow: 15, AllowableHigh: 32},
	"A2": {Name: "A2", RecommendedLow: 18, RecommendedHigh: 27, AllowableLow: 10, AllowableHigh: 35},
	"A3": {Name: "A3", RecommendedLow: 18, RecommendedHigh: 27, AllowableLow: 5, AllowableHigh: 40},
	"A4": {Name: "A4", RecommendedLow: 18, RecommendedHigh: 27, AllowableLow: 5, AllowableHigh: 45},
	"H1": {Name: "H1", RecommendedLow: 18, RecommendedHigh: 22, AllowableLow: 5, AllowableHigh: 25},
}

// replicaGPUs is the size of a replica where the file says nothing: one 8-GPU server.
const replicaGPUs = 8

// z95 is the 95th percentile of the standard normal distribution.
const z95 = 1.6448536269514722

// length is the simulated time.
func (r *runPart) length() time.Duration { return time.Duration(math.Round(r.Length.V * 1e9)) }

// Configure makes the configuration of a run. The layout may be nil while no scripted event names a
// server. The error is a [Problems].
func (s *Scenario) Configure(l *placement.Layout) (sim.Config, error) {
	s.building.Lock()
	d := &decoder{}
	b := &builder{s: s, d: d}
	b.build()
	if len(d.problems) == 0 {
		if b.f.Power == nil {
			d.fail(s.file.at, "power", "", "a run needs a power section (placement alone does not)")
		}
		if len(b.f.Cooling.Rooms) == 0 {
			d.fail(s.file.at, "cooling.air", "", "a run needs air cooling (placement alone does not)")
		}
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
		Air: airClasses[f.Site.Class], FanMaxShare: math.Inf(1),
		Replays: s.traces,
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
	}
	for i := range f.Replay {
		unique(&f.Replay[i].origin, f.Replay[i].Name)
		c.Classes = append(c.Classes, f.Replay[i].class())
	}
	if sf := f.Failures.Server; sf != nil {
		c.Failures.ServerPerNodeDay, c.Failures.RepairS, c.Failures.RestartS = sf.Rate.V, sf.Repair.V, sf.Restart.V
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
	if l.Length == nil && !l.has("length") {
		d.fail(l.at, joinKey(l.path, "length"), "write, for example, length: {median: 20 h, p95: 5 d}", "a required key is missing for %s", l.Kind)
	}
	c.RatePerS = l.Arrivals.V
	if n := l.Length; n != nil {
		c.MedianS = n.Median.V
		if !n.P95.Given && !n.has("p95") {
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
		if len(l.GPUs.Sizes) > 1 {
			d.fail(l.of("gpus"), joinKey(l.path, "gpus"), "", "want one number of GPUs for a service (got %d sizes)", len(l.GPUs.Sizes))
		}
		return
	}
	total := l.GPUs.Sizes[0]
	if l.Replica == nil {
		size := min(replicaGPUs, total)
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

// diurnal is the share of peak load by hour of a weekday and of a weekend day: a raised cosine with its
// peak at 15:00 and its trough at 03:00, 40 % of the peak, and four fifths of that at weekends. Assumed;
// public traces of interactive services show such a swing (trough 30–50 % of peak).
func diurnal() []float64 {
	const trough, weekend, peakHour = 0.4, 0.8, 15
	week := make([]float64, 168)
	for h := range week {
		x := trough + (1-trough)*(1+math.Cos(2*math.Pi*float64(h%24-peakHour)/24))/2
		if h >= 5*24 {
			x *= weekend
		}
		week[h] = x
	}
	return week
}

// week is a profile as shares by hour of the week, nil for constant.
func (v *profile) week() []float64 {
	switch {
	case v.Name == "diurnal":
		return diurnal()
	case len(v.Shares) == 24:
		return slices.Repeat(v.Shares, 7)
	case len(v.Shares) == 168:
		return slices.Clone(v.Shares)
	}
	return nil
}

// loss resolves a scripted loss.
func (s *Scenario) loss(d *decoder, b *builder, l *placement.Layout, e *lossLine, checking bool) (sim.Loss, bool) {
	at, path := e.of("lose"), joinKey(e.path, "lose")
	if e.Lose == "" || !e.At.Given {
		return sim.Loss{}, false
	}
	out := sim.Loss{Name: e.Lose, AtNS: e.At.T.Sub(s.file.Run.Start.T).Nanoseconds(), ForNS: int64(math.Round(e.For.V * 1e9))}
	if out.AtNS < 0 || out.AtNS >= s.file.Run.length().Nanoseconds() {
		d.fail(e.of("at"), joinKey(e.path, "at"), "", "lies outside the run, which goes from %s to %s (got %s)",
			s.file.Run.Start.T.Format("2006-01-02 15:04"), s.file.Run.Start.T.Add(s.file.Run.length()).Format("2006-01-02 15:04"), e.At.T.Format("2006-01-02 15:04"))
	}
	steps, err := parsePath(e.Lose)
	if err != nil {
		d.fail(at, path, "", "%v", err)
		return out, false
	}
	r := loser{s: s, d: d, b: b, layout: l, at: at, path: path, text: e.Lose, steps: steps}
	ok := r.resolve(&out, checking)
	return out, ok
}

// loser finds what a path of a scripted loss names.
type loser struct {
	s      *Scenario
	d      *decoder
	b      *builder
	layout *placement.Layout
	at     pos
	path   string
	text   string
	steps  []step
}

func (r *loser) fail(hint, format string, a ...any) bool {
	r.d.fail(r.at, r.path, hint, format, a...)
	return false
}

// key is the name at a place of the path, "" beyond its end.
func (r *loser) key(i int) string {
	if i < len(r.steps) {
		return r.steps[i].key
	}
	return ""
}

func (r *loser) resolve(out *sim.Loss, checking bool) bool {
	switch r.key(0) {
	case "cooling":
		return r.cooling(out)
	case "plants":
		return r.plant(out)
	case "power":
		return r.power(out)
	case "racks", "servers":
		if len(r.steps) != 2 || !r.steps[1].element {
			return r.fail("", "want %s[name] (got %s)", r.key(0), quoteShort(r.text))
		}
		if r.key(0) == "racks" {
			return r.rack(out)
		}
		return r.server(out, checking)
	}
	near, _ := units.Nearest(r.key(0), []string{"cooling", "plants", "power", "racks", "servers"})
	return r.fail(didYouMean(near), "nothing that can be lost (got %s, want a path that begins with cooling, plants, power, racks or servers)", quoteShort(r.text))
}

// units reads "units[3]" (one unit, by its place) or nothing (all of them) at a place of the path.
func (r *loser) units(out *sim.Loss, i, installed int, words ...string) bool {
	out.Units = installed
	if i == len(r.steps) {
		return true
	}
	if !r.steps[i].element && !slices.Contains(words, r.key(i)) || i+2 < len(r.steps) {
		return r.fail("", "want %s[place] (got %s)", pathString(append(slices.Clone(r.steps[:i]), step{key: words[0]})), quoteShort(r.text))
	}
	if !r.steps[i].element {
		if i++; i == len(r.steps) {
			return true
		}
	}
	if i != len(r.steps)-1 {
		return r.fail("", "the path goes on after %s (got %s)", pathString(r.steps[:i+1]), quoteShort(r.text))
	}
	p := r.steps[i].place
	if p < 0 || p >= installed {
		return r.fail("", "no such unit (got [%s], want a place from 0 to %d)", r.key(i), installed-1)
	}
	out.Units = 1
	return true
}

func (r *loser) cooling(out *sim.Loss) bool {
	sys := &r.b.f.Cooling
	switch r.key(1) {
	case "air":
		if len(sys.Rooms) == 0 {
			return r.fail("", "the file has no cooling.air")
		}
		out.Part = sim.RoomUnit
		if r.key(2) == "walls" {
			a := r.s.file.Cooling.Air
			for i := range a.Walls {
				w := &a.Walls[i]
				if len(r.steps) > 3 && (w.At == r.key(3) || r.steps[3].place == i) {
					return r.units(out, 4, w.Units, "units")
				}
			}
			return r.fail("", "no such wall (got %s)", quoteShort(r.text))
		}
		return r.units(out, 2, sys.Rooms[0].Units, "units")
	case "liquid":
		if len(sys.Loops) == 0 {
			return r.fail("", "the file has no cooling.liquid")
		}
		out.Part = sim.LoopUnit
		if r.s.file.Cooling.Liquid.CDUs.part.Per != "row" {
			return r.units(out, 2, sys.Loops[0].CDUs, "cdus", "units")
		}
		// One loop a row: cooling.liquid[A].cdus[0], or cooling.liquid.cdus[A][0].
		i := 2
		if r.key(2) == "cdus" {
			i = 3
		}
		for k, row := range r.b.rows {
			if i < len(r.steps) && r.steps[i].element && row.name == r.key(i) {
				out.Index = k
				return r.units(out, i+1, sys.Loops[k].CDUs, "cdus", "units")
			}
		}
		return r.fail("", "want the row of the loop such as cooling.liquid[%s].cdus[0] (got %s)", r.b.rows[0].name, quoteShort(r.text))
	}
	return r.fail("", "want cooling.air or cooling.liquid (got %s)", quoteShort(r.text))
}

func (r *loser) plant(out *sim.Loss) bool {
	p := &r.s.file.Plants
	i := p.index(r.key(1))
	if i < 0 {
		near, _ := units.Nearest(r.key(1), p.Names)
		return r.fail(didYouMean(near), "no such plant (got %s, want one of %s)", quoteShort(r.text), strings.Join(p.Names, ", "))
	}
	out.Part, out.Index = sim.PlantUnit, i
	return r.units(out, 2, p.Lines[i].Count, "units")
}

// power finds a node by the longest part of the path that names one, and then perhaps one of its units.
func (r *loser) power(out *sim.Loss) bool {
	g := r.b.f.Power
	if g == nil {
		return r.fail("", "the file has no power section")
	}
	out.Part = sim.PowerUnit
	steps := r.steps[1:]
	if len(steps) > 1 && steps[0].key == "nodes" && steps[1].element { // power.nodes[ups] is power.ups
		steps = slices.Concat([]step{{key: steps[1].key, place: -1}}, steps[2:])
	}
	if len(steps) > 1 && steps[0].key == "feeds" && steps[1].element { // a rack's circuit: power.feeds[A01].A
		steps = slices.Concat([]step{{key: steps[1].key, place: -1}}, steps[2:])
	}
	for n := len(steps); n > 0; n-- {
		i, ok := g.Index(pathString(steps[:n]))
		if !ok {
			continue
		}
		out.Index = i
		r.steps = slices.Concat(r.steps[:1], steps)
		return r.units(out, n+1, g.Nodes[i].Units, "units", "modules")
	}
	if len(steps) > 0 {
		if l := r.b.levelNamed(steps[0].key); l != nil {
			ids, _ := r.b.sources(l, "", "")
			return r.fail("", "%s is several elements, of which one is lost at a time (got %s, want %s)", l.line.ID, quoteShort(r.text), oneOf(ids, "power."))
		}
	}
	return r.fail(didYouMean(r.b.nearestLevel(r.key(1))), "no such element (got %s, want power. and one of %s)", quoteShort(r.text), strings.Join(r.b.levelNames(), ", "))
}

// oneOf lists the first few names.
func oneOf(list []string, prefix string) string {
	const most = 4
	var b strings.Builder
	for i, s := range list {
		if i == most {
			fmt.Fprintf(&b, " …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(prefix + s)
	}
	return b.String()
}

func (r *loser) rack(out *sim.Loss) bool {
	out.Part, out.Units = sim.RackPart, 1
	var ids []string
	for i := range r.b.f.Racks {
		id := r.b.f.Racks[i].ID
		if id == r.key(1) {
			out.Index = i
			return true
		}
		ids = append(ids, id)
	}
	near, _ := units.Nearest(r.key(1), ids)
	return r.fail(didYouMean(near), "no such rack (got %s)", quoteShort(r.text))
}

func (r *loser) server(out *sim.Loss, checking bool) bool {
	out.Part, out.Units = sim.ServerPart, 1
	name := r.key(1)
	rack, u, ok := strings.Cut(name, ".u")
	if !ok {
		return r.fail("", "want a server by its rack and lowest rack unit such as servers[A01.u03] (got %s)", quoteShort(r.text))
	}
	if n, err := strconv.Atoi(u); err != nil || n < 1 {
		return r.fail("", "want a server by its rack and lowest rack unit such as servers[A01.u03] (got %s)", quoteShort(r.text))
	}
	if !slices.ContainsFunc(r.b.rows, func(x rowSpan) bool { return strings.HasPrefix(rack, x.name) }) {
		return r.fail("", "no such rack (got %s)", quoteShort(r.text))
	}
	if checking {
		return true
	}
	if r.layout == nil {
		return r.fail("", "servers are known once they are placed")
	}
	var ids []string
	for i := range r.layout.Servers {
		if r.layout.Servers[i].ID == name {
			out.Index = i
			return true
		}
		ids = append(ids, r.layout.Servers[i].ID)
	}
	near, _ := units.Nearest(name, ids)
	return r.fail(didYouMean(near), "no server is placed there (got %s)", quoteShort(r.text))
}

// feedsOf is used by warnings: the circuits of a rack as the graph has them.
func feedsOf(g *power.Graph, feeds []int) []power.Node {
	var list []power.Node
	for _, i := range feeds {
		list = append(list, g.Nodes[i])
	}
	return list
}
