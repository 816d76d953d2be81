package sim

import (
	"math"

	"headroom/facility"
	"headroom/sim/thermal"
)

// Servers of one loop that carry the same load settle alike, and what their coolant does they all do. They are one
// class: its temperature follows the loop, theirs is held relative to it, and a loop that drifts costs one step a class
// and not one a server. Members run free and no limit is within their reach; a class for which that stops to be true is
// broken up, and its members are settled one by one.
type class struct {
	m    *facility.Model
	load thermal.Load
	room int32
	capW float64     // at the cord
	env  thermal.Env // in which it settled, without air

	set  thermal.Settled
	path thermal.Path // worst slot of one that has long been a member
	n    int

	// What the servers of one job ask for one after the other: path at atNS, and with what time constant a member comes
	// to it that stands at fromC.
	atNS        int64
	atC         float64
	fromC, tauS float64

	lastNS        int64   // integrated up to here
	energyJ, comp float64 // of one member, since the class began
	memberS       float64 // member-seconds that are not in the histogram yet

	leadK  float64 // at leadNS, and less since, no member was warmer than path by more
	leadNS int64
	nowC   float64 // path at the last drift, and
	boundC float64 // what it did not exceed from then on
	riseK  float64 // exhaust rise at which its members' inlets were taken, within staleRiseK
}

const (
	// maxClasses bounds the classes of a loop; what finds no place is settled by itself.
	maxClasses = 32
	// staleRiseK is by how much the exhaust rise of a class may move before its members' inlets are taken again:
	// recirculation of a tenth makes less than run.tolerance of it.
	staleRiseK = 0.25
)

// goTo gives a class its state from now on.
func (c *class) goTo(set *thermal.Settled, path *thermal.Path) {
	c.set, c.path = *set, *path
	c.atNS, c.fromC = -1, math.NaN()
}

// at is where path stands.
func (c *class) at(ns int64) float64 {
	if c.atNS != ns {
		c.atNS, c.atC = ns, c.path.At(ns)
	}
	return c.atC
}

// tauFrom is the time constant with which a member comes to the class that stands leadK above where it settles.
func (c *class) tauFrom(leadK float64) float64 {
	if nowC := c.set.WorstC + leadK; c.fromC != nowC {
		c.fromC, c.tauS = nowC, c.set.TauFrom(c.m, nowC)
	}
	return c.tauS
}

// level is the temperature that would slow or stop a member.
func (c *class) level() float64 {
	if c.load.Busy == 0 {
		return c.m.ShutC
	}
	return c.set.LimitC
}

// advance integrates up to now.
func (c *class) advance(now int64) {
	if c.n > 0 {
		dt := float64(now-c.lastNS) / thermal.Second
		addTo(&c.energyJ, &c.comp, c.set.WallW*dt)
		c.memberS += float64(c.n) * dt
	}
	c.lastNS = now
}

// flushClass puts what a class has been into the histogram of its GPUs.
func (e *engine) flushClass(c *class) {
	c.advance(e.now)
	e.m.gpuHist.Add(min(c.set.MeanC, c.m.ShutC), c.memberS*float64(c.m.GPUs))
	c.memberS = 0
}

// leads notes that a member is leadK warmer than its class.
func (c *class) leads(now int64, leadK float64) {
	if leadK > 0 {
		c.leadK, c.leadNS = max(c.leadK, leadK), now
	}
}

// lead is a bound on how much warmer than its class a member is.
func (c *class) lead(now int64) float64 {
	if c.leadK == 0 {
		return 0
	}
	return c.leadK * math.Exp(-float64(now-c.leadNS)/thermal.Second/c.set.TauS)
}

// dieC is the worst slot of a server.
func (s *server) dieC(ns int64) float64 {
	c := s.path.At(ns)
	if s.class != nil {
		c += s.class.at(ns)
	}
	return c
}

