package sim

import (
	"headroom/facility/placement"
)

// actions lists what would admit more servers, as the placement found it.
func actions(l *placement.Layout) []Action {
	out := []Action{}
	for _, u := range l.Upgrades() {
		out = append(out, Action{Change: u.Change, Admits: u.Admits, Gain: Num(u.GPUs), Unit: "GPUs"})
	}
	return out
}
