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
	// gridNodes is how many points are remembered by component: a power of two, in which the corners of a cell (0, 5, 53
	// and 58 places apart, see node) don't collide.
	gridNodes = 128
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

// solveRoom is Room.Solve into p, carried on along its heat while the air drawn stands still.
func (e *engine) solveRoom(i, units int, heatW, airM3s, waterC float64, p *cooling.RoomPoint) {
	r, pa := &e.fac.Cooling.Rooms[i], e.b.airPa
	c := &e.carried.rooms[i]
	step := gridShare * r.CapacityW * float64(r.Units)
	x := heatW / step
	if e.carried.off || r.Direct || !(step > 0) || !c.near(roomKey{units, airM3s, waterC, pa}, x, 0) {
		*p = r.Solve(units, heatW, airM3s, waterC, pa)
		return
	}
	at := func(x int32) *cooling.RoomPoint {
		n, ok := c.node(x, 0)
		if !ok {
			n.p = r.Solve(units, float64(x)*step, airM3s, waterC, pa)
		}
		return &n.p
	}
	a, b := at(c.cellX), at(c.cellX+1)
	if a.Held != b.Held {
		*p = r.Solve(units, heatW, airM3s, waterC, pa)
		return
	}
	e.approx.carried++
	t := x - float64(c.cellX)
	*p = *a // flow, fans and their share follow the air drawn alone
	p.SupplyC = lerp(a.SupplyC, b.SupplyC, t)
	p.ReturnC = lerp(a.ReturnC, b.ReturnC, t)
	p.DutyW = lerp(a.DutyW, b.DutyW, t)
	p.WaterLPM = lerp(a.WaterLPM, b.WaterLPM, t)
	p.WPerK = lerp(a.WPerK, b.WPerK, t)
}

// solveLoop is Loop.Solve into p, carried on along its heat while the flow wanted stands still.
func (e *engine) solveLoop(i int, l *cooling.Loop, cdus int, heatW, flowLPM, waterC float64, p *cooling.LoopPoint) {
	c := &e.carried.loops[i]
	step := gridShare * l.CapacityW * float64(l.CDUs)
	x := heatW / step
	if e.carried.off || !(step > 0) || !c.near(loopKey{cdus, flowLPM, waterC, l.SupplyC}, x, 0) {
		*p = l.Solve(cdus, heatW, flowLPM, waterC)
		return
	}
	at := func(x int32) *cooling.LoopPoint {
		n, ok := c.node(x, 0)
		if !ok {
			n.p = l.Solve(cdus, float64(x)*step, flowLPM, waterC)
		}
		return &n.p
	}
	a, b := at(c.cellX), at(c.cellX+1)
	if a.Held != b.Held {
		*p = l.Solve(cdus, heatW, flowLPM, waterC)
		return
	}
	e.approx.carried++
	t := x - float64(c.cellX)
	*p = *a // flow, pumps and their share follow the flow wanted alone
	p.SupplyC = lerp(a.SupplyC, b.SupplyC, t)
	p.ReturnC = lerp(a.ReturnC, b.ReturnC, t)
	p.DutyW = lerp(a.DutyW, b.DutyW, t)
	p.WaterLPM = lerp(a.WaterLPM, b.WaterLPM, t)
	p.AirM3s = lerp(a.AirM3s, b.AirM3s, t)
	p.FanW = lerp(a.FanW, b.FanW, t)
	p.WPerK = lerp(a.WPerK, b.WPerK, t)
}

// solvePlant is Plant.Solve into p, carried on along its heat and the heat capacity rate of its water.
func (e *engine) solvePlant(i int, l *cooling.Load, p *cooling.PlantPoint) {
	pl, spec := e.fac.Cooling.Plants[i], &e.b.specs[i]
	riseK := l.ReturnC - l.SetC
	stepW := gridShare * spec.CapacityW * float64(spec.Units)
	stepWPerK := stepW / cooling.DefaultRiseK
	x, y := l.HeatW/stepW, l.HeatW/riseK/stepWPerK
	c := &e.carried.plants[i]
	if e.carried.off || !(stepW > 0) || !(riseK > 0) || l.HeatW <= 0 || !c.near(plantKey{l.Units, l.SetC, l.Out}, x, y) || c.cellX < 1 || c.cellY < 1 {
		*p = pl.Solve(*l)
		return
	}
	at := func(x, y int32) *cooling.PlantPoint {
		n, ok := c.node(x, y)
		if !ok {
			g := *l
			g.HeatW = float64(x) * stepW
			g.ReturnC = l.SetC + g.HeatW/(float64(y)*stepWPerK)
			n.p = pl.Solve(g)
		}
		return &n.p
	}
	// The four corners of a cell have places of their own, see gridNodes.
	p00, p10 := at(c.cellX, c.cellY), at(c.cellX+1, c.cellY)
	p01, p11 := at(c.cellX, c.cellY+1), at(c.cellX+1, c.cellY+1)
	for _, q := range [...]*cooling.PlantPoint{p10, p01, p11} {
		if q.Held != p00.Held || q.Extrapolated != p00.Extrapolated { // answers of different kind have nothing between them
			*p = pl.Solve(*l)
			return
		}
	}
	e.approx.carried++
	tx, ty := x-float64(c.cellX), y-float64(c.cellY)
	mix := func(a, b, c, d float64) float64 { return lerp(lerp(a, b, tx), lerp(c, d, tx), ty) }
	p.Held, p.Extrapolated = p00.Held, p00.Extrapolated
	p.SupplyC = mix(p00.SupplyC, p10.SupplyC, p01.SupplyC, p11.SupplyC)
	p.CompressorW = mix(p00.CompressorW, p10.CompressorW, p01.CompressorW, p11.CompressorW)
	p.RejectionW = mix(p00.RejectionW, p10.RejectionW, p01.RejectionW, p11.RejectionW)
	p.PumpW = mix(p00.PumpW, p10.PumpW, p01.PumpW, p11.PumpW)
	p.FreeShare = mix(p00.FreeShare, p10.FreeShare, p01.FreeShare, p11.FreeShare)
	p.EvaporationKgS = mix(p00.EvaporationKgS, p10.EvaporationKgS, p01.EvaporationKgS, p11.EvaporationKgS)
	p.BlowdownKgS = mix(p00.BlowdownKgS, p10.BlowdownKgS, p01.BlowdownKgS, p11.BlowdownKgS)
	p.DriftKgS = mix(p00.DriftKgS, p10.DriftKgS, p01.DriftKgS, p11.DriftKgS)
	p.WPerK = mix(p00.WPerK, p10.WPerK, p01.WPerK, p11.WPerK)
	p.CapacityW = mix(p00.CapacityW, p10.CapacityW, p01.CapacityW, p11.CapacityW)
	p.StartsPerS = mix(p00.StartsPerS, p10.StartsPerS, p01.StartsPerS, p11.StartsPerS)
	p.SwingK = mix(p00.SwingK, p10.SwingK, p01.SwingK, p11.SwingK)
}
