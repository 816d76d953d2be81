package netbox

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Options say what is imported and for which server.
type Options struct {
	Name     string // of the scenario, "" for the site
	Model    string // server to be placed
	ServerU  int    // its height: what a gap between devices is good for depends on it
	Site     string // only racks of this site, "" for all
	Location string // only racks of this location
	Voltage  string // basis of three-phase feeds: "L-L", "L-N", or "" to tell by the voltage
	Climate  string // of the catalogue, "" for one that has to be replaced
}

// Counts are what was in the export and what became of it.
type Counts struct {
	Racks, RacksUsed      int
	Elsewhere             int // racks of other sites and locations
	Devices, Unracked     int
	Allocated, Maximum    int // devices whose draw is the allocated, the maximum one
	Unknown               int // devices in racks whose draw is not known
	Passive, Distribution int // devices without a power port; that hand power on
	Feeds, FeedsUsed      int
	Panels                int
	Reservations          int
	KnownW                float64
	Weighed, Unweighed    int // racks' devices
}

// Coverage is the share of the devices that draw power whose draw is known, NaN without any.
func (c *Counts) Coverage() float64 {
	known := c.Allocated + c.Maximum
	if known+c.Unknown == 0 {
		return math.NaN()
	}
	return float64(known) / float64(known+c.Unknown)
}

// Result is an imported hall.
type Result struct {
	Scenario []byte // YAML
	Counts   Counts
	Assumed  []string  // what was assumed
	Problems []Problem // what was not used, or is not known
}

