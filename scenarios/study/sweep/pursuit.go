package sweep

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"headroom/scenarios"
)

// Ref is one run of a study: where it stands, and what came of it.
type Ref struct {
	Spot
	Replicate int
	Seed      uint64
	ID        string
	Err       string
	Numbers   []float64 // of the figures that the study asks for, in the order of Study.Wanted
	Held      verdict   // in a search
}

// verdict is what one run says about the conditions of a search.
type verdict struct {
	broken bool      // a claimed limit broke
	failed bool      // the run failed
	values []float64 // by condition: the figure, NaN where it is a list
	lists  []bool    // by condition: a list, and whether every element holds
}

// pursuit is what is still to be found out about one point.
type pursuit interface {
	// next returns the runs that are to be made now, beyond those it returned before; ahead is how many may be under
	// way at once. What it decides depends on finished runs of lower replicates or earlier steps alone.
	next(ahead int) []*Ref
	// done says that nothing more is needed.
	done() bool
	// rows are the runs that belong to the study's table, in order.
	rows() []*Ref
}

// fixed is a point with a fixed number of replicates.
type fixed struct {
	refs  []*Ref
	begun bool
}

func newFixed(point, replicates int) *fixed {
	f := &fixed{}
	for r := range replicates {
		f.refs = append(f.refs, &Ref{Spot: Spot{Point: point}, Replicate: r})
	}
	return f
}

func (f *fixed) next(int) []*Ref {
	if f.begun {
		return nil
	}
	f.begun = true
	return f.refs
}

func (f *fixed) done() bool   { return f.begun && allKnown(f.refs) }
func (f *fixed) rows() []*Ref { return f.refs }

func (r *Ref) known() bool { return r.ID != "" || r.Err != "" }

func allKnown(refs []*Ref) bool {
	return !slices.ContainsFunc(refs, func(r *Ref) bool { return !r.known() })
}

// until is a point whose replicates go on until an interval is narrow enough.
type until struct {
	rule  *scenarios.Replicates
	point int
	which int    // of the wanted figures
	refs  []*Ref // handed out, by replicate
	stop  int    // number of replicates that were enough; 0 while it is not known
}

func (u *until) next(ahead int) []*Ref {
	u.judge()
	if u.stop > 0 {
		return nil
	}
	open := 0
	for _, r := range u.refs {
		if !r.known() {
			open++
		}
	}
	n := max(u.rule.Min-len(u.refs), ahead-open)
	n = min(n, u.rule.Max-len(u.refs))
	first := len(u.refs)
	for range n {
		u.refs = append(u.refs, &Ref{Spot: Spot{Point: u.point}, Replicate: len(u.refs)})
	}
	return u.refs[first:]
}

// judge looks at the prefixes of the replicates in order: the first that is narrow enough decides, whatever else has
// been made meanwhile.
func (u *until) judge() {
	known := 0
	for known < len(u.refs) && u.refs[known].known() {
		known++
	}
	for n := u.rule.Min; n <= known && u.stop == 0; n++ {
		values := make([]float64, n)
		for i := range n {
			values[i] = math.NaN()
			if u.refs[i].Err == "" {
				values[i] = u.refs[i].Numbers[u.which]
			}
		}
		mean, half := interval(values)
		width := u.rule.Width
		if u.rule.Relative {
			width *= math.Abs(mean)
		}
		if 2*half <= width || n == u.rule.Max {
			u.stop = n
		}
	}
}

func (u *until) done() bool {
	u.judge()
	return u.stop > 0
}

func (u *until) rows() []*Ref { return u.refs[:u.stop] }

