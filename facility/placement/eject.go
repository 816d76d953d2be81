package placement

import (
	"slices"
)

// ejectWork bounds how many changes the exchange of servers tries.
const ejectWork = 8_000

// eject takes one server out of a rack to make room for one of line k there or where it shared a limit, and
// puts it into another rack; until none is left that can, or the work is done.
func (s *site) eject(k, model, goal int) {
	e := ejector{s: s, model: model, hungry: map[int][]int{}, stamp: make([]int, len(s.relaxed.classes))}
	for _, o := range s.f.Orders[:k+1] {
		if !slices.Contains(e.models, o.Model) {
			e.models = append(e.models, o.Model)
		}
	}
	e.byRow = make([][]int32, s.relaxed.rows)
	for ci := range s.relaxed.classes {
		for _, x := range s.relaxed.classes[ci].entries {
			if l := e.byRow[x.row]; len(l) == 0 || l[len(l)-1] != int32(ci) {
				e.byRow[x.row] = append(e.byRow[x.row], int32(ci))
			}
		}
	}
	have := s.countOf(model)
	for found := true; found && have < goal && e.work < ejectWork; {
		found = false
		for _, j := range e.models { // racks with room of their own
			e.hungry[j] = e.hungry[j][:0]
			for i := range s.racks {
				if s.localRoom(i, j) > 0 {
					e.hungry[j] = append(e.hungry[j], i)
				}
			}
		}
		for i := range s.racks {
			for _, j := range e.models {
				for s.racks[i].count[j] > 0 && have < goal && e.work < ejectWork && e.exchange(i, j) {
					have++
					found = true
				}
			}
		}
	}
}

type ejector struct {
	s      *site
	model  int
	models []int
	hungry map[int][]int
	byRow  [][]int32 // classes of every row
	stamp  []int     // of classes that share a row with the rack at hand
	number int
	work   int
}

// exchange takes a server of model j out of rack i, puts one of the line's in and the other elsewhere; if
// that does not work out all is as before.
func (e *ejector) exchange(i, j int) bool {
	s := e.s
	s.change(i, j, -1)
	e.work++
	at := i
	if j == e.model || s.localRoom(i, e.model) <= 0 || s.add(i, e.model, 1) != 1 {
		at = e.near(i)
	}
	if at != noIndex {
		for _, h := range e.hungry[j] {
			if h == i || e.work > ejectWork || s.localRoom(h, j) < 1 {
				continue
			}
			e.work++
			if s.add(h, j, 1) == 1 {
				return true
			}
		}
		s.change(at, e.model, -1)
	}
	s.change(i, j, 1)
	return false
}

// near puts one of the line's servers into a rack that shares a limit with rack i, and returns which.
func (e *ejector) near(i int) int {
	s := e.s
	e.number++
	for _, x := range s.relaxed.classes[s.relaxed.of[i]].entries {
		for _, ci := range e.byRow[x.row] {
			e.stamp[ci] = e.number
		}
	}
	for _, h := range e.hungry[e.model] {
		if h == i || e.stamp[s.relaxed.of[h]] != e.number || e.work > ejectWork || s.localRoom(h, e.model) < 1 {
			continue
		}
		e.work++
		if s.add(h, e.model, 1) == 1 {
			return h
		}
	}
	return noIndex
}
