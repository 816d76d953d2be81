// Package placement puts servers into racks under every limit at once, in integer watts and
// volt-amperes: demand is rounded up, capacity down. It names what binds, what is stranded and why, and a
// proven upper bound on the number of servers.
package placement

import (
	"sync"

	"headroom/facility"
)

// Limit names what stops a server.
type Limit string

// The limits, in the order in which ties are named.
const (
	Power    Limit = "power"    // rack power
	Air      Limit = "air"      // rack or room air cooling, kW
	Airflow  Limit = "airflow"  // room airflow, m3/s
	Liquid   Limit = "liquid"   // rack or loop liquid cooling, kW
	Flow     Limit = "flow"     // coolant flow, L/min
	Space    Limit = "space"    // contiguous U
	Weight   Limit = "weight"   // kg
	Feed     Limit = "feed"     // a rack circuit after the worst single loss
	Phase    Limit = "phase"    // the worst leg of a circuit
	Upstream Limit = "upstream" // busway, PDU, UPS, transformer, utility after the worst single loss
	Plant    Limit = "plant"    // chiller, dry cooler at the design day
	Kind     Limit = "kind"     // the rack takes only air-cooled, or only liquid-cooled servers
	Order    Limit = "order"    // nothing: all that was asked for is placed
)

// Server is one placed server.
type Server struct {
	ID    string // "A01.u03": rack and lowest U
	Model int    // index in Facility.Models
	Rack  int    // index in Facility.Racks
	U     int    // lowest rack unit, from 1
}

// Refusal says why the next server does not go into a place, in numbers.
type Refusal struct {
	Limit Limit
	Where string  // rack, node or component
	Short float64 // by how much, in Unit
	Unit  string  // "W", "VA", "U", "kg", "m3/s", "L/min", "A"
	Need  float64 // of the server; of a line that several racks share, all it would carry
	Free  float64
}

// RackFit is one rack's answer.
type RackFit struct {
	Rack     int
	Servers  int
	UsedW    int64 // plan basis
	AirW     int64
	LiquidW  int64
	UsedU    int
	WeightKg float64
	FreeW    int64 // rack power limit less used and reserved, NoLimit if no limit
	FreeU    int
	// Max is how many of the first ordered model each limit alone would admit, with what else stands here;
	// absent: no limit stated. A limit shared with other racks is taken with those as placed, and counted
	// no further than this rack's space.
	Max       map[Limit]int
	Binding   Limit     // what stops the next server of the first ordered model
	Ties      []Limit   // the other limits that stop it too and alone would admit no more
	Next      []Refusal // every limit that refuses it, smallest relative shortage first
	PhaseW    [3]int64  // L1, L2, L3 in normal service
	NeutralW  [3]int64  // of PhaseW, what hangs between the line and the neutral
	FeedShare float64   // worst feed load over its limit after the worst single loss, NaN without limits
}

// Stranded is capacity that no server can use because another limit binds; NoLimit where the racks state none.
type Stranded struct {
	PowerW, AirW, LiquidW int64
	SpaceU                int
}

// StrandedBy is what is stranded in the racks that one limit binds.
type StrandedBy struct {
	Limit  Limit
	Racks  int
	PowerW int64 // NoLimit where the racks state none
	SpaceU int
}

// Failover is what is left after one single loss.
type Failover struct {
	Lost           string
	State          string  // "normal", "redundancy lost", "degraded", "lost"
	WorstLoadShare float64 // highest load over capacity among the survivors, NaN unknown
	Worst          string  // the survivor that carries it
	Racks          int     // racks not normal, as the others once overloaded survivors have tripped
	// RacksDegraded and RacksLost count the racks whose servers run slower or not at all, DegradedTo is the
	// least share of the plan basis that a degraded rack is left with (1 where none is).
	RacksDegraded, RacksLost int
	DegradedTo               float64
	// Fates lists the racks that are not normal then, once overloaded survivors have tripped; nil for pairs.
	Fates []RackFate
	// Trips lists the survivors that then open because they carry more than their rating, in order, and After
	// is the state once they have; State is the one before. Empty and State where none does.
	Trips []string
	After string
}

// NodeLoad is what one power node carries, at the plan basis.
type NodeLoad struct {
	// PhaseW is NormalW by line, L1 to L3; a load between two lines is half on each.
	PhaseW [3]int64
	// NeutralA is the current of the neutral in normal service, without harmonics; NaN where the voltage is not known.
	NeutralA float64
	// LegShare is the fullest line over what it may carry in the worst claimed loss, with the line from 0 and the
	// loss; NaN for single-phase nodes.
	LegShare float64
	Leg      int
	LegLost  string

	NormalW, WorstW int64
	CapacityW       int64 // with all units up, derated
	NormalShare     float64
	WorstShare      float64 // of what is up, after the worst single loss
	WorstLost       string  // that loss, "" where nothing raises the load
}

// Binding is one line of what stops the next server, over the site.
type Binding struct {
	Limit Limit
	Also  string // limits that tie with it, by commas: raising one alone admits nothing
	Where string
	Racks int // racks it stops
	Short float64
	Unit  string
}

// Claim is the verdict on one redundancy claim of the scenario.
type Claim struct {
	Where string
	Claim string // "2N", "N+1"
	Holds bool
	Why   string
}

// Line is the answer to one order.
type Line struct {
	Model  int
	Asked  int // math.MaxInt for max
	Placed int
	// Bound is proven: no placement that holds as many of the earlier lines holds more of this one.
	Bound int
	// Proof says where the bound comes from: "order" (all that is asked for is placed), "prices" (of the
	// relaxed limits), "cuts" or "search" (every placement was looked at).
	Proof string
}

// Gap is what is not proven of a layout: the share of Bound by which more servers might fit.
func (l *Layout) Gap() float64 {
	if l.Bound == 0 {
		return 0
	}
	return float64(l.Bound-len(l.Servers)) / float64(l.Bound)
}

// Layout is the placed building; everything after it reads it.
type Layout struct {
	Facility     *facility.Facility
	Servers      []Server
	Racks        []RackFit // one per rack of the facility, in its order
	Requested    int       // servers asked for; for max: the bound by space and rack limits alone
	RequestedMax bool
	Bound        int // sum over the lines: no placement that puts earlier lines first can hold more
	Lines        []Line
	Binding      []Binding
	Alone        []AloneLimit // in the order of the limits
	Stranded     Stranded
	StrandedBy   []StrandedBy // in the order of the limits; adds up to Stranded
	Failover     []Failover
	Claims       []Claim
	Warnings     []string
	// DemandW is the plan-basis demand at each power node's output in normal service, by node index.
	DemandW []int64
	// Loads is the same with the worst single loss, by node index.
	Loads []NodeLoad
	// Waterfall goes from what is installed to what is used and what is free.
	Waterfall Waterfall
	// Next says for each ordered model what stops its next server, at the site's best rack.
	Next []ModelNext

	upgrades     []Upgrade // for one more server, once they are asked for
	upgradesOnce sync.Once
}
