package scenarios

import (
	"bytes"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"headroom/facility"
	"headroom/facility/catalog"
	"headroom/facility/cooling"
	"headroom/facility/units"
	"headroom/facility/weather"
	"headroom/sim"
	"headroom/sim/ledger"
	"headroom/sim/workload"
)

// Options say how a scenario is read.
type Options struct {
	Set     []string // overlays of the command line, path=value, applied after the variant
	Variant string   // name of the variant, "" for the scenario itself
	Seed    *uint64  // replaces run.seed
	FS      fs.FS    // files the scenario names, rooted at its folder; nil: it may name none
	// Catalogs are files of entries beside the built-in ones, each as it would stand under catalog: in the scenario, first
	// to last; a later file and the scenario's own entries win. They become part of the resolved scenario, and so of its id.
	Catalogs []CatalogFile
}

// CatalogFile is a file of catalogue entries; Name is what messages call it.
type CatalogFile struct {
	Name string
	Data []byte
}

// Scenario is a scenario file that was read without a problem: overlays applied, defaults filled, the
// files it names read and checked.
type Scenario struct {
	name                  string
	variant               string
	file                  file
	variants              []string
	catalog               *catalog.Catalog
	climates              []catalog.Climate // of the file's own catalogue
	series                *weather.Series
	designDay             cooling.Outdoor
	traces                [][]workload.Job
	streams               []*workload.Replayed           // traces too long to be held
	measured              map[*orderLine]*measuredSeries // draw over time, by the line of servers
	priceHours, gridHours *ledger.Tariff                 // of the money section
	priceCurrency         string                         // of priceHours
	requests              []*workload.RequestTrace       // by line of the workload, nil for none
	inputs                []input
	warnings              Problems
	tenants               *workload.Tenants // in the order of the file, then as traces name them
	building              sync.Mutex        // Build and Configure take turns: they fill defaults in the file
	built                 *builder          // of finish, where all was well: what it made is handed out as copies
	src                   *Source
	idsOnce               sync.Once
	ids                   func(seed uint64) string // see IDs
}

// input is a file that the scenario names.
type input struct {
	name   string
	digest [32]byte // SHA-256 of its bytes
}

// Load reads a scenario. name is what messages call the file. The error is a [Problems] that holds
// everything that is wrong with the file and the files it names, not the first thing alone.
func Load(name string, data []byte, o Options) (*Scenario, error) {
	src, err := Parse(name, data, o.FS)
	if err != nil {
		return nil, err
	}
	src.once = true
	return src.load(o, src.root, false)
}

// load makes a scenario of the source's tree, which it changes; for a run it leaves out the study.
func (src *Source) load(o Options, root *node, run bool) (*Scenario, error) {
	name, variants := src.name, src.variants
	d := &decoder{problems: slices.Clone(src.problems)}
	s := &Scenario{name: name, variant: o.Variant, variants: variantNames(variants), src: src}
	if o.Variant != "" && !slices.Contains(s.variants, o.Variant) {
		msg := "the scenario has no variants"
		if len(s.variants) > 0 {
			msg = "want one of " + strings.Join(s.variants, ", ")
		}
		near, _ := units.Nearest(o.Variant, s.variants)
		d.fail(pos{name, 1, 1}, "variants", didYouMean(near), "unknown variant (got %s, %s)", quoteShort(o.Variant), msg)
	}
	for _, x := range chain(variants, o.Variant) {
		x.apply(root, d)
	}
	for i, text := range o.Set {
		applySet(root, d, i, text)
	}
	if o.Seed != nil {
		at := pos{"--seed", 1, 1}
		overlay{at, "run.seed", &node{pos: at, tag: "!!int", value: strconv.FormatUint(*o.Seed, 10)}}.apply(root, d)
	}
	for _, f := range slices.Backward(o.Catalogs) {
		addCatalog(root, f, d)
	}
	if run {
		root.remove("study")
	}
	d.section(reflect.ValueOf(&s.file).Elem(), root, "")
	s.finish(d, src.files)
	if err := d.problems.err(name); err != nil {
		return nil, err
	}
	s.warnings = s.warnings.sorted(name)
	return s, nil
}

// addCatalog puts the entries of a file under catalog: where the scenario has none of their kind and name.
func addCatalog(root *node, f CatalogFile, d *decoder) {
	extra, problems := parseYAML(f.Name, f.Data)
	d.problems = append(d.problems, problems...)
	if extra == nil || len(problems) > 0 {
		return
	}
	if extra.kind != mapNode {
		d.fail(pos{f.Name, extra.line, extra.col}, "", "", "want kinds of entries such as servers: (got %s)", extra.describe())
		return
	}
	own := root.get("catalog")
	if own.isNull() {
		own = &node{pos: extra.pos, kind: mapNode}
		root.set("catalog", extra.pos, own)
	}
	if own.kind != mapNode {
		return // told when it is decoded
	}
	for i, kind := range extra.keys {
		entries := extra.items[i]
		have := own.get(kind.value)
		if have.isNull() {
			own.set(kind.value, kind.pos, entries)
			continue
		}
		if have.kind != mapNode || entries.kind != mapNode {
			d.fail(entries.pos, kind.value, "", "want names of entries (got %s)", entries.describe())
			continue
		}
		for k, name := range entries.keys {
			if have.find(name.value) < 0 {
				have.set(name.value, name.pos, entries.items[k])
			}
		}
	}
}

