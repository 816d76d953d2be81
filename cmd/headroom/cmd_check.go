package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"headroom/plots/show"
	"headroom/scenarios"
	"headroom/scenarios/study/sweep"
)

var checkCommand = command{
	name:  "check",
	args:  "FILE",
	short: "is the file right; --resolved prints it with every default",
	long: `Reads the scenario and everything it names, and prints every problem with file, line, column and the nearest right
word, and every warning; every value that a study section will try is checked, and nothing is run. --resolved prints the
file with its short forms expanded and its defaults filled in; the output is a scenario file itself.`,
	exits: []int{exitDone, exitUsage, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o checkOptions
		flags.BoolVar(&o.resolved, "resolved", false, "print the file with defaults")
		flags.StringVar(&o.format, "format", "table", "`FORMAT` of what stdout gets: table or json")
		o.scenario.add(flags)
		return func(ctx context.Context, t *terminal, args []string) error { return runCheck(ctx, t, &o, args) }
	},
}

type checkOptions struct {
	scenario scenarioFlags
	resolved bool
	format   string
}

func runCheck(ctx context.Context, t *terminal, o *checkOptions, args []string) error {
	if err := oneOf("format", o.format, "table", "json"); err != nil {
		return err
	}
	source, options, err := o.scenario.source(ctx, t, args)
	var sc *scenarios.Scenario
	if err == nil {
		if sc, err = source.Load(options); err == nil {
			sayWarnings(t, sc)
			_, _, err = prepare(sc)
		}
	}
	asks := ""
	if err == nil {
		asks, err = studyAsks(sweep.NewBase(source, options), sc)
	}
	if o.format == "json" {
		return printCheckJSON(t, sc, err)
	}
	if err != nil {
		return err
	}
	if o.resolved {
		data, err := sc.Resolved()
		if err != nil {
			return err
		}
		_, err = t.stdout.Write(data)
		return err
	}
	_, err = fmt.Fprintf(t.stdout, "%s: no problems, %d warnings%s\n", args[0], len(sc.Warnings()), asks)
	return err
}

// studyAsks checks what a study section will run, value by value, and says how many runs it asks for. Nothing is run.
func studyAsks(base *sweep.Base, sc *scenarios.Scenario) (string, error) {
	st, ok := sc.Study()
	if !ok {
		return "", nil
	}
	plan := sweep.NewPlan(st)
	if err := checkStudy(base, st, plan); err != nil {
		return "", err
	}
	n := plan.MostRuns()
	asks := fmt.Sprintf("; the study makes up to %s", show.Of(n, "run"))
	if n > askAbove {
		asks += ", for which headroom study wants --yes"
	}
	return asks, nil
}

// problemJSON is one problem or warning, for editors and pipelines.
type problemJSON struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Path string `json:"path"`
	Msg  string `json:"message"`
	Hint string `json:"hint"`
}

// printCheckJSON prints problems as data; err is still the command's outcome.
func printCheckJSON(t *terminal, sc *scenarios.Scenario, err error) error {
	answer := struct {
		FormatVersion int           `json:"format_version"`
		Problems      []problemJSON `json:"problems"`
		Warnings      []problemJSON `json:"warnings"`
	}{1, []problemJSON{}, []problemJSON{}}
	var problems scenarios.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	for _, p := range problems {
		answer.Problems = append(answer.Problems, problemJSON(p))
	}
	if sc != nil {
		for _, p := range sc.Warnings() {
			answer.Warnings = append(answer.Warnings, problemJSON(p))
		}
	}
	return errors.Join(err, printJSON(t.stdout, answer))
}
