package sim

import (
	"fmt"

	"headroom/facility"
	"headroom/sim/rng"
)

// spreadZ are the means of the fifths of a normal distribution: a server's worst slot is drawn from five
// grades, so that servers of one grade still settle alike.
var spreadZ = [...]float64{-1.3998, -0.5319, 0, 0.5319, 1.3998}

// spread gives every server its own manufacturing grade, drawn by its name.
func (e *engine) spread() {
	if !(e.cfg.GPUSpread > 0) {
		return
	}
	grades := map[*facility.Model]*[len(spreadZ)]facility.Model{}
	for i := range e.srv {
		s := &e.srv[i]
		g := grades[s.m]
		if g == nil {
			g = new([len(spreadZ)]facility.Model)
			for k := range g {
				g[k] = *s.m
				g[k].WorstSlot = max(1, s.m.WorstSlot*(1+e.cfg.GPUSpread*spreadZ[k]))
			}
			grades[s.m] = g
		}
		s.m = &g[rng.New(e.cfg.Seed, 0, "gpu spread", e.lay.Servers[i].ID).IntN(len(spreadZ))]
	}
}

// airTrip stops a server whose inlet is too hot for its memory, network cards and supplies.
func (e *engine) airTrip(i int32) {
	s := &e.srv[i]
	s.tripping = false
	if s.up() && s.inletC > s.m.AirTripC {
		e.note("air trip", e.lay.Servers[i].ID, fmt.Sprintf("inlet %.1f °C", s.inletC))
		e.incident(airTripped)
		e.stop(i, "air inlet too hot", tripRestartS)
	}
}
