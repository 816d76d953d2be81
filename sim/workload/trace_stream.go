package workload

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// HeldJobs is how many jobs of a trace are held in memory; a longer one is read again while a run goes on.
const HeldJobs = 100_000

// TraceFile is a trace of jobs that can be read more than once.
type TraceFile struct {
	Open    func() (io.ReadCloser, error) // from the start, each time
	Name    string
	SWF     bool // else CSV
	Options TraceOptions
}

// TraceScan is what reading a trace once told.
type TraceScan struct {
	Jobs    int64
	Last    int64 // of arrivals, ns
	InOrder bool
	Parts   bool  // some job asks for a part of a GPU, or for types of GPU
	Held    []Job // all jobs in order of arrival, numbered from 0; of a trace of more than most, its first ones
}

// stream opens the trace.
func (t *TraceFile) stream(o TraceOptions) (*Stream, io.Closer, error) {
	f, err := t.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	errs := &TraceErrors{}
	l := openLines(f, t.Name, errs)
	switch {
	case l == nil:
		return &Stream{errs: errs, done: true}, f, nil
	case t.SWF:
		return newStreamOf(l, o, openSWF), f, nil
	}
	return newStreamOf(l, o, openCSV), f, nil
}

// Scan reads the trace once and holds at most so many of its jobs. The error is a *TraceErrors where lines are bad; the good
// ones are in the scan. Where TraceOptions.ReorderS is 0 lines may stand in any order.
func (t *TraceFile) Scan(most int) (TraceScan, error) {
	var c TraceScan
	s, f, err := t.stream(t.Options)
	if err != nil {
		return c, err
	}
	defer f.Close()
	next := s.Next
	if s.window == 0 && s.read != nil {
		next = s.read.next
	}
	c.InOrder = true
	for j, ok := next(); ok; j, ok = next() {
		c.Jobs++
		c.InOrder = c.InOrder && j.Arrival >= c.Last
		c.Last = max(c.Last, j.Arrival)
		c.Parts = c.Parts || j.Types != 0 || j.Milli != 0
		if len(c.Held) < most {
			c.Held = append(c.Held, j)
		}
	}
	if c.Jobs > math.MaxInt32 {
		s.errs.add(TraceError{File: t.Name, Message: "more jobs than 32 bits can number"})
	}
	if t.Options.Report != nil && s.window == 0 {
		t.Options.Report.Jobs += c.Jobs
	}
	slices.SortStableFunc(c.Held, func(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for i := range c.Held {
		c.Held[i].ID = int32(i)
	}
	return c, s.Err()
}

// Replayed is a trace that a run reads as it goes on, in memory that doesn't grow with it.
type Replayed struct {
	File TraceFile
	Scan TraceScan
	// Span repeats the trace, each round PeriodS long, until it is that long; 0: it comes once.
	SpanS, PeriodS float64
	Finish         func(*Job) // gives a job what its columns don't; nil for nothing
}

// ErrTraceChanged says that a trace is not what it was when it was scanned.
var ErrTraceChanged = errors.New("the trace is not what it was when it was checked")

// Rounds is how often the trace comes.
func (r *Replayed) Rounds() int64 {
	if r.SpanS > 0 && r.PeriodS > 0 {
		return int64(math.Max(1, math.Ceil(r.SpanS/r.PeriodS)))
	}
	return 1
}

// Source begins the trace. Look at its Err once Next has said false.
func (r *Replayed) Source() *ReplaySource {
	s := &ReplaySource{r: r, rounds: r.Rounds(), options: r.File.Options, endNS: math.MaxInt64}
	s.options.Report = nil
	if r.SpanS > 0 {
		s.endNS = int64(math.Round(math.Min(r.SpanS*nsPerS, float64(maxArrivalNS))))
	}
	return s
}

// ReplaySource gives the jobs of a trace round after round.
type ReplaySource struct {
	r             *Replayed
	options       TraceOptions
	read          *Stream
	file          io.Closer
	round, rounds int64
	given         int64 // in this round
	endNS         int64
	err           error
}

// Err says why the source ended before its trace did, nil where it didn't.
func (s *ReplaySource) Err() error { return s.err }

// Next is the next job in order of arrival.
func (s *ReplaySource) Next() (Job, bool) {
	for s.err == nil && s.round < s.rounds {
		if s.read == nil {
			if s.read, s.file, s.err = s.r.File.stream(s.options); s.err != nil {
				break
			}
			s.given = 0
		}
		j, ok := s.read.Next()
		if !ok {
			if s.given != s.r.Scan.Jobs {
				s.err = fmt.Errorf("%s: %w: %d jobs, then %d", s.r.File.Name, ErrTraceChanged, s.r.Scan.Jobs, s.given)
			}
			if err := s.file.Close(); err != nil && s.err == nil {
				s.err = fmt.Errorf("%s: %w", s.r.File.Name, err)
			}
			s.read = nil
			s.round++
			continue
		}
		s.given++
		j.Arrival += s.round * int64(math.Round(s.r.PeriodS*nsPerS))
		if j.Arrival >= s.endNS && s.round > 0 {
			continue
		}
		if s.r.Finish != nil {
			s.r.Finish(&j)
		}
		return j, true
	}
	return Job{}, false
}
