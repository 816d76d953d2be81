package scenarios

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"sync"

	"headroom/facility/catalog"
	"headroom/facility/cooling"
	"headroom/facility/units"
	"headroom/facility/weather"
	"headroom/sim/workload"
)

// maxInputBytes bounds a file that a scenario names, as stored.
const maxInputBytes = 512 << 20

// find opens a file the scenario names. One that cannot be opened is a problem at the place that names it.
func find(d *decoder, files fs.FS, name string, at pos, keyPath string) (clean string, f fs.File, ok bool) {
	if files == nil {
		d.fail(at, keyPath, "", "the scenario names the file %s, and no folder is given to read it from", quoteShort(name))
		return "", nil, false
	}
	clean = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(clean) {
		d.fail(at, keyPath, "copy the file beside the scenario, or into a folder below it", "want a path below the scenario's folder (got %s)", quoteShort(name))
		return "", nil, false
	}
	if info, err := fs.Stat(files, clean); err == nil && !info.Mode().IsRegular() {
		d.fail(at, keyPath, "", "%s is no regular file", quoteShort(name))
		return "", nil, false
	}
	f, err := files.Open(clean)
	if err != nil {
		hint := ""
		if near := nearestFile(files, clean); near != "" {
			hint = didYouMean(near)
		}
		d.fail(at, keyPath, hint, "cannot read the file %s: %s", quoteShort(name), plainError(err))
		return "", nil, false
	}
	return clean, f, true
}

// open reads a file the scenario names and notes its contents for the run's id.
func (s *Scenario) open(d *decoder, files fs.FS, name string, at pos, keyPath string) ([]byte, bool) {
	if in, ok := s.src.input(name); ok && in.data != nil {
		s.inputs = append(s.inputs, input{in.name, in.digest})
		return in.data, true
	}
	clean, f, ok := find(d, files, name, at, keyPath)
	if !ok {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInputBytes+1))
	if err != nil {
		d.fail(at, keyPath, "", "cannot read the file %s: %s", quoteShort(name), plainError(err))
		return nil, false
	}
	if len(data) > maxInputBytes {
		d.fail(at, keyPath, "", "the file %s is larger than %d MB", quoteShort(name), maxInputBytes>>20)
		return nil, false
	}
	in := s.src.keep(clean, data, sha256.Sum256(data))
	s.inputs = append(s.inputs, input{clean, in.digest})
	return data, true
}

// stream notes the contents of a file the scenario names, of any size, and returns how to read it from its start.
func (s *Scenario) stream(d *decoder, files fs.FS, name string, at pos, keyPath string) (func() (io.ReadCloser, error), bool) {
	again := func(clean string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return files.Open(clean) }
	}
	if in, ok := s.src.input(name); ok { // hashed for an earlier scenario of the source
		s.inputs = append(s.inputs, input{in.name, in.digest})
		return again(in.name), true
	}
	clean, f, ok := find(d, files, name, at, keyPath)
	if !ok {
		return nil, false
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		d.fail(at, keyPath, "", "cannot read the file %s: %s", quoteShort(name), plainError(err))
		return nil, false
	}
	in := s.src.keep(clean, nil, [32]byte(h.Sum(nil)))
	s.inputs = append(s.inputs, input{clean, in.digest})
	return again(clean), true
}

// plainError words an error of the file system without its path, which the message has already.
func plainError(err error) string {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.As(err, &pe):
		return pe.Err.Error()
	}
	return err.Error()
}

// nearestFile finds a file of a like name in the same folder.
func nearestFile(files fs.FS, name string) string {
	entries, err := fs.ReadDir(files, path.Dir(name))
	if err != nil {
		return ""
	}
	var list []string
	for _, e := range entries {
		if !e.IsDir() {
			list = append(list, e.Name())
		}
	}
	near, ok := units.Nearest(path.Base(name), list)
	if !ok {
		return ""
	}
	return path.Join(path.Dir(name), near)
}

// readCatalog adds the file's own entries to the catalogue.
func (s *Scenario) readCatalog(d *decoder) {
	if s.catalog == nil {
		s.catalog = catalog.Default()
	}
	n := s.file.Catalog.n
	if n == nil {
		return
	}
	if c := n.get("climates"); c != nil {
		s.readClimates(d, c)
		n = n.clone()
		n.remove("climates")
		if len(n.keys) == 0 {
			return
		}
	}
	text, err := printYAML(n)
	if err != nil {
		d.fail(n.pos, "catalog", "", "%v", err)
		return
	}
	c, err := s.catalog.Add(s.name, bytes.NewReader(text))
	if err == nil {
		s.catalog = c
		return
	}
	var ce *catalog.Error
	if !errors.As(err, &ce) {
		d.fail(n.pos, "catalog", "", "%v", err)
		return
	}
	for _, p := range ce.Problems {
		// The catalogue saw a reprint of this part; its path leads back to the place.
		d.fail(n.placeOf(p.Path), joinKey("catalog", p.Path), "", "%s", p.Message)
	}
}

