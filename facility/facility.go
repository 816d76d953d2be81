// Package facility is the building: electrical graph, cooling, rooms, racks and server models joined.
// Everything in it and below it is a pure function of its arguments.
package facility

import (
	"slices"

	"headroom/facility/cooling"
	"headroom/facility/power"
)

// NoLimit marks a limit that the scenario does not state. It is never counted as zero.
const NoLimit int64 = -1

// Facility is the building with what is to be placed in it.
type Facility struct {
	Name      string
	AltitudeM float64
	Power     *power.Graph
	Cooling   cooling.System
	Racks     []Rack
	Models    []Model // server models that the orders name
	Orders    []Order
	Basis     Basis
	// DesignDryBulbC and DesignWetBulbC are the design day on which plant capacity is judged.
	Design cooling.Outdoor
	// OtherW is steady load that is neither IT nor cooling (lights, offices) and the node that feeds it.
	OtherW   float64
	OtherFed []int
	Policy   Policy // which racks are taken where several would do
	// MechanicalW is the electrical demand of each cooling component at the design day, for capacity.
	Mechanical []MechanicalLoad
}

// Clone returns a facility whose slices are its own; the graph and the plants, which nothing changes, are shared.
func (f *Facility) Clone() *Facility {
	c := *f
	c.Cooling.Rooms, c.Cooling.Loops, c.Cooling.Plants = slices.Clone(f.Cooling.Rooms), slices.Clone(f.Cooling.Loops), slices.Clone(f.Cooling.Plants)
	c.Racks, c.Models, c.Orders = slices.Clone(f.Racks), slices.Clone(f.Models), slices.Clone(f.Orders)
	c.Mechanical, c.OtherFed = slices.Clone(f.Mechanical), slices.Clone(f.OtherFed)
	feeds := 0
	for i := range c.Racks {
		feeds += len(c.Racks[i].Feeds)
	}
	all := make([]int, 0, feeds)
	for i := range c.Racks {
		if own := c.Racks[i].Feeds; own != nil {
			all = append(all, own...)
			c.Racks[i].Feeds = all[len(all)-len(own) : len(all) : len(all)]
		}
	}
	return &c
}

// Phased says whether any load is not even over three lines, so that the lines of circuits are to be followed.
func (f *Facility) Phased() bool {
	if f.Power == nil {
		return false
	}
	for i := range f.Racks {
		if f.Racks[i].Outlets != EvenOutlets && len(f.Racks[i].Feeds) > 0 {
			return true
		}
	}
	for n := range f.Power.Nodes {
		if f.Power.Nodes[n].Lines != power.ThreePhase {
			return true
		}
	}
	return false
}

// MechanicalLoad is one cooling component as an electrical load.
type MechanicalLoad struct {
	Name string // path: "cooling.air", "plants.chilled-water"
	Fed  []int
	W    int64 // at the design day, rounded up
}

// Basis is what a server is counted at when racks are filled.
type Basis uint8

// Plan bases.
const (
	Nameplate Basis = iota
	Planned         // 1.07 × sustained peak
	Measured        // a percentile of a measured series, for the orders that have one
	Capped          // the cap at the cord, for the orders that have one
)

// String returns the name used in scenarios.
func (b Basis) String() string {
	return [...]string{"nameplate", "planned", "measured", "capped"}[min(int(b), 3)]
}

// Policy says which racks are taken where several would do.
type Policy uint8

// Placement policies.
const (
	Densest     Policy = iota // racks in their order, each as full as it gets
	Coolest                   // where the least heat goes into the air
	Balanced                  // where the fullest circuit, busway or leg stays lowest
	FewestRacks               // the racks that hold most first, the last one no larger than needed
	Cheapest                  // the racks with the lowest cost for a server first
)

var policyNames = [...]string{"densest", "coolest", "balanced", "fewest-racks", "cheapest"}

// String returns the name used in scenarios.
func (p Policy) String() string { return policyNames[min(int(p), len(policyNames)-1)] }

// PolicyNamed returns the policy of a name.
func PolicyNamed(name string) (Policy, bool) {
	for i, n := range policyNames {
		if n == name {
			return Policy(i), true
		}
	}
	return Densest, false
}

// Outlets says how the supplies of servers hang on the lines of a three-phase circuit.
type Outlets uint8

// Kinds of outlets. Dealt supplies go round the lines (or pairs of lines) of each circuit, model by model, and
// neighbouring racks begin on the next line.
const (
	EvenOutlets Outlets = iota // each supply is counted as even over the lines
	LineNeutral                // each supply hangs on one line and the neutral
	LineLine                   // each supply hangs between two lines
)

// OutletsNamed returns the kind of outlets of a name in scenarios.
func OutletsNamed(name string) Outlets {
	switch name {
	case "L-N":
		return LineNeutral
	case "L-L":
		return LineLine
	}
	return EvenOutlets
}

// What a rack may hold.
const (
	AnyCooling = ""
	AirOnly    = "air"
	LiquidOnly = "liquid"
)

// Rack is one rack position.
type Rack struct {
	ID       string  // "A01"
	Row      string  // "A"
	Place    int     // position in its row, from 0
	XM, YM   float64 // centre of the rack on the floor plan, m
	HeightU  int
	ReserveU int
	PowerW   int64 // limits in W, NoLimit where not stated
	AirW     int64
	LiquidW  int64
	ReserveW int64   // kept for switches and storage
	LoadKg   float64 // static load limit of rack and floor, NaN where not stated
	FrameKg  float64 // empty frame with PDUs and cables
	Feeds    []int   // rack feeds in the power graph, by index
	Room     int
	Loop     int     // -1: no liquid
	Takes    string  // AnyCooling, AirOnly or LiquidOnly
	Outlets  Outlets // how servers' supplies hang on three-phase circuits
	Claim    string  // redundancy that the scenario claims of its feeds: "2N", "N+1", "" for what their sides say
	Cost     float64 // of taking the rack into use, in the currency of the scenario; NaN not stated
	Line     int
}

// Order asks for servers of one model.
type Order struct {
	Model int
	Count int // ignored when Max
	Max   bool
	Line  int

	// Block keeps so many servers together; only whole blocks are placed. 0: each server by itself.
	Block      int
	BlockRacks int     // a block stands in at most so many neighbouring racks of one row; 0: in one row
	ReachM     float64 // longest way between two racks of a block along and across the rows, m; 0: any

	// Spread holds how many of the order one element of a level of the power graph may carry: the nodes
	// named, no more than SpreadMost servers on each.
	Spread     []int
	SpreadMost int
}
