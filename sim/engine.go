package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim/event"
	"headroom/sim/metrics"
	"headroom/sim/thermal"
)

// Kinds of event, in the order in which those of one instant are applied: the building first, then heat,
// then ends of work, then new work, then looking at it all.
const (
	evWeather uint8 = iota
	evRestore
	evLoss
	evSupply // a battery is empty, a generator takes load
	evTrip
	evRepair
	evBoot  // a server whose power is back has started
	evSpare // a repaired server (entity 0) or unit of a part goes into the store
	evPart  // a unit of the building fails or is back
	evFail
	evDriver  // a room or a loop has drifted one step
	evCap     // a power cap begins to act
	evThermal // a server reaches a temperature limit
	evAirTrip // the air-cooled parts of a server stop it
	evJobEnd
	evProfile
	evService // a service is looked at: replicas, requests
	evRelease // a job that was held for its hour
	evArrival
	evWake // the scheduler has a job that waited long enough
	evWarm
	evSample
)

const (
	hourNS = int64(time.Hour)
	// driverStepK is how far a drifting room or loop goes before its servers are settled again; within one
	// step their power is that of its middle.
	driverStepK = 1.0
	// waterStepK is how far a plant's drifting water goes before the rooms and loops behind it are solved again; they
	// see it as it is in the middle of the step.
	waterStepK = 0.15
	// phiStep is the change of the delivered share of air or coolant that has servers settled again.
	phiStep = 0.002
	// onLimitK is how close to a limit counts as on it.
	onLimitK = 1e-6
	// releaseK is the hysteresis of the hardware slowdown below the software limit (assumed 3 K).
	releaseK = 3.0
	// dampAfter and giveUpAfter bound the passes that settle servers and building at one instant.
	dampAfter, giveUpAfter = 25, 200
)

// engine is one run. Entities are indices into its slices.
type engine struct {
	cfg *Config
	lay *placement.Layout
	fac *facility.Facility
	ctx context.Context

	graph *power.Graph // the facility's, or an unlimited one

	now   int64
	queue event.Queue
	count int64

	srv    []server
	racks  []rack
	rooms  []driver
	loops  []driver
	waters []driver            // of the plants
	paths  []*cooling.AirPaths // by room
	slot   []int               // rack → its index in its room's air path

	known   [][2]memo // settled states of air builds, idle and busy
	dirty   []int32
	isDirty []bool

	b       building
	carried carries
	m       meters
	js      jobs
	power   powerMeters

	services  []*service
	serviceOf []*service // by class, nil for one that isn't looked after

	supplies []supply
	breakers []breaker
	lines    *lines // nil where every load is even over the lines
	tripped  []bool // by node
	trips    int64
	caps     []capDomain

	units   []partUnit
	causes  []*rand.Rand // by server, what its failures are
	spares  int
	inStore []int // spare units, by part in Config.Failures.Parts

	incidents []incident

	losses []Loss // index is the entity of evLoss and evRestore
	log    []LogEntry
	logCut int64
	approx approximations
	rate   rates
	drifts int64   // of loops, that their servers were settled for
	hot    []int32 // racks whose power has to go into the flow
	seen   []int32 // racks with a server settled at this instant
	// Units that scripted losses have left of each power node; may go below 0 while they overlap.
	powerUp []int
}

// approximations are counted, never hidden.
type approximations struct {
	settled    int64 // servers settled by themselves
	classes    int64 // steps of classes of servers on a loop
	held       int64 // cycles of a controller about a temperature limit, each replaced by its mean
	driverStep int64 // steps of a drifting room or loop
	damped     int64 // passes in which a stiff coupling was damped
	power      int64 // iterations of cooling against power
	carried    int64 // answers of rooms, loops and plants taken between points of a grid
}

// Run simulates a placed building under a Config and returns what it answers. It is pure: the same
// layout and config give the same result. It stops early with ctx's error when ctx is done.
func Run(ctx context.Context, l *placement.Layout, c Config) (*Result, error) {
	e, err := newEngine(ctx, l, &c)
	if err != nil {
		return nil, err
	}
	if err := e.run(); err != nil {
		return nil, err
	}
	r := e.result()
	if c.Check {
		if err := e.checkTotals(r); err != nil {
			return nil, err
		}
	}
	if c.Twin {
		t := c
		t.Twin, t.Unlimited, t.Progress = false, true, nil
		twin, err := Run(ctx, l, t)
		if err != nil {
			return nil, fmt.Errorf("unlimited twin: %w", err)
		}
		r.Compute.ThroughputRatio = ratio(float64(r.Compute.GPUHoursEffective), float64(twin.Compute.GPUHoursEffective))
	}
	return r, nil
}

func newEngine(ctx context.Context, l *placement.Layout, c *Config) (*engine, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e := &engine{ctx: ctx, cfg: c, lay: l, fac: l.Facility}
	e.m.init(e)
	if err := e.initBuilding(); err != nil {
		return nil, err
	}
	e.initServers()
	e.initPowerMeters()
	e.spread()
	e.initSupplies()
	e.initBreakers()
	e.initCaps()
	e.initServices()
	e.initJobs()
	if err := e.initEvents(); err != nil {
		return nil, err
	}
	return e, nil
}

