package placement

import (
	"cmp"
	"math"
	"slices"
)

// searchRacks and searchWork bound the exact search: beyond them the best placement found stands and Line.Bound
// tells the gap. The work is entries and fillings looked at; 100 million take about a second.
const (
	searchRacks     = 40
	searchWork      = 30_000_000
	searchSteps     = 25 // for the prices of one branch
	maxRackFillings = 4000
)

// search looks at every placement of a small hall that could hold more servers of the stage's model, and no
// fewer of the earlier ones: branch and bound over what whole racks hold. In each branch the prices are found anew
// for the racks and capacities that are left; a filling is not tried where it loses more than the bound is above the
// best, and a branch is left when the prices show that it cannot beat the best.
type search struct {
	s    *site
	x    *relaxed
	b    *lineBound
	goal int

	fillings [][]filling // by class, all of them
	most     []int       // by class and model: servers that one rack can hold
	now      []int       // servers by model
	racks    [][]int32   // by class: the racks that are to be filled
	next     []int       // by class: of these, how many are
	last     []int       // by class: filling of the last one, racks alike are filled in this order
	best     int
	bestAt   [][]int
	work     int
	budget   int
	size     int // entries and fillings of the classes that are filled
	sums     *sums
	odd      int  // how often a branch may still take another option than the nearest
	cut      bool // one was left out for that
}

// searchParts is how often a branch may leave the nearest option, and the share of the work: where the prices lead to
// is looked at first, everything last.
var searchParts = [...]struct {
	odd   int
	share float64
}{{3, 0.1}, {8, 0.2}, {math.MaxInt / 2, 0.7}}

type filling struct {
	counts []int // by index in relaxed.models
	use    [figures]float64
}

// run leaves the best placement found in the site and says whether it is proven to be the best.
func (r *search) run() bool {
	s, x := r.s, r.x
	r.best, r.bestAt = s.countOf(x.models[r.b.stage.model]), s.save()
	for i := range s.racks {
		for m, n := range s.racks[i].count {
			s.changeIf(i, m, -n)
		}
	}
	ok := r.list()
	r.size, r.sums = x.size(), newSums(x)
	if ok {
		st := r.b.stage
		st.least = slices.Clone(st.least)
		st.room = x.tighten(st)
		st.racks = make([]int, len(x.classes))
		for ci := range x.classes {
			st.racks[ci] = len(x.classes[ci].racks)
			r.racks = append(r.racks, x.classes[ci].racks)
		}
		st.prices, st.reward, st.steps = r.b.prices, r.b.reward, 4*searchSteps
		r.now, r.next, r.last = make([]int, len(x.models)), make([]int, len(x.classes)), make([]int, len(x.classes))
		all := r.budget
		for _, part := range searchParts {
			r.odd, r.cut = part.odd, false
			r.budget = min(all, r.work+int(part.share*float64(all)))
			done := r.visit(st)
			if ok = !r.cut && r.work <= r.budget; ok || (done && r.best >= r.goal) || r.work > all {
				break
			}
		}
	}
	s.restore(r.bestAt)
	return ok
}

// list finds what a rack of each class alone may hold.
func (r *search) list() bool {
	s, x := r.s, r.x
	m := len(x.models)
	r.fillings = make([][]filling, len(x.classes))
	r.most = make([]int, len(x.classes)*m)
	for ci := range x.classes {
		c := &x.classes[ci]
		i := int(c.racks[0])
		now := make([]int, m)
		var visit func(j int) bool
		visit = func(j int) bool {
			if j == m {
				f := filling{counts: slices.Clone(now), use: x.taken(func(j int) float64 { return float64(now[j]) })}
				for j, n := range now {
					r.most[ci*m+j] = max(r.most[ci*m+j], n)
				}
				r.fillings[ci] = append(r.fillings[ci], f)
				return len(r.fillings[ci]) <= maxRackFillings
			}
			most := 0
			if j == r.b.stage.model || r.b.stage.least[j] > 0 {
				most = s.localRoom(i, x.models[j])
				if c.blocked[j] {
					most = 0
				}
			}
			for k := most; k >= 0; k-- {
				now[j] = k
				s.changeIfRack(i, x.models[j], k)
				ok := visit(j + 1)
				s.changeIfRack(i, x.models[j], -k)
				if !ok {
					return false
				}
			}
			now[j] = 0
			return true
		}
		if !visit(0) {
			return false
		}
	}
	return true
}

func (s *site) changeIfRack(i, model, k int) {
	if k != 0 {
		s.changeRack(i, model, k)
	}
}

// option is a filling that may still be part of a better placement.
type option struct {
	at  int // in fillings
	off float64
}

