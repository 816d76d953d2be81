package weather

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// EPW layout, from the EnergyPlus Auxiliary Programs guide: 8 header lines, then one record an hour
// with 35 comma-separated fields, numbered here from 1 = year.
const (
	epwHeaderLines = 8
	epwFields      = 35

	epwYear, epwMonth, epwDay, epwHour = 1, 2, 3, 4
	epwDryBulb                         = 7  // °C, missing 99.9
	epwDewPoint                        = 8  // °C, missing 99.9
	epwRH                              = 9  // %, missing 999
	epwPressure                        = 10 // Pa, missing 999999
	epwWind                            = 22 // m/s, missing 999
)

// epwColumn is a measured field: what it may hold, and the number that stands for "missing".
type epwColumn struct {
	field    int
	name     string
	min, max float64 // the guide's limits, but for relative humidity
	missing  float64
}

// maxEPWRH is beyond the guide's 110 %: Chinese Standard Weather Data go to 116 in frost, between readings. All above 100 is
// read as saturated.
const maxEPWRH = 120

var epwColumns = [...]epwColumn{
	{epwDryBulb, "dry bulb", -70, 70, 99.9},
	{epwDewPoint, "dew point", -70, 70, 99.9},
	{epwRH, "relative humidity", 0, maxEPWRH, 999},
	{epwPressure, "pressure", 31000, 120000, 999999},
	{epwWind, "wind speed", 0, 40, 999},
}

