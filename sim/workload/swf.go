package workload

import (
	"bytes"
	"io"
)

// Fields of the Standard Workload Format, from 0 (Feitelson, Parallel Workloads Archive, version 2.2).
const (
	swfSubmit    = 1
	swfRunTime   = 3
	swfAllocated = 4
	swfRequested = 7
	swfFields    = 18
)

// swfUnknown stands for a value that was not recorded.
const swfUnknown = "-1"

// ReadSWF reads a trace in the Standard Workload Format, plain or gzip: header comments after ";", then one job a line
// of 18 numbers. Arrival is the submit time, the length is the run time, and every processor counts as one GPU: those
// allocated, or those requested when it was not recorded how many were allocated. Errors and the order of jobs are as in
// ReadCSV. Columns and Filter of the options are for CSV; a filter is refused.
func ReadSWF(r io.Reader, name string, o TraceOptions) ([]Job, error) {
	errs := &TraceErrors{}
	if l := openLines(r, name, errs); l != nil {
		return collect(newStreamOf(l, o, openSWF))
	}
	return nil, errs
}

// ReadTrace reads a trace in the format its content shows: Standard Workload Format when the first line that is not
// blank is a ";" comment or a line of many numbers without commas, else CSV.
func ReadTrace(r io.Reader, name string, o TraceOptions) ([]Job, error) {
	return collect(OpenTrace(r, name, o))
}

func looksLikeSWF(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) > 0 && head[0] == ';' {
		return true
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return !bytes.Contains(line, []byte(",")) && len(bytes.Fields(line)) == swfFields
}

// swfTrace is a trace in the Standard Workload Format that is read line by line.
type swfTrace struct {
	l      *lines
	o      *TraceOptions
	w      *window
	fields []field
	read   int
}

func openSWF(l *lines, o *TraceOptions, w *window) lineReader {
	if len(o.Filter) > 0 {
		l.errs.add(TraceError{File: l.name, Message: "a filter by column is for CSV; this is the Standard Workload Format"})
		return nil
	}
	return &swfTrace{l: l, o: o, w: w}
}

// next is the next good job of the trace within its window.
func (t *swfTrace) next() (Job, bool) {
	for {
		b, ok := t.l.next()
		if !ok {
			if t.read == 0 && t.l.errs.Count() == 0 {
				t.l.errs.add(TraceError{File: t.l.name, Message: "the file is empty"})
			}
			return Job{}, false
		}
		t.read++
		t.fields = splitBlank(b, t.fields[:0])
		if len(t.fields) == 0 || t.fields[0].text[0] == ';' {
			continue
		}
		if len(t.fields) != swfFields {
			t.l.fail(0, "%d fields where the Standard Workload Format has %d", len(t.fields), swfFields)
			continue
		}
		if j, ok := swfJob(t.l, t.fields, t.w, t.o); ok {
			return j, true
		}
	}
}

func swfJob(l *lines, f []field, w *window, o *TraceOptions) (Job, bool) {
	size := swfAllocated
	if string(f[size].text) == swfUnknown {
		size = swfRequested
	}
	good := true
	fail := func(i int, what, problem string) {
		if problem == "" {
			return
		}
		if string(f[i].text) == swfUnknown {
			problem = "not recorded (-1)"
		}
		l.fail(f[i].col, "%s: %s", what, problem)
		good = false
	}
	arrival, problem := parseNS(f[swfSubmit].text, maxArrivalNS)
	fail(swfSubmit, "submit time", problem)
	work, problem := parseNS(f[swfRunTime].text, MaxWorkS*nsPerS)
	fail(swfRunTime, "run time", problem)
	gpus, problem := parseGPUs(f[size].text)
	fail(size, "processors", problem)
	if !good {
		return Job{}, false
	}
	return o.job(Job{GPUs: gpus}, arrival, work, w)
}

// splitBlank cuts a line at blanks.
func splitBlank(b []byte, fields []field) []field {
	blank := func(c byte) bool { return c == ' ' || c == '\t' }
	for i := 0; i < len(b); {
		if blank(b[i]) {
			i++
			continue
		}
		start := i
		for i < len(b) && !blank(b[i]) {
			i++
		}
		fields = append(fields, field{b[start:i], start + 1})
	}
	return fields
}
