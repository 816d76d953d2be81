package scenarios

import (
	"errors"
	"math"
	"slices"
	"strings"

	"headroom/facility/units"
	"headroom/sim"
)

// Condition is a demand on one figure of result.json.
type Condition = sim.Condition

// Bounds on what a study may ask for, far above what anyone reads.
const (
	maxStudyPoints = 10_000_000
	maxFindSteps   = 1_000_000_000
)

// studyReader turns the study section into a Study and tells what is wrong with it.
type studyReader struct {
	s    *Scenario
	d    *decoder
	p    *studyPart
	used map[string]pos // paths that are varied, sampled, searched or moved
}

func placeOf(p pos) Place { return Place{p.file, p.line, p.col} }

func (r *studyReader) read() *Study {
	p := r.p
	r.used = map[string]pos{}
	st := &Study{Retries: p.Retries, Figures: r.figures(p.Figures, p.of("figures"), joinKey(p.path, "figures"))}
	for i := range p.Vary {
		if a, ok := r.axis(&p.Vary[i]); ok {
			st.Axes = append(st.Axes, a)
		}
	}
	r.variantsOnce()
	r.emptyLists()
	if p.Sample != nil {
		st.Sample = r.sample(p.Sample)
	}
	st.Replicates = r.replicates()
	if p.Find != nil {
		st.Find = r.find(p.Find)
	}
	for i := range p.Pareto {
		g := &p.Pareto[i]
		st.Goals = append(st.Goals, Goal{r.figure(g.Figure, g.of("figure"), joinKey(g.path, "figure")), g.Want == "most"})
	}
	if p.Sensitivity != nil {
		r.swings(st, p.Sensitivity)
	}
	r.namesOnce()
	r.together(st)
	return st
}

// emptyLists refuses lists that ask for nothing: what was meant is not known.
func (r *studyReader) emptyLists() {
	p := r.p
	refuse := func(o *origin, key string, n int) {
		if o.has(key) && n == 0 {
			r.d.fail(o.of(key), joinKey(o.path, key), "leave the key out, or fill it", "%s is an empty list: it asks for nothing", key)
		}
	}
	refuse(&p.origin, "vary", len(p.Vary))
	refuse(&p.origin, "pareto", len(p.Pareto))
	refuse(&p.origin, "figures", len(p.Figures))
	for i := range p.Vary {
		refuse(&p.Vary[i].origin, "variants", len(p.Vary[i].Variants))
		refuse(&p.Vary[i].origin, "paths", len(p.Vary[i].Paths))
	}
	if p.Sample != nil {
		refuse(&p.Sample.origin, "over", len(p.Sample.Over))
	}
	if p.Sensitivity != nil {
		refuse(&p.Sensitivity.origin, "figures", len(p.Sensitivity.Figures))
		refuse(&p.Sensitivity.origin, "over", len(p.Sensitivity.Over))
	}
}

// namesOnce: inputs that are called the same cannot be told apart in a chart.
func (r *studyReader) namesOnce() {
	seen := map[string]pos{}
	once := func(o *origin, name string) {
		if name == "" {
			return
		}
		if first, ok := seen[name]; ok {
			r.d.fail(o.of("name"), joinKey(o.path, "name"), "give each a name of its own", "two inputs are called %s (first at line %d)", quoteShort(name), first.line)
			return
		}
		seen[name] = o.of("name")
	}
	for i := range r.p.Vary {
		once(&r.p.Vary[i].origin, r.p.Vary[i].Name)
	}
	if r.p.Sample != nil {
		for i := range r.p.Sample.Over {
			once(&r.p.Sample.Over[i].origin, r.p.Sample.Over[i].Name)
		}
	}
	if r.p.Sensitivity != nil {
		for i := range r.p.Sensitivity.Over {
			once(&r.p.Sensitivity.Over[i].origin, r.p.Sensitivity.Over[i].Name)
		}
	}
	// A name that is the path of another input.
	for i := range r.p.Vary {
		if l := &r.p.Vary[i]; l.Name != "" && l.Name != l.Path {
			if at, ok := r.used[l.Name]; ok {
				r.d.fail(l.of("name"), joinKey(l.path, "name"), "give it a name of its own", "%s is what another input is called (line %d)", quoteShort(l.Name), at.line)
			}
		}
	}
}

