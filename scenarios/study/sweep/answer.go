package sweep

import (
	"math"
	"slices"

	"headroom/scenarios"
)

// Estimate is a figure over the replicates of a point.
type Estimate struct {
	Mean float64 // NaN where it is unknown in any replicate
	Half float64 // half the width of the 95 % interval of the mean; NaN under two replicates
}

// PointAnswer is what the runs of one point say.
type PointAnswer struct {
	Point   int
	Step    int      // of a search
	Values  []string // of Plan.Inputs
	Runs    int
	Failed  int
	Figures []Estimate // of Study.Wanted
}

// Answers sum up the table by point, in its order.
func (s *Study) Answers() []PointAnswer {
	var out []PointAnswer
	runs := s.Runs()
	for len(runs) > 0 {
		n := 1
		for n < len(runs) && runs[n].Spot == runs[0].Spot {
			n++
		}
		out = append(out, s.answer(runs[:n]))
		runs = runs[n:]
	}
	return out
}

func (s *Study) answer(refs []*Ref) PointAnswer {
	a := PointAnswer{Point: refs[0].Point, Step: refs[0].Step, Values: s.Plan.Values(refs[0].Spot), Runs: len(refs)}
	for _, r := range refs {
		if r.Err != "" {
			a.Failed++
		}
	}
	for i := range s.Wanted {
		var values []float64
		for _, r := range refs {
			if r.Err == "" {
				values = append(values, r.Numbers[i])
			}
		}
		e := Estimate{math.NaN(), math.NaN()}
		if len(values) > 0 {
			if e.Mean, e.Half = interval(values); math.IsInf(e.Half, 0) {
				e.Half = math.NaN()
			}
		}
		a.Figures = append(a.Figures, e)
	}
	return a
}

// Known says of each wanted figure whether any point knows it.
func (s *Study) Known(answers []PointAnswer) []bool {
	known := make([]bool, len(s.Wanted))
	for i := range s.Wanted {
		known[i] = slices.ContainsFunc(answers, func(a PointAnswer) bool { return !math.IsNaN(a.Figures[i].Mean) })
	}
	return known
}

// Finding is the answer of a search at one point of the grid, with its evidence.
type Finding struct {
	Point    int
	Values   []string // of the grid's inputs, without the one that is searched
	Answered bool
	Value    string
	Note     string
	Probes   []Probe // in the order tried
}

// Findings are the answers of a search, by point.
func (s *Study) Findings() []Finding {
	var out []Finding
	for _, p := range s.pursuits {
		x, ok := p.(*search)
		if !ok {
			continue
		}
		values := s.Plan.Values(Spot{x.point, 0})
		f := Finding{Point: x.point, Values: values[:len(values)-1], Answered: x.answered, Note: x.note, Probes: x.probes}
		if x.answered {
			f.Value = s.Plan.Study.Find.Value(x.found)
		}
		out = append(out, f)
	}
	return out
}

