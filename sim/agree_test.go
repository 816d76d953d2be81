package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/sim/event"
	"headroom/sim/workload"
)

// probedRun runs the engine and looks at it at given times without touching its state.
func probedRun(t testing.TB, l *placement.Layout, c Config, probesS []float64, look func(k int, e *engine, ns int64)) *Result {
	t.Helper()
	e, err := newEngine(context.Background(), l, &c)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	for {
		at, ok := e.queue.NextAt()
		if !ok {
			at = c.LengthNS
		}
		for ; next < len(probesS) && int64(probesS[next]*1e9) < at; next++ {
			look(next, e, int64(probesS[next]*1e9))
		}
		if !ok {
			break
		}
		e.advance(at)
		for ok && at == e.now {
			var ev event.Event
			ev, _ = e.queue.Pop()
			e.count++
			e.apply(ev)
			at, ok = e.queue.NextAt()
		}
		e.dispatch()
		if err := e.settle(); err != nil {
			t.Fatal(err)
		}
		e.m.read(e)
		if err := e.checkInvariants(); err != nil {
			t.Fatal(err)
		}
	}
	e.advance(c.LengthNS)
	e.finish()
	return e.result()
}

// refScenario is one random hall with work and, now and then, a lost cooling unit.
type refScenario struct {
	name   string
	layout *placement.Layout
	config Config
	lost   bool
	still  bool // air or coolant stands still for a time
}

