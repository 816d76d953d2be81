package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/report"
	"headroom/scenarios"
	"headroom/scenarios/study"
	"headroom/sim"
)

var compareCommand = command{
	name:  "compare",
	args:  "FILE...",
	short: "variants or files side by side, paired, with what changed",
	long: `Sets the variants of one file, or several files, side by side: what changed in the inputs, every figure with its
difference from the first, a verdict on every limit. All run on the same random streams. --seeds N repeats each run
with N seeds and gives every difference a 95 % interval over the pairs. --plan places and simulates nothing.
With --out DIR it writes compare.md, compare.html, compare.json, compare.csv and charts/whatif.png,
and charts/caps.png where a side differs from the first in the cap on its servers alone.
headroom compare first-hall -o out
headroom compare first-hall --base liquid-48 --variant liquid-78 --seeds 5`,
	exits: []int{exitDone, exitFailed, exitUsage, exitBroken, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o compareOptions
		o.flags = flags
		flags.StringSliceVar(&o.variants, "variant", nil, "`NAMES` of the variants to compare, by commas; all without it")
		flags.StringVar(&o.base, "base", "", "`NAME` of the variant that the others are held against; the file itself without it")
		flags.IntVar(&o.seeds, "seeds", 1, "run each with `N` seeds, one after the other from the first")
		flags.BoolVar(&o.plan, "plan", false, "place only: nothing is simulated")
		flags.IntVarP(&o.workers, "workers", "j", 0, "run `N` at a time; as many as there are processors without it")
		o.result.add(flags)
		flags.StringArrayVar(&o.set, "set", nil, "change one value in all of them, `PATH=VALUE`; may be repeated")
		addCatalogFlag(flags, &o.catalog)
		flags.Uint64Var(&o.seed, "seed", 0, "first random seed `N`, in place of run.seed of the first")
		return func(ctx context.Context, t *terminal, args []string) error { return runCompare(ctx, t, &o, args) }
	},
}

type compareOptions struct {
	flags    *pflag.FlagSet
	variants []string
	base     string
	seeds    int
	plan     bool
	workers  int
	set      []string
	catalog  string
	seed     uint64
	result   resultFlags
}

// mostSeeds bounds --seeds; mostSides how many can stand beside each other.
const (
	mostSeeds = 1000
	mostSides = 40
)

// side is one of what is compared: a scenario as it is loaded for a seed.
type side struct {
	name    string // among the others: a variant's or a file's
	file    string
	data    []byte
	files   fs.FS
	variant string
	set     []string
	entries []scenarios.CatalogFile

	sc *scenarios.Scenario // with the first seed
}

func (s *side) load(seed *uint64) (*scenarios.Scenario, error) {
	return scenarios.Load(s.file, s.data, scenarios.Options{Set: s.set, Variant: s.variant, Seed: seed, FS: s.files, Catalogs: s.entries})
}

func runCompare(ctx context.Context, t *terminal, o *compareOptions, args []string) error {
	demands, err := o.result.check(o.flags)
	if err != nil {
		return err
	}
	switch {
	case o.seeds < 1 || o.seeds > mostSeeds:
		return usageError{text: fmt.Sprintf("--seeds %d: want 1 to %d", o.seeds, mostSeeds)}
	case o.workers < 0:
		return usageError{text: fmt.Sprintf("--workers %d: want 1 or more", o.workers)}
	case o.plan && o.seeds > 1:
		return usageError{text: "--seeds does not go with --plan: a placement draws nothing at random"}
	}
	sides, err := o.sides(ctx, t, args)
	if err != nil {
		return err
	}
	first, err := o.loadAll(t, sides)
	if err != nil {
		return err
	}
	var out *output
	if o.result.out != "" {
		if out, err = openOutput(o.result.out); err != nil {
			return err
		}
		defer out.discard()
	}
	results, err := o.runAll(ctx, t, sides, first, demands)
	if err != nil {
		return err
	}
	a := newCompareAnswer(sides, results, first, o.plan)
	if out != nil {
		if err := writeAll(ctx, t, out, a.files(o.result.charts)); err != nil {
			return err
		}
	}
	t.endProgress()
	switch o.result.format {
	case "json":
		err = printJSON(t.stdout, a)
	case "csv":
		err = a.csv(t.stdout)
	default:
		err = a.table(t)
	}
	if err != nil {
		return err
	}
	var broken brokenError
	for i := range sides {
		for k := range results[i] {
			for _, line := range results[i][k].broken {
				broken = append(broken, fmt.Sprintf("%s, seed %d: %s", sides[i].name, first+uint64(k), line))
			}
		}
	}
	if broken != nil {
		return broken
	}
	return nil
}

// sides lists what is compared, the base first.
func (o *compareOptions) sides(ctx context.Context, t *terminal, args []string) ([]*side, error) {
	if len(args) == 0 {
		_, _, _, err := readScenario(ctx, t, args)
		return nil, err
	}
	entries, err := catalogFiles(o.catalog)
	if err != nil {
		return nil, err
	}
	var list []*side
	for i, arg := range args {
		if slices.Contains(args[:i], arg) {
			return nil, usageError{text: arg + " stands twice"}
		}
		file, data, files, err := readScenario(ctx, t, []string{arg})
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(arg), ".yaml"), ".yml")
		if slices.ContainsFunc(list, func(s *side) bool { return s.name == name }) {
			name = arg
		}
		list = append(list, &side{name: name, file: file, data: data, files: files, set: o.set, entries: entries})
	}
	if len(list) > 1 {
		if o.base != "" || len(o.variants) > 0 {
			return nil, usageError{text: "--variant and --base go with one file", hint: "print a variant as a file of its own: headroom check FILE --variant NAME --resolved"}
		}
		return list, nil
	}
	return o.variantSides(list[0])
}

