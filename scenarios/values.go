package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"headroom/facility/units"
)

// names is one word or a list of words.
type names []string

func (v *names) decode(d *decoder, n *node, path string) {
	items := n.items
	if n.kind == scalarNode {
		items = []*node{n}
	} else if n.kind != listNode {
		d.fail(n.pos, path, "", "want a name or a list of names (got %s)", n.describe())
		return
	}
	seen := map[string]bool{}
	for i, x := range items {
		switch {
		case x.kind != scalarNode || x.isNull() || x.value == "":
			d.fail(x.pos, fmt.Sprintf("%s[%d]", path, i), "", "want a name (got %s)", x.describe())
		case seen[x.value]:
			d.fail(x.pos, fmt.Sprintf("%s[%d]", path, i), "", "%s stands twice", quoteShort(x.value))
		default:
			seen[x.value] = true
			*v = append(*v, x.value)
		}
	}
}

func (v *names) encode() *node {
	if len(*v) == 0 {
		return nil
	}
	if len(*v) == 1 {
		return scalar((*v)[0])
	}
	n := &node{kind: listNode, flow: true}
	for _, s := range *v {
		n.items = append(n.items, scalar(s))
	}
	return n
}

func (v *names) schema() map[string]any {
	one := map[string]any{"type": []any{"string", "number"}}
	return map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one}}}
}

// scheme is a redundancy scheme.
type scheme struct {
	Text  string
	Twice bool // 2N and 2(N+k): two sides
	Spare int  // k
	// Systems is n of nN(n-1), distributed redundant: every load on a pair of n systems, the pairs in turn.
	Systems int
	Block   bool // block redundant: static switches move a block to one reserve
}

var schemePattern = regexp.MustCompile(`^(?:N(?:\+([1-9]))?|2N|2\(N\+([1-9])\)|3N2|4N3|block)$`)

func (v *scheme) decode(d *decoder, n *node, path string) {
	text := strings.ReplaceAll(n.value, " ", "")
	m := schemePattern.FindStringSubmatch(text)
	if n.kind != scalarNode || m == nil {
		d.fail(n.pos, path, "", "unknown scheme (got %s, want N, N+1, N+2, 2N, 2(N+1), 3N2, 4N3 or block)", n.describe())
		*v = scheme{Text: "N"}
		return
	}
	*v = scheme{Text: text, Twice: text[0] == '2', Block: text == "block"}
	if text == "3N2" || text == "4N3" {
		v.Systems = int(text[0] - '0')
	}
	if s := m[1] + m[2]; s != "" {
		v.Spare = int(s[0] - '0')
	}
}

func (v *scheme) encode() *node {
	if v.Text == "" {
		return nil
	}
	return scalar(v.Text)
}

func (v *scheme) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": schemePattern.String(), "examples": []any{"N", "N+1", "2N", "2(N+1)", "3N2", "4N3", "block"}}
}

// redundant returns how many of n units on one output may be lost with the claim kept, and whether the
// scheme is possible with n units at all.
func (v *scheme) redundant(n int) (int, bool) {
	if v.Systems > 0 || v.Block {
		return 0, false
	}
	if !v.Twice {
		return v.Spare, v.Spare < n
	}
	if n%2 != 0 || n/2 <= v.Spare {
		return 0, false
	}
	return n/2 + v.Spare, n/2+v.Spare < n || v.Spare == 0
}

// ratingValue is a rating in VA, W or A.
type ratingValue struct {
	Quantity
	Dim units.Dimension // Apparent, Power or Current
}

func (v *ratingValue) decode(d *decoder, n *node, path string) {
	v.pos = n.pos
	if n.kind != scalarNode {
		d.fail(n.pos, path, "", "want a rating such as \"2.5 MVA\", \"4 MW\" or \"800 A\" (got %s)", n.describe())
		return
	}
	x, dim, err := parseQuantity(n.value, units.Apparent, units.Power, units.Current)
	if err != nil {
		reason, hint := err.Error(), ""
		if e := (*units.Error)(nil); errors.As(err, &e) {
			_, hint = quantityMsg(err)
			reason = e.Reason
		}
		d.fail(n.pos, path, hint, "%s (got %s, want a rating such as \"2.5 MVA\", \"4 MW\" or \"800 A\")", reason, quoteShort(n.value))
		return
	}
	if x <= 0 {
		d.fail(n.pos, path, "", "out of range (got %s, want more than 0)", quoteShort(n.value))
		return
	}
	v.Quantity, v.Dim = Quantity{V: x, Given: true, text: n.value, pos: n.pos}, dim
}

func (v *ratingValue) encode() *node {
	if !v.Given {
		return nil
	}
	if v.text != "" {
		return plain(v.text)
	}
	return plain(formatQuantity(v.Dim, v.V))
}

