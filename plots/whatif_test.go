package plots

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"headroom/plots/internal/fixture"
	"headroom/sim"
)

func whatIf(names ...string) *WhatIf {
	t := &WhatIf{Title: "A rather than B", Names: names, Seeds: []uint64{1, 2, 3}}
	nan := math.NaN()
	b := WhatIfBars{Name: "servers that fit"}
	for i := range names {
		t.Results = append(t.Results, fixture.Result(fixture.Options{Steps: 240}))
		b.Bars = append(b.Bars, WhatIfBar{Value: float64(40 + 10*i), Low: nan, High: nan, Text: "40", Delta: "+10"})
	}
	t.Bars = []WhatIfBars{b}
	return t
}

// Panels of one kind share their range, so that sides can be told apart by eye.
func TestWhatIfSharesItsAxes(t *testing.T) {
	w := whatIf("base", "hot", "liquid")
	for i, c := range w.Results[1].Series.Columns {
		if c.Name == "facility_w" {
			w.Results[1].Series.Columns[i].Values[0] *= 3
		}
	}
	f := whatIfFigure(w)
	ranges := map[string]map[axis]bool{}
	for _, pn := range f.panels[1:] {
		_, kind, _ := strings.Cut(pn.title, ": ")
		if ranges[kind] == nil {
			ranges[kind] = map[axis]bool{}
		}
		ranges[kind][axis{min: pn.y.min, max: pn.y.max, unit: pn.y.unit}] = true
	}
	if len(f.panels) != 7 || len(ranges) != 2 || len(ranges["power"]) != 1 || len(ranges["temperature"]) != 1 {
		t.Errorf("%d panels with ranges %v", len(f.panels), ranges)
	}
}

func TestWhatIfOfHostileData(t *testing.T) {
	draw := func(name string, w *WhatIf) {
		t.Helper()
		for _, format := range Formats() {
			var a, b bytes.Buffer
			if err := DrawWhatIf(w, format, &a); err != nil {
				t.Errorf("%s, %s: %v", name, format, err)
				continue
			}
			if format != "png" {
				continue
			}
			img, err := png.Decode(bytes.NewReader(a.Bytes()))
			if err != nil || img.Bounds().Dx() != 1600 {
				t.Errorf("%s: %v", name, err)
			}
			if err := DrawWhatIf(w, format, &b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s: not the same bytes twice", name)
			}
		}
	}
	draw("one", whatIf("base"))
	draw("many", whatIf(strings.Fields(strings.Repeat("variant ", 30))...))
	draw("names", whatIf(strings.Repeat("很长的名字", 400), strings.Repeat("w", 2000)))
	w := whatIf("a", "b", "c", "d", "e", "f")
	for i, v := range []float64{math.NaN(), math.Inf(1), -5, 0, 1e300, math.Inf(-1)} {
		w.Bars[0].Bars[i] = WhatIfBar{Value: v, Low: v, High: -v, Text: "?"}
	}
	draw("figures", w)
	w = whatIf("placed", "placed too")
	for _, r := range w.Results {
		r.Series = nil
	}
	draw("no series", w)
	w.Bars = nil
	draw("nothing", w)
	for _, w := range []*WhatIf{nil, {}, {Names: []string{"a"}}, {Names: []string{"a"}, Results: []*sim.Result{}}} {
		if err := DrawWhatIf(w, "png", &bytes.Buffer{}); err == nil {
			t.Error("drawn without sides")
		}
	}
}
