package sched

import "math"

// PowerHeadroom takes the rack that has most power left.
func (Placements) PowerHeadroom() Placement {
	return Placement{
		Name: "power-headroom", Live: true,
		Doc: "the rack whose draw lies furthest below its limit, in steps of 100 W; within it best fit",
		Cost: func(s *Scene, n *Node, d *Demand, i int32) (float64, int) {
			fit := float64(n.FreeMilli-d.MilliGPUs()) / (maxGPUs * Milli)
			if s.Site == nil {
				return fit, n.tightest(d)
			}
			const stepW = 100
			return -math.Floor(s.Site.HeadroomW(i)/stepW) + fit, n.tightest(d)
		},
	}
}
