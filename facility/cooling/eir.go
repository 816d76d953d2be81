package cooling

import (
	"math"

	"headroom/facility/catalog"
)

// Limits of a chiller outside its curves.
const (
	// MinLiftK is the least lift, condenser less evaporator water, in a Carnot ratio: curves hold lifts down to 0
	// and less, where the ratio has no meaning.
	MinLiftK = 8.0
	// MaxCOP is the highest COP any chiller is given (a planning cap).
	MaxCOP = 12.0
)

// chillerCurve is a chiller with what its curves show at best.
type chillerCurve struct {
	catalog.Chiller
	leastEIR float64 // the lowest EIR factor anywhere in the box
}

func newChillerCurve(c catalog.Chiller) chillerCurve {
	const steps = 32 // a biquadratic surface is smooth over 1/32 of its box
	curve := chillerCurve{c, math.Inf(1)}
	for i := range steps + 1 {
		for j := range steps + 1 {
			x := c.XC[0] + (c.XC[1]-c.XC[0])*float64(i)/steps
			y := c.YC[0] + (c.YC[1]-c.YC[0])*float64(j)/steps
			curve.leastEIR = min(curve.leastEIR, biquadratic(&c.EIR, x, y))
		}
	}
	return curve
}

// at evaluates the capacity and EIR factors at x °C chilled water leaving and y °C entering the condenser.
//
// Outside the box of the curves both are evaluated at its edge. The COP is then scaled by the ratio of the
// Carnot COPs of the two points, lifts being MinLiftK or more, and the capacity by the same ratio where that
// is below 1. A chiller does not get to claim more than its curves show anywhere: no more capacity than at
// the edge, and no better EIR than the best in its box (at lifts near MinLiftK the ratio alone would make a
// warm condenser better than a cold one). extrapolated says that the point was outside.
func (c *chillerCurve) at(x, y float64) (capacity, eir float64, extrapolated bool) {
	xb := min(max(x, c.XC[0]), c.XC[1])
	yb := min(max(y, c.YC[0]), c.YC[1])
	capacity = biquadratic(&c.Cap, xb, yb)
	eir = biquadratic(&c.EIR, xb, yb)
	if xb != x || yb != y {
		extrapolated = true
		ratio := carnot(x, y) / carnot(xb, yb)
		eir = max(eir/ratio, c.leastEIR)
		capacity *= min(ratio, 1)
	}
	return max(capacity, minCapacityShare), eir, extrapolated
}

func biquadratic(c *[6]float64, x, y float64) float64 {
	return c[0] + x*(c[1]+x*c[2]) + y*(c[3]+y*c[4]) + c[5]*x*y
}

// carnot is the Carnot COP between two water temperatures in °C, with the lift at MinLiftK or more.
func carnot(x, y float64) float64 { return (x + kelvin) / max(y-x, MinLiftK) }

// power is what running units (a real number, see stages) that share dutyW draw, each of ratedW at the
// rating point, with the factors capacity and eir; cycling is the share of the time they run, below their
// lowest load.
func (c *chillerCurve) power(ratedW, capacity, eir, running, dutyW float64) (powerW, cycling float64) {
	if dutyW <= 0 {
		return 0, 0
	}
	availableW := running * ratedW * capacity
	ratio := min(dutyW/availableW, c.PLR.Max)
	cycling = min(ratio/c.PLR.Min, 1)
	r := max(ratio, c.PLR.Unload)
	powerW = availableW / c.COP * eir * (c.PartLoad[0] + r*(c.PartLoad[1]+r*c.PartLoad[2])) * cycling
	return max(powerW, ratio*availableW/MaxCOP), cycling
}

// stages is how many of n units run for a load in units' worth: each is loaded to stageAt before the next
// starts. It is a real number, the mean over time of units that start and stop in turn, so that power does
// not jump between two whole numbers.
func stages(loadUnits, stageAt float64, n int) float64 {
	return min(max(loadUnits/stageAt, 1), float64(n))
}

// ChillerPower evaluates one chiller of the catalogue at its own size: dutyW of cooling at x °C chilled
// water leaving and y °C entering the condenser. It returns the factors as well as the power in W.
func ChillerPower(c catalog.Chiller, dutyW, x, y float64) (powerW, capacity, eir, partLoad float64) {
	curve := newChillerCurve(c)
	capacity, eir, _ = curve.at(x, y)
	powerW, _ = curve.power(c.CapacityW, capacity, eir, 1, dutyW)
	return powerW, capacity, eir, powerW / (c.CapacityW * capacity / c.COP * eir)
}
