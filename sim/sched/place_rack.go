package sched

// RackAware keeps a job that spans servers within as few racks as it can.
func (Placements) RackAware() Placement {
	return Placement{
		Name: "rack-aware", Live: true,
		Doc: "racks that the job is in already, then the rack with the fewest free GPUs; within a rack best fit",
		Cost: func(s *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			fit := float64(n.FreeMilli-d.MilliGPUs()) / (maxGPUs * Milli)
			if s.InRack(n.Rack) {
				return -1 + fit, n.tightest(d)
			}
			return float64(s.RackFree[n.Rack]) + fit, n.tightest(d)
		},
	}
}
