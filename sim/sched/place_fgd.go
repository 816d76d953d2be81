package sched

import "math"

// FragmentationGradient takes the server whose GPUs it makes least useless to the work to expect.
func (Placements) FragmentationGradient() Placement {
	return Placement{
		Name: "fgd",
		Doc:  "fragmentation gradient descent: the server and GPU where the job adds least to the free GPUs that typical work cannot use",
		Cost: func(s *Scene, n *Node, d *Demand, _ int32) (float64, int) {
			if s.Typical == nil {
				return float64(n.FreeMilli - d.MilliGPUs()), n.tightest(d)
			}
			before := s.Typical.Fragmented(n)
			after := *n
			after.CPUMilli -= d.CPUMilli
			var buffer [maxGPUs]int32
			after.Free = append(buffer[:0], n.Free...)
			grown := func() float64 { return steps(1 / (1 + math.Exp((s.Typical.Fragmented(&after)-before)/Milli))) }
			if !d.shared() {
				left := d.GPUs
				for g, f := range after.Free {
					if left > 0 && f == Milli {
						after.Free[g] = 0
						left--
					}
				}
				return -grown(), 0
			}
			best, gpu := -1.0, 0
			for g, f := range n.Free {
				if !n.takes(g, d) {
					continue
				}
				after.Free[g] = f - d.Milli
				if x := grown(); x > best {
					best, gpu = x, g
				}
				after.Free[g] = f
			}
			return -best, gpu
		},
	}
}
