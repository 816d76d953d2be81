package workload

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/validation"
)

// checkValue is a published or computed figure of a trace, from check_values.csv beside the traces.
func checkValue(t *testing.T, trace, statistic string) float64 {
	t.Helper()
	rows, err := csv.NewReader(validation.DataFile(t, "check_values.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r[0] == trace && r[1] == statistic {
			v, err := strconv.ParseFloat(r[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no %s of %s among the figures to check", statistic, trace)
	return 0
}

// countOf is the number of things wrong.
func countOf(err error) int {
	var list *TraceErrors
	if !errors.As(err, &list) {
		return 0
	}
	return list.Count()
}

// within holds a figure of a trace against its published or computed value; unit is that of both.
func within(t *testing.T, what, unit string, got, want, share float64) {
	t.Helper()
	id := "traces/" + strings.ToLower(strings.NewReplacer(" ", "-", ":", "", "(", "", ")", "").Replace(what))
	validation.Share(id, what, unit, want, share, "the trace's own summary, published with it or computed from it").FromData().Check(t, got)
}

func quantile(x []float64, p float64) float64 {
	x = slices.Sorted(slices.Values(x))
	at := p * float64(len(x)-1)
	k := min(int(at), len(x)-2)
	return x[k] + (at-float64(k))*(x[k+1]-x[k])
}

func lengths(jobs []Job) (s []float64) {
	for i := range jobs {
		s = append(s, jobs[i].WorkS)
	}
	return s
}

// The tenants of Philly: what they offer, and how long their jobs are.
func TestPhillyTenants(t *testing.T) {
	read := func(o TraceOptions) []Job {
		jobs, err := ReadTrace(validation.DataFile(t, "jobs/philly_reconstructed/philly_vc_jobs_ge20min.csv.gz"), "philly", o)
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	all := read(TraceOptions{})
	gpuH := 0.0
	for i := range all {
		gpuH += float64(all[i].GPUs) * all[i].WorkS / 3600
	}
	within(t, "Philly: jobs", "", float64(len(all)), checkValue(t, "Philly reconstructed", "jobs"), 0)
	within(t, "Philly: GPU time", "GPU-h", gpuH, checkValue(t, "Philly reconstructed", "GPU time"), 0.001)
	within(t, "Philly: median length", "s", quantile(lengths(all), 0.5), checkValue(t, "Philly reconstructed", "median duration"), 0.001)
	for _, vc := range []string{"0e4a51", "103959", "11cb48", "2869ce", "7f04ca", "e13805", "ee9e8c"} {
		jobs := read(TraceOptions{Filter: map[string]string{"vc": vc}})
		work := 0.0
		for i := range jobs {
			work += float64(jobs[i].GPUs) * jobs[i].WorkS
		}
		within(t, "Philly: offered load of tenant "+vc, "GPUs", work/(float64(jobs[len(jobs)-1].Arrival)/nsPerS),
			checkValue(t, "Philly reconstructed vc "+vc, "offered load (GPU time / arrival span)"), 0.02)
	}
}

func TestSWFOfNASA(t *testing.T) {
	jobs, err := ReadTrace(validation.DataFile(t, "jobs/swf/NASA-iPSC-1993-3.1-cln.swf.gz"), "nasa", TraceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "NASA iPSC: jobs", "", float64(len(jobs)), checkValue(t, "NASA iPSC 1993", "jobs"), 0)
	within(t, "NASA iPSC: median run time", "s", quantile(lengths(jobs), 0.5), checkValue(t, "NASA iPSC 1993", "median run time"), 0.02)
}

// Alibaba's pods: every task is a job, or is counted with its reason.
func TestAlibabaPods(t *testing.T) {
	types := map[string]uint64{}
	for i, name := range []string{"A10", "G2", "G3", "P100", "T4", "V100M16", "V100M32"} {
		types[name] = 1 << i
	}
	report := &TraceReport{}
	jobs, err := ReadTrace(validation.DataFile(t, "jobs/alibaba_gpu_v2023/openb_pod_list_gpuspec33.csv.gz"), "pods",
		TraceOptions{Columns: AlibabaColumns, QoS: AlibabaQoS, Types: types, SkipNoGPU: true, Report: report})
	bad := countOf(err)
	tasks := int(checkValue(t, "Alibaba openb (gpu-v2023)", "tasks"))
	if got := len(jobs) + bad + int(report.LeftOut["asks for no GPU"]); got != tasks {
		t.Errorf("%d jobs, %d errors and %v left out, %d tasks", len(jobs), bad, report.LeftOut, tasks)
	}
	shares, typed := 0, 0
	for i := range jobs {
		if jobs[i].Milli > 0 {
			shares++
		}
		if jobs[i].Types != 0 {
			typed++
		}
	}
	if shares == 0 || typed == 0 || !strings.Contains(err.Error(), "the job never ran") {
		t.Errorf("%d jobs on a share of a GPU, %d on types; %.300s", shares, typed, err)
	}
	// From creation to deletion, as the figures to check are.
	c := AlibabaColumns
	c.Start = ""
	report = &TraceReport{}
	jobs, err = ReadTrace(validation.DataFile(t, "jobs/alibaba_gpu_v2023/openb_pod_list_default.csv.gz"), "pods",
		TraceOptions{Columns: c, QoS: AlibabaQoS, Types: types, SkipNoGPU: true, Report: report})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "Alibaba 2023: GPU tasks", "", float64(len(jobs)), checkValue(t, "Alibaba openb (gpu-v2023)", "GPU tasks"), 0)
	within(t, "Alibaba 2023: median creation to deletion", "s", quantile(lengths(jobs), 0.5), checkValue(t, "Alibaba openb (gpu-v2023)", "GPU task creation-to-deletion, median"), 0.02)
	within(t, "Alibaba 2023: 90th percentile creation to deletion", "s", quantile(lengths(jobs), 0.9), checkValue(t, "Alibaba openb (gpu-v2023)", "GPU task creation-to-deletion, p90"), 0.02)
}

func TestHeliosOccupancy(t *testing.T) {
	for _, vc := range []string{"vc3sl", "vc8Sj", "vcJkd", "vcMod", "vcTJs", "vcdI0", "vchbv", "vcpDC"} {
		jobs, err := ReadOccupancy(validation.DataFile(t, "jobs/helios/earth_2020-05_"+vc+".csv.gz"), vc, OccupancyOptions{Unit: Dates})
		if err != nil {
			t.Fatal(err)
		}
		var work float64
		for i := range jobs {
			work += float64(jobs[i].GPUs) * jobs[i].WorkS
		}
		owned := checkValue(t, "Helios Earth May 2020 "+vc, "GPUs owned")
		// The printed mean has four decimals, which of the least busy tenant is 0.6 %.
		within(t, "Helios Earth: mean allocation of tenant "+vc, "", work/(31*86400)/owned, checkValue(t, "Helios Earth May 2020 "+vc, "mean GPU allocation"), 0.02)
	}
}

func TestRequestTraces(t *testing.T) {
	for _, c := range []struct{ file, trace, context, generated string }{
		{"azure_llm_2023/AzureLLMInferenceTrace_code.csv.gz", "Azure LLM 2023 code", "ContextTokens", "GeneratedTokens"},
		{"azure_llm_2023/AzureLLMInferenceTrace_conv.csv.gz", "Azure LLM 2023 conv", "ContextTokens", "GeneratedTokens"},
		{"mooncake/conversation_trace.csv.gz", "Mooncake conversation", "input_length", "output_length"},
	} {
		q := OpenRequests(validation.DataFile(t, "inference/"+c.file), c.file, RequestColumns{})
		var in, out []float64
		var sumIn, sumOut float64
		last := int64(0)
		for r, ok := q.Next(); ok; r, ok = q.Next() {
			in, out = append(in, float64(r.Context)), append(out, float64(r.Generated))
			sumIn, sumOut = sumIn+float64(r.Context), sumOut+float64(r.Generated)
			last = r.AtNS
		}
		if err := q.Err(); err != nil {
			t.Fatal(err)
		}
		if last < 55*60e9 || last > 61*60e9 {
			t.Errorf("%s lasts %g min, want about an hour", c.trace, float64(last)/60e9)
		}
		n := float64(len(in))
		within(t, c.trace+": mean context", "tokens", sumIn/n, checkValue(t, c.trace, c.context+", mean"), 0.001)
		within(t, c.trace+": mean generated", "tokens", sumOut/n, checkValue(t, c.trace, c.generated+", mean"), 0.003)
		if c.trace != "Mooncake conversation" {
			within(t, c.trace+": median context", "tokens", quantile(in, 0.5), checkValue(t, c.trace, c.context+", median"), 0.001)
			within(t, c.trace+": median generated", "tokens", quantile(out, 0.5), checkValue(t, c.trace, c.generated+", median"), 0.001)
		}
	}
}

// An occupancy series and its jobs keep as many GPUs busy at every moment.
func TestOccupancyIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		busy := rapid.SliceOfN(rapid.IntRange(0, 40), 1, 30).Draw(t, "busy")
		var in strings.Builder
		in.WriteString("time,running_gpu_num\n")
		for i, b := range busy {
			in.WriteString(strconv.Itoa(60*i) + "," + strconv.Itoa(b) + "\n")
		}
		jobs, err := ReadOccupancy(strings.NewReader(in.String()), "x", OccupancyOptions{StepS: 60})
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range busy {
			at, got := int64(60*i)*1e9+1, 0
			for k := range jobs {
				if j := &jobs[k]; j.Arrival <= at && at < j.Arrival+int64(j.WorkS*1e9) {
					got += int(j.GPUs)
				}
			}
			if got != b {
				t.Fatalf("%d GPUs busy in minute %d, want %d: %+v", got, i, b, jobs)
			}
		}
	})
}

func TestColumnsOfAnyCSV(t *testing.T) {
	in := "when,n,from,till,who,prio,share\n" +
		"2020-05-01 00:00:00,2,2020-05-01 00:00:10,2020-05-01T00:01:10.5Z,ann,3,1000\n" +
		"2020-05-01 00:00:01,1,,2020-05-01 00:01:10,bob,0,500\n" + // never started
		"2020-05-01 00:00:02,1,2020-05-01 00:00:03,,bob,0,500\n" + // no end
		"2020-05-01 00:00:03,1,2020-05-01 00:00:05,2020-05-01 00:00:04,bob,0,500\n" + // negative
		"2020-05-01 00:00:04,1,2020-05-01 00:00:05,2020-05-01 00:00:07,bob,1,250\n" +
		"2020-05-01 00:00,1,2020-05-01 00:00:05,2020-05-01 00:00:07,bob,1,0\n"
	o := TraceOptions{
		TimeUnit: Dates, FromFirst: true, Speed: 2, RateScale: 4, SizeScale: 3, Tenants: &Tenants{Names: []string{"zoe"}},
		Columns: TraceColumns{Arrival: "when", GPUs: "n", Start: "from", End: "till", Tenant: "who", Priority: "prio", Milli: "share"},
	}
	jobs, err := ReadCSV(strings.NewReader(in), "x.csv", o)
	want := []Job{
		{GPUs: 6, WorkS: 30.25, Tenant: 1, Priority: 3},
		{ID: 1, Arrival: 1e9, GPUs: 1, Milli: 750, WorkS: 1, Tenant: 2, Priority: 1},
	}
	if !slices.Equal(jobs, want) {
		t.Errorf("jobs %+v\nwant %+v", jobs, want)
	}
	const wantErr = `x.csv:3:23: start: no value: the job never ran, so it has no length
x.csv:4:43: end: no value: the job has no end, so it has no length
x.csv:5:43: end: it lies before the start
x.csv:7:1: arrival: "2020-05-01 00:00" is no date such as 2006-01-02 15:04:05
x.csv:7:66: share of a GPU: "0" is not in 1 … 1000 thousandths`
	if err == nil || err.Error() != wantErr {
		t.Errorf("errors:\n%v\nwant:\n%s", err, wantErr)
	}
	if !slices.Equal(o.Tenants.Names, []string{"zoe", "ann", "bob"}) {
		t.Errorf("tenants %v", o.Tenants.Names)
	}
}

// A stream gives what reading as a whole gives, and refuses just the lines that come too late.
func TestStreamIsTheTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(0, 20).Draw(t, "window")
		at := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 40).Draw(t, "arrivals")
		var in strings.Builder
		in.WriteString("arrival_s,num_gpus,duration_s\n")
		var want []int
		bad, latest := 0, 0
		for i, a := range at {
			in.WriteString(strconv.Itoa(a) + "," + strconv.Itoa(i+1) + ",1\n")
			if i > 0 && a < latest-window {
				bad++
				continue
			}
			latest = max(latest, a)
			want = append(want, a)
		}
		slices.Sort(want)
		s := OpenTrace(strings.NewReader(in.String()), "x", TraceOptions{ReorderS: float64(window)})
		var got []int
		for j, ok := s.Next(); ok; j, ok = s.Next() {
			if j.ID != int32(len(got)) {
				t.Fatalf("job %d has number %d", len(got), j.ID)
			}
			got = append(got, int(j.Arrival/1e9))
		}
		n := countOf(s.Err())
		if !slices.Equal(got, want) || n != bad {
			t.Fatalf("arrivals %v and %d errors, want %v and %d", got, n, want, bad)
		}
	})
}

