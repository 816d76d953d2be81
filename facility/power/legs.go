package power

import (
	"math"
	"strings"
)

// Lines says on which lines of a three-phase system an element lies: all three, one and the neutral, or two.
type Lines uint8

// Lines of a three-phase system. A single-phase element lies on one of them and the neutral, or between two.
const (
	ThreePhase Lines = 0
	L1         Lines = 1 << (iota - 1)
	L2
	L3
)

// Ways lists the single-phase ways to hang on three lines in the order of LegLoad: L1, L2 and L3 to neutral, then
// L1-L2, L2-L3 and L3-L1.
var Ways = [6]Lines{L1, L2, L3, L1 | L2, L2 | L3, L3 | L1}

var wayNames = [6]string{"L1", "L2", "L3", "L1-L2", "L2-L3", "L3-L1"}

// String returns "L1", "L1-L2" …, "three-phase" for all lines.
func (l Lines) String() string {
	if w := l.Way(); w >= 0 {
		return wayNames[w]
	}
	return "three-phase"
}

// Way is the place in Ways, -1 for three-phase and for what is no way at all.
func (l Lines) Way() int {
	for i, w := range Ways {
		if w == l {
			return i
		}
	}
	return -1
}

// LinesNamed reads "L1", "L2-L1" …; ok is false for anything else.
func LinesNamed(name string) (l Lines, ok bool) {
	for _, part := range strings.Split(name, "-") {
		switch part {
		case "L1", "L2", "L3":
			line := L1 << (part[1] - '1')
			if l&line != 0 {
				return 0, false
			}
			l |= line
		default:
			return 0, false
		}
	}
	return l, l.Way() >= 0
}

// RatingVA returns what a current of some amperes is worth on these lines at a voltage line to line.
func (l Lines) RatingVA(voltsLL, amps float64) float64 {
	switch w := l.Way(); {
	case w < 0:
		return ThreePhaseVA(voltsLL, amps)
	case w < 3:
		return SinglePhaseVA(voltsLL/math.Sqrt(3), amps)
	}
	return SinglePhaseVA(voltsLL, amps)
}

// LegLoad is a load by the way it hangs on three lines, in the order of Ways, in W or VA at one power factor. A
// load that is even over the lines is a third on each of the first three.
type LegLoad [6]float64

// Total is the sum.
func (l LegLoad) Total() float64 { return l[0] + l[1] + l[2] + l[3] + l[4] + l[5] }

// Lines returns what the current of each line is worth at the voltage to neutral. A load between two lines is
// 30° out of step with the voltages of both, so one alone draws 1/√3 of its power on each of them, and three
// alike draw a third of their sum on each.
func (l LegLoad) Lines() (line [3]float64) {
	for k := range line {
		ahead, behind := l[3+k], l[3+(k+2)%3] // to the next line, and from the one before
		line[k] = math.Hypot(l[k]+(ahead+behind)/2, (ahead-behind)/(2*math.Sqrt(3)))
	}
	return line
}

// Neutral returns what the current of the neutral is worth at the voltage to neutral, without harmonics.
func (l LegLoad) Neutral() float64 { return NeutralA(l[0], l[1], l[2]) }

// PerLine returns the power of each line; a load between two lines is half on each.
func (l LegLoad) PerLine() (line [3]float64) {
	for k := range line {
		line[k] = l[k] + (l[3+k]+l[3+(k+2)%3])/2
	}
	return line
}

// EvenLoad is a load of w, a third on each line.
func EvenLoad(w float64) LegLoad { return LegLoad{w / 3, w / 3, w / 3} }

// Scaled returns a load of another total on the lines as before, even where there was none.
func (l LegLoad) Scaled(total float64) LegLoad {
	sum := l.Total()
	if !(sum > 0) {
		return EvenLoad(total)
	}
	for k := range l {
		l[k] *= total / sum
	}
	return l
}

// On returns the load where the lines of an element let it be.
func (l LegLoad) On(lines Lines) LegLoad {
	if w := lines.Way(); w >= 0 {
		var on LegLoad
		on[w] = l.Total()
		return on
	}
	return l
}

// Input returns what a node draws on the lines of its sources when its output is l and it draws w.
func (n *Node) Input(l LegLoad, w float64) LegLoad {
	if !n.PassesLines() {
		return EvenLoad(w)
	}
	return l.Scaled(w).On(n.Lines)
}
