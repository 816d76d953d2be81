package cooling

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility/weather"
)

// The dry cooler of the catalogue at its own rating: full fans, set-point just held.
func TestDryCoolerAtItsRating(t *testing.T) {
	c, ok := plantData(t).DryCooler("bac-tdfs1238n")
	if !ok {
		t.Fatal("not in the catalogue")
	}
	d, err := NewDryCooler(DryCoolerParams{
		Spec:   Spec{Name: "bac", Units: 2, SupplyC: c.CoolantOutC, CapacityW: c.CapacityW},
		Cooler: c.Name, DesignC: c.AirC,
	})
	if err != nil {
		t.Fatal(err)
	}
	out := outdoor(35, 0.3)
	near(t, "capacity", CapacityAt(d, 2, out), 2*c.CapacityW, 1)
	p := d.Solve(Load{HeatW: 2*c.CapacityW - 1, ReturnC: c.CoolantInC, Units: 2, SetC: c.CoolantOutC, Out: out})
	near(t, "fans", p.RejectionW, 2*c.FanW, 1)
	if !p.Held {
		t.Errorf("not held: %+v", p)
	}
	// Five kelvin warmer: the supply warms by as much, less what warmer thinner air changes.
	p = d.Solve(Load{HeatW: 2 * c.CapacityW, ReturnC: c.CoolantInC, Units: 2, SetC: c.CoolantOutC, Out: outdoor(40, 0.3)})
	near(t, "supply at 40 °C", p.SupplyC, c.CoolantOutC+5, 0.2)
	if p.Held {
		t.Error("held on a hot day")
	}
}

// A warm-water loop whose rating is a hot day and whose set-point is cooler: it has its capacity on that day
// at the rated supply, and none at the set-point.
func TestDryCoolerDesignDay(t *testing.T) {
	spec := Spec{Name: "warm", Units: 4, Redundant: 1, SupplyC: 29, CapacityW: 400e3}
	hot, cool := outdoor(38, 0.3), outdoor(15, 0.5)
	d, err := NewDryCooler(DryCoolerParams{Spec: spec, DesignC: 38})
	if err != nil {
		t.Fatal(err)
	}
	spec.WarmestC = 46
	w, err := NewDryCooler(DryCoolerParams{Spec: spec, DesignC: 38})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "at 46 °C", CapacityAt(w, 3, hot), 1.2e6, 1)
	near(t, "at the set-point", CapacityAt(d, 3, hot), 0, 0)
	near(t, "on a cool day", CapacityAt(w, 3, cool), CapacityAt(d, 3, cool), 0)
	p := d.Solve(Load{HeatW: 1.2e6, ReturnC: 37, Units: 3, SetC: 29, Out: hot})
	near(t, "supply", p.SupplyC, 46, 1e-6)
	near(t, "power", ElectricalAt(d, 3, 1.2e6, 37, hot), p.RejectionW+p.PumpW, 0)
}

// The fan speed that Solve finds gives the duty at the set-point, by the exchanger's own equation.
func TestDryCoolerFans(t *testing.T) {
	d := dryCooler(t, false)
	rapid.Check(t, func(t *rapid.T) {
		l := Load{
			HeatW: rapid.Float64Range(5e4, 2e6).Draw(t, "heat"), Units: rapid.IntRange(1, 4).Draw(t, "units"), SetC: 28,
			Out: outdoor(rapid.Float64Range(-30, 27).Draw(t, "dry bulb"), 0.5),
		}
		l.ReturnC = l.SetC + rapid.Float64Range(1, 12).Draw(t, "rise")
		p := d.Solve(l)
		n := float64(l.Units)
		density := airShare(l.Out.PressurePa, l.Out.DryBulbC, d.params.DesignC)
		fan := math.Cbrt(p.RejectionW / (n * d.fanW * density))
		if !p.Held || fan < d.params.FanMin*1.0001 {
			return
		}
		water := newCircuit(l, &d.params.Spec, d.params.Pump.RiseK)
		ua := n * d.ua / (0.5*math.Pow(fan*density, -0.8) + 0.5*math.Pow(water.waterW/(n*d.waterW), -0.85))
		duty := exchangeWPerK(ua, water.waterW, n*d.airW*density*fan) * (l.SetC + water.riseK - l.Out.DryBulbC)
		if math.Abs(duty-l.HeatW) > 1e-5*l.HeatW {
			t.Fatalf("fans at %v give %v W of %v", fan, duty, l.HeatW)
		}
	})
}

