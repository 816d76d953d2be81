package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"headroom/facility/units"
)

// reader turns one file into entries and gathers what is wrong with it.
type reader struct {
	c        *Catalog // being filled
	file     string
	strict   bool // built-in: every figure names its grade and a source that exists
	problems []Problem
}

func (r *reader) fail(n *yaml.Node, path, format string, args ...any) {
	p := Problem{File: r.file, Path: path, Message: fmt.Sprintf(format, args...)}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	r.problems = append(r.problems, p)
}

func (c *Catalog) add(name string, text []byte, strict bool) (*Catalog, error) {
	layered := &Catalog{kinds: map[string]map[string]entry{}, sources: maps.Clone(c.sources)}
	for kind, entries := range c.kinds {
		layered.kinds[kind] = maps.Clone(entries)
	}
	r := &reader{c: layered, file: name, strict: strict}
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		p := Problem{File: name, Message: err.Error()}
		if at := (*yaml.LoadError)(nil); errors.As(err, &at) {
			p.Line, p.Column, p.Message = at.Mark.Line, at.Mark.Column, at.Message
		}
		return nil, &Error{[]Problem{p}}
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) == 0 {
		r.fail(nil, "", "the file is empty")
		return nil, &Error{r.problems}
	}
	r.document(document.Content[0])
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b Problem) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Column - b.Column
		})
		return nil, &Error{r.problems}
	}
	return layered, nil
}

// document reads the sections: sources first, then parts before the servers that name them.
func (r *reader) document(n *yaml.Node) {
	sections := r.mapping(n, "")
	known := append(r.c.Kinds(), "sources")
	for _, s := range sections {
		if !slices.Contains(known, s.key) {
			r.fail(s.keyNode, s.key, "unknown section%s", didYouMean(s.key, known))
		}
	}
	for _, s := range sections {
		if s.key == "sources" {
			for _, source := range r.mapping(s.value, "sources") {
				if text, ok := r.scalar(source.value, "sources."+source.key); ok {
					r.c.sources[source.key] = text
				}
			}
		}
	}
	for _, servers := range []bool{false, true} {
		for _, s := range sections {
			if _, ok := kinds[s.key]; ok && (s.key == "servers") == servers {
				for _, e := range r.mapping(s.value, s.key) {
					r.entry(s.key, e)
				}
			}
		}
	}
}

type pair struct {
	key            string
	keyNode, value *yaml.Node
}

// mapping returns the pairs of a mapping in file order; a key that stands twice is a problem.
func (r *reader) mapping(n *yaml.Node, path string) []pair {
	if n.Kind != yaml.MappingNode {
		r.fail(n, path, "want keys with values, not %s", kindName(n))
		return nil
	}
	var pairs []pair
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			r.fail(k, path, "a key must be a word, not %s", kindName(k))
			continue
		}
		if line, twice := seen[k.Value]; twice {
			r.fail(k, join(path, k.Value), "stands twice, first on line %d", line)
			continue
		}
		seen[k.Value] = k.Line
		pairs = append(pairs, pair{k.Value, k, n.Content[i+1]})
	}
	return pairs
}

func (r *reader) scalar(n *yaml.Node, path string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n, path, "want a text, not %s", kindName(n))
		return "", false
	}
	return n.Value, true
}

func (r *reader) entry(kind string, p pair) {
	path := kind + "." + p.key
	if p.value.Kind != yaml.MappingNode {
		r.fail(p.value, path, "want keys with values, not %s", kindName(p.value))
		return
	}
	pairs := r.mapping(p.value, path)
	e := kinds[kind](p.key)
	for _, like := range pairs {
		if like.key != "like" {
			continue
		}
		from, ok := r.c.kinds[kind][like.value.Value]
		if !ok {
			r.fail(like.value, path+".like", "%v", r.c.notFound(kind, like.value.Value))
			continue
		}
		copyFields(e.fields(), from.clone().fields())
	}
	fields := e.fields()
	keys := []string{"like"}
	for _, f := range fields {
		keys = append(keys, f.key)
	}
	for _, kv := range pairs {
		if kv.key == "like" {
			continue
		}
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == kv.key })
		if i < 0 {
			r.fail(kv.keyNode, join(path, kv.key), "unknown key%s", didYouMean(kv.key, keys))
			continue
		}
		r.field(fields[i], kv.value, join(path, kv.key))
	}
	if checked, ok := e.(interface{ check(*Catalog) error }); ok {
		if err := checked.check(r.c); err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				r.fail(p.keyNode, path, "%s", line)
			}
		}
	}
	r.c.kinds[kind][p.key] = e
}

