package sched

import "math/bits"

const wordBits = 64

// set is a set of small integers whose least member is found fast: a bit for each, and a summary with a bit for each
// word that is not empty.
type set struct {
	n       int
	word    []uint64
	summary []uint64
}

func newSet(capacity int) set {
	words := (capacity + wordBits - 1) / wordBits
	return set{word: make([]uint64, words), summary: make([]uint64, (words+wordBits-1)/wordBits)}
}

// add puts in i, which is not a member.
func (s *set) add(i int) {
	w := uint(i) / wordBits
	s.word[w] |= 1 << (uint(i) % wordBits)
	s.summary[w/wordBits] |= 1 << (w % wordBits)
	s.n++
}

// remove takes out i, which is a member.
func (s *set) remove(i int) {
	w := uint(i) / wordBits
	s.word[w] &^= 1 << (uint(i) % wordBits)
	if s.word[w] == 0 {
		s.summary[w/wordBits] &^= 1 << (w % wordBits)
	}
	s.n--
}

// first is the least member of a set that is not empty.
func (s *set) first() int {
	for i, m := range s.summary {
		if m != 0 {
			w := i*wordBits + bits.TrailingZeros64(m)
			return w*wordBits + bits.TrailingZeros64(s.word[w])
		}
	}
	panic("sched: first of an empty set")
}
