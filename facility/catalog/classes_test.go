package catalog

import (
	"math"
	"testing"
)

func TestClasses(t *testing.T) {
	classes, err := ASHRAE()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                   string
		recLo, recHi, alLo, al float64
	}{
		{"A1", 18, 27, 15, 32}, {"A2", 18, 27, 10, 35}, {"A3", 18, 27, 5, 40}, {"A4", 18, 27, 5, 45}, {"H1", 18, 22, 5, 25},
	} {
		a, ok := classes.AirNamed(c.name)
		if !ok || a.Recommended != [2]float64{c.recLo, c.recHi} || a.Allowable != [2]float64{c.alLo, c.al} {
			t.Errorf("%s: %+v", c.name, a)
		}
		if got := a.AllowableMaxC(900); got != c.al {
			t.Errorf("%s at 900 m: %v", c.name, got)
		}
	}
	for _, c := range []struct {
		name            string
		altitudeM, want float64
	}{{"A1", 2400, 27}, {"A2", 2400, 30}, {"A3", 1775, 35}, {"A4", 1525, 40}, {"A2", -50, 35}} {
		a, _ := classes.AirNamed(c.name)
		if got := a.AllowableMaxC(c.altitudeM); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s at %v m: %v, want %v", c.name, c.altitudeM, got, c.want)
		}
	}
	for name, want := range map[string]float64{"W17": 17, "W27": 27, "W32": 32, "W40": 40, "W45": 45, "W+": math.Inf(1), "S30": 30, "S50": 50} {
		if l, ok := classes.LiquidNamed(name); !ok || l.MaxC != want {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if _, ok := classes.LiquidNamed("W99"); ok {
		t.Error("W99 is a class")
	}
}
