package sim

import (
	"errors"
	"fmt"
	"math"

	"headroom/facility/power"
	"headroom/sim/sched"
)

// Tolerances of the run-time invariants: power balances to a milliwatt in a megawatt, sums over servers
// to what rounding leaves between two recomputations.
const (
	powerTol = 1e-9
	sumTol   = 1e-7
)

// checkInvariants holds the state at this instant against what must always be true. Each broken one is
// named with its figures.
func (e *engine) checkInvariants() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	b, j := &e.b, &e.js

	// Every submitted job is in exactly one bucket.
	check := func(name string, c *JobCounts) {
		if sum := c.Done + c.Running + c.Queued + c.Rejected + c.Unplaceable + c.Killed + c.Lost; sum != c.Submitted {
			fail("jobs of %s: %d submitted, %d accounted for", name, c.Submitted, sum)
		}
	}
	check("all classes", &j.total)
	for i := range j.byClass {
		check("class "+e.cfg.Classes[i].Name, &j.byClass[i].JobCounts)
	}
	if n := int64(j.cluster.Len()) + j.held; n != j.total.Queued {
		fail("queue holds %d jobs, the table says %d", n, j.total.Queued)
	}

	// Parent power = children + loss, at every node.
	f, g := b.flow, e.graph
	if f.Refused > 0 {
		fail("%d loads were no number, negative or beyond any site's, and were not set", f.Refused)
	}
	for n := range g.Nodes {
		in, out, loss := f.InW(n), f.OutW(n), f.LossW(n)
		if !near(in, out+loss, powerTol) || loss < 0 || out < 0 {
			fail("node %s: in %.3f W, out %.3f W, loss %.3f W", g.Nodes[n].ID, in, out, loss)
		}
	}

	m := f.ITMeter(power.UPS)
	if !near(m.MeterW, m.LossW+m.ConsumerW, powerTol) {
		fail("UPS meter %.6f W, loss below %.6f W, consumers %.6f W", m.MeterW, m.LossW, m.ConsumerW)
	}

	// Servers, racks and the electrical meter agree.
	var it, air, liquid, busy float64
	for i := range e.srv {
		s := &e.srv[i]
		it += s.set.WallW
		air += s.set.AirW
		liquid += s.set.LiquidW
		if s.up() {
			for _, sh := range s.jobs {
				if sh.milli > 0 {
					busy += float64(sh.milli) / sched.Milli
				} else {
					busy += float64(sh.gpus)
				}
			}
		}
		if s.load.Busy > s.m.GPUs {
			fail("server %s runs %d of %d GPUs", e.lay.Servers[i].ID, s.load.Busy, s.m.GPUs)
		}
	}
	if !near(it, f.ITW(), sumTol) {
		fail("servers draw %.3f W, the IT meter says %.3f W", it, f.ITW())
	}
	if !near(air+liquid, it, sumTol) {
		fail("heat to air %.3f W and liquid %.3f W, IT power %.3f W", air, liquid, it)
	}
	if !near(sum(b.airW)+sum(b.liquidW), it, sumTol) {
		fail("rooms and loops get %.3f W, servers give %.3f W", sum(b.airW)+sum(b.liquidW), it)
	}
	if f.FacilityW() < f.ITW()*(1-powerTol) {
		fail("facility %.3f W below IT %.3f W", f.FacilityW(), f.ITW())
	}
	for i := range b.plants {
		p := &b.plants[i]
		if p.CompressorW < 0 || p.RejectionW < 0 || p.PumpW < 0 || p.EvaporationKgS < 0 {
			fail("plant %s draws or drinks less than nothing: %+v", e.fac.Cooling.Plants[i].Spec().Name, *p)
		}
	}

	// 0 ≤ busy ≤ allocated ≤ available, effective ≤ busy.
	alloc := float64(j.allocMilli) / sched.Milli
	if !near(busy, alloc, sumTol) {
		fail("%g GPUs busy on servers, %g allocated to jobs", busy, alloc)
	}
	if r := e.rate; r.busy < -sumTol || r.busy > alloc+1e-6 || alloc > float64(j.cluster.Up()) || r.effective > r.busy+1e-6 {
		fail("GPUs effective %.6f, busy %.6f, allocated %g, available %d", r.effective, r.busy, alloc, j.cluster.Up())
	}
	if r := e.rate; !near(r.busy, r.effective+r.lostThermal+r.lostCap+r.lostRestart, sumTol) {
		fail("GPUs busy %.6f, effective and lost %.6f", r.busy, r.effective+r.lostThermal+r.lostCap+r.lostRestart)
	}
	// Jobs on servers are the jobs in the table.
	for i := range e.srv {
		s := &e.srv[i]
		for _, sh := range s.jobs {
			if !j.table[sh.job].running {
				fail("server %s holds job %d, which doesn't run", e.lay.Servers[i].ID, sh.job)
			}
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("at %s an invariant is broken: %w", e.clock(), errors.Join(errs...))
}

// near says whether two figures agree to a relative tolerance, or to 1 mW near zero.
func near(a, b, tol float64) bool {
	return math.Abs(a-b) <= tol*math.Max(math.Abs(a), math.Abs(b))+1e-3*math.Min(1, tol*1e6)
}

func sum(x []float64) float64 {
	t := 0.0
	for _, v := range x {
		t += v
	}
	return t
}

// checkTotals holds the run's totals against each other at its end.
func (e *engine) checkTotals(r *Result) error {
	var errs []error
	en := &r.Energy
	parts := float64(en.ITKWh + en.UPSLossKWh + en.TransformerLossKWh + en.DistributionLossKWh + en.RoomFansKWh + en.PumpsKWh +
		en.ChillersKWh + en.HeatRejectionKWh + en.OtherKWh)
	if en.HumidificationKWh.Known() {
		parts += float64(en.HumidificationKWh)
	}
	if !near(parts, float64(en.FacilityKWh), sumTol) {
		errs = append(errs, fmt.Errorf("facility %.6f kWh, its parts %.6f kWh", float64(en.FacilityKWh), parts))
	}
	var counters float64
	for i := range e.srv {
		counters += (e.srv[i].energyJ + e.srv[i].comp) / jPerKWh
	}
	for i := range e.racks {
		counters -= e.racks[i].baseJ / jPerKWh
	}
	if !near(counters, float64(en.ITKWh), sumTol) {
		errs = append(errs, fmt.Errorf("servers' own counters %.6f kWh, IT meter %.6f kWh", counters, float64(en.ITKWh)))
	}
	// The meter at the UPS output less the losses below it is what the servers behind it counted.
	if meter, behind := e.m.over(cMeterUPS)/jPerKWh, e.m.over(cBehindUPS)/jPerKWh; meter > 0 {
		if left := meter - e.m.over(cBelowUPS)/jPerKWh; math.Abs(left-behind) > powerTol*behind {
			errs = append(errs, fmt.Errorf("UPS meter less the losses below it %.9f kWh, IT behind it %.9f kWh", left, behind))
		}
		if math.Abs(behind-float64(en.ITKWh)) < 1e-6*behind && math.Abs(counters-behind) > powerTol*behind {
			errs = append(errs, fmt.Errorf("IT behind the UPS meter %.9f kWh, servers' own counters %.9f kWh", behind, counters))
		}
	}
	if en.PUE.Known() && en.PUE < 1 {
		errs = append(errs, fmt.Errorf("PUE %.6f", float64(en.PUE)))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("at the end of the run an invariant is broken: %w", errors.Join(errs...))
}
