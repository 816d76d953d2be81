package main

import (
	"context"

	"github.com/spf13/pflag"

	"headroom/scenarios"
)

var schemaCommand = command{
	name:  "schema",
	short: "JSON Schema of the scenario file",
	long: `Prints the JSON Schema (draft-07) of the scenario file. Editors complete from it when the file's first line is
# yaml-language-server: $schema=scenario.schema.json`,
	exits: []int{exitDone, exitFailed, exitUsage},
	setup: func(*pflag.FlagSet) func(context.Context, *terminal, []string) error { return runSchema },
}

func runSchema(_ context.Context, t *terminal, args []string) error {
	if len(args) > 0 {
		return usageError{text: "schema takes no arguments"}
	}
	data, err := scenarios.Schema()
	if err == nil {
		_, err = t.stdout.Write(data)
	}
	return err
}
