package sched

import (
	"cmp"
	"slices"
)

// preempt finds running spot jobs of lower priority without which a job could start now: those of the lowest priority
// first, of these the ones that started last, and none that isn't needed. It returns the first to evict; the others and the
// start follow from Next.
func (s *Scheduler) preempt(w *Waiting) (Step, bool) {
	var victims []int32
	for i := range s.run {
		if r := &s.run[i]; r.Priority < w.Priority && s.work.Spot(r.Job) {
			victims = append(victims, int32(i))
		}
	}
	if len(victims) == 0 {
		return Step{}, false
	}
	slices.SortFunc(victims, func(a, b int32) int {
		x, y := &s.run[a], &s.run[b]
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), cmp.Compare(y.started, x.started))
	})
	demand := s.work.Demand(w.Job)
	fits := func(without []int32) bool {
		a := s.account.Clone()
		for _, v := range without {
			a.Release(s.work.Demand(s.run[v].Job), s.run[v].shares)
		}
		_, ok := a.Place(demand, nil)
		return ok
	}
	n := 1
	for ; n < len(victims) && !fits(victims[:n]); n++ {
	}
	if n == len(victims) && !fits(victims) {
		return Step{}, false
	}
	victims = victims[:n]
	for i := n - 1; i >= 0; i-- { // the one that mattered last is needed; of the others perhaps not all
		rest := slices.Delete(slices.Clone(victims), i, i+1)
		if len(rest) > 0 && fits(rest) {
			victims = rest
		}
	}
	s.steps = s.steps[:0]
	for _, v := range victims {
		s.steps = append(s.steps, Step{Job: s.run[v].Job, Evict: true})
	}
	s.steps = append(s.steps, Step{Job: w.Job})
	step := s.steps[0]
	s.steps = s.steps[1:]
	return step, true
}
