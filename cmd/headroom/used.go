package main

import (
	"slices"
	"strconv"
	"strings"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/plots/report"
	"headroom/scenarios"
)

// usedFigures are the figures of the catalogue that a scenario's results rest on, with their grades and sources.
func usedFigures(sc *scenarios.Scenario, f *facility.Facility) ([]report.Used, error) {
	plants, err := plantKinds()
	if err != nil {
		return nil, err
	}
	var out []report.Used
	entries := sc.Entries(f)
	skip := slices.Clone(unread)
	if !slices.ContainsFunc(entries, func(e scenarios.Entry) bool { return e.Kind == "models" }) {
		skip = append(skip, readForModels...)
	}
	for _, e := range entries {
		figures, err := entryFigures(sc.Catalog(), plants, e)
		if err != nil {
			return nil, err
		}
		for _, x := range figures {
			if e.Kind == "gpus" && slices.Contains(skip, x.Field) {
				continue
			}
			if x.Grade != "" { // text, such as the name of a part, has none
				out = append(out, report.Used{Entry: e.Kind + " " + e.Name, Field: x.Field, Value: x.Value, Unit: x.Unit, Grade: x.Grade, Source: x.Source})
			}
		}
	}
	return out, nil
}

func entryFigures(c *catalog.Catalog, plants []catalogKind, e scenarios.Entry) ([]catalogFigure, error) {
	if slices.Contains(c.Kinds(), e.Kind) {
		rows, err := c.Rows(e.Kind, e.Name)
		var out []catalogFigure
		for _, r := range rows {
			out = append(out, catalogFigure(r))
		}
		return out, err
	}
	for _, k := range plants {
		if k.Kind != e.Kind {
			continue
		}
		for _, entry := range k.Entries {
			if strings.EqualFold(entry.Name, e.Name) {
				return summed(k.Kind, entry), nil
			}
		}
	}
	return []catalogFigure{{Field: "all figures", Grade: string(catalog.Stated), Source: "the scenario's own catalogue"}}, nil
}

// summed leaves single figures as they are and names lists of coefficients and months without their numbers, which
// say nothing to a reader; those of a climate are one thing.
func summed(kind string, e catalogEntry) []catalogFigure {
	var out []catalogFigure
	for _, f := range e.Figures {
		if kind == "climates" {
			return []catalogFigure{{Field: "monthly statistics of " + e.Title, Grade: f.Grade, Source: f.Source}}
		}
		f.Field, _, _ = strings.Cut(f.Field, "[")
		if strings.Contains(f.Value, " ") {
			f.Value = "" // a list
		} else if _, err := strconv.ParseFloat(f.Value, 64); err != nil {
			continue // a word
		}
		if !slices.ContainsFunc(out, func(o catalogFigure) bool { return o.Field == f.Field }) {
			out = append(out, f)
		}
	}
	return out
}

// unread are figures of a GPU that nothing is reckoned from: they tell GPUs apart. Those of the second list are read
// only for jobs of a named language model.
var (
	unread        = []string{"fp64", "fp64-matrix", "tf32", "int8", "link"}
	readForModels = []string{"bandwidth", "fp8", "fp4", "matmul"}
)
