package placement

import (
	"cmp"
	"math"
	"slices"
)

// master is the linear program over whole fillings whose optimum the prices of pricer only come near: each class of
// racks takes a mix of its fillings, the rows hold, and what must stand stands. It is solved by the primal simplex
// method with an explicit inverse; fillings are made when they are worth more than their class is. What it returns is
// prices: the bound is evaluated from them as for any others, so that no rounding here can make it wrong.
type master struct {
	w       pricer
	classes []int // with racks to fill, the first rows of the program
	rows    int   // then those of relaxation
	least   []int // models that must stand, the last rows

	m       int
	inverse []float64 // m × m, column by column
	x, cost []float64 // of the basis
	column  []basic
	y       []float64
	d       []float64 // scratch: the column that comes in, by the basis
	some    []int     // scratch: where that is not zero
}

// basic is a column of the basis: a filling of a class, or the slack of a row.
type basic struct {
	class  int // index in classes, noIndex for slacks and what is short
	counts []float64
}

// Limits of the simplex method.
const (
	masterRows   = 2000 // larger programs are left to the prices
	masterAlways = 700  // smaller ones are always solved
	masterPivots = 3000
	freshDuals   = 16  // passes
	shortCost    = 1e4 // of one server that must stand and does not
	pivotLeast   = 1e-9
)

// programRows is the size of the linear program.
func (x *relaxed) programRows(s *stage) int {
	n := len(x.classes) + x.rows
	for j, least := range s.least {
		if j != s.model && least > 0 {
			n++
		}
	}
	return n
}

// solve returns the best prices found, false where the program is too large.
func (x *relaxed) solve(s stage) (priced, bool) {
	m := len(x.models)
	w := master{w: pricer{
		x: x, s: s, caps: s.room, usage: make([]float64, x.rows+m), worth: make([]float64, m), count: make([]float64, len(x.classes)*m),
		prices: make([]float64, x.rows), reward: make([]float64, m),
	}, rows: x.rows}
	if w.w.caps == nil {
		w.w.caps = x.tighten(s)
	}
	if s.racks == nil {
		w.w.s.racks = make([]int, len(x.classes))
		for ci := range x.classes {
			w.w.s.racks[ci] = len(x.classes[ci].racks)
		}
	}
	for ci, n := range w.w.s.racks {
		if n == 0 {
			continue
		}
		if x.classes[ci].vectors == nil {
			return priced{}, false
		}
		w.classes = append(w.classes, ci)
	}
	for j, n := range s.least {
		if j != s.model && n > 0 {
			w.least = append(w.least, j)
		}
	}
	if w.m = len(w.classes) + w.rows + len(w.least); w.m > masterRows {
		return priced{}, false
	}
	w.begin()
	best := priced{exact: math.Inf(1), rows: w.m}
	w.w.top, w.w.pick = make([]float64, len(x.classes)), make([][]int16, len(x.classes))
	for pass := 0; best.steps < masterPivots; pass++ {
		if pass%freshDuals == 0 { // pivots keep them up to date but for rounding
			w.duals()
		}
		prices, reward := make([]float64, x.rows), make([]float64, m)
		for r := range prices {
			prices[r] = math.Max(0, w.y[len(w.classes)+r])
		}
		for k, j := range w.least {
			reward[j] = math.Max(0, -w.y[len(w.classes)+w.rows+k])
		}
		if v := w.w.evaluate(prices, reward); v < best.exact {
			best.exact, best.prices, best.reward = v, prices, reward
			if v < s.stop {
				break
			}
		}
		pivots := w.improve(prices, reward)
		if best.steps += pivots; pivots == 0 {
			break
		}
	}
	best.mean = make([]float64, len(x.classes)*m)
	for i, b := range w.column {
		if b.class != noIndex {
			best.mix = append(best.mix, mixed{w.classes[b.class], b.counts, w.x[i]})
			for j, k := range b.counts {
				best.mean[w.classes[b.class]*m+j] += k * w.x[i]
			}
		}
	}
	best.bound = s.cap
	if v := best.exact + boundRounds; v < float64(s.cap) {
		best.bound = int(v)
	}
	return best, true
}

