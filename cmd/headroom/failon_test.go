package main

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"headroom/sim"
)

func TestFailOn(t *testing.T) {
	r := &sim.Result{}
	r.Energy.PUE = 1.3
	r.Energy.TUE = sim.Num(math.NaN())
	r.Energy.WUE = sim.Num(math.Inf(1))
	r.Capacity.ServersPlaced = 46
	r.Capacity.Failover = []sim.Failover{{WorstLoadShare: 0.4}, {WorstLoadShare: 0.95}}
	r.Jobs.Submitted = 7
	r.Jobs.WaitS.CI95 = [2]sim.Num{10, 20}
	for _, c := range []struct{ demand, want string }{
		{"pue>1.3", ""},
		{"pue>=1.3", "energy.pue is 1.3"},
		{" energy.pue < 1.31 ", "energy.pue is 1.3"},
		{"pue==1.3", "energy.pue is 1.3"},
		{"pue!=1.3", ""},
		{"pue<=1.2", ""},
		{"energy.tue>9", "energy.tue is unknown"},
		{"wue_l_per_kwh<0", "energy.wue_l_per_kwh is unknown"},
		{"servers_placed<48", "capacity.servers_placed is 46"},
		{"jobs.submitted==7", "jobs.submitted is 7"},
		{"failover.worst_load_share>0.9", "capacity.failover.worst_load_share is 0.95"},
		{"failover.worst_load_share>1e0", ""},
		{"binding.racks>0", "capacity.binding.racks is unknown"},
		{"jobs.wait_s.ci95>15", "jobs.wait_s.ci95 is 20"},
	} {
		d, err := parseDemands([]string{c.demand})
		if err != nil {
			t.Errorf("%s: %v", c.demand, err)
			continue
		}
		got := strings.Join(judge(d, r), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.demand, got, c.want)
		}
	}
}

func TestFailOnMistakes(t *testing.T) {
	for _, c := range []struct{ demand, want, hint string }{
		{"pue", "want KEY OP NUMBER", ""},
		{"", "want KEY OP NUMBER", ""},
		{"pue=1.3", "want KEY OP NUMBER", ""},
		{"pue>1.3 kW", "want KEY OP NUMBER", ""},
		{"pue>NaN", `"NaN" is not a number`, ""},
		{"pue>Inf", `"Inf" is not a number`, ""},
		{"pue>5%", `"5%" is not a number`, ""},
		{"peu>1", `no figure "peu"`, `"pue"`},
		{"energy.peu>1", `no figure "energy.peu"`, `"energy.pue"`},
		{"energy>1", `no figure "energy"`, ""},
		{"scenario>1", `no figure "scenario"`, ""},
		{"mean>1", "is one of thermal.gpu_c.mean", ""},
	} {
		_, err := parseDemands([]string{c.demand})
		var usage usageError
		if !errors.As(err, &usage) || !strings.Contains(usage.text, c.want) || !strings.Contains(usage.hint, c.hint) {
			t.Errorf("%q: got %#v, want %q with hint %q", c.demand, err, c.want, c.hint)
		}
	}
	_, err := parseDemands([]string{"peu>1", "pue>1", "pue>x"})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want both mistakes, got %v", err)
	}
}

// Every key that --fail-on takes stands in result.json, and every number of result.json can be named.
func TestFailOnKeysAreResultKeys(t *testing.T) {
	var full sim.Result
	full.Capacity.Binding = make([]sim.Binding, 1)
	full.Capacity.Failover = []sim.Failover{{Racks: make([]sim.FailoverRacks, 1)}}
	full.Energy.Cost = make([]sim.Money, 1)
	full.Energy.PartialPUE = make([]sim.ZonePUE, 1)
	full.Energy.Zones = make([]sim.ZoneEnergy, 1)
	full.Money = &sim.Account{Bills: make([]sim.Money, 1), Components: make([]sim.CapexLine, 1), Cloud: make([]sim.CloudPrice, 1)}
	full.Compute.TokensPerMoney = make([]sim.Money, 1)
	full.Compute.Models = make([]sim.ModelThroughput, 1)
	full.Compute.Services = make([]sim.ServiceResult, 1)
	full.Intervals = make([]sim.Interval, 1)
	full.Incidents = &sim.Incidents{Scripted: make([]sim.Scripted, 1)}
	full.Jobs.Scheduling = &sim.SchedulingResult{Tenants: make([]sim.TenantUse, 1)}
	full.Jobs.ByClass = make([]sim.ClassJobs, 1)
	full.Actions = make([]sim.Action, 1)
	full.Power = make([]sim.PowerSpread, 1)
	full.Ride = &sim.RideThrough{Cases: make([]sim.RideCase, 1)}
	full.Run.Extrapolations = make([]sim.Extrapolation, 1)
	data, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	want := numbersOf(tree, "")
	got := sim.NumberKeys()
	slices.Sort(want)
	slices.Sort(got)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("keys differ:\n got %v\nwant %v", got, want)
	}
}

func numbersOf(v any, at string) []string {
	var out []string
	switch v := v.(type) {
	case float64:
		return []string{strings.TrimPrefix(at, ".")}
	case []any:
		for _, e := range v {
			out = append(out, numbersOf(e, at)...)
		}
	case map[string]any:
		for k, e := range v {
			out = append(out, numbersOf(e, at+"."+k)...)
		}
	}
	return out
}
