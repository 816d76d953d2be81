package placement

import (
	"fmt"
	"math"
	"slices"

	"headroom/facility"
)

// Place fills the racks of a facility with its orders. Earlier lines come first: no server of a later line
// stands at the cost of an earlier one. Within that each line gets as many servers as the search finds
// room for, and Line.Bound says how many could stand at the very most. The racks are taken by the
// facility's policy. An error is an Errors.
//
// The supplies of a server are counted as spread evenly over its feeds, and over the lines of each unless the rack's
// outlets are dealt to the lines.
func Place(f *facility.Facility) (*Layout, error) { return placeWithin(f, searchWork) }

// placeWithin is Place with a bound on the work of each exact search.
func placeWithin(f *facility.Facility, work int) (*Layout, error) {
	if err := check(f); err != nil {
		return nil, err
	}
	s := newSite(f)
	s.budget = work
	l := &Layout{Facility: f, Requested: requested(f)}
	for k, o := range f.Orders {
		l.RequestedMax = l.RequestedMax || o.Max
		l.Lines = append(l.Lines, s.line(k))
		l.Bound += l.Lines[k].Bound
	}
	if s.searched && len(s.racks) <= settleRacks {
		s.settle(l)
	}
	s.report(l)
	return l, nil
}

// settleRacks is the largest hall whose result is placed a second time: above it a plan of 10,000 racks would take half as
// long again, and planning its result again may move servers, though never place fewer.
const settleRacks = 3000

// settle moves what a search has found to where the servers stand when just as many are asked for, so that planning
// a result again changes nothing.
func (s *site) settle(l *Layout) {
	f := *s.f
	f.Orders = slices.Clone(f.Orders)
	for k := range f.Orders {
		f.Orders[k].Max, f.Orders[k].Count = false, l.Lines[k].Placed
	}
	t := newSite(&f)
	// None of it depends on how many are asked for.
	t.budget, t.kindsOf, t.cases, t.relaxed, t.bounds = s.budget, s.kindsOf, s.cases, s.relaxed, s.bounds
	for k := range f.Orders {
		if t.line(k).Placed != l.Lines[k].Placed {
			return
		}
	}
	s.restore(t.save())
}

func orderCount(o facility.Order) int {
	if o.Max {
		return math.MaxInt
	}
	return o.Count
}

// requested is what was asked for; max asks for what space and the racks' own limits admit.
func requested(f *facility.Facility) int {
	alone := *f
	alone.Mechanical, alone.OtherFed = nil, nil
	s := &site{f: &alone, phased: alone.Phased()}
	for i := range f.Models {
		s.needs = append(s.needs, newNeed(&f.Models[i]))
	}
	s.rooms, s.loops = make([]pool, len(f.Cooling.Rooms)), make([]pool, len(f.Cooling.Loops))
	for i := range s.loops {
		s.loops[i].sink = noIndex
	}
	s.racks = make([]rack, len(f.Racks))
	for i := range f.Racks {
		s.newRack(i)
	}
	n := 0
	for _, o := range f.Orders {
		if !o.Max {
			n += o.Count
		}
		left := orderCount(o)
		for i := range s.racks {
			k := min(s.localRoom(i, o.Model), left)
			s.changeRack(i, o.Model, k)
			left -= k
			if o.Max {
				n += k
			}
		}
	}
	return n
}

// add puts the most servers of a model into a rack that the shared limits admit, at most k, and
// returns how many.
func (s *site) add(i, model, k int) int {
	if s.spread != nil {
		k = min(k, s.spread.room(i))
	}
	k = s.addWithin(i, model, k)
	if s.spread != nil {
		s.spread.take(i, k)
	}
	return k
}

func (s *site) addWithin(i, model, k int) int {
	if k <= 0 {
		return 0
	}
	s.change(i, model, k)
	if !s.overShared(i) {
		return k
	}
	s.change(i, model, -k)
	lo, hi := 0, k // lo fits, hi does not
	for lo+1 < hi {
		mid := (lo + hi) / 2
		s.change(i, model, mid)
		if s.overShared(i) {
			hi = mid
		} else {
			lo = mid
		}
		s.change(i, model, -mid)
	}
	if lo > 0 {
		s.change(i, model, lo)
	}
	return lo
}

// localAdmits returns how many more servers of a model one of the rack's own limits admits.
func (s *site) localAdmits(i, model, limit int) int {
	r := &s.racks[i]
	each := s.needs[model].local(limit)
	if r.limit[limit] == noLimit || each <= 0 { // a weight that is not known is negative
		return math.MaxInt
	}
	return int(max(0, r.limit[limit]-r.used.local(limit)) / each)
}

// localRoom returns how many more servers of a model the rack's own limits admit.
func (s *site) localRoom(i, model int) int {
	if takes := s.f.Racks[i].Takes; takes != "" && (takes == facility.LiquidOnly) != s.f.Models[model].Liquid {
		return 0
	}
	k := math.MaxInt
	for limit := range localLimits {
		k = min(k, s.localAdmits(i, model, limit))
	}
	return s.legRoom(i, model, k)
}

