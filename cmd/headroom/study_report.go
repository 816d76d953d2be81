package main

import (
	"bytes"
	"fmt"
	"io"

	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/show"
	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

// chartAsks are the questions that the charts of a study answer.
var chartAsks = map[string]string{
	"curves": "What does the input do to the figures?", "heat": "What do two inputs do together?", "front": "Which points are beaten by no other?",
	"tornado": "Which input moves the figure most?", "trace": "Which values were tried, and which hold?", "samples": "How do the figures lie over the sampled inputs?",
}

// document is the report of the study, written as report.md and report.html.
func (a *studyAnswer) document(charts []*plots.StudyChart, format string) *document.Document {
	d := &document.Document{Title: document.T("%s: study", a.s.sc.Name())}
	st := a.st.Plan.Study
	for _, line := range a.answerLines() {
		d.Para(document.T("%s.", line))
	}
	c := a.st.Count
	runs := len(a.st.Runs())
	d.Para(document.T("%s at %s, made with model %s. Every run is a row of results.csv and results.parquet, under an id that is a hash of its inputs.",
		show.Of(runs, "run"), show.Of(len(a.points), "point"), sim.ModelVersion))
	if c.Failed > 0 {
		d.Para(document.T("%s failed; their rows hold the error and no figures.", show.Of(c.Failed, "run")))
	}
	if len(charts) > 0 && format != "none" {
		d.Section("Charts")
		for _, x := range charts {
			d.Add(a.figure(x, format))
		}
	}
	if st.Find != nil {
		d.Section("What was tried")
		d.Para(document.T("A value holds when every condition holds on the mean over %s%s.", show.Of(st.Replicates.Count, "seed"), map[bool]string{true: ", and no limit that the plan claims to hold is broken", false: ""}[st.Find.Limits]))
		for i, f := range a.st.Findings() {
			t := &document.Table{Name: fmt.Sprintf("tried %d", i+1), Columns: document.Columns(st.Find.Path, "holds", "what does not hold")}
			for _, w := range st.Find.Where {
				t.Columns = append(t.Columns, document.Columns(">"+w.Key)...)
			}
			for _, p := range f.Probes {
				word, state := "yes", document.Pass
				if !p.Holds {
					word, state = "no", document.Fail
				}
				row := document.Row(document.Words(p.Value), document.Judged(word, state), document.Words(p.Why))
				for _, v := range p.Values {
					row = append(row, document.Num(shown("", v), v, ""))
				}
				t.Rows = append(t.Rows, row)
			}
			if len(f.Values) > 0 {
				d.Para(document.T("At %s: %s.", a.others(append(f.Values[:len(f.Values):len(f.Values)], "")), f.Note))
			}
			d.Add(t)
		}
	}
	if len(st.Goals) > 0 {
		d.Section("The front")
		d.Para(document.T("Points that no other point beats: better in one figure and no worse in the rest."))
		front := a.st.Front(a.points)
		var points []sweep.PointAnswer
		for _, i := range front {
			points = append(points, a.points[i])
		}
		d.Add(a.documentTable("front", points))
		if near := a.st.NearFront(a.points, front); len(near) > 0 {
			points = nil
			for _, i := range near {
				points = append(points, a.points[i])
			}
			d.Para(document.T("Within noise of the front: beaten on the means, but the 95 %% interval of the paired difference, seed by seed, to every point that beats it holds 0."))
			d.Add(a.documentTable("near the front", points))
		}
	}
	for _, key := range st.SwingFigures {
		f := a.figureNamed(key)
		d.Section("What moves " + f.Name)
		t := &document.Table{Name: "sensitivity of " + f.Name, Columns: document.Columns("input", "low", ">change", ">±", "high", ">change", ">±")}
		for _, s := range a.st.Tornado(key) {
			t.Rows = append(t.Rows, document.Row(
				document.Words(s.Name), document.Words(s.Low), document.Num(changeText(f.Unit, s.ChangeLow), s.ChangeLow, f.Unit), document.Num(shown(f.Unit, s.HalfLow), s.HalfLow, f.Unit),
				document.Words(s.High), document.Num(changeText(f.Unit, s.ChangeHi), s.ChangeHi, f.Unit), document.Num(shown(f.Unit, s.HalfHigh), s.HalfHigh, f.Unit),
			))
		}
		d.Add(t)
	}
	d.Section("Points")
	shownPoints := a.points[:min(len(a.points), reportPoints)]
	if len(shownPoints) < len(a.points) {
		d.Para(document.T("The first %d of %s; results.csv has every run.", len(shownPoints), show.Of(len(a.points), "point")))
	}
	d.Add(a.documentTable("points", shownPoints))
	if line := a.unknownLine(); line != "" {
		d.Para(document.T("%s.", line))
	}
	if a.replicated() {
		d.Para(document.T("± is half the width of the 95 %% interval of a mean over the replicates, by Student's t. All points share their seeds, so differences between points are better known than these intervals of each point say."))
	}
	return d
}

// reportPoints bounds the table of points in a report.
const reportPoints = 400

func (a *studyAnswer) documentTable(name string, points []sweep.PointAnswer) *document.Table {
	t := &document.Table{Name: name}
	for _, in := range a.inputs {
		t.Columns = append(t.Columns, document.Columns(in.Name)...)
	}
	t.Columns = append(t.Columns, document.Columns(">runs", ">failed")...)
	for _, f := range a.figures {
		t.Columns = append(t.Columns, document.Columns(">"+f.Name)...)
	}
	for i := range points {
		p := &points[i]
		var row []document.Cell
		for _, v := range p.Values {
			row = append(row, document.Words(v))
		}
		row = append(row, document.Num(show.Count(p.Runs), float64(p.Runs), ""), document.Num(show.Count(p.Failed), float64(p.Failed), ""))
		for _, f := range a.figures {
			e := p.Figures[f.which]
			row = append(row, document.Num(a.estimateText(&f, e), e.Mean, f.Unit))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// figure is a chart as the report carries it.
func (a *studyAnswer) figure(c *plots.StudyChart, format string) *document.Figure {
	inside := pageFormat(format)
	return &document.Figure{
		Name: c.Name, Alt: c.Title + ": " + chartAsks[c.Name], Path: "charts/" + c.Name + "." + format, Format: inside,
		Data: func() ([]byte, error) {
			var b bytes.Buffer
			err := plots.DrawStudy(c, inside, &b)
			return b.Bytes(), err
		},
	}
}

// files are what a study writes.
func (a *studyAnswer) files(format string) []resultFile {
	var charts []*plots.StudyChart
	if format != "none" {
		charts = a.charts()
	}
	doc := a.document(charts, format)
	files := []resultFile{
		{"results.csv", a.st.WriteCSV},
		{"results.parquet", a.st.WriteParquet},
		{"study.json", func(w io.Writer) error { return printJSON(w, a.json()) }},
		{"report.md", func(w io.Writer) error { return document.WriteMarkdown(w, doc) }},
		{"report.html", func(w io.Writer) error { return document.WriteHTML(w, doc) }},
		resolvedFile(a.s.sc.Resolved),
	}
	return append(files, a.chartFiles(charts, format)...)
}
