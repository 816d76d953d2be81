package perf

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility/catalog"
	"headroom/validation"
)

// job is a training job on servers of 8, with one port of a network for every GPU.
func job(t testing.TB, model, gpu string, gpus int, inside, outside string, ports int) Training {
	t.Helper()
	c := catalog.Default()
	g, err := NewGPU(c, gpu)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(c, model)
	if err != nil {
		t.Fatal(err)
	}
	if inside == "" {
		inside = g.Inside
	}
	in, err := NewLink(c, inside)
	if err != nil {
		t.Fatal(err)
	}
	out, err := NewLink(c, outside)
	if err != nil {
		t.Fatal(err)
	}
	return Training{
		Model: m, GPU: g, GPUs: gpus, Precision: BF16, Sequence: 8192, BatchTokens: 4 << 20,
		Fabric: Fabric{PerServer: 8, Inside: in, Outside: out, Ports: ports, Oversubscription: 1, LeafServers: 4, Rails: true},
		HostGB: 2000, HostGBs: 25,
	}
}

// "The Llama 3 Herd of Models" (arXiv 2407.21783), table of scaling configurations: splits and BF16 MFU of the 405B model.
// The first row is the one that trainProduct was fitted to.
func TestLlama3(t *testing.T) {
	for _, r := range []struct {
		gpus, sequence int
		split          Split
		mfu, within    float64
	}{
		{8192, 8192, Split{Tensor: 8, Pipeline: 16, Sequence: 1, Data: 64, Micro: 1}, 0.43, 0.005},
		{16384, 8192, Split{Tensor: 8, Pipeline: 16, Sequence: 1, Data: 128, Micro: 1}, 0.41, 0.04},
		{16384, 131072, Split{Tensor: 8, Pipeline: 16, Sequence: 16, Data: 8, Micro: 1}, 0.38, 0.04},
	} {
		j := job(t, "llama-3-405b", "h100", r.gpus, "", "roce-400", 8)
		j.Sequence, j.BatchTokens = r.sequence, 16<<20
		p, err := Plan(j, r.split)
		if err != nil {
			t.Error(err)
		}
		best, err := Train(j)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%5d H100, %6d tokens: %s: %.0f %% published, %.1f %% here; fastest here %s, %.1f %%", r.gpus, r.sequence, r.split, 100*r.mfu, 100*p.MFU, best.Split, 100*best.MFU)
		id, what := fmt.Sprintf("training/llama-3-405b-%d-%d", r.gpus, r.sequence), fmt.Sprintf("Llama 3 405B on %d H100, %d tokens a sequence: MFU", r.gpus, r.sequence)
		const source = "The Llama 3 Herd of Models (arXiv 2407.21783), table of scaling configurations"
		validation.Within(id, what+" of the published split", "", r.mfu, r.within, source).Check(t, p.MFU)
		validation.Within(id+"-best", what+" of the fastest split found", "", r.mfu, 0.04, source).Check(t, best.MFU)
		if best.TokensPerS < p.TokensPerS {
			t.Error("the fastest split is slower than the published one")
		}
	}
}

// What buyers ask, against the ranges of published runs (A100 45–57 %, H100 up to 47 % in Megatron-LM and 38–43 % at scale;
// MI300X 25–35 % and H200 as H100 plus 0–5 points assumed). B200 is printed only: its published range is assumed itself.
func TestPublishedRanges(t *testing.T) {
	for gpu, r := range map[string][2]float64{"a100": {0.45, 0.57}, "h100": {0.38, 0.49}, "h200": {0.38, 0.54}, "mi300x": {0.25, 0.35}, "b200": {0, 1}} {
		for _, n := range []int{8, 32, 256} {
			p, err := Train(job(t, "llama-3-70b", gpu, n, "", "infiniband-400", 8))
			if err != nil {
				t.Errorf("%s x%d: %v", gpu, n, err)
				continue
			}
			t.Logf("llama-3-70b on %3d %-6s %-40s %8.0f tokens/s, %5.0f a GPU, MFU %.1f %%, 1T tokens in %.0f days", n, gpu, p.Split, p.TokensPerS, p.TokensPerS/float64(n), 100*p.MFU, p.Days(1e12, 1))
			if p.MFU < r[0] || p.MFU > r[1] {
				t.Errorf("%s x%d: MFU %.3f outside %v", gpu, n, p.MFU, r)
			}
		}
	}
}

