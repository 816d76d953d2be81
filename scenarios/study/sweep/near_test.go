package sweep

import (
	"slices"
	"testing"

	"headroom/scenarios"
)

// A point is within noise of the front where the paired differences that put it behind may be chance, and not where
// they are the same at every seed.
func TestNearFront(t *testing.T) {
	s := &Study{
		Plan:   &Plan{Study: &scenarios.Study{Goals: []scenarios.Goal{{Figure: "a"}, {Figure: "b", Most: true}}}, grid: 4},
		Wanted: []string{"a", "b"},
	}
	for point, values := range [][3][2]float64{
		{{1, 9}, {2, 8}, {3, 9}},       // the front
		{{1.1, 9}, {2.1, 8}, {3.1, 9}}, // behind by the same at every seed
		{{3, 9}, {1, 8}, {2.4, 9}},     // behind by chance
		{{9, 9}, {1, 9}, {2.3, 9}},     // better in b by a third: on the front
	} {
		f := newFixed(point, 3)
		for k, r := range f.refs {
			r.ID, r.Numbers = "x", values[k][:]
		}
		s.pursuits = append(s.pursuits, f)
	}
	s.Plan.Study.Axes = []scenarios.Axis{{Points: make([]scenarios.AxisPoint, 4)}}
	answers := s.Answers()
	front := s.Front(answers)
	if near := s.NearFront(answers, front); !slices.Equal(front, []int{0, 3}) || !slices.Equal(near, []int{2}) {
		t.Errorf("front %v, near %v", front, near)
	}
}
