package thermal

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility"
	"headroom/facility/catalog"
)

func model(t testing.TB, name string) *facility.Model {
	t.Helper()
	m, err := facility.NewModel(catalog.Default(), name)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

func env(airC float64) Env {
	return Env{Inlet: Inlet{AirC: airC}, RhoCp: 1191, CoolantC: airC, FlowShare: 1, FanMax: math.Inf(1), WallCapW: math.Inf(1)}
}

// dieC must solve its equation, for any flow that has a solution below shutdown.
func TestDieSolvesItsEquation(t *testing.T) {
	names := []string{"dgx-h100", "hgx-h100-liquid", "dgx-b200", "hgx-b200-liquid", "dgx-a100"}
	rapid.Check(t, func(t *rapid.T) {
		m, err := facility.NewModel(catalog.Default(), rapid.SampledFrom(names).Draw(t, "model"))
		if err != nil {
			t.Fatal(err)
		}
		ref := rapid.Float64Range(-20, 80).Draw(t, "ref")
		r := rapid.Float64Range(0.005, 0.5).Draw(t, "r")
		dyn := rapid.Float64Range(0, m.DynW).Draw(t, "dyn")
		c, leak := dieC(&m, ref, r, dyn)
		want := ref + r*(m.FloorW+dyn+m.LeakAt(math.Min(c, m.ShutC)))
		if c < m.ShutC && math.Abs(c-want) > 1e-3 {
			t.Fatalf("die at %.5f °C, its heat gives %.5f °C", c, want)
		}
		if w := m.LeakAt(math.Min(c, m.ShutC)); math.Abs(leak-w) > 1e-3*w+0.02 {
			t.Fatalf("leakage %.4f W, at its temperature %.4f W", leak, w)
		}
	})
}

// The inlets at which an H100 air server begins to throttle: never at 27 °C with rated airflow; with the
// fans held at half, the mean slot above 24 ± 1 °C and the worst above 17 ± 2 °C.
func TestThrottleInlets(t *testing.T) {
	m := model(t, "dgx-h100")
	full := Load{Busy: 8, USum: 8, UMax: 1}
	e := env(27)
	if s := Settle(m, full, &e, Free); s.WorstC >= m.LimitC {
		t.Errorf("at 27 °C inlet and free fans the worst slot settles at %.1f °C", s.WorstC)
	}
	start := func(c func(Settled) float64) float64 {
		lo, hi := -10.0, 60.0
		for hi-lo > 1e-3 {
			e := env((lo + hi) / 2)
			e.FanMax = 0.5
			if c(Settle(m, full, &e, Free)) > m.LimitC {
				hi = e.AirC
			} else {
				lo = e.AirC
			}
		}
		return lo
	}
	mean := start(func(s Settled) float64 { return s.MeanC })
	worst := start(func(s Settled) float64 { return s.WorstC })
	if math.Abs(mean-24) > 1 || math.Abs(worst-17) > 2 {
		t.Errorf("at half airflow the mean slot throttles above %.1f °C (want 24 ± 1), the worst above %.1f °C (want 17 ± 2)", mean, worst)
	}
}

// A hotter inlet never gives a higher clock, less fan power or a cooler GPU; the held clock holds the limit.
func TestSettleIsMonotone(t *testing.T) {
	for _, name := range []string{"dgx-h100", "hgx-h100-liquid", "dgx-b200", "mi300x-air"} {
		m := model(t, name)
		full := Load{Busy: m.GPUs, USum: float64(m.GPUs), UMax: 1}
		var was Settled
		for c := 10.0; c <= 70; c += 0.25 {
			e := env(c)
			s := Settle(m, full, &e, Free)
			if s.WorstC > s.LimitC {
				s = Settle(m, full, &e, Held)
				if s.Clock > m.ClockMin && math.Abs(s.WorstC-s.LimitC) > 0.05 {
					t.Errorf("%s at %.2f °C: held at %.3f °C, limit %.0f °C", name, c, s.WorstC, s.LimitC)
				}
			}
			if c > 10 && (s.Clock > was.Clock+1e-9 || s.LimitC == was.LimitC && s.WorstC < was.WorstC-0.05) {
				t.Errorf("%s at %.2f °C: clock %.4f after %.4f, worst slot %.2f after %.2f °C", name, c, s.Clock, was.Clock, s.WorstC, was.WorstC)
			}
			if math.Abs(s.AirW+s.LiquidW-s.WallW) > 1e-9 {
				t.Errorf("%s: heat %.3f W, power %.3f W", name, s.AirW+s.LiquidW, s.WallW)
			}
			was = s
		}
	}
}

func TestWallCapHolds(t *testing.T) {
	m := model(t, "dgx-h100")
	full := Load{Busy: 8, USum: 8, UMax: 1}
	for _, capW := range []float64{7500, 7140, 6000, 5000, 4000} {
		e := env(25)
		e.WallCapW = capW
		s := Settle(m, full, &e, Free)
		if s.WallW > capW+1 || s.WallW < capW-30 {
			t.Errorf("cap %.0f W: draws %.1f W at clock %.3f", capW, s.WallW, s.Clock)
		}
	}
}

func BenchmarkSettleAir(b *testing.B) {
	m, e := model(b, "dgx-h100"), env(25)
	e.Recirc = 0.03
	for b.Loop() {
		Settle(m, Load{Busy: 8, USum: 8, UMax: 1}, &e, Free)
	}
}

func BenchmarkSettleLiquid(b *testing.B) {
	m, e := model(b, "hgx-h100-liquid"), env(32)
	for b.Loop() {
		Settle(m, Load{Busy: 8, USum: 8, UMax: 1}, &e, Free)
	}
}

// Memory at its limit throttles a GPU whose die is still below its own.
func TestMemoryThrottles(t *testing.T) {
	m := *model(t, "dgx-h100")
	if math.IsNaN(m.MemLimitC) {
		m.MemLimitC = 95
	}
	full := Load{Busy: 8, USum: 8, UMax: 1}
	for _, inlet := range []float64{25, 45, 62} {
		e := env(inlet)
		s := Settle(&m, full, &e, Free)
		mem := func(die float64) float64 { return s.InletC + facility.MemOffsetK + facility.MemCoupling*(die-s.InletC) }
		if got := mem(s.LimitC); got > m.MemLimitC+1e-9 {
			t.Errorf("inlet %.0f °C: at the limit of %.1f °C the memory stands at %.1f °C, limit %.0f °C", inlet, s.LimitC, got, m.MemLimitC)
		}
		if (s.LimitC < m.LimitC) != (mem(m.LimitC) > m.MemLimitC) {
			t.Errorf("inlet %.0f °C: limit %.1f °C, the die's own %.1f °C", inlet, s.LimitC, m.LimitC)
		}
	}
	m.MemLimitC = math.NaN()
	e := env(62)
	if s := Settle(&m, full, &e, Free); s.LimitC != m.LimitC {
		t.Errorf("an unknown memory limit gives %.1f °C", s.LimitC)
	}
}
