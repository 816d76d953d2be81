package catalog

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// climatesYAML is the data file of the built-in climates.
//
//go:embed data/climates.yaml
var climatesYAML []byte

// ClimateShares are the shares of a month's hours below each row of a climate's quantiles. Three of the six
// lie in the hot tail, which sizes plants.
var ClimateShares = [6]float64{0.01, 0.10, 0.50, 0.90, 0.97, 0.995}

// Monthly holds a figure for each month from January.
type Monthly [12]float64

// Climate is the weather of a place as monthly statistics, from which package weather makes a typical year.
//
// A climate of which only normals are known names another one in Like: figures it leaves at zero are
// taken from there, and quantiles keep their distance from the mean.
type Climate struct {
	City      string  `yaml:"city"`
	Station   string  `yaml:"station"`    // where the figures were observed
	Latitude  float64 `yaml:"latitude"`   // degrees north
	Longitude float64 `yaml:"longitude"`  // degrees east
	AltitudeM float64 `yaml:"altitude_m"` // metres above sea level
	Zone      float64 `yaml:"zone"`       // hours east of UTC
	Source    string  `yaml:"source"`     // spelled out
	Grade     string  `yaml:"grade"`      // derived: computed from hourly data; recalled: published normals from memory
	Like      string  `yaml:"like"`       // city whose day-to-day behaviour and spread stand in

	MeanC  Monthly `yaml:"mean_c"`   // mean dry bulb, °C
	RangeK Monthly `yaml:"range_k"`  // mean over days of daily maximum less minimum, K
	DaySDK Monthly `yaml:"day_sd_k"` // standard deviation of daily mean dry bulbs about the annual cycle, K
	DayLag Monthly `yaml:"day_lag"`  // their correlation with the day before

	DewMeanC Monthly `yaml:"dew_mean_c"` // mean dew point, °C
	DewSDK   Monthly `yaml:"dew_sd_k"`   // standard deviation of daily mean dew points about the annual cycle, K
	DewCorr  Monthly `yaml:"dew_corr"`   // correlation of daily means of dry bulb and dew point

	DryBulbC  [len(ClimateShares)]Monthly `yaml:"dry_bulb_c"`  // hourly dry bulb, °C, exceeding each share of ClimateShares
	DewPointC [len(ClimateShares)]Monthly `yaml:"dew_point_c"` // the same of the hourly dew point
}

var loadClimates = sync.OnceValues(func() ([]Climate, error) {
	return ReadClimates(climatesYAML, nil)
})

// Climates are the built-in climates in the order of the data file. The caller must not change them.
func Climates() ([]Climate, error) { return loadClimates() }

// ReadClimates reads climates from a YAML document with the key climates, completes those that name
// another in Like from the document or from known ones before it, and checks them. All problems come at once.
func ReadClimates(text []byte, known []Climate) ([]Climate, error) {
	var file struct {
		Climates []Climate `yaml:"climates"`
	}
	if err := yaml.Load(text, &file, yaml.WithKnownFields()); err != nil {
		return nil, err
	}
	var errs []error
	all := slices.Clone(known)
	for i := range file.Climates {
		c := &file.Climates[i]
		if c.Like != "" {
			at := slices.IndexFunc(all, func(o Climate) bool { return strings.EqualFold(o.City, c.Like) })
			if at < 0 {
				errs = append(errs, fmt.Errorf("climate %s: like %q is not a climate before it", c.City, c.Like))
				continue
			}
			c.complete(&all[at])
		}
		if slices.ContainsFunc(all, func(o Climate) bool { return strings.EqualFold(o.City, c.City) }) {
			errs = append(errs, fmt.Errorf("climate %s: city appears twice", c.City))
		}
		if err := c.Check(); err != nil {
			errs = append(errs, err)
		}
		all = append(all, *c)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return file.Climates, nil
}

// complete takes what c leaves at zero from another climate.
func (c *Climate) complete(like *Climate) {
	for _, f := range []struct{ own, from *Monthly }{
		{&c.RangeK, &like.RangeK},
		{&c.DaySDK, &like.DaySDK},
		{&c.DayLag, &like.DayLag},
		{&c.DewSDK, &like.DewSDK},
		{&c.DewCorr, &like.DewCorr},
	} {
		if *f.own == (Monthly{}) {
			*f.own = *f.from
		}
	}
	shift := func(own, from *[len(ClimateShares)]Monthly, mean, likeMean *Monthly) {
		if *own != ([len(ClimateShares)]Monthly{}) {
			return
		}
		for q := range own {
			for m := range own[q] {
				own[q][m] = from[q][m] - likeMean[m] + mean[m]
			}
		}
	}
	shift(&c.DryBulbC, &like.DryBulbC, &c.MeanC, &like.MeanC)
	shift(&c.DewPointC, &like.DewPointC, &c.DewMeanC, &like.DewMeanC)
}

// Check says what is wrong with a climate: nil, or every problem at once.
func (c *Climate) Check() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("climate %s: "+format, append([]any{c.City}, args...)...))
	}
	within := func(name string, v, low, high float64) {
		if !(v >= low && v <= high) { // NaN too
			bad("%s: want %g to %g, got %g", name, low, high, v)
		}
	}
	if c.City == "" || c.Station == "" || c.Source == "" {
		bad("city, station and source must be given")
	}
	if c.Grade != "derived" && c.Grade != "recalled" {
		bad("grade: want derived or recalled, got %q", c.Grade)
	}
	within("latitude", c.Latitude, -90, 90)
	within("longitude", c.Longitude, -180, 180)
	within("altitude_m", c.AltitudeM, -430, 6000)
	within("zone", c.Zone, -12, 14)
	for m := range c.MeanC {
		in := func(name string, v, low, high float64) { within(fmt.Sprintf("%s, month %d", name, m+1), v, low, high) }
		in("mean_c", c.MeanC[m], -60, 50)
		in("range_k", c.RangeK[m], 0.5, 35)
		in("day_sd_k", c.DaySDK[m], 0.05, 20)
		in("day_lag", c.DayLag[m], -0.5, 0.99)
		in("dew_mean_c", c.DewMeanC[m], -70, math.Min(35, c.MeanC[m]))
		in("dew_sd_k", c.DewSDK[m], 0.05, 20)
		in("dew_corr", c.DewCorr[m], -1, 1)
		for _, rows := range []struct {
			name     string
			quantile [len(ClimateShares)]Monthly
		}{{"dry_bulb_c", c.DryBulbC}, {"dew_point_c", c.DewPointC}} {
			in(rows.name, rows.quantile[0][m], -90, 60)
			for q := 1; q < len(ClimateShares); q++ {
				in(rows.name, rows.quantile[q][m], rows.quantile[q-1][m], 60)
			}
		}
		in("mean_c against dry_bulb_c", c.MeanC[m], c.DryBulbC[0][m], c.DryBulbC[5][m])
		in("dew_mean_c against dew_point_c", c.DewMeanC[m], c.DewPointC[0][m], c.DewPointC[5][m])
	}
	return errors.Join(errs...)
}
