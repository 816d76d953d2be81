package sim

import (
	"math"

	"headroom/facility"
	"headroom/facility/power"
	"headroom/sim/metrics"
	"headroom/sim/sched"
	"headroom/sim/thermal"
)

// column is one integrated quantity: its total over the run and its means over the grid of the series.
type column int

// The columns, in the order of series.csv.
const (
	cFacility column = iota
	cIT
	cUPSLoss
	cTransformerLoss
	cDistributionLoss
	cRoomFans
	cPumps
	cChillers
	cRejection
	cHumidification
	cOther
	cServerFans
	cCompute
	cMeterUPS
	cMeterPDU
	cWater // kg/s
	cDryBulb
	cWetBulb
	cReturn
	cInletMean
	cGPUMean
	cClockMean
	cAvailable
	cAllocated
	cBusy
	cEffective
	cThrottled
	cLostThermal
	cLostCap
	cLostRestart
	cFailed
	cQueueJobs
	cQueueGPUs
	cWork // PFLOP/s
	cTokens
	cServed
	cOverRec
	cOverAllow
	cCost   // currency per kWh × W
	cCarbon // kg per kWh × W
	cEvaporation
	cBlowdown
	cDrift
	cFree
	cPartial
	cMechanical
	cBelowUPS  // IT losses below the UPS meter, by a way of their own; under Check only
	cBehindUPS // IT power behind it, likewise
	cDark      // servers without power
	columns
)

// columnNames are the headers in series.csv, "" for totals that are not printed as a series.
var columnNames = [columns]string{
	"facility_w", "it_w", "ups_loss_w", "transformer_loss_w", "distribution_loss_w", "room_fans_w", "pumps_w",
	"chillers_w", "heat_rejection_w", "humidification_w", "other_w", "server_fans_w", "", "", "", "water_kg_s",
	"dry_bulb_c", "wet_bulb_c", "return_c", "inlet_mean_c", "gpu_mean_c", "clock_mean",
	"gpus_available", "gpus_allocated", "gpus_busy", "gpus_effective", "gpus_throttled",
	"", "", "", "gpus_failed", "queue_jobs", "queue_gpus", "work_pflops", "tokens_per_s", "tokens_served_per_s", "racks_over_recommended", "racks_over_allowable",
	"", "", "", "", "", "free_cooling", "partial_cooling", "mechanical_cooling",
}

// meters integrates everything that is reported, between events and never by sampling.
type meters struct {
	recorder
	row  [columns]float64 // values of this instant, until read hands them over
	base [columns]float64 // integrals at the end of the warm-up

	rooms, loops []*metrics.StepSeries // temperature of supply air and coolant
	supplyHist   *metrics.Histogram
	coolantHist  *metrics.Histogram
	inletHist    *metrics.Histogram
	gpuHist      *metrics.Histogram
	driverLast   []int64 // rooms, then loops

	// Extremes by bin of the series.
	inletMax, gpuMax_, clockMin []float64

	peakFacilityW, peakITW  float64
	peakSwingW              float64
	gpuMaxC, dark           float64
	dewMarginK              float64 // least margin of a coolant's surfaces to the dew point
	short                   []bool  // plants that do not hold their set-point now
	shortNS                 []int64 // for how long they did not
	shortAtNS               int64
	zones                   zoneMeter
	cycles                  cycleMeter
	restartS, restartBaseS  float64 // GPU-seconds of work done again
	tokensAgain, tokensBase float64 // tokens counted that were not delivered or are done again, and those of the warm-up
	servedAgain, servedBase float64 // the services' part
	throttledGPUs           float64
	racksRec, racksAllow    int
	inletSum, gpuSum        float64 // over servers that are up; GPU-weighted
	clockSum, busySum       float64
	upServers, upGPUs       float64
	computeW                float64
	fail                    failures
}

func (m *meters) init(e *engine) {
	step, length := e.cfg.SeriesStepNS, e.cfg.LengthNS
	m.table = metrics.NewTable(int(columns), step, length)
	for i := range m.row {
		m.row[i] = math.NaN()
	}
	for range e.fac.Cooling.Rooms {
		m.rooms = append(m.rooms, metrics.NewStepSeries(step, length))
	}
	for range e.fac.Cooling.Loops {
		m.loops = append(m.loops, metrics.NewStepSeries(step, length))
	}
	m.supplyHist, m.coolantHist = metrics.NewTemperatures(), metrics.NewTemperatures()
	m.inletHist, m.gpuHist = metrics.NewTemperatures(), metrics.NewTemperatures()
	m.driverLast = make([]int64, len(m.rooms)+len(m.loops))
	bins := m.table.Bins()
	for _, s := range []*[]float64{&m.inletMax, &m.gpuMax_, &m.clockMin} {
		*s = make([]float64, bins)
		for i := range *s {
			(*s)[i] = math.NaN()
		}
	}
	m.gpuMaxC, m.dewMarginK = math.Inf(-1), math.Inf(1)
	if e.cfg.WarmupNS == 0 {
		m.initBatches(e)
	}
}

