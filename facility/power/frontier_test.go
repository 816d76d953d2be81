package power

import (
	"testing"

	"headroom/validation"
)

// Frontier as ExaDigiT/RAPS describes it: nodes through converters of (P+13)/0.98, chassis of 16 nodes and four
// switches of 250 W through four rectifiers of (P/4+17)/0.96, 8 chassis a rack, 74 racks, 25 coolant units of 8,473.47 W.
func TestFrontierPower(t *testing.T) {
	const (
		chassis, nodesEach, rectifiersEach = 74 * 8, 16, 4
		converterVA, rectifierVA           = 3000.0, 15e3
	)
	// In = (P + c)/η is a loss of c/η and (1/η − 1)·P.
	through := func(c, eta, ratingVA float64) Loss { return Loss{A: c / eta / ratingVA, B: 1/eta - 1} }
	g, err := New([]Node{
		{ID: "site", Kind: Utility, Units: 1, RatingVA: 50e6, PF: 1, Derate: 1},
		{ID: "rectifiers", Kind: Distribution, From: []string{"site"}, Units: chassis * rectifiersEach, RatingVA: rectifierVA, PF: 1, Derate: 1, Loss: through(17, 0.96, rectifierVA)},
		{ID: "converters", Kind: Distribution, From: []string{"rectifiers"}, Units: chassis * nodesEach, RatingVA: converterVA, PF: 1, Derate: 1, Loss: through(13, 0.98, converterVA)},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := func(id string) int {
		n, ok := g.Index(id)
		if !ok {
			t.Fatal(id)
		}
		return n
	}
	f := g.NewFlow([]Consumer{{Name: "nodes", Fed: []int{at("converters")}, IT: true}, {Name: "switches", Fed: []int{at("rectifiers")}, IT: true}, {Name: "coolant units", Fed: []int{at("site")}}})
	const switchesW, coolantW = chassis * 4 * 250.0, 25 * 8473.47
	for _, c := range []struct {
		id           string
		nodeW        float64
		totalMW, los float64
	}{
		{"idle", 90 + 4*88 + 74.26 + 4*20 + 30, 7.3065, 0.5717},
		{"peak", 280 + 4*560 + 74.26 + 4*20 + 30, 28.2279, 1.8102},
	} {
		f.Set(0, c.nodeW*chassis*nodesEach)
		f.Set(1, switchesW)
		f.Set(2, coolantW)
		const source = "ExaDigiT/RAPS, description of Frontier"
		site := f.FacilityW()
		validation.Within("frontier/"+c.id, "Frontier, "+c.id+": power", "MW", c.totalMW, 0.00005, source).Check(t, site/1e6)
		// The printed losses are 0.9 kW more than the printed total less its parts.
		validation.Share("frontier/"+c.id+"-loss", "Frontier, "+c.id+": lost in conversion", "MW", c.los, 0.002, source).Check(t, (site-coolantW-switchesW-c.nodeW*chassis*nodesEach)/1e6)
	}
}
