package placement

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility"
)

// first finds the placement that is best by the lines, earlier ones first, by trying every count in every rack.
// A branch is left only where it breaks a limit or where even full racks would not beat the best.
func (c *checker) first(tries int) (perModel []int, ok bool) {
	f := c.f
	counts := make([][]int, len(f.Racks))
	for i := range counts {
		counts[i] = make([]int, len(f.Models))
	}
	limit := make([]int, len(f.Models))
	for _, o := range f.Orders {
		limit[o.Model] += orderCount(o)
		if limit[o.Model] < 0 {
			limit[o.Model] = math.MaxInt
		}
	}
	value := func(total []int) []int { // servers by line
		left := slices.Clone(total)
		v := make([]int, len(f.Orders))
		for k, o := range f.Orders {
			v[k] = min(left[o.Model], orderCount(o))
			left[o.Model] -= v[k]
		}
		return v
	}
	total := make([]int, len(f.Models))
	var best []int
	var visit func(i, m int)
	visit = func(i, m int) {
		if tries--; tries < 0 {
			return
		}
		if i == len(f.Racks) {
			if v := value(total); best == nil || cmp.Compare(0, slices.Compare(v, best)) < 0 {
				best = v
			}
			return
		}
		if m == len(f.Models) {
			if c.breaks(counts) != "" {
				return
			}
			visit(i+1, 0)
			return
		}
		if m == 0 && best != nil {
			full := slices.Clone(total)
			for j := range f.Models {
				for _, r := range f.Racks[i:] {
					full[j] = min(limit[j], full[j]+r.HeightU/f.Models[j].HeightU)
				}
			}
			if slices.Compare(value(full), best) <= 0 {
				return
			}
		}
		used := 0
		for j := range m {
			used += counts[i][j] * f.Models[j].HeightU
		}
		for k := min((f.Racks[i].HeightU-used)/f.Models[m].HeightU, limit[m]-total[m]); k >= 0; k-- {
			counts[i][m] = k
			total[m] += k
			visit(i, m+1)
			total[m] -= k
		}
		counts[i][m] = 0
	}
	visit(0, 0)
	return best, tries >= 0
}

// Random halls of up to five racks and four models, crossing feeds, losses, rooms, loops and a plant: the
// placement is the best there is, line by line.
func TestEqualToBruteForce(t *testing.T) {
	looked, skipped, open := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 5, rapid.IntRange(1, 4).Draw(t, "models"))
		c := newChecker(f)
		l := mustPlace(t, f)
		if b := c.breaks(countsOf(l)); b != "" {
			t.Fatalf("placement breaks %s", b)
		}
		placed, bound := make([]int, len(l.Lines)), make([]int, len(l.Lines))
		for k, line := range l.Lines {
			placed[k], bound[k] = line.Placed, line.Bound
		}
		best, ok := c.first(60_000)
		if !ok {
			skipped++
			return
		}
		looked++
		if !slices.Equal(placed, best) {
			t.Fatalf("placed %v, the best is %v, bounds %v: %+v", placed, best, bound, l.Lines)
		}
		if !slices.Equal(placed, bound) {
			open++
		}
	})
	t.Logf("%d halls equal to brute force, %d too large for it; bound open in %d", looked, skipped, open)
	if looked < 5*skipped || open > looked/100 {
		t.Errorf("%d halls were too large, %d bounds not closed", skipped, open)
	}
}

// Every line's bound holds against placements that keep the earlier lines, found by brute force.
func TestBoundsOfLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawHall(t, 3, 3)
		s := newSite(f)
		best, ok := newChecker(f).first(20_000)
		if !ok {
			return
		}
		for k, o := range f.Orders { // with the best placement's servers demanded of the earlier lines
			before := s.countOf(o.Model)
			x := newRelaxed(f, kindsOf(f), newBoundCases(f))
			st := stage{least: make([]int, len(x.models)), reach: 0, cap: math.MaxInt}
			for j, m := range x.models {
				for h, other := range f.Orders[:k] {
					if other.Model == m {
						st.least[j] += best[h]
					}
				}
				if m == o.Model {
					st.model = j
				}
			}
			if p := x.price(st); p.bound < best[k]+before {
				t.Fatalf("line %d: bound %d below the optimum %d", k, p.bound, best[k])
			}
			p, ok := x.solve(st)
			if !ok {
				continue
			}
			if p.bound < best[k]+before {
				t.Fatalf("line %d: bound %d of the linear program below the optimum %d", k, p.bound, best[k])
			}
			if q := x.price(st); q.exact < p.exact-1e-6 {
				t.Fatalf("line %d: the linear program ends at %g, prices reach %g", k, p.exact, q.exact)
			}
		}
	})
}

// The largest sum of sizes within a capacity, against trying every count.
func TestLargestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Int64Range(0, 300).Draw(t, "capacity")
		n := rapid.IntRange(1, 4).Draw(t, "sizes")
		sizes, counts := make([]int64, n), make([]int64, n)
		for k := range sizes {
			sizes[k], counts[k] = rapid.Int64Range(1, 150).Draw(t, "size"), rapid.Int64Range(0, 6).Draw(t, "count")
		}
		best := int64(0)
		var visit func(k int, sum int64)
		visit = func(k int, sum int64) {
			if sum > capacity {
				return
			}
			if k == n {
				best = max(best, sum)
				return
			}
			for c := range counts[k] + 1 {
				visit(k+1, sum+c*sizes[k])
			}
		}
		visit(0, 0)
		if got := largestSum(sizes, counts, capacity); got != best {
			t.Fatalf("%v × %v within %d: %d, want %d", sizes, counts, capacity, got, best)
		}
	})
}

var _ = facility.NoLimit
