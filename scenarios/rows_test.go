package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

// A row of unlike racks in several lines is one row: one busway, one loop, places counted through.
func TestRowOfNamedRacks(t *testing.T) {
	text := strings.Replace(hall, "  - {row: A, count: 12, height: 48U, power: 48 kW, feeds: {breaker: 100 A}}\n",
		`  - {row: A, names: [R17, R18], height: 48U, power: 48 kW, feeds: {breaker: 100 A}}
  - {row: A, names: "R19.b", height: 42U, pitch: 800 mm, reserve: 40U, power: 20 kW, feeds: {breaker: 32 A}}
  - {row: B, count: 1, height: 48U, power: 48 kW, feeds: {breaker: 100 A}}
`, 1)
	s, err := Load("n.yaml", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range f.Racks {
		got = append(got, fmt.Sprintf("%s row %s place %d x %.1f y %.1f feeds %d", r.ID, r.Row, r.Place, r.XM, r.YM, len(r.Feeds)))
	}
	want := []string{
		"R17 row A place 0 x 0.3 y 0.6 feeds 2", "R18 row A place 1 x 0.9 y 0.6 feeds 2",
		"R19.b row A place 2 x 1.6 y 0.6 feeds 2", "B01 row B place 0 x 0.3 y 3.0 feeds 2",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("racks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, id := range []string{"busways[A].A", "busways[A].B", "busways[B].A", "R19.b.B"} {
		if _, ok := f.Power.Index(id); !ok {
			t.Errorf("no power node %s", id)
		}
	}
	resolved, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load("n.yaml", resolved, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, resolved)
	}
	if again.ID() != s.ID() {
		t.Error("the scenario changes by being printed")
	}
	for _, c := range []struct{ from, to, want string }{
		{"names: [R17, R18]", "names: [R17, R19.b]", "two racks are called R19.b"},
		{"names: [R17, R18]", "names: [R17, R17]", "stands twice"},
		{"names: [R17, R18]", "names: [R17, R18], count: 3", "2 names for 3 racks"},
		{"names: [R17, R18]", "names: [R17, \"R[8]\"]", "without brackets"},
		{"row: A, names: [R17, R18]", "row: B, names: [R17, R18]", "the row \"B\" stands twice"},
		{"row: A, names: [R17, R18]", "names: [R17, R18]", "need the name of their row"},
	} {
		if _, err := Load("n.yaml", []byte(strings.Replace(text, c.from, c.to, 1)), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.to, err, c.want)
		}
	}
	if _, err := Load("n.yaml", []byte(text), Options{Set: []string{"racks[A].power=10 kW"}}); err == nil || !strings.Contains(err.Error(), "2 elements are called A") {
		t.Errorf("racks[A] of two lines: %v", err)
	}
}
