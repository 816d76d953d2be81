package sim

import (
	"math"

	"headroom/sim/metrics"
	"headroom/sim/perf"
	"headroom/sim/sched"
	"headroom/sim/serving"
	"headroom/sim/thermal"
	"headroom/sim/workload"
)

// Service is a class of replicas that follow their load, or that serve requests one by one.
type Service struct {
	Class int
	// Requests drive it where they are not nil; else its load is that of its class's Profile, 1 being all replicas at their peak,
	// shared by those that are ready.
	Requests *workload.RequestTrace
	// Steps is how a copy of the model goes through requests, and Copies how many copies a replica holds, by server model; nil
	// where the model isn't known there.
	Steps  []*perf.Steps
	Copies []int
	Goals  serving.Goals
	// StepNS is how often its replicas' speeds, their number and what servers draw are looked at; requests run from one such
	// moment to the next by themselves.
	StepNS int64
	Scale  *ServiceScale // nil: all replicas, always
}

// ServiceScale is how the number of replicas follows the load.
type ServiceScale struct {
	Least, Most int
	Spare       float64 // share of capacity kept free, [0, 1)
	StartS      float64 // from its GPUs to its first request: reading weights, warming up
	HoldS       float64 // a replica goes when none of this time would have needed it
}

// SLATarget is the share of requests within their goals that the figures are held against: 99.975 %, as in the contract the
// project's brief names.
const SLATarget = 0.99975

// activityStep is the change of a replica's activity that is passed on to its server; what is smaller waits for the next.
const activityStep = 0.01

// service is the state of one.
type service struct {
	cfg    *Service
	ids    []int32 // its jobs, those that leave when they are idle included
	pool   *serving.Pool
	source *workload.RequestStream
	next   serving.Request
	nextAt int64 // of the next request, MaxInt64 for none
	gridNS int64 // of its next look
	busy   float64
	wants  []want

	outs, ins   int64
	least, most int // ready replicas at looks, after the first
	looked      bool
}

// want is how many replicas a look would have had.
type want struct {
	atNS int64
	n    int
}

func (e *engine) initServices() {
	e.serviceOf = make([]*service, len(e.cfg.Classes))
	for i := range e.cfg.Services {
		c := &e.cfg.Services[i]
		s := &service{cfg: c, nextAt: math.MaxInt64}
		if c.Requests != nil {
			s.pool = serving.NewPool(c.Goals, float64(e.cfg.WarmupNS)/thermal.Second)
			s.source = c.Requests.Stream()
			s.pull()
		}
		e.serviceOf[c.Class] = s
		e.services = append(e.services, s)
		e.push(1, evService, int32(i)) // the first replicas have their servers by then
	}
}

// pull takes the next request of the trace.
func (s *service) pull() {
	q, ok := s.source.Next()
	if !ok {
		s.nextAt = math.MaxInt64
		return
	}
	s.nextAt = q.AtNS
	s.next = serving.Request{AtS: float64(q.AtNS) / thermal.Second, Prompt: float64(q.Context), Answer: float64(q.Generated)}
}

// serviceLook brings a service up to date: which replicas are ready, how many there should be, and what they do until the
// next look.
func (e *engine) serviceLook(k int32) {
	s := e.services[k]
	onGrid := e.now >= s.gridNS
	if onGrid {
		s.gridNS = (e.now/s.cfg.StepNS + 1) * s.cfg.StepNS
		e.push(s.gridNS, evService, k)
	}
	switch {
	case s.pool == nil:
		e.follow(s)
	case onGrid: // what comes between two looks is seen at the next
		e.serveRequests(s)
	}
}

// lookAt has a service whose load is a profile looked at when one of its replicas can serve, or is gone.
func (e *engine) lookAt(t *job) {
	for k, s := range e.services {
		if s == e.serviceOf[t.Class] && s.pool == nil {
			e.push(max(t.ready, e.now), evService, int32(k))
		}
	}
}

