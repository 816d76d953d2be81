package perf

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"headroom/facility/catalog"
	"headroom/validation"
)

// row is one result of MLPerf Inference v5.1, closed division: output tokens per second of a system, the median of
// its submissions (mlcommons/inference_results_v5.1, commit 965182b0, summary_results.json).
type row struct {
	gpu       string
	gpus      int
	model     string
	precision Precision
	server    bool // the Server scenario with its latency limits; else Offline
	perS      float64
	fit       bool // the constants were fitted to it
}

// asks are the requests of the benchmarks. Output is tokens over samples in the logs of the submissions; limits are
// those of the logs. Inputs are the data sets' means: llama3.1-405b as MLCommons states it, the others recalled.
// The spread of prompts is assumed.
var asks = map[string]Requests{
	"llama-2-70b":  {Input: 294, Output: 282, InputCV: 0.8, FirstTokenS: 2, PerTokenS: 0.200},
	"llama-3-405b": {Input: 9428, Output: 655, InputCV: 0.5, FirstTokenS: 6, PerTokenS: 0.175},
	"llama-3-8b":   {Input: 778, Output: 129, InputCV: 0.5, FirstTokenS: 2, PerTokenS: 0.100},
	"deepseek-v3":  {Input: 800, Output: 3740, InputCV: 0.8, FirstTokenS: 2, PerTokenS: 0.080},
}

var rows = []row{
	// FP8.
	{"h200", 8, "llama-2-70b", FP8, false, 34900, true},
	{"h200", 8, "llama-3-405b", FP8, false, 551, true},
	{"h200", 8, "llama-3-8b", FP8, false, 58700, true},
	{"h200", 8, "llama-2-70b", FP8, true, 33350, false},
	{"h200", 8, "llama-3-405b", FP8, true, 295, false},
	{"h200", 8, "llama-3-8b", FP8, true, 57970, false},
	{"h100", 8, "llama-2-70b", FP8, false, 31176, false},
	{"h100", 8, "llama-2-70b", FP8, true, 30551, false},
	{"mi300x", 8, "llama-2-70b", FP8, false, 27600, false},
	{"mi300x", 8, "llama-2-70b", FP8, true, 24670, false},
	{"mi325x", 8, "llama-2-70b", FP8, false, 34000, false},
	{"mi325x", 8, "llama-2-70b", FP8, true, 31400, false},
	{"h200-nvl", 8, "llama-2-70b", FP8, false, 30877, false},
	{"h200-nvl", 8, "llama-2-70b", FP8, true, 27340, false},
	{"h200-nvl", 8, "llama-3-8b", FP8, false, 50777, false},
	{"h200-nvl", 8, "llama-3-8b", FP8, true, 38697, false},
	{"h200-nvl", 4, "llama-2-70b", FP8, false, 15112, false},
	{"h200-nvl", 4, "llama-2-70b", FP8, true, 13733, false},
	{"h200-nvl", 4, "llama-3-8b", FP8, false, 25181, false},
	{"h200-nvl", 4, "llama-3-8b", FP8, true, 25754, false},
	// FP4.
	{"b200", 8, "llama-2-70b", FP4, false, 101800, true},
	{"b200", 8, "llama-3-405b", FP4, false, 1640, true},
	{"b200", 8, "llama-3-8b", FP4, false, 142000, true},
	{"b200", 8, "deepseek-v3", FP4, false, 31500, true},
	{"b200", 8, "llama-2-70b", FP4, true, 99180, false},
	{"b200", 8, "llama-3-405b", FP4, true, 1244, false},
	{"b200", 8, "llama-3-8b", FP4, true, 128650, false},
	{"b200", 8, "deepseek-v3", FP4, true, 15000, true},
	{"gb200", 4, "llama-2-70b", FP4, false, 51700, false},
	{"gb200", 4, "llama-2-70b", FP4, true, 49216, false},
	{"gb200", 4, "llama-3-405b", FP4, false, 851, false},
	{"gb200", 4, "llama-3-405b", FP4, true, 590, false},
	{"gb200", 72, "llama-3-405b", FP4, false, 14774, false},
	{"gb200", 72, "llama-3-405b", FP4, true, 11614, false},
	{"gb200", 72, "deepseek-v3", FP4, false, 289712, false},
	{"gb200", 72, "deepseek-v3", FP4, true, 167578, false},
	{"gb300", 72, "llama-3-405b", FP4, false, 16104, false},
	{"gb300", 72, "llama-3-405b", FP4, true, 12248, false},
	{"gb300", 72, "deepseek-v3", FP4, false, 420659, false},
	{"gb300", 72, "deepseek-v3", FP4, true, 209328, false},
	{"gb300", 8, "deepseek-v3", FP4, false, 48047, false},
	{"gb300", 8, "deepseek-v3", FP4, true, 22545, false},
	{"rtx-pro-6000", 8, "llama-2-70b", FP4, false, 26206, false},
	{"rtx-pro-6000", 8, "llama-2-70b", FP4, true, 26006, false},
	{"rtx-pro-6000", 8, "llama-3-8b", FP4, false, 46842, false},
	{"rtx-pro-6000", 8, "llama-3-8b", FP4, true, 46060, false},
}

