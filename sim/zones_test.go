package sim

import (
	"math"
	"testing"
	"time"
)

// Two rooms, one on air alone with a thirsty plant and one with a loop on a thrifty one: what each spends is its own, and
// the zones add up to the building, the plant's power by heat.
func TestZonesOfTwoRooms(t *testing.T) {
	l := hall{racks: 4, perRack: 2, liquid: true}.layout(t)
	f := l.Facility
	second := f.Cooling.Rooms[0]
	second.Name, second.Plant = "annex", 1
	plain := f.Cooling.Plants[0].Spec()
	plain.Name = "thirsty"
	f.Cooling.Plants = append(f.Cooling.Plants, flatPlant{spec: plain, cop: 2})
	f.Cooling.Rooms = append(f.Cooling.Rooms, second)
	f.Models = append(f.Models, h100())
	for i := 2; i < 4; i++ {
		f.Racks[i].Room, f.Racks[i].Loop = 1, -1
	}
	for i := range l.Servers {
		if l.Servers[i].Rack >= 2 {
			l.Servers[i].Model = 1
		}
	}
	c := config(72*time.Hour, train(8, 40, 10))
	c.WarmupNS = int64(12 * time.Hour)
	r := mustRun(t, l, c)
	e := &r.Energy
	names := []string{"hall", "annex", "tcs", "hall and its loops", "annex and its loops"}
	if len(e.Zones) != len(names) {
		t.Fatalf("%+v", e.Zones)
	}
	var it, all float64
	for i, z := range e.Zones {
		if z.Zone != names[i] || !(z.PPUE >= z.CoolingPUE) || !(z.CoolingPUE > 1) {
			t.Errorf("%+v", z)
		}
		if i < 3 {
			it += float64(z.ITKWh)
			all += float64(z.ITKWh + z.CoolingKWh + z.OtherKWh)
		}
	}
	if math.Abs(it-float64(e.ITKWh)) > 1e-6*it || math.Abs(all-float64(e.FacilityKWh)) > 1e-6*all {
		t.Errorf("zones take %.3f and %.3f kWh, IT is %.3f, the building %.3f", it, all, e.ITKWh, e.FacilityKWh)
	}
	hall, annex, tcs := &e.Zones[0], &e.Zones[1], &e.Zones[2]
	if d := float64(e.Zones[3].ITKWh - hall.ITKWh - tcs.ITKWh); math.Abs(d) > 1e-9*it {
		t.Errorf("the hall's loops are not in it: %v kWh", d)
	}
	// By hand: the annex's compressors take half of its heat, IT, fans and the losses that heat it; the loop's a fifth.
	if p := float64(annex.CoolingPUE); !(p > 1.5 && p < 1.8) {
		t.Errorf("the annex's pPUE is %.3f", p)
	}
	if p := float64(tcs.CoolingPUE); !(p > 1.2 && p < 1.35) {
		t.Errorf("the loop's pPUE is %.3f", p)
	}
	if annex.PPUE <= hall.PPUE {
		t.Errorf("annex %.3f, hall %.3f", annex.PPUE, hall.PPUE)
	}
}
