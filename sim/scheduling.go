package sim

import (
	"cmp"
	"math"
	"slices"

	"headroom/sim/rng"
	"headroom/sim/sched"
	"headroom/sim/thermal"
	"headroom/sim/workload"
)

// Scheduling is how the queue is run and where jobs are put. The zero value is first come, first served by best fit.
type Scheduling struct {
	Rules sched.Rules
	// Placement is the policy of where; without a Cost it is best fit on whole GPUs, in constant time.
	Placement sched.Placement
	// Leaf is how many servers, in the order of the hall, meet at one leaf of the network; 0: all.
	Leaf int
	// Shift is the signal by which deferrable jobs are moved: an hour's value for each hour of the run, the lower the
	// better. nil: jobs are not moved.
	Shift []float64
}

// newScheduler makes the account of servers that the work needs.
func (e *engine) newScheduler() *sched.Scheduler {
	c := &e.cfg.Scheduling
	if c.Placement.Cost == nil && !e.needsNodes() {
		gpus := make([]int32, len(e.srv))
		for i := range e.srv {
			gpus[i] = int32(e.srv[i].m.GPUs)
		}
		return sched.New(sched.NewWholeGPUs(gpus), e, c.Rules)
	}
	spec := make([]sched.NodeSpec, len(e.srv))
	for i := range e.srv {
		p := &e.lay.Servers[i]
		// CPUs and memory of servers are not in the catalogue; a trace's demand for them doesn't limit placement.
		spec[i] = sched.NodeSpec{GPUs: int32(e.srv[i].m.GPUs), Type: p.Model, Rack: int32(p.Rack)}
		if c.Leaf > 0 {
			spec[i].Leaf = int32(i / c.Leaf)
		}
	}
	place := c.Placement
	if place.Cost == nil {
		place = sched.Placements{}.BestFit()
	}
	nodes := sched.NewNodes(spec, &place, rng.New(e.cfg.Seed, 0, "placement", ""))
	nodes.Look(&site{e: e}, e.typical())
	for i := range e.cfg.Classes {
		if e.cfg.Classes[i].Slice.Memory > 0 {
			nodes.AllowSlices()
			break
		}
	}
	return sched.New(nodes, e, c.Rules)
}

// needsNodes says whether any work asks for a part of a GPU or for types of GPU.
func (e *engine) needsNodes() bool {
	for i := range e.cfg.Classes {
		if c := &e.cfg.Classes[i]; c.Types != 0 || c.Milli != 0 {
			return true
		}
	}
	for _, r := range e.cfg.Streams {
		if r.Scan.Parts {
			return true
		}
	}
	for _, jobs := range e.cfg.Replays {
		for i := range jobs {
			if jobs[i].Types != 0 || jobs[i].Milli != 0 {
				return true
			}
		}
	}
	return false
}

// typicalShare is how much of the work, by number of jobs, counts as typical: what the authors of fragmentation gradient
// descent take (Weng et al., USENIX ATC 2023).
const typicalShare = 0.95

// typical is the work to expect: sizes of classes by their weights, jobs of traces as they come.
func (e *engine) typical() *sched.Typical {
	var demands []sched.Demand
	for i := range e.cfg.Classes {
		c := &e.cfg.Classes[i]
		var sum float64
		for _, s := range c.GPUs {
			sum += float64(s.Weight)
		}
		for _, s := range c.GPUs {
			// Weights are shares of a class in a hundred; classes count alike.
			for range int(math.Round(100 * float64(s.Weight) / sum)) {
				demands = append(demands, sched.Demand{GPUs: int32(s.GPUs), Milli: c.Milli, Types: c.Types})
			}
		}
	}
	traces := slices.Clone(e.cfg.Replays)
	for _, r := range e.cfg.Streams { // the first of them stand for all
		traces = append(traces, r.Scan.Held)
	}
	for _, jobs := range traces {
		for i := range jobs {
			demands = append(demands, e.demandOf(&jobs[i]))
		}
	}
	if len(demands) == 0 {
		return nil
	}
	return sched.NewTypical(demands, typicalShare)
}

// demandOf is what a job asks for.
func (e *engine) demandOf(w *workload.Job) sched.Demand {
	d := sched.Demand{GPUs: w.GPUs, Types: w.Types}
	if w.GPUs == 1 && w.Milli < sched.Milli {
		d.Milli = w.Milli
		if s := &e.cfg.Classes[w.Class].Slice; s.Memory > 0 && d.Milli > 0 {
			d.Slice = sched.Slice{Compute: s.Compute, Memory: s.Memory, Starts: s.Starts}
		}
	}
	return d
}

// compute is the share of its GPUs' compute that a job has against its share of their memory: a slice of a GPU has so many of
// 7 parts of the one and of 8 of the other.
func (t *job) compute() float64 {
	if s := &t.demand.Slice; s.Memory > 0 {
		return float64(s.Compute) / 7 / (float64(s.Memory) / 8)
	}
	return 1
}

// site shows the building to placement policies. Jobs are placed once an instant, before anything is settled, so that what
// rooms and loops give is looked up once.
type site struct {
	e            *engine
	atNS         int64
	roomC, loopC []float64
}

