// Package report puts a run's result into text: the report a planner forwards, the short table on a
// terminal, result.json, series.csv and events.csv. All of them read one sim.Result.
package report

import (
	"encoding/json"
	"io"

	"headroom/sim"
)

// JSON writes the result with its stable keys, indented, null where there is no figure.
func JSON(w io.Writer, r *sim.Result) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
