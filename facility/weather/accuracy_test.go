package weather

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"headroom/facility/catalog"
	"headroom/validation"
)

// climateFigures are what plants are sized and economizers judged by.
type climateFigures struct {
	meanC, meanRH                              float64
	cold996C, hot004C, hot010C, wet004C        float64
	over35, under18, under24                   float64 // hours a year by dry bulb, °C
	wetUnder10, wetUnder15, wetUnder20, outAir float64 // by wet bulb; outAir: below 27 °C and dew point below 15 °C
}

// figuresOf computes them over a series, scaled to one year. Temperatures that are recorded in whole degrees
// put many hours exactly on a limit: half of those count.
func figuresOf(s *Series) climateFigures {
	var f climateFigures
	var airC, wetC []float64
	perYear := float64(HoursPerYear) / float64(len(s.Samples))
	under := func(v, limit float64) float64 {
		switch {
		case math.Abs(v-limit) < 1e-9:
			return perYear / 2
		case v < limit:
			return perYear
		}
		return 0
	}
	for _, x := range s.Samples {
		wet := wetBulbC(x)
		airC, wetC = append(airC, x.DryBulbC), append(wetC, wet)
		f.meanRH += x.RH / float64(len(s.Samples))
		f.over35 += perYear - under(x.DryBulbC, 35)
		f.under18 += under(x.DryBulbC, 18)
		f.under24 += under(x.DryBulbC, 24)
		f.wetUnder10 += under(wet, 10)
		f.wetUnder15 += under(wet, 15)
		f.wetUnder20 += under(wet, 20)
		if x.DryBulbC < 27 && DewPointC(x.DryBulbC, x.RH) < 15 {
			f.outAir += perYear
		}
	}
	slices.Sort(wetC)
	extremes := s.Extremes()
	f.meanC = mean(airC)
	f.cold996C, f.hot004C, f.hot010C = extremes.Heating996C, extremes.Cooling004C, extremes.Cooling010C
	f.wet004C = quantile(wetC, 0.996)
	return f
}

// wetBulbC solves the psychrometer equation of the ASHRAE Handbook of Fundamentals over liquid water by
// bisection. The product's own is in package cooling; this one judges the climates.
func wetBulbC(s Sample) float64 {
	ratio := func(vapourPa float64) float64 { return 0.62198 * vapourPa / (s.PressurePa - vapourPa) }
	w := ratio(s.RH * SaturationPa(s.DryBulbC))
	low, high := s.DryBulbC-50, s.DryBulbC
	for range 40 {
		wet := (low + high) / 2
		atWet := ((2501-2.326*wet)*ratio(SaturationPa(wet)) - 1.006*(s.DryBulbC-wet)) /
			(2501 + 1.86*s.DryBulbC - 4.186*wet)
		if atWet > w {
			high = wet
		} else {
			low = wet
		}
	}
	return (low + high) / 2
}

// TestWetBulbOfTheTests holds the judge itself to published values (35 °C 50 % = 26.14, 40 °C 20 % = 22.03).
func TestWetBulbOfTheTests(t *testing.T) {
	for _, c := range []struct{ airC, rh, want float64 }{{35, 0.5, 26.14}, {40, 0.2, 22.03}} {
		if got := wetBulbC(Sample{DryBulbC: c.airC, RH: c.rh, PressurePa: SeaLevelPa}); math.Abs(got-c.want) > 0.03 {
			t.Errorf("wet bulb at %g °C, %g: got %.3f, want %.2f", c.airC, c.rh, got, c.want)
		}
	}
}

