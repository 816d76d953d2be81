package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"headroom/plots/lang"
	"headroom/scenarios"
)

// asData are texts that come from the catalogue or a scenario and stay as they are: warnings begin with a path of the
// scenario, figures of the catalogue with a field.
var asData = []*regexp.Regexp{
	regexp.MustCompile(`^(plants|racks|servers|workload|power|cooling|site)[.\[][^ ]*: `),
	regexp.MustCompile(`^[a-z_-]+( [0-9.e+-]+[^;]*)?(; [a-z_.-]+( [^;]*)?)+$`),
	regexp.MustCompile(`^(note: )?(servers: the line of|wanted on a day is)`),
	regexp.MustCompile(`^\{.*\}$`),
	regexp.MustCompile(`^(monthly statistics|climates) `),
	regexp.MustCompile(`^[A-Z][a-zA-Z]+ \(built-in climate\)$`),
	regexp.MustCompile(`^(breakers tripped|classes settled|compressor starts) [0-9]`), // counts of approximations, by their keys
}

// mostLeft is how many texts may wait for their message, so that a new sentence elsewhere does not stop its author.
const mostLeft = 12

// Charts, report and tables of runs, plans and comparisons leave no English sentence.
func TestChineseIsWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("runs five scenarios")
	}
	defer func() { _ = lang.Use("en") }()
	kinds, err := catalogKinds()
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]bool{}
	for _, k := range kinds {
		for _, e := range k.Entries {
			for _, f := range e.Figures {
				data[f.Source] = true
				data[strings.Join(strings.Fields(f.Field+" "+f.Value+" "+f.Unit), " ")] = true
			}
			data[e.Title], data[k.Kind+" "+e.Name] = true, true
		}
	}
	for _, e := range scenarios.Examples() {
		text, _ := scenarios.ExampleFile(e.Name)
		for _, variant := range []string{"", "liquid-48", "liquid-78"} {
			if sc, err := scenarios.Load(e.Name, text, scenarios.Options{Variant: variant}); err == nil {
				data[sc.Name()] = true
			}
		}
	}
	var mu sync.Mutex
	missed := map[string]string{}
	defer lang.Watch(func(text, said string) {
		if data[text] || len(lang.English(said)) == 0 {
			return
		}
		for _, r := range asData {
			if r.MatchString(text) {
				return
			}
		}
		for _, name := range append(strings.Split("pretrain,chat,tune", ","), names(data)...) { // a name inside a sentence
			said = strings.ReplaceAll(said, name, "")
		}
		mu.Lock()
		defer mu.Unlock()
		if len(lang.English(said)) > 0 {
			missed[text] = said
		}
	})()
	dir := t.TempDir()
	for i, args := range [][]string{
		{"run", "first-hall"},
		{"run", "failure-drill"},
		{"run", "old-room", "--set", "run.length=5 d"},
		{"plan", "first-hall", "--pairs", "--maintenance"},
		{"compare", "first-hall", "--seeds", "2"},
		{"plan", "first-hall", "--runway", "--set", "plan={start: 2026-01-01, demand: {growth: 20 servers/month, spread: 30%}}"},
	} {
		args = append(args, "--lang", "zh", "-o", filepath.Join(dir, fmt.Sprint(i)), "-q")
		if code, stdout, stderr := call(context.Background(), nil, args...); code != 0 || !strings.ContainsRune(stdout, '机') {
			t.Fatal(args, stdout, stderr)
		}
	}
	for text, said := range missed {
		t.Logf("%q: %q is left", text, lang.English(said))
	}
	if len(missed) > mostLeft {
		t.Errorf("%d texts are left in English, at most %d may be: write their messages in plots/lang/zh.txt", len(missed), mostLeft)
	}
}

// names are the data, the longest first.
func names(data map[string]bool) []string {
	var list []string
	for n := range data {
		if len(n) > 3 {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}
