package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/plots/show"
	"headroom/sim"
)

// phaseGroup is the legs of one row of racks, or of the site.
type phaseGroup struct {
	name  string
	legs  [3]float64 // W
	zero  [3]float64 // of them, what hangs between the line and the neutral
	racks int
	volts float64 // between lines, 0 where it is not stated or differs
}

// phaseMost is how many rows are drawn, the least even ones first.
const phaseMost = 14

var legFills = [3]color.RGBA{navy, sky, orange}

func phaseFigure(r *sim.Result) *figure {
	l := r.Layout
	const title = "Load of the phases"
	if l == nil || l.Facility == nil || len(l.Racks) == 0 {
		return figureWithout(r, title, "No racks: the result holds no placement.")
	}
	groups := phaseGroups(l)
	site := groups[0]
	if site.legs == [3]float64{} {
		return figureWithout(r, title, "No load: no server is placed.")
	}
	left := 0
	if len(groups) > phaseMost+1 {
		left = len(groups) - phaseMost - 1
		groups = groups[:phaseMost+1]
	}
	b := power.BalanceOf(site.legs[0], site.legs[1], site.legs[2])
	f := &figure{subtitle: subtitle(r)}
	f.title = fmt.Sprintf("The worst leg of the site is %s off the mean of its legs: %s", show.Percent(b.Imbalance), b.Verdict())
	f.panels = []*panel{{
		at: box{0, 0, 1, 1}, title: "Power on L1, L2 and L3 in normal service, kW",
		free: func(p *pen, rect vg.Rectangle) { drawPhases(p, rect, groups) },
	}}
	if left > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s are not drawn.", show.Of(left, "more row")))
	}
	how := "The supplies of a server are counted as spread evenly over the legs of its feeds; what does not divide by three goes to L1, then L2."
	if dealtLegs(l) {
		how = "Racks with single-phase circuits or dealt outlets are counted by the lines that they hang on, a load between two lines by half on each; all others as even."
	}
	f.notes = append(f.notes, how+" Basis: "+l.Facility.Basis.String()+". Neutral: without harmonics, at one power factor.")
	return f
}

// dealtLegs says whether some load of a layout hangs on lines of its own.
func dealtLegs(l *placement.Layout) bool {
	for i := range l.Facility.Racks {
		r := &l.Facility.Racks[i]
		if r.Outlets != facility.EvenOutlets {
			return true
		}
		for _, n := range r.Feeds {
			if g := l.Facility.Power; g != nil && n >= 0 && n < len(g.Nodes) && g.Nodes[n].Lines != power.ThreePhase {
				return true
			}
		}
	}
	return false
}

func phaseGroups(l *placement.Layout) []phaseGroup {
	site := phaseGroup{name: "site"}
	at := map[string]int{}
	groups := []phaseGroup{{}}
	for _, fit := range l.Racks {
		if fit.Rack < 0 || fit.Rack >= len(l.Facility.Racks) {
			continue
		}
		rack := &l.Facility.Racks[fit.Rack]
		volts := 0.0
		if g := l.Facility.Power; g != nil {
			for _, n := range rack.Feeds {
				if n >= 0 && n < len(g.Nodes) {
					volts = g.Nodes[n].VoltageLL
				}
			}
		}
		i, ok := at[rack.Row]
		if !ok {
			i = len(groups)
			at[rack.Row] = i
			groups = append(groups, phaseGroup{name: "row " + rack.Row, volts: volts})
		}
		for leg, w := range fit.PhaseW {
			groups[i].legs[leg] += float64(w)
			site.legs[leg] += float64(w)
			groups[i].zero[leg] += float64(fit.NeutralW[leg])
			site.zero[leg] += float64(fit.NeutralW[leg])
		}
		if groups[i].volts != volts {
			groups[i].volts = 0
		}
		groups[i].racks++
		site.racks++
	}
	groups[0] = site
	return groups
}

func drawPhases(p *pen, r vg.Rectangle, groups []phaseGroup) {
	hi := 0.0
	for _, g := range groups[1:] {
		hi = math.Max(hi, math.Max(g.legs[0], math.Max(g.legs[1], g.legs[2])))
	}
	const foot, left, key = vg.Length(64), vg.Length(64), vg.Length(26)
	base, top := r.Min.Y+foot, r.Max.Y-key-18
	x := r.Min.X + left
	for leg, fill := range legFills {
		sw := vg.Rectangle{Min: vg.Point{X: x, Y: r.Max.Y - 17}, Max: vg.Point{X: x + 18, Y: r.Max.Y - 5}}
		p.rect(sw, fill)
		p.frame(sw, draw.LineStyle{Color: grey, Width: lineGrid})
		p.text(x+23, r.Max.Y-11, fmt.Sprintf("L%d", leg+1), style{size: sizeLabel, color: ink, ay: 0.5})
		x += 60
	}
	slot := (r.Max.X - r.Min.X - left) / vg.Length(len(groups))
	for i, g := range groups {
		scale := hi
		if i == 0 { // the site has a scale of its own: its bars are as high as they go
			scale = math.Max(g.legs[0], math.Max(g.legs[1], g.legs[2]))
		}
		b := power.BalanceOf(g.legs[0], g.legs[1], g.legs[2])
		x0 := r.Min.X + left + slot*vg.Length(i)
		w := min(slot*0.8/3, 60)
		start := x0 + (slot-3*w)/2
		for leg, v := range g.legs {
			h := vg.Length(0)
			if scale > 0 {
				h = vg.Length(v/scale) * (top - base)
			}
			bar := vg.Rectangle{Min: vg.Point{X: start + w*vg.Length(leg), Y: base}, Max: vg.Point{X: start + w*vg.Length(leg+1), Y: base + h}}
			p.rect(bar, legFills[leg])
			p.frame(bar, draw.LineStyle{Color: ink, Width: lineGrid})
			text := show.Watts(v)
			if textWidth(text, sizeSmall, true) < w+4 {
				p.text(start+w*(vg.Length(leg)+0.5), base+h+3, text, style{size: sizeSmall, bold: true, color: ink, ax: 0.5})
			} else if h > textWidth(text, sizeSmall, true)+8 {
				p.text(start+w*(vg.Length(leg)+0.5), base+h-5, text, style{size: sizeSmall, color: textOn(legFills[leg]), ax: 1, ay: 0.5, turn: math.Pi / 2})
			}
		}
		mid := x0 + slot/2
		p.text(mid, base-6, fit(g.name, sizeLabel, true, slot-4), style{size: sizeLabel, bold: true, color: ink, ax: 0.5, ay: 1})
		p.text(mid, base-24, fit("worst "+show.Percent(b.Imbalance)+" off", sizeSmall, false, slot-4), style{size: sizeSmall, color: ink, ax: 0.5, ay: 1})
		if g.volts > 0 {
			a := math.Sqrt(3) / g.volts // W of one leg to A: three legs make √3·V·I
			neutral := power.NeutralA(g.zero[0]*a, g.zero[1]*a, g.zero[2]*a)
			p.text(mid, base-40, fit(fmt.Sprintf("neutral %.1f A", neutral), sizeSmall, false, slot-4), style{size: sizeSmall, color: ink, ax: 0.5, ay: 1})
		}
		if i == 0 {
			p.line(x0+slot-1, base-foot+8, x0+slot-1, top+16, draw.LineStyle{Color: gridGrey, Width: lineFine})
		}
	}
	p.line(r.Min.X+left, base, r.Max.X, base, draw.LineStyle{Color: ink, Width: lineFine})
}
