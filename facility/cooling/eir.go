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

// airCondenserK is how far an air-cooled condenser condenses above its air. Lifts of air-cooled chillers are
// taken from there: from the air itself a Carnot ratio would promise far more in cool weather than the
// machines give. Assumed; 10 to 15 K is usual.
const airCondenserK = 12.0

// chillerCurve is a chiller with what follows from its curves.
type chillerCurve struct {
	catalog.Chiller
	condenserK     float64 // condensation above y, in Carnot ratios
	leastEIR       float64 // the lowest EIR factor anywhere in the box
	leastEIRCarnot float64 // the Carnot COP there
	capacityPerK   float64 // rise of the capacity factor with x at the rating point, 1/K
}

func newChillerCurve(c catalog.Chiller) chillerCurve {
	const steps = 32 // a biquadratic surface is smooth over 1/32 of its box
	curve := chillerCurve{Chiller: c, leastEIR: math.Inf(1)}
	if c.RejectsTo == "air" {
		curve.condenserK = airCondenserK
	}
	for i := range steps + 1 {
		for j := range steps + 1 {
			x := c.XC[0] + (c.XC[1]-c.XC[0])*float64(i)/steps
			y := c.YC[0] + (c.YC[1]-c.YC[0])*float64(j)/steps
			if eir := biquadratic(&c.EIR, x, y); eir < curve.leastEIR {
				curve.leastEIR, curve.leastEIRCarnot = eir, carnot(x, y+curve.condenserK)
			}
		}
	}
	lo, hi := max(c.RatedC[0]-slopeSpanK/2, c.XC[0]), min(c.RatedC[0]+slopeSpanK/2, c.XC[1])
	rise := biquadratic(&c.Cap, hi, c.RatedC[1]) - biquadratic(&c.Cap, lo, c.RatedC[1])
	curve.capacityPerK = max(rise/(hi-lo), minCapacityPerK)
	return curve
}

// at evaluates the capacity and EIR factors at x °C chilled water leaving and y °C entering the condenser.
//
// Outside the box of the curves both are evaluated at its edge. The COP is then scaled by the ratio of the
// Carnot COPs of the two points, lifts being MinLiftK or more, and the capacity by the same ratio where that
// is below 1. A chiller does not get to claim more than its curves show: no more capacity than at the edge,
// and no better EIR than the best in its box, scaled by Carnot from there (near MinLiftK the ratio to the edge
// alone would make a warm condenser better than a cold one). extrapolated says that the point was outside.
func (c *chillerCurve) at(x, y float64) (capacity, eir float64, extrapolated bool) {
	xb := min(max(x, c.XC[0]), c.XC[1])
	yb := min(max(y, c.YC[0]), c.YC[1])
	capacity = biquadratic(&c.Cap, xb, yb)
	eir = biquadratic(&c.EIR, xb, yb)
	if xb != x || yb != y {
		extrapolated = true
		here := carnot(x, y+c.condenserK)
		ratio := here / carnot(xb, yb+c.condenserK)
		eir = max(eir/ratio, c.leastEIR*min(c.leastEIRCarnot/here, 1))
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