// ready lists the replicas that can serve.
func (e *engine) ready(s *service) []int32 {
	var out []int32
	for _, id := range s.ids {
		t := &e.js.table[id]
		if t.running && t.ready <= e.now && (s.pool == nil || s.cfg.Steps[e.lay.Servers[t.shares[0].Server].Model] != nil) {
			out = append(out, id)
		}
	}
	if s.looked {
		s.least, s.most = min(s.least, len(out)), max(s.most, len(out))
	} else if len(out) > 0 {
		s.least, s.most, s.looked = len(out), len(out), true
	}
	return out
}

// follow shares the load of the hour among the replicas that are ready.
func (e *engine) follow(s *service) {
	c := &e.cfg.Classes[s.cfg.Class]
	load := float64(c.Replicas)
	if c.Profile != nil {
		load *= c.Profile[e.hourOfWeek()]
	}
	e.scale(s, load)
	ready := e.ready(s)
	for _, id := range ready {
		share := math.Min(1, load/float64(len(ready)))
		e.serve(id, share, 0, 0)
	}
}

// serveRequests has the replicas work from now to the next look: what comes by then is known, so that servers draw for it
// when they do it.
func (e *engine) serveRequests(s *service) {
	until := min(s.gridNS, e.cfg.LengthNS)
	nowS, untilS := float64(e.now)/thermal.Second, float64(until)/thermal.Second
	e.scale(s, s.busy)
	e.dismiss(s)
	ready := e.ready(s)
	var copies []*serving.Replica
	for _, id := range ready {
		t := &e.js.table[id]
		model := e.lay.Servers[t.shares[0].Server].Model
		for len(t.copies) < s.cfg.Copies[model] {
			t.copies = append(t.copies, serving.NewReplica(s.cfg.Steps[model], nowS, s.pool.Done))
		}
		rate := t.rate
		if rate == 0 {
			rate = 1 // it has just started; its clock is seen at the next look
		}
		for _, r := range t.copies {
			r.SetRate(rate)
			r.Closed = t.leaving
			r.Reset()
		}
		copies = append(copies, t.copies...)
	}
	s.pool.SetReplicas(copies, nowS)
	offered := 0.0
	for s.nextAt < until {
		s.pool.Offer(s.next)
		offered += e.workOf(s, &s.next)
		s.pull()
	}
	s.pool.Advance(untilS)
	dt := untilS - nowS
	for _, id := range ready {
		t := &e.js.table[id]
		st := s.cfg.Steps[e.lay.Servers[t.shares[0].Server].Model]
		var read, wrote float64
		for _, r := range t.copies {
			read, wrote = read+r.Read, wrote+r.Wrote
		}
		work := (read*st.ReadWorkS + wrote*st.WriteWorkS) / float64(len(t.copies)) / dt
		e.serve(id, work, wrote/dt, (read+wrote)*st.PFLOPPerToken/dt)
	}
	// How many replicas the step would have kept busy, and what waits over the time that another would take to come.
	s.busy = offered / dt
	if s.cfg.Scale != nil {
		wait := math.Max(s.cfg.Scale.StartS, dt)
		s.busy += s.pool.Lined(func(q *serving.Request) float64 { return e.workOf(s, q) }) / wait
	}
}

// workOf is a request's work in seconds of a whole replica, of the first server model that has the service's.
func (e *engine) workOf(s *service, q *serving.Request) float64 {
	for i, st := range s.cfg.Steps {
		if st != nil {
			return (q.Prompt*st.ReadWorkS + q.Answer*st.WriteWorkS) / float64(s.cfg.Copies[i])
		}
	}
	return 0
}

