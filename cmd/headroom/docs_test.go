package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every ```console block of the docs is run, page by page in a folder of its own, and what it prints is what the page
// shows. A line "..." stands for any lines, "..." within a line for anything.
func TestDocsShowRealOutput(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	pages = append(pages, filepath.Join("..", "..", "README.md"))
	ran := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := regexp.MustCompile("(?ms)^```console\n(.*?)^```").FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("COLUMNS", "")
			for _, b := range blocks {
				for _, c := range commandsOf(b[1]) {
					runShown(t, c)
					ran++
				}
			}
		})
	}
	if ran < 5 {
		t.Errorf("only %d commands were run: the blocks are not found", ran)
	}
}

// docCommand is a command with the output that a page shows under it.
type docCommand struct{ command, output string }

func commandsOf(block string) (list []docCommand) {
	for _, line := range strings.SplitAfter(block, "\n") {
		if c, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, docCommand{command: strings.TrimSpace(c)})
		} else if len(list) > 0 {
			list[len(list)-1].output += line
		}
	}
	return list
}

// runShown runs one command line: headroom, its words, single quotes, and > into a file.
func runShown(t *testing.T, c docCommand) {
	t.Helper()
	args := words(c.command)
	if len(args) == 0 || args[0] != "headroom" {
		t.Errorf("%q is no headroom command", c.command)
		return
	}
	args = args[1:]
	file := ""
	if n := len(args); n > 2 && args[n-2] == ">" {
		file, args = args[n-1], args[:n-2]
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, strings.NewReader(""), &out, &errs); code != 0 {
		t.Errorf("%s: exit code %d\n%s", c.command, code, errs.String())
		return
	}
	if file != "" {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		out.Reset()
	}
	if why := differs(c.output, out.String()); why != "" {
		t.Errorf("%s: %s", c.command, why)
	}
}

// differs compares what a page shows with what was printed; "" when they agree.
func differs(want, got string) string {
	var pattern strings.Builder
	pattern.WriteString(`(?s)\A`)
	for _, line := range strings.Split(strings.TrimRight(want, "\n"), "\n") {
		if line == "..." {
			pattern.WriteString(`(?:.*\n)??`)
			continue
		}
		parts := strings.Split(strings.TrimRight(line, " "), "...")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern.WriteString(strings.Join(parts, `[^\n]*`) + `[ ]*\n`)
	}
	pattern.WriteString(`\z`)
	if strings.TrimSpace(want) == "" {
		if strings.TrimSpace(got) == "" {
			return ""
		}
		return fmt.Sprintf("the page shows nothing, it prints\n%s", got)
	}
	if !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if regexp.MustCompile(pattern.String()).MatchString(got) {
		return ""
	}
	return fmt.Sprintf("the page shows\n%s\nit prints\n%s", want, got)
}

// The check can fail.
func TestDocsCheckSeesADifference(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nc\n", false},
		{"a\n...\nc\n", "a\nb\nb\nc\n", true},
		{"a\n...\nc\n", "a\nc\n", true},
		{"a\n...\n", "a\nb\n", true},
		{"a\n", "a\nb\n", false},
		{"pue ... over\n", "pue 1.2 over\n", true},
		{"", "something\n", false},
	} {
		if got := differs(c.want, c.got) == ""; got != c.same {
			t.Errorf("%q against %q: %v, want %v", c.want, c.got, got, c.same)
		}
	}
}
