package workload

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// OccupancyOptions say how a series of busy GPUs is read.
type OccupancyOptions struct {
	Time    string   // column of times; "time" where it is empty
	Unit    TimeUnit // of times
	Running string   // column of busy GPUs; "running_gpu_num" where it is empty
	// StepS is how long the last line holds; 0: as long as the one before it.
	StepS float64
	// Largest is the most GPUs of one job: a rise by more becomes several jobs. 0: 1, so that the series is followed however
	// its GPUs lie on servers.
	Largest int32
	// StartS and EndS keep the part of the series from StartS up to but not at EndS after the first line, and count from
	// StartS. EndS 0 is its end.
	StartS, EndS float64
	// Class, Activity and MemoryBound are copied into every job; SizeScale is as in TraceOptions.
	Class                 int32
	Activity, MemoryBound float64
	SizeScale             float64
}

// ReadOccupancy reads how many GPUs were busy over time, such as the one-minute series of SenseTime's Helios clusters, as
// jobs that keep just as many busy: each rise starts jobs, each fall ends the latest of them, so that a base load becomes
// few long jobs and its peaks many short ones. Times count from the first line, lines are in order. The sum over jobs of
// GPUs and time is that of the series; how the real jobs lay within it is not in the data.
//
// Errors are as in ReadCSV.
func ReadOccupancy(r io.Reader, name string, o OccupancyOptions) ([]Job, error) {
	errs := &TraceErrors{}
	l := openLines(r, name, errs)
	if l == nil {
		return nil, errs
	}
	var fields []field
	header, ok := nextFields(l, &fields)
	if !ok {
		errs.add(TraceError{File: name, Message: "the file is empty"})
		return nil, errs
	}
	at, ok := findColumns(l, header, cmp.Or(o.Time, "time"), cmp.Or(o.Running, "running_gpu_num"))
	if !ok {
		return nil, errs
	}
	if !(o.SizeScale >= 0) || math.IsInf(o.SizeScale, 0) {
		errs.add(TraceError{File: name, Message: "the size scale is no positive number"})
		return nil, errs
	}
	columns := len(header)
	c := clock{unit: o.Unit}
	if !(o.StartS >= 0) || !(o.EndS == 0 || o.EndS > o.StartS) || o.EndS*nsPerS > float64(maxArrivalNS) {
		errs.add(TraceError{File: name, Message: fmt.Sprintf("no time lies from %g s to %g s", o.StartS, o.EndS)})
		return nil, errs
	}
	start := int64(math.Round(math.Min(o.StartS*nsPerS, float64(maxArrivalNS))))
	s := occupancy{o: o}
	first, last, step := int64(-1), int64(0), int64(math.Round(o.StepS*nsPerS))
	for {
		f, ok := nextFields(l, &fields)
		if !ok {
			break
		}
		if len(f) != columns {
			l.fail(0, "%d fields where the header has %d", len(f), columns)
			continue
		}
		t, problem := c.parse(f[at[0]].text, maxArrivalNS)
		if problem != "" {
			l.fail(f[at[0]].col, "time: %s", problem)
			continue
		}
		busy, problem := parseCount(bytes.TrimSpace(f[at[1]].text), math.MaxInt32)
		if problem != "" {
			l.fail(f[at[1]].col, "busy GPUs: %s", problem)
			continue
		}
		switch {
		case first < 0:
			first = t
		case t <= last:
			l.fail(f[at[0]].col, "time: not after that of the line above")
			continue
		case o.StepS == 0:
			step = t - last
		}
		last = t
		if at := float64(t-first) / nsPerS; at < o.StartS || o.EndS > 0 && at >= o.EndS {
			continue
		}
		if o.SizeScale > 0 {
			busy = int64(math.Round(float64(busy) * o.SizeScale))
		}
		s.set(t-first-start, busy)
	}
	if first < 0 && errs.Count() == 0 {
		errs.add(TraceError{File: name, Message: "no line gives a number of busy GPUs"})
	}
	end := last - first + step
	if o.EndS > 0 {
		end = min(end, int64(math.Round(o.EndS*nsPerS)))
	}
	s.set(max(0, end-start), 0)
	slices.SortStableFunc(s.jobs, func(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for i := range s.jobs {
		s.jobs[i].ID = int32(i)
	}
	if errs.Count() > 0 {
		return s.jobs, errs
	}
	return s.jobs, nil
}

// occupancy turns a series into jobs.
type occupancy struct {
	o     OccupancyOptions
	stack []layer // the latest on top
	busy  int64
	jobs  []Job
}

// layer is GPUs that became busy together.
type layer struct {
	fromNS int64
	gpus   int64
}

// set says that so many GPUs are busy from a time on.
func (s *occupancy) set(atNS, busy int64) {
	if busy > s.busy {
		s.stack = append(s.stack, layer{atNS, busy - s.busy})
	}
	for fall := s.busy - busy; fall > 0; {
		top := &s.stack[len(s.stack)-1]
		n := min(fall, top.gpus)
		largest := int64(cmp.Or(s.o.Largest, 1))
		for left := n; left > 0; left -= largest {
			s.jobs = append(s.jobs, Job{
				Class: s.o.Class, Arrival: top.fromNS, GPUs: int32(min(left, largest)), WorkS: float64(atNS-top.fromNS) / nsPerS,
				Activity: s.o.Activity, MemoryBound: s.o.MemoryBound,
			})
		}
		fall -= n
		if top.gpus -= n; top.gpus == 0 {
			s.stack = s.stack[:len(s.stack)-1]
		}
	}
	s.busy = busy
}
