package scenarios

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"headroom/facility/units"
)

// moneyValue is an amount with its currency, and what it is for one of: "5 CNY/m3".
type moneyValue struct {
	Amount   float64
	Currency string // "" where nothing is stated
	Per      string
	text     string
	pos
}

var moneyPattern = regexp.MustCompile(`^([0-9][0-9_,]*(?:\.[0-9]+)?|\.[0-9]+)\s*(k|M)?\s*([A-Z]{3})(?:\s*/\s*([A-Za-z0-9-]+))?$`)

const moneyWant = `an amount with its currency such as "280000 USD" or "5 CNY/m3"`

func (v *moneyValue) decode(d *decoder, n *node, path string) {
	v.pos = n.pos
	m := moneyPattern.FindStringSubmatch(strings.TrimSpace(n.value))
	if n.kind != scalarNode || m == nil {
		d.fail(n.pos, path, "", "want %s (got %s)", moneyWant, n.describe())
		return
	}
	x, err := strconv.ParseFloat(strings.NewReplacer("_", "", ",", "").Replace(m[1]), 64)
	if err != nil || !finite(x) || x > 1e15 {
		d.fail(n.pos, path, "", "want %s (got %s)", moneyWant, n.describe())
		return
	}
	switch m[2] {
	case "k":
		x *= 1e3
	case "M":
		x *= 1e6
	}
	*v = moneyValue{Amount: x, Currency: m[3], Per: m[4], text: n.value, pos: n.pos}
}

func (v *moneyValue) encode() *node {
	if v.Currency == "" {
		return nil
	}
	return plain(v.text)
}

func (v *moneyValue) schema() map[string]any {
	return map[string]any{"type": "string", "description": "Units: a currency of three capital letters, per what it is for.", "examples": []any{"280000 USD", "5 CNY/m3"}}
}

// yearsValue is a life in years.
type yearsValue struct {
	Years float64
	text  string
}

func (v *yearsValue) decode(d *decoder, n *node, path string) {
	text := strings.TrimSpace(n.value)
	number, ok := text, false
	for _, unit := range []string{"years", "year", "y", "a"} {
		if rest, found := strings.CutSuffix(text, unit); found {
			number, ok = strings.TrimSpace(rest), true
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if n.kind != scalarNode || !ok || err != nil || !(x > 0) || x > 200 {
		d.fail(n.pos, path, "", "want a life such as \"5 y\" (got %s)", n.describe())
		return
	}
	*v = yearsValue{x, n.value}
}

func (v *yearsValue) encode() *node {
	if v.Years == 0 {
		return nil
	}
	return plain(v.text)
}

func (v *yearsValue) schema() map[string]any {
	return map[string]any{"type": "string", "description": "Units: y.", "examples": []any{"5 y"}}
}

// ratesValue are exchange rates by currency, in the order written.
type ratesValue struct {
	Currencies []string
	Rates      []float64
}

func (v *ratesValue) decode(d *decoder, n *node, path string) {
	if n.kind != mapNode {
		d.fail(n.pos, path, "", "want a rate for each currency, such as {USD: 7.1} (got %s)", n.describe())
		return
	}
	for i, k := range n.keys {
		at := joinKey(path, k.value)
		if len(k.value) != 3 || strings.Trim(k.value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			d.fail(k.pos, at, "", "a currency is three capital letters (got %s)", quoteShort(k.value))
			continue
		}
		if slices.Contains(v.Currencies, k.value) {
			continue // a key that stands twice is told by the reader
		}
		x, ok := d.number(n.items[i], at)
		if !ok {
			continue
		}
		if !(x > 0) {
			d.fail(n.items[i].pos, at, "", "want a rate above 0 (got %v)", x)
			continue
		}
		v.Currencies, v.Rates = append(v.Currencies, k.value), append(v.Rates, x)
	}
}

func (v *ratesValue) encode() *node {
	if len(v.Currencies) == 0 {
		return nil
	}
	n := &node{kind: mapNode, flow: true}
	for i, c := range v.Currencies {
		n.keys = append(n.keys, scalar(c))
		n.items = append(n.items, &node{tag: "!!float", value: strconv.FormatFloat(v.Rates[i], 'g', -1, 64)})
	}
	return n
}

func (v *ratesValue) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "number"}}
}

// hourlyUnit splits the unit of an hourly file: the currency, "" for carbon, and the scale to per kWh.
func hourlyUnit(text string, carbon bool) (currency string, scale float64, ok bool) {
	of, per, found := strings.Cut(text, "/")
	of, per = strings.TrimSpace(of), strings.TrimSpace(per)
	scale = map[string]float64{"kWh": 1, "MWh": 1e-3}[per]
	if !found || scale == 0 {
		return "", 0, false
	}
	if carbon {
		mass := map[string]float64{"kg": 1, "g": 1e-3, "t": 1e3}[of]
		return "", scale * mass, mass > 0
	}
	_, currency, err := units.ParsePrice("1 " + of + "/kWh")
	return currency, scale, err == nil
}
