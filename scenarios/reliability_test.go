package scenarios

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"headroom/sim"
	"headroom/validation"
)

// cluster is a hall full of 8-GPU servers that fail at a rate.
const cluster = `version: 1
name: cluster
site: {climate: dublin}
power:
  utility: {capacity: 400 MW}
cooling:
  air: {units: 400, capacity: 600 kW, airflow: 45 m3/s, supply: 22 C, containment: hot-aisle, plant: cw}
plants:
  cw: {type: water-cooled-chiller, count: 200, supply: 16 C, capacity: 2 MW}
racks:
  - {rows: ROWS, count: 32, height: 48U, power: 48 kW, air: 48 kW}
servers:
  - {model: dgx-h100, count: SERVERS}
failures: {server: {rate: RATE per 1000 node-days, repair: 4 h, spares: 200, swap: 10 min}}
run: {start: 2026-03-01, length: DAYS d, series: 1 d, seed: 7}
`

func clusterOf(servers int, rate float64, days int) string {
	return strings.NewReplacer("ROWS", fmt.Sprint((servers+127)/128), "SERVERS", fmt.Sprint(servers), "RATE", fmt.Sprint(rate), "DAYS", fmt.Sprint(days)).Replace(cluster)
}

// failuresOf counts the failures of servers in a run by cause.
func failuresOf(r *sim.Result) (n float64, byCause map[string]float64) {
	byCause = map[string]float64{}
	for _, e := range r.Events {
		if e.Kind == "server down" {
			cause, _, _ := strings.Cut(e.Detail, ",")
			n++
			byCause[cause]++
		}
	}
	return n, byCause
}

// What interrupts 16,384 GPUs, at the default rate and shares: the mean of five spans as long as the published one.
func TestWhatInterruptsTraining(t *testing.T) {
	const source = "The Llama 3 Herd of Models (arXiv 2407.21783), table 5: 419 unexpected interruptions of 16,384 H100 in 54 days; allowed are two deviations of such a count"
	const spans = 5
	n, byCause := failuresOf(run(t, clusterOf(2048, 3.8, 54*spans), Options{}))
	row := func(id, what string, published, counted float64) {
		validation.Within("failures/llama-3-"+id, what+" of 16,384 GPUs in 54 days", "", published, 2*math.Sqrt(published), source).Check(t, counted/spans)
	}
	row("interruptions", "unexpected interruptions", 419, n)
	for _, c := range []struct {
		id, what, cause string
		published       float64
	}{
		{"gpu", "faulty GPUs", "GPU failed", 148},
		{"memory", "failures of GPU memory", "GPU memory failed", 72},
		{"software", "failures of software", "software failed", 54},
		{"network", "failures of switches and cables", "network switch or cable failed", 35},
		{"maintenance", "unplanned maintenances", "unplanned host maintenance", 32},
		{"sram", "failures of GPU SRAM", "GPU SRAM failed", 19},
		{"system-processor", "failures of the GPU's system processor", "GPU system processor failed", 17},
	} {
		row(c.id, c.what, c.published, byCause[c.cause])
	}
}

// How often jobs of a size are interrupted, at the rate of failures per server that Meta's cluster had.
func TestTimeBetweenFailuresByScale(t *testing.T) {
	const source = "Kokolis et al., Revisiting Reliability in Large-Scale ML Research Clusters (arXiv 2410.21680): 6.50 failures per 1,000 node-days in RSC-1; jobs of 1,024 GPUs were interrupted more often than that rate of servers says"
	for _, c := range []struct {
		gpus, days int
		hours      float64
		how        string
	}{
		{1024, 400, 7.9, "measured"},
		{16384, 60, 1.8, "projected"},
		{131072, 3, 0.23, "projected"},
	} {
		n, _ := failuresOf(run(t, clusterOf(c.gpus/8, 6.5, c.days), Options{}))
		validation.Share(fmt.Sprintf("failures/rsc-1-%d", c.gpus), fmt.Sprintf("mean time between failures of a job of %d GPUs, %s", c.gpus, c.how), "h", c.hours, 0.1, source).
			Check(t, 24*float64(c.days)/n)
	}
}

// What is left of a training job's time after checkpoints, work done again and restarts: one job over 16,384 GPUs.
func TestUsefulShareOfTraining(t *testing.T) {
	const job = "workload:\n  - {name: pretrain, kind: training, gpus: 16384, arrivals: 4/day, length: {median: 1000 d}%s}\n"
	useful := func(checkpoint string) float64 {
		c := run(t, clusterOf(2048+32, 3.8, 27)+fmt.Sprintf(job, checkpoint), Options{}).Compute
		return float64(1 - c.LostGPUHours.Restart/c.GPUHoursBusy)
	}
	validation.Within("failures/young-daly", "16,384 GPUs, a checkpoint of 30 s every 13.6 min, 10 min to restart: useful share of the time", "", 0.87, 0.02,
		"arithmetic of Young and Daly at one interruption in 3.09 h").Check(t, useful(", checkpoint: {interval: 13.6 min, cost: 30 s}"))
	validation.Range("failures/llama-3-effective-time", "16,384 GPUs, checkpoints and restarts as they come by default: effective share of the time", "", 0.90, 1,
		"The Llama 3 Herd of Models (arXiv 2407.21783): more than 90 % over 54 days").Check(t, useful(""))
}