// Fine-tuning with adapters in FP8 on 8 GPUs, as MLPerf Training's llama2-70b LoRA: 29.1 min on H100 (v4.0, immersion), about 24 on
// H200 and 12.96 on B200 (v4.1). What the runs read is not known exactly, so only their ratios are held.
func TestAdaptersAgainstMLPerfTraining(t *testing.T) {
	rate := func(gpu string) float64 {
		j := job(t, "llama-3-70b", gpu, 8, "", "infiniband-400", 8)
		j.Precision, j.Adapters, j.BatchTokens = FP8, true, 8*8192
		p, err := Train(j)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s, %.0f tokens/s", gpu, p.Split, p.TokensPerS)
		return p.TokensPerS
	}
	h100 := rate("h100")
	for gpu, want := range map[string]float64{"h200": 29.1 / 24, "b200": 29.1 / 12.96} {
		validation.Share("training/adapters-"+gpu+"-over-h100", "fine-tuning a 70B model with adapters, "+gpu+" over H100", "times", want, 0.15, "MLPerf Training v4.0 and v4.1, llama2-70b LoRA on 8 GPUs").
			Check(t, rate(gpu)/h100)
	}
}

// Data-parallel training in one box, 8,192 tokens a GPU and step: 95–99 % of linear over NVSwitch, 60–85 % over PCIe.
func TestScalingInOneBox(t *testing.T) {
	for _, r := range []struct {
		gpu, model string
		low, high  float64
	}{
		{"a100", "qwen2.5-1.5b", 0.95, 0.99},
		{"a100", "qwen2.5-7b", 0.95, 0.99},
		{"h100", "qwen2.5-1.5b", 0.95, 0.99},
		{"h100", "llama-3-8b", 0.95, 0.99},
		{"b200", "llama-3-8b", 0.95, 0.99},
		{"a100-pcie/pcie-4", "qwen2.5-1.5b", 0.60, 0.85},
		{"a100-pcie/pcie-4", "qwen2.5-7b", 0.60, 0.85},
		{"h100-pcie/pcie-5", "qwen2.5-1.5b", 0.60, 0.85},
		{"h100-pcie/pcie-5", "llama-3-8b", 0.60, 0.85},
	} {
		gpu, inside, _ := strings.Cut(r.gpu, "/")
		j := job(t, r.model, gpu, 8, inside, "infiniband-400", 8)
		j.Sequence, j.BatchTokens = 4096, 8*8192
		s := Split{Tensor: 1, Pipeline: 1, Sequence: 1, Data: 8, Micro: 2, Sharded: j.Model.Parameters > 2e9}
		eight, err := Plan(j, s)
		if err != nil {
			t.Errorf("%s %s: %v", r.gpu, r.model, err)
		}
		j.GPUs, j.BatchTokens = 1, 8192
		one, err := Plan(j, Split{Tensor: 1, Pipeline: 1, Sequence: 1, Data: 1, Micro: 2})
		if one == nil { // a model that does not fit on one GPU still has a time there
			t.Fatal(err)
		}
		got := eight.TokensPerS / 8 / one.TokensPerS
		t.Logf("%-17s %-13s %.1f %% of linear", r.gpu, r.model, 100*got)
		validation.Range("training/scaling-"+strings.ReplaceAll(r.gpu, "/", "-")+"-"+r.model, fmt.Sprintf("%s on 8 × %s: share of linear scaling", r.model, gpu), "", r.low, r.high,
			"usual ranges: 95 to 99 % over NVSwitch, 60 to 85 % over PCIe").Check(t, got)
	}
}

func TestNetwork(t *testing.T) {
	last := 0.0
	for _, link := range []string{"ethernet-25", "roce-25", "roce-100", "roce-400", "infiniband-400"} {
		p, err := Train(job(t, "llama-3-70b", "h100", 256, "", link, 1))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("one %s port a server: %s, MFU %.1f %%", link, p.Split, 100*p.MFU)
		if p.TokensPerS < last {
			t.Errorf("%s is slower than the link before", link)
		}
		last = p.TokensPerS
	}
	j := job(t, "llama-3-70b", "h100", 2048, "", "roce-100", 8)
	j.BatchTokens = 16 << 20
	flat, err := Train(j)
	if err != nil {
		t.Fatal(err)
	}
	j.Fabric.Oversubscription, j.Fabric.Rails = 4, false
	over, err := Train(j)
	if err != nil {
		t.Fatal(err)
	}
	if over.TokensPerS >= flat.TokensPerS {
		t.Errorf("oversubscription of 4 gives %.0f tokens/s, none %.0f", over.TokensPerS, flat.TokensPerS)
	}
	// Eight rails of four servers each leaf hold 32 servers: 256 GPUs stay below the spine.
	j.GPUs, j.Fabric.Rails, j.BatchTokens = 256, true, 4<<20
	rails, _ := Train(j)
	j.Fabric.Oversubscription = 1
	if free, _ := Train(j); rails == nil || free == nil || rails.TokensPerS != free.TokensPerS {
		t.Error("a job inside one rail group feels the oversubscription above it")
	}
}

