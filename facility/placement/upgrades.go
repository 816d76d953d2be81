package placement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/power"
)

// Upgrade is one change that admits more servers: what was found by placing them, never an estimate.
type Upgrade struct {
	Change string
	Admits int // servers beyond those that stand
	GPUs   int // of them
	// AddedKW is the capacity that the change adds, CostUSD what that is worth at PricesPerKW, NaN where no
	// price is known.
	AddedKW float64
	CostUSD float64
	// Steps lists the single changes of one that takes several.
	Steps []string

	racks int // that it adds
}

// Prices of capacity in US$/kW, middle of the range that general sources give (recalled, not quoted): for
// ranking, not for budgets.
const (
	priceCDU         = 175 // 100–250
	priceUPS         = 325 // 250–400 with battery
	priceGenerator   = 375 // 300–450
	priceChiller     = 475 // 350–600, water-cooled plant
	priceRackPDUs    = 5500
	rackPDUsOfKW     = 48 // a rack with two PDUs, 3,000–8,000 US$, at 48 kW
	upgradeSteps     = 4  // single changes that are joined at most
	fullRacks        = 500
	upgradesOfLarge  = 6
	upstreamTogether = 8
	upgradeShare     = 10 // of the work of an exact search goes into one change that is tried
)

// candidate is one change, made to a copy of a facility.
type candidate struct {
	change  string
	addedKW float64
	price   float64 // US$/kW, NaN unknown
	more    int     // racks that it adds
	apply   func(f *facility.Facility) (*facility.Facility, bool)
}

// Upgrades returns the changes that admit more servers of the orders, the cheapest that admit at least k
// first, then the others by what they admit. Where no single change admits k it also tries to join some. In
// halls of more than 500 racks what stands stays where it is and the rest is filled in; else all is placed anew.
func Upgrades(l *Layout, k int) []Upgrade {
	if len(l.Facility.Models) == 0 || len(l.Facility.Orders) == 0 {
		return nil
	}
	full := 0
	for i, line := range l.Lines {
		if !l.Facility.Orders[i].Max && line.Placed == line.Asked {
			full++
		}
	}
	if full == len(l.Lines) {
		return nil // all that was asked for stands
	}
	var list []Upgrade
	var tried []candidate
	for _, c := range candidates(l, k) {
		if slices.ContainsFunc(tried, func(t candidate) bool { return t.change == c.change }) {
			continue
		}
		tried = append(tried, c)
		if len(l.Racks) > fullRacks && len(tried) > max(2, upgradesOfLarge*fullRacks/len(l.Racks)*4) {
			break
		}
		u, _, ok := c.try(l)
		if ok && c.more > 1 && slices.ContainsFunc(list, func(o Upgrade) bool { return o.racks == 1 && o.Admits >= u.Admits }) {
			continue // one of them does
		}
		if u.racks = c.more; ok {
			list = append(list, u)
		}
	}
	rank(list, k)
	inRacks := slices.ContainsFunc(list, func(u Upgrade) bool { return u.Admits >= k && u.racks == 0 }) // that are there
	if k > 1 && !inRacks && len(l.Racks) <= fullRacks {
		if u, ok := join(l, k); ok {
			list = append(list, u)
			rank(list, k)
		}
	}
	return list
}

// Upgrades are those that admit one more server at least. They are searched for once, when they are first asked for:
// the runs of a study share a layout, and the search takes longer than a short run. Several runs may ask at once; none
// may change the list, nor the layout's facility.
func (l *Layout) Upgrades() []Upgrade {
	l.upgradesOnce.Do(func() { l.upgrades = Upgrades(l, 1) })
	return l.upgrades
}

