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

// eirFactors evaluates a chiller's capacity and EIR factors at x °C chilled water leaving and y °C
// entering the condenser.
//
// Outside the box of the curves both are evaluated at its edge. The COP is then scaled by the ratio of the
// Carnot COPs of the two points, and the capacity by the same ratio where that is below 1: a chiller does
// not get to claim more than its curve shows, and loses with lift. extrapolated says that this happened.
func eirFactors(c *catalog.Chiller, x, y float64) (capacity, eir float64, extrapolated bool) {
	xb := math.Min(math.Max(x, c.XC[0]), c.XC[1])
	yb := math.Min(math.Max(y, c.YC[0]), c.YC[1])
	capacity = biquadratic(&c.Cap, xb, yb)
	eir = biquadratic(&c.EIR, xb, yb)
	if xb != x || yb != y {
		extrapolated = true
		ratio := carnot(x, y) / carnot(xb, yb)
		eir /= ratio
		capacity *= math.Min(ratio, 1)
	}
	return math.Max(capacity, minCapacityShare), eir, extrapolated
}

func biquadratic(c *[6]float64, x, y float64) float64 {
	return c[0] + x*(c[1]+x*c[2]) + y*(c[3]+y*c[4]) + c[5]*x*y
}

// carnot is the Carnot COP between two water temperatures in °C, with the lift at MinLiftK or more.
func carnot(x, y float64) float64 { return (x + kelvin) / math.Max(y-x, MinLiftK) }

// eirPower is the power of running units (a real number, see stages) that share dutyW, each of capacityW
// with the factors capacity and eir; cycling is the share of the time they run, below their lowest load.
func eirPower(c *catalog.Chiller, capacityW, capacity, eir, running, dutyW float64) (powerW, cycling float64) {
	if dutyW <= 0 {
		return 0, 0
	}
	availableW := running * capacityW * capacity
	ratio := math.Min(dutyW/availableW, c.PLR.Max)
	cycling = math.Min(ratio/c.PLR.Min, 1)
	r := math.Max(ratio, c.PLR.Unload)
	power := availableW / c.COP * eir * (c.PartLoad[0] + r*(c.PartLoad[1]+r*c.PartLoad[2])) * cycling
	return math.Max(power, ratio*availableW/MaxCOP), cycling
}

// stages is how many of n units run for a load in units' worth: each is loaded to stageAt before the next
// starts. It is a real number, the mean over time of units that start and stop in turn, so that power does
// not jump between two whole numbers.
func stages(loadUnits, stageAt float64, n int) float64 {
	return math.Min(math.Max(loadUnits/stageAt, 1), float64(n))
}

// ChillerPower evaluates a catalogue chiller at its own size: dutyW of cooling at x °C chilled water
// leaving and y °C entering the condenser. It returns the factors as well as the power.
func ChillerPower(c *catalog.Chiller, dutyW, x, y float64) (powerW, capacity, eir, partLoad float64) {
	capacity, eir, _ = eirFactors(c, x, y)
	powerW, _ = eirPower(c, c.CapacityW, capacity, eir, 1, dutyW)
	return powerW, capacity, eir, powerW / (c.CapacityW * capacity / c.COP * eir)
}
