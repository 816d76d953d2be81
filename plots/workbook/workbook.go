// Package workbook writes the tables of a document as a spreadsheet: a sheet a table, figures as numbers with their
// unit in the heading, text as text and never as a formula. The same document gives the same bytes.
//
// It stands apart from package document so that who needs no spreadsheet does not link it.
package workbook

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/xuri/excelize/v2"

	"headroom/plots/document"
)

// Bounds of what a spreadsheet holds, and of what is pleasant to read.
const (
	longestName   = 31 // runes of a sheet's name
	longestCell   = 32767
	least, widest = 8, 60 // columns in characters
)

// created is in every workbook: a file's own date would make two writings differ.
const created = "2026-01-01T00:00:00Z"

// Write writes the document's running text on a first sheet and each table on one of its own.
func Write(w io.Writer, d *document.Document) (err error) {
	f := excelize.NewFile()
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	b := &book{f: f, taken: map[string]bool{}}
	b.styles()
	b.text(d)
	for _, t := range d.Tables() {
		b.table(t)
	}
	b.do(f.SetDocProps(&excelize.DocProperties{Title: cut(d.Title.String(), longestCell), Creator: "headroom", Created: created, Modified: created}))
	if b.err != nil {
		return fmt.Errorf("workbook: %w", b.err)
	}
	return f.Write(w)
}

// book is the workbook being written; its first error stays.
type book struct {
	f     *excelize.File
	err   error
	taken map[string]bool // names of sheets, in lower case

	bold, head, whole, fine int // styles
}

func (b *book) do(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *book) styles() {
	style := func(s *excelize.Style) int {
		id, err := b.f.NewStyle(s)
		b.do(err)
		return id
	}
	whole, fine := "#,##0", "#,##0.####"
	wrap := &excelize.Alignment{WrapText: true, Vertical: "top"}
	b.bold = style(&excelize.Style{Font: &excelize.Font{Bold: true}})
	b.head = style(&excelize.Style{
		Font: &excelize.Font{Bold: true}, Alignment: wrap,
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"F4F4F2"}}, Border: []excelize.Border{{Type: "bottom", Style: 2, Color: "555555"}},
	})
	b.whole = style(&excelize.Style{CustomNumFmt: &whole})
	b.fine = style(&excelize.Style{CustomNumFmt: &fine})
}

// name makes a sheet's name: 31 runes without what spreadsheets forbid, each once whatever its case.
func (b *book) name(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\'`, r) {
			return ' '
		}
		return r
	}, document.Clean(s))
	s = strings.TrimSpace(s)
	if s == "" {
		s = "table"
	}
	out := cut(s, longestName)
	for n := 2; b.taken[strings.ToLower(out)]; n++ {
		suffix := fmt.Sprintf(" %d", n)
		out = strings.TrimSpace(cut(s, longestName-len(suffix))) + suffix
	}
	b.taken[strings.ToLower(out)] = true
	return out
}

func cut(s string, runes int) string {
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:runes]))
}

func at(column, row int) string {
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return "A1" // beyond what a sheet holds; rows and columns of a report never are
	}
	return name
}

