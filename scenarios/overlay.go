package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"headroom/facility/units"
)

// overlay is one path set to one value.
type overlay struct {
	at    pos
	text  string // path as written
	value *node
}

// variant is a what-if as the file states it.
type variant struct {
	name string
	at   pos
	from string
	sets []overlay
}

// readVariants takes the variants out of a tree.
func readVariants(root *node, d *decoder) []variant {
	n := root.get("variants")
	root.remove("variants")
	if n.isNull() {
		return nil
	}
	if n.kind != mapNode {
		d.fail(n.pos, "variants", "", "want a map of variants by name (got %s)", n.describe())
		return nil
	}
	var list []variant
	for i, k := range n.keys {
		v := variant{name: k.value, at: k.pos}
		path := joinKey("variants", k.value)
		switch {
		case k.value == BaseName:
			d.fail(k.pos, path, "", "%q stands for the scenario itself; want another name", BaseName)
		case k.value == "" || strings.ContainsFunc(k.value, func(r rune) bool { return r == ',' || unicode.In(r, unicode.Cc, unicode.Cf) }):
			d.fail(k.pos, "variants", "", "a variant's name has letters, and no comma or control character (got %s)", quoteShort(k.value))
		}
		body := n.items[i]
		if body.isNull() {
			list = append(list, v)
			continue
		}
		if body.kind != mapNode {
			d.fail(body.pos, path, "", "want a map with set and from (got %s)", body.describe())
			continue
		}
		for j, key := range body.keys {
			value := body.items[j]
			switch {
			case value.isNull():
			case key.value == "from":
				if value.kind != scalarNode {
					d.fail(value.pos, joinKey(path, "from"), "", "want the name of a variant (got %s)", value.describe())
				}
				v.from = value.value
			case key.value == "set":
				if value.kind != mapNode {
					d.fail(value.pos, joinKey(path, "set"), "", "want a map of paths to values (got %s)", value.describe())
					continue
				}
				for m, p := range value.keys {
					v.sets = append(v.sets, overlay{at: p.pos, text: p.value, value: value.items[m]})
				}
			default:
				hint := ""
				if near, ok := units.Nearest(key.value, []string{"from", "set"}); ok {
					hint = fmt.Sprintf("did you mean %q?", near)
				}
				d.fail(key.pos, joinKey(path, key.value), hint, "unknown key (got %s, want one of from, set)", quoteShort(key.value))
			}
		}
		list = append(list, v)
	}
	checkVariants(list, d)
	return list
}

// checkVariants finds bases that do not exist, bases that go in a circle, and paths that are none.
func checkVariants(list []variant, d *decoder) {
	names := variantNames(list)
	for _, v := range list {
		for _, o := range v.sets {
			if _, err := parsePath(o.text); err != nil {
				d.fail(o.at, "", "", "%v", err)
			}
		}
		chain := []string{v.name}
		for at := v; at.from != ""; {
			i := slices.Index(names, at.from)
			if i < 0 {
				hint := ""
				if near, ok := units.Nearest(at.from, names); ok {
					hint = fmt.Sprintf("did you mean %q?", near)
				}
				if at.name == v.name {
					d.fail(v.at, joinKey("variants", v.name)+".from", hint, "unknown variant (got %s, want one of %s)", quoteShort(at.from), strings.Join(names, ", "))
				}
				break
			}
			at = list[i]
			chain = append(chain, at.name)
			if at.name == v.name {
				d.fail(v.at, joinKey("variants", v.name)+".from", "", "variants that begin from each other in a circle: %s", strings.Join(chain, " → "))
				break
			}
			if len(chain) > len(list) { // a circle further up, told where it is
				break
			}
		}
	}
}

func variantNames(list []variant) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.name
	}
	return names
}

// chain returns the overlays of a variant, those of its bases first.
func chain(list []variant, name string) []overlay {
	names := variantNames(list)
	var sets []overlay
	for n := 0; name != "" && n <= len(list); n++ {
		i := slices.Index(names, name)
		if i < 0 {
			break
		}
		sets = append(slices.Clone(list[i].sets), sets...)
		name = list[i].from
	}
	return sets
}

