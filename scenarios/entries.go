package scenarios

import (
	"slices"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/facility/cooling"
	"headroom/facility/power"
	"headroom/sim/perf"
)

// Entry names an entry of the catalogue.
type Entry = cooling.CatalogEntry

// Catalog returns the catalogue that the scenario reads: the built-in one with the file's own entries over it.
func (s *Scenario) Catalog() *catalog.Catalog { return s.catalog }

// Entries are the entries of the catalogue that the scenario's figures come from, each once: servers with their GPUs
// and supplies, loss curves, plants, coolants, the climate, language models and links. f is what Build returned.
func (s *Scenario) Entries(f *facility.Facility) []Entry {
	var out []Entry
	add := func(kind, name string) {
		e := Entry{Kind: kind, Name: name}
		if name != "" && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	for i := range f.Models {
		if server, err := s.catalog.Server(f.Models[i].Name); err == nil {
			add("servers", server.Name)
			add("gpus", server.GPU)
			add("psus", server.PSU)
		}
	}
	if f.Power != nil {
		for i := range f.Power.Nodes {
			switch n := &f.Power.Nodes[i]; n.Kind {
			case power.UPS:
				add("ups", n.Loss.Name)
			case power.Transformer:
				add("transformers", n.Loss.Name)
			default:
				add("distribution", n.Loss.Name)
			}
		}
	}
	for _, p := range f.Cooling.Plants {
		for _, e := range cooling.CatalogEntries(p) {
			add(e.Kind, e.Name)
		}
	}
	for i := range f.Cooling.Loops {
		add("coolants", f.Cooling.Loops[i].Coolant)
	}
	if s.file.Site.Weather == "" {
		add("climates", s.file.Site.Climate)
	}
	for i := range s.file.Workload {
		m := s.file.Workload[i].Model
		if m == nil {
			continue
		}
		add("models", m.Name)
		for k := range f.Models {
			if gpu, err := perf.NewGPU(s.catalog, f.Models[k].GPU); err == nil && (s.file.Network == nil || s.file.Network.Inside == "") {
				add("links", gpu.Inside)
			}
		}
		if n := s.file.Network; n != nil {
			add("links", n.Inside)
			add("links", n.Link)
		}
	}
	return out
}
