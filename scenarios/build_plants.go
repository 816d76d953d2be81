package scenarios

import (
	"cmp"
	"fmt"
	"math"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/facility/cooling"
	"headroom/facility/units"
)

// Coolers without compressors are sized by their approach: water leaving above the air they draw in, at
// rated duty. 6–12 K are usual (planning figure); where the hot day leaves less below what the servers
// allow, larger coolers come down to minApproachK.
const (
	dryApproachK = 8.0
	minApproachK = 4.0
	// dryRiseK is the rise of a cooler's water at rated duty; with the approach it makes the difference
	// between the inlets that its fan power is scaled by.
	dryRiseK = 8.0
	// padShare is how far wetted pads bring air from its dry bulb to its wet bulb (assumed, as the cooler's own default).
	padShare = 0.85
)

// plantWaterJPerW is the water of a plant's circuit for each watt of capacity, as heat capacity: 10 L of
// pipes and vessels for each kW (assumed), 4.18 kJ/K a litre.
const plantWaterJPerW = 10e-3 * 4180

// roundUpW is the step to which a capacity that was sized is rounded up.
const roundUpW = 1000.0

// buildPlants makes the plants, sizing those without a capacity for what they serve.
func (b *builder) buildPlants(serves []served) {
	p := &b.s.file.Plants
	for i, l := range p.Lines {
		b.f.Cooling.Plants = append(b.f.Cooling.Plants, b.buildPlant(p.Names[i], l, serves[i]))
	}
}

func (b *builder) buildPlant(name string, l *plantLine, s served) cooling.Plant {
	if !s.wanted {
		b.warnf(l.at, l.path, "", "nothing is cooled by this plant")
		s.setC = 18
	}
	redundant, ok := l.Scheme.redundant(l.Count)
	if !ok && l.Count > 0 {
		b.d.fail(l.of("scheme"), joinKey(l.path, "scheme"), "", "%s is not possible with %d units", l.Scheme.Text, l.Count)
		redundant = 0
	}
	need := float64(max(1, l.Count-redundant))
	if l.Class != "" {
		b.waterClass(l)
	}
	if !l.Supply.Given && !l.has("supply") {
		l.Supply.fill(s.setC)
	}
	b.plantKeys(l)
	spec := cooling.Spec{
		Name: "plants." + name, Type: l.Type, Units: max(1, l.Count), Redundant: redundant,
		SupplyC: l.Supply.V, CapacityW: l.Capacity.V, Line: l.at.line, Standby: l.Standby, ResetMaxC: l.Reset.or(0),
		Fed: b.fed(l.Fed, l.of("fed"), joinKey(l.path, "fed")),
	}
	if isCooler(l.Type) || l.Type == "air-side" && l.Trim == "none" {
		spec.WarmestC = s.limitC
	}
	if e := l.Economizer; e != "none" && e != "" && economizers[l.Type] != e {
		b.d.fail(l.of("economizer"), joinKey(l.path, "economizer"), "", "a %s has no %s economizer", l.Type, e)
	}
	if isDirect(l.Type) && s.loops {
		b.d.fail(l.of("type"), joinKey(l.path, "type"), "", "a %s cools air, not the water of a liquid loop", l.Type)
	}
	if isCooler(l.Type) && l.Type != "cooling-tower" && !l.Approach.Given {
		l.Approach.fill(b.coolerApproach(l, s))
	}
	stated := l.Capacity.Given || l.has("capacity")
	if capacityW := b.sized(l, spec, s, need); capacityW > 0 && (!stated || l.Capacity.V == capacityW) {
		l.Capacity.fill(capacityW)
		// A resolved scenario states what was sized: it says so as the first one did.
		b.warnf(l.at, joinKey(l.path, "capacity"), "", "sized: %s a unit, so that %d of %d units carry %s, the rated duty of what they cool, on the design day",
			units.Format(units.Power, capacityW), int(need), l.Count, units.Format(units.Power, s.dutyW))
	} else if !stated && !s.wanted && !b.broken {
		b.d.fail(l.at, joinKey(l.path, "capacity"), "", "a plant that cools nothing needs a capacity")
	}
	spec.CapacityW = l.Capacity.V
	if !l.Capacity.Given {
		return nil // told already
	}
	spec.HeatJPerK = plantWaterJPerW * spec.CapacityW * float64(spec.Units)
	plant, err := b.makePlant(l, spec)
	if err != nil {
		b.d.fail(l.at, l.path, "", "%v", err)
		return nil
	}
	out := b.plantDesign(l)
	load, returnC := s.loadW, spec.SupplyC+cooling.DefaultRiseK
	if isDirect(l.Type) {
		returnC = s.returnC
	}
	if !finite(load) || load <= 0 {
		load = s.dutyW
	}
	w := cooling.ElectricalAt(plant, int(need), math.Min(load, need*spec.CapacityW), returnC, out)
	b.f.Mechanical = append(b.f.Mechanical, facility.MechanicalLoad{Name: spec.Name, Fed: spec.Fed, W: ceilW(w)})
	return plant
}

