package report

import (
	"fmt"
	"math"
	"strings"

	"headroom/facility"
	"headroom/facility/power"
	"headroom/plots"
	"headroom/plots/document"
	"headroom/plots/show"
	"headroom/sim"
)

// Verdicts on a limit.
const (
	Pass    = "PASS"
	Fail    = "FAIL"
	Unknown = "UNKNOWN"
)

// Verdict is one limit with what the run says about it.
type Verdict struct {
	Limit  string // "rack power"
	Figure string // the worst figure that occurred, "40.8 kW in A01"
	Bound  string // "48.0 kW"
	State  string // Pass, Fail or Unknown
	Note   string

	Share    float64 // the figure over its limit
	HasShare bool    // there is such a ratio, and it is known
}

// Limits returns the verdict on every limit that a run can be held against. A limit that is not stated, or a figure
// that is not known, is Unknown and never Pass.
func Limits(r *sim.Result) []Verdict {
	var out []Verdict
	out = append(out, rackLimits(r)...)
	out = append(out, lossLimits(r)...)
	out = append(out, powerLimits(r)...)
	out = append(out, heatLimits(r)...)
	out = append(out, stopLimits(r)...)
	return append(out, bookLimits(r)...)
}

// PlanLimits returns the verdicts that a placement alone can be held against.
func PlanLimits(r *sim.Result) []Verdict {
	out := append(rackLimits(r), lossLimits(r)...)
	for _, l := range plots.PowerLimits(r) {
		v := Verdict{Limit: "planned load on the " + l.Name, Figure: show.Watts(l.PlanW), Bound: show.Watts(l.W), Note: "fans and pumps of the design day included"}
		out = append(out, judge(v, l.PlanW, l.W))
	}
	return out
}

// limits is the table of verdicts.
func (d *doc) limits(vs []Verdict) {
	d.Section("Limits")
	var rows [][]cell
	for _, v := range vs {
		share := none("%")
		if v.HasShare {
			share = percent(v.Share)
		}
		rows = append(rows, row(document.Judged(v.State, states[v.State]), words(v.Limit), words(v.Figure), words(v.Bound), share, words(v.Note)))
	}
	d.table("limits", []string{"verdict", "limit", ">figure", ">limit value", ">of the limit", "note"}, rows)
}

var states = map[string]document.State{Pass: document.Pass, Fail: document.Fail, Unknown: document.Unknown}

// judge compares a figure with its bound.
func judge(v Verdict, figure, bound float64) Verdict {
	switch {
	case math.IsNaN(figure) || math.IsNaN(bound) || math.IsInf(figure, 0):
		v.State = Unknown
	case figure <= bound:
		v.State = Pass
	default:
		v.State = Fail
	}
	if v.State != Unknown && bound > 0 {
		v.Share, v.HasShare = figure/bound, true
	}
	return v
}

