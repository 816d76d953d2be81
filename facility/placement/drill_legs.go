package placement

import (
	"slices"

	"headroom/facility/power"
)

// drillLegs follows the lines through losses that nobody claims to survive, in W.
type drillLegs struct {
	base, now []power.LegLoad // by node, in normal service and after the loss at hand
	at        [][]legConsumer // by node
}

// legConsumer is a load that hangs on a node, among others.
type legConsumer struct {
	consumer int           // in the flow
	way      power.LegLoad // what it puts on the node if that carries all of it
}

func newDrillLegs(d *drill) *drillLegs {
	s := d.s
	if !s.phased {
		return nil
	}
	n := len(s.f.Power.Nodes)
	x := &drillLegs{base: make([]power.LegLoad, n), now: make([]power.LegLoad, n), at: make([][]legConsumer, n)}
	for i := range s.racks {
		for k, fd := range s.f.Racks[i].Feeds {
			x.at[fd] = append(x.at[fd], legConsumer{i, s.racks[i].legs[k].load()})
		}
	}
	c := len(s.racks)
	for i, m := range s.f.Mechanical {
		for _, fd := range m.Fed {
			x.at[fd] = append(x.at[fd], legConsumer{c + i, power.LegLoad{}})
		}
	}
	for _, fd := range s.f.OtherFed {
		x.at[fd] = append(x.at[fd], legConsumer{c + len(s.f.Mechanical), power.LegLoad{}})
	}
	for k := n - 1; k >= 0; k-- {
		x.now[k] = d.legsAt(x, k)
	}
	copy(x.base, x.now)
	return x
}

// legsAt adds up what hangs on a node now.
func (d *drill) legsAt(x *drillLegs, n int) (sum power.LegLoad) {
	g := d.s.f.Power
	put := func(l power.LegLoad) {
		for k, w := range l.On(g.Nodes[n].Lines) {
			sum[k] += w
		}
	}
	if !d.flow.Live[n] {
		return sum
	}
	for _, c := range x.at[n] {
		put(c.way.Scaled(d.flow.LoadW(c.consumer) / float64(d.flow.LiveFeeds(c.consumer))))
	}
	for _, c := range g.Children(n) {
		sources := d.flow.Sources(c)
		if slices.Contains(sources, int32(n)) {
			put(g.Nodes[c].Input(x.now[c], d.flow.InW(c)/float64(len(sources))))
		}
	}
	return sum
}

// followLegs brings the lines of the nodes that a loss touched up to date, children first.
func (d *drill) followLegs() {
	if d.legs == nil {
		return
	}
	slices.Sort(d.touched)
	for _, n := range slices.Backward(d.touched) {
		d.legs.now[n] = d.legsAt(d.legs, n)
	}
}

// legShare is the fullest line of a three-phase node over what a line may carry, 0 where legs are not followed.
func (d *drill) legShare(n int, capacityW float64) float64 {
	if d.legs == nil || d.s.f.Power.Nodes[n].Lines != power.ThreePhase {
		return 0
	}
	worst := 0.0
	for _, w := range d.legs.now[n].Lines() {
		worst = max(worst, w)
	}
	return 3 * worst / capacityW
}
