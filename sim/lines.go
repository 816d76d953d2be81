package sim

import (
	"fmt"
	"slices"

	"headroom/facility/placement"
	"headroom/facility/power"
)

// lines is what hangs on each line of the circuits that breakers watch, where any load is not even over the lines.
// A breaker of three poles opens for its fullest line, whatever the total.
type lines struct {
	nodes []int // watched, and what hangs below them, children first
	load  []power.LegLoad
	racks [][]rackFeed // by node
}

// rackFeed is a circuit of a rack at a node, with how each of its servers lies on the lines.
type rackFeed struct {
	rack    int
	servers []power.LegLoad
}

const noLine = -1

// lineName is the line in words, after a share of a rating.
func lineName(line int) string {
	if line == noLine {
		return ""
	}
	return fmt.Sprintf(" on L%d", line+1)
}

func (e *engine) initLines() {
	if len(e.breakers) == 0 || !e.fac.Phased() {
		return
	}
	n := len(e.graph.Nodes)
	x := &lines{load: make([]power.LegLoad, n), racks: make([][]rackFeed, n)}
	below := make([]bool, n)
	for i := range e.breakers {
		below[e.breakers[i].node] = true
	}
	for k := range n { // parents have the lower index
		for _, p := range e.graph.Parents(k) {
			below[k] = below[k] || below[p]
		}
		if below[k] {
			x.nodes = append(x.nodes, k)
		}
	}
	slices.Reverse(x.nodes)
	for r := range e.racks {
		for k, fd := range e.fac.Racks[r].Feeds {
			if !below[fd] {
				continue
			}
			at := rackFeed{rack: r}
			count := make([]int, len(e.fac.Models))
			for _, s := range e.racks[r].servers {
				m := e.lay.Servers[s].Model
				at.servers = append(at.servers, placement.ServerLines(e.fac, r, k, m, count[m]))
				count[m]++
			}
			x.racks[fd] = append(x.racks[fd], at)
		}
	}
	e.lines = x
}

// followLines adds up what hangs on each line now. What is neither a rack's servers nor drawn by a node below is even.
func (e *engine) followLines() {
	x := e.lines
	if x == nil {
		return
	}
	flow := e.b.flow
	for _, n := range x.nodes {
		var sum power.LegLoad
		node := &e.graph.Nodes[n]
		put := func(l power.LegLoad) {
			for k, w := range l.On(node.Lines) {
				sum[k] += w
			}
		}
		if flow.Live[n] {
			for _, at := range x.racks[n] {
				consumer := e.racks[at.rack].consumer
				feeds := float64(flow.LiveFeeds(consumer))
				for i, s := range e.racks[at.rack].servers {
					l := at.servers[i]
					for k := range l {
						l[k] *= e.srv[s].set.WallW / feeds
					}
					put(l)
				}
			}
			for _, c := range e.graph.Children(n) {
				if sources := flow.Sources(c); slices.Contains(sources, int32(n)) {
					put(e.graph.Nodes[c].Input(x.load[c], flow.InW(c)/float64(len(sources))))
				}
			}
			put(power.EvenLoad(max(0, flow.OutW(n)-sum.Total())))
		}
		x.load[n] = sum
	}
}

// worstLine returns what a node carries if every line carried what its fullest does, and the line; the load itself
// where lines are not followed or the node lies on one.
func (e *engine) worstLine(n int) (w float64, line int) {
	w, line = e.b.flow.OutW(n), noLine
	if e.lines == nil || e.graph.Nodes[n].Lines != power.ThreePhase {
		return w, line
	}
	w = 0
	for k, on := range e.lines.load[n].Lines() {
		if 3*on > w {
			w, line = 3*on, k
		}
	}
	return w, line
}