// applySet applies one path=value of the command line.
func applySet(root *node, d *decoder, i int, text string) {
	at := pos{"--set", i + 1, 1}
	path, value, ok := strings.Cut(text, "=")
	if !ok {
		d.fail(at, "", "", "want path=value such as \"racks[A].power=78 kW\" (got %s)", quoteShort(text))
		return
	}
	v, problems := parseValue(at, value)
	d.problems = append(d.problems, problems...)
	if v != nil {
		overlay{at, strings.TrimSpace(path), v}.apply(root, d)
	}
}

func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", near)
}

// finish reads the files the scenario names, fills the defaults that need them, and builds facility and
// configuration once, so that every problem shows.
func (s *Scenario) finish(d *decoder, files fs.FS) {
	if s.file.Name == "" {
		s.file.Name = strings.TrimSuffix(strings.TrimSuffix(s.name[strings.LastIndexAny(s.name, `/\`)+1:], ".yaml"), ".yml")
	}
	s.readCatalog(d)
	s.readWeather(d, files)
	s.readTraces(d, files)
	s.readMeasured(d, files)
	s.readRequests(d, files)
	s.readMoney(d, files)
	b := &builder{s: s, d: d, warn: true}
	b.build()
	s.config(d, b, nil, true)
	s.checkStudy(d)
	s.warnings = append(s.warnings, b.warnings...)
	if len(d.problems) == 0 {
		s.built = b
	}
}

// Build makes the facility. The error is a [Problems].
func (s *Scenario) Build() (*facility.Facility, error) {
	s.building.Lock()
	defer s.building.Unlock()
	return s.built.f.Clone(), nil
}

// Name returns the scenario's name.
func (s *Scenario) Name() string { return s.file.Name }

// Variant returns the name of the variant that was applied, "" for the scenario itself.
func (s *Scenario) Variant() string { return s.variant }

// Seed returns the seed of the run.
func (s *Scenario) Seed() uint64 { return s.file.Run.Seed }

// Period returns when the run starts, in local time, and how long it is.
func (s *Scenario) Period() (start time.Time, length time.Duration) {
	return s.file.Run.Start.T, s.file.Run.length()
}

// Variants returns the names of the file's variants in the order written.
func (s *Scenario) Variants() []string { return slices.Clone(s.variants) }

// Warnings returns what is worth knowing before the numbers are believed: limits that cannot be reached,
// claims that do not hold, figures that were assumed.
func (s *Scenario) Warnings() []Problem { return slices.Clone(s.warnings) }

// Resolved prints the scenario with every default filled. What it prints loads back to the same thing.
func (s *Scenario) Resolved() ([]byte, error) {
	s.building.Lock()
	defer s.building.Unlock()
	n := encodeSection(reflect.ValueOf(&s.file).Elem())
	return printYAML(n)
}

// idSpace is the namespace of run ids.
var idSpace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("headroom run"))

// ID names what a run computes: the version 5 UUID of the resolved scenario, the contents of the files it
// names, the seed and the version of the model. Two scenarios with one ID give the same bytes. What a study asks is
// no part of it: its runs are the same runs outside it.
func (s *Scenario) ID() string {
	return s.IDs()(s.file.Run.Seed)
}

// seedMark stands for the seed while a scenario is printed once for many seeds; it is no other number in it.
const seedMark = "17301504000000099991"

// IDs returns the ids of the runs that differ from this one by their seed alone. Printing the scenario, which is
// nearly all the cost of an id, is done once.
func (s *Scenario) IDs() func(seed uint64) string {
	s.idsOnce.Do(func() { s.ids = s.printIDs() })
	return s.ids
}

func (s *Scenario) printIDs() func(seed uint64) string {
	s.building.Lock()
	n := encodeSection(reflect.ValueOf(&s.file).Elem())
	s.building.Unlock()
	n.remove("study")
	n.get("run").set("seed", pos{}, &node{tag: "!!int", value: seedMark})
	text, err := printYAML(n)
	before, after, ok := bytes.Cut(text, []byte("seed: "+seedMark))
	if err != nil || !ok {
		return func(uint64) string { return "" }
	}
	var inputs []byte
	for _, in := range s.inputs {
		inputs = fmt.Appendf(inputs, "%q %x\n", in.name, in.digest)
	}
	return func(seed uint64) string {
		text := fmt.Appendf(nil, "%sseed: %d%s\nmodel %s\nseed %d\n%s", before, seed, after, sim.ModelVersion, seed, inputs)
		return uuid.NewSHA1(idSpace, text).String()
	}
}
