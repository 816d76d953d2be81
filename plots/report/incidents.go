package report

import (
	"fmt"
	"math"
	"time"

	"headroom/plots/document"
	"headroom/plots/show"
	"headroom/sim"
)

// stopLimits are what must not stop a server: a run in which power or heat did has broken a limit, whatever the
// means say.
func stopLimits(r *sim.Result) []Verdict {
	n := r.Incidents
	dark := Verdict{Limit: "no server loses its power", Figure: show.Unknown, Bound: "0 servers", State: Unknown}
	heat := Verdict{Limit: "no server stops for heat", Figure: show.Unknown, Bound: "0 stops", State: Unknown}
	if n != nil {
		dark = judge(Verdict{Limit: dark.Limit, Figure: show.Of(int(n.ServersDark), "server"), Bound: dark.Bound}, float64(n.ServersDark), 0)
		if n.ServersDark > 0 {
			dark.Note = show.Number(float64(n.ServerHoursDark), 3) + " server-hours without power"
		}
		stops := n.AirTrips + n.ThermalShutdowns
		heat = judge(Verdict{Limit: heat.Limit, Figure: show.Of(int(stops), "stop"), Bound: heat.Bound}, float64(stops), 0)
		if stops > 0 {
			heat.Note = fmt.Sprintf("%s by hot inlet air, %s by a GPU at its shutdown temperature", show.Count(n.AirTrips), show.Count(n.ThermalShutdowns))
		}
	}
	return []Verdict{dark, heat}
}

// stopSentence says in the answer what stopped servers, nothing when nothing did.
func stopSentence(r *sim.Result) document.Text {
	n := r.Incidents
	if n == nil || n.ServersDark+n.AirTrips+n.ThermalShutdowns == 0 {
		return nil
	}
	var dark, heat document.Text
	if n.ServersDark > 0 {
		dark = t("**%s lost power** (%s server-hours dark).", show.Of(int(n.ServersDark), "server"), show.Number(float64(n.ServerHoursDark), 3))
	}
	if stops := n.AirTrips + n.ThermalShutdowns; stops > 0 {
		heat = t("**Heat stopped servers %s times**: %s by hot inlet air, %s by a GPU at its shutdown temperature.",
			show.Count(stops), show.Count(n.AirTrips), show.Count(n.ThermalShutdowns))
	}
	return document.Join(" ", dark, heat, t("%s interrupted in all.", show.Of(int(n.JobsInterrupted), "job run")))
}

// scripted is the table of what each scripted loss did.
func (d *doc) scripted() {
	n := d.r.Incidents
	if n == nil || len(n.Scripted) == 0 {
		return
	}
	d.Add(document.Heading{Level: 3, Text: t("What the scripted losses did")})
	var rows [][]cell
	for _, s := range n.Scripted {
		length := nums("to the end", math.NaN(), "s")
		if s.LengthS.Known() {
			length = seconds(float64(s.LengthS))
		}
		outcome := "nothing stopped"
		if s.ServersDark+s.AirTrips+s.ThermalShutdowns > 0 {
			outcome = "servers stopped"
		}
		rows = append(rows, row(
			words(s.Lost), nums(atTime(d.r, float64(s.AtS)), float64(s.AtS), "s"), length, count(s.ServersDark), count(s.AirTrips),
			count(s.ThermalShutdowns), count(s.JobsInterrupted), words(outcome),
		))
	}
	d.table("scripted losses", []string{"lost", "at", "for", ">servers without power", ">stopped by inlet air", ">stopped by GPU heat", ">job runs interrupted", "outcome"}, rows)
	d.say("Counted from the loss until an hour after it was over; losses that overlap share what happened.")
}

// atTime is a moment of the run as its local date and time.
func atTime(r *sim.Result, s float64) string {
	start, err := time.Parse(startLayout, r.Run.Start)
	if err != nil {
		return show.Seconds(s)
	}
	return start.Add(time.Duration(s * float64(time.Second))).Format("2 Jan 15:04")
}
