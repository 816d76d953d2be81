// Package metrics holds statistics over simulated time: time-weighted means, exact percentiles, histograms, series.
package metrics

import (
	"encoding/json"
	"math"
)

// Num is a figure that may be unknown: NaN, which is written as null and never as 0.
type Num float64

// Unknown is the figure that is not known.
var Unknown = Num(math.NaN())

// Known says whether the figure is known and finite.
func (n Num) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON writes null for an unknown figure.
func (n Num) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}
