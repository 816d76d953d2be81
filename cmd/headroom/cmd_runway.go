package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"headroom/plots"
	"headroom/scenarios"
	"headroom/scenarios/study"
)

// runwayAnswer is what plan --runway prints: the dated plan and the runway.
type runwayAnswer struct {
	sc       *scenarios.Scenario
	timeline *study.Timeline
	runway   *study.Runway
}

// runRunway answers plan --runway: the hall over time.
func runRunway(ctx context.Context, t *terminal, o *planOptions, sc *scenarios.Scenario) error {
	if len(o.result.failOn) > 0 {
		return usageError{text: "--fail-on does not go with --runway", hint: "--strict fails where the dated plan does not fit"}
	}
	a := runwayAnswer{sc: sc}
	var err error
	if a.timeline, err = study.Follow(sc); errors.Is(err, study.ErrNoPlan) {
		return usageError{text: "--runway: " + err.Error()}
	} else if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.runway, err = study.NewRunway(sc); err != nil {
		return err
	}
	if o.result.out != "" {
		out, err := openOutput(o.result.out)
		if err != nil {
			return err
		}
		defer out.discard()
		files := []resultFile{
			{"runway.txt", a.table},
			{"runway.csv", a.csv},
			{"plan-dates.csv", a.datesCSV},
			{"runway.json", func(w io.Writer) error { return printJSON(w, a.json()) }},
			resolvedFile(sc.Resolved),
		}
		if f := o.result.charts; f != "none" {
			files = append(files, resultFile{"charts/runway." + f, func(w io.Writer) error { return plots.DrawRunway(a.chart(), f, w) }})
		}
		if err := writeAll(ctx, t, out, files); err != nil {
			return err
		}
	}
	switch o.result.format {
	case "json":
		err = printJSON(t.stdout, a.json())
	case "csv":
		err = a.csv(t.stdout)
	default:
		err = a.table(t.screen())
	}
	if err != nil || !o.result.strict {
		return err
	}
	return a.broken()
}

// broken is what of the dated plan does not fit.
func (a *runwayAnswer) broken() error {
	var lines brokenError
	for _, s := range a.timeline.Steps {
		for _, x := range s.Short {
			lines = append(lines, fmt.Sprintf("%s: %d %s of the dated plan do not fit", s.Date.Format(time.DateOnly), x.Count, x.Model))
		}
	}
	if len(lines) > 0 {
		return lines
	}
	return nil
}

