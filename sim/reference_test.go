package sim

import (
	"math"
	"slices"
	"time"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim/workload"
)

// The reference is a plain fixed-step integrator of the equations that the engine solves between events. It
// shares facility.Model and the pure functions of facility/cooling with the engine and nothing else: classical
// Runge-Kutta, a step of a tenth of the shortest time constant, every coefficient evaluated at every stage.
//
// State: three die temperatures a server (worst slot, mean busy slot, idle slot), the air of every room, the
// coolant of every loop, the water of every plant, and the integrals that a result reports.
type reference struct {
	l     *placement.Layout
	c     *Config
	stepS float64 // 0: a tenth of the shortest time constant

	shiftK  float64 // of every limit, to bracket the engine
	now     float64 // s
	y       []float64
	srv     []refServer
	roomUp  []int
	loopUp  []int
	plantUp []int
	paths   []*cooling.AirPaths
	slot    []int
	out     cooling.Outdoor
	rhoCp   float64
	jobs    []refJob
	queue   []int

	// Algebraic quantities, found by iteration at each stage from where they were at the last.
	lossW  float64
	phi    []float64 // of rooms
	flow   []float64 // of loops, delivered share
	tauMin float64
	// What an output reads.
	facilityW, itW float64
	bus, ups, tx   *power.Node
	duty, lpm      []float64
	tau            []float64 // of rooms, loops and plants, s
	firstShutS     float64   // when heat stops the first server, +Inf for never
	starting       bool      // finding where the run starts: masses take up nothing
}

type refServer struct {
	m          *facility.Model
	rack, room int
	loop       int
	height     float64
	down       bool
	mode       int // 0 free, 1 on the software limit, 2 hardware slowdown
	busy       float64
	uSum, uMax float64
	jobs       []int
	inletC     float64
	riseK      float64
	fan        float64
	clock      float64
	refC       float64 // what its dies are cooled by
	limitC     float64 // software limit of the die, its own or its memory's
	resWorst   float64 // K/W of the worst slot
	wallW      float64
	gpuW       float64
}

type refJob struct {
	workload.Job
	servers []int
	gpus    []int32
	remainS float64
	running bool
	done    bool
	arrived bool
	at      int // of its work in y
}

// Integrals in y.
const (
	refIT = iota
	refFacility
	refThrottled // GPU-seconds
	refBusy
	refIntegrals
)

