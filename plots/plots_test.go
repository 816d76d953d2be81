package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"

	"headroom/facility/placement"
	"headroom/plots/internal/fixture"
	"headroom/sim"
)

// page draws a figure on a canvas that records what is drawn.
type page struct{ recorder.Canvas }

func (page) Size() (w, h vg.Length) { return pageW, pageH }

func drawn(f *figure, format string) (*pen, *page) {
	c := &page{}
	return f.draw(c, format), c
}

// check holds a drawn figure to what every chart must keep: nothing outside the page, no text over another, no
// figure that is none, no coordinate that is none.
func check(t testing.TB, name string, f *figure) *pen {
	t.Helper()
	p, c := drawn(f, "png")
	for i, a := range p.drawn {
		if a.box.Min.X < -0.5 || a.box.Min.Y < -0.5 || a.box.Max.X > pageW+0.5 || a.box.Max.Y > pageH+0.5 {
			t.Errorf("%s: text %q is clipped: %v", name, a.s, a.box)
		}
		for _, bad := range []string{"NaN", "Inf", "%!", "  "} {
			if strings.Contains(a.s, bad) {
				t.Errorf("%s: text %q", name, a.s)
			}
		}
		for _, b := range p.drawn[:i] {
			const touch = 1.5 // boxes count ascent and descent that most letters lack
			if a.box.Min.X+touch < b.box.Max.X && b.box.Min.X+touch < a.box.Max.X &&
				a.box.Min.Y+touch < b.box.Max.Y && b.box.Min.Y+touch < a.box.Max.Y {
				t.Errorf("%s: text %q lies over %q", name, a.s, b.s)
			}
		}
	}
	for _, a := range c.Actions {
		var path vg.Path
		switch a := a.(type) {
		case *recorder.Stroke:
			path = a.Path
			if len(path) > chunk+1 {
				t.Fatalf("%s: a stroke of %d points: the rasterizer's time grows with their square", name, len(path))
			}
		case *recorder.Fill:
			path = a.Path
			if len(path) > 2*(chunk+2)+1 {
				t.Fatalf("%s: a fill of %d points", name, len(path))
			}
		}
		for _, q := range path {
			const edge = 12
			if q.Type != vg.CloseComp && !(q.Pos.X >= -edge && q.Pos.X <= pageW+edge && q.Pos.Y >= -edge && q.Pos.Y <= pageH+edge) {
				t.Fatalf("%s: a line goes to %v, off the page", name, q.Pos)
			}
		}
	}
	return p
}

func texts(p *pen) []string {
	var out []string
	for _, d := range p.drawn {
		out = append(out, d.s)
	}
	return out
}

func has(p *pen, s string) bool { return slices.Contains(texts(p), s) }

// series returns the names of the series drawn in a panel.
func series(pn *panel) []string {
	var out []string
	for _, m := range pn.marks {
		if n := m.label(); n != "" {
			out = append(out, n)
		}
	}
	return out
}

func render(t testing.TB, c Chart, r *sim.Result, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Draw(c, r, format, &b); err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return b.Bytes()
}

func setColumn(r *sim.Result, name string, f func(i int, v float64) float64) {
	for k := range r.Series.Columns {
		if c := &r.Series.Columns[k]; c.Name == name || name == "*" {
			for i := range c.Values {
				c.Values[i] = f(i, c.Values[i])
			}
		}
	}
}

func dropColumn(r *sim.Result, name string) {
	r.Series.Columns = slices.DeleteFunc(r.Series.Columns, func(c sim.Column) bool { return c.Name == name })
}

