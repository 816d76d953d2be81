package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/facility/power"
	"headroom/facility/units"
)

// peakFactor turns the sustained peak of a server into what the planned basis counts: measured peaks lie
// 7 % above the sustained figure (8.4 kW against 7.85 kW of an 8×H100 node in training).
const peakFactor = 1.07

func ceilW(w float64) int64  { return units.CeilW(w) }
func floorW(w float64) int64 { return units.FloorW(w) }

// buildModels makes the server models that the orders name, each line its own: caps belong to the line.
func (b *builder) buildModels() {
	lines := b.s.file.Servers
	for i := range lines {
		l := &lines[i]
		m, err := facility.NewModel(b.s.catalog, l.Model)
		if err != nil {
			if l.Model != "" {
				b.notFound(l.of("model"), joinKey(l.path, "model"), l.Model, err)
			}
			continue
		}
		b.cap(l, &m)
		b.f.Models = append(b.f.Models, m)
		o := facility.Order{Model: len(b.f.Models) - 1, Count: l.Count.N, Max: l.Count.Max, Line: l.at.line}
		if l.Block != nil {
			o.Block, o.BlockRacks, o.ReachM = l.Block.Servers, l.Block.Racks, l.Block.Reach.V
			if !o.Max && o.Count%max(1, o.Block) != 0 {
				b.d.fail(l.of("count"), joinKey(l.path, "count"), "", "want whole blocks of %d servers (got %d)", o.Block, o.Count)
			}
		}
		if l.Spread != nil {
			o.Spread = b.fed(l.Spread.Over, l.Spread.of("over"), joinKey(l.Spread.path, "over"))
			o.SpreadMost = l.Spread.Most
			if o.Max && o.SpreadMost == 0 {
				b.d.fail(l.Spread.at, joinKey(l.Spread.path, "most"), "", "spread of as many as fit needs most: so many on one element")
			}
		}
		b.f.Orders = append(b.f.Orders, o)
	}
}

// notFound words a name that the catalogue does not have.
func (b *builder) notFound(at pos, path, name string, err error) {
	var nf *catalog.NotFoundError
	if errors.As(err, &nf) {
		hint := "headroom catalog " + nf.Kind + " lists them"
		if len(nf.Near) == 1 {
			hint = didYouMean(nf.Near[0])
		}
		b.d.fail(at, path, hint, "not in the catalogue (got %s, want one of its %s)", quoteShort(name), nf.Kind)
		return
	}
	b.d.fail(at, path, "", "%v", err)
}

// cap applies the caps of a line and settles what placement counts for one server.
func (b *builder) cap(l *orderLine, m *facility.Model) {
	if l.GPUCap.Given {
		switch {
		case l.GPUCap.V > m.TDPW:
			b.d.fail(l.GPUCap.pos, joinKey(l.path, "gpu_cap"), "", "above what the GPU draws (got %s, want at most %s)", quoteShort(l.GPUCap.text), units.Format(units.Power, m.TDPW))
		case l.GPUCap.V < m.CapMinW:
			b.d.fail(l.GPUCap.pos, joinKey(l.path, "gpu_cap"), "", "below the lowest cap the GPU takes (got %s, want at least %s)", quoteShort(l.GPUCap.text), units.Format(units.Power, m.CapMinW))
		}
		m.GPUCapW = l.GPUCap.V
	}
	plan := m.NameplateW
	if b.f.Basis == facility.Planned {
		gpuW := math.Min(m.TDPW, m.GPUCapW)
		plan = min(plan, ceilW(peakFactor*m.WallW(float64(m.GPUs)*gpuW, m.FanShare(gpuW, 25))))
		m.PlanFrom = fmt.Sprintf("%g × sustained peak", peakFactor)
	}
	switch b.f.Basis {
	case facility.Measured:
		plan = b.measured(l, m, plan)
	case facility.Capped:
		switch {
		case l.GPUCap.Given:
			m.PlanFrom = "cap of each GPU"
			plan = min(plan, ceilW(m.WallW(float64(m.GPUs)*m.GPUCapW, m.FanShare(m.GPUCapW, 25))))
		case !l.Cap.Given:
			b.d.fail(l.at, joinKey(l.path, "cap"), "write cap: or gpu_cap:, or take another basis", "the basis is capped, and %s has no cap", m.Name)
		}
	}
	if l.Cap.Given {
		capW := l.Cap.V
		if l.Cap.Share {
			capW *= float64(m.NameplateW)
		}
		m.ServerCapW = capW
		if idle := m.WallW(float64(m.GPUs)*m.IdleW, m.FanMin); capW < idle {
			b.d.fail(l.Cap.pos, joinKey(l.path, "cap"), "", "below what the server draws idle (got %s, want more than %s)", quoteShort(l.Cap.text), units.Format(units.Power, math.Ceil(idle)))
		}
		if ceilW(capW) < plan {
			plan, m.PlanFrom = ceilW(capW), "cap at the cord"
		}
	}
	if plan != m.PlanW || l.Cap.Given || b.f.Basis != facility.Nameplate {
		m.SetPlan(plan)
	}
}

