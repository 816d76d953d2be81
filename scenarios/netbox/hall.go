package netbox

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rack is one rack with what stands in it.
type rack struct {
	*record
	name, row      string
	place          string // site and location, for telling racks of one name apart
	heightU, first int    // units, and the number of the lowest
	loadKg         float64
	frameKg        float64
	airW           float64
	taken          []bool // unit by unit
	looseU         int    // units of devices without a position
	deviceKg       float64
	unweighed      int
	drawW          float64
	known, unknown int // devices with and without a known draw
	passive        int // devices without a power port
	feeds          []*feed
}

// feed is one circuit.
type feed struct {
	*record
	panel     string
	redundant bool
	volts     float64
	lineLine  bool // volts are between lines
	three     bool
	amps      float64
	share     float64 // that may be used
	va        float64 // rated, before the share
}

// device is one device with its draw.
type device struct {
	*record
	rack      *rack
	ports     []*record
	outlets   int
	hasCount  bool // the export says how many power ports it has
	portCount int
}

// hall is everything of an export, linked.
type hall struct {
	o        Options
	racks    []*rack
	devices  []*device
	problems []Problem
	assumed  []string
	told     map[string]bool
	counts   Counts
	hasFeeds bool

	rackByID, rackByKey     map[string]*rack
	rackByName              map[string][]*rack
	deviceByID              map[string]*device
	deviceByName            map[string][]*device
	typeByID, typeByModel   map[string]*record
	rackTypeByID, rackTypes map[string]*record
}

func (h *hall) tell(r *record, format string, args ...any) {
	h.problems = append(h.problems, r.problem(format, args...))
}

// assume tells what was assumed, once for each key: the first case stands for all.
func (h *hall) assume(key, format string, args ...any) {
	if !h.told[key] {
		h.told[key] = true
		h.assumed = append(h.assumed, clean(fmt.Sprintf(format, args...)))
	}
}

// figure reads a field and tells where it is no number.
func (h *hall) figure(r *record, keys ...string) float64 {
	v, bad := r.number(keys...)
	if bad {
		h.tell(r, "%s is no number: %q", keys[0], r.get(keys...))
	}
	return v
}

// link makes the hall from all records.
func link(all []record, o Options) *hall {
	h := &hall{
		o: o, told: map[string]bool{},
		rackByID: map[string]*rack{}, rackByKey: map[string]*rack{}, rackByName: map[string][]*rack{},
		deviceByID: map[string]*device{}, deviceByName: map[string][]*device{},
		typeByID: map[string]*record{}, typeByModel: map[string]*record{},
		rackTypeByID: map[string]*record{}, rackTypes: map[string]*record{},
	}
	of := map[kind][]*record{}
	unused := map[string]int{}
	var unusedFiles []string
	for i := range all {
		r := &all[i]
		of[r.kind] = append(of[r.kind], r)
		if r.kind == other {
			if unused[r.file] == 0 {
				unusedFiles = append(unusedFiles, r.file)
			}
			unused[r.file]++
		}
	}
	for _, name := range unusedFiles {
		h.problems = append(h.problems, Problem{name, 0, fmt.Sprintf("%d records of a kind that a scenario has no place for", unused[name])})
	}
	for _, r := range of[deviceTypes] {
		index(h.typeByID, r.get("id"), r)
		index(h.typeByModel, r.get("model"), r)
		index(h.typeByModel, r.get("manufacturer")+" "+r.get("model"), r)
	}
	for _, r := range of[rackTypes] {
		index(h.rackTypeByID, r.get("id"), r)
		index(h.rackTypes, r.get("model"), r)
		index(h.rackTypes, r.get("manufacturer")+" "+r.get("model"), r)
	}
	for _, r := range of[racks] {
		h.addRack(r)
	}
	h.nameRows()
	for _, r := range of[devices] {
		h.addDevice(r)
	}
	for _, r := range of[reservations] {
		h.reserve(r)
	}
	for _, r := range of[ports] {
		if d := h.deviceOf(r); d != nil {
			d.ports = append(d.ports, r)
		}
	}
	for _, r := range of[outlets] {
		if d := h.deviceOf(r); d != nil {
			d.outlets++
		}
	}
	for _, d := range h.devices {
		h.draw(d, len(of[ports]) > 0)
	}
	h.hasFeeds = len(of[feeds]) > 0
	panelNames := map[string]bool{}
	for _, r := range of[panels] {
		panelNames[r.get("name")] = true
	}
	for _, r := range of[feeds] {
		h.addFeed(r, panelNames)
	}
	h.counts.Panels = len(panelNames)
	return h
}