// Pads are wetted no more than needed, and water is used only then.
func TestAdiabaticPads(t *testing.T) {
	dry, wet := dryCooler(t, false), dryCooler(t, true)
	load := Load{HeatW: 1.2e6, ReturnC: 34, Units: 4, SetC: 28, Out: outdoor(20, 0.5)}
	if p := wet.Solve(load); p.EvaporationKgS != 0 {
		t.Errorf("pads run on a mild day: %+v", p)
	}
	load.Out = outdoor(26, 0.4)
	d, w := dry.Solve(load), wet.Solve(load)
	if d.Held || !w.Held || w.EvaporationKgS <= 0 || w.BlowdownKgS != w.EvaporationKgS/4 {
		t.Errorf("dry %+v, wet %+v", d, w)
	}
}

// Economizer modes against the rule of Lei & Masanet, each by hand from the tower's water.
func TestEconomizerModes(t *testing.T) {
	c, tower := chilledWater(t, true), yorkCalc(t)
	for _, k := range []struct {
		name           string
		dryBulbC, rh   float64
		lo, hi         float64
		wantCompressor bool
	}{
		{"full", 5, 0.6, 1, 1, false},
		{"partial", 18, 0.7, 0.05, 0.95, true},
		{"off", 30, 0.6, 0, 0, true},
	} {
		p := c.Solve(Load{HeatW: 1.12e6, ReturnC: 24, Units: 3, SetC: 18, Out: outdoor(k.dryBulbC, k.rh)})
		if p.FreeShare < k.lo || p.FreeShare > k.hi || (p.CompressorW > 0) != k.wantCompressor || !p.Held {
			t.Errorf("%s: %+v", k.name, p)
		}
		// Two cells carry 1.12 MW at 0.8 of 700 kW.
		rangeK := (1.12e6 + p.CompressorW) / (2 * c.condenserWPerK)
		approachK, _ := TowerApproachK(&tower, outdoor(k.dryBulbC, k.rh).WetBulbC, rangeK, 1)
		x := outdoor(k.dryBulbC, k.rh).WetBulbC + approachK + 2
		near(t, k.name+" share", p.FreeShare, clamp01((24-x)/6), 1e-4)
	}
}

// Chilled water by hand: full load of one chiller inside its box.
func TestChilledWaterInsideTheBox(t *testing.T) {
	p, err := NewChilledWater(ChilledWaterParams{
		Spec:    Spec{Name: "one", Units: 1, SupplyC: 8.89, CapacityW: 1881400},
		Chiller: "york-yk-1881-vanes",
	})
	if err != nil {
		t.Fatal(err)
	}
	out := outdoor(26, 0.55)
	pt := p.Solve(Load{HeatW: 1.5e6, ReturnC: 14.89, Units: 1, SetC: 8.89, Out: out})
	tower := yorkCalc(t)
	approachK, _ := TowerApproachK(&tower, out.WetBulbC, (1.5e6+pt.CompressorW)/p.condenserWPerK, 1)
	want, _, _, _ := ChillerPower(catalogueChiller(t, "york-yk-1881-vanes"), 1.5e6, 8.89, out.WetBulbC+approachK)
	near(t, "compressor", pt.CompressorW, want, 1e-4*want)
	if pt.Extrapolated != 0 {
		t.Errorf("counted %d extrapolations inside the box", pt.Extrapolated)
	}
	// Pumps: head × flow / efficiency.
	chilled := 144e3 * 1.8814e6 / (6 * waterHeatJPerM3K) / 0.7 * math.Pow(1.5/1.8814, 3)
	near(t, "pumps", pt.PumpW, chilled+p.condenserPumpW, 1)
	near(t, "condenser pump", p.condenserPumpW, 209e3*1.8814e6*(1+1/6.53)/(5.56*waterHeatJPerM3K)/0.7, 10)
	near(t, "blowdown", pt.BlowdownKgS, pt.EvaporationKgS/4-pt.DriftKgS, 1e-12)
}

