package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// smallStudy is 24 short runs.
var smallStudy = []string{
	"first-study", "--set", "run.length=3 d", "--set", "run.warmup=0 s",
	"--set", `study={replicates: 6, vary: [{path: "racks[A].power", values: [36 kW, 48 kW]}, {path: cooling.air.supply, values: [20 C, 26 C]}]}`, "--charts", "none",
}

func studyTables(t *testing.T, dir string) (csv, columns []byte) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return read("results.csv"), read("results.parquet")
}

// One worker, eight workers in a process, three worker processes and a server process over NATS, and three shards merged
// write the same bytes, as CSV and as Parquet.
func TestSameTables(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	do := func(args ...string) {
		t.Helper()
		var said bytes.Buffer
		if code := run(context.Background(), append(args, "-q"), nil, io.Discard, &said); code != exitDone {
			t.Fatalf("%v ended with %d:\n%s", args[:2], code, said.String())
		}
	}
	do(append([]string{"study", "-o", in("one"), "-j", "1"}, smallStudy...)...)
	do(append([]string{"study", "-o", in("eight"), "-j", "8"}, smallStudy...)...)
	var parts []string
	for i := range 3 {
		parts = append(parts, in(fmt.Sprint("part", i)))
		do(append([]string{"study", "--store", parts[i], "--shard", fmt.Sprintf("%d/3", i)}, smallStudy...)...)
	}
	do(append(append([]string{"study", "merge", smallStudy[0]}, append(parts, "-o", in("shards"))...), smallStudy[1:]...)...)

	address := freePort(t)
	quiet := func(*process, string) {}
	server := start(t, "server", quiet, append([]string{"study", "serve", "-o", in("nats"), "--listen", address, "-q"}, smallStudy...)...)
	var workers []*process
	for i := range 3 {
		workers = append(workers, start(t, fmt.Sprint("worker ", i), quiet, "study", "work", "--connect", "nats://"+address, "-j", "1", "-v"))
	}
	defer func() {
		for _, p := range append(workers, server) {
			_ = p.cmd.Process.Kill()
		}
	}()
	if begun := allEnd(t, server, workers); begun != 24 {
		t.Errorf("%d executions of 24 runs", begun)
	}
	csv, columns := studyTables(t, in("one"))
	if lines := bytes.Count(csv, []byte("\n")); lines != 25 {
		t.Errorf("%d lines", lines)
	}
	for _, name := range []string{"eight", "shards", "nats"} {
		c, p := studyTables(t, in(name))
		if !bytes.Equal(c, csv) {
			t.Errorf("%s: another CSV", name)
		}
		if !bytes.Equal(p, columns) {
			t.Errorf("%s: another Parquet file", name)
		}
	}
}

// Two processes run one study against one store at once: each run is made once, and both write the same tables.
func TestTwoProcessesOneStore(t *testing.T) {
	dir := t.TempDir()
	quiet := func(*process, string) {}
	var both []*process
	for _, name := range []string{"a", "b"} {
		both = append(both, start(t, name, quiet, append([]string{"study", "-o", filepath.Join(dir, name), "--store", filepath.Join(dir, "store"), "-j", "2"}, smallStudy...)...))
	}
	for _, p := range both {
		if !p.ends(2 * time.Minute) {
			_ = p.cmd.Process.Kill()
			t.Fatalf("%s has not ended:\n%s", p.name, p.text())
		}
		if err := p.cmd.Wait(); err != nil {
			t.Fatalf("%s: %v\n%s", p.name, err, p.text())
		}
	}
	if runs := stored(t, filepath.Join(dir, "store")); len(runs) != 24 { // and none twice: that fails inside
		t.Errorf("%d runs in the store", len(runs))
	}
	c1, p1 := studyTables(t, filepath.Join(dir, "a"))
	c2, p2 := studyTables(t, filepath.Join(dir, "b"))
	if !bytes.Equal(c1, c2) || !bytes.Equal(p1, p2) {
		t.Error("the tables differ")
	}
}

// A wrong token is refused at once and a worker says so; it neither hangs nor makes a run.
func TestWrongToken(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right, wrong := write("right", "right"), write("wrong", "wrong")
	address := freePort(t)
	quiet := func(*process, string) {}
	server := start(t, "server", quiet, append([]string{"study", "serve", "-o", filepath.Join(dir, "out"), "--listen", address, "--token-file", right}, smallStudy...)...)
	defer func() { _ = server.cmd.Process.Kill() }()
	for range 600 {
		if strings.Contains(server.text(), "listening") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, token := range [][]string{{"--token-file", wrong}, nil} {
		p := start(t, "stranger", quiet, append([]string{"study", "work", "--connect", "nats://" + address, "-v"}, token...)...)
		if !p.ends(time.Minute) {
			_ = p.cmd.Process.Kill()
			t.Fatalf("%v: it has not ended:\n%s", token, p.text())
		}
		if err := p.cmd.Wait(); err == nil || p.begun() > 0 || !strings.Contains(p.text(), "token") {
			t.Errorf("%v: %v\n%s", token, err, p.text())
		}
	}
	friend := start(t, "friend", quiet, "study", "work", "--connect", "nats://"+address, "-v", "-j", "2", "--token-file", right)
	defer func() { _ = friend.cmd.Process.Kill() }()
	if begun := allEnd(t, server, []*process{friend}); begun != 24 {
		t.Errorf("%d executions of 24 runs", begun)
	}
}
