package workload

// HoursPerWeek is the length of a Profile.
const HoursPerWeek = 7 * 24

// weekday and weekend are the load of an online service by hour of the day, as a share of the weekly peak.
//
// Assumed, not measured: the shape that office hours and evenings give a chat service in one time zone, with its low at
// 04:00, a plateau from 10:00 to 17:00, a second top at 21:00 and weekends at about two thirds. The public traces of
// requests to language models that may be used are an hour long, too short to give a week. A service of its own shape
// states its Profile.
var (
	weekday = [24]float64{
		0.52, 0.42, 0.36, 0.32, 0.30, 0.32, 0.40, 0.54, 0.72, 0.88, 0.96, 0.98,
		0.92, 0.94, 1.00, 0.99, 0.97, 0.92, 0.84, 0.82, 0.84, 0.85, 0.78, 0.65,
	}
	weekend = [24]float64{
		0.50, 0.42, 0.36, 0.31, 0.28, 0.28, 0.30, 0.36, 0.44, 0.53, 0.60, 0.63,
		0.63, 0.64, 0.66, 0.67, 0.67, 0.66, 0.66, 0.68, 0.71, 0.72, 0.68, 0.60,
	}
)

// Diurnal is the usual week of an online service: 168 shares of peak load by hour, Monday 00:00 first. Its grade is
// assumed.
func Diurnal() []float64 {
	week := make([]float64, 0, HoursPerWeek)
	for day := range 7 {
		hours := weekday
		if day >= 5 {
			hours = weekend
		}
		week = append(week, hours[:]...)
	}
	return week
}
