package sim

import (
	"math"

	"headroom/sim/thermal"
)

// SlowCause is why a busy GPU ran below full clock.
type SlowCause int

// Causes of lowered clocks. What is under a temperature limit counts as that, whatever cap holds as well.
const (
	SlowGPU      SlowCause = iota // the GPU at its software limit
	SlowMemory                    // its memory at its limit
	SlowHardware                  // the GPU at its hardware limit: half the clock
	SlowCap                       // a power cap of the scenario: GPU, server, rack, node, site
	SlowFeed                      // too few power supplies alive
	SlowTDP                       // the board's own power limit
	SlowCauses
)

// SlowNames name the causes for charts and tables.
var SlowNames = [SlowCauses]string{
	"GPU at its limit", "memory at its limit", "hardware slowdown", "power cap", "feed lost", "board power limit",
}

// slowCause is what holds a server's clocks now; ok is false where nothing does.
func slowCause(s *server) (cause SlowCause, ok bool) {
	switch {
	case s.mode == thermal.Slow:
		return SlowHardware, true
	case s.mode == thermal.Held && s.set.LimitC < s.m.LimitC:
		return SlowMemory, true
	case s.mode == thermal.Held:
		return SlowGPU, true
	case s.load.Busy == 0 || !(s.set.Clock < 1):
		return 0, false
	case s.feedCap < math.Min(s.wallCap, s.domainCap):
		return SlowFeed, true
	case math.Min(s.wallCap, s.domainCap) < math.Inf(1) || s.m.GPUCapW < s.m.TDPW:
		return SlowCap, true
	}
	return SlowTDP, true
}
