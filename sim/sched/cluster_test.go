package sched

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naive keeps the same account with plain scans, written from the rules and not from the code.
type naive struct {
	gpus, free []int32
	down       []bool
}

func (n *naive) usable(i int) int32 {
	if n.down[i] {
		return 0
	}
	return n.free[i]
}

func (n *naive) total(of func(int) int32) (sum int64) {
	for i := range n.gpus {
		sum += int64(of(i))
	}
	return sum
}

// fit is one server for a small job, other than those in use by it already.
func (n *naive) fit(gpus int32, taken []Share) int {
	best := -1
	for i := range n.gpus {
		used := slices.ContainsFunc(taken, func(s Share) bool { return s.Server == int32(i) })
		if !used && n.usable(i) >= gpus && (best < 0 || n.usable(i) < n.usable(best)) {
			best = i
		}
	}
	return best
}

// whole takes up to count wholly free servers of this size.
func (n *naive) whole(size int32, count int, out []Share) []Share {
	for i := range n.gpus {
		if count > 0 && n.gpus[i] == size && n.usable(i) == size {
			out = append(out, Share{Server: int32(i), GPUs: size})
			count--
		}
	}
	return out
}

func (n *naive) place(gpus int32) ([]Share, bool) {
	sizes := slices.Compact(slices.SortedFunc(slices.Values(n.gpus), func(a, b int32) int { return int(b - a) }))
	if gpus < 1 || len(sizes) == 0 {
		return nil, false
	}
	complete := func(out []Share) ([]Share, bool) {
		left := gpus
		for _, s := range out {
			left -= s.GPUs
		}
		if left == 0 {
			return out, true
		}
		i := n.fit(left, out)
		if i < 0 {
			return nil, false
		}
		return append(out, Share{Server: int32(i), GPUs: left}), true
	}
	if gpus <= sizes[0] {
		return complete(nil)
	}
	for _, size := range sizes {
		if size == 0 {
			continue
		}
		out := n.whole(size, int(gpus/size), nil)
		if len(out) < int(gpus/size) {
			continue
		}
		if out, ok := complete(out); ok {
			return out, true
		}
	}
	var out []Share
	left := gpus
	for _, size := range sizes {
		if size == 0 {
			continue
		}
		before := len(out)
		out = n.whole(size, int(left/size), out)
		left -= size * int32(len(out)-before)
	}
	return complete(out)
}

func (n *naive) add(shares []Share, sign int32) {
	for _, s := range shares {
		n.free[s.Server] += sign * s.GPUs
	}
}

func TestClusterAgainstScans(t *testing.T) {
	for name, size := range map[string]*rapid.Generator[int32]{
		"eight a server": rapid.Just(int32(8)),
		"mixed":          rapid.SampledFrom([]int32{0, 1, 4, 8, 16}),
		"any":            rapid.Int32Range(0, 7),
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				gpus := rapid.SliceOfN(size, 0, 80).Draw(t, "servers")
				if rapid.Bool().Draw(t, "many") {
					gpus = slices.Repeat(gpus, 3) // more than one word of the sets
				}
				c := NewCluster(gpus)
				n := &naive{gpus, slices.Clone(gpus), make([]bool, len(gpus))}
				empty := &naive{gpus, slices.Clone(gpus), make([]bool, len(gpus))}
				most := int32(c.Total()) + 2
				var jobs [][]Share
				for range rapid.IntRange(1, 60).Draw(t, "operations") {
					switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
					case op < 6:
						g := rapid.Int32Range(-1, min(most, 40)).Draw(t, "gpus")
						if rapid.IntRange(0, 4).Draw(t, "big") == 0 {
							g = rapid.Int32Range(0, most).Draw(t, "big gpus")
						}
						want, wantOK := n.place(g)
						got, ok := c.Place(g, nil)
						if ok != wantOK || !slices.Equal(got, want) {
							t.Fatalf("Place(%d) = %v, %v; want %v, %v", g, got, ok, want, wantOK)
						}
						if ok {
							n.add(got, -1)
							jobs = append(jobs, got)
						}
						_, ever := empty.place(g)
						if c.CanEver(g) != ever || (ok && !ever) {
							t.Fatalf("CanEver(%d) = %v, want %v", g, c.CanEver(g), ever)
						}
					case op < 8 && len(jobs) > 0:
						i := rapid.IntRange(0, len(jobs)-1).Draw(t, "job")
						c.Release(jobs[i])
						n.add(jobs[i], 1)
						jobs = slices.Delete(jobs, i, i+1)
					case len(gpus) > 0:
						i := rapid.IntRange(0, len(gpus)-1).Draw(t, "server")
						up := rapid.Bool().Draw(t, "up")
						c.SetUp(i, up)
						n.down[i] = !up
					}
					check(t, c, n)
				}
				for _, j := range jobs {
					c.Release(j)
				}
				for i := range gpus {
					c.SetUp(i, true)
				}
				if c.Free() != c.Total() || c.Up() != c.Total() {
					t.Fatalf("%d free of %d when all is given back", c.Free(), c.Total())
				}
			})
		})
	}
}