func randomScenario(t testing.TB, seed uint64) refScenario {
	r := rand.New(rand.NewPCG(seed, 17))
	in := func(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }
	h := hall{racks: 2 + r.IntN(5), perRack: 1 + r.IntN(4), liquid: r.IntN(5) < 2, roomUnits: 3 + r.IntN(2), containment: cooling.Containment(r.IntN(3))}
	for h.racks*h.perRack > 12 {
		h.racks--
	}
	l := h.layout(t)
	n := float64(h.racks * h.perRack)
	f := l.Facility
	room := &f.Cooling.Rooms[0]
	m := &f.Models[0]
	if seed%4 == 1 { // memory that throttles before the die
		m.MemLimitC = in(90, 95)
	}
	keep := float64(room.Units - 1)
	hot, dry := r.IntN(6) > 0, h.liquid && r.IntN(3) == 0 // close to its limits; behind dry coolers
	room.AirflowM3s = n * m.AirflowM3s * m.FanMax / keep * in(0.95, 1.3)
	room.CapacityW = n * 8.5e3 * (1 - m.LiquidShare) / keep * in(1, 1.3)
	room.VolumeM3, room.StructureJPerK = float64(h.racks)*in(8, 25), float64(h.racks)*in(50e3, 500e3)
	if seed%2 == 1 { // the structure is a mass of its own
		room.StructureWPerK = float64(h.racks) * in(150, 500)
	}
	room.WallWPerK, room.FanW, room.BypassShare = in(50, 500), n*150, 0.05
	room.SupplyC = in(20, 28)
	// A hot hall sits where jobs above a random activity reach the limit.
	slot := m.WorstSlot * m.Resistance(m.FanMax)
	edgeC := m.LimitC - slot*(m.FloorW+m.LeakAt(m.LimitC)+in(0.82, 0.95)*m.DynW)
	if hot && !h.liquid {
		room.SupplyC = edgeC - 0.5
		if h.containment == cooling.Open {
			room.SupplyC -= 2.5
		}
	}
	plant := func(name string, supplyC, heatW float64) {
		old := f.Cooling.Plants[0].Spec()
		capacity := heatW * in(0.6, 0.9)
		f.Cooling.Plants = append(f.Cooling.Plants, flatPlant{cop: 5, perK: capacity / in(6, 30), spec: cooling.Spec{
			Name: name, Units: 2, Redundant: 1,
			SupplyC: supplyC, CapacityW: capacity, HeatJPerK: heatW * in(10, 100), Fed: old.Fed,
		}})
	}
	room.RatedReturnC, room.RatedWaterC, room.WaterRiseK = room.SupplyC+12, room.SupplyC-in(5, 9), 8
	plant("for air", room.RatedWaterC, n*9e3*(1-m.LiquidShare))
	if h.liquid {
		loop := &f.Cooling.Loops[0]
		loop.FlowLPM, loop.CapacityW, loop.VolumeL = n*m.FlowLPM*in(0.7, 1.1), n*8e3, n*in(6, 20)
		loop.PumpW = n * 60
		loop.SupplyC = in(28, 42)
		if hot {
			loop.SupplyC = edgeC
		}
		loop.Plant = 1
		plant("for liquid", loop.SupplyC-loop.ApproachK-in(0, 3), n*8e3)
		if dry {
			spec := f.Cooling.Plants[2].Spec()
			spec.CapacityW, spec.SupplyC = n*8e3, 25
			cooler, err := cooling.NewDryCooler(cooling.DryCoolerParams{Spec: spec, DesignC: 38, ApproachK: 6})
			if err != nil {
				t.Fatal(err)
			}
			f.Cooling.Plants[2] = cooler
		}
	}
	f.Cooling.Plants = f.Cooling.Plants[1:]
	air := still(15)
	if dry { // the loop follows the weather, about where its servers reach the limit
		hot := edgeC - 8
		for i := range air.Samples {
			air.Samples[i].DryBulbC = hot + in(-4, 4)
		}
		f.Cooling.Loops[0].SupplyC = 25
	}
	length, pace := 2*time.Hour, 2./3
	if h.liquid { // ten times as many steps
		length, pace = 40*time.Minute, 1./4
		if dry {
			length, pace = 150*time.Minute, 1./2
		}
	}
	c := config(length, train(8, 0, 1))
	c.Weather = air
	c.Failures.RepairS = 1e12 // what heat shuts down stays down
	var jobs []workload.Job
	for range 3 + r.IntN(5) {
		gpus := 8 * (1 + r.IntN(max(int(n)/2, 1)))
		if r.IntN(5) == 0 {
			gpus = 4
		}
		j := workload.Job{GPUs: int32(gpus), Activity: in(0.7, 1), MemoryBound: in(0, 0.5), WorkS: pace * in(1200, 9000)}
		if len(jobs) > 0 {
			j.Arrival = jobs[len(jobs)-1].Arrival + int64(pace*in(0, 2400)*1e9)
		}
		jobs = append(jobs, j)
	}
	c.Replays = [][]workload.Job{jobs}
	s := refScenario{layout: l, lost: seed%3 == 0}
	kind := ""
	if s.lost {
		loss := Loss{Name: "air handlers", Part: RoomUnit, AtNS: int64(pace * in(1800, 5400) * 1e9), ForNS: int64(pace * in(120, 2400) * 1e9), Units: 1 + r.IntN(2)}
		switch {
		case h.liquid && r.IntN(2) == 0:
			loss.Name, loss.Part = "CDU", LoopUnit
			if loss.Units == 2 {
				loss.ForNS = int64(in(5, 20) * 1e9)
				s.still = true
			}
		case r.IntN(2) == 0:
			loss.Name, loss.Part, loss.Index = "chillers", PlantUnit, len(f.Cooling.Plants)-1
			switch {
			case h.liquid: // a loop behind water that stands still is stiff: TestFacilityWaterLost
				loss.Units = 1
			case loss.Units == 2: // coils without water: as if the air handlers stopped
				loss.ForNS = int64(in(60, 300) * 1e9)
				s.still = true
			}
		case r.IntN(4) == 0:
			loss.Units, loss.ForNS = room.Units, int64(in(60, 300)*1e9)
			s.still = true
		}
		c.Failures.Events = []Loss{loss}
		kind = fmt.Sprintf("%d %s %.0f s", loss.Units, loss.Name, float64(loss.ForNS)/1e9)
	}
	s.config = c
	s.name = fmt.Sprintf("%2d servers, %s", int(n), map[bool]string{false: "air", true: "liquid"}[h.liquid])
	if dry {
		s.name += ", dry coolers"
	}
	if kind != "" {
		s.name += ", lost " + kind
	}
	return s
}

// refErrors are the largest differences of one scenario.
type refErrors struct {
	dieTransit, dieSettled, roomTransit, roomSettled, loopTransit, loopSettled float64
	at                                                                         string // of the worst die
	itShare, facilityShare                                                     float64
	throttled, refLow, ref, refHigh, share                                     float64
	shutS, refShutS                                                            float64 // first shutdown by heat, +Inf for none
}

