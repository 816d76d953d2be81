package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"headroom/sim/workload"
)

// timeUnits are the units of times in a CSV trace.
var timeUnits = map[string]workload.TimeUnit{"s": workload.Seconds, "ms": workload.Milliseconds, "us": workload.Microseconds, "dates": workload.Dates}

// traceOptions are how a line of replay has its file read; Job.Class counts synthetic classes first, then traces.
func (s *Scenario) traceOptions(d *decoder, l *traceLine, i int) workload.TraceOptions {
	o := workload.TraceOptions{
		Class:       int32(len(s.file.Workload) + i),
		Activity:    l.Activity.or(kindFigures[l.Kind].activity),
		MemoryBound: l.MemoryBound.or(kindFigures[l.Kind].memoryBound),
		TimeUnit:    timeUnits[l.Times],
		FromFirst:   l.Times == "dates" || l.Format == "alibaba-gpu-2023",
		ReorderS:    l.Disorder.or(0),
		Tenants:     s.tenants,
		Report:      &workload.TraceReport{},
	}
	if l.Format == "alibaba-gpu-2023" {
		o.Columns, o.QoS, o.SkipNoGPU = workload.AlibabaColumns, workload.AlibabaQoS, true
		if len(l.Types.Keys) == 0 {
			o.Columns.Types = "" // types stand for nothing here: any server will do
		}
	}
	if c := l.Columns; c != nil {
		for _, x := range [...]struct {
			to   *string
			name string
		}{
			{&o.Columns.Arrival, c.Arrival},
			{&o.Columns.GPUs, c.GPUs},
			{&o.Columns.Duration, c.Duration},
			{&o.Columns.Start, c.Start},
			{&o.Columns.End, c.End},
			{&o.Columns.Milli, c.Share},
			{&o.Columns.Types, c.Types},
			{&o.Columns.Tenant, c.Tenant},
			{&o.Columns.Priority, c.Priority},
		} {
			if x.name != "" {
				*x.to = x.name
			}
		}
		if c.Duration != "" && c.End != "" {
			d.fail(c.of("duration"), joinKey(c.path, "duration"), "", "the run time is duration, or goes to end; leave one out")
		}
	}
	if l.Format == "alibaba-gpu-2023" && o.Columns.Priority != "" {
		o.Columns.QoS = ""
	}
	if len(l.Types.Keys) > 0 {
		o.Types = map[string]uint64{}
		if o.Columns.Types == "" {
			d.fail(l.of("types"), joinKey(l.path, "types"), "write, for example, columns: {types: gpu_spec}", "no column holds the types")
		}
	}
	for k, name := range l.Types.Keys {
		bits := s.serversNamed(l.Types.Values[k])
		if bits == 0 {
			d.fail(l.of("types"), joinKey(joinKey(l.path, "types"), name), "", "no line of servers is of this model or has this GPU (got %s)", quoteShort(l.Types.Values[k]))
		}
		o.Types[name] = bits
	}
	for _, x := range [...]struct {
		to   *float64
		from *float64
	}{{&o.Speed, l.Speed}, {&o.RateScale, l.Rate}, {&o.SizeScale, l.Size}} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
	if l.Format == "occupancy" {
		for _, key := range [...]string{"filter", "vc", "speed", "rate", "disorder", "types"} {
			if l.has(key) {
				d.fail(l.of(key), joinKey(l.path, key), "", "%s is for jobs, and this is a series of busy GPUs", key)
			}
		}
	}
	return o
}

// occupancyOptions are those of a series of busy GPUs.
func occupancyOptions(l *traceLine, o *workload.TraceOptions) workload.OccupancyOptions {
	q := workload.OccupancyOptions{Unit: o.TimeUnit, Class: o.Class, Activity: o.Activity, MemoryBound: o.MemoryBound, SizeScale: o.SizeScale}
	q.StartS, q.EndS = o.StartS, o.EndS
	if c := l.Columns; c != nil {
		q.Time, q.Running = c.Time, c.Busy
	}
	return q
}

