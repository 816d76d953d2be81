package scenarios

import (
	"strings"
	"testing"
)

const catalogHall = `version: 1
site: {climate: shanghai}
racks: [{row: A, height: 42U, power: 48 kW}]
servers: [{model: mine, count: max}]
`

func TestCatalogFiles(t *testing.T) {
	files := func(texts ...string) (list []CatalogFile) {
		for i, x := range texts {
			list = append(list, CatalogFile{string(rune('a'+i)) + ".yaml", []byte(x)})
		}
		return list
	}
	for _, c := range []struct {
		name, scenario string
		files          []CatalogFile
		servers        int
		want           string // in the error
	}{
		{"one", catalogHall, files("servers: {mine: {like: dgx-h100, nameplate: 16 kW}}"), 3, ""},
		{"a later file wins", catalogHall, files("servers: {mine: {like: dgx-h100, nameplate: 16 kW}}", "servers: {mine: {like: dgx-h100, nameplate: 24 kW}}"), 2, ""},
		{"the scenario wins", catalogHall + "catalog: {servers: {mine: {like: dgx-h100, nameplate: 48 kW}}}\n", files("servers: {mine: {like: dgx-h100, nameplate: 16 kW}}"), 1, ""},
		{"two kinds", catalogHall, files("servers: {mine: {like: dgx-h100, gpu: own}}", "gpus: {own: {like: h100, tdp: 600 W}}"), 4, ""},
		{"none", catalogHall, nil, 0, "not in the catalogue"},
		{"its mistake has its place", catalogHall, files("servers:\n  mine: {like: dgx-h100, nameplate: 16}\n"), 0, "a.yaml:2:"},
		{"not YAML", catalogHall, files("servers: ["), 0, "a.yaml:2:1: not YAML"},
		{"a list", catalogHall, files("[1]"), 0, "a.yaml:1:1"},
	} {
		s, err := Load("hall.yaml", []byte(c.scenario), Options{Catalogs: c.files})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if l := place(t, c.scenario, Options{Catalogs: c.files}); len(l.Servers) != c.servers {
			t.Errorf("%s: %d servers, want %d", c.name, len(l.Servers), c.servers)
		}
		// The resolved scenario stands on its own, and is the same run.
		resolved, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Load("resolved.yaml", resolved, Options{}); err != nil || again.ID() != s.ID() {
			t.Errorf("%s: the resolved scenario is another run: %v", c.name, err)
		}
	}
}
