package cooling

import (
	"errors"
	"fmt"
	"math"

	"headroom/facility/weather"
)

// Figures of humidity control. Rooms whose air is not held to a dew point have none of it.
const (
	// SteamJPerKg is the electricity of a kilogram of steam: from 15 to 100 °C and boiled, 2,613 kJ, at 95 % of an electrode
	// boiler (efficiency assumed). 0.76 kWh.
	SteamJPerKg = 2613e3 / 0.95
	// AdiabaticJPerKg is that of a kilogram of fine spray or ultrasonic mist, 0.05 kWh (assumed; sprays take 0.01, ultrasonic
	// units 0.07). The heat of evaporation comes out of the room's air.
	AdiabaticJPerKg = 0.05 * 3.6e6
	// DefaultDryCOP is the heat of condensation over the electricity of what dries fresh air, a coil colder than its dew point
	// with reheat from the room (assumed).
	DefaultDryCOP = 3.0
	// DefaultFreshPerHour is the outdoor air that keeps a room at overpressure, in volumes of the room an hour (assumed;
	// 0.25 to 1 are usual).
	DefaultFreshPerHour = 0.5
	// DefaultDewMinC is the lower end of the dew points that ASHRAE recommends (Thermal Guidelines, fifth edition).
	DefaultDewMinC = -9.0
)

// Humidity holds a room's air between two dew points. In a room that turns its own air over and over only outdoor air
// brings moisture or takes it away: FreshM3s comes in with the weather's humidity, as much room air leaves, and what is
// between the two is evaporated or condensed. People, wet floors and the moisture that walls let through are left out.
type Humidity struct {
	FreshM3s  float64 // outdoor air let in, as room air
	DewMinC   float64
	DewMaxC   float64
	Adiabatic bool    // spray or mist; else steam
	JPerKg    float64 // electricity of a kilogram of water evaporated
	DryCOP    float64
	SupplyC   float64 // of the room: fresh air is warmed or cooled to it
}

// HumidityPoint is what humidity control does in one hour's weather.
type HumidityPoint struct {
	PowerW   float64 // electricity
	WaterKgS float64 // evaporated; condensate of drying is drained
	HeatW    float64 // into the room's air: fresh air's own, less what evaporation without steam takes, and the mist's electricity
}

// Validate reports everything that Solve could not give a true answer for.
func (h *Humidity) Validate() error {
	var errs []error
	for _, f := range []struct {
		name string
		x    float64
	}{{"fresh air (m³/s)", h.FreshM3s}, {"electricity of a kilogram (J)", h.JPerKg}, {"COP of drying", h.DryCOP}, {"dew points apart (K)", h.DewMaxC - h.DewMinC}} {
		if !(f.x > 0) || math.IsInf(f.x, 0) {
			errs = append(errs, fmt.Errorf("humidity: %s is %v, must be above 0", f.name, f.x))
		}
	}
	return errors.Join(errs...)
}

// Solve gives the hour's humidity control at a pressure in Pa.
func (h *Humidity) Solve(out Outdoor, airPa float64) HumidityPoint {
	ratio := func(dewC float64) float64 { return HumidityRatio(weather.SaturationPa(dewC), airPa) }
	massKgS := AirDensityKgM3(airPa, h.SupplyC) * h.FreshM3s
	p := HumidityPoint{HeatW: massKgS * airCpJPerKgK * (out.DryBulbC - h.SupplyC)}
	w := ratio(out.DewPointC)
	if lo := ratio(h.DewMinC); w < lo {
		p.WaterKgS = massKgS * (lo - w)
		p.PowerW = p.WaterKgS * h.JPerKg
		if h.Adiabatic {
			p.HeatW += p.PowerW - p.WaterKgS*VaporizationJPerKg(h.SupplyC)
		}
	} else if hi := ratio(h.DewMaxC); w > hi {
		p.PowerW = massKgS * (w - hi) * VaporizationJPerKg(h.DewMaxC) / h.DryCOP
	}
	return p
}

// MostW is the most electricity that humidity control can draw: in air without any moisture, or on the design day.
func (h *Humidity) MostW(design Outdoor, airPa float64) float64 {
	dry := AirDensityKgM3(airPa, h.SupplyC) * h.FreshM3s * HumidityRatio(weather.SaturationPa(h.DewMinC), airPa) * h.JPerKg
	return max(dry, h.Solve(design, airPa).PowerW)
}
