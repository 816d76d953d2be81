// Package power models the electrical graph of a building: what feeds what, how much each element may
// carry, what it loses at its actual load, and what carries what after a loss. It knows nothing of heat.
package power

// Kind says what a node is.
type Kind uint8

// The kinds of node, from the street to the rack.
const (
	Utility Kind = iota
	Generator
	Transformer
	Switchboard
	UPS
	Distribution // PDU, RPP, busway
	RackFeed     // the circuit, with its breaker, that ends at one rack
)

// Loss is loss as a fraction of rating: A + B·x + C·x², x the load as a fraction of rating.
type Loss struct {
	A, B, C float64
	Name    string // curve's name in the catalogue, "" for none
	Source  string
}

// Node is one element, or a group of identical units in parallel on one output bus.
type Node struct {
	ID        string // unique path: "utility", "ups[A]", "busway[A].B", "A01.A"
	Kind      Kind
	Side      string   // "A", "B" …, "" where the element serves all
	From      []string // IDs of what feeds it; load is shared equally by those that are up unless Transfer
	Transfer  bool     // with several sources: the first that is up carries all (static or automatic transfer)
	Units     int      // units in parallel, at least 1
	Redundant int      // units that may be lost with the claim kept: 0 for N, 1 for N+1
	RatingVA  float64  // of one unit, volt-amperes
	PF        float64  // power factor of the load behind it, (0, 1]
	Derate    float64  // share of the rating that may be used continuously, (0, 1]
	Loss      Loss
	VoltageLL float64 // V line to line, 0 where it does not matter
	Lines     Lines   // lines that it lies on: ThreePhase, or one or two of them
	AmpsRated float64 // rating in A where it was given in A, else 0
	BatteryS  float64 // s of ride-through at full load (UPS)
	StartS    float64 // s to accept load (generator)
	Element   string  // what it is called where Kind says too little: "static switch", "RPP", "power shelf"
	Line      int     // line of the scenario it comes from, 0 unknown
}
