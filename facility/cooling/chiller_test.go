package cooling

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility/catalog"
	"headroom/validation"
)

func catalogueChiller(t testing.TB, name string) catalog.Chiller {
	t.Helper()
	c, ok := plantData(t).Chiller(name)
	if !ok {
		t.Fatalf("chiller %q is not in the catalogue", name)
	}
	return c
}

// Golden values of the EIR curves, computed with an independent evaluator.
func TestChillerGolden(t *testing.T) {
	for _, c := range []struct {
		name                                              string
		load, x, y, capacity, eir, partLoad, powerKW, cop float64
	}{
		{"york-yk-1881-vanes", 1, 8.89, 26.67, 1.00223, 0.99933, 0.99816, 288.03, 6.532},
		{"york-yk-1881-vanes", 0.5, 8.89, 21.67, 1.10180, 0.89540, 0.35162, 99.94, 9.412},
		{"trane-cvhe-1442-vsd", 1, 5.56, 23.89, 0.97841, 0.98982, 1.03244, 218.10, 6.611},
		{"trane-cvhe-1442-vsd", 0.5, 5.56, 18.89, 1.01500, 0.86753, 0.39403, 75.68, 9.526},
		{"doe2-centrifugal", 1, 6.67, 29.4, 1.00334, 0.99909, 0.99587, 18.15, 5.509},
		{"york-ycal-101-air", 1, 6.67, 35, 1.04916, 1.02081, 0.95315, 33.12, 3.037},
	} {
		chiller := catalogueChiller(t, c.name)
		powerW, capacity, eir, partLoad := ChillerPower(chiller, c.load*chiller.CapacityW, c.x, c.y)
		near(t, c.name+" capacity", capacity, c.capacity, 6e-6)
		near(t, c.name+" EIR", eir, c.eir, 6e-6)
		near(t, c.name+" part load", partLoad, c.partLoad, 6e-6)
		id := fmt.Sprintf("chiller/%s-%g", c.name, 100*c.load)
		what := fmt.Sprintf("%s at %g %% load, water %g °C, condenser %g °C", c.name, 100*c.load, c.x, c.y)
		const source = "the chiller's curves (Modelica Buildings Library, EnergyPlus EIR form), evaluated independently"
		validation.Within(id+"-power", what+": power", "kW", c.powerKW, 6e-3, source).Check(t, powerW/1e3)
		validation.Within(id+"-cop", what+": COP", "", c.cop, 6e-4, source).Check(t, c.load*chiller.CapacityW/powerW)
	}
}

// Every chiller of the catalogue, anywhere: finite, COP at most MaxCOP, the edge of the box reached without a
// jump, less capacity and a worse COP the hotter the condenser once it is above the box.
func TestChillerOutsideItsBox(t *testing.T) {
	data := plantData(t)
	for _, c := range data.Chillers {
		curve := newChillerCurve(c)
		rapid.Check(t, func(t *rapid.T) {
			x := rapid.Float64Range(-5, 45).Draw(t, "x")
			y := rapid.Float64Range(-40, 65).Draw(t, "y")
			capacity, eir, outside := curve.at(x, y)
			if !(capacity > 0 && capacity < 2 && eir > 0 && eir < 20) {
				t.Fatalf("%s at %v, %v: capacity %v, EIR %v", c.Name, x, y, capacity, eir)
			}
			if outside != (x < c.XC[0] || x > c.XC[1] || y < c.YC[0] || y > c.YC[1]) {
				t.Fatalf("%s at %v, %v: outside is %v", c.Name, x, y, outside)
			}
			load := rapid.Float64Range(0, 2).Draw(t, "load") * c.CapacityW
			powerW, _ := curve.power(c.CapacityW, capacity, eir, 1, load)
			if math.IsNaN(powerW) || powerW < 0 || min(load, c.CapacityW*capacity*c.PLR.Max) > MaxCOP*powerW*(1+1e-9) {
				t.Fatalf("%s draws %v W for %v W", c.Name, powerW, load)
			}
			capacity2, eir2, _ := curve.at(x+1e-7, y-1e-7)
			if math.Abs(capacity-capacity2) > 1e-5 || math.Abs(eir-eir2) > 1e-5 {
				t.Fatalf("%s jumps at %v, %v: %v, %v then %v, %v", c.Name, x, y, capacity, eir, capacity2, eir2)
			}
			if y > c.YC[1] && y+curve.condenserK > x+MinLiftK {
				hotCapacity, hotEIR, _ := curve.at(x, y+1)
				if hotCapacity > capacity+1e-9 || hotEIR < eir-1e-9 {
					t.Fatalf("%s is better at %v than at %v °C", c.Name, y+1, y)
				}
			}
		})
	}
}

