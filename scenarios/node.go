package scenarios

import "strconv"

// nodeKind is the shape of a node.
type nodeKind uint8

const (
	scalarNode nodeKind = iota
	listNode
	mapNode
)

// pos is a place in an input file.
type pos struct {
	file      string
	line, col int
}

// node is one element of a parsed file: a scalar, a list or a map in the order written. It keeps its
// place through overlays, so that an error in a decoded value still names the line it was written on.
type node struct {
	pos
	kind  nodeKind
	tag   string // of a scalar: "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp"
	value string
	keys  []*node // of a map, one per item
	items []*node
	flow  bool // print on one line
}

func (n *node) isNull() bool { return n == nil || n.kind == scalarNode && n.tag == "!!null" }

// get returns the value under a key of a map, nil if there is none.
func (n *node) get(key string) *node {
	if i := n.find(key); i >= 0 {
		return n.items[i]
	}
	return nil
}

// find returns the place of a key in a map, -1 if there is none.
func (n *node) find(key string) int {
	if n == nil || n.kind != mapNode {
		return -1
	}
	for i, k := range n.keys {
		if k.value == key {
			return i
		}
	}
	return -1
}

// set replaces the value under a key of a map or adds the key at the end.
func (n *node) set(key string, at pos, v *node) {
	if i := n.find(key); i >= 0 {
		n.items[i] = v
		return
	}
	n.keys = append(n.keys, &node{pos: at, tag: "!!str", value: key})
	n.items = append(n.items, v)
}

// remove takes a key out of a map.
func (n *node) remove(key string) {
	if i := n.find(key); i >= 0 {
		n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
		n.items = append(n.items[:i:i], n.items[i+1:]...)
	}
}

// clone returns a deep copy; variants change copies only.
func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	c := *n
	c.keys = make([]*node, len(n.keys))
	for i, k := range n.keys {
		c.keys[i] = k.clone()
	}
	c.items = make([]*node, len(n.items))
	for i, v := range n.items {
		c.items[i] = v.clone()
	}
	return &c
}

// label returns what names a list element: its row, name or id.
func (n *node) label() string {
	for _, k := range [...]string{"row", "name", "id"} {
		if v := n.get(k); v != nil && v.kind == scalarNode && v.value != "" {
			return v.value
		}
	}
	return ""
}

// describe says what a node is, for "got …".
func (n *node) describe() string {
	switch {
	case n.kind == listNode:
		return "a list of " + strconv.Itoa(len(n.items))
	case n.kind == mapNode && len(n.keys) > 0:
		return "a map with " + quoteShort(n.keys[0].value)
	case n.kind == mapNode:
		return "an empty map"
	case n.isNull():
		return "nothing"
	}
	return quoteShort(n.value)
}

// quoteShort quotes a text from a file, cut to a length that a message can hold.
func quoteShort(s string) string {
	const longest = 60
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	return strconv.Quote(s)
}

func scalar(value string) *node { return &node{tag: "!!str", value: value} }
