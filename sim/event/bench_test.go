package event

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The clock of the benchmarks: mean delays of an hour in ns, as job ends have.
const meanDelay = 3.6e12

var sizes = []int{1e3, 1e4, 1e5, 1e6}

// fill schedules n events at exponential delays.
func fill(q *Queue, r *rand.Rand, n int) []ID {
	q.Reserve(n)
	ids := make([]ID, n)
	for i := range ids {
		ids[i] = q.Push(int64(r.ExpFloat64()*meanDelay), 1, int32(i))
	}
	return ids
}

// draws are made beforehand, so that no benchmark measures the generator.
type draws struct {
	delay []int64
	which []int32
}

const drawn = 1 << 16

func newDraws(r *rand.Rand, n int) draws {
	d := draws{make([]int64, drawn), make([]int32, drawn)}
	for i := range drawn {
		d.delay[i] = int64(r.ExpFloat64() * meanDelay)
		d.which[i] = r.Int32N(int32(n))
	}
	return d
}

func run(b *testing.B, step func(q *Queue, ids []ID, d draws, i int)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			var q Queue
			ids := fill(&q, r, n)
			d := newDraws(r, n)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				step(&q, ids, d, i&(drawn-1))
			}
		})
	}
}

// hold takes the first event and schedules its entity again.
func hold(q *Queue, ids []ID, delay int64) int64 {
	e, _ := q.Pop()
	ids[e.Entity] = q.Push(e.At+delay, 1, e.Entity)
	return e.At
}

// BenchmarkHold is pop + push, the classic hold model.
func BenchmarkHold(b *testing.B) {
	run(b, func(q *Queue, ids []ID, d draws, i int) { hold(q, ids, d.delay[i]) })
}

// BenchmarkReschedule is the target: pop + push + a random pending event to a fresh time, near or far, as throttling
// does to the ends of jobs.
func BenchmarkReschedule(b *testing.B) {
	run(b, func(q *Queue, ids []ID, d draws, i int) {
		now := hold(q, ids, d.delay[i])
		q.Move(ids[d.which[i]], now+d.delay[drawn-1-i])
	})
}

// BenchmarkRescheduleNear moves the random event to soon.
func BenchmarkRescheduleNear(b *testing.B) {
	run(b, func(q *Queue, ids []ID, d draws, i int) {
		now := hold(q, ids, d.delay[i])
		q.Move(ids[d.which[i]], now+d.delay[drawn-1-i]/1024)
	})
}

// BenchmarkRescheduleFar moves the random event to late.
func BenchmarkRescheduleFar(b *testing.B) {
	run(b, func(q *Queue, ids []ID, d draws, i int) {
		now := hold(q, ids, d.delay[i])
		q.Move(ids[d.which[i]], now+4*meanDelay+d.delay[drawn-1-i])
	})
}

// BenchmarkTies has all events at one instant: the queue must not fall back on anything quadratic.
func BenchmarkTies(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			var q Queue
			q.Reserve(n)
			ids := make([]ID, n)
			for i := range ids {
				ids[i] = q.Push(7, 1, int32(i))
			}
			d := newDraws(r, n)
			b.ResetTimer()
			for i := range b.N {
				e, _ := q.Pop()
				ids[e.Entity] = q.Push(7, 1, e.Entity)
				q.Move(ids[d.which[i&(drawn-1)]], 7)
			}
		})
	}
}
