package workload

import (
	"fmt"
	"math"
	randv1 "math/rand"
	"math/rand/v2"
	"slices"

	"github.com/mroth/weightedrand/v2"

	"headroom/sim/rng"
)

// MaxWorkS bounds the length of one generated or replayed job: 100 years, below what nanoseconds in 64 bits can count. The tail
// of a log-normal that goes beyond is cut there.
const MaxWorkS = 100 * 365 * 86400.0

const nsPerS = 1e9

// Generate is the work of synthetic classes over a run of lengthNS: the jobs of every class in order of arrival, class
// and sequence, numbered from 0 in that order. Arrivals are Poisson, or follow a week or bursts; sizes are drawn by weight,
// lengths log-normal, Weibull or from quantiles. A service
// with Replicas gives that many jobs at time 0 that never end by themselves. Job.Class is the index into classes.
//
// Arrivals, sizes and lengths of each class come from streams of their own, named by the class, so that a class that is
// added, or one with rate 0, shifts no draw of the others. Of several classes of one name each has its own streams.
// Classes read from a trace generate nothing. Classes must have passed Check; a number that has not generates nothing.
func Generate(classes []Class, seed uint64, lengthNS int64) Source {
	m := &merged{}
	seen := map[string]int{}
	for i, c := range classes {
		name := c.Name
		if n := seen[name]; n > 0 {
			name = fmt.Sprintf("%s#%d", name, n+1)
		}
		seen[c.Name]++
		if c.Trace != "" {
			continue
		}
		if s := newStream(int32(i), c, name, seed, lengthNS); s != nil {
			m.sources = append(m.sources, s)
		}
	}
	m.start()
	return m
}

// stream is the jobs of one class.
type stream struct {
	job      Job // what all jobs of the class share, and the last arrival
	length   int64
	gapNS    float64 // mean time between arrivals
	medianS  float64
	sigma    float64
	shape    float64
	table    []Quantile
	stretch  map[int32]float64
	thin     *thinning // nil: arrivals at a constant rate
	replicas int
	arrivals *rand.Rand
	lengths  *rand.Rand
	sizes    *randv1.Rand
	chooser  *weightedrand.Chooser[int32, uint64]
}

func newStream(class int32, c Class, name string, seed uint64, lengthNS int64) Source {
	if lengthNS <= 0 {
		return nil
	}
	s := &stream{
		job: Job{
			Class: class, Activity: c.Activity, MemoryBound: c.MemoryBound, Types: c.Types, Tenant: c.Tenant, Priority: c.Priority,
		},
		length:  lengthNS,
		medianS: c.MedianS,
		sigma:   c.SigmaLn,
		shape:   c.WeibullShape,
		table:   c.Lengths,
	}
	if c.Milli < wholeMilli {
		s.job.Milli = c.Milli
	}
	for _, size := range c.GPUs {
		if size.Stretch > 0 && size.Stretch != 1 {
			if s.stretch == nil {
				s.stretch = map[int32]float64{}
			}
			s.stretch[int32(size.GPUs)] = size.Stretch
		}
	}
	if s.chooser = chooser(c.GPUs); s.chooser == nil {
		return nil
	}
	s.sizes = randv1.New(source{rng.New(seed, 0, "workload sizes", name)})
	if c.Replicas > 0 {
		s.replicas = c.Replicas
		if c.Least > 0 {
			s.replicas = c.Least
		}
		s.job.WorkS = math.Inf(1)
		return s
	}
	if !(c.RatePerS > 0) || !(c.MedianS >= 0) || !(c.SigmaLn >= 0) {
		return nil
	}
	s.gapNS = nsPerS / c.RatePerS
	s.arrivals = rng.New(seed, 0, "workload", name)
	s.lengths = rng.New(seed, 0, "workload lengths", name)
	if c.Week != nil || c.Burst != nil {
		s.thin = newThinning(&c, name, seed)
		s.gapNS /= s.thin.peak
	}
	return s
}

// chooser draws sizes by weight; nil when there is nothing to draw. weightedrand sorts what it is given by weight with an
// unstable sort; the choices are sorted here first, so that the order they are written in and the sort change no draw.
func chooser(sizes []Size) *weightedrand.Chooser[int32, uint64] {
	var choices []weightedrand.Choice[int32, uint64]
	for _, s := range sizes {
		if s.GPUs >= 1 && s.GPUs <= math.MaxInt32 && s.Weight > 0 {
			choices = append(choices, weightedrand.NewChoice(int32(s.GPUs), s.Weight))
		}
	}
	slices.SortFunc(choices, func(a, b weightedrand.Choice[int32, uint64]) int {
		if a.Weight != b.Weight {
			if a.Weight < b.Weight {
				return -1
			}
			return 1
		}
		return int(a.Item) - int(b.Item)
	})
	c, err := weightedrand.NewChooser(choices...)
	if err != nil {
		return nil
	}
	return c
}

