package study

import (
	"testing"

	"headroom/scenarios"
)

func BenchmarkRunway(b *testing.B) {
	for _, name := range []string{"first-hall", "bench-1k"} {
		b.Run(name, func(b *testing.B) {
			data, _ := scenarios.ExampleFile(name)
			sc, err := scenarios.Load(name, data, scenarios.Options{Set: []string{
				"plan={start: 2026-01-01, demand: {growth: 20 servers/month, spread: 30%}, reservations: [{name: x, count: 40, from: 2026-03-01, until: 2026-06-01}]}",
			}})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := NewRunway(sc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
