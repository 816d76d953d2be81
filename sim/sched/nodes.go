package sched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Milli is one whole GPU in thousandths.
const Milli = 1000

// Demand is what a job asks for. It is comparable: jobs that ask for the same are scored once.
type Demand struct {
	GPUs int32
	// Milli is the share of one GPU in thousandths; it means something when GPUs is 1, and 0 is a whole GPU.
	Milli int32
	// CPUMilli and MemMiB are of the whole job; a job on several servers takes them in proportion to its GPUs.
	CPUMilli, MemMiB int64
	// Types has a bit for each type of server that will do; 0: any.
	Types uint64
	// Slice is the part of a GPU that is cut out for the job, none where Memory is 0. Milli then says the memory that it takes.
	Slice Slice
}

// Slice is a part of a GPU with so many of its 7 parts of compute and of its 8 of memory; Starts has a bit for each part of
// memory at which it may begin. A GPU that has slices takes no other jobs.
type Slice struct{ Compute, Memory, Starts uint8 }

// SliceMilli is one part of memory in thousandths of a GPU.
const SliceMilli = Milli / 8

// perGPU is what is taken of each GPU.
func (d *Demand) perGPU() int32 {
	if d.GPUs == 1 && d.Milli > 0 {
		return d.Milli
	}
	return Milli
}

// MilliGPUs is the demand in thousandths of a GPU.
func (d *Demand) MilliGPUs() int64 { return int64(d.GPUs) * int64(d.perGPU()) }

// shared says whether the job takes less than a whole GPU.
func (d *Demand) shared() bool { return d.GPUs == 1 && d.Milli > 0 && d.Milli < Milli }

// Node is one server as placement policies see it.
type Node struct {
	Type             int   // kind of GPU, 0 … 63
	Rack             int32 // racks are numbered in placement order
	Leaf             int32 // group of servers that meet at one leaf switch, or at one set of rails
	CPUMilli, MemMiB int64 // free
	Free             []int32
	FreeMilli        int64   // sum of Free
	Slots            []uint8 // by GPU, the parts of memory that slices have, a bit each
	Kinds            []int32 // jobs by kind: 0 of less than a GPU, n of n GPUs here
	down             bool
	whole            int32 // GPUs that are wholly free
	state            int32 // equal for servers that no pure policy can tell apart
}

// WholeFree is the number of GPUs on which nothing runs.
func (n *Node) WholeFree() int32 { return n.whole }

// GPUs is the number of GPUs installed.
func (n *Node) GPUs() int32 { return int32(len(n.Free)) }

// fits says whether the part of a demand that goes to one server fits, types and all.
func (n *Node) fits(d *Demand) bool {
	switch {
	case n.down || n.CPUMilli < d.CPUMilli || n.MemMiB < d.MemMiB:
		return false
	case d.GPUs == 0:
		return true
	case d.Types != 0 && d.Types&(1<<n.Type) == 0:
		return false
	case !d.shared():
		return n.whole >= d.GPUs
	}
	for g := range n.Free {
		if n.takes(g, d) {
			return true
		}
	}
	return false
}

// takes says whether a GPU has room for a part of one.
func (n *Node) takes(g int, d *Demand) bool {
	if d.Slice.Memory == 0 {
		return n.Free[g] >= d.Milli && n.Slots[g] == 0
	}
	return (n.Slots[g] != 0 || n.Free[g] == Milli) && sliceIn(n.Slots[g], d.Slice) != 0
}

// sliceIn is the parts of memory that a slice gets beside those in use: of the places where it may begin the one that leaves
// most room for larger ones, the last of equals (the last part of memory has no compute of its own); 0 when there is none.
func sliceIn(used uint8, s Slice) uint8 {
	best, least := uint8(0), math.MaxInt
	for at := range 8 {
		mask := uint8((1<<s.Memory - 1) << at)
		if s.Starts&(1<<at) == 0 || int(s.Memory)+at > 8 || used&mask != 0 {
			continue
		}
		spoiled := 0
		for size := 8; size > 1; size /= 2 {
			for block := 0; block < 8; block += size {
				if b := uint8((1<<size - 1) << block); used&b == 0 && mask&b != 0 {
					spoiled += size
				}
			}
		}
		if spoiled <= least {
			best, least = mask, spoiled
		}
	}
	return best
}

