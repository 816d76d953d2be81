package sim

import (
	"math"
	"testing"
	"time"

	"headroom/sim/workload"
)

// Servers differ by a few kelvin in their worst slot, the same ones for the same seed.
func TestSpreadIsSeeded(t *testing.T) {
	temps := func(seed uint64, share float64) []float64 {
		c := config(3 * time.Hour)
		c.Seed, c.GPUSpread = seed, share
		c.Classes, c.Replays = forever(16, workload.Training)
		l := hall{racks: 4, perRack: 4}.layout(t)
		l.Facility.Models[0].TargetC = 60 // fans at their end, so that the slot shows
		e, err := newEngine(t.Context(), l, &c)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.run(); err != nil {
			t.Fatal(err)
		}
		var out []float64
		for i := range e.srv {
			out = append(out, e.srv[i].dieC(e.now))
		}
		return out
	}
	a, b, other, none := temps(1, 0.03), temps(1, 0.03), temps(2, 0.03), temps(1, 0)
	lo, hi, same := math.Inf(1), math.Inf(-1), true
	for i := range a {
		if a[i] != b[i] {
			t.Fatal("one seed, two servers")
		}
		same = same && a[i] == other[i]
		lo, hi = math.Min(lo, a[i]-none[i]), math.Max(hi, a[i]-none[i])
	}
	if same {
		t.Error("two seeds give the same servers")
	}
	if hi-lo < 0.5 || hi-lo > 8 {
		t.Errorf("slots spread over %.2f K", hi-lo)
	}
}

// On a liquid rack the air-cooled parts stop the servers when the room overheats, though the GPUs stay cold.
func TestAirCooledPartsTripOnLiquidRacks(t *testing.T) {
	l := hall{racks: 4, perRack: 4, liquid: true, roomUnits: 1}.layout(t)
	l.Facility.Models[0].AirTripC = 45
	c := config(12 * time.Hour)
	c.Classes, c.Replays = forever(16, workload.Training)
	c.Failures.Events = []Loss{{Name: "air handler", AtNS: int64(time.Hour), ForNS: int64(2 * time.Hour), Part: RoomUnit, Units: 1}}
	r := mustRun(t, l, c)
	at, ok := find(r, "air trip")
	if !ok {
		t.Fatalf("no server trips; warmest inlet %.1f °C", float64(r.Thermal.InletC.Max))
	}
	if at < 3600+30 || at > 3*3600 {
		t.Errorf("trips %.0f s after the loss", at-3600)
	}
	if g := float64(r.Thermal.GPUC.Max); g > 75 {
		t.Errorf("a cold-plate GPU reaches %.1f °C", g)
	}
	if r.Thermal.ThrottledGPUHours != 0 {
		t.Errorf("%.2f GPU-hours throttled on cold plates", float64(r.Thermal.ThrottledGPUHours))
	}
	if it := columnOf(t, r, "it_w"); it[2] > 0.3*it[0] {
		t.Errorf("IT stands at %.0f W of %.0f W with every server tripped", it[2], it[0])
	}
}
