package workload

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// ReadCSV reads a trace of jobs from CSV with a header line, plain or gzip: one job a line, with at least the columns of
// the options for arrival, GPUs and duration (or end). name is the file's name in messages.
//
// Jobs come back in order of arrival, those of one arrival in the order of the file, numbered from 0. Every line that is
// bad, and belongs to the filter, is in the error, a *TraceErrors, with file, line and column: nothing is left out in
// silence. The jobs of the good lines are returned with it. Fields may stand in double quotes, but end on their line. A
// plain file whose last line has no line end is refused, as it may be cut off in the middle of a number.
func ReadCSV(r io.Reader, name string, o TraceOptions) ([]Job, error) {
	errs := &TraceErrors{}
	if l := openLines(r, name, errs); l != nil {
		return collect(newStreamOf(l, o, openCSV))
	}
	return nil, errs
}

// field is one field of a CSV line: its text without quotes, and the column where it begins.
type field struct {
	text []byte
	col  int
}

// csvTrace is a CSV trace that is read line by line.
type csvTrace struct {
	l       *lines
	o       *TraceOptions
	w       *window
	clock   clock
	columns int
	// Places of columns; −1 for those that aren't read.
	arrival, gpus, duration, start, end, milli, cpu, mem, types, qos, tenant, priority int
	filter                                                                             []columnValue
	fields                                                                             []field
}

type columnValue struct {
	column int
	value  []byte
}

// openCSV reads the header; nil when the trace cannot be read.
func openCSV(l *lines, o *TraceOptions, w *window) lineReader {
	t := &csvTrace{l: l, o: o, w: w, clock: clock{unit: o.TimeUnit}}
	header, ok := nextFields(l, &t.fields)
	if !ok {
		l.errs.add(TraceError{File: l.name, Message: "the file is empty"})
		return nil
	}
	if !t.find(header) {
		return nil
	}
	return t
}

// find finds the columns in the header.
func (t *csvTrace) find(header []field) bool {
	ok := true
	find := func(name string) int {
		if name == "" {
			return -1
		}
		at, problem := columnAt(header, name)
		if problem != "" {
			col := 0
			if strings.HasSuffix(problem, "twice") {
				col = twice(header, name)
			}
			t.l.fail(col, "%s", problem)
			ok = false
		}
		return at
	}
	c := &t.o.Columns
	t.columns = len(header)
	t.arrival = find(cmp.Or(c.Arrival, "arrival_s"))
	t.gpus = find(cmp.Or(c.GPUs, "num_gpus"))
	if c.End != "" {
		t.duration, t.end, t.start = -1, find(c.End), find(c.Start)
	} else {
		t.duration, t.end, t.start = find(cmp.Or(c.Duration, "duration_s")), -1, -1
	}
	t.milli, t.cpu, t.mem = find(c.Milli), find(c.CPUMilli), find(c.MemMiB)
	t.types, t.qos, t.tenant, t.priority = find(c.Types), find(c.QoS), find(c.Tenant), find(c.Priority)
	for _, name := range slices.Sorted(maps.Keys(t.o.Filter)) {
		t.filter = append(t.filter, columnValue{find(name), []byte(t.o.Filter[name])})
	}
	return ok
}

// twice is where a column stands for the second time.
func twice(header []field, name string) int {
	seen := false
	for _, f := range header {
		if string(bytes.TrimSpace(f.text)) == name {
			if seen {
				return f.col
			}
			seen = true
		}
	}
	return 0
}

func (t *csvTrace) keeps(f []field) bool {
	for _, c := range t.filter {
		if !bytes.Equal(f[c.column].text, c.value) {
			return false
		}
	}
	return true
}

// next is the next good job of the trace within its window.
func (t *csvTrace) next() (Job, bool) {
	for {
		f, ok := nextFields(t.l, &t.fields)
		if !ok {
			return Job{}, false
		}
		if len(f) != t.columns {
			t.l.fail(0, "%d fields where the header has %d", len(f), t.columns)
			continue
		}
		if !t.keeps(f) {
			t.o.note("filtered out")
			continue
		}
		if j, ok := t.job(f); ok {
			return j, true
		}
	}
}

