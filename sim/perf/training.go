package perf

import (
	"errors"
	"fmt"
	"math"
)

// Training is a run to be planned.
type Training struct {
	Model       Model
	GPU         GPU
	Fabric      Fabric
	GPUs        int
	Precision   Precision // of the products; weights and optimizer are kept in 16 and 32 bits
	Sequence    int       // tokens
	BatchTokens float64   // of one step over the whole job
	Adapters    bool      // LoRA: the weights stay as they are, only small adapters learn
	HostGB      float64   // memory of one host that may keep the optimizer, 0 for none
	HostGBs     float64   // GB/s between one GPU and its host
	Feed        Feed
}

// Feed is what storage and hosts deliver. A zero is no limit.
type Feed struct {
	StorageGBs    float64 // of the whole job
	BytesPerToken float64 // read from storage
	TokensPerS    float64 // that the hosts prepare, of the whole job
}

// limit is the most tokens a second that the feed allows.
func (f Feed) limit() float64 {
	most := math.Inf(1)
	if f.StorageGBs > 0 && f.BytesPerToken > 0 {
		most = f.StorageGBs * 1e9 / f.BytesPerToken
	}
	if f.TokensPerS > 0 {
		most = math.Min(most, f.TokensPerS)
	}
	return most
}

// Split is how a job is laid over its GPUs.
type Split struct {
	Tensor, Pipeline, Sequence, Data int  // their product is the number of GPUs
	Sharded                          bool // weights, gradients and optimizer over the data-parallel ranks (ZeRO-3, FSDP); else the optimizer only (ZeRO-1)
	Recompute                        bool // activations are computed again in the backward pass
	Offload                          bool // the optimizer lives in the hosts' memory
	StagesInside                     bool // the stages of a pipeline share servers; else the data-parallel ranks do, as in Megatron-LM
	Micro                            int  // sequences of one pass
}

// String gives the split as planners write it.
func (s Split) String() string {
	text := fmt.Sprintf("TP%d PP%d DP%d", s.Tensor, s.Pipeline, s.Data)
	if s.Sequence > 1 {
		text += fmt.Sprintf(" CP%d", s.Sequence)
	}
	if s.Sharded {
		text += ", sharded"
	}
	if s.StagesInside {
		text += ", stages in a server"
	}
	if s.Recompute {
		text += ", recompute"
	}
	if s.Offload {
		text += ", optimizer in host memory"
	}
	return text
}

// TrainingPlan is the fastest split and what it gives. The parts of a step are seconds that show: what overlaps
// with products is left out.
type TrainingPlan struct {
	Split      Split
	TokensPerS float64 // of the whole job
	MFU        float64 // model FLOPs over the dense peak of the precision
	PFLOPS     float64 // model FLOPs delivered
	MemoryGB   float64 // of the fullest GPU

	StepS, ProductS, ActivationS, TensorS, PipelineS, DataS, OffloadS, StragglerS float64

	// MemoryBound is the share of the step that clocks do not shorten.
	MemoryBound float64
	FeedBound   bool // storage or hosts set the pace
}

// Days is how long a number of tokens takes when a share of the time is useful.
func (p *TrainingPlan) Days(tokens, useful float64) float64 {
	return tokens / (p.TokensPerS * useful) / 86400
}

// Bound says what takes the step: the longest part, and the next where it is a tenth or more.
func (p *TrainingPlan) Bound() string {
	if p.FeedBound {
		return "storage or hosts"
	}
	parts := []struct {
		name string
		s    float64
	}{
		{"products", p.ProductS},
		{"memory", p.ActivationS},
		{"tensor parallel", p.TensorS},
		{"pipeline", p.PipelineS},
		{"data parallel", p.DataS},
		{"optimizer in host memory", p.OffloadS},
		{"stragglers", p.StragglerS},
	}
	first, second := 0, -1
	for i := range parts {
		switch {
		case parts[i].s > parts[first].s:
			first, second = i, first
		case i != first && (second < 0 || parts[i].s > parts[second].s):
			second = i
		}
	}
	text := fmt.Sprintf("%s %.0f %%", parts[first].name, 100*parts[first].s/p.StepS)
	if parts[second].s >= 0.1*p.StepS {
		text += fmt.Sprintf(", %s %.0f %%", parts[second].name, 100*parts[second].s/p.StepS)
	}
	return text
}

