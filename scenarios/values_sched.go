package scenarios

import (
	"strings"

	"headroom/facility/units"
	"headroom/sim/sched"
)

// orderWord and placeWord name policies. The policies say their own names: one that is added needs no change here.
type (
	orderWord string
	placeWord string
)

func (v *orderWord) decode(d *decoder, n *node, path string) {
	*v = orderWord(policyWord(d, n, path, sched.Names(sched.AllOrders())))
}

func (v *placeWord) decode(d *decoder, n *node, path string) {
	*v = placeWord(policyWord(d, n, path, sched.Names(sched.AllPlacements())))
}

func policyWord(d *decoder, n *node, path string, names []string) string {
	for _, name := range names {
		if n.kind == scalarNode && n.value == name {
			return name
		}
	}
	hint := ""
	if near, ok := units.Nearest(n.value, names); ok {
		hint = didYouMean(near)
	}
	d.fail(n.pos, path, hint, "no such policy (got %s, want one of %s)", n.describe(), strings.Join(names, ", "))
	return ""
}

func (v *orderWord) encode() *node { return policyNode(string(*v)) }
func (v *placeWord) encode() *node { return policyNode(string(*v)) }

func policyNode(name string) *node {
	if name == "" {
		return nil
	}
	return scalar(name)
}

func (v *orderWord) schema() map[string]any { return policySchema(sched.Names(sched.AllOrders())) }
func (v *placeWord) schema() map[string]any { return policySchema(sched.Names(sched.AllPlacements())) }

func policySchema(names []string) map[string]any {
	list := make([]any, len(names))
	for i, n := range names {
		list[i] = n
	}
	return map[string]any{"enum": list}
}

// quantiles are durations from the shortest to the longest, at equal shares.
type quantiles []Quantity

func (v *quantiles) decode(d *decoder, n *node, path string) {
	if n.kind != listNode || len(n.items) < 2 {
		d.fail(n.pos, path, "", "want a list of at least two durations from the shortest to the longest (got %s)", n.describe())
		return
	}
	for i, x := range n.items {
		s, err := units.Parse(units.Duration, x.value)
		switch {
		case x.kind != scalarNode || err != nil || s < 0:
			d.fail(x.pos, joinPlace(path, i, x), "", "want a duration such as 10 min (got %s)", x.describe())
		case i > 0 && len(*v) == i && s < (*v)[i-1].V:
			d.fail(x.pos, joinPlace(path, i, x), "", "shorter than the one before it (got %s)", x.describe())
		}
		*v = append(*v, Quantity{V: s, Given: true, text: x.value, pos: x.pos})
	}
}

func (v *quantiles) encode() *node {
	if len(*v) == 0 {
		return nil
	}
	n := &node{kind: listNode, flow: true}
	for _, q := range *v {
		n.items = append(n.items, plain(formatQuantity(units.Duration, q.V)))
	}
	return n
}

func (v *quantiles) schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "minItems": 2}
}
