package sim

import (
	"fmt"
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/sim/metrics"
	"headroom/sim/thermal"
)

const (
	jPerKWh = 3.6e6
	sPerH   = 3600
	// ciBatches is the number of batch means behind an interval on waits.
	ciBatches = 20
)

// PUECategory names where the IT meter of the headline PUE stands: at the server cord (ISO/IEC 30134-2).
const PUECategory = "PUE3"

// Plan returns the placement's answer alone: run and capacity are filled, everything that a simulation
// would say is unknown.
func Plan(l *placement.Layout, c Config) *Result {
	r := unknownResult()
	r.Run = runInfo(l, &c)
	r.Capacity, r.Energy.DesignPUE = capacity(l), designPUE(l)
	r.Layout, r.Air = l, c.Air
	r.Actions = actions(l)
	r.Compute.Models = modelRows(l, &c)
	return r
}

func runInfo(l *placement.Layout, c *Config) RunInfo {
	info := RunInfo{
		ID: c.ID, Scenario: c.Scenario, Variant: c.Variant, Seed: c.Seed, Version: ModelVersion,
		Start: c.Start.Format("2006-01-02T15:04:05"), LengthS: float64(c.LengthNS) / thermal.Second, WarmupS: float64(c.WarmupNS) / thermal.Second,
		Approximations: map[string]int64{}, Extrapolations: []Extrapolation{}, Basis: l.Facility.Basis.String(),
		Coverage: metrics.Unknown,
	}
	info.Warnings = append(append([]string{}, c.Warnings...), l.Warnings...)
	if c.Weather != nil {
		info.Coverage, info.Weather = Num(c.Weather.Coverage), c.Weather.Name
	}
	return info
}

func capacity(l *placement.Layout) Capacity {
	c := Capacity{ServersRequested: l.Requested, ServersPlaced: len(l.Servers), ServersBound: l.Bound, Binding: []Binding{}, Failover: []Failover{}}
	for i := range l.Servers {
		c.GPUsPlaced += l.Facility.Models[l.Servers[i].Model].GPUs
	}
	for i := range l.Racks {
		if l.Racks[i].Servers > 0 {
			c.RacksUsed++
		}
	}
	for _, b := range l.Binding {
		c.Binding = append(c.Binding, Binding{Limit: string(b.Limit), Also: b.Also, Where: b.Where, Racks: b.Racks, Short: Num(b.Short), Unit: b.Unit})
	}
	s := l.Stranded
	c.Stranded = Stranded{PowerW: limit(s.PowerW), AirW: limit(s.AirW), LiquidW: limit(s.LiquidW), SpaceU: Num(s.SpaceU)}
	for _, f := range l.Failover {
		c.Failover = append(c.Failover, Failover{Lost: f.Lost, State: f.State, WorstLoadShare: Num(f.WorstLoadShare), Racks: FateSpans(l, f.Fates)})
	}
	return c
}

// FateSpans joins neighbouring racks that fare alike.
func FateSpans(l *placement.Layout, fates []placement.RackFate) []FailoverRacks {
	spans := []FailoverRacks{}
	next := -1
	for _, r := range fates {
		id := l.Facility.Racks[r.Rack].ID
		if k := len(spans) - 1; k >= 0 && r.Rack == next && spans[k].State == r.State && float64(spans[k].Share) == r.Share {
			spans[k].Last = id
			spans[k].Count++
		} else {
			spans = append(spans, FailoverRacks{id, id, 1, r.State, Num(r.Share)})
		}
		next = r.Rack + 1
	}
	return spans
}

// limit turns a limit that is not stated into an unknown figure.
func limit(w int64) Num {
	if w == facility.NoLimit {
		return metrics.Unknown
	}
	return Num(w)
}

