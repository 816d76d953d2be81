package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"headroom/facility/placement"
	"headroom/plots"
	"headroom/plots/show"
	"headroom/sim"
)

// mostRows is the most rows a table of racks or losses has; the rest is counted.
const mostRows = 30

func (d *doc) fit() {
	d.section("What fits, and what stops the next server")
	d.chart("fit")
	c := &d.r.Capacity
	if len(c.Binding) > 0 {
		var rows [][]string
		for _, b := range c.Binding {
			short := "–"
			if b.Short.Known() && b.Short > 0 {
				short = show.Quantity(float64(b.Short), b.Unit)
			}
			rows = append(rows, []string{plots.LimitName(b.Limit), plain(b.Where), show.Count(b.Racks), short})
		}
		d.table([]string{"limit", "where", ">racks", ">short by"}, rows)
	}
	d.rackTable()
	s := &c.Stranded
	d.para(fmt.Sprintf("Stranded: power %s, air cooling %s, liquid cooling %s, space %s.",
		show.Watts(float64(s.PowerW)), show.Watts(float64(s.AirW)), show.Watts(float64(s.LiquidW)), show.Quantity(float64(s.SpaceU), "U")))
	d.strandedTable()
	d.chart("placement")
}

// strandedTable splits what is stranded by the limit that strands it.
func (d *doc) strandedTable() {
	if d.r.Layout == nil || len(d.r.Layout.StrandedBy) == 0 {
		return
	}
	var rows [][]string
	for _, s := range d.r.Layout.StrandedBy {
		w := show.Unknown
		if s.PowerW >= 0 {
			w = show.Watts(float64(s.PowerW))
		}
		rows = append(rows, []string{plots.LimitName(string(s.Limit)), show.Count(s.Racks), w, show.Quantity(float64(s.SpaceU), "U")})
	}
	d.table([]string{"stranded by", ">racks", ">power", ">space"}, rows)
}

