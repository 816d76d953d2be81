package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"

	"headroom/scenarios"
)

// Column is one column of a study's table.
type Column struct {
	Name string
	Kind reflect.Kind // Float64, Int64, Uint64, String, Bool; Slice for JSON text
}

// TableColumns are the columns of the table: id, where the run stands, what was varied, every stable key of a result,
// and the error of a run that failed.
func (s *Study) TableColumns() []Column {
	list := []Column{{"id", reflect.String}, {"point", reflect.Int64}, {"replicate", reflect.Int64}, {"seed", reflect.Uint64}}
	for _, in := range s.Plan.Inputs() {
		kind := reflect.String
		if in.Numeric {
			kind = reflect.Float64
		}
		list = append(list, Column{in.Key, kind})
	}
	for _, c := range Columns() {
		list = append(list, Column{c.Key, c.Kind})
	}
	return append(list, Column{"error", reflect.String})
}

// TableRow is a row of the table.
func (s *Study) TableRow(r *Ref, inputs []Input) ([]any, error) {
	out := make([]any, 0, len(inputs)+len(Columns())+5)
	out = append(out, text(r.ID), int64(r.Point), int64(r.Replicate))
	if r.ID == "" {
		out = append(out, nil)
	} else {
		out = append(out, r.Seed)
	}
	for i, v := range s.Plan.Values(r.Spot) {
		if inputs[i].Numeric && v != "" {
			x, _, _ := scenarios.SplitNumber(v)
			out = append(out, x)
			continue
		}
		out = append(out, text(v))
	}
	if r.Err != "" {
		return append(append(out, make([]any, len(Columns()))...), r.Err), nil
	}
	row, ok, err := s.Maker.Store.Get(r.ID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("the run %s is no longer in the store %s", r.ID, s.Maker.Store.Dir())
	}
	return append(append(out, row.Values...), nil), nil
}

// text is a cell of words, nil where there are none.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// eachRow calls f with the rows of the table in order; one is in memory at a time.
func (s *Study) eachRow(f func(row []any) error) error {
	inputs := s.Plan.Inputs()
	for _, r := range s.Runs() {
		row, err := s.TableRow(r, inputs)
		if err != nil {
			return err
		}
		if err := f(row); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes the table, one row a run. Unknown figures are empty cells.
func (s *Study) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	var cells []string
	for _, col := range s.TableColumns() {
		cells = append(cells, col.Name)
	}
	if err := c.Write(cells); err != nil {
		return err
	}
	err := s.eachRow(func(row []any) error {
		for i, v := range row {
			cells[i] = cellText(v)
		}
		return c.Write(cells)
	})
	if err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}

func cellText(v any) string {
	switch x := v.(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	case int64:
		return strconv.FormatInt(x, 10)
	case uint64:
		return strconv.FormatUint(x, 10)
	case bool:
		return strconv.FormatBool(x)
	case string:
		return x
	}
	return ""
}
