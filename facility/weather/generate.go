package weather

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/interp"

	"headroom/facility/catalog"
)

// A typical year is made from monthly statistics in four steps:
//
//  1. Three daily series of standard normal numbers with the stated persistence: how warm, how humid and
//     how clear each day is. In every month each has mean 0 and variance 1 and none correlates with
//     another, so 30 days show the stated statistics and not the luck of the draw.
//  2. Raw hours: annual cycle + day-to-day course (a line from noon to noon) + daily range × shape. Raw dew
//     points have no shape, so relative humidity falls as the day warms; the cap of step 4 makes them follow
//     the air on saturated nights.
//  3. The hours of each month are ranked and each takes the value that the stored quantiles give its rank,
//     along a smooth curve over the normal scale, with the middle moved so that the monthly mean is met.
//     Order in time stays that of step 2; distribution and mean are those of the station.
//  4. Dew points are capped at the dry bulb and ranked again, a few times over, which keeps their
//     distribution while saturated hours fall where the air is coldest.

const (
	daysPerYear = 365
	hoursPerDay = 24

	// Spread of a day's range over its monthly mean, and its correlation with dry air: means of the twelve
	// stations first derived (0.23 to 0.45, and 0.24 to 0.61).
	rangeSpread   = 0.35
	rangeDryShare = 0.5
	leastRange    = 0.1 // share of the mean range that an overcast day keeps

	capRounds = 4 // of step 4; the monthly mean dew point is then met within 0.15 K
)

