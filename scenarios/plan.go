package scenarios

import (
	"slices"
	"time"

	"headroom/facility"
	"headroom/facility/units"
)

// Plan is the dated part of a scenario: what comes, what goes, what is held, and how demand grows. Days
// are local to the site; each list is in the order written.
type Plan struct {
	Start, End   time.Time
	Model        string // server in which demand grows
	Deliveries   []Delivery
	Commission   []RackChange
	Decommission []RackChange
	Removals     []Delivery // servers that go, by model
	Refreshes    []Refresh
	Reservations []Reservation
	Demand       Demand
}

// Delivery is a number of servers of one model that come, or go, on a day.
type Delivery struct {
	Date  time.Time
	Model string
	Count int
}

// RackChange is racks that come into service, or leave it, on a day.
type RackChange struct {
	Date  time.Time
	Racks []string // rack IDs, in the order of the hall
}

// Refresh replaces servers one for one.
type Refresh struct {
	Date     time.Time
	From, To string
	Count    int
}

// Reservation holds servers' places, or power in racks, from one day until another.
type Reservation struct {
	Name        string
	From, Until time.Time // Until is zero where it does not lapse
	Model       string    // "" where power is held
	Count       int
	PowerW      float64
	Racks       []string // that hold the power
}

// Demand is how demand grows: a history, or a rate, or neither.
type Demand struct {
	History []Observation // ascending in time
	Stated  bool          // a rate is stated
	PerDay  float64       // rate, in servers or W
	Spread  float64       // P10 and P90 of the rate are PerDay·(1 ∓ Spread)
	Watts   bool          // history or rate is in W of IT power, else in servers
}

// Observation is what was in use on a day, in servers or W.
type Observation struct {
	Date  time.Time
	Value float64
}

// Plan returns the scenario's plan; ok is false where it has none.
func (s *Scenario) Plan() (p Plan, ok bool) {
	s.building.Lock()
	defer s.building.Unlock()
	part := s.file.Plan
	if part == nil {
		return Plan{}, false
	}
	b := &builder{s: s, d: &decoder{}}
	b.planRows()
	p = Plan{
		Start: part.Start.T, Model: part.Model,
		End: part.Start.T.Add(time.Duration(part.Horizon.V * float64(time.Second))),
	}
	for _, l := range part.Deliveries {
		p.Deliveries = append(p.Deliveries, Delivery{l.Date.T, l.Model, l.Count})
	}
	for _, l := range part.Commission {
		p.Commission = append(p.Commission, RackChange{l.Date.T, b.racksOf(l.Rows, l.Racks)})
	}
	for _, l := range part.Decommission {
		if l.Count != nil {
			p.Removals = append(p.Removals, Delivery{l.Date.T, l.Model, *l.Count})
			continue
		}
		p.Decommission = append(p.Decommission, RackChange{l.Date.T, b.racksOf(l.Rows, l.Racks)})
	}
	for _, l := range part.Refresh {
		p.Refreshes = append(p.Refreshes, Refresh{l.Date.T, l.From, l.To, l.Count})
	}
	for _, l := range part.Reservations {
		r := Reservation{Name: l.Name, From: l.From.T, Until: l.Until.T, Model: l.Model, PowerW: l.Power.V}
		if l.Count != nil {
			r.Count = *l.Count
		} else {
			r.Racks = b.racksOf(l.Rows, l.Racks)
		}
		p.Reservations = append(p.Reservations, r)
	}
	if d := part.Demand; d != nil {
		p.Demand = Demand{Stated: d.Growth.Given, PerDay: d.Growth.PerDay, Spread: d.Spread.V, Watts: d.Growth.Watts}
		for _, l := range d.History {
			x := l.Power.V
			if l.Servers != nil {
				x = *l.Servers
			} else {
				p.Demand.Watts = true
			}
			p.Demand.History = append(p.Demand.History, Observation{l.Date.T, x})
		}
	}
	return p, true
}

