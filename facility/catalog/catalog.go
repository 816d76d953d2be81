// Package catalog holds what is built in: GPUs, servers, power supplies, UPS, transformers, distribution,
// switches, racks, climates, language models and links, as data files in which every figure has a unit, a grade and a source.
//
// It parses and converts, and computes nothing else. A figure that is not known is absent: its Value is NaN
// and Known reports false, so that it can never be taken for zero.
package catalog

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"headroom/facility/units"
)

// Grade says how far a figure can be trusted.
type Grade string

// The grades, best first.
const (
	Measured  Grade = "measured"  // read off a real machine, the source says which
	Datasheet Grade = "datasheet" // the maker's figure
	Derived   Grade = "derived"   // arithmetic or a fit on measured and datasheet figures
	Stated    Grade = "stated"    // by the user's own catalogue, without a grade
	Recalled  Grade = "recalled"  // from general knowledge, not checked against a source
	Assumed   Grade = "assumed"   // an engineering choice that closes a gap
)

var grades = []string{string(Measured), string(Datasheet), string(Derived), string(Stated), string(Recalled), string(Assumed)}

// Figure is one number of the catalogue.
type Figure struct {
	Value     float64 // in the base unit of Dimension, NaN when unknown
	Text      string  // as the file writes it, "" when unknown
	Dimension units.Dimension
	Grade     Grade
	Source    string // key of a source, or the citation itself in a user's file
}

// Known reports whether the catalogue has the figure.
func (f Figure) Known() bool { return f.Grade != "" }

// Or returns the value, or the given one when the figure is unknown.
func (f Figure) Or(value float64) float64 {
	if f.Known() {
		return f.Value
	}
	return value
}

// Point is one point of an efficiency curve.
type Point struct {
	Load       Figure // share of rating
	Efficiency Figure
}

// field is one key of an entry; exactly one of the pointers is set.
type field struct {
	key    string
	text   *string
	flag   *bool
	figure *Figure
	points *[]Point
	dim    units.Dimension // of figure
}

// entry is what every kind of entry has.
type entry interface {
	fields() []field
	clone() entry
}

// Catalog is a set of entries by kind and name. It does not change and may be shared between goroutines.
type Catalog struct {
	kinds   map[string]map[string]entry
	sources map[string]string // citation by key
}

// The kinds, as sections of a catalogue file, with a maker of empty entries.
var kinds = map[string]func(name string) entry{
	"gpus":         func(n string) entry { return unknown(&GPU{Name: n}) },
	"servers":      func(n string) entry { return unknown(&Server{Name: n}) },
	"psus":         func(n string) entry { return unknown(&PSU{Name: n}) },
	"ups":          func(n string) entry { return unknown(&UPS{Name: n}) },
	"transformers": func(n string) entry { return unknown(&Transformer{Name: n}) },
	"distribution": func(n string) entry { return unknown(&Distribution{Name: n}) },
	"switches":     func(n string) entry { return unknown(&Switch{Name: n}) },
	"racks":        func(n string) entry { return unknown(&Rack{Name: n}) },
	"models":       func(n string) entry { return unknown(&LanguageModel{Name: n}) },
	"links":        func(n string) entry { return unknown(&Link{Name: n}) },
}

// unknown sets every figure of a new entry to unknown.
func unknown(e entry) entry {
	for _, f := range e.fields() {
		if f.figure != nil {
			*f.figure = Figure{Value: math.NaN(), Dimension: f.dim}
		}
	}
	return e
}

//go:embed data/sources.yaml data/gpus.yaml data/servers.yaml data/servers-other.yaml data/power.yaml data/racks.yaml data/models.yaml
var files embed.FS

var builtin = sync.OnceValues(func() (*Catalog, error) {
	c := &Catalog{kinds: map[string]map[string]entry{}, sources: map[string]string{}}
	for kind := range kinds {
		c.kinds[kind] = map[string]entry{}
	}
	for _, name := range []string{"sources", "gpus", "power", "racks", "models", "servers", "servers-other"} {
		text, err := files.ReadFile("data/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		if c, err = c.add("catalog/data/"+name+".yaml", text, true); err != nil {
			return nil, err
		}
	}
	return c, nil
})

// Default returns the built-in catalogue. It panics only if an embedded file is broken, which a test rules out.
func Default() *Catalog {
	c, err := builtin()
	if err != nil {
		panic(err)
	}
	return c
}

// fileLimit is the largest catalogue file that is read.
const fileLimit = 16 << 20

