package scenarios

import (
	"math"
	"slices"
	"strings"
	"time"

	"headroom/facility/units"
	"headroom/sim"
	"headroom/sim/ledger"
	"headroom/sim/perf"
	"headroom/sim/sched"
	"headroom/sim/workload"
)

// spotRules are how spot jobs give way.
var spotRules = map[string]workload.Spot{"": workload.NotSpot, "checkpoint": workload.SpotCheckpoint, "lose": workload.SpotLose, "kill": workload.SpotKill}

// findTenants numbers tenants in the order in which the file names them; those of traces follow.
func (s *Scenario) findTenants(d *decoder) {
	s.tenants = &workload.Tenants{}
	seen := map[string]int{}
	if p := s.file.Scheduling; p != nil {
		for i := range p.Tenants {
			t := &p.Tenants[i]
			if first, ok := seen[t.Name]; ok && t.Name != "" {
				d.fail(t.of("name"), joinKey(t.path, "name"), "", "the tenant %s stands twice (first at line %d)", quoteShort(t.Name), first)
			}
			seen[t.Name] = t.of("name").line
			s.tenants.Index([]byte(t.Name))
		}
	}
	for i := range s.file.Workload {
		s.tenants.Index([]byte(s.file.Workload[i].Tenant))
	}
	for i := range s.file.Replay {
		s.tenants.Index([]byte(s.file.Replay[i].Tenant))
	}
}

// serversNamed are the lines of servers of a model, or with a GPU, a bit each.
func (s *Scenario) serversNamed(name string) uint64 {
	var bits uint64
	for i := range s.file.Servers {
		m := s.file.Servers[i].Model
		entry, err := s.catalog.Server(m)
		if m == name || err == nil && entry.GPU == name {
			bits |= 1 << min(i, 63)
		}
	}
	return bits
}

// on is the servers that a class or a trace may run on.
func (s *Scenario) on(d *decoder, o *origin, list names) uint64 {
	var bits uint64
	for _, name := range list {
		b := s.serversNamed(name)
		if b == 0 {
			d.fail(o.of("on"), joinKey(o.path, "on"), "", "no line of servers is of this model or has this GPU (got %s)", quoteShort(name))
		}
		bits |= b
	}
	if len(s.file.Servers) > 64 && len(list) > 0 {
		d.fail(o.of("on"), joinKey(o.path, "on"), "", "types of server can be told apart among up to 64 lines of servers (there are %d)", len(s.file.Servers))
	}
	return bits
}

// urgency sets what a class says about its place in the queue.
func (s *Scenario) urgency(c *workload.Class, tenant string, priority *int, spot string, after Quantity) {
	c.Tenant = s.tenants.Index([]byte(tenant))
	if priority != nil {
		c.Priority = int32(*priority)
	}
	c.Spot, c.DeferS = spotRules[spot], after.or(0)
}

