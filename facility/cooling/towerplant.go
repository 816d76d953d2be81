package cooling

import (
	"errors"
	"fmt"

	"headroom/facility/catalog"
)

// TowerParams describe a plant of cooling towers and exchangers without any chiller, for warm-water loops.
// Zero values take the default in brackets. Units of the Spec are tower cells, each with its pump and exchanger;
// CapacityW is what one rejects at the tower's rating point (wet bulb, range and approach of its correlation).
type TowerParams struct {
	Spec
	Tower              string     // catalogue name [yorkcalc]
	Pump               PumpParams // facility water [6 K, 144 kPa, 0.7, 0.35]
	TowerPump          PumpParams // constant speed with its cell [the tower's range, 209 kPa, 0.7]
	FanWPerW           float64    // full speed, per W of heat rejected at the rating [catalogue: 0.015]
	FanMin             float64    // lowest fan speed share [0.2, assumed]
	ExchangerApproachK float64    // between tower water and facility water [2 K]
	StageAt            float64    // load share at which the next cell starts [0.8]
	Cycles             float64    // of concentration [5]
	DriftShare         float64    // of the circulating water [0.00005]
}

// CoolingTower is a plant that rejects all heat by evaporation. It gives water as warm as wet bulb, approach
// and exchanger make it: the set-point is held while that is at or below it, fans slowing down; else the supply is
// warmer, with every cell at full speed.
type CoolingTower struct {
	params     TowerParams
	tower      catalog.Tower
	waterWPerK float64 // tower water of one cell, W/K
	pumpW      float64 // tower pump of one cell
	fanW       float64 // of one cell at full speed
	airKgS     float64 // of one cell at full speed, sea level
}

// NewCoolingTower makes the plant; its error lists everything that is wrong with the parameters.
func NewCoolingTower(p TowerParams) (*CoolingTower, error) {
	errs := checkSpec(&p.Spec)
	if p.Tower == "" {
		p.Tower = "yorkcalc"
	}
	data, err := catalog.PlantData()
	if err != nil {
		return nil, err
	}
	tower, ok := data.Tower(p.Tower)
	if !ok {
		errs = append(errs, fmt.Errorf("plant %q: tower %q: %w", p.Name, p.Tower, errNoCatalogue))
		return nil, errors.Join(errs...)
	}
	p.Pump.setDefaults(DefaultRiseK, DefaultHeadKPa)
	p.TowerPump.setDefaults(tower.WaterInC-tower.WaterOutC, 209)
	setDefault(&p.FanWPerW, tower.FanWPerW)
	setDefault(&p.FanMin, 0.2)
	setDefault(&p.ExchangerApproachK, 2)
	setDefault(&p.StageAt, DefaultStageAt)
	setDefault(&p.Cycles, DefaultCycles)
	setDefault(&p.DriftShare, DefaultDriftShare)
	errs = positive(&p.Spec, errs,
		param{"water rise (K)", p.Pump.RiseK},
		param{"pump head (kPa)", p.Pump.HeadKPa},
		param{"pump efficiency", p.Pump.Efficiency},
		param{"tower range (K)", p.TowerPump.RiseK},
		param{"tower pump head (kPa)", p.TowerPump.HeadKPa},
		param{"tower pump efficiency", p.TowerPump.Efficiency},
		param{"fan power (W/W)", p.FanWPerW},
		param{"lowest fan speed", p.FanMin},
		param{"exchanger approach (K)", p.ExchangerApproachK},
		param{"stage load share", p.StageAt},
		param{"cycles of concentration less 1", p.Cycles - 1},
		param{"drift share", p.DriftShare},
	)
	if p.FanMin > 1 || p.StageAt > 1 {
		errs = append(errs, fmt.Errorf("plant %q: lowest fan speed %v and stage load share %v must be at most 1", p.Name, p.FanMin, p.StageAt))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	c := &CoolingTower{
		params: p, tower: tower,
		waterWPerK: p.CapacityW / p.TowerPump.RiseK,
		pumpW:      p.TowerPump.ratedW(p.CapacityW),
		fanW:       p.FanWPerW * p.CapacityW,
	}
	c.airKgS = c.waterWPerK / waterCpJPerKgK / tower.LiquidGas
	return c, nil
}

// Spec returns what every plant has.
func (c *CoolingTower) Spec() Spec { return c.params.Spec }

// Solve gives where the plant settles under a load.
func (c *CoolingTower) Solve(l Load) PlantPoint {
	p := &c.params
	l.Units = p.running(l.Units)
	if l.Units <= 0 {
		return still(l)
	}
	n := float64(l.Units)
	water := newCircuit(l, &p.Spec, p.Pump.RiseK)
	pt := PlantPoint{FreeShare: 1, Held: true, SupplyC: l.SetC, PumpW: water.pumpW(&p.Pump, &p.Spec)}

	// What all cells at full speed can take with the supply at the set-point: the range at which water leaves cold enough.
	fullC := func(heatW, cells float64) (towerC, rangeK float64, clamped int) {
		rangeK = heatW / (cells * c.waterWPerK)
		approachK, clamped := TowerApproachK(&c.tower, l.Out.WetBulbC, rangeK, 1)
		return l.Out.WetBulbC + approachK, rangeK, clamped
	}
	targetC := l.SetC - p.ExchangerApproachK
	lo, hi := 0.0, c.tower.RangeK[1]*n*c.waterWPerK
	if atMost, _, _ := fullC(hi, n); atMost <= targetC {
		lo = hi
	} else {
		for range 40 {
			mid := (lo + hi) / 2
			if towerC, _, _ := fullC(mid, n); towerC <= targetC {
				lo = mid
			} else {
				hi = mid
			}
		}
	}
	pt.CapacityW = lo
	// Each kelvin of warmer supply lets the range grow; the slope of the correlation is near 1 K of approach per K of range.
	pt.WPerK = n * c.waterWPerK / 2
	if water.heatW <= 0 {
		pt.WPerK = max(pt.WPerK, p.HeatJPerK/HeldS)
		return pt
	}
	// Cells start in turn with the load; where those that run do not reach the set-point, all do.
	cells := stages(water.heatW/p.CapacityW, p.StageAt, l.Units)
	towerC, rangeK, clamped := fullC(water.heatW, cells)
	if towerC > targetC {
		cells = n
		towerC, rangeK, clamped = fullC(water.heatW, cells)
	}
	pt.Extrapolated = clamped
	fan, time := 1.0, 1.0
	if towerC <= targetC {
		fan, time = towerFan(&c.tower, l.Out.WetBulbC, rangeK, targetC-l.Out.WetBulbC, p.FanMin)
		towerC = targetC
		pt.WPerK = max(pt.WPerK, p.HeatJPerK/HeldS)
	} else {
		pt.Held = false
		pt.SupplyC = towerC + p.ExchangerApproachK
	}
	density := airShare(l.Out.PressurePa, l.Out.DryBulbC, 25)
	pt.RejectionW = c.fanW * cells * fan * fan * fan * time * density
	pt.PumpW += c.pumpW * cells
	pt.EvaporationKgS = evaporation(l.Out, water.heatW, c.airKgS*density*cells*max(fan*time, towerFreeShare), towerC+rangeK/2)
	pt.DriftKgS = p.DriftShare * cells * c.waterWPerK / waterCpJPerKgK
	pt.BlowdownKgS = max(pt.EvaporationKgS/(p.Cycles-1)-pt.DriftKgS, 0)
	return pt
}