func newReference(l *placement.Layout, c *Config, limitShiftK float64) *reference {
	f := l.Facility
	r := &reference{l: l, c: c, firstShutS: math.Inf(1), out: f.Design, rhoCp: 1 / cooling.AirRiseK(1, 1, f.Design.PressurePa)}
	r.weather()
	node := func(id string) *power.Node {
		i, ok := f.Power.Index(id)
		if !ok {
			panic("no node " + id)
		}
		return &f.Power.Nodes[i]
	}
	r.tau = make([]float64, len(f.Cooling.Rooms)+len(f.Cooling.Loops)+len(f.Cooling.Plants))
	r.bus, r.ups, r.tx = node("busway.A"), node("ups[A]"), node("tx")
	r.duty, r.lpm = make([]float64, len(f.Cooling.Plants)), make([]float64, len(f.Cooling.Plants))
	r.shiftK = limitShiftK
	r.slot = make([]int, len(f.Racks))
	for k := range f.Cooling.Rooms {
		var x, y []float64
		var rows, height []int
		for i := range f.Racks {
			if f.Racks[i].Room == k {
				r.slot[i] = len(x)
				x, y = append(x, f.Racks[i].XM), append(y, f.Racks[i].YM)
				rows, height = append(rows, 0), append(height, f.Racks[i].HeightU)
			}
		}
		r.paths = append(r.paths, cooling.NewAirPaths(f.Cooling.Rooms[k].Containment, x, y, rows, height))
		r.roomUp = append(r.roomUp, f.Cooling.Rooms[k].Units)
		r.phi = append(r.phi, 1)
	}
	for k := range f.Cooling.Loops {
		r.loopUp = append(r.loopUp, f.Cooling.Loops[k].CDUs)
		r.flow = append(r.flow, 1)
	}
	for _, p := range f.Cooling.Plants {
		r.plantUp = append(r.plantUp, p.Spec().Units)
	}
	for i := range l.Servers {
		p := &l.Servers[i]
		k := &f.Racks[p.Rack]
		s := refServer{m: &f.Models[p.Model], rack: p.Rack, room: k.Room, loop: -1, clock: 1}
		s.height = (float64(p.U-1) + float64(s.m.HeightU)/2) / float64(k.HeightU)
		if s.m.Liquid {
			s.loop = k.Loop
		}
		s.fan = s.m.FanMin
		r.srv = append(r.srv, s)
	}
	for _, list := range c.Replays {
		for _, j := range list {
			r.jobs = append(r.jobs, refJob{Job: j, remainS: j.WorkS})
		}
	}
	slices.SortStableFunc(r.jobs, func(a, b refJob) int { return int(a.Arrival - b.Arrival) })
	r.y = make([]float64, refIntegrals+3*len(r.srv)+2*len(f.Cooling.Rooms)+len(f.Cooling.Loops)+len(f.Cooling.Plants)+len(r.jobs))
	for i := range r.jobs {
		r.jobs[i].at = len(r.y) - len(r.jobs) + i
		r.y[r.jobs[i].at] = r.jobs[i].WorkS
	}
	for k := range f.Cooling.Plants {
		r.y[r.plantAt(k)] = f.Cooling.Plants[k].Spec().SupplyC
	}
	for k := range f.Cooling.Rooms {
		r.y[r.roomAt(k)], r.y[r.structureAt(k)] = f.Cooling.Rooms[k].SupplyC, f.Cooling.Rooms[k].SupplyC
	}
	for k := range f.Cooling.Loops {
		r.y[r.loopAt(k)] = f.Cooling.Loops[k].SupplyC
	}
	for i := range r.srv {
		for k := range 3 {
			r.y[refIntegrals+3*i+k] = 40
		}
	}
	return r
}

// weather takes the outdoor air of the hour.
func (r *reference) weather() {
	if s, ok := r.c.Weather.At(r.c.Start.Add(time.Duration(math.Round(r.now * 1e9)))); ok {
		r.out = cooling.FromSample(s)
	}
}

func (r *reference) roomAt(k int) int { return refIntegrals + 3*len(r.srv) + k }
func (r *reference) loopAt(k int) int { return r.roomAt(len(r.l.Facility.Cooling.Rooms)) + k }
func (r *reference) plantAt(k int) int {
	return r.loopAt(len(r.l.Facility.Cooling.Loops)) + k
}

// structureAt is the mass behind the air of a room.
func (r *reference) structureAt(k int) int { return r.plantAt(len(r.l.Facility.Cooling.Plants)) + k }

// leak is the leakage of a GPU, held at its value at shutdown.
func refLeak(m *facility.Model, c float64) float64 {
	return m.LeakW * math.Exp(m.LeakPerK*(math.Min(c, m.ShutC)-65))
}

