package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const victim = `package victim

import "fmt"

const share = 0.25

func Double(x int) int {
	if x < 0 && x != -3 {
		panic("no " + fmt.Sprint(x))
	}
	list := make([]int, 7)
	n := x * 2
	n += len(list) - 7
	return n + 0
}
`

func TestPlaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "victim.go")
	if err := os.WriteFile(file, []byte(victim), 0o644); err != nil {
		t.Fatal(err)
	}
	places, err := placesOf(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range places {
		for _, c := range p.changes {
			got = append(got, victim[p.at:p.end]+" "+c)
		}
	}
	want := []string{
		"0.25 0.275", "0.25 0.225", "&& ||", "< <=", "< >", "0 1", "0 (-1)", "!= ==", "- +", "3 4", "3 (2)",
		"* /", "2 3", "2 (1)", "+= -=", "- +", "7 8", "7 (6)", "+ -", "0 1", "0 (-1)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// A package whose test sees one of its functions and not the other.
func TestSample(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":     "module victim\n\ngo 1.24\n",
		"a.go":       "package victim\n\nfunc Seen(x int) int { return x + 2 }\n\nfunc Unseen(x int) int { return x * 3 }\n",
		"b_test.go":  "package victim\n\nimport \"testing\"\n\nfunc TestSeen(t *testing.T) {\n\tif Seen(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
		"skip.txt":   "",
		"not_go.yml": "x: 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	s := newSampler(".", 1, io.Discard)
	if err := s.run(4); err != nil {
		t.Fatal(err)
	}
	if s.killed != 2 || len(s.alive) != 2 || s.broken != 0 {
		t.Errorf("killed %d, alive %v, broken %d", s.killed, s.alive, s.broken)
	}
}
