package sim

import (
	"fmt"
	"math"
	"strings"

	"headroom/sim/event"
	"headroom/sim/thermal"
)

// driver is the air of a room or the coolant of a loop, as its servers see it.
type driver struct {
	path     thermal.Path
	mass     thermal.Path // the structure behind a room's air
	appliedC float64      // temperature at which its servers were last settled
	endC     float64      // where it was on its way to when they were
	phi      float64      // delivered share at which they were
	servers  []int32
	step     event.ID
	stepping bool

	// Loops only.
	isLoop, drifted bool // drifted: what is on it has not been settled since it moved
	index           int32
	classes         []*class
	known           [loopMemos]memo
	nextKnown       int
}

// midC is where a driver stands in the middle of its present step on the way to endC.
func (d *driver) midC(nowC, endC float64) float64 {
	const halfK = driverStepK / 2
	switch far := endC - nowC; {
	case far > halfK:
		return nowC + halfK
	case far < -halfK:
		return nowC - halfK
	}
	return endC
}

// moveDrivers lets rooms and loops relax to where they settle now and says whether servers must be settled
// again for it. Damping takes half of every step, for couplings that would swing.
func (e *engine) moveDrivers(damp bool) bool {
	moved := false
	for i := range e.rooms {
		p, r := &e.b.rooms[i], &e.fac.Cooling.Rooms[i]
		if e.stands(&e.rooms[i], p.SupplyC, p.Phi) {
			continue
		}
		to := settling{endC: p.SupplyC, phi: p.Phi, tauS: r.HeatJPerK(e.b.airPa) / max(p.WPerK, 1e-3)}
		if r.StructureWPerK > 0 && r.StructureJPerK > 0 && r.VolumeM3 > 0 {
			to.pair = thermal.Pair{AirJPerK: r.AirJPerK(e.b.airPa), StructureJPerK: r.StructureJPerK, WPerK: r.StructureWPerK}
			to.pullWPerK = max(p.WPerK, 1e-3)
		}
		if p.Held { // the coil has capacity to spare: the air answers as fast as it is exchanged
			to.tauS, to.pullWPerK = r.MixS(p.FlowM3s), 0
		}
		moved = e.moveDriver(&e.rooms[i], int32(i), &to, damp) || moved
	}
	for i := range e.loops {
		p, l := &e.b.loops[i], &e.fac.Cooling.Loops[i]
		if e.stands(&e.loops[i], p.SupplyC, p.Phi) {
			continue
		}
		to := settling{endC: p.SupplyC, phi: p.Phi, tauS: l.HeatJPerK() / max(p.WPerK, 1e-3)}
		moved = e.moveDriver(&e.loops[i], int32(len(e.rooms)+i), &to, damp) || moved
	}
	// The water of each plant is a mass of its own: rooms and loops see it as it is, not as it will settle.
	for i := range e.waters {
		p := &e.b.plants[i]
		if e.stands(&e.waters[i], p.SupplyC, 1) {
			continue
		}
		heatJPerK := e.waterJPerK(i)
		to := settling{endC: p.SupplyC, phi: 1, tauS: heatJPerK / max(p.WPerK, 1e-3)}
		w := &e.waters[i]
		if !p.Held {
			e.coupleWater(i, &to)
		}
		if e.moveDriver(w, int32(len(e.rooms)+len(e.loops)+i), &to, damp) {
			e.b.waterC[i], e.b.changed, moved = w.appliedC, true, true
		}
	}
	return moved
}

// coupleWater couples a plant's water to the loops and rooms behind it that follow it. While they lag, their own
// mass takes part of the heat that the plant was solved for; a held one passes its heat on whatever the water.
func (e *engine) coupleWater(i int, to *settling) {
	b, f := &e.b, e.fac
	heatJPerK := e.waterJPerK(i)
	var mass, pull, lagW float64
	add := func(d *driver, supplyC, wPerK, jPerK float64) {
		mass += jPerK
		pull += wPerK
		lagW += wPerK * (d.path.At(e.now) - supplyC)
	}
	for j := range f.Cooling.Loops {
		if p := &b.loops[j]; f.Cooling.Loops[j].Plant == i && !p.Held && p.WPerK > 0 {
			add(&e.loops[j], p.SupplyC, p.WPerK, f.Cooling.Loops[j].HeatJPerK())
		}
	}
	for j := range f.Cooling.Rooms {
		if p, r := &b.rooms[j], &f.Cooling.Rooms[j]; r.Plant == i && !p.Held && p.WPerK > 0 {
			add(&e.rooms[j], p.SupplyC, p.WPerK, r.HeatJPerK(b.airPa))
		}
	}
	if pull <= 0 || mass <= 0 || heatJPerK <= 0 {
		return
	}
	to.pair = thermal.Pair{AirJPerK: heatJPerK, StructureJPerK: mass, WPerK: pull}
	to.pullWPerK = max(b.plants[i].WPerK, 1e-3)
	to.behindC, to.hasBehind = b.waterC[i]+lagW/pull, true
}

// settling is where a room or loop goes, and how.
type settling struct {
	endC, phi, tauS float64
	pair            thermal.Pair // of a room whose structure is a mass of its own
	pullWPerK       float64      // with which the pair is pulled to endC; 0: the air goes alone, with tauS
	behindC         float64      // where the second mass stands, if that is known afresh
	hasBehind       bool
}

