package cooling

import (
	"errors"
	"fmt"

	"headroom/facility/catalog"
)

// ChilledWaterParams describe a water-cooled chiller plant. Zero values take the default in brackets.
// Units of the Spec are chillers, each with its condenser pump and tower cell; CapacityW is the capacity of
// one at the rating point of its curve.
type ChilledWaterParams struct {
	Spec
	Chiller string     // catalogue name [york-yk-1881-vanes]; its curves are scaled to CapacityW
	COP     float64    // at the rating point [the chiller's]
	Tower   string     // catalogue name [yorkcalc]
	Pump    PumpParams // chilled water [6 K, 144 kPa, 0.7, 0.35]
	// CondenserPump runs at constant speed with its chiller [5.56 K, 209 kPa, 0.7] (head ±20 %, Lei & Masanet 2020).
	CondenserPump PumpParams
	TowerFanWPerW float64 // electrical, full speed, per W of heat rejected at the rating [catalogue: 0.015]
	TowerFanMin   float64 // lowest fan speed share [0.2, assumed]
	// CondenserSetC is what the tower fans hold where there is no economizer [18.3 °C, a usual reset, assumed].
	CondenserSetC float64
	// CondenserMinC is the coldest water let into a condenser; colder water is mixed up to it [lowest of the curve, and
	// MinLiftK above SupplyC at least: chillers need a lift to work against].
	CondenserMinC      float64
	Economizer         bool    // heat exchanger between tower and chilled water, ahead of the chillers
	ExchangerApproachK float64 // of that exchanger [2 K; 1.7 to 2.8, Lei & Masanet 2020]
	StageAt            float64 // load share at which the next chiller starts [0.8]
	Cycling            CyclingParams
	Cycles             float64 // of concentration in the tower [5]
	DriftShare         float64 // of the circulating water [0.00005]
}

// ChilledWater is a plant of water-cooled chillers and towers, with or without a water-side economizer.
//
// Economizer: with x the tower water plus the exchanger's approach, all heat is taken free where x is at
// or below the set-point, the share (T_return − x)/(T_return − T_set) where x is below the return, none
// above (Lei & Masanet 2020). Tower fans run at full speed until x reaches the set-point, then slow down.
// Chillers: EIR curves, see chillerCurve.at. Tower: YorkCalc with the rated water flow through each cell in use.
type ChilledWater struct {
	params  ChilledWaterParams
	chiller chillerCurve
	tower   catalog.Tower

	condenserWPerK float64 // condenser water of one unit, W/K
	condenserPumpW float64 // of one unit
	fanW           float64 // of one cell at full speed
	airKgS         float64 // of one cell at full speed, sea level
}

