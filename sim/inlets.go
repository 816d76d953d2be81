package sim

import (
	"math"

	"headroom/sim/thermal"
)

// countInlet adds the time since the last look to what a rack's warmest inlet has been.
func (m *meters) countInlet(e *engine, rk *rack) {
	dt := float64(e.now-rk.lastNS) / thermal.Second
	rk.lastNS = e.now
	if !(dt > 0) {
		return
	}
	if !math.IsNaN(rk.inletC) {
		rk.inletSum += rk.inletC * dt
		rk.inletS += dt
	}
	if rk.overRec > 0 {
		rk.recS += dt
	}
	if rk.overAllow > 0 {
		rk.allowS += dt
	}
}

// inletMoved takes a server's new inlet into its rack: against the ASHRAE class and its own range, and as the warmest.
// The rack is looked through only when the server that was warmest has cooled.
func (m *meters) inletMoved(e *engine, s *server, wasC float64) {
	rk := &e.racks[s.rack]
	if !rk.seen {
		rk.seen = true
		e.seen = append(e.seen, s.rack)
		m.countInlet(e, rk)
	}
	rec, allow := false, false
	c := s.inletC
	if s.up() {
		air := &e.cfg.Air
		rec = c > air.RecommendedHigh || c < air.RecommendedLow
		allow = c > min(air.AllowableHigh, s.m.InletMaxC) || c < max(air.AllowableLow, s.m.InletMinC)
		if !(rk.inletC >= c) {
			rk.inletC = c
		}
	}
	if wasC >= rk.inletC && !(c >= wasC && s.up()) {
		rk.cooled = true
	}
	rk.overRec += count(rec) - count(s.overRec)
	rk.overAllow += count(allow) - count(s.overAllow)
	s.overRec, s.overAllow = rec, allow
}

// inletsMoved ends what inletMoved began, for all racks seen at this instant.
func (m *meters) inletsMoved(e *engine) {
	for _, r := range e.seen {
		rk := &e.racks[r]
		rk.seen = false
		if rk.cooled {
			rk.cooled = false
			rk.inletC = math.NaN()
			for _, i := range rk.servers {
				if s := &e.srv[i]; !(rk.inletC >= s.inletC) && s.up() {
					rk.inletC = s.inletC
				}
			}
		}
		if !math.IsNaN(rk.inletC) {
			rk.inletMaxC = max(rk.inletMaxC, rk.inletC)
			m.most(m.inletMax, e.now+1, rk.inletC)
		}
		m.racksRec += count(rk.overRec > 0) - count(rk.counted&1 != 0)
		m.racksAllow += count(rk.overAllow > 0) - count(rk.counted&2 != 0)
		rk.counted = uint8(count(rk.overRec > 0) | count(rk.overAllow > 0)<<1)
	}
	e.seen = e.seen[:0]
}

func count(on bool) int {
	if on {
		return 1
	}
	return 0
}
