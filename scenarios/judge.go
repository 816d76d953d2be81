package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"headroom/facility"
	"headroom/facility/power"
	"headroom/facility/units"
)

// judge warns of what is allowed but does not do what it seems to say.
func (b *builder) judge() {
	b.judgeBreakers()
	b.judgeSides()
	b.judgeLiquid()
	b.judgeInlets()
	b.judgeCoolant()
	b.judgeWork()
}

func kW(w float64) string { return fmt.Sprintf("%.1f kW", w/1000) }

// judgeBreakers finds rack power limits that the rack's own circuits, or the busway over the row, cannot
// carry after the loss of one circuit.
func (b *builder) judgeBreakers() {
	g := b.f.Power
	if g == nil {
		return
	}
	for _, line := range b.firstRacks() {
		r := &b.f.Racks[line.rack]
		l := &b.s.file.Racks[line.line]
		if r.PowerW < 0 || len(r.Feeds) == 0 {
			continue
		}
		feeds := feedsOf(g, r.Feeds)
		lost := 0
		if len(feeds) > 1 {
			lost = 1
		}
		left := 0.0
		for _, n := range feeds[lost:] {
			left += n.RatingVA * n.Derate * n.PF
		}
		if left >= float64(r.PowerW) {
			continue
		}
		n := feeds[0]
		what := fmt.Sprintf("a circuit of %s", units.Format(units.Apparent, math.Floor(n.RatingVA)))
		if n.AmpsRated > 0 {
			on := ""
			if n.Lines != power.ThreePhase {
				on = " on " + n.Lines.String()
			}
			what = fmt.Sprintf("a %s breaker%s at %s", units.Format(units.Current, n.AmpsRated), on, units.FormatVoltage(math.Round(n.VoltageLL*10)/10, true))
		}
		after := ""
		if lost > 0 {
			after = fmt.Sprintf(" after the loss of one of %d", len(feeds))
		}
		at := l.of("power")
		if l.Feeds != nil && l.Feeds.has("breaker") {
			at = l.Feeds.of("breaker")
		}
		b.warnf(at, joinKey(l.path, "power"), "", "the rack limit of %s is out of reach: %s carries %s (%.1f kVA × %.0f %% derate × power factor %.2f)%s",
			kW(float64(r.PowerW)), what, kW(left), n.RatingVA/1000, 100*n.Derate, n.PF, after)
	}
	// The level above, row by row: what its racks may draw together.
	for _, v := range b.levels {
		if v.kind != power.Distribution || !v.rows {
			continue
		}
		for _, row := range b.rows[:min(1, len(b.rows))] {
			side := ""
			if v.sides != nil {
				side = v.sides[0]
			}
			i, ok := g.Index(v.id(row.name, side))
			if !ok {
				continue
			}
			n := &g.Nodes[i]
			have := float64(g.CapacityW(i, n.Units-n.Redundant))
			want := 0.0
			for k := row.first; k < row.first+row.count; k++ {
				want += math.Max(0, float64(b.f.Racks[k].PowerW))
			}
			if want > have {
				b.warnf(v.line.at, v.line.path, "", "%s carries %s, less than the %s that the %d racks of its row may draw together after the loss of the other sides",
					n.ID, kW(have), kW(want), row.count)
			}
		}
	}
}

// lineRack is a line of racks with the first rack of it.
type lineRack struct{ line, rack int }

// firstRacks gives one rack for each line: its racks are alike.
func (b *builder) firstRacks() []lineRack {
	var list []lineRack
	for _, r := range b.rows {
		if n := len(list); n == 0 || list[n-1].line != r.line {
			list = append(list, lineRack{r.line, r.first})
		}
	}
	return list
}

