package main

import (
	"fmt"
	"math"
	"strings"

	"headroom/facility/catalog"
	"headroom/sim/perf"
)

func scaling(r runs, _ *catalog.Catalog) []judgement {
	share := func(v string) float64 { return tokensPerS(r[v], 8) / 8 / tokensPerS(r[v], 1) }
	small := tokensPerS(r[""], 8)/tokensPerS(r["sxm-on-pcie"], 8) - 1
	large := tokensPerS(r["large"], 8)/tokensPerS(r["large-pcie"], 8) - 1
	cards := tokensPerS(r[""], 8)/tokensPerS(r["bridged"], 8) - 1
	return []judgement{
		{
			"8 GPUs scale at 90 % or better over NVLink", verdict(within(share(""), 0.9, 1), false), "", percent(share("")),
			[]string{fmt.Sprintf("A 1.5B model on 8 H100 over NVSwitch trains at %s of 8 times one GPU; over PCIe 5 at %s.", percent(share("")), percent(share("sxm-on-pcie")))},
		},
		{
			"An NVSwitch server beats a PCIe one by 39 %",
			verdict(within(small, 0.34, 0.44), small < 0.39 && cards > 0.39), "the PCIe server has slower GPUs as well", fmt.Sprintf("%.0f %% by links alone, %.0f %% against PCIe cards", 100*small, 100*cards),
			[]string{
				fmt.Sprintf("The same GPUs on PCIe 5 in place of NVSwitch: %.0f %% slower to train a 1.5B model, %.0f %% an 8B one, each with the split that suits its links best.", 100*(1-1/(1+small)), 100*(1-1/(1+large))),
				fmt.Sprintf("Against H100 PCIe cards of 350 W the server with NVSwitch is %.0f %% faster; the links alone make %.0f %%, the rest is the cards' lower power and memory.", 100*cards, 100*small),
			},
		},
	}
}

func network(r runs, c *catalog.Catalog) []judgement {
	rate := func(v string) float64 { return tokensPerS(r[v], 64) }
	of := func(v string) float64 { return rate(v) / rate("") }
	rdma := rate("25g-rdma")/rate("25g") - 1
	tcp, errTCP := perf.NewLink(c, "ethernet-25")
	roce, errRoCE := perf.NewLink(c, "roce-25")
	links := math.NaN()
	if errTCP == nil && errRoCE == nil {
		links = roce.GBs/tcp.GBs - 1
	}
	one := tokensPerS(r["25g"], 8) / tokensPerS(r[""], 8)
	return []judgement{
		{
			"A 25G network starves 8 GPUs", verdict(one < 0.9, of("25g") < 0.9), "the job spans servers", fmt.Sprintf("%s of the rate on one server, %s over eight", percent(one), percent(of("25g"))),
			[]string{fmt.Sprintf("A job inside one server does not use the network: 8 GPUs train at %s of their rate. Over eight servers, two 25G ports each leave %s of what a 400G port for every GPU gives, and that only with a split chosen for it (%s).", percent(one), percent(of("25g")), split(r["25g"], 64))},
		},
		{
			"100G on one node and 400G between nodes suffice", verdict(one > 0.999 && of("400g-one") >= 0.9, of("400g-rails") >= 0.9), "there is a 400G port for every GPU", fmt.Sprintf("%s with one 400G port a server", percent(of("400g-one"))),
			[]string{fmt.Sprintf("64 GPUs on a 70B model: two 100G ports a server give %s, one 400G port %s, a 400G port for every GPU over RoCE %s of InfiniBand's rate; three to one oversubscription %s.", percent(of("100g")), percent(of("400g-one")), percent(of("400g-rails")), percent(of("oversubscribed")))},
		},
		{
			"Tuning RDMA lifts all-reduce efficiency by 60 %", verdict(within(links, 0.5, 0.7), false), "", fmt.Sprintf("%.0f %% of bandwidth, %.1f %% of training rate at 25G", 100*links, 100*rdma),
			[]string{fmt.Sprintf("RDMA in place of TCP lifts the bandwidth that collectives reach on a 25G port by %.0f %% in the catalogue; on 64 GPUs that is %.1f %% of the training rate, with the split that suits the network best. A badly set network can be made 60 %% better; a well-set one cannot.", 100*links, 100*rdma)},
		},
	}
}

