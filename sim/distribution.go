package sim

import (
	"math"

	"headroom/facility/power"
	"headroom/sim/metrics"
	"headroom/sim/thermal"
)

// powerBins is the resolution of a power distribution, as a part of the most that what hangs on it can draw.
const powerBins = 2000

// PowerSpread is how power at one meter was spread over the time of the run, warm-up aside: exact to powerBins.
// Time over a limit is counted from event to event and not from bins.
type PowerSpread struct {
	Name         string `json:"name"`          // "facility", "IT", "row A"
	ProvisionedW Num    `json:"provisioned_w"` // what the plan counts for what is placed
	LimitW       Num    `json:"limit_w"`       // what it may carry: racks' limits, the utility; unknown where none is stated
	MeanW        Num    `json:"mean_w"`
	P50W         Num    `json:"p50_w"`
	P95W         Num    `json:"p95_w"`
	P99W         Num    `json:"p99_w"`
	MaxW         Num    `json:"max_w"`
	OverH        Num    `json:"over_limit_h"`
	OverTimes    int    `json:"over_limit_times"`
	OverLongestS Num    `json:"over_limit_longest_s"`
	// Shares of time in which power was at most AtW, ascending; for charts.
	AtW, Shares []float64 `json:"-"`
}

// powerMeter follows the power at one place.
type powerMeter struct {
	name                 string
	provisionedW, limitW float64 // NaN where not stated
	hist                 *metrics.Histogram
	topW                 float64

	w       float64
	lastNS  int64
	began   bool
	over    bool
	sinceNS int64
	overNS  int64
	longest int64
	times   int
}

func newPowerMeter(name string, provisionedW, limitW, mostW float64) *powerMeter {
	p := &powerMeter{name: name, provisionedW: provisionedW, limitW: limitW, topW: math.Max(mostW, 1)}
	p.reset()
	return p
}

func (p *powerMeter) reset() {
	p.hist = metrics.NewHistogram(0, p.topW, p.topW/powerBins)
}

// set is the power from now on.
func (p *powerMeter) set(now int64, w float64) {
	if p.began && w == p.w {
		return
	}
	p.account(now)
	p.w, p.began = w, true
	switch over := w > p.limitW; { // false without a limit
	case over && !p.over:
		p.over, p.sinceNS = true, now
		p.times++
	case !over && p.over:
		p.over = false
		p.closeOver(now)
	}
}

func (p *powerMeter) account(now int64) {
	if p.began {
		p.hist.Add(p.w, float64(now-p.lastNS)/thermal.Second)
	}
	p.lastNS = now
}

func (p *powerMeter) closeOver(now int64) {
	p.overNS += now - p.sinceNS
	p.longest = max(p.longest, now-p.sinceNS)
}

// warm forgets what was before the end of the warm-up.
func (p *powerMeter) warm(now int64) {
	p.account(now)
	p.reset()
	p.overNS, p.longest, p.times, p.sinceNS = 0, 0, 0, now
	if p.over {
		p.times = 1
	}
}

func (p *powerMeter) result(now int64) PowerSpread {
	p.account(now)
	if p.over {
		p.closeOver(now)
		p.sinceNS = now
	}
	h := p.hist
	s := PowerSpread{
		Name: p.name, ProvisionedW: Num(p.provisionedW), LimitW: Num(p.limitW), MeanW: h.Mean(), P50W: h.Quantile(0.5), P95W: h.Quantile(0.95),
		P99W: h.Quantile(0.99), MaxW: h.Max(), OverH: metrics.Unknown, OverLongestS: metrics.Unknown,
	}
	if h.Clamped() > 0 { // beyond what the servers' plates say: the bins don't tell
		s.P99W = metrics.Unknown
	}
	if !math.IsNaN(p.limitW) {
		s.OverH, s.OverTimes, s.OverLongestS = Num(float64(p.overNS)/thermal.Second/sPerH), p.times, Num(float64(p.longest)/thermal.Second)
	}
	s.AtW, s.Shares = h.Cumulative()
	return s
}