// ServerModel returns a server of the catalogue as the scenario counts it: its basis, and the caps of the
// first line of servers that orders the model.
func (s *Scenario) ServerModel(name string) (facility.Model, error) {
	s.building.Lock()
	defer s.building.Unlock()
	d := &decoder{}
	b := &builder{s: s, d: d, f: &facility.Facility{Basis: basisNamed(s.file.Basis)}}
	m, err := facility.NewModel(s.catalog, name)
	if err != nil {
		return m, err
	}
	line := &orderLine{Model: name}
	if i := slices.IndexFunc(s.file.Servers, func(l orderLine) bool { return l.Model == name }); i >= 0 {
		line = &s.file.Servers[i]
	}
	b.cap(line, &m)
	return m, d.problems.err(s.name)
}

// racksOf lists the racks of rows and by name, in the order of the hall, each once.
func (b *builder) racksOf(rows, racks names) []string {
	var ids []string
	for _, r := range b.rows {
		for k := range r.count {
			if id := rackID(r, k); slices.Contains(rows, r.name) || slices.Contains(racks, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// minHistory is the fewest figures through which a line is fitted: two give a line and no idea of how far
// off it is.
const minHistory = 3

// checkPlan fills the plan's defaults and tells what is wrong with it.
func (b *builder) checkPlan() {
	p := b.s.file.Plan
	if p == nil {
		return
	}
	if !p.Start.Given {
		p.Start.T, p.Start.Given = b.s.file.Run.Start.T, true
	}
	if p.Model == "" && len(b.s.file.Servers) > 0 {
		p.Model = b.s.file.Servers[0].Model
	}
	c := planCheck{b: b, p: p, end: p.Start.T.Add(time.Duration(p.Horizon.V * float64(time.Second)))}
	c.model(&p.origin, "model", p.Model)
	for i := range p.Deliveries {
		l := &p.Deliveries[i]
		if l.Model == "" {
			l.Model = p.Model
		}
		c.date(&l.origin, "date", l.Date)
		c.model(&l.origin, "model", l.Model)
	}
	for i := range p.Commission {
		l := &p.Commission[i]
		c.date(&l.origin, "date", l.Date)
		c.racks(&l.origin, l.Rows, l.Racks)
	}
	for i := range p.Decommission {
		l := &p.Decommission[i]
		c.date(&l.origin, "date", l.Date)
		switch {
		case l.Count == nil && l.Model == "":
			c.racks(&l.origin, l.Rows, l.Racks)
		case l.Count == nil || l.Model == "" || len(l.Rows)+len(l.Racks) > 0:
			b.d.fail(l.at, l.path, "", "want rows or racks, or else a model and a count")
		default:
			c.model(&l.origin, "model", l.Model)
		}
	}
	for i := range p.Refresh {
		l := &p.Refresh[i]
		c.date(&l.origin, "date", l.Date)
		c.model(&l.origin, "from", l.From)
		c.model(&l.origin, "to", l.To)
	}
	seen := map[string]bool{}
	for i := range p.Reservations {
		l := &p.Reservations[i]
		if seen[l.Name] && l.Name != "" {
			b.d.fail(l.of("name"), joinKey(l.path, "name"), "", "the name %s stands twice", quoteShort(l.Name))
		}
		seen[l.Name] = true
		c.hold(l)
	}
	if p.Demand != nil {
		c.demand(p.Demand)
	}
}

// planCheck tells what is wrong with a plan.
type planCheck struct {
	b   *builder
	p   *planPart
	end time.Time
}

func (c *planCheck) date(o *origin, key string, v momentValue) {
	if !v.Given || !c.p.Start.Given {
		return // told already
	}
	if v.T.Before(c.p.Start.T) {
		c.b.d.fail(o.of(key), joinKey(o.path, key), "what stood before belongs in servers and racks", "lies before the plan, which begins on %s (got %s)", day(c.p.Start.T), day(v.T))
	} else if !v.T.Before(c.end) {
		c.b.warnf(o.of(key), joinKey(o.path, key), "", "lies beyond the plan's horizon, which ends on %s, and does not count", day(c.end))
	}
}

func day(t time.Time) string { return t.Format("2006-01-02") }

func (c *planCheck) model(o *origin, key, name string) {
	if name == "" {
		return // told already
	}
	if _, err := facility.NewModel(c.b.s.catalog, name); err != nil {
		c.b.notFound(o.of(key), joinKey(o.path, key), name, err)
	}
}

func (c *planCheck) racks(o *origin, rows, racks names) {
	if len(rows)+len(racks) == 0 {
		c.b.d.fail(o.at, o.path, "write, for example, rows: A", "want rows or racks")
	}
	var rowNames, ids []string
	for _, r := range c.b.rows {
		rowNames = append(rowNames, r.name)
		for k := range r.count {
			ids = append(ids, rackID(r, k))
		}
	}
	for _, x := range [...]struct {
		key         string
		want, there []string
	}{{"rows", rows, rowNames}, {"racks", racks, ids}} {
		for _, name := range x.want {
			if !slices.Contains(x.there, name) {
				near, _ := units.Nearest(name, x.there)
				c.b.d.fail(o.of(x.key), joinKey(o.path, x.key), didYouMean(near), "the hall has no such %s (got %s)", x.key[:len(x.key)-1], quoteShort(name))
			}
		}
	}
}

func (c *planCheck) hold(l *holdLine) {
	if !l.From.Given {
		l.From.T, l.From.Given = c.p.Start.T, true
	} else {
		c.date(&l.origin, "from", l.From)
	}
	if l.Until.Given && !l.Until.T.After(l.From.T) {
		c.b.d.fail(l.of("until"), joinKey(l.path, "until"), "", "lapses on %s, before it begins on %s", day(l.Until.T), day(l.From.T))
	}
	switch {
	case l.Count != nil && !l.has("power"):
		if l.Model == "" {
			l.Model = c.p.Model
		}
		c.model(&l.origin, "model", l.Model)
		if len(l.Rows)+len(l.Racks) > 0 {
			c.b.d.fail(l.at, l.path, "", "servers are held wherever they fit (got rows or racks, which go with power)")
		}
	case l.Count == nil && l.has("power") && l.Model == "":
		c.racks(&l.origin, l.Rows, l.Racks)
	default:
		c.b.d.fail(l.at, l.path, "", "want a count of servers, or else power with the rows or racks that hold it")
	}
}

func (c *planCheck) demand(d *demandPart) {
	fail := c.b.d.fail
	switch {
	case len(d.History) > 0 && d.has("growth"):
		fail(d.of("growth"), joinKey(d.path, "growth"), "", "want a history or a rate of growth, not both")
	case len(d.History) == 0 && !d.has("growth"):
		fail(d.at, d.path, "write, for example, growth: 4 servers/month", "want a history or a rate of growth")
	case len(d.History) > 0 && len(d.History) < minHistory:
		fail(d.of("history"), joinKey(d.path, "history"), "", "want at least %d figures (got %d): fewer say nothing of how sure a trend is", minHistory, len(d.History))
	}
	if d.has("spread") && len(d.History) > 0 {
		fail(d.of("spread"), joinKey(d.path, "spread"), "", "spread goes with a rate of growth; a history has its own")
	}
	for i := range d.History {
		l := &d.History[i]
		if l.has("servers") == l.has("power") {
			fail(l.at, l.path, "", "want servers or power")
		}
		if i == 0 {
			continue
		}
		before := &d.History[i-1]
		if l.Date.Given && before.Date.Given && !l.Date.T.After(before.Date.T) {
			fail(l.of("date"), joinKey(l.path, "date"), "", "comes not after the figure before it, of %s (got %s)", day(before.Date.T), day(l.Date.T))
		}
		if l.has("servers") != before.has("servers") {
			fail(l.at, l.path, "", "a history is in servers or in power, not in both")
		}
	}
}
