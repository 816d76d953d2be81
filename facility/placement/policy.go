package placement

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"headroom/facility"
)

// fillLine puts up to limit servers of one order into the racks that its policy prefers.
func (s *site) fillLine(k, limit int) {
	o := &s.f.Orders[k]
	if len(o.Spread) > 0 {
		s.spread = newSpread(s, o)
		defer func() { s.spread = nil }()
	}
	if o.Block > 1 {
		s.fillBlocks(o, limit)
		return
	}
	switch s.f.Policy {
	case facility.Coolest, facility.Balanced:
		s.fillByScore(o.Model, limit)
		return
	case facility.FewestRacks:
		s.fillFewest(o.Model, limit)
		return
	}
	for _, i := range s.rackOrder(o.Model) {
		if limit <= 0 {
			break
		}
		limit -= s.add(i, o.Model, min(limit, s.localRoom(i, o.Model)))
	}
	if s.f.Policy == facility.Cheapest && s.spread == nil {
		s.clear(o.Model)
	}
}

// clear empties racks that hold nothing but this model where the other racks in use can take it, the dearest
// first.
func (s *site) clear(model int) {
	var used []int
	for i := range s.racks {
		if s.racks[i].servers > 0 {
			used = append(used, i)
		}
	}
	dear := slices.Clone(used)
	slices.SortStableFunc(dear, func(a, b int) int { return cmp.Compare(s.f.Racks[b].Cost, s.f.Racks[a].Cost) })
	for _, i := range dear {
		n := s.racks[i].count[model]
		if n == 0 || n != s.racks[i].servers || !(s.f.Racks[i].Cost > 0) {
			continue
		}
		s.change(i, model, -n)
		type move struct{ rack, n int }
		var moves []move
		left := n
		for _, k := range used {
			if k != i && s.racks[k].servers > 0 && left > 0 {
				if got := s.add(k, model, min(left, s.localRoom(k, model))); got > 0 {
					moves = append(moves, move{k, got})
					left -= got
				}
			}
		}
		if left > 0 {
			for _, m := range moves {
				s.change(m.rack, model, -m.n)
			}
			s.change(i, model, n)
		}
	}
}

// rackOrder is the order in which racks are taken: as they stand, or by what a server costs there.
func (s *site) rackOrder(model int) []int {
	order := make([]int, len(s.racks))
	for i := range order {
		order[i] = i
	}
	if s.f.Policy == facility.Cheapest {
		cost := make([]float64, len(s.racks))
		for i := range cost {
			cost[i] = math.Inf(1) // not stated: last
			c := s.f.Racks[i].Cost
			if s.racks[i].servers > 0 {
				c = 0 // paid already
			}
			if k := s.localRoom(i, model); k > 0 && c >= 0 {
				cost[i] = c / float64(k)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cost[a], cost[b]) })
	}
	return order
}

// fillFewest takes the racks that hold most first; the last one is the smallest that holds the rest.
func (s *site) fillFewest(model, limit int) {
	room := make([]int, len(s.racks))
	order := make([]int, len(s.racks))
	for i := range order {
		order[i], room[i] = i, s.localRoom(i, model)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		started := func(i int) int { return min(1, s.racks[i].servers) } // a rack in use costs no new one
		return cmp.Or(cmp.Compare(started(b), started(a)), cmp.Compare(room[b], room[a]))
	})
	for at, i := range order {
		if limit <= 0 {
			return
		}
		for _, j := range order[at:] { // the smallest rack that takes all that is left
			if s.racks[j].servers == 0 && room[j] >= limit && room[j] < room[i] {
				i = j
			}
		}
		if n := s.add(i, model, min(limit, s.localRoom(i, model))); n > 0 {
			limit -= n
		}
		if room[i] >= limit && limit > 0 && i != order[at] { // shared limits kept it short: go on as usual
			n := s.add(order[at], model, min(limit, s.localRoom(order[at], model)))
			limit -= n
		}
	}
}

// scored is a rack with what the next server would make of it.
type scored struct {
	rack  int
	score float64
}

type scoreHeap []scored

func (h scoreHeap) Len() int { return len(h) }
func (h scoreHeap) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(h[a].score, h[b].score), cmp.Compare(h[a].rack, h[b].rack)) < 0
}
func (h scoreHeap) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *scoreHeap) Push(x any)   { *h = append(*h, x.(scored)) }
func (h *scoreHeap) Pop() any {
	x := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return x
}

