package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/placement"
	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/internal/fixture"
	"headroom/sim"
)

// figures are the charts of a run as a report sets them, each of a pixel.
func figures() []*document.Figure {
	var out []*document.Figure
	for _, c := range plots.Charts() {
		out = append(out, Chart(c, "charts/"+c.File, "png", func() ([]byte, error) { return []byte("picture"), nil }))
	}
	return out
}

func markdown(t testing.TB, r *sim.Result) string {
	t.Helper()
	var b bytes.Buffer
	d, err := Document(r, Options{Charts: figures()})
	if err != nil {
		t.Fatal(err)
	}
	if err := document.WriteMarkdown(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rowsOf returns the cells of the table under the first header line that starts with head.
func rowsOf(t *testing.T, md, head string) [][]string {
	t.Helper()
	_, rest, ok := strings.Cut(md, "| "+head)
	if !ok {
		t.Fatalf("no table starts with %q", head)
	}
	var rows [][]string
	for i, line := range strings.Split(rest, "\n") {
		if i < 2 {
			continue
		}
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		rows = append(rows, cells)
	}
	return rows
}

func TestMarkdownOpensWithTheAnswer(t *testing.T) {
	md := markdown(t, fixture.Result(fixture.Options{Scenario: "上海一号机房 48 kW 风冷", Variant: "air"}))
	if !strings.HasPrefix(md, "# 上海一号机房 48 kW 风冷, variant air\n\n## Answer\n\n**48 servers** (384 GPUs) fit in 12 of 12 racks.") {
		t.Errorf("opens with:\n%.300s", md)
	}
	answer, _, _ := strings.Cut(md, "## Limits")
	for _, want := range []string{
		"Rack power stops the next one in 12 racks, short by 3.00 kW.", "86.4 kW of rack power is stranded",
		"Not every limit is held", "(PUE3, IT metered at the servers' cords) over 365 d (1 January 2026 to 31 December 2026)",
		"96.8 % of what the same GPUs would do", "First thing to change: raise rack power from 48 kW to 52 kW",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer lacks %q", want)
		}
	}
	for _, c := range figures() {
		if n := strings.Count(md, "]("+c.Path+")"); n != 1 {
			t.Errorf("chart %s is set %d times, want once", c.Path, n)
		}
	}
	for _, want := range []string{"seed: 1", "run: 3f8a2c1e-90ab-5cde-8f01-23456789abcd", "version: 0.1.0", "basis: planned", "100 % of its hours covered"} {
		if !strings.Contains(md, want) {
			t.Errorf("the footer lacks %q", want)
		}
	}
}

// Limits that tie are all named: raising the first alone admits nothing.
func TestTiesAreNamed(t *testing.T) {
	r := fixture.Result(fixture.Options{})
	r.Capacity.Binding[0].Also = string(placement.Air)
	if md := markdown(t, r); !strings.Contains(md, "Rack power and air cooling stop the next one in 12 racks, short by 3.00 kW.") {
		t.Errorf("the answer names one of two:\n%.600s", md)
	}
	for _, row := range summary(r) {
		if row[0] == "stopped by" && !strings.HasPrefix(row[1], "rack power and air cooling, 12 racks, short by 3.00 kW") {
			t.Errorf("stopped by %q", row[1])
		}
	}
}

func TestMarkdownIsTidy(t *testing.T) {
	for name, r := range hostile() {
		md := markdown(t, r)
		for _, bad := range []string{"NaN", "Inf", "%!", "\t", "<nil>"} {
			if strings.Contains(md, bad) {
				t.Errorf("%s: the report holds %q", name, bad)
			}
		}
		if i := strings.Index(md, "  "); i >= 0 {
			t.Errorf("%s: two spaces in %q", name, md[max(0, i-30):min(len(md), i+30)])
		}
		// Every row of a table has as many cells as its heading: a | in a name must not split one.
		cells := 0
		for i, line := range strings.Split(md, "\n") {
			if !strings.HasPrefix(line, "|") {
				cells = 0
				continue
			}
			n := len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(line, -1))
			if cells == 0 {
				cells = n
			}
			if n != cells {
				t.Errorf("%s: line %d has %d bars, its table %d: %s", name, i+1, n, cells, line)
			}
		}
	}
}

