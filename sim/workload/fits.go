package workload

import "math"

// Published is what is known of a public trace of jobs on GPUs.
type Published struct {
	Name, Title, Source string
	GPUs                int     // of the cluster, 0: unknown
	JobsPerDay          float64 // on GPUs
	MeanS, MedianS      float64 // run time
	MeanGPUs            float64 // of a job
	GPUSeconds          float64 // of a job, in the mean: more than MeanS·MeanGPUs where large jobs run longer
	MaxGPUs             int
}

const acme = "AcmeTrace cluster summary (Hu et al., Characterization of Large Language Model Development in the Datacenter, NSDI 2024; CC BY 4.0)"

// Traces are public traces by their published statistics, in alphabetical order. GPU time is the sum over completed,
// cancelled and failed jobs.
//
// Days: Philly's release is of 2017-08-07 to 2017-12-22; Helios' of April to September 2020 (daily list of GPUs from
// 2020-04-01 to 09-28); Acme's of March to August 2023.
var Traces = []Published{
	{
		Name: "acme-kalos", Title: "Shanghai AI Lab Kalos, large language models on A100", Source: acme, JobsPerDay: 19_907 / 184.0,
		MeanS: 1259.689, MedianS: 124, MeanGPUs: 26.77, GPUSeconds: (1_667_685_146 + 3_239_202_064 + 426_292_851) / 19_907.0, MaxGPUs: 1024,
	},
	{
		Name: "acme-seren", Title: "Shanghai AI Lab Seren, large language models on A100", Source: acme, JobsPerDay: 663_813 / 184.0,
		MeanS: 1414.335, MedianS: 122, MeanGPUs: 5.68, GPUSeconds: (4_560_592_618 + 14_274_584_510 + 2_675_447_459) / 663_813.0, MaxGPUs: 1024,
	},
	{
		Name: "helios", Title: "SenseTime Helios, four clusters of V100 and 1080Ti", Source: acme, GPUs: 6220, JobsPerDay: 1_580_464 / 181.0,
		MeanS: 6651.681, MedianS: 206, MeanGPUs: 3.716, GPUSeconds: (39_994_296_320 + 30_715_109_125 + 7_288_334_702) / 1_580_464.0, MaxGPUs: 2048,
	},
	{
		Name: "philly", Title: "Microsoft Philly, deep learning of many teams", Source: acme, JobsPerDay: 112_956 / 138.0,
		MeanS: 18006.055, MedianS: 874, MeanGPUs: 1.928, GPUSeconds: (2_210_176_414 + 2_025_326_056 + 2_659_215_061) / 112_956.0, MaxGPUs: 128,
	},
}

// TraceNamed is a public trace by its name.
func TraceNamed(name string) (Published, bool) {
	for _, p := range Traces {
		if p.Name == name {
			return p, true
		}
	}
	return Published{}, false
}

// Match is one statistic of a fit beside the published one.
type Match struct {
	Statistic, Unit  string
	Published, Model float64
}

// Fit is a class of jobs with the published statistics of a trace: sizes are powers of two whose weights go
// geometrically to the mean number of GPUs, at least half of them one GPU, lengths log-normal, stretched by a power of the size so that GPU time comes out
// too. The shape is assumed, the four figures it is fitted to are published: mean and median run time, mean GPUs, mean GPU
// time.
func (p Published) Fit() (Class, []Match) {
	sizes := []float64{1}
	for g := 2; g <= p.MaxGPUs; g *= 2 {
		sizes = append(sizes, float64(g))
	}
	weights := func(r float64) []float64 {
		w, sum := make([]float64, len(sizes)), 0.0
		for k := range w {
			w[k] = math.Pow(r, float64(k))
			sum += w[k]
		}
		// The published median is one GPU, so at least half of the jobs are of one.
		one := math.Max(w[0]/sum, 0.5)
		rest := (1 - one) / (sum - w[0])
		for k := range w {
			w[k] *= rest
		}
		w[0] = one
		return w
	}
	mean := func(w []float64, power float64) float64 {
		sum := 0.0
		for k := range w {
			sum += w[k] * math.Pow(sizes[k], power)
		}
		return sum
	}
	r := solve(1e-6, 4, func(r float64) float64 { return mean(weights(r), 1) - p.MeanGPUs })
	w := weights(r)
	gamma := solve(-3, 3, func(g float64) float64 { return mean(w, 1+g)/mean(w, g) - p.GPUSeconds/p.MeanS })
	scale := mean(w, gamma)
	medianOf := func(sigma float64) float64 { return p.MeanS / scale * math.Exp(-sigma*sigma/2) }
	below := func(x, sigma float64) float64 { // share of jobs no longer than x
		sum := 0.0
		for k := range w {
			sum += w[k] * normalCDF(math.Log(x/(medianOf(sigma)*math.Pow(sizes[k], gamma)))/sigma)
		}
		return sum
	}
	sigma := solve(1e-3, 6, func(s float64) float64 { return below(p.MedianS, s) - 0.5 })
	c := Class{Name: p.Name, RatePerS: p.JobsPerDay / 86400, MedianS: medianOf(sigma), SigmaLn: sigma}
	const parts = 1e9 // weights are whole numbers
	half, atHalf := 0.0, 0.0
	for k := range w {
		c.GPUs = append(c.GPUs, Size{GPUs: int(sizes[k]), Weight: uint64(math.Max(1, math.Round(w[k]*parts))), Stretch: math.Pow(sizes[k], gamma)})
		if half < 0.5-1e-12 {
			atHalf = sizes[k]
		}
		half += w[k]
	}
	median := solve(0, 20, func(x float64) float64 { return below(math.Exp(x), sigma) - 0.5 })
	return c, []Match{
		{"mean run time", "s", p.MeanS, medianOf(sigma) * math.Exp(sigma*sigma/2) * scale},
		{"median run time", "s", p.MedianS, math.Exp(median)},
		{"mean GPUs of a job", "GPUs", p.MeanGPUs, mean(w, 1)},
		{"median GPUs of a job", "GPUs", 1, atHalf},
		{"mean GPU time of a job", "GPU·s", p.GPUSeconds, p.MeanS / scale * mean(w, 1+gamma)},
	}
}

// solve finds where a rising function is 0 by bisection; the end nearer to it where it has no zero between them.
func solve(low, high float64, f func(float64) float64) float64 {
	for range 200 {
		mid := (low + high) / 2
		if f(mid) > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return (low + high) / 2
}

// normalCDF is the distribution function of the standard normal distribution.
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
