package placement

import (
	"cmp"
	"slices"
)

// ModelNext says for one ordered model what stops its next server over the site.
type ModelNext struct {
	Model int
	// Fits is how many more would go in, all together, were they asked for; LargestBlock how many of them
	// into one row.
	Fits         int
	LargestBlock int
	Row          string // of the largest block
	// Best is the refusal with the least relative shortage over all racks, Rack where; unset where Fits > 0.
	Best Refusal
	Rack int
	// By lists how many racks each limit stops first, in the order of the limits.
	By []Binding
}

// next answers for every ordered model. Racks of one number are alike and are asked once.
func (s *site) next(number []int, numbers int) []ModelNext {
	var models []int
	for _, o := range s.f.Orders {
		if !slices.Contains(models, o.Model) {
			models = append(models, o.Model)
		}
	}
	list := make([]ModelNext, 0, len(models))
	for _, m := range models {
		list = append(list, s.nextOf(m, number, numbers))
	}
	return list
}

func (s *site) nextOf(m int, number []int, numbers int) ModelNext {
	n := ModelNext{Model: m, Rack: noIndex}
	by := map[Limit]*Binding{}
	known, asked := make([][]Refusal, numbers), make([]bool, numbers)
	best := 0.0
	for i := range s.racks {
		if !asked[number[i]] {
			known[number[i]], asked[number[i]] = s.refusals(i, m), true
		}
		list := known[number[i]]
		if len(list) == 0 {
			continue
		}
		first := list[0]
		for _, r := range list { // all must go: what stops it first is the one short of most
			if r.Short/r.Need > first.Short/first.Need {
				first = r
			}
		}
		b := by[first.Limit]
		if b == nil {
			b = &Binding{Limit: first.Limit, Where: first.Where, Short: first.Short, Unit: first.Unit}
			by[first.Limit] = b
		}
		b.Racks++
		b.Short = min(b.Short, first.Short)
		if short := first.Short / first.Need; n.Rack == noIndex || short < best {
			best, n.Rack, n.Best = short, i, first
		}
	}
	n.Fits, n.LargestBlock, n.Row = s.more(m, func(i int) bool { return len(known[number[i]]) > 0 && s.risesOnly() })
	if n.Fits > 0 {
		n.Rack, n.Best = noIndex, Refusal{}
	}
	for _, limit := range limitOrder {
		if b := by[limit]; b != nil {
			n.By = append(n.By, *b)
		}
	}
	slices.SortStableFunc(n.By, func(a, b Binding) int { return cmp.Compare(b.Racks, a.Racks) })
	return n
}

// more fills in what would still fit of a model, row by row and over all, and takes it out again. Racks that refuse
// one now refuse it all the more while others are filled.
func (s *site) more(m int, refuses func(i int) bool) (fits, block int, row string) {
	added := make([]int, len(s.racks))
	fill := func(first, end int) int {
		n := 0
		for i := first; i < end; i++ {
			if added[i] = 0; refuses(i) {
				continue
			}
			added[i] = s.add(i, m, s.localRoom(i, m))
			n += added[i]
		}
		return n
	}
	empty := func(first, end int) {
		for i := first; i < end; i++ {
			s.changeIf(i, m, -added[i])
		}
	}
	fits = fill(0, len(s.racks))
	empty(0, len(s.racks))
	if fits == 0 {
		return 0, 0, ""
	}
	for first := 0; first < len(s.racks); {
		end := first
		for end < len(s.racks) && s.f.Racks[end].Row == s.f.Racks[first].Row {
			end++
		}
		n := fill(first, end)
		empty(first, end)
		if n > block {
			block, row = n, s.f.Racks[first].Row
		}
		first = end
	}
	return fits, block, row
}
