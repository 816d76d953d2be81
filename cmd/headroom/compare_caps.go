package main

import (
	"math"
	"strings"

	"headroom/facility/units"
	"headroom/plots"
)

// caps are the sides that differ from the base in one power cap alone, as a curve of work against the cap; nil where no
// side does.
func (a *compareAnswer) caps() *plots.CapTable {
	t := &plots.CapTable{Scenario: a.Sides[0].Scenario, Basis: a.Basis, What: "a server"}
	path := ""
	for i := range a.Sides {
		s := &a.Sides[i]
		capW := math.Inf(1)
		if i > 0 {
			if len(s.Changed) != 1 || s.Changed[0].From != "" || !strings.HasPrefix(s.Changed[0].Path, "servers[") || !strings.HasSuffix(s.Changed[0].Path, "].cap") {
				continue
			}
			w, err := units.Parse(units.Power, s.Changed[0].To)
			if err != nil || path != "" && path != s.Changed[0].Path {
				continue
			}
			capW, path = w, s.Changed[0].Path
		}
		p := plots.CapPoint{CapW: capW, Effective: math.NaN(), EnergyKWh: math.NaN(), Cost: math.NaN(), CarbonKg: math.NaN()}
		for _, f := range a.Figures {
			v := float64(f.Values[i].Mean)
			switch {
			case f.Key == "compute.gpu_hours_effective":
				p.Effective = v
			case f.Key == "energy.facility_kwh":
				p.EnergyKWh = v
			case f.Key == "energy.carbon_kg":
				p.CarbonKg = v
			}
		}
		if bills := a.results[i][0].Energy.Cost; len(bills) == 1 {
			p.Cost, t.Currency = float64(bills[0].Amount), bills[0].Currency
		}
		p.Servers = a.results[i][0].Capacity.ServersPlaced
		t.Points = append(t.Points, p)
	}
	if path == "" || a.Basis != "simulated" {
		return nil
	}
	return t
}