// residue is what rounding may leave of a sum.
const residue = 1e-6

// set gives a column its value from this instant on.
func (m *meters) set(c column, v float64) {
	if v < 0 && v > -residue && c != cDryBulb && c != cWetBulb {
		v = 0 // what rounding leaves of a sum that is empty
	}
	m.row[c] = v
}

// means are those of a column over the bins of the series.
func (m *meters) means(c column) []float64 { return m.table.Means(int(c)) }

// read takes every meter after an instant has settled.
func (m *meters) read(e *engine) {
	b := &e.b
	facilityW := b.flow.FacilityW()
	itW := b.flow.ITW()
	m.set(cFacility, facilityW)
	m.set(cIT, itW)
	m.set(cUPSLoss, b.flow.KindLossW(power.UPS))
	m.set(cTransformerLoss, b.flow.KindLossW(power.Transformer))
	m.set(cDistributionLoss, b.flow.KindLossW(power.Distribution)+b.flow.KindLossW(power.RackFeed)+
		b.flow.KindLossW(power.Switchboard)+b.flow.KindLossW(power.Utility)+b.flow.KindLossW(power.Generator))
	var fans, pumps, chillers, rejection, water, ret, flow float64
	for i := range b.rooms {
		fans += served(b, b.roomCon[i])
		ret += b.rooms[i].ReturnC * b.rooms[i].FlowM3s
		flow += b.rooms[i].FlowM3s
	}
	for i := range b.loops {
		pumps += served(b, b.loopCon[i])
		if e.fac.Cooling.Loops[i].Air != nil && b.flow.Served(b.loopCon[i]) {
			fans += b.loops[i].FanW
			pumps -= b.loops[i].FanW
		}
	}
	for i := range b.plants {
		p := &b.plants[i]
		if !b.flow.Served(b.plantCon[i]) {
			continue
		}
		chillers += p.CompressorW
		rejection += p.RejectionW
		pumps += p.PumpW
		water += p.EvaporationKgS + p.BlowdownKgS + p.DriftKgS
	}
	if b.humid.any {
		humidW := 0.0
		for i, con := range b.humid.con {
			if con >= 0 {
				humidW += served(b, con)
				water += b.humid.now(b, i).WaterKgS
			}
		}
		m.set(cHumidification, humidW)
	}
	m.set(cRoomFans, fans)
	m.set(cPumps, pumps)
	m.set(cChillers, chillers)
	m.set(cRejection, rejection)
	other := 0.0
	if b.otherCon >= 0 {
		other = served(b, b.otherCon)
	}
	m.set(cOther, other)
	m.set(cServerFans, b.fanW)
	m.set(cCompute, m.computeW)
	m.set(cMeterUPS, b.flow.MeterITW(power.UPS))
	m.set(cMeterPDU, b.flow.MeterITW(power.Distribution))
	m.set(cWater, water)
	m.set(cReturn, overFlow(ret, flow))
	m.set(cInletMean, perOf(m.inletSum, m.upServers))
	m.set(cGPUMean, perOf(m.gpuSum, m.upGPUs))
	m.set(cClockMean, perOf(m.clockSum, m.busySum))
	m.set(cAvailable, float64(e.js.cluster.Up()))
	m.set(cAllocated, float64(e.js.allocMilli)/sched.Milli)
	m.set(cBusy, e.rate.busy)
	m.set(cEffective, e.rate.effective)
	m.set(cThrottled, m.throttledGPUs)
	m.set(cLostThermal, e.rate.lostThermal)
	m.set(cLostCap, e.rate.lostCap)
	m.set(cLostRestart, e.rate.lostRestart)
	m.set(cDark, m.dark)
	m.set(cFailed, float64(e.js.cluster.Total()-e.js.cluster.Up()))
	m.set(cQueueJobs, float64(e.js.total.Queued))
	m.set(cQueueGPUs, float64(e.js.queueMilli)/sched.Milli)
	m.set(cWork, e.rate.pflops)
	m.set(cTokens, e.rate.tokens)
	m.set(cServed, e.rate.served)
	m.set(cOverRec, flag(m.racksRec > 0))
	m.set(cOverAllow, flag(m.racksAllow > 0))
	m.books(e, facilityW)
	if e.cfg.Check {
		ups := b.flow.ITMeter(power.UPS)
		m.set(cBelowUPS, ups.LossW)
		m.set(cBehindUPS, ups.ConsumerW)
	}
	m.add(e.now, &m.row)
	e.power.read(e.now)
	m.peakFacilityW = max(m.peakFacilityW, facilityW)
	m.peakITW = max(m.peakITW, itW)
	m.peakSwingW = max(m.peakSwingW, itW+math.Sqrt(max(0, e.rate.swing2)))
}

