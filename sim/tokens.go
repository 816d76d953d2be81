package sim

import (
	"math"

	"headroom/facility/placement"
	"headroom/sim/metrics"
	"headroom/sim/thermal"
)

// ModelThroughput is what a class's model gives at full clock on one server model, before heat, caps and failures.
type ModelThroughput struct {
	Class     string `json:"class"`
	Model     string `json:"model"`
	Precision string `json:"precision"`
	Server    string `json:"server"`
	GPU       string `json:"gpu"`
	GPUs      int    `json:"gpus"` // of a job or of a replica
	Split     string `json:"split"`
	Bound     string `json:"bound"`
	// TokensPerS are trained tokens, or output tokens served within the goals.
	TokensPerS Num `json:"tokens_per_s"`
	PFLOPS     Num `json:"pflops"`
	MFU        Num `json:"mfu"`
	// DaysPerTrillion is how long a training job takes for 10^12 tokens when nothing slows or stops it.
	DaysPerTrillion Num `json:"days_per_1e12_tokens"`
	FirstTokenS     Num `json:"first_token_s"` // 99th percentiles of a service at its peak
	PerTokenS       Num `json:"per_token_s"`
	MemoryBound     Num `json:"memory_bound"`
}

// throughput sets what a job that starts delivers at full clock, where its class names a model.
func (e *engine) throughput(t *job) {
	c := &e.cfg.Classes[t.Class]
	t.peakTokens, t.loadShare = 0, 1
	switch {
	case e.serviceOf[t.Class] != nil:
		t.loadShare = 0
	case c.Profile != nil:
		t.loadShare = c.Profile[e.hourOfWeek()]
	}
	if x := c.ThroughputOn(e.lay.Servers[t.shares[0].Server].Model, int(t.GPUs)); x != nil {
		t.peakTokens, t.peakPFLOPS = x.TokensPerS, x.PFLOPS
	}
}

// tokens is what a job delivers a second now.
func (t *job) tokens() float64 {
	if t.copies != nil {
		return t.servedPerS
	}
	return t.peakTokens * t.delivered()
}

// delivered is the share of its peak that a job delivers: a service what it is asked for as far as its clocks allow, any
// other job as fast as it works.
func (t *job) delivered() float64 {
	if math.IsInf(t.WorkS, 1) && t.peakTokens > 0 {
		return math.Min(t.loadShare, t.rate)
	}
	return t.rate * t.useful
}

func (r *rates) putThroughput(t *job, sign float64) {
	r.tokens += sign * t.tokens()
	if t.copies != nil { // its requests are counted one by one
		r.pflops += sign * t.servedPFLOPS
		return
	}
	r.pflops += sign * t.peakPFLOPS * t.delivered()
	if math.IsInf(t.WorkS, 1) {
		r.served += sign * t.tokens()
	}
}

// reload gives a service the activity and the load of the hour.
func (e *engine) reload(t *job, activity, load float64) {
	if t.running && t.rate > 0 {
		e.progress(t)
		e.rate.sub(t)
		defer e.rate.add(t)
	}
	t.Activity, t.loadShare = activity, load
}

// again takes back tokens that were counted while a job restarted, or that it must do again.
func (m *meters) again(t *job, tokens float64) {
	m.tokensAgain += tokens
	if math.IsInf(t.WorkS, 1) && t.copies == nil {
		m.servedAgain += tokens
	}
}

// tokensResult reads what the meters have of tokens. Without a class that names a model all of it is unknown.
func (e *engine) tokensResult(r *Result) {
	c := &r.Compute
	c.Models = modelRows(e.lay, e.cfg)
	var asked, within float64
	c.Services, asked, within = e.servicesResult()
	if len(c.Models) == 0 {
		return
	}
	m := &e.m
	tokens := m.over(cTokens) - (m.tokensAgain - m.tokensBase)
	c.Tokens, c.TokensServed = Num(tokens), Num(m.over(cServed)-(m.servedAgain-m.servedBase)+within)
	c.TokensPerKWh = ratio(tokens, float64(r.Energy.FacilityKWh))
	for _, cost := range r.Energy.Cost {
		c.TokensPerMoney = append(c.TokensPerMoney, Money{Currency: cost.Currency, Amount: ratio(tokens, float64(cost.Amount))})
	}
	if asked += e.asked(); asked > 0 {
		c.SLAAttainment = Num(math.Min(1, float64(c.TokensServed)/asked))
	}
}

// classTokens is what a class trained or served after the warm-up.
func (e *engine) classTokens(class int) Num {
	if len(e.cfg.Classes[class].Throughput) == 0 {
		return metrics.Unknown
	}
	return Num(e.js.byClass[class].tokens - e.js.byClass[class].tokensBase)
}

// asked is how many tokens the services whose load is a profile are asked for after the warm-up: every replica's peak times the load of each hour.
func (e *engine) asked() float64 {
	total := 0.0
	for i := range e.cfg.Classes {
		c := &e.cfg.Classes[i]
		if s := e.serviceOf[i]; c.Replicas == 0 || len(c.Throughput) == 0 || s != nil && s.pool != nil {
			continue
		}
		seconds := 0.0 // at peak load
		for at := e.cfg.WarmupNS; at < e.cfg.LengthNS; {
			next := min(at+hourNS-at%hourNS, e.cfg.LengthNS)
			load := 1.0
			if c.Profile != nil {
				t := e.cfg.Start.Add(durationNS(at))
				load = c.Profile[(int(t.Weekday()+6)%7)*24+t.Hour()]
			}
			seconds += load * float64(next-at) / thermal.Second
			at = next
		}
		total += float64(c.Replicas) * c.Throughput[0].TokensPerS * seconds
	}
	return total
}

// modelRows lists what the models of the classes give on the server models that were placed.
func modelRows(l *placement.Layout, cfg *Config) []ModelThroughput {
	rows := []ModelThroughput{}
	placed := make([]bool, len(l.Facility.Models))
	for i := range l.Servers {
		placed[l.Servers[i].Model] = true
	}
	for i := range cfg.Classes {
		for _, x := range cfg.Classes[i].Throughput {
			if !placed[x.Server] {
				continue
			}
			row := ModelThroughput{
				Class: cfg.Classes[i].Name, Model: x.Model, Precision: x.Precision, Server: l.Facility.Models[x.Server].Name, GPU: x.GPU, GPUs: x.GPUs,
				Split: x.Split, Bound: x.Bound, TokensPerS: Num(x.TokensPerS), PFLOPS: Num(x.PFLOPS), MFU: Num(x.MFU), DaysPerTrillion: metrics.Unknown,
				FirstTokenS: Num(x.FirstTokenS), PerTokenS: Num(x.PerTokenS), MemoryBound: Num(x.MemoryBound),
			}
			if cfg.Classes[i].Replicas == 0 {
				row.DaysPerTrillion = ratio(1e12/86400, x.TokensPerS)
			}
			rows = append(rows, row)
		}
	}
	return rows
}
