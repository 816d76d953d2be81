package report

import (
	"fmt"
	"math"

	"headroom/plots/show"
	"headroom/sim"
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

// services is what services that follow their load, or serve requests one by one, gave their users.
func (d *doc) services() {
	list := d.r.Compute.Services
	if len(list) == 0 {
		return
	}
	d.say("What services gave their users. Requests of a trace are served one by one; replicas come and go, and servers change what they draw, every %s. The attainment is the share of requests within both goals, against %s.",
		show.Seconds(float64(list[0].StepS)), show.Percent(float64(list[0].SLATarget)))
	var rows [][]cell
	for i := range list {
		s := &list[i]
		goals := func(t *sim.Tail, goal sim.Num) cell {
			if !t.P99.Known() || !goal.Known() {
				return words("–")
			}
			return words(fmt.Sprintf("%s, %s (%s)", show.Seconds(float64(t.P50)), show.Seconds(float64(t.P99)), show.Seconds(float64(goal))))
		}
		held := words("–")
		if s.SLAAttainment.Known() {
			held = words("missed")
			if s.SLAAttainment >= s.SLATarget {
				held = words("held")
			}
		}
		rows = append(rows, row(
			words(s.Class), figure(float64(s.Requests), 6, ""), percent(float64(s.SLAAttainment)), held, goals(&s.FirstTokenS, s.FirstGoalS), goals(&s.PerTokenS, s.PerGoalS),
			figure(float64(s.LongestQueue), 4, ""), words(fmt.Sprintf("%s, %s, %s", show.Number(float64(s.ReplicasLeast), 4), show.Number(float64(s.ReplicasMean), 4), show.Number(float64(s.ReplicasMost), 4))),
			count(s.ScaledOut), count(s.ScaledIn), figure(float64(s.Retried), 6, ""),
		))
	}
	d.table("services", []string{
		"class", ">requests", ">within goals", "target", ">first token p50, p99 (goal)", ">per token p50, p99 (goal)", ">longest queue", ">replicas least, mean, most", ">started", ">stopped", ">begun again",
	}, rows)
}

// queue says what the rules of the queue did, and the tokens of each class that names a model.
func (d *doc) queue() {
	if q := d.r.Jobs.Scheduling; q != nil {
		d.say("The queue: order %s, placement %s. %s times a spot job gave way to a more urgent one; %s jobs started before one that had waited longer; %s were held back for a better hour; %s times the first in line went to its end.",
			q.Order, q.Placement, show.Count(q.Preempted), show.Count(q.Backfilled), show.Count(q.Deferred), show.Count(q.GangTimeouts))
		if len(q.Tenants) > 1 {
			var rows [][]cell
			for _, t := range q.Tenants {
				name := t.Tenant
				if name == "" {
					name = "–"
				}
				rows = append(rows, row(words(name), gpuHours(float64(t.GPUHours))))
			}
			d.table("tenants", []string{"tenant", ">GPU-hours"}, rows)
		}
	}
	var rows [][]cell
	for i := range d.r.Jobs.ByClass {
		if k := &d.r.Jobs.ByClass[i]; k.Tokens.Known() {
			rows = append(rows, row(words(k.Class), figure(float64(k.Tokens), 4, ""), figure(float64(k.Tokens/k.GPUHours), 4, "")))
		}
	}
	if len(rows) > 1 {
		d.table("tokens", []string{"class", ">tokens", ">tokens per GPU-hour"}, rows)
	}
}
