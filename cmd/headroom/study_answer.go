package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"headroom/plots/show"
	"headroom/scenarios/study"
	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

// studyAnswer is what a study found: the table on screen, study.json, the report and the charts all read it.
type studyAnswer struct {
	s       *studySetup
	st      *sweep.Study
	points  []sweep.PointAnswer
	inputs  []sweep.Input
	figures []studyFigure // that any run knows
	unknown []studyFigure // that no run knows
}

// studyFigure is a figure as a reader sees it.
type studyFigure struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	which int    // of Study.Wanted
}

func newStudyAnswer(s *studySetup, st *sweep.Study) *studyAnswer {
	a := &studyAnswer{s: s, st: st, points: st.Answers(), inputs: st.Plan.Inputs()}
	known := st.Known(a.points)
	for i, key := range st.Wanted {
		if known[i] {
			a.figures = append(a.figures, a.figureNamed(key))
		} else {
			a.unknown = append(a.unknown, a.figureNamed(key))
		}
	}
	return a
}

// unitEnds are the units that keys of result.json end in.
var unitEnds = []struct{ end, unit string }{
	{"_kwh", "kWh"},
	{"_w", "W"},
	{"_l", "L"},
	{"_kg", "kg"},
	{"_c", "°C"},
	{"_k", "K"},
	{"_s", "s"},
	{"_u", "U"},
	{"_h", "h"},
	{"gpu_hours", "GPU-h"},
	{"pflops", "PFLOPS"},
	{"share", "share"},
	{"utilization", "share"},
	{"ratio", "share"},
}

// figureNamed is a figure that the study wants, with the currency of the runs.
func (a *studyAnswer) figureNamed(key string) studyFigure {
	f := figureNamed(key, slices.Index(a.st.Wanted, key))
	var in []string
	switch {
	case strings.HasPrefix(key, "energy.cost."):
		in = a.st.Bills
	case strings.HasPrefix(key, "money."):
		in = a.st.Money
	}
	if f.Unit != "" || len(in) == 0 {
		return f
	}
	f.Name += ", " + strings.Join(in, " or ") // more than one: the inputs say which
	return f
}

// unknownLine lists the figures that no run knows, "" for none.
func (a *studyAnswer) unknownLine() string {
	if len(a.unknown) == 0 {
		return ""
	}
	var names []string
	for _, f := range a.unknown {
		names = append(names, f.Name)
	}
	return "unknown at every point: " + strings.Join(names, ", ")
}

// figureNamed is a figure with the name and unit that a comparison gives it, or those of its key.
func figureNamed(key string, which int) studyFigure {
	for _, f := range study.Figures(nil) {
		if f.Key == key {
			return studyFigure{key, f.Name, f.Unit, which}
		}
	}
	switch key {
	case "thermal.throttled_share":
		return studyFigure{key, "throttled share", "share", which}
	case "energy.cost.amount":
		return studyFigure{key, "bills of the run", "", which}
	case "money.per_pflop_day":
		return studyFigure{key, "cost of a PFLOP-day", "", which}
	}
	f := studyFigure{Key: key, Name: strings.ReplaceAll(key, "_", " "), which: which}
	for part := key; part != "" && f.Unit == ""; part = part[:max(0, strings.LastIndexByte(part, '.'))] {
		for _, u := range unitEnds {
			if strings.HasSuffix(part, u.end) {
				f.Unit = u.unit
				break
			}
		}
	}
	return f
}

// studyPoint is one point in study.json.
type studyPoint struct {
	Inputs  map[string]string   `json:"inputs"`
	Runs    int                 `json:"runs"`
	Failed  int                 `json:"failed"`
	Figures map[string]estimate `json:"figures"`
}

type estimate struct {
	Mean sim.Num `json:"mean"`
	Half sim.Num `json:"half_width_95"`
}

// studyJSON is study.json. What is not known is null.
type studyJSON struct {
	FormatVersion int            `json:"format_version"`
	Scenario      string         `json:"scenario"`
	Model         string         `json:"model"`
	Runs          int            `json:"runs"`
	Failed        int            `json:"failed"`
	Figures       []studyFigure  `json:"figures"`
	Unknown       []studyFigure  `json:"unknown_figures,omitempty"`
	Points        []studyPoint   `json:"points"`
	Findings      []studyFinding `json:"findings,omitempty"`
	Front         []studyPoint   `json:"front,omitempty"`
	NearFront     []studyPoint   `json:"within_noise_of_front,omitempty"`
	Sensitivity   []studySwings  `json:"sensitivity,omitempty"`
}