// shape sets what a class says about arrivals, lengths and sizes beyond rate, median and number.
func (s *Scenario) shape(d *decoder, l *classLine, c *workload.Class) {
	c.Types = s.on(d, &l.origin, l.On)
	s.urgency(c, l.Tenant, l.Priority, l.Spot, l.Defer)
	if l.Share.Given {
		c.Milli = int32(math.Round(l.Share.V * sched.Milli))
		for _, g := range l.GPUs.Sizes {
			if g != 1 || l.Kind == "inference" {
				d.fail(l.of("share"), joinKey(l.path, "share"), "", "a share of a GPU is for jobs of one GPU that end")
				break
			}
		}
		if c.Milli < 1 {
			d.fail(l.of("share"), joinKey(l.path, "share"), "", "want at least a thousandth of a GPU (got %s)", quoteShort(l.Share.text))
		}
	}
	if l.Slice != "" {
		s.slice(d, l, c)
	}
	if l.Kind == "inference" {
		for _, key := range [...]string{"like", "rhythm", "burst", "defer", "share"} {
			if l.has(key) {
				d.fail(l.of(key), joinKey(l.path, key), "", "%s is for jobs that come and go, and %s is a service", key, quoteShort(l.Name))
			}
		}
		return
	}
	if l.Rhythm.Given {
		c.Week = l.Rhythm.week()
	}
	start := s.file.Run.Start.T
	c.StartHour = float64((int(start.Weekday()+6)%7)*24) + float64(start.Hour()) + float64(start.Minute())/60
	if b := l.Burst; b != nil && b.Ratio != nil && b.Share.Given && b.Length.Given {
		c.Burst = &workload.Burst{Ratio: *b.Ratio, Share: b.Share.V, MeanS: b.Length.V}
		if b.Share.V >= 1 {
			d.fail(b.of("share"), joinKey(b.path, "share"), "", "bursts that never end are no bursts")
		}
	}
	if n := l.Length; n != nil {
		if n.Weibull != nil {
			c.WeibullShape, c.SigmaLn = *n.Weibull, 0
			if n.has("p95") {
				d.fail(n.of("p95"), joinKey(n.path, "p95"), "", "a Weibull length is given by its median and shape; leave p95 out")
			}
		}
		for i, q := range n.Quantiles {
			c.Lengths = append(c.Lengths, workload.Quantile{P: float64(i) / float64(len(n.Quantiles)-1), S: q.V})
		}
		if len(n.Quantiles) > 0 && (n.has("median") || n.has("p95") || n.has("weibull")) {
			d.fail(n.at, n.path, "", "quantiles give the whole distribution; leave median, p95 and weibull out")
		}
	}
	if l.Like == "" {
		return
	}
	p, ok := workload.TraceNamed(l.Like)
	if !ok {
		var all []string
		for _, t := range workload.Traces {
			all = append(all, t.Name)
		}
		near, _ := units.Nearest(l.Like, all)
		d.fail(l.of("like"), joinKey(l.path, "like"), didYouMean(near), "no such trace (got %s, want one of %s)", quoteShort(l.Like), strings.Join(all, ", "))
		return
	}
	fit, _ := p.Fit()
	if l.Length == nil {
		c.MedianS, c.SigmaLn = fit.MedianS, fit.SigmaLn
	}
	if !l.has("gpus") {
		c.GPUs = fit.GPUs
		if l.Length != nil { // its own lengths are not stretched
			for i := range c.GPUs {
				c.GPUs[i].Stretch = 0
			}
		}
	}
}

// slice has a class's jobs run on slices of GPUs, on the servers whose GPUs can be cut so.
func (s *Scenario) slice(d *decoder, l *classLine, c *workload.Class) {
	at, key := l.of("slice"), joinKey(l.path, "slice")
	if l.Share.Given {
		d.fail(at, key, "", "a job has a slice that is cut out of a GPU, or a share of its time; leave one out")
	}
	for _, g := range c.GPUs {
		if g.GPUs != 1 {
			d.fail(at, key, "write gpus: 1, or of inference replica: 1", "a slice is of one GPU (got %d GPUs)", g.GPUs)
			return
		}
	}
	var bits uint64
	var all []string
	for i := range s.file.Servers {
		server, err := s.catalog.Server(s.file.Servers[i].Model)
		if err != nil {
			continue
		}
		gpu, err := s.catalog.GPU(server.GPU)
		if err != nil {
			continue
		}
		for _, p := range gpu.MIG() {
			if !slices.Contains(all, p.Name) {
				all = append(all, p.Name)
			}
			if p.Name == l.Slice && (c.Types == 0 || c.Types&(1<<min(i, 63)) != 0) {
				bits |= 1 << min(i, 63)
				if p.Memory < 8 { // all of it is a GPU that isn't cut
					c.Slice = workload.Slice{Name: p.Name, Compute: uint8(p.Compute), Memory: uint8(p.Memory), Starts: p.Starts}
					c.Milli = int32(p.Memory) * sched.SliceMilli
				}
			}
		}
	}
	switch {
	case len(all) == 0:
		d.fail(at, key, "", "no GPU of these servers can be cut into slices")
	case bits == 0:
		near, _ := units.Nearest(l.Slice, all)
		d.fail(at, key, didYouMean(near), "no GPU that this class may run on is cut so (got %s, there are %s)", quoteShort(l.Slice), strings.Join(all, ", "))
	}
	c.Types = bits
}

