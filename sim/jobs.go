package sim

import (
	"math"
	"slices"
	"time"

	"headroom/facility"
	"headroom/sim/event"
	"headroom/sim/metrics"
	"headroom/sim/sched"
	"headroom/sim/serving"
	"headroom/sim/thermal"
	"headroom/sim/workload"
)

// job is a job that is queued or running; finished ones leave only counts and waits.
type job struct {
	workload.Job
	running  bool
	demand   sched.Demand
	size     float64 // GPUs, a share of one included
	shares   []sched.Share
	remainS  float64 // work left, seconds at full clock
	savedS   float64 // work left at the last checkpoint
	rate     float64 // work per second of running
	capRate  float64 // what it would be if only caps slowed it
	useful   float64 // share of running time not spent on checkpoints
	ckptS    float64 // work between checkpoints, +Inf for none
	queuedNS int64
	startNS  int64
	lastNS   int64 // remainS is of this time
	first    bool  // it has not started yet
	end      event.ID
	endOn    bool
	endAt    int64 // when it ends if nothing changes, MaxInt64 for one that doesn't
	ready    int64 // start of useful work after a restart
	dirty    bool
	// peakPFLOPS and peakTokens are what its GPUs deliver a second at full clock; 0 for kinds that aren't known.
	peakPFLOPS, peakTokens float64
	loadShare              float64 // of a service: of its peak, now
	// Of a replica that is looked after (Service): it was ordered while the run went on, it is to go when it is idle, its copies
	// of the model, and what it delivers to requests.
	cold, leaving            bool
	copies                   []*serving.Replica
	servedPerS, servedPFLOPS float64
	swingW                   float64 // by which its synchronous steps rise over its mean power, all servers together
}

// jobs is the state of the work.
type jobs struct {
	source  workload.Source
	streams []*workload.ReplaySource
	next    workload.Job
	more    bool
	table   []job
	free    []int32
	cluster *sched.Scheduler
	wakeNS  int64 // when the scheduler is to be asked again

	preempted, deferred, held int64     // held jobs are queued but wait for their hour
	tenantS                   []float64 // GPU-seconds by tenant

	total   JobCounts
	byClass []classStat
	wait    metrics.Sample
	service []int32 // running and queued jobs whose activity follows a profile

	dirty      []int32
	queueMilli int64 // thousandths of a GPU
	allocMilli int64
}

type classStat struct {
	JobCounts
	wait metrics.Sample
	gpuS float64
	// tokens are those of its jobs up to when each was last looked at; tokensBase is of the end of the warm-up.
	tokens, tokensBase float64
}

// rates are sums over running jobs, in GPUs.
type rates struct {
	swing2                                             float64 // sum of squares of the jobs' swings: jobs don't swing together
	busy, effective, lostThermal, lostCap, lostRestart float64
	pflops, tokens, served                             float64 // a second; served are the services' part of the tokens
}

func (e *engine) initJobs() {
	e.js.cluster = e.newScheduler()
	e.js.byClass = make([]classStat, len(e.cfg.Classes))
	sources := []workload.Source{workload.Generate(e.cfg.Classes, e.cfg.Seed, e.cfg.LengthNS), workload.Replay(e.cfg.Replays)}
	for _, r := range e.cfg.Streams {
		s := r.Source()
		e.js.streams = append(e.js.streams, s)
		sources = append(sources, s)
	}
	e.js.source = workload.Merge(sources...)
	e.nextArrival()
}

// nextArrival schedules the next job of the source.
func (e *engine) nextArrival() {
	j := &e.js
	if j.next, j.more = j.source.Next(); !j.more {
		return
	}
	e.push(max(j.next.Arrival, e.now), evArrival, 0)
}

func (e *engine) arrive() {
	j := &e.js
	e.submit(j.next)
	e.nextArrival()
}

