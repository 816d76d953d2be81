package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the document in GitHub's Markdown. Figures are linked where they have a path.
func WriteMarkdown(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n", md(d.Title))
	for _, block := range d.Blocks {
		switch x := block.(type) {
		case Heading:
			fmt.Fprintf(b, "\n%s %s\n", strings.Repeat("#", min(max(x.Level, 2), 6)), md(x.Text))
		case Paragraph:
			fmt.Fprintf(b, "\n%s\n", startSafe(md(x.Text)))
		case List:
			b.WriteByte('\n')
			for _, item := range x.Items {
				fmt.Fprintf(b, "- %s\n", startSafe(md(item)))
			}
		case Rule:
			b.WriteString("\n---\n")
		case *Figure:
			if x.Path != "" {
				fmt.Fprintf(b, "\n![%s](%s)\n", md(Str(x.Alt)), link(x.Path))
			}
		case *Table:
			mdTable(b, x)
		}
	}
	return b.Flush()
}

func mdTable(b *bufio.Writer, t *Table) {
	b.WriteString("\n|")
	for _, c := range t.Columns {
		fmt.Fprintf(b, " %s |", md(Str(c.Name)))
	}
	b.WriteString("\n|")
	for _, c := range t.Columns {
		if c.Right {
			b.WriteString(" ---: |")
		} else {
			b.WriteString(" --- |")
		}
	}
	b.WriteByte('\n')
	for _, rows := range [][][]Cell{t.Rows, t.Foot} {
		for _, row := range rows {
			b.WriteByte('|')
			for i := range t.Columns {
				if i < len(row) && len(row[i].Text) > 0 {
					b.WriteString(" " + md(row[i].Text))
				}
				b.WriteString(" |")
			}
			b.WriteByte('\n')
		}
	}
}

// md escapes what Markdown would read as markup.
func md(t Text) string {
	var b strings.Builder
	for _, s := range t {
		if s.Strong {
			b.WriteString("**")
		}
		for _, c := range s.Text {
			if strings.ContainsRune("\\`*_{}[]<>#|~&", c) {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		}
		if s.Strong {
			b.WriteString("**")
		}
	}
	return b.String()
}

// startSafe keeps a line from being read as a list, a quotation or the underlining of a heading.
func startSafe(s string) string {
	if s == "" {
		return s
	}
	if strings.ContainsRune("-+=", rune(s[0])) {
		return "\\" + s
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')') {
		return s[:digits] + "\\" + s[digits:]
	}
	return s
}

// link makes a path safe as the target of a Markdown link.
func link(p string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\\", "%5C", "\n", "", "\r", "").Replace(p)
}
