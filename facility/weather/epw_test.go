package weather

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// epwText is a small EPW year: dry bulb is the hour of the day, RH 50 %, 1000 hPa, wind 3 m/s. edit changes a
// record, given by its hour of the year and its 35 fields, or drops it by returning nil.
func epwText(edit func(hour int, fields []string) []string) string {
	var b strings.Builder
	b.WriteString("LOCATION,Testville,-,TST,Test Data,000001,50.05,8.60,1.0,113.0\n")
	b.WriteString("DESIGN CONDITIONS,0\nTYPICAL/EXTREME PERIODS,0\nGROUND TEMPERATURES,0\n")
	b.WriteString("HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0\nCOMMENTS 1,\"an odd \" quote, and more\nCOMMENTS 2,\n")
	b.WriteString("DATA PERIODS,1,1,Data,Sunday, 1/ 1,12/31\n")
	for h := range HoursPerYear {
		at := time.Date(typicalYear, 1, 1, h, 0, 0, 0, time.UTC)
		fields := strings.Split(fmt.Sprintf("1999,%d,%d,%d,60,flags,%d.0,5.0,50,100000", at.Month(), at.Day(), at.Hour()+1, at.Hour()), ",")
		for len(fields) < epwFields {
			fields = append(fields, "0")
		}
		fields[epwWind-1] = "3.0"
		if edit != nil {
			fields = edit(h, fields)
		}
		if fields != nil {
			b.WriteString(strings.Join(fields, ",") + "\r\n")
		}
	}
	return b.String()
}

func TestReadEPW(t *testing.T) {
	s, err := ReadEPW(strings.NewReader(epwText(nil)), "test.epw")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "test.epw" || s.Latitude != 50.05 || s.Longitude != 8.6 || s.Zone != 1 || s.AltitudeM != 113 ||
		s.Actual || s.Filled != 0 || s.Coverage != 1 || len(s.Samples) != HoursPerYear {
		t.Errorf("%+v", *s)
	}
	if want := "EPW file of Testville, TST (Test Data, station 000001)"; s.Source != want {
		t.Errorf("source %q", s.Source)
	}
	// EPW hour 1 is the hour from midnight.
	for _, hour := range []int{0, 13, 23} {
		got, ok := s.At(time.Date(2026, 7, 4, hour, 59, 0, 0, time.UTC))
		if want := (Sample{float64(hour), 0.5, 100000, 3}); !ok || got != want {
			t.Errorf("%d:59: got %+v %v, want %+v", hour, got, ok, want)
		}
	}
}

func TestReadEPWFillsGaps(t *testing.T) {
	set := func(field int, value string, hours ...int) func(int, []string) []string {
		return func(h int, f []string) []string {
			if slices.Contains(hours, h) {
				f[field-1] = value
			}
			return f
		}
	}
	read := func(edit func(int, []string) []string) *Series {
		t.Helper()
		s, err := ReadEPW(strings.NewReader(epwText(edit)), "test.epw")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read(set(epwDryBulb, "99.9", 10, 11))
	if s.Samples[10].DryBulbC != 10 || s.Samples[11].DryBulbC != 11 || s.Filled != 2 {
		t.Errorf("line between 9 and 12: got %g, %g, %d filled", s.Samples[10].DryBulbC, s.Samples[11].DryBulbC, s.Filled)
	}
	if want := 1 - 2.0/HoursPerYear; s.Coverage != want {
		t.Errorf("coverage %g, want %g", s.Coverage, want)
	}
	// Across the turn of the year the line runs from 22 at 22:00 to 1 at 01:00.
	s = read(set(epwDryBulb, "99.9", HoursPerYear-1, 0))
	if a, b := s.Samples[HoursPerYear-1].DryBulbC, s.Samples[0].DryBulbC; a != 15 || b != 8 || s.Filled != 2 {
		t.Errorf("round the year: got %g, %g, %d filled, want 15, 8", a, b, s.Filled)
	}
	// Humidity from the dew point is no filling; without one it is.
	s = read(set(epwRH, "999", 20))
	if want := SaturationPa(5) / SaturationPa(20); math.Abs(s.Samples[20].RH-want) > 1e-12 || s.Filled != 0 {
		t.Errorf("humidity from dew point: got %g, want %g, %d filled", s.Samples[20].RH, want, s.Filled)
	}
	s = read(set(epwPressure, "999999", 7))
	if s.Samples[7].PressurePa != 100000 || s.Filled != 1 {
		t.Errorf("pressure: %+v, %d filled", s.Samples[7], s.Filled)
	}
	s = read(func(_ int, f []string) []string { f[epwPressure-1], f[epwWind-1] = "999999", "999"; return f })
	if s.Samples[7].PressurePa != StandardPressurePa(113) || !math.IsNaN(s.Samples[7].WindMS) || s.Filled != 0 ||
		!strings.Contains(s.Source, "standard atmosphere") {
		t.Errorf("no pressure and no wind anywhere: %+v, source %q", s.Samples[7], s.Source)
	}
	s = read(set(epwRH, "104", 3))
	if s.Samples[3].RH != 1 {
		t.Errorf("above saturation: %g", s.Samples[3].RH)
	}
}

func TestReadEPWLeapYear(t *testing.T) {
	text := epwText(nil)
	at := strings.Index(text, "1999,3,1,1,")
	leap := strings.ReplaceAll(text[strings.Index(text, "1999,2,28,1,"):at], ",2,28,", ",2,29,")
	s, err := ReadEPW(strings.NewReader(text[:at]+leap+text[at:]), "leap.epw")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Samples) != HoursPerYear || !strings.Contains(s.Source, "29 February left out") {
		t.Errorf("%d samples, source %q", len(s.Samples), s.Source)
	}
}

