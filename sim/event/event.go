// Package event is the clock and the event queue: a total order by (time, kind, sequence), events as small values.
//
// The queue is a 4-ary implicit heap of 16-byte keys: the time, and one word that packs kind, sequence and slot, so that
// one 128-bit comparison decides the whole order and the four children of a node fill one 64-byte cache line. A table
// from slot to place makes Move and Remove possible; the entity waits in a third table that only Push and Pop touch.
// Every operation is O(log n) at worst, also when all events fall on one instant.
package event

// Event is one thing that happens.
type Event struct {
	At     int64 // ns after the start of the run
	Kind   uint8 // events of one instant run in order of kind, then of scheduling
	Entity int32 // index into the slice the kind speaks of
	ID     ID
}

// ID names a pending event. It is valid until the event is popped or removed; then its slot is used again.
// No event has the ID 0, so a zero ID can stand for "none is pending".
type ID int32

// None is the ID of no event.
const None ID = 0