// unknownResult has every figure unknown.
func unknownResult() *Result {
	u := metrics.Unknown
	sp := Spread{Mean: u, P95: u, Max: u}
	w := Wait{Mean: u, P50: u, P95: u, P99: u, CI95: [2]Num{u, u}}
	return &Result{
		FormatVersion: FormatVersion,
		Energy: Energy{
			FacilityKWh: u, ITKWh: u, UPSLossKWh: u, TransformerLossKWh: u, DistributionLossKWh: u, RoomFansKWh: u, PumpsKWh: u,
			ChillersKWh: u, HeatRejectionKWh: u, HumidificationKWh: u, OtherKWh: u, ServerFansKWh: u, ComputeKWh: u,
			PeakFacilityW: u, PeakITW: u, PeakITSwingW: u, PUE: u, PUECategory: PUECategory, PUE1: u, PUE2: u, PUE3: u, TUE: u, WUE: u, CUE: u,
			WaterL: u, Cost: []Money{}, ITUE: u, CarbonKg: u, EvaporationL: u, BlowdownL: u, DriftL: u,
			FreeCoolingH: u, PartialCoolingH: u, MechanicalCoolingH: u, PartialPUE: []ZonePUE{}, Zones: []ZoneEnergy{}, DesignPUE: u,
		},
		Compute: Compute{
			GPUHoursAvailable: u, GPUHoursAllocated: u, GPUHoursBusy: u, GPUHoursEffective: u, Utilization: u,
			ThroughputPFLOPS: u, ThroughputRatio: u, Tokens: u, TokensServed: u, TokensPerKWh: u, TokensPerMoney: []Money{}, SLAAttainment: u, Models: []ModelThroughput{}, Services: []ServiceResult{},
			LostGPUHours: Lost{Thermal: u, PowerCap: u, Failure: u, Restart: u},
		},
		Thermal: Thermal{
			ThrottledGPUHours: u, ThrottledShare: u, GPUC: sp, InletC: sp, SupplyC: sp, CoolantC: sp,
			HoursOverRecommended: u, HoursOverAllowable: u, DewPointMarginK: u,
		},
		Jobs:    Jobs{WaitS: w, ByClass: []ClassJobs{}},
		Actions: []Action{}, Intervals: []Interval{},
	}
}

// result reads the meters. Everything that is printed, drawn or written comes from it.
func (e *engine) result() *Result {
	r := unknownResult()
	r.Run = runInfo(e.lay, e.cfg)
	r.Run.Events = e.count
	e.confess(&r.Run)
	r.Capacity = capacity(e.lay)
	r.Layout, r.Air = e.lay, e.cfg.Air
	r.Actions = actions(e.lay)
	e.energyResult(r)
	e.computeResult(r)
	e.thermalResult(r)
	e.jobsResult(r)
	e.booksResult(r)
	e.tokensResult(r)
	r.Intervals = e.m.intervals()
	r.Incidents = e.incidentsResult()
	r.Series = e.series()
	r.Events = e.log
	r.Racks = e.rackResults()
	r.Power = e.powerResult()
	return r
}

// atLeast lifts a series of extremes of bins to the means of the same bins: an extreme that stood from before a
// bin began is in its mean and not in its own record.
func atLeast(extremes, means []float64) []float64 {
	out := slices.Clone(extremes)
	for i := range out {
		if means[i] > out[i] {
			out[i] = means[i]
		}
	}
	return out
}

// confess lists what was approximated and where a curve was left.
func (e *engine) confess(info *RunInfo) {
	info.Approximations = map[string]int64{
		"servers_settled": e.approx.settled, "classes_settled": e.approx.classes,
		"driver_steps":        e.approx.driverStep,
		"damped_passes":       e.approx.damped,
		"cooling_power_loops": e.approx.power, "cooling_interpolated": e.approx.carried, "throttle_cycles_averaged": e.approx.held,
		"log_entries_cut":  e.logCut,
		"breakers_tripped": e.trips,
	}
	for i, n := range e.b.extra {
		if n > 0 {
			info.Extrapolations = append(info.Extrapolations, Extrapolation{Curve: e.fac.Cooling.Plants[i].Spec().Name, Count: n})
		}
	}
	for i, hot := range e.b.overheated {
		if hot {
			info.Warnings = append(info.Warnings, fmt.Sprintf("the air of room %s passed %d °C: what stands in it is taken to have switched off, and its temperatures beyond are no forecast", e.fac.Cooling.Rooms[i].Name, hallTripC))
		}
	}
	for i := range e.paths {
		if n := e.b.capped[i]; n > 0 {
			info.Extrapolations = append(info.Extrapolations, Extrapolation{Curve: "air path of " + e.fac.Cooling.Rooms[i].Name, Count: n})
			info.Warnings = append(info.Warnings, fmt.Sprintf("room %s: %d times the air was so short that a server's inlet was held at %.0f %% exhaust, the most that is modelled", e.fac.Cooling.Rooms[i].Name, n, 100*cooling.MaxRecirculation))
		}
	}
}

