package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"headroom/scenarios"
)

// The page says what the runs say. One that differs is written by: go run ./validation/claims.
func TestClaimsPageIsTrue(t *testing.T) {
	want, err := write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d says otherwise than the runs; go run ./validation/claims writes it\n page %s\n runs %s", page, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s has %d lines, the runs give %d", page, len(g), len(w))
}

// Every claim scenario that is embedded is judged, and every one judged is embedded.
func TestEveryClaimScenarioIsJudged(t *testing.T) {
	judged := map[string]bool{}
	for _, c := range claims {
		judged[c.scenario] = true
	}
	for _, e := range scenarios.Examples() {
		if strings.HasPrefix(e.Name, "claim-") && !judged[e.Name] {
			t.Errorf("%s is not judged", e.Name)
		}
		delete(judged, e.Name)
	}
	for name := range judged {
		t.Errorf("%s is not embedded", name)
	}
}
