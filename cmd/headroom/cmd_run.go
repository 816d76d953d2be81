package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"headroom/plots"
	"headroom/plots/report"
	"headroom/sim"
)

var runCommand = command{
	name:  "run",
	args:  "FILE",
	short: "the whole path: placement, simulation, report and charts",
	long: `Places the scenario's servers, simulates the work on them and prints a summary. With --out DIR it also writes
report.md, report.html, report.xlsx, result.json, series.csv, events.csv, racks.csv, charts and
scenario.resolved.yaml: all of them whole, or none; other files in DIR stay. --fail-on takes a key of result.json:
--fail-on 'pue>1.3' or --fail-on 'thermal.inlet_c.max>=32'; an unknown figure counts as come true.`,
	exits: []int{exitDone, exitFailed, exitUsage, exitBroken, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o runOptions
		o.add(flags)
		return func(ctx context.Context, t *terminal, args []string) error { return runRun(ctx, t, &o, args) }
	},
}

// resultFlags say what becomes of a result: run and plan share them.
type resultFlags struct {
	out    string
	format string
	charts string
	series string // csv, parquet or both: of run only
	strict bool
	failOn []string
}

func (r *resultFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&r.out, "out", "o", "", "write the report, the data and the charts into `DIR`")
	flags.StringVar(&r.format, "format", "table", "`FORMAT` of what stdout gets: table, json or csv")
	flags.StringVar(&r.charts, "charts", "png", "`FORMAT` of the charts in --out: png, svg, pdf or none")
	flags.BoolVar(&r.strict, "strict", false, "fail when a limit that the plan claims to hold is broken")
	flags.StringArrayVar(&r.failOn, "fail-on", nil, "fail when `'KEY>NUMBER'` comes true, such as 'pue>1.3'; may be repeated")
}

// check returns the parsed demands, or what is wrong with the flags.
func (r *resultFlags) check(flags *pflag.FlagSet) ([]demand, error) {
	if err := oneOf("format", r.format, "table", "json", "csv"); err != nil {
		return nil, err
	}
	if err := oneOf("charts", r.charts, append(plots.Formats(), "none")...); err != nil {
		return nil, err
	}
	if flags.Changed("out") && r.out == "" {
		return nil, usageError{text: "--out: want a folder"}
	}
	return parseDemands(r.failOn)
}

type runOptions struct {
	scenario scenarioFlags
	result   resultFlags
	check    bool
}

func (o *runOptions) add(flags *pflag.FlagSet) {
	o.result.add(flags)
	o.scenario.add(flags)
	flags.StringVar(&o.result.series, "series", "csv", "`FORMAT` of the series and events in --out: csv, parquet or both")
	flags.BoolVar(&o.check, "check", false, "check the invariants while running; a broken one is an error")
}

func runRun(ctx context.Context, t *terminal, o *runOptions, args []string) error {
	demands, err := o.result.check(o.scenario.flags)
	if err != nil {
		return err
	}
	if err := oneOf("series", o.result.series, "csv", "parquet", "both"); err != nil {
		return err
	}
	sc, err := o.scenario.load(ctx, t, args)
	if err != nil {
		return err
	}
	t.progress("placing servers")
	layout, config, err := prepare(sc)
	if err != nil {
		return err
	}
	config.Check = config.Check || o.check
	var out *output
	if o.result.out != "" {
		if out, err = openOutput(o.result.out); err != nil {
			return err
		}
		defer out.discard()
		out.manifest = runManifest
	}
	t.progress("simulating")
	config.Progress = t.startClock("simulating", 1).part(0, time.Duration(config.LengthNS))
	r, err := sim.Run(ctx, layout, config)
	if err != nil {
		return err
	}
	// The table does not show the loss of cooling, and in a large hall it takes seconds.
	if out != nil || o.result.format == "json" || len(demands) > 0 {
		t.progress("losing the cooling")
		if r.Ride, err = sim.Ride(ctx, layout, config); err != nil {
			return err
		}
	}
	for _, w := range r.Run.Warnings {
		t.warn(w)
	}
	if out != nil {
		if err := writeResult(ctx, t, out, r, sc, &o.result); err != nil {
			return err
		}
	}
	if err := printResult(t, r, o.result.format); err != nil {
		return err
	}
	return judgeAll(r, demands, o.result.strict)
}

// printResult writes the result to stdout.
func printResult(t *terminal, r *sim.Result, format string) error {
	t.endProgress()
	switch format {
	case "json":
		return report.JSON(t.stdout, r)
	case "csv":
		return report.SeriesCSV(t.stdout, r)
	}
	return report.Table(t.stdout, r, t.width())
}

// judgeAll is what --strict and --fail-on say about a result.
func judgeAll(r *sim.Result, demands []demand, strict bool) error {
	var broken brokenError
	if strict {
		broken = append(broken, r.BrokenLimits()...)
	}
	if broken = append(broken, judge(demands, r)...); len(broken) > 0 {
		return broken
	}
	return nil
}

// oneOf checks a flag's value against what it may be.
func oneOf(flag, value string, among ...string) error {
	for _, a := range among {
		if a == value {
			return nil
		}
	}
	return usageError{text: fmt.Sprintf("--%s %q: want %s", flag, value, strings.Join(among, ", "))}
}
