// Package lang says what charts, reports and tables say in another language. Its messages are keyed by the English
// text, with fmt's verbs where a figure or a name stands, as the source has it; what has no message stays English.
// Figures, names of a scenario and keys of data files are the same in every language.
//
// The language is that of the whole process, as a locale is: the program sets it once, from --lang, before it draws.
package lang

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Languages are the tags that Use takes (BCP 47).
func Languages() []string { return []string{"en", "zh"} }

// between stands between a message and what is said instead, one message a line; # begins a comment.
const between = " ⇒ "

//go:embed zh.txt
var zhText string

var zh = sync.OnceValue(func() *catalogue { return newCatalogue(Messages()) })

var current atomic.Pointer[catalogue] // nil is English

// Use sets the language of the process.
func Use(tag string) error {
	switch tag {
	case "en", "":
		current.Store(nil)
	case "zh":
		current.Store(zh())
	default:
		return fmt.Errorf("no language %q: want one of %s", tag, strings.Join(Languages(), ", "))
	}
	return nil
}

// Tag is the language in use.
func Tag() string {
	if current.Load() == nil {
		return "en"
	}
	return "zh"
}

// Messages are the pairs of a language's catalogue, English first, for tests that hold it to the source.
func Messages() [][2]string {
	var list [][2]string
	for line := range strings.Lines(zhText) {
		if en, said, ok := strings.Cut(strings.TrimSuffix(line, "\n"), between); ok && !strings.HasPrefix(line, "# ") {
			list = append(list, [2]string{en, said})
		}
	}
	return list
}

// message is one entry: an English text with verbs, and the other language's.
type message struct {
	en, zh  string
	pattern *regexp.Regexp // of a text with its verbs filled in
	order   []int          // for each capture in the target's order, its place in the English text
	parts   []string       // of the target, around the captures
	weight  int            // letters that are not filled in
	words   string         // longest piece between verbs: a text without it cannot match
}

// catalogue holds the messages of a language.
type catalogue struct {
	exact    map[string]string
	messages []message // with verbs, the most specific first
	cache    sync.Map  // text → its translation
}

func newCatalogue(messages [][2]string) *catalogue {
	c := &catalogue{exact: map[string]string{}}
	for _, m := range messages {
		c.add(m[0], m[1])
	}
	slices.SortStableFunc(c.messages, func(a, b message) int { return cmp.Compare(b.weight, a.weight) })
	return c
}

// verb is one of fmt's: its place where stated, its flags and its letter.
var verb = regexp.MustCompile(`%(\[([0-9])\])?[-+0]*[0-9]*(\.[0-9]+)?([sdvgfqe%])`)

func (c *catalogue) add(en, zh string) {
	c.exact[en] = zh
	if !verb.MatchString(en) {
		return
	}
	m := message{en: en, zh: zh}
	var b strings.Builder
	b.WriteString("^")
	at := 0
	plain := strings.ReplaceAll(en, "**", "")
	piece := func(s string) {
		b.WriteString(regexp.QuoteMeta(s))
		m.weight += len(s)
		if len(s) > len(m.words) {
			m.words = s
		}
	}
	for _, v := range verb.FindAllStringSubmatchIndex(plain, -1) {
		piece(plain[at:v[0]])
		at = v[1]
		switch plain[v[8]:v[9]] {
		case "%":
			b.WriteString("%")
		case "d":
			b.WriteString(`([−+-]?[0-9][0-9,]*)`)
		case "f":
			b.WriteString(`([−+-]?[0-9][0-9,.]*)`)
		default: // no further than to the end of a sentence
			b.WriteString(`((?:[^;.]|\.[^ ])+?)`)
		}
	}
	piece(plain[at:])
	b.WriteString("$")
	m.pattern = regexp.MustCompile(b.String())
	zh = strings.ReplaceAll(zh, "**", "")
	at = 0
	part, next := "", 0
	for _, v := range verb.FindAllStringSubmatchIndex(zh, -1) {
		part += zh[at:v[0]]
		at = v[1]
		if zh[v[8]:v[9]] == "%" {
			part += "%"
			continue
		}
		place := next
		if v[4] >= 0 {
			place = int(zh[v[4]] - '1')
		}
		next = place + 1
		m.parts, m.order = append(m.parts, part), append(m.order, place)
		part = ""
	}
	m.parts = append(m.parts, part+zh[at:])
	c.messages = append(c.messages, m)
}

