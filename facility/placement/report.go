package placement

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"headroom/facility"
)

// order of the limits in ties.
var limitOrder = [...]Limit{Power, Air, Airflow, Liquid, Flow, Space, Weight, Feed, Phase, Upstream, Plant, Kind, Order}

func limitRank(l Limit) int { return slices.Index(limitOrder[:], l) }

// report fills the layout from the finished placement.
func (s *site) report(l *Layout) {
	first := noIndex
	if len(s.f.Orders) > 0 {
		first = s.f.Orders[0].Model
	}
	l.Servers = s.servers()
	l.Racks = make([]RackFit, len(s.racks))
	same := newAlike(s)
	number := make([]int, len(s.racks)) // racks alike are asked once
	for i := range s.racks {
		n, fresh := same.number(i)
		if number[i] = n; fresh || s.namesShared(i) || s.namesShared(same.first[n]) {
			l.Racks[i] = s.rackFit(i, first)
		} else {
			l.Racks[i] = s.fitLike(i, &l.Racks[same.first[n]])
		}
	}
	if first != noIndex {
		l.Alone = s.alone(first)
	}
	s.strand(l, number, same.first)
	l.Binding = s.binding(l.Racks)
	l.Next = s.next(number, len(same.first))
	l.Warnings = append(l.Warnings, s.warnings...)
	s.overBefore(l)
	s.contingencies(l)
	l.Waterfall = s.waterfall(l)
	l.Warnings = once(l.Warnings)
}

// once keeps the first of equal lines.
func once(lines []string) []string {
	var kept []string
	for _, line := range lines {
		if !slices.Contains(kept, line) {
			kept = append(kept, line)
		}
	}
	return kept
}

func (s *site) rackFit(i, first int) RackFit {
	r := &s.racks[i]
	fit := RackFit{
		Rack: i, Servers: r.servers, UsedW: r.used.w, AirW: r.used.airW, LiquidW: r.used.liquidW,
		UsedU: int(r.used.u), WeightKg: s.weightKg(i), FreeW: noLimit,
		FreeU: int(r.limit[localSpace] - r.used.u), Max: map[Limit]int{}, FeedShare: math.NaN(),
	}
	if r.limit[localPower] != noLimit {
		fit.FreeW = r.limit[localPower] - r.used.w
	}
	for _, fd := range r.feeds {
		if fd.capVA == noLimit {
			continue
		}
		share := math.Inf(1)
		if fd.capVA > 0 {
			share = float64(s.feedVA(i, fd, r.used.va)) / float64(fd.capVA)
		}
		if !(fit.FeedShare >= share) {
			fit.FeedShare = share
		}
	}
	fit.PhaseW, fit.NeutralW = s.phaseW(i)
	if first == noIndex {
		fit.Binding = Order
		return fit
	}
	s.limits(i, first, &fit)
	fit.Next = s.refusals(i, first)
	fit.Binding = Order
	if len(fit.Next) > 0 {
		fit.Binding = fit.Next[0].Limit
		for _, l := range limitOrder {
			if k, ok := fit.Max[l]; ok && k < fit.Max[fit.Binding] {
				fit.Binding = l
			}
		}
		for _, next := range fit.Next { // ties in the order of the limits
			if fit.Max[next.Limit] == fit.Max[fit.Binding] && limitRank(next.Limit) < limitRank(fit.Binding) {
				fit.Binding = next.Limit
			}
		}
		fit.Ties = ties(&fit)
	}
	return fit
}

// fitLike is the answer of a rack by that of one like it: only the names of its own differ.
func (s *site) fitLike(i int, like *RackFit) RackFit {
	fit := *like
	fit.Rack, fit.Max, fit.Ties = i, maps.Clone(like.Max), slices.Clone(like.Ties)
	fit.Next = slices.Clone(like.Next)
	for k := range fit.Next {
		r := &fit.Next[k]
		if r.Where == s.f.Racks[like.Rack].ID {
			r.Where = s.f.Racks[i].ID
			continue
		}
		for j, n := range s.f.Racks[like.Rack].Feeds {
			if r.Where == s.f.Power.Nodes[n].ID {
				r.Where = s.f.Power.Nodes[s.f.Racks[i].Feeds[j]].ID
			}
		}
	}
	return fit
}

