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

// alone is the study made by one process, and its table.
func alone(ctx context.Context, t *testing.T) (*sweep.Study, []byte) {
	t.Helper()
	st, _ := ready(t, t.TempDir())
	if err := st.Local(ctx, 1); err != nil {
		t.Log(st.Runs()[0].Err)
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := st.WriteCSV(&table); err != nil {
		t.Fatal(err)
	}
	return st, table.Bytes()
}

func sameTable(t *testing.T, st *sweep.Study, want []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := st.WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got.Bytes()) {
		t.Error("the tables differ")
	}
}

// work joins a study and makes its runs until it is over; before is called before each.
func work(ctx context.Context, t *testing.T, url, name string, before func()) {
	w, err := Join(ctx, LinkOptions{URL: url, Name: name}, "")
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
	err = sweep.Work(ctx, w, w.Beat(), func(ctx context.Context, j sweep.Job) sweep.Outcome {
		before()
		return base.Make(ctx, j)
	})
	if err != nil {
		t.Error(err)
	}
}

// Three workers over a server give the table that one process gives.
func TestThreeWorkers(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	_, want := alone(ctx, t)
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
		group.Go(func() { work(ctx, t, link.URL, name, func() {}) })
	}
	if err := st.Run(ctx, host, 16); err != nil {
		t.Fatal(err)
	}
	if err := host.Close(ctx, true); err != nil {
		t.Error(err)
	}
	group.Wait()
	sameTable(t, st, want)
	if st.Count.Made != 18 || host.Seen.Again != 0 {
		t.Errorf("%+v %+v", st.Count, host.Seen)
	}
}
