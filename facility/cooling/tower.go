package cooling

import (
	"math"

	"headroom/facility/catalog"
	"headroom/facility/weather"
)

// towerFreeShare is what a tower rejects by natural draught, fans off, as a share of its capacity
// (Modelica Buildings Library).
const towerFreeShare = 0.125

// maxLatentShare bounds evaporation: in hot dry air the air is cooled as well as the water, and
// evaporation takes up to this much of the rejected heat.
const maxLatentShare = 1.2

// TowerApproachK is a tower's approach by its correlation at a wet bulb (°C), a range (K) and the ratio of
// the water flow share to the air flow share. Inputs and result are held to the correlation's validity;
// clamped says how many were.
func TowerApproachK(t *catalog.Tower, wetBulbC, rangeK, liquidGas float64) (approachK float64, clamped int) {
	a0, a1, a2, n := towerTerms(t, wetBulbC, rangeK)
	lg := min(max(liquidGas, 0), t.LiquidGasMax)
	if lg != liquidGas {
		n++
	}
	a := a0 + lg*(a1+lg*a2)
	b := min(max(a, t.ApproachK[0]), t.ApproachK[1])
	if a != b {
		n++
	}
	return b, n
}

// towerTerms are the coefficients of the approach as a polynomial of the flow ratio.
func towerTerms(t *catalog.Tower, wetBulbC, rangeK float64) (a0, a1, a2 float64, clamped int) {
	w := min(max(wetBulbC, t.WetBulbRangeC[0]), t.WetBulbRangeC[1])
	r := min(max(rangeK, t.RangeK[0]), t.RangeK[1])
	if w != wetBulbC {
		clamped++
	}
	if r != rangeK {
		clamped++
	}
	sum := func(c *[9]float64) float64 {
		return c[0] + w*(c[1]+w*c[2]) + r*(c[3]+w*(c[4]+w*c[5])+r*(c[6]+w*(c[7]+w*c[8])))
	}
	return sum(&t.Approach[0]), sum(&t.Approach[1]), sum(&t.Approach[2]), clamped
}

// towerFan is the air flow share, and the share of the time fans turn, at which the water leaves at
// approachK above the wet bulb; the water flow is at its rating. Fans at their lowest share that still
// overcool turn only part of the time.
func towerFan(t *catalog.Tower, wetBulbC, rangeK, approachK, minShare float64) (share, cycling float64) {
	a0, a1, a2, _ := towerTerms(t, wetBulbC, rangeK)
	// The positive root of a0 + a1·L + a2·L² = approach.
	c := a0 - approachK
	disc := a1*a1 - 4*a2*c
	ratio := 1 / minShare
	if disc > 0 {
		if d := a1 + math.Sqrt(disc); d > 0 {
			ratio = -2 * c / d
		}
	}
	if ratio < 1 {
		return 1, 1
	}
	if ratio <= 1/minShare {
		return 1 / ratio, 1
	}
	lowest := a0 + (a1+a2/minShare)/minShare
	return minShare, min(max(lowest/approachK, towerFreeShare), 1)
}

// evaporation is the water that a tower evaporates, kg/s, to reject heatW into airKgS of dry air with
// waterC about the water's temperature: the air leaves saturated with that heat in it.
func evaporation(out Outdoor, heatW, airKgS, waterC float64) float64 {
	if heatW <= 0 || airKgS <= 0 {
		return 0
	}
	inlet := HumidityRatio(out.RH*weather.SaturationPa(out.DryBulbC), out.PressurePa)
	leaving := saturatedHumidity(EnthalpyJPerKg(out.DryBulbC, inlet)+heatW/airKgS, waterC, out.PressurePa)
	most := maxLatentShare * heatW / VaporizationJPerKg(min(max(waterC, 0), 100))
	return min(max(airKgS*(leaving-inlet), 0), most)
}

// saturatedHumidity is the humidity ratio of saturated air of an enthalpy (J/kg of dry air), by Newton's
// method from a guess of its temperature.
func saturatedHumidity(enthalpy, guessC, pressurePa float64) float64 {
	const step = 0.01
	t := min(max(guessC, minAirC), maxAirC)
	w := HumidityRatio(weather.SaturationPa(t), pressurePa)
	for range 8 {
		h := EnthalpyJPerKg(t, w)
		// d(p_sat)/dT of Buck's equation is near p_sat·4284/(T+243)²: good enough for the slope.
		slope := 1000*(1.01+1.84*w) + 1000*(2500+1.84*t)*w*(1+w/waterToAir)*4284/((t+243)*(t+243))
		delta := min(max((enthalpy-h)/slope, -20), 20)
		t = min(max(t+delta, minAirC), maxAirC)
		w = HumidityRatio(weather.SaturationPa(t), pressurePa)
		if math.Abs(delta) < step {
			break
		}
	}
	return w
}
