package cooling

import (
	"errors"
	"fmt"
	"math"

	"headroom/facility/catalog"
)

// DryCoolerParams describe a plant of dry coolers, with pads or without. Zero values take the default in
// brackets. CapacityW of the Spec is one cooler's at DesignC outdoors, water leaving ApproachK above that after
// rising by Pump.RiseK in the hall, fans at full speed. The set-point SupplyC is a wish of its own: on days too
// hot for it the water is as warm as it comes.
type DryCoolerParams struct {
	Spec
	Cooler    string     // catalogue name [generic-8k]: approach, rises and fan power per W are taken from it
	DesignC   float64    // outdoor dry bulb of the rating [SupplyC − ApproachK]
	ApproachK float64    // [the cooler's; 6 to 12 K is usual]
	AirRiseK  float64    // of the air at the rating; sets the airflow [the cooler's share of the inlet difference]
	FanWPerW  float64    // electrical, full speed, per W of rated capacity [the cooler's]
	FanMin    float64    // lowest fan speed share [0.15, assumed]; below it fans turn part of the time
	Pump      PumpParams // [the cooler's rise, 144 kPa, 0.7, 0.35]
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

	rootFanMin float64 // fifth root of FanMin
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
	setDefault(&p.ApproachK, cooler.CoolantOutC-cooler.AirC)
	setDefault(&p.DesignC, p.SupplyC-p.ApproachK)
	inletK := p.ApproachK + p.Pump.RiseK
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
		param{"approach (K)", p.ApproachK},
		param{"pad effectiveness", p.PadEffectiveness},
		param{"cycles of concentration less 1", p.Cycles - 1},
	)
	if p.FanMin > 1 || p.PadEffectiveness > 1 {
		errs = append(errs, fmt.Errorf("plant %q: lowest fan speed %v and pad effectiveness %v must be at most 1", p.Name, p.FanMin, p.PadEffectiveness))
	}
	if len(errs) == 0 {
		if e := max(p.AirRiseK, p.Pump.RiseK) / inletK; e > maxEffectiveness {
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

		rootFanMin: math.Pow(p.FanMin, 1./5),
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
	l.Units = p.running(l.Units)
	if l.Units <= 0 {
		return still(l)
	}
	n := float64(l.Units)
	airC := l.Out.DryBulbC
	density := airShare(l.Out.PressurePa, airC, p.DesignC)
	padsC := airC // what the air can be cooled to
	if p.Adiabatic {
		padsC -= p.PadEffectiveness * max(airC-l.Out.WetBulbC, 0)
	}
	fullAir := n * d.airW * density
	// Film resistances are shares of 1/ua; at the rating each side has half.
	airFilm := 0.5 * math.Exp(-airFilmExponent*math.Log(density))
	// What full fans take at the set-point, the water at its rated flow.
	rated := exchangeWPerK(n*d.ua/(0.5+airFilm), n*d.waterW, fullAir)
	pt := PlantPoint{FreeShare: 1, CapacityW: max(0, (l.SetC-padsC)/(1/rated-1/(n*d.waterW)))}

	water := newCircuit(l, &p.Spec, p.Pump.RiseK)
	pt.PumpW = water.pumpW(&p.Pump, &p.Spec)
	if water.heatW <= 0 {
		pt.SupplyC, pt.WPerK, pt.Held = l.SetC, max(rated, p.HeatJPerK/HeldS), true
		return pt
	}
	x := airExchanger{
		ua: n * d.ua, waterW: water.waterW, airW: fullAir,
		waterFilm: 0.5 * math.Exp(-waterFilmExponent*math.Log(water.waterW/(n*d.waterW))),
		airFilm:   airFilm,
	}
	exchange, _ := x.at(1)
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
		pt.SupplyC, pt.WPerK = l.SetC, max(exchange, p.HeatJPerK/HeldS)
		if wet == 0 {
			fan, fanTime = x.fanShare(water.heatW/(returnC-airC), exchange, p.FanMin, d.rootFanMin)
		}
	}
	pt.RejectionW = n * d.fanW * density * fan * fan * fan * fanTime
	if wet > 0 {
		// The air's sensible heat turns into the latent heat of what evaporates.
		pt.EvaporationKgS = fullAir * wet * (airC - padsC) / VaporizationJPerKg(l.Out.WetBulbC)
		pt.BlowdownKgS = pt.EvaporationKgS / (p.Cycles - 1)
	}
	return pt
}

// airExchanger is an air to water exchanger whose air flow may vary and whose water flow is given.
type airExchanger struct {
	ua                 float64 // at the rating, W/K
	waterW, airW       float64 // heat capacity rates, the air's at full fan speed, W/K
	waterFilm, airFilm float64 // resistances at this water flow and full fan speed, as shares of 1/ua
}

// at is ε·C_min and its derivative at root, the fifth root of the fan share: with airFilmExponent 4/5 both the
// air flow and its film are whole powers of it.
func (x *airExchanger) at(root float64) (exchange, slope float64) {
	r2 := root * root
	r4 := r2 * r2
	air := 1 / (x.airW * r4 * root) // K/W
	water := 1 / x.waterW
	if math.Abs(air-water) < 1e-9*water { // 0/0 at equal flows
		air = water * (1 + 1e-8)
	}
	film := x.airFilm / r4
	ua := x.ua / (x.waterFilm + film)
	// Counterflow: E = (1 − e^−z)/(1/C_air − e^−z/C_water) with z = UA·(1/C_air − 1/C_water).
	z := ua * (air - water)
	n := -math.Expm1(-z)
	d := air - water + water*n
	exchange = n / d
	airSlope := -5 * air / root
	uaSlope := ua * ua / x.ua * 4 * film / root
	nSlope := (1 - n) * (uaSlope*(air-water) + ua*airSlope)
	return exchange, (nSlope - exchange*(airSlope+water*nSlope)) / d
}

// fanShare is the fan speed share, and the share of the time fans turn, at which the exchanger gives
// needWPerK, by Newton's method inside a bracket; fullWPerK is what it gives at full speed. rootMin is the fifth root of minShare.
func (x *airExchanger) fanShare(needWPerK, fullWPerK, minShare, rootMin float64) (share, time float64) {
	least, _ := x.at(rootMin)
	if needWPerK <= least {
		return minShare, max(needWPerK, 0) / least
	}
	lo, hi := rootMin, 1.0
	root := min(lo+(hi-lo)*(needWPerK-least)/(fullWPerK-least), hi)
	for range 40 {
		exchange, slope := x.at(root)
		excess := exchange - needWPerK
		if math.Abs(excess) < 1e-7*needWPerK {
			break
		}
		if excess > 0 {
			hi = root
		} else {
			lo = root
		}
		root -= excess / slope
		if !(root > lo && root <= hi) {
			root = (lo + hi) / 2
		}
	}
	r2 := root * root
	return r2 * r2 * root, 1
}
