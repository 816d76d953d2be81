package cooling

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"headroom/facility/catalog"
	"headroom/facility/weather"
	"headroom/validation"
)

// The ten cases of Lei & Masanet, "Climate- and technology-specific PUE and WUE estimations for U.S. data
// centers", Resources, Conservation & Recycling 182:106323 (2022), with the middle of each published parameter
// range loaded into the plants of this package. What a range has no counterpart for here is said where it is left.

// leiCase is one case: the middles of its ranges.
type leiCase struct {
	name                        string
	ups, distribution, lighting float64 // efficiency; shares of IT
	fanPa, fanEfficiency        float64
	airRiseK                    float64
	sensible                    float64 // share of the coils' duty
	waterC                      float64 // chilled water
	riseK                       float64 // of the chilled water
	load, copShare              float64 // of the chillers
	cycles, windage             float64
	kind                        string
	airSide                     bool // air-side economizer
	adiabatic                   bool
	supplyMinC, supplyC         float64 // of the air-side economizer
	dewMinC, dewMaxC            float64
	rhMin, rhMax                float64 // the published code humidifies C1 to 20 %
	lockout                     bool    // midsize halls do not humidify outdoor air: dampers close
}

// Middles of ranges that several cases share: coil effectiveness, windage, cycles of concentration.
const (
	leiHTELarge, leiHTEMid = 0.80, 0.775
	leiWindage             = (0.00005 + 0.005) / 2
	leiCyclesLarge         = 9.0
	leiCyclesMid           = 7.5
	leiSensible            = 0.97
	leiHyperUPS            = 0.945
	leiMidUPS, leiSmallUPS = 0.87, 0.81
)

// chilledC is the chilled water that a coil of an effectiveness needs to cool return air to supplyC.
func chilledC(supplyC, riseK, effectiveness float64) float64 {
	return supplyC + riseK - riseK/effectiveness
}

var leiCases = []leiCase{
	{
		name: "C1", ups: leiHyperUPS, distribution: 0.01, lighting: 0.001, fanPa: 650, fanEfficiency: 0.775, airRiseK: 16.65,
		sensible: leiSensible, waterC: chilledC(31, 16.65, leiHTELarge), riseK: 7.5, load: 0.5, copShare: 0,
		cycles: leiCyclesLarge, windage: leiWindage, kind: "water", airSide: true, adiabatic: true,
		supplyMinC: 14, supplyC: 31, dewMinC: -10.5, dewMaxC: 21, rhMin: 0.2, rhMax: 0.775,
	},
	{
		name: "C2", ups: leiHyperUPS, distribution: 0.01, lighting: 0.001, fanPa: 500, fanEfficiency: 0.775, airRiseK: 16.65,
		sensible: leiSensible, waterC: chilledC(31, 16.65, leiHTELarge), riseK: 7.5, load: 0.5, copShare: 0,
		cycles: leiCyclesLarge, windage: leiWindage, kind: "water economizer",
	},
	{
		name: "C3", ups: leiMidUPS, distribution: 0.035, lighting: 0.035, fanPa: 700, fanEfficiency: 0.70, airRiseK: 7.5,
		sensible: leiSensible, waterC: leiRatedC, riseK: 7.5, load: 0.3, copShare: -0.2,
		cycles: leiCyclesMid, windage: leiWindage, kind: "water", airSide: true,
		supplyMinC: 16.5, supplyC: 29.5, dewMinC: -10.5, dewMaxC: 21, rhMin: 0.2, rhMax: 0.7, lockout: true,
	},
	{
		name: "C4", ups: leiMidUPS, distribution: 0.035, lighting: 0.035, fanPa: 650, fanEfficiency: 0.70, airRiseK: 7.5,
		sensible: leiSensible, waterC: chilledC(29.5, 7.5, leiHTEMid), riseK: 7.5, load: 0.3, copShare: -0.2,
		cycles: leiCyclesMid, windage: leiWindage, kind: "water economizer",
	},
	{
		name: "C5", ups: leiMidUPS, distribution: 0.035, lighting: 0.035, fanPa: 650, fanEfficiency: 0.70, airRiseK: 7.5,
		sensible: leiSensible, waterC: leiRatedC, riseK: 7.5, load: 0.3, copShare: -0.2,
		cycles: leiCyclesMid, windage: leiWindage, kind: "water",
	},
	{
		name: "C6", ups: leiMidUPS, distribution: 0.035, lighting: 0.035, fanPa: 700, fanEfficiency: 0.70, airRiseK: 7.5,
		sensible: leiSensible, waterC: leiRatedC, riseK: 7.5, load: 0.3, copShare: -0.325,
		kind: "air", airSide: true,
		supplyMinC: 16.5, supplyC: 29.5, dewMinC: -10.5, dewMaxC: 21, rhMin: 0.2, rhMax: 0.7, lockout: true,
	},
	{
		name: "C7", ups: leiMidUPS, distribution: 0.035, lighting: 0.035, fanPa: 650, fanEfficiency: 0.70, airRiseK: 7.5,
		sensible: leiSensible, waterC: leiRatedC, riseK: 7.5, load: 0.3, copShare: -0.325, kind: "air",
	},
	{
		name: "C8", ups: leiSmallUPS, distribution: 0.03, lighting: 0.03, fanPa: 650, fanEfficiency: 0.675, airRiseK: 6.5,
		sensible: leiSensible, waterC: leiRatedC, riseK: 7.5, load: 0.3, copShare: -0.4,
		cycles: leiCyclesMid, windage: leiWindage, kind: "water",
	},
	{
		name: "C9", ups: leiSmallUPS, distribution: 0.03, lighting: 0.03, fanPa: 650, fanEfficiency: 0.675, airRiseK: 6.5,
		sensible: leiSensible, waterC: leiRatedC, riseK: 7.5, load: 0.3, copShare: -0.375, kind: "air",
	},
	{
		name: "C10", ups: leiSmallUPS, distribution: 0.03, lighting: 0.03, fanPa: 500, fanEfficiency: 0.675, airRiseK: 6.5,
		sensible: leiSensible, waterC: 13, copShare: -0.1, kind: "dx",
	},
}

