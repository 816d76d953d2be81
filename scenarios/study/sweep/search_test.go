package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/scenarios"
	"headroom/sim"
)

// solve runs a search over an oracle that says at which places the conditions hold.
func solve(s *search, holds func(k int) bool) (tried int) {
	for !s.done() {
		refs := s.next(1)
		if len(refs) == 0 && !s.done() {
			panic("a search that waits for nothing")
		}
		for _, r := range refs {
			tried++
			r.ID = "x"
			r.Held = verdict{broken: !holds(r.Step)}
		}
	}
	return tried
}

// Halving lands on the one place where a monotone oracle changes, whichever way is looked for.
func TestSearchFindsTheOnlyChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &scenarios.Find{
			Largest: rapid.Bool().Draw(t, "largest"), Step: 1, Limits: true,
			Last: rapid.IntRange(1, 5000).Draw(t, "last"), Probes: rapid.IntRange(2, 12).Draw(t, "probes"),
		}
		edge := rapid.IntRange(-1, f.Last+1).Draw(t, "edge")
		holds := func(k int) bool { return k <= edge }
		want := min(edge, f.Last)
		if !f.Largest {
			holds = func(k int) bool { return k >= edge }
			want = max(edge, 0)
		}
		s := newSearch(f, 0, 1)
		tried := solve(s, holds)
		if s.answered != (want >= 0 && want <= f.Last) {
			t.Fatalf("answered %v, edge %d of %d", s.answered, edge, f.Last)
		}
		if s.answered && s.found != want {
			t.Fatalf("found %d, want %d", s.found, want)
		}
		if tried > mostProbes(f) {
			t.Fatalf("%d values tried, bound %d", tried, mostProbes(f))
		}
	})
}

// Where the oracle is not monotone the answer holds, its neighbour outward does not, and the note says so if it was seen.
func TestSearchOfAnyOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &scenarios.Find{Largest: rapid.Bool().Draw(t, "largest"), Step: 1, Limits: true, Last: rapid.IntRange(1, 400).Draw(t, "last"), Probes: rapid.IntRange(2, 12).Draw(t, "probes")}
		bits := rapid.SliceOfN(rapid.Bool(), f.Last+1, f.Last+1).Draw(t, "oracle")
		s := newSearch(f, 0, 1)
		if tried := solve(s, func(k int) bool { return bits[k] }); tried > mostProbes(f) {
			t.Fatalf("%d values tried, bound %d", tried, mostProbes(f))
		}
		if !s.answered {
			return
		}
		if !bits[s.found] {
			t.Fatalf("place %d does not hold", s.found)
		}
		next := s.found + 1
		if !f.Largest {
			next = s.found - 1
		}
		if next >= 0 && next <= f.Last && bits[next] {
			t.Fatalf("place %d is the answer and %d holds as well", s.found, next)
		}
	})
}

