package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"headroom/sim/rng"
)

// Reshape makes other traces of one. The zero value changes nothing.
type Reshape struct {
	// SpanS repeats the trace until it is that long. One round is PeriodS long; 0: from 0 to the last arrival and a mean gap
	// more. A trace that is longer already is left as it is.
	SpanS, PeriodS float64
	// Shuffle deals what jobs ask for (size, length, tenant and the rest) out among the times of arrival at random, anew in
	// every round: the same work in another order. Seed and Name draw it.
	Shuffle bool
	Seed    uint64
	Name    string
}

// Apply gives the trace as jobs in order of arrival, numbered from 0. The jobs given are in order and aren't changed.
func (r Reshape) Apply(jobs []Job) ([]Job, error) {
	if !(r.SpanS >= 0) || math.IsInf(r.SpanS, 0) || !(r.PeriodS >= 0) || math.IsInf(r.PeriodS, 0) {
		return nil, fmt.Errorf("a trace cannot be spliced to %g s in rounds of %g s", r.SpanS, r.PeriodS)
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	period := int64(math.Round(math.Min(r.PeriodS*nsPerS, float64(maxArrivalNS))))
	last := jobs[len(jobs)-1].Arrival
	if period == 0 {
		period = last + max(1, last/int64(len(jobs)))
	}
	if last >= period {
		return nil, fmt.Errorf("a job arrives after %g s, a round is %g s long", float64(last)/nsPerS, float64(period)/nsPerS)
	}
	span := int64(math.Round(math.Min(r.SpanS*nsPerS, float64(maxArrivalNS))))
	rounds := max(1, (span+period-1)/period)
	if n := float64(rounds) * float64(len(jobs)); n > math.MaxInt32 {
		return nil, fmt.Errorf("%d rounds of %d jobs are more than 32 bits can number", rounds, len(jobs))
	}
	draw := rng.New(r.Seed, 0, "trace shuffle", r.Name)
	out := make([]Job, 0, int(rounds)*len(jobs))
	for k := range rounds {
		round := slices.Clone(jobs)
		if r.Shuffle {
			draw.Shuffle(len(round), func(i, j int) {
				round[i], round[j] = round[j], round[i]
				round[i].Arrival, round[j].Arrival = round[j].Arrival, round[i].Arrival
			})
		}
		for i := range round {
			round[i].Arrival += k * period
			if k > 0 && round[i].Arrival >= span {
				continue
			}
			out = append(out, round[i])
		}
	}
	slices.SortStableFunc(out, func(a, b Job) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for i := range out {
		out[i].ID = int32(i)
	}
	return out, nil
}
