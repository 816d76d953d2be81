package thermal

import (
	"math"

	"headroom/facility"
)

// Load is what a server's GPUs do.
type Load struct {
	Busy int     // GPUs that run a job
	USum float64 // sum of their activities
	UMax float64 // highest activity; that GPU is taken to sit in the worst slot
}

// Env is what surrounds a server.
type Env struct {
	AirC      float64 // air inlet without the server's own recirculated exhaust
	Recirc    float64 // K of inlet rise per K of exhaust rise, r/(1−r)
	RhoCp     float64 // J/m³K of the air
	CoolantC  float64 // liquid builds
	FlowShare float64 // coolant flow as a share of rated, liquid builds
	FanMax    float64 // highest airflow share the fans may take
	WallCapW  float64 // cap at the cord, +Inf for none
	Unlimited bool    // neither heat nor caps slow the clocks
}

// Mode says which rule sets the clocks.
type Mode uint8

// Modes of the clock controller.
const (
	Free Mode = iota // below the software limit: load and caps alone
	Held             // the clock that holds the software limit
	Slow             // hardware slowdown: half the clock that would hold
)

// Settled is where a server settles under a Load and an Env.
type Settled struct {
	Clock    float64 // clock share of the busy GPUs
	CapClock float64 // clock share the caps alone would give
	Fan      float64 // airflow share
	InletC   float64 // air inlet with its own recirculation
	RiseK    float64 // exhaust over inlet
	MeanC    float64 // die of a busy GPU in a mean slot (idle GPU when none is busy)
	WorstC   float64 // die in the worst slot
	TauS     float64 // time constant of the worst slot
	GPUW     float64 // all GPUs
	FanW     float64
	WallW    float64 // at the cord
	AirW     float64 // of WallW, into air
	LiquidW  float64 // of WallW, into liquid
	AirM3s   float64 // drawn
}

// minLoopGap is the least 1 − κ·P_leak·R that a time constant is computed with: below it leakage runs away
// before the linear law says anything.
const minLoopGap = 0.05

// noFlow is the least coolant flow share that the resistance law is evaluated at: below it a cold plate
// only stores heat.
const noFlow = 1e-6

// Settle solves the steady state of one server. Cost: a few exponentials; it allocates nothing.
func Settle(m *facility.Model, l Load, e *Env, mode Mode) Settled {
	var s Settled
	capW := math.Min(m.TDPW, m.GPUCapW)
	fanMax := math.Min(m.FanMax, e.FanMax)
	refC, flow := e.CoolantC, math.Max(e.FlowShare, noFlow)
	s.Fan = math.Min(m.FanMin, fanMax)
	uMax := l.UMax
	rise := 0.0
	for range 12 {
		s.InletC = e.AirC + e.Recirc*rise
		if !m.Liquid {
			refC = s.InletC
			// The fans answer to the hottest GPU at the clock its cap allows.
			p := m.FloorW + m.LeakAt(m.TargetC) + uMax*m.DynW
			if !e.Unlimited {
				p = math.Min(p, capW)
			}
			if mode == Free {
				s.Fan = math.Min(m.FanShare(p, refC), fanMax)
			} else {
				s.Fan = fanMax
			}
			flow = s.Fan
		}
		s.clocks(m, l, e, mode, refC, m.Resistance(flow), capW)
		if s.Fan <= 0 || m.AirflowM3s <= 0 {
			break
		}
		was := rise
		rise = s.AirW / (e.RhoCp * s.AirM3s)
		if e.Recirc*math.Abs(rise-was) < 1e-3 {
			break
		}
	}
	s.RiseK = rise
	return s
}