// server finds fans, clock and power of one server from its temperatures and what surrounds it.
func (r *reference) server(s *refServer, worst, mean, idle float64, inlet func(riseK float64) float64, coolantC, flow float64) (dWorst, dMean, dIdle float64) {
	m := s.m
	capW := math.Min(m.TDPW, m.GPUCapW)
	for range 60 {
		s.inletC = inlet(s.riseK)
		was := s.fan
		ref := coolantC
		if !m.Liquid {
			ref = s.inletC
			s.fan = m.FanMax
			if s.mode == 0 {
				s.fan = m.FanShare(math.Min(m.FloorW+refLeak(m, m.TargetC)+s.uMax*m.DynW, capW), s.inletC)
			}
			s.fan = math.Min(s.fan, r.c.FanMaxShare)
			flow = s.fan
		} else {
			s.fan = math.Min(m.FanMin, r.c.FanMaxShare)
		}
		res := m.R0 + m.RFlow*math.Pow(math.Max(flow, 1e-6), m.RExponent)
		resWorst := res * m.WorstSlot
		s.clock = 1
		dyn := s.uMax * m.DynW
		if s.busy > 0 {
			if left := capW - m.FloorW - refLeak(m, worst); dyn > left {
				s.clock = m.ClockFor(left, dyn)
			}
			s.refC, s.resWorst = ref, resWorst
			s.limitC = m.DieLimitC(ref) + r.shiftK
			if s.mode != 0 {
				hold := m.ClockFor((s.limitC-ref)/resWorst-m.FloorW-refLeak(m, s.limitC), dyn)
				if s.mode == 2 {
					hold = math.Max(m.ClockMin, hold/2)
				}
				s.clock = math.Min(s.clock, hold)
			}
		}
		f := math.Pow(s.clock, m.Alpha)
		pWorst := m.FloorW + refLeak(m, worst)
		if s.busy > 0 {
			pWorst += dyn * f
		}
		pMean, pIdle := m.FloorW+refLeak(m, mean), m.FloorW+refLeak(m, idle)
		s.gpuW = (float64(m.GPUs) - s.busy) * pIdle
		if s.busy > 0 {
			pMean += s.uSum / s.busy * m.DynW * f
			s.gpuW += s.busy * pMean
		}
		s.wallW = m.WallW(s.gpuW, s.fan)
		dWorst = (pWorst - (worst-ref)/resWorst) / m.GPUHeatJPerK
		dMean = (pMean - (mean-ref)/res) / m.GPUHeatJPerK
		dIdle = (pIdle - (idle-ref)/res) / m.GPUHeatJPerK
		r.tauMin = math.Min(r.tauMin, res*m.GPUHeatJPerK)
		rise := s.wallW * (1 - m.LiquidShare) / (r.rhoCp * m.AirflowM3s * s.fan)
		done := math.Abs(inlet(rise)-s.inletC) < 1e-4 && math.Abs(s.fan-was) < 1e-6
		s.riseK = rise
		if done {
			break
		}
	}
	return dWorst, dMean, dIdle
}

