package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"headroom/facility/placement"
	"headroom/sim"
	"headroom/sim/sched"
	"headroom/sim/workload"
)

const queueText = `
workload:
  - {name: train, kind: training, gpus: {8: 3, 16: 1}, arrivals: 4/day, length: {median: 6 h, p95: 2 d}, priority: 2, tenant: ann, on: [h100]}
  - {name: like, kind: batch, like: philly, arrivals: 60/day, spot: lose, tenant: bob, rhythm: diurnal}
  - {name: part, kind: batch, gpus: 1, share: 30%, arrivals: 100/day, length: {median: 1 h, weibull: 0.7}, spot: checkpoint, burst: {ratio: 10, share: 10%, length: 1 h}}
  - {name: night, kind: batch, gpus: 8, arrivals: 6/day, length: {quantiles: [1 h, 2 h, 9 h]}, defer: 12 h}
scheduling:
  order: fair-share
  backfill: easy
  depth: 7
  placement: fgd
  preempt: true
  gang_timeout: 2 h
  tenants: [{name: bob, weight: 2}, {name: eve, quota: 2.5}]
  shift: {by: price, hours: [1, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}
`

func configured(t *testing.T, text string, o Options) (*Scenario, sim.Config) {
	t.Helper()
	s, err := Load("q.yaml", []byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	l, err := placement.Place(f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Configure(l)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestSchedulingIsConfigured(t *testing.T) {
	s, c := configured(t, hall+queueText, Options{})
	for range 2 { // as written, and as Resolved prints it
		r := c.Scheduling.Rules
		if r.Order.Name != "fair-share" || r.Backfill != sched.EASY || r.Depth != 7 || !r.Preempt || r.GangTimeoutNS != 2*3600e9 || c.Scheduling.Placement.Name != "fgd" {
			t.Errorf("rules %+v, placement %s", r, c.Scheduling.Placement.Name)
		}
		if got := fmt.Sprint(r.Tenants); got != "[{bob 2 0} {eve 0 2500} {ann 0 0} { 0 0}]" {
			t.Errorf("tenants %s", got)
		}
		train, like, part, night := &c.Classes[0], &c.Classes[1], &c.Classes[2], &c.Classes[3]
		if train.Tenant != 2 || train.Priority != 2 || train.Types != 1 || like.Tenant != 0 || like.Spot != workload.SpotLose || part.Tenant != 3 {
			t.Errorf("classes %+v\n%+v\n%+v", *train, *like, *part)
		}
		if part.Milli != 300 || part.WeibullShape != 0.7 || part.Burst == nil || part.Burst.Ratio != 10 || part.Burst.MeanS != 3600 || part.Spot != workload.SpotCheckpoint {
			t.Errorf("part %+v", *part)
		}
		if len(night.Lengths) != 3 || night.Lengths[1] != (workload.Quantile{P: 0.5, S: 7200}) || night.DeferS != 12*3600 {
			t.Errorf("night %+v", *night)
		}
		p, _ := workload.TraceNamed("philly")
		fit, _ := p.Fit()
		if like.MedianS != fit.MedianS || like.SigmaLn != fit.SigmaLn || len(like.GPUs) != len(fit.GPUs) || like.GPUs[3] != fit.GPUs[3] || len(like.Week) != workload.HoursPerWeek {
			t.Errorf("like %+v", *like)
		}
		if n := len(c.Scheduling.Shift); n != int(c.LengthNS/3600e9) || c.Scheduling.Shift[0] != 1 || c.Scheduling.Shift[25] != 0.5 {
			t.Errorf("%d hours of price, %g and %g", n, c.Scheduling.Shift[0], c.Scheduling.Shift[25])
		}
		for i := range c.Classes {
			if err := c.Classes[i].Check(); err != nil {
				t.Error(err)
			}
		}
		text, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		s, c = configured(t, string(text), Options{})
	}
}

// Deferrable jobs follow the price and carbon that money states by the hour, and the weather's dry bulb.
func TestShiftSignals(t *testing.T) {
	const money = "money: {bands: [{name: valley, from: 22, to: 8, price: 0.35 CNY/kWh}, {name: day, from: 8, to: 22, price: 0.7 CNY/kWh}]}\n"
	_, c := configured(t, hall+strings.Replace(queueText, "shift: {by: price, hours: [1, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}", "shift: {by: price}", 1)+money, Options{})
	if s := c.Scheduling.Shift; len(s) < 48 || s[0] != 0.35 || s[9] == 0.35 || s[22] != 0.35 || s[24+9] == 0.35 {
		t.Errorf("prices %v", s[:min(48, len(s))])
	}
	_, c = configured(t, hall+queueText, Options{Set: []string{"scheduling.shift={by: heat}"}})
	for h, v := range c.Scheduling.Shift {
		if x, ok := c.Weather.At(c.Start.Add(time.Duration(h) * time.Hour)); !ok || x.DryBulbC != v {
			t.Fatalf("hour %d: %g °C, the weather has %g", h, v, x.DryBulbC)
		}
	}
	_, c = configured(t, hall+queueText, Options{Set: []string{"network=infiniband-400", "scheduling.placement=fabric-aware"}})
	if c.Scheduling.Leaf != 32 || c.Scheduling.Placement.Name != "fabric-aware" {
		t.Errorf("%d servers at a set of rails", c.Scheduling.Leaf)
	}
}

func TestBadSchedulingIsTold(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"scheduling.placement=fdg", `no such policy (got "fdg"`},
		{"scheduling.order=fastest", "want one of fair-share, fifo"},
		{"scheduling.backfill=hard", "hard"},
		{"scheduling.tenants=[{name: a}, {name: a}]", "stands twice"},
		{"scheduling.shift={by: carbon}", "carbon needs its hours"},
		{"scheduling.shift={by: heat, hours: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}", "leave hours out"},
		{"workload[0].on=[b200]", "no line of servers"},
		{"workload[0].share=50%", "is for jobs of one GPU"},
		{"workload[0].length={median: 1 h, p95: 2 h, weibull: 0.5}", "leave p95 out"},
		{"workload[0].length={quantiles: [2 h, 1 h]}", "shorter than the one before"},
		{"workload[0].length={median: 1 h, quantiles: [1 h, 2 h]}", "leave median, p95 and weibull out"},
		{"workload[0].burst={ratio: 5, share: 100%, length: 1 h}", "never end"},
		{"workload[1].like=phily", `did you mean "philly"?`},
		{"workload[0].length={p95: 1 h}", "median: a required key is missing"},
	} {
		s, err := Load("q.yaml", []byte(hall+queueText), Options{Set: []string{c.set}})
		if err == nil {
			_, err = s.Configure(nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", c.set, err, c.want)
		}
	}
}

func TestTraceKeys(t *testing.T) {
	files := fstest.MapFS{
		"pods.csv": {Data: []byte("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n" +
			"a,1000,100,1,460,T4,LS,Running,100,400,150\n" +
			"b,1000,100,0,0,,LS,Running,110,400,150\n" +
			"c,1000,100,2,1000,,BE,Pending,120,400,\n" +
			"d,1000,100,8,1000,T4|G2,BE,Running,160,400,200\n")},
		"busy.csv": {Data: []byte("time,running_gpu_num\n2020-05-01 00:00:00,3\n2020-05-01 00:01:00,1\n2020-05-01 00:02:00,1\n")},
		"own.csv":  {Data: []byte("t,n,d,who\n0,8,100,ann\n60,8,200,bob\n30,8,50,ann\n")},
	}
	load := func(replay string, set ...string) (*Scenario, sim.Config, error) {
		o := Options{FS: files, Set: set}
		s, err := Load("q.yaml", []byte(hall+"replay:\n  - "+replay+"\n"), o)
		if err != nil {
			return nil, sim.Config{}, err
		}
		_, c := configured(t, hall+"replay:\n  - "+replay+"\n", o)
		return s, c, nil
	}
	pods := "{name: pods, trace: pods.csv, format: alibaba-gpu-2023, types: {T4: h100, G2: dgx-h100}, speed: 2, rate: 4}"
	if _, _, err := load(pods); err == nil || !strings.Contains(err.Error(), "pods.csv:4:39: start: no value: the job never ran") {
		t.Errorf("a job that never ran is taken: %v", err)
	}
	s, c, err := load(strings.Replace(pods, "speed", "bad: count, speed", 1))
	if err != nil {
		t.Fatal(err)
	}
	jobs := c.Replays[0]
	if len(jobs) != 2 || jobs[0].Milli != 460 || jobs[0].Types != 1 || jobs[0].WorkS != 125 || jobs[0].Priority != 3 || jobs[1].Arrival != 15e9 || jobs[1].GPUs != 8 {
		t.Errorf("pods %+v", jobs)
	}
	told := fmt.Sprint(s.Warnings())
	for _, want := range []string{"1 of pods.csv are left out: each asks for no GPU", "1 problems in lines that are left out of pods.csv", "the job never ran"} {
		if !strings.Contains(told, want) {
			t.Errorf("warnings %s\nwant %s", told, want)
		}
	}
	_, c, err = load("{name: busy, trace: busy.csv, format: occupancy, times: dates, size: 2}")
	if err != nil {
		t.Fatal(err)
	}
	work := 0.0
	for _, j := range c.Replays[0] {
		work += float64(j.GPUs) * j.WorkS
	}
	if work != 2*60*(3+1+1) {
		t.Errorf("%g GPU-seconds of a series", work)
	}
	own := "{name: own, trace: own.csv, columns: {arrival: t, gpus: n, duration: d, tenant: who}}"
	_, c, err = load(own, "scheduling.tenants=[{name: bob, quota: 8}]", "replay[own].span=200 s", "replay[own].window={length: 100 s}")
	if err != nil {
		t.Fatal(err)
	}
	if jobs = c.Replays[0]; len(jobs) != 6 || jobs[0].Tenant != 2 || jobs[2].Tenant != 0 || jobs[3].Arrival != 100e9 || c.Scheduling.Rules.Tenants[0].QuotaMilli != 8000 {
		t.Errorf("jobs %+v of tenants %+v", jobs, c.Scheduling.Rules.Tenants)
	}
	for set, want := range map[string]string{
		"replay[own].disorder=10 s":    "30 s before a job above it",
		"replay[own].types={T4: h100}": "no column holds the types",
		"replay[own].columns.end=d":    "leave one out",
		"replay[own].format=occupancy": "no column",
		"replay[own].on=[b200]":        "no line of servers",
		"replay[own].speed=0":          "speed",
	} {
		if _, _, err := load(own, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", set, err, want)
		}
	}
}

func TestServicesAreConfigured(t *testing.T) {
	files := fstest.MapFS{
		"azure.csv": {Data: []byte("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,1000,100\n2023-11-16 18:15:50.6805900,3000,300\n2023-11-16 18:15:56.6805900,2000,200\n")},
		"own.csv":   {Data: []byte("t,in,out\n0,100,10\n2000,300,30\n1000,5,5\n3000,100,x\n")},
	}
	const text = `
workload:
  - {name: chat, kind: inference, model: {name: llama-3-8b, first_token: 1 s, per_token: 50 ms}, gpus: 32, requests: {trace: azure.csv, rate: 2, span: 1 h}, load: diurnal, scale: {min: 2}}
  - {name: tide, kind: inference, gpus: 16, load: diurnal, scale: {min: 1, spare: 0%, start: 90 s}}
`
	o := Options{FS: files}
	s, c := configured(t, hall+text, o)
	for range 2 { // as written, and as Resolved prints it
		if len(c.Services) != 2 {
			t.Fatalf("%d services", len(c.Services))
		}
		chat, tide := &c.Services[0], &c.Services[1]
		r := chat.Requests
		if r == nil || r.RateScale != 2 || r.SpanS != 3600 || r.PeriodS != 7.5 || len(r.Week) != workload.HoursPerWeek || chat.StepNS != 60e9 || chat.Goals.PerTokenS != 0.05 {
			t.Errorf("chat %+v of %+v", *chat, r)
		}
		if sc := chat.Scale; sc == nil || sc.Least != 2 || sc.Most != 4 || sc.Spare != 0.2 || sc.StartS != 120 || sc.HoldS != 300 || c.Classes[0].Least != 2 || c.Classes[0].Profile != nil {
			t.Errorf("scale %+v of class %+v", sc, c.Classes[0])
		}
		if chat.Steps[0] == nil || chat.Copies[0] < 1 {
			t.Errorf("steps %+v", chat.Steps)
		}
		if tide.Requests != nil || tide.StepNS != 3600e9 || tide.Scale.StartS != 90 || c.Classes[1].Profile == nil {
			t.Errorf("tide %+v", *tide)
		}
		printed, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		if want := "input: 2000, output: 200, spread: 0.408"; !strings.Contains(string(printed), want) {
			t.Errorf("the model isn't planned for the trace's requests: want %s in\n%s", want, printed)
		}
		s, c = configured(t, string(printed), o)
	}
	for set, want := range map[string]string{
		"workload[chat].scale.min=9":      "has room for 4",
		"workload[chat].scale.spare=100%": "serves nobody",
		"workload[chat].model=null":       "none is stated",
		"workload[chat].requests=own.csv": "no column",
		"workload[chat].requests={trace: own.csv, columns: {time: t, context: in, generated: out}, times: ms}": "own.csv:4:1: time: 1 s before the line above",
		"workload[chat].requests={trace: azure.csv, window: {from: 1 h}}":                                      "no request that is used",
		"workload[chat].requests={trace: azure.csv, times: ms}":                                                "columns that are named",
		"workload[chat].requests=none.csv":                                                                     "no such file",
		"workload[chat].requests={trace: azure.csv, rate: 1e6, span: 2 d}":                                     "want at most 1e+09",
		"workload[chat].requests.step=1 ms":                                                                    "at least 1 s",
		"workload[chat].kind=batch":                                                                            "is for inference",
	} {
		if _, err := Load("q.yaml", []byte(hall+text), Options{FS: files, Set: []string{set}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", set, err, want)
		}
	}
	bad := "workload[chat].requests={trace: own.csv, columns: {time: t, context: in, generated: out}, times: ms, bad: count}"
	s, err := Load("q.yaml", []byte(hall+text), Options{FS: files, Set: []string{bad}})
	if err != nil || !strings.Contains(fmt.Sprint(s.Warnings()), "2 problems in lines that are left out of own.csv") {
		t.Errorf("bad lines are not counted: %v", err)
	}
}

// A trace that is read while the run goes on gives the jobs that one held in memory gives.
func TestTracesAreStreamed(t *testing.T) {
	var text strings.Builder
	text.WriteString("arrival_s,num_gpus,duration_s,who\n")
	for i := range 300 {
		fmt.Fprintf(&text, "%d,%d,%d,%s\n", 40*i+i%3, 1+i%16, 100+i%7, []string{"ann", "bob"}[i%2])
	}
	files := fstest.MapFS{"jobs.csv": {Data: []byte(text.String())}, "late.csv": {Data: []byte(strings.Replace(text.String(), "\n41,", "\n121,", 1))}}
	for _, replay := range []string{
		"{name: a, trace: jobs.csv}",
		"{name: a, trace: jobs.csv, columns: {tenant: who}, window: {from: 1 h, length: 2 h}, rate: 2, size: 2, span: 5 h, on: [h100]}",
		"{name: a, trace: jobs.csv, tenant: carl, priority: 3, span: 7 h, speed: 2}",
		"{name: a, trace: late.csv, disorder: 100 s}",
		"{name: a, trace: late.csv}",
		"{name: a, trace: jobs.csv, shuffle: true, span: 6 h}",
	} {
		var jobs [2][]workload.Job
		for k, held := range []int{workload.HeldJobs, 50} {
			heldJobs = held
			_, c := configured(t, hall+"replay:\n  - "+replay+"\n", Options{FS: files})
			heldJobs = workload.HeldJobs
			sources := []workload.Source{workload.Replay(c.Replays)}
			var streams []*workload.ReplaySource
			for _, r := range c.Streams {
				streams = append(streams, r.Source())
				sources = append(sources, streams[len(streams)-1])
			}
			whole := strings.Contains(replay, "shuffle") || replay == "{name: a, trace: late.csv}" // can't be told before its end
			if (len(streams) == 1) != (held == 50 && !whole) {
				t.Errorf("%s: %d streams", replay, len(streams))
			}
			all := workload.Merge(sources...)
			for j, ok := all.Next(); ok; j, ok = all.Next() {
				jobs[k] = append(jobs[k], j)
			}
			for _, s := range streams {
				if s.Err() != nil {
					t.Error(s.Err())
				}
			}
		}
		if len(jobs[0]) < 100 || !slices.Equal(jobs[0], jobs[1]) {
			t.Errorf("%s: %d jobs held, %d streamed, not the same", replay, len(jobs[0]), len(jobs[1]))
		}
	}
	// A file that is another when the run reads it is told, not replayed.
	heldJobs = 50
	defer func() { heldJobs = workload.HeldJobs }()
	s, c := configured(t, hall+"replay:\n  - {name: a, trace: jobs.csv}\nrun: {length: 1 d}\n", Options{FS: files})
	files["jobs.csv"].Data = files["jobs.csv"].Data[:3000]
	f, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	l, err := placement.Place(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Run(t.Context(), l, c); !errors.Is(err, workload.ErrTraceChanged) {
		t.Errorf("a trace that changed: %v", err)
	}
}

// Slices of GPUs: the profile's parts reach the class, its model is reckoned on them, and seven jobs run on one GPU.
func TestSlicesAreConfigured(t *testing.T) {
	const text = `
workload:
  - {name: nb, kind: batch, gpus: 1, slice: 1g.10gb, arrivals: 500/day, length: {median: 2 h}}
  - {name: small, kind: inference, gpus: 6, slice: 3g.40gb, model: {name: llama-3-8b, precision: fp8}}
`
	s, c := configured(t, hall+text, Options{})
	for range 2 {
		nb, small := &c.Classes[0], &c.Classes[1]
		if nb.Slice != (workload.Slice{Name: "1g.10gb", Compute: 1, Memory: 1, Starts: 127}) || nb.Milli != 125 || nb.Types != 1 {
			t.Errorf("nb %+v", *nb)
		}
		if small.Replicas != 6 || small.GPUs[0].GPUs != 1 || small.Milli != 500 || small.Slice.Starts != 0b10001 || len(small.Throughput) != 1 {
			t.Errorf("small %+v", *small)
		}
		whole, err := Load("q.yaml", []byte(hall+text), Options{Set: []string{"workload[small].slice=7g.80gb"}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := whole.Configure(nil)
		if err != nil {
			t.Fatal(err)
		}
		// 3 of 7 parts of compute and half of memory: about that much of the tokens.
		if r := small.Throughput[0].TokensPerS / w.Classes[1].Throughput[0].TokensPerS; r < 0.35 || r > 0.55 || w.Classes[1].Milli != 0 {
			t.Errorf("a 3g slice gives %.3f of its GPU", r)
		}
		printed, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		s, c = configured(t, string(printed), Options{})
	}
	f, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	l, err := placement.Place(f)
	if err != nil {
		t.Fatal(err)
	}
	c.Check, c.LengthNS = true, 5*86400e9
	r, err := sim.Run(t.Context(), l, c)
	if err != nil {
		t.Fatal(err)
	}
	if j := r.Jobs.ByClass; j[0].Done < 100 || j[1].Running != 6 || float64(r.Compute.TokensServed) <= 0 {
		t.Errorf("%+v", j)
	}
	for set, want := range map[string]string{
		"workload[nb].slice=1g.18gb":    `there are 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb`,
		"workload[nb].slice=1g.10g":     `did you mean "1g.10gb"?`,
		"workload[nb].gpus=8":           "a slice is of one GPU",
		"workload[nb].share=50%":        "leave one out",
		"servers[0].model=mi300x-air":   "can be cut into slices",
		"workload[small].slice=1g.10gb": "GB",
	} {
		s, err := Load("q.yaml", []byte(hall+text), Options{Set: []string{set}})
		if err == nil {
			_, err = s.Configure(nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", set, err, want)
		}
	}
}
