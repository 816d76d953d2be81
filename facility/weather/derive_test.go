package weather

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"headroom/facility/catalog"
)

var update = flag.Bool("update", false, "write the climates derived from the data into the catalogue")

const (
	climatesFile = "../catalog/data/climates.yaml"
	// What follows is written by TestClimatesOfChineseStations, whose files are not in the data, and then kept by hand.
	chineseBegin = "# Derived from files that are not in the data.\n"
	derivedEnds  = "# Not derived from hourly data.\n"
)

// TestClimatesComeFromTheirData computes the statistics of every derived climate again. With -update it
// writes them; what follows the line chineseBegin is kept.
func TestClimatesComeFromTheirData(t *testing.T) {
	dataDir(t)
	var text bytes.Buffer
	text.WriteString(climatesHead)
	for _, s := range stations {
		writeClimate(&text, derive(readStation(t, s), s))
	}
	stored, err := os.ReadFile(filepath.FromSlash(climatesFile))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(stored, []byte(chineseBegin))
	text.WriteString("\n" + chineseBegin)
	text.Write(rest)
	if *update {
		if err := os.WriteFile(filepath.FromSlash(climatesFile), text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := catalog.ReadClimates(text.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := catalog.Climates()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Errorf("%s is not what its data give; run with -update and look at the difference", want[i].City)
			}
		}
	}
}

// derive computes the monthly statistics of a series, rounded as they are stored.
func derive(s *Series, from station) *catalog.Climate {
	c := &catalog.Climate{
		City: from.city, Station: from.name, Source: derived + from.source, Grade: "derived",
		Latitude: s.Latitude, Longitude: s.Longitude, AltitudeM: s.AltitudeM, Zone: s.Zone,
	}
	type day struct {
		month      int
		yearDay    float64
		airC, dewC float64 // daily means, later their distance from the annual cycle
		rangeK     float64
	}
	var days []day
	var airC, dewC [12][]float64
	for h := 0; h+hoursPerDay <= len(s.Samples); h += hoursPerDay {
		date := s.Start.AddDate(0, 0, h/hoursPerDay)
		d := day{month: int(date.Month()) - 1, yearDay: math.Min(float64(date.YearDay()), daysPerYear) - 0.5}
		low, high := math.Inf(1), math.Inf(-1)
		for _, sample := range s.Samples[h : h+hoursPerDay] {
			dew := DewPointC(sample.DryBulbC, math.Max(sample.RH, 0.005)) // in whole per cent: 0 is less than half of one
			airC[d.month] = append(airC[d.month], sample.DryBulbC)
			dewC[d.month] = append(dewC[d.month], dew)
			d.airC += sample.DryBulbC / hoursPerDay
			d.dewC += dew / hoursPerDay
			low, high = math.Min(low, sample.DryBulbC), math.Max(high, sample.DryBulbC)
		}
		d.rangeK = high - low
		days = append(days, d)
	}
	for m := range c.MeanC {
		c.MeanC[m], c.DewMeanC[m] = round(mean(airC[m]), 0.1), round(mean(dewC[m]), 0.1)
		slices.Sort(airC[m])
		slices.Sort(dewC[m])
		for q, share := range catalog.ClimateShares {
			c.DryBulbC[q][m] = round(quantile(airC[m], share), 0.1)
			c.DewPointC[q][m] = round(quantile(dewC[m], share), 0.1)
		}
	}
	for i := range days {
		days[i].airC -= annualCycle(&c.MeanC, days[i].yearDay)
		days[i].dewC -= annualCycle(&c.DewMeanC, days[i].yearDay)
	}
	for m := range c.MeanC {
		var air, dew, ranges, before, after []float64
		for i, d := range days {
			if d.month != m {
				continue
			}
			air, dew, ranges = append(air, d.airC), append(dew, d.dewC), append(ranges, d.rangeK)
			if i > 0 {
				before, after = append(before, days[i-1].airC), append(after, d.airC)
			}
		}
		c.RangeK[m] = round(mean(ranges), 0.1)
		c.DaySDK[m], c.DewSDK[m] = round(deviation(air), 0.1), round(deviation(dew), 0.1)
		c.DayLag[m], c.DewCorr[m] = round(correlation(before, after), 0.01), round(correlation(air, dew), 0.01)
	}
	return c
}

const climatesHead = `# Built-in climates: monthly statistics, from which package weather makes a typical year of hours.
#
# Written by the tests TestClimatesComeFromTheirData and TestClimatesOfChineseStations of package weather with
# -update, each up to a line that says so; what follows the last is kept by hand. Months run from January.
# Temperatures are in degrees Celsius, *_k in kelvin. dry_bulb_c and dew_point_c hold one row for each share of
# hours below: 1, 10, 50, 90, 97 and 99.5 per cent. day_lag is the correlation of a day's mean dry bulb with the
# day before, dew_corr that of the daily means of dry bulb and dew point; both, and the standard deviations
# day_sd_k and dew_sd_k, are taken about the annual cycle.
climates:
`

// writeClimate writes an entry of the data file.
func writeClimate(w *bytes.Buffer, c *catalog.Climate) {
	row := func(v catalog.Monthly, format string) string {
		cells := make([]string, len(v))
		for i := range v {
			cells[i] = fmt.Sprintf(format, v[i])
		}
		return "[" + strings.Join(cells, ", ") + "]"
	}
	fmt.Fprintf(w, "  - city: %s\n    station: %q\n", c.City, c.Station)
	fmt.Fprintf(w, "    latitude: %g\n    longitude: %g\n    altitude_m: %g\n    zone: %g\n",
		c.Latitude, c.Longitude, c.AltitudeM, c.Zone)
	fmt.Fprintf(w, "    source: %q\n    grade: %s\n", c.Source, c.Grade)
	for _, f := range []struct {
		key    string
		v      catalog.Monthly
		format string
	}{
		{"mean_c", c.MeanC, "%.1f"},
		{"range_k", c.RangeK, "%.1f"},
		{"day_sd_k", c.DaySDK, "%.1f"},
		{"day_lag", c.DayLag, "%.2f"},
		{"dew_mean_c", c.DewMeanC, "%.1f"},
		{"dew_sd_k", c.DewSDK, "%.1f"},
		{"dew_corr", c.DewCorr, "%.2f"},
	} {
		fmt.Fprintf(w, "    %s: %s\n", f.key, row(f.v, f.format))
	}
	for _, f := range []struct {
		key  string
		rows [len(catalog.ClimateShares)]catalog.Monthly
	}{{"dry_bulb_c", c.DryBulbC}, {"dew_point_c", c.DewPointC}} {
		fmt.Fprintf(w, "    %s:\n", f.key)
		for _, v := range f.rows {
			fmt.Fprintf(w, "      - %s\n", row(v, "%.1f"))
		}
	}
}

func round(v, unit float64) float64 {
	steps := math.Round(1 / unit)
	return math.Round(v*steps)/steps + 0 // no negative zero
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func deviation(v []float64) float64 {
	m, sum := mean(v), 0.0
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(v)))
}

func correlation(a, b []float64) float64 {
	meanA, meanB, sum := mean(a), mean(b), 0.0
	for i := range a {
		sum += (a[i] - meanA) * (b[i] - meanB)
	}
	return sum / float64(len(a)) / deviation(a) / deviation(b)
}
