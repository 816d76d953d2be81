// Package columnar writes a run's series and events as Parquet: the same figures as series.csv and events.csv, for
// notebooks and data bases. Cells without a figure are null. The file's metadata names the run, and the unit of every
// column as JSON under "headroom.units". The same result gives the same bytes.
//
// It stands apart from package report so that who needs no Parquet does not link it.
package columnar

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"headroom/sim"
)

// Metadata keys of the files.
const (
	runKey      = "headroom.run"
	scenarioKey = "headroom.scenario"
	unitsKey    = "headroom.units"
)

// startLayout is how a Result states its start: local time at the site.
const startLayout = "2006-01-02T15:04:05"

// units are the units of columns by the ending of their names; one without such an ending counts things or has none.
var units = []struct{ ending, unit string }{
	{"_per_kwh", "1/kWh"},
	{"_kg_s", "kg/s"},
	{"_per_s", "1/s"},
	{"_l_per_min", "L/min"},
	{"_lpm", "L/min"},
	{"_kg_per_kwh", "kg/kWh"},
	{"_kwh", "kWh"},
	{"_kw", "kW"},
	{"_w", "W"},
	{"_c", "°C"},
	{"_k", "K"},
	{"_l", "L"},
	{"_kg", "kg"},
	{"_h", "h"},
	{"_s", "s"},
	{"_share", "1"},
	{"_pflops", "PFLOP/s"},
}

// Unit is the unit that a column's name ends in, "" where it counts things or has none.
func Unit(name string) string {
	for _, u := range units {
		if strings.HasSuffix(name, u.ending) {
			return u.unit
		}
	}
	return ""
}

// ordered is a group whose fields keep their order; the library's own sorts them by name.
type ordered struct {
	parquet.Group
	names []string
}

func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name())
	})
	return fields
}

// file is a Parquet file being written: rows of one schema.
type file struct {
	w    *parquet.GenericWriter[any]
	rows []parquet.Row
	base int64 // ms since 1970 of the run's start, as if local time were UTC
}

// batch is how many rows are handed over at once.
const batch = 1024

func newFile(w io.Writer, r *sim.Result, name string, columns ordered) (*file, error) {
	start, err := time.Parse(startLayout, r.Run.Start)
	if err != nil {
		return nil, fmt.Errorf("columnar: the run's start: %w", err)
	}
	unitOf := map[string]string{}
	for _, c := range columns.names {
		if u := Unit(c); u != "" {
			unitOf[c] = u
		}
	}
	text, err := json.Marshal(unitOf)
	if err != nil {
		return nil, err
	}
	return &file{
		w: parquet.NewGenericWriter[any](w, parquet.NewSchema(name, columns),
			parquet.CreatedBy("headroom", sim.ModelVersion, ""), parquet.Compression(&parquet.Snappy),
			parquet.KeyValueMetadata(runKey, r.Run.ID), parquet.KeyValueMetadata(scenarioKey, r.Run.Scenario), parquet.KeyValueMetadata(unitsKey, string(text))),
		base: start.UnixMilli(),
	}, nil
}

// add takes one row of required columns (level 0) and optional ones, in the order of the schema.
func (f *file) add(row parquet.Row) error {
	if f.rows = append(f.rows, row); len(f.rows) < batch {
		return nil
	}
	return f.flush()
}

func (f *file) flush() error {
	_, err := f.w.WriteRows(f.rows)
	f.rows = f.rows[:0]
	return err
}

func (f *file) close() error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.w.Close()
}

// at is the local time sec after the start, to the millisecond, as series.csv prints it.
func (f *file) at(sec float64) parquet.Value {
	whole, rest := math.Modf(sec)
	return parquet.Int64Value(f.base + int64(whole)*1000 + int64(math.Round(rest*1e3)))
}

func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Series writes the series: the local time at which each step starts, then every column under its name.
func Series(w io.Writer, r *sim.Result) error {
	s := r.Series
	if s == nil {
		return fmt.Errorf("columnar: the run kept no series")
	}
	columns := ordered{parquet.Group{"time": parquet.TimestampAdjusted(parquet.Millisecond, false)}, []string{"time"}}
	for _, c := range s.Columns {
		if len(c.Values) != len(s.StartS) {
			return fmt.Errorf("columnar: series %s has %d values for %d steps", c.Name, len(c.Values), len(s.StartS))
		}
		if _, twice := columns.Group[c.Name]; twice {
			return fmt.Errorf("columnar: two series are called %s", strconv.Quote(c.Name))
		}
		columns.Group[c.Name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		columns.names = append(columns.names, c.Name)
	}
	f, err := newFile(w, r, "series", columns)
	if err != nil {
		return err
	}
	cells := make([]parquet.Value, batch*len(columns.names))
	for i, sec := range s.StartS {
		at := i % batch * len(columns.names)
		row := cells[at : at : at+len(columns.names)]
		row = append(row, f.at(sec).Level(0, 0, 0))
		for k, c := range s.Columns {
			if v := c.Values[i]; known(v) {
				row = append(row, parquet.DoubleValue(v).Level(0, 1, k+1))
			} else {
				row = append(row, parquet.NullValue().Level(0, 0, k+1))
			}
		}
		if err := f.add(row); err != nil {
			return err
		}
	}
	return f.close()
}

// Events writes the log: local time, seconds after the start, kind, what it happened to, and detail.
func Events(w io.Writer, r *sim.Result) error {
	names := []string{"time", "at_s", "kind", "entity", "detail"}
	f, err := newFile(w, r, "events", ordered{parquet.Group{
		"time": parquet.TimestampAdjusted(parquet.Millisecond, false), "at_s": parquet.Leaf(parquet.DoubleType),
		"kind": parquet.String(), "entity": parquet.String(), "detail": parquet.String(),
	}, names})
	if err != nil {
		return err
	}
	for _, e := range r.Events {
		row := parquet.Row{f.at(e.AtS), parquet.DoubleValue(e.AtS), parquet.ValueOf(e.Kind), parquet.ValueOf(e.Entity), parquet.ValueOf(e.Detail)}
		for i := range row {
			row[i] = row[i].Level(0, 0, i)
		}
		if err := f.add(row); err != nil {
			return err
		}
	}
	return f.close()
}
