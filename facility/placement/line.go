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
	s.fillLine(k, limit)
	l := Line{Model: o.Model, Asked: limit, Placed: s.countOf(o.Model) - before, Proof: "order"}
	if l.Placed == limit {
		l.Bound = limit
		return l
	}
	b := s.bound(k, before, l.Placed)
	goal := before + b.bound
	if s.plain(k) && before+l.Placed < goal {
		if s.improve(k, b, goal) {
			b.bound, b.proof = s.countOf(o.Model)-before, "search"
		}
	}
	l.Placed = s.countOf(o.Model) - before
	l.Bound, l.Proof = max(b.bound, l.Placed), b.proof
	if l.Placed == limit {
		l.Proof = "order"
	}
	return l
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
	proof string
	stage stage
	priced
}

// bound bounds a line given what stands of the earlier ones.
func (s *site) bound(k, before, placed int) lineBound {
	o := &s.f.Orders[k]
	alone := *s.f
	alone.Orders = []facility.Order{{Model: o.Model, Max: true}}
	b := lineBound{bound: Bound(&alone) - before, proof: "cuts"}
	if s.relaxed == nil {
		s.relaxed = newRelaxed(s.f)
	}
	x := s.relaxed
	b.stage = stage{least: make([]int, len(x.models)), reach: before + placed, cap: math.MaxInt}
	for j, m := range x.models {
		if m == o.Model {
			b.stage.model, b.stage.least[j] = j, before
		} else {
			b.stage.least[j] = s.countOf(m)
		}
	}
	if b.bound > placed || s.plain(k) {
		b.priced = x.price(b.stage)
		if p := b.priced.bound - before; p < b.bound {
			b.bound, b.proof = p, "prices"
		}
	}
	if o.Block > 1 {
		b.bound -= b.bound % o.Block
	}
	if limit := orderCount(*o); limit < b.bound {
		b.bound, b.proof = limit, "order"
	}
	b.bound = max(b.bound, placed)
	return b
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
	if len(s.racks) <= searchRacks {
		sr := search{s: s, x: s.relaxed, b: &b, goal: goal}
		if sr.run() {
			return true
		}
	}
	model := s.f.Orders[k].Model
	if s.countOf(model) >= goal {
		return false
	}
	best, most := s.save(), s.countOf(model)
	if s.round(k, b, goal) && s.countOf(model) > most {
		best, most = s.save(), s.countOf(model)
	} else {
		s.restore(best)
	}
	if most < goal {
		s.eject(k, goal)
	}
	return false
}

// round turns the mean of the priced fillings into a placement: of every class and model the whole
// part first, then what still fits, line by line. It says whether the earlier lines came out whole.
func (s *site) round(k int, b lineBound, goal int) bool {
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
	for ci := range x.classes {
		c := &x.classes[ci]
		for j := range m {
			if want[j] == 0 {
				continue
			}
			share := b.mean[ci*m+j] / float64(len(c.racks))
			whole := int(share + 0.02)
			for _, i := range c.racks {
				put(int(i), j, whole)
			}
		}
	}
	// The rest by the size of what the mean has beyond what stands.
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
		if placed[j] < n {
			return false
		}
	}
	return true
}

// ejectWork bounds how many changes the exchange of servers tries.
const ejectWork = 12_000

// eject takes one server out of a rack to make room for one of line k there or elsewhere, and puts it into
// another rack.
func (s *site) eject(k, goal int) {
	x, model := s.relaxed, s.f.Orders[k].Model
	have := s.countOf(model)
	work := 0
	var models []int
	for _, o := range s.f.Orders[:k+1] {
		if !slices.Contains(models, o.Model) {
			models = append(models, o.Model)
		}
	}
	hungry := func(model int) (list []int) { // racks with room of their own
		for i := range s.racks {
			if s.localRoom(i, model) > 0 {
				list = append(list, i)
			}
		}
		return list
	}
	byRow := make([][]int32, x.rows) // classes of every row
	for ci := range x.classes {
		for _, e := range x.classes[ci].entries {
			if l := byRow[e.row]; len(l) == 0 || l[len(l)-1] != int32(ci) {
				byRow[e.row] = append(byRow[e.row], int32(ci))
			}
		}
	}
	stamp := make([]int, len(x.classes))
	number := 0
	for found := true; found && have < goal && work < ejectWork; {
		found = false
		near := hungry(model)
		away := make(map[int][]int, len(models))
		for _, j := range models {
			away[j] = hungry(j)
		}
		for i := range s.racks {
			for _, j := range models {
				if s.racks[i].count[j] == 0 || have >= goal || work > ejectWork {
					continue
				}
				s.change(i, j, -1)
				work++
				gained := s.add(i, model, min(goal-have, s.localRoom(i, model)))
				if j == model {
					gained = 0 // it would only go back
					s.changeIf(i, model, s.racks[i].count[model]*0)
				}
				number++
				for _, e := range x.classes[x.of[i]].entries {
					for _, ci := range byRow[e.row] {
						stamp[ci] = number
					}
				}
				var at []int
				if j == model { // what add put back
					back := 0
					for s.racks[i].count[model] > 0 && back == 0 && s.addedBack(i, model) {
						back = 1
					}
				}
				for _, h := range near {
					if h == i || stamp[x.of[h]] != number || gained > 0 || work > ejectWork {
						continue
					}
					work++
					if s.localRoom(h, model) > 0 && s.add(h, model, 1) == 1 {
						gained++
						at = append(at, h)
					}
				}
				if gained > 0 {
					for _, h := range away[j] {
						if h == i || work > ejectWork {
							continue
						}
						work++
						if s.localRoom(h, j) > 0 && s.add(h, j, 1) == 1 {
							have += gained
							found = true
							gained = 0
							at = nil
							break
						}
					}
				}
				_ = at
			}
		}
	}
}
