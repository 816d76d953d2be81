package event

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// The second word of a key, from the top: kind, sequence, slot. The slot never decides an order, for no two pending
// events share a sequence number.
const (
	slotBits = 28
	seqBits  = 28
	kindBits = 8

	seqShift  = slotBits
	kindShift = slotBits + seqBits
	slotMask  = 1<<slotBits - 1
	seqLimit  = 1 << seqBits // numbers are given out afresh when this is reached

	// MaxPending is the number of events that may be pending at once.
	MaxPending = slotMask
)

var _ [0]struct{} = [64 - slotBits - seqBits - kindBits]struct{}{}

// root is the index of the first heap entry: with a root at 3 the children of i are 4i-8 … 4i-5, and each such group of
// four starts at a multiple of four, on one cache line.
const (
	arity = 4
	root  = arity - 1
)

// padding comes before no event.
var padding = key{math.MaxUint64, math.MaxUint64}

// signBit turns the order of int64 into that of uint64.
const signBit = 1 << 63

// key is the place of one event in the total order.
type key struct {
	at  uint64 // At with its sign bit flipped
	low uint64 // kind, sequence, slot
}

// before is 1 when a comes before b, else 0. It compares as one 128-bit number and has no branch: which of two events is
// first is a coin toss that no processor predicts.
func before(a, b *key) uint64 {
	_, borrow := bits.Sub64(a.low, b.low, 0)
	_, borrow = bits.Sub64(a.at, b.at, borrow)
	return borrow
}

func (k key) slot() ID { return ID(k.low & slotMask) }

// Queue holds pending events. The zero value is an empty queue.
//
// It is a value of one simulation and not safe for concurrent use.
type Queue struct {
	heap   []key   // entries from root to end, then padding up to a whole group of siblings
	end    int     // one behind the last entry, 0 before the first push
	place  []int32 // by slot: index in heap, or -1-next free slot
	entity []int32 // by slot
	free   ID      // first free slot, None when there is none
	seq    uint64  // next sequence number
	// hole: the root was popped and its place is not filled yet. The push that so often follows a pop then costs one
	// pass down the heap and not two.
	hole bool
}

// Reserve makes room for n pending events.
func (q *Queue) Reserve(n int) {
	if n = min(n, MaxPending); n <= 0 {
		return
	}
	q.heap = slices.Grow(q.heap, max(0, n+root+arity-len(q.heap)))
	q.place = slices.Grow(q.place, max(0, n+1-len(q.place)))
	q.entity = slices.Grow(q.entity, max(0, n+1-len(q.entity)))
}

// Len is the number of pending events.
func (q *Queue) Len() int {
	n := max(q.end-root, 0)
	if q.hole {
		n--
	}
	return n
}

// Push schedules an event. It panics when MaxPending events are pending.
func (q *Queue) Push(at int64, kind uint8, entity int32) ID {
	slot := q.free
	if slot != None {
		q.free = ID(-1 - q.place[slot])
	} else {
		slot = q.newSlot()
	}
	q.entity[slot] = entity
	k := key{uint64(at) ^ signBit, uint64(kind)<<kindShift | q.nextSeq()<<seqShift | uint64(slot)}
	if q.hole {
		q.hole = false
		q.down(root, k)
		return slot
	}
	if q.end == len(q.heap) {
		q.heap = append(q.heap, padding, padding, padding, padding)
	}
	q.end++
	q.up(q.end-1, k)
	return slot
}

// Move gives a pending event another time, earlier or later, and a new sequence number: it comes after the events of
// its kind already scheduled for that instant. It panics when the event is not pending.
func (q *Queue) Move(id ID, at int64) {
	seq := q.nextSeq() // before find, as it may renumber
	i := q.find(id, "Move")
	if q.hole {
		q.fill()
		i = q.place[id]
	}
	old := q.heap[i]
	k := key{uint64(at) ^ signBit, old.low&^((seqLimit-1)<<seqShift) | seq<<seqShift}
	q.settle(int(i), old, k)
}

// Remove takes a pending event out of the queue. It panics when the event is not pending.
func (q *Queue) Remove(id ID) {
	i := int(q.find(id, "Remove"))
	if q.hole {
		q.fill()
		i = int(q.place[id])
	}
	old := q.heap[i]
	q.release(id)
	if last := q.cut(); i < q.end {
		q.settle(i, old, last)
	}
}

