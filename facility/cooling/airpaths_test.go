package cooling

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// rowsOf makes rows of racks at 0.6 m pitch, 3 m apart, 42U.
func rowsOf(containment Containment, rows, racks int) *AirPaths {
	var x, y []float64
	var row, height []int
	for r := range rows {
		for i := range racks {
			x, y = append(x, 0.6*float64(i)), append(y, 3*float64(r))
			row, height = append(row, r), append(height, 42)
		}
	}
	return NewAirPaths(containment, x, y, row, height)
}

// H100 rack, ΔT 13.2 K, contained: 70 % of the air gives +5.7 K, 50 % +13.2 K, from the air balance alone.
func TestShortAir(t *testing.T) {
	a := rowsOf(ColdAisle, 2, 10)
	near(t, "phi 0.7", a.InletC(5, 24, 0.7, 13.2, 0.5)-24, 5.66, 0.01)
	near(t, "phi 0.5", a.InletC(5, 24, 0.5, 13.2, 0.5)-24, 13.2, 1e-9)
	near(t, "phi 1", a.InletC(5, 24, 1, 13.2, 0.5)-24, 0.4, 0.3)
}

func TestOpenAisle(t *testing.T) {
	a := rowsOf(Open, 2, 11)
	mean := 0.0
	for i := range 22 {
		s, _ := a.Share(i, 1)
		mean += s / 22
	}
	near(t, "mean escape", mean, escapeOpen, 1e-9)
	end, _ := a.Share(0, 1)
	middle, _ := a.Share(5, 1)
	if end <= middle {
		t.Errorf("row end %v, middle %v", end, middle)
	}
	top, bottom := a.InletC(5, 24, 1, 13.2, 1), a.InletC(5, 24, 1, 13.2, 0)
	if d := top - bottom; d < 2 || d > 5 {
		t.Errorf("top is %v K above bottom", d)
	}
	open, contained := a.InletC(0, 24, 1, 13.2, 1), rowsOf(HotAisle, 2, 11).InletC(0, 24, 1, 13.2, 1)
	if open <= contained {
		t.Errorf("open %v, contained %v", open, contained)
	}
}

func TestShareNearNothing(t *testing.T) {
	a := rowsOf(Open, 1, 3)
	s, capped := a.Share(1, 0.01)
	if s != MaxRecirculation || !capped {
		t.Errorf("share %v, capped %v", s, capped)
	}
	// No fan turns: the room is mixed and its own temperature carries the heat.
	s, capped = a.Share(1, 0)
	near(t, "mixed room", s, 1./3, 1e-12)
	if capped {
		t.Error("a mixed room was counted as capped")
	}
	one := NewAirPaths(Open, []float64{0}, []float64{0}, []int{7}, []int{48})
	if c := one.InletC(0, 24, 1, 13, 0.5); math.IsNaN(c) {
		t.Error("one rack alone")
	}
}

func TestAirPathProperties(t *testing.T) {
	paths := []*AirPaths{rowsOf(Open, 3, 12), rowsOf(ColdAisle, 3, 12), rowsOf(HotAisle, 1, 1), rowsOf(Open, 1, 1)}
	rapid.Check(t, func(t *rapid.T) {
		a := paths[rapid.IntRange(0, 3).Draw(t, "paths")]
		rack := rapid.IntRange(0, len(a.escape)-1).Draw(t, "rack")
		phi := rapid.Float64Range(1e-9, 1).Draw(t, "phi")
		rise := rapid.Float64Range(0, 40).Draw(t, "rise")
		height := rapid.Float64Range(-0.5, 1.5).Draw(t, "height")
		share, capped := a.Share(rack, phi)
		if !capped && share < 1-phi-1e-12 {
			t.Fatalf("share %v below 1 − %v", share, phi)
		}
		c := a.InletC(rack, 24, phi, rise, height)
		if math.IsNaN(c) || math.IsInf(c, 0) || c < 24-1e-9 {
			t.Fatalf("inlet %v", c)
		}
		if d := a.InletC(rack, 24, min(phi+1e-9, 1), rise, height); math.Abs(d-c) > 1e-4 {
			t.Fatalf("jumps from %v to %v", c, d)
		}
		if d := a.InletC(rack, 24, phi/2, rise, height); d < c-1e-9 && rise > 0 && height >= 0.5 {
			t.Fatalf("half the air is colder: %v, %v", d, c)
		}
	})
}