// withCard is the built-in catalogue and one card that it lacks, from general knowledge of its data sheet.
func withCard(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Default().Add("card.yaml", strings.NewReader(`gpus:
  rtx-pro-6000: {title: RTX PRO 6000 Blackwell Server Edition, memory: 96 GB, bandwidth: 1.597 TB/s, bf16: 500 TFLOPS, fp8: 1000 TFLOPS, fp4: 2000 TFLOPS, link-kind: PCIe 5}
`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func serverOf(t testing.TB, c *catalog.Catalog, gpu string, gpus int, model string, p Precision) Server {
	t.Helper()
	g, err := NewGPU(c, gpu)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(c, model)
	if err != nil {
		t.Fatal(err)
	}
	link, err := NewLink(c, g.Inside)
	if err != nil {
		t.Fatal(err)
	}
	return Server{Model: m, GPU: g, GPUs: gpus, Inside: link, Precision: p}
}

func (r row) ask() Requests {
	q := asks[r.model]
	if !r.server {
		q = Offline(q.Input, q.Output)
	}
	return q
}

// interactive are rows of the same round with goals tighter than the Server scenario's. They were not fitted to, and the
// model is not made for them: a batch at tight goals is given too much. They are printed with the others.
var interactive = []struct {
	row
	firstTokenS, perTokenS float64
}{
	{row{"h200", 8, "llama-2-70b", FP8, true, 21900, false}, 0.45, 0.04},
	{row{"mi300x", 8, "llama-2-70b", FP8, true, 8650, false}, 0.45, 0.04},
	{row{"mi325x", 8, "llama-2-70b", FP8, true, 18000, false}, 0.45, 0.04},
	{row{"h200-nvl", 8, "llama-2-70b", FP8, true, 16419, false}, 0.45, 0.04},
	{row{"h200-nvl", 4, "llama-2-70b", FP8, true, 6710, false}, 0.45, 0.04},
	{row{"b200", 8, "llama-2-70b", FP4, true, 59600, false}, 0.45, 0.04},
	{row{"gb200", 4, "llama-2-70b", FP4, true, 29746, false}, 0.45, 0.04},
	{row{"h200", 8, "llama-3-405b", FP8, true, 203, false}, 4.5, 0.08},
	{row{"b200", 8, "llama-3-405b", FP4, true, 751, false}, 4.5, 0.08},
	{row{"gb200", 72, "llama-3-405b", FP4, true, 9921, false}, 4.5, 0.08},
	{row{"h200", 8, "llama-3-8b", FP8, true, 53800, false}, 0.5, 0.03},
	{row{"h200-nvl", 4, "llama-3-8b", FP8, true, 21944, false}, 0.5, 0.03},
	{row{"b200", 8, "llama-3-8b", FP4, true, 103000, false}, 0.5, 0.03},
	{row{"rtx-pro-6000", 8, "llama-3-8b", FP4, true, 36052, false}, 0.5, 0.03},
}

// tolerance is how far a row may lie from its published figure, least the share of check rows that must not.
const (
	tolerance = 0.15
	least     = 0.80
)

var update = flag.Bool("update", false, "write the tables of docs/throughput.md")

// doc is the page that shows the tables.
const doc = "../../docs/throughput.md"

// table gives rows as a table, and how many lie within the tolerance.
func table(t *testing.T, rows []row, asked []Requests) (text string, within int) {
	t.Helper()
	c := withCard(t)
	var b strings.Builder
	b.WriteString("| system | model | format | scenario | published | here | off | replicas | requests each | bound by |\n| --- | --- | --- | --- | ---: | ---: | ---: | --- | ---: | --- |\n")
	for i, r := range rows {
		p, err := Serve(serverOf(t, c, r.gpu, r.gpus, r.model, r.precision), asked[i])
		if err != nil {
			t.Errorf("%v: %v", r, err)
			continue
		}
		off := p.OutputPerS/r.perS - 1
		r.target(asked[i]).Check(t, p.OutputPerS)
		mark := ""
		if math.Abs(off) <= tolerance {
			within++
		} else {
			mark = " ✗"
		}
		scenario := "Offline"
		if r.server {
			scenario = fmt.Sprintf("%g s, %g ms", asked[i].FirstTokenS, 1000*asked[i].PerTokenS)
		}
		fmt.Fprintf(&b, "| %d × %s | %s | %s | %s | %.0f | %.0f | %+.1f %%%s | %s | %.0f | %s |\n", r.gpus, r.gpu, r.model, r.precision, scenario, r.perS, p.OutputPerS, 100*off, mark, p.Cut(), p.Batch, p.Bound)
	}
	return b.String(), within
}

// target is the row for the validation book.
func (r row) target(q Requests) validation.Target {
	goal, scenario := "Offline", "offline"
	if r.server {
		goal, scenario = fmt.Sprintf("first token within %g s, the next within %g ms", q.FirstTokenS, 1000*q.PerTokenS), fmt.Sprintf("%gms", 1000*q.PerTokenS)
	}
	fit := ""
	if r.fit {
		fit = " (the constants are fitted to it)"
	}
	return validation.Share(fmt.Sprintf("tokens/%s-x%d-%s-%s-%s", r.gpu, r.gpus, r.model, strings.ToLower(r.precision.String()), scenario),
		fmt.Sprintf("%d × %s, %s in %s, %s%s", r.gpus, r.gpu, r.model, r.precision, goal, fit), "tokens/s", r.perS, tolerance,
		"MLPerf Inference v5.1, closed division, median of a system's submissions")
}

// Fit rows and check rows apart, misses included, as docs/throughput.md shows them; -update writes them there.
func TestMLPerf(t *testing.T) {
	var text strings.Builder
	for _, part := range []struct {
		title string
		keep  func(row) bool
		least float64
	}{
		{"Fit rows", func(r row) bool { return r.fit }, 1},
		{"Check rows", func(r row) bool { return !r.fit }, least},
	} {
		var kept []row
		var asked []Requests
		for _, r := range rows {
			if part.keep(r) {
				kept, asked = append(kept, r), append(asked, r.ask())
			}
		}
		tab, within := table(t, kept, asked)
		fmt.Fprintf(&text, "%s: %d of %d within %.0f %%.\n\n%s\n", part.title, within, len(kept), 100*tolerance, tab)
		if float64(within) < part.least*float64(len(kept)) {
			t.Errorf("%s: %d of %d within %.0f %%", part.title, within, len(kept), 100*tolerance)
		}
	}
	var kept []row
	var asked []Requests
	for _, r := range interactive {
		q := asks[r.model]
		q.FirstTokenS, q.PerTokenS = r.firstTokenS, r.perTokenS
		kept, asked = append(kept, r.row), append(asked, q)
	}
	tab, within := table(t, kept, asked)
	fmt.Fprintf(&text, "Rows with tighter goals (Interactive), not held: %d of %d within %.0f %%.\n\n%s", within, len(kept), 100*tolerance, tab)
	t.Log("\n" + text.String())

	page, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "<!-- rows: go test ./sim/perf -run MLPerf -update -->\n", "<!-- end of rows -->\n"
	head, rest, ok := strings.Cut(string(page), from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the rows", doc)
	}
	want := head + from + "\n" + text.String() + "\n" + to + tail
	if *update {
		if err := os.WriteFile(doc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(page) != want {
		t.Errorf("%s shows other rows; run with -update", doc)
	}
}

// The constants are what the fit rows give: a step of 7 % in a fitted one makes the error no smaller.
func TestConstantsAreTheFit(t *testing.T) {
	c := withCard(t)
	misfit := func(p Precision, k Constants) float64 {
		sum := 0.0
		for _, r := range rows {
			if !r.fit || r.precision != p {
				continue
			}
			plan, err := serve(serverOf(t, c, r.gpu, r.gpus, r.model, p), r.ask(), k)
			if err != nil {
				t.Fatal(err)
			}
			d := math.Log(plan.OutputPerS / r.perS)
			sum += d * d
		}
		return sum
	}
	for _, p := range []Precision{FP8, FP4} {
		base := misfit(p, fitted[p])
		for name, of := range map[string]func(*Constants) *float64{
			"Product": func(k *Constants) *float64 { return &k.Product }, "Expert": func(k *Constants) *float64 { return &k.Expert },
			"ExpertStepS": func(k *Constants) *float64 { return &k.ExpertStepS },
		} {
			for _, by := range []float64{0.93, 1.07} {
				k := fitted[p]
				*of(&k) *= by
				if m := misfit(p, k); m < base {
					t.Errorf("%s: %s times %g gives a misfit of %.5f, the constants give %.5f", p, name, by, m, base)
				}
			}
		}
	}
}
