package cooling

import "math"

// Figures of the air paths. Exhaust that comes back over and around racks follows the cross-interference
// model of Tang, Gupta & Varsamopoulos (2008) reduced to one escape share per rack; the figures are
// modelling choices of an open implementation of it, not measurements (grade assumed).
const (
	escapeOpen         = 0.16 // of a rack's inlet air is exhaust in an open aisle, on average
	escapeContained    = 0.03 // with containment; 0.02 to 0.05
	escapeContainedMin = 0.02
	escapeContainedMax = 0.05
	escapePlace        = 0.45 // how much the place of a rack changes it: + this share at twice the mean distance
	escapeShortage     = 1.20 // more escapes in an open aisle that is short of air
	escapeMax          = 0.55
	gradientOpenK      = 4.0 // inlet at the top of a 42U rack over its bottom, open aisle; 3 to 5 K
	gradientContainedK = 1.0
	gradientHeightU    = 42.0
	mixedRecirculation = 1. / 3 // see Share
	MaxRecirculation   = 0.9    // the largest share that Share returns: 9 times the server's rise
)

// AirPaths says how much of the air that each rack of a room draws is exhaust. It is built once per room
// and is safe for concurrent use.
type AirPaths struct {
	contained bool
	doors     bool      // rear doors: nothing escapes, no gradient
	escape    []float64 // share of inlet air at full supply
	heightU   []float64
}

// NewAirPaths makes the air paths of a room from its racks: their centres on the floor plan (m), the row
// each stands in and their heights (U). All four slices have one entry a rack; rows only need to be equal
// within a row. Racks at the ends of a row, farther from its middle, take in more exhaust.
func NewAirPaths(containment Containment, rackXM, rackYM []float64, rows, heightU []int) *AirPaths {
	n := len(rackXM)
	a := &AirPaths{
		contained: containment != Open,
		doors:     containment == RearDoors,
		escape:    make([]float64, n),
		heightU:   make([]float64, n),
	}
	type row struct{ x, y, racks float64 }
	middles := map[int]row{}
	for i := range n {
		r := middles[rows[i]]
		middles[rows[i]] = row{r.x + rackXM[i], r.y + rackYM[i], r.racks + 1}
	}
	distanceM := make([]float64, n)
	meanM := 0.0
	for i := range n {
		r := middles[rows[i]]
		distanceM[i] = math.Hypot(rackXM[i]-r.x/r.racks, rackYM[i]-r.y/r.racks)
		meanM += distanceM[i] / float64(n)
	}
	for i := range n {
		place := 1.0
		if meanM > 0 {
			place = 1 + escapePlace*(distanceM[i]-meanM)/meanM
		}
		if a.doors {
			a.escape[i] = 0
		} else if a.contained {
			a.escape[i] = min(max(escapeContained*place, escapeContainedMin), escapeContainedMax)
		} else {
			a.escape[i] = min(escapeOpen*place, escapeMax)
		}
		a.heightU[i] = float64(heightU[i])
	}
	return a
}

// Share is the part of the air that a rack draws which is exhaust, and whether it was capped at
// MaxRecirculation. phi is the air delivered over the air drawn, 0 to 1.
//
// A server pulls its own flow, so at least 1−phi is exhaust whatever the containment. In a contained
// aisle escape and shortage are one leak, the larger counts; in an open one the escape share applies to
// the supply that does arrive, and grows with the shortage.
//
// At phi = 0, when no fan of the room turns, hot and cold air mix and the room's own temperature carries
// the heat: the share is then that of a mixed room whose inlets sit half the server's rise above the
// supply at the moment the fans stop (1/3, assumed). The share of a steady state would be 1 and its
// inlet temperature without bound.
func (a *AirPaths) Share(rack int, phi float64) (share float64, capped bool) {
	if phi <= 0 {
		return max(mixedRecirculation, a.escape[rack]), false
	}
	phi = min(phi, 1)
	if a.contained {
		share = max(1-phi, a.escape[rack])
	} else {
		escape := min(a.escape[rack]*(1+escapeShortage*(1-phi)), escapeMax)
		share = 1 - phi*(1-escape)
	}
	if share > MaxRecirculation {
		return MaxRecirculation, true
	}
	return share, false
}

// GradientK is how much warmer the inlet at the top of a rack is than at its bottom, at most: InletC bounds it
// by twice the rise by recirculation.
func (a *AirPaths) GradientK(rack int) float64 {
	if a.doors {
		return 0
	}
	gradientK := gradientOpenK
	if a.contained {
		gradientK = gradientContainedK
	}
	return gradientK * a.heightU[rack] / gradientHeightU
}

// InletC is the temperature of the air that a server draws in steady state:
// T_supply + r/(1−r)·ΔT, with r from Share and exhaustRiseK the rise of the air through the servers, plus
// a gradient with height in the rack. heightShare is where the server sits, 0 at the bottom of the rack
// and 1 at its top. The mean over the height is the steady state's and no inlet is below the supply.
func (a *AirPaths) InletC(rack int, supplyC, phi, exhaustRiseK, heightShare float64) float64 {
	r, _ := a.Share(rack, phi)
	riseK := r / (1 - r) * max(exhaustRiseK, 0)
	gradientK := min(a.GradientK(rack), 2*riseK)
	return supplyC + riseK + gradientK*(clamp01(heightShare)-0.5)
}
