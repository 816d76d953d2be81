package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"headroom/validation"
)

// capped is one 8x H200 server at full load under a power cap of its GPUs.
const capped = `version: 1
name: one server
site: {climate: dublin}
power: {utility: {capacity: 50 kW}}
cooling:
  air: {units: 2, capacity: 15 kW, airflow: 1.2 m3/s, scheme: N+1, supply: 22 C, containment: cold-aisle, plant: cw}
plants:
  cw: {type: air-cooled-chiller, count: 2, scheme: N+1, supply: 14 C}
racks:
  - {row: A, count: 1, height: 42U, power: 15 kW, air: 15 kW}
servers:
  - {model: hgx-h200-air, count: 1, gpu_cap: CAP W}
workload:
  - WORK
run: {start: 2026-04-01, length: 1 d, warmup: 6 h, seed: 1}
`

// Throughput of 8x H200 under a power cap over that without one: NVIDIA's MaxQ and plain submissions to MLPerf Inference
// v4.1. Language models that the catalogue has run as a service, with the memory-bound share that their plan gives; the
// others as work bound by products, with the 10 % that prefill has. Allowed are five points; batches and tuning differ
// between the submissions, not the cap alone, so the mean of all rows stands beside them.
func TestThroughputUnderACap(t *testing.T) {
	const source = "MLPerf Inference v4.1, NVIDIA: 8x H200 MaxQ over 8x H200 (batches and tuning differ too)"
	service := func(model, first, each string) string {
		return "{name: work, kind: inference, model: {name: " + model + ", precision: fp8, input: 294, output: 282, first_token: " + first + ", per_token: " + each + "}, gpus: 8, load: constant, activity: 100%}"
	}
	const batch = "{name: work, kind: batch, gpus: 8, activity: 100%, memory_bound: 10%, arrivals: 20/day, length: {median: 30 d}}"
	free := map[string]float64{}
	var sum, ours, n float64
	effective := func(work, capW string) float64 {
		text := strings.Replace(strings.Replace(capped, "WORK", work, 1), "CAP", capW, 1)
		c := run(t, text, Options{}).Compute
		return float64(c.GPUHoursEffective / c.GPUHoursAvailable)
	}
	for _, c := range []struct {
		name            string
		work            string
		capW            int
		offline, server float64 // 0: none
	}{
		{"mixtral-8x7b", service("mixtral-8x7b", "2 s", "200 ms"), 500, 0.830, 0.796},
		{"llama-2-70b", service("llama-2-70b", "2 s", "200 ms"), 500, 0.807, 0.791},
		{"dlrm-v2-99", batch, 500, 0.790, 0.718},
		{"dlrm-v2-99.9", batch, 500, 0.781, 0.757},
		{"bert-99.9", batch, 450, 0.728, 0.777},
		{"sdxl", batch, 450, 0.758, 0.757},
		{"bert-99", batch, 400, 0.737, 0.722},
		{"resnet50-350", batch, 350, 0.735, 0},
		{"resnet50-400", batch, 400, 0, 0.759},
		{"retinanet-350", batch, 350, 0.748, 0},
		{"retinanet-400", batch, 400, 0, 0.706},
		{"3d-unet", batch, 350, 0.761, 0},
		{"gptj-99", batch, 350, 0.652, 0.608},
	} {
		if _, ok := free[c.work]; !ok {
			free[c.work] = effective(c.work, "700")
		}
		got := effective(c.work, fmt.Sprint(c.capW)) / free[c.work]
		for i, published := range []float64{c.offline, c.server} {
			if published > 0 {
				scenario := []string{"offline", "server"}[i]
				sum, ours, n = sum+100*published, ours+100*got, n+1
				validation.Within("tokens/cap-"+c.name+"-"+scenario, fmt.Sprintf("8x H200, %s %s, GPUs capped at %d W: throughput over that at 700 W", c.name, scenario, c.capW), "%", 100*published, 5, source).
					Check(t, 100*got)
			}
		}
	}
	validation.Within("tokens/cap-mean", "8x H200, mean of these under their caps: throughput over that at 700 W", "%", sum/n, 5, source).Check(t, ours/n)
}
