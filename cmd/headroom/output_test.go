package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
