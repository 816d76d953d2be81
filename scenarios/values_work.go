package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"headroom/facility/units"
)

// sizeMix is one number of GPUs, or sizes with their weights in the order written.
type sizeMix struct {
	Sizes   []int
	Weights []uint64
	One     bool // written as one number
}

const (
	maxJobGPUs = 10_000_000
	maxWeight  = 1_000_000_000
)

func (v *sizeMix) decode(d *decoder, n *node, path string) {
	gpus := func(x *node, path string) (int, bool) {
		i, err := strconv.Atoi(x.value)
		if x.kind != scalarNode || err != nil || i < 1 || i > maxJobGPUs {
			d.fail(x.pos, path, "", "want a whole number of GPUs from 1 to %d (got %s)", maxJobGPUs, x.describe())
			return 0, false
		}
		return i, true
	}
	switch n.kind {
	case scalarNode:
		if i, ok := gpus(n, path); ok {
			v.One, v.Sizes, v.Weights = true, []int{i}, []uint64{1}
		}
	case mapNode:
		if len(n.keys) == 0 {
			d.fail(n.pos, path, "", "want at least one size (got an empty map)")
		}
		for i, k := range n.keys {
			at := joinKey(path, k.value)
			size, ok := gpus(k, at)
			w, err := strconv.ParseUint(n.items[i].value, 10, 64)
			if n.items[i].kind != scalarNode || err != nil || w < 1 || w > maxWeight {
				d.fail(n.items[i].pos, at, "", "want a whole weight from 1 to %d (got %s)", maxWeight, n.items[i].describe())
				continue
			}
			if ok && slices.Contains(v.Sizes, size) {
				d.fail(k.pos, at, "", "the size %d stands twice", size)
			} else if ok {
				v.Sizes, v.Weights = append(v.Sizes, size), append(v.Weights, w)
			}
		}
	default:
		d.fail(n.pos, path, "", "want a number of GPUs, or sizes with weights such as {64: 3, 128: 1} (got %s)", n.describe())
	}
}

func (v *sizeMix) encode() *node {
	if len(v.Sizes) == 0 {
		return nil
	}
	if v.One {
		return plain(strconv.Itoa(v.Sizes[0]))
	}
	n := &node{kind: mapNode, flow: true}
	for i, s := range v.Sizes {
		n.keys = append(n.keys, plain(strconv.Itoa(s)))
		n.items = append(n.items, plain(strconv.FormatUint(v.Weights[i], 10)))
	}
	return n
}

func (v *sizeMix) schema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "integer", "minimum": 1},
		map[string]any{
			"type": "object", "minProperties": 1,
			"patternProperties":    map[string]any{"^[1-9][0-9]*$": map[string]any{"type": "integer", "minimum": 1}},
			"additionalProperties": false,
		},
	}}
}

// lengthPart is a log-normal run time by its median and 95th percentile; one duration alone is constant.
type lengthPart struct {
	origin
	Median    Quantity  `yaml:"median" unit:"duration" above:"0" doc:"Half of the jobs are shorter." example:"20 h"`
	Weibull   *float64  `yaml:"weibull" min:"0.05" max:"50" doc:"Shape of a Weibull distribution of this median, in place of the log-normal one." example:"0.7"`
	Quantiles quantiles `yaml:"quantiles" doc:"The distribution itself: durations from the shortest to the longest at equal shares, in place of median and p95." example:"[1 min, 10 min, 2 d]"`
	P95       Quantity  `yaml:"p95" unit:"duration" above:"0" doc:"95% of the jobs are shorter; the median where it is not stated, and then all are equal." example:"5 d"`
}

func (v *lengthPart) decode(d *decoder, n *node, path string) {
	decodeShort(d, v, n, path, "median")
}

func (v *lengthPart) encode() *node { return encodeStruct(v) }

func (v *lengthPart) schema() map[string]any {
	return shortDuration(v, "20 h")
}

// checkPart is how a job is checkpointed; one duration alone is the interval, none is no checkpoints.
type checkPart struct {
	origin
	Interval Quantity `yaml:"interval" unit:"duration" above:"0" doc:"Work between two checkpoints; Young's interval from the failure rate where it is not stated." example:"30 min"`
	Cost     Quantity `yaml:"cost" unit:"duration" default:"30 s" doc:"Time a checkpoint takes (30 s for a large job on fast storage, assumed)."`
	None     bool     // the word none
}

func (v *checkPart) decode(d *decoder, n *node, path string) {
	if n.kind == scalarNode && n.value == "none" {
		*v = checkPart{None: true}
		return
	}
	decodeShort(d, v, n, path, "interval")
}

func (v *checkPart) encode() *node {
	if v.None {
		return scalar("none")
	}
	return encodeStruct(v)
}

func (v *checkPart) schema() map[string]any {
	return shortDuration(v, "30 min", "none")
}

// decodeShort fills a section from its map, or from one scalar that stands for one of its keys.
func decodeShort(d *decoder, section any, n *node, path, key string) {
	if n.kind == scalarNode {
		m := &node{pos: n.pos, kind: mapNode}
		m.set(key, n.pos, n)
		n = m
	}
	d.section(reflect.ValueOf(section).Elem(), n, path)
}

func encodeStruct(section any) *node {
	n := encodeSection(reflect.ValueOf(section).Elem())
	n.flow = true
	return n
}

// profile is the load of a service over time as a share of its peak.
type profile struct {
	Name   string    // "constant", "diurnal", "" for shares
	Shares []float64 // 24 or 168
	Given  bool
}