// readClimates adds the file's own climates, written like those of the built-in catalogue.
func (s *Scenario) readClimates(d *decoder, n *node) {
	known, err := catalog.Climates()
	if err == nil {
		var text []byte
		if text, err = printYAML(&node{kind: mapNode, keys: []*node{scalar("climates")}, items: []*node{n}}); err == nil {
			s.climates, err = catalog.ReadClimates(text, known)
		}
	}
	if err != nil {
		for _, line := range strings.Split(err.Error(), "\n") {
			d.fail(n.pos, "catalog.climates", "", "%s", line)
		}
	}
}

// makeClimate makes the typical year of a climate by name, the file's own first.
func (s *Scenario) makeClimate(name string) (series *weather.Series, own bool, err error) {
	for i := range s.climates {
		if strings.EqualFold(s.climates[i].City, strings.TrimSpace(name)) {
			series, err = weather.FromClimate(&s.climates[i])
			return series, true, err
		}
	}
	key := strings.ToLower(strings.TrimSpace(name))
	if v, ok := climates.Load(key); ok {
		return v.(*weather.Series), false, nil
	}
	if series, err = weather.BuiltIn(name); err == nil {
		climates.Store(key, series)
	}
	return series, false, err
}

// climateNames lists the climates there are.
func (s *Scenario) climateNames() []string {
	names := weather.Cities()
	for i := range s.climates {
		names = append(names, s.climates[i].City)
	}
	return names
}

// placeOf is the place of a path's last key below a node, or of as much of the path as there is.
func (n *node) placeOf(keyPath string) pos {
	at, place := n, n.pos
	for _, k := range strings.FieldsFunc(keyPath, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		i := at.find(k)
		if i < 0 {
			break
		}
		at, place = at.items[i], at.keys[i].pos
	}
	return place
}

// climates caches the typical years that were made: they are the same every time.
var climates sync.Map // city → *weather.Series

// designDays caches the design day of each built-in climate at its own altitude.
var designDays sync.Map

// readWeather reads the weather file, or makes the typical year of the climate.
func (s *Scenario) readWeather(d *decoder, files fs.FS) {
	site := &s.file.Site
	own := false // weather of the file's own, which no cache may hold
	switch {
	case site.Weather != "":
		at, keyPath := site.of("weather"), joinKey(site.path, "weather")
		data, ok := s.open(d, files, site.Weather, at, keyPath)
		if !ok {
			return
		}
		s.series, own = s.weatherOf(d, site.Weather, data, at, keyPath), true
	case site.Climate != "":
		series, isOwn, err := s.makeClimate(site.Climate)
		if err != nil {
			names := s.climateNames()
			near, _ := units.Nearest(site.Climate, names)
			d.fail(site.of("climate"), joinKey(site.path, "climate"), didYouMean(near), "no such climate (got %s, want one of %s)", quoteShort(site.Climate), strings.Join(names, ", "))
			return
		}
		s.series, own = series, isOwn
	default:
		d.fail(site.at, joinKey(site.path, "weather"), "write, for example, site: {climate: shanghai}", "a climate or a weather file is missing")
		return
	}
	if s.series == nil {
		return
	}
	site.Altitude.fill(s.series.AltitudeM)
	key := strings.ToLower(strings.TrimSpace(site.Climate))
	cached := !own && site.Altitude.V == s.series.AltitudeM
	if v, ok := designDays.Load(key); ok && cached {
		s.designDay = v.(cooling.Outdoor)
	} else {
		s.designDay = designDay(s.series, site.Altitude.V)
		if cached {
			designDays.Store(key, s.designDay)
		}
	}
	run := &s.file.Run
	if s.series.Actual && !run.has("start") {
		run.Start.T, run.Start.Given = s.series.Start, true
	}
	if err := s.series.Covers(run.Start.T, run.length()); err != nil {
		d.fail(run.of("start"), joinKey(run.path, "start"), "", "%v", err)
	}
	if s.series.Coverage < 1 {
		at := site.of("weather")
		s.warnings = append(s.warnings, Problem{
			File: at.file, Line: at.line, Col: at.col, Path: joinKey(site.path, "weather"),
			Msg: fmt.Sprintf("the weather covers %.2f %% of its hours; %d were filled between neighbours", 100*s.series.Coverage, s.series.Filled),
		})
	}
}

// weatherOf reads a weather file once for all the scenarios of a source that ask the same of it.
func (s *Scenario) weatherOf(d *decoder, name string, data []byte, at pos, keyPath string) *weather.Series {
	zone := "none"
	if z := s.file.Site.Zone; z != nil {
		zone = strconv.FormatFloat(*z, 'g', -1, 64)
	}
	key := fmt.Sprintf("%q %x zone %s altitude %g", name, s.src.digest(name, data), zone, s.file.Site.Altitude.or(0))
	if v, ok := s.src.weather.Load(key); ok {
		return v.(*weather.Series)
	}
	series := s.parseWeather(d, name, data, at, keyPath)
	if series != nil {
		s.src.weather.Store(key, series)
	}
	return series
}

