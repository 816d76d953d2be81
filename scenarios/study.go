package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Study is what a scenario's study section asks for, with every list in the order written.
type Study struct {
	Figures      []string // full keys of result.json; empty where none are stated
	Axes         []Axis   // the grid
	Sample       *Sample
	Replicates   Replicates
	Find         *Find
	Goals        []Goal
	Swings       []Swing
	SwingFigures []string
	Retries      int
}

// Place is where something is written in a scenario file.
type Place struct {
	File      string
	Line, Col int
}

// Problem makes a problem at the place.
func (p Place) Problem(path, hint, format string, a ...any) Problem {
	return Problem{File: p.File, Line: p.Line, Col: p.Col, Path: path, Hint: hint, Msg: fmt.Sprintf(format, a...)}
}

// Setting is one path set to one value, as --set takes it.
type Setting struct {
	Path, Value string
	At          Place // of the value
}

// String is the setting as --set takes it.
func (s Setting) String() string { return s.Path + "=" + s.Value }

// Axis is one line of the grid.
type Axis struct {
	Name   string
	Paths  []string // none on an axis of variants
	Points []AxisPoint
	At     Place // of an axis of variants
}

// AxisPoint is one place on an axis.
type AxisPoint struct {
	Label   string
	Variant string // on an axis of variants; "" for the scenario itself
	Set     []Setting
}

// OfVariants says whether the axis is one of variants.
func (a *Axis) OfVariants() bool { return len(a.Paths) == 0 }

// Sample is a Latin hypercube.
type Sample struct {
	Runs int
	Seed uint64
	Over []Sampled
}

// Sampled is one input of the hypercube: numbers with a unit behind them, or words.
type Sampled struct {
	Name, Path string
	Kind       string // "uniform", "triangle", "normal", "lognormal", "words"
	// A, B, C are from, to, mode; or mean, deviation; or median, p95.
	A, B, C float64
	Whole   bool
	Unit    string // what is written after a number
	Words   []string
	At      Place
}

// Replicates is how many seeds a point runs with: Count, or from Min to Max until the 95 % interval of the mean of
// Figure is no wider than Width.
type Replicates struct {
	Count    int
	Min, Max int
	Figure   string // "" for a fixed count
	Width    float64
	Relative bool // Width is a share of the mean
}

// Most is the largest number of seeds that a point may take.
func (r *Replicates) Most() int {
	if r.Figure != "" {
		return r.Max
	}
	return r.Count
}

// Find is a search over the values From + k·Step, k from 0 to Last.
type Find struct {
	Path       string
	Largest    bool
	From, Step float64
	Last       int
	Unit       string // what is written after a number
	Where      []Condition
	Limits     bool // every claimed limit has to hold as well
	Probes     int
	At         Place
}

// Value is the value at place k, as it is written.
func (f *Find) Value(k int) string { return formatNumber(f.From+float64(k)*f.Step) + f.Unit }

// Goal is one figure of a front.
type Goal struct {
	Figure string
	Most   bool // more is better
}

// Swing is one input that is moved by itself.
type Swing struct {
	Name, Path string
	Low, High  Setting
}

// Study returns what the scenario's study section asks; ok is false where it has none.
func (s *Scenario) Study() (st *Study, ok bool) {
	if s.file.Study == nil {
		return nil, false
	}
	r := studyReader{s: s, d: &decoder{}, p: s.file.Study}
	return r.read(), true
}

// StudyPlace is where the study section begins.
func (s *Scenario) StudyPlace() (line, col int) {
	if s.file.Study == nil {
		return 0, 0
	}
	return s.file.Study.at.line, s.file.Study.at.col
}

// checkStudy tells what is wrong with the study section.
func (s *Scenario) checkStudy(d *decoder) {
	if s.file.Study == nil || len(d.problems) > 0 { // a section that does not decode is told as such
		return
	}
	r := studyReader{s: s, d: d, p: s.file.Study}
	r.read()
}

// splitNumber reads the number that a value begins with and what is written after it.
func splitNumber(text string) (x float64, unit string, ok bool) {
	text = strings.TrimSpace(text)
	for i := len(text); i > 0; i-- {
		if x, err := strconv.ParseFloat(text[:i], 64); err == nil && finite(x) && !strings.ContainsAny(text[:i], "xXpP_") {
			return x, text[i:], true
		}
	}
	return 0, "", false
}

// formatNumber prints a number with as many digits as tell it from its neighbours in a study, without an exponent.
func formatNumber(x float64) string {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		y = x
	}
	if y == 0 {
		return "0"
	}
	return strconv.FormatFloat(y, 'f', -1, 64)
}

// FormatNumber prints a sampled number with its unit.
func (s *Sampled) FormatNumber(x float64) string { return formatNumber(x) + s.Unit }

// SplitNumber reads the number that a value of a scenario begins with, and its unit.
func SplitNumber(text string) (x float64, unit string, ok bool) { return splitNumber(text) }

// differenceOf says whether a step may be written in a unit while values are in another: kelvins between degrees.
func differenceOf(step, unit string) bool {
	s, u := strings.TrimSpace(step), strings.TrimSpace(unit)
	return s == u || s == "K" && slices.Contains([]string{"C", "°C", "degC"}, u)
}
