package sweep

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"headroom/scenarios"
	"headroom/scenarios/study"
)

// How much of a study is tried before it begins: values of one axis, and samples.
const (
	axisTries   = 200
	sampleTries = 16
)

// Check loads what the study will run, changing one input at a time from its first point, and returns everything that
// is wrong as [scenarios.Problems] with the place of the value. Combinations beyond that are judged when they are run.
func (b *Base) Check(p *Plan) error {
	st := p.Study
	type trial struct {
		task Task
		set  []scenarios.Setting // of the task, in its order; the value that is tried last
		what scenarios.Setting
	}
	// Each input's settings at its first value, and what else it is tried with.
	var first [][]scenarios.Setting
	var others [][][]scenarios.Setting
	variant := ""
	var variants []string
	for i := range st.Axes {
		a := &st.Axes[i]
		if a.OfVariants() {
			variant = a.Points[0].Variant
			for _, pt := range a.Points[1:] {
				variants = append(variants, pt.Variant)
			}
			continue
		}
		var more [][]scenarios.Setting
		for _, k := range spreadOver(0, len(a.Points)-1, max(2, min(axisTries, len(a.Points)))) {
			if k > 0 {
				more = append(more, a.Points[k].Set)
			}
		}
		first, others = append(first, a.Points[0].Set), append(others, more)
	}
	if sm := st.Sample; sm != nil {
		for i := range sm.Over {
			at := func(k int) []scenarios.Setting {
				return []scenarios.Setting{{Path: sm.Over[i].Path, Value: p.samples[i][k], At: sm.Over[i].At}}
			}
			low, high := extremes(p.samples[i])
			tries := append([]int{low, high}, spreadOver(0, sm.Runs-1, min(sampleTries, sm.Runs))...)
			slices.Sort(tries)
			var more [][]scenarios.Setting
			for _, k := range slices.Compact(tries) {
				if k > 0 {
					more = append(more, at(k))
				}
			}
			first, others = append(first, at(0)), append(others, more)
		}
	}
	if f := st.Find; f != nil {
		at := func(k int) []scenarios.Setting {
			return []scenarios.Setting{{Path: f.Path, Value: f.Value(k), At: f.At}}
		}
		first, others = append(first, at(0)), append(others, [][]scenarios.Setting{at(f.Last)})
	}
	trialOf := func(variant string, changed int, set []scenarios.Setting) trial {
		t := trial{task: Task{Variant: variant}}
		for i := range first {
			s := first[i]
			if i == changed {
				s = set
			}
			t.set = append(t.set, s...)
		}
		if changed >= len(first) {
			t.set = append(t.set, set...)
		}
		for _, s := range t.set {
			t.task.Set = append(t.task.Set, s.String())
		}
		if len(set) > 0 {
			t.what = set[0]
		} else if len(t.set) > 0 {
			t.what = t.set[0]
		}
		return t
	}
	trials := []trial{trialOf(variant, -1, nil)}
	for _, v := range variants {
		trials = append(trials, trialOf(v, -1, nil))
	}
	for i := range others {
		for _, set := range others[i] {
			trials = append(trials, trialOf(variant, i, set))
		}
	}
	for i := range st.Swings {
		s := &st.Swings[i]
		trials = append(trials, trialOf(variant, len(first), []scenarios.Setting{s.Low}), trialOf(variant, len(first), []scenarios.Setting{s.High}))
	}
	errs := study.Many(context.Background(), len(trials), runtime.GOMAXPROCS(0), func(_ context.Context, i int) error {
		if _, err := b.point(&trials[i].task); err != nil || i > len(variants) {
			return err
		}
		// What no run can do without is missing from all: a scenario that can only be placed. A point that does not
		// place is told as the run that fails.
		var list scenarios.Problems
		if _, err := b.prepare(&trials[i].task); errors.As(err, &list) {
			return list
		}
		return nil
	})
	var problems scenarios.Problems
	for i, err := range errs {
		var list scenarios.Problems
		switch {
		case err == nil:
			continue
		case !errors.As(err, &list):
			return err
		}
		for _, x := range list {
			if x.Path == "variants" { // of a name that the file does not have
				for k := range st.Axes {
					if a := &st.Axes[k]; a.OfVariants() {
						x.File, x.Line, x.Col = a.At.File, a.At.Line, a.At.Col
					}
				}
			}
			problems = append(problems, b.placed(x, trials[i].set, trials[i].what))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return problems.Sorted(problems[0].File)
}

// placed moves a problem of an overlay to where the study states the value; one that shows elsewhere in the file is
// told there, with the value that brings it about.
func (b *Base) placed(x scenarios.Problem, set []scenarios.Setting, what scenarios.Setting) scenarios.Problem {
	if i := x.Line - 1 - len(b.Options.Set); x.File == "--set" && i >= 0 && i < len(set) {
		at := set[i].At
		x.File, x.Line, x.Col = at.File, at.Line, at.Col
		return x
	}
	if what.Path != "" {
		x.Msg += " [with " + what.String() + "]"
	}
	return x
}

// extremes are the places of the least and the greatest of values that are numbers.
func extremes(values []string) (low, high int) {
	for i, v := range values {
		x, _, ok := scenarios.SplitNumber(v)
		l, _, _ := scenarios.SplitNumber(values[low])
		h, _, _ := scenarios.SplitNumber(values[high])
		if ok && x < l {
			low = i
		}
		if ok && x > h {
			high = i
		}
	}
	return low, high
}
