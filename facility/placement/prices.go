package placement

import (
	"math"
)

// stage asks how many of one model can stand when at least so many of each model must.
type stage struct {
	model int   // index in relaxed.models
	least []int // by index in relaxed.models
	reach int   // what is placed: the bound need not be lower
	cap   int   // no more are ordered, math.MaxInt for max

	// With some racks filled already: what is left of the rows and the racks, and prices to begin with.
	room   []float64
	racks  []int // of each class
	prices []float64
	reward []float64
	stop   float64 // a bound below it is good enough
	steps  int     // at most, 0: as many as the size allows
}

// priced is the answer: a bound, and what it takes to bound the rest of a part-filled hall.
type priced struct {
	bound  int
	exact  float64 // the bound before rounding down
	steps  int
	rows   int       // of the linear program that was solved, 0 where the prices were searched for
	prices []float64 // servers for the whole of a row
	reward []float64 // servers for one more of a model that must stand
	mean   []float64 // servers by class and model, averaged over the search: nearly the fractional optimum
	mix    []mixed   // of the linear program: fillings and the racks that take them, in part
}

// mixed is a filling with the racks of a class that take it in the fractional optimum.
type mixed struct {
	class  int
	counts []float64
	racks  float64
}

// Step control of the search for prices: the volume method of Barahona and Anbil (2000), a subgradient method
// whose averages converge to the fractional optimum.
const (
	priceSteps  = 240
	priceWork   = 12_000_000 // entries looked at, at most
	firstStep   = 0.5
	leastStep   = 1e-4
	meanWeight  = 0.1
	patience    = 12 // steps without a better bound before the step is halved
	boundRounds = 1e-6
)

// price bounds a stage from above: for any prices of the rows the fillings that are worth most after
// paying for what they take, plus the price of all rows, hold at least as many servers as any placement
// does. The best prices are searched for; the bound holds whichever are found.
func (x *relaxed) price(s stage) priced {
	m := len(x.models)
	caps := s.room
	if caps == nil {
		caps = x.tighten(s)
	}
	if s.racks == nil {
		s.racks = make([]int, len(x.classes))
		for ci := range x.classes {
			s.racks[ci] = len(x.classes[ci].racks)
		}
	}
	w := pricer{
		x: x, s: s, caps: caps, usage: make([]float64, x.rows+m), worth: make([]float64, m), count: make([]float64, len(x.classes)*m),
		prices: make([]float64, x.rows), reward: make([]float64, m),
	}
	p := priced{prices: make([]float64, x.rows), reward: make([]float64, m), mean: make([]float64, len(x.classes)*m)}
	if s.prices != nil {
		copy(w.prices, s.prices)
		copy(w.reward, s.reward)
		copy(p.prices, s.prices)
		copy(p.reward, s.reward)
	}
	p.exact = w.evaluate(w.prices, w.reward)
	copy(p.mean, w.count)
	meanUsage := append([]float64(nil), w.usage...)
	steps := min(priceSteps, max(20, priceWork/x.size()))
	if s.steps > 0 {
		steps = s.steps
	}
	f, since, atBest := firstStep, 0, true
	for range steps {
		p.steps++
		if (s.room == nil && int(p.exact+boundRounds) <= s.reach) || f < leastStep || p.exact < s.stop {
			break
		}
		// Rows over their capacity get dearer, models short of what must stand get rewarded.
		norm := 0.0
		for r := range x.rows {
			g := meanUsage[r] - caps[r]
			if g > 0 || p.prices[r] > 0 {
				norm += g * g * x.holds[r]
			}
		}
		for j := range m {
			g := float64(s.least[j]) - meanUsage[x.rows+j]
			if j != s.model && (g > 0 || p.reward[j] > 0) {
				norm += g * g / rewardScale(s.least[j])
			}
		}
		if norm < 1e-18 {
			if atBest { // nothing is over at the best prices themselves: they are the best there are
				break
			}
			w.evaluate(p.prices, p.reward)
			copy(meanUsage, w.usage)
			copy(p.mean, w.count)
			f, atBest = f/2, true
			continue
		}
		atBest = false
		step := f * math.Max(p.exact-float64(s.reach), 0.3) / norm
		for r := range x.rows {
			w.prices[r] = math.Max(0, p.prices[r]+step*(meanUsage[r]-caps[r])*x.holds[r])
		}
		for j := range m {
			if j != s.model {
				w.reward[j] = math.Max(0, p.reward[j]+step*(float64(s.least[j])-meanUsage[x.rows+j])/rewardScale(s.least[j]))
			}
		}
		v := w.evaluate(w.prices, w.reward)
		for i, n := range w.count {
			p.mean[i] += meanWeight * (n - p.mean[i])
		}
		for i, u := range w.usage {
			meanUsage[i] += meanWeight * (u - meanUsage[i])
		}
		if v < p.exact-1e-9 {
			p.exact = v
			copy(p.prices, w.prices)
			copy(p.reward, w.reward)
			since = 0
			continue
		}
		if since++; since >= patience {
			f, since = f/2, 0
		}
	}
	p.bound = s.cap
	if v := p.exact + boundRounds; v < float64(s.cap) {
		p.bound = int(v)
	}
	return p
}

