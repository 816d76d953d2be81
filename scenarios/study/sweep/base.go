package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"headroom/facility/placement"
	"headroom/scenarios"
	"headroom/sim"
)

// Base is the scenario whose variations a study runs, with what was laid over it beforehand. It may be used by
// several workers at once; what their runs share (parsed files, the built hall, its placement) is made once.
type Base struct {
	Source  *scenarios.Source
	Options scenarios.Options // of the command line

	points  *cache[*point]
	layouts *cache[*placement.Layout]
}

// How much of the shared work is remembered. A point is small; a layout of a large site takes tens of megabytes.
const (
	pointsKept  = 256
	layoutsKept = 16
)

// NewBase readies a base.
func NewBase(source *scenarios.Source, o scenarios.Options) *Base {
	return &Base{Source: source, Options: o, points: newCache[*point](pointsKept), layouts: newCache[*placement.Layout](layoutsKept)}
}

// Task says what one run is: the base with overlays, and a replicate, which adds to the seed.
type Task struct {
	Variant   string   `json:"variant,omitempty"` // in place of the base's
	Set       []string `json:"set,omitempty"`     // path=value, after those of the base
	Replicate int      `json:"replicate,omitempty"`
}

func (t *Task) pointKey() string {
	return t.Variant + "\x00" + strings.Join(t.Set, "\x00")
}

// options are what the scenario of a task is loaded with.
func (b *Base) options(t *Task) scenarios.Options {
	o := b.Options
	if t.Variant != "" {
		o.Variant = t.Variant
	}
	o.Set = append(o.Set[:len(o.Set):len(o.Set)], t.Set...)
	return o
}

// point is one scenario of the study; its replicates differ by the seed alone.
type point struct {
	sc    *scenarios.Scenario
	ids   func(seed uint64) string
	ready *cache[prepared] // of one value: made when a run of the point is not in the store
}

type prepared struct {
	layout *placement.Layout
	config sim.Config
}

func (b *Base) point(t *Task) (*point, error) {
	return b.points.get(t.pointKey(), func() (*point, error) {
		sc, err := b.Source.LoadRun(b.options(t))
		if err != nil {
			return nil, err
		}
		return &point{sc: sc, ids: sc.IDs(), ready: newCache[prepared](1)}, nil
	})
}

// Seed is the seed of a task's run.
func (b *Base) Seed(t *Task) (uint64, error) {
	p, err := b.point(t)
	if err != nil {
		return 0, err
	}
	return p.sc.Seed() + uint64(t.Replicate), nil
}

// ID names a task's run.
func (b *Base) ID(t *Task) (string, error) {
	p, err := b.point(t)
	if err != nil {
		return "", err
	}
	return p.ids(p.sc.Seed() + uint64(t.Replicate)), nil
}

// prepare places and configures the point of a task.
func (b *Base) prepare(t *Task) (prepared, error) {
	p, err := b.point(t)
	if err != nil {
		return prepared{}, err
	}
	sc, key := p.sc, ""
	if sc.SeedShapesTraces() { // its traces are drawn from the seed: each replicate is a scenario of its own
		o := b.options(t)
		seed := sc.Seed() + uint64(t.Replicate)
		o.Seed = &seed
		if sc, err = b.Source.LoadRun(o); err != nil {
			return prepared{}, err
		}
		key = strconv.Itoa(t.Replicate)
	}
	return p.ready.get(key, func() (prepared, error) {
		layout, err := b.layouts.get(sc.PlacementKey(), func() (*placement.Layout, error) {
			f, err := sc.Build()
			if err != nil {
				return nil, err
			}
			return placement.Place(f)
		})
		if err != nil {
			return prepared{}, err
		}
		config, err := sc.Configure(layout)
		return prepared{layout, config}, err
	})
}

// Run makes a task's run. A panic inside is its error.
func (b *Base) Run(ctx context.Context, t *Task) (row Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
		}
	}()
	ready, err := b.prepare(t)
	if err != nil {
		return Row{}, err
	}
	c := ready.config
	if c.Seed, err = b.Seed(t); err != nil {
		return Row{}, err
	}
	if c.ID, err = b.ID(t); err != nil {
		return Row{}, err
	}
	r, err := sim.Run(ctx, ready.layout, c)
	if err != nil {
		return Row{}, err
	}
	return newRow(r), nil
}

// Scenario prints the scenario of a task's run with every default, for one who looks into a failure; where it does
// not load, the error says why.
func (b *Base) Scenario(t *Task) ([]byte, error) {
	o := b.options(t)
	if sc, err := b.Source.LoadRun(o); err == nil {
		seed := sc.Seed() + uint64(t.Replicate)
		o.Seed = &seed
	}
	sc, err := b.Source.LoadRun(o)
	if err != nil {
		return nil, err
	}
	return sc.Resolved()
}

// errText is an error as a table holds it: one line.
func errText(err error) string {
	var ps scenarios.Problems
	if errors.As(err, &ps) {
		var lines []string
		for _, p := range ps {
			lines = append(lines, strings.TrimPrefix(p.Path+": "+p.Msg, ": "))
		}
		return strings.Join(lines, "; ")
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