// rackLimits holds every rack against the limits stated for it and names the rack that comes closest.
func rackLimits(r *sim.Result) []Verdict {
	l := r.Layout
	if l == nil || l.Facility == nil {
		return []Verdict{{Limit: "rack limits", Figure: show.Unknown, Bound: show.Unknown, State: Unknown, Note: "the result holds no placement"}}
	}
	type kind struct {
		name, unit string
		of         func(i int, rack *facility.Rack) (used, limit float64)
	}
	stated := func(w int64) float64 {
		if w < 0 {
			return math.NaN()
		}
		return float64(w)
	}
	basis := "planned power"
	if l.Facility.Basis == facility.Nameplate {
		basis = "nameplate"
	}
	kinds := []kind{
		{"rack power at " + basis, "W", func(i int, k *facility.Rack) (float64, float64) {
			return float64(l.Racks[i].UsedW + max(0, k.ReserveW)), stated(k.PowerW)
		}},
		{"rack air cooling at " + basis, "W", func(i int, k *facility.Rack) (float64, float64) {
			return float64(l.Racks[i].AirW), stated(k.AirW)
		}},
		{"rack liquid cooling at " + basis, "W", func(i int, k *facility.Rack) (float64, float64) {
			return float64(l.Racks[i].LiquidW), stated(k.LiquidW)
		}},
		{"rack space", "U", func(i int, k *facility.Rack) (float64, float64) {
			return float64(l.Racks[i].UsedU + k.ReserveU), float64(k.HeightU)
		}},
		{"rack weight", "kg", func(i int, k *facility.Rack) (float64, float64) {
			return l.Racks[i].WeightKg + k.FrameKg, k.LoadKg
		}},
		{"rack feed after the worst single loss", "", func(i int, k *facility.Rack) (float64, float64) {
			return l.Racks[i].FeedShare, 1
		}},
	}
	var out []Verdict
	for _, k := range kinds {
		worst, figure, bound, where, without, needed := math.Inf(-1), math.NaN(), math.NaN(), "", 0, false
		for i := range l.Racks {
			at := l.Racks[i].Rack
			if at < 0 || at >= len(l.Facility.Racks) {
				continue
			}
			rack := &l.Facility.Racks[at]
			used, limit := k.of(i, rack)
			needed = needed || used != 0 // NaN counts: it may be needed
			if math.IsNaN(used) || math.IsNaN(limit) {
				without++
				continue
			}
			share := used / limit
			if limit == 0 && used == 0 {
				share = 0
			}
			if share > worst {
				worst, figure, bound, where = share, used, limit, rack.ID
			}
		}
		if where == "" && !needed {
			continue // no rack states the limit, and nothing asks for it
		}
		v := judge(Verdict{Limit: k.name}, figure, bound)
		v.Figure, v.Bound = show.Quantity(figure, k.unit), show.Quantity(bound, k.unit)
		if k.unit == "" {
			v.Figure, v.Bound = show.Percent(figure), show.Percent(bound)
		}
		if where != "" {
			v.Figure += " in " + where
		}
		if without > 0 {
			v.Note = show.Of(without, "rack") + " without a stated limit or figure"
			if v.State == Pass { // what is not stated can't be held
				v.Note += "; judged on the rest"
			}
		}
		out = append(out, v)
	}
	return out
}

// lossLimits are the single losses and the redundancy that the scenario claims.
func lossLimits(r *sim.Result) []Verdict {
	var out []Verdict
	worst, lost, unknown, down := math.Inf(-1), "", 0, 0
	var all []string // losses after which nothing is left to carry anything
	for _, f := range r.Capacity.Failover {
		if f.State == "lost" || f.State == "degraded" {
			down++
		}
		if !f.WorstLoadShare.Known() && f.State == "lost" {
			all = append(all, f.Lost)
		} else if !f.WorstLoadShare.Known() {
			unknown++
		} else if s := float64(f.WorstLoadShare); s > worst {
			worst, lost = s, f.Lost
		}
	}
	v := Verdict{Limit: "load of every survivor after any single loss", Figure: show.Unknown, Bound: "100 %", State: Unknown}
	switch {
	case len(r.Capacity.Failover) == 0:
		v.Note = "no loss was judged"
	case lost != "":
		v = judge(v, worst, 1)
		v.Figure = show.Percent(worst) + " with " + lost + " lost"
	}
	if unknown > 0 {
		v.Note = show.Of(unknown, "loss") + " with unknown load"
		if unknown > 1 {
			v.Note = show.Count(unknown) + " losses with unknown load"
		}
		if v.State == Pass {
			v.State = Unknown
		}
	}
	if down > 0 {
		if v.Note != "" {
			v.Note += "; "
		}
		v.Note += fmt.Sprintf("%d of %d losses leave something degraded or lost", down, len(r.Capacity.Failover))
	}
	if len(all) > 0 {
		if v.Note != "" {
			v.Note += "; "
		}
		v.Note += "nothing is left after the loss of " + strings.Join(all[:min(3, len(all))], ", ")
		if len(all) > 3 {
			v.Note += fmt.Sprintf(" and %d more", len(all)-3)
		}
	}
	out = append(out, v)
	if r.Layout != nil {
		for _, c := range r.Layout.Claims {
			v := Verdict{Limit: "redundancy of " + c.Where, Figure: "does not hold", Bound: c.Claim, State: Fail, Note: c.Why}
			if c.Holds {
				v.Figure, v.State = "holds", Pass
			}
			out = append(out, v)
		}
	}
	return out
}