// rank puts the cheapest that admit k first.
func rank(list []Upgrade, k int) {
	per := func(u Upgrade) float64 {
		if math.IsNaN(u.CostUSD) {
			return math.Inf(1)
		}
		return u.CostUSD
	}
	slices.SortStableFunc(list, func(a, b Upgrade) int {
		ea, eb := a.Admits >= k, b.Admits >= k
		switch {
		case ea != eb:
			if ea {
				return -1
			}
			return 1
		case ea && k > 1:
			return cmp.Or(cmp.Compare(per(a), per(b)), cmp.Compare(a.AddedKW, b.AddedKW))
		}
		return cmp.Or(cmp.Compare(b.Admits, a.Admits), cmp.Compare(per(a), per(b)), cmp.Compare(a.AddedKW, b.AddedKW))
	})
}

// try places again with the change made.
func (c candidate) try(l *Layout) (Upgrade, *Layout, bool) {
	f, ok := c.apply(l.Facility)
	if !ok {
		return Upgrade{}, nil, false
	}
	again, ok := placeAgain(f, l)
	if !ok || len(again.Servers) <= len(l.Servers) {
		return Upgrade{}, nil, false
	}
	u := Upgrade{Change: c.change, Admits: len(again.Servers) - len(l.Servers), GPUs: gpus(again) - gpus(l), AddedKW: c.addedKW, CostUSD: c.price * c.addedKW}
	return u, again, true
}

func gpus(l *Layout) int {
	n := 0
	for i := range l.Servers {
		n += l.Facility.Models[l.Servers[i].Model].GPUs
	}
	return n
}

// placeAgain places a changed facility: anew, or in large halls on top of what stands.
func placeAgain(f *facility.Facility, l *Layout) (*Layout, bool) {
	if len(f.Racks) <= fullRacks {
		again, err := placeWithin(f, searchWork/upgradeShare)
		return again, err == nil
	}
	if check(f) != nil {
		return nil, false
	}
	s := newSite(f)
	for i := 0; i < len(l.Servers); {
		rack, model, n := l.Servers[i].Rack, l.Servers[i].Model, 0
		for ; i < len(l.Servers) && l.Servers[i].Rack == rack && l.Servers[i].Model == model; i++ {
			n++
		}
		s.change(rack, model, n)
	}
	for k, o := range f.Orders {
		left := math.MaxInt
		if !o.Max {
			left = o.Count - l.Lines[k].Placed
		}
		s.fillLine(k, left)
	}
	again := &Layout{Facility: f} // nobody asks for the names of its servers
	for i := range s.racks {
		for m, n := range s.racks[i].count {
			for range n {
				again.Servers = append(again.Servers, Server{Model: m, Rack: i})
			}
		}
	}
	return again, true
}

// join makes the change that admits most, again and again, until k are admitted.
func join(l *Layout, k int) (Upgrade, bool) {
	at := l
	u := Upgrade{}
	for range upgradeSteps {
		var best Upgrade
		var next *Layout
		for _, c := range candidates(at, 1) {
			if x, again, ok := c.try(at); ok && (next == nil || x.Admits > best.Admits) {
				best, next = x, again
			}
		}
		if next == nil {
			return Upgrade{}, false
		}
		u.Steps = append(u.Steps, best.Change)
		u.AddedKW += best.AddedKW
		u.CostUSD += best.CostUSD
		at = next
		if n := len(at.Servers) - len(l.Servers); n >= k {
			u.Admits, u.GPUs = n, gpus(at)-gpus(l)
			u.Change = u.Steps[0]
			for _, step := range u.Steps[1:] {
				u.Change += ", then " + step
			}
			return u, len(u.Steps) > 1
		}
	}
	return Upgrade{}, false
}

