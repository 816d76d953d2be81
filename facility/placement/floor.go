package placement

// StandardGravity turns kg into N (ISO 80000-3).
const StandardGravity = 9.80665 // m/s2

// FloorKPa returns the static load of a rack on its bare footprint, kN/m²; clearance around it spreads
// the load and is not counted.
func FloorKPa(kg, widthM, depthM float64) float64 {
	return kg * StandardGravity / 1000 / (widthM * depthM)
}

// PanelLoad is what the panels of a raised floor carry of a rack, in the unit of its weight.
type PanelLoad struct {
	Corner   float64 // one of four feet
	OneThird float64 // the most one panel is counted to take of one rack
	TwoRacks float64 // one panel under two racks side by side
	Rolling  float64 // one axle while it is moved
}

// PanelLoads returns the loads of a rack of some weight by the rules of raised-floor makers (Tate) and
// of IBM's site planning: a quarter on each foot, a third of a rack on one panel, half on an axle.
func PanelLoads(weight float64) PanelLoad {
	return PanelLoad{Corner: weight / 4, OneThird: weight / 3, TwoRacks: 2 * weight / 3, Rolling: weight / 2}
}

// Heat of one rack, W, at which air gets harder: below AirEasyW air will do, to AirMarginalW it takes care, to
// AirHardW it hardly does, above that racks want liquid (an operator's bands, China).
const (
	AirEasyW     = 8_000
	AirMarginalW = 15_000
	AirHardW     = 25_000
)

// CoolingBand says what cools a rack of some heat: "air", "air with care", "hardly air" or "liquid".
func CoolingBand(heatW int64) string {
	switch {
	case heatW < AirEasyW:
		return "air"
	case heatW < AirMarginalW:
		return "air with care"
	case heatW <= AirHardW:
		return "hardly air"
	}
	return "liquid"
}
