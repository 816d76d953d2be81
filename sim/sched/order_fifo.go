package sched

// Fifo is first come, first served.
func (Orders) Fifo() Order {
	return Order{
		Name: "fifo",
		Doc:  "first come, first served",
		Key:  func(*Waiting, *Usage) float64 { return 0 },
	}
}
