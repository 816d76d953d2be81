package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"headroom/facility/power"
	"headroom/facility/units"
)

// defaultPF is the power factor of the load behind an element rated in VA or A: loaded 8-GPU servers
// measured 0.98 (MLPerf inference power logs, 8×H200).
const defaultPF = 0.98

// circuitDerate is the share of a circuit's rating that is used where the file states none: the 80 % of
// continuous load under NEC, the lower of the two practices. IEC practice allows 100 %.
const circuitDerate = 0.8

// powerLevel is one line of the general form with the nodes it expands to.
type powerLevel struct {
	line  *nodeLine
	kind  power.Kind
	sides []string // nil: none
	rows  bool
	pf    float64
	// systems is the number of systems in distributed redundancy: racks hang on pairs of the sides.
	systems int
	// blocks says that the sides are blocks: not lost together with anything, and dealt to the rows in turn.
	// reserve is the level that holds their common reserve as its last one.
	blocks, reserve bool
	// derate is what circuits below take over when they state none.
	derate float64
}

// id names one node of the level: "ups", "ups[A]" by side, "busways[C]" by row, "busways[C].A" by both.
func (l *powerLevel) id(row, side string) string {
	switch {
	case l.rows && l.sides != nil:
		return l.line.ID + "[" + row + "]." + side
	case l.rows:
		return l.line.ID + "[" + row + "]"
	case l.sides != nil:
		return l.line.ID + "[" + side + "]"
	}
	return l.line.ID
}

func feedID(rack, side string) string {
	if side == "" {
		side = "A"
	}
	return rack + "." + side
}

// buildPower expands the short form into lines of the general form, those into nodes, adds the circuits
// that end at racks and makes the graph.
func (b *builder) buildPower() {
	p := b.s.file.Power
	if p == nil {
		for i := range b.s.file.Racks {
			if l := &b.s.file.Racks[i]; l.Feeds != nil {
				b.d.fail(l.Feeds.at, l.Feeds.path, "", "racks have feeds but the file has no power section to feed them")
			}
		}
		return
	}
	lines := shortForm(p)
	if len(p.Nodes) > 0 {
		if len(lines) > 0 {
			b.d.fail(p.of("nodes"), joinKey(p.path, "nodes"), "", "power is written either by levels or by nodes (got both)")
		}
		lines = nil
		for i := range p.Nodes {
			lines = append(lines, levelLine{&p.Nodes[i], &p.Nodes[i].PF, &p.Nodes[i].Derate, &p.Nodes[i].Curve})
		}
	}
	if len(lines) == 0 {
		b.d.fail(p.at, p.path, "", "want levels such as utility and ups, or nodes")
		return
	}
	seen := map[string]int{}
	var kept []levelLine // one for each of b.levels
	for _, l := range lines {
		if first, ok := seen[l.ID]; ok {
			b.d.fail(l.of("id"), joinKey(l.path, "id"), "", "the id %s stands twice (first at line %d)", quoteShort(l.ID), first)
			continue
		}
		seen[l.ID] = l.of("id").line
		if strings.ContainsAny(l.ID, "[]. ") || l.ID == "" {
			b.d.fail(l.of("id"), joinKey(l.path, "id"), "", "want an id of one word without brackets, dots or blanks (got %s)", quoteShort(l.ID))
		}
		v := b.level(l.nodeLine)
		l.pf.fill(v.pf)
		l.derate.fill(v.derate)
		b.levels, kept = append(b.levels, v), append(kept, l)
	}
	var nodes []power.Node
	for _, v := range b.levels {
		nodes = append(nodes, b.expand(v)...)
	}
	for i, v := range b.levels {
		*kept[i].curve = v.line.Curve
	}
	nodes = append(nodes, b.rackFeeds()...)
	if len(nodes) > maxPowerNodes {
		b.d.fail(p.at, p.path, "", "too many electrical elements (got %d, want at most %d)", len(nodes), maxPowerNodes)
		return
	}
	g, err := power.New(nodes)
	if err != nil {
		b.graphErrors(err)
		return
	}
	b.f.Power = g
}

