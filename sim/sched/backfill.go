package sched

import (
	"cmp"
	"math"
	"slices"
)

// ending is a running job and when it is expected to end.
type ending struct {
	at  int64
	run int32
}

// endings are the running jobs that are expected to end, soonest first; one that is late, a moment from now.
func (s *Scheduler) endings(now int64) []ending {
	var list []ending
	for i := range s.run {
		if at := s.work.EndNS(s.run[i].Job); at < math.MaxInt64 {
			list = append(list, ending{max(at, now+1), int32(i)})
		}
	}
	slices.SortFunc(list, func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(s.run[a.run].seq, s.run[b.run].seq))
	})
	return list
}

// endOf is when a job that starts now ends, MaxInt64 for one that has no end.
func (w *Waiting) endOf(now int64) int64 {
	ns := w.WorkS * 1e9
	if !(ns < float64(math.MaxInt64/2)) || now > math.MaxInt64/2 {
		return math.MaxInt64
	}
	return now + max(1, int64(math.Ceil(ns)))
}

// fill finds a job behind the head, which waits for its GPUs, that may start now.
func (s *Scheduler) fill(now int64, head int) (Step, bool) {
	behind := s.queue(head)
	if len(behind) == 0 {
		return Step{}, false
	}
	if s.rules.Backfill == Conservative {
		return s.conservative(now, head, behind)
	}
	return s.easy(now, head, behind)
}

// easy starts the first job that ends before the head can start, or that leaves it what it needs then. The head's start is
// that of running jobs ending when they are expected to.
func (s *Scheduler) easy(now int64, head int, behind []int32) (Step, bool) {
	shadow := int64(math.MaxInt64)
	later := s.account.Clone()
	d := s.work.Demand(s.list[head].Job)
	list := s.endings(now)
	for k := 0; k < len(list); k++ {
		r := &s.run[list[k].run]
		later.Release(s.work.Demand(r.Job), r.shares)
		if k+1 < len(list) && list[k+1].at == list[k].at {
			continue
		}
		if _, ok := later.Place(d, nil); ok {
			shadow = list[k].at
			break
		}
	}
	// both is what is free now and stays free beside the head.
	var both Account
	for _, i := range behind {
		w := &s.list[i]
		if s.quotas && !s.usage.within(w.Tenant, w.MilliGPUs) {
			continue
		}
		demand := s.work.Demand(w.Job)
		if w.endOf(now) <= shadow || shadow == math.MaxInt64 {
			if step, ok := s.try(int(i)); ok {
				s.Backfills++
				return step, true
			}
			continue
		}
		if both == nil {
			both = s.account.Clone()
			both.Meet(later)
		}
		shares, ok := both.Place(demand, s.shares[:0])
		s.shares = shares[:0]
		if ok {
			s.account.Book(demand, shares)
			s.Backfills++
			return s.started(int(i), shares), true
		}
	}
	return Step{}, false
}

// slice is what is free from a time on.
type slice struct {
	from int64
	free Account
}

// conservative gives the head, and each job behind it, the earliest start that leaves the jobs before it theirs, and
// starts the first whose start is now. The plan names servers and is made anew each time: the head's start never moves
// back; where servers have several GPUs, that of a job behind it may, when what was planned together is planned apart.
func (s *Scheduler) conservative(now int64, head int, behind []int32) (Step, bool) {
	future := s.future(now, s.work.Demand(s.list[head].Job))
	for _, i := range append([]int32{int32(head)}, behind...) {
		w := &s.list[i]
		if s.quotas && !s.usage.within(w.Tenant, w.MilliGPUs) {
			continue
		}
		demand := s.work.Demand(w.Job)
		k, shares, ok := reserve(future, w, demand, s.shares[:0])
		if !ok {
			continue
		}
		s.shares = shares[:0]
		if k == 0 && int(i) != head {
			s.account.Book(demand, shares)
			s.Backfills++
			return s.started(int(i), shares), true
		}
		end := w.endOf(future[k].from)
		m := k
		for m < len(future) && future[m].from < end {
			m++
		}
		if end < math.MaxInt64 && (m == len(future) || future[m].from > end) {
			future = slices.Insert(future, m, slice{end, future[m-1].free.Clone()})
		}
		for j := k; j < m; j++ {
			future[j].free.Book(demand, shares)
		}
	}
	return Step{}, false
}

// planBefore and planAfter bound the plan: slices up to the start of the head and beyond it.
const planBefore, planAfter = 48, 16

// future is what is free from now on, as running jobs end. The start of the head is exact. Of many ends before it some are
// taken together at the last of them, and those far beyond it are left out: GPUs then count as free later than they are, so
// that no job is let past the head by mistake, and jobs that could only be planned further on aren't.
func (s *Scheduler) future(now int64, head *Demand) []slice {
	list := s.endings(now)
	free := s.account.Clone()
	at := len(list) // of the end at which the head fits
	for k := range list {
		r := &s.run[list[k].run]
		free.Release(s.work.Demand(r.Job), r.shares)
		if k+1 < len(list) && list[k+1].at == list[k].at {
			continue
		}
		if _, ok := free.Place(head, nil); ok {
			at = k
			break
		}
	}
	future := []slice{{now, s.account.Clone()}}
	free = s.account.Clone()
	every := 1 + at/planBefore
	for k := range min(len(list), at+1+planAfter) {
		r := &s.run[list[k].run]
		free.Release(s.work.Demand(r.Job), r.shares)
		together := k+1 < len(list) && list[k+1].at == list[k].at
		if k == at || !together && (k > at || (k+1)%every == 0) {
			future = append(future, slice{list[k].at, free.Clone()})
		}
	}
	return future
}

// reserve finds the earliest slice from which a job has GPUs for as long as it runs.
func reserve(future []slice, w *Waiting, d *Demand, dst []Share) (int, []Share, bool) {
	for k := range future {
		shares, ok := future[k].free.Place(d, dst)
		if !ok {
			continue
		}
		future[k].free.Release(d, shares)
		end := w.endOf(future[k].from)
		if k+1 == len(future) || future[k+1].from >= end {
			return k, shares, true
		}
		all := future[k].free.Clone()
		for j := k + 1; j < len(future) && future[j].from < end; j++ {
			if all.Meet(future[j].free); all.FreeMilli() < d.MilliGPUs() {
				break
			}
		}
		if shares, ok := all.Place(d, dst); ok {
			return k, shares, true
		}
	}
	return 0, dst, false
}
