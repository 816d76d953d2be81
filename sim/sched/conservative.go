package sched

import (
	"math"
	"slices"
)

// plan is what conservative backfill has promised: each job that it looks at, in the order of the queue, has the earliest
// start that leaves the jobs before it theirs, and servers by name. It is kept between events. A job that arrives at the end
// is added; one that ends when it was expected to changes nothing. Whatever else happens, an end before or after its time, a
// server that goes or comes, a job put in front, has the plan made again from there on.
type plan struct {
	profile *profile
	jobs    []*span // of waiting jobs in the order of the queue; from is MaxInt64 for one that can't be planned
	seq     []int64 // of those jobs
	run     []*span // of running jobs by job number, nil for none
	valid   int     // of jobs, those whose plan holds
	stale   bool    // everything is to be planned anew
	ended   []int64 // when the jobs that ended since were expected to
	spare   []*span // to be used again
	starts  bool    // a job starts as planned
}

// dueNS is how much before its time a planned job may start: ends are computed in floating point and come some nanoseconds
// early or late.
const dueNS = 1000

// length is how long a job runs, MaxInt64 for one that has no end.
func (w *Waiting) length() int64 {
	ns := w.WorkS * 1e9
	if !(ns < float64(math.MaxInt64/2)) {
		return math.MaxInt64
	}
	return max(1, int64(math.Ceil(ns)))
}

func (p *plan) take() *span {
	if n := len(p.spare); n > 0 {
		x := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return x
	}
	return &span{}
}

// started notes a running job.
func (p *plan) started(job int32, x *span) {
	for int(job) >= len(p.run) {
		p.run = append(p.run, nil)
	}
	p.run[job] = x
}

// stopped forgets a running job.
func (p *plan) stopped(job int32) {
	if int(job) >= len(p.run) || p.run[job] == nil {
		return
	}
	x := p.run[job]
	p.run[job] = nil
	if p.profile == nil {
		return
	}
	p.ended = append(p.ended, x.to)
	p.profile.remove(x)
	p.spare = append(p.spare, x)
}

// cut has the plan made again from the n-th job on.
func (p *plan) cut(n int) { p.valid = min(p.valid, n) }

// promises says whether any waiting job has servers promised.
func (p *plan) promises() bool { return len(p.jobs) > 0 }

// conservative starts the first job whose time has come, as planned.
func (s *Scheduler) conservative(now int64) (Step, bool) {
	p := &s.plan
	if s.quotas || s.rules.Order.Live {
		p.stale = true // who is next, or may start at all, changes with every start
	}
	for _, to := range p.ended {
		if to > now+dueNS && p.promises() {
			p.stale = true
		}
	}
	p.ended = p.ended[:0]
	if s.Len() == 1 && !p.promises() { // nobody waits besides: it goes where its policy has it
		if step, ok := s.startFree(now); ok {
			return step, true
		}
	}
	for again := false; ; again = true {
		s.replan(now)
		late, soon := false, -1
		for k, x := range p.jobs {
			switch d := &x.demand; {
			case x.from > now+dueNS:
			case x.from > now:
				if soon < 0 || x.from < p.jobs[soon].from {
					soon = k
				}
			case s.account.HasFree(d, x.shares):
				return s.startPlanned(now, k), true
			default:
				late = true
			}
		}
		if !late && soon >= 0 && s.account.HasFree(&p.jobs[soon].demand, p.jobs[soon].shares) {
			return s.startPlanned(now, soon), true
		}
		// What was promised isn't free: a job runs longer than was expected, or its server is gone.
		if !late || again {
			return Step{}, false
		}
		p.stale = true
	}
}

// startPlanned starts the k-th job of the plan.
func (s *Scheduler) startPlanned(now int64, k int) Step {
	p := &s.plan
	x, i := p.jobs[k], s.placeOf(p.seq[k])
	if k > 0 {
		s.Backfills++
	}
	length := s.list[i].length()
	s.account.Book(&x.demand, x.shares)
	p.jobs, p.seq = slices.Delete(p.jobs, k, k+1), slices.Delete(p.seq, k, k+1)
	p.valid--
	if x.from != now {
		p.profile.remove(x)
		x.from, x.to = now, endOf(now, length)
		p.profile.add(x)
	}
	s.shares = append(s.shares[:0], x.shares...)
	p.starts = true
	step := s.started(i, s.shares)
	p.starts = false
	p.started(x.job, x)
	return step
}

