package workload

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// Request is one request to a language model.
type Request struct {
	AtNS      int64 // after the first line of the trace
	Context   int32 // tokens of the prompt
	Generated int32 // tokens of the answer
}

// RequestColumns name the columns of a trace of requests.
type RequestColumns struct {
	Time, Context, Generated string
	Unit                     TimeUnit
}

// Columns of public traces of requests: Azure's of 2023 ("AzureLLMInferenceTrace_code", "…_conv", with the Splitwise paper)
// and Mooncake's conversations as CSV.
var (
	AzureLLMColumns = RequestColumns{Time: "TIMESTAMP", Context: "ContextTokens", Generated: "GeneratedTokens", Unit: Dates}
	MooncakeColumns = RequestColumns{Time: "timestamp_ms", Context: "input_length", Generated: "output_length", Unit: Milliseconds}
)

// Requests reads a trace of requests line by line, plain or gzip. Look at Err once Next has said false.
type Requests struct {
	l       *lines
	errs    *TraceErrors
	at      [3]int
	columns int
	clock   clock
	first   int64
	latest  int64
	fields  []field
	done    bool
}

// OpenRequests opens a trace. Without column names the header says whether it is one of the public traces.
func OpenRequests(r io.Reader, name string, c RequestColumns) *Requests {
	q := &Requests{errs: &TraceErrors{}, first: -1, done: true}
	if q.l = openLines(r, name, q.errs); q.l == nil {
		return q
	}
	header, ok := nextFields(q.l, &q.fields)
	if !ok {
		q.errs.add(TraceError{File: name, Message: "the file is empty"})
		return q
	}
	if c == (RequestColumns{}) {
		c = AzureLLMColumns
		if _, problem := columnAt(header, MooncakeColumns.Time); problem == "" {
			c = MooncakeColumns
		}
	}
	at, ok := findColumns(q.l, header, c.Time, c.Context, c.Generated)
	if !ok {
		return q
	}
	copy(q.at[:], at)
	q.columns, q.clock.unit, q.done = len(header), c.Unit, false
	return q
}

// Err is everything that was wrong in what was read, a *TraceErrors; nil when nothing was.
func (q *Requests) Err() error {
	if q.errs.Count() == 0 {
		return nil
	}
	return q.errs
}

// Next is the next good request. Lines are in order of time; one that isn't is bad.
func (q *Requests) Next() (Request, bool) {
	for !q.done {
		f, ok := nextFields(q.l, &q.fields)
		if !ok {
			q.done = true
			break
		}
		if len(f) != q.columns {
			q.l.fail(0, "%d fields where the header has %d", len(f), q.columns)
			continue
		}
		good := true
		fail := func(k int, what, problem string) {
			if problem != "" {
				q.l.fail(f[q.at[k]].col, "%s: %s", what, problem)
				good = false
			}
		}
		t, problem := q.clock.parse(f[q.at[0]].text, maxArrivalNS)
		fail(0, "time", problem)
		context, problem := parseCount(bytes.TrimSpace(f[q.at[1]].text), math.MaxInt32)
		fail(1, "context tokens", problem)
		generated, problem := parseCount(bytes.TrimSpace(f[q.at[2]].text), math.MaxInt32)
		fail(2, "generated tokens", problem)
		if good && q.first >= 0 && t < q.latest {
			fail(0, "time", fmt.Sprintf("%g s before the line above", float64(q.latest-t)/nsPerS))
		}
		if !good {
			continue
		}
		if q.first < 0 {
			q.first = t
		}
		q.latest = t
		return Request{t - q.first, int32(context), int32(generated)}, true
	}
	return Request{}, false
}
