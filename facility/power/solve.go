package power

// Solve computes everything from the loads and the units that are up.
func (f *Flow) Solve() {
	for i := range f.state {
		f.findSources(i)
	}
	f.findRunning()
	f.waiting.clear()
	f.lossByK, f.itByK = [len(f.lossByK)]int64{}, [len(f.itByK)]int64{}
	f.itTotal, f.drawn = 0, 0
	for i := range f.state {
		s := &f.state[i]
		s.in, s.out, s.loss, s.it, s.itIn = 0, 0, 0, 0, 0
		s.dOut, s.dIT = 0, 0
	}
	for i := range f.consumers {
		c := &f.consumers[i]
		f.findLive(c)
		k := c.lives
		for j, n := range f.liveFeeds(c) {
			d := share(c.load, k, int32(j))
			f.state[n].dOut += d
			if c.it {
				f.state[n].dIT += d
			}
		}
		if c.it && k > 0 {
			f.itTotal += c.load
		}
	}
	for n := len(f.state) - 1; n >= 0; n-- {
		f.refresh(int32(n))
	}
	f.Changed = f.Changed[:0]
	for n := range f.state {
		f.Changed = append(f.Changed, n)
	}
}

// findLive finds the live feeds of a consumer.
func (f *Flow) findLive(c *consumer) {
	c.lives = 0
	for _, n := range f.feeds(c) {
		if f.Live[n] {
			f.live[c.first+c.lives] = n
			c.lives++
		}
	}
}

// findSources finds whether a node is live and which sources share what it draws; its parents must be
// up to date.
func (f *Flow) findSources(i int) {
	s := &f.state[i]
	s.sources, s.isSource = 0, true
	f.Live[i] = f.Up[i] > 0
	if len(f.g.parents[i]) == 0 || (f.OnBattery[i] && f.Live[i]) {
		return
	}
	s.isSource = false
	if f.Live[i] {
		for _, p := range f.g.parents[i] {
			if f.Live[p] && !(f.g.Nodes[i].Transfer && s.sources == 1) {
				f.sources[s.first+s.sources] = int32(p)
				s.sources++
			}
		}
	}
	f.Live[i] = s.sources > 0
	if s.sources == 1 {
		s.source = f.sources[s.first]
	}
}

// findRunning sets the loss curve of each node, without no-load loss where it is dead or where it is fed
// by generators alone and nothing calls on it.
func (f *Flow) findRunning() {
	called := make([]bool, len(f.state))
	for i := range f.consumers {
		for _, n := range f.feeds(&f.consumers[i]) {
			called[n] = true
		}
	}
	for i := len(f.state) - 1; i >= 0; i-- {
		s := &f.state[i]
		end := len(f.g.children[i]) == 0 && f.g.Nodes[i].Kind != Generator
		running := f.Live[i] && (!f.standby[i] || called[i] || end)
		f.setCurve(i, running)
		if running {
			for _, p := range f.sources[s.first : s.first+s.sources] {
				called[p] = true
			}
		}
	}
}

// setCurve sets a node's loss curve for the units that are up; no-load loss only where it is running. Its sources must
// be found.
func (f *Flow) setCurve(i int, running bool) {
	s := &f.state[i]
	s.a, s.b, s.c = 0, 0, 0
	s.pass = s.sources == 1
	if f.Up[i] == 0 {
		return // carries nothing
	}
	node := &f.g.Nodes[i]
	ratedW := node.RatingVA * node.PF * float64(f.Up[i])
	s.b = node.Loss.B
	s.c = node.Loss.C / (ratedW * stepsPerW)
	if running {
		s.a = node.Loss.A * ratedW * stepsPerW
	}
	s.pass = s.pass && s.a == 0 && s.b == 0 && s.c == 0
}

