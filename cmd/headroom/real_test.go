package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"headroom/validation"
)

// Twelve weeks of a Philly tenant on Shanghai's neighbour Hangzhou: a weather file and a job trace from end to
// end, every job accounted for, every chart drawn.
func TestRealWeatherAndTraceEndToEnd(t *testing.T) {
	data, dir := validation.DataDir(t), t.TempDir()
	if err := os.Symlink(data, filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "real.yaml")
	if err := os.WriteFile(file, []byte(`version: 1
name: Philly's tenant ee9e8c in Hangzhou
site: {weather: data/weather/epw/CHN_Zhejiang.Hangzhou.584570_CSWD.epw.gz, price: 0.65 CNY/kWh}
power:
  utility: {capacity: 2 MW}
  transformers: {count: 2, rating: 1.25 MVA, scheme: N+1}
  ups: {sides: [A, B], modules: 2, rating: 500 kVA, curve: double-conversion, battery: 5 min}
  busways: {per: row, sides: [A, B], rating: 1600 A, voltage: 415 V L-L, derate: 80%}
cooling:
  air: {units: 6, capacity: 120 kW, airflow: 9 m3/s, scheme: N+1, supply: 24 C, containment: cold-aisle, plant: chilled-water, fed: ups}
plants:
  chilled-water: {type: water-cooled-chiller, count: 2, scheme: N+1, supply: 18 C, economizer: water-side, fed: utility}
racks:
  - {row: A, count: 10, height: 48U, reserve: 2U, power: 48 kW, air: 48 kW, feeds: {sides: [A, B], breaker: 100 A}}
servers:
  - {model: dgx-h100, count: max}
replay:
  - {name: philly, trace: data/jobs/philly_reconstructed/philly_vc_jobs_ge20min.csv.gz, filter: {vc: ee9e8c}}
run: {start: 2026-05-01, length: 84 d}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"run", file, "-o", out, "--check"}, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, stdout.String(), stderr.String())
	}
	text, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Energy struct{ PUE float64 }
		Jobs   struct{ Submitted, Done, Running, Queued, Rejected, Unplaceable, Killed, Lost int }
		Run    struct{ Coverage float64 }
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	j := r.Jobs
	if j.Submitted < 1000 || j.Submitted != j.Done+j.Running+j.Queued+j.Rejected+j.Unplaceable+j.Killed+j.Lost {
		t.Errorf("jobs don't add up: %+v", j)
	}
	if j.Done == 0 || j.Unplaceable != 0 {
		t.Errorf("a hall of 320 GPUs and jobs of at most a few servers: %+v", j)
	}
	if r.Energy.PUE < 1.05 || r.Energy.PUE > 1.6 || r.Run.Coverage != 1 {
		t.Errorf("PUE %.3f, weather coverage %.2f", r.Energy.PUE, r.Run.Coverage)
	}
	charts, err := filepath.Glob(filepath.Join(out, "charts", "*.png"))
	if err != nil || len(charts) < 7 {
		t.Fatalf("%d charts, %v", len(charts), err)
	}
	for _, c := range charts {
		f, err := os.Open(c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := png.DecodeConfig(f)
		f.Close()
		if err != nil || p.Width < 1600 || p.Height < 900 {
			t.Errorf("%s: %d×%d, %v", filepath.Base(c), p.Width, p.Height, err)
		}
	}
}