// daysIn is the length of each month of the typical year.
var daysIn = [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// shareBelowMax is how far the dry bulb lies below the day's maximum at each clock hour from 0, as a share
// of the daily range; the maximum is from 14:00 to 16:00 (ASHRAE Handbook of Fundamentals, chapter Climatic
// Design Information, fraction of daily temperature range).
var shareBelowMax = [hoursPerDay]float64{
	0.82, 0.88, 0.92, 0.95, 0.98, 1.00, 0.98, 0.91, 0.74, 0.55, 0.38, 0.23,
	0.13, 0.05, 0.00, 0.00, 0.06, 0.14, 0.24, 0.39, 0.50, 0.59, 0.68, 0.75,
}

// meanShareBelowMax is the mean of shareBelowMax over the day.
var meanShareBelowMax = func() float64 {
	sum := 0.0
	for _, share := range shareBelowMax {
		sum += share
	}
	return sum / hoursPerDay
}()

// shareScores are the catalogue's shares as standard normal scores.
var shareScores = func() (scores [len(catalog.ClimateShares)]float64) {
	for i, share := range catalog.ClimateShares {
		scores[i] = normalScore(share)
	}
	return scores
}()

// FromClimate makes the typical year of a climate. It is a function of the climate alone: no run's seed
// reaches it, so that weather is never what makes two replicates differ. Pressure is the standard
// atmosphere at the altitude; there is no wind.
func FromClimate(c *catalog.Climate) (*Series, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	warm := dailyCourse(c.City, "dry bulb", &c.DayLag)
	humid := dailyCourse(c.City, "dew point", &c.DayLag)
	clearSky := dailyCourse(c.City, "range", &c.DayLag)
	eachMonth(1, func(_, from, to int) {
		standardize(warm[from:to])
		standardize(humid[from:to], warm[from:to])
		standardize(clearSky[from:to], warm[from:to], humid[from:to])
	})

	dayK, dewK, rangeK := make([]float64, daysPerYear), make([]float64, daysPerYear), make([]float64, daysPerYear)
	eachMonth(1, func(m, from, to int) {
		withWarm, own := c.DewCorr[m], math.Sqrt(1-c.DewCorr[m]*c.DewCorr[m])
		for d := from; d < to; d++ {
			dayK[d] = c.DaySDK[m] * warm[d]
			dewK[d] = c.DewSDK[m] * (withWarm*warm[d] + own*humid[d])
			clearness := -rangeDryShare*humid[d] + math.Sqrt(1-rangeDryShare*rangeDryShare)*clearSky[d]
			rangeK[d] = c.RangeK[m] * math.Max(leastRange, 1+rangeSpread*clearness)
		}
	})

	dryBulbC, dewPointC := make([]float64, HoursPerYear), make([]float64, HoursPerYear)
	for h := range dryBulbC {
		shape := meanShareBelowMax - shareBelowMax[h%hoursPerDay]
		dryBulbC[h] = annualCycle(&c.MeanC, dayOf(h)) + noonToNoon(dayK, h) + shape*noonToNoon(rangeK, h)
		dewPointC[h] = annualCycle(&c.DewMeanC, dayOf(h)) + noonToNoon(dewK, h)
	}
	eachMonth(hoursPerDay, func(m, from, to int) {
		air, dew := dryBulbC[from:to], dewPointC[from:to]
		ranks := newRanks(len(air))
		ranks.toQuantiles(air, &c.DryBulbC, m, c.MeanC[m])
		for range capRounds {
			for i := range dew {
				dew[i] = math.Min(dew[i], air[i])
			}
			ranks.toQuantiles(dew, &c.DewPointC, m, c.DewMeanC[m])
		}
	})

	s := &Series{
		Name: c.City + " (typical year)", Source: c.Source + "; " + c.Grade,
		Latitude: c.Latitude, Longitude: c.Longitude, AltitudeM: c.AltitudeM, Zone: c.Zone,
		Start:   time.Date(typicalYear, 1, 1, 0, 0, 0, 0, time.UTC),
		Samples: make([]Sample, HoursPerYear), Coverage: 1,
	}
	pressurePa := StandardPressurePa(c.AltitudeM)
	for h := range s.Samples {
		s.Samples[h] = Sample{
			DryBulbC: dryBulbC[h], RH: RHFromDewPoint(dryBulbC[h], dewPointC[h]),
			PressurePa: pressurePa, WindMS: math.NaN(),
		}
	}
	return s, nil
}

// eachMonth calls f with every month and the range of its days, or of its hours when perDay is 24.
func eachMonth(perDay int, f func(m, from, to int)) {
	from := 0
	for m, days := range daysIn {
		to := from + days*perDay
		f(m, from, to)
		from = to
	}
}

// dailyCourse is a first-order autoregressive series of standard normal days. Its numbers come from the
// city's name and the purpose.
func dailyCourse(city, purpose string, lag *catalog.Monthly) []float64 {
	sum := sha256.Sum256([]byte("climate/" + strings.ToLower(city) + "/" + purpose))
	r := rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
	course := make([]float64, daysPerYear)
	x := r.NormFloat64()
	eachMonth(1, func(m, from, to int) {
		for d := from; d < to; d++ {
			x = lag[m]*x + math.Sqrt(1-lag[m]*lag[m])*r.NormFloat64()
			course[d] = x
		}
	})
	return course
}

// standardize gives v mean 0 and variance 1 and takes out what it shares with others, which are
// standardized already and correlate with none.
func standardize(v []float64, others ...[]float64) {
	n := float64(len(v))
	for _, other := range others {
		shared := 0.0
		for i := range v {
			shared += v[i] * other[i] / n
		}
		for i := range v {
			v[i] -= shared * other[i]
		}
	}
	mean, square := 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for i := range v {
		v[i] -= mean
		square += v[i] * v[i] / n
	}
	scale := 1 / math.Sqrt(square)
	for i := range v {
		v[i] *= scale
	}
}

// dayOf is the middle of hour h in days from 1 January 00:00.
func dayOf(h int) float64 { return (float64(h) + 0.5) / hoursPerDay }

// annualCycle is the straight line between the middles of the months, at a day of the year from 0 to 365.
func annualCycle(monthly *catalog.Monthly, day float64) float64 {
	m := 0 // the month whose middle comes next
	for m < 12 && day >= middle[m] {
		m++
	}
	before, after := middle[11]-daysPerYear, middle[0]+daysPerYear
	if m > 0 {
		before = middle[m-1]
	}
	if m < 12 {
		after = middle[m]
	}
	share := (day - before) / (after - before)
	a, b := monthly[(m+11)%12], monthly[m%12]
	return a + share*(b-a)
}

// middle is the middle of each month in days of the year.
var middle = func() (days catalog.Monthly) {
	eachMonth(1, func(m, from, to int) { days[m] = float64(from+to) / 2 })
	return days
}()

// noonToNoon is the straight line between the noons of a daily series at hour h; the year closes on itself.
func noonToNoon(daily []float64, h int) float64 {
	at := dayOf(h) - 0.5
	d := int(math.Floor(at))
	share := at - float64(d)
	return daily[(d+daysPerYear)%daysPerYear]*(1-share) + daily[(d+1)%daysPerYear]*share
}

// ranks are the places of a month's hours in rising order.
type ranks struct {
	hours []rankedHour
	score []float64 // normal score of each rank
	bump  []float64 // u·(1 − u) at the rank's share u: 0 in the tails
	bumps float64   // sum of bump
}

type rankedHour struct {
	raw float64
	at  int
}

func newRanks(n int) *ranks {
	r := &ranks{make([]rankedHour, n), make([]float64, n), make([]float64, n), 0}
	for rank := range n {
		share := (float64(rank) + 0.5) / float64(n)
		r.score[rank] = normalScore(share)
		r.bump[rank] = share * (1 - share)
		r.bumps += r.bump[rank]
	}
	return r
}

// toQuantiles gives every hour of month m the value that belongs to its rank, and the month its mean: what
// the curve misses of it is put on the middle ranks and leaves the tails alone. Equal values keep their
// order in time.
func (r *ranks) toQuantiles(hours []float64, quantiles *[len(catalog.ClimateShares)]catalog.Monthly, m int, mean float64) {
	for i, raw := range hours {
		r.hours[i] = rankedHour{raw, i}
	}
	slices.SortFunc(r.hours, func(a, b rankedHour) int {
		switch {
		case a.raw < b.raw:
			return -1
		case a.raw > b.raw:
			return 1
		}
		return a.at - b.at
	})
	valueAt := quantileCurve(quantiles, m)
	sum := 0.0
	for rank, h := range r.hours {
		hours[h.at] = valueAt(r.score[rank])
		sum += hours[h.at]
	}
	missing := (mean*float64(len(hours)) - sum) / r.bumps
	for rank, h := range r.hours {
		hours[h.at] += missing * r.bump[rank]
	}
}

// quantileCurve runs through the quantiles of month m over their normal scores: a cubic that never turns
// back between them, and on from the outer two the straight line of the last step.
func quantileCurve(quantiles *[len(catalog.ClimateShares)]catalog.Monthly, m int) func(score float64) float64 {
	const last = len(catalog.ClimateShares) - 1
	values := make([]float64, len(quantiles))
	for q := range quantiles {
		values[q] = quantiles[q][m]
	}
	var cubic interp.FritschButland
	if err := cubic.Fit(shareScores[:], values); err != nil {
		panic(err) // six rising scores and six values always fit
	}
	slope := func(q int) float64 {
		return (values[q+1] - values[q]) / (shareScores[q+1] - shareScores[q])
	}
	return func(score float64) float64 {
		switch {
		case score < shareScores[0]:
			return values[0] + slope(0)*(score-shareScores[0])
		case score > shareScores[last]:
			return values[last] + slope(last-1)*(score-shareScores[last])
		}
		return cubic.Predict(score)
	}
}

// normalScore is the standard normal quantile of a share.
func normalScore(share float64) float64 { return math.Sqrt2 * math.Erfinv(2*share-1) }
