package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"headroom/plots"
	"headroom/plots/report"
	"headroom/plots/show"
	"headroom/scenarios"
	"headroom/scenarios/study"
	"headroom/sim"
)

// compareAnswer is what `compare --format json` prints; table, CSV, report and chart read it too. What is not known is
// null.
type compareAnswer struct {
	FormatVersion int             `json:"format_version"`
	Answer        string          `json:"answer"`
	Base          string          `json:"base"`
	Basis         string          `json:"basis"` // "simulated", or "placed" where nothing was simulated
	Seeds         []uint64        `json:"seeds"`
	Sides         []compareSide   `json:"variants"`
	Figures       []compareFigure `json:"figures"`
	Limits        []compareLimit  `json:"limits"`
	Notes         []string        `json:"notes"`

	results [][]compared
}

// compareSide is one of what is compared.
type compareSide struct {
	Name     string                  `json:"name"`
	File     string                  `json:"file"`
	Scenario string                  `json:"scenario"`
	Variant  string                  `json:"variant"`
	ID       string                  `json:"id"`      // of the run with the first seed
	Changed  []scenarios.InputChange `json:"changed"` // inputs, from the base's
	Held     int                     `json:"limits_held"`
	Broken   int                     `json:"limits_broken"` // in the worst seed
	Unknown  int                     `json:"limits_unknown"`
	// Payback is that of its extra capital over the base's, by seed; none for the base and where prices lack.
	Payback     []*scenarios.Payback `json:"payback"`
	PaybackText string               `json:"payback_text"`
}

// compareFigure is one figure of every side.
type compareFigure struct {
	study.Figure `json:"-"`
	Key          string         `json:"key"`
	Name         string         `json:"name"`
	Unit         string         `json:"unit"`
	Better       string         `json:"better"` // "more", "less" or ""
	Values       []compareValue `json:"values"`
}

// compareValue is one figure of one side, the means over the seeds.
type compareValue struct {
	Side     string     `json:"variant"`
	Mean     sim.Num    `json:"mean"`
	BySeed   []sim.Num  `json:"by_seed"`
	Delta    sim.Num    `json:"delta"`    // from the base
	Relative sim.Num    `json:"relative"` // to the size of the base's; null where that is 0 or the unit has no ratio
	CI95     [2]sim.Num `json:"ci95"`     // of delta, over the pairs
	Verdict  string     `json:"verdict"`
	Rank     int        `json:"rank"` // 1 is best, 0 where nothing is better
}

// compareLimit is the verdict on one limit for every side.
type compareLimit struct {
	Limit    string           `json:"limit"`
	Verdicts []compareVerdict `json:"verdicts"`
}

// compareVerdict is the worst verdict over the seeds; State is "" where a side has no such limit.
type compareVerdict struct {
	Side   string `json:"variant"`
	State  string `json:"state"`
	Seeds  int    `json:"seeds"` // with this verdict
	Figure string `json:"figure"`
	Bound  string `json:"bound"`
	Note   string `json:"note"`
}

func newCompareAnswer(sides []*side, results [][]compared, first uint64, plan bool) *compareAnswer {
	a := &compareAnswer{FormatVersion: 1, Base: sides[0].name, Basis: "simulated", Notes: []string{}, results: results}
	if plan {
		a.Basis = "placed"
	}
	for k := range results[0] {
		a.Seeds = append(a.Seeds, first+uint64(k))
	}
	for i, s := range sides {
		x := compareSide{
			Name: s.name, File: s.file, Scenario: s.sc.Name(), Variant: s.variant, ID: results[i][0].Run.ID,
			Changed: append([]scenarios.InputChange{}, scenarios.InputChanges(sides[0].sc, s.sc)...),
		}
		if i > 0 {
			x.Payback, x.PaybackText = payback(results[0], results[i])
		}
		a.Sides = append(a.Sides, x)
	}
	a.figures()
	a.limits(plan)
	a.notes(sides)
	a.Answer = a.sentence()
	return a
}