// Pop takes out the first event. It returns false when none is pending.
func (q *Queue) Pop() (Event, bool) {
	if q.hole {
		q.fill()
	}
	if q.end <= root {
		return Event{}, false
	}
	k := q.heap[root]
	slot := k.slot()
	e := Event{At: int64(k.at ^ signBit), Kind: uint8(k.low >> kindShift), Entity: q.entity[slot], ID: slot}
	q.release(slot)
	q.hole = true
	return e, true
}

// NextAt is the time of the first event. It returns false when none is pending.
func (q *Queue) NextAt() (int64, bool) {
	if q.hole {
		q.fill()
	}
	if q.end <= root {
		return 0, false
	}
	return int64(q.heap[root].at ^ signBit), true
}

// find is the heap index of a pending event.
func (q *Queue) find(id ID, op string) int32 {
	if uint(id) >= uint(len(q.place)) || q.place[id] < 0 {
		panic(fmt.Sprintf("event: %s of event %d, which is not pending", op, id))
	}
	return q.place[id]
}

func (q *Queue) release(slot ID) {
	q.place[slot] = -1 - int32(q.free)
	q.free = slot
}

func (q *Queue) newSlot() ID {
	if len(q.place) == 0 { // slot 0 is None
		q.place = append(q.place, -1)
		q.entity = append(q.entity, 0)
		q.heap = append(q.heap, padding, padding, padding, padding)
		q.end = root
	}
	if len(q.place) > MaxPending {
		panic(fmt.Sprintf("event: more than %d events pending", MaxPending))
	}
	q.place = append(q.place, 0)
	q.entity = append(q.entity, 0)
	return ID(len(q.place) - 1)
}

func (q *Queue) nextSeq() uint64 {
	if q.seq == seqLimit {
		q.renumber()
	}
	q.seq++
	return q.seq - 1
}

// renumber gives the pending events the lowest sequence numbers in their present order. A sorted slice is a heap.
func (q *Queue) renumber() {
	if q.hole {
		q.fill()
	}
	pending := q.heap[min(root, q.end):q.end]
	slices.SortFunc(pending, func(a, b key) int {
		return 1 - 2*int(before(&a, &b))
	})
	q.seq = 0
	for i := range pending {
		k := &pending[i]
		k.low = k.low&^((seqLimit-1)<<seqShift) | q.seq<<seqShift
		q.seq++
		q.place[k.slot()] = int32(root + i)
	}
}

// fill closes the hole at the root with the last entry.
func (q *Queue) fill() {
	q.hole = false
	if last := q.cut(); q.end > root {
		q.down(root, last)
	}
}

// cut takes the last entry off the heap.
func (q *Queue) cut() key {
	q.end--
	last := q.heap[q.end]
	q.heap[q.end] = padding
	return last
}

// settle puts k where old was and restores the order.
func (q *Queue) settle(i int, old, k key) {
	if before(&k, &old) != 0 {
		q.up(i, k)
	} else {
		q.down(i, k)
	}
}

// up puts k at i or above.
func (q *Queue) up(i int, k key) {
	heap, place := q.heap, q.place
	for i > root {
		parent := i/arity + root - 1
		p := heap[parent]
		if before(&k, &p) == 0 {
			break
		}
		heap[i] = p
		place[p.slot()] = int32(i)
		i = parent
	}
	heap[i] = k
	place[k.slot()] = int32(i)
}

// down puts k at i or below.
func (q *Queue) down(i int, k key) {
	heap, place := q.heap, q.place
	for {
		first := arity * (i - root + 1)
		if first >= q.end {
			break
		}
		// Which of the four siblings is first, written out as the compiler would not inline it.
		s := (*[arity]key)(heap[first : first+arity : first+arity])
		a := before(&s[1], &s[0])
		b := 2 + before(&s[3], &s[2])
		a ^= (a ^ b) & -before(&s[b&3], &s[a&3])
		c := s[a&3]
		if before(&c, &k) == 0 {
			break
		}
		heap[i] = c
		place[c.slot()] = int32(i)
		i = first + int(a)
	}
	heap[i] = k
	place[k.slot()] = int32(i)
}
