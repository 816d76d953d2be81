package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"headroom/plots"
	"headroom/plots/show"
	"headroom/scenarios"
	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

var studyCommand = command{
	name:  "study",
	args:  "FILE",
	short: "sweeps, replicates and searches; resumes; spreads over machines",
	long: `Makes the runs that the scenario's study section asks for: a grid (vary), samples, replicates until an interval is
narrow enough, a search (find), a front (pareto), or one input at a time (sensitivity). Finished runs are kept in a
store, a folder, under an id made of their inputs: the same command goes on where it was stopped, and several people
may use one store. With --out DIR it writes results.csv and results.parquet (one row a run), study.json, report.md,
report.html and charts; the store is DIR/store unless --store says otherwise.
headroom study first-study -o out
headroom study hall.yaml --shard 3/8 --store /shared/runs     one part of eight, for job arrays; then:
headroom study merge hall.yaml /shared/runs -o out`,
	exits: []int{exitDone, exitFailed, exitUsage, exitRunsFailed, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o studyOptions
		o.add(flags)
		flags.IntVarP(&o.workers, "workers", "j", 0, "run `N` at a time; as many as there are processors without it")
		flags.StringVar(&o.shard, "shard", "", "make part `I/N` of the runs only, I from 0; into --store, without tables")
		return func(ctx context.Context, t *terminal, args []string) error { return runStudy(ctx, t, &o, args) }
	},
}

// studyOptions are the flags of every command that knows a study.
type studyOptions struct {
	scenario scenarioFlags
	out      string
	store    string
	format   string
	charts   string
	yes      bool
	force    bool
	workers  int
	shard    string
}

func (o *studyOptions) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.out, "out", "o", "", "write the tables, the report and the charts into `DIR`")
	flags.StringVar(&o.store, "store", "", "keep finished runs in `DIR`, and take from there what is finished")
	flags.StringVar(&o.format, "format", "table", "`FORMAT` of what stdout gets: table, json, or csv with one row a run")
	flags.StringVar(&o.charts, "charts", "png", "`FORMAT` of the charts in --out: png, svg, pdf or none")
	flags.BoolVar(&o.yes, "yes", false, fmt.Sprintf("make more than %s runs without asking", show.Count(askAbove)))
	flags.BoolVar(&o.force, "force", false, "write into a folder that holds the results of a run, and replace its report")
	o.scenario.add(flags)
}

// runManifest lists what headroom run wrote into a folder.
const runManifest = "run.sha256"

// outFree refuses a folder whose report is that of a run.
func (o *studyOptions) outFree() error {
	if o.out == "" || o.force {
		return nil
	}
	if _, err := os.Stat(filepath.Join(o.out, runManifest)); err == nil {
		return usageError{
			text: fmt.Sprintf("--out %s: it holds the results of a run (%s), and a study would replace its report.html", o.out, runManifest),
			hint: "take another folder, or say --force",
		}
	}
	return nil
}

// askAbove is the number of runs above which --yes is wanted: a slip in a range must not cost a week.
const askAbove = 50_000

// studySetup is a study that was read and found right.
type studySetup struct {
	sc    *scenarios.Scenario
	base  *sweep.Base
	study *scenarios.Study
	name  string // of the file
	text  []byte
	key   string // what the store remembers it under
}

// load reads a study and tells everything that is wrong with it before anything runs.
func (o *studyOptions) load(ctx context.Context, t *terminal, args []string) (*studySetup, error) {
	if err := oneOf("format", o.format, "table", "json", "csv"); err != nil {
		return nil, err
	}
	if err := oneOf("charts", o.charts, append(plots.Formats(), "none")...); err != nil {
		return nil, err
	}
	if err := o.outFree(); err != nil {
		return nil, err
	}
	name, data, files, err := readScenario(ctx, t, args)
	if err != nil {
		return nil, err
	}
	source, options, err := o.scenario.parse(name, data, files)
	if err != nil {
		return nil, err
	}
	s := &studySetup{name: name, text: data, base: sweep.NewBase(source, options)}
	if s.sc, err = source.Load(options); err != nil {
		return nil, err
	}
	for _, w := range s.sc.Warnings() {
		t.warn(w.String())
	}
	var ok bool
	if s.study, ok = s.sc.Study(); !ok {
		return nil, usageError{text: name + ": the scenario has no study section", hint: "write, for example, study: {vary: [{path: \"racks[A].power\", values: [36 kW, 48 kW]}]}, or see headroom examples first-study"}
	}
	plan := sweep.NewPlan(s.study)
	if n := plan.MostRuns(); n > askAbove && !o.yes {
		line, col := s.sc.StudyPlace()
		return nil, scenarios.Problems{{
			File: name, Line: line, Col: col, Path: "study",
			Msg:  fmt.Sprintf("the study makes up to %s runs", show.Count(n)),
			Hint: "if that is meant, say --yes",
		}}
	}
	if err := checkStudy(s.base, s.study, plan); err != nil {
		return nil, err
	}
	resolved, err := s.sc.Resolved()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(resolved)
	s.key = hex.EncodeToString(sum[:12])
	return s, nil
}

