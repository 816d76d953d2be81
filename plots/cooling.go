package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"headroom/facility"
	"headroom/plots/show"
	"headroom/sim"
)

// cfmPerM3s turns m³/s into cubic feet per minute: 60 over 0.3048³.
const cfmPerM3s = 60 / (0.3048 * 0.3048 * 0.3048)

// heatOf is the heat, air and coolant of a group of racks at the plan basis; limits are NaN where not every rack states
// one.
type heatOf struct {
	name                      string
	airW, liquidW             float64
	airLimitW, liquidLimitW   float64
	airflowM3s, flowLPM       float64
	inletMeanC, inletMaxC     float64
	liquidServers, allServers int
}

func heats(r *sim.Result) (groups []heatOf, what string) {
	l := r.Layout
	f := l.Facility
	airflow, flow := make([]float64, len(f.Racks)), make([]float64, len(f.Racks))
	liquid, all := make([]int, len(f.Racks)), make([]int, len(f.Racks))
	for _, s := range l.Servers {
		if s.Rack < 0 || s.Rack >= len(f.Racks) || s.Model < 0 || s.Model >= len(f.Models) {
			continue
		}
		m := &f.Models[s.Model]
		airflow[s.Rack] += m.AirflowM3s
		all[s.Rack]++
		if m.Liquid {
			flow[s.Rack] += m.FlowLPM
			liquid[s.Rack]++
		}
	}
	inlets := map[int]*sim.RackResult{}
	for i := range r.Racks {
		inlets[r.Racks[i].Rack] = &r.Racks[i]
	}
	racks, what := rackGroups(l)
	for _, g := range racks {
		h := heatOf{name: g.name, inletMeanC: math.NaN(), inletMaxC: math.NaN()}
		n := 0
		for _, i := range g.racks {
			fit := &l.Racks[i]
			rack := &f.Racks[fit.Rack]
			h.airW += float64(fit.AirW)
			h.liquidW += float64(fit.LiquidW)
			h.airLimitW += statedW(rack.AirW)
			h.liquidLimitW += statedW(rack.LiquidW)
			h.airflowM3s += airflow[fit.Rack]
			h.flowLPM += flow[fit.Rack]
			h.liquidServers += liquid[fit.Rack]
			h.allServers += all[fit.Rack]
			if x := inlets[fit.Rack]; x != nil && finite(x.InletMeanC) && finite(x.InletMaxC) {
				if n == 0 {
					h.inletMeanC, h.inletMaxC = 0, x.InletMaxC
				}
				n++
				h.inletMeanC += x.InletMeanC
				h.inletMaxC = math.Max(h.inletMaxC, x.InletMaxC)
			}
		}
		if n > 0 {
			h.inletMeanC /= float64(n)
		}
		groups = append(groups, h)
	}
	return groups, what
}

// statedW is a limit, NaN where none is stated.
func statedW(w int64) float64 {
	if w == facility.NoLimit {
		return math.NaN()
	}
	return float64(w)
}

// coolingTitle answers where the heat goes and what is nearest to its limit.
func coolingTitle(groups []heatOf) string {
	var air, liquid float64
	worst, of, where := math.NaN(), "", ""
	for i := range groups {
		g := &groups[i]
		air, liquid = air+g.airW, liquid+g.liquidW
		for _, x := range []struct {
			w, limit float64
			name     string
		}{{g.airW, g.airLimitW, "air"}, {g.liquidW, g.liquidLimitW, "liquid"}} {
			if s := x.w / x.limit; finite(s) && x.limit > 0 && !(worst >= s) {
				worst, of, where = s, x.name, g.name
			}
		}
	}
	if air+liquid <= 0 {
		return "No heat to take away: no server is placed"
	}
	s := show.Watts(air) + " of heat goes into the air"
	if liquid > 0 {
		s += fmt.Sprintf(" and %s (%s) into liquid", show.Watts(liquid), show.Percent(liquid/(air+liquid)))
	}
	if finite(worst) {
		s += fmt.Sprintf("; nearest to its limit: %s of %s, %s", of, where, show.Percent(worst))
	}
	return s
}