func copyFields(to, from []field) {
	for i, f := range from {
		switch {
		case f.text != nil:
			*to[i].text = *f.text
		case f.flag != nil:
			*to[i].flag = *f.flag
		case f.figure != nil:
			*to[i].figure = *f.figure
		case f.points != nil:
			*to[i].points = slices.Clone(*f.points)
		}
	}
}

func (r *reader) field(f field, n *yaml.Node, path string) {
	switch {
	case f.text != nil:
		if text, ok := r.scalar(n, path); ok {
			*f.text = text
		}
	case f.flag != nil:
		switch text, ok := r.scalar(n, path); {
		case !ok:
		case text == "true" || text == "yes":
			*f.flag = true
		case text == "false" || text == "no":
			*f.flag = false
		default:
			r.fail(n, path, "want yes or no, not %q", text)
		}
	case f.figure != nil:
		*f.figure = r.figure(f.dim, n, path)
	case f.points != nil:
		*f.points = r.points(n, path)
	}
}

// figure reads "700 W", [700 W, datasheet, source], {value: 700 W, grade: …, source: …} or null.
func (r *reader) figure(d units.Dimension, n *yaml.Node, path string) Figure {
	none := unknownFigure(d)
	var text, grade, source string
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return none
		}
		text = n.Value
		if r.strict {
			r.fail(n, path, "grade and source are missing")
			return none
		}
	case yaml.SequenceNode:
		if len(n.Content) != 3 {
			r.fail(n, path, "want [value, grade, source]")
			return none
		}
		var parts [3]string
		for i, item := range n.Content {
			var ok bool
			if parts[i], ok = r.scalar(item, path); !ok {
				return none
			}
		}
		text, grade, source = parts[0], parts[1], parts[2]
	case yaml.MappingNode:
		for _, kv := range r.mapping(n, path) {
			part, ok := r.scalar(kv.value, join(path, kv.key))
			if !ok {
				return none
			}
			switch kv.key {
			case "value":
				text = part
			case "grade":
				grade = part
			case "source":
				source = part
			default:
				r.fail(kv.keyNode, join(path, kv.key), "unknown key%s", didYouMean(kv.key, []string{"value", "grade", "source"}))
				return none
			}
		}
	default:
		r.fail(n, path, "want a quantity, not %s", kindName(n))
		return none
	}
	value, err := units.Parse(d, text)
	if err != nil {
		r.fail(n, path, "%v", err)
		return none
	}
	if grade == "" {
		grade = string(Stated)
	}
	if !slices.Contains(grades, grade) {
		r.fail(n, path, "unknown grade %q%s", grade, didYouMean(grade, grades))
		return none
	}
	if _, ok := r.c.sources[source]; !ok && r.strict {
		r.fail(n, path, "unknown source %q%s", source, didYouMean(source, slices.Sorted(maps.Keys(r.c.sources))))
		return none
	}
	if source == "" {
		source = r.file
	}
	return Figure{Value: value, Text: text, Dimension: d, Grade: Grade(grade), Source: source}
}

// points reads an efficiency curve: a list of {load: 10%, efficiency: FIGURE}, loads ascending.
func (r *reader) points(n *yaml.Node, path string) []Point {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, path, "want a list of points, not %s", kindName(n))
		return nil
	}
	var points []Point
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		p := Point{Load: unknownFigure(units.Share), Efficiency: unknownFigure(units.Share)}
		for _, kv := range r.mapping(item, at) {
			switch kv.key {
			case "load":
				text, ok := r.scalar(kv.value, at+".load")
				if !ok {
					continue
				}
				load, err := units.Parse(units.Share, text)
				if err != nil {
					r.fail(kv.value, at+".load", "%v", err)
					continue
				}
				p.Load = Figure{Value: load, Text: text, Dimension: units.Share, Grade: Stated}
			case "efficiency":
				p.Efficiency = r.figure(units.Share, kv.value, at+".efficiency")
			default:
				r.fail(kv.keyNode, join(at, kv.key), "unknown key%s", didYouMean(kv.key, []string{"load", "efficiency"}))
			}
		}
		switch {
		case !p.Load.Known() || !p.Efficiency.Known():
			r.fail(item, at, "a point needs load and efficiency")
		case p.Load.Value <= 0 || p.Efficiency.Value <= 0:
			r.fail(item, at, "load and efficiency must be above zero")
		case len(points) > 0 && p.Load.Value <= points[len(points)-1].Load.Value:
			r.fail(item, at, "loads must ascend")
		default:
			points = append(points, p)
		}
	}
	return points
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func didYouMean(word string, among []string) string {
	if best, ok := units.Nearest(word, among); ok {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; there are " + strings.Join(among, ", ")
}

func kindName(n *yaml.Node) string {
	switch {
	case n.Tag == "!!null":
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "keys with values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	}
	return fmt.Sprintf("%q", n.Value)
}
