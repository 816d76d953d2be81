package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"headroom/sim/rng"
	"headroom/sim/thermal"
)

// partUnit is one unit of a part of the building that fails at random.
type partUnit struct {
	what   *PartFailure
	part   int // in Config.Failures.Parts
	place  int // of the unit, among those of the part
	name   string
	stream *rand.Rand
	down   bool
}

// initParts gives every unit its own stream, so that one more unit shifts no other draw.
func (e *engine) initParts() {
	e.inStore = make([]int, len(e.cfg.Failures.Parts))
	for i := range e.cfg.Failures.Parts {
		p := &e.cfg.Failures.Parts[i]
		e.inStore[i] = p.Spares
		for k := range p.Units {
			name := fmt.Sprintf("%s[%d]", p.Name, k)
			e.units = append(e.units, partUnit{what: p, part: i, place: k, name: name, stream: rng.New(e.cfg.Seed, 0, "part failure", name)})
			e.nextPartFailure(int32(len(e.units) - 1))
		}
	}
}

func (e *engine) nextPartFailure(i int32) {
	u := &e.units[i]
	if !(u.what.RatePerS > 0) {
		return
	}
	if at := float64(e.now) + u.stream.ExpFloat64()/u.what.RatePerS*thermal.Second; at < float64(e.cfg.LengthNS) {
		e.push(int64(at), evPart, i)
	}
}

// partEvent is a unit that fails, or is back from its repair.
func (e *engine) partEvent(i int32) {
	u := &e.units[i]
	one := Loss{Name: u.name, Part: u.what.Part, Index: u.what.Index, Units: 1}
	if one.Part == NetLeaf { // each switch has servers of its own
		one.Index += u.place
	}
	u.down = !u.down
	if !u.down {
		e.note("restored", u.name, "")
		e.change(&one, +1)
		e.nextPartFailure(i)
		return
	}
	repairS := repair(u.stream, u.what.RepairS, u.what.P95S)
	why := "failed"
	if e.inStore[u.part] > 0 { // one from the store takes its place; this one goes there when it is repaired
		e.inStore[u.part]--
		e.pushAfter(repairS, evSpare, int32(u.part)+1)
		why, repairS = "failed, swapped", u.what.SwapS
	}
	e.note("lost", u.name, fmt.Sprintf("%s, repair %.1f h", why, repairS/3600))
	if at := float64(e.now) + repairS*thermal.Second; at < float64(e.cfg.LengthNS) {
		e.push(int64(at), evPart, i)
	}
	e.change(&one, -1)
}

// z95 is the 95th percentile of the standard normal distribution.
const z95 = 1.6448536269514722

// repair draws a repair time: exponential with its mean, or log-normal with its median and 95th percentile.
func repair(r *rand.Rand, typicalS, p95S float64) float64 {
	if p95S > typicalS {
		return typicalS * math.Exp(r.NormFloat64()*math.Log(p95S/typicalS)/z95)
	}
	return typicalS * r.ExpFloat64()
}

// cause draws what a server's failure was, from a stream of its own.
func (e *engine) cause(i int32) string {
	f := &e.cfg.Failures
	if len(f.Causes) == 0 {
		return "server failed"
	}
	if e.causes == nil {
		e.causes = make([]*rand.Rand, len(e.srv))
	}
	if e.causes[i] == nil {
		e.causes[i] = rng.New(e.cfg.Seed, 0, "failure cause", e.lay.Servers[i].ID)
	}
	x := e.causes[i].Float64()
	for _, c := range f.Causes {
		if x -= c.Share; x < 0 {
			return c.Name
		}
	}
	return "other"
}
