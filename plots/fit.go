package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/plots/show"
	"headroom/sim"
)

// limitName is a limit as a planner says it, limitLetter its mark where there is no room for the name.
var limitNames = []struct {
	limit        placement.Limit
	name, letter string
}{
	{placement.Power, "rack power", "P"},
	{placement.Air, "air cooling", "A"},
	{placement.Airflow, "airflow", "V"},
	{placement.Liquid, "liquid cooling", "L"},
	{placement.Flow, "coolant flow", "C"},
	{placement.Space, "rack space", "S"},
	{placement.Weight, "weight", "W"},
	{placement.Feed, "rack feed", "F"},
	{placement.Phase, "phase", "H"},
	{placement.Upstream, "upstream power", "U"},
	{placement.Plant, "cooling plant", "K"},
	{placement.Order, "nothing", "·"},
}

// LimitName returns a limit of Capacity.Binding as a planner says it: "rack power".
func LimitName(limit string) string { return limitName(placement.Limit(limit)) }

// BindingNames returns what stops the next server with the limits that tie with it, "rack power and air cooling": raising
// one of them alone admits nothing. verb is "stops", or "stop" for several.
func BindingNames(b *sim.Binding) (names, verb string) {
	var ties []placement.Limit
	if b.Also != "" {
		for _, tie := range strings.Split(b.Also, ", ") {
			ties = append(ties, placement.Limit(tie))
		}
	}
	if verb = "stops"; len(ties) > 0 {
		verb = "stop"
	}
	return tiedNames(placement.Limit(b.Limit), ties), verb
}

// tiedNames names a limit with those that tie with it.
func tiedNames(l placement.Limit, ties []placement.Limit) string {
	names := limitName(l)
	for i, tie := range ties {
		joint := ", "
		if i == len(ties)-1 {
			joint = " and "
		}
		names += joint + limitName(tie)
	}
	return names
}

// Limits returns the limits in the order in which tables list them.
func Limits() []placement.Limit {
	out := make([]placement.Limit, len(limitNames))
	for i, n := range limitNames {
		out[i] = n.limit
	}
	return out
}

func limitName(l placement.Limit) string {
	for _, n := range limitNames {
		if n.limit == l {
			return n.name
		}
	}
	if l == "" {
		return "unknown"
	}
	return string(l)
}

func limitLetter(l placement.Limit) string {
	for _, n := range limitNames {
		if n.limit == l {
			return n.letter
		}
	}
	return "?"
}

// fitTitle answers how many fit and what stops the next one.
func fitTitle(r *sim.Result) string {
	c := &r.Capacity
	placed := show.Of(c.ServersPlaced, "server")
	var head string
	switch most := r.Layout.RequestedMax; {
	case c.ServersPlaced == 0:
		head = "No server fits"
	case !most && c.ServersPlaced >= c.ServersRequested:
		head = "All " + placed + " asked for fit"
		if c.ServersPlaced == 1 {
			head = "The one server asked for fits"
		}
	case !most:
		head = fmt.Sprintf("%s of %s fit", show.Count(c.ServersPlaced), show.Of(c.ServersRequested, "server"))
	case c.ServersPlaced == 1:
		head = "1 server fits"
	default:
		head = placed + " fit"
	}
	if c.RacksUsed > 0 {
		head += " in " + show.Of(c.RacksUsed, "rack")
	}
	return head + "; " + stopper(c)
}

// stopper is the second half: what stops the next server, and by how much.
func stopper(c *sim.Capacity) string {
	if len(c.Binding) == 0 {
		return "what stops the next one is unknown"
	}
	b := c.Binding[0]
	if placement.Limit(b.Limit) == placement.Order {
		return "no limit stops the next one"
	}
	names, verb := BindingNames(&b)
	s := names + " " + verb + " the next one"
	if b.Short.Known() && b.Short > 0 {
		s += ", short by " + show.Quantity(float64(b.Short), b.Unit)
	}
	return s
}

// fitShare is the share of the page's width that the bars take.
const fitShare = 0.745

// fitBar is one bar: a rack, or a group of racks where there are too many to name.
type fitBar struct {
	name                               string
	racks, servers                     int
	used, reserved, headroom, stranded float64 // W
	limit                              float64 // W, the sum of the racks' limits
	noLimit                            int     // racks that state none
	binding                            placement.Limit
	bindingRacks                       int               // of the racks, how many this limit stops
	ties                               []placement.Limit // that stop each of these as soon
}

