// Command mutate samples how much the tests notice: it changes one operator, comparison or constant at a time, at places
// drawn from a seed, runs the tests that should fail, and counts those that did. The tree is never touched: a changed
// file is laid over its original for the build alone.
//
//	go run ./validation/mutate -n 40 -seed 1 ./sim ./facility/placement ./facility/cooling
//
// A mutant that the package's own tests let live is given to those of the packages named with -also, in their order. It
// is killed when a test fails, panics, or runs far beyond the usual time; one that does not compile is drawn again. The list of the living is for a person to
// judge: some changes cannot be seen from outside.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("n", 40, "mutants of each package")
	seed := flags.Uint64("seed", 1, "of the places")
	also := flags.String("also", "", "packages whose tests see a mutant that the package's own let live, by comma")
	timeout := flags.Duration("timeout", 4*time.Minute, "of one run of tests; a mutant beyond it counts as killed")
	below := flags.Float64("least", 0, "fail where fewer than this share of the mutants of a package are killed")
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(stderr, "mutate: want folders of packages, such as ./sim")
		return 2
	}
	var others []string
	if *also != "" {
		others = strings.Split(*also, ",")
	}
	short := false
	for _, dir := range flags.Args() {
		s := newSampler(dir, *seed, stdout)
		s.also, s.timeout = others, *timeout
		if err := s.run(*n); err != nil {
			fmt.Fprintln(stderr, "mutate:", err)
			return 1
		}
		share := float64(s.killed) / float64(max(s.killed+len(s.alive), 1))
		fmt.Fprintf(stdout, "%s: %d places, %d mutants, %d killed (%.0f %%), %d beyond the time, %d alive, %d did not compile\n",
			dir, len(s.places), s.killed+len(s.alive), s.killed, 100*share, s.slow, len(s.alive), s.broken)
		for _, m := range s.alive {
			fmt.Fprintln(stdout, "  alive:", m)
		}
		short = short || share < *below
	}
	if short {
		return 1
	}
	return 0
}

// sampler takes mutants of one package.
type sampler struct {
	dir     string
	also    []string
	timeout time.Duration
	dice    *rand.Rand
	say     io.Writer

	places               []place
	killed, slow, broken int
	alive                []string
}

func newSampler(dir string, seed uint64, say io.Writer) *sampler {
	return &sampler{dir: dir, timeout: 4 * time.Minute, dice: rand.New(rand.NewPCG(seed, 0)), say: say}
}

func (s *sampler) run(n int) error {
	files, err := filepath.Glob(filepath.Join(s.dir, "*.go"))
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		found, err := placesOf(f)
		if err != nil {
			return err
		}
		s.places = append(s.places, found...)
	}
	if len(s.places) == 0 {
		return fmt.Errorf("%s has nothing to change", s.dir)
	}
	tmp, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, i := range s.dice.Perm(len(s.places)) {
		if s.killed+len(s.alive) == n {
			break
		}
		if err := s.try(tmp, &s.places[i]); err != nil {
			return err
		}
	}
	return nil
}

// try makes one mutant and runs the tests over it.
func (s *sampler) try(tmp string, p *place) error {
	change := p.changes[s.dice.IntN(len(p.changes))]
	text, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(p.file)
	if err != nil {
		return err
	}
	mutant, overlay := filepath.Join(tmp, "mutant.go"), filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(mutant, bytes.Join([][]byte{text[:p.at], []byte(change), text[p.end:]}, nil), 0o644); err != nil {
		return err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, list, 0o644); err != nil {
		return err
	}
	name := fmt.Sprintf("%s:%d:%d %s → %s", filepath.ToSlash(p.file), p.line, p.col, text[p.at:p.end], change)
	for _, pkg := range append([]string{s.dir}, s.also...) {
		verdict, err := s.test(overlay, pkg)
		if err != nil {
			return err
		}
		if verdict == lives {
			continue
		}
		switch verdict {
		case doesNotCompile:
			s.broken++
		case beyondTime:
			s.slow++
			s.killed++
		default:
			s.killed++
		}
		fmt.Fprintf(s.say, "%s by %s: %s\n", verdict, pkg, name)
		return nil
	}
	s.alive = append(s.alive, name)
	fmt.Fprintln(s.say, "ALIVE:", name)
	return nil
}

type verdict string

const (
	lives          verdict = "alive"
	fails          verdict = "killed"
	beyondTime     verdict = "killed by time"
	doesNotCompile verdict = "does not compile"
)

func (s *sampler) test(overlay, pkg string) (verdict, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-failfast", "-count=1", "-vet=off", "-timeout", s.timeout.String(), pkg)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	var missing *fs.PathError
	switch {
	case err == nil:
		return lives, nil
	case errors.As(err, &missing):
		return "", err
	case ctx.Err() != nil || bytes.Contains(out, []byte("panic: test timed out after")):
		return beyondTime, nil
	case !errors.As(err, &exit):
		return "", err
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return doesNotCompile, nil
	}
	return fails, nil
}
