package sched

// FabricAware keeps a job that spans servers within as few leaves of the network as it can, and within those in as few racks.
func (Placements) FabricAware() Placement {
	return Placement{
		Name: "fabric-aware", Live: true,
		Doc: "leaves of the network (network.leaf, by rails where they are) that the job is at already, then the leaf with the fewest free GPUs that would hold the rest, else with the most; within a leaf the job's racks, then best fit",
		Cost: func(s *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			fit := float64(n.FreeMilli-d.MilliGPUs()) / (maxGPUs * Milli)
			rack := 1.0
			if s.InRack(n.Rack) {
				rack = 0
			}
			leaf := float64(s.LeafFree[n.Leaf])
			switch {
			case s.InLeaf(n.Leaf):
				leaf = -1
			case s.LeafFree[n.Leaf] < int64(s.Left):
				leaf = 1e6 - leaf // it can't hold the job: the more it holds the better
			}
			return 2*leaf + rack + fit, n.tightest(d)
		},
	}
}
