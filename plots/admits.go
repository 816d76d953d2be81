package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility/placement"
	"headroom/plots/show"
	"headroom/sim"
)

// Admits returns how many servers each limit of the racks' own alone would admit, summed over racks, and how many
// racks state it. Limits that racks share are left out: a sum over racks would count the same room many times.
func Admits(l *placement.Layout) (servers, stated map[placement.Limit]int) {
	servers, stated = map[placement.Limit]int{}, map[placement.Limit]int{}
	for _, a := range l.Alone {
		servers[a.Limit], stated[a.Limit] = a.Servers, a.Racks
	}
	return servers, stated
}

// drawAdmits draws, for every limit that is stated, how many servers it alone would let in, and below it what
// stops the next one.
func drawAdmits(p *pen, r vg.Rectangle, res *sim.Result) {
	l := res.Layout
	admits, stated := Admits(l)
	type row struct {
		name string
		n    int
	}
	var rows []row
	partly := false
	most := max(1, res.Capacity.ServersPlaced)
	for _, n := range limitNames {
		if stated[n.limit] == 0 {
			continue
		}
		name := n.name
		if stated[n.limit] < len(l.Racks) {
			name += "*"
			partly = true
		}
		rows = append(rows, row{name, admits[n.limit]})
		most = max(most, admits[n.limit])
	}
	y := r.Max.Y - 4
	nameW, numW := vg.Length(0), textWidth(show.Count(most), sizeLabel, true)
	for _, row := range rows {
		nameW = max(nameW, textWidth(row.name, sizeLabel, false))
	}
	const rowH = vg.Length(25)
	x0 := r.Min.X + nameW + 8
	full := r.Max.X - numW - 8 - x0
	top := y
	for _, row := range rows {
		mid := y - rowH/2
		c := sky
		if row.n <= res.Capacity.ServersPlaced {
			c = orange
		}
		p.text(x0-8, mid, row.name, style{size: sizeLabel, color: ink, ax: 1, ay: 0.5})
		w := full * vg.Length(float64(row.n)/float64(most))
		bar := vg.Rectangle{Min: vg.Point{X: x0, Y: mid - rowH*0.32}, Max: vg.Point{X: x0 + w, Y: mid + rowH*0.32}}
		if w > 0 {
			p.rect(bar, c)
			p.frame(bar, draw.LineStyle{Color: grey, Width: lineGrid})
		}
		p.text(x0+w+5, mid, show.Count(row.n), style{size: sizeLabel, bold: c == orange, color: ink, ay: 0.5})
		y -= rowH
	}
	if len(rows) == 0 {
		p.text(r.Min.X, y, "unknown: no limit is stated per rack", style{size: sizeLabel, color: grey, ay: 1})
		y -= rowH
	} else {
		x := x0 + full*vg.Length(float64(res.Capacity.ServersPlaced)/float64(most))
		p.line(x, top, x, y, draw.LineStyle{Color: ink, Width: lineData, Dashes: dashFine})
		p.text(min(x, r.Max.X-40), y-3, "placed: "+show.Count(res.Capacity.ServersPlaced), style{size: sizeTick, bold: true, color: ink, ax: 0.5, ay: 1})
		y -= sizeTick + 10
	}
	if partly {
		p.text(r.Min.X, y, fit("* stated in part of the racks only", sizeSmall, false, r.Max.X-r.Min.X), style{size: sizeSmall, color: grey, ay: 1})
		y -= sizeSmall + 6
	}
	if b := res.Capacity.ServersBound; b > 0 {
		p.text(r.Min.X, y, fit("Proven maximum: "+show.Of(b, "server"), sizeLabel, false, r.Max.X-r.Min.X), style{size: sizeLabel, color: ink, ay: 1})
		y -= sizeLabel + 18
	}
	p.text(r.Min.X, y, "What stops the next server", style{size: sizePanel, bold: true, color: ink, ay: 1})
	y -= sizePanel + 8
	if len(res.Capacity.Binding) == 0 {
		p.text(r.Min.X, y, "unknown", style{size: sizeLabel, color: grey, ay: 1})
		return
	}
	for i, b := range res.Capacity.Binding {
		if y < r.Min.Y+3*(sizeLabel+3) {
			p.text(r.Min.X, y, fmt.Sprintf("and %d more, in the report", len(res.Capacity.Binding)-i), style{size: sizeLabel, color: grey, ay: 1})
			return
		}
		head, _ := BindingNames(&b)
		if b.Where != "" && b.Where != "racks" {
			head += " at " + b.Where
		}
		for _, s := range wrap(head, sizeLabel, true, r.Max.X-r.Min.X, 2) {
			p.text(r.Min.X, y, s, style{size: sizeLabel, bold: true, color: limitColor(placement.Limit(b.Limit)), ay: 1})
			y -= sizeLabel + 3
		}
		what := show.Of(b.Racks, "rack")
		if b.Short.Known() && b.Short > 0 {
			what += ", short by " + show.Quantity(float64(b.Short), b.Unit)
		}
		p.text(r.Min.X, y, fit(what, sizeLabel, false, r.Max.X-r.Min.X), style{size: sizeLabel, color: grey, ay: 1})
		y -= sizeLabel + 9
	}
}
