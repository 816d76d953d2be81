package scenarios

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePath(t *testing.T) {
	for text, want := range map[string]string{
		"racks[A].power":            "racks|[A]|power",
		"cooling.liquid":            "cooling|liquid",
		"servers[0].model":          "servers|[0]|model",
		"servers[A01.u03]":          "servers|[A01.u03]",
		"plants.chilled-water.type": "plants|chilled-water|type",
		"power.ups[A].modules[0]":   "power|ups|[A]|modules|[0]",
		" racks[ A ].power ":        "racks|[A]|power",
		"a[b][c]":                   "a|[b]|[c]",
	} {
		steps, err := parsePath(text)
		var got []string
		for _, s := range steps {
			k := s.key
			if s.element {
				k = "[" + k + "]"
			}
			got = append(got, k)
		}
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "[0]", "a[", "a[]", "a]b", "a[0]b", "a b", "a.[0]", "a={}"} {
		if steps, err := parsePath(text); err == nil {
			t.Errorf("%q is read as %v", text, steps)
		}
	}
}

func TestSetPaths(t *testing.T) {
	power := func(sets ...string) int64 { return build(t, hall, Options{Set: sets}).Racks[0].PowerW }
	for _, c := range []struct {
		sets []string
		want int64
	}{
		{[]string{"racks[A].power=50 kW"}, 50000},
		{[]string{"racks[0].power=51 kW"}, 51000},
		{[]string{"racks[A].power=50 kW", "racks[A].power=52 kW"}, 52000},
		{[]string{"racks[A]={row: A, count: 2, power: 53 kW}"}, 53000},
		{[]string{"racks[A].power=null"}, -1},
		{[]string{"racks[A].power="}, -1},
		{[]string{"racks=[{row: B, power: 54 kW}]"}, 54000},
	} {
		if got := power(c.sets...); got != c.want {
			t.Errorf("%v: %d W, want %d", c.sets, got, c.want)
		}
	}
	// A path below a map that is not there makes it; a path below a short form opens it.
	f := build(t, hall, Options{Set: []string{"cooling.liquid={cdus: 2, capacity: 1 MW, plant: dry}", "cooling.liquid.cdus.scheme=N+1", "plants.dry.type=dry-cooler", "plants.dry.count=3"}})
	if l := f.Cooling.Loops[0]; l.CDUs != 2 || l.Redundant != 1 {
		t.Errorf("loop %+v", l)
	}
	if s := f.Cooling.Plants[1].Spec(); s.Units != 3 || s.Name != "plants.dry" {
		t.Errorf("plant %+v", s)
	}
	seed := uint64(7)
	s := load(t, hall, Options{Seed: &seed, Set: []string{"run.seed=3"}})
	if c, err := s.Configure(nil); err != nil || c.Seed != 7 {
		t.Errorf("seed %d, %v; want the flag's 7", c.Seed, err)
	}
}

func TestSetProblems(t *testing.T) {
	for set, want := range map[string]string{
		"racks[Z].power=50 kW":      "--set:1:1: racks[Z]: no such element (got [Z], want place 0 or one of A)",
		"racks[1].power=50 kW":      "--set:1:1: racks[1]: no such element (got [1], want place 0 or one of A)",
		"racks.power=50 kW":         "--set:1:1: racks.power: racks is a list (want place 0 or one of A)",
		"racks[A].powr=50 kW":       "--set:1:1: racks[A].powr: unknown key (got \"powr\"",
		"racks[A].power=50":         "--set:1:1: racks[A].power: the unit is missing (got \"50\"",
		"racks[A].power.max=50 kW":  "--set:1:1: racks[A].power.max: racks[A].power holds \"48 kW\", which has no keys",
		"servers[0].model=dgx-h10":  "--set:1:1: servers[0].model: not in the catalogue",
		"replay[0].trace=x.csv":     "--set:1:1: replay[0]: replay is not in the file, so it has no element [0]",
		"racks[A].power":            "--set:1:1: want path=value such as \"racks[A].power=78 kW\" (got \"racks[A].power\")",
		"=4":                        "--set:1:1: an empty path",
		"racks[A].power={":          "--set:1:1: not YAML: ",
		"variants.x.from=y":         "--set:1:1: variants.x.from: a path inside variants has no effect",
		"coling.air.units=3":        "--set:1:1: coling: unknown key",
		"cooling[air].units=0":      "--set:1:1: cooling.air.units: out of range",
		"plants[cv].count=2":        "--set:1:1: plants[cv]: no such element",
		"racks[A].feeds.brekr=10 A": "--set:1:1: racks[A].feeds.brekr: unknown key",
	} {
		_, err := Load("hall.yaml", []byte(hall), Options{Set: []string{set}})
		if err == nil || !containsPrefix(strings.Split(err.Error(), "\n"), want) {
			t.Errorf("%s:\n%v\nwant a line %s", set, err, want)
		}
	}
}