// submit takes in a job, or says why it can't be.
func (e *engine) submit(w workload.Job) {
	j := &e.js
	cl := &j.byClass[w.Class]
	j.total.Submitted++
	cl.Submitted++
	d := e.demandOf(&w)
	switch ok, overQuota := j.cluster.Admissible(w.Tenant, &d); {
	case overQuota:
		j.total.Rejected++
		cl.Rejected++
	case !ok:
		j.total.Unplaceable++
		cl.Unplaceable++
	default:
		e.enqueue(w, d)
	}
}

// enqueue gives an arriving job its place in the queue, or holds it for its hour.
func (e *engine) enqueue(w workload.Job, d sched.Demand) {
	j := &e.js
	id := j.alloc()
	t := &j.table[id]
	c := &e.cfg.Classes[w.Class]
	*t = job{
		Job: w, demand: d, size: float64(d.MilliGPUs()) / sched.Milli, shares: t.shares[:0], remainS: w.WorkS, savedS: w.WorkS,
		queuedNS: e.now, first: true, useful: 1, ckptS: math.Inf(1),
	}
	e.checkpoints(t, c)
	switch s := e.serviceOf[w.Class]; {
	case s != nil:
		t.Activity = 0 // until it serves
		s.ids = append(s.ids, id)
	case c.Profile != nil:
		t.Activity = w.Activity * c.Profile[e.hourOfWeek()]
		j.service = append(j.service, id)
	}
	j.queueMilli += d.MilliGPUs()
	j.total.Queued++
	j.byClass[w.Class].Queued++
	if wait := e.shiftOf(t, c.DeferS); wait > 0 && e.now+wait < e.cfg.LengthNS {
		j.held++
		j.deferred++
		e.push(e.now+wait, evRelease, id)
		return
	}
	j.cluster.Push(t.waiting(id))
}

// release queues a job whose hour has come.
func (e *engine) release(id int32) {
	e.js.held--
	e.js.cluster.Push(e.js.table[id].waiting(id))
}

// checkpoints sets how often a job saves its work: as its class says, else Young's interval from the
// failure rate of the servers it spans.
func (e *engine) checkpoints(t *job, c *workload.Class) {
	if math.IsInf(t.WorkS, 1) || math.IsInf(c.CheckpointS, 1) {
		return
	}
	every := c.CheckpointS
	if every == 0 {
		if c.Kind != workload.Training && c.Kind != workload.FineTuning || !(c.CheckpointCostS > 0) {
			return
		}
		perDay := e.cfg.Failures.ServerPerNodeDay
		if perDay == 0 || len(e.srv) == 0 {
			return
		}
		nodes := math.Ceil(float64(t.GPUs) / float64(e.srv[0].m.GPUs))
		every = workload.YoungS(c.CheckpointCostS, 86400/(perDay*nodes))
	}
	t.ckptS = every
	t.useful = every / (every + c.CheckpointCostS)
}

func (j *jobs) alloc() int32 {
	if n := len(j.free); n > 0 {
		id := j.free[n-1]
		j.free = j.free[:n-1]
		return id
	}
	j.table = append(j.table, job{})
	return int32(len(j.table) - 1)
}

// dispatch does what the scheduler says: starts and evictions.
func (e *engine) dispatch() {
	j := &e.js
	for {
		step, ok := j.cluster.Next(e.now)
		switch {
		case !ok:
			if at := j.cluster.WakeNS(); at > e.now && at != j.wakeNS {
				j.wakeNS = at
				e.push(at, evWake, 0)
			}
			return
		case step.Evict:
			e.preempt(step.Job)
		default:
			t := &j.table[step.Job]
			t.shares = append(t.shares[:0], step.Shares...)
			e.start(step.Job)
		}
	}
}