// graphErrors passes on what the graph found, once for each level and kind of fault.
func (b *builder) graphErrors(err error) {
	var es power.Errors
	if !errors.As(err, &es) {
		b.d.fail(b.s.file.Power.at, "power", "", "%v", err)
		return
	}
	told := map[string]bool{}
	for _, e := range es {
		if strings.Contains(e.Msg, "is defined twice") || strings.Contains(e.Msg, "is an orphan") && b.broken {
			continue // two racks of one name, or a source that is not there: told where they are written
		}
		at, path := b.s.file.Power.at, "power"
		for _, l := range b.levels {
			if e.ID == l.line.ID || strings.HasPrefix(e.ID, l.line.ID+"[") {
				at, path = l.line.at, l.line.path
			}
		}
		if key := fmt.Sprint(at, e.Msg); !told[key] {
			told[key] = true
			b.d.fail(at, path, "", "%s %s", e.ID, e.Msg)
		}
	}
}

// levelLine is a line of the general form, with the places where its defaults are kept for printing.
type levelLine struct {
	*nodeLine
	pf, derate *Quantity
	curve      *string
}

// shortForm writes the levels of the short form as lines of the general form, each fed by the one before it.
func shortForm(p *powerPart) []levelLine {
	var lines []levelLine
	var above, backup names
	add := func(o origin, l nodeLine, pf, derate *Quantity, curve *string) {
		l.origin, l.PF, l.Derate = o, *pf, *derate
		if curve == nil {
			curve = new(string)
		}
		l.Curve = *curve
		if l.Kind != "utility" && l.Kind != "generator" {
			l.From = slices.Concat(above, backup)
			backup = nil
		}
		if l.Kind == "generator" {
			backup = names{l.ID}
		} else {
			above = names{l.ID}
		}
		lines = append(lines, levelLine{&l, pf, derate, curve})
	}
	if l := p.Utility; l != nil {
		add(l.origin, nodeLine{ID: "utility", Kind: "utility", Count: 1, Rating: l.Capacity}, &l.PF, &l.Derate, nil)
	}
	if l := p.Generators; l != nil {
		add(l.origin, nodeLine{ID: "generators", Kind: "generator", Count: l.Count, Scheme: l.Scheme, Rating: l.Rating, Start: l.Start}, &l.PF, &l.Derate, nil)
	}
	if l := p.Transformers; l != nil {
		add(l.origin, nodeLine{ID: "transformers", Kind: "transformer", Count: l.Count, Sides: l.Sides, Scheme: l.Scheme, Rating: l.Rating}, &l.PF, &l.Derate, &l.Curve)
	}
	if l := p.UPS; l != nil && l.Scheme.Block {
		blocks := names{}
		for k := range max(1, l.Blocks) {
			blocks = append(blocks, strconv.Itoa(k+1))
		}
		add(l.origin, nodeLine{ID: "ups", Kind: "ups", Count: l.Modules, Sides: append(slices.Clone(blocks), "reserve"), Scheme: l.Scheme, Rating: l.Rating, Battery: l.Battery}, &l.PF, &l.Derate, &l.Curve)
		rating := l.Switch
		if !rating.Given && l.Rating.Given {
			rating = l.Rating
			rating.V *= float64(max(1, l.Modules))
			rating.text = ""
		}
		yes := true
		add(l.origin, nodeLine{ID: "sts", Kind: "static-switch", Count: 1, Sides: blocks, Scheme: scheme{Text: "block", Block: true}, Rating: rating, Transfer: &yes}, &l.PF, &Quantity{}, nil)
	} else if l != nil {
		add(l.origin, nodeLine{ID: "ups", Kind: "ups", Count: l.Modules, Sides: l.Sides, Scheme: l.Scheme, Rating: l.Rating, Battery: l.Battery}, &l.PF, &l.Derate, &l.Curve)
	}
	for _, x := range [...]struct {
		id string
		l  *boardLevel
	}{{"pdus", p.PDUs}, {"busways", p.Busways}} {
		if l := x.l; l != nil {
			add(l.origin, nodeLine{ID: x.id, Kind: x.id[:len(x.id)-1], Count: l.Count, Per: l.Per, Sides: l.Sides, Scheme: l.Scheme, Rating: l.Rating, Voltage: l.Voltage}, &l.PF, &l.Derate, &l.Curve)
		}
	}
	return lines
}

