package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"golang.org/x/term"
)

// terminal holds the three streams: results go to stdout, everything said beside them to stderr.
type terminal struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	quiet          bool
	live           bool // stderr is a screen: progress may be redrawn
	color          bool

	mu   sync.Mutex
	line bool            // a progress line stands on the screen
	said map[string]bool // warnings that were printed: a scenario's come back with its result
}

func newTerminal(stdin io.Reader, stdout, stderr io.Writer) *terminal {
	t := &terminal{stdin: stdin, stdout: stdout, stderr: stderr, said: map[string]bool{}}
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		t.live = true
		t.color = os.Getenv("NO_COLOR") == ""
	}
	return t
}

// pageWidth is the width of a table that no screen shows.
const pageWidth = 100

// width is how many columns stdout has, for text that is wrapped.
func (t *terminal) width() int {
	if w := t.tableWidth(); w > 0 {
		return w
	}
	return pageWidth
}

// tableWidth is how many columns tables may take: those of the screen, else what COLUMNS says, else 0 for as many as
// they need, for what reads a pipe can deal with long lines better than with cut ones.
func (t *terminal) tableWidth() int {
	if f, ok := t.stdout.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 {
		return w
	}
	return 0
}

// Colours of a word on a screen.
const (
	red    = "31"
	yellow = "33"
)

func (t *terminal) paint(color, word string) string {
	if !t.color {
		return word
	}
	return "\x1b[" + color + "m" + word + "\x1b[0m"
}

// progress says what is being done now; only a screen shows it.
func (t *terminal) progress(format string, args ...any) {
	if !t.live || t.quiet {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.stderr, "\r\x1b[K"+format, args...)
	t.line = true
}

// endProgress clears the progress line.
func (t *terminal) endProgress() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.line {
		fmt.Fprint(t.stderr, "\r\x1b[K")
		t.line = false
	}
}

// note says something beside the result.
func (t *terminal) note(format string, args ...any) {
	if t.quiet {
		return
	}
	t.endProgress()
	fmt.Fprintf(t.stderr, format+"\n", args...)
}

// warn prints a warning, each once.
func (t *terminal) warn(text string) {
	if t.said[text] {
		return
	}
	t.said[text] = true
	t.note("%s %s", t.paint(yellow, "warning:"), text)
}
