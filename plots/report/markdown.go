package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"headroom/facility/placement"
	"headroom/plots"
	"headroom/plots/show"
	"headroom/sim"
)

// Markdown writes the report that a planner forwards: the answer in plain sentences, a verdict on every limit,
// the tables, the charts, what to change, and on what all of it stands. charts are the paths of the charts
// relative to the report, "charts/fit.png"; each is set in the section it belongs to.
func Markdown(w io.Writer, r *sim.Result, charts []string) error {
	if r == nil {
		return fmt.Errorf("report: no result")
	}
	d := &doc{r: r, charts: charts, used: make([]bool, len(charts))}
	d.head()
	d.answer()
	d.limits()
	d.fit()
	d.failover()
	d.scripted()
	d.energy()
	d.money()
	d.work()
	d.thermal()
	d.actions()
	d.otherCharts()
	d.basis()
	d.foot()
	_, err := io.WriteString(w, d.b.String())
	return err
}

// doc is the report being written.
type doc struct {
	b      strings.Builder
	r      *sim.Result
	charts []string
	used   []bool
}

func (d *doc) line(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// para writes sentences as one paragraph.
func (d *doc) para(sentences ...string) {
	kept := slices.DeleteFunc(slices.Clone(sentences), func(s string) bool { return s == "" })
	if len(kept) > 0 {
		d.line("%s\n", strings.Join(kept, " "))
	}
}

func (d *doc) section(title string) { d.line("## %s\n", title) }

// table writes a table; columns whose heading starts with ">" are set to the right.
func (d *doc) table(heads []string, rows [][]string) {
	rule := make([]string, len(heads))
	names := make([]string, len(heads))
	for i, h := range heads {
		rule[i] = "---"
		if strings.HasPrefix(h, ">") {
			rule[i] = "---:"
		}
		names[i] = strings.TrimPrefix(h, ">")
	}
	d.line("| %s |", strings.Join(names, " | "))
	d.line("| %s |", strings.Join(rule, " | "))
	for _, row := range rows {
		for _, cell := range row {
			d.b.WriteString("| ")
			if cell != "" {
				d.b.WriteString(cell + " ")
			}
		}
		d.line("|")
	}
	d.line("")
}

// chart sets a chart by its file's base name, if the run drew it.
func (d *doc) chart(name string) {
	for i, c := range d.charts {
		base := strings.TrimSuffix(path.Base(c), path.Ext(c))
		if d.used[i] || base != name {
			continue
		}
		d.used[i] = true
		d.line("![](%s)\n", link(c))
	}
}

func (d *doc) otherCharts() {
	left := false
	for i, c := range d.charts {
		if d.used[i] {
			continue
		}
		if !left {
			d.section("More charts")
			left = true
		}
		d.line("![](%s)\n", link(c))
	}
}

// link makes a path safe as the target of a Markdown link.
func link(p string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "\n", "").Replace(p)
}

