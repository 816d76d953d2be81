package scenarios

import (
	"errors"
	"math"

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
		b.f.Orders = append(b.f.Orders, facility.Order{Model: len(b.f.Models) - 1, Count: l.Count.N, Max: l.Count.Max, Line: l.at.line})
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
		plan = min(plan, ceilW(capW))
	}
	if plan != m.PlanW || l.Cap.Given || b.f.Basis == facility.Planned {
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
