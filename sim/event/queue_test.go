package event

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naive is a sorted list with sequence numbers that never run out.
type naive struct {
	list []naiveEvent
	seq  int
}

type naiveEvent struct {
	Event
	seq int
}

func (n *naive) push(e Event) {
	x := naiveEvent{e, n.seq}
	n.seq++
	i, _ := slices.BinarySearchFunc(n.list, x, func(a, b naiveEvent) int {
		switch {
		case a.At != b.At:
			return cmpInt(a.At, b.At)
		case a.Kind != b.Kind:
			return int(a.Kind) - int(b.Kind)
		}
		return a.seq - b.seq
	})
	n.list = slices.Insert(n.list, i, x)
}

func cmpInt(a, b int64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

func (n *naive) remove(id ID) Event {
	i := slices.IndexFunc(n.list, func(e naiveEvent) bool { return e.ID == id })
	e := n.list[i].Event
	n.list = slices.Delete(n.list, i, i+1)
	return e
}

func (n *naive) pop() Event {
	e := n.list[0].Event
	n.list = n.list[1:]
	return e
}

// checkHeap looks at the queue's own invariants.
func checkHeap(t interface{ Fatalf(string, ...any) }, q *Queue) {
	for i := root; i < q.end; i++ {
		if i == root && q.hole {
			continue
		}
		if got := q.place[q.heap[i].slot()]; got != int32(i) {
			t.Fatalf("entry %d: its slot points to %d", i, got)
		}
		parent := i/arity + root - 1
		if i > root && (parent != root || !q.hole) && before(&q.heap[i], &q.heap[parent]) != 0 {
			t.Fatalf("entry %d comes before its parent", i)
		}
	}
}

func TestQueueAgainstSortedList(t *testing.T) {
	times := map[string]*rapid.Generator[int64]{
		"few instants": rapid.Int64Range(0, 3),
		"one instant":  rapid.Just(int64(7)),
		"wide":         rapid.Int64(),
		"extremes":     rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}),
	}
	for name, at := range times {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var q Queue
				var n naive
				if rapid.Bool().Draw(t, "reserve") {
					q.Reserve(rapid.IntRange(-1, 100).Draw(t, "n"))
				}
				if rapid.Bool().Draw(t, "near the end of the numbers") {
					q.seq = seqLimit - uint64(rapid.IntRange(0, 20).Draw(t, "left"))
				}
				pending := func() ID {
					return n.list[rapid.IntRange(0, len(n.list)-1).Draw(t, "which")].ID
				}
				for range rapid.IntRange(1, 150).Draw(t, "operations") {
					op := rapid.IntRange(0, 9).Draw(t, "op")
					switch {
					case op < 4 || len(n.list) == 0:
						e := Event{At: at.Draw(t, "at"), Kind: uint8(rapid.IntRange(0, 255).Draw(t, "kind")), Entity: rapid.Int32().Draw(t, "entity")}
						if rapid.Bool().Draw(t, "low kind") {
							e.Kind &= 1
						}
						e.ID = q.Push(e.At, e.Kind, e.Entity)
						if e.ID == None || slices.ContainsFunc(n.list, func(x naiveEvent) bool { return x.ID == e.ID }) {
							t.Fatalf("ID %d is not free", e.ID)
						}
						n.push(e)
					case op < 6:
						id, to := pending(), at.Draw(t, "to")
						q.Move(id, to)
						e := n.remove(id)
						e.At = to
						n.push(e)
					case op < 7:
						id := pending()
						q.Remove(id)
						n.remove(id)
					case op < 8:
						if got, ok := q.NextAt(); !ok || got != n.list[0].At {
							t.Fatalf("NextAt = %d, %v; want %d", got, ok, n.list[0].At)
						}
					default:
						want := n.pop()
						if got, ok := q.Pop(); !ok || got != want {
							t.Fatalf("Pop = %+v, %v; want %+v", got, ok, want)
						}
					}
					if q.Len() != len(n.list) {
						t.Fatalf("Len = %d, want %d", q.Len(), len(n.list))
					}
					checkHeap(t, &q)
				}
				for len(n.list) > 0 {
					want := n.pop()
					if got, ok := q.Pop(); !ok || got != want {
						t.Fatalf("Pop = %+v, %v; want %+v", got, ok, want)
					}
				}
				if e, ok := q.Pop(); ok {
					t.Fatalf("Pop of an empty queue = %+v", e)
				}
				if _, ok := q.NextAt(); ok {
					t.Fatalf("NextAt of an empty queue")
				}
			})
		})
	}
}

