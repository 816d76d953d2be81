package ledger

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"headroom/validation"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(want) {
		if !math.IsNaN(got) {
			t.Errorf("%s: got %v, want unknown", what, got)
		}
		return
	}
	if !(math.Abs(got-want) <= tol) && !(math.IsInf(want, 1) && math.IsInf(got, 1)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// The claim of a 48 kW rack from PUE 1.6 to 1.2 at 0.7 a kWh.
func TestSavingsOfALowerPUE(t *testing.T) {
	validation.Within("money/pue-1.6-to-1.2", "48 kW of IT for a year, PUE 1.6 to 1.2, at 0.7 CNY/kWh: saved", "CNY", 117734, 0.5, "the claim of 120,000 CNY a year for one 48 kW rack: its arithmetic at 8,760 h less a leap day's share").
		Check(t, Savings(48, 1.6, 1.2, 0.7))
	near(t, "80 %", math.Round(Savings(48*0.8, 1.6, 1.2, 0.7)), 94188, 1)
	near(t, "1 MW", Savings(1000, 1.6, 1.2, 0.7)/1e6, 2.45, 0.005)
	// 10 MW from 1.5 to 1.2: 26.3 GWh, 2.6 million at 0.10.
	near(t, "10 MW", Savings(10000, 1.5, 1.2, 0.10)/1e6, 2.628, 0.001)
	near(t, "payback at 144,000", Payback(144e3, Savings(48, 1.6, 1.2, 0.7)), 1.22, 0.01)
	near(t, "payback at 288,000", Payback(288e3, Savings(48, 1.6, 1.2, 0.7)), 2.45, 0.01)
}

func TestCRF(t *testing.T) {
	for _, c := range []struct{ rate, years, want float64 }{
		{0.08, 20, 0.101852}, // tables of engineering economy
		{0.08, 10, 0.149029},
		{0.05, 15, 0.096342},
		{0.10, 5, 0.263797},
		{0, 4, 0.25},
		{1e-12, 4, 0.25},
		{0.08, 0, math.NaN()},
		{-1, 5, math.NaN()},
		{math.NaN(), 5, math.NaN()},
	} {
		near(t, "CRF", CRF(c.rate, c.years), c.want, 1e-6)
	}
	near(t, "perpetuity", CRF(0.05, math.Inf(1)), 0.05, 0)
}

// The annuity's present value is the capital.
func TestCRFProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate, years := rapid.Float64Range(0, 0.5).Draw(t, "rate"), rapid.IntRange(1, 40).Draw(t, "years")
		value := 0.0
		for y := 1; y <= years; y++ {
			value += CRF(rate, float64(years)) / math.Pow(1+rate, float64(y))
		}
		if math.Abs(value-1) > 1e-9 {
			t.Fatalf("present value %v at %v over %d years", value, rate, years)
		}
	})
}

// A loan of the extra capital that savings pay off is paid off after the discounted payback: the annuity over that
// time is the savings.
func TestDiscountedPayback(t *testing.T) {
	for _, c := range []struct{ extra, savings, rate, want float64 }{
		{100, 25, 0, 4},
		{100, 25, 0.08, 5.0111}, // by hand: ln(1/(1 − 0.32))/ln 1.08 = 0.385662/0.076961
		{100, 8, 0.08, math.Inf(1)},
		{100, 0, 0.08, math.Inf(1)},
		{-5, 1, 0.08, 0},
		{0, 0, 0.08, math.NaN()},
		{math.NaN(), 1, 0.08, math.NaN()},
		{100, 25, math.NaN(), math.NaN()},
	} {
		got := DiscountedPayback(c.extra, c.savings, c.rate)
		near(t, "discounted payback", got, c.want, 1e-3)
		if c.rate > 0 && got > 0 && !math.IsInf(got, 1) {
			near(t, "annuity over it", c.extra*CRF(c.rate, got), c.savings, 1e-9)
		}
	}
}

func TestPayback(t *testing.T) {
	for _, c := range []struct{ extra, savings, want float64 }{
		{100, 50, 2},
		{100, 0, math.Inf(1)},
		{100, -1, math.Inf(1)},
		{-5, 10, 0},
		{0, 10, 0},
		{0, 0, math.NaN()},
		{-100, -10, math.Inf(1)},
		{math.NaN(), 1, math.NaN()},
		{1, math.NaN(), math.NaN()},
	} {
		near(t, "payback", Payback(c.extra, c.savings), c.want, 1e-12)
	}
}

func TestCurrenciesNeverMix(t *testing.T) {
	sum := Sum(Money{"CNY", 10}, Money{"USD", 1}, Money{"CNY", 5})
	if len(sum) != 2 || sum[0] != (Money{"CNY", 15}) || sum[1] != (Money{"USD", 1}) {
		t.Errorf("sum %v", sum)
	}
	r := Rates{Into: "CNY", Per: map[string]float64{"USD": 7.1}}
	total, err := r.Total(sum...)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "with a rate", total, 22.1, 1e-12)
	total, err = Rates{Into: "CNY"}.Total(Money{"CNY", 1}, Money{"USD", 1}, Money{"EUR", 1}, Money{"USD", 2})
	if err == nil || !math.IsNaN(total) || err.Error() != "amounts in USD, EUR beside CNY, and no rates between them" {
		t.Errorf("without a rate: %v, %v", total, err)
	}
}

