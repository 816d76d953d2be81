package scenarios

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"strings"
	"sync"
)

// Source is a scenario file that was parsed once and from which many scenarios are made, each with its own overlays.
// The files it names are read, and weather is parsed, once for all of them. It may be used by several goroutines.
type Source struct {
	name     string
	root     *node // without its variants
	problems Problems
	variants []variant
	files    fs.FS
	once     bool // one scenario is made of it: contents are not kept

	inputs  sync.Map // name → content
	weather sync.Map // what was asked of a weather file → *weather.Series
}

// content is a file that scenarios of a source name; data is nil where it is read as a stream.
type content struct {
	name   string // cleaned
	data   []byte
	digest [32]byte
}

// Parse reads the text of a scenario file. name is what messages call it; files are those that it names, rooted at
// its folder, nil where it may name none. What is wrong with its keys and values is told by Load.
func Parse(name string, data []byte, files fs.FS) (*Source, error) {
	root, problems := parseYAML(name, data)
	if root == nil {
		return nil, problems.err(name)
	}
	if root.kind != mapNode {
		problems = append(problems, Problem{File: name, Line: root.line, Col: root.col, Msg: "want a map of keys (got " + root.describe() + ")"})
		return nil, problems.err(name)
	}
	d := &decoder{problems: problems}
	variants := readVariants(root, d)
	return &Source{name: name, root: root, problems: d.problems, variants: variants, files: files}, nil
}

// Load makes a scenario with overlays; o.FS is not used, for the source has its files.
func (src *Source) Load(o Options) (*Scenario, error) { return src.load(o, src.root.clone(), false) }

// LoadRun is Load without the study, which concerns none of its runs.
func (src *Source) LoadRun(o Options) (*Scenario, error) {
	return src.load(o, src.root.clone(), true)
}

// input is a file that was read before.
func (src *Source) input(name string) (content, bool) {
	v, ok := src.inputs.Load(path.Clean(strings.ReplaceAll(name, `\`, "/")))
	if !ok {
		return content{}, false
	}
	return v.(content), true
}

// keep remembers a file for the other scenarios of the source.
func (src *Source) keep(clean string, data []byte, digest [32]byte) content {
	c := content{clean, data, digest}
	if !src.once {
		src.inputs.Store(clean, c)
	}
	return c
}

// digest is the SHA-256 of a file as open returned it.
func (src *Source) digest(name string, data []byte) [32]byte {
	if c, ok := src.input(name); ok {
		return c.digest
	}
	return sha256.Sum256(data)
}

// Inputs are the contents of the files that the scenarios made so far have read, by name.
func (src *Source) Inputs() (map[string][]byte, error) {
	out := map[string][]byte{}
	var failed error
	src.inputs.Range(func(_, v any) bool {
		c := v.(content)
		if c.data == nil {
			c.data, failed = fs.ReadFile(src.files, c.name)
		}
		out[c.name] = c.data
		return failed == nil
	})
	return out, failed
}

// SeedShapesTraces says whether replayed traces depend on the seed, so that runs of two seeds differ by more than the
// seed in their configuration.
func (s *Scenario) SeedShapesTraces() bool {
	for i := range s.file.Replay {
		if l := &s.file.Replay[i]; l.Shuffle || l.Span.Given {
			return true
		}
	}
	return false
}

// placementIgnores are the sections on which neither the building nor its placement depends.
var placementIgnores = []string{"workload", "replay", "scheduling", "failures", "run", "plan", "study", "money"}

// PlacementKey is equal for two scenarios of one source only if they build and place the same facility.
func (s *Scenario) PlacementKey() string {
	s.building.Lock()
	n := encodeSection(reflect.ValueOf(&s.file).Elem())
	s.building.Unlock()
	for _, key := range placementIgnores {
		n.remove(key)
	}
	h := sha256.New()
	n.hash(h)
	for _, in := range s.inputs {
		fmt.Fprintf(h, "%q %x\n", in.name, in.digest)
	}
	return string(h.Sum(nil))
}

// hash writes a tree so that no two different trees write the same.
func (n *node) hash(w io.Writer) {
	if n == nil {
		fmt.Fprint(w, "-")
		return
	}
	fmt.Fprintf(w, "%d %q %q %d(", n.kind, n.tag, n.value, len(n.items))
	for i, x := range n.items {
		if i < len(n.keys) {
			fmt.Fprintf(w, "%q:", n.keys[i].value)
		}
		x.hash(w)
	}
	fmt.Fprint(w, ")")
}