// figures fills the figures with their differences and ranks.
func (a *compareAnswer) figures() {
	var all []*sim.Result
	for _, rs := range a.results {
		for _, r := range rs {
			all = append(all, r.Result)
		}
	}
	list := study.Figures(all)
	values := make([][][]float64, len(list)) // by figure, side and seed
	for k := range list {
		values[k] = make([][]float64, len(a.Sides))
	}
	for i, rs := range a.results {
		for _, r := range rs {
			for k, v := range study.Values(r.Result, list) {
				values[k][i] = append(values[k][i], v)
			}
		}
	}
	var unknown []string
	for k, f := range list {
		if !slices.ContainsFunc(values[k], func(v []float64) bool { return !math.IsNaN(study.Mean(v)) }) {
			unknown = append(unknown, f.Name)
			continue
		}
		x := compareFigure{Figure: f, Key: f.Key, Name: f.Name, Unit: f.Unit, Better: map[int]string{1: "more", -1: "less"}[f.Better]}
		ranks := f.Ranks(values[k])
		for i, s := range a.Sides {
			d := f.Pair(values[k][0], values[k][i])
			v := compareValue{
				Side: s.Name, Mean: sim.Num(study.Mean(values[k][i])), Delta: sim.Num(d.Mean), Relative: sim.Num(d.Relative),
				CI95: [2]sim.Num{sim.Num(d.Lo), sim.Num(d.Hi)}, Verdict: d.Verdict, Rank: ranks[i],
			}
			for _, y := range values[k][i] {
				v.BySeed = append(v.BySeed, sim.Num(y))
			}
			x.Values = append(x.Values, v)
		}
		a.Figures = append(a.Figures, x)
	}
	if len(unknown) > 0 && a.Basis != "placed" {
		a.Notes = append(a.Notes, "Unknown in all: "+strings.Join(unknown, ", ")+".")
	}
}

// worse orders verdicts.
var worse = map[string]int{report.Pass: 1, report.Unknown: 2, report.Fail: 3}

// limits fills the verdicts, in the order in which the sides name them.
func (a *compareAnswer) limits(plan bool) {
	at := map[string]int{}
	for i, rs := range a.results {
		for _, r := range rs {
			for _, v := range r.verdicts {
				if plan && v.State == report.Unknown { // what only a run can tell
					continue
				}
				k, ok := at[v.Limit]
				if !ok {
					k = len(a.Limits)
					at[v.Limit] = k
					x := compareLimit{Limit: v.Limit}
					for _, s := range a.Sides {
						x.Verdicts = append(x.Verdicts, compareVerdict{Side: s.Name})
					}
					a.Limits = append(a.Limits, x)
				}
				c := &a.Limits[k].Verdicts[i]
				switch {
				case worse[v.State] > worse[c.State]:
					*c = compareVerdict{c.Side, v.State, 1, v.Figure, v.Bound, v.Note}
				case v.State == c.State:
					c.Seeds++
				}
			}
		}
	}
	for _, l := range a.Limits {
		for i, v := range l.Verdicts {
			switch v.State {
			case report.Pass:
				a.Sides[i].Held++
			case report.Fail:
				a.Sides[i].Broken++
			case report.Unknown:
				a.Sides[i].Unknown++
			}
		}
	}
}

// payback is how long a side's extra capital takes to come back, by seed and in words.
func payback(base, side []compared) ([]*scenarios.Payback, string) {
	list := []*scenarios.Payback{}
	var low, high scenarios.Years
	for k := range side {
		p, err := scenarios.ComparePayback(base[k].Result, side[k].Result)
		if err != nil {
			return []*scenarios.Payback{}, show.Unknown + ": " + strings.TrimPrefix(err.Error(), "payback: ")
		}
		list = append(list, p)
		y := p.AsBuilt.Simple
		if math.IsNaN(float64(y)) {
			return list, show.Unknown
		}
		if k == 0 {
			low, high = y, y
		}
		low, high = min(low, y), max(high, y)
	}
	if low == high {
		return list, low.String()
	}
	return list, low.String() + " to " + high.String()
}

