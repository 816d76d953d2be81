package scenarios

import (
	"strconv"
	"strings"

	"headroom/facility/units"
)

// growthValue is a rate of demand: servers, or watts, per day.
type growthValue struct {
	PerDay float64
	Watts  bool // in W, else in servers
	Given  bool
	text   string
	pos
}

// daysIn are the periods a rate of growth may be stated for. A month is the mean month of the Gregorian
// calendar, 146,097 days in 400 years.
var daysIn = map[string]float64{
	"day": 1, "week": 7, "month": 146097.0 / 4800, "quarter": 146097.0 / 1600, "year": 146097.0 / 400,
}

const growthWant = `a rate such as "4 servers/month" or "120 kW/year"`

func (v *growthValue) decode(d *decoder, n *node, path string) {
	v.pos = n.pos
	amount, period, ok := strings.Cut(n.value, "/")
	days := daysIn[strings.TrimSpace(period)]
	if n.kind != scalarNode || !ok || days == 0 {
		d.fail(n.pos, path, "", "want %s, per day, week, month, quarter or year (got %s)", growthWant, n.describe())
		return
	}
	amount = strings.TrimSpace(amount)
	rest, servers := strings.CutSuffix(amount, "servers")
	if !servers {
		rest, servers = strings.CutSuffix(amount, "server")
	}
	var x float64
	var err error
	if servers {
		x, err = strconv.ParseFloat(strings.TrimSpace(rest), 64)
	} else {
		x, err = units.Parse(units.Power, amount)
	}
	if err != nil || !finite(x) || x < 0 || x > maxServers*1e6 {
		d.fail(n.pos, path, "what goes away is stated under decommission", "want %s, not below zero (got %s)", growthWant, n.describe())
		return
	}
	*v = growthValue{PerDay: x / days, Watts: !servers, Given: true, text: n.value, pos: n.pos}
}

func (v *growthValue) encode() *node {
	if !v.Given {
		return nil
	}
	return plain(v.text)
}

func (v *growthValue) schema() map[string]any {
	return map[string]any{
		"type": "string", "description": "Units: servers or a power, per day, week, month, quarter or year.", "pattern": `/ *(day|week|month|quarter|year) *$`,
		"examples": []any{"4 servers/month", "120 kW/year"},
	}
}
