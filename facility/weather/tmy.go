package weather

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// tmyDate is the first column of a typical year in NREL's TMY3 form: line 1 describes the site (station, name, state,
// zone, latitude, longitude, elevation), line 2 names the columns, and 8,760 rows follow, each dated at the end of
// its hour from 01:00 to 24:00.
const tmyDate = "Date (MM/DD/YYYY)"

// tmyColumns are the columns taken, with factor and bounds; −9900 and below is missing.
var tmyColumns = [...]struct {
	name             string
	to               int
	factor, min, max float64
}{
	{"Dry-bulb (C)", csvDryBulb, 1, -90, 65},
	{"Dew-point (C)", csvDewPoint, 1, -100, 50},
	{"RHum (%)", csvRH, 0.01, 0, 110},
	{"Pressure (mbar)", csvPressure, 100, 310, 1200},
	{"Wspd (m/s)", csvWind, 1, 0, 110},
}

const tmyMissing = -9900

// isTMY says whether a text begins like a TMY3 file.
func isTMY(text *bufio.Reader) bool {
	head, _ := text.Peek(4096) // an error is met again when it is read
	_, second, ok := bytes.Cut(head, []byte("\n"))
	return ok && bytes.HasPrefix(second, []byte(tmyDate))
}

// readTMY reads a typical year in TMY3 form. Its months come from different years; the result is a typical year that
// serves every year. 29 February, which the form leaves out, is refused.
func readTMY(text *bufio.Reader, name string, p *problems) *Series {
	rows := csv.NewReader(text)
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	s := &Series{Name: name, Start: time.Date(typicalYear, 1, 1, 0, 0, 0, 0, time.UTC)}
	site, err := rows.Read()
	if err != nil || len(site) < 7 {
		p.add(1, 0, "want station, name, state, zone, latitude, longitude and elevation, got %d fields", len(site))
		return nil
	}
	for _, f := range []struct {
		field    int
		name     string
		min, max float64
		to       *float64
	}{
		{4, "time zone", -12, 14, &s.Zone},
		{5, "latitude", -90, 90, &s.Latitude},
		{6, "longitude", -180, 180, &s.Longitude},
		{7, "elevation", -1000, 9999, &s.AltitudeM},
	} {
		v, err := number(site[f.field-1])
		switch {
		case err != nil:
			p.add(1, f.field, "%s: %v", f.name, err)
		case v < f.min || v > f.max:
			p.add(1, f.field, "%s: want %g to %g, got %g", f.name, f.min, f.max, v)
		}
		*f.to = v
	}
	s.Source = fmt.Sprintf("TMY3 file of %s, %s (station %s)", clip(strings.TrimSpace(site[1])), clip(strings.TrimSpace(site[2])), clip(strings.TrimSpace(site[0])))
	header, err := rows.Read()
	if err != nil {
		p.add(2, 0, "no header line: %v", err)
		return nil
	}
	var at [len(tmyColumns)]int
	width := len(header)
	for i, c := range tmyColumns {
		at[i] = -1
		for k, h := range header {
			if strings.TrimSpace(h) == c.name {
				at[i] = k
			}
		}
	}
	if at[0] < 0 || at[1] < 0 && at[2] < 0 {
		p.add(2, 0, "want the columns Dry-bulb (C), and RHum (%%) or Dew-point (C)")
		return nil
	}
	columns := newColumns(HoursPerYear)
	for hour := 0; !p.full(); hour++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			if hour != HoursPerYear {
				p.add(hour+2, 0, "a typical year has %d hours, got %d", HoursPerYear, hour)
			}
			break
		}
		line := hour + 3
		if err != nil {
			p.add(line, 0, "%v", err)
			break
		}
		if hour >= HoursPerYear {
			p.add(line, 0, "more than %d hours", HoursPerYear)
			break
		}
		if len(row) != width {
			p.add(line, 0, "want %d fields as in the header, got %d", width, len(row))
			columns.skip(line)
			continue
		}
		begins := s.Start.Add(time.Duration(hour) * time.Hour)
		if want := begins.Format("01/02/"); !strings.HasPrefix(strings.TrimSpace(row[0]), want) {
			p.add(line, 1, "want the %s of a year without 29 February, got %q", begins.Format("2 January"), clip(row[0]))
		}
		if want := fmt.Sprintf("%02d:", begins.Hour()+1); !strings.HasPrefix(strings.TrimSpace(row[1]), want) {
			p.add(line, 2, "want the hour that ends at %s00, got %q", want, clip(row[1]))
		}
		var v [csvValues]float64
		for i := range v {
			v[i] = math.NaN()
		}
		for i, c := range tmyColumns {
			if at[i] < 0 || strings.TrimSpace(row[at[i]]) == "" {
				continue
			}
			x, err := number(row[at[i]])
			switch {
			case err != nil:
				p.add(line, at[i]+1, "%s: %v", c.name, err)
			case x <= tmyMissing:
			case x < c.min || x > c.max:
				p.add(line, at[i]+1, "%s: want %g to %g, got %g", c.name, c.min, c.max, x)
			default:
				v[c.to] = x * c.factor
			}
		}
		columns.add(line, v[csvDryBulb], humidity(v[csvDryBulb], v[csvDewPoint], v[csvRH]), v[csvPressure], v[csvWind])
	}
	if len(p.list) > 0 {
		return nil
	}
	columns.finish(s, p)
	return s
}
