package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// The order of the packages, lowest first. A package imports only what stands in a lower layer; folders in
// one layer do not import each other. Longer prefixes win, and a folder named here stands for its subfolders.
var layers = [][]string{
	{"validation"}, // what tests call; see validation/book for who reads it
	{"facility/units"},
	{"facility/catalog"},
	{"facility/weather"},
	{"facility/power", "facility/cooling"},
	{"facility"},
	{"facility/placement"},
	{"sim/event", "sim/rng", "sim/metrics"},
	{"sim/workload", "sim/perf"},
	{"sim/sched", "sim/thermal", "sim/serving"},
	{"sim"},
	{"plots"},
	{"plots/report"},
	{"scenarios"},
	{"scenarios/study"},
	{"cmd", "validation/book", "validation/claims"},
}

// plotsReads is all that plots may see of the module besides itself.
var plotsReads = []string{"facility", "sim", "plots"}

// What the building and the engine may not touch: the machine they run on.
var (
	impurePackages = []string{"os", "net", "syscall", "log", "runtime/debug", "testing"}
	wallClock      = map[string]bool{
		"Now": true, "Since": true, "Until": true, "After": true, "AfterFunc": true,
		"NewTimer": true, "NewTicker": true, "Tick": true, "Sleep": true,
	}
	// The rest of the functions of math/rand and math/rand/v2 draw from the shared, unseeded source.
	seeded = map[string]bool{
		"New": true, "NewSource": true, "NewPCG": true, "NewChaCha8": true, "NewZipf": true,
		"Rand": true, "Source": true, "Source64": true, "PCG": true, "ChaCha8": true, "Zipf": true,
	}
	// Who may have sources of random numbers at all, besides the engine: a climate's typical year is drawn
	// from a source that its place's name seeds, so that it stays a function of its arguments.
	drawsBelowEngine = "facility/weather"
	// The only ones who may use the older package: weightedrand takes its sources.
	drawsFromOlder = "sim/workload"
)

func TestImportsRunOneWay(t *testing.T) {
	found, files, err := importViolations(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Fatalf("only %d Go files seen: the walk is broken", files)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// The check itself can fail.
func TestImportViolationsAreSeen(t *testing.T) {
	for _, c := range []struct{ file, src, want string }{
		{"facility/facility.go", `package facility; import "headroom/facility/power"`, ""},
		{"facility/power/p.go", `package power; import "headroom/facility/catalog"`, ""},
		{"plots/report/r.go", `package report; import ("headroom/plots"; "headroom/sim/metrics")`, ""},
		{"cmd/headroom/m.go", `package main; import ("os"; "time"; "headroom/plots"); var _ = time.Now`, ""},
		{"sim/s.go", `package sim; import "math/rand/v2"; var _ = rand.New(rand.NewPCG(1, 2))`, ""},
		{"sim/s_test.go", `package sim; import "os"; var _ = os.Args`, ""},
		{"facility/power/p.go", `package power; import "headroom/facility/cooling"`, "imports headroom/facility/cooling"},
		{"facility/cooling/c.go", `package cooling; import "headroom/facility"`, "imports headroom/facility"},
		{"facility/f.go", `package facility; import "headroom/facility/placement"`, "imports headroom/facility/placement"},
		{"facility/f.go", `package facility; import "headroom/sim/rng"`, "imports headroom/sim/rng"},
		{"sim/s.go", `package sim; import "headroom/scenarios"`, "imports headroom/scenarios"},
		{"sim/event/e.go", `package event; import "headroom/sim/workload"`, "imports headroom/sim/workload"},
		{"plots/p.go", `package plots; import "headroom/plots/report"`, "imports headroom/plots/report"},
		{"scenarios/s.go", `package scenarios; import "headroom/plots"`, "plots draws results"},
		{"odd/o.go", `package odd`, "no place"},
		{"sim/s.go", `package sim; import "headroom/odd"`, "no place"},
		{"sim/s.go", `package sim; import "os/exec"`, "imports os/exec"},
		{"facility/units/u.go", `package units; import "math/rand"`, "imports math/rand"},
		{"facility/f.go", `package facility; import "math/rand/v2"`, "has no randomness"},
		{"facility/weather/w.go", `package weather; import "math/rand/v2"; var _ = rand.New(rand.NewPCG(1, 2))`, ""},
		{"facility/weather/w.go", `package weather; import "math/rand/v2"; var _ = rand.Float64()`, "rand.Float64"},
		{"sim/s.go", `package sim; import "math/rand/v2"; var _ = rand.IntN(3)`, "rand.IntN"},
		{"sim/s.go", `package sim; import "math/rand"`, "math/rand/v2"},
		{"sim/workload/w.go", `package workload; import older "math/rand"; var _ = older.Intn(3)`, "rand.Intn"},
		{"sim/s.go", `package sim; import clock "time"; var _ = clock.Now()`, "time.Now"},
		{"sim/s.go", `package sim; import "fmt"; func f() { fmt.Println() }`, "prints"},
		{"sim/s.go", `package sim; func f() { println() }`, "prints"},
		{"sim/s.go", `package sim; import "gonum.org/v1/plot/vg"`, "imports gonum.org/v1/plot"},
	} {
		found, _, err := importViolations(fstest.MapFS{c.file: {Data: []byte(c.src)}})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(found, "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\n got %q, want %q", c.file, c.src, got, c.want)
		}
	}
}

// importViolations reads every Go file under root and returns what breaks the order, and how many files it read.
func importViolations(root fs.FS) (found []string, files int, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() && name != "." && (base[0] == '.' || base[0] == '_' || base == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		bad := fileViolations(path.Dir(name), f)
		for _, pos := range slices.Sorted(maps.Keys(bad)) {
			found = append(found, fmt.Sprintf("%s: %s %s", set.Position(pos), path.Dir(name), bad[pos]))
		}
		return nil
	})
	return found, files, err
}