// A hot humid day on one chiller less than needed: the supply warms until the heat is taken.
func TestChilledWaterShort(t *testing.T) {
	c := chilledWater(t, true)
	l := Load{HeatW: 1.2e6, ReturnC: 24, Units: 1, SetC: 18, Out: outdoor(35, 0.6)}
	p := c.Solve(l)
	if p.Held || p.SupplyC <= 18 {
		t.Fatalf("one chiller holds: %+v", p)
	}
	near(t, "supply", p.SupplyC, 18+(1.2e6-p.CapacityW)/p.WPerK, 1e-9)
	if two := c.Solve(Load{HeatW: 1.2e6, ReturnC: 24, Units: 3, SetC: 18, Out: l.Out}); !two.Held {
		t.Errorf("three do not hold: %+v", two)
	}
}

// Seasonal sense: a chiller plant draws no less on a hotter, moister day, but for what tower fans save in
// thinner air and a curve finds in a warmer condenser.
func TestPowerRisesWithWetBulb(t *testing.T) {
	for _, economizer := range []bool{false, true} {
		c := chilledWater(t, economizer)
		most := 0.0
		for wetBulb := -20.0; wetBulb <= 32; wetBulb += 0.5 {
			p := c.Solve(Load{HeatW: 1.2e6, ReturnC: 24, Units: 3, SetC: 18, Out: outdoor(wetBulb, 1)})
			total := p.ElectricalW()
			if total < most*0.98 {
				t.Errorf("economizer %v, wet bulb %v: %v W after %v", economizer, wetBulb, total, most)
			}
			most = max(most, total)
		}
	}
}

// Where the defaults land: COP of the whole plant, and water. Ranges of planning figures.
func TestPlantFigures(t *testing.T) {
	c := chilledWater(t, false)
	p := c.Solve(Load{HeatW: 1.4e6, ReturnC: 24, Units: 3, SetC: 18, Out: outdoor(30, 0.5)})
	if cop := 1.4e6 / p.CompressorW; cop < 7 || cop > 11 {
		t.Errorf("18 °C water on a 30 °C day: chillers at COP %v", cop)
	}
	if litres := p.EvaporationKgS * 3600 / 1400; litres < 1.2 || litres > 1.8 {
		t.Errorf("%v L evaporated per kWh", litres)
	}
	cold, err := NewChilledWater(ChilledWaterParams{Spec: Spec{Name: "cold", Units: 3, Redundant: 1, SupplyC: 8.89, CapacityW: 700e3}})
	if err != nil {
		t.Fatal(err)
	}
	p = cold.Solve(Load{HeatW: 1.3e6, ReturnC: 14.89, Units: 3, SetC: 8.89, Out: outdoor(30, 0.5)})
	if share := (p.CompressorW + p.RejectionW + p.PumpW) / 1.3e6; share < 0.15 || share > 0.27 {
		t.Errorf("9 °C water: %v W per W", share)
	}
	dx := plants(t)["dx"]
	p = dx.Solve(Load{HeatW: 1e6, ReturnC: 35, Units: 10, SetC: 22, Out: outdoor(35, 0.4)})
	if cop := 1e6 / p.ElectricalW(); cop < 2.5 || cop > 3.5 {
		t.Errorf("DX at 35 °C: COP %v", cop)
	}
}

func drawLoad(t *rapid.T, s Spec) Load {
	l := Load{
		HeatW: rapid.OneOf(rapid.Float64Range(0, 3e6), rapid.Just(0.0), rapid.Just(1e-3), rapid.Just(1e11)).Draw(t, "heat"),
		Units: rapid.IntRange(0, s.Units+1).Draw(t, "units"),
		SetC:  s.SupplyC,
		Out: FromSample(weather.Sample{
			DryBulbC:   rapid.Float64Range(-40, 55).Draw(t, "dry bulb"),
			RH:         rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(0.0), rapid.Just(1.0)).Draw(t, "rh"),
			PressurePa: rapid.Float64Range(65e3, 104e3).Draw(t, "pressure"),
		}),
	}
	l.ReturnC = l.SetC + rapid.OneOf(rapid.Float64Range(-5, 20), rapid.Just(6.0)).Draw(t, "rise")
	return l
}

