package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/plots/internal/fixture"
	"headroom/sim"
)

// The traps of planning charts: each gives a correct chart or a panel that says why not; never a hang, a panic or a
// clipped label.
func TestHostileData(t *testing.T) {
	fill := func(v float64) func(*sim.Result) {
		return func(r *sim.Result) { setColumn(r, "*", func(int, float64) float64 { return v }) }
	}
	for name, hurt := range map[string]func(*sim.Result){
		"all NaN":   fill(math.NaN()),
		"all +Inf":  fill(math.Inf(1)),
		"all -Inf":  fill(math.Inf(-1)),
		"all 1e300": fill(1e300),
		"all 9e99":  fill(9e99),
		"all 1e300 but one": func(r *sim.Result) {
			setColumn(r, "*", func(i int, v float64) float64 {
				if i == 3 {
					return v
				}
				return 1e300
			})
		},
		"all 1.7e308":  fill(1.7e308),
		"all -1.7e308": fill(-1.7e308),
		"all 5e-324":   fill(5e-324),
		"all zero":     fill(0),
		"all -1":       fill(-1),
		"all 0.8":      fill(0.8),
		"near constant": func(r *sim.Result) {
			setColumn(r, "*", func(i int, v float64) float64 { return 0.8 + float64(i%2)*1e-16 })
		},
		"±1.7e308 by turns": func(r *sim.Result) {
			setColumn(r, "*", func(i int, v float64) float64 { return 1.7e308 * float64(1-2*(i%2)) })
		},
		"±9e99 by turns": func(r *sim.Result) {
			setColumn(r, "*", func(i int, v float64) float64 { return 9e99 * float64(1-2*(i%2)) })
		},
		"every second NaN": func(r *sim.Result) {
			setColumn(r, "*", func(i int, v float64) float64 {
				if i%2 == 0 {
					return math.NaN()
				}
				return v
			})
		},
		"one infinity": func(r *sim.Result) {
			setColumn(r, "*", func(i int, v float64) float64 {
				if i == 5 {
					return math.Inf(1)
				}
				return v
			})
		},
		"negative parts":   func(r *sim.Result) { setColumn(r, "chillers_w", func(_ int, v float64) float64 { return -v }) },
		"square wave":      func(r *sim.Result) { setColumn(r, "*", func(i int, v float64) float64 { return float64(i % 2) }) },
		"no series":        func(r *sim.Result) { r.Series = nil },
		"empty series":     func(r *sim.Result) { r.Series = &sim.Series{StepS: 3600} },
		"no columns":       func(r *sim.Result) { r.Series.Columns = nil },
		"short columns":    func(r *sim.Result) { r.Series.Columns[0].Values = r.Series.Columns[0].Values[:3] },
		"NaN time":         func(r *sim.Result) { r.Series.StartS[3] = math.NaN() },
		"time goes back":   func(r *sim.Result) { r.Series.StartS[3] = 0 },
		"huge time":        func(r *sim.Result) { r.Series.StartS[len(r.Series.StartS)-1] = 1e250 },
		"NaN step":         func(r *sim.Result) { r.Series.StepS = math.NaN() },
		"no start":         func(r *sim.Result) { r.Run.Start = "yesterday" },
		"NaN length":       func(r *sim.Result) { r.Run.LengthS = math.NaN() },
		"no layout":        func(r *sim.Result) { r.Layout = nil },
		"no facility":      func(r *sim.Result) { r.Layout.Facility = nil },
		"no racks":         func(r *sim.Result) { r.Layout.Racks = nil },
		"no rack results":  func(r *sim.Result) { r.Racks = nil },
		"no power graph":   func(r *sim.Result) { r.Layout.Facility.Power = nil },
		"wrong rack index": func(r *sim.Result) { r.Layout.Racks[0].Rack = 99; r.Layout.Racks[1].Rack = -1; r.Racks[0].Rack = 77 },
		"no rack limits": func(r *sim.Result) {
			for i := range r.Layout.Facility.Racks {
				r.Layout.Facility.Racks[i].PowerW = -1
				r.Layout.Racks[i].FreeW = -1
				r.Layout.Racks[i].Max = nil
			}
		},
		"all racks at one place": func(r *sim.Result) {
			for i := range r.Layout.Facility.Racks {
				r.Layout.Facility.Racks[i].XM, r.Layout.Facility.Racks[i].YM = 0, 0
			}
		},
		"racks at NaN":   func(r *sim.Result) { r.Layout.Facility.Racks[2].XM = math.NaN() },
		"racks far away": func(r *sim.Result) { r.Layout.Facility.Racks[2].XM = 1e300 },
		"inlets NaN": func(r *sim.Result) {
			for i := range r.Racks {
				r.Racks[i].InletMaxC = math.NaN()
			}
		},
		"inlets infinite": func(r *sim.Result) { r.Racks[0].InletMaxC = math.Inf(1); r.Racks[1].InletMaxC = 1e305 },
		"nothing placed": func(r *sim.Result) {
			r.Capacity.ServersPlaced, r.Capacity.RacksUsed, r.Layout.Servers = 0, 0, nil
			for i := range r.Layout.Racks {
				r.Layout.Racks[i].Servers, r.Layout.Racks[i].UsedW = 0, 0
			}
		},
		"2,000-rune title": func(r *sim.Result) { r.Run.Scenario = strings.Repeat("长名字 long name ", 150) },
		"2,000-rune names": func(r *sim.Result) {
			for i := range r.Layout.Facility.Racks {
				r.Layout.Facility.Racks[i].ID = strings.Repeat("R", 2000)
				r.Layout.Facility.Racks[i].Row = strings.Repeat("一", 2000)
			}
			r.Capacity.Binding[0].Where = strings.Repeat("w", 2000)
			r.Energy.PUECategory = strings.Repeat("c", 2000)
		},
		"control characters": func(r *sim.Result) { r.Run.Scenario = "a\x00b\nc\td\u202ee\xff" },
		"no totals": func(r *sim.Result) {
			nan := sim.Num(math.NaN())
			r.Energy = sim.Energy{FacilityKWh: nan, ITKWh: nan, PeakFacilityW: nan, PeakITW: nan, PUE: nan}
			r.Compute = sim.Compute{GPUHoursBusy: nan, GPUHoursEffective: nan, ThroughputRatio: nan, Utilization: nan}
			r.Thermal = sim.Thermal{ThrottledGPUHours: nan, ThrottledShare: nan}
			r.Jobs.WaitS = sim.Wait{P50: nan, P95: nan}
			r.Capacity.Binding = nil
		},
		"wild totals": func(r *sim.Result) {
			inf := sim.Num(math.Inf(1))
			r.Energy.PeakFacilityW, r.Energy.PUE, r.Energy.ITKWh = 1e305, 1e305, inf
			r.Thermal.GPUC.Max, r.Capacity.Stranded.PowerW = inf, inf
		},
		"many bindings": func(r *sim.Result) {
			for range 60 {
				r.Capacity.Binding = append(r.Capacity.Binding, r.Capacity.Binding[0])
			}
		},
		"zero result": func(r *sim.Result) { *r = sim.Result{} },
	} {
		t.Run(name, func(t *testing.T) {
			for _, steps := range []int{30, 60 * 24} { // as steps, and in bins
				r := fixture.Result(fixture.Options{Steps: steps})
				hurt(r)
				for _, c := range Charts() {
					if steps > 60 && slices.Contains([]string{"fit", "placement", "elevation", "cooling", "oneline", "failover", "waterfall", "phase", "throttle", "inlets", "oversub", "ride-through"}, c.Name) {
						continue // it reads no series
					}
					f := c.build(r)
					for _, pn := range f.panels {
						if pn.free != nil || pn.why != "" {
							continue
						}
						for _, a := range []axis{pn.x, pn.y} {
							if !(a.max > a.min) || math.Abs(a.min) > 1e4*largest || math.Abs(a.max) > 1e4*largest {
								t.Errorf("%s, %s: axis from %v to %v", c.Name, pn.title, a.min, a.max)
							}
						}
					}
					check(t, c.Name, f)
				}
			}
			// The rasterizer itself, where its arithmetic was at risk; the rest differs in nothing it sees.
			if slices.Contains([]string{"all 1.7e308", "±9e99 by turns", "square wave", "zero result"}, name) {
				r := fixture.Result(fixture.Options{Steps: 60 * 24})
				hurt(r)
				for _, c := range Charts() {
					render(t, c, r, "png")
				}
			}
		})
	}
}

// Any series at all: nothing hangs, panics, or leaves the page.
func TestAnySeries(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := fixture.Result(fixture.Options{
			Racks: rapid.IntRange(1, 60).Draw(rt, "racks"), Steps: rapid.IntRange(1, 60).Draw(rt, "steps"),
			StepS: rapid.Float64Range(0.01, 1e6).Draw(rt, "step"),
		})
		// "%!" is what check takes for a broken format.
		r.Run.Scenario = strings.ReplaceAll(rapid.String().Draw(rt, "name"), "%", "")
		values := rapid.SliceOfN(rapid.Float64(), 1, 20).Draw(rt, "values")
		setColumn(r, "*", func(i int, _ float64) float64 { return values[i%len(values)] })
		c := rapid.SampledFrom(Charts()).Draw(rt, "chart")
		check(failer{t, rt}, c.Name, c.build(r))
	})
}

// failer hands failures to rapid so that it shrinks them.
type failer struct {
	testing.TB
	rt *rapid.T
}

func (f failer) Errorf(format string, args ...any) { f.rt.Fatalf(format, args...) }
func (f failer) Fatalf(format string, args ...any) { f.rt.Fatalf(format, args...) }
