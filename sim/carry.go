package sim

import (
	"math"

	"headroom/facility/cooling"
)

// Rooms, loops and plants are smooth functions of their loads while weather, units and water stand still, and a job that
// starts in a large building moves those loads by little. So they are solved on a grid of loads and carried on between
// its points by the chord.
const (
	// gridShare is the step of the grid as a share of rated capacity (or flow). What goes with the cube of a load, as
	// fans and pumps do, is off by at most 0.75·gridShare² = 8e-5 of its rated power.
	gridShare = 1. / 100
	gridNodes = 128 // points remembered by component; a power of two
)

// carry is one component and the points of the grid that it has been solved for. K is all that its answer depends on
// beside its loads; another K forgets them.
type carry[K comparable, P any] struct {
	key   K
	epoch uint32
	cellX int32 // of the last call
	cellY int32
	nodes [gridNodes]gridNode[P]
}

type gridNode[P any] struct {
	epoch uint32 // 0: empty
	x, y  int32
	p     P
}

// farCell is a cell that no load is near.
const farCell = math.MinInt32 / 2

// near says whether loads in steps of the grid are to be interpolated: with the same key as at the last call, and not
// more than a cell away. Anything else is solved as it is: where loads jump, a grid costs more than it saves.
func (c *carry[K, P]) near(key K, x, y float64) bool {
	if key != c.key || c.epoch == 0 {
		c.key = key
		c.epoch++
		c.cellX, c.cellY = farCell, farCell
	}
	const most = 1 << 30
	if !(math.Abs(x) < most && math.Abs(y) < most) {
		c.cellX, c.cellY = farCell, farCell
		return false
	}
	cx, cy := int32(math.Floor(x)), int32(math.Floor(y))
	dx, dy := cx-c.cellX, cy-c.cellY
	c.cellX, c.cellY = cx, cy
	return dx >= -1 && dx <= 1 && dy >= -1 && dy <= 1
}

// node returns the place of a point of the grid, and whether it holds it.
func (c *carry[K, P]) node(x, y int32) (*gridNode[P], bool) {
	n := &c.nodes[uint32(x*5+y*53)%gridNodes]
	if n.epoch == c.epoch && n.x == x && n.y == y {
		return n, true
	}
	n.epoch, n.x, n.y = c.epoch, x, y
	return n, false
}

func lerp(a, b, t float64) float64 { return a + (b-a)*t }

// roomKey, loopKey and plantKey are what answers depend on beside the loads.
type roomKey struct {
	units              int
	airM3s, waterC, pa float64
}

type loopKey struct {
	cdus                  int
	flowLPM, waterC, setC float64
}

type plantKey struct {
	units int
	setC  float64
	out   cooling.Outdoor
}

// carries are those of all components.
type carries struct {
	rooms  []carry[roomKey, cooling.RoomPoint]
	loops  []carry[loopKey, cooling.LoopPoint]
	plants []carry[plantKey, cooling.PlantPoint]
	off    bool // every load is solved as it is; for tests
}

func (k *carries) init(rooms, loops, plants int) {
	k.rooms = make([]carry[roomKey, cooling.RoomPoint], rooms)
	k.loops = make([]carry[loopKey, cooling.LoopPoint], loops)
	k.plants = make([]carry[plantKey, cooling.PlantPoint], plants)
}

// solveRoom is Room.Solve, carried on along its heat while the air drawn stands still.
func (e *engine) solveRoom(i, units int, heatW, airM3s, waterC float64) cooling.RoomPoint {
	r, pa := &e.fac.Cooling.Rooms[i], e.b.airPa
	c := &e.carried.rooms[i]
	step := gridShare * r.CapacityW * float64(r.Units)
	x := heatW / step
	if e.carried.off || r.Direct || !(step > 0) || !c.near(roomKey{units, airM3s, waterC, pa}, x, 0) {
		return r.Solve(units, heatW, airM3s, waterC, pa)
	}
	at := func(x int32) *cooling.RoomPoint {
		n, ok := c.node(x, 0)
		if !ok {
			n.p = r.Solve(units, float64(x)*step, airM3s, waterC, pa)
		}
		return &n.p
	}
	a, b := *at(c.cellX), at(c.cellX+1)
	if a.Held != b.Held {
		return r.Solve(units, heatW, airM3s, waterC, pa)
	}
	e.approx.carried++
	t := x - float64(c.cellX)
	a.SupplyC = lerp(a.SupplyC, b.SupplyC, t)
	a.ReturnC = lerp(a.ReturnC, b.ReturnC, t)
	a.DutyW = lerp(a.DutyW, b.DutyW, t)
	a.WaterLPM = lerp(a.WaterLPM, b.WaterLPM, t)
	a.WPerK = lerp(a.WPerK, b.WPerK, t)
	return a // flow, fans and their share follow the air drawn alone
}

