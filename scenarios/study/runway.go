package study

import (
	"fmt"
	"math"
	"slices"
	"time"

	"headroom/scenarios"
)

// Runway says on which day each resource runs out. Everything in it is counted in servers of one model.
type Runway struct {
	Model      string
	Basis      string
	PlanW      int64 // what placement counts for one server
	Start, End time.Time
	Trend      *Trend     // of a history, nil where a rate is stated or nothing is
	Unit       string     // of the history: "servers" or "W"; of the trend too
	Growth     float64    // servers a month at P50, 0 where demand has no trend
	Verdict    string     // "trend", "no trend", "falling", "stated rate", "dated plan only"
	Days       []Demand   // demand day by day, from Start to the day before End
	Resources  []Resource // all limits together first, then each alone
	First      string     // the resource alone that runs out first at P50, "" none within the horizon
	Notes      []string
}

// Demand is how many servers are wanted on a day: the quantiles of the trend, and never fewer than the dated
// plan lets stand.
type Demand struct {
	Date           time.Time
	Low, Mid, High float64 // P10, P50, P90 of demand
	Committed      int     // what the dated plan lets stand
}

// Resource is one kind of limit with what it admits over time and when that is too little.
type Resource struct {
	Name     string // "all limits", "rack power", "space", "UPS" …
	Admits   []Admit
	P10      Crossing // demand at its P90: a chance of one in ten that it runs out before
	P50, P90 Crossing
}

// Admit is how many servers of the model a resource alone admits, from a day on.
type Admit struct {
	From    time.Time
	Servers int
	More    bool // at least: more was not asked of it
}

// Crossing is the first day on which demand is more than is admitted, or why there is none.
type Crossing struct {
	Date time.Time // zero without one
	Why  string    // "" with a date, else NotWithin or NoTrend
}

// Why a crossing has no date.
const (
	NotWithin = "not within horizon"
	NoTrend   = "no trend"
)

// Supply is the days of supply from a day to the crossing, NaN without one.
func (c Crossing) Supply(from time.Time) float64 {
	if c.Date.IsZero() {
		return math.NaN()
	}
	return math.Round(c.Date.Sub(from).Hours() / 24)
}

// String prints the date, or why there is none.
func (c Crossing) String() string {
	if c.Date.IsZero() {
		return c.Why
	}
	return c.Date.Format(time.DateOnly)
}

// maxDemand bounds how many servers are placed at once.
const maxDemand = 500_000

// NewRunway follows the scenario's plan under growing demand: on every day on which the hall changes, each of
// its resources alone, and all together, are asked by placement how many servers of the plan's model they
// admit, with what else stands and is held in place.
func NewRunway(sc *scenarios.Scenario) (*Runway, error) {
	h, err := newHall(sc)
	if err != nil {
		return nil, err
	}
	p := &h.plan
	r := &Runway{Model: h.model.Name, Basis: h.base.Basis.String(), PlanW: h.model.PlanW, Start: p.Start, End: p.End, Unit: "servers"}
	days := h.days()
	states := make([]*state, len(days))
	for i, day := range days {
		states[i] = h.at(day)
	}
	r.demand(p, days, states)
	most := 0.0
	for _, d := range r.Days {
		most = max(most, d.High)
	}
	if most > maxDemand {
		return nil, fmt.Errorf("demand reaches %.0f servers by %s (want at most %d): shorten plan.horizon", most, p.End.Format(time.DateOnly), maxDemand)
	}
	want := int(math.Ceil(most)) + 1
	for _, name := range slices.Concat([]string{allLimits}, stated(h.base, &h.model)) {
		res := Resource{Name: name}
		for i, st := range states {
			if i > 0 && st.same(states[i-1]) {
				res.Admits = append(res.Admits, Admit{days[i], res.Admits[i-1].Servers, res.Admits[i-1].More})
				continue
			}
			n, err := st.admits(h.base, name, want)
			if err != nil {
				return nil, fmt.Errorf("on %s: %w", days[i].Format(time.DateOnly), err)
			}
			if len(r.Resources) > 0 { // what all limits together admit, each alone admits
				n = max(n, r.Resources[0].Admits[i].Servers)
			}
			res.Admits = append(res.Admits, Admit{days[i], n, n >= want})
		}
		r.cross(&res)
		r.Resources = append(r.Resources, res)
	}
	r.first()
	r.Notes = append(r.Notes, h.notes...)
	return r, nil
}

