package workload

import (
	"fmt"
	"strings"
)

// TraceOptions say how a trace is read.
type TraceOptions struct {
	// Columns are the CSV columns; an empty name is the default: arrival_s, num_gpus, duration_s.
	Columns TraceColumns
	// Filter keeps the rows whose columns have these values, all of them, as in "vc": "0e4a51". CSV only.
	Filter map[string]string
	// StartS and EndS keep the jobs that arrive from StartS up to but not at EndS, in the trace's own seconds, and count
	// arrivals from StartS. EndS 0 is the end of the trace.
	StartS, EndS float64
	// Class, Activity and MemoryBound are copied into every job.
	Class       int32
	Activity    float64
	MemoryBound float64
}

// TraceColumns name the columns of a CSV trace.
type TraceColumns struct {
	Arrival  string // seconds; from any start, not negative
	GPUs     string // whole GPUs, at least 1
	Duration string // seconds at full clock, not negative
}

// TraceError is one thing wrong in a trace.
type TraceError struct {
	File      string
	Line, Col int // from 1, Col in bytes; 0: unknown
	Message   string
}

// Error is file:line:col: message.
func (e TraceError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&b, ":%d", e.Col)
		}
	}
	b.WriteString(": ")
	b.WriteString(e.Message)
	return b.String()
}

// MaxTraceErrors is the number of errors that are listed; the rest is counted.
const MaxTraceErrors = 50

// TraceErrors are all things wrong in one trace. More counts those beyond the first MaxTraceErrors.
type TraceErrors struct {
	List []TraceError
	More int
}

// Error is one line for each error, and how many more there are.
func (e *TraceErrors) Error() string {
	lines := make([]string, 0, len(e.List)+1)
	for _, x := range e.List {
		lines = append(lines, x.Error())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the listed errors one by one.
func (e *TraceErrors) Unwrap() []error {
	out := make([]error, len(e.List))
	for i, x := range e.List {
		out[i] = x
	}
	return out
}

func (e *TraceErrors) add(x TraceError) {
	if len(e.List) < MaxTraceErrors {
		e.List = append(e.List, x)
		return
	}
	e.More++
}
