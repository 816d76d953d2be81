package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"headroom/plots/report"
	"headroom/scenarios"
)

// Every figure that a report says it rests on has a grade and a source, and the parts of a hall are all among them.
func TestUsedFigures(t *testing.T) {
	for _, name := range exampleNames() {
		data, _ := scenarios.ExampleFile(name)
		sc, err := scenarios.Load(name, data, scenarios.Options{FS: os.DirFS(".")})
		if err != nil {
			continue // it needs files of its own
		}
		f, err := sc.Build()
		if err != nil {
			t.Fatal(err)
		}
		used, err := usedFigures(sc, f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, u := range used {
			if !slices.Contains([]string{"measured", "datasheet", "derived", "stated", "recalled", "assumed"}, u.Grade) || u.Source == "" || u.Field == "" {
				t.Errorf("%s: %+v", name, u)
			}
		}
		for _, kind := range []string{"servers ", "gpus "} {
			if !slices.ContainsFunc(used, func(u report.Used) bool { return strings.HasPrefix(u.Entry, kind) }) {
				t.Errorf("%s: no figure of %s", name, kind)
			}
		}
	}
}

func TestUsedFiguresOfTheFirstHall(t *testing.T) {
	data, _ := scenarios.ExampleFile("first-hall")
	for variant, want := range map[string][]string{
		"": {
			"chillers york-yk-1881-vanes", "climates shanghai", "distribution busway", "gpus h100", "psus titanium", "servers dgx-h100",
			"towers yorkcalc", "transformers dry", "ups double-conversion",
		},
		"liquid-48": {
			"chillers york-yk-1881-vanes", "climates shanghai", "coolants PG25", "distribution busway", "dry-coolers generic-8k", "gpus h100",
			"psus titanium", "servers hgx-h100-liquid", "towers yorkcalc", "transformers dry", "ups double-conversion",
		},
	} {
		sc, err := scenarios.Load("first-hall", data, scenarios.Options{Variant: variant})
		if err != nil {
			t.Fatal(err)
		}
		f, err := sc.Build()
		if err != nil {
			t.Fatal(err)
		}
		used, err := usedFigures(sc, f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range used {
			if !slices.Contains(got, u.Entry) {
				got = append(got, u.Entry)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q\nwant %q", variant, got, want)
		}
		if !slices.ContainsFunc(used, func(u report.Used) bool { return u.Field == "nameplate" && u.Value == "10.2" && u.Unit == "kW" }) {
			t.Errorf("%q: no nameplate of 10.2 kW", variant)
		}
	}
}
