package perf

import "math"

// Steps is how fast one replica goes through its requests one pass after another, by how many it answers at once: what a
// simulation of single requests needs. Prompts are read in the order in which they come, beside the answers that are being
// written (chunked prefill), with every token that a pass has left as far as the pass stays within the goal for a token: the
// budget of tokens that an operator sets to hold it.
type Steps struct {
	// AloneS is the time per output token of each of n requests while no prompt is read, PromptS while one is; n is the index,
	// up to the batch that memory and the goal for a token allow. The goal for the first token is held by the number of replicas.
	AloneS, PromptS []float64
	// PromptPerS is the prompt tokens read a second beside n answers, FirstS what the first token takes after the prompt.
	PromptPerS, FirstS []float64
	CacheTokens        float64 // that the replica's cache holds
	// ReadWorkS and WriteWorkS are seconds of the replica, kept as busy as it may be, for a token of prompt and of answer.
	ReadWorkS, WriteWorkS float64
	PFLOPPerToken         float64
}

// Steps gives the passes of one replica of the plan.
func (p *ServingPlan) Steps() *Steps {
	r := &p.one
	n := max(1, int(r.heldBatch()))
	s := &Steps{
		AloneS: make([]float64, n+1), PromptS: make([]float64, n+1), PromptPerS: make([]float64, n+1), FirstS: make([]float64, n+1),
		CacheTokens:   math.Max(1, r.mostBatch()) * (r.r.Input + r.r.Output/2),
		PFLOPPerToken: 2 * r.s.Model.Active / 1e15,
	}
	batch := float64(n)
	prompt := batch / r.pipeline * r.r.Input / r.r.Output // in a pass of the plan
	for b := range s.AloneS {
		left := math.Max(math.Max(1, prompt), r.chunk()-float64(b)/r.pipeline)
		if b > 0 {
			left = math.Max(math.Max(1, prompt), r.beside(float64(b)))
		}
		full := r.pass(float64(b), left).total()
		s.AloneS[b], s.PromptS[b] = r.pipeline*r.pass(float64(b), 0).total(), r.pipeline*full
		s.PromptPerS[b], s.FirstS[b] = left/full, r.pipeline*full
	}
	alone := r.pass(batch, 0).total()
	s.ReadWorkS = (r.pass(batch, prompt).total() - alone) / prompt
	s.WriteWorkS = alone / (batch / r.pipeline)
	return s
}

// heldBatch is the most requests that a replica holds at once: memory, the tokens of a pass and the goal for a token allow it.
func (p *replica) heldBatch() float64 {
	q := *p
	q.r.FirstTokenS = math.Inf(1)
	if plan, ok := q.plan(); ok {
		return plan.Batch
	}
	return 1
}

// beside is how many tokens of prompts a pass takes beside the answers of a batch: what is left of a pass, as far as the goal
// for a token is held while prompts queue.
func (p *replica) beside(batch float64) float64 {
	left := p.chunk() - batch/p.pipeline
	fits := func(tokens float64) bool { return p.pipeline*p.pass(batch, tokens).total() <= p.r.PerTokenS }
	if left <= 0 || math.IsInf(p.r.PerTokenS, 1) || fits(left) {
		return left
	}
	low, high := 0.0, left
	for range 40 {
		if mid := (low + high) / 2; fits(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
