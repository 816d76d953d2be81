package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"headroom/facility/placement"
	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/show"
	"headroom/sim"
)

// mostRows is the most rows a table of racks or losses has; the rest is counted.
const mostRows = 30

func (d *doc) fit() {
	d.Section("What fits, and what stops the next server")
	d.chart("fit")
	c := &d.r.Capacity
	if len(c.Binding) > 0 {
		var rows [][]cell
		for _, b := range c.Binding {
			short := none(b.Unit)
			if b.Short.Known() && b.Short > 0 {
				short = quantity(float64(b.Short), b.Unit)
			}
			names, _ := plots.BindingNames(&b)
			rows = append(rows, row(words(names), words(b.Where), count(b.Racks), short))
		}
		d.table("what stops the next server", []string{"limit", "where", ">racks", ">short by"}, rows)
	}
	d.rackTable()
	s := &c.Stranded
	d.say("Stranded: power %s, air cooling %s, liquid cooling %s, space %s.",
		show.Watts(float64(s.PowerW)), show.Watts(float64(s.AirW)), show.Watts(float64(s.LiquidW)), show.Quantity(float64(s.SpaceU), "U"))
	d.strandedTable()
	d.chart("waterfall")
	d.chart("placement")
	d.chart("elevation")
	d.chart("cooling")
	d.chart("phase")
}

// strandedTable splits what is stranded by the limit that strands it.
func (d *doc) strandedTable() {
	if d.r.Layout == nil || len(d.r.Layout.StrandedBy) == 0 {
		return
	}
	var rows [][]cell
	for _, s := range d.r.Layout.StrandedBy {
		w := watts(math.NaN())
		if s.PowerW >= 0 {
			w = watts(float64(s.PowerW))
		}
		rows = append(rows, row(words(plots.LimitName(string(s.Limit))), count(s.Racks), w, quantity(float64(s.SpaceU), "U")))
	}
	d.table("stranded", []string{"stranded by", ">racks", ">power", ">space"}, rows)
}

// rackTable has one line for every run of racks of a row that hold the same and are stopped by the same.
func (d *doc) rackTable() {
	l := d.r.Layout
	if l == nil || l.Facility == nil {
		d.say("Racks: unknown, for the result holds no placement.")
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
	line := func(name cell, g group, limit string) []cell {
		used := nums(fmt.Sprintf("%d of %d", g.usedU, g.heightU), float64(g.usedU), "U")
		power, free := watts(float64(g.limitW)), watts(float64(g.freeW))
		if g.unlimited {
			power, free = nums("not stated", math.NaN(), "W"), watts(math.NaN())
		}
		return row(name, count(g.racks), count(g.perRack), count(g.servers), watts(float64(g.usedW)), power, free,
			watts(float64(g.airW)), watts(float64(g.liquidW)), used, words(limit))
	}
	var rows [][]cell
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
		rows = append(rows, line(words(name), g, plots.LimitName(string(g.binding))))
	}
	var foot [][]cell
	if len(groups) > mostRows {
		foot = append(foot, row(words(fmt.Sprintf("and %d more groups", len(groups)-mostRows))))
	}
	all := line(strong("all"), total, "")
	all[2] = blank
	d.table("racks", []string{
		"racks", ">number", ">servers each", ">servers", ">power used", ">power limit", ">power free", ">heat to air", ">heat to liquid", ">U used", "stopped by",
	}, rows, append(foot, all)...)

	admits, stated := plots.Admits(l)
	rows = nil
	for _, k := range plots.Limits() {
		if stated[k] > 0 {
			rows = append(rows, row(words(plots.LimitName(string(k))), count(admits[k]), count(stated[k])))
		}
	}
	if len(rows) > 0 {
		d.say("Servers that each limit of the racks alone would admit (what racks share is not in it):")
		d.table("servers by limit", []string{"limit", ">servers", ">racks that state it"}, rows)
	}
}