func generations(r runs, c *catalog.Catalog) []judgement {
	ratio8, ratio64 := tokensPerS(r[""], 8)/tokensPerS(r["a100"], 8), tokensPerS(r[""], 64)/tokensPerS(r["a100"], 64)
	fp8 := tokensPerS(r["fp8"], 64) / tokensPerS(r["a100"], 64)
	tokens := tokensPerS(r["h200-serves"], 1)
	memory := 0.0
	if h200, err := c.GPU("h200"); err == nil {
		memory = h200.Memory.Value
	}
	model, err := perf.NewModel(c, "llama-3-70b")
	weights := 0.0
	if err == nil {
		weights = model.Parameters / 1e9
	}
	days := 1.4e12 / tokensPerS(r[""], 8) / 86400
	adapters := tokensPerS(r["adapters"], 8)
	return []judgement{
		{
			"H100 trains 3 to 4 times as fast as A100", verdict(within(ratio64, 3, 4), within(fp8, 3, 4)), "the H100 trains in FP8", fmt.Sprintf("%.2f times in BF16, %.2f in FP8", ratio64, fp8),
			[]string{fmt.Sprintf("A 70B model in BF16: %.2f times on 8 GPUs, %.2f times on 64. With FP8 on the H100, which the A100 lacks, %.2f times.", ratio8, ratio64, fp8)},
		},
		{
			"H200's 141 GB holds a 70B model on one GPU",
			verdict(2*weights < 0.9*memory, tokens > 0), "the weights are in FP8", fmt.Sprintf("%.0f tokens/s in FP8; %.0f GB of weights in BF16", tokens, 2*weights),
			[]string{fmt.Sprintf("In FP8 yes, with room for requests: %.0f tokens a second on one GPU. In BF16 the weights alone are %.0f GB of %.0f GB, and nothing is left for requests.", tokens, 2*weights, memory)},
		},
		{
			"70B trains on one 8×H100 server",
			verdict(!strings.Contains(split(r[""], 8), "host memory"), days > 0), "the optimizer's state is in host memory, or adapters alone are trained", fmt.Sprintf("%.0f days for 1.4T tokens", days),
			[]string{
				fmt.Sprintf("All weights: only with the optimizer's state in host memory (%s), and 1.4T tokens take %.0f days, %.1f years.", split(r[""], 8), days, days/365),
				fmt.Sprintf("Fine-tuning by adapters: %.0f tokens a second (%s), 100M tokens in %.1f h.", adapters, split(r["adapters"], 8), 1e8/adapters/3600),
			},
		},
	}
}

