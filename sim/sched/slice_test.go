package sched

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The profiles of an 8-part GPU, by name on an 80 GB one.
var profiles = map[string]Slice{
	"1g.10gb": {1, 1, 0b0111_1111}, "1g.20gb": {1, 2, 0b0101_0101}, "2g.20gb": {2, 2, 0b0001_0101}, "3g.40gb": {3, 4, 0b0001_0001}, "4g.40gb": {4, 4, 0b0000_0001},
}

func sliceOf(name string) Demand {
	s := profiles[name]
	return Demand{GPUs: 1, Milli: SliceMilli * int32(s.Memory), Slice: s}
}

func oneGPU() *Nodes {
	p := Placements{}.BestFit()
	c := NewNodes([]NodeSpec{{GPUs: 1}}, &p, nil)
	c.AllowSlices()
	return c
}

// What a GPU holds of each profile, and together, is what NVIDIA's guide lists.
func TestSlicesOfOneGPU(t *testing.T) {
	for name, most := range map[string]int{"1g.10gb": 7, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1} {
		c, d, n := oneGPU(), sliceOf(name), 0
		for ; ; n++ {
			if _, ok := c.Place(&d, nil); !ok {
				break
			}
		}
		if n != most {
			t.Errorf("%d of %s on one GPU, want %d", n, name, most)
		}
	}
	for _, together := range [][]string{
		{"4g.40gb", "3g.40gb"},
		{"3g.40gb", "3g.40gb"},
		{"2g.20gb", "2g.20gb", "2g.20gb", "1g.10gb"},
		{"4g.40gb", "2g.20gb", "1g.10gb"},
		{"3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb"},
		{"4g.40gb", "1g.10gb", "1g.10gb", "1g.10gb"},
		{"1g.20gb", "1g.20gb", "1g.20gb", "1g.20gb"},
	} {
		c := oneGPU()
		for _, name := range together {
			d := sliceOf(name)
			if _, ok := c.Place(&d, nil); !ok {
				t.Errorf("%v don't fit together: no room for %s", together, name)
			}
		}
	}
	c, d, whole, part := oneGPU(), sliceOf("1g.10gb"), Demand{GPUs: 1}, Demand{GPUs: 1, Milli: 100}
	if _, ok := c.Place(&d, nil); !ok {
		t.Fatal("no room for a slice")
	}
	for _, d := range []Demand{whole, part} {
		if _, ok := c.Place(&d, nil); ok {
			t.Errorf("%+v is put on a GPU that is cut", d)
		}
	}
	c = oneGPU()
	if _, ok := c.Place(&part, nil); !ok {
		t.Fatal("no room for a part")
	}
	if _, ok := c.Place(&d, nil); ok {
		t.Error("a GPU that is shared is cut")
	}
	plain := NewNodes([]NodeSpec{{GPUs: 1}}, &Placement{Cost: firstFit, Live: true}, nil)
	if plain.CanEver(&d) {
		t.Error("a GPU is cut where none may be")
	}
}

// Slices never overlap, begin where they may, and are given back; every policy sees to it, and what is planned ahead as well.
func TestSlicesNeverOverlap(t *testing.T) {
	names := []string{"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb"}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(AllPlacements()).Draw(t, "placement")
		c := NewNodes([]NodeSpec{{GPUs: 2}, {GPUs: 3}}, &p, nil)
		c.AllowSlices()
		x := &toy{}
		x.s = New(c, x, Rules{Backfill: Backfill(rapid.IntRange(0, 2).Draw(t, "backfill"))})
		for range rapid.IntRange(1, 40).Draw(t, "jobs") {
			d := Demand{GPUs: rapid.Int32Range(1, 3).Draw(t, "gpus")}
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
			case 1:
				d = Demand{GPUs: 1, Milli: rapid.Int32Range(1, 999).Draw(t, "milli")}
			default:
				d = sliceOf(rapid.SampledFrom(names).Draw(t, "profile"))
			}
			x.jobs = append(x.jobs, toyJob{Demand: d, atNS: int64(rapid.IntRange(0, 30).Draw(t, "at")) * 1e9, workNS: int64(rapid.IntRange(1, 30).Draw(t, "work")) * 1e9})
		}
		slices.SortStableFunc(x.jobs, func(a, b toyJob) int { return int((a.atNS - b.atNS) / 1e9) })
		x.watch = func(x *toy, step Step) {
			if d := &x.jobs[step.Job].Demand; d.Slice.Memory > 0 {
				sh := step.Shares[0]
				if at := bits.TrailingZeros8(sh.Part); bits.OnesCount8(sh.Part) != int(d.Slice.Memory) || d.Slice.Starts&(1<<at) == 0 {
					t.Fatalf("a slice %+v at %08b", d.Slice, sh.Part)
				}
			}
			for i := range c.nodes {
				n := &c.nodes[i]
				cut, shared := make([]uint8, len(n.Free)), make([]int32, len(n.Free))
				for k := range x.s.run {
					for _, sh := range x.s.run[k].shares {
						if int(sh.Server) != i {
							continue
						}
						for g := range n.Free {
							switch {
							case sh.Part != 0 && int(sh.Slot) == g:
								if cut[g]&sh.Part != 0 {
									t.Fatalf("slices overlap on GPU %d of server %d", g, i)
								}
								cut[g] |= sh.Part
							case sh.Part == 0 && sh.Milli > 0 && int(sh.Slot) == g:
								shared[g] += sh.Milli
							case sh.Mask[0]&(1<<g) != 0:
								shared[g] += Milli
							}
						}
					}
				}
				for g := range n.Free {
					if cut[g] != 0 && shared[g] > 0 || shared[g] > Milli || n.Slots[g] != cut[g] {
						t.Fatalf("GPU %d of server %d: cut %08b, account %08b, shared %d", g, i, cut[g], n.Slots[g], shared[g])
					}
				}
			}
		}
		x.run()
		for i := range x.jobs {
			if !x.jobs[i].done && !x.jobs[i].rejected {
				t.Fatalf("job %d, %+v, never ends", i, x.jobs[i])
			}
		}
		for i := range c.nodes {
			for g, f := range c.nodes[i].Free {
				if f != Milli || c.nodes[i].Slots[g] != 0 {
					t.Fatalf("GPU %d of server %d isn't given back", g, i)
				}
			}
		}
	})
}
