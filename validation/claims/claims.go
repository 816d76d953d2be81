package main

import (
	"context"
	"fmt"
	"math"

	"headroom/facility/catalog"
	"headroom/facility/placement"
	"headroom/scenarios"
	"headroom/sim"
)

// Verdicts on a claim.
const (
	holds  = "holds"
	onlyIf = "holds only if"
	not    = "does not hold"
)

// judgement is what runs say of a claim.
type judgement struct {
	claim   string // as the market says it
	verdict string
	when    string   // the condition of a claim that holds only if
	number  string   // the number that decides
	because []string // sentences, each with a figure of a run
}

// condition is the condition of a claim that holds only if, as it stands after the verdict.
func (j judgement) condition() string {
	if j.verdict != onlyIf {
		return ""
	}
	return " " + j.when
}

// runs are the results of one scenario, "" the scenario itself.
type runs map[string]*sim.Result

// claim is one embedded scenario and what is judged from it.
type claim struct {
	scenario string
	judge    func(r runs, c *catalog.Catalog) []judgement
}

// load runs a scenario and all its variants.
func load(ctx context.Context, name string) (runs, error) {
	data, ok := scenarios.ExampleFile(name)
	if !ok {
		return nil, fmt.Errorf("no example %s", name)
	}
	base, err := scenarios.Load(name+".yaml", data, scenarios.Options{})
	if err != nil {
		return nil, err
	}
	out := runs{}
	for _, v := range append([]string{""}, base.Variants()...) {
		if out[v], err = one(ctx, name, data, v); err != nil {
			return nil, fmt.Errorf("%s, variant %q: %w", name, v, err)
		}
	}
	return out, nil
}

func one(ctx context.Context, name string, data []byte, variant string) (*sim.Result, error) {
	sc, err := scenarios.Load(name+".yaml", data, scenarios.Options{Variant: variant})
	if err != nil {
		return nil, err
	}
	f, err := sc.Build()
	if err != nil {
		return nil, err
	}
	l, err := placement.Place(f)
	if err != nil {
		return nil, err
	}
	c, err := sc.Configure(l)
	if err != nil {
		return nil, err
	}
	return sim.Run(ctx, l, c)
}

// perServerKW is the mean wall power of a server over the run, after its warm-up.
func perServerKW(r *sim.Result) float64 {
	hours := (r.Run.LengthS - r.Run.WarmupS) / 3600
	return float64(r.Energy.ITKWh) / hours / float64(r.Capacity.ServersPlaced)
}

func servers(r *sim.Result) float64 { return float64(r.Capacity.ServersPlaced) }

// tokensPerS is the rate of a job or replica of so many GPUs in the table of models.
func tokensPerS(r *sim.Result, gpus int) float64 {
	for _, m := range r.Compute.Models {
		if m.GPUs == gpus {
			return float64(m.TokensPerS)
		}
	}
	return math.NaN()
}

// split says how a job of so many GPUs is cut.
func split(r *sim.Result, gpus int) string {
	for _, m := range r.Compute.Models {
		if m.GPUs == gpus {
			return m.Split
		}
	}
	return "?"
}

// lostShare is the share of busy GPU-hours' work that caps or heat took.
func lostShare(r *sim.Result) float64 {
	return float64(r.Compute.LostGPUHours.PowerCap+r.Compute.LostGPUHours.Thermal) / float64(r.Compute.GPUHoursBusy)
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// verdict is what a claim gets: whole says that it holds as it is said, part that it does under a condition.
func verdict(whole, part bool) string {
	switch {
	case whole:
		return holds
	case part:
		return onlyIf
	}
	return not
}

func within(v, lo, hi float64) bool { return v >= lo && v <= hi }

// All claims in the order of the page.
var claims = []claim{
	{"claim-server-power", serverPower},
	{"claim-rack-8kw", rack8kW},
	{"claim-liquid-rack", liquidRack},
	{"claim-liquid-pue", liquidPUE},
	{"claim-direct-to-chip", directToChip},
	{"claim-85c", below85},
	{"claim-scaling", scaling},
	{"claim-network", network},
	{"claim-generations", generations},
	{"claim-flops-per-watt", flopsPerWatt},
	{"claim-night-and-spot", nightAndSpot},
	{"claim-availability", availability},
}
