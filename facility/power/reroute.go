package power

import "slices"

// SetUp sets how many units of a node are up (held within 0 and those installed), finds what is live and
// what carries what below it, and brings everything touched up to date. The state is the one Solve
// finds. Changed lists the nodes that were touched.
func (f *Flow) SetUp(node, units int) {
	units = min(max(units, 0), f.g.Nodes[node].Units)
	f.Changed = f.Changed[:0]
	if units != f.Up[node] {
		f.Up[node] = units
		f.reroute(node)
	}
}

// SetBattery lets a node carry its load from its own battery, or ends that. On battery a node is live
// whatever happens above it as long as a unit is up, and draws nothing from its sources; what it draws
// from the battery counts in FacilityW. How long the battery lasts is the caller's to follow.
func (f *Flow) SetBattery(node int, on bool) {
	f.Changed = f.Changed[:0]
	if on != f.OnBattery[node] {
		f.OnBattery[node] = on
		f.reroute(node)
	}
}

// reroute brings the flow up to date after a change at one node: first down, to find what has another
// source or none, then up again with what that moves.
func (f *Flow) reroute(node int) {
	if f.standbyLoss { // whether a standby chain runs is a question to the whole graph
		f.Solve()
		return
	}
	f.Apply()
	down, up := &f.down, &f.up
	moved := f.moved[:0] // consumers
	down.push(int32(node), f.inDown)
	for len(*down) > 0 {
		n := down.pop(f.inDown)
		was := f.Live[n]
		f.moveSources(n)
		f.setCurve(int(n), f.Live[n])
		up.push(-n, f.inUp)
		if was == f.Live[n] {
			continue
		}
		for _, c := range f.g.children[n] {
			down.push(int32(c), f.inDown)
		}
		moved = append(moved, f.at[f.atFirst[n]:f.atFirst[n+1]]...)
	}
	slices.Sort(moved)
	f.moved = slices.Compact(moved)
	for _, c := range f.moved {
		f.moveConsumer(c)
	}
	for len(*up) > 0 {
		n := -up.pop(f.inUp)
		f.Changed = append(f.Changed, int(n))
		f.refresh(n)
		f.touchSources(n)
	}
	slices.Reverse(f.Changed)
}

// moveSources finds the live sources of a node anew and moves what it draws from the old to the new.
func (f *Flow) moveSources(n int32) {
	s := &f.state[n]
	f.draw(n, -1)
	if s.isSource {
		f.drawn -= s.in
	}
	f.findSources(int(n))
	f.draw(n, 1)
	if s.isSource {
		f.drawn += s.in
	}
}

// draw puts what a node draws on its sources, or takes it off.
func (f *Flow) draw(n int32, sign int64) {
	s := &f.state[n]
	for j, k := int32(0), s.sources; j < k; j++ {
		p := &f.state[f.sources[s.first+j]]
		p.dOut += sign * share(s.in, k, j)
		p.dIT += sign * share(s.itIn, k, j)
	}
	f.touchSources(n)
}

func (f *Flow) touchSources(n int32) {
	s := &f.state[n]
	for _, p := range f.sources[s.first : s.first+s.sources] {
		if f.state[p].dOut != 0 || f.state[p].dIT != 0 {
			f.up.push(-p, f.inUp)
		}
	}
}

// moveConsumer shares a consumer's load anew over its live feeds.
func (f *Flow) moveConsumer(i int32) {
	c := &f.consumers[i]
	put := func(sign int64) {
		k := c.lives
		for j, n := range f.liveFeeds(c) {
			d := sign * share(c.load, k, int32(j))
			f.state[n].dOut += d
			if c.it {
				f.state[n].dIT += d
			}
			f.up.push(-n, f.inUp)
		}
		if c.it && k > 0 {
			f.itTotal += sign * c.load
		}
	}
	put(-1)
	f.findLive(c)
	put(1)
}

// minHeap is a heap of node indices, each at most once; keys may be negated for the reverse order.
type minHeap []int32

func (h *minHeap) push(key int32, in []bool) {
	n := max(key, -key)
	if in[n] {
		return
	}
	in[n] = true
	*h = append(*h, key)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up] <= s[i] {
			break
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
}

func (h *minHeap) pop(in []bool) int32 {
	s := *h
	top := s[0]
	in[max(top, -top)] = false
	last := len(s) - 1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if s[c] < s[least] {
				least = c
			}
		}
		if least == i {
			break
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
	*h = s
	return top
}
