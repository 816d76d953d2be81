package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

const planHall = `version: 1
site: {climate: shanghai}
racks:
  - {row: A, count: 3, power: 48 kW}
servers:
  - {model: dgx-h100, count: 2}
plan: %s
`

func TestPlanProblems(t *testing.T) {
	for plan, want := range map[string]string{
		"{demand: {growth: 4 boxes/month}}":                     `plan.demand.growth: want a rate such as`,
		"{demand: {growth: 4 servers/fortnight}}":               `per day, week, month, quarter or year`,
		"{demand: {growth: -4 servers/month}}":                  `not below zero`,
		"{demand: {}}":                                          `want a history or a rate of growth`,
		"{demand: {history: [{date: 2025-01-01, servers: 1}]}}": `want at least 3 figures (got 1)`,
		"{demand: {history: [{date: 2025-01-01}]}}":             `want servers or power`,
		"{demand: {history: [{date: 2025-02-01, servers: 1}, {date: 2025-01-01, servers: 1}, {date: 2025-03-01, power: 4 kW}]}}": `comes not after the figure before it, of 2025-02-01`,
		"{deliveries: [{date: 2025-01-01, count: 1}]}":                               `lies before the plan, which begins on 2026-01-01`,
		"{deliveries: [{date: 2026-02-01, model: dgx-h10, count: 1}]}":               `did you mean "dgx-h100"`,
		"{deliveries: [{date: 2026-02-01, count: 0}]}":                               `out of range`,
		"{commission: [{date: 2026-02-01, rows: C}]}":                                `the hall has no such row (got "C")`,
		"{commission: [{date: 2026-02-01, racks: [A04]}]}":                           `the hall has no such rack (got "A04")`,
		"{commission: [{date: 2026-02-01}]}":                                         `want rows or racks`,
		"{decommission: [{date: 2026-02-01, rows: A, count: 2, model: dgx-h100}]}":   `want rows or racks, or else a model and a count`,
		"{reservations: [{name: x, power: 4 kW}]}":                                   `want rows or racks`,
		"{reservations: [{name: x, count: 4, power: 4 kW}]}":                         `want a count of servers, or else power`,
		"{reservations: [{name: x, count: 4, from: 2026-03-01, until: 2026-02-01}]}": `lapses on 2026-02-01, before it begins`,
		"{reservations: [{name: x, count: 4}, {name: x, count: 4}]}":                 `stands twice`,
	} {
		_, err := Load("p.yaml", []byte(fmt.Sprintf(planHall, plan)), Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p.yaml:7:") {
			t.Errorf("%s: %v\nwant %q at line 7", plan, err, want)
		}
	}
}

func TestPlanComesBackResolved(t *testing.T) {
	const plan = `{horizon: 400 d, deliveries: [{date: 2026-05-01, count: 3}], commission: [{date: 2026-04-01, racks: [A03]}],
  decommission: [{date: 2026-06-01, model: dgx-h100, count: 1}], refresh: [{date: 2026-07-01, from: dgx-h100, to: dgx-b200, count: 1}],
  reservations: [{name: r, count: 2}, {name: s, power: 4 kW, rows: A, until: 2026-08-01}], demand: {growth: 1 server/quarter, spread: 10%}}`
	s, err := Load("p.yaml", []byte(fmt.Sprintf(planHall, plan)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load("p.yaml", text, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a, ok := s.Plan()
	b, _ := again.Plan()
	if !ok || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("the plan changes by being printed:\n%+v\n%+v", a, b)
	}
	if a.Model != "dgx-h100" || a.End.Sub(a.Start).Hours() != 400*24 || len(a.Reservations[1].Racks) != 3 {
		t.Errorf("%+v", a)
	}
	if s.ID() == "" || s.ID() != again.ID() {
		t.Errorf("ids %s and %s", s.ID(), again.ID())
	}
	if err := compiledSchema(t).Validate(asJSON(t, string(text))); err != nil {
		t.Error(err)
	}
}