// derive evaluates every coefficient at y and writes dy/dt.
func (r *reference) derive(y, dy []float64) {
	f := r.l.Facility
	clear(dy)
	r.tauMin = math.Inf(1)
	nRooms, nLoops := len(f.Cooling.Rooms), len(f.Cooling.Loops)
	duty, lpm := r.duty, r.lpm
	var air, draw, airIT [4]float64
	var heat, want [4]float64
	var roomTau, roomEnd, gain, fans, pumps [4]float64 // gain: 1/s by which the structure pulls at the air
	// Delivered shares and losses depend on what servers do under them: iterate to a common state.
	for pass := range 200 {
		air, draw, airIT, heat, want = [4]float64{}, [4]float64{}, [4]float64{}, [4]float64{}, [4]float64{}
		r.itW = 0
		for i := range r.srv {
			s := &r.srv[i]
			t := y[refIntegrals+3*i:]
			d := dy[refIntegrals+3*i:]
			if s.down {
				s.wallW, d[0], d[1], d[2] = 0, 0, 0, 0
				continue
			}
			p, at := r.paths[s.room], r.slot[s.rack]
			inlet := func(riseK float64) float64 {
				return p.InletC(at, y[r.roomAt(s.room)], r.phi[s.room], riseK, s.height)
			}
			coolant, flow := 0.0, 0.0
			if s.loop >= 0 {
				coolant, flow = y[r.loopAt(s.loop)], r.flow[s.loop]
			}
			d[0], d[1], d[2] = r.server(s, t[0], t[1], t[2], inlet, coolant, flow)
			r.itW += s.wallW
			airIT[s.room] += s.wallW
			air[s.room] += s.wallW * (1 - s.m.LiquidShare)
			draw[s.room] += s.m.AirflowM3s * s.fan
			if s.loop >= 0 {
				heat[s.loop] += s.wallW * s.m.LiquidShare
				want[s.loop] += s.m.FlowLPM
			}
		}
		clear(duty)
		clear(lpm)
		moved := 0.0
		for k := range f.Cooling.Rooms {
			room := &f.Cooling.Rooms[k]
			share := 1 / float64(nRooms)
			if r.itW > 0 {
				share = airIT[k] / r.itW
			}
			units := r.roomUp[k]
			if r.plantUp[room.Plant] == 0 { // no water goes through the coils
				units = 0
			}
			p := room.Solve(units, air[k]+share*(r.lossW+f.OtherW), draw[k], y[r.plantAt(room.Plant)], f.Design.PressurePa)
			moved = math.Max(moved, math.Abs(p.Phi-r.phi[k]))
			if pass > 20 { // a stiff coupling of fans and delivered share
				p.Phi = (p.Phi + r.phi[k]) / 2
			}
			r.phi[k] = p.Phi
			roomEnd[k], fans[k] = p.SupplyC, p.FanW
			roomTau[k], gain[k] = room.HeatJPerK(f.Design.PressurePa)/p.WPerK, 0
			if room.StructureWPerK > 0 {
				roomTau[k] = room.AirJPerK(f.Design.PressurePa) / p.WPerK
				gain[k] = room.StructureWPerK / room.AirJPerK(f.Design.PressurePa)
			}
			if p.Held { // the coil has what it takes, also for what the structure gives back
				roomTau[k], gain[k] = room.MixS(p.FlowM3s), 0
			}
			duty[room.Plant] += p.DutyW
			if !p.Held && !r.starting { // what the room itself takes up does not reach the water
				duty[room.Plant] += p.WPerK * (y[r.roomAt(k)] - p.SupplyC)
			}
			lpm[room.Plant] += p.WaterLPM
		}
		for k := range f.Cooling.Loops {
			loop := &f.Cooling.Loops[k]
			p := loop.Solve(r.loopUp[k], heat[k], want[k], y[r.plantAt(loop.Plant)])
			moved = math.Max(moved, math.Abs(p.Phi-r.flow[k]))
			r.flow[k], pumps[k] = p.Phi, p.PumpW
			tau := loop.HeatJPerK() / p.WPerK
			r.tauMin, r.tau[nRooms+k] = math.Min(r.tauMin, tau), tau
			dy[r.loopAt(k)] = (p.SupplyC - y[r.loopAt(k)]) / tau
			duty[loop.Plant] += p.DutyW
			if !p.Held && !r.starting {
				duty[loop.Plant] += p.WPerK * (y[r.loopAt(k)] - p.SupplyC)
			}
			lpm[loop.Plant] += p.WaterLPM
		}
		was := r.lossW
		r.power(fans[:nRooms], pumps[:nLoops])
		if moved < 1e-9 && math.Abs(r.lossW-was) < 0.1 {
			break
		}
	}
	for k := range nRooms {
		r.tauMin, r.tau[k] = math.Min(r.tauMin, roomTau[k]), roomTau[k]
		room, airC, structureC := &f.Cooling.Rooms[k], y[r.roomAt(k)], y[r.structureAt(k)]
		dy[r.roomAt(k)] = (roomEnd[k]-airC)/roomTau[k] + gain[k]*(structureC-airC)
		if room.StructureWPerK > 0 {
			dy[r.structureAt(k)] = room.StructureWPerK * (airC - structureC) / room.StructureJPerK
			if gain[k] > 0 {
				r.tauMin = math.Min(r.tauMin, 1/(1/roomTau[k]+gain[k]))
			}
		}
	}
	plantW := 0.0
	for k, pl := range f.Cooling.Plants {
		spec := pl.Spec()
		ret := spec.SupplyC
		if lpm[k] > 0 {
			ret = cooling.WaterReturnC(spec.SupplyC, duty[k], lpm[k])
		}
		p := pl.Solve(cooling.Load{HeatW: math.Max(duty[k], 0), ReturnC: ret, Units: r.plantUp[k], SetC: spec.SupplyC, Out: r.out})
		plantW += p.ElectricalW()
		tau := spec.HeatJPerK / p.WPerK
		r.tauMin, r.tau[nRooms+nLoops+k] = math.Min(r.tauMin, tau), tau
		dy[r.plantAt(k)] = (p.SupplyC - y[r.plantAt(k)]) / tau
	}
	r.facilityW += refLossW(r.tx, r.facilityW)
	r.facilityW += plantW
	dy[refIT], dy[refFacility] = r.itW, r.facilityW
	for i := range r.srv {
		if s := &r.srv[i]; !s.down {
			dy[refBusy] += s.busy
			if s.mode != 0 {
				dy[refThrottled] += s.busy
			}
		}
	}
	for i := range r.jobs {
		if j := &r.jobs[i]; j.running && !math.IsInf(j.WorkS, 1) {
			clock := 1.0
			for _, k := range j.servers {
				clock = math.Min(clock, r.srv[k].clock)
			}
			dy[j.at] = -facility.WorkRate(j.MemoryBound, clock)
		}
	}
}

