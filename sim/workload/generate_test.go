package workload

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const (
	hourNS = int64(3600e9)
	dayNS  = 24 * hourNS
)

func all(t interface{ Fatalf(string, ...any) }, s Source) []Job {
	var jobs []Job
	for {
		j, ok := s.Next()
		if !ok {
			break
		}
		jobs = append(jobs, j)
	}
	if _, ok := s.Next(); ok {
		t.Fatalf("a job after the end")
	}
	for i, j := range jobs {
		if j.ID != int32(i) {
			t.Fatalf("job %d has ID %d", i, j.ID)
		}
		if i > 0 {
			p := jobs[i-1]
			if j.Arrival < p.Arrival || (j.Arrival == p.Arrival && j.Class < p.Class) {
				t.Fatalf("job %d out of order", i)
			}
		}
	}
	return jobs
}

func pretrain() Class {
	return Class{
		Name: "pretrain", Kind: Training, GPUs: []Size{{GPUs: 64, Weight: 3}, {GPUs: 128, Weight: 1}}, RatePerS: 1e-2,
		MedianS: 72_000, SigmaLn: 1.09, Activity: 0.95, MemoryBound: 0.15,
	}
}

// TestGenerateStatistics: 1e5 draws of fixed seed against their laws.
func TestGenerateStatistics(t *testing.T) {
	c := pretrain()
	jobs := all(t, Generate([]Class{c}, 1, int64(1e7*nsPerS)))
	n := float64(len(jobs))
	if math.Abs(n-1e5) > 4*math.Sqrt(1e5) {
		t.Errorf("%v jobs, expected 1e5", n)
	}
	// Gaps are exponential, lengths log-normal: distance of Kolmogorov and Smirnov, 1.63/√n at 1 %.
	var gaps, lengths []float64
	last := int64(0)
	big := 0.0
	for _, j := range jobs {
		gaps = append(gaps, float64(j.Arrival-last)/nsPerS)
		last = j.Arrival
		lengths = append(lengths, j.WorkS)
		switch j.GPUs {
		case 128:
			big++
		case 64:
		default:
			t.Fatalf("%d GPUs", j.GPUs)
		}
	}
	limit := 1.63 / math.Sqrt(n)
	if d := ks(gaps, func(x float64) float64 { return -math.Expm1(-x * c.RatePerS) }); d > limit {
		t.Errorf("gaps: distance %.5f > %.5f", d, limit)
	}
	lognormal := func(x float64) float64 { return 0.5 * math.Erfc(-math.Log(x/c.MedianS)/c.SigmaLn/math.Sqrt2) }
	if d := ks(lengths, lognormal); d > limit {
		t.Errorf("lengths: distance %.5f > %.5f", d, limit)
	}
	if share := big / n; math.Abs(share-0.25) > 4*math.Sqrt(0.25*0.75/n) {
		t.Errorf("share of 128 GPUs %.4f", share)
	}
	// Arrivals and sizes, sizes and lengths are independent.
	var sum float64
	for i, j := range jobs {
		sum += (float64(j.GPUs)/64 - 1.25) * (lognormal(j.WorkS) + math.Exp(-gaps[i]*c.RatePerS) - 1)
	}
	if z := sum / math.Sqrt(n*0.1875/6); math.Abs(z) > 4 {
		t.Errorf("sizes depend on times: %.1f standard deviations", z)
	}
}

func ks(x []float64, law func(float64) float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	var d float64
	for i, v := range x {
		p := law(v)
		d = max(d, p-float64(i)/float64(len(x)), float64(i+1)/float64(len(x))-p)
	}
	return d
}