// Add returns a catalogue with the entries of a file layered over this one, which stays as it is. An entry
// of the same kind and name is replaced whole; "like: NAME" starts an entry from a copy of another.
// name is the file's name for messages. The error is an *Error that lists every problem with its line.
func (c *Catalog) Add(name string, r io.Reader) (*Catalog, error) {
	text, err := io.ReadAll(io.LimitReader(r, fileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > fileLimit {
		return nil, fmt.Errorf("%s: larger than %d MiB", name, fileLimit>>20)
	}
	return c.add(name, text, false)
}

// GPU returns an accelerator by name.
func (c *Catalog) GPU(name string) (*GPU, error) { return find[*GPU](c, "gpus", name) }

// Server returns a server or a rack system by name.
func (c *Catalog) Server(name string) (*Server, error) { return find[*Server](c, "servers", name) }

// PSU returns the efficiency curve of a power supply by name.
func (c *Catalog) PSU(name string) (*PSU, error) { return find[*PSU](c, "psus", name) }

// UPS returns a UPS loss curve by name.
func (c *Catalog) UPS(name string) (*UPS, error) { return find[*UPS](c, "ups", name) }

// Transformer returns a transformer loss curve by name.
func (c *Catalog) Transformer(name string) (*Transformer, error) {
	return find[*Transformer](c, "transformers", name)
}

// Distribution returns the loss curve of a PDU or busway by name.
func (c *Catalog) Distribution(name string) (*Distribution, error) {
	return find[*Distribution](c, "distribution", name)
}

// Switch returns a network switch by name.
func (c *Catalog) Switch(name string) (*Switch, error) { return find[*Switch](c, "switches", name) }

// Rack returns a rack frame by name.
func (c *Catalog) Rack(name string) (*Rack, error) { return find[*Rack](c, "racks", name) }

// NotFoundError is a name that the catalogue does not have.
type NotFoundError struct {
	Kind, Name string
	Near       []string // nearest names, best first; all names when none is near
}

// Error names what is missing and what is near.
func (e *NotFoundError) Error() string {
	if len(e.Near) == 1 {
		return fmt.Sprintf("no %q among the %s of the catalogue; did you mean %q?", e.Name, e.Kind, e.Near[0])
	}
	return fmt.Sprintf("no %q among the %s of the catalogue; there are %s", e.Name, e.Kind, strings.Join(e.Near, ", "))
}

func find[T entry](c *Catalog, kind, name string) (T, error) {
	if e, ok := c.kinds[kind][name]; ok {
		return e.(T), nil
	}
	var none T
	return none, c.notFound(kind, name)
}

func (c *Catalog) notFound(kind, name string) error {
	names := slices.Sorted(maps.Keys(c.kinds[kind]))
	if best, ok := units.Nearest(name, names); ok {
		names = []string{best}
	}
	return &NotFoundError{Kind: kind, Name: name, Near: names}
}

// Kinds returns the kinds of entries, sorted.
func (c *Catalog) Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Names returns the names of a kind, sorted; nil when there is no such kind.
func (c *Catalog) Names(kind string) []string { return slices.Sorted(maps.Keys(c.kinds[kind])) }

// Title returns the title of an entry, "" when there is none.
func (c *Catalog) Title(kind, name string) string {
	e, ok := c.kinds[kind][name]
	if !ok {
		return ""
	}
	for _, f := range e.fields() {
		if f.key == "title" {
			return *f.text
		}
	}
	return ""
}

// Source returns the citation of a source key; text that is not a key is its own citation.
func (c *Catalog) Source(key string) string {
	if cite, ok := c.sources[key]; ok {
		return cite
	}
	return key
}

// Row is one figure of an entry as a table shows it. A figure that is not known has Value "unknown" and no grade.
type Row struct {
	Field, Value, Unit, Grade, Source string
}

// Rows returns every field of an entry in the order of its definition, unknown figures included.
func (c *Catalog) Rows(kind, name string) ([]Row, error) {
	if _, ok := kinds[kind]; !ok {
		near := c.Kinds()
		if best, ok := units.Nearest(kind, near); ok {
			near = []string{best}
		}
		return nil, &NotFoundError{Kind: "kinds", Name: kind, Near: near}
	}
	e, ok := c.kinds[kind][name]
	if !ok {
		return nil, c.notFound(kind, name)
	}
	var rows []Row
	for _, f := range e.fields() {
		switch {
		case f.text != nil:
			if *f.text != "" {
				rows = append(rows, Row{Field: f.key, Value: *f.text})
			}
		case f.flag != nil:
			value := "no"
			if *f.flag {
				value = "yes"
			}
			rows = append(rows, Row{Field: f.key, Value: value})
		case f.figure != nil:
			rows = append(rows, c.row(f.key, *f.figure))
		case f.points != nil:
			for _, p := range *f.points {
				rows = append(rows, c.row(f.key+" at "+units.Format(units.Share, p.Load.Value), p.Efficiency))
			}
		}
	}
	return rows, nil
}

func (c *Catalog) row(key string, f Figure) Row {
	if !f.Known() {
		return Row{Field: key, Value: "unknown"}
	}
	number := f.Text
	if i := strings.IndexFunc(f.Text, func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) }); i >= 0 {
		number = f.Text[:i]
	}
	unit := strings.TrimSpace(f.Text[len(number):])
	return Row{Field: key, Value: strings.TrimSpace(number), Unit: unit, Grade: string(f.Grade), Source: c.Source(f.Source)}
}

// Problem is one thing wrong with a catalogue file.
type Problem struct {
	File         string
	Line, Column int // 0 when it concerns no one place
	Path         string
	Message      string
}

// Error is a catalogue file that cannot be used, with every problem found.
type Error struct{ Problems []Problem }

// Error gives one line a problem: file:line:column: path: message.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.File
		if p.Line > 0 {
			lines[i] += fmt.Sprintf(":%d:%d", p.Line, p.Column)
		}
		if p.Path != "" {
			lines[i] += ": " + p.Path
		}
		lines[i] += ": " + p.Message
	}
	return strings.Join(lines, "\n")
}

var errEmpty = errors.New("empty")
