package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"headroom/plots"
	"headroom/plots/show"
	"headroom/scenarios"
	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

// chartPanels is how many figures one chart of a study shows; the table has them all.
const chartPanels = 4

// charts are the pictures of what the study found.
func (a *studyAnswer) charts() []*plots.StudyChart {
	st := a.st.Plan.Study
	var list []*plots.StudyChart
	add := func(name, title string, c plots.StudyChart) {
		c.Name, c.Title = name, title
		c.Subtitle = fmt.Sprintf("%s · %s · model %s", a.s.sc.Name(), show.Of(len(a.st.Runs()), "run"), sim.ModelVersion)
		list = append(list, &c)
	}
	switch {
	case st.Find != nil:
		if c, title := a.traceChart(); len(c.Trace) > 0 {
			add("trace", title, c)
		}
	case len(st.Swings) > 0:
		if c := a.tornadoChart(); len(c.Tornado) > 0 {
			c.Notes = append(c.Notes, "Filled: the low value; hatched: the high one. Strokes: 95 % interval of the paired change.")
			add("tornado", append(a.answerLines(), "No input moves a figure")[0], c)
		}
	case st.Sample != nil:
		if c := a.scatterChart(); len(c.Scatter) > 0 {
			add("samples", fmt.Sprintf("%d samples of %s", st.Sample.Runs, show.Of(len(st.Sample.Over), "input")), c)
		}
	default:
		x, y := a.axes()
		if x >= 0 {
			if c := a.curveChart(x); len(c.Curves) > 0 {
				c.Notes = append(c.Notes, a.bandNote(&c)...)
				add("curves", "What "+a.inputs[x].Name+" does", c)
			}
		}
		if x >= 0 && y >= 0 {
			if c := a.heatChart(x, y); len(c.Heat) > 0 {
				add("heat", a.inputs[x].Name+" by "+a.inputs[y].Name, c)
			}
		}
	}
	if len(st.Goals) > 0 {
		if c, ok := a.frontChart(); ok {
			add("front", a.answerLines()[0], c)
		}
	}
	return list
}

// bandNote says what bands are, where some are drawn, and where the intervals stand otherwise.
func (a *studyAnswer) bandNote(c *plots.StudyChart) []string {
	switch {
	case !a.replicated():
		return nil
	case slices.ContainsFunc(c.Curves, func(x plots.StudyCurves) bool { return x.Bands() }):
		return []string{"Bands: 95 % interval of the mean over the replicates, which are the same seeds at every point; panels of more than three lines have none."}
	}
	return []string{"Means over the replicates; their 95 % intervals are in the tables."}
}

func (a *studyAnswer) replicated() bool {
	return slices.ContainsFunc(a.points, func(p sweep.PointAnswer) bool { return p.Runs > 1 })
}

