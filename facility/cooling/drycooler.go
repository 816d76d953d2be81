package cooling

import (
	"errors"
	"fmt"
	"math"

	"headroom/facility/catalog"
)

// DryCoolerParams describe a plant of dry coolers, with pads or without. Zero values take the default in
// brackets. CapacityW of the Spec is one cooler's at DesignC outdoors, water leaving at SupplyC and rising by
// Pump.RiseK, fans at full speed.
type DryCoolerParams struct {
	Spec
	Cooler   string     // catalogue name [generic-8k]: fan power per W and air rise are taken from it
	DesignC  float64    // outdoor dry bulb of the rating [SupplyC − 8 K, a usual approach]
	AirRiseK float64    // of the air at the rating; sets the airflow [the cooler's share of the inlet difference]
	FanWPerW float64    // electrical, full speed, per W of rated capacity [the cooler's]
	FanMin   float64    // lowest fan speed share [0.15, assumed]; below it fans turn part of the time
	Pump     PumpParams // [8 K, 144 kPa, 0.7, 0.35]
	// Pads in the air stream: they are wetted only as far as full fans fall short, and cool the air by up to
	// PadEffectiveness of its wet-bulb depression [0.85, assumed]. Their pressure drop is part of FanWPerW.
	Adiabatic        bool
	PadEffectiveness float64
	Cycles           float64 // of concentration of the pads' water [5]
}

// DryCooler is a plant that rejects heat to the air without a compressor: ε-NTU with a counterflow
// relation, all units up sharing the load, fan speed following it, power with the cube of the speed.
type DryCooler struct {
	params DryCoolerParams
	airW   float64 // heat capacity rate of one unit's air at full speed, DesignC and sea level, W/K
	waterW float64 // of one unit's water at the rating, W/K
	ua     float64 // of one unit at the rating, W/K
	fanW   float64 // of one unit at full speed, DesignC and sea level
}

