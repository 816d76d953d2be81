package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"headroom/facility/placement"
	"headroom/plots/internal/fixture"
	"headroom/sim"
)

// The traps of gonum/plot v0.17.0 as a planner's charts meet them, each measured there as a hang, a panic, a lie or a
// slow path: what this package does instead. Those of whole charts are in TestHostileData.

// A NaN axis and values at the ends of float64 hang the library: no axis is ever made of them.
func TestTrapAxesAreFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, v := range [][2]float64{{nan, 1}, {1, nan}, {nan, nan}, {-inf, inf}, {1.7e308, -1.7e308}, {-1.7e308, 1.7e308}, {inf, inf}, {3, 3}, {0, 0}, {5, 2}} {
		lo, hi := spread(v[0], v[1], 0.06)
		if !(hi > lo) || !finite(lo) || !finite(hi) {
			t.Errorf("spread(%v) is %v to %v", v, lo, hi)
		}
		if lo, hi := fromZero(v[1]); !(hi > lo) || !finite(hi) {
			t.Errorf("fromZero(%v) is %v to %v", v[1], lo, hi)
		}
		for _, tk := range []plot.Ticker{numberTicks{}, logTicks{}, timeTicks{width: 500}} {
			if n := len(tk.Ticks(v[0], v[1])); n > 400 {
				t.Errorf("%T: %d ticks on %v", tk, n, v)
			}
		}
	}
}

