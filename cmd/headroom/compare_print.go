package main

import (
	"fmt"
	"math"
	"strings"

	"headroom/plots/lang"
	"headroom/plots/report"
	"headroom/plots/show"
	"headroom/scenarios/study"
	"headroom/sim"
)

// table prints the comparison for a terminal.
func (a *compareAnswer) table(t *terminal) error {
	w := t.stdout
	width := t.tableWidth()
	for _, line := range show.Wrap(a.Answer, t.width()) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	if err := a.figureTable().Write(w, width); err != nil {
		return err
	}
	for i := range a.Sides[1:] {
		s := &a.Sides[i+1]
		fmt.Fprintf(w, "\n%s\n", lang.T(fmt.Sprintf("%s: %s changed from %s", s.Name, show.Of(len(s.Changed), "input"), a.Base)))
		if len(s.Changed) > 0 {
			if err := a.changeTable(s).Write(w, width); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(w)
	limits, held := a.limitTable(true)
	if len(limits.Rows) > 0 {
		if err := limits.Write(w, width); err != nil {
			return err
		}
	}
	if held > 0 {
		fmt.Fprintln(w, lang.T(show.Of(held, "limit")+" held by all"))
	}
	fmt.Fprintln(w)
	for _, n := range a.Notes {
		for _, line := range show.Wrap(fmt.Sprintf(lang.Format("note: %s"), lang.T(n)), t.width()) {
			fmt.Fprintln(w, line)
		}
	}
	return nil
}

// figureTable has one line a figure and one column a side, the difference from the base behind the figure.
func (a *compareAnswer) figureTable() *show.Table {
	x := &show.Table{Heads: []string{"figure", ">" + a.Base}, Keep: 2}
	for _, s := range a.Sides[1:] {
		x.Heads = append(x.Heads, ">"+s.Name)
	}
	for k := range a.Figures {
		f := &a.Figures[k]
		row := []string{f.Name}
		for i := range f.Values {
			v := &f.Values[i]
			c := shown(f.Unit, float64(v.Mean))
			if i > 0 && v.Mean.Known() {
				c += " (" + f.change(v) + ")"
			}
			row = append(row, c)
		}
		x.Rows = append(x.Rows, row)
	}
	if row := a.paybackRow(); row != nil {
		x.Rows = append(x.Rows, row)
	}
	return x
}

// paybackRow is the line of paybacks, nil where none is known.
func (a *compareAnswer) paybackRow() []string {
	row, known := []string{"payback, as built", "–"}, false
	for _, s := range a.Sides[1:] {
		row = append(row, s.PaybackText)
		known = known || !strings.HasPrefix(s.PaybackText, show.Unknown)
	}
	if !known {
		return nil
	}
	return row
}

func (a *compareAnswer) changeTable(s *compareSide) *show.Table {
	x := &show.Table{Heads: []string{"input", a.Base, s.Name}}
	for _, c := range s.Changed {
		x.Rows = append(x.Rows, []string{c.Path, stated(c.From), stated(c.To)})
	}
	return x
}

// stated is an input's text, or that there is none.
func stated(text string) string {
	if text == "" {
		return "not stated"
	}
	return text
}

// limitTable has one line a limit. brief leaves out what all hold and counts it.
func (a *compareAnswer) limitTable(brief bool) (x *show.Table, held int) {
	x = &show.Table{Heads: []string{"limit"}}
	for _, s := range a.Sides {
		x.Heads = append(x.Heads, s.Name)
	}
	for _, l := range a.Limits {
		row := []string{l.Limit}
		all := true
		for _, v := range l.Verdicts {
			all = all && v.State == report.Pass
			row = append(row, a.verdict(v))
		}
		if all {
			held++
			if brief {
				continue
			}
		}
		x.Rows = append(x.Rows, row)
	}
	return x, held
}

// verdict is a verdict with the figure that made it.
func (a *compareAnswer) verdict(v compareVerdict) string {
	switch {
	case v.State == "":
		return "–"
	case v.State == report.Fail && len(a.Seeds) > 1:
		return fmt.Sprintf("FAIL in %d of %d: %s", v.Seeds, len(a.Seeds), v.Figure)
	case v.State == report.Fail:
		return "FAIL: " + v.Figure
	}
	return v.State
}

// change is a difference from the base in words: relative where it can be, with its interval where there is one.
func (f *compareFigure) change(v *compareValue) string {
	switch v.Verdict {
	case study.NoDelta:
		return show.Unknown
	case study.Same:
		return "same"
	}
	half := float64(v.CI95[1]-v.CI95[0]) / 2
	if v.Relative.Known() && f.Unit != "ratio" { // PUEs are told apart by their difference
		s := signed(100*float64(v.Relative), func(x float64) string { return percents(x, v) })
		if len(v.BySeed) > 1 && half > negligible*math.Abs(float64(v.Delta)) {
			scale := math.Abs(float64(v.Relative) / float64(v.Delta))
			s += " ± " + show.Number(100*half*scale, 2) + " %"
		}
		return s + unclear(v)
	}
	s := signed(float64(v.Delta), func(x float64) string { return difference(f.Unit, x) })
	if len(v.BySeed) > 1 && half > negligible*math.Abs(float64(v.Delta)) {
		s += " ± " + difference(f.Unit, half)
	}
	return s + unclear(v)
}

// negligible is the share of a difference under which its interval is arithmetic's last digits.
const negligible = 1e-5

// percents prints the size of a relative difference. One that is not quite all is not rounded to it.
func percents(x float64, v *compareValue) string {
	if x < 100 && x >= 99.95 && v.Mean != 0 {
		return show.Number(math.Floor(100*x)/100, 4) + " %"
	}
	if x < 1 {
		return show.Number(x, 2) + " %"
	}
	return show.Number(x, 3) + " %"
}

func unclear(v *compareValue) string {
	if v.Verdict == study.Unclear {
		return " ~"
	}
	return ""
}

// signed prints a difference with its sign.
func signed(x float64, size func(float64) string) string {
	switch {
	case x > 0:
		return "+" + size(x)
	case x < 0:
		return "−" + size(-x)
	}
	return size(0)
}

// difference prints the size of a difference; that of temperatures is in kelvins, of shares in points.
func difference(unit string, x float64) string {
	switch unit {
	case "°C":
		return show.Number(x, 2) + " K"
	case "share":
		return show.Number(100*x, 2) + " points"
	}
	return shown(unit, x)
}

// shown prints a figure of a comparison in its unit.
func shown(unit string, x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return show.Unknown
	}
	switch unit {
	case "":
		return show.Plain(x)
	case "ratio":
		return show.Ratio(x, 3)
	case "share":
		return show.Percent(x)
	case "°C":
		return show.Celsius(x)
	case "s":
		return show.Seconds(x)
	case "GPU-h":
		if math.Abs(x) >= 1e6 {
			return show.Number(x/1e6, 3) + " million GPU-h"
		}
		return show.Number(x, 3) + " GPU-h"
	case "kWh", "W", "U":
		return show.Quantity(x, unit)
	case "L":
		return show.Litres(x)
	case "kg":
		if math.Abs(x) >= 1e4 {
			return show.Number(x/1000, 3) + " t"
		}
	case "tokens":
		return show.Number(x, 3)
	}
	if len(unit) == 3 && strings.ToUpper(unit) == unit {
		return show.Money(unit, x)
	}
	return show.Number(x, 3) + " " + unit
}

// about is the share under which a difference of a single run is taken for none.
const about = 0.01

// reasons are what one side is preferred for, in this order, after the limits it keeps.
var reasons = []struct{ key, words string }{
	{"compute.gpu_hours_effective", "for the work it does"},
	{"capacity.servers_placed", "for the servers that fit"},
	{"energy.kwh_per_gpu_hour", "for the energy its work takes"},
	{"capacity.used_racks_free_w", "for the power it leaves free in the racks it uses"},
}

// sentence answers "A or B" in one sentence: the side that breaks the fewest limits, then does the most work, then
// holds the most servers, then takes the least energy for its work, with what it is ahead and behind in.
func (a *compareAnswer) sentence() string {
	best, other := 0, 1 // other is what best is held against: the base, or the next best where best is the base
	for i := range a.Sides[1:] {
		if ahead, _ := a.ahead(i+1, best); ahead {
			best = i + 1
		}
	}
	if best > 0 {
		other = 0
	}
	for i := 2; best == 0 && i < len(a.Sides); i++ {
		if ahead, _ := a.ahead(i, other); ahead {
			other = i
		}
	}
	b := &a.Sides[best]
	o := &a.Sides[other]
	var parts []string
	add := func(key, what string) {
		f := a.figure(key)
		if f == nil {
			return
		}
		x, y := &f.Values[best], &f.Values[other]
		switch d := f.Pair(raw(y.BySeed), raw(x.BySeed)); {
		case d.Verdict == study.NoDelta:
		case f.little(d):
			parts = append(parts, fmt.Sprintf("%s no different (%s)", what, shown(f.Unit, float64(x.Mean))))
		default:
			parts = append(parts, fmt.Sprintf("%s %s against %s", what, shown(f.Unit, float64(x.Mean)), shown(f.Unit, float64(y.Mean))))
		}
	}
	add("capacity.servers_placed", "servers")
	if a.Basis == "placed" {
		add("capacity.racks_used", "racks used")
		add("capacity.used_racks_free_w", "power free in them")
	}
	add("compute.gpu_hours_effective", "work")
	add("energy.facility_kwh", "energy")
	add("energy.pue", "PUE")
	_, why := a.ahead(best, other)
	choice := b.Name + " rather than " + o.Name + " " + why
	if why == "" {
		choice = b.Name + " or " + o.Name + ": nothing that was looked at decides"
	}
	limits := "limits broken " + show.Count(b.Broken) + " against " + show.Count(o.Broken)
	switch {
	case b.Broken == 0 && o.Broken == 0 && len(a.Sides) == 2:
		limits = "neither breaks a limit"
	case b.Broken == 0 && o.Broken == 0:
		limits = "no limit broken by either"
	}
	return fmt.Sprintf("%s: %s; %s.", choice, strings.Join(parts, ", "), limits)
}

func raw(values []sim.Num) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// little says whether a difference is none as far as is known.
func (f *compareFigure) little(d study.Delta) bool {
	switch d.Verdict {
	case study.Same, study.Unclear:
		return true
	case study.OneSeed:
		return math.Abs(d.Relative) < about && f.Unit != ""
	}
	return false
}

// ahead says whether side i is to be preferred to side k, and for what; "" where nothing decides.
func (a *compareAnswer) ahead(i, k int) (bool, string) {
	if x, y := a.Sides[i].Broken, a.Sides[k].Broken; x != y {
		return x < y, "for the limits it keeps"
	}
	for _, why := range reasons {
		f := a.figure(why.key)
		if f == nil {
			continue
		}
		d := f.Pair(raw(f.Values[k].BySeed), raw(f.Values[i].BySeed))
		if d.Verdict == study.NoDelta || f.little(d) {
			continue
		}
		return d.Mean*float64(f.Figure.Better) > 0, why.words
	}
	return false, ""
}

// figure is a figure by its key, nil where no side knows it.
func (a *compareAnswer) figure(key string) *compareFigure {
	for i := range a.Figures {
		if a.Figures[i].Key == key {
			return &a.Figures[i]
		}
	}
	return nil
}
