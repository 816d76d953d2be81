package document

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"

	"headroom/plots/lang"
)

// Text is one line of words, some of which stand out.
type Text []Span

// Span is a run of words.
type Span struct {
	Text   string
	Strong bool
}

// String returns the words alone.
func (t Text) String() string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
	}
	return b.String()
}

// on and off stand for ** while arguments are filled in; no argument can hold them.
const on, off = "\x01", "\x02"

// T fills a format like fmt.Sprintf. Between two ** in the format words stand out; in arguments ** is text like any other.
// Arguments may be strings, which are made one clean line, Texts, which keep what stands out, and anything fmt prints.
func T(format string, args ...any) Text {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case Text:
			var b strings.Builder
			for _, s := range a {
				if s.Strong {
					b.WriteString(on + s.Text + off)
				} else {
					b.WriteString(s.Text)
				}
			}
			safe[i] = b.String()
		case string:
			safe[i] = lang.T(Clean(a))
		default:
			safe[i] = a
			if v := reflect.ValueOf(a); v.Kind() == reflect.String {
				safe[i] = lang.T(Clean(v.String()))
			}
		}
	}
	marked := strings.Split(lang.Format(format), "**")
	for i := range marked {
		if i%2 == 1 {
			marked[i] = on + marked[i] + off
		}
	}
	return parse(fmt.Sprintf(strings.Join(marked, ""), safe...))
}

// parse splits words at the marks; between marks inside marks they stand out all the same.
func parse(s string) Text {
	var out Text
	depth := 0
	for s != "" {
		n := strings.IndexAny(s, on+off)
		if n < 0 {
			n = len(s)
		}
		if n > 0 {
			out = append(out, Span{s[:n], depth > 0})
		}
		if n == len(s) {
			break
		}
		if s[n:n+1] == on {
			depth++
		} else {
			depth--
		}
		s = s[n+1:]
	}
	return out
}

// Str is text as it stands, made one clean line.
func Str(s string) Text {
	if s = lang.T(Clean(s)); s == "" {
		return nil
	}
	return Text{{Text: s}}
}

func bold(s string) Text {
	t := Str(s)
	for i := range t {
		t[i].Strong = true
	}
	return t
}

// Join puts texts behind each other with sep between them; empty ones are left out.
func Join(sep string, texts ...Text) Text {
	var out Text
	for _, t := range texts {
		if len(t) == 0 {
			continue
		}
		if len(out) > 0 && sep != "" {
			out = append(out, Span{Text: sep})
		}
		out = append(out, t...)
	}
	return out
}

// First-strong isolate and its end: what stands between them does not turn the words around it.
const isolate, popIsolate = "\u2068", "\u2069"

// Clean makes text of others one line: spaces of any kind become one space, characters that are not seen or that steer
// a terminal or the direction of writing go, and text that is written from right to left is kept apart from what
// stands around it.
func Clean(s string) string {
	if !utf8Clean(s) {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == unicode.ReplacementChar:
				return r // of bytes that are no text, too
			case unicode.IsSpace(r):
				return ' '
			case unicode.IsControl(r), steers(r):
				return -1
			}
			return r
		}, s)
	}
	s = strings.Join(strings.Fields(s), " ")
	for _, r := range s {
		if r < 0x590 {
			continue
		}
		if p, _ := bidi.LookupRune(r); p.Class() == bidi.R || p.Class() == bidi.AL {
			return isolate + s + popIsolate
		}
	}
	return s
}

// utf8Clean says that s is plain printable ASCII, as most text is.
func utf8Clean(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// steers says that a rune is an instruction to the writer of lines and no character: embeddings, overrides, isolates,
// marks, the byte order mark, line and paragraph separators.
func steers(r rune) bool {
	return r >= 0x200e && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x2069 || r == 0xfeff || r == 0x061c
}
