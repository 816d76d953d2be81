package sim

import (
	"fmt"
	"math"

	"headroom/facility/cooling"
	"headroom/facility/power"
	"headroom/sim/thermal"
)

// building is the state of rooms, loops, plants and power at this instant, and the sums over servers
// that they answer to.
type building struct {
	rhoCp  float64 // J/m³K of the room air at this altitude
	airPa  float64
	out    cooling.Outdoor
	flow   *power.Flow
	rooms  []cooling.RoomPoint
	loops  []cooling.LoopPoint
	plants []cooling.PlantPoint
	specs  []cooling.Spec // of the plants

	// Units up, before and after what a lost feed takes away.
	roomUp, loopUp, plantUp []int
	// Consumers in the power flow: racks come first, by index.
	roomCon, loopCon, plantCon []int
	otherCon                   int // -1: none
	humid                      humidities

	airW, airM3s     []float64 // by room, IT alone
	roomITW          []float64 // by room, at the cord
	liquidW, flowLPM []float64 // by loop
	itW, fanW, gpuW  float64   // over all servers
	waterC           []float64 // by plant, supply that rooms and loops see now
	changed          bool      // something the building answers to has moved
	extra            []int64   // curve extrapolations, by plant
	// What rooms and plants were asked for, prices and grid carbon per kWh, and the rooms' dew point, by the hour.
	roomHeatW, roomM3s, plantHeatW []float64
	perKWh, carbon, dewC           float64
	dryResets                      int64   // loop settlings at a set-point raised above the dew point
	overheated                     []bool  // by room: its air passed hallTripC
	capped                         []int64 // inlets whose recirculation share was capped, by room
	stalled                        []bool  // by plant: nothing leaves its water, which its pumps still move; nil: none
}

func (e *engine) initBuilding() error {
	b, f := &e.b, e.fac
	pa := f.Design.PressurePa
	if !(pa > 0) {
		return fmt.Errorf("design day without an air pressure")
	}
	b.airPa = pa
	b.rhoCp = 1 / cooling.AirRiseK(1, 1, pa)
	n, l, p := len(f.Cooling.Rooms), len(f.Cooling.Loops), len(f.Cooling.Plants)
	e.carried.init(n, l, p)
	e.racks = make([]rack, len(f.Racks))
	e.rooms, e.loops = make([]driver, n), make([]driver, l)
	b.rooms, b.loops, b.plants = make([]cooling.RoomPoint, n), make([]cooling.LoopPoint, l), make([]cooling.PlantPoint, p)
	b.roomUp, b.loopUp, b.plantUp = make([]int, n), make([]int, l), make([]int, p)
	b.roomCon, b.loopCon, b.plantCon = make([]int, n), make([]int, l), make([]int, p)
	b.airW, b.airM3s, b.roomITW = make([]float64, n), make([]float64, n), make([]float64, n)
	b.liquidW, b.flowLPM = make([]float64, l), make([]float64, l)
	b.waterC, b.extra = make([]float64, p), make([]int64, p)
	b.roomHeatW, b.roomM3s, b.plantHeatW = make([]float64, n), make([]float64, n), make([]float64, p)

	var cons []power.Consumer
	add := func(name string, fed []int, it bool, pf float64) int {
		cons = append(cons, power.Consumer{Name: name, Fed: fed, IT: it, PF: pf})
		return len(cons) - 1
	}
	for i := range f.Racks {
		e.racks[i] = rack{consumer: add(f.Racks[i].ID, f.Racks[i].Feeds, true, 1), inletC: math.NaN(), inletMaxC: math.Inf(-1), gpuMaxC: math.Inf(-1)}
	}
	for i := range f.Cooling.Rooms {
		r := &f.Cooling.Rooms[i]
		b.roomUp[i], b.roomCon[i] = r.Units, add(r.Name+" fans", r.Fed, false, 1)
		e.rooms[i] = driver{appliedC: r.SupplyC, phi: 1}
		e.rooms[i].path, e.rooms[i].mass = thermal.Still(r.SupplyC), thermal.Still(r.SupplyC)
	}
	for i := range f.Cooling.Loops {
		c := &f.Cooling.Loops[i]
		b.loopUp[i], b.loopCon[i] = c.CDUs, add(c.Name+" pumps", c.Fed, false, 1)
		e.loops[i] = driver{appliedC: c.SupplyC, phi: 1, isLoop: true, index: int32(i)}
		e.loops[i].path = thermal.Still(c.SupplyC)
	}
	for i, pl := range f.Cooling.Plants {
		s := pl.Spec()
		b.specs = append(b.specs, s)
		b.plantUp[i], b.plantCon[i] = s.Units, add(s.Name, s.Fed, false, 1)
		b.waterC[i] = s.SupplyC
		e.waters = append(e.waters, driver{path: thermal.Still(s.SupplyC), appliedC: s.SupplyC, endC: s.SupplyC, phi: 1})
	}
	b.humid.init(f.Cooling.Rooms, add)
	b.otherCon = -1
	if f.OtherW > 0 {
		b.otherCon = add("other", f.OtherFed, false, 1)
	}
	graph := f.Power
	if graph == nil { // no electrical side is described: nothing limits or loses
		graph = unlimited()
		for i := range cons {
			cons[i].Fed = []int{0}
		}
	}
	e.graph = graph
	b.flow = graph.NewFlow(cons)
	if b.otherCon >= 0 {
		b.flow.Set(b.otherCon, f.OtherW)
	}
	e.powerUp, e.tripped = make([]int, len(e.graph.Nodes)), make([]bool, len(e.graph.Nodes))
	for i := range e.graph.Nodes {
		e.powerUp[i] = e.graph.Nodes[i].Units
	}
	b.out = f.Design
	b.changed = true
	e.initPaths()
	return nil
}

