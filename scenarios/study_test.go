package scenarios

import (
	"strings"
	"testing"
)

// study loads the hall of these tests with a study section.
func studyOf(t *testing.T, text string) *Study {
	t.Helper()
	s, err := Load("study.yaml", []byte(hall+text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	st, ok := s.Study()
	if !ok {
		t.Fatal("no study")
	}
	return st
}

func TestStudyRanges(t *testing.T) {
	st := studyOf(t, `study:
  vary:
    - {path: cooling.air.supply, from: 18 C, to: 27 C, step: 3 K}
    - {path: "racks[A].power", from: 30 kW, to: 31 kW, count: 5}
    - {path: "racks[A].height", values: [42U, 48U]}
    - {paths: ["racks[A].air", "racks[A].reserve"], values: [[20 kW, 2U], [30 kW, 4U]]}
    - {path: site.price, from: 0.1 CNY/kWh, to: 0.3 CNY/kWh, step: 0.1 CNY/kWh}
`)
	var got []string
	for _, a := range st.Axes {
		var labels []string
		for _, p := range a.Points {
			labels = append(labels, p.Label)
		}
		got = append(got, strings.Join(labels, "; "))
	}
	want := []string{
		"18 C; 21 C; 24 C; 27 C",
		"30 kW; 30.25 kW; 30.5 kW; 30.75 kW; 31 kW",
		"42U; 48U",
		"20 kW, 2U; 30 kW, 4U",
		"0.1 CNY/kWh; 0.2 CNY/kWh; 0.3 CNY/kWh",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("axis %d: got %s, want %s", i, got[i], want[i])
		}
	}
}

func TestStudyMistakes(t *testing.T) {
	for _, c := range []struct{ study, want string }{
		{"{}", "asks for one run"},
		{"{replicates: 1}", "asks for one run"},
		{"{replicates: 0}", "at least 1"},
		{"{replicates: {count: 3, figure: pue}}", "a fixed count"},
		{"{replicates: {figure: pue}}", "want a width"},
		{"{replicates: {figure: pue, width: 1%, min: 9, max: 8}}", "at most 8 seeds and at least 9"},
		{"{vary: [{path: site.price}]}", "what \"site.price\" is varied over is missing"},
		{"{vary: [{path: site.price, variants: [base]}]}", "one of path, paths and variants (got 2)"},
		{"{vary: [{path: cooling.air.supply, from: 18 C, to: 80 F, step: 1 K}]}", "from is in \"C\" and to in \"F\""},
		{"{vary: [{path: cooling.air.supply, from: 18 C, to: 20 C}]}", "a step or a count"},
		{"{vary: [{path: cooling.air.supply, from: 18 C, to: 20 C, step: 1 kW}]}", "want a step more than 0"},
		{"{vary: [{path: cooling.air.supply, from: warm, to: 20 C, step: 1 K}]}", "want a number with its unit (got \"warm\")"},
		{"{vary: [{path: run.seed, values: [1, 2]}], replicates: 2}", "replicates choose the seeds"},
		{"{vary: [{path: a..b, values: [1]}]}", "is no key"},
		{"{vary: [{path: site.price, values: []}]}", "at least one value"},
		{"{vary: [{path: run.seed, from: 1, to: 99999999, step: 1}]}", "at most"},
		{"{vary: [{paths: [site.price, site.carbon], values: [[1 CNY/kWh]]}]}", "a list of 2 values"},
		{"{pareto: [{figure: pue}], vary: [{path: site.price, values: [1 CNY/kWh]}]}", "two figures or more"},
		{"{pareto: [{figure: pue}, {figure: energy.pue}], vary: [{path: site.price, values: [1 CNY/kWh]}]}", "stands twice"},
		{"{pareto: [{figure: pue}, {figure: wue_l_per_kwh}], replicates: 2}", "one point"},
		{"{sensitivity: {figures: [pue], over: [{path: site.price, low: 1 CNY/kWh, high: 1 CNY/kWh}]}}", "the same"},
		{"{sensitivity: {figures: [pue], over: [{path: site.price, low: 1 CNY/kWh, high: 2 CNY/kWh}]}, vary: [{path: site.carbon, values: [1 kg/kWh]}]}", "one input at a time"},
		{"{find: {path: site.price, from: 2, to: 1, step: 1}}", "empty range"},
		{"{find: {path: site.price, from: 1, to: 2, step: 3}}", "wider than the range"},
		{"{find: {path: site.price, from: 1, to: 2, step: 0.5, limits: any}}", "nothing has to hold"},
		{"{find: {path: site.price, from: 1, to: 2, step: 0.5, where: [pue < 1.2, pue >= 1.2]}}", "a contradictory search"},
		{"{find: {path: site.price, from: 1, to: 2, step: 0.5, where: [pue < 5%]}}", "is no share"},
		{"{sample: {runs: 4, over: [{path: site.price, from: 1, to: 2, mode: 3}]}}", "outside the range"},
		{"{sample: {runs: 4, over: [{path: site.price, median: 4 h, p95: 3 h}]}}", "p95 more than the median"},
		{"{sample: {runs: 4, over: [{path: site.price, mean: 4 h, deviation: 0 h}]}}", "more than 0"},
		{"{vari: []}", "did you mean \"vary\"?"},
	} {
		_, err := Load("study.yaml", []byte(hall+"study: "+c.study+"\n"), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.study, err, c.want)
			continue
		}
		if !strings.HasPrefix(err.Error(), "study.yaml:") {
			t.Errorf("%s: no place: %v", c.study, err)
		}
	}
}

