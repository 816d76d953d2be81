package sim

import (
	"fmt"
	"math"

	"headroom/facility"
	"headroom/sim/event"
	"headroom/sim/thermal"
)

// slotShare is what one job has on one server.
type slotShare struct {
	job      int32
	gpus     int32
	milli    int32 // thousandths of the GPU at slot; 0: whole GPUs
	slot     int32
	activity float64
}

// server is the state of one placed server. A large hall's don't fit in the cache, and every job that starts or ends visits
// its own: what belongs to few of them is kept elsewhere.
type server struct {
	m    *facility.Model
	rack int32
	room int32
	loop int32 // -1 for air builds

	overRec, overAllow bool // its inlet is outside the ranges
	mode               thermal.Mode
	evOn               bool
	failed             bool  // in repair
	drawn              bool  // failed at random: its next failure is drawn when it is back
	booting            bool  // its power is back, it isn't yet
	dark               bool  // no live feed, or too few supplies
	tripping           bool  // on its way down for its air inlet
	out                int32 // taken out by scripted losses
	cut                int32 // lost leaf switches that it hangs on
	busy               int32 // busy GPUs that the meters hold
	slowed             int32 // of these, on a limit

	load   thermal.Load
	jobs   []slotShare
	one    [1]slotShare     // holds jobs while there is one
	set    *thermal.Settled // where it settles: its own, or its class's
	own    *thermal.Settled
	class  *class  // nil: it is settled by itself
	inletC float64 // air inlet, 0 while it is down

	lastNS  int64 // accounted up to here
	energyJ float64
	comp    float64 // compensation of energyJ
	classJ  float64 // energy of a member of its class when this one was last accounted

	path thermal.Path // worst slot; over its class's where it has one
	ev   event.ID

	wallCap   float64 // at the cord, from the scenario
	feedCap   float64 // at the cord, while supplies are short
	domainCap float64 // at the cord, its part of a cap over many servers

	// Where it draws its air, with the recirculation at the share phi; the air itself is the room's.
	inlet thermal.Inlet
	phi   float64 // NaN: not known yet
}

// capW is the least of the caps at the cord.
func (s *server) capW() float64 { return min(s.domainCap, min(s.wallCap, s.feedCap)) }

func (s *server) up() bool { return !s.failed && !s.dark && s.out == 0 }

// able says whether the server takes jobs.
func (s *server) able() bool { return s.up() && !s.booting && s.cut == 0 }

// rack is the state of one rack.
type rack struct {
	servers    []int32
	consumer   int     // in the power flow
	itW        float64 // asked for
	meteredW   float64 // of it, what the row's meter has
	inletC     float64 // warmest inlet among its servers, NaN when none is up
	overRec    int     // servers outside the recommended range
	overAllow  int     // and outside the allowable one
	counted    uint8   // whether the hall's counts of racks hold it: 1 recommended, 2 allowable
	cooled     bool    // its warmest server has cooled
	lastNS     int64
	inletSum   float64 // ∫ inlet dt, s·°C
	inletS     float64 // time with a figure
	peakW      float64
	baseJ      float64 // energy of its servers at the end of the warm-up
	inletMaxC  float64
	gpuMaxC    float64
	throttledS float64             // GPU-seconds
	slowedS    [SlowCauses]float64 // GPU-seconds below full clock, by cause
	recS       float64
	allowS     float64
	seen       bool
	hot        bool    // in engine.hot
	stale      bool    // itW has to be summed anew
	oneLoop    bool    // all its servers are on one loop
	drift      int64   // engine.drifts when that loop last drifted
	topC       float64 // no GPU of the rack stands above
}

func (e *engine) initServers() {
	n := len(e.lay.Servers)
	e.srv = make([]server, n)
	e.isDirty = make([]bool, n)
	e.known = make([][2]memo, n)
	owns := make([]thermal.Settled, n)
	for i := range e.lay.Servers {
		p := &e.lay.Servers[i]
		m := &e.fac.Models[p.Model]
		r := &e.fac.Racks[p.Rack]
		s := &e.srv[i]
		*s = server{m: m, rack: int32(p.Rack), room: int32(r.Room), loop: -1, wallCap: m.ServerCapW, feedCap: math.Inf(1), domainCap: math.Inf(1), path: thermal.Still(math.NaN()), phi: math.NaN()}
		s.inlet.Height = (float64(p.U-1)+float64(m.HeightU)/2)/float64(max(r.HeightU, 1)) - 0.5
		s.inlet.GradientK = e.paths[r.Room].GradientK(e.slot[p.Rack])
		s.jobs, s.own = s.one[:0], &owns[i]
		if m.Liquid {
			s.loop = int32(r.Loop)
		}
		s.set = s.own
		e.racks[p.Rack].servers = append(e.racks[p.Rack].servers, int32(i))
		e.rooms[s.room].servers = append(e.rooms[s.room].servers, int32(i))
		if s.loop >= 0 {
			e.loops[s.loop].servers = append(e.loops[s.loop].servers, int32(i))
		}
	}
	for i := range e.racks {
		rk := &e.racks[i]
		rk.oneLoop = true
		for _, k := range rk.servers {
			rk.oneLoop = rk.oneLoop && e.srv[k].loop >= 0
		}
	}
	for i := range e.srv {
		e.mark(int32(i))
	}
}