// Front are the places in answers of those that no other beats: better or equal in every goal and better in one.
// Points with a goal unknown are on no front.
func (s *Study) Front(answers []PointAnswer) []int {
	goals := s.Plan.Study.Goals
	which := make([]int, len(goals))
	for i, g := range goals {
		which[i] = slices.Index(s.Wanted, g.Figure)
	}
	at := func(a *PointAnswer, i int) float64 { // less is better
		v := a.Figures[which[i]].Mean
		if goals[i].Most {
			return -v
		}
		return v
	}
	var front []int
	for i := range answers {
		beaten := slices.ContainsFunc(which, func(w int) bool { return math.IsNaN(answers[i].Figures[w].Mean) })
		for j := range answers {
			if beaten {
				break
			}
			no, better := false, false
			for g := range goals {
				x, y := at(&answers[j], g), at(&answers[i], g)
				no = no || !(x <= y)
				better = better || x < y
			}
			beaten = better && !no
		}
		if !beaten {
			front = append(front, i)
		}
	}
	slices.SortStableFunc(front, func(a, b int) int {
		x, y := at(&answers[a], 0), at(&answers[b], 0)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return front
}

// NearFront are the places in answers of points that others beat on the means, but none of them for sure: against each,
// the 95 % interval of the paired difference, replicate by replicate on the same seeds, holds 0 in every figure that is
// better there. With one replicate nothing is known of noise, and there are none.
func (s *Study) NearFront(answers []PointAnswer, front []int) []int {
	goals := s.Plan.Study.Goals
	runs := s.Runs()
	first := make([]int, len(answers))
	for i, at := 0, 0; i < len(answers); i++ {
		first[i] = at
		at += answers[i].Runs
	}
	// sure says whether j is better than i in a goal by more than noise.
	sure := func(j, i, g int) bool {
		which := slices.Index(s.Wanted, goals[g].Figure)
		n := min(answers[i].Runs, answers[j].Runs)
		var diffs []float64
		for k := range n {
			a, b := runs[first[i]+k], runs[first[j]+k]
			if a.Err != "" || b.Err != "" {
				continue
			}
			d := a.Numbers[which] - b.Numbers[which] // less is better
			if goals[g].Most {
				d = -d
			}
			diffs = append(diffs, d)
		}
		if len(diffs) < 2 {
			return true
		}
		mean, half := interval(diffs)
		return mean > half
	}
	beats := func(j, i int) (beats, surely bool) {
		no := false
		for g := range goals {
			which := slices.Index(s.Wanted, goals[g].Figure)
			x, y := answers[j].Figures[which].Mean, answers[i].Figures[which].Mean
			if goals[g].Most {
				x, y = -x, -y
			}
			no = no || !(x <= y)
			surely = surely || x < y && sure(j, i, g)
			beats = beats || x < y
		}
		return beats && !no, surely
	}
	var near []int
	for i := range answers {
		if slices.Contains(front, i) || slices.ContainsFunc(goals, func(g scenarios.Goal) bool {
			return math.IsNaN(answers[i].Figures[slices.Index(s.Wanted, g.Figure)].Mean)
		}) {
			continue
		}
		if !slices.ContainsFunc(front, func(j int) bool {
			beaten, surely := beats(j, i)
			return beaten && surely
		}) {
			near = append(near, i)
		}
	}
	return near
}

// SwingAnswer is what moving one input does to one figure.
type SwingAnswer struct {
	Name, Low, High     string // the input and its two values
	AtLow, AtHigh       float64
	ChangeLow, ChangeHi float64 // against the scenario as it is, means of the paired differences
	HalfLow, HalfHigh   float64 // of their 95 % intervals; NaN under two replicates
	Base                float64
	LargestEffect       float64 // for the order of a tornado
}

// Tornado are the answers of a sensitivity study for one figure, the largest effect first. Differences are paired:
// replicate by replicate, on the same random streams.
func (s *Study) Tornado(figure string) []SwingAnswer {
	which := slices.Index(s.Wanted, figure)
	n := s.Plan.Study.Replicates.Count
	runs := s.Runs()
	if which < 0 || len(runs) != n*(1+2*len(s.Plan.Study.Swings)) {
		return nil
	}
	number := func(point, replicate int) float64 {
		r := runs[point*n+replicate]
		if r.Err != "" {
			return math.NaN()
		}
		return r.Numbers[which]
	}
	side := func(point int) (mean, change, half float64) {
		values, diffs := make([]float64, n), make([]float64, n)
		for k := range n {
			values[k] = number(point, k)
			diffs[k] = values[k] - number(0, k)
		}
		mean, _ = interval(values)
		change, half = interval(diffs)
		if math.IsInf(half, 0) {
			half = math.NaN()
		}
		return mean, change, half
	}
	base, _, _ := side(0)
	var out []SwingAnswer
	for i := range s.Plan.Study.Swings {
		sw := &s.Plan.Study.Swings[i]
		a := SwingAnswer{Name: sw.Name, Low: sw.Low.Value, High: sw.High.Value, Base: base}
		a.AtLow, a.ChangeLow, a.HalfLow = side(1 + 2*i)
		a.AtHigh, a.ChangeHi, a.HalfHigh = side(2 + 2*i)
		a.LargestEffect = math.Max(math.Abs(a.ChangeLow), math.Abs(a.ChangeHi))
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b SwingAnswer) int {
		switch {
		case math.IsNaN(a.LargestEffect) || math.IsNaN(b.LargestEffect):
			return 0
		case a.LargestEffect > b.LargestEffect:
			return -1
		case a.LargestEffect < b.LargestEffect:
			return 1
		}
		return 0
	})
	return out
}
