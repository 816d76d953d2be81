package scenarios

import (
	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/units"
)

// humidity ties humidity control to a room, and its electricity to the room's feed.
func (b *builder) humidity(a *airPart, room *cooling.Room) {
	h := a.Humidity
	if h == nil {
		return
	}
	if i := b.s.file.Plants.index(a.Plant); i >= 0 && b.s.file.Plants.Lines[i].Type == "air-side" {
		b.d.fail(h.at, h.path, "", "air-side plants humidify the outdoor air they let in themselves, and count its water")
		return
	}
	h.Fresh.fill(room.VolumeM3 * cooling.DefaultFreshPerHour / 3600)
	c := &cooling.Humidity{
		FreshM3s: h.Fresh.V, DewMinC: h.DewMin.V, DewMaxC: room.DewPointC, Adiabatic: h.Kind == "adiabatic",
		JPerKg: cooling.SteamJPerKg, DryCOP: h.DryCOP, SupplyC: room.SupplyC,
	}
	if c.Adiabatic {
		c.JPerKg = cooling.AdiabaticJPerKg
	}
	if !(c.DewMinC < c.DewMaxC) {
		b.d.fail(h.of("dew_min"), joinKey(h.path, "dew_min"), "", "want a dew point below cooling.air.dew_point, %s (got %s)",
			units.Format(units.Temperature, c.DewMaxC), units.Format(units.Temperature, c.DewMinC))
		return
	}
	if err := c.Validate(); err != nil {
		b.d.fail(h.at, h.path, "", "%v", err)
		return
	}
	room.Humidity = c
	design := b.f.Design
	b.f.Mechanical = append(b.f.Mechanical, facility.MechanicalLoad{Name: room.Name + " humidity", Fed: room.Fed, W: ceilW(c.MostW(design, design.PressurePa))})
}