func index(m map[string]*record, key string, r *record) {
	if key = strings.TrimSpace(key); key != "" {
		if _, ok := m[key]; !ok {
			m[key] = r
		}
	}
}

// excluded are states of a rack in which nothing is placed.
var excluded = []string{"deprecated", "retired", "decommissioned"}

func (h *hall) addRack(r *record) {
	h.counts.Racks++
	name := r.get("name")
	where := strings.Trim(r.get("site")+" "+r.get("location"), " ")
	switch {
	case safeName(name) == "":
		h.tell(r, "a rack without a name: left out")
		return
	case h.o.Site != "" && !strings.EqualFold(r.get("site"), h.o.Site), h.o.Location != "" && !strings.EqualFold(r.get("location"), h.o.Location):
		h.counts.Elsewhere++
		return
	case slices.Contains(excluded, strings.ToLower(r.get("status"))):
		h.tell(r, "rack %s is %s: left out", name, strings.ToLower(r.get("status")))
		return
	}
	t := h.rackTypeByID[r.get("rack_type_id")]
	if t == nil {
		t = h.rackTypes[r.get("rack_type", "type")]
	}
	from := func(keys ...string) (*record, float64) {
		v := h.figure(r, keys...)
		if math.IsNaN(v) && t != nil {
			return t, h.figure(t, keys...)
		}
		return r, v
	}
	k := &rack{record: r, name: name, place: where, airW: math.NaN(), loadKg: math.NaN(), frameKg: math.NaN()}
	_, u := from("u_height")
	if !(u >= 1 && u <= 100) || u != math.Trunc(u) {
		h.tell(r, "rack %s: a height of %q U: left out (want 1 to 100)", name, r.get("u_height"))
		return
	}
	k.heightU, k.taken = int(u), make([]bool, int(u))
	k.first = 1
	if _, s := from("starting_unit"); s >= 1 && s < maxNumber {
		k.first = int(s)
	}
	k.loadKg = h.mass(from, name, "max_weight")
	k.frameKg = h.mass(from, name, "weight")
	h.cooling(k, from)
	key := where + "\x00" + name
	if twin := h.rackByKey[key]; twin != nil {
		h.tell(r, "rack %s stands twice (first at %s:%d): left out", name, twin.file, twin.line)
		return
	}
	h.rackByKey[key] = k
	if id := r.get("id"); id != "" {
		h.rackByID[id] = k
	}
	h.rackByName[name] = append(h.rackByName[name], k)
	if f := r.get("facility_id"); f != "" { // as NetBox prints a rack in other tables
		long := name + " (" + f + ")"
		h.rackByName[long] = append(h.rackByName[long], k)
	}
	h.racks = append(h.racks, k)
}

// perKg are the units of mass that NetBox knows.
var perKg = map[string]float64{"kg": 1, "g": 1e-3, "lb": 0.45359237, "oz": 0.45359237 / 16, "kilograms": 1, "grams": 1e-3, "pounds": 0.45359237, "ounces": 0.45359237 / 16}

// mass reads a mass of a rack in kg, NaN where it or its unit is not known.
func (h *hall) mass(from func(...string) (*record, float64), name, key string) float64 {
	r, v := from(key)
	if math.IsNaN(v) || v <= 0 {
		return math.NaN()
	}
	unit := r.unit(key)
	if unit == "" {
		unit = strings.ToLower(r.get("weight_unit"))
	}
	f, ok := perKg[unit]
	if !ok {
		h.tell(r, "rack %s: %s of %g without a unit that is known: not used", name, key, v)
		return math.NaN()
	}
	return v * f
}