// clocks sets clock, temperatures and power for a reference temperature and a resistance.
func (s *Settled) clocks(m *facility.Model, l Load, e *Env, mode Mode, refC, r, capW float64) {
	rw := r * m.WorstSlot
	idleC := dieC(m, refC, r, 0)
	s.CapClock, s.Clock = 1, 1
	if l.Busy > 0 {
		dyn := l.UMax * m.DynW
		s.WorstC = dieC(m, refC, rw, dyn)
		if !e.Unlimited {
			if p := m.FloorW + leakW(m, s.WorstC) + dyn; p > capW {
				s.WorstC = refC + rw*capW
				s.CapClock = m.ClockFor(capW-m.FloorW-m.LeakAt(math.Min(s.WorstC, m.LimitC)), dyn)
			}
			s.Clock = s.CapClock
			if mode != Free {
				hold := m.ClockFor((m.LimitC-refC)/rw-m.FloorW-m.LeakAt(m.LimitC), dyn)
				if mode == Slow {
					hold = math.Max(m.ClockMin, hold/2)
				}
				s.Clock = math.Min(s.CapClock, hold)
			}
			if s.Clock < 1 {
				s.WorstC = dieC(m, refC, rw, dyn*math.Pow(s.Clock, m.Alpha))
			}
		}
		s.power(m, l, refC, r, idleC)
		if s.WallW > e.WallCapW && !e.Unlimited {
			s.wallCap(m, l, e, refC, r, rw, idleC)
		}
	} else {
		s.WorstC = dieC(m, refC, rw, 0)
		s.power(m, l, refC, r, idleC)
	}
	s.TauS = rw * m.GPUHeatJPerK
	if s.WorstC < m.ShutC { // above shutdown leakage is held at its value there and adds no slope
		s.TauS /= math.Max(1-m.LeakPerK*m.LeakAt(s.WorstC)*rw, minLoopGap)
	}
}

// power fills temperatures of the mean slot and power from the clock.
func (s *Settled) power(m *facility.Model, l Load, refC, r, idleC float64) {
	dynW := m.DynW
	if s.Clock < 1 {
		dynW *= math.Pow(s.Clock, m.Alpha)
	}
	idle := float64(m.GPUs - l.Busy)
	s.GPUW = idle * (m.FloorW + leakW(m, idleC))
	s.MeanC = idleC
	if l.Busy > 0 {
		busy := float64(l.Busy)
		s.MeanC = dieC(m, refC, r, l.USum/busy*dynW)
		s.GPUW += busy*(m.FloorW+leakW(m, s.MeanC)) + l.USum*dynW
	}
	s.FanW = m.FanPowerW(s.Fan)
	s.WallW = m.WallW(s.GPUW, s.Fan)
	s.LiquidW = s.WallW * m.LiquidShare
	s.AirW = s.WallW - s.LiquidW
	s.AirM3s = m.AirflowM3s * s.Fan
}

// wallCap lowers the clock until the server draws no more than its cap, or sits at its lowest clock.
func (s *Settled) wallCap(m *facility.Model, l Load, e *Env, refC, r, rw, idleC float64) {
	for range 4 {
		over := s.WallW - e.WallCapW
		if over < 0.5 || s.Clock <= m.ClockMin {
			return
		}
		now := l.USum * m.DynW * math.Pow(s.Clock, m.Alpha)
		// DC per GPU watt over the efficiency is the slope of wall power in GPU power.
		eff := m.Efficiency(s.WallW, m.PSUs)
		s.Clock = math.Min(s.Clock, m.ClockFor(now-over*eff/m.DCPerGPUW(), l.USum*m.DynW))
		s.CapClock = math.Min(s.CapClock, s.Clock)
		s.WorstC = dieC(m, refC, rw, l.UMax*m.DynW*math.Pow(s.Clock, m.Alpha))
		s.power(m, l, refC, r, idleC)
	}
}

// leakW is the leakage at a die temperature, held at its value at shutdown: no die gets hotter.
func leakW(m *facility.Model, dieC float64) float64 { return m.LeakAt(math.Min(dieC, m.ShutC)) }

// dieC solves T = refC + r·(Floor + leak(T) + dynW) by Newton to 1 mK. Past the shutdown temperature
// leakage is held at its value there, so that a server without flow has a finite answer.
func dieC(m *facility.Model, refC, r, dynW float64) float64 {
	base := refC + r*(m.FloorW+dynW)
	t := base
	for range 20 {
		leak := leakW(m, t)
		slope := 0.0
		if t < m.ShutC {
			slope = m.LeakPerK * leak * r
		}
		if slope > 0.9 { // the solution lies past shutdown: step there without overshooting
			slope = 0
		}
		next := t + (base+r*leak-t)/(1-slope)
		if math.Abs(next-t) < 1e-3 {
			return next
		}
		t = next
	}
	return t
}