type studyFinding struct {
	Inputs map[string]string `json:"inputs"`
	Path   string            `json:"path"`
	Value  *string           `json:"value"`
	Note   string            `json:"note"`
	Probes []studyProbe      `json:"probes"`
}

type studyProbe struct {
	Value   string             `json:"value"`
	Holds   bool               `json:"holds"`
	Why     string             `json:"why"`
	Figures map[string]sim.Num `json:"figures"`
}

type studySwings struct {
	Figure string       `json:"figure"`
	Base   sim.Num      `json:"base"`
	Inputs []studySwing `json:"inputs"`
}

type studySwing struct {
	Name       string  `json:"name"`
	Low        string  `json:"low"`
	High       string  `json:"high"`
	AtLow      sim.Num `json:"at_low"`
	AtHigh     sim.Num `json:"at_high"`
	ChangeLow  sim.Num `json:"change_low"`
	ChangeHigh sim.Num `json:"change_high"`
	HalfLow    sim.Num `json:"half_width_95_low"`
	HalfHigh   sim.Num `json:"half_width_95_high"`
}

func (a *studyAnswer) json() studyJSON {
	out := studyJSON{FormatVersion: 1, Scenario: a.s.sc.Name(), Model: sim.ModelVersion, Figures: a.figures, Unknown: a.unknown}
	for i := range a.points {
		out.Runs += a.points[i].Runs
		out.Failed += a.points[i].Failed
		out.Points = append(out.Points, a.point(&a.points[i]))
	}
	if len(a.st.Plan.Study.Goals) > 0 {
		front := a.st.Front(a.points)
		for _, i := range front {
			out.Front = append(out.Front, a.point(&a.points[i]))
		}
		for _, i := range a.st.NearFront(a.points, front) {
			out.NearFront = append(out.NearFront, a.point(&a.points[i]))
		}
	}
	for _, f := range a.st.Findings() {
		x := studyFinding{Inputs: a.inputMap(f.Values), Path: a.st.Plan.Study.Find.Path, Note: f.Note}
		if f.Answered {
			x.Value = &f.Value
		}
		for _, p := range f.Probes {
			y := studyProbe{Value: p.Value, Holds: p.Holds, Why: p.Why, Figures: map[string]sim.Num{}}
			for i, v := range p.Values {
				y.Figures[a.st.Plan.Study.Find.Where[i].Key] = sim.Num(v)
			}
			x.Probes = append(x.Probes, y)
		}
		out.Findings = append(out.Findings, x)
	}
	for _, key := range a.st.Plan.Study.SwingFigures {
		x := studySwings{Figure: key}
		for _, s := range a.st.Tornado(key) {
			x.Base = sim.Num(s.Base)
			x.Inputs = append(x.Inputs, studySwing{
				s.Name, s.Low, s.High, sim.Num(s.AtLow), sim.Num(s.AtHigh), sim.Num(s.ChangeLow), sim.Num(s.ChangeHi), sim.Num(s.HalfLow), sim.Num(s.HalfHigh),
			})
		}
		out.Sensitivity = append(out.Sensitivity, x)
	}
	return out
}

func (a *studyAnswer) inputMap(values []string) map[string]string {
	m := map[string]string{}
	for i, v := range values {
		if v != "" {
			m[a.inputs[i].Key] = v
		}
	}
	return m
}

func (a *studyAnswer) point(p *sweep.PointAnswer) studyPoint {
	x := studyPoint{Inputs: a.inputMap(p.Values), Runs: p.Runs, Failed: p.Failed, Figures: map[string]estimate{}}
	for _, f := range a.figures {
		e := p.Figures[f.which]
		x.Figures[f.Key] = estimate{sim.Num(e.Mean), sim.Num(e.Half)}
	}
	return x
}

