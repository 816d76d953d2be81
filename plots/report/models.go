package report

import (
	"fmt"
	"math"

	"headroom/plots/show"
)

// models is what the named models give at full clock: one line a class, server model and size.
func (d *doc) models() {
	if len(d.r.Compute.Models) == 0 {
		return
	}
	d.para("What a job or a replica of each named model gives at full clock, before heat, caps and failures (modelled: four in five of the published results it is checked against lie within 15 %):")
	var rows [][]string
	for _, m := range d.r.Compute.Models {
		goals, mfu, days := "–", "–", "–"
		if m.MFU > 0 {
			mfu, days = show.Percent(float64(m.MFU)), withUnit(float64(m.DaysPerTrillion), "d")
		}
		if !math.IsNaN(float64(m.FirstTokenS)) {
			goals = fmt.Sprintf("%.2f s, %.0f ms", float64(m.FirstTokenS), 1000*float64(m.PerTokenS))
		}
		rows = append(rows, []string{
			m.Class, m.Model, m.Precision, fmt.Sprintf("%d %s", m.GPUs, m.GPU), m.Split, show.Number(float64(m.TokensPerS), 4),
			mfu, days, goals, m.Bound,
		})
	}
	d.table([]string{"class", "model", "precision", "GPUs", "split", ">tokens/s", ">MFU", ">10^12 tokens in", ">first token, per token (p99)", "bound by"}, rows)
}