// plain makes text from a scenario safe in Markdown: one line, no markup.
func plain(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune("\\`*_{}[]<>#|~", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func (d *doc) head() {
	name := plain(d.r.Run.Scenario)
	if name == "" {
		name = "Unnamed scenario"
	}
	if v := plain(d.r.Run.Variant); v != "" {
		name += ", variant " + v
	}
	d.line("# %s\n", name)
}

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
	d.section("Answer")
	d.para(fitSentences(d.r)...)
	d.para(limitSentence(d.r))
	d.para(energySentences(d.r)...)
	d.para(workSentences(d.r)...)
	d.para(heatSentences(d.r)...)
	if s := stopSentence(d.r); s != "" {
		d.para(s)
	}
	d.para(changeSentence(d.r))
}

func fitSentences(r *sim.Result) []string {
	c := &r.Capacity
	racks := ""
	if r.Layout != nil && len(r.Layout.Racks) > 0 {
		racks = fmt.Sprintf(" in %s of %s", show.Count(c.RacksUsed), show.Of(len(r.Layout.Racks), "rack"))
	} else if c.RacksUsed > 0 {
		racks = " in " + show.Of(c.RacksUsed, "rack")
	}
	verb := "fit"
	if c.ServersPlaced == 1 {
		verb = "fits"
	}
	first := fmt.Sprintf("**%s** (%s) %s%s.", show.Of(c.ServersPlaced, "server"), show.Of(c.GPUsPlaced, "GPU"), verb, racks)
	if c.ServersPlaced == 0 {
		first = "**No server fits.**"
	}
	out := []string{first}
	most := r.Layout != nil && r.Layout.RequestedMax
	switch {
	case most && c.ServersBound > 0 && c.ServersPlaced == c.ServersBound:
		out = append(out, "That is the proven maximum.")
	case c.ServersBound > c.ServersPlaced:
		out = append(out, fmt.Sprintf("No placement can hold more than %s (proven).", show.Count(c.ServersBound)))
	}
	if !most {
		if c.ServersPlaced >= c.ServersRequested {
			out = append(out, "That is all that was asked for.")
		} else {
			out = append(out, fmt.Sprintf("Asked for were %s.", show.Count(c.ServersRequested)))
		}
	}
	if len(c.Binding) == 0 {
		out = append(out, "What stops the next one is unknown.")
	} else {
		out = append(out, bindingSentence(c.Binding[0]))
	}
	if s := c.Stranded.PowerW; s.Known() && s > 0 {
		out = append(out, fmt.Sprintf("%s of rack power is stranded: free, but no further server can use it.", show.Watts(float64(s))))
	}
	return out
}

func bindingSentence(b sim.Binding) string {
	if placement.Limit(b.Limit) == placement.Order {
		return "No limit stops the next one."
	}
	name := plots.LimitName(b.Limit)
	s := strings.ToUpper(name[:1]) + name[1:]
	if b.Where != "" && b.Where != "racks" {
		s += " at " + plain(b.Where)
	}
	s += " stops the next one"
	if b.Racks > 0 {
		s += " in " + show.Of(b.Racks, "rack")
	}
	if b.Short.Known() && b.Short > 0 {
		s += ", short by " + show.Quantity(float64(b.Short), b.Unit)
	}
	return s + "."
}

func limitSentence(r *sim.Result) string {
	pass, fail, unknown := tally(Limits(r))
	switch {
	case len(fail) == 0 && len(unknown) == 0:
		return fmt.Sprintf("Every one of the %d limits is held.", pass)
	case len(fail) == 0:
		return fmt.Sprintf("No limit is broken: %d held, %d unknown (%s).", pass, len(unknown), strings.Join(unknown, ", "))
	}
	s := fmt.Sprintf("**Not every limit is held.** Broken: %s.", strings.Join(fail, ", "))
	s += fmt.Sprintf(" %d are held", pass)
	if len(unknown) > 0 {
		s += fmt.Sprintf(", %d unknown", len(unknown))
	}
	return s + "."
}

// tally counts the verdicts that pass and names those that don't.
func tally(vs []Verdict) (pass int, fail, unknown []string) {
	for _, v := range vs {
		switch v.State {
		case Pass:
			pass++
		case Fail:
			fail = append(fail, plain(v.Limit))
		default:
			unknown = append(unknown, plain(v.Limit))
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
	return plain(e.PUECategory)
}

func energySentences(r *sim.Result) []string {
	e := &r.Energy
	first := fmt.Sprintf("**PUE %s** (%s) over %s, energy over energy.", show.Ratio(float64(e.PUE), 3), pueName(e), period(r))
	if !e.PUE.Known() {
		first = fmt.Sprintf("PUE is unknown over %s.", period(r))
		if e.ITKWh.Known() && e.ITKWh == 0 {
			first = fmt.Sprintf("PUE is undefined over %s: there was no IT energy.", period(r))
		}
	}
	out := []string{first, fmt.Sprintf("The facility takes %s and peaks at %s; IT peaks at %s.",
		show.KWh(float64(e.FacilityKWh)), show.Watts(float64(e.PeakFacilityW)), show.Watts(float64(e.PeakITW)))}
	for _, m := range e.Cost {
		out = append(out, fmt.Sprintf("The energy costs %s.", money(m)))
	}
	return out
}

func money(m sim.Money) string {
	if !m.Amount.Known() {
		return show.Unknown
	}
	v := float64(m.Amount)
	if math.Abs(v) >= 1e6 {
		return plain(m.Currency) + " " + show.Number(v/1e6, 3) + " million"
	}
	return plain(m.Currency) + " " + show.Number(v, 3)
}

func workSentences(r *sim.Result) []string {
	c, j := &r.Compute, &r.Jobs
	out := []string{fmt.Sprintf("**%s** of work are done (busy time times work rate); GPUs are busy %s of the time they are up.",
		show.GPUHours(float64(c.GPUHoursEffective)), show.Percent(float64(c.Utilization)))}
	if !c.GPUHoursEffective.Known() {
		out = []string{fmt.Sprintf("Work done is unknown; GPUs are busy %s of the time they are up.", show.Percent(float64(c.Utilization)))}
	}
	if c.ThroughputRatio.Known() {
		out = append(out, fmt.Sprintf("That is %s of what the same GPUs would do without heat and power limits.", show.Percent(float64(c.ThroughputRatio))))
	} else {
		out = append(out, "The ratio to GPUs without limits is unknown: the unlimited twin was not run (run.twin: true runs it).")
	}
	out = append(out, fmt.Sprintf("Of %s submitted jobs %s are done; half wait under %s, 95 %% under %s.",
		show.Count(j.Submitted), show.Count(j.Done), show.Seconds(float64(j.WaitS.P50)), show.Seconds(float64(j.WaitS.P95))))
	if !j.WaitS.P50.Known() {
		out[len(out)-1] = fmt.Sprintf("Of %s submitted jobs %s are done; waits are unknown.", show.Count(j.Submitted), show.Count(j.Done))
	}
	return out
}

func heatSentences(r *sim.Result) []string {
	h := &r.Thermal
	var first string
	switch {
	case !h.ThrottledGPUHours.Known():
		first = "Throttling is unknown."
	case h.ThrottledGPUHours == 0:
		first = "No GPU throttles."
	default:
		first = fmt.Sprintf("GPUs are throttled for **%s**, %s of their busy time, which costs %s of work.",
			show.GPUHours(float64(h.ThrottledGPUHours)), show.Percent(float64(h.ThrottledShare)), show.GPUHours(float64(r.Compute.LostGPUHours.Thermal)))
	}
	second := ""
	if h.InletC.Max.Known() {
		second = fmt.Sprintf("The hottest inlet is %s, the hottest GPU %s.", show.Celsius(float64(h.InletC.Max)), show.Celsius(float64(h.GPUC.Max)))
	}
	return []string{first, second}
}

func changeSentence(r *sim.Result) string {
	if len(r.Actions) == 0 {
		return "No change is proposed."
	}
	a := r.Actions[0]
	s := "First thing to change: " + plain(a.Change)
	if g := gain(a); g != "" {
		s += " (" + g + ")"
	}
	return s + "."
}

// gain says what an action brings.
func gain(a sim.Action) string {
	var parts []string
	if a.Admits != 0 {
		parts = append(parts, "admits "+show.Of(a.Admits, "more server"))
	}
	if a.Gain.Known() && a.Gain != 0 {
		parts = append(parts, "gains "+show.Quantity(float64(a.Gain), plain(a.Unit)))
	}
	return strings.Join(parts, ", ")
}

func (d *doc) limits() {
	d.section("Limits")
	var rows [][]string
	for _, v := range Limits(d.r) {
		state := v.State
		if state != Pass {
			state = "**" + state + "**"
		}
		rows = append(rows, []string{state, plain(v.Limit), plain(v.Figure), plain(v.Bound), plain(v.Note)})
	}
	d.table([]string{"verdict", "limit", ">figure", ">limit value", "note"}, rows)
}

func (d *doc) actions() {
	d.section("What to change")
	if len(d.r.Actions) == 0 {
		d.para("No change is proposed.")
		return
	}
	var rows [][]string
	for _, a := range d.r.Actions {
		g := show.Unknown
		if a.Gain.Known() {
			g = show.Quantity(float64(a.Gain), plain(a.Unit))
		}
		rows = append(rows, []string{plain(a.Change), show.Count(a.Admits), g})
	}
	d.table([]string{"change", ">more servers", ">gain"}, rows)
}

func (d *doc) foot() {
	run := &d.r.Run
	d.line("---\n")
	parts := []string{
		"basis: " + orUnknown(plain(run.Basis)),
		"weather: " + orUnknown(plain(run.Weather)) + ", " + show.Percent(float64(run.Coverage)) + " of its hours covered",
		fmt.Sprintf("seed: %d", run.Seed),
		"run: " + orUnknown(plain(run.ID)),
		"version: " + orUnknown(plain(run.Version)) + ", model " + sim.ModelVersion,
		show.Count(run.Events) + " events",
	}
	d.line("%s", strings.Join(parts, " · "))
}

func orUnknown(s string) string {
	if s == "" {
		return show.Unknown
	}
	return s
}

// sortedKeys returns the keys of a count table in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare[string])
	return keys
}