// What a study asks is no part of what its runs compute.
func TestStudyLeavesRunsAlone(t *testing.T) {
	plain, err := Load("x.yaml", []byte(hall), Options{})
	if err != nil {
		t.Fatal(err)
	}
	with, err := Load("x.yaml", []byte(hall+"study: {replicates: 3}\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if plain.ID() != with.ID() || plain.ID() == "" {
		t.Errorf("ids %s and %s", plain.ID(), with.ID())
	}
	seed := uint64(7)
	other, err := Load("x.yaml", []byte(hall), Options{Seed: &seed})
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.IDs()(7); got != other.ID() || got == plain.ID() {
		t.Errorf("id under seed 7 is %s, want %s", got, other.ID())
	}
	// A source gives the same scenarios, time after time.
	src, err := Parse("x.yaml", []byte(hall+"study: {replicates: 3}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		changed, err := src.LoadRun(Options{Set: []string{"site.price=9 CNY/kWh"}})
		if err != nil {
			t.Fatal(err)
		}
		again, err := src.LoadRun(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if again.ID() != plain.ID() || changed.ID() == plain.ID() {
			t.Error("overlays of one scenario reach another")
		}
		if changed.PlacementKey() == "" || again.PlacementKey() != plain.PlacementKey() {
			t.Error("one hall has two placement keys")
		}
	}
}

func TestSplitNumber(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		x          float64
		ok         bool
	}{
		{"48 kW", " kW", 48, true},
		{"30%", "%", 30, true},
		{"48U", "U", 48, true},
		{"-5 C", " C", -5, true},
		{"1e3 W", " W", 1000, true},
		{"0.65 CNY/kWh", " CNY/kWh", 0.65, true},
		{"3.8 per 1000 node-days", " per 1000 node-days", 3.8, true},
		{"dgx-h100", "", 0, false},
		{"", "", 0, false},
		{"N+1", "", 0, false},
		{"NaN", "", 0, false},
	} {
		x, unit, ok := SplitNumber(c.text)
		if ok != c.ok || ok && (x != c.x || unit != c.unit) {
			t.Errorf("%q: %g, %q, %v", c.text, x, unit, ok)
		}
	}
}
