package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"headroom/scenarios"
	"headroom/scenarios/study/sweep"
)

// Exit codes. Any other code is a failure too.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitBroken      = 3
	exitRunsFailed  = 4
	exitInterrupted = 130
)

var exitTexts = map[int]string{
	exitDone:        "done",
	exitFailed:      "failed while running",
	exitUsage:       "the flags or the input are wrong; every problem is printed",
	exitBroken:      "--strict: a limit the plan claims to hold is broken; or a --fail-on came true",
	exitRunsFailed:  "the study is complete but for runs that failed",
	exitInterrupted: "interrupted; nothing half-written is left",
}

// usageError is a mistake in what was asked for.
type usageError struct{ text, hint string }

func (e usageError) Error() string { return e.text }

// brokenError says that what was computed breaks what was demanded of it.
type brokenError []string

func (e brokenError) Error() string { return strings.Join(e, "\n") }

// exitCode is the one place where an error becomes an exit code.
func exitCode(err error) int {
	var usage usageError
	var problems scenarios.Problems
	var broken brokenError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &problems):
		return exitUsage
	case errors.As(err, &broken):
		return exitBroken
	case errors.As(err, new(*sweep.FailedError)):
		return exitRunsFailed
	}
	return exitFailed
}

// printError prints what went wrong, one problem a line.
func (t *terminal) printError(err error) {
	var usage usageError
	var problems scenarios.Problems
	var broken brokenError
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(t.stderr, "headroom: interrupted")
	case errors.As(err, &problems):
		for _, p := range problems {
			fmt.Fprintln(t.stderr, p) // file:line:col first, as editors read it
		}
	case errors.As(err, &usage):
		fmt.Fprintln(t.stderr, t.paint(red, "headroom:"), usage.text)
		if usage.hint != "" {
			fmt.Fprintln(t.stderr, usage.hint)
		}
	case errors.As(err, &broken):
		for _, b := range broken {
			fmt.Fprintln(t.stderr, t.paint(red, "broken:"), b)
		}
	default:
		fmt.Fprintln(t.stderr, t.paint(red, "headroom:"), err)
	}
}

// exitHelp is the end of every help text.
func exitHelp(codes ...int) string {
	var b strings.Builder
	b.WriteString("Exit status:\n")
	for _, c := range codes {
		fmt.Fprintf(&b, "  %3d  %s\n", c, exitTexts[c])
	}
	return b.String()
}

// interruptible returns a context that ends at the first interrupt; the second one ends the process.
func interruptible() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}
