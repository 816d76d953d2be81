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
// and sequence, numbered from 0 in that order. Arrivals are Poisson, sizes drawn by weight, lengths log-normal. A service
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
		job:     Job{Class: class, Activity: c.Activity, MemoryBound: c.MemoryBound},
		length:  lengthNS,
		medianS: c.MedianS,
		sigma:   c.SigmaLn,
	}
	if s.chooser = chooser(c.GPUs); s.chooser == nil {
		return nil
	}
	s.sizes = randv1.New(source{rng.New(seed, 0, "workload sizes", name)})
	if c.Replicas > 0 {
		s.replicas = c.Replicas
		s.job.WorkS = math.Inf(1)
		return s
	}
	if !(c.RatePerS > 0) || !(c.MedianS >= 0) || !(c.SigmaLn >= 0) {
		return nil
	}
	s.gapNS = nsPerS / c.RatePerS
	s.arrivals = rng.New(seed, 0, "workload", name)
	s.lengths = rng.New(seed, 0, "workload lengths", name)
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
	j.GPUs = s.drawGPUs()
	factor := min(math.Exp(s.sigma*s.lengths.NormFloat64()), math.MaxFloat64) // never 0·Inf
	j.WorkS = wholeNS(min(s.medianS*factor, MaxWorkS))
	return *j, true
}

// wholeNS is a time in seconds rounded to whole nanoseconds.
func wholeNS(s float64) float64 { return math.Round(s*nsPerS) / nsPerS }