// hostile are results that a report must survive: nothing in them, and figures and names of the worst kind.
func hostile() map[string]*sim.Result {
	empty := &sim.Result{}
	nothing := fixture.Result(fixture.Options{Steps: 48})
	nan := sim.Num(math.NaN())
	nothing.Energy = sim.Energy{FacilityKWh: nan, ITKWh: nan, UPSLossKWh: nan, PUE: nan, PeakFacilityW: sim.Num(math.Inf(1)), PUE1: nan, TUE: nan}
	nothing.Capacity.Failover = nil
	nothing.Capacity.Binding = nil
	nothing.Layout, nothing.Racks, nothing.Actions = nil, nil, nil
	nothing.Thermal = sim.Thermal{ThrottledGPUHours: nan, ThrottledShare: nan, HoursOverAllowable: nan, HoursOverRecommended: sim.Num(math.Inf(-1))}
	names := fixture.Result(fixture.Options{Steps: 48, Scenario: "a | b  <script> *x* _y_ [z](w) `c`\n# d \\| e", Variant: strings.Repeat("長い", 500)})
	names.Layout.Facility.Racks[0].ID = "A|01\n"
	names.Capacity.Failover[0].Lost = "ups | [A]  "
	names.Jobs.ByClass[0].Class = "||"
	names.Actions[0].Change = "  a\tb | c  "
	names.Run.Warnings = []string{"line 1\nline 2 | *b*"}
	many := fixture.Result(fixture.Options{Racks: 300, PerRow: 3, Steps: 48})
	for i := range 200 {
		many.Capacity.Failover = append(many.Capacity.Failover, sim.Failover{Lost: fmt.Sprintf("unit %d", i), State: "normal", WorstLoadShare: sim.Num(float64(i) / 100)})
	}
	return map[string]*sim.Result{"empty": empty, "nothing": nothing, "names": names, "many": many}
}

func TestUnknownIsNeverPassOrZero(t *testing.T) {
	r := hostile()["nothing"]
	md := markdown(t, r)
	for _, want := range []string{"PUE is unknown", "What stops the next one is unknown.", "Throttling is unknown.", "Unknown: no loss was judged."} {
		if !strings.Contains(md, want) {
			t.Errorf("lacks %q", want)
		}
	}
	for _, v := range Limits(r) {
		switch v.Limit {
		case "no GPU throttles", "inlets within the allowable range", "peak facility power", "energy of the parts adds up", "load of every survivor after any single loss":
			if v.State != Unknown {
				t.Errorf("%s: %s with nothing known", v.Limit, v.State)
			}
		}
	}
	for _, row := range rowsOf(t, md, "part | energy") {
		if row[0] == "IT" && (row[1] != "unknown" || row[2] != "unknown") {
			t.Errorf("IT energy reads %v", row)
		}
	}
}

func TestVerdicts(t *testing.T) {
	r := fixture.Result(fixture.Options{})
	state := func(limit string) string {
		for _, v := range Limits(r) {
			if v.Limit == limit {
				return v.State
			}
		}
		return "absent"
	}
	for limit, want := range map[string]string{
		"rack power at planned power": Pass, "rack space": Pass, "rack weight": Unknown,
		"rack liquid cooling at planned power":         "absent", // no liquid, no limit: nothing to judge
		"load of every survivor after any single loss": Fail,
		"redundancy of ups":                            Pass,
		"redundancy of cooling.air":                    Fail,
		"peak facility power on the utility":           Pass,
		"planned load on the UPS, one side lost":       Pass,
		"inlets within the allowable range":            Fail,
		"every submitted job accounted for":            Pass,
		"energy of the parts adds up":                  Pass,
	} {
		if got := state(limit); got != want {
			t.Errorf("%s: %s, want %s", limit, got, want)
		}
	}
	r.Jobs.Lost--
	r.Energy.OtherKWh++
	r.Layout.Racks[3].UsedW = 48001
	r.Run.Coverage = 0.99
	for _, limit := range []string{"every submitted job accounted for", "rack power at planned power", "weather covers the run"} {
		if got := state(limit); got != Fail {
			t.Errorf("%s broken: %s, want FAIL", limit, got)
		}
	}
	r.Energy.OtherKWh += 10
	if got := state("energy of the parts adds up"); got != Fail {
		t.Errorf("energy that does not add up: %s", got)
	}
	r.Layout.Racks[3].UsedW = 48000 // exactly full
	if got := state("rack power at planned power"); got != Pass {
		t.Errorf("exactly full: %s", got)
	}
}

