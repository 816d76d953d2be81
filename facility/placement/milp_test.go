package placement

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"headroom/facility"
	"headroom/facility/power"
)

// milpHall is 20 racks without losses, each on a PDU of side A and any of side B, so that an integer program says
// all there is to say.
func milpHall(t testing.TB, seed uint64) *facility.Facility {
	rng := rand.New(rand.NewPCG(seed, 3))
	f := &facility.Facility{}
	for m := range 3 {
		w := int64(3000 + rng.IntN(11000))
		f.Models = append(f.Models, facility.Model{Name: fmt.Sprint("m", m), HeightU: 3 + rng.IntN(8), PlanW: w, PlanAirW: w, PF: 1})
		f.Orders = append(f.Orders, facility.Order{Model: m, Count: 5 + rng.IntN(30)})
	}
	f.Orders[2].Max = true
	nodes := []power.Node{node("u", power.Utility, 1e9)}
	for _, side := range []string{"A", "B"} {
		ups := node("ups."+side, power.UPS, 500e3+float64(rng.IntN(300))*1e3, "u")
		ups.Side = side
		nodes = append(nodes, ups)
		for p := range 4 {
			pdu := node(fmt.Sprintf("pdu%d.%s", p, side), power.Distribution, 100e3+float64(rng.IntN(120))*1e3, ups.ID)
			pdu.Side = side
			nodes = append(nodes, pdu)
		}
	}
	var at [][2]string
	for i := range 20 {
		r := bare(i, 20+rng.IntN(30))
		r.PowerW = int64(20e3 + float64(rng.IntN(50))*1e3)
		f.Racks = append(f.Racks, r)
		at = append(at, [2]string{fmt.Sprintf("pdu%d.A", rng.IntN(4)), fmt.Sprintf("pdu%d.B", rng.IntN(4))})
	}
	f.Power = graph(t, nodes...)
	for i := range f.Racks {
		for _, id := range at[i] {
			n, _ := f.Power.Index(id)
			f.Racks[i].Feeds = append(f.Racks[i].Feeds, n)
		}
	}
	return f
}

// program writes the hall as an integer program in the LP format that gets the most of line k, with at least so many
// of the earlier ones: with a side lost the other carries all.
func program(f *facility.Facility, k int, least []int) string {
	var b strings.Builder
	v := func(i, m int) string { return fmt.Sprintf("x%d_%d", i, m) }
	sum := func(take func(i int) bool, coef func(m int) int64, models ...int) string {
		var terms []string
		for i := range f.Racks {
			if take(i) {
				for _, m := range models {
					terms = append(terms, fmt.Sprintf("%d %s", coef(m), v(i, m)))
				}
			}
		}
		if terms == nil {
			return "0 " + v(0, 0)
		}
		return strings.Join(terms, " + ")
	}
	all := func(int) bool { return true }
	one := func(int) int64 { return 1 }
	watts := func(m int) int64 { return f.Models[m].PlanW }
	fmt.Fprintf(&b, "Maximize\n obj: %s\nSubject To\n", sum(all, one, k))
	for i := range f.Racks {
		own := func(j int) bool { return j == i }
		fmt.Fprintf(&b, " p%d: %s <= %d\n u%d: %s <= %d\n", i, sum(own, watts, 0, 1, 2), f.Racks[i].PowerW, i,
			sum(own, func(m int) int64 { return int64(f.Models[m].HeightU) }, 0, 1, 2), f.Racks[i].HeightU)
	}
	for n, node := range f.Power.Nodes {
		if node.Kind == power.Utility {
			continue
		}
		on := func(i int) bool {
			for _, fd := range f.Racks[i].Feeds {
				if fd == n || f.Power.Parents(fd)[0] == n {
					return true
				}
			}
			return false
		}
		fmt.Fprintf(&b, " n%d: %s <= %d\n", n, sum(on, watts, 0, 1, 2), f.Power.CapacityW(n, 1))
	}
	for m, o := range f.Orders {
		if m < k {
			fmt.Fprintf(&b, " l%d: %s >= %d\n", m, sum(all, one, m), least[m])
		}
		if !o.Max {
			fmt.Fprintf(&b, " c%d: %s <= %d\n", m, sum(all, one, m), o.Count)
		}
	}
	b.WriteString("General\n")
	for i := range f.Racks {
		for m := range f.Models {
			fmt.Fprintf(&b, " %s\n", v(i, m))
		}
	}
	b.WriteString("End\n")
	return b.String()
}

const solveScript = `const fs=require('fs');require(process.argv[2])().then(h=>{const s=h.solve(fs.readFileSync(0,'utf8'),{mip_rel_gap:0,mip_abs_gap:0.5,time_limit:20});
console.log(s.Status==='Optimal'?Math.round(s.ObjectiveValue):'failed: '+s.Status)})`

// At 20 racks every hall equals an exact solver and is proven without it. It runs where HEADROOM_HIGHS names a folder
// with the npm package highs.
func TestAgainstIntegerProgram(t *testing.T) {
	dir := os.Getenv("HEADROOM_HIGHS")
	if dir == "" {
		t.Skip("SKIPPED: no exact solver to compare with: npm install highs, and set HEADROOM_HIGHS to its node_modules/highs")
	}
	nodeJS, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: no node to run the exact solver with")
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	solve := func(lp string) int {
		cmd := exec.Command(nodeJS, "-e", solveScript, "--", dir)
		cmd.Args = []string{nodeJS, "-e", strings.Replace(solveScript, "process.argv[2]", strconv.Quote(dir), 1)}
		cmd.Stdin = strings.NewReader(lp)
		out, err := cmd.Output()
		n, err2 := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil || err2 != nil {
			t.Fatalf("the solver failed: %v, %s", err, out)
		}
		return n
	}
	equal, proven := 0, 0
	const halls = 20
	for seed := range uint64(halls) {
		f := milpHall(t, seed)
		l := place(t, f)
		ok, closed := true, true
		least := make([]int, len(f.Orders))
		for k, line := range l.Lines {
			best := solve(program(f, k, least))
			if line.Placed > best || line.Bound < best || line.Placed < best-1 {
				t.Errorf("hall %d, line %d: placed %d, the best is %d, bound %d", seed, k, line.Placed, best, line.Bound)
			}
			ok, closed = ok && line.Placed == best, closed && line.Bound == line.Placed
			if line.Placed < best {
				t.Logf("hall %d, line %d: placed %d, the best is %d, bound %d", seed, k, line.Placed, best, line.Bound)
			}
			least[k] = line.Placed
		}
		if ok {
			equal++
		}
		if closed {
			proven++
		}
	}
	t.Logf("%d of %d halls equal the exact solver, %d proven without it", equal, halls, proven)
	if equal < halls-1 || proven < halls-1 {
		t.Errorf("%d of %d halls are as good as the exact solver's, %d proven", equal, halls, proven)
	}
}
