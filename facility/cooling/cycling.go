package cooling

import "math"

// CyclingParams describe how a compressor starts and stops while the load is below the least that one unit can run at. Zero
// values take the default in brackets.
//
// A plant answers for an instant, so what cycles is its mean: the unit is on for the share of the time that the load has in
// its least load. How often it starts follows from the longest of three periods: that which keeps it on for MinOnS, that
// which keeps it off for MinOffS, and that in which the water of the circuit swings by BandK. Each start takes StartS of
// the unit's power without cooling. Short minimum times cost energy, long ones let the water swing.
type CyclingParams struct {
	MinOnS  float64 // least time on [1,200 s: the waiting time between stages of the Modelica Buildings Library's chiller plants]
	MinOffS float64 // least time off [1,200 s, likewise]
	BandK   float64 // of the supply water between stop and start [2 K, assumed; chillers are set to 1 to 3]
	StartS  float64 // [120 s, assumed: at half of the least load and the times above it takes the 10 % of EN 14825's default C_c of 0.9 (recalled)]
}

// Defaults of cycling chillers.
const (
	DefaultMinRunS = 1200.0
	DefaultBandK   = 2.0
	DefaultStartS  = 120.0
)

// setDefaults fills what is not stated; a least time or a loss of less than 0 stands for none.
func (p *CyclingParams) setDefaults(runS, startS float64) {
	setDefault(&p.MinOnS, runS)
	setDefault(&p.MinOffS, runS)
	setDefault(&p.BandK, DefaultBandK)
	setDefault(&p.StartS, startS)
	p.MinOnS, p.MinOffS, p.StartS = max(p.MinOnS, 0), max(p.MinOffS, 0), max(p.StartS, 0)
}

// params are the figures to be checked.
func (p *CyclingParams) params() []param {
	return []param{{"band of the water (K)", p.BandK}, {"least time on plus a second (s)", p.MinOnS + 1}, {"least time off plus a second (s)", p.MinOffS + 1}, {"loss at a start plus a second (s)", p.StartS + 1}}
}

// cycle is how often a unit starts (1/s), by how much the water of jPerK swings meanwhile (K), and the factor that starts
// put on its power, for a load loadW that takes it onShare of the time.
func (p *CyclingParams) cycle(loadW, onShare, jPerK float64) (startsPerS, swingK, factor float64) {
	if !(onShare > 0 && onShare < 1) || loadW <= 0 {
		return 0, 0, 1
	}
	off := 1 - onShare
	periodS := max(p.MinOnS/onShare, p.MinOffS/off)
	if jPerK > 0 {
		periodS = max(periodS, p.BandK*jPerK/(loadW*off))
	}
	// Neither times nor water keep it from starting at every moment; or the load is so little that it never starts.
	if periodS <= 0 || math.IsInf(periodS, 1) {
		return 0, 0, 1
	}
	if jPerK > 0 {
		swingK = loadW * off * periodS / jPerK
	}
	return 1 / periodS, swingK, 1 + min(p.StartS/(onShare*periodS), 1)
}
