package farm

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"headroom/scenarios"
	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

func ready(t *testing.T, dir string) (*sweep.Study, *Bundle) {
	t.Helper()
	text, _ := scenarios.ExampleFile("first-study")
	set := []string{"run.length=2 d", "run.warmup=0 s", "study.replicates=1"}
	src, err := scenarios.Parse("first-study.yaml", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := src.Load(scenarios.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	st, _ := sc.Study()
	store, err := sweep.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := &Bundle{Name: "first-study.yaml", Text: text, Set: set, Model: sim.ModelVersion, Columns: sweep.ColumnsMark(), Lease: 2 * time.Second}
	return sweep.New(st, &sweep.Maker{Base: sweep.NewBase(src, scenarios.Options{Set: set}), Store: store}, nil), b
}

// Three workers over a server give the table that one process gives.
func TestThreeWorkers(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	alone, _ := ready(t, t.TempDir())
	if err := alone.Local(ctx, 1); err != nil {
		t.Log(alone.Runs()[0].Err)
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	if err := alone.WriteCSV(&want); err != nil {
		t.Fatal(err)
	}
	ns, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer StopServer(ns)
	st, bundle := ready(t, t.TempDir())
	link := LinkOptions{URL: ns.ClientURL(), Name: "host"}
	host, err := NewHost(ctx, st.Maker, HostOptions{Link: link, Key: "abc", Bundle: bundle})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, name := range []string{"one", "two", "three"} {
		group.Go(func() {
			w, err := Join(ctx, LinkOptions{URL: link.URL, Name: name}, "")
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			base, err := w.Bundle.Base()
			if err != nil {
				t.Error(err)
				return
			}
			if err := sweep.Work(ctx, w, w.Beat(), base.Make); err != nil {
				t.Error(err)
			}
		})
	}
	if err := st.Run(ctx, host, 16); err != nil {
		t.Fatal(err)
	}
	if err := host.Close(ctx, true); err != nil {
		t.Error(err)
	}
	group.Wait()
	if err := st.WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Error("the tables differ")
	}
	if st.Count.Made != 18 || host.Seen.Again != 0 {
		t.Errorf("%+v %+v", st.Count, host.Seen)
	}
}
