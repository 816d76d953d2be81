package placement

import (
	"cmp"
	"slices"
)

// searchRacks and searchTries bound the exact search: beyond them the best placement found stands and
// Line.Bound tells the gap.
const (
	searchRacks = 40
	searchTries = 1_000_000
)

// search looks at every placement of a small hall that could hold more servers of the stage's model, and no
// fewer of the earlier ones, rack by rack, the filling that is worth most first. A branch is left as soon as
// the prices show that it cannot beat the best.
type search struct {
	s    *site
	x    *relaxed
	b    *lineBound
	goal int

	fillings [][]filling // by rack
	rest     []float64   // worth of the best fillings from rack i on
	most     [][]int     // servers by model that racks from i on could hold
	now      []int       // servers by model
	best     int
	bestAt   [][]int
	tries    int
}

type filling struct {
	counts []int // by index in relaxed.models
	worth  float64
}

// maxRackFillings is how many fillings of one rack are searched.
const maxRackFillings = 4000

// run leaves the best placement found in the site and says whether it is proven to be the best.
func (r *search) run() bool {
	s, x := r.s, r.x
	model := x.models[r.b.stage.model]
	r.best, r.bestAt = s.countOf(model), s.save()
	for i := range s.racks {
		for m, n := range s.racks[i].count {
			s.changeIf(i, m, -n)
		}
	}
	ok := r.list()
	if ok {
		r.now = make([]int, len(x.models))
		base := 0.0
		for j, n := range r.b.stage.least {
			base -= r.b.reward[j] * float64(n)
		}
		for row, p := range r.b.prices {
			base += p * x.tighten(r.b.stage)[row]
		}
		r.visit(0, base)
		ok = r.tries <= searchTries
	}
	s.restore(r.bestAt)
	return ok
}

// list finds what each rack alone may hold.
func (r *search) list() bool {
	s, x := r.s, r.x
	m := len(x.models)
	r.fillings = make([][]filling, len(s.racks))
	r.rest = make([]float64, len(s.racks)+1)
	r.most = make([][]int, len(s.racks)+1)
	r.most[len(s.racks)] = make([]int, m)
	worth := make([]float64, m)
	for i := len(s.racks) - 1; i >= 0; i-- {
		c := &x.classes[x.of[i]]
		x.worthOf(c, r.b.stage.model, r.b.prices, r.b.reward, worth)
		r.most[i] = slices.Clone(r.most[i+1])
		now := make([]int, m)
		var visit func(j int) bool
		visit = func(j int) bool {
			if j == m {
				f := filling{counts: slices.Clone(now)}
				for k, n := range now {
					if n > 0 {
						f.worth += float64(n) * worth[k]
					}
				}
				r.fillings[i] = append(r.fillings[i], f)
				return len(r.fillings[i]) <= maxRackFillings
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
		top := 0.0
		for _, f := range r.fillings[i] {
			top = max(top, f.worth)
			for j, n := range f.counts {
				r.most[i][j] = max(r.most[i][j], r.most[i+1][j]+n)
			}
		}
		r.rest[i] = r.rest[i+1] + top
		slices.SortStableFunc(r.fillings[i], func(a, b filling) int { return cmp.Compare(b.worth, a.worth) })
	}
	return true
}

func (s *site) changeIfRack(i, model, k int) {
	if k != 0 {
		s.changeRack(i, model, k)
	}
}

// visit fills rack i and those after it; worth is what those before are worth. It says whether to stop.
func (r *search) visit(i int, worth float64) (stop bool) {
	s, x, st := r.s, r.x, &r.b.stage
	if i == len(s.racks) {
		if n := r.now[st.model]; n > r.best {
			r.best, r.bestAt = n, s.save()
		}
		return r.best >= r.goal
	}
	before := -1 // place in the list of the rack before, when it is the same rack again
	if i > 0 && x.of[i] == x.of[i-1] {
		before = s.racks[i-1].chosen
	}
	for at, f := range r.fillings[i] {
		if worth+f.worth+r.rest[i+1]+boundRounds < float64(r.best+1) {
			return false // nor can those that follow
		}
		if at < before {
			continue // the same with the two racks exchanged
		}
		if r.tries++; r.tries > searchTries {
			return true
		}
		short := r.now[st.model]+f.counts[st.model] > r.goal || r.now[st.model]+f.counts[st.model]+r.most[i+1][st.model] <= r.best
		for j, n := range f.counts {
			short = short || r.now[j]+n+r.most[i+1][j] < st.least[j]
			short = short || (j != st.model && r.now[j]+n > st.least[j]) // more than is asked for
		}
		if short {
			continue
		}
		placed := false
		for j, n := range f.counts {
			if n > 0 {
				s.change(i, x.models[j], n)
				r.now[j] += n
				placed = true
			}
		}
		if !placed || !s.overShared(i) {
			s.racks[i].chosen = at
			stop = r.visit(i+1, worth+f.worth)
		}
		for j, n := range f.counts {
			if n > 0 {
				s.change(i, x.models[j], -n)
				r.now[j] -= n
			}
		}
		if stop {
			return true
		}
	}
	return false
}
