package plots

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/vg/draw"
)

// StudyChart is a chart of a study, laid out by whoever has the study: what it found is in the title.
type StudyChart struct {
	Name     string // "curves", "heat", "front", "tornado", "trace"; for file names
	Title    string // the answer
	Subtitle string // which study
	Notes    []string

	Curves  []StudyCurves
	Heat    []StudyHeat
	Front   *StudyFront
	Scatter []StudyFront // points alone
	Tornado []StudyTornado
	Trace   []StudyTrace
}

// StudyAxis is a figure or an input on an axis. Units are base units ("W", "share") or those of the scenario.
type StudyAxis struct{ Name, Unit string }

// studyPanels is how many panels fit on a page.
const studyPanels = 4

// DrawStudy writes a chart of a study in a format of Formats. Nothing is written unless the whole chart was drawn; the
// same chart gives the same bytes.
func DrawStudy(c *StudyChart, format string, w io.Writer) error {
	if c == nil {
		return errors.New("plots: no chart of a study")
	}
	f := studyFigure(c)
	if len(f.panels) == 0 {
		return fmt.Errorf("plots: the chart %s of a study is empty", c.Name)
	}
	var buf bytes.Buffer
	if err := f.write(format, &buf); err != nil {
		return fmt.Errorf("plots: chart %s of a study: %w", c.Name, err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func studyFigure(c *StudyChart) *figure {
	f := &figure{title: c.Title, subtitle: c.Subtitle, notes: append([]string{}, c.Notes...)}
	var panels []*panel
	for i := range c.Curves {
		panels = append(panels, c.Curves[i].panel())
	}
	for i := range c.Heat {
		panels = append(panels, c.Heat[i].panel())
	}
	if c.Front != nil {
		panels = append(panels, c.Front.panel())
	}
	for i := range c.Scatter {
		panels = append(panels, c.Scatter[i].panel())
	}
	for i := range c.Tornado {
		panels = append(panels, c.Tornado[i].panel())
	}
	for i := range c.Trace {
		panels = append(panels, c.Trace[i].panel())
	}
	if more := len(panels) - studyPanels; more > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%d more in the tables.", more))
		panels = panels[:studyPanels]
	}
	for i, at := range studyBoxes(len(panels)) {
		panels[i].at = at
	}
	f.panels = panels
	return f
}

// studyBoxes lays panels out: one, two beside each other, or two rows.
func studyBoxes(n int) []box {
	switch n {
	case 0:
		return nil
	case 1:
		return []box{{0, 0, 1, 1}}
	case 2:
		return []box{{0, 0, 0.485, 1}, {0.515, 0, 1, 1}}
	}
	return []box{{0, 0, 0.485, 0.48}, {0.515, 0, 1, 0.48}, {0, 0.52, 0.485, 1}, {0.515, 0.52, 1, 1}}[:n]
}

// studyScale is how an axis shows a base unit: its factor and name.
func studyScale(unit string, largest float64) (factor float64, name string) {
	switch {
	case unit == "share":
		return 100, "%"
	case unit == "W":
		return wattUnit(largest)
	case unit == "kWh" && largest >= 1e4:
		return 1e-3, "MWh"
	case unit == "L" && largest >= 1e4:
		return 1e-3, "m³"
	case unit == "ratio":
		return 1, ""
	}
	return 1, unit
}

// studyLines are the strokes of the lines of one panel; they differ in greyscale by their dashes.
var studyLines = []draw.LineStyle{
	{Color: navy, Width: lineData},
	{Color: orangeInk, Width: lineData, Dashes: dashLimit},
	{Color: green, Width: lineData, Dashes: dashFine},
	{Color: purple, Width: lineData},
	{Color: sky, Width: lineData, Dashes: dashLimit},
	{Color: grey, Width: lineData, Dashes: dashFine},
}

func styleColor(st draw.LineStyle) color.RGBA { return st.Color.(color.RGBA) }

// tint is a colour thinned for a band.
func tint(c color.RGBA) color.RGBA { return mix(c, white, 0.8) }

// largestOf is the largest magnitude of values, 0 where none is finite.
func largestOf(lists ...[]float64) float64 {
	top := 0.0
	for _, v := range lists {
		for _, x := range v {
			if finite(x) {
				top = math.Max(top, math.Abs(x))
			}
		}
	}
	return top
}