// TestBuiltInAgainstRealWeather prints how far every derived climate is from the hours it stands for, and
// holds it to what was reached.
func TestBuiltInAgainstRealWeather(t *testing.T) {
	dataDir(t)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "city\tmean C\tcold 99.6\thot 1\thot 0.4\twet 0.4\th>35\th<18\th<24\twb<10\twb<15\twb<20\toutside air\tRH %\t")
	for _, st := range stations {
		observed := figuresOf(readStation(t, st))
		series, err := BuiltIn(st.city)
		if err != nil {
			t.Fatal(err)
		}
		made := figuresOf(series)
		fmt.Fprintf(w, "%s\t", st.city)
		for _, c := range []struct {
			name                 string
			observed, made, most float64
		}{
			{"mean", observed.meanC, made.meanC, 0.06},
			{"cold 99.6 %", observed.cold996C, made.cold996C, 0.9},
			{"hot 1 %", observed.hot010C, made.hot010C, 0.8},
			{"hot 0.4 %", observed.hot004C, made.hot004C, 0.5},
			{"wet bulb 0.4 %", observed.wet004C, made.wet004C, 0.7},
			{"hours over 35 °C", observed.over35, made.over35, math.Max(0.2*observed.over35, 5)},
			{"hours under 18 °C", observed.under18, made.under18, 100},
			{"hours under 24 °C", observed.under24, made.under24, 175},
			{"hours wet bulb under 10 °C", observed.wetUnder10, made.wetUnder10, 130},
			{"hours wet bulb under 15 °C", observed.wetUnder15, made.wetUnder15, 150},
			{"hours wet bulb under 20 °C", observed.wetUnder20, made.wetUnder20, 150},
			{"hours fit for outside air", observed.outAir, made.outAir, 175},
			{"RH", 100 * observed.meanRH, 100 * made.meanRH, 1},
		} {
			fmt.Fprintf(w, "%.1f %+.1f\t", c.observed, c.made-c.observed)
			if most, asked := map[string]float64{"hot 0.4 %": 1, "cold 99.6 %": 1, "wet bulb 0.4 %": 1, "hours over 35 °C": math.Max(0.2*c.observed, 5)}[c.name]; asked {
				unit := "°C"
				if strings.HasPrefix(c.name, "hours") {
					unit = "h"
				}
				validation.Within("climate/"+strings.ToLower(strings.NewReplacer(" ", "-", "%", "", "°", "").Replace(st.city+" "+c.name)), st.city+": "+c.name, unit, c.observed, most, "hours of "+st.file).FromData().Check(t, c.made)
			}
			if math.Abs(c.made-c.observed) > c.most {
				t.Errorf("%s: %s is %.2f, in reality %.2f: more than %.2f apart", st.city, c.name, c.made, c.observed, c.most)
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	t.Log("reality and the error of the built-in climate\n" + table.String())
}

// TestBuiltInStatistics holds the typical years to the figures they are made from.
func TestBuiltInStatistics(t *testing.T) {
	climates, err := catalog.Climates()
	if err != nil {
		t.Fatal(err)
	}
	for i := range climates {
		c := &climates[i]
		s, err := BuiltIn(c.City)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Samples) != HoursPerYear || s.Actual || s.Coverage != 1 || s.Filled != 0 {
			t.Fatalf("%s: not a whole typical year", c.City)
		}
		var byHour [hoursPerDay]float64
		eachMonth(hoursPerDay, func(m, from, to int) {
			var air, dew []float64
			rhBefore, rhAfter := 0.0, 0.0
			for h := from; h < to; h++ {
				x := s.Samples[h]
				if !(x.RH > 0 && x.RH <= 1) || x.PressurePa < 50000 || !math.IsNaN(x.WindMS) {
					t.Fatalf("%s, hour %d: %+v", c.City, h, x)
				}
				air, dew = append(air, x.DryBulbC), append(dew, DewPointC(x.DryBulbC, x.RH))
				byHour[h%hoursPerDay] += x.DryBulbC / daysPerYear
				switch h % hoursPerDay {
				case 5:
					rhBefore += x.RH
				case 14:
					rhAfter += x.RH
				}
			}
			if got := mean(air); math.Abs(got-c.MeanC[m]) > 1e-9 {
				t.Errorf("%s, month %d: mean %.3f, want %.1f", c.City, m+1, got, c.MeanC[m])
			}
			if got := mean(dew); math.Abs(got-c.DewMeanC[m]) > 0.15 {
				t.Errorf("%s, month %d: mean dew point %.3f, want %.1f", c.City, m+1, got, c.DewMeanC[m])
			}
			if rhAfter >= rhBefore {
				t.Errorf("%s, month %d: relative humidity does not fall as the day warms", c.City, m+1)
			}
			slices.Sort(air)
			for q, share := range catalog.ClimateShares {
				most := 0.9
				if share == 0.5 {
					most = 1.6 // the middle pays for the mean
				}
				if got := quantile(air, share); math.Abs(got-c.DryBulbC[q][m]) > most {
					t.Errorf("%s, month %d: %g of hours under %.2f °C, want %.1f", c.City, m+1, share, got, c.DryBulbC[q][m])
				}
			}
		})
		hottest, coldest := 0, 0
		for h := range byHour {
			if byHour[h] > byHour[hottest] {
				hottest = h
			}
			if byHour[h] < byHour[coldest] {
				coldest = h
			}
		}
		if hottest < 14 || hottest > 15 || coldest < 4 || coldest > 6 {
			t.Errorf("%s: hottest at %d:00, coldest at %d:00", c.City, hottest, coldest)
		}
		// No jumps between months nor round the year's end: stations show up to 14 K in an hour, and the
		// far hot tail of Sydney is as steep as that.
		steps := make([]float64, HoursPerYear)
		for h := range steps {
			steps[h] = math.Abs(s.Samples[(h+1)%HoursPerYear].DryBulbC - s.Samples[h].DryBulbC)
		}
		slices.Sort(steps)
		if most := steps[HoursPerYear-1]; most > 17 {
			t.Errorf("%s: the dry bulb moves %.1f K in an hour", c.City, most)
		}
		if rare := quantile(steps, 0.999); rare > 6.5 {
			t.Errorf("%s: the dry bulb moves %.1f K in an hour, and so in one hour of a thousand", c.City, rare)
		}
	}
}

// TestBuiltInPersistence compares the day-to-day correlation of the made years with the stations'.
func TestBuiltInPersistence(t *testing.T) {
	climates, err := catalog.Climates()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []float64
	for i := range climates {
		s, err := BuiltIn(climates[i].City)
		if err != nil {
			t.Fatal(err)
		}
		again := derive(s, station{})
		want, got = append(want, mean(climates[i].DayLag[:])), append(got, mean(again.DayLag[:]))
		t.Logf("%-13s lag %.2f, made %.2f; range %.1f K, made %.1f; dew correlation %.2f, made %.2f", climates[i].City,
			want[i], got[i], mean(climates[i].RangeK[:]), mean(again.RangeK[:]), mean(climates[i].DewCorr[:]), mean(again.DewCorr[:]))
	}
	if d := mean(got) - mean(want); math.Abs(d) > 0.12 {
		t.Errorf("day-to-day correlation: made %.2f, want %.2f", mean(got), mean(want))
	}
}

func TestCities(t *testing.T) {
	cities := Cities()
	for _, c := range []string{
		"Beijing", "Shanghai", "Guangzhou", "Hangzhou", "Singapore", "Frankfurt", "Dublin", "Stockholm",
		"Ashburn", "Dallas", "Phoenix", "Tokyo",
	} {
		if !slices.Contains(cities, c) {
			t.Errorf("no built-in climate of %s", c)
		}
	}
	if !slices.IsSorted(cities) {
		t.Error("not in alphabetical order")
	}
	a, err := BuiltIn("kuala-lumpur")
	if err != nil {
		t.Fatal(err)
	}
	b, err := BuiltIn(" Kuala Lumpur")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(a.Samples, b.Samples, func(x, y Sample) bool { return x.DryBulbC == y.DryBulbC && x.RH == y.RH }) {
		t.Error("one city, two climates")
	}
	if a.Name != "Kuala Lumpur (built-in climate)" {
		t.Errorf("name %q", a.Name)
	}
	_, err = BuiltIn("shanhai")
	if err == nil || !strings.Contains(err.Error(), "nearest name Shanghai") || !strings.Contains(err.Error(), "Tokyo") {
		t.Errorf("unknown city: %v", err)
	}
	if _, err = BuiltIn(strings.Repeat("x", 1<<20)); err == nil || len(err.Error()) > 1000 {
		t.Error("endless name")
	}
}

// TestBuiltInStaysTheSame holds a few hours of one city: whoever changes the generator changes every result
// that stands on a built-in climate, and must raise the model version.
func TestBuiltInStaysTheSame(t *testing.T) {
	s, err := BuiltIn("Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		hour     int
		airC, rh float64
	}{{0, 0.8957, 0.5083}, {2000, 11.2505, 0.4374}, {4863, 30.9077, 0.7294}, {8759, -0.3551, 0.3926}} {
		if got := s.Samples[c.hour]; math.Abs(got.DryBulbC-c.airC) > 1e-4 || math.Abs(got.RH-c.rh) > 1e-4 {
			t.Errorf("hour %d: %.4f °C, RH %.4f, was %.4f and %.4f", c.hour, got.DryBulbC, got.RH, c.airC, c.rh)
		}
	}
}

func BenchmarkBuiltIn(b *testing.B) {
	for b.Loop() {
		if _, err := BuiltIn("Shanghai"); err != nil {
			b.Fatal(err)
		}
	}
}
