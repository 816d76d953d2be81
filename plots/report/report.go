// Package report puts a run's result into text: the report a planner forwards, the short table on a
// terminal, result.json, series.csv and events.csv. All of them read one sim.Result, print a figure that is not
// known as "unknown", null or an empty cell, and give the same bytes for the same result.
package report

import (
	"encoding/json"
	"fmt"
	"io"

	"headroom/sim"
)

// JSON writes the result with its stable keys in the order of the struct, indented by two spaces: null where there is
// no figure, and an empty list, never null, where there is nothing to list.
func JSON(w io.Writer, r *sim.Result) error {
	if r == nil {
		return fmt.Errorf("report: no result")
	}
	out := *r
	list(&out.Run.Extrapolations)
	list(&out.Run.Warnings)
	if out.Run.Approximations == nil {
		out.Run.Approximations = map[string]int64{}
	}
	list(&out.Capacity.Binding)
	list(&out.Capacity.Failover)
	list(&out.Energy.Cost)
	list(&out.Jobs.ByClass)
	list(&out.Actions)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(&out)
}

func list[T any](s *[]T) {
	if *s == nil {
		*s = []T{}
	}
}
