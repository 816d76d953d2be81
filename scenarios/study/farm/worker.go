package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"headroom/scenarios/study/sweep"
)

// Worker is the side of a study that makes runs. It is one connection; several goroutines may take jobs from it.
type Worker struct {
	link
	names
	name   string
	lease  time.Duration
	Bundle *Bundle
	jobs   jetstream.Consumer
	ended  chan struct{} // closed when the study is over

	// Say is told of every run, nil for nobody: "start", "done", "failed", "held" (by another worker), "lost" (the lease).
	Say func(what, id string)
}

var _ sweep.Queue = (*Worker)(nil)

// mostDeliveries is how often a job is taken up before it is given up: a run that kills whoever makes it must end.
const mostDeliveries = 200

// Join connects to a server and waits until there is a study on it: the one of the key, or any.
func Join(ctx context.Context, o LinkOptions, key string) (*Worker, error) {
	l, err := connect(o)
	if err != nil {
		return nil, err
	}
	w := &Worker{link: *l, name: o.Name, ended: make(chan struct{})}
	for w.Bundle == nil {
		if err := w.look(ctx, key); err != nil {
			err = w.refused(err)
			w.nc.Close()
			return nil, err
		}
	}
	w.lease = w.Bundle.Lease
	_, err = w.nc.Subscribe(w.end(), func(*nats.Msg) {
		select {
		case <-w.ended:
		default:
			close(w.ended)
		}
	})
	return w, err
}

// bundleTimeout is for one try at fetching a scenario with its files, which may be large.
const bundleTimeout = 5 * time.Minute

// look waits for a study and fetches what there is to know of it. The bundle stays nil where that did not work out: the
// server went away meanwhile, or the study did.
func (w *Worker) look(ctx context.Context, key string) error {
	err := keepTrying(ctx, nil, func(ctx context.Context) error {
		keys, err := w.studies(ctx)
		if err != nil {
			return err
		}
		slices.Sort(keys)
		for _, k := range keys {
			if key == "" || k == key {
				w.names = names{k}
				if w.jobs, err = w.js.Consumer(ctx, w.names.jobs(), workersName); err == nil {
					return nil
				}
			}
		}
		return errors.New("no study yet")
	})
	if err != nil {
		return err
	}
	fetch, stop := context.WithTimeout(ctx, bundleTimeout)
	defer stop()
	if w.Bundle, err = w.getBundle(fetch, w.names); err != nil {
		w.Bundle = nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryWait):
		}
	}
	return nil
}

// Beat is how often a lease has to be renewed.
func (w *Worker) Beat() time.Duration { return w.lease / 3 }

// Close leaves the server.
func (w *Worker) Close() { w.nc.Close() }

// Submit is for the host.
func (w *Worker) Submit(context.Context, ...sweep.Job) error { return sweep.ErrClosed }

// Progress is for the host.
func (w *Worker) Progress(context.Context) (sweep.Outcome, error) {
	return sweep.Outcome{}, sweep.ErrClosed
}

// held is a job with the place of its lease.
type held struct {
	msg       jetstream.Msg
	lease     uint64 // sequence of our message on it
	delivered uint64
}

