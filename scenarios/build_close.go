package scenarios

import (
	"math"

	"headroom/facility/catalog"
	"headroom/facility/cooling"
	"headroom/facility/units"
	"headroom/facility/weather"
)

// Figures of cooling close to the racks. Each is printed by Resolved.
const (
	// closeRiseK is the air's rise through close-coupled units and liquid-to-air CDUs where no airflow is stated
	// (assumed; servers give 11–17 K at load).
	closeRiseK = 12.0
	// inRowFanShare is the fans of an in-row unit for its capacity: 2–4 % is usual.
	inRowFanShare = 0.03
	// sidecarFanShare is the fans of a liquid-to-air CDU for its capacity: 3–5 % is usual.
	sidecarFanShare = 0.04
)

// airflowFor is the air that carries heat at closeRiseK at sea level.
func airflowFor(heatW float64) float64 {
	return math.Ceil(100*cooling.AirflowM3s(heatW, closeRiseK, 101325)) / 100
}

// closeCoupled fills what rear doors and in-row units do not need to state.
func (b *builder) closeCoupled(a *airPart, unitsN *int, airflow *Quantity) {
	if a.Kind != "rear-door" && a.Kind != "in-row" {
		return
	}
	if a.Kind == "rear-door" && a.Units == nil {
		n := 0
		for _, r := range b.rows {
			n += r.count
		}
		if n > 0 {
			a.Units, *unitsN = &n, n
		}
	}
	if a.Capacity.Given {
		a.Airflow.fill(airflowFor(a.Capacity.V))
		*airflow = a.Airflow
		if a.Kind == "rear-door" {
			a.Fan.fill(0) // passive: the servers' own fans push
		} else {
			a.Fan.fill(math.Ceil(inRowFanShare * a.Capacity.V))
		}
	}
}

// rearDoors turns a room into one of rear doors: no surface of theirs may be wet, and there is one on every rack.
func (b *builder) rearDoors(a *airPart, room *cooling.Room) {
	room.Containment, room.BypassShare = cooling.RearDoors, 0
	if room.Direct {
		b.d.fail(a.of("plant"), joinKey(a.path, "plant"), "", "rear doors need a plant that makes water")
	}
	racks := 0
	for _, r := range b.rows {
		racks += r.count
	}
	if room.Units < racks {
		b.d.fail(a.of("units"), joinKey(a.path, "units"), "", "every rack needs a rear door (got %d doors for %d racks)", room.Units, racks)
	}
	if water := a.Rated.Water; water.V < a.DewPoint.V+cooling.MinCondensationMarginK {
		b.d.fail(a.Rated.of("water"), joinKey(a.Rated.path, "water"), "warmer water, or a drier room: cooling.air.dew_point", "water drips from rear doors: want at least %s, %g K above the room's dew point of %s (got %s)",
			units.Format(units.Temperature, a.DewPoint.V+cooling.MinCondensationMarginK), cooling.MinCondensationMarginK,
			units.Format(units.Temperature, a.DewPoint.V), units.Format(units.Temperature, water.V))
	}
}

// inletMaxC is the warmest inlet air that every server of the orders allows, −Inf where none says.
func (b *builder) inletMaxC() float64 {
	c := math.Inf(1)
	for i := range b.f.Models {
		if m := &b.f.Models[i]; finite(m.InletMaxC) && m.InletMaxC > 0 {
			c = math.Min(c, m.InletMaxC)
		}
	}
	if !finite(c) {
		return math.Inf(-1)
	}
	return c
}

// coolantClass holds a loop's set-point to its class of coolant.
func (b *builder) coolantClass(l *liquidPart) {
	if l.Class == "" {
		return
	}
	classes, err := catalog.ASHRAE()
	if err != nil {
		b.d.fail(l.of("class"), joinKey(l.path, "class"), "", "%v", err)
		return
	}
	c, ok := classes.LiquidNamed(l.Class)
	switch {
	case !ok || !finite(c.MaxC):
	case !l.has("supply"):
		l.Supply = Quantity{V: c.MaxC, Given: true, pos: l.Supply.pos}
	case l.Supply.V > c.MaxC:
		b.d.fail(l.of("supply"), joinKey(l.path, "supply"), "", "coolant of class %s is at most %g °C (got %s)", l.Class, c.MaxC, units.Format(units.Temperature, l.Supply.V))
	}
}