func check(t *rapid.T, c *Cluster, n *naive) {
	up := func(i int) int32 {
		if n.down[i] {
			return 0
		}
		return n.gpus[i]
	}
	if c.Free() != n.total(n.usable) || c.Up() != n.total(up) {
		t.Fatalf("Free %d, Up %d; want %d, %d", c.Free(), c.Up(), n.total(n.usable), n.total(up))
	}
	var largest int32
	for i := range n.gpus {
		largest = max(largest, up(i))
		if c.FreeOn(i) != n.free[i] || c.IsUp(i) == n.down[i] {
			t.Fatalf("server %d: %d free, up %v", i, c.FreeOn(i), c.IsUp(i))
		}
	}
	if c.LargestUp() != largest {
		t.Fatalf("LargestUp %d, want %d", c.LargestUp(), largest)
	}
}

func TestPlaceRules(t *testing.T) {
	place := func(c *Cluster, gpus int32) string {
		shares, ok := c.Place(gpus, nil)
		return fmt.Sprint(shares, ok)
	}
	for _, c := range []struct {
		name    string
		servers []int32
		jobs    []int32
		want    []string
	}{
		{
			"best fit: the fullest server that is enough, the first of equals",
			[]int32{8, 8, 8},
			[]int32{5, 6, 2, 3, 8, 1, 1},
			[]string{"[{0 5}] true", "[{1 6}] true", "[{1 2}] true", "[{0 3}] true", "[{2 8}] true", "[] false", "[] false"},
		},
		{
			"exactly full",
			[]int32{8, 8},
			[]int32{17, 16, 1},
			[]string{"[] false", "[{0 8} {1 8}] true", "[] false"},
		},
		{
			"a gang and its remainder, which shares a server with another job",
			[]int32{8, 8, 8, 8},
			[]int32{2, 20, 8},
			[]string{"[{0 2}] true", "[{1 8} {2 8} {0 4}] true", "[{3 8}] true"},
		},
		{
			"a job of one server waits though parts of two are free",
			[]int32{8, 8},
			[]int32{4, 8, 4, 4},
			[]string{"[{0 4}] true", "[{1 8}] true", "[{0 4}] true", "[] false"},
		},
		{
			"one size if there are enough, the largest first",
			[]int32{4, 8, 4, 8, 4, 4},
			[]int32{16, 16},
			[]string{"[{1 8} {3 8}] true", "[{0 4} {2 4} {4 4} {5 4}] true"},
		},
		{
			"mixed sizes when no size is enough",
			[]int32{4, 8, 4, 4},
			[]int32{20, 1},
			[]string{"[{1 8} {0 4} {2 4} {3 4}] true", "[] false"},
		},
		{"no servers", nil, []int32{1}, []string{"[] false"}},
		{"servers without GPUs", []int32{0, 0}, []int32{1, 0}, []string{"[] false", "[] false"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := NewCluster(c.servers)
			for i, g := range c.jobs {
				if got := place(cl, g); got != c.want[i] {
					t.Errorf("job %d of %d GPUs: %s, want %s", i, g, got, c.want[i])
				}
			}
		})
	}
}

func TestPlaceKeepsWhatIsInDst(t *testing.T) {
	c := NewCluster([]int32{8})
	dst := []Share{{Server: 9, GPUs: 9}}
	if got, ok := c.Place(9, dst); ok || len(got) != 1 {
		t.Errorf("refused: %v", got)
	}
	if got, ok := c.Place(8, dst); !ok || !slices.Equal(got, []Share{{Server: 9, GPUs: 9}, {Server: 0, GPUs: 8}}) {
		t.Errorf("placed: %v", got)
	}
}