// unlimited is a utility that carries everything, for a scenario without a power section.
func unlimited() *power.Graph {
	g, err := power.New([]power.Node{{ID: "utility", Kind: power.Utility, Units: 1, RatingVA: 1e12, PF: 1, Derate: 1}})
	if err != nil {
		panic(err) // a constant
	}
	return g
}

// initPaths builds the air path of each room from where its racks stand.
func (e *engine) initPaths() {
	e.slot = make([]int, len(e.fac.Racks))
	e.paths = make([]*cooling.AirPaths, len(e.rooms))
	e.b.capped, e.b.overheated = make([]int64, len(e.rooms)), make([]bool, len(e.rooms))
	for r := range e.rooms {
		var x, y []float64
		var rows, height []int
		row := map[string]int{}
		for i := range e.fac.Racks {
			k := &e.fac.Racks[i]
			if k.Room != r {
				continue
			}
			if _, ok := row[k.Row]; !ok {
				row[k.Row] = len(row)
			}
			e.slot[i] = len(x)
			x, y = append(x, k.XM), append(y, k.YM)
			rows, height = append(rows, row[k.Row]), append(height, k.HeightU)
		}
		e.paths[r] = cooling.NewAirPaths(e.fac.Cooling.Rooms[r].Containment, x, y, rows, height)
	}
}

// add moves one server from what it was to what it is in the sums the building answers to.
func (b *building) add(e *engine, s *server, was, is *thermal.Settled) {
	if s.loop >= 0 && (is.WallW > 0) != (was.WallW > 0) {
		lpm := s.m.FlowLPM
		if is.WallW == 0 {
			lpm = -lpm
		}
		b.flowLPM[s.loop] += lpm
	}
	b.addMany(s.room, s.loop, 1, was, is)
	e.racks[s.rack].itW += is.WallW - was.WallW
	e.touchRack(s.rack)
}

// sumRack sums the power of a rack anew.
func (e *engine) sumRack(rk *rack) {
	rk.stale = false
	rk.itW = 0
	for _, i := range rk.servers {
		rk.itW += e.srv[i].set.WallW
	}
}

// addMany does it for n servers of one room and one loop (−1: none) that are up before and after.
func (b *building) addMany(room, loop int32, n float64, was, is *thermal.Settled) {
	b.airW[room] += n * (is.AirW - was.AirW)
	b.airM3s[room] += n * (is.AirM3s - was.AirM3s)
	wallW := n * (is.WallW - was.WallW)
	b.roomITW[room] += wallW
	if loop >= 0 {
		b.liquidW[loop] += n * (is.LiquidW - was.LiquidW)
	}
	b.itW += wallW
	b.fanW += n * (is.FanW - was.FanW)
	b.gpuW += n * (is.GPUW - was.GPUW)
	b.changed = true
}

// touchRack remembers that a rack's power has to go into the flow.
func (e *engine) touchRack(r int32) {
	if rk := &e.racks[r]; !rk.hot {
		rk.hot = true
		e.hot = append(e.hot, r)
	}
}

// resum recomputes the sums from the servers, so that rounding never builds up.
func (e *engine) resum() {
	b := &e.b
	for _, s := range [][]float64{b.airW, b.airM3s, b.roomITW, b.liquidW, b.flowLPM} {
		clear(s)
	}
	b.itW, b.fanW, b.gpuW = 0, 0, 0
	for i := range e.srv {
		s := &e.srv[i]
		b.airW[s.room] += s.set.AirW
		b.airM3s[s.room] += s.set.AirM3s
		b.roomITW[s.room] += s.set.WallW
		if s.loop >= 0 {
			b.liquidW[s.loop] += s.set.LiquidW
			if s.set.WallW > 0 {
				b.flowLPM[s.loop] += s.m.FlowLPM
			}
		}
		b.itW += s.set.WallW
		b.fanW += s.set.FanW
		b.gpuW += s.set.GPUW
	}
	for r := range e.racks {
		e.sumRack(&e.racks[r])
		b.flow.SetLater(e.racks[r].consumer, e.racks[r].itW)
	}
	b.flow.Solve()
	e.m.resum(e)
	e.resumRates()
}

