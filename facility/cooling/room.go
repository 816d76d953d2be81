package cooling

import (
	"errors"
	"fmt"
	"math"

	"headroom/facility/weather"
)

// DefaultBypassShare is the air that room fans usually deliver beyond what the servers draw. Assumed:
// contained aisles are run at a few per cent of overpressure.
const DefaultBypassShare = 0.05

// MinWallWPerK is the least conduction that a room without cooling is given, so that the temperature at
// which it would settle is finite. It is too small to matter to how fast the room warms.
const MinWallWPerK = 1.0

// minFanShare is the lowest flow share that fans which run at all may have.
const minFanShare = 0.02

// Solve gives the state in which the room settles with so many units running.
//
// heatW is all heat put into the room's air except by the units' own fans, which Solve adds: servers,
// electrical losses, lights. demandM3s is what the servers draw, waterC the chilled water, airPa the
// pressure of the air, whose density carries through to heat capacity, coils and fan power.
//
// Fans follow demandM3s·(1+BypassShare) between FanMin and full speed. While the coils can, the valves
// hold the supply at the set-point; else it settles where duty equals heat,
// T_supply = T_water + Q·(1/(ε·C_min) − 1/C_air). Coils are dry: latent duty is not modelled, which holds
// while water is above the room's dew point. Walls conduct with the mean of supply and return.
//
// With no units the room is one mixed volume that warms towards AmbientC + heatW/WallWPerK, very high but
// finite. The walls never cool a room with units below its set-point: its duty ends at 0.
func (r *Room) Solve(units int, heatW, demandM3s, waterC, airPa float64) RoomPoint {
	heatW, demandM3s = max(heatW, 0), max(demandM3s, 0)
	units = r.running(units)
	if units <= 0 || r.AirflowM3s <= 0 {
		wall := max(r.WallWPerK, MinWallWPerK)
		settledC := r.AmbientC + heatW/wall
		phi := 0.0
		if demandM3s == 0 {
			phi = 1
		}
		return RoomPoint{SupplyC: settledC, ReturnC: settledC, Phi: phi, WPerK: wall}
	}

	n := float64(units)
	density := airPa / weather.SeaLevelPa
	speed := n * r.AirflowM3s // flow at full speed
	share := min(max(demandM3s*(1+r.BypassShare)/speed, max(r.FanMin, minFanShare)), 1)
	if r.Containment == RearDoors {
		share = max(demandM3s/speed, minFanShare)
	}
	flow := speed * share
	lnShare := math.Log(share)
	p := RoomPoint{
		FlowM3s: flow,
		Phi:     1,
		FanW:    n * r.FanW * density * math.Exp(r.FanExponent*lnShare),
	}
	if demandM3s > flow {
		p.Phi = flow / demandM3s
	}
	air := AirHeatJPerM3K * density * flow // W/K
	wall := max(r.WallWPerK, 0)
	gainW := heatW + p.FanW
	heldW := max(0, (gainW-wall*(r.SupplyC-r.AmbientC))/(1+wall/(2*air)))

	if r.Direct {
		p.SupplyC, p.DutyW, p.Held = r.SupplyC, heldW, waterC <= r.SupplyC
		if r.SupplyMinC != 0 && r.SupplyMinC < r.SupplyC {
			waterC = max(waterC, r.SupplyMinC)
		} else {
			waterC = max(waterC, r.SupplyC)
		}
		if waterC != r.SupplyC {
			p.SupplyC = waterC
			p.DutyW = max(0, (gainW-wall*(waterC-r.AmbientC))/(1+wall/(2*air)))
		}
		p.ReturnC = p.SupplyC + p.DutyW/air
		p.WPerK = max(air+wall, r.HeatJPerK(airPa)/HeldS)
		return p
	}

	// Coils at full water flow.
	water := n * r.CapacityW / r.WaterRiseK
	airFilm := 0.5 * math.Exp(-airFilmExponent*(lnShare+math.Log(density)))
	ua := r.ratedUA()
	exchange := exchangeWPerK(n*ua/(airFilm+0.5), air, water)
	kPerW := 1/exchange - 1/air // supply above water per watt, never negative
	if waterC+heldW*kPerW <= r.SupplyC {
		p.Held = true
		p.SupplyC, p.DutyW = r.SupplyC, heldW
		p.ReturnC = r.SupplyC + heldW/air
		p.WPerK = max(exchange+wall, r.HeatJPerK(airPa)/HeldS)
		if heldW > 0 {
			coil := valve{ua: n * ua, otherFilm: airFilm, otherW: air, waterW: water, fullWPerK: exchange}
			p.WaterLPM = coil.share(heldW/(p.ReturnC-waterC)) * water / WaterWPerLPMK
		}
		return p
	}
	p.DutyW = max(0, (gainW-wall*(waterC-r.AmbientC))/(1+wall*(kPerW+1/(2*air))))
	p.SupplyC = waterC + p.DutyW*kPerW
	p.ReturnC = p.SupplyC + p.DutyW/air
	p.WPerK = exchange + wall
	p.WaterLPM = water / WaterWPerLPMK
	return p
}

