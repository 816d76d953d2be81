package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"headroom/facility/placement"
	"headroom/facility/units"
	"headroom/sim"
)

// loss resolves a scripted loss.
func (s *Scenario) loss(d *decoder, b *builder, l *placement.Layout, e *lossLine, checking bool) (sim.Loss, bool) {
	at, path := e.of("lose"), joinKey(e.path, "lose")
	if e.Lose == "" {
		return sim.Loss{}, false // told already
	}
	out := sim.Loss{Name: e.Lose, AtNS: e.At.T.Sub(s.file.Run.Start.T).Nanoseconds(), ForNS: int64(math.Round(e.For.V * 1e9)), Planned: e.Planned}
	if !e.At.Given {
		out.AtNS = 0 // told already; the path is still looked at
	}
	if out.AtNS < 0 || out.AtNS >= s.file.Run.length().Nanoseconds() {
		d.fail(e.of("at"), joinKey(e.path, "at"), "", "lies outside the run, which goes from %s to %s (got %s)",
			s.file.Run.Start.T.Format("2006-01-02 15:04"), s.file.Run.Start.T.Add(s.file.Run.length()).Format("2006-01-02 15:04"), e.At.T.Format("2006-01-02 15:04"))
	}
	steps, err := parsePath(e.Lose)
	if err != nil {
		d.fail(at, path, "", "%v", err)
		return out, false
	}
	r := loser{s: s, d: d, b: b, layout: l, at: at, path: path, text: e.Lose, steps: steps}
	ok := r.resolve(&out, checking)
	return out, ok
}

// loser finds what a path of a scripted loss names.
type loser struct {
	s      *Scenario
	d      *decoder
	b      *builder
	layout *placement.Layout
	at     pos
	path   string
	text   string
	steps  []step
}

func (r *loser) fail(hint, format string, a ...any) bool {
	r.d.fail(r.at, r.path, hint, format, a...)
	return false
}

// key is the name at a place of the path, "" beyond its end.
func (r *loser) key(i int) string {
	if i < len(r.steps) {
		return r.steps[i].key
	}
	return ""
}

func (r *loser) resolve(out *sim.Loss, checking bool) bool {
	switch r.key(0) {
	case "cooling":
		return r.cooling(out)
	case "plants":
		return r.plant(out)
	case "power":
		return r.power(out)
	case "network":
		return r.leaf(out, checking)
	case "racks", "servers":
		if len(r.steps) != 2 || !r.steps[1].element {
			return r.fail("", "want %s[name] (got %s)", r.key(0), quoteShort(r.text))
		}
		if r.key(0) == "racks" {
			return r.rack(out)
		}
		return r.server(out, checking)
	}
	near, _ := units.Nearest(r.key(0), []string{"cooling", "network", "plants", "power", "racks", "servers"})
	return r.fail(didYouMean(near), "nothing that can be lost (got %s, want a path that begins with cooling, network, plants, power, racks or servers)", quoteShort(r.text))
}

// units reads "units[3]" (one unit, by its place) or nothing (all of them) at a place of the path.
func (r *loser) units(out *sim.Loss, i, installed int, words ...string) bool {
	out.Units = installed
	if i == len(r.steps) {
		return true
	}
	if !r.steps[i].element && !slices.Contains(words, r.key(i)) || i+2 < len(r.steps) {
		return r.fail("", "want %s[place] (got %s)", pathString(append(slices.Clone(r.steps[:i]), step{key: words[0]})), quoteShort(r.text))
	}
	if !r.steps[i].element {
		if i++; i == len(r.steps) {
			return true
		}
	}
	if i != len(r.steps)-1 {
		return r.fail("", "the path goes on after %s (got %s)", pathString(r.steps[:i+1]), quoteShort(r.text))
	}
	p := r.steps[i].place
	if p < 0 || p >= installed {
		return r.fail("", "no such unit (got [%s], want a place from 0 to %d)", r.key(i), installed-1)
	}
	out.Units = 1
	return true
}

func (r *loser) cooling(out *sim.Loss) bool {
	sys := &r.b.f.Cooling
	switch r.key(1) {
	case "air":
		if len(sys.Rooms) == 0 {
			return r.fail("", "the file has no cooling.air")
		}
		out.Part = sim.RoomUnit
		if r.key(2) == "walls" {
			a := r.s.file.Cooling.Air
			for i := range a.Walls {
				w := &a.Walls[i]
				if len(r.steps) > 3 && (w.At == r.key(3) || r.steps[3].place == i) {
					return r.units(out, 4, w.Units, "units")
				}
			}
			return r.fail("", "no such wall (got %s)", quoteShort(r.text))
		}
		return r.units(out, 2, sys.Rooms[0].Units, "units")
	case "liquid":
		if len(sys.Loops) == 0 {
			return r.fail("", "the file has no cooling.liquid")
		}
		out.Part = sim.LoopUnit
		if r.s.file.Cooling.Liquid.CDUs.part.Per != "row" {
			return r.units(out, 2, sys.Loops[0].CDUs, "cdus", "units")
		}
		// One loop a row: cooling.liquid[A].cdus[0], or cooling.liquid.cdus[A][0].
		i := 2
		if r.key(2) == "cdus" {
			i = 3
		}
		for k, row := range r.b.names {
			if i < len(r.steps) && r.steps[i].element && row == r.key(i) {
				out.Index = k
				return r.units(out, i+1, sys.Loops[k].CDUs, "cdus", "units")
			}
		}
		return r.fail("", "want the row of the loop such as cooling.liquid[%s].cdus[0] (got %s)", r.b.rows[0].name, quoteShort(r.text))
	}
	return r.fail("", "want cooling.air or cooling.liquid (got %s)", quoteShort(r.text))
}

