package sim

import (
	"math"
	"slices"

	"headroom/sim/ledger"
	"headroom/sim/thermal"
)

// Zones split IT and what is spent on cooling it by where the heat goes: into the air of each room, and into each
// coolant loop. A zone has the IT power whose heat it takes (a server with cold plates is part of two), the fans and pumps
// of its own, and of each plant the share of its power that the zone's heat has in the plant's. Heat that liquid-to-air
// CDUs put into a room belongs to their loop, with its share of the room's fans and plant.

// ZoneEnergy is one zone over the run. What no zone has of its own, electrical losses and other loads, goes by IT
// energy, so that the zones' PUE, weighted by it, give the building's.
type ZoneEnergy struct {
	Zone       string `json:"zone"`
	ITKWh      Num    `json:"it_kwh"`
	CoolingKWh Num    `json:"cooling_kwh"` // fans, pumps and share of plants
	OtherKWh   Num    `json:"other_kwh"`   // share of electrical losses and other loads
	CoolingPUE Num    `json:"cooling_ppue"`
	PPUE       Num    `json:"ppue"`
}

// zoneMeter integrates the zones: rooms, then loops, then rooms with the loops in them where there are several.
type zoneMeter struct {
	names      []string
	itW, coolW []float64 // now

	lastITW, lastCoolW []float64 // since atNS
	itJ, coolJ         []float64 // since the warm-up
	plantW             []float64 // per W of heat, by plant, now
	loopRoom           []int     // the room all of a loop's servers stand in; −1: several
	atNS               int64
}

func (z *zoneMeter) init(e *engine) {
	rooms, loops := e.fac.Cooling.Rooms, e.fac.Cooling.Loops
	for i := range rooms {
		z.names = append(z.names, rooms[i].Name)
	}
	z.loopRoom = make([]int, len(loops))
	for i := range loops {
		z.names = append(z.names, loops[i].Name)
		z.loopRoom[i] = -1
		first := true
		for j := range e.srv {
			if s := &e.srv[j]; int(s.loop) == i {
				if first {
					z.loopRoom[i], first = int(s.room), false
				} else if z.loopRoom[i] != int(s.room) {
					z.loopRoom[i] = -1
				}
			}
		}
	}
	if len(rooms) > 1 && len(loops) > 0 {
		for i := range rooms {
			z.names = append(z.names, rooms[i].Name+" and its loops")
		}
	}
	n := len(z.names)
	for _, v := range []*[]float64{&z.itW, &z.coolW, &z.lastITW, &z.lastCoolW, &z.itJ, &z.coolJ} {
		*v = make([]float64, n)
	}
	z.plantW = make([]float64, len(e.fac.Cooling.Plants))
}

// read looks at what the zones are after an instant has settled. What has not changed is not added up in between, so that
// looking more often changes no bit of a total.
func (z *zoneMeter) read(e *engine) {
	if z.names == nil {
		z.init(e)
	}
	z.look(e)
	if slices.Equal(z.itW, z.lastITW) && slices.Equal(z.coolW, z.lastCoolW) {
		return
	}
	z.add(e)
	copy(z.lastITW, z.itW)
	copy(z.lastCoolW, z.coolW)
}

// add adds the time since the last change to what the zones were since.
func (z *zoneMeter) add(e *engine) {
	if from := max(z.atNS, e.cfg.WarmupNS); e.now > from {
		dt := float64(e.now-from) / thermal.Second
		for i := range z.lastITW {
			z.itJ[i] += z.lastITW[i] * dt
			z.coolJ[i] += z.lastCoolW[i] * dt
		}
	}
	z.atNS = e.now
}

// look takes the zones' power now.
func (z *zoneMeter) look(e *engine) {
	b, f := &e.b, e.fac
	for i := range z.plantW {
		z.plantW[i] = 0
		if b.plantHeatW[i] > 0 {
			z.plantW[i] = served(b, b.plantCon[i]) / b.plantHeatW[i]
		}
	}
	plant := func(i int, dutyW float64) float64 {
		if i < 0 {
			return 0
		}
		return z.plantW[i] * dutyW
	}
	n := len(b.rooms)
	for i := range b.loops {
		l := &f.Cooling.Loops[i]
		z.itW[n+i], z.coolW[n+i] = b.liquidW[i], served(b, b.loopCon[i])
		if l.Air == nil {
			z.coolW[n+i] += plant(l.Plant, b.loops[i].DutyW)
		}
	}
	for i := range b.rooms {
		coolW := served(b, b.roomCon[i]) + plant(f.Cooling.Rooms[i].Plant, b.rooms[i].DutyW)
		if con := b.humid.con[i]; con >= 0 {
			coolW += served(b, con)
		}
		sideW, _ := e.sideAir(i)
		perW := 0.0
		if heatW := b.airW[i] + sideW; heatW > 0 {
			perW = coolW / heatW
		}
		for j := range b.loops {
			if a := f.Cooling.Loops[j].Air; a != nil && a.Room == i {
				w := perW * (b.loops[j].DutyW + b.loops[j].FanW)
				z.coolW[n+j] += w
				coolW -= w
			}
		}
		z.itW[i], z.coolW[i] = b.airW[i], coolW
	}
	for i := n + len(b.loops); i < len(z.names); i++ {
		room := i - n - len(b.loops)
		z.itW[i], z.coolW[i] = z.itW[room], z.coolW[room]
		for j, r := range z.loopRoom {
			if r == room {
				z.itW[i] += z.itW[n+j]
				z.coolW[i] += z.coolW[n+j]
			}
		}
	}
}

// result gives the zones' energy; rooms are left out as wholes where a loop serves several.
func (z *zoneMeter) result(e *engine, r *Result) {
	z.read(e)
	z.add(e)
	en := &r.Energy
	whole := len(z.names)
	for _, room := range z.loopRoom {
		if room < 0 {
			whole = len(e.b.rooms) + len(e.b.loops)
		}
	}
	itKWh, facilityKWh := float64(en.ITKWh), float64(en.FacilityKWh)
	restKWh := facilityKWh - itKWh
	for i := range len(e.b.rooms) + len(e.b.loops) {
		restKWh -= z.coolJ[i] / jPerKWh
	}
	for i := range whole {
		it, cool := z.itJ[i]/jPerKWh, z.coolJ[i]/jPerKWh
		rest := math.NaN()
		if itKWh > 0 {
			rest = restKWh * it / itKWh
		}
		en.Zones = append(en.Zones, ZoneEnergy{
			Zone: z.names[i], ITKWh: Num(it), CoolingKWh: Num(cool), OtherKWh: Num(rest),
			CoolingPUE: Num(ledger.PartialPUE(it, cool)), PPUE: Num(ledger.PartialPUE(it, cool+rest)),
		})
	}
}