// candidates lists what could be changed, from what stops the next server; new racks for k servers.
func candidates(l *Layout, k int) []candidate {
	var list []candidate
	for _, limit := range []Limit{Power, Air, Liquid, Space, Weight, Feed, Phase} {
		if c, ok := raiseRacks(l, limit); ok {
			list = append(list, c)
		}
	}
	if len(list) > 1 { // where several refuse at once, one alone helps nothing
		list = append(list, together(slices.Clone(list)))
	}
	stops := func(limits ...Limit) bool {
		return slices.ContainsFunc(l.Racks, func(f RackFit) bool {
			return slices.ContainsFunc(f.Next, func(r Refusal) bool { return slices.Contains(limits, r.Limit) })
		})
	}
	sys := &l.Facility.Cooling
	if stops(Air, Airflow, Plant) {
		for i := range sys.Rooms {
			r := &sys.Rooms[i]
			list = append(list, candidate{
				change: fmt.Sprintf("one more air handler of %s in room %s", kW(r.CapacityW), r.Name), addedKW: r.CapacityW / 1000, price: math.NaN(),
				apply: func(f *facility.Facility) (*facility.Facility, bool) {
					c := *f
					c.Cooling.Rooms = slices.Clone(c.Cooling.Rooms)
					c.Cooling.Rooms[i].Units++
					return &c, true
				},
			})
		}
	}
	if stops(Liquid, Flow, Plant) {
		for i := range sys.Loops {
			loop := &sys.Loops[i]
			list = append(list, candidate{
				change: fmt.Sprintf("one more CDU of %s in loop %s", kW(loop.CapacityW), loop.Name), addedKW: loop.CapacityW / 1000, price: priceCDU,
				apply: func(f *facility.Facility) (*facility.Facility, bool) {
					c := *f
					c.Cooling.Loops = slices.Clone(c.Cooling.Loops)
					c.Cooling.Loops[i].CDUs++
					return &c, true
				},
			})
		}
	}
	list = append(list, upstream(l)...)
	for _, n := range [...]int{1, k} {
		if c, ok := moreRacks(l, n); ok {
			list = append(list, c)
		}
	}
	return list
}

// moreRacks adds racks like the one that holds most, beside it, with circuits of their own: so many that, filled
// like that one, they hold k servers.
func moreRacks(l *Layout, k int) (candidate, bool) {
	most := noIndex
	for i := range l.Racks {
		if l.Racks[i].Servers > 0 && (most == noIndex || l.Racks[i].Servers >= l.Racks[most].Servers) {
			most = i
		}
	}
	if most == noIndex {
		return candidate{}, false
	}
	like := &l.Facility.Racks[most]
	n := min((k+l.Racks[most].Servers-1)/l.Racks[most].Servers, mostNewRacks)
	c := candidate{change: fmt.Sprintf("one more rack like %s with its circuits", like.ID), addedKW: float64(n) * float64(l.Racks[most].UsedW) / 1000, price: math.NaN(), more: n}
	if n > 1 {
		c.change = fmt.Sprintf("%d more racks like %s with their circuits", n, like.ID)
	}
	c.apply = func(f *facility.Facility) (*facility.Facility, bool) {
		up := *f
		up.Racks = slices.Clone(f.Racks)
		var nodes []power.Node
		if f.Power != nil {
			nodes = slices.Clone(f.Power.Nodes)
		}
		for j := range n {
			r := up.Racks[most]
			r.ID, r.Place = fmt.Sprintf("new %d beside %s", j+1, like.ID), len(f.Racks)+j
			r.Feeds = slices.Clone(r.Feeds)
			for x, fd := range r.Feeds {
				if f.Power.Nodes[fd].Kind != power.RackFeed {
					continue
				}
				node := f.Power.Nodes[fd]
				node.ID = fmt.Sprintf("%s, new %d", node.ID, j+1)
				r.Feeds[x] = len(nodes) // parents stand first: a new circuit keeps its place at the end
				nodes = append(nodes, node)
			}
			up.Racks = append(up.Racks, r)
		}
		if f.Power != nil && len(nodes) > len(f.Power.Nodes) {
			g, err := power.New(nodes)
			if err != nil {
				return nil, false
			}
			up.Power = g
		}
		return &up, true
	}
	return c, true
}

// mostNewRacks bounds the racks that are added at once.
const mostNewRacks = 64

