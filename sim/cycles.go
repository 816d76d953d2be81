package sim

import (
	"fmt"
	"math"

	"headroom/sim/thermal"
)

// cycleMeter counts the starts of compressors that cycle below their least load. A plant answers with a mean over time, so
// starts are a rate that is added up, not events.
type cycleMeter struct {
	perS   []float64 // by plant, since atNS
	starts []float64 // since the warm-up
	ns     []int64   // with a rate above 0
	swingK []float64 // most
	atNS   int64
}

// swingTellK is the swing of a plant's water, peak to peak, from which a run tells of it (assumed: twice what controls
// usually allow). Temperatures in the run are means over such swings.
const swingTellK = 4.0

func (c *cycleMeter) read(e *engine) {
	plants := e.b.plants
	if c.perS == nil {
		c.perS, c.starts, c.swingK, c.ns = make([]float64, len(plants)), make([]float64, len(plants)), make([]float64, len(plants)), make([]int64, len(plants))
	}
	moved := false
	for i := range plants {
		moved = moved || c.rate(e, i) != c.perS[i]
		c.swingK[i] = math.Max(c.swingK[i], plants[i].SwingK)
	}
	if !moved {
		return
	}
	c.add(e)
	for i := range plants {
		c.perS[i] = c.rate(e, i)
	}
}

func (c *cycleMeter) rate(e *engine, i int) float64 {
	if !e.b.flow.Served(e.b.plantCon[i]) {
		return 0
	}
	return e.b.plants[i].StartsPerS
}

// add adds up the time since the rates last changed.
func (c *cycleMeter) add(e *engine) {
	if from := max(c.atNS, e.cfg.WarmupNS); e.now > from {
		for i, perS := range c.perS {
			if perS > 0 {
				c.starts[i] += perS * float64(e.now-from) / thermal.Second
				c.ns[i] += e.now - from
			}
		}
	}
	c.atNS = e.now
}

// result tells of the starts and of plants whose water swings far.
func (c *cycleMeter) result(e *engine, r *Result) {
	c.add(e)
	total := 0.0
	for i, p := range e.fac.Cooling.Plants {
		total += c.starts[i]
		if c.swingK[i] > swingTellK {
			r.Run.Warnings = append(r.Run.Warnings, fmt.Sprintf(
				"%s: below the least load of one unit its compressor starts and stops, %.0f times in %.1f h; its least times on and off let the water swing by up to %.1f K, and temperatures here are means over that",
				p.Spec().Name, c.starts[i], float64(c.ns[i])/float64(hourNS), c.swingK[i]))
		}
	}
	if n := int64(math.Round(total)); n > 0 {
		r.Run.Approximations["compressor_starts"] = n
	}
}
