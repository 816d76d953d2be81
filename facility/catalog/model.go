package catalog

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"headroom/facility/units"
)

// LanguageModel is a transformer language model by the sizes that set its arithmetic and its memory.
type LanguageModel struct {
	Name, Title string

	Parameters, Active Figure // weights, and those that one token passes through; Active is unknown for a dense model
	Layers, Hidden     Figure
	Heads, KVHeads     Figure
	HeadDim            Figure
	KVValues           Figure // numbers kept per token and layer where attention is compressed; unknown: 2·KVHeads·HeadDim
	Vocabulary         Figure
	Experts, PerToken  Figure // of a mixture of experts: routed experts, and how many of them a token takes; unknown for a dense model
	Context            Figure // longest context in tokens
}

func (m *LanguageModel) clone() entry { c := *m; return &c }

func (m *LanguageModel) fields() []field {
	return []field{
		text("title", &m.Title),
		figure("parameters", &m.Parameters, units.Count),
		figure("active", &m.Active, units.Count),
		figure("layers", &m.Layers, units.Count),
		figure("hidden", &m.Hidden, units.Count),
		figure("heads", &m.Heads, units.Count),
		figure("kv-heads", &m.KVHeads, units.Count),
		figure("head-dim", &m.HeadDim, units.Count),
		figure("kv-values", &m.KVValues, units.Count),
		figure("vocabulary", &m.Vocabulary, units.Count),
		figure("experts", &m.Experts, units.Count),
		figure("experts-per-token", &m.PerToken, units.Count),
		figure("context", &m.Context, units.Count),
	}
}

func (m *LanguageModel) check(*Catalog) error {
	var errs []error
	for _, f := range m.fields() {
		if f.figure == nil || !f.figure.Known() {
			continue
		}
		if v := f.figure.Value; v < 1 || v != math.Trunc(v) {
			errs = append(errs, fmt.Errorf("%s: %q is not a whole number from 1", f.key, f.figure.Text))
		}
	}
	for _, f := range []*Figure{&m.Parameters, &m.Layers, &m.Hidden, &m.Heads, &m.KVHeads, &m.HeadDim} {
		if !f.Known() {
			errs = append(errs, errors.New("parameters, layers, hidden, heads, kv-heads and head-dim are all needed"))
			break
		}
	}
	if m.Active.Known() && m.Active.Value > m.Parameters.Value {
		errs = append(errs, errors.New("active is more than parameters"))
	}
	if m.KVHeads.Known() && m.Heads.Known() && m.KVHeads.Value > m.Heads.Value {
		errs = append(errs, errors.New("kv-heads are more than heads"))
	}
	if m.Experts.Known() != m.PerToken.Known() || m.Experts.Known() && m.PerToken.Value > m.Experts.Value {
		errs = append(errs, errors.New("experts and experts-per-token go together, and a token takes no more than there are"))
	}
	return errors.Join(errs...)
}

// places are the values of a link's place.
var places = []string{"inside", "outside"}

// Link is a way between GPUs: inside a server (NVLink, PCIe) or one port of a network between servers.
type Link struct {
	Name, Title string
	Place       string // "inside" a server, or "outside", between servers

	EachWay    Figure // GB/s one way: of one GPU inside, of one port outside
	Efficiency Figure // share of it that large collectives reach
	Latency    Figure // s of one hop of a collective, software included
	Shared     bool   // its GPUs meet at host bridges: pairs do not exchange at once
}

func (l *Link) clone() entry { c := *l; return &c }

func (l *Link) fields() []field {
	return []field{
		text("title", &l.Title),
		text("place", &l.Place),
		figure("each-way", &l.EachWay, units.Bandwidth),
		figure("efficiency", &l.Efficiency, units.Share),
		figure("latency", &l.Latency, units.Duration),
		{key: "host-bridge", flag: &l.Shared},
	}
}

func (l *Link) check(*Catalog) error {
	var errs []error
	if !slices.Contains(places, l.Place) {
		errs = append(errs, fmt.Errorf("place: %q is none of inside, outside", l.Place))
	}
	for _, f := range []*Figure{&l.EachWay, &l.Efficiency, &l.Latency} {
		if !f.Known() || f.Value <= 0 {
			errs = append(errs, errors.New("each-way, efficiency and latency are all needed and above zero"))
			break
		}
	}
	return errors.Join(errs...)
}

// LanguageModel returns a language model by name.
func (c *Catalog) LanguageModel(name string) (*LanguageModel, error) {
	return find[*LanguageModel](c, "models", name)
}

// Link returns a link inside or between servers by name.
func (c *Catalog) Link(name string) (*Link, error) { return find[*Link](c, "links", name) }
