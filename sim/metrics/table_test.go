package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A table records what one series a column would, whatever the order of changes; its integrals are the same to the last
// bit on every grid.
func TestTableIsManySeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const columns = 3
		length := rapid.Int64Range(0, 100e9).Draw(t, "length")
		grids := []int64{rapid.Int64Range(1e9, 40e9).Draw(t, "step"), rapid.Int64Range(1e9, 40e9).Draw(t, "other"), 1000e9}
		var tables []*Table
		series := [columns]*StepSeries{}
		for _, g := range grids {
			tables = append(tables, NewTable(columns, g, length))
		}
		for c := range series {
			series[c] = NewStepSeries(grids[0], length)
		}
		now := int64(0)
		value := rapid.SampledFrom([]float64{0, 1, 2.5, -3, 1e6, math.NaN()})
		for range rapid.IntRange(0, 20).Draw(t, "changes") {
			now += rapid.Int64Range(0, 15e9).Draw(t, "dt")
			row := []float64{value.Draw(t, "a"), value.Draw(t, "b"), value.Draw(t, "c")}
			for _, tb := range tables {
				tb.Set(now, row)
			}
			for c, v := range row {
				series[c].Set(now, v)
			}
		}
		for _, tb := range tables {
			tb.Advance(length + 1e9)
		}
		for c, s := range series {
			s.Finish(length + 1e9)
			want := s.Means()
			got := tables[0].Means(c)
			if len(got) != len(want) {
				t.Fatalf("%d bins, want %d", len(got), len(want))
			}
			for i := range want {
				if !same(got[i], want[i]) {
					t.Fatalf("column %d bin %d: %v, want %v", c, i, got[i], want[i])
				}
			}
			if !same(tables[0].Integral(c), s.Integral()) || tables[0].UnknownS(c) != s.UnknownS() {
				t.Fatalf("column %d: integral %v, want %v; unknown %v s, want %v", c, tables[0].Integral(c), s.Integral(), tables[0].UnknownS(c), s.UnknownS())
			}
			for _, tb := range tables[1:] {
				if tb.Integral(c) != tables[0].Integral(c) {
					t.Fatalf("column %d: integral %v on one grid, %v on another", c, tables[0].Integral(c), tb.Integral(c))
				}
			}
		}
	})
}

func BenchmarkTableSet(b *testing.B) {
	t := NewTable(48, 3600e9, 1e15)
	row := make([]float64, 48)
	now := int64(0)
	for b.Loop() {
		now++
		for i := range 25 {
			row[i]++
		}
		t.Set(now, row)
	}
}
