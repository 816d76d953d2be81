package cooling

import (
	"testing"

	"headroom/facility/weather"
)

// sink keeps the compiler from dropping what a benchmark computes.
var sink float64

func BenchmarkRoomHeld(b *testing.B) {
	r := hall()
	b.ReportAllocs()
	for b.Loop() {
		sink += r.Solve(10, 800e3, 50, 18, 101325).SupplyC
	}
}

func BenchmarkRoomShort(b *testing.B) {
	r := hall()
	b.ReportAllocs()
	for b.Loop() {
		sink += r.Solve(8, 1200e3, 76, 20, 101325).SupplyC
	}
}

func BenchmarkLoop(b *testing.B) {
	l := liquid()
	b.ReportAllocs()
	for b.Loop() {
		sink += l.Solve(2, 900e3, 1300, 26).SupplyC
	}
}

func BenchmarkInlet(b *testing.B) {
	a := NewAirPaths(Open, []float64{0, 1, 2}, []float64{0, 0, 0}, []int{0, 0, 0}, []int{42, 42, 42})
	b.ReportAllocs()
	for b.Loop() {
		sink += a.InletC(1, 24, 0.9, 13, 0.5)
	}
}

func BenchmarkPlants(b *testing.B) {
	all := plants(b)
	for _, c := range []struct {
		name  string
		plant string
		out   Outdoor
	}{
		{"dry-cooler", "dry cooler", outdoor(15, 0.6)},
		{"dry-cooler-short", "dry cooler", outdoor(35, 0.4)},
		{"adiabatic", "adiabatic cooler", outdoor(28, 0.4)},
		{"chilled-water-free", "chilled water with economizer", outdoor(5, 0.6)},
		{"chilled-water-partial", "chilled water with economizer", outdoor(18, 0.6)},
		{"chilled-water-mechanical", "chilled water with economizer", outdoor(30, 0.6)},
		{"chilled-water", "chilled water", outdoor(20, 0.6)},
		{"air-cooled", "air-cooled chiller", outdoor(30, 0.6)},
		{"dx", "dx", outdoor(30, 0.6)},
		{"outdoor-air", "outdoor air", outdoor(20, 0.6)},
	} {
		p := all[c.plant]
		s := p.Spec()
		load := Load{HeatW: 1.2e6, ReturnC: s.SupplyC + 6, Units: s.Units, SetC: s.SupplyC, Out: c.out}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink += p.Solve(load).SupplyC
			}
		})
	}
}

func BenchmarkFromSample(b *testing.B) {
	s := weather.Sample{DryBulbC: 35, RH: 0.5, PressurePa: 101325}
	b.ReportAllocs()
	for b.Loop() {
		sink += FromSample(s).WetBulbC
	}
}