func fileViolations(dir string, f *ast.File) map[token.Pos]string {
	out := map[token.Pos]string{}
	own, named := layerOf(dir)
	if named == "" {
		out[f.Package] = "has no place in the import order"
		return out
	}
	pure := under(dir, "facility") || under(dir, "sim")
	names := map[string]string{} // the file's name for a package, to its path
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		name := strings.TrimSuffix(imp, "/v2")
		name = path.Base(name)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imp
		if local, ours := strings.CutPrefix(imp, "headroom/"); ours {
			layer, to := layerOf(local)
			switch {
			case to == "":
				out[spec.Pos()] = "imports " + imp + ", which has no place in the import order"
			case under(local, "plots") && !under(dir, "cmd") && !under(dir, "validation/book") && !under(dir, "plots"):
				out[spec.Pos()] = "imports " + imp + ": plots draws results, and only commands draw"
			case to == named:
				// inside one folder that stands for its subfolders
			case layer >= own:
				out[spec.Pos()] = "imports " + imp + ", which does not stand below it"
			case under(dir, "plots") && !anyUnder(local, plotsReads):
				out[spec.Pos()] = "imports " + imp + ": plots reads sim and facility only"
			}
			continue
		}
		if !pure {
			continue
		}
		switch {
		case under(imp, "gonum.org/v1/plot") || anyUnder(imp, impurePackages):
			out[spec.Pos()] = "imports " + imp + ": it depends on its arguments only"
		case under(imp, "math/rand") && under(dir, "facility") && dir != drawsBelowEngine:
			out[spec.Pos()] = "imports " + imp + ": the building has no randomness"
		case imp == "math/rand" && dir != drawsFromOlder:
			out[spec.Pos()] = "imports " + imp + ": streams come from math/rand/v2"
		}
	}
	if !pure {
		return out
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			what := n.Sel.Name
			switch names[x.Name] {
			case "time":
				if wallClock[what] {
					out[n.Pos()] = "uses time." + what + ": simulated time comes from the engine"
				}
			case "math/rand", "math/rand/v2":
				if !seeded[what] {
					out[n.Pos()] = "uses rand." + what + ": draws come from named streams"
				}
			case "fmt":
				if strings.HasPrefix(what, "Print") {
					out[n.Pos()] = "prints: results are values"
				}
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
				out[n.Pos()] = "prints: results are values"
			}
		}
		return true
	})
	return out
}

// layerOf returns the layer of a folder and the entry of the order it falls under, "" if none.
func layerOf(dir string) (layer int, entry string) {
	for i, l := range layers {
		for _, e := range l {
			if under(dir, e) && len(e) > len(entry) {
				layer, entry = i, e
			}
		}
	}
	return layer, entry
}

func under(dir, top string) bool { return dir == top || strings.HasPrefix(dir, top+"/") }

func anyUnder(dir string, tops []string) bool {
	for _, t := range tops {
		if under(dir, t) {
			return true
		}
	}
	return false
}