// dieBoundC is a temperature that the worst slot never exceeds on its present path.
func (s *server) dieBoundC() float64 {
	c := s.path.Bound()
	if s.class != nil {
		c += s.class.path.Bound()
	}
	return c
}

// dieNow is the worst slot of a server, and what it never exceeds from now on.
func (s *server) dieNow(ns int64) (c, boundC float64) {
	c, boundC = s.path.Now(ns)
	if s.class != nil {
		k, kBound := s.class.path.Now(ns)
		c, boundC = c+k, boundC+kBound
	}
	return c, boundC
}

// classOf finds the class of a server's load on its loop, or makes one; nil if there is no room for it.
func (e *engine) classOf(s *server) *class {
	d, capW := &e.loops[s.loop], s.capW()
	var c *class
	for _, k := range d.classes {
		if k.m == s.m && k.load == s.load && k.room == s.room && k.capW == capW {
			c = k
			break
		}
	}
	if c != nil && c.n > 0 {
		return c
	}
	if c == nil && len(d.classes) < maxClasses {
		c = &class{}
		d.classes = append(d.classes, c)
	}
	for k := 0; c == nil; k++ {
		if k == len(d.classes) {
			return nil
		}
		if d.classes[k].n == 0 {
			c = d.classes[k]
		}
	}
	if c.m != nil {
		e.flushClass(c)
	}
	env := e.env(s)
	key := withoutAir(&env)
	set := c.set
	if c.m != s.m || c.load != s.load || c.room != s.room || c.env != key {
		*c = class{m: s.m, load: s.load, room: s.room, capW: capW, env: key}
		set = *e.settleOnLoop(s, &key, thermal.Free)
	}
	c.lastNS, c.riseK, c.leadK = e.now, set.RiseK, 0
	end, offset := e.follows(d, set.WorstC)
	path := thermal.Follow(e.now, end+offset, end, set.TauS, offset, d.path.LocalTau(e.now))
	c.goTo(&set, &path)
	return c
}

// follows is where something goes that settled at c under what its driver was applied as, and how far its driver is
// from its own end.
func (e *engine) follows(d *driver, c float64) (endC, offsetK float64) {
	return c + d.path.EndC - d.appliedC, d.path.At(e.now) - d.path.EndC
}

// join makes a server that runs free a member of its class, unless a limit is near. nowC is where it stands, fresh: where
// it settles.
func (e *engine) join(s *server, c *class, nowC float64, fresh bool) bool {
	leadK := 0.0
	if !fresh {
		leadK = nowC - c.at(e.now)
	}
	if !e.cfg.Unlimited && c.path.Bound()+max(leadK, 0) >= c.level() {
		return false
	}
	c.advance(e.now)
	c.n++
	c.leads(e.now, leadK)
	s.class, s.set = c, &c.set
	s.classJ = c.energyJ + c.comp
	s.path = thermal.Relax(e.now, leadK, 0, c.tauFrom(leadK))
	return true
}

// quit takes a server out of its class as it stands.
func (e *engine) quit(s *server) {
	c := s.class
	if c == nil {
		return
	}
	c.advance(e.now)
	c.n--
	nowC := s.dieC(e.now)
	s.class, *s.own = nil, c.set
	s.set = s.own
	s.path = thermal.Still(nowC)
}

