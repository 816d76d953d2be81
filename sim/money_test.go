package sim

import (
	"math"
	"testing"

	"headroom/sim/metrics"
)

func TestPaybackOfAVariant(t *testing.T) {
	account := func(currency string, capex, operating, upkeep float64) *Result {
		return &Result{Money: &Account{Currency: currency, Capex: Num(capex), YearOperating: Num(operating), YearUpkeep: Num(upkeep)}}
	}
	base := account("CNY", 1e6, 500e3, 20e3)
	for _, c := range []struct {
		name    string
		variant *Result
		want    float64
		fails   bool
	}{
		{"dearer and thriftier", account("CNY", 1.4e6, 390e3, 30e3), 4, false},
		{"dearer and no thriftier", account("CNY", 1.4e6, 500e3, 20e3), math.Inf(1), false},
		{"cheaper and thriftier", account("CNY", 0.9e6, 400e3, 20e3), 0, false},
		{"the same", account("CNY", 1e6, 500e3, 20e3), math.NaN(), false},
		{"another currency", account("USD", 1.4e6, 390e3, 30e3), math.NaN(), true},
		{"no account", &Result{}, math.NaN(), true},
		{"capital unknown", account("CNY", float64(metrics.Unknown), 1, 1), math.NaN(), false},
	} {
		got, err := Payback(base, c.variant)
		if (err != nil) != c.fails || !(math.Abs(got-c.want) < 1e-9 || math.IsNaN(got) && math.IsNaN(c.want) || got == c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}
