package scenarios

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// Every wrong file is told of with place, path, what was got and what is wanted; all at once.
func TestBadFiles(t *testing.T) {
	trace := fstest.MapFS{
		"torn.csv": {Data: []byte("arrival_s,num_gpus,duration_s\n0,8,3600\n60,16,72")},
		"bad.csv":  {Data: []byte("arrival_s,num_gpus,duration_s\n0,8,3600\n60,zero,7200\n70,8,-1\n")},
		"wet.epw":  {Data: []byte("LOCATION,x\n1,2\n")},
		"jobs.csv": {Data: []byte("arrival_s,num_gpus,duration_s\n0,8,3600\n")},
	}
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(hall) }
	for _, c := range []struct {
		name, text string
		want       []string // each a whole line of the error, or its beginning
	}{
		{"unknown key", replace("supply", "suply", "height: 48U", "hight: 48U"), []string{
			`‹hight›: racks[A].hight: unknown key (got "hight", want one of `,
			`    hint: did you mean "height"?`,
		}},
		{"no unit", replace("power: 48 kW", "power: 48"), []string{
			`‹48, feeds›: racks[A].power: the unit is missing (got "48", want a power such as "48 kW")`,
			`    hint: did you mean "48`,
		}},
		{"wrong unit", replace("power: 48 kW", "power: 48 kw"), []string{
			`‹48 kw›: racks[A].power: unknown unit "kw"`,
			`    hint: did you mean "kW"?`,
		}},
		{"temperature as power", replace("power: 48 kW", "power: 48 C"), []string{`‹48 C›: racks[A].power: `}},
		{"230 V on three phases without basis", replace("voltage: 415 V L-L", "voltage: 230 V"), []string{
			`‹230 V›: power.busways.voltage: the basis is missing: end it in L-L (line to line) or L-N (line to neutral) (got "230 V", want a voltage with its basis such as "415 V L-L" or "240 V L-N")`,
			`    hint: did you mean "230 V L-L" or "230 V L-N"?`,
		}},
		{"negative count", replace("count: 12", "count: -3"), []string{`‹-3›: racks[A].count: out of range (got "-3", want at least 1)`}},
		{"negative power", replace("power: 48 kW", "power: -48 kW"), []string{`‹-48 kW›: racks[A].power: power below zero (got "-48 kW", want a power such as "48 kW")`}},
		{"NaN", replace("power: 48 kW", "power: .nan", "capacity: 120 kW", "capacity: NaN kW", "rating: 1 MVA", "rating: inf MVA"), []string{
			`‹inf MVA›: power.ups.rating: `,
			`‹NaN kW›: cooling.air.capacity: `,
			`‹.nan›: racks[A].power: `,
		}},
		{"fraction of a count", replace("count: 12", "count: 1.5"), []string{`‹1.5›: racks[A].count: want a whole number (got "1.5")`}},
		{"duplicate key", replace("row: A, count: 12", "row: A, count: 12, count: 13"), []string{`‹count: 13›: duplicate key "count" (first at line 12)`}},
		{"missing keys", replace("row: A, ", "", "site: {climate: shanghai}\n", "", ", plant: cw", ""), []string{
			`hall.yaml:1:1: site.weather: a climate or a weather file is missing`,
			`hall.yaml:7:8: cooling.air.plant: a required key is missing`,
		}},
		{"syntax", "version: 1\nsite: {climate: shanghai\nracks: []\n", []string{`hall.yaml:3:6: not YAML: `}},
		{"not a map", "- a\n- b\n", []string{`hall.yaml:1:1: want a map of keys (got a list of 2)`}},
		{"empty", "# nothing\n", []string{`hall.yaml:1:1: the file is empty`}},
		{"two documents", hall + "---\nversion: 1\n", []string{`hall.yaml:1:1: the file holds more than one document`}},
		{"wrong shapes", replace("servers:\n  - {model: dgx-h100, count: max}", "servers: {model: dgx-h100}", "utility: {capacity: 4 MW}", "utility: 4 MW"), []string{
			`hall.yaml:4:12: power.utility: want a map of keys (got "4 MW")`,
			`‹{model›: servers: want a list (got a map with "model")`,
		}},
		{"two rows of one name", replace("servers:", "  - {row: A, count: 2}\nservers:"), []string{`‹A, count: 2}›: racks[A].row: the row "A" stands twice (first at line 12)`}},
		{"unknown names", replace("model: dgx-h100", "model: dgx-h10", "plant: cw", "plant: cv", "climate: shanghai", "climate: shangai", "fed: ups", "fed: usp"), []string{
			`hall.yaml:2:17: site.climate: no such climate (got "shangai", want one of Amsterdam`,
			`    hint: did you mean "Shanghai"?`,
			`‹cv›: cooling.air.plant: no such plant (got "cv", want one of cw)`,
			`    hint: did you mean "cw"?`,
			`‹usp›: cooling.air.fed: no such element of the power section (got "usp", want one of utility, ups, busways)`,
			`    hint: did you mean "ups"?`,
			`‹dgx-h10,›: servers[0].model: not in the catalogue (got "dgx-h10", want one of its servers)`,
			`    hint: did you mean "dgx-h100"?`,
		}},
		{"kW where kVA is needed", replace("rating: 1 MVA", "rating: 1 MW"), []string{`‹1 MW}›: power.ups.rating: a rating in kW of an element that carries kVA needs its power factor (got "1 MW")`}},
		{"A without voltage", replace(", voltage: 415 V L-L", ""), []string{
			`‹2000 A›: power.busways.voltage: a rating in A needs a voltage with its basis`,
			`    hint: write, for example, voltage: 415 V L-L`,
			`‹100 A›: racks[A].feeds.voltage: a breaker in A needs a voltage with its basis, here or at busways`,
		}},
		{"a side that is not there", replace("feeds: {breaker", "feeds: {sides: [A, C], breaker"), []string{`‹[A, C]›: racks[A].feeds.sides: busways has no side "C" (got sides A, B)`}},
		{"scheme", replace("scheme: N+1, plant", "scheme: 3N, plant", "count: 2, scheme: N+1", "count: 1, scheme: N+1"), []string{
			`‹3N›: cooling.air.scheme: unknown scheme (got "3N", want N, N+1, N+2, 2N, 2(N+1), 3N2, 4N3 or block)`,
			`‹N+1}›: plants.cw.scheme: N+1 is not possible with 1 units`,
		}},
		{"missing weather file", replace("site: {climate: shanghai}", "site: {weather: shanghai.epw}"), []string{`hall.yaml:2:17: site.weather: cannot read the file "shanghai.epw": there is no such file`}},
		{"weather outside", replace("site: {climate: shanghai}", "site: {weather: ../x.epw}"), []string{`hall.yaml:2:17: site.weather: want a path below the scenario's folder (got "../x.epw")`}},
		{"bad weather", replace("site: {climate: shanghai}", "site: {weather: wet.epw}"), []string{`wet.epw:1:`}},
		{"torn trace", hall + "replay: [{name: old, trace: torn.csv}]\n", []string{`torn.csv:3:`}},
		{"bad trace", hall + "replay: [{name: old, trace: bad.csv}]\n", []string{`bad.csv:3:4: `, `bad.csv:4:6: `}},
		{"near file", hall + "replay: [{name: old, trace: job.csv}]\n", []string{
			`‹job.csv›: replay[old].trace: cannot read the file "job.csv": there is no such file`,
			`    hint: did you mean "jobs.csv"?`,
		}},
		{"work", hall + `workload:
  - {name: a, kind: training, gpus: 0}
  - {name: a, kind: trainin, gpus: {64: 0, 64: 1}}
  - {name: b, kind: inference, gpus: 12, arrivals: 2/day}
  - {name: c, kind: batch, gpus: 8, arrivals: 0/day, length: {median: 2 h, p95: 1 h}, load: diurnal}
`, []string{
			`‹{name: a, kind: training,›: workload[a].arrivals: a required key is missing for training`,
			`    hint: write, for example, arrivals: 2/day`,
			`‹{name: a, kind: training,›: workload[a].length: a required key is missing for training`,
			`    hint: write, for example, length: {median: 20 h, p95: 5 d}`,
			`‹0}›: workload[a].gpus: want a whole number of GPUs from 1 to 10000000 (got "0")`,
			`‹a, kind: trainin,›: workload[a].name: the name "a" stands twice (first at line 16)`,
			`‹trainin,›: workload[a].kind: unknown value (got "trainin", want one of training, fine-tuning, inference, batch)`,
		}},
		{"run", hall + "run: {start: 2026-13-01, length: 0 d, seed: -1, series: 1 s, tolerance: 0 K}\n", []string{
			`‹2026-13-01›: run.start: want a date or time such as 2026-07-15 or 2026-07-15 14:00 (got "2026-13-01")`,
			`    hint: times are local to the site, without a zone`,
			`‹0 d,›: run.length: out of range (got "0 d", want more than 0 s)`,
			`‹-1,›: run.seed: want a whole number from 0 to `,
			`‹0 K}›: run.tolerance: out of range (got "0 K", want more than 0 K)`,
		}},
		{"an event outside the run", hall + "failures: {events: [{at: 2027-07-15 14:00, lose: \"cooling.air.units[2]\"}]}\n", []string{
			`‹2027-07-15›: failures.events[0].at: lies outside the run, which goes from 2026-01-01 00:00 to 2027-01-01 00:00 (got 2027-07-15 14:00)`,
		}},
		{"caps", replace("count: max", "count: max, cap: 0.5 kW, gpu_cap: 900 W"), []string{
			`‹0.5 kW›: servers[0].cap: below what the server draws idle`,
			`‹900 W›: servers[0].gpu_cap: above what the GPU draws (got "900 W", want at most 700 W)`,
		}},
		{"reserve", replace("height: 48U", "height: 48U, reserve: 49U"), []string{`‹49U›: racks[A].reserve: more is reserved than there is (got 49U of 48U)`}},
		{"half a rack unit", replace("height: 48U", "height: 47.5U"), []string{`‹47.5U›: racks[A].height: want whole rack units (got "47.5U")`}},
		{"too many racks", replace("count: 12", "count: 10000, rows: 2000", "row: A, ", ""), []string{`‹10000,›: racks[0]: too many racks`}},
		{"own catalogue", hall + "catalog: {servers: {my-box: {like: dgx-h100, nameplat: 5 kW}}}\n", []string{`‹nameplat›: catalog`}},
		{"two racks of one name", replace("row: A, count: 12", "row: 1, count: 100", "servers:", "  - {row: 10, count: 2}\nservers:"), []string{`‹{row: 10›: racks[10]: two racks are called 1001`}},
		{"merge key", replace("{row: A,", "{<<: {row: B}, row: A,"), []string{`‹<<: {row›: merge keys (<<) are not read`}},
		{"newer version", replace("version: 1", "version: 2"), []string{`hall.yaml:1:10: version: out of range (got "2", want at most 1)`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load("hall.yaml", []byte(c.text), Options{FS: trace})
			if err == nil {
				t.Fatal("no problem was found")
			}
			var ps Problems
			if !errors.As(err, &ps) {
				t.Fatalf("the error is a %T", err)
			}
			got := strings.Split(err.Error(), "\n")
			for _, w := range c.want {
				w = placed(t, c.text, w)
				if !containsPrefix(got, w) {
					t.Errorf("no line begins with\n%s\nin\n%s", w, err)
				}
			}
			lines := 0
			for _, w := range c.want {
				if !strings.HasPrefix(w, "    ") {
					lines++
				}
			}
			if len(ps) < lines {
				t.Errorf("%d problems, want at least %d", len(ps), lines)
			}
		})
	}
}

