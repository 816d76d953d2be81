package sim

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"headroom/facility/units"
)

// NumberKeys lists every number of result.json as a path of keys with dots between them. A list's key stands for each
// of its elements.
func NumberKeys() []string { return numberKeys(reflect.TypeFor[Result](), "") }

func numberKeys(t reflect.Type, at string) []string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		return []string{strings.TrimPrefix(at, ".")}
	case reflect.Slice, reflect.Array, reflect.Pointer:
		return numberKeys(t.Elem(), at)
	case reflect.Struct:
		var out []string
		for f := range fields(t) {
			name := at
			if key := jsonKey(f); key != "" {
				name += "." + key
			}
			out = append(out, numberKeys(f.Type, name)...)
		}
		return out
	}
	return nil
}

// FindKey returns the one key of result.json that a name stands for: the key itself, or its end after a dot.
func FindKey(name string) (key string, err error) {
	all := NumberKeys()
	var hits []string
	for _, k := range all {
		if k == name {
			return k, nil
		}
		if strings.HasSuffix(k, "."+name) {
			hits = append(hits, k)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		names := slices.Clone(all)
		for _, k := range all {
			names = append(names, k[strings.LastIndex(k, ".")+1:])
		}
		e := &KeyError{Text: fmt.Sprintf("result.json has no figure %q", name)}
		e.Near, _ = units.Nearest(name, names)
		return "", e
	}
	return "", &KeyError{Text: fmt.Sprintf("%q is one of %s; write it out", name, strings.Join(hits, ", "))}
}

// KeyError says that a name stands for no one figure.
type KeyError struct{ Text, Near string }

func (e *KeyError) Error() string { return e.Text }

// Condition is a demand on one figure of result.json.
type Condition struct {
	Text  string
	Key   string // in full
	Op    string // > >= < <= == !=
	Value float64
}

var conditionForm = regexp.MustCompile(`^\s*([A-Za-z0-9_.]+)\s*(>=|<=|==|!=|>|<)\s*(\S+?)\s*(%?)\s*$`)

// ParseCondition reads KEY OP NUMBER, such as pue>1.3 or thermal.throttled_share < 1%.
func ParseCondition(text string) (Condition, error) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, &KeyError{Text: "want KEY OP NUMBER, such as pue>1.3, with one of > >= < <= == !="}
	}
	value, err := strconv.ParseFloat(m[3], 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return Condition{}, &KeyError{Text: fmt.Sprintf("%q is not a number; figures are in the unit the key ends in", m[3])}
	}
	key, err := FindKey(m[1])
	if err == nil && m[4] != "" {
		if !isShare(key) {
			return Condition{}, &KeyError{Text: fmt.Sprintf("%q is not a number, and %s is no share", m[3]+m[4], key)}
		}
		value /= 100
	}
	return Condition{text, key, m[2], value}, err
}

// isShare says whether a figure is a part of one, which may be stated in percent.
func isShare(key string) bool {
	for _, end := range []string{"share", "utilization", "_ratio", "attainment", "coverage"} {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return false
}

// Holds says whether a figure meets the condition; an unknown one, NaN, never does.
func (c *Condition) Holds(v float64) bool {
	switch c.Op {
	case ">":
		return v > c.Value
	case ">=":
		return v >= c.Value
	case "<":
		return v < c.Value
	case "<=":
		return v <= c.Value
	case "==":
		return v == c.Value
	}
	return v != c.Value && !math.IsNaN(v)
}

// Numbers returns the numbers at a path of keys, one for each element of the lists on the way; NaN is unknown.
func (r *Result) Numbers(path []string) []float64 { return numbers(reflect.ValueOf(r).Elem(), path) }

func numbers(v reflect.Value, path []string) []float64 {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		return []float64{float64(v.Int())}
	case reflect.Uint64:
		return []float64{float64(v.Uint())}
	case reflect.Float64:
		if math.IsInf(v.Float(), 0) {
			return []float64{math.NaN()} // written as null
		}
		return []float64{v.Float()}
	case reflect.Pointer:
		if v.IsNil() { // written as null: each of its figures is unknown
			return []float64{math.NaN()}
		}
		return numbers(v.Elem(), path)
	case reflect.Slice, reflect.Array:
		var out []float64
		for i := range v.Len() {
			out = append(out, numbers(v.Index(i), path)...)
		}
		return out
	case reflect.Struct:
		for f := range fields(v.Type()) {
			switch jsonKey(f) {
			case "": // embedded: its keys stand beside ours
				if out := numbers(v.FieldByIndex(f.Index), path); out != nil {
					return out
				}
			case path[0]:
				return numbers(v.FieldByIndex(f.Index), path[1:])
			}
		}
	}
	return nil
}

// Cell is one column of a result laid flat: a number, a text, a switch, or a list or map as JSON.
type Cell struct {
	Key  string       // as in result.json, dots between keys
	Kind reflect.Kind // Float64, Int64, Uint64, String, Bool; Slice for JSON text
}

// Cells are the columns of a result laid flat, in the order of result.json. Lists and maps are one column each.
func Cells() []Cell { return cells(reflect.TypeFor[Result](), "") }

func cells(t reflect.Type, at string) []Cell {
	switch t.Kind() {
	case reflect.Pointer:
		return cells(t.Elem(), at)
	case reflect.Struct:
		var out []Cell
		for f := range fields(t) {
			name := at
			if key := jsonKey(f); key != "" {
				name += "." + key
			}
			out = append(out, cells(f.Type, name)...)
		}
		return out
	}
	return []Cell{{strings.TrimPrefix(at, "."), cellKind(t.Kind())}}
}

func cellKind(k reflect.Kind) reflect.Kind {
	switch k {
	case reflect.Int:
		return reflect.Int64
	case reflect.Int64, reflect.Uint64, reflect.Float64, reflect.String, reflect.Bool:
		return k
	}
	return reflect.Slice
}

// Flat returns the values of Cells: float64, int64, uint64, string or bool, JSON text for lists and maps, nil for what
// is unknown.
func (r *Result) Flat() []any { return flat(nil, reflect.ValueOf(r).Elem(), reflect.TypeFor[Result]()) }

func flat(out []any, v reflect.Value, t reflect.Type) []any {
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsValid() && !v.IsNil() {
			return flat(out, v.Elem(), t.Elem())
		}
		return flat(out, reflect.Value{}, t.Elem())
	case reflect.Struct:
		for f := range fields(t) {
			var x reflect.Value
			if v.IsValid() {
				x = v.FieldByIndex(f.Index)
			}
			out = flat(out, x, f.Type)
		}
		return out
	}
	if !v.IsValid() { // inside what is null
		return append(out, nil)
	}
	switch cellKind(t.Kind()) {
	case reflect.Float64:
		if x := v.Float(); !math.IsNaN(x) && !math.IsInf(x, 0) {
			return append(out, x)
		}
		return append(out, nil)
	case reflect.Int64:
		return append(out, v.Int())
	case reflect.Uint64:
		return append(out, v.Uint())
	case reflect.String:
		return append(out, v.String())
	case reflect.Bool:
		return append(out, v.Bool())
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return append(out, nil)
	}
	return append(out, string(text))
}

// fields yields the fields of a struct that result.json shows.
func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() || f.Tag.Get("json") == "-" {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// jsonKey is a field's name in result.json, "" for an embedded struct.
func jsonKey(f reflect.StructField) string {
	if f.Anonymous && f.Tag.Get("json") == "" {
		return ""
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
