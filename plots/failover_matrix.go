package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility/placement"
	"headroom/plots/show"
)

// matrix is every loss against every rack, or group of racks where there are too many to name.
type matrix struct {
	groups []rackGroup
	what   string // "per rack"
	lines  []lossLine
	cells  [][]fateCell // by line and column
	shedW  []float64    // by line: plan power that racks lose in its worst loss
}

// fateCell is the worst state among a column's racks.
type fateCell struct {
	state string
	share float64 // least share left
	racks int     // that are not normal
}

var fateRank = map[string]int{placement.Normal: 0, placement.Unknown: 1, placement.RedundancyLost: 2, placement.Degraded: 3, placement.Lost: 4}

// newMatrix is nil where the placement does not say how racks fare.
func newMatrix(l *placement.Layout, lines []lossLine) *matrix {
	known := false
	for _, f := range l.Failover {
		known = known || f.Fates != nil
	}
	if !known || len(lines) == 0 {
		return nil
	}
	m := &matrix{lines: lines}
	m.groups, m.what = rackGroups(l)
	column := map[int]int{} // rack → column
	usedW := map[int]float64{}
	for k, g := range m.groups {
		for _, i := range g.racks {
			column[l.Racks[i].Rack] = k
			usedW[l.Racks[i].Rack] = float64(l.Racks[i].UsedW)
		}
	}
	if len(m.groups) == 0 {
		return nil
	}
	for _, line := range lines {
		row := make([]fateCell, len(m.groups))
		for k := range row {
			row[k] = fateCell{placement.Normal, 1, 0}
		}
		most := 0.0
		for _, fates := range line.fates {
			shed := 0.0
			for _, f := range fates {
				k, ok := column[f.Rack]
				if !ok || f.State == placement.Normal {
					continue
				}
				c := &row[k]
				c.racks++
				if fateRank[f.State] > fateRank[c.state] {
					c.state = f.State
				}
				if finite(f.Share) {
					c.share = math.Min(c.share, f.Share)
					shed += (1 - f.Share) * usedW[f.Rack]
				}
			}
			most = math.Max(most, shed)
		}
		m.cells, m.shedW = append(m.cells, row), append(m.shedW, most)
	}
	return m
}

func (m *matrix) title() string {
	if m.what == "per rack" {
		return "Each rack's state after each single loss"
	}
	return "The worst state " + m.what + " after each single loss"
}

func (m *matrix) draw(p *pen, r vg.Rectangle) {
	names := vg.Length(0)
	for _, x := range m.lines {
		names = max(names, textWidth(x.name(), sizeLabel, false))
	}
	names = min(names+10, (r.Max.X-r.Min.X)*0.34)
	shed := textWidth("shed", sizeSmall, true)
	for _, w := range m.shedW {
		shed = max(shed, textWidth(show.Watts(w), sizeSmall, true))
	}
	shed += 12
	x := r.Min.X + names
	for _, s := range stateFills[:4] {
		sw := vg.Rectangle{Min: vg.Point{X: x, Y: r.Max.Y - 17}, Max: vg.Point{X: x + 18, Y: r.Max.Y - 5}}
		p.rect(sw, s.fill)
		p.frame(sw, draw.LineStyle{Color: grey, Width: lineGrid})
		p.text(x+23, r.Max.Y-11, s.state, style{size: sizeLabel, color: ink, ay: 0.5})
		x += 36 + textWidth(s.state, sizeLabel, false)
	}
	p.text(r.Max.X-4, r.Max.Y-11, "shed", style{size: sizeSmall, bold: true, color: grey, ax: 1, ay: 0.5})
	width := r.Max.X - r.Min.X - names - shed - 4
	w := width / vg.Length(len(m.groups))
	bottom := r.Min.Y
	for i, line := range m.lines {
		y, h := lossRow(r, len(m.lines), i)
		bottom = y - h/2
		p.text(r.Min.X+names-8, y, fit(line.name(), sizeLabel, false, names-10), style{size: sizeLabel, color: ink, ax: 1, ay: 0.5})
		for k, c := range m.cells[i] {
			at := r.Min.X + names + w*vg.Length(k)
			cell := vg.Rectangle{Min: vg.Point{X: at, Y: y - h*0.42}, Max: vg.Point{X: at + w, Y: y + h*0.42}}
			fill := missGrey
			for _, s := range stateFills {
				if s.state == c.state {
					fill = s.fill
				}
			}
			p.rect(cell, fill)
			p.frame(cell, draw.LineStyle{Color: white, Width: lineFine})
			text := ""
			switch {
			case c.state == placement.Degraded && c.share < 1:
				text = fmt.Sprintf("%.0f %%", 100*c.share)
				if textWidth(text, sizeSmall, true)+3 >= w {
					text = fmt.Sprintf("%.0f", 100*c.share)
				}
			case len(m.groups[k].racks) > 1 && c.racks > 0:
				text = show.Count(c.racks)
			}
			if text != "" && textWidth(text, sizeSmall, true)+3 < w && h*0.84 > sizeSmall {
				p.text(at+w/2, y, text, style{size: sizeSmall, bold: true, color: textOn(fill), ax: 0.5, ay: 0.5})
			}
		}
		s := "0"
		if m.shedW[i] > 0 {
			s = show.Watts(m.shedW[i])
		}
		p.text(r.Max.X-4, y, s, style{size: sizeSmall, bold: m.shedW[i] > 0, color: ink, ax: 1, ay: 0.5})
	}
	m.names(p, r.Min.X+names, w, bottom-3, bottom-r.Min.Y-4)
}

// names writes the columns' names under the matrix, upright where they are wide, thinned where they are close.
func (m *matrix) names(p *pen, x0, w, y, room vg.Length) {
	turn := false
	for _, g := range m.groups {
		turn = turn || textWidth(clean(g.name), sizeSmall, false) > w-3
	}
	if room < sizeSmall {
		return
	}
	step := 1
	if turn && w < sizeSmall+1 {
		step = int(math.Ceil(float64((sizeSmall + 1) / w)))
	}
	for k, g := range m.groups {
		if k%step != 0 {
			continue
		}
		x := x0 + w*(vg.Length(k)+0.5)
		if turn {
			p.text(x, y, fit(g.name, sizeSmall, false, room-4), style{size: sizeSmall, color: ink, ax: 1, ay: 0.5, turn: math.Pi / 2})
		} else {
			p.text(x, y, fit(g.name, sizeSmall, false, w-2), style{size: sizeSmall, color: ink, ax: 0.5, ay: 1})
		}
	}
}
