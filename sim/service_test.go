package sim

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"headroom/sim/perf"
	"headroom/sim/serving"
	"headroom/sim/workload"
)

// chat is a service of replicas of a server each that give 1,000 tokens a second.
func chat(replicas int) workload.Class {
	return workload.Class{
		Name: "chat", Kind: workload.Inference, GPUs: []workload.Size{{GPUs: 8, Weight: 1}}, Replicas: replicas, Activity: 0.5, MemoryBound: 0.75,
		CheckpointS: math.Inf(1), Restart: true, Throughput: []workload.Throughput{{Server: 0, GPUs: 8, TokensPerS: 1000, PFLOPS: 1, Model: "m"}},
	}
}

// A service that follows a profile gives what the arithmetic of replicas that start with a delay gives.
func TestReplicasFollowTheLoad(t *testing.T) {
	l := hall{racks: 2, perRack: 2}.layout(t)
	c := chat(4)
	c.Profile = make([]float64, workload.HoursPerWeek)
	for h := range c.Profile {
		c.Profile[h] = []float64{0.1, 0.9, 1, 0.3, 0.5, 0.05}[h%6]
	}
	c.Least = 1
	for _, x := range []perf.Scaling{{Least: 1, Most: 4, StartS: 600}, {Least: 1, Most: 4, StartS: 600, Spare: 0.2}, {Least: 1, Most: 4}} {
		cfg := config(3*day, c)
		cfg.Unlimited = true
		cfg.Services = []Service{{Class: 0, StepNS: hourNS, Scale: &ServiceScale{Least: x.Least, Most: x.Most, Spare: x.Spare, StartS: x.StartS}}}
		r := mustRun(t, l, cfg)
		var load []float64
		at := cfg.Start
		for range 72 {
			load = append(load, 4*c.Profile[(int(at.Weekday()+6)%7)*24+at.Hour()])
			at = at.Add(time.Hour)
		}
		want := perf.Scale(x, load, 1, 3600)
		if got := float64(r.Compute.SLAAttainment); math.Abs(got-want.Attainment) > 1e-9 {
			t.Errorf("%+v: attainment %.9f, by arithmetic %.9f", x, got, want.Attainment)
		}
		// A replica of the last look of an hour is counted from that hour on.
		if got := float64(r.Jobs.ByClass[0].GPUHours) / 8; math.Abs(got-want.ReplicaHours) > 1e-6 {
			t.Errorf("%+v: %.4f replica-hours, by arithmetic %.4f", x, got, want.ReplicaHours)
		}
		s := r.Compute.Services[0]
		if s.ScaledOut == 0 || s.ScaledIn == 0 || s.Requests.Known() {
			t.Errorf("%+v", s)
		}
	}
}

