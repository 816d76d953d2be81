package units

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseReadsWhatPeopleWrite(t *testing.T) {
	tests := []struct {
		d    Dimension
		text string
		want float64
	}{
		{Power, "48 kW", 48000},
		{Power, "42.9 kW", 42900},
		{Power, "  48kW ", 48000},
		{Power, "1.5e3 W", 1500},
		{Power, "2 MW", 2e6},
		{Apparent, "2.5 MVA", 2.5e6},
		{Current, "100 A", 100},
		{Voltage, "415 V L-L", 415},
		{Voltage, "10 kV L-L", 10000},
		{Voltage, "240 V L-N", 240 * math.Sqrt(3)},
		{Temperature, "24 C", 24},
		{Temperature, "-5 °C", -5},
		{Temperature, "90 F", 290.0 / 9},
		{Temperature, "-40 F", -40},
		{Temperature, "300 K", 26.85},
		{Temperature, "0 K", -273.15},
		{Difference, "10 K", 10},
		{Difference, "-2.5 K", -2.5},
		{Length, "600 mm", 0.6},
		{Length, "2 ft", 0.6096},
		{Length, "19 in", 0.4826},
		{Mass, "1.36 t", 1360},
		{Mass, "287.6 lb", 130.453165612},
		{Duration, "36 h", 129600},
		{Duration, "15 s", 15},
		{Duration, "250 ms", 0.25},
		{Duration, "5 min", 300},
		{Duration, "10 weeks", 6048000},
		{Duration, "365 d", 31536000},
		{Airflow, "9 m3/s", 9},
		{Airflow, "1105 cfm", 0.521501924736},
		{Airflow, "3600 m³/h", 1},
		{LiquidFlow, "1500 L/min", 1500},
		{LiquidFlow, "1 m3/h", 1000.0 / 60},
		{LiquidFlow, "10 gpm", 37.85411784},
		{Pressure, "250 kPa", 250000},
		{Pressure, "1 psi", 6894.757293168},
		{Energy, "1 kWh", 3.6e6},
		{Share, "80%", 0.8},
		{Share, "80 %", 0.8},
		{Share, "0.8", 0.8},
		{Share, "100%", 1},
		{Volume, "1.2 m3", 1200},
		{RackUnits, "48U", 48},
		{HeatCapacity, "500 kJ/K", 500000},
		{Carbon, "550 g/kWh", 0.55},
		{Rate, "2/day", 2.0 / 86400},
		{Rate, "30 per hour", 30.0 / 3600},
		{Rate, "3/week", 3.0 / 604800},
		{FailureRate, "3.8 per 1000 node-days", 0.0038},
		{FailureRate, "0.0038/node-day", 0.0038},
		{Bandwidth, "3.35 TB/s", 3350},
		{Count, "-1.5", -1.5},
	}
	for _, tt := range tests {
		got, err := Parse(tt.d, tt.text)
		if err != nil {
			t.Errorf("Parse(%v, %q): %v", tt.d, tt.text, err)
		} else if math.Abs(got-tt.want) > 1e-9*math.Abs(tt.want) {
			t.Errorf("Parse(%v, %q) = %v, want %v", tt.d, tt.text, got, tt.want)
		}
	}
}

