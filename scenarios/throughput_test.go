package scenarios

import (
	"context"
	"math"
	"strings"
	"testing"

	"headroom/sim"
)

func example(t *testing.T, name string, o Options) *Scenario {
	t.Helper()
	data, ok := ExampleFile(name)
	if !ok {
		t.Fatalf("no example %s", name)
	}
	s, err := Load(name+".yaml", data, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A class that names a model knows its rate for every size, takes its memory-bound share from it, and reads back the same.
func TestModelOfAClass(t *testing.T) {
	s := example(t, "buyer-training", Options{})
	c, err := s.Configure(nil)
	if err != nil {
		t.Fatal(err)
	}
	work := c.Classes[0]
	for i, gpus := range []int{8, 32, 256} {
		x := work.ThroughputOn(0, gpus)
		if x == nil || x.TokensPerS <= 0 || x.MFU < 0.35 || x.MFU > 0.55 || i > 0 && x.TokensPerS <= work.Throughput[i-1].TokensPerS {
			t.Errorf("%d GPUs: %+v", gpus, x)
		}
	}
	if work.ThroughputOn(0, 16) != nil || work.ThroughputOn(1, 8) != nil {
		t.Error("a size or server that no job takes has a rate")
	}
	fed, err := example(t, "buyer-training", Options{Set: []string{"workload[train-70b].model={name: llama-3-70b, feed: 100000}"}}).Configure(nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := fed.Classes[0].ThroughputOn(0, 256); x.TokensPerS != 100000 || x.Bound != "storage or hosts" {
		t.Errorf("fed with 100,000 tokens/s: %+v", x)
	}
	text, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load("again.yaml", text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := again.Configure(nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Classes[0].MemoryBound != work.MemoryBound || work.MemoryBound == 0.15 {
		t.Errorf("memory-bound share %g, read back %g", work.MemoryBound, d.Classes[0].MemoryBound)
	}
}

// Slower networks never train faster; NVSwitch beats bridged cards; newer GPUs beat older ones.
func TestBuyersOrder(t *testing.T) {
	rate := func(variant string) float64 {
		c, err := example(t, "buyer-training", Options{Variant: variant}).Configure(nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Classes[0].ThroughputOn(0, 256).TokensPerS
	}
	for _, order := range [][]string{
		{"a100", "", "h200", "b200"},
		{"pcie", ""},
		{"net-25g", "net-100g", "net-400g-one", ""},
	} {
		for i := 1; i < len(order); i++ {
			if rate(order[i]) <= rate(order[i-1]) {
				t.Errorf("%q gives %.0f tokens/s, %q %.0f", order[i], rate(order[i]), order[i-1], rate(order[i-1]))
			}
		}
	}
}

// A goal tighter than those that serving is held against says so.
func TestTightGoalsAreWarnedOf(t *testing.T) {
	for variant, want := range map[string]bool{"": true, "slow-goal": false} {
		found := false
		for _, w := range example(t, "buyer-serving", Options{Variant: variant}).Warnings() {
			found = found || strings.Contains(w.Msg, "too kind")
		}
		if found != want {
			t.Errorf("variant %q warns of tight goals: %v, want %v", variant, found, want)
		}
	}
}

func TestModelRefusals(t *testing.T) {
	data, _ := ExampleFile("buyer-training")
	for _, c := range []struct{ set, want string }{
		{"workload[train-70b].model=llama-3-7b", "llama-3-"},
		{"network.link=infinband-400", "infiniband-400"},
		{"network=null", "no network is stated"},
		{"workload[train-70b].model={name: llama-3-70b, precision: fp4}", "does not have the precision"},
		{"workload[train-70b].model={name: llama-3-70b, precison: fp8}", "precision"},
		{"workload[train-70b].model=llama-3-405b", "does not fit"},
	} {
		_, err := Load("x.yaml", data, Options{Set: []string{c.set}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
}

// Tokens are the effective work times the rate, less nothing and more nothing; a service serves what it is asked for.
func TestTokensComeOutOfEffectiveWork(t *testing.T) {
	run := func(name string, set ...string) (*sim.Result, sim.Config) {
		s := example(t, name, Options{Set: set})
		f, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		l := place(t, mustText(t, name), Options{Set: set})
		l.Facility = f
		c, err := s.Configure(l)
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(context.Background(), l, c)
		if err != nil {
			t.Fatal(err)
		}
		return r, c
	}
	for _, set := range [][]string{
		{"run.length=20 d"},
		{"run.length=20 d", "servers[0].gpu_cap=400 W"},
		{"run.length=20 d", "failures.server.rate=100 per 1000 node-days"},
	} {
		r, c := run("buyer-training", append(set, "workload[train-70b].gpus=32", "workload[train-70b].arrivals=3/day")...)
		x := c.Classes[0].ThroughputOn(0, 32)
		want := float64(r.Compute.GPUHoursEffective) * 3600 * x.TokensPerS / 32
		if math.Abs(float64(r.Compute.Tokens)/want-1) > 1e-9 {
			t.Errorf("%v: %.6g tokens, effective work says %.6g", set, float64(r.Compute.Tokens), want)
		}
		if got := float64(r.Compute.TokensPerKWh) * float64(r.Energy.FacilityKWh); math.Abs(got/float64(r.Compute.Tokens)-1) > 1e-12 {
			t.Errorf("%v: tokens per kWh times kWh is %.6g of %.6g tokens", set, got, float64(r.Compute.Tokens))
		}
		if got := float64(r.Jobs.ByClass[0].Tokens); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%v: the class has %.6g tokens, effective work says %.6g", set, got, want)
		}
		if m := r.Compute.TokensPerMoney; len(m) != 1 || m[0].Currency != "CNY" || math.Abs(float64(m[0].Amount*r.Energy.Cost[0].Amount/r.Compute.Tokens)-1) > 1e-12 {
			t.Errorf("%v: tokens per money %v, cost %v", set, m, r.Energy.Cost)
		}
		if !math.IsNaN(float64(r.Compute.SLAAttainment)) {
			t.Errorf("%v: training has an SLA attainment of %v", set, r.Compute.SLAAttainment)
		}
	}
	calm, c := run("buyer-serving", "run.length=7 d", "failures.server=null")
	week := 0.0
	for _, x := range c.Classes[0].Profile {
		week += x * 3600
	}
	if want := week * 22 * c.Classes[0].Throughput[0].TokensPerS; math.Abs(float64(calm.Compute.Tokens)/want-1) > 1e-9 || math.Abs(float64(calm.Compute.SLAAttainment)-1) > 1e-9 {
		t.Errorf("a calm week serves %.6g tokens of %.6g, attainment %v", float64(calm.Compute.Tokens), want, calm.Compute.SLAAttainment)
	}
	if got := float64(calm.Jobs.ByClass[0].Tokens); math.Abs(got/float64(calm.Compute.TokensServed)-1) > 1e-9 {
		t.Errorf("the service has %.6g tokens, the hall served %.6g", got, float64(calm.Compute.TokensServed))
	}
	warm, _ := run("buyer-spot", "run.length=12 d", "run.warmup=5 d", "failures.server.rate=50 per 1000 node-days")
	sum := 0.0
	for _, k := range warm.Jobs.ByClass {
		sum += float64(k.Tokens)
	}
	if got := float64(warm.Compute.Tokens); math.Abs(sum/got-1) > 1e-6 {
		t.Errorf("after a warm-up the classes have %.6g tokens, the hall %.6g", sum, got)
	}
	broken, _ := run("buyer-serving", "run.length=7 d", "failures.server.rate=300 per 1000 node-days", "workload[chat].gpus=192")
	if s := float64(broken.Compute.SLAAttainment); s >= 0.999 || s < 0.5 {
		t.Errorf("servers that fail every three days, without spares, attain %.4f", s)
	}
}

func mustText(t *testing.T, name string) string {
	t.Helper()
	data, ok := ExampleFile(name)
	if !ok {
		t.Fatal(name)
	}
	return string(data)
}
