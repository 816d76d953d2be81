package netbox

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// toNeutral are the usual voltages from line to neutral. NetBox states one voltage for a feed and not its
// basis, and counts every three-phase feed at √3·V·A, as if the voltage were between lines; a three-phase feed
// entered as 230 V then counts for 57.7 % of what it carries (netbox#8738).
var toNeutral = []float64{100, 110, 115, 120, 127, 220, 230, 240, 265, 277, 347}

// netboxShare is what may be used of a feed where the export does not say: the default of NetBox.
const netboxShare = 80

// addFeed gives a rack one circuit.
func (h *hall) addFeed(r *record, panelNames map[string]bool) {
	h.counts.Feeds++
	name := r.get("name", "id")
	k := h.rackOf(r)
	if k == nil && r.get("rack", "rack_id") == "" {
		// A feed may end at a power port of a rack's distribution unit instead.
		end := &record{file: r.file, line: r.line, fields: map[string]string{
			"device": r.get("connected_endpoints.device"), "device_id": r.get("connected_endpoints.device_id"),
		}}
		if end.get("device", "device_id") != "" {
			if d := h.deviceOf(end); d != nil {
				k = d.rack
			}
		}
		if k == nil {
			h.tell(r, "feed %s belongs to no rack: not used", name)
			return
		}
	}
	if k == nil {
		return // told already
	}
	f := &feed{record: r, panel: r.get("power_panel")}
	if f.panel == "" {
		f.panel = "panel of " + name
		h.tell(r, "feed %s names no power panel: it is taken to have one of its own", name)
	} else if len(panelNames) > 0 && !panelNames[f.panel] {
		h.tell(r, "feed %s: its panel %s is not among those exported", name, f.panel)
	}
	if s := strings.ToLower(r.get("status")); s != "" && s != "active" {
		h.tell(r, "feed %s of rack %s is %s: not used", name, k.name, s)
		return
	}
	if s := strings.ToLower(r.get("supply")); s == "dc" {
		h.tell(r, "feed %s of rack %s is DC: not used, a scenario's circuits are AC", name, k.name)
		return
	}
	f.redundant = strings.EqualFold(r.get("type"), "redundant")
	phase := strings.ToLower(r.get("phase"))
	f.three = strings.HasPrefix(phase, "three") || strings.HasPrefix(phase, "3")
	if phase == "" {
		h.assume("phase", "feeds that state no phase are single-phase, NetBox's default (%s of rack %s first)", name, k.name)
	}
	f.volts, f.amps = h.figure(r, "voltage"), h.figure(r, "amperage")
	if !(f.volts > 0 && f.volts <= 50e3) || !(f.amps > 0 && f.amps <= 50e3) {
		h.tell(r, "feed %s of rack %s: %s V, %s A: not used", name, k.name, orUnknown(f.volts), orUnknown(f.amps))
		return
	}
	share := h.figure(r, "max_utilization")
	switch {
	case math.IsNaN(share):
		share = netboxShare
		h.assume("share", "a feed that states no max_utilization may be used to %d %%, NetBox's default (%s first)", netboxShare, name)
	case share <= 0 || share > 100:
		h.tell(r, "feed %s of rack %s: a max_utilization of %g %%: not used (want above 0 to 100)", name, k.name, share)
		return
	}
	f.share = share / 100
	h.rate(f)
	k.feeds = append(k.feeds, f)
	h.counts.FeedsUsed++
}

// rate settles the basis of the voltage and what the circuit is rated for.
func (h *hall) rate(f *feed) {
	if !f.three {
		f.va = f.volts * f.amps
		return
	}
	f.lineLine = !slices.Contains(toNeutral, f.volts)
	switch h.o.Voltage {
	case "L-L":
		f.lineLine = true
	case "L-N":
		f.lineLine = false
	}
	netbox := math.Sqrt(3) * f.volts * f.amps
	if f.va = netbox; f.lineLine {
		h.assume(fmt.Sprint(f.volts), "three-phase feeds of %g V: taken as line to line, as NetBox does: √3·V·A", f.volts)
		return
	}
	f.va = 3 * f.volts * f.amps
	h.assume(fmt.Sprint(f.volts), "three-phase feeds of %g V: taken as line to neutral: 3·V·A. One of %g A at %g %% carries %.2f kVA, where NetBox, which takes √3·V·A, shows %.2f kVA (netbox#8738); --voltage L-L takes NetBox's",
		f.volts, f.amps, 100*f.share, f.va*f.share/1000, netbox*f.share/1000)
}

// circuit is what all feeds of a rack from one panel make together.
type circuit struct {
	panel     string
	redundant bool
	va        float64 // rated
	share     float64
	volts     float64
	lineLine  bool
	amps      float64 // of three-phase feeds of one voltage together, NaN otherwise
	first     *record
}

// usableVA is what may be used of it.
func (c *circuit) usableVA() float64 { return c.va * c.share }

// circuits puts a rack's feeds together by panel, those of primary feeds first. Feeds of one panel are lost
// together and share their load.
func (h *hall) circuits(k *rack) []circuit {
	var list []circuit
	for _, f := range k.feeds {
		i := slices.IndexFunc(list, func(c circuit) bool { return c.panel == f.panel })
		amps := math.NaN()
		if f.three {
			amps = f.amps
		}
		if i < 0 {
			list = append(list, circuit{f.panel, f.redundant, f.va, f.share, f.volts, f.lineLine, amps, f.record})
			continue
		}
		c := &list[i]
		h.assume("sum", "feeds of one rack from one panel are one circuit of their sum (rack %s first)", k.name)
		if c.volts != f.volts || c.lineLine != f.lineLine {
			c.amps = math.NaN()
		}
		c.amps += amps
		// The lower share for both, so that the sum is not more than it is.
		c.va, c.share, c.redundant = c.va+f.va, min(c.share, f.share), c.redundant && f.redundant
	}
	slices.SortStableFunc(list, func(a, b circuit) int {
		red := func(c circuit) int {
			if c.redundant {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(red(a), red(b)), natural(a.panel, b.panel))
	})
	return list
}
