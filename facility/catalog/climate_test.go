package catalog

import (
	"slices"
	"strings"
	"testing"
)

func TestClimates(t *testing.T) {
	climates, err := Climates()
	if err != nil {
		t.Fatal(err)
	}
	byCity := map[string]Climate{}
	for _, c := range climates {
		byCity[c.City] = c
		if c.Grade == "derived" && !strings.Contains(c.Source, "computed from ") {
			t.Errorf("%s: source %q", c.City, c.Source)
		}
	}
	if len(byCity) < 25 {
		t.Errorf("%d climates", len(byCity))
	}
	for _, hub := range []string{"Guiyang", "Hohhot", "Ulanqab", "Zhangbei", "Zhangjiakou", "Zhongwei"} {
		if c, ok := byCity[hub]; !ok || c.Grade != "derived" {
			t.Errorf("%s: %q, %q", hub, c.Station, c.Grade)
		}
	}
}

// climateText is an entry of which only normals are known, for a user's own place.
const climateText = `climates:
  - city: Home
    station: Home
    latitude: 30
    longitude: 100
    altitude_m: 500
    zone: 8
    source: our own station
    grade: recalled
    like: Hangzhou
    mean_c: [5, 6, 11, 16, 19, 22, 24, 23, 20, 16, 11, 7]
    dew_mean_c: [1, 2, 7, 12, 15, 18, 19, 19, 16, 12, 7, 3]
`

func TestReadClimates(t *testing.T) {
	known, err := Climates()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadClimates([]byte(climateText), known)
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	// What it leaves out is Hangzhou's; its quantiles keep their distance from the mean.
	own, like := got[0], known[slices.IndexFunc(known, func(c Climate) bool { return c.City == "Hangzhou" })]
	if own.RangeK != like.RangeK || own.DayLag != like.DayLag || own.MeanC == like.MeanC {
		t.Error("not completed from Hangzhou")
	}
	for m := range own.MeanC {
		d := (own.DryBulbC[4][m] - own.MeanC[m]) - (like.DryBulbC[4][m] - like.MeanC[m])
		if d > 1e-9 || d < -1e-9 {
			t.Errorf("month %d: quantile moved by %g against its mean", m+1, d)
		}
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"unknown key", "zone: 8", "zone: 8\n    wind_m_s: 3", "wind_m_s"},
		{"not a climate", "like: Hangzhou", "like: Nowhere", `climate Home: like "Nowhere" is not a climate before it`},
		{"nothing to stand in", "like: Hangzhou", "like:", "climate Home: range_k, month 1: want 0.5 to 35, got 0"},
		{"city twice", "city: Home", "city: beijing", "climate beijing: city appears twice"},
		{"no source", "source: our own station", "source:", "city, station and source must be given"},
		{"grade", "grade: recalled", "grade: guessed", `grade: want derived or recalled, got "guessed"`},
		{"not finite", "latitude: 30", "latitude: .nan", "latitude: want -90 to 90, got NaN"},
		{"eleven months", "[5, 6, 11, 16,", "[5, 6, 11,", "12"},
		{"wetter than saturated", "[1, 2, 7,", "[9, 2, 7,", "dew_mean_c, month 1: want -70 to 5, got 9"},
		{"text", "altitude_m: 500", "altitude_m: high", "high"},
	} {
		text := strings.Replace(climateText, c.from, c.to, 1)
		if text == climateText {
			t.Fatalf("%s: nothing replaced", c.name)
		}
		if _, err := ReadClimates([]byte(text), known); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	// Quantiles must rise, and all problems come at once.
	broken := known[0]
	broken.DryBulbC[2][6], broken.DayLag[0], broken.Zone = -50, 2, 99
	err = broken.Check()
	for _, want := range []string{"dry_bulb_c, month 7", "day_lag, month 1", "zone"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s not named in %v", want, err)
		}
	}
}
