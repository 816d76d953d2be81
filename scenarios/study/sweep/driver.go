package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"headroom/scenarios"
)

// Study is a study under way, or done.
type Study struct {
	Plan   *Plan
	Maker  *Maker
	Wanted []string // figures that are held in memory for every run
	Shard  Shard
	// Say is told how far the study is, nil for nobody.
	Say func(Count)

	pursuits []pursuit
	Count    Count
	// Bills and Money are the currencies of energy.cost and of money in the runs, where figures of them are wanted.
	Bills, Money currencies
}

// currencies are three-letter names, sorted.
type currencies []string

func (c *currencies) add(names ...string) {
	for _, name := range names {
		if i, ok := slices.BinarySearch(*c, name); !ok && name != "" {
			*c = slices.Insert(*c, i, name)
		}
	}
}

// Count is how far a study is.
type Count struct {
	Asked  int // runs handed out so far
	Whole  int // runs that there will be, 0 where the study decides that as it goes
	Made   int
	Found  int // in the store already
	Failed int
	Tries  int // runs that were tried again
}

// Shard is a part of a study's runs: those whose place in the order of the study leaves the rest I when divided by N.
// The zero value is all of them.
type Shard struct{ I, N int }

// New readies a study. figures are those that the caller wants to draw, besides what the study itself asks for.
func New(st *scenarios.Study, m *Maker, figures []string) *Study {
	s := &Study{Plan: NewPlan(st), Maker: m}
	add := func(list ...string) {
		for _, k := range list {
			if !slices.Contains(s.Wanted, k) && k != "" {
				s.Wanted = append(s.Wanted, k)
			}
		}
	}
	add(figures...)
	add(st.Figures...)
	add(st.SwingFigures...)
	for _, g := range st.Goals {
		add(g.Figure)
	}
	add(st.Replicates.Figure)
	if st.Find != nil {
		for _, c := range st.Find.Where {
			add(c.Key)
		}
	}
	return s
}

// Decides says whether the study decides as it goes which runs it needs.
func (s *Study) Decides() bool {
	return s.Plan.Study.Find != nil || s.Plan.Study.Replicates.Figure != ""
}

// window bounds the runs that are under way, so that memory does not grow with the study; retryAfter is how long a run
// that somebody else makes is left alone.
const (
	window     = 1024
	retryAfter = 50 * time.Millisecond
)

// FailedError says that a study is complete but for runs that failed.
type FailedError struct{ Failed, Runs int }

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d runs failed", e.Failed, e.Runs)
}

func (s *Study) pursuit(point int) pursuit {
	st := s.Plan.Study
	switch {
	case st.Find != nil:
		return newSearch(st.Find, point, st.Replicates.Count)
	case st.Replicates.Figure != "":
		return &until{rule: &st.Replicates, point: point, which: slices.Index(s.Wanted, st.Replicates.Figure)}
	}
	return newFixed(point, st.Replicates.Count)
}

// Run has every run made by whoever works on the queue; ahead is how many the queue can make at once. It returns a
// [FailedError] where some failed, and what is finished stays in the store in any case.
func (s *Study) Run(ctx context.Context, q Queue, ahead int) error {
	points := s.Plan.Points()
	s.pursuits = make([]pursuit, points)
	if !s.Decides() {
		s.Count.Whole = s.shardRuns(points * s.Plan.Study.Replicates.Count)
	}
	d := &driver{Study: s, q: q, ahead: max(ahead, 1), open: map[int64]*Ref{}}
	for {
		if err := d.fill(ctx); err != nil {
			return err
		}
		if len(d.open) == 0 && len(d.active) == 0 && d.nextPoint == points {
			break
		}
		if err := d.answer(ctx); err != nil {
			return err
		}
	}
	if n := s.Count.Failed; n > 0 {
		return &FailedError{n, s.Count.Asked}
	}
	return nil
}

func (s *Study) shardRuns(all int) int {
	if s.Shard.N < 2 {
		return all
	}
	return (all - s.Shard.I + s.Shard.N - 1) / s.Shard.N
}

// driver hands out runs and takes their outcomes.
type driver struct {
	*Study
	q         Queue
	ahead     int
	nextPoint int
	active    []pursuit      // begun and not done
	waiting   []*Ref         // to be submitted
	open      map[int64]*Ref // submitted
	number    int64          // of the last job
	place     int            // of the next run in the order of the study, for shards
	later     []Job          // that somebody else makes
	laterAt   time.Time      // when to ask again
}

// fill begins points and submits runs as long as the window has room.
func (d *driver) fill(ctx context.Context) error {
	d.refresh()
	for len(d.waiting)+len(d.open) < window && d.nextPoint < len(d.pursuits) {
		p := d.pursuit(d.nextPoint)
		d.pursuits[d.nextPoint] = p
		d.nextPoint++
		d.active = append(d.active, p)
		d.waiting = append(d.waiting, d.mine(p.next(d.ahead))...)
	}
	d.refresh()
	for len(d.waiting) > 0 && len(d.open) < window {
		r := d.waiting[0]
		d.waiting = d.waiting[1:]
		d.number++
		d.open[d.number] = r
		d.Count.Asked++
		t := d.Plan.Task(r.Spot)
		t.Replicate = r.Replicate
		if err := d.q.Submit(ctx, Job{Number: d.number, Task: t}); err != nil {
			return err
		}
	}
	return nil
}