// The tables can be added up by hand: energy by part, racks by group, jobs by bucket.
func TestTablesAddUp(t *testing.T) {
	md := markdown(t, fixture.Result(fixture.Options{Racks: 30, PerRow: 12}))
	number := func(s string) int {
		n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	rows := rowsOf(t, md, "part | energy")
	sum := 0
	for _, row := range rows[:len(rows)-2] {
		sum += number(row[2])
	}
	if total := number(rows[len(rows)-1][2]); sum < total-5 || sum > total+5 { // each part is rounded to a kWh
		t.Errorf("parts add up to %d, facility is %d", sum, total)
	}
	racks := 0
	groups := rowsOf(t, md, "racks | number")
	for _, row := range groups[:len(groups)-1] {
		racks += number(row[1])
	}
	if all := number(groups[len(groups)-1][1]); racks != all || all != 30 {
		t.Errorf("groups hold %d racks, the last line says %d", racks, all)
	}
	for _, row := range rowsOf(t, md, "class | submitted") {
		n := 0
		for _, cell := range row[2:9] {
			n += number(cell)
		}
		if n != number(row[1]) || n != number(row[9]) {
			t.Errorf("jobs of %s: %d in buckets, %s submitted, %s accounted for", row[0], n, row[1], row[9])
		}
	}
}

func TestRackTableSplitsWhereRacksDiffer(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24})
	r.Layout.Racks[5].Servers, r.Layout.Racks[5].Binding = 3, placement.Feed
	rows := rowsOf(t, markdown(t, r), "racks | number")
	var names []string
	for _, row := range rows {
		names = append(names, row[0]+" "+row[len(row)-1])
	}
	want := []string{"A01–A05 rack power", "A06 rack feed", "A07–A12 rack power", "**all** "}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestJSON(t *testing.T) {
	for name, r := range hostile() {
		var a, b bytes.Buffer
		if err := JSON(&a, r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two writings differ", name)
		}
		if !json.Valid(a.Bytes()) || !bytes.HasSuffix(a.Bytes(), []byte("}\n")) {
			t.Errorf("%s: no valid JSON with a newline at its end", name)
		}
		for _, key := range []string{"warnings", "extrapolations", "approximations", "binding", "failover", "cost", "by_class", "actions"} {
			if bytes.Contains(a.Bytes(), []byte(`"`+key+`": null`)) {
				t.Errorf("%s: %s is null, want an empty list", name, key)
			}
		}
	}
	r := hostile()["nothing"]
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if !strings.Contains(s, `"pue": null`) || !strings.Contains(s, `"peak_facility_w": null`) {
		t.Error("an unknown figure is not null")
	}
	order := []string{`"format_version"`, `"run"`, `"capacity"`, `"energy"`, `"compute"`, `"thermal"`, `"jobs"`, `"actions"`}
	last := -1
	for _, k := range order {
		i := strings.Index(s, "\n  "+k)
		if i <= last {
			t.Errorf("key %s does not follow the one before it", k)
		}
		last = i
	}
}