func TestChartsAndFiles(t *testing.T) {
	var got []string
	for _, c := range Charts() {
		if c.Title == "" || c.Question == "" {
			t.Errorf("%s has no title or question", c.Name)
		}
		got = append(got, c.Name+" "+c.FileName("svg"))
	}
	want := []string{
		"fit fit.svg", "placement placement.svg", "elevation elevation.svg", "cooling cooling.svg", "oneline oneline.svg", "failover failover.svg",
		"waterfall waterfall.svg", "phase phase.svg", "power power.svg", "pue pue_time.svg", "pue-load pue_load.svg", "pue-wetbulb pue_wetbulb.svg",
		"energy energy_stack.svg", "throughput throughput.svg", "thermal thermal.svg", "throttle throttle_hist.svg", "inlets inlets.svg",
		"utilization util.svg", "queue queue.svg", "oversub oversub.svg", "ride-through ridethrough.svg",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDrawRefuses(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24})
	var b bytes.Buffer
	for _, err := range []error{
		Draw(Charts()[0], nil, "png", &b), Draw(Charts()[0], r, "gif", &b), Draw(Chart{Name: "pie"}, r, "png", &b),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
	if b.Len() != 0 {
		t.Errorf("%d bytes were written beside an error", b.Len())
	}
	if err := Draw(Charts()[0], r, "png", failing{}); err == nil {
		t.Error("a failing writer: no error")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestPNGIs1600By900AndRepeats(t *testing.T) {
	r := fixture.Result(fixture.Options{})
	for _, c := range Charts() {
		a := render(t, c, r, "png")
		img, err := png.DecodeConfig(bytes.NewReader(a))
		if err != nil || img.Width < 1600 || img.Height < 900 {
			t.Errorf("%s: %d×%d, %v", c.Name, img.Width, img.Height, err)
		}
		if !bytes.Equal(a, render(t, c, fixture.Result(fixture.Options{}), "png")) {
			t.Errorf("%s: two drawings differ", c.Name)
		}
	}
}

func TestSVGAndPDF(t *testing.T) {
	r := fixture.Result(fixture.Options{Scenario: "上海一号机房 ✓ & <b>", Racks: 14})
	for _, c := range Charts() {
		svg := render(t, c, r, "svg")
		d := xml.NewDecoder(bytes.NewReader(svg))
		texts := 0
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s.svg: %v", c.Name, err)
			}
			if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "text" {
				texts++
				if !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "textLength" }) {
					t.Errorf("%s.svg: a text without its length", c.Name)
				}
			}
		}
		if texts < 10 {
			t.Errorf("%s.svg holds %d texts", c.Name, texts)
		}
		pdf := render(t, c, r, "pdf")
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("%s.pdf is no PDF", c.Name)
		}
		if !bytes.Equal(pdf, render(t, c, r, "pdf")) || !bytes.Equal(svg, render(t, c, r, "svg")) {
			t.Errorf("%s: two drawings differ", c.Name)
		}
	}
}