// The rack limit at which the fifth server fits is five times what one counts for: 10.2 kW, its nameplate.
func TestFindFifthServer(t *testing.T) {
	s := open(t, `study:
  find: {path: "racks[A].power", want: smallest, from: 40 kW, to: 60 kW, step: 0.1 kW, where: [servers_placed >= 10]}
`, t.TempDir(), "racks[A].air=60 kW", "racks[A].feeds.breaker=160 A", "cooling.air.units=6", "run.length=2 h")
	if err := s.Local(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	f := s.Findings()
	if len(f) != 1 || f[0].Value != "51 kW" {
		t.Fatalf("%+v", f)
	}
}

// The inlet at which the worst slot starts to throttle at rated airflow is about 40 °C; for each supply temperature the
// hottest inlet of the run is read as well.
func TestFindThrottlingInlet(t *testing.T) {
	s := open(t, `study:
  find: {path: cooling.air.supply, from: 20 C, to: 44 C, step: 0.25 K, limits: any, where: [thermal.throttled_share == 0]}
  figures: [thermal.inlet_c.max]
`, t.TempDir(), "cooling.server_fans=100%", "cooling.air.units=6", "cooling.air.airflow=12 m3/s", "workload[train].arrivals=400/day", "run.length=12 h", "run.warmup=6 h", "failures=")
	if err := s.Local(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	f := s.Findings()[0]
	if !f.Answered || !strings.Contains(f.Note, "changes once") {
		t.Fatalf("%+v", f)
	}
	for _, a := range s.Answers() {
		if a.Values[0] == f.Value {
			if inlet := a.Figures[0].Mean; math.Abs(inlet-40) > 1 {
				t.Errorf("the worst slot holds up to an inlet of %.2f °C, want about 40", inlet)
			}
		}
	}
}

// Searches and stopping rules need the same runs and give the same tables however many work.
func TestDecisionsDoNotDependOnWorkers(t *testing.T) {
	for name, text := range map[string]string{
		"until": "study:\n  replicates: {figure: energy.pue, width: 0.4%, min: 3, max: 20}\n  vary: [{path: cooling.air.supply, values: [20 C, 26 C]}]\n",
		"find":  "study:\n  replicates: 3\n  find: {path: cooling.air.supply, from: 18 C, to: 30 C, step: 0.5 K, limits: any, where: [energy.pue < 1.75]}\n  vary: [{path: \"racks[A].power\", values: [20 kW, 30 kW]}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			var first []byte
			for _, workers := range []int{1, 8} {
				s := open(t, text, t.TempDir())
				if err := s.Local(context.Background(), workers); err != nil {
					t.Fatal(err)
				}
				csv, _ := tables(t, s)
				if first == nil {
					first = csv
					t.Logf("%d runs", len(s.Runs()))
				} else if !bytes.Equal(first, csv) {
					t.Error("tables of 1 and 8 workers differ")
				}
			}
		})
	}
}

// The rule stops at the first prefix that is narrow enough, whatever else has been made.
func TestUntilStopsOnPrefixes(t *testing.T) {
	rule := &scenarios.Replicates{Min: 3, Max: 9, Figure: "x", Width: 1}
	values := []float64{1, 9, 1, 5, 5, 5, 5, 5, 5}
	want := 9
	for n := rule.Min; n <= rule.Max; n++ {
		if _, half := interval(values[:n]); 2*half <= rule.Width {
			want = n
			break
		}
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1, 0}, {4, 2, 0, 1, 3, 8, 6, 7, 5}} {
		u := &until{rule: rule}
		for range 9 {
			u.next(9)
		}
		for _, i := range order {
			u.refs[i].ID, u.refs[i].Numbers = "x", []float64{values[i]}
			u.judge()
		}
		if len(u.rows()) != want {
			t.Errorf("order %v: %d replicates, want %d", order, len(u.rows()), want)
		}
	}
}

// Each stratum of each input holds one sample, and adding an input moves no other.
func TestHypercube(t *testing.T) {
	one := scenarios.Sampled{Name: "a", Path: "a", Kind: "uniform", A: 0, B: 100, Unit: " W"}
	two := scenarios.Sampled{Name: "b", Path: "b", Kind: "lognormal", A: 4, B: 12, Unit: " h"}
	words := scenarios.Sampled{Name: "c", Path: "c", Kind: "words", Words: []string{"x", "y"}}
	s := &scenarios.Sample{Runs: 50, Seed: 3, Over: []scenarios.Sampled{one}}
	first := hypercube(s)[0]
	s.Over = append(s.Over, two, words)
	all := hypercube(s)
	if !slices.Equal(first, all[0]) {
		t.Error("another input moved the samples of the first")
	}
	seen := map[int]bool{}
	for _, v := range first {
		x, unit, ok := scenarios.SplitNumber(v)
		if !ok || unit != " W" {
			t.Fatal(v)
		}
		seen[int(x/2)] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 strata", len(seen))
	}
	below, above, xs := 0, 0, 0
	for i := range 50 {
		h, _, _ := scenarios.SplitNumber(all[1][i])
		if h < 4 {
			below++
		}
		if h > 12 {
			above++
		}
		if all[2][i] == "x" {
			xs++
		}
	}
	if below != 25 || above < 2 || above > 3 || xs != 25 {
		t.Errorf("log-normal: %d below the median, %d above p95; %d of one word", below, above, xs)
	}
}

