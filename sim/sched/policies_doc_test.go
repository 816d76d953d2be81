package sched

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These are the policies of docs/policies.md, here as there: a policy takes one file, and this is one.

// LeftHalf fills the first half of the hall before the second.
func (Placements) LeftHalf() Placement {
	return Placement{
		Name: "left-half",
		Doc:  "servers of the first half of the hall first; within a half best fit",
		Live: true, // it looks at the server's number, so servers in one state differ
		Cost: func(s *Scene, n *Node, d *Demand, server int32) (cost float64, gpu int) {
			cost = float64(n.FreeMilli-d.MilliGPUs()) / 1e6
			if int(server) >= s.Servers()/2 {
				cost++
			}
			return cost, n.tightest(d)
		},
	}
}

// OldestTenant serves tenants in the order in which the file names them.
func (Orders) OldestTenant() Order {
	return Order{Name: "oldest-tenant", Doc: "tenants in the order of the file", Key: func(w *Waiting, _ *Usage) float64 { return float64(w.Tenant) }}
}

// A policy in a file of its own is found by its name, among all others, and works.
func TestAPolicyIsOneFile(t *testing.T) {
	p, ok := PlacementNamed("left-half")
	if _, found := OrderNamed("oldest-tenant"); !ok || !found {
		t.Fatalf("policies are not found among %v and %v", Names(AllPlacements()), Names(AllOrders()))
	}
	c := NewNodes([]NodeSpec{{GPUs: 8}, {GPUs: 8}, {GPUs: 2}, {GPUs: 2}}, &p, nil)
	got, _ := c.Place(&Demand{GPUs: 2}, nil)
	if got[0].Server != 0 {
		t.Errorf("placed on %v, want the first half", got)
	}
	doc, err := os.ReadFile("../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("policies_doc_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d pieces of Go in the docs", len(blocks))
	}
	for _, b := range blocks {
		code := strings.TrimPrefix(b[1], "package sched\n\n")
		if !strings.Contains(string(source), strings.TrimSpace(code)) {
			t.Errorf("the docs show a policy that isn't the tested one:\n%s", code)
		}
	}
}

// Names are unique and said; every policy has a sentence.
func TestPoliciesSayWhatTheyAre(t *testing.T) {
	for _, names := range [][]string{Names(AllPlacements()), Names(AllOrders())} {
		sorted := slices.Sorted(slices.Values(names))
		if len(slices.Compact(sorted)) != len(names) || slices.Contains(names, "") {
			t.Errorf("names %v", names)
		}
	}
	for _, p := range AllPlacements() {
		if p.Doc == "" || p.Cost == nil {
			t.Errorf("%s says nothing", p.Name)
		}
	}
	for _, o := range AllOrders() {
		if o.Doc == "" || o.Key == nil {
			t.Errorf("%s says nothing", o.Name)
		}
	}
}