// fillByScore puts one server after the other where the score is lowest. Scores only rise while servers are
// added, so a stale one is set right when its rack comes up.
func (s *site) fillByScore(model, limit int) {
	h := make(scoreHeap, 0, len(s.racks))
	for i := range s.racks {
		if s.localRoom(i, model) > 0 {
			h = append(h, scored{i, s.score(i, model)})
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
	r, n := &s.racks[i], &s.needs[model]
	of := func(used, limit int64) float64 {
		if limit == noLimit {
			return 0
		}
		return float64(used) / math.Max(1, float64(limit))
	}
	if s.f.Policy == facility.Coolest {
		score := of(r.used.airW+n.airW, r.limit[localAir])
		if r.limit[localAir] == noLimit {
			score = float64(r.used.airW+n.airW) / 1e6
		}
		if r.room != noIndex {
			p := &s.rooms[r.room]
			if p.capQ != noLimit {
				score += of(p.usedQ+p.fixedQ+n.airW*quanta, p.capQ)
			}
		}
		return score
	}
	score := 0.0
	for limit := range localLimits {
		if limit != localSpace && limit != localWeight {
			score = max(score, of(r.used.local(limit)+n.local(limit), r.limit[limit]))
		}
	}
	if s.elec != nil {
		for _, node := range r.path {
			if s.elec.capQ[node] != noLimit && s.elec.capQ[node] > 0 {
				out, _ := s.elec.worst(int(node))
				score = max(score, float64(out+n.w*quanta)/float64(s.elec.capQ[node]))
			}
		}
		if s.phased {
			score = max(score, s.legScore(i, model))
		}
	}
	return score + float64(r.used.w+n.w)/1e9 // equal elsewhere: the emptier rack
}

// spread holds how many servers of one order each element may carry.
type spread struct {
	left    map[int32]int // by node
	through [][]int32     // by rack: the nodes it hangs on
}

func newSpread(s *site, o *facility.Order) *spread {
	sp := &spread{left: map[int32]int{}, through: make([][]int32, len(s.racks))}
	most := o.SpreadMost
	if most <= 0 && !o.Max {
		most = (o.Count + len(o.Spread) - 1) / len(o.Spread)
	}
	if most <= 0 {
		return nil
	}
	for _, n := range o.Spread {
		sp.left[int32(n)] = most
	}
	for i := range s.racks {
		for _, n := range s.racks[i].path {
			if _, ok := sp.left[n]; ok {
				sp.through[i] = append(sp.through[i], n)
			}
		}
	}
	return sp
}

// room is how many more servers of the order the elements above a rack may carry.
func (sp *spread) room(rack int) int {
	k := math.MaxInt
	for _, n := range sp.through[rack] {
		k = min(k, sp.left[n])
	}
	return k
}

func (sp *spread) take(rack, k int) {
	for _, n := range sp.through[rack] {
		sp.left[n] -= k
	}
}

// fillBlocks places whole blocks, each within neighbouring racks of one row.
func (s *site) fillBlocks(o *facility.Order, limit int) {
	for limit >= o.Block {
		if !s.placeBlock(o) {
			return
		}
		limit -= o.Block
	}
}

// placeBlock places one block in the first stretch of racks that takes it whole.
func (s *site) placeBlock(o *facility.Order) bool {
	for first := range s.racks {
		if s.localRoom(first, o.Model) < 1 {
			continue
		}
		type part struct{ rack, n int }
		var parts []part
		left := o.Block
		for i := first; i < len(s.racks) && left > 0; i++ {
			if s.f.Racks[i].Row != s.f.Racks[first].Row || (o.BlockRacks > 0 && i-first >= o.BlockRacks) || !s.inReach(o, first, i) {
				break
			}
			n := s.add(i, o.Model, min(left, s.localRoom(i, o.Model)))
			if n > 0 {
				parts = append(parts, part{i, n})
				left -= n
			}
		}
		if left == 0 {
			return true
		}
		for _, p := range parts {
			s.change(p.rack, o.Model, -p.n)
			if s.spread != nil {
				s.spread.take(p.rack, -p.n)
			}
		}
	}
	return false
}

// inReach says whether cables of the block's reach go from one rack to another, along and across the rows.
func (s *site) inReach(o *facility.Order, a, b int) bool {
	ra, rb := &s.f.Racks[a], &s.f.Racks[b]
	return o.ReachM <= 0 || math.Abs(ra.XM-rb.XM)+math.Abs(ra.YM-rb.YM) <= o.ReachM*(1+1e-9)
}
