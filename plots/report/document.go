package report

import (
	"fmt"
	"slices"

	"headroom/plots"
	"headroom/plots/document"
	"headroom/sim"
)

// Options are what a report holds besides the result.
type Options struct {
	// Charts are the pictures of the run; each is set in the section it belongs to, the rest under a heading of their own.
	Charts []*document.Figure
	// Used are the catalogue's figures that the result rests on; nil where nobody said.
	Used []Used
	Lang string
}

// Document is the report that a planner forwards: the answer in plain sentences, a verdict on every limit and on what
// all of it stands, then the tables and charts, what to change, and what the words mean.
func Document(r *sim.Result, o Options) (*document.Document, error) {
	if r == nil {
		return nil, fmt.Errorf("report: no result")
	}
	d := newDoc(r, o)
	d.answer()
	d.limits(d.verdicts)
	d.basis()
	d.fit()
	d.failover()
	d.scripted()
	d.energy()
	d.money()
	d.work()
	d.thermal()
	d.actions()
	d.otherCharts()
	d.grades()
	d.definitions()
	d.foot()
	return d.Document, nil
}

// Plan is the report of a placement alone: what fits, what stops the next server, what a loss leaves. r is what
// sim.Plan returned.
func Plan(r *sim.Result, o Options) (*document.Document, error) {
	if r == nil || r.Layout == nil || r.Layout.Facility == nil {
		return nil, fmt.Errorf("report: no placement")
	}
	d := newDoc(r, o)
	d.plan, d.verdicts = true, PlanLimits(r)
	d.Section("Answer")
	d.Para(fitSentences(r)...)
	d.Para(limitSentence(d.verdicts))
	d.Para(changeSentence(r))
	d.limits(d.verdicts)
	d.basis()
	d.fit()
	d.failover()
	d.actions()
	d.otherCharts()
	d.grades()
	d.definitions()
	d.foot()
	return d.Document, nil
}

// doc is the report being written.
type doc struct {
	plan bool // of a placement alone
	*document.Document
	r      *sim.Result
	charts []*document.Figure
	used   []Used

	verdicts []Verdict
}

func newDoc(r *sim.Result, o Options) *doc {
	d := &doc{Document: &document.Document{Lang: o.Lang}, r: r, charts: slices.Clone(o.Charts), used: o.Used, verdicts: Limits(r)}
	d.Title = t("Unnamed scenario")
	if r.Run.Scenario != "" {
		d.Title = t("%s", r.Run.Scenario)
	}
	if r.Run.Variant != "" {
		d.Title = t("%s, variant %s", d.Title, r.Run.Variant)
	}
	return d
}

// t makes a sentence of the report: its format is ours, its arguments may be anybody's.
func t(format string, args ...any) document.Text { return document.T(format, args...) }

// say adds one sentence as a paragraph.
func (d *doc) say(format string, args ...any) { d.Para(t(format, args...)) }

// table adds a table; columns whose heading starts with ">" are set to the right, foot rows are its sums.
func (d *doc) table(name string, heads []string, rows [][]document.Cell, foot ...[]document.Cell) {
	d.Add(&document.Table{Name: name, Columns: document.Columns(heads...), Rows: rows, Foot: foot})
}

// chart sets a chart by its name, if the run drew it.
func (d *doc) chart(name string) {
	for i, c := range d.charts {
		if c != nil && c.Name == name {
			d.charts[i] = nil
			d.Add(c)
			return
		}
	}
}

func (d *doc) otherCharts() {
	left := false
	for _, c := range d.charts {
		if c == nil {
			continue
		}
		if !left {
			d.Section("More charts")
			left = true
		}
		d.Add(c)
	}
}

// Chart is a chart of a run as a figure: path is where its file lies, seen from the report, "" where there is none; data
// returns the picture in a format of a page, "png" or "svg".
func Chart(c plots.Chart, path, format string, data func() ([]byte, error)) *document.Figure {
	return &document.Figure{Name: c.Name, Alt: c.Title + ": " + c.Question, Path: path, Format: format, Data: data}
}
