package perf

import "math"

// Fabric is how the GPUs of a cluster meet.
type Fabric struct {
	PerServer int  // GPUs that share the link inside
	Inside    Link // of one GPU
	Outside   Link // of one port
	Ports     int  // ports a server
	// Oversubscription is the ratio of ports below to ports above a leaf, 1 for none. It bites once a job spans more
	// servers than meet at one leaf: a rack's in leaf-spine, a whole rail group's when Rails.
	Oversubscription float64
	LeafServers      int
	Rails            bool // port k of every server of a group meets at leaf k
}

// GroupServers is how many servers meet at one leaf: more when every port of a server has a leaf of its own.
func (f *Fabric) GroupServers() int {
	if f.Rails {
		return f.LeafServers * max(f.Ports, 1)
	}
	return f.LeafServers
}

// outsideGBs is what one GPU has of the network in a job over a number of servers.
func (f *Fabric) outsideGBs(servers int) float64 {
	gbs := f.Outside.GBs * float64(f.Ports) / float64(f.PerServer)
	if servers > f.GroupServers() && f.Oversubscription > 1 {
		gbs /= f.Oversubscription
	}
	return gbs
}

// gatherS is the time of an all-gather or a reduce-scatter of a tensor over ranks of which some share each server,
// cut into messages: rings inside and between servers run at once, the slower sets the time, and every message pays
// its latency. An all-reduce is twice that: 2(n−1)/n·bytes/bandwidth and its latencies.
func (f *Fabric) gatherS(bytes, messages float64, perServer, servers, jobServers int) float64 {
	if perServer*servers <= 1 {
		return 0
	}
	g, n := float64(perServer), float64(servers)
	var insideS, outsideS, latencyS float64
	if perServer > 1 {
		insideS = bytes * (g - 1) / g / (f.Inside.GBs * 1e9)
		latencyS += math.Ceil(math.Log2(g)) * f.Inside.LatencyS
	}
	if servers > 1 {
		outsideS = bytes / g * (n - 1) / n / (f.outsideGBs(jobServers) * 1e9)
		latencyS += math.Ceil(math.Log2(n)) * f.Outside.LatencyS
	}
	return math.Max(insideS, outsideS) + messages*latencyS
}
