package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// call runs the program in this process.
func call(ctx context.Context, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, stdin, &out, &errs)
	return code, out.String(), errs.String()
}

func TestEveryHelpEndsWithExitStatuses(t *testing.T) {
	code, all, _ := call(context.Background(), nil, "help")
	if code != exitDone {
		t.Fatalf("help: exit code %d", code)
	}
	for _, c := range commands() {
		if !strings.Contains(all, "\n  "+c.name+" ") {
			t.Errorf("help does not list %s", c.name)
		}
		_, byFlag, _ := call(context.Background(), nil, c.name, "--help")
		code, byName, stderr := call(context.Background(), nil, "help", c.name)
		if code != exitDone || stderr != "" || byFlag != byName {
			t.Errorf("help %s: exit code %d, stderr %q, the same as --help: %v", c.name, code, stderr, byFlag == byName)
		}
		if !strings.HasSuffix(byName, exitHelp(c.exits...)) || len(c.exits) == 0 {
			t.Errorf("help %s does not end with its exit statuses:\n%s", c.name, byName)
		}
		for _, line := range strings.Split(byName, "\n") {
			if len([]rune(line)) > 120 {
				t.Errorf("help %s: a line of %d runes: %s", c.name, len([]rune(line)), line)
			}
		}
	}
}

// An interrupt ends the program with 130, leaves nothing, and does not wait for a terminal to close its input.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := call(ctx, nil, "run", "first-hall", "-o", out)
	if code != exitInterrupted || stdout != "" || !strings.Contains(stderr, "interrupted") {
		t.Errorf("run: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was left behind: %v", err)
	}
	never, w := io.Pipe()
	defer w.Close()
	if code, _, _ := call(ctx, never, "check", "-"); code != exitInterrupted {
		t.Errorf("check -: exit code %d, want %d", code, exitInterrupted)
	}
}

// A result that cannot be printed is a failure, not a success without output.
func TestStdoutThatFails(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"examples"}, {"schema"}, {"catalog"}, {"plan", "first-hall"}, {"check", "first-hall"}} {
		if code := run(context.Background(), args, nil, failing{}, io.Discard); code != exitFailed {
			t.Errorf("%v: exit code %d, want %d", args, code, exitFailed)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestTooLargeScenario(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("name: x\n"), repeat('#'))
	code, _, stderr := call(context.Background(), endless, "check", "-")
	if code != exitUsage || !strings.Contains(stderr, "not a scenario file") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

// repeat is an input without end.
type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func TestUsageMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no command"},
		{[]string{"rnu"}, `did you mean "run"?`},
		{[]string{"--quiet", "run"}, "the command comes first"},
		{[]string{"run", "first-hall", "--outt", "x"}, "did you mean --out?"},
		{[]string{"run", "first-hall", "-x"}, "unknown shorthand flag"},
		{[]string{"run", "first-hall", "--seed", "x"}, `invalid argument "x" for "--seed"`},
		{[]string{"run", "first-hall", "--seed"}, "needs an argument"},
		{[]string{"run", "first-hall", "--format", "xml"}, "want table, json, csv"},
		{[]string{"run", "first-hall", "--charts", "gif"}, "want png, svg, pdf, none"},
		{[]string{"run", "first-hall", "--out", ""}, "want a folder"},
		{[]string{"run"}, "want one scenario file, got 0"},
		{[]string{"run", "first-hall", "old-room"}, "want one scenario file, got 2"},
		{[]string{"run", "first-hal"}, `did you mean the example "first-hall"?`},
		{[]string{"run", "no/such.yaml"}, "no/such.yaml: no such file"},
		{[]string{"run", "."}, "is a directory"},
		{[]string{"run", "first-hall", "--variant", "liquid-47"}, "liquid-48"},
		{[]string{"run", "first-hall", "--set", "racks[A].pwoer=1 kW"}, `"power"`},
		{[]string{"run", "first-hall", "--set", "racks"}, "path=value"},
		{[]string{"plan", "first-hall", "--fail-on", "pue>1"}, "a plan knows capacity only"},
		{[]string{"plan", "first-hall", "--fail-on", "servers_plced<1"}, `did you mean "servers_placed"?`},
		{[]string{"examples", "first-hal"}, `did you mean "first-hall"?`},
		{[]string{"examples", "a", "b"}, "at most one"},
		{[]string{"schema", "x"}, "no arguments"},
		{[]string{"catalog", "gpu"}, `did you mean "gpus"?`},
		{[]string{"catalog", "gpus", "h1000"}, "did you mean"},
		{[]string{"catalog", "a", "b", "c"}, "got 3 arguments"},
		{[]string{"help", "rnu"}, `did you mean "run"?`},
	} {
		code, stdout, stderr := call(context.Background(), strings.NewReader(""), c.args...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q; want %q", c.args, code, stdout, stderr, c.want)
		}
	}
}