// settleServers settles every marked server and what depends on it.
func (e *engine) settleServers() {
	for i := range e.loops {
		if d := &e.loops[i]; d.drifted {
			e.drift(d)
		}
	}
	for _, i := range e.dirty {
		e.isDirty[i] = false
		e.settleServer(i)
	}
	e.dirty = e.dirty[:0]
	e.m.inletsMoved(e)
}

// breathe brings where a server draws its air up to date with its room.
func (e *engine) breathe(s *server) {
	room := &e.rooms[s.room]
	s.inlet.AirC = room.appliedC
	if s.phi != room.phi {
		share, capped := e.paths[s.room].Share(e.slot[s.rack], room.phi)
		if capped {
			e.b.capped[s.room]++
		}
		s.inlet.Recirc = share / (1 - share)
		s.phi = room.phi
	}
}

func (e *engine) env(s *server) thermal.Env {
	e.breathe(s)
	env := thermal.Env{
		Inlet:     s.inlet,
		RhoCp:     e.b.rhoCp,
		FanMax:    e.cfg.FanMaxShare,
		WallCapW:  s.capW(),
		Unlimited: e.cfg.Unlimited,
	}
	if s.loop >= 0 {
		l := &e.loops[s.loop]
		env.CoolantC, env.FlowShare = l.appliedC, l.phi
	}
	return env
}

// memo is a settled state that is known already: most servers go back and forth between a few loads while
// what surrounds them stands still.
type memo struct {
	m    *facility.Model
	load thermal.Load
	env  thermal.Env
	mode thermal.Mode
	set  thermal.Settled
}

func (k *memo) is(m *facility.Model, l *thermal.Load, env *thermal.Env, mode thermal.Mode) bool {
	return k.m == m && k.mode == mode && k.load == *l && k.env == *env
}

// loopMemos is how many settled states a loop remembers.
const loopMemos = 16

// settleIn settles a server in its surroundings. Servers on one loop with one load settle alike but for
// their inlet air, which cools none of their GPUs.
func (e *engine) settleIn(i int32, s *server, env *thermal.Env, mode thermal.Mode) thermal.Settled {
	guess := s.set.RiseK
	if s.loop < 0 {
		k := &e.known[i][min(s.load.Busy, 1)]
		if !k.is(s.m, &s.load, env, mode) {
			*k = memo{m: s.m, load: s.load, env: *env, mode: mode}
			in := *env
			in.RiseK = guess
			k.set = thermal.Settle(s.m, s.load, &in, mode)
		}
		return k.set
	}
	key := withoutAir(env)
	set := *e.settleOnLoop(s, &key, mode)
	set.InletC = env.InletC(set.RiseK)
	return set
}

// withoutAir is what a server on a loop settles in but for its inlet air.
func withoutAir(env *thermal.Env) thermal.Env {
	key := *env
	key.Inlet = thermal.Inlet{}
	return key
}

// settleOnLoop settles a server on a loop, or remembers where such a one did.
func (e *engine) settleOnLoop(s *server, key *thermal.Env, mode thermal.Mode) *thermal.Settled {
	d := &e.loops[s.loop]
	for i := range d.known {
		if k := &d.known[i]; k.is(s.m, &s.load, key, mode) {
			return &k.set
		}
	}
	k := &d.known[d.nextKnown]
	d.nextKnown = (d.nextKnown + 1) % loopMemos
	*k = memo{m: s.m, load: s.load, env: *key, mode: mode, set: thermal.Settle(s.m, s.load, key, mode)}
	return &k.set
}

// drive returns what a server's hottest temperature follows: its loop if it has one, else its room.
func (e *engine) drive(s *server) *driver {
	if s.loop >= 0 {
		return &e.loops[s.loop]
	}
	return &e.rooms[s.room]
}