// together finds parts that contradict each other.
func (r *studyReader) together(st *Study) {
	p := r.p
	contradict := func(key, with, why string) {
		r.d.fail(p.of(key), joinKey(p.path, key), "", "%s does not go with %s: %s", key, with, why)
	}
	if p.Find != nil && p.Sample != nil {
		contradict("find", "sample", "a search needs its other inputs fixed or on a grid")
	}
	if p.Find != nil && len(p.Pareto) > 0 {
		contradict("find", "pareto", "a search tries the values it needs, which is no set to choose a front from")
	}
	if p.Find != nil && st.Replicates.Figure != "" {
		contradict("find", "replicates.figure", "a search judges every value by the same number of seeds; state replicates: N")
	}
	if p.Sensitivity != nil {
		for _, key := range []string{"vary", "sample", "find", "pareto"} {
			if p.has(key) {
				contradict("sensitivity", key, "it moves one input at a time from the scenario as it is")
			}
		}
	}
	if !p.has("vary") && p.Sample == nil && p.Find == nil && p.Sensitivity == nil && st.Replicates.Most() < 2 {
		r.d.fail(p.at, p.path, "write vary, sample, replicates, find or sensitivity", "the study asks for one run")
	}
	if n := len(st.Goals); n == 1 {
		r.d.fail(p.of("pareto"), joinKey(p.path, "pareto"), "", "a front needs two figures or more (got 1)")
	} else if n > 1 {
		seen := map[string]bool{}
		for i, g := range st.Goals {
			if seen[g.Figure] && g.Figure != "" {
				r.d.fail(p.Pareto[i].of("figure"), joinKey(p.Pareto[i].path, "figure"), "", "%s stands twice", g.Figure)
			}
			seen[g.Figure] = true
		}
		if len(st.Axes) == 0 && st.Sample == nil {
			contradict("pareto", "one point", "vary or sample something")
		}
	}
	if at, ok := r.used["run.seed"]; ok && st.Replicates.Most() > 1 {
		r.d.fail(at, "run.seed", "leave the path out, or replicates", "replicates choose the seeds, and so does this path")
	}
	points := 1.0
	for _, a := range st.Axes {
		points *= float64(max(1, len(a.Points)))
	}
	if st.Sample != nil {
		points *= float64(st.Sample.Runs)
	}
	if points > maxStudyPoints {
		r.d.fail(p.at, p.path, "", "the study has %.3g points, at most %d", points, maxStudyPoints)
	}
}

// figure is the full key of a figure.
func (r *studyReader) figure(name string, at pos, path string) string {
	key, err := sim.FindKey(name)
	r.keyError(err, at, path)
	return key
}

func (r *studyReader) keyError(err error, at pos, path string) {
	if err == nil {
		return
	}
	hint := ""
	var e *sim.KeyError
	if errors.As(err, &e) {
		hint = didYouMean(e.Near)
	}
	r.d.fail(at, path, hint, "%v", err)
}

func (r *studyReader) figures(list names, at pos, path string) []string {
	var out []string
	for _, n := range list {
		out = append(out, r.figure(n, at, path))
	}
	return out
}

// path checks a path that a study changes, each once.
func (r *studyReader) path(text string, at pos, keyPath string) bool {
	steps, err := parsePath(text)
	if err != nil {
		r.d.fail(at, keyPath, "", "%v", err)
		return false
	}
	switch steps[0].key {
	case "study", "variants", "version":
		r.d.fail(at, keyPath, "", "a study changes what is simulated, and %s is no part of it", steps[0].key)
		return false
	}
	norm := pathString(steps)
	if first, ok := r.used[norm]; ok {
		r.d.fail(at, keyPath, "", "%s is changed twice (first at line %d)", norm, first.line)
		return false
	}
	r.used[norm] = at
	return true
}

