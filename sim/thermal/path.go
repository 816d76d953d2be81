// Package thermal holds temperatures and clocks between two events: where a server settles under given
// air, coolant, load and caps, and how its temperature gets there. It knows neither jobs nor queues.
//
// Between events coefficients are frozen and every mass relaxes exponentially, τ = RC/(1 − κ·P_leak·R);
// a server that follows a drifting room or loop relaxes with both time constants. That is exact at both
// ends of an interval and approximate in between.
package thermal

import "math"

// Second is one second of simulated time.
const Second = 1e9

// Path is a temperature that relaxes towards EndC: T(t) = EndC + A·e^(−t/TauA) + B·e^(−t/TauB),
// t in seconds after FromNS. The zero Path stays at 0 °C.
type Path struct {
	FromNS  int64
	EndC    float64
	A, TauA float64
	B, TauB float64
}

// Still returns a path that stays where it is.
func Still(c float64) Path { return Path{EndC: c} }

// Relax returns the path from startC at fromNS to endC with one time constant.
func Relax(fromNS int64, startC, endC, tauS float64) Path {
	if tauS <= 0 || startC == endC {
		return Path{FromNS: fromNS, EndC: endC}
	}
	return Path{FromNS: fromNS, EndC: endC, B: startC - endC, TauB: tauS}
}

// Follow returns the path of a mass with time constant tauS that starts at startC and follows a driver
// which stands offsetC away from its settled temperature and relaxes onto it with driverTauS:
// C·dT/dt = (endC + offset(t) − T)/R.
func Follow(fromNS int64, startC, endC, tauS, offsetC, driverTauS float64) Path {
	if offsetC == 0 || driverTauS <= 0 {
		return Relax(fromNS, startC, endC, tauS)
	}
	ratio := tauS / driverTauS
	if math.Abs(1-ratio) < 1e-6 { // equal time constants: t·e^(−t/τ) is the limit of two near exponentials
		ratio = 1 - 1e-6
		tauS = ratio * driverTauS
	}
	a := offsetC / (1 - ratio)
	return Path{FromNS: fromNS, EndC: endC, A: a, TauA: driverTauS, B: startC - endC - a, TauB: tauS}
}

// gone is the number of time constants after which nothing of an exponential is left in a float64.
const gone = 45

// At returns the temperature at a time not before FromNS.
func (p *Path) At(ns int64) float64 {
	t := float64(ns-p.FromNS) / Second
	c := p.EndC
	if p.A != 0 && t < gone*p.TauA {
		c += p.A * math.Exp(-t/p.TauA)
	}
	if p.B != 0 && t < gone*p.TauB {
		c += p.B * math.Exp(-t/p.TauB)
	}
	return c
}

// Mean returns the exact mean temperature between two times.
func (p *Path) Mean(from, to int64) float64 {
	if to <= from {
		return p.At(from)
	}
	// Expm1 keeps what is left of short intervals of paths that go far.
	since, span := float64(from-p.FromNS)/Second, float64(to-from)/Second
	c := p.EndC
	for _, x := range [...]struct{ amp, tau float64 }{{p.A, p.TauA}, {p.B, p.TauB}} {
		if x.amp != 0 {
			c -= x.amp * math.Exp(-since/x.tau) * math.Expm1(-span/x.tau) * x.tau / span
		}
	}
	return c
}

// Bound returns a temperature that the path never exceeds, at no cost.
func (p *Path) Bound() float64 { return p.EndC + max(p.A, 0) + max(p.B, 0) }

// Now returns the temperature at a time not before FromNS and one that the path never exceeds from then on.
func (p *Path) Now(ns int64) (c, bound float64) {
	t := float64(ns-p.FromNS) / Second
	c, bound = p.EndC, p.EndC
	if p.A != 0 && t < gone*p.TauA {
		a := p.A * math.Exp(-t/p.TauA)
		c, bound = c+a, bound+max(a, 0)
	}
	if p.B != 0 && t < gone*p.TauB {
		b := p.B * math.Exp(-t/p.TauB)
		c, bound = c+b, bound+max(b, 0)
	}
	return c, bound
}

// turn returns the time at which the path changes direction, if it does after t = 0.
func (p *Path) turn() (float64, bool) {
	if p.A == 0 || p.B == 0 || p.TauA == p.TauB {
		return 0, false
	}
	x := -(p.A * p.TauB) / (p.B * p.TauA)
	if x <= 0 {
		return 0, false
	}
	t := math.Log(x) / (1/p.TauA - 1/p.TauB)
	return t, t > 0
}

// Reach returns the first time after fromNS, up to untilNS, at which the path crosses level: upwards if
// up, else downwards. A path that already stands at or past the level in that direction reaches it at once.
func (p *Path) Reach(level float64, up bool, fromNS, untilNS int64) (int64, bool) {
	sign := 1.0
	if !up {
		sign = -1
	}
	past := func(ns int64) bool { return sign*(p.At(ns)-level) >= 0 }
	if past(fromNS) {
		return fromNS, true
	}
	if p.Bound() < level && up {
		return 0, false
	}
	// Between the start, the turning point and the end the path is monotone.
	lo := fromNS
	if t, ok := p.turn(); ok {
		if mid := p.FromNS + clampNS(t); mid > lo && mid < untilNS {
			if past(mid) {
				return p.narrow(level, sign, lo, mid), true
			}
			lo = mid
		}
	}
	if !past(untilNS) {
		return 0, false
	}
	return p.narrow(level, sign, lo, untilNS), true
}

// narrow narrows a crossing to one nanosecond, from the side on which the level is reached: by halves, and by Ridders's
// rule, which takes an exponential for what it is.
func (p *Path) narrow(level, sign float64, lo, hi int64) int64 {
	f := func(ns int64) float64 { return sign * (p.At(ns) - level) } // below 0 at lo, not at hi
	at := func(ns int64, v float64) {
		if v >= 0 {
			hi = ns
		} else {
			lo = ns
		}
	}
	fLo, fHi := f(lo), f(hi)
	for hi-lo > 1 {
		half := (hi - lo) / 2
		mid := lo + half
		fMid := f(mid)
		guess := mid
		if s := math.Sqrt(fMid*fMid - fLo*fHi); s > 0 {
			guess += int64(math.Round(-float64(half) * fMid / s))
		}
		at(mid, fMid)
		// The guess, and then one step to its other side: they close in on the crossing from both.
		for range 2 {
			if lo < guess && guess < hi {
				v := f(guess)
				at(guess, v)
				guess++
				if v >= 0 {
					guess -= 2
				}
			}
		}
		fLo, fHi = f(lo), f(hi)
	}
	return hi
}

// clampNS turns seconds into nanoseconds without overflow.
func clampNS(s float64) int64 {
	const most = 9e18
	if ns := s * Second; ns < most {
		return int64(ns)
	}
	return int64(most)
}
