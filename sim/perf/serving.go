package perf

import (
	"errors"
	"fmt"
	"math"
)

// Requests is what a service is asked, and how fast it must answer.
type Requests struct {
	Input, Output float64 // mean tokens of a prompt and of an answer
	InputCV       float64 // spread of prompts: standard deviation over mean
	// FirstTokenS and PerTokenS are goals for the 99th percentile of time to first token and of time per output
	// token. +Inf for none: everything is queued beforehand, and only throughput counts.
	FirstTokenS, PerTokenS float64
}

// Offline is requests without goals.
func Offline(input, output float64) Requests {
	return Requests{Input: input, Output: output, FirstTokenS: math.Inf(1), PerTokenS: math.Inf(1)}
}

// Server is what serves: accelerators of one server (or one rack system), and the precision of the weights.
type Server struct {
	Model     Model
	GPU       GPU
	GPUs      int  // that share the link inside
	Inside    Link // of one GPU
	Precision Precision
	// ReplicaGPUs fixes the size of a replica; 0 takes the size that gives most.
	ReplicaGPUs int
}

// ServingPlan is how a server is cut into replicas and what it gives at its goals.
type ServingPlan struct {
	Tensor, Pipeline int     // of one replica
	Replicas         int     // in the server
	Batch            float64 // requests a replica holds at once
	OutputPerS       float64 // output tokens a second of the whole server
	RequestsPerS     float64 // of the whole server
	MostPerS         float64 // output tokens a second with no goals
	FirstTokenS      float64 // 99th percentile, +Inf when everything is queued beforehand
	PerTokenS        float64 // 99th percentile
	StepS            float64 // mean time per output token
	Bound            string  // "memory", "first token", "per token" or "compute": what stops more
	MemoryBound      float64 // share of a step that clocks do not shorten
	PFLOPS           float64 // model FLOPs delivered, prompts included
	WeightsGB        float64 // of one GPU
	CacheGB          float64 // of one GPU at this batch

	one replica
}

// Constants of serving that are common to all precisions, assumed unless they say otherwise.
const (
	servingMemory  = 0.92 // share of a GPU's memory that weights and cache can fill, less runtimeGB
	maxBatch       = 4096 // requests of one replica, for each of its GPUs
	expertCache    = 0.41 // share of the free memory that requests fill with experts in parallel: dispatch buffers, long answers (512 of 1,240 requests a B200 in MLPerf Inference v5.1)
	maxPipeline    = 4    // stages
	pipelineLoss   = 0.05 // of a stage's time for each further stage: uneven stages, hand-overs
	perTokenSpread = 1.1  // 99th percentile of time per token over its mean where it is what binds (1.07 to 1.1 in MLPerf Inference v5.1 logs)
	reduceLatencyS = 8e-6 // of one all-reduce of a small tensor inside a server, for each doubling of ranks
	denseInMixture = 0.05 // share of a large mixture's weights outside the experts
	missShare      = 0.01 // of requests may miss a goal
	probeClock     = 0.8  // clock share at which the memory-bound share is read
	z99            = 2.33 // 99th percentile of a normal distribution
)

// fitted are the constants by precision. Product, StepS, Expert and ExpertStepS are least squares of log(here/published)
// over rows of MLPerf Inference v5.1, closed division (mlcommons/inference_results_v5.1, commit 965182b0): FP8 over 8 H200,
// Offline, with llama2-70b, llama3.1-405b and llama3.1-8b; FP4 over 8 B200 with the same and deepseek-r1, Offline and
// Server. Chunk is max_num_tokens of those submissions for llama2-70b; Memory and Activation are assumed. Not fitted, for
// want of rows: BF16 is as FP8, and experts outside FP4 are as in FP4.
var fitted = [precisions]Constants{
	BF16: {Product: 0.84, Memory: 0.8, Activation: 20, StepS: 0.008, Chunk: 1536, Expert: 0.18, ExpertStepS: 0.0007},
	FP8:  {Product: 0.84, Memory: 0.8, Activation: 20, StepS: 0.008, Chunk: 1536, Expert: 0.18, ExpertStepS: 0.0007},
	FP4:  {Product: 0.66, Memory: 0.8, Activation: 20, StepS: 0.010, Chunk: 3584, Expert: 0.18, ExpertStepS: 0.0007},
}

