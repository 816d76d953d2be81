package workload

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"headroom/validation"
)

func TestReadCSV(t *testing.T) {
	o := TraceOptions{Class: 3, Activity: 0.9, MemoryBound: 0.15}
	job := func(id int32, arrivalNS int64, gpus int32, workS float64) Job {
		return Job{ID: id, Class: 3, Arrival: arrivalNS, GPUs: gpus, WorkS: workS, Activity: 0.9, MemoryBound: 0.15}
	}
	const s = int64(1e9)
	for _, c := range []struct {
		name, in string
		change   func(*TraceOptions)
		want     []Job
		errs     []string
	}{
		{
			name: "plain", in: "arrival_s,num_gpus,duration_s\n0,8,3600\n12.5,1,0\n",
			want: []Job{job(0, 0, 8, 3600), job(1, 12*s+s/2, 1, 0)},
		},
		{
			name: "any order of columns, byte order mark, line ends of Windows, blank lines, blanks",
			in:   "\ufeffvc,duration_s, num_gpus ,arrival_s\r\n\r\na,60, 2 ,1\r\n",
			want: []Job{job(0, s, 2, 60)},
		},
		{
			name: "sorted, ties in the order of the file", in: "arrival_s,num_gpus,duration_s\n5,1,10\n2,2,10\n5,3,10\n2,4,10\n",
			want: []Job{job(0, 2*s, 2, 10), job(1, 2*s, 4, 10), job(2, 5*s, 1, 10), job(3, 5*s, 3, 10)},
		},
		{
			name: "quotes", in: "\"name\",arrival_s,num_gpus,duration_s\n\"a, \"\"b\"\"\",\"1\",\"2\",\"3.000000001\"\n",
			want: []Job{job(0, s, 2, 3.000000001)},
		},
		{
			name: "numbers as programs write them", in: "arrival_s,num_gpus,duration_s\n1.5e3,8.0,1E2\n1700000000.123456789,16,5.\n",
			want: []Job{job(0, 1500*s, 8, 100), job(1, 1700000000123456789, 16, 5)},
		},
		{
			name: "other columns", in: "t,g,d\n1,2,3\n",
			change: func(o *TraceOptions) { o.Columns = TraceColumns{Arrival: "t", GPUs: "g", Duration: "d"} },
			want:   []Job{job(0, s, 2, 3)},
		},
		{
			name: "filter", in: "vc,arrival_s,num_gpus,duration_s\na,1,2,3\nb,bad,2,3\na,4,5,6\n",
			change: func(o *TraceOptions) { o.Filter = map[string]string{"vc": "a"} },
			want:   []Job{job(0, s, 2, 3), job(1, 4*s, 5, 6)},
		},
		{
			name: "window holds its start and not its end", in: "arrival_s,num_gpus,duration_s\n9.9,1,1\n10,2,1\n19.9,3,1\n20,4,1\n",
			change: func(o *TraceOptions) { o.StartS, o.EndS = 10, 20 },
			want:   []Job{job(0, 0, 2, 1), job(1, 99*s/10, 3, 1)},
		},
		{name: "header only", in: "arrival_s,num_gpus,duration_s\n"},
		{name: "empty", in: "", errs: []string{"f.csv: the file is empty"}},
		{
			name: "every bad line is said", in: "vc,arrival_s,num_gpus,duration_s\n" +
				"a,1,8,60\n" + // good
				"a,,8,60\n" +
				"a,-1,0,NaN\n" +
				"a,1,2.5,+Inf\n" +
				"a,0x10,8,1_0\n" +
				"a,1,8\n" +
				"a,1,8,60,\n" +
				"\"a,1,8,60\n" +
				"\"a\"b,1,8,60\n" +
				"a,1e300,3000000000,1e10\n" +
				"a,1,8,1e999\n" +
				"a,2017-10-03,-1,60\n" +
				"a,9999999999,8,4000000000\n" +
				"a,2,1,60\n", // good
			want: []Job{job(0, s, 8, 60), job(1, 2*s, 1, 60)},
			errs: []string{
				`f.csv:3:3: arrival: no value`,
				`f.csv:4:3: arrival: "-1" is negative`,
				`f.csv:4:6: GPUs: 0 GPUs: a job needs at least one`,
				`f.csv:4:8: duration: "NaN" is not finite`,
				`f.csv:5:5: GPUs: "2.5" is not a whole number of GPUs`,
				`f.csv:5:9: duration: "+Inf" is not finite`,
				`f.csv:6:3: arrival: "0x10" is not a number`,
				`f.csv:6:10: duration: "1_0" is not a number`,
				`f.csv:7: 3 fields where the header has 4`,
				`f.csv:8: 5 fields where the header has 4`,
				`f.csv:9: a quote is not closed, or text follows it`,
				`f.csv:10: a quote is not closed, or text follows it`,
				`f.csv:11:3: arrival: "1e300" s is more than 6.07e+09 s`,
				`f.csv:11:9: GPUs: "3000000000" is too many GPUs`,
				`f.csv:11:20: duration: "1e10" s is more than 3.15e+09 s`,
				`f.csv:12:7: duration: "1e999" is not finite`,
				`f.csv:13:3: arrival: "2017-10-03" is not a number`,
				`f.csv:13:14: GPUs: "-1" is negative`,
				`f.csv:14:3: arrival: "9999999999" s is more than 6.07e+09 s`,
				`f.csv:14:16: duration: "4000000000" s is more than 3.15e+09 s`,
			},
		},
		{
			name: "torn in a field", in: "arrival_s,num_gpus,duration_s\n0,8,3600\n1,8,36",
			want: []Job{job(0, 0, 8, 3600), job(1, s, 8, 36)},
			errs: []string{"f.csv:3:7: the last line has no line end, it may be cut off; end it with a newline if it is whole"},
		},
		{
			name: "torn between fields", in: "arrival_s,num_gpus,duration_s\n0,8,3600\n1,8",
			want: []Job{job(0, 0, 8, 3600)},
			errs: []string{
				"f.csv:3:4: the last line has no line end, it may be cut off; end it with a newline if it is whole",
				"f.csv:3: 2 fields where the header has 3",
			},
		},
		{
			name: "columns missing and doubled", in: "arrival_s,gpus,arrival_s\n",
			errs: []string{
				`f.csv:1:16: the column "arrival_s" is there twice`,
				`f.csv:1: no column "num_gpus"; there are "arrival_s, gpus, arrival_s"`,
				`f.csv:1: no column "duration_s"; there are "arrival_s, gpus, arrival_s"`,
			},
		},
		{
			name: "no such filter column", in: "arrival_s,num_gpus,duration_s\n",
			change: func(o *TraceOptions) { o.Filter = map[string]string{"vc": "a"} },
			errs:   []string{`f.csv:1: no column "vc"; there are "arrival_s, num_gpus, duration_s"`},
		},
		{
			name: "no window", in: "arrival_s,num_gpus,duration_s\n",
			change: func(o *TraceOptions) { o.StartS, o.EndS = 20, 10 },
			errs:   []string{"f.csv: no time lies from 20 s to 10 s"},
		},
		{
			name: "not a trace", in: "arrival_s,num_gpus,duration_s\n0,8," + strings.Repeat("1", 3<<20) + "\n1,1,1\n",
			want: []Job{job(0, s, 1, 1)},
			errs: []string{"f.csv:2: the line is longer than 1048576 bytes"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := o
			if c.change != nil {
				c.change(&o)
			}
			got, err := ReadCSV(strings.NewReader(c.in), "f.csv", o)
			if !slices.Equal(got, c.want) {
				t.Errorf("jobs\n%+v\nwant\n%+v", got, c.want)
			}
			checkErrors(t, err, c.errs)
		})
	}
}

