package scenarios

import (
	"fmt"
	"strconv"
	"strings"
)

// step is one step of a path: a key of a map, or an element of a list by name or by place.
type step struct {
	key     string
	element bool // written in brackets
	place   int  // ≥ 0 when the brackets hold a number
}

// parsePath reads the one path grammar of the file: dots between keys, [name] for an element by its row,
// name or id, [0] for an element by place. A name in brackets may hold dots: servers[A01.u03].
func parsePath(s string) ([]step, error) {
	var steps []step
	rest := strings.TrimSpace(s)
	if rest == "" {
		return nil, fmt.Errorf("an empty path (want, for example, racks[A].power)")
	}
	wantKey := true
	for rest != "" {
		switch {
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("path %s has a [ without its ]", quoteShort(s))
			}
			if len(steps) == 0 || wantKey {
				return nil, fmt.Errorf("path %s: brackets must follow a key (want, for example, racks[A].power)", quoteShort(s))
			}
			name := strings.TrimSpace(rest[1:end])
			if name == "" {
				return nil, fmt.Errorf("path %s has empty brackets (want a row, name, id or place)", quoteShort(s))
			}
			st := step{key: name, element: true, place: -1}
			if i, err := strconv.Atoi(name); err == nil && i >= 0 {
				st.place = i
			}
			steps = append(steps, st)
			rest = rest[end+1:]
			if rest != "" && rest[0] == '.' {
				rest, wantKey = rest[1:], true
			} else if rest != "" && rest[0] != '[' {
				return nil, fmt.Errorf("path %s: want a dot or a bracket after ]", quoteShort(s))
			}
		case wantKey:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			key := strings.TrimSpace(rest[:end])
			if key == "" || strings.ContainsAny(key, "]{},= \t\n") {
				return nil, fmt.Errorf("path %s: %s is no key", quoteShort(s), quoteShort(key))
			}
			steps = append(steps, step{key: key, place: -1})
			rest, wantKey = rest[end:], false
			if rest != "" && rest[0] == '.' {
				rest, wantKey = rest[1:], true
			}
		default:
			return nil, fmt.Errorf("path %s is not a path", quoteShort(s))
		}
	}
	if wantKey {
		return nil, fmt.Errorf("path %s ends in a dot", quoteShort(s))
	}
	return steps, nil
}

// pathString writes steps as a path.
func pathString(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		switch {
		case s.element:
			b.WriteString("[" + s.key + "]")
		case i > 0:
			b.WriteString("." + s.key)
		default:
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// joinKey and joinPlace extend a path in messages.
func joinKey(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func joinPlace(path string, i int, n *node) string {
	if l := n.label(); l != "" {
		return fmt.Sprintf("%s[%s]", path, l)
	}
	return fmt.Sprintf("%s[%d]", path, i)
}
