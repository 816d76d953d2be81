package ledger

import (
	"math"
	"time"
)

// Usage is a period's energy and water, kWh and litres. NaN is unknown.
type Usage struct {
	FacilityKWh, ITKWh, ComputeKWh float64
	WaterL, CarbonKg, ReusedKWh    float64
}

// PUE is facility over IT energy, NaN without IT energy.
func (u Usage) PUE() float64 { return UnitCost(u.FacilityKWh, u.ITKWh) }

// ITUE is IT over compute energy: what fans, supplies and regulators inside the servers take.
func (u Usage) ITUE() float64 { return UnitCost(u.ITKWh, u.ComputeKWh) }

// TUE is facility over compute energy, ITUE times PUE. At fixed compute its change is that of total power.
func (u Usage) TUE() float64 { return UnitCost(u.FacilityKWh, u.ComputeKWh) }

// WUE is site water over IT energy, L/kWh (ISO/IEC 30134-9).
func (u Usage) WUE() float64 { return UnitCost(u.WaterL, u.ITKWh) }

// CUE is carbon over IT energy, kg/kWh (ISO/IEC 30134-8).
func (u Usage) CUE() float64 { return UnitCost(u.CarbonKg, u.ITKWh) }

// ERF is reused over facility energy (ISO/IEC 30134-6).
func (u Usage) ERF() float64 { return UnitCost(u.ReusedKWh, u.FacilityKWh) }

// ERE is PUE with reused energy taken off.
func (u Usage) ERE() float64 { return UnitCost(u.FacilityKWh-u.ReusedKWh, u.ITKWh) }

// PartialPUE is (IT + what a zone adds)/IT, NaN without IT energy (ISO/IEC 30134-2).
func PartialPUE(itKWh, zoneKWh float64) float64 { return UnitCost(itKWh+zoneKWh, itKWh) }

// PUEName names a PUE as ISO/IEC 30134-2 does: "PUE3" over twelve months or more, "iPUE3" (interim) over less.
func PUEName(category string, period time.Duration) string {
	const year = 365 * 24 * time.Hour
	if period < year {
		return "i" + category
	}
	return category
}

// Change is (b − a)/a, NaN for a = 0.
func Change(a, b float64) float64 {
	if a == 0 {
		return math.NaN()
	}
	return (b - a) / a
}