func TestReadEPWErrors(t *testing.T) {
	good := epwText(nil)
	cut := func(lines int) string { return strings.Join(strings.SplitAfterN(good, "\n", lines+1)[:lines], "") }
	edit := func(hour, field int, value string) string {
		return epwText(func(h int, f []string) []string {
			if h == hour {
				f[field-1] = value
			}
			return f
		})
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "bad.epw: want 8 header lines and 8760 records, got 0 lines"},
		{"not EPW", "time,temp\n1,2\n", `bad.epw:1: field 1: want LOCATION, got "time": not an EPW file` + "\n" +
			"bad.epw: want 8 header lines and 8760 records, got 2 lines"},
		{"short", cut(8 + 100), "bad.epw:108: file ends after 100 of 8760 hourly records"},
		{"long", good + "1999,12,31,24" + strings.Repeat(",0", 31) + "\n", "bad.epw:8769: field 2: want month 1, day 1, hour 1, got 12, 31, 24"},
		{"hot", edit(2, epwDryBulb, "85"), "bad.epw:11: field 7: dry bulb: want -70 to 70, got 85"},
		{"text", edit(2, epwRH, "wet"), `bad.epw:11: field 9: relative humidity: want a number, got "wet"`},
		{"not finite", edit(2, epwPressure, "NaN"), `bad.epw:11: field 10: pressure: want a number, got "NaN"`},
		{"hour", edit(2, epwHour, "4"), "bad.epw:11: field 2: want month 1, day 1, hour 3, got 1, 1, 4"},
		{"field lost", epwText(func(h int, f []string) []string {
			if h == 2 {
				return f[:20]
			}
			return f
		}), "bad.epw:11: want 35 fields, got 20"},
		{"record lost", epwText(func(h int, f []string) []string {
			if h == HoursPerYear-1 {
				return nil
			}
			return f
		}), "bad.epw:8767: file ends after 8759 of 8760 hourly records"},
		{"long gap", epwText(func(h int, f []string) []string {
			if h >= 100 && h < 149 {
				f[epwDryBulb-1] = "99.9"
			}
			return f
		}), "bad.epw:109: dry bulb missing for 49 hours from here; gaps up to 48 hours are filled"},
		{"no temperature", epwText(func(_ int, f []string) []string { f[epwDryBulb-1] = "99.9"; return f }), "bad.epw: no dry bulb in any hour"},
		{"half hours", strings.Replace(good, "DATA PERIODS,1,1", "DATA PERIODS,1,2", 1), `bad.epw:8: field 3: want 1 record an hour, got "2"`},
		{"latitude", strings.Replace(good, "50.05", "150.05", 1), "bad.epw:1: field 7: latitude: want -90 to 90, got 150.05"},
		{"altitude", strings.Replace(good, "113.0", "high", 1), `bad.epw:1: field 10: altitude: want a number, got "high"`},
		{"endless line", "LOCATION," + strings.Repeat("x", 2<<20), "not an EPW file"},
		{"broken gzip", "\x1f\x8b\x08\x00", "bad.epw: "},
	} {
		_, err := ReadEPW(strings.NewReader(c.text), "bad.epw")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		if one := (*ParseError)(nil); !errors.As(err, &one) || one.File != "bad.epw" {
			t.Errorf("%s: no *ParseError in %T", c.name, err)
		}
	}
	// Problems come together, and at most 20 of them.
	_, err := ReadEPW(strings.NewReader(epwText(func(_ int, f []string) []string { f[epwDryBulb-1] = "warm"; return f })), "bad.epw")
	var list ParseErrors
	if !errors.As(err, &list) || len(list) != maxProblems || list[19].Line != 28 || list[19].Field != epwDryBulb {
		t.Errorf("many problems: %d, %v", len(list), err)
	}
	if _, err := ReadEPW(io.MultiReader(strings.NewReader(good[:5000]), failing{}), "bad.epw"); err == nil || !strings.Contains(err.Error(), "disk") {
		t.Errorf("failing reader: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("disk gone") }

// TestRealEPW reads every EPW there is and holds one to figures known from other programs.
func TestRealEPW(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(dataDir(t), "epw", "*.epw.gz"))
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	means := map[string]float64{ // annual mean dry bulb, °C, computed elsewhere
		"AUS_NSW.Sydney": 17.85, "CHN_Zhejiang.Hangzhou": 17.0, "DEU_Frankfurt": 10.07, "FIN_Helsinki": 5.18,
		"IRL_Dublin": 9.82, "JPN_Tokyo": 13.06, "MYS_Kuala.Lumpur": 27.16,
	}
	for _, file := range files {
		name := filepath.Base(file)
		s := readStation(t, station{file: "epw/" + name})
		if s.Filled != 0 || s.Coverage != 1 {
			t.Errorf("%s: %d hours filled", name, s.Filled)
		}
		var air []float64
		for i, x := range s.Samples {
			air = append(air, x.DryBulbC)
			if !(x.RH > 0 && x.RH <= 1) || x.PressurePa < 80000 || math.IsNaN(x.WindMS) {
				t.Fatalf("%s, hour %d: %+v", name, i, x)
			}
		}
		for prefix, want := range means {
			if strings.HasPrefix(name, prefix) && math.Abs(mean(air)-want) > 0.006 {
				t.Errorf("%s: mean %.3f, want %.2f", name, mean(air), want)
			}
		}
	}
}

func FuzzReadEPW(f *testing.F) {
	text := epwText(nil)
	f.Add([]byte(text[:2000]))
	f.Add([]byte("LOCATION,a,b,c,d,e,1,2,3,4\n\n\n\n\n\n\nDATA PERIODS,1,1\n1999,1,1,1"))
	f.Add([]byte("\xef\xbb\xbfLOCATION"))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(text[:3000]))
	_ = w.Close()
	f.Add(packed.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadEPW(bytes.NewReader(data), "fuzz.epw")
		checkSeries(t, s, err)
	})
}

