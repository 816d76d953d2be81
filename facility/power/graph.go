package power

// Graph is the electrical graph; nodes stand parents before children, and an index in Nodes names a
// node everywhere else. It does not change once built and may be shared between goroutines.
type Graph struct {
	Nodes []Node
}
