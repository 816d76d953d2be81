package sim

import (
	"context"
	"math"
	"testing"
	"time"

	"headroom/sim/workload"
)

// Ten seconds at 5 W, five at 15, ten at 5, two at 12 and the rest of a minute at 8, under a limit of 10 W: 7 s over it,
// in two times, the longest 5 s; the mean is 5·20 + 15·5 + 12·2 + 8·33 over 60.
func TestPowerMeter(t *testing.T) {
	p := newPowerMeter("x", 9, 10, 20)
	const s = int64(time.Second)
	for _, x := range []struct {
		at int64
		w  float64
	}{{0, 5}, {10, 15}, {15, 5}, {25, 12}, {27, 8}} {
		p.set(x.at*s, x.w)
	}
	r := p.result(60 * s)
	if got, want := float64(r.OverH)*3600, 7.0; math.Abs(got-want) > 1e-9 || r.OverTimes != 2 || float64(r.OverLongestS) != 5 {
		t.Errorf("over the limit %g s in %d times, longest %g s; want 7 s in 2, longest 5 s", got, r.OverTimes, float64(r.OverLongestS))
	}
	if got, want := float64(r.MeanW), (5*20+15*5+12*2+8*33)/60.0; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean %g W, want %g W", got, want)
	}
	if r.MaxW != 15 {
		t.Errorf("peak %g W", float64(r.MaxW))
	}
	at := func(w float64) float64 {
		share := 0.0
		for i := range r.AtW {
			if r.AtW[i] <= w+1e-9 {
				share = r.Shares[i]
			}
		}
		return share
	}
	for _, x := range []struct{ w, share float64 }{{5, 20.0 / 60}, {8, 53.0 / 60}, {12, 55.0 / 60}, {15, 1}} {
		if got := at(x.w); math.Abs(got-x.share) > 1e-12 {
			t.Errorf("%g of the time at or under %g W, want %g", got, x.w, x.share)
		}
	}
	p.warm(60 * s)
	p.set(70*s, 11)
	if r := p.result(80 * s); r.OverTimes != 1 || math.Abs(float64(r.OverH)*3600-10) > 1e-9 || float64(r.MeanW) != 9.5 {
		t.Errorf("after the warm-up: %d times, %g s, mean %g W; want once, 10 s, 9.5 W", r.OverTimes, float64(r.OverH)*3600, float64(r.MeanW))
	}
}

// The distributions are of the same power as the energy: their means are the energy over the time, rows add up to IT, and
// the peaks are the peaks.
func TestPowerSpreadsAgreeWithEnergy(t *testing.T) {
	l := hall{racks: 6, perRack: 4}.layout(t)
	for i := range l.Facility.Racks {
		if i >= 3 {
			l.Facility.Racks[i].Row = "B"
		}
	}
	c := config(20*24*time.Hour, train(16, 4, 20))
	c.WarmupNS = int64(5 * 24 * time.Hour)
	r := mustRun(t, l, c)
	hours := float64(c.LengthNS-c.WarmupNS) / 3.6e12
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	byName := map[string]PowerSpread{}
	for _, p := range r.Power {
		byName[p.Name] = p
	}
	near("IT energy, kWh", float64(byName["IT"].MeanW)*hours/1e3, float64(r.Energy.ITKWh))
	near("facility energy, kWh", float64(byName["facility"].MeanW)*hours/1e3, float64(r.Energy.FacilityKWh))
	near("rows, W", float64(byName["row A"].MeanW+byName["row B"].MeanW), float64(byName["IT"].MeanW))
	near("peak of IT, W", float64(byName["IT"].MaxW), float64(r.Energy.PeakITW))
	near("peak of the facility, W", float64(byName["facility"].MaxW), float64(r.Energy.PeakFacilityW))
	near("limit of row B, W", float64(byName["row B"].LimitW), 3*100e3)
}