// checkStudy tells what is wrong with the values of a study.
func checkStudy(base *sweep.Base, st *scenarios.Study, plan *sweep.Plan) error {
	for i := range st.Axes {
		if st.Axes[i].OfVariants() && base.Options.Variant != "" {
			return usageError{text: "--variant " + base.Options.Variant + ": the study varies the variant itself"}
		}
	}
	return base.Check(plan)
}

// openStore opens the store that the flags name, or one that is removed by the function returned.
func (o *studyOptions) openStore(t *terminal, key string) (*sweep.Store, func(), error) {
	dir, remove := o.store, func() {}
	switch {
	case dir != "":
	case o.out != "":
		dir = filepath.Join(o.out, "store")
	default:
		temp, err := os.MkdirTemp("", "headroom-study-")
		if err != nil {
			return nil, nil, err
		}
		dir, remove = temp, func() { _ = os.RemoveAll(temp) }
	}
	store, err := sweep.OpenStore(dir)
	if err != nil {
		remove()
		return nil, nil, usageError{text: "--store " + dir + ": " + err.Error()}
	}
	last, err := store.Begin(key)
	if err != nil {
		remove()
		return nil, nil, fmt.Errorf("store %s: %w", dir, err)
	}
	if last != "" && last != sim.ModelVersion {
		t.note("the model changed from %s to %s since this study was last run: its finished runs are made again", last, sim.ModelVersion)
	}
	return store, remove, nil
}

// new readies the study over a store.
func (s *studySetup) new(store *sweep.Store) *sweep.Study {
	return sweep.New(s.study, &sweep.Maker{Base: s.base, Store: store}, studyFigures(s.study))
}

// usualFigures are shown where a study states none.
var usualFigures = []string{
	"capacity.servers_placed", "compute.throughput_pflops", "thermal.throttled_share", "energy.pue", "energy.water_l", "energy.cost.amount",
}

func studyFigures(st *scenarios.Study) []string {
	if len(st.Figures) > 0 {
		return st.Figures
	}
	if len(st.SwingFigures) > 0 {
		return st.SwingFigures
	}
	return usualFigures
}

func runStudy(ctx context.Context, t *terminal, o *studyOptions, args []string) error {
	s, err := o.load(ctx, t, args)
	if err != nil {
		return err
	}
	shard, err := parseShard(o.shard)
	if err != nil {
		return err
	}
	if shard.N > 0 && o.store == "" {
		return usageError{text: "--shard needs --store: the runs of all shards come together there, or by headroom study merge"}
	}
	store, remove, err := o.openStore(t, s.key)
	if err != nil {
		return err
	}
	defer remove()
	st := s.new(store)
	if st.Shard = shard; shard.N > 0 && st.Decides() {
		return usageError{text: "--shard does not go with a search or a rule for when to stop: which runs they need is decided on the runs of all shards"}
	}
	workers := o.workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	st.Say = studyProgress(t)
	err = st.Local(ctx, workers)
	return finishStudy(ctx, t, o, s, st, err)
}

