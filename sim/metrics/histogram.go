package metrics

import (
	"errors"
	"math"
)

// Temperature bins: 0.1 K wide from -60 to 400 °C, from below any weather on record to above any chip.
const (
	TemperatureBinK = 0.1
	TemperatureMinC = -60
	TemperatureMaxC = 400
)

// edgeTolerance is how near to an edge, in bins, a value counts as on it.
const edgeTolerance = 1e-9

// Histogram is a weighted distribution in bins of one width, exact to the bin. Bins hold their upper edge and not their
// lower one, so that a value exactly at a limit does not count as above it. Mean, Min, Max and Total are exact.
//
// The weight is time in seconds, GPU-hours, or a count. Values outside the range are put into the outermost bin and their
// weight is counted in Clamped; a value that is NaN counts in Unknown only.
type Histogram struct {
	lo, width, perUnit float64
	bins               []float64
	total, moment      sum
	min, max           float64
	clamped, unknown   float64
}

// NewHistogram makes a histogram of bins of the given width from lo to hi. It panics when they are not finite or leave
// no bin.
func NewHistogram(lo, hi, width float64) *Histogram {
	n := math.Round((hi - lo) / width)
	if !(width > 0) || !(n >= 1 && n <= 1e8) {
		panic("metrics: a histogram needs lo < hi and a positive width")
	}
	return &Histogram{
		lo: lo, width: width, perUnit: n / (hi - lo),
		bins: make([]float64, int(n)), min: math.Inf(1), max: math.Inf(-1),
	}
}

// NewTemperatures makes a histogram of temperatures in °C.
func NewTemperatures() *Histogram {
	return NewHistogram(TemperatureMinC, TemperatureMaxC, TemperatureBinK)
}

// BinWidth is the width of a bin, the resolution of Quantile and ShareAbove.
func (h *Histogram) BinWidth() float64 { return h.width }

// Add counts value with a weight. A weight that is not positive adds nothing.
func (h *Histogram) Add(value, weight float64) {
	if !(weight > 0) {
		return
	}
	if math.IsNaN(value) {
		h.unknown += weight
		return
	}
	i := h.bin(value)
	if value < h.lo || i >= len(h.bins) {
		h.clamped += weight
	}
	h.bins[min(max(i, 0), len(h.bins)-1)] += weight
	h.total.add(weight)
	h.moment.add(value * weight)
	h.min = min(h.min, value)
	h.max = max(h.max, value)
}

// bin is the bin of a value, which may lie outside; bin i holds (lo + i·width, lo + (i+1)·width].
func (h *Histogram) bin(value float64) int {
	// What lies just above an edge counts as on it: 27.3 °C is, though 27.3 in binary is not.
	x := (value-h.lo)*h.perUnit - edgeTolerance
	switch {
	case x <= 0: // the lowest edge is in no bin
		return -1
	case x >= float64(len(h.bins)):
		return len(h.bins)
	}
	return int(math.Ceil(x)) - 1
}

// Merge adds the counts of another histogram of the same bins.
func (h *Histogram) Merge(o *Histogram) error {
	if h.lo != o.lo || h.width != o.width || len(h.bins) != len(o.bins) {
		return errors.New("metrics: histograms of different bins cannot be merged")
	}
	for i, w := range o.bins {
		h.bins[i] += w
	}
	h.total.add(o.total.value())
	h.moment.add(o.moment.value())
	h.min = min(h.min, o.min)
	h.max = max(h.max, o.max)
	h.clamped += o.clamped
	h.unknown += o.unknown
	return nil
}

// Total is the weight of all known values.
func (h *Histogram) Total() float64 { return h.total.value() }

// Clamped is the weight of values outside the range of the bins.
func (h *Histogram) Clamped() float64 { return h.clamped }

// UnknownWeight is the weight of values that were NaN.
func (h *Histogram) UnknownWeight() float64 { return h.unknown }

// Mean is the exact weighted mean; Unknown when nothing was added.
func (h *Histogram) Mean() Num {
	if h.Total() == 0 {
		return Unknown
	}
	return Num(h.moment.value() / h.Total())
}

// Min is the least value; Unknown when nothing was added.
func (h *Histogram) Min() Num {
	if h.Total() == 0 {
		return Unknown
	}
	return Num(h.min)
}

// Max is the greatest value; Unknown when nothing was added.
func (h *Histogram) Max() Num {
	if h.Total() == 0 {
		return Unknown
	}
	return Num(h.max)
}

// Quantile is the value that a share p of the weight does not exceed, within one bin: straight inside a bin and never
// outside Min … Max. Unknown when nothing was added or p is outside 0 … 1.
func (h *Histogram) Quantile(p float64) Num {
	if h.Total() == 0 || !(p >= 0 && p <= 1) {
		return Unknown
	}
	switch p {
	case 0:
		return Num(h.min)
	case 1:
		return Num(h.max)
	}
	// The bins are summed again, so that rounding never leaves a rest that no bin holds.
	var total float64
	for _, w := range h.bins {
		total += w
	}
	want, seen := p*total, 0.0
	for i, w := range h.bins {
		if w > 0 && seen+w >= want {
			v := h.lo + (float64(i)+(want-seen)/w)*h.width
			return Num(min(max(v, h.min), h.max))
		}
		seen += w
	}
	return Num(h.max)
}

// ShareAbove is the share of weight above x: exact at an edge between two bins, and spread evenly inside the bin of x
// elsewhere. Unknown when nothing was added.
func (h *Histogram) ShareAbove(x float64) Num {
	switch {
	case h.Total() == 0 || math.IsNaN(x):
		return Unknown
	case x < h.min:
		return 1
	case x >= h.max:
		return 0
	}
	i := min(max(h.bin(x), 0), len(h.bins)-1)
	part := min(max(float64(i+1)-(x-h.lo)*h.perUnit, 0), 1) // of bin i that lies above x
	if part < edgeTolerance {
		part = 0
	}
	var above, total float64
	for j, w := range h.bins {
		total += w
		switch {
		case j == i:
			above += part * w
		case j > i:
			above += w
		}
	}
	return Num(min(above/total, 1))
}

// Cumulative returns the upper edges of the bins that hold weight, the last no higher than the greatest value, with the
// share of the weight at or below each: the points of a cumulative distribution. Nil when nothing was added.
func (h *Histogram) Cumulative() (at, share []float64) {
	var total, seen float64
	for _, w := range h.bins {
		total += w
	}
	if !(total > 0) {
		return nil, nil
	}
	at, share = append(at, h.min), append(share, 0)
	for i, w := range h.bins {
		if w == 0 {
			continue
		}
		seen += w
		at = append(at, min(max(h.lo+float64(i+1)*h.width, h.min), h.max))
		share = append(share, min(seen/total, 1))
	}
	at[len(at)-1], share[len(share)-1] = h.max, 1
	return at, share
}
