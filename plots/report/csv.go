package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"headroom/sim"
)

// startLayout is how a Result states its start; localISO how a row states its time, to the millisecond only
// where the time is no whole second.
const (
	startLayout = "2006-01-02T15:04:05"
	localMillis = "2006-01-02T15:04:05.000"
)

// stamp returns local ISO time sec after start.
func stamp(start time.Time, sec float64) string {
	// Whole seconds and the rest apart, so that a long run keeps its milliseconds.
	whole, rest := math.Modf(sec)
	t := start.Add(time.Duration(whole) * time.Second).Add(time.Duration(math.Round(rest*1e3)) * time.Millisecond)
	if t.Nanosecond() != 0 {
		return t.Format(localMillis)
	}
	return t.Format(startLayout)
}

// number prints the shortest decimal that reads back as the same float64, and nothing for no figure.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// SeriesCSV writes the series: the local time at which each step starts, then every column under its name,
// which ends in its unit. Cells without a figure are empty. A result without series is an error.
func SeriesCSV(w io.Writer, r *sim.Result) error {
	s := r.Series
	if s == nil {
		return fmt.Errorf("report: the run kept no series")
	}
	start, err := time.Parse(startLayout, r.Run.Start)
	if err != nil {
		return fmt.Errorf("report: the run's start: %w", err)
	}
	for _, c := range s.Columns {
		if len(c.Values) != len(s.StartS) {
			return fmt.Errorf("report: series %s has %d values for %d steps", c.Name, len(c.Values), len(s.StartS))
		}
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteString("time")
	for _, c := range s.Columns {
		b.WriteByte(',')
		b.WriteString(c.Name)
	}
	b.WriteByte('\n')
	var cell []byte
	for i, at := range s.StartS {
		b.WriteString(stamp(start, at))
		for _, c := range s.Columns {
			b.WriteByte(',')
			if v := c.Values[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
				cell = strconv.AppendFloat(cell[:0], v, 'g', -1, 64)
				b.Write(cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// EventsCSV writes the log: local time, seconds after the start, kind, what it happened to, and detail.
func EventsCSV(w io.Writer, r *sim.Result) error {
	start, err := time.Parse(startLayout, r.Run.Start)
	if err != nil {
		return fmt.Errorf("report: the run's start: %w", err)
	}
	c := csv.NewWriter(w)
	if err := c.Write([]string{"time", "at_s", "kind", "entity", "detail"}); err != nil {
		return err
	}
	for _, e := range r.Events {
		if err := c.Write([]string{stamp(start, e.AtS), number(e.AtS), e.Kind, e.Entity, e.Detail}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// RacksCSV writes a line a rack over the run: where it stands, its power and temperatures, and the hours in which an inlet
// was outside the recommended and the allowable range of the ASHRAE class, or of its own servers where that is narrower.
func RacksCSV(w io.Writer, r *sim.Result) error {
	c := csv.NewWriter(w)
	header := []string{
		"rack", "room", "row", "mean_w", "peak_w", "inlet_mean_c", "inlet_max_c", "gpu_max_c", "throttled_gpu_hours",
		"air_class", "hours_over_recommended", "hours_over_allowable",
	}
	if err := c.Write(header); err != nil {
		return err
	}
	for i := range r.Racks {
		k := &r.Racks[i]
		var id, room, row string
		if l := r.Layout; l != nil && k.Rack >= 0 && k.Rack < len(l.Facility.Racks) {
			rack := &l.Facility.Racks[k.Rack]
			id, row = rack.ID, rack.Row
			if rack.Room >= 0 && rack.Room < len(l.Facility.Cooling.Rooms) {
				room = l.Facility.Cooling.Rooms[rack.Room].Name
			}
		}
		line := []string{
			id, room, row, number(k.MeanW), number(k.PeakW), number(k.InletMeanC), number(k.InletMaxC), number(k.GPUMaxC), number(k.ThrottledGPUHours),
			r.Air.Name, number(k.HoursOverRecommended), number(k.HoursOverAllowable),
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