func (e *engine) energyResult(r *Result) {
	m := &e.m
	kWh := func(c column) Num { return Num(m.over(c) / jPerKWh) }
	en := &r.Energy
	en.FacilityKWh, en.ITKWh = kWh(cFacility), kWh(cIT)
	en.UPSLossKWh, en.TransformerLossKWh, en.DistributionLossKWh = kWh(cUPSLoss), kWh(cTransformerLoss), kWh(cDistributionLoss)
	en.RoomFansKWh, en.PumpsKWh, en.ChillersKWh, en.HeatRejectionKWh = kWh(cRoomFans), kWh(cPumps), kWh(cChillers), kWh(cRejection)
	if e.b.humid.any {
		en.HumidificationKWh = kWh(cHumidification)
	}
	en.OtherKWh, en.ServerFansKWh, en.ComputeKWh = kWh(cOther), kWh(cServerFans), kWh(cCompute)
	en.PeakFacilityW, en.PeakITW, en.PeakITSwingW = Num(m.peakFacilityW), Num(m.peakITW), Num(m.peakSwingW)
	it := float64(en.ITKWh)
	en.PUE3 = ratio(float64(en.FacilityKWh), it)
	en.PUE2 = ratio(float64(en.FacilityKWh), float64(kWh(cMeterPDU)))
	en.PUE1 = ratio(float64(en.FacilityKWh), float64(kWh(cMeterUPS)))
	en.PUE = en.PUE3
	en.TUE = ratio(float64(en.FacilityKWh), float64(en.ComputeKWh))
	en.WaterL = Num(m.over(cWater)) // kg of water are litres
	en.WUE = ratio(float64(en.WaterL), it)
}

func (e *engine) computeResult(r *Result) {
	m := &e.m
	h := func(c column) float64 { return m.over(c) / sPerH }
	redone := (m.restartS - m.restartBaseS) / sPerH
	c := &r.Compute
	c.GPUHoursAvailable, c.GPUHoursAllocated, c.GPUHoursBusy = Num(h(cAvailable)), Num(h(cAllocated)), Num(h(cBusy))
	c.GPUHoursEffective = Num(h(cEffective) - redone)
	c.Utilization = ratio(float64(c.GPUHoursBusy), float64(c.GPUHoursAvailable))
	c.LostGPUHours = Lost{Thermal: Num(h(cLostThermal)), PowerCap: Num(h(cLostCap)), Failure: Num(h(cFailed)), Restart: Num(h(cLostRestart) + redone)}
	if total := m.over(cWork); total > 0 {
		c.ThroughputPFLOPS = Num(total / (r.Run.LengthS - r.Run.WarmupS))
	}
}

func spread(h *metrics.Histogram) Spread {
	p95 := h.Quantile(0.95)
	if h.Clamped() > 0 { // beyond the range of the histogram its quantiles aren't known
		p95 = metrics.Unknown
	}
	return Spread{Mean: h.Mean(), P95: p95, Max: h.Max()}
}

func (e *engine) thermalResult(r *Result) {
	m, t := &e.m, &r.Thermal
	t.ThrottledGPUHours = Num(m.over(cThrottled) / sPerH)
	t.ThrottledShare = ratio(float64(t.ThrottledGPUHours), float64(r.Compute.GPUHoursBusy))
	t.GPUC, t.InletC, t.SupplyC = spread(m.gpuHist), spread(m.inletHist), spread(m.supplyHist)
	if !math.IsInf(m.gpuMaxC, 0) {
		t.GPUC.Max = Num(m.gpuMaxC)
	}
	if len(e.loops) > 0 {
		t.CoolantC = spread(m.coolantHist)
	}
	if len(e.srv) > 0 {
		t.HoursOverRecommended = Num(m.over(cOverRec) / sPerH)
		t.HoursOverAllowable = Num(m.over(cOverAllow) / sPerH)
	}
}

