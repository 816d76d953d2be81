package power

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Graph is the electrical graph; nodes stand parents before children, and an index in Nodes names a
// node everywhere else. It does not change once built and may be shared between goroutines.
type Graph struct {
	Nodes []Node

	index    map[string]int
	parents  [][]int // in the order of Node.From
	children [][]int // ascending
}

// Error is one thing that is wrong with a graph.
type Error struct {
	ID   string // of the node
	Line int    // of the scenario, 0 unknown
	Msg  string
}

func (e Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: power node %q: %s", e.Line, e.ID, e.Msg)
	}
	return fmt.Sprintf("power node %q: %s", e.ID, e.Msg)
}

// Errors is everything that is wrong with a graph, in the order of its nodes.
type Errors []Error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// New checks the nodes, puts parents before children (nodes already in such an order keep it) and
// returns the graph. The error, if any, is an Errors with every problem found.
func New(nodes []Node) (*Graph, error) {
	var errs Errors
	first := make(map[string]int, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		errs = append(errs, n.check()...)
		if j, ok := first[n.ID]; ok && n.ID != "" {
			errs = append(errs, n.errorf("is defined twice: the first is node %d, line %d", j+1, nodes[j].Line))
			continue
		}
		first[n.ID] = i
	}
	parents := make([][]int, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		for k, id := range n.From {
			p, ok := first[id]
			switch {
			case !ok:
				errs = append(errs, n.errorf("is fed from %q, which does not exist%s", id, nearest(id, nodes)))
			case slices.Contains(n.From[:k], id):
				errs = append(errs, n.errorf("names %q twice as its source", id))
			default:
				parents[i] = append(parents[i], p)
			}
		}
	}
	for i := range nodes {
		for _, p := range parents[i] {
			if on, from := nodes[i].Lines, nodes[p].Lines; !nodes[i].PassesLines() {
				continue // it makes lines of its own
			} else if from != ThreePhase && (on == ThreePhase || on&^from != 0) {
				errs = append(errs, nodes[i].errorf("lies on %s, and %s, which feeds it, on %s only", on, nodes[p].ID, from))
			}
		}
	}
	order, cycles := sortParentsFirst(nodes, parents)
	errs = append(errs, cycles...)
	if len(errs) > 0 {
		return nil, errs
	}

	at := make([]int, len(nodes)) // old index to new
	for now, old := range order {
		at[old] = now
	}
	g := &Graph{
		Nodes:    make([]Node, len(nodes)),
		index:    make(map[string]int, len(nodes)),
		parents:  make([][]int, len(nodes)),
		children: make([][]int, len(nodes)),
	}
	for now, old := range order {
		g.Nodes[now] = nodes[old]
		g.Nodes[now].From = slices.Clone(nodes[old].From)
		g.index[nodes[old].ID] = now
		for _, p := range parents[old] {
			g.parents[now] = append(g.parents[now], at[p])
			g.children[at[p]] = append(g.children[at[p]], now)
		}
	}
	return g, nil
}

func (n *Node) errorf(format string, args ...any) Error {
	return Error{ID: n.ID, Line: n.Line, Msg: fmt.Sprintf(format, args...)}
}

// check returns what is wrong with a node by itself.
func (n *Node) check() (errs Errors) {
	bad := func(format string, args ...any) { errs = append(errs, n.errorf(format, args...)) }
	if n.ID == "" {
		bad("has no id")
	}
	if n.Kind > RackFeed {
		bad("is of unknown kind %d", n.Kind)
	}
	isSource := n.Kind == Utility || n.Kind == Generator
	if isSource && len(n.From) > 0 {
		bad("is a %s and cannot be fed from %s", n.Kind, strings.Join(n.From, ", "))
	}
	if !isSource && len(n.From) == 0 {
		bad("is an orphan: nothing feeds this %s", n.Kind)
	}
	if n.Units < 1 {
		bad("has %d units (want at least 1)", n.Units)
	}
	if n.Redundant < 0 || n.Redundant >= max(n.Units, 1) {
		bad("claims %d redundant of %d units (want 0 or more, and fewer than the units)", n.Redundant, n.Units)
	}
	if !(n.RatingVA > 0 && n.RatingVA <= maxRatingVA) {
		bad("has a rating of %g VA (want above 0, at most %g)", n.RatingVA, maxRatingVA)
	}
	if !(n.PF > 0 && n.PF <= 1) {
		bad("has a power factor of %g (want above 0, at most 1)", n.PF)
	}
	if n.Lines != ThreePhase && n.Lines.Way() < 0 {
		bad("lies on lines that do not exist (%d)", n.Lines)
	}
	if !(n.Derate > 0 && n.Derate <= 1) {
		bad("has a derate of %g (want above 0, at most 1)", n.Derate)
	}
	for _, v := range []struct {
		name string
		v    float64
	}{{"voltage", n.VoltageLL}, {"current rating", n.AmpsRated}, {"battery time", n.BatteryS}, {"start time", n.StartS}} {
		if v.v < 0 || math.IsNaN(v.v) || math.IsInf(v.v, 0) {
			bad("has a %s of %g (want a finite number, 0 or more)", v.name, v.v)
		}
	}
	if msg := n.Loss.check(); msg != "" {
		bad("has a loss curve that %s", msg)
	}
	return errs
}

