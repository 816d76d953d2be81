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

// Inlet is where a server draws its air.
type Inlet struct {
	AirC      float64 // without the server's own recirculated exhaust
	Recirc    float64 // K of inlet rise per K of exhaust rise, r/(1−r), at middle height
	GradientK float64 // inlet at the top of the rack over that at its bottom, at most; never more than twice the rise
	Height    float64 // of the server: −0.5 at the bottom of the rack, 0.5 at its top
}

// Env is what surrounds a server.
type Env struct {
	Inlet
	RhoCp     float64 // J/m³K of the air
	CoolantC  float64 // liquid builds
	FlowShare float64 // coolant flow as a share of rated, liquid builds
	FanMax    float64 // highest airflow share the fans may take
	WallCapW  float64 // cap at the cord, +Inf for none
	Unlimited bool    // neither heat nor caps slow the clocks
	RiseK     float64 // a first guess of the exhaust rise, 0 for none
}

// InletC is the air inlet of a server whose exhaust is riseK above it.
func (e *Inlet) InletC(riseK float64) float64 {
	warmerK := e.Recirc * riseK
	return e.AirC + warmerK + min(e.GradientK, 2*warmerK)*e.Height
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
	LimitC   float64 // die temperature at which it throttles: the GPU's own limit or its memory's
	TauS     float64 // time constant of the worst slot about where it settles
	SlotKW   float64 // K/W of the worst slot
	SlotW    float64 // power of its GPU where it settles
	FullW    float64 // power of its GPU without leakage, at the clock it would have below its cap
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
	capW := min(m.TDPW, m.GPUCapW)
	fanMax := min(m.FanMax, e.FanMax)
	refC, flow := e.CoolantC, max(e.FlowShare, noFlow)
	s.Fan = min(m.FanMin, fanMax)
	uMax := l.UMax
	rise := e.RiseK
	for range 12 {
		s.InletC = e.InletC(rise)
		if !m.Liquid {
			refC = s.InletC
			// The fans answer to the hottest GPU at the clock its cap allows.
			p := m.FloorW + m.LeakAt(m.TargetC) + uMax*m.DynW
			if !e.Unlimited {
				p = min(p, capW)
			}
			if mode == Free {
				s.Fan = min(m.FanShare(p, refC), fanMax)
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
	s.LimitC = m.DieLimitC(refC)
	s.CapClock, s.Clock = 1, 1
	var leak float64
	if l.Busy > 0 {
		dyn := l.UMax * m.DynW
		s.WorstC, leak = dieC(m, refC, rw, dyn)
		if !e.Unlimited {
			if m.FloorW+leak+dyn > capW {
				s.WorstC = refC + rw*capW
				s.CapClock = m.ClockFor(capW-m.FloorW-m.LeakAt(min(s.WorstC, m.LimitC)), dyn)
			}
			s.Clock = s.CapClock
			if mode != Free {
				hold := m.ClockFor((s.LimitC-refC)/rw-m.FloorW-m.LeakAt(s.LimitC), dyn)
				if mode == Slow {
					hold = max(m.ClockMin, hold/2)
				}
				s.Clock = min(s.CapClock, hold)
			}
			if s.Clock < 1 {
				s.WorstC, leak = dieC(m, refC, rw, dyn*math.Pow(s.Clock, m.Alpha))
			}
		}
	} else {
		s.WorstC, leak = dieC(m, refC, rw, 0)
	}
	s.power(m, l, refC, r)
	if s.WallW > e.WallCapW && l.Busy > 0 && !e.Unlimited {
		leak = s.wallCap(m, l, e, refC, r, rw, leak)
	}
	s.TauS, s.SlotKW = rw*m.GPUHeatJPerK, rw
	s.SlotW = (s.WorstC - refC) / rw
	s.FullW = m.FloorW
	if l.Busy > 0 {
		s.FullW += l.UMax * m.DynW
		if s.Clock < s.CapClock {
			s.FullW = s.SlotW - leak
		}
	}
	if s.WorstC < m.ShutC { // above shutdown leakage is held at its value there and adds no slope
		s.TauS /= max(1-m.LeakPerK*leak*rw, minLoopGap)
	}
}

// TauFrom is the time constant with which the worst slot goes from a temperature to where it settles: with the
// slope of its power between the two, so that it leaves at its true rate and arrives where it should.
func (s *Settled) TauFrom(m *facility.Model, nowC float64) float64 {
	d := s.WorstC - nowC
	if math.Abs(d) < 0.01 {
		return s.TauS
	}
	w := s.FullW + m.LeakAt(min(nowC, m.ShutC))
	if s.CapClock < 1 { // the cap holds, or will once it is warmer
		w = min(w, s.SlotW)
	}
	return s.SlotKW * m.GPUHeatJPerK / max(1-s.SlotKW*(s.SlotW-w)/d, minLoopGap)
}

// power fills temperatures of the mean slot and power from the clock.
func (s *Settled) power(m *facility.Model, l Load, refC, r float64) {
	dynW := m.DynW
	if s.Clock < 1 {
		dynW *= math.Pow(s.Clock, m.Alpha)
	}
	s.GPUW = 0
	if idle := m.GPUs - l.Busy; idle > 0 {
		c, leak := dieC(m, refC, r, 0)
		s.GPUW = float64(idle) * (m.FloorW + leak)
		s.MeanC = c
	}
	if l.Busy > 0 {
		busy := float64(l.Busy)
		c, leak := dieC(m, refC, r, l.USum/busy*dynW)
		s.GPUW += busy*(m.FloorW+leak) + l.USum*dynW
		s.MeanC = c
	}
	s.FanW = m.FanPowerW(s.Fan)
	dc := m.BoardW + s.FanW + m.DCPerGPUW()*s.GPUW
	s.WallW = dc / m.Efficiency(dc, m.PSUs)
	s.LiquidW = s.WallW * m.LiquidShare
	s.AirW = s.WallW - s.LiquidW
	s.AirM3s = m.AirflowM3s * s.Fan
}

// wallCap lowers the clock until the server draws its cap, to half a watt, or sits at its lowest clock. Wall
// power is nearly linear in the dynamic power, so that a few secant steps do. It returns the leakage in the
// worst slot.
func (s *Settled) wallCap(m *facility.Model, l Load, e *Env, refC, r, rw, leak float64) float64 {
	hiX, hiW := math.Pow(s.Clock, m.Alpha), s.WallW
	try := func(x float64) {
		s.Clock = max(m.ClockMin, math.Pow(x, 1/m.Alpha))
		s.WorstC, leak = dieC(m, refC, rw, l.UMax*m.DynW*math.Pow(s.Clock, m.Alpha))
		s.power(m, l, refC, r)
	}
	loX := math.Pow(m.ClockMin, m.Alpha)
	try(loX)
	loW := s.WallW
	for range 12 {
		if loW >= e.WallCapW || math.Abs(s.WallW-e.WallCapW) < 0.5 || hiW <= loW {
			break
		}
		x := loX + (hiX-loX)*(e.WallCapW-loW)/(hiW-loW)
		try(x)
		if s.WallW > e.WallCapW {
			hiX, hiW = x, s.WallW
		} else {
			loX, loW = x, s.WallW
		}
	}
	s.CapClock = min(s.CapClock, s.Clock)
	return leak
}

// dieC solves T = refC + r·(Floor + leak(T) + dynW) to 1 mK and returns T and leak(T). Past the shutdown
// temperature leakage is held at its value there, so that a server without flow has a finite answer.
//
// With y = κ·r·leak(T) and a = κ·r·leak(base), y = a·e^y: the tree function. Its series serves small a, which
// is every server with flow; Newton the rest, up to the fold at a = 1/e where leakage runs away.
func dieC(m *facility.Model, refC, r, dynW float64) (dieC, leakW float64) {
	base := refC + r*(m.FloorW+dynW)
	if base >= m.ShutC {
		return held(m, base, r)
	}
	a := m.LeakPerK * r * m.LeakAt(base)
	y := a * (1 + a*(1+a*(3./2+a*(8./3+a*(125./24+a*54./5)))))
	const seriesTo, fold = 0.08, 1 / math.E
	if a > seriesTo {
		if a >= fold {
			return held(m, base, r)
		}
		for range 8 {
			ey := a * math.Exp(y)
			step := (ey - y) / (1 - ey)
			if !(math.Abs(step) > 1e-7) || ey >= 1 {
				break
			}
			y += step
		}
	}
	t := base + y/m.LeakPerK
	if t >= m.ShutC {
		return held(m, base, r)
	}
	return t, y / (m.LeakPerK * r)
}

// held is the die past shutdown: leakage at its value there.
func held(m *facility.Model, baseC, r float64) (dieC, leakW float64) {
	leakW = m.LeakAt(m.ShutC)
	return baseC + r*leakW, leakW
}
