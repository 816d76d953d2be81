// Package sched keeps account of GPUs and decides who runs on which: servers, gangs and the queue.
//
// A job runs on whole GPUs. One that fits into a single server gets one server; a bigger one gets whole servers and, for
// what is left, a part of one more. All its GPUs are given at once or none.
package sched

import (
	"fmt"
	"slices"
)

// Share is a number of GPUs on one server, or a part of one GPU.
type Share struct {
	Server int32
	GPUs   int32
	Milli  int32     // thousandths of the GPU at Slot; 0: whole GPUs
	Slot   int32     // of a part of a GPU
	Part   uint8     // of a slice: its parts of that GPU's memory, a bit each; 0: no slice
	Mask   [2]uint64 // which GPUs, a bit each; none where the account doesn't tell GPUs apart
}

// String is the server with its whole GPUs, or with the thousandths of one of its GPUs.
func (s Share) String() string {
	if s.Milli > 0 {
		return fmt.Sprintf("{%d %dm@%d}", s.Server, s.Milli, s.Slot)
	}
	return fmt.Sprintf("{%d %d}", s.Server, s.GPUs)
}

// Cluster is the account of GPUs by server. Servers are numbered in placement order, so that neighbours in number are
// neighbours in the hall.
//
// Servers that are up and have free GPUs are kept in sets by size and number of free GPUs, so that Place and Release
// cost the same for a hundred servers and for a hundred thousand, and allocate nothing.
type Cluster struct {
	server []server
	size   []size // by GPUs, most first
	free   int64
	up     int64
	total  int64
	widest int32 // GPUs of the largest server installed
}

type server struct {
	size int32 // index in Cluster.size
	gpus int32
	free int32
	down bool
}

// size is the servers with one number of GPUs.
type size struct {
	gpus    int32
	servers int   // installed
	up      int   // of these, up
	byFree  []set // by number of free GPUs, 1 … gpus; down servers are in none
}

// NewCluster makes the account of servers with these numbers of GPUs, all up and empty. A server may have none. It
// panics on a negative number.
func NewCluster(gpus []int32) *Cluster {
	c := &Cluster{server: make([]server, len(gpus))}
	var distinct []int32
	for _, g := range gpus {
		if g < 0 {
			panic(fmt.Sprintf("sched: a server with %d GPUs", g))
		}
		if !slices.Contains(distinct, g) {
			distinct = append(distinct, g)
		}
	}
	slices.Sort(distinct)
	slices.Reverse(distinct)
	for _, g := range distinct {
		s := size{gpus: g, byFree: make([]set, g+1)}
		for f := 1; f <= int(g); f++ {
			s.byFree[f] = newSet(len(gpus))
		}
		c.size = append(c.size, s)
	}
	for i, g := range gpus {
		k := slices.Index(distinct, g)
		c.server[i] = server{size: int32(k), gpus: g, free: g}
		s := &c.size[k]
		s.servers++
		s.up++
		if g > 0 {
			s.byFree[g].add(i)
		}
		c.total += int64(g)
	}
	c.free, c.up = c.total, c.total
	if len(distinct) > 0 {
		c.widest = distinct[0]
	}
	return c
}

// Total is the number of GPUs installed.
func (c *Cluster) Total() int64 { return c.total }

// Up is the number of GPUs on servers that are up.
func (c *Cluster) Up() int64 { return c.up }

// Free is the number of free GPUs on servers that are up.
func (c *Cluster) Free() int64 { return c.free }

// FreeOn is the number of free GPUs of a server, up or not.
func (c *Cluster) FreeOn(i int) int32 { return c.server[i].free }

// IsUp says whether a server is up.
func (c *Cluster) IsUp(i int) bool { return !c.server[i].down }

// LargestUp is the number of GPUs of the largest server that is up, 0 when none is.
func (c *Cluster) LargestUp() int32 {
	for i := range c.size {
		if c.size[i].up > 0 {
			return c.size[i].gpus
		}
	}
	return 0
}

// CanEver says whether a job of this many GPUs would be placed if every server were up and empty. A job that cannot is
// unplaceable and must not wait.
func (c *Cluster) CanEver(gpus int32) bool {
	if gpus < 1 || int64(gpus) > c.total {
		return false
	}
	return gpus <= c.widest || c.plan(gpus, true) != noPlan
}

// Place gives a job its GPUs: it appends the shares to dst, whole servers in order of number and the remainder last, and
// returns true, or it changes nothing and returns false.
//
// A job that the largest server could hold goes into one server, the one with the fewest free GPUs that are enough. A
// bigger one takes servers that are wholly free, lowest numbers first, all of one size if there are enough (the largest
// such size), else of every size, the largest first; what is left goes into one more server in the way of a small job. Of
// equals the lowest number is taken.
func (c *Cluster) Place(gpus int32, dst []Share) ([]Share, bool) {
	if gpus < 1 || int64(gpus) > c.free {
		return dst, false
	}
	left := gpus
	if gpus > c.widest {
		plan := c.plan(gpus, false)
		if plan == noPlan {
			return dst, false
		}
		for k := range c.size {
			s := &c.size[k]
			if s.gpus == 0 || (plan != mixedPlan && plan != k) {
				continue
			}
			whole := &s.byFree[s.gpus]
			for left >= s.gpus && whole.n > 0 {
				dst = append(dst, c.take(whole.first(), s.gpus))
				left -= s.gpus
			}
		}
	}
	if left == 0 {
		return dst, true
	}
	i := c.bestFit(left)
	if i < 0 {
		return dst, false // a small job; a plan has made sure of its remainder
	}
	return append(dst, c.take(i, left)), true
}

