package netbox

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/scenarios"
)

var options = Options{Model: "dgx-h100", ServerU: 8}

// export reads a folder under testdata; file names are those of the folder, so that golden files do not
// depend on where the tests run.
func export(t testing.TB, dir string) []File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", dir, "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(names), err)
	}
	var files []File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{filepath.Base(name), data})
	}
	return files
}

type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// building loads what an import wrote.
func building(t tester, yaml []byte) *facility.Facility {
	t.Helper()
	sc, err := scenarios.Load("import.yaml", yaml, scenarios.Options{})
	if err != nil {
		t.Fatalf("what was written does not load: %v\n%s", err, yaml)
	}
	f, err := sc.Build()
	if err != nil {
		t.Fatalf("%v\n%s", err, yaml)
	}
	return f
}

// The two exports with all that is said of them, as a user sees it. UPDATE_GOLDEN=1 rewrites.
func TestGolden(t *testing.T) {
	for _, dir := range []string{"csv", "json"} {
		r, err := Convert(export(t, dir), options)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		b.Write(r.Scenario)
		for _, p := range r.Problems {
			fmt.Fprintf(&b, "## %s\n", p)
		}
		for _, a := range r.Assumed {
			fmt.Fprintf(&b, "## assumed: %s\n", a)
		}
		fmt.Fprintf(&b, "## %+v\n", r.Counts)
		golden := filepath.Join("testdata", dir+".golden")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", dir, b.Bytes(), want)
		}
	}
}

