package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
)

// Bounds on what a file may hold. They stop alias bombs and absurd nesting, far above any real scenario.
const (
	maxFileBytes = 8 << 20
	maxNodes     = 400_000
	maxDepth     = 40
)

// parseYAML parses one document into a tree. Duplicate keys, merge keys and more than one document are
// problems; a syntax error is one problem with its place, and then the tree is nil.
func parseYAML(file string, data []byte) (*node, Problems) {
	one := func(line, col int, format string, a ...any) (*node, Problems) {
		return nil, Problems{{File: file, Line: line, Col: col, Msg: fmt.Sprintf(format, a...)}}
	}
	if len(data) > maxFileBytes {
		return one(1, 1, "the file is too long (got %d bytes, want at most %d)", len(data), maxFileBytes)
	}
	if !utf8.Valid(data) {
		line, col := 1, 1
		for len(data) > 0 {
			r, n := utf8.DecodeRune(data)
			if r == utf8.RuneError && n == 1 {
				break
			}
			if col++; r == '\n' {
				line, col = line+1, 1
			}
			data = data[n:]
		}
		return one(line, col, "the file is not UTF-8 text")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var doc yaml.Node
	if err := loadNode(data, &doc); err != nil {
		var le *yaml.LoadError
		if !errors.As(err, &le) {
			return one(1, 1, "not YAML: %v", err)
		}
		mark, msg := le.Mark, le.Message
		if le.ContextMsg != "" {
			msg = fmt.Sprintf("%s %s that begins at line %d", msg, le.ContextMsg, le.ContextMark.Line)
		}
		switch {
		case strings.Contains(msg, "no documents"):
			msg = "the file is empty"
		case strings.Contains(msg, "single document"):
			msg = "the file holds more than one document (want one scenario a file)"
		default:
			msg = "not YAML: " + msg
		}
		return one(max(1, mark.Line), max(1, mark.Column), "%s", msg)
	}
	c := converter{file: file}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return one(1, 1, "the file is empty")
	}
	n := c.convert(doc.Content[0], 0)
	if c.stopped {
		return nil, c.problems
	}
	return n, c.problems
}

// loadNode turns a panic inside the YAML reader into an error: a bad file must never stop a program.
func loadNode(data []byte, doc *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML reader failed: %v", r)
		}
	}()
	return yaml.Load(data, doc, yaml.WithUniqueKeys(false))
}

type converter struct {
	file     string
	count    int
	stopped  bool
	problems Problems
}

func (c *converter) problem(n *yaml.Node, format string, a ...any) {
	c.problems = append(c.problems, Problem{File: c.file, Line: n.Line, Col: n.Column, Msg: fmt.Sprintf(format, a...)})
}

func (c *converter) stop(n *yaml.Node, format string, a ...any) *node {
	if !c.stopped {
		c.problem(n, format, a...)
	}
	c.stopped = true
	return nil
}

func (c *converter) convert(y *yaml.Node, depth int) *node {
	if c.stopped {
		return nil
	}
	if c.count++; c.count > maxNodes {
		return c.stop(y, "the file holds too much (more than %d values, aliases counted each time they are used)", maxNodes)
	}
	if depth > maxDepth {
		return c.stop(y, "nested too deep (more than %d levels)", maxDepth)
	}
	n := &node{pos: pos{c.file, y.Line, y.Column}}
	switch y.Kind {
	case yaml.AliasNode:
		// An alias to an ancestor of itself ends at maxDepth.
		v := c.convert(y.Alias, depth+1)
		if v != nil {
			v.pos = n.pos
		}
		return v
	case yaml.ScalarNode:
		n.tag, n.value = y.ShortTag(), y.Value
	case yaml.SequenceNode:
		n.kind = listNode
		for _, v := range y.Content {
			n.items = append(n.items, c.convert(v, depth+1))
		}
	case yaml.MappingNode:
		n.kind = mapNode
		seen := map[string]*yaml.Node{}
		for i := 0; i+1 < len(y.Content); i += 2 {
			k, v := y.Content[i], c.convert(y.Content[i+1], depth+1)
			for k.Kind == yaml.AliasNode {
				k = k.Alias
			}
			switch {
			case k.Kind != yaml.ScalarNode:
				c.problem(k, "a key must be one word (got a list or a map)")
				continue
			case k.ShortTag() == "!!merge":
				c.problem(k, "merge keys (<<) are not read; write the keys out or use a variant")
				continue
			case seen[k.Value] != nil:
				c.problem(k, "duplicate key %s (first at line %d)", quoteShort(k.Value), seen[k.Value].Line)
				continue
			}
			seen[k.Value] = k
			n.keys = append(n.keys, &node{pos: pos{c.file, k.Line, k.Column}, tag: "!!str", value: k.Value})
			n.items = append(n.items, v)
		}
	default:
		return c.stop(y, "not a value that a scenario can hold")
	}
	return n
}

// parseValue parses the value of an overlay given as text: YAML, all of it at the place of the overlay.
func parseValue(at pos, text string) (*node, Problems) {
	n, ps := parseYAML(at.file, []byte(text))
	if len(ps) > 0 {
		for i := range ps {
			ps[i].Line, ps[i].Col = at.line, at.col
		}
		if strings.TrimSpace(text) == "" {
			return &node{pos: at, tag: "!!null"}, nil
		}
		return nil, ps
	}
	n.moveTo(at)
	return n, nil
}

func (n *node) moveTo(at pos) {
	if n == nil {
		return
	}
	n.pos = at
	for _, k := range n.keys {
		k.pos = at
	}
	for _, v := range n.items {
		v.moveTo(at)
	}
}

// printYAML prints a tree as YAML.
func printYAML(n *node) ([]byte, error) {
	return yaml.Dump(toYAML(n), yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithUnicode(true))
}

func toYAML(n *node) *yaml.Node {
	y := &yaml.Node{}
	if n.flow {
		y.Style = yaml.FlowStyle
	}
	switch n.kind {
	case listNode:
		y.Kind, y.Tag = yaml.SequenceNode, "!!seq"
		for _, v := range n.items {
			y.Content = append(y.Content, toYAML(v))
		}
	case mapNode:
		y.Kind, y.Tag = yaml.MappingNode, "!!map"
		for i, v := range n.items {
			y.Content = append(y.Content, toYAML(n.keys[i]), toYAML(v))
		}
	default:
		y.Kind, y.Tag, y.Value = yaml.ScalarNode, n.tag, n.value
	}
	return y
}
