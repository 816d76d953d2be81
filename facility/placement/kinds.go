package placement

import (
	"encoding/binary"
	"math"

	"headroom/facility"
	"headroom/facility/power"
)

// kinds are the racks that no limit tells apart: alike in their own limits, on the same shared elements, with
// circuits alike. Two of a kind with the same servers in them answer every question alike.
type kinds struct {
	of    []int32   // kind by rack
	racks [][]int32 // by kind, ascending
}

func kindsOf(f *facility.Facility) *kinds {
	k := &kinds{of: make([]int32, len(f.Racks))}
	at := map[string]int32{}
	var exclusive []int8 // racks that hang on a node, 2 for more
	if f.Power != nil {
		exclusive = make([]int8, len(f.Power.Nodes))
		for i := range f.Racks {
			for _, n := range f.Racks[i].Feeds {
				exclusive[n] = min(2, exclusive[n]+1)
			}
		}
	}
	var count []int32
	var key []byte
	for i := range f.Racks {
		key = kindKey(key[:0], f, &f.Racks[i], exclusive)
		c, ok := at[string(key)]
		if !ok {
			c = int32(len(count))
			at[string(key)] = c
			count = append(count, 0)
		}
		k.of[i] = c
		count[c]++
	}
	all := make([]int32, len(f.Racks))
	k.racks = make([][]int32, len(count))
	for c, n := range count {
		k.racks[c], all = all[:0:n], all[n:]
	}
	for i, c := range k.of {
		k.racks[c] = append(k.racks[c], int32(i))
	}
	return k
}

// kindKey tells racks apart by everything that limits them.
func kindKey(key []byte, f *facility.Facility, r *facility.Rack, exclusive []int8) []byte {
	i64 := func(v int64) { key = binary.LittleEndian.AppendUint64(key, uint64(v)) }
	f64 := func(v float64) { key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v)) }
	for _, v := range [...]int64{int64(r.HeightU - r.ReserveU), r.PowerW, r.AirW, r.LiquidW, r.ReserveW, int64(r.Room), int64(r.Loop), int64(len(r.Feeds)), int64(len(r.Takes))} {
		i64(v)
	}
	f64(r.LoadKg)
	f64(r.FrameKg)
	if f.Power != nil && r.Outlets != facility.EvenOutlets {
		i64(int64(r.Outlets)<<8 + int64(r.Place%3))
	}
	for _, n := range r.Feeds {
		node := &f.Power.Nodes[n]
		if node.Kind != power.RackFeed || exclusive[n] > 1 || len(f.Power.Children(n)) > 0 {
			i64(int64(n))
			continue
		}
		i64(-1 - int64(node.Units)<<8 - int64(node.Redundant) - int64(node.Lines)<<40)
		for _, v := range [...]float64{node.RatingVA, node.PF, node.Derate, node.Loss.A, node.Loss.B, node.Loss.C} {
			f64(v)
		}
		key = append(append(key, node.Side...), 0)
		for _, p := range f.Power.Parents(n) {
			i64(int64(p))
		}
	}
	return key
}

// kinds are found when they are first asked for.
func (s *site) kinds() *kinds {
	if s.kindsOf == nil {
		s.kindsOf = kindsOf(s.f)
	}
	return s.kindsOf
}

// relax makes the relaxation when it is first asked for.
func (s *site) relax() *relaxed {
	if s.relaxed == nil {
		s.relaxed = newRelaxed(s.f, s.kinds(), s.boundCases())
	}
	return s.relaxed
}

// boundCases are the cases of the graph as the bound sees them, wired when they are first asked for.
func (s *site) boundCases() *boundCases {
	if s.cases == nil {
		s.cases = newBoundCases(s.f)
	}
	return s.cases
}

// risesOnly says whether what a rack refuses stays refused while others are filled: what every node carries rises
// with its load, and the heat of its losses does where they fall into a room.
func (s *site) risesOnly() bool { return s.elec == nil || s.elec.rises }

// alike numbers racks of one kind that hold the same servers.
type alike struct {
	s     *site
	at    map[string]int
	first []int // rack by number
	key   []byte
}

func newAlike(s *site) *alike { return &alike{s: s, at: map[string]int{}} }

// number is the same for racks alike; fresh says that this one is the first of them.
func (a *alike) number(i int) (n int, fresh bool) {
	a.key = binary.AppendVarint(a.key[:0], int64(a.s.kinds().of[i]))
	for _, c := range a.s.racks[i].count {
		a.key = binary.AppendVarint(a.key, int64(c))
	}
	// Two circuits of one kind may state other voltages: refusals are told in amperes.
	if a.s.phased {
		for _, fd := range a.s.racks[i].feeds {
			a.key = binary.AppendUvarint(a.key, math.Float64bits(a.s.f.Power.Nodes[fd.node].VoltageLL))
		}
	}
	n, ok := a.at[string(a.key)]
	if !ok {
		n = len(a.first)
		a.at[string(a.key)] = n
		a.first = append(a.first, i)
	}
	return n, !ok
}
