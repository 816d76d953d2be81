package study

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/scenarios"
)

// Timeline is a dated plan followed day by day: on each day on which something changes, the whole hall is
// placed again.
type Timeline struct {
	Model string // server that Room counts
	Basis string // "nameplate", "planned"
	PlanW int64  // what placement counts for one server of the model
	Steps []Step
	Notes []string // what was assumed, and what of the plan does not come true
}

// Step is the hall from one day until the next step.
type Step struct {
	Date   time.Time
	Events []string            // what happens on the day, in the order of the scenario
	Racks  int                 // in service
	Asked  int                 // servers that should stand, reserved places included
	Placed int                 // of these, how many fit under every limit
	Held   int                 // of those placed, places that a reservation keeps free
	HeldW  int64               // power that reservations keep free besides
	Short  []Short             // what of the asked does not fit
	Room   int                 // further servers of the plan's model that fit
	Stops  []placement.Binding // what stops the one after those, in most racks first
}

// Short is servers that should stand and do not fit.
type Short struct {
	Model string
	Count int
}

// ErrNoPlan says that a scenario has no plan section.
var ErrNoPlan = errors.New("the scenario has no plan section: write, for example, plan: {demand: {growth: 4 servers/month}}")

// Follow places the hall on every day on which the scenario's plan changes it.
func Follow(sc *scenarios.Scenario) (*Timeline, error) {
	h, err := newHall(sc)
	if err != nil {
		return nil, err
	}
	tl := &Timeline{Model: h.model.Name, Basis: h.base.Basis.String(), PlanW: h.model.PlanW}
	for _, day := range h.days() {
		st := h.at(day)
		f := st.facility(h.base)
		f.Orders = append([]facility.Order{{Model: st.demand}}, f.Orders...) // first: whose next server is refused
		f.Orders = append(f.Orders, facility.Order{Model: st.demand, Max: true})
		l, err := placement.Place(f)
		if err != nil {
			return nil, fmt.Errorf("on %s: %w", day.Format(time.DateOnly), err)
		}
		tl.Steps = append(tl.Steps, st.step(l, day, h.events(day)))
	}
	tl.Notes = h.notes
	return tl, nil
}

// hall is a scenario's building with its plan.
type hall struct {
	base   *facility.Facility
	plan   scenarios.Plan
	model  facility.Model // in which demand grows
	models []facility.Model
	notes  []string
}

func newHall(sc *scenarios.Scenario) (*hall, error) {
	plan, ok := sc.Plan()
	if !ok {
		return nil, ErrNoPlan
	}
	base, err := sc.Build()
	if err != nil {
		return nil, err
	}
	h := &hall{base: base, plan: plan, models: slices.Clone(base.Models)}
	names := []string{plan.Model}
	for _, d := range plan.Deliveries {
		names = append(names, d.Model)
	}
	for _, r := range plan.Refreshes {
		names = append(names, r.To)
	}
	for _, r := range plan.Reservations {
		names = append(names, r.Model)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		m, err := sc.ServerModel(name)
		if err != nil {
			return nil, err
		}
		if h.index(m) < 0 {
			h.models = append(h.models, m)
		}
		if name == plan.Model && h.model.Name == "" {
			h.model = m
		}
	}
	for _, o := range base.Orders {
		if o.Max {
			h.note("servers: the line of %s with count: max says what may be added; none of it stands at the start of the plan", base.Models[o.Model].Name)
		}
	}
	return h, nil
}

func (h *hall) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(h.notes, text) {
		h.notes = append(h.notes, text)
	}
}

// index finds a model that counts the same, -1 if there is none: one name under two caps is two models.
func (h *hall) index(m facility.Model) int {
	return slices.IndexFunc(h.models, func(x facility.Model) bool { return x.Name == m.Name && x.PlanW == m.PlanW })
}

// named is the model that a delivery brings: the first of that name.
func (h *hall) named(name string) int {
	return slices.IndexFunc(h.models, func(x facility.Model) bool { return x.Name == name })
}

// days are the days on which something changes, the first day of the plan included, ascending.
func (h *hall) days() []time.Time {
	p := &h.plan
	days := []time.Time{p.Start}
	add := func(t time.Time) {
		if t.After(p.Start) && t.Before(p.End) {
			days = append(days, t)
		}
	}
	for _, d := range p.Deliveries {
		add(d.Date)
	}
	for _, d := range p.Removals {
		add(d.Date)
	}
	for _, d := range p.Refreshes {
		add(d.Date)
	}
	for _, d := range slices.Concat(p.Commission, p.Decommission) {
		add(d.Date)
	}
	for _, r := range p.Reservations {
		add(r.From)
		add(r.Until)
	}
	slices.SortFunc(days, time.Time.Compare)
	return slices.CompactFunc(days, time.Time.Equal)
}

