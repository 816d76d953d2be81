package workload

// Throughput is what one job of a class gives at full clock on one model of server: of a service, one replica within its
// latency goals at its peak load.
type Throughput struct {
	Server int // index of the server model
	GPUs   int // of a job or of a replica

	TokensPerS  float64 // trained, or served: output tokens
	PFLOPS      float64 // model FLOPs
	MemoryBound float64 // share of its time that clocks do not shorten

	// What it rests on, for the report. A figure of the other kind of work is NaN.
	Model, Precision, GPU, Split, Bound string
	MFU                                 float64
	FirstTokenS, PerTokenS              float64 // 99th percentiles
}

// ThroughputOn returns what a job of a size gives on a server model, nil where that is not known.
func (c *Class) ThroughputOn(server, gpus int) *Throughput {
	for i := range c.Throughput {
		if t := &c.Throughput[i]; t.Server == server && t.GPUs == gpus {
			return t
		}
	}
	return nil
}