func (a *runwayAnswer) table(w io.Writer) error {
	r := a.runway
	tw := newTabs(w)
	title := a.sc.Name()
	if v := a.sc.Variant(); v != "" {
		title += ", variant " + v
	}
	fmt.Fprintf(tw, "%s\n\n", title)
	fmt.Fprintf(tw, "counted in\t%s at %.2f kW (basis: %s)\n", r.Model, float64(r.PlanW)/1000, r.Basis)
	fmt.Fprintf(tw, "from, until\t%s, %s\n", r.Start.Format(time.DateOnly), r.End.Format(time.DateOnly))
	fmt.Fprintf(tw, "demand\t%s\n", a.demand())
	first := r.First
	if first == "" {
		first = "none within the horizon"
	}
	fmt.Fprintf(tw, "first out\t%s\n", first)

	fmt.Fprint(tw, "\nRunway\nresource\tadmits now\tadmits at the end\tP10\tP50\tP90\tdays of supply\n")
	for _, x := range r.Resources {
		supply := "–"
		if d := x.P50.Supply(r.Start); !math.IsNaN(d) {
			supply = strconv.FormatFloat(d, 'f', 0, 64)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Name, admits(x.Admits[0]), admits(x.Admits[len(x.Admits)-1]), x.P10, x.P50, x.P90, supply)
	}

	fmt.Fprint(tw, "\nThe dated plan\ndate\tracks\tasked\tplaced\theld\troom for more\tthe next is stopped by\twhat happens\n")
	for _, s := range a.timeline.Steps {
		held := strconv.Itoa(s.Held)
		if s.HeldW > 0 {
			held += fmt.Sprintf(", %.1f kW", float64(s.HeldW)/1000)
		}
		var stops []string
		for _, b := range s.Stops[:min(len(s.Stops), 2)] {
			stops = append(stops, fmt.Sprintf("%s: %s", b.Limit, b.Where))
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%s\t%d\t%s\t%s\n", s.Date.Format(time.DateOnly), s.Racks, s.Asked, s.Placed, held, s.Room, strings.Join(stops, "; "), strings.Join(s.Events, "; "))
		for _, x := range s.Short {
			fmt.Fprintf(tw, "\t\t\t\t\t\t\tDOES NOT FIT: %d %s\n", x.Count, x.Model)
		}
	}
	fmt.Fprintln(tw)
	for _, n := range a.notes() {
		fmt.Fprintf(tw, "note: %s\n", n)
	}
	return tw.Flush()
}

// notes are those of the runway and the timeline, each once.
func (a *runwayAnswer) notes() []string {
	list := append([]string{}, a.runway.Notes...)
	for _, n := range a.timeline.Notes {
		seen := false
		for _, m := range list {
			seen = seen || m == n
		}
		if !seen {
			list = append(list, n)
		}
	}
	return list
}

func (a *runwayAnswer) demand() string {
	r := a.runway
	if r.Growth == 0 {
		return r.Verdict
	}
	return fmt.Sprintf("%s, %+.3g servers a month at P50", r.Verdict, r.Growth)
}

func admits(x study.Admit) string {
	if x.More {
		return fmt.Sprintf("%d or more", x.Servers)
	}
	return strconv.Itoa(x.Servers)
}

// csv is one line a resource and day on which what it admits changes.
func (a *runwayAnswer) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"resource", "from", "admits_servers", "or_more", "p10", "p50", "p90", "no_p50_because", "days_of_supply_p50"})
	for _, x := range a.runway.Resources {
		supply := ""
		if d := x.P50.Supply(a.runway.Start); !math.IsNaN(d) {
			supply = strconv.FormatFloat(d, 'f', 0, 64)
		}
		for _, s := range x.Admits {
			_ = c.Write([]string{
				x.Name, s.From.Format(time.DateOnly), strconv.Itoa(s.Servers), strconv.FormatBool(s.More),
				dateOr(x.P10), dateOr(x.P50), dateOr(x.P90), x.P50.Why, supply,
			})
		}
	}
	c.Flush()
	return c.Error()
}

// dateOr is a date, "" without one.
func dateOr(c study.Crossing) string {
	if c.Date.IsZero() {
		return ""
	}
	return c.Date.Format(time.DateOnly)
}

// datesCSV is one line a day on which the plan changes the hall.
func (a *runwayAnswer) datesCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"date", "racks", "asked", "placed", "held", "held_w", "room", "binding", "where", "events"})
	for _, s := range a.timeline.Steps {
		limit, where := "", ""
		if len(s.Stops) > 0 {
			limit, where = string(s.Stops[0].Limit), s.Stops[0].Where
		}
		_ = c.Write([]string{
			s.Date.Format(time.DateOnly), strconv.Itoa(s.Racks), strconv.Itoa(s.Asked), strconv.Itoa(s.Placed),
			strconv.Itoa(s.Held), strconv.FormatInt(s.HeldW, 10), strconv.Itoa(s.Room), limit, where, strings.Join(s.Events, "; "),
		})
	}
	c.Flush()
	return c.Error()
}

// runwayJSON is the answer as data; what is not known is null.
type runwayJSON struct {
	FormatVersion  int              `json:"format_version"`
	Scenario       string           `json:"scenario"`
	Variant        string           `json:"variant"`
	ID             string           `json:"id"`
	Model          string           `json:"model"`
	Basis          string           `json:"basis"`
	PlanW          int64            `json:"plan_w"`
	Start          string           `json:"start"`
	End            string           `json:"end"`
	Verdict        string           `json:"verdict"`
	GrowthPerMonth float64          `json:"growth_servers_per_month"`
	First          *string          `json:"first"`
	Resources      []runwayResource `json:"resources"`
	Dates          []runwayStep     `json:"dates"`
	Notes          []string         `json:"notes"`
}