// findMeters finds at which nodes of a kind the power that goes on to IT is metered: the lowest ones.
func (f *Flow) findMeters() {
	above := make([][RackFeed + 1]bool, len(f.state)) // a node of the kind stands below
	direct := make([][RackFeed + 1]bool, len(f.state))
	for i := range f.consumers {
		if f.consumers[i].it {
			for _, n := range f.feeds(&f.consumers[i]) {
				for k := range direct[n] {
					direct[n][k] = true
				}
			}
		}
	}
	for i := len(f.state) - 1; i >= 0; i-- {
		kind := f.g.Nodes[i].Kind
		f.state[i].lowest = !above[i][kind]
		if above[i][kind] && direct[i][kind] {
			f.mixed[kind] = true
		}
		for _, p := range f.g.parents[i] {
			for k := range above[p] {
				same := Kind(k) == kind
				above[p][k] = above[p][k] || above[i][k] || same
				// IT reached through no node of this kind
				direct[p][k] = direct[p][k] || (direct[i][k] && !same)
			}
		}
	}
}

// FacilityW returns what is drawn at the sources: utilities, generators and batteries in use.
func (f *Flow) FacilityW() float64 { return toW(f.drawn) }

// ITW returns the load of the IT consumers that are served.
func (f *Flow) ITW() float64 { return toW(f.itTotal) }

// KindLossW returns the losses of all nodes of a kind.
func (f *Flow) KindLossW(kind Kind) float64 { return toW(f.lossByK[kind]) }

// LoadW returns the load of a consumer as it was last set, served or not.
func (f *Flow) LoadW(consumer int) float64 { return toW(f.consumers[consumer].load) }

// Served says whether a consumer has a live feed.
func (f *Flow) Served(consumer int) bool { return f.consumers[consumer].lives > 0 }

// LiveFeeds returns how many of a consumer's feeds are live.
func (f *Flow) LiveFeeds(consumer int) int { return int(f.consumers[consumer].lives) }

// Overloaded returns the nodes that carry more than their capacity with the units that are up,
// ascending.
func (f *Flow) Overloaded() []int {
	var over []int
	for i := range f.state {
		if out := f.OutW(i); out > 0 && out > f.CapacityW(i) {
			over = append(over, i)
		}
	}
	return over
}

// CapacityW returns what a node may carry with the units that are up, in W, not rounded.
func (f *Flow) CapacityW(node int) float64 {
	n := &f.g.Nodes[node]
	return n.RatingVA * n.PF * n.Derate * float64(f.Up[node])
}

// MeterITW returns the power that goes on to IT as metered at the outputs of all nodes of a kind. Where
// nodes of a kind stand in a row, what passes several is metered at the lowest.
func (f *Flow) MeterITW(kind Kind) float64 {
	if !f.mixed[kind] {
		return toW(f.itByK[kind])
	}
	m := f.ITMeter(kind)
	return m.MeterW
}

// Meter is the IT power at one kind of node and where it goes.
type Meter struct {
	MeterW    float64 // at the outputs
	LossW     float64 // of it, lost below the meter
	ConsumerW float64 // of it, at the IT consumers
}

// ITMeter follows the power that goes on to IT from the meters of a kind down to the consumers, by a way
// of its own: MeterW = LossW + ConsumerW is a check of everything else here. Where a node carries IT
// and other load, its loss is shared in proportion.
func (f *Flow) ITMeter(kind Kind) Meter {
	n := len(f.state)
	under := make([]float64, n) // share of a node's output that has passed a meter above or here
	var m Meter
	for i := range n {
		s := &f.state[i]
		for j := range s.sources {
			under[i] += under[f.sources[s.first+j]] / float64(s.sources)
		}
		if s.kind == kind {
			under[i] = 1
		}
	}
	unmetered := make([]float64, n) // W of a node's IT output that meets no further meter
	for i := range f.consumers {
		c := &f.consumers[i]
		if !c.it {
			continue
		}
		for j, node := range f.liveFeeds(c) {
			w := toW(share(c.load, c.lives, int32(j)))
			unmetered[node] += w
			m.ConsumerW += w * under[node]
		}
	}
	for i := n - 1; i >= 0; i-- {
		s := &f.state[i]
		if s.kind == kind {
			m.MeterW += unmetered[i]
			continue
		}
		if s.it == 0 {
			continue
		}
		lossW := f.LossW(i) * unmetered[i] / f.OutW(i)
		m.LossW += lossW * under[i]
		for j := range s.sources {
			unmetered[f.sources[s.first+j]] += (unmetered[i] + lossW) / float64(s.sources)
		}
	}
	return m
}