// letters are the limits that stop the next server.
func (b *fitBar) letters() string {
	name := limitLetter(b.binding)
	for _, l := range b.ties {
		name += "+" + limitLetter(l)
	}
	return name
}

func (b *fitBar) words() string { return tiedNames(b.binding, b.ties) }

// mostBars is the most bars a chart names; more racks than this are shown row by row.
const mostBars = 40

func figureWithout(r *sim.Result, title, why string) *figure {
	return &figure{title: title, subtitle: subtitle(r), panels: []*panel{{at: box{0, 0, 1, 1}, why: why}}}
}

func fitFigure(r *sim.Result) *figure {
	l := r.Layout
	if l == nil || l.Facility == nil || len(l.Racks) == 0 {
		return figureWithout(r, "Fit per rack", "No racks: the result holds no placement.")
	}
	bars, what := fitBars(l)
	f := &figure{title: fitTitle(r), subtitle: subtitle(r)}
	hi := 0.0
	for i := range bars {
		b := &bars[i]
		hi = max(hi, b.limit, b.used+b.reserved+b.headroom+b.stranded)
	}
	k, unit := wattUnit(hi)
	_, top := fromZero(hi * k * 1.04)
	fm := newFitMark(bars, k, fitShare*(pageW-2*marginX)-60)
	main := &panel{
		at: box{0, 0, fitShare, 1}, title: basisName(l) + " power " + what, marks: []mark{fm}, foot: fm.foot(),
		x:      axis{min: -0.5, max: float64(len(bars)) - 0.5, none: true, ticker: fixedTicks{}},
		y:      axis{min: 0, max: top, unit: unit},
		legend: fitLegend(bars),
	}
	side := &panel{at: box{fitShare + 0.03, 0, 1, 1}, title: "Servers each rack limit would admit", free: func(p *pen, rect vg.Rectangle) { drawAdmits(p, rect, r) }}
	f.panels = []*panel{main, side}
	if !fm.words {
		f.notes = append(f.notes, letterKey(bars))
	}
	noLimit := 0
	for _, b := range bars {
		noLimit += b.noLimit
	}
	if noLimit > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s without a stated power limit: no limit line and no headroom are drawn there.", show.Of(noLimit, "rack")))
	}
	if l.Stranded.PowerW >= 0 {
		f.notes = append(f.notes, "Stranded power, all racks: "+show.Watts(float64(l.Stranded.PowerW))+". Stranded is what no further server can use, because a limit stops it.")
	}
	return f
}

// basisName says at what power servers are counted.
func basisName(l *placement.Layout) string {
	if l.Facility.Basis == facility.Nameplate {
		return "Nameplate"
	}
	return "Planned"
}

// fitLegend lists what the bars have.
func fitLegend(bars []fitBar) []legendEntry {
	var reserved, headroom, stranded, limit bool
	for _, b := range bars {
		reserved = reserved || b.reserved > 0
		headroom = headroom || b.headroom > 0
		stranded = stranded || b.stranded > 0
		limit = limit || b.limit > 0
	}
	es := []legendEntry{{"used by servers (their number in the bar)", navy, "box"}}
	for _, e := range []struct {
		on bool
		legendEntry
	}{
		{reserved, legendEntry{"reserved", sky, "box"}},
		{headroom, legendEntry{"usable headroom", greenTint, "box"}},
		{stranded, legendEntry{"stranded", orangeInk, "hatch"}},
		{limit, legendEntry{"rack limit", limitRed, "dash"}},
	} {
		if e.on {
			es = append(es, e.legendEntry)
		}
	}
	return es
}

// letterKey explains the letters under the bars that are used.
func letterKey(bars []fitBar) string {
	var parts []string
	for _, n := range limitNames {
		for _, b := range bars {
			if b.binding == n.limit || slices.Contains(b.ties, n.limit) {
				parts = append(parts, n.letter+" "+n.name)
				break
			}
		}
	}
	for _, b := range bars {
		if limitLetter(b.binding) == "?" {
			parts = append(parts, "? unknown")
			break
		}
	}
	return "Letters name what stops the next server: " + strings.Join(parts, ", ") + "."
}

