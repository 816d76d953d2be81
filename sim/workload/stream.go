package workload

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// lineReader gives the good jobs of a trace in the order of its lines.
type lineReader interface {
	next() (Job, bool)
}

// Stream reads a trace as a Source, in memory that doesn't grow with the trace: it holds one line, and the jobs that
// arrive within TraceOptions.ReorderS of the latest. Look at Err once Next has said false.
type Stream struct {
	errs   *TraceErrors
	read   lineReader
	l      *lines
	window int64 // how much earlier a job may come than the latest, −1: sorting is the caller's
	latest int64
	held   []Job // in order of arrival, from head on
	head   int
	done   bool
	next   int64 // jobs read
	given  int32
	report *TraceReport
}

// OpenTrace opens a trace, plain or gzip, in the format its content shows: Standard Workload Format when the first line
// that is not blank is a ";" comment or a line of many numbers without commas, else CSV. Nothing is read beyond the header.
func OpenTrace(r io.Reader, name string, o TraceOptions) *Stream {
	errs := &TraceErrors{}
	l := openLines(r, name, errs)
	if l == nil {
		return &Stream{errs: errs, done: true}
	}
	if head, _ := l.r.Peek(4096); looksLikeSWF(head) {
		return newStreamOf(l, o, openSWF)
	}
	return newStreamOf(l, o, openCSV)
}

func newStreamOf(l *lines, o TraceOptions, open func(*lines, *TraceOptions, *window) lineReader) *Stream {
	s := &Stream{errs: l.errs, l: l, report: o.Report, latest: math.MinInt64}
	w, ok := o.window(l)
	if !ok {
		s.done = true
		return s
	}
	if o.ReorderS > 0 {
		s.window = int64(math.Min(o.ReorderS*nsPerS, math.MaxInt64/4))
	}
	if s.read = open(l, &o, &w); s.read == nil {
		s.done = true
	}
	return s
}

// Err is everything that was wrong in what was read, a *TraceErrors; nil when nothing was.
func (s *Stream) Err() error {
	if s.errs.Count() == 0 {
		return nil
	}
	return s.errs
}

// Next is the next job in order of arrival.
func (s *Stream) Next() (Job, bool) {
	for !s.done && (s.head == len(s.held) || s.held[s.head].Arrival > s.latest-s.window) {
		j, ok := s.read.next()
		if !ok {
			s.done = true
			break
		}
		if s.next++; s.next > math.MaxInt32 {
			s.errs.add(TraceError{File: s.l.name, Line: s.l.line, Message: "more jobs than 32 bits can number"})
			s.done = true
			break
		}
		if s.window == 0 && j.Arrival >= s.latest && s.head == len(s.held) { // in order: nothing to hold
			s.latest = j.Arrival
			return s.number(j), true
		}
		s.hold(j)
	}
	if s.head == len(s.held) {
		return Job{}, false
	}
	j := s.held[s.head]
	if s.head++; s.head > 1024 && s.head > len(s.held)/2 {
		s.held, s.head = append(s.held[:0], s.held[s.head:]...), 0
	}
	return s.number(j), true
}

func (s *Stream) number(j Job) Job {
	j.ID = s.given
	s.given++
	if s.report != nil {
		s.report.Jobs++
	}
	return j
}

// hold keeps a job until none that comes later can arrive before it.
func (s *Stream) hold(j Job) {
	if j.Arrival < s.latest-s.window && s.latest != math.MinInt64 {
		s.next--
		s.l.fail(0, "arrival: %s s before a job above it; at most %g s were said to be out of order",
			fmt.Sprint(float64(s.latest-j.Arrival)/nsPerS), float64(s.window)/nsPerS)
		return
	}
	s.latest = max(s.latest, j.Arrival)
	i := len(s.held)
	for i > s.head && s.held[i-1].Arrival > j.Arrival {
		i--
	}
	s.held = slices.Insert(s.held, i, j)
}

// collect reads a trace as a whole. Without a bound on disorder it is sorted.
func collect(s *Stream) ([]Job, error) {
	var jobs []Job
	if s.window == 0 && s.read != nil {
		for {
			j, ok := s.read.next()
			if !ok {
				break
			}
			jobs = append(jobs, j)
		}
		byArrival := func(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) }
		if !slices.IsSortedFunc(jobs, byArrival) {
			slices.SortStableFunc(jobs, byArrival)
		}
		if s.report != nil {
			s.report.Jobs += int64(len(jobs))
		}
	} else {
		for j, ok := s.Next(); ok; j, ok = s.Next() {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) > math.MaxInt32 {
		s.errs.add(TraceError{Message: "more jobs than 32 bits can number"})
		return nil, s.errs
	}
	for i := range jobs {
		jobs[i].ID = int32(i)
	}
	return jobs, s.Err()
}

