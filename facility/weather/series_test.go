package weather

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func at(year int, month time.Month, day, hour int) time.Time {
	return time.Date(year, month, day, hour, 0, 0, 0, time.UTC)
}

// numbered is a series whose dry bulb is the place of its sample.
func numbered(n int) *Series {
	s := &Series{Name: "numbered", Samples: make([]Sample, n)}
	for i := range s.Samples {
		s.Samples[i].DryBulbC = float64(i)
	}
	return s
}

func TestAtTypical(t *testing.T) {
	s := numbered(HoursPerYear)
	for _, c := range []struct {
		t    time.Time
		want float64
	}{
		{at(2025, 1, 1, 0), 0},
		{at(2025, 1, 1, 0).Add(time.Hour - 1), 0},
		{at(2025, 12, 31, 23), 8759},
		{at(2024, 12, 31, 23), 8759},
		{at(2026, 1, 1, 0), 0},
		{at(2025, 2, 28, 5), 58*24 + 5},
		{at(2024, 2, 28, 5), 58*24 + 5},
		{at(2024, 2, 29, 5), 58*24 + 5},
		{at(2024, 3, 1, 5), 59*24 + 5},
		{at(2025, 3, 1, 5), 59*24 + 5},
		{at(2000, 12, 31, 0), 364 * 24},
		{at(1900, 12, 31, 0), 364 * 24},
	} {
		if got, ok := s.At(c.t); !ok || got.DryBulbC != c.want {
			t.Errorf("%v: got %g %v, want %g", c.t, got.DryBulbC, ok, c.want)
		}
	}
	if _, ok := (&Series{}).At(at(2025, 1, 1, 0)); ok {
		t.Error("an empty series has weather")
	}
}

func TestAtTypicalProperty(t *testing.T) {
	s := numbered(HoursPerYear)
	rapid.Check(t, func(t *rapid.T) {
		when := time.Unix(rapid.Int64Range(-4e9, 8e9).Draw(t, "unix"), 0).UTC()
		got, ok := s.At(when)
		if !ok {
			t.Fatalf("%v: no weather", when)
		}
		day := when.Day()
		if when.Month() == 2 && day == 29 {
			day = 28
		}
		want := at(typicalYear, when.Month(), day, when.Hour()).Sub(at(typicalYear, 1, 1, 0)).Hours()
		if got.DryBulbC != want {
			t.Fatalf("%v: hour %g, want %g", when, got.DryBulbC, want)
		}
	})
}

func TestAtActual(t *testing.T) {
	s := numbered(48)
	s.Actual, s.Start = true, at(2024, 2, 28, 12)
	for _, c := range []struct {
		t    time.Time
		want float64 // −1: outside
	}{
		{at(2024, 2, 28, 11), -1},
		{at(2024, 2, 28, 12).Add(-1), -1},
		{at(2024, 2, 28, 12), 0},
		{at(2024, 2, 29, 12).Add(59 * time.Minute), 24},
		{at(2024, 3, 1, 12).Add(-1), 47},
		{at(2024, 3, 1, 12), -1},
		{at(2025, 2, 28, 12), -1},
	} {
		got, ok := s.At(c.t)
		if ok != (c.want >= 0) || ok && got.DryBulbC != c.want {
			t.Errorf("%v: got %g %v, want %g", c.t, got.DryBulbC, ok, c.want)
		}
	}
}

func TestCovers(t *testing.T) {
	typical, actual := numbered(HoursPerYear), numbered(48)
	actual.Actual, actual.Start = true, at(2024, 2, 28, 0)
	for _, c := range []struct {
		s      *Series
		start  time.Time
		length time.Duration
		want   string
	}{
		{typical, at(1999, 5, 5, 5), 20 * 365 * 24 * time.Hour, ""},
		{numbered(100), at(2024, 1, 1, 0), time.Hour, "a typical year has 8760 hours (got 100)"},
		{numbered(0), at(2024, 1, 1, 0), time.Hour, "no weather samples"},
		{typical, at(2024, 1, 1, 0), -time.Hour, "negative"},
		{actual, at(2024, 2, 28, 0), 48 * time.Hour, ""},
		{
			actual, at(2024, 2, 28, 0), 49 * time.Hour,
			"numbered: weather runs from 2024-02-28 00:00 to 2024-03-01 00:00, the run from 2024-02-28 00:00 to 2024-03-01 01:00",
		},
		{actual, at(2024, 2, 27, 23), time.Hour, "the run from 2024-02-27 23:00"},
	} {
		err := c.s.Covers(c.start, c.length)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v for %v: got %v, want %q", c.start, c.length, err, c.want)
		}
	}
}

