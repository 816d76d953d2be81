package workload

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"headroom/sim/rng"
)

// RequestTrace is a trace of requests as a service is driven by it.
type RequestTrace struct {
	Open    func() (io.ReadCloser, error) // from the start, each time
	Name    string                        // of the file, in messages
	Columns RequestColumns                // none: the header says
	// RateScale sends the same requests that many times as fast; 0: 1.
	RateScale float64
	// StartS and EndS keep the requests from StartS up to but not at EndS after the first line, and count from StartS. EndS 0 is
	// the end of the trace.
	StartS, EndS float64
	// SpanS repeats the trace, each round PeriodS long (in the run's time), until it is that long; 0: it comes once.
	SpanS, PeriodS float64
	// Week keeps a request with the probability of its hour of the week, Monday 00:00 first; nil keeps all. The run begins at
	// StartHour of the week. Seed and Class name the draws.
	Week      []float64
	StartHour float64
	Seed      uint64
	Class     string
}

// RequestSummary is what a trace of requests holds within its window.
type RequestSummary struct {
	Requests            int64
	LastS               float64 // of the last, in the run's time
	Context, Generated  float64 // means
	ContextCV           float64 // standard deviation over mean
	MostContext, Answer int32   // the longest prompt and answer
}

// Summary reads the trace once. The error is a *TraceErrors where lines are bad; the others are in the summary.
func (t *RequestTrace) Summary() (RequestSummary, error) {
	var s RequestSummary
	once := *t
	once.SpanS, once.Week = 0, nil
	r := once.Stream()
	var c1, c2, g1 float64
	for q, ok := r.Next(); ok; q, ok = r.Next() {
		s.Requests++
		s.LastS = float64(q.AtNS) / nsPerS
		c1, c2, g1 = c1+float64(q.Context), c2+float64(q.Context)*float64(q.Context), g1+float64(q.Generated)
		s.MostContext, s.Answer = max(s.MostContext, q.Context), max(s.Answer, q.Generated)
	}
	if n := float64(s.Requests); n > 0 {
		s.Context, s.Generated = c1/n, g1/n
		s.ContextCV = math.Sqrt(math.Max(0, c2/n-s.Context*s.Context)) / math.Max(s.Context, 1e-9)
	}
	return s, r.Err()
}

// RequestStream gives the requests of a trace in the order and the time of the run, in memory that doesn't grow with them.
type RequestStream struct {
	t       *RequestTrace
	file    io.ReadCloser
	read    *Requests
	round   int64
	rounds  int64
	err     error
	keep    *rand.Rand
	startNS int64
	endNS   int64
}

// Stream begins a trace.
func (t *RequestTrace) Stream() *RequestStream {
	s := &RequestStream{t: t, rounds: 1, startNS: int64(math.Round(t.StartS * nsPerS)), endNS: math.MaxInt64}
	if t.EndS > 0 && t.EndS*nsPerS < float64(maxArrivalNS) {
		s.endNS = int64(math.Round(t.EndS * nsPerS))
	}
	if t.SpanS > 0 && t.PeriodS > 0 {
		s.rounds = int64(math.Max(1, math.Ceil(t.SpanS/t.PeriodS)))
	}
	if t.Week != nil {
		s.keep = rng.New(t.Seed, 0, "requests", t.Class)
	}
	return s
}

// Err is what was wrong in the last round, or why the file could not be opened; nil when nothing was.
func (s *RequestStream) Err() error {
	if s.err == nil && s.read != nil {
		return s.read.Err()
	}
	return s.err
}

// Next is the next request; its time is after the start of the run.
func (s *RequestStream) Next() (Request, bool) {
	for s.err == nil {
		if s.round == s.rounds {
			return Request{}, false
		}
		if s.read == nil {
			f, err := s.t.Open()
			if err != nil {
				s.err = fmt.Errorf("%s: %w", s.t.Name, err)
				return Request{}, false
			}
			s.file, s.read = f, OpenRequests(f, s.t.Name, s.t.Columns)
		}
		q, ok := s.read.Next()
		if !ok || q.AtNS >= s.endNS {
			s.close()
			continue
		}
		if q.AtNS < s.startNS {
			continue
		}
		at := float64(q.AtNS - s.startNS)
		if k := s.t.RateScale; k > 0 {
			at /= k
		}
		at += float64(s.round) * s.t.PeriodS * nsPerS
		if s.t.SpanS > 0 && at >= s.t.SpanS*nsPerS || at >= float64(maxArrivalNS) {
			s.close()
			continue
		}
		q.AtNS = int64(math.Round(at))
		if s.keep != nil {
			hour := int(math.Mod(s.t.StartHour+at/nsPerS/3600, HoursPerWeek))
			if s.keep.Float64() >= s.t.Week[hour] {
				continue
			}
		}
		return q, true
	}
	return Request{}, false
}

// close ends a round. The last keeps its reader, for Err.
func (s *RequestStream) close() {
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			s.err = fmt.Errorf("%s: %w", s.t.Name, err)
		}
		s.file = nil
	}
	if s.round++; s.round < s.rounds {
		s.read = nil
	}
}