// visit fills the racks that are left in every way that could beat the best. It says whether to stop.
func (r *search) visit(st stage) (stop bool) {
	x, m := r.x, len(r.x.models)
	left := 0
	for ci := range x.classes {
		left += st.racks[ci]
	}
	for j, least := range st.least { // what must stand can
		for ci := range x.classes {
			least -= st.racks[ci] * r.most[ci*m+j]
		}
		if j != st.model && least > 0 {
			return false
		}
	}
	if left == 0 {
		if r.now[st.model] > r.best {
			r.best, r.bestAt = r.now[st.model], r.s.save()
		}
		return r.best >= r.goal
	}
	need := float64(r.best + 1 - r.now[st.model]) // of the model, from the racks that are left
	st.stop, st.reach = need-boundRounds, max(0, int(need)-1)
	r.work += r.sums.tighten(x, &st, st.racks, r.most, st.room) / 8
	p, ok := x.solve(st)
	if !ok {
		p = x.price(st)
	}
	r.work += (p.steps + 1) * (r.size + p.rows*p.rows/4)
	if r.work > r.budget {
		return true
	}
	if p.exact+boundRounds < need {
		return false
	}
	ci, options := r.choose(&st, &p, p.exact+2*boundRounds-need)
	if ci < 0 {
		return false
	}
	return r.branch(st, &p, ci, options)
}

// choose finds the class with the fewest fillings that lose no more than may be lost, and lists them, the nearest to
// the mean of the prices first; -1 where one class has none.
func (r *search) choose(st *stage, p *priced, slack float64) (class int, options []option) {
	x, m := r.x, len(r.x.models)
	class = -1
	worth := make([]float64, m)
	var list []option
	for ci := range x.classes {
		if st.racks[ci] == 0 {
			continue
		}
		c := &x.classes[ci]
		x.worthOf(c, st.model, p.prices, p.reward, worth)
		top, _ := c.best(worth)
		list = list[:0]
		r.work += len(r.fillings[ci]) / 4
		for at := range r.fillings[ci] {
			if r.next[ci] > 0 && at < r.last[ci] {
				continue // the same with two racks exchanged
			}
			f := &r.fillings[ci][at]
			loss, far := top, 0.0
			for j, n := range f.counts {
				if n > 0 {
					loss -= float64(n) * worth[j]
				}
				far += math.Abs(float64(n) - p.mean[ci*m+j]/float64(st.racks[ci]))
			}
			if loss <= slack && r.fits(st, c, f) {
				list = append(list, option{at, far + loss})
			}
		}
		if len(list) == 0 {
			return -1, nil
		}
		if class < 0 || len(list) < len(options) {
			class, options = ci, append(options[:0], list...)
		}
	}
	slices.SortStableFunc(options, func(a, b option) int { return cmp.Compare(a.off, b.off) })
	return class, options
}

// fits says whether the rows have room for a filling, and no more stands than is asked for.
func (r *search) fits(st *stage, c *rackClass, f *filling) bool {
	for j, n := range f.counts {
		if j != st.model && n > st.least[j] {
			return false
		}
	}
	if r.now[st.model]+f.counts[st.model] > r.goal {
		return false
	}
	for _, e := range c.entries {
		if e.factor*f.use[e.figure] > st.room[e.row]+slack {
			return false
		}
	}
	return true
}

// branch tries the options for the next rack of a class.
func (r *search) branch(st stage, p *priced, ci int, options []option) (stop bool) {
	s, x := r.s, r.x
	c := &x.classes[ci]
	i := int(r.racks[ci][r.next[ci]])
	before := r.last[ci]
	for k, o := range options {
		if k > r.odd {
			r.cut = true
			break
		}
		f := &r.fillings[ci][o.at]
		placed := false
		for j, n := range f.counts {
			s.changeIf(i, x.models[j], n)
			r.now[j] += n
			placed = placed || n > 0
		}
		if !placed || !s.overShared(i) {
			rest := st
			rest.prices, rest.reward, rest.steps = p.prices, p.reward, searchSteps
			rest.least, rest.racks, rest.room = slices.Clone(st.least), slices.Clone(st.racks), slices.Clone(st.room)
			rest.racks[ci]--
			for j, n := range f.counts {
				if j != st.model {
					rest.least[j] -= n
				}
			}
			for _, e := range c.entries {
				rest.room[e.row] = math.Max(0, rest.room[e.row]-e.factor*f.use[e.figure])
			}
			r.next[ci]++
			r.last[ci] = o.at
			r.odd -= k
			stop = r.visit(rest)
			r.odd += k
			r.next[ci]--
			r.last[ci] = before
		}
		for j, n := range f.counts {
			s.changeIf(i, x.models[j], -n)
			r.now[j] -= n
		}
		if stop {
			return true
		}
	}
	return false
}
