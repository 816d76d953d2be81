package scenarios

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"headroom/facility/units"
)

// Schema returns the JSON Schema of the scenario file, made from the types that read it, with draft-07
// keywords: editors complete from it through "# yaml-language-server: $schema=…".
func Schema() ([]byte, error) {
	s := sectionSchema(reflect.TypeFor[file]())
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = "Headroom scenario"
	s["description"] = "A hall and what should run in it. Quantities carry their units as people write them: 48 kW, 2.5 MVA, 24 C, 415 V L-L, 36 h."
	out, err := json.MarshalIndent(s, "", "  ")
	return append(out, '\n'), err
}

// sectionSchema describes a struct that is read from a map.
func sectionSchema(t reflect.Type) map[string]any {
	properties := map[string]any{}
	var required []any
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "" {
			continue
		}
		properties[name] = fieldSchema(f)
		if f.Tag.Get("required") == "true" {
			required = append(required, name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	return s
}

// fieldSchema describes one key with its sentence, unit, default and example.
func fieldSchema(f reflect.StructField) map[string]any {
	s := typeSchema(f.Type, f)
	doc := f.Tag.Get("doc")
	if dim, ok := dimensionTags[f.Tag.Get("unit")]; ok {
		doc = strings.TrimSpace(doc + " Units: " + strings.Join(unitNames(dim), ", ") + ".")
	}
	if doc != "" {
		s["description"] = doc
	}
	if def, ok := f.Tag.Lookup("default"); ok {
		s["default"] = jsonScalar(def, f.Type)
	}
	if e := f.Tag.Get("example"); e != "" && s["examples"] == nil {
		s["examples"] = []any{jsonScalar(e, f.Type)}
	}
	return s
}

func unitNames(d units.Dimension) []string {
	if d == units.Voltage {
		return []string{"V L-L", "V L-N"}
	}
	return d.Units()
}

// jsonScalar is a tag's text as the JSON value an editor would insert.
func jsonScalar(text string, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Uint64:
		if i, err := strconv.Atoi(text); err == nil {
			return i
		}
	case reflect.Float64:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	case reflect.Bool:
		return text == "true"
	}
	return text
}

func typeSchema(t reflect.Type, f reflect.StructField) map[string]any {
	if c, ok := reflect.New(t).Interface().(custom); ok {
		return c.schema()
	}
	if t == reflect.TypeFor[Quantity]() {
		dim := dimensionTags[f.Tag.Get("unit")]
		kind := any("string")
		if dim == units.Share {
			kind = []any{"string", "number"}
		}
		return map[string]any{"type": kind, "examples": []any{dim.Example()}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), f)
	case reflect.Struct:
		return sectionSchema(t)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeSchema(t.Elem(), f)}
	case reflect.String:
		s := map[string]any{"type": "string"}
		if enum := f.Tag.Get("enum"); enum != "" {
			var words []any
			for _, w := range strings.Split(enum, ",") {
				words = append(words, w)
			}
			s["enum"] = words
		}
		return s
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Uint64:
		return bounded(map[string]any{"type": "integer"}, f)
	case reflect.Float64:
		return bounded(map[string]any{"type": "number"}, f)
	}
	panic("scenarios: no schema for " + t.String())
}

func bounded(s map[string]any, f reflect.StructField) map[string]any {
	for tag, key := range map[string]string{"min": "minimum", "max": "maximum", "above": "exclusiveMinimum"} {
		if x, err := strconv.ParseFloat(f.Tag.Get(tag), 64); err == nil {
			s[key] = x
		}
	}
	if s["minimum"] == nil && f.Type.Kind() == reflect.Uint64 {
		s["minimum"] = 0
	}
	return s
}

// shortSchema describes a section that may also be written as one value.
func shortSchema(section any, short map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{short, sectionSchema(reflect.TypeOf(section).Elem())}}
}
