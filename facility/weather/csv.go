package weather

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CSVOptions say what a plain CSV does not: where the station is.
type CSVOptions struct {
	Source    string  // where the figures come from; the file's name when empty
	Latitude  float64 // degrees north
	Longitude float64 // degrees east
	AltitudeM float64 // metres; gives the pressure when the file has none
	Zone      float64 // hours east of UTC
}

// maxCSVHours bounds an actual series: a hundred years.
const maxCSVHours = 100 * 8784

// csvColumn is a measured column by its name in the header, with its factor to the unit inside and the
// limits of what can be weather, in the file's unit.
type csvColumn struct {
	name     string
	to       int // which of the measured values
	factor   float64
	min, max float64
}

// The measured values of a row.
const (
	csvDryBulb = iota
	csvDewPoint
	csvRH
	csvPressure
	csvWind
	csvValues
)

var csvColumns = []csvColumn{
	{"temp_c", csvDryBulb, 1, -90, 65},
	{"dry_bulb_c", csvDryBulb, 1, -90, 65},
	{"dew_point_c", csvDewPoint, 1, -100, 50},
	{"rh_pct", csvRH, 0.01, 0, 110},
	{"pressure_hpa", csvPressure, 100, 310, 1200},
	{"pressure_pa", csvPressure, 1, 31000, 120000},
	{"wind_kmh", csvWind, 1 / 3.6, 0, 400},
	{"wind_m_s", csvWind, 1, 0, 110},
}

// ReadCSV reads dated hourly weather from a CSV, plain or gzip, whose first line names its columns:
// time_local (2026-01-31T14:00) or year, month, day and hour; temp_c or dry_bulb_c; rh_pct or
// dew_point_c; and, where there are any, pressure_hpa or pressure_pa, wind_kmh or wind_m_s. Other
// columns are passed over. name is the file's name in messages and in the series.
//
// Times are wall clock without daylight saving and must rise; a row at 14:00 serves the hour from 14:00.
// Empty values and absent rows are missing: they are filled by a straight line and counted in Filled;
// a missing humidity is taken from the dew point where there is one, which is no filling. A gap over 48
// hours in temperature or humidity is an error. Without any pressure, the standard atmosphere at
// opt.AltitudeM serves; without any wind, NaN. The error is of type ParseErrors.
//
// A file in NREL's TMY3 form, known by its second line, is a typical year and states its own place.
func ReadCSV(r io.Reader, name string, opt CSVOptions) (*Series, error) {
	p := &problems{file: name}
	text, err := unpack(r)
	if err != nil {
		p.add(0, 0, "%v", err)
		return nil, p.err()
	}
	if !(opt.AltitudeM >= -1000 && opt.AltitudeM <= 9999) {
		p.add(0, 0, "altitude: want -1000 to 9999 m, got %g", opt.AltitudeM)
	}
	if isTMY(text) {
		s := readTMY(text, name, p)
		if len(p.list) > 0 {
			return nil, p.err()
		}
		return s, nil
	}
	rows := csv.NewReader(text)
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	c := &csvReader{problems: p, rows: rows, columns: newColumns(HoursPerYear)}
	header, err := rows.Read()
	if err != nil {
		p.add(1, 0, "no header line: %v", err)
		return nil, p.err()
	}
	c.header(header)
	if len(p.list) > 0 {
		return nil, p.err()
	}
	for !p.full() {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line := 0
			if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
				line, err = bad.Line, bad.Err
			}
			p.add(line, 0, "%v", err)
			break
		}
		c.row(row)
		if len(c.columns.line) > maxCSVHours {
			break // row has said so
		}
	}
	if len(p.list) == 0 && len(c.columns.line) == 0 {
		p.add(0, 0, "no rows under the header")
	}
	if len(p.list) > 0 {
		return nil, p.err()
	}
	s := &Series{
		Name: name, Source: opt.Source, Latitude: opt.Latitude, Longitude: opt.Longitude,
		AltitudeM: opt.AltitudeM, Zone: opt.Zone, Actual: true, Start: c.start,
	}
	if s.Source == "" {
		s.Source = "CSV file " + name
	}
	c.columns.finish(s, p)
	if len(p.list) > 0 {
		return nil, p.err()
	}
	return s, nil
}

// csvReader is the state of one reading.
type csvReader struct {
	*problems
	rows     *csv.Reader
	columns  *columns
	width    int
	time     []int // columns of time_local, or of year, month, day, hour
	measured [csvValues]int
	kinds    [csvValues]csvColumn
	start    time.Time // first hour
}

