package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const questionsDir = "../../docs/questions"

// answer is what the documented command of a question printed and wrote.
type answer struct {
	t      *testing.T
	stdout string
	dir    string
}

// number finds a number by a pattern with one group in what was printed, or in a file that was written.
func (a answer) number(pattern string, file ...string) float64 {
	a.t.Helper()
	text := a.stdout
	if len(file) > 0 {
		text = string(a.read(file[0]))
	}
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		a.t.Fatalf("no %q in\n%s", pattern, text)
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	if err != nil {
		a.t.Fatal(err)
	}
	return v
}

func (a answer) read(file string) []byte {
	a.t.Helper()
	data, err := os.ReadFile(filepath.Join(a.dir, "out", file))
	if err != nil {
		a.t.Fatal(err)
	}
	return data
}

// table reads a CSV file by column.
func (a answer) table(file string) map[string][]string {
	a.t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(a.read(file))).ReadAll()
	if err != nil {
		a.t.Fatal(err)
	}
	out := map[string][]string{}
	for k, name := range rows[0] {
		for _, row := range rows[1:] {
			out[name] = append(out[name], row[k])
		}
	}
	return out
}

func (a answer) column(file, name string) []float64 {
	a.t.Helper()
	cells, ok := a.table(file)[name]
	if !ok {
		a.t.Fatalf("%s has no column %s", file, name)
	}
	out := make([]float64, len(cells))
	for i, s := range cells {
		out[i] = math.NaN()
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			out[i] = v
		}
	}
	return out
}

func (a answer) near(what string, got, want, tolerance float64) {
	a.t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		a.t.Errorf("%s is %g, by hand %g", what, got, want)
	}
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		if !math.IsNaN(x) {
			s += x
		}
	}
	return s
}