// Site tells a policy what it can't know from the account of GPUs. Servers are numbered as in the account.
type Site interface {
	InletC(server int32) float64    // air or coolant that the server gets, °C
	HeadroomW(server int32) float64 // power its rack may still draw, W
}

// Scene is what a policy may look at besides the server and the demand.
type Scene struct {
	Site     Site     // nil outside a building
	Typical  *Typical // the work to expect, for policies that look ahead
	Chosen   []Share  // servers this job has so far
	Left     int32    // GPUs that it still lacks
	RackFree []int64  // wholly free GPUs by rack
	LeafFree []int64  // and by leaf of the network
	nodes    []Node
	rackOf   []int64 // by rack, the last job that took a server there
	leafOf   []int64
	job      int64 // the job being placed
	rand     *rand.Rand
}

// InRack says whether the job has servers of this rack so far.
func (s *Scene) InRack(rack int32) bool { return s.rackOf[rack] == s.job }

// InLeaf says whether the job has servers at this leaf so far.
func (s *Scene) InLeaf(leaf int32) bool { return s.leafOf[leaf] == s.job }

// freed counts wholly free GPUs of a server by rack and by leaf.
func (s *Scene) freed(n *Node, by int64) {
	s.RackFree[n.Rack] += by
	s.LeafFree[n.Leaf] += by
}

// Servers is the number of servers.
func (s *Scene) Servers() int { return len(s.nodes) }

// NodeSpec is a server when nothing runs on it.
type NodeSpec struct {
	GPUs             int32
	Type             int
	Rack, Leaf       int32
	CPUMilli, MemMiB int64
}

// Nodes is the account of servers for every policy of placement, with shares of GPUs, types of GPU, CPUs and memory.
// [Cluster] does the same for whole GPUs of one type by best fit, in constant time.
type Nodes struct {
	spec   []NodeSpec
	nodes  []Node
	policy *Placement
	scene  Scene
	free   int64 // milli, on servers that are up
	up     int64 // GPUs
	total  int64
	order  []sizeType // of servers for jobs that span several, the largest first
	ever   map[Demand]bool
	memo   *memo
	slices bool // GPUs may be cut into slices
}

// AllowSlices has GPUs cut into slices for jobs that ask for one; call it before anything is placed.
func (c *Nodes) AllowSlices() { c.slices = true }

// memo remembers what a pure policy said. Accounts made by Clone share it.
type memo struct {
	states  map[stateKey]int32
	demands map[Demand]int32
	scores  [][]score // by demand and state
	known   int       // scores there is room for
}

func newMemo() *memo { return &memo{states: map[stateKey]int32{}, demands: map[Demand]int32{}} }

type sizeType struct {
	gpus int32
	typ  int
}

type score struct {
	cost  float32
	gpu   int16
	known bool
	no    bool // doesn't fit
}

// stateKey is everything of a server that a pure policy can see.
type stateKey struct {
	typ       int
	cpu, mem  int64
	kinds     uint64
	down      bool
	gpus      int
	freePacks [6]uint64 // six GPUs a word, 10 bits each
	slots     [5]uint64 // eight GPUs a word
}

const packedGPUs = 36

// maxGPUs is the most GPUs of one server: those that a Share has bits for.
const maxGPUs = 128

// NewNodes makes the account of empty servers that are up. Of servers of equal cost the one of lowest number is taken.
// draw is for policies that draw; they take the first that will do where it is nil.
func NewNodes(spec []NodeSpec, p *Placement, draw *rand.Rand) *Nodes {
	c := &Nodes{
		spec: slices.Clone(spec), nodes: make([]Node, len(spec)), policy: p, ever: map[Demand]bool{}, memo: newMemo(),
	}
	c.scene.rand = draw
	racks, leaves, gpus := int32(0), int32(0), 0
	for i := range spec {
		racks, leaves, gpus = max(racks, spec[i].Rack+1), max(leaves, spec[i].Leaf+1), gpus+int(spec[i].GPUs)
	}
	c.scene.RackFree, c.scene.rackOf = make([]int64, racks), make([]int64, racks)
	c.scene.LeafFree, c.scene.leafOf = make([]int64, leaves), make([]int64, leaves)
	all := make([]int32, gpus)
	for i := range spec {
		s := &spec[i]
		if s.GPUs < 0 || s.GPUs > maxGPUs || s.Type < 0 || s.Type > 63 {
			panic(fmt.Sprintf("sched: a server with %d GPUs of type %d", s.GPUs, s.Type))
		}
		n := &c.nodes[i]
		*n = Node{Type: s.Type, Rack: s.Rack, Leaf: s.Leaf, CPUMilli: s.CPUMilli, MemMiB: s.MemMiB, Free: all[:s.GPUs:s.GPUs], whole: s.GPUs, Slots: make([]uint8, s.GPUs), Kinds: make([]int32, s.GPUs+1)}
		all = all[s.GPUs:]
		for g := range n.Free {
			n.Free[g] = Milli
		}
		n.FreeMilli = Milli * int64(s.GPUs)
		c.total += int64(s.GPUs)
		c.scene.freed(n, int64(s.GPUs))
		if st := (sizeType{s.GPUs, s.Type}); !slices.Contains(c.order, st) {
			c.order = append(c.order, st)
		}
		n.state = unknownState
	}
	slices.SortFunc(c.order, func(a, b sizeType) int {
		if a.gpus != b.gpus {
			return int(b.gpus - a.gpus)
		}
		return a.typ - b.typ
	})
	c.up, c.free = c.total, c.total*Milli
	c.scene.nodes = c.nodes
	return c
}

