package sched

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// toy is a machine room without heat: jobs run as long as they say, and the scheduler is asked after every instant.
type toy struct {
	s      *Scheduler
	jobs   []toyJob
	now    int64
	watch  func(t *toy, step Step)
	before func() // each time the scheduler is asked
}

type toyJob struct {
	Demand
	atNS, workNS       int64
	left               int64
	tenant, priority   int32
	spot               bool
	startNS, endNS     int64 // of the current run; startNS −1 while it waits
	firstNS            int64
	done, in, rejected bool
	evicted            int
}

func (t *toy) Demand(j int32) *Demand { return &t.jobs[j].Demand }
func (t *toy) EndNS(j int32) int64    { return t.jobs[j].endNS }
func (t *toy) Spot(j int32) bool      { return t.jobs[j].spot }

func (t *toy) waiting(j int32) Waiting {
	x := &t.jobs[j]
	return Waiting{Job: j, Tenant: x.tenant, Priority: x.priority, MilliGPUs: x.MilliGPUs(), WorkS: float64(x.left) / 1e9}
}

// run plays all jobs to their end.
func (t *toy) run() {
	for i := range t.jobs {
		j := &t.jobs[i]
		j.left, j.startNS, j.firstNS, j.endNS = j.workNS, -1, -1, math.MaxInt64
	}
	for {
		at := int64(math.MaxInt64)
		for i := range t.jobs {
			switch j := &t.jobs[i]; {
			case !j.in:
				at = min(at, j.atNS)
			case j.startNS >= 0:
				at = min(at, j.endNS)
			}
		}
		if w := t.s.WakeNS(); w > t.now {
			at = min(at, w)
		}
		if at == math.MaxInt64 {
			return
		}
		t.now = at
		for i := range t.jobs {
			if j := &t.jobs[i]; j.startNS >= 0 && j.endNS == at {
				t.s.Stop(int32(i))
				j.startNS, j.endNS, j.left, j.done = -1, math.MaxInt64, 0, true
			}
		}
		for i := range t.jobs {
			if j := &t.jobs[i]; !j.in && j.atNS == at {
				j.in = true
				if ok, _ := t.s.Admissible(j.tenant, &j.Demand); !ok {
					j.rejected = true
					continue
				}
				t.s.Push(t.waiting(int32(i)))
			}
		}
		for {
			if t.before != nil {
				t.before()
			}
			step, ok := t.s.Next(t.now)
			if !ok {
				break
			}
			if t.watch != nil {
				t.watch(t, step)
			}
			j := &t.jobs[step.Job]
			if step.Evict {
				j.left, j.startNS, j.endNS = j.endNS-t.now, -1, math.MaxInt64
				j.evicted++
				t.s.Stop(step.Job)
				t.s.PushFront(t.waiting(step.Job))
				continue
			}
			j.startNS, j.endNS = t.now, t.now+j.left
			if j.firstNS < 0 {
				j.firstNS = t.now
			}
		}
	}
}

// drawn makes a room and its jobs. Accounts of both kinds are drawn.
func drawn(t *rapid.T, r Rules, unit bool) *toy {
	n := rapid.IntRange(1, 6).Draw(t, "servers")
	size := int32(8)
	if unit {
		size = 1
	}
	x := &toy{}
	var a Account
	shares := rapid.Bool().Draw(t, "shares")
	if shares {
		spec := make([]NodeSpec, n)
		for i := range spec {
			spec[i] = NodeSpec{GPUs: size, Type: i % 2, Rack: int32(i / 2)}
		}
		p := rapid.SampledFrom(AllPlacements()).Draw(t, "placement")
		a = NewNodes(spec, &p, nil)
	} else {
		gpus := slices.Repeat([]int32{size}, n)
		a = NewWholeGPUs(gpus)
	}
	x.s = New(a, x, r)
	shortest := 0
	if unit {
		shortest = 1 // planned ends are at least a moment from now, so jobs of no length may wait that moment
	}
	x.jobs = make([]toyJob, rapid.IntRange(1, 30).Draw(t, "jobs"))
	for i := range x.jobs {
		j := &x.jobs[i]
		j.atNS = int64(rapid.IntRange(0, 60).Draw(t, "at")) * 1e9
		j.workNS = int64(rapid.IntRange(shortest, 40).Draw(t, "work")) * 1e9
		j.GPUs = rapid.Int32Range(1, size*int32(n)+1).Draw(t, "gpus")
		if rapid.Bool().Draw(t, "small") {
			j.GPUs = rapid.Int32Range(1, min(4, size*int32(n))).Draw(t, "few gpus")
		}
		if shares && !unit && j.GPUs == 1 {
			j.Milli = rapid.Int32Range(1, 999).Draw(t, "milli")
		}
		j.tenant = rapid.Int32Range(0, 2).Draw(t, "tenant")
		j.priority = rapid.Int32Range(0, 3).Draw(t, "priority")
		j.spot = rapid.Bool().Draw(t, "spot")
	}
	slices.SortStableFunc(x.jobs, func(a, b toyJob) int { return int((a.atNS - b.atNS) / 1e9) })
	return x
}