func TestReshape(t *testing.T) {
	jobs := []Job{{GPUs: 1, WorkS: 10}, {ID: 1, Arrival: 40e9, GPUs: 2, WorkS: 20}, {ID: 2, Arrival: 90e9, GPUs: 3, WorkS: 30}}
	long, err := Reshape{SpanS: 250, PeriodS: 100}.Apply(jobs)
	if err != nil {
		t.Fatal(err)
	}
	var at []int64
	for i := range long {
		at = append(at, long[i].Arrival/1e9)
	}
	if want := []int64{0, 40, 90, 100, 140, 190, 200, 240}; !slices.Equal(at, want) {
		t.Errorf("arrivals %v, want %v", at, want)
	}
	shuffled, err := Reshape{Shuffle: true, Seed: 3, SpanS: 1000, PeriodS: 100}.Apply(jobs)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(jobs []Job) (s float64) {
		for i := range jobs {
			s += float64(jobs[i].GPUs) * jobs[i].WorkS
		}
		return s
	}
	if len(shuffled) != 30 || sum(shuffled) != 10*sum(jobs) {
		t.Errorf("%d jobs with %g GPU-seconds", len(shuffled), sum(shuffled))
	}
	first := map[int32]bool{}
	for i := 0; i < 30; i += 3 {
		first[shuffled[i].GPUs] = true
	}
	if len(first) < 2 {
		t.Error("the same job is first in all ten rounds")
	}
	if _, err := (Reshape{SpanS: 1, PeriodS: 50}).Apply(jobs); err == nil {
		t.Error("a round shorter than the trace is taken")
	}
}