// ReadEPW reads an EnergyPlus weather file, plain or gzip, as a typical year of 8,760 hours whatever
// years its months come from. name is the file's name in messages and in the series.
//
// EPW counts hours 1 to 24; hour 1 is the one from 00:00 to 01:00, so record h serves the hour that
// begins at h − 1. The 29 February of a file with 8,784 records is left out, and Source says so.
//
// Missing values are filled by a straight line across the gap and counted in Filled; a missing
// humidity is taken from the dew point where there is one, which is no filling. A file without any
// pressure gets the standard atmosphere at its altitude; one without any wind gets NaN. Gaps over 48
// hours in temperature or humidity are errors. The error is of type ParseErrors.
func ReadEPW(r io.Reader, name string) (*Series, error) {
	p := &problems{file: name}
	text, err := unpack(r)
	if err != nil {
		p.add(0, 0, "%v", err)
		return nil, p.err()
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(make([]byte, 0, 4096), maxLineBytes)

	s := &Series{Name: name, Start: time.Date(typicalYear, 1, 1, 0, 0, 0, 0, time.UTC)}
	e := &epwReader{problems: p, columns: newColumns(HoursPerYear)}
	line := 0
	for line < epwHeaderLines && lines.Scan() {
		line++
		e.header(s, line, lines.Text())
	}
	for lines.Scan() && !p.full() {
		line++
		if text := lines.Text(); strings.TrimSpace(text) != "" {
			e.record(line, text)
		}
		if e.hours > HoursPerYear || p.full() {
			break
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		p.add(line+1, 0, "line of more than %d bytes: not an EPW file", maxLineBytes)
	case err != nil:
		p.add(line+1, 0, "%v", err)
	case line < epwHeaderLines:
		p.add(0, 0, "want %d header lines and %d records, got %d lines", epwHeaderLines, HoursPerYear, line)
	case e.hours > HoursPerYear:
		p.add(line, 0, "more than %d hourly records", HoursPerYear)
	case !p.full() && e.hours < HoursPerYear:
		p.add(line, 0, "file ends after %d of %d hourly records", e.hours, HoursPerYear)
	}
	if len(p.list) > 0 {
		return nil, p.err()
	}
	s.Source += e.leapNote()
	e.columns.finish(s, p)
	if len(p.list) > 0 {
		return nil, p.err()
	}
	return s, nil
}

// epwReader is the state of one reading.
type epwReader struct {
	*problems
	columns  *columns
	fields   []string // of the record in hand
	hours    int      // records taken so far
	leapDays int      // records of 29 February left out
}

func (e *epwReader) leapNote() string {
	if e.leapDays == 0 {
		return ""
	}
	return "; 29 February left out"
}

// header takes place and zone from the LOCATION line, and refuses files with more than one record an hour.
func (e *epwReader) header(s *Series, line int, text string) {
	fields := strings.Split(strings.TrimRight(text, "\r"), ",")
	switch key := strings.ToUpper(strings.TrimSpace(fields[0])); {
	case line == 1 && key != "LOCATION":
		e.add(line, 1, "want LOCATION, got %q: not an EPW file", clip(fields[0]))
	case line == 1:
		e.location(s, line, fields)
	case key == "DATA PERIODS" && len(fields) > 2:
		if perHour := strings.TrimSpace(fields[2]); perHour != "1" {
			e.add(line, 3, "want 1 record an hour, got %q", clip(perHour))
		}
	case line == epwHeaderLines && key != "DATA PERIODS":
		e.add(line, 1, "want DATA PERIODS, got %q", clip(fields[0]))
	}
}

// location reads LOCATION,city,state,country,source,station,latitude,longitude,zone,altitude.
func (e *epwReader) location(s *Series, line int, fields []string) {
	if len(fields) < 10 {
		e.add(line, 0, "LOCATION has 10 fields, got %d", len(fields))
		return
	}
	for _, f := range []struct {
		field    int
		name     string
		min, max float64
		to       *float64
	}{
		{7, "latitude", -90, 90, &s.Latitude},
		{8, "longitude", -180, 180, &s.Longitude},
		{9, "time zone", -12, 14, &s.Zone},
		{10, "altitude", -1000, 9999.9, &s.AltitudeM},
	} {
		v, err := number(fields[f.field-1])
		switch {
		case err != nil:
			e.add(line, f.field, "%s: %v", f.name, err)
		case v < f.min || v > f.max:
			e.add(line, f.field, "%s: want %g to %g, got %g", f.name, f.min, f.max, v)
		}
		*f.to = v
	}
	city, country := strings.TrimSpace(fields[1]), strings.TrimSpace(fields[3])
	s.Source = fmt.Sprintf("EPW file of %s, %s (%s, station %s)",
		city, country, strings.TrimSpace(fields[4]), strings.TrimSpace(fields[5]))
}

// record takes one hour; its month, day and hour must be the next ones.
func (e *epwReader) record(line int, text string) {
	fields := e.split(strings.TrimRight(text, "\r"))
	if len(fields) != epwFields {
		e.add(line, 0, "want %d fields, got %d", epwFields, len(fields))
		e.columns.skip(line)
		e.hours++
		return
	}
	month, day := e.integer(line, epwMonth, fields), e.integer(line, epwDay, fields)
	hour := e.integer(line, epwHour, fields)
	e.integer(line, epwYear, fields)
	if month == 2 && day == 29 {
		e.leapDays++
		return
	}
	begins := time.Date(typicalYear, 1, 1, e.hours, 0, 0, 0, time.UTC)
	if month != int(begins.Month()) || day != begins.Day() || hour != begins.Hour()+1 {
		e.add(line, epwMonth, "want month %d, day %d, hour %d, got %d, %d, %d",
			begins.Month(), begins.Day(), begins.Hour()+1, month, day, hour)
	}
	var v [len(epwColumns)]float64
	for i, c := range epwColumns {
		v[i] = e.measured(line, c, fields[c.field-1])
	}
	e.columns.add(line, v[0], humidity(v[0], v[1], v[2]/100), v[3], v[4])
	e.hours++
}

// split cuts a record at its commas, into the same slice every time.
func (e *epwReader) split(text string) []string {
	e.fields = e.fields[:0]
	for {
		field, rest, more := strings.Cut(text, ",")
		e.fields = append(e.fields, field)
		if !more {
			return e.fields
		}
		text = rest
	}
}

func (e *epwReader) integer(line, field int, fields []string) int {
	v, err := strconv.Atoi(strings.TrimSpace(fields[field-1]))
	if err != nil {
		e.add(line, field, "want a whole number, got %q", clip(fields[field-1]))
		return -1
	}
	return v
}

// measured is the value of one field, NaN where it is missing.
func (e *epwReader) measured(line int, c epwColumn, text string) float64 {
	if strings.TrimSpace(text) == "" {
		return math.NaN()
	}
	v, err := number(text)
	switch {
	case err != nil:
		e.add(line, c.field, "%s: %v", c.name, err)
	case v >= c.missing:
		return math.NaN()
	case v < c.min || v > c.max:
		e.add(line, c.field, "%s: want %g to %g, got %g", c.name, c.min, c.max, v)
	}
	return v
}

// humidity takes relative humidity, or failing that the dew point; above saturation it is saturation.
func humidity(dryBulbC, dewPointC, rh float64) float64 {
	if math.IsNaN(rh) && !math.IsNaN(dewPointC) {
		return RHFromDewPoint(dryBulbC, dewPointC) // NaN without a dry bulb
	}
	return math.Min(rh, 1) // NaN stays NaN
}
