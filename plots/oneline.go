package plots

import (
	"fmt"
	"image/color"
	"math"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/plots/show"
	"headroom/sim"
)

// element is one box of the one-line diagram: a node, the circuits below one node, or what a row has too many of.
type element struct {
	name, what string
	loadW      float64 // after the worst loss
	share      float64 // NaN unknown
	lost       string
	nodes      []int
	level      int
	x          float64 // place in its row, 0 to 1
}

// onelineMost is how many boxes a row of the diagram takes; the rest of a row is one box.
const onelineMost = 8

func onelineFigure(r *sim.Result) *figure {
	l := r.Layout
	const title = "One-line diagram"
	if l == nil || l.Facility == nil || l.Facility.Power == nil || len(l.Facility.Power.Nodes) == 0 {
		return figureWithout(r, title, "No power graph: the scenario states none.")
	}
	if len(l.Loads) != len(l.Facility.Power.Nodes) {
		return figureWithout(r, title, "No loads: the result holds no failover.")
	}
	rows, at := onelineRows(l)
	worst := -1
	for n := range l.Loads {
		if s := l.Loads[n].WorstShare; finite(s) && (worst < 0 || s > l.Loads[worst].WorstShare) {
			worst = n
		}
	}
	f := &figure{title: title, subtitle: subtitle(r)}
	if worst >= 0 {
		x := l.Loads[worst]
		f.title = fmt.Sprintf("After the worst loss %s carries %s of what it may", l.Facility.Power.Nodes[worst].ID, show.Percent(x.WorstShare))
		if x.WorstLost == "" {
			f.title = fmt.Sprintf("No loss raises %s, the fullest element, above %s", l.Facility.Power.Nodes[worst].ID, show.Percent(x.WorstShare))
		}
	}
	f.panels = []*panel{{
		at: box{0, 0, 1, 1}, title: "Every element with its load after the single loss that is worst for it, and that load's share of what it may carry",
		free: func(p *pen, rect vg.Rectangle) { drawOneline(p, rect, l, rows, at) },
	}}
	f.notes = append(f.notes, "Circuits that end at racks are drawn as one box for each element that feeds them, with the fullest of them. Basis: "+l.Facility.Basis.String()+". Dashed red: over its limit.")
	return f
}

// onelineRows puts the nodes in rows by their distance from the sources, and says in which box each node is.
func onelineRows(l *placement.Layout) (rows [][]*element, at []*element) {
	g := l.Facility.Power
	level := make([]int, len(g.Nodes))
	at = make([]*element, len(g.Nodes))
	circuits := map[string]*element{}
	for n := range g.Nodes {
		for _, p := range g.Parents(n) {
			level[n] = max(level[n], level[p]+1)
		}
		node := &g.Nodes[n]
		what := node.Element
		if what == "" {
			what = node.Kind.String()
		}
		if node.Units > 1 {
			what = fmt.Sprintf("%d × %s", node.Units, what)
		}
		x := l.Loads[n]
		e := &element{name: node.ID, what: what, loadW: float64(x.WorstW), share: x.WorstShare, lost: x.WorstLost, nodes: []int{n}, level: level[n]}
		if node.Kind == power.RackFeed {
			key := fmt.Sprint(g.Parents(n))
			if c := circuits[key]; c != nil {
				c.merge(e)
				c.what = fmt.Sprintf("%d rack circuits", len(c.nodes))
				at[n] = c
				continue
			}
			circuits[key] = e
		}
		at[n] = e
		for len(rows) <= level[n] {
			rows = append(rows, nil)
		}
		rows[level[n]] = append(rows[level[n]], e)
	}
	for k := range rows {
		if len(rows[k]) <= onelineMost {
			continue
		}
		full := append([]*element(nil), rows[k]...)
		sort.SliceStable(full, func(a, b int) bool { return clampShare(full[a].share) > clampShare(full[b].share) })
		keep := map[*element]bool{}
		for _, e := range full[:onelineMost-1] {
			keep[e] = true
		}
		var row []*element
		rest := &element{level: k, share: math.NaN()}
		for _, e := range rows[k] {
			if keep[e] {
				row = append(row, e)
				continue
			}
			count := len(rest.nodes)
			rest.merge(e)
			if count == 0 {
				rest.name, rest.lost = e.name, e.lost
			}
		}
		for _, n := range rest.nodes {
			at[n] = rest
		}
		rest.what = fmt.Sprintf("%d more, the fullest", len(rows[k])-len(row))
		rows[k] = append(row, rest)
	}
	for _, row := range rows {
		for i, e := range row {
			e.x = (float64(i) + 0.5) / float64(len(row))
		}
	}
	return rows, at
}

