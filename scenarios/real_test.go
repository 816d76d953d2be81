package scenarios

import (
	"math"
	"os"
	"strings"
	"testing"

	"headroom/facility/placement"
	"headroom/sim"
	"headroom/validation"
)

// An EPW file and a real job trace through the scenario: read, filtered, windowed, and part of the id.
func TestRealWeatherAndTrace(t *testing.T) {
	files := os.DirFS(validation.DataDir(t))
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

// The requests of Azure's and Mooncake's traces through a service in a hall: every one is served, and every token is counted.
func TestRealRequestsAreServed(t *testing.T) {
	files := os.DirFS(validation.DataDir(t))
	for _, x := range []struct {
		file     string
		requests int64
	}{
		{"inference/azure_llm_2023/AzureLLMInferenceTrace_conv.csv.gz", 19366},
		{"inference/azure_llm_2023/AzureLLMInferenceTrace_code.csv.gz", 8819},
		{"inference/mooncake/conversation_trace.csv.gz", 12031},
	} {
		text := hall + "workload:\n  - {name: chat, kind: inference, gpus: 32, model: {name: llama-3-70b, precision: fp8, first_token: 2 s, per_token: 100 ms}," +
			" requests: {trace: " + x.file + ", span: 2 h}, scale: {min: 2}}\n"
		s, c := configured(t, text, Options{FS: files})
		c.LengthNS, c.Check = 4*3600e9, true
		f, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		l, err := placement.Place(f)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := c.Services[0].Requests.Summary()
		if err != nil || sum.Requests != x.requests {
			t.Fatalf("%s: %d requests, %v", x.file, sum.Requests, err)
		}
		r, err := sim.Run(t.Context(), l, c)
		if err != nil {
			t.Fatal(err)
		}
		v := &r.Compute.Services[0]
		if float64(v.Requests) < 2*float64(x.requests) || v.Ended+v.Refused != v.Requests {
			t.Errorf("%s: %+v", x.file, *v)
		}
		want := sum.Generated * float64(v.Requests) // whole rounds and the beginning of one more
		if got := float64(r.Compute.Tokens); v.Refused == 0 && math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: %.0f tokens, the trace has about %.0f", x.file, got, want)
		}
		if !(v.SLAAttainment > 0.5 && v.SLAAttainment <= 1) || !(v.FirstTokenS.P50 > 0) || !(v.PerTokenS.P99 <= 0.101) {
			t.Errorf("%s: %+v", x.file, *v)
		}
		t.Logf("%s: %+v", x.file, *v)
	}
}
