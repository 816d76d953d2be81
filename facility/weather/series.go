package weather

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// HoursPerYear is the length of a typical year; it has no 29 February.
const HoursPerYear = 8760

// typicalYear is any year without a 29 February: typical series count their hours in it.
const typicalYear = 2001

// At gives the air at local wall clock t (held in UTC). Every sample serves the hour that begins at its
// own time. A typical year serves every year, with 28 February again on the 29th; an actual series
// answers false outside its own dates.
func (s *Series) At(t time.Time) (Sample, bool) {
	i, ok := s.index(t)
	if !ok {
		return Sample{}, false
	}
	return s.Samples[i], true
}

// index is the place in Samples of the hour that holds t.
func (s *Series) index(t time.Time) (int, bool) {
	t = t.UTC()
	if s.Actual {
		if t.Before(s.Start) || !t.Before(s.End()) {
			return 0, false
		}
		return int(t.Sub(s.Start) / time.Hour), true
	}
	day := t.YearDay() - 1
	if isLeap(t.Year()) && t.Month() > time.February || t.Month() == time.February && t.Day() == 29 {
		day--
	}
	i := day*24 + t.Hour()
	return i, i < len(s.Samples)
}

// End is the first instant after an actual series.
func (s *Series) End() time.Time {
	return s.Start.Add(time.Duration(len(s.Samples)) * time.Hour)
}

// Covers says whether every instant of a run has weather: nil, or an error that names both periods.
func (s *Series) Covers(start time.Time, length time.Duration) error {
	if len(s.Samples) == 0 {
		return errors.New(s.Name + ": no weather samples")
	}
	if length < 0 {
		return fmt.Errorf("%s: run length %v is negative", s.Name, length)
	}
	if !s.Actual {
		if len(s.Samples) != HoursPerYear {
			return fmt.Errorf("%s: a typical year has %d hours (got %d)", s.Name, HoursPerYear, len(s.Samples))
		}
		return nil
	}
	start = start.UTC()
	end := start.Add(length)
	if start.Before(s.Start) || end.After(s.End()) {
		const layout = "2006-01-02 15:04"
		return fmt.Errorf("%s: weather runs from %s to %s, the run from %s to %s",
			s.Name, s.Start.Format(layout), s.End().Format(layout), start.Format(layout), end.Format(layout))
	}
	return nil
}

// Extremes are dry-bulb temperatures in °C that are exceeded in a share of all hours of a series.
type Extremes struct {
	Heating996C float64 // exceeded in 99.6 % of hours: the cold design day
	Cooling010C float64 // exceeded in 1 % of hours
	Cooling004C float64 // exceeded in 0.4 % of hours: the hot design day
	MinC, MaxC  float64
}

// Extremes gives the design dry bulbs over the hours of the series; all NaN when it has none.
// They are quantiles of this series: published design conditions use 25 years or more.
func (s *Series) Extremes() Extremes {
	dryBulbC := make([]float64, len(s.Samples))
	for i, sample := range s.Samples {
		dryBulbC[i] = sample.DryBulbC
	}
	slices.Sort(dryBulbC)
	return Extremes{
		Heating996C: quantile(dryBulbC, 0.004),
		Cooling010C: quantile(dryBulbC, 0.99),
		Cooling004C: quantile(dryBulbC, 0.996),
		MinC:        quantile(dryBulbC, 0),
		MaxC:        quantile(dryBulbC, 1),
	}
}

// quantile interpolates between the order statistics of a sorted slice, the lowest at 0 and the highest at 1.
func quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := share * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func isLeap(year int) bool {
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}
