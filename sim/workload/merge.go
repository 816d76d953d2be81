package workload

import (
	"cmp"
	"math"
	"slices"
)

// Merge joins sources, each in order of arrival, into one in order of arrival, then class, then the order they are given
// in. Jobs are numbered from 0 in that order.
func Merge(sources ...Source) Source {
	m := &merged{sources: slices.Clone(sources)}
	m.start()
	return m
}

// Replay gives the jobs of traces, merged like any other sources. A trace that is not in order of arrival is sorted
// first, jobs of one arrival in the order they stand in.
func Replay(traces [][]Job) Source {
	m := &merged{}
	byArrival := func(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) }
	for _, jobs := range traces {
		if !slices.IsSortedFunc(jobs, byArrival) {
			jobs = slices.Clone(jobs)
			slices.SortStableFunc(jobs, byArrival)
		}
		m.sources = append(m.sources, &list{jobs})
	}
	m.start()
	return m
}

type list struct{ jobs []Job }

func (l *list) Next() (Job, bool) {
	if len(l.jobs) == 0 {
		return Job{}, false
	}
	j := l.jobs[0]
	l.jobs = l.jobs[1:]
	return j, true
}

// merged holds one job of each source in a heap, with the source it came from.
type merged struct {
	sources []Source
	heap    []headJob
	next    int64
}

type headJob struct {
	job    Job
	source int
}

func (a *headJob) before(b *headJob) bool {
	if a.job.Arrival != b.job.Arrival {
		return a.job.Arrival < b.job.Arrival
	}
	if a.job.Class != b.job.Class {
		return a.job.Class < b.job.Class
	}
	return a.source < b.source
}

func (m *merged) start() {
	for i, s := range m.sources {
		if j, ok := s.Next(); ok {
			m.heap = append(m.heap, headJob{j, i})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
}

func (m *merged) Next() (Job, bool) {
	if len(m.heap) == 0 {
		return Job{}, false
	}
	if m.next > math.MaxInt32 {
		panic("workload: more jobs than 32 bits can number; ExpectedJobs tells beforehand")
	}
	h := &m.heap[0]
	j := h.job
	j.ID = int32(m.next)
	m.next++
	if following, ok := m.sources[h.source].Next(); ok {
		h.job = following
	} else {
		n := len(m.heap) - 1
		m.heap[0] = m.heap[n]
		m.heap = m.heap[:n]
	}
	m.down(0)
	return j, true
}

func (m *merged) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(m.heap) {
			return
		}
		if c+1 < len(m.heap) && m.heap[c+1].before(&m.heap[c]) {
			c++
		}
		if !m.heap[c].before(&m.heap[i]) {
			return
		}
		m.heap[i], m.heap[c] = m.heap[c], m.heap[i]
		i = c
	}
}
