package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"headroom/facility/power"
)

// feedLevel is the level that feeds the racks of a line: the one named, or the last distribution level,
// or the last level of all.
func (b *builder) feedLevel(line int) *powerLevel {
	if f := b.s.file.Racks[line].Feeds; f != nil && len(f.From) > 0 {
		return b.levelNamed(f.From[0])
	}
	for i := len(b.levels) - 1; i >= 0; i-- {
		if b.levels[i].kind == power.Distribution {
			return b.levels[i]
		}
	}
	for i := len(b.levels) - 1; i >= 0; i-- {
		if b.levels[i].kind != power.Generator {
			return b.levels[i]
		}
	}
	return nil
}

// feedSides are the sides of a line's rack circuits; "" stands for a single circuit without a side.
func (b *builder) feedSides(line int) []string {
	if f := b.s.file.Racks[line].Feeds; f != nil && len(f.Sides) > 0 {
		return f.Sides
	}
	if p := b.feedLevel(line); p != nil && p.sides != nil && !p.blocks {
		return p.sides
	}
	return []string{""}
}

// onPair says whether a rack hangs on a side: with systems in distributed redundancy racks take the pairs of
// them in turn, with sides of its own every rack of the line hangs on each.
func (b *builder) onPair(line, rack int, side string) bool {
	f, p := b.s.file.Racks[line].Feeds, b.feedLevel(line)
	if p == nil || p.systems == 0 || (f != nil && f.has("sides")) {
		return true
	}
	n, pairs := p.systems, p.systems*(p.systems-1)/2
	k := rack % pairs
	for a := range n {
		for c := a + 1; c < n; c++ {
			if k == 0 {
				return side == p.sides[a] || side == p.sides[c]
			}
			k--
		}
	}
	return false
}

// rackFeeds makes the circuits that end at racks.
func (b *builder) rackFeeds() []power.Node {
	var nodes []power.Node
	for i := range b.s.file.Racks {
		l := &b.s.file.Racks[i]
		p := b.feedLevel(i)
		f := l.Feeds
		if f == nil {
			f = &feedPart{origin: origin{at: l.at, path: joinKey(l.path, "feeds")}, Outlets: "even"}
		}
		if p == nil {
			if len(f.From) > 0 {
				b.d.fail(f.of("from"), joinKey(f.path, "from"), didYouMean(b.nearestLevel(f.From[0])), "no such element of the power section (got %s, want one of %s)", quoteShort(f.From[0]), strings.Join(b.levelNames(), ", "))
			}
			continue
		}
		l.Feeds = f
		node := b.feedNode(l, f, p)
		legs := b.feedLines(f)
		for _, side := range b.feedSides(i) {
			if !p.hasSide(side) {
				b.d.fail(f.of("sides"), joinKey(f.path, "sides"), "", "%s has no side %s (got sides %s)", p.line.ID, quoteShort(side), strings.Join(p.sides, ", "))
				continue
			}
			count := 0
			for _, r := range b.lines[i] {
				count += r.count
			}
			nodes = slices.Grow(nodes, min(count, maxPowerNodes))
			for _, r := range b.lines[i] {
				from, _ := b.sources(p, r.name, side)
				for k := range r.count {
					if !b.onPair(i, r.first+k, side) {
						continue
					}
					n := node
					n.ID, n.Side, n.From = feedID(rackID(r, k), side), side, from
					if len(legs) > 0 {
						n.Lines = legs[(r.first+k)%len(legs)]
						n.RatingVA = n.Lines.RatingVA(n.VoltageLL, n.AmpsRated)
					}
					nodes = append(nodes, n)
				}
				if len(nodes) > maxPowerNodes {
					return nodes
				}
			}
		}
	}
	return nodes
}