// rackTable has one line for every run of racks of a row that hold the same and are stopped by the same.
func (d *doc) rackTable() {
	l := d.r.Layout
	if l == nil || l.Facility == nil {
		d.para("Racks: unknown, for the result holds no placement.")
		return
	}
	type group struct {
		row, first, last     string
		racks, servers       int
		usedW, limitW, freeW int64
		usedU, heightU       int
		binding              placement.Limit
		perRack              int
		unlimited            bool
		liquidW, airW        int64
	}
	var groups []group
	for i := range l.Racks {
		f := &l.Racks[i]
		if f.Rack < 0 || f.Rack >= len(l.Facility.Racks) {
			continue
		}
		k := &l.Facility.Racks[f.Rack]
		n := len(groups) - 1
		if n < 0 || groups[n].row != k.Row || groups[n].perRack != f.Servers || groups[n].binding != f.Binding {
			groups = append(groups, group{row: k.Row, first: k.ID, perRack: f.Servers, binding: f.Binding})
			n++
		}
		g := &groups[n]
		g.last = k.ID
		g.racks++
		g.servers += f.Servers
		g.usedW += f.UsedW
		g.airW += f.AirW
		g.liquidW += f.LiquidW
		g.usedU += f.UsedU
		g.heightU += k.HeightU - k.ReserveU
		if k.PowerW < 0 {
			g.unlimited = true
		} else {
			g.limitW += k.PowerW
			g.freeW += max(0, f.FreeW)
		}
	}
	var rows [][]string
	var total group
	for i, g := range groups {
		total.racks, total.servers = total.racks+g.racks, total.servers+g.servers
		total.usedW, total.limitW, total.freeW = total.usedW+g.usedW, total.limitW+g.limitW, total.freeW+g.freeW
		total.usedU, total.heightU = total.usedU+g.usedU, total.heightU+g.heightU
		total.airW, total.liquidW = total.airW+g.airW, total.liquidW+g.liquidW
		total.unlimited = total.unlimited || g.unlimited
		if i >= mostRows {
			continue
		}
		name := g.first
		if g.racks > 1 {
			name += "–" + g.last
		}
		limit, free := show.Watts(float64(g.limitW)), show.Watts(float64(g.freeW))
		if g.unlimited {
			limit, free = "not stated", show.Unknown
		}
		rows = append(rows, []string{
			plain(name), show.Count(g.racks), show.Count(g.perRack), show.Count(g.servers), show.Watts(float64(g.usedW)), limit, free,
			show.Watts(float64(g.airW)), show.Watts(float64(g.liquidW)), fmt.Sprintf("%d of %d", g.usedU, g.heightU), limitOrNothing(g.binding),
		})
	}
	if len(groups) > mostRows {
		rows = append(rows, []string{fmt.Sprintf("and %d more groups", len(groups)-mostRows), "", "", "", "", "", "", "", "", "", ""})
	}
	limit, free := show.Watts(float64(total.limitW)), show.Watts(float64(total.freeW))
	if total.unlimited {
		limit, free = "not all stated", show.Unknown
	}
	rows = append(rows, []string{
		"**all**", show.Count(total.racks), "", show.Count(total.servers), show.Watts(float64(total.usedW)), limit, free,
		show.Watts(float64(total.airW)), show.Watts(float64(total.liquidW)), fmt.Sprintf("%d of %d", total.usedU, total.heightU), "",
	})
	d.table([]string{"racks", ">number", ">servers each", ">servers", ">power used", ">power limit", ">power free", ">heat to air", ">heat to liquid", ">U used", "stopped by"}, rows)

	admits, stated := plots.Admits(l)
	rows = nil
	for _, k := range plots.Limits() {
		if stated[k] > 0 {
			rows = append(rows, []string{plots.LimitName(string(k)), show.Count(admits[k]), show.Count(stated[k])})
		}
	}
	if len(rows) > 0 {
		d.para("Servers that each limit of the racks alone would admit (what racks share is not in it):")
		d.table([]string{"limit", ">servers", ">racks that state it"}, rows)
	}
}

func limitOrNothing(l placement.Limit) string { return plots.LimitName(string(l)) }

func (d *doc) failover() {
	d.section("After a loss")
	fs := d.r.Capacity.Failover
	if len(fs) == 0 {
		d.para("Unknown: no loss was judged.")
		return
	}
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	if len(fs) > mostRows { // the worst first; as the placement lists them while all have room
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loadOf(fs[b]), loadOf(fs[a])) })
	}
	line := func(i int) []string {
		f := fs[i]
		worst, racks := show.Unknown, show.Unknown
		if d.r.Layout != nil && len(d.r.Layout.Failover) == len(fs) {
			worst, racks = orUnknown(plain(d.r.Layout.Failover[i].Worst)), show.Count(d.r.Layout.Failover[i].Racks)
		}
		return []string{plain(f.Lost), plain(f.State), show.Percent(float64(f.WorstLoadShare)), worst, racks}
	}
	var rows [][]string
	shown := 0
	for at := 0; at < len(order) && len(rows) < mostRows; {
		// Losses alike in all but their names, as those of the feeds of a row are, share a line.
		row, end := line(order[at]), at+1
		var last []string
		for ; end < len(order); end++ {
			next := line(order[end])
			if next[1] != row[1] || next[2] != row[2] || next[4] != row[4] {
				break
			}
			last = next
		}
		if end-at >= 3 {
			row[0] = fmt.Sprintf("%s … %s, each of %d", row[0], last[0], end-at)
			row[3] = fmt.Sprintf("%s … %s", row[3], last[3])
		} else {
			end = at + 1
		}
		rows = append(rows, row)
		shown += end - at
		at = end
	}
	d.table([]string{"lost", "state", ">highest load of a survivor", "carried by", ">racks not normal"}, rows)
	if shown < len(fs) {
		d.para(fmt.Sprintf("The %d worst of %d single losses, by load.", shown, len(fs)))
	}
}

