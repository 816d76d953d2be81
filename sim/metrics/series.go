package metrics

import "math"

// StepSeries records a value that changes over time as means over equal bins, exactly: a bin's mean is the integral over
// the bin, whatever happened inside it. The integral over the whole run is kept beside the bins and never looks at them,
// so it is equal to the last bit for every grid.
//
// A series has two parts that add up. The base is a signal: Set, and SetExp for one that relaxes, say what it is from a
// moment on. Contributions come on top: AddRamp and AddExp add the integral of a piece over an interval, in any order.
// Before the first Set the base is unknown; a bin whose base is unknown throughout has no mean (NaN), and a bin where it
// is unknown for a part has the mean over the rest.
type StepSeries struct {
	stepNS, lengthNS int64

	at   int64 // the base is recorded up to here
	base piece

	bin   int       // bin of at
	acc   float64   // integral of the base over the known part of this bin so far
	known int64     // ns of it
	means []float64 // of the base, bins before bin
	extra []float64 // integral of contributions by bin; nil when there were none

	total   sum
	unknown int64
}

// piece is a signal from start on: to + (from-to)·exp(-(t-start)/tau), constant when tau is 0.
type piece struct {
	start    int64
	from, to float64
	tauNS    float64
}

// constant says whether the piece has one value; an unknown one has NaN.
func (p piece) constant() bool { return p.tauNS == 0 || p.from == p.to }

// integral is the exact integral from a to b, in value times seconds.
func (p piece) integral(a, b int64) float64 {
	flat := p.to * seconds(b-a)
	if p.constant() {
		return flat
	}
	decay := math.Exp(-float64(a-p.start) / p.tauNS)
	return flat - (p.from-p.to)*decay*math.Expm1(-float64(b-a)/p.tauNS)*p.tauNS/nsPerS
}

// NewStepSeries makes a series of bins of stepNS from 0 to lengthNS; the last bin may be shorter. It panics when either
// is negative or the step is 0.
func NewStepSeries(stepNS, lengthNS int64) *StepSeries {
	if stepNS <= 0 || lengthNS < 0 {
		panic("metrics: a series needs a positive step and a length")
	}
	return &StepSeries{stepNS: stepNS, lengthNS: lengthNS, base: piece{from: math.NaN(), to: math.NaN()}}
}

// Bins is the number of bins.
func (s *StepSeries) Bins() int {
	n := s.lengthNS / s.stepNS
	if s.lengthNS%s.stepNS > 0 {
		n++
	}
	return int(n)
}

// StepNS is the width of a bin in ns.
func (s *StepSeries) StepNS() int64 { return s.stepNS }

// Set gives the base from t on; NaN stands for no figure. It panics when t is before the last change. What lies beyond
// the length is not recorded.
func (s *StepSeries) Set(t int64, v float64) {
	s.advance(t)
	s.base = piece{start: t, from: v, to: v}
}

// SetExp gives the base from t on: from at t, relaxing to the value to with time constant tauNS. A tauNS of 0 is a step
// to to; one that is infinite stays at from.
func (s *StepSeries) SetExp(t int64, from, to, tauNS float64) {
	s.advance(t)
	s.base = relaxation(t, from, to, tauNS)
}

func relaxation(t int64, from, to, tauNS float64) piece {
	switch {
	case math.IsInf(tauNS, 1):
		return piece{start: t, from: from, to: from}
	case !(tauNS >= 0):
		panic("metrics: negative time constant")
	}
	return piece{start: t, from: from, to: to, tauNS: tauNS}
}

// AddExp adds, on top of the base, a piece from t0 to t1 that starts at from and relaxes to the value to with time
// constant tauNS.
func (s *StepSeries) AddExp(t0, t1 int64, from, to, tauNS float64) {
	checkForward(t0, t1)
	p := relaxation(t0, from, to, tauNS)
	s.contribute(t0, t1, p.integral)
}

// AddRamp adds, on top of the base, a piece from t0 to t1 that goes straight from one value to the other.
func (s *StepSeries) AddRamp(t0, t1 int64, from, to float64) {
	checkForward(t0, t1)
	if t0 == t1 {
		return
	}
	slope := (to - from) / float64(t1-t0)
	s.contribute(t0, t1, func(a, b int64) float64 {
		middle := 0.5 * (float64(a-t0) + float64(b-t0))
		return (from + slope*middle) * seconds(b-a)
	})
}

func (s *StepSeries) contribute(t0, t1 int64, integral func(a, b int64) float64) {
	t0, t1 = max(t0, 0), min(t1, s.lengthNS)
	if t0 >= t1 {
		return
	}
	whole := integral(t0, t1)
	s.total.add(whole)
	if s.extra == nil {
		s.extra = make([]float64, s.Bins())
	}
	if i := t0 / s.stepNS; t1 <= s.binEnd(int(i)) {
		s.extra[i] += whole
		return
	}
	for i := t0 / s.stepNS; t0 < t1; i++ {
		end := min(s.binEnd(int(i)), t1)
		s.extra[i] += integral(t0, end)
		t0 = end
	}
}

// Finish closes the series at t, normally the end of the run.
func (s *StepSeries) Finish(t int64) { s.advance(t) }

// Integral is the integral up to the last change, in the value's unit times seconds (J for W). It is the same to the
// last bit for every grid.
func (s *StepSeries) Integral() float64 { return s.total.value() }

// UnknownS is the time up to the last change for which the base was not known, in seconds.
func (s *StepSeries) UnknownS() float64 { return seconds(s.unknown) }

// Means are the means over the bins, NaN where there is no figure. A bin the series has not reached the end of is given
// as it stands.
func (s *StepSeries) Means() []float64 {
	out := make([]float64, s.Bins())
	n := copy(out, s.means)
	for i := n; i < len(out); i++ {
		out[i] = math.NaN()
	}
	if s.bin < len(out) && s.known > 0 {
		out[s.bin] = s.acc / seconds(s.known)
	}
	for i, x := range s.extra {
		start := int64(i) * s.stepNS
		out[i] += x / seconds(s.binEnd(i)-start)
	}
	return out
}

func (s *StepSeries) binEnd(i int) int64 {
	start := int64(i) * s.stepNS
	if s.lengthNS-start < s.stepNS {
		return s.lengthNS
	}
	return start + s.stepNS
}

// advance records the base up to t.
func (s *StepSeries) advance(t int64) {
	if t == s.at {
		return
	}
	checkForward(s.at, t)
	t = min(t, s.lengthNS)
	if t <= s.at {
		return
	}
	unknown := math.IsNaN(s.base.from) || math.IsNaN(s.base.to)
	if unknown {
		s.unknown += t - s.at
	} else {
		s.total.add(s.base.integral(s.at, t))
	}
	for s.at < t {
		end := s.binEnd(s.bin)
		stop := min(end, t)
		if stop == end && s.known == 0 && s.at == int64(s.bin)*s.stepNS && s.base.constant() {
			s.at = stop
			s.pushMean(s.base.to) // exact, and cheap when time jumps over many bins
			continue
		}
		if !unknown {
			s.known += stop - s.at
			s.acc += s.base.integral(s.at, stop)
		}
		s.at = stop
		if stop == end {
			s.closeBin()
		}
	}
}

func (s *StepSeries) closeBin() {
	m := math.NaN()
	if s.known > 0 {
		m = s.acc / seconds(s.known)
	}
	s.pushMean(m)
}

func (s *StepSeries) pushMean(m float64) {
	if s.means == nil {
		s.means = make([]float64, 0, s.Bins())
	}
	s.means = append(s.means, m)
	s.bin++
	s.acc, s.known = 0, 0
}
