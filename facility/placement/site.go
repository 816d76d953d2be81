package placement

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// quanta is how many parts a watt is held in while loads go up the graph: 27,720 is divisible by every
// number up to 12, so that an equal share over up to 12 feeds is exact.
const quanta = 27720

// noLimit marks a limit that is not stated.
const noLimit = facility.NoLimit

// need is what one server takes, in whole units, rounded up.
type need struct {
	w, va, airW, liquidW int64
	u                    int64
	grams                int64 // noLimit where the weight is not known
	airMLs               int64 // mL/s of air
	flowMLm              int64 // mL/min of coolant
}

// rack is one rack's own limits, rounded down, and what its servers take so far. The reserve for
// switches and storage counts as load everywhere: on the feeds, upstream, and as heat into the air.
type rack struct {
	limit   [localLimits]int64 // noLimit where not stated, else what servers may take
	used    need
	count   []int // servers by model
	feeds   []feed
	room    int // noIndex where there is none
	loop    int
	path    []int32 // feeds and everything above, children before parents
	rooms   []int32 // rooms that the losses on the path heat, and its own
	servers int
	// What it would put on each of its feeds alone, and did before the last change, where legs are followed.
	legs, legsWere []legs6
}

// feed is one rack circuit with what it must be able to carry.
type feed struct {
	node    int
	capVA   int64
	sharing int64 // feeds that share the load after the worst single loss that spares this one
}

const noIndex = -1

// The limits of one rack alone, as they stand in rack.limit.
const (
	localPower = iota
	localAir
	localLiquid
	localSpace
	localWeight
	localFeed
	localLimits
)

var localName = [localLimits]Limit{Power, Air, Liquid, Space, Weight, Feed}

var localUnit = [localLimits]string{"W", "W", "W", "U", "kg", "VA"}

func (n *need) local(i int) int64 {
	switch i {
	case localPower:
		return n.w
	case localAir:
		return n.airW
	case localLiquid:
		return n.liquidW
	case localSpace:
		return n.u
	case localWeight:
		return n.grams
	}
	return n.va
}

// pool is cooling that racks share: capacity and flow of a room, a loop or a plant. Capacities are
// noLimit where not stated.
type pool struct {
	name     string
	capQ     int64 // heat, W in quanta
	flowCap  int64 // mL/s or mL/min
	fixedQ   int64 // heat of fans and pumps
	usedQ    int64 // heat of servers and reserves, losses not included
	flowUsed int64
	plant    int

	// Of a loop whose CDUs give their heat to air: the room, else noIndex, and the air (mL/s) that each server of a
	// model then needs of it. sideQ is what pumps and fans of such CDUs add to a room, part of its fixedQ.
	sink    int
	sinkAir []int64
	sideQ   int64
}

// site is the facility in whole numbers with the state of a placement.
type site struct {
	f        *facility.Facility
	needs    []need
	racks    []rack
	rooms    []pool
	loops    []pool
	plants   []pool
	elec     *electrical
	warnings []string
	total    int
	spread   *spread // of the line being filled, nil for none
	phased   bool    // some load is not even over the lines
	searched bool    // a line was not placed by filling alone
	budget   int     // work of one exact search
	kindsOf  *kinds  // see kinds, relax and boundCases
	relaxed  *relaxed
	cases    *boundCases
	bounds   map[int]lineBound // by line, see boundAnyCount
	shared   map[string]bool   // names of what racks share, see namesShared
}

// Errors is everything that is wrong with a facility.
type Errors []error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

func ceilTo(x, scale float64) int64  { return int64(math.Ceil(x * scale * (1 - 1e-12))) }
func floorTo(x, scale float64) int64 { return int64(math.Floor(x * scale * (1 + 1e-12))) }

// powerFactor returns pf if it is one, else the other.
func powerFactor(pf, other float64) float64 {
	if pf > 0 && pf <= 1 {
		return pf
	}
	return other
}

func newNeed(m *facility.Model) need {
	n := need{
		w: m.PlanW, airW: m.PlanAirW, liquidW: m.PlanLiquidW, u: int64(m.HeightU),
		va:    ceilTo(float64(m.PlanW)/powerFactor(m.PF, 1), 1),
		grams: noLimit,
	}
	if m.WeightKg >= 0 {
		n.grams = ceilTo(m.WeightKg, 1000)
	}
	if m.AirflowM3s > 0 {
		n.airMLs = ceilTo(m.AirflowM3s, 1e6)
	}
	if m.FlowLPM > 0 {
		n.flowMLm = ceilTo(m.FlowLPM, 1000)
	}
	return n
}