// finishStudy says what became of a study and writes what it found.
func finishStudy(ctx context.Context, t *terminal, o *studyOptions, s *studySetup, st *sweep.Study, err error) error {
	t.endProgress()
	kept := o.store != "" || o.out != ""
	var failed *sweep.FailedError
	if err != nil && !errors.As(err, &failed) {
		if kept && !o.scenario.flags.Changed("help") {
			t.note("%s finished and kept in %s; the same command goes on from there", show.Of(st.Count.Made+st.Count.Found, "run"), st.Maker.Store.Dir())
		}
		return err
	}
	sayCount(t, st)
	for _, line := range failedLines(st, s) {
		t.note("%s", line)
	}
	if st.Shard.N > 1 {
		t.note("part %d of %d is in %s; when all are: headroom study merge %s %s -o DIR", st.Shard.I, st.Shard.N, st.Maker.Store.Dir(), s.name, st.Maker.Store.Dir())
		return asError(failed)
	}
	a := newStudyAnswer(s, st)
	if o.out != "" {
		out, err := openOutput(o.out)
		if err != nil {
			return err
		}
		defer out.discard()
		if err := writeAll(ctx, t, out, a.files(o.charts)); err != nil {
			return err
		}
	}
	switch o.format {
	case "json":
		err = printJSON(t.stdout, a.json())
	case "csv":
		err = st.WriteCSV(t.stdout)
	default:
		err = a.table(t)
	}
	if err != nil {
		return err
	}
	return asError(failed)
}

func asError(f *sweep.FailedError) error {
	if f == nil {
		return nil
	}
	return f
}

// sayCount says what was made and what was there.
func sayCount(t *terminal, st *sweep.Study) {
	c := st.Count
	line := show.Of(c.Made, "run") + " made"
	if c.Found > 0 {
		line += fmt.Sprintf(", %s already in the store", show.Count(c.Found))
	}
	if c.Tries > 0 {
		line += fmt.Sprintf(", %s tried again", show.Count(c.Tries))
	}
	if c.Failed > 0 {
		line += fmt.Sprintf(", %s failed", show.Count(c.Failed))
	}
	if n := st.Maker.Store.Damaged.Load(); n > 0 {
		line += fmt.Sprintf("; %s in the store were not whole and were made again", show.Of(int(n), "run"))
	}
	if n := st.Maker.Store.Garbled.Load(); n > 0 {
		line += fmt.Sprintf("; parts of %s in the store are no runs", show.Of(int(n), "file"))
	}
	if n := st.Maker.Store.Other.Load(); n > 0 {
		line += fmt.Sprintf("; %s in the store had other keys and were made again", show.Of(int(n), "run"))
	}
	t.note("%s", line)
}

// failedShown bounds the failures that are printed; the table has all of them.
const failedShown = 10

// failedLines say of each failed run why, and how to make it alone.
func failedLines(st *sweep.Study, s *studySetup) []string {
	var lines []string
	more := 0
	for _, r := range st.Runs() {
		if r.Err == "" {
			continue
		}
		if len(lines) == 2*failedShown {
			more++
			continue
		}
		task := st.Plan.Task(r.Spot)
		cmd := "headroom run " + s.name
		if task.Variant != "" {
			cmd += " --variant " + task.Variant
		}
		for _, set := range append(s.base.Options.Set[:len(s.base.Options.Set):len(s.base.Options.Set)], task.Set...) {
			cmd += " --set " + shellQuote(set)
		}
		if r.ID != "" {
			cmd += " --seed " + strconv.FormatUint(r.Seed, 10)
		}
		lines = append(lines, fmt.Sprintf("failed: %s: %s", strings.Join(st.Plan.Values(r.Spot), ", "), r.Err), "  "+cmd)
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more; the column error of the table has them", more))
	}
	return lines
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// studyProgress draws how far a study is.
func studyProgress(t *terminal) func(sweep.Count) {
	begun := time.Now()
	var shown atomic.Int64
	return func(c sweep.Count) {
		now := time.Now()
		if !t.live || now.UnixNano()-shown.Load() < int64(clockEvery) {
			return
		}
		shown.Store(now.UnixNano())
		done := c.Made + c.Found + c.Failed
		line := fmt.Sprintf("%s of %s runs", show.Count(done), show.Count(max(c.Whole, c.Asked)))
		if c.Whole == 0 {
			line = show.Count(done) + " runs"
		}
		if passed := now.Sub(begun); c.Whole > 0 && c.Made > 0 && passed >= clockAfter {
			left := passed.Seconds() / float64(c.Made) * float64(c.Whole-done)
			line += ", about " + show.Seconds(left) + " left"
		}
		if c.Failed > 0 {
			line += fmt.Sprintf(", %d failed", c.Failed)
		}
		t.progress("%s", line)
	}
}

// parseShard reads I/N.
func parseShard(text string) (sweep.Shard, error) {
	if text == "" {
		return sweep.Shard{}, nil
	}
	a, b, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return sweep.Shard{}, usageError{text: fmt.Sprintf("--shard %q: want I/N with I from 0 to N−1, such as 0/8", text)}
	}
	return sweep.Shard{I: i, N: n}, nil
}
