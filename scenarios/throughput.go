package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/sim/perf"
	"headroom/sim/sched"
	"headroom/sim/workload"
)

// Hosts as throughput counts on them, from general knowledge of 8-GPU servers: 2 TB of memory, and 25 GB/s between a GPU and
// its host (PCIe 4 x16, loaded).
const (
	hostGB  = 2000
	hostGBs = 25
)

// heldPerTokenS is the tightest goal a token of the MLPerf Inference v5.1 results that serving is held against.
const heldPerTokenS = 0.08

// maker computes what the model of one class gives.
type maker struct {
	s     *Scenario
	d     *decoder
	l     *classLine
	model perf.Model

	steps  *perf.Steps // of one copy of the served model
	copies int         // in a replica
}

// throughput fills in what a class's model gives on every server model that the scenario orders. Of a service it returns how
// a copy of the model goes through requests, and the copies in a replica, by server model.
func (s *Scenario) throughput(d *decoder, b *builder, l *classLine, c *workload.Class) (steps []*perf.Steps, copies []int) {
	if l.Model == nil || len(d.problems) > 0 || b.f == nil || len(c.GPUs) == 0 {
		return nil, nil
	}
	steps, copies = make([]*perf.Steps, len(b.f.Models)), make([]int, len(b.f.Models))
	p := l.Model
	model, err := perf.NewModel(s.catalog, p.Name)
	if err != nil {
		d.fail(p.of("name"), joinKey(p.path, "name"), "", "%v", err)
		return nil, nil
	}
	m := maker{s: s, d: d, l: l, model: model}
	var sum, weights float64
	for _, size := range c.GPUs {
		var first error
		known := len(c.Throughput)
		for i := range b.f.Models {
			t, err := m.on(&b.f.Models[i], size.GPUs, c)
			if err != nil {
				if first == nil {
					first = err
				}
				continue
			}
			steps[i], copies[i] = m.steps, m.copies
			t.Server, t.GPUs, t.Model, t.GPU = i, size.GPUs, p.Name, b.f.Models[i].GPU
			c.Throughput = append(c.Throughput, t)
			sum += float64(size.Weight) * t.MemoryBound
			weights += float64(size.Weight)
		}
		if len(c.Throughput) == known && first != nil { // no server of the scenario will do
			d.fail(p.at, p.path, "", "a job of %d GPUs: %v", size.GPUs, first)
		}
	}
	if weights == 0 {
		return nil, nil
	}
	if c.Kind == workload.Inference && p.PerToken.V < heldPerTokenS {
		b.warnf(p.of("per_token"), joinKey(p.path, "per_token"), "", "at goals below %g ms a token the rate is too kind to most systems, by 20 to 40 %% against MLPerf's interactive results, and less sure on long prompts", 1000*heldPerTokenS)
	}
	if !l.has("memory_bound") {
		// Rounded, so that what is printed reads back as the same.
		l.MemoryBound = Quantity{V: math.Round(1000*sum/weights) / 1000, Given: true, pos: l.MemoryBound.pos}
		c.MemoryBound = l.MemoryBound.V
	}
	return steps, copies
}

// on is what a job of a size gives on one server model.
func (m *maker) on(server *facility.Model, gpus int, c *workload.Class) (workload.Throughput, error) {
	gpu, err := perf.NewGPU(m.s.catalog, server.GPU)
	if err != nil {
		return workload.Throughput{}, err
	}
	switch {
	case c.Slice.Memory > 0 && !slices.ContainsFunc(m.profiles(server.GPU), func(p catalog.MIGProfile) bool { return p.Name == c.Slice.Name }):
		return workload.Throughput{}, fmt.Errorf("GPU %q can't be cut into %s", server.GPU, c.Slice.Name)
	case c.Slice.Memory > 0:
		memory := float64(c.Slice.Memory) / 8
		gpu, err = gpu.Slice(float64(c.Slice.Compute)/7, memory, memory)
	case c.Milli > 0: // the GPU's time and memory in equal parts, as a time-sliced virtual GPU has them
		part := float64(c.Milli) / sched.Milli
		gpu, err = gpu.Slice(part, part, part)
	}
	if err != nil {
		return workload.Throughput{}, err
	}
	if n := m.s.file.Network; n != nil && n.Inside != "" {
		gpu.Inside = n.Inside
	}
	var inside perf.Link
	if gpu.Inside != "" {
		if inside, err = perf.NewLink(m.s.catalog, gpu.Inside); err != nil {
			return workload.Throughput{}, err
		}
	}
	if c.Kind == workload.Training || c.Kind == workload.FineTuning {
		return m.train(server, gpu, inside, gpus, c.Kind)
	}
	return m.serve(server, gpu, inside, gpus, c.Kind == workload.Inference)
}

