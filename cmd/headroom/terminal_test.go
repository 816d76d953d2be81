package main

import (
	"bytes"
	"testing"
)

func TestProgressIsForScreensOnly(t *testing.T) {
	say := func(change func(*terminal)) string {
		var errs bytes.Buffer
		tm := newTerminal(nil, nil, &errs)
		change(tm)
		tm.progress("day %d", 1)
		tm.progress("day %d", 2)
		tm.warn("a limit is near")
		tm.warn("a limit is near") // once is enough
		tm.progress("day %d", 3)
		tm.endProgress()
		tm.endProgress()
		return errs.String()
	}
	const wipe = "\r\x1b[K"
	for _, c := range []struct {
		name   string
		change func(*terminal)
		want   string
	}{
		{"a file", func(*terminal) {}, "warning: a limit is near\n"},
		{"quiet", func(t *terminal) { t.quiet = true }, ""},
		{"a screen", func(t *terminal) { t.live = true }, wipe + "day 1" + wipe + "day 2" + wipe + "warning: a limit is near\n" + wipe + "day 3" + wipe},
		{"a quiet screen", func(t *terminal) { t.live, t.quiet = true, true }, ""},
		{"colour", func(t *terminal) { t.color = true }, "\x1b[33mwarning:\x1b[0m a limit is near\n"},
	} {
		if got := say(c.change); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