func (v *ratingValue) schema() map[string]any {
	return map[string]any{"type": "string", "description": "Units: VA, kVA, MVA, W, kW, MW, A.", "examples": []any{"2.5 MVA", "4 MW", "800 A"}}
}

// priceValue is a price of energy with its currency.
type priceValue struct {
	PerKWh   float64
	Currency string // "" where no price is stated
	text     string
}

func (v *priceValue) decode(d *decoder, n *node, path string) {
	if n.kind != scalarNode {
		d.fail(n.pos, path, "", "want a price such as \"0.65 CNY/kWh\" (got %s)", n.describe())
		return
	}
	p, c, err := units.ParsePrice(n.value)
	if err != nil {
		msg, hint := quantityMsg(err)
		d.fail(n.pos, path, hint, "%s", msg)
		return
	}
	*v = priceValue{p, c, n.value}
}

func (v *priceValue) encode() *node {
	if v.Currency == "" {
		return nil
	}
	return plain(v.text)
}

func (v *priceValue) schema() map[string]any {
	return map[string]any{"type": "string", "description": "Units: a currency of three capital letters per kWh or MWh.", "examples": []any{"0.65 CNY/kWh", "80 EUR/MWh"}}
}

// momentValue is a local wall clock time, held in UTC.
type momentValue struct {
	T     time.Time
	Given bool
	pos
}

var momentForms = [...]string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

func (v *momentValue) decode(d *decoder, n *node, path string) {
	v.pos = n.pos
	if n.kind == scalarNode {
		for _, f := range momentForms {
			if t, err := time.Parse(f, n.value); err == nil && t.Year() >= 1900 && t.Year() <= 2200 {
				v.T, v.Given = t, true
				return
			}
		}
	}
	d.fail(n.pos, path, "times are local to the site, without a zone", "want a date or time such as 2026-07-15 or 2026-07-15 14:00 (got %s)", n.describe())
}

func (v *momentValue) encode() *node {
	if !v.Given {
		return nil
	}
	f := "2006-01-02 15:04:05"
	if v.T.Second() == 0 {
		f = "2006-01-02 15:04"
	}
	if v.T.Hour() == 0 && v.T.Minute() == 0 && v.T.Second() == 0 {
		f = "2006-01-02"
	}
	return &node{tag: timestampTag(f), value: v.T.Format(f)}
}

func timestampTag(form string) string {
	if form == "2006-01-02" {
		return "!!timestamp"
	}
	return "!!str"
}

func (v *momentValue) schema() map[string]any {
	return map[string]any{
		"type": "string", "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$`,
		"examples": []any{"2026-01-01", "2026-07-15 14:00"},
	}
}

// countOrMax is a number of servers, or as many as fit.
type countOrMax struct {
	N   int
	Max bool
}

const maxServers = 2_000_000

func (v *countOrMax) decode(d *decoder, n *node, path string) {
	if n.kind == scalarNode && n.value == "max" {
		v.Max = true
		return
	}
	i, err := strconv.Atoi(n.value)
	if n.kind != scalarNode || err != nil || i < 0 || i > maxServers {
		d.fail(n.pos, path, "", "want a number of servers from 0 to %d, or max (got %s)", maxServers, n.describe())
		return
	}
	v.N = i
}

func (v *countOrMax) encode() *node {
	if v.Max {
		return scalar("max")
	}
	return plain(strconv.Itoa(v.N))
}

func (v *countOrMax) schema() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"type": "integer", "minimum": 0}, map[string]any{"const": "max"}}}
}

// capValue is a power, or a share of nameplate.
type capValue struct {
	Quantity
	Share bool
}

func (v *capValue) decode(d *decoder, n *node, path string) {
	v.pos = n.pos
	if n.kind != scalarNode {
		d.fail(n.pos, path, "", "want a power such as \"7 kW\" or a share such as \"70%%\" (got %s)", n.describe())
		return
	}
	dims := []units.Dimension{units.Power, units.Share}
	if strings.Contains(n.value, "%") {
		dims = []units.Dimension{units.Share}
	}
	x, dim, err := parseQuantity(n.value, dims...)
	if err != nil {
		msg, hint := quantityMsg(err)
		d.fail(n.pos, path, hint, "%s", msg)
		return
	}
	if x <= 0 {
		d.fail(n.pos, path, "", "out of range (got %s, want more than 0)", quoteShort(n.value))
		return
	}
	v.Quantity, v.Share = Quantity{V: x, Given: true, text: n.value, pos: n.pos}, dim == units.Share
}

func (v *capValue) encode() *node {
	if !v.Given {
		return nil
	}
	return plain(v.text)
}

func (v *capValue) schema() map[string]any {
	return map[string]any{"type": []any{"string", "number"}, "description": "Units: W, kW, MW, %.", "examples": []any{"70%", "7 kW"}}
}