type runwayResource struct {
	Name   string        `json:"name"`
	Admits []runwayAdmit `json:"admits"`
	P10    *string       `json:"p10"`
	P50    *string       `json:"p50"`
	P90    *string       `json:"p90"`
	Why    string        `json:"no_p50_because"`
}

type runwayAdmit struct {
	From    string `json:"from"`
	Servers int    `json:"servers"`
	OrMore  bool   `json:"or_more"`
}

type runwayStep struct {
	Date   string         `json:"date"`
	Events []string       `json:"events"`
	Racks  int            `json:"racks"`
	Asked  int            `json:"asked"`
	Placed int            `json:"placed"`
	Held   int            `json:"held"`
	HeldW  int64          `json:"held_w"`
	Room   int            `json:"room"`
	Short  map[string]int `json:"short"`
}

func (a *runwayAnswer) json() runwayJSON {
	r := a.runway
	date := func(c study.Crossing) *string {
		if c.Date.IsZero() {
			return nil
		}
		s := c.Date.Format(time.DateOnly)
		return &s
	}
	j := runwayJSON{
		FormatVersion: 1, Scenario: a.sc.Name(), Variant: a.sc.Variant(), ID: a.sc.ID(), Model: r.Model, Basis: r.Basis, PlanW: r.PlanW,
		Start: r.Start.Format(time.DateOnly), End: r.End.Format(time.DateOnly), Verdict: r.Verdict, GrowthPerMonth: r.Growth,
		Resources: []runwayResource{}, Dates: []runwayStep{}, Notes: a.notes(),
	}
	if r.First != "" {
		j.First = &r.First
	}
	for _, x := range r.Resources {
		y := runwayResource{Name: x.Name, P10: date(x.P10), P50: date(x.P50), P90: date(x.P90), Why: x.P50.Why}
		for _, s := range x.Admits {
			y.Admits = append(y.Admits, runwayAdmit{s.From.Format(time.DateOnly), s.Servers, s.More})
		}
		j.Resources = append(j.Resources, y)
	}
	for _, s := range a.timeline.Steps {
		y := runwayStep{s.Date.Format(time.DateOnly), append([]string{}, s.Events...), s.Racks, s.Asked, s.Placed, s.Held, s.HeldW, s.Room, map[string]int{}}
		for _, x := range s.Short {
			y.Short[x.Model] += x.Count
		}
		j.Dates = append(j.Dates, y)
	}
	return j
}

// chart hands the runway to plots as the table it draws.
func (a *runwayAnswer) chart() *plots.RunwayTable {
	r := a.runway
	t := &plots.RunwayTable{
		Scenario: a.sc.Name(), Variant: a.sc.Variant(), ID: a.sc.ID(), Basis: r.Basis, Model: r.Model,
		Verdict: a.demand(), First: r.First, Start: r.Start, End: r.End, Notes: a.notes(),
	}
	if p, ok := a.sc.Plan(); ok {
		scale := 1.0
		if r.Unit == "W" {
			scale = float64(r.PlanW)
		}
		for _, o := range p.Demand.History {
			t.History = append(t.History, plots.RunwayPoint{Date: o.Date, Servers: o.Value / scale})
		}
	}
	for _, d := range r.Days {
		t.Days = append(t.Days, plots.RunwayDay{Date: d.Date, Low: d.Low, Mid: d.Mid, High: d.High, Committed: d.Committed})
	}
	for _, x := range r.Resources {
		y := plots.RunwayResource{Name: x.Name, P10: x.P10.Date, P50: x.P50.Date, P90: x.P90.Date, Why: x.P50.Why}
		for _, s := range x.Admits {
			n := float64(s.Servers)
			if s.More {
				n = math.NaN()
			}
			y.Admits = append(y.Admits, plots.RunwayStep{From: s.From, Servers: n})
		}
		t.Resources = append(t.Resources, y)
	}
	return t
}
