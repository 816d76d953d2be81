package main

import (
	"fmt"

	"headroom/sim/sched"
	"headroom/sim/workload"
)

// workloadKinds lists what a scenario can name for its work: public traces that "like" takes sizes and lengths from, with
// the published statistics that the fit matches, and the policies of the queue and of placement.
func workloadKinds() []catalogKind {
	fits := catalogKind{Kind: "workload"}
	for _, p := range workload.Traces {
		c, matches := p.Fit()
		e := catalogEntry{Name: p.Name, Title: p.Title}
		add := func(field, value, unit, grade, source string) {
			e.Figures = append(e.Figures, catalogFigure{field, value, unit, grade, source})
		}
		for _, m := range matches {
			add(m.Statistic, short(m.Published), m.Unit, "published", p.Source)
			add(m.Statistic+", fit", short(m.Model), m.Unit, "derived", "")
		}
		add("jobs", short(p.JobsPerDay), "per day", "published", p.Source)
		if p.GPUs > 0 {
			add("GPUs of the clusters", fmt.Sprint(p.GPUs), "GPUs", "published", p.Source)
		}
		add("length of one-GPU jobs, median", short(c.MedianS), "s", "derived", "log-normal, fitted to mean and median run time")
		add("length, standard deviation of the logarithm", short(c.SigmaLn), "", "derived", "")
		var weights float64
		for _, s := range c.GPUs {
			weights += float64(s.Weight)
		}
		for _, s := range c.GPUs {
			add(fmt.Sprintf("share of jobs of %d GPUs", s.GPUs), short(float64(s.Weight)/weights), "", "assumed", "powers of two that go geometrically to the mean")
			add(fmt.Sprintf("length of jobs of %d GPUs", s.GPUs), short(s.Stretch), "times", "derived", "a power of the size, fitted to GPU time")
		}
		fits.Entries = append(fits.Entries, e)
	}
	orders, placements := catalogKind{Kind: "orders"}, catalogKind{Kind: "placements"}
	for _, o := range sched.AllOrders() {
		orders.Entries = append(orders.Entries, catalogEntry{Name: o.Name, Title: o.Doc})
	}
	for _, p := range sched.AllPlacements() {
		placements.Entries = append(placements.Entries, catalogEntry{Name: p.Name, Title: p.Doc})
	}
	return []catalogKind{fits, orders, placements}
}

func short(x float64) string { return fmt.Sprintf("%.6g", x) }
