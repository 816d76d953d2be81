package sim

import (
	"context"
	"math"
	"testing"
	"time"

	"headroom/facility/cooling"
	"headroom/facility/weather"
	"headroom/sim/workload"
)

// seasons is a year whose days and nights differ, so that plants pass through all they do.
func seasons() *weather.Series {
	s := &weather.Series{Name: "seasons", Coverage: 1, Samples: make([]weather.Sample, 8760)}
	for h := range s.Samples {
		c := 15 - 14*math.Cos(2*math.Pi*float64(h)/8760) - 6*math.Cos(2*math.Pi*float64(h)/24)
		s.Samples[h] = weather.Sample{DryBulbC: c, RH: 0.6, PressurePa: 101325, WindMS: math.NaN()}
	}
	return s
}

// Rooms, loops and plants that are carried on between points of a grid of loads change the energy of half a year by no
// more than docs/engine-error.md says.
func TestCarriedOnAgreesWithSolved(t *testing.T) {
	l := hall{racks: 25, perRack: 8, liquid: true}.layout(t)
	spec := func(name string, units int, capacityW, supplyC float64) cooling.Spec {
		return cooling.Spec{Name: name, Units: units, Redundant: 1, CapacityW: capacityW, SupplyC: supplyC, HeatJPerK: 20e6, WarmestC: supplyC + 15, Fed: []int{0}}
	}
	chiller, err := cooling.NewChilledWater(cooling.ChilledWaterParams{Spec: spec("chilled", 3, 300e3, 18), Economizer: true})
	if err != nil {
		t.Fatal(err)
	}
	dry, err := cooling.NewDryCooler(cooling.DryCoolerParams{Spec: spec("dry", 8, 200e3, 28), DesignC: 35})
	if err != nil {
		t.Fatal(err)
	}
	f := l.Facility
	f.Cooling.Plants = []cooling.Plant{chiller, dry}
	f.Cooling.Loops[0].Plant, f.Cooling.Loops[0].CapacityW, f.Cooling.Loops[0].FlowLPM = 1, 1.5e6, 2200
	c := config(180*24*time.Hour, train(8, 300, 8), train(32, 20, 12))
	c.Classes[1].Name, c.Check, c.Weather = "wide", false, seasons()
	c.Classes[1].Kind = workload.FineTuning
	run := func(off bool) (*Result, int64) {
		e, err := newEngine(context.Background(), l, &c)
		if err != nil {
			t.Fatal(err)
		}
		e.carried.off = off
		if err := e.run(); err != nil {
			t.Fatal(err)
		}
		return e.result(), e.approx.carried
	}
	got, carried := run(false)
	want, none := run(true)
	if none != 0 || carried < got.Run.Events {
		t.Fatalf("%d answers carried on in %d events, %d of them when it was off", carried, got.Run.Events, none)
	}
	near := func(what string, got, want Num, most float64) {
		t.Helper()
		if e := float64(got/want) - 1; !(math.Abs(e) < most) {
			t.Errorf("%s: %.1f carried on, %.1f solved, %.2g off, at most %.2g", what, float64(got), float64(want), e, most)
		} else {
			t.Logf("%s: %.2g off", what, e)
		}
	}
	near("facility energy", got.Energy.FacilityKWh, want.Energy.FacilityKWh, 1e-5)
	near("chillers", got.Energy.ChillersKWh, want.Energy.ChillersKWh, 1e-3)
	near("heat rejection", got.Energy.HeatRejectionKWh, want.Energy.HeatRejectionKWh, 3e-4)
	near("pumps", got.Energy.PumpsKWh, want.Energy.PumpsKWh, 3e-4)
	near("water", got.Energy.WaterL, want.Energy.WaterL, 1e-4)
	near("peak", got.Energy.PeakFacilityW, want.Energy.PeakFacilityW, 1e-4)
	near("hottest GPU", got.Thermal.GPUC.Max, want.Thermal.GPUC.Max, 1e-3)
}
