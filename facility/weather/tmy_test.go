package weather

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// tmyText is a TMY3 file whose dry bulb is a function of the hour.
func tmyText(change func(hour int, row []string)) string {
	var b strings.Builder
	b.WriteString("724030,\"WASHINGTON, DULLES INTL\",VA,-5.0,38.950,-77.450,88\n")
	b.WriteString("Date (MM/DD/YYYY),Time (HH:MM),GHI (W/m^2),Dry-bulb (C),Dew-point (C),RHum (%),Pressure (mbar),Wspd (m/s)\n")
	for h := range HoursPerYear {
		at := time.Date(typicalYear, 1, 1, h, 0, 0, 0, time.UTC)
		row := []string{at.Format("01/02/") + "1987", fmt.Sprintf("%02d:00", at.Hour()+1), "0", fmt.Sprint(h % 30), "3", "55", "1005", "2.1"}
		if change != nil {
			change(h, row)
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

func TestReadTMY(t *testing.T) {
	s, err := ReadCSV(strings.NewReader(tmyText(func(h int, row []string) {
		switch h {
		case 5: // a gap to fill
			row[3] = "-9900"
		case 6: // no humidity, but a dew point
			row[5] = "-9900"
		}
	})), "dulles.csv", CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Actual || len(s.Samples) != HoursPerYear || s.Zone != -5 || s.Latitude != 38.95 || s.AltitudeM != 88 || s.Filled != 1 {
		t.Errorf("%+v", *s)
	}
	if x := s.Samples[5]; math.Abs(x.DryBulbC-5) > 1e-9 || x.PressurePa != 100500 {
		t.Errorf("filled hour %+v", x)
	}
	if x := s.Samples[6]; math.Abs(x.RH-RHFromDewPoint(6, 3)) > 1e-12 {
		t.Errorf("humidity %v from the dew point", x.RH)
	}
	// It serves a leap year, with 28 February again on the 29th.
	a, _ := s.At(time.Date(2028, 2, 28, 7, 0, 0, 0, time.UTC))
	b, ok := s.At(time.Date(2028, 2, 29, 7, 0, 0, 0, time.UTC))
	if !ok || a != b {
		t.Errorf("29 February: %+v and %+v", a, b)
	}
}

func TestReadTMYRefuses(t *testing.T) {
	short := tmyText(nil)
	for name, c := range map[string]struct{ text, want string }{
		"short":        {short[:len(short)/2] + "\n", "hours"},
		"29 February":  {strings.Replace(short, "03/01/1987,01:00", "02/29/1988,01:00", 1), "29 February"},
		"hour":         {strings.Replace(short, "01/01/1987,03:00", "01/01/1987,04:00", 1), "ends at 03:00"},
		"no dry bulb":  {strings.Replace(short, "Dry-bulb (C)", "x", 1), "want the columns"},
		"bounds":       {tmyText(func(h int, row []string) { row[3] = map[bool]string{true: "99", false: "1"}[h == 9] }), "want -90 to 65"},
		"not a number": {tmyText(func(h int, row []string) { row[3] = map[bool]string{true: "warm", false: "1"}[h == 9] }), ":12: field 4"},
		"site":         {"1,2\n" + short[strings.Index(short, "Date"):], "elevation"},
		"zone":         {strings.Replace(short, "-5.0", "99", 1), "time zone"},
		"long gap":     {tmyText(func(h int, row []string) { row[3] = map[bool]string{true: "-9900", false: "1"}[h > 100 && h < 200] }), "missing for"},
	} {
		_, err := ReadCSV(strings.NewReader(c.text), "t.csv", CSVOptions{})
		var list ParseErrors
		if err == nil || !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzReadTMY(f *testing.F) {
	f.Add(tmyText(nil)[:4000])
	f.Add("1,a,b,0,0,0,0\nDate (MM/DD/YYYY),Time (HH:MM),Dry-bulb (C),RHum (%)\n01/01/1990,01:00,3,50\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ReadCSV(strings.NewReader(text), "f.csv", CSVOptions{}); err == nil && len(s.Samples) == 0 {
			t.Fatal("a series without samples")
		}
	})
}
