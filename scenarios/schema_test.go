package scenarios

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a file as a schema sees it.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	n, ps := parseYAML("x.yaml", []byte(text))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	return n.json()
}

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

func TestSchemaAcceptsExamplesAndTheirResolvedForm(t *testing.T) {
	s := compiledSchema(t)
	texts := map[string]string{"block1": block1, "general": rest + block2}
	for _, e := range Examples() {
		data, _ := ExampleFile(e.Name)
		texts[e.Name] = string(data)
	}
	for name, text := range texts {
		if err := s.Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		resolved, err := load(t, text, Options{}).Resolved()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, string(resolved))); err != nil {
			t.Errorf("%s resolved: %v", name, err)
		}
	}
}

func TestSchemaRejects(t *testing.T) {
	s := compiledSchema(t)
	for name, change := range map[string][2]string{
		"unknown key":         {"height: 48U", "hight: 48U"},
		"unknown top key":     {"version: 1", "version: 1\ncolour: blue"},
		"missing key":         {"version: 1\n", ""},
		"wrong word":          {"type: water-cooled-chiller", "type: ice"},
		"negative count":      {"count: 12", "count: -1"},
		"list for a map":      {"utility: {capacity: 4 MW}", "utility: [4 MW]"},
		"number without unit": {"power: 48 kW", "power: 48"},
		"newer version":       {"version: 1", "version: 2"},
	} {
		text := strings.Replace(hall, change[0], change[1], 1)
		if text == hall {
			t.Fatalf("%s changes nothing", name)
		}
		if err := s.Validate(asJSON(t, text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Every key has its sentence, and every default and bound can be read.
func TestEveryKeyIsDescribed(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			name := f.Tag.Get("yaml")
			if name == "" {
				continue
			}
			doc := f.Tag.Get("doc")
			if doc == "" || !strings.HasSuffix(doc, ".") {
				t.Errorf("%s.%s (%s) has no sentence: %q", typ.Name(), f.Name, name, doc)
			}
			if f.Type == reflect.TypeFor[Quantity]() && f.Tag.Get("unit") == "" {
				t.Errorf("%s.%s has no unit", typ.Name(), f.Name)
			}
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[file]())
	walk(reflect.TypeFor[plantLine]())
	walk(reflect.TypeFor[cduPart]())
	if len(seen) < 20 {
		t.Errorf("only %d sections were seen", len(seen))
	}
}
