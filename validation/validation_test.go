package validation

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
)

// witness stands in for a test, to see what Check says of it.
type witness struct {
	testing.TB
	errors []string
}

func (w *witness) Helper()                   {}
func (w *witness) Logf(string, ...any)       {}
func (w *witness) Errorf(f string, a ...any) { w.errors = append(w.errors, fmt.Sprintf(f, a...)) }
func (w *witness) Fatal(a ...any)            { w.errors = append(w.errors, fmt.Sprint(a...)); runtime.Goexit() }

func withTable(t *testing.T, content string) {
	t.Helper()
	old := acceptedTSV
	acceptedTSV = content
	t.Cleanup(func() { acceptedTSV = old })
	t.Setenv(RecordTo, "")
}

func TestCheckJudges(t *testing.T) {
	withTable(t, "# header\na/met\t0.500\t-\na/missed\t1.400\t-\n")
	for _, c := range []struct {
		id        string
		simulated float64
		want      string // in the error, "" for none
	}{
		{"a/met", 105, ""},
		{"a/met", 95, ""},                        // as far the other way
		{"a/met", 105.4, ""},                     // within the slack
		{"a/met", 106, "grew from 0.50 to 0.60"}, // allowed, but wider than it was
		{"a/met", 111, "allowed 90 to 110"},
		{"a/met", math.NaN(), "NaN"},
		{"a/missed", 114, ""},
		{"a/missed", 116, "this is 1.60"},
		{"a/missed", 101, ""}, // better than the table says
		{"a/unknown", 100, "not in validation/accepted.tsv"},
	} {
		w := &witness{TB: t}
		Share(c.id, "it", "W", 100, 0.10, "a source").Check(w, c.simulated)
		got := strings.Join(w.errors, "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s at %g: %q, want %q", c.id, c.simulated, got, c.want)
		}
	}
}

func TestUsed(t *testing.T) {
	for _, c := range []struct {
		target    Target
		simulated float64
		want      float64
	}{
		{Share("a/b", "", "W", 200, 0.05, ""), 195, 0.5},
		{Share("a/b", "", "K", -200, 0.05, ""), -215, 1.5},
		{Within("a/b", "", "K", 10, 2, ""), 12, 1},
		{Range("a/b", "", "W", 2360, 2410, ""), 2385, 0},
		{Range("a/b", "", "W", 2360, 2410, ""), 2360, 1},
		{Within("a/b", "", "", 3, 0, ""), 3, 0},
		{Within("a/b", "", "", 3, 0, ""), 4, math.Inf(1)},
	} {
		if got := c.target.Used(c.simulated); math.Abs(got-c.want) > 1e-12 && got != c.want {
			t.Errorf("%g of %g to %g: used %g, want %g", c.simulated, c.target.Low, c.target.High, got, c.want)
		}
	}
}

func TestRowsSurviveTheirFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(RecordTo, dir)
	Range("a/range", "what | it is", "W", 1, 2, "who").FromData().Check(t, 1.5)
	Within("a/number", "that", "K", 3, 0.5, "whom").Check(t, 3.25)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	content, err := os.ReadFile(dir + "/" + entries[0].Name())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	first, err := Decode([]byte(lines[0]))
	if err != nil || first.ID != "a/range" || !first.Measured || !math.IsNaN(first.Published) || first.Simulated != 1.5 || first.What != "what | it is" {
		t.Errorf("%+v, %v", first, err)
	}
	second, err := Decode([]byte(lines[1]))
	if err != nil || second.Published != 3 || second.Low != 2.5 || second.High != 3.5 || second.Source != "whom" {
		t.Errorf("%+v, %v", second, err)
	}
}

func TestTheCheckedInTableReads(t *testing.T) {
	if _, err := Table(); err != nil {
		t.Error(err)
	}
}