// NotFitError is a model that no split fits into memory.
type NotFitError struct {
	Model, GPU     string
	GPUs           int
	NeedGB, HaveGB float64 // a GPU, at the split that needs least
}

// Error says how much is missing.
func (e *NotFitError) Error() string {
	return fmt.Sprintf("%s does not fit on %d %s: it needs %.0f GB a GPU at the least, and %.0f GB can be used", e.Model, e.GPUs, e.GPU, e.NeedGB, e.HaveGB)
}

// Constants of training. Product is fitted to one row, Llama 3 405B on 8,192 H100 (43 % MFU, "The Llama 3 Herd of
// Models", arXiv 2407.21783); the others are assumed, in the range of published measurements.
const (
	trainProduct     = 0.695 // share of the rate of large products (fitted)
	trainAttention   = 0.75  // rate of attention over that of products (assumed; FlashAttention's backward pass is slower than a product)
	trainNarrow      = 0.7   // of the rate in 8 or 4 bits: casts, scales, and products kept in 16 bits (assumed, so that FP8 gives 1.3 to 1.4 times BF16)
	trainExpert      = 0.6   // the same of the small products of experts, of trainProduct (assumed)
	trainActivation  = 100.0 // bytes moved per token, layer and hidden unit, forward and backward, besides products (assumed)
	trainMemory      = 0.8   // share of memory bandwidth reached (assumed)
	dataOverlap      = 0.8   // share of the compute under which data-parallel collectives hide (assumed)
	hostOverlap      = 0.6   // the same where GPUs meet at host bridges and collectives pass through hosts (assumed)
	interleave       = 8.0   // most chunks of layers a pipeline stage holds
	straggler        = 0.005 // standard deviation of servers' speeds; a synchronous step waits for the slowest (assumed)
	storedActivation = 20.0  // bytes kept per token, layer and hidden unit with norms and activation functions computed again (assumed)
	memoryUsed       = 0.94  // share of memory that a job can fill (assumed)
	runtimeGB        = 2.0   // libraries and buffers (assumed)
	hostAdamGBs      = 100.0 // optimizer state that one host updates a second, bound by its memory (assumed)
	longSequence     = 16384 // above it the sequence may be split as well
)

// bytes per weight: 16-bit weights, 32-bit gradients, and 32-bit weights with two moments (Megatron-LM, ZeRO).
const (
	weightB, gradientB, optimizerB = 2.0, 4.0, 12.0
	adapterShare                   = 0.01 // weights of adapters over those of the model
)

// Train returns the fastest split that fits. The error is a *NotFitError when none does.
func Train(t Training) (*TrainingPlan, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var best *TrainingPlan
	need := math.Inf(1)
	for _, offload := range [...]bool{false, true} {
		if offload && (best != nil || !(t.HostGBs > 0) || optimizerB*t.Model.Parameters/1e9/float64(t.servers()) > t.HostGB) {
			break
		}
		t.splits(offload, func(s Split) {
			gb := t.memoryGB(s)
			if gb > t.usableGB() {
				need = math.Min(need, gb)
				return
			}
			if p := t.plan(s); best == nil || p.TokensPerS > best.TokensPerS {
				p.MemoryGB = gb
				best = p
			}
		})
	}
	if best == nil {
		return nil, &NotFitError{Model: t.Model.Name, GPU: t.GPU.Name, GPUs: t.GPUs, NeedGB: need, HaveGB: t.usableGB()}
	}
	return best, nil
}