func drawnRules(t *rapid.T) Rules {
	r := Rules{
		Order:    rapid.SampledFrom(AllOrders()).Draw(t, "order"),
		Backfill: Backfill(rapid.IntRange(0, 2).Draw(t, "backfill")),
		Depth:    rapid.IntRange(0, 5).Draw(t, "depth"),
		Preempt:  rapid.Bool().Draw(t, "preempt"),
	}
	if rapid.Bool().Draw(t, "gangs time out") {
		r.GangTimeoutNS = int64(rapid.IntRange(1, 30).Draw(t, "timeout")) * 1e9
	}
	if rapid.Bool().Draw(t, "quotas") {
		r.Tenants = []Tenant{{QuotaMilli: 8000}, {Weight: 2}, {QuotaMilli: 3000}}
	}
	return r
}

// TestNoJobIsLost: under every rule each job that could ever start runs to its end, for exactly as long as it says, and all
// that was taken is given back.
func TestNoJobIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawnRules(t)
		x := drawn(t, r, false)
		worked := make([]int64, len(x.jobs))
		x.watch = func(x *toy, step Step) {
			j := &x.jobs[step.Job]
			if step.Evict {
				worked[step.Job] += x.now - j.startNS
				return
			}
			var got int64
			for _, sh := range step.Shares {
				if sh.Milli > 0 {
					got += int64(sh.Milli)
				} else {
					got += int64(sh.GPUs) * Milli
				}
			}
			if got != j.MilliGPUs() {
				t.Fatalf("job %d gets %d thousandths of %d", step.Job, got, j.MilliGPUs())
			}
			for k, tenant := range r.Tenants {
				if tenant.QuotaMilli > 0 && x.s.Usage().Milli(int32(k)) > tenant.QuotaMilli {
					t.Fatalf("tenant %d holds %d of %d", k, x.s.Usage().Milli(int32(k)), tenant.QuotaMilli)
				}
			}
		}
		x.run()
		for i := range x.jobs {
			j := &x.jobs[i]
			if !j.done && !j.rejected {
				t.Fatalf("job %d, %+v, never ends", i, *j)
			}
			if ok, _ := x.s.Admissible(j.tenant, &j.Demand); ok == j.rejected {
				t.Fatalf("job %d, %+v, is refused", i, *j)
			}
		}
		if x.s.Len() != 0 || len(x.s.run) != 0 {
			t.Fatalf("%d jobs wait and %d run at the end", x.s.Len(), len(x.s.run))
		}
		for k := range int32(3) {
			if m := x.s.Usage().Milli(k); m != 0 {
				t.Fatalf("tenant %d holds %d at the end", k, m)
			}
		}
	})
}

// TestBackfillNeverDelaysTheHead: a head that waits starts no later than it could if every running job ended as expected
// and no other started, as seen when it became the head.
func TestBackfillNeverDelaysTheHead(t *testing.T) {
	backfills := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		x := drawn(t, Rules{Backfill: Backfill(rapid.IntRange(1, 2).Draw(t, "backfill"))}, false)
		promise := make([]int64, len(x.jobs))
		for i := range promise {
			promise[i] = math.MaxInt64
		}
		x.watch = func(x *toy, step Step) {
			// The step is booked. A head that waits beside it gets its promise from what else runs, this job left out.
			if x.s.Len() > 0 {
				head := &x.s.list[x.s.head]
				if head.Job < step.Job && promise[head.Job] == math.MaxInt64 {
					promise[head.Job] = earliest(x, head.Job, step.Job)
				}
			}
			if x.now > promise[step.Job] {
				t.Fatalf("job %d starts at %d s, could at %d s", step.Job, x.now/1e9, promise[step.Job]/1e9)
			}
		}
		x.run()
		backfills += x.s.Backfills
	})
	if backfills == 0 {
		t.Error("nothing was ever backfilled: the test tests nothing")
	}
}

