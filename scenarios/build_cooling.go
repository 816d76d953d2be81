package scenarios

import (
	"math"
	"slices"
	"strings"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/units"
	"headroom/facility/weather"
)

// Figures that stand in for what a file does not state. Each is printed by Resolved.
const (
	// fanWPerM3s is the fan power of an air handler for its airflow: 0.5 W/CFM, the "better practice" of the
	// Lawrence Berkeley National Laboratory self-benchmarking guide.
	fanWPerM3s = 0.5 * 2118.88
	// fanExponent is how fan power follows flow in real arrays (2.5–2.8; the fan law alone gives 3).
	fanExponent = 2.7
	// rackAirL is the room's air for each rack: 7.5–10 m3 is usual.
	rackAirL = 9000.0
	// rackHeatJPerK is what follows the room's air in each rack: 150–500 kJ/K.
	rackHeatJPerK = 300e3
	// rackWPerK is the conductance between the room's air and a rack with its share of the structure: 150–500 W/K.
	// With these three a room of 5 kW racks that loses all cooling trips its servers at the inlet after about 3
	// minutes and one of 10 kW racks in under one, as measured in a test room (Opengate Data Systems).
	rackWPerK = 500.0
	// cduHeadPa, cduApproachK and cduLPMPerW are a liquid-to-liquid CDU as makers size it: 1.5 L/min per kW and an
	// approach of 3 K (STULZ guidance), 250 kPa (assumed).
	cduHeadPa    = 250e3
	cduApproachK = 3.0
	cduLPMPerW   = 1.5e-3
	// pumpEfficiency turns head and flow into pump power (0.60–0.80, Lei & Masanet 2020).
	pumpEfficiency = 0.7
	// loopLPerW is the coolant of a loop: 100 L per MW of CDU and 1.5 L per kW of manifold.
	loopLPerW = 1.6e-3
)

// buildDesignDay settles the outdoor air on which plant capacity is judged: the dry bulb and the wet bulb
// that the weather exceeds in 0.4 % of its hours, together in one hour, which is a little worse than true.
func (b *builder) buildDesignDay() {
	if b.s.series == nil {
		b.f.Design = cooling.FromSample(weather.Sample{DryBulbC: 35, RH: 0.4, PressurePa: weather.SeaLevelPa})
		return
	}
	b.f.Design = b.s.designDay
}

// designDay finds the design day of a series.
func designDay(s *weather.Series, altitudeM float64) cooling.Outdoor {
	wet := make([]float64, 0, len(s.Samples))
	for _, x := range s.Samples {
		wet = append(wet, cooling.WetBulbC(x.DryBulbC, x.RH, x.PressurePa))
	}
	slices.Sort(wet)
	const exceeded = 0.004
	wetC := wet[min(len(wet)-1, int(math.Ceil((1-exceeded)*float64(len(wet)))))]
	dryC := s.Extremes().Cooling004C
	pressurePa := weather.StandardPressurePa(altitudeM)
	return cooling.FromWetBulb(dryC, wetC, pressurePa)
}

// buildCooling makes rooms, loops and plants and ties the racks to them.
func (b *builder) buildCooling() {
	c := b.s.file.Cooling
	if c == nil {
		if len(b.s.file.Plants.Names) > 0 {
			p := b.s.file.Plants.Lines[0]
			b.warnf(p.at, p.path, "", "no cooling section uses the plants")
		}
		b.warnf(b.s.file.at, "cooling", "", "no cooling is stated: placement counts no cooling limit beyond those of the racks, and a run is refused")
		return
	}
	serves := make([]served, len(b.s.file.Plants.Names))
	if c.Air != nil {
		b.buildRoom(c.Air, serves)
	} else {
		b.warnf(c.at, joinKey(c.path, "air"), "", "no air cooling is stated: placement counts no room limit, and a run is refused")
	}
	if c.Liquid != nil {
		b.buildLoops(c.Liquid, serves)
	}
	b.buildPlants(serves)
}

