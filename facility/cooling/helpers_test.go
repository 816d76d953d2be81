package cooling

import (
	"math"
	"reflect"
	"testing"

	"headroom/facility/catalog"
	"headroom/facility/weather"
)

// near fails unless got is within tol of want.
func near(t interface {
	Helper()
	Errorf(string, ...any)
}, what string, got, want, tol float64,
) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, tol)
	}
}

// finite fails if any float64 field of a struct is NaN or infinite.
func finite(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, point any,
) {
	t.Helper()
	v := reflect.ValueOf(point)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Float64 && (math.IsNaN(f.Float()) || math.IsInf(f.Float(), 0)) {
			t.Fatalf("%s: %s is %v in %+v", what, v.Type().Field(i).Name, f.Float(), point)
		}
	}
}

func plantData(t testing.TB) *catalog.Plant {
	t.Helper()
	data, err := catalog.PlantData()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func outdoor(dryBulbC, rh float64) Outdoor {
	return FromSample(weather.Sample{DryBulbC: dryBulbC, RH: rh, PressurePa: weather.SeaLevelPa})
}

// hall is a room of ten 120 kW air handlers at 9 m³/s, 36 °C return and 18 °C water.
func hall() *Room {
	return &Room{
		Name: "hall", Units: 10, Redundant: 1,
		CapacityW: 120e3, AirflowM3s: 9, RatedReturnC: 36, RatedWaterC: 18, WaterRiseK: 6,
		SupplyC: 24, FanW: 4500, FanExponent: 2.7, FanMin: 0.3, BypassShare: DefaultBypassShare,
		Containment: ColdAisle, VolumeM3: 3000, StructureJPerK: 20e6, WallWPerK: 500, AmbientC: 25,
	}
}

// liquid is a loop of two 1 MW CDUs.
func liquid() *Loop {
	return &Loop{
		Name: "liquid", CDUs: 2, Redundant: 1, CapacityW: 1e6, FlowLPM: 1500, HeadKPa: 250,
		ApproachK: 3, Coolant: "PG25", VolumeL: 900, SupplyC: 32, PumpW: 9000,
	}
}

func chilledWater(t testing.TB, economizer bool) *ChilledWater {
	t.Helper()
	p, err := NewChilledWater(ChilledWaterParams{
		Spec:       Spec{Name: "chw", Units: 3, Redundant: 1, SupplyC: 18, CapacityW: 700e3, HeatJPerK: 40e6},
		Economizer: economizer,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func dryCooler(t testing.TB, adiabatic bool) *DryCooler {
	t.Helper()
	p, err := NewDryCooler(DryCoolerParams{
		Spec:      Spec{Name: "dry", Units: 4, Redundant: 1, SupplyC: 28, CapacityW: 500e3, HeatJPerK: 20e6},
		DesignC:   20,
		Adiabatic: adiabatic,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plants are one of each type, by name.
func plants(t testing.TB) map[string]Plant {
	t.Helper()
	air, err := NewAirCooledChiller(AirCooledChillerParams{
		Spec: Spec{Name: "air", Units: 3, Redundant: 1, SupplyC: 14, CapacityW: 700e3}, FreeCooling: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	dx, err := NewDX(DXParams{Spec: Spec{Name: "dx", Units: 12, Redundant: 2, SupplyC: 22, CapacityW: 120e3}})
	if err != nil {
		t.Fatal(err)
	}
	side := AirSideParams{Spec: Spec{Name: "side", Units: 10, Redundant: 1, SupplyC: 24, CapacityW: 150e3}, Adiabatic: true}
	outdoorOnly, err := NewAirSideEconomizer(side)
	if err != nil {
		t.Fatal(err)
	}
	side.Trim = chilledWater(t, false)
	trimmed, err := NewAirSideEconomizer(side)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Plant{
		"chilled water":                 chilledWater(t, false),
		"chilled water with economizer": chilledWater(t, true),
		"dry cooler":                    dryCooler(t, false),
		"adiabatic cooler":              dryCooler(t, true),
		"air-cooled chiller":            air,
		"dx":                            dx,
		"outdoor air":                   outdoorOnly,
		"outdoor air with trim":         trimmed,
	}
}
