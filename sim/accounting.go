package sim

import (
	"fmt"
	"math"
	"time"

	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim/ledger"
	"headroom/sim/metrics"
	"headroom/sim/thermal"
)

// Accounting is what a run's energy, water and heat are turned into: cost and carbon at prices that change by
// the hour, hours of free cooling, the margin to the dew point. Prices and grid carbon step on full hours of the local
// clock; weather does so as well, and every hour has an event, so the integrals are exact.

// dewC is the dew point of the dampest room now.
func (e *engine) dewC() float64 {
	dewC := math.Inf(-1)
	for i := range e.fac.Cooling.Rooms {
		r := &e.fac.Cooling.Rooms[i]
		var p cooling.Plant
		if r.Plant >= 0 {
			p = e.fac.Cooling.Plants[r.Plant]
		}
		dewC = max(dewC, cooling.RoomDewPointC(r, p, e.b.out))
	}
	return dewC
}

// loopNow is a loop with the set-point it has now: raised above the dew point where the scenario lets it be.
func (e *engine) loopNow(i int) *cooling.Loop {
	l := &e.fac.Cooling.Loops[i]
	if !l.DryReset {
		return l
	}
	set := cooling.DrySupplyC(l.SupplyC, e.b.dewC)
	if set == l.SupplyC {
		return l
	}
	e.b.dryResets++
	dry := *l
	dry.SupplyC = set
	return &dry
}

// sideAir is the heat (W) and the flow (m³/s) that liquid-to-air CDUs give to and draw from a room, and their
// fans (W, part of the heat).
func (e *engine) sideAir(room int) (heatW, flowM3s float64) {
	for i := range e.fac.Cooling.Loops {
		if a := e.fac.Cooling.Loops[i].Air; a != nil && a.Room == room {
			p := &e.b.loops[i]
			heatW += p.DutyW + p.FanW
			flowM3s += p.AirM3s
		}
	}
	return heatW, flowM3s
}

// loopWater is what a loop rejects its heat to: its plant's water, or the supply air of a room.
func (e *engine) loopWater(l *cooling.Loop) float64 {
	if l.Air != nil {
		return e.b.rooms[l.Air.Room].SupplyC
	}
	return e.b.plantWater(l.Plant)
}

// plantSetC is a plant's set-point now: reset to the warmest water that all it serves can do with, where the
// scenario allows it.
func (e *engine) plantSetC(i int, spec *cooling.Spec) float64 {
	if spec.ResetMaxC <= spec.SupplyC {
		return spec.SupplyC
	}
	b, f := &e.b, e.fac
	warmestC := spec.ResetMaxC
	for j := range f.Cooling.Rooms {
		if r := &f.Cooling.Rooms[j]; r.Plant == i {
			warmestC = min(warmestC, r.WarmestWaterC(b.unitsFed(b.roomUp[j], b.roomCon[j]), b.roomHeatW[j], b.roomM3s[j], b.airPa))
		}
	}
	for j := range f.Cooling.Loops {
		if l := e.loopNow(j); l.Plant == i && l.Air == nil {
			warmestC = min(warmestC, l.WarmestWaterC(b.unitsFed(b.loopUp[j], b.loopCon[j]), b.liquidW[j], b.flowLPM[j]))
		}
	}
	return spec.ResetSetC(warmestC)
}

// price takes the hour's prices and the dew point of the rooms.
func (e *engine) price() {
	t := e.cfg.Start.Add(durationNS(e.now))
	e.b.perKWh, e.b.carbon = e.cfg.price().At(t), e.cfg.carbon().At(t)
	e.b.dewC = e.dewC()
}

// price is the tariff of electricity, from the table or the figure.
func (c *Config) price() *ledger.Tariff {
	if c.Price == nil {
		flat := ledger.Flat(c.PricePerKWh)
		c.Price = &flat
	}
	return c.Price
}

