package farm

import (
	"encoding/json"
	"testing"

	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

// FuzzBundle holds what a worker is sent to: no panic; another version is refused; what is taken loads or says why not.
func FuzzBundle(f *testing.F) {
	b := Bundle{
		Name: "hall.yaml", Text: []byte("version: 1\nsite: {climate: shanghai}\nracks: [{row: A, height: 42U, power: 48 kW}]\nservers: [{model: dgx-h100, count: max}]\n"),
		Set: []string{"racks[A].power=50 kW"}, Names: []string{"jobs.csv"}, Model: sim.ModelVersion, Columns: sweep.ColumnsMark(),
	}
	head, err := json.Marshal(&b)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(head, []byte("arrival_s,num_gpus,duration_s\n0,8,3600\n"), []byte(`{"variant":"x","set":["a=b"],"replicate":3}`))
	f.Add([]byte(`{"text":"","seed":-1}`), []byte(nil), []byte(`{"set":null}`))
	f.Fuzz(func(t *testing.T, head, file, task []byte) {
		var b Bundle
		var x sweep.Task
		if json.Unmarshal(head, &b) != nil || json.Unmarshal(task, &x) != nil || len(b.Text) > 1<<14 {
			return
		}
		b.Files = map[string][]byte{}
		for _, name := range b.Names {
			b.Files[name] = file
		}
		base, err := b.Base()
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		if b.Model != sim.ModelVersion {
			t.Fatal("another model is taken")
		}
		if _, err := base.ID(&x); err != nil && err.Error() == "" {
			t.Fatal("an error without a word")
		}
	})
}
