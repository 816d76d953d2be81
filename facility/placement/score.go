package placement

import (
	"container/heap"
	"encoding/binary"
	"math"

	"headroom/facility"
)

// scored is a rack with what the next server would make of it.
type scored struct {
	rack, model int
	score       float64
	own, even   float64 // see ownScore and evenScore
}

func (x scored) less(y scored) bool {
	return x.score < y.score || (x.score == y.score && x.rack < y.rack)
}

type scoreHeap []scored

func (h scoreHeap) Len() int           { return len(h) }
func (h scoreHeap) Less(a, b int) bool { return h[a].less(h[b]) }
func (h scoreHeap) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *scoreHeap) Push(x any)        { *h = append(*h, x.(scored)) }
func (h *scoreHeap) Pop() any {
	x := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return x
}

// scoreGroup is racks that share what their score has in common: a room, or the same elements of the power graph.
// That part rises for all of them at once, so that only what is a rack's own is kept in order.
type scoreGroup struct {
	room  int
	nodes []int32
	// Racks by the score of their own. In a group of the power graph those whose own part is no more than the common
	// one stand in under, by what tells them apart then.
	own, under scoreHeap
}

// fillByScore puts one server after the other where the score is lowest.
func (s *site) fillByScore(model, limit int) {
	if s.phased && s.f.Policy == facility.Balanced {
		s.fillByTrial(model, limit)
		return
	}
	groups := s.scoreGroups(model)
	var share []float64 // of the elements of the power graph, with the next server
	if s.f.Policy == facility.Balanced && s.elec != nil {
		share = make([]float64, len(s.elec.capQ))
		for n := range share {
			share[n] = s.nodeScore(int32(n), model)
		}
	}
	for limit > 0 {
		var at *scoreHeap
		var in *scoreGroup
		var best scored
		for g := range groups {
			if h, top := groups[g].top(s, share); h != nil && (at == nil || top.less(best)) {
				at, in, best = h, &groups[g], top
			}
		}
		if at == nil {
			return
		}
		i := best.rack
		if s.localRoom(i, model) < 1 || s.add(i, model, 1) < 1 {
			heap.Pop(at)
			continue
		}
		limit--
		if share != nil {
			for _, n := range s.racks[i].path {
				share[n] = s.nodeScore(n, model)
			}
		}
		moved := (*at)[0]
		moved.own = s.ownScore(i, model)
		moved.even = s.evenScore(i, model)
		moved.score = moved.own + moved.even
		heap.Pop(at)
		heap.Push(&in.own, moved) // it may have outgrown what is common
	}
}

// top returns the rack of a group with the lowest score, and the heap on which it lies; nil for an empty group.
func (g *scoreGroup) top(s *site, share []float64) (*scoreHeap, scored) {
	if s.f.Policy == facility.Coolest {
		if len(g.own) == 0 {
			return nil, scored{}
		}
		return &g.own, scored{rack: g.own[0].rack, score: g.own[0].own + s.roomScore(g.room, g.own[0].model)}
	}
	common := 0.0
	for _, n := range g.nodes {
		common = max(common, share[n])
	}
	for len(g.own) > 0 && g.own[0].own <= common {
		x := heap.Pop(&g.own).(scored)
		x.score = x.even
		heap.Push(&g.under, x)
	}
	var at *scoreHeap
	var best scored
	if len(g.own) > 0 {
		at, best = &g.own, g.own[0]
	}
	if len(g.under) > 0 {
		if top := (scored{rack: g.under[0].rack, score: common + g.under[0].even}); at == nil || top.less(best) {
			at, best = &g.under, top
		}
	}
	return at, best
}