// A failing run is tried again, reported, and does not sink the study; the others are there.
func TestFailedRuns(t *testing.T) {
	s := open(t, "study:\n  vary: [{path: \"racks[A].power\", values: [20 kW, 30 kW]}, {path: run.length, values: [1 d, 2 d]}]\n  retries: 1\n", t.TempDir())
	tries := 0
	err := s.in(context.Background(), 1, func(ctx context.Context, j Job) Outcome {
		if j.Task.Set[0] == "racks[A].power=30 kW" && j.Task.Set[1] == "run.length=1 d" {
			tries++
			return Outcome{Job: j, Err: "no luck"}
		}
		return s.Maker.Base.Make(ctx, j)
	})
	var failed *FailedError
	if !errors.As(err, &failed) || failed.Failed != 1 || failed.Runs != 4 || tries != 2 {
		t.Fatalf("%v after %d tries", err, tries)
	}
	csv, _ := tables(t, s)
	lines := strings.Split(strings.TrimSpace(string(csv)), "\n")
	if len(lines) != 5 || !strings.HasSuffix(lines[3], ",no luck") {
		t.Errorf("%d lines; %s", len(lines), lines[3][:80])
	}
}

// A row comes back from the store as it went in, and is what a run by itself gives.
func TestStoreKeepsRows(t *testing.T) {
	s := open(t, gridStudy, t.TempDir())
	task := s.Plan.Task(Spot{Point: 4})
	task.Replicate = 1
	row, err := s.Maker.Base.Run(context.Background(), &task)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(2)
	sc, err := s.Maker.Base.Source.LoadRun(scenarios.Options{Set: task.Set, Seed: &seed})
	if err != nil {
		t.Fatal(err)
	}
	if sc.ID() != row.ID {
		t.Errorf("id %s, the scenario's is %s", row.ID, sc.ID())
	}
	store := s.Maker.Store
	if n, err := store.Put(&row); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	back, ok, err := store.Get(row.ID)
	if err != nil || !ok || !slices.Equal(back.Values, row.Values) {
		t.Fatalf("came back otherwise: %v %v", ok, err)
	}
	if got := row.Number("energy.pue"); !(got > 1) || row.Number("capacity.servers_placed") != 4 {
		t.Errorf("PUE %g", got)
	}
	if all := row.Numbers("capacity.failover.worst_load_share"); len(all) < 2 {
		t.Errorf("failover %v", all)
	}
	if last, err := store.Begin("k"); err != nil || last != "" {
		t.Errorf("%q %v", last, err)
	}
	if last, err := store.Begin("k"); err != nil || last != sim.ModelVersion {
		t.Errorf("%q %v", last, err)
	}
}

// Two studies at work on one store make each run once.
func TestTwoOnOneStore(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, gridStudy, dir), open(t, gridStudy, dir)
	errs := make(chan error, 2)
	for _, s := range []*Study{a, b} {
		go func() { errs <- s.Local(context.Background(), 2) }()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if made := a.Count.Made + b.Count.Made; made != 18 {
		t.Errorf("%d runs made, want 18: %+v %+v", made, a.Count, b.Count)
	}
	ca, pa := tables(t, a)
	cb, pb := tables(t, b)
	if !bytes.Equal(ca, cb) || !bytes.Equal(pa, pb) {
		t.Error("the two tables differ")
	}
	if len(a.Maker.Store.claimed)+len(b.Maker.Store.claimed) > 0 {
		t.Error("claims are left")
	}
}

// A study that is interrupted goes on where it stood.
func TestInterruptAndResume(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	s := open(t, gridStudy, dir)
	s.Say = func(c Count) {
		if c.Made == 5 {
			stop()
		}
	}
	if err := s.Local(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	again := open(t, gridStudy, dir)
	if err := again.Local(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	if again.Count.Found < 5 || again.Count.Found+again.Count.Made != 18 {
		t.Errorf("%+v", again.Count)
	}
}

// A store that cannot be written ends the study; what was finished stays and it goes on from there.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, gridStudy, dir)
	broken := errors.New("no space left on device")
	s.Maker.Store.full = func(n int) error {
		if n > 7 {
			return broken
		}
		return nil
	}
	if err := s.Local(context.Background(), 2); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "runs", newFilePrefix+"*"))
	if len(left) > 0 {
		t.Errorf("half-written files are left: %v", left)
	}
	again := open(t, gridStudy, dir)
	if err := again.Local(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	if again.Count.Found != 7 || again.Count.Made != 11 {
		t.Errorf("%+v", again.Count)
	}
}