func checkErrors(t *testing.T, err error, want []string) {
	t.Helper()
	var got []string
	if err != nil {
		var errs *TraceErrors
		if !errors.As(err, &errs) {
			t.Fatalf("error is a %T", err)
		}
		got = strings.Split(err.Error(), "\n")
	}
	if !slices.Equal(got, want) {
		t.Errorf("errors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTraceErrorsAreCounted(t *testing.T) {
	in := "arrival_s,num_gpus,duration_s\n" + strings.Repeat("0,0,0\n", 73)
	_, err := ReadCSV(strings.NewReader(in), "f.csv", TraceOptions{})
	var errs *TraceErrors
	if !errors.As(err, &errs) || len(errs.List) != MaxTraceErrors || errs.More != 23 {
		t.Fatalf("%v", err)
	}
	if !strings.HasSuffix(err.Error(), "\nand 23 more") {
		t.Errorf("%v", err)
	}
	var first TraceError
	if !errors.As(err, &first) || first.Line != 2 || first.Col != 3 {
		t.Errorf("first error %+v", first)
	}
}

func pack(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

func TestReadCSVGzip(t *testing.T) {
	whole := pack("arrival_s,num_gpus,duration_s\n0,8,3600\n1,8,36") // no line end: the checksum vouches for it
	jobs, err := ReadCSV(bytes.NewReader(whole), "f.gz", TraceOptions{})
	if err != nil || len(jobs) != 2 || jobs[1].WorkS != 36 {
		t.Errorf("%v, %v", jobs, err)
	}
	for cut := 1; cut < len(whole); cut++ {
		if _, err := ReadCSV(bytes.NewReader(whole[:cut]), "f.gz", TraceOptions{}); err == nil {
			t.Errorf("cut to %d of %d bytes: no error", cut, len(whole))
		}
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	if _, err := ReadCSV(bytes.NewReader(flipped), "f.gz", TraceOptions{}); err == nil {
		t.Error("bad checksum: no error")
	}
}

const swfLine = "    1        0     -1   1451  128     -1    -1   -1     -1    -1 -1   1   1  -1 -1 -1 -1 -1\n"

func TestReadSWF(t *testing.T) {
	in := "; Version: 2.2\n;\n\n" + swfLine +
		"2 10 -1 5 -1 -1 -1 4 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" + // requested processors
		"3 10 -1 -1 8 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" +
		"4 -1 -1 5 0 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" +
		"5 10 -1 5 -1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" +
		"6 10 -1 5 8 -1\n"
	jobs, err := ReadSWF(strings.NewReader(in), "f.swf", TraceOptions{Class: 1})
	want := []Job{
		{ID: 0, Class: 1, Arrival: 0, GPUs: 128, WorkS: 1451},
		{ID: 1, Class: 1, Arrival: 10e9, GPUs: 4, WorkS: 5},
	}
	if !slices.Equal(jobs, want) {
		t.Errorf("jobs %+v", jobs)
	}
	checkErrors(t, err, []string{
		"f.swf:6:9: run time: not recorded (-1)",
		"f.swf:7:3: submit time: not recorded (-1)",
		"f.swf:7:11: processors: 0 GPUs: a job needs at least one",
		"f.swf:8:20: processors: not recorded (-1)",
		"f.swf:9: 6 fields where the Standard Workload Format has 18",
	})
	_, err = ReadSWF(strings.NewReader(swfLine), "f.swf", TraceOptions{Filter: map[string]string{"a": "b"}})
	checkErrors(t, err, []string{"f.swf: a filter by column is for CSV; this is the Standard Workload Format"})
	_, err = ReadSWF(strings.NewReader(""), "f.swf", TraceOptions{})
	checkErrors(t, err, []string{"f.swf: the file is empty"})
}

func TestReadTracePicksTheFormat(t *testing.T) {
	for in, want := range map[string]int32{
		"\n; c\n" + swfLine: 128,
		swfLine:             128,
		"arrival_s,num_gpus,duration_s\n0,7,3600\n":   7,
		"\n\narrival_s,num_gpus,duration_s\n0,7,36\n": 7,
	} {
		for _, data := range [][]byte{[]byte(in), pack(in)} {
			jobs, err := ReadTrace(bytes.NewReader(data), "f", TraceOptions{})
			if err != nil || len(jobs) != 1 || jobs[0].GPUs != want {
				t.Errorf("%q: %+v, %v", in, jobs, err)
			}
		}
	}
}

// TestPhilly: 8,313 jobs of 11 virtual clusters of Microsoft's Philly cluster, of 20 minutes and more.
func TestPhilly(t *testing.T) {
	const name = "jobs/philly_reconstructed/philly_vc_jobs_ge20min.csv.gz"
	jobs, err := ReadTrace(validation.DataFile(t, name), name, TraceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs) != 8313 {
		t.Errorf("%d jobs", len(jobs))
	}
	var gpuS float64
	var lengths []float64
	for _, j := range jobs {
		gpuS += float64(j.GPUs) * j.WorkS
		lengths = append(lengths, j.WorkS)
	}
	if h := math.Round(gpuS / 3600); h != 1191006 {
		t.Errorf("%v GPU-hours", h)
	}
	slices.Sort(lengths)
	if m := lengths[len(lengths)/2]; m != 31644 {
		t.Errorf("median %v s", m)
	}
	one, err := ReadCSV(validation.DataFile(t, name), name, TraceOptions{Filter: map[string]string{"vc": "ee9e8c"}})
	if err != nil {
		t.Fatal(err)
	}
	gpuS = 0
	for _, j := range one {
		gpuS += float64(j.GPUs) * j.WorkS
	}
	span := float64(one[len(one)-1].Arrival-one[0].Arrival) / nsPerS
	if got := gpuS / span; math.Abs(got-283.1) > 0.05 {
		t.Errorf("offered load of one virtual cluster: %.2f GPUs", got)
	}
}

// TestNASA: 18,239 jobs of the NASA Ames iPSC/860, 92 days of 1993, cleaned log of the Parallel Workloads Archive.
func TestNASA(t *testing.T) {
	const name = "jobs/swf/NASA-iPSC-1993-3.1-cln.swf.gz"
	jobs, err := ReadTrace(validation.DataFile(t, name), name, TraceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var gpuS float64
	lengths := make([]float64, 0, len(jobs))
	for _, j := range jobs {
		gpuS += float64(j.GPUs) * j.WorkS
		lengths = append(lengths, j.WorkS)
	}
	slices.Sort(lengths)
	if len(jobs) != 18239 || lengths[len(lengths)/2] != 86 {
		t.Errorf("%d jobs, median %v s", len(jobs), lengths[len(lengths)/2])
	}
	if u := gpuS / (128 * 92 * 86400); math.Abs(u-0.466) > 0.002 {
		t.Errorf("utilisation %.4f", u)
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("arrival_s,num_gpus,duration_s\n0,8,3600\n12.5,1,0\n"))
	f.Add([]byte("\"arrival_s\",num_gpus,duration_s\n\"1\"\"\",-8,NaN\n,,\n\x1f\x8b"))
	f.Add(pack("arrival_s,num_gpus,duration_s\n0,8,3600\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkFuzzed(t, data, ReadCSV)
	})
}

func FuzzReadSWF(f *testing.F) {
	f.Add([]byte("; c\n" + swfLine))
	f.Add([]byte("1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8\n-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkFuzzed(t, data, ReadSWF)
		checkFuzzed(t, data, ReadTrace)
	})
}

// checkFuzzed: whatever is read is in order and in range, or the error says why not; no line counts as both.
func checkFuzzed(t *testing.T, data []byte, read func(r io.Reader, name string, o TraceOptions) ([]Job, error)) {
	jobs, err := read(bytes.NewReader(data), "f", TraceOptions{})
	last := int64(0)
	for i, j := range jobs {
		if j.ID != int32(i) || j.Arrival < last || j.GPUs < 1 || !(j.WorkS >= 0 && j.WorkS <= MaxWorkS) {
			t.Fatalf("job %d: %+v", i, j)
		}
		last = j.Arrival
	}
	if err != nil {
		var errs *TraceErrors
		if !errors.As(err, &errs) || len(errs.List) == 0 {
			t.Fatalf("error without a reason: %v", err)
		}
		return
	}
	if len(data) > 0 && data[0] != 0x1f && bytes.Count(data, []byte("\n")) < len(jobs) {
		t.Fatalf("%d jobs in fewer lines", len(jobs))
	}
}

func BenchmarkReadCSV(b *testing.B) {
	const rows = 100_000
	var in bytes.Buffer
	in.WriteString("vc,arrival_s,num_gpus,duration_s\n")
	for i := range rows {
		fmt.Fprintf(&in, "0e4a51,%d,%d,%d\n", i*7, 1+i%8, 1200+i)
	}
	b.SetBytes(int64(in.Len()))
	b.ResetTimer()
	for range b.N {
		jobs, err := ReadCSV(bytes.NewReader(in.Bytes()), "f", TraceOptions{})
		if err != nil || len(jobs) != rows {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "lines/s")
}