func TestSeriesCSV(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 100, StepS: 0.25})
	r.Series.Columns[3].Values[7] = 1.0 / 3
	r.Series.Columns[4].Values[7] = math.Inf(1)
	var b bytes.Buffer
	if err := SeriesCSV(&b, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 101 || rows[0][0] != "time" || rows[0][1] != "facility_w" || len(rows[0]) != 32 {
		t.Fatalf("%d rows, heading %v", len(rows), rows[0])
	}
	if rows[8][0] != "2026-01-01T00:00:01.750" || rows[9][0] != "2026-01-01T00:00:02" {
		t.Errorf("times %s, %s", rows[8][0], rows[9][0])
	}
	if rows[8][5] != "" {
		t.Errorf("an infinite cell reads %q", rows[8][5])
	}
	for k, c := range r.Series.Columns {
		for i, v := range c.Values {
			cell := rows[i+1][k+1]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				if cell != "" {
					t.Fatalf("%s[%d] has no figure and reads %q", c.Name, i, cell)
				}
				continue
			}
			if got, err := strconv.ParseFloat(cell, 64); err != nil || got != v {
				t.Fatalf("%s[%d] = %v reads back as %v (%v)", c.Name, i, v, got, err)
			}
		}
	}
	r.Series.Columns[0].Values = r.Series.Columns[0].Values[:50]
	if err := SeriesCSV(&b, r); err == nil || !strings.Contains(err.Error(), "facility_w") {
		t.Errorf("a short column: %v", err)
	}
	r.Series = nil
	if err := SeriesCSV(&b, r); err == nil {
		t.Error("no series: no error")
	}
}