// begin starts with empty racks, slack rows, and all that must stand short.
func (w *master) begin() {
	w.inverse = make([]float64, w.m*w.m)
	w.x, w.cost, w.y = make([]float64, w.m), make([]float64, w.m), make([]float64, w.m)
	w.column, w.d = make([]basic, w.m), make([]float64, w.m)
	for i := range w.m {
		w.inverse[i*w.m+i] = 1
		w.column[i].class = noIndex
		switch k := i - len(w.classes); {
		case k < 0:
			w.x[i] = float64(w.w.s.racks[w.classes[i]])
			w.column[i] = basic{class: i, counts: make([]float64, len(w.w.worth))}
		case k < w.rows:
			w.x[i] = w.w.caps[k]
		default:
			w.x[i], w.cost[i] = float64(w.w.s.least[w.least[k-w.rows]]), -shortCost
		}
	}
}

// duals sets y to what one more of each right-hand side is worth.
func (w *master) duals() {
	for k := range w.y {
		y := 0.0
		for i, v := range w.inverse[k*w.m : (k+1)*w.m] {
			y += w.cost[i] * v
		}
		w.y[k] = y
	}
}

// columnWork is a column that may come in.
type columnWork struct {
	basic
	cost  float64
	at    []int     // rows with coefficients
	coef  []float64 // of these
	worth float64   // beyond what its rows are worth
}

// value is what a column is worth beyond what its rows are worth now.
func (w *master) value(c *columnWork) float64 {
	v := c.cost
	for k, r := range c.at {
		v -= w.y[r] * c.coef[k]
	}
	return v
}

// improve lets in the columns that are worth more than their rows, the best first, as long as they are; it returns
// how many it let in.
func (w *master) improve(prices, reward []float64) (pivots int) {
	const least = 1e-7
	x := w.w.x
	var list []columnWork
	add := func(c columnWork) {
		if c.worth = w.value(&c); c.worth > least {
			list = append(list, c)
		}
	}
	first := len(w.classes)
	for r := first; r < w.m; r++ {
		coef := 1.0
		if r >= first+w.rows {
			coef = -1 // more than must stand
		}
		if -coef*w.y[r] > least {
			add(columnWork{basic: basic{class: noIndex}, at: []int{r}, coef: []float64{coef}})
		}
	}
	for k, ci := range w.classes {
		if w.w.top[ci]-w.y[k] <= least {
			continue
		}
		x.worthOf(&x.classes[ci], w.w.s.model, prices, reward, w.w.worth)
		counts := make([]float64, len(w.w.worth))
		for j, worth := range w.w.worth {
			if worth > 0 {
				counts[j] = float64(w.w.pick[ci][j])
			}
		}
		c := columnWork{basic: basic{k, counts}, cost: counts[w.w.s.model], at: []int{k}, coef: []float64{1}}
		taken := x.taken(func(j int) float64 { return counts[j] })
		for _, e := range x.classes[ci].entries {
			if v := e.factor * taken[e.figure]; v != 0 {
				c.at, c.coef = append(c.at, first+int(e.row)), append(c.coef, v)
			}
		}
		for i, j := range w.least {
			if counts[j] != 0 {
				c.at, c.coef = append(c.at, first+w.rows+i), append(c.coef, counts[j])
			}
		}
		add(c)
	}
	slices.SortStableFunc(list, func(a, b columnWork) int { return cmp.Compare(b.worth, a.worth) })
	for i := range list {
		c := &list[i]
		if worth := w.value(c); worth > least && (i == 0 || worth > 0.3*list[0].worth) {
			if !w.pivot(c, worth) {
				return pivots
			}
			pivots++
		}
	}
	return pivots
}

// pivot lets a column in for the one that it drives to zero first.
func (w *master) pivot(c *columnWork, worth float64) bool {
	d := w.d
	clear(d)
	for k, r := range c.at {
		by := c.coef[k]
		for i, v := range w.inverse[r*w.m : (r+1)*w.m] {
			d[i] += v * by
		}
	}
	out, least := noIndex, math.Inf(1)
	for i, v := range d {
		if v > pivotLeast {
			if t := math.Max(0, w.x[i]) / v; t < least-1e-12 || (t < least+1e-12 && v > d[out]) {
				out, least = i, math.Min(t, least)
			}
		}
	}
	if out == noIndex {
		return false
	}
	w.x[out] /= d[out]
	w.some = w.some[:0]
	for i, v := range d {
		if i != out && math.Abs(v) >= 1e-13 {
			w.x[i] -= v * w.x[out]
			w.some = append(w.some, i)
		}
	}
	for k := range w.m {
		column := w.inverse[k*w.m : (k+1)*w.m]
		p := column[out]
		if p == 0 {
			continue
		}
		p /= d[out]
		column[out] = p
		w.y[k] += worth * p
		for _, i := range w.some {
			column[i] -= d[i] * p
		}
	}
	w.column[out], w.cost[out] = c.basic, c.cost
	return true
}