func (r *studyReader) axis(l *varyLine) (Axis, bool) {
	forms := 0
	for _, k := range []string{"path", "paths", "variants"} {
		if l.has(k) {
			forms++
		}
	}
	if forms != 1 {
		r.d.fail(l.at, l.path, "write one of path, paths or variants", "a line of vary has one of path, paths and variants (got %d)", forms)
		return Axis{}, false
	}
	if !l.has("path") {
		for _, k := range []string{"from", "to", "step", "count"} {
			if l.has(k) {
				r.d.fail(l.of(k), joinKey(l.path, k), "", "%s needs path", k)
				return Axis{}, false
			}
		}
	}
	switch {
	case l.has("variants"):
		return r.variants(l)
	case l.has("paths"):
		return r.pairs(l)
	}
	a := Axis{Name: l.Name, Paths: []string{l.Path}}
	if a.Name == "" {
		a.Name = l.Path
	}
	if !r.path(l.Path, l.of("path"), joinKey(l.path, "path")) {
		return a, false
	}
	if l.has("values") {
		for _, k := range []string{"from", "to", "step", "count"} {
			if l.has(k) {
				r.d.fail(l.of(k), joinKey(l.path, k), "", "values are listed, and a range is stated as well")
				return a, false
			}
		}
		seen := map[string]bool{}
		for _, n := range l.Values.items {
			v := Setting{l.Path, n.oneLine(), placeOf(n.pos)}
			if seen[v.Value] {
				r.d.fail(n.pos, joinKey(l.path, "values"), "", "%s stands twice", quoteShort(v.Value))
			}
			seen[v.Value] = true
			a.Points = append(a.Points, AxisPoint{Label: v.Value, Set: []Setting{v}})
		}
		return a, true
	}
	values := r.rangeOf(l)
	for _, v := range values {
		a.Points = append(a.Points, AxisPoint{Label: v, Set: []Setting{{l.Path, v, placeOf(l.of("from"))}}})
	}
	return a, len(values) > 0
}

// rangeOf lists the values of a range.
func (r *studyReader) rangeOf(l *varyLine) []string {
	if !l.has("from") || !l.has("to") {
		r.d.fail(l.at, l.path, "write values: [...], or from and to with step or count", "what %s is varied over is missing", quoteShort(l.Path))
		return nil
	}
	from, to, unit, ok := r.ends(&l.origin, l.From, l.To)
	if !ok {
		return nil
	}
	n := 0
	step := 0.0
	switch {
	case l.has("step") == l.has("count"):
		r.d.fail(l.of("from"), l.path, "", "a range needs a step or a count, and not both")
		return nil
	case l.has("count"):
		n = *l.Count
		step = (to - from) / float64(n-1)
	default:
		var stepUnit string
		step, stepUnit, ok = splitNumber(l.Step.text())
		if !ok || !differenceOf(stepUnit, unit) || !(step > 0) {
			r.d.fail(l.of("step"), joinKey(l.path, "step"), "", "want a step more than 0 in the unit of from (got %s)", quoteShort(l.Step.text()))
			return nil
		}
		k := math.Floor((to-from)/step + 1e-9)
		if k > maxStudyPoints {
			r.d.fail(l.of("step"), joinKey(l.path, "step"), "", "the range has %.3g values, at most %d", k+1, maxStudyPoints)
			return nil
		}
		n = int(k) + 1
	}
	var list []string
	for i := range n {
		list = append(list, formatNumber(from+float64(i)*step)+unit)
	}
	return list
}

// ends reads the two ends of a range, which has to hold something.
func (r *studyReader) ends(o *origin, low, high anyValue) (from, to float64, unit string, ok bool) {
	from, unit, ok1 := splitNumber(low.text())
	to, unit2, ok2 := splitNumber(high.text())
	switch {
	case !ok1:
		r.d.fail(o.of("from"), joinKey(o.path, "from"), "", "want a number with its unit (got %s)", quoteShort(low.text()))
	case !ok2:
		r.d.fail(o.of("to"), joinKey(o.path, "to"), "", "want a number with its unit (got %s)", quoteShort(high.text()))
	case strings.TrimSpace(unit) != strings.TrimSpace(unit2):
		r.d.fail(o.of("to"), joinKey(o.path, "to"), "write both ends in one unit", "from is in %q and to in %q", strings.TrimSpace(unit), strings.TrimSpace(unit2))
	case !(from < to):
		r.d.fail(o.of("to"), joinKey(o.path, "to"), "", "an empty range: to has to be more than from (got %s to %s)", quoteShort(low.text()), quoteShort(high.text()))
	default:
		return from, to, unit, true
	}
	return 0, 0, "", false
}

