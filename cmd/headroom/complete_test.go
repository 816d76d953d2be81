package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		typed string // the last word is being typed
		want  string // all, or with … some of them
	}{
		{"", "run plan compare … help"},
		{"comp", "compare completion"},
		{"run fir", "first-hall first-study"},
		{"run first-hall ", ""},
		{"compare first-hall liq", "liquid-hall"},
		{"run first-hall --variant ", "liquid-48 liquid-78"},
		{"run --variant=liquid-7 first-hall", "first-hall"},
		{"compare first-hall --base liquid-7", "liquid-78"},
		{"run first-hall --variant=", "--variant=liquid-48 --variant=liquid-78"},
		{"run first-hall --variant =", "liquid-48 liquid-78"},
		{"run first-hall --variant = liquid-7", "liquid-78"},
		{"run -q fir", "first-hall first-study"},
		{"run -o ", ""},
		{"run --charts ", "png svg pdf none"},
		{"check x --format ", "table json"},
		{"run x --format=c", "--format=csv"},
		{"run --see", "--seed"},
		{"catalog s", "servers …"},
		{"catalog servers dgx-h1", "dgx-h100"},
		{"catalog servers dgx-h100 ", ""},
		{"completion ", "bash zsh fish"},
		{"man pl", "plan"},
		{"help pl", "plan"},
		{"import ", "netbox"},
		{"import netbox --model dgx-b3", "dgx-b300 dgx-b300-busbar"},
		{"nonsense ", ""},
		{"run nowhere.yaml --variant ", ""},
	} {
		var b bytes.Buffer
		if err := printCandidates(newTerminal(nil, &b, nil), strings.Split(c.typed, " ")); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(b.String()) {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, word)
		}
		want := strings.Fields(c.want)
		if some := slices.Index(want, "…"); some >= 0 {
			for _, w := range slices.Delete(want, some, some+1) {
				if !slices.Contains(got, w) {
					t.Errorf("%q: %s is not among %v", c.typed, w, got)
				}
			}
			continue
		}
		if slices.Sort(got); !slices.Equal(got, sorted(want)) {
			t.Errorf("%q: got %v, want %v", c.typed, got, want)
		}
	}
}

func sorted(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return words
}

// What is offered for a flag is what its help names.
func TestFlagValuesAreThoseOfTheHelp(t *testing.T) {
	for _, c := range commands() {
		flags := newFlags(c.name)
		c.setup(flags)
		flags.VisitAll(func(f *pflag.Flag) {
			if f.Name == "model" || f.Name == "climate" {
				return
			}
			for _, v := range flagValues(c.name, f.Name, nil) {
				if !strings.Contains(f.Usage, v.word) {
					t.Errorf("%s --%s: %q is offered, help says %q", c.name, f.Name, v.word, f.Usage)
				}
			}
		})
	}
}

// Manual pages hold every flag and exit code, and nothing that roff would take for a request.
func TestManualPages(t *testing.T) {
	requests := []string{".TH", ".SH", ".TP", ".PP", ".nf", ".fi", ".RS", ".RE"}
	for _, c := range commands() {
		var b bytes.Buffer
		if err := c.man(&b); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for line := range strings.Lines(page) {
			request, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if strings.HasPrefix(line, ".") && !slices.Contains(requests, request) || strings.HasPrefix(line, "'") {
				t.Errorf("%s: %q", c.name, line)
			}
		}
		flags := newFlags(c.name)
		c.setup(flags)
		flags.VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(page, `\fB\-\-`+roff(f.Name)+`\fR`) {
				t.Errorf("%s: the page has no --%s", c.name, f.Name)
			}
		})
		if strings.Count(page, ".nf\n") != strings.Count(page, ".fi\n") {
			t.Errorf("%s: a block without its end", c.name)
		}
	}
	if got := roff(`.a\b-c`); got != `\&.a\eb\-c` {
		t.Errorf("got %q", got)
	}
}
