package scenarios

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"headroom/facility/units"
)

// measuredSeries is what was measured of the draw of servers: readings with the time that each stands for.
type measuredSeries struct {
	watts, weight []float64 // of one server; s
	coverage      float64   // share of the cells that hold a reading
	spanS         float64
	columns       int
}

// Bounds of a series of measured draw.
const (
	maxReadings = 20_000_000
	maxDrawW    = 1e7
	csvProblems = 20
)

// percentile is the least reading that is not exceeded for a share of the time.
func (m *measuredSeries) percentile(share float64) float64 {
	order := make([]int, len(m.watts))
	total := 0.0
	for i := range order {
		order[i] = i
		total += m.weight[i]
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(m.watts[a], m.watts[b]) })
	sum := 0.0
	for _, i := range order {
		if sum += m.weight[i]; sum >= share*total*(1-1e-12) {
			return m.watts[i]
		}
	}
	return m.watts[order[len(order)-1]]
}

// note says in words what the percentile is of.
func (m *measuredSeries) note(name string, share float64) string {
	return fmt.Sprintf("%s of %s: %d columns over %s, coverage %s", percentText(share), name, m.columns, units.Format(units.Duration, m.spanS), percentText(m.coverage))
}

func percentText(share float64) string { return strconv.FormatFloat(100*share, 'f', -1, 64) + "%" }

// readMeasured reads the series of measured draw that lines of servers name.
func (s *Scenario) readMeasured(d *decoder, files fs.FS) {
	s.measured = map[*orderLine]*measuredSeries{}
	for i := range s.file.Servers {
		p := s.file.Servers[i].Measured
		if p == nil || p.Series == "" {
			continue
		}
		at, keyPath := p.of("series"), joinKey(p.path, "series")
		each := 1.0
		switch {
		case p.Per == "rack" && p.Servers < 1:
			d.fail(p.of("per"), joinKey(p.path, "servers"), "write, for example, servers: 4", "draw of a rack needs the number of servers in it")
			continue
		case p.Per == "rack":
			each = float64(p.Servers)
		case p.Servers > 0:
			d.fail(p.of("servers"), joinKey(p.path, "servers"), "", "servers goes with per: rack")
			continue
		}
		data, ok := s.open(d, files, p.Series, at, keyPath)
		if !ok {
			continue
		}
		if strings.HasSuffix(strings.ToLower(p.Series), ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(data))
			if err == nil {
				data, err = io.ReadAll(io.LimitReader(z, maxInputBytes))
			}
			if err != nil {
				d.fail(at, keyPath, "", "%s is no gzip file: %v", quoteShort(p.Series), err)
				continue
			}
		}
		m, problems := readDraw(data, p.Series, p.Columns)
		d.problems = append(d.problems, problems...)
		if len(problems) > 0 {
			continue
		}
		for k := range m.watts {
			m.watts[k] /= each
		}
		if m.coverage < 1 {
			s.warnings = append(s.warnings, Problem{
				File: at.file, Line: at.line, Col: at.col, Path: keyPath,
				Msg: fmt.Sprintf("%.2f%% of the cells of %s hold a reading; what is unknown is not counted", 100*m.coverage, p.Series),
			})
		}
		s.measured[&s.file.Servers[i]] = m
	}
}

// readDraw reads a CSV file with the time in its first column and the draw of one server or rack, in W, in each of
// the others, or in those named. An empty cell is unknown. Times ascend: seconds, or dates as 2026-01-02 15:04:05.
func readDraw(data []byte, file string, want []string) (*measuredSeries, Problems) {
	var problems Problems
	bad := func(line, col int, format string, a ...any) {
		if len(problems) < csvProblems {
			problems = append(problems, Problem{File: file, Line: max(1, line), Col: max(1, col), Msg: fmt.Sprintf(format, a...)})
		}
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil || len(head) < 2 {
		bad(1, 1, "want a header with time and at least one column of W (got %s)", quoteShort(strings.Join(head, ",")))
		return nil, problems
	}
	head = slices.Clone(head)
	var columns []int
	for _, name := range want {
		k := slices.IndexFunc(head, func(h string) bool { return strings.TrimSpace(h) == name })
		if k < 1 {
			bad(1, 1, "no such column (got %s, want one of %s)", quoteShort(name), strings.Join(head[1:], ", "))
			continue
		}
		columns = append(columns, k)
	}
	if len(want) == 0 {
		for k := 1; k < len(head); k++ {
			columns = append(columns, k)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	m := &measuredSeries{columns: len(columns)}
	var rows []float64 // times
	var first []int    // of each row in watts
	cells := 0
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var pe *csv.ParseError
			if errors.As(err, &pe) {
				bad(pe.Line, pe.Column, "%v", pe.Err)
				if errors.Is(pe.Err, csv.ErrFieldCount) {
					continue
				}
			}
			break
		}
		line, col := r.FieldPos(0)
		t, ok := drawTime(row[0])
		if !ok {
			bad(line, col, "want a time in seconds or a date such as 2026-01-02 15:04 (got %s)", quoteShort(row[0]))
			continue
		}
		if n := len(rows); n > 0 && t <= rows[n-1] {
			bad(line, col, "times must ascend (got %s)", quoteShort(row[0]))
			continue
		}
		rows, first = append(rows, t), append(first, len(m.watts))
		for _, k := range columns {
			cells++
			text := strings.TrimSpace(row[k])
			if text == "" {
				continue
			}
			w, err := strconv.ParseFloat(text, 64)
			if err != nil || !(w >= 0 && w <= maxDrawW) {
				line, col := r.FieldPos(k)
				bad(line, col, "want a draw in W, or nothing where it is unknown (got %s)", quoteShort(text))
				continue
			}
			m.watts = append(m.watts, w)
		}
		if len(m.watts) > maxReadings {
			bad(line, col, "more than %d readings", maxReadings)
			break
		}
	}
	if len(problems) == 0 && (len(rows) < 2 || len(m.watts) == 0) {
		bad(1, 1, "want at least two times with readings (got %d)", len(rows))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	// A reading stands until the next; the last as long as the one before.
	m.weight = make([]float64, len(m.watts))
	for i := range rows {
		end, until := len(m.watts), rows[i]+rows[len(rows)-1]-rows[len(rows)-2]
		if i+1 < len(rows) {
			end, until = first[i+1], rows[i+1]
		}
		for k := first[i]; k < end; k++ {
			m.weight[k] = until - rows[i]
		}
		m.spanS += until - rows[i]
	}
	m.coverage = float64(len(m.watts)) / float64(cells)
	return m, nil
}

// drawTime reads a time in seconds, or a date.
func drawTime(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return s, !math.IsNaN(s) && !math.IsInf(s, 0)
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.UnixNano()) / 1e9, true
		}
	}
	return 0, false
}