// Format returns the message of a format that is filled in afterwards; the format itself where there is none.
func Format(format string) string {
	if c := current.Load(); c != nil {
		if zh, ok := c.exact[format]; ok {
			return zh
		}
	}
	return format
}

// T returns a text in the language in use: a message, a message with its verbs filled in, or the parts of a sentence
// one by one. What has no message comes back as it is.
func T(text string) string {
	c := current.Load()
	if c == nil || text == "" {
		return text
	}
	if zh, ok := c.cache.Load(text); ok {
		return zh.(string)
	}
	zh := c.translate(text, 0)
	c.cache.Store(text, zh)
	c.cache.Store(zh, zh) // what is said is not said again in other words
	if w := watcher.Load(); w != nil {
		(*w)(text, zh)
	}
	return zh
}

var watcher atomic.Pointer[func(text, said string)]

// Watch tells every text that is asked for the first time and what is said instead, until stop is called: for a test
// that finds what has no message.
func Watch(tell func(text, said string)) (stop func()) {
	watcher.Store(&tell)
	return func() { watcher.Store(nil) }
}

// deepest bounds how far a text is taken apart; a message with fewer letters than certain around its verbs counts only
// where all that fills them is said too.
const (
	deepest = 8
	certain = 12
)

// joints are what holds the parts of a sentence together, and what does in Chinese. Parts that stand apart may be said
// alone; of the others all are said or none, for half a sentence is worse than none and may be a name.
var joints = []struct {
	en, zh string
	apart  bool
}{
	{" · ", " · ", true},
	{"\n", "\n", true},
	{"; ", "；", true},
	{". ", "。", true},
	{": ", "：", false},
	{", ", "，", false},
	{" and ", "和", false},
	{" or ", "或", false},
	{" … ", " … ", false},
}

// identifier is a name or a number with a unit, the same in every language.
var identifier = regexp.MustCompile(`[A-Za-z0-9_\[\]./*#×-]*[0-9_\[\]./*-][A-Za-z0-9_\[\]./*-]*`)

var englishWord = regexp.MustCompile(`[A-Za-z]*[a-z]{2,}`)

// international are units, names and words that stay as they are.
var international = []string{
	"kW", "MW", "GW", "kWh", "MWh", "GWh", "kVA", "MVA", "kg", "min", "PFLOPS", "TFLOPS", "pPUE", "iPUE", "GPU-h", "Headroom", "headroom",
	"ups", "ms", "Student", "Young", "mm",
}

// English returns the words of a text that are left in English: no units, no names of elements.
func English(text string) []string {
	var out []string
	for _, w := range englishWord.FindAllString(identifier.ReplaceAllString(text, " "), -1) {
		if !slices.Contains(international, w) {
			out = append(out, w)
		}
	}
	return out
}

func (c *catalogue) translate(text string, depth int) string {
	if zh, ok := c.exact[text]; ok {
		return zh
	}
	if depth > deepest || !hasLetters(text) {
		return text
	}
	for i := range c.messages {
		m := &c.messages[i]
		if !strings.Contains(text, m.words) {
			continue
		}
		found := m.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		var b strings.Builder
		whole := true
		for k, place := range m.order {
			b.WriteString(m.parts[k])
			if place+1 < len(found) {
				part := c.translate(found[place+1], depth+1)
				whole = whole && len(English(part)) == 0
				b.WriteString(part)
			}
		}
		if !whole && m.weight < certain { // "%s of %s" fits half of all sentences
			continue
		}
		b.WriteString(m.parts[len(m.parts)-1])
		return b.String()
	}
	if s, ok := strings.CutSuffix(text, "."); ok && s != "" {
		if zh := c.translate(s, depth+1); zh != s {
			return zh + "。"
		}
	}
	for _, j := range joints {
		if !strings.Contains(text, j.en) {
			continue
		}
		parts := strings.Split(text, j.en)
		known, whole := false, true
		for i, p := range parts {
			parts[i] = c.translate(p, depth+1)
			known = known || parts[i] != p
			whole = whole && len(English(parts[i])) == 0
		}
		if known && (whole || j.apart) {
			return strings.Join(parts, j.zh)
		}
	}
	if i := strings.Index(text, " ("); i > 0 && strings.HasSuffix(text, ")") {
		head, inside := text[:i], text[i+2:len(text)-1]
		if a, b := c.translate(head, depth+1), c.translate(inside, depth+1); a != head || b != inside {
			return a + "（" + b + "）"
		}
	}
	return text
}

func hasLetters(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}