func (r *loser) plant(out *sim.Loss) bool {
	p := &r.s.file.Plants
	i := p.index(r.key(1))
	if i < 0 {
		near, _ := units.Nearest(r.key(1), p.Names)
		return r.fail(didYouMean(near), "no such plant (got %s, want one of %s)", quoteShort(r.text), strings.Join(p.Names, ", "))
	}
	out.Part, out.Index = sim.PlantUnit, i
	return r.units(out, 2, p.Lines[i].Count, "units")
}

// power finds a node by the longest part of the path that names one, and then perhaps one of its units.
func (r *loser) power(out *sim.Loss) bool {
	g := r.b.f.Power
	if g == nil {
		return r.fail("", "the file has no power section")
	}
	out.Part = sim.PowerUnit
	steps := r.steps[1:]
	if len(steps) > 1 && steps[0].key == "nodes" && steps[1].element { // power.nodes[ups] is power.ups
		steps = slices.Concat([]step{{key: steps[1].key, place: -1}}, steps[2:])
	}
	if len(steps) > 1 && steps[0].key == "feeds" && steps[1].element { // a rack's circuit: power.feeds[A01].A
		steps = slices.Concat([]step{{key: steps[1].key, place: -1}}, steps[2:])
	}
	for n := len(steps); n > 0; n-- {
		i, ok := g.Index(pathString(steps[:n]))
		if !ok {
			continue
		}
		out.Index = i
		r.steps = slices.Concat(r.steps[:1], steps)
		return r.units(out, n+1, g.Nodes[i].Units, "units", "modules")
	}
	if len(steps) > 0 {
		if l := r.b.levelNamed(steps[0].key); l != nil {
			ids, _ := r.b.sources(l, "", "")
			return r.fail("", "%s is several elements, of which one is lost at a time (got %s, want %s)", l.line.ID, quoteShort(r.text), oneOf(ids, "power."))
		}
	}
	return r.fail(didYouMean(r.b.nearestLevel(r.key(1))), "no such element (got %s, want power. and one of %s)", quoteShort(r.text), strings.Join(r.b.levelNames(), ", "))
}

// oneOf lists the first few names.
func oneOf(list []string, prefix string) string {
	const most = 4
	var b strings.Builder
	for i, s := range list {
		if i == most {
			fmt.Fprintf(&b, " …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(prefix + s)
	}
	return b.String()
}

// leaf finds one leaf switch, or all of them.
func (r *loser) leaf(out *sim.Loss, checking bool) bool {
	net := r.s.net(r.b)
	if net.Servers == 0 {
		return r.fail("", "the file has no network section")
	}
	if len(r.steps) > 1 && r.key(1) != "leaves" {
		return r.fail("", "want network.leaves[place] (got %s)", quoteShort(r.text))
	}
	out.Part = sim.NetLeaf
	if checking || r.layout == nil { // how many there are is known once servers are placed
		return r.units(out, min(2, len(r.steps)), math.MaxInt32, "leaves")
	}
	if !r.units(out, min(2, len(r.steps)), net.Leaves(len(r.layout.Servers)), "leaves") {
		return false
	}
	if out.Units == 1 && len(r.steps) > 2 {
		out.Index = r.steps[2].place
	}
	return true
}

// net is how servers hang on leaf switches.
func (s *Scenario) net(b *builder) sim.Net {
	n := s.file.Network
	if n == nil {
		return sim.Net{}
	}
	gpus := 1
	for i := range b.f.Models {
		gpus = max(gpus, b.f.Models[i].GPUs)
	}
	ports := n.portsOf(gpus)
	if n.railsOf(gpus) { // port k of a server meets those of as many others as fill one switch
		return sim.Net{Servers: n.Leaf * ports, Switches: ports}
	}
	return sim.Net{Servers: n.Leaf, Switches: 1}
}

func (r *loser) rack(out *sim.Loss) bool {
	out.Part, out.Units = sim.RackPart, 1
	var ids []string
	for i := range r.b.f.Racks {
		id := r.b.f.Racks[i].ID
		if id == r.key(1) {
			out.Index = i
			return true
		}
		ids = append(ids, id)
	}
	near, _ := units.Nearest(r.key(1), ids)
	return r.fail(didYouMean(near), "no such rack (got %s)", quoteShort(r.text))
}

func (r *loser) server(out *sim.Loss, checking bool) bool {
	out.Part, out.Units = sim.ServerPart, 1
	name := r.key(1)
	rack, u, ok := strings.Cut(name, ".u")
	if !ok {
		return r.fail("", "want a server by its rack and lowest rack unit such as servers[A01.u03] (got %s)", quoteShort(r.text))
	}
	if n, err := strconv.Atoi(u); err != nil || n < 1 {
		return r.fail("", "want a server by its rack and lowest rack unit such as servers[A01.u03] (got %s)", quoteShort(r.text))
	}
	if !slices.ContainsFunc(r.b.rows, func(x rowSpan) bool {
		return slices.Contains(x.names, rack) || len(x.names) == 0 && strings.HasPrefix(rack, x.name)
	}) {
		return r.fail("", "no such rack (got %s)", quoteShort(r.text))
	}
	if checking {
		return true
	}
	if r.layout == nil {
		return r.fail("", "servers are known once they are placed")
	}
	var ids []string
	for i := range r.layout.Servers {
		if r.layout.Servers[i].ID == name {
			out.Index = i
			return true
		}
		ids = append(ids, r.layout.Servers[i].ID)
	}
	near, _ := units.Nearest(name, ids)
	return r.fail(didYouMean(near), "no server is placed there (got %s)", quoteShort(r.text))
}