// power carries racks, fans and pumps up two equal sides of busway and UPS; facilityW is then what they draw
// from the transformer's output, lossW what they lose inside the hall.
func (r *reference) power(fans, pumps []float64) {
	mech := 0.0
	for _, w := range fans {
		mech += w
	}
	for _, w := range pumps {
		mech += w
	}
	bus := r.itW / 2
	busLoss := refLossW(r.bus, bus)
	ups := bus + busLoss + mech/2
	upsLoss := refLossW(r.ups, ups)
	r.lossW = 2 * (busLoss + upsLoss)
	r.facilityW = 2 * (ups + upsLoss)
}

// refLossW is what one electrical node loses with outW at its output.
func refLossW(n *power.Node, outW float64) float64 {
	rated := n.RatingVA * n.PF * float64(n.Units)
	x := outW / rated
	return rated * (n.Loss.A + n.Loss.B*x + n.Loss.C*x*x)
}

// settleAll brings every temperature to its steady state, as the engine starts.
func (r *reference) settleAll() {
	r.schedule()
	dy := make([]float64, len(r.y))
	keep := slices.Clone(r.y)
	r.starting = true
	for range 4000 {
		r.derive(r.y, dy)
		// Every mass steps by the same share of its own time constant, so that slow and fast ones arrive together.
		for i := range r.srv {
			s := &r.srv[i]
			res := s.m.Resistance(1) * s.m.GPUHeatJPerK
			for k := range 3 {
				r.y[refIntegrals+3*i+k] += dy[refIntegrals+3*i+k] * res * 0.3
			}
			r.modes(i)
		}
		for k := r.roomAt(0); k < r.plantAt(len(r.l.Facility.Cooling.Plants)); k++ {
			r.y[k] += dy[k] * r.tau[k-r.roomAt(0)] * 0.3
		}
		for k := range r.l.Facility.Cooling.Rooms {
			r.y[r.structureAt(k)] = r.y[r.roomAt(k)]
		}
	}
	for k := range r.l.Facility.Cooling.Rooms {
		r.y[r.structureAt(k)] = r.y[r.roomAt(k)]
	}
	r.starting = false
	copy(r.y[:refIntegrals], keep[:refIntegrals])
	for i := range r.jobs {
		r.y[r.jobs[i].at] = keep[r.jobs[i].at]
	}
}

// freeEndC is where the worst slot would settle at the clock that caps alone give: at the leakage of that
// temperature, or at the cap.
func (s *refServer) freeEndC() float64 {
	m := s.m
	end := s.refC
	for range 1000 {
		next := s.refC + s.resWorst*math.Min(m.FloorW+refLeak(m, end)+s.uMax*m.DynW, math.Min(m.TDPW, m.GPUCapW))
		if math.Abs(next-end) < 1e-7 {
			break
		}
		end = next
	}
	return end
}