// pairs reads paths that change together.
func (r *studyReader) pairs(l *varyLine) (Axis, bool) {
	a := Axis{Name: l.Name, Paths: l.Paths}
	if a.Name == "" {
		a.Name = strings.Join(l.Paths, " + ")
	}
	good := true
	for _, p := range l.Paths {
		good = r.path(p, l.of("paths"), joinKey(l.path, "paths")) && good
	}
	if !l.has("values") {
		r.d.fail(l.at, l.path, "write values: [[a, b], [c, d]], one value for each path", "the values of paths are missing")
		return a, false
	}
	for i, row := range l.Values.items {
		if row.kind != listNode || len(row.items) != len(l.Paths) {
			r.d.fail(row.pos, joinPlace(joinKey(l.path, "values"), i, row), "", "want a list of %d values, one for each path (got %s)", len(l.Paths), row.describe())
			good = false
			continue
		}
		var p AxisPoint
		var labels []string
		for j, n := range row.items {
			s := Setting{l.Paths[j], n.oneLine(), placeOf(n.pos)}
			p.Set = append(p.Set, s)
			labels = append(labels, s.Value)
		}
		p.Label = strings.Join(labels, ", ")
		a.Points = append(a.Points, p)
	}
	return a, good && len(a.Points) > 0
}

// BaseName stands for the scenario itself among its variants, so no variant may be called it.
const BaseName = "base"

func (r *studyReader) variants(l *varyLine) (Axis, bool) {
	a := Axis{Name: l.Name, At: placeOf(l.of("variants"))}
	if a.Name == "" {
		a.Name = "variant"
	}
	if l.has("values") {
		r.d.fail(l.of("values"), joinKey(l.path, "values"), "", "an axis of variants has no values")
		return a, false
	}
	known := r.s.variants
	for _, name := range l.Variants {
		p := AxisPoint{Label: name, Variant: name}
		if name == BaseName && !slices.Contains(known, name) {
			p.Variant = ""
		} else if len(known) > 0 && !slices.Contains(known, name) { // a resolved file has none left: told when it is run
			near, _ := units.Nearest(name, known)
			r.d.fail(l.of("variants"), joinKey(l.path, "variants"), didYouMean(near), "unknown variant (got %s, want one of %s)", quoteShort(name), strings.Join(append([]string{BaseName}, known...), ", "))
			return a, false
		}
		a.Points = append(a.Points, p)
	}
	return a, len(a.Points) > 0
}

// variantsOnce: a run has one variant.
func (r *studyReader) variantsOnce() {
	seen := false
	for i := range r.p.Vary {
		l := &r.p.Vary[i]
		if !l.has("variants") {
			continue
		}
		if seen {
			r.d.fail(l.of("variants"), joinKey(l.path, "variants"), "make one variant from the other with from:", "two lines of variants: a run has one variant")
		}
		seen = true
	}
}

func (r *studyReader) sample(p *samplePart) *Sample {
	s := &Sample{Runs: p.Runs, Seed: p.Seed}
	for i := range p.Over {
		if x, ok := r.sampled(&p.Over[i]); ok {
			s.Over = append(s.Over, x)
		}
	}
	return s
}

