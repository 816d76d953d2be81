//go:build unix

package sweep

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"headroom/scenarios"
)

// BenchmarkOverhead is all that a study adds to a run besides simulating it: laying it out, loading its scenario, its
// id, the look into the store, and the row written and synced. In "replicates" runs differ by their seed, in "points"
// each is a scenario of its own.
func BenchmarkOverhead(b *testing.B) {
	for _, c := range []struct{ name, study string }{
		{"replicates", "study: {replicates: %d}\n"},
		{"points", "study: {sample: {runs: %d, over: [{path: cooling.air.supply, from: 18 C, to: 27 C}]}}\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := max(b.N, 2)
			s := open(b, fmt.Sprintf(c.study, n), b.TempDir())
			task := s.Plan.Task(Spot{})
			row, err := s.Maker.Base.Run(context.Background(), &task)
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			err = s.in(context.Background(), 2, func(_ context.Context, j Job) Outcome {
				r := row
				r.ID = j.ID
				return Outcome{Job: j, Row: &r}
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkBusy makes whole runs with two workers. busy is the share of the workers' time that they spend inside runs:
// what is missing to 1 is looking up, handing over, and waiting for the store. Time in which other programs have the
// processor counts on both sides. cpu-ms/run is the processor time of a run in the study, all included; extra-ms/run is
// how much of it the same runs do not take when they are made one after another without a study. first-hall is a year,
// 0.1 s of a processor; tiny two days, about a millisecond; points differ by more than the seed.
func BenchmarkBusy(b *testing.B) {
	first, _ := scenarios.ExampleFile("first-hall")
	for _, c := range []struct{ name, text, study string }{
		{"first-hall", string(first), "study: {replicates: %d}\n"},
		{"tiny", tiny, "study: {replicates: %d}\n"},
		{"points", tiny, "study: {sample: {runs: %d, over: [{path: cooling.air.supply, from: 18 C, to: 27 C}]}}\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := max(b.N, 2)
			s := openText(b, c.text, fmt.Sprintf(c.study, n), b.TempDir())
			alone := NewBase(s.Maker.Base.Source, scenarios.Options{})
			task := s.Plan.Task(Spot{})
			if _, err := alone.Run(context.Background(), &task); err != nil { // what its seeds share
				b.Fatal(err)
			}
			at := processorTime()
			most := min(n, 200)
			for k := range most {
				task.Replicate = k
				if _, err := alone.Run(context.Background(), &task); err != nil {
					b.Fatal(err)
				}
			}
			bare := (processorTime() - at).Seconds() * 1e3 / float64(most)
			var inside atomic.Int64
			b.ResetTimer()
			begun := time.Now()
			at = processorTime()
			err := s.in(context.Background(), 2, func(ctx context.Context, j Job) Outcome {
				at := time.Now()
				o := s.Maker.Base.Make(ctx, j)
				inside.Add(int64(time.Since(at)))
				return o
			})
			if err != nil {
				b.Fatal(err)
			}
			spent := (processorTime() - at).Seconds() * 1e3 / float64(n)
			b.ReportMetric(float64(inside.Load())/float64(2*time.Since(begun)), "busy")
			b.ReportMetric(spent, "cpu-ms/run")
			b.ReportMetric(spent-bare, "extra-ms/run")
		})
	}
}

// processorTime is what this process has used of processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
