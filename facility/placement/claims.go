package placement

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"headroom/facility/power"
)

// claims judges every claim of redundancy.
func (s *site) claims(l *Layout) {
	if s.elec != nil {
		for n := range s.f.Power.Nodes {
			node := &s.f.Power.Nodes[n]
			if node.Redundant == 0 {
				continue
			}
			load, c := s.elec.worst(n)
			need, capacity := wattsUp(load), float64(s.elec.capacityW(n))
			l.Claims = append(l.Claims, Claim{
				Where: node.ID, Claim: fmt.Sprintf("N+%d", node.Redundant), Holds: need <= capacity,
				Why: fmt.Sprintf("%d of %d units must carry %.1f of %.1f kW (%s)", node.Units-node.Redundant, node.Units, need/1e3, capacity/1e3, c.name),
			})
		}
		s.blockClaims(l)
		s.rackClaims(l)
	}
	pool := func(p *pool, what string, units, redundant int, lossQ int64) {
		if redundant == 0 {
			return
		}
		c := Claim{Where: what + " " + p.name, Claim: fmt.Sprintf("N+%d", redundant)}
		need := wattsUp(p.usedQ + p.fixedQ + lossQ)
		c.Holds = p.capQ != noLimit && need <= float64(p.capQ/quanta) && (p.flowCap == noLimit || p.flowUsed <= p.flowCap)
		c.Why = fmt.Sprintf("%d of %d units must take %.1f of %.1f kW", units-redundant, units, need/1e3, float64(p.capQ/quanta)/1e3)
		if p.capQ == noLimit {
			c.Why = "unknown: the capacity is not stated"
		}
		l.Claims = append(l.Claims, c)
	}
	for i := range s.rooms {
		pool(&s.rooms[i], "room", s.f.Cooling.Rooms[i].Units, s.f.Cooling.Rooms[i].Redundant, s.roomLoss(i))
	}
	for i := range s.loops {
		pool(&s.loops[i], "loop", s.f.Cooling.Loops[i].CDUs, s.f.Cooling.Loops[i].Redundant, 0)
	}
	for i := range s.plants {
		if s.f.Cooling.Plants[i] != nil {
			spec := s.f.Cooling.Plants[i].Spec()
			pool(&s.plants[i], "plant", spec.Units, spec.Redundant, s.plantLoss(i))
		}
	}
}

// blockClaims judges what stands in reserve behind static switches: it must carry any one block.
func (s *site) blockClaims(l *Layout) {
	g := s.f.Power
	var reserves []int
	blocks := map[int]int{}
	for n := range g.Nodes {
		if parents := g.Parents(n); g.Nodes[n].Transfer && g.Nodes[n].Kind == power.Switchboard && len(parents) > 1 {
			k := parents[len(parents)-1]
			if blocks[k] == 0 {
				reserves = append(reserves, k)
			}
			blocks[k]++
		}
	}
	for _, k := range reserves {
		load, c := s.elec.worst(k)
		need, capacity := wattsUp(load), float64(s.elec.capacityW(k))
		l.Claims = append(l.Claims, Claim{
			Where: g.Nodes[k].ID, Claim: fmt.Sprintf("reserve of %d blocks", blocks[k]), Holds: need <= capacity,
			Why: fmt.Sprintf("it must carry %.1f of %.1f kW (%s)", need/1e3, capacity/1e3, c.name),
		})
	}
}

// rackClaims judges the racks with feeds that are lost apart from each other, racks alike in one line.
func (s *site) rackClaims(l *Layout) {
	shared := map[string]string{} // by what stands above the feeds
	at := map[Claim]int{}
	type group struct {
		Claim
		racks       int
		first, last string
	}
	var groups []group
	for i := range s.racks {
		c, ok := s.rackClaim(i, shared)
		if !ok {
			continue
		}
		k, seen := at[c]
		if !seen {
			k = len(groups)
			at[c] = k
			groups = append(groups, group{Claim: c, first: s.f.Racks[i].ID})
		}
		groups[k].racks++
		groups[k].last = s.f.Racks[i].ID
	}
	for _, g := range groups {
		g.Where = "rack " + g.first
		if g.racks > 1 {
			g.Where = fmt.Sprintf("%d racks, %s to %s", g.racks, g.first, g.last)
		}
		l.Claims = append(l.Claims, g.Claim)
	}
}