// interval is the mean of values and half the width of its 95 % interval by Student's t; half is +Inf under two
// values. Both are NaN where a value is unknown: an interval over survivors would be of something else.
func interval(values []float64) (mean, half float64) {
	for _, v := range values {
		mean += v
	}
	n := float64(len(values))
	mean /= n
	if len(values) < 2 {
		return mean, math.Inf(1)
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if squares == 0 {
		return mean, 0
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return mean, t * math.Sqrt(squares/(n-1)/n)
}

// Probe is one value that a search tried: part of its evidence.
type Probe struct {
	Step   int
	Value  string
	Holds  bool
	Why    string    // what did not hold, "" where everything did
	Values []float64 // of the figures of the conditions, means over the replicates
}

// search is the search at one point.
type search struct {
	f          *scenarios.Find
	point      int
	replicates int
	refs       []*Ref // in the order handed out
	at         map[int][]*Ref
	probes     []Probe // judged, in the order decided
	stage      int
	low, high  int // bracket: places of the search between which the answer changes
	grid       []int
	found      int // place of the answer
	note       string
	ended      bool
	answered   bool
	regular    bool // the answer changed at most once over everything that was tried
}

// mostProbes bounds the values that a search may try: two rounds over a grid, then halving.
func mostProbes(f *scenarios.Find) int {
	return min(2*f.Probes+2+int(math.Ceil(math.Log2(float64(f.Last+2)))), f.Last+1)
}

func newSearch(f *scenarios.Find, point, replicates int) *search {
	s := &search{f: f, point: point, replicates: replicates, at: map[int][]*Ref{}}
	s.grid = spreadOver(0, f.Last, f.Probes)
	return s
}

// spreadOver lists n places from lo to hi, both included, equally spaced, each once.
func spreadOver(lo, hi, n int) []int {
	var list []int
	for i := range n {
		k := lo + int(math.Round(float64(hi-lo)*float64(i)/float64(n-1)))
		if len(list) == 0 || list[len(list)-1] != k {
			list = append(list, k)
		}
	}
	return list
}

func (s *search) next(int) []*Ref {
	for !s.ended {
		var fresh []*Ref
		waiting := false
		for _, k := range s.grid {
			if s.at[k] == nil {
				refs := make([]*Ref, s.replicates)
				for r := range refs {
					refs[r] = &Ref{Spot: Spot{s.point, k}, Replicate: r}
				}
				s.at[k] = refs
				s.refs = append(s.refs, refs...)
				fresh = append(fresh, refs...)
			}
			waiting = waiting || !allKnown(s.at[k])
		}
		if waiting {
			return fresh
		}
		s.decide()
	}
	return nil
}

// decide takes the values tried in this round and says which are tried in the next, or ends.
func (s *search) decide() {
	ok := make([]bool, len(s.grid))
	for i, k := range s.grid {
		ok[i] = s.judge(k)
	}
	if s.stage == 2 { // halving
		if ok[0] == s.f.Largest {
			s.low = s.grid[0]
		} else {
			s.high = s.grid[0]
		}
		s.halve()
		return
	}
	// The outermost value that holds, and the next beyond it, which does not.
	first, last := slices.Index(ok, true), -1
	changes := 0
	for i := range ok {
		if ok[i] {
			last = i
		}
		if i > 0 && ok[i] != ok[i-1] {
			changes++
		}
	}
	best, beyond := last, last+1
	if !s.f.Largest {
		best, beyond = first, first-1
	}
	switch {
	case best < 0:
		s.end(-1, fmt.Sprintf("no value from %s to %s that was tried holds", s.f.Value(s.grid[0]), s.f.Value(s.grid[len(s.grid)-1])))
		return
	case beyond < 0 || beyond >= len(s.grid):
		if s.stage == 0 {
			s.end(s.grid[best], "it holds at the end of the range: the limit lies beyond it, or the conditions do not depend on it")
			return
		}
	}
	if s.stage == 0 {
		s.regular = changes <= 1
	}
	lo, hi := min(s.grid[best], s.grid[beyond]), max(s.grid[best], s.grid[beyond])
	if s.stage == 0 && !s.regular && hi-lo > s.f.Probes { // a closer look where it matters
		s.stage, s.grid = 1, spreadOver(lo, hi, s.f.Probes)
		return
	}
	s.stage, s.low, s.high = 2, lo, hi
	s.halve()
}

// halve tries the middle of the bracket, or ends where it is one step wide.
func (s *search) halve() {
	if s.high-s.low > 1 {
		s.grid = []int{s.low + (s.high-s.low)/2}
		return
	}
	answer := s.low
	if !s.f.Largest {
		answer = s.high
	}
	note := "the next value does not hold, and over all values tried the answer changes once"
	if !s.regular {
		note = "not monotone: over the range the answer changes more than once, so a value further out may hold between those that were tried"
	}
	s.end(answer, note)
}

func (s *search) end(answer int, note string) {
	s.ended, s.found, s.note, s.answered = true, answer, note, answer >= 0
}

// judge says whether the conditions hold at a value: each figure's mean over the replicates, every element of a
// list and every claimed limit in every replicate.
func (s *search) judge(k int) bool {
	p := Probe{Step: k, Value: s.f.Value(k), Holds: true}
	fail := func(why string) {
		if p.Holds {
			p.Why = why
		}
		p.Holds = false
	}
	refs := s.at[k]
	for _, r := range refs {
		switch {
		case r.Held.failed || r.Err != "":
			fail("the run failed: " + r.Err)
		case s.f.Limits && r.Held.broken:
			fail("a limit that the plan claims to hold is broken")
		}
	}
	for i := range s.f.Where {
		c := &s.f.Where[i]
		mean, lists := 0.0, true
		for _, r := range refs {
			if i >= len(r.Held.values) {
				mean, lists = math.NaN(), false
				continue
			}
			mean += r.Held.values[i] / float64(len(refs))
			lists = lists && r.Held.lists[i]
		}
		p.Values = append(p.Values, mean)
		if !c.Holds(mean) && !(math.IsNaN(mean) && lists) {
			if math.IsNaN(mean) {
				fail(c.Key + " is unknown, or some element does not hold")
			} else {
				fail(fmt.Sprintf("%s is %.6g", c.Key, mean))
			}
		}
	}
	if !slices.ContainsFunc(s.probes, func(x Probe) bool { return x.Step == k }) {
		s.probes = append(s.probes, p)
	}
	return p.Holds
}

func (s *search) done() bool   { return s.ended }
func (s *search) rows() []*Ref { return s.refs }

// judgeRun is what one row says about the conditions of a search.
func judgeRun(f *scenarios.Find, row *Row) verdict {
	v := verdict{broken: row.broken()}
	for i := range f.Where {
		c := &f.Where[i]
		all := row.Numbers(c.Key)
		if len(all) == 1 {
			v.values, v.lists = append(v.values, all[0]), append(v.lists, false)
			continue
		}
		holds := len(all) > 0
		for _, x := range all {
			holds = holds && c.Holds(x)
		}
		v.values, v.lists = append(v.values, math.NaN()), append(v.lists, holds)
	}
	return v
}
