package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// StudyFront is points of a study by two figures, and which of them no other beats.
type StudyFront struct {
	X, Y        StudyAxis
	BetterX     string // "less is better", "more is better"
	BetterY     string
	Points      []StudyPoint
	FrontPlaces []int // of Points, in the order of the first figure
	Near        []int // of Points: beaten, but by less than the intervals of the differences
}

// StudyPoint is one point by two figures.
type StudyPoint struct {
	X, Y float64
	Name string
}

// spotMark is a point of a front or a trace: filled, or a ring.
type spotMark struct {
	x, y   float64
	filled bool
	text   string
	under  bool // the text stands under the spot
	st     draw.LineStyle
}

// spotR is the radius of a spot.
const spotR = vg.Length(4)

func (m spotMark) label() string { return "" }
func (m spotMark) below() bool   { return false }

func (m spotMark) draw(p *pen, t trans) {
	at := vg.Point{X: t.x(m.x), Y: t.y(m.y)}
	var path vg.Path
	path.Move(vg.Point{X: at.X + spotR, Y: at.Y})
	path.Arc(at, spotR, 0, 2*math.Pi)
	path.Close()
	if m.filled {
		p.c.SetColor(m.st.Color)
		p.c.Fill(path)
	} else {
		p.c.SetColor(white)
		p.c.Fill(path)
		p.c.SetLineStyle(m.st)
		p.c.Stroke(path)
	}
	if m.text == "" {
		return
	}
	w := textWidth(m.text, sizeSmall, false)
	st := style{size: sizeSmall, color: ink, ay: 0, halo: true}
	y := at.Y + 3
	if m.under {
		y, st.ay = at.Y-5, 1
	}
	x := at.X + spotR + 3
	if x+w > t.r.Max.X {
		x, st.ax = at.X-spotR-3, 1
	}
	p.text(x, y, m.text, st)
}

// frontNames is how many points of a front carry their names.
const frontNames = 12

func (f *StudyFront) panel() *panel {
	pn, along := &panel{title: f.Y.Name}, f.X.Name
	scatter := f.BetterX == ""
	if !scatter {
		pn.title += " (" + f.BetterY + ")"
		along += " (" + f.BetterX + ")"
	}
	xs, ys := make([]float64, len(f.Points)), make([]float64, len(f.Points))
	for i, pt := range f.Points {
		xs[i], ys[i] = pt.X, pt.Y
	}
	left, right := extent(xs)
	lo, hi := extent(ys)
	if left > right || lo > hi {
		pn.why = "no run knows both figures"
		return pn
	}
	fx, ux := studyScale(f.X.Unit, largestOf(xs))
	fy, uy := studyScale(f.Y.Unit, largestOf(ys))
	pn.x = axis{label: along, unit: ux}
	pn.x.min, pn.x.max = spread(left*fx, right*fx, 0.06)
	pn.y = axis{unit: uy}
	pn.y.min, pn.y.max = spread(lo*fy, hi*fy, 0.08)
	on := map[int]bool{}
	line := lineMark{name: "front", st: draw.LineStyle{Color: orangeInk, Width: lineFine}}
	for _, i := range f.FrontPlaces {
		on[i] = true
		line.xs, line.ys = append(line.xs, f.Points[i].X*fx), append(line.ys, f.Points[i].Y*fy)
	}
	if !scatter {
		pn.marks = append(pn.marks, line)
	}
	near := map[int]bool{}
	for _, i := range f.Near {
		near[i] = true
	}
	for i, pt := range f.Points {
		ring := draw.LineStyle{Color: grey, Width: lineFine}
		if near[i] {
			ring = draw.LineStyle{Color: navy, Width: lineData}
		}
		if !on[i] && finite(pt.X) && finite(pt.Y) {
			pn.marks = append(pn.marks, spotMark{x: pt.X * fx, y: pt.Y * fy, st: ring})
		}
	}
	for k, i := range f.FrontPlaces {
		m := spotMark{x: f.Points[i].X * fx, y: f.Points[i].Y * fy, filled: true, st: draw.LineStyle{Color: navy, Width: lineData}}
		if k < frontNames {
			m.text, m.under = f.Points[i].Name, k%2 == 1
		}
		pn.marks = append(pn.marks, m)
	}
	if scatter {
		return pn
	}
	pn.legend = []legendEntry{{"on the front (filled)", navy, "box"}, {"beaten by another point", grey, "box"}}
	if len(f.Near) > 0 {
		pn.legend = []legendEntry{{"on the front (filled); within noise of it (ring)", navy, "box"}, {"beaten by another point", grey, "box"}}
	}
	return pn
}
