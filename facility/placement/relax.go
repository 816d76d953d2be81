package placement

import (
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/power"
)

// relaxed is the placement as a linear program that lets through everything a placement may do, and no
// more than it must: racks alike in classes, shared limits as rows. Conversion loss is bounded from below by
// a tangent. It is written apart from the placement and shares nothing with it but the list of losses that
// are claimed and the capacity of a plant.
//
// A row is scaled to a capacity of 1. A row that can never fill is left out.
type relaxed struct {
	f       *facility.Facility
	models  []int // ordered models, in the order of the lines
	figure  [figures][]float64
	classes []rackClass
	rows    int
	holds   []float64 // by row: how many of the neediest servers fill it
	of      []int32   // class by rack
}

// What one server of a model takes of a row, times the row's factor.
const (
	ofW = iota
	ofAir
	ofLiquid
	ofAirflow
	ofFlow
	figures
)

// rackClass is racks that no limit tells apart.
type rackClass struct {
	racks   []int32
	entries []rowEntry
	vectors []int16   // counts of each model, model by model: every maximal filling of one rack
	limits  []float64 // of one rack, for classes with too many fillings: limit, then what one of each model takes
	blocked []bool    // models that can never stand here
	legs    *classLegs
}

// rowEntry is one row that a class loads: factor × figure for each server.
type rowEntry struct {
	row    int32
	figure int32
	factor float64
}

// maxFillings is how many fillings of a rack are listed; beyond it a class is bounded limit by limit.
const maxFillings = 3000

func newRelaxed(f *facility.Facility, k *kinds, cases *boundCases) *relaxed {
	x := &relaxed{f: f, of: k.of}
	for _, o := range f.Orders {
		if !slices.Contains(x.models, o.Model) {
			x.models = append(x.models, o.Model)
		}
	}
	for k := range x.figure {
		x.figure[k] = make([]float64, len(x.models))
	}
	for j, m := range x.models {
		model := &f.Models[m]
		x.figure[ofW][j], x.figure[ofAir][j], x.figure[ofLiquid][j] = float64(model.PlanW), float64(model.PlanAirW), float64(model.PlanLiquidW)
		x.figure[ofAirflow][j], x.figure[ofFlow][j] = math.Max(0, model.AirflowM3s), math.Max(0, model.FlowLPM)
	}
	for _, racks := range k.racks {
		c := x.newClass(&f.Racks[racks[0]])
		c.racks = racks
		x.classes = append(x.classes, c)
	}
	b := rowBuilder{x: x, cases: cases}
	b.build()
	return x
}

// newClass lists the limits of one rack and what fits into it.
func (x *relaxed) newClass(r *facility.Rack) rackClass {
	m := len(x.models)
	c := rackClass{blocked: make([]bool, m)}
	limit := func(capacity float64, need func(*facility.Model) float64) {
		c.limits = append(c.limits, math.Max(0, capacity))
		for _, k := range x.models {
			v := need(&x.f.Models[k])
			if !(v > 0) { // unknown or none
				v = 0
			}
			c.limits = append(c.limits, v)
		}
	}
	limit(float64(r.HeightU-r.ReserveU), func(m *facility.Model) float64 { return float64(m.HeightU) })
	if r.PowerW != noLimit {
		limit(float64(r.PowerW-r.ReserveW), func(m *facility.Model) float64 { return float64(m.PlanW) })
	}
	if r.AirW != noLimit {
		limit(float64(r.AirW-r.ReserveW), func(m *facility.Model) float64 { return float64(m.PlanAirW) })
	}
	if r.Loop < 0 {
		limit(0, func(m *facility.Model) float64 { return float64(m.PlanLiquidW) })
	} else if r.LiquidW != noLimit {
		limit(float64(r.LiquidW), func(m *facility.Model) float64 { return float64(m.PlanLiquidW) })
	}
	if r.LoadKg >= 0 && r.FrameKg >= 0 {
		limit(r.LoadKg-r.FrameKg, func(m *facility.Model) float64 { return m.WeightKg })
	}
	if x.f.Power != nil {
		b := bounder{f: x.f}
		for _, id := range r.Feeds {
			if node := &x.f.Power.Nodes[id]; node.Kind == power.RackFeed {
				carry := float64(x.f.Power.CapacityVA(id, node.Units-node.Redundant)) * b.survivors(r, id)
				limit(carry-float64(r.ReserveW)/node.PF, voltAmperes)
			}
		}
	}
	c.legs = x.newClassLegs(r)
	for j, k := range x.models {
		c.blocked[j] = r.Takes != "" && (r.Takes == facility.LiquidOnly) != x.f.Models[k].Liquid
	}
	c.list(m)
	return c
}