// Look gives policies what they may look at: the building, and the work to expect.
func (c *Nodes) Look(site Site, typical *Typical) { c.scene.Site, c.scene.Typical = site, typical }

// Total is the number of GPUs installed.
func (c *Nodes) Total() int64 { return c.total }

// Up is the number of GPUs on servers that are up.
func (c *Nodes) Up() int64 { return c.up }

// FreeMilli is what is free on servers that are up, in thousandths of a GPU.
func (c *Nodes) FreeMilli() int64 { return c.free }

// Node is a server, to look at.
func (c *Nodes) Node(i int) *Node { return &c.nodes[i] }

// restate gives a server the number of its state.
func (c *Nodes) restate(i int) {
	if c.policy.Live {
		return
	}
	n := &c.nodes[i]
	k := stateKey{typ: n.Type, cpu: n.CPUMilli, mem: n.MemMiB, down: n.down, gpus: len(n.Free)}
	for kind, jobs := range n.Kinds {
		if jobs > 0 {
			k.kinds |= 1 << min(kind, 63)
		}
	}
	if len(n.Free) > packedGPUs {
		n.state = ownState
		return
	}
	for g, f := range n.Free {
		if g < packedGPUs {
			k.freePacks[g/6] |= uint64(f) << (10 * (g % 6))
			k.slots[g/8] |= uint64(n.Slots[g]) << (8 * (g % 8))
		}
	}
	id, ok := c.memo.states[k]
	if !ok {
		if len(c.memo.states) >= maxStates {
			c.forget()
			c.restate(i)
			return
		}
		id = int32(len(c.memo.states))
		c.memo.states[k] = id
	}
	n.state = id
}

// forget drops what was remembered, so that memory stays bounded.
func (c *Nodes) forget() {
	c.memo = newMemo()
	for j := range c.nodes {
		c.nodes[j].state = unknownState
	}
}

// States of servers that have no number.
const (
	ownState     = -1 // too many GPUs to tell: its score isn't remembered
	unknownState = -2 // changed since it was numbered
)

// maxStates and maxScores bound what is remembered: states of servers, and scores of demands in them (48 MB).
const (
	maxStates = 1 << 16
	maxScores = 1 << 22
)

// costOf is the cost of a server for a demand that fits one server, and the GPU a share goes to.
func (c *Nodes) costOf(i int, d *Demand, remembered []score) (cost float32, gpu int, ok bool) {
	n := &c.nodes[i]
	if n.state == ownState || c.policy.Live {
		remembered = nil
	}
	if remembered != nil {
		if s := &remembered[n.state]; s.known {
			return s.cost, int(s.gpu), !s.no
		}
	}
	if ok = n.fits(d); ok {
		var x float64
		x, gpu = c.policy.Cost(&c.scene, n, d, int32(i))
		cost = float32(x)
		if d.shared() && !n.takes(gpu, d) {
			gpu = n.tightest(d) // the policy left it open
		}
	}
	if remembered != nil {
		remembered[n.state] = score{cost, int16(gpu), true, !ok}
	}
	return cost, gpu, ok
}