// Convert makes a scenario from exported files. An error says which file cannot be read and where, or that
// no rack is in them.
func Convert(files []File, o Options) (*Result, error) {
	if o.ServerU < 1 {
		return nil, fmt.Errorf("a server of %dU (want at least 1U)", o.ServerU)
	}
	if !slices.Contains([]string{"", "L-L", "L-N"}, o.Voltage) {
		return nil, fmt.Errorf("the basis of voltages is L-L or L-N (got %q)", o.Voltage)
	}
	var all []record
	var errs []error
	for _, f := range files {
		list, err := read(f)
		if err != nil {
			errs = append(errs, err)
		}
		all = append(all, list...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	h := link(all, o)
	w := &writer{h: h}
	if err := w.hall(); err != nil {
		return nil, err
	}
	return &Result{Scenario: w.out.Bytes(), Counts: h.counts, Assumed: h.assumed, Problems: h.problems}, nil
}

// writer prints a hall as a scenario.
type writer struct {
	h      *hall
	out    bytes.Buffer
	levels []*level
}

// level is the panels that feed racks together: side A, side B and so on.
type level struct {
	id     string
	panels []string
	va     []float64 // rated of all circuits, by side
}

// line is one rack as the file states it; racks alike but for their names share one.
type line struct {
	text, remark string
}

func (w *writer) hall() error {
	h := w.h
	lines := make([]line, 0, len(h.racks))
	var kept []*rack
	for _, k := range h.racks {
		l, ok := w.rack(k)
		if !ok {
			continue
		}
		kept, lines = append(kept, k), append(lines, l)
	}
	h.counts.RacksUsed = len(kept)
	if len(kept) == 0 {
		var told []string
		for _, p := range h.problems[:min(len(h.problems), 10)] {
			told = append(told, p.String())
		}
		return fmt.Errorf("no rack to import (racks.csv or /api/dcim/racks/ has them; %d were read)%s", h.counts.Racks, strings.Join(append([]string{""}, told...), "\n"))
	}
	c := &h.counts
	name := h.o.Name
	if name == "" {
		if name = kept[0].get("site"); name == "" {
			name = "Hall from NetBox"
		}
	}
	w.printf("# Imported from NetBox: %d racks, %d devices, %d power feeds.\n", c.RacksUsed, c.Devices, c.FeedsUsed)
	if cover := c.Coverage(); !math.IsNaN(cover) {
		w.printf("# Draws are known of %d of %d devices that take power, %.0f %%; those of the rest are unknown and NOT in reserve_power.\n", c.Allocated+c.Maximum, c.Allocated+c.Maximum+c.Unknown, math.Floor(100*cover))
	} else if c.Devices > c.Unracked {
		w.printf("# The draw of no device is known: reserve_power is not stated.\n")
	}
	climate := h.o.Climate
	if climate == "" {
		climate = standInClimate
		h.assume("climate", "NetBox states no climate: %s stands in the file; what fits does not depend on it until plants are added", climate)
	}
	w.printf("# reserve and reserve_power hold what stands there now; reserve is exact for servers of %dU.\n", h.o.ServerU)
	for _, a := range h.assumed {
		w.printf("# Assumed: %s\n", a)
	}
	w.printf("version: 1\nname: %s\nsite: {climate: %s}\n", quote(name), quote(climate))
	w.power()
	w.printf("racks:\n")
	for i := 0; i < len(kept); {
		j := i + 1
		for j < len(kept) && lines[j] == lines[i] && kept[j].row == kept[i].row {
			j++
		}
		var names []string
		for _, k := range kept[i:j] {
			names = append(names, quote(k.name))
		}
		if lines[i].remark != "" {
			w.printf("  # %s: %s\n", kept[i].name, lines[i].remark)
		}
		w.printf("  - {row: %s, names: [%s]%s}\n", quote(kept[i].row), strings.Join(names, ", "), lines[i].text)
		i = j
	}
	w.printf("servers:\n  - {model: %s, count: max}\n", quote(h.o.Model))
	return nil
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.out, format, args...) }

// rack words one rack, ok is false where it is left out.
func (w *writer) rack(k *rack) (l line, ok bool) {
	h := w.h
	var b strings.Builder
	var remarks []string
	free, pieces := k.freeU(h.o.ServerU)
	fmt.Fprintf(&b, ", height: %dU, reserve: %dU", k.heightU, k.heightU-free)
	if pieces > 1 {
		remarks = append(remarks, fmt.Sprintf("free units are in %d pieces", pieces))
	}
	if k.drawW > 0 {
		fmt.Fprintf(&b, ", reserve_power: %s W", strconv.FormatFloat(math.Ceil(k.drawW), 'f', 0, 64))
		h.counts.KnownW += k.drawW
	}
	if k.unknown > 0 {
		remarks = append(remarks, fmt.Sprintf("the draw of %d of %d devices is unknown and not counted", k.unknown, k.unknown+k.known))
	}
	if !math.IsNaN(k.airW) {
		fmt.Fprintf(&b, ", air: %s W", number(k.airW))
	}
	if k.loadKg > 0 {
		frame := k.frameKg
		if math.IsNaN(frame) {
			frame = usualFrameKg
			h.assume("frame", "racks that state max_weight and no weight have a frame of %d kg", usualFrameKg)
		}
		// What stands in the rack is not on the scenario's list of servers: its mass goes with the frame.
		if frame += k.deviceKg; frame <= k.loadKg {
			fmt.Fprintf(&b, ", load: %s kg, frame: %s kg", number(k.loadKg), number(frame))
		} else {
			fmt.Fprintf(&b, ", load: %s kg, frame: %s kg", number(k.loadKg), number(k.loadKg))
			h.tell(k.record, "rack %s carries %.0f kg of at most %.0f kg", k.name, frame, k.loadKg)
		}
		if k.unweighed > 0 {
			remarks = append(remarks, fmt.Sprintf("the weight of %d devices is unknown and not counted", k.unweighed))
		}
	}
	if h.hasFeeds {
		circuits := h.circuits(k)
		if len(circuits) == 0 {
			h.tell(k.record, "rack %s has no feed that can be used: left out, for how much power it has is not known", k.name)
			return line{}, false
		}
		if len(circuits) > len(sideNames) {
			h.tell(k.record, "rack %s has circuits from %d panels: those of the first %d are used", k.name, len(circuits), len(sideNames))
			circuits = circuits[:len(sideNames)]
		}
		b.WriteString(w.feeds(k, circuits))
	}
	return line{b.String(), strings.Join(remarks, "; ")}, true
}

// standInClimate stands where the importer is told none: a scenario names one.
const standInClimate = "shanghai"

// usualFrameKg is the frame of a scenario's rack that states none.
const usualFrameKg = 150

// freeU is how many units a scenario may fill from the bottom up so that as many servers fit as fit into the
// gaps between what stands there, and the number of gaps.
func (k *rack) freeU(serverU int) (free, gaps int) {
	var sizes []int
	run := 0
	for i := 0; i <= len(k.taken); i++ {
		if i < len(k.taken) && !k.taken[i] {
			run++
			continue
		}
		if run > 0 {
			sizes = append(sizes, run)
		}
		run = 0
	}
	for loose := k.looseU; loose > 0 && len(sizes) > 0; {
		slices.SortStableFunc(sizes, func(a, b int) int { return b - a })
		take := min(loose, sizes[0])
		sizes[0] -= take
		loose -= take
		if sizes[0] == 0 {
			sizes = sizes[1:]
		}
	}
	largest, whole := 0, 0
	for _, s := range sizes {
		largest = max(largest, s)
		whole += s / serverU * serverU
	}
	return max(largest, whole), len(sizes)
}

// feeds words a rack's circuits and enters them at their panels.
func (w *writer) feeds(k *rack, circuits []circuit) string {
	h := w.h
	// One line of a scenario has one breaker for all its circuits: the smallest.
	least := slices.MinFunc(circuits, func(a, b circuit) int { return cmpFloat(a.usableVA(), b.usableVA()) })
	for _, c := range circuits {
		if math.Abs(c.usableVA()-least.usableVA()) > 0.5 {
			h.tell(c.first, "rack %s: the circuit from %s carries %.2f kVA, that from %s %.2f kVA: both are taken for the smaller", k.name, c.panel, c.usableVA()/1000, least.panel, least.usableVA()/1000)
		}
	}
	volts, basis, amps := least.volts, "L-N", least.amps
	if least.lineLine {
		basis = "L-L"
	}
	if math.IsNaN(amps) { // single-phase, or unlike feeds together
		amps = least.va / (3 * volts)
		if basis == "L-L" {
			amps = least.va / (math.Sqrt(3) * volts)
		}
		h.assume("single", "single-phase circuits are written as three-phase ones of the same kVA: V·A = 3·V·(A/3); phases are then counted as balanced")
	}
	lv := w.level(circuits)
	for i := range circuits {
		lv.va[i] += circuits[i].va
	}
	sides := sideNames[:len(circuits)]
	return fmt.Sprintf(", feeds: {from: %s, sides: [%s], breaker: %s A, voltage: %s V %s, derate: %s}",
		lv.id, strings.Join(sides, ", "), number(amps), number(volts), basis, number(least.share))
}

var sideNames = []string{"A", "B", "C", "D", "E", "F", "G", "H"}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

var notInID = regexp.MustCompile(`[^a-z0-9-]+`)

// level finds the panels of a rack's circuits, or adds them.
func (w *writer) level(circuits []circuit) *level {
	var names []string
	for _, c := range circuits {
		names = append(names, c.panel)
	}
	for _, l := range w.levels {
		if slices.Equal(l.panels, names) {
			return l
		}
	}
	var slugs []string
	for _, n := range names {
		s := strings.Trim(notInID.ReplaceAllString(strings.ToLower(n), "-"), "-")
		if s == "" {
			s = "panel"
		}
		slugs = append(slugs, s)
	}
	id := strings.Join(slugs, "_")
	if id == "utility" {
		id = "panel-utility"
	}
	taken := func(id string) bool { return slices.ContainsFunc(w.levels, func(l *level) bool { return l.id == id }) }
	for n, base := 2, id; taken(id); n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	for _, l := range w.levels {
		for _, p := range l.panels {
			if slices.Contains(names, p) {
				w.h.assume("panel "+p, "panel %s stands on more than one pair of sides: it is written once for each, and lost one at a time", p)
			}
		}
	}
	l := &level{id: id, panels: names, va: make([]float64, len(circuits))}
	w.levels = append(w.levels, l)
	return l
}

// power writes the panels. NetBox states no rating of a panel or of what stands above it: they are written
// as the sum of the circuits below, which never binds.
func (w *writer) power() {
	if len(w.levels) == 0 {
		if !w.h.hasFeeds {
			w.printf("# No power feed is exported: racks have no power limit.\n")
		}
		return
	}
	total := 0.0
	for _, l := range w.levels {
		for _, va := range l.va {
			total += va
		}
	}
	w.printf("power:\n  # NetBox states no rating of panels and of what feeds them: the sum of the circuits below stands there, which never binds.\n  nodes:\n")
	w.printf("    - {id: utility, kind: utility, rating: %s kVA}\n", number(math.Ceil(total/1000)))
	for _, l := range w.levels {
		w.printf("    - {id: %s, kind: switchboard, from: utility, sides: [%s], rating: %s kVA, derate: 100%%}   # %s\n", l.id, strings.Join(sideNames[:len(l.panels)], ", "),
			number(math.Ceil(slices.Max(l.va)/1000)), clean(strings.Join(l.panels, ", ")))
	}
}

// number prints a figure so that it reads back as the same.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// quote writes a text as YAML.
func quote(s string) string {
	if plainName.MatchString(s) && !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan"}, strings.ToLower(s)) {
		return s
	}
	s = clean(s)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