// scale orders or dismisses replicas so that their number follows the load, in replicas kept busy.
func (e *engine) scale(s *service, busy float64) {
	c := s.cfg.Scale
	if c == nil {
		return
	}
	n := min(max(int(math.Ceil(busy/(1-c.Spare)-1e-9)), c.Least), c.Most)
	s.wants = append(s.wants, want{e.now, n})
	for len(s.wants) > 1 && s.wants[1].atNS <= e.now-int64(c.HoldS*thermal.Second) {
		s.wants = s.wants[1:]
	}
	target := n
	for _, w := range s.wants {
		target = max(target, w.n)
	}
	have := 0
	for _, id := range s.ids {
		if !e.js.table[id].leaving {
			have++
		}
	}
	for i := 0; i < len(s.ids) && have < target; i++ { // those that were to leave stay
		if t := &e.js.table[s.ids[i]]; t.leaving {
			t.leaving = false
			have++
			s.outs++
		}
	}
	for ; have < target; have++ {
		s.outs++
		e.orderReplica(s)
	}
	for i := len(s.ids) - 1; i >= 0 && have > target; i-- { // those that still wait for GPUs first, then the latest
		if t := &e.js.table[s.ids[i]]; !t.running && !t.leaving {
			have--
			s.ins++
			e.withdraw(s.ids[i])
		}
	}
	for i := len(s.ids) - 1; i >= 0 && have > target; i-- {
		if t := &e.js.table[s.ids[i]]; !t.leaving {
			have--
			s.ins++
			if t.leaving = true; s.pool == nil {
				e.endReplica(s.ids[i])
			}
		}
	}
}

// dismiss ends replicas that are to leave and have nothing left to do.
func (e *engine) dismiss(s *service) {
	for i := len(s.ids) - 1; i >= 0; i-- {
		t := &e.js.table[s.ids[i]]
		if t.leaving && !t.running { // it lost its server
			e.withdraw(s.ids[i])
			continue
		}
		idle := t.leaving
		for _, r := range t.copies {
			idle = idle && r.Len() == 0
		}
		if idle {
			e.endReplica(s.ids[i])
		}
	}
}

// orderReplica submits one more.
func (e *engine) orderReplica(s *service) {
	c := &e.cfg.Classes[s.cfg.Class]
	w := workload.Job{
		Class: int32(s.cfg.Class), Arrival: e.now, GPUs: int32(c.GPUs[0].GPUs), Types: c.Types, Tenant: c.Tenant, Priority: c.Priority,
		WorkS: math.Inf(1), Activity: c.Activity, MemoryBound: c.MemoryBound, Milli: c.Milli,
	}
	if w.Milli >= sched.Milli {
		w.Milli = 0
	}
	before := len(s.ids)
	e.submit(w)
	if len(s.ids) > before {
		e.js.table[s.ids[before]].cold = true
	}
}

// endReplica takes a running replica off its GPUs: its work is done.
func (e *engine) endReplica(id int32) {
	j := &e.js
	t := &j.table[id]
	e.progress(t)
	e.leave(id)
	j.total.Done++
	j.byClass[t.Class].Done++
	e.dropService(id)
	j.free = append(j.free, id)
}

// withdraw takes a replica that still waits out of the queue.
func (e *engine) withdraw(id int32) {
	j := &e.js
	t := &j.table[id]
	j.cluster.Withdraw(id)
	j.queueMilli -= t.demand.MilliGPUs()
	j.total.Queued--
	j.total.Killed++
	j.byClass[t.Class].Queued--
	j.byClass[t.Class].Killed++
	e.dropService(id)
	j.free = append(j.free, id)
}

// serve has a replica do a share of its peak until the next look; tokens and PFLOP a second where requests drive it.
func (e *engine) serve(id int32, share, tokensPerS, pflops float64) {
	t := &e.js.table[id]
	c := &e.cfg.Classes[t.Class]
	u := c.Activity * math.Min(1, share)
	if math.Abs(u-t.Activity) < activityStep && (u == 0) == (t.Activity == 0) {
		u = t.Activity
	}
	changed := u != t.Activity
	if !changed && share == t.loadShare && tokensPerS == t.servedPerS {
		return
	}
	if t.rate > 0 {
		e.progress(t)
		e.rate.sub(t)
	}
	t.Activity, t.loadShare, t.servedPerS, t.servedPFLOPS = u, share, tokensPerS, pflops
	if t.rate > 0 {
		e.rate.add(t)
	}
	if changed {
		e.loadServers(id, u)
	}
}

