package placement

import (
	"cmp"
	"slices"
)

// refiner exchanges whole fillings. At the prices of the bound every rack has a filling that is worth most,
// and what a placement falls short of the bound is the sum of what its racks lose against that, what dear
// rows have left and what stands beyond the need. A rack that loses is given a better filling, and where that
// takes servers that are needed, a second rack is given one that brings them back, so that together they lose
// less.
type refiner struct {
	s     *site
	x     *relaxed
	st    *stage
	goal  int
	total []int // servers by model
	good  [][]refill
	worth [][]float64 // by class and model
	top   []float64
	loss  []float64 // by rack
	use   []float64 // of the rows, as the relaxation counts it
	delta []float64 // scratch: of the rows
	work  int
}

// refill is one filling of a class that loses little.
type refill struct {
	counts []int
	loss   float64
}

// Limits of the exchange.
const (
	goodLoss   = 1.5 // servers that a filling worth trying may lose
	goodMost   = 40  // fillings of a class that are tried
	leastGain  = 1e-6
	refineWork = 4_000_000 // comparisons; a try on the limits counts for refineTry
	refineTry  = 200
)

// refine returns the placement in which the last server was gained, nil if none was.
func (s *site) refine(b *lineBound, goal int) (best [][]int) {
	x := s.relaxed
	m := len(x.models)
	r := refiner{
		s: s, x: x, st: &b.stage, goal: goal, total: make([]int, m), good: make([][]refill, len(x.classes)),
		worth: make([][]float64, len(x.classes)), top: make([]float64, len(x.classes)), loss: make([]float64, len(s.racks)),
		use: make([]float64, x.rows), delta: make([]float64, x.rows),
	}
	for i := range s.racks {
		r.charge(r.use, i, func(j int) int { return s.racks[i].count[x.models[j]] }, 1)
	}
	for j, mm := range x.models {
		r.total[j] = s.countOf(mm)
	}
	for ci := range x.classes {
		c := &x.classes[ci]
		r.worth[ci] = make([]float64, m)
		x.worthOf(c, b.stage.model, b.prices, b.reward, r.worth[ci])
		r.top[ci], _ = c.best(r.worth[ci])
		r.list(ci)
	}
	var losers []int
	for i := range s.racks {
		r.loss[i] = r.lossOf(i, func(j int) int { return s.racks[i].count[x.models[j]] })
		if r.loss[i] > leastGain {
			losers = append(losers, i)
		}
	}
	for found := true; found && r.work < refineWork && r.total[b.stage.model] < goal; {
		found = false
		slices.SortStableFunc(losers, func(a, b int) int { return cmp.Compare(r.loss[b], r.loss[a]) })
		for _, i := range losers {
			for r.loss[i] > leastGain && r.work < refineWork && r.total[b.stage.model] < goal {
				have := r.total[b.stage.model]
				if !r.better(i) {
					break
				}
				found = true
				if r.total[b.stage.model] > have {
					best = s.save()
				}
			}
		}
	}
	return best
}

// list finds the fillings of a class that lose little.
func (r *refiner) list(ci int) {
	c := &r.x.classes[ci]
	m := len(r.total)
	for i := 0; i < len(c.vectors); i += m {
		f := refill{counts: make([]int, m), loss: r.top[ci]}
		for j, n := range c.vectors[i : i+m] {
			if n > 0 && r.wanted(j) && r.worth[ci][j] > 0 {
				f.counts[j] = int(n)
				f.loss -= float64(n) * r.worth[ci][j]
			}
		}
		r.keep(ci, f)
		for j := range m { // one server fewer loses little where rows are dear
			if f.counts[j] > 0 {
				g := refill{counts: slices.Clone(f.counts), loss: f.loss + r.worth[ci][j]}
				g.counts[j]--
				r.keep(ci, g)
			}
		}
	}
	slices.SortStableFunc(r.good[ci], func(a, b refill) int { return cmp.Compare(a.loss, b.loss) })
	r.good[ci] = r.good[ci][:min(len(r.good[ci]), goodMost)]
}

func (r *refiner) keep(ci int, f refill) {
	if f.loss <= goodLoss && !slices.ContainsFunc(r.good[ci], func(g refill) bool { return slices.Equal(g.counts, f.counts) }) {
		r.good[ci] = append(r.good[ci], f)
	}
}

// charge adds what servers of a rack put on the rows.
func (r *refiner) charge(to []float64, i int, count func(j int) int, sign float64) {
	c := &r.x.classes[r.x.of[i]]
	taken := r.x.taken(func(j int) float64 { return sign * float64(count(j)) })
	for _, e := range c.entries {
		to[e.row] += e.factor * taken[e.figure]
	}
}

