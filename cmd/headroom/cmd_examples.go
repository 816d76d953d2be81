package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"headroom/facility/units"
	"headroom/scenarios"
)

var examplesCommand = command{
	name:  "examples",
	args:  "[NAME]",
	short: "lists or prints the embedded scenarios",
	long: `Lists the embedded scenarios with the question each answers, or prints one:
headroom examples first-hall >hall.yaml`,
	exits: []int{exitDone, exitFailed, exitUsage},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		format := flags.String("format", "table", "`FORMAT` of the list: table or json")
		return func(_ context.Context, t *terminal, args []string) error { return runExamples(t, *format, args) }
	},
}

func runExamples(t *terminal, format string, args []string) error {
	if err := oneOf("format", format, "table", "json"); err != nil {
		return err
	}
	switch len(args) {
	case 0:
		return listExamples(t.screen(), format)
	case 1:
		data, ok := scenarios.ExampleFile(args[0])
		if !ok {
			e := usageError{text: fmt.Sprintf("no example %q", args[0])}
			if best, ok := units.Nearest(args[0], exampleNames()); ok {
				e.hint = fmt.Sprintf("did you mean %q?", best)
			} else {
				e.hint = "examples: " + strings.Join(exampleNames(), ", ")
			}
			return e
		}
		_, err := t.stdout.Write(data)
		return err
	}
	return usageError{text: fmt.Sprintf("want at most one example, got %d", len(args))}
}

func listExamples(w io.Writer, format string) error {
	type example struct {
		Name     string `json:"name"`
		Question string `json:"question"`
	}
	var list []example
	for _, e := range scenarios.Examples() {
		list = append(list, example(e))
	}
	if format == "json" {
		return printJSON(w, list)
	}
	tw := newTabs(w)
	for _, e := range list {
		fmt.Fprintf(tw, "%s\t%s\n", e.Name, e.Question)
	}
	return tw.Flush()
}

func exampleNames() []string {
	var names []string
	for _, e := range scenarios.Examples() {
		names = append(names, e.Name)
	}
	return names
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