func (s *site) rackClaim(i int, shared map[string]string) (Claim, bool) {
	g, r := s.f.Power, &s.racks[i]
	worst := int64(len(r.feeds))
	for _, fd := range r.feeds {
		worst = min(worst, fd.sharing)
	}
	if worst == int64(len(r.feeds)) || worst < 1 {
		return Claim{}, false // all feeds on one side: nothing is claimed
	}
	c := Claim{Claim: "2N", Holds: true, Why: "each side carries all"}
	if worst > 1 {
		c.Claim, c.Why = fmt.Sprintf("N+%d feeds", int64(len(r.feeds))-worst), "any feed may be lost"
	}
	var key []byte
	for _, fd := range r.feeds {
		for _, p := range g.Parents(fd.node) {
			key = binary.AppendVarint(key, int64(p))
		}
		key = append(append(append(key, 0xff), g.Nodes[fd.node].Side...), 0)
	}
	above, ok := shared[string(key)]
	if !ok {
		above = s.sharedAbove(r)
		shared[string(key)] = above
	}
	if above != "" {
		lowest, _, _ := strings.Cut(above, ", ")
		c.Claim += " to the " + lowest
		c.Why += "; the feeds share " + above
		if n, ok := g.Index(lowest); ok && g.Nodes[n].Kind == power.Utility {
			c.Why += ", whose loss takes all of them unless a generator stands in"
		} else {
			c.Why += ", so a loss there takes all of them"
			c.Holds = s.f.Racks[i].Claim != "2N" // claimed in words, and not there
		}
	}
	for _, fd := range r.feeds {
		if va := s.feedVA(i, fd, r.used.va); fd.capVA != noLimit && va > fd.capVA {
			c.Holds, c.Why = false, "a circuit carries too much after the worst loss"
		}
	}
	for _, n := range r.path {
		if load, lc := s.elec.worst(int(n)); s.elec.capQ[n] != noLimit && load > s.elec.capQ[n] {
			c.Holds, c.Why = false, fmt.Sprintf("%s carries too much: %.1f of %.1f kW (%s)", g.Nodes[n].ID, wattsUp(load)/1e3, float64(s.elec.capacityW(int(n)))/1e3, lc.name)
			break
		}
	}
	c.Why += s.shortSupplies(i)
	return c, true
}

// sharedAbove lists what the feeds of a rack share, lowest first.
func (s *site) sharedAbove(r *rack) string {
	g := s.f.Power
	var all []int
	for a := range r.feeds {
		for b := range a {
			if sa, sb := g.Nodes[r.feeds[a].node].Side, g.Nodes[r.feeds[b].node].Side; sa != "" && sa == sb {
				continue
			}
			all = append(all, g.SharedAncestors(r.feeds[a].node, r.feeds[b].node)...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.SortStableFunc(all, func(a, b int) int { // generators stand by: name them last
		if x, y := s.elec.curve[a].standby, s.elec.curve[b].standby; x != y {
			if x {
				return 1
			}
			return -1
		}
		return b - a
	})
	ids := make([]string, len(all))
	for i, n := range all {
		ids[i] = g.Nodes[n].ID
	}
	return strings.Join(ids, ", ")
}

// shortSupplies says in words which servers are left with too few supplies after a single loss.
func (s *site) shortSupplies(i int) string {
	r, g := &s.racks[i], s.f.Power
	var text strings.Builder
	for m, count := range r.count {
		if count == 0 {
			continue
		}
		model, least := &s.f.Models[m], math.MaxInt
		for j := range r.feeds {
			side := g.Nodes[r.feeds[j].node].Side
			least = min(least, supplies(model, len(r.feeds), func(k int) bool {
				return k != j && (side == "" || g.Nodes[r.feeds[k].node].Side != side)
			}))
		}
		if state := shortState(model, least); state != RedundancyLost {
			fmt.Fprintf(&text, "; with a side lost %s is %s: %d of the %d supplies it needs", model.Name, state, least, model.PSUNeeded)
		}
	}
	return text.String()
}