// TestQueueTenThousandAtOneInstant: kinds in order, then the order of scheduling, where a Move counts as scheduling.
func TestQueueTenThousandAtOneInstant(t *testing.T) {
	const n = 10_000
	var q Queue
	type want struct {
		kind   uint8
		seq    int
		entity int32
	}
	r := rand.New(rand.NewPCG(1, 2))
	ids := make([]ID, n)
	wants := make([]want, n)
	seq := 0
	for i := range n {
		kind := uint8(r.IntN(4))
		ids[i] = q.Push(42, kind, int32(i))
		wants[i] = want{kind, seq, int32(i)}
		seq++
	}
	for range n / 2 {
		i := r.IntN(n)
		q.Move(ids[i], 42)
		wants[i].seq = seq
		seq++
	}
	slices.SortFunc(wants, func(a, b want) int {
		if a.kind != b.kind {
			return int(a.kind) - int(b.kind)
		}
		return a.seq - b.seq
	})
	for i, w := range wants {
		e, ok := q.Pop()
		if !ok || e.At != 42 || e.Kind != w.kind || e.Entity != w.entity {
			t.Fatalf("event %d is %+v, want %+v", i, e, w)
		}
	}
	if q.Len() != 0 {
		t.Fatalf("%d left", q.Len())
	}
}

// TestQueueLargeAgainstSort: many levels of the heap, which the property test does not reach.
func TestQueueLargeAgainstSort(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var q Queue
	var n naive
	for range 3000 {
		e := Event{At: r.Int64N(2000), Kind: uint8(r.IntN(3)), Entity: r.Int32()}
		e.ID = q.Push(e.At, e.Kind, e.Entity)
		n.push(e)
	}
	for range 6000 {
		id := n.list[r.IntN(len(n.list))].ID
		switch r.IntN(4) {
		case 0:
			q.Remove(id)
			n.remove(id)
		case 1:
			want := n.pop()
			if got, _ := q.Pop(); got != want {
				t.Fatalf("Pop = %+v, want %+v", got, want)
			}
		default:
			at := r.Int64N(2000)
			q.Move(id, at)
			e := n.remove(id)
			e.At = at
			n.push(e)
		}
		if len(n.list) < 100 || r.IntN(2) == 0 {
			e := Event{At: r.Int64N(2000), Kind: uint8(r.IntN(3)), Entity: r.Int32()}
			e.ID = q.Push(e.At, e.Kind, e.Entity)
			n.push(e)
		}
	}
	checkHeap(t, &q)
	for len(n.list) > 0 {
		want := n.pop()
		if got, _ := q.Pop(); got != want {
			t.Fatalf("Pop = %+v, want %+v", got, want)
		}
	}
}

func TestQueueRefusesDeadEvents(t *testing.T) {
	panics := func(what, want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
				t.Errorf("%s: panic %q, want %q", what, got, want)
			}
		}()
		f()
	}
	var q Queue
	panics("move in a fresh queue", "Move of event 1, which is not pending", func() { q.Move(1, 0) })
	a := q.Push(1, 0, 0)
	b := q.Push(2, 0, 0)
	q.Remove(b)
	panics("remove twice", "Remove of event 2, which is not pending", func() { q.Remove(b) })
	panics("move removed", "Move of event 2, which is not pending", func() { q.Move(b, 3) })
	panics("none", "Remove of event 0, which is not pending", func() { q.Remove(None) })
	panics("negative", "Move of event -4, which is not pending", func() { q.Move(-4, 0) })
	panics("never issued", "Move of event 99, which is not pending", func() { q.Move(99, 0) })
	if e, ok := q.Pop(); !ok || e.ID != a {
		t.Fatalf("Pop = %+v, %v", e, ok)
	}
	panics("move popped", "Move of event 1, which is not pending", func() { q.Move(a, 3) })
	if c := q.Push(5, 0, 9); c != a {
		t.Errorf("slot of the popped event is not used again: %d", c)
	}
	if q.Len() != 1 {
		t.Errorf("Len = %d", q.Len())
	}
}

func TestQueueDoesNotAllocateOnceGrown(t *testing.T) {
	var q Queue
	q.Reserve(1000)
	allocs := testing.AllocsPerRun(10, func() {
		var ids [1000]ID
		for i := range ids {
			ids[i] = q.Push(int64(i*7919%1000), 0, int32(i))
		}
		for _, id := range ids {
			q.Move(id, int64(id)*31%1000)
		}
		for q.Len() > 0 {
			q.Pop()
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
