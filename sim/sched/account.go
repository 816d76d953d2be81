package sched

import "math/bits"

// Account says what is free and books it: [NewAccount] makes one.
type Account interface {
	Place(d *Demand, dst []Share) ([]Share, bool) // gives a job what it asks for, all or nothing
	Release(d *Demand, shares []Share)            // gives it back
	Book(d *Demand, shares []Share)               // takes these very shares, which must be free
	SetUp(server int, up bool)
	IsUp(server int) bool
	CanEver(d *Demand) bool                 // whether an empty cluster with all servers up could place it
	Up() int64                              // GPUs on servers that are up
	Total() int64                           // GPUs installed
	Clone() Account                         // one of its own, for looking ahead
	Meet(other Account)                     // keeps free only what is free in both; other is a clone of it, or it of other
	FreeMilli() int64                       // what is free on servers that are up, in thousandths of a GPU
	Servers() int                           // installed
	HasFree(d *Demand, shares []Share) bool // whether these very shares are free, on servers that are up

	// For planning what is used of a server is a row of Width numbers. Use writes what a share takes into a row of zeros;
	// SetUse has what a row says be used of a server and the rest be free, whoever runs there.
	Width(server int) int
	Use(d *Demand, sh *Share, row []int64)
	SetUse(server int, row []int64)
}

// wholeGPUs is an account of whole GPUs of one type by best fit, in constant time.
type wholeGPUs struct{ *Cluster }

// NewWholeGPUs makes an account that ignores shares of GPUs, types, CPUs and memory, and places by best fit.
func NewWholeGPUs(gpus []int32) Account { return wholeGPUs{NewCluster(gpus)} }

func (c wholeGPUs) Place(d *Demand, dst []Share) ([]Share, bool) { return c.Cluster.Place(d.GPUs, dst) }
func (c wholeGPUs) Release(_ *Demand, shares []Share)            { c.Cluster.Release(shares) }
func (c wholeGPUs) CanEver(d *Demand) bool                       { return c.Cluster.CanEver(d.GPUs) }

func (c wholeGPUs) FreeMilli() int64 { return c.free * Milli }
func (c wholeGPUs) Clone() Account   { return wholeGPUs{c.Cluster.clone()} }

func (c wholeGPUs) Book(_ *Demand, shares []Share) {
	for _, sh := range shares {
		c.setFree(int(sh.Server), c.server[sh.Server].free-sh.GPUs)
	}
}

// Servers is the number of servers.
func (c *Cluster) Servers() int { return len(c.server) }

func (c wholeGPUs) HasFree(_ *Demand, shares []Share) bool {
	for i := range shares {
		if s := &c.server[shares[i].Server]; s.down || s.free < shares[i].GPUs {
			return false
		}
	}
	return true
}

func (c wholeGPUs) Width(int) int                         { return 1 }
func (c wholeGPUs) Use(_ *Demand, sh *Share, row []int64) { row[0] = int64(sh.GPUs) }
func (c wholeGPUs) SetUse(i int, row []int64)             { c.setFree(i, c.server[i].gpus-int32(row[0])) }

func (c wholeGPUs) Meet(other Account) {
	o := other.(wholeGPUs)
	for i := range c.server {
		if f := o.server[i].free; f < c.server[i].free {
			c.setFree(i, f)
		}
	}
}

// clone is an account of its own in the same state.
func (c *Cluster) clone() *Cluster {
	out := *c
	out.server = append([]server(nil), c.server...)
	out.size = append([]size(nil), c.size...)
	for k := range out.size {
		s := &out.size[k]
		s.byFree = append([]set(nil), s.byFree...)
		for f := range s.byFree {
			b := &s.byFree[f]
			b.word, b.summary = append([]uint64(nil), b.word...), append([]uint64(nil), b.summary...)
		}
	}
	return &out
}

// Clone is an account of its own in the same state, for looking ahead; it draws nothing.
func (c *Nodes) Clone() Account {
	out := *c
	out.nodes = append([]Node(nil), c.nodes...)
	gpus, kinds := 0, 0
	for i := range c.nodes {
		gpus, kinds = gpus+len(c.nodes[i].Free), kinds+len(c.nodes[i].Kinds)
	}
	free, jobs, slots := make([]int32, 0, gpus), make([]int32, 0, kinds), make([]uint8, 0, gpus)
	for i := range out.nodes {
		n := &out.nodes[i]
		f, k := len(free), len(jobs)
		free, jobs = append(free, n.Free...), append(jobs, n.Kinds...)
		slots = append(slots, n.Slots...)
		n.Slots = slots[f:len(slots):len(slots)]
		n.Free, n.Kinds = free[f:len(free):len(free)], jobs[k:len(jobs):len(jobs)]
	}
	out.scene.RackFree = append([]int64(nil), c.scene.RackFree...)
	out.scene.rackOf = append([]int64(nil), c.scene.rackOf...)
	out.scene.LeafFree = append([]int64(nil), c.scene.LeafFree...)
	out.scene.leafOf = append([]int64(nil), c.scene.leafOf...)
	out.scene.nodes, out.scene.rand = out.nodes, nil
	return &out
}

// IsUp says whether a server is up.
func (c *Nodes) IsUp(i int) bool { return !c.nodes[i].down }

