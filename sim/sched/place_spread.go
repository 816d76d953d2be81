package sched

// Spread takes the emptiest server: jobs share as little as they can, and heat is even.
func (Placements) Spread() Placement {
	return Placement{
		Name: "spread",
		Doc:  "the server with most free, so that load and heat are even over the hall",
		Cost: func(_ *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			gpu, most := 0, int32(-1)
			for g, f := range n.Free {
				if f > most && (!d.shared() || n.takes(g, d)) {
					gpu, most = g, f
				}
			}
			return -float64(n.FreeMilli) / float64(max(1, n.GPUs())), gpu
		},
	}
}
