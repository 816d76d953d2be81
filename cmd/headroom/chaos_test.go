package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// chaosKills is how often each of the tests below kills: a few times, or HEADROOM_CHAOS times (make chaos).
func chaosKills(t *testing.T) int {
	t.Helper()
	text := os.Getenv("HEADROOM_CHAOS")
	if text == "" {
		return 10
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("HEADROOM_CHAOS=%q is no number of kills", text)
	}
	return n
}

// chaosRun is one of two runs that replace each other in a folder: the first leaves charts that the second does not have.
type chaosRun struct {
	args []string
	want map[string]string // what a folder holds when it was let alone
	took time.Duration
}

func (c *chaosRun) command(dir string) *exec.Cmd {
	return exec.Command("headroom", append([]string{"run", "first-hall", "-q", "--set", "run.start=2026-07-10", "--set", "run.length=10 d", "-o", dir}, c.args...)...)
}

// visible are the files of a folder without the hidden ones of a run under way.
func visible(t *testing.T, dir string) (files map[string]string, hidden []string) {
	t.Helper()
	files = tree(t, dir)
	for name := range files {
		if strings.HasPrefix(name, stagingPrefix) {
			hidden = append(hidden, name)
			delete(files, name)
		}
	}
	return files, hidden
}

// verify is sha256sum -c run.sha256.
func verify(files map[string]string) error {
	list, ok := files["run.sha256"]
	if !ok {
		return fmt.Errorf("no run.sha256")
	}
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		sum, name, _ := strings.Cut(line, "  ")
		data, ok := files[name]
		if !ok {
			return fmt.Errorf("%s is missing", name)
		}
		if now := sha256.Sum256([]byte(data)); hex.EncodeToString(now[:]) != sum {
			return fmt.Errorf("%s is another one", name)
		}
	}
	return nil
}

