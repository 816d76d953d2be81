package placement

import (
	"fmt"
	"math"

	"headroom/facility"
	"headroom/facility/power"
)

// legs6 is a load in quanta by the way it hangs on three lines, in the order of power.Ways. Its sum is the load.
type legs6 [6]int64

func (v legs6) total() int64 { return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] }

func (v legs6) load() power.LegLoad {
	return power.LegLoad{float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3]), float64(v[4]), float64(v[5])}
}

// worst returns what the current of the fullest line is worth, and the line from 0.
func (v legs6) worst() (q float64, line int) {
	for k, x := range v.load().Lines() {
		if x > q {
			q, line = x, k
		}
	}
	return q, line
}

// evenLegs is a load that is even over the lines; the remainder is on L1.
func evenLegs(q int64) legs6 { return legs6{q - 2*(q/3), q / 3, q / 3} }

// onLines puts a load where a node's lines let it be.
func onLines(n *power.Node, v legs6) legs6 {
	if w := n.Lines.Way(); w >= 0 {
		var on legs6
		on[w] = v.total()
		return on
	}
	return v
}

// scaled returns a load of another total, on the lines as before; the remainder is on L1.
func (v legs6) scaled(total int64) legs6 {
	sum := v.total()
	if sum == total {
		return v
	}
	if sum <= 0 {
		return evenLegs(total)
	}
	f := float64(total) / float64(sum)
	var to legs6
	left := total
	for k := len(v) - 1; k > 0; k-- {
		to[k] = min(left, int64(float64(v[k])*f))
		left -= to[k]
	}
	to[0] = left
	return to
}

// dealt returns how many of n supplies hang on each of three lines (or pairs) when they are dealt round, beginning
// at one of them.
func dealt(n, first int) (on [3]int64) {
	for k := range on {
		on[(first+k)%3] = int64((n + 2 - k) / 3)
	}
	return on
}

// ServerLines is how the supplies of one server share its load over the lines of one of its rack's circuits: of the
// nth server of its model in the rack, counted from 0. The shares add up to 1.
func ServerLines(f *facility.Facility, rack, feed, model, nth int) power.LegLoad {
	from := &f.Racks[rack]
	n := int(shareOf(int64(f.Models[model].PSUs), int64(len(from.Feeds)), int64(feed)))
	if from.Outlets == facility.EvenOutlets || f.Power.Nodes[from.Feeds[feed]].Lines != power.ThreePhase || n < 1 {
		return power.EvenLoad(1)
	}
	var v power.LegLoad
	at := 0
	if from.Outlets == facility.LineLine {
		at = 3
	}
	for k, on := range dealt(n, (from.Place+model+n*nth)%3) {
		v[at+k] = float64(on) / float64(n)
	}
	return v
}

// feedLegs is what servers of a rack and its reserve put on one of its circuits if that circuit carries all of it:
// each takes of(model) in all, the reserve is even.
func (s *site) feedLegs(i, feed int, reserve int64, of func(model int) int64) legs6 {
	r, from := &s.racks[i], &s.f.Racks[i]
	node := &s.f.Power.Nodes[from.Feeds[feed]]
	v := evenLegs(reserve)
	for m, count := range r.count {
		if count == 0 {
			continue
		}
		each := of(m)
		all := each * int64(count)
		n := int(shareOf(int64(s.f.Models[m].PSUs), int64(len(from.Feeds)), int64(feed)))
		if from.Outlets == facility.EvenOutlets || node.Lines != power.ThreePhase || n < 1 {
			e := evenLegs(all)
			for k := range e {
				v[k] += e[k]
			}
			continue
		}
		at := 0
		if from.Outlets == facility.LineLine {
			at = 3
		}
		on := dealt(n*count, (from.Place+m)%3)
		v[at+1] += each * on[1] / int64(n)
		v[at+2] += each * on[2] / int64(n)
		v[at] += all - each*on[1]/int64(n) - each*on[2]/int64(n)
	}
	return onLines(node, v)
}

// moveLegs brings what a rack puts on each of its circuits up to date and returns what it was.
func (s *site) moveLegs(i int) (was []legs6) {
	if !s.phased {
		return nil
	}
	r := &s.racks[i]
	r.legs, r.legsWere = r.legsWere, r.legs
	for k := range r.legs {
		r.legs[k] = s.feedLegs(i, k, s.f.Racks[i].ReserveW*quanta, func(m int) int64 { return s.needs[m].w * quanta })
	}
	return r.legsWere
}