// judgeSides finds pairs of circuits that share an element above them: those are not 2N.
func (b *builder) judgeSides() {
	g := b.f.Power
	if g == nil || len(b.f.Racks) == 0 {
		return
	}
	told := map[string]bool{}
	for _, line := range b.firstRacks() {
		r := &b.f.Racks[line.rack]
		if len(r.Feeds) < 2 {
			continue
		}
		shared := g.SharedAncestors(r.Feeds[0], r.Feeds[1])
		var ids []string
		for _, i := range shared {
			if k := g.Nodes[i].Kind; k != power.Utility && k != power.Generator {
				ids = append(ids, g.Nodes[i].ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		slices.Sort(ids)
		key := strings.Join(ids, ", ")
		if told[key] {
			continue
		}
		told[key] = true
		l := &b.s.file.Racks[line.line]
		at, path := l.at, joinKey(l.path, "feeds")
		if l.Feeds != nil {
			at = l.Feeds.at
		}
		b.warnf(at, path, "", "sides %s and %s share %s, so they are not 2N: they are as safe as the units of what they share",
			g.Nodes[r.Feeds[0]].Side, g.Nodes[r.Feeds[1]].Side, key)
	}
}

// judgeLiquid finds liquid limits without a loop and liquid servers without liquid.
func (b *builder) judgeLiquid() {
	if len(b.f.Cooling.Loops) == 0 {
		for i := range b.s.file.Racks {
			if l := &b.s.file.Racks[i]; l.Liquid.V > 0 {
				b.warnf(l.of("liquid"), joinKey(l.path, "liquid"), "", "a liquid limit without a liquid loop: the file has no cooling.liquid, so nothing takes this heat")
			}
		}
	}
	wet := slices.ContainsFunc(b.f.Racks, func(r facility.Rack) bool { return r.Loop >= 0 && r.LiquidW != 0 })
	for i := range b.f.Orders {
		m := &b.f.Models[b.f.Orders[i].Model]
		if m.Liquid && !wet {
			l := b.order(i)
			b.warnf(l.of("model"), joinKey(l.path, "model"), "", "%s is liquid-cooled, and no rack has liquid", m.Name)
		}
	}
}

// order is the line an order comes from.
func (b *builder) order(i int) *orderLine {
	for k := range b.s.file.Servers {
		if b.s.file.Servers[k].at.line == b.f.Orders[i].Line {
			return &b.s.file.Servers[k]
		}
	}
	return &b.s.file.Servers[0]
}

// judgeInlets finds servers whose own inlet range is narrower than the air class.
func (b *builder) judgeInlets() {
	class := airClass(b.s.file.Site.Class, b.s.file.Site.Altitude.or(0))
	for i := range b.f.Orders {
		m := &b.f.Models[b.f.Orders[i].Model]
		if finite(m.InletMaxC) && m.InletMaxC < class.AllowableHigh {
			l := b.order(i)
			b.warnf(l.of("model"), joinKey(l.path, "model"), "", "%s allows %.0f to %.0f °C at its inlet, narrower than class %s (%.0f to %.0f °C): hours are counted against the narrower",
				m.Name, m.InletMinC, m.InletMaxC, class.Name, class.AllowableLow, class.AllowableHigh)
		}
		if a := b.s.file.Cooling; a != nil && a.Air != nil && finite(m.InletMaxC) && a.Air.Supply.V > m.InletMaxC {
			b.warnf(a.Air.of("supply"), joinKey(a.Air.path, "supply"), "", "the supply air of %.1f °C is warmer than %s allows (%.0f °C)", a.Air.Supply.V, m.Name, m.InletMaxC)
		}
	}
}

// judgeCoolant finds loops that run warmer on the design day than their servers allow: a cooler without
// compressors gives no water colder than the air and its approach.
func (b *builder) judgeCoolant() {
	c := b.s.file.Cooling
	if c == nil || c.Liquid == nil || len(b.f.Cooling.Loops) == 0 {
		return
	}
	loop := &b.f.Cooling.Loops[0]
	i := b.s.file.Plants.index(c.Liquid.Plant)
	if i < 0 {
		return
	}
	p := b.s.file.Plants.Lines[i]
	if p.Supply.V+loop.ApproachK > loop.SupplyC+0.5 {
		b.warnf(c.Liquid.of("supply"), joinKey(c.Liquid.path, "supply"), "", "the loop cannot hold %.1f °C: %s supplies %.1f °C and the CDUs add %.1f K at rated duty", loop.SupplyC, c.Liquid.Plant, p.Supply.V, loop.ApproachK)
	}
	if !isCooler(p.Type) {
		return
	}
	hotC := coolerAirC(p.Type, b.plantDesign(p)) + p.Approach.V + loop.ApproachK
	for k := range b.f.Orders {
		m := &b.f.Models[b.f.Orders[k].Model]
		if m.Liquid && finite(m.CoolantMaxC) && hotC > m.CoolantMaxC+0.05 {
			l := b.order(k)
			b.warnf(l.of("model"), joinKey(l.path, "model"), "", "at rated duty on the design day (%.1f °C outdoors) the loop runs at %.1f °C, above the %.0f °C that %s allows",
				b.plantDesign(p).DryBulbC, hotC, m.CoolantMaxC, m.Name)
		}
	}
}

// judgeWork finds work that cannot fit: jobs or services larger than the GPUs asked for.
func (b *builder) judgeWork() {
	var gpus int64
	for i := range b.f.Orders {
		o, m := &b.f.Orders[i], &b.f.Models[b.f.Orders[i].Model]
		if !o.Max {
			gpus += int64(o.Count) * int64(m.GPUs)
			continue
		}
		// As many as fit: no more than rack units and rack power allow.
		for k := range b.f.Racks {
			r := &b.f.Racks[k]
			n := int64(max(0, r.HeightU-r.ReserveU) / max(1, m.HeightU))
			if r.PowerW >= 0 && m.PlanW > 0 {
				n = min(n, max(0, r.PowerW-r.ReserveW)/m.PlanW)
			}
			gpus += n * int64(m.GPUs)
		}
	}
	need := int64(0)
	for i := range b.s.file.Workload {
		l := &b.s.file.Workload[i]
		for _, g := range l.GPUs.Sizes {
			if int64(g) > gpus {
				b.warnf(l.of("gpus"), joinKey(l.path, "gpus"), "", "%d GPUs are more than the hall can hold (at most %d): such jobs are unplaceable", g, gpus)
			}
		}
		switch {
		case l.Kind == "inference" && len(l.GPUs.Sizes) == 1:
			need += int64(l.GPUs.Sizes[0])
		case l.Length != nil && l.Arrivals.Given:
			need += int64(l.offered())
		}
	}
	for i, jobs := range b.s.traces {
		over, largest := 0, int32(0)
		for k := range jobs {
			if int64(jobs[k].GPUs) > gpus {
				over++
				largest = max(largest, jobs[k].GPUs)
			}
		}
		if l := &b.s.file.Replay[i]; over > 0 {
			b.warnf(l.of("trace"), joinKey(l.path, "trace"), "", "%d of %d jobs ask for more GPUs than the hall can hold (up to %d of %d): they are unplaceable", over, len(jobs), largest, gpus)
		}
	}
	if gpus > 0 && need > gpus && len(b.s.file.Workload) > 0 {
		b.warnf(b.s.file.Workload[0].at, "workload", "", "the work asks for %d GPUs on average, more than the hall can hold (at most %d): the queue grows without end", need, gpus)
	}
}

// offered is the mean number of GPUs that a class keeps busy: arrivals × mean length × mean size.
func (l *classLine) offered() float64 {
	var size, weight float64
	for i, g := range l.GPUs.Sizes {
		size += float64(g) * float64(l.GPUs.Weights[i])
		weight += float64(l.GPUs.Weights[i])
	}
	if weight == 0 {
		return 0
	}
	sigma := 0.0
	if n := l.Length; n.P95.Given && n.Median.V > 0 {
		sigma = math.Log(n.P95.V/n.Median.V) / z95
	}
	return l.Arrivals.V * l.Length.Median.V * math.Exp(sigma*sigma/2) * size / weight
}

// feedsOf is used by warnings: the circuits of a rack as the graph has them.
func feedsOf(g *power.Graph, feeds []int) []power.Node {
	var list []power.Node
	for _, i := range feeds {
		list = append(list, g.Nodes[i])
	}
	return list
}