// airSink is the air side of liquid-to-air CDUs, nil for CDUs on a plant's water.
func (b *builder) airSink(l *liquidPart, c *cduPart) *cooling.AirSink {
	if l.Into != "air" {
		for _, k := range [...]string{"airflow", "fan"} {
			if l.has(k) {
				b.d.fail(l.of(k), joinKey(l.path, k), "", "%s is for liquid-to-air CDUs (into: air)", k)
			}
		}
		if l.Plant == "" && !l.has("plant") {
			b.d.fail(l.at, joinKey(l.path, "plant"), "write, for example, plant: warm-water", "a required key is missing")
		}
		return nil
	}
	if l.has("plant") {
		b.d.fail(l.of("plant"), joinKey(l.path, "plant"), "", "liquid-to-air CDUs give their heat to the room, which has a plant of its own (got plant %s)", quoteShort(l.Plant))
	}
	if len(b.f.Cooling.Rooms) == 0 {
		b.d.fail(l.of("into"), joinKey(l.path, "into"), "", "there is no air cooling that would take the heat")
		return nil
	}
	l.Airflow.fill(airflowFor(c.Capacity.V))
	l.Fan.fill(math.Ceil(sidecarFanShare * c.Capacity.V))
	room := len(b.f.Cooling.Rooms) - 1
	r := &b.f.Cooling.Rooms[room]
	duty := float64(r.Units-r.Redundant) * r.CapacityW
	if need := float64(c.Count) * c.Capacity.V; c.Capacity.Given && need > duty {
		b.warnf(l.at, joinKey(l.path, "into"), "", "liquid-to-air CDUs may give the room %s and it takes %s: what is placed is held to that", units.Format(units.Power, need), units.Format(units.Power, duty))
	}
	return &cooling.AirSink{Room: room, AirflowM3s: l.Airflow.V, FanW: l.Fan.V, PressurePa: b.f.Design.PressurePa}
}

// dampestC is the highest dew point of the weather, +Inf without any.
func (b *builder) dampestC() float64 {
	if b.s.series == nil {
		return math.Inf(1)
	}
	c := math.Inf(-1)
	for _, x := range b.s.series.Samples {
		c = math.Max(c, weather.DewPointC(x.DryBulbC, x.RH))
	}
	return c
}

// condensation refuses coolant so cold that its hoses and plates get wet, unless the run may raise it.
func (b *builder) condensation(l *liquidPart) {
	a := b.s.file.Cooling.Air
	if a == nil || !l.Supply.Given {
		return
	}
	dewC := a.DewPoint.V
	direct := false
	if i := b.s.file.Plants.index(a.Plant); i >= 0 && b.s.file.Plants.Lines[i].Type == "air-side" {
		direct = true
	}
	switch {
	case l.DryReset:
	case direct && l.Supply.V >= b.dampestC()+cooling.MinCondensationMarginK:
	case direct:
		b.warnf(l.at, joinKey(l.path, "supply"), "", "the room breathes outdoor air: its dew point follows the weather; with dry_reset the set-point of %s is raised where it has to be",
			units.Format(units.Temperature, l.Supply.V))
	case l.Supply.V < dewC+cooling.MinCondensationMarginK:
		b.d.fail(l.of("supply"), joinKey(l.path, "supply"), "warmer coolant, a drier room (cooling.air.dew_point), or dry_reset: true", "coolant hoses get wet: want at least %s, %g K above the room's dew point of %s (got %s)",
			units.Format(units.Temperature, dewC+cooling.MinCondensationMarginK), cooling.MinCondensationMarginK,
			units.Format(units.Temperature, dewC), units.Format(units.Temperature, l.Supply.V))
	}
}