// leiRatedC is the chilled water of plants whose range of supply air the study does not state: the COP
// regression carries none, so it is where its chillers are rated.
const leiRatedC = 7.22

// leiTowerFan is the tower fan's power per W rejected: air at twice the water's mass ratio the other way round (L/G
// 2), a range of 5 K, 200 Pa and an efficiency of 0.8.
const leiTowerFan = 1 / (4200.0 * 5) / 2 / 1.2 * 200 / 0.8

// chillerCOP is what the study's regression gives in the middle of a case's ranges with condenser water
// (air-cooled: outdoor air) of y °C.
func (c *leiCase) chillerCOP(y float64) float64 { return LeiMasanetCOP(c.load, y) * (1 + c.copShare) }

// plant makes the case's plant for a hall that rejects heatW, and says whether its rooms are Direct.
func (c *leiCase) plant(t testing.TB, heatW float64) Plant {
	t.Helper()
	must := func(p Plant, err error) Plant {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		return p
	}
	// The study's tower water follows the heat; its chillers' load share only sets their COP. So units are as large
	// as the hall, loaded to full, with the COP of that share.
	const units, full = 4, 0.85
	unitW := heatW / units / full
	spec := Spec{Name: c.name, Units: units, CapacityW: unitW, SupplyC: c.waterC}
	pump := PumpParams{RiseK: c.riseK}
	var main Plant
	switch c.kind {
	case "dx":
		// The COP's relative error; supply air of 13 °C, the usual coil of a small room, as its range is not stated.
		return must(NewDX(DXParams{Spec: Spec{Name: c.name, Units: 10, CapacityW: heatW / 8, SupplyC: c.waterC}, Carnot: 0.45 * (1 + c.copShare)}))
	case "air":
		// The regression is one of condenser water; air-cooled condensers stand 10 K above their air for it (assumed).
		const ratedC = 35 + 10
		main = must(NewAirCooledChiller(AirCooledChillerParams{Spec: spec, Pump: pump, StageAt: full, COP: c.chillerCOP(ratedC)}))
	default:
		const ratedC = 26.67
		// The curves give the regression's COP at the case's load and the rated condenser water.
		curves, ok := plantData(t).Chiller("york-yk-1881-vanes")
		if !ok {
			t.Fatal("no chiller")
		}
		partLoad := (curves.PartLoad[0] + full*(curves.PartLoad[1]+full*curves.PartLoad[2])) / full
		main = must(NewChilledWater(ChilledWaterParams{
			Spec: spec, Pump: pump, StageAt: full, COP: c.chillerCOP(ratedC) * partLoad,
			CondenserPump: PumpParams{RiseK: 5, HeadKPa: 209, Efficiency: 0.7}, TowerFanWPerW: leiTowerFan,
			Economizer: c.kind == "water economizer", ExchangerApproachK: 2.25, Cycles: c.cycles, DriftShare: c.windage,
		}))
	}
	if !c.airSide {
		return main
	}
	return must(NewAirSideEconomizer(AirSideParams{
		Spec:  Spec{Name: c.name, Units: 10, CapacityW: heatW / 8, SupplyC: c.supplyC},
		RiseK: c.airRiseK, IntakePa: 1e-6, // the fan pressure of the case holds intake and room
		SupplyMinC: c.supplyMinC, DewMinC: c.dewMinC, DewMaxC: c.dewMaxC, RHMin: c.rhMin, RHMax: c.rhMax, DryLockout: c.lockout, Adiabatic: c.adiabatic, Cycles: 1e9, Trim: main,
	}))
}