// cooling reads a rack's cooling capacity: of an air-cooled rack it is a limit on heat into the air; of one
// that takes liquid it belongs to a loop that NetBox does not describe.
func (h *hall) cooling(k *rack, from func(...string) (*record, float64)) {
	r, kW := from("cooling_capacity")
	what := strings.ToLower(r.get("cooling_capability"))
	switch {
	case what == "" && math.IsNaN(kW):
	case strings.HasPrefix(what, "air") && kW > 0:
		k.airW = kW * 1000
	case strings.HasPrefix(what, "air"):
	case what == "" && kW > 0:
		h.tell(r, "rack %s: a cooling capacity of %g kW without its capability (air or liquid): not used", k.name, kW)
	default:
		h.tell(r, "rack %s: cooling capability %q, capacity %s kW: not used, a scenario needs the liquid loop (cooling.liquid) that stands behind it", k.name, what, orUnknown(kW))
	}
	if strings.EqualFold(r.get("has_rdhx"), "true") {
		h.tell(r, "rack %s has a rear-door heat exchanger: not used", k.name)
	}
}

func orUnknown(v float64) string {
	if math.IsNaN(v) {
		return "unknown"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// nameRows finds the row of each rack and sorts the hall.
func (h *hall) nameRows() {
	byName, grouped := 0, 0
	for _, k := range h.racks {
		switch {
		case k.get("group", "rack_group") != "":
			k.row = k.get("group", "rack_group")
			grouped++
		default:
			k.row = strings.TrimRight(strings.TrimRight(k.name, "0123456789"), "-_. /#")
			byName++
		}
		if k.row == "" {
			k.row = k.get("location", "site")
		}
		if k.row == "" {
			k.row = "row"
		}
	}
	if grouped > 0 {
		h.assume("groups", "rows are NetBox's rack groups (%d racks)", grouped)
	}
	if byName > 0 {
		h.assume("rows", "NetBox knows no rows: a row is the racks whose names differ in the number at their end (%d racks)", byName)
	}
	places := map[string][]string{}
	for _, k := range h.racks {
		if !slices.Contains(places[k.row], k.place) {
			places[k.row] = append(places[k.row], k.place)
		}
	}
	for _, k := range h.racks {
		if len(places[k.row]) > 1 {
			k.row = strings.TrimSpace(k.place + " " + k.row)
		}
		if k.row = safeName(k.row); k.row == "" {
			k.row = "row"
		}
	}
	// What a scenario calls a rack must be its own.
	used := map[string]bool{}
	for _, k := range h.racks {
		name := safeName(k.name)
		if len(h.rackByName[k.name]) > 1 {
			name = safeName(k.place + " " + k.name)
		}
		for n := 2; used[name]; n++ {
			name = fmt.Sprintf("%s~%d", safeName(k.name), n)
		}
		used[name] = true
		if name != k.name {
			h.assume("name "+name, "rack %s of %s is called %s", k.name, k.place, name)
			k.name = name
		}
	}
	slices.SortStableFunc(h.racks, func(a, b *rack) int {
		return cmp.Or(natural(a.place, b.place), natural(a.row, b.row), natural(a.name, b.name))
	})
}

// safeName is a name that a path of a scenario can hold.
func safeName(s string) string {
	return strings.TrimSpace(strings.NewReplacer("[", "(", "]", ")").Replace(clean(s)))
}

// natural compares texts with the numbers in them as numbers: A2 before A10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// rackOf finds the rack that a record names, nil where it names none, or one that is not imported.
func (h *hall) rackOf(r *record) *rack {
	if k := h.rackByID[r.get("rack_id")]; k != nil {
		return k
	}
	name := r.get("rack")
	if name == "" {
		return nil
	}
	if k := h.rackByKey[strings.Trim(r.get("site")+" "+r.get("location"), " ")+"\x00"+name]; k != nil {
		return k
	}
	var fits []*rack
	for _, k := range h.rackByName[name] {
		if s := r.get("site"); s != "" && k.get("site") != "" && s != k.get("site") {
			continue
		}
		if l := r.get("location"); l != "" && k.get("location") != "" && l != k.get("location") {
			continue
		}
		fits = append(fits, k)
	}
	switch len(fits) {
	case 1:
		return fits[0]
	case 0:
		if h.counts.Elsewhere == 0 {
			h.tell(r, "the rack %s is not among those imported", name)
		}
	default:
		h.tell(r, "the rack %s can be any of %d of that name: add site and location to the export", name, len(fits))
	}
	return nil
}
