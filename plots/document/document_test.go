package document

import (
	"bytes"
	"errors"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type tester interface {
	Helper()
	Fatal(args ...any)
}

func both(t tester, d *Document) (markdown, page string) {
	t.Helper()
	var m, h bytes.Buffer
	if err := WriteMarkdown(&m, d); err != nil {
		t.Fatal(err)
	}
	if err := WriteHTML(&h, d); err != nil {
		t.Fatal(err)
	}
	return m.String(), h.String()
}

const nasty = "</script><script>alert(1)</script> | ** ` \\ &lt; <b onload='x'> \"q\"\r\n## [x](javascript:y) ![z](w)"

func sample(name string) *Document {
	d := &Document{Title: Str(name)}
	d.Section("Answer")
	d.Para(T("**%s** fit in **%d** racks of %s.", "4 servers", 2, name), nil, T("100 %% done."))
	d.Section("Table")
	d.Add(&Table{
		Name: "racks " + name, Columns: Columns("rack", ">power", "verdict"),
		Rows: [][]Cell{
			Row(Words(name), Num("40.8 kW", 40800, "W"), Judged("PASS", Pass)),
			Row(Words("B|2"), Num("unknown", math.NaN(), "W"), Judged("UNKNOWN", Unknown)),
			Row(Words("C")),
		},
		Foot: [][]Cell{Row(Strong("all"), Num("40.8 kW", 40800, "W"))},
	})
	d.Add(&Figure{Name: "fit", Alt: name, Path: "charts/a (b).png", Format: "png", Data: func() ([]byte, error) { return []byte("picture"), nil }})
	d.Add(List{Items: []Text{Str(name), T("- %s", "1. x")}}, Rule{}, Paragraph{Str("seed 1")})
	return d
}

func TestMarkdown(t *testing.T) {
	m, _ := both(t, sample("hall"))
	want := `# hall

## Answer

**4 servers** fit in **2** racks of hall. 100 % done.

## Table

| rack | power | verdict |
| --- | ---: | --- |
| hall | 40.8 kW | PASS |
| B\|2 | unknown | **UNKNOWN** |
| C | | |
| **all** | 40.8 kW | |

![hall](charts/a%20%28b%29.png)

- hall
- \- 1. x

---

seed 1
`
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
}

func TestPageHoldsWhatMarkdownHolds(t *testing.T) {
	m, h := both(t, sample("hall"))
	for _, want := range []string{
		"<!DOCTYPE html>", `<html lang="en">`, "<h1>hall</h1>", "<strong>4\u00a0servers</strong> fit in <strong>2</strong> racks", "data-v=\"40800\">40.8\u00a0kW",
		`data-v="">unknown`, `<span class="unknown"><strong>UNKNOWN</strong></span>`, "<tfoot>", "data:image/png;base64,cGljdHVyZQ==", "<footer>",
	} {
		if !strings.Contains(h, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	// Every word of the one is in the other, in its order.
	if a, b := wordsOfMarkdown(m), wordsOfPage(h); !cmp.Equal(a, b) {
		t.Error(cmp.Diff(a, b))
	}
	for _, bad := range []string{"http://", "https://", "src=\"charts"} {
		if strings.Contains(h, bad) {
			t.Errorf("the page asks for %s", bad)
		}
	}
}

func wordsOfMarkdown(m string) []string {
	m = regexp.MustCompile(`!\[.*\]\(.*\)`).ReplaceAllString(m, "")
	m = regexp.MustCompile(`(?m)^(\| -.*|---|#+ |- )`).ReplaceAllString(m, "")
	m = strings.ReplaceAll(m, "**", "")
	m = regexp.MustCompile(`\\(.)`).ReplaceAllString(m, "$1")
	return strings.Fields(strings.ReplaceAll(m, "|", " "))
}

func wordsOfPage(h string) []string {
	_, h, _ = strings.Cut(h, "<main>")
	h = regexp.MustCompile(`(?s)<(script|figure|nav)[^>]*>.*?</(script|figure|nav)>`).ReplaceAllString(h, "")
	h = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(strings.ReplaceAll(h, "</td>", " </td>"), " "))
	return strings.Fields(strings.ReplaceAll(h, "|", " "))
}

// No name, however bad, becomes markup in either text.
func TestNamesStayText(t *testing.T) {
	tags := func(s string) int { return len(regexp.MustCompile(`<[a-z/!]`).FindAllString(s, -1)) }
	_, plain := both(t, sample("hall"))
	m, h := both(t, sample(nasty))
	if a, b := tags(plain), tags(h); a != b {
		t.Errorf("%d tags with a plain name, %d with a bad one", a, b)
	}
	for _, line := range strings.Split(m, "\n") {
		rest := regexp.MustCompile(`\\.`).ReplaceAllString(line, "")
		if strings.Contains(rest, "<") || strings.Contains(rest, "](j") || strings.Contains(rest, "&") || strings.Contains(rest, "`") {
			t.Errorf("markup in %q", line)
		}
		if strings.HasPrefix(line, "|") && strings.Count(rest, "|") != 4 {
			t.Errorf("%d bars in %q", strings.Count(rest, "|"), line)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("<>&\"'`|*_[]()!#\\\n\r\t\u202e\u200f\x00\x01- שא上")), 0, 30, -1)).Draw(rt, "name")
		m, h := both(rt, sample("x"+name))
		if a, b := tags(plain), tags(h); a != b {
			rt.Fatalf("%d tags, want %d", b, a)
		}
		if strings.Count(m, "\n") != strings.Count(first(both(rt, sample("hall"))), "\n") {
			rt.Fatalf("the name added lines:\n%s", m)
		}
		for _, bad := range []string{"\u202e", "\x00", "\x01", "\r"} {
			if strings.Contains(m, bad) || strings.Contains(h, bad) {
				rt.Fatalf("%q came through", bad)
			}
		}
	})
}

func first(a, _ string) string { return a }

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a  b\n\tc":    "a b c",
		"上海 一号":        "上海 一号",
		"x\u202ey\x00": "xy",
		"אולם 1":       "\u2068אולם 1\u2069",
		"\x01**":       "**",
		" ":            "",
		"5 °C – m³/s":  "5 °C – m³/s",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	want := Text{{"a", true}, {" b", true}, {" of **c**", false}}
	if diff := cmp.Diff(want, T("**%s** of %v", T("**a** b"), "**c**")); diff != "" {
		t.Error(diff)
	}
}

func TestFigureThatFails(t *testing.T) {
	d := &Document{}
	d.Add(&Figure{Name: "fit", Format: "png", Data: func() ([]byte, error) { return nil, errors.New("no ink") }})
	if err := WriteHTML(io.Discard, d); err == nil || !strings.Contains(err.Error(), "figure fit: no ink") {
		t.Errorf("%v", err)
	}
}