// together makes several changes at once.
func together(list []candidate) candidate {
	all := candidate{change: list[0].change}
	for i, c := range list {
		if i > 0 {
			all.change += " and " + c.change
		}
		all.addedKW += c.addedKW
		all.price = math.NaN()
	}
	all.apply = func(f *facility.Facility) (*facility.Facility, bool) {
		for _, c := range list {
			next, ok := c.apply(f)
			if !ok {
				return nil, false
			}
			f = next
		}
		return f, true
	}
	return all
}

// upstream lists one more unit at each node that stops servers, and one at each of those that stand for it on
// the other sides.
func upstream(l *Layout) []candidate {
	if l.Facility.Power == nil {
		return nil
	}
	var groups [][]int
	for i := range l.Racks {
		for _, r := range l.Racks[i].Next {
			if r.Limit != Upstream || len(groups) >= upstreamTogether {
				continue
			}
			if n, ok := l.Facility.Power.Index(nodeOf(r.Where)); ok {
				peers := peersOf(l.Facility.Power, n)
				if !slices.ContainsFunc(groups, func(g []int) bool { return slices.Equal(g, peers) }) {
					groups = append(groups, peers)
				}
			}
		}
	}
	var list []candidate
	for _, peers := range groups {
		node := l.Facility.Power.Nodes[peers[0]]
		name := node.ID
		for _, p := range peers[1:] {
			name += ", " + l.Facility.Power.Nodes[p].ID
		}
		price := math.NaN()
		switch node.Kind {
		case power.UPS:
			price = priceUPS
		case power.Generator:
			price = priceGenerator
		}
		list = append(list, candidate{
			change:  fmt.Sprintf("one more unit of %s at %s", kVA(node.RatingVA), name),
			addedKW: node.RatingVA * node.PF / 1000 * float64(len(peers)), price: price,
			apply: func(f *facility.Facility) (*facility.Facility, bool) {
				nodes := slices.Clone(f.Power.Nodes)
				for _, p := range peers {
					nodes[p].Units++
				}
				g, err := power.New(nodes)
				if err != nil {
					return nil, false
				}
				c := *f
				c.Power = g
				return &c, true
			},
		})
	}
	return list
}

// nodeOf is the node in the place of a refusal: "ups[A], side B lost".
func nodeOf(where string) string {
	for i := range len(where) - 1 {
		if where[i] == ',' && where[i+1] == ' ' {
			return where[:i]
		}
	}
	return where
}

// peersOf lists a node and those like it on the other sides that the same racks hang on: a side more alone helps
// nothing.
func peersOf(g *power.Graph, n int) []int {
	node := &g.Nodes[n]
	peers := []int{n}
	if node.Side == "" {
		return peers
	}
	name := func(n *power.Node) string {
		id := []byte(n.ID)
		if k := len(id) - len(n.Side); k > 0 && string(id[k:]) == n.Side {
			return string(id[:k])
		}
		if k := len(id) - len(n.Side) - 1; k > 0 && string(id[k:]) == n.Side+"]" {
			return string(id[:k])
		}
		return n.ID
	}
	for i := range g.Nodes {
		if m := &g.Nodes[i]; i != n && m.Kind == node.Kind && m.Side != node.Side && m.Side != "" && name(m) == name(node) {
			peers = append(peers, i)
		}
	}
	slices.Sort(peers)
	return peers
}

