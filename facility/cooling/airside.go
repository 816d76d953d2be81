package cooling

import (
	"errors"
	"fmt"

	"headroom/facility/weather"
)

// airCpJPerKgK is the specific heat of air.
const airCpJPerKgK = 1006.0

// AirSideParams describe an air-side economizer: outdoor air, mixed with return air when it is cold, is
// the supply air. Zero values take the default in brackets. The rooms it serves are Direct: SupplyC is supply
// air. Units of the Spec are air handlers; CapacityW is what one carries at RiseK between supply and return.
type AirSideParams struct {
	Spec
	RiseK            float64 // supply to return at the rating; sets the airflow [13 K]
	IntakePa         float64 // filters, dampers and pads beyond the room's own fans [150 Pa, assumed]
	FanEfficiency    float64 // [0.7; 0.65 to 0.90, Lei & Masanet 2020]
	DewMinC          float64 // outdoor air drier than this dew point is humidified to it by evaporation [−12 °C: ASHRAE A1]
	DewMaxC          float64 // outdoor air moister than this dew point is not used where a trim plant stands by [17 °C: ASHRAE A1]
	RHMin, RHMax     float64 // the same as relative humidity of the supply air; the tighter limit counts [0.08 and 0.80: ASHRAE A1]
	DryLockout       bool    // outdoor air drier than its limit is not used, rather than humidified, where a trim plant stands by
	SupplyMinC       float64 // supply air follows the outdoor air down to here before return air is mixed in [SupplyC: the set-point is held]
	Adiabatic        bool    // pads that cool outdoor air when it is too warm
	PadEffectiveness float64 // of the wet-bulb depression [0.85, assumed]
	Cycles           float64 // of concentration of the pads' water [5]
	Trim             Plant   // takes what outdoor air does not, at its own set-point with all its units; nil: none
}

// AirSideEconomizer is a plant that blows outdoor air into the room.
//
// All heat is taken free while the air, wetted as far as needed, is at or below the set-point; the share
// (T_return − T_out)/(T_return − T_set) while it is below the return; none above, or where it is moister
// than DewMaxC and a trim plant stands by. Without a trim plant the supply is as warm as the outdoor air.
type AirSideEconomizer struct{ params AirSideParams }

