package document

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"strconv"
	"sync"

	"headroom/plots/lang"
)

// The page's own style and script. They stand inside the page, and the page allows no others.
var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// policy is the page's content policy: its own style and script, pictures inside it, and nothing from anywhere else.
var policy = sync.OnceValue(func() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; img-src data:; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"
})

// mime are the kinds of pictures a page can carry.
var mime = map[string]string{"png": "image/png", "svg": "image/svg+xml"}

// WriteHTML writes the document as one page with its pictures inside: it asks the network for nothing, reads without
// its script, which only sorts tables, and prints to A4. Figures without data are linked by their path.
func WriteHTML(w io.Writer, d *Document) error {
	p := &page{b: bufio.NewWriterSize(w, 1<<16), lang: d.Lang}
	if p.lang == "" {
		p.lang = lang.Tag()
	}
	p.printf("<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n", html.EscapeString(p.lang))
	p.printf("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy())
	p.printf("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n", html.EscapeString(d.Title.String()))
	// The icon is empty so that a browser asks no server for one.
	p.printf("<link rel=\"icon\" href=\"data:,\">\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n", style, spans(d.Title))
	p.contents(d)
	footer := false
	for _, block := range d.Blocks {
		switch x := block.(type) {
		case Heading:
			p.headings++
			level := min(max(x.Level, 2), 6)
			p.printf("<h%d id=\"s%d\">%s</h%d>\n", level, p.headings, spans(x.Text), level)
		case Paragraph:
			p.printf("<p>%s</p>\n", spans(x.Text))
		case List:
			p.printf("<ul>\n")
			for _, item := range x.Items {
				p.printf("<li>%s</li>\n", spans(item))
			}
			p.printf("</ul>\n")
		case Rule:
			if !footer {
				p.printf("</main>\n<footer>\n")
				footer = true
			}
		case *Figure:
			if err := p.figure(x); err != nil {
				return err
			}
		case *Table:
			p.table(x)
		}
	}
	if footer {
		p.printf("</footer>\n")
	} else {
		p.printf("</main>\n")
	}
	p.printf("<script>%s</script>\n</body>\n</html>\n", script)
	return p.b.Flush()
}

// page is the page being written.
type page struct {
	b        *bufio.Writer
	lang     string
	headings int
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p.b, format, args...) }

// contents links the sections of a document that has several.
func (p *page) contents(d *Document) {
	n, links := 0, 0
	for _, b := range d.Blocks {
		if h, ok := b.(Heading); ok && h.Level <= 2 {
			links++
		}
	}
	if links < 4 {
		return
	}
	p.printf("<nav>")
	for _, b := range d.Blocks {
		h, ok := b.(Heading)
		if !ok {
			continue
		}
		if n++; h.Level <= 2 {
			p.printf("<a href=\"#s%d\">%s</a> ", n, spans(h.Text))
		}
	}
	p.printf("</nav>\n")
}

func (p *page) figure(f *Figure) error {
	kind, ok := mime[f.Format]
	if f.Data == nil || !ok {
		if f.Path != "" {
			p.printf("<p><a href=\"%s\">%s</a></p>\n", html.EscapeString(link(f.Path)), html.EscapeString(lang.T(Clean(f.Alt))))
		}
		return nil
	}
	data, err := f.Data()
	if err != nil {
		return fmt.Errorf("figure %s: %w", f.Name, err)
	}
	p.printf("<figure id=\"%s\"><img alt=\"%s\" src=\"data:%s;base64,", html.EscapeString("figure-"+Clean(f.Name)), html.EscapeString(lang.T(Clean(f.Alt))), kind)
	e := base64.NewEncoder(base64.StdEncoding, p.b)
	if _, err := e.Write(data); err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	p.printf("\">")
	if f.Path != "" {
		p.printf("<figcaption>%s</figcaption>", html.EscapeString(Clean(f.Path)))
	}
	p.printf("</figure>\n")
	return nil
}

func (p *page) table(t *Table) {
	p.printf("<div class=\"wide\"><table aria-label=\"%s\">\n<thead><tr>", html.EscapeString(lang.T(Clean(t.Name))))
	for _, c := range t.Columns {
		p.printf("<th scope=\"col\"%s>%s</th>", right(c), html.EscapeString(lang.T(Clean(c.Name))))
	}
	p.printf("</tr></thead>\n<tbody>\n")
	p.rows(t, t.Rows)
	p.printf("</tbody>\n")
	if len(t.Foot) > 0 {
		p.printf("<tfoot>\n")
		p.rows(t, t.Foot)
		p.printf("</tfoot>\n")
	}
	p.printf("</table></div>\n")
}

var stateClass = [...]string{None: "", Pass: "pass", Fail: "fail", Unknown: "unknown"}

func (p *page) rows(t *Table, rows [][]Cell) {
	for _, row := range rows {
		p.printf("<tr>")
		for i, c := range t.Columns {
			var cell Cell
			if i < len(row) {
				cell = row[i]
			}
			p.printf("<td%s", right(c))
			if cell.Number && !math.IsNaN(cell.Value) {
				p.printf(" data-v=\"%s\"", strconv.FormatFloat(cell.Value, 'g', -1, 64))
			} else if cell.Number {
				p.printf(" data-v=\"\"")
			}
			if s := stateClass[cell.State]; s != "" {
				p.printf("><span class=\"%s\">%s</span></td>", s, spans(cell.Text))
			} else {
				p.printf(">%s</td>", spans(cell.Text))
			}
		}
		p.printf("</tr>\n")
	}
}

func right(c Column) string {
	if c.Right {
		return " class=\"r\""
	}
	return ""
}

func spans(t Text) string {
	s := ""
	for _, x := range t {
		text := html.EscapeString(withUnits(x.Text))
		if x.Strong {
			text = "<strong>" + text + "</strong>"
		}
		s += text
	}
	return s
}

// number is a figure with what comes behind it, its unit as a rule.
var number = regexp.MustCompile(`([0-9]) ([°%µA-Za-z])`)

// withUnits keeps figures and their units on one line.
func withUnits(s string) string { return number.ReplaceAllString(s, "$1\u00a0$2") }
