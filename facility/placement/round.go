package placement

import (
	"cmp"
	"math"
	"slices"
)

// rounding is one way from the mean of the priced fillings to a placement.
type rounding struct {
	share  float64 // of the open racks that a round of the dive closes, 0: all at once by the whole parts
	margin float64 // of earlier lines that the dive plans for beyond what must stand
	means  bool    // by the means of each model, not by whole fillings
}

var roundings = [...]rounding{
	{},
	{means: true},
	{share: 0.4},
	{share: 0.4, margin: 0.01},
	{share: 0.2},
	{share: 0.1},
	{share: 0.3},
	{share: 0.25, margin: 0.02},
	{share: 0.15, margin: 0.04},
	{share: 0.6},
	{share: 0.1, margin: 0.03},
	{share: 0.05},
}

// The search is content within nearEnough of the bound, and takes no further way once it has looked at
// roundWork entries.
const (
	nearEnough = 0.003
	smallGap   = 3
	// usualRoundings are tried everywhere, the others in halls small enough for the exact search.
	usualRoundings = 4
	roundWork      = 100_000
)

// size is how many entries and fillings one look at all classes takes.
func (x *relaxed) size() int {
	n := 1
	for ci := range x.classes {
		n += len(x.classes[ci].entries) + len(x.classes[ci].vectors)/4
	}
	return n
}

// round turns the mean of the priced fillings into a placement: of every class and model the whole
// part first, then what still fits, line by line. It says whether the earlier lines came out whole.
func (s *site) round(k int, b lineBound, goal int, h rounding) bool {
	x := s.relaxed
	m := len(x.models)
	for i := range s.racks {
		for mm, n := range s.racks[i].count {
			s.changeIf(i, mm, -n)
		}
	}
	want := slices.Clone(b.stage.least)
	want[b.stage.model] = goal
	placed := make([]int, m)
	put := func(i, j, n int) int {
		n = s.add(i, x.models[j], min(n, s.localRoom(i, x.models[j]), want[j]-placed[j]))
		placed[j] += n
		return n
	}
	switch {
	case h.share > 0:
		s.dive(&b, h, put)
	case b.mix != nil && !h.means:
		s.putMix(&b, put)
	default:
		s.putMeans(&b, put)
	}
	for _, o := range s.f.Orders[:k+1] {
		j := slices.Index(x.models, o.Model)
		for i := range s.racks {
			if placed[j] >= want[j] {
				break
			}
			put(i, j, want[j])
		}
	}
	for j, n := range b.stage.least {
		if j != b.stage.model && placed[j] < n {
			s.eject(k, x.models[j], n)
			placed[j] = s.countOf(x.models[j])
		}
		if j != b.stage.model && placed[j] < n && !s.swapIn(x.models[j], n-placed[j], x.models[b.stage.model]) {
			return false
		}
	}
	j := b.stage.model
	placed[j] = s.countOf(x.models[j])
	for i := range s.racks {
		if placed[j] >= want[j] {
			break
		}
		put(i, j, want[j])
	}
	return placed[j] >= b.stage.least[j]
}

// fillRest puts what still fits of a model anywhere.
func (s *site) fillRest(model, goal int) {
	have := s.countOf(model)
	for i := range s.racks {
		if have >= goal {
			return
		}
		have += s.add(i, model, min(goal-have, s.localRoom(i, model)))
	}
}

// putMix gives whole racks the fillings of the linear program: so many as it has whole ones, then of what is left of
// the racks those that are nearest to one.
func (s *site) putMix(b *lineBound, put func(i, j, n int) int) {
	const nearlyOne = 1e-6
	x := s.relaxed
	filled := make([]int, len(x.classes))
	give := func(m *mixed, racks int) {
		c := &x.classes[m.class]
		for ; racks > 0 && filled[m.class] < len(c.racks); racks-- {
			i := int(c.racks[filled[m.class]])
			filled[m.class]++
			for j, n := range m.counts {
				if n > 0 {
					put(i, j, int(n))
				}
			}
		}
	}
	parts := slices.Clone(b.mix)
	for k := range parts {
		whole := int(parts[k].racks + nearlyOne)
		give(&parts[k], whole)
		parts[k].racks -= float64(whole)
	}
	slices.SortStableFunc(parts, func(a, b mixed) int { return cmp.Compare(b.racks, a.racks) })
	for k := range parts {
		if parts[k].racks > nearlyOne {
			give(&parts[k], 1)
		}
	}
}