// A usual Chinese table: valley 23–7, peaks 10–12 and 17–21, flat otherwise.
func chinese() Tariff {
	return Tariff{
		Flat: 0.65,
		Bands: []Band{
			{Name: "valley", From: 23, To: 7, PerKWh: 0.35},
			{Name: "peak", From: 10, To: 12, PerKWh: 1.1},
			{Name: "peak", From: 17, To: 21, PerKWh: 1.1},
		},
	}
}

func TestTimeOfUse(t *testing.T) {
	tariff := chinese()
	day := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	want := []float64{ // by the hour
		.35, .35, .35, .35, .35, .35, .35, .65, .65, .65, 1.1, 1.1,
		.65, .65, .65, .65, .65, 1.1, 1.1, 1.1, 1.1, .65, .65, .35,
	}
	sum := 0.0
	for h, w := range want {
		for _, minute := range []int{0, 59} {
			if got := tariff.At(day.Add(time.Duration(h)*time.Hour + time.Duration(minute)*time.Minute)); got != w {
				t.Errorf("%02d:%02d: %v, want %v", h, minute, got, w)
			}
		}
		sum += w
	}
	steady := make([]float64, 24*365)
	for i := range steady {
		steady[i] = 100
	}
	near(t, "100 kW over a year", Bill(&tariff, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), steady), 100*365*sum, 1e-6)
}

func TestBandsByDayAndMonth(t *testing.T) {
	var summer [12]bool
	summer[6], summer[7] = true, true
	tariff := Tariff{Flat: 1, Bands: []Band{
		{Name: "summer noon", From: 11, To: 15, Days: Weekdays, Months: summer, PerKWh: 5},
		{Name: "weekend nights", From: 22, To: 6, Days: Weekends, PerKWh: 0.1},
	}}
	for _, c := range []struct {
		at   string
		want float64
	}{
		{"2026-07-15 12:00", 5},   // a Wednesday
		{"2026-07-18 12:00", 1},   // a Saturday
		{"2026-06-15 12:00", 1},   // June
		{"2026-07-18 23:00", 0.1}, // Saturday night
		{"2026-07-20 03:00", 0.1}, // Monday morning belongs to Sunday's night
		{"2026-07-18 03:00", 1},   // Saturday morning to Friday's
		{"2026-07-20 06:00", 1},   // the night is over
	} {
		at, err := time.Parse("2006-01-02 15:04", c.at)
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.at, tariff.At(at), c.want, 0)
	}
}

func TestHourly(t *testing.T) {
	typical := &Hourly{Start: time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC), Every: true, PerKWh: make([]float64, 8760)}
	for i := range typical.PerKWh {
		typical.PerKWh[i] = float64(i)
	}
	at := func(s string) float64 {
		t.Helper()
		x, err := time.Parse("2006-01-02 15", s)
		if err != nil {
			t.Fatal(err)
		}
		return typical.At(x)
	}
	near(t, "new year", at("2026-01-01 00"), 0, 0)
	near(t, "last hour", at("2026-12-31 23"), 8759, 0)
	near(t, "28 February", at("2028-02-28 05"), 58*24+5, 0)
	near(t, "29 February", at("2028-02-29 05"), 58*24+5, 0)
	near(t, "1 March of a leap year", at("2028-03-01 05"), 59*24+5, 0)
	near(t, "last hour of a leap year", at("2028-12-31 23"), 8759, 0)
	dated := Tariff{Hours: &Hourly{Start: time.Date(2023, 5, 1, 0, 0, 0, 0, time.UTC), PerKWh: []float64{1, -2, 3}}}
	if err := dated.Check(time.Date(2023, 5, 1, 0, 30, 0, 0, time.UTC), 150*time.Minute); err != nil {
		t.Error(err)
	}
	if err := dated.Check(time.Date(2023, 5, 1, 0, 0, 0, 0, time.UTC), 4*time.Hour); err == nil || err.Error() != "no figure for 2023-05-01 03:00" {
		t.Errorf("beyond the series: %v", err)
	}
}

// A leap year's own hours serve common years without 29 February.
func TestHourlyOfALeapYear(t *testing.T) {
	h := &Hourly{Start: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Every: true, PerKWh: make([]float64, 8784)}
	for i := range h.PerKWh {
		h.PerKWh[i] = float64(i)
	}
	near(t, "1 March of a common year", h.At(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)), 60*24, 0)
	near(t, "last hour of a common year", h.At(time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)), 8783, 0)
	near(t, "29 February", h.At(time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)), 59*24, 0)
}

