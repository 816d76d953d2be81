package ledger

import "math"

// Ways of renting, as shares of the list price. Reserved contracts take 30 to 50 % off, spot capacity goes down
// to 30 % of list (planning figures; grade assumed).
const (
	ReservedShare = 0.60 // 40 % off, the middle of 30 to 50 %
	SpotShare     = 0.30
)

// Offer is GPU time for rent.
type Offer struct {
	Name        string
	PerGPUHour  float64 // list price, on demand
	Share       float64 // of the list price that is paid
	PerDay      float64 // interruptions of a job in a day; 0: none
	LostS       float64 // work lost and restarted at each, s
	Commitment  float64 // hours of a year that are paid whether used or not, as a share; 0: only what is used
	Description string
}

// Offers are the three usual ways to rent at one list price. Spot capacity is taken away interruptionsPerDay
// times, at lostS of work each.
func Offers(perGPUHour, interruptionsPerDay, lostS float64) []Offer {
	return []Offer{
		{Name: "on demand", PerGPUHour: perGPUHour, Share: 1},
		{Name: "reserved", PerGPUHour: perGPUHour, Share: ReservedShare, Commitment: 1},
		{Name: "spot", PerGPUHour: perGPUHour, Share: SpotShare, PerDay: interruptionsPerDay, LostS: lostS},
	}
}

// Rented is what an offer costs for the same work.
type Rented struct {
	GPUHours float64 // paid for
	Cost     float64
	PerHour  float64 // per GPU-hour of work done
}

// Rent prices usefulGPUHours of work that gpus do in hours on an offer: interruptions make it longer, and a
// commitment is paid in full. NaN where interruptions leave no time to work.
func (o Offer) Rent(usefulGPUHours, gpus, hours float64) Rented {
	lost := o.PerDay * o.LostS / 86400
	if !(lost < 1) || !(usefulGPUHours >= 0) {
		return Rented{math.NaN(), math.NaN(), math.NaN()}
	}
	paid := usefulGPUHours / (1 - lost)
	paid = max(paid, o.Commitment*gpus*hours)
	cost := paid * o.PerGPUHour * o.Share
	return Rented{GPUHours: paid, Cost: cost, PerHour: UnitCost(cost, usefulGPUHours)}
}

// BreakEvenUtilization is the share of its hours that an own GPU has to work for its cost to equal renting by
// use: cost of a year over what a year on the offer costs at full use. Above 1 renting is always cheaper.
func (o Offer) BreakEvenUtilization(ownCostPerGPUYear float64) float64 {
	return ownCostPerGPUYear / o.Rent(HoursPerYear, 1, HoursPerYear).Cost
}