// trace is requests every so often with what they ask for.
func trace(gapS float64, n, context, generated int) *workload.RequestTrace {
	var b strings.Builder
	b.WriteString("timestamp_ms,input_length,output_length\n")
	for i := range n {
		fmt.Fprintf(&b, "%.0f,%d,%d\n", 1000*gapS*float64(i), context, generated+i%7)
	}
	text := b.String()
	return &workload.RequestTrace{Name: "t", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// plain holds up to 16 requests, each with a token every 20 ms.
func plain() *perf.Steps {
	s := &perf.Steps{CacheTokens: 1e6, ReadWorkS: 1e-4, WriteWorkS: 0.00125, PFLOPPerToken: 1e-4}
	for range 17 {
		s.AloneS, s.PromptS = append(s.AloneS, 0.02), append(s.PromptS, 0.02)
		s.PromptPerS, s.FirstS = append(s.PromptPerS, 1e4), append(s.FirstS, 0.02)
	}
	return s
}

// Every request of a trace is served once, its tokens counted, on replicas that come, go and fail.
func TestRequestsAreServed(t *testing.T) {
	l := hall{racks: 2, perRack: 2}.layout(t)
	const n = 20_000
	run := func(scale *ServiceScale, change func(*Config)) *Result {
		c := config(2*day, chat(4))
		if scale != nil {
			c.Classes[0].Least = scale.Least
		}
		tr := trace(4, n, 1000, 200)
		c.Services = []Service{{
			Class: 0, Requests: tr, Steps: []*perf.Steps{plain()}, Copies: []int{2}, Goals: serving.Goals{FirstTokenS: 1, PerTokenS: 0.05}, StepNS: 60e9, Scale: scale,
		}}
		if change != nil {
			change(&c)
		}
		return mustRun(t, l, c)
	}
	tokens := 0.0
	for i := range n {
		tokens += float64(200 + i%7)
	}
	all := run(nil, nil)
	s := &all.Compute.Services[0]
	if s.Ended != n || s.Within != n || s.SLAAttainment != 1 || math.Abs(float64(all.Compute.Tokens)/tokens-1) > 1e-9 || math.Abs(float64(all.Compute.TokensServed)/tokens-1) > 1e-9 {
		t.Errorf("%+v, %.1f tokens of %.1f", *s, float64(all.Compute.Tokens), tokens)
	}
	// Alone: the prompt takes 0.1 s, the pass 0.02 s; a token every 20 ms.
	if math.Abs(float64(s.FirstTokenS.P50)-0.12) > 0.002 || math.Abs(float64(s.PerTokenS.P99)-0.02) > 0.0005 {
		t.Errorf("first token %.4f s, a token %.4f s", float64(s.FirstTokenS.P50), float64(s.PerTokenS.P99))
	}
	few := run(&ServiceScale{Least: 1, Most: 4, StartS: 120, HoldS: 300}, nil)
	if s := few.Compute.Services[0]; s.Ended != n || s.ReplicasMost != 1 || math.Abs(float64(few.Compute.GPUHoursAllocated)-48*8) > 1e-6 {
		t.Errorf("a load for one replica: %+v, %.1f GPU-hours held", s, float64(few.Compute.GPUHoursAllocated))
	}
	fails := func(c *Config) { c.Failures = Failures{ServerPerNodeDay: 3, RepairS: 3600, RestartS: 300} }
	a, b := run(&ServiceScale{Least: 2, Most: 4, StartS: 120, HoldS: 300}, fails), run(&ServiceScale{Least: 2, Most: 4, StartS: 120, HoldS: 300}, fails)
	s = &a.Compute.Services[0]
	if s.Requests != n || s.Ended != n || s.Retried == 0 || s.Within == n {
		t.Errorf("under failures: %+v", *s)
	}
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	if err1 != nil || err2 != nil || string(x) != string(y) {
		t.Errorf("two runs differ (%v, %v)", err1, err2)
	}
}

// More than the replicas at hand can do has others started, as many as it takes and no more, and they go again.
func TestRequestsHaveReplicasStarted(t *testing.T) {
	l := hall{racks: 2, perRack: 2}.layout(t)
	c := config(12*time.Hour, chat(4))
	c.Classes[0].Least = 1
	// 0.35 s of work each: 8 a second keep 2.8 copies busy. For an hour; then nothing comes.
	c.Services = []Service{{
		Class: 0, Requests: trace(1.0/8, 8*3600, 1000, 200), Steps: []*perf.Steps{plain()}, Copies: []int{1}, Goals: serving.Goals{FirstTokenS: 1, PerTokenS: 0.05},
		StepNS: 60e9, Scale: &ServiceScale{Least: 1, Most: 4, StartS: 120, HoldS: 600, Spare: 0.1},
	}}
	r := mustRun(t, l, c)
	s := r.Compute.Services[0]
	if s.ReplicasMost != 4 || s.ReplicasLeast != 1 || s.ScaledOut != 3 || s.ScaledIn != 3 || s.Ended != s.Requests {
		t.Errorf("%+v", s)
	}
	if s.SLAAttainment < 0.9 || s.SLAAttainment > 0.9999 {
		t.Errorf("attainment %.4f: the first minutes must miss, and they alone", float64(s.SLAAttainment))
	}
	if j := r.Jobs.JobCounts; j.Submitted != 4 || j.Done != 3 || j.Running != 1 {
		t.Errorf("%+v", j)
	}
}