func (e *engine) settleServer(i int32) {
	s := &e.srv[i]
	e.account(s)
	e.approx.settled++
	nowC := s.dieC(e.now)
	was, wasMode, wasInletC := s.set, s.mode, s.inletC
	var old thermal.Settled
	if c := s.class; c == nil || c.n == 1 { // what it was may be written over
		old = *was
		was = &old
	}
	if c := s.class; c != nil {
		c.advance(e.now)
		c.n--
		s.class = nil
	}
	if !s.up() {
		*s.own, s.inletC, s.mode = thermal.Settled{}, 0, thermal.Free
		s.set, s.path = s.own, thermal.Still(math.NaN())
		e.cancelThermal(s)
	} else {
		e.settleUp(i, s, nowC)
	}
	if wasMode != thermal.Free && s.mode == thermal.Free {
		e.note("throttle end", e.lay.Servers[i].ID, "")
	}
	e.watchInlet(i, s)
	e.b.add(e, s, was, s.set)
	if s.set.Clock != was.Clock || s.set.CapClock != was.CapClock {
		for _, sh := range s.jobs {
			e.js.markRate(sh.job)
		}
	}
	e.m.moved(s, was, wasInletC)
	rk := &e.racks[s.rack]
	if s.up() {
		rk.topC = max(rk.topC, s.dieBoundC())
	}
	if s.inletC != wasInletC || (s.set.WallW > 0) != (was.WallW > 0) {
		e.m.inletMoved(e, s, wasInletC)
	}
}

// watchInlet stops a server whose inlet is too warm for what is cooled by air in it, though its GPUs may be cold. It goes
// at the next instant.
func (e *engine) watchInlet(i int32, s *server) {
	if s.inletC > s.m.AirTripC && s.up() && !s.tripping {
		s.tripping = true
		e.push(e.now+1, evAirTrip, i)
	}
}

// settleUp settles a server that is up and stands at nowC: with its class where no limit is near, else by itself.
func (e *engine) settleUp(i int32, s *server, nowC float64) {
	fresh := math.IsNaN(nowC) || e.now == 0 // just came up, or the run starts: it begins where it settles
	if s.loop >= 0 && s.mode == thermal.Free {
		e.breathe(s)
		if c := e.classOf(s); c != nil && e.join(s, c, nowC, fresh) {
			s.inletC = s.inlet.InletC(c.set.RiseK)
			e.cancelThermal(s)
			return
		}
	}
	inEnv := e.env(s)
	env := &inEnv
	s.set = s.own
	*s.set = e.settleIn(i, s, env, thermal.Free)
	if fresh {
		nowC = min(s.set.WorstC, s.set.LimitC)
	}
	s.mode = e.nextMode(s, nowC, s.set.WorstC, s.set.LimitC)
	if s.mode != thermal.Free {
		*s.set = e.settleIn(i, s, env, s.mode)
	}
	s.inletC = s.set.InletC
	e.followPath(i, s, nowC, fresh)
}

// nextMode is the clock controller: what holds now, and whether it still does.
func (e *engine) nextMode(s *server, nowC, freeC, limitC float64) thermal.Mode {
	if e.cfg.Unlimited || s.load.Busy == 0 {
		return thermal.Free
	}
	switch {
	case s.mode == thermal.Slow && nowC >= limitC-releaseK: // released by temperature alone
		return thermal.Slow
	case nowC >= s.m.SlowC-onLimitK && freeC > limitC:
		return thermal.Slow
	case nowC >= limitC-onLimitK && freeC > limitC:
		return thermal.Held
	case s.mode == thermal.Held && freeC > limitC:
		return thermal.Held
	}
	return thermal.Free
}

// followPath lets the worst slot relax from nowC to where the server settles, and schedules the next limit
// it reaches on the way.
func (e *engine) followPath(i int32, s *server, nowC float64, fresh bool) {
	d := e.drive(s)
	end, offset := e.follows(d, s.set.WorstC)
	if s.mode == thermal.Held && s.set.WorstC <= s.set.LimitC+0.01 {
		// The controller holds the limit whatever the driver does within its step.
		s.path = thermal.Relax(e.now, nowC, s.set.LimitC, s.set.TauS)
		e.cancelThermal(s)
		return
	}
	if fresh {
		nowC = min(end+offset, s.set.LimitC)
	}
	s.path = thermal.Follow(e.now, nowC, end, s.set.TauFrom(s.m, nowC), offset, d.path.LocalTau(e.now))
	e.scheduleThermal(i, s)
}

func (e *engine) cancelThermal(s *server) {
	if s.evOn {
		e.queue.Remove(s.ev)
		s.evOn = false
	}
}

// scheduleThermal schedules the next limit on the server's path.
func (e *engine) scheduleThermal(i int32, s *server) {
	e.cancelThermal(s)
	if e.cfg.Unlimited {
		return
	}
	level := s.set.LimitC
	switch {
	case s.load.Busy == 0: // nothing to slow: it stands until it shuts down
		level = s.m.ShutC
	case s.mode == thermal.Held:
		level = s.m.SlowC
	case s.mode == thermal.Slow:
		level = s.m.ShutC
	}
	from := e.now
	if s.mode != thermal.Slow && s.path.Bound() < level {
		return
	}
	if s.mode != thermal.Slow && s.path.At(from) >= level-onLimitK {
		// On the limit, yet settled below it: the driver is on its way there, and its next step tells.
		return
	}
	at, ok := s.path.Reach(level, true, from, e.cfg.LengthNS)
	if s.mode == thermal.Slow {
		if down, okDown := s.path.Reach(s.set.LimitC-releaseK, false, from, e.cfg.LengthNS); okDown && (!ok || down < at) {
			at, ok = down, true
		}
	}
	if !ok {
		return
	}
	if at <= e.now { // already there: the next instant, so that the clock moves
		at = e.now + 1
	}
	s.ev, s.evOn = e.push(at, evThermal, i)
}

