package cooling

import (
	"errors"
	"fmt"
	"math"

	"headroom/facility/weather"
)

// Defaults that plants share. Each is a field of the plants' parameters, taken where that is 0.
const (
	DefaultRiseK          = 6.0   // facility water; 5 to 10 K (Lei & Masanet 2020)
	DefaultHeadKPa        = 144.0 // chilled-water and economizer pumps, ±20 % (Lei & Masanet 2020)
	DefaultPumpEfficiency = 0.7   // pump and motor; 0.60 to 0.80 (Lei & Masanet 2020)
	DefaultCycles         = 5.0   // cycles of concentration; 3 to 15 (Lei & Masanet 2020)
	DefaultDriftShare     = 5e-5  // of circulating water; windage 0.005 to 0.5 % (Lei & Masanet 2020)
	DefaultStageAt        = 0.8   // load share at which the next unit starts; assumed
	waterHeatJPerM3K      = 995.7 * 4180
	waterCpJPerKgK        = 4180.0
	minRiseK              = 1.0  // a load with a smaller rise of the water is read as this
	minFlowShare          = 0.02 // least water flow, of the rated flow of the units that are up
	slopeSpanK            = 5.0  // WPerK of a chiller is the slope of its capacity over this many kelvin about its rating point
	minCapacityPerK       = 0.01 // least such slope, 1/K
	minCapacityShare      = 0.1  // no capacity curve is read as less than this share of the rating
)

// PumpParams are a circuit's pumps. Zero values take the defaults.
type PumpParams struct {
	RiseK      float64 // of the water at rated capacity; sets the rated flow
	HeadKPa    float64 // at rated flow
	Efficiency float64 // pump and motor together
	MinShare   float64 // lowest flow share; below it the rest is bypassed
}

func (p *PumpParams) setDefaults(riseK, headKPa float64) {
	setDefault(&p.RiseK, riseK)
	setDefault(&p.HeadKPa, headKPa)
	setDefault(&p.Efficiency, DefaultPumpEfficiency)
	setDefault(&p.MinShare, PumpMinShare)
}

// ratedW is the electrical power of the pump of one unit whose water takes up heatW.
func (p *PumpParams) ratedW(heatW float64) float64 {
	return p.HeadKPa * 1000 * heatW / (p.RiseK * waterHeatJPerM3K) / p.Efficiency
}

// setDefault sets a zero field.
func setDefault(x *float64, value float64) {
	if *x == 0 {
		*x = value
	}
}

// CapacityAt is what so many units of a plant can take in this weather, W: at their set-point, or where that
// does not hold under the rated load, at the warmest supply that their Spec allows.
func CapacityAt(p Plant, units int, out Outdoor) float64 {
	s := p.Spec()
	load := Load{HeatW: s.CapacityW * float64(units), ReturnC: s.SupplyC + DefaultRiseK, Units: units, SetC: s.SupplyC, Out: out}
	pt := p.Solve(load)
	if !pt.Held && s.WarmestC > s.SupplyC {
		load.SetC, load.ReturnC = s.WarmestC, s.WarmestC+DefaultRiseK
		pt = p.Solve(load)
	}
	return pt.CapacityW
}

// ElectricalAt is all electrical power of a plant for a load in this weather, W: compressors, heat
// rejection and pumps.
func ElectricalAt(p Plant, units int, heatW, returnC float64, out Outdoor) float64 {
	pt := p.Solve(Load{HeatW: heatW, ReturnC: returnC, Units: units, SetC: p.Spec().SupplyC, Out: out})
	return pt.ElectricalW()
}

// ElectricalW is all electrical power: compressors, heat rejection and pumps.
func (p PlantPoint) ElectricalW() float64 { return p.CompressorW + p.RejectionW + p.PumpW }

// still is a plant without any unit running: the circuit warms above the outdoor air.
func still(l Load) PlantPoint {
	settledC := l.Out.DryBulbC + max(l.HeatW, 0)/StillWPerK
	return PlantPoint{SupplyC: max(l.SetC, settledC), WPerK: StillWPerK, Held: settledC <= l.SetC}
}