// job is the job of a line; false when the line is bad or outside the window.
func (t *csvTrace) job(f []field) (Job, bool) {
	good := true
	fail := func(at int, what, problem string) {
		if problem != "" {
			t.l.fail(f[at].col, "%s: %s", what, problem)
			good = false
		}
	}
	arrival, problem := t.clock.parse(f[t.arrival].text, maxArrivalNS)
	fail(t.arrival, "arrival", problem)
	var j Job
	if t.o.SkipNoGPU && isZero(f[t.gpus].text) {
		t.o.note("asks for no GPU")
		return Job{}, false
	}
	j.GPUs, problem = parseGPUs(f[t.gpus].text)
	fail(t.gpus, "GPUs", problem)
	var work int64
	if t.end < 0 {
		work, problem = t.clock.parseLength(f[t.duration].text)
		fail(t.duration, "duration", problem)
	} else {
		begin := arrival
		if from := t.start; from >= 0 {
			if len(bytes.TrimSpace(f[from].text)) == 0 {
				fail(from, "start", "no value: the job never ran, so it has no length")
			} else {
				begin, problem = t.clock.parse(f[from].text, maxArrivalNS)
				fail(from, "start", problem)
			}
		}
		var end int64
		if len(bytes.TrimSpace(f[t.end].text)) == 0 {
			fail(t.end, "end", "no value: the job has no end, so it has no length")
		} else {
			end, problem = t.clock.parse(f[t.end].text, maxArrivalNS)
			fail(t.end, "end", problem)
		}
		if good && end < begin {
			fail(t.end, "end", "it lies before the "+map[bool]string{true: "start", false: "arrival"}[t.start >= 0])
		}
		work = min(end-begin, int64(MaxWorkS*nsPerS))
	}
	good = t.more(f, &j, fail) && good
	if !good {
		return Job{}, false
	}
	return t.o.job(j, arrival, work, t.w)
}

// more reads the columns that most traces lack.
func (t *csvTrace) more(f []field, j *Job, fail func(int, string, string)) bool {
	good := true
	count := func(at int, what string, most int64) int32 {
		if at < 0 {
			return 0
		}
		x, problem := parseCount(bytes.TrimSpace(f[at].text), most)
		if problem != "" {
			fail(at, what, problem)
			good = false
		}
		return int32(x)
	}
	const most = 1<<31 - 1
	milli := count(t.milli, "share of a GPU", most)
	switch {
	case t.milli < 0 || j.GPUs != 1:
	case milli < 1 || milli > wholeMilli:
		fail(t.milli, "share of a GPU", fmt.Sprintf("%s is not in 1 … %d thousandths", quote(f[t.milli].text), wholeMilli))
		good = false
	case milli < wholeMilli:
		j.Milli = milli
	}
	j.CPUMilli, j.MemMiB = count(t.cpu, "CPUs", most), count(t.mem, "memory", most)
	j.Priority = count(t.priority, "priority", most)
	if t.tenant >= 0 && t.o.Tenants != nil {
		j.Tenant = t.o.Tenants.Index(f[t.tenant].text)
	}
	if t.qos >= 0 {
		p, ok := t.o.QoS[string(f[t.qos].text)]
		if !ok {
			fail(t.qos, "quality of service", quote(f[t.qos].text)+" has no priority")
			good = false
		}
		j.Priority = p
	}
	if t.types >= 0 {
		for rest := bytes.TrimSpace(f[t.types].text); len(rest) > 0; {
			var name []byte
			name, rest, _ = bytes.Cut(rest, []byte("|"))
			bits, ok := t.o.Types[string(name)]
			if !ok {
				fail(t.types, "GPU type", quote(name)+" is not one that was given a server")
				good = false
			}
			j.Types |= bits
		}
	}
	return good
}

// isZero says whether a field is the number 0.
func isZero(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) == 1 && b[0] == '0'
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