func flopsPerWatt(r runs, c *catalog.Catalog) []judgement {
	gpu := func(name string) *catalog.GPU {
		if g, err := c.GPU(name); err == nil {
			return g
		}
		return &catalog.GPU{} // a zero in the page, which the test shows
	}
	h100, a100, b200, a10, t4 := gpu("h100"), gpu("a100"), gpu("b200"), gpu("a10"), gpu("t4")
	perW := func(v string) float64 {
		m := r[v].Compute.Models[0]
		return float64(m.PFLOPS) * 1000 / (perServerKW(r[v]) * 1000)
	}
	return []judgement{
		{
			"H100 gives 52.6 TFLOPS/W, A100 26.2", verdict(within(h100.BF16.Value/h100.TDP.Value, 50, 55) && within(a100.BF16.Value/a100.TDP.Value, 25, 28), false), "", fmt.Sprintf("%.2f and %.2f TFLOPS/W", h100.BF16.Value/h100.TDP.Value, a100.BF16.Value/a100.TDP.Value),
			[]string{
				fmt.Sprintf("Dense BF16 over TDP: %.2f and %.2f TFLOPS/W. Training an 8B model, at the server's cord: %.2f and %.2f.", h100.BF16.Value/h100.TDP.Value, a100.BF16.Value/a100.TDP.Value, perW(""), perW("a100")),
				"26.2 and 52.6 are GFLOPS/W of whole systems in double precision on the Green500: an A100 SuperPOD of 2020, and Frontier, which has no H100.",
			},
		},
		{
			"B200 FP4 exceeds 1,000 TFLOPS", verdict(b200.FP4.Value > 1000, false), "", fmt.Sprintf("%.0f TFLOPS dense", b200.FP4.Value),
			[]string{fmt.Sprintf("%.0f TFLOPS dense, nine times as much; serving a 70B model it uses %.0f TFLOPS a GPU.", b200.FP4.Value, float64(r["b200-fp4"].Compute.Models[0].PFLOPS)*1000/float64(r["b200-fp4"].Compute.Models[0].GPUs))},
		},
		{
			"A10 and T4 draw about 70 W", verdict(within(a10.TDP.Value, 60, 80) && within(t4.TDP.Value, 60, 80), false), "", fmt.Sprintf("A10 %.0f W, T4 %.0f W", a10.TDP.Value, t4.TDP.Value),
			[]string{fmt.Sprintf("T4 draws %.0f W, A10 %.0f W.", t4.TDP.Value, a10.TDP.Value)},
		},
	}
}

func nightAndSpot(r runs, _ *catalog.Catalog) []judgement {
	m := r[""].Money
	price := map[string]float64{}
	hours := map[string]float64{}
	for _, o := range m.Cloud {
		price[o.Offer], hours[o.Offer] = float64(o.PerGPUHour), float64(o.GPUHours)
	}
	list := price["on demand"]
	reserved, spot := 1-price["reserved"]/list, price["spot"]/list
	busy := float64(r[""].Compute.Utilization)
	bill, night := float64(r[""].Energy.Cost[0].Amount), float64(r["night"].Energy.Cost[0].Amount)
	wait := func(v string) float64 {
		for _, k := range r[v].Jobs.ByClass {
			if k.Class == "tune" {
				return float64(k.WaitS.Mean) / 3600
			}
		}
		return 0
	}
	total := float64(m.YearTotal)
	year := (bill - night) * 365 / 90
	return []judgement{
		{
			"Reserved capacity saves 30 to 50 %", verdict(within(reserved, 0.3, 0.5), reserved > 0), "it is busy nearly all the time", fmt.Sprintf("%s at %s busy", percent(reserved), percent(busy)),
			[]string{fmt.Sprintf("Reserved hours cost 40 %% less than list here, but all of them are paid: at %s of the GPUs busy, an hour that works costs %s less than on demand. Under 60 %% busy it costs more.", percent(busy), percent(reserved))},
		},
		{
			"Spot costs 30 % of list", verdict(within(spot, 0.28, 0.31), within(spot, 0.28, 0.4)), "interruptions cost nothing", percent(spot),
			[]string{fmt.Sprintf("The hour does; interruptions repeat work, so that an hour of work costs %s of list, for jobs that can be interrupted.", percent(spot))},
		},
		{
			"Moving non-urgent work off-peak pays", verdict(night < bill, false), "", fmt.Sprintf("%s of the energy bill, %s of all cost", percent(1-night/bill), percent(year/total)),
			[]string{fmt.Sprintf("Fine-tuning that may wait up to 14 h for a valley hour takes %s off the energy bill (%.0f CNY a year) and waits %.1f h longer on average. That is %s of what the hall costs a year, servers included.", percent(1-night/bill), year, wait("night")-wait(""), percent(year/total))},
		},
	}
}