// parseWeather reads EPW or CSV by the file's name.
func (s *Scenario) parseWeather(d *decoder, name string, data []byte, at pos, keyPath string) *weather.Series {
	base := strings.TrimSuffix(strings.ToLower(name), ".gz")
	var series *weather.Series
	var err error
	switch {
	case strings.HasSuffix(base, ".epw"):
		series, err = weather.ReadEPW(bytes.NewReader(data), name)
	case strings.HasSuffix(base, ".csv"):
		opt := weather.CSVOptions{AltitudeM: s.file.Site.Altitude.or(0)}
		if z := s.file.Site.Zone; z != nil {
			opt.Zone = *z
		}
		series, err = weather.ReadCSV(bytes.NewReader(data), name, opt)
	default:
		d.fail(at, keyPath, "", "want a file that ends in .epw, .csv, .epw.gz or .csv.gz (got %s)", quoteShort(name))
		return nil
	}
	if err == nil {
		return series
	}
	var list weather.ParseErrors
	var one *weather.ParseError
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			d.problems = append(d.problems, Problem{File: name, Line: max(1, e.Line), Col: max(1, e.Field), Msg: e.Msg})
		}
	case errors.As(err, &one):
		d.problems = append(d.problems, Problem{File: name, Line: max(1, one.Line), Col: max(1, one.Field), Msg: one.Msg})
	default:
		d.fail(at, keyPath, "", "%v", err)
	}
	return nil
}

// readTraces reads the job traces that are replayed.
func (s *Scenario) readTraces(d *decoder, files fs.FS) {
	s.traces, s.streams = nil, nil
	s.findTenants(d)
	for i := range s.file.Replay {
		l := &s.file.Replay[i]
		var jobs []workload.Job
		if l.Trace != "" {
			if open, ok := s.stream(d, files, l.Trace, l.of("trace"), joinKey(l.path, "trace")); ok {
				jobs = s.parseTrace(d, l, i, open)
			}
		}
		s.traces = append(s.traces, jobs)
	}
}

// parseTrace reads one trace; Job.Class counts synthetic classes first, then traces. One too long to be held is read again
// while a run goes on, and gives no jobs here.
func (s *Scenario) parseTrace(d *decoder, l *traceLine, i int, open func() (io.ReadCloser, error)) []workload.Job {
	opt := s.traceOptions(d, l, i)
	if l.VC != "" || len(l.Filter.Keys) > 0 {
		opt.Filter = map[string]string{}
		for j, k := range l.Filter.Keys {
			opt.Filter[k] = l.Filter.Values[j]
		}
		if l.VC != "" {
			opt.Filter["vc"] = l.VC
		}
	}
	if w := l.Window; w != nil {
		opt.StartS = w.From.V
		if w.Length.Given {
			opt.EndS = w.From.V + w.Length.V
		}
	}
	base := strings.TrimSuffix(strings.ToLower(l.Trace), ".gz")
	swf := strings.HasSuffix(base, ".swf")
	var scan workload.TraceScan
	var err error
	file := workload.TraceFile{Open: open, Name: l.Trace, SWF: swf, Options: opt}
	switch {
	case l.Format == "occupancy":
		var f io.ReadCloser
		if f, err = open(); err == nil {
			scan.Held, err = workload.ReadOccupancy(f, l.Trace, occupancyOptions(l, &opt))
			scan.Jobs = int64(len(scan.Held))
			f.Close()
		}
	case swf, strings.HasSuffix(base, ".csv"):
		scan, err = file.Scan(heldJobs)
		if scan.Jobs > int64(len(scan.Held)) && (l.Shuffle || !scan.InOrder && opt.ReorderS == 0) {
			opt.Report = &workload.TraceReport{} // it is read anew, as a whole
			file.Options = opt
			scan, err = file.Scan(math.MaxInt)
		}
	default:
		d.fail(l.of("trace"), joinKey(l.path, "trace"), "", "want a file that ends in .csv, .swf, .csv.gz or .swf.gz (got %s)", quoteShort(l.Trace))
		return nil
	}
	if err != nil && !s.bad(d, l.of("trace"), joinKey(l.path, "trace"), l.Trace, l.Bad, err) {
		return nil
	}
	if scan.Jobs == 0 {
		d.fail(l.of("trace"), joinKey(l.path, "trace"), "", "the trace has no job that is replayed")
	}
	if scan.Jobs > int64(len(scan.Held)) {
		s.streamed(d, l, workload.Replayed{File: file, Scan: scan}, &opt)
		return nil
	}
	return s.reshaped(d, l, scan.Held, &opt)
}

// heldJobs is workload.HeldJobs, less in tests.
var heldJobs = workload.HeldJobs
