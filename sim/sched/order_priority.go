package sched

// Priority serves the most urgent.
func (Orders) Priority() Order {
	return Order{
		Name: "priority",
		Doc:  "the job of the highest priority",
		Key:  func(w *Waiting, _ *Usage) float64 { return -float64(w.Priority) },
	}
}