// Book takes these very shares.
func (c *Nodes) Book(d *Demand, shares []Share) {
	for i := range shares {
		sh := &shares[i]
		c.book(sh, portion(d.CPUMilli, sh.GPUs, d.GPUs), portion(d.MemMiB, sh.GPUs, d.GPUs), -1)
	}
}

// Meet keeps free only what is free in both.
func (c *Nodes) Meet(other Account) {
	o := other.(*Nodes)
	for i := range c.nodes {
		n, m := &c.nodes[i], &o.nodes[i]
		if n.FreeMilli == 0 {
			continue // no GPU is free here
		}
		n.CPUMilli, n.MemMiB = min(n.CPUMilli, m.CPUMilli), min(n.MemMiB, m.MemMiB)
		was, whole := n.FreeMilli, n.whole
		n.FreeMilli, n.whole = 0, 0
		n.state = unknownState
		for g := range n.Free {
			switch free := min(n.Free[g], m.Free[g]); {
			case n.Slots[g] == 0 && m.Slots[g] == 0:
				n.Free[g] = free
			case n.Slots[g] == 0 && n.Free[g] < Milli || m.Slots[g] == 0 && m.Free[g] < Milli: // cut in one, shared in the other
				n.Free[g], n.Slots[g] = 0, 0xff
			default:
				n.Slots[g] |= m.Slots[g]
				n.Free[g] = Milli - SliceMilli*int32(bits.OnesCount8(n.Slots[g]))
			}
			n.FreeMilli += int64(n.Free[g])
			if n.Free[g] == Milli {
				n.whole++
			}
		}
		if !n.down {
			c.free += n.FreeMilli - was
			c.scene.freed(n, int64(n.whole-whole))
		}
	}
}

// Servers is the number of servers.
func (c *Nodes) Servers() int { return len(c.nodes) }

// HasFree says whether these very shares are free, on servers that are up.
func (c *Nodes) HasFree(d *Demand, shares []Share) bool {
	for i := range shares {
		sh := &shares[i]
		n := &c.nodes[sh.Server]
		if n.down || n.CPUMilli < portion(d.CPUMilli, sh.GPUs, d.GPUs) || n.MemMiB < portion(d.MemMiB, sh.GPUs, d.GPUs) {
			return false
		}
		switch {
		case sh.Milli == 0:
		case sh.Part == 0 && (n.Free[sh.Slot] < sh.Milli || n.Slots[sh.Slot] != 0):
			return false
		case sh.Part != 0 && (n.Slots[sh.Slot]&sh.Part != 0 || n.Slots[sh.Slot] == 0 && n.Free[sh.Slot] < Milli):
			return false
		}
		for g := range n.Free {
			if sh.Mask[g/64]&(1<<(g%64)) != 0 && n.Free[g] < Milli {
				return false
			}
		}
	}
	return true
}

// Width is a number for each GPU, two for CPUs and memory, and where GPUs are cut one for each part of their memory.
func (c *Nodes) Width(i int) int {
	gpus := len(c.nodes[i].Free)
	if c.slices {
		return gpus + 2 + 8*gpus
	}
	return gpus + 2
}

// Use writes what a share takes into a row of zeros.
func (c *Nodes) Use(d *Demand, sh *Share, row []int64) {
	gpus := len(c.nodes[sh.Server].Free)
	row[gpus], row[gpus+1] = portion(d.CPUMilli, sh.GPUs, d.GPUs), portion(d.MemMiB, sh.GPUs, d.GPUs)
	if sh.Milli > 0 {
		row[sh.Slot] = int64(sh.Milli)
		for k := range 8 {
			if sh.Part&(1<<k) != 0 {
				row[gpus+2+8*int(sh.Slot)+k] = 1
			}
		}
		return
	}
	for g := range gpus {
		if sh.Mask[g/64]&(1<<(g%64)) != 0 {
			row[g] = Milli
		}
	}
}

// SetUse has what a row says be used of a server.
func (c *Nodes) SetUse(i int, row []int64) {
	n := &c.nodes[i]
	was, whole := n.FreeMilli, n.whole
	n.FreeMilli, n.whole = 0, 0
	for g := range n.Free {
		n.Free[g], n.Slots[g] = int32(Milli-row[g]), 0
		if c.slices {
			for k := range 8 {
				if row[len(n.Free)+2+8*g+k] > 0 {
					n.Slots[g] |= 1 << k
				}
			}
			if cut := SliceMilli * int32(bits.OnesCount8(n.Slots[g])); n.Slots[g] != 0 && int64(cut) < row[g] { // cut at one time, shared at another
				n.Free[g], n.Slots[g] = 0, 0xff
			} else if cut > 0 {
				n.Free[g] = Milli - cut
			}
		}
		n.FreeMilli += int64(n.Free[g])
		if n.Free[g] == Milli {
			n.whole++
		}
	}
	n.CPUMilli, n.MemMiB = c.spec[i].CPUMilli-row[len(n.Free)], c.spec[i].MemMiB-row[len(n.Free)+1]
	n.state = unknownState
	if !n.down {
		c.free += n.FreeMilli - was
		c.scene.freed(n, int64(n.whole-whole))
	}
}
