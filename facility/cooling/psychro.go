package cooling

import (
	"math"

	"headroom/facility/weather"
)

// AirHeatJPerM3K is the heat capacity of air per volume at 25 °C and sea level, ρ·cp. The BTU-based constants
// of practice (CFM = 3,412·kW/(1.085·ΔT °F), or 1.08) differ from it by up to 2 %.
const AirHeatJPerM3K = 1191.0

// Dry-air density at 0 °C and sea level, kg/m³ (Lei & Masanet 2020).
const airDensityKgM3 = 1.293

// Ratio of the molar masses of water and dry air.
const waterToAir = 0.62198

// kelvin is 0 °C in K.
const kelvin = 273.15

// CFMPerM3s turns m³/s into cubic feet per minute.
const CFMPerM3s = 2118.88

// WattsPerTon is a ton of refrigeration, 12,000 BTU/h, in W.
const WattsPerTon = 3516.85

// The states that the psychrometric functions accept; inputs outside are moved to the edge. Buck's
// equation is given for −80 to 50 °C and is smooth well beyond.
const (
	minAirC  = -80.0
	maxAirC  = 90.0
	minRH    = 1e-4 // air drier than this has no dew point worth a name
	maxVapor = 0.9  // vapour pressure as a share of the total
)

// AirDensityKgM3 is the density of dry air at a pressure and a temperature.
func AirDensityKgM3(pressurePa, tC float64) float64 {
	return airDensityKgM3 * pressurePa / weather.SeaLevelPa * kelvin / (kelvin + tC)
}

// AirflowM3s is the airflow that carries heatW at a temperature rise, at a pressure in Pa.
func AirflowM3s(heatW, riseK, airPa float64) float64 {
	return heatW / (AirHeatJPerM3K * airPa / weather.SeaLevelPa * riseK)
}

// AirRiseK is the temperature rise of an airflow that takes up heatW, at a pressure in Pa.
func AirRiseK(heatW, flowM3s, airPa float64) float64 {
	return heatW / (AirHeatJPerM3K * airPa / weather.SeaLevelPa * flowM3s)
}

// HumidityRatio is kg of water per kg of dry air at a vapour pressure and a total pressure.
func HumidityRatio(vaporPa, pressurePa float64) float64 {
	vaporPa = min(vaporPa, maxVapor*pressurePa)
	return waterToAir * vaporPa / (pressurePa - vaporPa)
}

// EnthalpyJPerKg is the enthalpy of moist air per kg of dry air: 1.01·T + (2500 + 1.84·T)·w, in kJ.
func EnthalpyJPerKg(tC, humidityRatio float64) float64 {
	return 1000 * (1.01*tC + (2500+1.84*tC)*humidityRatio)
}

// VaporizationJPerKg is the heat of vaporization of water (Lei & Masanet 2020).
func VaporizationJPerKg(tC float64) float64 {
	return 1000 * (2500.5 - 2.3097*tC - 0.0013*tC*tC)
}

// WetBulbC is the thermodynamic wet bulb of air at a dry bulb (°C), relative humidity (0 to 1) and
// pressure (Pa): the temperature at which water evaporating adiabatically saturates the air (ASHRAE
// Handbook of Fundamentals, chapter Psychrometrics), over liquid water below 0 °C too.
// 35 °C at 50 % gives 26.14 °C, 40 °C at 20 % gives 22.03 °C.
func WetBulbC(dryBulbC, rh, pressurePa float64) float64 {
	t := min(max(dryBulbC, minAirC), maxAirC)
	w := HumidityRatio(clamp01(rh)*weather.SaturationPa(t), pressurePa)
	excess := func(wb float64) float64 {
		ws := HumidityRatio(weather.SaturationPa(wb), pressurePa)
		return ((2501-2.326*wb)*ws-1.006*(t-wb))/(2501+1.86*t-4.186*wb) - w
	}
	lo, hi := minAirC-10, t // the root lies between, where excess rises
	wb := t - (1-clamp01(rh))*(t-lo)*0.15
	const step = 1e-3
	for range 60 {
		f := excess(wb)
		if f > 0 {
			hi = wb
		} else {
			lo = wb
		}
		next := wb - f*step/(excess(wb+step)-f)
		if !(next >= lo && next <= hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-wb) < 1e-6 {
			return next
		}
		wb = next
	}
	return wb
}

// EnthalpyWetBulbC is the wet bulb as Lei & Masanet (2020) find it, the temperature of saturated air of
// the same enthalpy. It is 0.1 to 0.2 K too low in warm air and is kept for their golden values only.
func EnthalpyWetBulbC(dryBulbC, rh, pressurePa float64) float64 {
	saturation := func(tC float64) float64 { // they use 611.2 here and 611.21 elsewhere
		return 611.2 / 611.21 * weather.SaturationPa(tC)
	}
	vapor := rh * weather.SaturationPa(dryBulbC)
	enthalpy := EnthalpyJPerKg(dryBulbC, waterToAir*vapor/(pressurePa-vapor))
	lo, hi := -60.0, dryBulbC+1
	for range 100 {
		mid := (lo + hi) / 2
		vapor := saturation(mid)
		if EnthalpyJPerKg(mid, waterToAir*vapor/(pressurePa-vapor)) < enthalpy {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// FromWetBulb makes the outdoor air of a design day from its dry and wet bulb (°C) and pressure (Pa). A wet
// bulb above the dry bulb is read as saturated air, one too low for any air as the driest.
func FromWetBulb(dryBulbC, wetBulbC, pressurePa float64) Outdoor {
	wb := min(wetBulbC, dryBulbC)
	ws := HumidityRatio(weather.SaturationPa(wb), pressurePa)
	w := max(((2501-2.326*wb)*ws-1.006*(dryBulbC-wb))/(2501+1.86*dryBulbC-4.186*wb), 0)
	vaporPa := w * pressurePa / (waterToAir + w)
	return FromSample(weather.Sample{DryBulbC: dryBulbC, RH: vaporPa / weather.SaturationPa(dryBulbC), PressurePa: pressurePa})
}

// FromSample makes the outdoor air of one hour. Air drier than 0.01 % is given the dew point of 0.01 %,
// so that every figure is finite.
func FromSample(s weather.Sample) Outdoor {
	t := min(max(s.DryBulbC, minAirC), maxAirC)
	rh := min(max(s.RH, minRH), 1)
	return Outdoor{
		DryBulbC:   t,
		WetBulbC:   WetBulbC(t, rh, s.PressurePa),
		DewPointC:  weather.DewPointC(t, rh),
		RH:         clamp01(s.RH),
		PressurePa: s.PressurePa,
	}
}

func clamp01(x float64) float64 { return min(max(x, 0), 1) }
