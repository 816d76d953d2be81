package cooling

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"headroom/validation"
)

// The two published parameter vectors.
func publishedAirSide() LeiMasanetAirSide {
	return LeiMasanetAirSide{
		LeiMasanetSite: LeiMasanetSite{
			UPSEfficiency: 0.980302734, DistributionLoss: 0.00560546875, Lighting: 0.00181445313,
			AirRiseK: 14.7840712, ChilledRiseK: 6.91894531, TowerRangeK: 4.28710938,
			FanPa: 685.058594, FanEfficiency: 0.829931641, TowerFanPa: 203.417969, TowerFanEff: 0.897802734,
			HumidifierPa: 7315820.31, HumidifierEff: 0.704492187, ChilledPa: 146519.937, ChilledEff: 0.790039062,
			TowerPa: 212001.820, TowerEff: 0.716601562, TowerApproachK: 6.33818359,
			ChillerLoad: 0.224023438, ChillerCOPShare: 0.105488281, TowerLiquidPerGas: 1.11914062,
		},
		SupplyMinC: 10.3671875, SupplyMaxC: 34.1953125, DewMinC: -10.4970703, DewMaxC: 15.8320312,
		RHMin: 0.0901953125, RHMax: 0.676464844,
	}
}

func publishedWaterSide() LeiMasanetWaterSide {
	return LeiMasanetWaterSide{
		LeiMasanetSite: LeiMasanetSite{
			UPSEfficiency: 0.980302734, DistributionLoss: 0.00560546875, Lighting: 0.00181445313,
			AirRiseK: 18.8856337, ChilledRiseK: 7.50488281, TowerRangeK: 4.13867188,
			FanPa: 416.992188, FanEfficiency: 0.713720703, TowerFanPa: 148.339844, TowerFanEff: 0.745947266,
			HumidifierPa: 6500976.56, HumidifierEff: 0.674023438, ChilledPa: 171884.552, ChilledEff: 0.745117188,
			TowerPa: 210534.680, TowerEff: 0.709960938, TowerApproachK: 6.50576172,
			ChillerLoad: 0.224023438, ChillerCOPShare: 0.105488281, TowerLiquidPerGas: 1.11914062,
		},
		SupplyC: 27.3671875, EconomizerPa: 156284.191, EconomizerEff: 0.668945312,
		ExchangerK: 2.29404297, HeatTransfer: 0.816601563, SensibleHeatRatio: 0.986289063,
	}
}

func TestLeiMasanetGolden(t *testing.T) {
	air, water := publishedAirSide(), publishedWaterSide()
	for _, c := range []struct{ tC, rh, airPUE, waterPUE, free float64 }{
		{20, 0.4, 1.07469, 1.08872, 1},
		{-10, 0.6, 1.07349, 1.08781, 1},
		{10, 0.5, 1.07314, 1.08842, 1},
		{25, 0.6, 1.07550, 1.21269, 0.321},
		{30, 0.5, 1.07630, 1.29713, 0},
		{35, 0.5, 1.07721, 1.34299, 0},
		{40, 0.2, 1.07863, 1.29681, 0},
		{35, 0.8, 1.41250, 1.39628, 0},
	} {
		a, w := air.Solve(c.tC, c.rh, 101325), water.Solve(c.tC, c.rh, 101325)
		at := fmt.Sprintf("%g-%g", c.tC, 100*c.rh)
		what := fmt.Sprintf(" at %g °C and %g %%", c.tC, 100*c.rh)
		source := "Lei and Masanet's published parameters (Energy 2020, doi 10.1016/j.energy.2020.117556), the model run independently; the hour at 20 °C is the authors' own"
		validation.Within("pue/golden-air-side-"+at, "air-side economizer"+what+": PUE", "", c.airPUE, 5.1e-6, source).Check(t, a.PUE)
		validation.Within("pue/golden-water-side-"+at, "water-side economizer"+what+": PUE", "", c.waterPUE, 5.1e-6, source).Check(t, w.PUE)
		validation.Within("pue/golden-free-share-"+at, "water-side economizer"+what+": share of free cooling", "", c.free, 5.1e-4, source).Check(t, w.FreeShare)
	}
}

// A thousand random hours against an independent implementation in another language, which also reproduces
// the two values the authors publish.
func TestLeiMasanetRandomHours(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "lei_masanet.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1001 {
		t.Fatalf("%d rows", len(rows))
	}
	air, water := publishedAirSide(), publishedWaterSide()
	for _, row := range rows[1:] {
		var x [7]float64
		for i := range x {
			if x[i], err = strconv.ParseFloat(row[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		a, w := air.Solve(x[0], x[1]/100, x[2]), water.Solve(x[0], x[1]/100, x[2])
		near(t, "air-side PUE", a.PUE, x[3], 1e-8)
		near(t, "water-side PUE", w.PUE, x[4], 1e-8)
		near(t, "water in the air", a.HumidifierKgPerMJ, x[5], 1e-8)
		near(t, "free share", w.FreeShare, x[6], 1e-8)
		if t.Failed() {
			t.Fatalf("at %v", row)
		}
	}
}