// level settles what a line says by itself: its kind, its sides, its power factor and derate.
func (b *builder) level(l *nodeLine) *powerLevel {
	v := &powerLevel{line: l, sides: l.Sides, rows: l.Per == "row", derate: math.NaN()}
	if l.Kind == "" {
		l.Kind = guessKind(l)
		if l.Kind == "" {
			b.d.fail(l.at, joinKey(l.path, "kind"), "write kind: switchboard, transformer or distribution", "cannot tell what %s is from its keys and name", quoteShort(l.ID))
			l.Kind = "switchboard"
		}
	}
	v.kind = kindOf(l.Kind)
	if l.Scheme.Twice && v.sides == nil {
		v.sides = []string{"A", "B"}
	}
	if n := l.Scheme.Systems; n > 0 {
		if v.sides == nil {
			v.sides = []string{"A", "B", "C", "D"}[:n]
		} else if len(v.sides) != n {
			b.d.fail(l.of("sides"), joinKey(l.path, "sides"), "", "%s needs %d sides (got %d)", l.Scheme.Text, n, len(v.sides))
			n = 0
		}
		v.systems = n
	}
	if l.Scheme.Block && v.kind != power.UPS && v.kind != power.Switchboard {
		b.d.fail(l.of("scheme"), joinKey(l.path, "scheme"), "write it at ups", "a %s cannot be block redundant", v.kind)
	} else if l.Scheme.Block {
		v.blocks, v.reserve = true, v.kind == power.UPS
		if len(v.sides) < 2 && v.reserve {
			b.d.fail(l.at, joinKey(l.path, "blocks"), "", "a block redundant scheme needs blocks (got none)")
		}
		if v.sides == nil {
			v.sides = []string{"1"}
		}
	}
	if v.kind == power.Distribution && len(l.From) > 0 {
		if p := b.levelNamed(l.From[0]); p != nil {
			if p.systems > 0 && v.sides == nil {
				v.sides = p.sides
			}
			if p.systems > 0 && slices.Equal(v.sides, p.sides) {
				v.systems = p.systems
			}
			if p.blocks && v.sides == nil && !v.rows {
				v.sides, v.blocks = p.sides, true
			}
		}
	}
	if l.Count > 0 && l.Scheme.Spare >= l.Count {
		b.d.fail(l.of("scheme"), joinKey(l.path, "scheme"), "", "%s needs more than %d units (got %d)", l.Scheme.Text, l.Scheme.Spare, l.Count)
	}
	v.pf = l.PF.or(defaultPF)
	if l.Rating.Dim == units.Power && l.Rating.Given && !l.PF.Given {
		v.pf = 1
		if v.kind != power.Utility && v.kind != power.Generator {
			b.d.fail(l.Rating.pos, joinKey(l.path, "rating"), "write the rating in kVA, or add pf: 0.9 as its plate says", "a rating in kW of an element that carries kVA needs its power factor (got %s)", quoteShort(l.Rating.text))
		}
	}
	if l.Rating.Dim == units.Current && !l.Voltage.Given && l.Rating.Given && !l.has("voltage") {
		b.d.fail(l.Rating.pos, joinKey(l.path, "voltage"), `write, for example, voltage: 415 V L-L`, "a rating in A needs a voltage with its basis")
	}
	switch {
	case l.Derate.Given:
		v.derate = l.Derate.V
	case v.kind == power.Generator:
		v.derate = power.TurboDiesel.Derate(b.f.AltitudeM, b.f.Design.DryBulbC)
		if v.derate < 1 {
			b.warnf(l.at, joinKey(l.path, "derate"), "", "%.1f%% of %s is left at %.0f m and %.1f C on the design day; state derate: 100%% if its rating holds there", 100*v.derate, l.ID, b.f.AltitudeM, b.f.Design.DryBulbC)
		}
	case v.kind == power.Distribution && l.Kind == "busbar":
		v.derate = 1
	case v.kind == power.Distribution:
		v.derate = circuitDerate
		b.warnf(l.at, joinKey(l.path, "derate"), "", "no derate is stated: 80%% of %s is used continuously (NEC); IEC practice allows 100%%", l.ID)
	default:
		v.derate = 1
	}
	return v
}