// raiseRacks lifts one limit of every rack that it stops, by what the next server lacks there.
func raiseRacks(l *Layout, limit Limit) (candidate, bool) {
	type raise struct {
		rack         int
		short, ratio float64
	}
	var raises []raise
	most, unit, added := 0.0, "", 0.0
	for i := range l.Racks {
		if l.Facility.Models[l.Facility.Orders[0].Model].RackSystem && l.Racks[i].Servers > 0 {
			continue // a rack holds one whole system: a second one wants a rack of its own
		}
		for _, no := range l.Racks[i].Next {
			r := &l.Facility.Racks[i]
			if no.Limit != limit || no.Short <= 0 || no.Where != r.ID && limit != Feed && (limit != Phase || !ownCircuit(l, i, no.Where)) ||
				(limit == Air && r.AirW == noLimit) || (limit == Liquid && (r.LiquidW == noLimit || r.Loop < 0)) {
				continue
			}
			ratio := no.Need / no.Free
			if limit == Phase || (limit == Feed && no.Free <= 0) {
				ratio = 1 + no.Short/lineCapacity(l, no)
			}
			raises = append(raises, raise{i, no.Short, ratio})
			most, unit = max(most, no.Short), no.Unit
			switch limit {
			case Phase:
				added += (ratio - 1) * rackKVA(l, i)
			case Power, Air, Liquid, Feed:
				added += no.Short / 1000
			}
			break
		}
	}
	if len(raises) == 0 {
		return candidate{}, false
	}
	what := map[Limit]string{
		Power: "rack power limit", Air: "rack air limit", Liquid: "rack liquid limit", Space: "rack height", Weight: "rack load limit", Feed: "rack circuits",
		Phase: "lines of the rack circuits",
	}[limit]
	c := candidate{change: fmt.Sprintf("%s of %d racks up by %s", what, len(raises), amount(most, unit)), addedKW: added, price: math.NaN()}
	if limit == Feed || limit == Phase {
		c.price = priceRackPDUs / rackPDUsOfKW
	}
	c.apply = func(f *facility.Facility) (*facility.Facility, bool) {
		up := *f
		up.Racks = slices.Clone(f.Racks)
		var nodes []power.Node
		if limit == Feed || limit == Phase {
			nodes = slices.Clone(f.Power.Nodes)
		}
		for _, x := range raises {
			r := &up.Racks[x.rack]
			switch limit {
			case Power:
				r.PowerW += int64(x.short)
			case Air:
				r.AirW += int64(x.short)
			case Liquid:
				r.LiquidW += int64(x.short)
			case Space:
				r.HeightU += int(x.short)
			case Weight:
				r.LoadKg += x.short
			case Feed, Phase:
				for _, k := range r.Feeds {
					nodes[k].RatingVA *= x.ratio
				}
			}
		}
		if nodes != nil {
			g, err := power.New(nodes)
			if err != nil {
				return nil, false
			}
			up.Power = g
		}
		return &up, true
	}
	return c, true
}

// ownCircuit says whether a node is a circuit of a rack.
func ownCircuit(l *Layout, rack int, id string) bool {
	return slices.ContainsFunc(l.Facility.Racks[rack].Feeds, func(n int) bool { return l.Facility.Power.Nodes[n].ID == id })
}

// lineCapacity is what a line (or a circuit) that a refusal names may carry, in the unit of the refusal.
func lineCapacity(l *Layout, r Refusal) float64 {
	n, ok := l.Facility.Power.Index(r.Where)
	if !ok {
		return math.Inf(1)
	}
	node := &l.Facility.Power.Nodes[n]
	va := float64(l.Facility.Power.CapacityVA(n, node.Units-node.Redundant))
	switch {
	case r.Unit == "A":
		return va / math.Sqrt(3) / node.VoltageLL
	case r.Limit == Phase:
		return va / 3
	}
	return va
}

// rackKVA is the rating of a rack's circuits together.
func rackKVA(l *Layout, rack int) (kva float64) {
	for _, n := range l.Facility.Racks[rack].Feeds {
		kva += l.Facility.Power.Nodes[n].RatingVA / 1000
	}
	return kva
}

func kW(w float64) string   { return fmt.Sprintf("%.4g kW", w/1000) }
func kVA(va float64) string { return fmt.Sprintf("%.4g kVA", va/1000) }

func amount(x float64, unit string) string {
	switch unit {
	case "W":
		return kW(x)
	case "VA":
		return kVA(x)
	}
	return fmt.Sprintf("%.4g %s", x, unit)
}
