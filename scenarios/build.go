package scenarios

import (
	"fmt"
	"math"
	"strconv"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// builder turns the typed file into a facility. With warn set it also gathers warnings; problems go to
// the decoder's list. It goes on after a problem, with stand-in figures that are never handed out.
type builder struct {
	s        *Scenario
	d        *decoder
	warn     bool
	warnings Problems

	rows   []rowSpan
	names  []string       // of the rows, each once, in their order
	first  map[string]int // rowSpan by name, the first of a row
	lines  [][]rowSpan    // rows by line of racks, where any were planned
	levels []*powerLevel
	f      *facility.Facility
	broken bool // a stand-in was used: what follows from it is not judged
}

// rowSpan is one row of racks.
type rowSpan struct {
	name  string
	line  int // index of the racks line
	first int // index of its first rack
	count int
	names []string // of its racks, where they have names of their own
}

// Bounds on what is built, far above any real site, so that a slip of the keyboard is an error and not
// an hour of work.
const (
	maxRacks      = 200_000
	maxPowerNodes = 1_000_000
)

func (b *builder) warnf(at pos, path, hint, format string, a ...any) {
	if !b.warn {
		return
	}
	b.warnings = append(b.warnings, Problem{File: at.file, Line: at.line, Col: at.col, Path: path, Msg: fmt.Sprintf(format, a...), Hint: hint})
}

func (b *builder) build() *facility.Facility {
	s := b.s
	b.f = &facility.Facility{Name: s.file.Name, AltitudeM: s.file.Site.Altitude.V}
	b.f.Basis = basisNamed(s.file.Basis)
	if p := s.file.Placement; p != nil {
		b.f.Policy, _ = facility.PolicyNamed(p.Policy)
	}
	b.planRows()
	b.buildDesignDay()
	b.buildPower()
	b.buildModels()
	b.buildRacks()
	b.buildCooling()
	b.buildOther()
	b.checkPlan()
	if b.warn && len(b.d.problems) == 0 {
		b.judge()
	}
	return b.f
}

// basisNamed is the plan basis of a name; nameplate where there is none.
func basisNamed(name string) facility.Basis {
	for _, b := range [...]facility.Basis{facility.Planned, facility.Measured, facility.Capped} {
		if b.String() == name {
			return b
		}
	}
	return facility.Nameplate
}

// planRows names the rows and counts their racks.
func (b *builder) planRows() {
	lines := b.s.file.Racks
	used := map[string]pos{}
	twice, named := map[int]bool{}, map[string]bool{}
	for i := range lines {
		l := &lines[i]
		b.nameRacks(l)
		if l.Row == "" {
			continue
		}
		if first, ok := used[l.Row]; ok && len(l.Names) > 0 && named[l.Row] {
			continue
		} else if ok {
			b.d.fail(l.of("row"), joinKey(l.path, "row"), "", "the row %s stands twice (first at line %d)", quoteShort(l.Row), first.line)
			twice[i] = true
			continue
		}
		if l.Rows > 1 {
			b.d.fail(l.of("rows"), joinKey(l.path, "rows"), "", "a line with a row name is one row (got rows: %d)", l.Rows)
		}
		used[l.Row], named[l.Row] = l.of("row"), len(l.Names) > 0
	}
	b.first, b.lines = map[string]int{}, make([][]rowSpan, len(lines))
	total, next := 0, 0
	for i := range lines {
		l := &lines[i]
		if l.Count < 1 || l.Rows < 1 || twice[i] {
			continue // told already
		}
		rows := l.Rows
		if l.Row != "" {
			rows = 1
		}
		if rows*l.Count > maxRacks || total+rows*l.Count > maxRacks {
			b.d.fail(l.of("count"), l.path, "", "too many racks (got %d rows of %d, want at most %d racks in all)", rows, l.Count, maxRacks)
			return
		}
		start := len(b.rows)
		for range rows {
			name := l.Row
			for name == "" {
				n := rowName(next)
				next++
				if _, ok := used[n]; !ok {
					name = n
				}
			}
			if _, ok := b.first[name]; !ok {
				b.first[name] = len(b.rows)
				b.names = append(b.names, name)
			}
			b.rows = append(b.rows, rowSpan{name: name, line: i, first: total, count: l.Count, names: l.Names})
			total += l.Count
		}
		b.lines[i] = b.rows[start:len(b.rows):len(b.rows)]
	}
}

// rowName counts A … Z, AA, AB …
func rowName(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}

// rackID is the name of a rack: its row and its place from 1, two digits or as many as the row needs.
func rackID(r rowSpan, place int) string {
	if len(r.names) > 0 {
		return r.names[place]
	}
	width := max(2, len(strconv.Itoa(r.count)))
	return fmt.Sprintf("%s%0*d", r.name, width, place+1)
}

// buildRacks makes the racks; power must be there, so that their feeds are known.
func (b *builder) buildRacks() {
	y := 0.0
	ids := map[string]bool{}
	strips := map[string]*strip{}
	for _, r := range b.rows {
		l := &b.s.file.Racks[r.line]
		row := strips[r.name]
		if row == nil {
			row = &strip{yM: y}
			strips[r.name] = row
			y += l.Depth.V + l.Aisle.V
		}
		told := false
		height, reserve := b.wholeU(l, "height", l.Height), b.wholeU(l, "reserve", l.Reserve)
		if reserve > height {
			b.d.fail(l.of("reserve"), joinKey(l.path, "reserve"), "", "more is reserved than there is (got %dU of %dU)", reserve, height)
		}
		for p := range r.count {
			id := rackID(r, p)
			if ids[id] && !told {
				told = true
				b.d.fail(l.at, l.path, "name the rows so that row and number cannot be mistaken", "two racks are called %s: rows are called by their name and a number", id)
			}
			ids[id] = true
			rack := facility.Rack{
				ID: id, Row: r.name, Place: row.places + p,
				XM: row.xM + (float64(p)+0.5)*l.Pitch.V, YM: row.yM + l.Depth.V/2,
				HeightU: height, ReserveU: reserve,
				PowerW: floorLimit(l.Power), AirW: floorLimit(l.Air), LiquidW: floorLimit(l.Liquid),
				ReserveW: ceilW(l.Keep.V),
				LoadKg:   l.Load.or(math.NaN()), FrameKg: l.Frame.V,
				Room: -1, Loop: -1, Cost: math.NaN(), Line: l.at.line,
			}
			if l.Takes == facility.AirOnly || l.Takes == facility.LiquidOnly {
				rack.Takes = l.Takes
			}
			if l.Feeds != nil {
				rack.Claim, rack.Outlets = l.Feeds.Scheme, facility.OutletsNamed(l.Feeds.Outlets)
			}
			if l.Cost != nil {
				rack.Cost = *l.Cost
			}
			if b.f.Power != nil {
				for _, side := range b.feedSides(r.line) {
					if i, ok := b.f.Power.Index(feedID(id, side)); ok {
						rack.Feeds = append(rack.Feeds, i)
					}
				}
			}
			b.f.Racks = append(b.f.Racks, rack)
		}
		row.xM += float64(r.count) * l.Pitch.V
		row.places += r.count
	}
}

// wholeU reads rack units, which come whole.
func (b *builder) wholeU(l *rackLine, key string, q Quantity) int {
	if q.V != math.Trunc(q.V) {
		b.d.fail(q.pos, joinKey(l.path, key), "", "want whole rack units (got %s)", quoteShort(q.text))
	}
	return int(q.V)
}

// floorLimit is a limit in whole watts, rounded down.
func floorLimit(q Quantity) int64 {
	if !q.Given {
		return facility.NoLimit
	}
	return floorW(q.V)
}

// buildOther adds the steady load that is neither IT nor cooling.
func (b *builder) buildOther() {
	o := b.s.file.Site.Other
	if o == nil {
		return
	}
	b.f.OtherW = o.Power.V
	b.f.OtherFed = b.fed(o.Fed, o.of("fed"), joinKey(o.path, "fed"))
}

func kindOf(name string) power.Kind {
	return map[string]power.Kind{
		"utility": power.Utility, "generator": power.Generator, "transformer": power.Transformer,
		"switchboard": power.Switchboard, "ups": power.UPS, "distribution": power.Distribution,
		"static-switch": power.Switchboard, "flywheel": power.UPS, "pdu": power.Distribution, "rpp": power.Distribution,
		"busway": power.Distribution, "busbar": power.Distribution,
	}[name]
}

// elementOf is what an element is called where its kind says too little.
func elementOf(name string) string {
	return map[string]string{
		"static-switch": "static switch", "flywheel": "flywheel UPS", "pdu": "PDU", "rpp": "RPP", "busway": "busway", "busbar": "54 V busbar",
	}[name]
}

var containments = map[string]cooling.Containment{"none": cooling.Open, "cold-aisle": cooling.ColdAisle, "hot-aisle": cooling.HotAisle}