// From several goroutines at once, as a study draws: the same bytes.
func TestConcurrentDrawing(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 200})
	want := map[string][]byte{}
	for _, c := range Charts()[:4] {
		want[c.Name] = render(t, c, r, "png")
	}
	var wg sync.WaitGroup
	for range 3 {
		for _, c := range Charts()[:4] {
			wg.Go(func() {
				var b bytes.Buffer
				if err := Draw(c, r, "png", &b); err != nil || !bytes.Equal(b.Bytes(), want[c.Name]) {
					t.Errorf("%s differs when drawn concurrently (%v)", c.Name, err)
				}
				if err := Draw(c, r, "pdf", io.Discard); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
}

// Sizes and spans a planner really has: nothing clipped, nothing over another, whatever the hall.
func TestHallsOfEverySize(t *testing.T) {
	for name, o := range map[string]fixture.Options{
		"12 racks": {}, "1 rack": {Racks: 1}, "2 racks, 5 min": {Racks: 2, Steps: 12 * 24 * 7, StepS: 300}, "13 racks": {Racks: 13, PerRow: 13},
		"40 racks": {Racks: 40, PerRow: 10}, "41 racks in a row": {Racks: 41, PerRow: 41}, "200 racks": {Racks: 200, PerRow: 20},
		"300 racks": {Racks: 300, PerRow: 30}, "2,000 racks": {Racks: 2000, PerRow: 25, Steps: 48}, "70 days": {Steps: 70 * 24}, "10 years": {Steps: 87600},
		"one step": {Steps: 1}, "two steps": {Steps: 2}, "10 minutes": {Steps: 10, StepS: 60}, "6 seconds": {Steps: 6, StepS: 1},
		"45 days": {Steps: 45 * 24}, "month of minutes": {Steps: 43200, StepS: 60}, "Chinese": {Scenario: "上海一号机房 48 kW 风冷", Variant: "液冷"},
	} {
		t.Run(name, func(t *testing.T) {
			r := fixture.Result(o)
			for _, c := range Charts() {
				check(t, c.Name, c.build(r))
			}
		})
	}
}

// A panel without data says which column is absent and which holds nothing.
func TestEmptyPanelsSayWhy(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 60})
	dropColumn(r, "gpus_available")
	setColumn(r, "queue_jobs", func(int, float64) float64 { return math.NaN() })
	f, q := utilizationFigure(r), queueFigure(r)
	if got, want := f.panels[0].why, "No data: the run has no series gpus_available."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := q.panels[0].why, "No data: queue_jobs holds no figure in this run."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p, pq := check(t, "utilization", f), check(t, "queue", q)
	if !has(p, f.panels[0].why) || !has(pq, q.panels[0].why) {
		t.Errorf("the page does not say why: %q", texts(p))
	}
	setColumn(r, "queue_gpus", func(i int, v float64) float64 {
		if i < 3 {
			return math.Inf(1)
		}
		return v
	})
	if f := queueFigure(r); !slices.Contains(f.notes, "3 values of queue_gpus left out of the chart: not finite, or beyond 1e100.") {
		t.Errorf("notes: %q", f.notes)
	}
}

// The charts say what the result says: title, axes, series and limits of the fixture's year.
func TestContent(t *testing.T) {
	r := fixture.Result(fixture.Options{})
	for _, c := range []struct {
		chart, title string
		panels       []string
		series       [][]string
		ranges       [][2]float64 // of y, NaN: not checked
		says         []string
	}{
		{
			chart: "fit", title: "48 servers fit in 12 racks; rack power stops the next one, short by 3.00 kW",
			panels: []string{"Planned power per rack, kW", "Servers each rack limit would admit"}, series: [][]string{{"fit"}, nil},
			ranges: [][2]float64{{0, 48 * 1.04 * 1.06}, {math.NaN(), 0}},
			says:   []string{"A01", "A12", "4", "rack power", "air cooling", "60", "placed: 48", "Proven maximum: 48 servers", "12 racks, short by 3.00 kW", "stranded", "rack limit"},
		},
		{
			chart: "placement", title: "48 servers in 12 of 12 racks; no further one fits in any rack",
			panels: []string{"Further dgx-h100 that each rack takes, the others as they are (+), and servers in it", "Where the next dgx-h100 goes"},
			series: [][]string{nil, nil}, says: []string{"A01", "+0", "4 in", "None fits in any rack.", "12 racks (A01 … A12): rack power short by 3.00 kW, air cooling short by 3.00 kW"},
		},
		{
			chart: "inlets", panels: []string{"Servers in each rack, coloured by the share of its power limit in use", "Hottest inlet of each rack over the run, °C"},
			series: [][]string{nil, nil}, says: []string{"A01", "4", "28.8", "% of the rack's limit", "°C", "To scale: 7.2 m × 1.2 m from the first rack to the last."},
		},
		{
			chart: "power", panels: []string{"Limits far above the load, MW", "Power, MW"},
			series: [][]string{{"utility: 2.00 MW"}, {"facility band", "facility", "IT band", "IT", "peak", "transformers, 1 unit lost: 1.23 MW", "UPS, one side lost: 760 kW"}},
			ranges: [][2]float64{{math.NaN(), 0}, {0, 1.225 * 1.06}},
			says:   []string{"facility", "IT", "UPS, one side lost: 760 kW", "local time", "2026", "2027", "Jul", "utility: 2.00 MW", "Lines are daily means; bands span the lowest to the highest hourly mean."},
		},
		{
			chart: "pue", panels: []string{"PUE (facility power / IT power)", "Power that is not IT, kW", "Where the energy goes"},
			series: [][]string{
				{" band", "energy-weighted"},
				{"chillers", "room fans", "heat rejection", "pumps", "UPS loss", "transformer loss", "distribution loss", "humidification", "other"},
				nil,
			},
			says: []string{"gaps: no IT load", "IT", "not IT; bars to a scale of their own:"},
		},
		{
			chart: "throughput", panels: []string{"GPUs, number", "Work lost while busy, share of busy, %", "Clock of GPUs, share of full, %"},
			series: [][]string{{"available", "lost while busy", "busy: ideal", "effective"}, {"lost band", "lost"}, {"slowest GPU band", "slowest GPU", "mean"}},
			ranges: [][2]float64{{0, 384 * 1.06}, {math.NaN(), 0}, {math.NaN(), 0}}, says: []string{"available", "effective (busy × work rate)"},
		},
		{
			chart: "thermal", panels: []string{"Server inlet air, °C", "GPU temperature, °C", "Throttled GPUs, share of busy, %", "Outdoor air, °C"},
			series: [][]string{
				{"recommended", "hottest inlet band", "hottest inlet", "mean inlet", "allowable: 30.0 °C (server)"},
				{"hottest GPU band", "hottest GPU", "mean GPU band", "mean GPU", "throttles at 87.0 °C", "halves clocks at 92.0 °C"},
				{"highest step", "throttled", "throttled"},
				{"dry bulb band", "dry bulb", "wet bulb"},
			},
			says: []string{"throttles at 87.0 °C", "recommended inlet, 18–27 °C (ASHRAE A2)"},
		},
		{
			chart: "utilization", panels: []string{"Use of the GPUs that are up, %", "Where the GPU-hours that were available went"},
			series: [][]string{{"allocated", "busy", "effective band", "effective", "all"}, nil},
			ranges: [][2]float64{{0, 104}, {math.NaN(), 0}}, says: []string{"all GPUs that are up", "not allocated"},
		},
		{
			chart: "queue", panels: []string{"Waiting jobs, number", "GPUs that waiting jobs ask for, number", "Wait before the start, by class", "Where every job ended"},
			series: [][]string{{" band"}, {" band", "all GPUs"}, {"waits"}, nil},
			ranges: [][2]float64{{0, 13 * 1.06}, {0, 384 * 1.06}, {math.NaN(), 0}, {math.NaN(), 0}}, says: []string{"most: 13", "12,040", "done + running + queued + rejected + unplaceable + killed + lost = submitted"},
		},
	} {
		t.Run(c.chart, func(t *testing.T) {
			i := slices.IndexFunc(Charts(), func(k Chart) bool { return k.Name == c.chart })
			f := Charts()[i].build(r)
			if c.title != "" && f.title != c.title {
				t.Errorf("title %q, want %q", f.title, c.title)
			}
			p := check(t, c.chart, f)
			for k, pn := range f.panels {
				if pn.header() != c.panels[k] {
					t.Errorf("panel %q, want %q", pn.header(), c.panels[k])
				}
				if !slices.Equal(series(pn), c.series[k]) {
					t.Errorf("panel %s: series %q, want %q", pn.title, series(pn), c.series[k])
				}
				if c.ranges != nil && !math.IsNaN(c.ranges[k][0]) {
					if math.Abs(pn.y.min-c.ranges[k][0]) > 1e-3 || math.Abs(pn.y.max-c.ranges[k][1]) > 1e-3*c.ranges[k][1] {
						t.Errorf("panel %s: y from %v to %v, want %v", pn.title, pn.y.min, pn.y.max, c.ranges[k])
					}
				}
			}
			for _, s := range append(c.says, "One hall, 48 kW racks, air · basis: planned · seed 1 · run 3f8a2c1e") {
				if !has(p, s) {
					t.Errorf("the page does not say %q; it says %q", s, texts(p))
				}
			}
		})
	}
}

func TestTitles(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24})
	c := &r.Capacity
	r.Layout.RequestedMax = false
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	c.ServersRequested = 60
	want(fitTitle(r), "48 of 60 servers fit in 12 racks; rack power stops the next one, short by 3.00 kW")
	c.ServersRequested = 48
	c.Binding = []sim.Binding{{Limit: string(placement.Order)}}
	want(fitTitle(r), "All 48 servers asked for fit in 12 racks; no limit stops the next one")
	c.ServersPlaced, c.RacksUsed = 0, 0
	c.Binding = []sim.Binding{{Limit: "space", Short: 3, Unit: "U"}}
	want(fitTitle(r), "No server fits; rack space stops the next one, short by 3 U")
	c.Binding = []sim.Binding{{Limit: "power", Also: "air, space", Short: 3000, Unit: "W"}}
	want(fitTitle(r), "No server fits; rack power, air cooling and rack space stop the next one, short by 3.00 kW")
	c.Binding = nil
	want(fitTitle(r), "No server fits; what stops the next one is unknown")

	r.Energy.PUE, r.Energy.ITKWh = sim.Num(math.NaN()), 0
	want(pueTitle(r), "PUE is undefined: no IT energy in this run")
	r.Thermal.ThrottledGPUHours, r.Thermal.GPUC.Max = 0, 81.2
	want(thermalTitle(r), "No GPU throttles; hottest GPU 81.2 °C, limit 87.0 °C")
	r.Compute.ThroughputRatio, r.Compute.GPUHoursBusy, r.Compute.GPUHoursEffective = sim.Num(math.NaN()), 200, 190
	want(throughputTitle(r), "Busy GPUs work at 95.0 % of full rate; 190 GPU-hours effective")
	r.Compute.Utilization = sim.Num(math.NaN())
	want(utilizationTitle(r), "Utilization is unknown")
	r.Jobs.WaitS.P50, r.Jobs.WaitS.P95 = 0, 0
	want(queueTitle(r), "11,850 of 12,040 jobs submitted are done; 95 % of jobs start at once")
}

