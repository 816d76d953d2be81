package sweep

import (
	"fmt"
	"strings"

	"headroom/scenarios"
)

// Plan is a study laid out: its points in a fixed order, made when they are asked for.
type Plan struct {
	Study   *scenarios.Study
	samples [][]string // by sampled input, by sample: the values as they are written
	grid    int        // points of the grid
}

// NewPlan lays out a study.
func NewPlan(st *scenarios.Study) *Plan {
	p := &Plan{Study: st, grid: 1}
	for i := range st.Axes {
		p.grid *= len(st.Axes[i].Points)
	}
	if st.Sample != nil {
		p.samples = hypercube(st.Sample)
	}
	return p
}

// Points is how many points the study has, besides the values that a search tries.
func (p *Plan) Points() int {
	switch {
	case len(p.Study.Swings) > 0:
		return 1 + 2*len(p.Study.Swings)
	case p.Study.Sample != nil:
		return p.grid * p.Study.Sample.Runs
	}
	return p.grid
}

// MostRuns is the largest number of runs that the study can take.
func (p *Plan) MostRuns() int {
	n := p.Points() * p.Study.Replicates.Most()
	if f := p.Study.Find; f != nil {
		n *= mostProbes(f)
	}
	return n
}

// Input is a column of what a study changes.
type Input struct {
	Name string // what a chart calls it
	Key  string // heading of its column: the path, with the unit where all values are numbers in it
	Path string // "" for an axis of variants
	Unit string
	// Numeric says that all values are numbers in Unit.
	Numeric bool
}

// Inputs are the columns of what the study changes.
func (p *Plan) Inputs() []Input {
	var list []Input
	st := p.Study
	for i := range st.Axes {
		a := &st.Axes[i]
		if a.OfVariants() {
			list = append(list, Input{Name: a.Name, Key: "variant"})
			continue
		}
		for j, path := range a.Paths {
			name := a.Name
			if len(a.Paths) > 1 {
				name = path
			}
			var texts []string
			for _, pt := range a.Points {
				texts = append(texts, pt.Set[j].Value)
			}
			list = append(list, newInput(name, path, texts))
		}
	}
	if st.Sample != nil {
		for i := range st.Sample.Over {
			s := &st.Sample.Over[i]
			list = append(list, newInput(s.Name, s.Path, p.samples[i]))
		}
	}
	if f := st.Find; f != nil {
		list = append(list, newInput(f.Path, f.Path, []string{f.Value(0), f.Value(f.Last)}))
	}
	for i := range st.Swings {
		s := &st.Swings[i]
		list = append(list, newInput(s.Name, s.Path, []string{s.Low.Value, s.High.Value}))
	}
	return list
}

func newInput(name, path string, texts []string) Input {
	in := Input{Name: name, Key: path, Path: path, Numeric: len(texts) > 0}
	for i, t := range texts {
		_, unit, ok := scenarios.SplitNumber(t)
		unit = strings.TrimSpace(unit)
		if i == 0 {
			in.Unit = unit
		}
		if !ok || unit != in.Unit {
			in.Numeric, in.Unit = false, ""
			return in
		}
	}
	if in.Unit != "" {
		in.Key = fmt.Sprintf("%s (%s)", path, in.Unit)
	}
	return in
}

// Spot is one place in the space of a study: a point and, in a search, the place of the value that is tried.
type Spot struct {
	Point int
	Step  int // of the search; 0 without one
}

// Task is what a spot's runs have in common.
func (p *Plan) Task(s Spot) Task {
	t := Task{}
	add := func(set scenarios.Setting) { t.Set = append(t.Set, set.String()) }
	p.axisPoints(s.Point, func(_ int, pt *scenarios.AxisPoint) {
		if len(pt.Set) == 0 {
			t.Variant = pt.Variant
		}
		for _, x := range pt.Set {
			add(x)
		}
	})
	if sm := p.Study.Sample; sm != nil {
		for i := range sm.Over {
			add(scenarios.Setting{Path: sm.Over[i].Path, Value: p.samples[i][s.Point%sm.Runs]})
		}
	}
	if f := p.Study.Find; f != nil {
		add(scenarios.Setting{Path: f.Path, Value: f.Value(s.Step)})
	}
	if sw, high, ok := p.swing(s.Point); ok {
		if high {
			add(sw.High)
		} else {
			add(sw.Low)
		}
	}
	return t
}

// axisPoints calls f for each axis with the place on it, the last axis changing fastest.
func (p *Plan) axisPoints(point int, f func(place int, pt *scenarios.AxisPoint)) {
	axes := p.Study.Axes
	if p.Study.Sample != nil {
		point /= p.Study.Sample.Runs
	}
	rest := p.grid
	for i := range axes {
		rest /= len(axes[i].Points)
		k := point / rest % len(axes[i].Points)
		f(k, &axes[i].Points[k])
	}
}

// swing is the input that a point of a sensitivity study moves; point 0 moves none.
func (p *Plan) swing(point int) (s *scenarios.Swing, high, ok bool) {
	if len(p.Study.Swings) == 0 || point == 0 {
		return nil, false, false
	}
	return &p.Study.Swings[(point-1)/2], (point-1)%2 == 1, true
}

// Values are the cells of Inputs at a spot, as they are written; "" where an input is as the scenario has it.
func (p *Plan) Values(s Spot) []string {
	var out []string
	p.axisPoints(s.Point, func(_ int, pt *scenarios.AxisPoint) {
		if len(pt.Set) == 0 {
			out = append(out, pt.Label)
		}
		for _, x := range pt.Set {
			out = append(out, x.Value)
		}
	})
	if sm := p.Study.Sample; sm != nil {
		for i := range sm.Over {
			out = append(out, p.samples[i][s.Point%sm.Runs])
		}
	}
	if f := p.Study.Find; f != nil {
		out = append(out, f.Value(s.Step))
	}
	if n := len(p.Study.Swings); n > 0 {
		cells := make([]string, n)
		if _, high, ok := p.swing(s.Point); ok {
			sw := &p.Study.Swings[(s.Point-1)/2]
			cells[(s.Point-1)/2] = sw.Low.Value
			if high {
				cells[(s.Point-1)/2] = sw.High.Value
			}
		}
		out = append(out, cells...)
	}
	return out
}
