package netbox

import (
	"math"
	"strconv"
	"strings"
)

// addDevice puts a device into its rack.
func (h *hall) addDevice(r *record) {
	h.counts.Devices++
	name := r.get("name", "display", "device_type", "id")
	d := &device{record: r}
	if n := h.figure(r, "power_port_count"); !math.IsNaN(n) {
		d.hasCount, d.portCount = true, int(n)
	}
	d.rack = h.rackOf(r)
	if id := r.get("id"); id != "" {
		h.deviceByID[id] = d
	}
	h.deviceByName[name] = append(h.deviceByName[name], d)
	if d.rack == nil {
		if r.get("rack", "rack_id") == "" {
			h.counts.Unracked++
		}
		return
	}
	h.devices = append(h.devices, d)
	h.mount(d, name)
}

// mount takes the units that a device fills.
func (h *hall) mount(d *device, name string) {
	r, k := d.record, d.rack
	t := h.typeByID[r.get("device_type_id")]
	if t == nil {
		t = h.typeByModel[r.get("device_type", "type")]
	}
	h.weigh(k, t)
	if r.get("parent_device", "parent") != "" || t != nil && strings.EqualFold(t.get("subdevice_role"), "child") {
		return // inside another device
	}
	u := h.figure(r, "u_height")
	if math.IsNaN(u) && t != nil {
		u = h.figure(t, "u_height")
	}
	position := h.figure(r, "position")
	switch {
	case math.IsNaN(u) && math.IsNaN(position):
		h.tell(r, "device %s in %s: neither height nor position is known: no space is kept for it (export the device types)", name, k.name)
		return
	case math.IsNaN(u):
		h.tell(r, "device %s in %s: its height is not known: 1U is kept for it (export the device types)", name, k.name)
		u = 1
	case u < 0 || u > 100:
		h.tell(r, "device %s in %s: a height of %g U: no space is kept for it", name, k.name, u)
		return
	case u == 0:
		return
	}
	if math.IsNaN(position) {
		h.tell(r, "device %s in %s has no position: its %gU are taken from the largest gap", name, k.name, u)
		k.looseU += int(math.Ceil(u))
		return
	}
	from, to := int(math.Floor(position))-k.first, int(math.Ceil(position+u))-k.first
	if position < 0 || from < 0 || to > k.heightU {
		h.tell(r, "device %s in %s stands at U%g to U%g, outside the rack's U%d to U%d: its %gU are taken from the largest gap", name, k.name, position, position+u-1, k.first, k.first+k.heightU-1, u)
		k.looseU += int(math.Ceil(u))
		return
	}
	for i := from; i < to; i++ {
		k.taken[i] = true // front and rear of one unit are one: a server needs both
	}
}

// weigh adds the device's mass.
func (h *hall) weigh(k *rack, t *record) {
	if t == nil {
		k.unweighed++
		return
	}
	v := h.mass(func(keys ...string) (*record, float64) {
		v, _ := t.number(keys...)
		return t, v
	}, k.name, "weight")
	if math.IsNaN(v) {
		k.unweighed++
		return
	}
	k.deviceKg += v
}

// reserve keeps the units of a rack reservation free.
func (h *hall) reserve(r *record) {
	k := h.rackOf(r)
	if k == nil {
		return
	}
	h.counts.Reservations++
	for _, text := range strings.FieldsFunc(r.get("units", "unit_list"), func(c rune) bool { return c == ',' || c == ' ' || c == '[' || c == ']' }) {
		low, high, span := strings.Cut(text, "-")
		if !span {
			high = low
		}
		a, err1 := strconv.Atoi(low)
		b, err2 := strconv.Atoi(high)
		a, b = a-k.first, b-k.first
		if err1 != nil || err2 != nil || a < 0 || b >= k.heightU || a > b {
			h.tell(r, "reservation in %s: no units %q", k.name, text)
			continue
		}
		for i := a; i <= b; i++ {
			k.taken[i] = true
		}
	}
}

// deviceOf finds the device of a port or outlet, nil where it is not among those imported.
func (h *hall) deviceOf(r *record) *device {
	if d := h.deviceByID[r.get("device_id")]; d != nil {
		return d
	}
	list := h.deviceByName[r.get("device")]
	switch {
	case len(list) == 1:
		return list[0]
	case len(list) > 1:
		h.tell(r, "the device %s can be any of %d of that name: export as JSON, which has ids", r.get("device"), len(list))
	case h.counts.Elsewhere == 0 || r.get("device", "device_id") == "":
		h.tell(r, "the device %q is not among those imported", r.get("device", "device_id"))
	}
	return nil
}

// draw adds what a device takes from its rack's circuits: the sum over its power ports of the allocated draw,
// or of the maximum draw where no port states an allocated one, as NetBox counts it. A device with outlets
// hands power on: what it takes is what stands behind it.
func (h *hall) draw(d *device, portsExported bool) {
	k := d.rack
	name := d.get("name", "display", "device_type", "id")
	if d.outlets > 0 {
		k.passive++
		h.counts.Distribution++
		return
	}
	if d.hasCount && d.portCount == 0 && len(d.ports) == 0 {
		k.passive++
		h.counts.Passive++
		return
	}
	sum := func(key string) (w float64, n int) {
		for _, p := range d.ports {
			if v := h.figure(p, key); v > 0 {
				w, n = w+v, n+1
			}
		}
		return w, n
	}
	w, n := sum("allocated_draw")
	if n > 0 {
		h.counts.Allocated++
	} else if w, n = sum("maximum_draw"); n > 0 {
		h.counts.Maximum++
	}
	if n == 0 {
		why := "no power port states a draw"
		if len(d.ports) == 0 && portsExported {
			why = "no power port is exported"
		} else if len(d.ports) == 0 {
			why = "the power ports are not exported"
		}
		h.tell(d.record, "device %s in %s: its draw is not known (%s)", name, k.name, why)
		k.unknown++
		h.counts.Unknown++
		return
	}
	if n < len(d.ports) {
		h.tell(d.record, "device %s in %s: %d of its %d power ports state a draw; the sum is taken for all of it", name, k.name, n, len(d.ports))
	}
	k.known++
	k.drawW += w
}
