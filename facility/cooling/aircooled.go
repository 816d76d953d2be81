package cooling

import (
	"errors"
	"fmt"

	"headroom/facility/catalog"
)

// AirCooledChillerParams describe a plant of air-cooled chillers. Zero values take the default in brackets.
// CapacityW of the Spec is one chiller's at the rating point of its curve.
type AirCooledChillerParams struct {
	Spec
	Chiller string     // catalogue name [york-ycal-101-air]; its curves are scaled to CapacityW
	COP     float64    // at the rating point [the chiller's]
	Pump    PumpParams // [6 K, 144 kPa, 0.7, 0.35]
	StageAt float64    // load share at which the next chiller starts [0.8]
	Cycling CyclingParams
	// FreeCooling puts a coil into the condenser air ahead of the evaporator.
	FreeCooling   bool
	FreeApproachK float64 // water leaving that coil over outdoor air, fans at full speed [8 K, a usual dry-cooler approach]
	FreeFanWPerW  float64 // fans at full speed per W taken free [0.025, dry coolers have 0.01 to 0.04]
	FreeFanMin    float64 // lowest fan speed share [0.2, assumed]
}

// AirCooledChiller is a plant of air-cooled chillers, with free-cooling coils or without. The curves' power
// includes the condenser fans, so RejectionW holds only the fans of free cooling.
type AirCooledChiller struct {
	params  AirCooledChillerParams
	chiller chillerCurve
}

// NewAirCooledChiller makes the plant; its error lists everything that is wrong with the parameters.
func NewAirCooledChiller(p AirCooledChillerParams) (*AirCooledChiller, error) {
	errs := checkSpec(&p.Spec)
	if p.Chiller == "" {
		p.Chiller = "york-ycal-101-air"
	}
	data, err := catalog.PlantData()
	if err != nil {
		return nil, err
	}
	chiller, ok := data.Chiller(p.Chiller)
	if !ok {
		errs = append(errs, fmt.Errorf("plant %q: chiller %q: %w", p.Name, p.Chiller, errNoCatalogue))
	} else if chiller.RejectsTo != "air" {
		errs = append(errs, fmt.Errorf("plant %q: chiller %q rejects its heat to %s, not to air", p.Name, p.Chiller, chiller.RejectsTo))
	}
	setDefault(&p.COP, chiller.COP)
	chiller.COP = p.COP
	p.Pump.setDefaults(DefaultRiseK, DefaultHeadKPa)
	setDefault(&p.StageAt, DefaultStageAt)
	p.Cycling.setDefaults(DefaultMinRunS, DefaultStartS)
	setDefault(&p.FreeApproachK, 8)
	setDefault(&p.FreeFanWPerW, 0.025)
	setDefault(&p.FreeFanMin, 0.2)
	if ok {
		errs = positive(&p.Spec, errs, param{"COP", p.COP})
	}
	errs = positive(&p.Spec, errs,
		param{"water rise (K)", p.Pump.RiseK},
		param{"pump head (kPa)", p.Pump.HeadKPa},
		param{"pump efficiency", p.Pump.Efficiency},
		param{"stage load share", p.StageAt},
		param{"free-cooling approach (K)", p.FreeApproachK},
		param{"free-cooling fan power (W/W)", p.FreeFanWPerW},
		param{"lowest free-cooling fan speed", p.FreeFanMin},
	)
	errs = positive(&p.Spec, errs, p.Cycling.params()...)
	if p.StageAt > 1 || p.FreeFanMin > 1 {
		errs = append(errs, fmt.Errorf("plant %q: stage load share %v and lowest fan speed %v must be at most 1", p.Name, p.StageAt, p.FreeFanMin))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &AirCooledChiller{params: p, chiller: newChillerCurve(chiller)}, nil
}

// Spec returns what every plant has.
func (c *AirCooledChiller) Spec() Spec { return c.params.Spec }

// Solve gives where the plant settles under a load. When the chillers fall short the supply warms by the
// slope of their capacity curve at its rating point. Free cooling is not counted in CapacityW.
func (c *AirCooledChiller) Solve(l Load) PlantPoint {
	p := &c.params
	l.Units = p.running(l.Units)
	if l.Units <= 0 {
		return still(l)
	}
	water := newCircuit(l, &p.Spec, p.Pump.RiseK)
	unitsW := float64(l.Units) * p.CapacityW
	condenserC := max(l.Out.DryBulbC, l.SetC+MinLiftK) // head pressure control keeps a lift to work against
	atSet, eir, outside := c.chiller.at(l.SetC, condenserC)
	slope := unitsW * c.chiller.capacityPerK
	pt := PlantPoint{CapacityW: unitsW * atSet * c.chiller.PLR.Max}

	if p.FreeCooling && water.heatW > 0 {
		pt.FreeShare, pt.RejectionW = freeCoil(l.SetC, water, l.Out.DryBulbC, p.FreeApproachK, p.FreeFanMin)
		pt.RejectionW *= p.FreeFanWPerW
	}
	if outside && water.heatW > 0 {
		pt.Extrapolated = 1
	}
	mechanicalW := (1 - pt.FreeShare) * water.heatW
	if mechanicalW > 0 {
		running := stages(mechanicalW/(p.CapacityW*atSet), p.StageAt, l.Units)
		var cycling, starts float64
		pt.CompressorW, cycling = c.chiller.power(p.CapacityW, atSet, eir, running, mechanicalW)
		pt.StartsPerS, pt.SwingK, starts = p.Cycling.cycle(mechanicalW, cycling, p.HeatJPerK)
		pt.CompressorW *= starts
	}
	pt.SupplyC, pt.WPerK, pt.Held = settle(l, &p.Spec, mechanicalW, pt.CapacityW, slope)
	pt.PumpW = water.pumpW(&p.Pump, &p.Spec)
	return pt
}

// freeCoil is the share of the heat that a coil in outdoor air takes ahead of the evaporator, and the heat
// (W) its fans have to be counted for: the heat taken times the cube of the fan share. Water leaves it
// approachK above the air at full speed; once that is colder than the set-point the fans slow down, duty
// going with speed and the difference to the air.
func freeCoil(setC float64, water circuit, airC, approachK, minShare float64) (share, fanW float64) {
	leavingC := airC + approachK
	share = clamp01((setC + water.riseK - leavingC) / water.riseK)
	fan := 1.0
	if leavingC < setC {
		fan = approachK / (setC - airC)
	}
	time := 1.0
	if fan < minShare {
		fan, time = minShare, fan/minShare
	}
	return share, share * water.heatW * fan * fan * fan * time
}