func waits(s *metrics.Sample) Wait {
	lo, hi := s.CI95(ciBatches)
	if lo < 0 { // no wait is
		lo = 0
	}
	return Wait{Mean: s.Mean(), P50: s.Quantile(0.5), P95: s.Quantile(0.95), P99: s.Quantile(0.99), CI95: [2]Num{lo, hi}}
}

func (e *engine) jobsResult(r *Result) {
	j := &e.js
	r.Jobs.JobCounts, r.Jobs.WaitS = j.total, waits(&j.wait)
	r.Jobs.Scheduling = e.schedulingResult()
	for i := range j.byClass {
		c := &j.byClass[i]
		r.Jobs.ByClass = append(r.Jobs.ByClass, ClassJobs{
			Class: e.cfg.Classes[i].Name, Kind: e.cfg.Classes[i].Kind.String(), JobCounts: c.JobCounts,
			WaitS: waits(&c.wait), GPUHours: Num(c.gpuS / sPerH), Tokens: e.classTokens(i),
		})
	}
}

func (e *engine) series() *Series {
	m := &e.m
	s := &Series{StepS: float64(e.cfg.SeriesStepNS) / thermal.Second}
	n := m.table.Bins()
	for i := range n {
		s.StartS = append(s.StartS, float64(i)*s.StepS)
	}
	for c, name := range columnNames {
		if name != "" {
			s.Columns = append(s.Columns, Column{Name: name, Values: m.means(column(c))})
		}
		if column(c) == cPUE {
			s.Columns = append(s.Columns, Column{Name: "pue", Values: quotient(m.means(cFacility), m.means(cIT))})
		}
	}
	s.Columns = append(s.Columns,
		Column{Name: "supply_c", Values: meanOf(m.rooms, n)},
		Column{Name: "coolant_c", Values: meanOf(m.loops, n)},
		Column{Name: "inlet_max_c", Values: atLeast(m.inletMax, m.means(cInletMean))},
		Column{Name: "gpu_max_c", Values: atLeast(m.gpuMax_, m.means(cGPUMean))},
		Column{Name: "clock_min", Values: slices.Clone(m.clockMin)},
	)
	return s
}

// cPUE is the column after which the ratio is written.
const cPUE = cIT

// quotient divides bin by bin; a bin without IT energy has no PUE.
func quotient(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range q {
		q[i] = math.NaN()
		if b[i] > 0 {
			q[i] = a[i] / b[i]
		}
	}
	return q
}

// meanOf is the plain mean over several rooms or loops, NaN where there is none.
func meanOf(s []*metrics.StepSeries, n int) []float64 {
	mean := make([]float64, n)
	for i := range mean {
		mean[i] = math.NaN()
	}
	for k, one := range s {
		for i, v := range one.Means() {
			if k == 0 {
				mean[i] = 0
			}
			mean[i] += v / float64(len(s))
		}
	}
	return mean
}

func (e *engine) rackResults() []RackResult {
	out := make([]RackResult, len(e.racks))
	runS := float64(e.cfg.LengthNS-e.cfg.WarmupNS) / thermal.Second
	for i := range e.racks {
		k := &e.racks[i]
		var energyJ float64
		for _, s := range k.servers {
			energyJ += e.srv[s].energyJ + e.srv[s].comp
		}
		out[i] = RackResult{
			Rack: i, MeanW: (energyJ - k.baseJ) / runS, PeakW: k.peakW, InletMeanC: k.inletSum / k.inletS, InletMaxC: finite(k.inletMaxC),
			GPUMaxC: finite(k.gpuMaxC), ThrottledGPUHours: k.throttledS / sPerH,
			HoursOverRecommended: k.recS / sPerH, HoursOverAllowable: k.allowS / sPerH,
		}
		if k.inletS == 0 { // nothing drew air there
			out[i].HoursOverRecommended, out[i].HoursOverAllowable = math.NaN(), math.NaN()
		}
		for c, s := range k.slowedS {
			out[i].SlowedGPUHours[c] = s / sPerH
		}
	}
	return out
}

func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