// PUE by day is energy over energy; a mean of the hours' ratios would say something else.
func TestPUEBinsAreEnergyOverEnergy(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 60 * 24})
	setColumn(r, "it_w", func(i int, _ float64) float64 { return []float64{1000, 100}[i%2] })
	setColumn(r, "facility_w", func(i int, _ float64) float64 { return []float64{1500, 400}[i%2] })
	s := seriesOf(r)
	b := s.ratioBins(s.col("facility_w"), s.col("it_w"))
	if len(b.mean) != 60 {
		t.Fatalf("%d days", len(b.mean))
	}
	if got, want := b.mean[7], 1900.0/1100; math.Abs(got-want) > 1e-12 {
		t.Errorf("PUE of a day is %v, want %v", got, want)
	}
	if b.lo[7] != 1.5 || b.hi[7] != 4 {
		t.Errorf("band from %v to %v, want 1.5 to 4", b.lo[7], b.hi[7])
	}
}

// Stacked parts: each starts where the one below it ends, and the top is their sum.
func TestStackAddsUp(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 60 * 24})
	f := pueFigure(r)
	var below []float64
	for _, m := range f.panels[1].marks {
		b, ok := m.(bandMark)
		if !ok {
			continue
		}
		for i := range b.lo {
			if below != nil && b.lo[i] != below[i] || b.hi[i] < b.lo[i] {
				t.Fatalf("%s does not stand on the part below it", b.name)
			}
		}
		below = b.hi
	}
	s := seriesOf(r)
	total, it := s.bins(s.col("facility_w")), s.bins(s.col("it_w"))
	for i := range below {
		if got, want := below[i]*1e3, total.mean[i]-it.mean[i]; math.Abs(got-want) > 1e-6*want {
			t.Fatalf("day %d: parts add up to %v W, facility less IT is %v W", i, got, want)
		}
	}
}

