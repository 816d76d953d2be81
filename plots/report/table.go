package report

import (
	"fmt"
	"io"

	"headroom/plots/show"
	"headroom/sim"
)

// Table writes the short summary of a run for a terminal of the given width.
func Table(w io.Writer, r *sim.Result, width int) error {
	_, err := fmt.Fprintf(w, "%s placed, PUE %s\n", show.Of(r.Capacity.ServersPlaced, "server"), show.Ratio(float64(r.Energy.PUE), 3))
	return err
}