// lossCurve is the loss curve of a level: the one it names, or the usual one of its kind.
func (b *builder) lossCurve(v *powerLevel) power.Loss {
	l := v.line
	var kind, usual string
	switch v.kind {
	case power.UPS:
		kind, usual = "ups", "double-conversion"
	case power.Transformer:
		kind, usual = "transformers", "dry"
	case power.Distribution:
		kind, usual = "distribution", "busway"
	default:
		if l.Curve != "" {
			b.d.fail(l.of("curve"), joinKey(l.path, "curve"), "", "a %s has no loss curve", v.kind)
		}
		return power.Loss{}
	}
	name := l.Curve
	if name == "" {
		name = usual
		l.Curve = usual
	}
	loss, err := b.curve(kind, name)
	if err != nil {
		b.notFound(l.of("curve"), joinKey(l.path, "curve"), name, err)
	}
	return loss
}

// measured is the draw of one server by what was measured; unknown is refused, not taken for the nameplate.
func (b *builder) measured(l *orderLine, m *facility.Model, nameplateW int64) int64 {
	p := l.Measured
	if p == nil || (!p.Power.Given && len(p.Readings) == 0 && p.Series == "") {
		b.d.fail(l.at, joinKey(l.path, "measured"), "write measured: {power: 8.1 kW}, or readings, or take another basis", "the basis is measured, and nothing is measured of %s", m.Name)
		return nameplateW
	}
	stated := 0
	for _, given := range [...]bool{p.Power.Given, len(p.Readings) > 0, p.Series != ""} {
		if given {
			stated++
		}
	}
	if stated > 1 {
		b.d.fail(p.at, p.path, "", "want one of power, readings and series")
	}
	drawW := p.Power.V
	m.PlanFrom = "as stated"
	switch series := b.s.measured[l]; {
	case series != nil:
		drawW = series.percentile(p.Percentile.V)
		m.PlanFrom = series.note(p.Series, p.Percentile.V)
	case len(p.Readings) > 0:
		m.PlanFrom = fmt.Sprintf("%s of %d readings", percentText(p.Percentile.V), len(p.Readings))
		var watts []float64
		for i, text := range p.Readings {
			w, _, err := parseQuantity(text, units.Power)
			if err != nil || !(w > 0) {
				b.d.fail(p.of("readings"), fmt.Sprintf("%s[%d]", joinKey(p.path, "readings"), i), "", "want a power such as \"7.9 kW\" (got %s)", quoteShort(text))
				return nameplateW
			}
			watts = append(watts, w)
		}
		slices.Sort(watts)
		drawW = watts[min(len(watts)-1, int(math.Ceil(p.Percentile.V*float64(len(watts))))-1)] // nearest rank
	case p.Series != "":
		return nameplateW // the series could not be read: told already
	}
	if ceilW(drawW) > nameplateW {
		b.warnf(p.at, p.path, "", "measured draw of %s above its nameplate of %s", units.Format(units.Power, drawW), units.Format(units.Power, float64(nameplateW)))
	}
	return ceilW(drawW)
}