// source lets weightedrand, which takes the older math/rand, draw from a stream.
type source struct{ r *rand.Rand }

func (s source) Int63() int64   { return int64(s.r.Uint64() >> 1) }
func (s source) Uint64() uint64 { return s.r.Uint64() }
func (s source) Seed(int64)     { panic("workload: a named stream is not seeded again") }

func (s *stream) drawGPUs() int32 {
	// Deprecated in favour of the global generator, which no simulation may use.
	return s.chooser.PickSource(s.sizes) //nolint:staticcheck // see above
}

// Next is the next job of the class.
func (s *stream) Next() (Job, bool) {
	j := &s.job
	if s.arrivals == nil {
		if s.replicas == 0 {
			return Job{}, false
		}
		s.replicas--
		j.GPUs = s.drawGPUs()
		return *j, true
	}
	for {
		gap := s.arrivals.ExpFloat64() * s.gapNS
		if !(gap < float64(s.length-j.Arrival)) {
			s.length = j.Arrival // no more, however often it is asked
			return Job{}, false
		}
		j.Arrival += int64(math.Round(gap))
		if j.Arrival >= s.length {
			s.length = j.Arrival
			return Job{}, false
		}
		if s.thin == nil || s.thin.keeps(float64(j.Arrival)/nsPerS) {
			break
		}
	}
	j.GPUs = s.drawGPUs()
	length := s.drawLength()
	if x, ok := s.stretch[j.GPUs]; ok {
		length *= x
	}
	j.WorkS = wholeNS(min(length, MaxWorkS))
	return *j, true
}

// drawLength is a length in seconds, before its stretch.
func (s *stream) drawLength() float64 {
	switch {
	case s.table != nil:
		return quantileAt(s.table, s.lengths.Float64())
	case s.shape > 0:
		return min(s.medianS*math.Pow(s.lengths.ExpFloat64()/math.Ln2, 1/s.shape), math.MaxFloat64)
	}
	factor := min(math.Exp(s.sigma*s.lengths.NormFloat64()), math.MaxFloat64) // never 0·Inf
	return min(s.medianS*factor, math.MaxFloat64)
}

// quantileAt is the value of an empirical distribution at a share: linear between its points, the first and the last
// beyond them.
func quantileAt(table []Quantile, p float64) float64 {
	i := 0
	for i < len(table) && table[i].P < p {
		i++
	}
	if i == 0 || i == len(table) {
		return table[min(i, len(table)-1)].S
	}
	a, b := table[i-1], table[i]
	return a.S + (b.S-a.S)*(p-a.P)/(b.P-a.P)
}

// thinning keeps arrivals that come at the peak rate with the probability of the rate at their time.
type thinning struct {
	week  []float64 // with mean 1
	start float64   // hours
	burst *Burst
	slow  float64 // rate between bursts, of the mean rate
	peak  float64 // highest rate, of the mean rate

	on     bool
	untilS float64 // when the state changes
	states *rand.Rand
	keep   *rand.Rand
}

func newThinning(c *Class, name string, seed uint64) *thinning {
	t := &thinning{start: c.StartHour, peak: 1, slow: 1, keep: rng.New(seed, 0, "workload thinning", name)}
	if c.Week != nil {
		sum, top := 0.0, 0.0
		for _, v := range c.Week {
			sum, top = sum+v, max(top, v)
		}
		t.week = make([]float64, HoursPerWeek)
		for h := range t.week {
			t.week[h] = c.Week[h%len(c.Week)] * float64(len(c.Week)) / sum
		}
		t.peak = top * float64(len(c.Week)) / sum
	}
	if b := c.Burst; b != nil {
		t.burst = b
		t.slow = 1 / (1 + b.Share*(b.Ratio-1))
		t.peak *= t.slow * b.Ratio
		t.states = rng.New(seed, 0, "workload bursts", name)
		t.on = t.states.Float64() < b.Share // as after a long time
		t.untilS = t.sojourn()
	}
	return t
}

// sojourn draws how long the present state lasts.
func (t *thinning) sojourn() float64 {
	mean := t.burst.MeanS
	if !t.on {
		mean *= (1 - t.burst.Share) / t.burst.Share
	}
	return t.states.ExpFloat64() * mean
}

// keeps says whether an arrival at a time is one; times come in order.
func (t *thinning) keeps(atS float64) bool {
	rate := 1.0
	if t.week != nil {
		rate = t.week[int(math.Mod(t.start+atS/3600, HoursPerWeek))]
	}
	if t.burst != nil {
		for t.untilS <= atS {
			t.on = !t.on
			t.untilS += t.sojourn()
		}
		rate *= t.slow
		if t.on {
			rate *= t.burst.Ratio
		}
	}
	return t.keep.Float64()*t.peak < rate
}

// wholeNS is a time in seconds rounded to whole nanoseconds.
func wholeNS(s float64) float64 { return math.Round(s*nsPerS) / nsPerS }
