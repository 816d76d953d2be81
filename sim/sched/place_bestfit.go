package sched

// BestFit takes the server that is left with least, GPUs and CPUs weighed alike.
func (Placements) BestFit() Placement {
	return Placement{
		Name: "best-fit",
		Doc:  "the server with the least left, so that large gaps stay for large jobs",
		Cost: func(_ *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			cpu := float64(n.CPUMilli-d.CPUMilli) / fullCPUMilli
			gpu := float64(n.FreeMilli-d.MilliGPUs()) / fullMilliGPUs
			return -steps(1 - (cpu+gpu)/2), n.tightest(d)
		},
	}
}

// A full server, by which CPUs and GPUs are weighed against each other: 128 CPUs and 8 GPUs, the largest of the trace
// that the fragmentation paper packs (Weng et al., USENIX ATC 2023).
const (
	fullCPUMilli  = 128_000
	fullMilliGPUs = 8 * Milli
)

// steps is a score of 0 … 1 in whole hundredths, as the Kubernetes scheduler compares them: what differs by less is equal.
func steps(score float64) float64 { return float64(int64(score * 100)) }