func (a *compareAnswer) notes(sides []*side) {
	switch n := len(a.Seeds); {
	case a.Basis == "placed":
		a.Notes = append(a.Notes, "Placed only: nothing was simulated.")
	case n == 1:
		a.Notes = append(a.Notes, "One seed: a difference may be chance; --seeds 5 gives it an interval.")
	default:
		a.Notes = append(a.Notes, fmt.Sprintf("±: 95 %% interval of the difference over %d pairs of runs with the same random streams (Student's t), each on its own: one in twenty leaves out the truth. ~: it holds 0, so no difference was shown.", n))
	}
	start, length := sides[0].sc.Period()
	var currencies []string
	for i, s := range sides {
		if b, l := s.sc.Period(); !b.Equal(start) || l != length {
			a.Notes = append(a.Notes, fmt.Sprintf("%s runs from %s for %s, %s from %s for %s: energy, work and bills are of different periods.",
				s.name, b.Format("2006-01-02 15:04"), show.Seconds(l.Seconds()), sides[0].name, start.Format("2006-01-02 15:04"), show.Seconds(length.Seconds())))
		}
		if own, err := s.load(nil); i > 0 && err == nil && own.Seed() != sides[0].sc.Seed() {
			a.Notes = append(a.Notes, fmt.Sprintf("%s states the seed %d and was run with %d, so that all share their random streams.", s.name, own.Seed(), a.Seeds[0]))
		}
		for _, m := range a.results[i][0].Energy.Cost {
			if !slices.Contains(currencies, m.Currency) {
				currencies = append(currencies, m.Currency)
			}
		}
	}
	if len(currencies) > 1 {
		a.Notes = append(a.Notes, "Amounts in "+strings.Join(currencies, " and ")+" are not set against each other.")
	}
}

// csv is one line a figure and side, full precision, empty where unknown.
func (a *compareAnswer) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"key", "name", "unit", "better", "variant", "mean", "delta", "relative", "ci95_low", "ci95_high", "seeds", "verdict", "rank"})
	for _, f := range a.Figures {
		for _, v := range f.Values {
			_ = c.Write([]string{
				f.Key, f.Name, f.Unit, f.Better, v.Side, figure(v.Mean, "g", -1), figure(v.Delta, "g", -1), figure(v.Relative, "g", -1),
				figure(v.CI95[0], "g", -1), figure(v.CI95[1], "g", -1), strconv.Itoa(len(v.BySeed)), v.Verdict, strconv.Itoa(v.Rank),
			})
		}
	}
	c.Flush()
	return c.Error()
}

// chart hands the comparison to plots.
func (a *compareAnswer) chart() *plots.WhatIf {
	t := &plots.WhatIf{Title: a.Answer, Seeds: a.Seeds, Notes: []string{a.Answer}} // the title is cut where it is too long
	for i, s := range a.Sides {
		t.Names = append(t.Names, s.Name)
		t.Results = append(t.Results, a.results[i][0].Result)
	}
	for _, key := range []string{
		"capacity.servers_placed", "compute.gpu_hours_effective", "energy.facility_kwh", "energy.pue", "energy.peak_facility_w",
		"thermal.throttled_gpu_hours", "capacity.used_racks_free_w", "capacity.stranded.power_w", "capacity.racks_used",
	} {
		k := slices.IndexFunc(a.Figures, func(f compareFigure) bool { return f.Key == key })
		if k < 0 {
			continue
		}
		f := &a.Figures[k]
		b := plots.WhatIfBars{Name: f.Name, Unit: f.Unit}
		for i := range f.Values {
			v := &f.Values[i]
			x := plots.WhatIfBar{Value: float64(v.Mean), Low: math.NaN(), High: math.NaN(), Text: shown(f.Unit, float64(v.Mean))}
			if len(v.BySeed) > 1 && v.Mean.Known() {
				x.Low, x.High = math.Inf(1), math.Inf(-1)
				for _, y := range v.BySeed {
					x.Low, x.High = math.Min(x.Low, float64(y)), math.Max(x.High, float64(y))
				}
			}
			if i > 0 {
				x.Delta = f.change(v)
			}
			b.Bars = append(b.Bars, x)
		}
		t.Bars = append(t.Bars, b)
	}
	return t
}
