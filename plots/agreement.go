package plots

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Compared is one published number against what the product says, for the validation book.
type Compared struct {
	Area string  // rows of the chart, in the order of their first appearance
	Off  float64 // signed error as a share of what is allowed; beyond ±1 is a miss
}

// The chart of agreement ends at so many times what is allowed; worse misses stand on its edge and are counted.
const agreementEdge = 2.5

// DrawAgreement draws how much of what is allowed each comparison uses, by area. Errors as Draw.
func DrawAgreement(rows []Compared, format string, w io.Writer) error {
	var buf bytes.Buffer
	if err := agreementFigure(rows).write(format, &buf); err != nil {
		return fmt.Errorf("plots: chart agreement: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func agreementFigure(rows []Compared) *figure {
	pn := &panel{at: box{0, 0, 1, 1}, title: "Each dot is one published or measured number", x: axis{min: -agreementEdge - 0.1, max: agreementEdge + 0.1, label: "error as a share of what is allowed: under the published number to the left, over it to the right"}}
	f := &figure{title: "No comparison", subtitle: "Validation book", panels: []*panel{pn}}
	if len(rows) == 0 {
		pn.why = "Nothing was compared."
		return f
	}
	var areas []string
	at, count := map[string]int{}, map[string]int{}
	for _, r := range rows {
		if _, known := at[r.Area]; !known {
			at[r.Area] = len(areas)
			areas = append(areas, r.Area)
		}
		count[r.Area]++
	}
	ticks := make(plot.ConstantTicks, len(areas))
	for i, a := range areas {
		ticks[i] = plot.Tick{Value: -float64(i), Label: fmt.Sprintf("%s (%d)", clean(a), count[a])}
	}
	pn.y = axis{min: -float64(len(areas)) + 0.5, max: 0.5, ticker: ticks}
	inside := dotMark{name: "agrees", color: navy}
	outside := dotMark{name: "missed", color: limitRed}
	misses, far := 0, 0
	stack := map[[2]int]int{}
	for _, r := range rows {
		x := r.Off
		if math.IsNaN(x) {
			x = math.Inf(1)
		}
		if math.Abs(x) > agreementEdge {
			far++
			x = math.Copysign(agreementEdge, x)
		}
		// Dots that would hide each other step up and down in turn.
		cell := [2]int{at[r.Area], int(math.Round(x * 40))}
		n := stack[cell]
		stack[cell]++
		y := -float64(at[r.Area]) + float64((n+1)/2%4)*0.09*float64(1-2*(n%2))
		m := &inside
		if !(math.Abs(r.Off) <= 1+1e-9) {
			misses++
			m = &outside
		}
		m.xs, m.ys = append(m.xs, x), append(m.ys, y)
	}
	edge := func(x float64) lineMark {
		return lineMark{xs: []float64{x, x}, ys: []float64{pn.y.min, pn.y.max}, st: draw.LineStyle{Color: limitRed, Width: lineFine, Dashes: dashLimit}}
	}
	pn.marks = []mark{edge(-1), edge(1), inside, outside}
	pn.legend = []legendEntry{{name: "agrees", color: navy, as: "box"}, {name: "missed, and named in the table", color: limitRed, as: "box"}, {name: "limit of what is allowed", color: limitRed, as: "dash"}}
	f.title = fmt.Sprintf("%d of %d published numbers are met within what is allowed", len(rows)-misses, len(rows))
	if far > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%d beyond %g times what is allowed stand on the edge.", far, agreementEdge))
	}
	return f
}