func (e *engine) start(id int32) {
	j := &e.js
	t := &j.table[id]
	cl := &j.byClass[t.Class]
	j.total.Queued--
	cl.Queued--
	j.total.Running++
	cl.Running++
	j.queueMilli -= t.demand.MilliGPUs()
	j.allocMilli += t.demand.MilliGPUs()
	t.running, t.startNS, t.lastNS = true, e.now, e.now
	t.ready = e.now
	if t.first {
		w := float64(e.now-t.queuedNS) / thermal.Second
		if t.Arrival >= e.cfg.WarmupNS {
			j.wait.Add(w)
			cl.wait.Add(w)
		}
		t.first = false
		if t.cold {
			t.ready = e.now + int64(e.serviceOf[t.Class].cfg.Scale.StartS*thermal.Second)
		}
	} else {
		t.ready = e.now + int64(e.cfg.Failures.RestartS*thermal.Second)
	}
	t.endAt = int64(math.MaxInt64)
	if ns := t.remainS / t.useful * thermal.Second; ns < float64(math.MaxInt64/2) {
		t.endAt = t.ready + int64(math.Ceil(ns)) // at full clock; updateRates knows better
	}
	for _, sh := range t.shares {
		s := &e.srv[sh.Server]
		s.jobs = append(s.jobs, slotShare{job: id, gpus: sh.GPUs, milli: sh.Milli, slot: sh.Slot, activity: t.Activity * t.compute()})
		s.reload()
		e.mark(sh.Server)
	}
	t.peakPFLOPS = 0
	if k := e.cfg.Classes[t.Class].Kind; k == workload.Training || k == workload.FineTuning {
		t.peakPFLOPS = t.size * t.compute() * e.srv[t.shares[0].Server].m.PeakTFLOPS * trainingMFU / 1000
	}
	e.throughput(t)
	j.markRate(id)
	e.lookAt(t)
}

// trainingMFU is the share of the dense BF16 peak that training delivers at full clock: 38–43 % for
// Llama 3 405B on 8,192 and 16,384 H100 (The Llama 3 Herd of Models, 2024).
const trainingMFU = 0.40

// reload recomputes a server's load from the jobs on it.
func (s *server) reload() {
	s.load = thermal.Load{}
	for _, sh := range s.jobs {
		if sh.milli > 0 {
			s.reloadShared()
			return
		}
		s.load.Busy += int(sh.gpus)
		s.load.USum += float64(sh.gpus) * sh.activity
		s.load.UMax = max(s.load.UMax, sh.activity)
	}
}

// reloadShared does it where jobs share GPUs: a GPU is as busy as its jobs together, each for its share.
func (s *server) reloadShared() {
	s.load = thermal.Load{}
	u := make(map[int32]float64, s.m.GPUs) // by slot; read in order of jobs, each slot once
	for _, sh := range s.jobs {
		if sh.milli == 0 {
			s.load.Busy += int(sh.gpus)
			s.load.USum += float64(sh.gpus) * sh.activity
			s.load.UMax = max(s.load.UMax, sh.activity)
			continue
		}
		u[sh.slot] += sh.activity * float64(sh.milli) / sched.Milli
	}
	for _, sh := range s.jobs {
		if x, ok := u[sh.slot]; ok && sh.milli > 0 {
			s.load.Busy++
			s.load.USum += min(x, 1)
			s.load.UMax = max(s.load.UMax, min(x, 1))
			delete(u, sh.slot)
		}
	}
}

func (j *jobs) markRate(id int32) {
	if t := &j.table[id]; !t.dirty {
		t.dirty = true
		j.dirty = append(j.dirty, id)
	}
}

