package serving

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"headroom/sim/perf"
)

// one takes one request at a time: a token each of prompt and answer, so that requests of some tokens of answer make an
// M/G/1 queue.
func one(tokenS float64) *perf.Steps {
	return &perf.Steps{
		AloneS: []float64{1, tokenS}, PromptS: []float64{1, tokenS}, PromptPerS: []float64{math.Inf(1), math.Inf(1)}, FirstS: []float64{0, 0},
		CacheTokens: math.Inf(1), ReadWorkS: 0, WriteWorkS: tokenS,
	}
}

// shared writes any number of answers at once, each the slower the more there are: an M/G/1 queue with shared service.
func shared(tokenS float64, most int) *perf.Steps {
	s := &perf.Steps{CacheTokens: math.Inf(1), WriteWorkS: tokenS}
	for n := range most + 1 {
		s.AloneS, s.PromptS = append(s.AloneS, tokenS*float64(max(1, n))), append(s.PromptS, tokenS*float64(max(1, n)))
		s.PromptPerS, s.FirstS = append(s.PromptPerS, math.Inf(1)), append(s.FirstS, 0)
	}
	return s
}

// play offers requests of exponential gaps to replicas and returns all that ended.
func play(t *testing.T, s *perf.Steps, replicas, n int, gapS float64, answer func(*rand.Rand) float64) []Request {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var ended []Request
	p := NewPool(Goals{math.Inf(1), math.Inf(1)}, 0)
	var list []*Replica
	for range replicas {
		list = append(list, NewReplica(s, 0, func(q Request) { ended = append(ended, q); p.Done(q) }))
	}
	p.SetReplicas(list, 0)
	at := 0.0
	for range n {
		at += rng.ExpFloat64() * gapS
		p.Offer(Request{AtS: at, Answer: answer(rng)})
	}
	p.Advance(math.MaxFloat64)
	if len(ended) != n || p.Stats.Ended != int64(n) {
		t.Fatalf("%d of %d requests ended", len(ended), n)
	}
	return ended
}

func meanOf(ended []Request, f func(*Request) float64) float64 {
	sum := 0.0
	for i := range ended {
		sum += f(&ended[i])
	}
	return sum / float64(len(ended))
}

// One at a time is the M/G/1 queue of Pollaczek and Khinchine: mean wait λE[S²]/2(1−ρ).
func TestOneAtATimeIsPollaczekKhinchine(t *testing.T) {
	const n = 400_000
	for _, x := range []struct {
		name   string
		busy   float64
		answer func(*rand.Rand) float64
		second float64 // E[S²]/E[S]²
	}{
		{"all alike", 0.7, func(*rand.Rand) float64 { return 101 }, 1},
		{"uniform", 0.8, func(r *rand.Rand) float64 { return 1 + 200*r.Float64() }, 4.0 / 3},
		{"exponential", 0.5, func(r *rand.Rand) float64 { return 1 + 100*r.ExpFloat64() }, 2},
	} {
		// The first token of an answer comes with the prompt: the others take a second in a hundred.
		ended := play(t, one(0.01), 1, n, 1/x.busy, x.answer)
		got := meanOf(ended, func(q *Request) float64 { return q.FirstS - q.AtS })
		want := x.busy * x.second / 2 / (1 - x.busy)
		t.Logf("%s, %g busy: mean wait %.4f s, by the formula %.4f s", x.name, x.busy, got, want)
		if math.Abs(got/want-1) > 0.03 {
			t.Errorf("%s, %g busy: mean wait %.4f s, want %.4f s", x.name, x.busy, got, want)
		}
	}
}

// Answers written side by side share the replica: the mean time of those of one length is that length over 1 − ρ, whatever
// the lengths of the others (M/G/1 with processor sharing).
func TestSideBySideIsProcessorSharing(t *testing.T) {
	for _, busy := range []float64{0.4, 0.7} {
		long := func(r *rand.Rand) float64 { // 50 or 350 tokens after the first, 100 in the mean
			if r.Float64() < 5.0/6 {
				return 51
			}
			return 351
		}
		ended := play(t, shared(0.01, 2000), 1, 400_000, 1/busy, long)
		for _, tokens := range []float64{51, 351} {
			var of []Request
			for _, q := range ended {
				if q.Answer == tokens {
					of = append(of, q)
				}
			}
			got, want := meanOf(of, func(q *Request) float64 { return q.EndS - q.AtS }), 0.01*(tokens-1)/(1-busy)
			if math.Abs(got/want-1) > 0.03 {
				t.Errorf("%g busy, answers of %g: %.3f s, want %.3f s", busy, tokens, got, want)
			}
		}
	}
}

