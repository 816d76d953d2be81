package power

import "math"

// Continuous-load derates. A derate is always an input; these are the two usual values.
const (
	NECContinuous = 0.8 // NEC: a load of 3 h or more uses at most 80 % of the breaker, unless it is 100 %-rated
	IECContinuous = 1.0 // IEC practice: the breaker's rating
)

// ThreePhaseVA returns √3·V·I for a voltage line to line.
func ThreePhaseVA(voltsLL, amps float64) float64 { return math.Sqrt(3) * voltsLL * amps }

// ThreePhaseVAFromLN returns 3·V·I for a voltage line to neutral.
func ThreePhaseVAFromLN(voltsLN, amps float64) float64 { return 3 * voltsLN * amps }

// SinglePhaseVA returns V·I.
func SinglePhaseVA(volts, amps float64) float64 { return volts * amps }

// LegAmps returns the current in one leg of a balanced three-phase load.
func LegAmps(va, voltsLL float64) float64 { return va / (math.Sqrt(3) * voltsLL) }

// NeutralA returns the current in the neutral for leg currents in A at one power factor, without
// harmonics: √(a² + b² + c² − ab − bc − ca).
func NeutralA(a, b, c float64) float64 {
	return math.Sqrt(math.Max(0, a*a+b*b+c*c-a*b-b*c-c*a))
}

// LegFloorA is the mean leg current below which no imbalance is stated: a ratio over almost nothing.
const LegFloorA = 0.5

// Balance is how evenly three legs are loaded.
type Balance struct {
	MeanA     float64
	Imbalance float64 // largest deviation from the mean over the mean; NaN below LegFloorA
	WorstA    float64 // the highest leg
	NeutralA  float64
}

// BalanceOf returns the balance of leg currents in A.
func BalanceOf(l1, l2, l3 float64) Balance {
	b := Balance{MeanA: (l1 + l2 + l3) / 3, WorstA: max(l1, l2, l3), NeutralA: NeutralA(l1, l2, l3), Imbalance: math.NaN()}
	if b.MeanA >= LegFloorA {
		b.Imbalance = max(b.WorstA-b.MeanA, b.MeanA-min(l1, l2, l3)) / b.MeanA
	}
	return b
}

// Imbalance bands of Verdict: an operator's rule of thumb, not a standard.
const (
	ImbalanceNote = 0.10
	ImbalanceAct  = 0.20
)

// Verdict says what to do about an imbalance.
func (b Balance) Verdict() string {
	switch {
	case math.IsNaN(b.Imbalance):
		return "unknown"
	case b.Imbalance <= ImbalanceNote:
		return "balanced"
	case b.Imbalance <= ImbalanceAct:
		return "correct soon"
	}
	return "correct now"
}

// Legs splits a load in whole watts over three legs; the remainder goes to L1, then L2.
func Legs(w int64) [3]int64 {
	q, r := w/3, w%3
	legs := [3]int64{q, q, q}
	for i := range r {
		legs[i]++
	}
	return legs
}

// CordLoad returns what one cord of a server with n supplies carries when all share its load, and when
// only active of them do. The difference is the uncertainty of a plan that does not know which share.
func CordLoad(loadW float64, n, active int) (evenW, unevenW float64) {
	return loadW / float64(n), loadW / float64(active)
}

// UPS sizing factors: output rating over load (JGJ 16-2008; GB 50174 for computers).
const (
	UPSFactorComputers = 1.2
	UPSFactorOther     = 1.3 // over the largest load
)

// UPSModules returns how many modules hold a requirement with none above maxShare of its rating, and
// how many to install so that redundant of them may be lost. Both powers are in the same unit.
func UPSModules(required, module, maxShare float64, redundant int) (needed, installed int) {
	needed = max(1, int(math.Ceil(required/(module*maxShare)*(1-floorTolerance))))
	return needed, needed + redundant
}

// GeneratorRule is how far a generator set's rating falls with altitude and intake air.
type GeneratorRule struct {
	FreeM, PerM float64 // no loss up to FreeM above the sea, then PerM of the rating for each m
	FreeC, PerK float64 // no loss up to FreeC of intake air, then PerK of the rating for each K
}

// TurboDiesel is what makers of turbocharged diesel sets commonly state (assumed: sheets differ from set to
// set): 4 % for every 300 m above 1,000 m, 2 % for every 5 K above 40 °C.
var TurboDiesel = GeneratorRule{FreeM: 1000, PerM: 0.04 / 300, FreeC: 40, PerK: 0.02 / 5}

// Derate returns the share of the rating that is left at an altitude and an intake air temperature, 0 or more.
func (r GeneratorRule) Derate(altitudeM, intakeC float64) float64 {
	return math.Max(0, 1-math.Max(0, altitudeM-r.FreeM)*r.PerM-math.Max(0, intakeC-r.FreeC)*r.PerK)
}

// LossThrough returns the loss curve through three efficiencies at three shares of rated output, as makers of
// supplies and power shelves state them: loss = x·(1/η − 1).
func LossThrough(x, efficiency [3]float64) Loss {
	var y [3]float64
	for i := range y {
		y[i] = x[i] * (1/efficiency[i] - 1)
	}
	// Newton's divided differences.
	d01, d12 := (y[1]-y[0])/(x[1]-x[0]), (y[2]-y[1])/(x[2]-x[1])
	c := (d12 - d01) / (x[2] - x[0])
	return Loss{A: y[0] - d01*x[0] + c*x[0]*x[1], B: d01 - c*(x[0]+x[1]), C: c}
}
