package scenarios

import (
	"fmt"
	"reflect"
	"strings"
)

// InputChange is one input in which two scenarios differ, as their resolved forms have it. "" stands for what is not
// stated and has no default.
type InputChange struct {
	Path string `json:"path"`
	From string `json:"from"`
	To   string `json:"to"`
}

// InputChanges lists the inputs in which b differs from a, defaults filled, in the order of the file. The name, which
// changes no figure, is left out; a list whose elements are named is compared by name. The last lines are files
// that both name and that hold something else.
func InputChanges(a, b *Scenario) []InputChange {
	var list []InputChange
	differ(&list, "", a.tree(), b.tree())
	digests := map[string][32]byte{}
	for _, in := range a.inputs {
		digests[in.name] = in.digest
	}
	for _, in := range b.inputs {
		if d, ok := digests[in.name]; ok && d != in.digest {
			list = append(list, InputChange{"file " + in.name, fmt.Sprintf("SHA-256 %x…", d[:4]), fmt.Sprintf("SHA-256 %x…", in.digest[:4])})
		}
	}
	return list
}

// tree is the resolved scenario without its name.
func (s *Scenario) tree() *node {
	s.building.Lock()
	defer s.building.Unlock()
	n := encodeSection(reflect.ValueOf(&s.file).Elem())
	n.remove("name")
	return n
}

// differ adds the places in which two trees differ; nil is a place that is not there.
func differ(list *[]InputChange, path string, a, b *node) {
	switch {
	case a != nil && b != nil && a.kind == mapNode && b.kind == mapNode:
		for i, k := range a.keys {
			differ(list, joinKey(path, k.value), a.items[i], b.get(k.value))
		}
		for i, k := range b.keys {
			if a.find(k.value) < 0 {
				differ(list, joinKey(path, k.value), nil, b.items[i])
			}
		}
		return
	case a != nil && b != nil && a.kind == listNode && b.kind == listNode && a.named() && b.named():
		for i, x := range a.items {
			var y *node
			if k := b.labelAt(x.label()); k >= 0 {
				y = b.items[k]
			}
			differ(list, joinPlace(path, i, x), x, y)
		}
		for i, y := range b.items {
			if a.labelAt(y.label()) < 0 {
				differ(list, joinPlace(path, i, y), nil, y)
			}
		}
		return
	case a != nil && b != nil && a.kind == listNode && b.kind == listNode && len(a.items) == len(b.items) && a.maps() && b.maps():
		for i, x := range a.items {
			differ(list, joinPlace(path, i, &node{}), x, b.items[i])
		}
		return
	}
	if from, to := a.inline(), b.inline(); from != to {
		*list = append(*list, InputChange{path, from, to})
	}
}

// named says whether every element of a list has a name of its own.
func (n *node) named() bool {
	for _, x := range n.items {
		if l := x.label(); l == "" || n.labelled(l) > 1 {
			return false
		}
	}
	return len(n.items) > 0
}

// maps says whether every element of a list is a map.
func (n *node) maps() bool {
	for _, x := range n.items {
		if x.kind != mapNode {
			return false
		}
	}
	return true
}

func (n *node) labelAt(name string) int {
	for i, x := range n.items {
		if x.label() == name {
			return i
		}
	}
	return -1
}

// inline writes a tree on one line, "" for one that is not there.
func (n *node) inline() string {
	if n == nil {
		return ""
	}
	var parts []string
	switch n.kind {
	case mapNode:
		for i, k := range n.keys {
			parts = append(parts, k.value+": "+n.items[i].inline())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case listNode:
		for _, x := range n.items {
			parts = append(parts, x.inline())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return n.value
}
