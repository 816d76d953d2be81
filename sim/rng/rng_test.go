package rng

import (
	"testing"

	"pgregory.net/rapid"
)

// TestGolden holds the streams: a result is only comparable with an earlier one as long as these stand.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		seed              uint64
		replicate         int
		component, entity string
		want              [3]uint64
	}{
		{1, 0, "failures", "server 12", [3]uint64{0x827fc08a55105afb, 0x428d0e4e4528e279, 0xee06cc619d673201}},
		{0, 0, "", "", [3]uint64{0x880081a65bb651c0, 0x58394fe1c4eec63d, 0xfb24a471a6196b10}},
		{1<<64 - 1, -1, "工作", "класс", [3]uint64{0x7560c8a1a5195d0d, 0xbdd3eafb708ed0dc, 0x2b786ab77323b36c}},
	} {
		r := New(c.seed, c.replicate, c.component, c.entity)
		got := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}
		if got != c.want {
			t.Errorf("%d %d %q %q: %#v", c.seed, c.replicate, c.component, c.entity, got)
		}
	}
}

// TestStreamsDiffer: names that run together when written one behind the other are different streams.
func TestStreamsDiffer(t *testing.T) {
	seen := map[[2]uint64]string{}
	for _, c := range []struct {
		name              string
		seed              uint64
		replicate         int
		component, entity string
	}{
		{"base", 1, 0, "ab", "c"},
		{"parts cut elsewhere", 1, 0, "a", "bc"},
		{"all in the component", 1, 0, "abc", ""},
		{"all in the entity", 1, 0, "", "abc"},
		{"swapped", 1, 0, "c", "ab"},
		{"seed", 2, 0, "ab", "c"},
		{"replicate", 1, 1, "ab", "c"},
		{"seed and replicate swapped", 0, 1, "ab", "c"},
	} {
		r := New(c.seed, c.replicate, c.component, c.entity)
		v := [2]uint64{r.Uint64(), r.Uint64()}
		if other, ok := seen[v]; ok {
			t.Errorf("%s equals %s", c.name, other)
		}
		seen[v] = c.name
	}
}

func TestEqualNamesEqualStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, rep := rapid.Uint64().Draw(t, "seed"), rapid.Int().Draw(t, "replicate")
		c, e := rapid.String().Draw(t, "component"), rapid.String().Draw(t, "entity")
		a, b := New(seed, rep, c, e), New(seed, rep, c, e)
		for range 5 {
			if a.Uint64() != b.Uint64() {
				t.Fatal("differ")
			}
		}
	})
}

// TestNeighboursAreUncorrelated: seeds and entities that differ in one bit give streams without correlation.
func TestNeighboursAreUncorrelated(t *testing.T) {
	const n = 100_000
	a := New(1, 0, "failures", "server 1")
	for name, b := range map[string]interface{ Float64() float64 }{
		"entity": New(1, 0, "failures", "server 2"), "seed": New(2, 0, "failures", "server 1"),
	} {
		var sum float64
		for range n {
			sum += (a.Float64() - 0.5) * (b.Float64() - 0.5)
		}
		// The standard deviation of the mean product is 1/12/√n.
		if z := sum / n * 12 * 316.2; z > 4 || z < -4 {
			t.Errorf("%s: correlation at %.1f standard deviations", name, z)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(1, 0, "failures", "server 12")
	}
}