func TestPlantProperties(t *testing.T) {
	all := plants(t)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		plant := all[name]
		s := plant.Spec()
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				l := drawLoad(t, s)
				p := plant.Solve(l)
				finite(t, name, p)
				for _, x := range []float64{p.CompressorW, p.RejectionW, p.PumpW, p.EvaporationKgS, p.BlowdownKgS, p.DriftKgS, p.CapacityW} {
					if x < 0 {
						t.Fatalf("negative: %+v", p)
					}
				}
				if p.FreeShare < 0 || p.FreeShare > 1 || p.WPerK <= 0 || p.SupplyC < l.SetC || p.Held != (p.SupplyC == l.SetC) {
					t.Fatalf("%+v gives %+v", l, p)
				}
				if p.ElectricalW() > 1.2*l.HeatW+1e6 {
					t.Fatalf("draws more than makes sense: %+v", p)
				}
				more := l
				more.Units++
				if q := plant.Solve(more); q.SupplyC > p.SupplyC+1e-9*math.Abs(p.SupplyC) {
					t.Fatalf("%d units: %+v; one more: %+v", l.Units, p, q)
				}
				cooler := l
				cooler.Out = FromSample(weather.Sample{DryBulbC: l.Out.DryBulbC - 1, RH: l.Out.RH, PressurePa: l.Out.PressurePa})
				// Room for a capacity curve that dips a little towards a cold condenser.
				if q := plant.Solve(cooler); q.SupplyC > p.SupplyC+0.01*(p.SupplyC-l.SetC)+0.05 && l.Units > 0 {
					t.Fatalf("a cooler day is warmer: %+v then %+v", p, q)
				}
				if l.Units == 0 || l.HeatW < 1 { // a plant without heat is off
					return
				}
				// Continuity in heat and return. (Weather is a step every hour; DewMaxC and pads are switches in it.)
				for i := range 2 {
					d := l
					if i == 0 {
						d.HeatW = l.HeatW*(1+1e-9) + 1e-9
					} else {
						d.ReturnC += 1e-8
					}
					q := plant.Solve(d)
					if math.Abs(q.SupplyC-p.SupplyC) > 1e-5*(1+math.Abs(p.SupplyC)) || math.Abs(q.ElectricalW()-p.ElectricalW()) > 0.1+1e-5*p.ElectricalW() ||
						math.Abs(q.EvaporationKgS-p.EvaporationKgS) > 1e-3+1e-5*p.EvaporationKgS {
						t.Fatalf("input %d: %+v then %+v", i, p, q)
					}
				}
			})
		})
	}
}

// Wrong parameters: all of them named at once.
func TestPlantErrors(t *testing.T) {
	_, err := NewChilledWater(ChilledWaterParams{Spec: Spec{Name: "x", Units: 0, CapacityW: -1, SupplyC: math.NaN()}, Chiller: "fridge"})
	for _, want := range []string{"0 units", "capacity", "set-point", "fridge"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %q", err, want)
		}
	}
	good := Spec{Name: "x", Units: 2, CapacityW: 1e6, SupplyC: 18}
	for what, err := range map[string]error{
		"air chiller on a tower": second(NewChilledWater(ChilledWaterParams{Spec: good, Chiller: "york-ycal-101-air"})),
		"water chiller in air":   second(NewAirCooledChiller(AirCooledChillerParams{Spec: good, Chiller: "york-yk-1881-vanes"})),
		"cycles":                 second(NewChilledWater(ChilledWaterParams{Spec: good, Cycles: 0.5})),
		"stage":                  second(NewChilledWater(ChilledWaterParams{Spec: good, StageAt: 2})),
		"approach":               second(NewDryCooler(DryCoolerParams{Spec: good, ApproachK: -1})),
		"cooler":                 second(NewDryCooler(DryCoolerParams{Spec: good, Cooler: "fridge"})),
		"air rise":               second(NewDryCooler(DryCoolerParams{Spec: good, DesignC: 10, AirRiseK: 30})),
		"Carnot":                 second(NewDX(DXParams{Spec: good, Carnot: 1.5})),
		"all redundant":          second(NewDX(DXParams{Spec: Spec{Name: "x", Units: 2, Redundant: 2, CapacityW: 1, SupplyC: 20}})),
		"pads":                   second(NewAirSideEconomizer(AirSideParams{Spec: good, PadEffectiveness: 2})),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func second[T any](_ T, err error) error { return err }
