package placement

import (
	"slices"

	"headroom/facility"
)

// RackFate is how one rack fares after a loss. Racks that are not listed are normal.
type RackFate struct {
	Rack  int
	State string
	Share float64 // of its plan basis that it is left with: 1 unless degraded or lost
}

// fates gathers how racks fare after one loss.
type fates struct {
	number int
	stamp  []int
	state  []string
	share  []float64
	marked []int32
}

func (f *fates) init(racks int) {
	f.stamp, f.state, f.share = make([]int, racks), make([]string, racks), make([]float64, racks)
}

func (f *fates) begin() {
	f.number++
	f.marked = f.marked[:0]
}

// mark takes the worse of what is known of a rack.
func (f *fates) mark(i int, state string, share float64) {
	if f.stamp[i] != f.number {
		f.stamp[i], f.state[i], f.share[i] = f.number, Normal, 1
		f.marked = append(f.marked, int32(i))
	}
	f.state[i] = worse(f.state[i], state)
	f.share[i] = min(f.share[i], share)
}

func (f *fates) markAll(racks []int32, state string, share float64) {
	for _, i := range racks {
		f.mark(int(i), state, share)
	}
}

// count fills the numbers of racks by state, and raises the state to the worst of them.
func (f *fates) count(to *Failover) {
	to.Racks, to.RacksDegraded, to.RacksLost, to.DegradedTo = len(f.marked), 0, 0, 1
	for _, i := range f.marked {
		to.State = worse(to.State, f.state[i])
		switch f.state[i] {
		case Degraded:
			to.RacksDegraded++
			to.DegradedTo = min(to.DegradedTo, f.share[i])
		case Lost:
			to.RacksLost++
		}
	}
}

// list returns the racks that are not normal, ascending.
func (f *fates) list() []RackFate {
	slices.Sort(f.marked)
	list := make([]RackFate, 0, len(f.marked))
	for _, i := range f.marked {
		list = append(list, RackFate{int(i), f.state[i], f.share[i]})
	}
	return list
}

// deadRacks marks the racks that have lost a feed.
func (d *drill) deadRacks() {
	for _, k := range d.touched {
		if d.flow.Live[k] {
			continue
		}
		for _, i := range d.racksAt[k] {
			state, share := d.rackState(int(i))
			d.fates.mark(int(i), state, share)
		}
	}
}

// cooledBy lists the racks whose heat goes into a room, loop or plant.
func (s *site) cooledBy(p *pool) []int32 {
	var list []int32
	for i := range s.racks {
		if slices.Contains(s.poolsOf(i), p) {
			list = append(list, int32(i))
		}
	}
	return list
}

// poolNamed returns the room, loop or plant of a name, nil if there is none.
func (s *site) poolNamed(name string) *pool {
	for _, pools := range [][]pool{s.rooms, s.loops, s.plants} {
		for i := range pools {
			if pools[i].name == name {
				return &pools[i]
			}
		}
	}
	return nil
}

// poolsOf lists the cooling that a rack's heat goes through.
func (s *site) poolsOf(i int) []*pool {
	r := &s.racks[i]
	var list []*pool
	add := func(p *pool) {
		list = append(list, p)
		if p.plant != noIndex {
			list = append(list, &s.plants[p.plant])
		}
	}
	if r.room != noIndex {
		add(&s.rooms[r.room])
	}
	if r.loop != noIndex && r.used.liquidW > 0 {
		add(&s.loops[r.loop])
		if sink := s.loops[r.loop].sink; sink != noIndex && sink != r.room {
			add(&s.rooms[sink])
		}
	}
	return list
}

// rackState says how a rack with dead feeds fares, and with what share of its plan basis.
func (d *drill) rackState(i int) (state string, share float64) {
	s := d.s
	r := &s.f.Racks[i]
	if !d.flow.Served(i) {
		return Lost, 0
	}
	state, share = RedundancyLost, 1
	for m, count := range s.racks[i].count {
		if count == 0 {
			continue
		}
		model := &s.f.Models[m]
		live := supplies(model, len(r.Feeds), func(j int) bool { return d.flow.Live[r.Feeds[j]] })
		state = worse(state, shortState(model, live))
		share = min(share, shortShare(model, live))
	}
	return state, share
}

// supplies returns how many of a server's supplies have power: they are spread over its feeds, the
// first feeds taking the remainder.
func supplies(m *facility.Model, feeds int, live func(feed int) bool) int {
	n := int64(0)
	for j := range feeds {
		if live(j) {
			n += shareOf(int64(m.PSUs), int64(feeds), int64(j))
		}
	}
	return int(n)
}

// shortState is what a server does with so many supplies.
func shortState(m *facility.Model, live int) string {
	switch {
	case live >= m.PSUNeeded:
		return RedundancyLost
	case live == 0 || m.ShortRule == "off":
		return Lost
	}
	return Degraded
}

// shortShare is the share of its plan basis that a server may draw with so many supplies: what its firmware
// allows, and no more than the supplies give (their rating is output).
func shortShare(m *facility.Model, live int) float64 {
	switch shortState(m, live) {
	case Lost:
		return 0
	case RedundancyLost:
		return 1
	}
	limitW := float64(live) * m.PSURatingW
	if len(m.PSULoad) > 0 && len(m.PSUEff) > 0 {
		limitW /= m.Efficiency(limitW, live)
	}
	if m.ShortCap > 0 {
		limitW = min(limitW, m.ShortCap*float64(m.NameplateW))
	}
	return min(1, limitW/float64(m.PlanW))
}

var severity = []string{Normal, Unknown, RedundancyLost, Degraded, Lost}

func worse(a, b string) string {
	if slices.Index(severity, b) > slices.Index(severity, a) {
		return b
	}
	return a
}