// circuitLegs returns the worst line of a rack's own circuits after the worst single loss, as a share of what it
// may carry, with the circuit; noIndex where no circuit has more than one line to judge.
func (s *site) circuitLegs(i int) (share float64, feed int) {
	feed = noIndex
	if !s.dealt(i) {
		return 0, feed
	}
	for k, fd := range s.racks[i].feeds {
		node := &s.f.Power.Nodes[fd.node]
		if fd.capVA == noLimit || node.Lines != power.ThreePhase {
			continue
		}
		reserve := ceilTo(float64(s.f.Racks[i].ReserveW)/node.PF, 1)
		va, _ := s.feedLegs(i, k, reserve*quanta, func(m int) int64 { return s.needs[m].va * quanta }).worst()
		limit := float64(fd.capVA*fd.sharing) * quanta / 3
		if x := va / math.Max(limit, 1); feed == noIndex || x > share {
			share, feed = x, k
		}
	}
	return share, feed
}

// dealt says whether the supplies in a rack are dealt to the lines of three-phase circuits.
func (s *site) dealt(i int) bool {
	return s.phased && s.f.Racks[i].Outlets != facility.EvenOutlets && len(s.racks[i].feeds) > 0
}

// legTolerance forgives the rounding of quanta and roots: a line is over when it is by more than this share.
const legTolerance = 1e-9

// legRoom returns how many more servers of a model the lines of a rack's circuits admit, at most k.
func (s *site) legRoom(i, model, k int) int {
	if !s.dealt(i) || k <= 0 {
		return k
	}
	r := &s.racks[i]
	fits := 0
	was := r.count[model]
	for fits < k {
		r.count[model]++
		if share, feed := s.circuitLegs(i); feed != noIndex && share > 1+legTolerance {
			break
		}
		fits++
	}
	r.count[model] = was
	return fits
}

// legRefusal names the circuit of a rack on which one more server of a model would overload a line.
func (s *site) legRefusal(i, model int) (Refusal, bool) {
	before, _ := s.circuitLegs(i)
	r := &s.racks[i]
	r.count[model]++
	share, feed := s.circuitLegs(i)
	r.count[model]--
	if feed == noIndex || share <= 1+legTolerance {
		return Refusal{}, false
	}
	fd := r.feeds[feed]
	limit := float64(fd.capVA) / 3
	node := &s.f.Power.Nodes[fd.node]
	return inAmps(node, Refusal{
		Limit: Phase, Where: node.ID, Unit: "VA", Short: (share - 1) * limit, Need: (share - before) * limit, Free: (1 - before) * limit,
	}), true
}

// inAmps puts a refusal by one line into amperes where the voltage is known.
func inAmps(n *power.Node, r Refusal) Refusal {
	if !(n.VoltageLL > 0) {
		return r
	}
	perA := n.VoltageLL / math.Sqrt(3) // VA of one line
	r.Short, r.Need, r.Free, r.Unit = r.Short/perA, r.Need/perA, r.Free/perA, "A"
	return r
}

// worstLeg returns the fullest line of a node over all cases, in quanta, with the line and the case.
func (e *electrical) worstLeg(n int) (q float64, line int, at *lossCase) {
	at = &e.cases[0]
	for ci := range e.cases {
		if x, k := e.cases[ci].leg[n].worst(); x > q {
			q, line, at = x, k, &e.cases[ci]
		}
	}
	return q, line, at
}

// legCapQ is what one line of a node may carry, in quanta.
func (e *electrical) legCapQ(n int) float64 { return float64(e.capQ[n]) / 3 }

// overLeg says which line of a three-phase node carries too much in the worst case.
func (e *electrical) overLeg(n int) (Refusal, bool) {
	node := &e.g.Nodes[n]
	if !e.phased || e.capQ[n] == noLimit || node.Lines != power.ThreePhase {
		return Refusal{}, false
	}
	q, line, c := e.worstLeg(n)
	limit := e.legCapQ(n)
	if q <= limit*(1+legTolerance) {
		return Refusal{}, false
	}
	where := fmt.Sprintf("L%d of %s", line+1, node.ID)
	if c.name != e.cases[0].name {
		where += ", " + c.name
	}
	w := 1 / (quanta * e.pf[n]) // to VA
	return inAmps(node, refusal(Phase, where, "VA", q*w, limit*w)), true
}