// sized is the capacity of a unit with which those that need units are carry the rated duty of what the plant serves on
// the design day; 0 where nothing says how large it has to be.
func (b *builder) sized(l *plantLine, spec cooling.Spec, s served, need float64) float64 {
	share := 1.0
	trial := spec
	trial.CapacityW = 1e6
	if plant, err := b.makePlant(l, trial); err == nil && !isCooler(l.Type) && l.Type != "air-side" {
		// A chiller gives less than its rating where it is hotter than at the rating point.
		share = math.Min(1, cooling.CapacityAt(plant, int(need), b.plantDesign(l))/(need*trial.CapacityW))
	}
	if !s.wanted || !(share > 0) || !(s.dutyW > 0) {
		return 0
	}
	return math.Ceil(s.dutyW/(need*share)/roundUpW) * roundUpW
}

// coolerApproach is the approach a cooler is sized with where the file states none: the usual one, or
// what the design day leaves below the warmest water that the servers allow.
func (b *builder) coolerApproach(l *plantLine, s served) float64 {
	if l.Design.Given && l.Supply.V > l.Design.V && l.has("supply") {
		return l.Supply.V - l.Design.V // supply and design state the rating point
	}
	left := s.limitC - coolerAirC(l.Type, b.plantDesign(l))
	if !finite(left) {
		return dryApproachK
	}
	const stepK = 0.1
	return math.Min(dryApproachK, math.Max(minApproachK, math.Floor(left/stepK)*stepK))
}

// coolerAirC is the air a cooler draws in: outdoor air, through wetted pads where it has them.
func coolerAirC(kind string, out cooling.Outdoor) float64 {
	if kind == "adiabatic-cooler" {
		return out.DryBulbC - padShare*math.Max(0, out.DryBulbC-out.WetBulbC)
	}
	return out.DryBulbC
}

// plantDesign is the outdoor air a plant is judged at: the site's, or the plant's own dry bulb.
func (b *builder) plantDesign(l *plantLine) cooling.Outdoor {
	out := b.f.Design
	if l.Design.Given {
		out.DryBulbC = l.Design.V
		out.WetBulbC = math.Min(out.WetBulbC, out.DryBulbC)
		out.DewPointC = math.Min(out.DewPointC, out.DryBulbC)
	}
	return out
}

// makePlant hands a line to the constructor of its type.
func (b *builder) makePlant(l *plantLine, spec cooling.Spec) (cooling.Plant, error) {
	free := l.Economizer == "free-cooling"
	switch l.Type {
	case "water-cooled-chiller":
		return cooling.NewChilledWater(cooling.ChilledWaterParams{Spec: spec, Chiller: l.Chiller, COP: l.COP, Economizer: l.Economizer == "water-side", Cycling: cycling(l)})
	case "air-cooled-chiller":
		return cooling.NewAirCooledChiller(cooling.AirCooledChillerParams{Spec: spec, Chiller: l.Chiller, COP: l.COP, FreeCooling: free, Cycling: cycling(l)})
	case "dx":
		return cooling.NewDX(cooling.DXParams{Spec: spec, Cycling: cycling(l)})
	case "cooling-tower":
		return cooling.NewCoolingTower(cooling.TowerParams{Spec: spec})
	case "air-side":
		p := cooling.AirSideParams{Spec: spec, Adiabatic: l.Adiabatic, SupplyMinC: l.SupplyMin.or(0), DryLockout: l.Lockout, PadEffectiveness: padShare}
		if l.Trim != "none" && l.Trim != "" {
			trim, err := b.makeTrim(l, spec)
			if err != nil {
				return nil, err
			}
			p.Trim = trim
		}
		return cooling.NewAirSideEconomizer(p)
	case "dry-cooler", "adiabatic-cooler":
		p := cooling.DryCoolerParams{
			Spec: spec, Cooler: l.Cooler, DesignC: coolerAirC(l.Type, b.plantDesign(l)), ApproachK: l.Approach.V,
			Adiabatic: l.Type == "adiabatic-cooler", PadEffectiveness: padShare,
		}
		p.Pump.RiseK = dryRiseK
		if data, err := catalog.PlantData(); err == nil {
			if c, ok := data.DryCooler(cmp.Or(l.Cooler, "generic-8k")); ok {
				// The catalogue's cooler at a closer approach moves more air for the same heat.
				ratedK := c.CoolantInC - c.AirC
				p.FanWPerW = c.FanW / c.CapacityW * math.Max(1, ratedK/(l.Approach.V+dryRiseK))
			}
		}
		return cooling.NewDryCooler(p)
	}
	return nil, fmt.Errorf("plants of type %s are not modelled", l.Type)
}

// cycling is what a line says of starting and stopping; what is stated as 0 is none, what isn't stated the plant's default.
func cycling(l *plantLine) cooling.CyclingParams {
	of := func(q Quantity) float64 {
		switch {
		case !q.Given:
			return 0
		case q.V <= 0:
			return -1
		}
		return q.V
	}
	p := cooling.CyclingParams{MinOnS: of(l.MinOn), MinOffS: of(l.MinOff), StartS: of(l.StartLoss)}
	if p.MinOffS == 0 {
		p.MinOffS = p.MinOnS
	}
	return p
}

