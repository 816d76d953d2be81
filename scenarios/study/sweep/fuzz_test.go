package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"headroom/scenarios"
	"headroom/sim"
)

// FuzzStudy holds the study section to: no panic and no silence; what loads has a plan, each of whose runs is either
// loaded by Check's rules or refused with a place, and whose combinations have names.
func FuzzStudy(f *testing.F) {
	f.Add([]byte(gridStudy))
	for _, e := range scenarios.Examples() {
		data, _ := scenarios.ExampleFile(e.Name)
		if _, section, ok := strings.Cut(string(data), "\nstudy:"); ok {
			if end := strings.Index(section, "\n\n"); end > 0 {
				section = section[:end+1]
			}
			f.Add([]byte("study:" + section))
		}
	}
	f.Add([]byte("study:\n  sample:\n    runs: 4\n    over:\n      - {path: run.seed, uniform: [1, 9]}\n      - {path: cooling.air.supply, triangle: [20 C, 22 C, 26 C]}\n"))
	f.Add([]byte("study:\n  find: {path: \"racks[A].power\", largest: true, from: 20 kW, to: 60 kW, step: 1 kW, where: [\"pue<1.5\"]}\n"))
	f.Add([]byte("study: {replicates: {min: 2, max: 9, figure: pue, within: 1%}, sensitivity: [{path: cooling.air.supply, low: 20 C, high: 26 C}]}\n"))
	f.Fuzz(func(t *testing.T, section []byte) {
		if len(section) > 1<<12 {
			return
		}
		src, err := scenarios.Parse("tiny.yaml", append([]byte(tiny), section...), nil)
		if err != nil {
			return
		}
		sc, err := src.Load(scenarios.Options{})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		st, ok := sc.Study()
		if !ok {
			return
		}
		p := NewPlan(st)
		if n := p.Points(); n < 1 {
			t.Fatalf("a study of %d points", n)
		}
		if p.Points() > 200 {
			return // Check loads a scenario for each value
		}
		if err := NewBase(src, scenarios.Options{}).Check(p); err != nil && err.Error() == "" {
			t.Fatal("an error without a word")
		}
	})
}

// FuzzStoredRow holds the reader of stored runs to: no panic; what it takes is whole, of this version, and written
// again reads as the same row.
func FuzzStoredRow(f *testing.F) {
	values := make([]any, len(Columns()))
	row := Row{ID: "0123456789abcdef", Values: values}
	values[len(values)-1] = "[]"
	whole := row.encode()
	head, rest, _ := bytes.Cut(whole, []byte("\n"))
	body, _, _ := bytes.Cut(rest, []byte("\n"))
	f.Add(head, body, false)
	f.Add(head, bytes.Replace(body, []byte("null"), []byte("1e999"), 3), true)
	f.Add([]byte(`{"id":"a","model":"0","columns":"x"}`), []byte("[1]"), true)
	f.Add(head, body[:len(body)/2], true)
	f.Fuzz(func(t *testing.T, head, body []byte, sign bool) {
		if sign { // a sum that fits, so that the values are read
			var h entryHead
			if json.Unmarshal(head, &h) == nil {
				sum := sha256.Sum256(body)
				h.Sum, h.Model, h.Columns = hex.EncodeToString(sum[:8]), sim.ModelVersion, ColumnsMark()
				head, _ = json.Marshal(h)
			}
		}
		data := bytes.Join([][]byte{head, body, nil}, []byte("\n"))
		r, other, err := decodeRow(data)
		if err != nil {
			if strings.Contains(err.Error(), "%!") {
				t.Fatalf("a garbled message: %v", err)
			}
			return
		}
		if other {
			return
		}
		if len(r.Values) != len(Columns()) {
			t.Fatalf("%d values", len(r.Values))
		}
		for _, c := range Columns() {
			r.Numbers(c.Key + ".x.y")
			r.Number(c.Key)
		}
		_ = r.broken()
		again, _, err := decodeRow(r.encode())
		if err != nil || !bytes.Equal(again.encode(), r.encode()) {
			t.Fatalf("written again it is another row: %v", err)
		}
	})
}

// FuzzStore holds a store with a file that holds anything, between two runs, to: what comes before and after it is
// found, a run that is found is whole, and no file ends in a panic.
func FuzzStore(f *testing.F) {
	values := make([]any, len(Columns()))
	values[len(values)-1] = "[]"
	ids := []string{"0123456789abcdef", "fedcba9876543210", "00112233445566"}
	text := func(id string) []byte { return (&Row{ID: id, Values: values}).encode() }
	f.Add(text(ids[1]))
	f.Add(text(ids[1])[:90])
	f.Add(bytes.Replace(text(ids[1]), []byte("null"), []byte("nill"), 1))
	f.Add([]byte("{}\n[]\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "runs"), 0o755); err != nil {
			t.Fatal(err)
		}
		all := bytes.Join([][]byte{text(ids[0]), data, []byte("\n"), text(ids[2])}, nil)
		if err := os.WriteFile(filepath.Join(dir, "runs", rowFilePrefix+"a"+rowFileSuffix), all, 0o644); err != nil {
			t.Fatal(err)
		}
		store, err := OpenStore(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer store.claims.Close()
		for i, id := range ids {
			row, ok, err := store.Get(id)
			if err != nil || ok && (row.ID != id || len(row.Values) != len(Columns())) {
				t.Fatalf("%q of %d values: %v", row.ID, len(row.Values), err)
			}
			if i != 1 && !ok && !bytes.Contains(data, []byte(id)) {
				t.Fatalf("run %d is not found", i)
			}
		}
	})
}