// loadOf sorts unknown loads first: they need a look most of all.
func loadOf(f sim.Failover) float64 {
	if !f.WorstLoadShare.Known() {
		return math.Inf(1)
	}
	return float64(f.WorstLoadShare)
}

func (d *doc) energy() {
	d.section("Energy")
	d.chart("pue_time")
	d.chart("pue_load")
	d.chart("pue_wetbulb")
	d.chart("power")
	e := &d.r.Energy
	total := float64(e.FacilityKWh)
	var rows [][]string
	for _, p := range plots.EnergyParts() {
		v := float64(p.KWh(e))
		rows = append(rows, []string{p.Name, show.KWh(v), exact(v), show.Percent(v / total)})
	}
	sum, unknown := energySum(e)
	what := "**sum of the parts**"
	if len(unknown) > 0 {
		what = "**sum of the known parts**"
	}
	rows = append(rows,
		[]string{what, show.KWh(sum), exact(sum), show.Percent(sum / total)},
		[]string{"**facility**", show.KWh(total), exact(total), show.Percent(total / total)})
	d.table([]string{"part", ">energy", ">kWh", ">share of facility"}, rows)
	rows = [][]string{
		{"PUE (" + pueName(e) + ")", show.Ratio(float64(e.PUE), 3)},
		{"PUE1, PUE2, PUE3", show.Ratio(float64(e.PUE1), 3) + ", " + show.Ratio(float64(e.PUE2), 3) + ", " + show.Ratio(float64(e.PUE3), 3)},
		{"TUE (facility over compute)", show.Ratio(float64(e.TUE), 3)},
		{"of IT: server fans", show.KWh(float64(e.ServerFansKWh))},
		{"of IT: compute", show.KWh(float64(e.ComputeKWh))},
		{"peak facility power", show.Watts(float64(e.PeakFacilityW))},
		{"peak IT power", show.Watts(float64(e.PeakITW))},
		{"water", show.Litres(float64(e.WaterL))},
		{"WUE", withUnit(float64(e.WUE), "L/kWh")},
		{"CUE", withUnit(float64(e.CUE), "kg/kWh")},
	}
	rows = append(rows, accounts(e)...)
	for _, m := range e.Cost {
		rows = append(rows, []string{"bills", money(m)})
	}
	if len(e.Cost) == 0 {
		rows = append(rows, []string{"bills", show.Unknown + ": no price is stated"})
	}
	d.table([]string{"figure", ">value"}, rows)
}

// exact prints kilowatt-hours to the whole, for sums that are checked by hand.
func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return show.Unknown
	}
	return show.Minus(show.Thousands(fmt.Sprintf("%.0f", v)))
}

func withUnit(v float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return show.Unknown
	}
	return show.Number(v, 3) + " " + unit
}

