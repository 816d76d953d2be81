package scenarios

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"headroom/facility/units"
)

// origin remembers where a section was written; every section embeds it.
type origin struct {
	at   pos
	path string
	keys map[string]pos // places of the values that were written
}

func (o *origin) setOrigin(x origin) { *o = x }

// of returns the place of a key's value, or of the section where the key was not written.
func (o *origin) of(key string) pos {
	if p, ok := o.keys[key]; ok {
		return p
	}
	return o.at
}

// has says whether a key was written.
func (o *origin) has(key string) bool { _, ok := o.keys[key]; return ok }

// decoder collects every problem while it fills typed sections from a tree.
//
// A field's tags say all there is to know about its key:
//
//	yaml      its name
//	unit      dimension of a Quantity, see dimensionTags
//	default   text that stands for a key not written
//	required  "true": a problem when it is not written
//	min, max  bounds of a number in its base unit; above is a bound that may not be reached
//	enum      the words allowed, by commas
//	doc       one sentence for the schema
//	example   for the schema
type decoder struct {
	problems Problems
}

func (d *decoder) fail(at pos, path, hint, format string, a ...any) {
	d.problems = append(d.problems, Problem{
		File: at.file, Line: at.line, Col: at.col, Path: path, Msg: fmt.Sprintf(format, a...), Hint: hint,
	})
}

// custom is a value with a form of its own.
type custom interface {
	decode(d *decoder, n *node, path string)
	encode() *node // nil: nothing to print
	schema() map[string]any
}

var originType = reflect.TypeFor[origin]()

// isSection says whether a struct is read from a map of its fields.
func isSection(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(custom)
	return !ok && t.NumField() > 0 && t.Field(0).Type == originType
}

// section fills a struct from a map.
func (d *decoder) section(v reflect.Value, n *node, path string) {
	t := v.Type()
	o := origin{at: n.pos, path: path, keys: map[string]pos{}}
	shapeless := n.kind != mapNode
	if shapeless {
		d.fail(n.pos, path, "", "want a map of keys (got %s)", n.describe())
		n = &node{pos: n.pos, kind: mapNode}
	}
	names := fieldNames(t)
	for i, k := range n.keys {
		if !slices.Contains(names, k.value) {
			hint := ""
			if near, ok := units.Nearest(k.value, names); ok {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			d.fail(k.pos, joinKey(path, k.value), hint, "unknown key (got %s, want one of %s)", quoteShort(k.value), strings.Join(names, ", "))
			continue
		}
		if !n.items[i].isNull() {
			o.keys[k.value] = n.items[i].pos
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == originType {
			v.Addr().Interface().(interface{ setOrigin(origin) }).setOrigin(o)
			continue
		}
		name := f.Tag.Get("yaml")
		if name == "" {
			continue
		}
		value := n.get(name)
		if value.isNull() {
			def, ok := f.Tag.Lookup("default")
			if !ok && f.Type.Kind() == reflect.Struct && isSection(f.Type) {
				// A section that is not written still has its defaults.
				d.section(v.Field(i), &node{pos: n.pos, kind: mapNode}, joinKey(path, name))
				continue
			}
			if !ok {
				if f.Tag.Get("required") == "true" && !shapeless {
					d.fail(n.pos, joinKey(path, name), wantHint(f), "a required key is missing")
				}
				continue
			}
			value = &node{pos: n.pos, tag: "!!str", value: def}
			d.defaulted(v.Field(i), f, value, joinKey(path, name))
			continue
		}
		d.value(v.Field(i), f, value, joinKey(path, name))
	}
}

// defaulted fills a field from its default tag; a text default needs the tag its type expects.
func (d *decoder) defaulted(v reflect.Value, f reflect.StructField, n *node, path string) {
	if _, err := strconv.ParseInt(n.value, 10, 64); err == nil {
		n.tag = "!!int"
	} else if _, err := strconv.ParseFloat(n.value, 64); err == nil {
		n.tag = "!!float"
	} else if n.value == "true" || n.value == "false" {
		n.tag = "!!bool"
	}
	d.value(v, f, n, path)
}

func wantHint(f reflect.StructField) string {
	if e := f.Tag.Get("example"); e != "" {
		return fmt.Sprintf("write, for example, %s: %s", f.Tag.Get("yaml"), e)
	}
	if dim, ok := dimensionTags[f.Tag.Get("unit")]; ok {
		return fmt.Sprintf("write, for example, %s: %s", f.Tag.Get("yaml"), dim.Example())
	}
	return ""
}

// fieldNames lists the keys of a section in the order of its fields.
func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if n := t.Field(i).Tag.Get("yaml"); n != "" {
			names = append(names, n)
		}
	}
	return names
}

