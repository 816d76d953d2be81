package scenarios

import (
	"slices"
	"testing"
)

func TestInputChanges(t *testing.T) {
	data, _ := ExampleFile("first-hall")
	at := func(o Options) *Scenario { return load(t, string(data), o) }
	base := at(Options{})
	if c := InputChanges(base, at(Options{Set: []string{"name=Another"}})); len(c) != 0 {
		t.Errorf("a name changes %v", c)
	}
	got := InputChanges(at(Options{Variant: "liquid-48"}), at(Options{Variant: "liquid-78"}))
	want := []InputChange{
		{"racks[A].power", "48 kW", "78 kW"},
		{"racks[A].air", "16 kW", "26 kW"},
		{"racks[A].feeds.breaker", "100 A", "160 A"},
		{"racks[A].liquid", "45 kW", "72 kW"},
	}
	slices.SortFunc(got, func(a, b InputChange) int { return slices.Index(want, a) - slices.Index(want, b) })
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Forth and back.
	there, back := InputChanges(base, at(Options{Variant: "liquid-78"})), InputChanges(at(Options{Variant: "liquid-78"}), base)
	if len(there) != len(back) || len(there) < 6 {
		t.Fatalf("%d changes there, %d back", len(there), len(back))
	}
	for _, c := range there {
		if !slices.Contains(back, InputChange{c.Path, c.To, c.From}) {
			t.Errorf("%v has no way back", c)
		}
	}
	// Lists: by name where there are names, by place where not.
	for set, path := range map[string]string{
		"workload[chat].gpus=64": "workload[chat].gpus", "servers[0].count=3": "servers[0].count",
		"failures.events[0].for=3 h": "failures.events[0].for", "run.seed=9": "run.seed",
	} {
		if c := InputChanges(base, at(Options{Set: []string{set}})); len(c) != 1 || c[0].Path != path {
			t.Errorf("%s: %v", set, c)
		}
	}
	c := InputChanges(base, at(Options{Set: []string{"workload[chat]={name: talk, kind: inference, gpus: 32}"}}))
	if len(c) != 2 || c[0].Path != "workload[chat]" || c[0].To != "" || c[1].Path != "workload[talk]" || c[1].From != "" {
		t.Errorf("another name: %v", c)
	}
}
