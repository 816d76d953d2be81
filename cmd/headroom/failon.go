package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"headroom/sim"
)

// demand is one --fail-on: the run fails when it comes true.
type demand = sim.Condition

// parseDemands reads every --fail-on and returns all that is wrong with them as one usageError.
func parseDemands(texts []string) ([]demand, error) {
	var out []demand
	var wrong, hints []string
	for _, text := range texts {
		d, err := sim.ParseCondition(text)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("--fail-on %q: %s", text, err))
			var key *sim.KeyError
			if errors.As(err, &key) && key.Near != "" {
				hints = append(hints, fmt.Sprintf("did you mean %q?", key.Near))
			}
			continue
		}
		out = append(out, d)
	}
	if wrong != nil {
		return nil, usageError{text: strings.Join(wrong, "\n"), hint: strings.Join(hints, "\n")}
	}
	return out, nil
}

// judge returns what came true, and what could not be judged: an unknown figure never passes a gate.
func judge(demands []demand, r *sim.Result) []string {
	var out []string
	for _, d := range demands {
		values := r.Numbers(strings.Split(d.Key, "."))
		if len(values) == 0 { // a list without elements
			values = []float64{math.NaN()}
		}
		for _, v := range values {
			if math.IsNaN(v) {
				out = append(out, fmt.Sprintf("--fail-on %q: %s is unknown", d.Text, d.Key))
				break
			}
			if d.Holds(v) {
				out = append(out, fmt.Sprintf("--fail-on %q: %s is %s", d.Text, d.Key, strconv.FormatFloat(v, 'g', 6, 64)))
				break
			}
		}
	}
	return out
}
