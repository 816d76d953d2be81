// Package perf gives the throughput of named language models on named accelerators: training by the split
// into tensor, pipeline and data parallel that memory allows, and serving by a roofline of compute, memory
// and links with the batch that memory and the latency goal allow. Everything in it is a pure function.
//
// A time is the sum of what takes it, in seconds: matrix products at the rate that large products reach in
// practice, reads of memory, collectives over the link inside a server and the network outside it, and fixed
// overheads. A clock below full lengthens the products and leaves memory and links alone.
//
// Constants that are fitted stand in one table a precision ([Constants]) with what they were fitted to; the
// rows that they are checked against are in the tests.
//
// Left out: speculative decoding, prefix caches, prefill and decode on separate servers, quantized weights
// with products at a higher precision, sequence lengths beyond mean and spread.
package perf

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"headroom/facility/catalog"
	"headroom/facility/units"
)

// Precision is the number format of weights and matrix products.
type Precision uint8

// The precisions.
const (
	BF16 Precision = iota // and FP16
	FP8
	FP4
	precisions
)

var precisionNames = [precisions]string{"bf16", "fp8", "fp4"}

// weightBytes are bytes per weight; FP4 carries a scale of 8 bits for every 16 numbers (NVFP4).
var weightBytes = [precisions]float64{2, 1, 0.5625}

// kvBytes are bytes per number kept for attention: FP8 with weights of 8 and 4 bits, as MLPerf submissions do.
var kvBytes = [precisions]float64{2, 1, 1}

// String returns "bf16", "fp8" or "fp4".
func (p Precision) String() string {
	if p >= precisions {
		return "unknown precision"
	}
	return precisionNames[p]
}

// ParsePrecision reads "bf16" (or "fp16"), "fp8" or "fp4".
func ParsePrecision(text string) (Precision, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if s == "fp16" {
		s = "bf16"
	}
	for p, name := range precisionNames {
		if s == name {
			return Precision(p), nil
		}
	}
	near, ok := units.Nearest(s, precisionNames[:])
	if ok {
		return 0, fmt.Errorf("no precision %q; did you mean %q?", text, near)
	}
	return 0, fmt.Errorf("no precision %q; there are %s", text, strings.Join(precisionNames[:], ", "))
}

// Model is a language model as numbers.
type Model struct {
	Name               string
	Parameters, Active float64 // weights, and those that one token passes through
	Layers, Hidden     float64
	Heads, HeadDim     float64
	KVHeads            float64
	KVPerLayer         float64 // numbers kept per token and layer
	Vocabulary         float64
	Experts, PerToken  float64 // routed experts and how many a token takes; 0 for a dense model
	Context            float64 // longest context, +Inf where unknown
}

// NewModel reads a language model of the catalogue.
func NewModel(c *catalog.Catalog, name string) (Model, error) {
	m, err := c.LanguageModel(name)
	if err != nil {
		return Model{}, err
	}
	return Model{
		Name: name, Parameters: m.Parameters.Value, Active: m.Active.Or(m.Parameters.Value),
		Layers: m.Layers.Value, Hidden: m.Hidden.Value, Heads: m.Heads.Value, HeadDim: m.HeadDim.Value, KVHeads: m.KVHeads.Value,
		KVPerLayer: m.KVValues.Or(2 * m.KVHeads.Value * m.HeadDim.Value),
		Vocabulary: m.Vocabulary.Or(0), Experts: m.Experts.Or(0), PerToken: m.PerToken.Or(0), Context: m.Context.Or(math.Inf(1)),
	}, nil
}

// attention is the width of attention: heads times their dimension.
func (m *Model) attention() float64 { return m.Heads * m.HeadDim }

// TrainingFLOPs is the arithmetic of one trained token: 6 for every weight it passes through, and attention over
// a causal context, 6·layers·width·sequence. (The non-causal convention counts attention twice.)
func (m *Model) TrainingFLOPs(sequence float64) float64 {
	return 6*m.Active + 6*m.Layers*m.attention()*sequence
}

// GPU is what throughput needs of an accelerator.
type GPU struct {
	Name         string
	MemoryGB     float64
	BandwidthGBs float64
	Peak         [precisions]float64 // dense TFLOPS, NaN for a precision that it lacks
	Matmul       float64             // share of the dense peak that large matrix products reach
	MatmulKnown  bool                // false: Matmul is usualMatmul
	Clock        float64             // share of full clock
	Inside       string              // link of the catalogue inside its server, "" when none is known
}

// usualMatmul is the share of the dense peak that large products reach where no measurement is known: the middle
// of the measured H100 (80 %), B200 (78 %), GB200 (73 %), A100 (87 %) and Gaudi 3 (74 %).
const usualMatmul = 0.77