// updateRates moves the finish of every job whose slowest server changed its clock.
func (e *engine) updateRates() {
	j := &e.js
	for _, id := range j.dirty {
		t := &j.table[id]
		t.dirty = false
		if !t.running {
			continue
		}
		clock, capClock := 1.0, 1.0
		for _, sh := range t.shares {
			set := e.srv[sh.Server].set
			clock = min(clock, set.Clock)
			capClock = min(capClock, set.CapClock)
		}
		rate := facility.WorkRate(t.MemoryBound, clock)
		capRate := facility.WorkRate(t.MemoryBound, capClock)
		if rate == t.rate && capRate == t.capRate && t.endOn {
			continue
		}
		e.progress(t)
		e.rate.sub(t)
		t.rate, t.capRate = rate, capRate
		t.swingW = e.swing(t)
		e.rate.add(t)
		e.scheduleEnd(id, t)
	}
	j.dirty = j.dirty[:0]
}

func (r *rates) add(t *job) { r.put(t, 1) }
func (r *rates) sub(t *job) {
	if t.rate > 0 {
		r.put(t, -1)
	}
}

func (r *rates) put(t *job, sign float64) {
	g := sign * t.size
	r.busy += g
	r.swing2 += sign * t.swingW * t.swingW
	r.effective += g * t.rate * t.useful
	r.lostCap += g * (1 - t.capRate) * t.useful
	r.lostThermal += g * (t.capRate - t.rate) * t.useful
	r.lostRestart += g * (1 - t.useful)
	r.putThroughput(t, sign)
}

// resumRates recomputes the sums, so that rounding never builds up.
func (e *engine) resumRates() {
	e.rate = rates{}
	for i := range e.js.table {
		if t := &e.js.table[i]; t.running && t.rate > 0 {
			e.rate.add(t)
		}
	}
}

// progress takes the work done since the job was last looked at.
func (e *engine) progress(t *job) {
	from := max(t.lastNS, t.ready)
	if idle := min(e.now, t.ready) - t.lastNS; idle > 0 { // restarting: nothing is done
		e.m.restartS += float64(idle) / thermal.Second * t.size * t.rate * t.useful
		e.m.again(t, float64(idle)/thermal.Second*t.tokens())
	}
	if e.now > from && t.rate > 0 {
		e.js.byClass[t.Class].tokens += float64(e.now-from) / thermal.Second * t.tokens()
		t.remainS = max(0, t.remainS-float64(e.now-from)/thermal.Second*t.rate*t.useful)
		if !math.IsInf(t.ckptS, 1) && t.ckptS > 0 {
			// Saved is what was left at the last whole interval.
			done := t.WorkS - t.remainS
			t.savedS = min(t.savedS, t.WorkS-math.Floor(done/t.ckptS)*t.ckptS)
		}
	}
	t.lastNS = e.now
}

func (e *engine) scheduleEnd(id int32, t *job) {
	at := int64(math.MaxInt64)
	if left := t.remainS / (t.rate * t.useful) * thermal.Second; left < float64(math.MaxInt64/2) {
		at = max(e.now, t.ready) + int64(math.Ceil(left))
	}
	t.endAt = at
	switch {
	case t.endOn && at < e.cfg.LengthNS:
		e.queue.Move(t.end, at)
	case t.endOn:
		e.queue.Remove(t.end)
		t.endOn = false
	default:
		t.end, t.endOn = e.push(at, evJobEnd, id)
	}
}

func (e *engine) jobEnd(id int32) {
	j := &e.js
	t := &j.table[id]
	t.endOn = false
	e.progress(t)
	e.leave(id)
	j.total.Done++
	j.byClass[t.Class].Done++
	j.free = append(j.free, id)
}

// leave takes a running job off its servers.
func (e *engine) leave(id int32) {
	j := &e.js
	t := &j.table[id]
	cl := &j.byClass[t.Class]
	j.used(t, e.now)
	e.rate.sub(t)
	if t.endOn {
		e.queue.Remove(t.end)
		t.endOn = false
	}
	j.total.Running--
	cl.Running--
	j.allocMilli -= t.demand.MilliGPUs()
	for _, sh := range t.shares {
		s := &e.srv[sh.Server]
		for k := range s.jobs {
			if s.jobs[k].job == id {
				s.jobs = append(s.jobs[:k], s.jobs[k+1:]...)
				break
			}
		}
		s.reload()
		e.mark(sh.Server)
	}
	j.cluster.Stop(id)
	t.shares = t.shares[:0]
	t.running, t.rate, t.capRate = false, 0, 0
	if e.serviceOf[t.Class] != nil {
		t.Activity, t.loadShare, t.servedPerS, t.servedPFLOPS, t.copies = 0, 0, 0, 0, nil
		t.ready = e.now
		e.lookAt(t)
	}
}