// economizers lists what takes heat without compressors, by type of plant.
var economizers = map[string]string{"water-cooled-chiller": "water-side", "air-cooled-chiller": "free-cooling"}

// isDirect says whether a plant makes supply air itself, without water between.
func isDirect(kind string) bool { return kind == "dx" || kind == "air-side" }

// isCooler says whether a plant only gives heat to the outdoor air.
func isCooler(kind string) bool {
	return kind == "dry-cooler" || kind == "adiabatic-cooler" || kind == "cooling-tower"
}

// trimBelowK is how much colder than the supply air the water of trim chillers is (assumed).
const trimBelowK = 6.0

// makeTrim is the plant that takes what outdoor air does not: as large as the hall's, and larger where the design day
// takes some of its capacity.
func (b *builder) makeTrim(l *plantLine, spec cooling.Spec) (cooling.Plant, error) {
	line := plantLine{
		origin: l.origin, Type: l.Trim, Chiller: l.Chiller, COP: l.COP, Economizer: "none", Design: l.Design,
		MinOn: l.MinOn, MinOff: l.MinOff, StartLoss: l.StartLoss,
	}
	t := cooling.Spec{Name: spec.Name + ".trim", Type: l.Trim, Units: spec.Units, Redundant: spec.Redundant, CapacityW: spec.CapacityW, SupplyC: spec.SupplyC}
	if l.Trim != "dx" {
		t.SupplyC -= trimBelowK
	}
	trial, err := b.makePlant(&line, t)
	if err != nil {
		return nil, err
	}
	if share := cooling.CapacityAt(trial, t.Units, b.plantDesign(l)) / (float64(t.Units) * t.CapacityW); share > 0 && share < 1 {
		t.CapacityW /= share
	}
	return b.makePlant(&line, t)
}

// waterClass holds a plant's set-point to its class of facility water.
func (b *builder) waterClass(l *plantLine) {
	classes, err := catalog.ASHRAE()
	if err != nil {
		b.d.fail(l.of("class"), joinKey(l.path, "class"), "", "%v", err)
		return
	}
	c, ok := classes.LiquidNamed(l.Class)
	switch {
	case !ok || !finite(c.MaxC):
	case !l.Supply.Given && !l.has("supply"):
		l.Supply.fill(c.MaxC)
	case l.Supply.Given && l.Supply.V > c.MaxC:
		b.d.fail(l.of("supply"), joinKey(l.path, "supply"), "", "water of class %s is at most %g °C (got %s)", l.Class, c.MaxC, units.Format(units.Temperature, l.Supply.V))
	}
}

// plantKeys refuses keys that a plant of this type does not have, and a reset below the set-point.
func (b *builder) plantKeys(l *plantLine) {
	side, chiller := l.Type == "air-side", l.Type == "water-cooled-chiller" || l.Type == "air-cooled-chiller"
	for _, k := range [...]struct {
		key           string
		stated, known bool
		of            string
	}{
		{"trim", l.Trim != "none" && l.Trim != "", side, "air-side"},
		{"adiabatic", l.Adiabatic, side, "air-side"},
		{"supply_min", l.SupplyMin.Given, side, "air-side"},
		{"dry_lockout", l.Lockout, side, "air-side"},
		{"cop", l.COP != 0, side || chiller, "chillers"},
		{"min_on", l.MinOn.Given, side || chiller || l.Type == "dx", "plants with compressors"},
		{"min_off", l.MinOff.Given, side || chiller || l.Type == "dx", "plants with compressors"},
		{"start_loss", l.StartLoss.Given, side || chiller || l.Type == "dx", "plants with compressors"},
		{"reset", l.Reset.Given, !isDirect(l.Type), "plants that make water"},
		{"class", l.Class != "", !isDirect(l.Type), "plants that make water"},
	} {
		if k.stated && !k.known && l.Type != "" {
			b.d.fail(l.of(k.key), joinKey(l.path, k.key), "", "%s is for %s, and this is %s", k.key, k.of, l.Type)
		}
	}
	if l.Reset.Given && l.Reset.V < l.Supply.V {
		b.d.fail(l.of("reset"), joinKey(l.path, "reset"), "", "the set-point is raised, not lowered: want %s or more (got %s)", units.Format(units.Temperature, l.Supply.V), quoteShort(l.Reset.text))
	}
	if l.SupplyMin.Given && l.SupplyMin.V > l.Supply.V {
		b.d.fail(l.of("supply_min"), joinKey(l.path, "supply_min"), "", "want at most the set-point %s (got %s)", units.Format(units.Temperature, l.Supply.V), quoteShort(l.SupplyMin.text))
	}
	if l.Lockout && (l.Trim == "none" || l.Trim == "") {
		b.d.fail(l.of("dry_lockout"), joinKey(l.path, "dry_lockout"), "", "without trim nothing cools the hall while outdoor air is kept out")
	}
}
