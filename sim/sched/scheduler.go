package sched

import (
	"cmp"
	"math"
	"slices"
)

// Backfill says whether jobs behind one that waits for its GPUs may start before it.
type Backfill uint8

// Kinds of backfill.
const (
	NoBackfill   Backfill = iota // none: the queue waits for its head
	EASY                         // those that don't delay the head
	Conservative                 // those that delay no job before them, by a plan of all it looks at
)

// Rules are how a queue is run.
type Rules struct {
	Order    Order
	Backfill Backfill
	// Depth is how many jobs behind the head backfill looks at, 0: DefaultDepth.
	Depth int
	// Preempt lets a job that waits take the GPUs of running spot jobs of lower priority.
	Preempt bool
	// GangTimeoutNS is how long the queue waits for all GPUs of its head; then the head goes to the end of the queue.
	// 0: as long as it takes.
	GangTimeoutNS int64
	Tenants       []Tenant
}

// DefaultDepth bounds what backfill looks at, so that a long queue costs no more than a short one. Slurm's default is the
// same (bf_max_job_test, 100 before release 20.11).
const DefaultDepth = 100

// Work is what the scheduler asks about jobs, by the numbers they were pushed with.
type Work interface {
	Demand(job int32) *Demand
	EndNS(job int32) int64 // when a running job is expected to end; MaxInt64 where it isn't
	Spot(job int32) bool   // whether a running job may be preempted
}

// Step is one thing to do now.
type Step struct {
	Job    int32
	Evict  bool    // take the running job off its GPUs; else start it
	Shares []Share // of a job that starts, booked already; valid until the next call
}

// Scheduler holds the jobs that wait and those that run, and says what to do next. Jobs are small numbers that may be used
// again once a job is gone.
type Scheduler struct {
	rules   Rules
	work    Work
	account Account
	usage   Usage
	quotas  bool

	list []Waiting // in order from head on, or in order of arrival for a live order
	head int
	seq  int64 // of the next job at the end
	fore int64 // of the next job put back in front

	run   []running
	where []int32 // place in run by job, −1 for none

	changed  bool // since Next last found nothing to do
	blocked  int64
	blocking int64 // seq of the head that is blocked, since blocked
	steps    []Step
	shares   []Share
	starts   int64
	plan     plan // of conservative backfill

	Timeouts  int64 // heads sent to the end of the queue
	Backfills int64 // jobs started before one that waited longer
}

type running struct {
	Waiting
	started int64 // order of starts
	shares  []Share
}

// New makes an empty scheduler.
func New(a Account, w Work, r Rules) *Scheduler {
	if r.Order.Key == nil {
		r.Order = Orders{}.Fifo()
	}
	if r.Depth <= 0 {
		r.Depth = DefaultDepth
	}
	s := &Scheduler{rules: r, work: w, account: a, usage: Usage{Tenants: r.Tenants}, blocking: math.MinInt64}
	for _, t := range r.Tenants {
		s.quotas = s.quotas || t.QuotaMilli > 0
	}
	return s
}

// Account is what is free.
func (s *Scheduler) Account() Account { return s.account }

// Len is the number of jobs waiting.
func (s *Scheduler) Len() int { return len(s.list) - s.head }

// Usage is what tenants hold.
func (s *Scheduler) Usage() *Usage { return &s.usage }

// Admissible says whether a job could ever start, and if not, whether it is its tenant's quota that keeps it out.
func (s *Scheduler) Admissible(tenant int32, d *Demand) (ok, overQuota bool) {
	if int(tenant) < len(s.usage.Tenants) {
		if q := s.usage.Tenants[tenant].QuotaMilli; q > 0 && d.MilliGPUs() > q {
			return false, true
		}
	}
	return s.account.CanEver(d), false
}

// Push puts a job at the end of those with its key.
func (s *Scheduler) Push(w Waiting) {
	w.seq = s.seq
	s.seq++
	s.insert(w)
}