func TestExtremes(t *testing.T) {
	s := numbered(1001) // quantiles of 0 to 1000 are a thousand times their share
	got := s.Extremes()
	for _, c := range []struct{ got, want float64 }{
		{got.MinC, 0}, {got.Heating996C, 4}, {got.Cooling010C, 990}, {got.Cooling004C, 996}, {got.MaxC, 1000},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%+v", got)
		}
	}
	if none := (&Series{}).Extremes(); !math.IsNaN(none.MaxC) {
		t.Errorf("no samples: %+v", none)
	}
}

func TestAir(t *testing.T) {
	for _, c := range []struct {
		name            string
		got, want, most float64
	}{
		{"sea level", StandardPressurePa(0), 101325, 0},
		{"1000 m (ASHRAE table: 89.875 kPa)", StandardPressurePa(1000), 89875, 3},
		{"3000 m (70.108 kPa)", StandardPressurePa(3000), 70108, 3},
		{"beyond the formula", StandardPressurePa(60000), 0, 0},
		{"saturation at 0 °C", SaturationPa(0), 611.21, 1e-9},
		{"25 °C (ASHRAE table: 3169.2 Pa)", SaturationPa(25), 3169.2, 1},
		{"40 °C (7384.9 Pa)", SaturationPa(40), 7384.9, 4},
		{"dew point of 25 °C, 50 %", DewPointC(25, 0.5), 13.86, 0.01},
		{"dry air", DewPointC(20, 0), math.Inf(-1), 0},
		{"RH above saturation", RHFromDewPoint(10, 12), 1, 0},
	} {
		if c.got != c.want && !(math.Abs(c.got-c.want) <= c.most) {
			t.Errorf("%s: got %g, want %g", c.name, c.got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		airC := rapid.Float64Range(-50, 55).Draw(t, "air")
		rh := rapid.Float64Range(0.005, 1).Draw(t, "rh")
		dew := DewPointC(airC, rh)
		if dew > airC+1e-9 || math.Abs(RHFromDewPoint(airC, dew)-rh) > 1e-9 {
			t.Fatalf("air %g °C, RH %g: dew point %g gives %g", airC, rh, dew, RHFromDewPoint(airC, dew))
		}
		if SaturationPa(airC+0.1) <= SaturationPa(airC) {
			t.Fatalf("saturation pressure does not rise at %g", airC)
		}
	})
}

// TestFillGaps compares with the plain definition: the straight line between the known neighbours.
func TestFillGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		wraps := rapid.Bool().Draw(t, "wraps")
		values := make([]float64, n)
		known := make([]bool, n)
		anyKnown := false
		for i := range values {
			known[i] = rapid.Bool().Draw(t, "known")
			values[i] = math.NaN()
			if known[i] {
				values[i], anyKnown = float64(rapid.IntRange(-50, 50).Draw(t, "v")), true
			}
		}
		raw := append([]float64(nil), values...)
		filled := make([]bool, n)
		_, longest, ok := fillGaps(values, wraps, filled)
		if ok != anyKnown {
			t.Fatalf("ok %v", ok)
		}
		if !ok {
			return
		}
		most := 0
		for i := range values {
			if filled[i] == known[i] {
				t.Fatalf("%d: filled %v, known %v", i, filled[i], known[i])
			}
			left, right := i, i // distance to the known neighbours
			for left > i-n && !known[(left+n)%n] && (wraps || left > 0) {
				left--
			}
			for right < i+n && !known[right%n] && (wraps || right < n-1) {
				right++
			}
			a, b := raw[(left+n)%n], raw[right%n]
			want := a
			switch {
			case math.IsNaN(a):
				want = b
			case !math.IsNaN(b) && right > left:
				want = a + (b-a)*float64(i-left)/float64(right-left)
			}
			if math.Abs(values[i]-want) > 1e-9 {
				t.Fatalf("%d: got %g, want %g of %v", i, values[i], want, raw)
			}
			if !known[i] {
				run := 1
				for k := 1; k < n && !known[(i+k)%n] && (wraps || i+k < n); k++ {
					run++
				}
				most = max(most, run)
			}
		}
		if longest != most {
			t.Fatalf("longest gap %d, want %d of %v", longest, most, raw)
		}
	})
}