// powerMeters are the meters of the site and of its rows.
type powerMeters struct {
	facility, it *powerMeter
	rows         []*powerMeter
	rowOf        []int // rack → row
	rowW         []float64
	touched      []int
	isTouched    []bool
}

func (e *engine) initPowerMeters() {
	pm := &e.power
	pm.rowOf = make([]int, len(e.racks))
	type sums struct{ provisioned, limit, most float64 }
	var site sums
	var rows []sums
	var names []string
	at := map[string]int{}
	for i := range e.racks {
		r := &e.fac.Racks[i]
		k, ok := at[r.Row]
		if !ok {
			k = len(rows)
			at[r.Row] = k
			rows, names = append(rows, sums{}), append(names, r.Row)
		}
		pm.rowOf[i] = k
		limit := math.NaN()
		if r.PowerW >= 0 {
			limit = float64(r.PowerW - max(r.ReserveW, 0))
		}
		plate := 0.0
		for _, s := range e.racks[i].servers {
			plate += float64(e.srv[s].m.NameplateW)
		}
		used := float64(e.lay.Racks[i].UsedW)
		for _, s := range []*sums{&site, &rows[k]} {
			s.provisioned += used
			s.limit += limit
			s.most += plate
		}
	}
	// Plates are what makers promise; a quarter more leaves room for what is above them.
	const room = 1.25
	pm.it = newPowerMeter("IT", site.provisioned, site.limit, room*site.most)
	for k, s := range rows {
		pm.rows = append(pm.rows, newPowerMeter("row "+names[k], s.provisioned, s.limit, room*s.most))
	}
	pm.rowW, pm.isTouched = make([]float64, len(rows)), make([]bool, len(rows))
	demand, capacity := math.NaN(), math.NaN()
	g := e.fac.Power
	if g != nil {
		for n := range g.Nodes {
			if g.Nodes[n].Kind != power.Utility {
				continue
			}
			if math.IsNaN(capacity) {
				demand, capacity = 0, 0
			}
			if len(e.lay.DemandW) == len(g.Nodes) {
				demand += float64(e.lay.DemandW[n])
			} else {
				demand = math.NaN()
			}
			capacity += float64(g.CapacityW(n, g.Nodes[n].Units))
		}
	}
	most := 3 * site.most // a facility that takes two watts for each of IT would still be in it
	if capacity > 0 && !math.IsInf(capacity, 0) {
		most = math.Min(math.Max(most, 1), 1.05*capacity)
	} else {
		capacity = math.NaN()
	}
	pm.facility = newPowerMeter("facility", demand, capacity, most)
	e.m.site = [...]*powerMeter{pm.facility, pm.it}
}

// rack notes that a rack's power has changed.
func (pm *powerMeters) rack(i int, wasW, isW float64) {
	if pm.rowOf == nil || wasW == isW {
		return
	}
	k := pm.rowOf[i]
	pm.rowW[k] += isW - wasW
	if !pm.isTouched[k] {
		pm.isTouched[k] = true
		pm.touched = append(pm.touched, k)
	}
}

// read takes the rows' meters after an instant has settled; the site's are fed by the recorder.
func (pm *powerMeters) read(now int64) {
	if now == 0 { // rows that draw nothing from the start on are metered too
		for k := range pm.rows {
			pm.rows[k].set(now, math.Max(0, pm.rowW[k]))
		}
	}
	for _, k := range pm.touched {
		pm.isTouched[k] = false
		pm.rows[k].set(now, math.Max(0, pm.rowW[k]))
	}
	pm.touched = pm.touched[:0]
}

func (pm *powerMeters) all() []*powerMeter {
	return append([]*powerMeter{pm.facility, pm.it}, pm.rows...)
}

func (e *engine) powerResult() []PowerSpread {
	var out []PowerSpread
	for _, m := range e.power.all() {
		out = append(out, m.result(e.now))
	}
	return out
}
