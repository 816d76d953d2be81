package workload

import (
	"errors"
	"fmt"
	"math"
)

// Check says everything that keeps a class from generating jobs as written, joined; nil when nothing does.
func (c *Class) Check() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf("class %q: "+format, append([]any{c.Name}, args...)...))
		}
	}
	share := func(what string, v float64) { bad(!(v >= 0 && v <= 1), "%s is %v, it must lie in 0 … 1", what, v) }
	share("activity", c.Activity)
	share("memory-bound share", c.MemoryBound)
	bad(!(c.CheckpointS >= 0), "checkpoint interval is %v s", c.CheckpointS)
	bad(c.Milli < 0 || c.Milli > wholeMilli, "a job takes %d thousandths of a GPU", c.Milli)
	bad(!(c.DeferS >= 0), "a job may be deferred by %v s", c.DeferS)
	bad(!(c.CheckpointCostS >= 0) || math.IsInf(c.CheckpointCostS, 1), "checkpoint cost is %v s", c.CheckpointCostS)
	bad(c.Profile != nil && len(c.Profile) != HoursPerWeek, "the profile has %d hours, a week has %d", len(c.Profile), HoursPerWeek)
	for h, v := range c.Profile {
		share(fmt.Sprintf("profile hour %d", h), v)
	}
	if c.Trace != "" {
		return errors.Join(errs...)
	}
	bad(len(c.GPUs) == 0, "no number of GPUs")
	var total uint64
	for _, s := range c.GPUs {
		bad(s.GPUs < 1 || s.GPUs > math.MaxInt32, "a job of %d GPUs", s.GPUs)
		bad(s.Weight > math.MaxInt32, "weight %d, at most %d", s.Weight, math.MaxInt32)
		bad(!(s.Stretch >= 0) || math.IsInf(s.Stretch, 1), "length of jobs of %d GPUs is stretched by %v", s.GPUs, s.Stretch)
		total += min(s.Weight, math.MaxInt32)
	}
	bad(len(c.GPUs) > 0 && total == 0, "all weights are 0")
	bad(c.Replicas < 0 || c.Replicas > math.MaxInt32, "%d replicas", c.Replicas)
	bad(c.Least < 0 || c.Least > c.Replicas, "%d of %d replicas at the start", c.Least, c.Replicas)
	if c.Replicas > 0 {
		bad(len(c.GPUs) > 1, "a service has one size, not %d", len(c.GPUs))
		return errors.Join(errs...)
	}
	bad(!(c.RatePerS >= 0) || math.IsInf(c.RatePerS, 1), "arrival rate is %v per s", c.RatePerS)
	bad(!(c.MedianS >= 0 && c.MedianS <= MaxWorkS), "median length is %v s, it must lie in 0 … %g", c.MedianS, float64(MaxWorkS))
	bad(!(c.WeibullShape >= 0) || math.IsInf(c.WeibullShape, 1), "Weibull shape is %v", c.WeibullShape)
	bad(c.Week != nil && len(c.Week) != HoursPerWeek, "arrivals are given for %d hours, a week has %d", len(c.Week), HoursPerWeek)
	week := 0.0
	for h, v := range c.Week {
		bad(!(v >= 0) || math.IsInf(v, 1), "arrivals of hour %d are %v", h, v)
		week += v
	}
	bad(c.Week != nil && !(week > 0), "no hour of the week has arrivals")
	bad(!(c.StartHour >= 0 && c.StartHour < HoursPerWeek), "the run starts in hour %v of the week", c.StartHour)
	if b := c.Burst; b != nil {
		bad(!(b.Ratio >= 1) || math.IsInf(b.Ratio, 1), "bursts are %v times as fast", b.Ratio)
		bad(!(b.Share > 0 && b.Share < 1), "bursts take the share %v of time, it must lie between 0 and 1", b.Share)
		bad(!(b.MeanS > 0) || math.IsInf(b.MeanS, 1), "bursts last %v s", b.MeanS)
	}
	for i, q := range c.Lengths {
		bad(!(q.P >= 0 && q.P <= 1 && q.S >= 0 && q.S <= MaxWorkS), "length %d is %v s at the share %v", i, q.S, q.P)
		bad(i > 0 && !(q.P > c.Lengths[i-1].P && q.S >= c.Lengths[i-1].S), "length %d doesn't rise", i)
	}
	bad(len(c.Lengths) == 1, "one point is no distribution of lengths")
	bad(!(c.SigmaLn >= 0) || math.IsInf(c.SigmaLn, 1), "spread of the length is %v", c.SigmaLn)
	return errors.Join(errs...)
}

// ExpectedJobs is the mean number of jobs Generate gives. Jobs are numbered in 32 bits, so a run of more than about 2e9
// must be refused before it starts.
func ExpectedJobs(classes []Class, lengthNS int64) float64 {
	var n float64
	for i := range classes {
		c := &classes[i]
		switch {
		case c.Trace != "" || lengthNS <= 0:
		case c.Replicas > 0:
			n += float64(c.Replicas)
		case c.RatePerS > 0:
			n += c.RatePerS * float64(lengthNS) / nsPerS
		}
	}
	return n
}