// ServiceResult is what a service gave its users. Requests are those that came after the warm-up.
type ServiceResult struct {
	Class         string `json:"class"`
	Requests      Num    `json:"requests"` // null where the load is a profile, not requests
	Ended         Num    `json:"ended"`
	Within        Num    `json:"within_goals"`
	Refused       Num    `json:"refused"` // too long for a replica's cache
	Retried       Num    `json:"retried"` // begun again because their replica went away
	SLAAttainment Num    `json:"sla_attainment"`
	SLATarget     Num    `json:"sla_target"`
	FirstTokenS   Tail   `json:"first_token_s"`
	PerTokenS     Tail   `json:"per_token_s"`
	FirstGoalS    Num    `json:"first_token_goal_s"`
	PerGoalS      Num    `json:"per_token_goal_s"`
	LongestQueue  Num    `json:"longest_queue"`  // requests
	ReplicasLeast Num    `json:"replicas_least"` // ready at once
	ReplicasMost  Num    `json:"replicas_most"`
	ReplicasMean  Num    `json:"replicas_mean"` // on GPUs
	ScaledOut     int64  `json:"scaled_out"`
	ScaledIn      int64  `json:"scaled_in"`
	StepS         Num    `json:"step_s"`
}

// Tail is a distribution over requests; its bins are 0.9 % wide.
type Tail struct {
	P50 Num `json:"p50"`
	P95 Num `json:"p95"`
	P99 Num `json:"p99"`
}

func tail(h *metrics.Histogram) Tail {
	at := func(p float64) Num { return Num(math.Pow(10, float64(h.Quantile(p)))) }
	return Tail{at(0.5), at(0.95), at(0.99)}
}

// servicesResult reads what services gave; asked and within are answer tokens of those that requests drive.
func (e *engine) servicesResult() (rows []ServiceResult, asked, within float64) {
	u := metrics.Unknown
	rows = []ServiceResult{}
	hours := float64(e.cfg.LengthNS) / thermal.Second / sPerH
	for _, s := range e.services {
		c := &e.cfg.Classes[s.cfg.Class]
		row := ServiceResult{
			Class: c.Name, Requests: u, Ended: u, Within: u, Refused: u, Retried: u, SLAAttainment: u, SLATarget: SLATarget,
			FirstTokenS: Tail{u, u, u}, PerTokenS: Tail{u, u, u}, FirstGoalS: Num(s.cfg.Goals.FirstTokenS), PerGoalS: Num(s.cfg.Goals.PerTokenS), LongestQueue: u,
			ReplicasLeast: Num(s.least), ReplicasMost: Num(s.most), ReplicasMean: u, ScaledOut: s.outs, ScaledIn: s.ins, StepS: Num(float64(s.cfg.StepNS) / thermal.Second),
		}
		gpuH := e.js.byClass[s.cfg.Class].gpuS / sPerH
		row.ReplicasMean = ratio(gpuH/hours, float64(c.GPUs[0].GPUs))
		if s.pool != nil {
			st := &s.pool.Stats
			_, late, lateTokens := s.pool.Open(float64(e.cfg.LengthNS) / thermal.Second)
			row.Requests, row.Ended, row.Within = Num(st.Requests), Num(st.Ended), Num(st.Within)
			row.Refused, row.Retried, row.LongestQueue = Num(st.TooLong), Num(st.Retried), Num(st.LongestLine)
			row.FirstTokenS, row.PerTokenS = tail(st.First), tail(st.Per)
			row.SLAAttainment = ratio(float64(st.Within), float64(st.Ended+st.TooLong+late))
			asked += st.EndedTok + st.TooLongTok + lateTokens
			within += st.WithinTok
		}
		rows = append(rows, row)
	}
	return rows, asked, within
}