// fitBars gathers the racks into bars and says what one bar is.
func fitBars(l *placement.Layout) ([]fitBar, string) {
	racks := l.Facility.Racks
	groups, what := rackGroups(l)
	bars := make([]fitBar, 0, len(groups))
	for _, g := range groups {
		b := fitBar{name: g.name, racks: len(g.racks)}
		binding := map[placement.Limit]int{}
		for _, i := range g.racks {
			fit := &l.Racks[i]
			rack := &racks[fit.Rack]
			b.servers += fit.Servers
			b.used += float64(fit.UsedW)
			b.reserved += float64(max(0, rack.ReserveW))
			binding[fit.Binding]++
			if rack.PowerW < 0 {
				b.noLimit++
				continue
			}
			b.limit += float64(rack.PowerW)
			free := float64(max(0, fit.FreeW))
			if fit.Binding == placement.Order {
				b.headroom += free
			} else {
				b.stranded += free
			}
		}
		for _, n := range limitNames { // in the order in which ties are named
			if binding[n.limit] > b.bindingRacks {
				b.binding, b.bindingRacks = n.limit, binding[n.limit]
			}
		}
		first := true
		for _, i := range g.racks {
			if fit := &l.Racks[i]; fit.Binding != b.binding {
				continue
			} else if first {
				b.ties, first = slices.Clone(fit.Ties), false
			} else {
				b.ties = slices.DeleteFunc(b.ties, func(l placement.Limit) bool { return !slices.Contains(fit.Ties, l) })
			}
		}
		bars = append(bars, b)
	}
	return bars, what
}

// rackGroup is the racks of one bar, as indices in Layout.Racks.
type rackGroup struct {
	name  string
	racks []int
}

// rackGroups returns one group a rack while there are few, else one a row, else runs of racks.
func rackGroups(l *placement.Layout) ([]rackGroup, string) {
	racks := l.Facility.Racks
	valid := make([]int, 0, len(l.Racks))
	for i := range l.Racks {
		if k := l.Racks[i].Rack; k >= 0 && k < len(racks) {
			valid = append(valid, i)
		}
	}
	if len(valid) <= mostBars {
		var out []rackGroup
		for _, i := range valid {
			out = append(out, rackGroup{racks[l.Racks[i].Rack].ID, []int{i}})
		}
		return out, "per rack"
	}
	var rows []rackGroup
	at := map[string]int{}
	for _, i := range valid {
		row := racks[l.Racks[i].Rack].Row
		k, ok := at[row]
		if !ok {
			k = len(rows)
			at[row] = k
			rows = append(rows, rackGroup{name: row})
		}
		rows[k].racks = append(rows[k].racks, i)
	}
	if len(rows) > 1 && len(rows) <= mostBars {
		return rows, "per row of racks"
	}
	size := (len(valid) + mostBars - 1) / mostBars
	var out []rackGroup
	for i := 0; i < len(valid); i += size {
		g := valid[i:min(i+size, len(valid))]
		first, end := racks[l.Racks[g[0]].Rack].ID, racks[l.Racks[g[len(g)-1]].Rack].ID
		out = append(out, rackGroup{first + "–" + end, g})
	}
	return out, fmt.Sprintf("per %d racks", size)
}

// fitMark draws the bars with what stops each under it.
type fitMark struct {
	bars           []fitBar
	k              float64
	names          vg.Length // room for upright names
	upright, words bool      // names stand upright; limits are named and not lettered
}

func (m fitMark) label() string { return "fit" }
func (m fitMark) below() bool   { return false }

