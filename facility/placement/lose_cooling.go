package placement

import (
	"fmt"
	"math"
)

// loseCooling loses so many units of each room, loop and plant together, and returns what each leaves.
func (s *site) loseCooling(n int) []Failover {
	sys := &s.f.Cooling
	of := func(what string) string {
		if n > 1 {
			return fmt.Sprintf("%d units: %s", n, what)
		}
		return what
	}
	var list []Failover
	for i := range sys.Rooms {
		r, p := &sys.Rooms[i], &s.rooms[i]
		list = append(list, s.losePool(p, of("air handler of "+r.Name), n, r.Units, func(units int) (float64, float64) {
			heat := wattsUp(p.usedQ+p.sideQ+s.roomLoss(i)) + float64(units)*positive(r.FanW)
			return share(heat, float64(units)*known(r.CapacityW)), share(float64(p.flowUsed), float64(units)*known(r.AirflowM3s)*1e6)
		}))
	}
	for i := range sys.Loops {
		l, p := &sys.Loops[i], &s.loops[i]
		list = append(list, s.losePool(p, of("CDU of "+l.Name), n, l.CDUs, func(units int) (float64, float64) {
			heat := wattsUp(p.usedQ) + float64(units)*positive(l.PumpW)
			return share(heat, float64(units)*known(l.CapacityW)), share(float64(p.flowUsed), float64(units)*known(l.FlowLPM)*1000)
		}))
	}
	for i := range sys.Plants {
		if sys.Plants[i] == nil {
			continue
		}
		spec, p := sys.Plants[i].Spec(), &s.plants[i]
		list = append(list, s.losePool(p, of("unit of "+spec.Name), n, spec.Units, func(units int) (float64, float64) {
			return share(wattsUp(p.usedQ+p.fixedQ+s.plantLoss(i)), plantCapacityW(s.f, i, units)), math.NaN()
		}))
	}
	return list
}

// losePool judges the loss of n of so many units; load tells heat and flow as shares of what a number of units can
// take, NaN where that is not stated. With no unit left racks that send heat there are lost.
func (s *site) losePool(p *pool, lost string, n, units int, load func(units int) (heat, flow float64)) Failover {
	f := Failover{Lost: lost, WorstLoadShare: math.NaN(), DegradedTo: 1}
	highest := func(units int) float64 {
		heat, flow := load(max(units, 0))
		if math.IsNaN(heat) || flow > heat {
			return flow
		}
		return heat
	}
	now := highest(units - n)
	switch next := highest(units - n - 1); {
	case math.IsNaN(now):
		f.State = Unknown
	case now > 1+overTolerance:
		f.State = Degraded
	case next <= 1+overTolerance:
		f.State = Normal
	default:
		f.State = RedundancyLost
	}
	if !math.IsInf(now, 0) && !math.IsNaN(now) {
		f.WorstLoadShare, f.Worst = now, p.name
	}
	if f.State != Normal {
		state, left := f.State, 1.0
		switch {
		case f.State == Degraded && math.IsInf(now, 1):
			state, left = Lost, 0
		case f.State == Degraded:
			left = 1 / now
		}
		var x fates
		x.init(len(s.racks))
		x.begin()
		x.markAll(s.cooledBy(p), state, left)
		x.count(&f)
		f.Fates = x.list()
	}
	f.After = f.State
	return f
}

// share is load over capacity: NaN where the capacity is not stated, 0 where nothing is asked.
func share(load, capacity float64) float64 {
	switch {
	case math.IsNaN(capacity):
		return capacity
	case load <= 0:
		return 0
	case capacity <= 0:
		return math.Inf(1)
	}
	return load / capacity
}

// known returns a capacity, NaN where it is not stated.
func known(x float64) float64 {
	if x > 0 && !math.IsInf(x, 0) {
		return x
	}
	return math.NaN()
}

func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return 0
}
