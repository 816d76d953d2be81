package sim

import (
	"fmt"
	"math/rand/v2"

	"headroom/sim/rng"
	"headroom/sim/thermal"
)

// failures draws when servers fail and how long their repair takes, one stream a server, so that adding
// a server shifts no other draw.
type failures struct {
	stream []*rand.Rand
}

const dayS = 86400

func (e *engine) initFailures() {
	e.m.fail.stream = make([]*rand.Rand, len(e.srv))
	if e.cfg.Failures.ServerPerNodeDay <= 0 {
		return
	}
	for i := range e.srv {
		e.nextFailure(int32(i))
	}
}

func (e *engine) draw(i int32) *rand.Rand {
	if e.m.fail.stream[i] == nil {
		e.m.fail.stream[i] = rng.New(e.cfg.Seed, 0, "failure", e.lay.Servers[i].ID)
	}
	return e.m.fail.stream[i]
}

func (e *engine) nextFailure(i int32) {
	perS := e.cfg.Failures.ServerPerNodeDay / dayS
	if perS <= 0 {
		return
	}
	at := float64(e.now) + e.draw(i).ExpFloat64()/perS*thermal.Second
	if at < float64(e.cfg.LengthNS) {
		e.push(int64(at), evFail, i)
	}
}

// fail loses a server at random: its jobs go back to the queue or are lost, and it is repaired or swapped.
func (e *engine) fail(i int32, why string) {
	if e.srv[i].failed { // it is down already
		e.nextFailure(i)
		return
	}
	e.incident(failedAtRandom)
	e.srv[i].drawn = true
	f := &e.cfg.Failures
	repairS := repair(e.draw(i), f.RepairS, f.RepairP95S)
	if e.spares > 0 { // a server from the store takes its place; this one goes there when it is repaired
		e.spares--
		e.pushAfter(repairS, evSpare, 0)
		why, repairS = why+", swapped", f.SwapS
	}
	e.stop(i, why, repairS)
}

// stop takes a server down until it is repaired.
func (e *engine) stop(i int32, why string, repairS float64) {
	if e.srv[i].failed {
		return
	}
	e.alter(i, func(s *server) { s.failed = true })
	e.note("server down", e.lay.Servers[i].ID, fmt.Sprintf("%s, back in %.1f h", why, repairS/3600))
	e.pushAfter(repairS, evRepair, i)
}

// pushAfter schedules an event some seconds from now, unless that lies beyond the run.
func (e *engine) pushAfter(s float64, kind uint8, entity int32) {
	if at := float64(e.now) + s*thermal.Second; at < float64(e.cfg.LengthNS) {
		e.push(int64(at), kind, entity)
	}
}

func (e *engine) repair(i int32) {
	if s := &e.srv[i]; !s.drawn && e.rooms[s.room].path.At(e.now) > s.m.AirTripC-restartBelowK {
		e.pushAfter(tripRestartS, evRepair, i) // nobody starts a server in air that stopped it
		return
	}
	e.alter(i, func(s *server) { s.failed = false })
	e.note("server up", e.lay.Servers[i].ID, "")
	if e.srv[i].drawn {
		e.srv[i].drawn = false
		e.nextFailure(i)
	}
}

// lose applies a scripted loss; restore ends it.
func (e *engine) lose(k int) {
	l := &e.losses[k]
	e.note("lost", l.Name, fmt.Sprintf("%d units", l.Units))
	if l.ForNS > 0 {
		e.push(e.now+l.ForNS, evRestore, int32(k))
	}
	e.change(l, -1)
}

func (e *engine) restore(k int) {
	l := &e.losses[k]
	e.note("restored", l.Name, "")
	e.change(l, +1)
}

// change takes units of a part away (sign −1) or gives them back (+1).
func (e *engine) change(l *Loss, sign int) {
	b := &e.b
	b.changed = true
	switch l.Part {
	case RoomUnit:
		b.roomUp[l.Index] = shift(b.roomUp[l.Index], sign*l.Units, e.fac.Cooling.Rooms[l.Index].Units)
	case LoopUnit:
		b.loopUp[l.Index] = shift(b.loopUp[l.Index], sign*l.Units, e.fac.Cooling.Loops[l.Index].CDUs)
	case PlantUnit:
		b.plantUp[l.Index] = shift(b.plantUp[l.Index], sign*l.Units, e.fac.Cooling.Plants[l.Index].Spec().Units)
	case PlantHeat:
		if b.stalled == nil {
			b.stalled = make([]bool, len(b.plants))
		}
		b.stalled[l.Index] = sign < 0
	case PowerUnit:
		e.powerUp[l.Index] += sign * l.Units
		e.rewire(l.Index)
	case RackPart:
		for _, i := range e.racks[l.Index].servers {
			e.takeOut(i, sign, l.Planned)
		}
	case ServerPart:
		e.takeOut(int32(l.Index), sign, l.Planned)
	case NetLeaf:
		n := e.cfg.Failures.Net
		for k := l.Index; k < min(l.Index+l.Units, n.Leaves(len(e.srv))); k++ {
			group := k / n.Switches
			for i := group * n.Servers; i < min((group+1)*n.Servers, len(e.srv)); i++ {
				e.cutOff(int32(i), sign, l.Planned)
			}
		}
	}
}

// takeOut takes a server out of service, or puts it back. Before planned work its jobs save what they did.
func (e *engine) takeOut(i int32, sign int, planned bool) {
	e.saveJobs(i, planned && sign < 0)
	e.alter(i, func(s *server) { s.out -= int32(sign) })
}

// cutOff takes a server off the network, or puts it back: it draws idle power and takes no jobs meanwhile.
func (e *engine) cutOff(i int32, sign int, planned bool) {
	e.saveJobs(i, planned && sign < 0)
	if s := &e.srv[i]; s.cut == 0 && sign < 0 {
		e.incident(cutOff)
	}
	e.alter(i, func(s *server) { s.cut -= int32(sign) })
}

// saveJobs has the jobs on a server save what they did, if they are told.
func (e *engine) saveJobs(i int32, told bool) {
	if told {
		for _, sh := range e.srv[i].jobs {
			t := &e.js.table[sh.job]
			e.progress(t)
			t.savedS = t.remainS
		}
	}
}

// shift keeps a count of units within what is installed; overlapping losses of more than that many are one.
func shift(up, by, installed int) int { return min(max(up+by, 0), installed) }
