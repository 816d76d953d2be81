package report

import (
	"fmt"
	"strings"
	"time"

	"headroom/facility/placement"
	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/show"
	"headroom/sim"
)

// period says from when to when the run goes.
func period(r *sim.Result) string {
	start, err := time.Parse(startLayout, r.Run.Start)
	if err != nil || !(r.Run.LengthS >= 0) || r.Run.LengthS > 9e9 {
		return show.Unknown
	}
	end := start.Add(time.Duration(r.Run.LengthS) * time.Second)
	layout := "2 January 2006"
	if start.Hour()+start.Minute()+start.Second() != 0 || end.Hour()+end.Minute()+end.Second() != 0 {
		layout = "2 January 2006 15:04"
	} else if r.Run.LengthS >= 86400 {
		end = end.Add(-time.Second) // the last day that is simulated, not the first that is not
	}
	return fmt.Sprintf("%s (%s to %s)", show.Seconds(r.Run.LengthS), start.Format(layout), end.Format(layout))
}

// answer is the report's opening: what a planner would say in the meeting.
func (d *doc) answer() {
	d.Section("Answer")
	d.Para(fitSentences(d.r)...)
	d.Para(limitSentence(d.verdicts))
	d.Para(energySentences(d.r)...)
	d.Para(workSentences(d.r)...)
	d.Para(heatSentences(d.r)...)
	d.Para(stopSentence(d.r))
	d.Para(changeSentence(d.r))
}

func fitSentences(r *sim.Result) []document.Text {
	c := &r.Capacity
	verb := "fit"
	if c.ServersPlaced == 1 {
		verb = "fits"
	}
	servers, gpus := show.Of(c.ServersPlaced, "server"), show.Of(c.GPUsPlaced, "GPU")
	first := t("**%s** (%s) %s.", servers, gpus, verb)
	if r.Layout != nil && len(r.Layout.Racks) > 0 {
		first = t("**%s** (%s) %s in %s of %s.", servers, gpus, verb, show.Count(c.RacksUsed), show.Of(len(r.Layout.Racks), "rack"))
	} else if c.RacksUsed > 0 {
		first = t("**%s** (%s) %s in %s.", servers, gpus, verb, show.Of(c.RacksUsed, "rack"))
	}
	if c.ServersPlaced == 0 {
		first = t("**No server fits.**")
	}
	out := []document.Text{first}
	most := r.Layout != nil && r.Layout.RequestedMax
	switch {
	case most && c.ServersBound > 0 && c.ServersPlaced == c.ServersBound:
		out = append(out, t("That is the proven maximum."))
	case c.ServersBound > c.ServersPlaced:
		out = append(out, t("No placement can hold more than %s (proven).", show.Count(c.ServersBound)))
	}
	if !most {
		if c.ServersPlaced >= c.ServersRequested {
			out = append(out, t("That is all that was asked for."))
		} else {
			out = append(out, t("Asked for were %s.", show.Count(c.ServersRequested)))
		}
	}
	if len(c.Binding) == 0 {
		out = append(out, t("What stops the next one is unknown."))
	} else {
		out = append(out, bindingSentence(c.Binding[0]))
	}
	if s := c.Stranded.PowerW; s.Known() && s > 0 {
		out = append(out, t("%s of rack power is stranded: free, but no further server can use it.", show.Watts(float64(s))))
	}
	if r.Run.Basis != "" {
		out = append(out, t("Servers are counted at %s power.", r.Run.Basis))
	}
	return out
}

func bindingSentence(b sim.Binding) document.Text {
	if placement.Limit(b.Limit) == placement.Order {
		return t("No limit stops the next one.")
	}
	name, verb := plots.BindingNames(&b)
	s := t("%s", strings.ToUpper(name[:1])+name[1:])
	if b.Where != "" && b.Where != "racks" {
		s = t("%s at %s", s, b.Where)
	}
	if verb == "stop" {
		s = t("%s stop the next one", s)
	} else {
		s = t("%s stops the next one", s)
	}
	if b.Racks > 0 {
		s = t("%s in %s", s, show.Of(b.Racks, "rack"))
	}
	if b.Short.Known() && b.Short > 0 {
		s = t("%s, short by %s", s, show.Quantity(float64(b.Short), b.Unit))
	}
	return t("%s.", s)
}

func limitSentence(vs []Verdict) document.Text {
	pass, fail, unknown := tally(vs)
	switch {
	case len(fail) == 0 && len(unknown) == 0:
		return t("Every one of the %d limits is held.", pass)
	case len(fail) == 0:
		return t("No limit is broken: %d held, %d unknown (%s).", pass, len(unknown), strings.Join(unknown, ", "))
	}
	s := t("**Not every limit is held.** Broken: %s. %d are held", strings.Join(fail, ", "), pass)
	if len(unknown) > 0 {
		s = t("%s, %d unknown", s, len(unknown))
	}
	return t("%s.", s)
}

// tally counts the verdicts that pass and names those that don't.
func tally(vs []Verdict) (pass int, fail, unknown []string) {
	for _, v := range vs {
		switch v.State {
		case Pass:
			pass++
		case Fail:
			fail = append(fail, v.Limit)
		default:
			unknown = append(unknown, v.Limit)
		}
	}
	return pass, fail, unknown
}

