package main

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"headroom/facility/units"
	"headroom/sim"
)

// demand is one --fail-on: the run fails when it comes true.
type demand struct {
	text  string
	path  []string // keys of result.json, outermost first
	op    string
	value float64
}

var demandForm = regexp.MustCompile(`^\s*([A-Za-z0-9_.]+)\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*$`)

// parseDemands reads every --fail-on and returns all that is wrong with them as one usageError.
func parseDemands(texts []string) ([]demand, error) {
	var out []demand
	var wrong, hints []string
	for _, text := range texts {
		d, err := parseDemand(text)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("--fail-on %q: %s", text, err.text))
			if err.hint != "" {
				hints = append(hints, err.hint)
			}
			continue
		}
		out = append(out, d)
	}
	if wrong != nil {
		return nil, usageError{text: strings.Join(wrong, "\n"), hint: strings.Join(hints, "\n")}
	}
	return out, nil
}

func parseDemand(text string) (demand, *usageError) {
	m := demandForm.FindStringSubmatch(text)
	if m == nil {
		return demand{}, &usageError{text: "want KEY OP NUMBER, such as pue>1.3, with one of > >= < <= == !="}
	}
	value, err := strconv.ParseFloat(m[3], 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return demand{}, &usageError{text: fmt.Sprintf("%q is not a number; figures are in the unit the key ends in", m[3])}
	}
	key := m[1]
	all := resultKeys()
	var hits []string
	for _, k := range all {
		if k == key {
			hits = []string{k}
			break
		}
		if strings.HasSuffix(k, "."+key) {
			hits = append(hits, k)
		}
	}
	switch len(hits) {
	case 1:
		return demand{text, strings.Split(hits[0], "."), m[2], value}, nil
	case 0:
		names := append([]string(nil), all...)
		for _, k := range all {
			names = append(names, k[strings.LastIndex(k, ".")+1:])
		}
		e := &usageError{text: fmt.Sprintf("result.json has no figure %q", key)}
		if best, ok := units.Nearest(key, names); ok {
			e.hint = fmt.Sprintf("did you mean %q?", best)
		}
		return demand{}, e
	}
	return demand{}, &usageError{text: fmt.Sprintf("%q is one of %s; write it out", key, strings.Join(hits, ", "))}
}

// judge returns what came true, and what could not be judged: an unknown figure never passes a gate.
func judge(demands []demand, r *sim.Result) []string {
	var out []string
	for _, d := range demands {
		key := strings.Join(d.path, ".")
		values := figures(reflect.ValueOf(r).Elem(), d.path)
		if len(values) == 0 { // a list without elements
			values = []float64{math.NaN()}
		}
		for _, v := range values {
			if math.IsNaN(v) {
				out = append(out, fmt.Sprintf("--fail-on %q: %s is unknown", d.text, key))
				break
			}
			if holds(v, d.op, d.value) {
				out = append(out, fmt.Sprintf("--fail-on %q: %s is %s", d.text, key, strconv.FormatFloat(v, 'g', 6, 64)))
				break
			}
		}
	}
	return out
}

func holds(a float64, op string, b float64) bool {
	switch op {
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case "==":
		return a == b
	}
	return a != b
}

// resultKeys lists every number of result.json as a path. A list's key stands for each of its elements.
func resultKeys() []string { return numberKeys(reflect.TypeFor[sim.Result](), "") }

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

// figures returns the numbers at a path, one for each element of the lists on the way.
func figures(v reflect.Value, path []string) []float64 {
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
		return figures(v.Elem(), path)
	case reflect.Slice, reflect.Array:
		var out []float64
		for i := range v.Len() {
			out = append(out, figures(v.Index(i), path)...)
		}
		return out
	case reflect.Struct:
		for f := range fields(v.Type()) {
			switch jsonKey(f) {
			case "": // embedded: its keys stand beside ours
				if out := figures(v.FieldByIndex(f.Index), path); out != nil {
					return out
				}
			case path[0]:
				return figures(v.FieldByIndex(f.Index), path[1:])
			}
		}
	}
	return nil
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
