package facility

import (
	"fmt"
	"math"
	"strings"

	"headroom/facility/catalog"
	"headroom/facility/units"
)

// ratingInletC is the air inlet, and the coolant of liquid builds, at which SustainedW holds.
const ratingInletC = 25

// MissingError is a server of the catalogue with too little known to be simulated.
type MissingError struct {
	Server  string
	Figures []string // "board", "gpu h100: idle"
}

// Error lists the figures that are unknown.
func (e *MissingError) Error() string {
	return fmt.Sprintf("server %q cannot be simulated: unknown %s", e.Server, strings.Join(e.Figures, ", "))
}

// NewModel turns a server of the catalogue into a Model with every derived number. Its plan basis is the
// nameplate and it has no caps. A figure that the physics needs and the catalogue lacks is a *MissingError;
// figures that it can do without (weight) stay NaN.
func NewModel(c *catalog.Catalog, name string) (Model, error) {
	s, err := c.Server(name)
	if err != nil {
		return Model{}, err
	}
	g, err := c.GPU(s.GPU)
	if err != nil {
		return Model{}, fmt.Errorf("server %q: %w", name, err)
	}
	missing := &MissingError{Server: name}
	need := func(key string, f catalog.Figure) float64 {
		if !f.Known() {
			missing.Figures = append(missing.Figures, key)
		}
		return f.Value
	}
	ofGPU := func(key string, f catalog.Figure) float64 { return need("gpu "+s.GPU+": "+key, f) }
	whole := func(key string, f catalog.Figure) int {
		v := need(key, f)
		if math.IsNaN(v) {
			return 0
		}
		return int(v)
	}

	m := Model{
		Name: name, Title: s.Title, Liquid: s.Liquid, RackSystem: s.Rack, GPU: s.GPU,
		GPUs:       whole("gpus", s.GPUs),
		HeightU:    whole("height", s.Height),
		WeightKg:   s.Mass.Value,
		NameplateW: units.CeilW(need("nameplate", s.Nameplate)),
		ServerCapW: math.Inf(1), GPUCapW: math.Inf(1),

		BoardW: need("board", s.Board), VRM: need("vrm", s.VRM), HostPerW: need("host", s.Host),
		FanW: need("fan", s.Fan), FanExponent: need("fan-exponent", s.FanExponent),
		FanMin: need("fan-min", s.FanMin), FanMax: need("fan-max", s.FanMax),
		AirflowM3s: need("airflow", s.Airflow), PF: need("power-factor", s.PF),

		PSUs: whole("psus", s.PSUs), PSUNeeded: whole("psus-needed", s.PSUNeeded),
		PSURatingW: need("psu-rating", s.PSURating), ShortRule: s.Short,

		InletMinC: need("inlet-min", s.InletMin), InletMaxC: need("inlet-max", s.InletMax), CoolantMaxC: math.NaN(),

		TDPW: ofGPU("tdp", g.TDP), IdleW: ofGPU("idle", g.Idle), IdleC: ofGPU("idle-at", g.IdleAt),
		LeakPerK: ofGPU("leak-slope", g.LeakSlope), Alpha: ofGPU("alpha", g.Alpha),
		ClockMin:  ofGPU("clock-min", g.ClockMin) / ofGPU("clock-max", g.ClockMax),
		CapMinW:   ofGPU("cap-min", g.CapMin),
		MemLimitC: g.MemoryLimit.Value, AirTripC: DefaultAirTripC,
		LimitC: ofGPU("limit", g.Limit), SlowC: ofGPU("slowdown", g.Slowdown), ShutC: ofGPU("shutdown", g.Shutdown),
		R0: need("resistance-fixed", s.R0), RFlow: need("resistance-flow", s.RFlow), RExponent: need("resistance-exponent", s.RExponent),
		WorstSlot: need("worst-slot", s.WorstSlot), GPUHeatJPerK: need("gpu-heat", s.GPUHeat),
		MemoryGB: ofGPU("memory", g.Memory),
	}
	m.LeakW = ofGPU("leak", g.Leak) * m.TDPW
	m.PeakTFLOPS = g.BF16.Value
	if !g.BF16.Known() {
		m.PeakTFLOPS = ofGPU("bf16 or fp16", g.FP16)
	}
	switch m.ShortRule {
	case "degraded":
		m.ShortCap = need("short-cap", s.ShortCap)
	case "off":
	default:
		missing.Figures = append(missing.Figures, "short-of-psus")
	}
	if m.Liquid {
		m.LiquidShare, m.FlowLPM = need("liquid-share", s.LiquidShare), need("flow", s.Flow)
		m.CoolantMaxC = need("coolant-max", s.CoolantMax)
		m.TargetC = m.LimitC // cold plates have no fan to hold a lower one
	} else {
		m.TargetC = need("target", s.Target)
	}
	if s.PSU == "" {
		missing.Figures = append(missing.Figures, "psu")
	} else if curve, err := c.PSU(s.PSU); err != nil {
		return Model{}, fmt.Errorf("server %q: %w", name, err)
	} else {
		for _, p := range curve.Curve {
			m.PSULoad = append(m.PSULoad, p.Load.Value)
			m.PSUEff = append(m.PSUEff, p.Efficiency.Value)
		}
	}
	if len(missing.Figures) > 0 {
		return Model{}, missing
	}
	if err := m.check(); err != nil {
		return Model{}, fmt.Errorf("server %q: %w", name, err)
	}
	m.Resolve()
	if m.SustainedW > m.NameplateW {
		return Model{}, fmt.Errorf("server %q: %s sustained is more than its nameplate of %s", name,
			units.Format(units.Power, float64(m.SustainedW)), units.Format(units.Power, float64(m.NameplateW)))
	}
	m.SetPlan(m.NameplateW)
	return m, nil
}

