package scenarios

import (
	"context"
	"testing"

	"headroom/facility/placement"
	"headroom/sim"
)

// BenchmarkRun simulates the embedded benchmark halls; placement and charts are not in it. One iteration is
// one whole run: go test -run - -bench Run/bench-1k -benchtime 3x ./scenarios
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"first-hall", "bench-1k", "bench-campus"} {
		b.Run(name, func(b *testing.B) {
			data, ok := ExampleFile(name)
			if !ok {
				b.Fatal("no such example")
			}
			s, err := Load(name, data, Options{})
			if err != nil {
				b.Fatal(err)
			}
			f, err := s.Build()
			if err != nil {
				b.Fatal(err)
			}
			l, err := placement.Place(f)
			if err != nil {
				b.Fatal(err)
			}
			c, err := s.Configure(l)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r, err := sim.Run(context.Background(), l, c)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Run.Events), "events/run")
			}
		})
	}
}
