package sim

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"headroom/sim/metrics"
)

// Statistics of one run: after the warm-up the rest is cut into equal batches; a figure that is a ratio of
// two integrals gets its interval from how the batches scatter around it.

// batches is how many a run is cut into: few, so that each is much longer than the memory of the queue.
const batches = 20

// Interval is the 95 % confidence interval of one headline figure over time within this run.
type Interval struct {
	Figure  string `json:"figure"` // key in result.json
	Lo      Num    `json:"lo"`
	Hi      Num    `json:"hi"`
	Batches int    `json:"batches"`
}

// batched are the columns that intervals need.
var batched = [...]column{cFacility, cIT, cAvailable, cBusy, cEffective, cThrottled, cCompute, cWork}

// initBatches starts the batches at the end of the warm-up.
func (m *meters) initBatches(e *engine) {
	rest := e.cfg.LengthNS - e.cfg.WarmupNS
	step := rest / batches
	if step <= 0 {
		return
	}
	m.batch, m.batchFromNS = metrics.NewTable(len(batched), step, step*batches), e.cfg.WarmupNS
}

// warm ends the warm-up: totals, distributions and extremes begin here. The state goes on as it is.
func (m *meters) warm(e *engine) {
	m.flush()
	e.accountAll()
	for i := range e.rooms {
		m.driver(e, i, &e.rooms[i])
	}
	for i := range e.loops {
		m.driver(e, len(e.rooms)+i, &e.loops[i])
	}
	for i := range e.racks {
		rk := &e.racks[i]
		m.countInlet(e, rk)
		rk.inletSum, rk.inletS, rk.throttledS, rk.recS, rk.allowS = 0, 0, 0, 0, 0
		rk.slowedS = [SlowCauses]float64{}
		rk.peakW, rk.inletMaxC, rk.gpuMaxC = rk.itW, rk.inletC, math.Inf(-1)
		if math.IsNaN(rk.inletMaxC) {
			rk.inletMaxC = math.Inf(-1)
		}
		rk.baseJ = 0
		for _, s := range rk.servers {
			rk.baseJ += e.srv[s].energyJ + e.srv[s].comp
		}
	}
	m.table.Advance(e.now)
	for c := range m.base {
		m.base[c] = m.table.Integral(c)
	}
	m.supplyHist, m.coolantHist = metrics.NewTemperatures(), metrics.NewTemperatures()
	m.inletHist, m.gpuHist = metrics.NewTemperatures(), metrics.NewTemperatures()
	for _, p := range e.power.all() {
		p.warm(e.now)
	}
	m.dewMarginK = math.Inf(1)
	m.gpuMaxC, m.peakFacilityW, m.peakITW, m.peakSwingW, m.restartBaseS = math.Inf(-1), 0, 0, 0, m.restartS
	for i := range e.js.table {
		if t := &e.js.table[i]; t.running {
			e.progress(t)
		}
	}
	for i := range e.js.byClass {
		e.js.byClass[i].tokensBase = e.js.byClass[i].tokens
	}
	m.restartBaseS = m.restartS
	m.tokensBase, m.servedBase = m.tokensAgain, m.servedAgain
	m.initBatches(e)
}

// over returns the integral of a column since the warm-up, in its unit times seconds.
func (m *meters) over(c column) float64 { return m.table.Integral(int(c)) - m.base[c] }

// batched are the means of a column over the batches.
func (m *meters) batched(c column) []float64 { return m.batch.Means(slices.Index(batched[:], c)) }

// intervals gives the headline figures their intervals; a figure that isn't known has none.
func (m *meters) intervals() []Interval {
	out := []Interval{}
	if m.batch == nil {
		return out
	}
	for _, f := range []struct {
		figure   string
		num, den column
	}{
		{"energy.pue", cFacility, cIT},
		{"energy.tue", cFacility, cCompute},
		{"compute.utilization", cBusy, cAvailable},
		{"thermal.throttled_share", cThrottled, cBusy},
	} {
		lo, hi := ratioInterval(m.batched(f.num), m.batched(f.den))
		out = append(out, Interval{Figure: f.figure, Lo: lo, Hi: hi, Batches: batches})
	}
	for _, f := range []struct {
		figure string
		of     column
	}{{"compute.throughput_pflops", cWork}} {
		of := m.batched(f.of)
		one := make([]float64, len(of))
		for i := range one {
			one[i] = 1
		}
		lo, hi := ratioInterval(of, one)
		out = append(out, Interval{Figure: f.figure, Lo: lo, Hi: hi, Batches: batches})
	}
	return out
}

// ratioInterval is the 95 % interval of Σa/Σb from batches: the scatter of a − R·b, with Student's t.
func ratioInterval(a, b []float64) (lo, hi Num) {
	n := float64(len(a))
	var sa, sb float64
	for i := range a {
		sa += a[i]
		sb += b[i]
	}
	if !(sb > 0) || math.IsNaN(sa) || n < 2 {
		return metrics.Unknown, metrics.Unknown
	}
	r := sa / sb
	var ss float64
	for i := range a {
		d := a[i] - r*b[i]
		ss += d * d
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * math.Sqrt(ss/(n-1)/n) / (sb / n)
	return Num(math.Max(0, r-half)), Num(r + half) // ratios of what is never negative
}
