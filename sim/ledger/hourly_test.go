package ledger

import (
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"headroom/validation"
)

func year2023(figure func(i int) float64) string {
	var b strings.Builder
	b.WriteString("Datetime (UTC),Price\n")
	t := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 8760 {
		fmt.Fprintf(&b, "%s,%g\n", t.Add(time.Duration(i)*time.Hour).Format("2006-01-02 15:04:05Z07:00"), figure(i))
	}
	return b.String()
}

func TestReadHourly(t *testing.T) {
	h, err := ReadHourly(strings.NewReader(year2023(func(i int) float64 { return float64(i) })), HourlyOptions{Scale: 0.001, Zone: 8})
	if err != nil {
		t.Fatal(err)
	}
	if !h.Every || len(h.PerKWh) != 8760 {
		t.Fatalf("%v %d", h.Every, len(h.PerKWh))
	}
	// 08:00 in Shanghai is 00:00 UTC; the eight hours before come from the year's end.
	near(t, "08:00", h.At(time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)), 0, 0)
	near(t, "00:00", h.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), 8.752, 1e-12)
	near(t, "the year's last hour", h.At(time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)), 8.751, 1e-12)
	h, err = ReadHourly(strings.NewReader("t,a,b\n2026-05-01T00:00:00Z,1,2\n2026-05-01T01:00:00Z,3,-4\n"), HourlyOptions{Column: "b", Zone: -5})
	if err != nil || h.Every {
		t.Fatal(h, err)
	}
	near(t, "dated", h.At(time.Date(2026, 4, 30, 20, 30, 0, 0, time.UTC)), -4, 0)
	near(t, "before", h.At(time.Date(2026, 4, 30, 18, 30, 0, 0, time.UTC)), math.NaN(), 0)
}

func TestReadHourlyRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "no header",
		"t,a\n":                             "no hours",
		"t,a,b\n":                           "name one of its columns a, b",
		"t,a\nnoon,1\n":                     "line 2",
		"t,a\n2026-01-01T00:30:00Z,1\n":     "no full hour",
		"t,a\n2026-01-01T00:00:00Z,x\n":     "no figure",
		"t,a\n2026-01-01T00:00:00Z,NaN\n":   "no figure",
		"t,a\n2026-01-01T00:00:00Z,1e300\n": "no figure",
		"t,a\n2026-01-01T00:00:00Z\n":       "1 columns",
		"t,a\n2026-01-01T00:00:00Z,1\n2026-01-01T02:00:00Z,1\n": "line 3",
		"t,a\n" + strings.Repeat("x", 1<<17):                    "longer than",
	} {
		if _, err := ReadHourly(strings.NewReader(text), HourlyOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadHourly(f *testing.F) {
	f.Add("t,a\n2026-01-01T00:00:00Z,1\n")
	f.Add("t,a\n2026-01-01 00:00:00+01:00,-1e3\n2026-01-01 01:00:00+01:00,2\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ReadHourly(strings.NewReader(text), HourlyOptions{Zone: 5.5})
		if err == nil && (len(h.PerKWh) == 0 || math.IsNaN(h.PerKWh[0])) {
			t.Fatal("hours without figures")
		}
	})
}

// TestRealPrices reads a day-ahead year of each market in the data and bills a steady load with it.
func TestRealPrices(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(validation.DataDir(t), "grid", "prices", "*.csv.gz"))
	if len(files) == 0 {
		t.Fatal("no prices in the real data")
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		h, err := ReadHourly(z, HourlyOptions{Column: "Price (USD/MWh)", Scale: 0.001})
		f.Close()
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		mean := 0.0
		for _, x := range h.PerKWh {
			mean += x / float64(len(h.PerKWh))
		}
		tariff := Tariff{Hours: h}
		steady := make([]float64, 8760)
		for i := range steady {
			steady[i] = 1000
		}
		near(t, filepath.Base(file), Bill(&tariff, time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC), steady), mean*8760*1000, 1e-3)
		if !h.Every || mean < 0.01 || mean > 0.3 {
			t.Errorf("%s: %d hours, mean %.4f a kWh", filepath.Base(file), len(h.PerKWh), mean)
		}
	}
}