// served is what a plant has to carry: rated duty and the warmest water that is asked of it.
type served struct {
	dutyW  float64 // rated duty of what the plant serves, redundant units left out
	loadW  float64 // the most that the racks can ask for, at most dutyW
	setC   float64 // water the consumers expect
	limitC float64 // warmest water they can do with
	loops  bool    // liquid loops among them
	// returnC is the return air of rooms, for plants that cool air themselves.
	returnC float64
	wanted  bool
}

// plantIndex finds a plant by name.
func (b *builder) plantIndex(name string, at pos, path string) int {
	p := &b.s.file.Plants
	i := p.index(name)
	if i < 0 && name != "" {
		near, _ := units.Nearest(name, p.Names)
		want := "the file has no plants"
		if len(p.Names) > 0 {
			want = "want one of " + strings.Join(p.Names, ", ")
		}
		b.broken = true
		b.d.fail(at, path, didYouMean(near), "no such plant (got %s, %s)", quoteShort(name), want)
	}
	return max(0, i)
}

func (b *builder) buildRoom(a *airPart, serves []served) {
	unitsN, capacity, airflow := 0, a.Capacity, a.Airflow
	if a.Units != nil {
		unitsN = *a.Units
	}
	fedAt, fed := a.of("fed"), a.Fed
	if len(a.Walls) > 0 {
		for _, k := range [...]string{"units", "capacity", "airflow"} {
			if a.has(k) {
				b.d.fail(a.of(k), joinKey(a.path, k), "", "a room has walls or units of its own (got both)")
			}
		}
		if a.Kind == "rear-door" {
			b.d.fail(a.of("walls"), joinKey(a.path, "walls"), "", "rear doors stand on racks, not in walls")
		}
		w := &a.Walls[0]
		unitsN, capacity, airflow = 0, w.Capacity, w.Airflow
		seen := map[string]bool{}
		for i := range a.Walls {
			x := &a.Walls[i]
			unitsN += x.Units
			if seen[x.At] {
				b.d.fail(x.of("at"), joinKey(x.path, "at"), "", "the wall %s stands twice", quoteShort(x.At))
			}
			seen[x.At] = true
			if x.Capacity.V != capacity.V || x.Airflow.V != airflow.V {
				b.d.fail(x.at, x.path, "", "the walls of one room have units of one kind (%s differs from %s)", x.At, w.At)
			}
			if len(x.Fed) > 0 && len(fed) == 0 {
				fed, fedAt = x.Fed, x.of("fed")
			} else if len(x.Fed) > 0 && !slices.Equal(x.Fed, fed) {
				b.d.fail(x.of("fed"), joinKey(x.path, "fed"), "", "the walls of one room are fed alike (got %s and %s)", strings.Join(x.Fed, ", "), strings.Join(fed, ", "))
			}
		}
	} else {
		b.closeCoupled(a, &unitsN, &airflow)
		for _, k := range [...]struct {
			key     string
			missing bool
			example string
		}{{"units", unitsN == 0 && !a.has("units"), "units: 10"}, {"capacity", !a.has("capacity"), "capacity: 120 kW"}, {"airflow", !airflow.Given && !a.has("airflow"), "airflow: 9 m3/s"}} {
			if k.missing {
				b.d.fail(a.at, joinKey(a.path, k.key), "write, for example, "+k.example+", or walls", "a required key is missing")
			}
		}
	}
	racks := 0
	for _, r := range b.rows {
		racks += r.count
	}
	a.Fan.fill(math.Ceil(fanWPerM3s * airflow.V))
	a.Volume.fill(rackAirL * float64(racks))
	a.Structure.fill(rackHeatJPerK * float64(racks))
	a.Coupling.fill(rackWPerK * float64(racks))
	redundant, ok := a.Scheme.redundant(unitsN)
	if !ok && unitsN > 0 {
		b.d.fail(a.of("scheme"), joinKey(a.path, "scheme"), "", "%s is not possible with %d units", a.Scheme.Text, unitsN)
	}
	room := cooling.Room{
		Name: "cooling.air", Units: unitsN, Redundant: redundant,
		CapacityW: capacity.V, AirflowM3s: airflow.V,
		RatedReturnC: a.Rated.Return.V, RatedWaterC: a.Rated.Water.V, WaterRiseK: a.Rated.Rise.V,
		SupplyC: a.Supply.V, FanW: a.Fan.V, FanExponent: fanExponent, FanMin: a.FanMin.V,
		Containment: containments[a.Containment], BypassShare: cooling.DefaultBypassShare, Standby: a.Standby, DewPointC: a.DewPoint.V,
		VolumeM3: a.Volume.V / 1000, StructureJPerK: a.Structure.V, StructureWPerK: a.Coupling.V, WallWPerK: a.Conduction.V, AmbientC: a.Ambient.V,
		Plant: b.plantIndex(a.Plant, a.of("plant"), joinKey(a.path, "plant")),
		Fed:   b.fed(fed, fedAt, joinKey(a.path, "fed")),
	}
	if capacity.Given && airflow.Given && unitsN > 0 {
		if i := b.s.file.Plants.index(a.Plant); i >= 0 && isDirect(b.s.file.Plants.Lines[i].Type) {
			room.Direct = true
			room.SupplyMinC = b.s.file.Plants.Lines[i].SupplyMin.or(0)
		}
		if a.Kind == "rear-door" {
			b.rearDoors(a, &room)
		}
		b.humidity(a, &room)
		if err := room.Validate(); err != nil {
			b.d.fail(a.at, a.path, "", "%v", err)
		}
	}
	b.f.Cooling.Rooms = append(b.f.Cooling.Rooms, room)
	heat := 0.0
	for i := range b.f.Racks {
		r := &b.f.Racks[i]
		r.Room = 0
		heat += rackHeat(r.PowerW, r.AirW)
	}
	fanW := float64(unitsN) * room.FanW
	b.f.Mechanical = append(b.f.Mechanical, facility.MechanicalLoad{Name: room.Name, Fed: room.Fed, W: ceilW(fanW)})
	if i := b.s.file.Plants.index(a.Plant); i >= 0 {
		duty := float64(unitsN-redundant) * room.CapacityW
		setC, limitC := a.Rated.Water.V, a.Rated.Water.V
		if room.Direct {
			setC, limitC = a.Supply.V, math.Max(a.Supply.V, b.inletMaxC())
		}
		serves[i].add(duty, math.Min(duty, heat+fanW), setC, limitC)
		serves[i].returnC = a.Rated.Return.V
	}
}