func coolingFigure(r *sim.Result) *figure {
	l := r.Layout
	if l == nil || l.Facility == nil || len(l.Racks) == 0 {
		return figureWithout(r, "Heat by air and by liquid", "No racks: the result holds no placement.")
	}
	groups, what := heats(r)
	f := &figure{title: coolingTitle(groups), subtitle: subtitle(r)}
	if len(groups) == 0 {
		return figureWithout(r, f.title, "No racks: the placement names none of the facility's.")
	}
	names := make([]string, len(groups))
	air, liquid := barPart{name: "air", fill: orange}, barPart{name: "liquid", fill: navy}
	var airLimit, liquidLimit, airflow, flow []float64
	anyLiquid := false
	for i, g := range groups {
		names[i] = g.name
		air.v, liquid.v = append(air.v, g.airW), append(liquid.v, g.liquidW)
		airLimit, liquidLimit = append(airLimit, g.airLimitW), append(liquidLimit, g.liquidLimitW)
		airflow, flow = append(airflow, g.airflowM3s*cfmPerM3s), append(flow, g.flowLPM)
		anyLiquid = anyLiquid || g.liquidW > 0 || g.flowLPM > 0
	}
	const width = pageW - 2*marginX - 90
	nm := newNameMark(names, width)

	// Heights: heat, airflow, coolant flow, inlets; what a hall has none of gives its room to the others.
	ranInlets := len(r.Racks) > 0
	heat := &panel{title: basisName(l) + " heat " + what + " against its limits", x: slotAxis(len(groups)), foot: nm.foot()}
	strips := []*panel{stripPanel("Air that the servers draw at rated fans", "CFM", airflow, sky)}
	if anyLiquid {
		strips = append(strips, stripPanel("Coolant that the servers need", "L/min", flow, navy))
	}
	if ranInlets {
		strips = append(strips, inletRangePanel(r, groups))
	}
	const strip, gap = 0.185, 0.02
	split := 1 - float64(len(strips))*(strip+gap)
	heat.at = box{0, 0, 1, split}
	for i, s := range strips {
		s.at = box{0, split + gap + float64(i)*(strip+gap), 1, split + float64(i+1)*(strip+gap)}
	}

	bars := []barsMark{{name: "air", width: 0.7, parts: []barPart{air}, limit: airLimit}}
	if anyLiquid {
		bars[0].offset, bars[0].width = -0.2, 0.36
		bars = append(bars, barsMark{name: "liquid", offset: 0.2, width: 0.36, parts: []barPart{liquid}, limit: liquidLimit})
	}
	hi := 0.0
	for _, b := range bars {
		hi = math.Max(hi, b.top())
	}
	k, unit := wattUnit(hi)
	_, top := fromZero(hi * k)
	heat.y = axis{min: 0, max: top, unit: unit}
	for i := range bars {
		b := &bars[i]
		for j := range b.parts[0].v {
			b.text = append(b.text, show.Number(b.parts[0].v[j]*k, 3))
		}
		b.parts[0].v, b.limit = scaleBy(b.parts[0].v, k), scaleBy(b.limit, k)
		heat.marks = append(heat.marks, *b)
		heat.legend = append(heat.legend, legendEntry{"into the " + b.parts[0].name, b.parts[0].fill, "box"})
	}
	heat.legend[0].name = "into the air"
	if len(bars) > 1 {
		heat.legend[1].name = "into liquid"
	}
	if anyLimit(airLimit) || anyLiquid && anyLimit(liquidLimit) {
		heat.legend = append(heat.legend, legendEntry{"limit", limitRed, "dash"})
	}
	heat.marks = append(heat.marks, nm)
	f.panels = append([]*panel{heat}, strips...)
	f.notes = coolingNotes(r, groups)
	return f
}

func anyLimit(v []float64) bool {
	for _, x := range v {
		if finite(x) {
			return true
		}
	}
	return false
}

// stripPanel is a low panel of bars over the same slots, with the figure over each bar where there is room.
func stripPanel(title, unit string, v []float64, c color.RGBA) *panel {
	m := barsMark{name: unit, width: 0.5, parts: []barPart{{name: unit, fill: c, v: v}}}
	for _, x := range v {
		m.text = append(m.text, show.Count(int64(math.Round(x))))
	}
	_, top := fromZero(m.top() * 1.22)
	return &panel{title: title, x: slotAxis(len(v)), y: axis{min: 0, max: top, unit: unit, ticker: numberTicks{want: 3}}, marks: []mark{m}}
}