// running is how many units run of those that are up.
func (r *Room) running(up int) int {
	if r.Standby {
		return min(up, max(r.Units-r.Redundant, 1))
	}
	return up
}

// resetOpening is how far open the valves of a room or loop may stand when its plant's set-point is reset: a
// control loop needs what is left (a usual target of trim-and-respond resets).
const resetOpening = 0.9

// WarmestWaterC is the warmest chilled water with which the room still holds its set-point, its valves
// resetOpening open, for the same arguments as Solve. A plant may be reset to the least of them over what it serves.
func (r *Room) WarmestWaterC(units int, heatW, demandM3s, airPa float64) float64 {
	units = r.running(units)
	if units <= 0 || r.Direct || !(r.AirflowM3s > 0) {
		return r.SupplyC
	}
	// The air side does not depend on the water: with water this cold the set-point is held.
	p := r.Solve(units, heatW, demandM3s, r.SupplyC-coldWaterK, airPa)
	air := AirHeatJPerM3K * airPa / weather.SeaLevelPa * p.FlowM3s
	n := float64(units)
	water := n * r.CapacityW / r.WaterRiseK
	density := airPa / weather.SeaLevelPa
	share := p.FlowM3s / (n * r.AirflowM3s)
	airFilm := 0.5 * math.Exp(-airFilmExponent*math.Log(share*density))
	waterFilm := 0.5 * math.Exp(-waterFilmExponent*math.Log(resetOpening))
	exchange := exchangeWPerK(n*r.ratedUA()/(airFilm+waterFilm), air, water*resetOpening)
	return r.SupplyC - p.DutyW*(1/exchange-1/air)
}

// coldWaterK is water below the set-point of a room or loop that is cold enough for any duty within reach.
const coldWaterK = 1000.0

// ratedUA is the UA of one unit's coil at its rating point, W/K.
func (r *Room) ratedUA() float64 {
	return ratedUA(r.CapacityW, AirHeatJPerM3K*r.AirflowM3s, r.CapacityW/r.WaterRiseK, r.RatedReturnC-r.RatedWaterC)
}

// HeatJPerK is the heat capacity of the room's air and of the structure that follows it.
func (r *Room) HeatJPerK(airPa float64) float64 {
	return r.VolumeM3*AirHeatJPerM3K*airPa/weather.SeaLevelPa + r.StructureJPerK
}

// MixS is the time constant, s, with which exhaust builds up in the air the servers draw when units
// deliver flowM3s: the room's air over the air that is replaced. 0 without air or flow.
func (r *Room) MixS(flowM3s float64) float64 {
	if flowM3s <= 0 {
		return 0
	}
	return r.VolumeM3 / flowM3s
}

// Validate reports everything in the room's figures that Solve could not give a true answer for.
func (r *Room) Validate() error {
	var errs []error
	positive := func(name string, x float64) {
		if !(x > 0) || math.IsInf(x, 0) {
			errs = append(errs, fmt.Errorf("room %q: %s is %v, must be above 0", r.Name, name, x))
		}
	}
	positive("airflow of a unit (m³/s)", r.AirflowM3s)
	if !r.Direct {
		positive("capacity of a unit (W)", r.CapacityW)
		positive("water rise (K)", r.WaterRiseK)
		positive("rated return less rated water (K)", r.RatedReturnC-r.RatedWaterC)
	}
	if r.FanMin < 0 || r.FanMin > 1 {
		errs = append(errs, fmt.Errorf("room %q: lowest fan share is %v, must be 0 to 1", r.Name, r.FanMin))
	}
	for _, f := range []struct {
		name string
		x    float64
	}{
		{"fan power", r.FanW},
		{"fan exponent", r.FanExponent},
		{"volume", r.VolumeM3},
		{"structure", r.StructureJPerK},
		{"structure coupling", r.StructureWPerK},
		{"walls", r.WallWPerK},
		{"bypass share", r.BypassShare},
	} {
		if !(f.x >= 0) || math.IsInf(f.x, 0) {
			errs = append(errs, fmt.Errorf("room %q: %s is %v, must be 0 or more", r.Name, f.name, f.x))
		}
	}
	if errs == nil && !r.Direct {
		lo := min(AirHeatJPerM3K*r.AirflowM3s, r.CapacityW/r.WaterRiseK)
		if e := r.CapacityW / (lo * (r.RatedReturnC - r.RatedWaterC)); e > maxEffectiveness {
			errs = append(errs, fmt.Errorf(
				"room %q: a unit of %.0f W at %.2f m³/s, return %.1f °C and water %.1f °C with %.1f K rise would need an effectiveness of %.2f (at most %.2f): more air, a warmer return or colder water",
				r.Name, r.CapacityW, r.AirflowM3s, r.RatedReturnC, r.RatedWaterC, r.WaterRiseK, e, maxEffectiveness))
		}
	}
	return errors.Join(errs...)
}

// AirJPerK is the heat capacity of the room's air alone.
func (r *Room) AirJPerK(airPa float64) float64 {
	return r.VolumeM3 * AirHeatJPerM3K * airPa / weather.SeaLevelPa
}
