package workload

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// ReadCSV reads a trace of jobs from CSV with a header line, plain or gzip: one job a line, with at least the columns of
// the options for arrival, GPUs and duration. name is the file's name in messages.
//
// Jobs come back in order of arrival, those of one arrival in the order of the file, numbered from 0. Every line that is
// bad, and belongs to the filter, is in the error, a *TraceErrors, with file, line and column: nothing is left out in
// silence. The jobs of the good lines are returned with it. Fields may stand in double quotes, but end on their line. A
// plain file whose last line has no line end is refused, as it may be cut off in the middle of a number.
func ReadCSV(r io.Reader, name string, o TraceOptions) ([]Job, error) {
	errs := &TraceErrors{}
	if l := openLines(r, name, errs); l != nil {
		return finish(readCSV(l, o), errs)
	}
	return finish(nil, errs)
}

// finish sorts and numbers the jobs of a trace.
func finish(jobs []Job, errs *TraceErrors) ([]Job, error) {
	byArrival := func(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) }
	if !slices.IsSortedFunc(jobs, byArrival) {
		slices.SortStableFunc(jobs, byArrival)
	}
	if len(jobs) > math.MaxInt32 {
		errs.add(TraceError{Message: "more jobs than 32 bits can number"})
		return nil, errs
	}
	for i := range jobs {
		jobs[i].ID = int32(i)
	}
	if len(errs.List) > 0 {
		return jobs, errs
	}
	return jobs, nil
}

// field is one field of a CSV line: its text without quotes, and the column where it begins.
type field struct {
	text []byte
	col  int
}

// table is the layout of a CSV trace.
type table struct {
	columns                 int
	arrival, gpus, duration int
	filter                  []columnValue
}

type columnValue struct {
	column int
	value  []byte
}

// window is the part of a trace that is kept.
type window struct{ startNS, endNS int64 }

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
	return w, ok
}

func readCSV(l *lines, o TraceOptions) []Job {
	w, ok := o.window(l)
	if !ok {
		return nil
	}
	var fields []field
	header, ok := nextFields(l, &fields)
	if !ok {
		l.errs.add(TraceError{File: l.name, Message: "the file is empty"})
		return nil
	}
	t, ok := newTable(l, header, o)
	if !ok {
		return nil
	}
	var jobs []Job
	for {
		f, ok := nextFields(l, &fields)
		if !ok {
			return jobs
		}
		if len(f) != t.columns {
			l.fail(0, "%d fields where the header has %d", len(f), t.columns)
			continue
		}
		if !t.keeps(f) {
			continue
		}
		if j, ok := t.job(l, f, w, o); ok {
			jobs = append(jobs, j)
		}
	}
}

// newTable finds the columns in the header.
func newTable(l *lines, header []field, o TraceOptions) (table, bool) {
	ok := true
	find := func(name string) int {
		at := -1
		for i, f := range header {
			if string(bytes.TrimSpace(f.text)) != name {
				continue
			}
			if at >= 0 {
				l.fail(f.col, "the column %q is there twice", name)
				ok = false
			}
			at = i
		}
		if at < 0 {
			names := make([]string, len(header))
			for i, f := range header {
				names[i] = strings.TrimSpace(string(f.text))
			}
			l.fail(0, "no column %q; there are %s", name, quote([]byte(strings.Join(names, ", "))))
			ok = false
		}
		return at
	}
	t := table{
		columns:  len(header),
		arrival:  find(cmp.Or(o.Columns.Arrival, "arrival_s")),
		gpus:     find(cmp.Or(o.Columns.GPUs, "num_gpus")),
		duration: find(cmp.Or(o.Columns.Duration, "duration_s")),
	}
	for _, name := range slices.Sorted(maps.Keys(o.Filter)) {
		t.filter = append(t.filter, columnValue{find(name), []byte(o.Filter[name])})
	}
	return t, ok
}

func (t *table) keeps(f []field) bool {
	for _, c := range t.filter {
		if !bytes.Equal(f[c.column].text, c.value) {
			return false
		}
	}
	return true
}

// job is the job of a line; false when the line is bad or outside the window.
func (t *table) job(l *lines, f []field, w window, o TraceOptions) (Job, bool) {
	arrival, bad1 := parseNS(f[t.arrival].text, maxArrivalNS)
	gpus, bad2 := parseGPUs(f[t.gpus].text)
	work, bad3 := parseNS(f[t.duration].text, MaxWorkS*nsPerS)
	if bad1 != "" || bad2 != "" || bad3 != "" {
		if bad1 != "" {
			l.fail(f[t.arrival].col, "arrival: %s", bad1)
		}
		if bad2 != "" {
			l.fail(f[t.gpus].col, "GPUs: %s", bad2)
		}
		if bad3 != "" {
			l.fail(f[t.duration].col, "duration: %s", bad3)
		}
		return Job{}, false
	}
	return newJob(arrival, gpus, work, w, &o)
}

func newJob(arrivalNS int64, gpus int32, workNS int64, w window, o *TraceOptions) (Job, bool) {
	if arrivalNS < w.startNS || arrivalNS >= w.endNS {
		return Job{}, false
	}
	return Job{
		Class: o.Class, Arrival: arrivalNS - w.startNS, GPUs: gpus, WorkS: float64(workNS) / nsPerS,
		Activity: o.Activity, MemoryBound: o.MemoryBound,
	}, true
}

// nextFields splits the next line that is not blank. Lines with bad quotes are reported and passed over.
func nextFields(l *lines, fields *[]field) ([]field, bool) {
	for {
		b, ok := l.next()
		if !ok {
			return nil, false
		}
		if len(bytes.TrimSpace(b)) == 0 {
			continue
		}
		if ok := split(b, fields); !ok {
			l.fail(0, "a quote is not closed, or text follows it")
			continue
		}
		return *fields, true
	}
}

// split cuts a line at its commas. Quoted fields are unquoted in place.
func split(b []byte, fields *[]field) bool {
	out := (*fields)[:0]
	defer func() { *fields = out }()
	for i := 0; ; i++ {
		start := i
		if i < len(b) && b[i] == '"' {
			end, n := unquote(b[i:])
			if n < 0 || (i+n < len(b) && b[i+n] != ',') {
				return false
			}
			out = append(out, field{b[i+1 : i+1+end], start + 1})
			i += n
		} else {
			for i < len(b) && b[i] != ',' {
				i++
			}
			out = append(out, field{b[start:i], start + 1})
		}
		if i >= len(b) {
			return true
		}
	}
}

// unquote reads a quoted field at the start of b and writes its text back from b[1] on. It returns the length of the
// text and the bytes read, or -1 when the quote is not closed.
func unquote(b []byte) (text, read int) {
	for i := 1; i < len(b); i++ {
		if b[i] == '"' {
			if i+1 >= len(b) || b[i+1] != '"' {
				return text, i + 1
			}
			i++
		}
		text++
		b[text] = b[i]
	}
	return text, -1
}