func (w *Worker) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// Take waits for a job and its lease. It returns ErrClosed when the study is over.
func (w *Worker) Take(ctx context.Context) (*sweep.Lease, error) {
	for {
		if w.over() {
			return nil, sweep.ErrClosed
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		msg, err := w.jobs.Next(jetstream.FetchMaxWait(2 * time.Second))
		switch {
		case errors.Is(err, nats.ErrTimeout), errors.Is(err, jetstream.ErrNoMessages):
			if w.gone(ctx) {
				return nil, sweep.ErrClosed
			}
			continue
		case err != nil:
			if w.nc.IsConnected() && w.gone(ctx) {
				return nil, sweep.ErrClosed
			}
			select { // no server just now: the connection comes back by itself
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-w.ended:
			case <-time.After(retryWait):
			}
			continue
		}
		var m message
		id := idIn(msg.Subject())
		bad := json.Unmarshal(msg.Data(), &m) != nil || m.ID != id
		h := &held{msg: msg}
		if meta, err := msg.Metadata(); err == nil {
			h.delivered = meta.NumDelivered
		}
		l := &sweep.Lease{Job: sweep.Job{ID: m.ID, Task: m.Task, Try: m.Try, Seed: m.Seed}, Handle: h}
		if bad { // told under the id that it stands in the place of, so that the host sends that one again
			l.Job = sweep.Job{ID: id}
			if err := w.Finish(ctx, l, sweep.Outcome{Job: l.Job, Err: "what was in the queue is no job"}); err != nil {
				return nil, err
			}
			continue
		}
		if h.delivered > mostDeliveries {
			o := sweep.Outcome{Job: l.Job, Err: fmt.Sprintf("given up: it was handed out %d times and no worker finished it", h.delivered-1)}
			if err := w.Finish(ctx, l, o); err != nil {
				return nil, err
			}
			continue
		}
		if !w.claim(ctx, l, h, 0) {
			w.say("held", m.ID)
			_ = msg.NakWithDelay(max(w.lease/4, 250*time.Millisecond))
			continue
		}
		w.say("start", m.ID)
		return l, nil
	}
}

func (w *Worker) say(what, id string) {
	if w.Say != nil {
		w.Say(what, id)
	}
}

// gone says that the study's stream is no longer there.
func (w *Worker) gone(ctx context.Context) bool {
	err := tryOnce(ctx, func(ctx context.Context) error {
		_, err := w.js.Stream(ctx, w.names.jobs())
		return err
	})
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// claim writes the lease if the last message on it is the one given: 0 for none, which is so where it never was or has
// expired.
func (w *Worker) claim(ctx context.Context, l *sweep.Lease, h *held, last uint64) bool {
	err := tryOnce(ctx, func(ctx context.Context) error {
		ack, err := w.js.Publish(ctx, w.names.lease(l.Job.ID), []byte(w.name),
			jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithMsgTTL(max(w.lease, time.Second)))
		if err == nil {
			h.lease = ack.Sequence
		}
		return err
	})
	return err == nil
}

// Heartbeat renews the lease of a job, and its place in the stream.
func (w *Worker) Heartbeat(ctx context.Context, l *sweep.Lease) error {
	h := l.Handle.(*held)
	err := h.msg.InProgress()
	if !w.claim(ctx, l, h, h.lease) && !w.claim(ctx, l, h, 0) {
		w.say("lost", l.Job.ID)
		return errors.New("the lease is lost")
	}
	return err
}

// Finish sends the outcome, and takes the job off its stream once the outcome is safe.
func (w *Worker) Finish(ctx context.Context, l *sweep.Lease, o sweep.Outcome) error {
	h := l.Handle.(*held)
	m := message{ID: l.Job.ID, Task: l.Job.Task, Try: l.Job.Try, Seed: l.Job.Seed, Worker: w.name, Delivered: h.delivered, Err: o.Err}
	if o.Row != nil {
		if o.Row.ID != l.Job.ID {
			m.Err = fmt.Sprintf("worker %s made run %s of job %s: is its version the same?", w.name, o.Row.ID, l.Job.ID)
		} else {
			data, err := o.Row.MarshalBinary()
			if err != nil {
				return err
			}
			m.Row = data
		}
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// Where the study is over, another worker has made this run as well, and nobody is left to hear of it.
	gone := func(err error) bool {
		return w.over() || errors.Is(err, jetstream.ErrNoStreamResponse) && w.gone(ctx)
	}
	err = keepTrying(ctx, gone, func(ctx context.Context) error {
		_, err := w.js.Publish(ctx, w.row(l.Job.ID), data)
		return err
	})
	if err != nil && !gone(err) {
		return err
	}
	if err == nil {
		// An acknowledgement that is not heard costs a second run.
		_ = keepTrying(ctx, func(error) bool { return w.over() || w.nc.IsConnected() }, h.msg.DoubleAck)
	}
	if o.Err != "" {
		w.say("failed", l.Job.ID)
	} else {
		w.say("done", l.Job.ID)
	}
	return nil
}
