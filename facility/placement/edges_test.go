package placement

import (
	"testing"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/facility/power"
)

// Liquid-to-air CDUs may stand in another room than their racks: that room's coils carry the liquid's heat.
func TestLiquidToAirIntoAnotherRoom(t *testing.T) {
	f := fillWith(liquidH100(), racks(3, 42, facility.NoLimit))
	f.Racks[0].Room, f.Racks[0].Loop = 0, 0
	f.Racks[1].Room, f.Racks[1].Loop = 0, 0
	f.Racks[2].Room, f.Racks[2].Loop = 1, 0
	f.Cooling.Plants = []cooling.Plant{rated{cooling.Spec{Name: "plant", Units: 1, CapacityW: 1e9}}}
	f.Cooling.Rooms = []cooling.Room{
		{Name: "hall", Units: 1, CapacityW: 1e9, AirflowM3s: 1e3},
		{Name: "gallery", Units: 1, CapacityW: 7*8160 + 2040, AirflowM3s: 1e3},
	}
	f.Cooling.Loops = []cooling.Loop{{Name: "sidecars", CDUs: 2, CapacityW: 1e6, FlowLPM: 1e6, Air: &cooling.AirSink{Room: 1, AirflowM3s: 50}, Plant: -1}}
	l := place(t, f)
	if len(l.Servers) != 7 || l.Bound != 7 || l.Racks[0].Binding != Air && l.Racks[1].Binding != Air {
		t.Errorf("%d servers, bound %d, by %s and %s; want 7 by air", len(l.Servers), l.Bound, l.Racks[0].Binding, l.Racks[1].Binding)
	}
}

// A transformer that feeds only UPS carries their rectifiers' power factor, its own; without UPS that of the servers.
func TestPowerFactorAboveUPS(t *testing.T) {
	hall := func(kind power.Kind) *facility.Facility {
		m := watts(1000)
		m.PF = 0.9
		f := fillWith(m, racks(1, 200, facility.NoLimit))
		tx := node("tx", power.Transformer, 100e3, "u")
		tx.PF = 0.99
		next := node("next", kind, 1e6, "tx")
		f.Power = graph(t, node("u", power.Utility, 1e6), tx, next)
		f.Racks[0].Feeds = []int{2}
		return f
	}
	if l := place(t, hall(power.UPS)); len(l.Servers) != 99 {
		t.Errorf("%d servers behind a UPS, want 99", len(l.Servers))
	}
	if l := place(t, hall(power.Distribution)); len(l.Servers) != 90 {
		t.Errorf("%d servers without a UPS, want 90", len(l.Servers))
	}
}
