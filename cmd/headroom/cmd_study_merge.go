package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"headroom/plots/show"
	"headroom/scenarios/study/sweep"
)

var studyMergeCommand = command{
	name:  "study merge",
	args:  "FILE STORE...",
	short: "the tables of a study whose shards are done",
	long: `Gathers the finished runs of a study from the stores of its shards, or from the one they share, and writes what the
study would have written. It makes no run: those that are missing are counted, and it fails. With more than one store
the runs are copied into --store, or DIR/store of --out.
headroom study merge hall.yaml part0 part1 part2 -o out`,
	exits: []int{exitDone, exitFailed, exitUsage, exitRunsFailed, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o studyOptions
		o.add(flags)
		return func(ctx context.Context, t *terminal, args []string) error { return runStudyMerge(ctx, t, &o, args) }
	},
}

func runStudyMerge(ctx context.Context, t *terminal, o *studyOptions, args []string) error {
	if len(args) < 2 {
		return usageError{text: fmt.Sprintf("want a scenario file and at least one store, got %s", show.Of(len(args), "argument"))}
	}
	s, err := o.load(ctx, t, args[:1])
	if err != nil {
		return err
	}
	stores := args[1:]
	for _, dir := range stores {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return usageError{text: "there is no store " + dir}
		}
	}
	if len(stores) == 1 && o.store == "" {
		o.store = stores[0]
	}
	store, remove, err := o.openStore(t, s.key)
	if err != nil {
		return err
	}
	defer remove()
	for _, dir := range stores {
		from, err := sweep.OpenStore(dir)
		if err != nil {
			return err
		}
		if from.Dir() == store.Dir() {
			continue
		}
		if _, err := store.Import(from); err != nil {
			return err
		}
	}
	st := s.new(store)
	err = st.Gather(ctx)
	return finishStudy(ctx, t, o, s, st, err)
}
