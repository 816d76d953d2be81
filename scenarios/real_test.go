package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dataDir finds the real data, or skips the test: in CI it must be there.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HEADROOM_DATA")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for root != filepath.Dir(root) {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "data")
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("NO REAL DATA: %v", err)
		}
		t.Skipf("SKIPPED, NO REAL DATA: %v (set HEADROOM_DATA)", err)
	}
	return dir
}

// An EPW file and a real job trace through the scenario: read, filtered, windowed, and part of the id.
func TestRealWeatherAndTrace(t *testing.T) {
	files := os.DirFS(dataDir(t))
	text := strings.Replace(hall, "climate: shanghai", "weather: weather/epw/CHN_Zhejiang.Hangzhou.584570_CSWD.epw.gz", 1) +
		"replay:\n  - {name: philly, trace: jobs/philly_reconstructed/philly_vc_jobs_ge20min.csv.gz, vc: 0e4a51, window: {length: 70 d}}\n" +
		"run: {length: 10 weeks}\n"
	s, err := Load("real.yaml", []byte(text), Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Configure(nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := c.Replays[0]
	if len(jobs) < 100 || len(c.Classes) != 1 || c.Classes[0].Trace == "" {
		t.Fatalf("%d jobs, classes %+v", len(jobs), c.Classes)
	}
	for i, j := range jobs {
		if j.Class != 0 || j.GPUs < 1 || j.Arrival < 0 || j.Arrival >= c.LengthNS || i > 0 && j.Arrival < jobs[i-1].Arrival {
			t.Fatalf("job %d: %+v", i, j)
		}
	}
	if !strings.Contains(c.Weather.Name, "Hangzhou") && !strings.Contains(strings.ToUpper(c.Weather.Name), "HANGZHOU") {
		t.Errorf("weather %q", c.Weather.Name)
	}
	f, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	// ASHRAE's 0.4 % dry bulb of Hangzhou is near 36 °C; the file's own year must give about that.
	if f.Design.DryBulbC < 33 || f.Design.DryBulbC > 39 || f.Design.WetBulbC > f.Design.DryBulbC {
		t.Errorf("design day %+v", f.Design)
	}
}
