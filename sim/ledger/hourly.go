package ledger

import (
	"bufio"
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

// HourlyOptions say how a table of hours is read.
type HourlyOptions struct {
	Column string  // header of the figures; "" where the table has one column besides times
	Scale  float64 // the file's figures times this are per kWh (0.001 for per MWh); 0: 1
	Zone   float64 // hours east of UTC of the site; times in the file are UTC, or state their own offset
}

// Bounds of a table of hours: twenty years, and no figure beyond what a price can be.
const (
	maxHours     = 20 * 8784
	maxPerKWh    = 1e6
	maxLineBytes = 1 << 16
)

var timeLayouts = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}

// ReadHourly reads a CSV with a header, times in its first column an hour apart, and figures. A table of one
// whole calendar year of its own clock serves every year; the hours that the shift to local time would take from the
// next year come from its own other end. Every problem is an error with its line; nothing is filled in.
func ReadHourly(r io.Reader, o HourlyOptions) (*Hourly, error) {
	c := csv.NewReader(&limited{bufio.NewReader(r), 0})
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	header, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("hourly table: no header: %w", err)
	}
	header = slices.Clone(header)
	at, err := figureColumn(header, o.Column)
	if err != nil {
		return nil, err
	}
	scale := o.Scale
	if scale == 0 {
		scale = 1
	}
	h := &Hourly{}
	var last time.Time
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("hourly table: %w", err)
		}
		line, _ := c.FieldPos(0)
		if len(row) <= at {
			return nil, fmt.Errorf("hourly table, line %d: %d columns, the header has %d", line, len(row), len(header))
		}
		t, err := hourOf(strings.TrimSpace(row[0]))
		if err != nil {
			return nil, fmt.Errorf("hourly table, line %d: %w", line, err)
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(row[at]), 64)
		if err != nil || math.IsNaN(x) || math.Abs(x*scale) > maxPerKWh {
			return nil, fmt.Errorf("hourly table, line %d: %q is no figure", line, row[at])
		}
		if len(h.PerKWh) == 0 {
			h.Start = t
		} else if t.Sub(last) != time.Hour {
			return nil, fmt.Errorf("hourly table, line %d: %s comes %v after the hour before", line, row[0], t.Sub(last))
		}
		last = t
		if len(h.PerKWh) >= maxHours {
			return nil, fmt.Errorf("hourly table: more than %d hours", maxHours)
		}
		h.PerKWh = append(h.PerKWh, x*scale)
	}
	if len(h.PerKWh) == 0 {
		return nil, errors.New("hourly table: no hours")
	}
	h.shift(o.Zone)
	return h, nil
}

// figureColumn finds the column of the figures.
func figureColumn(header []string, name string) (int, error) {
	for i := range header {
		header[i] = strings.TrimSpace(strings.TrimPrefix(header[i], "\ufeff"))
	}
	if name == "" {
		if len(header) == 2 {
			return 1, nil
		}
		return 0, fmt.Errorf("hourly table: name one of its columns %s", strings.Join(header[min(1, len(header)):], ", "))
	}
	at := slices.Index(header, name)
	if at < 1 {
		return 0, fmt.Errorf("hourly table: no column %q, there are %s", name, strings.Join(header[min(1, len(header)):], ", "))
	}
	return at, nil
}

// hourOf reads a time to the hour, in UTC.
func hourOf(text string) (time.Time, error) {
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		t = t.UTC()
		if !t.Equal(t.Truncate(time.Hour)) {
			return t, fmt.Errorf("%q is no full hour", text)
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 2026-01-31T14:00:00Z", text)
}

// shift turns hours of UTC into hours of the local clock. Half-hour zones are rounded to the full hour below.
func (h *Hourly) shift(zone float64) {
	hours := int(math.Floor(zone))
	n := len(h.PerKWh)
	first := time.Date(h.Start.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	days := int(first.AddDate(1, 0, 0).Sub(first).Hours())
	if h.Start.Equal(first) && n == days {
		h.Every = true
		local := make([]float64, n)
		for i := range local {
			local[i] = h.PerKWh[((i-hours)%n+n)%n]
		}
		h.PerKWh = local
		return
	}
	h.Start = h.Start.Add(time.Duration(hours) * time.Hour)
}

// limited refuses input without line ends, which a CSV reader would otherwise gather whole.
type limited struct {
	r    io.Reader
	line int
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for _, b := range p[:n] {
		if l.line++; b == '\n' {
			l.line = 0
		}
		if l.line > maxLineBytes {
			return 0, fmt.Errorf("a line longer than %d bytes", maxLineBytes)
		}
	}
	return n, err
}