// earliest is when a waiting job could start if nothing else did, without a job that has just started.
func earliest(x *toy, job, without int32) int64 {
	a := x.s.Account().Clone()
	type end struct {
		at  int64
		run int
	}
	var ends []end
	for i := range x.s.run {
		at := x.jobs[x.s.run[i].Job].endNS
		if x.s.run[i].Job == without {
			at = x.now
		}
		ends = append(ends, end{at, i})
	}
	slices.SortFunc(ends, func(a, b end) int { return int((a.at - b.at) / 1e9) })
	for k, e := range ends {
		r := &x.s.run[e.run]
		a.Release(x.Demand(r.Job), r.shares)
		if k+1 < len(ends) && ends[k+1].at == e.at {
			continue
		}
		if _, ok := a.Clone().Place(x.Demand(job), nil); ok {
			return e.at
		}
	}
	return math.MaxInt64
}

// TestConservativeNeverLosesToFIFO: where GPUs are all alike and alone, no job starts later than first come, first served
// would start it.
func TestConservativeNeverLosesToFIFO(t *testing.T) {
	gained := 0
	rapid.Check(t, func(t *rapid.T) {
		x := drawn(t, Rules{Backfill: Conservative, Depth: 100}, true)
		y := &toy{jobs: slices.Clone(x.jobs)}
		gpus := slices.Repeat([]int32{1}, int(x.s.Total()))
		y.s = New(NewWholeGPUs(gpus), y, Rules{})
		for i := range y.jobs {
			y.jobs[i].Milli, x.jobs[i].Milli = 0, 0
		}
		x.run()
		y.run()
		for i := range x.jobs {
			if x.jobs[i].firstNS > y.jobs[i].firstNS {
				t.Fatalf("job %d starts at %d s with backfill, at %d s without", i, x.jobs[i].firstNS/1e9, y.jobs[i].firstNS/1e9)
			}
			if x.jobs[i].firstNS < y.jobs[i].firstNS {
				gained++
			}
		}
	})
	if gained == 0 {
		t.Error("no job ever gained: the test tests nothing")
	}
}

// TestPreemption: only running spot jobs of lower priority give way, at the instant in which the job they give way to
// starts, and none of them could have stayed.
func TestPreemption(t *testing.T) {
	evictions := 0
	rapid.Check(t, func(t *rapid.T) {
		x := drawn(t, Rules{Order: Orders{}.Priority(), Preempt: true}, false)
		var victims []int32
		var before Account
		x.watch = func(x *toy, step Step) {
			j := &x.jobs[step.Job]
			if step.Evict {
				if !j.spot || j.startNS < 0 {
					t.Fatalf("job %d, %+v, is evicted", step.Job, *j)
				}
				if len(victims) == 0 {
					before = x.s.Account().Clone()
				}
				victims = append(victims, step.Job)
				evictions++
				return
			}
			for _, v := range victims {
				if x.jobs[v].priority >= j.priority {
					t.Fatalf("job %d of priority %d gives way to %d of priority %d", v, x.jobs[v].priority, step.Job, j.priority)
				}
			}
			if len(victims) > 0 {
				if _, ok := before.Place(&j.Demand, nil); ok {
					t.Fatalf("job %d had room without evicting %v", step.Job, victims)
				}
			}
			victims = victims[:0]
		}
		x.run()
		if len(victims) > 0 {
			t.Fatalf("jobs %v gave way to nobody", victims)
		}
	})
	if evictions == 0 {
		t.Error("nothing was ever evicted: the test tests nothing")
	}
}