// insideLinks are the catalogue's links by how the catalogue's GPUs call theirs.
var insideLinks = map[string]string{
	"NVLink 2": "nvlink-2", "NVLink 3": "nvlink-3", "NVLink 3, cut": "nvlink-3-cut", "NVLink 4": "nvlink-4", "NVLink 4, cut": "nvlink-4-cut",
	"NVLink 5": "nvlink-5", "NVLink C2C": "nvlink-c2c", "NVLink bridge": "nvlink-bridge", "Infinity Fabric": "infinity-fabric",
	"PCIe 3": "pcie-3", "PCIe 4": "pcie-4", "PCIe 5": "pcie-5", "24 x 200 GbE": "accelerator-ethernet",
	"ICI": "accelerator-mesh", "HCCS": "accelerator-mesh", "UB": "accelerator-mesh", "MLU-Link": "accelerator-mesh",
}

// NewGPU reads an accelerator of the catalogue. Memory and its bandwidth must be known.
func NewGPU(c *catalog.Catalog, name string) (GPU, error) {
	g, err := c.GPU(name)
	if err != nil {
		return GPU{}, err
	}
	if !g.Memory.Known() || !g.Bandwidth.Known() {
		return GPU{}, fmt.Errorf("GPU %q: memory or bandwidth is not known", name)
	}
	out := GPU{Name: name, MemoryGB: g.Memory.Value, BandwidthGBs: g.Bandwidth.Value, Clock: 1, Inside: insideLinks[g.LinkKind]}
	out.Peak = [precisions]float64{g.BF16.Or(g.FP16.Value), g.FP8.Value, g.FP4.Value}
	if math.IsNaN(out.Peak[BF16]) {
		return GPU{}, fmt.Errorf("GPU %q: neither bf16 nor fp16 is known", name)
	}
	out.Matmul = usualMatmul
	if g.Matmul.Known() {
		out.Matmul, out.MatmulKnown = g.Matmul.Value/out.Peak[BF16], true
	}
	return out, nil
}

// AtClock is the accelerator at a share of its full clock: products slow down, memory and links don't.
func (g GPU) AtClock(share float64) GPU {
	g.Clock = share
	return g
}

// Slice is a part of an accelerator: a MIG instance has its shares of compute and of memory (1g.10gb of an H100 is
// 1/7 and 1/8); a time-sliced vGPU of n has 1/n of all three. The shares lie in (0, 1].
func (g GPU) Slice(compute, memory, bandwidth float64) (GPU, error) {
	for _, s := range [...]float64{compute, memory, bandwidth} {
		if !(s > 0 && s <= 1) {
			return GPU{}, fmt.Errorf("share %g of a GPU lies outside (0, 1]", s)
		}
	}
	for i := range g.Peak {
		g.Peak[i] *= compute
	}
	g.MemoryGB *= memory
	g.BandwidthGBs *= bandwidth
	return g, nil
}

// ErrPrecision says that an accelerator lacks a precision.
var ErrPrecision = errors.New("does not have the precision")

// flops is the rate of large matrix products in FLOP/s at the GPU's clock.
func (g *GPU) flops(p Precision) float64 { return g.Peak[p] * 1e12 * g.Matmul * g.Clock }

func (g *GPU) has(p Precision) error {
	if p >= precisions || math.IsNaN(g.Peak[p]) {
		return fmt.Errorf("GPU %q %w %s", g.Name, ErrPrecision, p)
	}
	return nil
}

// Link is a way between GPUs: of one GPU inside a server, or of one port outside.
type Link struct {
	Name     string
	GBs      float64 // each way, as large collectives reach it
	LatencyS float64 // of one hop
	Shared   bool    // GPUs meet at host bridges
}

// NewLink reads a link of the catalogue.
func NewLink(c *catalog.Catalog, name string) (Link, error) {
	l, err := c.Link(name)
	if err != nil {
		return Link{}, err
	}
	return Link{Name: name, GBs: l.EachWay.Value * l.Efficiency.Value, LatencyS: l.Latency.Value, Shared: l.Shared}, nil
}

// Constants are what was fitted for one precision.
type Constants struct {
	// Product is the share of the rate of large matrix products that the products of a served model reach.
	Product float64
	// Memory is the share of the memory's bandwidth that reads of weights, attention and activations reach.
	Memory float64
	// Activation is bytes moved per token, layer and hidden unit besides the products.
	Activation float64
	// StepS is what a step takes besides: scheduling, sampling, launches.
	StepS float64
	// Chunk is how many tokens one step takes, prompts and answers together.
	Chunk float64
	// Expert is the share of the products' rate that the small products of a mixture of experts reach.
	Expert float64
	// ExpertStepS is what a step with a mixture of experts takes besides, a layer: dispatch, waiting for the fullest.
	ExpertStepS float64
}