// relax starts a driver's path, and that of its structure, to where it settles.
func (e *engine) relax(d *driver, nowC float64, to *settling) {
	if e.now == 0 { // the run starts settled
		d.path, d.mass = thermal.Still(to.endC), thermal.Still(to.endC)
		return
	}
	massC := d.mass.At(e.now)
	if to.hasBehind {
		massC = to.behindC
	}
	switch {
	case to.pullWPerK > 0:
		d.path, d.mass = to.pair.Relax(e.now, nowC, massC, to.endC, to.pullWPerK)
	case to.pair.WPerK > 0:
		d.path = thermal.Relax(e.now, nowC, to.endC, to.tauS)
		d.mass = thermal.Relax(e.now, massC, to.endC, to.pair.StructureJPerK/to.pair.WPerK)
	default:
		d.path = thermal.Relax(e.now, nowC, to.endC, to.tauS)
	}
}

// toleranceK is by how much the target of a driver may move before what follows it is told. Rooms and loops follow water,
// servers follow rooms and loops: water gets a quarter of run.tolerance and they get the rest.
func (e *engine) toleranceK(d *driver) float64 {
	const waterShare = 0.25
	if len(d.servers) == 0 {
		return e.cfg.ToleranceK * waterShare
	}
	return e.cfg.ToleranceK * (1 - waterShare)
}

// stands says whether a driver needs no look: it goes where it went, has no step before it and its servers know.
func (e *engine) stands(d *driver, endC, phi float64) bool {
	tol := e.toleranceK(d)
	return !d.stepping && e.now > 0 && math.Abs(d.path.EndC-endC) <= 1e-9 && math.Abs(endC-d.appliedC) <= tol && math.Abs(endC-d.endC) <= tol &&
		math.Abs(phi-d.phi) <= phiStep && (phi > 0 || d.phi == 0)
}

func (e *engine) moveDriver(d *driver, id int32, to *settling, damp bool) bool {
	endC, phi := to.endC, to.phi
	nowC := d.path.At(e.now)
	if e.now == 0 {
		nowC = endC
	}
	if math.Abs(d.path.EndC-endC) > 1e-9 || e.now == 0 {
		e.m.driver(e, int(id), d)
		e.relax(d, nowC, to)
		e.m.driverSet(e, int(id), d)
	}
	apply := endC
	halfK := driverStepK / 2
	if int(id) >= len(e.rooms)+len(e.loops) {
		halfK = waterStepK / 2
	}
	onStep := d.stepping && math.Abs(nowC-d.appliedC) < halfK
	if d.stepping {
		e.queue.Remove(d.step)
		d.stepping = false
	}
	if far := endC - nowC; math.Abs(far) > halfK {
		half := math.Copysign(halfK, far)
		apply = nowC + half
		if onStep && (endC-d.appliedC)*far > 0 { // still within the step its servers were settled for
			apply = d.appliedC
		}
		level := apply + half
		if math.Abs(endC-apply) <= halfK { // the last step ends where the driver settles
			level = apply
		}
		if at, ok := d.path.Reach(level, far > 0, e.now, e.cfg.LengthNS); ok {
			d.step, d.stepping = e.push(max(at, e.now+1), evDriver, id)
		}
	}
	phi = min(max(phi, 0), 1)
	tol := e.toleranceK(d)
	if math.Abs(apply-d.appliedC) <= tol && math.Abs(endC-d.endC) <= tol && math.Abs(phi-d.phi) <= phiStep && !(phi == 0 && d.phi != 0) {
		return false
	}
	if damp {
		e.approx.damped++
		apply, phi = (apply+d.appliedC)/2, (phi+d.phi)/2
	}
	d.appliedC, d.endC, d.phi = apply, endC, phi
	if d.isLoop {
		d.drifted = true // settleServers asks its classes first
	} else {
		for _, i := range d.servers {
			e.mark(i)
		}
	}
	return len(d.servers) > 0 || int(id) >= len(e.rooms)+len(e.loops)
}

// driverOf is a room, a loop or a plant's water: they are numbered in this order.
func (e *engine) driverOf(id int) *driver {
	if id < len(e.rooms) {
		return &e.rooms[id]
	}
	if id -= len(e.rooms); id < len(e.loops) {
		return &e.loops[id]
	}
	return &e.waters[id-len(e.loops)]
}

// driverStep is a room, a loop or water that has drifted one step.
func (e *engine) driverStep(id int32) {
	e.driverOf(int(id)).stepping = false
	e.approx.driverStep++
	e.b.changed = true
}

// unsettled names the rooms and loops that still move.
func (e *engine) unsettled() string {
	var s []string
	for i := range e.rooms {
		s = append(s, fmt.Sprintf("room %s: %.2f °C applied, %.2f °C settled", e.fac.Cooling.Rooms[i].Name, e.rooms[i].appliedC, e.b.rooms[i].SupplyC))
	}
	for i := range e.loops {
		s = append(s, fmt.Sprintf("loop %s: %.2f °C applied, %.2f °C settled", e.fac.Cooling.Loops[i].Name, e.loops[i].appliedC, e.b.loops[i].SupplyC))
	}
	return strings.Join(s, "; ")
}