func (d *doc) work() {
	d.section("Work")
	d.chart("throughput")
	c := &d.r.Compute
	h := func(n sim.Num) string { return show.GPUHours(float64(n)) }
	rows := [][]string{
		{"GPUs up", h(c.GPUHoursAvailable)},
		{"allocated", h(c.GPUHoursAllocated)},
		{"busy", h(c.GPUHoursBusy)},
		{"effective (busy × work rate)", h(c.GPUHoursEffective)},
		{"lost to heat", h(c.LostGPUHours.Thermal)},
		{"lost to power caps", h(c.LostGPUHours.PowerCap)},
		{"lost to failures", h(c.LostGPUHours.Failure)},
		{"lost to restarts", h(c.LostGPUHours.Restart)},
		{"utilization (busy over up)", show.Percent(float64(c.Utilization))},
		{"throughput against GPUs without limits", show.Percent(float64(c.ThroughputRatio))},
		{"mean throughput", withUnit(float64(c.ThroughputPFLOPS), "PFLOPS")},
		{"tokens", show.Number(float64(c.Tokens), 3)},
	}
	if len(c.Models) > 0 {
		rows = append(rows, []string{"tokens served within their goals", show.Number(float64(c.TokensServed), 3)},
			[]string{"tokens per kWh of the facility", show.Number(float64(c.TokensPerKWh), 4)})
		for _, m := range c.TokensPerMoney {
			rows = append(rows, []string{"tokens per " + m.Currency + " of energy", show.Number(float64(m.Amount), 4)})
		}
		rows = append(rows, []string{"SLA attainment (served over asked for)", show.Percent(float64(c.SLAAttainment))})
	}
	d.table([]string{"figure", ">value"}, rows)
	d.models()
	d.chart("util")
	d.para("Where every submitted job ended:")
	heads := []string{"class", ">submitted", ">done", ">running", ">queued", ">rejected", ">unplaceable", ">killed", ">lost", ">accounted for", ">wait p50", ">wait p95", ">GPU-hours"}
	line := func(name string, j *sim.JobCounts, w *sim.Wait, gpuHours string) []string {
		return []string{
			name, show.Count(j.Submitted), show.Count(j.Done), show.Count(j.Running), show.Count(j.Queued), show.Count(j.Rejected),
			show.Count(j.Unplaceable), show.Count(j.Killed), show.Count(j.Lost), show.Count(jobSum(j)), show.Seconds(float64(w.P50)), show.Seconds(float64(w.P95)), gpuHours,
		}
	}
	rows = nil
	for i := range d.r.Jobs.ByClass {
		k := &d.r.Jobs.ByClass[i]
		name := plain(k.Class)
		if k.Kind != "" {
			name += " (" + plain(k.Kind) + ")"
		}
		rows = append(rows, line(name, &k.JobCounts, &k.WaitS, show.Number(float64(k.GPUHours), 3)))
	}
	j := &d.r.Jobs
	rows = append(rows, line("**all**", &j.JobCounts, &j.WaitS, ""))
	d.table(heads, rows)
	w := &j.WaitS
	if w.Mean.Known() {
		s := "Mean wait of jobs that started: " + show.Seconds(float64(w.Mean))
		if w.CI95[0].Known() && w.CI95[1].Known() {
			s += fmt.Sprintf(" (95 %% confidence %s to %s)", show.Seconds(float64(w.CI95[0])), show.Seconds(float64(w.CI95[1])))
		}
		d.para(s+".", fmt.Sprintf("%s still queued at the end have no wait yet and are not in it.", show.Count(j.Queued)))
	}
}

func (d *doc) thermal() {
	d.section("Temperature and throttling")
	d.chart("thermal")
	h := &d.r.Thermal
	var rows [][]string
	for _, s := range []struct {
		name string
		sim.Spread
	}{{"GPU", h.GPUC}, {"server inlet", h.InletC}, {"supply air", h.SupplyC}, {"coolant", h.CoolantC}} {
		rows = append(rows, []string{s.name, show.Celsius(float64(s.Mean)), show.Celsius(float64(s.P95)), show.Celsius(float64(s.Max))})
	}
	d.table([]string{"temperature", ">mean", ">p95", ">highest"}, rows)
	d.table([]string{"figure", ">value"}, [][]string{
		{"throttled", show.GPUHours(float64(h.ThrottledGPUHours))},
		{"throttled, share of busy", show.Percent(float64(h.ThrottledShare))},
		{"inlets over the recommended range", hoursOf(float64(h.HoursOverRecommended))},
		{"inlets over the allowable range", hoursOf(float64(h.HoursOverAllowable))},
		{"dew point margin", withUnit(float64(h.DewPointMarginK), "K")},
	})
	d.hotRacks()
}

