package study

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"headroom/facility/placement"
	"headroom/scenarios"
	"headroom/sim"
)

// Many calls work(0) … work(n−1) on a number of goroutines and returns the error of each, by index. Once ctx has
// ended, what was not begun gets its error. A panic of one is its error and ends no other.
func Many(ctx context.Context, n, workers int, work func(ctx context.Context, i int) error) []error {
	errs := make([]error, n)
	next := make(chan int)
	var group sync.WaitGroup
	for range min(max(workers, 1), n) {
		group.Go(func() {
			for i := range next {
				errs[i] = guarded(ctx, i, work)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return errs
}

func guarded(ctx context.Context, i int, work func(context.Context, int) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
		}
	}()
	return work(ctx, i)
}

// Once is one scenario's whole path: built, placed and, unless placeOnly, simulated. progress, which may be nil,
// is told the simulated time in nanoseconds.
func Once(ctx context.Context, sc *scenarios.Scenario, placeOnly bool, progress func(ns int64)) (*sim.Result, error) {
	f, err := sc.Build()
	if err != nil {
		return nil, err
	}
	layout, err := placement.Place(f)
	if err != nil {
		return nil, err
	}
	config, err := sc.Configure(layout)
	if placeOnly {
		if err != nil { // placement needs nothing of what happens
			config = sim.Config{ID: sc.ID(), Scenario: sc.Name(), Variant: sc.Variant()}
		}
		return sim.Plan(layout, config), nil
	}
	if err != nil {
		return nil, err
	}
	config.Progress = progress
	return sim.Run(ctx, layout, config)
}
