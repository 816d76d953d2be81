package sched

// FairShare serves the tenant that holds least for its weight.
func (Orders) FairShare() Order {
	return Order{
		Name: "fair-share", Live: true,
		Doc: "the tenant that holds the fewest GPUs for its weight",
		Key: func(w *Waiting, u *Usage) float64 { return float64(u.Milli(w.Tenant)) / u.Weight(w.Tenant) },
	}
}
