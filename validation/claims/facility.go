package main

import (
	"fmt"
	"math"

	"headroom/facility/catalog"
)

func serverPower(r runs, _ *catalog.Catalog) []judgement {
	full, half, cap490, decode := perServerKW(r[""]), perServerKW(r["half-power"]), perServerKW(r["cap-490"]), perServerKW(r["decode"])
	return []judgement{
		{
			"An 8×H100 server at full load draws 4.8 kW", verdict(within(full, 4.5, 5.1), false), "", fmt.Sprintf("%.2f kW", full),
			[]string{
				fmt.Sprintf("At full activity it draws %.2f kW at the cord, sustained; 4.8 kW is half power: with every GPU capped at 350 W it draws %.2f kW.", full, half),
				fmt.Sprintf("Decoding, whose cores wait for memory, draws %.2f kW.", decode),
			},
		},
		{
			"It draws close to 6 kW", verdict(math.Abs(full-6) < 0.3, math.Abs(cap490-6) < 0.3), "its GPUs are capped near 490 W, or work less than fully", fmt.Sprintf("%.2f kW at 490 W a GPU", cap490),
			[]string{fmt.Sprintf("Only as an average of mixed work, or with its GPUs capped near 490 W: then %.2f kW. Full load is %.0f %% more.", cap490, 100*(full/cap490-1))},
		},
	}
}

func rack8kW(r runs, _ *catalog.Catalog) []judgement {
	base, seven, six, air6, air4 := r[""], r["rack-7"], r["rack-6"], r["air-6"], r["air-4"]
	return []judgement{{
		"A rack must supply at least 8 kW for one air-cooled 8×H100 server, or its GPUs throttle",
		verdict(lostShare(seven) > 0.02 && float64(air6.Thermal.ThrottledShare) > 0.01, lostShare(seven) > 0.02 && lostShare(base) < 0.02), "8 kW means power; of cooling less will do for a while",
		fmt.Sprintf("%s of the work lost at 7 kW, %s at 6 kW, %s at 8 kW", percent(lostShare(seven)), percent(lostShare(six)), percent(lostShare(base))),
		[]string{
			fmt.Sprintf("As a limit on power it holds: capped at 8 kW a server loses %s of its work, at 7 kW %s, at 6 kW %s. The clocks yield to the cap, not to heat.", percent(lostShare(base)), percent(lostShare(seven)), percent(lostShare(six))),
			fmt.Sprintf("As a limit on cooling it does not: with air handlers rated for 6 kW a rack, inlets rise to %.1f °C, return air warms, the handlers take more, and no GPU throttles (%.1f °C at most). Rated for 4 kW a rack, inlets reach %.1f °C and servers trip (%.0f GPU-hours lost).",
				float64(air6.Thermal.InletC.Max), float64(air6.Thermal.GPUC.Max), float64(air4.Thermal.InletC.Max), float64(air4.Compute.LostGPUHours.Failure)),
			fmt.Sprintf("Planned by nameplate the server needs 10.2 kW; at full load it draws %.2f kW, so 8 kW leaves no margin.", perServerKW(base)),
		},
	}}
}

func liquidRack(r runs, _ *catalog.Catalog) []judgement {
	base, big, hot, pumps, air := r[""], r["rack-78"], r["coolant-48"], r["pumps-stop"], r["air-stops"]
	perRack := servers(base) / 10
	perBig := servers(big) / 10
	bigKW := float64(big.Energy.PeakITW) / 1000 / 10
	return []judgement{
		{
			"A 48 kW liquid rack keeps GPUs from throttling",
			verdict(float64(pumps.Thermal.GPUC.Max) < 87, float64(base.Thermal.GPUC.Max) < 87 && base.Thermal.ThrottledShare == 0), "coolant and air keep flowing", fmt.Sprintf("%.1f °C at most, throttled share %s", float64(base.Thermal.GPUC.Max), percent(float64(base.Thermal.ThrottledShare))),
			[]string{
				fmt.Sprintf("While coolant flows it holds: %.0f servers a rack at %.1f °C at most on 35 °C coolant, %.1f °C on 48 °C coolant, limit 87 °C.", perRack, float64(base.Thermal.GPUC.Max), float64(hot.Thermal.GPUC.Max)),
				fmt.Sprintf("It is the coolant that does it, not the 48 kW: pumps that stop for a minute bring dies to %.0f °C, and %.0f GPU-hours are lost.", float64(pumps.Thermal.GPUC.Max), float64(pumps.Compute.LostGPUHours.Failure)),
				fmt.Sprintf("Memory, network cards and supplies still need air: an hour without air handlers brings inlets to %.1f °C and stops servers whose GPUs are cool.", float64(air.Thermal.InletC.Max)),
			},
		},
		{
			"Liquid GPU racks reach 78 kW", verdict(within(bigKW, 65, 78.0001), false), "", fmt.Sprintf("%.1f kW drawn, %.0f servers a rack", bigKW, perBig),
			[]string{fmt.Sprintf("%.0f cold-plate H100 servers go into a 78 kW rack and draw %.1f kW together at full load; no GPU throttles.", perBig, bigKW)},
		},
	}
}