func TestGroupsOfRacks(t *testing.T) {
	for _, c := range []struct {
		racks, perRow, bars int
		what, first         string
	}{
		{12, 12, 12, "per rack", "A01"},
		{40, 10, 40, "per rack", "A01"},
		{41, 41, 21, "per 2 racks", "A01–A02"},
		{300, 30, 10, "per row of racks", "A"},
		{2000, 25, 40, "per 50 racks", "A01–B25"},
	} {
		r := fixture.Result(fixture.Options{Racks: c.racks, PerRow: c.perRow, Steps: 2})
		bars, what := fitBars(r.Layout)
		servers := 0
		for _, b := range bars {
			servers += b.servers
		}
		if len(bars) != c.bars || what != c.what || bars[0].name != c.first || servers != 4*c.racks {
			t.Errorf("%d racks: %d bars %s, first %s, %d servers", c.racks, len(bars), what, bars[0].name, servers)
		}
	}
}

func TestPowerLimitsAfterLoss(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24})
	var got []string
	for _, l := range PowerLimits(r) {
		got = append(got, fmt.Sprintf("%s %.0f", l.Name, l.W))
	}
	want := []string{"utility 2000000", "transformers, 1 unit lost 1225000", "UPS, one side lost 760000"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The palette holds in greyscale: neighbours in the stack, the parts of a bar, and lines in one panel differ in
// lightness, and the map's ramp only ever darkens.
func TestPaletteInGreyscale(t *testing.T) {
	apart := func(name string, a, b float64) {
		t.Helper()
		if hi, lo := max(a, b)+0.05, min(a, b)+0.05; hi/lo < 1.25 { // contrast as WCAG 2 counts it
			t.Errorf("%s: contrast %.2f", name, hi/lo)
		}
	}
	parts := energyParts[1:]
	for i := 1; i < len(parts); i++ {
		apart(parts[i-1].Name+" and "+parts[i].Name, luminance(parts[i-1].color), luminance(parts[i].color))
	}
	apart("used and reserved", luminance(navy), luminance(sky))
	apart("reserved and headroom", luminance(sky), luminance(greenTint))
	apart("the two lines of a panel", luminance(navy), luminance(orangeInk))
	for i := range 100 {
		if a, b := luminance(ramp(float64(i)/100)), luminance(ramp(float64(i+1)/100)); b >= a {
			t.Errorf("the ramp gets lighter at %d %%", i)
		}
	}
	for i := range 101 {
		fill := ramp(float64(i) / 100)
		a, b := luminance(fill), luminance(textOn(fill))
		if (max(a, b)+0.05)/(min(a, b)+0.05) < 3 {
			t.Errorf("text on the ramp at %d %% has a contrast of %.1f", i, (max(a, b)+0.05)/(min(a, b)+0.05))
		}
	}
}

// Coolant stands beside the weather that sets it, with the servers' limit.
func TestCoolantIsDrawn(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 240})
	setColumn(r, "coolant_c", func(i int, _ float64) float64 { return 32 + float64(i%5) })
	r.Layout.Facility.Models[0].CoolantMaxC = 45
	f := thermalFigure(r)
	pn := f.panels[3]
	want := []string{"dry bulb", "wet bulb", "coolant", "coolant limit: 45.0 °C (server)"}
	if pn.header() != "Outdoor air and coolant, °C" || !slices.Equal(series(pn), want) || pn.y.max < 45 {
		t.Errorf("%q with %q up to %v", pn.header(), series(pn), pn.y.max)
	}
	check(t, "thermal", f)
}