// unitsFed returns the units of a component that run: those that are up, none without a live feed.
func (b *building) unitsFed(up, consumer int) int {
	if !b.flow.Served(consumer) {
		return 0
	}
	return up
}

// The iteration of cooling against power stops when what each side was solved for has moved by less: 1 W of
// loss in the halls is 0.2 W at a chiller.
const (
	closeW = 1.0
)

// hallTripC is the room air above which UPS, boards and lamps in it are taken to have switched off: they no
// longer heat it (assumed; UPS are rated to 40–50 °C and have long stopped). A room that gets there is told.
const hallTripC = 100

// closeBuilding iterates rooms, loops, plants and power in a fixed order until they stand: losses heat
// rooms, chillers load transformers.
func (e *engine) closeBuilding() error {
	b, f := &e.b, e.fac
	for _, r := range e.hot {
		rk := &e.racks[r]
		rk.hot = false
		if rk.stale || rk.itW < 1 { // what rounding leaves of an empty rack is no load
			e.sumRack(rk)
		}
		e.power.rack(int(r), rk.meteredW, rk.itW)
		rk.meteredW = rk.itW
		rk.peakW = max(rk.peakW, rk.itW)
		b.flow.SetLater(rk.consumer, rk.itW)
	}
	e.hot = e.hot[:0]
	b.flow.Apply()
	if !b.changed {
		return nil
	}
	b.changed = false
	const most = 60
	hallLoss := b.hallLossW()
	for pass := 0; ; pass++ {
		e.approx.power++
		moved := false
		for i := range f.Cooling.Rooms {
			r := &f.Cooling.Rooms[i]
			share := 1 / float64(len(f.Cooling.Rooms))
			if b.itW > 0 {
				share = b.roomITW[i] / b.itW
			}
			sideW, sideM3s := e.sideAir(i)
			electric := share * (hallLoss + f.OtherW)
			if e.rooms[i].path.At(e.now) > hallTripC {
				electric = 0
				e.b.overheated[i] = true
			}
			heat := b.airW[i] + electric + sideW + b.humid.now(b, i).HeatW
			b.roomHeatW[i], b.roomM3s[i] = heat, b.airM3s[i]+sideM3s
			units := b.unitsFed(b.roomUp[i], b.roomCon[i])
			if r.Plant >= 0 && !b.circulates(r.Plant) {
				units = 0 // coils that no water goes through take no heat
			}
			e.solveRoom(i, units, heat, b.roomM3s[i], b.plantWater(r.Plant), &b.rooms[i])
			b.flow.SetLater(b.roomCon[i], b.rooms[i].FanW)
		}
		for i := range f.Cooling.Loops {
			l, fanW := e.loopNow(i), b.loops[i].FanW
			e.solveLoop(i, l, b.unitsFed(b.loopUp[i], b.loopCon[i]), b.liquidW[i], b.flowLPM[i], e.loopWater(l), &b.loops[i])
			moved = moved || math.Abs(b.loops[i].FanW-fanW) > closeW
			b.flow.SetLater(b.loopCon[i], b.loops[i].PumpW+b.loops[i].FanW)
		}
		for i := range f.Cooling.Plants {
			load, p := e.plantLoad(i, 0), &b.plants[i]
			e.solvePlant(i, &load, p)
			if lagW := e.lagW(i); lagW != 0 {
				e.powerUnder(i, lagW)
			}
			if b.stalled != nil && b.stalled[i] {
				stall(p, b.waterC[i], b.plantHeatW[i])
			}
			b.flow.SetLater(b.plantCon[i], p.CompressorW+p.RejectionW+p.PumpW)
		}
		// Rooms, loops and plants have answered for these losses; are they still the same?
		b.flow.Apply()
		was := hallLoss
		hallLoss = b.hallLossW()
		if !moved && math.Abs(hallLoss-was) < closeW {
			break
		}
		if pass >= most {
			return fmt.Errorf("at %s: cooling and power don't close to %g W: losses in the halls %.1f W, before %.1f W", e.clock(), closeW, hallLoss, was)
		}
	}
	for i := range b.plants {
		b.extra[i] += int64(b.plants[i].Extrapolated)
	}
	return nil
}