// The twelve questions: the command of each page is run as it stands there, and its headline is held against arithmetic
// of this test's own, from the scenario's and the catalogue's figures or from the files that it wrote.
func TestTwelveQuestions(t *testing.T) {
	const (
		racks                 = 12
		rackW, serverW        = 48e3, 10.2e3
		usableU, serverU      = 46, 8
		standing              = 20 // servers in questions 2, 6 and 10
		feedA, feedV, feedUse = 100.0, 415.0, 0.8
	)
	perRack := min(math.Floor(rackW/serverW), math.Floor(usableU/serverU))
	checks := []func(answer){
		func(a answer) {
			a.near("servers", a.number(`placed +(\d+) servers`), racks*perRack, 0)
			a.near("what the next is short of, kW", a.number(`power and air +racks +12 +([\d.]+) kW`), ((perRack+1)*serverW-rackW)/1e3, 1e-9)
		},
		func(a answer) {
			a.near("further servers", a.number(`(\d+) more fit, \d+ of them in row A`), racks*perRack-standing, 0)
			a.near("largest block", a.number(`\d+ more fit, (\d+) of them in row A`), racks*perRack-standing, 0)
		},
		func(a answer) {
			bySpace := math.Floor(usableU / serverU)
			a.near("servers", a.number(`placed +(\d+) servers`), racks*bySpace, 0)
			a.near("stranded, kW", a.number(`stranded +([\d.]+) kW power`), racks*(78-bySpace*serverW/1e3), 1e-9)
		},
		func(a answer) {
			const inRack, liquidShare = 7, 0.8 // ⌊78 / 10.2⌋; hgx-h100-liquid
			a.near("heat into the air of a rack, W", a.column("racks.csv", "air_w")[0], inRack*serverW*(1-liquidShare), 1)
			a.near("heat into liquid of 24 racks, W", sum(a.column("racks.csv", "liquid_w")), 24*inRack*serverW*liquidShare, 24)
		},
		func(a answer) {
			const pf = 0.98
			circuitVA := math.Sqrt(3) * feedA * feedV * feedUse
			a.near("load of a circuit with the other lost, %", 100*a.column("racks.csv", "feed_share")[0], 100*perRack*serverW/pf/circuitVA, 0.05)
			// A DGX H100 needs four of its six supplies; with one side lost it has three and runs at 70 %.
			a.near("what is left with a busway lost, %", a.number(`busways\[A\]\.A – busways\[A\]\.B \(2\) +degraded to (\d+)%`), 70, 0)
		},
		func(a answer) {
			legs := [3]float64{} // five full racks, dealt to L1, L2, L3 in turn
			for i := range int(standing / perRack) {
				legs[i%3] += perRack * serverW
			}
			mean := (legs[0] + legs[1] + legs[2]) / 3
			worst := 0.0
			for _, x := range legs {
				worst = max(worst, math.Abs(x-mean)/mean)
			}
			a.near("imbalance, %", a.number(`imbalance ([\d.]+)%`), 100*worst, 0.05)
		},
		func(a answer) {
			a.near("throttled GPU-hours", a.number(`throttled +([\d.,]+) GPU-hours`), throttledByLog(a), 0.005+0.005*throttledByLog(a)) // printed to 0.01; a server that stops may still be on its limit for the rest of a second
		},
		func(a answer) {
			facility, it := a.column("series.csv", "facility_w"), a.column("series.csv", "it_w")
			pue := sum(facility) / sum(it)
			a.near("PUE", a.number(`pue +([\d.]+) \(PUE3\)`), pue, 0.0005001)
			ratios := 0.0
			for i := range it {
				ratios += facility[i] / it[i] / float64(len(it))
			}
			if math.Abs(ratios-pue) < 0.001 {
				t.Errorf("the mean of the hours' ratios, %g, does not differ from energy over energy, %g: this scenario shows no trap", ratios, pue)
			}
		},
		func(a answer) {
			a.near("busy, %", a.number(`busy ([\d.]+) %`), 100*sum(a.column("series.csv", "gpus_busy"))/sum(a.column("series.csv", "gpus_available")), 0.0501)
			left := a.number(`"submitted": (\d+)`, "result.json")
			for _, bucket := range []string{"done", "running", "queued", "rejected", "unplaceable", "killed", "lost"} {
				left -= a.number(`"`+bucket+`": (\d+)`, "result.json")
			}
			a.near("jobs in no column of the table", left, 0, 0)
		},
		func(a answer) {
			const aMonth, daysAMonth = 2, 365.25 / 12
			a.near("days of supply", a.number(`all limits .* (\d+)\n`), math.Floor((racks*perRack-standing)/aMonth*daysAMonth)+1, 0)
		},
		func(a answer) {
			const liquidU = 4
			dense := min(math.Floor(78e3/serverW), math.Floor(usableU/liquidU))
			a.near("servers of 78 kW liquid racks", a.number(`servers (\d+) against`), racks*dense, 0)
			a.near("servers of 48 kW air racks", a.number(`servers \d+ against (\d+)`), racks*perRack, 0)
			a.near("more, %", a.number(`servers that fit .*\(\+([\d.]+) %\)`), 100*(dense/perRack-1), 0.05)
		},
		func(a answer) {
			type spread struct {
				Name         string  `json:"name"`
				ProvisionedW float64 `json:"provisioned_w"`
				LimitW       float64 `json:"limit_w"`
				MeanW        float64 `json:"mean_w"`
				MaxW         float64 `json:"max_w"`
				OverH        float64 `json:"over_limit_h"`
			}
			var r struct {
				Power []spread `json:"power"`
				Ride  struct {
					Cases []struct {
						ToLimitS *float64 `json:"to_limit_s"`
					} `json:"cases"`
				} `json:"ride_through"`
			}
			if err := json.Unmarshal(a.read("result.json"), &r); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(r.Power, func(p spread) bool { return p.Name == "IT" })
			if i < 0 {
				t.Fatalf("no distribution of IT power: %+v", r.Power)
			}
			it, hours := r.Power[i], a.column("series.csv", "it_w")
			a.near("provisioned, W", it.ProvisionedW, racks*perRack*serverW, 0)
			a.near("the racks' limits, W", it.LimitW, racks*rackW, 0)
			a.near("mean, W", it.MeanW, sum(hours)/float64(len(hours)), 1)
			if highest := slices.Max(hours); it.MaxW < highest || it.MaxW > it.ProvisionedW || it.OverH != 0 {
				t.Errorf("peak %g W, highest hour %g W, %g h over the limit", it.MaxW, highest, it.OverH)
			}
			if len(r.Ride.Cases) != 3 || r.Ride.Cases[1].ToLimitS == nil {
				t.Errorf("ride-through: %+v", r.Ride)
			}
		},
	}
	pages, err := filepath.Glob(filepath.Join(questionsDir, "[01]*.md"))
	if err != nil || len(pages) != len(checks) {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	list, err := os.ReadFile(filepath.Join(questionsDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(pages))
	for i, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(data)
	}
	images, err := filepath.Abs(questionsDir)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	ran := map[string]answer{}
	for i, page := range pages {
		name := filepath.Base(page)
		t.Run(name, func(t *testing.T) {
			command := documented(t, texts[i])
			if !strings.Contains(string(list), "("+name+") | `"+command+"` |") {
				t.Errorf("README.md does not list %s with %q", name, command)
			}
			for _, m := range regexp.MustCompile(`\]\((\.\./[^)]+)\)`).FindAllStringSubmatch(texts[i], -1) {
				if _, err := os.Stat(filepath.Join(images, m[1])); err != nil {
					t.Error(err)
				}
			}
			a, ok := ran[command]
			if !ok {
				a = answer{dir: filepath.Join(work, strconv.Itoa(i+1))} // questions 8, 9 and 12 read one run
				if err := os.Mkdir(a.dir, 0o755); err != nil {
					t.Fatal(err)
				}
				t.Chdir(a.dir)
				var stdout, stderr bytes.Buffer
				if code := run(t.Context(), words(command)[1:], nil, &stdout, &stderr); code != 0 {
					t.Fatalf("%s: exit %d\n%s", command, code, stderr.String())
				}
				a.stdout = stdout.String()
				ran[command] = a
			}
			a.t = t
			answered, _, _ := strings.Cut(texts[i], "\n## Going on")
			for _, m := range regexp.MustCompile("`charts/([a-z_]+\\.png)`").FindAllStringSubmatch(answered, -1) {
				if len(a.read("charts/"+m[1])) == 0 {
					t.Errorf("%s is empty", m[1])
				}
			}
			checks[i](a)
		})
	}
}

// documented is the command of a page: the line of its first shell block.
func documented(t *testing.T, page string) string {
	t.Helper()
	_, block, ok := strings.Cut(page, "```sh\n")
	command, _, end := strings.Cut(block, "\n```")
	if !ok || !end || strings.Contains(command, "\n") || !strings.HasPrefix(command, "headroom ") {
		t.Fatalf("no command in\n%s", page)
	}
	return command
}

// words splits a command as a shell does, as far as the pages need it: spaces and single quotes.
func words(command string) []string {
	var out []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// throttledByLog sums the time between each server's throttle start and its end, by the log, for 8 busy GPUs.
func throttledByLog(a answer) float64 {
	events := a.table("events.csv")
	column := func(part string) []string {
		for name, v := range events {
			if strings.Contains(name, part) {
				return v
			}
		}
		a.t.Fatalf("events.csv has no column of %q", part)
		return nil
	}
	since := map[string]float64{}
	hours := 0.0
	at, kind, entity := column("at_s"), column("kind"), column("entity")
	for i := range at {
		s, err := strconv.ParseFloat(at[i], 64)
		if err != nil {
			a.t.Fatal(err)
		}
		switch kind[i] {
		case "throttle start":
			since[entity[i]] = s
		case "throttle end", "shutdown":
			if from, ok := since[entity[i]]; ok {
				hours += 8 * (s - from) / 3600
				delete(since, entity[i])
			}
		}
	}
	return hours
}
