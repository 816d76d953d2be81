package report

import (
	"fmt"
	"math"
)

// models is what the named models give at full clock: one line a class, server model and size.
func (d *doc) models() {
	if len(d.r.Compute.Models) == 0 {
		return
	}
	d.say("What a job or a replica of each named model gives at full clock, before heat, caps and failures (modelled: four in five of the published results it is checked against lie within 15 %%):")
	var rows [][]cell
	for _, m := range d.r.Compute.Models {
		goals, mfu, days := words("–"), none("%"), none("d")
		if m.MFU > 0 {
			mfu, days = percent(float64(m.MFU)), figure(float64(m.DaysPerTrillion), 3, "d")
		}
		if !math.IsNaN(float64(m.FirstTokenS)) {
			goals = words(fmt.Sprintf("%.2f s, %.0f ms", float64(m.FirstTokenS), 1000*float64(m.PerTokenS)))
		}
		rows = append(rows, row(
			words(m.Class), words(m.Model), words(m.Precision), words(fmt.Sprintf("%d %s", m.GPUs, m.GPU)), words(m.Split),
			figure(float64(m.TokensPerS), 4, ""), mfu, days, goals, words(m.Bound),
		))
	}
	d.table("models", []string{"class", "model", "precision", "GPUs", "split", ">tokens/s", ">MFU", ">10^12 tokens in", ">first token, per token (p99)", "bound by"}, rows)
}
