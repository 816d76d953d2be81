package scenarios

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
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

// keySchema is one key of the schema as it is written out.
type keySchema struct {
	path string
	s    map[string]any
}

// schemaKeys walks the schema that editors read.
func schemaKeys(t *testing.T) []keySchema {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var list []keySchema
	var walk func(path string, s map[string]any)
	walk = func(path string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(properties)) {
			p := properties[k].(map[string]any)
			list = append(list, keySchema{joinKey(path, k), p})
			walk(joinKey(path, k), p)
		}
		if m, ok := s["items"].(map[string]any); ok {
			walk(path+"[]", m)
		}
		if m, ok := s["additionalProperties"].(map[string]any); ok {
			walk(path+".*", m)
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf"} {
			for _, x := range asList(s[key]) {
				walk(path, x.(map[string]any))
			}
		}
	}
	walk("", root)
	return list
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

var numberWithUnit = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?( [A-Za-z].*|%|U)$`)

// What an editor shows: a sentence for every key, the units of every quantity, and for every value a default, an example
// or the words that may stand there.
func TestSchemaTellsAboutEveryKey(t *testing.T) {
	keys := schemaKeys(t)
	if len(keys) < 200 {
		t.Fatalf("only %d keys were seen", len(keys))
	}
	for _, k := range keys {
		about, _ := k.s["description"].(string)
		if !strings.HasSuffix(about, ".") {
			t.Errorf("%s has no sentence: %q", k.path, about)
		}
		quantity := false
		samples := append(slices.Clone(asList(k.s["examples"])), k.s["default"])
		for _, x := range samples {
			if text, ok := x.(string); ok && numberWithUnit.MatchString(text) && k.s["enum"] == nil {
				_, dated := k.s["pattern"]
				quantity = quantity || !dated
			}
		}
		if quantity && !strings.Contains(about, "Units:") {
			t.Errorf("%s is a quantity without units: %q, %v", k.path, about, samples)
		}
		told := false
		for _, word := range []string{"default", "examples", "enum", "const", "properties", "items", "additionalProperties", "patternProperties", "anyOf"} {
			told = told || k.s[word] != nil
		}
		if !told {
			t.Errorf("%s has neither a default nor an example: %v", k.path, k.s)
		}
	}
}

// A default in the schema is what the loader takes where the key is not written, and an example is something it takes.
func TestSchemaDefaultsAreTheLoaders(t *testing.T) {
	seen, defaults, examples := map[reflect.Type]bool{}, 0, 0
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ.NumField() == 0 || typ.Field(0).Type != originType || seen[typ] {
			return
		}
		seen[typ] = true
		empty := reflect.New(typ).Elem()
		(&decoder{}).section(empty, &node{kind: mapNode}, "")
		for i := range typ.NumField() {
			f := typ.Field(i)
			name := f.Tag.Get("yaml")
			if name == "" {
				continue
			}
			s := fieldSchema(f)
			try := func(x any) reflect.Value {
				text, err := json.Marshal(map[string]any{name: x})
				if err != nil {
					t.Fatal(err)
				}
				n, ps := parseYAML("x", text)
				d := &decoder{problems: ps}
				v := reflect.New(typ).Elem()
				d.section(v, n, "")
				for _, p := range d.problems {
					if strings.HasPrefix(p.Path, name) {
						t.Errorf("%s.%s: %v is refused: %v", typ.Name(), name, x, p)
					}
				}
				return v.Field(i)
			}
			for _, x := range asList(s["examples"]) {
				examples++
				try(x)
			}
			want, has := s["default"]
			if !has {
				continue
			}
			defaults++
			a, b := encodeValue(empty.Field(i), f), encodeValue(try(want), f)
			if a.inline() != b.inline() {
				t.Errorf("%s.%s: the schema says %v, the loader takes %q", typ.Name(), name, want, a.inline())
			}
			walk(f.Type)
		}
		for i := range typ.NumField() {
			walk(typ.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[file]())
	walk(reflect.TypeFor[plantLine]())
	walk(reflect.TypeFor[cduPart]())
	if defaults < 60 || examples < 60 {
		t.Errorf("only %d defaults and %d examples were tried", defaults, examples)
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
