// Command check looks at what `headroom run -o DIR` wrote: every file there and whole, the result sane, every chart
// big enough to read.
package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
)

// Charts smaller than this are hard to read on a slide; a run draws at least minCharts of them.
const (
	minWidth, minHeight = 1600, 900
	minCharts           = 7
)

func main() {
	bad := check(os.Args[1])
	for _, b := range bad {
		fmt.Println("  " + b)
	}
	if len(bad) > 0 {
		os.Exit(1)
	}
}

func check(dir string) (bad []string) {
	fail := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	for _, name := range []string{"report.md", "report.html", "report.xlsx", "run.sha256", "series.csv", "events.csv", "scenario.resolved.yaml"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil {
			fail("%v", err)
		} else if info.Size() == 0 {
			fail("%s is empty", name)
		}
	}

	var result struct {
		FormatVersion int `json:"format_version"`
		Run           struct{ ID string }
		Capacity      struct {
			Placed int `json:"servers_placed"`
			Bound  int `json:"servers_bound"`
		}
		Energy struct {
			FacilityKWh float64 `json:"facility_kwh"`
			PUE         float64
		}
		Jobs map[string]any
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err == nil {
		err = json.Unmarshal(data, &result)
	}
	switch {
	case err != nil:
		fail("result.json: %v", err)
	case result.FormatVersion < 1 || result.Run.ID == "":
		fail("result.json: no format_version or run.id")
	case result.Capacity.Placed < 1 || result.Capacity.Placed > result.Capacity.Bound:
		fail("result.json: %d servers placed, bound %d", result.Capacity.Placed, result.Capacity.Bound)
	case !(result.Energy.FacilityKWh > 0) || !(result.Energy.PUE >= 1):
		fail("result.json: %g kWh at a PUE of %g", result.Energy.FacilityKWh, result.Energy.PUE)
	}
	ended := 0.0
	for _, bucket := range []string{"done", "running", "queued", "rejected", "unplaceable", "killed", "lost"} {
		n, _ := result.Jobs[bucket].(float64)
		ended += n
	}
	if submitted, ok := result.Jobs["submitted"].(float64); !ok || submitted < 1 || submitted != ended {
		fail("result.json: %v jobs submitted, %g accounted for", result.Jobs["submitted"], ended)
	}

	charts, _ := filepath.Glob(filepath.Join(dir, "charts", "*.png"))
	if len(charts) < minCharts {
		fail("%d charts, want %d", len(charts), minCharts)
	}
	for _, name := range charts {
		f, err := os.Open(name)
		if err != nil {
			fail("%v", err)
			continue
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			fail("%s: %v", name, err)
		} else if b := img.Bounds(); b.Dx() < minWidth || b.Dy() < minHeight {
			fail("%s: %d×%d, want %d×%d", name, b.Dx(), b.Dy(), minWidth, minHeight)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		fail("left behind: %v", left)
	}
	fmt.Printf("%s: %d servers, PUE %.3f, %d charts\n", dir, result.Capacity.Placed, result.Energy.PUE, len(charts))
	return bad
}
