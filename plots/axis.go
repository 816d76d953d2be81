package plots

import (
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// axis is one axis with a finite range, min < max.
type axis struct {
	min, max float64
	label    string
	unit     string // printed with the label; part of every axis
	ticker   plot.Ticker
	none     bool // no ticks and no line
	quiet    bool // ticks without labels: the panel below has them
}

// largest is the largest magnitude that is drawn, smallest the smallest that is told from 0. Near the ends of float64
// the rasterizer's arithmetic overflows and never ends; no watt and no kelvin comes near, so such a value counts as no
// figure, with room to spare for sums and changes of unit.
const (
	largest  = 1e100
	smallest = 1e-100
)

func finite(v float64) bool { return math.Abs(v) <= largest } // false for NaN

// spread returns a range that holds lo and hi with a margin above and below, wide enough to be told apart
// by labels of a few digits even where all values are the same.
func spread(lo, hi, margin float64) (float64, float64) {
	if !finite(lo) || !finite(hi) || lo > hi {
		return 0, 1
	}
	least := 1e-3 * math.Max(math.Abs(lo), math.Abs(hi)) // narrower than this reads as constant
	if least < smallest {
		least = 1
	}
	if hi-lo < least {
		mid := lo/2 + hi/2
		lo, hi = mid-least/2, mid+least/2
	}
	d := (hi - lo) * margin
	return lo - d, hi + d
}

// fromZero returns a range from 0 to a little above hi.
func fromZero(hi float64) (float64, float64) {
	if !finite(hi) || hi < smallest {
		return 0, 1
	}
	return 0, hi * 1.06
}

// numberTicks are round steps of 1, 2 or 5 times a power of ten, about want of them, each label with as
// many digits as the step needs.
type numberTicks struct {
	want  int
	whole bool // steps of at least 1: counts
}

func (n numberTicks) Ticks(lo, hi float64) []plot.Tick {
	want := n.want
	if want < 1 {
		want = 6
	}
	if !finite(lo) || !finite(hi) || !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	step := roundStep((hi - lo) / float64(want))
	if n.whole && step < 1 {
		step = 1
	}
	decimals := 0
	if step < 1 {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	label := func(v float64) string {
		return minus(thousands(strconv.FormatFloat(v, 'f', decimals, 64)))
	}
	if top := math.Max(math.Abs(lo), math.Abs(hi)); top >= 1e7 || decimals > 7 {
		// An exponent, with as many digits as tell one tick from the next.
		digits := max(1, int(math.Ceil(math.Log10(top/step)+1e-9)))
		label = func(v float64) string {
			if v == 0 {
				return "0"
			}
			return minus(strconv.FormatFloat(v, 'e', digits, 64))
		}
	}
	var ticks []plot.Tick
	first := math.Ceil(lo/step - 1e-9)
	for i := 0; i <= 4*want; i++ {
		v := (first + float64(i)) * step
		if v > hi+step*1e-9 {
			break
		}
		if math.Abs(v) < step*1e-9 {
			v = 0
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
	}
	return ticks
}

// roundStep returns the 1, 2 or 5 × 10ⁿ that is nearest to x by ratio.
func roundStep(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(x)))
	switch m := x / p; { // the borders are the geometric means of neighbours
	case m < 1.414:
		return p
	case m < 3.162:
		return 2 * p
	case m < 7.071:
		return 5 * p
	}
	return 10 * p
}

// fixedTicks are given values.
type fixedTicks []plot.Tick

func (f fixedTicks) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for _, t := range f {
		if t.Value >= lo && t.Value <= hi {
			out = append(out, t)
		}
	}
	return out
}

// timeTicks puts ticks on round local times. Axis values are seconds after Start.
type timeTicks struct {
	start time.Time
	width vg.Length // of the axis, for as many labels as fit
}

// timeStep is one spacing of time ticks: a number of months, or of seconds.
type timeStep struct {
	months int
	sec    float64
	layout string
	// context is printed under the first tick and wherever it changes.
	context string
}

var timeSteps = []timeStep{
	{sec: 60, layout: "15:04", context: "2 Jan 2006"},
	{sec: 300, layout: "15:04", context: "2 Jan 2006"},
	{sec: 900, layout: "15:04", context: "2 Jan 2006"},
	{sec: 3600, layout: "15:04", context: "2 Jan 2006"},
	{sec: 3 * 3600, layout: "15:04", context: "2 Jan 2006"},
	{sec: 6 * 3600, layout: "15:04", context: "2 Jan 2006"},
	{sec: 12 * 3600, layout: "15:04", context: "2 Jan 2006"},
	{sec: 86400, layout: "2 Jan", context: "2006"},
	{sec: 2 * 86400, layout: "2 Jan", context: "2006"},
	{sec: 7 * 86400, layout: "2 Jan", context: "2006"},
	{sec: 14 * 86400, layout: "2 Jan", context: "2006"},
	{months: 1, layout: "Jan", context: "2006"},
	{months: 2, layout: "Jan", context: "2006"},
	{months: 3, layout: "Jan", context: "2006"},
	{months: 6, layout: "Jan", context: "2006"},
	{months: 12, layout: "2006"},
	{months: 24, layout: "2006"},
	{months: 60, layout: "2006"},
	{months: 120, layout: "2006"},
	{months: 1200, layout: "2006"},
}

const (
	secPerMonth = 30.44 * 86400
	// longestAxisS keeps times inside what time.Duration can hold, 292 years.
	longestAxisS = 9e9
	// labelRoom is the width one label of a time axis takes with its gap, in type sizes.
	labelRoom = 4.6
)

func (t timeTicks) Ticks(lo, hi float64) []plot.Tick {
	if !finite(lo) || !finite(hi) || !(hi > lo) || math.Abs(lo) > longestAxisS || math.Abs(hi) > longestAxisS {
		return nil
	}
	room := math.Max(2, float64(t.width/(labelRoom*sizeTick)))
	step := timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if (hi-lo)/s.seconds() <= room {
			step = s
			break
		}
	}
	if hi-lo < 60 { // shorter than the finest step: plain seconds
		return numberTicks{want: 5}.Ticks(lo, hi)
	}
	var ticks []plot.Tick
	last := ""
	at := func(sec float64) time.Time { return t.start.Add(time.Duration(sec * float64(time.Second))) }
	v := step.floor(at(lo))
	for range 400 { // far more than there are labels on a page
		x := v.Sub(t.start).Seconds()
		label := v.Format(step.layout)
		context := ""
		if step.context != "" {
			context = v.Format(step.context)
		}
		v = step.next(v)
		if x > hi {
			break
		}
		if x < lo {
			continue
		}
		if context != last {
			label += "\n" + context
			last = context
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: label})
	}
	return ticks
}

func (s timeStep) seconds() float64 {
	if s.months > 0 {
		return float64(s.months) * secPerMonth
	}
	return s.sec
}

// floor returns the last round time at or before t.
func (s timeStep) floor(t time.Time) time.Time {
	if s.months > 0 {
		m := (t.Year()*12 + int(t.Month()) - 1) / s.months * s.months
		return time.Date(m/12, time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC)
	}
	// Steps of seconds count from a Monday, so that weeks start on one.
	monday := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	// In Unix seconds, for a time.Duration holds no more than 292 years.
	n := math.Floor(float64(t.Unix()-monday.Unix()) / s.sec)
	return time.Unix(monday.Unix()+int64(n*s.sec), 0).UTC()
}

func (s timeStep) next(t time.Time) time.Time {
	if s.months > 0 {
		return t.AddDate(0, s.months, 0)
	}
	return t.Add(time.Duration(s.sec * float64(time.Second)))
}