// text is the first sheet: title, headings, paragraphs and lists.
func (b *book) text(d *document.Document) {
	sheet := b.name("report")
	b.do(b.f.SetSheetName("Sheet1", sheet))
	b.do(b.f.SetColWidth(sheet, "A", "A", 120))
	row := 0
	line := func(t document.Text, style int) {
		row++
		b.do(b.f.SetCellStr(sheet, at(1, row), cut(t.String(), longestCell)))
		b.do(b.f.SetCellStyle(sheet, at(1, row), at(1, row), style))
	}
	wrapped, err := b.f.NewStyle(&excelize.Style{Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	b.do(err)
	line(d.Title, b.bold)
	for _, block := range d.Blocks {
		switch x := block.(type) {
		case document.Heading:
			row++
			line(x.Text, b.bold)
		case document.Paragraph:
			line(x.Text, wrapped)
		case document.List:
			for _, item := range x.Items {
				line(item, wrapped)
			}
		}
	}
}

// column is one column of a table as a sheet has it.
type column struct {
	unit  string // of all its figures; "" where it has none
	mixed bool   // its figures have several units: a column of their own says which
	whole bool   // all its figures are whole numbers
}

func (b *book) table(t *document.Table) {
	sheet := b.name(t.Name)
	_, err := b.f.NewSheet(sheet)
	b.do(err)
	all := append(append([][]document.Cell{}, t.Rows...), t.Foot...)
	at0 := 1 // the column of the sheet
	for i, c := range t.Columns {
		k := columnOf(all, i)
		title := c.Name
		if k.unit != "" && !k.mixed && k.unit != c.Name {
			title = strings.TrimSpace(fmt.Sprintf("%s (%s)", c.Name, k.unit))
		}
		width := b.head1(sheet, at0, title)
		unitWidth := 0
		if k.mixed {
			unitWidth = b.head1(sheet, at0+1, strings.TrimSpace(c.Name+" unit"))
		}
		for r, row := range all {
			if i >= len(row) {
				continue
			}
			width = max(width, b.cell(sheet, at(at0, r+2), row[i], k))
			if k.mixed && figure(row[i]) {
				b.do(b.f.SetCellStr(sheet, at(at0+1, r+2), row[i].Unit))
				unitWidth = max(unitWidth, runewidth.StringWidth(row[i].Unit))
			}
		}
		b.width(sheet, at0, width)
		if at0++; k.mixed {
			b.width(sheet, at0, unitWidth)
			at0++
		}
	}
	if at0 == 1 {
		return
	}
	b.do(b.f.SetPanes(sheet, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}))
	b.do(b.f.AutoFilter(sheet, "A1:"+at(at0-1, len(t.Rows)+1), nil))
}

// head1 writes a heading and returns its width.
func (b *book) head1(sheet string, col int, title string) int {
	title = document.Clean(title)
	b.do(b.f.SetCellStr(sheet, at(col, 1), title))
	b.do(b.f.SetCellStyle(sheet, at(col, 1), at(col, 1), b.head))
	return runewidth.StringWidth(title) + 3 // the filter's button
}

func (b *book) width(sheet string, col, width int) {
	name, err := excelize.ColumnNumberToName(col)
	b.do(err)
	b.do(b.f.SetColWidth(sheet, name, name, float64(min(max(width+1, least), widest))))
}

// cell writes a figure as a number, anything else as text, and returns its width. A figure that is not known reads
// what the report reads: "unknown" is no number, and a sum skips it.
func (b *book) cell(sheet, at string, c document.Cell, k column) int {
	if figure(c) {
		b.do(b.f.SetCellFloat(sheet, at, c.Value, -1, 64))
		style := b.fine
		if k.whole {
			style = b.whole
		}
		b.do(b.f.SetCellStyle(sheet, at, at, style))
		return 12
	}
	text := cut(c.Text.String(), longestCell)
	if text == "" {
		return 0
	}
	b.do(b.f.SetCellStr(sheet, at, text))
	if c.Text[0].Strong {
		b.do(b.f.SetCellStyle(sheet, at, at, b.bold))
	}
	return runewidth.StringWidth(text)
}

// figure says that a cell has a number to write.
func figure(c document.Cell) bool { return c.Number && !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) }

func columnOf(rows [][]document.Cell, i int) column {
	k := column{whole: true}
	seen := false
	for _, row := range rows {
		if i >= len(row) || !figure(row[i]) {
			continue
		}
		if seen && row[i].Unit != k.unit {
			k.mixed = true
		}
		k.unit, seen = row[i].Unit, true
		k.whole = k.whole && row[i].Value == math.Trunc(row[i].Value)
	}
	return k
}