// thermalEvent is a server that reaches the limit its path was watched for.
func (e *engine) thermalEvent(i int32) {
	s := &e.srv[i]
	s.evOn = false
	if !s.up() {
		return
	}
	c := s.dieC(e.now)
	e.m.gpuMax(e, s, c)
	const nearK = 0.01
	switch {
	case c >= s.m.ShutC-nearK && (s.mode == thermal.Slow || s.load.Busy == 0):
		e.note("shutdown", e.lay.Servers[i].ID, fmt.Sprintf("GPU at %.1f °C", c))
		e.incident(shutDown)
		e.stop(i, "thermal shutdown", tripRestartS)
		return
	case c >= s.m.SlowC-nearK && s.mode == thermal.Held:
		s.mode = thermal.Slow
		e.note("hw slowdown", e.lay.Servers[i].ID, fmt.Sprintf("GPU at %.1f °C", c))
	case c >= s.set.LimitC-nearK && s.mode == thermal.Free && s.load.Busy > 0:
		s.mode = thermal.Held
		e.approx.held++ // the clock that holds the limit is the mean of the cycle that a controller would go through
		what := "GPU"
		if s.set.LimitC < s.m.LimitC {
			what = "memory at its limit, GPU"
		}
		e.note("throttle start", e.lay.Servers[i].ID, fmt.Sprintf("%s at %.1f °C, inlet %.1f °C", what, c, s.inletC))
	case s.mode == thermal.Slow:
		s.mode = thermal.Held
	}
	e.mark(i)
}

// account integrates a server's own meter and histograms up to now; its power was constant since.
func (e *engine) account(s *server) {
	dt := float64(e.now-s.lastNS) / thermal.Second
	if dt <= 0 {
		return
	}
	if s.up() {
		if c := s.class; c != nil {
			c.advance(e.now)
			j := c.energyJ + c.comp
			addTo(&s.energyJ, &s.comp, j-s.classJ)
			s.classJ = j
		} else {
			addTo(&s.energyJ, &s.comp, s.set.WallW*dt)
			e.m.gpuHist.Add(min(s.set.MeanC, s.m.ShutC), dt*float64(s.m.GPUs))
		}
		e.m.server(e, s, dt)
	}
	s.lastNS = e.now
}

// setDark follows a rack's feeds: without a live feed, or with too few supplies for a model that then
// stops, servers go dark and their jobs fail; degraded ones are capped.
func (e *engine) setDark(ri int) {
	rk := &e.racks[ri]
	feeds := e.fac.Racks[ri].Feeds
	live := len(feeds)
	if len(feeds) > 0 {
		live = e.b.flow.LiveFeeds(rk.consumer)
	}
	for _, i := range rk.servers {
		s := &e.srv[i]
		dark, capW := false, math.Inf(1)
		if len(feeds) > 0 {
			supplies := s.m.PSUs * live / len(feeds)
			switch {
			case live == 0 || supplies == 0:
				dark = true
			case supplies < s.m.PSUNeeded && s.m.ShortRule == "off":
				dark = true
			case supplies < s.m.PSUNeeded:
				capW = float64(s.m.NameplateW) * s.m.ShortCap
			}
		}
		if dark != s.dark || capW != s.feedCap {
			e.alter(i, func(s *server) { s.dark, s.feedCap = dark, capW })
		}
	}
}

// alter changes a server's state; one that goes down loses its jobs.
func (e *engine) alter(i int32, change func(*server)) {
	s := &e.srv[i]
	e.account(s)
	was, wasDark := s.able(), s.dark
	change(s)
	if s.dark != wasDark {
		e.m.dark += flag(s.dark) - flag(wasDark)
		if s.booting = !s.dark; s.booting {
			e.boot(i)
		} else {
			e.incident(wentDark)
		}
	}
	if is := s.able(); is != was {
		if was {
			e.dropJobs(i)
		}
		e.js.cluster.SetUp(int(i), is)
	}
	e.mark(i)
}

// addTo adds x to a compensated sum, by Knuth's two-sum.
func addTo(sum, comp *float64, x float64) {
	t := *sum + x
	y := t - *sum
	*comp += (*sum - (t - y)) + (x - y)
	*sum = t
}
