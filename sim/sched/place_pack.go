package sched

// Pack fills GPUs in use before free ones, and servers in use before empty ones.
func (Placements) Pack() Placement {
	return Placement{
		Name: "pack",
		Doc:  "GPUs in use first, then free GPUs of servers in use, then the smallest empty server",
		Cost: func(_ *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			gpu := n.tightest(d)
			switch {
			case d.GPUs == 0:
				return 0, 0
			case n.whole == n.GPUs(): // an empty server, the smallest first
				return -float64(max(33-n.whole, n.whole)), gpu
			case !d.shared():
				return -float64(max(50-d.GPUs, 33)), gpu
			case n.Free[gpu] == Milli:
				return -49, gpu
			}
			return -float64(100 - n.Free[gpu]/100), gpu // the less is left on the GPU in use, the better
		},
	}
}
