package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// text is a file with known content.
func text(name, content string) resultFile {
	return resultFile{name, func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}}
}

func mustOpen(t *testing.T, dir string) *output {
	t.Helper()
	o, err := openOutput(dir)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// tree returns every file under dir with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOutputReplacesItsFilesAndNoOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "out")
	write := func(files ...resultFile) {
		o := mustOpen(t, dir)
		defer o.discard()
		if err := writeAll(context.Background(), newTerminal(nil, io.Discard, io.Discard), o, files); err != nil {
			t.Fatal(err)
		}
	}
	write(text("a.txt", "1"), text("charts/b.png", "1"))
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(text("charts/b.png", "2"))
	want := map[string]string{"a.txt": "1", "charts/b.png": "2", "mine.txt": "kept"}
	if got := tree(t, dir); len(got) != len(want) || got["charts/b.png"] != "2" || got["a.txt"] != "1" || got["mine.txt"] != "kept" {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOutputIsWholeOrNotAtAll(t *testing.T) {
	torn := resultFile{"torn.txt", func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("half ", 1<<15))
		return errors.New("the disk is full")
	}}
	panics := resultFile{"panics.txt", func(io.Writer) error { panic("a chart that cannot be drawn") }}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		file resultFile
		code int
	}{
		{"failed", context.Background(), torn, exitFailed},
		{"panicked", context.Background(), panics, exitFailed},
		{"interrupted", cancelled, text("b.txt", "new"), exitInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			fresh := filepath.Join(t.TempDir(), "fresh")
			used := t.TempDir()
			if err := os.WriteFile(filepath.Join(used, "a.txt"), []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{fresh, used} {
				o := mustOpen(t, dir)
				err := writeAll(c.ctx, newTerminal(nil, io.Discard, io.Discard), o, []resultFile{text("a.txt", "new"), c.file})
				o.discard()
				if got := exitCode(err); got != c.code {
					t.Errorf("exit code %d for %v, want %d", got, err, c.code)
				}
			}
			if _, err := os.Stat(fresh); !os.IsNotExist(err) {
				t.Errorf("a folder was left behind: %v", err)
			}
			if got := tree(t, used); len(got) != 1 || got["a.txt"] != "old" {
				t.Errorf("the folder changed: %v", got)
			}
		})
	}
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		o, err := openOutput(dir)
		if got := exitCode(err); got != exitUsage {
			t.Errorf("%s: exit code %d (%v), want %d", dir, got, err, exitUsage)
		}
		if o != nil {
			o.discard()
		}
	}
}

func writeTo(t *testing.T, dir, manifest string, files ...resultFile) error {
	t.Helper()
	o := mustOpen(t, dir)
	defer o.discard()
	o.manifest = manifest
	return writeAll(context.Background(), newTerminal(nil, io.Discard, io.Discard), o, files)
}

// What an earlier run wrote and this one does not goes; what is somebody else's, or was changed since, stays.
func TestStaleFilesGo(t *testing.T) {
	dir := t.TempDir()
	if err := writeTo(t, dir, "run.sha256", text("report.md", "1"), text("charts/a.png", "1"), text("charts/b.png", "1"), text("old/c.txt", "1")); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"charts/b.png": "edited", "charts/mine.png": "mine", "notes.txt": "mine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeTo(t, dir, "plan.sha256", text("charts/p.png", "1")); err != nil { // of another kind: takes nothing away
		t.Fatal(err)
	}
	if err := writeTo(t, dir, "run.sha256", text("report.md", "2"), text("charts/a.svg", "2")); err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	delete(got, "plan.sha256")
	want := map[string]string{
		"report.md": "2", "charts/a.svg": "2", "charts/b.png": "edited", "charts/mine.png": "mine", "charts/p.png": "1", "notes.txt": "mine",
		"run.sha256": "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35  charts/a.svg\n" +
			"d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35  report.md\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "old")); !os.IsNotExist(err) {
		t.Errorf("the folder of a stale file stays: %v", err)
	}
}

// A list that names files outside the folder, or itself, removes nothing.
func TestStaleListIsNotTrusted(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "out")
	outside := filepath.Join(top, "precious")
	if err := os.WriteFile(outside, []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const sum = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
	list := sum + "  ../precious\n" + sum + "  " + outside + "\n" + sum + "  run.sha256\nnonsense\n" + sum + "  charts\n"
	if err := os.WriteFile(filepath.Join(dir, "run.sha256"), []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeTo(t, dir, "run.sha256", text("report.md", "2")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// What stands in the way of a file is found before anything is drawn or moved.
func TestTargetThatIsAFolder(t *testing.T) {
	for _, c := range []struct{ in, file, want string }{
		{"report.md/keep", "report.md", "report.md is a folder"},
		{"charts", "charts/a.png", "charts is a file"},
	} {
		dir := t.TempDir()
		at := filepath.Join(dir, filepath.FromSlash(c.in))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		drawn := false
		err := writeTo(t, dir, "run.sha256", text("a.txt", "new"), resultFile{c.file, func(io.Writer) error { drawn = true; return nil }})
		if exitCode(err) != exitUsage || !strings.Contains(err.Error(), c.want) || drawn {
			t.Errorf("%s: %v, drawn: %v", c.in, err, drawn)
		}
		if got := tree(t, dir); len(got) != 1 || got[c.in] != "mine" {
			t.Errorf("%s: the folder changed: %v", c.in, got)
		}
	}
}

// When one file cannot be moved to its place, those that were moved before it go back.
func TestCommitThatFailsGoesBack(t *testing.T) {
	dir := t.TempDir()
	if err := writeTo(t, dir, "run.sha256", text("a.txt", "old"), text("b.txt", "old")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	o := mustOpen(t, dir)
	o.manifest = "run.sha256"
	for _, name := range []string{"a.txt", "c.txt", "z.txt"} {
		if err := o.write(name, text(name, "new").fill); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(o.staging, newName, "z.txt")); err != nil { // as a disk that fails would have it
		t.Fatal(err)
	}
	if err := o.commit(); err == nil {
		t.Error("no error")
	}
	o.discard()
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// The folder of a killed process is cleared away; that of a living one, and one of somebody else's, stay.
func TestLeftOversOfKilledRuns(t *testing.T) {
	dir := t.TempDir()
	killed := mustOpen(t, dir)
	if err := killed.write("a.txt", text("a.txt", "half").fill); err != nil {
		t.Fatal(err)
	}
	moving := mustOpen(t, dir)
	for _, name := range []string{"b.txt", "charts/c.png"} {
		if err := moving.write(name, text(name, "whole").fill); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(moving.staging, commitName), []byte("b.txt\ncharts/c.png\n../out.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := install(filepath.Join(moving.staging, newName, "b.txt"), filepath.Join(dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, ".headroom-mine")
	if err := os.MkdirAll(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	living := mustOpen(t, dir)
	defer living.discard()
	if tryLock(killed.lock) != nil {
		t.Skip("this disk knows no locks")
	}
	killed.lock.Close() // a process that ends lets go
	moving.lock.Close()
	if err := writeTo(t, dir, "", text("d.txt", "new")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{killed.staging: false, moving.staging: false, living.staging: true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", path, err == nil, want)
		}
	}
	for name, want := range map[string]string{"b.txt": "whole", "charts/c.png": "whole", "d.txt": "new"} {
		if data, _ := os.ReadFile(filepath.Join(dir, name)); string(data) != want {
			t.Errorf("%s: %q, want %q", name, data, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("a file of a run that was killed before it was whole was put in place")
	}
}