// TestPreemptionTakesTheLeast: the job that started last goes, and not more than it takes.
func TestPreemptionTakesTheLeast(t *testing.T) {
	x := &toy{jobs: []toyJob{
		{Demand: Demand{GPUs: 8}, workNS: 100e9, spot: true},
		{Demand: Demand{GPUs: 4}, workNS: 100e9, atNS: 1e9, spot: true},
		{Demand: Demand{GPUs: 4}, workNS: 100e9, atNS: 2e9},
		{Demand: Demand{GPUs: 8}, workNS: 10e9, atNS: 5e9, priority: 1},
		{Demand: Demand{GPUs: 2}, workNS: 10e9, atNS: 7e9, priority: 1},
	}}
	x.s = New(NewWholeGPUs([]int32{8, 8}), x, Rules{Order: Orders{}.Priority(), Preempt: true})
	x.run()
	var got []string
	for i := range x.jobs {
		got = append(got, fmt.Sprint(x.jobs[i].evicted))
	}
	if want := []string{"1", "1", "0", "0", "0"}; !slices.Equal(got, want) {
		t.Errorf("evictions by job %v, want %v", got, want)
	}
	if x.jobs[3].firstNS != 5e9 || x.jobs[4].firstNS != 7e9 {
		t.Errorf("urgent jobs start at %d s and %d s", x.jobs[3].firstNS/1e9, x.jobs[4].firstNS/1e9)
	}
}

// TestFairShare: tenants that always have work hold GPUs by their weights, to within one job each.
func TestFairShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := []float64{1, float64(rapid.IntRange(1, 4).Draw(t, "second")), float64(rapid.IntRange(1, 4).Draw(t, "third"))}
		x := &toy{}
		servers := rapid.IntRange(2, 6).Draw(t, "servers")
		x.s = New(NewWholeGPUs(slices.Repeat([]int32{8}, servers)), x, Rules{
			Order: Orders{}.FairShare(), Tenants: []Tenant{{Weight: weight[0]}, {Weight: weight[1]}, {Weight: weight[2]}},
		})
		for tenant := range int32(3) {
			for range 8*servers + 40 {
				x.jobs = append(x.jobs, toyJob{Demand: Demand{GPUs: 1}, tenant: tenant, workNS: int64(rapid.IntRange(1, 20).Draw(t, "work")) * 1e9})
			}
		}
		backlog := func(tenant int32) bool {
			for i := x.s.head; i < len(x.s.list); i++ {
				if x.s.list[i].Tenant == tenant {
					return true
				}
			}
			return false
		}
		x.watch = func(x *toy, step Step) {
			mine := x.jobs[step.Job].tenant
			u := x.s.Usage()
			for k := range int32(3) {
				// Whoever was served held, before, no more for its weight than any who still waits.
				if k != mine && backlog(k) && float64(u.Milli(mine)-Milli)/weight[mine] > float64(u.Milli(k))/weight[k]+1e-9 {
					t.Fatalf("tenant %d is served with %d, tenant %d waits with %d", mine, u.Milli(mine), k, u.Milli(k))
				}
			}
		}
		x.run()
	})
}

// TestGangTimeout: a job too big for what is free holds the queue for so long and no longer.
func TestGangTimeout(t *testing.T) {
	x := &toy{jobs: []toyJob{
		{Demand: Demand{GPUs: 4}, workNS: 100e9},
		{Demand: Demand{GPUs: 8}, workNS: 10e9, atNS: 1e9},
		{Demand: Demand{GPUs: 4}, workNS: 10e9, atNS: 2e9},
	}}
	x.s = New(NewWholeGPUs([]int32{8}), x, Rules{GangTimeoutNS: 30e9})
	x.run()
	if x.jobs[2].firstNS != 32e9 && x.jobs[2].firstNS != 31e9 || x.jobs[1].firstNS != 100e9 || x.s.Timeouts == 0 {
		t.Errorf("starts at %d s and %d s after %d timeouts", x.jobs[1].firstNS/1e9, x.jobs[2].firstNS/1e9, x.s.Timeouts)
	}
}

