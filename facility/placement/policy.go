package placement

import (
	"cmp"
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
	before := s.total
	s.fillInOrder(s.rackOrder(o.Model), o.Model, limit)
	if s.f.Policy == facility.Cheapest && s.spread == nil && s.total > before {
		s.clear(o.Model)
	}
}

// fillInOrder fills racks one after the other. Of racks alike one that takes none speaks for all.
func (s *site) fillInOrder(order []int, model, limit int) {
	var same *alike
	var full []bool // by number
	one := s.spread == nil && s.risesOnly()
	for _, i := range order {
		if limit <= 0 {
			return
		}
		k := min(limit, s.localRoom(i, model))
		if k <= 0 {
			continue
		}
		n := noIndex
		if one && same != nil {
			if n, _ = same.number(i); n < len(full) && full[n] {
				continue
			}
		}
		k = s.add(i, model, k)
		if limit -= k; k > 0 || !one {
			continue
		}
		if same == nil {
			same = newAlike(s)
		}
		if n == noIndex {
			n, _ = same.number(i)
		}
		full = append(full, make([]bool, len(same.first)-len(full))...)
		full[n] = true
	}
}

// clearWork bounds how many racks clear looks at for servers of others: all, in halls of a thousand.
const clearWork = 1_500_000

// clear empties racks that hold nothing but this model where the other racks in use can take it, the dearest
// first; in very large halls until the work is done.
func (s *site) clear(model int) {
	var used []int
	for i := range s.racks {
		if s.racks[i].servers > 0 {
			used = append(used, i)
		}
	}
	dear := slices.Clone(used)
	slices.SortStableFunc(dear, func(a, b int) int { return cmp.Compare(s.f.Racks[b].Cost, s.f.Racks[a].Cost) })
	open := used[:0] // what is full stays so, as racks only fill up or are emptied for good
	for _, k := range used {
		if s.localRoom(k, model) > 0 {
			open = append(open, k)
		}
	}
	work := 0
	stuck := newAlike(s) // racks alike that could not be emptied since the last one that could
	for _, i := range dear {
		if !s.clearable(i, model) || work > clearWork {
			continue
		}
		if _, fresh := stuck.number(i); !fresh {
			continue
		}
		n := s.racks[i].count[model]
		s.change(i, model, -n)
		type move struct{ rack, n int }
		var moves []move
		var same *alike
		var full []bool // by number: of racks alike one that takes none speaks for all
		left, at := n, 0
		for at < len(open) && left > 0 {
			k := open[at]
			work++
			if at++; k == i || s.racks[k].servers == 0 {
				continue
			}
			room := min(left, s.localRoom(k, model))
			if room <= 0 {
				continue
			}
			m := noIndex
			if same != nil && s.risesOnly() {
				if m, _ = same.number(k); m < len(full) && full[m] {
					continue
				}
			}
			if got := s.add(k, model, room); got > 0 {
				moves = append(moves, move{k, got})
				left -= got
				continue
			}
			if same == nil {
				same = newAlike(s)
			}
			if m == noIndex {
				m, _ = same.number(k)
			}
			full = append(full, make([]bool, len(same.first)-len(full))...)
			full[m] = true
		}
		if left > 0 {
			for _, m := range moves {
				s.change(m.rack, model, -m.n)
			}
			s.change(i, model, n)
		} else {
			stuck = newAlike(s)
		}
	}
}

// clearable says whether a rack holds this model alone, at a cost.
func (s *site) clearable(i, model int) bool {
	n := s.racks[i].count[model]
	return n > 0 && n == s.racks[i].servers && s.f.Racks[i].Cost > 0
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