// Withdraw takes a job that waits out of the queue.
func (s *Scheduler) Withdraw(job int32) {
	if i := s.find(job); i >= 0 {
		if s.list[i].seq == s.blocking {
			s.blocking = math.MinInt64
		}
		s.remove(i)
		s.changed = true
	}
}

// PushFront puts a job before those with its key, as for one that lost its server and is not to lose its turn.
func (s *Scheduler) PushFront(w Waiting) {
	s.fore--
	w.seq = s.fore
	s.insert(w)
}

func (s *Scheduler) insert(w Waiting) {
	s.changed = true
	if !s.rules.Order.Live {
		w.key = s.rules.Order.Key(&w, &s.usage)
	}
	n := len(s.list)
	if n == s.head {
		s.list, s.head = append(s.list[:0], w), 0
		return
	}
	if last := &s.list[n-1]; !w.before(last) {
		s.list = append(s.list, w)
		return
	}
	i, _ := slices.BinarySearchFunc(s.list[s.head:], w, func(a, b Waiting) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	s.plan.cut(i)
	if i == 0 && s.head > 0 {
		s.head--
		s.list[s.head] = w
		return
	}
	s.list = slices.Insert(s.list, s.head+i, w)
}

func (w *Waiting) before(o *Waiting) bool {
	if w.key != o.key {
		return w.key < o.key
	}
	return w.seq < o.seq
}

// Stop takes a job that runs off its GPUs, because it ended, lost a server or was evicted.
func (s *Scheduler) Stop(job int32) {
	k := s.where[job]
	r := &s.run[k]
	s.account.Release(s.work.Demand(job), r.shares)
	s.usage.add(r.Tenant, -r.MilliGPUs)
	s.plan.stopped(job)
	last := len(s.run) - 1
	s.run[k], s.run[last] = s.run[last], s.run[k] // the shares' memory is kept for the next job
	s.where[s.run[k].Job] = k
	s.where[job] = -1
	s.run = s.run[:last]
	s.changed = true
}

// Next is the next thing to do at this instant; false when there is nothing. The caller does each step before it asks
// again: Stop and perhaps Push for a job that is evicted.
func (s *Scheduler) Next(now int64) (Step, bool) {
	if len(s.steps) > 0 {
		step := s.steps[0]
		s.steps = s.steps[1:]
		if step.Evict {
			return step, true
		}
		// The GPUs of those evicted are free now.
		if i := s.find(step.Job); i >= 0 {
			if step, ok := s.try(i); ok {
				return step, true
			}
		}
	}
	if !s.changed && !s.late(now) {
		return Step{}, false
	}
	planned := s.rules.Backfill == Conservative
	for {
		if planned {
			if step, ok := s.conservative(now); ok {
				return step, true
			}
		}
		i := s.first()
		if i < 0 {
			break
		}
		if !planned {
			if step, ok := s.try(i); ok {
				return step, true
			}
		}
		w := s.list[i]
		if s.rules.Preempt {
			if step, ok := s.preempt(&w); ok {
				return step, true
			}
		}
		if s.blocking != w.seq {
			s.blocking, s.blocked = w.seq, now
		}
		if s.late(now) && s.Len() > 1 {
			s.remove(i)
			s.Timeouts++
			s.Push(w)
			s.blocking = math.MinInt64
			continue
		}
		if s.rules.Backfill == EASY {
			if step, ok := s.fill(now, i); ok {
				return step, true
			}
		}
		break
	}
	s.changed = false
	return Step{}, false
}

// late says whether the head has had its time.
func (s *Scheduler) late(now int64) bool {
	return s.rules.GangTimeoutNS > 0 && s.blocking != math.MinInt64 && s.Len() > 1 && now-s.blocked >= s.rules.GangTimeoutNS
}

// WakeNS is when Next has something to do though nothing else happens; 0: never.
func (s *Scheduler) WakeNS() int64 {
	if s.rules.GangTimeoutNS == 0 || s.blocking == math.MinInt64 || s.Len() < 2 {
		return 0
	}
	return s.blocked + s.rules.GangTimeoutNS
}

// find is the place of a waiting job, −1 when it doesn't wait.
func (s *Scheduler) find(job int32) int {
	for i := s.head; i < len(s.list); i++ {
		if s.list[i].Job == job {
			return i
		}
	}
	return -1
}

// first is the place of the job that is next, of those whose tenants are within their quota; −1 when there is none.
func (s *Scheduler) first() int {
	if !s.rules.Order.Live {
		for i := s.head; i < len(s.list); i++ {
			if !s.quotas || s.usage.within(s.list[i].Tenant, s.list[i].MilliGPUs) {
				return i
			}
		}
		return -1
	}
	best, least := -1, 0.0
	for i := s.head; i < len(s.list); i++ {
		w := &s.list[i]
		if s.quotas && !s.usage.within(w.Tenant, w.MilliGPUs) {
			continue
		}
		if key := s.rules.Order.Key(w, &s.usage); best < 0 || key < least {
			best, least = i, key
		}
	}
	return best
}

// try starts a waiting job if its GPUs are free.
func (s *Scheduler) try(i int) (Step, bool) {
	w := &s.list[i]
	shares, ok := s.account.Place(s.work.Demand(w.Job), s.shares[:0])
	s.shares = shares[:0]
	if !ok {
		return Step{}, false
	}
	return s.started(i, shares), true
}

// started moves a job from those that wait to those that run.
func (s *Scheduler) started(i int, shares []Share) Step {
	w := s.list[i]
	s.remove(i)
	s.usage.add(w.Tenant, w.MilliGPUs)
	if n := len(s.run); n < cap(s.run) {
		s.run = s.run[:n+1]
	} else {
		s.run = append(s.run, running{})
	}
	r := &s.run[len(s.run)-1]
	s.starts++
	r.Waiting, r.started, r.shares = w, s.starts, append(r.shares[:0], shares...)
	for int(w.Job) >= len(s.where) {
		s.where = append(s.where, -1)
	}
	s.where[w.Job] = int32(len(s.run) - 1)
	if w.seq == s.blocking {
		s.blocking = math.MinInt64
	}
	s.changed = true
	if !s.plan.starts {
		s.plan.stale = true
	}
	return Step{Job: w.Job, Shares: shares}
}

func (s *Scheduler) remove(i int) {
	if !s.plan.starts {
		s.plan.cut(i - s.head)
	}
	if i-s.head < len(s.list)-i { // those before it move up: in a long queue they are the fewer
		copy(s.list[s.head+1:i+1], s.list[s.head:i])
		s.head++
		if s.head == len(s.list) {
			s.list, s.head = s.list[:0], 0
		} else if s.head > 1024 && s.head > len(s.list)/2 {
			s.list, s.head = append(s.list[:0], s.list[s.head:]...), 0
		}
		return
	}
	s.list = slices.Delete(s.list, i, i+1)
}

// queue is the places of the waiting jobs after the one at head, in order, as many as backfill looks at.
func (s *Scheduler) queue(head int) []int32 {
	var at []int32
	if !s.rules.Order.Live {
		for i := head + 1; i < len(s.list) && len(at) < s.rules.Depth; i++ {
			at = append(at, int32(i))
		}
		return at
	}
	key := make([]float64, len(s.list))
	for i := s.head; i < len(s.list); i++ {
		if i != head {
			at = append(at, int32(i))
			key[i] = s.rules.Order.Key(&s.list[i], &s.usage)
		}
	}
	slices.SortStableFunc(at, func(a, b int32) int { return cmp.Compare(key[a], key[b]) })
	return at[:min(len(at), s.rules.Depth)]
}

// SetUp says whether a server is up.
func (s *Scheduler) SetUp(server int, up bool) {
	s.account.SetUp(server, up)
	s.changed, s.plan.stale = true, true
}

// Up is the number of GPUs on servers that are up.
func (s *Scheduler) Up() int64 { return s.account.Up() }

// Total is the number of GPUs installed.
func (s *Scheduler) Total() int64 { return s.account.Total() }
