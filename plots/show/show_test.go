package show

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFigures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{Watts(7200), "7.20 kW"},
		{Watts(1.36e6), "1.36 MW"},
		{Watts(999_949), "1.00 MW"},
		{Watts(999_400), "999 kW"},
		{Watts(0), "0 W"},
		{Watts(-3000), "−3.00 kW"},
		{Watts(nan), "unknown"},
		{Watts(inf), "unknown"},
		{VoltAmperes(2.5e6), "2.50 MVA"},
		{KWh(4_588_292), "4.59 GWh"},
		{KWh(837), "837 kWh"},
		{Litres(4_784_000), "4,784 m³"},
		{GPUHours(2_680_000), "2.68 million GPU-hours"},
		{GPUHours(11.1), "11.1 GPU-hours"},
		{Seconds(45), "45 s"},
		{Seconds(210), "3.50 min"},
		{Seconds(6900), "1.92 h"},
		{Seconds(365 * 86400), "365 d"},
		{Seconds(7 * 86400), "7 d"},
		{Seconds(nan), "unknown"},
		{Percent(0.968), "96.8 %"},
		{Percent(0), "0 %"},
		{Percent(0.00001), "under 0.01 %"},
		{Percent(0.99999), "just under 100 %"},
		{Percent(1), "100 %"},
		{Percent(1 - 1e-13), "100 %"},
		{Percent(1.04), "104.0 %"},
		{Percent(nan), "unknown"},
		{Celsius(27.44), "27.4 °C"},
		{Celsius(-3.21), "−3.2 °C"},
		{Ratio(1.2564, 3), "1.256"},
		{Quantity(3000, "W"), "3.00 kW"},
		{Quantity(168, "U"), "168 U"},
		{Quantity(2.25, "m3/s"), "2.25 m³/s"},
		{Quantity(nan, "kg"), "unknown"},
		{Number(9.996, 3), "10.0"},
		{Number(1234.5, 3), "1,234"},
		{Number(0.0456, 3), "0.0456"},
		{Plain(8), "8"},
		{Count(1234567), "1,234,567"},
		{Count(-12), "−12"},
		{Of(1, "rack"), "1 rack"},
		{Of(1200, "rack"), "1,200 racks"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// A figure that is known never reads as unknown or as another one's unit without a number; one that is not never
// reads as a number.
func TestUnknownIsNotZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		for _, s := range []string{Watts(v), KWh(v), Seconds(v), Percent(v), Celsius(v), Number(v, 3), Plain(v), Quantity(v, "kg")} {
			isKnown := !math.IsNaN(v) && !math.IsInf(v, 0)
			if isKnown == (s == Unknown) {
				t.Fatalf("%v prints as %q", v, s)
			}
			if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || strings.Contains(s, "  ") {
				t.Fatalf("%v prints as %q", v, s)
			}
		}
	})
}