// A front is what no other point beats.
func TestFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "points")
		s := &Study{Plan: &Plan{Study: &scenarios.Study{Goals: []scenarios.Goal{{Figure: "a"}, {Figure: "b", Most: true}}}}, Wanted: []string{"a", "b"}}
		points := make([]PointAnswer, n)
		for i := range points {
			points[i].Figures = []Estimate{{Mean: float64(rapid.IntRange(0, 9).Draw(t, "a"))}, {Mean: float64(rapid.IntRange(0, 9).Draw(t, "b"))}}
		}
		front := s.Front(points)
		for i := range points {
			beaten := false
			for j := range points {
				a, b := points[j].Figures, points[i].Figures
				beaten = beaten || a[0].Mean <= b[0].Mean && a[1].Mean >= b[1].Mean && (a[0].Mean < b[0].Mean || a[1].Mean > b[1].Mean)
			}
			if slices.Contains(front, i) == beaten {
				t.Fatalf("point %d: beaten %v, front %v", i, beaten, front)
			}
		}
	})
}

// One input at a time, paired: swings of an input that does nothing are exactly 0.
func TestTornado(t *testing.T) {
	s := open(t, `study:
  replicates: 2
  sensitivity:
    figures: [energy.pue]
    over:
      - {path: site.carbon, low: 0.1 kg/kWh, high: 0.9 kg/kWh}
      - {path: cooling.air.supply, low: 20 C, high: 28 C}
`, t.TempDir())
	if err := s.Local(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	list := s.Tornado("energy.pue")
	if len(list) != 2 || list[0].Name != "cooling.air.supply" || list[1].LargestEffect != 0 || !(list[0].ChangeLow > 0) || !(list[0].ChangeHi < 0) {
		t.Errorf("%+v", list)
	}
	if got := fmt.Sprint(s.Plan.Values(Spot{Point: 4})); got != "[ 28 C]" {
		t.Errorf("values %s", got)
	}
}

// What cannot work is told with the place of the value, before anything runs.
// A scenario that can be placed and not run makes no study: it is refused before ten thousand runs fail.
func TestCheckOfPlanOnly(t *testing.T) {
	const text = `version: 1
site: {climate: shanghai}
racks: [{row: A, count: 2, height: 48U, power: 48 kW}]
servers: [{model: dgx-h100, count: 2}]
study: {vary: [{path: "racks[A].power", values: [36 kW, 48 kW]}]}
`
	src, err := scenarios.Parse("plan.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := src.Load(scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st, _ := sc.Study()
	err = NewBase(src, scenarios.Options{}).Check(NewPlan(st))
	if err == nil || !strings.Contains(err.Error(), "plan.yaml:1:1: power: a run needs a power section") {
		t.Errorf("%v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ study, want string }{
		{"vary: [{path: \"racks[A].pwoer\", values: [1 kW]}]", "tiny.yaml:21:44: racks[A].pwoer: unknown key"},
		{"vary: [{path: \"racks[B].power\", values: [1 kW]}]", "tiny.yaml:21:44: racks[B]: no such element"},
		{"vary: [{path: \"racks[A].power\", values: [20 kW, 1 bar]}]", "tiny.yaml:21:51: racks[A].power: "},
		{"sample: {runs: 40, over: [{path: cooling.air.supply, from: 18 W, to: 27 W}]}", "cooling.air.supply: "},
		{"find: {path: site.nothing, from: 1, to: 2, step: 0.5}", "site.nothing: unknown key"},
		{"sensitivity: {figures: [pue], over: [{path: run.tolerance, low: 0.1 K, high: 9 K}]}", "run.tolerance: out of range"},
	} {
		src, err := scenarios.Parse("tiny.yaml", []byte(tiny+"study:\n  "+c.study+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := src.Load(scenarios.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.study, err)
			continue
		}
		st, _ := sc.Study()
		err = NewBase(src, scenarios.Options{}).Check(NewPlan(st))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.study, err, c.want)
		}
	}
}