// memory is where scores of a demand are remembered, nil for a policy that looks at the building.
func (c *Nodes) memory(d *Demand) []score {
	if c.policy.Live {
		return nil
	}
	m := c.memo
	id, ok := m.demands[*d]
	if !ok {
		id = int32(len(m.demands))
		m.demands[*d] = id
		m.scores = append(m.scores, nil)
	}
	s := m.scores[id]
	if missing := len(m.states) - len(s); missing > 0 {
		if m.known += missing; m.known > maxScores {
			c.forget()
			return c.memory(d)
		}
		s = append(s, make([]score, missing)...)
		m.scores[id] = s
	}
	return s
}

// best is the server of least cost for a demand that one server can hold, among those that ok admits; −1 when there is
// none.
func (c *Nodes) best(d *Demand, admit func(n *Node) bool) (server, gpu int) {
	server = -1
	var least float32
	mem := c.memory(d)
	need := d.MilliGPUs()
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.FreeMilli < need || n.down || admit != nil && !admit(n) {
			continue
		}
		for !c.policy.Live && n.state == unknownState {
			was := c.memo
			if c.restate(i); c.memo != was || int(n.state) >= len(mem) {
				mem = c.memory(d)
			}
		}
		cost, g, ok := c.costOf(i, d, mem)
		if ok && (server < 0 || cost < least) {
			server, gpu, least = i, g, cost
		}
	}
	return server, gpu
}

// Place gives a job what it asks for: shares are appended to dst, or nothing changes and it returns false. A job that
// one server could hold gets one; a bigger one takes servers that are wholly free, all of one type if there are enough,
// and a part of one more for the rest.
func (c *Nodes) Place(d *Demand, dst []Share) ([]Share, bool) {
	if d.GPUs < 0 || d.MilliGPUs() > c.free || d.Slice.Memory > 0 && !c.slices {
		return dst, false
	}
	from := len(dst)
	c.scene.job++
	defer func() { c.scene.Chosen = nil }()
	widest := c.widest(d)
	c.scene.Left = d.GPUs
	if d.GPUs <= widest || d.GPUs == 0 {
		i, gpu := c.best(d, nil)
		if i < 0 {
			return dst, false
		}
		return append(dst, c.take(i, gpu, d)), true
	}
	if widest == 0 {
		return dst, false
	}
	for k := range c.order {
		only := &c.order[k]
		if only.gpus == 0 || d.Types != 0 && d.Types&(1<<only.typ) == 0 {
			continue
		}
		if dst, ok := c.span(d, dst, from, only); ok {
			return dst, true
		}
	}
	if len(c.order) > 1 {
		return c.span(d, dst, from, nil)
	}
	return dst, false
}

// widest is the number of GPUs of the largest server, up or not, whose type will do.
func (c *Nodes) widest(d *Demand) int32 {
	for _, st := range c.order {
		if d.Types == 0 || d.Types&(1<<st.typ) != 0 {
			return st.gpus
		}
	}
	return 0
}

// span places a job on several servers: wholly free ones, of one size and type if only says so, and a part of one more.
func (c *Nodes) span(d *Demand, dst []Share, from int, only *sizeType) ([]Share, bool) {
	c.scene.job++ // another try chooses anew
	left := d.GPUs
	part := func(gpus int32) Demand {
		return Demand{GPUs: gpus, CPUMilli: portion(d.CPUMilli, gpus, d.GPUs), MemMiB: portion(d.MemMiB, gpus, d.GPUs), Types: d.Types}
	}
	for k := range c.order {
		st := c.order[k]
		if only != nil && *only != st || st.gpus == 0 {
			continue
		}
		for left >= st.gpus {
			p := part(st.gpus)
			c.scene.Chosen, c.scene.Left = dst[from:], left
			i, gpu := c.best(&p, func(n *Node) bool { return n.Type == st.typ && n.GPUs() == st.gpus && n.whole == st.gpus })
			if i < 0 {
				break
			}
			dst = append(dst, c.take(i, gpu, &p))
			c.scene.rackOf[c.nodes[i].Rack], c.scene.leafOf[c.nodes[i].Leaf] = c.scene.job, c.scene.job
			left -= st.gpus
		}
	}
	if left == 0 {
		return dst, true
	}
	if only == nil || left < only.gpus {
		p := part(left)
		c.scene.Chosen, c.scene.Left = dst[from:], left
		if i, gpu := c.best(&p, nil); i >= 0 {
			return append(dst, c.take(i, gpu, &p)), true
		}
	}
	c.Release(d, dst[from:])
	return dst[:from], false
}

