package catalog

import (
	"math"
	"strings"
	"testing"
)

func TestPlantData(t *testing.T) {
	data, err := PlantData()
	if err != nil {
		t.Fatal(err)
	}
	if len(data.Chillers) < 26 || len(data.Coolants) < 2 || len(data.DryCoolers) == 0 || len(data.Towers) == 0 || len(data.CDUs) == 0 {
		t.Fatalf("too little: %+v", data)
	}
	grades := []string{"measured", "datasheet", "recalled", "assumed"}
	seen := map[string]bool{}
	check := func(name, source, grade string) {
		t.Helper()
		if name == "" || seen[name] {
			t.Errorf("name %q is empty or taken", name)
		}
		seen[name] = true
		if source == "" || !strings.Contains(strings.Join(grades, " "), grade) || grade == "" {
			t.Errorf("%s: source %q, grade %q", name, source, grade)
		}
	}
	for _, c := range data.Coolants {
		check(c.Name, c.Source, c.Grade)
	}
	for _, d := range data.DryCoolers {
		check(d.Name, d.Source, d.Grade)
	}
	for _, w := range data.Towers {
		check(w.Name, w.Source, w.Grade)
	}
	for _, c := range data.CDUs {
		check(c.Name, c.Source, c.Grade)
	}
	for _, c := range data.Chillers {
		check(c.Name, c.Source, c.Grade)
		if c.RejectsTo != "water" && c.RejectsTo != "air" {
			t.Errorf("%s rejects to %q", c.Name, c.RejectsTo)
		}
		if !(c.CapacityW > 0 && c.COP > 1 && c.XC[0] < c.XC[1] && c.YC[0] < c.YC[1] && c.PLR.Min > 0 && c.PLR.Max >= 1) {
			t.Errorf("%s: %+v", c.Name, c)
		}
		at := func(k [6]float64, x, y float64) float64 {
			return k[0] + k[1]*x + k[2]*x*x + k[3]*y + k[4]*y*y + k[5]*x*y
		}
		// The curves meet the rating point they state, and stay sane in their box.
		for what, k := range map[string][6]float64{"capacity": c.Cap, "EIR": c.EIR} {
			if f := at(k, c.RatedC[0], c.RatedC[1]); math.Abs(f-1) > 0.05 {
				t.Errorf("%s: %s factor at its rating is %v", c.Name, what, f)
			}
			for i := range 11 {
				for j := range 11 {
					x := c.XC[0] + (c.XC[1]-c.XC[0])*float64(i)/10
					y := c.YC[0] + (c.YC[1]-c.YC[0])*float64(j)/10
					if f := at(k, x, y); f < 0.4 || f > 2 {
						t.Errorf("%s: %s factor at %v, %v is %v", c.Name, what, x, y, f)
					}
				}
			}
		}
	}
	if _, ok := data.Chiller("fridge"); ok {
		t.Error("found a fridge")
	}
	if !strings.Contains(string(chillersYAML), "Redistribution and use in source and binary forms") {
		t.Error("the licence notice of the chiller curves is gone")
	}
}