// Answers of plan besides the index of a size.
const (
	noPlan    = -1
	mixedPlan = -2
)

// plan says which size of server the whole servers of a big job come from, now or if all were up and empty.
func (c *Cluster) plan(gpus int32, empty bool) int {
	for k := range c.size {
		s := &c.size[k]
		if s.gpus == 0 {
			continue
		}
		whole, rest := int(gpus/s.gpus), gpus%s.gpus
		if whole <= s.count(s.gpus, empty) && (rest == 0 || c.moreThan(whole, rest, empty)) {
			return k
		}
	}
	if len(c.size) == 1 {
		return noPlan
	}
	rest := gpus
	for k := range c.size {
		rest -= c.size[k].wholeOf(rest, empty)
	}
	if rest == 0 {
		return mixedPlan
	}
	taken, left := 0, gpus // of servers that could have held the remainder
	for k := range c.size {
		s := &c.size[k]
		n := s.wholeOf(left, empty)
		left -= n
		if s.gpus >= rest {
			taken += int(n / s.gpus)
		}
	}
	if c.moreThan(taken, rest, empty) {
		return mixedPlan
	}
	return noPlan
}

// count is the number of servers with this many free GPUs, now or if all were up and empty.
func (s *size) count(free int32, empty bool) int {
	switch {
	case !empty:
		return s.byFree[free].n
	case free == s.gpus:
		return s.servers
	}
	return 0
}

// wholeOf is the number of GPUs that a job can have on wholly free servers of this size.
func (s *size) wholeOf(gpus int32, empty bool) int32 {
	if s.gpus == 0 {
		return 0
	}
	return s.gpus * min(gpus/s.gpus, int32(s.count(s.gpus, empty)))
}

// moreThan says whether more than n servers have at least this many free GPUs.
func (c *Cluster) moreThan(n int, gpus int32, empty bool) bool {
	for k := range c.size {
		s := &c.size[k]
		for f := s.gpus; f >= gpus; f-- {
			if n -= s.count(f, empty); n < 0 {
				return true
			}
		}
	}
	return false
}

// bestFit is the server with the fewest free GPUs that are enough, the lowest number of equals; -1 when there is none.
func (c *Cluster) bestFit(gpus int32) int {
	for f := gpus; f <= c.widest; f++ {
		best := -1
		for k := range c.size {
			s := &c.size[k]
			if f > s.gpus {
				break // sizes fall
			}
			if s.byFree[f].n > 0 {
				if i := s.byFree[f].first(); best < 0 || i < best {
					best = i
				}
			}
		}
		if best >= 0 {
			return best
		}
	}
	return -1
}

func (c *Cluster) take(i int, gpus int32) Share {
	c.setFree(i, c.server[i].free-gpus)
	return Share{Server: int32(i), GPUs: gpus}
}

// Release gives shares back. Those of a server that is down become placeable when it is up again. It panics when more is
// given back than was taken.
func (c *Cluster) Release(shares []Share) {
	for _, sh := range shares {
		s := &c.server[sh.Server]
		if sh.GPUs < 0 || s.free+sh.GPUs > s.gpus {
			panic(fmt.Sprintf("sched: release of %d GPUs on server %d, of which %d are in use", sh.GPUs, sh.Server, s.gpus-s.free))
		}
		c.setFree(int(sh.Server), s.free+sh.GPUs)
	}
}

func (c *Cluster) setFree(i int, free int32) {
	s := &c.server[i]
	if !s.down {
		byFree := c.size[s.size].byFree
		if s.free > 0 {
			byFree[s.free].remove(i)
		}
		if free > 0 {
			byFree[free].add(i)
		}
		c.free += int64(free - s.free)
	}
	s.free = free
}

// SetUp says whether a server is up. No GPU of a server that is down is placed; the shares that run on it are the
// caller's to release, before or after.
func (c *Cluster) SetUp(i int, up bool) {
	s := &c.server[i]
	if s.down == !up {
		return
	}
	k := &c.size[s.size]
	if up {
		s.down = false
		k.up++
		c.up += int64(s.gpus)
		c.free += int64(s.free)
		if s.free > 0 {
			k.byFree[s.free].add(i)
		}
		return
	}
	if s.free > 0 {
		k.byFree[s.free].remove(i)
	}
	s.down = true
	k.up--
	c.up -= int64(s.gpus)
	c.free -= int64(s.free)
}