// modes is the clock controller of one server.
func (r *reference) modes(i int) {
	s := &r.srv[i]
	c := r.y[refIntegrals+3*i]
	const release = 3.0
	m := s.m
	if !s.down && s.inletC > m.AirTripC+r.shiftK {
		r.shut(i)
	}
	if s.busy == 0 || s.down {
		s.mode = 0
		return
	}
	switch s.mode {
	case 0:
		if c >= s.limitC-1e-9 && s.freeEndC() > s.limitC {
			s.mode = 1
		}
	case 1:
		if s.freeEndC() <= s.limitC {
			s.mode = 0
		} else if c >= m.SlowC+r.shiftK {
			s.mode = 2
		}
	case 2:
		if c >= m.ShutC+r.shiftK {
			r.shut(i)
		} else if c <= s.limitC-release {
			s.mode = 1
		}
	}
}

// shut takes a server out for good; its jobs start again from the beginning, ahead of the queue.
func (r *reference) shut(i int) {
	s := &r.srv[i]
	for len(s.jobs) > 0 {
		id := s.jobs[len(s.jobs)-1]
		r.leave(id)
		r.y[r.jobs[id].at] = r.jobs[id].WorkS
		r.queue = slices.Insert(r.queue, 0, id)
	}
	s.down, s.mode = true, 0
	r.firstShutS = math.Min(r.firstShutS, r.now)
	r.schedule()
}

func (r *reference) leave(id int) {
	j := &r.jobs[id]
	for k, at := range j.servers {
		s := &r.srv[at]
		s.jobs = slices.DeleteFunc(s.jobs, func(x int) bool { return x == id })
		n := float64(j.gpus[k])
		// GPUs that fall idle are as warm as they were.
		t := r.y[refIntegrals+3*at:]
		idle := float64(s.m.GPUs) - s.busy
		t[2] = (t[2]*idle + t[1]*n) / (idle + n)
		r.load(at)
	}
	j.servers, j.gpus, j.running = nil, nil, false
}

func (r *reference) load(at int) {
	s := &r.srv[at]
	s.busy, s.uSum, s.uMax = 0, 0, 0
	for _, id := range s.jobs {
		j := &r.jobs[id]
		for k, on := range j.servers {
			if on == at {
				s.busy += float64(j.gpus[k])
				s.uSum += float64(j.gpus[k]) * j.Activity
				s.uMax = math.Max(s.uMax, j.Activity)
			}
		}
	}
}

// schedule queues what has arrived and starts what fits, first come first served, whole servers in order.
func (r *reference) schedule() {
	for id := range r.jobs {
		if j := &r.jobs[id]; !j.arrived && float64(j.Arrival)/1e9 <= r.now+1e-9 {
			j.arrived = true
			r.queue = append(r.queue, id)
		}
	}
	for len(r.queue) > 0 {
		j := &r.jobs[r.queue[0]]
		on, share := r.place(j.GPUs)
		if on == nil {
			return
		}
		id := r.queue[0]
		r.queue = r.queue[1:]
		j.servers, j.gpus, j.running = on, share, true
		for k, i := range on {
			s := &r.srv[i]
			t := r.y[refIntegrals+3*i:]
			n := float64(share[k])
			t[1] = (t[1]*s.busy + t[2]*n) / (s.busy + n)
			s.jobs = append(s.jobs, id)
			r.load(i)
		}
	}
}

// place finds whole servers in order, or for less than a server the fullest one that has room; nil for none.
func (r *reference) place(gpus int32) (on []int, share []int32) {
	whole := int32(r.srv[0].m.GPUs)
	best, bestFree := -1, whole+1
	for i := range r.srv {
		free := whole - int32(r.srv[i].busy)
		if r.srv[i].down {
			continue
		}
		if gpus < whole && free >= gpus && free < bestFree {
			best, bestFree = i, free
		}
		if gpus >= whole && free == whole && int32(len(on))*whole < gpus {
			on, share = append(on, i), append(share, whole)
		}
	}
	if gpus < whole && best >= 0 {
		return []int{best}, []int32{gpus}
	}
	if int32(len(on))*whole < gpus {
		return nil, nil
	}
	return on, share
}