func (r *Runway) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// demand fills Days and says what it rests on.
func (r *Runway) demand(p *scenarios.Plan, days []time.Time, states []*state) {
	perServer := 1.0 // what one server is in the unit of the demand
	if p.Demand.Watts {
		r.Unit, perServer = "W", float64(r.PlanW)
		r.note("demand in kW counts a server of %s at %.2f kW, as placement does (basis: %s)", r.Model, perServer/1000, r.Basis)
	}
	standing := float64(states[0].stands[states[0].demand])
	at := func(day time.Time, q float64) float64 { return math.Inf(-1) } // of demand beside the dated plan
	switch d := &p.Demand; {
	case len(d.History) > 0:
		t := Fit(d.History)
		r.Trend = &t
		r.historyNotes(p, &t)
		switch {
		case !t.Real():
			r.Verdict = NoTrend
			at = func(time.Time, float64) float64 { return t.Mean / perServer }
		case t.PerDay < 0:
			r.Verdict = "falling"
			at = func(day time.Time, q float64) float64 { return t.At(day, q) / perServer }
		default:
			r.Verdict, r.Growth = "trend", t.PerDay/perServer*daysPerMonth
			at = func(day time.Time, q float64) float64 { return t.At(day, q) / perServer }
		}
	case d.Stated:
		r.Verdict, r.Growth = "stated rate", d.PerDay/perServer*daysPerMonth
		if d.PerDay == 0 {
			r.Verdict = NoTrend
		}
		if d.Spread == 0 {
			r.note("no spread is stated for the rate of growth: P10, P50 and P90 are one")
		}
		rate := map[float64]float64{0.1: 1 - d.Spread, 0.5: 1, 0.9: 1 + d.Spread}
		at = func(day time.Time, q float64) float64 {
			return standing + rate[q]*d.PerDay/perServer*day.Sub(p.Start).Hours()/24
		}
	default:
		r.Verdict = "dated plan only"
		r.note("the plan states no demand: only its dated deliveries use the hall up")
	}
	k := 0
	for day := p.Start; day.Before(p.End); day = day.AddDate(0, 0, 1) {
		for k+1 < len(days) && !days[k+1].After(day) {
			k++
		}
		committed := states[k].stands[states[k].demand]
		of := func(q float64) float64 { return max(float64(committed), at(day, q)) }
		r.Days = append(r.Days, Demand{day, of(0.1), of(0.5), of(0.9), committed})
	}
	if r.Verdict != "dated plan only" {
		r.note("wanted on a day is the greater of demand and what the dated plan lets stand: deliveries serve demand, they do not add to it; reservations do")
	}
}

// daysPerMonth is the mean month of the Gregorian calendar.
const daysPerMonth = 146097.0 / 4800

func (r *Runway) historyNotes(p *scenarios.Plan, t *Trend) {
	scale, unit := 1.0, "servers"
	if r.Unit == "W" {
		scale, unit = 1000, "kW"
	}
	r.note("history: %d figures over %.0f days, line of %+.3g %s a month, %.3g %s about it, p = %.2g", t.N, t.WindowD, t.PerDay*daysPerMonth/scale, unit, t.SD/scale, unit, t.P)
	switch {
	case !t.Real():
		r.note("the history has no trend that stands out of its noise (p above %.2g): demand is taken at its mean, and no date is drawn from it", significance)
	case t.PerDay < 0:
		r.note("the history falls: it uses nothing up")
	case p.End.Sub(t.Origin).Hours()/24 > 3*t.WindowD:
		r.note("the horizon lies %.1f times as far from the first figure as the last one does: late dates lean on few figures", p.End.Sub(t.Origin).Hours()/24/t.WindowD)
	}
}

// cross finds the days on which a resource runs out.
func (r *Runway) cross(res *Resource) {
	find := func(of func(Demand) float64) Crossing {
		k := 0
		for _, d := range r.Days {
			for k+1 < len(res.Admits) && !res.Admits[k+1].From.After(d.Date) {
				k++
			}
			if a := res.Admits[k]; !a.More && of(d) > float64(a.Servers)+1e-9 {
				return Crossing{Date: d.Date}
			}
		}
		if r.Verdict == NoTrend || r.Verdict == "falling" {
			return Crossing{Why: NoTrend}
		}
		return Crossing{Why: NotWithin}
	}
	res.P10 = find(func(d Demand) float64 { return d.High })
	res.P50 = find(func(d Demand) float64 { return d.Mid })
	res.P90 = find(func(d Demand) float64 { return d.Low })
}

// first names the resource alone that runs out first.
func (r *Runway) first() {
	var date time.Time
	for _, res := range r.Resources[1:] {
		if d := res.P50.Date; !d.IsZero() && (date.IsZero() || d.Before(date)) {
			date, r.First = d, res.Name
		}
	}
	if usable := r.Resources[0].P50.Date; !usable.IsZero() && (date.IsZero() || usable.Before(date)) {
		r.note("limits bind together: in some racks one, in some another; none alone runs out as early as all of them")
	}
}