// Plan returns what one given split gives, whether or not it is the fastest.
func Plan(t Training, s Split) (*TrainingPlan, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if s.Tensor*s.Pipeline*s.Sequence*s.Data != t.GPUs || s.Micro < 1 || s.Tensor < 1 || s.Pipeline < 1 || s.Sequence < 1 {
		return nil, fmt.Errorf("the split %v is not one of %d GPUs", s, t.GPUs)
	}
	p := t.plan(s)
	p.MemoryGB = t.memoryGB(s)
	if p.MemoryGB > t.usableGB() {
		return p, &NotFitError{Model: t.Model.Name, GPU: t.GPU.Name, GPUs: t.GPUs, NeedGB: p.MemoryGB, HaveGB: t.usableGB()}
	}
	return p, nil
}

func (t *Training) check() error {
	if err := t.GPU.has(t.Precision); err != nil {
		return err
	}
	f := &t.Fabric
	switch {
	case t.GPUs < 1 || f.PerServer < 1 || t.Sequence < 1 || !(t.BatchTokens >= float64(t.Sequence)):
		return errors.New("want at least one GPU, one GPU a server, one token a sequence and one sequence a step")
	case float64(t.Sequence) > t.Model.Context:
		return fmt.Errorf("%s takes at most %g tokens (got %d)", t.Model.Name, t.Model.Context, t.Sequence)
	case t.GPUs > 1 && !(f.Inside.GBs > 0):
		return errors.New("the link inside the server is not known")
	case t.GPUs > f.PerServer && (!(f.Outside.GBs > 0) || f.Ports < 1):
		return fmt.Errorf("%d GPUs span servers of %d, and no network is stated", t.GPUs, f.PerServer)
	case !(t.GPU.Clock > 0):
		return fmt.Errorf("clock share %g", t.GPU.Clock)
	}
	return nil
}

func (t *Training) usableGB() float64 { return t.GPU.MemoryGB*memoryUsed - runtimeGB }

func (t *Training) servers() int { return (t.GPUs + t.Fabric.PerServer - 1) / t.Fabric.PerServer }

// splits calls try for every split of the GPUs, in a fixed order.
func (t *Training) splits(offload bool, try func(Split)) {
	sequences := int(t.BatchTokens) / t.Sequence
	for tensor := 1; tensor <= min(t.Fabric.PerServer, t.GPUs); tensor *= 2 {
		if math.Mod(t.Model.Heads, float64(tensor)) != 0 || t.GPUs%tensor != 0 {
			continue
		}
		for pipeline := 1; float64(pipeline) <= t.Model.Layers && tensor*pipeline <= t.GPUs; pipeline *= 2 {
			for long := 1; long == 1 || t.Sequence > longSequence && long <= 64 && long <= t.Sequence/4096; long *= 2 {
				if t.GPUs%(tensor*pipeline*long) != 0 {
					continue
				}
				data := t.GPUs / (tensor * pipeline * long)
				if data > sequences {
					continue
				}
				for _, sharded := range [...]bool{false, true} {
					if sharded && (data == 1 || pipeline > 1 || t.Adapters) {
						continue
					}
					for _, again := range [...]bool{false, true} {
						for micro := 1; micro <= sequences/data; micro *= 2 {
							try(Split{Tensor: tensor, Pipeline: pipeline, Sequence: long, Data: data, Sharded: sharded, Recompute: again, Offload: offload, Micro: micro})
						}
					}
				}
			}
		}
	}
}

// memoryGB is what the fullest GPU holds.
func (t *Training) memoryGB(s Split) float64 {
	m := &t.Model
	split := float64(s.Tensor * s.Pipeline)
	data := float64(s.Data * s.Sequence)
	weights := m.Parameters / split
	if m.Experts > 0 { // experts are spread over the data-parallel ranks as well
		const elsewhere = 0.95 // of a large mixture's weights sit in experts
		weights *= 1 - elsewhere + elsewhere/math.Min(data, m.Experts)
	}
	var bytes float64
	switch {
	case t.Adapters:
		bytes = weights * (weightB + adapterShare*(gradientB+optimizerB))
	case s.Sharded:
		bytes = weights*(weightB+gradientB)/data + 2*2*weightB*weights/m.Layers // with two layers gathered
	default:
		bytes = weights * (weightB + gradientB)
	}
	if !t.Adapters && !s.Offload {
		bytes += weights * optimizerB / data
	}
	tokens := float64(s.Micro*t.Sequence) / float64(s.Sequence)
	perLayer := storedActivation * tokens * m.Hidden / float64(s.Tensor)
	layers := math.Ceil(m.Layers / float64(s.Pipeline))
	passes := math.Min(float64(s.Pipeline), t.passes(s)) // in flight at the first stage
	if s.Recompute {
		bytes += perLayer + 2*tokens*m.Hidden/float64(s.Tensor)*layers*passes
	} else {
		bytes += perLayer * layers * passes
	}
	bytes += 6 * tokens * m.Vocabulary / float64(s.Tensor) / math.Max(1, float64(s.Pipeline)) // logits, 16 and 32 bits
	return bytes / 1e9
}