// mine leaves the runs of this shard; the others are taken for known, elsewhere.
func (d *driver) mine(refs []*Ref) []*Ref {
	if d.Shard.N < 2 {
		return refs
	}
	var out []*Ref
	for _, r := range refs {
		if d.place%d.Shard.N == d.Shard.I {
			out = append(out, r)
		} else {
			r.ID = elsewhere
		}
		d.place++
	}
	return out
}

// elsewhere stands for the id of a run of another shard.
const elsewhere = "elsewhere"

// refresh drops what is done and asks the rest for more.
func (d *driver) refresh() {
	d.active = slices.DeleteFunc(d.active, func(p pursuit) bool {
		d.waiting = append(d.waiting, p.next(d.ahead)...)
		return p.done()
	})
}

// answer takes one outcome.
func (d *driver) answer(ctx context.Context) error {
	if len(d.later) > 0 {
		wait, stop := context.WithDeadline(ctx, d.laterAt)
		o, err := d.q.Progress(wait)
		stop()
		if err == nil {
			return d.take(ctx, o)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		jobs := d.later
		d.later = nil
		return d.q.Submit(ctx, jobs...)
	}
	if len(d.open) == 0 {
		return nil
	}
	o, err := d.q.Progress(ctx)
	if err != nil {
		return err
	}
	return d.take(ctx, o)
}

func (d *driver) take(ctx context.Context, o Outcome) error {
	r, ok := d.open[o.Job.Number]
	if !ok {
		return nil // told twice
	}
	switch {
	case o.Fatal != nil:
		return o.Fatal
	case o.Busy:
		if len(d.later) == 0 {
			d.laterAt = time.Now().Add(retryAfter)
		}
		d.later = append(d.later, o.Job)
		return nil
	case o.Err != "" && o.Job.Try < d.Plan.Study.Retries:
		d.Count.Tries++
		again := o.Job
		again.Try++
		return d.q.Submit(ctx, again)
	}
	delete(d.open, o.Job.Number)
	d.note(r, &o)
	if d.Say != nil {
		d.Say(d.Count)
	}
	return nil
}

// note fills in what is kept of a run in memory.
func (d *driver) note(r *Ref, o *Outcome) {
	r.ID, r.Err, r.Seed = o.Job.ID, o.Err, o.Job.Seed // without a scenario there is neither id nor seed
	switch {
	case o.Err != "":
		d.Count.Failed++
		r.Held.failed = true
		return
	case o.Found:
		d.Count.Found++
	default:
		d.Count.Made++
	}
	for _, k := range d.Wanted {
		r.Numbers = append(r.Numbers, o.Row.Number(k))
		switch {
		case strings.HasPrefix(k, "energy.cost."):
			d.Bills.add(o.Row.words("energy.cost", "currency")...)
		case strings.HasPrefix(k, "money."):
			d.Money.add(o.Row.words("money.currency", "")...)
		}
	}
	if f := d.Plan.Study.Find; f != nil {
		r.Held = judgeRun(f, o.Row)
	}
}

// Runs are the rows of the study's table, in its order.
func (s *Study) Runs() []*Ref {
	var out []*Ref
	for _, p := range s.pursuits {
		if p == nil {
			continue
		}
		for _, r := range p.rows() {
			if r.ID != elsewhere {
				out = append(out, r)
			}
		}
	}
	return out
}

// Local makes a study with goroutines of this process.
func (s *Study) Local(ctx context.Context, workers int) error {
	workers = max(workers, 1)
	return s.in(ctx, workers, s.Maker.Base.Make)
}

// in makes a study through a pool of workers that do something with each job.
func (s *Study) in(ctx context.Context, workers int, do func(context.Context, Job) Outcome) error {
	pool := NewPool(s.Maker, window+16)
	work, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	for range workers {
		// A worker ends with the pool, or with work, which ends below: its error says nothing more.
		group.Go(func() { _ = Work(work, pool, 0, do) })
	}
	err := s.Run(ctx, pool, workers)
	if err != nil && !errors.As(err, new(*FailedError)) {
		stop() // what is under way is given up; what is finished is stored
	}
	pool.Close()
	group.Wait()
	pool.Drain()
	return err
}

// Gather is Run without making anything: every run has to be in the store. Those that are not are counted by the
// error.
func (s *Study) Gather(ctx context.Context) error {
	missing := 0
	err := s.in(ctx, 1, func(_ context.Context, j Job) Outcome {
		missing++
		j.Try = s.Plan.Study.Retries
		return Outcome{Job: j, Err: "not made yet"}
	})
	if missing > 0 && ctx.Err() == nil {
		return fmt.Errorf("%d runs of the study are in none of the stores", missing)
	}
	return err
}
