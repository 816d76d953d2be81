package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"headroom/sim"
)

// Row is what is kept of a run: its id and every stable key of its result.
type Row struct {
	ID     string
	Values []any // of Columns; nil is unknown
}

// brokenKey is the column, after those of the result, that lists the limits that the plan claims to hold and that
// the run broke.
const brokenKey = "broken_limits"

// Columns are the columns of every row.
var Columns = sync.OnceValue(func() []sim.Cell {
	return append(sim.Cells(), sim.Cell{Key: brokenKey, Kind: reflect.Slice})
})

// columnIndex finds a column by its key.
var columnIndex = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for i, c := range Columns() {
		m[c.Key] = i
	}
	return m
})

// columnsMark changes when the columns do: rows of other columns are made again.
var columnsMark = sync.OnceValue(func() string {
	h := sha256.New()
	for _, c := range Columns() {
		fmt.Fprintf(h, "%s %s\n", c.Key, c.Kind)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
})

func newRow(r *sim.Result) Row {
	broken, _ := json.Marshal(append([]string{}, r.BrokenLimits()...))
	return Row{ID: r.Run.ID, Values: append(r.Flat(), string(broken))}
}

// entryHead is the first line of a stored row.
type entryHead struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Columns string `json:"columns"`
	Sum     string `json:"sum"` // SHA-256 of the second line, its first 8 bytes
}

// ColumnsMark tells rows of different columns apart.
func ColumnsMark() string { return columnsMark() }

// MarshalBinary writes the row as the store keeps it.
func (r *Row) MarshalBinary() ([]byte, error) { return r.encode(), nil }

// UnmarshalBinary reads what MarshalBinary wrote.
func (r *Row) UnmarshalBinary(data []byte) error {
	x, other, err := decodeRow(data)
	if other {
		return fmt.Errorf("a row of another version")
	}
	*r = x
	return err
}

// encode writes a row in two lines: what it is, and its values.
func (r *Row) encode() []byte {
	body := make([]byte, 0, 4096)
	body = append(body, '[')
	for i, v := range r.Values {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendValue(body, v)
	}
	body = append(body, ']')
	sum := sha256.Sum256(body)
	head, _ := json.Marshal(entryHead{r.ID, sim.ModelVersion, columnsMark(), hex.EncodeToString(sum[:8])})
	return bytes.Join([][]byte{head, body, nil}, []byte("\n"))
}

func appendValue(b []byte, v any) []byte {
	switch x := v.(type) {
	case float64:
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	case int64:
		return strconv.AppendInt(b, x, 10)
	case uint64:
		return strconv.AppendUint(b, x, 10)
	case bool:
		return strconv.AppendBool(b, x)
	case string:
		text, _ := json.Marshal(x)
		return append(b, text...)
	}
	return append(b, "null"...)
}

// decodeRow reads what encode wrote. other says that the row is whole and of another model or other columns.
func decodeRow(data []byte) (r Row, other bool, err error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	var head entryHead
	if err := json.Unmarshal(first, &head); err != nil {
		return Row{}, false, fmt.Errorf("not a stored run: %w", err)
	}
	body, _, whole := bytes.Cut(rest, []byte("\n"))
	sum := sha256.Sum256(body)
	if !whole || hex.EncodeToString(sum[:8]) != head.Sum {
		return Row{}, false, fmt.Errorf("a stored run that is not whole")
	}
	if head.Model != sim.ModelVersion || head.Columns != columnsMark() {
		return Row{ID: head.ID}, true, nil
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return Row{}, false, fmt.Errorf("a stored run whose values do not read: %w", err)
	}
	if len(raw) != len(Columns()) {
		return Row{}, false, fmt.Errorf("a stored run of %d values, want %d", len(raw), len(Columns()))
	}
	r = Row{ID: head.ID, Values: make([]any, len(raw))}
	for i, c := range Columns() {
		if r.Values[i], err = decodeValue(raw[i], c.Kind); err != nil {
			return Row{}, false, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return r, false, nil
}

func decodeValue(raw []byte, k reflect.Kind) (any, error) {
	text := string(raw)
	if text == "null" {
		return nil, nil
	}
	switch k {
	case reflect.Float64:
		return strconv.ParseFloat(text, 64)
	case reflect.Int64:
		return strconv.ParseInt(text, 10, 64)
	case reflect.Uint64:
		return strconv.ParseUint(text, 10, 64)
	case reflect.Bool:
		return strconv.ParseBool(text)
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// Number is a figure of the row by its key in result.json: NaN where it is unknown, or where a list has not exactly
// one element.
func (r *Row) Number(key string) float64 {
	if all := r.Numbers(key); len(all) == 1 {
		return all[0]
	}
	return math.NaN()
}

// Numbers are the figures at a key, one for each element of the lists on the way; NaN is unknown.
func (r *Row) Numbers(key string) []float64 {
	if i, ok := columnIndex()[key]; ok && Columns()[i].Kind != reflect.Slice {
		switch x := r.Values[i].(type) {
		case float64:
			return []float64{x}
		case int64:
			return []float64{float64(x)}
		case uint64:
			return []float64{float64(x)}
		}
		return []float64{math.NaN()}
	}
	// Inside a list, which is one column of JSON.
	for at := len(key); at > 0; at = strings.LastIndexByte(key[:at], '.') {
		i, ok := columnIndex()[key[:at]]
		if !ok {
			continue
		}
		text, _ := r.Values[i].(string)
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return []float64{math.NaN()}
		}
		return numbersIn(v, strings.FieldsFunc(key[at:], func(c rune) bool { return c == '.' }))
	}
	return []float64{math.NaN()}
}

func numbersIn(v any, path []string) []float64 {
	switch x := v.(type) {
	case []any:
		var out []float64
		for _, e := range x {
			out = append(out, numbersIn(e, path)...)
		}
		return out
	case map[string]any:
		if len(path) > 0 {
			return numbersIn(x[path[0]], path[1:])
		}
	case float64:
		return []float64{x}
	}
	return []float64{math.NaN()}
}

// words are the texts of a column, or of a key in the elements of a list.
func (r *Row) words(key, inside string) []string {
	i, ok := columnIndex()[key]
	if !ok {
		return nil
	}
	text, _ := r.Values[i].(string)
	if inside == "" {
		return []string{text}
	}
	var list []map[string]any
	var out []string
	if json.Unmarshal([]byte(text), &list) == nil {
		for _, x := range list {
			word, _ := x[inside].(string)
			out = append(out, word)
		}
	}
	return out
}

// broken says whether the run broke a limit that the plan claims to hold.
func (r *Row) broken() bool {
	text, _ := r.Values[len(r.Values)-1].(string)
	return text != "[]"
}
