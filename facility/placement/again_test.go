package placement

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"headroom/facility"
)

// Planning what a plan has placed changes nothing, in halls of hundreds of racks too: of every policy, on shared PDUs
// of two sides, on lines of their own, with orders that do not fit and orders for all there is room for.
func TestRePlacingLargeHallsChangesNothing(t *testing.T) {
	halls := 8
	if os.Getenv("HEADROOM_LONG") != "" {
		halls = 60
	}
	for seed := range uint64(halls) {
		rng := rand.New(rand.NewPCG(seed, 11))
		f := sharedHall(t, seed, []int{60, 150, 300, 500}[rng.IntN(4)], 1+rng.IntN(6))
		f.Policy = facility.Policy(seed % 5)
		for i := range f.Racks {
			f.Racks[i].Cost = float64(1 + rng.IntN(9))
			f.Racks[i].Row = fmt.Sprint("row ", i/20)
			f.Racks[i].Place = i % 20
			if seed%4 == 3 {
				f.Racks[i].Outlets = facility.LineNeutral
			}
		}
		if seed%3 == 1 {
			f.Orders[len(f.Orders)-1] = facility.Order{Model: f.Orders[len(f.Orders)-1].Model, Count: len(f.Racks) / 3}
		}
		if seed%8 == 6 {
			f.Orders[0].Block, f.Orders[0].BlockRacks = 4, 5
		}
		l := place(t, f)
		again := f.Clone()
		for k := range again.Orders {
			again.Orders[k].Max, again.Orders[k].Count = false, l.Lines[k].Placed
		}
		l2 := place(t, again)
		same := func(a, b Server) bool { return a == b }
		if !slices.EqualFunc(l.Servers, l2.Servers, same) {
			moved := 0
			for i := range min(len(l.Servers), len(l2.Servers)) {
				if l.Servers[i] != l2.Servers[i] {
					moved++
				}
			}
			t.Errorf("hall %d, %s, %d racks, orders %+v: %d servers, planned again %d, and %d stand elsewhere; lines %+v, then %+v",
				seed, f.Policy, len(f.Racks), f.Orders, len(l.Servers), len(l2.Servers), moved, l.Lines, l2.Lines)
		}
	}
}
