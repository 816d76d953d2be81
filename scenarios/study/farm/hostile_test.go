package farm

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"headroom/scenarios/study/sweep"
)

// Garbage on every subject of a study (before it begins and while it runs), jobs that are none, rows of other runs under
// the id of one that is wanted: nothing panics or hangs, and the table is the one that a single process makes.
func TestGarbage(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	alone, want := alone(ctx, t)
	ns, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer StopServer(ns)
	st, bundle := ready(t, t.TempDir())
	link := LinkOptions{URL: ns.ClientURL(), Name: "host"}
	vandal, err := connect(link)
	if err != nil {
		t.Fatal(err)
	}
	defer vandal.nc.Close()
	n := names{"abc"}
	if err := vandal.streams(ctx, n, bundle.Lease, 1); err != nil {
		t.Fatal(err)
	}
	runs := alone.Runs()
	row := func(id string) []byte {
		r, ok, err := alone.Maker.Store.Get(id)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		data, _ := r.MarshalBinary()
		return data
	}
	litter := func() {
		foreign, _ := json.Marshal(message{ID: runs[0].ID, Worker: "vandal", Row: row(runs[1].ID)})
		torn, _ := json.Marshal(message{ID: runs[2].ID, Worker: "vandal", Row: row(runs[2].ID)[:100]})
		odd, _ := json.Marshal(message{ID: "a b.*", Task: sweep.Task{Set: []string{"nonsense"}}})
		unknown, _ := json.Marshal(message{ID: "00000000", Task: sweep.Task{Variant: "none", Set: []string{"=", "x"}}})
		for subject, data := range map[string][]byte{
			n.job(runs[3].ID, 0): []byte("\x00\xff{"), // in the place of a job that is wanted
			n.job("odd", 0):      odd,
			n.job("00000000", 0): unknown,
			n.job("empty", 9):    nil,
			n.row("x"):           []byte("not json"),
			n.row(runs[0].ID):    foreign,
			n.row(runs[2].ID):    torn,
			n.lease(runs[4].ID):  []byte("vandal"),
		} {
			_ = vandal.nc.Publish(subject, data)
		}
		_ = vandal.nc.Flush()
	}
	litter()
	host, err := NewHost(ctx, st.Maker, HostOptions{Link: link, Key: n.key, Bundle: bundle})
	if err != nil {
		t.Fatal(err)
	}
	var made atomic.Int64
	var worker sync.WaitGroup
	worker.Go(func() {
		work(ctx, t, link.URL, "one", func() {
			if made.Add(1) == 3 {
				litter()
			}
		})
	})
	// A lease that nobody renews and that never expires holds its run up until it is taken away.
	time.AfterFunc(3*time.Second, func() {
		if s, err := vandal.js.Stream(ctx, n.leases()); err == nil {
			_ = s.Purge(ctx)
		}
	})
	if err := st.Run(ctx, host, 16); err != nil {
		t.Fatal(err)
	}
	if err := host.Close(ctx, true); err != nil {
		t.Error(err)
	}
	worker.Wait()
	sameTable(t, st, want)
	t.Logf("%d runs made for %d", made.Load(), len(runs))
}

// A worker of another version makes no run, and says what is to be done.
func TestAnotherVersion(t *testing.T) {
	for _, change := range []func(*Bundle){func(b *Bundle) { b.Model = "1900.01-1" }, func(b *Bundle) { b.Columns = "0" }} {
		_, b := ready(t, t.TempDir())
		change(b)
		if _, err := b.Base(); err == nil || !strings.Contains(err.Error(), "use the same release") {
			t.Errorf("%v", err)
		}
	}
}