// BenchmarkBackfill is one end and one arrival in 125 servers with 60 running jobs and a queue of 200.
func BenchmarkBackfill(b *testing.B) {
	for _, fill := range []Backfill{NoBackfill, EASY, Conservative} {
		b.Run([...]string{"none", "easy", "conservative"}[fill], func(b *testing.B) {
			x := &toy{}
			x.s = New(NewWholeGPUs(slices.Repeat([]int32{8}, 125)), x, Rules{Backfill: fill})
			push := func(i int) {
				x.jobs = append(x.jobs, toyJob{Demand: Demand{GPUs: int32(8 << (i % 4))}, left: int64(1+i%7)*1e12 + int64(i%1009)*1e9})
				x.s.Push(x.waiting(int32(len(x.jobs) - 1)))
			}
			drain := func() {
				for {
					step, ok := x.s.Next(x.now)
					if !ok {
						return
					}
					x.jobs[step.Job].endNS = x.now + x.jobs[step.Job].left
				}
			}
			for i := range 260 {
				push(i)
			}
			drain()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				first := x.s.run[0].Job
				for _, r := range x.s.run {
					if x.jobs[r.Job].endNS < x.jobs[first].endNS {
						first = r.Job
					}
				}
				x.now = x.jobs[first].endNS
				for k := len(x.s.run) - 1; k >= 0; k-- { // all ends of an instant come before what starts
					if j := x.s.run[k].Job; x.jobs[j].endNS == x.now {
						x.s.Stop(j)
						push(i)
					}
				}
				drain()
			}
		})
	}
}

// What is remembered is bounded, and forgetting changes no answer.
func TestForgetting(t *testing.T) {
	p := Placements{}.BestFit()
	live := p
	live.Live = true // remembers nothing
	spec := make([]NodeSpec, 40)
	for i := range spec {
		spec[i] = NodeSpec{GPUs: 8, CPUMilli: 1 << 40}
	}
	a, b := NewNodes(spec, &p, nil), NewNodes(spec, &live, nil)
	type held struct {
		d      Demand
		shares []Share
	}
	var run []held
	forgot := 0
	for i := range 60_000 {
		memo := a.memo
		d := Demand{GPUs: 1, Milli: int32(1 + i*7919%999), CPUMilli: int64(i % 997)}
		x, ok := a.Place(&d, nil)
		y, ok2 := b.Place(&d, nil)
		if ok != ok2 || !slices.Equal(x, y) {
			t.Fatalf("demand %d: %v with memory, %v without", i, x, y)
		}
		if ok {
			run = append(run, held{d, x})
		}
		if len(run) > 300 {
			k := i * 31 % len(run)
			a.Release(&run[k].d, run[k].shares)
			b.Release(&run[k].d, run[k].shares)
			run[k] = run[len(run)-1]
			run = run[:len(run)-1]
		}
		if a.memo != memo {
			forgot++
		}
		if a.memo.known > maxScores || len(a.memo.states) > maxStates {
			t.Fatalf("%d scores and %d states remembered", a.memo.known, len(a.memo.states))
		}
	}
	if forgot == 0 {
		t.Error("nothing was forgotten: the test tests nothing")
	}
}

// bruteForce is the plan as it is told: at every instant all jobs in the order of the queue get the earliest start among now
// and the ends known, at which what is free in every piece of time of their run holds them. Nothing is kept.
func bruteForce(now int64, spans []*span, base Account, d *Demand, length int64) (int64, []Share, bool) {
	at := []int64{now}
	for _, x := range spans {
		if x.to > now && x.to < math.MaxInt64 {
			at = append(at, x.to)
		}
	}
	slices.Sort(at)
	for _, from := range at {
		to := endOf(from, length)
		all := base.Clone()
		pieces := []int64{from}
		for _, x := range spans {
			if x.from > from && x.from < to {
				pieces = append(pieces, x.from)
			}
		}
		for _, t := range pieces {
			then := base.Clone()
			for _, x := range spans {
				if x.from <= t && t < x.to {
					then.Book(&x.demand, x.shares)
				}
			}
			all.Meet(then)
		}
		if shares, ok := all.Place(d, nil); ok {
			return from, shares, true
		}
	}
	return 0, nil, false
}

