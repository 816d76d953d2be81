package sim

import "headroom/sim/workload"

// Synchronous work swings: all servers of a training job compute and communicate in step, and each step rises
// over the mean.
const (
	// swingShare is how far a server's peak stands above its sustained power: 8.4 kW measured over 7.85 kW of an
	// 8×H100 node in training (Latif et al., 2025; the sustained power by the fit to MLPerf power runs).
	swingShare = 0.07
	// swingCoincidence is the coincident peak of 64 nodes in one training job over the sum of their own peaks:
	// 0.9875, computed from the MLPerf Training v4.0 power logs of Sustainable Metal Cloud.
	swingCoincidence, swingNodes = 0.9875, 64
)

// coincidence is the share of the sum of n servers' peaks that one job of them reaches at once: 1 for one
// server, the measured figure at 64, falling with 1 − 1/n between and beyond.
func coincidence(n int) float64 {
	if n < 1 {
		return 1
	}
	return 1 - (1-swingCoincidence)*(1-1/float64(n))/(1-1./swingNodes)
}

// swing is by how much a job's coincident peak stands above what its servers draw in the mean.
func (e *engine) swing(t *job) float64 {
	if k := e.cfg.Classes[t.Class].Kind; k != workload.Training && k != workload.FineTuning {
		return 0
	}
	var meanW float64
	for _, sh := range t.shares {
		s := &e.srv[sh.Server]
		if s.load.Busy > 0 {
			meanW += s.set.WallW * t.size / float64(len(t.shares)) / float64(s.m.GPUs)
		}
	}
	return max(0, meanW*((1+swingShare)*coincidence(len(t.shares))-1))
}