func (d *decoder) value(v reflect.Value, f reflect.StructField, n *node, path string) {
	if c, ok := v.Addr().Interface().(custom); ok {
		c.decode(d, n, path)
		return
	}
	switch p := v.Addr().Interface().(type) {
	case *Quantity:
		*p = d.quantity(f, n, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		e := reflect.New(v.Type().Elem())
		before := len(d.problems)
		d.value(e.Elem(), f, n, path)
		// A number that failed stays unset; a section is kept so that its other problems are found.
		if v.Type().Elem().Kind() == reflect.Struct || len(d.problems) == before {
			v.Set(e)
		}
	case reflect.Struct:
		d.section(v, n, path)
	case reflect.Slice:
		if n.kind != listNode {
			d.fail(n.pos, path, "put a dash before each element, or brackets around them", "want a list (got %s)", n.describe())
			return
		}
		if len(n.items) == 0 && f.Tag.Get("required") == "true" {
			d.fail(n.pos, path, "", "want at least one element (got an empty list)")
		}
		for i, item := range n.items {
			e := reflect.New(v.Type().Elem()).Elem()
			d.value(e, f, item, joinPlace(path, i, item))
			v.Set(reflect.Append(v, e))
		}
	case reflect.String:
		v.SetString(d.word(f, n, path))
	case reflect.Bool:
		switch {
		case n.kind == scalarNode && n.value == "true":
			v.SetBool(true)
		case n.kind == scalarNode && n.value == "false":
			v.SetBool(false)
		default:
			d.fail(n.pos, path, "", "want true or false (got %s)", n.describe())
		}
	case reflect.Int, reflect.Uint64:
		d.integer(v, f, n, path)
	case reflect.Float64:
		if x, ok := d.number(n, path); ok {
			d.bounds(f, x, n, path, n.value)
			v.SetFloat(x)
		}
	default:
		panic("scenarios: no decoder for " + v.Type().String())
	}
}

// word reads a text and holds it to the enum tag.
func (d *decoder) word(f reflect.StructField, n *node, path string) string {
	if n.kind != scalarNode {
		d.fail(n.pos, path, "", "want a word (got %s)", n.describe())
		return ""
	}
	enum := f.Tag.Get("enum")
	if enum == "" {
		return n.value
	}
	words := strings.Split(enum, ",")
	if !slices.Contains(words, n.value) {
		hint := ""
		if near, ok := units.Nearest(n.value, words); ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		d.fail(n.pos, path, hint, "unknown value (got %s, want one of %s)", quoteShort(n.value), strings.Join(words, ", "))
		return words[0]
	}
	return n.value
}

// integer reads a whole number without sign tricks: 3, not 3.0 and not 0x3.
func (d *decoder) integer(v reflect.Value, f reflect.StructField, n *node, path string) {
	if n.kind != scalarNode {
		d.fail(n.pos, path, "", "want a whole number (got %s)", n.describe())
		return
	}
	if v.Kind() == reflect.Uint64 {
		u, err := strconv.ParseUint(n.value, 10, 64)
		if err != nil {
			d.fail(n.pos, path, "", "want a whole number from 0 to %d (got %s)", uint64(math.MaxUint64), quoteShort(n.value))
			return
		}
		v.SetUint(u)
		return
	}
	i, err := strconv.Atoi(n.value)
	if err != nil {
		d.fail(n.pos, path, "", "want a whole number (got %s)", quoteShort(n.value))
		return
	}
	if d.bounds(f, float64(i), n, path, n.value) {
		v.SetInt(int64(i))
	}
}

// number reads a bare finite number.
func (d *decoder) number(n *node, path string) (float64, bool) {
	if n.kind != scalarNode {
		d.fail(n.pos, path, "", "want a number (got %s)", n.describe())
		return 0, false
	}
	x, err := strconv.ParseFloat(n.value, 64)
	if err != nil || !finite(x) {
		d.fail(n.pos, path, "", "want a finite number (got %s)", quoteShort(n.value))
		return 0, false
	}
	return x, true
}

// bounds holds a number to the min, max and above tags.
func (d *decoder) bounds(f reflect.StructField, x float64, n *node, path, got string) bool {
	unit := ""
	if dim, ok := dimensionTags[f.Tag.Get("unit")]; ok {
		unit = " " + dim.BaseUnit()
	}
	for _, b := range [...]struct {
		tag, words string
		bad        func(limit float64) bool
	}{
		{"min", "at least", func(l float64) bool { return x < l }},
		{"max", "at most", func(l float64) bool { return x > l }},
		{"above", "more than", func(l float64) bool { return x <= l }},
	} {
		text := f.Tag.Get(b.tag)
		if text == "" {
			continue
		}
		limit, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic("scenarios: bad bound on " + f.Name)
		}
		if b.bad(limit) {
			d.fail(n.pos, path, "", "out of range (got %s, want %s %s%s)", quoteShort(got), b.words, text, strings.TrimRight(unit, " "))
			return false
		}
	}
	return true
}

func (d *decoder) quantity(f reflect.StructField, n *node, path string) Quantity {
	dim, ok := dimensionTags[f.Tag.Get("unit")]
	if !ok {
		panic("scenarios: no unit tag on " + f.Name)
	}
	if n.kind != scalarNode {
		d.fail(n.pos, path, "", "want %s such as %q (got %s)", dim, dim.Example(), n.describe())
		return Quantity{pos: n.pos}
	}
	v, err := units.Parse(dim, n.value)
	if err != nil {
		msg, hint := quantityMsg(err)
		d.fail(n.pos, path, hint, "%s", msg)
		return Quantity{pos: n.pos}
	}
	if !d.bounds(f, v, n, path, n.value) {
		return Quantity{pos: n.pos}
	}
	return Quantity{V: v, Given: true, text: n.value, pos: n.pos}
}
