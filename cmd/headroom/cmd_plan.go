package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"headroom/plots/document"
	"headroom/plots/report"
	"headroom/plots/workbook"
	"headroom/scenarios"
	"headroom/sim"
)

var planCommand = command{
	name:  "plan",
	args:  "FILE",
	short: "placement only: what fits, what binds, failover, stranded",
	long: `Places the scenario's servers and simulates nothing: how many fit, what stops the next one in each rack and over
the site, what is stranded, what one loss leaves. With --out DIR it writes plan.md, plan.html, plan.xlsx, plan.txt,
plan.json, racks.csv, failover.csv, the charts fit, placement, elevation, cooling, oneline, waterfall, failover and
phase, and scenario.resolved.yaml.`,
	exits: []int{exitDone, exitFailed, exitUsage, exitBroken, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o planOptions
		o.result.add(flags)
		o.scenario.add(flags)
		flags.BoolVar(&o.pairs, "pairs", false, "also lose every two units together, the worst first")
		flags.BoolVar(&o.maintenance, "maintenance", false, "also take each shared component out for service, and lose another")
		flags.IntVar(&o.admit, "admit", 0, "also rank the upgrades that admit so many more servers")
		flags.BoolVar(&o.runway, "runway", false, "follow the plan section over time, until each resource runs out")
		return func(ctx context.Context, t *terminal, args []string) error { return runPlan(ctx, t, &o, args) }
	},
}

// planGCPercent lets memory grow further than usual before it is collected: nearly all that a plan makes lives until it
// is printed, and looking through it was an eighth of the work in large halls.
const planGCPercent = 400

type planOptions struct {
	scenario scenarioFlags
	result   resultFlags
	runway   bool

	pairs, maintenance bool
	admit              int
}

func runPlan(ctx context.Context, t *terminal, o *planOptions, args []string) error {
	defer debug.SetGCPercent(debug.SetGCPercent(planGCPercent))
	demands, err := o.result.check(o.scenario.flags)
	if err != nil {
		return err
	}
	for _, d := range demands {
		if !strings.HasPrefix(d.Key, "capacity.") {
			return usageError{
				text: fmt.Sprintf("--fail-on %q: a plan knows capacity only, not %s", d.Text, d.Key),
				hint: "run the scenario: headroom run",
			}
		}
	}
	sc, err := o.scenario.load(ctx, t, args)
	if err != nil {
		return err
	}
	if o.runway {
		return runRunway(ctx, t, o, sc)
	}
	layout, err := place(sc)
	if err != nil {
		return err
	}
	config, err := sc.Configure(layout)
	if err != nil { // a plan needs nothing of what happens: a scenario that cannot be run can still be planned
		config = sim.Config{ID: sc.ID(), Scenario: sc.Name(), Variant: sc.Variant()}
	}
	r := sim.Plan(layout, config)
	for _, w := range r.Run.Warnings {
		t.warn(w)
	}
	answer := newPlanAnswer(r)
	for _, note := range answer.more(layout, o) {
		t.warn(note)
	}
	if o.result.out != "" {
		out, err := openOutput(o.result.out)
		if err != nil {
			return err
		}
		defer out.discard()
		out.manifest = "plan.sha256"
		if err := writePlan(ctx, t, out, r, answer, sc, o.result.charts); err != nil {
			return err
		}
	}
	if err := printPlan(t, answer, o.result.format); err != nil {
		return err
	}
	return judgeAll(r, demands, o.result.strict)
}

// planCharts are the charts that need no run.
var planCharts = []string{"fit", "placement", "elevation", "cooling", "oneline", "waterfall", "failover", "phase"}

// writePlan stages the files of a plan and moves them into place. Their names differ from a run's, so that a plan
// is never taken for one.
func writePlan(ctx context.Context, t *terminal, out *output, r *sim.Result, answer planAnswer, sc *scenarios.Scenario, charts string) error {
	drawn := drawCharts(t, r, charts, planCharts)
	used, err := usedFigures(sc, r.Layout.Facility)
	if err != nil {
		return err
	}
	doc, err := report.Plan(r, report.Options{Charts: pictures(drawn, charts), Used: used})
	if err != nil {
		return err
	}
	files := []resultFile{
		{"plan.txt", func(w io.Writer) error { return planTable(w, answer) }},
		{"plan.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) }},
		{"plan.xlsx", func(w io.Writer) error { return workbook.Write(w, doc) }},
		{"plan.json", func(w io.Writer) error { return printJSON(w, answer) }},
		{"racks.csv", func(w io.Writer) error { return planCSV(w, answer) }},
		{"failover.csv", func(w io.Writer) error { return failoverCSV(w, &answer.Capacity, answer.Racks) }},
		resolvedFile(sc.Resolved),
	}
	files = append(files, chartFiles(drawn, charts)...)
	return writeAll(ctx, t, out, append(files, resultFile{"plan.html", func(w io.Writer) error { return document.WriteHTML(w, doc) }}))
}