// NewDryCooler makes the plant; its error lists everything that is wrong with the parameters.
func NewDryCooler(p DryCoolerParams) (*DryCooler, error) {
	errs := checkSpec(&p.Spec)
	if p.Cooler == "" {
		p.Cooler = "generic-8k"
	}
	data, err := catalog.PlantData()
	if err != nil {
		return nil, err
	}
	cooler, ok := data.DryCooler(p.Cooler)
	if !ok {
		errs = append(errs, fmt.Errorf("plant %q: dry cooler %q: %w", p.Name, p.Cooler, errNoCatalogue))
		return nil, errors.Join(errs...)
	}
	p.Pump.setDefaults(cooler.CoolantInC-cooler.CoolantOutC, DefaultHeadKPa)
	setDefault(&p.DesignC, p.SupplyC-8)
	inletK := p.SupplyC + p.Pump.RiseK - p.DesignC
	setDefault(&p.AirRiseK, inletK*cooler.AirRiseK/(cooler.CoolantInC-cooler.AirC))
	setDefault(&p.FanWPerW, cooler.FanW/cooler.CapacityW)
	setDefault(&p.FanMin, 0.15)
	setDefault(&p.PadEffectiveness, 0.85)
	setDefault(&p.Cycles, DefaultCycles)
	errs = positive(&p.Spec, errs,
		param{"water rise (K)", p.Pump.RiseK},
		param{"pump head (kPa)", p.Pump.HeadKPa},
		param{"pump efficiency", p.Pump.Efficiency},
		param{"air rise (K)", p.AirRiseK},
		param{"fan power (W/W)", p.FanWPerW},
		param{"lowest fan speed", p.FanMin},
		param{"supply set-point less design outdoor temperature (K)", p.SupplyC - p.DesignC},
		param{"pad effectiveness", p.PadEffectiveness},
		param{"cycles of concentration less 1", p.Cycles - 1},
	)
	if p.FanMin > 1 || p.PadEffectiveness > 1 {
		errs = append(errs, fmt.Errorf("plant %q: lowest fan speed %v and pad effectiveness %v must be at most 1", p.Name, p.FanMin, p.PadEffectiveness))
	}
	if len(errs) == 0 {
		if e := math.Max(p.AirRiseK, p.Pump.RiseK) / inletK; e > maxEffectiveness {
			errs = append(errs, fmt.Errorf("plant %q: air rise %.1f K and water rise %.1f K need an effectiveness of %.2f between inlets %.1f K apart (at most %.2f)",
				p.Name, p.AirRiseK, p.Pump.RiseK, e, inletK, maxEffectiveness))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	d := &DryCooler{
		params: p,
		airW:   p.CapacityW / p.AirRiseK,
		waterW: p.CapacityW / p.Pump.RiseK,
		fanW:   p.CapacityW * p.FanWPerW,
	}
	d.ua = ratedUA(p.CapacityW, d.waterW, d.airW, inletK)
	return d, nil
}

// Spec returns what every plant has.
func (d *DryCooler) Spec() Spec { return d.params.Spec }

// Solve gives where the plant settles under a load. When full fans, and full pads where there are any,
// fall short, the supply settles where duty equals heat.
func (d *DryCooler) Solve(l Load) PlantPoint {
	p := &d.params
	if l.Units <= 0 {
		return still(l)
	}
	n := float64(l.Units)
	airC := l.Out.DryBulbC
	density := airShare(l.Out.PressurePa, airC, p.DesignC)
	padsC := airC // what the air can be cooled to
	if p.Adiabatic {
		padsC -= p.PadEffectiveness * math.Max(airC-l.Out.WetBulbC, 0)
	}
	fullAir := n * d.airW * density
	pt := PlantPoint{FreeShare: 1, CapacityW: d.capacityW(l.SetC, padsC, n, density)}

	water := newCircuit(l, &p.Spec, p.Pump.RiseK)
	pt.PumpW = water.pumpW(&p.Pump, &p.Spec)
	if water.heatW <= 0 {
		exchange := exchangeWPerK(n*d.ua, n*d.waterW, fullAir)
		pt.SupplyC, pt.WPerK, pt.Held = l.SetC, math.Max(exchange, p.HeatJPerK/HeldS), true
		return pt
	}
	// The water's film resistance as a share of 1/ua, fixed by the flow.
	waterFilm := 0.5 * math.Exp(-waterFilmExponent*math.Log(water.waterW/(n*d.waterW)))
	lnDensity := math.Log(density)
	exchangeAt := func(lnShare, share float64) float64 {
		airFilm := 0.5 * math.Exp(-airFilmExponent*(lnShare+lnDensity))
		return exchangeWPerK(n*d.ua/(waterFilm+airFilm), water.waterW, fullAir*share)
	}
	exchange := exchangeAt(0, 1)
	returnC := l.SetC + water.riseK
	fan, fanTime, wet := 1.0, 1.0, 0.0
	switch needC := returnC - water.heatW/exchange; { // the air at which full fans just hold the set-point
	case needC < padsC:
		wet = 1
		if padsC == airC {
			wet = 0
		}
		pt.WPerK = exchange
		pt.SupplyC = padsC + water.heatW*(1/exchange-1/water.waterW)
	case needC < airC:
		wet = (airC - needC) / (airC - padsC)
		fallthrough
	default:
		pt.Held = true
		pt.SupplyC, pt.WPerK = l.SetC, math.Max(exchange, p.HeatJPerK/HeldS)
		if wet == 0 {
			fan, fanTime = d.fanShare(water.heatW/(returnC-airC), exchange, exchangeAt)
		}
	}
	pt.RejectionW = n * d.fanW * density * fan * fan * fan * fanTime
	if wet > 0 {
		airKgS := fullAir / 1006
		depressionK := wet * (airC - padsC)
		pt.EvaporationKgS = airKgS * 1006 * depressionK / VaporizationJPerKg(l.Out.WetBulbC)
		pt.BlowdownKgS = pt.EvaporationKgS / (p.Cycles - 1)
	}
	return pt
}

// fanShare is the fan speed share, and the share of the time fans turn, at which the coolers exchange
// needWPerK; exchange is what they do at full speed.
func (d *DryCooler) fanShare(needWPerK, fullWPerK float64, exchangeAt func(lnShare, share float64) float64) (share, time float64) {
	lnMin := math.Log(d.params.FanMin)
	least := exchangeAt(lnMin, d.params.FanMin)
	if needWPerK <= least {
		return d.params.FanMin, math.Max(needWPerK, 0) / least
	}
	// Regula falsi (Illinois) on the logarithms, where the relation is nearly straight.
	target := math.Log(needWPerK)
	lo, hi := lnMin, 0.0
	fLo, fHi := math.Log(least)-target, math.Log(fullWPerK)-target
	ln, side := hi, 0
	for range 40 {
		if fHi <= fLo {
			break
		}
		ln = (lo*fHi - hi*fLo) / (fHi - fLo)
		f := math.Log(exchangeAt(ln, math.Exp(ln))) - target
		if math.Abs(f) < 1e-6 {
			break
		}
		if f > 0 {
			hi, fHi = ln, f
			if side > 0 {
				fLo /= 2
			}
			side = 1
		} else {
			lo, fLo = ln, f
			if side < 0 {
				fHi /= 2
			}
			side = -1
		}
	}
	return math.Exp(math.Min(ln, 0)), 1
}

// capacityW is what n units take at a set-point with air of airC, the water at its rated flow.
func (d *DryCooler) capacityW(setC, airC, n, density float64) float64 {
	airFilm := math.Exp(-airFilmExponent * math.Log(density))
	water, air := n*d.waterW, n*d.airW*density
	exchange := exchangeWPerK(n*d.ua/(0.5+0.5*airFilm), water, air)
	return math.Max(0, (setC-airC)/(1/exchange-1/water))
}