// TestProfileIsTheBruteForceOne: the profile gives every job the start and the servers that trying every time on accounts made
// anew gives, as jobs are promised and taken out again, at later and later times.
func TestProfileIsTheBruteForceOne(t *testing.T) {
	promised := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "servers")
		var base Account
		shares := rapid.Bool().Draw(t, "shares")
		if shares {
			spec := make([]NodeSpec, n)
			for i := range spec {
				spec[i] = NodeSpec{GPUs: 4, Type: i % 2, Rack: int32(i / 2), CPUMilli: 9000, MemMiB: 100}
			}
			p := rapid.SampledFrom([]Placement{Placements{}.BestFit(), Placements{}.Spread(), Placements{}.RackAware(), Placements{}.FragmentationGradient()}).Draw(t, "placement")
			base = NewNodes(spec, &p, nil)
		} else {
			base = NewWholeGPUs(slices.Repeat([]int32{4}, n))
		}
		if n > 1 && rapid.Bool().Draw(t, "one is down") {
			base.SetUp(rapid.IntRange(0, n-1).Draw(t, "which"), false)
		}
		p := newProfile(base.Clone(), base.Servers())
		var spans []*span
		now := int64(0)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			now += int64(rapid.IntRange(0, 3).Draw(t, "passes"))
			if len(spans) > 0 && rapid.IntRange(0, 3).Draw(t, "take out") == 0 {
				k := rapid.IntRange(0, len(spans)-1).Draw(t, "which span")
				p.remove(spans[k])
				spans = slices.Delete(spans, k, k+1)
				continue
			}
			d := Demand{GPUs: rapid.Int32Range(1, 4*int32(n)).Draw(t, "gpus")}
			if shares {
				d.CPUMilli, d.MemMiB = rapid.Int64Range(0, 8000).Draw(t, "cpu"), rapid.Int64Range(0, 100).Draw(t, "mem")
				d.Types = rapid.SampledFrom([]uint64{0, 1, 2, 3}).Draw(t, "types")
				if d.GPUs == 1 {
					d.Milli = rapid.Int32Range(1, 999).Draw(t, "milli")
				}
			}
			length := rapid.SampledFrom([]int64{1, 2, 5, 9, math.MaxInt64}).Draw(t, "length")
			from, got, ok := p.earliest(now, &d, length, nil)
			wantFrom, want, wantOK := bruteForce(now, spans, base, &d, length)
			if ok != wantOK || from != wantFrom || !slices.Equal(got, want) {
				t.Fatalf("%+v for %d at %d: from %d on %v (%v), by brute force from %d on %v (%v)", d, length, now, from, got, ok, wantFrom, want, wantOK)
			}
			if ok {
				x := &span{from: from, to: endOf(from, length), demand: d, shares: got}
				p.add(x)
				spans = append(spans, x)
				promised++
			}
		}
		for _, x := range spans {
			p.remove(x)
		}
		for i := range p.servers {
			if len(p.servers[i].at) != 0 {
				t.Fatalf("server %d has %v left of nothing", i, p.servers[i])
			}
		}
	})
	if promised == 0 {
		t.Error("nothing was promised: the test tests nothing")
	}
}

// TestPlanIsTheOneMadeAnew: where GPUs are all alike and alone, the plan that is kept between events starts every job when a
// plan that is made anew at each would.
func TestPlanIsTheOneMadeAnew(t *testing.T) {
	gained := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		rules := Rules{Backfill: Conservative, Depth: rapid.IntRange(1, 100).Draw(t, "depth"), Order: rapid.SampledFrom(AllOrders()).Draw(t, "order")}
		x := drawn(t, rules, true)
		y := &toy{jobs: slices.Clone(x.jobs)}
		gpus := slices.Repeat([]int32{1}, int(x.s.Total()))
		x.s, y.s = New(NewWholeGPUs(gpus), x, rules), New(NewWholeGPUs(gpus), y, rules)
		y.before = func() { y.s.plan.stale = true }
		x.run()
		y.run()
		for i := range x.jobs {
			if x.jobs[i].firstNS != y.jobs[i].firstNS {
				t.Fatalf("job %d starts at %d s, planned anew at %d s", i, x.jobs[i].firstNS/1e9, y.jobs[i].firstNS/1e9)
			}
		}
		gained += x.s.Backfills
	})
	if gained == 0 {
		t.Error("no job was let past: the test tests nothing")
	}
}

// TestPromisesHold: where jobs run as long as they say, first come, first served, no job starts later than it was first
// promised, on servers of several GPUs and with every placement.
func TestPromisesHold(t *testing.T) {
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		x := drawn(t, Rules{Backfill: Conservative}, false)
		promise := map[int32]int64{}
		x.before = func() {
			for _, p := range x.s.plan.jobs {
				if _, ok := promise[p.job]; !ok {
					promise[p.job] = p.from
				}
			}
		}
		x.run()
		for job, at := range promise {
			if x.jobs[job].firstNS > at {
				t.Fatalf("job %d starts at %d ns, was promised %d ns", job, x.jobs[job].firstNS, at)
			}
			kept++
		}
	})
	if kept == 0 {
		t.Error("nothing was promised: the test tests nothing")
	}
}