// answerLines are the answer in sentences.
func (a *studyAnswer) answerLines() []string {
	var out []string
	st := a.st.Plan.Study
	if f := st.Find; f != nil {
		want := "largest"
		if !f.Largest {
			want = "smallest"
		}
		for _, x := range a.st.Findings() {
			where := strings.Join(x.Values, ", ")
			if where != "" {
				where = " at " + where
			}
			if x.Answered {
				out = append(out, fmt.Sprintf("%s%s: the %s that holds is %s (%s tried; %s)", f.Path, where, want, x.Value, show.Of(len(x.Probes), "value"), x.Note))
			} else {
				out = append(out, fmt.Sprintf("%s%s: %s", f.Path, where, x.Note))
			}
		}
	}
	if len(st.Goals) > 0 {
		front := a.st.Front(a.points)
		line := fmt.Sprintf("%d of %s on the front: no other is better in one figure and no worse in the rest", len(front), show.Of(len(a.points), "point"))
		if near := a.st.NearFront(a.points, front); len(near) > 0 {
			line += fmt.Sprintf("; %d more within noise of it", len(near))
		}
		out = append(out, line)
	}
	for _, key := range st.SwingFigures {
		list := a.st.Tornado(key)
		if len(list) == 0 || math.IsNaN(list[0].LargestEffect) {
			continue
		}
		s := list[0]
		f := a.figureNamed(key)
		out = append(out, fmt.Sprintf("%s moves most with %s: %s at %s, %s at %s, %s as it is", f.Name, s.Name, shown(f.Unit, s.AtLow), s.Low, shown(f.Unit, s.AtHigh), s.High, shown(f.Unit, s.Base)))
	}
	return out
}

// screenRows bounds the table on a screen; results.csv has every run.
const screenRows = 60

// table prints the answer for a terminal.
func (a *studyAnswer) table(t *terminal) error {
	w := t.stdout
	for _, line := range a.answerLines() {
		for _, l := range show.Wrap(line, t.width()) {
			fmt.Fprintln(w, l)
		}
	}
	if len(a.answerLines()) > 0 {
		fmt.Fprintln(w)
	}
	if err := a.pointTable(w, t.tableWidth()); err != nil {
		return err
	}
	if line := a.unknownLine(); line != "" {
		_, err := fmt.Fprintln(w, line)
		return err
	}
	return nil
}

func (a *studyAnswer) pointTable(w io.Writer, width int) error {
	x := &show.Table{Keep: max(1, len(a.inputs))}
	for _, in := range a.inputs {
		x.Heads = append(x.Heads, ">"+in.Name)
	}
	if len(a.inputs) == 0 {
		x.Heads = append(x.Heads, "point")
	}
	x.Heads = append(x.Heads, ">runs")
	for _, f := range a.figures {
		x.Heads = append(x.Heads, ">"+f.Name)
	}
	marks := map[int]string{}
	if len(a.st.Plan.Study.Goals) > 0 {
		x.Heads = append(x.Heads, "front")
		front := a.st.Front(a.points)
		for _, i := range front {
			marks[i] = "on it"
		}
		for _, i := range a.st.NearFront(a.points, front) {
			marks[i] = "within noise"
		}
	}
	for i := range a.points {
		p := &a.points[i]
		if len(x.Rows) == screenRows {
			break
		}
		var row []string
		for _, v := range p.Values {
			if v == "" {
				v = "–"
			}
			row = append(row, v)
		}
		if len(row) == 0 {
			row = append(row, a.s.sc.Name())
		}
		runs := fmt.Sprint(p.Runs)
		if p.Failed > 0 {
			runs += fmt.Sprintf(" (%d failed)", p.Failed)
		}
		row = append(row, runs)
		for _, f := range a.figures {
			row = append(row, a.estimateText(&f, p.Figures[f.which]))
		}
		if len(a.st.Plan.Study.Goals) > 0 {
			row = append(row, marks[i])
		}
		x.Rows = append(x.Rows, row)
	}
	if err := x.Write(w, width); err != nil {
		return err
	}
	if n := len(a.points) - len(x.Rows); n > 0 {
		_, err := fmt.Fprintf(w, "and %s; --format csv or --out has every run\n", show.Of(n, "more point"))
		return err
	}
	return nil
}

// estimateText is a mean with half the width of its interval.
func (a *studyAnswer) estimateText(f *studyFigure, e sweep.Estimate) string {
	text := shown(f.Unit, e.Mean)
	if !math.IsNaN(e.Half) && e.Half > 0 {
		text += " ±" + shown(f.Unit, e.Half)
	}
	return text
}