// namesShared says whether a rack bears the name of something that racks share, so that a refusal's place does not
// tell whose it is.
func (s *site) namesShared(i int) bool {
	if s.shared == nil {
		s.shared = map[string]bool{}
		for _, pools := range [][]pool{s.rooms, s.loops, s.plants} {
			for k := range pools {
				s.shared[pools[k].name] = true
			}
		}
		if s.f.Power != nil {
			for n := range s.f.Power.Nodes {
				s.shared[s.f.Power.Nodes[n].ID] = true
			}
		}
	}
	return s.shared[s.f.Racks[i].ID]
}

// ties lists the limits that refuse the next server and alone would admit no more than the one that is named, in
// the order of the limits.
func ties(fit *RackFit) []Limit {
	var list []Limit
	most, known := fit.Max[fit.Binding]
	for _, l := range limitOrder {
		k, ok := fit.Max[l]
		refuses := slices.ContainsFunc(fit.Next, func(r Refusal) bool { return r.Limit == l })
		if l != fit.Binding && refuses && (!ok || !known || k <= most) {
			list = append(list, l)
		}
	}
	return list
}

// joined is limits in words.
func joined(list []Limit) string {
	text := make([]string, len(list))
	for i, l := range list {
		text[i] = string(l)
	}
	return strings.Join(text, ", ")
}

// weightKg is frame and servers, NaN where a weight is not known.
func (s *site) weightKg(i int) float64 {
	kg := s.f.Racks[i].FrameKg
	for m, k := range s.racks[i].count {
		if k > 0 {
			kg += float64(k) * s.f.Models[m].WeightKg
		}
	}
	return kg
}

// feedVA is what one circuit carries after the worst single loss, rounded up, for servers of va.
func (s *site) feedVA(i int, fd feed, va int64) int64 {
	va += ceilTo(float64(s.f.Racks[i].ReserveW)/s.f.Power.Nodes[fd.node].PF, 1)
	return (va + fd.sharing - 1) / fd.sharing
}

// limits fills Max: for the rack's own limits with it empty of other need than what stands there, for
// shared limits with everything else as placed, counted no further than the rack's space.
func (s *site) limits(i, model int, fit *RackFit) {
	here := s.racks[i].count[model]
	for limit := range localLimits {
		if k := s.localAdmits(i, model, limit); k != math.MaxInt {
			fit.Max[localName[limit]] = here + k
		}
	}
	more := s.localAdmits(i, model, localSpace)
	if s.dealt(i) {
		fit.Max[Phase] = here + s.legRoom(i, model, more)
	}
	stated := s.sharedStated(i)
	if len(stated) == 0 {
		return
	}
	admits := map[Limit]int{}
	for _, l := range stated {
		admits[l] = more
	}
	for k := more; k > 0; k-- {
		s.change(i, model, k)
		broken := false
		s.eachShared(i, func(r Refusal) bool {
			admits[r.Limit] = min(admits[r.Limit], k-1)
			broken = true
			return false
		})
		s.change(i, model, -k)
		if !broken {
			break
		}
	}
	for _, l := range stated {
		if k, ok := fit.Max[l]; !ok || here+admits[l] < k {
			fit.Max[l] = here + admits[l]
		}
	}
}

// sharedStated lists the limits that rack i shares with others and that are stated.
func (s *site) sharedStated(i int) []Limit {
	r := &s.racks[i]
	var stated []Limit
	pool := func(pools []pool, at int, heat, flow Limit) {
		if at == noIndex {
			return
		}
		if pools[at].capQ != noLimit {
			stated = append(stated, heat)
		}
		if pools[at].flowCap != noLimit {
			stated = append(stated, flow)
		}
		if p := pools[at].plant; p != noIndex && s.plants[p].capQ != noLimit {
			stated = append(stated, Plant)
		}
	}
	pool(s.rooms, r.room, Air, Airflow)
	pool(s.loops, r.loop, Liquid, Flow)
	if s.elec != nil && len(r.path) > 0 {
		stated = append(stated, Upstream)
		if s.phased {
			stated = append(stated, Phase)
		}
	}
	return stated
}

