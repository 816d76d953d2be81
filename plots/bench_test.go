package plots

import (
	"io"
	"testing"

	"headroom/plots/internal/fixture"
)

// BenchmarkDraw draws each chart of a run of 30 days by the minute, 43,200 points a series.
func BenchmarkDraw(b *testing.B) {
	r := fixture.Result(fixture.Options{Steps: 43200, StepS: 60})
	for _, c := range Charts() {
		b.Run(c.Name, func(b *testing.B) {
			for b.Loop() {
				if err := Draw(c, r, "png", io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
