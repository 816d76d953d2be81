package cooling

import (
	"math"
	"sync"

	"headroom/facility/catalog"
)

// How the two sides of an exchanger's UA follow their flows: both sides have the same share of the
// resistance at the rating point, and each film grows with its flow to a power (Modelica Buildings
// Library, convective ratio 0.5, water 0.85, air 0.8).
const (
	airFilmExponent   = 0.8
	waterFilmExponent = 0.85
)

// maxEffectiveness is the highest effectiveness a rating point may imply; a rating beyond it is refused
// by Validate and, where it gets through, read as this.
const maxEffectiveness = 0.97

// HeldS is how fast valves and fans bring a temperature to its set-point while capacity is there, s.
// Assumed: control loops of air handlers and CDUs settle within about a minute.
const HeldS = 60.0

// effectiveness is ε of a counterflow exchanger. Coils and dry coolers are crossflow with several
// passes and come close to it; the UA is taken from the rating point by the same relation.
// capacityRatio is C_min/C_max, 0 to 1.
func effectiveness(ntu, capacityRatio float64) float64 {
	d := 1 - capacityRatio
	if d < 1e-9 {
		return ntu / (1 + ntu)
	}
	a := -math.Expm1(-ntu * d)
	return a / (d + capacityRatio*a)
}

// unitsFromEffectiveness is the inverse of effectiveness: NTU.
func unitsFromEffectiveness(effectiveness, capacityRatio float64) float64 {
	d := 1 - capacityRatio
	gain := effectiveness / (1 - effectiveness)
	if d < 1e-9 {
		return gain
	}
	return math.Log1p(gain*d) / d
}

// ratedUA is UA in W/K from a rating point: the duty, the two heat capacity rates (W/K) and the
// difference of the two inlet temperatures.
func ratedUA(dutyW, hotWPerK, coldWPerK, inletK float64) float64 {
	lo, hi := min(hotWPerK, coldWPerK), max(hotWPerK, coldWPerK)
	if lo <= 0 || inletK <= 0 {
		return 0
	}
	e := min(dutyW/(lo*inletK), maxEffectiveness)
	return lo * unitsFromEffectiveness(e, lo/hi)
}

// exchangeWPerK is ε·C_min: duty per kelvin between the two inlets.
func exchangeWPerK(uaWPerK, aWPerK, bWPerK float64) float64 {
	lo, hi := min(aWPerK, bWPerK), max(aWPerK, bWPerK)
	if lo <= 0 {
		return 0
	}
	return lo * effectiveness(uaWPerK/lo, lo/hi)
}

// valve is a water to air or water to coolant exchanger whose water flow is throttled; the other side's flow
// is given.
type valve struct {
	ua             float64 // at the rating, W/K
	otherFilm      float64 // resistance of the other side as a share of 1/ua
	otherW, waterW float64 // heat capacity rates, the water's at full flow, W/K
	fullWPerK      float64 // ε·C_min at full flow
}

// share is the water flow, as a share of full flow, at which the exchanger gives needWPerK.
//
// It starts from the classic characteristic of a valve and a coil, q = 1/(1 + a·(1/f − 1)) with q the share of
// the duty, f that of the flow and a the water-side effectiveness, which is exact at full flow and towards no
// flow, where the water leaves as warm as the other side enters, and then fits a to the exchanger itself
// once. That leaves an error of 1 % of full flow at most between ends that stay exact.
func (v *valve) share(needWPerK float64) float64 {
	q := needWPerK / v.fullWPerK
	if q <= 0 {
		return 0
	}
	if q >= 1 {
		return 1
	}
	a := v.fullWPerK / v.waterW
	f := a * q / (1 - q + a*q)
	if f > 1-1e-6 {
		return f
	}
	film := math.Exp(-waterFilmExponent * math.Log(f))
	at := exchangeWPerK(v.ua/(v.otherFilm+0.5*film), v.otherW, v.waterW*f)
	a = (v.fullWPerK/at - 1) * f / (1 - f)
	// Water never leaves warmer than the other side enters.
	return max(a*q/(1-q+a*q), needWPerK/v.waterW)
}

// WaterWPerLPMK is the heat capacity rate of facility water in W/K per L/min: 995.7 kg/m³ · 4180 J/(kg·K)
// at 30 °C. Rooms, loops and plants count facility water with it.
const WaterWPerLPMK = 995.7 * 4180 / 60000

// WaterReturnC is the temperature of facility water that leaves at supplyC and takes up heatW.
func WaterReturnC(supplyC, heatW, flowLPM float64) float64 {
	if flowLPM <= 0 || heatW <= 0 {
		return supplyC
	}
	return supplyC + heatW/(flowLPM*WaterWPerLPMK)
}

// coolantWPerLPMK holds the heat capacity rate of each coolant in W/K per L/min.
var coolantWPerLPMK = sync.OnceValue(func() map[string]float64 {
	rates := map[string]float64{}
	if data, err := catalog.PlantData(); err == nil {
		for _, c := range data.Coolants {
			rates[c.Name] = c.HeatJPerLK() / 60
		}
	}
	return rates
})

// Coolants are the names that Loop.Coolant may have.
func Coolants() ([]string, error) {
	data, err := catalog.PlantData()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(data.Coolants))
	for i, c := range data.Coolants {
		names[i] = c.Name
	}
	return names, nil
}

// CoolantLPM is the flow of a coolant that carries heatW at a temperature rise; NaN for a coolant that is
// not known. 1 kW at 10 K takes 1.44 L/min of water and 1.51 of PG25.
func CoolantLPM(coolant string, heatW, riseK float64) float64 {
	rate, ok := coolantWPerLPMK()[coolant]
	if !ok {
		return math.NaN()
	}
	return heatW / (rate * riseK)
}

// MinCondensationMarginK is how far every surface that carries coolant has to stay above the dew point
// of the room.
const MinCondensationMarginK = 2.0

// CondensationMarginK is how far a surface is above the dew point of the room's air. Less than
// MinCondensationMarginK risks water on hoses and plates.
func CondensationMarginK(surfaceC, dewPointC float64) float64 { return surfaceC - dewPointC }

// DrySupplyC is a coolant set-point raised, where need be, so that surfaces at it keep
// MinCondensationMarginK above the room's dew point.
func DrySupplyC(setC, dewPointC float64) float64 {
	return max(setC, dewPointC+MinCondensationMarginK)
}