// InletC is the coolant of a server that has a loop, else its air inlet; that of its room or loop while it is off.
func (s *site) InletC(i int32) float64 {
	if s.atNS != s.e.now || s.roomC == nil {
		s.atNS, s.roomC, s.loopC = s.e.now, s.roomC[:0], s.loopC[:0]
		for k := range s.e.rooms {
			s.roomC = append(s.roomC, s.e.rooms[k].path.At(s.e.now))
		}
		for k := range s.e.loops {
			s.loopC = append(s.loopC, s.e.loops[k].path.At(s.e.now))
		}
	}
	v := &s.e.srv[i]
	switch {
	case v.loop >= 0:
		return s.loopC[v.loop]
	case v.up() && v.set.WallW > 0:
		return v.inletC
	}
	return s.roomC[v.room]
}

// HeadroomW is what a server's rack may still draw.
func (s *site) HeadroomW(i int32) float64 {
	r := s.e.srv[i].rack
	return float64(s.e.fac.Racks[r].PowerW-s.e.fac.Racks[r].ReserveW) - s.e.racks[r].itW
}

// Demand is what a job asks for.
func (e *engine) Demand(id int32) *sched.Demand { return &e.js.table[id].demand }

// EndNS is when a running job is expected to end.
func (e *engine) EndNS(id int32) int64 { return e.js.table[id].endAt }

// Spot says whether a running job may be preempted.
func (e *engine) Spot(id int32) bool {
	return e.cfg.Classes[e.js.table[id].Class].Spot != workload.NotSpot
}

// waiting is how the scheduler sees a job.
func (t *job) waiting(id int32) sched.Waiting {
	return sched.Waiting{Job: id, Tenant: t.Tenant, Priority: t.Priority, MilliGPUs: t.demand.MilliGPUs(), WorkS: t.remainS / t.useful}
}

// preempt takes a spot job off its GPUs for a more urgent one.
func (e *engine) preempt(id int32) {
	j := &e.js
	t := &j.table[id]
	j.preempted++
	e.progress(t)
	e.leave(id)
	switch e.cfg.Classes[t.Class].Spot {
	case workload.SpotKill:
		j.total.Killed++
		j.byClass[t.Class].Killed++
		e.dropService(id)
		j.free = append(j.free, id)
		return
	case workload.SpotLose:
		e.rollBack(t)
	case workload.SpotCheckpoint, workload.NotSpot: // what was done is saved
		t.savedS = t.remainS
	}
	e.requeue(id)
}

// shiftOf is how long a deferrable job waits before it is queued: until the hour from which the signal is least in the
// mean over its work, the first of equals.
func (e *engine) shiftOf(t *job, most float64) int64 {
	signal := e.cfg.Scheduling.Shift
	if signal == nil || !(most > 0) {
		return 0
	}
	const hourS = 3600
	first := int(e.now / hourNS)
	hours := max(1, int(math.Ceil(math.Min(t.WorkS, most)/hourS)))
	best, at := math.Inf(1), e.now
	for h := 0; float64(h)*hourS <= most; h++ {
		from := first + h
		if from >= len(signal) {
			break
		}
		sum := 0.0
		n := 0
		for k := from; k < min(from+hours, len(signal)); k++ {
			sum += signal[k]
			n++
		}
		begin := max(e.now, int64(from)*hourNS)
		if float64(begin-e.now) > most*1e9 {
			break
		}
		if mean := sum / float64(n); mean < best-1e-12 {
			best, at = mean, begin
		}
	}
	return at - e.now
}

// used adds what a job has used of GPUs since it started, to its class and its tenant.
func (j *jobs) used(t *job, now int64) {
	s := t.size * float64(now-t.startNS) / thermal.Second
	j.byClass[t.Class].gpuS += s
	for int(t.Tenant) >= len(j.tenantS) {
		j.tenantS = append(j.tenantS, 0)
	}
	j.tenantS[t.Tenant] += s
}

// SchedulingResult counts what the rules of the queue did.
type SchedulingResult struct {
	Order        string      `json:"order"`
	Placement    string      `json:"placement"`
	Preempted    int64       `json:"preempted"`     // spot jobs that gave way, each time they did
	Backfilled   int64       `json:"backfilled"`    // jobs started before one that waited longer
	GangTimeouts int64       `json:"gang_timeouts"` // jobs sent to the end of the queue
	Deferred     int64       `json:"deferred"`      // jobs held back for a better hour
	Tenants      []TenantUse `json:"tenants"`
}

// TenantUse is what one tenant got.
type TenantUse struct {
	Tenant   string `json:"tenant"`
	GPUHours Num    `json:"gpu_hours"`
}

// schedulingResult is nil for first come, first served by best fit among one tenant.
func (e *engine) schedulingResult() *SchedulingResult {
	c, j := &e.cfg.Scheduling, &e.js
	if c.Rules.Order.Name == "" && c.Rules.Backfill == sched.NoBackfill && !c.Rules.Preempt && c.Rules.GangTimeoutNS == 0 &&
		len(c.Rules.Tenants) < 2 && c.Placement.Name == "" && c.Shift == nil {
		return nil
	}
	r := &SchedulingResult{
		Order: cmp.Or(c.Rules.Order.Name, sched.Orders{}.Fifo().Name), Placement: cmp.Or(c.Placement.Name, sched.Placements{}.BestFit().Name),
		Preempted: j.preempted, Backfilled: j.cluster.Backfills, GangTimeouts: j.cluster.Timeouts, Deferred: j.deferred, Tenants: []TenantUse{},
	}
	for i, t := range c.Rules.Tenants {
		s := 0.0
		if i < len(j.tenantS) {
			s = j.tenantS[i]
		}
		r.Tenants = append(r.Tenants, TenantUse{t.Name, Num(s / sPerH)})
	}
	return r
}