// year is the case's annual PUE and WUE (L/kWh) over a climate, and how often a curve was left.
func (c *leiCase) year(t testing.TB, s *weather.Series) (pue, wue float64, extrapolated int) {
	const itW = 1e6
	heat0 := itW/c.ups + itW*(1/(1-c.distribution)-1+c.lighting)
	p := c.plant(t, heat0*1.15)
	for _, x := range s.Samples {
		out := FromSample(x)
		density := AirDensityKgM3(out.PressurePa, 25)
		fanW := heat0 / (airCpJPerKgK * c.airRiseK) / density * c.fanPa / c.fanEfficiency
		heatW := heat0 + fanW
		spec := p.Spec()
		l := Load{HeatW: heatW, Units: spec.Units, SetC: spec.SupplyC, Out: out}
		var pt PlantPoint
		latentKgS := 0.0
		if c.airSide {
			l.ReturnC = min(spec.SupplyC, max(out.DryBulbC, c.supplyMinC)) + heatW/(heat0/c.airRiseK)
			pt = p.Solve(l)
			latentW := (1 - pt.FreeShare) * heatW * (1/c.sensible - 1)
			pt.CompressorW /= c.sensible
			latentKgS = latentW / VaporizationJPerKg(25)
		} else {
			// The coils dry the air, which has to be moistened again: latent duty, and its water.
			latentW := heatW * (1/c.sensible - 1)
			l.HeatW += latentW
			l.ReturnC = spec.SupplyC + c.riseK
			pt = p.Solve(l)
			latentKgS = latentW / VaporizationJPerKg(25)
		}
		pue += (heat0 + fanW + pt.ElectricalW()) / itW
		wue += (pt.EvaporationKgS + pt.BlowdownKgS + pt.DriftKgS + latentKgS) * 3600 / (itW / 1000)
		extrapolated += pt.Extrapolated
	}
	n := float64(len(s.Samples))
	return pue / n, wue / n, extrapolated
}

// leiRanges are the 5th and 95th percentiles the study prints by zone and case: PUE, then WUE.
var leiRanges = map[string][10][4]float64{
	"1A": {
		{1.17, 1.34, 0.77, 2.36},
		{1.11, 1.29, 1.76, 2.63},
		{1.47, 1.76, 1.60, 2.88},
		{1.30, 1.64, 2.03, 3.02},
		{1.50, 1.79, 2.51, 3.74},
		{1.62, 2.25, 0.02, 0.07},
		{1.73, 2.45, 0.02, 0.10},
		{1.71, 2.08, 2.85, 4.29},
		{1.94, 2.69, 0.03, 0.10},
		{1.99, 2.52, 0.03, 0.10},
	},
	"2B": {
		{1.13, 1.25, 0.47, 1.12},
		{1.08, 1.20, 1.75, 2.62},
		{1.39, 1.67, 1.01, 2.13},
		{1.27, 1.51, 2.01, 3.00},
		{1.48, 1.77, 2.44, 3.64},
		{1.59, 2.06, 0.01, 0.05},
		{1.75, 2.44, 0.02, 0.10},
		{1.68, 2.03, 2.76, 4.15},
		{1.96, 2.68, 0.03, 0.10},
		{2.02, 2.57, 0.03, 0.10},
	},
	"3C": {
		{1.09, 1.23, 0.00, 1.14},
		{1.07, 1.18, 1.75, 2.61},
		{1.31, 1.59, 0.08, 1.51},
		{1.26, 1.49, 2.01, 3.00},
		{1.47, 1.75, 2.42, 3.62},
		{1.32, 1.60, 0.00, 0.04},
		{1.51, 1.91, 0.02, 0.10},
		{1.67, 2.00, 2.73, 4.11},
		{1.69, 2.05, 0.03, 0.10},
		{1.85, 2.28, 0.03, 0.10},
	},
	"4A": {
		{1.11, 1.22, 0.27, 0.83},
		{1.08, 1.20, 1.74, 2.61},
		{1.38, 1.64, 0.97, 1.93},
		{1.27, 1.51, 2.01, 3.00},
		{1.47, 1.75, 2.42, 3.61},
		{1.43, 1.70, 0.01, 0.05},
		{1.54, 1.99, 0.02, 0.10},
		{1.67, 2.00, 2.73, 4.11},
		{1.72, 2.14, 0.03, 0.10},
		{1.89, 2.35, 0.03, 0.10},
	},
	"5B": {
		{1.09, 1.20, 0.04, 0.30},
		{1.08, 1.19, 1.74, 2.60},
		{1.38, 1.68, 0.76, 2.16},
		{1.29, 1.53, 2.00, 2.99},
		{1.48, 1.77, 2.39, 3.56},
		{1.41, 1.68, 0.01, 0.05},
		{1.53, 1.96, 0.02, 0.10},
		{1.68, 2.02, 2.68, 4.03},
		{1.71, 2.11, 0.03, 0.10},
		{1.91, 2.36, 0.03, 0.10},
	},
	"6A": {
		{1.10, 1.20, 0.15, 0.52},
		{1.08, 1.19, 1.73, 2.60},
		{1.37, 1.64, 1.06, 1.93},
		{1.27, 1.50, 2.00, 2.99},
		{1.46, 1.74, 2.39, 3.56},
		{1.38, 1.61, 0.01, 0.05},
		{1.49, 1.87, 0.02, 0.10},
		{1.66, 1.98, 2.68, 4.03},
		{1.65, 2.00, 0.03, 0.10},
		{1.87, 2.31, 0.03, 0.10},
	},
	"8": {
		{1.08, 1.17, 0.04, 0.22},
		{1.07, 1.18, 1.72, 2.59},
		{1.38, 1.64, 1.21, 2.23},
		{1.27, 1.50, 1.98, 2.97},
		{1.45, 1.73, 2.34, 3.50},
		{1.35, 1.56, 0.01, 0.06},
		{1.43, 1.74, 0.02, 0.10},
		{1.64, 1.94, 2.62, 3.95},
		{1.58, 1.85, 0.03, 0.10},
		{1.85, 2.27, 0.03, 0.10},
	},
}

