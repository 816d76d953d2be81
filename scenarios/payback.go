package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"headroom/sim"
	"headroom/sim/ledger"
	"headroom/sim/metrics"
)

// Shares by which two sides may differ before a comparison of their money says so.
const (
	likeWorkShare   = 0.01 // effective GPU-hours a year
	likePeriodShare = 0.01 // length of the runs
)

// Payback is what a variant costs and saves over a base, as years like the two runs.
type Payback struct {
	Currency   string            `json:"currency"`
	Components []ComponentChange `json:"components"` // capital by component: those of the base in order, then those only the variant has
	Capex      Change            `json:"capex"`
	Operating  Change            `json:"year_operating"`   // energy, demand, water and carbon of a year
	Upkeep     Change            `json:"year_maintenance"` // of a year
	Total      Change            `json:"year_total"`       // TCO of a year
	CarbonKg   Change            `json:"year_carbon_kg"`
	GPUHours   Change            `json:"year_gpu_hours_effective"`
	PerGPUHour Change            `json:"per_gpu_hour"`
	Interest   sim.Num           `json:"interest_per_year"` // of the variant's account; it discounts
	// AsBuilt takes both sides whole; LikeWork takes the variant in the proportion that does the base's work, so that one
	// that holds more servers isn't charged for doing more.
	AsBuilt  PaybackTerm `json:"as_built"`
	LikeWork PaybackTerm `json:"like_work"`
	Notes    []string    `json:"notes"` // what makes the sides unlike
}

// Change is one figure on both sides.
type Change struct {
	Base    sim.Num `json:"base"`
	Variant sim.Num `json:"variant"`
}

// Difference is the variant less the base.
func (c Change) Difference() sim.Num { return c.Variant - c.Base }

// ComponentChange is one component of the capital cost; 0 on a side that lists its capital without it.
type ComponentChange struct {
	Name string `json:"name"`
	Change
}

// PaybackTerm is how long extra capital takes to come back.
type PaybackTerm struct {
	ExtraCapex   sim.Num `json:"extra_capex"`
	SavedPerYear sim.Num `json:"saved_per_year"` // operating and maintenance cost
	Simple       Years   `json:"simple"`
	Discounted   Years   `json:"discounted"`
}

// Years is a time to pay back: 0 where nothing is paid in advance, +Inf where it never comes back, NaN where a side is unknown.
type Years float64

// String says it in words a table can hold.
func (y Years) String() string {
	switch x := float64(y); {
	case math.IsNaN(x):
		return "unknown"
	case math.IsInf(x, 1):
		return "never pays back"
	case x == 0:
		return "at once"
	default:
		return strconv.FormatFloat(x, 'f', 1, 64) + " years"
	}
}

// MarshalJSON writes the years, null unless they are finite, and the words, which tell never from unknown.
func (y Years) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Years sim.Num `json:"years"`
		Text  string  `json:"text"`
	}{sim.Num(y), y.String()})
}

