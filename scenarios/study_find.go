package scenarios

import (
	"math"

	"headroom/sim"
)

// find reads the search.
func (r *studyReader) find(p *findPart) *Find {
	f := &Find{Path: p.Path, Largest: p.Want == "largest", Limits: p.Limits == "kept", Probes: p.Probes, At: placeOf(p.at)}
	r.path(p.Path, p.of("path"), joinKey(p.path, "path"))
	for _, text := range p.Where {
		c, err := sim.ParseCondition(text)
		if err != nil {
			r.keyError(err, p.of("where"), joinKey(p.path, "where"))
			continue
		}
		f.Where = append(f.Where, c)
	}
	r.contradictions(p, f.Where)
	if len(p.Where) == 0 && !f.Limits {
		r.d.fail(p.at, p.path, "write where: [thermal.throttled_share < 1%]", "nothing has to hold, so every value does")
	}
	from, to, unit, ok := r.ends(&p.origin, p.From, p.To)
	if !ok {
		return f
	}
	step, stepUnit, ok := splitNumber(p.Step.text())
	switch {
	case !ok || !(step > 0) || !differenceOf(stepUnit, unit):
		r.d.fail(p.of("step"), joinKey(p.path, "step"), "", "want a step more than 0 in the unit of from (got %s)", quoteShort(p.Step.text()))
		return f
	case step > to-from:
		r.d.fail(p.of("step"), joinKey(p.path, "step"), "", "the step is wider than the range (got %s)", quoteShort(p.Step.text()))
		return f
	case (to-from)/step > maxFindSteps:
		r.d.fail(p.of("step"), joinKey(p.path, "step"), "", "the range has more than %d steps", maxFindSteps)
		return f
	}
	f.From, f.Step, f.Unit = from, step, unit
	f.Last = int(math.Floor((to-from)/step + 1e-9))
	return f
}

// contradictions finds conditions that no figure can meet at once.
func (r *studyReader) contradictions(p *findPart, list []Condition) {
	type interval struct {
		lo, hi         float64
		loOpen, hiOpen bool
	}
	seen := map[string]*interval{}
	for _, c := range list {
		in := seen[c.Key]
		if in == nil {
			in = &interval{lo: math.Inf(-1), hi: math.Inf(1)}
			seen[c.Key] = in
		}
		if c.Op != "<" && c.Op != "<=" && c.Op != "!=" { // from below
			if open := c.Op == ">"; c.Value > in.lo || c.Value == in.lo && open {
				in.lo, in.loOpen = c.Value, open
			}
		}
		if c.Op != ">" && c.Op != ">=" && c.Op != "!=" { // from above
			if open := c.Op == "<"; c.Value < in.hi || c.Value == in.hi && open {
				in.hi, in.hiOpen = c.Value, open
			}
		}
		if in.lo > in.hi || in.lo == in.hi && (in.loOpen || in.hiOpen) {
			r.d.fail(p.of("where"), joinKey(p.path, "where"), "", "a contradictory search: no %s meets all conditions on it (the last is %s)", c.Key, quoteShort(c.Text))
			return
		}
	}
}
