package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// killedStudy is 120 runs of the first study's hall, each long enough to be hit.
var killedStudy = []string{
	"first-study", "--set", "run.length=40 d", "--set", `study={replicates: 30, vary: [{path: "racks[A].power", values: [36 kW, 48 kW]}, {path: cooling.air.supply, values: [20 C, 26 C]}]}`,
	"--charts", "none", "--format", "csv", "-q",
}

const (
	killedRuns = 120
	kills      = 50
)

// process is one process of the program whose notes are read as they come.
type process struct {
	name string
	cmd  *exec.Cmd
	read sync.WaitGroup

	mu      sync.Mutex
	holds   string // the run it makes, "" for none
	started int
	said    bytes.Buffer
}

// start begins a process; every line of its notes is handed to hear.
func start(t *testing.T, name string, hear func(p *process, line string), args ...string) *process {
	t.Helper()
	return startCommand(t, name, hear, exec.Command("headroom", args...))
}

func startCommand(t *testing.T, name string, hear func(p *process, line string), cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{name: name, cmd: cmd}
	notes, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.read.Go(func() {
		for lines := bufio.NewScanner(notes); lines.Scan(); {
			p.mu.Lock()
			fmt.Fprintln(&p.said, lines.Text())
			switch what, id, _ := strings.Cut(lines.Text(), " "); what {
			case "start":
				p.holds = id
				p.started++
			case "done", "failed":
				p.holds = ""
			}
			p.mu.Unlock()
			hear(p, lines.Text())
		}
	})
	return p
}

// kill ends a process as a power cut would, and returns the run that it was making.
func (p *process) kill() string {
	_ = p.cmd.Process.Kill()
	p.read.Wait()
	_ = p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holds
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Real processes and the real server: workers are killed at random 50 times and the server once. The table is whole and
// the one that a single process makes, and nothing was made more often than a kill explains.
func TestKilledWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	dir := t.TempDir()
	var want bytes.Buffer
	if code := run(context.Background(), append([]string{"study"}, killedStudy...), nil, &want, io.Discard); code != 0 {
		t.Fatalf("the study by itself ended with %d", code)
	}
	address := freePort(t)
	starts := make(chan struct{}, 10_000)
	hear := func(_ *process, line string) {
		if strings.HasPrefix(line, "start ") {
			starts <- struct{}{}
		}
	}
	serve := func() *process {
		p := start(t, "server", func(*process, string) {}, append([]string{"study", "serve", "-o", filepath.Join(dir, "out"), "--listen", address, "--lease", "2s"}, killedStudy...)...)
		return p
	}
	server := serve()
	work := func(n int) *process {
		return start(t, fmt.Sprintf("worker %d", n), hear, "study", "work", "--connect", "nats://"+address, "-j", "1", "-v")
	}
	workers := []*process{work(0), work(1), work(2)}
	defer func() {
		for _, p := range append(workers, server) {
			_ = p.cmd.Process.Kill()
		}
	}()
	dice := rand.New(rand.NewPCG(8, 50))
	executions, hits := 0, 0
	wait := func() {
		select {
		case <-starts:
		case <-time.After(60 * time.Second):
			t.Fatalf("no run was begun for a minute; server:\n%s", server.text())
		}
	}
	for k := range kills {
		for range 1 + dice.IntN(2) {
			wait()
		}
		time.Sleep(time.Duration(dice.IntN(40)) * time.Millisecond)
		if k == kills/2 {
			server.kill()
			t.Logf("the server killed, with %d workers on it", len(workers))
			server = serve()
		}
		n := dice.IntN(len(workers))
		for workers[n].begun() == 0 { // it has not joined yet: there is nothing to hit
			n = (n + 1) % len(workers)
		}
		victim := workers[n]
		held := victim.kill()
		if held == "" {
			t.Logf("kill %2d: %s between two runs", k, victim.name)
		} else {
			hits++
			t.Logf("kill %2d: %s held the lease of run %s", k, victim.name, held)
		}
		executions += victim.started
		workers[n] = work(n)
	}
	executions += allEnd(t, server, workers)
	t.Logf("%d kills, %d of them hit a run; %d executions of %d runs", kills, hits, executions, killedRuns)
	got, err := os.ReadFile(filepath.Join(dir, "out", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("the table differs from the one of a single process")
	}
	if hits < 40 {
		t.Errorf("%d kills hit a run, want at least 40", hits)
	}
	if executions > killedRuns+kills+1 {
		t.Errorf("%d executions of %d runs with %d kills", executions, killedRuns, kills+1)
	}
}

// allEnd waits for the server and its workers to end by themselves and returns how many runs the workers began. A worker
// that came when the study was over waits for another one, as it should, and is stopped.
func allEnd(t *testing.T, server *process, workers []*process) (begun int) {
	t.Helper()
	if !server.ends(2 * time.Minute) {
		t.Fatalf("the server has not ended:\n%s", server.text())
	}
	if err := server.cmd.Wait(); err != nil {
		t.Fatalf("server: %v\n%s", err, server.text())
	}
	for _, p := range workers {
		begun += p.begun()
		switch {
		case p.ends(30 * time.Second):
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", p.name, err, p.text())
			}
		case p.begun() == 0:
			t.Logf("%s came when the study was over", p.name)
			p.kill()
		default:
			t.Errorf("%s has not ended:\n%s", p.name, p.text())
			p.kill()
		}
	}
	return begun
}

// ends says whether a process has closed its output within a time.
func (p *process) ends(within time.Duration) bool {
	done := make(chan struct{})
	go func() {
		p.read.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(within):
		return false
	}
}

func (p *process) begun() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}