// inletRangePanel draws the mean and the warmest inlet of each group against the class's bands.
func inletRangePanel(r *sim.Result, groups []heatOf) *panel {
	pn := &panel{title: "Inlet air over the run: mean to warmest"}
	var mean, warm []float64
	for _, g := range groups {
		mean, warm = append(mean, g.inletMeanC), append(warm, g.inletMaxC)
	}
	lo, hi := extent(mean, warm)
	if !finite(lo) || !finite(hi) {
		pn.why = "No inlet temperatures: unknown for every rack."
		return pn
	}
	air, lim := &r.Air, limitsOf(r)
	if air.Name != "" {
		lo, hi = math.Min(lo, air.RecommendedLow), math.Max(hi, air.RecommendedHigh)
	}
	allowC, by := math.NaN(), ""
	if air.Name != "" {
		allowC, by = air.AllowableHigh, "ASHRAE "+air.Name
	}
	if finite(lim.inletHighC) && !(allowC <= lim.inletHighC) {
		allowC, by = lim.inletHighC, "server"
	}
	if finite(allowC) && math.Abs(allowC) < 200 {
		hi = math.Max(hi, allowC)
	}
	lo, hi = spread(lo, hi, 0.12)
	pn.x, pn.y = slotAxis(len(groups)), axis{min: lo, max: hi, unit: "°C", ticker: numberTicks{want: 3}}
	if air.Name != "" && finite(air.RecommendedLow) && finite(air.RecommendedHigh) {
		pn.marks = append(pn.marks, zoneMark{"recommended", air.RecommendedLow, air.RecommendedHigh, greenTint})
		pn.title += "; green: recommended by ASHRAE " + air.Name
	}
	pn.marks = append(pn.marks, rangeMark{name: "inlet", lo: mean, hi: warm})
	if finite(allowC) && allowC <= hi && allowC >= lo {
		pn.marks = append(pn.marks, levelMark{"allowable", allowC, limitStyle()})
		pn.title += "; dashed: allowable " + show.Celsius(allowC) + " (" + by + ")"
	}
	return pn
}

// rangeMark is a stroke from a low to a high value in each slot, with a dot at the high one.
type rangeMark struct {
	name   string
	lo, hi []float64
}

func (m rangeMark) label() string { return m.name }
func (m rangeMark) below() bool   { return false }

func (m rangeMark) draw(p *pen, t trans) {
	for i := range m.lo {
		if !finite(m.lo[i]) || !finite(m.hi[i]) {
			continue
		}
		x := t.x(float64(i))
		y0, y1 := max(t.y(m.lo[i]), t.r.Min.Y), min(t.y(m.hi[i]), t.r.Max.Y)
		p.line(x, y0, x, y1, draw.LineStyle{Color: navy, Width: 4})
		p.line(x-7, y0, x+7, y0, draw.LineStyle{Color: navy, Width: lineData})
		const d = vg.Length(4)
		p.rect(vg.Rectangle{Min: vg.Point{X: x - d, Y: y1 - d}, Max: vg.Point{X: x + d, Y: y1 + d}}, orangeInk)
	}
}

// coolingNotes are what the picture cannot say: sums against what the rooms and loops can move, and the residual air
// heat of liquid servers.
func coolingNotes(r *sim.Result, groups []heatOf) []string {
	f := r.Layout.Facility
	var airflow, flow, room, loop, airW, liquidW float64
	liquidServers, servers := 0, 0
	for i := range groups {
		g := &groups[i]
		airflow, flow = airflow+g.airflowM3s, flow+g.flowLPM
		airW, liquidW = airW+g.airW, liquidW+g.liquidW
		liquidServers, servers = liquidServers+g.liquidServers, servers+g.allServers
	}
	for i := range f.Cooling.Rooms {
		x := &f.Cooling.Rooms[i]
		room += float64(max(0, x.Units-x.Redundant)) * x.AirflowM3s
	}
	for i := range f.Cooling.Loops {
		x := &f.Cooling.Loops[i]
		loop += float64(max(0, x.CDUs-x.Redundant)) * x.FlowLPM
	}
	var notes []string
	s := fmt.Sprintf("All servers at rated fans draw %s (%s CFM)", show.Quantity(airflow, "m3/s"), show.Count(int64(math.Round(airflow*cfmPerM3s))))
	if room > 0 {
		s += fmt.Sprintf("; the air handlers move %s with their spares lost", show.Quantity(room, "m3/s"))
	}
	if flow > 0 {
		s += fmt.Sprintf(". Coolant: %s wanted", show.Quantity(flow, "L/min"))
		if loop > 0 {
			s += fmt.Sprintf(", %s pumped with spares lost", show.Quantity(loop, "L/min"))
		}
	}
	notes = append(notes, s+".")
	s = fmt.Sprintf("Basis of heat: %s. Altitude %s m. Class bands are of inlet air; exhaust is not judged by them.", f.Basis, show.Number(f.AltitudeM, 1))
	if liquidServers > 0 && liquidServers == servers && airW+liquidW > 0 {
		s = fmt.Sprintf("Servers on liquid still give %s of their heat to the air. ", show.Percent(airW/(airW+liquidW))) + s
	}
	return append(notes, s)
}
