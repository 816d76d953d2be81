package weather

import "math"

// fillGaps puts a straight line through every run of NaN and marks the hours it filled. A typical year
// wraps from its last hour to its first; at an open end the nearest value is held. It returns the first
// hour and the length of the longest gap, and false when there is no value at all.
func fillGaps(values []float64, wraps bool, filled []bool) (at, longest int, ok bool) {
	n := len(values)
	first := -1
	for i, v := range values {
		if !math.IsNaN(v) {
			first = i
			break
		}
	}
	if first < 0 {
		return 0, n, false
	}
	note := func(start, length int) {
		if length > longest {
			at, longest = start, length
		}
	}
	// From one known hour to the next, once round; steps past the end are the start of the year again.
	known := first
	for step := first + 1; step <= first+n; step++ {
		here := values[step%n]
		if step < first+n && math.IsNaN(here) {
			continue
		}
		if gap := step - known - 1; gap > 0 {
			open := !wraps && step >= n
			if !open {
				note((known+1)%n, gap)
				interpolate(values, filled, known, step)
			} else {
				hold(values, filled, known, first)
				note(known+1, n-known-1)
				note(0, first)
			}
		}
		known = step
	}
	return at, longest, true
}

// interpolate fills the hours between two known ones, both taken modulo the length.
func interpolate(values []float64, filled []bool, from, to int) {
	n := len(values)
	a, b := values[from%n], values[to%n]
	for i := from + 1; i < to; i++ {
		values[i%n] = a + (b-a)*float64(i-from)/float64(to-from)
		filled[i%n] = true
	}
}

// hold repeats the last known value to the end and the first known one back to the start.
func hold(values []float64, filled []bool, last, first int) {
	for i := last + 1; i < len(values); i++ {
		values[i], filled[i] = values[last], true
	}
	for i := range first {
		values[i], filled[i] = values[first], true
	}
}
