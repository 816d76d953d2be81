package cooling

import (
	"errors"
	"fmt"
	"math"

	"headroom/facility/weather"
)

const (
	// PumpMinShare is the lowest flow share that pumps turn at (30 to 40 % in practice); power goes with the
	// cube of the share.
	PumpMinShare = 0.35
	// pumpShutOff is the head of a pump without flow over its head at rated flow. Assumed: flat curves of
	// in-line centrifugal pumps have 1.15 to 1.3.
	pumpShutOff = 1.2
	// StillWPerK is what a loop or plant circuit without any machine running loses to its surroundings,
	// W/K. It only keeps the temperature at which it would settle finite.
	StillWPerK = 1.0
)

// Solve gives the state in which the loop settles with so many CDUs running: heatW from the servers into
// the coolant, demandLPM the flow they want, waterC the facility water.
//
// Pumps follow demandLPM down to PumpMinShare and up to what their head allows; Phi is what is delivered
// of what is wanted. Pump heat goes into the coolant. While the exchangers can, the valves hold the
// set-point; else the supply settles where duty equals heat, T_supply = T_water + Q·(1/(ε·C_min) − 1/C_loop).
// Without CDUs the coolant stands still and warms towards waterC + heatW/StillWPerK, very high but finite.
func (l *Loop) Solve(cdus int, heatW, demandLPM, waterC float64) LoopPoint {
	heatW, demandLPM = max(heatW, 0), max(demandLPM, 0)
	cdus = l.running(cdus)
	if cdus <= 0 || l.FlowLPM <= 0 {
		phi := 0.0
		if demandLPM == 0 {
			phi = 1
		}
		settledC := waterC + heatW/StillWPerK
		return LoopPoint{SupplyC: settledC, ReturnC: settledC, Phi: phi, WPerK: StillWPerK}
	}
	n := float64(cdus)
	full := n * l.FlowLPM
	flow := min(max(demandLPM, PumpMinShare*full), l.maxLPM(n))
	share := flow / full
	p := LoopPoint{FlowLPM: flow, Phi: 1, PumpW: n * l.PumpW * share * share * share}
	if demandLPM > flow {
		p.Phi = flow / demandLPM
	}
	p.DutyW = heatW + p.PumpW

	rate := l.coolantWPerLPMK()
	loop, primary := flow*rate, n*l.primaryWPerK(rate)
	exchanger := valve{
		ua: n * l.ratedUA(rate), otherFilm: 0.5 * math.Exp(-waterFilmExponent*math.Log(share)),
		otherW: loop, waterW: primary,
	}
	exchange := exchangeWPerK(exchanger.ua/(exchanger.otherFilm+0.5), loop, primary)
	exchanger.fullWPerK = exchange
	p.SupplyC = waterC + p.DutyW*(1/exchange-1/loop)
	p.WPerK = exchange
	opening := 1.0
	if p.SupplyC <= l.SupplyC {
		p.Held = true
		p.SupplyC = l.SupplyC
		p.WPerK = max(exchange, l.VolumeL*rate*60/HeldS)
		opening = 0
		if p.DutyW > 0 {
			opening = exchanger.share(p.DutyW / (p.SupplyC + p.DutyW/loop - waterC))
		}
	}
	if l.Air != nil {
		p.AirM3s = opening * n * l.Air.AirflowM3s
		p.FanW = n * l.Air.FanW * l.Air.density() * opening * opening * opening
	} else {
		p.WaterLPM = opening * primary / WaterWPerLPMK
	}
	p.ReturnC = p.SupplyC + p.DutyW/loop
	return p
}

// running is how many CDUs run of those that are up.
func (l *Loop) running(up int) int {
	if l.Standby {
		return min(up, max(l.CDUs-l.Redundant, 1))
	}
	return up
}

// density is that of the air over that at sea level.
func (a *AirSink) density() float64 {
	if a.PressurePa > 0 {
		return a.PressurePa / weather.SeaLevelPa
	}
	return 1
}

// WarmestWaterC is the warmest facility water with which the loop still holds its set-point, its valves
// resetOpening open, for the same arguments as Solve.
func (l *Loop) WarmestWaterC(cdus int, heatW, demandLPM float64) float64 {
	cdus = l.running(cdus)
	if cdus <= 0 || !(l.FlowLPM > 0) {
		return l.SupplyC
	}
	p := l.Solve(cdus, heatW, demandLPM, l.SupplyC-coldWaterK)
	n := float64(cdus)
	rate := l.coolantWPerLPMK()
	loop := p.FlowLPM * rate
	share := p.FlowLPM / (n * l.FlowLPM)
	film := 0.5 * (math.Exp(-waterFilmExponent*math.Log(share)) + math.Exp(-waterFilmExponent*math.Log(resetOpening)))
	exchange := exchangeWPerK(n*l.ratedUA(rate)/film, loop, n*l.primaryWPerK(rate)*resetOpening)
	return l.SupplyC - p.DutyW*(1/exchange-1/loop)
}