// A ring all-reduce takes 2(n−1)/n·bytes/bandwidth and its latencies.
func TestCollectiveIsTheRing(t *testing.T) {
	f := Fabric{PerServer: 8, Inside: Link{GBs: 100, LatencyS: 1e-5}, Outside: Link{GBs: 10, LatencyS: 2e-5}, Ports: 8, Oversubscription: 1, LeafServers: 4}
	for _, r := range []struct {
		perServer, servers int
		want               float64
	}{
		{1, 1, 0},
		{8, 1, 2*7.0/8*1e9/100e9 + 2*3*1e-5},
		{1, 16, 2*15.0/16*1e9/10e9 + 2*4*2e-5},
		{8, 4, 2*3.0/4*(1e9/8)/10e9 + 2*(3*1e-5+2*2e-5)}, // the network is the slower ring
	} {
		got := 2 * f.gatherS(1e9, 1, r.perServer, r.servers, r.servers)
		if math.Abs(got-r.want) > 1e-12 {
			t.Errorf("%d a server on %d servers: %g s, want %g s", r.perServer, r.servers, got, r.want)
		}
	}
}

func TestTrainingRefusals(t *testing.T) {
	j := job(t, "llama-3-405b", "h100", 8, "", "roce-400", 8)
	var no *NotFitError
	if _, err := Train(j); !errors.As(err, &no) || no.NeedGB <= no.HaveGB {
		t.Errorf("405B on 8 H100: %v", err)
	}
	j = job(t, "llama-3-70b", "a100", 8, "", "roce-400", 8)
	j.Precision = FP8
	if _, err := Train(j); !errors.Is(err, ErrPrecision) {
		t.Errorf("FP8 on A100: %v", err)
	}
	j = job(t, "llama-3-70b", "a100", 8, "", "roce-400", 8)
	j.HostGB = 100
	if _, err := Train(j); !errors.As(err, &no) {
		t.Errorf("70B on 8 A100 with 100 GB of host memory: %v", err)
	}
	j.Adapters = true
	if p, err := Train(j); err != nil || p.TokensPerS <= 0 {
		t.Errorf("adapters for 70B on 8 A100: %v", err)
	}
	j = job(t, "llama-2-70b", "h100", 64, "", "roce-400", 8)
	if _, err := Train(j); err == nil {
		t.Error("8,192 tokens on a model of 4,096 are taken")
	}
	j = job(t, "llama-3-70b", "h100", 64, "", "roce-400", 0)
	if _, err := Train(j); err == nil {
		t.Error("64 GPUs without a network are taken")
	}
	j = job(t, "llama-3-8b", "h100", 8, "", "roce-400", 8)
	free, _ := Train(j)
	j.Feed = Feed{StorageGBs: 1, BytesPerToken: 2 * 1e9 / free.TokensPerS}
	if p, _ := Train(j); !p.FeedBound || math.Abs(p.TokensPerS/free.TokensPerS-0.5) > 1e-9 {
		t.Errorf("storage that feeds half gives %+v", p)
	}
}

