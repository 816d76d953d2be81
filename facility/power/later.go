package power

import "math/bits"

// SetLater is Set without the way up: what stands above is brought up to date by Apply, once for all loads that
// changed at one instant however many of them share their ancestors. Until then only LoadW, Served and LiveFeeds are
// true.
func (f *Flow) SetLater(consumer int, w float64) {
	if !(w >= 0 && w <= maxLoadW) {
		f.Refused++
		return
	}
	c := &f.consumers[consumer]
	old, now := c.load, toSteps(w)
	if old == now {
		return
	}
	c.load = now
	k := c.lives
	if k == 0 {
		return
	}
	it := int64(0)
	if c.it {
		it = 1
	}
	for j, n := range f.liveFeeds(c) {
		d := share(now, k, int32(j)) - share(old, k, int32(j))
		s := &f.state[n]
		for s.pass { // it is up to date at once
			s.out += d
			s.in += d
			s.it += it * d
			s.itIn += it * d
			if s.lowest {
				f.itByK[s.kind] += it * d
			}
			n = s.source
			s = &f.state[n]
		}
		s.dOut += d
		s.dIT += it * d
		f.waiting.add(n)
	}
	if c.it {
		f.itTotal += now - old
	}
}

// Apply brings every node up to date with its pending change, children before parents.
func (f *Flow) Apply() {
	// Sources stand before what they feed: what is added on the way lies further down.
	words, over := f.waiting.words, f.waiting.over
	for o := len(over) - 1; o >= 0; o-- {
		for over[o] != 0 {
			w := o<<6 + bits.Len64(over[o]) - 1
			for words[w] != 0 {
				b := bits.Len64(words[w]) - 1
				words[w] &^= 1 << b
				n := int32(w<<6 + b)
				s := &f.state[n]
				if s.dOut == 0 && s.dIT == 0 {
					continue
				}
				f.refresh(n)
				for _, p := range f.sources[s.first : s.first+s.sources] {
					f.waiting.add(p)
				}
			}
			over[o] &^= 1 << (w & 63)
		}
	}
}

// nodeSet is a set of node indices, to be read from its largest: bits, and bits over their words.
type nodeSet struct {
	words, over []uint64
}

func newNodeSet(n int) nodeSet {
	words := (n + 63) / 64
	return nodeSet{words: make([]uint64, words), over: make([]uint64, (words+63)/64)}
}

func (s *nodeSet) add(n int32) {
	w := n >> 6
	s.words[w] |= 1 << (n & 63)
	s.over[w>>6] |= 1 << (w & 63)
}

func (s *nodeSet) clear() {
	clear(s.words)
	clear(s.over)
}