// A worked point outside the box: York YK at 18 °C water and a 35 °C condenser, edge 12.78 and 26.67 °C.
func TestChillerCarnotByHand(t *testing.T) {
	c := catalogueChiller(t, "york-yk-1881-vanes")
	curve := newChillerCurve(c)
	edgeCapacity, edgeEIR, _ := curve.at(12.78, 26.67)
	ratio := ((18 + 273.15) / (35 - 18.0)) / ((12.78 + 273.15) / (26.67 - 12.78))
	capacity, eir, outside := curve.at(18, 35)
	near(t, "ratio", ratio, 0.832, 1e-3)
	near(t, "capacity", capacity, edgeCapacity*ratio, 1e-12)
	near(t, "EIR", eir, edgeEIR/ratio, 1e-12)
	if !outside {
		t.Error("not counted as extrapolated")
	}
}

func yorkCalc(t testing.TB) catalog.Tower {
	t.Helper()
	tower, ok := plantData(t).Tower("yorkcalc")
	if !ok {
		t.Fatal("no tower yorkcalc")
	}
	return tower
}

func TestYorkCalcGolden(t *testing.T) {
	tower := yorkCalc(t)
	for _, c := range []struct{ wetBulbC, rangeK, liquidGas, want, tol float64 }{
		{25.55, 5.56, 1, 3.8445, 6e-5},
		{20, 5.56, 1, 5.058, 6e-4},
		{10, 5.56, 1, 7.771, 6e-4},
		{0, 5.56, 1, 11.160, 6e-4},
		{20, 8, 1, 6.738, 6e-4},
		{25.55, 5.56, 1.5, 6.265, 6e-4},
	} {
		got, clamped := TowerApproachK(&tower, c.wetBulbC, c.rangeK, c.liquidGas)
		validation.Within(fmt.Sprintf("tower/yorkcalc-%g-%g-%g", c.wetBulbC, c.rangeK, c.liquidGas), fmt.Sprintf("YorkCalc approach at a wet bulb of %g °C, range %g K, L/G %g", c.wetBulbC, c.rangeK, c.liquidGas), "K",
			c.want, c.tol, "YorkCalc polynomial (Modelica Buildings Library), evaluated independently").Check(t, got)
		if clamped != 0 {
			t.Errorf("%+v counted %d clamps", c, clamped)
		}
	}
	// Beyond a wet bulb of 26.7 °C it is held and counted.
	edge, _ := TowerApproachK(&tower, 26.7, 5.56, 1)
	got, clamped := TowerApproachK(&tower, 30, 5.56, 1)
	near(t, "beyond", got, edge, 0)
	if clamped != 1 {
		t.Errorf("clamped %d times", clamped)
	}
}

// The fan share that is found gives the approach that was asked for.
func TestTowerFan(t *testing.T) {
	tower := yorkCalc(t)
	rapid.Check(t, func(t *rapid.T) {
		wetBulbC := rapid.Float64Range(-40, 32).Draw(t, "wet bulb")
		rangeK := rapid.Float64Range(0, 12).Draw(t, "range")
		full, _ := TowerApproachK(&tower, wetBulbC, rangeK, 1)
		want := full + rapid.Float64Range(1e-3, 40).Draw(t, "more")
		fan, time := towerFan(&tower, wetBulbC, rangeK, want, 0.2)
		if !(fan >= 0.2 && fan <= 1 && time >= towerFreeShare && time <= 1) {
			t.Fatalf("fan %v, time %v", fan, time)
		}
		if fan > 0.2 && fan < 1 {
			a0, a1, a2, _ := towerTerms(&tower, wetBulbC, rangeK)
			if got := a0 + a1/fan + a2/(fan*fan); math.Abs(got-want) > 1e-6 {
				t.Fatalf("approach %v at fan %v, want %v", got, fan, want)
			}
		}
		if next, _ := towerFan(&tower, wetBulbC, rangeK, want+1e-7, 0.2); math.Abs(next-fan) > 1e-4 {
			t.Fatalf("fan jumps from %v to %v", fan, next)
		}
	})
}

// A tower evaporates about the heat over the heat of vaporization: 80 to 110 % of it between a mild and a hot
// dry day, much less in frost.
func TestEvaporation(t *testing.T) {
	const airKgS = 1e6 / 5.56 / waterCpJPerKgK / 1.3
	for _, c := range []struct{ dryBulbC, rh, lo, hi float64 }{
		{15, 0.6, 0.7, 0.9},
		{25, 0.6, 0.8, 1.0},
		{35, 0.4, 0.95, 1.2},
		{-10, 0.7, 0.1, 0.5},
	} {
		out := outdoor(c.dryBulbC, c.rh)
		share := evaporation(out, 1e6, airKgS, 25) * VaporizationJPerKg(25) / 1e6
		if share < c.lo || share > c.hi {
			t.Errorf("%v °C: latent share %v, want %v to %v", c.dryBulbC, share, c.lo, c.hi)
		}
	}
}