// rewardScale brings the demand for a model to the scale of the rows.
func rewardScale(least int) float64 { return math.Max(1, float64(least)) }

// tighten returns the capacity of each row. Where the one model of the stage is all there is, a row holds a
// whole number of servers: with n·a ≤ capacity for every a of the row, n is at most capacity over the least a.
func (x *relaxed) tighten(s stage) []float64 {
	caps := make([]float64, x.rows)
	for r := range caps {
		caps[r] = 1
	}
	for j, n := range s.least {
		if j != s.model && n > 0 {
			newSums(x).tighten(x, &s, nil, nil, caps)
			return caps
		}
	}
	least, most := make([]float64, x.rows), make([]float64, x.rows)
	for r := range least {
		least[r] = math.Inf(1)
	}
	sum := make([]float64, x.rows)
	for ci := range x.classes {
		c := &x.classes[ci]
		if c.blocked[s.model] {
			continue
		}
		for _, e := range c.entries {
			sum[e.row] += e.factor * x.figure[e.figure][s.model]
		}
		for _, e := range c.entries {
			if a := sum[e.row]; a > 0 {
				least[e.row], most[e.row] = math.Min(least[e.row], a), math.Max(most[e.row], a)
			}
			sum[e.row] = 0
		}
	}
	for r := range caps {
		if most[r] > 0 {
			n := math.Floor(1/least[r]*(1+slack) + slack)
			caps[r] = math.Min(1, n*most[r])
		}
	}
	return caps
}

// pricer evaluates prices.
type pricer struct {
	x              *relaxed
	s              stage
	caps           []float64
	usage          []float64 // of the rows, then servers by model
	worth          []float64
	count          []float64
	prices, reward []float64
	top            []float64 // by class: what its best filling is worth, nil where nobody asks
	pick           [][]int16 // and the filling
}

// evaluate returns the bound that prices give, and leaves the fillings behind it in count and usage.
func (w *pricer) evaluate(prices, reward []float64) float64 {
	x, m := w.x, len(w.worth)
	clear(w.usage)
	clear(w.count)
	total := 0.0
	for ci := range x.classes {
		c := &x.classes[ci]
		if w.s.racks[ci] == 0 {
			continue
		}
		x.worthOf(c, w.s.model, prices, reward, w.worth)
		v, counts := c.best(w.worth)
		if w.top != nil {
			w.top[ci], w.pick[ci] = v, counts
		}
		n := float64(w.s.racks[ci])
		total += v * n
		var taken [figures]float64
		for j := range m {
			k := 0.0
			if counts != nil && w.worth[j] > 0 {
				k = float64(counts[j]) * n
			}
			w.count[ci*m+j] = k
			w.usage[x.rows+j] += k
			for f := range taken {
				taken[f] += k * x.figure[f][j]
			}
		}
		for _, e := range c.entries {
			w.usage[e.row] += e.factor * taken[e.figure]
		}
	}
	for r, p := range prices {
		total += p * w.caps[r]
	}
	for j, r := range reward {
		total -= r * float64(w.s.least[j])
	}
	return total
}

// worthOf sets what one server of each model in a class is worth after paying for what it takes.
func (x *relaxed) worthOf(c *rackClass, model int, prices, reward, worth []float64) {
	var pay [figures]float64
	for _, e := range c.entries {
		pay[e.figure] += prices[e.row] * e.factor
	}
	for j := range worth {
		worth[j] = reward[j]
		if j == model {
			worth[j]++
		}
		for f := range pay {
			worth[j] -= pay[f] * x.figure[f][j]
		}
		if c.blocked[j] {
			worth[j] = math.Inf(-1)
		}
	}
}
