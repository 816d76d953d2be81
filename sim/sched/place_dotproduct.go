package sched

// DotProduct takes the server whose free GPUs and CPUs, as a vector, are least along what the job asks for.
func (Placements) DotProduct() Placement {
	return Placement{
		Name: "dot-product",
		Doc:  "the server whose free GPUs and CPUs have the smallest dot product with the job's",
		Cost: func(_ *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			cpu := float64(n.CPUMilli) / fullCPUMilli * float64(d.CPUMilli) / fullCPUMilli
			gpu := float64(n.FreeMilli) / fullMilliGPUs * float64(d.MilliGPUs()) / fullMilliGPUs
			return -steps(1 - (cpu+gpu)/2), n.tightest(d)
		},
	}
}
