// Package serving runs requests to language models one by one through replicas that batch continuously: prompts are read in
// the order in which they come, answers are written side by side, each pass serving all of them. Between two events of a
// replica (a prompt is read, an answer is done, a request comes) tokens flow at the rate of its passes then, so that a run
// costs a few events a request and no pass is stepped through.
package serving

import (
	"math"

	"headroom/sim/perf"
)

// Request is one request on its way.
type Request struct {
	AtS            float64 // when it came, after the start of the run
	Prompt, Answer float64 // tokens
	FirstS         float64 // when its first token was there, 0: not yet
	EndS           float64 // when its last was
	passS          float64 // that a token takes through the stages
	endV           float64 // tokens that each request at hand will have got then, since the replica began
}

// need is what a request holds of the cache, its answer half done.
func (q *Request) need() float64 { return q.Prompt + q.Answer/2 }

// Replica is one copy of a model with its requests.
type Replica struct {
	Closed bool    // it gets no more requests
	Rate   float64 // share of its full speed
	Read   float64 // prompt tokens read since Reset
	Wrote  float64 // answer tokens written since Reset

	steps  *perf.Steps
	nowS   float64
	v      float64 // tokens that a request at hand since the beginning would have got
	line   []Request
	head   int
	left   float64 // of the prompt of the first in line
	held   atHand
	cache  float64 // tokens
	load   float64 // seconds of work it had before it at nowS
	speed  float64 // by which that falls, s/s
	nextS  float64 // its next event
	isRead bool    // that is a prompt's end, not an answer's
	notice func(Request)
}

// NewReplica makes an idle replica at a time. done is told of each request whose answer is complete.
func NewReplica(s *perf.Steps, atS float64, done func(Request)) *Replica {
	return &Replica{Rate: 1, steps: s, nowS: atS, nextS: math.Inf(1), notice: done}
}

// Reset begins a new account of tokens.
func (r *Replica) Reset() { r.Read, r.Wrote = 0, 0 }

// Len is the number of requests that wait or are at hand.
func (r *Replica) Len() int { return len(r.line) - r.head + len(r.held) }

// Fits says whether a request could ever be served.
func (r *Replica) Fits(q *Request) bool { return q.Prompt+q.Answer <= r.steps.CacheTokens }

// work is what a request takes of the replica.
func (r *Replica) work(q *Request) float64 {
	return q.Prompt*r.steps.ReadWorkS + q.Answer*r.steps.WriteWorkS
}

// Push gives the replica a request at a time up to which it has been advanced.
func (r *Replica) Push(q Request) {
	if r.head > 64 && r.head > len(r.line)/2 {
		r.line, r.head = append(r.line[:0], r.line[r.head:]...), 0
	}
	if r.line = append(r.line, q); len(r.line)-r.head == 1 {
		r.left = q.Prompt
	}
	r.load += r.work(&q)
	r.plan()
}

// SetRate changes its speed from the time up to which it has been advanced.
func (r *Replica) SetRate(rate float64) {
	if rate != r.Rate {
		r.Rate = rate
		r.plan()
	}
}

// before is how long the work before it would keep the replica as busy as planned.
func (r *Replica) before(nowS float64) float64 { return (r.load - r.speed*(nowS-r.nowS)) / r.Rate }

// reading says whether the first in line may be read now: a place in the batch and its part of the cache are free.
func (r *Replica) reading() bool {
	if r.head == len(r.line) {
		return false
	}
	n := len(r.held)
	return n == 0 || n < len(r.steps.AloneS)-1 && r.cache+r.line[r.head].need() <= r.steps.CacheTokens
}

// tokenS is what a token of each answer takes now, promptPerS what is read of the first prompt a second.
func (r *Replica) tokenS() (tokenS, promptPerS float64) {
	n := len(r.held)
	if r.reading() {
		return r.steps.PromptS[n] / r.Rate, r.steps.PromptPerS[n] * r.Rate
	}
	return r.steps.AloneS[n] / r.Rate, 0
}

