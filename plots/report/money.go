package report

import (
	"math"

	"headroom/plots/show"
	"headroom/sim"
)

// accounts are the rows of the energy table that split water, cooling and PUE further.
func accounts(e *sim.Energy) [][]cell {
	var rows [][]cell
	add := func(name string, value cell) { rows = append(rows, row(words(name), value)) }
	add("design PUE (plan basis, design day)", ratio(float64(e.DesignPUE), 3))
	add("ITUE (IT over compute)", ratio(float64(e.ITUE), 3))
	for _, z := range e.PartialPUE {
		add("pPUE, "+z.Zone, ratio(float64(z.PPUE), 3))
	}
	if len(e.Zones) > 1 { // one is the whole building
		for _, z := range e.Zones {
			add("pPUE of the heat into "+z.Zone, ratio(float64(z.PPUE), 3))
		}
	}
	add("water evaporated", litres(float64(e.EvaporationL)))
	add("water blown down", litres(float64(e.BlowdownL)))
	add("water drifted away", litres(float64(e.DriftL)))
	add("cooled without compressors", figure(float64(e.FreeCoolingH), 3, "h"))
	add("cooled by compressors in part", figure(float64(e.PartialCoolingH), 3, "h"))
	add("cooled by compressors alone", figure(float64(e.MechanicalCoolingH), 3, "h"))
	if e.CarbonKg.Known() {
		add("carbon dioxide", figure(float64(e.CarbonKg), 3, "kg"))
	}
	return rows
}

// money prints the account of a run; nothing where no price is stated.
func (d *doc) money() {
	a := d.r.Money
	if a == nil {
		return
	}
	d.Section("Money")
	var rows [][]cell
	add := func(name string, n sim.Num) {
		if n.Known() {
			rows = append(rows, row(words(name), amount(n, a.Currency)))
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
	if a.YearTotal.Known() {
		rows = append(rows, row(strong("a year: total cost of ownership"), emph(amount(a.YearTotal, a.Currency))))
	}
	add("an effective GPU-hour", a.PerGPUHour)
	add("an available GPU-hour", a.PerGPUHourHeld)
	add("a PFLOP/s-day", a.PerPFLOPDay)
	d.table("money", []string{"figure", ">value"}, rows)
	if len(a.Components) > 0 {
		rows = nil
		for _, c := range a.Components {
			rows = append(rows, row(words(c.Name), amount(c.Amount, a.Currency), figure(float64(c.LifeYears), 3, "y"), amount(c.YearCost, a.Currency)))
		}
		d.table("cost by component", []string{"component", ">cost", ">life", ">a year"}, rows)
	}
	if len(a.Cloud) > 0 {
		rows = nil
		for _, c := range a.Cloud {
			rows = append(rows, row(words(c.Offer), gpuHours(float64(c.GPUHours)), amount(c.Year, a.Currency), amount(c.PerGPUHour, a.Currency)))
		}
		d.table("rented", []string{"the same work rented", ">paid for", ">a year", ">per effective GPU-hour"}, rows)
		d.say("Reserved at 40 %% off the list price and paid whether used or not; spot at 30 %% of it, longer by what interruptions undo (planning figures, assumed).")
	}
	if a.YearTotal.Known() {
		d.say("Yearly figures are those of a year like this run of %s.", show.Seconds(d.r.Run.LengthS))
	}
}

// digitsFor gives small amounts four significant digits and large ones every digit before the point.
func digitsFor(v float64) int {
	if v = math.Abs(v); v < 1000 {
		return 4
	}
	return int(math.Log10(v)) + 1
}
