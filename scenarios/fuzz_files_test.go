package scenarios

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// FuzzFiles holds every file that a scenario may name to: no panic; what is taken makes a run's configuration, and what
// is not is refused with words, here and not later.
func FuzzFiles(f *testing.F) {
	lines := []string{
		"site: {climate: shanghai}\nreplay: [{name: old, trace: FILE, bad: skip}]\n",
		"site: {climate: shanghai}\nreplay: [{name: old, trace: FILE, window: {from: 10 s, length: 1 h}, span: 2 h, shuffle: true}]\n",
		"site: {climate: shanghai}\nreplay: [{name: busy, trace: FILE, format: occupancy, times: dates, size: 2}]\n",
		"site: {climate: shanghai}\nmoney: {prices: {file: FILE, unit: EUR/MWh}}\n",
		"site: {climate: shanghai}\nmoney: {grid: {file: FILE, column: b, unit: g/kWh}}\n",
		"site: {climate: shanghai}\nworkload:\n  - {name: chat, kind: inference, model: {name: llama-3-8b, first_token: 1 s, per_token: 50 ms}, gpus: 32, requests: {trace: FILE, span: 10 min}, scale: {min: 2}}\n",
		"site: {weather: FILE}\n",
	}
	seeds := []string{
		"arrival_s,num_gpus,duration_s\n0,8,3600\n60,16,7200\n",
		"time,running_gpu_num\n2020-05-01 00:00:00,59\n2020-05-01 00:01:00,3\n",
		"t,a,b\n2026-01-01T00:00:00Z,9,400\n2026-01-01T01:00:00Z,9,410\n",
		"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04,1,1\n",
		"time,temp_c,rh_pct\n2026-01-01 00:00,1,50\n2026-01-01 01:00,2,50\n",
	}
	for i := range lines {
		for _, s := range seeds {
			f.Add([]byte(s), uint8(i), "csv")
		}
	}
	f.Add([]byte("; c\n1 0 -1 60 8 -1 -1 8 60 -1 1 1 1 1 1 1 -1 -1\n"), uint8(0), "swf")
	f.Add([]byte("LOCATION,X\n"), uint8(6), "epw")
	f.Fuzz(func(t *testing.T, data []byte, which uint8, ext string) {
		if len(data) > 1<<14 || len(ext) > 8 || strings.ContainsAny(ext, "/\\:{}[],#&*!|>'\"%@` \n\t\x00") {
			return
		}
		name := "f." + ext
		text := strings.Replace(hall, "site: {climate: shanghai}\n", strings.ReplaceAll(lines[int(which)%len(lines)], "FILE", name), 1) + "run: {length: 1 h}\n"
		s, err := Load("f.yaml", []byte(text), Options{FS: fstest.MapFS{name: {Data: data}}})
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "%!") {
				t.Fatalf("a message without words: %q", err)
			}
			return
		}
		if _, err := s.Build(); err != nil {
			t.Fatalf("Load found no problem and Build did: %v", err)
		}
		if _, err := s.Configure(nil); err != nil {
			t.Fatalf("Load found no problem and Configure did: %v", err)
		}
		if s.ID() == "" {
			t.Fatal("no id")
		}
	})
}

// FuzzCatalogFiles holds the entries of a --catalog folder to: no panic; what is taken stands in the resolved
// scenario, which is the same run without the folder.
func FuzzCatalogFiles(f *testing.F) {
	f.Add([]byte("servers: {mine: {like: dgx-h100, nameplate: 16 kW}}\n"), []byte("gpus: {own: {like: h100, tdp: 600 W}}\n"))
	f.Add([]byte("servers: {mine: {like: dgx-h100, gpu: own}}\n"), []byte("gpus: {own: {like: h100, tdp: 600 W}}\n"))
	f.Add([]byte("chillers: {own: {like: york-yk-1881-vanes, capacity: 2 MW}}\nups: {u: {like: double-conversion}}\n"), []byte("climates:\n  here: {city: here, like: Shanghai}\n"))
	f.Add([]byte("servers:\n  mine: {like: mine}\n"), []byte("psus: {p: {}}\nmodels: {m: {}}\nlinks: {l: {}}\ncoolants: {c: {}}\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a)+len(b) > 1<<14 {
			return
		}
		o := Options{Catalogs: []CatalogFile{{"a.yaml", a}, {"b.yaml", b}}}
		s, err := Load("hall.yaml", []byte(catalogHall), o)
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "%!") {
				t.Fatalf("a message without words: %q", err)
			}
			return
		}
		first, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Load("hall.yaml", first, Options{})
		if err != nil {
			t.Fatalf("resolved form does not load: %v\n%s", err, first)
		}
		if again, err := back.Resolved(); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("resolved twice differs, %v:\n%s\n---\n%s", err, first, again)
		}
		if back.ID() != s.ID() {
			t.Fatal("the resolved scenario is another run")
		}
		if _, err := s.Build(); err != nil {
			t.Fatal(fmt.Errorf("Load found no problem and Build did: %w", err))
		}
	})
}
