package main

import (
	"bytes"
	"io"
	"strings"
	"text/tabwriter"

	"headroom/plots/lang"
	"headroom/plots/show"
)

// screen is where tables go, with how many columns they may take; 0 for as many as they need.
type screen struct {
	io.Writer
	width int
}

// screen is stdout as tables see it.
func (t *terminal) screen() screen { return screen{t.stdout, t.tableWidth()} }

// tabs lays out lines with cells between tabs, like text/tabwriter, and keeps tables inside the width of the screen
// that they are written to.
type tabs struct {
	w     io.Writer
	width int
	buf   bytes.Buffer
}

func newTabs(w io.Writer) *tabs {
	t := &tabs{w: w}
	if s, ok := w.(screen); ok {
		t.width = s.width
	}
	return t
}

func (t *tabs) Write(p []byte) (int, error) { return t.buf.Write(p) }

// Flush writes what was gathered. Neighbouring lines with tabs are one table, of which the first is the head.
func (t *tabs) Flush() error {
	if t.width == 0 && lang.Tag() == "en" {
		tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
		if _, err := t.buf.WriteTo(tw); err != nil {
			return err
		}
		return tw.Flush()
	}
	var table [][]string
	for line := range strings.Lines(t.buf.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.Contains(line, "\t") {
			table = append(table, strings.Split(line, "\t"))
			continue
		}
		if err := t.table(table); err != nil {
			return err
		}
		table = nil
		text := lang.T(line) + "\n"
		if t.width > 0 {
			text = strings.Join(show.Wrap(line, t.width), "\n") + "\n"
		}
		if _, err := io.WriteString(t.w, text); err != nil {
			return err
		}
	}
	t.buf.Reset()
	return t.table(table)
}

func (t *tabs) table(rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	x := show.Table{Heads: rows[0], Rows: rows[1:], Keep: 1}
	for _, r := range rows { // a line may have cells beyond the head's
		for len(x.Heads) < len(r) {
			x.Heads = append(x.Heads, "")
		}
	}
	return x.Write(t.w, t.width)
}
