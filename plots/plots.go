// Package plots draws what a run found: one file per chart, one theme. It reads a sim.Result and
// computes nothing but scales, bins and labels. Charts are 1600×900 pixels, told apart in greyscale, and
// any text of a scenario in them is drawn or refused aloud: a rune that no built-in font has becomes a
// visible box, named in a note on the chart and by Missing.
//
// A chart never fails for want of data. Where a column or a table is missing or holds nothing finite, its
// panel says why.
package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"headroom/sim"
)

// Chart is one chart that a result can be drawn as.
type Chart struct {
	Name     string // "fit"; stable, for flags and file names
	File     string // "fit.png"
	Title    string // heading over it in a report
	Question string // what it answers
	build    func(*sim.Result) *figure
}

// FileName returns the chart's file name in a format, "fit.svg".
func (c Chart) FileName(format string) string {
	return strings.TrimSuffix(c.File, ".png") + "." + format
}

// Charts returns every chart of a run in the order in which a report shows them.
func Charts() []Chart {
	return []Chart{
		{"fit", "fit.png", "Fit per rack", "How many servers fit, and what stops the next one?", fitFigure},
		{"placement", "placement.png", "Floor map", "Where do the next servers go, and what stops them elsewhere?", placementFigure},
		{"elevation", "elevation.png", "Rack elevations", "What stands in each rack, and which units are free?", elevationFigure},
		{"cooling", "cooling.png", "Heat by air and by liquid", "Air or liquid: which racks need what flow?", coolingFigure},
		{"oneline", "oneline.png", "One-line diagram", "What does every element carry after the worst single loss?", onelineFigure},
		{"failover", "failover.png", "After one loss", "What is left after each single loss?", failoverFigure},
		{"waterfall", "waterfall.png", "Installed to used", "Where does the installed power go, and what is stranded?", waterfallFigure},
		{"phase", "phase.png", "Phases", "Are the phases balanced?", phaseFigure},
		{"power", "power.png", "Power over time", "How close does the building come to its electrical limits?", powerFigure},
		{"pue", "pue_time.png", "PUE and where the energy goes", "What PUE does the building reach, and what takes the rest?", pueFigure},
		{"pue-load", "pue_load.png", "PUE against load", "What does part load cost?", pueLoadFigure},
		{"pue-wetbulb", "pue_wetbulb.png", "PUE against weather", "How does PUE follow the weather, and how many hours need compressors?", pueWetBulbFigure},
		{"energy", "energy_stack.png", "Energy by its use", "What does the energy go to, month by month?", energyStackFigure},
		{"throughput", "throughput.png", "Throughput against ideal", "How much work is done, and how much is lost?", throughputFigure},
		{"thermal", "thermal.png", "Temperature and throttling", "Do GPUs throttle, when, and how far are the limits?", thermalFigure},
		{"throttle", "throttle_hist.png", "Hours below full clock", "Which racks run below full clock, for how long and why?", throttleHistFigure},
		{"inlets", "inlets.png", "Warmth on the floor", "Where is it warm?", inletsFigure},
		{"utilization", "util.png", "Utilization", "How busy are the GPUs, and where do their hours go?", utilizationFigure},
		{"queue", "queue.png", "Queue and jobs", "How long do jobs wait, and where did every job end?", queueFigure},
		{"oversub", "oversub.png", "Power over time against its limits", "May power be oversubscribed or capped, and at what risk?", oversubFigure},
		{"ride-through", "ridethrough.png", "Ride-through", "How long do servers last when cooling is lost?", rideFigure},
	}
}

// Formats are the formats Draw writes.
func Formats() []string { return []string{"png", "svg", "pdf"} }

// Draw writes one chart of a result in a format of Formats. Nothing is written unless the whole chart was
// drawn. The same result gives the same bytes.
func Draw(c Chart, r *sim.Result, format string, w io.Writer) error {
	if r == nil {
		return errors.New("plots: no result to draw")
	}
	if c.build == nil {
		return fmt.Errorf("plots: no chart is called %q", c.Name)
	}
	var buf bytes.Buffer
	if err := c.build(r).write(format, &buf); err != nil {
		return fmt.Errorf("plots: chart %s: %w", c.Name, err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// Missing returns a sentence for every text of the result's charts that has runes no built-in font can
// draw, for a caller to print as a warning; nil when everything can be drawn.
func Missing(r *sim.Result) []string {
	if r == nil {
		return nil
	}
	var out []string
	for _, t := range []struct{ what, text string }{
		{"the scenario's name", r.Run.Scenario},
		{"the variant's name", r.Run.Variant},
	} {
		if s := missingNote(t.text); s != "" {
			out = append(out, fmt.Sprintf("charts: %s %q: %s", t.what, t.text, s))
		}
	}
	if r.Layout == nil || r.Layout.Facility == nil {
		return out
	}
	for _, rack := range r.Layout.Facility.Racks {
		if s := missingNote(rack.Row + rack.ID); s != "" {
			out = append(out, fmt.Sprintf("charts: rack %q: %s", rack.ID, s))
		}
	}
	return out
}
