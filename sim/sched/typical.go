package sched

import (
	"cmp"
	"slices"
)

// Typical is the work to expect: demands with their shares, grouped so that fragmentation is computed fast.
type Typical struct{ groups []typicalGroup }

// typicalGroup is demands for the same GPUs, by CPUs.
type typicalGroup struct {
	gpus, milli int32
	types       uint64
	cpu         []int64   // rising
	share       []float64 // cumulative: of demands for at most cpu
}

// NewTypical takes the most frequent demands until they make up the share popular of all (0 … 1), so that oddities don't
// count, and scales them to 1. Memory is left aside, as in the fragmentation measure of Weng et al. (USENIX ATC 2023).
func NewTypical(demands []Demand, popular float64) *Typical {
	count := map[Demand]int{}
	var kinds []Demand
	for _, d := range demands {
		d.MemMiB = 0
		if d.GPUs > 0 {
			d.Milli = d.perGPU()
		}
		if count[d]++; count[d] == 1 {
			kinds = append(kinds, d)
		}
	}
	slices.SortFunc(kinds, func(a, b Demand) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(b.CPUMilli, a.CPUMilli), int(b.Milli-a.Milli), int(b.GPUs-a.GPUs), cmp.Compare(b.Types, a.Types))
	})
	sum, n := 0, 0
	for n < len(kinds) && float64(sum) < popular*float64(len(demands)) {
		sum += count[kinds[n]]
		n++
	}
	kinds = kinds[:n]
	slices.SortFunc(kinds, func(a, b Demand) int {
		return cmp.Or(int(a.GPUs-b.GPUs), int(a.Milli-b.Milli), cmp.Compare(a.Types, b.Types), cmp.Compare(a.CPUMilli, b.CPUMilli))
	})
	t := &Typical{}
	for _, d := range kinds {
		last := len(t.groups) - 1
		if last < 0 || t.groups[last].gpus != d.GPUs || t.groups[last].milli != d.Milli || t.groups[last].types != d.Types {
			t.groups = append(t.groups, typicalGroup{gpus: d.GPUs, milli: d.Milli, types: d.Types})
			last++
		}
		g := &t.groups[last]
		before := 0.0
		if k := len(g.share); k > 0 {
			before = g.share[k-1]
		}
		g.cpu, g.share = append(g.cpu, d.CPUMilli), append(g.share, before+float64(count[d])/float64(sum))
	}
	return t
}

// Fragmented is how much of a server's free GPUs, in thousandths, typical work could not use: for each demand all that is
// free if the demand doesn't fit, else what is free on GPUs too full for it, in the mean over demands.
func (t *Typical) Fragmented(n *Node) float64 {
	var free int64
	for _, f := range n.Free {
		free += int64(f)
	}
	if free == 0 {
		return 0
	}
	var lost float64
	for i := range t.groups {
		g := &t.groups[i]
		all := g.share[len(g.share)-1]
		if g.gpus == 0 || g.types != 0 && g.types&(1<<n.Type) == 0 {
			lost += all * float64(free)
			continue
		}
		enough, useless := int32(0), int64(0)
		for _, f := range n.Free {
			if f >= g.milli {
				enough++
			} else {
				useless += int64(f)
			}
		}
		if enough < g.gpus {
			lost += all * float64(free)
			continue
		}
		fit := 0.0 // share of demands whose CPUs fit
		if k := len(g.cpu) - 1; g.cpu[k] <= n.CPUMilli {
			fit = all
		} else if k, _ := slices.BinarySearch(g.cpu, n.CPUMilli+1); k > 0 {
			fit = g.share[k-1]
		}
		lost += fit*float64(useless) + (all-fit)*float64(free)
	}
	return lost
}