// refusals returns every limit that refuses one more server of a model, smallest relative shortage
// first.
func (s *site) refusals(i, model int) []Refusal {
	r, n := &s.racks[i], &s.needs[model]
	var list []Refusal
	for limit := range localLimits {
		if s.localAdmits(i, model, limit) > 0 {
			continue
		}
		if limit == localFeed {
			list = append(list, s.feedRefusal(i, r.used.va+n.va))
			continue
		}
		scale := 1.0
		if limit == localWeight {
			scale = 1000
		}
		free := float64(r.limit[limit]-r.used.local(limit)) / scale
		needs := float64(n.local(limit)) / scale
		list = append(list, Refusal{
			Limit: localName[limit], Where: s.f.Racks[i].ID, Unit: localUnit[limit],
			Need: needs, Free: free, Short: needs - free,
		})
	}
	if r, over := s.legRefusal(i, model); over {
		list = append(list, r)
	}
	if takes := s.f.Racks[i].Takes; takes != "" && (takes == facility.LiquidOnly) != s.f.Models[model].Liquid {
		list = append(list, Refusal{Limit: Kind, Where: s.f.Racks[i].ID, Unit: "rack of its kind", Need: 1, Short: 1})
	}
	s.change(i, model, 1)
	s.eachShared(i, func(r Refusal) bool {
		s.ofWhatIsLeft(&r, n)
		if !slices.Contains(list, r) { // a plant is asked by room and by loop
			list = append(list, r)
		}
		return false
	})
	s.change(i, model, -1)
	slices.SortStableFunc(list, func(a, b Refusal) int { return cmp.Compare(a.Short/a.Need, b.Short/b.Need) })
	return list
}

// ofWhatIsLeft turns total and capacity of a shared limit into what the server needs there and what is
// left for it; Short stays.
func (s *site) ofWhatIsLeft(r *Refusal, n *need) {
	switch r.Limit {
	case Air:
		r.Need = float64(n.airW)
	case Airflow:
		r.Need = float64(n.airMLs) / 1e6
	case Liquid:
		r.Need = float64(n.liquidW)
	case Flow:
		r.Need = float64(n.flowMLm) / 1000
	case Phase:
		return // what the line would carry, and what it may
	default:
		r.Need = float64(n.w)
	}
	r.Free = r.Need - r.Short
}

// feedRefusal names the circuit that would carry too much with servers of va, at the worst.
func (s *site) feedRefusal(i int, va int64) Refusal {
	var worst Refusal
	for _, fd := range s.racks[i].feeds {
		if fd.capVA == noLimit {
			continue
		}
		now := s.feedVA(i, fd, va)
		if r := refusal(Feed, s.f.Power.Nodes[fd.node].ID, "VA", float64(now), float64(fd.capVA)); worst.Where == "" || r.Short > worst.Short {
			worst = r
		}
	}
	return worst
}