// scoreGroups puts the racks with room of their own into groups.
func (s *site) scoreGroups(model int) []scoreGroup {
	var groups []scoreGroup
	at := map[string]int{}
	var key []byte
	for i := range s.racks {
		if s.localRoom(i, model) < 1 {
			continue
		}
		r := &s.racks[i]
		g := scoreGroup{room: noIndex}
		key = key[:0]
		if s.f.Policy == facility.Coolest {
			g.room = r.room
			key = binary.AppendVarint(key, int64(r.room))
		} else if s.elec != nil {
			for _, n := range r.path {
				if s.elec.capQ[n] != noLimit && s.elec.capQ[n] > 0 {
					key = binary.AppendVarint(key, int64(n))
				}
			}
		}
		k, ok := at[string(key)]
		if !ok {
			k = len(groups)
			at[string(key)] = k
			if s.f.Policy == facility.Balanced && s.elec != nil {
				for _, n := range r.path {
					if s.elec.capQ[n] != noLimit && s.elec.capQ[n] > 0 {
						g.nodes = append(g.nodes, n)
					}
				}
			}
			groups = append(groups, g)
		}
		x := scored{rack: i, model: model, own: s.ownScore(i, model), even: s.evenScore(i, model)}
		x.score = x.own + x.even
		groups[k].own = append(groups[k].own, x)
	}
	for g := range groups {
		heap.Init(&groups[g].own)
	}
	return groups
}

// fillByTrial does it by the whole score of every rack, which a trial gives where lines are followed. Scores only rise
// while servers are added, so a stale one is set right when its rack comes up.
func (s *site) fillByTrial(model, limit int) {
	h := make(scoreHeap, 0, len(s.racks))
	for i := range s.racks {
		if s.localRoom(i, model) > 0 {
			h = append(h, scored{rack: i, score: s.score(i, model)})
		}
	}
	heap.Init(&h)
	for limit > 0 && len(h) > 0 {
		i := h[0].rack
		if now := s.score(i, model); now > h[0].score {
			h[0].score = now
			heap.Fix(&h, 0)
			continue
		}
		if s.localRoom(i, model) < 1 || s.add(i, model, 1) < 1 {
			heap.Pop(&h)
			continue
		}
		limit--
		h[0].score = s.score(i, model)
		heap.Fix(&h, 0)
	}
}

// score is what the next server of a model would make of a rack: for coolest the share of its air limit
// (of the room's where it has none), for balanced the fullest of what carries it.
func (s *site) score(i, model int) float64 {
	if s.f.Policy == facility.Coolest {
		return s.ownScore(i, model) + s.roomScore(s.racks[i].room, model)
	}
	score := s.ownScore(i, model)
	if s.elec != nil {
		for _, n := range s.racks[i].path {
			score = max(score, s.nodeScore(n, model))
		}
		if s.phased {
			score = max(score, s.legScore(i, model))
		}
	}
	return score + s.evenScore(i, model)
}

// shareOfLimit is a use over a limit, 0 where none is stated.
func shareOfLimit(used, limit int64) float64 {
	if limit == noLimit {
		return 0
	}
	return float64(used) / math.Max(1, float64(limit))
}

// ownScore is the part of the score that the rack's own limits make.
func (s *site) ownScore(i, model int) float64 {
	r, n := &s.racks[i], &s.needs[model]
	if s.f.Policy == facility.Coolest {
		if r.limit[localAir] == noLimit {
			return float64(r.used.airW+n.airW) / 1e6
		}
		return shareOfLimit(r.used.airW+n.airW, r.limit[localAir])
	}
	score := 0.0
	for limit := range localLimits {
		if limit != localSpace && limit != localWeight {
			score = max(score, shareOfLimit(r.used.local(limit)+n.local(limit), r.limit[limit]))
		}
	}
	return score
}

// roomScore is the part that a room makes for coolest.
func (s *site) roomScore(room, model int) float64 {
	if room == noIndex || s.rooms[room].capQ == noLimit {
		return 0
	}
	p := &s.rooms[room]
	return shareOfLimit(p.usedQ+p.fixedQ+s.needs[model].airW*quanta, p.capQ)
}

// nodeScore is the part that an element of the power graph makes for balanced, 0 where it has no limit.
func (s *site) nodeScore(n int32, model int) float64 {
	if s.elec.capQ[n] == noLimit || s.elec.capQ[n] <= 0 {
		return 0
	}
	out, _ := s.elec.worst(int(n))
	return float64(out+s.needs[model].w*quanta) / float64(s.elec.capQ[n])
}

// evenScore tells racks apart that are equal elsewhere, for balanced: the emptier one first.
func (s *site) evenScore(i, model int) float64 {
	if s.f.Policy == facility.Coolest {
		return 0
	}
	return float64(s.racks[i].used.w+s.needs[model].w) / 1e9
}