// What is written is placed, with the figures that follow by hand.
func TestImportedHallIsPlaced(t *testing.T) {
	r, err := Convert(export(t, "csv"), options)
	if err != nil {
		t.Fatal(err)
	}
	f := building(t, r.Scenario)
	l, err := placement.Place(f)
	if err != nil {
		t.Fatal(err)
	}
	// A01 and A02: 3 × 230 V × 32 A × 80 % = 17,664 VA after the loss of one side, and 20 kW of air, hold one
	// server of 10.2 kW beside what stands there. A03: 1,440 VA hold none. B01: √3 × 400 V × 32 A × 80 % hold one.
	want := map[string]int{"A01": 1, "A02": 1, "A03": 0, "B01": 1}
	for _, fit := range l.Racks {
		id := f.Racks[fit.Rack].ID
		if fit.Servers != want[id] {
			t.Errorf("%s holds %d, want %d", id, fit.Servers, want[id])
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("racks without an answer: %v", want)
	}
	for _, c := range []struct {
		rack     string
		reserveU int
		reserveW int64
		frameKg  float64
		va       int64
	}{
		{"A01", 1, 360, 160, 17664},
		{"A02", 1, 700, 160, 17664},
		{"A03", 10, 0, 150, 1440}, // 18 and 19 free units around U20 to U23 hold two servers each
		{"B01", 1, 0, 150, 17736},
	} {
		i := slices.IndexFunc(f.Racks, func(r facility.Rack) bool { return r.ID == c.rack })
		k := f.Racks[i]
		if k.ReserveU != c.reserveU || k.ReserveW != c.reserveW || k.FrameKg != c.frameKg {
			t.Errorf("%s: %dU, %d W, %g kg; want %+v", c.rack, k.ReserveU, k.ReserveW, k.FrameKg, c)
		}
		if va := f.Power.CapacityVA(k.Feeds[0], 1); va != c.va {
			t.Errorf("%s: a circuit of %d VA, want %d", c.rack, va, c.va)
		}
	}
}

// 230 V, 32 A, three phases, 80 %: 17.66 kW to neutral; NetBox's √3 basis gives 10.20, 400 V between lines 17.74
// (netbox#8738). 120 V, 15 A, 80 %: 1,440 W (netbox#11041).
func TestFeedRatings(t *testing.T) {
	for _, c := range []struct {
		volts, amps string
		phase       string
		basis       string
		usableVA    float64
	}{
		{"230", "32", "three-phase", "", 17664},
		{"230", "32", "three-phase", "L-L", 10198.5},
		{"400", "32", "three-phase", "", 17736.2},
		{"400", "32", "three-phase", "L-N", 30720},
		{"415", "32", "three-phase", "", 18401.3},
		{"208", "30", "three-phase", "", 8646.4},
		{"120", "15", "single-phase", "", 1440},
		{"230", "16", "single-phase", "", 2944},
	} {
		files := []File{
			{"racks.csv", []byte("name,site,u_height\nX1,S,42\n")},
			{"power-feeds.csv", []byte("name,power_panel,rack,phase,voltage,amperage,max_utilization\nF,P,X1," + c.phase + "," + c.volts + "," + c.amps + ",80\n")},
		}
		o := options
		o.Voltage = c.basis
		r, err := Convert(files, o)
		if err != nil {
			t.Fatal(err)
		}
		f := building(t, r.Scenario)
		if va := f.Power.CapacityVA(f.Racks[0].Feeds[0], 1); math.Abs(float64(va)-c.usableVA) > 1 {
			t.Errorf("%s V %s A %s %s: %d VA, want %.1f", c.volts, c.amps, c.phase, c.basis, va, c.usableVA)
		}
		if c.phase == "three-phase" && !slices.ContainsFunc(r.Assumed, func(a string) bool { return strings.Contains(a, "taken as line to") }) {
			t.Errorf("%s V: nothing is said of the basis: %q", c.volts, r.Assumed)
		}
	}
}

func TestRefused(t *testing.T) {
	racksFile := File{"racks.csv", []byte("name,site,u_height\nX1,S,42\n")}
	for _, c := range []struct {
		file File
		want string
	}{
		{File{"devices.csv", []byte("name,rack\n\"a,b\n")}, "devices.csv:2: not CSV"},
		{File{"devices.csv", []byte("name,rack\na,b,c\n")}, "devices.csv:2: 3 fields under 2 headings"},
		{File{"devices.csv", []byte("name,Name\na,b\n")}, `devices.csv:1: the column "Name" stands twice`},
		{File{"devices.json", []byte("[\n{\"name\": \"a\"},\n{\"name\": }\n]")}, "devices.json:3: not JSON"},
		{File{"devices.json", []byte("[{\"name\": \"a\"}, 3]")}, "devices.json:1: want a list of objects"},
		{File{"devices.json", []byte("{\"count\": 900,\n\"next\": \"https://x/?offset=50\", \"results\": []}")}, "devices.json:2: one page of several"},
		{File{"devices.json", []byte("[] []")}, "more than one value"},
		{File{"devices.csv", []byte("name,rack\n\xff,b\n")}, "not UTF-8"},
	} {
		if r, err := Convert([]File{racksFile, c.file}, options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, %v; want %q", c.file.Data, r, err, c.want)
		}
	}
	if _, err := Convert(nil, options); err == nil || !strings.Contains(err.Error(), "no rack to import") {
		t.Errorf("nothing is imported: %v", err)
	}
}

// The tables of NetBox export other headings than its forms import.
func TestTableHeadings(t *testing.T) {
	r, err := Convert([]File{
		{"netbox_racks.csv", []byte("Name,Site,Location,Status,Facility ID,Height,Max Weight\nR1,DC,Hall,Active,,42U,1000 kg\n")},
		{"netbox_power feeds.csv", []byte("Name;Power Panel;Rack;Status;Type;Supply;Voltage;Amperage;Phase;Max Utilization;Available power (VA)\nF1;P1;R1;Active;Primary;AC;400;16;Three-phase;100%;11085\n")},
		{"netbox_devices.csv", []byte("Name,Status,Site,Rack,Role,Type,Position (U),U Height\nsw,Active,DC,R1,Switch,X,42,1.0\n")},
		{"netbox_power ports.csv", []byte("Name,Device,Type,Maximum draw (W),Allocated draw (W)\nPS1,sw,C14,200,150\n")},
	}, options)
	if err != nil {
		t.Fatal(err)
	}
	f := building(t, r.Scenario)
	if va := f.Power.CapacityVA(f.Racks[0].Feeds[0], 1); va != 11085 {
		t.Errorf("the circuit carries %d VA, NetBox says 11,085", va)
	}
	if k := f.Racks[0]; k.ReserveW != 150 || k.ReserveU != 1 || k.LoadKg != 1000 || k.ID != "R1" {
		t.Errorf("%+v", k)
	}
	if len(r.Problems) > 0 {
		t.Errorf("problems: %v", r.Problems)
	}
}

// Racks of one name in two locations are two racks; a reference that does not say which is told, not guessed.
func TestSameNames(t *testing.T) {
	r, err := Convert([]File{
		{"racks.csv", []byte("name,site,location,u_height\nR1,DC,North,42\nR1,DC,South,48\nR1,DC,South,48\n")},
		{"devices.csv", []byte("name,device_type,site,location,rack,position,u_height\na,X,DC,South,R1,1,2\nb,X,DC,,R1,1,2\nc,X,DC,,R9,1,2\n")},
	}, options)
	if err != nil {
		t.Fatal(err)
	}
	f := building(t, r.Scenario)
	got := fmt.Sprint(f.Racks[0].ID, " ", f.Racks[0].ReserveU, ", ", f.Racks[1].ID, " ", f.Racks[1].ReserveU)
	if got != "DC North R1 0, DC South R1 2" {
		t.Errorf("racks %s", got)
	}
	all := fmt.Sprint(r.Problems)
	for _, want := range []string{"racks.csv:4: rack R1 stands twice", "devices.csv:3: the rack R1 can be any of 2", "devices.csv:4: the rack R9 is not among those imported"} {
		if !strings.Contains(all, want) {
			t.Errorf("not told: %s\n%s", want, all)
		}
	}
}

// One site of several: what belongs to the others is not told as missing.
func TestOneSite(t *testing.T) {
	files := []File{
		{"racks.csv", []byte("name,site,location,u_height\nA1,DC1,North,42\nA2,DC1,South,42\nB1,DC2,,42\n")},
		{"devices.csv", []byte("name,device_type,site,location,rack,position,u_height\na,X,DC1,North,A1,1,2\nb,X,DC2,,B1,1,2\n")},
		{"power-ports.csv", []byte("device,name,allocated_draw\na,P,100\nb,P,100\n")},
		{"power-feeds.csv", []byte("name,power_panel,rack,voltage,amperage\nf1,P,A1,230,16\nf2,P,A1,230,16\nf3,P,B1,230,16\n")},
	}
	for _, c := range []struct {
		site, location string
		racks          int
	}{{"", "", 2}, {"DC1", "", 1}, {"dc1", "north", 1}, {"DC2", "", 1}} {
		o := options
		o.Site, o.Location = c.site, c.location
		r, err := Convert(files, o)
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, p := range r.Problems {
			if !strings.Contains(p.Text, "no feed that can be used") { // A2
				told++
			}
		}
		if n := len(building(t, r.Scenario).Racks); n != c.racks || told > 0 {
			t.Errorf("%q %q: %d racks, want %d; %v", c.site, c.location, n, c.racks, r.Problems)
		}
		phases := 0
		for _, a := range r.Assumed {
			if strings.Contains(a, "no phase") {
				phases++
			}
		}
		if phases != 1 {
			t.Errorf("%d lines on feeds without a phase, want one for all", phases)
		}
	}
}

func TestFreeU(t *testing.T) {
	for _, c := range []struct {
		taken   string // from the lowest unit: # is taken
		loose   int
		free    int
		explain string
	}{
		{"................", 0, 16, "an empty rack"},
		{".......#........", 0, 8, "7 and 8 units hold one server of 8U"},
		{"........#........", 0, 16, "8 and 8 hold two"},
		{"...#....", 0, 4, "no gap holds one: the largest is told"},
		{"........#........", 1, 8, "a device without a place takes from the largest gap"},
		{"########", 0, 0, "a full rack"},
		{"..", 5, 0, "more than there is"},
	} {
		k := &rack{looseU: c.loose}
		for _, r := range c.taken {
			k.taken = append(k.taken, r == '#')
		}
		if free, _ := k.freeU(8); free != c.free {
			t.Errorf("%s with %d loose: %d free, want %d: %s", c.taken, c.loose, free, c.free, c.explain)
		}
	}
}

// A hall made up at random comes back: every rack with a feed, every circuit at V·A·utilization, every watt.
func TestRandomHalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rackLines, feedLines, deviceLines, portLines strings.Builder
		rackLines.WriteString("name,site,u_height\n")
		feedLines.WriteString("name,power_panel,rack,type,phase,voltage,amperage,max_utilization\n")
		deviceLines.WriteString("name,device_type,site,rack,position,u_height\n")
		portLines.WriteString("device,name,allocated_draw\n")
		wantVA, wantW, wantU := map[string]float64{}, map[string]int64{}, map[string]int{}
		for i := range rapid.IntRange(1, 12).Draw(t, "racks") {
			name := fmt.Sprintf("%s-%d", rapid.SampledFrom([]string{"A", "B: x", "7", "ü\"q"}).Draw(t, "row"), i)
			u := rapid.IntRange(10, 52).Draw(t, "u")
			fmt.Fprintf(&rackLines, "%q,S,%d\n", strings.ReplaceAll(name, `"`, "'"), u)
			name = strings.ReplaceAll(name, `"`, "'")
			volts, amps := rapid.SampledFrom([]int{208, 230, 400, 415, 480}).Draw(t, "V"), rapid.IntRange(10, 125).Draw(t, "A")
			three, share := rapid.Bool().Draw(t, "three"), rapid.IntRange(1, 100).Draw(t, "share")
			phase, va := "single-phase", float64(volts*amps)
			if three {
				phase = "three-phase"
				if va *= math.Sqrt(3); volts == 230 {
					va = float64(3 * volts * amps)
				}
			}
			wantVA[name] = va * float64(share) / 100
			for p := range rapid.IntRange(1, 2).Draw(t, "panels") {
				fmt.Fprintf(&feedLines, "F%d,P%d,%q,primary,%s,%d,%d,%d\n", i, p, name, phase, volts, amps, share)
			}
			for d := range rapid.IntRange(0, 3).Draw(t, "devices") {
				fmt.Fprintf(&deviceLines, "d%d-%d,X,S,%q,%d,1\n", i, d, name, d+1)
				w := rapid.IntRange(1, 900).Draw(t, "w")
				fmt.Fprintf(&portLines, "d%d-%d,PS,%d\n", i, d, w)
				wantW[name] += int64(w)
				wantU[name]++
			}
		}
		r, err := Convert([]File{
			{"racks.csv", []byte(rackLines.String())},
			{"power-feeds.csv", []byte(feedLines.String())},
			{"devices.csv", []byte(deviceLines.String())},
			{"power-ports.csv", []byte(portLines.String())},
		}, options)
		if err != nil {
			t.Fatal(err)
		}
		f := building(t, r.Scenario)
		if len(f.Racks) != len(wantVA) || len(r.Problems) > 0 {
			t.Fatalf("%d racks of %d: %v\n%s", len(f.Racks), len(wantVA), r.Problems, r.Scenario)
		}
		for _, k := range f.Racks {
			if k.ReserveW != wantW[k.ID] || k.ReserveU != wantU[k.ID] {
				t.Fatalf("%s: %d W and %dU reserved, want %d and %d", k.ID, k.ReserveW, k.ReserveU, wantW[k.ID], wantU[k.ID])
			}
			for _, n := range k.Feeds {
				if va := float64(f.Power.CapacityVA(n, 1)); va > wantVA[k.ID]*(1+1e-12) || va < wantVA[k.ID]-1 {
					t.Fatalf("%s: a circuit of %.0f VA, want %.3f", k.ID, va, wantVA[k.ID])
				}
			}
		}
		l, err := placement.Place(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range l.Binding { // panels and utility are written so that they never bind
			if b.Limit == placement.Upstream {
				t.Fatalf("%+v\n%s", b, r.Scenario)
			}
		}
		if c := r.Counts.Coverage(); len(wantW) > 0 && c != 1 {
			t.Fatalf("coverage %v", c)
		}
	})
}