// ConstantsOf returns the fitted constants of a precision.
func ConstantsOf(p Precision) Constants { return fitted[p] }

// ErrGoal says that no batch meets the goals.
var ErrGoal = errors.New("no batch meets the latency goals")

// Serve returns the cut of a server into replicas that gives most output tokens within the goals. The error is
// a *NotFitError when the weights do not fit, and wraps ErrGoal when the goals are out of reach.
func Serve(s Server, r Requests) (*ServingPlan, error) {
	return serve(s, r, fitted[min(s.Precision, precisions-1)])
}

func serve(s Server, r Requests, k Constants) (*ServingPlan, error) {
	if err := s.check(r); err != nil {
		return nil, err
	}
	var best *ServingPlan
	need := math.Inf(1)
	goals := false
	for gpus := 1; gpus <= s.GPUs; gpus++ {
		if s.GPUs%gpus != 0 || s.ReplicaGPUs > 0 && gpus != s.ReplicaGPUs {
			continue
		}
		for pipeline := 1; pipeline <= min(gpus, maxPipeline); pipeline *= 2 {
			tensor := gpus / pipeline
			if gpus%pipeline != 0 || math.Mod(s.Model.Heads, float64(tensor)) != 0 && s.Model.Experts == 0 {
				continue
			}
			p := replica{s: &s, r: r, k: k, tensor: float64(tensor), pipeline: float64(pipeline)}
			if p.mostBatch() < 1 {
				need = math.Min(need, p.weightsGB()+p.cacheGB(1))
				continue
			}
			plan, ok := p.plan()
			if !ok {
				goals = true
				continue
			}
			plan.Tensor, plan.Pipeline, plan.Replicas = tensor, pipeline, s.GPUs/gpus
			plan.scale(float64(plan.Replicas))
			if best == nil || plan.OutputPerS > best.OutputPerS {
				best = plan
			}
		}
	}
	switch {
	case best != nil:
		return best, nil
	case goals:
		return nil, fmt.Errorf("%s on %s: %w of %g s to the first token and %g s a token", s.Model.Name, s.GPU.Name, ErrGoal, r.FirstTokenS, r.PerTokenS)
	case math.IsInf(need, 1):
		return nil, fmt.Errorf("%d GPUs are no whole number of replicas of %d", s.GPUs, s.ReplicaGPUs)
	}
	return nil, &NotFitError{Model: s.Model.Name, GPU: s.GPU.Name, GPUs: s.GPUs, NeedGB: need, HaveGB: s.usableGB()}
}

func (s *Server) check(r Requests) error {
	if err := s.GPU.has(s.Precision); err != nil {
		return err
	}
	switch {
	case s.GPUs < 1 || !(r.Input >= 1) || !(r.Output >= 1) || !(r.FirstTokenS > 0) || !(r.PerTokenS > 0) || !(r.InputCV >= 0):
		return errors.New("want at least one GPU, one token of input and of output, and goals above zero")
	case r.Input+r.Output > s.Model.Context:
		return fmt.Errorf("%s takes at most %g tokens (got %g and %g)", s.Model.Name, s.Model.Context, r.Input, r.Output)
	case s.GPUs > 1 && s.ReplicaGPUs != 1 && !(s.Inside.GBs > 0):
		return errors.New("the link inside the server is not known")
	case !(s.GPU.Clock > 0):
		return fmt.Errorf("clock share %g", s.GPU.Clock)
	}
	return nil
}

func (s *Server) usableGB() float64 { return s.GPU.MemoryGB*servingMemory - runtimeGB }

// scale turns one replica's figures into the server's.
func (p *ServingPlan) scale(replicas float64) {
	p.OutputPerS *= replicas
	p.RequestsPerS *= replicas
	p.MostPerS *= replicas
	p.PFLOPS *= replicas
}

// replica is one copy of the model on tensor × pipeline GPUs.
type replica struct {
	s                *Server
	r                Requests
	k                Constants
	tensor, pipeline float64
}

func (p *replica) gpus() float64 { return p.tensor * p.pipeline }

