package scenarios

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"headroom/sim"
	"headroom/sim/metrics"
)

// account is a result of a year with an account: servers and cooling as capital.
func account(currency string, servers, cooling, operating, upkeep, gpuHours float64) *sim.Result {
	return &sim.Result{
		Run:     sim.RunInfo{LengthS: 365 * 86400},
		Compute: sim.Compute{GPUHoursEffective: sim.Num(gpuHours)},
		Energy:  sim.Energy{CarbonKg: sim.Num(operating)},
		Money: &sim.Account{
			Currency: currency, Interest: 0.08, Capex: sim.Num(servers + cooling),
			YearOperating: sim.Num(operating), YearUpkeep: sim.Num(upkeep),
			Components: []sim.CapexLine{{Name: "servers", Amount: sim.Num(servers), LifeYears: 5}, {Name: "cooling", Amount: sim.Num(cooling), LifeYears: 20}},
		},
	}
}

func TestComparePayback(t *testing.T) {
	base := account("CNY", 0.9e6, 0.1e6, 500e3, 20e3, 5e5)
	for _, c := range []struct {
		name                        string
		variant                     *sim.Result
		simple, discounted, atLike  string
		extra, saved                float64
		refused                     string
		noteWanted, noteNotExpected string
	}{
		{name: "dearer and thriftier", variant: account("CNY", 0.9e6, 0.5e6, 390e3, 30e3, 5e5), simple: "4.0 years", discounted: "5.0 years", atLike: "4.0 years", extra: 400e3, saved: 100e3, noteNotExpected: "work"},
		{name: "dearer and no thriftier", variant: account("CNY", 0.9e6, 0.5e6, 500e3, 20e3, 5e5), simple: "never pays back", discounted: "never pays back", atLike: "never pays back", extra: 400e3},
		{name: "too little to earn the interest", variant: account("CNY", 0.9e6, 0.5e6, 470e3, 20e3, 5e5), simple: "13.3 years", discounted: "never pays back", atLike: "13.3 years", extra: 400e3, saved: 30e3},
		{name: "cheaper and thriftier", variant: account("CNY", 0.8e6, 0.1e6, 400e3, 20e3, 5e5), simple: "at once", discounted: "at once", atLike: "at once", extra: -100e3, saved: 100e3},
		{name: "cheaper and dearer to run", variant: account("CNY", 0.8e6, 0.1e6, 600e3, 20e3, 5e5), simple: "never pays back", discounted: "never pays back", atLike: "never pays back", extra: -100e3, saved: -100e3, noteWanted: "cheaper to buy and dearer to run"},
		// Half again as many servers at two thirds of the cost of running each: dearer in all, at like work free.
		{name: "more work", variant: account("CNY", 1.35e6, 0.15e6, 500e3, 20e3, 7.5e5), simple: "never pays back", discounted: "never pays back", atLike: "at once", extra: 500e3, noteWanted: "1.5 times the work"},
		{name: "longer than it lives", variant: account("CNY", 0.9e6, 0.9e6, 434e3, 20e3, 5e5), simple: "12.1 years", discounted: "45.4 years", atLike: "12.1 years", extra: 800e3, saved: 66e3, noteWanted: "longest life of its components, 20 years"},
		{name: "the same", variant: base, simple: "unknown", discounted: "unknown", atLike: "unknown"},
		{name: "another currency", variant: account("USD", 1, 1, 1, 1, 1), refused: "in CNY beside one in USD"},
		{name: "no account", variant: &sim.Result{}, refused: "no prices are stated for the variant"},
		{name: "bills unknown", variant: account("CNY", 0.9e6, 0.5e6, math.NaN(), 30e3, 5e5), simple: "unknown", discounted: "unknown", atLike: "unknown", extra: 400e3, saved: math.NaN()},
	} {
		p, err := ComparePayback(base, c.variant)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, want %q", c.name, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := p.AsBuilt; got.Simple.String() != c.simple || got.Discounted.String() != c.discounted || p.LikeWork.Simple.String() != c.atLike {
			t.Errorf("%s: %s, discounted %s, like work %s", c.name, got.Simple, got.Discounted, p.LikeWork.Simple)
		}
		if math.Abs(float64(p.AsBuilt.ExtraCapex)-c.extra) > 1e-6 || math.Abs(float64(p.AsBuilt.SavedPerYear)-c.saved) > 1e-6 || math.IsNaN(float64(p.AsBuilt.SavedPerYear)) != math.IsNaN(c.saved) {
			t.Errorf("%s: extra %v, saved %v", c.name, p.AsBuilt.ExtraCapex, p.AsBuilt.SavedPerYear)
		}
		notes := strings.Join(p.Notes, "; ")
		if !strings.Contains(notes, c.noteWanted) || c.noteNotExpected != "" && strings.Contains(notes, c.noteNotExpected) {
			t.Errorf("%s: notes %q", c.name, notes)
		}
	}
}

// Components are told by name in the order they first stand, and what a side doesn't list isn't called free where it
// states no capital at all.
func TestPaybackComponents(t *testing.T) {
	base := account("CNY", 1e6, 1e5, 5e5, 0, 5e5)
	variant := account("CNY", 1e6, 0, 4e5, 0, 5e5)
	variant.Money.Components[1] = sim.CapexLine{Name: "liquid loop", Amount: 4e5}
	p, err := ComparePayback(base, variant)
	if err != nil {
		t.Fatal(err)
	}
	want := []ComponentChange{{"servers", Change{1e6, 1e6}}, {"cooling", Change{1e5, 0}}, {"liquid loop", Change{0, 4e5}}}
	for i := range want {
		if len(p.Components) != len(want) || p.Components[i] != want[i] {
			t.Fatalf("%+v", p.Components)
		}
	}
	variant.Money.Components, variant.Money.Capex = nil, metrics.Unknown
	p, err = ComparePayback(base, variant)
	if err != nil || p.Components[0].Variant.Known() || p.AsBuilt.Simple.String() != "unknown" {
		t.Fatalf("%+v %v", p, err)
	}
	text, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(text), `"simple":{"years":null,"text":"unknown"}`) {
		t.Fatalf("%s %v", text, err)
	}
}

// Two variants of a scenario that were run: their capital by component is the same servers and a dearer plant, the saving
// that of their bills.
func TestPaybackOfRuns(t *testing.T) {
	money := `money:
  interest: 6%
  capex:
    - {what: servers, amount: 2M CNY, per: server, life: 5 y}
    - {what: chillers, amount: 3000 CNY, per: plant-kw, life: 20 y, maintenance: 3%}
`
	base := run(t, strings.Replace(priced, ", economizer: water-side", "", 1)+money, Options{})
	variant := run(t, priced+strings.Replace(money, "3000", "3100", 1), Options{})
	p, err := ComparePayback(base, variant)
	if err != nil {
		t.Fatal(err)
	}
	extra := float64(variant.Money.Components[1].Amount - base.Money.Components[1].Amount)
	saved := float64(base.Money.YearOperating-variant.Money.YearOperating) - 0.03*extra
	if math.Abs(float64(p.AsBuilt.ExtraCapex)-extra) > 1e-6 || math.Abs(float64(p.AsBuilt.SavedPerYear)-saved) > 1e-6*math.Abs(saved) || p.Interest != 0.06 {
		t.Errorf("%+v, want extra %v saved %v", p.AsBuilt, extra, saved)
	}
	if p.CarbonKg.Base <= 0 || p.CarbonKg.Difference() != p.CarbonKg.Variant-p.CarbonKg.Base {
		t.Errorf("carbon %+v", p.CarbonKg)
	}
}
