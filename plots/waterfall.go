package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility/placement"
	"headroom/plots/show"
	"headroom/sim"
)

func waterfallFigure(r *sim.Result) *figure {
	l := r.Layout
	const title = "From installed to used power"
	if l == nil || l.Facility == nil || l.Waterfall.Level == "" || !(l.Waterfall.InstalledW > 0) {
		return figureWithout(r, title, "Unknown: the scenario states neither a power graph nor the racks' limits.")
	}
	w := l.Waterfall
	stranded, used := int64(0), int64(0)
	for _, s := range w.Steps {
		switch {
		case strings.HasPrefix(s.Name, placement.StepStranded):
			stranded += s.W
		case s.Name == placement.StepUsed:
			used = s.W
		}
	}
	f := &figure{
		title:    fmt.Sprintf("Of %s installed %s is used; %s is stranded", show.Watts(float64(w.InstalledW)), show.Watts(float64(used)), show.Watts(float64(stranded))),
		subtitle: subtitle(r),
	}
	f.panels = []*panel{{
		at:    box{0, 0, 1, 1},
		title: fmt.Sprintf("kW at the level %s, as after: %s. Each bar takes its part off what is left of it", w.Level, w.Case),
		free:  func(p *pen, rect vg.Rectangle) { drawWaterfall(p, rect, w) },
	}}
	f.notes = append(f.notes, "The bars add up to what is installed, to the watt. Basis of what is used: "+l.Facility.Basis.String()+". Stranded: free power of racks that no ordered server can use, by the limit that stops it.")
	if s := l.Stranded.PowerW; s > stranded {
		f.notes = append(f.notes, fmt.Sprintf("Against the racks' own limits %s is stranded. This level cannot feed all racks to their limits, so what other racks can still use of it is free here.", show.Watts(float64(s))))
	}
	return f
}

// stepStyle is the fill of a step: told apart in greyscale, stranded hatched.
func stepStyle(name string) (fill color.RGBA, hatched bool) {
	switch {
	case name == placement.StepUsed:
		return navy, false
	case name == placement.StepFree:
		return greenTint, false
	case name == placement.StepOver:
		return limitRed, false
	case strings.HasPrefix(name, placement.StepStranded):
		return orangeInk, true
	case name == placement.StepReserved:
		return sky, false
	}
	return missGrey, false
}

func drawWaterfall(p *pen, r vg.Rectangle, w placement.Waterfall) {
	bars := append([]placement.WaterfallStep{{Name: "installed", W: w.InstalledW}}, w.Steps...)
	const foot, left = vg.Length(58), vg.Length(70)
	base, top := r.Min.Y+foot, r.Max.Y-24
	scale := float64(top-base) / float64(w.InstalledW)
	y := func(watts float64) vg.Length { return base + vg.Length(math.Max(0, watts)*scale) }
	slot := (r.Max.X - r.Min.X - left) / vg.Length(len(bars))
	for k := range 5 { // a grid of quarters
		v := float64(w.InstalledW) * float64(k) / 4
		p.line(r.Min.X+left, y(v), r.Max.X, y(v), draw.LineStyle{Color: gridGrey, Width: lineGrid})
		p.text(r.Min.X+left-6, y(v), show.Watts(v), style{size: sizeTick, color: grey, ax: 1, ay: 0.5})
	}
	rest := float64(w.InstalledW)
	for i, b := range bars {
		x0 := r.Min.X + left + slot*(vg.Length(i)+0.12)
		x1 := r.Min.X + left + slot*(vg.Length(i)+0.88)
		hi, lo := rest, rest-float64(b.W)
		fill, hatched := stepStyle(b.Name)
		if i == 0 {
			hi, lo, fill = rest, 0, grey
		} else {
			rest = lo
		}
		bar := vg.Rectangle{Min: vg.Point{X: x0, Y: y(lo)}, Max: vg.Point{X: x1, Y: y(hi)}}
		switch {
		case hatched:
			p.hatch(bar, fill)
		default:
			p.rect(bar, fill)
			p.frame(bar, draw.LineStyle{Color: ink, Width: lineGrid})
		}
		if i+1 < len(bars) { // what is left goes on to the next
			p.line(x1, y(rest), x1+slot*0.24, y(rest), draw.LineStyle{Color: grey, Width: lineFine, Dashes: dashFine})
		}
		p.text((x0+x1)/2, y(max(hi, lo))+4, show.Watts(float64(b.W)), style{size: sizeLabel, bold: true, color: ink, ax: 0.5})
		ty := base - 6
		for _, line := range wrap(b.Name, sizeSmall, false, slot-6, 4) {
			p.text((x0+x1)/2, ty, line, style{size: sizeSmall, color: ink, ax: 0.5, ay: 1})
			ty -= sizeSmall + 2
		}
	}
	p.line(r.Min.X+left, base, r.Max.X, base, draw.LineStyle{Color: ink, Width: lineFine})
}
