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
	exits: []int{exitDone},
	setup: func(*pflag.FlagSet) func(context.Context, *terminal, []string) error { return runVersion },
}

func runVersion(_ context.Context, t *terminal, _ []string) error {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(t.stdout, "headroom %s, model %s, result format %d, %s %s/%s\n",
		version, sim.ModelVersion, sim.FormatVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
