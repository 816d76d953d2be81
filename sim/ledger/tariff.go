package ledger

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Tariff is a quantity per kWh through time: a price, or the carbon of the grid. It is a figure, a
// time-of-use table, or a series of hours. Its steps lie on full hours of the local clock, so that an integral that
// looks at it every hour is exact.
type Tariff struct {
	Flat  float64 // where there are neither bands nor hours, and where no band holds; NaN: unknown
	Bands []Band  // the first that holds counts
	Hours *Hourly // wins over the rest
}

// Band is a time of use.
type Band struct {
	Name     string
	From, To int // full hours of the day, 0 to 24; From above To runs over midnight
	Days     Days
	Months   [12]bool // none: all
	PerKWh   float64
}

// Days are those of the week on which a band holds.
type Days uint8

// Days of a band. Public holidays are not known.
const (
	AllDays Days = iota
	Weekdays
	Weekends
)

// holds says whether the band counts at a local time.
func (b *Band) holds(t time.Time) bool {
	h, day := t.Hour(), t
	inside := h >= b.From && h < b.To
	if b.From > b.To {
		inside = h >= b.From || h < b.To
		if h < b.To { // the night belongs to the day on which it began
			day = t.AddDate(0, 0, -1)
		}
	}
	if !inside {
		return false
	}
	weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
	if b.Days == Weekdays && weekend || b.Days == Weekends && !weekend {
		return false
	}
	return b.Months == [12]bool{} || b.Months[day.Month()-1]
}

// Hourly is a series of hours. A year of 8,760 or 8,784 hours from 1 January serves every year, with 28 February
// again on the 29th where it is missing; anything else covers its own dates only.
type Hourly struct {
	Start  time.Time // first hour, local wall clock held in UTC
	PerKWh []float64
	Every  bool // a typical year
}

// At is the quantity in the hour that holds t; NaN where the series has none.
func (h *Hourly) At(t time.Time) float64 {
	i := int(math.Floor(t.Sub(h.Start).Hours()))
	if h.Every {
		day := t.YearDay() - 1
		leap := t.Year()%4 == 0 && (t.Year()%100 != 0 || t.Year()%400 == 0)
		switch whole := len(h.PerKWh) >= 8784; {
		case !whole && leap && day >= 59: // 29 February on
			day--
		case whole && !leap && day >= 59:
			day++
		}
		i = day*24 + t.Hour()
	}
	if i < 0 || i >= len(h.PerKWh) {
		return math.NaN()
	}
	return h.PerKWh[i]
}

// Flat is a tariff of one figure.
func Flat(perKWh float64) Tariff { return Tariff{Flat: perKWh} }

// Known says whether anything is stated.
func (t *Tariff) Known() bool { return t.Hours != nil || len(t.Bands) > 0 || !math.IsNaN(t.Flat) }

// Steady says whether the tariff never changes.
func (t *Tariff) Steady() bool { return t.Hours == nil && len(t.Bands) == 0 }

// At is the quantity per kWh in force at a local time; NaN where nothing is stated for it.
func (t *Tariff) At(at time.Time) float64 {
	if t.Hours != nil {
		return t.Hours.At(at)
	}
	for i := range t.Bands {
		if t.Bands[i].holds(at) {
			return t.Bands[i].PerKWh
		}
	}
	return t.Flat
}

// Check refuses a tariff that leaves an hour of a run without a figure, or is not one.
func (t *Tariff) Check(start time.Time, length time.Duration) error {
	var errs []error
	for i := range t.Bands {
		b := &t.Bands[i]
		if b.From < 0 || b.From > 23 || b.To < 1 || b.To > 24 || b.From == b.To {
			errs = append(errs, fmt.Errorf("time of use %q: from %d to %d o'clock, want two different full hours of a day", b.Name, b.From, b.To))
		}
		if math.IsNaN(b.PerKWh) || math.IsInf(b.PerKWh, 0) {
			errs = append(errs, fmt.Errorf("time of use %q: %v per kWh", b.Name, b.PerKWh))
		}
	}
	if len(errs) > 0 || !t.Known() {
		return errors.Join(errs...)
	}
	end := start.Add(length)
	for at := start.Truncate(time.Hour); at.Before(end); at = at.Add(time.Hour) {
		if x := t.At(at); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("no figure for %s", at.Format("2006-01-02 15:04"))
		}
	}
	return nil
}

// Bill is energy (kWh) by hour at a tariff: the sum over the hours from start, each at the figure of the hour
// it begins in. It is what the engine's integral must agree with.
func Bill(t *Tariff, start time.Time, kWh []float64) float64 {
	sum := 0.0
	for i, e := range kWh {
		sum += e * t.At(start.Add(time.Duration(i)*time.Hour))
	}
	return sum
}

// Peak is the highest demand of one calendar month, and the share of the month that the series covers.
type Peak struct {
	Year  int
	Month time.Month
	PeakW float64
	Share float64
}

// MonthlyPeaks are the highest means over a step of a power series by calendar month, in order of time. NaN steps do
// not count. What stands on the meter in a step is its mean: a step of 15 min is how most tariffs meter demand.
func MonthlyPeaks(start time.Time, step time.Duration, powerW []float64) []Peak {
	var out []Peak
	if step <= 0 {
		return nil
	}
	for i, w := range powerW {
		at := start.Add(time.Duration(i) * step)
		if n := len(out); n == 0 || out[n-1].Year != at.Year() || out[n-1].Month != at.Month() {
			out = append(out, Peak{Year: at.Year(), Month: at.Month()})
		}
		p := &out[len(out)-1]
		first := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		p.Share += float64(step) / float64(first.AddDate(0, 1, 0).Sub(first))
		if w > p.PeakW {
			p.PeakW = w
		}
	}
	for i := range out {
		out[i].Share = min(out[i].Share, 1)
	}
	return slices.Clip(out)
}

// DemandCharge is the charge for peaks, per kW and month; a month that is covered in part pays its share.
func DemandCharge(perKWMonth float64, peaks []Peak) float64 {
	sum := 0.0
	for _, p := range peaks {
		sum += p.PeakW / 1000 * perKWMonth * p.Share
	}
	return sum
}