// scheduling sets how the queue is run.
func (s *Scenario) scheduling(d *decoder, c *sim.Config) {
	r := &c.Scheduling.Rules
	for _, name := range s.tenants.Names {
		r.Tenants = append(r.Tenants, sched.Tenant{Name: name})
	}
	p := s.file.Scheduling
	if p == nil {
		return
	}
	if n := s.file.Network; n != nil {
		f := perf.Fabric{LeafServers: n.Leaf, Ports: 1}
		if n.Ports != nil {
			f.Ports = *n.Ports
		}
		if n.Rails == nil && n.Ports == nil || n.Rails != nil && *n.Rails { // a port for every GPU
			f.Rails = true
			if n.Ports == nil && len(s.file.Servers) > 0 {
				if server, err := s.catalog.Server(s.file.Servers[0].Model); err == nil {
					f.Ports = int(server.GPUs.Value)
				}
			}
		}
		c.Scheduling.Leaf = f.GroupServers()
	}
	if o, ok := sched.OrderNamed(string(p.Order)); ok {
		r.Order = o
	}
	if pl, ok := sched.PlacementNamed(string(p.Placement)); ok {
		c.Scheduling.Placement = pl
	}
	r.Backfill = map[string]sched.Backfill{"easy": sched.EASY, "conservative": sched.Conservative}[p.Backfill]
	if p.Depth != nil {
		r.Depth = *p.Depth
	}
	r.Preempt = p.Preempt
	r.GangTimeoutNS = int64(math.Round(p.GangTimeout.or(0) * 1e9))
	for i := range p.Tenants {
		t := &p.Tenants[i]
		k := s.tenants.Index([]byte(t.Name))
		if t.Weight != nil {
			r.Tenants[k].Weight = *t.Weight
		}
		if t.Quota != nil {
			r.Tenants[k].QuotaMilli = int64(math.Round(*t.Quota * sched.Milli))
		}
	}
	if p.Shift != nil {
		c.Scheduling.Shift = s.shift(d, p.Shift, c)
	}
}

// shift is the signal that deferrable jobs follow, by hour of the run.
func (s *Scenario) shift(d *decoder, p *shiftPart, c *sim.Config) []float64 {
	length := s.file.Run.length()
	hours := int((length + time.Hour - 1) / time.Hour)
	start := s.file.Run.Start.T
	signal := make([]float64, hours)
	if p.By == "heat" {
		if p.Hours.Given {
			d.fail(p.of("hours"), joinKey(p.path, "hours"), "", "heat comes from the weather; leave hours out")
		}
		if s.series == nil {
			return nil
		}
		for h := range signal {
			if x, ok := s.series.At(start.Add(time.Duration(h) * time.Hour)); ok {
				signal[h] = x.DryBulbC
			}
		}
		return signal
	}
	week := p.Hours.week()
	if week == nil {
		tariff := map[string]*ledger.Tariff{"price": c.Price, "carbon": c.Carbon}[p.By]
		if tariff == nil || tariff.Steady() {
			d.fail(p.at, joinKey(p.path, "hours"), "write, for example, hours: [0.4, 0.4, …] with 24 or 168 shares of the highest, or state it by the hour under money", "%s needs its hours", p.By)
			return nil
		}
		for h := range signal {
			signal[h] = tariff.At(start.Add(time.Duration(h) * time.Hour))
		}
		return signal
	}
	for h := range signal {
		t := start.Add(time.Duration(h) * time.Hour)
		signal[h] = week[(int(t.Weekday()+6)%7)*24+t.Hour()]
	}
	return signal
}
