package units

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// ParseVoltage reads a voltage with its basis, "415 V L-L" or "240 V L-N". A voltage without basis is
// refused: 230 V between lines and 230 V to neutral differ by √3 in what a circuit carries.
func ParseVoltage(text string) (volts float64, lineToLine bool, err error) {
	s := strings.TrimSpace(text)
	for _, basis := range []string{"L-L", "L-N"} {
		if rest, ok := strings.CutSuffix(s, basis); ok {
			volts, err := parse(&table[Voltage], rest)
			if err != nil {
				var e *Error
				if errors.As(err, &e) {
					e.Text = text
				}
				return 0, false, err
			}
			return volts, basis == "L-L", nil
		}
	}
	e := &Error{Text: text, Want: `a voltage with its basis such as "415 V L-L" or "240 V L-N"`, Reason: "the basis is missing: end it in L-L (line to line) or L-N (line to neutral)"}
	var without *Error
	if _, err := parse(&table[Voltage], s); err == nil {
		e.Suggestions = []string{s + " L-L", s + " L-N"}
	} else if errors.As(err, &without) && !strings.ContainsAny(s, "LlNn") {
		e.Reason = without.Reason
	}
	return 0, false, e
}

// FormatVoltage prints a voltage with its basis so that ParseVoltage gives the same back.
func FormatVoltage(volts float64, lineToLine bool) string {
	if math.IsNaN(volts) || math.IsInf(volts, 0) {
		return "unknown"
	}
	if lineToLine {
		return formatIn(&table[Voltage], volts) + " L-L"
	}
	return formatIn(&table[Voltage], volts) + " L-N"
}

// ParsePrice reads a price of energy, "0.65 CNY/kWh" or "80 EUR/MWh": currency by its three letters
// (ISO 4217). A price may be below zero.
func ParsePrice(text string) (perKWh float64, currency string, err error) {
	fail := func(reason string, suggestions ...string) (float64, string, error) {
		return 0, "", &Error{Text: text, Want: `a price such as "0.65 CNY/kWh"`, Reason: reason, Suggestions: suggestions}
	}
	number, rest, reason := splitNumber(text)
	if reason != "" {
		return fail(reason)
	}
	if rest == "" {
		return fail("the currency and the unit are missing", number+" CNY/kWh", number+" USD/kWh")
	}
	currency, unit, ok := strings.Cut(rest, "/")
	currency, unit = strings.TrimSpace(currency), strings.TrimSpace(unit)
	if !ok {
		return fail("the unit is missing", number+" "+currency+"/kWh")
	}
	if len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return fail(fmt.Sprintf("the currency %q is not three capital letters", currency))
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return fail("not a number")
	}
	switch unit {
	case "kWh":
	case "MWh":
		value.Mul(value, rat("1/1000"))
	default:
		return fail(fmt.Sprintf("unknown unit %q", unit), currency+"/kWh")
	}
	perKWh, _ = value.Float64()
	if math.IsInf(perKWh, 0) {
		return fail("the number is too large")
	}
	return perKWh, currency, nil
}

// FormatPrice prints a price so that ParsePrice gives the same back.
func FormatPrice(perKWh float64, currency string) string {
	if math.IsNaN(perKWh) {
		return "unknown"
	}
	return formatNumber(perKWh) + " " + currency + "/kWh"
}

// dustW is how far above a whole watt a demand may lie and still count as that watt: float dust, not load.
const dustW = 1e-6

// CeilW rounds a demand up to whole watts, forgiving float dust. Demand that is unknown (NaN) or beyond
// int64 is the largest int64, which fits nowhere.
func CeilW(w float64) int64 {
	if math.IsNaN(w) {
		return math.MaxInt64
	}
	return saturate(math.Ceil(w - guardW(w)))
}

// FloorW rounds a capacity down to whole watts, forgiving float dust. A capacity that is unknown (NaN) is
// the smallest int64, which holds nothing.
func FloorW(w float64) int64 {
	if math.IsNaN(w) {
		return math.MinInt64
	}
	return saturate(math.Floor(w + guardW(w)))
}

// guardW is dustW, or four steps of float64 where those are coarser (above about 1 GW).
func guardW(w float64) float64 {
	if math.IsInf(w, 0) {
		return 0
	}
	return math.Max(dustW, 4*(math.Nextafter(math.Abs(w), math.Inf(1))-math.Abs(w)))
}

func saturate(w float64) int64 {
	switch {
	case w >= math.MaxInt64:
		return math.MaxInt64
	case w <= math.MinInt64:
		return math.MinInt64
	}
	return int64(w)
}