// maxLPM is the largest flow n CDUs can push: their rated flow, or less where the loop's own resistance
// takes more head than the pumps have. Pumps give H·(s − (s−1)·q²) with s the shut-off ratio and q their
// flow share; the loop takes SystemKPa at SystemLPM and the square of the flow.
func (l *Loop) maxLPM(n float64) float64 {
	full := n * l.FlowLPM
	if l.SystemKPa <= 0 || l.SystemLPM <= 0 || !(l.HeadKPa > 0) {
		return full
	}
	system := l.SystemKPa / (l.SystemLPM * l.SystemLPM)
	pump := (pumpShutOff - 1) * l.HeadKPa / (full * full)
	return min(full, math.Sqrt(pumpShutOff*l.HeadKPa/(system+pump)))
}

// coolantWPerLPMK is the coolant's heat capacity rate; water for a name Validate would refuse.
func (l *Loop) coolantWPerLPMK() float64 {
	if rate, ok := coolantWPerLPMK()[l.Coolant]; ok {
		return rate
	}
	return WaterWPerLPMK
}

// primaryWPerK is the rated heat capacity rate of facility water through one CDU; rate is the coolant's.
func (l *Loop) primaryWPerK(rate float64) float64 {
	if l.Air != nil {
		return l.Air.AirflowM3s * AirHeatJPerM3K * l.Air.density()
	}
	if l.PrimaryLPM > 0 {
		return l.PrimaryLPM * WaterWPerLPMK
	}
	return l.FlowLPM * rate
}

// ratedUA is the UA of one CDU's exchanger: CapacityW at ApproachK between facility supply and loop
// supply and rated flows on both sides.
func (l *Loop) ratedUA(rate float64) float64 {
	loop := l.FlowLPM * rate
	return ratedUA(l.CapacityW, loop, l.primaryWPerK(rate), l.ApproachK+l.CapacityW/loop)
}

// HeatJPerK is the heat capacity of the coolant in the loop.
func (l *Loop) HeatJPerK() float64 { return l.VolumeL * l.coolantWPerLPMK() * 60 }

// Validate reports everything in the loop's figures that Solve could not give a true answer for.
func (l *Loop) Validate() error {
	var errs []error
	for _, f := range []struct {
		name string
		x    float64
	}{
		{"capacity of a CDU (W)", l.CapacityW},
		{"flow of a CDU (L/min)", l.FlowLPM},
		{"approach (K)", l.ApproachK},
	} {
		if !(f.x > 0) || math.IsInf(f.x, 0) {
			errs = append(errs, fmt.Errorf("loop %q: %s is %v, must be above 0", l.Name, f.name, f.x))
		}
	}
	for _, f := range []struct {
		name string
		x    float64
	}{
		{"volume (L)", l.VolumeL},
		{"pump power (W)", l.PumpW},
		{"primary flow (L/min)", l.PrimaryLPM},
		{"system head (kPa)", l.SystemKPa},
		{"system flow (L/min)", l.SystemLPM},
	} {
		if !(f.x >= 0) || math.IsInf(f.x, 0) {
			errs = append(errs, fmt.Errorf("loop %q: %s is %v, must be 0 or more", l.Name, f.name, f.x))
		}
	}
	if a := l.Air; a != nil && (!(a.AirflowM3s > 0) || math.IsInf(a.AirflowM3s, 0) || !(a.FanW >= 0) || math.IsInf(a.FanW, 0)) {
		errs = append(errs, fmt.Errorf("loop %q: liquid-to-air CDU of %v m³/s and fans of %v W", l.Name, a.AirflowM3s, a.FanW))
		return errors.Join(errs...)
	}
	if _, ok := coolantWPerLPMK()[l.Coolant]; !ok {
		names, err := Coolants()
		errs = append(errs, err, fmt.Errorf("loop %q: coolant %q is not one of %q", l.Name, l.Coolant, names))
	}
	if errs == nil {
		rate := l.coolantWPerLPMK()
		loop := l.FlowLPM * rate
		lo := min(loop, l.primaryWPerK(rate))
		if e := l.CapacityW / (lo * (l.ApproachK + l.CapacityW/loop)); e > maxEffectiveness {
			errs = append(errs, fmt.Errorf(
				"loop %q: a CDU of %.0f W at %.1f K approach and %.0f L/min would need an effectiveness of %.2f (at most %.2f): more facility water or a wider approach",
				l.Name, l.CapacityW, l.ApproachK, l.FlowLPM, e, maxEffectiveness))
		}
	}
	return errors.Join(errs...)
}