// placed replaces a leading ‹text› by the file, line and column at which the text first stands.
func placed(t *testing.T, file, want string) string {
	t.Helper()
	rest, ok := strings.CutPrefix(want, "‹")
	if !ok {
		return want
	}
	mark, message, _ := strings.Cut(rest, "›")
	at := strings.Index(file, mark)
	if at < 0 {
		t.Fatalf("%q does not stand in the file", mark)
	}
	line := strings.Count(file[:at], "\n") + 1
	col := at - strings.LastIndex(file[:at], "\n")
	return fmt.Sprintf("hall.yaml:%d:%d%s", line, col, message)
}

func containsPrefix(lines []string, prefix string) bool {
	for _, l := range lines {
		if strings.HasPrefix(l, prefix) {
			return true
		}
	}
	return false
}

// The list of wrong things in one file: every one is told, in the order of the file.
func TestAllProblemsAtOnce(t *testing.T) {
	text := `version: 1
colour: blue
site: {weather: nowhere.epw}
power:
  nodes:
    - {id: mv, rating: 4 MVA}
    - {id: a, kind: switchboard, from: b, rating: 1 MVA}
    - {id: b, kind: switchboard, from: a, rating: 1 MVA}
    - {id: busway, from: mv, rating: 800 A, voltage: 230 V}
racks:
  - {row: A, count: -12, power: 48, height: .nan}
servers: [{model: dgx-h100}]
replay: [{name: old, trace: torn.csv}]
`
	files := fstest.MapFS{"torn.csv": {Data: []byte("arrival_s,num_gpus,duration_s\n0,8,3600\n60,16,72")}}
	_, err := Load("bad.yaml", []byte(text), Options{FS: files})
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, p := range ps {
		got = append(got, strings.Split(p.String(), " (")[0])
	}
	want := []string{
		`bad.yaml:2:1: colour: unknown key`,
		`bad.yaml:3:17: site.weather: cannot read the file "nowhere.epw": there is no such file`,
		`bad.yaml:7:7: power.nodes[a]: a`,
		`bad.yaml:9:54: power.nodes[busway].voltage: the basis is missing: end it in L-L`,
		`bad.yaml:11:21: racks[A].count: out of range`,
		`bad.yaml:11:33: racks[A].power: the unit is missing`,
		`bad.yaml:11:45: racks[A].height: `,
		`torn.csv:3:`,
	}
	i := 0
	for _, g := range got {
		if i < len(want) && strings.HasPrefix(g, want[i]) {
			i++
		}
	}
	if i < len(want) {
		t.Errorf("problem %d, %s, is not told in its order:\n%v", i, want[i], err)
	}
}

func TestAliasBombAndDepth(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [*" + strings.Repeat(p+",*", 8) + p + "]\n"
	}
	for _, text := range []string{bomb, strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "a: &a [*a]\n", strings.Repeat("a:\n ", 200)} {
		if _, err := Load("bomb.yaml", []byte(text), Options{}); err == nil {
			t.Errorf("no problem in %.40q", text)
		}
	}
}