// powerLimits are the peaks of the run against what the electrical levels carry after their loss.
func powerLimits(r *sim.Result) []Verdict {
	var out []Verdict
	limits := plots.PowerLimits(r)
	if len(limits) == 0 {
		out = append(out, Verdict{Limit: "peak facility power", Figure: show.Watts(float64(r.Energy.PeakFacilityW)), Bound: "not stated", State: Unknown})
	}
	for _, l := range limits {
		what, peak := "peak facility power on the ", float64(r.Energy.PeakFacilityW)
		note := ""
		if l.Kind == power.UPS || l.Bypassed { // not all of the facility hangs on it
			what, peak, note = "planned load on the ", l.PlanW, "plan basis, fans and pumps included"
		}
		v := judge(Verdict{Limit: what + l.Name, Figure: show.Watts(peak), Bound: show.Watts(l.W), Note: note}, peak, l.W)
		out = append(out, v)
	}
	return out
}

// heatLimits are temperatures and what they cost.
func heatLimits(r *sim.Result) []Verdict {
	h := &r.Thermal
	hours := float64(h.HoursOverAllowable)
	over := judge(Verdict{Limit: "inlets within the allowable range", Figure: hoursOf(hours), Bound: "0 h", Note: "the narrower of air class and server"}, hours, 0)
	gpuh := float64(h.ThrottledGPUHours)
	throttle := judge(Verdict{Limit: "no GPU throttles", Figure: show.GPUHours(gpuh), Bound: "0 GPU-hours"}, gpuh, 0)
	if h.ThrottledShare.Known() && h.ThrottledShare > 0 {
		throttle.Note = show.Percent(float64(h.ThrottledShare)) + " of busy time"
	}
	if r.Layout != nil && r.Layout.Facility != nil && len(r.Layout.Facility.Cooling.Loops) == 0 && !h.DewPointMarginK.Known() {
		return []Verdict{over, throttle} // nothing cold but air handlers' coils, which have drains
	}
	margin := float64(h.DewPointMarginK)
	dew := judge(Verdict{Limit: "cold surfaces above the dew point", Figure: show.Unknown, Bound: "0 K"}, -margin, 0)
	if h.DewPointMarginK.Known() {
		dew.Figure = show.Number(margin, 3) + " K above"
	} else {
		dew.Note = "the run has no figure"
	}
	return []Verdict{over, throttle, dew}
}

func hoursOf(h float64) string {
	if math.IsNaN(h) || math.IsInf(h, 0) {
		return show.Unknown
	}
	return show.Plain(h) + " h"
}

// bookLimits are the balances that any run must keep.
func bookLimits(r *sim.Result) []Verdict {
	j := &r.Jobs.JobCounts
	jobs := Verdict{Limit: "every submitted job accounted for", Figure: show.Count(jobSum(j)) + " jobs", Bound: show.Count(j.Submitted) + " jobs", State: Fail}
	if jobSum(j) == j.Submitted {
		jobs.State = Pass
	}
	sum, unknown := energySum(&r.Energy)
	total := float64(r.Energy.FacilityKWh)
	energy := Verdict{Limit: "energy of the parts adds up", Figure: show.KWh(sum), Bound: show.KWh(total), State: Unknown}
	if !math.IsNaN(sum) && !math.IsNaN(total) {
		switch gap := total - sum; {
		case math.Abs(gap) <= 1e-6*math.Abs(total):
			energy.State = Pass
		case gap < 0 || len(unknown) == 0:
			energy.State = Fail
		}
	}
	if len(unknown) > 0 {
		energy.Note = "unknown: " + strings.Join(unknown, ", ")
		if energy.State == Pass {
			energy.Note += "; the others already add up to the facility's"
		}
	}
	c := float64(r.Run.Coverage)
	weather := judge(Verdict{Limit: "weather covers the run", Figure: show.Percent(c), Bound: "100 %"}, 1-c, 0)
	return []Verdict{jobs, energy, weather}
}

func jobSum(j *sim.JobCounts) int64 {
	return j.Done + j.Running + j.Queued + j.Rejected + j.Unplaceable + j.Killed + j.Lost
}

// energySum adds up the parts that are known and names the others; NaN when none is known.
func energySum(e *sim.Energy) (kwh float64, unknown []string) {
	parts := plots.EnergyParts()
	for _, p := range parts {
		if v := p.KWh(e); v.Known() {
			kwh += float64(v)
		} else {
			unknown = append(unknown, p.Name)
		}
	}
	if len(unknown) == len(parts) {
		return math.NaN(), unknown
	}
	return kwh, unknown
}
