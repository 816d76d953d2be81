package weather

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadCSV(t *testing.T) {
	opt := CSVOptions{Source: "test", Latitude: 31, Longitude: 121, AltitudeM: 100, Zone: 8}
	for _, c := range []struct{ name, text string }{
		{"time_local", "time_local,temp_c,rh_pct,wind_kmh,extra\n2024-02-28T22:00,10,50,36,x\n2024-02-28T23:00,12,60,18,\n2024-02-29T00:00,14,70,0,y\n"},
		{"quoted and spaced", "\ufeffTime_Local , Dry_Bulb_C,RH_pct,wind_m_s\r\n\"2024-02-28 22:00\",10, 50,10\r\n2024-02-28 23:00:00,12,60,5\r\n2024-02-29T00:00:00,14,70,0\r\n"},
		{"year to hour", "year,month,day,hour,dry_bulb_c,rh_pct,wind_m_s\n2024,2,28,22,10,50,10\n2024,2,28,23,12,60,5\n2024,2,29,0,14,70,0\n"},
		{"row lost", "year,month,day,hour,dry_bulb_c,rh_pct,wind_m_s\n2024,2,28,22,10,50,10\n2024,2,29,0,14,70,0\n"},
		{"values lost", "year,month,day,hour,dry_bulb_c,rh_pct,wind_m_s\n2024,2,28,22,10,50,10\n2024,2,28,23,,,\n2024,2,29,0,14,70,0\n"},
	} {
		s, err := ReadCSV(strings.NewReader(c.text), "w.csv", opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		filled := 0
		if strings.Contains(c.name, "lost") {
			filled = 1
		}
		start := time.Date(2024, 2, 28, 22, 0, 0, 0, time.UTC)
		if !s.Actual || !s.Start.Equal(start) || len(s.Samples) != 3 || s.Filled != filled || s.Zone != 8 || s.Latitude != 31 ||
			math.Abs(s.Coverage-(1-float64(filled)/3)) > 1e-12 || !strings.HasPrefix(s.Source, "test; no pressure") {
			t.Errorf("%s: %+v", c.name, *s)
		}
		for i, want := range []Sample{
			{10, 0.5, StandardPressurePa(100), 10}, {12, 0.6, StandardPressurePa(100), 5}, {14, 0.7, StandardPressurePa(100), 0},
		} {
			got := s.Samples[i]
			for _, d := range []float64{
				got.DryBulbC - want.DryBulbC, got.RH - want.RH, got.PressurePa - want.PressurePa, got.WindMS - want.WindMS,
			} {
				if !(math.Abs(d) < 1e-9) {
					t.Errorf("%s, hour %d: got %+v, want %+v", c.name, i, got, want)
				}
			}
		}
	}
}

func TestReadCSVColumns(t *testing.T) {
	s, err := ReadCSV(strings.NewReader("time_local,temp_c,dew_point_c,rh_pct,pressure_hpa\n"+
		"2024-01-01T00:00,,-5,50,\n2024-01-01T01:00,20,5,,990\n2024-01-01T02:00,21,5,108,\n"), "w.csv", CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Samples[0].DryBulbC != 20 || s.Samples[0].PressurePa != 99000 || s.Samples[2].PressurePa != 99000 || s.Filled != 2 {
		t.Errorf("ends are held: %+v, %d filled", s.Samples, s.Filled)
	}
	if want := SaturationPa(5) / SaturationPa(20); math.Abs(s.Samples[1].RH-want) > 1e-12 || s.Samples[2].RH != 1 {
		t.Errorf("humidity: %+v", s.Samples)
	}
	if !math.IsNaN(s.Samples[0].WindMS) || s.Source != "CSV file w.csv" {
		t.Errorf("%+v, %q", s.Samples[0], s.Source)
	}
}

func TestReadCSVErrors(t *testing.T) {
	const head = "time_local,temp_c,rh_pct\n"
	hours := func(n int) string {
		var b strings.Builder
		b.WriteString(head)
		for h := range n {
			at := time.Date(2023, 1, 1, h, 0, 0, 0, time.UTC)
			value := "20"
			if h > 9 && h < n-1 {
				value = ""
			}
			fmt.Fprintf(&b, "%s,%s,50\n", at.Format("2006-01-02T15:04"), value)
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "w.csv:1: no header line: EOF"},
		{"columns", "date,temperature\n", "w.csv:1: no column time_local, and no column year\n" +
			"w.csv:1: no column temp_c or dry_bulb_c\nw.csv:1: no column rh_pct or dew_point_c"},
		{"two columns", "time_local,temp_c,dry_bulb_c,rh_pct\n", "w.csv:1: field 3: dry_bulb_c beside temp_c: two columns for one quantity"},
		{"no rows", head, "w.csv: no rows under the header"},
		{"time", head + "yesterday,20,50\n", `w.csv:2: field 1: want a local time such as 2026-01-31T14:00, got "yesterday"`},
		{"half hour", head + "2023-01-01T00:30,20,50\n", "w.csv:2: field 1: want a full hour, got 2023-01-01T00:30"},
		{"order", head + "2023-01-01T01:00,20,50\n2023-01-01T01:00,20,50\n", "w.csv:3: field 1: 2023-01-01 01:00 does not come after"},
		{"date", "year,month,day,hour,temp_c,rh_pct\n2023,2,29,0,20,50\n", "w.csv:2: field 1: no such hour: [2023 2 29 0]"},
		{"hour 24", "year,month,day,hour,temp_c,rh_pct\n2023,2,28,24,20,50\n", "w.csv:2: field 1: no such hour: [2023 2 28 24]"},
		{"number", head + "2023-01-01T01:00,NA,50\n", `w.csv:2: field 2: temp_c: want a number, got "NA" (leave it empty when missing)`},
		{"range", head + "2023-01-01T01:00,20,500\n", "w.csv:2: field 3: rh_pct: want 0 to 110, got 500"},
		{"fields", head + "2023-01-01T01:00,20\n", "w.csv:2: want 3 fields as in the header, got 2"},
		{"quote", head + "2023-01-01T01:00,\"20,50\n", "w.csv:2: extraneous or missing"},
		{"gap of 49 hours", hours(60), "w.csv:12: dry bulb missing for 49 hours from here; gaps up to 48 hours are filled"},
		{"no row for 49 hours", head + "2023-01-01T00:00,20,50\n2023-01-03T02:00,20,50\n", "w.csv:3: field 1: 49 hours have no row before this one"},
		{"two centuries", head + "1800-01-01T00:00,20,50\n2023-01-03T02:00,20,50\n", "w.csv:3: field 1: more than 878400 hours after the first row"},
		{"ages", head + "0001-01-01T00:00,20,50\n9999-01-03T02:00,20,50\n", "w.csv:3: field 1: more than 878400 hours after the first row"},
		{"no temperature", head + "2023-01-01T00:00,,50\n", "w.csv: no dry bulb in any hour"},
	} {
		_, err := ReadCSV(strings.NewReader(c.text), "w.csv", CSVOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		if one := (*ParseError)(nil); !errors.As(err, &one) {
			t.Errorf("%s: no *ParseError in %T", c.name, err)
		}
	}
	if _, err := ReadCSV(strings.NewReader(hours(59)), "w.csv", CSVOptions{}); err != nil {
		t.Errorf("a gap of 48 hours: %v", err)
	}
	if _, err := ReadCSV(strings.NewReader(hours(9)), "w.csv", CSVOptions{AltitudeM: math.NaN()}); err == nil {
		t.Error("altitude NaN passed")
	}
}

// TestRealCSV reads the 14 places of one year and the three cities of six years.
func TestRealCSV(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(dataDir(t), "openmeteo", "*.csv.gz"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		s := readStation(t, station{file: "openmeteo/" + filepath.Base(file), source: meteo})
		if len(s.Samples) != HoursPerYear || s.Filled != 0 || s.Start.Year() != 2023 || math.IsNaN(s.Samples[0].WindMS) {
			t.Errorf("%s: %d hours from %v, %d filled", file, len(s.Samples), s.Start, s.Filled)
		}
	}
	for _, st := range stations {
		if !strings.HasPrefix(st.file, "china") {
			continue
		}
		s := readStation(t, st)
		if len(s.Samples) != 52584 || s.Coverage < 0.99 || s.Filled == 0 {
			t.Errorf("%s: %d hours, coverage %g", st.file, len(s.Samples), s.Coverage)
		}
		t.Logf("%s: %d hours filled, coverage %.4f", st.city, s.Filled, s.Coverage)
		if err := s.Covers(time.Date(2012, 2, 29, 0, 0, 0, 0, time.UTC), 366*24*time.Hour); err != nil {
			t.Error(err)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("time_local,temp_c,rh_pct,wind_kmh\n2023-01-01T00:00,20.6,82,9.9\n2023-01-01T03:00,20,,1\n"))
	f.Add([]byte("year,month,day,hour,dry_bulb_c,dew_point_c,pressure_hpa,wind_m_s\n2010,1,1,0,-11,-21,1021,1.79\n"))
	f.Add([]byte("time_local,temp_c,rh_pct,pressure_pa\n\"2023-01-01 00:00\",1,2,90000\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadCSV(bytes.NewReader(data), "fuzz.csv", CSVOptions{AltitudeM: 10})
		checkSeries(t, s, err)
	})
}

func BenchmarkReadCSV(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(dataDir(b), "openmeteo", "DE-LU_2023.csv.gz"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ReadCSV(bytes.NewReader(data), "frankfurt.csv.gz", CSVOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