// TestUnusedClassesShiftNoDraw: classes that are added, whatever their place or rate, leave the jobs of the others alone.
func TestUnusedClassesShiftNoDraw(t *testing.T) {
	strip := func(jobs []Job, class int32) []Job {
		var out []Job
		for _, j := range jobs {
			if j.Class == class {
				j.ID, j.Class = 0, 0
				out = append(out, j)
			}
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		alone := strip(all(t, Generate([]Class{pretrain()}, seed, dayNS)), 0)
		other := Class{
			Name: "other", GPUs: []Size{{GPUs: 1, Weight: 1}}, MedianS: 10, SigmaLn: 1,
			RatePerS: rapid.SampledFrom([]float64{0, 1e-3, 1e-2}).Draw(t, "rate"),
			Replicas: rapid.IntRange(0, 3).Draw(t, "replicas"),
		}
		at := rapid.IntRange(0, 1).Draw(t, "place")
		classes := slices.Insert([]Class{pretrain()}, at, other)
		jobs := all(t, Generate(classes, seed, dayNS))
		if got := strip(jobs, int32(1-at)); !slices.Equal(got, alone) {
			t.Fatalf("shifted: %d jobs, alone %d", len(got), len(alone))
		}
		if other.Replicas == 0 && other.RatePerS == 0 && len(jobs) != len(alone) {
			t.Fatalf("a class of rate 0 has jobs")
		}
	})
}

// TestGenerateGolden holds the draws: they are part of the model.
func TestGenerateGolden(t *testing.T) {
	s := Generate([]Class{pretrain()}, 1, dayNS)
	a, _ := s.Next()
	b, _ := s.Next()
	want := [2]Job{
		{ID: 0, Class: 0, Arrival: 187070034622, GPUs: 64, WorkS: 110854.197906909, Activity: 0.95, MemoryBound: 0.15},
		{ID: 1, Class: 0, Arrival: 205559080622, GPUs: 64, WorkS: 13264.857450227, Activity: 0.95, MemoryBound: 0.15},
	}
	if got := [2]Job{a, b}; got != want {
		t.Errorf("got %#v", got)
	}
}

func TestLongerRunBeginsTheSame(t *testing.T) {
	short := all(t, Generate([]Class{pretrain()}, 9, dayNS))
	long := all(t, Generate([]Class{pretrain()}, 9, 3*dayNS))
	if len(short) == 0 || len(short) >= len(long) || !slices.Equal(short, long[:len(short)]) {
		t.Errorf("%d jobs of one day are not the first of %d", len(short), len(long))
	}
	for _, j := range short {
		if j.Arrival >= dayNS {
			t.Errorf("arrival at %d is not before the end", j.Arrival)
		}
	}
}