// portion is the share of gpus of all in x, rounded up.
func portion(x int64, gpus, all int32) int64 {
	if x == 0 || gpus == all {
		return x
	}
	return (x*int64(gpus) + int64(all) - 1) / int64(all)
}

// take books a part on a server.
func (c *Nodes) take(i, gpu int, d *Demand) Share {
	n := &c.nodes[i]
	sh := Share{Server: int32(i), GPUs: d.GPUs}
	switch {
	case d.GPUs == 0:
	case d.shared():
		sh.Milli, sh.Slot = d.Milli, int32(gpu)
		if d.Slice.Memory > 0 {
			sh.Part = sliceIn(n.Slots[gpu], d.Slice)
		}
	default:
		left := d.GPUs
		for g, f := range n.Free {
			if left > 0 && f == Milli {
				sh.Mask[g/64] |= 1 << (g % 64)
				left--
			}
		}
	}
	c.book(&sh, portion(d.CPUMilli, d.GPUs, d.GPUs), d.MemMiB, -1)
	return sh
}

// book takes a share (sign −1) or gives it back (+1).
func (c *Nodes) book(sh *Share, cpu, mem int64, sign int32) {
	n := &c.nodes[sh.Server]
	n.CPUMilli += int64(sign) * cpu
	n.MemMiB += int64(sign) * mem
	wasWhole, wasFree := n.whole, n.FreeMilli
	move := func(g int, by int32) {
		was := n.Free[g]
		n.Free[g] += sign * by
		if n.Free[g] < 0 || n.Free[g] > Milli {
			panic(fmt.Sprintf("sched: GPU %d of server %d would have %d thousandths free", g, sh.Server, n.Free[g]))
		}
		if was == Milli {
			n.whole--
		}
		if n.Free[g] == Milli {
			n.whole++
		}
		n.FreeMilli += int64(sign * by)
	}
	switch {
	case sh.GPUs == 0:
	case sh.Milli > 0:
		move(int(sh.Slot), sh.Milli)
		n.Slots[sh.Slot] ^= sh.Part
		n.Kinds[0] -= sign
	default:
		for g := range n.Free {
			if sh.Mask[g/64]&(1<<(g%64)) != 0 {
				move(g, Milli)
			}
		}
		n.Kinds[sh.GPUs] -= sign
	}
	if !n.down {
		c.free += n.FreeMilli - wasFree
		c.scene.freed(n, int64(n.whole-wasWhole))
	}
	n.state = unknownState
}

// Release gives the shares of a job back. Those of a server that is down become placeable when it is up again.
func (c *Nodes) Release(d *Demand, shares []Share) {
	for i := range shares {
		sh := &shares[i]
		c.book(sh, portion(d.CPUMilli, sh.GPUs, d.GPUs), portion(d.MemMiB, sh.GPUs, d.GPUs), +1)
	}
}

// SetUp says whether a server is up. The shares that run on one that goes down are the caller's to release.
func (c *Nodes) SetUp(i int, up bool) {
	n := &c.nodes[i]
	if n.down == !up {
		return
	}
	n.down = !up
	sign := int64(1)
	if !up {
		sign = -1
	}
	c.up += sign * int64(len(n.Free))
	c.free += sign * n.FreeMilli
	c.scene.freed(n, sign*int64(n.whole))
	n.state = unknownState
}

// CanEver says whether a job would be placed if every server were up and empty.
func (c *Nodes) CanEver(d *Demand) bool {
	if ok, known := c.ever[*d]; known {
		return ok
	}
	ok := false
	if d.GPUs > 0 {
		empty := NewNodes(c.spec, &Placement{Cost: firstFit, Live: true}, nil)
		empty.slices = c.slices
		_, ok = empty.Place(d, nil)
	}
	c.ever[*d] = ok
	return ok
}

// firstFit costs every server the same.
func firstFit(_ *Scene, n *Node, d *Demand, _ int32) (float64, int) { return 0, n.tightest(d) }

// tightest is the GPU with the least that is enough for a share, the lowest of equals.
func (n *Node) tightest(d *Demand) int {
	best := 0
	if !d.shared() {
		return best
	}
	least := int32(Milli + 1)
	for g, f := range n.Free {
		if f < least && n.takes(g, d) {
			best, least = g, f
		}
	}
	return best
}
