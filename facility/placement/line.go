package placement

import (
	"math"
	"slices"

	"headroom/facility"
)

// line places one order after those before it and bounds it.
func (s *site) line(k int) Line {
	o := &s.f.Orders[k]
	before := s.countOf(o.Model)
	limit := orderCount(*o)
	start := s.save()
	s.fillLine(k, limit)
	l := Line{Model: o.Model, Asked: limit, Placed: s.countOf(o.Model) - before, Proof: "order"}
	if s.f.Policy == facility.FewestRacks && l.Placed < limit {
		s.searched = true // the last rack is chosen by how many are left
	}
	if l.Placed == limit {
		l.Bound = limit
		return l
	}
	b := s.bound(k, before, l.Placed)
	if s.searchLine(k, before, l.Placed, b) {
		b.bound, b.proof = s.countOf(o.Model)-before, "search"
	}
	l.Placed = s.countOf(o.Model) - before
	if l.Placed < limit && limit < b.uncut { // what is found when more are asked for may hold so many, too
		found := s.save()
		s.restore(start)
		s.fillLine(k, b.uncut)
		more := b
		more.bound, more.stage.reach = b.uncut, s.countOf(o.Model)
		s.searchLine(k, before, s.countOf(o.Model)-before, more)
		s.trim(o.Model, before+limit)
		if n := s.countOf(o.Model) - before; n > l.Placed {
			l.Placed = n
		} else {
			s.restore(found)
		}
	}
	l.Bound, l.Proof = max(b.bound, l.Placed), b.proof
	if l.Placed == limit {
		l.Proof = "order"
	}
	return l
}

// searchLine looks for a placement with more servers of a line than the filling has found, and says whether it has
// looked at every one that could be better.
func (s *site) searchLine(k, before, placed int, b lineBound) (all bool) {
	goal := before + b.bound
	if !s.plain(k) || before+placed >= goal {
		return false
	}
	all = s.improve(k, b, goal)
	s.searched = s.searched || len(s.racks) <= searchRacks || s.countOf(s.f.Orders[k].Model) > before+placed
	return all
}

// trim takes servers of a model out until so many are left, from the last rack back.
func (s *site) trim(model, left int) {
	over := s.countOf(model) - left
	for i := len(s.racks) - 1; i >= 0 && over > 0; i-- {
		n := min(over, s.racks[i].count[model])
		s.changeIf(i, model, -n)
		over -= n
	}
}

func (s *site) countOf(model int) int {
	n := 0
	for i := range s.racks {
		n += s.racks[i].count[model]
	}
	return n
}

// lineBound is the bound of one line with what the search wants to know of it.
type lineBound struct {
	bound int // servers of this line
	uncut int // the same were more of them asked for
	proof string
	stage stage
	priced
}

// bound bounds a line given what stands of the earlier ones.
func (s *site) bound(k, before, placed int) lineBound {
	b := s.boundAnyCount(k, before, placed)
	if limit := orderCount(s.f.Orders[k]); limit < b.bound {
		b.bound, b.proof = limit, "order"
	}
	b.bound = max(b.bound, placed)
	return b
}

// boundAnyCount is bound however many are asked for. It hangs on how many of each model stand and not on where, so that
// one line has it once for both placements of a plan.
func (s *site) boundAnyCount(k, before, placed int) lineBound {
	o := &s.f.Orders[k]
	x := s.relax()
	st := stage{least: make([]int, len(x.models)), reach: before + placed, cap: math.MaxInt}
	for j, m := range x.models {
		if m == o.Model {
			st.model, st.least[j] = j, before
		} else {
			st.least[j] = s.countOf(m)
		}
	}
	if was, ok := s.bounds[k]; ok && was.stage.reach == st.reach && slices.Equal(was.stage.least, st.least) {
		return was
	}
	alone := *s.f
	alone.Orders = []facility.Order{{Model: o.Model, Max: true}}
	b := lineBound{bound: boundWithin(&alone, s.kinds(), s.boundCases()) - before, proof: "cuts", stage: st}
	if b.bound > placed || s.plain(k) {
		b.priced = s.bestPrices(b.stage)
		if p := b.priced.bound - before; p < b.bound {
			b.bound, b.proof = p, "prices"
		}
	}
	if o.Block > 1 {
		b.bound -= b.bound % o.Block
	}
	b.uncut = b.bound
	s.bounds[k] = b
	return b
}