// A logarithm of 0, of a negative, of one value alone panics there. Here they stand at the axis's end.
func TestTrapLogAxis(t *testing.T) {
	for _, v := range []float64{0, -3, math.Inf(-1), 1e-300} {
		if got := logOf(v, 1); got != 0 {
			t.Errorf("logOf(%v, 1) is %v, want 0", v, got)
		}
	}
	if !math.IsNaN(logOf(math.NaN(), 1)) {
		t.Error("NaN has a place on a logarithmic axis")
	}
	labels := func(lo, hi float64) string {
		var s []string
		for _, tk := range (logTicks{}).Ticks(math.Log10(lo), math.Log10(hi)) {
			s = append(s, tk.Label)
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{2, 8, "2 5"}, // no labels at all in the library
		{1, 20, "1 2 5 10 20"},
		{0.001, 100, "0.001 0.01 0.1 1 10 100"},
		{1e-5, 1e9, "1e-06 0.0001 0.01 1 100 10000 1e+06 1e+08"},
	} {
		if got := labels(c.lo, c.hi); got != c.want && !(c.lo == 1e-5 && len(strings.Fields(got)) >= 5) {
			t.Errorf("from %g to %g: %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
	// Every wait at once, or a single one: a panel and not a panic.
	for _, w := range []sim.Num{0, 1, -5, 1e300, sim.Num(math.Inf(1))} {
		r := fixture.Result(fixture.Options{Steps: 30})
		for i := range r.Jobs.ByClass {
			r.Jobs.ByClass[i].WaitS = sim.Wait{Mean: w, P50: w, P95: w, P99: w}
		}
		check(t, "queue", queueFigure(r))
	}
}

// Near-constant values are labelled "0.8 0.8 0.8" there: no two ticks of an axis read alike, to the last bit of float64.
func TestTrapNearConstant(t *testing.T) {
	for _, v := range []float64{0.8, -0.8, 1e-90, 1e15, 299792458, 87} {
		lo, hi := spread(v, v*(1+1e-15), 0.06)
		seen := map[string]bool{}
		ticks := (numberTicks{want: 5}).Ticks(lo, hi)
		for _, tk := range ticks {
			if seen[tk.Label] {
				t.Errorf("around %g the label %q stands twice", v, tk.Label)
			}
			seen[tk.Label] = true
		}
		if len(ticks) < 2 {
			t.Errorf("around %g: %d ticks", v, len(ticks))
		}
	}
}

// A time axis of 30 days had two labels there, both clipped: here enough, none clipped, whatever the length.
func TestTrapTimeAxis(t *testing.T) {
	for _, hours := range []int{1, 5, 24, 24 * 7, 24 * 30, 24 * 365, 24 * 365 * 12} {
		steps, stepS := hours, 3600.0
		if hours < 48 {
			steps, stepS = hours*60, 60
		}
		if steps > 20000 {
			steps, stepS = steps/24, 86400
		}
		r := fixture.Result(fixture.Options{Steps: steps, StepS: stepS})
		f := queueFigure(r)
		check(t, "queue", f)
		low := f.panels[1]
		tt := low.x.ticker.(timeTicks)
		tt.width = 900
		if n := len(tt.Ticks(low.x.min, low.x.max)); n < 3 || n > 20 {
			t.Errorf("%d hours: %d ticks", hours, n)
		}
	}
}

// 40 entries in a legend overprint there; here the legend wraps, and what it has no room for is counted.
func TestTrapLegendOf40(t *testing.T) {
	pn := &panel{at: box{0, 0, 1, 1}, title: "many", x: axis{min: 0, max: 1}, y: axis{min: 0, max: 40}}
	for i := range 40 {
		pn.legend = append(pn.legend, legendEntry{fmt.Sprintf("series %d with a long name 名字", i), navy, "line"})
		pn.marks = append(pn.marks, lineMark{fmt.Sprint(i), []float64{0, 1}, []float64{float64(i), float64(40 - i)}, draw.LineStyle{Color: navy, Width: 1}})
	}
	p := check(t, "legend", &figure{title: "40 series", panels: []*panel{pn}})
	if !has(p, "and 27 more") {
		t.Errorf("what is left out is not counted: %q", texts(p))
	}
	// The same with direct labels: all there, none over another.
	pn.legend = nil
	for i := range 30 {
		pn.labels = append(pn.labels, sideLabel{20, fmt.Sprintf("series %d", i), navy})
	}
	check(t, "labels", &figure{title: "30 labels", panels: []*panel{pn}})
}

// Work classes and power rows without end: the first and fullest are named, the rest counted.
func TestTrap40ClassesAnd200Rows(t *testing.T) {
	r := fixture.Result(fixture.Options{Racks: 200, PerRow: 1, Steps: 30})
	for i := range 40 {
		c := r.Jobs.ByClass[0]
		c.Class = fmt.Sprintf("class number %d", i)
		r.Jobs.ByClass = append(r.Jobs.ByClass, c)
	}
	for _, c := range Charts() {
		check(t, c.Name, c.build(r))
	}
	if f := oversubFigure(r); !strings.Contains(f.panels[2].title, "12 of 200") {
		t.Errorf("rows: %q", f.panels[2].title)
	}
}

// A square wave of 43,200 minutes in one path takes seconds there, decimated it takes longer: here it is reduced to
// pixel columns and stroked in short pieces. What is counted is points and not time.
func TestTrapLongPaths(t *testing.T) {
	for _, n := range []int{2000, 43200, 525600} {
		xs, ys := make([]float64, n), make([]float64, n)
		for i := range xs {
			xs[i], ys[i] = float64(i), float64(i%2)
		}
		c := &page{}
		p := &pen{c: draw.New(c)}
		tr := trans{r: vg.Rectangle{Max: vg.Point{X: 1000, Y: 400}}, x0: 0, dx: float64(n), y0: 0, dy: 1}
		lineMark{"square", xs, ys, draw.LineStyle{Color: navy, Width: 1}}.draw(p, tr)
		bandMark{name: "band", xs: xs, lo: make([]float64, n), hi: ys, color: navyTint}.draw(p, tr)
		points, most := 0, 0
		lo, hi := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
		for _, a := range c.Actions {
			if s, ok := a.(*recorder.Stroke); ok {
				points += len(s.Path)
				most = max(most, len(s.Path))
				for _, q := range s.Path {
					lo, hi = min(lo, q.Pos.Y), max(hi, q.Pos.Y)
				}
			}
		}
		if most > chunk+1 || points > 4*1400+200 {
			t.Errorf("%d points: strokes of up to %d, %d points in all", n, most, points)
		}
		if lo != 0 || hi != 400 {
			t.Errorf("%d points: drawn from %v to %v, want the extremes 0 and 400", n, lo, hi)
		}
	}
}

// 16 at once, PNG, SVG and PDF: the same bytes.
func TestTrapSixteenAtOnce(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 48})
	c := Charts()[1]
	want := map[string][]byte{}
	for _, f := range Formats() {
		want[f] = render(t, c, r, f)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			f := Formats()[i%3]
			var b bytes.Buffer
			if err := Draw(c, r, f, &b); err != nil || !bytes.Equal(b.Bytes(), want[f]) {
				t.Errorf("%s differs (%v)", f, err)
			}
		})
	}
	wg.Wait()
}

