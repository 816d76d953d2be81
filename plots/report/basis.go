package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"headroom/plots/document"
	"headroom/plots/show"
	"headroom/sim"
)

// Used is one figure of the catalogue that a result rests on.
type Used struct {
	Entry  string // "servers dgx-h100"
	Field  string
	Value  string // "" where it is a list of coefficients
	Unit   string
	Grade  string // measured, datasheet, derived, stated, recalled or assumed
	Source string
}

// grades, the weakest first: what to replace before signing stands on top.
var grades = []string{"assumed", "recalled", "stated", "derived", "datasheet", "measured"}

// definitions are what the words of the report mean; the first are those of a placement.
var definitions = []string{
	"**Fits**: placed under every limit at once; usable capacity is the least over all limits after derating and redundancy.",
	"**Stranded**: free capacity of one kind that no server can use because another limit, or a remainder too small for a server, stops it.",
	"**Failover load**: the highest load of an element over all single losses, after what is lost hands its load on.",
	"**Imbalance**: the largest deviation of a phase from the mean of the three, over that mean.",
	"**Unknown**: there is no figure. It is never counted as zero and never as PASS.",
	"**PUE**: facility energy over IT energy in the whole period, never a mean of ratios; undefined without IT energy.",
	"**Allocated**: GPU-hours assigned to jobs. **Busy**: GPU-hours in which they execute. **Effective**: busy times work rate at the clocks that heat and caps leave.",
	"**Throughput ratio**: work done over the work of an unlimited run with the same arrivals.",
	"**Throttled GPU-hours**: time in which a GPU's clock is held down, whatever that costs; the work lost is stated beside it.",
}

// planDefinitions is how many of the definitions a placement needs.
const planDefinitions = 5

// gradeMeans says what a grade stands for.
var gradeMeans = map[string]string{
	"measured":  "read off a real machine",
	"datasheet": "the maker's figure",
	"derived":   "reckoned or fitted from measured and datasheet figures",
	"stated":    "stated by the scenario's own catalogue",
	"recalled":  "general knowledge, not checked against a source",
	"assumed":   "an engineering choice that closes a gap",
}

// basis is on what the figures stand: how servers are counted, what the weather covers, and what was assumed.
func (d *doc) basis() {
	d.Section("Basis and assumptions")
	run := &d.r.Run
	items := []document.Text{
		t("Servers are counted at their **%s** power when racks are filled; energy, heat and work are **simulated** over %s.", orUnknown(run.Basis), period(d.r)),
		t("Weather: %s; its source covers **%s** of the run's hours.", orUnknown(run.Weather), show.Percent(float64(run.Coverage))),
	}
	if d.plan {
		design := d.r.Layout.Facility.Design
		items = []document.Text{
			t("Servers are counted at their **%s** power; nothing is simulated: loads are those of full racks.", orUnknown(run.Basis)),
			t("Cooling is counted on the design day, %s dry bulb and %s wet bulb.", show.Celsius(design.DryBulbC), show.Celsius(design.WetBulbC)),
		}
	}
	items = append(items, d.gradeSentence()...)
	for _, w := range d.warnings() {
		items = append(items, t("Warning: %s", w))
	}
	for _, x := range run.Extrapolations {
		items = append(items, t("Curve %s was asked outside its range %s times and held at its border or corrected.", x.Curve, show.Count(x.Count)))
	}
	if len(run.Approximations) > 0 {
		var parts []string
		for _, k := range sortedKeys(run.Approximations) {
			parts = append(parts, strings.ReplaceAll(k, "_", " ")+" "+show.Count(run.Approximations[k]))
		}
		items = append(items, t("Approximations, counted: %s.", strings.Join(parts, ", ")))
	}
	d.Add(document.List{Items: items})
}

// warnings are those of the run and of the placement, each once.
func (d *doc) warnings() []string {
	out := slices.Clone(d.r.Run.Warnings)
	if d.r.Layout != nil {
		for _, w := range d.r.Layout.Warnings {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// gradeSentence counts the catalogue's figures by grade.
func (d *doc) gradeSentence() []document.Text {
	if len(d.used) == 0 {
		return nil
	}
	n := map[string]int{}
	for _, u := range d.used {
		n[u.Grade]++
	}
	var parts []string
	for _, g := range grades {
		if n[g] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[g], g))
		}
	}
	return []document.Text{t("Catalogue: of %s used, %s. Each with its source stands at the end; what is assumed or recalled is the first to replace with what a supplier states.",
		show.Of(len(d.used), "figure"), strings.Join(parts, ", "))}
}

// grades lists the catalogue's figures, those of one entry, grade and source in a line, the weakest grade first.
func (d *doc) grades() {
	if len(d.used) == 0 {
		return
	}
	d.Section("Catalogue figures that this rests on")
	type line struct {
		Used
		figures []string
	}
	var lines []*line
	for _, u := range d.used {
		text := strings.Join(strings.Fields(u.Field+" "+u.Value+" "+u.Unit), " ")
		at := slices.IndexFunc(lines, func(l *line) bool {
			return l.Entry == u.Entry && l.Grade == u.Grade && l.Source == u.Source
		})
		if at < 0 {
			lines, at = append(lines, &line{Used: u}), len(lines)
		}
		lines[at].figures = append(lines[at].figures, text)
	}
	slices.SortStableFunc(lines, func(a, b *line) int {
		return cmp.Compare(slices.Index(grades, a.Grade), slices.Index(grades, b.Grade))
	})
	var rows [][]cell
	for _, l := range lines {
		rows = append(rows, row(words(l.Grade), words(l.Entry), words(strings.Join(l.figures, "; ")), words(l.Source)))
	}
	d.table("catalogue figures", []string{"grade", "entry", "figures", "source"}, rows)
	var means []document.Text
	for _, g := range slices.Backward(grades) {
		means = append(means, t("**%s**: %s", g, gradeMeans[g]))
	}
	d.Para(t("Grades: %s.", document.Join(", ", means...)))
}

func (d *doc) definitions() {
	d.Section("Definitions")
	var items []document.Text
	list := definitions
	if d.plan {
		list = list[:planDefinitions]
	}
	for _, s := range list {
		items = append(items, t(s))
	}
	d.Add(document.List{Items: items})
}

func (d *doc) foot() {
	run := &d.r.Run
	d.Add(document.Rule{})
	if d.plan {
		d.say("basis: %s · placement only, no seed · run: %s · model %s", orUnknown(run.Basis), orUnknown(run.ID), sim.ModelVersion)
		return
	}
	d.say("basis: %s · weather: %s, %s of its hours covered · seed: %d · run: %s · version: %s, model %s · %s events",
		orUnknown(run.Basis), orUnknown(run.Weather), show.Percent(float64(run.Coverage)), run.Seed, orUnknown(run.ID), orUnknown(run.Version),
		sim.ModelVersion, show.Count(run.Events))
}

func orUnknown(s string) string {
	if s == "" {
		return show.Unknown
	}
	return s
}

// sortedKeys returns the keys of a count table in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare[string])
	return keys
}