func TestRacksCSV(t *testing.T) {
	r := &sim.Result{
		Layout: &placement.Layout{Facility: &facility.Facility{Racks: []facility.Rack{{ID: "A01", Row: "A"}, {ID: "A02", Row: "A", Room: -1}}, Cooling: cooling.System{Rooms: []cooling.Room{{Name: "hall"}}}}},
		Air:    sim.AirClass{Name: "A2"},
		Racks:  []sim.RackResult{{Rack: 0, MeanW: 40e3, PeakW: 48e3, InletMeanC: 24.5, InletMaxC: 28, GPUMaxC: 71, HoursOverRecommended: 12.5}, {Rack: 1, InletMeanC: math.NaN(), InletMaxC: math.NaN(), GPUMaxC: math.NaN()}},
	}
	var b bytes.Buffer
	if err := RacksCSV(&b, r); err != nil {
		t.Fatal(err)
	}
	const want = `rack,room,row,mean_w,peak_w,inlet_mean_c,inlet_max_c,gpu_max_c,throttled_gpu_hours,air_class,hours_over_recommended,hours_over_allowable
A01,hall,A,40000,48000,24.5,28,71,0,A2,12.5,0
A02,,A,0,0,,,,0,A2,0,0
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestEventsCSV(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24})
	r.Events = append(r.Events, sim.LogEntry{AtS: 3600.5, Kind: "lost", Entity: `ups "A", left`, Detail: "x\ny"})
	var b bytes.Buffer
	if err := EventsCSV(&b, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rows[len(rows)-1], []string{"2026-01-01T01:00:00.500", "3600.5", "lost", `ups "A", left`, "x\ny"}; !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(rows) != 5 || rows[1][0] != "2026-04-11T00:00:00" {
		t.Errorf("%d rows, first %v", len(rows), rows[1])
	}
}

func TestTableFitsTheWidth(t *testing.T) {
	results := hostile()
	results["fixture"] = fixture.Result(fixture.Options{Scenario: "上海一号机房 48 kW 风冷"})
	for name, r := range results {
		rapid.Check(t, func(rt *rapid.T) {
			width := rapid.IntRange(-5, 200).Draw(rt, "width")
			var b bytes.Buffer
			if err := Table(&b, r, width); err != nil {
				rt.Fatal(err)
			}
			want := width
			if width <= 0 {
				want = usualWidth
			}
			want = max(want, leastWidth)
			for _, line := range strings.Split(b.String(), "\n") {
				if w := runewidth.StringWidth(line); w > want {
					rt.Fatalf("%s: %d columns in %d: %s", name, w, want, line)
				}
				if strings.HasSuffix(line, " ") || strings.Contains(line, "NaN") {
					rt.Fatalf("%s: %q", name, line)
				}
			}
		})
	}
	var b bytes.Buffer
	if err := Table(&b, results["fixture"], 100); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n < 10 || n > 22 {
		t.Errorf("%d lines at 100 columns:\n%s", n, b.String())
	}
}

func BenchmarkSeriesCSV(b *testing.B) {
	r := fixture.Result(fixture.Options{})
	var buf bytes.Buffer
	for b.Loop() {
		buf.Reset()
		if err := SeriesCSV(&buf, r); err != nil {
			b.Fatal(err)
		}
	}
}

// Losses that differ in nothing but their names share a line; the count says how many.
func TestLossesAlikeShareALine(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24})
	r.Layout.Failover, r.Capacity.Failover = nil, nil
	add := func(lost, state string, share float64, racks int) {
		r.Layout.Failover = append(r.Layout.Failover, placement.Failover{Lost: lost, State: state, WorstLoadShare: share, Worst: "B of " + lost, Racks: racks})
		r.Capacity.Failover = append(r.Capacity.Failover, sim.Failover{Lost: lost, State: state, WorstLoadShare: sim.Num(share)})
	}
	add("utility", "lost", math.NaN(), 12)
	for i := range 12 {
		add(fmt.Sprintf("A%02d.A", i+1), "degraded", 0.724, 1)
	}
	add("ups-1", "redundancy lost", 0.6, 12)
	add("ups-2", "redundancy lost", 0.6, 12)
	var got [][]string
	for _, row := range rowsOf(t, markdown(t, r), "lost | state") {
		got = append(got, []string{row[0], row[2]})
	}
	want := [][]string{{"utility", "unknown"}, {"A01.A … A12.A, each of 12", "72.4 %"}, {"ups-1", "60.0 %"}, {"ups-2", "60.0 %"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, v := range Limits(r) {
		if v.Limit == "load of every survivor after any single loss" && (v.State != Pass || !strings.Contains(v.Note, "nothing is left after the loss of utility")) {
			t.Errorf("%+v", v)
		}
	}
}

// A part that is unknown leaves the sum to the others: enough, too little to tell, or too much.
func TestEnergyWithAnUnknownPart(t *testing.T) {
	for add, want := range map[float64]string{0: Pass, -1000: Unknown, 1000: Fail} {
		r := fixture.Result(fixture.Options{Steps: 240})
		r.Energy.OtherKWh += r.Energy.HumidificationKWh + sim.Num(add)
		r.Energy.HumidificationKWh = sim.Num(math.NaN())
		for _, v := range Limits(r) {
			if v.Limit == "energy of the parts adds up" && (v.State != want || !strings.HasPrefix(v.Note, "unknown: humidification")) {
				t.Errorf("%+v kWh: %+v, want %s", add, v, want)
			}
		}
	}
}

// The report of a placement opens with the answer and says nothing of what only a run can know.
func TestPlanReport(t *testing.T) {
	r := fixture.Result(fixture.Options{Steps: 24})
	d, err := Plan(r, Options{Used: []Used{
		{"servers x", "mass", "130", "kg", "datasheet", "a guide"},
		{"servers x", "fan", "800", "W", "assumed", "a choice | of ours"},
		{"servers x", "height", "8", "U", "datasheet", "a guide"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := document.WriteMarkdown(&b, d); err != nil {
		t.Fatal(err)
	}
	md := b.String()
	for _, want := range []string{
		"## Answer\n\n**48 servers** (384 GPUs) fit in 12 of 12 racks.", "nothing is simulated", "planned load on the", "of 3 figures used, 1 assumed, 2 datasheet",
		"| assumed | servers x | fan 800 W | a choice \\| of ours |\n| datasheet | servers x | mass 130 kg; height 8 U | a guide |", "**Failover load**", "placement only",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("lacks %q", want)
		}
	}
	for _, bad := range []string{"PUE", "peak facility power", "throttle", "submitted", "seed:"} {
		if strings.Contains(md, bad) {
			t.Errorf("a placement's report speaks of %q", bad)
		}
	}
	if _, err := Plan(&sim.Result{}, Options{}); err == nil {
		t.Error("no placement: no error")
	}
}