// Maps of one rack, of one row, of equal values, of none.
func TestTrapMaps(t *testing.T) {
	for _, o := range []fixture.Options{{Racks: 1, Steps: 2}, {Racks: 2, PerRow: 1, Steps: 2}, {Racks: 30, PerRow: 30, Steps: 2}} {
		for _, c := range []float64{24, math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
			r := fixture.Result(o)
			for i := range r.Racks {
				r.Racks[i].InletMaxC, r.Racks[i].InletMeanC = c, c
			}
			for _, f := range []*figure{inletsFigure(r), placementFigure(r), coolingFigure(r)} {
				check(t, "map", f)
			}
		}
	}
}

// What a result holds for the newer charts, spoiled: a panel that says so, or the chart without it.
func TestHostileDistributions(t *testing.T) {
	nan, inf := sim.Num(math.NaN()), sim.Num(math.Inf(1))
	for name, hurt := range map[string]func(*sim.Result){
		"no power":      func(r *sim.Result) { r.Power = nil },
		"empty spreads": func(r *sim.Result) { r.Power = make([]sim.PowerSpread, 5) },
		"NaN spreads": func(r *sim.Result) {
			for i := range r.Power {
				p := &r.Power[i]
				p.MaxW, p.P50W, p.P95W, p.P99W, p.LimitW, p.ProvisionedW, p.OverH = nan, nan, nan, nan, nan, nan, nan
				for k := range p.AtW {
					p.AtW[k] = math.NaN()
				}
			}
		},
		"infinite spreads": func(r *sim.Result) {
			for i := range r.Power {
				p := &r.Power[i]
				p.MaxW, p.P50W, p.P95W, p.LimitW = inf, inf, inf, 1e-300
				p.AtW[0], p.Shares[1] = math.Inf(-1), math.Inf(1)
			}
		},
		"one power": func(r *sim.Result) {
			p := &r.Power[1]
			p.AtW, p.Shares, p.MaxW = []float64{5e4, 5e4}, []float64{0, 1}, 5e4
		},
		"spreads of two lengths": func(r *sim.Result) { r.Power[1].AtW = r.Power[1].AtW[:3] },
		"huge power": func(r *sim.Result) {
			for i := range r.Power[1].AtW {
				r.Power[1].AtW[i] = 1e300
			}
			r.Power[1].MaxW = 1e300
		},
		"no ride":    func(r *sim.Result) { r.Ride = nil },
		"ride empty": func(r *sim.Result) { r.Ride = &sim.RideThrough{} },
		"ride of nothing": func(r *sim.Result) {
			r.Ride = &sim.RideThrough{LimitC: math.NaN(), HorizonS: math.NaN(), Cases: make([]sim.RideCase, 5)}
		},
		"ride of NaN and infinity": func(r *sim.Result) {
			for k := range r.Ride.Cases {
				c := &r.Ride.Cases[k]
				for i := range c.InletC {
					c.InletC[i], c.GPUC[i], c.CoolantC[i] = []sim.Num{nan, inf, -inf, 1e300}[i%4], nan, inf
				}
				c.AtS[3], c.Name = nan, strings.Repeat("loss 失去 ", 300)
			}
		},
		"slowed hours of nothing": func(r *sim.Result) {
			for i := range r.Racks {
				r.Racks[i].SlowedGPUHours = [sim.SlowCauses]float64{math.NaN(), math.Inf(1), -5, 1e300, 0, 1}
			}
		},
		"next without end": func(r *sim.Result) {
			for i := range r.Layout.Racks {
				n := r.Layout.Racks[i].Next
				for range 40 {
					n = append(n, n[0])
				}
				n[0].Short, n[0].Unit = math.Inf(1), strings.Repeat("u", 300)
				r.Layout.Racks[i].Next = n
			}
		},
		"racks of no height, servers above them": func(r *sim.Result) {
			for i := range r.Layout.Facility.Racks {
				r.Layout.Facility.Racks[i].HeightU = -i
			}
			r.Layout.Servers[0].U, r.Layout.Servers[1].U, r.Layout.Servers[2].Model = -9, 9999, 77
		},
		"GPU-hours that do not add up": func(r *sim.Result) {
			k := &r.Compute
			k.GPUHoursEffective, k.GPUHoursBusy, k.LostGPUHours.Thermal = 1e12, -4, inf
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := fixture.Result(fixture.Options{Steps: 30})
			hurt(r)
			for _, c := range Charts() {
				check(t, c.Name, c.build(r))
			}
		})
	}
	for name, tab := range map[string]*CapTable{
		"empty":    {},
		"no base":  {What: "server", Points: []CapPoint{{CapW: 9000, Effective: 1, EnergyKWh: 1}}},
		"one":      {Scenario: "x", What: "server", Points: []CapPoint{{CapW: math.Inf(1), Effective: 100, EnergyKWh: 100}, {CapW: 9000, Effective: 90, EnergyKWh: 80, Cost: math.NaN(), CarbonKg: math.NaN()}}},
		"spoiled":  {Scenario: strings.Repeat("名", 2000), Points: []CapPoint{{CapW: math.Inf(1), Effective: 1, EnergyKWh: 1}, {CapW: math.NaN(), Effective: 1, EnergyKWh: 1}, {CapW: 1, Effective: math.Inf(1), EnergyKWh: 0}, {CapW: 1e300, Effective: 1e300, EnergyKWh: 1e-300}}},
		"40 of it": {What: "server", Points: manyCaps(40)},
	} {
		t.Run("caps/"+name, func(t *testing.T) { check(t, "caps", capsFigure(tab)) })
	}
}