// Slowed hours of the temperature causes add up to the throttled hours of each rack, and a cap counts as one.
func TestSlowedHoursByCause(t *testing.T) {
	l := hall{racks: 3, perRack: 4, roomUnits: 4}.layout(t)
	c := config(4 * time.Hour)
	c.Classes, c.Replays = forever(12, workload.Training)
	c.Failures.Events = []Loss{{Name: "air", AtNS: int64(time.Hour), ForNS: int64(4 * time.Minute), Part: RoomUnit, Units: 3}}
	c.Caps = []PowerCap{{Name: "rack", Over: CapRack, Index: 1, LimitW: 24e3}}
	r := mustRun(t, l, c)
	for _, k := range r.Racks {
		sum := k.SlowedGPUHours[SlowGPU] + k.SlowedGPUHours[SlowMemory] + k.SlowedGPUHours[SlowHardware]
		if math.Abs(sum-k.ThrottledGPUHours) > 1e-9*(1+sum) {
			t.Errorf("rack %d: %g GPU-h by temperature, %g throttled", k.Rack, sum, k.ThrottledGPUHours)
		}
	}
	if r.Racks[1].SlowedGPUHours[SlowCap] < 100 || r.Racks[0].SlowedGPUHours[SlowCap] != 0 {
		t.Errorf("power cap: %g GPU-h in the capped rack of 128, %g in another", r.Racks[1].SlowedGPUHours[SlowCap], r.Racks[0].SlowedGPUHours[SlowCap])
	}
}

// A plant that rejects nothing while its pumps run: its water and the coolant behind it warm by heat over heat capacity.
func TestRideThroughOfWater(t *testing.T) {
	l := hall{racks: 6, perRack: 4, liquid: true}.layout(t)
	plant := l.Facility.Cooling.Plants[0].(flatPlant)
	plant.spec.HeatJPerK = 5e6
	l.Facility.Cooling.Plants[0] = plant
	c := config(24 * time.Hour)
	ride, err := Ride(context.Background(), l, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(ride.Cases) != 3 || ride.LimitC != 30 {
		t.Fatalf("%d cases, limit %g °C", len(ride.Cases), ride.LimitC)
	}
	k := &ride.Cases[0]
	coolant := func(s float64) float64 {
		for i, at := range k.AtS {
			if float64(at) >= s {
				return float64(k.CoolantC[i])
			}
		}
		t.Fatalf("no coolant at %g s", s)
		return 0
	}
	// The heat of 24 servers by liquid and by air, fans and UPS losses aside, into 5 MJ/K of water and the loop's 2,000 L
	// of PG25 (3.9 kJ/kgK at 1,020 kg/m³, 8 MJ/K). The water stands 14 K under the coolant, so the loop begins to rise
	// once it is near; in the last minutes both rise together, with the 2 MJ/K of the room's structure.
	const heatJPerK = 5e6 + 8e6 + 2e6
	model := l.Facility.Models[0]
	heatW := 24 * float64(model.SustainedW)
	slope := (coolant(1790) - coolant(1490)) / 300
	if want := heatW / heatJPerK; !(slope > 0.75*want && slope < 1.3*want) {
		t.Errorf("coolant rises by %.4f K/s, want about %.4f K/s", slope, want)
	}
	if k.ServersLost != 0 && !k.ToStopS.Known() {
		t.Error("servers are lost at no time")
	}
	// With the fans and pumps gone it never lasts longer.
	last := func(n Num) float64 {
		if n.Known() {
			return float64(n)
		}
		return math.Inf(1)
	}
	if all := &ride.Cases[1]; math.Min(last(all.ToLimitS), last(all.ToStopS)) > math.Min(last(k.ToLimitS), last(k.ToStopS)) {
		t.Errorf("without fans and pumps: %g s to the limit, %g s to the first stop; with them %g s and %g s", float64(all.ToLimitS), float64(all.ToStopS), float64(k.ToLimitS), float64(k.ToStopS))
	}
	again, err := Ride(context.Background(), l, c)
	if err != nil || again.Cases[1].ToStopS != ride.Cases[1].ToStopS {
		t.Errorf("a second look: %v, %v", again, err)
	}
}