// events words what happens on a day.
func (h *hall) events(day time.Time) []string {
	p := &h.plan
	var list []string
	on := func(t time.Time, format string, args ...any) {
		if t.Equal(day) {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	for _, c := range p.Commission {
		on(c.Date, "%s into service", countOf(len(c.Racks), "rack"))
	}
	for _, c := range p.Decommission {
		on(c.Date, "%s out of service", countOf(len(c.Racks), "rack"))
	}
	for _, d := range p.Removals {
		on(d.Date, "−%d %s", d.Count, d.Model)
	}
	for _, r := range p.Refreshes {
		on(r.Date, "%d %s become %s", r.Count, r.From, r.To)
	}
	for _, d := range p.Deliveries {
		on(d.Date, "+%d %s", d.Count, d.Model)
	}
	for _, r := range p.Reservations {
		what := fmt.Sprintf("%d %s", r.Count, r.Model)
		if r.Count == 0 {
			what = fmt.Sprintf("%.1f kW", r.PowerW/1000)
		}
		on(r.From, "%s held for %s", what, r.Name)
		on(r.Until, "hold for %s lapses (%s)", r.Name, what)
	}
	return list
}

func countOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// state is the hall on one day.
type state struct {
	models []facility.Model
	stands []int            // servers by model
	held   []int            // reserved places by model
	heldW  map[string]int64 // reserved power by rack
	gone   map[string]bool  // racks out of service
	demand int              // index of the plan's model
}

// at applies everything dated up to a day, in the order of the dates; on one day racks change first, then
// servers go, then they come.
func (h *hall) at(day time.Time) *state {
	p := &h.plan
	st := &state{
		models: h.models, stands: make([]int, len(h.models)), held: make([]int, len(h.models)),
		heldW: map[string]int64{}, gone: map[string]bool{}, demand: h.index(h.model),
	}
	for _, o := range h.base.Orders {
		if !o.Max {
			st.stands[o.Model] += o.Count
		}
	}
	for _, c := range p.Commission {
		for _, id := range c.Racks {
			st.gone[id] = c.Date.After(day)
		}
	}
	for _, c := range p.Decommission {
		for _, id := range c.Racks {
			if !c.Date.After(day) {
				st.gone[id] = true
			}
		}
	}
	type change struct {
		date     time.Time
		from, to string
		count    int
	}
	var changes []change
	for _, d := range p.Removals {
		changes = append(changes, change{d.Date, d.Model, "", d.Count})
	}
	for _, r := range p.Refreshes {
		changes = append(changes, change{r.Date, r.From, r.To, r.Count})
	}
	for _, d := range p.Deliveries {
		changes = append(changes, change{d.Date, "", d.Model, d.Count})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(a.date.Compare(b.date)) })
	for _, c := range changes {
		if c.date.After(day) {
			break
		}
		count := c.count
		if c.from != "" {
			if count = st.take(c.from, c.count); count < c.count {
				h.note("%s: %d %s were to go, and %d stood", c.date.Format(time.DateOnly), c.count, c.from, count)
			}
		}
		if c.to != "" {
			st.stands[h.named(c.to)] += count
		}
	}
	for _, r := range p.Reservations {
		if r.From.After(day) || !r.Until.IsZero() && !r.Until.After(day) {
			continue
		}
		if r.Count > 0 {
			st.held[h.named(r.Model)] += r.Count
			continue
		}
		var racks []string
		for _, id := range r.Racks {
			if !st.gone[id] {
				racks = append(racks, id)
			}
		}
		if len(racks) == 0 {
			h.note("%s: no rack that holds power for %s is in service", day.Format(time.DateOnly), r.Name)
		}
		for _, id := range racks {
			st.heldW[id] += int64(math.Ceil(r.PowerW/float64(len(racks)) - 1e-6))
		}
	}
	for i := range h.base.Racks {
		if r := &h.base.Racks[i]; r.PowerW != facility.NoLimit && st.heldW[r.ID] > r.PowerW-r.ReserveW {
			h.note("%s: %.1f kW are held in %s, which has %.1f kW: the rest is held nowhere", day.Format(time.DateOnly), float64(st.heldW[r.ID])/1000, r.ID, float64(r.PowerW-r.ReserveW)/1000)
		}
	}
	return st
}

// take removes up to count servers of a name and returns how many there were.
func (st *state) take(name string, count int) int {
	taken := 0
	for i := range st.models {
		if st.models[i].Name == name {
			k := min(count-taken, st.stands[i])
			st.stands[i] -= k
			taken += k
		}
	}
	return taken
}

// facility is the building in this state: racks in service, and orders for what stands and is held.
func (st *state) facility(base *facility.Facility) *facility.Facility {
	f := *base
	f.Models, f.Orders, f.Racks = st.models, nil, nil
	for i := range base.Racks {
		r := base.Racks[i]
		if st.gone[r.ID] {
			continue
		}
		r.ReserveW += st.heldW[r.ID]
		f.Racks = append(f.Racks, r)
	}
	for i := range st.models {
		o := facility.Order{Model: i}
		if k := slices.IndexFunc(base.Orders, func(o facility.Order) bool { return o.Model == i && !o.Max }); k >= 0 {
			o = base.Orders[k] // with what the line says of blocks and spread
		}
		if o.Count = st.stands[i]; o.Count > 0 {
			f.Orders = append(f.Orders, o)
		}
		if st.held[i] > 0 {
			f.Orders = append(f.Orders, facility.Order{Model: i, Count: st.held[i]})
		}
	}
	return &f
}

// step reads one placement in which the plan's model fills what the orders leave.
func (st *state) step(l *placement.Layout, day time.Time, events []string) Step {
	s := Step{Date: day, Events: events, Racks: len(l.Facility.Racks)}
	placed := make([]int, len(st.models))
	for i := range l.Servers {
		placed[l.Servers[i].Model]++
	}
	for i := range st.models {
		asked := st.stands[i] + st.held[i]
		fits := min(asked, placed[i])
		s.Asked += asked
		s.Placed += fits
		s.Held += max(0, fits-st.stands[i])
		if fits < asked {
			s.Short = append(s.Short, Short{st.models[i].Name, asked - fits})
		}
		if i == st.demand {
			s.Room = placed[i] - fits
		}
	}
	for _, r := range l.Facility.Racks {
		s.HeldW += st.heldW[r.ID]
	}
	s.Stops = l.Binding
	return s
}