func TestVariantProblems(t *testing.T) {
	text := hall + `variants:
  hot: {set: {"racks[A].powr": 60 kW, "racks[B].power": 60 kW}}
  a: {from: b, set: {"racks[A].power": 60 kW}}
  b: {from: c}
  c: {from: a}
  d: {from: hat}
  e: {form: hot}
  f: {set: {"racks[": 1}}
`
	for variant, want := range map[string][]string{
		"": {
			`‹a: {from›: variants.a.from: variants that begin from each other in a circle: a → b → c → a`,
			`‹b: {from›: variants.b.from: variants that begin from each other in a circle: b → c → a → b`,
			`‹d: {from›: variants.d.from: unknown variant (got "hat", want one of hot, a, b, c, d, e, f)`,
			`    hint: did you mean "hot"?`,
			`‹form›: variants.e.form: unknown key (got "form", want one of from, set)`,
			`‹"racks["›: path "racks[" has a [ without its ]`,
		},
		"hot": {
			`‹"racks[A].powr"›: racks[A].powr: unknown key (got "powr"`,
			`‹"racks[B].power"›: racks[B]: no such element (got [B], want place 0 or one of A)`,
		},
		"hott": {`hall.yaml:1:1: variants: unknown variant (got "hott", want one of hot, a, b, c, d, e, f)`},
		"a":    nil, // a circle ends
	} {
		_, err := Load("hall.yaml", []byte(text), Options{Variant: variant})
		var ps Problems
		if !errors.As(err, &ps) {
			t.Fatalf("%s: %v", variant, err)
		}
		for _, w := range want {
			if w = placed(t, text, w); !containsPrefix(strings.Split(err.Error(), "\n"), w) {
				t.Errorf("%q: no line begins with\n%s\nin\n%v", variant, w, err)
			}
		}
	}
}

// A problem in a value that a variant sets is told where the variant sets it.
func TestPlaceOfVariantValue(t *testing.T) {
	text := hall + "variants:\n  big:\n    set:\n      \"racks[A].power\": 78\n"
	_, err := Load("hall.yaml", []byte(text), Options{Variant: "big"})
	if err == nil || !strings.HasPrefix(err.Error(), "hall.yaml:18:25: racks[A].power: the unit is missing") {
		t.Errorf("got %v", err)
	}
	if _, err := Load("hall.yaml", []byte(text), Options{}); err != nil {
		t.Errorf("the scenario itself: %v", err)
	}
}

// A path that is read is written back as a path that is read the same.
func TestPathRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zA-Z0-9_-]{1,8}`)
		var want []step
		for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
			s := step{key: word.Draw(t, "key"), element: i > 0 && rapid.Bool().Draw(t, "element"), place: -1}
			if s.element && rapid.Bool().Draw(t, "dotted") {
				s.key += ".u" + word.Draw(t, "tail")
			}
			want = append(want, s)
		}
		text := pathString(want)
		got, err := parsePath(text)
		if err != nil || pathString(got) != text || len(got) != len(want) {
			t.Fatalf("%q is read as %v, %v", text, got, err)
		}
		for i := range got {
			if got[i].key != want[i].key || got[i].element != want[i].element {
				t.Fatalf("%q: step %d is %+v, want %+v", text, i, got[i], want[i])
			}
		}
	})
}

// Names that would read as the scenario itself, as two names, or as nothing are refused where they stand.
func TestVariantNamesAreNames(t *testing.T) {
	for name, want := range map[string]string{
		"base":              `"base" stands for the scenario itself`,
		`""`:                "a variant's name has letters",
		`"a,b"`:             "no comma",
		`"two\nlines"`:      "no comma or control character",
		`"right\u202eleft"`: "no comma or control character",
	} {
		_, err := Load("hall.yaml", []byte(hall+"variants:\n  "+name+": {set: {name: x}}\n"), Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "hall.yaml:") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for _, name := range []string{"liquid-78", "液冷 78", "50 %"} {
		if _, err := Load("hall.yaml", []byte(hall+"variants:\n  \""+name+"\": {set: {name: x}}\n"), Options{Variant: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