func FuzzOpenRequests(f *testing.F) {
	f.Add([]byte("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"))
	f.Add([]byte("timestamp_ms,input_length,output_length\n0,1,2\n5,3,4\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		q := OpenRequests(bytes.NewReader(data), "x", RequestColumns{})
		last := int64(0)
		for r, ok := q.Next(); ok; r, ok = q.Next() {
			if r.AtNS < last || r.Context < 0 || r.Generated < 0 {
				t.Fatalf("request %+v after %d ns", r, last)
			}
			last = r.AtNS
		}
	})
}

func FuzzReadOccupancy(f *testing.F) {
	f.Add([]byte("time,running_gpu_num\n2020-05-01 00:00:00,59\n2020-05-01 00:01:00,3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		jobs, _ := ReadOccupancy(bytes.NewReader(data), "x", OccupancyOptions{Unit: Dates})
		for i := range jobs {
			if j := &jobs[i]; j.GPUs < 1 || j.Arrival < 0 || !(j.WorkS >= 0) {
				t.Fatalf("job %+v", *j)
			}
		}
	})
}

// longTrace is a CSV trace of n lines that is made as it is read.
type longTrace struct {
	n, i int
	r    *rand.Rand
	at   int64
	buf  []byte
}

func (g *longTrace) Read(p []byte) (int, error) {
	for len(g.buf) < len(p) && g.i < g.n {
		if g.i == 0 {
			g.buf = append(g.buf, "arrival_s,num_gpus,duration_s\n"...)
		}
		g.i++
		g.at += g.r.Int64N(10)
		g.buf = strconv.AppendInt(g.buf, g.at, 10)
		g.buf = append(g.buf, ',')
		g.buf = strconv.AppendInt(g.buf, 1+g.r.Int64N(8), 10)
		g.buf = append(g.buf, ',')
		g.buf = strconv.AppendInt(g.buf, g.r.Int64N(100000), 10)
		g.buf = append(g.buf, '\n')
	}
	if len(g.buf) == 0 {
		return 0, io.EOF
	}
	n := copy(p, g.buf)
	g.buf = append(g.buf[:0], g.buf[n:]...)
	return n, nil
}

