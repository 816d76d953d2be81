package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"headroom/facility/placement"
	"headroom/facility/units"
	"headroom/scenarios"
	"headroom/sim"
)

// maxScenarioBytes bounds what is read as a scenario; traces and weather are files of their own.
const maxScenarioBytes = 16 << 20

// scenarioFlags are the flags of every command that reads a scenario.
type scenarioFlags struct {
	set     []string
	seed    uint64
	variant string
	catalog string
	flags   *pflag.FlagSet
}

func (s *scenarioFlags) add(flags *pflag.FlagSet) {
	s.flags = flags
	flags.StringArrayVar(&s.set, "set", nil, "change one value, `PATH=VALUE`: --set 'racks[A].power=78 kW'; may be repeated")
	flags.Uint64Var(&s.seed, "seed", 0, "random seed `N`, in place of run.seed")
	flags.StringVar(&s.variant, "variant", "", "`NAME` of one of the file's variants")
	addCatalogFlag(flags, &s.catalog)
}

// load reads the one scenario that args name, with the flags laid over it.
func (s *scenarioFlags) load(ctx context.Context, t *terminal, args []string) (*scenarios.Scenario, error) {
	name, data, files, err := readScenario(ctx, t, args)
	if err != nil {
		return nil, err
	}
	entries, err := catalogFiles(s.catalog)
	if err != nil {
		return nil, err
	}
	options := scenarios.Options{Set: s.set, Variant: s.variant, FS: files, Catalogs: entries}
	if s.flags.Changed("seed") {
		options.Seed = &s.seed
	}
	sc, err := scenarios.Load(name, data, options)
	if err != nil {
		return nil, err
	}
	sayWarnings(t, sc)
	return sc, nil
}

func sayWarnings(t *terminal, sc *scenarios.Scenario) {
	for _, w := range sc.Warnings() {
		t.warn(w.String())
		t.said[strings.TrimPrefix(w.Path+": "+w.Msg, ": ")] = true // as the result will have it, without a place
	}
}

// source reads the one scenario that args name as one of which many are made.
func (s *scenarioFlags) source(ctx context.Context, t *terminal, args []string) (*scenarios.Source, scenarios.Options, error) {
	name, data, files, err := readScenario(ctx, t, args)
	if err != nil {
		return nil, scenarios.Options{}, err
	}
	return s.parse(name, data, files)
}

func (s *scenarioFlags) parse(name string, data []byte, files fs.FS) (*scenarios.Source, scenarios.Options, error) {
	o := scenarios.Options{Set: s.set, Variant: s.variant}
	source, err := scenarios.Parse(name, data, files)
	if err != nil {
		return nil, o, err
	}
	if o.Catalogs, err = catalogFiles(s.catalog); err != nil {
		return nil, o, err
	}
	if s.flags.Changed("seed") {
		o.Seed = &s.seed
	}
	return source, o, nil
}

func addCatalogFlag(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, "catalog", "", "`DIR` of YAML files with catalogue entries of your own, as under catalog: in a file")
}

// catalogFiles reads the YAML files of a folder of catalogue entries by name; "" has none.
func catalogFiles(dir string) ([]scenarios.CatalogFile, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, usageError{text: "--catalog: " + err.Error()}
	}
	var files []scenarios.CatalogFile
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		name := filepath.Join(dir, e.Name())
		f, err := os.Open(name)
		if err != nil {
			return nil, usageError{text: "--catalog: " + err.Error()}
		}
		data, err := readBounded(f, name)
		f.Close()
		if err != nil {
			return nil, err
		}
		files = append(files, scenarios.CatalogFile{Name: name, Data: data})
	}
	if len(files) == 0 {
		return nil, usageError{text: "--catalog " + dir + ": no file of that folder ends in .yaml"}
	}
	return files, nil
}

// readScenario returns the text that args name and where the files it names are found.
func readScenario(ctx context.Context, t *terminal, args []string) (string, []byte, fs.FS, error) {
	if len(args) != 1 {
		return "", nil, nil, usageError{
			text: fmt.Sprintf("want one scenario file, got %d", len(args)),
			hint: "FILE is a path, - for standard input, or an example: " + strings.Join(exampleNames(), ", "),
		}
	}
	name := args[0]
	if name == "-" {
		data, err := readStdin(ctx, t.stdin)
		return "stdin", data, hostFiles("."), err
	}
	if slices.Contains(exampleNames(), name) {
		data, _ := scenarios.ExampleFile(name)
		return name + ".yaml", data, hostFiles("."), nil
	}
	f, err := os.Open(name)
	if err != nil {
		e := usageError{text: err.Error()}
		if best, ok := units.Nearest(name, exampleNames()); ok && !strings.ContainsAny(name, `/\.`) {
			e.hint = fmt.Sprintf("did you mean the example %q?", best)
		}
		return "", nil, nil, e
	}
	defer f.Close()
	data, err := readBounded(f, name)
	return name, data, hostFiles(filepath.Dir(name)), err
}

func readBounded(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxScenarioBytes+1))
	if err != nil {
		return nil, usageError{text: err.Error()}
	}
	if len(data) > maxScenarioBytes {
		return nil, usageError{text: fmt.Sprintf("%s: larger than %d MB: not a scenario file", name, maxScenarioBytes>>20)}
	}
	return data, nil
}

// readStdin gives up when the context ends: a terminal may never close.
func readStdin(ctx context.Context, r io.Reader) ([]byte, error) {
	type answer struct {
		data []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		data, err := readBounded(r, "stdin")
		done <- answer{data, err}
	}()
	select {
	case a := <-done:
		return a.data, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hostFiles opens the files a scenario names, relative to its own folder; unlike os.DirFS it follows absolute
// paths and "..", because a scenario may name any file its user can read.
type hostFiles string

func (dir hostFiles) Open(name string) (fs.File, error) {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(string(dir), name)
	}
	return os.Open(name)
}

// place builds the scenario's facility and fills it.
func place(sc *scenarios.Scenario) (*placement.Layout, error) {
	f, err := sc.Build()
	if err != nil {
		return nil, err
	}
	return placement.Place(f)
}

// prepare is everything that comes before a run.
func prepare(sc *scenarios.Scenario) (*placement.Layout, sim.Config, error) {
	layout, err := place(sc)
	if err != nil {
		return nil, sim.Config{}, err
	}
	config, err := sc.Configure(layout)
	return layout, config, err
}