func TestReleaseTooMuch(t *testing.T) {
	c := NewCluster([]int32{8})
	shares, _ := c.Place(3, nil)
	c.Release(shares)
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "release of 3 GPUs on server 0, of which 0 are in use") {
			t.Errorf("panic %q", got)
		}
	}()
	c.Release(shares)
}

// BenchmarkPlace keeps 12,500 servers of 8 GPUs nearly full with jobs of 1 … 64 servers and small ones: one job out, one in.
func BenchmarkPlace(b *testing.B) {
	for _, mix := range []struct {
		name string
		gpus []int32
	}{
		{"small", []int32{1, 2, 4, 8}},
		{"gangs", []int32{8, 8, 16, 24, 64, 512}},
		{"mixed", []int32{1, 4, 8, 12, 64, 100}},
	} {
		b.Run(mix.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			c := NewCluster(slices.Repeat([]int32{8}, 12_500))
			var jobs [][]Share
			for {
				s, ok := c.Place(mix.gpus[r.IntN(len(mix.gpus))], make([]Share, 0, slices.Max(mix.gpus)/8+1))
				if !ok {
					break
				}
				jobs = append(jobs, s)
			}
			b.ReportAllocs()
			b.ResetTimer()
			shares, waiting := 0, mix.gpus[0]
			for range b.N {
				i := r.IntN(len(jobs))
				if len(jobs[i]) > 0 {
					c.Release(jobs[i])
				}
				var ok bool
				jobs[i], ok = c.Place(waiting, jobs[i][:0])
				if ok {
					shares += len(jobs[i])
					waiting = mix.gpus[r.IntN(len(mix.gpus))]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(shares), "ns/share")
		})
	}
}

// Rack-aware placement keeps a job of several servers in one rack where one has room, best fit does not care.
func TestRackAware(t *testing.T) {
	spec := make([]NodeSpec, 12)
	for i := range spec {
		spec[i] = NodeSpec{GPUs: 8, Rack: int32(i / 4)}
	}
	racks := func(p Placement) int {
		c := NewNodes(spec, &p, nil)
		for _, i := range []int{0, 5} { // racks 0 and 1 have three free servers, rack 2 has four
			c.Book(&Demand{GPUs: 8}, []Share{{Server: int32(i), GPUs: 8, Mask: [2]uint64{0xff}}})
		}
		got, ok := c.Place(&Demand{GPUs: 32}, nil)
		if !ok || len(got) != 4 {
			t.Fatalf("%s: %v", p.Name, got)
		}
		in := map[int32]bool{}
		for _, sh := range got {
			in[spec[sh.Server].Rack] = true
		}
		return len(in)
	}
	if a, b := racks(Placements{}.RackAware()), racks(Placements{}.BestFit()); a > 2 || b < a {
		t.Errorf("rack-aware takes %d racks, best fit %d", a, b)
	}
}

// A job over several servers is kept within one leaf where one can hold it, the fullest that can.
func TestFabricAware(t *testing.T) {
	p := Placements{}.FabricAware()
	var spec []NodeSpec
	for i := range int32(12) {
		spec = append(spec, NodeSpec{GPUs: 8, Rack: i / 2, Leaf: i / 4})
	}
	c := NewNodes(spec, &p, nil)
	leaves := func(gpus int32) map[int32]int {
		t.Helper()
		d := Demand{GPUs: gpus}
		got, ok := c.Place(&d, nil)
		if !ok {
			t.Fatalf("no room for %d GPUs", gpus)
		}
		at := map[int32]int{}
		for _, sh := range got {
			at[sh.Server/4]++
		}
		return at
	}
	if at := leaves(16); len(at) != 1 || at[0] != 2 {
		t.Errorf("two servers at leaves %v", at)
	}
	if at := leaves(24); len(at) != 1 || at[0] != 0 {
		t.Errorf("three servers at leaves %v: the first leaf has only two left", at)
	}
	if at := leaves(16); len(at) != 1 || at[0] != 2 {
		t.Errorf("two servers at leaves %v: the fullest that holds them is the first", at)
	}
	if at := leaves(40); len(at) != 2 {
		t.Errorf("five servers at leaves %v", at)
	}
}
