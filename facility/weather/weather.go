// Package weather holds outdoor conditions hour by hour: EPW and CSV files read from a reader, and
// built-in climates made from monthly statistics. It knows nothing of cooling plants.
package weather

import "time"

// Sample is the outdoor air of one hour.
type Sample struct {
	DryBulbC   float64 // °C
	RH         float64 // relative humidity over water, 0 to 1
	PressurePa float64 // station pressure, Pa
	WindMS     float64 // m/s, NaN where the source has none
}

// Series is a run of hourly samples. A typical year has 8,760 samples that start on 1 January 00:00 and
// serves every year: 29 February takes the hours of 28 February. An actual series (Actual true)
// starts at Start and covers its own dates only.
type Series struct {
	Name      string    // what a report prints, for example "Shanghai (built-in climate)"
	Source    string    // where the figures come from, with their grade
	Latitude  float64   // degrees north
	Longitude float64   // degrees east
	AltitudeM float64   // metres above sea level
	Zone      float64   // hours east of UTC; times are local to the site
	Actual    bool      // dated hours, not a typical year
	Start     time.Time // first sample, local wall clock held in UTC; 1 January of any year when typical
	Samples   []Sample
	Filled    int     // missing hours that were filled by interpolation
	Coverage  float64 // share of hours that the source really had, 0 to 1
}
