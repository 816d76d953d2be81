package sim

import (
	"math"

	"headroom/sim/ledger"
	"headroom/sim/metrics"
)

// Prices are what money is reckoned with; currencies are converted only by the rates stated.
type Prices struct {
	Currency         string // of every total; "" where no price is stated
	Rates            ledger.Rates
	EnergyCurrency   string
	DemandPerKWMonth ledger.Money // NaN: none stated
	WaterPerM3       ledger.Money
	CarbonPerKg      ledger.Money // price of carbon dioxide
	Rate             float64      // interest a year
	Capex            []ledger.Component
	// CloudPerGPUHour is the list price of a like GPU on demand; SpotPerDay interruptions of LostS each.
	CloudPerGPUHour ledger.Money
	SpotPerDay      float64
	LostS           float64
}

// Account is the money of a run. Bills are over the run; the rest is a year like it.
type Account struct {
	Currency       string       `json:"currency"`
	Bills          []Money      `json:"bills"` // by currency, over the run
	Energy         Num          `json:"energy_cost"`
	MeanPerKWh     Num          `json:"mean_price_per_kwh"` // energy-weighted
	Demand         Num          `json:"demand_cost"`
	Water          Num          `json:"water_cost"`
	Carbon         Num          `json:"carbon_cost"`
	Interest       Num          `json:"interest_per_year"` // in annuities
	Capex          Num          `json:"capex"`
	Components     []CapexLine  `json:"components"`
	YearCapital    Num          `json:"year_capital"`
	YearUpkeep     Num          `json:"year_maintenance"`
	YearOperating  Num          `json:"year_operating"` // energy, demand, water and carbon
	YearTotal      Num          `json:"year_total"`     // TCO
	PerGPUHour     Num          `json:"per_gpu_hour"`   // of effective GPU-hours
	PerGPUHourHeld Num          `json:"per_gpu_hour_available"`
	PerPFLOPDay    Num          `json:"per_pflop_day"`
	Cloud          []CloudPrice `json:"cloud"`
}

// CapexLine is one component of the capital cost.
type CapexLine struct {
	Name      string `json:"name"`
	Amount    Num    `json:"amount"`
	LifeYears Num    `json:"life_years"`
	YearCost  Num    `json:"year_cost"` // annuity and maintenance
}

// CloudPrice is what renting the same work would cost a year.
type CloudPrice struct {
	Offer      string `json:"offer"`
	GPUHours   Num    `json:"gpu_hours"`
	Year       Num    `json:"year"`
	PerGPUHour Num    `json:"per_gpu_hour"`
}

// money reckons a run, nil where no price is stated. All totals are in the account's currency; the scenario
// is refused before a run when a rate is missing, and a total that lacks one anyway is unknown.
func (e *engine) money(r *Result, u ledger.Usage) *Account {
	p := &e.cfg.Money
	if p.Currency == "" {
		return nil
	}
	un := metrics.Unknown
	a := &Account{
		Currency: p.Currency, Bills: []Money{}, Energy: un, MeanPerKWh: un, Demand: un, Water: un, Carbon: un, Interest: Num(p.Rate), Capex: un, Components: []CapexLine{},
		YearCapital: un, YearUpkeep: un, YearOperating: un, YearTotal: un, PerGPUHour: un, PerGPUHourHeld: un, PerPFLOPDay: un, Cloud: []CloudPrice{},
	}
	into := func(m ledger.Money) float64 {
		x, err := p.Rates.Convert(m)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	perYear := yearS / e.lengthS()
	var bills []ledger.Money
	operating, billed := 0.0, false
	bill := func(m ledger.Money) Num {
		bills = append(bills, m)
		x := into(m)
		operating, billed = operating+x, true
		return Num(x)
	}
	if e.cfg.price().Known() {
		energy := ledger.Money{Currency: p.EnergyCurrency, Amount: e.m.over(cCost) / jPerKWh}
		a.Energy = bill(energy)
		a.MeanPerKWh = ratio(float64(a.Energy), u.FacilityKWh)
	}
	if d := p.DemandPerKWMonth; !math.IsNaN(d.Amount) && d.Currency != "" {
		d.Amount = ledger.DemandCharge(d.Amount, ledger.MonthlyPeaks(e.seriesPowerW()))
		a.Demand = bill(d)
	}
	if w := p.WaterPerM3; !math.IsNaN(w.Amount) && w.Currency != "" {
		w.Amount *= u.WaterL / 1000
		a.Water = bill(w)
	}
	for _, b := range ledger.Sum(bills...) { // carbon is a cost of the owner's own reckoning, no bill
		a.Bills = append(a.Bills, Money{Currency: b.Currency, Amount: Num(b.Amount)})
	}
	if c := p.CarbonPerKg; !math.IsNaN(c.Amount) && c.Currency != "" && !math.IsNaN(u.CarbonKg) {
		x := into(ledger.Money{Currency: c.Currency, Amount: c.Amount * u.CarbonKg})
		a.Carbon, operating = Num(x), operating+x
	}
	if billed {
		a.YearOperating = Num(operating * perYear)
	}
	if len(p.Capex) > 0 {
		var capex, capital, upkeep float64
		for _, c := range p.Capex {
			c.Capex = ledger.Money{Currency: p.Currency, Amount: into(c.Capex)}
			annuity, maintenance := c.Annual(p.Rate)
			capex, capital, upkeep = capex+c.Capex.Amount, capital+annuity, upkeep+maintenance
			a.Components = append(a.Components, CapexLine{
				Name: c.Name, Amount: Num(c.Capex.Amount), LifeYears: Num(c.LifeYears), YearCost: Num(annuity + maintenance),
			})
		}
		a.Capex, a.YearCapital, a.YearUpkeep = Num(capex), Num(capital), Num(upkeep)
		if billed {
			total := capital + upkeep + operating*perYear
			a.YearTotal = Num(total)
			a.PerGPUHour = Num(ledger.UnitCost(total, float64(r.Compute.GPUHoursEffective)*perYear))
			a.PerGPUHourHeld = Num(ledger.UnitCost(total, float64(r.Compute.GPUHoursAvailable)*perYear))
			a.PerPFLOPDay = Num(ledger.UnitCost(total, e.m.over(cWork)/86400*perYear))
		}
	}
	if c := p.CloudPerGPUHour; c.Currency != "" {
		useful, gpus := float64(r.Compute.GPUHoursEffective)*perYear, float64(r.Capacity.GPUsPlaced)
		for _, o := range ledger.Offers(into(c), p.SpotPerDay, p.LostS) {
			x := o.Rent(useful, gpus, ledger.HoursPerYear)
			a.Cloud = append(a.Cloud, CloudPrice{Offer: o.Name, GPUHours: Num(x.GPUHours), Year: Num(x.Cost), PerGPUHour: Num(x.PerHour)})
		}
	}
	return a
}
