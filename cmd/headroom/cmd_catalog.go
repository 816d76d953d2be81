package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"headroom/facility/units"
)

var catalogCommand = command{
	name:  "catalog",
	args:  "[KIND [NAME]]",
	short: "what is built in, every figure with source and grade",
	long: `Without arguments lists everything that is built in, by kind. KIND lists one kind; KIND NAME shows one entry with
unit, grade and source of every figure. Grades, best first: measured, datasheet, derived, recalled, assumed.`,
	exits: []int{exitDone, exitFailed, exitUsage},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		format := flags.String("format", "table", "`FORMAT` of what stdout gets: table, json or csv")
		return func(_ context.Context, t *terminal, args []string) error { return runCatalog(t, *format, args) }
	},
}

func runCatalog(t *terminal, format string, args []string) error {
	if err := oneOf("format", format, "table", "json", "csv"); err != nil {
		return err
	}
	if len(args) > 2 {
		return usageError{text: fmt.Sprintf("want a kind and a name, got %d arguments", len(args))}
	}
	all, err := catalogKinds()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return printEntries(t.screen(), all, format)
	}
	var kinds []string
	for _, k := range all {
		kinds = append(kinds, k.Kind)
	}
	i, err := pick("kind", args[0], kinds)
	if err != nil {
		return err
	}
	kind := all[i]
	if len(args) == 1 {
		return printEntries(t.screen(), []catalogKind{kind}, format)
	}
	var names []string
	for _, e := range kind.Entries {
		names = append(names, e.Name)
	}
	if i, err = pick("entry among the "+kind.Kind, args[1], names); err != nil {
		return err
	}
	return printEntry(t.screen(), kind.Kind, kind.Entries[i], format)
}

// pick finds a name, whatever its case, or says which one was probably meant.
func pick(what, name string, among []string) (int, error) {
	if i := slices.IndexFunc(among, func(a string) bool { return strings.EqualFold(a, name) }); i >= 0 {
		return i, nil
	}
	err := usageError{text: fmt.Sprintf("no %s is called %q", what, name), hint: "there are " + strings.Join(among, ", ")}
	if best, ok := units.Nearest(name, among); ok {
		err.hint = fmt.Sprintf("did you mean %q?", best)
	}
	return 0, err
}

func printEntries(w io.Writer, kinds []catalogKind, format string) error {
	switch format {
	case "json":
		return printJSON(w, kinds)
	case "csv":
		c := csv.NewWriter(w)
		_ = c.Write([]string{"kind", "name", "field", "value", "unit", "grade", "source"})
		for _, k := range kinds {
			for _, e := range k.Entries {
				writeFigures(c, k.Kind, e)
			}
		}
		c.Flush()
		return c.Error()
	}
	tw := newTabs(w)
	fmt.Fprintln(tw, "kind\tname\ttitle")
	for _, k := range kinds {
		for _, e := range k.Entries {
			fmt.Fprintf(tw, "%s\t%s\t%s\n", k.Kind, e.Name, e.Title)
		}
	}
	return tw.Flush()
}

func writeFigures(c *csv.Writer, kind string, e catalogEntry) {
	for _, f := range e.Figures {
		_ = c.Write([]string{kind, e.Name, f.Field, f.Value, f.Unit, f.Grade, f.Source})
	}
}

func printEntry(w io.Writer, kind string, e catalogEntry, format string) error {
	switch format {
	case "json":
		return printJSON(w, e)
	case "csv":
		return printEntries(w, []catalogKind{{kind, []catalogEntry{e}}}, format)
	}
	tw := newTabs(w)
	fmt.Fprintf(tw, "%s\n\nfield\tvalue\tunit\tgrade\tsource\n", strings.TrimSpace(e.Name+"  "+e.Title))
	for _, f := range e.Figures {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", f.Field, f.Value, f.Unit, f.Grade, f.Source)
	}
	return tw.Flush()
}