// putMeans puts the whole part of every mean first, then one more where the mean is nearer to that.
func (s *site) putMeans(b *lineBound, put func(i, j, n int) int) {
	x, m := s.relaxed, len(s.relaxed.models)
	const nearlyOne = 0.02
	for ci := range x.classes {
		c := &x.classes[ci]
		for j := range m {
			whole := int(b.mean[ci*m+j]/float64(len(c.racks)) + nearlyOne)
			for _, i := range c.racks {
				put(int(i), j, whole)
			}
		}
	}
	for ci := range x.classes {
		c := &x.classes[ci]
		for j := range m {
			left := int(b.mean[ci*m+j] + 0.5)
			for _, i := range c.racks {
				left -= s.racks[i].count[x.models[j]]
			}
			for _, i := range c.racks {
				if left > 0 {
					left -= put(int(i), j, 1)
				}
			}
		}
	}
}

// hold says whether the rows have room for what servers of one rack take.
func (x *relaxed) hold(c *rackClass, room []float64, count func(j int) float64) bool {
	taken := x.taken(count)
	for _, e := range c.entries { // a row may have several entries: what is over by one is over
		if e.factor*taken[e.figure] > room[e.row]+slack {
			return false
		}
	}
	return true
}

// diveRounds is how often the prices are found anew.
const diveRounds = 9

// dive closes racks round by round: those whose mean is nearest to a filling get it, and the prices are found
// anew for what is left of limits, racks and need.
func (s *site) dive(b *lineBound, h rounding, put func(i, j, n int) int) {
	x, m := s.relaxed, len(s.relaxed.models)
	st := b.stage
	st.least = slices.Clone(st.least)
	for j, n := range st.least { // what whole servers cost against the mean
		if j != st.model {
			st.least[j] = n + int(h.margin*float64(n)+0.5)
		}
	}
	st.room = x.tighten(b.stage)
	st.racks = make([]int, len(x.classes))
	for ci := range x.classes {
		st.racks[ci] = len(x.classes[ci].racks)
	}
	p := b.priced
	worth := make([]float64, m)
	type choice struct {
		class int
		v     []int16
		off   float64
	}
	for round := range diveRounds {
		var open []choice
		racks := 0
		for ci := range x.classes {
			c := &x.classes[ci]
			if st.racks[ci] == 0 || c.vectors == nil {
				continue
			}
			x.worthOf(c, st.model, p.prices, p.reward, worth)
			top, _ := c.best(worth)
			best := choice{class: ci, off: math.Inf(1)}
			for i := 0; i < len(c.vectors); i += m {
				v := c.vectors[i : i+m]
				off := top
				for j := range m {
					k := float64(v[j])
					if worth[j] <= 0 || (j != st.model && b.stage.least[j] == 0) {
						k = 0
					}
					off += math.Abs(k-p.mean[ci*m+j]/float64(st.racks[ci])) - k*worth[j]
				}
				if off < best.off && x.hold(c, st.room, func(j int) float64 {
					if worth[j] <= 0 || (j != st.model && b.stage.least[j] == 0) {
						return 0
					}
					return float64(v[j])
				}) {
					best.v, best.off = v, off
				}
			}
			if best.v == nil { // nothing listed fits what is left: the rest is filled one by one
				continue
			}
			open = append(open, best)
			racks += st.racks[ci]
		}
		slices.SortStableFunc(open, func(a, b choice) int { return cmp.Compare(a.off, b.off) })
		quota := int(h.share*float64(racks)) + 1
		if round == diveRounds-1 {
			quota = racks
		}
		for _, o := range open {
			if quota <= 0 {
				break
			}
			c := &x.classes[o.class]
			closed := st.racks[o.class]
			if closed > 2 { // of many racks alike only a part: their mean is seldom one filling
				closed = max(1, min(closed, int(h.share*float64(closed))))
			}
			x.worthOf(c, st.model, p.prices, p.reward, worth)
			for range closed {
				i := c.racks[len(c.racks)-st.racks[o.class]]
				st.racks[o.class]--
				quota--
				got := make([]float64, m)
				for j := range m {
					if n := int(o.v[j]); n > 0 && worth[j] > 0 {
						got[j] = float64(put(int(i), j, n))
						st.least[j] = max(0, st.least[j]-int(got[j]))
					}
				}
				taken := x.taken(func(j int) float64 { return got[j] })
				for _, e := range c.entries {
					st.room[e.row] = math.Max(0, st.room[e.row]-e.factor*taken[e.figure])
				}
			}
		}
		if round < diveRounds-1 {
			st.prices, st.reward, st.reach = p.prices, p.reward, 0
			p = x.price(st)
		}
	}
}

// swapIn makes room for servers of a model by taking out as few as will do of another, and says whether all
// of them went in.
func (s *site) swapIn(model, short, victim int) bool {
	for out := 1; out <= 4; out++ {
		for i := range s.racks {
			for short > 0 && s.racks[i].count[victim] >= out {
				s.change(i, victim, -out)
				if s.localRoom(i, model) < 1 || s.add(i, model, 1) < 1 {
					s.change(i, victim, out)
					break
				}
				short--
			}
		}
	}
	return short <= 0
}