// BenchmarkStream reads ten million lines and reports lines a second and how far the heap grew.
func BenchmarkStream(b *testing.B) {
	const lines = 10_000_000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := OpenTrace(&longTrace{n: lines, r: rand.New(rand.NewPCG(1, 2))}, "x", TraceOptions{ReorderS: 60})
		n := 0
		for _, ok := s.Next(); ok; _, ok = s.Next() {
			n++
		}
		if err := s.Err(); err != nil || n != lines {
			b.Fatal(n, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc)/1e6-float64(before.HeapAlloc)/1e6, "MB-kept")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/1e6, "MB-allocated")
	}
	b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

// A trace as a run reads it: scanned once, then read again job by job.
func BenchmarkReplayed(b *testing.B) {
	const lines = 10_000_000
	for b.Loop() {
		file := TraceFile{Name: "x", Options: TraceOptions{ReorderS: 60}, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(&longTrace{n: lines, r: rand.New(rand.NewPCG(1, 2))}), nil
		}}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		scan, err := file.Scan(HeldJobs)
		if err != nil || scan.Jobs != lines || len(scan.Held) != HeldJobs {
			b.Fatal(scan.Jobs, len(scan.Held), err)
		}
		s := (&Replayed{File: file, Scan: scan}).Source()
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
		if s.Err() != nil {
			b.Fatal(s.Err())
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc)/1e6-float64(before.HeapAlloc)/1e6, "MB-kept")
		runtime.KeepAlive(scan)
	}
	b.ReportMetric(2*lines*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}