// plan finds the next event.
func (r *Replica) plan() {
	r.nextS, r.speed = math.Inf(1), 0
	if !(r.Rate > 0) {
		return
	}
	tokenS, promptPerS := r.tokenS()
	r.speed = float64(len(r.held))/tokenS*r.steps.WriteWorkS + promptPerS*r.steps.ReadWorkS
	if r.isRead = promptPerS > 0; r.isRead {
		r.nextS = r.nowS + r.left/promptPerS
	}
	if len(r.held) > 0 {
		if at := r.nowS + math.Max(0, r.held[0].endV-r.v)*tokenS; at < r.nextS {
			r.nextS, r.isRead = at, false
		}
	}
}

// flow lets tokens flow up to a time with no event before it.
func (r *Replica) flow(toS float64) {
	dt := toS - r.nowS
	r.nowS = toS
	if !(dt > 0) || !(r.Rate > 0) {
		return
	}
	tokenS, promptPerS := r.tokenS()
	if n := len(r.held); n > 0 {
		tokens := dt / tokenS
		r.v += tokens
		r.Wrote += tokens * float64(n)
		r.load -= tokens * float64(n) * r.steps.WriteWorkS
	}
	if promptPerS > 0 {
		read := math.Min(r.left, dt*promptPerS)
		r.left -= read
		r.Read += read
		r.load -= read * r.steps.ReadWorkS
	}
}

// Advance lets the replica work up to a time.
func (r *Replica) Advance(toS float64) {
	const tiny = 1e-9 // tokens
	for r.nextS <= toS {
		if r.flow(r.nextS); r.isRead {
			r.left = 0 // exactly: what is left by rounding may be too little for the clock to pass
		} else {
			r.v = r.held[0].endV
		}
		for len(r.held) > 0 && r.held[0].endV <= r.v+tiny {
			q := r.held.pop()
			r.cache -= q.need()
			q.EndS = r.nowS + q.passS
			r.notice(q)
		}
		if len(r.held) == 0 {
			r.v, r.cache = 0, 0 // rounding doesn't build up
		}
		if r.reading() && r.left <= tiny {
			q := r.line[r.head]
			r.head++
			q.passS = r.steps.FirstS[len(r.held)] / r.Rate
			q.FirstS = r.nowS + q.passS
			if r.head < len(r.line) {
				r.left = r.line[r.head].Prompt
			} else {
				r.line, r.head = r.line[:0], 0
			}
			if q.Answer > 1 { // the first comes with the prompt
				r.Wrote++
				r.load -= r.steps.WriteWorkS
				q.endV = r.v + q.Answer - 1
				r.cache += q.need()
				r.held.push(q)
			} else {
				r.Wrote += q.Answer
				r.load -= q.Answer * r.steps.WriteWorkS
				q.EndS = q.FirstS
				r.notice(q)
			}
		}
		if r.Len() == 0 {
			r.load = 0
		}
		r.plan()
	}
	if toS > r.nowS {
		r.flow(toS)
		r.plan()
	}
}

// Take empties the replica: its requests in the order in which they came, to be begun again elsewhere.
func (r *Replica) Take() []Request {
	out := append([]Request(nil), r.held...)
	for i := range out {
		out[i].FirstS = 0
	}
	out = append(out, r.line[r.head:]...)
	r.line, r.head, r.held, r.cache, r.load, r.v = r.line[:0], 0, r.held[:0], 0, 0, 0
	r.plan()
	return out
}

// atHand is requests whose answers are being written, a heap with the one that ends first at the root.
type atHand []Request

func (h *atHand) push(q Request) {
	*h = append(*h, q)
	x := *h
	for i := len(x) - 1; i > 0; {
		up := (i - 1) / 2
		if x[up].endV <= x[i].endV {
			break
		}
		x[up], x[i] = x[i], x[up]
		i = up
	}
}

func (h *atHand) pop() Request {
	x := *h
	q, last := x[0], len(x)-1
	x[0] = x[last]
	x = x[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && x[c+1].endV < x[c].endV {
			c++
		}
		if x[i].endV <= x[c].endV {
			break
		}
		x[i], x[c] = x[c], x[i]
		i = c
	}
	*h = x
	return q
}
