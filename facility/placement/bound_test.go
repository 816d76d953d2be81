package placement

import (
	"testing"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

func lossy(id string, kind power.Kind, loss power.Loss, from ...string) power.Node {
	n := node(id, kind, 1e6, from...)
	n.Loss = loss
	return n
}

// Each case has its optimum worked out by hand.
func TestBoundByHand(t *testing.T) {
	for _, c := range []struct {
		name           string
		utilityVA      float64
		roomW          float64
		nodes          []power.Node
		optimum, bound int
	}{
		{
			// Half goes over a transformer that loses half of its load: 1,250 W a server. The bound may
			// count the better way for all.
			"two ways of unlike loss", 10e3, 0,
			[]power.Node{lossy("tx1", power.Transformer, power.Loss{}, "u"), lossy("tx2", power.Transformer, power.Loss{B: 0.5}, "u"), node("bus", power.Distribution, 1e6, "tx1", "tx2")},
			8, 10,
		},
		{
			"busway loss of a tenth heats the room: 1,100 W a server", 1e6, 11e3,
			[]power.Node{lossy("bus", power.Distribution, power.Loss{B: 0.1}, "u")},
			10, 10,
		},
		{
			"no-load loss of 1 kW is there before the first server", 6e3, 0,
			[]power.Node{lossy("tx", power.Transformer, power.Loss{A: 0.001}, "u"), node("bus", power.Distribution, 1e6, "tx")},
			5, 5,
		},
		{
			// 10 servers lose 1e6 × (0.01)² × 1 = 100 W in the busway.
			"loss by the square of the load", 10100, 0,
			[]power.Node{lossy("bus", power.Distribution, power.Loss{C: 1}, "u")},
			10, 10,
		},
	} {
		f := fillWith(watts(1000), racks(2, 10, facility.NoLimit))
		f.Power = graph(t, append([]power.Node{node("u", power.Utility, c.utilityVA)}, c.nodes...)...)
		bus, _ := f.Power.Index("bus")
		f.Cooling.Rooms = []cooling.Room{{Name: "hall", Units: 1, CapacityW: c.roomW, Plant: -1}}
		for i := range f.Racks {
			f.Racks[i].Feeds, f.Racks[i].Room = []int{bus}, 0
		}
		l := place(t, f)
		if bound := Bound(f); len(l.Servers) != c.optimum || bound != c.bound {
			t.Errorf("%s: %d servers, bound %d; want %d, %d", c.name, len(l.Servers), bound, c.optimum, c.bound)
		}
	}
}
