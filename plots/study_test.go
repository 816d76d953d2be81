package plots

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

// studySamples are one chart of each kind, with the gaps that studies have.
func studySamples() []*StudyChart {
	nan := math.NaN()
	names := []string{"air, supply 20 C", "air, supply 24 C", "liquid", "四排液冷", "e", "f", "g"}
	var lines []StudyLine
	for i, n := range names {
		x := []float64{36, 48, 60}
		y := []float64{1.4 + 0.01*float64(i), nan, 1.3}
		lines = append(lines, StudyLine{Name: n, X: x, Y: y, Low: []float64{1.39, nan, 1.29}, Up: []float64{1.42, nan, 1.33}})
	}
	w := StudyAxis{"facility energy", "kWh"}
	return []*StudyChart{
		{Name: "curves", Curves: []StudyCurves{
			{X: StudyAxis{"rack power", "kW"}, Y: StudyAxis{"PUE", "ratio"}, Lines: lines},
			{X: StudyAxis{"rack power", "kW"}, Y: StudyAxis{"throttled share", "share"}, Lines: lines[:1]},
			{X: StudyAxis{"rack power", "kW"}, Y: w},
			{X: StudyAxis{"rack power", "kW"}, Y: StudyAxis{"three alike", "share"}, Lines: []StudyLine{lines[0], lines[0], lines[0]}},
		}},
		{Name: "heat", Heat: []StudyHeat{
			{Name: "PUE", X: StudyAxis{Name: "power"}, Y: StudyAxis{Name: "supply"}, Xs: []string{"1 kW", "2 kW"}, Ys: []string{"20 C"}, Values: [][]float64{{1.2, nan}}, Texts: [][]string{{"1.200", "unknown"}}},
			{Name: "throttled share", X: StudyAxis{Name: "power"}, Y: StudyAxis{Name: "supply"}, Xs: []string{"1 kW", "2 kW"}, Ys: []string{"20 C"}, Values: [][]float64{{0, 0}}, Texts: [][]string{{"0 %", "0 %"}}},
			{Name: "empty", Xs: nil, Ys: nil},
		}},
		{Name: "front", Front: &StudyFront{
			X: StudyAxis{"bills", ""}, Y: w, BetterX: "less is better", BetterY: "more is better", FrontPlaces: []int{0, 1}, Near: []int{2},
			Points: []StudyPoint{{1e5, 3e4, "a very long name of a point that stands at the right edge of the page"}, {2e5, 4e4, "b"}, {3e5, 3.5e4, "c"}, {nan, 1, "d"}},
		}},
		{Name: "samples", Scatter: []StudyFront{{X: StudyAxis{"supply", "C"}, Y: StudyAxis{"PUE", "ratio"}, Points: []StudyPoint{{X: 20, Y: 1.2}, {X: 22, Y: nan}}}}},
		{Name: "tornado", Tornado: []StudyTornado{
			{Figure: StudyAxis{"PUE", "ratio"}, Base: "1.300", Bars: []StudySwing{
				{Name: "supply", Low: "20 C", High: "27 C", ChangeLow: 0.02, ChangeHigh: -0.03, HalfLow: 0.001, HalfHigh: nan, TextLow: "+0.020", TextHigh: "−0.030"},
				{Name: "both one way", Low: "1", High: "2", ChangeLow: -0.01, ChangeHigh: -0.02, HalfLow: nan, HalfHigh: nan, TextLow: "−0.010", TextHigh: "−0.020"},
				{Name: "unknown", Low: "1", High: "2", ChangeLow: nan, ChangeHigh: nan, HalfLow: nan, HalfHigh: nan, TextLow: "unknown", TextHigh: "unknown"},
			}},
			{Figure: w, Base: "0 kWh"},
		}},
		{Name: "trace", Trace: []StudyTrace{
			{Input: StudyAxis{"racks[A].power", "kW"}, Values: []float64{40, 60, 50, 51}, Holds: []bool{false, true, false, true}, Answer: 51, Text: "51 kW"},
			{Input: StudyAxis{"racks[A].power", "kW"}, Where: "28 C", Values: nil, Answer: nan},
		}},
	}
}

// Every chart of a study is drawn whole, twice the same, whatever its figures lack; nothing leaves the page.
func TestStudyCharts(t *testing.T) {
	for _, c := range studySamples() {
		c.Title, c.Subtitle = "What it says", "a hall · 12 runs"
		check(t, c.Name, studyFigure(c))
		var a, b bytes.Buffer
		if err := DrawStudy(c, "png", &a); err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if err := DrawStudy(c, "png", &b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: drawn twice it differs", c.Name)
		}
		img, err := png.Decode(&a)
		if err != nil || img.Bounds().Dx() != 1600 || img.Bounds().Dy() != 900 {
			t.Errorf("%s: %v", c.Name, err)
		}
		var svg bytes.Buffer
		if err := DrawStudy(c, "svg", &svg); err != nil || !strings.Contains(svg.String(), "What it says") {
			t.Errorf("%s as SVG: %v", c.Name, err)
		}
	}
	if err := DrawStudy(&StudyChart{Name: "x"}, "png", &bytes.Buffer{}); err == nil {
		t.Error("a chart of nothing was drawn")
	}
}

// Lines that lie on each other are one line that says so; a panel of one value says it and colours nothing.
func TestStudyAlike(t *testing.T) {
	x := []float64{1, 2}
	line := func(name string, y ...float64) StudyLine {
		return StudyLine{Name: name, X: x, Y: y, Low: []float64{math.NaN(), math.NaN()}, Up: []float64{math.NaN(), math.NaN()}}
	}
	c := StudyCurves{Lines: []StudyLine{line("a", 1, math.NaN()), line("b", 1, math.NaN()), line("c", 1, 2)}}
	if got := c.merged(); len(got) != 2 || got[0].Name != "a (and 1 more on it)" || got[1].Name != "c" || c.Lines[0].Name != "a" {
		t.Errorf("%+v", got)
	}
	c.Lines = c.Lines[:2]
	if got := c.merged(); len(got) != 1 || got[0].Name != "all 2 lines, which lie on each other" || c.Bands() {
		t.Errorf("%+v", got)
	}
	h := StudyHeat{Xs: []string{"1", "2"}, Ys: []string{"3"}, Values: [][]float64{{0, math.NaN()}}, Texts: [][]string{{"0 %", "unknown"}}}
	if pn := h.panel(); pn.why != "0 % wherever it is known" {
		t.Errorf("%q", pn.why)
	}
	h.Values[0][1], h.Texts[0][1] = 0, "0 %"
	if pn := h.panel(); pn.why != "0 % everywhere" {
		t.Errorf("%q", pn.why)
	}
}