// hotRacks lists the racks that a planner should look at first.
func (d *doc) hotRacks() {
	l := d.r.Layout
	if l == nil || l.Facility == nil || len(d.r.Racks) == 0 {
		return
	}
	racks := slices.Clone(d.r.Racks)
	hot := func(k *sim.RackResult) float64 {
		if math.IsNaN(k.InletMaxC) {
			return math.Inf(-1)
		}
		return k.InletMaxC
	}
	slices.SortStableFunc(racks, func(a, b sim.RackResult) int {
		if c := cmp.Compare(b.ThrottledGPUHours, a.ThrottledGPUHours); c != 0 {
			return c
		}
		return cmp.Compare(hot(&b), hot(&a))
	})
	const shown = 10
	var rows [][]string
	for _, k := range racks[:min(shown, len(racks))] {
		name := show.Unknown
		if k.Rack >= 0 && k.Rack < len(l.Facility.Racks) {
			name = plain(l.Facility.Racks[k.Rack].ID)
		}
		rows = append(rows, []string{
			name, show.Watts(k.MeanW), show.Watts(k.PeakW), show.Celsius(k.InletMeanC), show.Celsius(k.InletMaxC),
			show.Celsius(k.GPUMaxC), show.Number(k.ThrottledGPUHours, 3), hoursOf(k.HoursOverRecommended), hoursOf(k.HoursOverAllowable),
		})
	}
	title := "Racks, most throttled and hottest first:"
	if len(racks) > shown {
		title = fmt.Sprintf("The %d racks most throttled and hottest, of %s:", shown, show.Count(len(racks)))
	}
	d.para(title)
	d.table([]string{"rack", ">mean power", ">peak power", ">inlet mean", ">inlet highest", ">GPU highest", ">throttled GPU-hours", ">over recommended", ">over allowable"}, rows)
}

// definitions are what the words of the report mean.
var definitions = []string{
	"**Fits**: placed under every limit at once; usable capacity is the least over all limits after derating and redundancy.",
	"**Stranded**: free capacity of one kind that no server can use because another limit, or a remainder too small for a server, stops it.",
	"**Failover load**: the highest load of an element over all single losses, after what is lost hands its load on.",
	"**PUE**: facility energy over IT energy in the whole period, never a mean of ratios; undefined without IT energy.",
	"**Allocated**: GPU-hours assigned to jobs. **Busy**: GPU-hours in which they execute. **Effective**: busy times work rate at the clocks that heat and caps leave.",
	"**Throughput ratio**: work done over the work of an unlimited run with the same arrivals.",
	"**Throttled GPU-hours**: time in which a GPU's clock is held down, whatever that costs; the work lost is stated beside it.",
	"**Imbalance**: the largest deviation of a phase from the mean of the three, over that mean.",
	"**Unknown**: the run has no figure. It is never counted as zero and never as PASS.",
}

func (d *doc) basis() {
	d.section("Assumptions and definitions")
	run := &d.r.Run
	d.line("- Servers are counted at their %s power when racks are filled; energy, heat and work are simulated.", orUnknown(plain(run.Basis)))
	d.line("- Weather: %s, %s of its hours covered by the source.", orUnknown(plain(run.Weather)), show.Percent(float64(run.Coverage)))
	for _, w := range run.Warnings {
		d.line("- Warning: %s", plain(w))
	}
	if d.r.Layout != nil {
		for _, w := range d.r.Layout.Warnings {
			if !slices.Contains(run.Warnings, w) {
				d.line("- Warning: %s", plain(w))
			}
		}
	}
	for _, x := range run.Extrapolations {
		d.line("- Curve %s was asked outside its range %s times and held at its border or corrected.", plain(x.Curve), show.Count(x.Count))
	}
	if len(run.Approximations) > 0 {
		var parts []string
		for _, k := range sortedKeys(run.Approximations) {
			parts = append(parts, fmt.Sprintf("%s %s", plain(strings.ReplaceAll(k, "_", " ")), show.Count(run.Approximations[k])))
		}
		d.line("- Approximations, counted: %s.", strings.Join(parts, ", "))
	}
	for _, s := range definitions {
		d.line("- %s", s)
	}
	d.line("")
}
