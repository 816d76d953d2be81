// Package document is a text with headings, paragraphs, lists, tables and figures, and what writes it: as Markdown, and
// as one HTML page that needs nothing else. Both writers read the same blocks, so that they say the same.
//
// Text is made by T and Str. What comes from a scenario goes in as an argument, never as part of a format: it is one
// line, without control characters, and stays text whatever markup it holds. The same document gives the same bytes.
package document

import (
	"math"

	"headroom/plots/lang"
)

// Document is a title and what stands under it.
type Document struct {
	Title  Text
	Lang   string // BCP 47, "zh"; "" is "en"
	Blocks []Block
}

// Block is a Heading, Paragraph, List, *Table, *Figure or Rule.
type Block interface{ block() }

// Heading opens a section: level 2 under the title, 3 under that.
type Heading struct {
	Level int
	Text  Text
}

// Paragraph is running text.
type Paragraph struct{ Text Text }

// List is a list of points.
type List struct{ Items []Text }

// Rule is a line across the page, before the small print of a foot.
type Rule struct{}

// Table is a table whose rows can be sorted where a reader can do that. Foot rows are sums: they stay at the end.
type Table struct {
	Name    string // short and of its own in a document, "energy by part": a sheet of a workbook is called so
	Columns []Column
	Rows    [][]Cell
	Foot    [][]Cell
}

// Column is the head of a column.
type Column struct {
	Name  string
	Right bool // set to the right, as figures are
}

// Cell is one cell: what it reads, and the figure behind it if it is one.
type Cell struct {
	Text   Text
	Number bool    // it stands for a figure, known or not
	Value  float64 // the figure in Unit; NaN is unknown
	Unit   string  // "W", "kWh"; "" is a bare number
	State  State
}

// State colours a cell that is a verdict; the text says it too.
type State uint8

// The states of a cell.
const (
	None State = iota
	Pass
	Fail
	Unknown
)

// Figure is a picture. Path is where its file lies, seen from the document, "charts/fit.png"; Data returns the
// picture's bytes, for a page that carries it inside. Either may be missing.
type Figure struct {
	Name   string // "fit"
	Alt    string // what it shows, for who can't see it
	Path   string
	Format string // "png" or "svg", of Data
	Data   func() ([]byte, error)
}

func (Heading) block()   {}
func (Paragraph) block() {}
func (List) block()      {}
func (Rule) block()      {}
func (*Table) block()    {}
func (*Figure) block()   {}

// Add puts blocks at the end.
func (d *Document) Add(blocks ...Block) { d.Blocks = append(d.Blocks, blocks...) }

// Section opens a section.
func (d *Document) Section(title string) { d.Add(Heading{Level: 2, Text: Str(title)}) }

// Para adds sentences as one paragraph; empty ones are left out, and nothing is added when all are.
func (d *Document) Para(sentences ...Text) {
	sep := " "
	if lang.Tag() == "zh" { // Chinese sentences stand close
		sep = ""
	}
	if t := Join(sep, sentences...); len(t) > 0 {
		d.Add(Paragraph{t})
	}
}

// Tables returns the document's tables in their order.
func (d *Document) Tables() []*Table {
	var out []*Table
	for _, b := range d.Blocks {
		if t, ok := b.(*Table); ok {
			out = append(out, t)
		}
	}
	return out
}

// Columns makes column heads; names that start with ">" are set to the right.
func Columns(names ...string) []Column {
	out := make([]Column, len(names))
	for i, n := range names {
		out[i] = Column{Name: n}
		if n != "" && n[0] == '>' {
			out[i] = Column{Name: n[1:], Right: true}
		}
	}
	return out
}

// Words is a cell of text.
func Words(s string) Cell { return Cell{Text: Str(s)} }

// Strong is a cell of text that stands out.
func Strong(s string) Cell { return Cell{Text: bold(s)} }

// Num is a cell that reads text and stands for value in unit, NaN or ±Inf where it is not known.
func Num(text string, value float64, unit string) Cell {
	if math.IsInf(value, 0) {
		value = math.NaN()
	}
	return Cell{Text: Str(text), Number: true, Value: value, Unit: unit}
}

// Judged is a cell that reads a verdict in the document's words.
func Judged(word string, s State) Cell {
	c := Cell{Text: Str(word), State: s}
	if s != Pass {
		c.Text = bold(word)
	}
	return c
}

// Row makes a row.
func Row(cells ...Cell) []Cell { return cells }