// strand sums what no ordered server can use: the free capacity of racks that take no further server
// of any ordered model.
func (s *site) strand(l *Layout, number, firsts []int) {
	st := Stranded{PowerW: noLimit, AirW: noLimit, LiquidW: noLimit}
	add := func(to *int64, limit, used int64, stuck bool) {
		if limit == noLimit {
			return
		}
		if *to == noLimit {
			*to = 0
		}
		if stuck {
			*to += max(0, limit-used)
		}
	}
	byLimit := map[Limit]*StrandedBy{}
	stucks := make([]bool, len(firsts))
	for n, i := range firsts {
		stucks[n] = len(s.f.Orders) > 0
		for _, o := range s.f.Orders {
			stucks[n] = stucks[n] && s.refuses(i, o.Model)
		}
	}
	for i := range s.racks {
		r, stuck := &s.racks[i], stucks[number[i]]
		add(&st.PowerW, r.limit[localPower], r.used.w, stuck)
		add(&st.AirW, r.limit[localAir], r.used.airW, stuck)
		add(&st.LiquidW, r.limit[localLiquid], r.used.liquidW, stuck && s.f.Racks[i].Loop >= 0)
		if !stuck {
			continue
		}
		st.SpaceU += l.Racks[i].FreeU
		by := byLimit[l.Racks[i].Binding]
		if by == nil {
			by = &StrandedBy{Limit: l.Racks[i].Binding, PowerW: noLimit}
			byLimit[by.Limit] = by
		}
		by.Racks++
		by.SpaceU += l.Racks[i].FreeU
		add(&by.PowerW, r.limit[localPower], r.used.w, true)
	}
	l.Stranded = st
	for _, limit := range limitOrder {
		if by := byLimit[limit]; by != nil {
			l.StrandedBy = append(l.StrandedBy, *by)
		}
	}
}

// refuses says whether a rack takes no further server of a model.
func (s *site) refuses(i, model int) bool {
	if s.localRoom(i, model) < 1 {
		return true
	}
	s.change(i, model, 1)
	over := s.overShared(i)
	s.change(i, model, -1)
	return over
}

// binding gathers what stops the next server, over the racks. A limit of the racks' own stands in one
// line for all of them.
func (s *site) binding(racks []RackFit) []Binding {
	type key struct {
		limit       Limit
		also, where string
	}
	at := map[key]int{}
	var list []Binding
	for i := range racks {
		fit := &racks[i]
		b := Binding{Limit: fit.Binding, Also: joined(fit.Ties), Where: "orders", Racks: 1}
		own := false
		for _, r := range fit.Next {
			if r.Limit == fit.Binding {
				b.Where, b.Short, b.Unit = r.Where, r.Short, r.Unit
				own = r.Where == s.f.Racks[i].ID || r.Limit == Feed
				break
			}
		}
		k := key{b.Limit, b.Also, b.Where}
		if own {
			k.where = ""
		}
		j, ok := at[k]
		if !ok {
			at[k] = len(list)
			list = append(list, b)
			continue
		}
		list[j].Racks++
		if own {
			list[j].Where = "racks"
		}
		list[j].Short = min(list[j].Short, b.Short)
	}
	slices.SortStableFunc(list, func(a, b Binding) int {
		return cmp.Or(cmp.Compare(b.Racks, a.Racks), cmp.Compare(limitRank(a.Limit), limitRank(b.Limit)))
	})
	return list
}

// overBefore warns of what is over its limit whatever is placed: a placement adds nothing to it.
func (s *site) overBefore(l *Layout) {
	if s.elec != nil {
		for n := range s.f.Power.Nodes {
			if out, c := s.elec.worst(n); s.elec.capQ[n] != noLimit && out > s.elec.capQ[n] {
				l.Warnings = append(l.Warnings, fmt.Sprintf("%s (%s) must carry %.0f W of %d W before any further server", s.f.Power.Nodes[n].ID, c.name, wattsUp(out), s.elec.capQ[n]/quanta))
			}
		}
	}
	over := func(p *pool, what string, lossQ int64) {
		if q := p.usedQ + p.fixedQ + lossQ; p.capQ != noLimit && q > p.capQ {
			l.Warnings = append(l.Warnings, fmt.Sprintf("%s %s must take %.0f W of %d W before any further server", what, p.name, wattsUp(q), p.capQ/quanta))
		}
	}
	for i := range s.rooms {
		over(&s.rooms[i], "room", s.roomLoss(i))
	}
	for i := range s.loops {
		over(&s.loops[i], "loop", 0)
	}
	for i := range s.plants {
		over(&s.plants[i], "plant", s.plantLoss(i))
	}
}
