package power

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/validation"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.9g, want %.9g ± %g", what, got, want, tol)
	}
}

func TestThreePhaseCircuits(t *testing.T) {
	for _, c := range []struct {
		name                  string
		volts, amps, kva, kw8 float64
	}{
		{"W001 US/EU 415 V 60 A whip", 415, 60, 43.13, 34.50},
		{"W002 EU/CN 3x63 A", 400, 63, 43.65, 34.92},
		{"W003 EU 3x32 A", 400, 32, 22.17, 17.74},
		{"W004 CN 380 V 63 A", 380, 63, 41.47, 33.17},
		{"W005 CN 380 V 32 A", 380, 32, 21.06, 16.85},
		{"W007 US 208 V 30 A", 208, 30, 10.81, 8.65},
		{"W008 US 480 V 60 A", 480, 60, 49.88, 39.91},
		{"W009 415 V 30 A", 415, 30, 21.56, 17.25},
		{"380 V 125 A", 380, 125, 82.3, 65.8},
		{"415 V 150 A", 415, 150, 107.8, 86.3},
	} {
		va := ThreePhaseVA(c.volts, c.amps)
		tol := 0.005
		if c.kva*10 == math.Trunc(c.kva*10) {
			tol = 0.05 // the reference prints one decimal
		}
		near(t, c.name+" kVA", va/1e3, c.kva, tol)
		near(t, c.name+" kW at 80 %", va*NECContinuous*IECContinuous/1e3, c.kw8, tol+0.003)
	}
	// The same through a node, in whole watts.
	g, err := New([]Node{{ID: "feed", Kind: Utility, Units: 1, RatingVA: ThreePhaseVA(415, 60), PF: 1, Derate: NECContinuous}})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.CapacityW(0, 1); got != 34502 {
		t.Errorf("CapacityW = %d, want 34502", got)
	}
}

func TestOtherCircuits(t *testing.T) {
	near(t, "W011 230 V line to neutral, 32 A, 80 %", ThreePhaseVAFromLN(230, 32)*NECContinuous/1e3, 17.66, 0.005)
	near(t, "W012 120 V 15 A 80 %", SinglePhaseVA(120, 15)*NECContinuous, 1440, 1e-9)
	near(t, "W012 share", 400/(SinglePhaseVA(120, 15)*NECContinuous), 0.278, 0.0005)
	near(t, "W015 500 W at 120 V", 500/120.0, 4.2, 0.05)
	near(t, "W015 500 W at 208 V", 500/208.0, 2.4, 0.05)
	near(t, "W015 20 A", 20*NECContinuous, 16, 1e-9)
	near(t, "W015 30 A", 30*NECContinuous, 24, 1e-9)
	near(t, "leg current", LegAmps(ThreePhaseVA(415, 60), 415), 60, 1e-9)
}

func TestBalance(t *testing.T) {
	b := BalanceOf(45, 38, 52)
	near(t, "W016 mean", b.MeanA, 45, 1e-9)
	near(t, "W016 imbalance", b.Imbalance, 0.156, 0.0005)
	near(t, "W016 kVA", ThreePhaseVA(415, b.MeanA)/1e3, 32.3, 0.05)
	near(t, "W016 worst leg", b.WorstA/63, 0.825, 0.0005)
	if b.Verdict() != "correct soon" {
		t.Errorf("W016 verdict %q", b.Verdict())
	}
	near(t, "W018", NeutralA(16, 12, 8), 6.93, 0.005)
	near(t, "W019", NeutralA(10, 10, 10), 0, 1e-12)
	near(t, "one leg alone returns through the neutral", NeutralA(10, 0, 0), 10, 1e-12)
	if b := BalanceOf(0.6, 0.4, 0.2); !math.IsNaN(b.Imbalance) || b.Verdict() != "unknown" {
		t.Errorf("below the floor: %+v", b)
	}
}

func TestCords(t *testing.T) {
	even, uneven := CordLoad(1000, 2, 1)
	if even != 500 || uneven != 1000 { // W022: 500 W on each of L1 and L2
		t.Errorf("W022: %g, %g", even, uneven)
	}
	even, uneven = CordLoad(3000, 6, 3)
	if even != 500 || uneven != 1000 || uneven-even != 500 {
		t.Errorf("W024: %g, %g", even, uneven)
	}
}

func TestUPSSizing(t *testing.T) {
	for _, c := range []struct {
		name                  string
		load, factor, module  float64
		maxShare              float64
		needed, installed     int
		required, surviveLoad float64
	}{
		{"W062", 326.4, UPSFactorComputers, 100, 1, 4, 5, 391.7, 0.816},
		{"W064", 1008, UPSFactorComputers, 100, 1, 13, 14, 1209.6, 0.775},
		{"W065", 100, 1, 40, 0.8, 4, 5, 100, 0.625},
		{"exact fit", 400, 1, 100, 1, 4, 5, 400, 1},
		{"exact fit after the float trap", 42.9, 1, 14.3, 1, 3, 4, 42.9, 1},
	} {
		needed, installed := UPSModules(c.load*c.factor, c.module, c.maxShare, 1)
		if needed != c.needed || installed != c.installed {
			t.Errorf("%s: %d, %d modules, want %d, %d", c.name, needed, installed, c.needed, c.installed)
		}
		near(t, c.name+" required", c.load*c.factor, c.required, 0.05)
		survivors := c.load / (float64(installed-1) * c.module)
		near(t, c.name+" survivors", survivors, c.surviveLoad, 0.001)
		if strings.HasPrefix(c.name, "W") {
			what, source := fmt.Sprintf("UPS of %g kW modules for %g kW, N+1", c.module, c.load), "sizing rule of JGJ 16-2008 (1.2 times computer load) and makers' worked examples"
			validation.Within("failover/ups-"+strings.ToLower(c.name)+"-modules", what+": modules", "", float64(c.installed), 0, source).Check(t, float64(installed))
			validation.Within("failover/ups-"+strings.ToLower(c.name)+"-survivors", what+": load of the others after one is lost", "%", 100*c.surviveLoad, 0.1, source).Check(t, 100*survivors)
		}
	}
	near(t, "W061 others", UPSFactorOther, 1.3, 0)
	near(t, "W068", 5500/0.8, 6875, 1e-9)
	near(t, "W068 with 25 %", 5500/0.8*1.25, 8593.75, 1e-9)
	for _, c := range []struct {
		name   string
		va, pf float64
		want   int64
	}{
		{"W070 transformerless", 300e3, 1, 300e3},
		{"W070 transformer based", 300e3, 0.8, 240e3},
		{"W071", 100e3, 0.9, 90e3},
		{"W071", 100e3, 0.8, 80e3},
		{"W049", 20e3, 0.95, 19e3},
	} {
		g, err := New([]Node{{ID: "u", Units: 1, RatingVA: c.va, PF: c.pf, Derate: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.CapacityW(0, 1); got != c.want {
			t.Errorf("%s: %d W, want %d", c.name, got, c.want)
		}
	}
}

func TestLegsAddUp(t *testing.T) {
	if got := Legs(10201); got != [3]int64{3401, 3400, 3400} {
		t.Errorf("Legs(10201) = %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(0, 1e9).Draw(t, "w")
		l := Legs(w)
		if l[0]+l[1]+l[2] != w || l[0] < l[1] || l[1] < l[2] || l[0]-l[2] > 1 {
			t.Fatalf("Legs(%d) = %v", w, l)
		}
	})
}