// passes is how often a pipeline is filled in one step.
func (t *Training) passes(s Split) float64 {
	return math.Ceil(t.BatchTokens / float64(t.Sequence) / float64(s.Data*s.Micro))
}

// plan computes the step of a split, with the stages of a pipeline inside servers or across them, as is faster.
func (t *Training) plan(s Split) *TrainingPlan {
	s.StagesInside = false
	best := t.planAt(s)
	if s.Pipeline > 1 && s.Tensor < t.Fabric.PerServer {
		s.StagesInside = true
		if p := t.planAt(s); p.TokensPerS > best.TokensPerS {
			return p
		}
	}
	return best
}

func (t *Training) planAt(s Split) *TrainingPlan {
	m, f := &t.Model, &t.Fabric
	servers := t.servers()
	passes := t.passes(s)
	tokens := float64(s.Micro*t.Sequence) / float64(s.Sequence) // of one pass on one GPU's group
	tensor, pipeline := float64(s.Tensor), float64(s.Pipeline)
	layers := m.Layers / pipeline

	// Products: forward 1, backward 2 (1 with adapters), and forward again when recomputed.
	weightsFLOPs := 2 * m.Active * tokens / (tensor * pipeline)
	attentionFLOPs := 2 * m.Layers * m.attention() * float64(t.Sequence) * tokens / (tensor * pipeline)
	times := 3.0
	if t.Adapters {
		times = 2
	}
	if s.Recompute {
		times++
	}
	rate := t.GPU.flops(t.Precision) * trainProduct
	if t.Precision != BF16 {
		rate *= trainNarrow
	}
	if m.Experts > 0 {
		rate *= trainExpert
	}
	// Attention stays in 16 bits.
	productS := times * (weightsFLOPs/rate + attentionFLOPs/(t.GPU.flops(BF16)*trainProduct*trainAttention))
	moved := trainActivation * times / 3 * tokens * layers * m.Hidden / tensor
	activationS := moved / (t.GPU.BandwidthGBs * 1e9 * trainMemory)

	// Tensor parallel: two all-reduces forward and two backward a layer, each of the activations in 16 bits.
	inServer := min(f.PerServer, s.Tensor)
	tensorS := 0.0
	if s.Tensor > 1 {
		each := 2 * f.gatherS(2*tokens*m.Hidden, 1, inServer, 1, servers)
		tensorS = 2 * math.Max(2, times-1) * layers * each
	}
	if m.Experts > 0 && t.GPUs > 1 { // to the experts and back, forward and backward
		bytes := 4 * 2 * tokens * m.PerToken * m.Hidden * layers / tensor
		gbs := f.Inside.GBs
		if servers > 1 {
			gbs = math.Min(gbs, f.outsideGBs(servers)*2) // half of the experts' traffic stays inside (assumed)
		}
		tensorS += bytes / (gbs * 1e9)
	}
	if s.Sequence > 1 { // keys and values pass round the ring, under the attention they feed
		bytes := 3 * 2 * m.KVPerLayer / tensor * layers * float64(t.Sequence*s.Micro)
		gbs := f.outsideGBs(servers)
		if s.Tensor*s.Sequence <= f.PerServer {
			gbs = f.Inside.GBs
		}
		tensorS += bytes / (gbs * 1e9) * (1 - dataOverlap)
	}

	passS := productS + activationS + tensorS
	// Sharded weights are gathered forward and backward and gradients scattered, in every pass.
	rest := s.Sequence * s.Data // ranks that hold the same weights
	perServer := max(1, min(f.PerServer/inServer, rest))
	stageGBs := f.Inside.GBs // between two stages, of one GPU
	switch {
	case s.StagesInside:
		stages := min(s.Pipeline, f.PerServer/inServer)
		perServer = max(1, min(f.PerServer/inServer/stages, rest))
		if s.Pipeline > stages {
			stageGBs = math.Min(stageGBs, f.outsideGBs(servers)*float64(stages)) // one stage of a server hands over to the next server
		}
	case t.GPUs > f.PerServer:
		stageGBs = f.outsideGBs(servers) * math.Max(1, float64(f.PerServer)/float64(inServer*rest))
	}
	across := (rest + perServer - 1) / perServer
	weights := weightB * m.Parameters / (tensor * pipeline)
	if m.Experts > 0 {
		weights *= 0.05 + 0.95/math.Min(float64(rest), m.Experts)
	}
	overlap := dataOverlap
	if f.Inside.Shared {
		overlap = hostOverlap
	}
	hide := func(commS, underS float64) float64 {
		return math.Max(commS*(1-overlap), commS-overlap*underS)
	}
	dataS := 0.0
	if rest > 1 && !t.Adapters {
		one := f.gatherS(weights, layers, perServer, across, servers)
		if s.Sharded {
			dataS = passes * hide(3*one, passS)
		} else {
			dataS = hide(2*one, passS*2/3)
		}
	}

	// Pipeline: what stages wait while it fills and drains, and the hand-overs.
	pipelineS := 0.0
	if s.Pipeline > 1 {
		chunks := math.Max(1, math.Min(interleave, math.Floor(layers)))
		pipelineS = passS * (pipeline - 1) / chunks
		handS := 2 * chunks * 2 * tokens * m.Hidden / tensor / (stageGBs * 1e9)
		pipelineS += passes * hide(handS, passS)
	}
	offloadS := 0.0
	if s.Offload { // gradients down, weights up, and the update itself
		offloadS = (2+2)*m.Parameters/float64(t.GPUs)/(t.HostGBs*1e9) + optimizerB*m.Parameters/float64(servers)/(hostAdamGBs*1e9)
	}
	p := &TrainingPlan{
		Split: s, ProductS: passes * productS, ActivationS: passes * activationS, TensorS: passes * tensorS,
		DataS: dataS, PipelineS: pipelineS, OffloadS: offloadS,
	}
	sum := p.ProductS + p.ActivationS + p.TensorS + p.DataS + p.PipelineS + p.OffloadS
	if servers > 1 {
		p.StragglerS = sum * straggler * math.Sqrt(2*math.Log(float64(servers)))
	}
	p.StepS = sum + p.StragglerS
	inStep := passes * float64(s.Micro*t.Sequence*s.Data)
	p.TokensPerS = inStep / p.StepS
	if most := t.Feed.limit(); most < p.TokensPerS {
		p.TokensPerS, p.FeedBound = most, true
	}
	p.MemoryBound = 1 - p.ProductS*(1+pipelineShare(pipelineS, passS, passes))/p.StepS
	p.MemoryBound = math.Max(0, math.Min(1, p.MemoryBound))
	flops := p.TokensPerS * m.TrainingFLOPs(float64(t.Sequence))
	if t.Adapters {
		flops = p.TokensPerS * m.TrainingFLOPs(float64(t.Sequence)) * 2 / 3
	}
	p.PFLOPS = flops / 1e15
	p.MFU = flops / (t.GPU.Peak[t.Precision] * 1e12 * float64(t.GPUs))
	return p
}

// pipelineShare is the bubble over the time of the passes: it shrinks with the products.
func pipelineShare(pipelineS, passS, passes float64) float64 { return pipelineS / (passS * passes) }
