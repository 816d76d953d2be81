package plots

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Logarithmic axes hold the logarithm to base 10 of what they show: zero, negative and single values never reach a
// logarithm that has none.

// logOf is the place of a value on a logarithmic axis; what is below least, zero and negative values with it, stands at
// least. NaN stays NaN.
func logOf(v, least float64) float64 {
	if v < least {
		v = least
	}
	return math.Log10(v)
}

// logTicks are the decades of a logarithmic axis, each second or third where there are many, with 2 and 5 between them
// where there are few. format labels the value itself.
type logTicks struct{ format func(float64) string }

func (l logTicks) Ticks(lo, hi float64) []plot.Tick {
	if !finite(lo) || !finite(hi) || !(hi > lo) || hi-lo > 700 {
		return nil
	}
	label := l.format
	if label == nil {
		label = func(v float64) string { return minus(strconv.FormatFloat(v, 'g', 6, 64)) }
	}
	step := int(math.Max(1, math.Ceil((hi-lo)/8)))
	var ticks []plot.Tick
	for e := int(math.Floor(lo)); float64(e) <= hi+1e-9; e++ {
		for _, m := range [...]float64{1, 2, 5} {
			if m > 1 && hi-lo > 1.7 || e%step != 0 {
				continue
			}
			if x := float64(e) + math.Log10(m); x >= lo-1e-9 && x <= hi+1e-9 {
				ticks = append(ticks, plot.Tick{Value: x, Label: label(m * math.Pow(10, float64(e)))})
			}
		}
	}
	return ticks
}

// durationTicks are round times on a logarithmic axis of seconds.
var durationTicks = func() fixedTicks {
	var out fixedTicks
	for _, x := range []struct {
		s    float64
		name string
	}{
		{1, "1 s"},
		{10, "10 s"},
		{60, "1 min"},
		{600, "10 min"},
		{3600, "1 h"},
		{6 * 3600, "6 h"},
		{86400, "1 d"},
		{7 * 86400, "1 w"},
		{30 * 86400, "30 d"},
		{365 * 86400, "1 y"},
		{3650 * 86400, "10 y"},
		{36500 * 86400, "100 y"},
	} {
		out = append(out, tick(math.Log10(x.s), x.name))
	}
	return out
}()

func tick(v float64, label string) plot.Tick { return plot.Tick{Value: v, Label: label} }