func compare(t testing.TB, s refScenario) refErrors {
	t.Helper()
	var probes []float64
	for at := 30.37; at < float64(s.config.LengthNS)/1e9; at += 30 {
		probes = append(probes, at)
	}
	// Reference first: temperatures of every server, room and loop at every probe.
	ref := newReference(s.layout, &s.config, 0)
	nSrv, nRoom, nLoop := len(ref.srv), len(s.layout.Facility.Cooling.Rooms), len(s.layout.Facility.Cooling.Loops)
	nPlant := len(s.layout.Facility.Cooling.Plants)
	width := nSrv + nRoom + nLoop + nPlant
	want := make([][]float64, len(probes))
	ref.run(probes, func(k int) {
		row := make([]float64, width)
		for i := range ref.srv {
			row[i] = ref.y[refIntegrals+3*i]
			if ref.srv[i].down {
				row[i] = math.NaN()
			}
		}
		for i := range nRoom {
			row[nSrv+i] = ref.y[ref.roomAt(i)]
		}
		for i := range nLoop {
			row[nSrv+nRoom+i] = ref.y[ref.loopAt(i)]
		}
		for i := range nPlant {
			row[nSrv+nRoom+nLoop+i] = ref.y[ref.plantAt(i)]
		}
		want[k] = row
	})
	const stillK, settledProbes = 0.02, 20
	settled := func(k, i int) bool {
		if k < settledProbes {
			return false
		}
		for b := 1; b <= settledProbes; b++ {
			for j := range width { // everything rests, so that nothing pulls at it
				if (j == i || j >= nSrv) && !(math.Abs(want[k-b][j]-want[k][j]) < stillK) {
					return false
				}
			}
		}
		return true
	}
	x := refErrors{shutS: math.Inf(1), refShutS: ref.firstShutS}
	debug := os.Getenv("HEADROOM_REFERENCE_TRACE") != ""
	r := probedRun(t, s.layout, s.config, probes, func(k int, e *engine, ns int64) {
		for i := range nSrv {
			if !e.srv[i].up() {
				x.shutS = math.Min(x.shutS, probes[k])
			}
		}
		// Which server is the next to go decides what follows: after a shutdown there are two histories.
		if x.shutS <= probes[k] || x.refShutS <= probes[k] {
			return
		}
		one := func(i int, got float64, transit, rest *float64, what string) {
			d := math.Abs(got - want[k][i])
			if math.IsNaN(want[k][i]) || math.IsNaN(got) {
				return
			}
			into := transit
			if settled(k, i) {
				into = rest
			}
			if debug && d > 0.3 {
				fmt.Printf("%s t=%.0f got %.3f want %.3f settled %v\n", what, probes[k], got, want[k][i], into == rest)
			}
			if d > *into {
				*into = d
				if i < nSrv {
					x.at = fmt.Sprintf("%s at %.0f s", what, probes[k])
				}
			}
		}
		for i := range nSrv {
			if e.srv[i].up() {
				one(i, e.srv[i].dieC(ns), &x.dieTransit, &x.dieSettled, "server "+strconv.Itoa(i))
			}
		}
		for i := range nRoom {
			one(nSrv+i, e.rooms[i].path.At(ns), &x.roomTransit, &x.roomSettled, "room")
		}
		for i := range nLoop {
			one(nSrv+nRoom+i, e.loops[i].path.At(ns), &x.loopTransit, &x.loopSettled, "loop")
		}
	})
	x.itShare = float64(r.Energy.ITKWh)*jPerKWh/ref.y[refIT] - 1
	x.facilityShare = float64(r.Energy.FacilityKWh)*jPerKWh/ref.y[refFacility] - 1
	x.throttled, x.ref = float64(r.Thermal.ThrottledGPUHours), ref.y[refThrottled]/3600
	x.share = ref.y[refThrottled] / math.Max(ref.y[refBusy], 1)
	lax, strict := newReference(s.layout, &s.config, +0.5), newReference(s.layout, &s.config, -0.5)
	lax.run(nil, nil)
	strict.run(nil, nil)
	x.refLow, x.refHigh = lax.y[refThrottled]/3600, strict.y[refThrottled]/3600
	return x
}

// Bounds of the engine's error. Temperatures are those of the worst slots, rooms and loops; in transit means that
// something moved within the last ten minutes.
const (
	transitK, settledK = 0.5, 0.1
	energyShare        = 0.001
	// Where all air handlers or CDUs stop, or the water behind them: air and coolant move by kelvins in seconds, and what
	// is a moment too early or too late is off by as much; a shutdown after three minutes by up to 12 s.
	stillTransitK, stillEnergyShare = 1.5, 0.005
	shutWithinS                     = 45.0
)