// stepped is the same replica told plainly, in small steps of time.
func stepped(s *perf.Steps, in []Request, dt float64) []Request {
	type live struct {
		Request
		left float64
	}
	var line, held []live
	var out []Request
	next, cache := 0, 0.0
	for now := 0.0; len(out) < len(in); now += dt {
		for next < len(in) && in[next].AtS <= now {
			line = append(line, live{in[next], in[next].Prompt})
			next++
		}
		n := len(held)
		reads := len(line) > 0 && (n == 0 || n < len(s.AloneS)-1 && cache+line[0].need() <= s.CacheTokens)
		tokenS := s.AloneS[n]
		if reads {
			tokenS = s.PromptS[n]
		}
		for i := 0; i < len(held); i++ {
			if held[i].left -= dt / tokenS; held[i].left <= 0 {
				held[i].EndS = now + held[i].passS
				cache -= held[i].need()
				out = append(out, held[i].Request)
				held = slices.Delete(held, i, i+1)
				i--
			}
		}
		if reads {
			q := &line[0]
			if q.left -= dt * s.PromptPerS[n]; q.left <= 0 {
				q.passS = s.FirstS[n]
				q.FirstS, q.left = now+q.passS, q.Answer-1
				cache += q.need()
				held = append(held, *q)
				line = line[1:]
			}
		}
	}
	return out
}

// Tokens that flow from event to event give what small steps of time give, with prompts, batch and cache as limits.
func TestEventsAgreeWithSmallSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batch := rapid.IntRange(1, 6).Draw(t, "batch")
		s := &perf.Steps{CacheTokens: rapid.Float64Range(60, 200).Draw(t, "cache"), ReadWorkS: 0.001, WriteWorkS: 0.01}
		for n := range batch + 1 {
			s.AloneS, s.PromptS = append(s.AloneS, 0.02+0.004*float64(n)), append(s.PromptS, 0.05+0.006*float64(n))
			s.PromptPerS, s.FirstS = append(s.PromptPerS, 200-10*float64(n)), append(s.FirstS, 0.05)
		}
		var in, got []Request
		at := 0.0
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			at += float64(rapid.IntRange(0, 20).Draw(t, "gap")) / 10
			in = append(in, Request{AtS: at, Prompt: float64(rapid.IntRange(1, 40).Draw(t, "prompt")), Answer: float64(rapid.IntRange(2, 20).Draw(t, "answer"))})
		}
		r := NewReplica(s, 0, func(q Request) { got = append(got, q) })
		for _, q := range in {
			r.Advance(q.AtS)
			r.Push(q)
		}
		r.Advance(1e9)
		want := stepped(s, in, 0.0005)
		key := func(a, b Request) int {
			switch {
			case a.AtS != b.AtS && a.AtS < b.AtS, a.AtS == b.AtS && a.FirstS < b.FirstS:
				return -1
			}
			return 1
		}
		slices.SortFunc(got, key)
		slices.SortFunc(want, key)
		if len(got) != len(in) || r.Len() != 0 || math.Abs(r.load) > 1e-6 {
			t.Fatalf("%d of %d requests ended, %g s of work left", len(got), len(in), r.load)
		}
		for i := range got {
			if math.Abs(got[i].FirstS-want[i].FirstS) > 0.05 || math.Abs(got[i].EndS-want[i].EndS) > 0.08 {
				t.Fatalf("request %d of %d: first token %.3f s, end %.3f s; in small steps %.3f s, %.3f s", i, len(in), got[i].FirstS, got[i].EndS, want[i].FirstS, want[i].EndS)
			}
		}
		wrote := 0.0
		for _, q := range in {
			wrote += q.Answer
		}
		if math.Abs(r.Wrote-wrote) > 1e-6 {
			t.Fatalf("%g tokens written of %g", r.Wrote, wrote)
		}
	})
}

// No request is lost when replicas come and go: each ends once, or is still there.
func TestNoRequestIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPool(Goals{1, 0.1}, 0)
		ended := 0
		s := shared(0.01, 4)
		var list []*Replica
		now, offered := 0.0, 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				list = append(slices.Clone(list), NewReplica(s, now, func(q Request) { ended++; p.Done(q) }))
				p.SetReplicas(list, now)
			case 1:
				if len(list) > 0 {
					k := rapid.IntRange(0, len(list)-1).Draw(t, "which")
					list = slices.Delete(slices.Clone(list), k, k+1)
					p.SetReplicas(list, now)
				}
			case 2:
				if len(list) > 0 {
					list[0].SetRate(rapid.SampledFrom([]float64{0.5, 1}).Draw(t, "rate"))
				}
			default:
				p.Offer(Request{AtS: now, Prompt: 10, Answer: float64(rapid.IntRange(0, 300).Draw(t, "answer"))})
				offered++
			}
			now += float64(rapid.IntRange(0, 8).Draw(t, "passes")) / 4
			p.Advance(now)
		}
		open, _, _ := p.Open(now)
		if ended+int(open) != offered {
			t.Fatalf("%d offered, %d ended, %d open", offered, ended, open)
		}
	})
}

func BenchmarkPool(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := NewPool(Goals{1, 0.1}, 0)
	var list []*Replica
	s := shared(0.0002, 64)
	for range 16 {
		list = append(list, NewReplica(s, 0, p.Done))
	}
	p.SetReplicas(list, 0)
	at := 0.0
	b.ReportAllocs()
	for b.Loop() {
		at += rng.ExpFloat64() * 0.0002 * 200 / 16 / 0.8
		p.Offer(Request{AtS: at, Prompt: 1000, Answer: 1 + 400*rng.Float64()})
	}
}
