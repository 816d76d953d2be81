package sim

import (
	"headroom/sim/metrics"
	"headroom/sim/thermal"
)

// Incidents counts what stopped servers during the run.
type Incidents struct {
	ServersDark      int64      `json:"servers_dark"`      // times a server lost its power
	AirTrips         int64      `json:"air_trips"`         // times the air inlet stopped a server
	ThermalShutdowns int64      `json:"thermal_shutdowns"` // times a GPU at its limit stopped one
	ServerFailures   int64      `json:"server_failures"`   // random failures
	ServersCutOff    int64      `json:"servers_cut_off"`   // times a server lost its network
	JobsInterrupted  int64      `json:"jobs_interrupted"`  // by any of these
	ServerHoursDark  Num        `json:"server_hours_dark"`
	Scripted         []Scripted `json:"scripted"`
}

// Scripted is one scripted loss with what happened from its start until an hour after it was over.
type Scripted struct {
	Lost             string `json:"lost"`
	AtS              Num    `json:"at_s"`
	LengthS          Num    `json:"length_s"` // null: until the end of the run
	ServersDark      int64  `json:"servers_dark"`
	ServersCutOff    int64  `json:"servers_cut_off"`
	AirTrips         int64  `json:"air_trips"`
	ThermalShutdowns int64  `json:"thermal_shutdowns"`
	JobsInterrupted  int64  `json:"jobs_interrupted"`
}

// incident is one stop of a server, or of a job.
type incident struct {
	atNS int64
	kind incidentKind
}

type incidentKind uint8

const (
	wentDark incidentKind = iota
	airTripped
	shutDown
	failedAtRandom
	cutOff
	jobInterrupted
)

// aftermathNS is how long after a scripted loss what happens is booked to it.
const aftermathNS = hourNS

func (e *engine) incident(k incidentKind) {
	e.incidents = append(e.incidents, incident{e.now, k})
}

// count counts incidents of each kind in an interval.
func (e *engine) countIncidents(from, to int64) (n [jobInterrupted + 1]int64) {
	for _, x := range e.incidents {
		if x.atNS >= from && x.atNS <= to {
			n[x.kind]++
		}
	}
	return n
}

func (e *engine) incidentsResult() *Incidents {
	n := e.countIncidents(e.cfg.WarmupNS, e.cfg.LengthNS)
	out := &Incidents{
		ServersDark: n[wentDark], AirTrips: n[airTripped], ThermalShutdowns: n[shutDown], ServerFailures: n[failedAtRandom], ServersCutOff: n[cutOff],
		JobsInterrupted: n[jobInterrupted], ServerHoursDark: Num(e.m.over(cDark) / sPerH), Scripted: []Scripted{},
	}
	for i := range e.losses {
		l := &e.losses[i]
		s := Scripted{Lost: l.Name, AtS: Num(float64(l.AtNS) / thermal.Second), LengthS: Num(float64(l.ForNS) / thermal.Second)}
		end := l.AtNS + l.ForNS
		if l.ForNS == 0 || end > e.cfg.LengthNS {
			s.LengthS, end = metrics.Unknown, e.cfg.LengthNS
		}
		n := e.countIncidents(l.AtNS, end+aftermathNS)
		s.ServersDark, s.AirTrips, s.ThermalShutdowns, s.JobsInterrupted = n[wentDark], n[airTripped], n[shutDown], n[jobInterrupted]
		s.ServersCutOff = n[cutOff]
		out.Scripted = append(out.Scripted, s)
	}
	return out
}

// Starting again. A server whose power is back boots (5–10 min); one that heat has stopped is looked at and
// started by hand (assumed half an hour), and stops again if its air is still too hot.
const (
	bootS        = 450
	tripRestartS = 1800
	// restartBelowK is how far under the inlet that stopped it a room must be for a server to be started again.
	restartBelowK = 10
)

// boot takes a server whose power is back out of the queue's reach until it has started; it draws idle power.
func (e *engine) boot(i int32) { e.pushAfter(bootS, evBoot, i) }
