package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"headroom/scenarios/study/sweep"
)

// message is a job on its way out, and what became of it on its way back.
type message struct {
	ID   string     `json:"id"`
	Task sweep.Task `json:"task"`
	Try  int        `json:"try"`
	Seed uint64     `json:"seed"`

	Worker    string `json:"worker,omitempty"`
	Delivered uint64 `json:"delivered,omitempty"`
	Err       string `json:"error,omitempty"`
	Row       []byte `json:"row,omitempty"`
}

// Host is the side of a study that submits: it looks runs up in the store, sends out those that are to be made, and
// stores what comes back.
type Host struct {
	link
	names
	maker    *sweep.Maker
	outcomes chan sweep.Outcome
	consume  jetstream.ConsumeContext

	mu   sync.Mutex
	open map[string]*sent // by run id
	Seen Seen
}

// Seen counts what the host saw of its workers.
type Seen struct {
	Workers map[string]int // rows by worker
	Again   int            // rows of runs that had been handed out before
}

type sent struct {
	jobs    []sweep.Job // that wait for this run
	release func()      // ends the claim in the store
}

var _ sweep.Queue = (*Host)(nil)

// HostOptions say how a study is offered.
type HostOptions struct {
	Link     LinkOptions
	Key      string // of the study; letters and digits
	Bundle   *Bundle
	Replicas int // copies of every stream on a cluster; 1 on a single server
}

// NewHost offers a study on a server. What an earlier process left of the same study on it is taken up.
func NewHost(ctx context.Context, m *sweep.Maker, o HostOptions) (*Host, error) {
	l, err := connect(o.Link)
	if err != nil {
		return nil, err
	}
	h := &Host{
		link: *l, names: names{o.Key}, maker: m, outcomes: make(chan sweep.Outcome, 4096),
		open: map[string]*sent{}, Seen: Seen{Workers: map[string]int{}},
	}
	replicas := max(1, o.Replicas)
	err = keepTrying(ctx, nil, func(ctx context.Context) error { return h.streams(ctx, h.names, o.Bundle.Lease, replicas) })
	if err != nil {
		err = h.refused(err)
		h.nc.Close()
		return nil, err
	}
	done, err := h.js.Consumer(ctx, h.names.done(), "store")
	if err != nil {
		h.nc.Close()
		return nil, err
	}
	// Rows that wait since before this process go to the store first, so that their runs are not asked for again.
	for {
		batch, err := done.FetchNoWait(256)
		if err != nil {
			h.nc.Close()
			return nil, err
		}
		n := 0
		for msg := range batch.Messages() {
			n++
			h.receive(msg)
		}
		if n == 0 {
			break
		}
	}
	if h.consume, err = done.Consume(h.receive, jetstream.PullMaxMessages(64)); err != nil {
		h.nc.Close()
		return nil, err
	}
	// Files may be large: this has no timeout of its own.
	if err := h.putBundle(ctx, h.names, o.Bundle, replicas); err != nil {
		h.nc.Close()
		return nil, err
	}
	return h, nil
}