// change adds k servers of a model to a rack, or takes them out, without looking at limits.
func (s *site) change(i, model, k int) {
	s.changeRack(i, model, k)
	r, n, by := &s.racks[i], &s.needs[model], int64(k)
	share := func(pools []pool, at int, q, flow int64) {
		if at == noIndex {
			return
		}
		pools[at].usedQ += q
		pools[at].flowUsed += flow
		if p := pools[at].plant; p != noIndex {
			s.plants[p].usedQ += q
		}
	}
	share(s.rooms, r.room, by*n.airW*quanta, by*n.airMLs)
	share(s.loops, r.loop, by*n.liquidW*quanta, by*n.flowMLm)
	if r.loop != noIndex {
		if l := &s.loops[r.loop]; l.sink != noIndex {
			share(s.rooms, l.sink, by*n.liquidW*quanta, by*l.sinkAir[model])
		}
	}
	if s.elec != nil {
		now := (r.used.w + s.f.Racks[i].ReserveW) * quanta
		was := s.moveLegs(i)
		s.elec.addRack(r, s.f.Racks[i].Feeds, now-by*n.w*quanta, now, was, r.legs)
	}
	s.total += k
}

func (s *site) changeRack(i, model, k int) {
	r, n, by := &s.racks[i], &s.needs[model], int64(k)
	r.count[model] += k
	r.servers += k
	r.used.w += by * n.w
	r.used.va += by * n.va
	r.used.airW += by * n.airW
	r.used.liquidW += by * n.liquidW
	r.used.u += by * n.u
	if n.grams != noLimit {
		r.used.grams += by * n.grams
	}
}

// overShared says whether a limit that rack i shares with others is broken.
func (s *site) overShared(i int) bool {
	return s.eachShared(i, func(Refusal) bool { return true })
}

// eachShared calls found for every broken limit that rack i shares, until it returns true.
func (s *site) eachShared(i int, found func(Refusal) bool) bool {
	r := &s.racks[i]
	for _, room := range r.rooms {
		if s.eachPool(&s.rooms[room], s.roomLoss(int(room)), Air, Airflow, 1e6, "m3/s", found) {
			return true
		}
		if p := s.rooms[room].plant; p != noIndex && s.eachPool(&s.plants[p], s.plantLoss(p), Plant, Plant, 1, "", found) {
			return true
		}
	}
	if r.loop != noIndex {
		if s.eachPool(&s.loops[r.loop], 0, Liquid, Flow, 1000, "L/min", found) {
			return true
		}
		if p := s.loops[r.loop].plant; p != noIndex && s.eachPool(&s.plants[p], s.plantLoss(p), Plant, Plant, 1, "", found) {
			return true
		}
	}
	if s.elec == nil {
		return false
	}
	for _, n := range r.path {
		if s.elec.capQ[n] == noLimit {
			continue
		}
		if out, c := s.elec.worst(int(n)); out > s.elec.capQ[n] {
			where := s.f.Power.Nodes[n].ID
			if c.name != s.elec.cases[0].name {
				where += ", " + c.name
			}
			if found(refusal(Upstream, where, "W", wattsUp(out), float64(s.elec.capQ[n]/quanta))) {
				return true
			}
		}
		if r, over := s.elec.overLeg(int(n)); over && found(r) {
			return true
		}
	}
	return false
}

func (s *site) eachPool(p *pool, lossQ int64, heat, flow Limit, scale float64, unit string, found func(Refusal) bool) bool {
	if q := p.usedQ + p.fixedQ + lossQ; p.capQ != noLimit && q > p.capQ {
		if found(refusal(heat, p.name, "W", wattsUp(q), float64(p.capQ/quanta))) {
			return true
		}
	}
	if p.flowCap != noLimit && p.flowUsed > p.flowCap {
		return found(refusal(flow, p.name, unit, float64(p.flowUsed)/scale, float64(p.flowCap)/scale))
	}
	return false
}

// refusal is a limit and what would stand against it with the next server in.
func refusal(limit Limit, where, unit string, total, capacity float64) Refusal {
	return Refusal{Limit: limit, Where: where, Unit: unit, Short: total - capacity, Need: total, Free: capacity}
}

func wattsUp(q int64) float64 { return float64((q + quanta - 1) / quanta) }

// roomLoss returns the electrical losses that heat a room in the worst case, in quanta.
func (s *site) roomLoss(room int) int64 {
	worst := int64(0)
	if s.elec != nil {
		for ci := range s.elec.cases {
			worst = max(worst, s.elec.cases[ci].roomLoss[room])
		}
	}
	return worst
}

// plantLoss is roomLoss over all rooms of a plant.
func (s *site) plantLoss(plant int) int64 {
	worst := int64(0)
	if s.elec != nil {
		for ci := range s.elec.cases {
			var q int64
			for room, loss := range s.elec.cases[ci].roomLoss {
				if s.rooms[room].plant == plant {
					q += loss
				}
			}
			worst = max(worst, q)
		}
	}
	return worst
}

func (s *site) changeIf(i, model, k int) {
	if k != 0 {
		s.change(i, model, k)
	}
}

// servers lists what stands where, by rack and from the lowest U up, earlier lines below.
func (s *site) servers() []Server {
	list := make([]Server, 0, s.total)
	var models []int
	for _, o := range s.f.Orders {
		if !slices.Contains(models, o.Model) {
			models = append(models, o.Model)
		}
	}
	for i := range s.racks {
		u := 1
		for _, m := range models {
			for range s.racks[i].count[m] {
				list = append(list, Server{ID: fmt.Sprintf("%s.u%02d", s.f.Racks[i].ID, u), Model: m, Rack: i, U: u})
				u += int(s.needs[m].u)
			}
		}
	}
	return slices.Clip(list)
}
