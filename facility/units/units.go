// Package units parses, prints and converts the quantities a scenario or a catalogue states,
// each as a number with the unit people write: "48 kW", "2.5 MVA", "24 C", "415 V L-L", "1105 cfm".
//
// Inside the program a quantity is a float64 in its base unit, and the name of the variable says
// which: heatW, supplyC, flowLPM. This package is the only place where a unit is turned into another.
// Conversion is exact rational arithmetic rounded once, so 42.9 kW is 42900 W and no dust.
package units

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Error is a text that is not a quantity of the wanted dimension.
type Error struct {
	Text        string   // what was written
	Want        string   // what is wanted, with an example: `power such as "48 kW"`
	Suggestions []string // nearest valid units or whole texts, best first
	Reason      string   // what is wrong
}

// Error gives text, reason, wanted form and suggestions in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q: %s; want %s", e.Text, e.Reason, e.Want)
	for i, s := range e.Suggestions {
		if i == 0 {
			b.WriteString("; did you mean ")
		} else {
			b.WriteString(" or ")
		}
		fmt.Fprintf(&b, "%q", s)
	}
	if len(e.Suggestions) > 0 {
		b.WriteString("?")
	}
	return b.String()
}

// numberLimit is the most characters a number may have; a longer one is a mistake, and costs time.
const numberLimit = 40

// Parse reads a quantity and returns it in the base unit of the dimension; the error is an *Error.
// The unit is never left out, and letters count as written: kW is not kw, and mW is neither.
// Quantities other than temperatures, differences and bare counts are refused below zero.
func Parse(d Dimension, text string) (float64, error) {
	if d >= dimensions {
		return 0, &Error{Text: text, Want: "a known dimension", Reason: "unknown dimension"}
	}
	if d == Voltage {
		volts, lineToLine, err := ParseVoltage(text)
		if err != nil || lineToLine {
			return volts, err
		}
		return volts * math.Sqrt(3), nil
	}
	return parse(&table[d], text)
}

func parse(d *dimension, text string) (float64, error) {
	fail := func(reason string, suggestions ...string) (float64, error) {
		return 0, &Error{Text: text, Want: d.want(), Reason: reason, Suggestions: suggestions}
	}
	number, rest, reason := splitNumber(text)
	if reason != "" {
		return fail(reason)
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return fail("not a number")
	}
	u := d.find(rest)
	if u == nil {
		if rest == "" {
			return fail("the unit is missing", d.withUnits(number)...)
		}
		return fail(d.unknown(rest), d.nearest(rest)...)
	}
	if u.zero != nil {
		value.Sub(value, u.zero)
	}
	value.Mul(value, u.factor)
	switch {
	case value.Sign() < 0 && !d.signed:
		return fail(d.name + " below zero")
	case d.min != nil && value.Cmp(d.min) < 0:
		return fail("below absolute zero")
	case d.max != nil && value.Cmp(d.max) > 0:
		if u.name == "" {
			return fail("more than 1", number+"%")
		}
		return fail("more than 100%")
	}
	base, _ := value.Float64()
	if math.IsInf(base, 0) {
		return fail("the number is too large")
	}
	return base, nil
}

// splitNumber cuts the leading decimal number from its unit; reason says why it cannot.
func splitNumber(text string) (number, rest, reason string) {
	s := strings.TrimSpace(text)
	if s == "" {
		return "", "", "empty"
	}
	digits := func(i int) int {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	start := 0
	if s[0] == '+' || s[0] == '-' {
		start = 1
	}
	end := digits(start)
	count := end - start
	if end < len(s) && s[end] == '.' {
		fraction := digits(end + 1)
		count += fraction - end - 1
		end = fraction
	}
	if count == 0 {
		switch strings.ToLower(strings.TrimLeft(s, "+-.")) {
		case "nan", "inf", "infinity":
			return "", "", "not a finite number"
		}
		return "", "", "no number at the start"
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		sign := end + 1
		if sign < len(s) && (s[sign] == '+' || s[sign] == '-') {
			sign++
		}
		if last := digits(sign); last > sign {
			exponent, err := strconv.Atoi(s[end+1 : last])
			if err != nil || exponent > 400 || exponent < -400 {
				return "", "", "the exponent is out of range"
			}
			end = last
		}
	}
	if end > numberLimit {
		return "", "", "the number has too many digits"
	}
	number, rest = s[:end], strings.Join(strings.Fields(s[end:]), " ")
	if strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, "_") || strings.HasPrefix(rest, "'") {
		return "", "", "separators inside a number are ambiguous, write digits and a point only"
	}
	return number, rest, ""
}

func (d *dimension) want() string {
	return fmt.Sprintf("a %s such as %q", d.name, d.example)
}

