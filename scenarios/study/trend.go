package study

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"headroom/scenarios"
)

// Trend is a straight line through a history, y = Intercept + PerDay·(days since Origin), by ordinary
// least squares: independent normal errors of one size are assumed, no seasons. Figures of one month lean on
// those of the month before, so that a real interval is somewhat wider.
type Trend struct {
	N         int
	Origin    time.Time
	WindowD   float64 // from the first figure to the last
	Intercept float64
	PerDay    float64
	SD        float64 // of a figure about the line, N−2 degrees of freedom
	P         float64 // chance of a slope this far from 0 were there none, two-sided t test
	Mean      float64

	meanD, sxx float64
	t90        float64 // Student's t at its 0.9 quantile: the one that is asked for day by day
}

// significance is the level at which a slope counts as a trend, two-sided.
const significance = 0.05

// Fit fits a line through at least 3 figures on different days.
func Fit(h []scenarios.Observation) Trend {
	t := Trend{N: len(h), Origin: h[0].Date}
	n := float64(len(h))
	for _, o := range h {
		d := t.day(o.Date)
		t.meanD += d / n
		t.Mean += o.Value / n
		t.WindowD = math.Max(t.WindowD, d)
	}
	sxy, syy := 0.0, 0.0
	for _, o := range h {
		dx, dy := t.day(o.Date)-t.meanD, o.Value-t.Mean
		t.sxx += dx * dx
		sxy += dx * dy
		syy += dy * dy
	}
	t.PerDay = sxy / t.sxx
	t.Intercept = t.Mean - t.PerDay*t.meanD
	ss := 0.0
	for _, o := range h {
		e := o.Value - t.Intercept - t.PerDay*t.day(o.Date)
		ss += e * e
	}
	if ss < 1e-18*syy { // a perfect line but for the last bits
		ss = 0
	}
	t.SD = math.Sqrt(ss / (n - 2))
	t.t90 = t.student().Quantile(0.9)
	switch {
	case t.PerDay == 0 || syy == 0:
		t.P = 1
	case t.SD == 0:
		t.P = 0
	default:
		tv := math.Abs(t.PerDay) / (t.SD / math.Sqrt(t.sxx))
		t.P = 2 * t.student().Survival(tv)
	}
	return t
}

func (t *Trend) student() distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(t.N - 2)}
}

func (t *Trend) day(d time.Time) float64 { return d.Sub(t.Origin).Hours() / 24 }

// Real says whether the slope stands out of the noise.
func (t *Trend) Real() bool { return t.P <= significance }

// At returns the p quantile of a new figure on a day: the line, and Student's t with the spread of a single
// figure about it, SD·√(1 + 1/N + (d − d̄)²/Σ(dᵢ − d̄)²).
func (t *Trend) At(d time.Time, p float64) float64 {
	x := t.day(d)
	y := t.Intercept + t.PerDay*x
	if p == 0.5 || t.SD == 0 {
		return y
	}
	tv := t.t90
	switch p {
	case 0.9:
	case 0.1:
		tv = -t.t90
	default:
		tv = t.student().Quantile(p)
	}
	dx := x - t.meanD
	return y + tv*t.SD*math.Sqrt(1+1/float64(t.N)+dx*dx/t.sxx)
}

// The usual settings of predicted power in EcoStruxure IT Advisor ("About predicted power", product help):
// peaks of 90 days, 30 days ahead, the rise held between a fifth and a half.
const (
	predictWindowD = 90
	predictAheadD  = 30
	predictLeast   = 1.2
	predictMost    = 1.5
)

// PredictedPeak returns the power to plan a measured load with, from its daily peaks, ascending in time: the
// last peak times the rise of their trend over the next 30 days, held between 1.2 and 1.5. Peaks more than
// 90 days before the last do not count. It is NaN without a trend to follow: fewer than 3 peaks, or peaks
// that say a load of nothing.
func PredictedPeak(peaks []scenarios.Observation) (w, factor float64) {
	if len(peaks) == 0 {
		return math.NaN(), math.NaN()
	}
	last := peaks[len(peaks)-1]
	from := last.Date.AddDate(0, 0, -predictWindowD)
	i := slices.IndexFunc(peaks, func(o scenarios.Observation) bool { return !o.Date.Before(from) })
	if peaks = peaks[i:]; len(peaks) < 3 {
		return math.NaN(), math.NaN()
	}
	t := Fit(peaks)
	now := t.At(last.Date, 0.5)
	if !(now > 0) {
		return math.NaN(), math.NaN()
	}
	factor = min(max(t.At(last.Date.AddDate(0, 0, predictAheadD), 0.5)/now, predictLeast), predictMost)
	return last.Value * factor, factor
}
