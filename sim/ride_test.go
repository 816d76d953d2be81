package sim

import (
	"math"
	"testing"
	"time"

	"headroom/facility"
	"headroom/facility/cooling"
	"headroom/validation"
)

// A room loses all cooling while its UPS keep IT alive. Measured in a test room: at 5 kW a rack servers shut
// down after 3 min 9 s, at 10 kW and more in under a minute (Opengate Data Systems). One calibration for
// both: 9 m³ of air, 300 kJ/K of rack and structure and 500 W/K between them for each rack, trip at the default inlet.
func TestRideThroughWithoutCooling(t *testing.T) {
	trip := func(perRackW float64) (afterS, rackW float64) {
		const racks = 6
		l := hall{racks: racks, perRack: 2, containment: cooling.ColdAisle}.layout(t)
		m := &l.Facility.Models[0]
		// An idle server of just the power that is asked for.
		m.BoardW += (perRackW/2 - m.WallW(8*m.GPUW(0, 1, 35), m.FanMin)) * 0.93
		m.AirTripC = facility.DefaultAirTripC
		m.AirflowM3s = perRackW / 2 / 1191 / 13 // 13 K rise, as an H100 box
		r := &l.Facility.Cooling.Rooms[0]
		r.VolumeM3, r.StructureJPerK, r.StructureWPerK = 9*racks, 300e3*racks, 500*racks
		r.CapacityW, r.AirflowM3s = perRackW*racks, perRackW*racks/1191/12
		r.WallWPerK = 10 * racks
		c := config(2 * time.Hour)
		c.Failures.Events = []Loss{{Name: "all cooling", AtNS: int64(time.Hour), Part: RoomUnit, Units: 4}}
		res := mustRun(t, l, c)
		at, ok := find(res, "air trip")
		if !ok {
			t.Fatalf("%.0f W a rack: no server trips; warmest inlet %.1f °C", perRackW, float64(res.Thermal.InletC.Max))
		}
		return at - 3600, columnOf(t, res, "it_w")[0] / racks
	}
	five, w := trip(5000)
	if math.Abs(w-5000) > 250 {
		t.Errorf("a rack draws %.0f W, want 5,000 W", w)
	}
	t.Logf("5 kW a rack trips after %.0f s, measured 189 s", five)
	const source = "Opengate Data Systems, test room (Mission Critical Magazine): servers shut down after 3 min 9 s at 5 kW a cabinet, under a minute at 10 kW and more; heat capacities and trip inlet calibrated"
	validation.Share("ride-through/room-5-kw", "room loses all cooling, 5 kW a rack: trip inlet after", "s", 189, 0.2, source).Check(t, five)
	ten, _ := trip(10000)
	t.Logf("10 kW a rack trips after %.0f s, measured under 60 s", ten)
	validation.Range("ride-through/room-10-kw", "room loses all cooling, 10 kW a rack: trip inlet after", "s", 0, 60, source).Check(t, ten)
}
