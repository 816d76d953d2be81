package plots

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// runwayTable is a hall that is full in the second year, of n resources.
func runwayTable(n int) *RunwayTable {
	t := &RunwayTable{
		Scenario: "Hall 2", Basis: "nameplate", ID: "15c6b06b-0000", Model: "dgx-h100", Verdict: "trend, +1.25 servers a month at P50", First: "UPS",
		Start: day(2026, 1, 1), End: day(2028, 12, 31), Notes: []string{"history: 12 figures"},
	}
	for m := range 12 {
		t.History = append(t.History, RunwayPoint{day(2025, time.Month(m+1), 1), 8 + 1.3*float64(m)})
	}
	for d := t.Start; d.Before(t.End); d = d.AddDate(0, 0, 1) {
		x := d.Sub(t.Start).Hours() / 24
		t.Days = append(t.Days, RunwayDay{d, 22 + 0.03*x, 23 + 0.04*x, 24 + 0.05*x, 22})
	}
	for i := range n {
		r := RunwayResource{Name: fmt.Sprintf("resource %d", i), Why: "not within horizon", Admits: []RunwayStep{{t.Start, 40}, {day(2026, 10, 1), math.NaN()}}}
		if i%3 == 0 {
			r.Admits[1].Servers = 52
			r.P10, r.P50, r.P90, r.Why = day(2027, 6, 1), day(2027, 12, 25), day(2028, 9, 1), ""
		}
		t.Resources = append(t.Resources, r)
	}
	t.Resources[0].Name = "all limits"
	return t
}

func TestRunwayChart(t *testing.T) {
	for _, n := range []int{1, 4, 12} {
		p := check(t, fmt.Sprintf("runway of %d", n), runwayFigure(runwayTable(n)))
		for _, want := range []string{"Full on 25 Dec 2027 (P10 1 Jun 2027, P90 1 Sep 2028); first out is UPS", "all limits", "25 Dec 2027", "25 Dec 2027, in 723 days"} {
			if !has(p, want) {
				t.Errorf("%d resources: the chart does not say %q: %q", n, want, texts(p))
			}
		}
	}
	none := runwayTable(4)
	for i := range none.Resources {
		none.Resources[i].P10, none.Resources[i].P50, none.Resources[i].P90, none.Resources[i].Why = time.Time{}, time.Time{}, time.Time{}, "no trend"
	}
	if p := check(t, "no date", runwayFigure(none)); !has(p, "No date on which the hall is full: no trend until 31 Dec 2028") || !has(p, "no trend") {
		t.Errorf("without a date: %q", texts(p))
	}
}

// Bad tables end in a chart that says so, or in a chart without the bad figure; never in a panic or a hang.
func TestRunwayChartOfBadData(t *testing.T) {
	for name, spoil := range map[string]func(*RunwayTable){
		"empty":          func(r *RunwayTable) { *r = RunwayTable{} },
		"ends first":     func(r *RunwayTable) { r.Start, r.End = r.End, r.Start },
		"no days":        func(r *RunwayTable) { r.Days = nil },
		"no resources":   func(r *RunwayTable) { r.Resources = nil },
		"days backwards": func(r *RunwayTable) { r.Days[3].Date = r.Days[1].Date },
		"not finite": func(r *RunwayTable) {
			r.Days[5].High, r.Days[6].Mid, r.History[2].Servers = math.Inf(1), math.NaN(), math.Inf(-1)
		},
		"huge": func(r *RunwayTable) { r.Days[5].High = math.MaxFloat64 },
		"nothing wanted": func(r *RunwayTable) {
			clear(r.History)
			for i := range r.Days {
				r.Days[i] = RunwayDay{Date: r.Days[i].Date}
			}
		},
		"no step":   func(r *RunwayTable) { r.Resources[0].Admits = nil },
		"300 years": func(r *RunwayTable) { r.End = day(2400, 1, 1) },
		"long names": func(r *RunwayTable) {
			r.Scenario, r.Resources[1].Name, r.Model = strings.Repeat("long ", 90), strings.Repeat("name ", 30), strings.Repeat("m", 300)
		},
		"Chinese":          func(r *RunwayTable) { r.Scenario, r.Resources[1].Name = "上海机房", "电源" },
		"out before start": func(r *RunwayTable) { r.Resources[0].P10, r.Resources[0].P50 = day(2020, 1, 1), day(2020, 1, 1) },
		"40 notes":         func(r *RunwayTable) { r.Notes = strings.Split(strings.Repeat("a note,", 40), ",") },
	} {
		r := runwayTable(6)
		spoil(r)
		var buf bytes.Buffer
		if err := DrawRunway(r, "png", &buf); err != nil || buf.Len() < 1000 {
			t.Errorf("%s: %d bytes, %v", name, buf.Len(), err)
		}
	}
	if err := DrawRunway(nil, "png", &bytes.Buffer{}); err == nil {
		t.Error("nothing is drawn without an error")
	}
	if err := DrawRunway(runwayTable(2), "bmp", &bytes.Buffer{}); err == nil {
		t.Error("an unknown format is drawn")
	}
}

func TestRunwayChartIsTheSame(t *testing.T) {
	for _, format := range Formats() {
		var a, b bytes.Buffer
		if err := DrawRunway(runwayTable(7), format, &a); err != nil {
			t.Fatal(err)
		}
		if err := DrawRunway(runwayTable(7), format, &b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s differs from one drawing to the next", format)
		}
	}
}

func BenchmarkRunwayChart(b *testing.B) {
	r := runwayTable(10)
	for b.Loop() {
		if err := DrawRunway(r, "png", &bytes.Buffer{}); err != nil {
			b.Fatal(err)
		}
	}
}