// distinct are the values of an input in the order of the study.
func (a *studyAnswer) distinct(input int) []string {
	var out []string
	for i := range a.points {
		if v := a.points[i].Values[input]; !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// axes are the inputs that charts are drawn over: numbers with the most values, and the next input; −1 for none.
func (a *studyAnswer) axes() (x, y int) {
	x, y = -1, -1
	most := 1
	for i, in := range a.inputs {
		if n := len(a.distinct(i)); in.Numeric && n > most {
			x, most = i, n
		}
	}
	most = 1
	for i := range a.inputs {
		if n := len(a.distinct(i)); i != x && n > most {
			y, most = i, n
		}
	}
	return x, y
}

func number(text string) float64 {
	x, _, ok := scenarios.SplitNumber(text)
	if !ok {
		return math.NaN()
	}
	return x
}

// others names a point by its inputs but some.
func (a *studyAnswer) others(values []string, but ...int) string {
	var out []string
	for i, v := range values {
		if !slices.Contains(but, i) && v != "" {
			if a.inputs[i].Numeric {
				v = a.inputs[i].Name + " " + v
			}
			out = append(out, v)
		}
	}
	return strings.Join(out, ", ")
}

func (a *studyAnswer) curveChart(x int) plots.StudyChart {
	var c plots.StudyChart
	for _, f := range a.figures[:min(len(a.figures), chartPanels)] {
		curve := plots.StudyCurves{X: plots.StudyAxis{Name: a.inputs[x].Name, Unit: a.inputs[x].Unit}, Y: plots.StudyAxis{Name: f.Name, Unit: f.Unit}}
		for i := range a.points {
			p := &a.points[i]
			name := a.others(p.Values, x)
			k := slices.IndexFunc(curve.Lines, func(l plots.StudyLine) bool { return l.Name == name })
			if k < 0 {
				k = len(curve.Lines)
				curve.Lines = append(curve.Lines, plots.StudyLine{Name: name})
			}
			l, e := &curve.Lines[k], p.Figures[f.which]
			l.X, l.Y = append(l.X, number(p.Values[x])), append(l.Y, e.Mean)
			l.Low, l.Up = append(l.Low, e.Mean-e.Half), append(l.Up, e.Mean+e.Half)
		}
		for k := range curve.Lines {
			curve.Lines[k] = sortedLine(curve.Lines[k])
		}
		c.Curves = append(c.Curves, curve)
	}
	return c
}

// sortedLine is a line from left to right.
func sortedLine(l plots.StudyLine) plots.StudyLine {
	order := make([]int, len(l.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case l.X[i] < l.X[j]:
			return -1
		case l.X[i] > l.X[j]:
			return 1
		}
		return 0
	})
	out := plots.StudyLine{Name: l.Name}
	for _, i := range order {
		out.X, out.Y = append(out.X, l.X[i]), append(out.Y, l.Y[i])
		out.Low, out.Up = append(out.Low, l.Low[i]), append(out.Up, l.Up[i])
	}
	return out
}

func (a *studyAnswer) heatChart(x, y int) plots.StudyChart {
	var c plots.StudyChart
	xs, ys := a.distinct(x), a.distinct(y)
	rest := a.others(a.points[0].Values, x, y)
	for _, f := range a.figures[:min(len(a.figures), chartPanels)] {
		h := plots.StudyHeat{
			Name: f.Name, X: plots.StudyAxis{Name: a.inputs[x].Name}, Y: plots.StudyAxis{Name: a.inputs[y].Name}, Xs: xs, Ys: ys,
		}
		for range ys {
			row, texts := make([]float64, len(xs)), make([]string, len(xs))
			for i := range row {
				row[i] = math.NaN()
			}
			h.Values, h.Texts = append(h.Values, row), append(h.Texts, texts)
		}
		for i := range a.points {
			p := &a.points[i]
			if a.others(p.Values, x, y) != rest {
				continue
			}
			j, k := slices.Index(ys, p.Values[y]), slices.Index(xs, p.Values[x])
			h.Values[j][k], h.Texts[j][k] = p.Figures[f.which].Mean, shown(f.Unit, p.Figures[f.which].Mean)
		}
		c.Heat = append(c.Heat, h)
	}
	if rest != "" {
		var at []string
		for i, v := range a.points[0].Values {
			if i != x && i != y && v != "" {
				at = append(at, a.inputs[i].Name+" "+v)
			}
		}
		c.Notes = append(c.Notes, "At "+strings.Join(at, ", ")+".")
	}
	return c
}

func (a *studyAnswer) scatterChart() plots.StudyChart {
	var c plots.StudyChart
	if len(a.figures) == 0 {
		return c
	}
	f := a.figures[0]
	for i, in := range a.inputs {
		if !in.Numeric || len(c.Scatter) == chartPanels {
			continue
		}
		s := plots.StudyFront{X: plots.StudyAxis{Name: in.Name, Unit: in.Unit}, Y: plots.StudyAxis{Name: f.Name, Unit: f.Unit}}
		for k := range a.points {
			s.Points = append(s.Points, plots.StudyPoint{X: number(a.points[k].Values[i]), Y: a.points[k].Figures[f.which].Mean})
		}
		c.Scatter = append(c.Scatter, s)
	}
	return c
}

func (a *studyAnswer) frontChart() (plots.StudyChart, bool) {
	goals := a.st.Plan.Study.Goals
	better := func(g scenarios.Goal) string {
		if g.Most {
			return "more is better"
		}
		return "less is better"
	}
	x, y := a.figureNamed(goals[0].Figure), a.figureNamed(goals[1].Figure)
	f := &plots.StudyFront{
		X: plots.StudyAxis{Name: x.Name, Unit: x.Unit}, Y: plots.StudyAxis{Name: y.Name, Unit: y.Unit},
		BetterX: better(goals[0]), BetterY: better(goals[1]), FrontPlaces: a.st.Front(a.points),
	}
	f.Near = a.st.NearFront(a.points, f.FrontPlaces)
	for i := range a.points {
		p := &a.points[i]
		f.Points = append(f.Points, plots.StudyPoint{X: p.Figures[x.which].Mean, Y: p.Figures[y.which].Mean, Name: a.others(p.Values)})
	}
	c := plots.StudyChart{Front: f}
	if len(f.Near) > 0 {
		c.Notes = append(c.Notes, "Within noise: beaten on the means, but the 95 % interval of the paired difference to every point that beats it holds 0.")
	} else if !a.replicated() {
		c.Notes = append(c.Notes, "One seed a point: nothing says how much of a difference is chance.")
	}
	if len(goals) > 2 {
		c.Notes = append(c.Notes, fmt.Sprintf("The front is over %d figures; the first two are drawn.", len(goals)))
	}
	return c, len(f.FrontPlaces) > 0
}

func (a *studyAnswer) tornadoChart() plots.StudyChart {
	var c plots.StudyChart
	for _, key := range a.st.Plan.Study.SwingFigures {
		f := a.figureNamed(key)
		t := plots.StudyTornado{Figure: plots.StudyAxis{Name: f.Name, Unit: f.Unit}}
		for _, s := range a.st.Tornado(key) {
			t.Base = shown(f.Unit, s.Base)
			t.Bars = append(t.Bars, plots.StudySwing{
				Name: s.Name, Low: s.Low, High: s.High, ChangeLow: s.ChangeLow, ChangeHigh: s.ChangeHi, HalfLow: s.HalfLow, HalfHigh: s.HalfHigh,
				TextLow: changeText(f.Unit, s.ChangeLow), TextHigh: changeText(f.Unit, s.ChangeHi),
			})
		}
		if len(t.Bars) > 0 {
			c.Tornado = append(c.Tornado, t)
		}
	}
	return c
}

// changeText is a change in words.
func changeText(unit string, x float64) string {
	if x > 0 {
		return "+" + shown(unit, x)
	}
	return shown(unit, x)
}

func (a *studyAnswer) traceChart() (c plots.StudyChart, title string) {
	lines := a.answerLines()
	find := a.st.Plan.Study.Find
	in := a.inputs[len(a.inputs)-1]
	for _, f := range a.st.Findings() {
		t := plots.StudyTrace{Input: plots.StudyAxis{Name: find.Path, Unit: in.Unit}, Where: strings.Join(f.Values, ", "), Answer: math.NaN()}
		for _, p := range f.Probes {
			t.Values, t.Holds = append(t.Values, number(p.Value)), append(t.Holds, p.Holds)
		}
		if f.Answered {
			t.Answer, t.Text = number(f.Value), f.Value
		}
		c.Trace = append(c.Trace, t)
	}
	title, _, _ = strings.Cut(lines[0], " (")
	if len(lines) > 1 {
		title = fmt.Sprintf("%s for %s", find.Path, show.Of(len(lines), "point"))
	}
	return c, title
}

// chartFiles are the charts as files in one format, none for "none".
func (a *studyAnswer) chartFiles(charts []*plots.StudyChart, format string) []resultFile {
	if format == "none" {
		return nil
	}
	var files []resultFile
	for _, c := range charts {
		files = append(files, resultFile{"charts/" + c.Name + "." + format, func(w io.Writer) error { return plots.DrawStudy(c, format, w) }})
	}
	return files
}
