package sched

// Clustering keeps jobs of one size together.
func (Placements) Clustering() Placement {
	return Placement{
		Name: "clustering",
		Doc:  "servers that already run jobs of the same size, then empty ones, then others; the fuller first",
		Cost: func(_ *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			if d.GPUs == 0 {
				return 0, 0
			}
			kind, kinds := d.GPUs, 0
			if d.shared() {
				kind = 0
			}
			for _, jobs := range n.Kinds {
				if jobs > 0 {
					kinds++
				}
			}
			quarter := 0
			switch {
			case n.Kinds[kind] > 0 && kinds == 1:
				quarter = 3
			case n.Kinds[kind] > 0:
				quarter = 2
			case kinds == 0:
				quarter = 1
			}
			full := 25 * (fullMilliGPUs - n.FreeMilli) / fullMilliGPUs
			return -float64(int64(25*quarter) + full), n.tightest(d)
		},
	}
}