// run integrates to the end and calls at for every probe time, s, in ascending order.
func (r *reference) run(probes []float64, at func(k int)) {
	r.settleAll()
	n := len(r.y)
	k1, k2, k3, k4, tmp := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	end := float64(r.c.LengthNS) / 1e9
	next := 0
	for r.now < end {
		r.derive(r.y, k1)
		step := r.stepS
		if step == 0 {
			step = r.tauMin / 10
		}
		// Stop at whatever is known to happen.
		stop := math.Min(end, 3600*(math.Floor(r.now/3600+1e-9)+1))
		for i := range r.jobs {
			if j := &r.jobs[i]; !j.arrived {
				stop = math.Min(stop, float64(j.Arrival)/1e9)
			} else if j.running && k1[j.at] < 0 {
				stop = math.Min(stop, r.now+math.Max(r.y[j.at]/-k1[j.at], 1e-6))
			}
		}
		for _, l := range r.c.Failures.Events {
			for _, at := range []float64{float64(l.AtNS) / 1e9, float64(l.AtNS+l.ForNS) / 1e9} {
				if at > r.now+1e-9 {
					stop = math.Min(stop, at)
				}
			}
		}
		if next < len(probes) && probes[next] > r.now {
			stop = math.Min(stop, probes[next])
		}
		// And end a step where a die reaches a limit, so that the clock controller acts in time.
		for i := range r.srv {
			s := &r.srv[i]
			at := refIntegrals + 3*i
			for mode, level := range []float64{s.limitC, s.m.SlowC + r.shiftK, s.m.ShutC + r.shiftK} {
				if left := (level - r.y[at]) / k1[at]; s.mode == mode && s.busy > 0 && !s.down && left > 0 && k1[at] > 0 {
					step = math.Min(step, math.Max(left, 0.02))
				}
			}
		}
		h := math.Min(step, stop-r.now)
		for i := range tmp {
			tmp[i] = r.y[i] + h/2*k1[i]
		}
		r.derive(tmp, k2)
		for i := range tmp {
			tmp[i] = r.y[i] + h/2*k2[i]
		}
		r.derive(tmp, k3)
		for i := range tmp {
			tmp[i] = r.y[i] + h*k3[i]
		}
		r.derive(tmp, k4)
		for i := range r.y {
			r.y[i] += h / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
		}
		r.now += h
		for next < len(probes) && probes[next] <= r.now+1e-9 {
			at(next)
			next++
		}
		r.happen()
	}
}

// happen applies what is due at this time: ends of work, losses, arrivals, clock controllers.
func (r *reference) happen() {
	for i := range r.jobs {
		if j := &r.jobs[i]; j.running && r.y[j.at] <= 1e-6 {
			r.leave(i)
			j.done = true
		}
	}
	for _, l := range r.c.Failures.Events {
		for sign, at := range map[int]float64{-1: float64(l.AtNS) / 1e9, 1: float64(l.AtNS+l.ForNS) / 1e9} {
			if math.Abs(at-r.now) > 1e-9 || sign == 1 && l.ForNS == 0 {
				continue
			}
			switch l.Part {
			case RoomUnit:
				r.roomUp[l.Index] = min(max(r.roomUp[l.Index]+sign*l.Units, 0), r.l.Facility.Cooling.Rooms[l.Index].Units)
			case LoopUnit:
				r.loopUp[l.Index] = min(max(r.loopUp[l.Index]+sign*l.Units, 0), r.l.Facility.Cooling.Loops[l.Index].CDUs)
			case PlantUnit:
				r.plantUp[l.Index] = min(max(r.plantUp[l.Index]+sign*l.Units, 0), r.l.Facility.Cooling.Plants[l.Index].Spec().Units)
			default:
				panic("the reference knows no such loss")
			}
		}
	}
	r.weather()
	r.schedule()
	for i := range r.srv {
		r.modes(i)
	}
}