// The engine agrees with a fixed-step integration of the same equations over random halls, a third of which lose a
// cooling unit. HEADROOM_REFERENCE_RUNS and _FROM choose more and other seeds; -v prints the table of errors.
func TestEngineAgreesWithReference(t *testing.T) {
	from, n := 0, 36
	for name, at := range map[string]*int{"HEADROOM_REFERENCE_RUNS": &n, "HEADROOM_REFERENCE_FROM": &from} {
		if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
			*at = v
		}
	}
	scenarios, errs := make([]refScenario, n), make([]refErrors, n)
	t.Run("seed", func(t *testing.T) {
		for k := range n {
			t.Run(strconv.Itoa(from+k), func(t *testing.T) {
				t.Parallel()
				scenarios[k] = randomScenario(t, uint64(from+k))
				errs[k] = compare(t, scenarios[k])
				errs[k].judge(t, &scenarios[k])
			})
		}
	})
	throttle, lost := 0, 0
	t.Logf("%4s %-52s %6s %6s | %6s %6s | %6s %6s | %7s %7s | %6s %7s %7s %7s %7s  worst", "seed", "scenario",
		"die K", "rest", "room K", "rest", "loop K", "rest", "IT %", "fac. %", "thr. %", "lax h", "engine", "ref.", "strict")
	for k, x := range errs {
		if x.share >= 0.01 && x.share <= 0.5 {
			throttle++
		}
		if scenarios[k].lost {
			lost++
		}
		t.Logf("%4d %-52s %6.3f %6.3f | %6.3f %6.3f | %6.3f %6.3f | %7.4f %7.4f | %6.2f %7.3f %7.3f %7.3f %7.3f  %s", from+k, scenarios[k].name,
			x.dieTransit, x.dieSettled, x.roomTransit, x.roomSettled, x.loopTransit, x.loopSettled,
			100*x.itShare, 100*x.facilityShare, 100*x.share, x.refLow, x.throttled, x.ref, x.refHigh, x.at)
	}
	t.Logf("%d of %d throttle for 1 to 50 %% of their GPU-hours, %d lose a cooling unit", throttle, n, lost)
	if n >= 24 && (throttle*10 < 3*n || lost*4 < n) {
		t.Error("too few scenarios throttle or lose cooling to say anything")
	}
}

// judge holds the errors of one scenario against their bounds.
func (x *refErrors) judge(t *testing.T, s *refScenario) {
	transit, settled, energy := transitK, settledK, energyShare
	if s.still {
		transit, energy = stillTransitK, stillEnergyShare
	}
	shut := !math.IsInf(x.shutS, 1) || !math.IsInf(x.refShutS, 1)
	if shut {
		if d := math.Abs(x.shutS - x.refShutS); !(d <= shutWithinS) {
			t.Errorf("%s: heat stops a server after %.0f s, reference %.0f s", s.name, x.shutS, x.refShutS)
		}
		energy = math.Inf(1)
	}
	for _, c := range []struct {
		what       string
		got, bound float64
	}{
		{"dies in transit (K)", x.dieTransit, transit},
		{"dies settled (K)", x.dieSettled, settled},
		{"rooms in transit (K)", x.roomTransit, transit},
		{"rooms settled (K)", x.roomSettled, settled},
		{"loops in transit (K)", x.loopTransit, transit},
		{"loops settled (K)", x.loopSettled, settled},
		{"IT energy", math.Abs(x.itShare), energy},
		{"facility energy", math.Abs(x.facilityShare), energy},
	} {
		if !(c.got <= c.bound) {
			t.Errorf("%s: %s off by %.4f, at most %g; worst %s", s.name, c.what, c.got, c.bound, x.at)
		}
	}
	// Throttled hours lie between those of references with limits half a kelvin up and down. Work takes longer where
	// more throttles, so that either may be the larger; where all three are alike, they agree within 0.1 %.
	low, high := math.Min(x.refLow, math.Min(x.ref, x.refHigh)), math.Max(x.refLow, math.Max(x.ref, x.refHigh))
	slack := 0.001*high + 1e-3
	if !shut && !(x.throttled >= low-slack && x.throttled <= high+slack) {
		t.Errorf("%s: %.4f GPU-hours throttled, references %.4f to %.4f", s.name, x.throttled, low, high)
	}
}