func liquidPUE(r runs, _ *catalog.Catalog) []judgement {
	air, old, hybrid, warm := r[""].Energy, r["old-air"].Energy, r["hybrid"].Energy, r["warm-water"].Energy
	saved := func(a, b float64) float64 { return 1 - b/a }
	return []judgement{
		{
			"Liquid cooling brings PUE to 1.1 or less", verdict(float64(hybrid.PUE) <= 1.1 && float64(warm.PUE) <= 1.1, float64(warm.PUE) <= 1.1), "nearly all heat goes into warm water", fmt.Sprintf("%.3f and %.3f", float64(hybrid.PUE), float64(warm.PUE)),
			[]string{fmt.Sprintf("In Shanghai, 80 %% into cold plates on dry coolers at 40 °C: PUE %.3f; 96 %% and a UPS in eco mode: %.3f. IT metered at the server's cord.", float64(hybrid.PUE), float64(warm.PUE))},
		},
		{
			"It saves 30 % against air",
			verdict(saved(float64(air.FacilityKWh), float64(hybrid.FacilityKWh)) >= 0.295, saved(float64(old.FacilityKWh), float64(hybrid.FacilityKWh)) >= 0.29), "the air room is an old one", percent(saved(float64(air.FacilityKWh), float64(hybrid.FacilityKWh))),
			[]string{
				fmt.Sprintf("Against a good air room (PUE %.2f) the hall saves %s of its energy, the servers' own fans included; against a room without containment on direct expansion and an old UPS (PUE %.2f) %s.",
					float64(air.PUE), percent(saved(float64(air.FacilityKWh), float64(hybrid.FacilityKWh))), float64(old.PUE), percent(saved(float64(old.FacilityKWh), float64(hybrid.FacilityKWh)))),
				fmt.Sprintf("30 %% of what is not IT is another matter: that falls by %s.", percent(saved(float64(air.FacilityKWh-air.ITKWh), float64(hybrid.FacilityKWh-hybrid.ITKWh)))),
			},
		},
	}
}

func directToChip(r runs, _ *catalog.Catalog) []judgement {
	old, chip, ups := r[""], r["direct-to-chip"], r["new-ups"]
	cost := func(v string) float64 { return float64(r[v].Energy.Cost[0].Amount) }
	savedUPS := cost("") - cost("new-ups")
	arithmetic := 48 * (1.6 - 1.2) * 8760 * 0.7
	return []judgement{{
		"Direct-to-chip took PUE from 1.6 to under 1.2 and saved 120,000 CNY a year",
		verdict(float64(chip.Energy.PUE) < 1.2 && cost("")-cost("direct-to-chip") >= 110e3, float64(ups.Energy.PUE) < 1.2 && savedUPS >= 110e3), "the old UPS goes as well, and the rack draws 48 kW all year",
		fmt.Sprintf("PUE %.2f to %.2f, %.0f CNY a year", float64(old.Energy.PUE), float64(ups.Energy.PUE), savedUPS),
		[]string{
			fmt.Sprintf("The arithmetic holds for one rack: 48 kW all year, PUE 1.6 to 1.2 at 0.7 CNY/kWh is %.0f CNY.", arithmetic),
			fmt.Sprintf("Simulated, one rack of six servers in an old room: cold plates take PUE from %.2f to %.2f and save %.0f CNY a year; under 1.2 it comes only with a UPS of today (%.2f, %.0f CNY).",
				float64(old.Energy.PUE), float64(chip.Energy.PUE), cost("")-cost("direct-to-chip"), float64(ups.Energy.PUE), savedUPS),
			fmt.Sprintf("Part of it is the server's own fans: IT energy falls by %s, which PUE does not show.", percent(1-float64(chip.Energy.ITKWh)/float64(old.Energy.ITKWh))),
		},
	}}
}

func below85(r runs, _ *catalog.Catalog) []judgement {
	most := func(v string) float64 { return float64(r[v].Thermal.GPUC.Max) }
	return []judgement{{
		"GPUs stay below 85 °C in a 24 h full-load acceptance test", verdict(most("") < 85 && most("one-handler") < 85, most("") < 85), "the air handlers keep up", fmt.Sprintf("%.1f °C at most", most("")),
		[]string{
			fmt.Sprintf("With air at its rated flow it holds: %.1f °C at 25 °C supply, %.1f °C at 30 °C, %.1f °C in an open aisle; A100 %.1f °C; on cold plates at 40 °C coolant %.1f °C. The fans see to that: they hold the worst slot near their target.", most(""), most("supply-30"), most("open-aisle"), most("a100"), most("liquid")),
			fmt.Sprintf("With three of four air handlers down for two hours it does not: %.1f °C.", most("one-handler")),
		},
	}}
}

func availability(r runs, _ *catalog.Catalog) []judgement {
	sla := func(v string) float64 { return float64(r[v].Compute.SLAAttainment) }
	down := func(v string) float64 { return (1 - sla(v)) * 8760 * 60 }
	const goal = 0.99975
	return []judgement{{
		"N+2 cooling and dual feeds give 99.975 % availability",
		verdict(sla("") >= goal && sla("grid") >= goal && sla("servers-fail") >= goal, sla("") >= goal), "grid and servers do not fail", fmt.Sprintf("%.4f %% with server failures, %.4f %% with a failing grid", 100*sla("servers-fail"), 100*sla("grid")),
		[]string{
			fmt.Sprintf("Twenty years of one seed, tokens served within the goal over tokens asked for: the building alone %.4f %% (%.0f minutes a year lost), one feed in place of two %.4f %% (%.0f), cooling without a spare %.4f %%.", 100*sla(""), math.Max(0, down("")), 100*sla("single-feed"), down("single-feed"), 100*sla("n-cooling")),
			fmt.Sprintf("A grid that fails for two hours every two years leaves %.4f %% (%.0f minutes a year) on batteries alone and %.4f %% with generators; servers that fail once in 264 days, one of fifteen standing by, leave %.4f %%, three standing by %.4f %%.",
				100*sla("grid"), down("grid"), 100*sla("grid-generators"), 100*sla("servers-fail"), 100*sla("servers-spare")),
			"It counts what the service loses, not who is at fault; human error and common causes, which dominate real outages, are not in it.",
		},
	}}
}
