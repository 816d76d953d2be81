package thermal

import "math"

// Pair is two coupled masses: air that is heated and cooled, and a structure that only follows the air.
//
//	C_air·dT_air/dt = W·(E − T_air) + h·(T_str − T_air)
//	C_str·dT_str/dt = h·(T_air − T_str)
//
// Solved by its two eigenvalues, exactly.
type Pair struct {
	AirJPerK, StructureJPerK float64
	WPerK                    float64 // h
}

// Relax returns the paths of both masses from where they stand towards endC, which cooling pulls at with
// conductance pullWPerK.
func (c Pair) Relax(fromNS int64, airC, structureC, endC, pullWPerK float64) (air, structure Path) {
	a := (pullWPerK + c.WPerK) / c.AirJPerK
	b := c.WPerK / c.AirJPerK
	d := c.WPerK / c.StructureJPerK
	root := math.Sqrt((a-d)*(a-d) + 4*b*d)
	fast := -(a + d + root) / 2
	slow := (pullWPerK / c.AirJPerK * d) / fast // product of the eigenvalues; the difference would cancel
	x, y := airC-endC, structureC-endC
	kFast, kSlow := (fast+a)/b, (slow+a)/b
	alpha := (y - kSlow*x) / (kFast - kSlow)
	beta := x - alpha
	air = Path{FromNS: fromNS, EndC: endC, A: alpha, TauA: -1 / fast, B: beta, TauB: -1 / slow}
	structure = Path{FromNS: fromNS, EndC: endC, A: alpha * kFast, TauA: -1 / fast, B: beta * kSlow, TauB: -1 / slow}
	return air, structure
}

// LocalTau is the time constant of the single exponential towards EndC that leaves at the path's own rate.
func (p *Path) LocalTau(ns int64) float64 {
	t := float64(ns-p.FromNS) / Second
	slope, off := 0.0, 0.0
	if p.A != 0 && t < gone*p.TauA {
		e := p.A * math.Exp(-t/p.TauA)
		off += e
		slope -= e / p.TauA
	}
	if p.B != 0 && t < gone*p.TauB {
		e := p.B * math.Exp(-t/p.TauB)
		off += e
		slope -= e / p.TauB
	}
	if off == 0 || slope == 0 || -off/slope <= 0 {
		return math.Max(p.TauA, p.TauB)
	}
	return -off / slope
}
