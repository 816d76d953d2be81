package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"headroom/plots/lang"
)

// Table is rows of cells under heads, for a terminal. A head that begins with ">" sets its column to the right: figures.
type Table struct {
	Heads []string
	Rows  [][]string
	Keep  int // columns at the left that every part repeats when the others do not fit beside each other; at least 1
}

// Cell widths.
const (
	cellGap   = 2
	leastText = 14 // a column of text is not made narrower than this to fit
)

// Write prints the table into width columns of the terminal, 0 for as wide as it gets. Where it is too wide, cells of
// text are wrapped; where that is not enough, columns follow in further parts under each other, and a line says so.
func (t *Table) Write(w io.Writer, width int) error {
	n := len(t.Heads)
	heads, right := make([]string, n), make([]bool, n)
	for i, h := range t.Heads {
		heads[i], right[i] = lang.T(strings.TrimPrefix(h, ">")), strings.HasPrefix(h, ">")
	}
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		for _, c := range row {
			rows[i] = append(rows[i], lang.T(c))
		}
	}
	wide := make([]int, n)
	for _, row := range append([][]string{heads}, rows...) {
		for i, c := range row {
			if i < n {
				wide[i] = max(wide[i], runewidth.StringWidth(c))
			}
		}
	}
	var b strings.Builder
	keep := min(max(t.Keep, 1), n)
	rest := make([]int, 0, n)
	for i := keep; i < n; i++ {
		rest = append(rest, i)
	}
	for part := 0; part == 0 || len(rest) > 0; part++ {
		columns := make([]int, keep, n)
		for i := range columns {
			columns[i] = i
		}
		columns = append(columns, rest...)
		fitted, ok := fitColumns(columns, wide, right, width)
		for !ok && len(columns) > keep+1 {
			columns = columns[:len(columns)-1]
			fitted, ok = fitColumns(columns, wide, right, width)
		}
		rest = rest[len(columns)-keep:]
		if part > 0 {
			b.WriteString("\n")
		}
		writePart(&b, heads, rows, columns, fitted, right)
		if part == 0 && len(rest) > 0 {
			b.WriteString(lang.T(fmt.Sprintf("(%s below: the screen has %d columns)", Of(len(rest), "more column"), width)) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fitColumns returns the widths of some columns so that they fit, and whether they do.
func fitColumns(columns, wide []int, right []bool, width int) ([]int, bool) {
	out := make([]int, len(columns))
	total := cellGap * (len(columns) - 1)
	for k, i := range columns {
		out[k] = wide[i]
		total += wide[i]
	}
	for width > 0 && total > width { // narrow the widest column of text
		widest := -1
		for k, i := range columns {
			if !right[i] && out[k] > leastText && (widest < 0 || out[k] > out[widest]) {
				widest = k
			}
		}
		if widest < 0 {
			return out, false
		}
		out[widest]--
		total--
	}
	return out, true
}

func writePart(b *strings.Builder, heads []string, rows [][]string, columns, wide []int, right []bool) {
	for _, row := range append([][]string{heads}, rows...) {
		cells := make([][]string, len(columns))
		lines := 1
		for k, i := range columns {
			if i < len(row) {
				cells[k] = []string{row[i]}
				if runewidth.StringWidth(row[i]) > wide[k] {
					cells[k] = Wrap(row[i], wide[k])
				}
			}
			lines = max(lines, len(cells[k]))
		}
		for l := range lines {
			line, gap := "", 0
			for k, i := range columns {
				c := ""
				if l < len(cells[k]) {
					c = cells[k][l]
				}
				pad := strings.Repeat(" ", max(0, wide[k]-runewidth.StringWidth(c)))
				if right[i] {
					line += strings.Repeat(" ", gap) + pad + c
				} else {
					line += strings.Repeat(" ", gap) + c + pad
				}
				gap = cellGap
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
}

// Wrap breaks a line at spaces so that no part is wider than width columns, Chinese counting two a rune; a word that
// is wider than a line is cut.
func Wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(lang.T(s)) {
		for {
			sep := ""
			if line != "" {
				sep = " "
			}
			if runewidth.StringWidth(line+sep+word) <= width {
				line += sep + word
				break
			}
			if line != "" {
				lines = append(lines, line)
				line = ""
				continue
			}
			head := runewidth.Truncate(word, width, "")
			if head == "" { // a rune wider than the line
				head = string([]rune(word)[:1])
			}
			lines = append(lines, head)
			word = word[len(head):]
			if word == "" {
				break
			}
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