// check returns what makes a facility impossible to place.
func check(f *facility.Facility) error {
	var errs Errors
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for i := range f.Models {
		m := &f.Models[i]
		if m.PlanW < 1 || m.PlanW > maxServerW || m.PlanAirW < 0 || m.PlanLiquidW < 0 || m.PlanAirW > m.PlanW || m.PlanLiquidW > m.PlanW ||
			m.PlanAirW+m.PlanLiquidW < m.PlanW {
			bad("server %s: %d W, of it %d W into air and %d W into liquid (want 1 W or more, and parts that make up the whole)", m.Name, m.PlanW, m.PlanAirW, m.PlanLiquidW)
		}
		if m.HeightU < 1 {
			bad("server %s: height of %dU (want at least 1U)", m.Name, m.HeightU)
		}
	}
	for i, o := range f.Orders {
		if o.Model < 0 || o.Model >= len(f.Models) {
			bad("order %d (line %d): model %d of %d", i+1, o.Line, o.Model, len(f.Models))
		}
		if !o.Max && (o.Count < 0 || o.Count > maxServers) {
			bad("order %d (line %d): %d servers (want 0 to %d, or max)", i+1, o.Line, o.Count, maxServers)
		}
	}
	nodes := 0
	if f.Power != nil {
		nodes = len(f.Power.Nodes)
	}
	fed := func(what string, feeds []int) {
		for i, n := range feeds {
			if n < 0 || n >= nodes {
				bad("%s: fed by power node %d of %d", what, n, nodes)
			} else if slices.Contains(feeds[:i], n) {
				bad("%s: fed by %s twice", what, f.Power.Nodes[n].ID)
			}
		}
	}
	for i := range f.Racks {
		r := &f.Racks[i]
		if r.HeightU < 1 || r.ReserveU < 0 || r.ReserveU > r.HeightU {
			bad("rack %s (line %d): %dU with %dU reserved", r.ID, r.Line, r.HeightU, r.ReserveU)
		}
		for _, w := range []int64{r.PowerW, r.AirW, r.LiquidW} {
			if w < 0 && w != noLimit {
				bad("rack %s (line %d): a limit of %d W", r.ID, r.Line, w)
			}
		}
		if r.ReserveW < 0 {
			bad("rack %s (line %d): %d W reserved", r.ID, r.Line, r.ReserveW)
		}
		fed("rack "+r.ID, r.Feeds)
	}
	for _, m := range f.Mechanical {
		fed(m.Name, m.Fed)
		if m.W < 0 {
			bad("%s: %d W", m.Name, m.W)
		}
	}
	fed("other load", f.OtherFed)
	if !(f.OtherW >= 0 && f.OtherW < 1e9) {
		bad("other load: %g W", f.OtherW)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// Bounds on input that keep every sum far inside an int64.
const (
	maxServerW = 10_000_000
	maxServers = 10_000_000
)

func newSite(f *facility.Facility) *site {
	s := &site{f: f, phased: f.Phased(), bounds: map[int]lineBound{}}
	for i := range f.Models {
		s.needs = append(s.needs, newNeed(&f.Models[i]))
	}
	s.newPools()
	s.racks = make([]rack, len(f.Racks))
	for i := range f.Racks {
		s.newRack(i)
		if n := len(f.Racks[i].Feeds); s.phased {
			s.racks[i].legs, s.racks[i].legsWere = make([]legs6, n), make([]legs6, n)
		}
	}
	if f.Power != nil && len(f.Power.Nodes) > 0 {
		s.elec = newElectrical(s)
	}
	s.addReserves()
	s.notStated()
	return s
}

func (s *site) newRack(i int) {
	from, to := &s.f.Racks[i], &s.racks[i]
	to.count = make([]int, len(s.needs))
	to.room, to.loop = noIndex, noIndex
	if from.Room >= 0 && from.Room < len(s.rooms) {
		to.room = from.Room
	}
	if from.Loop >= 0 && from.Loop < len(s.loops) {
		to.loop = from.Loop
	}
	for k := range to.limit {
		to.limit[k] = noLimit
	}
	less := func(limitW int64) int64 {
		if limitW == noLimit {
			return noLimit
		}
		return max(0, limitW-from.ReserveW)
	}
	to.limit[localPower] = less(from.PowerW)
	to.limit[localAir] = less(from.AirW)
	to.limit[localLiquid] = from.LiquidW
	if from.Loop < 0 {
		to.limit[localLiquid] = 0
	}
	if to.room != noIndex {
		to.rooms = append(to.rooms, int32(to.room))
	}
	if to.loop != noIndex {
		if sink := s.loops[to.loop].sink; sink != noIndex && sink != to.room {
			to.rooms = append(to.rooms, int32(sink))
		}
	}
	to.limit[localSpace] = int64(from.HeightU - from.ReserveU)
	if from.LoadKg >= 0 && from.FrameKg >= 0 {
		to.limit[localWeight] = max(0, floorTo(from.LoadKg-from.FrameKg, 1000))
	}
	if s.f.Power == nil {
		return
	}
	to.feeds = feedsOf(s.f.Power, from)
	for _, fd := range to.feeds {
		if fd.capVA == noLimit {
			continue
		}
		pf := s.f.Power.Nodes[fd.node].PF
		total := max(0, fd.capVA*fd.sharing-ceilTo(float64(from.ReserveW)/pf, 1))
		if l := &to.limit[localFeed]; *l == noLimit || total < *l {
			*l = total
		}
	}
}

// feedsOf returns the circuits of a rack. Feeds of one named side are lost together; a feed without a
// side is lost alone.
func feedsOf(g *power.Graph, r *facility.Rack) []feed {
	feeds := make([]feed, len(r.Feeds))
	for i, n := range r.Feeds {
		node := &g.Nodes[n]
		feeds[i] = feed{node: n, capVA: noLimit, sharing: int64(len(r.Feeds))}
		if node.Kind == power.RackFeed {
			feeds[i].capVA = g.CapacityVA(n, node.Units-node.Redundant)
		}
		for j, other := range r.Feeds {
			lost := int64(1)
			if side := g.Nodes[other].Side; side != "" {
				if side == node.Side {
					continue
				}
				lost = 0
				for _, o := range r.Feeds {
					if g.Nodes[o].Side == side {
						lost++
					}
				}
			} else if i == j {
				continue
			}
			feeds[i].sharing = min(feeds[i].sharing, int64(len(r.Feeds))-lost)
		}
	}
	return feeds
}

func (s *site) newPools() {
	sys := &s.f.Cooling
	heat := func(units, redundant int, capW float64) int64 {
		if !(capW > 0) || math.IsInf(capW, 0) {
			return noLimit
		}
		return floorTo(float64(max(0, units-redundant))*capW, 1) * quanta
	}
	fixed := func(units, redundant int, w float64) int64 {
		if !(w > 0) || math.IsInf(w, 0) {
			return 0
		}
		return ceilTo(float64(max(0, units-redundant))*w, 1) * quanta
	}
	flow := func(units, redundant int, each, scale float64) int64 {
		if !(each > 0) || math.IsInf(each, 0) {
			return noLimit
		}
		return floorTo(float64(max(0, units-redundant))*each, scale)
	}
	for i := range sys.Rooms {
		r := &sys.Rooms[i]
		s.rooms = append(s.rooms, pool{
			name: r.Name, capQ: heat(r.Units, r.Redundant, r.CapacityW), flowCap: flow(r.Units, r.Redundant, r.AirflowM3s, 1e6),
			fixedQ: fixed(r.Units, r.Redundant, r.FanW), plant: plantIndex(sys, r.Plant), sink: noIndex,
		})
	}
	for i := range sys.Loops {
		l := &sys.Loops[i]
		s.loops = append(s.loops, pool{
			name: l.Name, capQ: heat(l.CDUs, l.Redundant, l.CapacityW), flowCap: flow(l.CDUs, l.Redundant, l.FlowLPM, 1000),
			fixedQ: fixed(l.CDUs, l.Redundant, l.PumpW), plant: plantIndex(sys, l.Plant), sink: noIndex,
		})
		if a := l.Air; a != nil {
			p := &s.loops[i]
			p.plant = noIndex // the heat reaches one by way of the room
			if a.Room >= 0 && a.Room < len(s.rooms) {
				room := &s.rooms[a.Room]
				side := p.fixedQ + fixed(l.CDUs, l.Redundant, a.FanW)
				p.sink, room.sideQ, room.fixedQ = a.Room, room.sideQ+side, room.fixedQ+side
				for _, n := range s.needs {
					p.sinkAir = append(p.sinkAir, sinkAirMLs(l, n.liquidW))
				}
			}
		}
	}
	for i := range sys.Plants {
		p := pool{capQ: noLimit, flowCap: noLimit, plant: noIndex, sink: noIndex}
		if sys.Plants[i] != nil {
			spec := sys.Plants[i].Spec()
			p.name = spec.Name
			if capW := plantCapacityW(s.f, i, spec.Units-spec.Redundant); !math.IsNaN(capW) {
				p.capQ = floorTo(capW, 1) * quanta
			}
		}
		s.plants = append(s.plants, p)
	}
	for _, pools := range [][]pool{s.rooms, s.loops} {
		for i := range pools {
			if p := &pools[i]; p.plant != noIndex {
				s.plants[p.plant].fixedQ += p.fixedQ
			}
		}
	}
}

// sinkAirMLs is the air that liquid-to-air CDUs draw for some heat: in proportion to their rating, which is what they
// draw when full; at part load a little less would do.
func sinkAirMLs(l *cooling.Loop, heatW int64) int64 {
	if !(l.CapacityW > 0) || !(l.Air.AirflowM3s > 0) || math.IsInf(l.Air.AirflowM3s, 0) {
		return 0
	}
	return ceilTo(float64(heatW)/l.CapacityW*l.Air.AirflowM3s, 1e6)
}

func plantIndex(sys *cooling.System, i int) int {
	if i < 0 || i >= len(sys.Plants) {
		return noIndex
	}
	return i
}

// plantCapacityW returns what units of a plant can take on the design day, or at their rating where no
// design day is stated (its air has no pressure); NaN where the plant has no rating.
func plantCapacityW(f *facility.Facility, i, units int) float64 {
	p := f.Cooling.Plants[i]
	spec := p.Spec()
	if !(spec.CapacityW > 0) || math.IsInf(spec.CapacityW, 0) {
		return math.NaN()
	}
	if units <= 0 {
		return 0
	}
	if f.Design.PressurePa > 0 {
		if capW := cooling.CapacityAt(p, units, f.Design); capW >= 0 && !math.IsInf(capW, 0) {
			return capW
		}
	}
	return spec.CapacityW * float64(units)
}

// addReserves counts what is kept for switches and storage as load and as heat into the air.
func (s *site) addReserves() {
	for i := range s.racks {
		w := s.f.Racks[i].ReserveW
		if w == 0 {
			continue
		}
		r := &s.racks[i]
		if r.room != noIndex {
			s.rooms[r.room].usedQ += w * quanta
			if p := s.rooms[r.room].plant; p != noIndex {
				s.plants[p].usedQ += w * quanta
			}
		}
		if s.elec != nil {
			was := s.moveLegs(i)
			s.elec.addRack(r, s.f.Racks[i].Feeds, 0, w*quanta, was, r.legs)
		}
	}
}

// notStated lists the limits that are not stated, each once.
func (s *site) notStated() {
	count := func(what string, n, of int) {
		switch {
		case n == 0:
		case n == of:
			s.warnings = append(s.warnings, "not stated: "+what)
		default:
			s.warnings = append(s.warnings, fmt.Sprintf("not stated: %s (%d of %d)", what, n, of))
		}
	}
	racks := func(what string, missing func(*facility.Rack) bool) {
		n := 0
		for i := range s.f.Racks {
			if missing(&s.f.Racks[i]) {
				n++
			}
		}
		count(what, n, len(s.f.Racks))
	}
	racks("rack power limit", func(r *facility.Rack) bool { return r.PowerW == noLimit })
	racks("rack air limit", func(r *facility.Rack) bool { return r.AirW == noLimit })
	racks("rack liquid limit", func(r *facility.Rack) bool { return r.Loop >= 0 && r.LiquidW == noLimit })
	racks("rack load limit, kg", func(r *facility.Rack) bool { return !(r.LoadKg >= 0) || !(r.FrameKg >= 0) })
	racks("rack feeds", func(r *facility.Rack) bool { return len(r.Feeds) == 0 })
	for _, o := range s.f.Orders {
		m := &s.f.Models[o.Model]
		if !(m.WeightKg >= 0) {
			s.warnings = append(s.warnings, "not stated: weight of "+m.Name+"; its racks are not judged by weight")
		}
		if !(m.PF > 0 && m.PF <= 1) {
			s.warnings = append(s.warnings, "not stated: power factor of "+m.Name+"; counted as 1")
		}
	}
	pools := func(what string, pools []pool, missing func(*pool) bool) {
		n := 0
		for i := range pools {
			if missing(&pools[i]) {
				n++
			}
		}
		count(what, n, len(pools))
	}
	pools("room air capacity", s.rooms, func(p *pool) bool { return p.capQ == noLimit })
	pools("room airflow", s.rooms, func(p *pool) bool { return p.flowCap == noLimit })
	pools("loop capacity", s.loops, func(p *pool) bool { return p.capQ == noLimit })
	pools("loop flow", s.loops, func(p *pool) bool { return p.flowCap == noLimit })
	pools("plant capacity", s.plants, func(p *pool) bool { return p.capQ == noLimit })
	if len(s.plants) > 0 && !(s.f.Design.PressurePa > 0) {
		s.warnings = append(s.warnings, "not stated: the design day; plants are taken at their rating")
	}
	for _, m := range s.f.Mechanical {
		if m.W > 0 && len(m.Fed) == 0 {
			s.warnings = append(s.warnings, "not stated: what feeds "+m.Name+"; its load is not counted")
		}
	}
	if s.f.OtherW > 0 && len(s.f.OtherFed) == 0 {
		s.warnings = append(s.warnings, "not stated: what feeds the other load; it is not counted")
	}
}
