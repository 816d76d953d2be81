package report

import (
	"fmt"
	"io"

	"headroom/plots/show"
	"headroom/sim"
)

// Markdown writes the report. charts are the paths of the charts relative to it, "charts/fit.png".
func Markdown(w io.Writer, r *sim.Result, charts []string) error {
	_, err := fmt.Fprintf(w, "# %s\n\n%s placed.\n", r.Run.Scenario, show.Of(r.Capacity.ServersPlaced, "server"))
	for _, c := range charts {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n![](%s)\n", c)
		}
	}
	return err
}