// initEvents schedules everything that is known before the run starts.
func (e *engine) initEvents() error {
	e.push(0, evWeather, 0)
	e.push(0, evProfile, 0)
	if e.cfg.SeriesStepNS < e.cfg.LengthNS {
		e.push(e.cfg.SeriesStepNS, evSample, 0)
	}
	for _, l := range e.cfg.Failures.Events {
		if l.AtNS >= e.cfg.LengthNS {
			continue
		}
		i := int32(len(e.losses))
		e.losses = append(e.losses, l)
		e.push(l.AtNS, evLoss, i)
	}
	e.initFailures()
	e.initParts()
	e.spares = e.cfg.Failures.Spares
	if e.cfg.WarmupNS > 0 {
		e.push(e.cfg.WarmupNS, evWarm, 0)
	}
	return nil
}

// push schedules an event unless it lies beyond the end of the run.
func (e *engine) push(at int64, kind uint8, entity int32) (event.ID, bool) {
	if at >= e.cfg.LengthNS {
		return 0, false
	}
	if at < e.now {
		panic(fmt.Sprintf("sim: event %d of %d scheduled at %d ns, in the past of %d ns", kind, entity, at, e.now))
	}
	return e.queue.Push(at, kind, entity), true
}

// run is the loop: all events of one instant are applied, then work is started, then the building is
// settled, then the next instant.
func (e *engine) run() error {
	defer e.m.flush() // of a run that is broken off, too
	for {
		at, ok := e.queue.NextAt()
		if !ok {
			break
		}
		e.advance(at)
		for ok && at == e.now {
			ev, _ := e.queue.Pop()
			e.count++
			e.apply(ev)
			at, ok = e.queue.NextAt()
		}
		e.dispatch()
		if err := e.settle(); err != nil {
			return err
		}
		e.m.read(e)
		if e.cfg.Check {
			if err := e.checkInvariants(); err != nil {
				return err
			}
		}
		if e.count&0xff == 0 { // one event may serve a minute of requests
			if err := e.ctx.Err(); err != nil {
				return err
			}
			if e.cfg.Progress != nil && e.count&0xfff == 0 {
				e.cfg.Progress(e.now)
			}
		}
	}
	for _, s := range e.js.streams {
		if err := s.Err(); err != nil {
			return err
		}
	}
	e.advance(e.cfg.LengthNS)
	e.finish()
	return e.ctx.Err()
}

// advance moves the clock; everything between two events is integrated in closed form.
func (e *engine) advance(to int64) {
	e.now = max(e.now, to)
}

func (e *engine) apply(ev event.Event) {
	switch ev.Kind {
	case evWeather:
		e.weather()
	case evLoss:
		e.lose(int(ev.Entity))
	case evRestore:
		e.restore(int(ev.Entity))
	case evBoot:
		e.alter(ev.Entity, func(s *server) { s.booting = false })
	case evSpare:
		if ev.Entity == 0 { // a server
			e.spares++
		} else {
			e.inStore[ev.Entity-1]++
		}
	case evPart:
		e.partEvent(ev.Entity)
	case evWarm:
		e.m.warm(e)
	case evSupply:
		e.supplyEvent(ev.Entity)
	case evTrip:
		e.tripEvent(ev.Entity)
	case evCap:
		e.capEvent(ev.Entity)
	case evFail:
		e.fail(ev.Entity, e.cause(ev.Entity))
	case evRepair:
		e.repair(ev.Entity)
	case evDriver:
		e.driverStep(ev.Entity)
	case evThermal:
		e.thermalEvent(ev.Entity)
	case evAirTrip:
		e.airTrip(ev.Entity)
	case evJobEnd:
		e.jobEnd(ev.Entity)
	case evProfile:
		e.profileHour()
	case evService:
		e.serviceLook(ev.Entity)
	case evRelease:
		e.release(ev.Entity)
	case evArrival:
		e.arrive()
	case evWake: // dispatch follows every instant
	case evSample:
		e.sample()
		e.push(e.now+e.cfg.SeriesStepNS, evSample, 0)
	}
}

// settle brings servers, rooms, loops, plants and power to a common steady state at this instant.
func (e *engine) settle() error {
	for pass := 0; ; pass++ {
		e.settleServers()
		if err := e.closeBuilding(); err != nil {
			return err
		}
		again := e.moveDrivers(pass >= dampAfter)
		if !(e.meetCaps() || again) {
			break
		}
		if pass >= giveUpAfter {
			return fmt.Errorf("at %s: servers and cooling don't settle: %s", e.clock(), e.unsettled())
		}
	}
	e.updateRates()
	e.watchBatteries()
	e.watchBreakers()
	return nil
}

// clock prints the simulated local time.
func (e *engine) clock() string {
	return e.cfg.Start.Add(time.Duration(e.now)).Format("2006-01-02 15:04:05")
}

// maxLog bounds events.csv; what is cut is counted and said.
const maxLog = 200_000

func (e *engine) note(kind, entity, detail string) {
	if len(e.log) >= maxLog {
		e.logCut++
		return
	}
	e.log = append(e.log, LogEntry{AtS: float64(e.now) / thermal.Second, Kind: kind, Entity: entity, Detail: detail})
}

// mark has a server settled again at this instant.
func (e *engine) mark(i int32) {
	if !e.isDirty[i] {
		e.isDirty[i] = true
		e.dirty = append(e.dirty, i)
	}
}

func ratio(a, b float64) Num {
	if b == 0 || math.IsNaN(a) || math.IsNaN(b) {
		return metrics.Unknown
	}
	return Num(a / b)
}