// carbon is the carbon of the grid, from the series or the figure.
func (c *Config) carbon() *ledger.Tariff {
	if c.Carbon == nil {
		flat := ledger.Flat(c.CarbonKgPerKWh)
		c.Carbon = &flat
	}
	return c.Carbon
}

// books reads what is accounted for beside power, after an instant has settled.
func (m *meters) books(e *engine, facilityW float64) {
	b := &e.b
	m.set(cCost, facilityW*b.perKWh)
	m.set(cCarbon, facilityW*b.carbon)
	var evaporation, blowdown, drift, heatW, freeW, compressorW float64
	m.countShort(e)
	m.zones.read(e)
	m.cycles.read(e)
	for i := range b.plants {
		p := &b.plants[i]
		m.short[i] = b.plantHeatW[i] > 0 && !p.Held
		if !b.flow.Served(b.plantCon[i]) {
			continue
		}
		evaporation += p.EvaporationKgS
		blowdown += p.BlowdownKgS
		drift += p.DriftKgS
		heatW += b.plantHeatW[i]
		freeW += b.plantHeatW[i] * p.FreeShare
		compressorW += p.CompressorW
	}
	for i := range b.rooms {
		evaporation += b.humid.now(b, i).WaterKgS
	}
	m.set(cEvaporation, evaporation)
	m.set(cBlowdown, blowdown)
	m.set(cDrift, drift)
	free := heatW > 0 && compressorW <= 0
	mechanical := heatW > 0 && compressorW > 0 && freeW < freeLeast*heatW
	m.set(cFree, flag(free))
	m.set(cMechanical, flag(mechanical))
	m.set(cPartial, flag(heatW > 0 && !free && !mechanical))
	for i := range b.loops {
		m.dewMarginK = min(m.dewMarginK, cooling.CondensationMarginK(b.loops[i].SupplyC, b.dewC))
	}
	for i := range e.fac.Cooling.Rooms {
		if r := &e.fac.Cooling.Rooms[i]; r.Containment == cooling.RearDoors && r.Plant >= 0 {
			m.dewMarginK = min(m.dewMarginK, cooling.CondensationMarginK(b.waterC[r.Plant], b.dewC))
		}
	}
}

// countShort adds the time since the last look to the plants that could not hold their set-point.
func (m *meters) countShort(e *engine) {
	if m.short == nil {
		m.short, m.shortNS = make([]bool, len(e.b.plants)), make([]int64, len(e.b.plants))
	}
	for i, short := range m.short {
		if from := max(m.shortAtNS, e.cfg.WarmupNS); short && e.now > from {
			m.shortNS[i] += e.now - from
		}
	}
	m.shortAtNS = e.now
}

// plantWarnings name each plant that left the range of its curves or could not hold its set-point.
func (e *engine) plantWarnings(r *Result) {
	e.m.countShort(e)
	for i, p := range e.fac.Cooling.Plants {
		name := p.Spec().Name
		if n := e.b.extra[i]; n > 0 {
			r.Run.Warnings = append(r.Run.Warnings, fmt.Sprintf("%s: %d evaluations outside the range of its curves; they were held at the edge and carried on by the Carnot ratio", name, n))
		}
		if h := float64(e.m.shortNS[i]) / float64(hourNS); h > 0 {
			r.Run.Warnings = append(r.Run.Warnings, fmt.Sprintf("%s: set-point not held in %.1f h", name, h))
		}
	}
}

// freeLeast is the share of the heat below which free cooling counts as none.
const freeLeast = 0.01