func manyCaps(n int) []CapPoint {
	out := []CapPoint{{CapW: math.Inf(1), Effective: 1000, EnergyKWh: 1000, Cost: 100, CarbonKg: 10}}
	for i := range n {
		out = append(out, CapPoint{CapW: 5000 + 100*float64(i), Effective: 700 + 7*float64(i), EnergyKWh: 600 + 9*float64(i), Cost: 80, CarbonKg: 8})
	}
	return out
}

// The cap with most work for a kilowatt-hour is named: 900 of 1,000 GPU-hours for 800 of 1,000 kWh is 12.5 % more.
func TestCapsNameTheOptimum(t *testing.T) {
	f := capsFigure(&CapTable{Scenario: "hall", Basis: "nameplate", What: "server", Points: []CapPoint{
		{CapW: 9000, Effective: 980, EnergyKWh: 950}, {CapW: math.Inf(1), Effective: 1000, EnergyKWh: 1000}, {CapW: 8000, Effective: 900, EnergyKWh: 800}, {CapW: 7000, Effective: 700, EnergyKWh: 720},
	}})
	if want := "Most work for each kWh at a cap of 8.00 kW: 12.5 % more, for 90.0 % of the work"; f.title != want {
		t.Errorf("got %q, want %q", f.title, want)
	}
}

// deuteranopia is how a colour looks to an eye without the middle cones (Machado, Oliveira and Fernandes 2009, severity
// 1, on linear light).
func deuteranopia(c color.RGBA) [3]float64 {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	return [3]float64{
		0.367322*r + 0.860646*g - 0.227968*b,
		0.280085*r + 0.672501*g + 0.047413*b,
		-0.011820*r + 0.042940*g + 0.968881*b,
	}
}

