package perf

import "math"

// Scaling is how a service follows its load.
type Scaling struct {
	Least, Most int     // replicas
	Spare       float64 // share of capacity kept free, [0, 1)
	StartS      float64 // from the order of a replica to its first token: reading weights, warming up
}

// Scaled is a service over the steps of a load.
type Scaled struct {
	Replicas     []int   // ordered in each step, set by the load of that step
	ReplicaHours float64 // starting ones included
	Attainment   float64 // requests within the goals over all; 1 when nothing is asked
}

// Scale follows a load in requests a second by steps of stepS with replicas of a rate at their goals. A replica that is
// added counts from StartS after the step begins; one that is dropped stops at once. Load beyond capacity misses its goals.
func Scale(s Scaling, requestsPerS []float64, replicaPerS, stepS float64) Scaled {
	out := Scaled{Attainment: 1}
	asked, held := 0.0, 0.0
	running := s.Least
	for _, load := range requestsPerS {
		want := min(max(int(math.Ceil(load/(replicaPerS*(1-s.Spare))-1e-9)), s.Least), s.Most)
		ready := math.Min(s.StartS, stepS) // until the added ones count
		before := float64(min(running, want)) * replicaPerS
		held += math.Min(load, before)*ready + math.Min(load, float64(want)*replicaPerS)*(stepS-ready)
		asked += load * stepS
		out.Replicas = append(out.Replicas, want)
		out.ReplicaHours += float64(want) * stepS / 3600
		running = want
	}
	if asked > 0 {
		out.Attainment = held / asked
	}
	return out
}
