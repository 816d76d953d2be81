package study

import (
	"math"
	"slices"

	"headroom/facility"
	"headroom/sim"
)

// figureOf is a figure with how a result tells it.
type figureOf struct {
	Figure
	of func(r *sim.Result) float64
}

func num(n sim.Num) float64 {
	if !n.Known() {
		return math.NaN()
	}
	return float64(n)
}

// figures are what a comparison sets side by side, in the order in which a planner asks.
var figures = []figureOf{
	{Figure{"capacity.servers_placed", "servers that fit", "", +1}, func(r *sim.Result) float64 { return float64(r.Capacity.ServersPlaced) }},
	{Figure{"capacity.gpus_placed", "GPUs", "", +1}, func(r *sim.Result) float64 { return float64(r.Capacity.GPUsPlaced) }},
	{Figure{"capacity.racks_used", "racks used", "", 0}, func(r *sim.Result) float64 { return float64(r.Capacity.RacksUsed) }},
	{Figure{"capacity.used_racks_free_w", "power free in the racks used", "W", -1}, freeInUsedRacks},
	{Figure{"capacity.stranded.power_w", "power stranded", "W", -1}, func(r *sim.Result) float64 { return num(r.Capacity.Stranded.PowerW) }},
	{Figure{"capacity.stranded.space_u", "space stranded", "U", 0}, func(r *sim.Result) float64 { return num(r.Capacity.Stranded.SpaceU) }},

	{Figure{"compute.gpu_hours_effective", "work done", "GPU-h", +1}, func(r *sim.Result) float64 { return num(r.Compute.GPUHoursEffective) }},
	{Figure{"compute.utilization", "GPUs busy", "share", 0}, func(r *sim.Result) float64 { return num(r.Compute.Utilization) }},
	{Figure{"compute.throughput_pflops", "mean throughput", "PFLOPS", +1}, func(r *sim.Result) float64 { return num(r.Compute.ThroughputPFLOPS) }},
	{Figure{"compute.throughput_ratio", "work against GPUs without limits", "share", +1}, func(r *sim.Result) float64 { return num(r.Compute.ThroughputRatio) }},
	{Figure{"compute.tokens", "tokens", "tokens", +1}, func(r *sim.Result) float64 { return num(r.Compute.Tokens) }},
	{Figure{"compute.sla_attainment", "SLA attainment", "share", +1}, func(r *sim.Result) float64 { return num(r.Compute.SLAAttainment) }},
	{Figure{"compute.lost_gpu_hours.thermal", "work lost to heat", "GPU-h", -1}, func(r *sim.Result) float64 { return num(r.Compute.LostGPUHours.Thermal) }},
	{Figure{"compute.lost_gpu_hours.power_cap", "work lost to power limits", "GPU-h", -1}, func(r *sim.Result) float64 { return num(r.Compute.LostGPUHours.PowerCap) }},
	{Figure{"compute.lost_gpu_hours.failure", "work lost to failures", "GPU-h", -1}, func(r *sim.Result) float64 { return num(r.Compute.LostGPUHours.Failure) }},
	{Figure{"jobs.done", "jobs done", "", +1}, func(r *sim.Result) float64 { return jobs(r, r.Jobs.Done) }},
	{Figure{"jobs.queued", "jobs queued at the end", "", -1}, func(r *sim.Result) float64 { return jobs(r, r.Jobs.Queued) }},
	{Figure{"jobs.wait_s.p50", "wait, half of the jobs", "s", -1}, func(r *sim.Result) float64 { return num(r.Jobs.WaitS.P50) }},
	{Figure{"jobs.wait_s.p95", "wait, 95 % of the jobs", "s", -1}, func(r *sim.Result) float64 { return num(r.Jobs.WaitS.P95) }},

	{Figure{"energy.facility_kwh", "facility energy", "kWh", -1}, func(r *sim.Result) float64 { return num(r.Energy.FacilityKWh) }},
	{Figure{"energy.it_kwh", "IT energy", "kWh", 0}, func(r *sim.Result) float64 { return num(r.Energy.ITKWh) }},
	{Figure{"energy.kwh_per_gpu_hour", "facility energy per GPU-hour of work", "kWh/GPU-h", -1}, func(r *sim.Result) float64 {
		work := num(r.Compute.GPUHoursEffective)
		if !(work > 0) {
			return math.NaN()
		}
		return num(r.Energy.FacilityKWh) / work
	}},
	{Figure{"energy.pue", "PUE", "ratio", -1}, func(r *sim.Result) float64 { return num(r.Energy.PUE) }},
	{Figure{"energy.tue", "TUE", "ratio", -1}, func(r *sim.Result) float64 { return num(r.Energy.TUE) }},
	{Figure{"energy.peak_facility_w", "peak facility power", "W", -1}, func(r *sim.Result) float64 { return num(r.Energy.PeakFacilityW) }},
	{Figure{"energy.peak_it_w", "peak IT power", "W", 0}, func(r *sim.Result) float64 { return num(r.Energy.PeakITW) }},
	{Figure{"energy.water_l", "water", "L", -1}, func(r *sim.Result) float64 { return num(r.Energy.WaterL) }},
	{Figure{"energy.carbon_kg", "carbon dioxide", "kg", -1}, func(r *sim.Result) float64 { return num(r.Energy.CarbonKg) }},

	{Figure{"thermal.throttled_gpu_hours", "throttled", "GPU-h", -1}, func(r *sim.Result) float64 { return num(r.Thermal.ThrottledGPUHours) }},
	{Figure{"thermal.inlet_c.max", "hottest inlet", "°C", -1}, func(r *sim.Result) float64 { return num(r.Thermal.InletC.Max) }},
	{Figure{"thermal.gpu_c.max", "hottest GPU", "°C", -1}, func(r *sim.Result) float64 { return num(r.Thermal.GPUC.Max) }},
	{Figure{"thermal.coolant_c.max", "warmest coolant", "°C", 0}, func(r *sim.Result) float64 { return num(r.Thermal.CoolantC.Max) }},
	{Figure{"thermal.hours_over_allowable", "inlets over the allowable range", "h", -1}, func(r *sim.Result) float64 { return num(r.Thermal.HoursOverAllowable) }},
	{Figure{"incidents.jobs_interrupted", "job runs interrupted", "", -1}, func(r *sim.Result) float64 {
		if r.Incidents == nil {
			return math.NaN()
		}
		return float64(r.Incidents.JobsInterrupted)
	}},
}