// maxRatingVA keeps every sum of powers far inside what an int64 holds in the units of Flow.
const maxRatingVA = 1e10

// check says what is wrong with a curve, "" if nothing is.
func (l Loss) check() string {
	for _, v := range []float64{l.A, l.B, l.C} {
		if math.IsNaN(v) || math.Abs(v) > 1 {
			return fmt.Sprintf("has a coefficient of %g (want between -1 and 1)", v)
		}
	}
	if l.A < 0 || l.At(1) < 0 {
		return fmt.Sprintf("gives energy away: loss %g at no load, %g at rated load", l.A, l.At(1))
	}
	if l.C > 0 {
		if x := -l.B / (2 * l.C); x > 0 && x < 1 && l.At(x) < 0 {
			return fmt.Sprintf("gives energy away: loss %g at %.0f %% load", l.At(x), 100*x)
		}
	}
	if l.C < 0 || l.B <= -1 {
		return "falls without end as load grows"
	}
	return ""
}

// At returns the loss as a fraction of rating at load x, a fraction of rating.
func (l Loss) At(x float64) float64 { return l.A + x*(l.B+x*l.C) }

// sortParentsFirst visits nodes in order, each after its parents, and names every cycle it meets.
func sortParentsFirst(nodes []Node, parents [][]int) (order []int, errs Errors) {
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, len(nodes))
	var path []int
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		path = append(path, i)
		for _, p := range parents[i] {
			switch state[p] {
			case unseen:
				visit(p)
			case open:
				var ids []string
				for _, k := range path[slices.Index(path, p):] {
					ids = append(ids, nodes[k].ID)
				}
				slices.Reverse(ids) // path runs from child to parent
				ids = append(ids, ids[0])
				errs = append(errs, nodes[p].errorf("is part of a cycle of feeds: %s", strings.Join(ids, " → ")))
			}
		}
		path = path[:len(path)-1]
		state[i] = done
		order = append(order, i)
	}
	for i := range nodes {
		if state[i] == unseen {
			visit(i)
		}
	}
	return order, errs
}

// nearest returns ", nearest is …" with the id that shares the longest start, "" if none does.
func nearest(id string, nodes []Node) string {
	best, length := "", 1
	for i := range nodes {
		k := 0
		for k < len(id) && k < len(nodes[i].ID) && id[k] == nodes[i].ID[k] {
			k++
		}
		if k > length {
			best, length = nodes[i].ID, k
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; nearest is %q", best)
}

// Index returns the index of the node with an id.
func (g *Graph) Index(id string) (int, bool) {
	i, ok := g.index[id]
	return i, ok
}

// Children returns the nodes that node i feeds, ascending. The slice must not be changed.
func (g *Graph) Children(i int) []int { return g.children[i] }

// Parents returns the nodes that feed node i, in the order of its From. The slice must not be changed.
func (g *Graph) Parents(i int) []int { return g.parents[i] }

// floorTolerance is how far below a whole number a float64 product may lie and still be that number:
// 0.8 × 53,625 VA is 42,900 VA, whatever the last bit says.
const floorTolerance = 1e-12

// CapacityVA returns what a node may carry continuously with some of its units up: rating × units ×
// derate, in VA, rounded down.
func (g *Graph) CapacityVA(node, unitsUp int) int64 {
	n := &g.Nodes[node]
	return floor(n.RatingVA * float64(unitsUp) * n.Derate)
}

// CapacityW is CapacityVA times the node's power factor, in W, rounded down once.
func (g *Graph) CapacityW(node, unitsUp int) int64 {
	n := &g.Nodes[node]
	return floor(n.RatingVA * float64(unitsUp) * n.Derate * n.PF)
}

func floor(x float64) int64 { return int64(math.Floor(x * (1 + floorTolerance))) }

// Ancestors returns node i and everything it can be fed through, ascending.
func (g *Graph) Ancestors(i int) []int {
	seen := map[int]bool{i: true}
	all := []int{i}
	for k := 0; k < len(all); k++ {
		for _, p := range g.parents[all[k]] {
			if !seen[p] {
				seen[p] = true
				all = append(all, p)
			}
		}
	}
	slices.Sort(all)
	return all
}

// SharedAncestors returns the nodes that stand above both a and b (or are a or b themselves), ascending.
// Two feeds that share one are not 2N beyond it.
func (g *Graph) SharedAncestors(a, b int) []int {
	of := g.Ancestors(b)
	var shared []int
	for _, n := range g.Ancestors(a) {
		if _, ok := slices.BinarySearch(of, n); ok {
			shared = append(shared, n)
		}
	}
	return shared
}

// PassesLines says whether what a node draws lies on the lines that its own load lies on. A three-phase UPS with a
// rectifier draws evenly whatever its output does, and what a three-phase transformer draws follows its windings: the
// input of both is taken as even.
func (n *Node) PassesLines() bool {
	return n.Lines != ThreePhase || (n.Kind != UPS && n.Kind != Transformer)
}

var kindNames = [...]string{"utility", "generator", "transformer", "switchboard", "UPS", "distribution", "rack feed"}

// String returns the field term for a kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}