// window is the part of a trace that is kept.
type window struct {
	startNS, endNS int64
	first          int64 // of the first line, where times count from it
	has            bool
}

func (o *TraceOptions) window(l *lines) (window, bool) {
	w := window{endNS: math.MaxInt64}
	ok := o.StartS >= 0 && o.StartS*nsPerS < float64(maxArrivalNS) && o.EndS >= 0 && !math.IsInf(o.EndS, 0)
	if ok {
		w.startNS = int64(math.Round(o.StartS * nsPerS))
		if o.EndS > 0 && o.EndS*nsPerS < float64(maxArrivalNS) {
			w.endNS = int64(math.Round(o.EndS * nsPerS))
		}
		ok = w.endNS > w.startNS
	}
	if !ok {
		l.errs.add(TraceError{File: l.name, Message: fmt.Sprintf("no time lies from %g s to %g s", o.StartS, o.EndS)})
	}
	for _, x := range [...]struct {
		what string
		v    float64
	}{{"speed", o.Speed}, {"rate", o.RateScale}, {"size", o.SizeScale}, {"order window", o.ReorderS}} {
		if !(x.v >= 0) || math.IsInf(x.v, 0) {
			l.errs.add(TraceError{File: l.name, Message: fmt.Sprintf("the %s is %g, it must not be negative", x.what, x.v)})
			ok = false
		}
	}
	return w, ok
}

// clock reads the times of a trace.
type clock struct {
	unit  TimeUnit
	day   []byte // the date last read, and its ns after 1970
	dayNS int64
}

// parse reads a time as nanoseconds.
func (c *clock) parse(b []byte, most int64) (int64, string) {
	switch c.unit {
	case Milliseconds:
		return parseScaled(b, most, 1_000)
	case Microseconds:
		return parseScaled(b, most, 1_000_000)
	case Dates:
		return c.date(bytes.TrimSpace(b), most)
	case Seconds:
	}
	return parseNS(b, most)
}

// parseLength reads a duration.
func (c *clock) parseLength(b []byte) (int64, string) {
	const most = int64(MaxWorkS * nsPerS)
	if c.unit == Dates {
		return parseNS(b, most)
	}
	return c.parse(b, most)
}

// parseScaled reads thousandths or millionths of a second.
func parseScaled(b []byte, most, perS int64) (int64, string) {
	x, problem := parseNumber(bytes.TrimSpace(b))
	if problem != "" {
		return 0, problem
	}
	ns := math.Round(x / float64(perS) * nsPerS)
	if ns > float64(most) {
		return 0, tooLong(b, most)
	}
	return int64(ns), ""
}

// date reads "2006-01-02 15:04:05.999" as nanoseconds after 1970, in UTC. Days are remembered, as most lines repeat one.
func (c *clock) date(b []byte, most int64) (int64, string) {
	bad := func() (int64, string) { return 0, quote(b) + " is no date such as 2006-01-02 15:04:05" }
	if len(b) < 19 || b[10] != ' ' && b[10] != 'T' {
		return bad()
	}
	if !bytes.Equal(c.day, b[:10]) {
		day, err := time.Parse("2006-01-02", string(b[:10]))
		if err != nil {
			return bad()
		}
		c.day, c.dayNS = append(c.day[:0], b[:10]...), day.UnixNano()
		if day.Year() < 1970 || day.Year() > 2200 {
			c.day = c.day[:0]
			return 0, quote(b) + " lies outside the years 1970 … 2200"
		}
	}
	two := func(at int) int64 {
		x, y := b[at]-'0', b[at+1]-'0'
		if x > 9 || y > 9 {
			return 1000
		}
		return int64(x)*10 + int64(y)
	}
	h, m, s := two(11), two(14), two(17)
	if b[13] != ':' || b[16] != ':' || h > 23 || m > 59 || s > 60 {
		return bad()
	}
	ns := c.dayNS + (h*3600+m*60+s)*nsPerS
	rest := bytes.TrimSuffix(b[19:], []byte("Z"))
	if len(rest) > 0 {
		if rest[0] != '.' || len(rest) == 1 {
			return bad()
		}
		unit := int64(nsPerS / 10)
		for _, d := range rest[1:] {
			if d < '0' || d > '9' {
				return bad()
			}
			ns += int64(d-'0') * unit
			unit /= 10
		}
	}
	if ns > most {
		return 0, tooLong(b, most)
	}
	return ns, ""
}