func (d *doc) failover() {
	d.Section("After a loss")
	d.chart("failover")
	fs := d.r.Capacity.Failover
	if len(fs) == 0 {
		d.say("Unknown: no loss was judged.")
		return
	}
	order := make([]int, len(fs))
	for i := range order {
		order[i] = i
	}
	if len(fs) > mostRows { // the worst first; as the placement lists them while all have room
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loadOf(fs[b]), loadOf(fs[a])) })
	}
	line := func(i int) []cell {
		f := fs[i]
		worst, racks := show.Unknown, nums(show.Unknown, math.NaN(), "")
		if d.r.Layout != nil && len(d.r.Layout.Failover) == len(fs) {
			worst, racks = orUnknown(d.r.Layout.Failover[i].Worst), count(d.r.Layout.Failover[i].Racks)
		}
		return row(words(f.Lost), words(f.State), percent(float64(f.WorstLoadShare)), words(worst), racks)
	}
	var rows [][]cell
	shown := 0
	for at := 0; at < len(order) && len(rows) < mostRows; {
		// Losses alike in all but their names, as those of the feeds of a row are, share a line.
		first, end := line(order[at]), at+1
		var last []cell
		for ; end < len(order); end++ {
			next := line(order[end])
			if reads(next, 1) != reads(first, 1) || reads(next, 2) != reads(first, 2) || reads(next, 4) != reads(first, 4) {
				break
			}
			last = next
		}
		if end-at >= 3 {
			first[0] = words(fmt.Sprintf("%s … %s, each of %d", reads(first, 0), reads(last, 0), end-at))
			first[3] = words(fmt.Sprintf("%s … %s", reads(first, 3), reads(last, 3)))
		} else {
			end = at + 1
		}
		rows = append(rows, first)
		shown += end - at
		at = end
	}
	d.table("single losses", []string{"lost", "state", ">highest load of a survivor", "carried by", ">racks not normal"}, rows)
	if shown < len(fs) {
		d.say("The %d worst of %d single losses, by load.", shown, len(fs))
	}
	d.chart("oneline")
}

// reads returns what a cell of a row reads.
func reads(cells []cell, i int) string { return cells[i].Text.String() }

// loadOf sorts unknown loads first: they need a look most of all.
func loadOf(f sim.Failover) float64 {
	if !f.WorstLoadShare.Known() {
		return math.Inf(1)
	}
	return float64(f.WorstLoadShare)
}

func (d *doc) energy() {
	d.Section("Energy")
	d.chart("pue")
	d.chart("pue-load")
	d.chart("pue-wetbulb")
	d.chart("energy")
	d.chart("power")
	d.chart("oversub")
	e := &d.r.Energy
	total := float64(e.FacilityKWh)
	line := func(name cell, v float64) []cell { return row(name, kWh(v), exact(v), percent(v/total)) }
	var rows [][]cell
	for _, p := range plots.EnergyParts() {
		rows = append(rows, line(words(p.Name), float64(p.KWh(e))))
	}
	sum, unknown := energySum(e)
	what := "sum of the parts"
	if len(unknown) > 0 {
		what = "sum of the known parts"
	}
	d.table("energy by part", []string{"part", ">energy", ">kWh", ">share of facility"}, rows, line(strong(what), sum), line(strong("facility"), total))
	rows = [][]cell{
		row(words("PUE ("+pueName(e)+")"), ratio(float64(e.PUE), 3)),
		row(words("PUE1, IT at the UPS output"), ratio(float64(e.PUE1), 3)),
		row(words("PUE2, IT at the PDU output"), ratio(float64(e.PUE2), 3)),
		row(words("PUE3, IT at the servers' cords"), ratio(float64(e.PUE3), 3)),
		row(words("TUE (facility over compute)"), ratio(float64(e.TUE), 3)),
		row(words("of IT: server fans"), kWh(float64(e.ServerFansKWh))),
		row(words("of IT: compute"), kWh(float64(e.ComputeKWh))),
		row(words("peak facility power"), watts(float64(e.PeakFacilityW))),
		row(words("peak IT power"), watts(float64(e.PeakITW))),
		row(words("water"), litres(float64(e.WaterL))),
		row(words("WUE"), figure(float64(e.WUE), 3, "L/kWh")),
		row(words("CUE"), figure(float64(e.CUE), 3, "kg/kWh")),
	}
	rows = append(rows, accounts(e)...)
	for _, m := range e.Cost {
		rows = append(rows, row(words("bills"), nums(money(m), float64(m.Amount), m.Currency)))
	}
	if len(e.Cost) == 0 {
		rows = append(rows, row(words("bills"), nums(show.Unknown+": no price is stated", math.NaN(), "")))
	}
	d.table("energy figures", []string{"figure", ">value"}, rows)
}

// exact prints kilowatt-hours to the whole, for sums that are checked by hand.
func exact(v float64) cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return kWh(math.NaN())
	}
	return nums(show.Minus(show.Thousands(fmt.Sprintf("%.0f", v))), v, "kWh")
}