// guessKind tells what a line of the general form is from its keys and its name.
func guessKind(l *nodeLine) string {
	id := strings.ToLower(l.ID)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(id, w) })
	}
	switch {
	case l.Start.Given || strings.HasPrefix(id, "gen"):
		return "generator"
	case strings.HasPrefix(id, "sts"):
		return "static-switch"
	case l.Battery.Given || has("ups"):
		return "ups"
	case len(l.From) == 0:
		return "utility"
	case strings.HasPrefix(id, "tx") || strings.HasPrefix(id, "tr") || has("transformer", "trafo"):
		return "transformer"
	case has("busway"):
		return "busway"
	case has("rpp"):
		return "rpp"
	case has("pdu"):
		return "pdu"
	case l.Rating.Dim == units.Current && l.Rating.Given || l.Per == "row" || has("dist"):
		return "distribution"
	case has("board", "msb", "swgr", "switch", "lv"):
		return "switchboard"
	}
	return ""
}

// ratingVA is a rating in volt-amperes; one that could not be read stands in as 1.
func ratingVA(r ratingValue, lines power.Lines, voltageLL, pf float64) float64 {
	switch {
	case !r.Given:
		return 1
	case r.Dim == units.Power:
		return r.V / pf
	case r.Dim == units.Current:
		if voltageLL <= 0 {
			return 1
		}
		return lines.RatingVA(voltageLL, r.V)
	}
	return r.V
}

// expand makes the nodes of one level: one, or one for each row and side.
func (b *builder) expand(v *powerLevel) []power.Node {
	l := v.line
	lines, _ := power.LinesNamed(l.Legs)
	node := power.Node{
		Kind: v.kind, Lines: lines, Units: max(1, l.Count), Redundant: min(l.Scheme.Spare, max(0, l.Count-1)),
		RatingVA: ratingVA(l.Rating, lines, l.Voltage.V, v.pf), PF: v.pf, Derate: v.derate,
		Element: elementOf(l.Kind), VoltageLL: l.Voltage.V, BatteryS: l.Battery.V, StartS: l.Start.V, Line: l.at.line,
	}
	if l.Rating.Given && l.Rating.Dim == units.Current {
		node.AmpsRated = l.Rating.V
	}
	node.Loss = b.lossCurve(v)
	var above []*powerLevel
	for _, name := range l.From {
		p := b.levelNamed(name)
		if p == nil {
			b.broken = true
			b.d.fail(l.of("from"), joinKey(l.path, "from"), didYouMean(b.nearestLevel(name)), "no such element (got %s, want one of %s)", quoteShort(name), strings.Join(b.levelNames(), ", "))
			continue
		}
		if p.kind == power.Generator && len(l.From) > 1 {
			node.Transfer = true
		}
		above = append(above, p)
	}
	if l.Kind == "static-switch" {
		node.Transfer = true
	}
	if l.Transfer != nil {
		node.Transfer = *l.Transfer
	}
	rows, sides := []string{""}, []string{""}
	if v.rows {
		rows = b.names
	}
	if v.sides != nil {
		sides = v.sides
	}
	var nodes []power.Node
	told := false
	for _, row := range rows {
		for _, side := range sides {
			n := node
			n.ID, n.Side = v.id(row, side), side
			if v.blocks {
				n.Side = ""
			}
			for _, p := range above {
				from, ok := b.sources(p, row, side)
				if !ok && !told {
					told, b.broken = true, true
					b.d.fail(l.of("from"), joinKey(l.path, "sides"), "", "%s has no side %s (got sides %s)", p.line.ID, side, strings.Join(p.sides, ", "))
				}
				n.From = append(n.From, from...)
			}
			nodes = append(nodes, n)
			if len(nodes) > maxPowerNodes {
				return nodes
			}
		}
	}
	return nodes
}

