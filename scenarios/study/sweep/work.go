package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Maker makes jobs and keeps what comes out.
type Maker struct {
	Base  *Base
	Store *Store
}

// Locate looks a job up before it is made: it is in the store, its scenario does not load, or somebody else makes it
// now. done is false where it has to be made; release then ends this process's claim on it.
func (m *Maker) Locate(j *Job) (o Outcome, done bool, release func()) {
	o = Outcome{Job: *j}
	id, err := m.Base.ID(&j.Task)
	if err != nil {
		o.Err = errText(err)
		return o, true, nil
	}
	j.ID = id
	j.Seed, _ = m.Base.Seed(&j.Task) // no error: the id is there
	o.Job = *j
	if m.found(&o) {
		return o, true, nil
	}
	release, ok, err := m.Store.Claim(id)
	switch {
	case err != nil:
		o.Fatal = fmt.Errorf("store %s: %w", m.Store.Dir(), err)
	case !ok:
		o.Busy = true
	default:
		if m.found(&o) { // finished since the first look
			release()
			return o, true, nil
		}
		return o, false, release
	}
	return o, true, nil
}

func (m *Maker) found(o *Outcome) bool {
	row, ok, err := m.Store.Get(o.Job.ID)
	if err != nil {
		o.Fatal = fmt.Errorf("store %s: %w", m.Store.Dir(), err)
		return true
	}
	if ok {
		o.Row, o.Found = &row, true
	}
	return ok
}

// Keep stores what jobs gave, all of it with one sync.
func (m *Maker) Keep(list ...*Outcome) {
	var rows []*Row
	var of []*Outcome
	for _, o := range list {
		if o.Row != nil {
			rows, of = append(rows, o.Row), append(of, o)
		}
	}
	if len(rows) == 0 {
		return
	}
	kept, err := m.Store.Put(rows...)
	for i := kept; i < len(of) && err != nil; i++ {
		of[i].Fatal = fmt.Errorf("store %s: %w", m.Store.Dir(), err)
	}
}

// Make makes a job's run, without the store.
func (b *Base) Make(ctx context.Context, j Job) Outcome {
	o := Outcome{Job: j}
	row, err := b.Run(ctx, &j.Task)
	if err != nil {
		o.Err = errText(err)
		return o
	}
	o.Row, o.Job.ID = &row, row.ID
	return o
}

// Work takes jobs and makes them until the queue is closed or ctx ends. Every lease is kept alive by a heartbeat each
// beat. A job that ctx interrupts is not finished: it goes back with its lease.
func Work(ctx context.Context, q Queue, beat time.Duration, do func(context.Context, Job) Outcome) error {
	for {
		lease, err := q.Take(ctx)
		if errors.Is(err, ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		outcome := withHeartbeat(ctx, q, lease, beat, do)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := q.Finish(ctx, lease, outcome); err != nil {
			return err
		}
	}
}

func withHeartbeat(ctx context.Context, q Queue, lease *Lease, beat time.Duration, do func(context.Context, Job) Outcome) Outcome {
	ctx, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	if beat > 0 {
		beats.Go(func() {
			tick := time.NewTicker(beat)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					_ = q.Heartbeat(ctx, lease) // a lost lease costs a second run, not a wrong one
				}
			}
		})
	}
	o := do(ctx, lease.Job)
	stop()
	beats.Wait()
	return o
}
