package sweep

import (
	"context"
	"sync"
)

// Pool is the queue inside one process: jobs and outcomes go through channels, and leases cannot be lost.
type Pool struct {
	maker    *Maker
	jobs     chan Job
	outcomes chan Outcome
	saves    chan saving
	closed   chan struct{}
	saver    sync.WaitGroup

	mu   sync.Mutex
	held map[*Lease]func() // claims of jobs that are being made
}

type saving struct {
	outcome Outcome
	release func()
}

// savedAtOnce bounds the runs that are written and synced together.
const savedAtOnce = 256

// NewPool makes a queue of at most room jobs that are under way.
func NewPool(m *Maker, room int) *Pool {
	p := &Pool{
		maker: m, jobs: make(chan Job, room), outcomes: make(chan Outcome, room),
		saves: make(chan saving, room), closed: make(chan struct{}), held: map[*Lease]func(){},
	}
	p.saver.Go(p.save)
	return p
}

var _ Queue = (*Pool)(nil)

// save stores finished runs while workers go on: waiting for a disk to sync costs no processor, and whatever is finished
// meanwhile is synced together the next time.
func (p *Pool) save() {
	for first := range p.saves {
		batch := []saving{first}
	gather:
		for len(batch) < savedAtOnce {
			select {
			case s, ok := <-p.saves:
				if !ok {
					break gather
				}
				batch = append(batch, s)
			default:
				break gather
			}
		}
		outcomes := make([]*Outcome, len(batch))
		for i := range batch {
			outcomes[i] = &batch[i].outcome
		}
		p.maker.Keep(outcomes...)
		for i := range batch {
			batch[i].release()
			p.outcomes <- batch[i].outcome
		}
	}
}

// Submit hands over jobs.
func (p *Pool) Submit(ctx context.Context, jobs ...Job) error {
	for _, j := range jobs {
		select {
		case p.jobs <- j:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Take waits for a job that has to be made. What the store has already is answered on the way.
func (p *Pool) Take(ctx context.Context) (*Lease, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.closed:
			return nil, ErrClosed
		case j := <-p.jobs:
			o, done, release := p.maker.Locate(&j)
			if !done {
				l := &Lease{Job: j}
				p.mu.Lock()
				p.held[l] = release
				p.mu.Unlock()
				return l, nil
			}
			p.outcomes <- o
		}
	}
}

// Heartbeat does nothing: a worker of this process is alive as long as the process.
func (p *Pool) Heartbeat(context.Context, *Lease) error { return nil }

// Finish has the outcome stored and passed on, and does not wait for it.
func (p *Pool) Finish(_ context.Context, l *Lease, o Outcome) error {
	p.mu.Lock()
	release := p.held[l]
	delete(p.held, l)
	p.mu.Unlock()
	p.saves <- saving{o, release}
	return nil
}

// Progress waits for the next outcome.
func (p *Pool) Progress(ctx context.Context) (Outcome, error) {
	select {
	case o := <-p.outcomes:
		return o, nil
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// Close lets workers go home; what they hold is finished first by whoever waits for them.
func (p *Pool) Close() { close(p.closed) }

// Drain waits, after the last worker has gone, until all that was finished is stored; what was given up is no longer
// claimed.
func (p *Pool) Drain() {
	for _, release := range p.held {
		release()
	}
	close(p.saves)
	done := make(chan struct{})
	go func() { p.saver.Wait(); close(done) }()
	for {
		select {
		case <-p.outcomes: // nobody asks any more
		case <-done:
			return
		}
	}
}
