package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"

	"headroom/sim"
)

var versionCommand = command{
	name:  "version",
	short: "program, model and result format versions",
	long: "Prints the program's version, the version of its model (the same input gives other numbers when it\n" +
		"changes) and the version of result.json.",
	exits: []int{exitDone, exitUsage},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		format := flags.String("format", "table", "`FORMAT` of what stdout gets: table or json")
		return func(_ context.Context, t *terminal, args []string) error { return runVersion(t, *format, args) }
	},
}

func runVersion(t *terminal, format string, args []string) error {
	if err := oneOf("format", format, "table", "json"); err != nil {
		return err
	}
	if len(args) > 0 {
		return usageError{text: "version takes no arguments"}
	}
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	if format == "json" {
		return printJSON(t.stdout, map[string]any{
			"version": version, "model": sim.ModelVersion, "format_version": sim.FormatVersion, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(t.stdout, "headroom %s, model %s, result format %d, %s %s/%s\n",
		version, sim.ModelVersion, sim.FormatVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
