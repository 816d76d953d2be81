package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"headroom/sim"
)

// figure is one page: a title that states the answer, a subtitle that says which run, panels and notes.
type figure struct {
	title    string
	subtitle string
	panels   []*panel
	notes    []string // small print at the foot
}

// panel is one set of axes, or a free drawing, in a box of the page.
type panel struct {
	at     box // where on the page, as shares of what title and foot leave
	title  string
	x, y   axis
	marks  []mark
	labels []sideLabel // direct labels at the right of the data area
	legend []legendEntry
	foot   vg.Length // kept free under the x axis for what a mark writes there
	why    string    // no data: why; the axes are not drawn
	// free draws the whole panel instead of axes and marks.
	free func(p *pen, r vg.Rectangle)
}

// box is a part of the page in shares, y from the top.
type box struct{ x0, y0, x1, y1 float64 }

// pen is the page being drawn.
type pen struct {
	c       draw.Canvas
	format  string
	missing []rune
	drawn   []drawnText
	widths  []vg.Length // of every string handed to the canvas, in order
}

// pdfDate is the date a PDF says it was made on: always the same, for the same result gives the same bytes.
var pdfDate = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

var pdfDefaults = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(pdfDate)
	fpdf.SetDefaultModificationDate(pdfDate)
	fpdf.SetDefaultCatalogSort(true)
})

// pdfMutex holds PDF drawing to one at a time, for its font cache writes shared temporary state.
var pdfMutex sync.Mutex

// pngCanvas writes its image at the fastest compression: half the time for a third more bytes.
type pngCanvas struct{ *vgimg.Canvas }

var pngEncoder = png.Encoder{CompressionLevel: png.BestSpeed}

// WriteTo writes the image as PNG.
func (c pngCanvas) WriteTo(w io.Writer) (int64, error) {
	var buf bytes.Buffer
	if err := pngEncoder.Encode(&buf, c.Image()); err != nil {
		return 0, err
	}
	return buf.WriteTo(w)
}

func (f *figure) write(format string, w io.Writer) error {
	var c vg.CanvasWriterTo
	switch format {
	case "png":
		c = pngCanvas{vgimg.NewWith(vgimg.UseWH(pageW, pageH), vgimg.UseDPI(dpi))}
	case "svg":
		c = vgsvg.New(pageW, pageH)
	case "pdf":
		pdfMutex.Lock()
		defer pdfMutex.Unlock()
		pdfDefaults()
		c = vgpdf.New(pageW, pageH)
	default:
		return fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
	}
	p := f.draw(c, format)
	if format != "svg" {
		_, err := c.WriteTo(w)
		return err
	}
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return err
	}
	// Whoever opens the SVG may not have the fonts: name look-alikes, and hold every text to its width.
	svg := holdWidths(buf.Bytes(), p.widths)
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	svg = bytes.ReplaceAll(svg, []byte("font-family:Droid Sans Fallback;"), []byte("font-family:'Droid Sans Fallback','Noto Sans CJK SC','Microsoft YaHei','PingFang SC',sans-serif;"))
	_, err := w.Write(svg)
	return err
}

// holdWidths states the length of every text of an SVG, so that another font does not push it over its
// neighbour or off the page. widths are those of the texts in order.
func holdWidths(svg []byte, widths []vg.Length) []byte {
	const tag = "<text "
	parts := bytes.Split(svg, []byte(tag))
	var out bytes.Buffer
	out.Write(parts[0])
	for i, part := range parts[1:] {
		out.WriteString(tag)
		if i < len(widths) && widths[i] > 0 {
			fmt.Fprintf(&out, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, widths[i].Points())
		}
		out.Write(part)
	}
	return out.Bytes()
}

