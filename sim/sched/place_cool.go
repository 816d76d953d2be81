package sched

import "math"

// CoolFirst takes the server that gets the coolest air or coolant.
func (Placements) CoolFirst() Placement {
	return Placement{
		Name: "cool-first", Live: true,
		Doc: "the server with the coolest inlet (air or coolant), in steps of a quarter of a kelvin; of equals the one with least left",
		Cost: func(s *Scene, n *Node, d *Demand, i int32) (float64, int) {
			fit := float64(n.FreeMilli-d.MilliGPUs()) / (maxGPUs * Milli)
			if s.Site == nil {
				return fit, n.tightest(d)
			}
			const stepK = 0.25 // what differs by less is as cool: it is within what a drifting room is followed by
			c := s.Site.InletC(i)
			if math.IsNaN(c) {
				c = 1000 // unknown is taken last
			}
			return math.Floor(c/stepK) + fit, n.tightest(d)
		},
	}
}
