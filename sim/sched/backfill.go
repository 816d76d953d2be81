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

// fill finds a job behind the head, which waits for its GPUs, that may start now.
func (s *Scheduler) fill(now int64, head int) (Step, bool) {
	behind := s.queue(head)
	if len(behind) == 0 {
		return Step{}, false
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
		if endOf(now, w.length()) <= shadow || shadow == math.MaxInt64 {
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