func voltAmperes(m *facility.Model) float64 {
	if m.PF > 0 && m.PF <= 1 {
		return math.Ceil(float64(m.PlanW) / m.PF * (1 - 1e-12))
	}
	return float64(m.PlanW)
}

// list finds every maximal filling; with too many it leaves vectors empty.
func (c *rackClass) list(models int) {
	c.vectors = nil
	var open []int
	for j := range models {
		if !c.blocked[j] {
			open = append(open, j)
		}
	}
	left := make([]float64, 0, 8)
	for i := 0; i < len(c.limits); i += models + 1 {
		left = append(left, c.limits[i]*(1+slack)+slack)
	}
	now := make([]int16, models)
	fits := func(j int) int {
		k := math.MaxInt16
		for i, free := range left {
			if v := c.limits[i*(models+1)+1+j]; v > 0 {
				k = min(k, int(math.Max(0, free/v)))
			}
		}
		if c.legs != nil && k > 0 {
			was, most := now[j], k
			for k = 0; k < most; k++ {
				if now[j]++; !c.legs.hold(now) {
					break
				}
			}
			now[j] = was
		}
		return k
	}
	take := func(j, k int) {
		for i := range left {
			left[i] -= float64(k) * c.limits[i*(models+1)+1+j]
		}
		now[j] += int16(k)
	}
	var visit func(at int) bool
	visit = func(at int) bool {
		if at == len(open) {
			for _, j := range open {
				if fits(j) > 0 {
					return true // not maximal
				}
			}
			c.vectors = append(c.vectors, now...)
			return len(c.vectors) <= maxFillings*models
		}
		j := open[at]
		most := fits(j)
		if at == len(open)-1 {
			take(j, most)
			ok := visit(at + 1)
			take(j, -most)
			return ok
		}
		for k := most; k >= 0; k-- {
			take(j, k)
			ok := visit(at + 1)
			take(j, -k)
			if !ok {
				return false
			}
		}
		return true
	}
	if len(open) > 0 && !visit(0) {
		c.vectors = nil
		return
	}
	if len(c.vectors) == 0 {
		c.vectors = make([]int16, models)
	}
}

// best returns what one rack is worth at most when each model is, and the filling (nil where fillings
// are not listed).
func (c *rackClass) best(worth []float64) (float64, []int16) {
	m := len(worth)
	if c.vectors == nil {
		return c.limitByLimit(worth), nil
	}
	best, at := -1.0, 0
	for i := 0; i < len(c.vectors); i += m {
		v := 0.0
		for j := range m {
			if worth[j] > 0 {
				v += worth[j] * float64(c.vectors[i+j])
			}
		}
		if v > best {
			best, at = v, i
		}
	}
	return best, c.vectors[at : at+m]
}

// limitByLimit is the least over the limits of a fractional fill with the best worth first.
func (c *rackClass) limitByLimit(worth []float64) float64 {
	m := len(worth)
	best := math.Inf(1)
	for i := 0; i < len(c.limits); i += m + 1 {
		// One limit alone: all of it goes to the model with the best worth for what it takes.
		v, free := 0.0, 0.0
		for j := range m {
			if worth[j] <= 0 || c.blocked[j] {
				continue
			}
			if need := c.limits[i+1+j]; need > 0 {
				v = math.Max(v, c.limits[i]/need*worth[j])
			} else {
				free = math.Inf(1)
			}
		}
		best = math.Min(best, v+free)
	}
	return best
}

// taken sums what servers take, by figure.
func (x *relaxed) taken(count func(j int) float64) (t [figures]float64) {
	for j := range x.models {
		if n := count(j); n != 0 {
			for f := range t {
				t[f] += n * x.figure[f][j]
			}
		}
	}
	return t
}