// pushLegs puts what a load adds on one line or another on the node that it hangs on.
func (e *electrical) pushLegs(n int, was, now legs6) {
	was, now = onLines(&e.g.Nodes[n], was), onLines(&e.g.Nodes[n], now)
	for k := range now {
		e.dLeg[n][k] += now[k] - was[k]
	}
}

// refreshLegs brings the lines of a node up to date, after out and in, and passes them on.
func (e *electrical) refreshLegs(c *lossCase, n int32, oldIn int64) {
	node := &e.g.Nodes[n]
	v, d := &c.leg[n], &e.dLeg[n]
	for k := range v {
		v[k] += d[k]
	}
	*d = legs6{}
	if !c.live[n] {
		return
	}
	was := c.legIn[n]
	now := evenLegs(c.in[n])
	if node.PassesLines() {
		now = onLines(node, v.scaled(c.in[n]))
	}
	c.legIn[n] = now
	k := int64(c.count[n])
	for j := range k {
		to := c.sources[int64(c.first[n])+j]
		e.pushLegs(int(to), was.scaled(shareOf(oldIn, k, j)), now.scaled(shareOf(c.in[n], k, j)))
	}
}

// phaseW splits what servers of a rack draw over the lines, in whole watts that add up, and says what of it hangs to
// the neutral.
func (s *site) phaseW(i int) (all, neutral [3]int64) {
	r := &s.racks[i]
	if !s.phased || len(r.feeds) == 0 || r.used.w == 0 {
		return power.Legs(r.used.w), power.Legs(r.used.w)
	}
	var sum power.LegLoad
	for k := range r.feeds {
		for j, x := range s.feedLegs(i, k, 0, func(m int) int64 { return s.needs[m].w * quanta }).load() {
			sum[j] += x / float64(len(r.feeds)) / quanta
		}
	}
	all = wholeLegs(sum, r.used.w)
	for k := range neutral {
		neutral[k] = min(all[k], ceilTo(sum[k], 1))
	}
	return all, neutral
}

// wholeLegs is the power of each line in whole watts that make up a total; the remainder is on L1.
func wholeLegs(v power.LegLoad, totalW int64) [3]int64 {
	p := v.PerLine()
	sum := v.Total()
	if !(sum > 0) {
		return power.Legs(totalW)
	}
	l2, l3 := floorTo(p[1]/sum*float64(totalW), 1), floorTo(p[2]/sum*float64(totalW), 1)
	return [3]int64{totalW - l2 - l3, l2, l3}
}

// nodeLegs fills what the lines of a node carry.
func (s *site) nodeLegs(n int, l *NodeLoad) {
	node := &s.f.Power.Nodes[n]
	l.PhaseW, l.NeutralA, l.LegShare = power.Legs(l.NormalW), math.NaN(), math.NaN()
	if !s.phased {
		if node.VoltageLL > 0 {
			l.NeutralA = 0
		}
		if l.CapacityW > 0 {
			l.LegShare = l.NormalShare
			if out, c := s.elec.worst(n); s.elec.capacityW(n) > 0 {
				l.LegShare, l.LegLost = float64(out)/float64(s.elec.capacityW(n)*quanta), c.lostName(s.elec)
			}
		}
		return
	}
	v := s.elec.cases[0].leg[n].load()
	l.PhaseW = wholeLegs(v, l.NormalW)
	if node.VoltageLL > 0 {
		l.NeutralA = v.Neutral() / quanta / s.elec.pf[n] / (node.VoltageLL / math.Sqrt(3))
	}
	if limit := float64(s.elec.capacityW(n)) * quanta / 3; node.Lines == power.ThreePhase && limit > 0 {
		q, line, c := s.elec.worstLeg(n)
		l.LegShare, l.Leg, l.LegLost = q/limit, line, c.lostName(s.elec)
	}
}

// lostName is the loss of a case, "" for normal service.
func (c *lossCase) lostName(e *electrical) string {
	if c.name == e.cases[0].name {
		return ""
	}
	return c.name
}

// legScore is the fullest line that one more server of a model would make, of the rack's own circuits and of what
// carries them.
func (s *site) legScore(i, model int) float64 {
	s.change(i, model, 1)
	score, _ := s.circuitLegs(i)
	for _, n := range s.racks[i].path {
		if limit := s.elec.legCapQ(int(n)); limit > 0 && s.f.Power.Nodes[n].Lines == power.ThreePhase {
			q, _, _ := s.elec.worstLeg(int(n))
			score = max(score, q/limit)
		}
	}
	s.change(i, model, -1)
	return score
}
