package plots

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

// WhatIf is a comparison as a chart needs it: figures of every side as bars, and what went on over time on axes that
// all share.
type WhatIf struct {
	Title   string   // the answer
	Names   []string // of the sides, the base first
	Seeds   []uint64
	Results []*sim.Result // of the first seed, in the order of Names
	Bars    []WhatIfBars
	Notes   []string
}

// WhatIfBars is one figure of every side.
type WhatIfBars struct {
	Name, Unit string
	Bars       []WhatIfBar
}

// WhatIfBar is one side's figure with its span over the seeds, NaN where there is none.
type WhatIfBar struct {
	Value, Low, High float64
	Text             string // the figure in words
	Delta            string // its difference from the base in words, "" for the base
}

// How many sides and figures one page holds; the table has them all.
const (
	whatIfSides   = 8
	whatIfColumns = 4
	whatIfBars    = 5
)

// DrawWhatIf writes the chart of a comparison in a format of Formats. Nothing is written unless the whole chart was
// drawn; the same comparison gives the same bytes.
func DrawWhatIf(t *WhatIf, format string, w io.Writer) error {
	if t == nil || len(t.Names) == 0 || len(t.Results) != len(t.Names) {
		return errors.New("plots: no comparison to draw")
	}
	var buf bytes.Buffer
	if err := whatIfFigure(t).write(format, &buf); err != nil {
		return fmt.Errorf("plots: chart whatif: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func whatIfFigure(t *WhatIf) *figure {
	f := &figure{title: t.Title, subtitle: t.subtitle(), notes: append([]string{}, t.Notes...)}
	sides, columns := min(len(t.Names), whatIfSides), min(len(t.Names), whatIfColumns)
	tables := make([]table, columns)
	ran := false
	for i := range tables {
		tables[i] = seriesOf(t.Results[i])
		ran = ran || tables[i].why == ""
	}
	split := 1.0
	if ran {
		split = min(0.18+0.045*float64(sides), 0.44)
	}
	bars := &panel{at: box{0, 0, 1, split}, title: "Figures side by side: bars of one figure share their scale"}
	bars.free = func(p *pen, r vg.Rectangle) { t.drawBars(p, r, sides) }
	f.panels = []*panel{bars}
	if len(t.Names) > sides {
		f.notes = append(f.notes, fmt.Sprintf("%s more in the table.", show.Of(len(t.Names)-sides, "variant")))
	}
	if !ran {
		return f
	}
	if len(t.Names) > columns {
		f.notes = append(f.notes, fmt.Sprintf("Over time: the first %d of %d.", columns, len(t.Names)))
	}
	middle := split + (1-split)*0.46
	power, heat := make([]*panel, columns), make([]*panel, columns)
	for i := range tables {
		x0, x1 := float64(i)/float64(columns), float64(i+1)/float64(columns)
		if i+1 < columns {
			x1 -= 0.012
		}
		power[i] = &panel{at: box{x0, split + 0.03, x1, middle - 0.005}, title: clean(t.Names[i]) + ": power"}
		heat[i] = &panel{at: box{x0, middle + 0.015, x1, 1}, title: clean(t.Names[i]) + ": temperature"}
	}
	whatIfPower(power, tables)
	whatIfHeat(heat, tables, t.Results)
	for i := range tables {
		quietAbove(power[i], heat[i])
		f.panels = append(f.panels, power[i], heat[i])
	}
	if len(t.Seeds) > 1 {
		f.notes = append(f.notes, "Strokes on bars: from the lowest to the highest seed. ±: 95 % interval of the paired difference; ~: no difference shown.")
	}
	f.notes = append(f.notes, power[0].binNote(&tables[0])...)
	return f
}

func (t *WhatIf) subtitle() string {
	parts := []string{}
	for i, r := range t.Results {
		s := clean(t.Names[i])
		if id := r.Run.ID; len(id) >= 8 {
			s += " run " + id[:8]
		}
		parts = append(parts, s)
	}
	s := strings.Join(parts, " · ")
	switch n := len(t.Seeds); {
	case n == 1:
		s += fmt.Sprintf(" · seed %d", t.Seeds[0])
	case n > 1:
		s += fmt.Sprintf(" · seeds %d to %d, over time: seed %d", t.Seeds[0], t.Seeds[n-1], t.Seeds[0])
	}
	return s
}

// whatIfFill tells the base from what is held against it.
func whatIfFill(i int) color.RGBA {
	if i == 0 {
		return missGrey
	}
	return sky
}

// drawBars draws a table of bars: a line a side, a column a figure.
func (t *WhatIf) drawBars(p *pen, r vg.Rectangle, sides int) {
	figures := t.Bars[:min(len(t.Bars), whatIfBars)]
	if len(figures) == 0 {
		p.nothing(r, "No figure is known.")
		return
	}
	nameW := vg.Length(0)
	for _, n := range t.Names[:sides] {
		nameW = max(nameW, textWidth(clean(n), sizeLabel, true))
	}
	nameW = min(nameW, 150) + 14
	const headH = sizeLabel + 10
	colW := (r.Max.X - r.Min.X - nameW) / vg.Length(len(figures))
	rowH := min((r.Max.Y-r.Min.Y-headH)/vg.Length(sides), 62)
	y0 := r.Max.Y - headH
	for i, n := range t.Names[:sides] {
		y := y0 - (vg.Length(i)+0.5)*rowH
		if i > 0 {
			p.line(r.Min.X, y+rowH/2, r.Max.X, y+rowH/2, draw.LineStyle{Color: gridGrey, Width: lineGrid})
		}
		p.text(r.Min.X, y, fit(n, sizeLabel, true, nameW-10), style{size: sizeLabel, bold: true, color: ink, ay: 0.5})
	}
	for k, f := range figures {
		x := r.Min.X + nameW + vg.Length(k)*colW
		p.text(x, r.Max.Y-2, fit(f.Name, sizeLabel, true, colW-14), style{size: sizeLabel, bold: true, color: ink, ay: 1})
		top := 0.0
		for _, b := range f.Bars[:min(sides, len(f.Bars))] {
			for _, v := range []float64{b.Value, b.High} {
				if finite(v) {
					top = math.Max(top, v)
				}
			}
		}
		whole := colW - 16
		for i, b := range f.Bars[:min(sides, len(f.Bars))] {
			y := y0 - (vg.Length(i)+0.5)*rowH
			h := min(rowH*0.34, 15)
			words := b.Text
			if b.Delta != "" {
				words += " (" + b.Delta + ")"
			}
			ty := y + h*0.55
			p.text(x, ty, fit(words, sizeSmall, false, colW-12), style{size: sizeSmall, color: ink, ay: 0})
			bar := vg.Rectangle{Min: vg.Point{X: x, Y: y - h*0.95}, Max: vg.Point{X: x, Y: y + h*0.05}}
			switch {
			case !finite(b.Value):
				continue
			case top > 0 && b.Value > 0:
				bar.Max.X = x + vg.Length(b.Value/top)*whole
			}
			if bar.Max.X-bar.Min.X < 1.5 { // nothing, or too little to see: a stroke at 0
				bar.Max.X = bar.Min.X + 1.5
			}
			p.rect(bar, whatIfFill(i))
			p.line(x, bar.Min.Y-2, x, bar.Max.Y+2, draw.LineStyle{Color: grey, Width: lineGrid})
			if finite(b.Low) && finite(b.High) && top > 0 && b.High > b.Low {
				lo, hi := x+vg.Length(math.Max(b.Low, 0)/top)*whole, x+vg.Length(b.High/top)*whole
				st := draw.LineStyle{Color: ink, Width: lineFine}
				mid := (bar.Min.Y + bar.Max.Y) / 2
				p.line(lo, mid, hi, mid, st)
				p.line(lo, mid-3, lo, mid+3, st)
				p.line(hi, mid-3, hi, mid+3, st)
			}
		}
	}
}

// whatIfPower draws facility and IT power of every side over time, on one range.
func whatIfPower(panels []*panel, tables []table) {
	top := 0.0
	for i := range tables {
		t := &tables[i]
		if panels[i].why = t.lacking("facility_w"); panels[i].why == "" {
			top = math.Max(top, maxOf(t.col("facility_w")))
		}
	}
	factor, unit := wattUnit(top)
	_, top = fromZero(top * factor)
	for i, pn := range panels {
		if pn.why != "" {
			continue
		}
		t := &tables[i]
		pn.x, pn.y = t.timeAxis(), axis{min: 0, max: top, unit: unit, ticker: numberTicks{want: 4}}
		pn.plain(t, "facility", scaleBy(t.col("facility_w"), factor), navy, navyTint)
		if v := t.col("it_w"); v != nil {
			pn.plain(t, "IT", scaleBy(v, factor), orangeInk, orangeTnt)
		}
	}
}

// whatIfHeat draws the hottest GPU and the hottest inlet of every side over time with their limits, on one range.
func whatIfHeat(panels []*panel, tables []table, results []*sim.Result) {
	lo, hi := math.Inf(1), math.Inf(-1)
	hold := func(v ...float64) {
		l, h := extent(v)
		lo, hi = math.Min(lo, l), math.Max(hi, h)
	}
	limits := make([]modelLimits, len(panels))
	for i := range tables {
		t := &tables[i]
		limits[i] = limitsOf(results[i])
		if panels[i].why = t.lacking("gpu_max_c", "inlet_max_c"); panels[i].why == "" {
			hold(t.col("gpu_max_c")...)
			hold(t.col("inlet_max_c")...)
			hold(limits[i].gpuC, limits[i].inletHighC)
		}
	}
	lo, hi = spread(lo, hi, 0.06)
	for i, pn := range panels {
		if pn.why != "" {
			continue
		}
		t := &tables[i]
		pn.x, pn.y = t.timeAxis(), axis{min: lo, max: hi, unit: "°C", ticker: numberTicks{want: 4}}
		limit := func(v float64, name string) {
			if finite(v) {
				pn.marks = append(pn.marks, levelMark{name, v, limitStyle()})
				pn.legend = append(pn.legend, legendEntry{name + " " + show.Celsius(v), limitRed, "dash"})
			}
		}
		if v := t.col("gpu_max_c"); v != nil {
			pn.plain(t, "hottest GPU", v, orangeInk, orangeTnt)
		}
		if v := t.col("inlet_max_c"); v != nil {
			pn.plain(t, "hottest inlet", v, navy, navyTint)
		}
		limit(limits[i].gpuC, "GPU limit")
		limit(limits[i].inletHighC, "inlet limit")
	}
}

// plain adds a series with its entry in the legend; small panels have no room for labels beside the lines.
func (pn *panel) plain(t *table, name string, v []float64, line, tint color.RGBA) {
	labels := pn.labels
	pn.addSeries(t, name, v, line, tint)
	pn.labels = labels
	pn.legend = append(pn.legend, legendEntry{name, line, "line"})
}
