package cooling

import "headroom/facility/weather"

// ResetSetC is the set-point that a plant runs at when the warmest water its consumers can do with is
// warmestC: its own set-point without a reset (ResetMaxC 0), else as warm as they allow, between the two.
// Warmer water lets compressors lift less and lengthens free cooling; pumps turn faster for it.
func (s *Spec) ResetSetC(warmestC float64) float64 {
	if s.ResetMaxC <= s.SupplyC {
		return s.SupplyC
	}
	return min(max(warmestC, s.SupplyC), s.ResetMaxC)
}

// DefaultDewPointC is the dew point that a room's humidity control holds at most where nothing is stated: the upper
// end of the range ASHRAE recommends (15 °C, Thermal Guidelines, fifth edition).
const DefaultDewPointC = 15.0

// RoomDewPointC is the dew point of a room's air: what its humidity control holds, or for a Direct room
// the outdoor air's, between the limits of the air-side economizer that makes its air.
func RoomDewPointC(r *Room, p Plant, out Outdoor) float64 {
	side, ok := p.(*AirSideEconomizer)
	if !ok || !r.Direct {
		return r.DewPointC
	}
	return side.SupplyDewPointC(out)
}

// SupplyDewPointC is the dew point of the air that the economizer supplies: that of the outdoor air, humidified to
// DewMinC and, where the pads run, by what they evaporate; at most DewMaxC where a trim plant takes over above it.
func (a *AirSideEconomizer) SupplyDewPointC(out Outdoor) float64 {
	p := &a.params
	supplyC := min(p.SupplyC, max(out.DryBulbC, p.SupplyMinC))
	dewMinC, dewMaxC := p.dewLimitsC(supplyC)
	dewC := max(out.DewPointC, dewMinC)
	if p.Trim != nil && dewC > dewMaxC {
		return dewMaxC // closed dampers: the coils dry the room's own air
	}
	if depressionK := p.PadEffectiveness * max(out.DryBulbC-out.WetBulbC, 0); p.Adiabatic && out.DryBulbC > p.SupplyC && depressionK > 0 {
		wet := min((out.DryBulbC-p.SupplyC)/depressionK, 1)
		inC := out.DryBulbC - wet*depressionK
		// Along the wet bulb: the air at inC with the wet bulb of the outdoor air.
		w := HumidityRatio(weather.SaturationPa(out.DewPointC), out.PressurePa) + airCpJPerKgK*wet*depressionK/VaporizationJPerKg(out.WetBulbC)
		vapor := w * out.PressurePa / (waterToAir + w)
		dewC = max(dewC, weather.DewPointC(inC, min(vapor/weather.SaturationPa(inC), 1)))
	}
	return dewC
}