func (d *doc) work() {
	d.Section("Work")
	d.chart("throughput")
	c := &d.r.Compute
	h := func(name string, n sim.Num) []cell { return row(words(name), gpuHours(float64(n))) }
	rows := [][]cell{
		h("GPUs up", c.GPUHoursAvailable),
		h("allocated", c.GPUHoursAllocated),
		h("busy", c.GPUHoursBusy),
		h("effective (busy × work rate)", c.GPUHoursEffective),
		h("lost to heat", c.LostGPUHours.Thermal),
		h("lost to power limits", c.LostGPUHours.PowerCap),
		h("lost to failures", c.LostGPUHours.Failure),
		h("lost to restarts", c.LostGPUHours.Restart),
		row(words("utilization (busy over up)"), percent(float64(c.Utilization))),
		row(words("throughput against GPUs without limits"), percent(float64(c.ThroughputRatio))),
		row(words("mean throughput"), figure(float64(c.ThroughputPFLOPS), 3, "PFLOPS")),
		row(words("tokens"), figure(float64(c.Tokens), 3, "")),
	}
	if len(c.Models) > 0 {
		rows = append(rows, row(words("tokens served within their goals"), figure(float64(c.TokensServed), 3, "")),
			row(words("tokens per kWh of the facility"), figure(float64(c.TokensPerKWh), 4, "")))
		for _, m := range c.TokensPerMoney {
			rows = append(rows, row(words("tokens per "+m.Currency+" of energy"), figure(float64(m.Amount), 4, "")))
		}
		rows = append(rows, row(words("SLA attainment (served over asked for)"), percent(float64(c.SLAAttainment))))
	}
	d.table("work", []string{"figure", ">value"}, rows)
	d.models()
	d.services()
	d.chart("utilization")
	d.chart("queue")
	d.say("Where every submitted job ended:")
	line := func(name cell, j *sim.JobCounts, w *sim.Wait, gpuHours cell) []cell {
		return row(name, count(j.Submitted), count(j.Done), count(j.Running), count(j.Queued), count(j.Rejected), count(j.Unplaceable),
			count(j.Killed), count(j.Lost), count(jobSum(j)), seconds(float64(w.P50)), seconds(float64(w.P95)), gpuHours)
	}
	rows = nil
	for i := range d.r.Jobs.ByClass {
		k := &d.r.Jobs.ByClass[i]
		name := k.Class
		if k.Kind != "" {
			name += " (" + k.Kind + ")"
		}
		rows = append(rows, line(words(name), &k.JobCounts, &k.WaitS, figure(float64(k.GPUHours), 3, "")))
	}
	j := &d.r.Jobs
	d.table("jobs", []string{
		"class", ">submitted", ">done", ">running", ">queued", ">rejected", ">unplaceable", ">killed", ">lost", ">accounted for", ">wait p50", ">wait p95", ">GPU-hours",
	}, rows, line(strong("all"), &j.JobCounts, &j.WaitS, blank))
	d.queue()
	w := &j.WaitS
	if w.Mean.Known() {
		s := t("Mean wait of jobs that started: %s", show.Seconds(float64(w.Mean)))
		if w.CI95[0].Known() && w.CI95[1].Known() {
			s = t("%s (95 %% confidence %s to %s)", s, show.Seconds(float64(w.CI95[0])), show.Seconds(float64(w.CI95[1])))
		}
		d.Para(t("%s.", s), t("%s still queued at the end have no wait yet and are not in it.", show.Count(j.Queued)))
	}
}

func (d *doc) thermal() {
	d.Section("Temperature and throttling")
	d.chart("thermal")
	d.chart("throttle")
	d.chart("inlets")
	d.chart("ride-through")
	h := &d.r.Thermal
	var rows [][]cell
	for _, s := range []struct {
		name string
		sim.Spread
	}{{"GPU", h.GPUC}, {"server inlet", h.InletC}, {"supply air", h.SupplyC}, {"coolant", h.CoolantC}} {
		rows = append(rows, row(words(s.name), celsius(float64(s.Mean)), celsius(float64(s.P95)), celsius(float64(s.Max))))
	}
	d.table("temperatures", []string{"temperature", ">mean", ">p95", ">highest"}, rows)
	d.table("throttling", []string{"figure", ">value"}, [][]cell{
		row(words("throttled"), gpuHours(float64(h.ThrottledGPUHours))),
		row(words("throttled, share of busy"), percent(float64(h.ThrottledShare))),
		row(words("inlets over the recommended range"), hours(float64(h.HoursOverRecommended))),
		row(words("inlets over the allowable range"), hours(float64(h.HoursOverAllowable))),
		row(words("dew point margin"), figure(float64(h.DewPointMarginK), 3, "K")),
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
	var rows [][]cell
	for _, k := range racks[:min(shown, len(racks))] {
		name := show.Unknown
		if k.Rack >= 0 && k.Rack < len(l.Facility.Racks) {
			name = l.Facility.Racks[k.Rack].ID
		}
		rows = append(rows, row(
			words(name), watts(k.MeanW), watts(k.PeakW), celsius(k.InletMeanC), celsius(k.InletMaxC), celsius(k.GPUMaxC),
			figure(k.ThrottledGPUHours, 3, ""), hours(k.HoursOverRecommended), hours(k.HoursOverAllowable),
		))
	}
	title := "Racks, most throttled and hottest first:"
	if len(racks) > shown {
		title = fmt.Sprintf("The %d racks most throttled and hottest, of %s:", shown, show.Count(len(racks)))
	}
	d.Para(document.Str(title))
	d.table("hottest racks", []string{"rack", ">mean power", ">peak power", ">inlet mean", ">inlet highest", ">GPU highest", ">throttled GPU-hours", ">over recommended", ">over allowable"}, rows)
}