// bad deals with what is wrong in a trace: where the file says count, the first few lines are warnings as they are and the rest
// is a number; else they are problems. It returns whether the good lines may be used.
func (s *Scenario) bad(d *decoder, at pos, key, name, rule string, err error) bool {
	var list *workload.TraceErrors
	if !errors.As(err, &list) {
		d.fail(at, key, "", "%v", err)
		return false
	}
	if rule != "count" {
		for _, e := range list.List {
			d.problems = append(d.problems, Problem{File: e.File, Line: max(1, e.Line), Col: max(1, e.Col), Msg: e.Message})
		}
		if list.More > 0 {
			d.fail(at, key, "", "and %d more problems in %s", list.More, name)
		}
		return false
	}
	const shown = 10
	s.warnings = append(s.warnings, Problem{
		File: at.file, Line: at.line, Col: at.col, Path: key, Msg: fmt.Sprintf("%d problems in lines that are left out of %s", list.Count(), name),
	})
	for i, e := range list.List {
		if i == shown {
			break
		}
		s.warnings = append(s.warnings, Problem{File: e.File, Line: max(1, e.Line), Col: max(1, e.Col), Msg: e.Message})
	}
	return true
}

// finisher gives jobs what their columns don't, and tells what was left out.
func (s *Scenario) finisher(d *decoder, l *traceLine, o *workload.TraceOptions) func(*workload.Job) {
	at := l.of("trace")
	for _, reason := range slices.Sorted(maps.Keys(o.Report.LeftOut)) {
		if reason == "filtered out" || reason == "outside the window" {
			continue // asked for by the file
		}
		s.warnings = append(s.warnings, Problem{
			File: at.file, Line: at.line, Col: at.col, Path: joinKey(l.path, "trace"),
			Msg: fmt.Sprintf("%d of %s are left out: each %s", o.Report.LeftOut[reason], l.Trace, reason),
		})
	}
	types := s.on(d, &l.origin, l.On)
	tenant := int32(-1)
	if o.Columns.Tenant == "" {
		tenant = s.tenants.Index([]byte(l.Tenant))
	}
	priority := l.Priority
	if o.Columns.Priority != "" || o.Columns.QoS != "" {
		priority = nil
	}
	return func(j *workload.Job) {
		if j.Types == 0 {
			j.Types = types
		}
		if tenant >= 0 {
			j.Tenant = tenant
		}
		if priority != nil {
			j.Priority = int32(*priority)
		}
	}
}

// period is how long a round of a trace is, 0 where it follows from its jobs.
func (l *traceLine) period(o *workload.TraceOptions) float64 {
	w := l.Window
	switch {
	case w == nil || !w.Length.Given:
		return 0
	case o.RateScale == 0:
		return w.Length.V
	}
	return w.Length.V / o.RateScale
}

// streamed has a trace that is too long to be held read while a run goes on.
func (s *Scenario) streamed(d *decoder, l *traceLine, r workload.Replayed, o *workload.TraceOptions) {
	r.Finish = s.finisher(d, l, o)
	for i := range r.Scan.Held {
		r.Finish(&r.Scan.Held[i])
	}
	r.Scan.Parts = r.Scan.Parts || len(l.On) > 0
	r.SpanS, r.PeriodS = l.Span.or(0), l.period(o)
	if r.PeriodS == 0 {
		r.PeriodS = float64(r.Scan.Last+max(1, r.Scan.Last/r.Scan.Jobs)) / 1e9
	}
	if n := float64(r.Rounds()) * float64(r.Scan.Jobs); n > math.MaxInt32 {
		d.fail(l.of("span"), joinKey(l.path, "span"), "", "%d rounds of %d jobs are more than 32 bits can number", r.Rounds(), r.Scan.Jobs)
	}
	s.streams = append(s.streams, &r)
}

// reshaped splices and shuffles what was read.
func (s *Scenario) reshaped(d *decoder, l *traceLine, jobs []workload.Job, o *workload.TraceOptions) []workload.Job {
	finish := s.finisher(d, l, o)
	for i := range jobs {
		finish(&jobs[i])
	}
	if !l.Span.Given && !l.Shuffle {
		return jobs
	}
	if l.Format == "occupancy" && l.Shuffle {
		d.fail(l.of("shuffle"), joinKey(l.path, "shuffle"), "", "a series of busy GPUs that is shuffled is no longer one")
	}
	r := workload.Reshape{SpanS: l.Span.or(0), PeriodS: l.period(o), Shuffle: l.Shuffle, Seed: s.file.Run.Seed, Name: l.Name}
	out, err := r.Apply(jobs)
	if err != nil {
		d.fail(l.of("span"), joinKey(l.path, "span"), "", "%v", err)
	}
	return out
}