// profiles are what a GPU can be cut into.
func (m *maker) profiles(gpu string) []catalog.MIGProfile {
	g, err := m.s.catalog.GPU(gpu)
	if err != nil {
		return nil
	}
	return g.MIG()
}

func (m *maker) train(server *facility.Model, gpu perf.GPU, inside perf.Link, gpus int, kind workload.Kind) (workload.Throughput, error) {
	p := m.l.Model
	t := perf.Training{
		Model: m.model, GPU: gpu, GPUs: gpus, Precision: m.precision(perf.BF16), Sequence: min(p.Sequence, int(math.Min(m.model.Context, math.MaxInt32))),
		BatchTokens: float64(p.Batch), Adapters: p.Method == "adapters" || p.Method == "" && kind == workload.FineTuning,
		HostGB: hostGB, HostGBs: hostGBs, Feed: perf.Feed{TokensPerS: p.Feed},
		Fabric: perf.Fabric{PerServer: server.GPUs, Inside: inside, Oversubscription: 1},
	}
	if n := m.s.file.Network; n != nil {
		link, err := perf.NewLink(m.s.catalog, n.Link)
		if err != nil {
			return workload.Throughput{}, err
		}
		f := &t.Fabric
		f.Outside, f.Ports, f.Oversubscription, f.LeafServers = link, n.portsOf(server.GPUs), n.Oversubscription, n.Leaf
		f.Rails = n.railsOf(server.GPUs)
	} else if gpus > server.GPUs {
		return workload.Throughput{}, errors.New("its jobs span servers, and no network is stated: write, for example, network: infiniband-400")
	}
	plan, err := perf.Train(t)
	if err != nil {
		return workload.Throughput{}, err
	}
	return workload.Throughput{
		TokensPerS: plan.TokensPerS, PFLOPS: plan.PFLOPS, MemoryBound: plan.MemoryBound, Precision: t.Precision.String(),
		Split: plan.Split.String(), Bound: plan.Bound(), MFU: plan.MFU, FirstTokenS: math.NaN(), PerTokenS: math.NaN(),
	}, nil
}

func (m *maker) serve(server *facility.Model, gpu perf.GPU, inside perf.Link, gpus int, goals bool) (workload.Throughput, error) {
	p := m.l.Model
	usual := perf.BF16
	if !math.IsNaN(gpu.Peak[perf.FP8]) {
		usual = perf.FP8
	}
	s := perf.Server{Model: m.model, GPU: gpu, GPUs: gpus, Inside: inside, Precision: m.precision(usual)}
	servers := 1.0
	if gpus > server.GPUs { // each server serves by itself
		s.GPUs, servers = server.GPUs, float64(gpus/server.GPUs)
	}
	r := perf.Offline(p.Input, p.Output)
	if goals {
		r.InputCV, r.FirstTokenS, r.PerTokenS = p.Spread, p.FirstToken.V, p.PerToken.V
	}
	plan, err := perf.Serve(s, r)
	if err != nil {
		return workload.Throughput{}, err
	}
	m.steps, m.copies = plan.Steps(), plan.Replicas*int(servers)
	first, each := plan.FirstTokenS, plan.PerTokenS
	if !goals {
		first, each = math.NaN(), math.NaN()
	}
	return workload.Throughput{
		TokensPerS: servers * plan.OutputPerS, PFLOPS: servers * plan.PFLOPS, MemoryBound: plan.MemoryBound, Precision: s.Precision.String(),
		Split: plan.Cut(), Bound: plan.Bound, MFU: math.NaN(), FirstTokenS: first, PerTokenS: each,
	}, nil
}

// precision is the one stated, or the usual one.
func (m *maker) precision(usual perf.Precision) perf.Precision {
	if p, err := perf.ParsePrecision(m.l.Model.Precision); err == nil {
		return p
	}
	return usual
}
