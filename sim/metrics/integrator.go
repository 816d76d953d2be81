package metrics

import "math"

const nsPerS = 1e9

// seconds is a span of simulated time in seconds.
func seconds(ns int64) float64 { return float64(ns) / nsPerS }

// sum adds with Neumaier's compensation: the error stays at one rounding of the total however many terms there are.
type sum struct{ total, rest float64 }

// add adds by Knuth's two-sum: what rounding takes off is kept, without a branch.
func (s *sum) add(x float64) {
	t := s.total + x
	y := t - s.total
	s.rest += (s.total - (t - y)) + (x - y)
	s.total = t
}

func (s *sum) value() float64 { return s.total + s.rest }

// Integrator is the exact integral over time of a value that changes in steps. The zero value starts at time 0 with
// the value 0.
type Integrator struct {
	at      int64
	v       float64
	acc     sum
	unknown int64 // ns without a figure
}

// Set gives the value from t on; NaN stands for no figure, and that time adds nothing. It panics when t is before the
// last change: the clock of a simulation never runs back.
func (g *Integrator) Set(t int64, v float64) {
	g.advance(t)
	g.v = v
}

// Value is the present value.
func (g *Integrator) Value() float64 { return g.v }

// Total is the integral up to t, in the value's unit times seconds (J for W). t is not before the last change.
func (g *Integrator) Total(t int64) float64 {
	g.advance(t)
	return g.acc.value()
}

// UnknownS is the time without a figure up to the last Set or Total, in seconds.
func (g *Integrator) UnknownS() float64 { return seconds(g.unknown) }

func (g *Integrator) advance(t int64) {
	if t == g.at {
		return
	}
	checkForward(g.at, t)
	if math.IsNaN(g.v) {
		g.unknown += t - g.at
	} else {
		g.acc.add(g.v * seconds(t-g.at))
	}
	g.at = t
}

func checkForward(from, to int64) {
	if to < from {
		panic("metrics: time runs back")
	}
}