func (r *studyReader) sampled(l *sampleLine) (Sampled, bool) {
	s := Sampled{Name: l.Name, Path: l.Path, Whole: l.Whole, At: placeOf(l.at)}
	if s.Name == "" {
		s.Name = l.Path
	}
	if !r.path(l.Path, l.of("path"), joinKey(l.path, "path")) {
		return s, false
	}
	form := ""
	for _, k := range []string{"from", "to", "mode", "mean", "deviation", "median", "p95", "values"} {
		if l.has(k) {
			form += k + " "
		}
	}
	number := func(key string, v anyValue, unit string) (float64, bool) {
		x, u, ok := splitNumber(v.text())
		if !ok || strings.TrimSpace(u) != strings.TrimSpace(unit) && !(key == "deviation" && differenceOf(u, unit)) {
			r.d.fail(l.of(key), joinKey(l.path, key), "", "want a number in %q (got %s)", strings.TrimSpace(unit), quoteShort(v.text()))
			return 0, false
		}
		return x, true
	}
	ok := true
	switch strings.TrimSpace(form) {
	case "from to", "from to mode":
		s.Kind = "uniform"
		s.A, s.B, s.Unit, ok = r.ends(&l.origin, l.From, l.To)
		if ok && l.has("mode") {
			s.Kind = "triangle"
			if s.C, ok = number("mode", l.Mode, s.Unit); ok && (s.C < s.A || s.C > s.B) {
				r.d.fail(l.of("mode"), joinKey(l.path, "mode"), "", "the likeliest value lies outside the range (got %s)", quoteShort(l.Mode.text()))
				ok = false
			}
		}
		if s.Whole && (s.A != math.Trunc(s.A) || s.B != math.Trunc(s.B)) {
			r.d.fail(l.of("whole"), joinKey(l.path, "whole"), "", "whole numbers between ends that are none")
			ok = false
		}
	case "mean deviation":
		s.Kind = "normal"
		_, s.Unit, _ = splitNumber(l.Mean.text())
		if s.A, ok = number("mean", l.Mean, s.Unit); ok {
			if s.B, ok = number("deviation", l.Deviation, s.Unit); ok && !(s.B > 0) {
				r.d.fail(l.of("deviation"), joinKey(l.path, "deviation"), "", "want more than 0 (got %s)", quoteShort(l.Deviation.text()))
				ok = false
			}
		}
	case "median p95":
		s.Kind = "lognormal"
		_, s.Unit, _ = splitNumber(l.Median.text())
		if s.A, ok = number("median", l.Median, s.Unit); ok {
			if s.B, ok = number("p95", l.P95, s.Unit); ok && !(s.A > 0 && s.B > s.A) {
				r.d.fail(l.of("p95"), joinKey(l.path, "p95"), "", "want a median more than 0 and a p95 more than the median (got %s, %s)", quoteShort(l.Median.text()), quoteShort(l.P95.text()))
				ok = false
			}
		}
	case "values":
		s.Kind = "words"
		for _, n := range l.Values.items {
			s.Words = append(s.Words, n.oneLine())
		}
	default:
		r.d.fail(l.at, l.path, "", "want from and to (and mode), or mean and deviation, or median and p95, or values (got %s)", quoteShort(form))
		return s, false
	}
	if s.Whole && s.Kind != "uniform" {
		r.d.fail(l.of("whole"), joinKey(l.path, "whole"), "", "whole goes with from and to")
		ok = false
	}
	return s, ok
}

func (r *studyReader) replicates() Replicates {
	if r.p.Replicates == nil {
		return Replicates{Count: 1}
	}
	p := &r.p.Replicates.rule
	out := Replicates{Count: 1, Min: p.Min, Max: p.Max}
	if p.Count != nil {
		out.Count = *p.Count
	}
	switch {
	case p.Count != nil && p.Figure != "":
		r.d.fail(p.of("figure"), joinKey(p.path, "figure"), "", "a fixed count, and a rule for when to stop as well")
	case p.Count == nil && p.Figure == "":
		r.d.fail(p.at, p.path, "write replicates: 8, or figure and width", "neither a count nor a rule for when to stop")
	case p.Figure == "":
		for _, k := range []string{"min", "max", "width"} {
			if p.has(k) {
				r.d.fail(p.of(k), joinKey(p.path, k), "", "%s goes with figure", k)
			}
		}
	default:
		out.Figure = r.figure(p.Figure, p.of("figure"), joinKey(p.path, "figure"))
		if p.Min > p.Max {
			r.d.fail(p.of("max"), joinKey(p.path, "max"), "", "at most %d seeds and at least %d", p.Max, p.Min)
		}
		x, unit, ok := splitNumber(p.Width.text())
		unit = strings.TrimSpace(unit)
		if !ok || !(x > 0) || unit != "" && unit != "%" {
			r.d.fail(p.of("width"), joinKey(p.path, "width"), "write, for example, width: 1%", "want a width more than 0, in the figure's unit or in %% of its mean (got %s)", quoteShort(p.Width.text()))
			break
		}
		if out.Width = x; unit == "%" {
			out.Width, out.Relative = x/100, true
		}
	}
	return out
}

func (r *studyReader) swings(st *Study, p *sensitivityPart) {
	st.SwingFigures = r.figures(p.Figures, p.of("figures"), joinKey(p.path, "figures"))
	for i := range p.Over {
		l := &p.Over[i]
		if !r.path(l.Path, l.of("path"), joinKey(l.path, "path")) {
			continue
		}
		s := Swing{
			Name: l.Name, Path: l.Path,
			Low:  Setting{l.Path, l.Low.text(), placeOf(l.of("low"))},
			High: Setting{l.Path, l.High.text(), placeOf(l.of("high"))},
		}
		if s.Name == "" {
			s.Name = l.Path
		}
		if s.Low.Value == s.High.Value {
			r.d.fail(l.of("high"), joinKey(l.path, "high"), "", "low and high are the same (got %s)", quoteShort(s.High.Value))
		}
		st.Swings = append(st.Swings, s)
	}
}