// merge takes another element into a box; the fullest speaks for it.
func (e *element) merge(o *element) {
	e.nodes = append(e.nodes, o.nodes...)
	if !(e.share >= o.share) {
		e.name, e.share, e.loadW, e.lost = o.name, o.share, o.loadW, o.lost
	}
}

func drawOneline(p *pen, r vg.Rectangle, l *placement.Layout, rows [][]*element, at []*element) {
	g := l.Facility.Power
	h := (r.Max.Y - r.Min.Y) / vg.Length(len(rows))
	boxH := min(h*0.72, 78)
	place := func(e *element) vg.Rectangle {
		n := len(rows[e.level])
		w := min((r.Max.X-r.Min.X)/vg.Length(n)*0.92, 250)
		x := r.Min.X + vg.Length(e.x)*(r.Max.X-r.Min.X)
		y := r.Max.Y - h*(vg.Length(e.level)+0.5)
		return vg.Rectangle{Min: vg.Point{X: x - w/2, Y: y - boxH/2}, Max: vg.Point{X: x + w/2, Y: y + boxH/2}}
	}
	// Feeds first, each pair of boxes once; the second source of a transfer dashed.
	type edge struct{ from, to *element }
	drawn := map[edge]bool{}
	for n := range g.Nodes {
		for k, parent := range g.Parents(n) {
			ed := edge{at[parent], at[n]}
			if ed.from == ed.to || drawn[ed] {
				continue
			}
			drawn[ed] = true
			a, b := place(ed.from), place(ed.to)
			st := draw.LineStyle{Color: grey, Width: lineFine}
			if g.Nodes[n].Transfer && k > 0 {
				st.Dashes = dashFine
			}
			mid := (a.Min.Y + b.Max.Y) / 2
			xa, xb := (a.Min.X+a.Max.X)/2, (b.Min.X+b.Max.X)/2
			p.line(xa, a.Min.Y, xa, mid, st)
			p.line(xa, mid, xb, mid, st)
			p.line(xb, mid, xb, b.Max.Y, st)
		}
	}
	for _, row := range rows {
		for _, e := range row {
			e.draw(p, place(e))
		}
	}
}

func (e *element) draw(p *pen, b vg.Rectangle) {
	fill := missGrey
	if finite(e.share) {
		fill = onelineFill(e.share)
	}
	p.rect(b, fill)
	frame := draw.LineStyle{Color: ink, Width: lineFine}
	if e.share > 1 {
		frame = draw.LineStyle{Color: limitRed, Width: 2.4, Dashes: dashLimit}
	}
	p.frame(b, frame)
	text := textOn(fill)
	x, w, top := (b.Min.X+b.Max.X)/2, b.Max.X-b.Min.X-8, b.Max.Y
	lines := []struct {
		s    string
		size vg.Length
		bold bool
	}{
		{e.name, sizeSmall, true},
		{show.Percent(e.share) + ", " + show.Watts(e.loadW), sizeLabel, true},
		{e.what, sizeSmall, false},
	}
	if e.lost != "" {
		lines = append(lines, struct {
			s    string
			size vg.Length
			bold bool
		}{"after losing " + e.lost, sizeSmall, false})
	}
	step := (b.Max.Y - b.Min.Y) / vg.Length(len(lines))
	for i, line := range lines {
		if step < line.size && i > 1 {
			return
		}
		p.text(x, top-step*(vg.Length(i)+0.5), fit(line.s, line.size, line.bold, w), style{size: line.size, bold: line.bold, color: text, ax: 0.5, ay: 0.5})
	}
}

// onelineFill goes from pale to dark as an element fills, in lightness too.
func onelineFill(share float64) color.RGBA { return ramp(0.75 * clampShare(share)) }
