package sched

// ShortestFirst gives the least mean wait, and lets long jobs wait while short ones keep coming.
func (Orders) ShortestFirst() Order {
	return Order{
		Name: "shortest-first",
		Doc:  "the job with the least work; services last",
		Key:  func(w *Waiting, _ *Usage) float64 { return w.WorkS },
	}
}
