package sweep

import (
	"context"
	"fmt"
	"sync/atomic"
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

// BenchmarkBusy makes whole runs with two workers and reports the share of their time that they spend inside runs: what
// is missing to 1 is looking up, handing over, and waiting for the store. first-hall is a year, 0.1 s of a processor;
// tiny two days, some milliseconds.
func BenchmarkBusy(b *testing.B) {
	first, _ := scenarios.ExampleFile("first-hall")
	for _, c := range []struct{ name, text string }{{"first-hall", string(first)}, {"tiny", tiny}} {
		b.Run(c.name, func(b *testing.B) {
			s := openText(b, c.text, fmt.Sprintf("study: {replicates: %d}\n", max(b.N, 2)), b.TempDir())
			var inside atomic.Int64
			b.ResetTimer()
			begun := time.Now()
			err := s.in(context.Background(), 2, func(ctx context.Context, j Job) Outcome {
				at := time.Now()
				o := s.Maker.Base.Make(ctx, j)
				inside.Add(int64(time.Since(at)))
				return o
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(inside.Load())/float64(2*time.Since(begun)), "busy")
		})
	}
}