// A run that is killed at any moment leaves the result that was there before, or its own, or one that says of itself that
// it is not whole; no file is torn and none is of somebody else; and the next run makes the result that it always makes.
func TestKilledRun(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	dice := rand.New(rand.NewPCG(9, 100))
	runs := [2]*chaosRun{{args: []string{"--charts", "svg"}}, {args: []string{"--charts", "none", "--seed", "2"}}}
	for _, c := range runs {
		dir := t.TempDir()
		at := time.Now()
		if out, err := c.command(dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		c.took, c.want = time.Since(at), tree(t, dir)
	}
	const mine = "notes.txt"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, mine), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	full := func(c *chaosRun) {
		t.Helper()
		if out, err := c.command(dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got, hidden := visible(t, dir)
		if got[mine] != "mine" {
			t.Error("somebody else's file is gone")
		}
		delete(got, mine)
		if !maps.Equal(got, c.want) || len(hidden) > 0 {
			t.Fatalf("the run after a kill left another result: files %v, want %v; hidden %v", sortedNames(got), sortedNames(c.want), hidden)
		}
	}
	full(runs[0])
	count := map[string]int{}
	was := 0 // the run whose result stands there
	whole := true
	for k := range chaosKills(t) {
		next := 1 - was
		c := runs[next]
		cmd := c.command(dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if dice.IntN(5) < 3 {
			time.Sleep(time.Duration(dice.Int64N(int64(c.took) * 11 / 10)))
		} else { // while it moves its files
			for until := time.Now().Add(3 * c.took); time.Now().Before(until); {
				if at, _ := filepath.Glob(filepath.Join(dir, stagingPrefix+"*", commitName)); len(at) > 0 {
					time.Sleep(time.Duration(dice.IntN(800)) * time.Microsecond)
					break
				}
				time.Sleep(20 * time.Microsecond)
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		got, _ := visible(t, dir)
		if got[mine] != "mine" {
			t.Error("somebody else's file is gone")
		}
		delete(got, mine)
		for name, data := range got { // whatever happened, a file is whole and of one of the two
			if data != runs[0].want[name] && data != runs[1].want[name] {
				t.Fatalf("kill %d: %s is of neither run", k, name)
			}
		}
		err := verify(got)
		switch {
		case maps.Equal(got, runs[was].want):
			count["as it was"]++
			if !whole {
				t.Errorf("kill %d: whole, and was not", k)
			}
		case maps.Equal(got, c.want):
			count["as it became"]++
			was, whole = next, true
		case err == nil:
			t.Fatalf("kill %d: the list of files is right and the result is of neither run: %v", k, sortedNames(got))
		default:
			count["told to be incomplete"]++
			whole = false
		}
		if dice.IntN(2) == 0 { // else the next is killed in what this one left
			which := dice.IntN(2)
			full(runs[which])
			was, whole = which, true
		}
	}
	full(runs[dice.IntN(2)])
	t.Logf("%d kills of a run: %v; every run after one wrote the same bytes", chaosKills(t), count)
}

// A study that is killed at any moment goes on where it stood: what its store holds is never made again, and the
// tables are those of a study that was let alone.
func TestKilledStudy(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	study := func(dir string) *exec.Cmd {
		return exec.Command("headroom", "study", "first-study", "-o", filepath.Join(dir, "out"), "--store", filepath.Join(dir, "store"), "-j", "2", "--charts", "none", "-q",
			"--set", "run.length=30 d", "--set", `study={replicates: 15, vary: [{path: "racks[A].power", values: [36 kW, 48 kW]}, {path: cooling.air.supply, values: [20 C, 26 C]}]}`)
	}
	want := t.TempDir()
	at := time.Now()
	if out, err := study(want).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(at)
	tables := tree(t, filepath.Join(want, "out"))
	runs := stored(t, filepath.Join(want, "store"))
	dice := rand.New(rand.NewPCG(10, 100))
	kills, studies, kept, most := chaosKills(t), 0, 0, 0
	for killed := 0; killed < kills; studies++ {
		dir := t.TempDir()
		before := map[string]storedRun{}
		for here := 0; ; here++ {
			cmd := study(dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			hit := false
			if killed < kills {
				select {
				case <-time.After(time.Duration(dice.Int64N(int64(took)))):
					_ = cmd.Process.Kill()
					<-ended
					killed++
					hit = true
				case err := <-ended:
					if err != nil {
						t.Fatal(err)
					}
				}
			} else if err := <-ended; err != nil {
				t.Fatal(err)
			}
			now := stored(t, filepath.Join(dir, "store"))
			for name, old := range before {
				switch again, ok := now[name]; {
				case !ok:
					t.Fatalf("a finished run is lost: %s", name)
				case again != old:
					t.Fatalf("a finished run was made again: %s", name)
				}
				kept++
			}
			before = now
			most = max(most, here)
			if !hit {
				break
			}
		}
		if got := tree(t, filepath.Join(dir, "out")); !maps.Equal(got, tables) {
			t.Fatalf("after %d kills the tables are others: %v, want %v", killed, sortedNames(got), sortedNames(tables))
		}
		now := stored(t, filepath.Join(dir, "store"))
		for name, want := range runs {
			if now[name].text != want.text {
				t.Fatalf("stored run %s differs", name)
			}
		}
	}
	t.Logf("%d kills of %d studies of %d runs, up to %d of one: no finished run was lost (%d times one was found again) and the tables are the same bytes", kills, studies, len(runs), most, kept)
}

// storedRun is a finished run of a store: where it lies, and its two lines.
type storedRun struct{ where, text string }

// stored are the finished runs of a store, by id; one that was made twice fails the test.
func stored(t *testing.T, store string) map[string]storedRun {
	t.Helper()
	out := map[string]storedRun{}
	paths, err := filepath.Glob(filepath.Join(store, "runs", "rows-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for lines := bytes.SplitAfter(data, []byte("\n")); len(lines) > 2; lines = lines[2:] { // the last is no whole line
			var head struct{ ID string }
			if err := json.Unmarshal(lines[0], &head); err != nil {
				t.Fatal(err)
			}
			if old, twice := out[head.ID]; twice {
				t.Fatalf("the run %s was made twice: %s and %s:%d", head.ID, old.where, p, at)
			}
			out[head.ID] = storedRun{fmt.Sprintf("%s:%d", filepath.Base(p), at), string(lines[0]) + string(lines[1])}
			at += len(lines[0]) + len(lines[1])
		}
	}
	return out
}
