package sched

// LargestFirst starts the jobs that are hardest to place before others fill the gaps.
func (Orders) LargestFirst() Order {
	return Order{
		Name: "largest-first",
		Doc:  "the job with the most GPUs",
		Key:  func(w *Waiting, _ *Usage) float64 { return -float64(w.MilliGPUs) },
	}
}
