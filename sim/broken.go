package sim

import "fmt"

// BrokenLimits are the limits that the plan claims to hold and that the result breaks: redundancy that the graph
// does not have, inlet air outside what the servers' makers allow, and GPUs that slowed down or stopped to save
// themselves.
func (r *Result) BrokenLimits() []string {
	var out []string
	if r.Layout != nil {
		for _, c := range r.Layout.Claims {
			if !c.Holds {
				out = append(out, fmt.Sprintf("%s: %s does not hold: %s", c.Where, c.Claim, c.Why))
			}
		}
	}
	if h := r.Thermal.HoursOverAllowable; h > 0 {
		out = append(out, fmt.Sprintf("inlet air of some rack over the allowable range for %.4g hours", float64(h)))
	}
	counts := map[string]int{}
	for _, e := range r.Events {
		counts[e.Kind]++
	}
	if n := counts["hw slowdown"]; n > 0 {
		out = append(out, fmt.Sprintf("%d GPU hw slowdown events", n))
	}
	if n := r.Incidents; n != nil {
		for _, x := range []struct {
			n    int64
			what string
		}{
			{n.ServersDark, "servers lost their power"},
			{n.AirTrips, "servers stopped by hot inlet air"},
			{n.ThermalShutdowns, "servers stopped by a GPU at its shutdown temperature"},
		} {
			if x.n > 0 {
				out = append(out, fmt.Sprintf("%d %s", x.n, x.what))
			}
		}
	}
	return out
}
