package metrics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Sample keeps every value, so that its quantiles are exact. The zero value is empty.
type Sample struct {
	values []float64 // in order of arrival, as batch means need them
	sorted []float64 // cache, nil when values were added since
}

// Add puts a value in. NaN is refused by a panic: a value of a sample is always known.
func (s *Sample) Add(v float64) {
	if math.IsNaN(v) {
		panic("metrics: NaN in a sample")
	}
	s.values = append(s.values, v)
	s.sorted = nil
}

// Len is the number of values.
func (s *Sample) Len() int { return len(s.values) }

// Mean is the mean; Unknown when there is no value.
func (s *Sample) Mean() Num {
	if len(s.values) == 0 {
		return Unknown
	}
	return Num(mean(s.values))
}

// Max is the greatest value; Unknown when there is none.
func (s *Sample) Max() Num { return s.Quantile(1) }

// Quantile is the exact quantile, straight between neighbours (Hyndman and Fan's type 7, the default of R and NumPy).
// Unknown when there is no value or p is outside 0 … 1. The first call after an Add sorts.
func (s *Sample) Quantile(p float64) Num {
	if len(s.values) == 0 || !(p >= 0 && p <= 1) {
		return Unknown
	}
	if s.sorted == nil {
		s.sorted = slices.Clone(s.values)
		slices.Sort(s.sorted)
	}
	x := p * float64(len(s.sorted)-1)
	i := int(x)
	v := s.sorted[i]
	if f := x - float64(i); f > 0 {
		v += f * (s.sorted[i+1] - v)
	}
	return Num(v)
}

// MinPerBatch is the least number of values in a batch for which an interval is given.
const MinPerBatch = 10

// CI95 is the 95 % confidence interval of the mean by batch means: the values, in order of arrival, in batches of equal
// size (values left over go before the first batch and are not used), Student's t on the batch means. Waits of a queue
// depend on each other; the interval is right only when a batch is much longer than that memory, so use few batches, 10
// to 30. Both ends are Unknown with fewer than 2 batches or than MinPerBatch values a batch.
func (s *Sample) CI95(batches int) (lo, hi Num) {
	if batches < 2 || len(s.values)/batches < MinPerBatch {
		return Unknown, Unknown
	}
	size := len(s.values) / batches
	rest := s.values[len(s.values)-size*batches:]
	means := make([]float64, batches)
	for i := range means {
		means[i] = mean(rest[i*size : (i+1)*size])
	}
	m := mean(means)
	var squares sum
	for _, x := range means {
		squares.add((x - m) * (x - m))
	}
	n := float64(batches)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := t * math.Sqrt(squares.value()/(n-1)/n)
	return Num(m - half), Num(m + half)
}

func mean(values []float64) float64 {
	var acc sum
	for _, v := range values {
		acc.add(v)
	}
	return acc.value() / float64(len(values))
}