// hasSide says whether a level feeds a side; "" is any.
func (l *powerLevel) hasSide(side string) bool {
	return l.sides == nil || side == "" || l.reserve || slices.Contains(l.sides, side)
}

// sources lists the nodes of a level that feed one row and side; "" is any.
func (b *builder) sources(p *powerLevel, row, side string) (ids []string, ok bool) {
	rows, sides := []string{row}, []string{side}
	if p.rows && row == "" {
		rows = b.names
	}
	switch {
	case p.sides == nil:
	case p.reserve && side != "": // a static switch: its block, then the reserve
		sides = []string{side, p.sides[len(p.sides)-1]}
	case p.blocks && side == "" && row != "": // rows are dealt to the blocks in turn
		sides = []string{p.sides[b.rowIndex(row)%len(p.sides)]}
	case side == "":
		sides = p.sides
	case !p.hasSide(side):
		return nil, false
	}
	for _, r := range rows {
		for _, s := range sides {
			ids = append(ids, p.id(r, s))
		}
	}
	return ids, true
}

// rowIndex is the place of a row.
func (b *builder) rowIndex(row string) int {
	return b.first[row]
}

func (b *builder) levelNamed(id string) *powerLevel {
	for _, l := range b.levels {
		if l.line.ID == id {
			return l
		}
	}
	return nil
}

func (b *builder) levelNames() []string {
	list := make([]string, len(b.levels))
	for i, l := range b.levels {
		list[i] = l.line.ID
	}
	return list
}

func (b *builder) nearestLevel(name string) string {
	near, _ := units.Nearest(name, b.levelNames())
	return near
}

// fed resolves names of levels or single nodes to indexes in the graph; without a name it is the
// utility.
func (b *builder) fed(list names, at pos, path string) []int {
	if b.f.Power == nil {
		if len(list) > 0 && b.s.file.Power == nil {
			b.d.fail(at, path, "", "the file has no power section that could hold %s", quoteShort(list[0]))
		}
		return nil
	}
	if len(list) == 0 {
		list = names{b.levels[0].line.ID}
		for _, l := range b.levels {
			if l.kind == power.Utility {
				list = names{l.line.ID}
				break
			}
		}
	}
	var out []int
	for _, name := range list {
		if i, ok := b.f.Power.Index(name); ok {
			out = append(out, i)
			continue
		}
		l := b.levelNamed(name)
		if l == nil {
			b.d.fail(at, path, didYouMean(b.nearestLevel(name)), "no such element of the power section (got %s, want one of %s)", quoteShort(name), strings.Join(b.levelNames(), ", "))
			continue
		}
		if l.reserve { // what hangs on the blocks hangs on their switches
			for _, sw := range b.levels {
				if sw.line.Kind == "static-switch" && slices.Contains(sw.line.From, l.line.ID) {
					l = sw
				}
			}
		}
		ids, _ := b.sources(l, "", "")
		for _, id := range ids {
			if i, ok := b.f.Power.Index(id); ok {
				out = append(out, i)
			}
		}
	}
	return out
}
