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

// fieldSchema describes one key with its sentence, units, default and example. Forms of their own say their units in
// their description.
func fieldSchema(f reflect.StructField) map[string]any {
	s := typeSchema(f.Type, f)
	doc := f.Tag.Get("doc")
	if dim, ok := dimensionTags[f.Tag.Get("unit")]; ok {
		doc += " Units: " + strings.Join(unitNames(dim), ", ") + "."
	} else if more, ok := s["description"].(string); ok {
		doc += " " + more
	}
	if doc = strings.TrimSpace(doc); doc != "" {
		s["description"] = doc
	}
	def, hasDefault := f.Tag.Lookup("default")
	switch {
	case hasDefault:
		s["default"] = jsonScalar(def, f.Type)
	case f.Type.Kind() == reflect.Bool && f.Tag.Get("required") == "":
		s["default"] = false
	}
	if e := f.Tag.Get("example"); e != "" {
		s["examples"] = []any{jsonScalar(e, f.Type)}
	} else if hasDefault && f.Type == reflect.TypeFor[Quantity]() { // within its bounds, as the dimension's own may not be
		s["examples"] = []any{s["default"]}
	}
	return s
}

func unitNames(d units.Dimension) []string {
	if d == units.Voltage {
		return []string{"V L-L", "V L-N"}
	}
	return d.Units()
}

// jsonScalar is a tag's text as the JSON value an editor would insert; lists and maps are written as in the file.
func jsonScalar(text string, t reflect.Type) any {
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		if n, ps := parseYAML("example", []byte(text)); len(ps) == 0 {
			return n.json()
		}
	}
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

// shortDuration describes a section that may also be written as one duration.
func shortDuration(section any, examples ...any) map[string]any {
	s := shortSchema(section, map[string]any{"type": "string", "examples": examples})
	s["description"] = "Units: " + strings.Join(unitNames(units.Duration), ", ") + "."
	s["examples"] = examples
	return s
}

// json is a tree as a schema sees it.
func (n *node) json() any {
	switch n.kind {
	case listNode:
		list := []any{}
		for _, x := range n.items {
			list = append(list, x.json())
		}
		return list
	case mapNode:
		m := map[string]any{}
		for i, k := range n.keys {
			m[k.value] = n.items[i].json()
		}
		return m
	}
	switch n.tag {
	case "!!int", "!!float":
		return json.Number(n.value)
	case "!!bool":
		b, _ := strconv.ParseBool(n.value)
		return b
	case "!!null":
		return nil
	}
	return n.value
}
