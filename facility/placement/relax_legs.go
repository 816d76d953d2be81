package placement

import (
	"math"

	"headroom/facility"
	"headroom/facility/power"
)

// The lines of circuits and nodes in the relaxation, in floating point and apart from the placement. A line's
// current is at least the part of it in step with the line's voltage, which is a sum over the loads; that part is
// what the rows hold. Losses on the way up and dealt supplies are left out of rows: that only loosens the bound.

// classLegs is the circuits of one rack whose lines are dealt supplies.
type classLegs struct {
	between  bool        // lines, not line and neutral
	limits   []float64   // VA of one line, by circuit
	reserve  []float64   // VA on every line, by circuit
	supplies [][]float64 // of one server, by circuit and model
	va       []float64   // of one server, by model
	first    []int       // line of the first supply, by model
}

func (x *relaxed) newClassLegs(r *facility.Rack) *classLegs {
	if r.Outlets == facility.EvenOutlets || x.f.Power == nil {
		return nil
	}
	c := &classLegs{between: r.Outlets == facility.LineLine}
	for _, m := range x.models {
		c.va = append(c.va, voltAmperes(&x.f.Models[m]))
		c.first = append(c.first, (r.Place+m)%3)
	}
	b := bounder{f: x.f}
	for k, id := range r.Feeds {
		node := &x.f.Power.Nodes[id]
		if node.Kind != power.RackFeed || node.Lines != power.ThreePhase {
			continue
		}
		per := b.survivors(r, id)
		c.limits = append(c.limits, float64(x.f.Power.CapacityVA(id, node.Units-node.Redundant))*per/3)
		c.reserve = append(c.reserve, float64(r.ReserveW)/node.PF/3)
		var n []float64
		for _, m := range x.models {
			all, feeds := x.f.Models[m].PSUs, len(r.Feeds)
			n = append(n, float64((all+feeds-1-k)/feeds))
		}
		c.supplies = append(c.supplies, n)
	}
	return c
}

// hold says whether the lines hold counts of servers.
func (c *classLegs) hold(now []int16) bool {
	for f, limit := range c.limits {
		var on [3]float64
		even := c.reserve[f]
		for j, count := range now {
			n := c.supplies[f][j]
			if n < 1 {
				even += float64(count) * c.va[j] / 3
				continue
			}
			all := int(count) * int(n)
			for k := range on {
				here := (all + 2 - (k+3-c.first[j])%3) / 3
				on[k] += float64(here) * c.va[j] / n
			}
		}
		for k := range on {
			line := on[k] + even
			if c.between {
				a, b := on[k], on[(k+2)%3]
				line = math.Hypot(even+(a+b)/2, (a-b)/math.Sqrt(12))
			}
			if line > limit*(1+slack)+slack {
				return false
			}
		}
	}
	return true
}

// shares is how a load splits over three lines, by the part of each in step with its voltage.
type shares [3]float64

func (n shares) on(lines power.Lines) shares {
	total := n[0] + n[1] + n[2]
	var to shares
	for k := range to {
		switch {
		case lines == power.ThreePhase:
			to[k] = n[k]
		case lines == 1<<k:
			to[k] = total
		case lines&(1<<k) != 0:
			to[k] = total / 2
		}
	}
	return to
}

// legRows makes rows of the lines of each node in one case, for loads whose lines are fixed.
func (b *rowBuilder) legRows(ds []dominator, capW []float64) {
	x, f := b.x, b.x.f
	g := f.Power
	rows := make([][3]int32, len(ds))
	for n := range rows {
		rows[n] = [3]int32{-1, -1, -1}
	}
	on := make([]shares, len(ds))
	coef := make([]float64, len(ds))
	for ci := range x.classes {
		r := &f.Racks[x.classes[ci].racks[0]]
		path := pathUp(ds, r.Feeds, coef)
		for _, n := range r.Feeds {
			if !ds[n].live || (r.Outlets != facility.EvenOutlets && g.Nodes[n].Lines == power.ThreePhase) {
				continue
			}
			third := coef[n] / 3
			s := shares{third, third, third}.on(g.Nodes[n].Lines)
			for k := range s {
				on[n][k] += s[k]
			}
		}
		for _, n := range path {
			w := on[n]
			on[n], coef[n] = shares{}, 0
			node := &g.Nodes[n]
			if node.Lines == power.ThreePhase && !math.IsInf(capW[n], 1) && (w[0] != w[1] || w[1] != w[2] || rows[n][0] >= 0) {
				for k, part := range w {
					if rows[n][k] < 0 {
						rows[n][k] = b.row(capW[n] / 3)
					}
					b.add(ci, rows[n][k], ofW, part/math.Max(b.caps[rows[n][k]], tiny))
				}
			}
			if !node.PassesLines() {
				continue
			}
			for _, p := range ds[n].sources {
				s := w.on(g.Nodes[p].Lines)
				for k := range s {
					on[p][k] += s[k] / float64(len(ds[n].sources))
				}
			}
		}
	}
}