// Submit sends out the jobs that are not in the store.
func (h *Host) Submit(ctx context.Context, jobs ...sweep.Job) error {
	for _, j := range jobs {
		if err := h.submit(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) submit(ctx context.Context, j sweep.Job) error {
	if id, err := h.maker.Base.ID(&j.Task); err == nil {
		h.mu.Lock()
		s := h.open[id]
		if s != nil { // under way for another place in the study
			j.ID = id
			s.jobs = append(s.jobs, j)
		}
		h.mu.Unlock()
		if s != nil {
			return nil
		}
	}
	o, done, release := h.maker.Locate(&j)
	if done {
		h.outcomes <- o
		return nil
	}
	h.mu.Lock()
	h.open[j.ID] = &sent{jobs: []sweep.Job{j}, release: release}
	h.mu.Unlock()
	data, err := json.Marshal(message{ID: j.ID, Task: j.Task, Try: j.Try, Seed: j.Seed})
	if err != nil {
		return err
	}
	err = keepTrying(ctx, taken, func(ctx context.Context) error {
		_, err := h.js.Publish(ctx, h.job(j.ID, j.Try), data)
		return err
	})
	if taken(err) { // sent by an earlier process, and still there
		return nil
	}
	return err
}

// taken says that a job is in its stream already.
func taken(err error) bool {
	return err != nil && strings.Contains(err.Error(), "maximum messages per subject exceeded")
}

// receive stores a row and answers all that wait for it; only then is it taken off the stream.
func (h *Host) receive(msg jetstream.Msg) {
	var m message
	if err := json.Unmarshal(msg.Data(), &m); err != nil {
		_ = msg.Term() // not ours
		return
	}
	o := sweep.Outcome{Err: m.Err}
	if m.Row != nil {
		var row sweep.Row
		if err := row.UnmarshalBinary(m.Row); err != nil {
			o.Err = "the row of worker " + m.Worker + ": " + err.Error()
		} else if row.ID != m.ID {
			o.Err = "worker " + m.Worker + " sent the row of another run: " + row.ID
		} else {
			o.Row = &row
		}
	}
	h.maker.Keep(&o)
	h.mu.Lock()
	s := h.open[m.ID]
	delete(h.open, m.ID)
	if o.Row != nil || s != nil {
		h.Seen.Workers[m.Worker]++
		if m.Delivered > 1 {
			h.Seen.Again++
		}
	}
	h.mu.Unlock()
	if o.Fatal == nil {
		_ = msg.Ack() // unheard, it comes again and is stored again as it is
	}
	if s == nil {
		return // of before, or told twice
	}
	s.release()
	for _, j := range s.jobs {
		x := o
		x.Job = j
		h.outcomes <- x
	}
}

// Take is for workers.
func (h *Host) Take(context.Context) (*sweep.Lease, error) { return nil, sweep.ErrClosed }

// Heartbeat is for workers.
func (h *Host) Heartbeat(context.Context, *sweep.Lease) error { return sweep.ErrClosed }

// Finish is for workers.
func (h *Host) Finish(context.Context, *sweep.Lease, sweep.Outcome) error { return sweep.ErrClosed }

// Progress waits for the next outcome.
func (h *Host) Progress(ctx context.Context) (sweep.Outcome, error) {
	select {
	case o := <-h.outcomes:
		return o, nil
	case <-ctx.Done():
		return sweep.Outcome{}, ctx.Err()
	}
}

// Close ends the study: where it is finished its streams are taken away and workers are told to go home; otherwise all
// stays as it is for the next process.
func (h *Host) Close(ctx context.Context, finished bool) error {
	var err error
	if finished {
		err = tryOnce(ctx, func(ctx context.Context) error { return h.remove(ctx, h.names) })
		_ = h.nc.Publish(h.end(), nil)
		_ = h.nc.FlushTimeout(askTimeout)
	}
	h.consume.Stop()
	h.nc.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.open {
		s.release()
	}
	return err
}

// Studies are the keys of the studies that a server has.
func (l *link) studies(ctx context.Context) ([]string, error) {
	var keys []string
	lister := l.js.ObjectStoreNames(ctx)
	for name := range lister.Name() {
		if key, ok := strings.CutPrefix(name, bundlePrefix); ok {
			keys = append(keys, key)
		}
	}
	err := lister.Error()
	if errors.Is(err, nats.ErrNoStreamResponse) {
		return nil, fmt.Errorf("the server has no JetStream: %w", err)
	}
	return keys, err
}

// Forget removes the studies but one from a server that is ours alone.
func Forget(ctx context.Context, o LinkOptions, but string) error {
	l, err := connect(o)
	if err != nil {
		return err
	}
	defer l.nc.Close()
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	keys, err := l.studies(ctx)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k != but {
			if err := l.remove(ctx, names{k}); err != nil {
				return err
			}
		}
	}
	return nil
}