// apply sets one path of a tree. Maps that are missing on the way are made; elements of lists are not.
func (o overlay) apply(root *node, d *decoder) {
	steps, err := parsePath(o.text)
	if err != nil {
		d.fail(o.at, "", "", "%v", err)
		return
	}
	if steps[0].key == "variants" {
		d.fail(o.at, o.text, "", "a path inside variants has no effect once a variant is chosen; set the path itself")
		return
	}
	at := root
	for i, s := range steps {
		last := i == len(steps)-1
		here := pathString(steps[:i])
		if s.element {
			if at.kind == listNode {
				j := at.element(s)
				if n := at.labelled(s.key); n > 1 {
					d.fail(o.at, pathString(steps[:i+1]), "pick one by its place, from 0", "%d elements are called %s", n, s.key)
					return
				}
				if j < 0 {
					d.fail(o.at, pathString(steps[:i+1]), at.elementHint(s), "no such element (got [%s], want %s)", s.key, at.elements())
					return
				}
				if last {
					at.items[j] = o.value.clone()
					return
				}
				at = at.items[j]
				continue
			}
			if at.kind != mapNode || at.find(s.key) < 0 {
				d.fail(o.at, pathString(steps[:i+1]), "", "no such element (got [%s], and %s is %s)", s.key, here, at.describe())
				return
			}
		}
		switch {
		case at.kind == listNode:
			d.fail(o.at, pathString(steps[:i+1]), fmt.Sprintf("pick an element: %s[…].%s", here, s.key), "%s is a list (want %s)", here, at.elements())
			return
		case at.kind == scalarNode:
			d.fail(o.at, pathString(steps[:i+1]), "", "%s holds %s, which has no keys", here, at.describe())
			return
		}
		next := at.get(s.key)
		switch {
		case last && o.value.isNull():
			at.remove(s.key)
			return
		case last:
			at.set(s.key, o.at, o.value.clone())
			return
		case next.isNull():
			if steps[i+1].element {
				d.fail(o.at, pathString(steps[:i+2]), "", "%s is not in the file, so it has no element [%s]", pathString(steps[:i+1]), steps[i+1].key)
				return
			}
			next = &node{pos: o.at, kind: mapNode}
			at.set(s.key, o.at, next)
		case shorthand[s.key] != "" && next.kind == scalarNode:
			m := &node{pos: next.pos, kind: mapNode}
			m.set(shorthand[s.key], next.pos, next)
			at.set(s.key, o.at, m)
			next = m
		}
		at = next
	}
}

// shorthand lists the keys whose one-word form stands for one key of a map; a path below them opens it.
var shorthand = map[string]string{"cdus": "count", "length": "median", "checkpoint": "interval"}

// element returns the place of a list element by name or place, -1 if there is none. A name wins over a
// place, so that a row called 2 can be meant.
func (n *node) element(s step) int {
	for i, x := range n.items {
		if x.label() == s.key || x.kind == mapNode && x.get("at") != nil && x.get("at").value == s.key {
			return i
		}
	}
	if s.place >= 0 && s.place < len(n.items) {
		return s.place
	}
	return -1
}

// labelled counts the list elements of a name.
func (n *node) labelled(name string) int {
	count := 0
	for _, x := range n.items {
		if x.label() == name {
			count++
		}
	}
	return count
}

func (n *node) labels() []string {
	var names []string
	for _, x := range n.items {
		if l := x.label(); l != "" {
			names = append(names, l)
		}
	}
	return names
}

// elements says what may stand in the brackets.
func (n *node) elements() string {
	if len(n.items) == 0 {
		return "none: the list is empty"
	}
	s := "a place from 0 to " + fmt.Sprint(len(n.items)-1)
	if len(n.items) == 1 {
		s = "place 0"
	}
	if l := n.labels(); len(l) > 0 && len(l) <= 12 {
		s += " or one of " + strings.Join(l, ", ")
	}
	return s
}

func (n *node) elementHint(s step) string {
	if near, ok := units.Nearest(s.key, n.labels()); ok {
		return fmt.Sprintf("did you mean [%s]?", near)
	}
	return ""
}