// circuit is the water side of a plant under a load.
type circuit struct {
	heatW  float64
	waterW float64 // heat capacity rate of the water, W/K
	riseK  float64 // heatW/waterW, or the rated rise without heat
	share  float64 // flow over the flow of the units that have to run (installed less redundant)
}

// newCircuit finds the water flow from the load's heat and return temperature. The pumps of the units
// that are up give their rated flow at most; the return is then warmer than the load says.
func newCircuit(l Load, s *Spec, riseK float64) circuit {
	c := circuit{heatW: max(l.HeatW, 0), riseK: riseK}
	unitW := s.CapacityW / riseK
	if c.heatW > 0 {
		ratedW := float64(l.Units) * unitW
		c.waterW = min(max(c.heatW/max(l.ReturnC-l.SetC, minRiseK), minFlowShare*ratedW), ratedW)
		c.riseK = c.heatW / c.waterW
	}
	c.share = c.waterW / (float64(neededUnits(s)) * unitW)
	return c
}

// running is how many units run of those that are up.
func (s *Spec) running(up int) int {
	if s.Standby {
		return min(up, neededUnits(s))
	}
	return up
}

// neededUnits are the units that have to run at the rating: installed less redundant, at least one.
func neededUnits(s *Spec) int { return max(s.Units-s.Redundant, 1) }

// pumpW is the power of a circuit's pumps: the system's head goes with the square of the whole flow, so
// power goes with its cube whatever number of pumps share it.
func (c circuit) pumpW(p *PumpParams, s *Spec) float64 {
	share := max(c.share, p.MinShare)
	return float64(neededUnits(s)) * p.ratedW(s.CapacityW) * share * share * share
}

// checkSpec reports what no plant can do without.
func checkSpec(s *Spec) []error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("plant %q: "+format, append([]any{s.Name}, args...)...))
	}
	if s.Units < 1 {
		bad("%d units, must be 1 or more", s.Units)
	}
	if s.Redundant < 0 || s.Redundant >= max(s.Units, 1) {
		bad("%d redundant units of %d", s.Redundant, s.Units)
	}
	if !(s.CapacityW > 0) || math.IsInf(s.CapacityW, 0) {
		bad("capacity of a unit is %v W, must be above 0", s.CapacityW)
	}
	if math.IsNaN(s.SupplyC) || s.SupplyC < -20 || s.SupplyC > 90 {
		bad("supply set-point is %v °C, must be -20 to 90", s.SupplyC)
	}
	if s.ResetMaxC != 0 && !(s.ResetMaxC >= s.SupplyC && s.ResetMaxC <= 90) {
		bad("warmest reset of the set-point is %v °C, must be from the set-point %v to 90", s.ResetMaxC, s.SupplyC)
	}
	if !(s.HeatJPerK >= 0) || math.IsInf(s.HeatJPerK, 0) {
		bad("heat capacity of the circuit is %v J/K, must be 0 or more", s.HeatJPerK)
	}
	return errs
}

// positive reports each parameter that is not a positive finite number.
func positive(s *Spec, errs []error, params ...param) []error {
	for _, p := range params {
		if !(p.value > 0) || math.IsInf(p.value, 0) {
			errs = append(errs, fmt.Errorf("plant %q: %s is %v, must be above 0", s.Name, p.name, p.value))
		}
	}
	return errs
}

type param struct {
	name  string
	value float64
}

// airShare is the density of air at a temperature and pressure over that at referenceC and sea level.
func airShare(pressurePa, tC, referenceC float64) float64 {
	return pressurePa / weather.SeaLevelPa * (kelvin + referenceC) / (kelvin + tC)
}

// settle gives the supply temperature, its conductance and whether the set-point is held for a plant
// that can take capacityW at the set-point and wPerK more for each kelvin above it.
func settle(l Load, s *Spec, heatW, capacityW, wPerK float64) (supplyC, relaxWPerK float64, held bool) {
	if heatW <= capacityW {
		return l.SetC, max(wPerK, s.HeatJPerK/HeldS), true
	}
	return l.SetC + (heatW-capacityW)/wPerK, wPerK, false
}

var errNoCatalogue = errors.New("not in the catalogue")
