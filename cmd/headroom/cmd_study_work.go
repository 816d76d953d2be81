package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"headroom/scenarios/study/farm"
	"headroom/scenarios/study/sweep"
)

var studyWorkCommand = command{
	name:  "study work",
	args:  "",
	short: "makes runs for a study that another machine serves",
	long: `Connects to a server that headroom study serve listens on, waits for a study and makes its runs until there are none
left. The scenario and the files it names come from the server. A server that cannot be reached is tried again for
--patience. Workers may come, go and be killed at any time.
headroom study work --connect nats://office:4222`,
	exits: []int{exitDone, exitFailed, exitUsage, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o workOptions
		var url string
		flags.StringVar(&url, "connect", "nats://127.0.0.1:4222", "`URL` of the server")
		flags.IntVarP(&o.workers, "workers", "j", 0, "make `N` runs at a time; as many as there are processors without it")
		flags.StringVar(&o.study, "study", "", "work on the study of this `KEY` only; any without it")
		flags.DurationVar(&o.patience, "patience", 10*time.Minute, "give up when the server was out of reach for so `LONG`")
		flags.BoolVarP(&o.verbose, "verbose", "v", false, "say every run as it begins and ends")
		var l linkFlags
		l.add(flags)
		return func(ctx context.Context, t *terminal, args []string) error {
			if len(args) > 0 {
				return usageError{text: fmt.Sprintf("study work takes no argument, got %q: the study comes from the server", args[0])}
			}
			link, err := l.options(url, processName())
			if err != nil {
				return err
			}
			return o.run(ctx, t, link)
		}
	},
}

type workOptions struct {
	workers  int
	study    string
	patience time.Duration
	verbose  bool
}

// errOutOfReach says that the server did not come back.
var errOutOfReach = errors.New("the server was out of reach for longer than --patience")

func (o *workOptions) run(ctx context.Context, t *terminal, link farm.LinkOptions) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	link.Away = func(d time.Duration) {
		if d > o.patience {
			stop(errOutOfReach)
		}
	}
	w, err := farm.Join(ctx, link, o.study)
	if err != nil {
		return reachError(ctx, err)
	}
	defer w.Close()
	base, err := w.Bundle.Base()
	if err != nil {
		return err
	}
	if o.verbose {
		var one sync.Mutex
		w.Say = func(what, id string) {
			one.Lock()
			defer one.Unlock()
			t.note("%s %s", what, id)
		}
	}
	n := o.workers
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = sweep.Work(ctx, w, w.Beat(), base.Make) })
	}
	group.Wait()
	return reachError(ctx, errors.Join(errs...))
}

// reachError puts the reason in place of the cancellation that it caused.
func reachError(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errOutOfReach) {
		return errOutOfReach
	}
	return err
}
