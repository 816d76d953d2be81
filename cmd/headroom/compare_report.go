package main

import (
	"bytes"
	"fmt"
	"math"

	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/report"
	"headroom/plots/show"
	"headroom/sim"
)

// report is the comparison as a document to forward.
func (a *compareAnswer) report(charts string) *document.Document {
	d := &document.Document{Title: document.T("%s and what it is compared with", a.Base)}
	d.Para(document.T("**%s**", a.Answer))
	if charts != "none" {
		f := &document.Figure{Name: "whatif", Alt: "Figures side by side, and power and temperature over time on shared axes", Path: "charts/whatif." + charts}
		if charts != "pdf" {
			f.Format = charts
			f.Data = func() ([]byte, error) {
				var b bytes.Buffer
				err := plots.DrawWhatIf(a.chart(), charts, &b)
				return b.Bytes(), err
			}
		}
		d.Add(f)
	}
	d.Section("What is compared")
	about := &document.Table{Name: "compared", Columns: document.Columns("name", "scenario", "file", "variant", "run", ">inputs changed", ">limits held", ">broken", ">unknown")}
	for _, s := range a.Sides {
		count := func(n int) document.Cell { return document.Num(show.Count(n), float64(n), "") }
		about.Rows = append(about.Rows, document.Row(document.Words(s.Name), document.Words(s.Scenario), document.Words(s.File), document.Words(s.Variant),
			document.Words(s.ID), count(len(s.Changed)), count(s.Held), count(s.Broken), count(s.Unknown)))
	}
	d.Add(about)
	for i := range a.Sides[1:] {
		a.against(d, &a.Sides[i+1], i+1)
	}
	a.limitSection(d)
	a.rankSection(d)
	d.Section("Notes")
	var notes []document.Text
	for _, n := range a.Notes {
		notes = append(notes, document.Str(n))
	}
	notes = append(notes,
		document.T("Seeds: %s. The same seed gives every side the same arrivals, failures and weather.", seedWords(a.Seeds)),
		document.Str("Unknown: no figure. It is never counted as zero, and a difference from it is unknown."),
		document.Str("A relative difference is that of the means over the size of the base's; where the base is 0 there is none."))
	d.Add(document.List{Items: notes})
	return d
}

func seedWords(seeds []uint64) string {
	if len(seeds) == 1 {
		return fmt.Sprint(seeds[0])
	}
	return fmt.Sprintf("%d to %d", seeds[0], seeds[len(seeds)-1])
}

// against adds what one side changed, and what that changes.
func (a *compareAnswer) against(d *document.Document, s *compareSide, at int) {
	d.Section(s.Name + " against " + a.Base)
	if len(s.Changed) == 0 {
		d.Para(document.Str("No input differs."))
	} else {
		t := &document.Table{Name: "inputs " + s.Name, Columns: document.Columns("input", a.Base, s.Name)}
		for _, c := range s.Changed {
			t.Rows = append(t.Rows, document.Row(document.Words(c.Path), document.Words(stated(c.From)), document.Words(stated(c.To))))
		}
		d.Add(t)
	}
	t := &document.Table{Name: "figures " + s.Name, Columns: document.Columns("figure", ">"+a.Base, ">"+s.Name, ">difference", ">relative", ">95 % interval of the difference", "")}
	for k := range a.Figures {
		f := &a.Figures[k]
		base, v := &f.Values[0], &f.Values[at]
		number := func(text string, n sim.Num) document.Cell { return document.Num(text, float64(n), f.Unit) }
		relative := document.Num("–", math.NaN(), "share")
		if v.Relative.Known() {
			relative = document.Num(signed(100*float64(v.Relative), func(x float64) string { return percents(x, v) }), float64(v.Relative), "share")
		}
		delta, interval := show.Unknown, "–"
		if v.Delta.Known() {
			delta = signed(float64(v.Delta), func(x float64) string { return difference(f.Unit, x) })
		}
		if v.CI95[0].Known() {
			end := func(n sim.Num) string {
				return signed(float64(n), func(x float64) string { return difference(f.Unit, x) })
			}
			interval = end(v.CI95[0]) + " … " + end(v.CI95[1])
		}
		t.Rows = append(t.Rows, document.Row(document.Words(f.Name), number(shown(f.Unit, float64(base.Mean)), base.Mean), number(shown(f.Unit, float64(v.Mean)), v.Mean),
			number(delta, v.Delta), relative, document.Words(interval), document.Words(verdictWords[v.Verdict])))
	}
	d.Add(t)
	a.moneySection(d, s)
}

// moneySection adds when a side's extra capital comes back, with the first seed.
func (a *compareAnswer) moneySection(d *document.Document, s *compareSide) {
	if len(s.Payback) == 0 {
		d.Para(document.T("Payback: %s.", s.PaybackText))
		return
	}
	p := s.Payback[0]
	d.Para(document.T("Payback as built: **%s**; at like work, that is with the variant taken in the proportion that does the base's work: **%s** (discounted %s and %s).",
		s.PaybackText, p.LikeWork.Simple.String(), p.AsBuilt.Discounted.String(), p.LikeWork.Discounted.String()))
	var notes []document.Text
	for _, n := range p.Notes {
		notes = append(notes, document.Str(n))
	}
	if notes != nil {
		d.Add(document.List{Items: notes})
	}
}

// verdictWords say what is known of a difference.
var verdictWords = map[string]string{
	"same": "same", "differs": "differs", "unclear": "no difference shown", "one seed": "one seed", "no figure": "unknown",
}

func (a *compareAnswer) limitSection(d *document.Document) {
	d.Section("Verdicts")
	names := []string{"limit"}
	for _, s := range a.Sides {
		names = append(names, s.Name)
	}
	t := &document.Table{Name: "verdicts", Columns: document.Columns(names...)}
	states := map[string]document.State{report.Pass: document.Pass, report.Fail: document.Fail, report.Unknown: document.Unknown}
	for _, l := range a.Limits {
		row := document.Row(document.Words(l.Limit))
		for _, v := range l.Verdicts {
			words := v.State
			switch {
			case v.State == "":
				row = append(row, document.Words("–"))
				continue
			case len(a.Seeds) > 1 && v.Seeds < len(a.Seeds):
				words += fmt.Sprintf(" in %d of %d seeds", v.Seeds, len(a.Seeds))
			}
			if v.State != report.Unknown {
				words += ": " + v.Figure + ", limit " + v.Bound
			}
			row = append(row, document.Judged(words, states[v.State]))
		}
		t.Rows = append(t.Rows, row)
	}
	d.Add(t)
	d.Para(document.Str("The worst verdict over the seeds; – where a side has no such limit."))
}

func (a *compareAnswer) rankSection(d *document.Document) {
	d.Section("Ranks")
	names := []string{"figure", "better"}
	for _, s := range a.Sides {
		names = append(names, ">"+s.Name)
	}
	t := &document.Table{Name: "ranks", Columns: document.Columns(names...)}
	for k := range a.Figures {
		f := &a.Figures[k]
		if f.Values[0].Rank == 0 {
			continue
		}
		row := document.Row(document.Words(f.Name), document.Words(f.Better))
		for _, v := range f.Values {
			row = append(row, document.Num(show.Count(v.Rank), float64(v.Rank), ""))
		}
		t.Rows = append(t.Rows, row)
	}
	d.Add(t)
	d.Para(document.Str("1 is best; sides between which no difference was shown share a rank."))
}
