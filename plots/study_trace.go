package plots

import "gonum.org/v1/plot/vg/draw"

// StudyTrace is the values that a search tried, in the order tried.
type StudyTrace struct {
	Input  StudyAxis
	Where  string // at which values of the other inputs, "" for none
	Values []float64
	Holds  []bool
	Answer float64 // NaN for none
	Text   string  // the answer in words
}

func (s *StudyTrace) panel() *panel {
	title := s.Input.Name + " that was tried"
	if s.Where != "" {
		title += " at " + s.Where
	}
	pn := &panel{title: title}
	lo, hi := extent(s.Values)
	if lo > hi {
		pn.why = "nothing was tried"
		return pn
	}
	pn.x = axis{min: 0.5, max: float64(len(s.Values)) + 0.5, label: "in the order tried", ticker: numberTicks{want: 10, whole: true}}
	pn.y = axis{unit: s.Input.Unit}
	pn.y.min, pn.y.max = spread(lo, hi, 0.08)
	line := lineMark{name: "tried", st: draw.LineStyle{Color: missGrey, Width: lineFine}}
	for i, v := range s.Values {
		line.xs, line.ys = append(line.xs, float64(i+1)), append(line.ys, v)
	}
	pn.marks = append(pn.marks, line)
	for i, v := range s.Values {
		st := draw.LineStyle{Color: navy, Width: lineData}
		if !s.Holds[i] {
			st.Color = limitRed
		}
		pn.marks = append(pn.marks, spotMark{x: float64(i + 1), y: v, filled: s.Holds[i], st: st})
	}
	pn.legend = []legendEntry{{"holds (filled)", navy, "box"}, {"does not hold (ring)", limitRed, "box"}}
	if finite(s.Answer) {
		pn.marks = append(pn.marks, levelMark{"answer", s.Answer, limitStyle()})
		pn.labels = []sideLabel{{s.Answer, s.Text, limitRed}}
	}
	return pn
}