// booksResult fills the accounts of a run.
func (e *engine) booksResult(r *Result) {
	m, en := &e.m, &r.Energy
	usage := ledger.Usage{
		FacilityKWh: float64(en.FacilityKWh), ITKWh: float64(en.ITKWh), ComputeKWh: float64(en.ComputeKWh),
		WaterL: float64(en.WaterL), CarbonKg: math.NaN(),
	}
	en.PUEName = ledger.PUEName(en.PUECategory, durationNS(e.cfg.LengthNS-e.cfg.WarmupNS))
	en.DesignPUE = designPUE(e.lay)
	en.ITUE = ratio(usage.ITKWh, usage.ComputeKWh)
	en.EvaporationL, en.BlowdownL, en.DriftL = Num(m.over(cEvaporation)), Num(m.over(cBlowdown)), Num(m.over(cDrift))
	h := func(c column) Num { return Num(m.over(c) / sPerH) }
	en.FreeCoolingH, en.PartialCoolingH, en.MechanicalCoolingH = h(cFree), h(cPartial), h(cMechanical)
	part := func(name string, kWh float64) {
		if usage.ITKWh > 0 {
			en.PartialPUE = append(en.PartialPUE, ZonePUE{Zone: name, PPUE: Num(ledger.PartialPUE(usage.ITKWh, kWh))})
		}
	}
	part("electrical", known(en.UPSLossKWh, en.TransformerLossKWh, en.DistributionLossKWh))
	part("air handling", known(en.RoomFansKWh))
	part("cooling", known(en.RoomFansKWh, en.PumpsKWh, en.ChillersKWh, en.HeatRejectionKWh, en.HumidificationKWh))
	m.zones.result(e, r)
	if e.cfg.carbon().Known() {
		usage.CarbonKg = m.over(cCarbon) / jPerKWh
		en.CarbonKg = Num(usage.CarbonKg)
		en.CUE = ratio(usage.CarbonKg, usage.ITKWh)
	}
	if !math.IsInf(m.dewMarginK, 0) {
		r.Thermal.DewPointMarginK = Num(m.dewMarginK)
	}
	r.Money = e.money(r, usage)
	e.plantWarnings(r)
	m.cycles.result(e, r)
	if r.Money != nil {
		en.Cost = r.Money.Bills
	}
	if e.b.dryResets > 0 {
		r.Run.Approximations["dew_point_resets"] = e.b.dryResets
	}
}

// known adds the parts that are known; one that is not modelled has no figure.
func known(parts ...Num) float64 {
	sum := 0.0
	for _, p := range parts {
		if p.Known() {
			sum += float64(p)
		}
	}
	return sum
}

// seriesPowerW is the facility's mean power over each step of the series since the warm-up, and when the first begins.
func (e *engine) seriesPowerW() (start time.Time, step time.Duration, powerW []float64) {
	powerW = e.m.means(cFacility)
	skip := int((e.cfg.WarmupNS + e.cfg.SeriesStepNS - 1) / e.cfg.SeriesStepNS)
	if skip > len(powerW) {
		skip = len(powerW)
	}
	step = time.Duration(e.cfg.SeriesStepNS)
	return e.cfg.Start.Add(step * time.Duration(skip)), step, powerW[skip:]
}

// yearS is the length of the year that costs are stated for.
const yearS = ledger.HoursPerYear * sPerH

// lengthS is the period that statistics cover.
func (e *engine) lengthS() float64 { return float64(e.cfg.LengthNS-e.cfg.WarmupNS) / thermal.Second }

// designPUE is the demand at the sources of the electrical graph over that of IT, both at the basis of the plan with
// plants at the design day: the building's worst hour as it was planned, no yearly figure. Unknown without an electrical
// side or servers.
func designPUE(l *placement.Layout) Num {
	g := l.Facility.Power
	if g == nil || len(l.DemandW) != len(g.Nodes) {
		return metrics.Unknown
	}
	sourceW, itW := 0.0, 0.0
	for i := range g.Nodes {
		if n := &g.Nodes[i]; len(n.From) == 0 && n.Kind != power.Generator {
			sourceW += float64(l.DemandW[i])
		}
	}
	for i := range l.Servers {
		itW += float64(l.Facility.Models[l.Servers[i].Model].PlanW)
	}
	for i := range l.Facility.Racks {
		itW += float64(max(l.Facility.Racks[i].ReserveW, 0))
	}
	if itW <= 0 || sourceW < itW {
		return metrics.Unknown
	}
	return Num(sourceW / itW)
}