func TestParseIsExact(t *testing.T) {
	// float64 division says two 14.3 kW servers in 42.9 kW; parsed quantities must say three.
	rack, _ := Parse(Power, "42.9 kW")
	server, _ := Parse(Power, "14.3 kW")
	if rack != 42900 || server != 14300 || FloorW(rack)/CeilW(server) != 3 {
		t.Errorf("42.9 kW = %v W, 14.3 kW = %v W, %d fit; want 42900, 14300, 3", rack, server, FloorW(rack)/CeilW(server))
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		d       Dimension
		text    string
		reason  string // part of the message
		suggest string // one suggestion, "" for any
	}{
		{Power, "", "empty", ""},
		{Power, "   ", "empty", ""},
		{Power, "48", "unit is missing", "48 kW"},
		{Power, "kW", "no number", ""},
		{Power, "48 kw", `unknown unit "kw"`, "kW"},
		{Power, "5 mW", `unknown unit "mW"`, "MW"},
		{Power, "48 kVA", "apparent power", ""},
		{Apparent, "48 kW", "active power", ""},
		{Power, "48 kWs", "unknown unit", "kW"},
		{Power, "48 kW each", `text after the unit: "each"`, "kW"},
		{Power, "NaN W", "no number", ""},
		{Power, "NaN", "not a finite number", ""},
		{Power, "-inf", "not a finite number", ""},
		{Power, "1e400 W", "too large", ""},
		{Power, "1e309 W", "too large", ""},
		{Power, "1e999999999 W", "exponent", ""},
		{Power, "0x10 W", "unknown unit", ""},
		{Power, "1_000 W", "separators", ""},
		{Power, "1,000 W", "separators", ""},
		{Power, "-3 kW", "below zero", ""},
		{Power, strings.Repeat("9", 50) + " W", "too many digits", ""},
		{Difference, "10 C", "never converted", ""},
		{Difference, "18 F", "never converted", ""},
		{Temperature, "-300 C", "absolute zero", ""},
		{Temperature, "-1 K", "absolute zero", ""},
		{Share, "80", "more than 1", "80%"},
		{Share, "120%", "more than 100%", ""},
		{Duration, "1 year", "no fixed length", ""},
		{Duration, "5 m", "unknown unit", ""},
		{Duration, "2 houres", "unknown unit", "hours"},
		{RackUnits, "48", "unit is missing", "48U"},
		{Voltage, "230 V", "basis is missing", "230 V L-N"},
		{Voltage, "230", "unit is missing", ""},
		{FailureRate, "3.8 per 1000 nodedays", "unknown unit", "per 1000 node-days"},
		{Dimension(200), "1", "unknown dimension", ""},
	}
	for _, tt := range tests {
		got, err := Parse(tt.d, tt.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%v, %q) = %v, %v; want *Error", tt.d, tt.text, got, err)
			continue
		}
		if !strings.Contains(e.Error(), tt.reason) {
			t.Errorf("Parse(%v, %q): %v; want reason %q", tt.d, tt.text, e, tt.reason)
		}
		if tt.suggest != "" && !strings.Contains(strings.Join(e.Suggestions, "\n"), tt.suggest) {
			t.Errorf("Parse(%v, %q) suggests %q, want %q", tt.d, tt.text, e.Suggestions, tt.suggest)
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := Parse(Power, "48 kw")
	want := `"48 kw": unknown unit "kw"; want a power such as "48 kW"; did you mean "kW"?`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
}

func TestFormatReadsWell(t *testing.T) {
	tests := []struct {
		d    Dimension
		base float64
		want string
	}{
		{Power, 48000, "48 kW"},
		{Power, 42900, "42.9 kW"},
		{Power, 500, "500 W"},
		{Power, 0, "0 W"},
		{Power, 0.25, "0.25 W"},
		{Apparent, 2.5e6, "2.5 MVA"},
		{Temperature, 24, "24 C"},
		{Temperature, -5.5, "-5.5 C"},
		{Temperature, 0, "0 C"},
		{Difference, 0.1, "0.1 K"},
		{Duration, 36 * 3600, "36 h"},
		{Duration, 90, "90 s"},
		{Duration, 365 * 86400, "365 d"},
		{Duration, 0.25, "250 ms"},
		{Voltage, 415, "415 V L-L"},
		{Share, 0.8, "80%"},
		{Share, 0, "0%"},
		{RackUnits, 48, "48U"},
		{Airflow, 9, "9 m3/s"},
		{Length, 0.6, "600 mm"},
		{Mass, 130.45, "130.45 kg"},
		{LiquidFlow, 1500, "1500 L/min"},
		{Pressure, 250000, "250 kPa"},
		{Carbon, 0.55, "550 g/kWh"},
		{Rate, 2.0 / 86400, "2/day"},
		{FailureRate, 0.0038, "3.8 per 1000 node-days"},
		{Power, math.NaN(), "unknown"},
	}
	for _, tt := range tests {
		if got := Format(tt.d, tt.base); got != tt.want {
			t.Errorf("Format(%v, %v) = %q, want %q", tt.d, tt.base, got, tt.want)
		}
	}
}

func TestFormatParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Dimension(rapid.IntRange(0, int(dimensions)-1).Draw(t, "dimension"))
		base := rapid.Float64().Draw(t, "base")
		if rapid.Bool().Draw(t, "everyday") {
			base = float64(rapid.IntRange(-1000000, 1000000).Draw(t, "n")) / rapid.SampledFrom([]float64{1, 3, 7, 10, 100, 3600}).Draw(t, "by")
		}
		if table[d].min != nil {
			base = math.Max(base, -273.15)
		}
		if !table[d].signed {
			base = math.Abs(base)
		}
		if d == Share {
			base = math.Mod(base, 1)
		}
		text := Format(d, base)
		back, err := Parse(d, text)
		if err != nil || back != base {
			t.Fatalf("%v: %v printed %q, read back %v (%v)", d, base, text, back, err)
		}
		if again := Format(d, back); again != text {
			t.Fatalf("%v: %q printed again as %q", d, text, again)
		}
	})
}

func TestUnitsAreDistinctAndHaveABase(t *testing.T) {
	for d := Dimension(0); d < dimensions; d++ {
		seen := map[string]bool{}
		for _, u := range table[d].units {
			for _, name := range append([]string{u.name}, u.aliases...) {
				if seen[name] {
					t.Errorf("%v: %q stands twice", d, name)
				}
				seen[name] = true
			}
		}
		if d != Share && d != Count && d.BaseUnit() == "" {
			t.Errorf("%v has no base unit", d)
		}
		if _, err := Parse(d, d.Example()); err != nil {
			t.Errorf("%v: its example %q does not parse: %v", d, d.Example(), err)
		}
	}
}

