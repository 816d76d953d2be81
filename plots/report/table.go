package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"headroom/facility/placement"
	"headroom/plots"
	"headroom/plots/lang"
	"headroom/plots/show"
	"headroom/sim"
)

// Widths of a terminal table: what is taken where the width is not known, and the least that is filled.
const (
	usualWidth = 80
	leastWidth = 40
	labelWidth = 11
)

// Table writes the short summary of a run for a terminal of the given width in columns: one line a question, longer
// answers wrapped under it. A width of 0 or less stands for 80.
func Table(w io.Writer, r *sim.Result, width int) error {
	if r == nil {
		return fmt.Errorf("report: no result")
	}
	if width <= 0 {
		width = usualWidth
	}
	width = max(width, leastWidth)
	var b strings.Builder
	for _, s := range show.Wrap(title(r), width) {
		b.WriteString(s + "\n")
	}
	for _, row := range summary(r) {
		lines := show.Wrap(row[1], width-labelWidth)
		for i, s := range lines {
			label := ""
			if i == 0 {
				label = row[0]
			}
			b.WriteString(strings.TrimRight(runewidth.FillRight(lang.T(label), labelWidth)+s, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func title(r *sim.Result) string {
	s := strings.Join(strings.Fields(r.Run.Scenario), " ")
	if s == "" {
		s = "Unnamed scenario"
	}
	if v := strings.Join(strings.Fields(r.Run.Variant), " "); v != "" {
		s += ", variant " + v
	}
	s += fmt.Sprintf(" · seed %d", r.Run.Seed)
	if len(r.Run.ID) >= 8 {
		s += " · run " + r.Run.ID[:8]
	}
	return s
}

// summary is the table's rows: label and answer.
func summary(r *sim.Result) [][2]string {
	c, e, k, h, j := &r.Capacity, &r.Energy, &r.Compute, &r.Thermal, &r.Jobs
	n := func(v sim.Num) float64 { return float64(v) }
	fits := fmt.Sprintf("%s, %s, %s", show.Of(c.ServersPlaced, "server"), show.Of(c.GPUsPlaced, "GPU"), show.Of(c.RacksUsed, "rack"))
	if r.Layout != nil && !r.Layout.RequestedMax {
		fits += fmt.Sprintf("; asked for %s", show.Count(c.ServersRequested))
	}
	fits += fmt.Sprintf("; proven maximum %s", show.Count(c.ServersBound))
	stops := show.Unknown
	if len(c.Binding) > 0 {
		b := c.Binding[0]
		stops, _ = plots.BindingNames(&b)
		if placement.Limit(b.Limit) != placement.Order {
			if b.Where != "" && b.Where != "racks" {
				stops += " at " + b.Where
			}
			stops += ", " + show.Of(b.Racks, "rack")
			if b.Short.Known() && b.Short > 0 {
				stops += ", short by " + show.Quantity(n(b.Short), b.Unit)
			}
		}
		if more := len(c.Binding) - 1; more > 0 {
			stops += fmt.Sprintf("; and %d more", more)
		}
	}
	rows := [][2]string{
		{"fits", fits},
		{"stopped by", stops},
		{"stranded", fmt.Sprintf("power %s, air %s, liquid %s, space %s", show.Watts(n(c.Stranded.PowerW)), show.Watts(n(c.Stranded.AirW)), show.Watts(n(c.Stranded.LiquidW)), show.Quantity(n(c.Stranded.SpaceU), "U"))},
	}
	pass, fail, unknown := tally(Limits(r))
	limits := fmt.Sprintf("%d held, %d broken, %d unknown", pass, len(fail), len(unknown))
	if len(fail) > 0 {
		limits += "; broken: " + strings.Join(fail, ", ")
	}
	rows = append(rows, [2]string{"limits", limits})
	pue := show.Ratio(n(e.PUE), 3)
	if e.PUECategory != "" && e.PUE.Known() {
		pue += " (" + e.PUECategory + ")"
	}
	energy := fmt.Sprintf("facility %s, IT %s", show.KWh(n(e.FacilityKWh)), show.KWh(n(e.ITKWh)))
	for _, m := range e.Cost {
		energy += ", " + money(m)
	}
	return append(rows,
		[2]string{"pue", fmt.Sprintf("%s over %s, TUE %s", pue, show.Seconds(r.Run.LengthS), show.Ratio(n(e.TUE), 3))},
		[2]string{"energy", energy},
		[2]string{"peak", fmt.Sprintf("facility %s, IT %s", show.Watts(n(e.PeakFacilityW)), show.Watts(n(e.PeakITW)))},
		[2]string{"water", fmt.Sprintf("%s, %s", show.Litres(n(e.WaterL)), withUnit(n(e.WUE), 3, "L/kWh"))},
		[2]string{"work", fmt.Sprintf("%s effective, busy %s, ratio to unlimited %s", show.GPUHours(n(k.GPUHoursEffective)), show.Percent(n(k.Utilization)), show.Percent(n(k.ThroughputRatio)))},
		[2]string{"jobs", fmt.Sprintf("%s submitted = %s done + %s running + %s queued + %s rejected + %s unplaceable + %s killed + %s lost", show.Count(j.Submitted), show.Count(j.Done), show.Count(j.Running), show.Count(j.Queued), show.Count(j.Rejected), show.Count(j.Unplaceable), show.Count(j.Killed), show.Count(j.Lost))},
		[2]string{"wait", fmt.Sprintf("p50 %s, p95 %s", show.Seconds(n(j.WaitS.P50)), show.Seconds(n(j.WaitS.P95)))},
		[2]string{"throttled", fmt.Sprintf("%s (%s of busy), %s of work lost", show.GPUHours(n(h.ThrottledGPUHours)), show.Percent(n(h.ThrottledShare)), show.GPUHours(n(k.LostGPUHours.Thermal)))},
		[2]string{"hottest", fmt.Sprintf("inlet %s, GPU %s, coolant %s", show.Celsius(n(h.InletC.Max)), show.Celsius(n(h.GPUC.Max)), show.Celsius(n(h.CoolantC.Max)))},
		[2]string{"stopped", stopLine(r)},
		[2]string{"change", changeLine(r)},
	)
}

func changeLine(r *sim.Result) string {
	if len(r.Actions) == 0 {
		return "nothing proposed"
	}
	a := r.Actions[0]
	s := strings.Join(strings.Fields(a.Change), " ")
	if g := gain(a); g != "" {
		s += " (" + g + ")"
	}
	if more := len(r.Actions) - 1; more > 0 {
		s += fmt.Sprintf("; and %d more in the report", more)
	}
	return s
}

// stopLine says what stopped servers.
func stopLine(r *sim.Result) string {
	n := r.Incidents
	if n == nil {
		return show.Unknown
	}
	return fmt.Sprintf("%s without power, %s by hot inlet air, %s by GPU heat, %s failed; %s interrupted", show.Count(n.ServersDark),
		show.Count(n.AirTrips), show.Count(n.ThermalShutdowns), show.Count(n.ServerFailures), show.Of(int(n.JobsInterrupted), "job run"))
}
