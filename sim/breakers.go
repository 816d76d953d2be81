package sim

import (
	"fmt"
	"math"

	"headroom/facility/power"
	"headroom/sim/event"
	"headroom/sim/thermal"
)

// breaker is the overload protection of one node as a thermal image: heat follows the square of the load
// share of its fullest line with one time constant, and past its limit it trips. Every I²t curve of the kind is one such image.
type breaker struct {
	node  int
	line  int          // the fullest one, from 0; noLine where lines are not followed
	image thermal.Path // (load / rating)², relaxing
	share float64      // load share the image relaxes to, of the fullest line
	tauS  float64
	trip  float64 // image at which it trips
	ev    event.ID
	evOn  bool
}

// Overload protection. Circuit breakers carry 1.13 of their rating for good and trip within an hour at 1.45
// (IEC 60898-1: no trip in 1 h at 1.13, trip in 1 h at 1.45); with 600 s that is 6 minutes at 1.45 from
// 80 % load and 2 minutes at twice the rating (assumed). UPS carry 125 % for 10 minutes (usual data sheet).
const (
	breakerTauS, breakerHolds = 600, 1.13
	upsTauS, upsHolds         = 760, 1.1
)

// initBreakers watches the nodes that could ever be overloaded: what everything below them can draw at
// once, with every other feed lost, is held against their rating. The rest can't trip and costs nothing.
func (e *engine) initBreakers() {
	g := e.graph
	most := make([]float64, len(g.Nodes)) // W
	reach := func(fed []int, w float64) {
		seen := map[int]bool{}
		var up func(n int)
		up = func(n int) {
			if seen[n] {
				return
			}
			seen[n] = true
			most[n] += w
			for _, p := range g.Parents(n) {
				up(p)
			}
		}
		for _, n := range fed {
			up(n)
		}
	}
	for i := range e.racks {
		w := 0.0
		for _, s := range e.racks[i].servers {
			m := e.srv[s].m
			w += math.Max(float64(m.NameplateW), float64(m.SustainedW))
		}
		reach(e.fac.Racks[i].Feeds, w)
	}
	for _, m := range e.fac.Mechanical {
		reach(m.Fed, float64(m.W))
	}
	lossMargin := 1.1 // losses below and fans beyond the design day
	if e.fac.Phased() {
		lossMargin *= 3 // all of it may hang on one line
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		tau, holds := float64(breakerTauS), breakerHolds
		switch n.Kind {
		case power.UPS:
			tau, holds = upsTauS, upsHolds
		case power.RackFeed, power.Distribution:
		default:
			continue
		}
		if rated := n.RatingVA * n.PF * float64(max(n.Units-1, 1)); most[i]*lossMargin > rated*holds {
			e.breakers = append(e.breakers, breaker{node: i, line: noLine, tauS: tau, trip: holds * holds, image: thermal.Still(0)})
		}
	}
	e.initLines()
}

// watchBreakers follows the load of every breaker that is watched and schedules its trip.
func (e *engine) watchBreakers() {
	e.followLines()
	for i := range e.breakers {
		b := &e.breakers[i]
		n := &e.graph.Nodes[b.node]
		share := 0.0
		if up := e.b.flow.Up[b.node]; up > 0 {
			carries, line := e.worstLine(b.node)
			b.line = line
			share = carries / (n.RatingVA * n.PF * float64(up))
		}
		if math.Abs(share-b.share) < 1e-4 && b.evOn == (share*share > b.trip) {
			continue
		}
		now := b.image.At(e.now)
		if e.now == 0 {
			now = share * share
		}
		b.share = share
		b.image = thermal.Relax(e.now, now, share*share, b.tauS)
		if b.evOn {
			e.queue.Remove(b.ev)
			b.evOn = false
		}
		if share*share <= b.trip {
			continue
		}
		if at, ok := b.image.Reach(b.trip, true, e.now, e.cfg.LengthNS); ok {
			b.ev, b.evOn = e.push(max(at, e.now+1), evTrip, int32(i))
			e.note("overload", n.ID, fmt.Sprintf("%.0f %% of its rating%s, trips in %.0f s", 100*share, lineName(b.line), float64(at-e.now)/thermal.Second))
		}
	}
}

// tripEvent opens a breaker; it stays open for the rest of the run, as nobody closes it on an overload.
func (e *engine) tripEvent(i int32) {
	b := &e.breakers[i]
	b.evOn = false
	e.tripped[b.node] = true
	e.trips++
	e.note("tripped", e.graph.Nodes[b.node].ID, fmt.Sprintf("at %.0f %% of its rating%s", 100*b.share, lineName(b.line)))
	e.rewire(b.node)
}
