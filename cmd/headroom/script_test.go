package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"headroom": main})
}

// The scripts under testdata run the program as a user does.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"samedir": samedir,
			"empty":   empty,
		},
	})
}

// exits runs headroom and compares its exit code: exits 2 run nowhere.yaml.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec("headroom", args[1:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// samedir compares two folders with all that is in them.
func samedir(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] samedir A B")
	}
	a, b := readDir(ts, args[0]), readDir(ts, args[1])
	if len(a) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if other, ok := b[name]; !ok || other != a[name] {
			differ = append(differ, name)
		}
	}
	same := len(differ) == 0 && len(a) == len(b)
	switch {
	case neg && same:
		ts.Fatalf("%s and %s are the same", args[0], args[1])
	case !neg && !same:
		ts.Fatalf("%s and %s differ in %v (%d and %d files)", args[0], args[1], differ, len(a), len(b))
	}
}

// empty says that a folder holds nothing, hidden files included.
func empty(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range args {
		entries, err := os.ReadDir(ts.MkAbs(dir))
		ts.Check(err)
		if (len(entries) == 0) == neg {
			ts.Fatalf("%s holds %v", dir, entries)
		}
	}
}

func readDir(ts *testscript.TestScript, dir string) map[string]string {
	out := map[string]string{}
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out[name] = string(data)
		return err
	}))
	return out
}
