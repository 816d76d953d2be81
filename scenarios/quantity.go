package scenarios

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"headroom/facility/units"
)

// Quantity is a number with a unit; the field that holds it says the dimension in its unit tag.
type Quantity struct {
	V     float64 // in the base unit of the dimension
	Given bool    // false: not stated and no default
	text  string  // as written, for printing; "" when computed
	pos
}

// or returns the value, or another where none is stated.
func (q Quantity) or(other float64) float64 {
	if q.Given {
		return q.V
	}
	return other
}

// fill sets the value where none is stated.
func (q *Quantity) fill(v float64) {
	if !q.Given {
		*q = Quantity{V: v, Given: true, pos: q.pos}
	}
}

// dimensionTags names the dimensions in unit tags. Three take more than one: rating is VA, W or A;
// capOrShare is W or a share; voltage carries its basis.
var dimensionTags = map[string]units.Dimension{
	"power": units.Power, "apparent": units.Apparent, "current": units.Current, "voltage": units.Voltage,
	"temperature": units.Temperature, "difference": units.Difference, "length": units.Length, "mass": units.Mass,
	"duration": units.Duration, "airflow": units.Airflow, "flow": units.LiquidFlow, "pressure": units.Pressure,
	"share": units.Share, "volume": units.Volume, "rackunits": units.RackUnits, "heatcapacity": units.HeatCapacity,
	"carbon": units.Carbon, "rate": units.Rate, "failurerate": units.FailureRate, "conductance": units.Conductance,
}

// parseQuantity reads a text in one of several dimensions. When it fits none, the error is the one of the
// dimension that came closest: the first whose number was read.
func parseQuantity(text string, dims ...units.Dimension) (float64, units.Dimension, error) {
	var first error
	for _, d := range dims {
		v, err := units.Parse(d, text)
		if err == nil {
			return v, d, nil
		}
		if first == nil {
			first = err
		}
	}
	return 0, 0, first
}

// quantityMsg words a failed quantity as what, got and want, and a hint.
func quantityMsg(err error) (msg, hint string) {
	var e *units.Error
	if !errors.As(err, &e) {
		return err.Error(), ""
	}
	msg = e.Reason + " (got " + quoteShort(e.Text) + ", want " + e.Want + ")"
	if len(e.Suggestions) > 0 {
		quoted := make([]string, len(e.Suggestions))
		for i, s := range e.Suggestions {
			quoted[i] = strconv.Quote(s)
		}
		hint = "did you mean " + strings.Join(quoted, " or ") + "?"
	}
	return msg, hint
}

// formatQuantity prints a value so that it is read back as the same number.
func formatQuantity(d units.Dimension, v float64) string {
	s := units.Format(d, v)
	if back, err := units.Parse(d, s); err == nil && back == v {
		return s
	}
	n := strconv.FormatFloat(v, 'f', -1, 64)
	if d == units.Voltage {
		return n + " V L-L"
	}
	if u := d.BaseUnit(); u != "" {
		return n + " " + u
	}
	return n
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
