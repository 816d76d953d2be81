package workload

import (
	"fmt"
	"math"
	"strings"
)

// TraceOptions say how a trace is read.
type TraceOptions struct {
	// Columns are the CSV columns; an empty name is the default: arrival_s, num_gpus, duration_s.
	Columns TraceColumns
	// TimeUnit is the unit of times and durations in a CSV trace.
	TimeUnit TimeUnit
	// Filter keeps the rows whose columns have these values, all of them, as in "vc": "0e4a51". CSV only.
	Filter map[string]string
	// StartS and EndS keep the jobs that arrive from StartS up to but not at EndS, in the trace's own seconds, and count
	// arrivals from StartS. EndS 0 is the end of the trace. FromFirst counts both from the first line of the file.
	StartS, EndS float64
	FromFirst    bool
	// ReorderS is how much earlier than one before it a line may arrive; an earlier one is bad. 0: a trace that is read as
	// a whole may be in any order, one that is streamed must be in order.
	ReorderS float64
	// Speed divides run times: how much faster the simulated GPU is than the one the trace was recorded on. 0: 1.
	Speed float64
	// RateScale divides times of arrival: 2 sends the same jobs twice as fast. 0: 1.
	RateScale float64
	// SizeScale multiplies GPUs, rounded to whole ones and to at least one (shares of a GPU to thousandths). 0: 1.
	SizeScale float64
	// SkipNoGPU leaves out jobs that ask for no GPU, counted in the report; without it they are errors.
	SkipNoGPU bool
	// Types gives each name of a GPU type the servers that will do, a bit each; Tenants numbers tenants by name; QoS gives
	// each quality of service its priority. They are read when their column is named.
	Types   map[string]uint64
	Tenants *Tenants
	QoS     map[string]int32
	// Report, where it is not nil, counts what was left out on purpose.
	Report *TraceReport
	// Class, Activity and MemoryBound are copied into every job.
	Class       int32
	Activity    float64
	MemoryBound float64
}

// TraceColumns name the columns of a CSV trace. Those but the first three are read only when they are named.
type TraceColumns struct {
	Arrival  string // from any start, not negative
	GPUs     string // whole GPUs, at least 1
	Duration string // at full clock, not negative
	Start    string // with End: when the job started; empty: at its arrival
	End      string // when it ended; the duration is what lies between, and the column of durations isn't read
	Milli    string // thousandths of a GPU, where GPUs is 1
	CPUMilli string // thousandths of a CPU
	MemMiB   string
	Types    string // names of GPU types that will do, by "|"
	QoS      string
	Tenant   string
	Priority string
}

// AlibabaColumns are those of the Alibaba GPU trace of 2023 (cluster-trace-gpu-v2023, "openb").
var AlibabaColumns = TraceColumns{
	Arrival: "creation_time", Start: "scheduled_time", End: "deletion_time", GPUs: "num_gpu", Milli: "gpu_milli",
	CPUMilli: "cpu_milli", MemMiB: "memory_mib", Types: "gpu_spec", QoS: "qos",
}

// AlibabaQoS are the qualities of service of that trace as priorities: latency-sensitive and guaranteed before burstable
// before best-effort. The order is Kubernetes' own.
var AlibabaQoS = map[string]int32{"LS": 3, "Guaranteed": 2, "Burstable": 1, "BE": 0}

// TimeUnit is how a CSV trace writes times.
type TimeUnit uint8

// Time units. Dates are "2006-01-02 15:04:05" with or without decimals and with a blank or a T; durations are then seconds.
const (
	Seconds TimeUnit = iota
	Milliseconds
	Microseconds
	Dates
)

// Tenants numbers tenants by name.
type Tenants struct {
	Names []string
	index map[string]int32
}

// Index is the number of a tenant; a new one is added.
func (t *Tenants) Index(name []byte) int32 {
	if i, ok := t.index[string(name)]; ok {
		return i
	}
	if t.index == nil {
		t.index = map[string]int32{}
		for i, n := range t.Names {
			t.index[n] = int32(i)
		}
		if i, ok := t.index[string(name)]; ok {
			return i
		}
	}
	i := int32(len(t.Names))
	t.Names = append(t.Names, string(name))
	t.index[t.Names[i]] = i
	return i
}

// TraceReport counts what a reader left out on purpose, by reason.
type TraceReport struct {
	Jobs    int64
	LeftOut map[string]int64
}

func (o *TraceOptions) note(reason string) {
	if o.Report == nil {
		return
	}
	if o.Report.LeftOut == nil {
		o.Report.LeftOut = map[string]int64{}
	}
	o.Report.LeftOut[reason]++
}

// wholeMilli is one GPU in thousandths.
const wholeMilli = 1000

// job finishes a job from its times as the trace writes them; false when it lies outside the window.
func (o *TraceOptions) job(j Job, arrivalNS, workNS int64, w *window) (Job, bool) {
	if o.FromFirst {
		if !w.has {
			w.first, w.has = arrivalNS, true
		}
		arrivalNS -= w.first
	}
	if arrivalNS < w.startNS || arrivalNS >= w.endNS {
		o.note("outside the window")
		return Job{}, false
	}
	j.Class, j.Activity, j.MemoryBound = o.Class, o.Activity, o.MemoryBound
	j.Arrival, j.WorkS = arrivalNS-w.startNS, float64(workNS)/nsPerS
	if o.RateScale > 0 && o.RateScale != 1 {
		j.Arrival = int64(math.Round(math.Min(float64(j.Arrival)/o.RateScale, float64(maxArrivalNS))))
	}
	if o.Speed > 0 && o.Speed != 1 {
		j.WorkS = wholeNS(math.Min(j.WorkS/o.Speed, MaxWorkS))
	}
	if k := o.SizeScale; k > 0 && k != 1 {
		if j.Milli > 0 {
			j.GPUs, j.Milli = scaleShare(float64(j.Milli) * k)
		} else {
			j.GPUs = int32(math.Min(math.Max(1, math.Round(float64(j.GPUs)*k)), math.MaxInt32))
		}
	}
	return j, true
}

// scaleShare is a number of thousandths as a share of one GPU, or as whole GPUs when it is more.
func scaleShare(milli float64) (gpus, share int32) {
	if milli < wholeMilli {
		return 1, int32(math.Max(1, math.Round(milli)))
	}
	return int32(math.Min(math.Round(milli/wholeMilli), math.MaxInt32)), 0
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

// Count is the number of errors.
func (e *TraceErrors) Count() int { return len(e.List) + e.More }

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
