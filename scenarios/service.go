package scenarios

import (
	"io/fs"
	"math"

	"headroom/sim"
	"headroom/sim/perf"
	"headroom/sim/serving"
	"headroom/sim/workload"
)

// fluidStepNS is how often a service whose load is a profile is looked at: profiles go by the hour.
const fluidStepNS = 3600e9

// mostRequests bounds what a repeated trace makes in a run: beyond it a run takes hours and gigabytes.
const mostRequests = 1e9

// readRequests reads the traces of requests once, for what is wrong with them and for the tokens of their requests.
func (s *Scenario) readRequests(d *decoder, files fs.FS) {
	s.requests = make([]*workload.RequestTrace, len(s.file.Workload))
	for i := range s.file.Workload {
		l := &s.file.Workload[i]
		if p := l.Requests; p != nil && p.Trace != "" {
			s.requests[i] = s.readRequest(d, files, l, p)
		}
	}
}

func (s *Scenario) readRequest(d *decoder, files fs.FS, l *classLine, p *requestPart) *workload.RequestTrace {
	at, key := p.of("trace"), joinKey(p.path, "trace")
	open, ok := s.stream(d, files, p.Trace, at, key)
	if !ok {
		return nil
	}
	start := s.file.Run.Start.T
	t := &workload.RequestTrace{
		Open: open, Name: p.Trace, SpanS: p.Span.or(0), Seed: s.file.Run.Seed, Class: l.Name,
		StartHour: float64((int(start.Weekday()+6)%7)*24) + float64(start.Hour()) + float64(start.Minute())/60,
	}
	if c := p.Columns; c != nil {
		t.Columns = workload.RequestColumns{Time: c.Time, Context: c.Context, Generated: c.Generated, Unit: timeUnits[p.Times]}
	} else if p.Times != "s" {
		d.fail(p.of("times"), joinKey(p.path, "times"), "write, for example, columns: {time: t, context: in, generated: out}", "the unit of times is for columns that are named")
	}
	if p.Rate != nil {
		t.RateScale = *p.Rate
	}
	if w := p.Window; w != nil {
		t.StartS = w.From.V
		if w.Length.Given {
			t.EndS = w.From.V + w.Length.V
		}
	}
	if l.Load.Given {
		t.Week = l.Load.week()
	}
	sum, err := t.Summary()
	if err != nil && !s.bad(d, at, key, p.Trace, p.Bad, err) {
		return nil
	}
	if sum.Requests == 0 {
		d.fail(at, key, "", "the trace has no request that is used")
		return nil
	}
	rate := math.Max(t.RateScale, 1e-9)
	if t.RateScale == 0 {
		rate = 1
	}
	switch {
	case t.EndS > 0:
		t.PeriodS = (t.EndS - t.StartS) / rate
	default:
		t.PeriodS = sum.LastS + sum.LastS/float64(max(1, sum.Requests-1)) // a mean gap after the last
	}
	if !(t.PeriodS > 0) && t.SpanS > 0 {
		d.fail(p.of("span"), joinKey(p.path, "span"), "", "a trace of one instant can't be repeated; state its window")
		return nil
	}
	runS := s.file.Run.Length.V
	if t.SpanS > 0 {
		if n := float64(sum.Requests) * math.Min(t.SpanS, runS) / t.PeriodS; n > mostRequests {
			d.fail(p.of("span"), joinKey(p.path, "span"), "a lower rate, or a shorter span", "%.3g requests in the run; want at most %.0e: each is served one by one", n, mostRequests)
			return nil
		}
	}
	// The model is planned for the trace's own requests where the file doesn't say otherwise.
	if m := l.Model; m != nil {
		round := func(x float64) float64 { return math.Round(1000*x) / 1000 }
		if !m.has("input") {
			m.Input = math.Max(1, round(sum.Context))
		}
		if !m.has("output") {
			m.Output = math.Max(1, round(sum.Generated))
		}
		if !m.has("spread") {
			m.Spread = round(sum.ContextCV)
		}
	}
	return t
}

// service makes the replicas of a class follow their load, or serve requests one by one, where the file says so.
func (s *Scenario) service(d *decoder, l *classLine, i int, c *workload.Class, steps []*perf.Steps, copies []int) (sim.Service, bool) {
	for _, key := range [...]string{"requests", "scale"} {
		if l.Kind != "inference" && l.has(key) {
			d.fail(l.of(key), joinKey(l.path, key), "", "%s is for inference, and %s is %s", key, quoteShort(l.Name), l.Kind)
			return sim.Service{}, false
		}
	}
	if l.Requests == nil && l.Scale == nil || c.Replicas == 0 {
		return sim.Service{}, false
	}
	v := sim.Service{Class: i, StepNS: fluidStepNS}
	if p := l.Scale; p != nil {
		if p.Min > c.Replicas {
			d.fail(p.of("min"), joinKey(p.path, "min"), "", "%d replicas at least, and gpus has room for %d", p.Min, c.Replicas)
			return v, false
		}
		if p.Spare.V >= 1 {
			d.fail(p.of("spare"), joinKey(p.path, "spare"), "", "capacity that is all kept free serves nobody")
			return v, false
		}
		v.Scale = &sim.ServiceScale{Least: p.Min, Most: c.Replicas, Spare: p.Spare.V, StartS: p.Start.V, HoldS: p.Hold.V}
		c.Least = p.Min
	}
	v.Goals = serving.Goals{FirstTokenS: math.Inf(1), PerTokenS: math.Inf(1)}
	if m := l.Model; m != nil {
		v.Goals = serving.Goals{FirstTokenS: m.FirstToken.V, PerTokenS: m.PerToken.V}
	}
	p := l.Requests
	if p == nil {
		return v, true
	}
	if l.Model == nil {
		d.fail(p.at, p.path, "write, for example, model: llama-3-70b", "what a request takes depends on the model, and none is stated")
		return v, false
	}
	v.StepNS = int64(math.Round(p.Step.V * 1e9))
	if v.StepNS < 1e9 {
		d.fail(p.of("step"), joinKey(p.path, "step"), "", "want at least 1 s (got %s)", quoteShort(p.Step.text))
	}
	if i < len(s.requests) {
		v.Requests = s.requests[i]
	}
	v.Steps, v.Copies = steps, copies
	c.Profile = nil // the load thins the requests
	return v, v.Requests != nil && len(steps) > 0
}
