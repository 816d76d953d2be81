// Package facility is the building: electrical graph, cooling, rooms, racks and server models joined.
// Everything in it and below it is a pure function of its arguments.
package facility

import (
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
	// MechanicalW is the electrical demand of each cooling component at the design day, for capacity.
	Mechanical []MechanicalLoad
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
	Loop     int // -1: no liquid
	Line     int
}

// Order asks for servers of one model.
type Order struct {
	Model int
	Count int // ignored when Max
	Max   bool
	Line  int
}
