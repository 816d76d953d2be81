package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Figure is one number of a result that is set side by side.
type Figure struct {
	Key    string // where result.json has it, "energy.pue", or a name in the same manner
	Name   string
	Unit   string // base unit: "W", "kWh", "share", "°C", "s", "GPU-h", "" for a count or a ratio, a currency …
	Better int    // +1 more is better, −1 less is, 0 neither
}

// Level says whether a difference of the unit has no ratio: a temperature, or a share, whose differences are points.
func (f *Figure) Level() bool { return f.Unit == "°C" || f.Unit == "share" }

// What is known of a difference.
const (
	Same    = "same"      // no difference in any pair
	Differs = "differs"   // the interval leaves out 0
	Unclear = "unclear"   // the interval holds 0: no difference was shown
	OneSeed = "one seed"  // there is a difference, and nothing to judge it by
	NoDelta = "no figure" // one of the two is unknown
)

// Delta is one figure of one side against the same figure of another, over pairs that share their random
// streams. What is unknown is NaN.
type Delta struct {
	Mean     float64 // of the differences
	Relative float64 // Mean over the size of the base's mean; NaN where that is 0 or the unit has no ratio
	Lo, Hi   float64 // 95 % interval of Mean by Student's t on the paired differences; NaN under two pairs
	Pairs    int
	Verdict  string
}

// level is the confidence of the intervals.
const confidence = 0.95

// Pair compares two sides seed by seed. A figure that is unknown in any seed is unknown: leaving those seeds out
// would compare survivors only.
func (f *Figure) Pair(base, side []float64) Delta {
	nan := math.NaN()
	n := len(base)
	d := Delta{Mean: nan, Relative: nan, Lo: nan, Hi: nan, Pairs: n, Verdict: NoDelta}
	if n == 0 || len(side) != n || !allKnown(base) || !allKnown(side) {
		return d
	}
	diffs := make([]float64, n)
	for i := range diffs {
		diffs[i] = side[i] - base[i]
	}
	d.Mean = mean(diffs)
	if b := mean(base); b != 0 && !f.Level() {
		d.Relative = d.Mean / math.Abs(b)
	}
	same := !slices.ContainsFunc(diffs, func(x float64) bool { return x != 0 })
	if n > 1 {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1+confidence)/2) * deviation(diffs, d.Mean) / math.Sqrt(float64(n))
		d.Lo, d.Hi = d.Mean-half, d.Mean+half
	}
	switch {
	case same:
		d.Verdict = Same
	case n == 1:
		d.Verdict = OneSeed
	case d.Lo > 0 || d.Hi < 0:
		d.Verdict = Differs
	default:
		d.Verdict = Unclear
	}
	return d
}

// deviation is the sample standard deviation; exactly 0 where all are equal.
func deviation(values []float64, m float64) float64 {
	if !slices.ContainsFunc(values, func(x float64) bool { return x != values[0] }) {
		return 0
	}
	squares := 0.0
	for _, x := range values {
		squares += (x - m) * (x - m)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}

func allKnown(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// Mean is the mean over the seeds, NaN where any is unknown.
func Mean(values []float64) float64 {
	if len(values) == 0 || !allKnown(values) {
		return math.NaN()
	}
	return mean(values)
}

// Ranks orders sides by a figure, the best 1; sides between which no difference was shown to the best of their rank
// share it. values is by side and seed. All 0 where the figure has no better, or is unknown for a side.
func (f *Figure) Ranks(values [][]float64) []int {
	ranks := make([]int, len(values))
	if f.Better == 0 || slices.ContainsFunc(values, func(v []float64) bool { return math.IsNaN(Mean(v)) }) {
		return ranks
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch d := float64(f.Better) * (Mean(values[b]) - Mean(values[a])); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	first := order[0]
	for place, i := range order {
		switch f.Pair(values[first], values[i]).Verdict {
		case Same, Unclear:
			ranks[i] = max(ranks[first], 1)
			continue
		}
		first, ranks[i] = i, place+1
	}
	return ranks
}
