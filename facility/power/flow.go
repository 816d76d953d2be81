package power

import (
	"math"
	"slices"
)

// Consumer is one electrical load: a server, a rack, an air handler. Its load is shared equally by the
// nodes in Fed that are live.
type Consumer struct {
	Name string
	Fed  []int
	IT   bool
	PF   float64 // power factor, for reports; 0 where it is not known
}

// Flow holds what every node carries for one graph and one set of consumers: loads in W at the
// consumers go up through every loss to the sources. It is not safe for concurrent use.
//
// Loads are held in steps of 2⁻²⁸ W (4 nW) as integers, so that the state depends only on the present
// loads and never on the order or number of changes that led to it, and A + B is the load exactly.
type Flow struct {
	// By node, read only.
	Up        []int  // units that are up
	Live      []bool // has a unit up and a live source
	OnBattery []bool // carries its load from its own battery

	// Refused counts calls of Set with a load that is negative, not a number or beyond 1 GW; they
	// change nothing.
	Refused int

	// Changed lists the nodes that the last SetUp, SetBattery or Solve touched, ascending. It is
	// overwritten by the next.
	Changed []int

	g         *Graph
	consumers []consumer
	state     []nodeState
	sources   []int32 // live sources of every node, nodeState.first onwards
	standby   []bool  // fed by generators alone: no-load loss only while it is called on
	waiting   nodeSet // nodes with a change that is not yet applied
	lossByK   [RackFeed + 1]int64
	itByK     [RackFeed + 1]int64 // at outputs of the lowest nodes of a kind
	mixed     [RackFeed + 1]bool  // some node of the kind feeds IT both directly and through its own kind
	itTotal   int64
	drawn     int64 // at sources and batteries

	standbyLoss  bool    // a standby chain has no-load losses
	fed, live    []int32 // feeds of every consumer, consumer.first onwards; those that are live
	at           []int32 // consumers by feed, atFirst[n] to atFirst[n+1]
	atFirst      []int32
	moved        []int32 // scratch of reroute
	down, up     minHeap
	inDown, inUp []bool
}

type consumer struct {
	load  int64
	first int32 // in Flow.fed and Flow.live
	fed   int32
	lives int32 // feeds that are live
	it    bool
}

// nodeState is one node in fixed point; loss = a + b·out + c·out². What a pass-through needs stands first: most nodes of
// a large hall are breakers of racks, and each is a miss of the cache.
type nodeState struct {
	out, in   int64
	it, itIn  int64
	source    int32 // the one that it draws from, where there is one
	sources   int32 // live sources that share what it draws
	first     int32 // in Flow.sources
	kind      Kind
	isSource  bool  // draws from outside: utility, generator, or on battery
	lowest    bool  // no node of its kind below
	pass      bool  // loses nothing and has one source: what it draws is what it carries
	dOut, dIT int64 // change not yet applied
	loss      int64
	a, b, c   float64
}

const (
	stepsPerW = 1 << 28
	maxLoadW  = 1e9 // of one consumer
)

func toSteps(w float64) int64 { return int64(math.RoundToEven(w * stepsPerW)) }
func toW(steps int64) float64 { return float64(steps) * (1.0 / stepsPerW) }

// share returns the part that the j-th of k takes; the remainder goes one step each to the first.
func share(total int64, k, j int32) int64 {
	switch k {
	case 1:
		return total
	case 2:
		return (total + 1 - int64(j)) >> 1
	}
	q := total / int64(k)
	if int64(j) < total-q*int64(k) {
		q++
	}
	return q
}

// NewFlow returns the flow with every unit up and every load 0, solved. Indices in Fed that are not
// nodes of the graph are ignored; a consumer left without feeds is never served.
func (g *Graph) NewFlow(consumers []Consumer) *Flow {
	n := len(g.Nodes)
	f := &Flow{
		Up: make([]int, n), Live: make([]bool, n), OnBattery: make([]bool, n),
		g:         g,
		consumers: make([]consumer, len(consumers)),
		state:     make([]nodeState, n),
		standby:   make([]bool, n),
	}
	edges := 0
	for i := range g.Nodes {
		f.Up[i] = g.Nodes[i].Units
		f.state[i].first = int32(edges)
		f.state[i].kind = g.Nodes[i].Kind
		edges += len(g.parents[i])
		f.standby[i] = g.Nodes[i].Kind == Generator
		if len(g.parents[i]) > 0 {
			f.standby[i] = true
			for _, p := range g.parents[i] {
				f.standby[i] = f.standby[i] && f.standby[p]
			}
		}
	}
	f.sources = make([]int32, edges)
	f.waiting = newNodeSet(n)
	f.inDown, f.inUp = make([]bool, n), make([]bool, n)
	for i := range f.standby {
		f.standbyLoss = f.standbyLoss || (f.standby[i] && g.Nodes[i].Loss.A > 0)
	}
	f.addConsumers(consumers)
	f.findMeters()
	f.Solve()
	return f
}

