package scenarios

import (
	"math"

	"headroom/facility/placement"
	"headroom/sim"
)

// partFail is how the units of one part of the building fail.
type partFail struct {
	origin
	Part   string   `yaml:"part" required:"true" doc:"Path of the units: air handlers, CDUs, chillers, UPS modules, transformers, a busway, a rack, leaf switches (network.leaves)." example:"cooling.air.units"`
	MTBF   Quantity `yaml:"mtbf" unit:"duration" required:"true" min:"3600" doc:"Mean time between failures of one unit in service." example:"25000 h"`
	Repair Quantity `yaml:"repair" unit:"duration" default:"8 h" min:"60" doc:"Repair of a unit: the mean of an exponential, or the median where p95 is stated (assumed)."`
	P95    Quantity `yaml:"p95" unit:"duration" above:"0" doc:"95th percentile of repairs; they are then log-normal with median repair."`
	Spares int      `yaml:"spares" min:"0" doc:"Units in store: a failed one is swapped while there are any, and goes there when it is repaired." example:"2"`
	Swap   Quantity `yaml:"swap" unit:"duration" default:"2 h" min:"60" doc:"Time to swap a failed unit for one from the store (assumed)."`
}

// capLine is a cap over what is drawn at one meter.
type capLine struct {
	origin
	Over  string   `yaml:"over" required:"true" doc:"site (facility power), a power element (its output) or a rack (its IT power)." example:"power.ups[A]"`
	Limit Quantity `yaml:"limit" unit:"power" required:"true" above:"0" doc:"Power that clocks are lowered to hold: batch gives way before fine-tuning, training and inference."`
	Delay Quantity `yaml:"delay" unit:"duration" default:"0 s" doc:"Time until the cap acts; power overshoots meanwhile."`
}

// causeShares is what failures of servers are, as shares of the rate: causes of the 419 unexpected
// interruptions of 16,384 H100 in 54 days (The Llama 3 Herd of Models, 2024, table 5).
var causeShares = []sim.Cause{
	{Name: "GPU failed", Share: 0.301},
	{Name: "GPU memory failed", Share: 0.172},
	{Name: "software failed", Share: 0.129},
	{Name: "network switch or cable failed", Share: 0.084},
	{Name: "unplanned host maintenance", Share: 0.076},
	{Name: "GPU SRAM failed", Share: 0.045},
	{Name: "GPU system processor failed", Share: 0.041},
}

// limits fills caps, failing parts and spares of a run.
func (s *Scenario) limits(d *decoder, b *builder, l *placement.Layout, c *sim.Config, checking bool) {
	f := &s.file
	c.Failures.Causes = causeShares
	if sf := f.Failures.Server; sf != nil {
		c.Failures.Spares, c.Failures.SwapS = sf.Spares, sf.Swap.V
		if sf.P95.Given {
			c.Failures.RepairP95S = sf.P95.V
			if sf.P95.V < sf.Repair.V {
				d.fail(sf.of("p95"), joinKey(sf.path, "p95"), "", "the 95th percentile lies below the median (got %s and %s)", quoteShort(sf.P95.text), quoteShort(sf.Repair.text))
			}
		}
	}
	find := func(o *origin, key, text string) (sim.Loss, bool) {
		at, path := o.of(key), joinKey(o.path, key)
		steps, err := parsePath(text)
		if err != nil {
			d.fail(at, path, "", "%v", err)
			return sim.Loss{}, false
		}
		var out sim.Loss
		r := loser{s: s, d: d, b: b, layout: l, at: at, path: path, text: text, steps: steps}
		ok := r.resolve(&out, checking)
		return out, ok
	}
	c.Failures.Net = s.net(b)
	for i := range f.Failures.Parts {
		p := &f.Failures.Parts[i]
		if p.Part == "" {
			continue // told already
		}
		part, ok := find(&p.origin, "part", p.Part)
		if !ok || !p.MTBF.Given {
			continue
		}
		c.Failures.Parts = append(c.Failures.Parts, sim.PartFailure{
			Name: p.Part, Part: part.Part, Index: part.Index, Units: part.Units, RatePerS: 1 / p.MTBF.V, RepairS: p.Repair.V, P95S: p.P95.or(0),
			Spares: p.Spares, SwapS: p.Swap.V,
		})
	}
	for i := range f.Caps {
		k := &f.Caps[i]
		pc := sim.PowerCap{Name: k.Over, LimitW: k.Limit.V, DelayS: math.Max(0, k.Delay.V)}
		switch {
		case k.Over == "":
			continue
		case k.Over == "site":
			pc.Over = sim.CapSite
		default:
			at, ok := find(&k.origin, "over", k.Over)
			if !ok {
				continue
			}
			switch at.Part {
			case sim.RackPart:
				pc.Over = sim.CapRack
			case sim.PowerUnit:
				pc.Over = sim.CapNode
			default:
				d.fail(k.of("over"), joinKey(k.path, "over"), "", "nothing that power can be capped at (got %s, want site, a power element or a rack)", quoteShort(k.Over))
				continue
			}
			pc.Index = at.Index
		}
		c.Caps = append(c.Caps, pc)
	}
}
