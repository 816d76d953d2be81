package sched

import (
	"math"
	"slices"
	"sort"
)

// span is GPUs that a job holds or is promised, from a time to a time.
type span struct {
	job      int32
	from, to int64 // MaxInt64 for one that has no end
	demand   Demand
	shares   []Share
}

// profile is what is used of every server over time. Each server has its own sorted breakpoints, so that what a job could
// have over a window is found by sliding the window from end to end and looking again only at the servers whose jobs come
// into it or leave it.
type profile struct {
	room     Account // what is free all through the window looked at
	servers  []timeline
	ends     []*span // by to
	starts   []*span // by from
	row      []int64
	touched  []int32
	isMarked []bool
}

// timeline is what is used of one server: row i holds from at[i] to at[i+1], the last for ever. It is empty where nothing
// is used at all.
type timeline struct {
	at   []int64
	rows []int64 // width numbers each
}

func newProfile(room Account, servers int) *profile {
	return &profile{room: room, servers: make([]timeline, servers), isMarked: make([]bool, servers)}
}

// add takes a span into account.
func (p *profile) add(x *span) {
	p.use(x, 1)
	i := sort.Search(len(p.ends), func(i int) bool { return p.ends[i].to > x.to })
	p.ends = slices.Insert(p.ends, i, x)
	i = sort.Search(len(p.starts), func(i int) bool { return p.starts[i].from > x.from })
	p.starts = slices.Insert(p.starts, i, x)
}

// remove forgets a span.
func (p *profile) remove(x *span) {
	p.use(x, -1)
	i := sort.Search(len(p.ends), func(i int) bool { return p.ends[i].to >= x.to })
	for p.ends[i] != x {
		i++
	}
	p.ends = slices.Delete(p.ends, i, i+1)
	i = sort.Search(len(p.starts), func(i int) bool { return p.starts[i].from >= x.from })
	for p.starts[i] != x {
		i++
	}
	p.starts = slices.Delete(p.starts, i, i+1)
}

// use adds what a span takes to its servers' timelines, or takes it out again.
func (p *profile) use(x *span, sign int64) {
	for i := range x.shares {
		sh := &x.shares[i]
		w := p.room.Width(int(sh.Server))
		row := p.wide(w)
		p.room.Use(&x.demand, sh, row)
		t := &p.servers[sh.Server]
		if t.add(x.from, x.to, row, sign); len(t.at) == 0 {
			p.room.SetUse(int(sh.Server), p.wide(w))
		}
	}
}

// wide is room for a row of zeros.
func (p *profile) wide(w int) []int64 {
	p.row = slices.Grow(p.row[:0], w)[:w]
	clear(p.row)
	return p.row
}

// cut makes a time a breakpoint and returns its place.
func (t *timeline) cut(at int64, w int) int {
	i := sort.Search(len(t.at), func(i int) bool { return t.at[i] >= at })
	if i < len(t.at) && t.at[i] == at {
		return i
	}
	t.at = slices.Insert(t.at, i, at)
	t.rows = slices.Grow(t.rows, w)[:len(t.rows)+w]
	copy(t.rows[(i+1)*w:], t.rows[i*w:len(t.rows)-w])
	copy(t.rows[i*w:(i+1)*w], t.rows[max(i-1, 0)*w:]) // as it was: the row before
	return i
}

func (t *timeline) add(from, to int64, row []int64, sign int64) {
	w := len(row)
	if len(t.at) == 0 {
		t.at, t.rows = append(t.at, math.MinInt64), append(t.rows, make([]int64, w)...)
	}
	a := t.cut(from, w)
	b := len(t.at)
	if to < math.MaxInt64 {
		b = t.cut(to, w)
	}
	for i := a; i < b; i++ {
		for k, x := range row {
			t.rows[i*w+k] += sign * x
		}
	}
	if sign < 0 {
		t.join(b, w)
		t.join(a, w)
		if len(t.at) == 1 && !slices.ContainsFunc(t.rows, func(x int64) bool { return x != 0 }) {
			t.at, t.rows = t.at[:0], t.rows[:0]
		}
	}
}

// join drops a breakpoint at which nothing changes.
func (t *timeline) join(i, w int) {
	if i > 0 && i < len(t.at) && slices.Equal(t.rows[(i-1)*w:i*w], t.rows[i*w:(i+1)*w]) {
		t.at = slices.Delete(t.at, i, i+1)
		t.rows = slices.Delete(t.rows, i*w, (i+1)*w)
	}
}

// most fills row with the most that is used at once in a window, each figure for itself.
func (t *timeline) most(from, to int64, row []int64) {
	w := len(row)
	i := max(0, sort.Search(len(t.at), func(i int) bool { return t.at[i] > from })-1)
	for ; i < len(t.at) && t.at[i] < to; i++ {
		for k, x := range t.rows[i*w : (i+1)*w] {
			row[k] = max(row[k], x)
		}
	}
}

// look has the room of a server be what is free all through a window.
func (p *profile) look(server int, from, to int64) {
	row := p.wide(p.room.Width(server))
	p.servers[server].most(from, to, row)
	p.room.SetUse(server, row)
}

// mark has the servers of a span looked at again.
func (p *profile) mark(x *span) {
	for i := range x.shares {
		if s := x.shares[i].Server; !p.isMarked[s] {
			p.isMarked[s] = true
			p.touched = append(p.touched, s)
		}
	}
}

// earliest is the first time from now on from which a job has what it asks for as long as it runs, and where.
func (p *profile) earliest(now int64, d *Demand, length int64, dst []Share) (int64, []Share, bool) {
	end := endOf(now, length)
	for i := range p.servers {
		if len(p.servers[i].at) > 0 {
			p.look(i, now, end)
		}
	}
	e := sort.Search(len(p.ends), func(i int) bool { return p.ends[i].to > now })
	s := sort.Search(len(p.starts), func(i int) bool { return p.starts[i].from >= end })
	for at := now; ; {
		if shares, ok := p.room.Place(d, dst); ok {
			p.room.Release(d, shares[len(dst):])
			return at, shares, true
		}
		if e == len(p.ends) || p.ends[e].to == math.MaxInt64 {
			return 0, dst, false
		}
		at = p.ends[e].to
		end = endOf(at, length)
		for ; e < len(p.ends) && p.ends[e].to == at; e++ {
			p.mark(p.ends[e])
		}
		for ; s < len(p.starts) && p.starts[s].from < end; s++ {
			p.mark(p.starts[s])
		}
		for _, i := range p.touched {
			p.isMarked[i] = false
			p.look(int(i), at, end)
		}
		p.touched = p.touched[:0]
	}
}

// endOf is a time after another; MaxInt64 for what has no end.
func endOf(at, length int64) int64 {
	if length == math.MaxInt64 || at > math.MaxInt64-length {
		return math.MaxInt64
	}
	return at + length
}