// ComparePayback reckons what variant costs and saves over base, both results of a run with an account (the scenario
// states prices). Accounts in two currencies are refused: state money.currency and money.rates alike on both sides.
// Capital or bills that a side does not state are unknown, and so is what follows from them. Neither result is changed.
func ComparePayback(base, variant *sim.Result) (*Payback, error) {
	a, b := base.Money, variant.Money
	switch {
	case a == nil && b == nil:
		return nil, errors.New("payback: no prices are stated on either side")
	case a == nil:
		return nil, errors.New("payback: no prices are stated for the base")
	case b == nil:
		return nil, errors.New("payback: no prices are stated for the variant")
	case a.Currency != b.Currency:
		return nil, fmt.Errorf("payback: an account in %s beside one in %s, and no rate between them: state money.currency and money.rates alike", a.Currency, b.Currency)
	}
	perYearA, perYearB := sim.Num(yearHours*3600/base.Run.LengthS), sim.Num(yearHours*3600/variant.Run.LengthS)
	p := &Payback{
		Currency: a.Currency, Components: componentChanges(a, b),
		Capex:     Change{a.Capex, b.Capex},
		Operating: Change{a.YearOperating, b.YearOperating},
		// What states capital states its upkeep, 0 by default; without capital there is none to keep up.
		Upkeep:     Change{a.YearUpkeep, b.YearUpkeep},
		Total:      Change{a.YearTotal, b.YearTotal},
		CarbonKg:   Change{base.Energy.CarbonKg * perYearA, variant.Energy.CarbonKg * perYearB},
		GPUHours:   Change{base.Compute.GPUHoursEffective * perYearA, variant.Compute.GPUHoursEffective * perYearB},
		PerGPUHour: Change{a.PerGPUHour, b.PerGPUHour},
		Interest:   b.Interest,
		Notes:      []string{},
	}
	p.AsBuilt = p.term(1)
	scale := metrics.Unknown
	if p.GPUHours.Variant > 0 && p.GPUHours.Base > 0 {
		scale = p.GPUHours.Base / p.GPUHours.Variant
	}
	p.LikeWork = p.term(scale)

	note := func(format string, args ...any) { p.Notes = append(p.Notes, fmt.Sprintf(format, args...)) }
	if x := float64(scale); !math.IsNaN(x) && math.Abs(1/x-1) > likeWorkShare {
		note("the variant does %.3g times the work of the base: as built it is charged for all of it, at like work for the base's share", 1/x)
	}
	if d := math.Abs(base.Run.LengthS/variant.Run.LengthS - 1); d > likePeriodShare {
		note("the runs last %.4g and %.4g days: each is taken for a year like itself", base.Run.LengthS/86400, variant.Run.LengthS/86400)
	} else if days := base.Run.LengthS / 86400; days < 364 {
		note("the runs last %.4g days: seasons they leave out are not in a year like them", days)
	}
	if a.Interest != b.Interest {
		note("the two sides reckon with %.3g and %.3g %% of interest; the variant's discounts", 100*a.Interest, 100*b.Interest)
	}
	if p.LikeWork.ExtraCapex <= 0 && p.LikeWork.SavedPerYear < 0 {
		note("at like work the variant is cheaper to buy and dearer to run: nothing is there to pay back, its yearly cost only grows beyond what it spared")
	}
	life := 0.0
	for _, c := range b.Components {
		life = math.Max(life, float64(c.LifeYears))
	}
	for _, t := range []struct {
		name string
		PaybackTerm
	}{{"as built", p.AsBuilt}, {"at like work", p.LikeWork}} {
		if y := float64(t.Discounted); life > 0 && y > life && !math.IsInf(y, 1) {
			note("%s it pays back after %.3g years, later than the longest life of its components, %.3g years", t.name, y, life)
		}
	}
	return p, nil
}

// yearHours are the hours of the year that yearly figures are of.
const yearHours = ledger.HoursPerYear

// term is the payback with the variant taken in a proportion.
func (p *Payback) term(scale sim.Num) PaybackTerm {
	saved := p.Operating.Base + p.Upkeep.Base - scale*(p.Operating.Variant+p.Upkeep.Variant)
	extra := scale*p.Capex.Variant - p.Capex.Base
	return PaybackTerm{
		ExtraCapex: extra, SavedPerYear: saved,
		Simple:     Years(ledger.Payback(float64(extra), float64(saved))),
		Discounted: Years(ledger.DiscountedPayback(float64(extra), float64(saved), float64(p.Interest))),
	}
}

// componentChanges joins the components of both sides by name; lines of one name are added.
func componentChanges(a, b *sim.Account) []ComponentChange {
	list := []ComponentChange{}
	at := map[string]int{}
	nothing := func(c []sim.CapexLine) sim.Num { // of a side that states no capital at all
		if len(c) == 0 {
			return metrics.Unknown
		}
		return 0
	}
	absent := Change{nothing(a.Components), nothing(b.Components)}
	line := func(name string) *Change {
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, ComponentChange{name, absent})
		}
		return &list[i].Change
	}
	for _, c := range a.Components {
		line(c.Name).Base += c.Amount
	}
	for _, c := range b.Components {
		line(c.Name).Variant += c.Amount
	}
	return list
}
