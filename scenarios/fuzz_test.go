package scenarios

import (
	"bytes"
	"testing"
	"testing/fstest"
)

// FuzzLoad holds Load to: no panic, and what it accepts resolves to a file that loads to the same file.
func FuzzLoad(f *testing.F) {
	for _, e := range Examples() {
		if e.Name == "bench-campus" {
			continue // large; the others hold every key it has
		}
		data, _ := ExampleFile(e.Name)
		f.Add(data, "racks[0].power=50 kW", "")
	}
	f.Add([]byte(block1), "servers[0].count=3", "liquid-78")
	f.Add([]byte(rest+block2), "power.nodes[ups].count=5", "")
	f.Add([]byte(hall+"replay: [{name: old, trace: jobs.csv, window: {from: 10 s, length: 1 d}}]\n"), "a=b", "x")
	files := fstest.MapFS{"jobs.csv": {Data: []byte("arrival_s,num_gpus,duration_s\n0,8,3600\n60,16,7200\n")}}
	f.Fuzz(func(t *testing.T, data []byte, set, variant string) {
		if len(data) > 1<<16 {
			return
		}
		s, err := Load("f.yaml", data, Options{Set: []string{set}, Variant: variant, FS: files})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		first, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Load("f.yaml", first, Options{FS: files})
		if err != nil {
			t.Fatalf("resolved form does not load: %v\n%s", err, first)
		}
		again, err := back.Resolved()
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("resolved twice differs, %v:\n%s\n---\n%s", err, first, again)
		}
		if _, err := s.Build(); err != nil {
			t.Fatalf("Load found no problem and Build did: %v", err)
		}
	})
}

func BenchmarkLoadFirstHall(b *testing.B) { benchmarkLoad(b, "first-hall") }
func BenchmarkLoadCampus(b *testing.B)    { benchmarkLoad(b, "bench-campus") }

func benchmarkLoad(b *testing.B, name string) {
	data, _ := ExampleFile(name)
	for b.Loop() {
		if _, err := Load(name, data, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
