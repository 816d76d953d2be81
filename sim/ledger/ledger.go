// Package ledger is the arithmetic of money, carbon and energy ratios: tariffs through time, bills, annuities,
// total cost of ownership, unit costs, payback and what the cloud would ask instead. Everything is a pure
// function; amounts carry their currency, and two currencies are added only through a stated rate.
//
// Prices are per kWh, per kW and calendar month, per m³ of water, per kg of carbon dioxide. Times are local wall
// clock held in UTC. Left out: taxes, depreciation for taxes, inflation, residual values.
package ledger

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Money is an amount in one currency (ISO 4217); NaN is unknown.
type Money struct {
	Currency string
	Amount   float64
}

// Sum adds amounts currency by currency, in order of first appearance. Nothing is added across currencies.
func Sum(list ...Money) []Money {
	var out []Money
	for _, m := range list {
		i := slices.IndexFunc(out, func(o Money) bool { return o.Currency == m.Currency })
		if i < 0 {
			out = append(out, m)
			continue
		}
		out[i].Amount += m.Amount
	}
	return out
}

// Rates convert into one currency: a unit of each currency named is worth so many of Into.
type Rates struct {
	Into string
	Per  map[string]float64
}

// Convert gives an amount in r.Into, or an error that names both currencies where no rate is stated.
func (r Rates) Convert(m Money) (float64, error) {
	if m.Currency == r.Into {
		return m.Amount, nil
	}
	if rate, ok := r.Per[m.Currency]; ok {
		return m.Amount * rate, nil
	}
	return math.NaN(), fmt.Errorf("an amount in %s beside %s, and no rate between them", m.Currency, r.Into)
}

// Total converts and adds; every currency without a rate is named at once.
func (r Rates) Total(list ...Money) (float64, error) {
	total := 0.0
	var missing []string
	for _, m := range list {
		x, err := r.Convert(m)
		if err != nil {
			if !slices.Contains(missing, m.Currency) {
				missing = append(missing, m.Currency)
			}
			continue
		}
		total += x
	}
	if len(missing) > 0 {
		return math.NaN(), fmt.Errorf("amounts in %s beside %s, and no rates between them", strings.Join(missing, ", "), r.Into)
	}
	return total, nil
}

// HoursPerYear is the length of a year in unit costs (365 days).
const HoursPerYear = 8760.0

// CRF is the capital recovery factor r(1+r)^n/((1+r)^n − 1): the yearly payment over n years that is worth 1
// now at an interest of r a year; 1/n at r = 0. NaN for a life that is not above 0 or a rate of −100 % and less.
func CRF(rate, years float64) float64 {
	if !(years > 0) || !(rate > -1) {
		return math.NaN()
	}
	if rate == 0 || math.IsInf(years, 1) {
		if rate == 0 {
			return 1 / years
		}
		return rate
	}
	// r/(1 − (1+r)^−n), without losing digits at small rates.
	return rate / -math.Expm1(-years*math.Log1p(rate))
}

// Component is one line of capital cost.
type Component struct {
	Name        string
	Capex       Money
	LifeYears   float64
	Maintenance float64 // share of capex a year
}

// Annual is a component's cost a year in its own currency: annuity and maintenance.
func (c Component) Annual(rate float64) (annuity, maintenance float64) {
	return c.Capex.Amount * CRF(rate, c.LifeYears), c.Capex.Amount * c.Maintenance
}

// Savings is what a lower PUE saves a year at a steady IT load: IT · ΔPUE · 8,760 h · price.
// 48 kW from 1.6 to 1.2 at 0.70 a kWh: 117,734.
func Savings(itKW, fromPUE, toPUE, perKWh float64) float64 {
	return itKW * (fromPUE - toPUE) * HoursPerYear * perKWh
}

// Payback is the years after which a dearer variant has paid for itself: extra capital over yearly savings.
// 0 where it costs nothing more and saves, +Inf where it never does, NaN where either is unknown or both are 0.
func Payback(extraCapex, savingsPerYear float64) float64 {
	switch {
	case math.IsNaN(extraCapex) || math.IsNaN(savingsPerYear):
		return math.NaN()
	case extraCapex <= 0 && savingsPerYear >= 0:
		if extraCapex == 0 && savingsPerYear == 0 {
			return math.NaN()
		}
		return 0
	case savingsPerYear <= 0:
		return math.Inf(1)
	}
	return extraCapex / savingsPerYear
}

// DiscountedPayback is the years after which yearly savings, each worth less by the interest rate the later it comes, add
// up to the extra capital: −ln(1 − extra·rate/savings)/ln(1 + rate). +Inf where they never do, else as Payback.
func DiscountedPayback(extraCapex, savingsPerYear, rate float64) float64 {
	simple := Payback(extraCapex, savingsPerYear)
	switch {
	case math.IsNaN(rate) || rate < 0:
		return math.NaN()
	case rate == 0 || simple == 0 || math.IsNaN(simple) || math.IsInf(simple, 1):
		return simple
	case simple*rate >= 1:
		return math.Inf(1)
	}
	return -math.Log1p(-simple*rate) / math.Log1p(rate)
}

// UnitCost is cost over what was made for it, NaN where nothing was.
func UnitCost(cost, units float64) float64 {
	if !(units > 0) {
		return math.NaN()
	}
	return cost / units
}