// NewChilledWater makes the plant; its error lists everything that is wrong with the parameters.
func NewChilledWater(p ChilledWaterParams) (*ChilledWater, error) {
	errs := checkSpec(&p.Spec)
	if p.Chiller == "" {
		p.Chiller = "york-yk-1881-vanes"
	}
	if p.Tower == "" {
		p.Tower = "yorkcalc"
	}
	data, err := catalog.PlantData()
	if err != nil {
		return nil, err
	}
	chiller, ok := data.Chiller(p.Chiller)
	if !ok {
		errs = append(errs, fmt.Errorf("plant %q: chiller %q: %w", p.Name, p.Chiller, errNoCatalogue))
	} else if chiller.RejectsTo != "water" {
		errs = append(errs, fmt.Errorf("plant %q: chiller %q rejects its heat to %s, not to water", p.Name, p.Chiller, chiller.RejectsTo))
	}
	tower, ok := data.Tower(p.Tower)
	if !ok {
		errs = append(errs, fmt.Errorf("plant %q: tower %q: %w", p.Name, p.Tower, errNoCatalogue))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	setDefault(&p.COP, chiller.COP)
	chiller.COP = p.COP
	p.Pump.setDefaults(DefaultRiseK, DefaultHeadKPa)
	p.CondenserPump.setDefaults(tower.WaterInC-tower.WaterOutC, 209)
	setDefault(&p.TowerFanWPerW, tower.FanWPerW)
	setDefault(&p.TowerFanMin, 0.2)
	setDefault(&p.CondenserSetC, 18.3)
	setDefault(&p.CondenserMinC, max(chiller.YC[0], p.SupplyC+MinLiftK))
	setDefault(&p.ExchangerApproachK, 2)
	setDefault(&p.StageAt, DefaultStageAt)
	p.Cycling.setDefaults(DefaultMinRunS, DefaultStartS)
	setDefault(&p.Cycles, DefaultCycles)
	setDefault(&p.DriftShare, DefaultDriftShare)
	errs = positive(&p.Spec, errs,
		param{"COP", p.COP},
		param{"water rise (K)", p.Pump.RiseK},
		param{"pump head (kPa)", p.Pump.HeadKPa},
		param{"pump efficiency", p.Pump.Efficiency},
		param{"condenser rise (K)", p.CondenserPump.RiseK},
		param{"condenser pump head (kPa)", p.CondenserPump.HeadKPa},
		param{"condenser pump efficiency", p.CondenserPump.Efficiency},
		param{"tower fan power (W/W)", p.TowerFanWPerW},
		param{"lowest tower fan speed", p.TowerFanMin},
		param{"exchanger approach (K)", p.ExchangerApproachK},
		param{"stage load share", p.StageAt},
		param{"cycles of concentration less 1", p.Cycles - 1},
		param{"drift share", p.DriftShare},
	)
	errs = positive(&p.Spec, errs, p.Cycling.params()...)
	if p.TowerFanMin > 1 || p.StageAt > 1 {
		errs = append(errs, fmt.Errorf("plant %q: lowest tower fan speed %v and stage load share %v must be at most 1", p.Name, p.TowerFanMin, p.StageAt))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	rejectedW := p.CapacityW * (1 + 1/chiller.COP)
	c := &ChilledWater{
		params: p, chiller: newChillerCurve(chiller), tower: tower,
		condenserWPerK: rejectedW / p.CondenserPump.RiseK,
		condenserPumpW: p.CondenserPump.ratedW(rejectedW),
		fanW:           p.TowerFanWPerW * rejectedW,
	}
	c.airKgS = c.condenserWPerK / waterCpJPerKgK / tower.LiquidGas
	return c, nil
}

// Spec returns what every plant has.
func (c *ChilledWater) Spec() Spec { return c.params.Spec }

// Solve gives where the plant settles under a load. When the chillers fall short the supply warms by the
// slope of their capacity curve at its rating point, and they run at full load. The economizer's help is not counted in
// CapacityW.
func (c *ChilledWater) Solve(l Load) PlantPoint {
	p := &c.params
	l.Units = p.running(l.Units)
	if l.Units <= 0 {
		return still(l)
	}
	n := float64(l.Units)
	water := newCircuit(l, &p.Spec, p.Pump.RiseK)
	returnC := l.SetC + water.riseK
	heatW := water.heatW

	// Capacity at the set-point with all that is up at the tower's rated range.
	approachK, clamped := TowerApproachK(&c.tower, l.Out.WetBulbC, p.CondenserPump.RiseK, 1)
	fullC := l.Out.WetBulbC + approachK
	atSet, _, outside := c.chiller.at(l.SetC, c.condenserC(fullC)) // counts whether or not the chillers then run
	atOutside := outside
	unitsW := n * p.CapacityW
	pt := PlantPoint{CapacityW: unitsW * atSet * c.chiller.PLR.Max}
	slope := unitsW * c.chiller.capacityPerK

	// Tower water, free share and compressor power depend on each other through the tower's range.
	// The loop gain is below 0.1, so a fixed number of rounds closes it.
	cells := stages(heatW/p.CapacityW, p.StageAt, l.Units)
	tower := cells * c.condenserWPerK
	var rangeK, towerC, mechanicalW, cycling float64
	for range 4 {
		rangeK = (heatW + pt.CompressorW) / tower
		approachK, clamped = TowerApproachK(&c.tower, l.Out.WetBulbC, rangeK, 1)
		towerC = l.Out.WetBulbC + approachK
		pt.FreeShare = 0
		if p.Economizer && heatW > 0 {
			pt.FreeShare = clamp01((returnC - towerC - p.ExchangerApproachK) / water.riseK)
		}
		mechanicalW = (1 - pt.FreeShare) * heatW
		if mechanicalW <= 0 {
			pt.CompressorW, pt.StartsPerS, pt.SwingK, cycling = 0, 0, 0, 0
			outside = atOutside
			continue
		}
		if !p.Economizer {
			towerC = max(towerC, p.CondenserSetC)
		}
		var capacity, eir float64
		capacity, eir, outside = c.chiller.at(l.SetC, c.condenserC(towerC))
		running := stages(mechanicalW/(p.CapacityW*capacity), p.StageAt, l.Units)
		pt.CompressorW, cycling = c.chiller.power(p.CapacityW, capacity, eir, running, mechanicalW)
		var starts float64
		pt.StartsPerS, pt.SwingK, starts = p.Cycling.cycle(mechanicalW, cycling, p.HeatJPerK)
		pt.CompressorW *= starts
	}
	if outside {
		clamped++
	}
	if heatW > 0 { // an idle plant evaluates nothing that counts
		pt.Extrapolated = clamped
	}
	pt.SupplyC, pt.WPerK, pt.Held = settle(l, &p.Spec, mechanicalW, pt.CapacityW, slope)

	// Tower fans: full speed until the water is as cold as it has any use.
	targetC := p.CondenserSetC
	if p.Economizer {
		targetC = l.SetC - p.ExchangerApproachK
	}
	fan, fanTime := 1.0, 1.0
	if l.Out.WetBulbC+approachK < targetC {
		fan, fanTime = towerFan(&c.tower, l.Out.WetBulbC, rangeK, targetC-l.Out.WetBulbC, p.TowerFanMin)
	}
	// Below the lowest load of one chiller tower and condenser pump run as much of the time as it does.
	busy := min(heatW/(p.CapacityW*c.chiller.PLR.Min), 1)
	if p.Economizer {
		cycling = busy
	}
	density := airShare(l.Out.PressurePa, l.Out.DryBulbC, 25)
	fanTime *= cycling * cells
	pt.RejectionW = c.fanW * fan * fan * fan * fanTime * density
	pt.PumpW = water.pumpW(&p.Pump, &p.Spec) + c.condenserPumpW*cells*cycling

	rejectedW := heatW + pt.CompressorW
	pt.EvaporationKgS = evaporation(l.Out, rejectedW, c.airKgS*density*max(fan*fanTime, towerFreeShare*cycling*cells), towerC+rangeK/2)
	circulatingKgS := tower / waterCpJPerKgK * cycling
	pt.DriftKgS = p.DriftShare * circulatingKgS
	pt.BlowdownKgS = max(pt.EvaporationKgS/(p.Cycles-1)-pt.DriftKgS, 0)
	return pt
}

// condenserC is the water that enters the condensers for a tower water temperature.
func (c *ChilledWater) condenserC(towerC float64) float64 {
	return max(towerC, c.params.CondenserMinC)
}