func TestServices(t *testing.T) {
	chat := Class{Name: "chat", Kind: Inference, GPUs: []Size{{GPUs: 8, Weight: 1}}, Replicas: 4, Activity: 0.7, MemoryBound: 0.75}
	jobs := all(t, Generate([]Class{pretrain(), chat}, 1, dayNS))
	for i := range 4 {
		want := Job{ID: int32(i), Class: 1, GPUs: 8, WorkS: math.Inf(1), Activity: 0.7, MemoryBound: 0.75}
		if jobs[i] != want {
			t.Errorf("replica %d: %+v", i, jobs[i])
		}
	}
	if len(jobs) < 100 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// TestSizesKeepTheirWeights: the library sorts what it is given; the order sizes are written in changes nothing.
func TestSizesKeepTheirWeights(t *testing.T) {
	c := pretrain()
	c.GPUs = []Size{{GPUs: 512, Weight: 1}, {GPUs: 8, Weight: 70}, {GPUs: 64, Weight: 0}, {GPUs: 1, Weight: 20}, {GPUs: 16, Weight: 9}}
	c.RatePerS = 1
	count := map[int32]float64{}
	jobs := all(t, Generate([]Class{c}, 5, int64(1e5*nsPerS)))
	for _, j := range jobs {
		count[j.GPUs]++
	}
	n := float64(len(jobs))
	for _, s := range c.GPUs {
		p := float64(s.Weight) / 100
		if math.Abs(count[int32(s.GPUs)]-n*p) > 4*math.Sqrt(n*p*(1-p)) {
			t.Errorf("%d GPUs: %v of %v, expected %v", s.GPUs, count[int32(s.GPUs)], n, n*p)
		}
	}
	turned := c
	turned.GPUs = slices.Clone(c.GPUs)
	slices.Reverse(turned.GPUs)
	if !slices.Equal(jobs, all(t, Generate([]Class{turned}, 5, int64(1e5*nsPerS)))) {
		t.Error("the order of sizes changes the draws")
	}
	if c.GPUs[0].GPUs != 512 {
		t.Error("the caller's sizes were sorted")
	}
}

func TestHostileClasses(t *testing.T) {
	for name, change := range map[string]func(*Class){
		"no sizes":        func(c *Class) { c.GPUs = nil },
		"weights of 0":    func(c *Class) { c.GPUs = []Size{{GPUs: 8, Weight: 0}} },
		"no GPUs":         func(c *Class) { c.GPUs = []Size{{GPUs: 0, Weight: 1}} },
		"negative rate":   func(c *Class) { c.RatePerS = -1 },
		"rate NaN":        func(c *Class) { c.RatePerS = math.NaN() },
		"negative median": func(c *Class) { c.MedianS = -1 },
		"spread NaN":      func(c *Class) { c.SigmaLn = math.NaN() },
		"huge weights":    func(c *Class) { c.GPUs = []Size{{GPUs: 8, Weight: 1 << 63}, {GPUs: 16, Weight: 1 << 63}} },
	} {
		c := pretrain()
		change(&c)
		if jobs := all(t, Generate([]Class{c}, 1, dayNS)); len(jobs) > 0 {
			t.Errorf("%s: %d jobs", name, len(jobs))
		}
		if c.Check() == nil {
			t.Errorf("%s: passes Check", name)
		}
	}
	c := pretrain()
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	for _, length := range []int64{-1, 0, 1} {
		if jobs := all(t, Generate([]Class{c}, 1, length)); len(jobs) > 0 {
			t.Errorf("%d ns: %d jobs", length, len(jobs))
		}
	}
	zero := pretrain()
	zero.MedianS = 0
	for _, j := range all(t, Generate([]Class{zero}, 1, dayNS)) {
		if j.WorkS != 0 {
			t.Fatalf("length %v", j.WorkS)
		}
	}
	wide := pretrain()
	for _, median := range []float64{0, MaxWorkS} {
		wide.MedianS, wide.SigmaLn = median, 1e6
		for _, j := range all(t, Generate([]Class{wide}, 1, dayNS)) {
			if !(j.WorkS >= 0 && j.WorkS <= MaxWorkS) {
				t.Fatalf("length %v", j.WorkS)
			}
		}
	}
	// Arrivals far above capacity: the source is lazy, and many jobs share one nanosecond.
	flood := pretrain()
	flood.RatePerS = 1e12
	s := Generate([]Class{flood}, 1, math.MaxInt64)
	last := int64(0)
	for range 10_000 {
		j, ok := s.Next()
		if !ok || j.Arrival < last || j.Arrival > 100 {
			t.Fatalf("%+v, %v", j, ok)
		}
		last = j.Arrival
	}
	rare := pretrain()
	rare.RatePerS = 1e-300
	if jobs := all(t, Generate([]Class{rare}, 1, math.MaxInt64)); len(jobs) > 0 {
		t.Errorf("%d jobs at one in 1e300 s", len(jobs))
	}
	if got := all(t, Generate(nil, 1, dayNS)); len(got) > 0 {
		t.Errorf("%d jobs of no class", len(got))
	}
}

func TestClassesOfOneNameDiffer(t *testing.T) {
	jobs := all(t, Generate([]Class{pretrain(), pretrain()}, 1, dayNS))
	first := map[int32]int64{}
	for _, j := range jobs {
		if _, ok := first[j.Class]; !ok {
			first[j.Class] = j.Arrival
		}
	}
	if len(first) != 2 || first[0] == first[1] {
		t.Errorf("first arrivals %v", first)
	}
}

func TestCheckSaysAll(t *testing.T) {
	c := Class{Name: "x", Activity: 2, Profile: []float64{1}, RatePerS: math.Inf(1), CheckpointS: -1}
	got := c.Check().Error()
	for _, want := range []string{"activity is 2", "168", "rate is +Inf", "interval is -1", "no number of GPUs"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	if strings.Count(got, "\n") != 4 {
		t.Errorf("more than expected:\n%s", got)
	}
}

func TestExpectedJobs(t *testing.T) {
	chat := Class{GPUs: []Size{{GPUs: 8, Weight: 1}}, Replicas: 4}
	if got := ExpectedJobs([]Class{pretrain(), chat, {Trace: "a.csv", RatePerS: 1}}, int64(1000*nsPerS)); got != 14 {
		t.Errorf("%v jobs", got)
	}
}

func TestMergeAndReplay(t *testing.T) {
	a := []Job{{ID: 7, Arrival: 5, Class: 1, GPUs: 1}, {ID: 3, Arrival: 1, Class: 1, GPUs: 2}, {ID: 9, Arrival: 5, Class: 1, GPUs: 3}}
	b := []Job{{Arrival: 1, Class: 0, GPUs: 4}, {Arrival: 5, Class: 1, GPUs: 5}}
	for name, s := range map[string]Source{
		"replay": Replay([][]Job{a, b, nil}),
		"merge":  Merge(Replay([][]Job{a}), Replay(nil), Replay([][]Job{b})),
	} {
		var order []int32
		for _, j := range all(t, s) {
			order = append(order, j.GPUs)
		}
		if want := []int32{4, 2, 1, 3, 5}; !slices.Equal(order, want) {
			t.Errorf("%s: %v, want %v", name, order, want)
		}
	}
	if a[0].Arrival != 5 || a[0].ID != 7 {
		t.Error("the caller's trace was changed")
	}
}

func TestYoung(t *testing.T) {
	// A checkpoint of 30 s and one failure in 3.09 h: 13.6 minutes.
	if got := YoungS(30, 3.09*3600) / 60; math.Abs(got-13.6) > 0.05 {
		t.Errorf("%.3f min", got)
	}
	for _, c := range []struct{ cost, mtbf, want float64 }{
		{0, 100, 0},
		{30, math.Inf(1), math.Inf(1)},
		{30, 0, math.Inf(1)},
		{-1, 10, math.Inf(1)},
		{math.NaN(), 10, math.Inf(1)},
		{10, math.NaN(), math.Inf(1)},
	} {
		if got := YoungS(c.cost, c.mtbf); got != c.want {
			t.Errorf("YoungS(%v, %v) = %v, want %v", c.cost, c.mtbf, got, c.want)
		}
	}
}

func TestDiurnal(t *testing.T) {
	week := Diurnal()
	if len(week) != HoursPerWeek {
		t.Fatalf("%d hours", len(week))
	}
	if top := slices.Max(week); top != 1 {
		t.Errorf("peak %v", top)
	}
	if low := slices.Min(week); !(low > 0) {
		t.Errorf("low %v", low)
	}
	if week[14] != week[4*24+14] || week[5*24+14] >= week[14] {
		t.Error("Friday is not a weekday, or Saturday is")
	}
	week[0] = 9
	if Diurnal()[0] == 9 {
		t.Error("the week is shared")
	}
}

func BenchmarkGenerate(b *testing.B) {
	classes := []Class{pretrain(), pretrain(), pretrain()}
	s := Generate(classes, 1, math.MaxInt64)
	for b.Loop() {
		if _, ok := s.Next(); !ok {
			b.Fatal("end")
		}
	}
}