// rowsHold says whether the rows of the relaxation hold with the changes: a quick look before the limits are
// asked.
func (r *refiner) rowsHold(i int, first []int, k int, second []int) bool {
	r.charge(r.delta, i, func(j int) int { return first[j] }, 1)
	if k != noIndex {
		r.charge(r.delta, k, func(j int) int { return second[j] }, 1)
	}
	ok := true
	look := func(i int) {
		for _, e := range r.x.classes[r.x.of[i]].entries {
			if d := r.delta[e.row]; d > 0 && r.use[e.row]+d > 1+slack {
				ok = false
			}
		}
	}
	look(i)
	clean := func(i int) {
		for _, e := range r.x.classes[r.x.of[i]].entries {
			r.delta[e.row] = 0
		}
	}
	if k != noIndex {
		look(k)
		clean(k)
	}
	clean(i)
	return ok
}

func (r *refiner) wanted(j int) bool { return j == r.st.model || r.st.least[j] > 0 }

func (r *refiner) lossOf(i int, count func(j int) int) float64 {
	ci := r.x.of[i]
	loss := r.top[ci]
	for j := range r.total {
		if n := count(j); n > 0 {
			loss -= float64(n) * r.worth[ci][j]
		}
	}
	return loss
}

// most is how many of a model may stand in all.
func (r *refiner) most(j int) int {
	if j == r.st.model {
		return r.goal
	}
	return r.st.least[j]
}

// better gives rack i a filling that loses less, if need be with a second rack.
func (r *refiner) better(i int) bool {
	m := len(r.total)
	var first, second [maxRefineModels]int
	if m > maxRefineModels {
		return false
	}
	for _, f := range r.good[r.x.of[i]] {
		if f.loss >= r.loss[i]-leastGain {
			return false
		}
		lossI, ok, short := r.trim(i, f, nil, first[:m])
		if !ok || lossI >= r.loss[i]-leastGain {
			continue
		}
		if !short && r.apply(i, first[:m], noIndex, nil) {
			return true
		}
		for k := range r.s.racks {
			if r.work++; k == i || r.work > refineWork {
				continue
			}
			for _, g := range r.good[r.x.of[k]] {
				if r.work++; r.work > refineWork {
					return false
				}
				if lossI+g.loss >= r.loss[i]+r.loss[k]-leastGain {
					break
				}
				lossK, ok, short := r.trim(k, g, first[:m], second[:m])
				if ok && !short && lossI+lossK < r.loss[i]+r.loss[k]-leastGain && r.apply(i, first[:m], k, second[:m]) {
					return true
				}
			}
		}
	}
	return false
}

const maxRefineModels = 16

// trim sets what a filling changes in rack i, after the change of another rack, holding no more than is
// asked for; it says what the rack then loses, whether anything changes and whether something that must stand
// then falls short.
func (r *refiner) trim(i int, f refill, before, change []int) (loss float64, moves, short bool) {
	loss = f.loss
	ci := r.x.of[i]
	for j := range r.total {
		have := r.total[j]
		if before != nil {
			have += before[j]
		}
		now := r.s.racks[i].count[r.x.models[j]]
		d := f.counts[j] - now
		if over := have + d - r.most(j); over > 0 && d > 0 {
			cut := min(over, d)
			d -= cut
			loss += float64(cut) * r.worth[ci][j]
		}
		change[j] = d
		moves = moves || d != 0
		need := r.st.least[j]
		if j == r.st.model {
			need = r.total[j]
		}
		short = short || have+d < need
	}
	return loss, moves, short
}

// apply makes the changes if every limit allows them.
func (r *refiner) apply(i int, first []int, k int, second []int) bool {
	s := r.s
	r.work += 5
	if !r.rowsHold(i, first, k, second) {
		return false
	}
	r.work += refineTry
	put := func(sign int) {
		for j, mm := range r.x.models {
			s.changeIf(i, mm, sign*first[j])
			if k != noIndex {
				s.changeIf(k, mm, sign*second[j])
			}
		}
	}
	put(1)
	if s.overLocal(i) || s.overShared(i) || (k != noIndex && (s.overLocal(k) || s.overShared(k))) {
		put(-1)
		return false
	}
	r.charge(r.use, i, func(j int) int { return first[j] }, 1)
	if k != noIndex {
		r.charge(r.use, k, func(j int) int { return second[j] }, 1)
	}
	for j := range r.total {
		r.total[j] += first[j]
		if k != noIndex {
			r.total[j] += second[j]
		}
	}
	r.loss[i] = r.lossOf(i, func(j int) int { return s.racks[i].count[r.x.models[j]] })
	if k != noIndex {
		r.loss[k] = r.lossOf(k, func(j int) int { return s.racks[k].count[r.x.models[j]] })
	}
	return true
}

// overLocal says whether one of the rack's own limits is broken.
func (s *site) overLocal(i int) bool {
	r := &s.racks[i]
	for limit := range localLimits {
		if r.limit[limit] != noLimit && r.used.local(limit) > r.limit[limit] {
			return true
		}
	}
	share, feed := s.circuitLegs(i)
	return feed != noIndex && share > 1+legTolerance
}