// header finds the columns; measured holds −1 where the file has none.
func (c *csvReader) header(names []string) {
	c.width = len(names)
	for i := range c.measured {
		c.measured[i] = -1
	}
	place := func(name string) int {
		return slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), name) })
	}
	if at := place("time_local"); at >= 0 {
		c.time = []int{at}
	} else {
		for _, name := range []string{"year", "month", "day", "hour"} {
			at := place(name)
			if at < 0 {
				c.add(1, 0, "no column time_local, and no column %s", name)
				break
			}
			c.time = append(c.time, at)
		}
	}
	for _, column := range csvColumns {
		at := place(column.name)
		switch {
		case at < 0:
		case c.measured[column.to] >= 0:
			c.add(1, at+1, "%s beside %s: two columns for one quantity", column.name, c.kinds[column.to].name)
		default:
			c.measured[column.to], c.kinds[column.to] = at, column
		}
	}
	if c.measured[csvDryBulb] < 0 {
		c.add(1, 0, "no column temp_c or dry_bulb_c")
	}
	if c.measured[csvRH] < 0 && c.measured[csvDewPoint] < 0 {
		c.add(1, 0, "no column rh_pct or dew_point_c")
	}
}

// row takes one hour, and before it the hours that have no row.
func (c *csvReader) row(row []string) {
	line, _ := c.rows.FieldPos(0)
	if len(row) != c.width {
		c.add(line, 0, "want %d fields as in the header, got %d", c.width, len(row))
		return
	}
	at, ok := c.instant(line, row)
	if !ok {
		return
	}
	if len(c.columns.line) == 0 {
		c.start = at
	}
	hours := len(c.columns.line)
	next := int(at.Sub(c.start) / time.Hour)
	switch {
	case next < hours:
		c.add(line, c.time[0]+1, "%s does not come after the row before it (times are without daylight saving)",
			at.Format("2006-01-02 15:04"))
		return
	case next >= maxCSVHours:
		c.add(line, c.time[0]+1, "more than %d hours after the first row", maxCSVHours)
		return
	case next-hours > maxGapHours:
		c.add(line, c.time[0]+1, "%d hours have no row before this one; gaps up to %d hours are filled",
			next-hours, maxGapHours)
	}
	for range next - hours {
		c.columns.skip(line)
	}
	var v [csvValues]float64
	for i := range v {
		v[i] = c.value(line, i, row)
	}
	c.columns.add(line, v[csvDryBulb], humidity(v[csvDryBulb], v[csvDewPoint], v[csvRH]), v[csvPressure], v[csvWind])
}

// value is one measured value in the unit inside, NaN where it is missing.
func (c *csvReader) value(line, which int, row []string) float64 {
	at := c.measured[which]
	if at < 0 || strings.TrimSpace(row[at]) == "" {
		return math.NaN()
	}
	kind := c.kinds[which]
	v, err := number(row[at])
	switch {
	case err != nil:
		c.add(line, at+1, "%s: %v (leave it empty when missing)", kind.name, err)
	case v < kind.min || v > kind.max:
		c.add(line, at+1, "%s: want %g to %g, got %g", kind.name, kind.min, kind.max, v)
	}
	return v * kind.factor
}

// timeLayouts are the forms of time_local.
var timeLayouts = []string{"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// instant is the time of a row, on the hour.
func (c *csvReader) instant(line int, row []string) (time.Time, bool) {
	if len(c.time) == 1 {
		field := c.time[0]
		text := strings.TrimSpace(row[field])
		for _, layout := range timeLayouts {
			t, err := time.Parse(layout, text)
			if err != nil {
				continue
			}
			if !t.Equal(t.Truncate(time.Hour)) {
				c.add(line, field+1, "want a full hour, got %s", text)
				return t, false
			}
			return t, true
		}
		c.add(line, field+1, "want a local time such as 2026-01-31T14:00, got %q", clip(text))
		return time.Time{}, false
	}
	var part [4]int
	for i, field := range c.time {
		v, err := strconv.Atoi(strings.TrimSpace(row[field]))
		if err != nil {
			c.add(line, field+1, "want a whole number, got %q", clip(row[field]))
			return time.Time{}, false
		}
		part[i] = v
	}
	t := time.Date(part[0], time.Month(part[1]), part[2], part[3], 0, 0, 0, time.UTC)
	if part[0] < 1 || part[0] > 9999 || part[3] < 0 || part[3] > 23 || t.Day() != part[2] || int(t.Month()) != part[1] {
		c.add(line, c.time[0]+1, "no such hour: %s", fmt.Sprint(part[:]))
		return t, false
	}
	return t, true
}