func TestParseVoltage(t *testing.T) {
	if v, ll, err := ParseVoltage("415 V L-L"); v != 415 || !ll || err != nil {
		t.Errorf("415 V L-L = %v, %v, %v", v, ll, err)
	}
	if v, ll, err := ParseVoltage("0.24 kV L-N"); v != 240 || ll || err != nil {
		t.Errorf("0.24 kV L-N = %v, %v, %v", v, ll, err)
	}
	if _, _, err := ParseVoltage("230 V"); err == nil || !strings.Contains(err.Error(), "basis") {
		t.Errorf("230 V: %v", err)
	}
	if _, _, err := ParseVoltage("-5 V L-L"); err == nil {
		t.Error("-5 V L-L was accepted")
	}
	if got := FormatVoltage(240, false); got != "240 V L-N" {
		t.Errorf("FormatVoltage = %q", got)
	}
}

func TestParsePrice(t *testing.T) {
	if p, c, err := ParsePrice("0.65 CNY/kWh"); p != 0.65 || c != "CNY" || err != nil {
		t.Errorf("0.65 CNY/kWh = %v %v %v", p, c, err)
	}
	if p, c, err := ParsePrice("-80 EUR/MWh"); p != -0.08 || c != "EUR" || err != nil {
		t.Errorf("-80 EUR/MWh = %v %v %v", p, c, err)
	}
	for _, text := range []string{"", "0.65", "0.65 CNY", "0.65 cny/kWh", "0.65 CNY/h", "x CNY/kWh", "1e400 CNY/kWh", "0.65 /kWh", "0.65 CNY/kWh x"} {
		if p, c, err := ParsePrice(text); err == nil {
			t.Errorf("%q was read as %v %v", text, p, c)
		}
	}
	if got := FormatPrice(0.65, "CNY"); got != "0.65 CNY/kWh" {
		t.Errorf("FormatPrice = %q", got)
	}
}

func TestWholeWatts(t *testing.T) {
	tests := []struct {
		w           float64
		ceil, floor int64
	}{
		{42900, 42900, 42900},
		{3 * 14300.000000000002, 42900, 42900},
		{0.1 + 0.2, 1, 0},
		{9.9999999999, 10, 10},
		{10.001, 11, 10},
		{10.999, 11, 10},
		{0, 0, 0},
		{-0.5, 0, -1},
		{1e300, math.MaxInt64, math.MaxInt64},
		{math.Inf(1), math.MaxInt64, math.MaxInt64},
		{math.Inf(-1), math.MinInt64, math.MinInt64},
		{math.NaN(), math.MaxInt64, math.MinInt64},
	}
	for _, tt := range tests {
		if c, f := CeilW(tt.w), FloorW(tt.w); c != tt.ceil || f != tt.floor {
			t.Errorf("%v: ceil %d floor %d, want %d %d", tt.w, c, f, tt.ceil, tt.floor)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"dgx-h100", "dgx-h200", "hgx-h100-air", "count", "racks", "kW", "W"}
	tests := []struct {
		word, want string
	}{
		{"dgx-h10", "dgx-h100"},
		{"DGX_H100", "dgx-h100"},
		{"dgx-h300", "dgx-h100"},
		{"cuont", "count"},
		{"rack", "racks"},
		{"kw", "kW"},
		{"hgx-h100", "hgx-h100-air"},
		{"elephant", ""},
		{"", ""},
		{"x", ""},
	}
	for _, tt := range tests {
		got, ok := Nearest(tt.word, words)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Nearest(%q) = %q, %v; want %q", tt.word, got, ok, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for d := Dimension(0); d < dimensions; d++ {
		f.Add(uint8(d), d.Example())
	}
	for _, s := range []string{"", "1e-400 W", "-0 W", "+.5 kW", "5. kW", "1e5", "1ee5 W", "٣ kW", "3\x00W", "9e307 GW", "0.0000001%"} {
		f.Add(uint8(Power), s)
	}
	f.Fuzz(func(t *testing.T, d uint8, text string) {
		v, err := Parse(Dimension(d), text)
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || v != 0 {
				t.Fatalf("%q: value %v with error %T", text, v, err)
			}
			return
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%q read as %v", text, v)
		}
		if back, err := Parse(Dimension(d), Format(Dimension(d), v)); err != nil || back != v {
			t.Fatalf("%q = %v printed %q, read back %v, %v", text, v, Format(Dimension(d), v), back, err)
		}
	})
}

func FuzzPriceAndVoltage(f *testing.F) {
	f.Add("0.65 CNY/kWh")
	f.Add("415 V L-L")
	f.Fuzz(func(t *testing.T, text string) {
		if p, _, err := ParsePrice(text); err == nil && (math.IsNaN(p) || math.IsInf(p, 0)) {
			t.Fatalf("%q read as %v", text, p)
		}
		if v, _, err := ParseVoltage(text); err == nil && (v < 0 || math.IsInf(v, 0)) {
			t.Fatalf("%q read as %v", text, v)
		}
		Nearest(text, []string{"a", "racks", "L-L", text})
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(Power, "42.9 kW"); err != nil {
			b.Fatal(err)
		}
	}
}