// Sources returns the nodes that share what a node draws now. The slice must not be changed.
func (f *Flow) Sources(n int) []int32 {
	s := &f.state[n]
	return f.sources[s.first : s.first+s.sources]
}

// addConsumers copies the consumers and lists those of each feed.
func (f *Flow) addConsumers(consumers []Consumer) {
	for i, c := range consumers {
		to := &f.consumers[i]
		to.it, to.first = c.IT, int32(len(f.fed))
		for _, n := range c.Fed {
			if n >= 0 && n < len(f.state) {
				f.fed = append(f.fed, int32(n))
				to.fed++
			}
		}
	}
	f.live = make([]int32, len(f.fed))
	f.atFirst = make([]int32, len(f.state)+1)
	for i := range f.consumers {
		for _, n := range f.feeds(&f.consumers[i]) {
			f.atFirst[n+1]++
		}
	}
	for n := range f.state {
		f.atFirst[n+1] += f.atFirst[n]
	}
	f.at = make([]int32, f.atFirst[len(f.state)])
	next := slices.Clone(f.atFirst)
	for i := range f.consumers {
		for _, n := range f.feeds(&f.consumers[i]) {
			f.at[next[n]] = int32(i)
			next[n]++
		}
	}
}

// Set changes the load of one consumer. Only the nodes on its way up are touched, with their losses
// taken at the new load; nothing is allocated.
func (f *Flow) Set(consumer int, w float64) {
	f.SetLater(consumer, w)
	f.Apply()
}

// refresh brings a node up to date with its pending change and passes what it draws on to its sources.
func (f *Flow) refresh(n int32) {
	s := &f.state[n]
	s.out += s.dOut
	s.it += s.dIT
	if s.lowest {
		f.itByK[s.kind] += s.dIT
	}
	s.dOut, s.dIT = 0, 0
	out := float64(s.out)
	loss := int64(s.a + out*(s.b+out*s.c) + 0.5)
	oldIn, oldITIn := s.in, s.itIn
	f.lossByK[s.kind] += loss - s.loss
	s.loss, s.in = loss, s.out+loss
	switch {
	case loss == 0:
		s.itIn = s.it // exactly, so that a pass-through needs no look
	case s.out <= 0:
		s.itIn = 0
	case s.it == s.out:
		s.itIn = s.in
	default:
		s.itIn = int64(float64(s.in)*(float64(s.it)/out) + 0.5)
	}
	if s.isSource {
		f.drawn += s.in - oldIn
	}
	if s.sources == 1 {
		p := &f.state[s.source]
		p.dOut += s.in - oldIn
		p.dIT += s.itIn - oldITIn
	} else {
		for j, k := int32(0), s.sources; j < k; j++ {
			p := &f.state[f.sources[s.first+j]]
			p.dOut += share(s.in, k, j) - share(oldIn, k, j)
			p.dIT += share(s.itIn, k, j) - share(oldITIn, k, j)
		}
	}
}

// OutW is what a node carries; InW = OutW + LossW. A node that is not live carries nothing.
func (f *Flow) OutW(node int) float64 { return toW(f.state[node].out) }

// InW is what a node draws from its sources.
func (f *Flow) InW(node int) float64 { return toW(f.state[node].in) }

// LossW is what is lost in a node.
func (f *Flow) LossW(node int) float64 { return toW(f.state[node].loss) }

// ITOutW is the part of OutW that goes on to IT consumers, with its share of the losses below.
func (f *Flow) ITOutW(node int) float64 { return toW(f.state[node].it) }

// feeds are the nodes that a consumer hangs on.
func (f *Flow) feeds(c *consumer) []int32 { return f.fed[c.first : c.first+c.fed] }

// liveFeeds are those of them that are live.
func (f *Flow) liveFeeds(c *consumer) []int32 { return f.live[c.first : c.first+c.lives] }