// startFree starts the only job that waits, if it can.
func (s *Scheduler) startFree(now int64) (Step, bool) {
	p := &s.plan
	i := s.first()
	if i < 0 {
		return Step{}, false
	}
	length := s.list[i].length()
	p.starts = true
	step, ok := s.try(i)
	if p.starts = false; ok && p.profile != nil {
		x := p.span(step.Job)
		x.job, x.from, x.to, x.demand = step.Job, now, endOf(now, length), *s.work.Demand(step.Job)
		x.shares = append(x.shares[:0], step.Shares...)
		p.profile.add(x)
	}
	return step, ok
}

// placeOf is the place of a waiting job by its number in the queue.
func (s *Scheduler) placeOf(seq int64) int {
	for i := s.head; i < len(s.list); i++ {
		if s.list[i].seq == seq {
			return i
		}
	}
	panic("sched: a planned job doesn't wait")
}

// replan makes the plan hold: of all jobs when it is stale, else of those after the last that has one.
func (s *Scheduler) replan(now int64) {
	p := &s.plan
	if p.stale || p.profile == nil {
		s.planAnew(now)
	}
	for _, x := range p.jobs[p.valid:] {
		if x.from < math.MaxInt64 {
			p.profile.remove(x)
		}
		p.spare = append(p.spare, x)
	}
	p.jobs, p.seq = p.jobs[:p.valid], p.seq[:p.valid]
	queue := s.inOrder(p.valid, s.rules.Depth+1)
	for _, i := range queue {
		w := &s.list[i]
		x := p.take()
		x.job, x.demand = w.Job, *s.work.Demand(w.Job)
		var ok bool
		length := w.length()
		x.from, x.shares, ok = p.profile.earliest(now, &x.demand, length, x.shares[:0])
		if ok {
			x.to = endOf(x.from, length)
			p.profile.add(x)
		} else {
			x.from, x.to = math.MaxInt64, math.MaxInt64
		}
		p.jobs, p.seq = append(p.jobs, x), append(p.seq, w.seq)
	}
	p.valid = len(p.jobs)
}

// planAnew begins with the running jobs, that are expected to end when they say now; one that is late, a moment from now.
func (s *Scheduler) planAnew(now int64) {
	p := &s.plan
	p.spare = append(p.spare, p.jobs...)
	p.profile = newProfile(s.account.Clone(), s.account.Servers())
	p.jobs, p.seq, p.valid, p.stale, p.ended = p.jobs[:0], p.seq[:0], 0, false, p.ended[:0]
	for i := range s.run {
		r := &s.run[i]
		x := p.span(r.Job)
		x.job, x.from, x.to, x.demand = r.Job, now, max(s.work.EndNS(r.Job), now+1), *s.work.Demand(r.Job)
		x.shares = append(x.shares[:0], r.shares...)
		p.profile.add(x)
	}
}

// span is that of a running job, a new one where it has none.
func (p *plan) span(job int32) *span {
	if int(job) < len(p.run) && p.run[job] != nil {
		return p.run[job]
	}
	x := p.take()
	p.started(job, x)
	return x
}

// inOrder is the places of waiting jobs in the order of the queue, from the n-th up to the most-th, of those whose tenants
// are within their quotas.
func (s *Scheduler) inOrder(n, most int) []int32 {
	var at []int32
	if s.rules.Order.Live {
		if first := s.first(); first >= 0 {
			at = append([]int32{int32(first)}, s.queue(first)...)
		}
	} else {
		for i := s.head + n; i < len(s.list) && len(at) < most-n; i++ {
			at = append(at, int32(i))
		}
	}
	if s.quotas {
		at = slices.DeleteFunc(at, func(i int32) bool { return !s.usage.within(s.list[i].Tenant, s.list[i].MilliGPUs) })
	}
	return at
}
