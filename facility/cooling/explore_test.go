package cooling

import (
	"fmt"
	"testing"
)

func TestExplore(t *testing.T) {
	ps := plants(t)
	for _, n := range []string{"chilled water", "chilled water with economizer", "dry cooler", "adiabatic cooler", "air-cooled chiller", "dx", "outdoor air", "outdoor air with trim"} {
		p := ps[n]
		s := p.Spec()
		for _, w := range [][2]float64{{-30, .5}, {-5, .6}, {5, .6}, {10, .6}, {15, .6}, {20, .6}, {25, .6}, {30, .6}, {35, .5}, {40, .3}, {50, .2}, {35, 1}} {
			pt := p.Solve(Load{HeatW: 1.2e6, ReturnC: s.SupplyC + 6, Units: s.Units, SetC: s.SupplyC, Out: outdoor(w[0], w[1])})
			fmt.Printf("%-30s %5.0f %.1f sup %.2f comp %.1f rej %.1f pump %.1f free %.2f evap %.3f blow %.3f drift %.4f cap %.0f held %v ex %d W %.0f\n", n, w[0], w[1], pt.SupplyC, pt.CompressorW/1e3, pt.RejectionW/1e3, pt.PumpW/1e3, pt.FreeShare, pt.EvaporationKgS, pt.BlowdownKgS, pt.DriftKgS, pt.CapacityW/1e3, pt.Held, pt.Extrapolated, pt.WPerK)
		}
	}
	r := hall()
	for _, h := range []float64{0, 1e5, 5e5, 9e5, 1.2e6, 2e6} {
		for _, u := range []int{0, 1, 8, 9, 10} {
			fmt.Printf("%v %d %+v\n", h, u, r.Solve(u, h, h/1191/13.2, 18, 101325))
		}
	}
	l := liquid()
	for _, h := range []float64{0, 1e5, 5e5, 9e5, 1.2e6, 2e6} {
		for _, u := range []int{0, 1, 2} {
			fmt.Printf("%v %d %+v\n", h, u, l.Solve(u, h, h/1000*1.51, 28))
		}
	}
}