// variantSides are the base and the variants of one file.
func (o *compareOptions) variantSides(only *side) ([]*side, error) {
	sc, err := only.load(nil)
	if err != nil {
		return nil, err
	}
	all := append([]string{""}, sc.Variants()...)
	if len(all) == 1 {
		return nil, usageError{
			text: only.name + " has no variants, and nothing else is given to compare it with",
			hint: "state variants in the file, or give several files: headroom compare a.yaml b.yaml",
		}
	}
	find := func(flag, name string) (string, error) {
		if name == scenarios.BaseName && !slices.Contains(all, name) {
			return "", nil
		}
		i, err := pick("variant", name, all[1:])
		if err != nil {
			var u usageError
			errors.As(err, &u)
			u.text = flag + ": " + u.text
			return "", u
		}
		return all[i+1], nil
	}
	base := ""
	if o.base != "" {
		if base, err = find("--base", o.base); err != nil {
			return nil, err
		}
	}
	names := []string{base}
	picked := all
	if len(o.variants) > 0 {
		picked = nil
		for _, v := range o.variants {
			name, err := find("--variant", strings.TrimSpace(v))
			if err != nil {
				return nil, err
			}
			picked = append(picked, name)
		}
	}
	for _, v := range picked {
		if !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	if len(names) < 2 {
		return nil, usageError{text: "want at least two to compare"}
	}
	if len(names) > mostSides {
		return nil, usageError{text: fmt.Sprintf("%d variants: at most %d stand side by side; pick with --variant", len(names), mostSides)}
	}
	var list []*side
	for _, v := range names {
		s := *only
		s.name, s.variant = v, v
		if v == "" {
			s.name = scenarios.BaseName
		}
		list = append(list, &s)
	}
	return list, nil
}

// loadAll reads every side with the first seed, which is returned: the base's own where none is asked for. All
// problems of all of them come at once.
func (o *compareOptions) loadAll(t *terminal, sides []*side) (seed uint64, err error) {
	var problems scenarios.Problems
	at := &o.seed
	if !o.flags.Changed("seed") {
		at = nil
	}
	for _, s := range sides {
		s.sc, err = s.load(at)
		var p scenarios.Problems
		switch {
		case errors.As(err, &p):
			for _, x := range p {
				if !slices.Contains(problems, x) {
					problems = append(problems, x)
				}
			}
			continue
		case err != nil:
			return 0, err
		}
		for _, w := range s.sc.Warnings() {
			if !t.said[w.String()] { // what all of them share is said once
				t.warn(s.name + ": " + w.String())
				t.said[w.String()] = true
			}
		}
		if at == nil {
			seed := s.sc.Seed()
			at = &seed
		}
	}
	if problems != nil {
		return 0, problems
	}
	return *at, nil
}

// compared is one result as a comparison keeps it.
type compared struct {
	*sim.Result
	verdicts []report.Verdict
	broken   brokenError // what --strict and --fail-on say
}

// runAll runs every side with every seed. What a series takes is kept of the first seed alone.
func (o *compareOptions) runAll(ctx context.Context, t *terminal, sides []*side, first uint64, demands []demand) ([][]compared, error) {
	workers := o.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	results := make([][]compared, len(sides))
	for i := range results {
		results[i] = make([]compared, o.seeds)
	}
	clock := t.startClock("simulating", len(sides)*o.seeds)
	errs := study.Many(ctx, len(sides)*o.seeds, workers, func(ctx context.Context, n int) error {
		i, k := n/o.seeds, n%o.seeds
		seed := first + uint64(k)
		sc, err := sides[i].load(&seed)
		if err != nil {
			return err
		}
		_, length := sc.Period()
		r, err := study.Once(ctx, sc, o.plan, clock.part(n, length))
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", sides[i].name, seed, err)
		}
		clock.done(n)
		c := compared{Result: r, verdicts: report.Limits(r)}
		errors.As(judgeAll(r, demands, o.result.strict), &c.broken)
		if k > 0 {
			r.Series, r.Events, r.Racks = nil, nil, nil
		}
		results[i][k] = c
		return nil
	})
	t.endProgress()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// files are what --out gets.
func (a *compareAnswer) files(charts string) []resultFile {
	list := []resultFile{
		{"compare.json", func(w io.Writer) error { return printJSON(w, a) }},
		{"compare.csv", a.csv},
		{"compare.md", func(w io.Writer) error { return document.WriteMarkdown(w, a.report(charts)) }},
		{"compare.html", func(w io.Writer) error { return document.WriteHTML(w, a.report(charts)) }},
	}
	if charts != "none" {
		list = append(list, resultFile{"charts/whatif." + charts, func(w io.Writer) error { return plots.DrawWhatIf(a.chart(), charts, w) }})
		if caps := a.caps(); caps != nil {
			list = append(list, resultFile{"charts/caps." + charts, func(w io.Writer) error { return plots.DrawCaps(caps, charts, w) }})
		}
	}
	return list
}