// feedLines are the lines of single-phase circuits, nil where circuits are three-phase.
func (b *builder) feedLines(f *feedPart) []power.Lines {
	var legs []power.Lines
	for i, name := range f.Legs {
		l, ok := power.LinesNamed(name)
		if !ok {
			b.d.fail(f.of("legs"), fmt.Sprintf("%s[%d]", joinKey(f.path, "legs"), i), "", "no such line or pair of lines (got %s, want L1, L2, L3, L1-L2, L2-L3 or L3-L1)", quoteShort(name))
			return nil
		}
		legs = append(legs, l)
	}
	if len(legs) > 0 && !f.Breaker.Given {
		b.d.fail(f.of("legs"), joinKey(f.path, "breaker"), "write, for example, breaker: 32 A", "a single-phase circuit needs its breaker")
		return nil
	}
	if len(legs) > 0 && f.Outlets != "even" {
		b.d.fail(f.of("outlets"), joinKey(f.path, "outlets"), "", "outlets are dealt to the lines of a three-phase circuit, and legs make it single-phase")
		return nil
	}
	return legs
}

// feedNode is what the circuits of one line of racks have in common.
func (b *builder) feedNode(l *rackLine, f *feedPart, p *powerLevel) power.Node {
	n := power.Node{Kind: power.RackFeed, Units: 1, PF: f.PF.or(defaultPF), Line: f.at.line}
	n.VoltageLL = f.Voltage.or(p.line.Voltage.V)
	assumed := !f.Derate.Given && p.kind != power.Distribution
	n.Derate = f.Derate.or(p.derate)
	if assumed {
		n.Derate = circuitDerate
	}
	f.PF.fill(n.PF)
	f.Derate.fill(n.Derate)
	if !f.Voltage.Given {
		f.Voltage = p.line.Voltage
	}
	if len(f.Sides) == 0 && p.systems == 0 && !p.blocks {
		f.Sides = p.sides
	}
	b.claim(l, f, p)
	switch {
	case f.Breaker.Given && n.VoltageLL > 0:
		n.AmpsRated = f.Breaker.V // breaker, tap-off, cord and rack PDU carry the same current: the lowest of them counts
		for _, part := range [...]struct {
			name  string
			rated Quantity
		}{{"tap-off", f.Tap}, {"cord", f.Cord}, {"rack PDU", f.PDU}} {
			if part.rated.Given && part.rated.V < n.AmpsRated {
				n.AmpsRated, n.Element = part.rated.V, part.name
			}
		}
		n.RatingVA = math.Sqrt(3) * n.VoltageLL * n.AmpsRated
		if assumed {
			b.warnf(f.at, joinKey(f.path, "derate"), "", "no derate is stated: 80%% of the breaker is used continuously (NEC); IEC practice allows 100%%")
		}
	case f.Breaker.Given:
		if !f.has("voltage") && !p.line.has("voltage") {
			b.d.fail(f.Breaker.pos, joinKey(f.path, "voltage"), "write, for example, voltage: 415 V L-L", "a breaker in A needs a voltage with its basis, here or at %s", p.line.ID)
		}
		n.RatingVA = 1
	default:
		n.RatingVA = ratingVA(p.line.Rating, power.ThreePhase, p.line.Voltage.V, p.pf) * float64(max(1, p.line.Count))
		if !f.has("breaker") {
			b.warnf(f.at, joinKey(f.path, "breaker"), "", "no breaker is stated: a circuit is counted at the rating of %s above it", p.line.ID)
		}
	}
	return n
}

// claim refuses what the number of feeds cannot hold.
func (b *builder) claim(l *rackLine, f *feedPart, p *powerLevel) {
	n := max(1, len(f.Sides))
	if p.systems > 0 && !f.has("sides") {
		n = 2
	}
	switch {
	case f.Scheme == "2N" && n != 2, f.Scheme == "N+1" && n < 2:
		name := l.Row
		if name == "" {
			name = "the racks of this line"
		} else {
			name = "row " + name
		}
		b.d.fail(f.of("scheme"), joinKey(f.path, "scheme"), "", "%s claims %s on %d feeds of a rack", name, f.Scheme, n)
	}
}
