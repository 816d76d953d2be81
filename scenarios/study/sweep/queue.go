package sweep

import (
	"context"
	"errors"
)

// Job is one run on its way through a queue.
type Job struct {
	Number int64  `json:"number"` // what the outcome answers
	ID     string `json:"id"`     // of the run; it keys leases
	Task   Task   `json:"task"`
	Try    int    `json:"try"` // from 0
	Seed   uint64 `json:"seed"`
}

// Outcome is what became of a job.
type Outcome struct {
	Job   Job
	Row   *Row   // nil where the run failed
	Err   string // why it failed
	Found bool   // it was in the store and was not made
	Busy  bool   // another process makes it now: ask again later
	// Fatal ends the study: the store cannot be written.
	Fatal error
}

// Lease is a job that a worker holds until it finishes it or stops its heartbeats.
type Lease struct {
	Job    Job
	Handle any // the queue's own
}

// ErrClosed says that a queue will give out no more jobs.
var ErrClosed = errors.New("the queue is closed")

// Queue carries jobs to workers and outcomes back. The side that submits calls Submit and Progress, workers call
// Take, Heartbeat and Finish. A queue may deliver a job again when its worker is silent, and may lose all it holds;
// the store, not the queue, knows what is finished.
type Queue interface {
	// Submit hands over jobs. It may wait until there is room.
	Submit(ctx context.Context, jobs ...Job) error
	// Take waits for a job. It returns ErrClosed when there will be none.
	Take(ctx context.Context) (*Lease, error)
	// Heartbeat keeps a lease. It returns an error when the lease is lost, and the run may go on all the same.
	Heartbeat(ctx context.Context, l *Lease) error
	// Finish hands over an outcome and ends the lease.
	Finish(ctx context.Context, l *Lease, o Outcome) error
	// Progress waits for the next outcome, in any order.
	Progress(ctx context.Context) (Outcome, error)
}