// NewAirSideEconomizer makes the plant; its error lists everything that is wrong with the parameters.
func NewAirSideEconomizer(p AirSideParams) (*AirSideEconomizer, error) {
	errs := checkSpec(&p.Spec)
	setDefault(&p.RiseK, 13)
	setDefault(&p.IntakePa, 150)
	setDefault(&p.FanEfficiency, 0.7)
	setDefault(&p.DewMinC, -12)
	setDefault(&p.DewMaxC, 17)
	setDefault(&p.RHMin, 0.08)
	setDefault(&p.RHMax, 0.80)
	setDefault(&p.SupplyMinC, p.SupplyC)
	setDefault(&p.PadEffectiveness, 0.85)
	setDefault(&p.Cycles, DefaultCycles)
	errs = positive(&p.Spec, errs,
		param{"air rise (K)", p.RiseK},
		param{"intake pressure (Pa)", p.IntakePa},
		param{"fan efficiency", p.FanEfficiency},
		param{"dew point limits apart (K)", p.DewMaxC - p.DewMinC},
		param{"lowest relative humidity", p.RHMin},
		param{"relative humidity limits apart", p.RHMax - p.RHMin},
		param{"pad effectiveness", p.PadEffectiveness},
		param{"cycles of concentration less 1", p.Cycles - 1},
	)
	if p.SupplyMinC > p.SupplyC || p.RHMax > 1 {
		errs = append(errs, fmt.Errorf("plant %q: lowest supply %v °C must be at most the set-point %v, highest relative humidity %v at most 1", p.Name, p.SupplyMinC, p.SupplyC, p.RHMax))
	}
	if p.PadEffectiveness > 1 || p.FanEfficiency > 1 {
		errs = append(errs, fmt.Errorf("plant %q: pad effectiveness %v and fan efficiency %v must be at most 1", p.Name, p.PadEffectiveness, p.FanEfficiency))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &AirSideEconomizer{p}, nil
}

// Spec returns what every plant has.
func (a *AirSideEconomizer) Spec() Spec { return a.params.Spec }

// dewLimitsC are the dew points between which supply air of supplyC may lie.
func (p *AirSideParams) dewLimitsC(supplyC float64) (lo, hi float64) {
	lo = max(p.DewMinC, weather.DewPointC(supplyC, p.RHMin))
	hi = min(p.DewMaxC, weather.DewPointC(supplyC, p.RHMax))
	return min(lo, hi), hi
}

// Solve gives where the plant settles under a load; ReturnC is the room's return air.
func (a *AirSideEconomizer) Solve(l Load) PlantPoint {
	p := &a.params
	l.Units = p.running(l.Units)
	if l.Units <= 0 {
		return still(l)
	}
	outC := l.Out.DryBulbC
	l.SetC = min(l.SetC, max(outC, min(p.SupplyMinC, l.SetC)))
	air := newCircuit(l, &p.Spec, p.RiseK)
	dewMinC, dewMaxC := p.dewLimitsC(l.SetC)
	wet := 0.0 // share of what the pads can do
	depressionK := p.PadEffectiveness * max(outC-l.Out.WetBulbC, 0)
	if p.Adiabatic && outC > l.SetC && depressionK > 0 {
		wet = min((outC-l.SetC)/depressionK, 1)
	}
	inC := outC - wet*depressionK
	ratedWPerK := float64(l.Units) * p.CapacityW / p.RiseK
	outdoorW := air.heatW // heat that leaves with outdoor air
	pt := PlantPoint{WPerK: max(air.waterW, ratedWPerK*minFanShare), SupplyC: l.SetC, Held: true}
	if p.Trim == nil {
		pt.FreeShare = 1
		pt.CapacityW = max(0, ratedWPerK*(l.SetC+p.RiseK-max(inC, l.SetC)))
		if inC > l.SetC {
			pt.SupplyC, pt.Held = inC, false
		}
	} else {
		if l.Out.DewPointC <= dewMaxC && !(p.DryLockout && l.Out.DewPointC < dewMinC) {
			pt.FreeShare = clamp01((l.SetC + air.riseK - inC) / air.riseK)
		}
		spec := p.Trim.Spec()
		trim := p.Trim.Solve(Load{
			HeatW: (1 - pt.FreeShare) * air.heatW, ReturnC: spec.SupplyC + DefaultRiseK,
			Units: spec.Units, SetC: spec.SupplyC, Out: l.Out,
		})
		free := pt.FreeShare
		pt.CompressorW, pt.RejectionW, pt.PumpW = trim.CompressorW, trim.RejectionW, trim.PumpW
		pt.EvaporationKgS, pt.BlowdownKgS, pt.DriftKgS = trim.EvaporationKgS, trim.BlowdownKgS, trim.DriftKgS
		pt.FreeShare = free + (1-free)*trim.FreeShare
		pt.CapacityW, pt.Extrapolated = trim.CapacityW, trim.Extrapolated
		if !trim.Held {
			pt.Held = false
			pt.SupplyC = l.SetC + trim.SupplyC - spec.SupplyC
			pt.WPerK = trim.WPerK
		}
		outdoorW = free * air.heatW
	}
	if pt.Held {
		pt.WPerK = max(pt.WPerK, p.HeatJPerK/HeldS)
	}
	flowM3s := air.waterW / (AirHeatJPerM3K * l.Out.PressurePa / weather.SeaLevelPa)
	pt.RejectionW += flowM3s * p.IntakePa / p.FanEfficiency
	evaporationKgS := 0.0
	if outdoorW > 0 {
		evaporationKgS = air.waterW * wet * depressionK / VaporizationJPerKg(l.Out.WetBulbC)
		if l.Out.DewPointC < dewMinC && !p.DryLockout {
			// Only the outdoor share of the mix is dry.
			share := min(air.riseK/max(l.SetC+air.riseK-outC, air.riseK), 1)
			dry := HumidityRatio(weather.SaturationPa(dewMinC), l.Out.PressurePa) -
				HumidityRatio(weather.SaturationPa(l.Out.DewPointC), l.Out.PressurePa)
			evaporationKgS += outdoorW / air.riseK / airCpJPerKgK * share * dry
		}
	}
	pt.EvaporationKgS += evaporationKgS
	pt.BlowdownKgS += evaporationKgS / (p.Cycles - 1)
	return pt
}
