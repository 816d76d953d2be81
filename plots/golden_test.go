package plots

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"headroom/facility/placement"
	"headroom/plots/internal/fixture"
	"headroom/sim"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew from what is drawn")

// dump writes what a figure shows: titles, axes with their ranges and labels, series with their extents, limits, direct
// labels, legends, notes, and every text on the page. Two charts that look alike dump alike.
func dump(t testing.TB, name string, f *figure) string {
	t.Helper()
	num := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	span := func(v ...[]float64) string {
		lo, hi := extent(v...)
		n := 0
		for _, s := range v {
			n = max(n, len(s))
		}
		if lo > hi {
			return fmt.Sprintf("%d points, none finite", n)
		}
		return fmt.Sprintf("%d points, %s to %s", n, num(lo), num(hi))
	}
	var b strings.Builder
	p := check(t, name, f)
	fmt.Fprintf(&b, "title     %s\nsubtitle  %s\n", f.title, f.subtitle)
	for _, pn := range f.panels {
		fmt.Fprintf(&b, "\npanel     %s  [%g %g %g %g]\n", pn.header(), pn.at.x0, pn.at.y0, pn.at.x1, pn.at.y1)
		switch {
		case pn.why != "":
			fmt.Fprintf(&b, "  empty   %s\n", pn.why)
			continue
		case pn.free != nil:
			fmt.Fprintf(&b, "  drawn freely: its texts are below\n")
			continue
		}
		if !pn.x.none {
			fmt.Fprintf(&b, "  x       %s to %s %s %s\n", num(pn.x.min), num(pn.x.max), pn.x.label, pn.x.unit)
		}
		fmt.Fprintf(&b, "  y       %s to %s %s\n", num(pn.y.min), num(pn.y.max), pn.y.unit)
		for _, m := range pn.marks {
			what := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", m), "plots."), "Mark")
			s := ""
			switch m := m.(type) {
			case lineMark:
				s = span(m.ys)
			case dotMark:
				s = span(m.ys)
			case bandMark:
				s = span(m.lo, m.hi)
			case levelMark:
				s = "at " + num(m.y)
			case uprightMark:
				s = "at " + num(m.x)
			case zoneMark:
				s = num(m.lo) + " to " + num(m.hi)
			case rangeMark:
				s = span(m.lo, m.hi)
			case nameMark:
				s = strings.Join(m.names, " ")
			case barsMark:
				for _, part := range m.parts {
					s += part.name + ": " + span(part.v) + "; "
				}
				if anyLimit(m.limit) {
					s += "limit: " + span(m.limit)
				}
			}
			fmt.Fprintf(&b, "  %-7s %s  %s\n", what, m.label(), strings.TrimRight(s, "; "))
		}
		for _, l := range pn.labels {
			fmt.Fprintf(&b, "  label   %s at %s\n", l.text, num(l.y))
		}
		for _, l := range pn.legend {
			fmt.Fprintf(&b, "  legend  %s (%s)\n", l.name, l.as)
		}
	}
	for _, n := range f.notes {
		fmt.Fprintf(&b, "note      %s\n", n)
	}
	b.WriteString("\ntexts\n")
	line := "  "
	for _, s := range texts(p) {
		if len(line)+len(s) > 118 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = "  "
		}
		line += s + " | "
	}
	b.WriteString(strings.TrimRight(line, " |") + "\n")
	return b.String()
}

// TestGolden compares what every chart shows with what it showed, by content and not by pixels: run with -update after
// looking at the pictures.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		r    *sim.Result
	}{
		{"year", fixture.Result(fixture.Options{})},
		{"liquid", liquidFixture()},
	} {
		for _, chart := range Charts() {
			t.Run(c.name+"/"+chart.Name, func(t *testing.T) {
				got := dump(t, chart.Name, chart.build(c.r))
				path := filepath.Join("testdata", c.name+"-"+chart.Name+".txt")
				if *update {
					if err := os.MkdirAll("testdata", 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatalf("%v (run with -update to make it)", err)
				}
				if got != string(want) {
					t.Errorf("%s shows something else (run with -update if that is meant):\n%s", path, firstDifference(got, string(want)))
				}
			})
		}
	}
}

// firstDifference shows the first lines that differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			other := "(end)"
			if i < len(w) {
				other = w[i]
			}
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, g[i], other)
		}
	}
	return "the end is missing"
}

// liquidFixture is ten days of a liquid hall in which one of each thing goes wrong: servers asked for that do not use
// all the room, throttling by several causes, limits passed, a queue.
func liquidFixture() *sim.Result {
	r := fixture.Result(fixture.Options{Racks: 24, Steps: 240, Scenario: "Liquid hall 液冷机房", Variant: "hot water"})
	f := r.Layout.Facility
	f.Models[0].Liquid, f.Models[0].FlowLPM, f.Models[0].CoolantMaxC = true, 10, 45
	setColumn(r, "coolant_c", func(i int, _ float64) float64 { return 32 + 2*math.Sin(float64(i)/9) })
	for i := range r.Layout.Racks {
		fit := &r.Layout.Racks[i]
		fit.LiquidW, fit.AirW = fit.UsedW*8/10, fit.UsedW*2/10
		f.Racks[i].LiquidW, f.Racks[i].AirW = 45000, 16000
		x := &r.Racks[i]
		x.SlowedGPUHours = [sim.SlowCauses]float64{float64(i), 2, float64(i % 3), 5, float64(i % 2), 300}
	}
	lost := placement.Failover{Lost: "utility", State: placement.Lost, WorstLoadShare: math.NaN(), RacksLost: 24, DegradedTo: 1}
	r.Layout.Failover = append(r.Layout.Failover, lost)
	for k := range r.Layout.Failover {
		x := &r.Layout.Failover[k]
		for i := range f.Racks {
			switch {
			case x.State == placement.Lost:
				x.Fates = append(x.Fates, placement.RackFate{Rack: i, State: placement.Lost})
			case x.State == placement.Degraded && i < 6:
				x.Fates = append(x.Fates, placement.RackFate{Rack: i, State: placement.Degraded, Share: 0.7})
			case x.State == placement.RedundancyLost:
				x.Fates = append(x.Fates, placement.RackFate{Rack: i, State: placement.RedundancyLost, Share: 1})
			}
		}
	}
	r.Power[1].LimitW, r.Power[1].OverH, r.Power[1].OverTimes, r.Power[1].OverLongestS = r.Power[1].P95W, 12, 3, 18000
	return r
}