func (p *replica) weightsGB() float64 {
	return p.s.Model.Parameters * weightBytes[p.s.Precision] / p.gpus() / 1e9
}

// cacheGB is the cache of a batch on one GPU: prompts whole, answers half done on average.
func (p *replica) cacheGB(batch float64) float64 {
	m := &p.s.Model
	return batch * (p.r.Input + p.r.Output/2) * m.KVPerLayer * m.Layers * kvBytes[p.s.Precision] / p.gpus() / 1e9
}

// mostBatch is the batch that memory holds.
func (p *replica) mostBatch() float64 {
	left := p.s.usableGB() - p.weightsGB()
	if p.s.Model.Experts > 0 {
		left *= expertCache
	}
	return left / p.cacheGB(1)
}

// step is one pass of the requests that a stage holds, with tokens of prompts of the requests that follow read
// in the same pass (chunked prefill).
type step struct {
	productS, memoryS, linkS, fixedS float64
}

func (s step) total() float64 { return s.productS + s.memoryS + s.linkS + s.fixedS }

// balanced is the pass in which as many prompts are begun as answers end: every output token carries
// Input/Output tokens of prompt.
func (p *replica) balanced(batch float64) step {
	return p.pass(batch, batch/p.pipeline*p.r.Input/p.r.Output)
}

// pass gives the time of one stage for its share of a batch and some tokens of prompts. A pipeline works on as many
// parts of the batch at once as it has stages.
func (p *replica) pass(batch, prompt float64) step {
	m, g, k := &p.s.Model, &p.s.GPU, &p.k
	b := batch / p.pipeline
	tokens := b + prompt
	gpus := p.gpus()
	rate := g.flops(p.s.Precision) * k.Product
	memory := g.BandwidthGBs * 1e9 * k.Memory

	touched := 1.0 // share of the weights that a pass reads
	if m.Experts > 0 {
		rate *= k.Expert
		touched = denseInMixture + (1-denseInMixture)*(1-math.Pow(1-m.PerToken/m.Experts, tokens))
	}
	products := 2 * m.Active * tokens / gpus / rate
	weights := p.weightsGB() * 1e9 * touched / memory
	// Attention of prompts, causal, in 16 bits: 2·layers·width·length a token.
	attention := 2 * m.Layers * m.attention() * p.r.Input * prompt / gpus / (g.flops(BF16) * k.Product)
	cache := p.cacheGB(b) * 1e9 / memory
	moved := k.Activation * tokens * m.Layers * m.Hidden / gpus / memory

	st := step{productS: attention, memoryS: cache + moved}
	if products >= weights {
		st.productS += products
	} else {
		st.memoryS += weights
	}
	layers := m.Layers / p.pipeline
	if p.tensor > 1 {
		gbs := p.s.Inside.GBs * 1e9
		latencyS := math.Ceil(math.Log2(p.tensor)) * reduceLatencyS
		if m.Experts > 0 { // experts in parallel: to them in 8 bits, back in 16
			st.linkS = layers * (3*tokens/p.tensor*m.PerToken*m.Hidden*(p.tensor-1)/p.tensor/gbs + latencyS)
		} else {
			st.linkS = 2 * layers * (2*(p.tensor-1)/p.tensor*2*tokens*m.Hidden/gbs + latencyS)
		}
	}
	loss := 1 + pipelineLoss*(p.pipeline-1)
	st.productS, st.memoryS, st.linkS = st.productS*loss, st.memoryS*loss, st.linkS*loss
	st.fixedS = k.StepS
	if m.Experts > 0 {
		st.fixedS += layers * k.ExpertStepS
	}
	return st
}

// perTokenS is the mean time per output token, perS the output tokens a second of the replica.
func (p *replica) perTokenS(batch float64) float64 { return p.pipeline * p.balanced(batch).total() }
func (p *replica) perS(batch float64) float64      { return batch / p.perTokenS(batch) }