// bestPrices are those of the linear program; in large halls those that are searched for, where they are good enough.
func (s *site) bestPrices(st stage) priced {
	x := s.relaxed
	if x.programRows(&st) > masterAlways {
		p := x.price(st)
		if float64(p.bound-st.reach) <= nearEnough*float64(s.total) {
			return p
		}
		if q, ok := x.solve(st); ok && q.exact < p.exact {
			// The bound of the one; prices and means of the other, spread over more fillings, round better.
			p.exact, p.bound, p.mix = q.exact, q.bound, q.mix
		}
		return p
	}
	if p, ok := x.solve(st); ok {
		return p
	}
	return x.price(st)
}

// plain says whether neither this line nor an earlier one asks for more than room.
func (s *site) plain(k int) bool {
	for _, o := range s.f.Orders[:k+1] {
		if o.Block > 1 || len(o.Spread) > 0 {
			return false
		}
	}
	return true
}

// save and restore hold the counts of every rack.
func (s *site) save() [][]int {
	counts := make([][]int, len(s.racks))
	flat := make([]int, len(s.racks)*len(s.needs))
	for i := range counts {
		counts[i], flat = flat[:len(s.needs):len(s.needs)], flat[len(s.needs):]
		copy(counts[i], s.racks[i].count)
	}
	return counts
}

func (s *site) restore(counts [][]int) {
	for i := range counts {
		for m := range counts[i] {
			s.changeIf(i, m, min(0, counts[i][m]-s.racks[i].count[m]))
		}
	}
	for i := range counts {
		for m := range counts[i] {
			s.changeIf(i, m, counts[i][m]-s.racks[i].count[m])
		}
	}
}

// improve looks for a placement with more servers of line k and no fewer of the earlier ones, up to goal of
// the model. It says whether it has looked at every placement that could be better.
func (s *site) improve(k int, b lineBound, goal int) (all bool) {
	model := s.f.Orders[k].Model
	if s.countOf(model) >= goal {
		return false
	}
	best, most := s.save(), s.countOf(model)
	work := 0
	for n, h := range roundings {
		if h.means && (b.mix == nil || s.relaxed.size() <= roundWork) {
			continue // the same as the first, or there is work left for better ways
		}
		if most >= goal || (n >= usualRoundings && len(s.racks) > searchRacks) || (n > 0 && float64(goal-most) <= nearEnough*float64(s.total)) || (work > roundWork && !h.means && n > 0) {
			break
		}
		work += s.relaxed.size()
		if !s.round(k, b, goal, h) {
			continue
		}
		if len(s.racks) <= searchRacks && s.countOf(model)+smallGap >= most { // cheap here: make the most of each
			s.refine(&b, goal)
			s.fillRest(model, goal)
			s.eject(k, model, goal)
		}
		if s.countOf(model) > most {
			best, most = s.save(), s.countOf(model)
		}
	}
	s.restore(best)
	if most < goal && s.relaxed.size() < roundWork {
		if at := s.refine(&b, goal); at != nil {
			best = at
			most = s.countOf(model)
		}
		s.fillRest(model, goal)
		if s.countOf(model) <= most { // servers move only where that gains one
			s.restore(best)
		}
	}
	if s.countOf(model) < goal {
		s.eject(k, model, goal)
	}
	if s.countOf(model) < goal && len(s.racks) <= searchRacks {
		sr := search{s: s, x: s.relaxed, b: &b, goal: goal, budget: s.budget}
		return sr.run()
	}
	return false
}