// At a share of the clock a step takes 1/(m + (1−m)/f) as long, m the plan's memory-bound share.
func TestClockFollowsMemoryBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(0.3, 1).Draw(t, "clock")
		gpu := rapid.SampledFrom([]string{"a100", "h100", "b200", "mi300x"}).Draw(t, "gpu")
		if rapid.Bool().Draw(t, "training") {
			j := job(tb, "llama-3-8b", gpu, 8, "", "roce-400", 8)
			full, err := Train(j)
			if err != nil {
				t.Fatal(err)
			}
			j.GPU = j.GPU.AtClock(f)
			slow, err := Plan(j, full.Split)
			if err != nil {
				t.Fatal(err)
			}
			if want := full.MemoryBound + (1-full.MemoryBound)/f; math.Abs(full.TokensPerS/slow.TokensPerS/want-1) > 0.03 {
				t.Fatalf("clock %.2f: %.3f times as long, memory-bound share %.2f says %.3f", f, full.TokensPerS/slow.TokensPerS, full.MemoryBound, want)
			}
			return
		}
		s := serverOf(tb, catalog.Default(), gpu, 8, "llama-2-70b", BF16)
		p, err := Serve(s, Offline(300, 300))
		if err != nil {
			t.Fatal(err)
		}
		s.GPU, s.ReplicaGPUs = s.GPU.AtClock(f), p.Tensor*p.Pipeline
		q, err := Serve(s, Offline(300, 300))
		if err != nil {
			t.Fatal(err)
		}
		if want := p.MemoryBound + (1-p.MemoryBound)/f; math.Abs(p.OutputPerS/q.OutputPerS/want-1) > 0.03 {
			t.Fatalf("clock %.2f: %.3f times as long, memory-bound share %.2f says %.3f", f, p.OutputPerS/q.OutputPerS, p.MemoryBound, want)
		}
	})
}

// tb makes the helpers, which want a testing.TB, usable inside rapid: they fail only on a broken catalogue.
var tb = &testing.T{}

func TestServingBehaves(t *testing.T) {
	s := serverOf(t, catalog.Default(), "h100", 8, "llama-3-70b", FP8)
	free, err := Serve(s, Offline(1000, 300))
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for _, goal := range []float64{0.02, 0.03, 0.05, 0.1, 0.2} {
		p, err := Serve(s, Requests{Input: 1000, Output: 300, InputCV: 1, FirstTokenS: 2, PerTokenS: goal})
		if errors.Is(err, ErrGoal) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.PerTokenS > goal*1.000001 || p.FirstTokenS > 2.000001 || p.OutputPerS < last || p.OutputPerS > free.OutputPerS*1.000001 {
			t.Errorf("goal %g s a token: %+v", goal, p)
		}
		last = p.OutputPerS
	}
	if last == 0 {
		t.Error("no goal is met")
	}
	if _, err := Serve(s, Requests{Input: 1000, Output: 300, FirstTokenS: 2, PerTokenS: 0.001}); !errors.Is(err, ErrGoal) {
		t.Errorf("1 ms a token: %v", err)
	}
	var no *NotFitError
	if _, err := Serve(serverOf(t, catalog.Default(), "l40s", 4, "llama-3-405b", FP8), Offline(1000, 300)); !errors.As(err, &no) {
		t.Errorf("405B on 4 L40S: %v", err)
	}
	// A seventh of the compute and an eighth of the memory of an H100 serve an 8B model at about a seventh of its rate.
	whole := serverOf(t, catalog.Default(), "h100", 1, "llama-3-8b", FP8)
	part := whole
	if part.GPU, err = whole.GPU.Slice(1.0/7, 0.25, 0.25); err != nil {
		t.Fatal(err)
	}
	a, err := Serve(whole, Offline(1000, 300))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Serve(part, Offline(1000, 300))
	if err != nil {
		t.Fatal(err)
	}
	if r := a.OutputPerS / b.OutputPerS; r < 3 || r > 8 {
		t.Errorf("a 1/7 slice gives 1/%.1f", r)
	}
	if _, err := whole.GPU.Slice(0, 1, 1); err == nil {
		t.Error("a share of 0 is taken")
	}
}

// 671 GB of FP8 weights do not fit on 8 H800: DeepSeek's own account of its production (608 B tokens in and 168 B out in 24 h
// on 226.75 such servers, about 4,950 a second and GPU) spreads the experts over many servers, which is left out here.
func TestLargeMixtureOnOneServer(t *testing.T) {
	var no *NotFitError
	if _, err := Serve(serverOf(t, catalog.Default(), "h800", 8, "deepseek-v3", FP8), Offline(3600, 1000)); !errors.As(err, &no) {
		t.Errorf("671B in FP8 on 8 H800: %v", err)
	}
}

func BenchmarkTrain(b *testing.B) {
	j := job(b, "llama-3-405b", "h100", 16384, "", "roce-400", 8)
	j.BatchTokens = 16 << 20
	for b.Loop() {
		if _, err := Train(j); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkServe(b *testing.B) {
	s := serverOf(b, catalog.Default(), "gb200", 72, "llama-3-405b", FP4)
	for b.Loop() {
		if _, err := Serve(s, asks["llama-3-405b"]); err != nil {
			b.Fatal(err)
		}
	}
}