// pueCategories say where each category meters IT. Source: The Green Grid, PUE: A Comprehensive Examination of the
// Metric (White Paper 49, 2012).
var pueCategories = map[string]string{
	"PUE1": "IT metered at the UPS output", "PUE2": "IT metered at the PDU output", "PUE3": "IT metered at the servers' cords",
}

func pueName(e *sim.Energy) string {
	if s, ok := pueCategories[e.PUECategory]; ok {
		return e.PUECategory + ", " + s
	}
	if e.PUECategory == "" {
		return "category unknown"
	}
	return e.PUECategory
}

func energySentences(r *sim.Result) []document.Text {
	e := &r.Energy
	first := t("**PUE %s** (%s) over %s, energy over energy.", show.Ratio(float64(e.PUE), 3), pueName(e), period(r))
	if !e.PUE.Known() {
		first = t("PUE is unknown over %s.", period(r))
		if e.ITKWh.Known() && e.ITKWh == 0 {
			first = t("PUE is undefined over %s: there was no IT energy.", period(r))
		}
	}
	out := []document.Text{first, t("The facility takes %s and peaks at %s; IT peaks at %s.",
		show.KWh(float64(e.FacilityKWh)), show.Watts(float64(e.PeakFacilityW)), show.Watts(float64(e.PeakITW)))}
	for _, m := range e.Cost {
		out = append(out, t("The energy costs %s.", money(m)))
	}
	return out
}

func money(m sim.Money) string { return show.Money(m.Currency, float64(m.Amount)) }

func workSentences(r *sim.Result) []document.Text {
	c, j := &r.Compute, &r.Jobs
	out := []document.Text{t("**%s** of work are done (busy time times work rate); GPUs are busy %s of the time they are up.",
		show.GPUHours(float64(c.GPUHoursEffective)), show.Percent(float64(c.Utilization)))}
	if !c.GPUHoursEffective.Known() {
		out = []document.Text{t("Work done is unknown; GPUs are busy %s of the time they are up.", show.Percent(float64(c.Utilization)))}
	}
	if c.ThroughputRatio.Known() {
		out = append(out, t("That is %s of what the same GPUs would do without heat and power limits.", show.Percent(float64(c.ThroughputRatio))))
	} else {
		out = append(out, t("The ratio to GPUs without limits is unknown: the unlimited twin was not run (run.twin: true runs it)."))
	}
	ends := t("Of %s submitted jobs %s are done", show.Count(j.Submitted), show.Count(j.Done))
	if j.Running > 0 { // a service is never done
		ends = t("%s and %s still run", ends, show.Count(j.Running))
	}
	switch half, most := j.WaitS.P50, j.WaitS.P95; {
	case !half.Known() || !most.Known():
		ends = t("%s; waits are unknown.", ends)
	case most <= 0:
		ends = t("%s; 95 %% start at once.", ends)
	case half <= 0:
		ends = t("%s; half start at once, 95 %% within %s.", ends, show.Seconds(float64(most)))
	default:
		ends = t("%s; half start within %s, 95 %% within %s.", ends, show.Seconds(float64(half)), show.Seconds(float64(most)))
	}
	return append(out, ends)
}

func heatSentences(r *sim.Result) []document.Text {
	h := &r.Thermal
	var first, second document.Text
	switch {
	case !h.ThrottledGPUHours.Known():
		first = t("Throttling is unknown.")
	case h.ThrottledGPUHours == 0:
		first = t("No GPU throttles.")
	default:
		first = t("GPUs are throttled for **%s**, %s of their busy time, which costs %s of work.",
			show.GPUHours(float64(h.ThrottledGPUHours)), show.Percent(float64(h.ThrottledShare)), show.GPUHours(float64(r.Compute.LostGPUHours.Thermal)))
	}
	if h.InletC.Max.Known() {
		second = t("The hottest inlet is %s, the hottest GPU %s.", show.Celsius(float64(h.InletC.Max)), show.Celsius(float64(h.GPUC.Max)))
	}
	return []document.Text{first, second}
}

func changeSentence(r *sim.Result) document.Text {
	if len(r.Actions) == 0 {
		return t("No change is proposed.")
	}
	a := r.Actions[0]
	if g := gain(a); g != "" {
		return t("First thing to change: %s (%s).", a.Change, g)
	}
	return t("First thing to change: %s.", a.Change)
}

// gain says what an action brings.
func gain(a sim.Action) string {
	var parts []string
	if a.Admits != 0 {
		parts = append(parts, "admits "+show.Of(a.Admits, "more server"))
	}
	if a.Gain.Known() && a.Gain != 0 {
		parts = append(parts, "gains "+show.Quantity(float64(a.Gain), a.Unit))
	}
	return strings.Join(parts, ", ")
}

func (d *doc) actions() {
	d.Section("What to change")
	if len(d.r.Actions) == 0 {
		d.say("No change is proposed.")
		return
	}
	var rows [][]cell
	for _, a := range d.r.Actions {
		rows = append(rows, row(words(a.Change), count(a.Admits), quantity(float64(a.Gain), a.Unit)))
	}
	d.table("what to change", []string{"change", ">more servers", ">gain"}, rows)
}
