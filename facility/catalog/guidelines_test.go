package catalog

import (
	"math"
	"slices"
	"testing"
)

// W099: 18–27 °C, dew point 5.5–15 °C and at most 60 % at the rack inlet; less than 5 K/h with tape and 20 K/h
// with disks; 5–45 °C and 8–80 % when off; batteries at 20–30 °C.
func TestGB50174(t *testing.T) {
	for _, c := range []struct {
		tempC, dewC, rh float64
		want            bool
	}{
		{18, 5.5, 0.44, true},
		{27, 15, 0.48, true},
		{17.9, 10, 0.6, false},
		{27.1, 10, 0.34, false},
		{22, 5.4, 0.34, false},
		{22, 15.1, 0.6, false},
		{22, 13.9, 0.60, true},
		{22, 14, 0.61, false},
	} {
		if got := GBInletFits(c.tempC, c.dewC, c.rh); got != c.want {
			t.Errorf("%g °C, dew point %g °C, %g: %t", c.tempC, c.dewC, c.rh, got)
		}
	}
	for _, c := range []struct {
		k, h float64
		tape bool
		want bool
	}{{4.9, 1, true, true}, {5, 1, true, false}, {5, 1, false, true}, {-20, 1, false, false}, {19, 1, false, true}, {9, 2, true, true}, {5, 0.2, false, false}} {
		if got := GBChangeFits(c.k, c.h, c.tape); got != c.want {
			t.Errorf("%g K in %g h, tape %t: %t", c.k, c.h, c.tape, got)
		}
	}
	if GBOffMinC != 5 || GBOffMaxC != 45 || GBOffMinRH != 0.08 || GBOffMaxRH != 0.80 || GBBatteryMinC != 20 || GBBatteryMaxC != 30 {
		t.Error("equipment off, batteries")
	}
}

// W106: new large data centres below 1.3, hub nodes below 1.25, the average below 1.5 with 60 % of racks in use,
// national green data centres at most 1.30.
func TestPUELines(t *testing.T) {
	met := func(pue float64) (list []string) {
		for _, l := range PUELines {
			if l.Meets(pue) {
				list = append(list, l.What)
			}
		}
		return list
	}
	const large, hub, average, green = "new large data centres", "national hub nodes", "average of all data centres", "national green data centres"
	for _, c := range []struct {
		pue  float64
		want []string
	}{
		{1.24, []string{large, hub, average, green}},
		{1.25, []string{large, average, green}},
		{1.30, []string{average, green}},
		{1.301, []string{average}},
		{1.5, nil},
		{math.NaN(), nil},
	} {
		if got := met(c.pue); !slices.Equal(got, c.want) {
			t.Errorf("PUE %g meets %v, want %v", c.pue, got, c.want)
		}
	}
	if MinRackUpRate != 0.6 {
		t.Error("rack-up rate")
	}
}

// W108: 15 minutes of UPS, racks of 1,500 kg, 2,000 kg with liquid.
func TestGPURoom(t *testing.T) {
	for _, c := range []struct {
		batteryS, kg float64
		liquid       bool
		want         []string
	}{
		{900, 1500, false, nil},
		{899, 1500, false, []string{"UPS battery"}},
		{900, 1499, false, []string{"rack load"}},
		{900, 1999, true, []string{"rack load"}},
		{900, 2000, true, nil},
		{300, math.NaN(), true, []string{"UPS battery", "rack load unknown"}},
	} {
		if got := GPURoomShort(c.batteryS, c.kg, c.liquid); !slices.Equal(got, c.want) {
			t.Errorf("%g s, %g kg, liquid %t: %v", c.batteryS, c.kg, c.liquid, got)
		}
	}
}
