package report

import (
	"fmt"
	"math"

	"headroom/plots/show"
	"headroom/sim"
)

// accounts are the rows of the energy table that split water, cooling and PUE further.
func accounts(e *sim.Energy) [][]string {
	var rows [][]string
	add := func(name, value string) { rows = append(rows, []string{name, value}) }
	add("design PUE (plan basis, design day)", show.Ratio(float64(e.DesignPUE), 3))
	add("ITUE (IT over compute)", show.Ratio(float64(e.ITUE), 3))
	for _, z := range e.PartialPUE {
		add("pPUE, "+z.Zone, show.Ratio(float64(z.PPUE), 3))
	}
	add("water: evaporation, blowdown, drift", show.Litres(float64(e.EvaporationL))+", "+show.Litres(float64(e.BlowdownL))+", "+show.Litres(float64(e.DriftL)))
	hours := func(n sim.Num) string { return withUnit(float64(n), "h") }
	add("cooled without compressors, in part, by compressors alone", hours(e.FreeCoolingH)+", "+hours(e.PartialCoolingH)+", "+hours(e.MechanicalCoolingH))
	if e.CarbonKg.Known() {
		add("carbon dioxide", withUnit(float64(e.CarbonKg), "kg"))
	}
	return rows
}

// money prints the account of a run; nothing where no price is stated.
func (d *doc) money() {
	a := d.r.Money
	if a == nil {
		return
	}
	d.section("Money")
	amount := func(n sim.Num) string {
		if !n.Known() {
			return show.Unknown
		}
		return show.Number(float64(n), digitsFor(float64(n))) + " " + plain(a.Currency)
	}
	rows := [][]string{}
	add := func(name string, n sim.Num) {
		if n.Known() {
			rows = append(rows, []string{name, amount(n)})
		}
	}
	add("energy, this run", a.Energy)
	add("mean price of a kWh", a.MeanPerKWh)
	add("demand charge, this run", a.Demand)
	add("water, this run", a.Water)
	add("carbon, this run", a.Carbon)
	add("capital cost", a.Capex)
	add("a year: capital", a.YearCapital)
	add("a year: maintenance", a.YearUpkeep)
	add("a year: energy, demand, water and carbon", a.YearOperating)
	add("**a year: total cost of ownership**", a.YearTotal)
	add("an effective GPU-hour", a.PerGPUHour)
	add("an available GPU-hour", a.PerGPUHourHeld)
	add("a PFLOP/s-day", a.PerPFLOPDay)
	d.table([]string{"figure", ">value"}, rows)
	if len(a.Components) > 0 {
		rows = nil
		for _, c := range a.Components {
			rows = append(rows, []string{plain(c.Name), amount(c.Amount), withUnit(float64(c.LifeYears), "y"), amount(c.YearCost)})
		}
		d.table([]string{"component", ">cost", ">life", ">a year"}, rows)
	}
	if len(a.Cloud) > 0 {
		rows = nil
		for _, c := range a.Cloud {
			rows = append(rows, []string{c.Offer, show.GPUHours(float64(c.GPUHours)), amount(c.Year), amount(c.PerGPUHour)})
		}
		d.table([]string{"the same work rented", ">paid for", ">a year", ">per effective GPU-hour"}, rows)
		d.para("Reserved at 40 % off the list price and paid whether used or not; spot at 30 % of it, longer by what interruptions undo (planning figures, assumed).")
	}
	if a.YearTotal.Known() {
		d.para(fmt.Sprintf("Yearly figures are those of a year like this run of %s.", show.Seconds(d.r.Run.LengthS)))
	}
}

// digitsFor gives small amounts four significant digits and large ones every digit before the point.
func digitsFor(v float64) int {
	if v = math.Abs(v); v < 1000 {
		return 4
	}
	return int(math.Log10(v)) + 1
}