func (v *profile) decode(d *decoder, n *node, path string) {
	switch {
	case n.kind == scalarNode && (n.value == "constant" || n.value == "diurnal"):
		v.Name, v.Given = n.value, true
	case n.kind == listNode && (len(n.items) == 24 || len(n.items) == 168):
		for i, x := range n.items {
			s, err := units.Parse(units.Share, x.value)
			if x.kind != scalarNode || err != nil {
				d.fail(x.pos, fmt.Sprintf("%s[%d]", path, i), "", "want a share from 0 to 1 or 0%% to 100%% (got %s)", x.describe())
			}
			v.Shares = append(v.Shares, s)
		}
		v.Given = true
	default:
		d.fail(n.pos, path, "", "want constant, diurnal, or a list of 24 or 168 shares (got %s)", n.describe())
	}
}

func (v *profile) encode() *node {
	if !v.Given {
		return nil
	}
	if v.Name != "" {
		return scalar(v.Name)
	}
	n := &node{kind: listNode, flow: true}
	for _, s := range v.Shares {
		n.items = append(n.items, plain(strconv.FormatFloat(s, 'g', -1, 64)))
	}
	return n
}

func (v *profile) schema() map[string]any {
	share := map[string]any{"type": []any{"number", "string"}}
	list := func(n int) map[string]any {
		return map[string]any{"type": "array", "items": share, "minItems": n, "maxItems": n}
	}
	return map[string]any{"anyOf": []any{map[string]any{"enum": []any{"constant", "diurnal"}}, list(24), list(168)}}
}

// textMap is a map of texts in the order written.
type textMap struct{ Keys, Values []string }

func (v *textMap) decode(d *decoder, n *node, path string) {
	if n.kind != mapNode {
		d.fail(n.pos, path, "", "want a map of columns to texts (got %s)", n.describe())
		return
	}
	for i, k := range n.keys {
		if n.items[i].kind != scalarNode {
			d.fail(n.items[i].pos, joinKey(path, k.value), "", "want a text (got %s)", n.items[i].describe())
			continue
		}
		v.Keys, v.Values = append(v.Keys, k.value), append(v.Values, n.items[i].value)
	}
}

func (v *textMap) encode() *node {
	if len(v.Keys) == 0 {
		return nil
	}
	n := &node{kind: mapNode, flow: true}
	for i, k := range v.Keys {
		n.keys, n.items = append(n.keys, scalar(k)), append(n.items, scalar(v.Values[i]))
	}
	return n
}

func (v *textMap) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []any{"string", "number", "boolean"}}}
}

// plantMap is the plants by name, in the order written.
type plantMap struct {
	Names []string
	Lines []*plantLine
}

func (v *plantMap) decode(d *decoder, n *node, path string) {
	if n.kind != mapNode {
		d.fail(n.pos, path, "", "want plants by name such as chilled-water: {type: …} (got %s)", n.describe())
		return
	}
	for i, k := range n.keys {
		if n.items[i].isNull() {
			continue
		}
		p := &plantLine{}
		d.section(reflect.ValueOf(p).Elem(), n.items[i], joinKey(path, k.value))
		v.Names, v.Lines = append(v.Names, k.value), append(v.Lines, p)
	}
}

func (v *plantMap) encode() *node {
	if len(v.Names) == 0 {
		return nil
	}
	n := &node{kind: mapNode}
	for i, name := range v.Names {
		n.keys = append(n.keys, scalar(name))
		n.items = append(n.items, encodeSection(reflect.ValueOf(v.Lines[i]).Elem()))
	}
	return n
}

func (v *plantMap) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": sectionSchema(reflect.TypeFor[plantLine]())}
}

// index returns the place of a plant, -1 if there is none of the name.
func (v *plantMap) index(name string) int { return slices.Index(v.Names, name) }

// cduValue is a number of CDUs, or a map that says more about them.
type cduValue struct{ part *cduPart }

func (v *cduValue) decode(d *decoder, n *node, path string) {
	v.part = &cduPart{}
	decodeShort(d, v.part, n, path, "count")
}

func (v *cduValue) encode() *node {
	if v.part == nil {
		return nil
	}
	return encodeSection(reflect.ValueOf(v.part).Elem())
}

func (v *cduValue) schema() map[string]any {
	return shortSchema(&cduPart{}, map[string]any{"type": "integer", "minimum": 1})
}

// rawMap is a part of the file that another package reads.
type rawMap struct{ n *node }

func (v *rawMap) decode(d *decoder, n *node, path string) {
	if n.kind != mapNode {
		d.fail(n.pos, path, "", "want a map of catalogue kinds (got %s)", n.describe())
		return
	}
	v.n = n
}

func (v *rawMap) encode() *node { return v.n }
func (v *rawMap) schema() map[string]any {
	return map[string]any{"type": "object", "examples": []any{map[string]any{"servers": map[string]any{"my-box": map[string]any{"like": "dgx-h100", "nameplate": "9 kW"}}}}}
}

// variantMap stands for the variants in the schema; overlays take them out of the tree before it is
// decoded.
type variantMap struct{}

func (v *variantMap) decode(*decoder, *node, string) {}
func (v *variantMap) encode() *node                  { return nil }

func (v *variantMap) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{
		"type": "object", "additionalProperties": false,
		"properties": map[string]any{
			"from": map[string]any{"type": "string", "description": "Variant that this one begins from; the scenario itself where it is not stated.", "examples": []any{"liquid-48"}},
			"set":  map[string]any{"type": "object", "description": "Paths and the values they are set to.", "examples": []any{map[string]any{"racks[A].power": "78 kW"}}},
		},
	}}
}
