package power

import (
	"fmt"
	"testing"

	"headroom/facility/catalog"
	"headroom/validation"
)

// The UPS curves of the catalogue through a graph with one UPS, at the loads that are published.
func TestUPSEfficiencyCurves(t *testing.T) {
	const ratingVA = 1.9e6
	const eaton = "Eaton 9395XR 1.9 MVA, efficiency by load as the maker states it (UPS model of Firmus)"
	const usual = "usual efficiency of such units by load (recalled figures, no measurement is published as data)"
	for _, c := range []struct {
		curve, source string
		percent       map[int]float64 // efficiency by load, both in percent
		within        float64         // points
	}{
		{"double-conversion", eaton, map[int]float64{10: 94.1, 25: 97.0, 50: 97.3, 75: 97.0, 100: 96.4}, 0.2},
		{"eco", eaton, map[int]float64{25: 98.4, 50: 99.0, 75: 99.2, 100: 99.2}, 0.2},
		{"transformerless", usual, map[int]float64{25: 95.0, 50: 96.5, 75: 96.5, 100: 96.0}, 0.5},
		{"legacy", usual, map[int]float64{25: 88, 50: 91.5, 75: 93, 100: 93.5}, 0.5},
	} {
		lossAt := upsLoss(t, c.curve, ratingVA)
		for _, load := range []int{10, 25, 50, 75, 100} {
			published, ok := c.percent[load]
			if !ok {
				continue
			}
			outW := float64(load) / 100 * ratingVA
			validation.Within(fmt.Sprintf("ups/%s-%d", c.curve, load), fmt.Sprintf("UPS, %s: efficiency at %d %% load", c.curve, load), "%", published, c.within, c.source).
				Check(t, 100*outW/(outW+lossAt(outW)))
		}
	}
	// The maker also prints its heat, which goes with its efficiencies at some 1.75 MW, not at 1.9.
	lossAt := upsLoss(t, "double-conversion", ratingVA)
	for load, heatKW := range map[int]float64{25: 14, 50: 26, 75: 40, 100: 66} {
		validation.Share(fmt.Sprintf("ups/double-conversion-heat-%d", load), fmt.Sprintf("UPS, double-conversion: heat at %d %% load", load), "kW", heatKW, 0.1, eaton).
			Check(t, lossAt(float64(load)/100*ratingVA)/1e3)
	}
}

// upsLoss gives what a UPS with a curve of the catalogue loses at its output, in W.
func upsLoss(t *testing.T, curve string, ratingVA float64) func(outW float64) float64 {
	t.Helper()
	u, err := catalog.Default().UPS(curve)
	if err != nil {
		t.Fatal(err)
	}
	g := mustNew(t,
		Node{ID: "utility", Kind: Utility, Units: 1, RatingVA: 1e8, PF: 1, Derate: 1},
		Node{ID: "ups", Kind: UPS, From: []string{"utility"}, Units: 1, RatingVA: ratingVA, PF: 1, Derate: 1, Loss: Loss{A: u.A.Value, B: u.B.Value, C: u.C.Value}})
	at, _ := g.Index("ups")
	f := g.NewFlow([]Consumer{{Name: "load", Fed: []int{at}, IT: true}})
	return func(outW float64) float64 {
		f.Set(0, outW)
		f.Solve()
		return f.KindLossW(UPS)
	}
}