// firstTokenS is the 99th percentile of time to first token while a batch is held. Prompts queue for the tokens that
// a pass has left beside the requests it holds, as in an M/G/1 queue (mean wait of Pollaczek and Khinchine, beyond it an
// exponential tail); then the prompt is read, and the first token passes through the stages.
func (p *replica) firstTokenS(batch float64) float64 {
	left := p.chunk() - batch/p.pipeline
	if left <= 0 {
		return math.Inf(1)
	}
	fullS := p.pass(batch, left).total()
	serviceS := p.r.Input / left * fullS
	busy := p.perS(batch) / p.r.Output * serviceS
	if busy >= 1 {
		return math.Inf(1)
	}
	return waitS(busy, serviceS, p.r.InputCV) + serviceS*(1+z99*p.r.InputCV) + p.pipeline*fullS
}

// waitS is the wait in an M/G/1 queue that missShare of requests exceed: the mean of Pollaczek and Khinchine over those
// who wait at all, a share busy, with an exponential tail.
func waitS(busy, serviceS, cv float64) float64 {
	if busy <= missShare {
		return 0
	}
	meanS := serviceS * (1 + cv*cv) / (2 * (1 - busy))
	return meanS * math.Log(busy/missShare)
}

// chunk is how many tokens one pass of the whole replica takes.
func (p *replica) chunk() float64 {
	if p.s.Model.Experts > 0 { // attention is replicated in data parallel: every GPU fills its own
		return p.k.Chunk * p.gpus()
	}
	return p.k.Chunk
}

// plan finds the batch within memory and goals that gives most.
func (p *replica) plan() (*ServingPlan, bool) {
	most, bound := p.mostBatch(), "memory"
	for _, limit := range [...]struct {
		batch float64
		bound string
	}{
		{maxBatch * p.gpus(), "batch"},
		{p.pipeline * p.chunk() / (1 + p.r.Input/p.r.Output), "compute"},
	} {
		if limit.batch < most {
			most, bound = limit.batch, limit.bound
		}
	}
	most = math.Max(1, most)
	mostPerS := p.perS(most)
	misses := func(b float64) string {
		switch {
		case p.perTokenS(b)*perTokenSpread > p.r.PerTokenS:
			return "per token"
		case !math.IsInf(p.r.FirstTokenS, 1) && p.firstTokenS(b) > p.r.FirstTokenS:
			return "first token"
		}
		return ""
	}
	batch := most
	if why := misses(most); why != "" {
		if misses(1) != "" {
			return nil, false
		}
		low, high := 1.0, most
		for range 60 {
			if mid := (low + high) / 2; misses(mid) == "" {
				low = mid
			} else {
				high = mid
			}
		}
		batch, bound = low, misses(high)
	}
	out := p.perS(batch)
	plan := &ServingPlan{
		Batch: batch, OutputPerS: out, RequestsPerS: out / p.r.Output, MostPerS: mostPerS, Bound: bound,
		StepS: p.perTokenS(batch), PerTokenS: p.perTokenS(batch) * perTokenSpread, FirstTokenS: math.Inf(1),
		MemoryBound: p.memoryBound(batch), WeightsGB: p.weightsGB(), CacheGB: p.cacheGB(batch),
		PFLOPS: out * 2 * p.s.Model.Active * (1 + p.r.Input/p.r.Output) / 1e15, one: *p,
	}
	if !math.IsInf(p.r.FirstTokenS, 1) {
		plan.FirstTokenS = p.firstTokenS(batch)
	}
	return plan, true
}

// memoryBound is m of the work rate 1/(m + (1−m)/f) at the clock share probeClock with the same batch: where reads of weights
// and products are near each other, slower clocks soon make products the longer.
func (p *replica) memoryBound(batch float64) float64 {
	slow := *p.s
	slow.GPU = slow.GPU.AtClock(slow.GPU.Clock * probeClock)
	q := *p
	q.s = &slow
	longer := q.perTokenS(batch)/p.perTokenS(batch) - 1
	return math.Max(0, math.Min(1, 1-longer/(1/probeClock-1)))
}

// Cut gives how a server is cut into replicas.
func (p *ServingPlan) Cut() string {
	text := fmt.Sprintf("TP%d", p.Tensor)
	if p.Pipeline > 1 {
		text += fmt.Sprintf(" PP%d", p.Pipeline)
	}
	return fmt.Sprintf("%d x %s", p.Replicas, text)
}
