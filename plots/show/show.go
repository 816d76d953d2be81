// Package show prints figures for people: three or four significant digits, the unit scaled to fit, and
// "unknown" where there is no figure. Full precision belongs to JSON and CSV.
package show

import (
	"math"
	"strconv"
	"strings"
)

// Unknown stands for a figure that is not known. It is never printed as 0.
const Unknown = "unknown"

// known says whether v is a figure that can be printed.
func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Minus sets the typographic minus sign, which is as wide as a plus.
func Minus(s string) string {
	if strings.HasPrefix(s, "-") {
		return "−" + s[1:]
	}
	return s
}

// Thousands puts commas between the thousands of a decimal number.
func Thousands(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, rest, dot := strings.Cut(s, ".")
	if strings.ContainsAny(s, "eE") || len(whole) <= 3 {
		return sign + s
	}
	var b strings.Builder
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if dot {
		b.WriteString("." + rest)
	}
	return sign + b.String()
}

// Number prints v with at least digits significant digits: "1,234", "12.3", "0.0456". Digits before the
// point are never rounded away.
func Number(v float64, digits int) string {
	if !known(v) {
		return Unknown
	}
	if v == 0 {
		return "0"
	}
	if a := math.Abs(v); a >= 1e15 || a < 1e-6 {
		return Minus(strconv.FormatFloat(v, 'g', digits, 64))
	}
	// Round to the digits first: 9.996 to three digits is 10.0, not 10.00.
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		rounded = v
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(math.Abs(rounded))))
	if decimals < 0 {
		decimals = 0
	}
	return Minus(Thousands(strconv.FormatFloat(v, 'f', decimals, 64)))
}

// Count prints a whole number with commas.
func Count[T int | int64 | int32](n T) string {
	return Minus(Thousands(strconv.FormatInt(int64(n), 10)))
}

// Of prints "1 server", "2 servers". The plural is the singular with an s.
func Of(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

type scale struct {
	factor float64
	unit   string
}

func scaled(v float64, digits int, scales ...scale) string {
	if !known(v) {
		return Unknown
	}
	s := scales[0]
	for _, c := range scales[1:] {
		// The threshold leaves room for rounding: 999,950 W is 1.00 MW, not 1,000 kW.
		if math.Abs(v)/c.factor >= 0.9995 {
			s = c
		}
	}
	return Number(v/s.factor, digits) + " " + s.unit
}

// Watts prints power: "7.20 kW", "1.36 MW".
func Watts(w float64) string {
	return scaled(w, 3, scale{1, "W"}, scale{1e3, "kW"}, scale{1e6, "MW"}, scale{1e9, "GW"})
}

// VoltAmperes prints apparent power.
func VoltAmperes(va float64) string {
	return scaled(va, 3, scale{1, "VA"}, scale{1e3, "kVA"}, scale{1e6, "MVA"})
}

// KWh prints energy given in kilowatt-hours: "12.3 MWh", "4.56 GWh".
func KWh(kwh float64) string {
	return scaled(kwh, 3, scale{1, "kWh"}, scale{1e3, "MWh"}, scale{1e6, "GWh"}, scale{1e9, "TWh"})
}

// Litres prints a volume of water: "340 L", "12.3 m³".
func Litres(l float64) string {
	return scaled(l, 3, scale{1, "L"}, scale{1e3, "m³"})
}

// GPUHours prints GPU-hours: "1.23 million GPU-hours".
func GPUHours(h float64) string {
	return scaled(h, 3, scale{1, "GPU-hours"}, scale{1e6, "million GPU-hours"})
}

// Seconds prints a length of time: "45 s", "12.3 min", "3.1 h", "12.5 d".
func Seconds(s float64) string {
	if !known(s) {
		return Unknown
	}
	switch a := math.Abs(s); {
	case a < 90:
		return Number(s, 2) + " s"
	case a < 90*60:
		return Plain(s/60) + " min"
	case a < 48*3600:
		return Plain(s/3600) + " h"
	}
	return Plain(s/86400) + " d"
}

// Percent prints a share as a percentage: "96.8 %". A share that is not quite all or not quite nothing
// is not rounded to it.
func Percent(share float64) string {
	if !known(share) {
		return Unknown
	}
	p := share * 100
	switch {
	case math.Abs(share) > 1e9: // no share of anything; and p may overflow
		return Number(share, 3) + " times"
	case p == 0:
		return "0 %"
	case math.Abs(p-100) < 1e-7: // a sum of shares may miss the last bit
		return "100 %"
	case p > 0 && p < 0.01:
		return "under 0.01 %"
	case p < 100 && p > 99.95:
		return "just under 100 %"
	case math.Abs(p) < 1:
		return Number(p, 2) + " %"
	}
	return Minus(Thousands(strconv.FormatFloat(p, 'f', 1, 64))) + " %"
}

// Celsius prints a temperature: "27.4 °C".
func Celsius(c float64) string {
	if !known(c) {
		return Unknown
	}
	return Minus(strconv.FormatFloat(c, 'f', 1, 64)) + " °C"
}

// Ratio prints a dimensionless figure with the decimals given: "1.273".
func Ratio(v float64, decimals int) string {
	if !known(v) {
		return Unknown
	}
	return Minus(strconv.FormatFloat(v, 'f', decimals, 64))
}

// Quantity prints a figure in a base unit of the contract ("W", "VA", "U", "kg", "L/min", "m3/s", "A"),
// scaled where that unit has prefixes.
func Quantity(v float64, unit string) string {
	switch unit {
	case "W":
		return Watts(v)
	case "VA":
		return VoltAmperes(v)
	case "kWh":
		return KWh(v)
	case "m3/s":
		unit = "m³/s"
	case "":
		return Plain(v)
	}
	if !known(v) {
		return Unknown
	}
	return Plain(v) + " " + unit
}

// Money prints an amount: "CNY 1,234", "CNY 2.08 million".
func Money(currency string, amount float64) string {
	if !known(amount) {
		return Unknown
	}
	if math.Abs(amount) >= 1e6 {
		return currency + " " + Number(amount/1e6, 3) + " million"
	}
	return currency + " " + Number(amount, 3)
}

// Plain prints v without a point where it is a whole number, else with three significant digits.
func Plain(v float64) string {
	if v == math.Trunc(v) {
		return Number(v, 1)
	}
	return Number(v, 3)
}