// rackHeat is the most that a rack can put into one medium, +Inf when no limit says.
func rackHeat(powerW, mediumW int64) float64 {
	switch {
	case powerW >= 0 && mediumW >= 0:
		return float64(min(powerW, mediumW))
	case powerW >= 0:
		return float64(powerW)
	case mediumW >= 0:
		return float64(mediumW)
	}
	return math.Inf(1)
}

func (s *served) add(dutyW, loadW, setC, limitC float64) {
	s.dutyW += dutyW
	s.loadW += loadW
	if !s.wanted || setC < s.setC {
		s.setC = setC
	}
	if !s.wanted || limitC < s.limitC {
		s.limitC = limitC
	}
	s.wanted = true
}

// coolantMaxC is the warmest coolant that every liquid server of the orders allows, +Inf where none says.
func (b *builder) coolantMaxC() float64 {
	c := math.Inf(1)
	for i := range b.f.Models {
		if m := &b.f.Models[i]; m.Liquid && finite(m.CoolantMaxC) {
			c = math.Min(c, m.CoolantMaxC)
		}
	}
	return c
}

func (b *builder) buildLoops(l *liquidPart, serves []served) {
	c := l.CDUs.part
	if c == nil {
		return // told already
	}
	// Keys of the loop stand for those of its CDUs.
	for _, k := range [...]struct {
		cdu, loop *Quantity
		key       string
	}{
		{&c.Capacity, &l.Capacity, "capacity"},
		{&c.Flow, &l.Flow, "flow"},
		{&c.Head, &l.Head, "head"},
		{&c.Approach, &l.Approach, "approach"},
		{&c.Volume, &l.Volume, "volume"},
		{&c.Pump, &l.Pump, "pump"},
	} {
		if !k.loop.Given {
			continue
		}
		if l.has(k.key) && c.has(k.key) {
			b.d.fail(k.loop.pos, joinKey(l.path, k.key), "", "stated twice, here and in cdus")
		}
		*k.cdu, *k.loop = *k.loop, Quantity{}
	}
	switch {
	case c.Scheme.Text == "" && l.Scheme.Text == "":
		c.Scheme = scheme{Text: "N"}
	case c.Scheme.Text == "":
		c.Scheme = l.Scheme
	case l.Scheme.Text != "":
		b.d.fail(l.of("scheme"), joinKey(l.path, "scheme"), "", "stated twice, here and in cdus")
	}
	l.Scheme = scheme{}
	if len(c.Fed) == 0 {
		c.Fed, l.Fed = l.Fed, nil
	} else if len(l.Fed) > 0 {
		b.d.fail(l.of("fed"), joinKey(l.path, "fed"), "", "stated twice, here and in cdus")
	}
	if !c.Capacity.Given && !l.has("capacity") && !c.has("capacity") {
		b.d.fail(l.at, joinKey(l.path, "capacity"), "write, for example, capacity: 1 MW", "a required key is missing: what one CDU takes")
	}
	b.coolantClass(l)
	c.Flow.fill(cduLPMPerW * c.Capacity.V)
	c.Head.fill(cduHeadPa)
	c.Approach.fill(cduApproachK)
	c.Volume.fill(loopLPerW * c.Capacity.V * float64(c.Count))
	c.Pump.fill(math.Ceil(c.Flow.V / 60000 * c.Head.V / pumpEfficiency))
	redundant, ok := c.Scheme.redundant(c.Count)
	if !ok && c.Count > 0 {
		b.d.fail(l.of("scheme"), joinKey(l.path, "scheme"), "", "%s is not possible with %d CDUs", c.Scheme.Text, c.Count)
	}
	loop := cooling.Loop{
		CDUs: c.Count, Redundant: redundant, CapacityW: c.Capacity.V, FlowLPM: c.Flow.V, HeadKPa: c.Head.V / 1000,
		ApproachK: c.Approach.V, Coolant: l.Coolant, VolumeL: c.Volume.V, SupplyC: l.Supply.V, PumpW: c.Pump.V,
		Standby: l.Standby, DryReset: l.DryReset, Air: b.airSink(l, c),
		Plant: b.plantIndex(l.Plant, l.of("plant"), joinKey(l.path, "plant")),
	}
	loop.Fed = b.fed(c.Fed, l.of("fed"), joinKey(l.path, "fed"))
	if c.Capacity.Given && c.Count > 0 {
		if err := loop.Validate(); err != nil {
			b.d.fail(l.at, l.path, "", "%v", err)
		}
	}
	b.condensation(l)
	plant := b.s.file.Plants.index(l.Plant)
	if loop.Air != nil { // the heat reaches a plant by way of the room
		plant, loop.Plant = -1, -1
		if n := len(b.f.Cooling.Rooms); n > 0 {
			loop.Plant = b.f.Cooling.Rooms[n-1].Plant
		}
	}
	addLoop := func(name string, row string) {
		loop.Name = name
		b.f.Cooling.Loops = append(b.f.Cooling.Loops, loop)
		heat := 0.0
		for i := range b.f.Racks {
			r := &b.f.Racks[i]
			if row != "" && r.Row != row {
				continue
			}
			r.Loop = len(b.f.Cooling.Loops) - 1
			heat += rackHeat(r.PowerW, r.LiquidW)
		}
		pumpsW := float64(loop.CDUs) * loop.PumpW
		if loop.Air != nil {
			pumpsW += float64(loop.CDUs) * loop.Air.FanW
		}
		b.f.Mechanical = append(b.f.Mechanical, facility.MechanicalLoad{Name: name, Fed: loop.Fed, W: ceilW(pumpsW)})
		if plant >= 0 {
			serves[plant].loops = true
			duty := float64(loop.CDUs-loop.Redundant) * loop.CapacityW
			serves[plant].add(duty, math.Min(duty, heat+pumpsW), loop.SupplyC-loop.ApproachK, b.coolantMaxC()-loop.ApproachK)
		}
	}
	if c.Per != "row" {
		addLoop("cooling.liquid", "")
		return
	}
	for _, row := range b.names {
		addLoop("cooling.liquid["+row+"]", row)
	}
}