// checkSeries holds what a reader gives to what it promises.
func checkSeries(t *testing.T, s *Series, err error) {
	t.Helper()
	if err != nil {
		var list ParseErrors
		if s != nil || !errors.As(err, &list) || len(list) == 0 || len(list) > maxProblems || err.Error() == "" {
			t.Fatalf("series %v, error %T %v", s != nil, err, err)
		}
		return
	}
	if len(s.Samples) == 0 || !s.Actual && len(s.Samples) != HoursPerYear {
		t.Fatalf("%d samples", len(s.Samples))
	}
	for i, x := range s.Samples {
		if !(x.DryBulbC >= -90 && x.DryBulbC <= 70) || !(x.RH >= 0 && x.RH <= 1) ||
			!(x.PressurePa > 20000 && x.PressurePa <= 120000) || x.WindMS < 0 || math.IsInf(x.WindMS, 0) {
			t.Fatalf("hour %d: %+v", i, x)
		}
	}
	if !(s.Coverage >= 0 && s.Coverage <= 1) {
		t.Fatalf("coverage %g", s.Coverage)
	}
	if err := s.Covers(s.Start, time.Duration(len(s.Samples))*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.At(s.Start); !ok {
		t.Fatal("no weather at its start")
	}
}

func BenchmarkReadEPW(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(dataDir(b), "epw", "DEU_Frankfurt.am.Main.106370_IWEC.epw.gz"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ReadEPW(bytes.NewReader(data), "frankfurt.epw.gz"); err != nil {
			b.Fatal(err)
		}
	}
}