// draw puts the figure on a canvas and returns the pen, whose texts tests inspect.
func (f *figure) draw(c vg.CanvasSizer, format string) *pen {
	p := &pen{c: draw.New(c), format: format}
	if format == "svg" { // the others start white
		p.rect(p.c.Rectangle, white)
	}
	width := pageW - 2*marginX
	y := pageH - marginY

	title, size := clean(f.title), sizeTitle
	for size > sizeTitleMin && textWidth(title, size, true) > width {
		size -= 0.5
	}
	p.text(marginX, y, fit(title, size, true, width), style{size: size, bold: true, color: ink, ay: 1})
	y -= sizeTitle + 6
	p.text(marginX, y, fit(f.subtitle, sizeSub, false, width), style{size: sizeSub, color: grey, ay: 1})
	y -= sizeSub + 10

	foot := marginY * 0.6
	notes := f.notes
	body := vg.Rectangle{
		Min: vg.Point{X: marginX, Y: foot + vg.Length(len(notes))*(sizeSmall+4) + 6},
		Max: vg.Point{X: pageW - marginX, Y: y},
	}
	if f.hasBoxes() {
		body.Min.Y += sizeSmall + 4
	}
	w, h := body.Max.X-body.Min.X, body.Max.Y-body.Min.Y
	// Panels that share an edge share the margin there, so that their time axes stand over each other.
	left, right := map[float64]vg.Length{}, map[float64]vg.Length{}
	for _, pn := range f.panels {
		l, r := pn.need()
		left[pn.at.x0], right[pn.at.x1] = max(left[pn.at.x0], l), max(right[pn.at.x1], r)
	}
	for _, pn := range f.panels {
		pn.draw(p, vg.Rectangle{
			Min: vg.Point{X: body.Min.X + vg.Length(pn.at.x0)*w, Y: body.Max.Y - vg.Length(pn.at.y1)*h},
			Max: vg.Point{X: body.Min.X + vg.Length(pn.at.x1)*w, Y: body.Max.Y - vg.Length(pn.at.y0)*h},
		}, left[pn.at.x0], right[pn.at.x1])
	}
	if len(p.missing) > 0 {
		notes = append(notes[:len(notes):len(notes)], "□: "+missingNote(string(p.missing)))
	}
	for i, n := range notes {
		ny := foot + vg.Length(len(notes)-1-i)*(sizeSmall+4)
		p.text(marginX, ny, fit(n, sizeSmall, false, width), style{size: sizeSmall, color: grey})
	}
	return p
}

// hasBoxes says whether the title or subtitle holds runes that no font has, so that the foot needs a line
// that says so. Rack names are checked by the panels that draw them.
func (f *figure) hasBoxes() bool {
	all := f.title + f.subtitle
	for _, pn := range f.panels {
		all += pn.title
		for _, l := range pn.labels {
			all += l.text
		}
	}
	return len(missingRunes(all)) > 0
}

// subtitle says which run a chart shows.
func subtitle(r *sim.Result) string {
	parts := make([]string, 0, 5)
	add := func(format string, v any) { parts = append(parts, clean(fmt.Sprintf(format, v))) }
	name := r.Run.Scenario
	const longest = 90 // runes of a scenario's name, so that the rest of the line stays on the page
	if runes := []rune(clean(name)); len(runes) > longest {
		name = string(runes[:longest-1]) + "…"
	}
	if name == "" {
		name = "unnamed scenario"
	}
	parts = append(parts, clean(name))
	if v := []rune(clean(r.Run.Variant)); len(v) > 0 {
		if len(v) > 40 {
			v = append(v[:39], '…')
		}
		add("variant %s", string(v))
	}
	if r.Run.Basis != "" {
		add("basis: %s", r.Run.Basis)
	}
	add("seed %d", r.Run.Seed)
	if id := r.Run.ID; len(id) >= 8 {
		add("run %s", id[:8])
	}
	return strings.Join(parts, " · ")
}

func (p *pen) rect(r vg.Rectangle, fill color.Color) {
	p.c.SetColor(fill)
	p.c.Fill(r.Path())
}

func (p *pen) frame(r vg.Rectangle, st draw.LineStyle) {
	p.c.SetLineStyle(st)
	path := r.Path()
	p.c.Stroke(path)
}

func (p *pen) line(x0, y0, x1, y1 vg.Length, st draw.LineStyle) {
	p.c.StrokeLine2(st, x0, y0, x1, y1)
}
