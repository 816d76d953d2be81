package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/plots/show"
	"headroom/sim"
)

// rideStyles tell the cases apart by colour, weight and dash.
var rideStyles = []draw.LineStyle{
	{Color: navy, Width: lineData},
	{Color: orangeInk, Width: lineData, Dashes: []vg.Length{7, 3}},
	{Color: green, Width: lineData, Dashes: []vg.Length{2, 2}},
}

func minutes(n sim.Num, x *sim.RideThrough) string {
	horizonS := x.HorizonS
	if n.Known() {
		if float64(n) <= x.StepS {
			return "under " + show.Seconds(x.StepS)
		}
		if n < 90 {
			return show.Number(float64(n), 2) + " s"
		}
		return show.Number(float64(n)/60, 3) + " min"
	}
	if finite(horizonS) {
		return "not within " + show.Seconds(horizonS)
	}
	return show.Unknown
}

func rideTitle(x *sim.RideThrough) string {
	worst := -1
	for i := range x.Cases {
		if t := x.Cases[i].ToLimitS; t.Known() && (worst < 0 || t < x.Cases[worst].ToLimitS) {
			worst = i
		}
	}
	if worst < 0 {
		return fmt.Sprintf("No loss of cooling brings inlets over %s within %s", show.Celsius(x.LimitC), show.Seconds(x.HorizonS))
	}
	s := fmt.Sprintf("Inlets pass %s in %s when %s", show.Celsius(x.LimitC), minutes(x.Cases[worst].ToLimitS, x), rideWhen(x.Cases[worst].Name))
	if c := &x.Cases[0]; c.Name == sim.RideRejection && worst != 0 {
		if c.ToLimitS.Known() {
			s += ", in " + minutes(c.ToLimitS, x) + " with fans and pumps kept running"
		} else {
			s += "; not within " + show.Seconds(x.HorizonS) + " with fans and pumps kept running"
		}
	}
	return s
}

// rideWhen puts a case into a sentence.
func rideWhen(name string) string {
	switch name {
	case sim.RideRejection:
		return "heat rejection stops"
	case sim.RideAll:
		return "all cooling stops"
	case sim.RideUtility:
		return "the utility is lost"
	}
	return name
}

func rideFigure(r *sim.Result) *figure {
	x := r.Ride
	const title = "Ride-through when cooling is lost"
	if x == nil || len(x.Cases) == 0 {
		return figureWithout(r, title, "No ride-through: nothing was simulated, or no cooling is stated.")
	}
	f := &figure{title: rideTitle(x), subtitle: subtitle(r)}
	coolant := false
	for i := range x.Cases {
		for _, c := range x.Cases[i].CoolantC {
			coolant = coolant || finite(float64(c))
		}
	}
	inlet := &panel{at: box{0, 0, 0.68, 0.56}, title: "Warmest inlet after the loss"}
	second := &panel{at: box{0, 0.60, 0.68, 1}, title: "Hottest GPU after the loss"}
	cases := &panel{at: box{0.71, 0, 1, 1}, title: "Time that is left", free: func(p *pen, rect vg.Rectangle) { p.lines(rect, rideLines(x)) }}
	f.panels = []*panel{inlet, second, cases}
	ridePanel(inlet, x, func(c *sim.RideCase) []sim.Num { return c.InletC }, x.LimitC, "allowable: "+show.Celsius(x.LimitC))
	if coolant {
		second.title = "Coolant after the loss"
		lim := limitsOf(r)
		ridePanel(second, x, func(c *sim.RideCase) []sim.Num { return c.CoolantC }, lim.coolantC, "coolant limit: "+show.Celsius(lim.coolantC))
	} else {
		ridePanel(second, x, func(c *sim.RideCase) []sim.Num { return c.GPUC }, x.GPULimitC, "throttles at "+show.Celsius(x.GPULimitC))
	}
	quietAbove(inlet, second)
	for i := range x.Cases {
		st := rideStyles[i%len(rideStyles)]
		as := "line"
		if st.Dashes != nil {
			as = "dash"
		}
		inlet.legend = append(inlet.legend, legendEntry{clean(x.Cases[i].Name), st.Color.(color.RGBA), as})
	}
	f.notes = append(f.notes, fmt.Sprintf("Design day of %s, every GPU busy, loss at minute 0; lines end where no server is up. Times to %s. Room air, structure and the water in the pipes store the heat.", show.Celsius(x.DryBulbC), show.Seconds(x.StepS)))
	return f
}

func ridePanel(pn *panel, x *sim.RideThrough, of func(*sim.RideCase) []sim.Num, limitC float64, limitName string) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range x.Cases {
		c := &x.Cases[i]
		v := of(c)
		if len(v) != len(c.AtS) {
			continue
		}
		xs, ys := make([]float64, len(v)), make([]float64, len(v))
		for j := range v {
			xs[j], ys[j] = float64(c.AtS[j])/60, float64(v[j])
		}
		a, b := extent(ys)
		lo, hi = math.Min(lo, a), math.Max(hi, b)
		pn.marks = append(pn.marks, lineMark{c.Name, xs, ys, rideStyles[i%len(rideStyles)]})
	}
	if lo > hi {
		pn.why, pn.marks = "No temperatures: unknown in every case.", nil
		return
	}
	if finite(limitC) {
		lo, hi = math.Min(lo, limitC), math.Max(hi, limitC)
		pn.addLimit(limitC, limitName)
	}
	if most := lo + 60; hi > most { // a room without servers goes on warming: nobody reads that part
		hi = most
	}
	lo, hi = spread(lo, hi, 0.06)
	end := x.HorizonS / 60
	if !finite(end) || end <= 0 {
		end = 1
	}
	pn.x, pn.y = axis{min: -math.Min(5, end/6), max: end, label: "after the loss", unit: "min"}, axis{min: lo, max: hi, unit: "°C", ticker: numberTicks{want: 5}}
	for i := range pn.marks { // what lies before the axis begins is not drawn
		if m, ok := pn.marks[i].(lineMark); ok {
			pn.marks[i] = m.from(pn.x.min, pn.x.max)
		}
	}
}

// from keeps the points within a range of x.
func (m lineMark) from(lo, hi float64) lineMark {
	out := lineMark{name: m.name, st: m.st}
	for i, x := range m.xs {
		if x >= lo && x <= hi {
			out.xs, out.ys = append(out.xs, x), append(out.ys, m.ys[i])
		}
	}
	return out
}

func rideLines(x *sim.RideThrough) []textLine {
	var out []textLine
	for i := range x.Cases {
		c := &x.Cases[i]
		for k, s := range wrap(c.Name, sizeLabel, true, 300, 2) {
			l := textLine{s: s, bold: true}
			if k == 0 {
				l.gap = 14
			}
			out = append(out, l)
		}
		tint := green
		if c.ToLimitS.Known() {
			tint = limitRed
		}
		out = append(out,
			textLine{s: "inlet over " + show.Celsius(x.LimitC) + ": " + minutes(c.ToLimitS, x), color: tint},
			textLine{s: "clocks fall: " + minutes(c.ToThrottleS, x)},
			textLine{s: "first server stops: " + minutes(c.ToStopS, x)},
			textLine{s: fmt.Sprintf("servers lost: %s; hottest inlet %s", show.Count(c.ServersLost), show.Celsius(float64(c.MaxInletC)))})
	}
	return out
}
