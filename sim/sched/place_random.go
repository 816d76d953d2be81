package sched

// Random takes any server, and any of its GPUs, that will do.
func (Placements) Random() Placement {
	return Placement{
		Name: "random", Live: true,
		Doc: "any server, drawn from the run's seed: what doing nothing about placement gives",
		Cost: func(s *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			if s.rand == nil {
				return 0, n.tightest(d)
			}
			cost := s.rand.Float64()
			if !d.shared() {
				return cost, 0
			}
			gpu, seen := 0, 0
			for g := range n.Free {
				if n.takes(g, d) {
					if seen++; s.rand.IntN(seen) == 0 {
						gpu = g
					}
				}
			}
			return cost, gpu
		},
	}
}
