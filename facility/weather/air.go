package weather

import "math"

// SeaLevelPa is the pressure of the standard atmosphere at sea level.
const SeaLevelPa = 101325.0

// Standard atmosphere of the troposphere: P = 101325·(1 − 2.25577e-5·h)^5.25588 with h in metres
// (ASHRAE Handbook of Fundamentals, chapter Psychrometrics).
const (
	lapsePerMetre    = 2.25577e-5
	pressureExponent = 5.25588
)

// StandardPressurePa is the pressure of the standard atmosphere at an altitude in metres.
// Above 44 km, where the formula ends, it is 0.
func StandardPressurePa(altitudeM float64) float64 {
	base := 1 - lapsePerMetre*altitudeM
	if base <= 0 {
		return 0
	}
	return SeaLevelPa * math.Pow(base, pressureExponent)
}

// Buck's equation over liquid water (A. L. Buck, "New equations for computing vapor pressure and
// enhancement factor", J. Appl. Meteorol. 20, 1981, in its 1996 form). The factor is in Pa.
const (
	buckPa = 611.21
	buckB  = 18.678
	buckC  = 257.14
	buckD  = 234.5
)

// SaturationPa is the saturation pressure of water vapour over liquid water in Pa at a temperature in
// °C. It is the only place for it: relative humidity is over water below 0 °C too, as weather
// stations report it. Buck gives it for −80 to 50 °C.
func SaturationPa(tC float64) float64 {
	return buckPa * math.Exp((buckB-tC/buckD)*tC/(buckC+tC))
}

// RHFromDewPoint is the relative humidity, 0 to 1, of air at a dry bulb and a dew point in °C.
func RHFromDewPoint(dryBulbC, dewPointC float64) float64 {
	return math.Min(1, SaturationPa(dewPointC)/SaturationPa(dryBulbC))
}

// DewPointC is the temperature at which air of this dry bulb (°C) and relative humidity (0 to 1)
// begins to condense. It is the exact inverse of SaturationPa; dry air (RH 0) has none: −Inf.
func DewPointC(dryBulbC, rh float64) float64 {
	if rh <= 0 {
		return math.Inf(-1)
	}
	// (b − T/d)·T/(c + T) = y is quadratic in T: T²/d + (y − b)·T + c·y = 0.
	y := math.Log(rh) + (buckB-dryBulbC/buckD)*dryBulbC/(buckC+dryBulbC)
	half := (buckB - y) * buckD / 2
	return half - math.Sqrt(half*half-buckC*y*buckD)
}