// jobs is a count of jobs, unknown where nothing was simulated.
func jobs(r *sim.Result, n int64) float64 {
	if !r.Energy.FacilityKWh.Known() {
		return math.NaN()
	}
	return float64(n)
}

// freeInUsedRacks is the power left in the racks that hold a server, whether another server could use it or not.
func freeInUsedRacks(r *sim.Result) float64 {
	if r.Layout == nil {
		return math.NaN()
	}
	free := int64(0)
	for i := range r.Layout.Racks {
		k := &r.Layout.Racks[i]
		if k.Servers == 0 {
			continue
		}
		if k.FreeW == facility.NoLimit {
			return math.NaN()
		}
		free += k.FreeW
	}
	return float64(free)
}

// Figures are the figures of results of several sides: the fixed ones, then money in each currency that occurs.
// Amounts of different currencies are never set against each other: each currency is a figure of its own, unknown
// where a side has none of it.
func Figures(results []*sim.Result) []Figure {
	var list []Figure
	for _, f := range figures {
		list = append(list, f.Figure)
	}
	for _, c := range currencies(results) {
		for _, m := range moneyFigures {
			list = append(list, Figure{m.key + "." + c, m.name, c, -1})
		}
	}
	return list
}

// Values are the figures of one result, in the order of list; NaN is unknown.
func Values(r *sim.Result, list []Figure) []float64 {
	out := make([]float64, len(list))
	for i := range out {
		out[i] = math.NaN()
		if i < len(figures) {
			out[i] = figures[i].of(r)
			continue
		}
		for _, m := range moneyFigures {
			if list[i].Key == m.key+"."+list[i].Unit {
				out[i] = m.of(r, list[i].Unit)
			}
		}
	}
	return out
}

var moneyFigures = []struct {
	key, name string
	of        func(r *sim.Result, currency string) float64
}{
	{"energy.cost", "bills of the run", func(r *sim.Result, currency string) float64 {
		for _, m := range r.Energy.Cost {
			if m.Currency == currency {
				return num(m.Amount)
			}
		}
		return math.NaN()
	}},
	{"money.capex", "capital cost", account(func(a *sim.Account) sim.Num { return a.Capex })},
	{"money.year_operating", "operating cost a year", account(func(a *sim.Account) sim.Num { return a.YearOperating })},
	{"money.year_total", "total cost a year", account(func(a *sim.Account) sim.Num { return a.YearTotal })},
	{"money.per_gpu_hour", "cost of a GPU-hour of work", account(func(a *sim.Account) sim.Num { return a.PerGPUHour })},
}

func account(of func(*sim.Account) sim.Num) func(*sim.Result, string) float64 {
	return func(r *sim.Result, currency string) float64 {
		if r.Money == nil || r.Money.Currency != currency {
			return math.NaN()
		}
		return num(of(r.Money))
	}
}

// currencies lists those of the results, in the order of the alphabet.
func currencies(results []*sim.Result) []string {
	var list []string
	add := func(c string) {
		if c != "" && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for _, r := range results {
		for _, m := range r.Energy.Cost {
			add(m.Currency)
		}
		if r.Money != nil {
			add(r.Money.Currency)
		}
	}
	slices.Sort(list)
	return list
}
