package placement

import (
	"encoding/binary"
	"math"
	"slices"

	"headroom/facility/power"
)

// FateTable says how racks fare after each single loss: racks that fare alike in all of them share a column, and
// losses of a rack's own circuit are one line for each place among its feeds.
type FateTable struct {
	Groups [][]int // racks of each column, ascending
	Losses []FateLoss
}

// FateLoss is one line: one loss, or the own circuits of racks.
type FateLoss struct {
	Lost string // "ups[A]", or "own circuit A"
	Loss int    // in Layout.Failover, noIndex for own circuits
	Fate []RackFate
}

// FateTable groups the racks of a layout. Fate[k].Rack is the first rack of group k; own circuits are told for that.
func (l *Layout) FateTable() FateTable {
	g := l.Facility.Power
	racks := len(l.Facility.Racks)
	own := map[string]int{} // circuit by the name of its loss: index of its node
	if g != nil {
		ends := make([]int, len(g.Nodes))
		for i := range l.Facility.Racks {
			for _, n := range l.Facility.Racks[i].Feeds {
				ends[n]++
			}
		}
		for n := range g.Nodes {
			if g.Nodes[n].Kind == power.RackFeed && ends[n] == 1 {
				own[unitName(&g.Nodes[n])] = n
			}
		}
	}
	keys := make([][]byte, racks)
	note := func(r RackFate, line int) {
		k := binary.AppendVarint(keys[r.Rack], int64(line))
		k = binary.AppendVarint(k, int64(slices.Index(severity, r.State)))
		keys[r.Rack] = binary.AppendVarint(k, int64(math.Round(100*r.Share))) // as it is printed
	}
	var shared []int             // losses that are not of own circuits
	byNode := map[int]RackFate{} // fate of the rack whose own circuit this is
	for i := range l.Failover {
		f := &l.Failover[i]
		if n, ok := own[f.Lost]; ok && len(f.Fates) <= 1 {
			if len(f.Fates) == 1 {
				byNode[n] = f.Fates[0]
			}
			continue
		}
		shared = append(shared, i)
		for _, r := range f.Fates {
			note(r, i)
		}
	}
	most := 0
	for i := range l.Facility.Racks {
		for k, n := range l.Facility.Racks[i].Feeds {
			if r, ok := byNode[n]; ok && r.Rack == i {
				note(r, len(l.Failover)+k)
				most = max(most, k+1)
			}
		}
	}
	var t FateTable
	at := map[string]int{}
	column := make([]int, racks)
	for i := range keys {
		c, ok := at[string(keys[i])]
		if !ok {
			c = len(t.Groups)
			at[string(keys[i])] = c
			t.Groups = append(t.Groups, nil)
		}
		t.Groups[c] = append(t.Groups[c], i)
		column[i] = c
	}
	row := func(lost string, loss int) *FateLoss {
		line := FateLoss{Lost: lost, Loss: loss, Fate: make([]RackFate, len(t.Groups))}
		for c, racks := range t.Groups {
			line.Fate[c] = RackFate{Rack: racks[0], State: Normal, Share: 1}
		}
		t.Losses = append(t.Losses, line)
		return &t.Losses[len(t.Losses)-1]
	}
	for _, i := range shared {
		line := row(l.Failover[i].Lost, i)
		for _, r := range l.Failover[i].Fates {
			if c := column[r.Rack]; line.Fate[c].Rack == r.Rack {
				line.Fate[c] = r
			}
		}
	}
	for k := range most {
		name := "own circuit"
		line := row(name, noIndex)
		for c, racks := range t.Groups {
			feeds := l.Facility.Racks[racks[0]].Feeds
			if k >= len(feeds) {
				continue
			}
			if side := g.Nodes[feeds[k]].Side; side != "" && line.Lost == name {
				line.Lost += " " + side
			}
			if r, ok := byNode[feeds[k]]; ok && r.Rack == racks[0] {
				line.Fate[c] = r
			}
		}
		if line.Lost == name && most > 1 {
			line.Lost += " " + string(rune('1'+k))
		}
	}
	return t
}