// TestLeiMasanetCases holds our plants with each case's parameters to the study's ranges. At most a tenth of
// the cells may miss; docs/pue.md names each.
func TestLeiMasanetCases(t *testing.T) {
	data, err := os.ReadFile("testdata/zones.yaml")
	if err != nil {
		t.Fatal(err)
	}
	zones, err := catalog.ReadClimates(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	cells, missed := 0, 0
	var misses []string
	var ours strings.Builder
	own := tabwriter.NewWriter(&ours, 0, 0, 2, ' ', tabwriter.AlignRight)
	plants := annualCases(t)
	fmt.Fprint(own, "zone\t")
	for _, c := range plants {
		fmt.Fprint(own, c.name, "\t")
	}
	fmt.Fprintln(own)
	for i := range zones {
		zone := strings.TrimPrefix(zones[i].City, "Zone ")
		ranges, ok := leiRanges[zone]
		if !ok {
			t.Fatalf("no ranges for %s", zone)
		}
		s, err := weather.FromClimate(&zones[i])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "%s\t", zone)
		for k := range leiCases {
			pue, wue, _ := leiCases[k].year(t, s)
			if !(pue >= 1) || math.IsInf(pue, 0) {
				t.Errorf("%s %s: PUE %v", zone, leiCases[k].name, pue)
			}
			r := ranges[k]
			mark := func(v float64, lo, hi float64, unit string) string {
				cells++
				// The study prints two decimals.
				id := fmt.Sprintf("pue/study-%s-zone-%s-%s", strings.ToLower(leiCases[k].name), strings.ToLower(zone), strings.ToLower(unit))
				validation.Range(id, fmt.Sprintf("case %s in climate zone %s: %s", leiCases[k].name, zone, unit), map[string]string{"WUE": "L/kWh"}[unit], lo-0.005, hi+0.005,
					"Lei and Masanet, Resources, Conservation and Recycling 182:106323 (2022), 5th to 95th percentile; the middle of each parameter's range loaded").Check(t, v)
				if v >= lo-0.005 && v <= hi+0.005 {
					return ""
				}
				missed++
				misses = append(misses, fmt.Sprintf("%s %s: %s %.3f, study %.2f–%.2f", leiCases[k].name, zone, unit, v, lo, hi))
				return "*"
			}
			fmt.Fprintf(w, "%.3f%s %.2f%s\t", pue, mark(pue, r[0], r[1], "PUE"), wue, mark(wue, r[2], r[3], "WUE"))
		}
		fmt.Fprintln(w)
		fmt.Fprintf(own, "%s\t", zone)
		for k := range plants {
			pue, wue := plants[k].year(s)
			fmt.Fprintf(own, "%.3f %.2f\t", pue, wue)
		}
		fmt.Fprintln(own)
	}
	own.Flush()
	t.Logf("our plants as they come, without electrical losses (not judged)\n%s", ours.String())
	w.Flush()
	t.Logf("PUE and WUE by zone (rows) and case, * outside the study's range\n%s%d of %d cells outside:\n%s", table.String(), missed, cells, strings.Join(misses, "\n"))
	if missed*10 > cells {
		t.Errorf("%d of %d cells outside the study's ranges, at most a tenth may be", missed, cells)
	}
}
