// Package workload holds job classes, arrivals and traces: what asks for GPUs, when and for how long.
package workload

// Kind is the kind of work; it sets how strongly clocks slow it.
type Kind uint8

// Kinds of work.
const (
	Training Kind = iota // gang-scheduled, synchronous, checkpoints
	FineTuning
	Inference // replicas under a request rate that changes over the day
	Batch
)

// Job is one request for GPUs.
type Job struct {
	ID          int32
	Class       int32
	Arrival     int64   // ns after the start of the run
	GPUs        int32   // ≥ 1
	Milli       int32   // share of one GPU in thousandths where GPUs is 1; 0: whole GPUs
	CPUMilli    int32   // thousandths of a CPU of the whole job; 0: not counted
	MemMiB      int32   // memory of the whole job; 0: not counted
	Types       uint64  // a bit for each type of GPU that will do (TraceOptions.Types, Class.Types); 0: any
	Tenant      int32   // index of who asks, for fair shares
	Priority    int32   // higher goes first where the policy heeds it
	WorkS       float64 // seconds at full clock on its GPUs; +Inf for a service that runs to the end
	Activity    float64 // u while it runs, [0, 1]
	MemoryBound float64 // [0, 1]
}

// Class is one line of a workload.
type Class struct {
	Name string
	Kind Kind
	// GPUs are the sizes with their weights; a service has one size, the GPUs of a replica.
	GPUs []Size
	// Replicas is the number of replicas of a service, 0 for every other kind.
	Replicas int
	// Least is how many of them there are at the start where their number follows the load; 0: all of them.
	Least int
	// RatePerS is the mean arrival rate of jobs. Arrivals are Poisson, with the rate of the hour where Week is given and
	// with bursts where Burst is.
	RatePerS float64
	// Week is the arrival rate by hour of the week, Monday 00:00 first, in any unit: it is scaled so that its mean is
	// RatePerS. StartHour is the hour of the week, with its fraction, at which the run begins.
	Week      []float64
	StartHour float64
	Burst     *Burst
	// MedianS and SigmaLn are the log-normal length at full clock. With WeibullShape above 0 it is a Weibull length of that
	// median and shape instead, and with Lengths an empirical one.
	MedianS, SigmaLn float64
	WeibullShape     float64
	Lengths          []Quantile
	// Activity is u while a job runs; a service multiplies it by Profile.
	Activity    float64
	MemoryBound float64
	// Profile is the share of peak load by hour of the week, Monday 00:00 first; nil: constant.
	Profile []float64
	// CheckpointS is the interval between checkpoints, 0: Young's default from the failure rate and
	// CheckpointCostS; Inf: none.
	CheckpointS, CheckpointCostS float64
	Restart                      bool   // a job that loses a server is queued again
	Milli                        int32  // thousandths of a GPU that each job takes, where it takes one; 0: whole GPUs
	Slice                        Slice  // cut out of a GPU for each job, none where Memory is 0; Milli then is its memory
	Types                        uint64 // a bit for each model of server (by index) that will do; 0: any
	Tenant                       int32  // who asks: index of the scheduling tenants
	Priority                     int32
	Spot                         Spot
	DeferS                       float64 // how long a job may be held for a better hour
	// Throughput is what a job of a named model gives, by server model and size; nil where no model is named.
	Throughput []Throughput
	Trace      string // file it was read from, "" when synthetic
	Line       int
}

// Slice is a part of a GPU that is cut out (a multi-instance profile): so many of its 7 parts of compute and of its 8 of memory,
// Starts with a bit for each part of memory at which it may begin.
type Slice struct {
	Name                    string
	Compute, Memory, Starts uint8
}

// Spot says whether and how a running job gives way to a more urgent one.
type Spot uint8

// Kinds of spot jobs.
const (
	NotSpot        Spot = iota
	SpotCheckpoint      // it is given the time to save its work
	SpotLose            // it goes back to its last checkpoint
	SpotKill            // it is gone
)

// Size is a number of GPUs and its weight in the mix.
type Size struct {
	GPUs   int
	Weight uint64
	// Stretch multiplies the length of jobs of this size; 0: 1.
	Stretch float64
}

// Burst makes arrivals a Markov-modulated Poisson process of two states: bursts, of exponential length, in which jobs
// arrive Ratio times as fast as between them.
type Burst struct {
	Ratio float64 // above 1
	Share float64 // of time in bursts, between 0 and 1
	MeanS float64 // mean length of a burst
}

// Quantile is one point of an empirical distribution: the share P of values is at most S.
type Quantile struct{ P, S float64 }

// Source yields jobs in order of arrival.
type Source interface {
	Next() (Job, bool)
}

// String is the kind as a scenario writes it.
func (k Kind) String() string {
	return [...]string{"training", "fine-tuning", "inference", "batch"}[k]
}