// drift settles what is on a loop that has moved: its classes at once, the others one by one.
func (e *engine) drift(d *driver) {
	d.drifted = false
	for _, c := range d.classes {
		if c.n > 0 {
			e.driftClass(d, c)
		}
		c.nowC, c.boundC = c.path.Now(e.now)
	}
	m := &e.m
	bin := m.bin(m.gpuMax_, e.now)
	e.drifts++
	for _, i := range d.servers {
		s := &e.srv[i]
		rk := &e.racks[s.rack]
		if rk.drift != e.drifts {
			rk.drift, rk.stale = e.drifts, !rk.oneLoop
			e.touchRack(s.rack)
			if rk.oneLoop { // all that stand in it are asked again
				rk.topC, rk.itW = math.Inf(-1), 0
			}
		}
		c := s.class
		if c == nil {
			e.mark(i)
			if rk.oneLoop {
				rk.itW += s.set.WallW
			}
			continue
		}
		if rk.oneLoop {
			rk.itW += c.set.WallW
		}
		lead := 0.0
		if s.path.B > 0 {
			if lead = s.path.At(e.now); lead == 0 {
				s.path = thermal.Still(0) // nothing is left of it
			}
		}
		rk.topC = max(rk.topC, c.boundC+lead)
		if top := c.nowC + lead; top > rk.gpuMaxC || !(m.gpuMax_[bin] >= top) {
			m.gpuMax(e, s, s.dieC(e.now))
		}
	}
}

// driftClass settles a class anew, or breaks it up.
func (e *engine) driftClass(d *driver, c *class) {
	env := c.env
	env.CoolantC, env.FlowShare = d.appliedC, d.phi
	set := c.set
	if env != c.env { // else the loop goes elsewhere from where it is
		set = thermal.Settle(c.m, c.load, &env, thermal.Free)
	}
	nowC := c.at(e.now)
	end, offset := e.follows(d, set.WorstC)
	if e.now == 0 { // the run starts settled
		nowC = end + offset
	}
	path := thermal.Follow(e.now, nowC, end, set.TauFrom(c.m, nowC), offset, d.path.LocalTau(e.now))
	level := set.LimitC
	if c.load.Busy == 0 {
		level = c.m.ShutC
	}
	near := !e.cfg.Unlimited && path.Bound()+c.lead(e.now) >= level
	if near {
		for _, i := range d.servers {
			if s := &e.srv[i]; s.class == c {
				e.account(s)
				e.quit(s)
			}
		}
		return
	}
	if set.Clock != c.set.Clock || set.CapClock != c.set.CapClock {
		e.clocksOf(d, c)
	}
	if math.Abs(set.RiseK-c.riseK) > staleRiseK {
		e.inletsOf(d, c, set.RiseK)
	}
	e.flushClass(c)
	e.approx.classes++
	n := float64(c.n)
	e.b.addMany(c.room, d.index, n, &c.set, &set)
	e.m.moveAlike(c, n, &set)
	c.env = env
	c.goTo(&set, &path)
}

// clocksOf closes the accounts of a class's members at the clock they had and has their jobs rated anew.
func (e *engine) clocksOf(d *driver, c *class) {
	for _, i := range d.servers {
		s := &e.srv[i]
		if s.class != c {
			continue
		}
		e.account(s)
		for _, sh := range s.jobs {
			e.js.markRate(sh.job)
		}
	}
}

// inletsOf takes the inlets of a class's members anew at another exhaust rise.
func (e *engine) inletsOf(d *driver, c *class, riseK float64) {
	c.riseK = riseK
	for _, i := range d.servers {
		s := &e.srv[i]
		if s.class != c {
			continue
		}
		wasC := s.inletC
		e.breathe(s)
		inletC := s.inlet.InletC(riseK)
		if inletC == wasC {
			continue
		}
		e.account(s)
		s.inletC = inletC
		e.m.inletSum += inletC - wasC
		e.m.inletMoved(e, s, wasC)
		e.watchInlet(i, s)
	}
}

// moveAlike moves n members of a class in the sums over servers; their inlets don't change.
func (m *meters) moveAlike(c *class, n float64, is *thermal.Settled) {
	m.gpuSum += n * float64(c.m.GPUs) * (min(is.MeanC, c.m.ShutC) - min(c.set.MeanC, c.m.ShutC))
	m.computeW += n * (computeW(c.m, is) - computeW(c.m, &c.set))
	if is.Clock != c.set.Clock {
		m.clockSum += n * float64(c.load.Busy) * (is.Clock - c.set.Clock)
	}
}