// perOf is a mean; of nothing there is none, whatever rounding left of the sum.
func perOf(sum, n float64) float64 {
	if n < 0.5 {
		return math.NaN()
	}
	return sum / n
}

// overFlow is a mean weighted by airflow, none without any.
func overFlow(sum, flowM3s float64) float64 {
	if flowM3s <= 0 {
		return math.NaN()
	}
	return sum / flowM3s
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// served is what a consumer draws: nothing without a live feed.
func served(b *building, consumer int) float64 {
	if !b.flow.Served(consumer) {
		return 0
	}
	return b.flow.LoadW(consumer)
}

func (m *meters) outdoor(e *engine) {
	m.set(cDryBulb, e.b.out.DryBulbC)
	m.set(cWetBulb, e.b.out.WetBulbC)
}

// driver records a room's or loop's path up to now; call it before the path changes, and at the end.
func (m *meters) driver(e *engine, id int, d *driver) {
	if id >= len(m.driverLast) { // water
		return
	}
	from := m.driverLast[id]
	if e.now <= from {
		return
	}
	h, s := m.supplyHist, m.seriesOf(id)
	if id >= len(m.rooms) {
		h = m.coolantHist
	}
	h.Add(d.path.Mean(from, e.now), float64(e.now-from)/thermal.Second)
	if d.path.A != 0 { // two exponentials, on top of where they end
		since := float64(from-d.path.FromNS) / thermal.Second
		s.AddExp(from, e.now, d.path.A*math.Exp(-since/d.path.TauA), 0, d.path.TauA*thermal.Second)
		s.AddExp(from, e.now, d.path.B*math.Exp(-since/d.path.TauB), 0, d.path.TauB*thermal.Second)
	}
	m.driverLast[id] = e.now
}

func (m *meters) seriesOf(id int) *metrics.StepSeries {
	if id < len(m.rooms) {
		return m.rooms[id]
	}
	return m.loops[id-len(m.rooms)]
}

// driverSet starts recording a new path.
func (m *meters) driverSet(e *engine, id int, d *driver) {
	if id >= len(m.driverLast) {
		return
	}
	s := m.seriesOf(id)
	if d.path.B == 0 || d.path.A != 0 { // what relaxes with two time constants is added when it is over
		s.Set(e.now, d.path.EndC)
		return
	}
	s.SetExp(e.now, d.path.At(e.now), d.path.EndC, d.path.TauB*thermal.Second)
}

// server adds dt seconds of what a server was to the histograms and to its rack.
func (m *meters) server(e *engine, s *server, dt float64) {
	m.inletHist.Add(s.inletC, dt)
	rk := &e.racks[s.rack]
	if s.mode != thermal.Free {
		rk.throttledS += dt * float64(s.load.Busy)
	}
	if cause, ok := slowCause(s); ok {
		rk.slowedS[cause] += dt * float64(s.load.Busy)
	}
	// Only a path that may have set a new extreme is looked at.
	if m.news(e, rk, s.dieBoundC()) {
		m.gpuMax(e, s, s.dieC(e.now))
	}
}

// news says whether a GPU of a rack at a temperature would be the hottest so far, of the rack or of the bin.
func (m *meters) news(e *engine, rk *rack, c float64) bool {
	return c > rk.gpuMaxC || !(m.gpuMax_[m.bin(m.gpuMax_, e.now)] >= c)
}

// gpuMax notes a GPU temperature that was reached.
func (m *meters) gpuMax(e *engine, s *server, c float64) {
	if math.IsNaN(c) {
		return
	}
	m.gpuMaxC = max(m.gpuMaxC, c)
	rk := &e.racks[s.rack]
	rk.gpuMaxC = max(rk.gpuMaxC, c)
	m.most(m.gpuMax_, e.now, c)
}

// bin returns the bin of the series in which the interval that ends at a time lies.
func (m *meters) bin(series []float64, ns int64) int {
	step := m.table.StepNS()
	return min(max(int((ns-1)/step), 0), len(series)-1)
}

func (m *meters) most(series []float64, ns int64, v float64) {
	if len(series) == 0 {
		return
	}
	if i := m.bin(series, ns); !(series[i] >= v) {
		series[i] = v
	}
}

func (m *meters) least(series []float64, ns int64, v float64) {
	if len(series) == 0 {
		return
	}
	if i := m.bin(series, ns); !(series[i] <= v) {
		series[i] = v
	}
}

// moved takes a server's change into the sums.
func (m *meters) moved(s *server, was *thermal.Settled, wasInletC float64) {
	m.put(s, was, wasInletC, -1)
	s.busy, s.slowed = 0, 0
	if s.set.WallW > 0 {
		s.busy = int32(s.load.Busy)
		if s.mode != thermal.Free {
			s.slowed = s.busy
		}
	}
	m.put(s, s.set, s.inletC, 1)
}

// put adds a server to the sums (sign 1), or takes it out as it was put in (−1).
func (m *meters) put(s *server, set *thermal.Settled, inletC, sign float64) {
	if set.WallW == 0 {
		return
	}
	gpus, busy := sign*float64(s.m.GPUs), sign*float64(s.busy)
	m.inletSum += sign * inletC
	m.gpuSum += min(set.MeanC, s.m.ShutC) * gpus // no die gets hotter than where it shuts down
	m.upServers += sign
	m.upGPUs += gpus
	m.computeW += sign * computeW(s.m, set)
	m.clockSum += set.Clock * busy
	m.busySum += busy
	m.throttledGPUs += sign * float64(s.slowed)
}

// resum recomputes the sums over servers, so that rounding never builds up.
func (m *meters) resum(e *engine) {
	m.inletSum, m.gpuSum, m.upServers, m.upGPUs = 0, 0, 0, 0
	m.computeW, m.clockSum, m.busySum, m.throttledGPUs = 0, 0, 0, 0
	for i := range e.srv {
		m.put(&e.srv[i], e.srv[i].set, e.srv[i].inletC, 1)
	}
}

// sample looks at extremes for the series; it changes no state. A rack is looked into only if one of its
// servers may stand above what the bin has seen.
func (e *engine) sample() {
	m := &e.m
	bin := m.bin(m.gpuMax_, e.now)
	warmC, hot := math.NaN(), 0
	for r := range e.racks {
		rk := &e.racks[r]
		if !(warmC >= rk.inletC) && !math.IsNaN(rk.inletC) {
			warmC = rk.inletC
		}
		if rk.topC > e.racks[hot].topC {
			hot = r
		}
	}
	if !math.IsNaN(warmC) {
		m.most(m.inletMax, e.now, warmC)
	}
	if len(e.racks) > 0 { // the rack that may be hottest first: it spares a look into most others
		e.lookInto(&e.racks[hot])
	}
	for r := range e.racks {
		if rk := &e.racks[r]; !(m.gpuMax_[bin] >= rk.topC) {
			e.lookInto(rk)
		}
	}
	if m.busySum > 0 {
		clock := 1.0
		if m.clockSum < m.busySum*(1-1e-12) {
			for i := range e.srv {
				if s := &e.srv[i]; s.busy > 0 {
					clock = min(clock, s.set.Clock)
				}
			}
		}
		m.least(m.clockMin, e.now, clock)
	}
}

// lookInto notes how hot the GPUs of a rack are, and how hot they may yet get on their way.
func (e *engine) lookInto(rk *rack) {
	rk.topC = math.Inf(-1)
	for _, i := range rk.servers {
		if s := &e.srv[i]; s.up() {
			c, boundC := s.dieNow(e.now)
			e.m.gpuMax(e, s, c)
			rk.topC = max(rk.topC, boundC)
		}
	}
}

// accountAll closes the accounts of servers and their classes.
func (e *engine) accountAll() {
	for i := range e.srv {
		e.account(&e.srv[i])
	}
	for i := range e.loops {
		for _, c := range e.loops[i].classes {
			e.flushClass(c)
		}
	}
}

// finish closes every account at the end of the run.
func (e *engine) finish() {
	m := &e.m
	e.accountAll()
	for i := range e.rooms {
		m.driver(e, i, &e.rooms[i])
	}
	for i := range e.loops {
		m.driver(e, len(e.rooms)+i, &e.loops[i])
	}
	for i := range e.racks {
		m.countInlet(e, &e.racks[i])
	}
	e.sample()
	for i := range e.js.table {
		t := &e.js.table[i]
		if t.running {
			e.progress(t)
			e.js.used(t, e.now)
		}
	}
	m.flush()
	m.table.Advance(e.now)
	if m.batch != nil {
		m.batch.Advance(e.now - e.cfg.WarmupNS)
	}
	for _, c := range append(append([]*metrics.StepSeries{}, m.rooms...), m.loops...) {
		c.Finish(e.now)
	}
}

// computeW is what computes: board, host and GPUs, without fans, supplies and voltage regulators.
func computeW(m *facility.Model, s *thermal.Settled) float64 {
	return m.BoardW + s.GPUW*(1+m.HostPerW)
}