// solveLoop is Loop.Solve, carried on along its heat while the flow wanted stands still.
func (e *engine) solveLoop(i int, l *cooling.Loop, cdus int, heatW, flowLPM, waterC float64) cooling.LoopPoint {
	c := &e.carried.loops[i]
	step := gridShare * l.CapacityW * float64(l.CDUs)
	x := heatW / step
	if e.carried.off || !(step > 0) || !c.near(loopKey{cdus, flowLPM, waterC, l.SupplyC}, x, 0) {
		return l.Solve(cdus, heatW, flowLPM, waterC)
	}
	at := func(x int32) *cooling.LoopPoint {
		n, ok := c.node(x, 0)
		if !ok {
			n.p = l.Solve(cdus, float64(x)*step, flowLPM, waterC)
		}
		return &n.p
	}
	a, b := *at(c.cellX), at(c.cellX+1)
	if a.Held != b.Held {
		return l.Solve(cdus, heatW, flowLPM, waterC)
	}
	e.approx.carried++
	t := x - float64(c.cellX)
	a.SupplyC = lerp(a.SupplyC, b.SupplyC, t)
	a.ReturnC = lerp(a.ReturnC, b.ReturnC, t)
	a.DutyW = lerp(a.DutyW, b.DutyW, t)
	a.WaterLPM = lerp(a.WaterLPM, b.WaterLPM, t)
	a.AirM3s = lerp(a.AirM3s, b.AirM3s, t)
	a.FanW = lerp(a.FanW, b.FanW, t)
	a.WPerK = lerp(a.WPerK, b.WPerK, t)
	return a // flow, pumps and their share follow the flow wanted alone
}

// solvePlant is Plant.Solve, carried on along its heat and the heat capacity rate of its water.
func (e *engine) solvePlant(i int, l cooling.Load) cooling.PlantPoint {
	pl, spec := e.fac.Cooling.Plants[i], &e.b.specs[i]
	riseK := l.ReturnC - l.SetC
	stepW := gridShare * spec.CapacityW * float64(spec.Units)
	stepWPerK := stepW / cooling.DefaultRiseK
	x, y := l.HeatW/stepW, l.HeatW/riseK/stepWPerK
	c := &e.carried.plants[i]
	if e.carried.off || !(stepW > 0) || !(riseK > 0) || l.HeatW <= 0 || !c.near(plantKey{l.Units, l.SetC, l.Out}, x, y) || c.cellX < 1 || c.cellY < 1 {
		return pl.Solve(l)
	}
	at := func(x, y int32) *cooling.PlantPoint {
		n, ok := c.node(x, y)
		if !ok {
			g := l
			g.HeatW = float64(x) * stepW
			g.ReturnC = l.SetC + g.HeatW/(float64(y)*stepWPerK)
			n.p = pl.Solve(g)
		}
		return &n.p
	}
	// Copies: a node that is solved may take another's place.
	p00 := *at(c.cellX, c.cellY)
	p10 := *at(c.cellX+1, c.cellY)
	p01 := *at(c.cellX, c.cellY+1)
	p11 := at(c.cellX+1, c.cellY+1)
	tx, ty := x-float64(c.cellX), y-float64(c.cellY)
	if !mixPlant(&p00, &p10, tx) || !mixPlant(&p01, p11, tx) || !mixPlant(&p00, &p01, ty) {
		return pl.Solve(l)
	}
	e.approx.carried++
	return p00
}

// mixPlant takes a the share t of the way to b. Two answers of different kind have nothing between them.
func mixPlant(a, b *cooling.PlantPoint, t float64) bool {
	if a.Held != b.Held || a.Extrapolated != b.Extrapolated {
		return false
	}
	a.SupplyC = lerp(a.SupplyC, b.SupplyC, t)
	a.CompressorW = lerp(a.CompressorW, b.CompressorW, t)
	a.RejectionW = lerp(a.RejectionW, b.RejectionW, t)
	a.PumpW = lerp(a.PumpW, b.PumpW, t)
	a.FreeShare = lerp(a.FreeShare, b.FreeShare, t)
	a.EvaporationKgS = lerp(a.EvaporationKgS, b.EvaporationKgS, t)
	a.BlowdownKgS = lerp(a.BlowdownKgS, b.BlowdownKgS, t)
	a.DriftKgS = lerp(a.DriftKgS, b.DriftKgS, t)
	a.WPerK = lerp(a.WPerK, b.WPerK, t)
	a.CapacityW = lerp(a.CapacityW, b.CapacityW, t)
	a.StartsPerS = lerp(a.StartsPerS, b.StartsPerS, t)
	a.SwingK = lerp(a.SwingK, b.SwingK, t)
	return true
}
