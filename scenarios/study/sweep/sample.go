package sweep

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"headroom/scenarios"
	"headroom/sim/rng"
)

// hypercube draws a Latin hypercube: each input's range is cut into as many strata of equal probability as there are
// samples, one sample lies in each, and the strata of different inputs are paired at random (McKay, Beckman and
// Conover 1979). Each input has a stream of its own, so that adding one moves no other.
func hypercube(s *scenarios.Sample) [][]string {
	out := make([][]string, len(s.Over))
	for i := range s.Over {
		x := &s.Over[i]
		r := rng.New(s.Seed, 0, "sample", x.Path)
		order := r.Perm(s.Runs)
		out[i] = make([]string, s.Runs)
		for k := range s.Runs {
			u := (float64(order[k]) + r.Float64()) / float64(s.Runs)
			out[i][k] = sampleAt(x, u)
		}
	}
	return out
}

// sampleAt is the value at a share u of an input's probability, 0 < u < 1.
func sampleAt(s *scenarios.Sampled, u float64) string {
	u = min(max(u, 1e-12), 1-1e-12)
	var x float64
	switch s.Kind {
	case "words":
		return s.Words[min(int(u*float64(len(s.Words))), len(s.Words)-1)]
	case "uniform":
		if s.Whole {
			n := s.B - s.A + 1
			return s.FormatNumber(s.A + math.Min(math.Floor(u*n), n-1))
		}
		x = s.A + u*(s.B-s.A)
	case "triangle":
		x = distuv.NewTriangle(s.A, s.B, s.C, nil).Quantile(u)
	case "normal":
		x = distuv.Normal{Mu: s.A, Sigma: s.B}.Quantile(u)
	case "lognormal":
		sigma := math.Log(s.B/s.A) / distuv.UnitNormal.Quantile(0.95)
		x = distuv.LogNormal{Mu: math.Log(s.A), Sigma: sigma}.Quantile(u)
	}
	return s.FormatNumber(sampleDigits(x))
}

// sampleDigits rounds a drawn number to six digits: what a value of a scenario is written with.
func sampleDigits(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}