// lab is CIE L*a*b* of linear sRGB, D65.
func lab(c [3]float64) [3]float64 {
	f := func(t float64) float64 {
		t = math.Max(t, 0)
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2])
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func deltaE(a, b color.RGBA) float64 {
	p, q := lab(deuteranopia(a)), lab(deuteranopia(b))
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// Colours that mean different things in one chart are told apart without the middle cones (ΔE of 10 is plain to see),
// and those that no words stand beside also in greyscale.
func TestPaletteWithoutGreen(t *testing.T) {
	type pair struct {
		name string
		a, b color.RGBA
	}
	pairs := []pair{
		{"line and second line", navy, orangeInk},
		{"data and limit", navy, limitRed},
		{"air and liquid", orange, navy},
		{"used and reserved", navy, sky},
		{"reserved and headroom", sky, greenTint},
		{"recommended band and limit", greenTint, limitRed},
	}
	for i, s := range stateFills {
		for _, o := range stateFills[i+1:] {
			pairs = append(pairs, pair{s.state + " and " + o.state, s.fill, o.fill})
		}
	}
	for i := range slowFills {
		for j := i + 1; j < len(slowFills); j++ {
			pairs = append(pairs, pair{sim.SlowNames[i] + " and " + sim.SlowNames[j], slowFills[i], slowFills[j]})
		}
	}
	parts := energyParts[1:]
	for i := 1; i < len(parts); i++ {
		pairs = append(pairs, pair{parts[i-1].Name + " and " + parts[i].Name, parts[i-1].color, parts[i].color})
	}
	for i := range legFills {
		pairs = append(pairs, pair{"legs", legFills[i], legFills[(i+1)%3]})
	}
	for _, p := range pairs {
		if d := deltaE(p.a, p.b); d < 10 {
			t.Errorf("%s: ΔE %.1f without the middle cones", p.name, d)
		}
	}
	for i := range stateFills[:4] {
		for j := i + 1; j < 4; j++ {
			hi, lo := luminance(stateFills[i].fill)+0.05, luminance(stateFills[j].fill)+0.05
			if r := max(hi, lo) / min(hi, lo); r < 1.2 {
				t.Errorf("%s and %s: contrast %.2f in greyscale", stateFills[i].state, stateFills[j].state, r)
			}
		}
	}
	for i := range 20 {
		if d := deltaE(ramp(float64(i)/20), ramp(float64(i+1)/20)); d < 1 {
			t.Errorf("the ramp stands still at %d %%: ΔE %.2f", 5*i, d)
		}
	}
}

// The matrix says of every loss what it does to every rack, and what power racks lose: six racks of 40.8 kW at 70 % shed
// 73.4 kW, 24 racks that are lost all of their 979 kW.
func TestFailoverMatrix(t *testing.T) {
	r := liquidFixture()
	lines, _ := failoverLines(r.Layout)
	m := newMatrix(r.Layout, lines)
	if m == nil || len(m.cells) != 4 || len(m.groups) != 24 {
		t.Fatalf("%+v", m)
	}
	for i, want := range []struct {
		first, last string
		shedW       float64
	}{
		{placement.RedundancyLost, placement.RedundancyLost, 0},
		{placement.RedundancyLost, placement.RedundancyLost, 0},
		{placement.Degraded, placement.Normal, 6 * 40800 * 0.3},
		{placement.Lost, placement.Lost, 24 * 40800},
	} {
		if c := m.cells[i]; c[0].state != want.first || c[23].state != want.last || math.Abs(m.shedW[i]-want.shedW) > 1e-6 {
			t.Errorf("%s: %q … %q, shed %g W; want %q … %q, %g W", m.lines[i].name(), c[0].state, c[23].state, m.shedW[i], want.first, want.last, want.shedW)
		}
	}
	p := check(t, "failover", failoverFigure(r))
	for _, s := range []string{"70", "73.4 kW", "979 kW", "A01"} {
		if !has(p, s) {
			t.Errorf("the page does not say %q", s)
		}
	}
}