// check refuses figures with which the formulas make no sense, as a user's own catalogue may hold.
func (m *Model) check() error {
	above := func(what string, v, low float64) error {
		if v > low {
			return nil
		}
		return fmt.Errorf("%s must be above %g, not %g", what, low, v)
	}
	dynW := m.TDPW - m.LeakW - math.Max(0, m.IdleW-m.LeakAt(m.IdleC))
	var err error
	for _, c := range []struct {
		what   string
		v, low float64
	}{
		{"nameplate", float64(m.NameplateW), 0},
		{"tdp", m.TDPW, 0},
		{"tdp less idle and leakage", dynW, 0},
		{"alpha", m.Alpha, 0},
		{"vrm", m.VRM, 0},
		{"clock-min", m.ClockMin, 0},
		{"psu-rating", m.PSURatingW, 0},
		{"power-factor", m.PF, 0},
		{"airflow", m.AirflowM3s, 0},
		{"fan-exponent", m.FanExponent, 0},
		{"fan-min", m.FanMin, 0},
		{"fan-max less fan-min", m.FanMax - m.FanMin, -1e-12},
		{"gpu-heat", m.GPUHeatJPerK, 0},
		{"resistance-flow", m.RFlow, 0},
		{"minus resistance-exponent", -m.RExponent, 0},
		{"worst-slot", m.WorstSlot, 0},
		{"target less 25 C", m.TargetC - ratingInletC, 0},
	} {
		if err = above(c.what, c.v, c.low); err != nil {
			return err
		}
	}
	if m.Liquid && !(m.LiquidShare > 0 && m.FlowLPM > 0) {
		return fmt.Errorf("a liquid build needs liquid-share and flow above zero")
	}
	return nil
}

// SetPlan sets what placement counts and splits it between liquid and air, both parts rounded up: their sum
// may exceed planW by a watt, never fall short.
func (m *Model) SetPlan(planW int64) {
	m.PlanW = planW
	m.PlanLiquidW = units.CeilW(float64(planW) * m.LiquidShare)
	m.PlanAirW = units.CeilW(float64(planW) * (1 - m.LiquidShare))
}