// Whatever a file holds, an import ends in an error or in a scenario that loads.
func FuzzConvert(f *testing.F) {
	for _, dir := range []string{"csv", "json"} {
		for _, file := range export(f, dir) {
			f.Add(file.Name, string(file.Data))
		}
	}
	f.Add("x.csv", "name,site,u_height,weight,max_weight,weight_unit\n\"a\"\"[]\x01: #\",s,1,1e99,-1,kg\n")
	f.Add("x.json", `{"racks": [{"name": {"name": {"x": 1}}, "u_height": [3], "site": null}]}`)
	base := []File{
		{"racks.csv", []byte("name,site,u_height\nA01,DC1,42\n")},
		{"power-feeds.csv", []byte("name,power_panel,rack,phase,voltage,amperage\nF,P,A01,three-phase,400,32\n")},
	}
	f.Fuzz(func(t *testing.T, name, data string) {
		for _, files := range [][]File{{{name, []byte(data)}}, append(slices.Clone(base), File{name, []byte(data)})} {
			r, err := Convert(files, options)
			if err != nil {
				continue
			}
			if len(building(t, r.Scenario).Racks) != r.Counts.RacksUsed {
				t.Fatalf("%d racks were to be written:\n%s", r.Counts.RacksUsed, r.Scenario)
			}
		}
	})
}
