package columnar

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"headroom/plots/internal/fixture"
	"headroom/plots/report"
	"headroom/sim"
)

// table reads a Parquet file back as a CSV would have it.
func table(t *testing.T, data []byte) ([][]string, *parquet.File) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	var heads []string
	for _, field := range f.Schema().Fields() {
		heads = append(heads, field.Name())
	}
	out = append(out, heads)
	rows := parquet.NewReader(f)
	defer rows.Close()
	buf := make([]parquet.Row, 100)
	for {
		n, err := rows.ReadRows(buf)
		for _, row := range buf[:n] {
			var line []string
			for i, v := range row {
				switch {
				case v.IsNull():
					line = append(line, "")
				case heads[i] == "time":
					at := time.UnixMilli(v.Int64()).UTC()
					layout := "2006-01-02T15:04:05"
					if at.Nanosecond() != 0 {
						layout += ".000"
					}
					line = append(line, at.Format(layout))
				case v.Kind() == parquet.Double:
					line = append(line, strconv.FormatFloat(v.Double(), 'g', -1, 64))
				default:
					line = append(line, v.String())
				}
			}
			out = append(out, line)
		}
		if errors.Is(err, io.EOF) {
			return out, f
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func hard() *sim.Result {
	r := fixture.Result(fixture.Options{Steps: 3000, StepS: 0.25, Scenario: "上海 | <b>"})
	r.Series.Columns[3].Values[7] = 1.0 / 3
	r.Series.Columns[4].Values[7] = math.Inf(1)
	r.Series.Columns[5].Values[8] = math.NaN()
	r.Series.Columns[6].Values[0] = math.Copysign(0, -1)
	r.Series.Columns[6].Values[1] = math.MaxFloat64
	r.Events = append(r.Events, sim.LogEntry{AtS: 3600.5, Kind: "lost", Entity: `ups "A", left`, Detail: "x\ny 上"}, sim.LogEntry{})
	return r
}

// Both files hold the figures of their CSV, cell by cell, and the same result gives the same bytes.
func TestTheFiguresOfTheCSV(t *testing.T) {
	r := hard()
	for _, c := range []struct {
		name         string
		columnar, as func(io.Writer, *sim.Result) error
	}{{"series", Series, report.SeriesCSV}, {"events", Events, report.EventsCSV}} {
		var p, again, text bytes.Buffer
		for _, err := range []error{c.columnar(&p, r), c.columnar(&again, hard()), c.as(&text, r)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(p.Bytes(), again.Bytes()) {
			t.Errorf("%s: two writings differ", c.name)
		}
		want, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		got, f := table(t, p.Bytes())
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows, the CSV has %d", c.name, len(got), len(want))
		}
		for i := range want {
			if strings.Join(got[i], "|") != strings.Join(want[i], "|") {
				t.Fatalf("%s, row %d:\n%q, the CSV has\n%q", c.name, i, got[i], want[i])
			}
		}
		if id, _ := f.Lookup(runKey); id != r.Run.ID {
			t.Errorf("%s: run %q, want %q", c.name, id, r.Run.ID)
		}
		text2, _ := f.Lookup(unitsKey)
		units := map[string]string{}
		if err := json.Unmarshal([]byte(text2), &units); err != nil {
			t.Error(err)
		}
		if want := map[string]string{"series": "W", "events": ""}[c.name]; units["facility_w"] != want {
			t.Errorf("%s: facility_w in %q", c.name, units["facility_w"])
		}
	}
}

func TestSeriesThatCannotBe(t *testing.T) {
	r := hard()
	r.Series.Columns[1].Name = r.Series.Columns[0].Name
	if err := Series(io.Discard, r); err == nil {
		t.Error("two columns of one name: no error")
	}
	r.Series.Columns = r.Series.Columns[:1]
	r.Series.Columns[0].Values = r.Series.Columns[0].Values[:5]
	if err := Series(io.Discard, r); err == nil {
		t.Error("a short column: no error")
	}
	r.Series = nil
	if err := Series(io.Discard, r); err == nil {
		t.Error("no series: no error")
	}
}

func TestUnit(t *testing.T) {
	for name, want := range map[string]string{"facility_w": "W", "inlet_max_c": "°C", "queued_jobs": "", "busy_gpus": "", "pue": "", "water_l": "L", "clock_share": "1", "water_kg_s": "kg/s", "tokens_per_s": "1/s"} {
		if got := Unit(name); got != want {
			t.Errorf("%s in %q, want %q", name, got, want)
		}
	}
}

func BenchmarkSeries(b *testing.B) {
	r := fixture.Result(fixture.Options{})
	for b.Loop() {
		if err := Series(io.Discard, r); err != nil {
			b.Fatal(err)
		}
	}
}