// dropJobs takes every job off a server that is lost: each is queued again from its last checkpoint if its
// class restarts, else it is lost.
func (e *engine) dropJobs(server int32) {
	j := &e.js
	s := &e.srv[server]
	for len(s.jobs) > 0 {
		id := s.jobs[len(s.jobs)-1].job
		t := &j.table[id]
		cl := &j.byClass[t.Class]
		e.progress(t)
		e.incident(jobInterrupted)
		e.leave(id)
		if !e.cfg.Classes[t.Class].Restart {
			j.total.Lost++
			cl.Lost++
			e.dropService(id)
			j.free = append(j.free, id)
			continue
		}
		e.rollBack(t)
		e.requeue(id)
	}
}

// rollBack takes a job back to its last checkpoint.
func (e *engine) rollBack(t *job) {
	if math.IsInf(t.WorkS, 1) {
		return
	}
	e.m.restartS += (t.savedS - t.remainS) * t.size
	e.m.again(t, (t.savedS-t.remainS)*t.peakTokens)
	e.js.byClass[t.Class].tokens -= (t.savedS - t.remainS) * t.peakTokens
	t.remainS = t.savedS
}

// requeue puts a job that was taken off its GPUs before the others that wait.
func (e *engine) requeue(id int32) {
	j := &e.js
	t := &j.table[id]
	t.queuedNS = e.now
	j.cluster.PushFront(t.waiting(id))
	j.queueMilli += t.demand.MilliGPUs()
	j.total.Queued++
	j.byClass[t.Class].Queued++
}

// dropService forgets a service's job that is gone for good.
func (e *engine) dropService(id int32) {
	if s := e.serviceOf[e.js.table[id].Class]; s != nil {
		s.ids = slices.DeleteFunc(s.ids, func(x int32) bool { return x == id })
		return
	}
	for k, s := range e.js.service {
		if s == id {
			e.js.service = append(e.js.service[:k], e.js.service[k+1:]...)
			return
		}
	}
}

func (e *engine) hourOfWeek() int {
	t := e.cfg.Start.Add(durationNS(e.now))
	return (int(t.Weekday()+6)%7)*24 + t.Hour()
}

// profileHour gives every service the activity of the hour.
func (e *engine) profileHour() {
	h := e.hourOfWeek()
	for _, id := range e.js.service {
		t := &e.js.table[id]
		c := &e.cfg.Classes[t.Class]
		u := c.Activity * c.Profile[h]
		if u == t.Activity {
			continue
		}
		e.reload(t, u, c.Profile[h])
		e.loadServers(id, u)
	}
	if e.anyProfile() {
		e.push(e.now+hourNS-e.now%hourNS, evProfile, 0)
	}
}

// loadServers gives the servers of a job its activity.
func (e *engine) loadServers(id int32, u float64) {
	t := &e.js.table[id]
	u *= t.compute()
	for _, sh := range t.shares {
		s := &e.srv[sh.Server]
		for k := range s.jobs {
			if s.jobs[k].job == id {
				s.jobs[k].activity = u
			}
		}
		s.reload()
		e.mark(sh.Server)
	}
}

func (e *engine) anyProfile() bool {
	for i := range e.cfg.Classes {
		if e.cfg.Classes[i].Profile != nil {
			return true
		}
	}
	return false
}

func durationNS(ns int64) time.Duration { return time.Duration(ns) }
