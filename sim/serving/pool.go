package serving

import (
	"cmp"
	"math"
	"slices"

	"headroom/sim/metrics"
)

// Goals are what a service promises each request.
type Goals struct{ FirstTokenS, PerTokenS float64 }

// Pool is the replicas of a service. A request goes to the one with the least work before it, of equals the first; while there
// is none it waits for one.
type Pool struct {
	Replicas []*Replica
	Goals    Goals
	CountS   float64 // requests that come before it aren't counted
	Stats    Stats
	waiting  []Request
}

// Stats count requests that came from Pool.CountS on.
type Stats struct {
	Requests    int64 // that came
	Ended       int64 // with all their tokens
	Within      int64 // of these, those within both goals
	TooLong     int64 // that no replica's cache can hold: refused
	TooLongTok  float64
	Retried     int64   // begun again because their replica went away, each time
	Asked       float64 // answer tokens asked for
	WithinTok   float64 // of these, those of requests within both goals
	EndedTok    float64
	First       *metrics.Histogram // log10 of the time to the first token, s
	Per         *metrics.Histogram // log10 of the time per token after it, s
	LongestLine int                // most requests that waited for a replica or in its line
}

// NewPool makes a service without replicas.
func NewPool(g Goals, countS float64) *Pool {
	bins := func() *metrics.Histogram { return metrics.NewHistogram(-5, 7, 0.004) } // steps of 0.9 %
	return &Pool{Goals: g, CountS: countS, Stats: Stats{First: bins(), Per: bins()}}
}

// goalTol is the relative excess that still is within a goal: replicas keep their passes at the goal itself, to rounding.
const goalTol = 1e-6

// Done counts a request whose answer is complete.
func (p *Pool) Done(q Request) {
	if q.AtS < p.CountS {
		return
	}
	s := &p.Stats
	s.Ended++
	s.EndedTok += q.Answer
	first := q.FirstS - q.AtS
	s.First.Add(math.Log10(math.Max(first, 1e-5)), 1)
	ok := first <= p.Goals.FirstTokenS*(1+goalTol)
	if q.Answer > 1 {
		per := math.Max(0, q.EndS-q.FirstS) / (q.Answer - 1)
		s.Per.Add(math.Log10(math.Max(per, 1e-5)), 1)
		ok = ok && per <= p.Goals.PerTokenS*(1+goalTol)
	}
	if ok {
		s.Within++
		s.WithinTok += q.Answer
	}
}

// Offer gives the pool a request that comes now.
func (p *Pool) Offer(q Request) {
	if q.AtS >= p.CountS {
		p.Stats.Requests++
		p.Stats.Asked += q.Answer
	}
	p.send(q, q.AtS)
}

func (p *Pool) send(q Request, nowS float64) {
	var best *Replica
	least := 0.0
	for _, r := range p.Replicas {
		if r.Closed {
			continue
		}
		if r.nextS <= nowS {
			r.Advance(nowS)
		}
		if b := r.before(nowS); best == nil || b < least {
			best, least = r, b
		}
	}
	if best == nil {
		p.waiting = append(p.waiting, q)
		p.Stats.LongestLine = max(p.Stats.LongestLine, len(p.waiting))
		return
	}
	if !best.Fits(&q) {
		if q.AtS >= p.CountS {
			p.Stats.TooLong++
			p.Stats.TooLongTok += q.Answer
		}
		return
	}
	best.Advance(nowS)
	best.Push(q)
	p.Stats.LongestLine = max(p.Stats.LongestLine, len(best.line)-best.head)
}

// Advance lets all replicas work up to a time.
func (p *Pool) Advance(toS float64) {
	for _, r := range p.Replicas {
		r.Advance(toS)
	}
}

// SetReplicas says which replicas there are from a time on that all have been advanced to. What those that are gone had to do
// is begun again by the others, as is what waited for one.
func (p *Pool) SetReplicas(now []*Replica, atS float64) {
	again := p.waiting
	p.waiting = nil
	for _, r := range p.Replicas {
		if !slices.Contains(now, r) {
			lost := r.Take()
			for i := range lost {
				if lost[i].AtS >= p.CountS {
					p.Stats.Retried++
				}
			}
			again = append(again, lost...)
		}
	}
	p.Replicas = append(p.Replicas[:0], now...)
	slices.SortStableFunc(again, func(a, b Request) int { return cmp.Compare(a.AtS, b.AtS) })
	for _, q := range again {
		p.send(q, atS)
	}
}

// Open is the number of requests that wait or are at hand, and of those counted that have no first token though their time for
// it is over.
func (p *Pool) Open(nowS float64) (open, late int64, lateTokens float64) {
	count := func(list []Request) {
		for i := range list {
			q := &list[i]
			if open++; q.AtS >= p.CountS && (q.FirstS == 0 && nowS-q.AtS > p.Goals.FirstTokenS || q.FirstS-q.AtS > p.Goals.FirstTokenS) {
				late++
				lateTokens += q.Answer
			}
		}
	}
	count(p.waiting)
	for _, r := range p.Replicas {
		count(r.held)
		count(r.line[r.head:])
	}
	return open, late, lateTokens
}

// Lined is the work, in seconds of a replica, of requests that wait for a replica or in its line.
func (p *Pool) Lined(work func(*Request) float64) float64 {
	sum := 0.0
	for i := range p.waiting {
		sum += work(&p.waiting[i])
	}
	for _, r := range p.Replicas {
		for i := r.head; i < len(r.line); i++ {
			sum += work(&r.line[i])
		}
	}
	return sum
}