// hallLossW is the electrical loss that heats the halls: UPS and distribution; transformers stand outside.
func (b *building) hallLossW() float64 {
	return b.flow.KindLossW(power.UPS) + b.flow.KindLossW(power.Distribution) + b.flow.KindLossW(power.RackFeed)
}

// circulates says whether a plant's pumps move its water: without one unit that runs it stands still.
func (b *building) circulates(plant int) bool {
	return b.unitsFed(b.plantUp[plant], b.plantCon[plant]) > 0
}

// stillWaterShare is what a loop still sees of a plant's water that stands still: what is in its exchanger.
const stillWaterShare = 1e-3

// waterJPerK is the water of a plant that loops and rooms see.
func (e *engine) waterJPerK(plant int) float64 {
	c := e.b.specs[plant].HeatJPerK
	if !e.b.circulates(plant) {
		c *= stillWaterShare
	}
	return c
}

// plantWater is the water that a plant holds; a room or loop without a plant rejects to outdoor air.
func (b *building) plantWater(plant int) float64 {
	if plant < 0 {
		return b.out.DryBulbC
	}
	return b.waterC[plant]
}

// lagW is by how much the heat that reaches a plant differs from what it will be once the rooms and loops behind it
// have settled: while they warm they take part of it up, while they cool they give it back.
func (e *engine) lagW(i int) float64 {
	b, f := &e.b, e.fac
	sum := 0.0
	add := func(d *driver, held bool, supplyC, wPerK, dutyW float64) {
		if held || dutyW <= 0 || e.now == 0 {
			return
		}
		nowC := d.path.At(e.now)
		sum += max(-dutyW, wPerK*(d.midC(nowC, supplyC)-supplyC))
	}
	for j := range f.Cooling.Rooms {
		if p := &b.rooms[j]; f.Cooling.Rooms[j].Plant == i {
			add(&e.rooms[j], p.Held, p.SupplyC, p.WPerK, p.DutyW)
		}
	}
	for j := range f.Cooling.Loops {
		if p := &b.loops[j]; f.Cooling.Loops[j].Plant == i && f.Cooling.Loops[j].Air == nil {
			add(&e.loops[j], p.Held, p.SupplyC, p.WPerK, p.DutyW)
		}
	}
	return sum
}

// powerUnder gives a plant the power and the water that the heat which reaches it now takes. Where its water settles
// stays with the heat that will.
func (e *engine) powerUnder(i int, lagW float64) {
	p := &e.b.plants[i]
	q := e.fac.Cooling.Plants[i].Solve(e.plantLoad(i, lagW))
	p.CompressorW, p.RejectionW, p.PumpW, p.FreeShare = q.CompressorW, q.RejectionW, q.PumpW, q.FreeShare
	p.EvaporationKgS, p.BlowdownKgS, p.DriftKgS = q.EvaporationKgS, q.BlowdownKgS, q.DriftKgS
}

// plantLoad is what rooms and loops ask of a plant, and what they lag.
func (e *engine) plantLoad(i int, lagW float64) cooling.Load {
	b, f := &e.b, e.fac
	setC := e.plantSetC(i, &b.specs[i])
	heat, lpm, returnW := lagW, 0.0, 0.0 // returnW: °C times heat of rooms whose air the plant makes itself
	for j := range f.Cooling.Rooms {
		if f.Cooling.Rooms[j].Plant == i {
			heat += b.rooms[j].DutyW
			lpm += b.rooms[j].WaterLPM
			returnW += b.rooms[j].DutyW * b.rooms[j].ReturnC
		}
	}
	for j := range f.Cooling.Loops {
		if l := &f.Cooling.Loops[j]; l.Plant == i && l.Air == nil {
			heat += b.loops[j].DutyW
			lpm += b.loops[j].WaterLPM
		}
	}
	heat = max(heat, 0)
	if lagW == 0 {
		b.plantHeatW[i] = heat
	}
	ret := setC
	if lpm > 0 {
		ret = cooling.WaterReturnC(setC, heat, lpm)
	} else if heat > 0 && returnW > 0 {
		ret = returnW / heat
	}
	return cooling.Load{HeatW: heat, ReturnC: ret, Units: b.unitsFed(b.plantUp[i], b.plantCon[i]), SetC: setC, Out: b.out}
}

// weather takes the hour's outdoor air.
func (e *engine) weather() {
	t := e.cfg.Start.Add(durationNS(e.now))
	if s, ok := e.cfg.Weather.At(t); ok { // Config.check has made sure of it
		e.b.out = cooling.FromSample(s)
	}
	e.m.outdoor(e)
	e.price()
	e.b.humid.weather(e)
	e.b.changed = true
	if e.now%(24*hourNS) == 0 {
		e.resum()
	}
	e.push(e.now+hourNS-e.now%hourNS, evWeather, 0)
}