func (m fitMark) draw(p *pen, t trans) {
	slot := (t.r.Max.X - t.r.Min.X) / vg.Length(len(m.bars))
	barW := min(slot*0.74, 90)
	for i, b := range m.bars {
		x := t.x(float64(i))
		y := 0.0
		part := func(w float64, fill func(r vg.Rectangle)) {
			if w <= 0 {
				return
			}
			fill(vg.Rectangle{Min: vg.Point{X: x - barW/2, Y: t.y(y * m.k)}, Max: vg.Point{X: x + barW/2, Y: t.y((y + w) * m.k)}})
			y += w
		}
		solid := func(c color.RGBA) func(vg.Rectangle) {
			return func(r vg.Rectangle) {
				p.rect(r, c)
				p.frame(r, draw.LineStyle{Color: grey, Width: lineGrid})
			}
		}
		part(b.used, solid(navy))
		usedTop := t.y(y * m.k)
		part(b.reserved, solid(sky))
		part(b.headroom, solid(greenTint))
		part(b.stranded, func(r vg.Rectangle) { p.hatch(r, orangeInk) })
		if y > 0 { // the edge says which limit stops the next server, as the words below do
			edge := vg.Rectangle{Min: vg.Point{X: x - barW/2, Y: t.y(0)}, Max: vg.Point{X: x + barW/2, Y: t.y(y * m.k)}}
			p.frame(edge, draw.LineStyle{Color: edgeColor(b.binding), Width: 2.5})
		}
		if b.limit > 0 && b.noLimit == 0 {
			ly := t.y(b.limit * m.k)
			p.line(x-slot/2, ly, x+slot/2, ly, limitStyle())
		}
		if usedTop-t.r.Min.Y > sizePanel*1.8 && textWidth(show.Count(b.servers), sizePanel, true) < barW {
			p.text(x, usedTop-6, show.Count(b.servers), style{size: sizePanel, bold: true, color: white, ax: 0.5, ay: 1})
		} else {
			p.text(x, t.y(y*m.k)+4, show.Count(b.servers), style{size: sizeTick, color: ink, ax: 0.5})
		}
		foot := t.r.Min.Y - 8
		if m.upright {
			p.text(x, foot, fit(b.name, sizeTick, false, m.names-10), style{size: sizeTick, color: ink, ax: 1, ay: 0.5, turn: math.Pi / 2})
			foot -= m.names
		} else {
			p.text(x, foot, b.name, style{size: sizeTick, color: ink, ax: 0.5, ay: 1})
			foot -= sizeTick + 8
		}
		name := b.letters()
		if m.words {
			name = b.words()
		}
		lines := wrap(name, sizeSmall, true, slot-4, 2)
		for _, s := range lines {
			p.text(x, foot, s, style{size: sizeSmall, bold: true, color: limitColor(b.binding), ax: 0.5, ay: 1})
			foot -= sizeSmall + 3
		}
		if b.racks > 1 && m.words {
			p.text(x, foot, fit(fmt.Sprintf("%d of %d racks", b.bindingRacks, b.racks), sizeSmall, false, slot-4), style{size: sizeSmall, color: grey, ax: 0.5, ay: 1})
		}
	}
}

// footNames is the most room that names turned upright get.
const footNames = vg.Length(90)

// foot is the height that names and binding limits take under the bars.
func (m fitMark) foot() vg.Length {
	h := 8 + sizeTick + 8 + 2*(sizeSmall+3)
	if m.upright {
		h += m.names - sizeTick - 8
	}
	if m.words && m.bars[0].racks > 1 {
		h += sizeSmall + 3
	}
	return h
}

// newFitMark settles how names fit under bars that share a width.
func newFitMark(bars []fitBar, k float64, width vg.Length) fitMark {
	m := fitMark{bars: bars, k: k}
	slot := width / vg.Length(len(bars))
	m.words = slot >= textWidth("upstream", sizeSmall, true)+4
	for _, b := range bars {
		for _, line := range wrap(b.words(), sizeSmall, true, slot-4, 2) {
			m.words = m.words && !strings.HasSuffix(line, "…") // letters where words would be cut off
		}
		if textWidth(b.name, sizeTick, false) > slot-4 {
			m.upright = true
		}
		m.names = min(footNames, max(m.names, textWidth(b.name, sizeTick, false)+12))
	}
	return m
}

// edgeColor is the colour of a bar's edge by what stops the next server there: of power, of cooling, of the rack's frame.
func edgeColor(l placement.Limit) color.RGBA {
	switch l {
	case placement.Power:
		return orangeInk
	case placement.Feed, placement.Phase, placement.Upstream:
		return limitRed
	case placement.Air, placement.Airflow:
		return sky
	case placement.Liquid, placement.Flow, placement.Plant:
		return green
	case placement.Space, placement.Weight, placement.Kind:
		return purple
	}
	return grey
}

func limitColor(l placement.Limit) color.RGBA {
	switch l {
	case placement.Order:
		return green
	case "":
		return grey
	}
	return orangeInk
}