func TestTariffCheck(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, bad := range []Tariff{
		{Flat: 1, Bands: []Band{{Name: "x", From: 3, To: 3, PerKWh: 1}}},
		{Flat: 1, Bands: []Band{{Name: "x", From: -1, To: 3, PerKWh: 1}}},
		{Flat: 1, Bands: []Band{{Name: "x", From: 1, To: 25, PerKWh: 1}}},
		{Flat: 1, Bands: []Band{{Name: "x", From: 1, To: 3, PerKWh: math.Inf(1)}}},
		{Flat: math.NaN(), Bands: []Band{{Name: "x", From: 1, To: 3, PerKWh: 1}}}, // nothing for the rest of the day
	} {
		if bad.Check(start, 24*time.Hour) == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	all := Tariff{Flat: math.NaN(), Bands: []Band{{From: 0, To: 24, PerKWh: 2}}}
	if err := all.Check(start, 48*time.Hour); err != nil {
		t.Error(err)
	}
	unknown := Flat(math.NaN())
	if unknown.Known() || unknown.Check(start, time.Hour) != nil {
		t.Error("an unknown tariff is no error")
	}
}

func TestDemandCharge(t *testing.T) {
	start := time.Date(2026, 1, 31, 22, 0, 0, 0, time.UTC)
	w := []float64{1000e3, 1200e3, 900e3, math.NaN(), 1500e3}
	peaks := MonthlyPeaks(start, time.Hour, w)
	if len(peaks) != 2 || peaks[0].PeakW != 1200e3 || peaks[1].PeakW != 1500e3 || peaks[0].Month != time.January {
		t.Fatalf("peaks %+v", peaks)
	}
	near(t, "two hours of January", peaks[0].Share, 2.0/744, 1e-12)
	// A whole year at a steady 2 MW and 40 a kW and month.
	year := make([]float64, 8760)
	for i := range year {
		year[i] = 2e6
	}
	near(t, "a year", DemandCharge(40, MonthlyPeaks(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Hour, year)), 2000*40*12, 1e-6)
}

func TestCloud(t *testing.T) {
	offers := Offers(2.5, 4, 1800)
	// 1,000 useful GPU-hours.
	near(t, "on demand", offers[0].Rent(1000, 8, 8760).Cost, 2500, 1e-9)
	near(t, "reserved for a year", offers[1].Rent(1000, 8, 8760).Cost, 8*8760*2.5*0.6, 1e-6)
	// Four interruptions a day at half an hour each cost a twelfth of the time.
	near(t, "spot", offers[2].Rent(1000, 8, 8760).Cost, 1000/(1-1./12)*2.5*0.3, 1e-9)
	near(t, "spot that never gets anywhere", Offers(1, 48, 1800)[2].Rent(1, 1, 1).Cost, math.NaN(), 0)
	near(t, "break-even", offers[0].BreakEvenUtilization(8760), 0.4, 1e-12)
	near(t, "no work", offers[0].Rent(0, 8, 8760).PerHour, math.NaN(), 0)
}

func TestRatios(t *testing.T) {
	// Hours of 150/100 and 40/10 kWh: 190/110, not the mean of 1.5 and 4.
	near(t, "PUE", Usage{FacilityKWh: 190, ITKWh: 110}.PUE(), 1.727, 0.0005)
	near(t, "no IT", Usage{FacilityKWh: 190}.PUE(), math.NaN(), 0)
	u := Usage{FacilityKWh: 1300, ITKWh: 1000, ComputeKWh: 900, WaterL: 360, CarbonKg: 715, ReusedKWh: 130}
	near(t, "TUE is ITUE times PUE", u.TUE(), u.ITUE()*u.PUE(), 1e-12)
	near(t, "WUE", u.WUE(), 0.36, 1e-12)
	near(t, "CUE", u.CUE(), 0.715, 1e-12)
	near(t, "ERF", u.ERF(), 0.1, 1e-12)
	near(t, "ERE", u.ERE(), u.PUE()*(1-u.ERF()), 1e-12)
	near(t, "pPUE", PartialPUE(1000, 120), 1.12, 1e-12)
	for period, want := range map[time.Duration]string{8760 * time.Hour: "PUE3", 8759 * time.Hour: "iPUE3", 8784 * time.Hour: "PUE3"} {
		if got := PUEName("PUE3", period); got != want {
			t.Errorf("%v: %s, want %s", period, got, want)
		}
	}
}

// TestVertivStudy recomputes the liquid-transition study of Vertiv and NVIDIA (ASME InterPACK 2022) from its printed
// totals: 2562.8 kW at PUE 1.38 without liquid, −10.2 % of total at 1.34 with 75 %.
func TestVertivStudy(t *testing.T) {
	air := Usage{FacilityKWh: 2562.8, ITKWh: 2562.8 / 1.38}
	liquid := Usage{FacilityKWh: 2562.8 * (1 - 0.102)}
	liquid.ITKWh = liquid.FacilityKWh / 1.34
	near(t, "IT", Change(air.ITKWh, liquid.ITKWh), -0.075, 0.001)
	near(t, "PUE", Change(air.PUE(), liquid.PUE()), -0.029, 0.001)
	// At fixed compute TUE changes as the total does: the printed −15.5 % cannot go with −10.2 %.
	air.ComputeKWh, liquid.ComputeKWh = 1600, 1600
	near(t, "TUE", Change(air.TUE(), liquid.TUE()), -0.102, 1e-12)
}