func (d *dimension) find(text string) *unit {
	for i := range d.units {
		u := &d.units[i]
		if u.name == text {
			return u
		}
		for _, a := range u.aliases {
			if a == text {
				return u
			}
		}
	}
	return nil
}

// withUnits spells the number with the units a reader would first think of: the example's and the base unit.
func (d *dimension) withUnits(number string) []string {
	_, common, _ := splitNumber(d.example)
	var out []string
	if u := d.find(common); u != nil {
		out = append(out, u.join(number))
	}
	for i := range d.units {
		if u := &d.units[i]; u.printed && u.name != common && u.zero == nil && u.factor.Cmp(rat("1")) == 0 {
			out = append(out, u.join(number))
		}
	}
	return out
}

func (u *unit) join(number string) string {
	if u.tight {
		return number + u.name
	}
	return number + " " + u.name
}

// unknown says what is wrong with a unit, knowing the usual mistakes.
func (d *dimension) unknown(text string) string {
	switch {
	case d == &table[Difference] && table[Temperature].find(text) != nil:
		return fmt.Sprintf("%q is a temperature, a difference is written in K and never converted", text)
	case d == &table[Duration] && (strings.HasPrefix(text, "year") || strings.HasPrefix(text, "month") || text == "y" || text == "mo"):
		return fmt.Sprintf("a %s has no fixed length, write days such as \"365 d\"", strings.TrimSuffix(text, "s"))
	case d == &table[Apparent] && table[Power].find(text) != nil:
		return fmt.Sprintf("%q is active power, apparent power is written in VA", text)
	case d == &table[Power] && table[Apparent].find(text) != nil:
		return fmt.Sprintf("%q is apparent power, active power is written in W", text)
	}
	if first, after, cut := strings.Cut(text, " "); cut && d.find(first) != nil {
		return fmt.Sprintf("text after the unit: %q", after)
	}
	return fmt.Sprintf("unknown unit %q", text)
}

// nearest lists the units closest to the text: those that differ only in case, or else the closest one.
func (d *dimension) nearest(text string) []string {
	var all, same []string
	for i := range d.units {
		for _, name := range append([]string{d.units[i].name}, d.units[i].aliases...) {
			if name == "" {
				continue
			}
			all = append(all, name)
			if strings.EqualFold(name, text) {
				same = append(same, name)
			}
		}
	}
	if len(same) > 0 {
		return same[:1]
	}
	if best, ok := Nearest(text, all); ok {
		return []string{best}
	}
	if first, _, cut := strings.Cut(text, " "); cut && d.find(first) != nil {
		return []string{first}
	}
	return nil
}

// Format prints a quantity of the base unit so that it reads well and Parse gives the same value back:
// of the units in which it is at least 1 the one with the shortest number, the larger on a tie.
// NaN, which stands for an unknown figure, prints as "unknown".
func Format(d Dimension, base float64) string {
	switch {
	case d >= dimensions || math.IsNaN(base):
		return "unknown"
	case math.IsInf(base, 0):
		return strconv.FormatFloat(base, 'g', -1, 64)
	case d == Voltage:
		return formatIn(&table[Voltage], base) + " L-L"
	}
	return formatIn(&table[d], base)
}

func formatIn(d *dimension, base float64) string {
	exact := new(big.Rat).SetFloat64(base)
	best, bestLen := "", math.MaxInt
	small, smallLen := "", math.MaxInt // for values below 1 in every unit, or too odd for any other
	for i := range d.units {
		u := &d.units[i]
		if !u.printed && !(u.zero == nil && u.factor.IsInt() && u.factor.Num().IsInt64() && u.factor.Num().Int64() == 1) {
			continue
		}
		in := new(big.Rat).Quo(exact, u.factor)
		x, _ := in.Float64()
		number := formatNumber(x)
		text := u.join(number)
		if back, err := parse(d, text); err != nil || back != base {
			continue
		}
		if u.printed && math.Abs(x) >= 1 && len(number) < bestLen {
			best, bestLen = text, len(number)
		}
		if len(number) < smallLen || (u.printed && len(number) == smallLen) {
			small, smallLen = text, len(number)
		}
	}
	switch {
	case base == 0:
		return d.zeroText()
	case best != "":
		return best
	}
	return small
}

func (d *dimension) zeroText() string {
	for i := range d.units {
		if u := &d.units[i]; u.printed && u.factor.IsInt() && u.factor.Num().Int64() == 1 {
			return u.join("0")
		}
	}
	return d.units[0].join("0")
}

// formatNumber prints the shortest decimal that reads back to x, in plain digits where that is readable.
func formatNumber(x float64) string {
	if a := math.Abs(x); a == 0 || (a >= 1e-6 && a < 1e15) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
