package report

import (
	"math"

	"headroom/plots/document"
	"headroom/plots/show"
	"headroom/sim"
)

// A cell of a table reads a figure as show prints it, and carries the figure itself in its base unit, so that a page
// can sort by it and a workbook reckon with it.

type cell = document.Cell

var (
	words  = document.Words
	strong = document.Strong
	nums   = document.Num
	row    = document.Row
	blank  = cell{}
)

func watts(w float64) cell    { return nums(show.Watts(w), w, "W") }
func kWh(v float64) cell      { return nums(show.KWh(v), v, "kWh") }
func celsius(c float64) cell  { return nums(show.Celsius(c), c, "°C") }
func seconds(s float64) cell  { return nums(show.Seconds(s), s, "s") }
func hours(h float64) cell    { return nums(hoursOf(h), h, "h") }
func gpuHours(h float64) cell { return nums(show.GPUHours(h), h, "GPU-hours") }
func litres(l float64) cell   { return nums(show.Litres(l), l, "L") }
func percent(s float64) cell  { return nums(show.Percent(s), 100*s, "%") }

func count[T int | int64 | int32](n T) cell { return nums(show.Count(n), float64(n), "") }

func ratio(v float64, decimals int) cell { return nums(show.Ratio(v, decimals), v, "") }

// quantity is a figure in one of the contract's base units; nothing to tell reads "–".
func quantity(v float64, unit string) cell { return nums(show.Quantity(v, unit), v, unit) }

// figure is a figure with digits significant digits in a unit that has no prefixes.
func figure(v float64, digits int, unit string) cell { return nums(withUnit(v, digits, unit), v, unit) }

func withUnit(v float64, digits int, unit string) string {
	text := show.Number(v, digits)
	if unit != "" && text != show.Unknown {
		text += " " + unit
	}
	return text
}

// none is a cell for which there is nothing to say.
func none(unit string) cell { return nums("–", math.NaN(), unit) }

// amount is money in the digits that planners write it with.
func amount(n sim.Num, currency string) cell {
	return figure(float64(n), digitsFor(float64(n)), currency)
}

// emph makes a cell stand out.
func emph(c cell) cell {
	text := make(document.Text, len(c.Text))
	for i, s := range c.Text {
		text[i] = document.Span{Text: s.Text, Strong: true}
	}
	c.Text = text
	return c
}
